//! Commands and services.

use crate::attribute::{name, parameter, property, provider};
use crate::resource_type::ResourceType;
use crate::rule::Rule;
use crate::values::Pattern;

pub(crate) static EXEC: ResourceType = ResourceType::new(
    "exec",
    "Runs a command.",
    &[
        name("command", "The command, or a list of its words.").matching(Pattern::Text),
        parameter("path", "The directories in which commands are searched."),
        parameter("user", "The user that runs the command."),
        parameter("group", "The group that runs the command."),
        parameter("cwd", "The directory in which the command runs.").matching(Pattern::AbsolutePath),
        parameter("logoutput", "Whether the output is logged.").words(&["true", "false", "on_failure"]),
        parameter("refresh", "The command that runs when the resource is refreshed."),
        parameter("environment", "Variables of the environment, as `NAME=value`.").matching(Pattern::Assignment),
        parameter("umask", "The umask of the command.").matching(Pattern::Umask),
        parameter("timeout", "How long the command may run, in seconds; 0 for no limit.").matching(Pattern::Number),
        parameter("tries", "How often the command is tried.").matching(Pattern::Positive),
        parameter("try_sleep", "How long to wait between tries, in seconds.").matching(Pattern::NonNegative),
        parameter("refreshonly", "Whether the command runs only when the resource is refreshed.").boolean(),
        parameter("creates", "Files that keep the command from running if all exist.").matching(Pattern::AbsolutePath),
        parameter("unless", "Commands that keep the command from running if one succeeds."),
        parameter("onlyif", "Commands that must all succeed for the command to run."),
        provider(),
        property("returns", "The exit codes that mean success."),
    ],
)
.not_isomorphic()
.with_rules(&[Rule::QualifiedCommands]);

pub(crate) static SERVICE: ResourceType = ResourceType::new(
    "service",
    "A service of the system.",
    &[
        parameter("logonpassword", "The password of the account that the service uses.")
            .needs("manages_logon_credentials"),
        parameter("binary", "The path of the program."),
        parameter("hasstatus", "Whether the init script can report the status.").boolean(),
        name("name", "The name."),
        parameter("path", "Where init scripts are."),
        parameter("pattern", "What the process table is searched for if there is no status."),
        parameter("restart", "The command that restarts the service."),
        parameter("start", "The command that starts the service."),
        parameter("status", "The command that reports the status."),
        parameter("stop", "The command that stops the service."),
        parameter("control", "The variable that controls the service."),
        parameter("hasrestart", "Whether the init script can restart the service.").boolean(),
        parameter("manifest", "The manifest that configures the service, or the command that does."),
        parameter("timeout", "How long to wait for a change of state, in seconds.").needs("configurable_timeout"),
        provider(),
        property("ensure", "Whether the service runs.").words(&["stopped", "false", "running", "true"]),
        property("enable", "Whether the service starts with the system.")
            .words(&["true", "false", "manual", "mask", "delayed"])
            .needs("enableable"),
        property("logonaccount", "The account that the service uses.").needs("manages_logon_credentials"),
        property("flags", "The flags with which the service starts.").needs("flaggable"),
    ],
);
