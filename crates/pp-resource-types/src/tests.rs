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
    // A catalog of Windows has drives, tags are checked when the catalog is built, and Ruby fails on some values by accident.
    expect![[r#"
        Validation of File[/a] failed: Checksum value 'abc' is not a valid checksum type md5
        Validation of File[/a] failed: Checksum value 'abc' is not a valid checksum type sha256
        Parameter path failed on File[C:/x]: File paths must be fully qualified, not 'C:/x'
        Parameter tag failed on File[/a]: Invalid tag 'x y'
        Parameter name failed on Package[p]: Name must be a String not Array
        Parameter age failed on Tidy[/t]: Invalid tidy age ["1w"]
        Parameter path failed on Filebucket[f]: Filebucket paths must be absolute
        Parameter host_aliases failed on Host[h]: Host aliases cannot be an empty string. Use an empty array to delete all host_aliases 
        Parameter context failed on Augeas[t]: Munging failed for value true in class context: undefined method `empty?' for true:TrueClass
        Parameter context failed on Augeas[t]: Munging failed for value 1 in class context: undefined method `empty?' for 1:Integer
        Parameter show_diff failed on Augeas[t]: Invalid value []. Valid values are true, false, yes, no.
        Parameter backup failed on Concat_file[/t]: Backup must be a Boolean or String
        Parameter backup failed on Concat_file[/t]: Backup must be a Boolean or String
        Parameter ensure_newline failed on Concat_file[/t]: Invalid value []. Valid values are true, false, yes, no.
        Parameter format failed on Concat_file[/t]: Invalid value []. Valid values are plain, yaml, json, json-array, json-pretty, json-array-pretty.
        Parameter group failed on Concat_file[/t]: Invalid group name '""'
        Parameter group failed on Concat_file[/t]: Invalid group name 'false'
        Parameter order failed on Concat_file[/t]: Invalid value []. Valid values are alpha, numeric.
        Parameter path failed on Concat_file[/t]: File paths must be fully qualified, not '[]'
        Parameter validate_cmd failed on Concat_file[/t]: Validate_cmd must be a String
        Parameter validate_cmd failed on Concat_file[/t]: Validate_cmd must be a String
        Parameter target failed on Concat_fragment[t]: Target must be a String
        Parameter content failed on Concat_fragment[t]: Content must be a String
        Parameter order failed on Concat_fragment[t]: $order is not a string or integer.
        Could not set command on cron: undefined method `strip' for true:TrueClass
        no implicit conversion of true into String
        no implicit conversion of Hash into String
        Could not set path on exec: undefined method `split' for true:TrueClass
        Could not set path on exec: undefined method `split' for false:FalseClass
        no implicit conversion of true into String
        no implicit conversion of Integer into String
        Parameter timeout failed on Exec[/bin/t]: Munging failed for value [] in class timeout: The timeout must be a number.
        Parameter tries failed on Exec[/bin/t]: Munging failed for value [] in class tries: undefined method `<' for []:Array
        Parameter try_sleep failed on Exec[/bin/t]: Munging failed for value [] in class try_sleep: undefined method `<' for []:Array
        no implicit conversion of true into String
        no implicit conversion of Integer into String
        Parameter staging_location failed on File[/t]: File paths must be fully qualified, not '["/y"]'
        Parameter append_on_no_match failed on File_line[t]: Invalid value []. Valid values are true, false.
        Validation of File_line[t] failed: line is a required attribute
        Parameter match_for_absence failed on File_line[t]: Invalid value []. Valid values are true, false.
        Parameter replace failed on File_line[t]: Invalid value []. Valid values are true, false.
        Parameter path failed on Filebucket[t]: Filebucket paths must be absolute
        Parameter path failed on Filebucket[t]: Filebucket paths must be absolute
        Parameter path failed on Filebucket[t]: You can only have one filebucket path
        Parameter comment failed on Host[t]: Validate method failed for class comment: undefined method `include?' for 0:Integer
        Parameter name failed on Host[t]: Invalid host name
        Parameter name failed on Mount[/t]: Munging failed for value true in class name: undefined method `gsub' for true:TrueClass
        Parameter name failed on Mount[/t]: Munging failed for value [] in class name: undefined method `gsub' for []:Array
        Parameter configfiles failed on Package[t]: Invalid value []. Valid values are keep, replace.
        Parameter install_options failed on Package[t]: Expected either a string or hash of options
        Parameter install_options failed on Package[t]: Expected either a string or hash of options
        Parameter name failed on Package[t]: Name must be a String not TrueClass
        Parameter name failed on Package[t]: Name must be a String not Float
        Parameter period failed on Schedule[t]: Invalid value []. Valid values are hourly, daily, weekly, monthly, never.
        Parameter hasrestart failed on Service[t]: Invalid value []. Valid values are true, false.
        Parameter path failed on Service[t]: Munging failed for value true in class path: undefined method `split' for true:TrueClass
        Parameter path failed on Service[t]: Munging failed for value 1.5 in class path: undefined method `split' for 1.5:Float
        Parameter drop_privileges failed on Ssh_authorized_key[t]: Invalid value []. Valid values are true, false, yes, no.
        Parameter options failed on Ssh_authorized_key[t]: Option 7 is not valid. A single option must either be of the form 'option' or 'option="value"'. Multiple options must be provided as an array
        Parameter name failed on Sshkey[@ssh-rsa]: No comma in resourcename allowed. If you want to specify aliases use the host_aliases property
        Parameter type failed on Sshkey[@]: Invalid value []. Valid values are ssh-dss, ssh-ed25519, ssh-rsa, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521, sk-ecdsa-sha2-nistp256@openssh.com,
        Parameter max_files failed on Tidy[/t]: Invalid value ["2"]. Valid values match /^[0-9]+$/.
        Parameter path failed on Tidy[/t]: Munging failed for value "~u/x" in class path: user u doesn't exist
        Parameter path failed on Tidy[/t]: Munging failed for value 60 in class path: no implicit conversion of Integer into String
        Parameter recurse failed on Tidy[/t]: Munging failed for value ["2"] in class recurse: Invalid recurse value ["2"]
        Parameter size failed on Tidy[/t]: Invalid size unit '4'
        Parameter gid failed on User[t]: Munging failed for value "2030-1-1" in class gid: invalid value for Integer(): "2030-1-1"
        Parameter gid failed on User[t]: Munging failed for value "2030-12-31" in class gid: invalid value for Integer(): "2030-12-31"
        Parameter system failed on User[t]: Invalid value []. Valid values are true, false, yes, no.
        Parameter uid failed on User[t]: Munging failed for value "5-1" in class uid: invalid value for Integer(): "5-1"
        Parameter uid failed on User[t]: Munging failed for value "0999" in class uid: invalid value for Integer(): "0999""#]]
    .assert_eq(&missed.join("\n"));
}
