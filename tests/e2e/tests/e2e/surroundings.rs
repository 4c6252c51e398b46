//! What an agent finds where it runs: signals and limits of its parent, the rights of an ordinary user, a state directory that
//! cannot be written any more, a clock that jumps.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use test_support::eventually;

use crate::machine::skip;
use crate::support::{Agent, Ran, Scratch, bin, is_root, ran};

/// An ordinary user, if this test runs as root.
const USER: u32 = 12345;

/// Returns a command that runs `mgmt-rt` through other programs.
fn tool(scratch: &Scratch, through: &[&str], args: &[&str]) -> Command {
    let tool = bin().join("mgmt-rt");
    let words: Vec<&str> = through.iter().copied().chain(tool.to_str()).chain(args.iter().copied()).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(scratch.path("")).stdin(Stdio::null()).env("NO_COLOR", "1");
    command
}

fn start(mut command: Command) -> Agent {
    Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"))
}

/// What runs a program as an ordinary user. The scratch directory belongs to that user.
fn as_ordinary_user(scratch: &Scratch) -> Option<Vec<&'static str>> {
    if !is_root() {
        return Some(Vec::new());
    }
    let words = vec!["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--"];
    // The tools must be readable for others.
    let mut test = Command::new(words[0]);
    let is_readable = test.args(&words[1..]).args(["test", "-x"]).arg(bin().join("mgmt-rt")).status();
    if !is_readable.is_ok_and(|status| status.success()) {
        return skip("other users cannot run the tools");
    }
    std::os::unix::fs::chown(scratch.path(""), Some(USER), Some(USER)).expect("root may do that");
    std::fs::set_permissions(scratch.path(""), PermissionsExt::from_mode(0o755)).expect("ours");
    std::fs::set_permissions(scratch.path("main.bin"), PermissionsExt::from_mode(0o644)).expect("ours");
    Some(words)
}

#[test]
fn signals_that_the_parent_blocks_or_ignores_reach_the_agent() {
    let scratch = Scratch::new(
        "exec \"e\" {\n\tcmd => \"/bin/true\",\n}\nfile \"@/after\" {\n\tstate => \"exists\",\n\tDepend => Exec[\"e\"],\n}\n",
    );
    scratch.build();
    let through = ["env", "--block-signal=TERM,CHLD", "--ignore-signal=CHLD,TERM"];
    let mut agent = start(tool(&scratch, &through, &["apply", "main.bin", "--prefix", "state"]));
    eventually("the end of the command is noticed", || scratch.path("after").exists());
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
}

#[test]
fn file_over_the_limit_on_sizes_fails_alone() {
    let content = "x".repeat(100_000);
    let scratch = Scratch::new(&format!(
        "file \"@/d/large\" {{\n\tstate => \"exists\",\n\tcontent => \"{content}\",\n}}\n\
         file \"@/d/small\" {{\n\tstate => \"exists\",\n\tcontent => \"x\",\n}}\n\
         exec \"e\" {{\n\tcmd => \"head -c 100000 /dev/zero > @/d/written\",\n\tshell => \"/bin/sh\",\n}}\n",
    ));
    scratch.build();
    std::fs::create_dir(scratch.path("d")).expect("writable");
    let through = ["sh", "-c", "ulimit -f 8; exec \"$@\"", "sh"];
    let ran =
        ran(tool(&scratch, &through, &["apply", "main.bin", "--once", "--prefix", "state"]).output().expect("a shell"));
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.to_lowercase().contains("file too large"), "{}", ran.err);
    // Commands have the default: the signal ends them.
    assert!(ran.err.contains("exec[e]"), "{}", ran.err);
    let mut names = names(&scratch.path("d"));
    names.sort();
    assert_eq!(names, ["small", "written"]);
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn ordinary_user_makes_what_is_planned_and_nothing_else() {
    let scratch = Scratch::new(
        r#"file "@/program" {
	state => "exists",
	content => "x",
	mode => "6755",
}
file "@/given" {
	state => "exists",
	content => "x",
	owner => "root",
}
exec "as root" {
	cmd => "/bin/true",
	user => "root",
}
line "l" {
	file => "/etc/passwd",
	content => "x",
	state => "exists",
}
"#,
    );
    scratch.build();
    let Some(user) = as_ordinary_user(&scratch) else { return };
    let run = |args: &[&str]| -> Ran { ran(tool(&scratch, &user, args).output().expect("a tool")) };
    let planned = run(&["plan", "main.bin", "--prefix", "state"]);
    let applied = run(&["apply", "main.bin", "--once", "--prefix", "state"]);
    assert_eq!((planned.status, applied.status), (1, 1), "{}{}", planned.err, applied.err);
    assert!(applied.out.contains(" 1 change") || applied.err.contains(" 1 change"), "{}{}", applied.out, applied.err);
    let mode = std::fs::metadata(scratch.path("program")).expect("it is made").permissions().mode();
    assert_eq!(mode & 0o7777, 0o6755);
    assert!(!scratch.path("given").exists());
    for failed in ["file[", "exec[as root]", "line[l]"] {
        assert!(applied.err.contains(failed), "{}", applied.err);
    }
    let again = run(&["plan", "main.bin", "--prefix", "state"]);
    assert!(!again.out.contains("program]"), "{}", again.out);
}

#[test]
fn state_directory_that_becomes_read_only_stops_no_running_agent() {
    let scratch = Scratch::new(
        r#"file "@/kept" {
	state => "exists",
	content => "x",
	Meta:reverse => true,
}
exec "e" {
	cmd => "echo x >> @/ran",
	shell => "/bin/sh",
	watchfiles => ["@/input"],
}
"#,
    );
    scratch.build();
    let Some(user) = as_ordinary_user(&scratch) else { return };
    let mut agent = start(tool(&scratch, &user, &["apply", "main.bin", "--prefix", "state"]));
    let runs = || scratch.read("ran").unwrap_or_default().lines().count();
    eventually("the program is applied", || runs() > 0 && scratch.path("kept").exists());
    let set_writable = |mode: &str| {
        let status = Command::new("chmod").args(["-R", mode]).arg(scratch.path("state")).status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    set_writable("a-w");
    let before = runs();
    std::fs::remove_file(scratch.path("kept")).expect("it exists");
    std::fs::write(scratch.path("input"), "x").expect("writable");
    eventually("it is repaired and runs", || scratch.path("kept").exists() && runs() > before);
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
    let refused =
        ran(tool(&scratch, &user, &["apply", "main.bin", "--once", "--prefix", "state"]).output().expect("a tool"));
    assert!(refused.status == 1 && refused.err.contains("R0410"), "{}", refused.err);
    set_writable("u+w");
}

/// Returns the library that lets a program see another time.
fn faketime() -> Option<std::path::PathBuf> {
    let directories = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut libraries = directories.map(|directory| directory.path().join("faketime/libfaketimeMT.so.1"));
    libraries.find(|library| library.exists())
}

#[test]
fn clock_that_jumps_holds_nothing_up() {
    let Some(library) = faketime() else { return skip("faketime is not installed").unwrap_or_default() };
    let scratch = Scratch::new(
        r#"import "datetime"
import "fmt"
file "@/now" {
	state => "exists",
	content => fmt.printf("%d", datetime.now()),
}
exec "poll" {
	cmd => "echo x >> @/polled",
	shell => "/bin/sh",
	Meta:poll => 1,
}
file "@/later/file" {
	state => "exists",
	content => "x",
}
"#,
    );
    scratch.build();
    scratch.write("offset", "+0");
    let mut command = tool(&scratch, &[], &["apply", "main.bin", "--prefix", "state"]);
    command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", scratch.path("offset"));
    command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let mut agent = start(command);
    let now = || scratch.read("now").and_then(|now| now.parse::<i64>().ok());
    let polls = || scratch.read("polled").unwrap_or_default().lines().count();
    eventually("the program is applied", || now().is_some() && polls() > 0);
    // Half a day tells the jump from the time that this test takes.
    const HALF_A_DAY: i64 = 12 * 3600;
    for days in [-400, 0, 400, 0] {
        let (before, polls_before) = (now().expect("a time"), polls());
        let offset = scratch.path("offset.new");
        std::fs::write(&offset, format!("{:+}", days * 24 * 3600)).expect("writable");
        std::fs::rename(&offset, scratch.path("offset")).expect("writable");
        eventually("functions see the time", || now().is_some_and(|now| (now - before).abs() > HALF_A_DAY));
        eventually("intervals go on", || polls() > polls_before + 1);
    }
    std::fs::create_dir(scratch.path("later")).expect("writable");
    eventually("the failed resource is tried again", || scratch.path("later/file").exists());
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
}
