//! `mclc get`: puts the remote modules that a program imports into its module directories (spec 01 §6.9).
//!
//! The only command that fetches anything. What a fetched module imports is known once it is there, so this works in rounds:
//! load the program, clone what is missing, load again, until nothing changes. Each module is dealt with once. A clone
//! appears under its name when it is complete and is a module, never before.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_modules::{ImportTarget, Input, Loaded, RemoteImport, RemoteLocation, is_below};

use crate::cli::{Color, Get};
use crate::report::{self, Checked};
use crate::{output, unusable};

/// Variables that tie git to the repository whose hook started us.
const LOCAL_TO_A_REPOSITORY: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// What was done goes to standard output, what is wrong to standard error.
pub fn run(args: &Get, color: Color) -> u8 {
    let input = report::input(&args.path, &args.source).map_err(unusable);
    match input.and_then(|input| get(&input, args)) {
        Ok(checked) => report::print(&[checked], &args.report, color),
        Err(status) => status,
    }
}

fn get(input: &Input, args: &Get) -> Result<Checked, u8> {
    // What was done by directory, what failed by address: the directory may yet be filled from another one.
    let mut done: HashSet<PathBuf> = HashSet::new();
    let mut failures: HashMap<Arc<str>, Failure> = HashMap::new();
    loop {
        let (loaded, imports) = match report::load_remote(input, &args.source, &args.report).map_err(unusable)? {
            Ok(found) => found,
            Err(checked) => return Ok(checked),
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
                    return Err(unusable(format_args!("git is not installed: it fetches `{}`", import.clone_url)));
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

/// What is wrong with the imports of a program after everything was tried.
fn diagnostics(loaded: &Loaded, remote: &[RemoteImport], failures: &HashMap<Arc<str>, Failure>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> =
        remote.iter().filter_map(|import| failures.get(&import.clone_url)?.to_diagnostic(import.span)).collect();
    let explained: HashSet<Span> = diagnostics.iter().filter_map(|diagnostic| diagnostic.span).collect();
    for import in loaded.units.iter().flat_map(|unit| &unit.imports) {
        match &import.target {
            ImportTarget::Failed(failure) if !explained.contains(&import.span) => {
                diagnostics.push(failure.to_diagnostic(import.span));
            }
            ImportTarget::Failed(_) | ImportTarget::Unit(_) | ImportTarget::System => {}
        }
    }
    diagnostics
}

/// What became of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Fetched,
    Updated,
    /// Pulled, and there was nothing new.
    UpToDate,
    /// It was there, and was left alone.
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

/// Why a module is not there, or not up to date.
#[derive(Debug)]
enum Failure {
    /// There is no git, so no module can be had.
    NoGit,
    /// This module cannot be had.
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
                let message = format!("module `{url}` would lie outside of `{}`", module_directory.display());
                return Err(Failure::new(message));
            }
            if !is_occupied(target) {
                return fetch(url, target);
            }
            // A module is there, but without metadata; somebody may have added it since.
            let step = if update && is_clone(target) { pull(url, target)? } else { Step::Kept };
            if target.join("metadata.yaml").is_file() {
                return Ok(step);
            }
            let message = format!("module `{url}` has no `metadata.yaml` in `{}`", target.display());
            Err(Failure::with_help(message, "add it there (it may be empty), or remove the directory to fetch it anew"))
        }
    }
}

/// Whether a directory is the root of a work tree. Asking git would find a repository further up.
fn is_clone(directory: &Path) -> bool {
    directory.join(".git").exists()
}

/// Whether something lies there that a clone cannot replace.
fn is_occupied(target: &Path) -> bool {
    match std::fs::read_dir(target) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => target.symlink_metadata().is_ok(),
    }
}

fn fetch(url: &str, target: &Path) -> Result<Step, Failure> {
    let address = address(url)?;
    let cannot = |error: std::io::Error| {
        Failure::new(format!("module `{url}` cannot be put into `{}`: {}", target.display(), output::reason(&error)))
    };
    let parent = target.parent().unwrap_or(target);
    std::fs::create_dir_all(parent).map_err(cannot)?;
    let scratch = tempfile::Builder::new().prefix(".mclc-get-").tempdir_in(parent).map_err(cannot)?;
    let clone = scratch.path().join("clone");
    let mut command = git();
    command.args(["clone", "--quiet", "--recurse-submodules", "--"]).arg(address).arg(&clone);
    output_of(command).map_err(|said| {
        let help = format!("`git clone {url}` has to work without asking for anything");
        said.failure(format_args!("module `{url}` cannot be fetched"), &help)
    })?;
    if !clone.join("metadata.yaml").is_file() {
        let message = format!("repository `{url}` is not a module: it has no `metadata.yaml` in its root");
        return Err(Failure::with_help(message, "an empty file is enough; the module starts with `main.mcl` then"));
    }
    std::fs::rename(&clone, target).map_err(cannot)?;
    Ok(Step::Fetched)
}

fn pull(url: &str, directory: &Path) -> Result<Step, Failure> {
    let in_clone = |args: &[&str]| {
        let mut command = git();
        command.arg("-C").arg(directory).args(args);
        output_of(command).map_err(|said| {
            let help = format!("`git pull --ff-only` has to work in `{}`", directory.display());
            said.failure(format_args!("module `{url}` cannot be updated"), &help)
        })
    };
    let before = in_clone(&["rev-parse", "--verify", "HEAD"])?;
    in_clone(&["pull", "--quiet", "--ff-only"])?;
    in_clone(&["submodule", "--quiet", "update", "--init", "--recursive"])?;
    let after = in_clone(&["rev-parse", "--verify", "HEAD"])?;
    Ok(if before == after { Step::UpToDate } else { Step::Updated })
}

/// What git is told to clone. Only addresses that mean a repository elsewhere, or one on this machine: git knows others,
/// some of which run programs.
fn address(url: &str) -> Result<String, Failure> {
    let schemes = "the address of a module starts with `https://`, `http://`, `ssh://` or `git://`";
    let refused = || Failure::with_help(format!("`{url}` is no address of a repository"), schemes);
    let (scheme, rest) = url.split_once("://").ok_or_else(refused)?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if authority.starts_with('-') || host.starts_with('-') {
        return Err(Failure::new(format!("`{url}` is no address of a repository: no host name starts with a dash")));
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
    for variable in LOCAL_TO_A_REPOSITORY {
        command.env_remove(variable);
    }
    command
}

/// How a run of git failed.
enum GitError {
    NotInstalled,
    /// With its own words.
    Failed(String),
}

impl GitError {
    fn failure(self, what: std::fmt::Arguments<'_>, help: &str) -> Failure {
        match self {
            GitError::NotInstalled => Failure::NoGit,
            GitError::Failed(said) => Failure::with_help(format!("{what}: {said}"), help),
        }
    }
}

/// Runs git and gives what it prints.
fn output_of(mut command: Command) -> Result<Vec<u8>, GitError> {
    match command.output() {
        Ok(ran) if ran.status.success() => Ok(ran.stdout),
        Ok(ran) => {
            let said = said(&String::from_utf8_lossy(&ran.stderr));
            Err(GitError::Failed(said.unwrap_or_else(|| format!("git ended with {}", ran.status))))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(GitError::NotInstalled),
        Err(error) => Err(GitError::Failed(output::reason(&error))),
    }
}

/// The line of git's that tells why: the first that is marked as the cause, for others may follow with advice.
fn said(stderr: &str) -> Option<String> {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let causes = ["fatal: ", "error: ", "ssh: "];
    let cause = lines().find(|line| causes.iter().any(|cause| line.starts_with(cause)));
    let line = cause.or_else(|| lines().next())?;
    let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
    // The other end has a say in this text, but not in how the terminal behaves.
    Some(line.chars().filter(|c| !c.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str, message: &str) {
        let failure = format!("{:?}", address(url).expect_err(url));
        assert!(failure.contains(message), "{url}: {failure}");
    }

    #[test]
    fn addresses_are_of_repositories_elsewhere_or_on_this_machine() {
        for (url, want) in [
            ("https://host.example/u/app", "https://host.example/u/app"),
            ("HTTPS://host.example:8443/u/app/", "https://host.example:8443/u/app/"),
            ("ssh://git@host.example/u/app", "ssh://git@host.example/u/app"),
            ("git://host.example/u/app", "git://host.example/u/app"),
            ("git:///srv/git/app/", "file:///srv/git/app/"),
        ] {
            assert_eq!(address(url).ok().as_deref(), Some(want), "{url}");
        }
    }

    #[test]
    fn addresses_cannot_run_programs_or_pass_for_options() {
        refused("ext:/sh", "is no address");
        refused("ext://sh", "is no address");
        refused("file:///srv/git/app", "is no address");
        refused("https:///u/app", "is no address");
        refused("https:/u/app", "is no address");
        refused("ssh://-oProxyCommand=x/u/app", "starts with a dash");
        refused("ssh://git@-oProxyCommand=x/u/app", "starts with a dash");
        refused("ssh://-l@host.example/u/app", "starts with a dash");
    }

    #[test]
    fn the_cause_is_told_without_the_advice() {
        let ssh =
            "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\n";
        assert_eq!(said(ssh).as_deref(), Some("Could not read from remote repository."));
        let resolve = "ssh: Could not resolve hostname x\nfatal: Could not read from remote repository.\n";
        assert_eq!(said(resolve).as_deref(), Some("ssh: Could not resolve hostname x"));
        let detached = "You are not currently on a branch.\nPlease specify\n\n    git pull <remote> <branch>\n";
        assert_eq!(said(detached).as_deref(), Some("You are not currently on a branch."));
        assert_eq!(said("fatal: \u{1b}[2Jgone\n").as_deref(), Some("[2Jgone"));
        assert_eq!(said(" \n"), None);
    }
}
