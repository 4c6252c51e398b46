//! Definitions and uses (spec 11 §3.2).

use test_support::Scratch;

use super::*;

/// Checks what is defined where, and used where, for a place of the sample.
#[track_caller]
fn check(line: usize, character: usize, definition: &str, uses: &[&str]) {
    let analysis = analyze(SAMPLE);
    let path = main_path();
    let offset = at(SAMPLE, line, character);
    let found = analysis.definitions(&path, offset);
    let found: Vec<String> = found.iter().map(|d| shown(&analysis, &path, d.name.start, d.name.end)).collect();
    assert_eq!(found.join(" "), definition, "definition at {line}:{character}");
    let found = analysis.uses(&path, offset).into_iter();
    let found = found.map(|u| shown(&analysis, &path, u.location.start, u.location.end));
    assert_eq!(found.collect::<Vec<_>>(), uses, "uses at {line}:{character}");
}

#[test]
fn variables_are_found_in_strings_too() {
    let uses = ["3:0–3:5", "7:9–7:13"];
    check(3, 2, "3:0–3:5", &uses);
    check(7, 10, "3:0–3:5", &uses);
    check(7, 18, "6:11–6:16", &["6:11–6:16", "7:17–7:21"]);
}

#[test]
fn parameters_and_loop_variables_are_found() {
    check(9, 40, "6:18–6:23", &["6:18–6:23", "9:37–9:42"]);
    check(20, 15, "19:6–19:8", &["19:6–19:8", "20:14–20:16"]);
    check(17, 1, "16:12–16:14", &["16:12–16:14", "17:1–17:3", "17:6–17:8"]);
}

#[test]
fn classes_functions_and_aliases_are_found() {
    check(20, 10, "6:6–6:10", &["6:6–6:10", "20:9–20:13"]);
    check(20, 20, "16:5–16:11", &["16:5–16:11", "20:18–20:24"]);
    check(9, 13, "0:7–0:12", &["0:7–0:12", "9:13–9:16"]);
}

#[test]
fn edges_lead_to_their_resources() {
    check(10, 14, "13:4–13:9", &["10:12–10:15", "10:16–10:21", "13:4–13:9"]);
    check(10, 18, "13:4–13:9", &["10:12–10:15", "10:16–10:21", "13:4–13:9"]);
}

#[test]
fn what_is_built_in_has_no_definition() {
    check(9, 18, "", &["9:17–9:23"]);
    check(7, 2, "", &["7:1–7:5"]);
}

#[test]
fn variables_of_one_name_in_different_scopes_are_different() {
    let text = "$x = \"a\"\nclass c {\n\t$x = \"b\"\n\ttest \"${x}\" {}\n}\ninclude c as k\ntest \"${x}\" {}\ntest \"t\" {\n\tanotherstr => $k.x,\n}\n";
    let analysis = analyze(text);
    let path = main_path();
    let uses = |line, character| {
        let uses = analysis.uses(&path, at(text, line, character)).into_iter();
        uses.map(|u| shown(&analysis, &path, u.location.start, u.location.end)).collect::<Vec<_>>()
    };
    assert_eq!(uses(0, 1), ["0:0–0:2", "6:8–6:9"]);
    assert_eq!(uses(2, 2), ["2:1–2:3", "3:9–3:10", "8:18–8:19"]);
    assert_eq!(uses(8, 16), ["5:13–5:14", "8:15–8:17"]);
}

#[test]
fn names_of_other_files_are_found() {
    let scratch = Scratch::with_files([
        ("metadata.yaml", ""),
        ("main.mcl", "import \"lib/\"\ninclude lib.web\n"),
        ("lib/main.mcl", "class web {}\n"),
    ]);
    let mut workspace = Workspace::new(None);
    let main = scratch.path("main.mcl");
    workspace.open(main.clone(), "import \"lib/\"\ninclude lib.web\n");
    let analysis = Analyzer::default().analyze(&workspace.sources());
    let lib = scratch.path("lib/main.mcl");
    let definition = |offset| {
        let found = analysis.definitions(&main, offset);
        found.into_iter().map(|d| (d.name.path, d.name.start, d.name.end)).collect::<Vec<_>>()
    };
    assert_eq!(definition(26), [(lib.clone(), 6, 9)]);
    assert_eq!(definition(9), [(lib.clone(), 0, 0)]);
    let uses = analysis.uses(&lib, 7).into_iter().map(|u| (u.location.path, u.location.start));
    assert_eq!(uses.collect::<Vec<_>>(), [(lib, 6), (main, 26)]);
}

#[test]
fn fields_of_structs_are_found_where_a_literal_or_a_type_names_them() {
    let text = r#"$site = struct{port => 80, tls => struct{cert => "/c"}}
$port = $site->port
$cert = $site->tls->cert
$other = $site->tls->key <|> "none"
$typed struct{a int; b struct{c str; d int}} = struct{a => 1, b => struct{c => "x", d => 2}}
class k($option struct{level int; name str}) {
	test "t" { int64 => $option->level, anotherstr => "${cert}", }
}
$deep = $typed->b->d
func f() struct{x int} { struct{x => 1} }
$computed = f()->x
include k(struct{level => 1, name => "n"})
"#;
    let analysis = analyze(text);
    let path = main_path();
    let definition = |line, character| {
        let found = analysis.definitions(&path, at(text, line, character));
        found.iter().map(|d| shown(&analysis, &path, d.name.start, d.name.end)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(definition(1, 16), "0:15–0:19");
    assert_eq!(definition(2, 16), "0:27–0:30");
    assert_eq!(definition(2, 21), "0:41–0:45");
    assert_eq!(definition(3, 22), "", "the literal has no such field");
    assert_eq!(definition(6, 32), "5:23–5:28");
    assert_eq!(definition(8, 16), "4:21–4:22");
    assert_eq!(definition(8, 19), "4:37–4:38");
    assert_eq!(definition(10, 17), "", "a function computes it");
    assert!(analysis.uses(&path, at(text, 1, 16)).is_empty());
    let hover = analysis.hover(&path, at(text, 2, 21)).expect("a field");
    assert_eq!(hover.signature, "cert str");
    assert!(analysis.prepare_rename(&path, at(text, 1, 16)).is_err());
}
