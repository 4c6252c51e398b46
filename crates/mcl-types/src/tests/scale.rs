//! Large and deep programs: time and stack must not depend on their shape.

use std::fmt::Write;

use super::compile;

#[track_caller]
fn accepts(program: &str) {
    let (_, diagnostics, _) = compile(program);
    assert!(diagnostics.is_empty(), "{:?}", diagnostics[0]);
}

#[test]
fn long_chain_of_binds_in_either_order() {
    for reversed in [false, true] {
        let mut lines: Vec<String> = (1..10_000).map(|i| format!("$x{i} = $x{} + 1", i - 1)).collect();
        lines.insert(0, "$x0 = 0".to_owned());
        if reversed {
            lines.reverse();
        }
        accepts(&format!("{}\ntest \"t\" {{ int64 => $x9999, }}", lines.join("\n")));
    }
}

#[test]
fn type_as_deep_as_the_program_is_long_is_rejected() {
    let mut program = String::from("$x0 = 0\n");
    for i in 1..5_000 {
        let _ = writeln!(program, "$x{i} = [$x{}]", i - 1);
    }
    let _ = writeln!(program, "test \"t\" {{ interface => $x4999, }}");
    let (_, diagnostics, _) = compile(&program);
    assert_eq!(diagnostics[0].code.name(), "E0720");
}

#[test]
fn nested_calls_do_not_multiply() {
    let mut program = String::from("func f0($x) { [$x] }\n");
    for i in 1..60 {
        let _ = writeln!(program, "func f{i}($x) {{ len(f{0}($x)) + len(f{0}($x)); }}", i - 1);
    }
    let program = program
        .replace("; }", " }")
        .replace("len(f", "twice(f")
        .replace("func f0($x) { [$x] }", "func f0($x) { $x + $x }");
    accepts(&format!(
        "func twice($x) {{ $x + $x }}\n{program}test \"t\" {{ int64 => f59(1), anotherstr => f59(\"a\"), }}"
    ));
}

#[test]
fn nested_includes_do_not_multiply() {
    let mut program = String::from("class c0($x) {\n$v = $x->a + $x->a\n}\n");
    for i in 1..60 {
        let _ = writeln!(
            program,
            "class c{i}($x) {{\ninclude c{0}($x) as p\ninclude c{0}($x) as q\n$v = $p.v + $q.v\n}}",
            i - 1
        );
    }
    accepts(&format!("{program}include c59(struct{{a => 1}}) as k\ntest \"t\" {{ int64 => $k.v, }}"));
}

#[test]
fn diamonds_of_imports_do_not_multiply() {
    let mut program = String::from(
        "import \"m29.mcl\" as m\ntest \"t\" { int64 => $m.v, }\n-- m0.mcl --\n$v = 1\n-- n0.mcl --\n$v = 1\n",
    );
    for i in 1..30 {
        for name in ["m", "n"] {
            let below = i - 1;
            let _ = writeln!(
                program,
                "-- {name}{i}.mcl --\nimport \"m{below}.mcl\" as a\nimport \"n{below}.mcl\" as b\n$v = $a.v + $b.v"
            );
        }
    }
    accepts(&program);
}

#[test]
fn deep_blocks_do_not_overflow() {
    let depth = 900;
    accepts(&format!("{}test \"t\" {{}}\n{}", "if true {\n".repeat(depth), "}\n".repeat(depth)));
}

/// A program of several kinds of statements, whose repetitions share no names.
fn independent_statements(count: usize) -> String {
    let statement = |i: usize| {
        format!(
            "func f{i}($a, $b) {{ $a + $a->x{i} }}\nfunc g{i}($a) {{ [$a, $a] }}\n$l{i} = g{i}({i})\nclass c{i}($p, $q) {{\n\
             $v = $p[0]\n$w = g{i}($q)\ntest \"${{q}}\" {{ int64 => $v, anotherstr => $w[0], }}\n}}\ninclude c{i}($l{i}, \
             \"{i}\") as k{i}\ninclude c{i}([1], \"n{i}\")\nif true {{\n$m = {{\"a\" => g{i}(1.5)}}\ntest \"m{i}\" {{ float32 => \
             $m[\"a\"][0], int64 => $k{i}.v, }}\n}}\nfor $n, $e in g{i}(\"e{i}\") {{\ntest \"${{e}}\" {{ int64 => $n, }}\n}}\n"
        )
    };
    (0..count).map(statement).collect::<String>().replace("$a + $a->x", "$a->x")
}

#[test]
fn parts_give_the_tables_of_the_whole() {
    let program = independent_statements(500);
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        pool.install(|| compile(&program))
    };
    let (whole, diagnostics, _) = in_pool(1);
    assert!(diagnostics.is_empty(), "{:?}", diagnostics[0]);
    assert!(crate::unify::is_divided(&whole.scoped, 2) && crate::unify::is_divided(&whole.scoped, 3));
    assert!(!whole.call_types.is_empty() && whole.generics.values().any(|range| !range.is_empty()));
    for threads in [2, 3] {
        let (parts, diagnostics, _) = in_pool(threads);
        assert!(diagnostics.is_empty());
        assert!(parts == whole, "{threads} threads");
    }
}

#[test]
fn statements_that_share_a_name_are_in_one_part() {
    for (beginning, end) in [
        ("$x = 1\n", "test \"z\" { int64 => $x, }\n"),
        ("test \"z\" { int64 => $x, }\n", "$x = 1\n"),
        ("class c($x) {\n$y = $x\n}\n", "include c(1) as k\ntest \"z\" { int64 => $k.y, }\n"),
        ("func f($x) { $x }\n", "if true {\ntest \"z\" { int64 => f(1), }\n}\n"),
    ] {
        let (typed, diagnostics, _) = compile(&format!("{beginning}{}{end}", independent_statements(500)));
        assert!(diagnostics.is_empty(), "{:?}", diagnostics[0]);
        assert!(!crate::unify::is_divided(&typed.scoped, 2), "{beginning}");
    }
}

#[test]
fn errors_do_not_depend_on_the_number_of_threads() {
    let program =
        independent_statements(500) + "test \"z\" { int64 => f1(struct{x1 => 1}, 2) + \"a\", }\n$w variant = 1\n";
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        pool.install(|| compile(&program).1)
    };
    let whole = in_pool(1);
    assert_eq!(whole.len(), 2);
    assert_eq!(in_pool(2), whole);
}

#[test]
fn function_with_too_many_type_variables_is_rejected_as_a_function() {
    let count = crate::solver::generalize::MAX_VARIABLES + 1;
    let (mut parameters, mut arguments) = (String::new(), String::new());
    for i in 0..count {
        let _ = write!(parameters, "$a{i}, ");
        arguments.push_str("1, ");
    }
    let program = format!(
        "func f({}) {{ 1 }}\ntest \"t\" {{ int64 => f({}), }}",
        parameters.trim_end_matches(", "),
        arguments.trim_end_matches(", ")
    );
    let (_, diagnostics, _) = compile(&program);
    assert_eq!(diagnostics[0].code.name(), "E0802");
    assert_eq!(diagnostics[0].message, "too many type variables: a call of this function creates more than 65,536");
}

#[test]
fn messages_show_the_beginning_of_a_large_type() {
    let fields: Vec<String> = (0..1_000).map(|i| format!("field{i} => {i}")).collect();
    let program = format!("$s = struct{{{}}}\ntest \"t\" {{\n\tint64 => $s->feild7,\n}}\n", fields.join(", "));
    let (_, diagnostics, _) = compile(&program);
    let message = &diagnostics[0].message;
    assert!(message.starts_with("unknown field `feild7` of `struct{field0 int; field1 int; "), "{message}");
    assert!(message.ends_with("; field48 int; …}`"), "{message}");
    assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `->field7`?"));
    // A type may have exponentially more parts than the program.
    let mut program = String::from("$x0 = 0\n");
    for i in 1..8 {
        let fields: Vec<String> = (0..20).map(|field| format!("f{field} => $x{}", i - 1)).collect();
        let _ = writeln!(program, "$x{i} = struct{{{}}}", fields.join(", "));
    }
    let (_, diagnostics, _) = compile(&format!("{program}test \"t\" {{ int64 => $x7, }}"));
    assert!(diagnostics[0].message.len() < 1_000, "{}", diagnostics[0].message);
}
