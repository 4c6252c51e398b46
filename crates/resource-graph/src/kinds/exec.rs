//! `exec` (spec 05 §6.2).

use crate::validate::nothing_more;
use crate::{Check, Field, Kind, SendField, Traits};

pub(super) const EXEC: Kind = Kind {
    name: "exec",
    doc: "Runs a command, unless a guard says that there is nothing to do.",
    fields: &[
        Field::new("cmd", "str", "The command line; without a shell it is split at white space, with no quoting.")
            .default("the name"),
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
    validate: nothing_more,
};
