//! A plan in a file is applied as it was shown, or not at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Stdio;

use rustix::process::Signal;
use test_support::{eventually, skip};

use crate::agent::Mount;
use crate::support::{Agent, Ran, Scratch, is_root};

const NOBODY: u32 = 65534;

const PROGRAM: &str = r#"
file "@/d/" { state => "exists", }
file "@/d/a" { state => "exists", content => "hello\n", mode => "0600", }
line "l" { file => "@/f", state => "exists", content => "x", }
exec "e" { cmd => "echo ran >>@/out", shell => "/bin/sh", refreshonly => true, Listen => File["@/d/a"], }
"#;

/// Builds a program and keeps its plan as `p.plan`. The file `f` contains `one`.
fn planned(program: &str) -> Scratch {
    let scratch = Scratch::new(program);
    scratch.write("f", "one\n");
    scratch.build();
    let plan = plan(&scratch);
    assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
    scratch
}

fn plan(scratch: &Scratch) -> Ran {
    scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "-o", "p.plan"])
}

fn apply(scratch: &Scratch, more: &[&str]) -> Ran {
    scratch.run("mgmt-rt", &[&["apply", "--plan", "p.plan"], more].concat())
}

#[track_caller]
fn assert_refused(scratch: &Scratch, ran: &Ran, code: &str, why: &str) {
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains(code) && words(&ran.err).contains(why), "{}", ran.err);
    assert_eq!(ran.err.matches("error[").count(), 1, "{}", ran.err);
    assert!(!scratch.path("d").exists() && !scratch.path("out").exists());
}

/// Returns a message without the breaks of its lines.
fn words(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[test]
fn a_kept_plan_is_applied_as_it_was_shown() {
    let scratch = planned(PROGRAM);
    assert!(!scratch.path("d").exists());
    // The plan contains the program.
    fs::remove_file(scratch.path("main.bin")).unwrap();
    let ran = apply(&scratch, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("d/a").as_deref(), Some("hello\n"));
    assert_eq!(scratch.read("f").as_deref(), Some("one\nx\n"));
    assert_eq!(scratch.read("out").as_deref(), Some("ran\n"));
    let again = apply(&scratch, &[]);
    assert_eq!(again.status, 1, "{}{}", again.out, again.err);
    let why = format!("file[{}]: no change (planned: create the directory)", scratch.path("d/").display());
    assert!(words(&again.err).replace(' ', "").contains(&why.replace(' ', "")), "{}", again.err);
}

#[test]
fn a_plan_is_refused_after_an_edit_that_keeps_the_texts_of_its_changes() {
    let scratch = planned(PROGRAM);
    scratch.write("f", "two\n");
    assert_refused(&scratch, &apply(&scratch, &[]), "R0415", "with other contents");
    assert_eq!(scratch.read("f").as_deref(), Some("two\n"));
    scratch.write("f", "one\n");
    assert_eq!(apply(&scratch, &[]).status, 0, "it applies again");
}

#[test]
fn a_plan_is_refused_if_it_is_not_for_this_program_or_state_directory() {
    let scratch = planned(PROGRAM);
    assert_refused(&scratch, &apply(&scratch, &["--prefix", "other"]), "R0415", "its state directory is");
    let built = fs::read(scratch.path("main.bin")).unwrap();
    scratch.write("main.mcl", &PROGRAM.replace("hello", "other"));
    scratch.build();
    let why = "is not the program that was planned";
    assert_refused(&scratch, &apply(&scratch, &[]), "R0415", why);
    let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--plan", "p.plan"]);
    assert_refused(&scratch, &ran, "R0415", why);
    fs::write(scratch.path("main.bin"), built).unwrap();
    let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--plan", "p.plan", "--prefix", "state"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn a_catalog_is_part_of_the_plan() {
    let scratch = Scratch::new("");
    let catalog = |content: &str| {
        let text = r#"{"name": "n", "version": 1, "environment": "e", "classes": [], "edges": [], "resources": [
            {"type": "File", "title": "@/f", "parameters": {"ensure": "file", "content": "CONTENT"}}]}"#;
        scratch.write("catalog.json", &text.replace("CONTENT", content));
    };
    catalog("one");
    let args = ["plan", "--puppet", "catalog.json", "--prefix", "state", "-o", "p.plan"];
    let plan = scratch.run("mgmt-rt", &args);
    assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
    catalog("two");
    assert_refused(&scratch, &apply(&scratch, &[]), "R0415", "has changed");
    catalog("one");
    let ran = apply(&scratch, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("f").as_deref(), Some("one"));
}

#[test]
fn every_corruption_of_a_plan_is_found() {
    let scratch = planned(PROGRAM);
    let bytes = fs::read(scratch.path("p.plan")).unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 15) {
        let mut corrupted = bytes.clone();
        corrupted[at] ^= 1;
        fs::write(scratch.path("p.plan"), corrupted).unwrap();
        assert_refused(&scratch, &apply(&scratch, &[]), "[A01", "p.plan: ");
    }
    fs::write(scratch.path("p.plan"), &bytes[..bytes.len() / 2]).unwrap();
    assert_refused(&scratch, &apply(&scratch, &[]), "A0103", "p.plan: ");
    // A program is not a plan, and a plan is not a program.
    fs::write(scratch.path("p.plan"), fs::read(scratch.path("main.bin")).unwrap()).unwrap();
    assert_refused(&scratch, &apply(&scratch, &[]), "A0105", "mgmt-rt plan");
    fs::write(scratch.path("p.plan"), &bytes).unwrap();
    let ran = scratch.run("mgmt-rt", &["apply", "p.plan", "--once", "--prefix", "state"]);
    assert_refused(&scratch, &ran, "A0105", "mgmt-rt apply --plan");
}

#[test]
fn a_plan_that_others_can_use_is_refused() {
    let scratch = planned(PROGRAM);
    let path = scratch.path("p.plan");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert_refused(&scratch, &apply(&scratch, &[]), "R0414", "has the mode 0640");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    if is_root() {
        chown(&path, Some(NOBODY), None).unwrap();
        assert_refused(&scratch, &apply(&scratch, &[]), "R0414", "belongs to the user 65534");
    }
}

#[test]
fn a_change_that_was_not_planned_is_refused_by_its_resource() {
    // The command does what a plan cannot foresee, as another program would.
    let scratch = planned(
        r#"
exec "disturb" { cmd => "echo two >@/f; echo stray >@/g", shell => "/bin/sh", }
line "l" { file => "@/f", state => "exists", content => "x", Depend => Exec["disturb"], }
file "@/g" { state => "absent", Depend => Exec["disturb"], }
file "@/h" { state => "exists", content => "h\n", Depend => Exec["disturb"], }
"#,
    );
    let ran = apply(&scratch, &[]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("error[R0415]: line[l]"), "{}", ran.err);
    assert!(ran.err.contains("error[R0415]: file["), "{}", ran.err);
    assert_eq!(scratch.read("f").as_deref(), Some("two\n"));
    assert_eq!(scratch.read("g").as_deref(), Some("stray\n"));
    assert_eq!(scratch.read("h").as_deref(), Some("h\n"), "what was planned is done");
}

#[test]
fn changes_that_a_plan_calls_uncertain_may_happen_or_not() {
    let scratch = planned(
        r#"
exec "guarded" { cmd => "echo ran >@/guarded", shell => "/bin/sh", ifcmd => "test -e @/f", ifshell => "/bin/sh", }
exec "idle" { cmd => "echo ran >@/idle", shell => "/bin/sh", ifcmd => "test -e @/missing", ifshell => "/bin/sh", }
exec "make" { cmd => "mkdir @/new", shell => "/bin/sh", creates => "@/new", }
file "@/new/file" { state => "exists", content => "x", Depend => Exec["make"], }
"#,
    );
    let ran = apply(&scratch, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("guarded").as_deref(), Some("ran\n"));
    assert_eq!(scratch.read("idle"), None);
    assert_eq!(scratch.read("new/file").as_deref(), Some("x"));
}

#[test]
fn edits_of_one_file_are_made_in_the_order_of_the_plan() {
    let scratch = planned(
        r#"
exec "slow" { cmd => "sleep 1", shell => "/bin/sh", }
line "first" { file => "@/f", state => "exists", content => "first", }
line "second" { file => "@/f", state => "exists", content => "second", }
Exec["slow"] -> Line["first"]
# The plan comes to this line later than to the other one, and an application earlier.
exec "a" { cmd => "true", shell => "/bin/sh", }
exec "b" { cmd => "true", shell => "/bin/sh", }
exec "c" { cmd => "true", shell => "/bin/sh", }
Exec["a"] -> Exec["b"] -> Exec["c"] -> Line["second"]
"#,
    );
    let ran = apply(&scratch, &[]);
    assert_eq!((ran.status, scratch.read("f").as_deref()), (0, Some("one\nfirst\nsecond\n")), "{}{}", ran.out, ran.err);
}

#[test]
fn a_random_value_is_another_one_when_it_is_applied() {
    let scratch = planned(
        r#"
password "p" { length => 12, saved => true, }
file "@/g" { state => "exists", }
Password["p"].password -> File["@/g"].content
gzip "@/g.gz" { input => "@/g", Depend => File["@/g"], }
"#,
    );
    let ran = apply(&scratch, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("g").map(|password| password.len()), Some(12));
    assert!(scratch.path("g.gz").exists());
}

#[test]
fn contents_are_not_in_a_plan() {
    let scratch = planned("line \"l\" { file => \"@/f\", state => \"exists\", content => \"x\", }\n");
    scratch.write("f", "what was there\n");
    assert_eq!(plan(&scratch).status, 3);
    let bytes = fs::read(scratch.path("p.plan")).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("what was there"));
}

#[test]
fn a_plan_that_cannot_be_applied_is_not_kept() {
    let failing = Scratch::new("file \"@/missing/f\" { state => \"exists\", content => \"x\", }\n");
    failing.build();
    let ran = plan(&failing);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(!failing.path("p.plan").exists());
    let text = "import \"os\"\nfile \"@/f\" { state => \"exists\", content => os.system(\"echo x\"), }\n";
    let unknown = Scratch::new(text);
    unknown.build();
    let ran = plan(&unknown);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("--run-commands") && !unknown.path("p.plan").exists(), "{}", ran.err);
    let args = ["plan", "main.bin", "--prefix", "state", "-o", "p.plan", "--run-commands"];
    assert_eq!(unknown.run("mgmt-rt", &args).status, 3);
    let ran = apply(&unknown, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(unknown.path("f").exists());
}

#[test]
fn an_interrupted_plan_is_refused_and_a_new_one_makes_the_rest() {
    let scratch = planned(
        r#"
file "@/first" { state => "exists", content => "1", }
exec "slow" { cmd => "test -e @/fast || { touch @/started; sleep 1000; }", shell => "/bin/sh", Depend => File["@/first"], }
file "@/last" { state => "exists", content => "2", Depend => Exec["slow"], }
"#,
    );
    let mut command = scratch.command("mgmt-rt", &["apply", "--plan", "p.plan"]);
    let mut agent = Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"));
    eventually("the command runs", || scratch.path("started").exists());
    agent.signal(Signal::INT);
    // The first signal lets the command finish.
    agent.signal(Signal::TERM);
    agent.signal(Signal::INT);
    assert_eq!(agent.ends(), 130, "as a shell shows SIGINT");
    assert!(scratch.path("first").exists() && !scratch.path("last").exists());
    fs::write(scratch.path("fast"), "").unwrap();
    let again = apply(&scratch, &[]);
    assert!(again.status == 1 && again.err.contains("R0415"), "{}{}", again.out, again.err);
    assert!(!scratch.path("last").exists());
    assert_eq!(plan(&scratch).status, 3);
    let ran = apply(&scratch, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("last").as_deref(), Some("2"));
}

#[test]
fn a_plan_that_does_not_fit_on_the_disk_leaves_the_old_one() {
    if !is_root() {
        return skip("mounting needs root");
    }
    let small = "file \"@/f\" { state => \"exists\", content => \"x\", }\n";
    let scratch = Scratch::new(small);
    fs::create_dir(scratch.path("small")).unwrap();
    let Some(_mount) = Mount::new(&scratch.path("small"), "size=64k") else { return };
    let keep = || scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "-o", "small/p.plan"]);
    scratch.build();
    assert_eq!(keep().status, 3);
    let old = fs::read(scratch.path("small/p.plan")).unwrap();
    scratch.write("main.mcl", &small.replace("\"x\"", &format!("{:?}", "x".repeat(200_000))));
    scratch.build();
    let ran = keep();
    assert!(ran.status == 1 && words(&ran.err).contains("the plan is not kept"), "{}{}", ran.out, ran.err);
    assert_eq!(fs::read(scratch.path("small/p.plan")).unwrap(), old);
    assert_eq!(fs::read_dir(scratch.path("small")).unwrap().count(), 1, "no temporary file is left");
}
