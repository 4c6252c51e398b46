//! Lints about names and constants: what they report, and what not.

use super::*;

/// Resolves the names of a program; the lints are in source order.
fn scope(program: &str) -> (Vec<Diagnostic>, Files) {
    let loaded = load(program);
    let tree = |unit: &Unit| {
        let text = &loaded.files.files[unit.file].text;
        Arc::new(mcl_parser::interpolate(mcl_parser::parse(unit.file, text, &unit.tokens).ast).0)
    };
    let (_, mut found) = crate::scope(&loaded, loaded.units.values().map(tree).collect());
    found.sort_by_key(|lint| (lint.span, lint.code.name()));
    (found, loaded.files)
}

/// Checks the code, line and text of each lint, in source order.
#[track_caller]
fn check(program: &str, expected: &[(&str, u32, &str)]) {
    let (found, files) = scope(program);
    let found: Vec<(&str, u32, &str)> = found
        .iter()
        .map(|lint| {
            let span = lint.span.expect("a location");
            (lint.code.name(), files.line_col(span.file, span.start).line, files.text(span))
        })
        .collect();
    assert_eq!(found, expected, "{program}");
}

#[test]
fn what_nothing_uses_is_reported() {
    check("$a = 1\n$b = $a\ntest \"t\" {}\n", &[("W0208", 2, "$b")]);
    check("class c {}\nfunc f($x) {\n\t$x\n}\ntest \"t\" {}\n", &[("W0210", 1, "c"), ("W0211", 2, "f")]);
    check(
        "import \"fmt\"\nimport \"strings\"\n$s = fmt.printf(\"a\")\ntest $s {}\n",
        &[("W0209", 2, "import \"strings\"")],
    );
    check("if true {\n\t$inner = 1\n}\n", &[("W0208", 2, "$inner")]);
    check("import \"fmt\" as *\ntest \"t\" {}\n", &[("W0209", 1, "import \"fmt\" as *")]);
    check("import \"fmt\" as *\ntest printf(\"t\") {}\n", &[]);
}

#[test]
fn parameters_are_reported_and_loop_variables_are_not() {
    check("class c($a, $b int) {\n\ttest $a {}\n}\ninclude c(\"x\", 1)\n", &[("W0212", 1, "$b")]);
    check("func f($a) {\n\t1\n}\n$b = f(2)\ntest \"t\" {\n\tint64 => $b,\n}\n", &[("W0212", 1, "$a")]);
    check("class c($unused_a) {}\ninclude c(1)\n", &[]);
    check("for $i, $v in [1] {\n\ttest \"t\" {}\n}\n", &[]);
}

#[test]
fn names_of_files_that_are_imported_are_for_others() {
    let library = "-- lib.mcl --\n$unused = 1\nclass web {\n\t$port = 80\n}\nfunc f($x) {\n\t1\n}\n";
    check(&format!("import \"lib.mcl\"\ninclude lib.web\n{library}"), &[("W0212", 5, "$x")]);
    // So are those of a file that does nothing but define.
    check("$a = 1\nclass c {\n\t$b = 2\n}\n", &[]);
    check("$a = 1\nclass c {\n\tif true {\n\t\t$b = 2\n\t}\n}\n", &[("W0208", 4, "$b")]);
}

#[test]
fn an_import_is_used_through_aliases_too() {
    check("import \"a.mcl\"\ninclude a.b.c\n-- a.mcl --\nimport \"b.mcl\"\n-- b.mcl --\nclass c {}\n", &[]);
    check("class c {\n\t$x = 1\n}\ninclude c as k\ntest \"t\" {\n\tint64 => $k.x,\n}\n", &[]);
}

#[test]
fn a_variable_that_hides_another_one_of_its_file_is_reported() {
    check("$x = \"a\"\nfor $i, $x in [\"b\"] {\n\ttest $x {}\n}\ntest $x {}\n", &[("W0215", 2, "$x")]);
    check("class c($x) {\n\ttest $x {}\n}\nclass d($x) {\n\ttest $x {}\n}\ninclude c(\"a\")\ninclude d(\"b\")\n", &[]);
    let other = "import \"lib.mcl\"\n$x = \"a\"\ninclude lib.c($x)\n-- lib.mcl --\nclass c($x) {\n\ttest $x {}\n}\n";
    check(other, &[]);
}

#[test]
fn a_hidden_variable_is_the_innermost_around_the_other_one() {
    let program = "$x = \"a\"\nif true {\n\tif true {\n\t\t$x = \"b\"\n\t\ttest $x {}\n\t}\n\tfor $i, $x in [$x] {\n\
                   \t\tfor $j, $x in [$x] {\n\t\t\ttest \"${x}\" {}\n\t\t}\n\t}\n\tif true {\n\t\t$y = \"c\"\n\
                   \t\ttest $y {}\n\t}\n}\n$y = \"d\"\ntest $y {}\n";
    let (found, files) = scope(program);
    let line = |span: Span| files.line_col(span.file, span.start).line;
    let hidden = found.iter().map(|lint| (lint.code.name(), lint.span.map(line), line(lint.labels[0].span)));
    let expected = [(4, 1), (7, 1), (8, 7), (13, 17)].map(|(at, outer)| ("W0215", Some(at), outer));
    assert_eq!(hidden.collect::<Vec<_>>(), expected);
}

#[test]
fn comparisons_with_a_known_result_are_reported() {
    let compare = |condition: &str| {
        format!(
            "$a = [1]\n$b = struct{{x => 1}}\nif {condition} {{\n\ttest \"t\" {{}}\n}}\n$c = $a[0] + $b->x\ntest \"u\" {{\n\tint64 => $c,\n}}\n"
        )
    };
    for condition in ["1 == 2", "\"a\" != \"a\"", "$a[0] == $a[0]", "$b->x >= $b->x", "true == false"] {
        check(&compare(condition), &[("W0217", 3, condition)]);
    }
    for condition in ["$a[0] == 1", "$a[0] == $a[1]", "$hostname == \"a\"", "len($a) == len($a)"] {
        check(&compare(condition), &[]);
    }
}

#[test]
fn loops_over_nothing_are_reported() {
    let body = "{\n\ttest \"t\" {}\n}\n";
    check(&format!("for $i, $v in [] {body}"), &[("W0218", 1, "[]")]);
    check(&format!("$none = {{}}\nforkv $k, $v in $none {body}"), &[("W0218", 2, "$none")]);
    check(&format!("for $i, $v in [1] {body}"), &[]);
}

#[test]
fn variables_in_strings_need_braces() {
    check(
        "$port = 8080\ntest \"t\" {\n\tanotherstr => \"port=$port, $other, \\$port\",\n}\n",
        &[("W0221", 3, "$port")],
    );
    // A variable of this scope or of one around it, and every string of the program.
    check(
        "class c($host str) {\n\tif true {\n\t\ttest \"t\" {\n\t\t\tanotherstr => \"${host} $host_name $host.\",\n\t\t}\n\t}\n}\ninclude c(\"a\")\n",
        &[("W0221", 4, "$host")],
    );
    check("for $i, $v in [\"{{ range $i, $v := . }}\"] {\n\ttest \"${v}\" {}\n}\n", &[]);
    check("if true {\n\t$a = 1\n\ttest \"u\" {\n\t\tint64 => $a,\n\t}\n}\ntest \"$a\" {}\n", &[]);
}
