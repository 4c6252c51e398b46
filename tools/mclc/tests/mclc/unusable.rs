//! Unusable input of the tool: files that are not programs or cannot be read, and hostile text.

use crate::command::{Ran, Scratch};

fn refused(ran: &Ran, message: &str) {
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains(message), "{ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
}

#[test]
fn what_does_not_exist_is_refused() {
    refused(&Scratch::new(&[]).mclc(&["check", "gone.mcl"]), "`gone.mcl` does not exist");
}

#[test]
fn a_directory_without_a_program_is_refused() {
    let scratch = Scratch::new(&[("dir/readme", b"")]);
    refused(&scratch.mclc(&["check", "dir"]), "directory `dir` contains neither `.mcl` files nor Puppet code");
    refused(&scratch.mclc(&["check"]), "directory `.` contains neither `.mcl` files nor Puppet code\n");
    let scratch = Scratch::new(&[("module/init.pp", b""), ("path/readme", b"")]);
    std::os::unix::fs::symlink("../module", scratch.path("path/module")).expect("the scratch directory is writable");
    refused(&scratch.mclc(&["check", "path"]), "nor Puppet code; symbolic links in it are not followed");
}

#[test]
fn program_text_is_not_a_path() {
    refused(&Scratch::new(&[]).mclc(&["check", "$x = 1"]), "`$x = 1` does not exist");
}

#[test]
fn an_unreadable_file_is_refused() {
    // A directory where a file should be cannot be read by anyone, not even by root.
    let scratch = Scratch::new(&[("p/main.mcl/x", b"")]);
    refused(&scratch.mclc(&["check", "p"]), "cannot read `p/main.mcl`: is a directory");
}

#[test]
fn unknown_options_and_lints_are_refused() {
    let scratch = Scratch::new(&[("a.mcl", b"")]);
    refused(&scratch.mclc(&["check", "--frobnicate", "a.mcl"]), "--frobnicate");
    refused(&scratch.mclc(&["check", "-D", "W9999", "a.mcl"]), "unknown lint `W9999`");
    refused(&scratch.mclc(&["check", "-A", "E0501", "a.mcl"]), "`E0501` is not a lint");
    refused(&scratch.mclc(&["check", "-", "-"]), "standard input can be read only once");
}

#[test]
fn an_empty_file_is_an_empty_program() {
    let ran = Scratch::new(&[("a.mcl", b"")]).mclc(&["check", "a.mcl"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn good_programs_are_checked_beside_bad_ones() {
    let scratch = Scratch::new(&[("a.mcl", b"$x = 'y'\n"), ("b.mcl", b"$x = \"y\"\n")]);
    let ran = scratch.mclc(&["check", "--format", "short", "b.mcl", "gone.mcl", "a.mcl"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stdout.starts_with("a.mcl:1:6: error[E01"), "{ran:?}");
    assert!(ran.stderr.contains("`gone.mcl` does not exist"), "{ran:?}");
}

#[test]
fn standard_input_can_have_a_name() {
    let scratch = Scratch::new(&[("dir/lib.mcl", b"$x = 'y'\n")]);
    let text = b"import \"lib.mcl\"\n$z = 'y'\n";
    let ran = scratch.mclc_with_input(&["check", "--format", "short", "--filename", "dir/main.mcl", "-"], text);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("dir/main.mcl:2:6: error["), "{ran:?}");
    assert!(ran.stdout.contains("dir/lib.mcl:1:6: error["), "{ran:?}");
    let ran = scratch.mclc_with_input(&["check", "--format", "short", "-"], b"$z = 'y'\n");
    assert!(ran.stdout.contains("<stdin>:1:6: error["), "{ran:?}");
}

#[test]
fn binary_garbage_is_a_finding() {
    let mut state = 1u64;
    let mut garbage = |length: usize| -> Vec<u8> {
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    };
    for length in [1, 48, 5000] {
        let bytes = garbage(length);
        for format in ["human", "short", "json", "sarif"] {
            let ran = Scratch::new(&[("a.mcl", &bytes)]).mclc(&["check", "--format", format, "a.mcl"]);
            assert_eq!(ran.status, 1, "{ran:?}");
            assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        }
    }
}

#[test]
fn deep_nesting_is_a_finding() {
    for (open, close) in [("(", ")"), ("[", "]"), ("if true { ", " }"), ("not ", ""), ("1 + (", ")")] {
        let text = format!("$x = {}1{}\n", open.repeat(100_000), close.repeat(100_000));
        let scratch = Scratch::new(&[("a.mcl", text.as_bytes())]);
        let ran = scratch.mclc(&["check", "a.mcl"]);
        assert!(ran.status == 1 && !ran.stderr.contains("panicked"), "{open}: {} {}", ran.status, ran.stderr);
        assert!(ran.stdout.len() < 20_000, "{open}: {} bytes of output", ran.stdout.len());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scratch = Scratch::new(&[("a.mcl", "$x = 'y'\n".repeat(5000).as_bytes())]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_mclc"))
        .args(["check", "a.mcl"])
        .current_dir(scratch.dir())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the tool starts");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("the tool ends");
    assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned()), (Some(1), String::new()));
}
