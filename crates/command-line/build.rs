//! Tells the compiler which commit is built, and how.
//!
//! Nothing of it depends on the time of the build, so that a build can be reproduced: the date is that of the commit, or what
//! `SOURCE_DATE_EPOCH` says (seconds since 1970, as packagers set it). Without git, as in a released archive, both are
//! `unknown`.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let commit = Commit::of(&root).unwrap_or_default();
    let commit_date = if commit.hash.is_empty() { "unknown" } else { &commit.date };
    let date = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| date_of(&seconds));
    let hash = if commit.hash.is_empty() { "unknown" } else { &commit.hash };
    let rustc = std::env::var_os("RUSTC").and_then(|rustc| output(Command::new(rustc).arg("--version")));
    for (name, value) in [
        ("BUILD_COMMIT", hash),
        ("BUILD_COMMIT_SHORT", hash.get(..7).unwrap_or(hash)),
        ("BUILD_DATE", date.as_deref().unwrap_or(commit_date)),
        ("BUILD_TARGET", &std::env::var("TARGET").unwrap_or_default()),
        ("BUILD_RUSTC", rustc.as_deref().unwrap_or("unknown")),
    ] {
        println!("cargo::rustc-env={name}={value}");
    }
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    println!("cargo::rerun-if-changed=build.rs");
    for path in &commit.watched {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// The commit that is checked out.
#[derive(Default)]
struct Commit {
    hash: String,
    /// In the form 2026-01-31.
    date: String,
    /// The files of git that change with the commit.
    watched: Vec<String>,
}

impl Commit {
    /// Returns the commit of the repository at `root`; `None` if `root` is not the top of one.
    fn of(root: &Path) -> Option<Commit> {
        let git = |args: &[&str]| output(Command::new("git").arg("-C").arg(root).args(args));
        let top = git(&["rev-parse", "--show-toplevel"])?;
        // The sources of a released archive may lie in somebody else's repository.
        if Path::new(&top).canonicalize().ok()? != root.canonicalize().ok()? {
            return None;
        }
        let shown = git(&["show", "--no-patch", "--format=%H %cs", "HEAD"])?;
        let (hash, date) = shown.split_once(' ')?;
        let path = |name| git(&["rev-parse", "--path-format=absolute", "--git-path", name]);
        let watched = ["HEAD", "logs/HEAD"].into_iter().filter_map(path).filter(|path| Path::new(path).exists());
        Some(Commit { hash: hash.to_owned(), date: date.to_owned(), watched: watched.collect() })
    }
}

/// Returns the first line that a command prints; `None` if it fails.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.lines().next()?.trim().to_owned())
}

/// Returns the date of a number of seconds since 1970, in the form 2026-01-31.
fn date_of(seconds: &str) -> Option<String> {
    let seconds = format!("@{}", seconds.parse::<u64>().ok()?);
    output(Command::new("date").args(["-u", "-d", &seconds, "+%Y-%m-%d"]))
}
