//! Shell completions, which the tool computes when a shell asks.

use std::ffi::OsStr;
use std::io;

use clap::{CommandFactory, Parser};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::{CompleteEnv, Shells};
use clap_complete::{ArgValueCandidates, Shell};

use crate::tool::Tool;

/// Answers a request for completions, if this process was started for one, and ends it.
pub(crate) fn answer<C: Parser>(tool: &Tool) {
    CompleteEnv::with_factory(C::command).var(tool.completion_variable).complete();
}

/// Returns the script that makes a shell complete the arguments of a tool. The tool has to be on the search path.
///
/// # Errors
/// There are no completions for the shell.
pub fn completion_script<C: CommandFactory>(tool: &Tool, shell: Shell) -> io::Result<Vec<u8>> {
    let name = shell.to_string();
    let unknown = || io::Error::other(format!("no completions for {name}"));
    let shells = Shells::builtins();
    let completer = shells.completer(&name).ok_or_else(unknown)?;
    let mut script = Vec::new();
    completer.write_registration(tool.completion_variable, tool.name, tool.name, tool.name, &mut script)?;
    Ok(script)
}

/// Completes one of a list of words, each with a short description.
pub fn candidates<W, D>(words: impl Fn() -> Vec<(W, D)> + Send + Sync + 'static) -> ArgValueCandidates
where
    W: Into<String>,
    D: Into<String>,
{
    ArgValueCandidates::new(move || {
        let candidate =
            |(word, description): (W, D)| CompletionCandidate::new(word.into()).help(Some(description.into().into()));
        words().into_iter().map(candidate).collect::<Vec<_>>()
    })
}

/// Completes the paths of files with one of these extensions, and of directories, which may contain such files. `others` are
/// words that may stand instead of a path.
pub fn files_that(extensions: &'static [&'static str], others: &'static [&'static str]) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let fits = move |path: &std::path::Path| {
            path.is_dir() || path.extension().is_some_and(|extension| extensions.iter().any(|e| extension == *e))
        };
        let mut found = PathCompleter::file().filter(fits).complete(current);
        let text = current.to_string_lossy();
        let others = others.iter().filter(|word| !text.is_empty() && word.starts_with(&*text));
        found.extend(others.map(CompletionCandidate::new));
        found
    })
}
