//! `mgmt-rt graph --answers`: the graphs of a program on a machine that a test describes. `mclc test` calls it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use mcl_artifact::program::Program;
use mcl_diagnostics::{Diagnostic, Files, Format};
use resource_graph::ResourceGraph;
use runtime::sources::MachineFiles;
use runtime::{AnsweredProgram, Answers, answered_host, finalize};
use serde::{Deserialize, Serialize};

use crate::program;
use crate::report;
use crate::sources::Sources;

/// What a test says about a machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    /// Its states, in the order in which they follow each other.
    states: Vec<State>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    /// The values of functions.
    answers: Answers,
    /// A file with the facts that manifests see.
    facts: Option<PathBuf>,
}

/// What the program makes of a state.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Graph {
        /// The graph, sorted.
        text: String,
        /// Where the resources are declared.
        locations: BTreeMap<String, String>,
    },
    Errors(Vec<Diagnostic>),
}

/// Prints a JSON object for each state on a line of its own. The one of a state in which the program fails is the last.
pub fn run(sources: &Sources, path: &Path) -> ExitCode {
    let bytes = match program::read(path) {
        Ok(bytes) => bytes,
        Err(code) => return code,
    };
    let machine: Machine = match serde_json::from_slice(&bytes) {
        Ok(machine) => machine,
        Err(error) => {
            eprintln!("mgmt-rt: invalid answers in {}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let program = match sources.program(Format::Short) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let nothing = Files::default();
    let files = program.as_ref().map_or(&nothing, |program| &program.files);
    let mut lines = String::new();
    for outcome in outcomes(sources, program.as_ref(), machine.states) {
        let outcome = match outcome {
            Ok(graph) => {
                Outcome::Graph { text: resource_graph::sorted_text(&graph), locations: locations(&graph, files) }
            }
            Err(errors) => Outcome::Errors(errors),
        };
        // Strings can always be serialized.
        lines += &serde_json::to_string(&outcome).unwrap_or_default();
        lines.push('\n');
    }
    report::print_result("the graphs", &lines)
}

/// Returns the graph of each state, up to the first state in which there is none.
fn outcomes(
    sources: &Sources,
    program: Option<&Arc<Program>>,
    states: Vec<State>,
) -> Vec<Result<ResourceGraph, Vec<Diagnostic>>> {
    let mut running = None;
    let mut outcomes = Vec::new();
    for state in states {
        let outcome = next_graph(&mut running, sources, program, state);
        let has_failed = outcome.is_err();
        outcomes.push(outcome);
        if has_failed {
            break;
        }
    }
    outcomes
}

fn next_graph(
    running: &mut Option<AnsweredProgram>,
    sources: &Sources,
    program: Option<&Arc<Program>>,
    State { answers, facts }: State,
) -> Result<ResourceGraph, Vec<Diagnostic>> {
    let host = answered_host(&answers);
    let described = |(path, text): (&String, &Option<String>)| (path.into(), text.clone().map(String::into_bytes));
    let files = answers.files.iter().map(described).collect();
    let machine_files = MachineFiles::Described(Arc::new(files));
    match running {
        Some(running) => running.change(answers),
        None => {
            let new = program.map(|program| AnsweredProgram::new(program, answers)).transpose();
            *running = new.map_err(|error| vec![error])?;
        }
    }
    let own = running.as_mut().map(AnsweredProgram::graph).transpose()?;
    let sources = Sources { facts, machine_files, ..sources.clone() };
    let (graph, _) = sources.merged(own)?;
    Ok(finalize(graph, &host)?.graph)
}

fn locations(graph: &ResourceGraph, files: &Files) -> BTreeMap<String, String> {
    let resources = graph.resources().map(|(_, resource)| resource);
    resources.filter_map(|resource| Some((resource.id.to_string(), report::location(resource, files)?))).collect()
}
