//! `mclc fmt`: which files it writes, what it prints, and how it ends.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::command::Scratch;

const UGLY: &[u8] = b"$x=1\n";
const PRETTY: &[u8] = b"$x = 1\n";
const BROKEN: &[u8] = b"$x = [1\n";

#[test]
fn a_directory_is_formatted_without_hidden_and_ignored_files() {
    let scratch = Scratch::new(&[
        ("main.mcl", UGLY),
        ("sub/b.mcl", UGLY),
        ("sub/a.mcl", PRETTY),
        ("sub/a.txt", UGLY),
        (".hidden/a.mcl", UGLY),
        ("ignored/a.mcl", UGLY),
        (".gitignore", b"/ignored\n"),
    ]);
    let ran = scratch.mclc(&["fmt"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "main.mcl\nsub/b.mcl\n", ""));
    for (path, content) in [("main.mcl", PRETTY), ("sub/b.mcl", PRETTY), ("sub/a.txt", UGLY), ("ignored/a.mcl", UGLY)] {
        assert_eq!(scratch.read(path).unwrap().as_bytes(), content, "{path}");
    }
    let again = scratch.mclc(&["fmt", "."]);
    assert_eq!((again.status, again.stdout.as_str()), (0, ""));
    // What is named is not ignored.
    assert_eq!(scratch.mclc(&["fmt", "ignored/a.mcl", ".hidden"]).stdout, "ignored/a.mcl\n.hidden/a.mcl\n");
}

#[test]
fn a_check_and_a_diff_change_nothing() {
    let scratch = Scratch::new(&[("a.mcl", UGLY), ("b.mcl", PRETTY)]);
    let check = scratch.mclc(&["fmt", "--check"]);
    assert_eq!((check.status, check.stdout.as_str()), (1, "a.mcl\n"));
    let diff = scratch.mclc(&["fmt", "--diff"]);
    assert_eq!((diff.status, diff.stdout.as_str()), (0, "--- a.mcl\n+++ a.mcl\n@@ -1 +1 @@\n-$x=1\n+$x = 1\n"));
    assert_eq!(scratch.mclc(&["fmt", "--diff", "--check", "a.mcl"]).status, 1);
    assert_eq!(scratch.read("a.mcl").unwrap().as_bytes(), UGLY);
    assert_eq!(scratch.mclc(&["fmt", "--check", "b.mcl"]).status, 0);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let scratch = Scratch::new(&[]);
    let format = |args: &[&str], input: &[u8]| scratch.mclc_with_input(&[&["fmt"], args].concat(), input);
    assert_eq!(format(&["-"], UGLY).stdout.as_bytes(), PRETTY);
    assert_eq!(format(&["-"], PRETTY).stdout.as_bytes(), PRETTY);
    assert_eq!(format(&["-", "--check"], PRETTY).stdout, "");
    let broken = format(&["-", "--filename", "lib/site.mcl"], BROKEN);
    assert_eq!((broken.status, broken.stdout.as_str()), (1, ""));
    assert!(broken.stderr.contains("lib/site.mcl:1:"), "{broken:?}");
    let combined = format(&["-", "a.mcl"], UGLY);
    assert_eq!((combined.status, combined.stderr.as_str()), (2, "mclc: `-` cannot be combined with other paths\n"));
}

#[test]
fn broken_files_are_left_alone_and_the_others_are_formatted() {
    let scratch = Scratch::new(&[
        ("a.mcl", BROKEN),
        ("b.mcl", UGLY),
        ("c.mcl", b"$x=1\r\n"),
        ("d.mcl", b"\xef\xbb\xbf$x=1\n"),
        ("e.mcl", b"$x=\"\xff\"\n"),
    ]);
    let ran = scratch.mclc(&["fmt", "a.mcl", "b.mcl", "c.mcl", "d.mcl"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, "b.mcl\n"));
    for code in ["E0203", "E0102", "E0108"] {
        assert!(ran.stderr.contains(code), "{code}: {ran:?}");
    }
    assert_eq!(scratch.read("a.mcl").unwrap().as_bytes(), BROKEN);
    assert_eq!(scratch.read("c.mcl").unwrap(), "$x=1\r\n");
    let binary = scratch.mclc(&["fmt", "e.mcl"]);
    assert!(binary.status > 0 && std::fs::read(scratch.path("e.mcl")).unwrap() == b"$x=\"\xff\"\n", "{binary:?}");
}

#[test]
fn what_is_no_program_is_refused() {
    let scratch = Scratch::new(&[("a.yaml", b"a: 1\n"), ("a.pp", b""), ("a.mcl", UGLY), ("b.mcl", UGLY)]);
    for (args, message) in [
        (&["fmt", "a.yaml"][..], "`a.yaml` is not a program: expected a `.mcl` file, a directory, or `-`"),
        (&["fmt", "a.pp"], "`a.pp` is Puppet code: only programs of mcl can be formatted"),
        (&["fmt", "gone.mcl"], "`gone.mcl` does not exist"),
        (&["fmt", "--range", "1:1"], "expected one file for `--range`, found 2"),
    ] {
        let ran = scratch.mclc(args);
        assert_eq!((ran.status, ran.stderr), (2, format!("mclc: {message}\n")));
    }
    for range in ["0:1", "2:1", "x", "1:2:3", ""] {
        assert_eq!(scratch.mclc(&["fmt", "a.mcl", "--range", range]).status, 2, "{range}");
    }
    assert_eq!(scratch.read("a.mcl").unwrap().as_bytes(), UGLY);
}

#[test]
fn a_range_leaves_the_other_lines_alone() {
    let program = "$a=1\nfile  \"/a\" {\n\tstate=>\"exists\",\n\n\tmode=>\"0644\",\n}\n$b=1\n";
    let scratch = Scratch::new(&[]);
    for (range, expected) in [
        ("1", "$a = 1\nfile  \"/a\" {\n\tstate=>\"exists\",\n\n\tmode=>\"0644\",\n}\n$b=1\n"),
        ("5:5", "$a=1\nfile  \"/a\" {\n\tstate=>\"exists\",\n\n\tmode => \"0644\",\n}\n$b=1\n"),
        ("2:5", "$a=1\nfile \"/a\" {\n\tstate => \"exists\",\n\n\tmode => \"0644\",\n}\n$b=1\n"),
        ("6:99", "$a=1\nfile \"/a\" {\n\tstate => \"exists\",\n\n\tmode => \"0644\",\n}\n$b = 1\n"),
        ("50:60", program),
    ] {
        let ran = scratch.mclc_with_input(&["fmt", "-", "--range", range], program.as_bytes());
        assert_eq!((ran.status, ran.stdout.as_str()), (0, expected), "{range}");
    }
}

#[test]
fn mode_and_symbolic_links_are_kept_and_nothing_else_is_left() {
    let scratch = Scratch::new(&[("real/a.mcl", UGLY)]);
    let real = scratch.path("real/a.mcl");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real/a.mcl", scratch.path("link.mcl")).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&real, Some(65534), Some(65534)).unwrap();
    }
    let owner = real.metadata().unwrap().uid();
    assert_eq!(scratch.mclc(&["fmt", "link.mcl"]).stdout, "link.mcl\n");
    assert!(scratch.path("link.mcl").is_symlink());
    let after = real.metadata().unwrap();
    assert_eq!((after.mode() & 0o7777, after.uid()), (0o640, owner));
    assert_eq!(std::fs::read(&real).unwrap(), PRETTY);
    assert_eq!(std::fs::read_dir(scratch.path("real")).unwrap().count(), 1);
}

#[test]
fn examples_and_embedded_modules_are_formatted() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = crate::command::run(&root, &["fmt", "--check", "examples", "crates/mcl-modules/embedded"], b"");
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}
