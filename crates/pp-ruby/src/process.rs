//! The helper process: which Ruby, which user, which limits.
//!
//! | limit | why |
//! | --- | --- |
//! | another user where this process is root's (`nobody`) | a template needs no file, and must not change one |
//! | no environment but `PATH`, `HOME`, `LANG` and `TZ` | credentials are often in the environment |
//! | no file can grow, no core is written | the same |
//! | address space | a template that makes a huge string ends, not the machine |
//! | nobody of the same user looks into it, and it ends what requests leave behind | one request must not reach the next |
//! | a PID namespace of its own where this process may create one | a request cannot kill the helper, nor outlive it |
//! | time for a request, of the clock, and twice that of the processor | loops |
//!
//! The script sets its limits before it reads the first request; a process cannot raise them again.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use child_process::{Identity, ProcessGroup, command_as, spawn_in_pid_namespace};
use nix::libc::SYS_prctl;
use nix::unistd::User;
use rustix::process::geteuid;

use crate::exchange::ENDED;
use crate::pipes::Pipes;

/// The script of the helper: what requests see, and how each is run.
const SCRIPT: &str = concat!(include_str!("helper.rb"), "\n", include_str!("requests.rb"));
/// Where Ruby is looked for. The search path of the environment could be anybody's.
const PROGRAMS: [&str; 3] = ["/opt/puppetlabs/puppet/bin/ruby", "/usr/bin/ruby", "/usr/local/bin/ruby"];
/// The account of the helper where this process is root's.
const ACCOUNT: &str = "nobody";

/// How long the helper has to end by itself.
const END_TIMEOUT: Duration = Duration::from_millis(500);
/// Time between two looks at whether it has.
const END_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The program and the limits of the helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The program; `None` for the first that is found.
    pub program: Option<PathBuf>,
    /// The time that a request may take, without what the compiler does for it.
    pub time: Duration,
    /// Maximum address space, in bytes.
    pub memory: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { program: None, time: Duration::from_secs(10), memory: 2 << 30 }
    }
}

/// Why the helper cannot be started.
#[derive(Debug)]
pub(crate) enum StartError {
    NoRuby,
    NoAccount,
    Unstartable {
        program: PathBuf,
        error: io::Error,
    },
    /// It ended while it was started.
    Ended,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NoRuby => write!(f, "Ruby is not installed: there is no {}", PROGRAMS.join(", ")),
            StartError::NoAccount => write!(f, "there is no account `{ACCOUNT}`, and it must not run as root"),
            StartError::Unstartable { program, error } => {
                write!(f, "`{}` cannot be started: {error}", program.display())
            }
            StartError::Ended => f.write_str(ENDED),
        }
    }
}

/// The running helper. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Helper {
    group: ProcessGroup,
    pub(crate) pipes: Pipes,
}

impl Helper {
    /// Starts the helper.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(crate) fn start(settings: &Settings) -> Result<Helper, StartError> {
        let found = || PROGRAMS.iter().map(Path::new).find(|path| path.is_file()).map(Path::to_owned);
        let program = settings.program.clone().or_else(found);
        let program = program.ok_or(StartError::NoRuby)?;
        let identity = identity()?;
        let mut command = command_as(identity.as_ref(), &program, "ruby");
        let seconds = settings.time.as_secs().max(1) * 2;
        command.args(["--disable=gems,did_you_mean,rubyopt", "-e", SCRIPT, "--"]).args([
            seconds.to_string(),
            settings.memory.to_string(),
            SYS_prctl.to_string(),
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).current_dir("/");
        command.env_clear().envs([("PATH", "/usr/bin:/bin"), ("HOME", "/"), ("LANG", "C.UTF-8")]);
        command.envs(std::env::var_os("TZ").map(|zone| ("TZ", zone)));
        let unstartable = |error: io::Error| StartError::Unstartable { program: program.clone(), error };
        let mut group = spawn_in_pid_namespace(&mut command, &|| false).map_err(unstartable)?;
        let (input, output) = (group.child().stdin.take(), group.child().stdout.take());
        let mut group = Ending(Some(group));
        let (Some(input), Some(output)) = (input, output) else { return Err(StartError::Ended) };
        let pipes = Pipes::new(input, output).map_err(unstartable)?;
        match group.0.take() {
            Some(group) => Ok(Helper { group, pipes }),
            None => Err(StartError::Ended),
        }
    }

    /// Returns the helper unless it has ended.
    pub(crate) fn if_running(self) -> Option<Helper> {
        (!self.group.has_ended()).then_some(self)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It ends what left its process group.
        self.pipes.close_input();
        let deadline = Instant::now() + END_TIMEOUT;
        while !self.group.has_ended() && Instant::now() < deadline {
            std::thread::sleep(END_POLL_INTERVAL);
        }
        self.group.kill_all();
    }
}

/// A group that is killed unless it is taken.
struct Ending(Option<ProcessGroup>);

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(group) = &mut self.0 {
            group.kill_all();
        }
    }
}

/// Returns the identity of the helper; `None` for that of this process.
fn identity() -> Result<Option<Identity>, StartError> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    match User::from_name(ACCOUNT) {
        Ok(Some(user)) if !user.uid.is_root() => {
            let (user, group) = (user.uid.as_raw(), user.gid.as_raw());
            Ok(Some(Identity { user, group, groups: Vec::new() }))
        }
        _ => Err(StartError::NoAccount),
    }
}
