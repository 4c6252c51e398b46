//! What is reported, where, and what is not.

use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use mcl_lexer::{lex, lex_diagnostics};

use crate::ast::Stmt;
use crate::{check_ast, interpolate, parse};

/// All messages of the four stages.
pub fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let file = FileId(0);
    let tokens = lex(text);
    let mut found = lex_diagnostics(file, text, &tokens);
    let parsed = parse(file, text, &tokens);
    found.extend(parsed.diagnostics);
    found.extend(check_ast(&parsed.ast));
    found.extend(interpolate(parsed.ast).1);
    found
}

fn shown(text: &str, severity: Severity) -> Vec<String> {
    let mut files = Files::default();
    let file = files.add("main.mcl", text);
    let of = |d: &Diagnostic| {
        let start = d.span.map_or(0, |s| s.start);
        let place = files.line_col(file, start);
        format!("{}:{} {} {}", place.line, place.col, d.code.name(), d.message)
    };
    diagnostics(text).iter().filter(|d| d.severity == severity).map(of).collect()
}

/// Errors as `line:col code message`.
fn errors(text: &str) -> Vec<String> {
    shown(text, Severity::Error)
}

/// Asserts that the errors of a text are these, each given by the start of its line.
fn check(text: &str, expected: &[&str]) {
    let found = errors(text);
    let fits = found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| f.starts_with(e));
    assert!(fits, "{text}\nfound:    {found:#?}\nexpected: {expected:#?}");
}

#[test]
fn a_broken_statement_costs_only_itself() {
    check("$a = 1 2\n$b = 3 4\n$c = 5\n", &["1:8 E0213", "2:8 E0213"]);
    check("$a = 1 2 3 4\ntest \"x\" {}\n", &["1:8 E0213"]);
    check("class c($n) {\n\t$a = 1 2\n\tif true {\n\t\t$b = 3 4\n\t}\n\t$c = 5 6\n}\n", &["2:9", "4:10", "6:9"]);
    check("if true {\n\t$a = = 1\n\ttest \"x\" {}\n}\n$b = * 2\n", &["2:7", "5:6"]);
    check("test \"a\" {}\noops\ntest \"b\" {}\n", &["2:1 E0218"]);
    check("test \"a\" {}\n1 + 2\ntest \"b\" {}\n", &["2:1 E0218"]);
}

#[test]
fn a_broken_entry_costs_only_itself() {
    check("test \"x\" {\n\ta => 1 2,\n\tb => \"ok\",\n\tc => * 2.0,\n}\n$z = 1 2\n", &["2:9", "4:7", "6:8"]);
    check("test \"x\" {\n\ta => 1\n\tb => 2\n}\n", &["2:7 E0202", "3:7 E0202"]);
    check("test \"x\" { a => 1 b => 2, }\n", &["1:17 E0202"]);
    check("test \"x\" { a = 1, }\n", &["1:14 E0201 a field takes `=>`"]);
    check("test \"x\" { str => 1, }\n", &["1:12 E0215"]);
    check("test \"x\" { meta:noop => true, }\n", &["1:16 E0201 meta parameters are written `Meta:`"]);
}

#[test]
fn a_broken_element_costs_only_itself() {
    check("$a = [\n\t1 2,\n\t$ok,\n\t3 +,\n]\n$b = [1,, 2]\n", &["2:4", "4:5", "6:9"]);
    check("$a = [\n\t\"x\"\n\t\"y\",\n]\n", &["2:2 E0202"]);
    check("$a = f(1 2, 3)\n$b = f(5-2)\n", &["1:8 E0202", "2:9 E0213"]);
    check("$m = {\"a\" = 1, \"b\" => 2}\n$s = struct{\"a\" => 1}\n", &["1:11 E0201", "2:13"]);
    check("func f($x $y) { $x }\nfunc g(x) { 1 }\n", &["1:9 E0202", "2:8 E0201 the name of a parameter"]);
}

#[test]
fn an_unclosed_bracket_costs_only_its_statement() {
    check("$a = [1, 2\n$b = 3\ntest \"x\" {}\n", &["1:6 E0203"]);
    check("$a = foo(1, [2, 3)\n$b = 3\n", &["1:13 E0203"]);
    check("test \"a\" {\n\tx => 1,\ntest \"b\" {}\n$c = 1 2\n", &["1:10 E0203", "4:8"]);
    check("class a {\n\tif true {\n\t\ttest \"x\" {}\n}\nclass b {\n}\ninclude b\n", &["2:10 E0203"]);
    check("class a {\n\ttest \"x\" {}\n\nclass b {\n}\ninclude b\n", &["1:9 E0203"]);
    check("test \"a\" {}\n}\n$b = 1 2\n", &["2:1 E0204", "3:8"]);
    check("$a = (1 + ]\n$b = 2\n", &["1:11 E0204"]);
    check("$a = 1)\n$b = 2\n", &["1:7 E0204"]);
    check("test \"a\" { x => (1 + 2, }\n", &["1:17 E0203"]);
}

#[test]
fn a_broken_head_does_not_hide_its_block() {
    check("for $v in [1] {\n\t$a = 1 2\n}\n", &["1:8 E0201", "2:9"]);
    check("class a.b {\n\t$x = 1 2\n}\n$y = 3 4\n", &["1:8 E0201", "2:9", "4:8"]);
    check("if $a {\n} else if $b {\n\t$x = 1 2\n}\n$y = 3 4\n", &["2:8 E0212", "3:9", "5:8"]);
}

#[test]
fn lexical_errors_have_no_follow_ons() {
    check("$a = 'x'\n$b = 2\n$c = 7 % 2\n", &["1:6 E0106", "3:8 E0107"]);
    check("$a = 1 & 2\n$b = 3 4\n", &["1:8 E0107", "2:8 E0213"]);
    check("$a = 99999999999999999999\ntest \"x\" { a => 99999999999999999999, }\n", &["1:6 E0103", "2:17 E0103"]);
    check("test \"a\" {}\n$s = \"never\nends\n", &["2:6 E0105"]);
    check("if $a && !$b {\n\ttest \"x\" {}\n}\n", &["1:7 E0107"]);
    check("$a = 1\r\n$b = 2\r\n", &["1:7 E0102"]);
}

#[test]
fn known_mistakes_are_named() {
    for (text, message) in [
        ("$a = 5-2", "two values without an operator: `-2` is one number"),
        ("$b = 1\n$a = -$b", "there is no unary minus"),
        ("$a == 1", "a comparison is no statement"),
        ("a = 1", "`a` is defined without a dollar sign"),
        ("$in = 1", "the keyword `in` cannot be the name of a variable"),
        ("$Total = 1", "names are lower case, found `Total`"),
        ("$a string = \"x\"", "there is no type `string`"),
        ("$a = foo\n$b = 1", "the bare name `foo` means nothing here"),
        ("$a = null", "the bare name `null` means nothing here"),
        ("$a = 1 == 2 == 3", "comparisons do not chain"),
        ("$a = $b ?: 1", "`?:` stands only in the entries of a resource"),
        ("$a = f(1)(2)", "the result of an expression cannot be called"),
        ("$a = true || false", "`||` is no logical or"),
        ("$a =\n$b = 1", "expected an expression, found the end of the line"),
        ("$x struct{a int;} = $y", "a struct type does not end in `;`"),
        ("// comment", "this starts no comment"),
        ("import fmt", "an import takes a string"),
        ("include \"c\"", "an include takes the name of a class without quotes"),
        ("for $v in [1] {\n}", "a loop has two variables"),
        ("else {\n}", "this `else` belongs to no `if`"),
        ("If true {\n}", "the keyword `if` is lower case"),
        ("test { a => 1, }", "this test resource has no name"),
        ("len(\"x\")", "a call is no statement"),
        ("$x struct{a int; a str} = $y", "the struct type has two fields `a`"),
        ("func f($x) {\n\t$y = $x\n\t$y\n}", "the body of a function or branch is one expression"),
        ("test \"x\" {\n\ttest \"y\" {}\n}", "a resource holds fields and edges"),
        ("if $a = 1 {\n}", "expected an operator, found `=`"),
        ("test \"x\" { Other:noop => true, }", "`Other` is no entry of a resource"),
        ("test \"x\" { Before => \"y\", }", "`Before` takes an edge half"),
    ] {
        let found = errors(text);
        assert!(found.len() == 1 && found[0].contains(message), "{text}\nfound: {found:#?}\nexpected: {message}");
    }
}

#[test]
fn init_checks_report_every_place() {
    check("test \"a\" {\n\tMeta:speed => 9,\n\tMeta:noop => true,\n\tMeta:nop => 1,\n}\n", &["2:2 E0308", "4:2 E0308"]);
    check("test \"a\" { x => 1, x => 2, Require => Test[\"b\"], }\n", &["1:20 E0301", "1:28 E0307"]);
    check(
        "$m = {\"a\" => 1, \"a\" => 2}\n$n = {\"a\" => 1, 2 => 3}\n$o = {[1] => 2}\n",
        &["1:17 E0305", "2:17 E0304", "3:7 E0303"],
    );
    check("$m = {1 => 1, 01 => 2}\n$n = {1.0 => 1, 1.00 => 2}\n", &["1:15 E0305", "2:17 E0305"]);
    check("$x = struct{a => 1, a => 2}\n", &["1:21 E0306"]);
    check("for $i, $v in [1] {\n\timport \"fmt\"\n}\nimport \"\"\n", &["2:2 E0309", "4:8 E0311"]);
    check("$x = $a__b\n", &["1:6 E0310"]);
}

#[test]
fn bad_strings_are_shown_inside_of_the_string() {
    check("$a = \"x\\qy\"\n", &["1:8 E0401"]);
    check("$a = \"x\n ${ y }\"\n", &["2:2 E0402"]);
    check("$a = \"${a__b}\"\n", &["1:7 E0310"]);
    check("class c {}\nclass c {}\nclass d {}\nclass d:e {}\nclass d:e {}\n", &["2:7 E0403", "5:7 E0403"]);
}

#[test]
fn nesting_that_is_too_deep_is_one_error() {
    let n = 100_000;
    for text in [
        format!("$a = {}1{}\n", "(".repeat(n), ")".repeat(n)),
        format!("$a = {}\n", "(".repeat(n)),
        format!("$a = {}1{}\n", "[".repeat(n), "]".repeat(n)),
        format!("$a = {}true\n", "not ".repeat(n)),
        format!("$a = {}1{}\n", "1 + (".repeat(n), ")".repeat(n)),
        format!("$a = $b{}\n", "[0]".repeat(n)),
        format!("$a = $b{}\n", "->c".repeat(n)),
        format!("$a {}int = $b\n", "[]".repeat(n)),
        format!("{}{}\n", "if true {\n".repeat(n), "}\n".repeat(n)),
        format!("$a = {}1{}\n", "if true { 1 } else { ".repeat(n), " }".repeat(n)),
        format!("$a = {}1{}\n", "func() { ".repeat(n), " }".repeat(n)),
    ] {
        let found = errors(&text);
        assert!(found.len() == 1 && found[0].contains("E0210"), "{}…: {found:?}", &text[..40]);
    }
    // Blocks that are not closed either.
    let found = errors(&"if true {\n".repeat(n));
    assert!(found.len() <= 2 && found.iter().any(|e| e.contains("E0210")), "{found:?}");
}

#[test]
fn chains_of_operators_are_no_nesting() {
    let n = 100_000;
    for op in ["+", "-", "*", "/", "and", "or"] {
        let text = format!("$a = $b{}\n", format!(" {op} $b").repeat(n));
        assert!(errors(&text).is_empty(), "{op}");
    }
}

#[test]
fn if_without_a_condition_is_one_error() {
    check("if {\n\ttest \"a\" {}\n}\n", &["1:1 E0201"]);
    check("if {\n\t$x = 1\n} else {\n\ttest \"b\" {}\n}\n", &["1:1 E0201"]);
    check("if {\"a\" => 1} == $m {\n}\nif {\"a\" => 1}[\"a\"] == 1 {\n}\n", &[]);
}

#[test]
fn broken_statements_leave_the_names_that_they_define() {
    let text = "$x = 1 2\nfunc f( { 1 }\nclass c:d( {}\nimport \"a/lib.mcl\" as as\nimport fmt\n";
    let parsed = parse(FileId(0), text, &lex(text));
    let names: Vec<String> = parsed
        .ast
        .stmts
        .iter()
        .filter_map(|stmt| if let Stmt::Error { defines } = stmt { Some(defines) } else { None })
        .flatten()
        .map(|d| format!("{:?} {}", d.kind, parsed.ast.name(d.name)))
        .collect();
    assert_eq!(names, ["Variable x", "Function f", "Class c:d", "Alias lib", "Alias fmt"]);
}

#[test]
fn lints_name_what_mgmt_rejects() {
    for (text, lints) in [
        ("$a = [1, 2,]\n", "1:11 W0101"),
        ("$a = [\n\t1,\n\t2\n]\n", "3:2 W0102"),
        ("$a = [\n\t1, 2,\n]\n", "2:5 W0103"),
        ("$a = [1,\n\t2,\n]\n", "2:2 W0104"),
        ("$a =\n\t1\n", "2:2 W0105"),
        ("$a = 1 +\n\t2\n", "2:2 W0105"),
        ("$a = (\n\t1\n)\n", "2:2 W0105"),
        ("if true\n{\n}\n", "2:1 W0106"),
        ("if true {\n}\nelse {\n}\n", "3:1 W0107"),
        ("$a = 1 $b = 2\n", "1:8 W0108"),
        ("if true { test \"a\" {} }\n", "1:23 W0108"),
        ("$a = 1", "1:6 W0109"),
        ("$a map{\n\tstr: int} = $b\n", "2:2 W0110"),
        ("$a = [\n\t1\n\t,\n]\n", "3:2 W0111"),
        ("$a = $b[0] || 2\n", "1:12 W0112"),
        ("$a = $b->c || 2\n", "1:12 W0112"),
        ("$a = \"c:\\\\\"\n", "1:6 W0113"),
        ("func f($x,) { $x }\n$a = f(1,)\n$b func(int,) int = $c\n", "1:10 W0101;2:9 W0101;3:12 W0101"),
    ] {
        let found = shown(text, Severity::Warning);
        let expected: Vec<&str> = lints.split(';').collect();
        let fits = found.len() == expected.len() && found.iter().zip(&expected).all(|(f, e)| f.starts_with(e));
        assert!(fits, "{text}\nfound: {found:#?}\nexpected: {expected:?}");
    }
}

#[test]
fn the_strict_form_has_no_lints() {
    let text = "import \"fmt\"\n\n# a comment\n$a = [\n\t1,\n\n\t2, # two\n]\n$b = f(func($x) {\n\t$x\n}, [])\nif $a {\n\ttest \"x\" {\n\t\ta => 1, b => 2,\n\n\t\tc => if true {\n\t\t\t1\n\t\t} else {\n\t\t\t2\n\t\t},\n\t}\n} else {}\nfunc g(\n\t$a int,\n\t$b func(\n\t\tint,\n\t) str,\n) int { $a }\nclass c() {}\nTest[\"x\"] -> Test[\"y\"]\n# end";
    assert_eq!(shown(text, Severity::Warning), Vec::<String>::new());
    assert_eq!(errors(text), Vec::<String>::new());
}
