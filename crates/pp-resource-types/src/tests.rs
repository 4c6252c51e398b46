//! The table as a whole, and recorded verdicts of Puppet about values.

use expect_test::expect;
use serde_json::Value;

use crate::*;

#[test]
fn names_are_sorted_and_distinct() {
    for module in [false, true] {
        let names: Vec<&str> = types().filter(|t| t.module.is_some() == module).map(|t| t.name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    }
}

#[test]
fn attributes_are_declared_once_and_documented() {
    for declared in types() {
        let mut names: Vec<&str> = declared.attributes.iter().map(|a| a.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "{}: {names:?}", declared.name);
        for attribute in declared.attributes {
            assert!(attribute.doc.ends_with('.'), "{}.{}", declared.name, attribute.name);
        }
        assert!(declared.attributes.iter().any(|a| a.role == Role::Name), "{}", declared.name);
    }
}

#[test]
fn a_title_is_part_of_a_key() {
    let key = |name: &str, title: &str, given: &[(&str, &str)]| {
        let value = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).into());
        let key = find(name).expect("the type is declared").uniqueness_key(&title.into(), value);
        key.iter().map(|k| k.as_deref().unwrap_or("-").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(key("file", "/a//b/", &[]), "/a//b");
    assert_eq!(key("file", "x", &[("path", "/c/")]), "/c");
    assert_eq!(key("package", "p", &[]), "- p -");
    assert_eq!(key("package", "p", &[("provider", "gem"), ("name", "q")]), "- q gem");
    assert_eq!(key("sshkey", "h@rsa", &[]), "h rsa");
    assert_eq!(key("sshkey", "h", &[("type", "rsa")]), "h rsa");
    assert_eq!(key("notify", "n", &[("name", "m")]), "m");
}

fn scalar(value: &Value) -> Scalar<'_> {
    match value {
        Value::Bool(value) => Scalar::Boolean(*value),
        Value::Number(value) => value.as_i64().map_or(Scalar::Float(value.as_f64().unwrap_or(0.0)), Scalar::Integer),
        Value::String(text) => Scalar::Text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => Scalar::Hash,
    }
}

/// The lines of `values.jsonl` are resources and the errors that Puppet 7.23 has for them when an agent takes the catalog.
#[test]
fn values_are_judged_as_by_an_agent() {
    let (mut false_alarms, mut missed) = (Vec::new(), Vec::new());
    for line in include_str!("tests/values.jsonl").lines() {
        let record: Value = serde_json::from_str(line).expect("a record is JSON");
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        let declared = find(text("type")).expect("the type is declared");
        let given = |name: &str| {
            Some(match record["parameters"].get(name)? {
                Value::Array(items) => Given::many(items.iter().map(scalar).collect()),
                value => Given::one(scalar(value)),
            })
        };
        let problems = declared.check(text("title"), &given);
        match (record.get("error"), problems.is_empty()) {
            (None, false) => false_alarms.push(format!("{line}\n    {problems:?}")),
            (Some(error), true) => missed.push(error.as_str().expect("an error is a string").to_owned()),
            (None, true) | (Some(_), false) => {}
        }
    }
    assert!(false_alarms.is_empty(), "{}", false_alarms.join("\n"));
    // A catalog of Windows has drives. Tags are checked when the catalog is built.
    expect![[r#"
        Validation of File[/a] failed: Checksum value 'abc' is not a valid checksum type md5
        Validation of File[/a] failed: Checksum value 'abc' is not a valid checksum type sha256
        Parameter path failed on File[C:/x]: File paths must be fully qualified, not 'C:/x'
        Parameter tag failed on File[/a]: Invalid tag 'x y'
        Parameter name failed on Package[p]: Name must be a String not Array
        Parameter age failed on Tidy[/t]: Invalid tidy age ["1w"]"#]]
    .assert_eq(&missed.join("\n"));
}
