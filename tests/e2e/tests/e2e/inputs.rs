//! Files that functions read, while other programs write them.

use std::path::Path;
use std::process::{Command, Stdio};

use test_support::eventually;

use crate::support::{Agent, Scratch, is_root};

/// A program that makes a file for each word of a list, and removes it when the word leaves the list.
const LISTED: &str = r#"import "os"
import "strings"
for $index, $name in strings.split(strings.trim_space(os.readfile("@/list")), ",") {
	file "@/made-${name}" {
		state => "exists",
		content => "x",
		Meta:reverse => true,
	}
}
"#;

/// Runs a shell script that changes the list while an agent follows it, and returns the log once the list is `a,end`.
fn log_of(script: &str) -> String {
    let scratch = Scratch::new(LISTED);
    scratch.write("list", "a,b\n");
    scratch.build();
    let log = std::fs::File::create(scratch.path("log")).expect("writable");
    let mut command = scratch.command("mgmt-rt", &["apply", "main.bin", "--prefix", "state"]);
    let errors = log.try_clone().expect("a descriptor");
    let agent = command.stdout(log).stderr(errors).spawn().expect("the agent starts");
    let _agent = crate::support::Agent(agent);
    eventually("the first list is applied", || scratch.path("made-b").exists());
    let mut shell = Command::new("sh");
    let ran = shell.args(["-c", script]).current_dir(scratch.path("")).stdin(Stdio::null()).status();
    assert!(ran.expect("a shell").success());
    eventually("the last list is applied", || scratch.path("made-end").exists() && !scratch.path("made-b").exists());
    scratch.read("log").expect("a log")
}

#[test]
fn rewritten_list_is_never_seen_empty() {
    let log = log_of(
        "i=0; while [ $i -lt 300 ]; do echo a,b > list; sleep 0.00$((i % 4)); echo a,c > list; i=$((i+1)); done; \
         echo a,end > list",
    );
    assert!(!log.contains("made-a]: remove"), "{log}");
    assert!(!log.contains("made-]"), "{log}");
    assert_eq!(log.matches("made-a]: create").count(), 1, "{log}");
}

#[test]
fn list_of_a_slow_writer_is_read_when_it_is_closed() {
    let log = log_of("(printf a,; sleep 0.3; printf b,; sleep 0.3; echo end) > list; (sleep 1.5; echo a,end) > list");
    assert!(!log.contains("made-a]: remove"), "{log}");
    assert!(!log.contains("made-]"), "{log}");
}

#[test]
fn target_of_a_link_is_followed() {
    let scratch = Scratch::new(
        "import \"os\"\nfile \"@/copy\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@/link\"),\n}\n",
    );
    std::fs::create_dir(scratch.path("targets")).expect("writable");
    scratch.write("targets/one", "1");
    scratch.write("targets/two", "2");
    std::os::unix::fs::symlink("targets/one", scratch.path("link")).expect("writable");
    scratch.build();
    let _agent = scratch.apply(&[]);
    let is_copied = |content: &str| scratch.read("copy").as_deref() == Some(content);
    eventually("the target is read", || is_copied("1"));
    scratch.write("targets/one", "changed");
    eventually("the change of the target is seen", || is_copied("changed"));
    std::os::unix::fs::symlink("targets/two", scratch.path("new")).expect("writable");
    std::fs::rename(scratch.path("new"), scratch.path("link")).expect("writable");
    eventually("the other target is read", || is_copied("2"));
    scratch.write("targets/two", "changed again");
    eventually("the change of the other target is seen", || is_copied("changed again"));
}

#[test]
fn fifo_and_device_are_errors_at_once() {
    let scratch = Scratch::new("import \"os\"\nprint \"p\" {\n\tmsg => os.readfile(\"@/fifo\"),\n}\n");
    assert!(Command::new("mkfifo").arg(scratch.path("fifo")).status().expect("mkfifo runs").success());
    scratch.build();
    for args in [&["plan", "main.bin"][..], &["graph", "main.bin"], &["apply", "main.bin", "--once", "--tmp-prefix"]] {
        let ran = scratch.run("mgmt-rt", args);
        assert_eq!(ran.status, 1, "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("not a regular file"), "{args:?}: {}", ran.err);
    }
}

/// A file of the kernel that looks like a regular one, and whose readers wait for messages.
#[test]
fn file_of_the_kernel_that_makes_readers_wait_is_an_error_at_once() {
    for program in [
        "import \"os\"\nprint \"p\" {\n\tmsg => os.readfile(\"/proc/kmsg\"),\n}\n",
        "line \"l\" { file => \"/proc/kmsg\", content => \"x\", state => \"exists\", }\n",
        "file \"@/copy\" { source => \"/proc/kmsg\", state => \"exists\", }\n",
        "file \"@/copy\" { fragments => [\"/proc/kmsg\",], state => \"exists\", }\n",
        "gzip \"@/copy\" { input => \"/proc/kmsg\", }\n",
    ] {
        let scratch = Scratch::new(program);
        // An ordinary user may not open it.
        let ran = scratch.apply_once(&[]);
        assert_eq!(ran.status, 1, "{program}: {}{}", ran.out, ran.err);
        assert!(!is_root() || !exists("/proc/kmsg") || ran.err.contains("would wait"), "{program}: {}", ran.err);
    }
}

/// A program can hold a lease on its file, and the kernel lets others wait until it gives it up.
#[test]
fn file_that_another_program_leases_is_an_error_soon() {
    if !exists("/usr/bin/perl") {
        return test_support::skip("perl is not installed");
    }
    let scratch = Scratch::new("line \"l\" { file => \"@/leased\", content => \"x\", state => \"exists\", }\n");
    scratch.write("leased", "");
    // F_SETLEASE with F_WRLCK.
    let lease = "$SIG{IO} = 'IGNORE'; open(F, '+<', 'leased') or die; fcntl(F, 1024, 1) or die; open(G, '>', 'ready'); sleep 600";
    let mut perl = Command::new("/usr/bin/perl");
    let holder = perl.args(["-e", lease]).current_dir(scratch.path(".")).spawn().expect("perl starts");
    let _holder = Agent(holder);
    eventually("the file is leased", || exists(scratch.path("ready")));
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("another program holds a lease on it"), "{}", ran.err);
}

fn exists(path: impl AsRef<Path>) -> bool {
    path.as_ref().exists()
}
