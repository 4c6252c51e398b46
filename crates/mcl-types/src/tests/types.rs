//! Types: what is inferred, and what is said of contradictions.

use super::{check, compile};

#[test]
fn literals_and_containers() {
    check(
        "$a = [1, 2]\n$b = {\"k\" => [1.5]}\n$c = struct{x => true, y => \"s\"}\n$d = func($n) { $n + 1 }\n\
         test \"t\" { interface => $a, }\ntest \"u\" { interface => $b, }\ntest \"v\" { interface => $c, int64 => $d(1), }",
        "$a: []int
         $b: map{str: []float}
         $c: struct{x bool; y str}
         $d: func(0 int) int",
    );
}

#[test]
fn unused_definitions_are_not_typed() {
    check(
        "$bad = 1 + \"one\"\nfunc f() { 2 + \"two\" }\nclass c {\ntest \"t\" { int64 => \"x\", }\n}\ntest \"x\" {}",
        "",
    );
}

#[test]
fn mismatch_shows_where_both_types_come_from() {
    check(
        "$n = \"a\"\ntest \"t\" { int64 => $n, }",
        "2:12 E0701 the field `int64` of `test` must be `int`, but this is `str`
           2:21 this value
           1:6 `str` comes from here",
    );
    check(
        "test \"t\" { int64 => 1 + \"x\", }",
        "1:21 E0702 both sides of `+` have one type, but the left is `int` and the right is `str`
           1:21 this is `int`
           1:25 this is `str`",
    );
}

#[test]
fn one_mistake_is_one_error() {
    check(
        "$x = 1 + \"a\"\n$y = [$x]\ntest \"a\" { int64 => $x, }\ntest \"b\" { slicestring => $y, }",
        "1:6 E0702 both sides of `+` have one type, but the left is `int` and the right is `str`
           1:6 this is `int`
           1:10 this is `str`",
    );
}

#[test]
fn func_has_a_type_per_call() {
    check("func id($k) { $k }\n$a = id(1)\n$b = id(\"s\")\ntest [$b] { int64 => $a, }", "$a: int\n$b: str");
}

#[test]
fn lambda_has_one_type() {
    let (_, diagnostics, _) =
        compile("$id = func($k) { $k }\ntest \"t\" { int64 => $id(1), anotherstr => $id(\"s\"), }");
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn operators_of_a_generic_function_are_checked_at_the_call() {
    check(
        "func twice($x) { $x + $x }\n$a = twice(4)\n$b = twice(\"a\")\ntest [$b] { int64 => $a, }",
        "$a: int\n$b: str",
    );
    check(
        "func twice($x) { $x + $x }\n$a = twice(true)\ntest \"t\" { boolptr => $a, }",
        "2:6 E0703 the operator `+` does not take `bool`, only `str`, `int` or `float`
           2:12 this is `bool`
           1:18 needed here",
    );
}

#[test]
fn index_of_parameters_is_decided_at_the_call() {
    check(
        "func at($c, $k) { $c[$k] }\n$a = at([1, 2], 0)\n$b = at({\"a\" => \"x\"}, \"a\")\ntest [$b] { int64 => $a, }",
        "$a: int\n$b: str",
    );
    check(
        "func at($c, $k int) { $c[$k] }\ntest \"t\" { anotherstr => at([1, 2], 0), }",
        "2:12 E0701 the field `anotherstr` of `test` must be `str`, but this is `int`
           2:26 this value
           2:30 `int` comes from here",
    );
}

#[test]
fn fields_chain() {
    check(
        "$s = struct{a => struct{b => [1, 2]}}\n$x = $s->a->b[0]\ntest \"t\" { int64 => $x, }",
        "$s: struct{a struct{b []int}}\n$x: int",
    );
    check(
        "$s = struct{port => 1}\ntest \"t\" { int64 => $s->prot, }",
        "2:21 E0707 `struct{port int}` has no field `prot`
           1:6 this is `struct{port int}`",
    );
}

#[test]
fn optional_field_has_the_type_of_its_default() {
    check(
        "class opt($s) {\n$v = $s->b <|> \"d\"\ntest [$v] {}\n}\ninclude opt(struct{a => 1})\ninclude opt(struct{b => 5})",
        "2:6 E0701 the field `b` is `int`, but its default is `str`
           6:25 `int` comes from here
           2:16 `str` comes from here
           6:1 for this include",
    );
}

#[test]
fn class_has_types_per_include() {
    check(
        "class show($v) {\ntest \"s\" { interface => $v, Meta:hidden => true, }\n}\ninclude show(1)\ninclude show(\"one\")",
        "",
    );
    check("class c($l) {\ntest \"t\" { slicestring => $l, int64 => len($l), }\n}\ninclude c([])", "");
}

#[test]
fn exports_of_a_class_have_types_per_include() {
    check(
        "class c($p) {\n$v = [$p]\n}\ninclude c(1) as a\ninclude c(\"s\") as b\n$x = $a.v\n$y = $b.v\ntest $y { interface => $x, }",
        "$x: []int\n$y: []str",
    );
}

#[test]
fn import_statements_have_types_of_their_own() {
    check(
        "import \"lib.mcl\" as a\nif true {\nimport \"lib.mcl\" as b\ntest \"t\" { int64 => $a.id(1), anotherstr => $b.id(\"s\"), }\n}\n-- lib.mcl --\n$id = func($k) { $k }",
        "",
    );
}

#[test]
fn open_types_are_reported_where_they_come_from() {
    check("$l = []\ntest \"t\" { int64 => len($l), }", "1:6 E0706 nothing says which type this has");
    check("class none($v) {}\ninclude none([])", "2:14 E0706 nothing says which type this has");
    check(
        "import \"math\"\nfunc any() { math.fortytwo() }\n$x = any()\ntest \"t\" { boolptr => $x == $x, }",
        "3:6 E0706 nothing says which type this has",
    );
}

#[test]
fn infinite_types_are_refused() {
    let (_, diagnostics, _) = compile("$w = func($f) { $f($f) }\ntest \"t\" { int64 => $w(func($z) { 1 }), }");
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].code.name(), "E0717");
}

#[test]
fn resource_names_are_known_before_solving() {
    check("class mk($n) {\ntest $n {}\n}\ninclude mk(\"a\")\ninclude mk([\"b\"])", "");
    check(
        "class mk($n) {\ntest $n {}\n}\ninclude mk(\"a\" + \"b\")",
        "2:1 E0712 this name is not known to be a single text, so it is taken as a list of names, but it is `str`
           4:1 for this include
           4:12 `str` comes from here",
    );
}

#[test]
fn formats_are_checked() {
    check(
        "import \"fmt\"\n$f = \"%\" + \"d\"\ntest [fmt.printf($f, \"x\"), fmt.printf(\"%s\"), fmt.printf(\"%x\", 1)] {}",
        "3:7 E0701 `%d` prints `int`, but value 1 is `str`
           3:22 this argument is `str`
           3:18 `int` comes from here
         3:28 E0715 the format has 1 verb, but `fmt.printf` gets no values for them
           3:39 this format
         3:46 E0715 the format has no verb `%x`
           3:57 in this format",
    );
}

#[test]
fn verbs_give_parameters_their_types() {
    check(
        "import \"fmt\"\nimport \"iter\"\n$l = iter.map([1, 2], func($x) { fmt.printf(\"%d\", $x) })\ntest $l {}",
        "$l: []str",
    );
}

#[test]
fn kinds_and_fields_are_checked() {
    let help = |program| compile(program).1[0].help.clone().unwrap_or_default();
    assert_eq!(help("test \"t\" { anotherst => \"x\", }"), "did you mean `anotherstr`?");
    assert_eq!(help("fil \"/x\" {}"), "did you mean `file`?");
    check("test \"a\" {}\nTest[\"a\"]", "2:1 E0713 an edge joins two or more resources, but this has one end");
    check(
        "test [\"a\", \"b\"] {}\nTest[\"a\"].answer -> Test[\"b\"].anotherstr",
        "2:1 E0714 `test` sends `answer` as `int`, but the field `anotherstr` of `test` is `str`
           2:1 sends `int`
           2:21 receives `str`",
    );
}

#[test]
fn bind_of_open_type_matters_only_where_it_is_used() {
    check(
        "import \"lib.mcl\" as a\nimport \"other.mcl\"\n$x = $a.name\n$y = $other.made\ntest [$x, $y] {}\n\
         -- lib.mcl --\n$name = \"n\"\n$id = func($x) { $x }\n-- other.mcl --\nimport \"lib.mcl\"\n$made = $lib.id(\"s\")",
        "$x: str\n$y: str",
    );
    check(
        "import \"lib.mcl\" as a\ntest \"t\" { int64 => $a.n, }\n-- lib.mcl --\n$e = []\n$n = len($e)",
        "lib.mcl:1:6 E0706 nothing says which type this has",
    );
    check(
        "class c($l) {\n$e = []\ntest \"t\" { int64 => len($e), }\n}\ninclude c(1)",
        "2:6 E0706 nothing says which type this has",
    );
}

#[test]
fn brackets_that_are_not_closed_hold_an_unknown_number_of_things() {
    let program = "func f($a, $b) { $a + $b }\n$x = f(1\n$s = struct{a => 1\n$m = {\"k\" => => 2}\ntest \"t\" {\n\tint64 => $x,\n\tint32 => $s->b,\n\tint16 => $m[\"k\"],\n}";
    check(
        program,
        "2:7 E0203 unclosed `(`
           2:8 expected `)` by here
         3:12 E0203 unclosed `{`
           3:18 expected `}` by here
         4:14 E0201 expected an expression, found `=>`",
    );
}

#[test]
fn members_count_only_for_the_instances_that_use_them() {
    let class =
        "class show($x) {\n$loud = $x + \"!\"\n$plain = $x\n}\ninclude show(1) as a\ninclude show(\"s\") as b\n";
    check(&format!("{class}$u = $a.plain\n$v = $b.loud\ntest \"${{v}}\" {{ int64 => $u, }}"), "$u: int\n$v: str");
    check(
        &format!("{class}$u = $a.loud\ntest \"${{u}}\" {{ anotherstr => $b.loud, }}"),
        "5:1 E0701 `$loud` of this include needs `str`, but here it is `int`
            2:1 used of the include
            5:14 `int` comes from here
            2:14 `str` comes from here",
    );
}

#[test]
fn members_of_members_are_told_apart() {
    check(
        "class leaf($x) {
            $l = []
            $up = $x + 1
        }
        class middle($x) {
            include leaf($x) as l
            $raw = $l.l
        }
        include middle(\"s\") as a
        include middle(2) as b
        $n = $b.l.up
        $s = $a.raw
        $t = $b.l.l
        test $s { slicestring => $a.l.l, int64 => $n, interface => [1] == $t, }",
        "$n: int
        $s: []str
        $t: []int",
    );
}

#[test]
fn texts_that_class_arguments_give_are_checked_for_each_include() {
    let program = "import \"fmt\"\nclass c($f, $v) {\n$s = fmt.printf($f, $v)\ntest \"${s}\" {}\n}\n";
    check(&format!("{program}include c(\"%d\", 4)\ninclude c(\"%s\", \"x\")\n"), "");
    check(
        &format!("{program}include c(\"%s\", 4)\n"),
        "3:6 E0701 `%s` prints `str`, but value 1 is `int`
            6:1 for this include
            6:17 `int` comes from here
            3:17 `str` comes from here",
    );
    // What is not constant is left to the run.
    check(&format!("{program}for $i, $v in [\"%d\"] {{\ninclude c($v, \"x\")\n}}\n"), "");
}
