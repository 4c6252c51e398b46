//! Programs that would not end, or need too much: each has one error.

use crate::world::{compile_program, options};

#[track_caller]
fn check(code: &str, message: &str) {
    let mut options = options(false);
    options.budget.steps = 3_000_000;
    options.budget.bytes = 64 << 20;
    let compiled = compile_program(code, &options);
    let messages: Vec<&str> = compiled.errors.iter().map(|error| &*error.message).collect();
    assert!(messages.len() == 1 && messages[0].contains(message), "{messages:?}");
}

#[test]
fn functions_that_call_themselves() {
    check("function f($n) { f($n + 1) }\nf(1)", "calls are nested more than");
    check("function f($n) { [1].each |$x| { f($x) } }\nf(1)", "calls are nested more than");
}

#[test]
fn defines_that_declare_themselves() {
    check("define d() { d { \"${title}x\": } }\nd { 'a': }", "Somehow looped more than 1000 times");
}

#[test]
fn classes_that_inherit_each_other() {
    check("class a inherits b { }\nclass b inherits a { }\ninclude a", "inherits from itself");
}

#[test]
fn classes_that_include_themselves() {
    let compiled =
        compile_program("class a { include b }\nclass b { include a notice('b') }\ninclude a", &options(false));
    assert_eq!(compiled.logs(), ["notice: Scope(Class[B]): b"]);
}

#[test]
fn collectors_that_realise_more_collectors() {
    check("define d() { @d { \"${title}x\": } }\n@d { 'a': }\nD <| |>", "Somehow looped more than 1000 times");
}

#[test]
fn aliases_that_are_themselves() {
    check("type A = B\ntype B = A\nnotice(1 =~ A)", "cannot be resolved to a real type");
}

#[test]
fn strings_that_double() {
    let code = "function f($s, $n) { if $n > 0 { f(\"${s}${s}\", $n - 1) } else { $s } }\nf('0123456789', 100)";
    check(code, "evaluation makes values of more than");
}

#[test]
fn what_doubles_ends_before_a_host_misses_the_memory() {
    for code in [
        "Integer[1, 100].reduce('x') |$s, $i| { \"${s}${s}\" }",
        "Integer[1, 100].reduce(['x']) |$a, $i| { $a + $a }",
        "Integer[1, 100].reduce('x') |$s, $i| { regsubst($s, 'x', 'xxxx', 'G') }",
        "Integer[1, 100].reduce('x') |$s, $i| { sprintf('%s%s', $s, $s) }",
        "Integer[1, 100].reduce('x') |$s, $i| { join([$s, $s]) }",
        "inline_template(\"<% s = 'x'; 100.times { s = s * 2 } %>\")",
        "inline_template(\"<% s = 'x'; 100.times { s << s } %>\")",
        "inline_template(\"<% a = ['x']; 100.times { a = a + a } %>\")",
    ] {
        let compiled = compile_program(code, &options(false));
        let messages: Vec<&str> = compiled.errors.iter().map(|error| &*error.message).collect();
        let limit = messages.first().and_then(|message| message.split_once("more than ")).map(|(_, limit)| limit);
        let limit: Option<u64> = limit.and_then(|limit| limit.split(' ').next()?.parse().ok());
        let is_limited =
            limit.is_some_and(|limit| limit <= 256 << 20) || messages == ["the formatted string is too long"];
        assert!(messages.len() == 1 && is_limited, "{code}: {messages:?}");
    }
}

#[test]
fn lists_that_double() {
    check(
        "function f($a, $n) { if $n > 0 { f($a + $a, $n - 1) } else { $a } }\nf([1], 60)",
        "evaluation makes values of",
    );
    check(
        "function f($a, $n) { if $n > 0 { f([*$a, *$a], $n - 1) } else { $a } }\nf([1], 60)",
        "evaluation makes values of",
    );
}

#[test]
fn strings_of_ten_megabytes() {
    let code = "$s = sprintf('%10000000s', 'x')\nnotice($s.length, \"${s}${s}\".length, ($s =~ /x/), upcase($s)[-1])";
    assert_eq!(compile_program(code, &options(false)).logs(), ["notice: 10000000 20000000 true X"]);
}

#[test]
fn iterations_in_iterations() {
    check("Integer[1, 100000].each |$x| { Integer[1, 100000].each |$y| { $x + $y } }", "evaluation takes more than");
}

#[test]
fn default_values_that_call_themselves() {
    check("function f($x = f()) { $x }\nf()", "calls are nested more than");
}

#[test]
fn loops_of_many_steps() {
    check("Integer[1, 1000000000].each |$x| { $x + 1 }", "evaluation takes more than");
}

#[test]
fn long_chains_are_evaluated() {
    let sum = format!("notice({})", vec!["1"; 300].join(" + "));
    assert_eq!(compile_program(&sum, &options(false)).logs(), ["notice: 300"]);
    let mut arrows: Vec<String> = (0..300).map(|n| format!("notify {{ 'n{n}': }}")).collect();
    arrows.push(String::new());
    let arrows = arrows.join(" -> ");
    let arrows = arrows.trim_end_matches(" -> ");
    assert!(compile_program(arrows, &options(false)).compilation.catalog.is_some());
}

#[test]
fn deep_nesting_is_evaluated() {
    let deep = format!("$x = {}1{}\nnotice(1)", "[".repeat(200), "]".repeat(200));
    assert_eq!(compile_program(&deep, &options(false)).logs(), ["notice: 1"]);
}

#[test]
fn lists_that_share_their_elements() {
    let mut code = String::from("$a0 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n");
    for level in 1..12 {
        let inner = format!("$a{}", level - 1);
        code += &format!("$a{level} = [{}]\n", [inner.as_str(); 10].join(", "));
    }
    for end in ["notice($a11)", "notice($a11 == $a11)", "notice($a11 =~ Array[String])", "notice(\"${a11}\")"] {
        check(&format!("{code}{end}"), "a value has more than 750000 elements");
    }
    let below = "$h = $a4\n".to_owned() + &"$x = type($h)\n".replace("$x", "$y");
    let code: String = code.lines().take(5).map(|line| format!("{line}\n")).collect();
    check(
        &format!("{code}{below}Integer[1, 1000].each |$i| {{ $t = \"${{h}}\" }}"),
        "evaluation makes values of more than",
    );
    check(
        &format!("{code}Integer[1, 1000].each |$i| {{ $t = $a4 == $a4 }}"),
        "evaluation takes more than 3000000 steps",
    );
}

#[test]
fn long_chains_of_definitions() {
    const LENGTH: usize = 20_000;
    let chain = |link: &dyn Fn(usize) -> String, end: &str| {
        let links: String = (0..LENGTH).map(link).collect();
        links + &end.replace("LAST", &LENGTH.to_string())
    };
    let inherits = chain(&|n| format!("class a{n} inherits a{} {{ }}\n", n + 1), "class aLAST { }\ninclude a0");
    check(&inherits, "calls are nested more than");
    let includes = chain(&|n| format!("class a{n} {{ include a{} }}\n", n + 1), "class aLAST { }\ninclude a0");
    check(&includes, "calls are nested more than");
    let calls = chain(&|n| format!("function f{n}() {{ f{}() }}\n", n + 1), "function fLAST() { 1 }\nf0()");
    check(&calls, "calls are nested more than");
    let aliases = chain(&|n| format!("type A{n} = Array[A{}]\n", n + 1), "type ALAST = Integer\nnotice([] =~ A0)");
    check(&aliases, "calls are nested more than");
    let defines = chain(&|n| format!("define d{n}() {{ d{} {{ 'a': }} }}\n", n + 1), "define dLAST() { }\nd0 { 'a': }");
    check(&defines, "Somehow looped more than 1000 times");
}

#[test]
fn values_and_types_that_are_nested_deeply() {
    for (start, next) in [
        ("1", "[$inner]"),
        ("1", "{ 'a' => $inner }"),
        ("1", "{ [$inner] => 1 }"),
        ("1", "Sensitive([$inner])"),
        ("1", "Deferred('a', [$inner])"),
        ("1", "[$inner].reverse_each"),
        ("1", "O($inner)"),
        ("Integer", "Array[$inner]"),
        ("Integer", "Hash[String, $inner]"),
        ("Integer", "Tuple[$inner, String]"),
        ("Integer", "Struct[{ 'a' => $inner }]"),
        ("Integer", "Optional[Variant[$inner, String]]"),
        ("Integer", "Variant[Array[$inner], String]"),
        ("Integer", "Callable[[$inner], String]"),
        ("Integer", "Sensitive[$inner]"),
        ("Integer", "Object[{ attributes => { 'a' => $inner } }]"),
    ] {
        let code = format!(
            "type O = Object[{{ attributes => {{ 'a' => Any }} }}]\n\
             $x = Integer[1, 20000].reduce({start}) |$inner, $i| {{ {next} }}\n\
             notice($x == $x, $x in [true], \"${{x}}\".length > 1, [$x, $x].unique.length)"
        );
        assert_eq!(compile_program(&code, &options(false)).logs(), ["notice: true false true 1"], "{next}");
    }
}

#[test]
fn many_parameters_and_unknown_variables() {
    let parameters: String = (1..20_000).map(|n| format!("$p{n} = 1, ")).collect();
    let define = format!("define d({parameters}) {{ notice($p19999) }}\nd {{ 'a': }}");
    assert_eq!(compile_program(&define, &options(false)).logs(), ["notice: Scope(D[a]): 1"]);
    let unknown = format!("$s = \"{}\"\nnotice($s.length)", "$nosuch".repeat(20_000));
    assert_eq!(compile_program(&unknown, &options(false)).logs().last().map(String::as_str), Some("notice: 0"));
}

#[test]
fn strings_are_charged_before_they_are_made() {
    check(
        "function f($s, $n) { if $n > 0 { f(\"${s}${s}\", $n - 1) } else { $s } }\nf('12345678', 60)",
        "evaluation makes values of more than",
    );
}
