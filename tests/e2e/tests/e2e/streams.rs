//! Runs whose standard streams are closed, full or not read, and whose state directory is full, read-only or corrupted.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use test_support::eventually;

use crate::agent::Mount;
use crate::support::{Ran, Scratch, bin, ran};

const PROGRAM: &str = r#"file "@/f" { state => "exists", content => "x\n", }
exec "e" { cmd => "echo out; echo err >&2; touch @/e", shell => "/bin/sh", creates => "@/e", }
print "p" { msg => "hello", }
"#;

/// Runs `mgmt-rt` with these arguments from a shell that redirects its streams.
fn redirected(scratch: &Scratch, args: &str, redirections: &str) -> Ran {
    let line = format!("exec {} {args} {redirections}", bin().join("mgmt-rt").display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(scratch.path("")).stdin(Stdio::null()).env("NO_COLOR", "1");
    ran(shell.output().expect("a shell"))
}

/// What is opened first must not become the standard output of a command, nor the log be written to it.
#[test]
fn closed_and_full_streams_do_not_keep_a_program_from_being_applied() {
    for redirections in
        [">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", ">/dev/full 2>/dev/full", ">&- 2>&- --log-format json", "| true"]
    {
        let scratch = Scratch::new(PROGRAM);
        scratch.build();
        redirected(&scratch, "apply main.bin --once --prefix state --backup", redirections);
        assert_eq!(scratch.read("f").as_deref(), Some("x\n"), "{redirections}");
        assert_eq!(scratch.read("e").as_deref(), Some(""), "{redirections}");
        let again = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]);
        assert!(!again.out.contains("file[") && !again.out.contains("exec["), "{redirections}: {}", again.out);
    }
}

#[test]
fn status_of_a_run_does_not_depend_on_its_streams() {
    for redirections in [">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"] {
        let scratch = Scratch::new(PROGRAM);
        scratch.build();
        assert_eq!(redirected(&scratch, "apply main.bin --once --prefix state", redirections).status, 0);
        scratch.write("main.mcl", "file \"@/missing/f\" { state => \"exists\", }\n");
        scratch.build();
        assert_eq!(redirected(&scratch, "apply main.bin --once --prefix state", redirections).status, 1);
    }
}

/// Who reads a plan relies on it.
#[test]
fn plan_and_graph_that_cannot_be_written_fail() {
    let scratch = Scratch::new(PROGRAM);
    scratch.build();
    for (args, what) in [
        ("plan main.bin", "the plan"),
        ("plan main.bin --format json", "the plan"),
        ("plan main.bin -o kept.plan", "the plan"),
        ("graph main.bin", "the graph"),
    ] {
        let ran = redirected(&scratch, args, ">/dev/full");
        assert_eq!(ran.status, 1, "{args}: {}", ran.err);
        assert!(ran.err.contains(&format!("mgmt-rt: cannot write {what}: No space left")), "{args}: {}", ran.err);
        // A reader that ends early has what it wanted.
        let ran = redirected(&scratch, &format!("{args} 2>&1"), "| head -c 1");
        assert!(!ran.out.contains("cannot") && ran.err.is_empty(), "{args}: {}{}", ran.out, ran.err);
    }
    assert!(!scratch.path("f").exists());
}

#[test]
fn full_state_directory_is_one_error_and_changes_nothing() {
    let scratch = Scratch::new(PROGRAM);
    scratch.build();
    fs::create_dir(scratch.path("disk")).expect("writable");
    let Some(_mount) = Mount::new(&scratch.path("disk"), "size=64k,mode=0700") else { return };
    let fill = || {
        let _ = fs::write(scratch.path("disk/fill"), vec![0; 1 << 20]);
    };
    fill();
    let apply = || scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "disk/state"]);
    let first = apply();
    assert_eq!((first.status, first.err.matches("error[").count()), (1, 1), "{}{}", first.out, first.err);
    assert!(first.err.contains("R0410") && first.err.contains("No space left on device"), "{}", first.err);
    assert!(!scratch.path("f").exists() && !scratch.path("e").exists());
    fs::remove_file(scratch.path("disk/fill")).expect("it exists");
    let second = apply();
    assert_eq!(second.status, 0, "{}{}", second.out, second.err);
    // What needs no state is done without it.
    fill();
    fs::remove_file(scratch.path("f")).expect("it exists");
    let third = apply();
    assert_eq!((third.status, scratch.read("f").as_deref()), (0, Some("x\n")), "{}{}", third.out, third.err);
}

#[test]
fn corrupted_state_does_not_stop_the_agent_and_is_reported() {
    let program = r#"file "@/f" { state => "exists", content => "x\n", Meta:reverse => true, }
file "@/g" { state => "exists", content => "y\n", }
exec "e" { cmd => "echo ran >> @/ran", shell => "/bin/sh", refreshonly => true, Listen => File["@/g"], }
password "secret" { length => 8, saved => true, }
value "v" { any => "1", }
"#;
    let scratch = Scratch::new(program);
    let first = scratch.apply_once(&["--backup"]);
    assert_eq!(first.status, 0, "{}{}", first.out, first.err);
    let pending = |exec: &str| format!("+\"file\"\t\"{}\"\t\"exec\"\t\"{exec}\"\n", scratch.path("g").display());
    fs::write(scratch.path("state/engine/refresh"), format!("{}garbage\n\0\0\n", pending("e"))).expect("writable");
    for name in ["version", "identity", "unused", "lock", "temporaries"] {
        fs::write(scratch.path("state/engine").join(name), "\0\0\0").expect("writable");
    }
    let backups = scratch.read("state/engine/backups/index").unwrap_or_default();
    scratch.write("state/engine/backups/index", &format!("{{\"id\": 1}}\n{backups}"));
    for directory in ["reversals", "shared/value"] {
        let Ok(entries) = fs::read_dir(scratch.path("state/engine").join(directory)) else { continue };
        for path in entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()) {
            fs::write(path, "{\"kind\": \0").expect("writable");
        }
    }
    let ran = scratch.apply_once(&["--backup"]);
    let text = [&*ran.out, &*ran.err].concat();
    assert_eq!(scratch.read("ran").as_deref(), Some("ran\nran\n"), "the valid line is delivered: {text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cannot read 2 lines of") && words.contains("notifications may be lost"), "{text}");
    assert!(words.contains("invalid stored reversal"), "{text}");
    assert!(words.contains("cannot read 1 record of the index of backups"), "{text}");
    assert_eq!(scratch.read("state/engine/version").as_deref(), Some("1\n"));
    let again = scratch.apply_once(&["--backup"]);
    assert!(!again.out.contains("notifications may be lost"), "it is said once: {}", again.out);
    assert_eq!(scratch.read("ran").as_deref(), Some("ran\nran\n"), "it is delivered once");
}

#[test]
fn other_signals_do_not_end_a_single_run() {
    let scratch = Scratch::new("exec \"slow\" { cmd => \"touch @/started; exec sleep 60\", shell => \"/bin/sh\", }\n");
    scratch.build();
    let mut agent = scratch.apply(&["--once"]);
    eventually("the command runs", || scratch.path("started").exists());
    [Signal::PIPE, Signal::USR1, Signal::USR2].into_iter().for_each(|signal| agent.signal(signal));
    agent.signal(Signal::QUIT);
    assert_eq!(agent.ends(), 131);
}
