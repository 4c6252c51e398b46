//! What names are (spec 11 §3.1).

use super::*;

/// Checks what a place of the sample is: the signature, and parts of the documentation.
#[track_caller]
fn check(line: usize, character: usize, signature: &str, parts: &[&str]) {
    let hover = analyze(SAMPLE).hover(&main_path(), at(SAMPLE, line, character));
    let hover = hover.unwrap_or_else(|| panic!("nothing at {line}:{character}"));
    assert_eq!(hover.signature, signature, "{line}:{character}");
    for part in parts {
        assert!(hover.documentation.contains(part), "{part:?} in {:?}", hover.documentation);
    }
}

#[test]
fn variables_have_types_values_and_comments() {
    check(3, 1, "$root str", &["Where the sites live.", "= `\"/srv\"`"]);
    check(7, 9, "$root str", &["Where the sites live.", "= `\"/srv\"`"]);
    check(6, 19, "$port int", &["Parameter of class `site`."]);
    check(9, 38, "$port int", &["Parameter of class `site`."]);
    check(20, 15, "$k str", &["Loop variable."]);
    check(20, 26, "$v int", &["Loop variable."]);
}

#[test]
fn classes_and_functions_have_signatures() {
    check(20, 10, "class site($name str, $port int)", &["One site: its directory and its file."]);
    check(20, 19, "func double($n int) int", &[]);
    check(9, 18, "fmt.printf(format str, a c, b d …) str", &[]);
}

#[test]
fn kinds_and_parameters_are_documented() {
    check(7, 2, "file \"name\" {}", &["- `content str`"]);
    check(9, 4, "content str", &[]);
    check(8, 34, "$const.res.file.state.exists str", &["= `\"exists\"`"]);
    check(10, 4, "Notify => Kind[\"name\"]", &["refreshes"]);
    check(9, 13, "import \"fmt\"", &["- `fmt.printf`"]);
    check(0, 9, "import \"fmt\"", &["- `fmt.printf`"]);
}

#[test]
fn other_places_have_no_description() {
    let analysis = analyze(SAMPLE);
    for (line, character) in [(2, 5), (4, 18), (9, 20 + 24), (14, 12), (12, 0)] {
        let found = analysis.hover(&main_path(), at(SAMPLE, line, character));
        let is_name = found.is_some_and(|found| !found.signature.starts_with('$'));
        assert!(!is_name, "{line}:{character}");
    }
}

#[test]
fn broken_statements_hide_only_what_depends_on_them() {
    let text = "if true {\n\t$a = 1\n$b = 2\n# The third.\n$c = 3\ntest \"t\" {\n\tint64 => $c,\n}\n";
    let hover = analyze(text).hover(&main_path(), at(text, 6, 11)).expect("a variable");
    assert_eq!(hover.signature, "$c int");
    assert!(hover.documentation.contains("The third."));
}

#[test]
fn modes_have_another_notation() {
    for (mode, other) in [("u=rw,go=r", "`0644`"), ("0755", "`u=rwx,go=rx`")] {
        let text =
            format!("file \"/a\" {{\n\tstate => \"exists\",\n\tmode => \"{mode}\",\n\towner => \"{mode}\",\n}}\n");
        let analysis = analyze(&text);
        let hover = analysis.hover(&main_path(), at(&text, 2, 12)).expect("a mode");
        assert!(hover.documentation.contains(other), "{hover:?}");
        assert_eq!(
            shown(&analysis, &main_path(), hover.range.start, hover.range.end),
            format!("2:9–2:{}", 11 + mode.len())
        );
        assert_eq!(analysis.hover(&main_path(), at(&text, 3, 13)), None);
    }
}
