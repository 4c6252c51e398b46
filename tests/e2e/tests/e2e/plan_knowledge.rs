//! What a plan says about resources after changes that it does not make.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::{Ran, Scratch};

/// Builds a program and plans it.
fn plan(program: &str, more: &[&str]) -> (Scratch, Ran) {
    let scratch = Scratch::new(program);
    scratch.build();
    let ran = plan_again(&scratch, more);
    (scratch, ran)
}

fn plan_again(scratch: &Scratch, more: &[&str]) -> Ran {
    scratch.run("mgmt-rt", &[&["plan", "main.bin", "--prefix", "state", "--format", "json"], more].concat())
}

/// Returns the planned changes of a resource, with the reasons why they are uncertain. `id` is what its name ends with.
fn changes(ran: &Ran, id: &str) -> Vec<(String, String)> {
    let objects = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let text = |object: &Value, field: &str| object[field].as_str().unwrap_or_default().to_owned();
    objects
        .filter(|object| text(object, "id").ends_with(&format!("{id}]")))
        .map(|object| (text(&object, "change"), text(&object, "uncertainty")))
        .collect()
}

#[track_caller]
fn assert_unknown(ran: &Ran, id: &str, why: &str) {
    let changes = changes(ran, id);
    let [(change, reason)] = &changes[..] else { panic!("{id}: {changes:?}\n{}{}", ran.out, ran.err) };
    assert!(change == "check again" && reason.contains(why), "{id}: {change} ({reason})");
}

const SENDER: &str = r#"
exec "e" { cmd => "echo CONTENT; date >>@/runs", shell => "/bin/sh", GUARD }
file "@/received" { state => "exists", }
Exec["e"].stdout -> File["@/received"].content
file "@/missing/after" { state => "exists", content => "x", Depend => File["@/received"], }
"#;

#[test]
fn output_of_a_command_that_will_run_is_unknown_even_if_it_ran_before() {
    let program = |content: &str| SENDER.replace("CONTENT", content).replace("GUARD", "");
    let scratch = Scratch::new(&program("one"));
    fs::create_dir(scratch.path("missing")).unwrap();
    assert_eq!(scratch.apply_once(&[]).status, 0);
    fs::remove_dir_all(scratch.path("missing")).unwrap();
    scratch.write("main.mcl", &program("two"));
    scratch.build();
    let ran = plan_again(&scratch, &[]);
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    assert_unknown(&ran, "received", "known only when it is applied");
    assert_unknown(&ran, "after", "unknown until file[");
}

#[test]
fn output_of_a_command_that_will_not_run_is_missing_as_when_it_is_applied() {
    let (scratch, ran) = plan(&SENDER.replace("GUARD", "refreshonly => true,"), &[]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("R0406"), "{}", ran.err);
    assert_eq!(scratch.apply_once(&[]).status, 1);
}

#[test]
fn what_meta_noop_forbids_is_neither_pending_nor_believed() {
    let noop = r#"exec "make" { cmd => "mkdir @/d", shell => "/bin/sh", creates => "@/d", Meta:noop => true, }
"#;
    let (scratch, ran) = plan(noop, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("\"noop\":true"), "{}", ran.out);
    assert_eq!(scratch.apply_once(&[]).status, 0);
    let after = "file \"@/d/f\" { state => \"exists\", content => \"x\", Depend => Exec[\"make\"], }\n";
    let (scratch, ran) = plan(&format!("{noop}{after}"), &[]);
    assert_eq!(ran.status, 1, "the directory is certainly missing: {}{}", ran.out, ran.err);
    assert_eq!(scratch.apply_once(&[]).status, 1);
}

#[test]
fn accounts_that_a_plan_makes_are_not_missing() {
    let uses = [
        r#"file "@/owned" { state => "exists", content => "x", owner => "mclnewuser", }"#,
        r#"file "@/owned" { state => "exists", content => "x", group => "mclnewgroup", }"#,
        r#"exec "owned" { cmd => "true", user => "mclnewuser", Depend => User["mclnewuser"], }"#,
        r#"exec "owned" { cmd => "true", group => "mclnewgroup", Depend => Group["mclnewgroup"], }"#,
        r#"ssh:authorized_key "owned" { state => "exists", user => "mclnewuser", type => "ssh-ed25519", key => "AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh", Depend => User["mclnewuser"], }"#,
    ];
    let accounts = "user \"mclnewuser\" { state => \"exists\", homedir => \"@/home/\", }\ngroup \"mclnewgroup\" { state => \"exists\", }\n";
    for with in uses {
        let (_, ran) = plan(&format!("{accounts}{with}\n"), &[]);
        assert_eq!(ran.status, 3, "{with}: {}{}", ran.out, ran.err);
        assert_unknown(&ran, "owned", "unknown until ");
        let alone =
            with.replace(" Depend => User[\"mclnewuser\"],", "").replace(" Depend => Group[\"mclnewgroup\"],", "");
        let (scratch, ran) = plan(&alone, &[]);
        assert_eq!(ran.status, 1, "nobody makes them: {alone}: {}{}", ran.out, ran.err);
        assert_eq!(scratch.apply_once(&[]).status, 1, "{alone}");
    }
}

#[test]
fn a_user_finds_the_groups_that_a_plan_makes_and_no_others() {
    let user = |group: &str| format!("user \"mclnewuser\" {{ state => \"exists\", {group}, }}\n");
    let made = "group \"mclnewgroup\" { state => \"exists\", gid => 63998, }\n";
    let order = "Group[\"mclnewgroup\"] -> User[\"mclnewuser\"]\n";
    for group in ["gid => 63998", "group => \"mclnewgroup\"", "groups => [\"mclnewgroup\",]"] {
        let (_, ran) = plan(&[made, &user(group), order].concat(), &[]);
        let [(change, uncertainty)] = &changes(&ran, "mclnewuser")[..] else { panic!("{}{}", ran.out, ran.err) };
        assert!(change.starts_with("add user mclnewuser: ") && uncertainty.is_empty(), "{change} {uncertainty}");
    }
    for group in ["gid => 63999", "group => \"mclother\"", "groups => [\"mclother\",]"] {
        let (_, ran) = plan(&[made, &user(group), order].concat(), &[]);
        assert_unknown(&ran, "mclnewuser", "unknown until group[mclnewgroup] has changed: there is no group");
    }
    let forbidden = made.replace("gid =>", "Meta:noop => true, gid =>");
    let (_, ran) = plan(&[&forbidden, &*user("gid => 63998"), order].concat(), &[]);
    assert!(ran.status == 1 && ran.err.contains("there is no group `63998`"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_a_possible_change_notifies_is_possible() {
    let (_, ran) = plan(
        r#"
exec "guarded" { cmd => "true", ifcmd => "true", Notify => Exec["listening"], }
exec "listening" { cmd => "true", refreshonly => true, Notify => Exec["next"], }
exec "next" { cmd => "true", refreshonly => true, }
file "@/certain" { state => "exists", content => "x", Notify => Exec["notified"], }
exec "notified" { cmd => "true", refreshonly => true, }
"#,
        &[],
    );
    let reason = |id: &str| changes(&ran, id).pop().expect("a change").1;
    assert_eq!(reason("guarded"), "unless `ifcmd` prevents it");
    assert_eq!(reason("listening"), "if exec[guarded] changes something");
    assert_eq!(reason("next"), "if exec[listening] changes something");
    assert_eq!((reason("certain"), reason("notified")), (String::new(), String::new()));
}

#[test]
fn guards_do_not_see_what_a_plan_changes() {
    let (scratch, ran) = plan(
        r#"
file "@/f" { state => "exists", content => "x", }
exec "guarded" { cmd => "echo ran >@/ran", shell => "/bin/sh", nifcmd => "test -e @/f", nifshell => "/bin/sh", Depend => File["@/f"], }
exec "creates" { cmd => "echo ran >@/ran", shell => "/bin/sh", creates => "@/f", Depend => File["@/f"], }
"#,
        &["--run-commands"],
    );
    assert_eq!(changes(&ran, "guarded").pop().expect("a change").1, "unless `nifcmd` prevents it");
    assert_eq!(changes(&ran, "creates"), []);
    assert_eq!(scratch.apply_once(&[]).status, 0);
    assert!(!scratch.path("ran").exists());
}

#[test]
fn what_comes_after_a_program_may_differ() {
    let (scratch, ran) = plan(
        r#"
exec "install" { cmd => "mkdir @/d; echo default >@/d/f; echo default >@/g", shell => "/bin/sh", creates => "@/d", }
file "@/d/" { state => "exists", Depend => Exec["install"], }
file "@/d/f" { state => "exists", content => "mine\n", }
exec "second" { cmd => "true", creates => "@/second", Depend => Exec["install"], }
exec "always" { cmd => "true", Depend => Exec["install"], }
"#,
        &["-o", "p.plan"],
    );
    let reason = |id: &str| changes(&ran, id).pop().expect("a change").1;
    assert_eq!(reason("install"), "");
    assert_eq!(reason("/d/f"), "unless exec[install] changes that first");
    assert_eq!(reason("second"), "unless `creates` exists by then");
    assert_eq!(reason("always"), "");
    // The file exists by then, and gets the planned content.
    let ran = scratch.run("mgmt-rt", &["apply", "--plan", "p.plan"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("d/f").as_deref(), Some("mine\n"));
}

#[test]
fn state_directory_that_apply_refuses_is_refused() {
    let (scratch, ran) = plan("noop \"n\" {}\n", &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(!scratch.path("state").exists());
    fs::create_dir(scratch.path("state")).unwrap();
    fs::set_permissions(scratch.path("state"), fs::Permissions::from_mode(0o777)).unwrap();
    for command in ["plan", "apply"] {
        let ran = scratch.run("mgmt-rt", &[command, "main.bin", "--prefix", "state"]);
        assert!(ran.status == 1 && ran.err.contains("R0410"), "{command}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn what_receives_an_unknown_value_is_not_planned_with_its_default() {
    let program = r#"import "os"
$line = os.system("echo x")
value "unknown" { any => $line, }
file "@/received" { state => "exists", content => "default", }
Value["unknown"].any -> File["@/received"].content
file "@/after" { state => "exists", Depend => File["@/received"], }
"#;
    let (_, ran) = plan(program, &[]);
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    assert_eq!((changes(&ran, "received"), changes(&ran, "after").len()), (Vec::new(), 1));
    let text = ran.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join("");
    assert!(text.contains("whichreceivesavaluefromvalue[unknown]"), "{}", ran.err);
    // No unknown statement declares a resource of this kind.
    let (scratch, ran) = plan(&format!("{program}noop \"n\" {{ Depend => Exec[\"nowhere\"], }}\n"), &[]);
    assert!(ran.status == 1 && ran.err.contains("R0207"), "{}{}", ran.out, ran.err);
    assert_eq!(scratch.apply_once(&[]).status, 1);
}
