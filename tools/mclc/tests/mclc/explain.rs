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
}

#[test]
fn doc_suggests_the_function_of_a_module_before_similar_names() {
    let ran = Scratch::new(&[]).mclc(&["doc", "printf"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("did you mean `fmt.printf`?"), "{}", ran.stderr);
}

#[test]
fn doc_shows_every_type_of_a_function_without_numbers_of_arguments() {
    let text = Scratch::new(&[]).mclc(&["doc", "len"]).stdout;
    assert!(text.starts_with("len  func(str) int\n     func([]?1) int\n     func(map{?1: ?2}) int\n"), "{text}");
}
