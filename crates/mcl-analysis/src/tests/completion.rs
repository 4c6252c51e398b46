//! What can be written where (spec 11 §3.4).

use super::*;

fn labels(text: &str) -> Vec<String> {
    let (text, offset) = with_cursor(text);
    let found = analyze(&text).completions(&main_path(), offset);
    found.into_iter().map(|item| item.label).collect()
}

/// Checks that the first of these are offered in this order, and others not at all.
#[track_caller]
fn check(text: &str, first: &[&str], absent: &[&str]) {
    let labels = labels(text);
    let shown = labels.iter().take(first.len()).map(String::as_str).collect::<Vec<_>>();
    assert_eq!(shown, first, "{text:?}");
    for label in absent {
        assert!(!labels.iter().any(|found| found == label), "{label} in {text:?}");
    }
}

#[track_caller]
fn offers(text: &str, wanted: &[&str]) {
    let labels = labels(text);
    for label in wanted {
        assert!(labels.iter().any(|found| found == label), "{label} in {text:?}: {labels:?}");
    }
}

#[test]
fn statements_start_with_kinds_and_keywords() {
    offers("$x = 1\n¦\n", &["file", "svc", "import", "class", "forkv"]);
    check("fil¦", &["file"], &["svc"]);
    offers("class c {\n\t¦\n}\n", &["file", "include"]);
}

#[test]
fn variables_of_the_scope_are_offered() {
    check("$root = \"/\"\nclass c($a) {\n\t$b = 1\n}\n$x = $ro¦\n", &["$root"], &["$a", "$b"]);
    offers(
        "$root = \"/\"\nclass c($a) {\n\t$b = 1\n\ttest \"t\" { int64 => $¦, }\n}\n",
        &["$root", "$a", "$b", "$hostname"],
    );
    offers("$root = \"/\"\n$x = \"${¦}\"\n", &["root", "hostname"]);
    check("$const.res.file.state.¦", &[], &["$const.res.file.state.exists"]);
    offers("$x = $const.res.file.state.¦\n", &["$const.res.file.state.exists", "$const.res.file.state.absent"]);
    offers("$x = $const.res.¦\n", &["$const.res.file", "$const.res.net"]);
}

#[test]
fn nothing_is_offered_for_new_names_and_plain_text() {
    for text in ["class ¦", "func ¦", "$¦ = 1\n", "# a ¦", "$x = \"a ¦\"\n", "class c($¦) {}\n"] {
        assert_eq!(labels(text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn functions_bring_their_imports() {
    check("import \"fmt\"\n$x = fmt.pr¦\n", &["fmt.printf"], &["file"]);
    let (text, offset) = with_cursor("# head\n\nimport \"fmt\"\n$x = strings.to_up¦\n");
    let found = analyze(&text).completions(&main_path(), offset);
    let item = found.iter().find(|item| item.label == "strings.to_upper").expect("it is offered");
    assert_eq!(item.import, Some((21, "import \"strings\"\n".to_owned())));
    let (text, offset) = with_cursor("# head\n\n$x = strings.to_up¦\n");
    let found = analyze(&text).completions(&main_path(), offset);
    assert_eq!(found[0].import, Some((8, "import \"strings\"\n".to_owned())));
    offers("$x = prin¦\n", &["fmt.printf"]);
    offers("func double($n) {\n\t$n + $n\n}\n$x = dou¦\n", &["double"]);
    check("import \"fmt\"\nfunc f($n) str {\n\tfmt.prin¦\n}\n", &["fmt.printf"], &["print"]);
}

#[test]
fn entries_are_those_that_are_not_set() {
    check("file \"/a\" {\n\tcontent => \"x\",\n\t¦\n}\n", &[], &["content", "printf"]);
    offers("file \"/a\" {\n\tcontent => \"x\",\n\t¦\n}\n", &["state", "mode", "Notify", "Meta:noop"]);
    check("user \"u\" {\n\t¦\n}\n", &["state"], &[]);
    offers("file \"/a\" {\n\tMeta:¦\n}\n", &["noop", "retry"]);
    check("file \"/a\" {\n\tMeta => struct{noop => true, ¦},\n}\n", &[], &["noop"]);
}

#[test]
fn values_are_those_that_the_parameter_allows() {
    check("svc \"a\" {\n\tstate => \"¦\",\n}\n", &["running"], &["exists"]);
    offers("file \"/a\" {\n\tstate => ¦\n", &["\"exists\"", "\"absent\"", "$const.res.file.state.exists"]);
    offers("file \"/a\" {\n\tstate => \"¦\n", &["exists", "absent"]);
    offers("file \"/a\" {\n\tmode => \"¦\",\n}\n", &["u=rw,go=r", "0644"]);
    check("file \"/a\" {\n\tforce => ¦,\n}\n", &["false", "true"], &[]);
}

#[test]
fn edges_name_kinds_and_resources() {
    offers("svc \"web\" {}\nfile \"/a\" {\n\tNotify => ¦\n}\n", &["Svc", "Http:Server"]);
    check("svc \"web\" {}\nfile \"/a\" {\n\tNotify => Svc[\"¦\"],\n}\n", &["web"], &["/a"]);
}

#[test]
fn verbs_types_and_keys_are_offered() {
    offers("import \"fmt\"\n$x = fmt.printf(\"a %¦ b\", 1)\n", &["%s", "%d", "%%"]);
    check("import \"fmt\"\n$x = fmt.printf(\"a %%¦ b\", 1)\n", &[], &["%s"]);
    check("$x = \"a %¦\"\n", &[], &["%s"]);
    offers("$x []¦ = 1\n", &["str", "int"]);
    offers("$x [][]s¦\n", &["str"]);
    offers("class c($a []¦) {}\n", &["str"]);
    offers("Exec[\"a\"].¦ -> File[\"b\"].content\n", &["output", "stdout"]);
    offers("Exec[\"a\"].out¦\n", &["output"]);
    check("Exec[\"a\"].output -> File[\"b\"].¦\n", &[], &["output"]);
    offers("Exec[\"a\"].output -> File[\"b\"].cont¦\n", &["content"]);
}

#[test]
fn includes_and_imports_are_offered() {
    check("class site($name) {}\ninclude ¦\n", &["site"], &["file"]);
    offers("import \"¦\"\n", &["fmt", "strings"]);
    let scratch = test_support::Scratch::with_files([("lib/main.mcl", "class web {}\n"), ("b.mcl", "")]);
    let path = scratch.path("main.mcl");
    let (text, offset) = with_cursor("import \"lib/\"\ninclude lib.¦\n");
    let mut workspace = Workspace::new(None);
    workspace.open(path.clone(), &text);
    let analysis = Analyzer::default().analyze(&workspace.sources());
    let labels: Vec<String> = analysis.completions(&path, offset).into_iter().map(|item| item.label).collect();
    assert_eq!(labels, ["lib.web"]);
    workspace.open(path.clone(), "import \"\"\n");
    let analysis = Analyzer::default().analyze(&workspace.sources());
    let labels: Vec<String> = analysis.completions(&path, 8).into_iter().map(|item| item.label).collect();
    assert!(labels.contains(&"lib/".to_owned()) && labels.contains(&"b.mcl".to_owned()), "{labels:?}");
    assert!(!labels.contains(&"main.mcl".to_owned()));
}
