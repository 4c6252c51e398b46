//! `mclc new` and `mclc init`: a first module.

use crate::support::{Ran, Scratch};

const FILES: [&str; 6] =
    ["metadata.yaml", "main.mcl", "tests/first.mcl", "tests/first.graph", ".gitignore", ".pre-commit-config.yaml"];

fn empty() -> Scratch {
    let scratch = Scratch::new("");
    std::fs::remove_file(scratch.path("main.mcl")).expect("removed");
    scratch
}

#[track_caller]
fn succeeds(scratch: &Scratch, args: &[&str]) -> Ran {
    let ran = scratch.run("mclc", args);
    assert_eq!(ran.status, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran
}

#[test]
fn new_module_is_valid_formatted_and_tested() {
    let scratch = empty();
    let ran = succeeds(&scratch, &["new", "deep/web"]);
    let written: Vec<String> = FILES.iter().map(|file| format!("wrote deep/web/{file}")).collect();
    assert!(ran.out.starts_with(&written.join("\n")), "{}", ran.out);
    succeeds(&scratch, &["check", "--deny", "warnings", "deep/web", "deep/web/tests/first.mcl"]);
    assert_eq!(succeeds(&scratch, &["fmt", "--check", "deep/web"]).out, "");
    let ran = succeeds(&scratch, &["test", "deep/web"]);
    assert!(ran.out.starts_with("ok     deep/web/tests/first.mcl\n1 test, all passed"), "{}", ran.out);
    succeeds(&scratch, &["run", "deep/web", "--", "--once", "--noop", "--tmp-prefix"]);
}

#[test]
fn existing_directory_becomes_a_module_and_nothing_is_overwritten() {
    let scratch = empty();
    scratch.write("notes.txt", "mine");
    succeeds(&scratch, &["init"]);
    succeeds(&scratch, &["test"]);
    assert_eq!(scratch.read("notes.txt").as_deref(), Some("mine"));
    for file in FILES {
        let other = empty();
        std::fs::create_dir(other.path("tests")).expect("created");
        other.write(file, "mine");
        let ran = other.run("mclc", &["init"]);
        assert_eq!((ran.status, ran.err), (2, format!("mclc: `{file}` exists already; nothing was written\n")));
        assert_eq!(other.read(file).as_deref(), Some("mine"));
        assert!(FILES.iter().all(|name| *name == file || !other.path(name).exists()), "{file}");
    }
}

#[test]
fn directories_that_cannot_be_modules_are_refused() {
    let scratch = empty();
    scratch.write("file", "");
    for (args, reason) in [
        (["new", "9web"], "`9web` cannot be imported"),
        (["new", "Web Site"], "for example `web-site`"),
        (["new", "web_"], "for example `web`"),
        (["new", "for"], "`for` cannot be imported"),
        (["new", "."], "`mclc init` makes a module of an existing directory"),
        (["new", "file"], "`file` is not a directory"),
        (["init", "none"], "`mclc new none` makes it"),
    ] {
        let ran = scratch.run("mclc", &args);
        assert_eq!(ran.status, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(reason), "{args:?}: {}", ran.err);
    }
    let left: Vec<_> =
        std::fs::read_dir(scratch.path("")).expect("readable").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["file"]);
}
