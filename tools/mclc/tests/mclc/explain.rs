//! `mclc explain` and `mclc doc`.

use mcl_diagnostics::all_codes;

use crate::command::Scratch;

#[test]
fn every_code_is_explained() {
    let scratch = Scratch::new(&[]);
    let list = scratch.mclc(&["explain"]);
    assert_eq!(list.status, 0);
    for code in all_codes() {
        assert!(list.stdout.contains(code.name()), "{} is not listed", code.name());
        assert!(!code.info().explanation.trim().is_empty(), "{} has no explanation", code.name());
    }
    let one = scratch.mclc(&["explain", "e0502"]);
    assert_eq!(one.status, 0);
    assert!(one.stdout.starts_with("E0502: invalid import name\n\n"), "{}", one.stdout);
}

#[test]
fn an_unknown_code_is_refused_with_the_nearest_one() {
    let ran = Scratch::new(&[]).mclc(&["explain", "E0523"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("unknown diagnostic code `E0523`; did you mean `E05"), "{}", ran.stderr);
}

#[test]
fn codes_are_found_by_a_word() {
    let scratch = Scratch::new(&[]);
    let ran = scratch.mclc(&["explain", "duplicate import"]);
    assert_eq!((ran.status, ran.stdout.contains("E0508  ")), (0, true), "{ran:?}");
    assert!(ran.stdout.lines().all(|line| line.to_lowercase().contains("duplicate import")), "{}", ran.stdout);
    // What no title has is looked for in the explanations.
    assert!(scratch.mclc(&["explain", "parentpathblock"]).stdout.contains("E0507  "));
    let nothing = scratch.mclc(&["explain", "xyzzy"]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (2, ""));
}

#[test]
fn doc_shows_kinds_in_every_form() {
    let scratch = Scratch::new(&[]);
    let text = scratch.mclc(&["doc", "file"]);
    assert_eq!(text.status, 0);
    assert!(text.stdout.contains("    content str\n"), "{}", text.stdout);
    assert!(scratch.mclc(&["doc", "file", "--format", "markdown"]).stdout.contains("| `content` | `str` |"));
    let json: serde_json::Value =
        serde_json::from_str(&scratch.mclc(&["doc", "--format", "json"]).stdout).expect("the output is JSON");
    assert!(json["kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["name"] == "file")));
    assert!(json["functions"].as_array().is_some_and(|all| all.iter().any(|f| f["name"] == "strings.to_upper")));
}

#[test]
fn doc_shows_what_of_a_module_is_written_in_mcl() {
    let scratch = Scratch::new(&[]);
    let text = scratch.mclc(&["doc", "example"]).stdout;
    assert!(text.contains("example.answer  func() int\n") && text.contains("    func nativeanswer() {\n"), "{text}");
    let markdown = scratch.mclc(&["doc", "embedded/provisioner", "--format", "markdown"]).stdout;
    assert!(markdown.contains("    class base:host($name, $config) {\n"), "{markdown}");
}

#[test]
fn doc_suggests_the_nearest_name() {
    let ran = Scratch::new(&[]).mclc(&["doc", "strings.to_uper"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("did you mean `strings.to_upper`?"), "{}", ran.stderr);
    let module = Scratch::new(&[]).mclc(&["doc", "strigns"]);
    assert!(module.stderr.contains("did you mean `strings`?"), "{}", module.stderr);
}

#[test]
fn doc_finds_by_any_part_of_a_name() {
    let scratch = Scratch::new(&[]);
    // One function, and nothing else.
    let printf = scratch.mclc(&["doc", "printf"]);
    assert!(printf.stdout.starts_with("fmt.printf  func(format str, a c, b d …) str\n"), "{}", printf.stdout);
    let mode = scratch.mclc(&["doc", "mode"]);
    assert_eq!((mode.status, mode.stderr.as_str()), (0, ""));
    for line in ["`mode` is found in\n", "\nparameters\n", "  file mode  ", "  virt:network mode  "] {
        assert!(mode.stdout.contains(line), "{line} is missing in\n{}", mode.stdout);
    }
    assert!(scratch.mclc(&["doc", "RETRY"]).stdout.contains("  Meta:retry  "));
    assert!(scratch.mclc(&["doc", "const.res.file.state"]).stdout.contains("  $const.res.file.state.exists "));
    assert!(scratch.mclc(&["doc", "$hostname"]).stdout.contains("\nvariables\n"));
    assert!(scratch.mclc(&["doc", "retr", "--format", "json"]).stdout.contains("\"name\": \"Meta:retry\""));
    let nothing = scratch.mclc(&["doc", "zzz"]);
    assert_eq!(nothing.status, 2);
    assert_eq!(nothing.stderr, "mclc: nothing is called `zzz` (`mclc doc` lists everything)\n");
}

#[test]
fn doc_of_a_kind_says_what_to_write() {
    let text = Scratch::new(&[]).mclc(&["doc", "user"]).stdout;
    let parts = [
        "\n  example\n    user \"ann\" {\n        state => \"exists\",\n",
        // What is required comes first.
        "\n  parameters\n    state str, required\n",
        "One of `exists`, `absent`.",
    ];
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let file = Scratch::new(&[]).mclc(&["doc", "file"]).stdout;
    assert!(file.contains("\n  abilities\n    Receives values that other resources send.\n"), "{file}");
    assert!(file.contains("\n  constants\n    $const.res.file.state.exists = \"exists\"\n"), "{file}");
    let exec = Scratch::new(&[]).mclc(&["doc", "exec"]).stdout;
    assert!(exec.contains("Sends `output` (str), `stdout` (str)"), "{exec}");
}

#[test]
fn doc_shows_every_type_of_a_function_with_names_of_arguments_and_letters() {
    let text = Scratch::new(&[]).mclc(&["doc", "len"]).stdout;
    assert!(
        text.starts_with("len  func(text str) int\n     func(list []a) int\n     func(map map{a: b}) int\n"),
        "{text}"
    );
}

#[test]
fn doc_of_a_module_comes_from_its_comments() {
    let scratch = Scratch::new(&[
        ("lib/metadata.yaml", b"main: start.mcl\n"),
        (
            "lib/start.mcl",
            b"# Sites of a team.\n\nimport \"fmt\"\n\n# Where sites live.\n$root = \"/srv\"\n\n# One site:\n# its directory.\n\
              class site($name str, $port int) {\n\tnoop [fmt.printf(\"%s/%s %d\", $root, $name, $port)] {}\n}\n\n\
              # Twice a number.\nfunc double($n int) {\n\t$n + $n\n}\n",
        ),
    ]);
    let text = scratch.mclc(&["doc", "lib/"]);
    assert_eq!((text.status, text.stderr.as_str()), (0, ""));
    for part in [
        "Sites of a team.\n\nclasses\n  class site($name str, $port int)\n      One site:\n      its directory.\n",
        "\nfunctions\n  func double($n int)\n      Twice a number.\n",
        "\nvariables\n  $root\n",
        "      Where sites live.\n",
    ] {
        assert!(text.stdout.contains(part), "{part} is missing in\n{}", text.stdout);
    }
    assert_eq!(scratch.mclc(&["doc", "lib/start.mcl"]).stdout, text.stdout);
    assert!(scratch.mclc(&["doc", "lib/", "--format", "json"]).stdout.contains("\"doc\": \"Sites of a team.\""));
    let missing = scratch.mclc(&["doc", "./none/"]);
    assert_eq!((missing.status, missing.stderr.as_str()), (2, "mclc: `./none/` does not exist\n"));
}

#[test]
fn doc_writes_pages() {
    let scratch = Scratch::new(&[]);
    let ran = scratch.mclc(&["doc", "--html", "out/pages"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.ends_with("start with out/pages/index.html\n"), "{}", ran.stdout);
    assert!(scratch.read("out/pages/kind-file.html").unwrap().contains("<code>content</code>"));
    assert_eq!(scratch.mclc(&["doc", "file", "--html", "x"]).status, 2);
}
