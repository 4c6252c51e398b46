//! `exec` (spec 05 §6.2).

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder};
use crate::kinds::account::{want_group, want_user};
use crate::kinds::file::file_identity;
use crate::kinds::package::package_file_identity;
use crate::{AutoEdges, Check, Field, Params, ResourceKind, SendField, Traits, ValidationError};

pub(super) const EXEC: ResourceKind = ResourceKind {
    name: "exec",
    doc: "Runs a command unless a guard prevents it.",
    example: r#"exec "index the site" {
	cmd => "/usr/local/bin/make-index /srv/site",
	creates => "/srv/site/index.html",
}"#,
    fields: &[
        Field::new(
            "cmd",
            "str",
            "The command line; without a shell it is split at whitespace, without regard to quotes.",
        )
        .default_name(),
        Field::new("args", "[]str", "The arguments, if `cmd` is only the program."),
        Field::new("cwd", "str", "The working directory."),
        Field::new("shell", "str", "The shell to run the command line with, as `SHELL -c CMD`."),
        Field::new("env", "map{str: str}", "The complete environment of every command of the resource."),
        Field::new("sig", "str", "The signal that stops the command, such as `SIGINT`.").default("\"SIGTERM\""),
        Field::new("watchcmd", "str", "A long-running command; each line that it prints triggers a new check."),
        Field::new("watchcwd", "str", "The working directory of `watchcmd`."),
        Field::new("watchshell", "str", "The shell to run `watchcmd` with."),
        Field::new("watchfiles", "[]str", "Files whose changes trigger a new check.").check(Check::AbsolutePath),
        Field::new("ifcmd", "str", "A guard: the command runs only if this one succeeds."),
        Field::new("ifcwd", "str", "The working directory of `ifcmd`."),
        Field::new("ifshell", "str", "The shell to run `ifcmd` with."),
        Field::new("ifequals", "str", "The command does not run if `ifcmd` succeeds and prints exactly this.")
            .optional(),
        Field::new("ifequals_stdout", "str", "Like `ifequals`, but compares only standard output.").optional(),
        Field::new("nifcmd", "str", "A guard: the command runs only if this one fails."),
        Field::new("nifcwd", "str", "The working directory of `nifcmd`."),
        Field::new("nifshell", "str", "The shell to run `nifcmd` with."),
        Field::new("creates", "str", "A guard: the command does not run if this path exists.")
            .check(Check::AbsolutePath),
        Field::new(
            "mtimes",
            "[]str",
            "The command runs regardless of the guards if one of these files has changed since the last run.",
        )
        .check(Check::AbsolutePath),
        Field::new(
            "refreshonly",
            "bool",
            "Run only on a refresh. mgmt has no such parameter; commands translated from Puppet need it.",
        ),
        Field::new("donecmd", "str", "A command to run after the main one has succeeded."),
        Field::new("donecwd", "str", "The working directory of `donecmd`."),
        Field::new("doneshell", "str", "The shell to run `donecmd` with."),
        Field::new("user", "str", "The user to run all commands as: a name or a number."),
        Field::new("group", "str", "The group to run all commands as: a name or a number."),
        Field::new("send_output", "str", "The value to send as `output` if the command has never run.").optional(),
        Field::new("send_stdout", "str", "The value to send as `stdout` if the command has never run.").optional(),
        Field::new("send_stderr", "str", "The value to send as `stderr` if the command has never run.").optional(),
    ],
    sends: &[
        SendField::optional("output", "str"),
        SendField::optional("stdout", "str"),
        SendField::optional("stderr", "str"),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_exec,
    autoedges: AutoEdges { wants: want_programs_and_accounts, ..AutoEdges::NONE },
    refresh_parameter: Some("refreshonly"),
    ..ResourceKind::BASE
};

/// The names of the signals that the runtime can send.
pub const SIGNALS: [&str; 31] = [
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGKILL",
    "SIGPIPE",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];

fn validate_exec(p: &Params<'_>) -> Result<(), ValidationError> {
    let command = p.string_or_name("cmd");
    let shell = p.string("shell");
    if command.trim().is_empty() {
        return Err(ValidationError::of("cmd", "empty command"));
    }
    if !p.list("args").is_empty() {
        if !shell.is_empty() {
            return Err(ValidationError::of("args", "`args` and `shell` are mutually exclusive"));
        }
        if command.split_whitespace().nth(1).is_some() {
            return Err(ValidationError::of(
                "args",
                format!("`args` requires a command without arguments, found {command:?}"),
            ));
        }
    }
    for (name, _) in p.entries("env") {
        let Some(name) = name.as_bytes() else { continue };
        if !is_variable_name(name) {
            return Err(ValidationError::of(
                "env",
                format!("invalid name of an environment variable: {:?}", String::from_utf8_lossy(name)),
            )
            .help("a name consists of letters, digits and `_`, and does not start with a digit"));
        }
    }
    let signal = p.string("sig");
    if !signal.is_empty() && !SIGNALS.contains(&&*signal) {
        let upper = signal.to_ascii_uppercase();
        let full = if upper.starts_with("SIG") { upper } else { format!("SIG{upper}") };
        let error = ValidationError::of_value("sig", format!("unknown signal {signal:?}"));
        return Err(if SIGNALS.contains(&&*full) { error.help(format!("did you mean {full:?}?")) } else { error });
    }
    for param in ["watchfiles", "mtimes"] {
        if p.strings(param).any(|path| path.is_empty()) {
            return Err(ValidationError::of_value(param, format!("empty path in `{param}`")));
        }
    }
    Ok(())
}

fn is_variable_name(name: &[u8]) -> bool {
    !name.first().is_none_or(u8::is_ascii_digit) && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Commands come after the package or the file of the program that they run, and after their user and group.
fn want_programs_and_accounts(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    let p = &input.params;
    for (command, shell) in [
        ("cmd", "shell"),
        ("watchcmd", "watchshell"),
        ("ifcmd", "ifshell"),
        ("nifcmd", "nifshell"),
        ("donecmd", "doneshell"),
    ] {
        let line = if command == "cmd" { p.string_or_name(command) } else { p.string(command) };
        let shell = p.string(shell);
        let program = if line.is_empty() || shell.is_empty() { line.split_whitespace().next() } else { Some(&*shell) };
        if let Some(program) = program {
            edges.needs(&package_file_identity(program));
            edges.needs(&file_identity(program));
        }
    }
    want_user(&p.string("user"), edges);
    want_group(&p.string("group"), edges);
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use crate::validate::tests::check;
    use crate::{Resource, ResourceId, validate};

    fn exec(name: &str) -> Resource {
        Resource::new(ResourceId::new("exec", name))
    }

    #[test]
    fn commands_and_arguments() {
        check(exec("ls -l"), None);
        check(exec("  "), Some("cmd"));
        check(exec("ls").with("args", Value::list(["-l"])), None);
        check(exec("ls -l").with("args", Value::list(["-a"])), Some("args"));
        check(exec("ls").with("args", Value::list(["-l"])).with("shell", "/bin/sh"), Some("args"));
    }

    #[test]
    fn environment_names() {
        let env = |name: &str| exec("ls").with("env", Value::map([(name.into(), "x".into())]));
        for good in ["A", "_", "a1_B"] {
            check(env(good), None);
        }
        for bad in ["", "1A", "A-B", "A=B", "é"] {
            check(env(bad), Some("env"));
        }
    }

    #[test]
    fn signals_are_suggested() {
        check(exec("ls").with("sig", "SIGINT"), None);
        for near in ["sigint", "INT", "int"] {
            let error = validate(&exec("ls").with("sig", near)).unwrap_err();
            assert_eq!(error.help.as_deref(), Some("did you mean \"SIGINT\"?"));
        }
        assert_eq!(validate(&exec("ls").with("sig", "FOO")).unwrap_err().help, None);
    }

    #[test]
    fn paths_must_be_absolute() {
        check(exec("ls").with("creates", "x"), Some("creates"));
        check(exec("ls").with("mtimes", Value::list(["x"])), Some("mtimes"));
        check(exec("ls").with("watchfiles", Value::list(["/x", ""])), Some("watchfiles"));
    }
}
