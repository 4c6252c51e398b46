//! `exec` (spec 05 §6.2).

use crate::validate::{Params, ValidationError};
use crate::{Check, Field, ResourceKind, SendField, Traits};

pub(super) const EXEC: ResourceKind = ResourceKind {
    name: "exec",
    doc: "Runs a command, unless a guard says that there is nothing to do.",
    fields: &[
        Field::new("cmd", "str", "The command line; without a shell it is split at white space, with no quoting.")
            .default_name(),
        Field::new("args", "[]str", "The arguments, when the words in `cmd` would not do."),
        Field::new("cwd", "str", "The directory to run in."),
        Field::new("shell", "str", "Run the command line with this shell: `SHELL -c CMD`."),
        Field::new("env", "map{str: str}", "The whole environment of every command of this resource."),
        Field::new("sig", "str", "The signal that stops the command, for example `SIGINT`.").default("\"SIGTERM\""),
        Field::new(
            "watchcmd",
            "str",
            "A long-running command; each line that it prints makes the resource check again.",
        ),
        Field::new("watchcwd", "str", "The directory to run `watchcmd` in."),
        Field::new("watchshell", "str", "The shell to run `watchcmd` with."),
        Field::new("watchfiles", "[]str", "Files whose changes make the resource check again.")
            .check(Check::AbsolutePath),
        Field::new("ifcmd", "str", "A guard: the command runs only if this one succeeds."),
        Field::new("ifcwd", "str", "The directory to run `ifcmd` in."),
        Field::new("ifshell", "str", "The shell to run `ifcmd` with."),
        Field::new("ifequals", "str", "The command does not run if `ifcmd` succeeds and prints exactly this.")
            .optional(),
        Field::new("ifequals_stdout", "str", "Like `ifequals`, but standard output alone.").optional(),
        Field::new("nifcmd", "str", "A guard: the command runs only if this one fails."),
        Field::new("nifcwd", "str", "The directory to run `nifcmd` in."),
        Field::new("nifshell", "str", "The shell to run `nifcmd` with."),
        Field::new("creates", "str", "A guard: the command does not run if this path exists.")
            .check(Check::AbsolutePath),
        Field::new(
            "mtimes",
            "[]str",
            "The command runs past all guards if one of these files changed since the last run.",
        )
        .check(Check::AbsolutePath),
        Field::new(
            "refreshonly",
            "bool",
            "Run only when a resource with a notifying edge to this one changed. mgmt has no such parameter; commands \
             that come from Puppet need it.",
        ),
        Field::new("donecmd", "str", "A command that runs after the main one succeeded."),
        Field::new("donecwd", "str", "The directory to run `donecmd` in."),
        Field::new("doneshell", "str", "The shell to run `donecmd` with."),
        Field::new("user", "str", "The user to run all commands as: a name or a number."),
        Field::new("group", "str", "The group to run all commands as: a name or a number."),
        Field::new("send_output", "str", "What to send as `output` when the command never ran.").optional(),
        Field::new("send_stdout", "str", "What to send as `stdout` when the command never ran.").optional(),
        Field::new("send_stderr", "str", "What to send as `stderr` when the command never ran.").optional(),
    ],
    sends: &[
        SendField::optional("output", "str"),
        SendField::optional("stdout", "str"),
        SendField::optional("stderr", "str"),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_exec,
};

/// Names of signals, as the runtime can send them.
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
    let command = p.text_or_name("cmd");
    let shell = p.text("shell");
    if command.trim().is_empty() {
        return Err(ValidationError::of("cmd", "the command is empty"));
    }
    if !p.list("args").is_empty() {
        if !shell.is_empty() {
            return Err(ValidationError::of(
                "args",
                "`args` has no meaning with `shell`, which takes the command as one text",
            ));
        }
        if command.split_whitespace().nth(1).is_some() {
            return Err(ValidationError::of(
                "args",
                format!("`args` needs a command without arguments, and it is {command:?}"),
            ));
        }
    }
    for (name, _) in p.entries("env") {
        let Some(name) = name.as_bytes() else { continue };
        if !is_variable_name(name) {
            return Err(ValidationError::of(
                "env",
                format!("{:?} is not the name of an environment variable", String::from_utf8_lossy(name)),
            )
            .help("it may have letters, digits and `_`, and no digit in front"));
        }
    }
    let signal = p.text("sig");
    if !signal.is_empty() && !SIGNALS.contains(&&*signal) {
        let upper = signal.to_ascii_uppercase();
        let full = if upper.starts_with("SIG") { upper } else { format!("SIG{upper}") };
        let error = ValidationError::of("sig", format!("there is no signal {signal:?}"));
        return Err(if SIGNALS.contains(&&*full) { error.help(format!("did you mean {full:?}?")) } else { error });
    }
    for param in ["watchfiles", "mtimes"] {
        if p.texts(param).any(|path| path.is_empty()) {
            return Err(ValidationError::of(param, format!("`{param}` must be absolute paths, and one is empty")));
        }
    }
    Ok(())
}

fn is_variable_name(name: &[u8]) -> bool {
    !name.first().is_none_or(u8::is_ascii_digit) && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use crate::{Resource, ResourceId, validate};

    #[track_caller]
    fn check(r: Resource, param: Option<&str>) {
        let result = validate(&r);
        assert_eq!(result.as_ref().err().and_then(|e| e.param.as_deref()), param, "{result:?}");
    }

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
