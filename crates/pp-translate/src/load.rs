//! Loading a catalog from a path: a catalog file is read, manifests are compiled by an installed Puppet.

use std::path::Path;
use std::process::Command;

use mcl_diagnostics::{Code, Diagnostic, Stage, read_input};

/// Returns the bytes of a catalog: those of a file, or the output of `puppet catalog compile` for a manifest (`.pp`) or a
/// directory of manifests.
///
/// # Errors
/// P0107 if the path cannot be read; P0108 if Puppet is not installed or fails to compile the manifests.
pub fn load_catalog(path: &Path, node: Option<&str>) -> Result<Vec<u8>, Diagnostic> {
    let is_manifest = path.extension().is_some_and(|e| e == "pp") || path.is_dir();
    if is_manifest {
        return compile(path, node);
    }
    read_input(path).map_err(|error| {
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
        error(format!("cannot start `puppet` to compile the manifests: {e}")).help(
            "install Puppet, or compile the catalog on another machine with `puppet catalog compile --render-as \
             rich_data_json` and pass the .json file",
        )
    })?;
    if output.status.success() && output.stdout.contains(&b'{') {
        return Ok(output.stdout);
    }
    // A failed compilation prints each error several times, after the errors of the fact collector.
    let text = String::from_utf8_lossy(&output.stderr);
    let is_compile_error = |l: &&str| l.starts_with("Error:") && !l.starts_with("Error: Facter:");
    let first = text.lines().find(is_compile_error).or_else(|| text.lines().next());
    Err(error(format!(
        "cannot compile {}: {}",
        path.display(),
        first.unwrap_or("`puppet` printed neither a catalog nor an error").trim_start_matches("Error: ")
    )))
}
