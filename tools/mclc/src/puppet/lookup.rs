//! `mclc puppet lookup`: looks keys up in the data of an environment, as `puppet lookup` does.

use mcl_diagnostics::{Code, Diagnostic, Files};
use pp_environment::{CodePaths, EnvironmentError, FactModules, Facts, HostFacts, LookedUp, Reader, look_up};
use pp_evaluator::{Explained, LookupError, LookupRequest, Options};
use pp_hiera::{Explanation, YamlLayout, to_yaml};
use pp_types::{Hash, Value, interpolate, rich_json, ruby_text};

use crate::cli::{Color, Report};
use crate::output;
use crate::output::unusable;
use crate::puppet::lookup_options::{Lookup, MergeStrategy, RenderAs};
use crate::puppet::{log, native};
use crate::report::{self, Checked};
use crate::status::{ERRORS, UNUSABLE};

/// Looks up. Exit status 0: there is a value, or an explanation; 1: there is none.
pub fn run(args: &Lookup, color: Color) -> u8 {
    let deep_options = args.knock_out_prefix.is_some() || args.sort_merged_arrays || args.merge_hash_arrays;
    if deep_options && args.merge != Some(MergeStrategy::Deep) {
        return unusable(
            "the options --knock-out-prefix, --sort-merged-arrays and --merge-hash-arrays are only available with \
             `--merge deep`",
        );
    }
    let looked_up = match options(args) {
        Ok((paths, options)) => look_up(&paths, &options, &request(args)),
        Err(error) => Err(error.diagnostic()),
    };
    let LookedUp { mut lookup, files, root, mut diagnostics } = match looked_up {
        Ok(looked_up) => looked_up,
        Err(error) => {
            let status = if error.code == Code::P0701 { UNUSABLE } else { ERRORS };
            print(args, Files::default(), String::new(), vec![error], color);
            return status;
        }
    };
    let is_colored = report::style(color, &std::io::stderr()).color;
    output::stderr(&log::text(&lookup.log, &files, args.log_level, args.diagnostics, is_colored));
    let mut status = None;
    if let Some(explanation) = &lookup.explanation {
        let conclusion = match lookup.error.take() {
            Some(LookupError::NotFound(error) | LookupError::Data(error)) => Some(error.message),
            other => {
                lookup.error = other;
                None
            }
        };
        if lookup.error.is_none() {
            status = Some(output::stdout(explained(args, explanation, conclusion).as_bytes()));
        }
    } else if let Some(value) = &lookup.value {
        status = Some(output::stdout(shown(args, value).as_bytes()));
    }
    match lookup.error {
        Some(LookupError::NotFound(error) | LookupError::Data(error) | LookupError::Request(error)) => {
            diagnostics.push(error);
        }
        Some(LookupError::Manifests(errors)) => diagnostics.extend(errors),
        None => {}
    }
    let prefix = root.map_or(String::new(), |root| native::prefix_of(&root));
    print(args, files, prefix, diagnostics, color);
    status.unwrap_or(ERRORS)
}

fn print(args: &Lookup, files: Files, prefix: String, diagnostics: Vec<Diagnostic>, color: Color) {
    let report = Report { format: args.diagnostics, warn: Vec::new(), allow: Vec::new(), deny: Vec::new() };
    report::print(&[Checked::new(files, prefix, diagnostics, &report)], &report, color);
}

/// Returns the paths and the node of the lookup.
fn options(args: &Lookup) -> Result<(CodePaths, Options), EnvironmentError> {
    // Explanations show whole paths.
    let paths = args.code.paths(&args.environment).absolute();
    let of_host =
        || HostFacts::gather(FactModules::of_path(&paths.path, &paths.module_path), Reader::DATA, None).facts();
    let facts = match &args.facts {
        None => of_host(),
        Some(file) => {
            let given = Facts::read(file)?;
            let host = of_host();
            match args.node.as_deref() {
                Some(node) if host.node.as_deref() != Some(node) => given,
                _ => with_more(host, given),
            }
        }
    };
    let mut options = pp_environment::node_options(args.node.as_deref(), facts);
    args.strictness.set(&mut options);
    Ok((paths, options))
}

/// Adds facts to those of this machine.
fn with_more(host: Facts, given: Facts) -> Facts {
    let mut values = host.values;
    values.extend(given.values);
    Facts { node: given.node.or(host.node), values }
}

fn request(args: &Lookup) -> LookupRequest {
    let explain = match (args.explain, args.explain_options) {
        (true, _) => Some(Explained::Value),
        (false, true) => Some(Explained::Options),
        (false, false) => None,
    };
    LookupRequest {
        keys: args.keys.clone(),
        merge: args.merge.map(|strategy| merge(args, strategy)),
        value_type: args.value_type.clone(),
        default: args.default.as_deref().map(Value::from),
        explain,
        compile: args.compile,
    }
}

fn merge(args: &Lookup, strategy: MergeStrategy) -> Value {
    let name = match strategy {
        MergeStrategy::First => "first",
        MergeStrategy::Unique => "unique",
        MergeStrategy::Hash => "hash",
        MergeStrategy::Deep => {
            let mut options: Hash = [
                (Value::from("strategy"), Value::from("deep")),
                (Value::from("sort_merged_arrays"), Value::Boolean(args.sort_merged_arrays)),
                (Value::from("merge_hash_arrays"), Value::Boolean(args.merge_hash_arrays)),
            ]
            .into_iter()
            .collect();
            if let Some(prefix) = &args.knock_out_prefix {
                options.insert(Value::from("knockout_prefix"), Value::from(prefix.as_str()));
            }
            return Value::hash(options);
        }
    };
    Value::from(name)
}

/// Returns the output for a value.
fn shown(args: &Lookup, value: &Value) -> String {
    let value = plain(value);
    match args.render_as.unwrap_or(RenderAs::Yaml) {
        RenderAs::S => format!("{}\n", ruby_text(&value)).replace("\n\n", "\n"),
        RenderAs::Json => format!("{}\n", rich_json(&value)),
        RenderAs::Yaml => to_yaml(&value, YamlLayout::default()),
    }
}

/// Returns the output for an explanation, whose conclusion is an error.
fn explained(args: &Lookup, explanation: &Explanation, conclusion: Option<String>) -> String {
    match args.render_as.unwrap_or(RenderAs::S) {
        RenderAs::S => {}
        RenderAs::Json => return format!("{}\n", rich_json(&plain(&explanation.data()))),
        RenderAs::Yaml => return to_yaml(&plain(&explanation.data()), YamlLayout::default()),
    }
    let mut text = explanation.render();
    if let Some(conclusion) = conclusion {
        text.push_str(&conclusion);
        text.push('\n');
    }
    text
}

/// Returns a value with what data has: other values as text, and nothing of what is sensitive.
fn plain(value: &Value) -> Value {
    match value {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => value.clone(),
        Value::Array(elements) => Value::array(elements.iter().map(plain).collect()),
        Value::Hash(entries) => {
            Value::hash(entries.iter().map(|(key, value)| (plain(key), plain(value))).collect::<Hash>())
        }
        Value::Sensitive(_) => Value::from("Sensitive [value redacted]"),
        other => Value::from(interpolate(other)),
    }
}
