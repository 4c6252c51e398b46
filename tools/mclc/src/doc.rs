//! `mclc doc`: the documentation of functions and resource kinds, from the tables of compiler and runtime.

mod examples;
mod find;
mod html;
mod json;
mod kinds;
mod markdown;
mod module;
mod text;

use mcl_modules::EMBEDDED_MODULES;

use crate::cli::{Doc, DocFormat};
use crate::doc::find::{Found, find};
use crate::documented::{functions, kinds as all_kinds};
use crate::output;
use crate::output::unusable;

pub fn run(args: &Doc) -> u8 {
    if let Some(directory) = &args.html {
        return html::write(directory);
    }
    let Some(name) = &args.name else {
        let (functions, kinds) = (functions(|_| true), all_kinds(|_| true));
        let out = match args.format {
            DocFormat::Text => text::overview(&functions, &kinds),
            DocFormat::Markdown => markdown::documents(&functions, &kinds),
            DocFormat::Json => json::documents(&functions, &kinds),
        };
        return output::paged(&out);
    };
    if module::is_path(name) {
        return module::run(name, args.format);
    }
    if name == "meta" {
        return output::paged(&meta(args.format));
    }
    match find(name) {
        Found::Documents { functions, kinds, module } => {
            let mut out = match args.format {
                DocFormat::Text => text::documents(&functions, &kinds),
                DocFormat::Markdown => markdown::documents(&functions, &kinds),
                DocFormat::Json => json::documents(&functions, &kinds),
            };
            // The JSON format has functions and kinds only.
            if let Some(module) = module.filter(|_| args.format != DocFormat::Json) {
                let program = EMBEDDED_MODULES.iter().find(|embedded| embedded.name == module);
                out += &program.map_or_else(String::new, |program| written_in_mcl(program.main(), args.format));
            }
            output::paged(&out)
        }
        Found::Matches(matches) => {
            let out = match args.format {
                DocFormat::Text | DocFormat::Markdown => text::matches(name, &matches),
                DocFormat::Json => json::matches(&matches),
            };
            output::paged(&out)
        }
        Found::Nothing { nearest } => {
            let hint = nearest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
            unusable(format_args!("nothing is called `{name}`{hint} (`mclc doc` lists everything)"))
        }
    }
}

fn written_in_mcl(program: &str, format: DocFormat) -> String {
    let before = match format {
        DocFormat::Markdown => "## Written in mcl\n\n",
        DocFormat::Text | DocFormat::Json => "\nThe rest of this module is written in mcl:\n\n",
    };
    let lines = program.lines().map(|line| format!("{}\n", format!("    {line}").trim_end()));
    lines.fold(before.to_owned(), |text, line| text + &line)
}

/// Returns the documentation of the meta parameters, which every resource has.
fn meta(format: DocFormat) -> String {
    match format {
        DocFormat::Text => text::meta(),
        DocFormat::Markdown => markdown::meta(),
        DocFormat::Json => json::meta(),
    }
}

#[cfg(test)]
mod tests {
    use mcl_functions::all_functions;

    use super::*;

    #[test]
    fn every_function_and_kind_has_an_example() {
        for function in all_functions().filter(|f| !f.short_name().starts_with('_')) {
            assert!(!function.documented_example().is_empty(), "{}", function.name);
        }
        for kind in all_kinds(|_| true) {
            assert!(kind.example.starts_with(&format!("{} \"", kind.name)), "{}", kind.name);
        }
    }
}
