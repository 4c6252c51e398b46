//! `mclc get`: downloads the remote modules that a program imports into its module directories (spec 01 §6.9).
//!
//! This is the only command that downloads anything. The imports of a module are known only after it has been downloaded,
//! so the command works in rounds: load the program, clone the missing modules, load again, until nothing changes. Each
//! module is processed once. A clone gets its final name only when it is complete and is a module.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_modules::{ImportTarget, Input, Loaded, RemoteImport, RemoteLocation, is_below};

use crate::cli::{Color, Get};
use crate::output;
use crate::output::unusable;
use crate::report::{self, Checked};

/// Environment variables that refer git to another repository, such as the one whose hook runs this command.
const REPOSITORY_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// Downloads the modules of a program. Progress goes to standard output, diagnostics to standard error.
pub fn run(args: &Get, color: Color) -> u8 {
    let input = report::input(&args.path, &args.source).map_err(|failure| failure.report(&args.report, color));
    match input.and_then(|input| get(&input, args)) {
        Ok(checked) => report::print(&[checked], &args.report, color),
        Err(status) => status,
    }
}

fn get(input: &Input, args: &Get) -> Result<Checked, u8> {
    // Successes are recorded by directory, failures by URL: another URL may still fill the directory.
    let mut done: HashSet<PathBuf> = HashSet::new();
    let mut failures: HashMap<Arc<str>, Failure> = HashMap::new();
    loop {
        let (loaded, imports) = match report::load_remote(input, &args.source, &args.report) {
            Ok(found) => found,
            Err(failure) => return failure.into_diagnostics(),
        };
        let mut changed = false;
        for import in &imports {
            let directory = match &import.location {
                RemoteLocation::Found(directory) | RemoteLocation::Missing { target: directory, .. } => directory,
                RemoteLocation::NoModuleDirectory => continue,
            };
            if failures.contains_key(&import.clone_url) || done.contains(directory) {
                continue;
            }
            match obtain(import, args.update) {
                Ok(step) => {
                    changed |= matches!(step, Step::Fetched | Step::Updated);
                    done.insert(directory.clone());
                    print(step, &import.clone_url, directory)?;
                }
                Err(Failure::NoGit) => {
                    return Err(unusable(format_args!(
                        "git is not installed; it is required to download `{}`",
                        import.clone_url
                    )));
                }
                Err(failure) => drop(failures.insert(Arc::clone(&import.clone_url), failure)),
            }
        }
        if !changed {
            let diagnostics = diagnostics(&loaded, &imports, &failures);
            return Ok(Checked::new(loaded.files, input.prefix(), diagnostics, &args.report));
        }
    }
}

/// Returns the diagnostics for the imports that are still missing when no more modules can be downloaded.
fn diagnostics(loaded: &Loaded, remote: &[RemoteImport], failures: &HashMap<Arc<str>, Failure>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> =
        remote.iter().filter_map(|import| failures.get(&import.clone_url)?.to_diagnostic(import.span)).collect();
    let explained: HashSet<Span> = diagnostics.iter().filter_map(|diagnostic| diagnostic.span).collect();
    for import in loaded.units.values().flat_map(|unit| &unit.imports) {
        match &import.target {
            ImportTarget::Failed(failure) if !explained.contains(&import.span) => {
                diagnostics.push(failure.to_diagnostic(import.span));
            }
            ImportTarget::Failed(_) | ImportTarget::Unit(_) | ImportTarget::System => {}
        }
    }
    diagnostics
}

/// The outcome for a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Fetched,
    Updated,
    /// Pulled without new commits.
    UpToDate,
    /// Already present, and left unchanged.
    Kept,
}

fn print(step: Step, url: &str, directory: &Path) -> Result<(), u8> {
    let what = match step {
        Step::Fetched => "fetched",
        Step::Updated => "updated",
        Step::UpToDate => "up to date",
        Step::Kept => "kept",
    };
    let here = std::env::current_dir().unwrap_or_default();
    let shown = directory.strip_prefix(here).unwrap_or(directory);
    match output::stdout(format!("{what:<10}  {url} in {}\n", shown.display()).as_bytes()) {
        0 => Ok(()),
        status => Err(status),
    }
}

/// The reason why a module is missing or outdated.
#[derive(Debug)]
enum Failure {
    /// git is not installed, so no module can be downloaded.
    NoGit,
    /// This module cannot be downloaded or updated.
    Module { message: String, help: Option<String> },
}

impl Failure {
    fn new(message: impl Into<String>) -> Failure {
        Failure::Module { message: message.into(), help: None }
    }

    fn with_help(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Module { message: message.into(), help: Some(help.into()) }
    }

    fn to_diagnostic(&self, import: Span) -> Option<Diagnostic> {
        let Failure::Module { message, help } = self else { return None };
        let mut diagnostic = Diagnostic::error(Code::E0513, Stage::Import, message.clone()).at(import);
        diagnostic.help.clone_from(help);
        Some(diagnostic)
    }
}

fn obtain(import: &RemoteImport, update: bool) -> Result<Step, Failure> {
    let url = &*import.clone_url;
    match &import.location {
        RemoteLocation::Found(directory) if update && is_clone(directory) => pull(url, directory),
        RemoteLocation::Found(_) | RemoteLocation::NoModuleDirectory => Ok(Step::Kept),
        RemoteLocation::Missing { module_directory, target } => {
            if !is_below(target, module_directory) {
                let message =
                    format!("module `{url}` would be outside of the module directory `{}`", module_directory.display());
                return Err(Failure::new(message));
            }
            if !is_occupied(target) {
                return fetch(url, target);
            }
            // The directory exists, but was not a module. Its metadata may have been added since.
            let step = if update && is_clone(target) { pull(url, target)? } else { Step::Kept };
            if target.join("metadata.yaml").is_file() {
                return Ok(step);
            }
            let message = format!("module `{url}` has no `metadata.yaml` in `{}`", target.display());
            Err(Failure::with_help(
                message,
                "create one, which may be empty, or remove the directory to download the module again",
            ))
        }
    }
}

/// Returns whether a directory is the root of a work tree. (git itself would also accept a parent directory that is.)
fn is_clone(directory: &Path) -> bool {
    directory.join(".git").exists()
}

/// Returns whether the path exists and is not an empty directory, so that a clone cannot be moved there.
fn is_occupied(target: &Path) -> bool {
    match std::fs::read_dir(target) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => target.symlink_metadata().is_ok(),
    }
}

fn fetch(url: &str, target: &Path) -> Result<Step, Failure> {
    let clone_url = clone_url(url)?;
    let cannot = |error: std::io::Error| {
        Failure::new(format!("cannot write module `{url}` to `{}`: {}", target.display(), output::reason(&error)))
    };
    let parent = target.parent().unwrap_or(target);
    std::fs::create_dir_all(parent).map_err(cannot)?;
    let scratch = tempfile::Builder::new().prefix(".mclc-get-").tempdir_in(parent).map_err(cannot)?;
    let clone = scratch.path().join("clone");
    let mut command = git();
    command.args(["clone", "--quiet", "--recurse-submodules", "--"]).arg(clone_url).arg(&clone);
    output_of(command).map_err(|error| {
        let help = format!("`git clone {url}` must succeed without prompting");
        error.into_failure(format_args!("cannot download module `{url}`"), &help)
    })?;
    if !clone.join("metadata.yaml").is_file() {
        let message = format!("repository `{url}` is not a module: missing `metadata.yaml` in its root directory");
        return Err(Failure::with_help(message, "the file may be empty; the module then starts with `main.mcl`"));
    }
    std::fs::rename(&clone, target).map_err(cannot)?;
    Ok(Step::Fetched)
}

fn pull(url: &str, directory: &Path) -> Result<Step, Failure> {
    let in_clone = |args: &[&str]| {
        let mut command = git();
        command.arg("-C").arg(directory).args(args);
        output_of(command).map_err(|error| {
            let help = format!("`git pull --ff-only` must succeed in `{}`", directory.display());
            error.into_failure(format_args!("cannot update module `{url}`"), &help)
        })
    };
    let before = in_clone(&["rev-parse", "--verify", "HEAD"])?;
    in_clone(&["pull", "--quiet", "--ff-only"])?;
    in_clone(&["submodule", "--quiet", "update", "--init", "--recursive"])?;
    let after = in_clone(&["rev-parse", "--verify", "HEAD"])?;
    Ok(if before == after { Step::UpToDate } else { Step::Updated })
}

/// Returns the URL that is passed to `git clone`. Only URLs of a repository on another host or on this machine are accepted:
/// git supports others too, some of which run programs.
fn clone_url(url: &str) -> Result<String, Failure> {
    let schemes = "the URL of a module starts with `https://`, `http://`, `ssh://` or `git://`";
    let refused = || Failure::with_help(format!("invalid repository URL `{url}`"), schemes);
    let (scheme, rest) = url.split_once("://").ok_or_else(refused)?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if authority.starts_with('-') || host.starts_with('-') {
        return Err(Failure::new(format!("invalid repository URL `{url}`: a host name cannot start with a dash")));
    }
    match scheme.as_str() {
        "git" if authority.is_empty() => Ok(format!("file://{rest}")),
        "https" | "http" | "ssh" | "git" if !host.is_empty() => Ok(format!("{scheme}://{rest}")),
        _ => Err(refused()),
    }
}

fn git() -> Command {
    let mut command = Command::new("git");
    command.stdin(Stdio::null()).env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    for variable in REPOSITORY_VARIABLES {
        command.env_remove(variable);
    }
    command
}

/// A failed run of git.
enum GitError {
    NotInstalled,
    /// The error message of git.
    Failed(String),
}

impl GitError {
    fn into_failure(self, what: std::fmt::Arguments<'_>, help: &str) -> Failure {
        match self {
            GitError::NotInstalled => Failure::NoGit,
            GitError::Failed(message) => Failure::with_help(format!("{what}: {message}"), help),
        }
    }
}

/// Runs git and returns its standard output.
fn output_of(mut command: Command) -> Result<Vec<u8>, GitError> {
    match command.output() {
        Ok(ran) if ran.status.success() => Ok(ran.stdout),
        Ok(ran) => {
            let message = cause(&String::from_utf8_lossy(&ran.stderr));
            Err(GitError::Failed(message.unwrap_or_else(|| format!("git failed with {}", ran.status))))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(GitError::NotInstalled),
        Err(error) => Err(GitError::Failed(output::reason(&error))),
    }
}

/// Returns the line of git's output that states the cause: the first one that is marked as an error, because lines with
/// advice may follow.
fn cause(stderr: &str) -> Option<String> {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let causes = ["fatal: ", "error: ", "ssh: "];
    let cause = lines().find(|line| causes.iter().any(|cause| line.starts_with(cause)));
    let line = cause.or_else(|| lines().next())?;
    let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
    // The text may come from the remote host, which must not control the terminal.
    Some(line.chars().filter(|c| !c.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str, message: &str) {
        let failure = format!("{:?}", clone_url(url).expect_err(url));
        assert!(failure.contains(message), "{url}: {failure}");
    }

    #[test]
    fn urls_are_of_repositories_elsewhere_or_on_this_machine() {
        for (url, want) in [
            ("https://host.example/u/app", "https://host.example/u/app"),
            ("HTTPS://host.example:8443/u/app/", "https://host.example:8443/u/app/"),
            ("ssh://git@host.example/u/app", "ssh://git@host.example/u/app"),
            ("git://host.example/u/app", "git://host.example/u/app"),
            ("git:///srv/git/app/", "file:///srv/git/app/"),
        ] {
            assert_eq!(clone_url(url).ok().as_deref(), Some(want), "{url}");
        }
    }

    #[test]
    fn urls_cannot_run_programs_or_pass_for_options() {
        refused("ext:/sh", "invalid repository URL");
        refused("ext://sh", "invalid repository URL");
        refused("file:///srv/git/app", "invalid repository URL");
        refused("https:///u/app", "invalid repository URL");
        refused("https:/u/app", "invalid repository URL");
        refused("ssh://-oProxyCommand=x/u/app", "cannot start with a dash");
        refused("ssh://git@-oProxyCommand=x/u/app", "cannot start with a dash");
        refused("ssh://-l@host.example/u/app", "cannot start with a dash");
    }

    #[test]
    fn the_cause_is_reported_without_the_advice() {
        let ssh =
            "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\n";
        assert_eq!(cause(ssh).as_deref(), Some("Could not read from remote repository."));
        let resolve = "ssh: Could not resolve hostname x\nfatal: Could not read from remote repository.\n";
        assert_eq!(cause(resolve).as_deref(), Some("ssh: Could not resolve hostname x"));
        let detached = "You are not currently on a branch.\nPlease specify\n\n    git pull <remote> <branch>\n";
        assert_eq!(cause(detached).as_deref(), Some("You are not currently on a branch."));
        assert_eq!(cause("fatal: \u{1b}[2Jgone\n").as_deref(), Some("[2Jgone"));
        assert_eq!(cause(" \n"), None);
    }
}
