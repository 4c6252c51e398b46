//! Functions of stdlib that warn, or that declare resources.

use expect_test::{Expect, expect};
use pp_types::{Value, named};

use crate::host::{Notebook, json, run};

#[track_caller]
fn check(name: &str, arguments: &str, expected: Expect) {
    let text = run(&mut Notebook::default(), &format!("stdlib/{name}"), &json(arguments), None);
    expected.assert_eq(&text);
}

#[test]
fn resources_are_declared_unless_they_exist() {
    check(
        "ensure_packages",
        r#"["new", "old"]"#,
        expect![[r#"
        create package {'new' => {'ensure' => 'installed'}}, {}
        undef"#]],
    );
    check(
        "ensure_packages",
        r#"{"old": {"ensure": "present"}, "new": {"ensure": "1.0"}}"#,
        expect![[r#"
        create package {'new' => {'ensure' => '1.0'}}, {}
        undef"#]],
    );
    check(
        "ensure_resource",
        r#""user", ["a"], {"uid": 5}"#,
        expect![[r#"
        create user {'a' => {'uid' => 5}}, {}
        undef"#]],
    );
    check(
        "ensure_resources",
        r#""user", {"a": {"uid": 5}, "b": {}}, {"ensure": "present"}"#,
        expect![[r#"
        create user {'a' => {'ensure' => 'present', 'uid' => 5}}, {}
        create user {'b' => {'ensure' => 'present'}}, {}
        undef"#]],
    );
    check("defined_with_params", r#""package[old]", {"ensure": "installed", "name": null}"#, expect!["true"]);
    check("getparam", r#""package[old]", "ensure""#, expect!["'installed'"]);
    check("getparam", r#""package[new]", "ensure""#, expect!["''"]);
    check("assert_private", "", expect!["error: Class apache::internal is private"]);
    check("assert_private", r#""keep out""#, expect!["error: keep out"]);
}

#[test]
fn validation_warns_and_fails() {
    check(
        "validate_string",
        r#""x""#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::String. There is further documentation for validate_legacy function in the README.
        undef"#]],
    );
    check(
        "validate_array",
        r#""a""#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Array. There is further documentation for validate_legacy function in the README.
        error: "a" is not an Array.  It looks to be a String"#]],
    );
    check(
        "validate_hash",
        "{}",
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Hash. There is further documentation for validate_legacy function in the README.
        undef"#]],
    );
    check(
        "validate_bool",
        "true, 1",
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Bool. There is further documentation for validate_legacy function in the README.
        error: 1 is not a boolean.  It looks to be a Integer"#]],
    );
    check(
        "validate_integer",
        "[1, 30], 20",
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Integer. There is further documentation for validate_legacy function in the README.
        error: validate_integer(): Expected [1, 30] to be smaller or equal to 20, got [1, 30]."#]],
    );
    check(
        "validate_numeric",
        r#""1.5", 2, 1"#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Numeric. There is further documentation for validate_legacy function in the README.
        undef"#]],
    );
    check(
        "validate_re",
        r#""one", ["^o", "x"]"#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Re. There is further documentation for validate_legacy function in the README.
        undef"#]],
    );
    check(
        "validate_re",
        r#""one", "^x", "no x""#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Re. There is further documentation for validate_legacy function in the README.
        error: no x"#]],
    );
    check(
        "validate_slength",
        r#""abc", 2"#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with String[]. There is further documentation for validate_legacy function in the README.
        error: validate_slength(): Expected length of "abc" to be between 0 and 2, was 3"#]],
    );
    check(
        "validate_absolute_path",
        r#"["/x", "y"]"#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Absolute_Path. There is further documentation for validate_legacy function in the README.
        error: "y" is not an absolute path."#]],
    );
    check(
        "validate_ip_address",
        r#""192.0.2.1/24""#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Ip_Address. There is further documentation for validate_legacy function in the README.
        undef"#]],
    );
    check(
        "validate_ipv4_address",
        r#""::1""#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Ipv4_Address. There is further documentation for validate_legacy function in the README.
        error: "::1" is not a valid IPv4 address."#]],
    );
    check(
        "validate_ipv6_address",
        r#""fe80::1%eth0""#,
        expect![[r#"
        deprecated: This method is deprecated, please use the stdlib validate_legacy function, with Stdlib::Compat::Ipv6_address. There is further documentation for validate_legacy function in the README.
        undef"#]],
    );
}

#[test]
fn validate_legacy_prefers_the_type() {
    let integer = Value::Type(named("Integer").unwrap());
    let check = |value: &str, expected: Expect| {
        let arguments = [integer.clone(), "validate_integer".into(), json(value).remove(0)];
        expected.assert_eq(&run(&mut Notebook::default(), "stdlib/validate_legacy", &arguments, None));
    };
    check("5", expect!["undef"]);
    check(
        r#""5""#,
        expect![[r#"
        deprecated: validate_legacy(validate_integer) expects an Integer value, got String
        undef"#]],
    );
    check(r#""x""#, expect!["error: validate_legacy(validate_integer) expects an Integer value, got String"]);
}

#[test]
fn kinds_of_values_are_recognized() {
    let truth = |name: &str, arguments: &[&str]| -> String {
        let results = arguments
            .iter()
            .map(|argument| run(&mut Notebook::default(), &format!("stdlib/{name}"), &json(argument), None));
        results.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(truth("is_string", &[r#""x""#, r#""1""#, "1"]), "true false false");
    assert_eq!(truth("is_integer", &["1", r#""1""#, r#""01""#, "1.5"]), "true true false false");
    assert_eq!(truth("is_float", &["1.5", r#""1.5""#, r#""1""#]), "true true false");
    assert_eq!(truth("is_numeric", &["1", r#""1e3""#, r#""0x1f""#, r#""""#]), "true true false false");
    assert_eq!(truth("is_array", &["[]", "{}"]), "true false");
    assert_eq!(truth("is_bool", &["true", r#""true""#]), "true false");
    assert_eq!(truth("is_absolute_path", &[r#""/x""#, r#""C:\\\\x""#, r#""x""#, r#""""#]), "true true false false");
    assert_eq!(truth("is_ip_address", &[r#""192.0.2.0/24""#, r#""x""#]), "true false");
    assert_eq!(truth("is_ipv4_address", &[r#""192.0.2.1""#, r#""::1""#]), "true false");
    assert_eq!(truth("is_ipv6_address", &[r#""fe80::1%eth0""#, r#""192.0.2.1""#]), "true false");
}
