//! What people stumble over in their first hour: their mistakes are found before a program runs, and what is printed helps.

use crate::support::{Ran, Scratch};

fn check(program: &str) -> Ran {
    Scratch::new(program).run("mclc", &["check", "main.mcl", "--format", "short"])
}

/// Returns the positions of these parts in what a tool printed.
#[track_caller]
fn positions(printed: &str, parts: &[&str]) -> Vec<usize> {
    parts.iter().map(|part| printed.find(part).unwrap_or_else(|| panic!("{part} is missing in:\n{printed}"))).collect()
}

#[track_caller]
fn assert_in_order(printed: &str, parts: &[&str]) {
    let positions = positions(printed, parts);
    assert!(positions.is_sorted(), "{parts:?} in another order:\n{printed}");
}

#[test]
fn constants_that_a_kind_refuses_are_found_by_a_check() {
    let cases = [
        ("user \"ann\" {}", "missing parameter `state` of `user`"),
        ("svc \"web\" { state => \"runing\", }", "expected \"running\" or \"stopped\", or unset, found \"runing\""),
        ("file \"etc/motd\" { state => \"exists\", }", "expected an absolute path, found \"etc/motd\""),
        ("file \"/m\" { state => \"exists\", mode => \"9999\", }", "invalid `mode` \"9999\": expected octal digits"),
        ("noop \"n\" { Meta:retry => 100000, }", "invalid value 100000 for `Meta:retry`: expected"),
    ];
    for (program, message) in cases {
        let ran = check(program);
        // The branch may never run.
        assert_eq!(ran.status, 0, "{program}: {}", ran.out);
        assert!(ran.out.starts_with("main.mcl:1:") && ran.out.contains("warning[W0205]"), "{}", ran.out);
        assert!(ran.out.contains(message), "{program}: {}", ran.out);
    }
}

#[test]
fn a_file_without_a_state_is_explained_before_and_while_it_fails() {
    let scratch = Scratch::new("file \"@/motd\" { content => \"hello\\n\", }\n");
    let ran = scratch.run("mclc", &["check", "main.mcl"]);
    assert!(
        ran.out.contains("W0213") && ran.out.contains("add `state => $const.res.file.state.exists,`"),
        "{}",
        ran.out
    );
    let ran = scratch.apply_once(&[]);
    assert!(ran.status == 1 && ran.err.contains("set `state => \"exists\"` to create it"), "{}", ran.err);
    assert!(!ran.out.contains("nothing to do"), "{}", ran.out);
}

#[test]
fn a_plan_and_its_application_say_what_changes_in_the_order_of_the_graph() {
    let scratch = Scratch::new(
        r#"
file "@/d/b" { state => "exists", content => "one\n", }
file "@/d/" { state => "exists", }
file "@/d/a" { state => "exists", content => "two\n", Depend => File["@/d/b"], }
"#,
    );
    scratch.build();
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]);
    assert_eq!(plan.status, 3, "{}", plan.err);
    assert_in_order(
        &plan.out,
        &["/d/]", "create the directory", "/d/b]", "+one", "/d/a]", "+two", "3 changes in 3 resources"],
    );
    let applied = scratch.apply_once(&[]);
    assert_in_order(&applied.out, &["/d/]: create the directory", "/d/b]: create (4 bytes)", "+one", "/d/a]", "+two"]);
    let program = scratch.read("main.mcl").unwrap().replace("two", "new");
    scratch.write("main.mcl", &program);
    let applied = scratch.apply_once(&[]);
    assert_in_order(
        &applied.out,
        &["/d/a]: change the content (4 bytes)", "-two", "+new", "3/3 resources", "1 change ("],
    );
}

#[test]
fn the_attributes_of_a_new_user_are_in_the_plan() {
    let scratch = Scratch::new(
        "user \"mclnewuser\" { state => \"exists\", uid => 63990, shell => \"/bin/sh\", homedir => \"/srv/ann/\", }\n",
    );
    scratch.build();
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]);
    assert!(plan.out.contains("add user mclnewuser: uid 63990, home /srv/ann, shell /bin/sh\n"), "{}", plan.out);
    assert!(plan.out.ends_with("1 change in 1 resource\n"), "{}", plan.out);
}

#[test]
fn errors_are_shown_by_their_places_and_mark_the_name() {
    let scratch = Scratch::new(
        r#"import "fmt"
nosuch "x" {}
$a = fmt.nosuch("x")
include missing_class
$b = $missing
"#,
    );
    let ran = scratch.run("mclc", &["check", "main.mcl"]);
    assert_in_order(&ran.out, &["main.mcl:2:1", "main.mcl:3:6", "main.mcl:4:9", "main.mcl:5:6"]);
}

#[test]
fn every_comma_too_many_is_found() {
    let ran = check("$x = [[1, 2,,], [3,,],]\n");
    assert_eq!(ran.out.matches("E0201").count(), 2, "{}", ran.out);
    assert!(ran.out.contains("main.mcl:1:13:") && ran.out.contains("main.mcl:1:20:"), "{}", ran.out);
}

#[test]
fn an_error_in_a_catalog_names_the_catalog() {
    let scratch = Scratch::new("$x = 1\n");
    scratch.write("half.json", "{\"resources\": [");
    let mode = r#"{"type":"File","title":"/m","parameters":{"ensure":"file","mode":"zzz"}}"#;
    scratch.write("mode.json", &format!("{{\"resources\": [{mode}]}}"));
    scratch.build();
    for (catalog, code) in [("half.json", "P0101"), ("mode.json", "P0611")] {
        let found = [
            scratch.run("mclc", &["check", "main.mcl", "--puppet", catalog]),
            scratch.run("mgmt-rt", &["plan", "main.bin", "--puppet", catalog, "--prefix", "state"]),
            scratch.apply_once(&["--puppet", catalog]),
        ];
        for ran in found {
            let printed = ran.out + &ran.err;
            assert_eq!(ran.status, 1, "{printed}");
            assert!(printed.contains(code) && printed.contains(&format!("{catalog}]")), "{printed}");
            assert!(!printed.contains("main.mcl"), "{printed}");
        }
    }
}

#[test]
fn documentation_finds_what_is_meant_and_says_what_is_allowed() {
    let scratch = Scratch::new("");
    let doc = |name: &str| scratch.run("mclc", &["doc", name]);
    assert!(doc("printf").out.starts_with("fmt.printf  func(format str"), "{}", doc("printf").out);
    let user = doc("user").out;
    assert_in_order(
        &user,
        &["example", "user \"ann\" {", "parameters", "state str, required", "One of `exists`, `absent`."],
    );
    assert!(doc("map.lookup").out.contains("func(map map{a: b}, key a) b"), "{}", doc("map.lookup").out);
}

#[test]
fn a_directory_of_programs_is_checked() {
    let scratch = Scratch::new("");
    std::fs::create_dir(scratch.path("programs")).expect("the scratch directory is writable");
    for i in 0..10 {
        scratch.write(&format!("programs/p{i}.mcl"), if i == 7 { "$x = $missing\n" } else { "$x = 1\n" });
    }
    let ran = scratch.run("mclc", &["check", "programs", "--format", "short"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert_eq!(ran.out.matches("error[").count(), 1, "{}", ran.out);
    assert!(ran.out.starts_with("programs/p7.mcl:1:6: error[E0601]"), "{}", ran.out);
}
