//! What single resources are translated to.

use std::sync::Arc;

use pp_resource_types::{IniKey, IniMunge, IniType, KnownTypes, ReadType, Reading};
use pp_translate::{Fidelity, TranslateOptions, Translation, build_relationships, read_catalog, translate};
use resource_graph::Resource;
use serde_json::{Value, json};

/// Translates resources, given as type, title and parameters.
fn translated(resources: &[(&str, &str, Value)]) -> Translation {
    let resources: Vec<Value> = resources
        .iter()
        .map(|(type_name, title, parameters)| {
            json!({"type": type_name, "title": title, "kind": "compilable_type", "parameters": parameters})
        })
        .collect();
    let catalog = json!({"name": "n", "resources": resources}).to_string();
    let (catalog, _) = read_catalog(catalog.as_bytes()).expect("a catalog");
    let ini = |path: &str, repeats, munge| IniType {
        path: Some(path.to_owned()),
        path_attribute: None,
        key: IniKey::Name,
        separator: "=".to_owned(),
        separator_attribute: None,
        repeats,
        munge,
        absent_value: Some(("ensure_absent_val".to_owned(), Some("<SERVICE DEFAULT>".to_owned()))),
        is_custom: false,
    };
    let mut types = KnownTypes::core();
    for (name, ini) in [
        ("nova_config", ini("/etc/nova/nova.conf", true, IniMunge::Capitalize)),
        ("paste_ini", ini("/etc/paste.ini", false, IniMunge::Strip)),
        ("quoted_config", ini("/etc/quoted.conf", false, IniMunge::Quote)),
    ] {
        let read = ReadType { name: name.to_owned(), ini: Some(ini), ..ReadType::default() };
        types.add_source(name, Arc::new(move || Reading::Type(Box::new(read.clone()))));
    }
    let options = TranslateOptions { types, ..TranslateOptions::default() };
    translate(&build_relationships(catalog, &options.types).expect("a graph"), &options).expect("a translation")
}

/// Translates one resource. Returns it as text, or why Puppet applies it.
fn one(type_name: &str, title: &str, parameters: Value) -> String {
    let translation = translated(&[(type_name, title, parameters)]);
    let summary = translation.summary;
    let resource = translation.graph.resources().map(|(_, resource)| resource).find(|r| &*r.id.kind != "noop");
    let warnings: Vec<&str> = translation.warnings.iter().map(|warning| warning.message.as_str()).collect();
    match (summary.fallbacks, resource) {
        (0, Some(resource)) => shown(resource),
        _ => warnings.join("\n"),
    }
}

fn shown(resource: &Resource) -> String {
    let mut params: Vec<String> = resource.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    params.sort();
    format!("{} {}", resource.id.kind, params.join(" "))
}

#[test]
fn settings_of_types_with_a_file_are_native() {
    let check = |title: &str, parameters: Value, expected: &str| {
        assert_eq!(
            one("Nova_config", title, parameters),
            format!("ini:setting path=\"/etc/nova/nova.conf\" {expected}")
        );
    };
    check(
        "DEFAULT/debug",
        json!({"value": true}),
        r#"section="DEFAULT" separator="=" setting="debug" state="exists" value="True""#,
    );
    check("a/b/c", json!({"value": " x "}), r#"section="a" separator="=" setting="b/c" state="exists" value="x""#);
    let absent = r#"section="s" separator="=" setting="x" state="absent""#;
    check("s/x", json!({"value": "<SERVICE DEFAULT>"}), absent);
    check("s/x", json!({"value": ["<SERVICE DEFAULT>"]}), absent);
    check("s/x", json!({"ensure": "absent", "value": "1"}), absent);
    check("s/x", json!({"value": "none", "ensure_absent_val": "none"}), absent);
    check(
        "s/x",
        json!({"value": ["a", 1]}),
        r#"section="s" separator="=" setting="x" state="exists" values=["a", "1"]"#,
    );
}

#[test]
fn settings_that_would_not_be_the_same_are_applied_by_puppet() {
    for (type_name, title, parameters, why) in [
        ("Paste_ini", "s/x", json!({"value": ["a", "b"]}), "a list as `value`"),
        ("Nova_config", "s/x", json!({"value": "a\nb"}), "unexpected line break"),
        ("Nova_config", "s/x=y", json!({"value": "a"}), "no line would be read as it"),
        ("Nova_config", "s/x", json!({"value": "a", "quote": true}), "unsupported attribute `quote`"),
        ("Other_config", "s/x", json!({"value": "a"}), "unsupported type `Other_config`"),
        ("Ini_setting", "x", json!({"path": "/x.ini", "section": "s"}), "missing attribute `setting`"),
        ("Ini_setting", "x", json!({"path": "/x.ini", "setting": "a", "refreshonly": true}), "`refreshonly => true`"),
    ] {
        let found = one(type_name, title, parameters);
        assert!(found.contains("has no native equivalent") && found.contains(why), "{found}");
    }
}

#[test]
fn values_are_quoted_where_the_type_says_so() {
    let value = |parameters: Value| {
        let setting = one("Quoted_config", "s/x", parameters);
        setting.split_once("state=\"exists\" value=").map(|(_, value)| value.to_owned()).unwrap_or(setting)
    };
    assert_eq!(value(json!({"value": " a b "})), r#""a b""#);
    assert_eq!(value(json!({"value": "a", "quote": true})), r#""\"a\"""#);
    assert_eq!(value(json!({"value": "\"a\"", "quote": true})), r#""\"a\"""#);
    let absent = one("Quoted_config", "s/x", json!({"value": "<SERVICE DEFAULT>", "quote": true}));
    assert!(absent.ends_with("state=\"absent\""), "{absent}");
}

#[test]
fn ini_setting_is_native_and_its_secrets_are_hidden() {
    let parameters = json!({"path": "/etc//x.ini", "section": "s", "setting": "a", "value": "s3cret", "show_diff": false,
        "key_val_separator": ": ", "indent_char": "\t", "indent_width": 2, "section_prefix": "<"});
    let translation = translated(&[("Ini_setting", "t", parameters)]);
    let (_, resource) = translation.graph.resources().find(|(_, r)| &*r.id.kind == "ini:setting").expect("a setting");
    assert_eq!(
        shown(resource),
        "ini:setting indent_char=\"\\t\" indent_width=2 path=\"/etc/x.ini\" section=\"s\" section_prefix=\"<\" \
         separator=\": \" setting=\"a\" state=\"exists\" value=\"s3cret\""
    );
    assert!(resource.sensitive.iter().any(|name| &**name == "value"));
}

#[test]
fn users_stay_in_groups_that_are_not_listed() {
    assert_eq!(
        one(
            "User",
            "u",
            json!({"ensure": "present", "groups": ["g"], "comment": "A user", "managehome": true, "system": true})
        ),
        "user comment=\"A user\" groups=[\"g\"] managehome=true membership=\"minimum\" state=\"exists\" system=true"
    );
}

#[test]
fn files_that_are_not_replaced_are_native() {
    assert_eq!(
        one("File", "/x", json!({"content": "x", "replace": false})),
        "file content=\"x\" path=\"/x\" replace=false state=\"exists\""
    );
    assert!(
        one("File", "/x", json!({"ensure": "link", "target": "/y", "replace": false})).contains("`replace => false`")
    );
}

#[test]
fn sources_do_not_lead_out_of_a_module() {
    for path in ["m/../../secret", "m/a/../../../secret", "../m/files/a", "m", "m/./.."] {
        let source = format!("puppet:///modules/{path}");
        let refused = one("File", "/a", json!({"source": source}));
        assert_eq!(
            refused,
            format!("File[/a] has no native equivalent: invalid source `{source}`: expected a file of a module")
        );
    }
}

#[test]
fn what_purges_is_not_applied_without_the_rest_of_the_catalog() {
    let none = translated(&[("Resources", "host", json!({"purge": false}))]);
    assert!(none.warnings.is_empty() && none.summary.native == 1);
    let purge = translated(&[("Resources", "host", json!({"purge": true}))]);
    assert_eq!(purge.summary.approximated, 1, "{:?}", Fidelity::Approximated);
    let message = one("File", "/d", json!({"ensure": "directory", "purge": true, "links": "follow"}));
    assert!(message.contains("`purge` is ignored: it would remove what other resources declare"), "{message}");
    let translation = translated(&[("User", "u", json!({"ensure": "present", "purge_ssh_keys": true}))]);
    let (_, exec) = translation.graph.resources().find(|(_, r)| &*r.id.kind == "exec").expect("a fallback");
    assert!(!exec.params["env"].to_string().contains("purge_ssh_keys"), "{}", exec.params["env"]);
}

#[test]
fn the_fallback_of_a_concatenated_file_has_its_fragments() {
    let translation = translated(&[
        ("Concat_file", "/x", json!({"format": "json"})),
        ("Concat_fragment", "a", json!({"target": "/x", "content": "{}"})),
        ("Concat_fragment", "b", json!({"target": "/y", "content": "other"})),
    ]);
    let (_, exec) = translation.graph.resources().find(|(_, r)| &*r.id.kind == "exec").expect("a fallback");
    let manifest = exec.params["env"].to_string();
    assert!(manifest.contains("concat_file") && manifest.contains("concat_fragment { 'a'"), "{manifest}");
    assert!(!manifest.contains("other"), "{manifest}");
}

#[test]
fn lines_that_match_are_replaced() {
    assert_eq!(
        one("File_line", "t", json!({"path": "/x", "line": "A=1", "match": "^#?A=", "multiple": true})),
        "line content=\"A=1\" file=\"/x\" match=\"^#?A=\" multiple=true state=\"exists\""
    );
    let absent = json!({"path": "/x", "ensure": "absent", "line": "A", "match": "^A="});
    assert_eq!(one("File_line", "t", absent), "line content=\"A\" file=\"/x\" state=\"absent\"");
    let absent = json!({"path": "/x", "ensure": "absent", "match": "^A=", "match_for_absence": true});
    assert_eq!(one("File_line", "t", absent), "line file=\"/x\" match=\"^A=\" state=\"absent\"");
    for (attribute, value, why) in [
        ("match", json!("a(?=b)"), "invalid regular expression"),
        ("after", json!("a(?=b)"), "invalid regular expression"),
        ("replace_all_matches_not_matching_line", json!(true), "unsupported `replace_all_matches"),
    ] {
        let found = one("File_line", "t", json!({"path": "/x", "line": "b", attribute: value}));
        assert!(found.contains("has no native equivalent") && found.contains(why), "{found}");
    }
}

#[test]
fn the_line_of_a_host_is_replaced() {
    assert_eq!(
        one("Host", "a.b", json!({"ip": "192.0.2.1", "host_aliases": ["a"]})),
        "line content=\"192.0.2.1\\ta.b\\ta\" file=\"/etc/hosts\" match=\"^\\\\s*[^#\\\\s]+\\\\s+a\\\\.b(\\\\s|$)\" \
         state=\"exists\""
    );
    assert!(one("Host", "a", json!({"ensure": "absent"})).contains("multiple=true state=\"absent\""));
}
