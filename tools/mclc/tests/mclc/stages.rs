//! Artifacts: one stage after the other, or all at once.

use crate::command::Scratch;

const MAIN: &[u8] = b"import \"fmt\"\nimport \"lib/\"\n$n = len([1, 2, 3,])\nclass c($x) {\n\ttest \"${x}\" { int64 => $n, }\n}\n\
include c(\"a\")\nfor $i, $name in [\"b\", \"c\",] {\n\t$t = fmt.printf(\"%s%d\", $name, $i)\n\ttest \"${t}\" {}\n}\ntest \"${lib.v}\" {}\n";

fn program() -> Scratch {
    Scratch::new(&[
        ("p/metadata.yaml", b""),
        ("p/main.mcl", MAIN),
        ("p/lib/main.mcl", b"$v = \"x\"\n"),
        ("p/files/data", b"\x00\xff"),
    ])
}

fn done(scratch: &Scratch, args: &[&str]) {
    let ran = scratch.mclc(args);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{args:?}: {}", ran.stderr);
}

#[test]
fn one_stage_after_the_other_gives_the_bytes_of_a_build() {
    let scratch = program();
    done(&scratch, &["build", "p", "-o", "all.bin", "--emit", "tokens,ast,interpolated,scoped,typed,fgraph"]);
    let steps = [
        ("lex", "p", "tokens"),
        ("parse", "step.tokens", "ast"),
        ("interpolate", "step.ast", "interpolated"),
        ("scope", "step.interpolated", "scoped"),
        ("unify", "step.scoped", "typed"),
        ("fgraph", "step.typed", "fgraph"),
    ];
    for (command, input, stage) in steps {
        let out = format!("step.{stage}");
        done(&scratch, &[command, input, "-o", &out]);
        let (step, all) = (std::fs::read(scratch.path(&out)), std::fs::read(scratch.path(format!("all.{stage}"))));
        assert!(step.expect("the stage wrote") == all.expect("the build wrote"), "{stage} differs");
        done(&scratch, &[command, "p", "-o", "from-source"]);
        assert!(
            std::fs::read(scratch.path("from-source")).expect("the stage wrote")
                == std::fs::read(scratch.path(&out)).expect("it wrote")
        );
    }
    assert!(
        std::fs::read(scratch.path("all.bin")).expect("the build wrote")
            == std::fs::read(scratch.path("all.fgraph")).expect("it wrote")
    );
}

#[test]
fn the_same_program_gives_the_same_bytes_anywhere() {
    let (one, two) = (program(), program());
    done(&one, &["build", "p", "-o", "out.bin"]);
    std::fs::rename(two.path("p"), two.path("q")).expect("rename the program");
    done(&two, &["build", "q/", "-o", "out.bin"]);
    let bytes = std::fs::read(one.path("out.bin")).expect("the build wrote");
    assert!(bytes == std::fs::read(two.path("out.bin")).expect("the build wrote"));
    let path = one.dir().to_str().expect("UTF-8").as_bytes();
    assert!(!bytes.windows(path.len()).any(|window| window == path), "the artifact holds a path of this machine");
}

#[test]
fn every_stage_can_be_inspected() {
    let scratch = program();
    done(&scratch, &["build", "p", "-o", "out.bin", "--emit", "tokens,ast,interpolated,scoped,typed"]);
    for file in ["out.tokens", "out.ast", "out.interpolated", "out.scoped", "out.typed", "out.bin"] {
        let text = scratch.mclc(&["inspect", file]);
        assert_eq!(text.status, 0, "{file}: {}", text.stderr);
        assert!(text.stdout.starts_with("artifact of stage `"), "{file}: {}", text.stdout);
        let json = scratch.mclc(&["inspect", file, "--format", "json"]);
        let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("the output is JSON");
        assert!(value["payload"].is_object(), "{file}: {}", value["payload"]);
        assert!(!json.stdout.contains("\"elems\""), "{file}: tables are lists");
    }
    assert!(scratch.mclc(&["inspect", "out.bin", "--format", "dot"]).stdout.starts_with("digraph"));
    assert_eq!(scratch.mclc(&["inspect", "out.ast", "--format", "dot"]).status, 2);
}

#[test]
fn a_stage_refuses_what_another_stage_wrote() {
    let scratch = program();
    done(&scratch, &["lex", "p", "-o", "out.tokens"]);
    let ran = scratch.mclc(&["scope", "out.tokens", "-o", "out.scoped"]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.stderr.contains("the artifact is of stage `tokens`, but stage `interpolated` is needed here"),
        "{}",
        ran.stderr
    );
    assert!(!scratch.path("out.scoped").exists());
}

#[test]
fn corrupted_artifacts_of_every_stage_end_in_one_diagnostic() {
    let scratch = program();
    done(&scratch, &["build", "p", "-o", "out.bin", "--emit", "tokens,ast,interpolated,scoped,typed"]);
    let readers = [
        ("out.tokens", "parse"),
        ("out.ast", "interpolate"),
        ("out.interpolated", "scope"),
        ("out.scoped", "unify"),
        ("out.typed", "fgraph"),
    ];
    for (file, command) in readers {
        let whole = std::fs::read(scratch.path(file)).expect("the build wrote");
        let middle = whole.len() / 2;
        let mut flipped = whole.clone();
        flipped[middle] ^= 0x40;
        for corrupted in [&whole[..middle], &flipped, &whole[..20]] {
            std::fs::write(scratch.path("corrupted"), corrupted).expect("write");
            let ran = scratch.mclc(&[command, "corrupted", "-o", "never"]);
            assert_eq!(ran.status, 1, "{command}: {ran:?}");
            assert!(ran.stderr.contains("error[A01"), "{command}: {ran:?}");
            assert_eq!(scratch.mclc(&["inspect", "corrupted"]).status, 1);
        }
    }
    assert!(!scratch.path("never").exists());
}

#[test]
fn a_program_with_errors_leaves_no_artifact() {
    let scratch = Scratch::new(&[("a.mcl", b"$x = $y\n")]);
    for command in ["build", "scope", "unify", "fgraph"] {
        let ran = scratch.mclc(&[command, "a.mcl", "-o", "out.bin"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{command}");
        assert!(ran.stderr.contains("error[E06"), "{command}: {}", ran.stderr);
        assert!(!scratch.path("out.bin").exists());
    }
}

#[test]
fn an_empty_program_builds() {
    let scratch = Scratch::new(&[("a.mcl", b"")]);
    done(&scratch, &["build", "a.mcl", "-o", "out.bin"]);
    assert!(scratch.path("out.bin").exists());
}

#[test]
fn an_artifact_can_go_to_standard_output() {
    let scratch = program();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_mclc"))
        .args(["build", "p", "-o", "-"])
        .current_dir(scratch.dir())
        .output()
        .expect("the tool runs");
    done(&scratch, &["build", "p", "-o", "out.bin"]);
    assert!(out.stdout == std::fs::read(scratch.path("out.bin")).expect("the build wrote"));
}
