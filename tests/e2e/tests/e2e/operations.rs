//! The agent as a service: limits, its children, signals, exit statuses.

use std::process::{Command, Stdio};

use rustix::process::Signal;

use test_support::eventually;

use crate::machine::skip;
use crate::support::{Scratch, is_root, ran};

/// A program with many commands, each with a guard.
const MANY_COMMANDS: &str = r#"import "fmt"
import "iter"
for $index, $number in iter.range(200) {
	$name = fmt.printf("e%d", $number)
	exec "${name}" {
		cmd => "echo x >> @/ran; sleep 0.05",
		shell => "/bin/sh",
		ifcmd => "/bin/true",
	}
}
"#;

/// Applies the program once under limits that a shell sets, and checks that all commands ran.
#[track_caller]
fn assert_all_run_under(limits: &str) {
    let scratch = Scratch::new(MANY_COMMANDS);
    scratch.build();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(scratch.path(""), open).expect("ours");
    let tool = crate::support::bin().join("mgmt-rt");
    let apply = format!("{} apply main.bin --once --prefix {}", tool.display(), scratch.path("state").display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits} {apply}")]).current_dir(scratch.path("")).stdin(Stdio::null());
    let ran = ran(shell.output().expect("a shell"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("ran").expect("commands ran").lines().count(), 200);
}

#[test]
fn commands_wait_for_descriptors() {
    assert_all_run_under("ulimit -n 64; exec");
}

#[test]
fn commands_wait_for_processes() {
    if !is_root() {
        return assert_all_run_under("exec prlimit --nproc=60");
    }
    // Only root is exempt from this limit. The tools must be readable for others.
    let tool = crate::support::bin().join("mgmt-rt");
    let readable = Command::new("setpriv").args(["--reuid=12345", "--clear-groups", "test", "-x"]).arg(&tool).status();
    if !readable.is_ok_and(|status| status.success()) {
        return skip("other users cannot run the tools").unwrap_or_default();
    }
    assert_all_run_under("exec prlimit --nproc=40 setpriv --reuid=12345 --regid=12345 --clear-groups");
}

#[test]
fn commands_get_the_soft_limit_of_the_agent() {
    let scratch =
        Scratch::new("exec \"e\" {\n\tcmd => \"sleep 0.1; ulimit -n > @/limit\",\n\tshell => \"/bin/sh\",\n}\n");
    scratch.build();
    let tool = crate::support::bin().join("mgmt-rt");
    let mut shell = Command::new("sh");
    let script = format!("ulimit -Sn 100; exec {} apply main.bin --once --prefix state", tool.display());
    let ran = ran(shell.args(["-c", &script]).current_dir(scratch.path("")).output().expect("a shell"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("limit").as_deref(), Some("100\n"));
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

/// Whether a process runs: one that has ended and was not reaped does not.
fn is_running(process: rustix::process::Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid())).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next()).is_some_and(|state| state != 'Z')
}

#[test]
fn command_of_another_user_has_the_groups_and_the_environment_of_that_user() {
    if !is_root() {
        return skip("running commands as another user needs root").unwrap_or_default();
    }
    let run = |user: &str, more: &str| {
        let scratch = Scratch::new(&format!(
            "exec \"e\" {{\n\tcmd => \"(id -u; id -g; id -G; echo $HOME $USER $LOGNAME) > @/out; pwd > @/cwd\",\n\
             \tshell => \"/bin/sh\",\n\tuser => \"{user}\",\n{more}}}\n"
        ));
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(scratch.path(""), open).expect("ours");
        let ran = scratch.apply_once(&[]);
        (ran.status, scratch.read("out").unwrap_or_default(), ran.err)
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
