//! `mclc puppet --emit ast`: the syntax tree of a manifest or template.

use mcl_diagnostics::{Code, Diagnostic};

use crate::puppet::native::prefix_of;
use crate::puppet::options::{Puppet, PuppetFormat};
use crate::puppet::outcome::{Outcome, Output, unsupported_format};

/// Prints the trees of the files that the path stands for, in Puppet's notation or as JSON, each file on a line of its own.
pub fn emit(args: &Puppet) -> Outcome {
    let parsed = pp_environment::puppet_files(args.path()).and_then(|paths| {
        let root = if args.path().is_dir() { args.path() } else { args.path().parent().unwrap_or(args.path()) };
        pp_environment::parse_files(&paths, root).map(|parsed| (parsed, prefix_of(root)))
    });
    let ((files, trees, diagnostics), prefix) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return Outcome::unreadable(&error),
    };
    let mut text = String::new();
    for tree in &trees {
        match args.format {
            PuppetFormat::Text | PuppetFormat::Pn => text.push_str(&pp_syntax::pn(tree)),
            PuppetFormat::Json => match serde_json::to_string(tree) {
                Ok(json) => text.push_str(&json),
                Err(error) => return Outcome::failed(vec![unwritable(&error)]),
            },
            PuppetFormat::Yaml | PuppetFormat::Dot => {
                return Outcome::failed(unsupported_format("ast", "YAML or DOT", "`pn` or `json`"));
            }
        }
        text.push('\n');
    }
    let output = Some(Output { bytes: text.into_bytes(), summary: None, secret: false });
    Outcome { output, files, prefix, diagnostics, ..Outcome::default() }
}

/// A float of a manifest may be one that JSON does not have.
fn unwritable(error: &serde_json::Error) -> Diagnostic {
    Diagnostic::error(Code::P0110, mcl_diagnostics::Stage::Puppet, format!("`ast` cannot be written as JSON: {error}"))
}
