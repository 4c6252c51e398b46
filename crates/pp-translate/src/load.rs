//! From a path to a catalog: a catalog file is read; manifests are compiled by an installed Puppet.

use std::path::Path;
use std::process::Command;

use mcl_diagnostics::{Code, Diagnostic, Stage};

/// The bytes of the catalog that a path stands for: a `.json` file with one, or a manifest (`.pp`) or a directory of
/// manifests, which `puppet catalog compile` turns into one.
///
/// # Errors
/// P0107: the path cannot be read. P0108: Puppet is not installed, or does not compile the manifests.
pub fn load_catalog(path: &Path, node: Option<&str>) -> Result<Vec<u8>, Diagnostic> {
    let is_manifest = path.extension().is_some_and(|e| e == "pp") || path.is_dir();
    if is_manifest {
        return compile(path, node);
    }
    std::fs::read(path).map_err(|error| {
        Diagnostic::error(Code::P0107, Stage::Puppet, format!("cannot read the catalog {}: {error}", path.display()))
    })
}

fn compile(path: &Path, node: Option<&str>) -> Result<Vec<u8>, Diagnostic> {
    let error = |message: String| Diagnostic::error(Code::P0108, Stage::Puppet, message);
    if let Err(e) = std::fs::metadata(path) {
        return Err(Diagnostic::error(Code::P0107, Stage::Puppet, format!("cannot read {}: {e}", path.display())));
    }
    let mut command = Command::new("puppet");
    command.args(["catalog", "compile", "--render-as", "rich_data_json", "--log_level", "warning", "--color=false"]);
    command.arg("--manifest").arg(path);
    if let Some(node) = node {
        command.args(["--certname", node]);
    }
    let output = command.output().map_err(|e| {
        error(format!("manifests are compiled by an installed Puppet, but `puppet` cannot be started: {e}")).help(
            "install Puppet, or compile the catalog elsewhere with `puppet catalog compile --render-as rich_data_json` and \
             give the .json file",
        )
    })?;
    if output.status.success() && output.stdout.contains(&b'{') {
        return Ok(output.stdout);
    }
    // A failing compile prints each error several times, after what the collector of facts could not read.
    let text = String::from_utf8_lossy(&output.stderr);
    let of_the_compile = |l: &&str| l.starts_with("Error:") && !l.starts_with("Error: Facter:");
    let first = text.lines().find(of_the_compile).or_else(|| text.lines().next());
    Err(error(format!(
        "Puppet does not compile {}: {}",
        path.display(),
        first.unwrap_or("it printed neither a catalog nor an error").trim_start_matches("Error: ")
    )))
}
