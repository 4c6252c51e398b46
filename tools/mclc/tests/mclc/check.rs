//! Which programs `mclc check` looks at (spec 11 §5).

use crate::command::{Ran, Scratch};

/// Checks the diagnostics in one line each.
fn check(ran: &Ran, expected: &[&str]) {
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{ran:?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}, expected {expected}");
    }
    assert_eq!(ran.stderr, "", "{ran:?}");
}

fn short(scratch: &Scratch, args: &[&str]) -> Ran {
    scratch.mclc(&[&["check", "--format", "short"], args].concat())
}

/// A module whose main file needs a class that its library has not, a script that nothing imports, and a test beside them.
fn module() -> Scratch {
    Scratch::new(&[
        ("site/metadata.yaml", b"main: start.mcl\n"),
        ("site/start.mcl", b"import \"lib/web.mcl\"\ninclude web.nginx\n"),
        ("site/lib/web.mcl", b"class apache {}\n"),
        ("site/scripts/one.mcl", b"$x = $nope\n"),
    ])
}

#[test]
fn a_file_is_checked_as_part_of_its_module() {
    let scratch = module();
    for files in [&["site/lib/web.mcl"][..], &["site/start.mcl"], &["site/start.mcl", "site/lib/web.mcl"], &["site"]] {
        check(&short(&scratch, files), &["site/start.mcl:2:9: error[E0604]"]);
    }
    let inside = crate::command::run(&scratch.dir().join("site/lib"), &["check", "--format", "short", "web.mcl"], b"");
    check(&inside, &["../start.mcl:2:9: error[E0604]"]);
}

#[test]
fn a_file_that_its_module_does_not_import_is_a_program() {
    let scratch = module();
    check(&short(&scratch, &["site/scripts/one.mcl"]), &["site/scripts/one.mcl:1:6: error[E0601]"]);
    let both = ["site/scripts/one.mcl", "site/lib/web.mcl"];
    check(&short(&scratch, &both), &["site/start.mcl:2:9: error[E0604]", "site/scripts/one.mcl:1:6: error[E0601]"]);
}

#[test]
fn wrong_metadata_concerns_all_files_of_the_module() {
    let scratch = Scratch::new(&[("m/metadata.yaml", b"main: 5\n"), ("m/a.mcl", b"$x = $nope\n")]);
    check(&short(&scratch, &["m/a.mcl"]), &["m/metadata.yaml:1:1: error[E0507]", "m/a.mcl:1:6: error[E0601]"]);
    // A library needs no main file.
    let scratch = Scratch::new(&[("m/metadata.yaml", b"license: MIT\n"), ("m/a.mcl", b"$x = $nope\n")]);
    check(&short(&scratch, &["m/a.mcl"]), &["m/a.mcl:1:6: error[E0601]"]);
}

#[test]
fn all_programs_below_a_directory_are_checked() {
    let scratch = Scratch::new(&[
        (".gitignore", b"built/\n"),
        ("a.mcl", b"$x = $nope\n"),
        ("sub/b.mcl", b"import \"c.mcl\"\n"),
        ("sub/c.mcl", b"$x = $nope\n"),
        ("built/d.mcl", b"$x = $nope\n"),
        (".hidden/e.mcl", b"$x = $nope\n"),
        ("puppet/manifests/init.pp", b"class puppet { $x = }\n"),
    ]);
    let ran = short(&scratch, &[]);
    let mut lines: Vec<&str> = ran.stdout.lines().collect();
    lines.sort_unstable();
    let expected =
        ["a.mcl:1:6: error[E0601]", "puppet/manifests/init.pp:1:21: error[P02", "sub/c.mcl:1:6: error[E0601]"];
    assert_eq!(lines.len(), expected.len(), "{ran:?}");
    assert!(lines.iter().zip(expected).all(|(line, start)| line.starts_with(start)), "{ran:?}");
    assert_eq!(ran.status, 1);
}

#[test]
fn metadata_sets_the_levels_of_lints() {
    let files = |lints: &str| {
        let metadata = format!("lints:\n{lints}");
        Scratch::new(&[
            ("metadata.yaml", metadata.as_bytes()),
            ("main.mcl", b"$a = [1, 2,]\n"),
            ("other.mcl", b"$a = [1, 2,]\n"),
        ])
    };
    check(&short(&files(""), &["."]), &["main.mcl:1:11: warning[W0101]"]);
    let allowed = files("  W01: allow\n");
    check(&short(&allowed, &["."]), &[]);
    check(&short(&allowed, &["other.mcl"]), &[]);
    check(&short(&allowed, &["-D", "warnings"]), &[]);
    check(&short(&allowed, &["-W", "W0101"]), &["main.mcl:1:11: warning[W0101]"]);
    let denied = short(&files("  W0101: deny\n"), &["."]);
    check(&denied, &["main.mcl:1:11: error[W0101]"]);
    assert_eq!(denied.status, 1);
    check(&short(&files("  W0101: off\n"), &["."]), &["metadata.yaml:1:1: error[E0507]"]);
}

#[test]
fn many_lints_are_named_by_the_start_of_their_codes() {
    let scratch = Scratch::new(&[("a.mcl", b"$a = [1, 2,]\n")]);
    check(&short(&scratch, &["-A", "W01", "a.mcl"]), &[]);
    check(&short(&scratch, &["-D", "W01", "-A", "W02", "a.mcl"]), &["a.mcl:1:11: error[W0101]"]);
    let wrong = short(&scratch, &["-A", "W7", "a.mcl"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("unknown lint `W7`"), "{wrong:?}");
}
