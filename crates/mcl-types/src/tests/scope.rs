//! Names: what they mean, and what is said of those that mean nothing.

use super::{check, compile};

#[test]
fn definitions_come_in_any_order() {
    check(
        "test [$greet] {}\n$greet = $salute + \" all\"\n$salute = \"hi\"",
        "$greet: str
         $salute: str",
    );
}

#[test]
fn inner_name_hides_outer_one() {
    check("$x = 1\nif true {\n$x = \"s\"\ntest \"t\" { anotherstr => $x, }\n}\ntest \"u\" { int64 => $x, }", "$x: int");
}

#[test]
fn unknown_names_are_reported_with_what_may_be_meant() {
    check(
        "$port = 1\n$a = $prot\n$b = lenn(\"x\")\n$c = $f(1)\ninclude nope\ntest \"t\" {}",
        "2:6 E0601 the variable `$prot` does not exist in this scope
         3:6 E0602 the function `lenn` does not exist in this scope
         4:6 E0603 the function value `$f` does not exist in this scope
         5:1 E0604 the class `nope` does not exist in this scope",
    );
    let (_, diagnostics, _) = compile("$port = 1\n$a = $prot");
    assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `$port`?"));
}

#[test]
fn function_and_variable_are_different_names() {
    let help = |program| compile(program).1[0].help.clone().unwrap_or_default();
    assert_eq!(help("$f = func($n) { $n }\n$x = f(1)"), "`$f` is a variable; call the function it holds with `$f(…)`");
    assert_eq!(help("func f($n) { $n }\n$x = $f(1)"), "`f` is a function, not a variable; call it with `f(…)`");
    assert_eq!(help("$x = strings.to_upper(\"a\")"), "write `import \"strings\"` to use it");
}

#[test]
fn class_that_is_never_included_may_use_unknown_names() {
    check("class ghost {\ntest \"${missing}\" {}\n}\ntest \"x\" {}", "");
    check(
        "class ghost {\ntest \"${missing}\" {}\n}\ninclude ghost",
        "2:7 E0601 the variable `$missing` does not exist in this scope",
    );
}

#[test]
fn duplicates_are_found_even_in_classes_that_are_never_included() {
    check(
        "class box {\n$w = 1\n$w = 2\n}\n$p = 1\n$p = 2",
        "3:1 E0606 the variable `$w` is defined twice in one list of statements
           2:1 first defined here
         6:1 E0606 the variable `$p` is defined twice in one list of statements
           5:1 first defined here",
    );
}

#[test]
fn circle_is_reported_once_at_its_first_use() {
    check(
        "$p = $q + 1\n$q = $r + 1\n$r = $p + 1\ntest \"t\" { int64 => $p, }",
        "1:6 E0608 the variable `$q` uses itself through others
           2:6 uses the variable `$r`
           3:6 uses the variable `$p`",
    );
    check("func f($n) { f($n) }\ntest \"t\" {}", "1:14 E0608 the function `f` uses itself");
    check("class c {\ninclude c\n}\ninclude c", "2:9 E0608 the class `c` uses itself");
}

#[test]
fn circle_may_pass_through_an_alias() {
    check(
        "class c($p) {\n$v = $p\n}\ninclude c($x) as k\n$x = $k.v",
        "4:11 E0608 the variable `$x` uses itself through others
           5:6 uses the include `k`",
    );
}

#[test]
fn loop_variable_hides_an_outer_name() {
    check(
        "class scan {\nfor $i, $v in [\"a\"] {\ntest \"s${v}\" {}\n}\n$out = \"o\"\n}\ninclude scan as s\n$v = $s.out\ntest [$v] {}",
        "$v: str",
    );
}

#[test]
fn alias_shows_everything_that_the_class_sees() {
    check(
        "$sep = \"-\"\nclass kit($base) {\n$full = $base + \"v\"\nfunc wrap($s) { \"<\" + $s }\n}\ninclude kit(\"B\") as k\n\
         $a = $k.full\n$b = $k.base\n$c = $k.sep\n$d = k.wrap(\"w\")\ntest [$a, $b, $c, $d] {}",
        "$sep: str
         $a: str
         $b: str
         $c: str
         $d: str",
    );
}

#[test]
fn aliases_chain() {
    check(
        "class inner {\n$x = 1.5\n}\nclass outer {\ninclude inner as i\n}\ninclude outer as o\n$y = $o.i.x\ntest \"t\" { float64 => $y, }",
        "$y: float",
    );
}

#[test]
fn include_gives_an_argument_for_each_parameter() {
    check(
        "class c($a, $b) {}\ninclude c(1)",
        "2:1 E0605 class `c` expects 2 arguments but got 1
           1:7 it has ($a, $b)",
    );
}

#[test]
fn imported_file_sees_nothing_around_it_at_the_top_of_a_file() {
    check(
        "$k = 1\nimport \"lib.mcl\"\ntest \"t\" { int64 => $lib.v, }\n-- lib.mcl --\n$v = $k",
        "lib.mcl:1:6 E0601 the variable `$k` does not exist in this scope",
    );
}

#[test]
fn file_imported_in_a_branch_sees_what_is_around_the_branch() {
    check(
        "$k = 7\nif true {\nimport \"lib.mcl\"\ntest \"t\" { int64 => $lib.v, }\n}\n-- lib.mcl --\n$v = $k",
        "$k: int",
    );
}

#[test]
fn files_that_import_each_other_are_reported() {
    check(
        "import \"one.mcl\"\n-- one.mcl --\nimport \"two.mcl\" as *\n-- two.mcl --\nimport \"one.mcl\" as *\n$x = $y",
        "two.mcl:1:1 E0510 this import leads back to its own file",
    );
    check("import \"main.mcl\"", "1:1 E0510 this import leads back to its own file");
}

#[test]
fn imported_file_only_defines() {
    check(
        "import \"lib.mcl\"\n-- lib.mcl --\n$v = 1\ntest \"loose\" {}",
        "lib.mcl:2:1 E0511 a resource cannot stand at the top level of an imported file
           1:1 the file is imported here",
    );
}

#[test]
fn imports_of_one_list_do_not_collide() {
    check("import \"math\" as a\nimport \"math\" as b", "2:1 E0508 `math` is imported twice in one list of statements");
    check(
        "import \"math\" as a\nimport \"strings\" as a",
        "2:1 E0509 two imports have the alias `a`
           1:18 and this one",
    );
    check(
        "import \"lib.mcl\" as *\nimport \"strings\"\n-- lib.mcl --\nimport \"strings\"",
        "2:1 E0512 an earlier `import … as *` already brings the module `strings`",
    );
}

#[test]
fn names_of_a_module_that_failed_are_not_reported() {
    check(
        "import \"quantum\"\n$x = quantum.f(1)\ntest \"t\" { int64 => $x, anotherstr => $quantum.v, }",
        "1:1 E0501 there is no system module `quantum`",
    );
}

#[test]
fn star_imports_bring_plain_names_and_the_later_one_wins() {
    check(
        "import \"one.mcl\" as *\nimport \"two.mcl\" as *\n$x = $v\ntest \"t\" { anotherstr => $x, }\n-- one.mcl --\n$v = 1\n-- two.mcl --\n$v = \"2\"",
        "$x: str",
    );
}

#[test]
fn names_of_broken_statements_are_known() {
    let errors = |program| compile(program).1.len();
    assert_eq!(errors("$x = 1 2\ntest \"t\" { int64 => $x, }"), 1);
    assert_eq!(errors("func f($n) { $n + }\ntest \"t\" { int64 => f(1), }"), 1);
    assert_eq!(errors("class c($n int str) {\ntest \"${n}\" {}\n}\ninclude c(\"a\") as k\ntest \"${k.v}\" {}"), 1);
}

#[test]
fn parameters_of_one_function_or_class_have_different_names() {
    check(
        "$f = func($a, $a) { $a }\nclass c($b int, $b) {}\nfor $i, $i in [1] {}",
        "1:15 E0609 two parameters are called `$a`
           1:11 first named here
         2:17 E0609 two parameters are called `$b`
           2:9 first named here",
    );
}
