//! `exec`: runs a command, optionally guarded (spec 05 §6.2).
//!
//! Commands run without a shell unless the program names one, and with exactly the environment in `env`. Guards run in noop
//! mode as well, because the planned change depends on them.

mod command;
mod stamp;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use child_process::Identity;
use mcl_value::{Str, Value};
use resource_graph::Resource;
use rustix::process::{Signal, getegid, geteuid};
use safe_fs::LastLink;

use crate::accounts::{account, group_id, user_id};
use crate::file_access::failure;
use crate::process::Output;
use crate::providers::exec::command::{CommandContext, CommandLine, LineCounter, Termination, last_line};
use crate::providers::exec::stamp::Stamp;
use crate::{Change, Context, Effects, Failure, Params, Provider, Scope, Uncertainty, Watch, WorkerClass};

/// The parameters that are sent, which are also the names of the files that cache them.
const KEYS: [&str; 3] = ["output", "stdout", "stderr"];

/// A run whose results could not be stored.
struct UnstoredRun {
    started: SystemTime,
    values: [Vec<u8>; 3],
}

struct Exec {
    /// The last run, if it is not in the state directory, for example because the disk is full.
    unstored: Option<UnstoredRun>,
    cmd: CommandLine,
    watchcmd: Option<CommandLine>,
    ifcmd: Option<CommandLine>,
    nifcmd: Option<CommandLine>,
    donecmd: Option<CommandLine>,
    ifequals: Option<Str>,
    ifequals_stdout: Option<Str>,
    creates: Option<PathBuf>,
    mtimes: Vec<PathBuf>,
    watchfiles: Vec<String>,
    /// Run the command only on a notification.
    refreshonly: bool,
    /// A parameter is secret, so the output of its commands may be.
    is_sensitive: bool,
    user: String,
    group: String,
    context: CommandContext,
    /// The values to send if a guard prevents the command from running and it never ran before.
    fallback: [Option<Str>; 3],
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Exec::read(&resources[0])?))
}

impl Exec {
    fn read(resource: &Resource) -> Result<Exec, Failure> {
        let params = Params::new(resource);
        let line = |cmd: &str, shell: &str, cwd: &str| -> Result<Option<CommandLine>, Failure> {
            Ok(CommandLine::parse(params.str(cmd)?, params.str(shell)?, params.str(cwd)?))
        };
        let text = match params.str("cmd")? {
            "" => &**params.name(),
            text => text,
        };
        let mut cmd = CommandLine::parse(text, params.str("shell")?, params.str("cwd")?)
            .ok_or_else(|| Failure::Invalid("the command is empty".to_owned()))?;
        cmd.words.extend(params.list("args")?);
        let creates = params.str("creates")?;
        Ok(Exec {
            unstored: None,
            cmd,
            watchcmd: line("watchcmd", "watchshell", "watchcwd")?,
            ifcmd: line("ifcmd", "ifshell", "ifcwd")?,
            nifcmd: line("nifcmd", "nifshell", "nifcwd")?,
            donecmd: line("donecmd", "doneshell", "donecwd")?,
            ifequals: params.opt_bytes("ifequals")?.cloned(),
            ifequals_stdout: params.opt_bytes("ifequals_stdout")?.cloned(),
            creates: (!creates.is_empty()).then(|| PathBuf::from(creates)),
            mtimes: params.absolute_paths("mtimes")?,
            watchfiles: params.list("watchfiles")?,
            refreshonly: params.bool("refreshonly")?,
            is_sensitive: !resource.sensitive.is_empty(),
            user: params.str("user")?.to_owned(),
            group: params.str("group")?.to_owned(),
            context: CommandContext {
                env: params.map("env")?.into_iter().collect(),
                cancel_signal: signal(params.str("sig")?)?,
                identity: None,
            },
            fallback: [
                params.opt_bytes("send_output")?.cloned(),
                params.opt_bytes("send_stdout")?.cloned(),
                params.opt_bytes("send_stderr")?.cloned(),
            ],
        })
    }

    /// Returns the command context with user and group resolved. They are resolved at each check because other resources may
    /// create the accounts first.
    fn command_context(&self) -> Result<CommandContext, Failure> {
        let mut context = self.context.clone();
        let group = (!self.group.is_empty()).then(|| group_id(&self.group)).transpose()?;
        let (current_user, current_group) = (geteuid().as_raw(), getegid().as_raw());
        let identity = if self.user.is_empty() {
            Identity { user: current_user, group: group.unwrap_or(current_group), groups: Vec::new() }
        } else {
            let user = user_id(&self.user)?;
            let account = account(user)?;
            let home = account.home.to_string_lossy().into_owned();
            for (variable, value) in [("HOME", &home), ("USER", &account.name), ("LOGNAME", &account.name)] {
                context.env.entry(variable.to_owned()).or_insert_with(|| value.clone());
            }
            Identity { user, group: group.unwrap_or(account.group), groups: account.groups }
        };
        let is_current = (identity.user, identity.group) == (current_user, current_group);
        context.identity = (!is_current).then_some(identity);
        Ok(context)
    }

    /// Returns the end of a command's output for a message.
    fn message(&self, output: &Output) -> String {
        if self.is_sensitive { "[output redacted]".to_owned() } else { last_line(output) }
    }

    /// Stores the results of a run for later processes.
    fn store(
        &self,
        cx: &Context<'_>,
        started: SystemTime,
        values: &[Vec<u8>; 3],
        cached: &[Option<Vec<u8>>; 3],
    ) -> Result<(), Failure> {
        let dir = cx.state_dir()?;
        for ((key, value), old) in KEYS.into_iter().zip(values).zip(cached) {
            if self.unstored.is_some() || old.as_ref() != Some(value) {
                cx.files().write(&dir.join(key), value, 0o600).map_err(failure)?;
            }
        }
        if !self.mtimes.is_empty() {
            cx.files().write(&dir.join("mtimes"), Stamp::of(started).to_string().as_bytes(), 0o600).map_err(failure)?;
        }
        Ok(())
    }

    /// Returns whether an input is newer than the last run.
    fn is_forced(&self, cx: &Context<'_>, last_run: Option<Stamp>) -> Result<bool, Failure> {
        // If the clock was set back since, times before and after it do not compare.
        let now = Stamp::of(cx.files().file_system().now());
        let last_run = last_run.filter(|last| *last <= now);
        for path in &self.mtimes {
            let Some(input) = cx.files().find(path, LastLink::Follow).map_err(failure)? else {
                return Err(Failure::io("look at", path, io::ErrorKind::NotFound));
            };
            if last_run.is_none_or(|last| last.is_before(input.stat.modified)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a guard prevents the command from running.
    fn is_guarded(&self, cx: &Context<'_>, context: &CommandContext) -> Result<bool, Failure> {
        if let Some(path) = &self.creates
            && cx.files().find(path, LastLink::Follow).map_err(failure)?.is_some()
        {
            return Ok(true);
        }
        if self.unknown_guard(cx).is_some() {
            return Ok(false);
        }
        if let Some(ifcmd) = &self.ifcmd {
            let (termination, output) = ifcmd.capture(context, cx.cancel())?;
            if exit_status("ifcmd", termination)? != 0
                || self.ifequals.as_ref().is_some_and(|e| e.as_bytes() == output.combined)
                || self.ifequals_stdout.as_ref().is_some_and(|e| e.as_bytes() == output.stdout)
            {
                return Ok(true);
            }
        }
        if let Some(nifcmd) = &self.nifcmd
            && exit_status("nifcmd", nifcmd.capture(context, cx.cancel())?.0)? == 0
        {
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns why it is not known whether the guards prevent the command from running: a plan runs commands on request only,
    /// and they do not see its earlier changes.
    fn unknown_guard(&self, cx: &Context<'_>) -> Option<&'static str> {
        let plan = cx.plan()?;
        let unseen = cx.unseen();
        let guards_are_unknown = !plan.run_commands || unseen.any;
        match (&self.ifcmd, &self.nifcmd, &self.creates) {
            (Some(_), _, _) if guards_are_unknown => Some("unless `ifcmd` prevents it"),
            (_, Some(_), _) if guards_are_unknown => Some("unless `nifcmd` prevents it"),
            (_, _, Some(_)) if unseen.elsewhere => Some("unless `creates` exists by then"),
            _ => None,
        }
    }
}

/// Returns the exit status; fails for a command that was killed.
fn exit_status(what: &str, termination: Termination) -> Result<i32, Failure> {
    match termination {
        Termination::Exited(status) => Ok(status),
        Termination::Signaled(signal) => Err(Failure::Command(format!("{what} was killed by signal {signal}"))),
    }
}

fn expect_success(what: &str, termination: Termination, message: &str) -> Result<(), Failure> {
    match exit_status(what, termination)? {
        0 => Ok(()),
        status => {
            let separator = if message.is_empty() { "" } else { ": " };
            Err(Failure::Command(format!("{what} error: exit status {status}{separator}{message}")))
        }
    }
}

fn signal(name: &str) -> Result<Signal, Failure> {
    let known = [
        ("SIGHUP", Signal::HUP),
        ("SIGINT", Signal::INT),
        ("SIGQUIT", Signal::QUIT),
        ("SIGABRT", Signal::ABORT),
        ("SIGKILL", Signal::KILL),
        ("SIGUSR1", Signal::USR1),
        ("SIGUSR2", Signal::USR2),
        ("SIGALRM", Signal::ALARM),
        ("SIGCONT", Signal::CONT),
        ("SIGSTOP", Signal::STOP),
        ("SIGWINCH", Signal::WINCH),
        ("SIGPIPE", Signal::PIPE),
        ("SIGTERM", Signal::TERM),
    ];
    match known.iter().find(|(n, _)| *n == name) {
        Some((_, signal)) => Ok(*signal),
        None if name.is_empty() => Ok(Signal::TERM),
        None => Err(Failure::Invalid(format!("unsupported signal `{name}`"))),
    }
}

fn send(cx: &mut Context<'_>, values: [Option<Vec<u8>>; 3]) {
    for (key, value) in KEYS.into_iter().zip(values) {
        cx.send(key, value.map(Value::str));
    }
}

impl Provider for Exec {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let context = self.command_context()?;
        let state = cx.existing_state_dir();
        let state = state.as_deref();
        let (cached, last_run) = match &self.unstored {
            Some(run) => (run.values.clone().map(Some), Some(Stamp::of(run.started))),
            None => {
                let stored = |name: &str| state.and_then(|dir| cx.files().read(&dir.join(name)).ok().flatten());
                (KEYS.map(stored), stored("mtimes").and_then(|text| Stamp::parse(&text)))
            }
        };
        let is_idle = self.refreshonly && !cx.refresh();
        let is_forced = !is_idle && self.is_forced(cx, last_run)?;
        if is_idle || (!is_forced && self.is_guarded(cx, &context)?) {
            let mut values = cached;
            for (value, fallback) in values.iter_mut().zip(&self.fallback) {
                if value.is_none() {
                    *value = fallback.as_ref().map(|f| f.as_bytes().to_vec());
                }
            }
            send(cx, values);
            return Ok(());
        }
        let guard = self.unknown_guard(cx).filter(|_| !is_forced);
        let uncertainty = guard.map(|guard| Uncertainty::MayNotHappen(guard.to_owned()));
        let text = format!("run `{}`", self.cmd.words.join(" "));
        if !cx.change(Change { uncertainty, ..Change::from(text) })? {
            send(cx, cached);
            return Ok(());
        }
        // An input that changes while the command runs forces another run.
        let started = cx.files().file_system().now();
        let (termination, output) = self.cmd.capture(&context, cx.cancel())?;
        expect_success("cmd", termination, &self.message(&output))?;
        if let Some(donecmd) = &self.donecmd {
            let (termination, output) = donecmd.capture(&context, cx.cancel())?;
            expect_success("donecmd", termination, &self.message(&output))?;
        }
        let values = [output.combined, output.stdout, output.stderr];
        // The command has succeeded, whether or not its results can be stored.
        let stored = if cx.state().is_some() { self.store(cx, started, &values, &cached) } else { Ok(()) };
        self.unstored = match stored {
            Ok(()) => None,
            Err(failure) => {
                cx.emit_message(format!("the results of the command are kept in memory only: {failure}"));
                Some(UnstoredRun { started, values: values.clone() })
            }
        };
        send(cx, values.map(Some));
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        let scope = |path: &str| if path.ends_with('/') { Scope::Recursive } else { Scope::Entry };
        let path = |path: &Path| Watch::Path(path.to_path_buf(), scope(&path.to_string_lossy()));
        let mut watches: Vec<Watch> = self.mtimes.iter().map(|p| path(p)).collect();
        watches.extend(self.watchfiles.iter().map(|p| path(Path::new(p))));
        watches.extend(self.creates.as_deref().map(path));
        if let (Some(line), Ok(context)) = (self.watchcmd.clone(), self.command_context()) {
            watches.push(Watch::Task(Box::new(move |task| {
                let mut lines = LineCounter::default();
                let termination = line.run(&context, &task.cancel, &mut |stream, bytes| {
                    if lines.count(stream, bytes) > 0 {
                        (task.wake)();
                    }
                })?;
                Err(Failure::Command(match termination {
                    Termination::Exited(0) => "watchcmd ended: reached EOF".to_owned(),
                    Termination::Exited(status) => format!("watchcmd errored: exit status {status}"),
                    Termination::Signaled(signal) => format!("watchcmd was killed by signal {signal}"),
                }))
            })));
        }
        watches
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Exec { unstored: self.unstored.take(), ..Exec::read(&resources[0])? };
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }

    fn effects(&self) -> Effects {
        Effects::Programs
    }

    fn depends_on_state(&self) -> bool {
        // Its changes say which guard may prevent them.
        false
    }

    fn converges(&self) -> bool {
        false
    }
}
