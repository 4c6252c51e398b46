//! Calls without blocks: at least one that succeeds and one that fails for each function.

use std::collections::BTreeMap;

use expect_test::expect;
use pp_functions::tables;
use pp_types::{Regexp, Timespan, Timestamp, Value};

use crate::host::{Notebook, json, run};

/// Calls recorded from Puppet, one a line: name, arguments, and log and result.
const CASES: &str = include_str!("cases.jsonl");

/// Calls of functions of stdlib, likewise.
const STDLIB: &str = include_str!("stdlib.jsonl");

struct Case {
    name: String,
    arguments: String,
    expected: String,
}

fn cases(lines: &str) -> impl Iterator<Item = Case> {
    lines.lines().map(|line| {
        let (name, arguments, expected): (String, Vec<serde_json::Value>, String) =
            serde_json::from_str(line).expect(line);
        let arguments = arguments.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Case { name, arguments, expected }
    })
}

/// Calls the functions, those of a module if one is given, and compares the results.
#[track_caller]
fn check_cases(module: Option<&str>, lines: &str) {
    let mut wrong = Vec::new();
    for Case { name, arguments, expected } in cases(lines) {
        let path = module.map_or_else(|| name.clone(), |module| format!("{module}/{name}"));
        let text = run(&mut Notebook::default(), &path, &json(&arguments), None);
        if text != expected {
            wrong.push(format!("{name}({arguments})\n  expected {expected}\n  got      {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_return_what_puppet_returns() {
    check_cases(None, CASES);
}

#[test]
fn functions_of_stdlib_return_what_the_module_returns() {
    check_cases(Some("stdlib"), STDLIB);
}

#[test]
fn every_function_has_a_case_that_succeeds_and_one_that_fails() {
    let mut seen: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for Case { name, expected, .. } in cases(CASES) {
        let (succeeds, fails) = seen.entry(name).or_default();
        if expected.lines().any(|line| line.starts_with("error: ")) { *fails = true } else { *succeeds = true }
    }
    // These always fail, never do, or have blocks, with which tests/functions/blocks.rs calls them.
    let always_fail =
        ["annotate", "eyaml_lookup_key", "fail", "generate", "hocon_data", "import", "inline_template", "json_data"];
    let also_fail = ["template", "yaml_data"];
    let never_fail = ["alert", "crit", "debug", "emerg", "err", "flatten", "info", "notice", "warning"];
    let with_blocks =
        ["all", "any", "each", "filter", "group_by", "lest", "map", "partition", "reduce", "then", "with"];
    // Tested below, with what JSON cannot express or through the notes of the host.
    let by_hand = [
        "binary_file",
        "contain",
        "convert_to",
        "create_resources",
        "epp",
        "file",
        "hiera",
        "hiera_array",
        "hiera_hash",
        "hiera_include",
        "include",
        "inline_epp",
        "lookup",
        "new",
        "realize",
        "require",
        "reverse_each",
        "scanf",
        "step",
        "strftime",
        "tag",
        "tagged",
        "tree_each",
    ];
    for function in tables()[0].functions {
        let name = function.name;
        let (succeeds, fails) = seen.get(name).copied().unwrap_or_default();
        let may_not_succeed = always_fail.contains(&name) || also_fail.contains(&name) || with_blocks.contains(&name);
        assert!(succeeds || may_not_succeed || by_hand.contains(&name), "no case in which {name} succeeds");
        assert!(fails || never_fail.contains(&name) || by_hand.contains(&name), "no case in which {name} fails");
    }
}

#[test]
fn strings_are_split_and_substituted_by_regular_expressions() {
    let regexp = |source: &str| Value::Regexp(Regexp::new(source));
    let mut host = Notebook::default();
    let mut check = |name: &str, arguments: &[Value], expected: expect_test::Expect| {
        expected.assert_eq(&run(&mut host, name, arguments, None));
    };
    check("split", &["a1b22c".into(), regexp(r"\d+")], expect!["['a', 'b', 'c']"]);
    check("split", &["a1b2".into(), regexp(r"(\d)")], expect!["['a', '1', 'b', '2']"]);
    check("split", &["aXbXc".into(), regexp("(?=X)")], expect!["['a', 'Xb', 'Xc']"]);
    check("split", &["baac".into(), regexp("a*")], expect!["['b', 'c']"]);
    check("split", &["aab".into(), regexp("a*")], expect!["['', 'b']"]);
    check("regsubst", &["abb".into(), regexp("b"), "X".into(), "G".into()], expect!["'aXX'"]);
    check("match", &["b".into(), regexp("(a)|(b)")], expect!["['b', undef, 'b']"]);
    check("index", &["abc".into(), regexp("b|c")], expect!["1"]);
}

#[test]
fn times_and_durations_are_formatted() {
    let mut host = Notebook::default();
    let time = Value::Timestamp(Timestamp(0));
    let mut check = |arguments: &[Value], expected: expect_test::Expect| {
        expected.assert_eq(&run(&mut host, "strftime", arguments, None));
    };
    check(&[time.clone(), "%F %T".into()], expect!["'1970-01-01 00:00:00'"]);
    check(&[time.clone(), "%T %z".into(), "CET".into()], expect!["'01:00:00 +0100'"]);
    check(&[time.clone(), "%T".into(), "Mars".into()], expect!["error: Illegal timezone 'Mars'"]);
    check(&[time, "a%".into()], expect!["error: invalid format: a%"]);
    check(&[Value::Timespan(Timespan(5_000_000_000)), "%M:%S".into()], expect!["'00:05'"]);
    check(
        &[Value::Timespan(Timespan(5)), "%q".into()],
        expect!["error: Bad format specifier '%' in '%q', at position 1"],
    );
}

#[test]
fn the_host_is_asked_for_what_is_not_a_value() {
    let check = |name: &str, arguments: &str, expected: expect_test::Expect| {
        expected.assert_eq(&run(&mut Notebook::default(), name, &json(arguments), None));
    };
    check(
        "include",
        r#""a", ["b", ["c"]]"#,
        expect![[r#"
        Include 'a', 'b', 'c'
        ['a', 'b', 'c']"#]],
    );
    check(
        "contain",
        r#""a""#,
        expect![[r#"
        Contain 'a'
        ['a']"#]],
    );
    check(
        "require",
        r#""a""#,
        expect![[r#"
        Require 'a'
        ['a']"#]],
    );
    check(
        "create_resources",
        r#""@notify", {"a": {"message": "x"}}, {"withpath": true}"#,
        expect![[r#"
        create @notify {'a' => {'message' => 'x'}}, {'withpath' => true}
        undef"#]],
    );
    check(
        "realize",
        r#""User[a]", ["User[b]"]"#,
        expect![[r#"
        realize 'User[a]', 'User[b]'
        undef"#]],
    );
    check(
        "tag",
        r#""a", "b""#,
        expect![[r#"
        tag 'a', 'b'
        undef"#]],
    );
    check("tagged", r#""here""#, expect!["true"]);
    check("tagged", r#""here", "there""#, expect!["false"]);
    check("defined", r#""nosuch", "file""#, expect!["true"]);
    check("file", r#""nosuch", "m/text""#, expect![[r#""text\n""#]]);
    check(
        "file",
        r#""m/binary""#,
        expect!["error: file(): '/modules/m/files/binary' is not encoded in UTF-8; use binary_file() to read it"],
    );
    check("binary_file", r#""m/binary""#, expect![[r#"Binary("/wA=")"#]]);
    check("find_file", r#""nosuch", "m/text""#, expect!["'/modules/m/files/text'"]);
    check("find_template", r#"["m/page.epp"]"#, expect!["'/modules/m/templates/page.epp'"]);
    check("module_directory", r#""nosuch", "m""#, expect!["'/modules/m'"]);
    check(
        "epp",
        r#""m/page.epp", {"a": 1}"#,
        expect![[r#"
        Named("m/page.epp") {'a' => 1}
        'rendered'"#]],
    );
    check(
        "inline_epp",
        r#""<%= 1 %>""#,
        expect![[r#"
        Text("<%= 1 %>") 
        'rendered'"#]],
    );
    check(
        "lookup",
        r#""key""#,
        expect![[r#"
        lookup('key')
        'found'"#]],
    );
    check(
        "lookup",
        r#"["a", "b"], null, null, "default""#,
        expect![[r#"
        lookup(['a', 'b'], undef, undef, 'default')
        'found'"#]],
    );
    check(
        "lookup",
        r#"{"name": "a", "merge": "hash"}"#,
        expect![[r#"
        lookup({'name' => 'a', 'merge' => 'hash'})
        'found'"#]],
    );
    check(
        "lookup",
        r#"{"names": "a"}"#,
        expect![[r#"
        error: The function 'lookup' was called with arguments it does not accept. It expects one of:
          (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)
            rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct
          (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)
            rejected: expects 4 arguments, got 1
          (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?, BlockType = Callable[NameType = Variant[String, Array[String]]] block)
            rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct
          (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)
            rejected: parameter 'options_hash' expects a value for key 'name'
            rejected: parameter 'options_hash' unrecognized key 'names'
          (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)
            rejected: expects 2 arguments, got 1"#]],
    );
    check(
        "hiera",
        r#""key", "default""#,
        expect![[r#"
        deprecated: The function 'hiera' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/7.23/deprecated_language.html
        hiera('key', 'default')
        'found'"#]],
    );
    check(
        "hiera_array",
        r#""key""#,
        expect![[r#"
        deprecated: The function 'hiera_array' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/7.23/deprecated_language.html
        hiera_array('key')
        'found'"#]],
    );
    check(
        "hiera_hash",
        r#""key""#,
        expect![[r#"
        deprecated: The function 'hiera_hash' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/7.23/deprecated_language.html
        hiera_hash('key')
        'found'"#]],
    );
    check(
        "hiera_include",
        r#""key""#,
        expect![[r#"
        deprecated: The function 'hiera_include' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/7.23/deprecated_language.html
        hiera_include('key')
        'found'"#]],
    );
    check(
        "template",
        r#""m/page.erb""#,
        expect![[r#"
            Named("m/page.erb")
            'rendered'"#]],
    );
    check(
        "generate",
        r#""/bin/date""#,
        expect!["error: Function generate() is not available: it would run '/bin/date' on the host that compiles"],
    );
}

#[test]
fn iterators_are_taken_from_or_seen_as_a_whole() {
    let mut host = Notebook::default();
    let block = host.block(1, |arguments| Ok(arguments[0].clone()));
    let Ok(iterator) =
        pp_functions::call(pp_functions::find_function("reverse_each").unwrap(), &mut host, &json("[1, 2, 3]"), None)
    else {
        panic!("reverse_each fails");
    };
    let mut check = |name: &str, with_block: bool, expected: expect_test::Expect| {
        let block = if with_block { Some(&block) } else { None };
        expected.assert_eq(&run(&mut host, name, std::slice::from_ref(&iterator), block));
    };
    check("unique", false, expect!["[3, 2, 1]"]);
    check("map", true, expect!["[3, 2, 1]"]);
    check("map", true, expect!["[]"]);
    check("unique", false, expect!["[3, 2, 1]"]);
}

#[test]
fn values_are_read_by_a_format() {
    let check = |arguments: &str, expected: expect_test::Expect| {
        expected.assert_eq(&run(&mut Notebook::default(), "scanf", &json(arguments), None));
    };
    check(r#""5 apples for 1.5 each", "%d %s for %f""#, expect!["[5, 'apples', 1.5]"]);
    check(r#""ff 077 0x1F -12", "%x %o %i %i""#, expect!["[255, 63, 31, -12]"]);
    check(r#""abc123", "%[a-z]%3d""#, expect!["['abc', 123]"]);
    check(r#""12345", "%2d%*c%d""#, expect!["[12, 45]"]);
    check(r#""x", "%d""#, expect!["[]"]);
    check(r#""a]b", "%[]a]%[^x]""#, expect!["['a]', 'b']"]);
    check(r#""99999999999999999999", "%d""#, expect!["[]"]);
    check(r#""5", "%q""#, expect!["error: scanf(): malformed directive in the format '%q'"]);
    check(r#""5""#, expect!["error: 'scanf' expects 2 arguments, got 1"]);
}

#[test]
fn types_convert_values() {
    let mut host = Notebook::default();
    let integer = Value::Type(pp_types::named("Integer").unwrap());
    let mut check = |name: &str, arguments: &[Value], expected: expect_test::Expect| {
        expected.assert_eq(&run(&mut host, name, arguments, None));
    };
    check("new", &[integer.clone(), "42".into()], expect!["42"]);
    check("new", &[integer.clone(), "x".into()], expect!["error: 'new' The string 'x' cannot be converted to Integer"]);
    check("convert_to", &["42".into(), integer.clone()], expect!["42"]);
    check("assert_type", &[integer.clone(), Value::from(5)], expect!["5"]);
    check("assert_type", &[integer, "x".into()], expect!["error: assert_type(): expects an Integer value, got String"]);
    check("unwrap", &[Value::Sensitive(std::sync::Arc::new("secret".into()))], expect!["'secret'"]);
    check("empty", &[Value::Sensitive(std::sync::Arc::new("".into()))], expect!["true"]);
}
