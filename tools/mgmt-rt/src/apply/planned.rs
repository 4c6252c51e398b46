//! `mgmt-rt apply --plan`: makes a kept plan again, and refuses it if anything differs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Files, Format, Stage};
use runtime::agent::{Agent, AgentOptions, Message, PlanDifference, PlanRecorder, PlannedChanges};
use runtime::{DigestSalt, EngineGraph, finalize, local_host};

use crate::helper;
use crate::plan;
use crate::program;
use crate::report;
use crate::saved_plan::SavedPlan;

/// Maximum number of differing resources that a refusal lists.
const MAX_DIFFERENCES: usize = 10;

/// A plan that can be applied.
pub struct Planned {
    pub program: Option<Arc<Program>>,
    pub prefix: Option<PathBuf>,
    pub work: PlannedWork,
}

/// The graph of a plan, and the changes that may be made.
pub struct PlannedWork {
    pub graph: Box<EngineGraph>,
    pub changes: PlannedChanges,
    pub salt: DigestSalt,
}

/// Reads a plan and makes it again. `artifact` and `prefix` are those of the command line.
///
/// # Errors
/// The exit status, after the error has been reported: the plan cannot be read, or something has changed since it was made.
pub fn load(file: &Path, artifact: Option<&Path>, prefix: Option<&Path>, format: Format) -> Result<Planned, ExitCode> {
    let fail = |diagnostics: Vec<Diagnostic>, files: &Files| {
        report::print(diagnostics, files, format);
        ExitCode::FAILURE
    };
    let nothing = Files::default();
    let plan = SavedPlan::read(file).map_err(|error| match error {
        Ok(diagnostic) => fail(vec![diagnostic], &nothing),
        Err(code) => code,
    })?;
    if let Some(why) = plan.outdated(artifact, prefix) {
        return Err(fail(vec![refusal(file, &why)], &nothing));
    }
    let mut sources = plan.sources();
    let program = match &plan.program {
        Some(saved) => Some(program::load(&saved.path.get(), &saved.bytes, format)?),
        None => None,
    };
    let files = program.as_ref().map_or(&nothing, |program| &program.files);
    // The program comes from the plan itself.
    let artifact = sources.artifact.take();
    let unprotected = sources.unprotected();
    if !unprotected.is_empty() {
        return Err(fail(unprotected, files));
    }
    sources.artifact = artifact;
    for problem in helper::prepare() {
        eprintln!("mgmt-rt: {problem}");
    }
    let prefix = plan.prefix();
    let mut report = |notes| report::print(notes, files, format);
    let wait = plan.wait.limit(&mut report);
    let graph = sources.first_graph(program.as_ref(), prefix.as_deref(), wait, plan.wait.commands());
    let (graph, warnings) = graph.map_err(|diagnostics| fail(diagnostics, files))?;
    if warnings.iter().any(|warning| warning.code == Code::R0107) {
        report::print(warnings, files, format);
        return Err(fail(vec![refusal(file, "parts of the program are unknown now")], &nothing));
    }
    let finalized = finalize(graph, &local_host()).map_err(|diagnostics| fail(diagnostics, files))?;
    let graph = Box::new(finalized.engine);
    let options = AgentOptions {
        digest_salt: Some(plan.salt),
        deployed: program.as_ref().map(|program| program.deploy.clone()),
        ..plan::options(&plan.wait, prefix.as_deref()).map_err(|diagnostic| fail(vec![diagnostic], files))?
    };
    let mut recorder = PlanRecorder::new(None);
    let summary = match Agent::new(options, &mut recorder) {
        Ok(mut agent) => {
            agent.handle().send(Message::Graph(graph.clone()));
            agent.run()
        }
        Err(error) => {
            eprintln!("mgmt-rt: {error}");
            return Err(ExitCode::FAILURE);
        }
    };
    let (now, mut problems) = recorder.finish(&graph);
    if !summary.is_success() {
        problems.push(refusal(file, "some of its resources fail now"));
        return Err(fail(problems, files));
    }
    let differences = plan.changes.differences(&now);
    if !differences.is_empty() {
        return Err(fail(vec![refusal(file, &described(&differences))], &nothing));
    }
    Ok(Planned { program, prefix, work: PlannedWork { graph, changes: plan.changes, salt: plan.salt } })
}

fn refusal(file: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(Code::R0415, Stage::Engine, format!("the plan {} is not applied: {why}", file.display()))
        .help("nothing was changed; make a new plan with `mgmt-rt plan OUT.bin -o FILE`")
}

/// Returns the differences as one text.
fn described(differences: &[PlanDifference]) -> String {
    let shown: Vec<String> = differences.iter().take(MAX_DIFFERENCES).map(ToString::to_string).collect();
    let more = match differences.len() - shown.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("the machine needs other changes now: {}{more}", shown.join("; "))
}
