//! A fuzzer of templates in ERB: it parses and renders mutated templates for some seconds.
//!
//! `cargo run --profile fuzz -p fuzz --bin erb -- --seconds 60 --seed 7`
//!
//! The templates are those that the tests compare with Ruby, and those of `tests/puppet/modules`. A panic, a template that needs
//! more than two seconds of processor time, and an error outside of its template end the run with status 1. The template is
//! written to `fuzz-crash.erb`.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use fastrand::Rng;
use fuzz::session::{Fuzzer, Session};
use fuzz::words::mutated;
use pp_erb::{Budget, Mutability, Objects, Template, Variables};
use pp_types::Value;
use serde_json::json;

/// The limits of a rendering, small enough for a template in an endless loop.
const BUDGET: Budget = Budget { steps: 500_000, bytes: 64 << 20 };

/// Fuzzes templates in ERB.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    session: Session,
}

struct Templates {
    corpus: Vec<String>,
    /// Values that the templates can change, and a function that returns its arguments.
    scope: Variables,
}

impl Fuzzer for Templates {
    type Program = String;

    const CRASH_FILE: &'static str = "fuzz-crash.erb";
    const MIN_ACCEPTED_PERCENT: usize = 5;

    fn program(&self, rng: &mut Rng, _count: usize) -> String {
        mutated(&self.corpus, rng)
    }

    fn run(&self, template: &String, _count: usize) -> bool {
        let rendered = Template::parse(template)
            .and_then(|parsed| parsed.render(&mut self.scope.clone(), &Objects::default(), BUDGET));
        if let Err(error) = &rendered {
            let offset = error.offset.unwrap_or(0) as usize;
            assert!(offset <= template.len(), "{error}: a location outside of the template");
        }
        rendered.is_ok()
    }

    fn target(&self, _count: usize) -> Option<String> {
        None
    }
}

/// Reads the templates.
fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let examples = std::fs::read_to_string(root.join("crates/pp-erb/tests/differential/examples.txt")).expect("UTF-8");
    let examples = examples.lines().filter(|line| !line.is_empty() && !line.starts_with("##"));
    let mut templates: Vec<String> = examples.map(|line| line.replace("\\n", "\n")).collect();
    let records = std::fs::read_to_string(root.join("tests/puppet/modules/erb.jsonl")).expect("UTF-8");
    for line in records.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let files = record["files"].as_object().into_iter().flatten();
        let texts = files.filter(|(path, _)| path.ends_with(".erb")).filter_map(|(_, text)| text.as_str());
        templates.extend(texts.map(str::to_owned));
    }
    templates
}

fn main() -> ExitCode {
    let session = Args::parse().session;
    let variables = json!({
        "s": "hello World", "e": "", "u": "ünï", "i": 42, "n": -7, "f": 2.5, "t": true, "no": false, "nothing": null,
        "a": ["b", "a", "c"], "m": ["x", 1, null, 2.5, ["y", ["z"]], {"k": "v"}], "ns": [3, 1, 2, 10, -4],
        "h": {"b": 2, "a": 1, "c": {"d": [1, 2]}}, "hs": [{"name": "web", "port": 80}],
    });
    let variables = variables.as_object().into_iter().flatten();
    let variables = variables.map(|(name, value)| (name.as_str().into(), pp_types::from_json(value)));
    let mut scope = Variables::new(variables);
    scope.strings = Mutability::Shared;
    scope.functions = Some(|_, arguments| Ok(Value::array(arguments.to_vec())));
    let fuzzer = Templates { corpus: corpus(), scope };
    println!("{} templates in the corpus, {:?}", fuzzer.corpus.len(), session.duration());
    session.run(&fuzzer)
}
