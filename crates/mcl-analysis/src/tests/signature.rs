//! Signatures of calls (spec 11 §3.5).

use super::*;

/// Checks the signature at the cursor, and which parameter is active.
#[track_caller]
fn check(text: &str, expected: Option<(&str, &str)>) {
    let (text, offset) = with_cursor(text);
    let found = analyze(&text).signature_help(&main_path(), offset);
    let found = found.map(|help| {
        let active = help
            .parameters
            .get(help.active)
            .map(|range| help.label[range.start as usize..range.end as usize].to_owned());
        (help.label, active.unwrap_or_default())
    });
    let found = found.as_ref().map(|(label, active)| (label.as_str(), active.as_str()));
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn calls_show_the_parameter_that_is_written() {
    let printf = "printf(format str, a c, b d …) str";
    check("import \"fmt\"\n$x = fmt.printf(¦", Some((printf, "format str")));
    check("import \"fmt\"\n$x = fmt.printf(\"a, b\", [1, 2], ¦)\n", Some((printf, "b d …")));
    check("import \"fmt\" as f\n$x = f.printf(¦)\n", Some((printf, "format str")));
    check("func double($n int) {\n\t$n + $n\n}\n$x = double(¦1)\n", Some(("double($n int)", "$n int")));
}

#[test]
fn includes_show_the_parameters_of_their_class() {
    let class = "class site($name str, $port int) {}\n";
    let label = "site($name str, $port int)";
    check(&format!("{class}include site(\"a\", ¦)\n"), Some((label, "$port int")));
    check(&format!("{class}include site(¦\n"), Some((label, "$name str")));
}

#[test]
fn other_places_have_no_signature() {
    for text in [
        "$x = (¦1)\n",
        "class c(¦) {}\n",
        "func f(¦) { 1 }\n",
        "$x = [¦]\n",
        "¦",
        "$x = nope(¦)\n",
        "$x = len([1, ¦])\n",
    ] {
        check(text, None);
    }
}
