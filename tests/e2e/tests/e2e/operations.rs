//! The agent as a service: limits, its children, signals, exit statuses.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use rustix::process::Signal;

use test_support::eventually;

use crate::machine::skip;
use crate::support::{Agent, Scratch, bin, is_root, ran};

/// A program with many commands, each with a guard.
const MANY_COMMANDS: &str = r#"import "fmt"
import "iter"
for $index, $number in iter.range(200) {
	$name = fmt.printf("e%d", $number)
	exec "${name}" {
		cmd => "echo x >> @/open/ran; sleep 0.05",
		shell => "/bin/sh",
		ifcmd => "/bin/true",
	}
}
"#;

/// Makes the directory `@/open`, in which other users can make files.
fn make_open_directory(scratch: &Scratch) {
    std::fs::create_dir(scratch.path("open")).expect("writable");
    for (directory, mode) in [("", 0o755), ("open", 0o777)] {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(scratch.path(directory), permissions).expect("ours");
    }
}

/// Applies the program once under limits that a shell sets, and checks that all commands ran.
#[track_caller]
fn assert_all_run_under(limits: &str, prefix: &str) {
    let scratch = Scratch::new(MANY_COMMANDS);
    scratch.build();
    make_open_directory(&scratch);
    let tool = crate::support::bin().join("mgmt-rt");
    let apply = format!("{} apply main.bin --once --prefix {}", tool.display(), scratch.path(prefix).display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits} {apply}")]).current_dir(scratch.path("")).stdin(Stdio::null());
    let ran = ran(shell.output().expect("a shell"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("open/ran").expect("commands ran").lines().count(), 200);
}

#[test]
fn commands_wait_for_descriptors() {
    assert_all_run_under("ulimit -n 64; exec", "state");
}

#[test]
fn commands_wait_for_processes() {
    if !is_root() {
        return assert_all_run_under("exec prlimit --nproc=60", "state");
    }
    // Only root is exempt from this limit. The tools must be readable for others.
    let tool = crate::support::bin().join("mgmt-rt");
    let readable = Command::new("setpriv").args(["--reuid=12345", "--clear-groups", "test", "-x"]).arg(&tool).status();
    if !readable.is_ok_and(|status| status.success()) {
        return skip("other users cannot run the tools").unwrap_or_default();
    }
    assert_all_run_under("exec prlimit --nproc=40 setpriv --reuid=12345 --regid=12345 --clear-groups", "open/state");
}

#[test]
fn commands_get_the_soft_limit_of_the_agent() {
    // With the first instruction: the shell does nothing else before. Other identities go the same way.
    let program = |user: &str| {
        format!("exec \"e\" {{\n\tcmd => \"ulimit -n > @/open/limit\",\n\tshell => \"/bin/sh\",\n{user}}}\n")
    };
    let users = if is_root() { &["", "\tuser => \"nobody\",\n"][..] } else { &[""] };
    for (limit, user) in [100, 2000].into_iter().flat_map(|limit| users.iter().map(move |user| (limit, user))) {
        let scratch = Scratch::new(&program(user));
        scratch.build();
        make_open_directory(&scratch);
        let tool = crate::support::bin().join("mgmt-rt");
        let mut shell = Command::new("sh");
        let script = format!("ulimit -Sn {limit}; exec {} apply main.bin --once --prefix state", tool.display());
        let ran = ran(shell.args(["-c", &script]).current_dir(scratch.path("")).output().expect("a shell"));
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert_eq!(scratch.read("open/limit"), Some(format!("{limit}\n")), "{user}");
    }
}

#[test]
fn limit_is_raised_for_many_commands_and_not_inherited() {
    // Each of these commands takes descriptors as long as the agent runs.
    let scratch = Scratch::new(
        "import \"fmt\"\nimport \"iter\"\nfor $index, $number in iter.range(60) {\n\t$name = fmt.printf(\"w%d\", $number)\n\
         \texec \"${name}\" {\n\t\tcmd => \"ulimit -n >> @/limits\",\n\t\tshell => \"/bin/sh\",\n\
         \t\twatchcmd => \"exec sleep 1000\",\n\t\twatchshell => \"/bin/sh\",\n\t}\n}\n",
    );
    scratch.build();
    let tool = crate::support::bin().join("mgmt-rt");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -Sn 128; exec {} apply main.bin --prefix state", tool.display())]);
    shell.current_dir(scratch.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut agent = Agent(shell.spawn().expect("a shell"));
    let limits = || scratch.read("limits").unwrap_or_default();
    eventually("all commands ran", || limits().lines().count() >= 60);
    assert!(limits().lines().all(|limit| limit == "128"), "{}", limits());
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
}

/// A program whose commands leave their process ids in files, and never end.
const ENDLESS: &str = r#"import "os"
exec "tree" {
	cmd => "echo $$ > @/exec; (echo $BASHPID > @/child; exec sleep 1000) & exec sleep 1000",
	shell => "/bin/bash",
}
exec "watching" {
	cmd => "/bin/true",
	watchcmd => "echo $$ > @/watch; exec sleep 1000",
	watchshell => "/bin/sh",
}
print "p" {
	msg => os.system("echo $$ > @/system; exec sleep 1000") <|> "",
}
"#;

#[test]
fn killed_agent_leaves_no_children() {
    // The value of `os.system` never comes, so the others need a program of their own.
    let (resources, function) = ENDLESS.split_once("print").expect("both");
    for (program, files) in [
        (resources.replace("import \"os\"\n", ""), &["exec", "child", "watch"][..]),
        (format!("import \"os\"\nprint{function}"), &["system"]),
    ] {
        let scratch = Scratch::new(&program);
        scratch.build();
        let agent = scratch.apply(&[]);
        let process = |name: &&str| -> Option<i32> { scratch.read(name)?.trim().parse().ok() };
        eventually("the commands run", || files.iter().all(|name| process(name).is_some()));
        agent.signal(Signal::KILL);
        for name in files {
            let process = process(name).and_then(rustix::process::Pid::from_raw).expect("a process");
            eventually(&format!("{name} is gone"), || !is_running(process));
        }
    }
}

/// A shell script in place of an agent, for a shell with the program as its name: it starts a group, whose id it prints, and
/// ends before its guard runs. The guard reads the input of the script.
const AGENT_THAT_ENDS_FIRST: &str =
    "set -m; sleep 1000 >&- & echo $!; (exec >&-; sleep 0.3; exec \"$0\" helper guard $$) <&0 &";

/// The message to the guard that a group is about to be started.
fn announced_start() -> Vec<u8> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime).tv_sec;
    [&b"?"[..], &i32::try_from(now).expect("a small number").to_le_bytes()].concat()
}

#[test]
fn guard_that_starts_after_its_agent_is_gone_ends_what_it_started() {
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", AGENT_THAT_ENDS_FIRST]).arg(bin().join("mgmt-rt"));
    let mut agent = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
    let mut messages = agent.stdin.take().expect("a pipe");
    messages.write_all(&announced_start()).expect("a reader");
    let mut group = String::new();
    BufReader::new(agent.stdout.take().expect("a pipe")).read_line(&mut group).expect("a line");
    let group = group.trim().parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
    agent.wait().expect("a child");
    drop(messages);
    eventually("the group is gone", || !is_running(group));
}

#[test]
fn guard_works_where_its_session_has_no_id() {
    if !is_root() {
        return skip("a PID namespace needs root").unwrap_or_default();
    }
    // As in a container whose first process belongs to a session outside. That process adopts, and tells whether the group ends.
    let first = "group=$(bash -c \"$1\" \"$0\"); \
        for i in $(seq 300); do kill -0 -- -$group 2>/dev/null || exit 0; sleep 0.1; done; exit 1";
    let mut container = Command::new("unshare");
    container.args(["--pid", "--fork", "--mount-proc", "--kill-child", "/bin/bash", "-c", first]);
    container.arg(bin().join("mgmt-rt")).arg(AGENT_THAT_ENDS_FIRST).stdin(Stdio::piped());
    let mut container = container.spawn().expect("unshare is installed");
    container.stdin.take().expect("a pipe").write_all(&announced_start()).expect("a reader");
    assert!(container.wait().expect("a child").success(), "the group is gone");
}

/// Whether a process runs: one that has ended and was not reaped does not.
fn is_running(process: rustix::process::Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid())).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next()).is_some_and(|state| state != 'Z')
}

/// A command that leaves a daemon in a session of its own, which keeps the output of the command open.
const DAEMON: &str = r#"exec "start" {
	cmd => "setsid sh -c 'echo $$ > @/daemon; exec sleep 1000' & until test -s @/daemon; do sleep 0.01; done",
	shell => "/bin/sh",
	creates => "@/daemon",
}
file "@/after" {
	state => "exists",
	Depend => Exec["start"],
}
"#;

/// Returns a child of the agent with this word on its command line.
fn child_with(agent: &Agent, word: &str) -> Option<rustix::process::Pid> {
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", agent.0.id())).ok()?;
    let has_word = |id: &&str| {
        let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.split('\0').any(|found| found == word)
    };
    children.split_whitespace().find(has_word).and_then(|id| rustix::process::Pid::from_raw(id.parse().ok()?))
}

#[test]
fn daemon_in_a_session_of_its_own_outlives_the_agent() {
    // A run that ends, and an agent that is killed.
    for is_killed in [false, true] {
        let scratch = Scratch::new(DAEMON);
        if is_killed {
            scratch.build();
            let agent = scratch.apply(&[]);
            eventually("the program is applied", || scratch.path("after").exists());
            let guard = child_with(&agent, "guard").expect("the agent has a guard");
            agent.signal(Signal::KILL);
            eventually("the guard has ended", || !is_running(guard));
        } else {
            let ran = scratch.apply_once(&[]);
            assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        }
        let daemon = scratch.read("daemon").and_then(|id| rustix::process::Pid::from_raw(id.trim().parse().ok()?));
        let daemon = daemon.expect("a process id");
        assert!(is_running(daemon), "killed: {is_killed}");
        rustix::process::kill_process(daemon, Signal::KILL).expect("it runs");
    }
}

#[test]
fn command_of_another_user_has_the_groups_and_the_environment_of_that_user() {
    if !is_root() {
        return skip("running commands as another user needs root").unwrap_or_default();
    }
    let run = |user: &str, more: &str| {
        let scratch = Scratch::new(&format!(
            "exec \"e\" {{\n\tcmd => \"(id -u; id -g; id -G; echo $HOME $USER $LOGNAME) > @/open/out\",\n\
             \tshell => \"/bin/sh\",\n\tuser => \"{user}\",\n{more}}}\n"
        ));
        make_open_directory(&scratch);
        let ran = scratch.apply_once(&[]);
        (ran.status, scratch.read("open/out").unwrap_or_default(), ran.err)
    };
    let expected = |user: &str| {
        let id = |option: &str| Command::new("id").args([option, user]).output().expect("id runs").stdout;
        let lines = ["-u", "-g", "-G"].map(|option| String::from_utf8_lossy(&id(option)).into_owned());
        lines.concat()
    };
    for user in ["nobody", "daemon", "man"] {
        let (status, out, err) = run(user, "");
        assert_eq!(status, 0, "{err}");
        assert!(out.starts_with(&expected(user)), "{user}: {out}");
        assert!(out.trim_end().ends_with(&format!(" {user} {user}")), "{user}: {out}");
    }
    let (status, out, err) = run("daemon", "\tgroup => \"mail\",\n\tenv => {\"HOME\" => \"/x\",},\n");
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("\n8\n") && out.contains("\n/x daemon daemon\n"), "{out}");
    let (status, _, err) = run("nobody", "\tcwd => \"/root\",\n");
    assert_eq!(status, 1);
    assert!(err.contains("/root"), "{err}");
}

/// A program whose command has started once `@/started` exists, and ends after a minute.
const SLOW: &str = r#"exec "slow" {
	cmd => "touch @/started; exec sleep 60",
	shell => "/bin/sh",
}
"#;

/// Starts an agent with its output in `@/log`.
fn start_logged(scratch: &Scratch, more: &[&str]) -> Agent {
    scratch.build();
    // With `nohup`, as the tests may run, an agent would not load its program again.
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP").arg(bin().join("mgmt-rt")).args(["apply", "main.bin", "--prefix", "state"]);
    command.args(more).current_dir(scratch.path("")).stdin(Stdio::null()).env("NO_COLOR", "1");
    let log = std::fs::File::create(scratch.path("log")).expect("writable");
    let errors = log.try_clone().expect("a descriptor");
    Agent(command.stdout(log).stderr(errors).spawn().expect("the agent starts"))
}

#[test]
fn interrupted_single_run_ends_with_the_status_of_the_signal() {
    for (signals, status) in [
        (&[Signal::TERM, Signal::TERM][..], 143),
        (&[Signal::INT, Signal::INT], 130),
        (&[Signal::QUIT], 131),
        (&[Signal::INT, Signal::TERM, Signal::TERM], 130),
    ] {
        let scratch = Scratch::new(SLOW);
        let mut agent = start_logged(&scratch, &["--once"]);
        eventually("the command runs", || scratch.path("started").exists());
        for (count, signal) in signals.iter().enumerate() {
            // Two equal signals at once count as one.
            let is_handled = || scratch.read("log").is_some_and(|log| log.matches("interrupted").count() >= count);
            eventually("the signal before is handled", is_handled);
            agent.signal(*signal);
        }
        assert_eq!(agent.ends(), status, "{signals:?}");
    }
}

#[test]
fn agent_that_keeps_running_ends_successfully() {
    for signal in [Signal::TERM, Signal::INT, Signal::QUIT] {
        let scratch = Scratch::new("file \"@/f\" {\n\tstate => \"exists\",\n}\n");
        let mut agent = start_logged(&scratch, &[]);
        eventually("the file is made", || scratch.path("f").exists());
        agent.signal(signal);
        assert_eq!(agent.ends(), 0, "{signal:?}");
    }
}

#[test]
fn hangup_loads_the_program_again() {
    let program = |content: &str| format!("file \"@/f\" {{\n\tstate => \"exists\",\n\tcontent => \"{content}\",\n}}\n");
    let scratch = Scratch::new(&program("one"));
    let mut agent = start_logged(&scratch, &[]);
    eventually("the first program is applied", || scratch.read("f").as_deref() == Some("one"));
    scratch.write("main.mcl", &program("two"));
    scratch.build();
    agent.signal(Signal::HUP);
    eventually("the second program is applied", || scratch.read("f").as_deref() == Some("two"));
    std::fs::write(scratch.path("main.bin"), "garbage").expect("writable");
    agent.signal(Signal::HUP);
    let log = || scratch.read("log").unwrap_or_default();
    eventually("the invalid program is reported", || log().contains("A01") && log().contains("stays in force"));
    std::fs::remove_file(scratch.path("f")).expect("it exists");
    eventually("the second program stays in force", || scratch.read("f").as_deref() == Some("two"));
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
}

#[test]
fn lasting_failure_tells_its_attempts_and_since_when() {
    let scratch =
        Scratch::new("file \"@/missing/f\" {\n\tstate => \"exists\",\n\tMeta:retry => 2,\n\tMeta:delay => 600,\n}\n");
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 1);
    for text in ["(attempt 1, the next in 600 ms, 1 left after that)", "(attempt 3, failing for 1 s"] {
        assert!(ran.err.contains(text), "{text}: {}", ran.err);
    }
    let json = scratch.apply_once(&["--log-format", "json"]);
    let last = json.out.lines().rfind(|line| line.contains("\"event\":\"failed\"")).expect("a failure");
    let last: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(last["attempt"], 3);
    assert!(last["failing_ms"].as_u64().is_some_and(|time| time >= 1200), "{last}");
}

#[test]
fn state_is_printed_on_request() {
    let scratch =
        Scratch::new("file \"@/missing/f\" {\n\tstate => \"exists\",\n}\nfile \"@/g\" {\n\tstate => \"exists\",\n}\n");
    let mut agent = start_logged(&scratch, &[]);
    eventually("one file is made", || scratch.path("g").exists());
    eventually("the other fails", || scratch.read("log").is_some_and(|log| log.contains("missing/f")));
    agent.signal(Signal::USR2);
    agent.signal(Signal::USR1);
    eventually("the state is printed", || scratch.read("log").is_some_and(|log| log.contains("missing/f]: failing:")));
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
}

#[test]
fn reader_that_does_not_read_does_not_stop_the_agent() {
    let scratch = Scratch::new("file \"@/f\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n");
    scratch.build();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    // Almost full from the start.
    std::io::Write::write_all(&mut &writer, &[b'x'; 65_530]).expect("it fits");
    let mut command = scratch.command("mgmt-rt", &["apply", "main.bin", "--prefix", "state"]);
    let errors = writer.try_clone().expect("a descriptor");
    let mut agent = Agent(command.stdout(writer).stderr(errors).spawn().expect("the agent starts"));
    drop(command);
    for _ in 0..20 {
        eventually("the file is there", || scratch.path("f").exists());
        std::fs::remove_file(scratch.path("f")).expect("it exists");
    }
    eventually("the file is there again", || scratch.path("f").exists());
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
    drop(reader);
}

#[test]
fn json_log_has_times_levels_and_convergence() {
    let scratch = Scratch::new("file \"@/f\" {\n\tstate => \"exists\",\n}\n");
    let mut agent = start_logged(&scratch, &["--log-format", "json"]);
    let log = || scratch.read("log").unwrap_or_default();
    eventually("it converges", || log().contains("\"event\":\"converged\""));
    std::fs::remove_file(scratch.path("f")).expect("it exists");
    eventually("it diverges", || log().contains("\"event\":\"diverged\""));
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
    for line in log().lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect(line);
        let time = value["time"].as_str().expect(line);
        assert!(time.ends_with('Z') && time.contains('T'), "{line}");
        assert!(matches!(value["level"].as_str(), Some("info" | "warning" | "error")), "{line}");
    }
    assert!(log().lines().last().is_some_and(|line| line.contains("\"event\":\"summary\"")), "{}", log());
}

#[test]
fn control_characters_never_reach_the_log() {
    let scratch = Scratch::new(
        "exec \"e\" {\n\tcmd => \"printf 'a\\\\033[2J\\\\nb\\\\007' >&2; exit 3\",\n\tshell => \"/bin/sh\",\n}\n\
         print \"p\" {\n\tmsg => \"one\\ntwo\\r\",\n}\n",
    );
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 1);
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
    assert!(ran.err.contains("\\u{7}"), "{}", ran.err);
    assert!(ran.out.contains("one\\ntwo\\r"), "{}", ran.out);
}

#[test]
fn agent_starts_right_after_it_was_killed() {
    let scratch = Scratch::new(
        "import \"fmt\"\nimport \"iter\"\nfor $index, $number in iter.range(20) {\n\t$name = fmt.printf(\"e%d\", $number)\n\
         \texec \"${name}\" {\n\t\tcmd => \"/bin/true\",\n\t}\n}\n",
    );
    scratch.build();
    for _ in 0..30 {
        let agent = scratch.apply(&[]);
        eventually("it runs", || scratch.path("state/engine/lock").exists());
        agent.signal(Signal::KILL);
        drop(agent);
        let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
    }
}
