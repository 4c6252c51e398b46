//! Programs as the evaluator would record them, and the catalogs that they make.

mod collectors;

use std::sync::Arc;

use expect_test::{Expect, expect};
use pp_resource_types::KnownTypes;
use pp_types::Value;

use crate::*;

fn catalog() -> Catalog {
    let types = KnownTypes::all();
    Catalog::new(Options { node: "agent.example.com".into(), environment: "production".into(), types })
}

fn at(line: u32) -> Location {
    Location { file: None, line, span: None }
}

fn parameter(name: &str, value: impl Into<Value>, line: u32) -> Parameter {
    let (name, value) = (Arc::from(name), value.into());
    Parameter { name, value, source: Catalog::MAIN_SOURCE, location: at(line), append: false }
}

fn native(reference: &str, line: u32, parameters: &[(&str, Value)]) -> NewResource {
    NewResource {
        reference: Reference::parse(reference).expect("a reference"),
        kind: ResourceKind::Native,
        parameters: parameters.iter().map(|(name, value)| parameter(name, value.clone(), line)).collect(),
        location: at(line),
        scope: Catalog::MAIN_CLASS,
        source: Catalog::MAIN_SOURCE,
        is_virtual: false,
        exported: false,
        is_number: false,
    }
}

fn reference(text: &str) -> Reference {
    Reference::parse(text).expect("a reference")
}

fn arrow(catalog: &mut Catalog, source: &str, target: &str) {
    let operand = |text| vec![Operand::Reference(reference(text))];
    catalog.add_relationship(Relationship {
        kind: RelationshipKind::Before,
        sources: operand(source),
        targets: operand(target),
        reversed: false,
        previous: None,
        location: Location::default(),
    });
}

/// Adds resources, and shows the first error.
fn check_add(resources: Vec<NewResource>, expected: Expect) {
    let mut catalog = catalog();
    let errors = resources.into_iter().filter_map(|r| catalog.add(r).err()).map(|e| e.to_string());
    expected.assert_eq(&errors.collect::<Vec<_>>().join("\n"));
}

fn check_finish(mut catalog: Catalog, expected: Expect) {
    let errors = catalog.finish(Vec::new()).err().unwrap_or_default();
    expected.assert_eq(&errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

#[test]
fn duplicates_and_aliases_are_found() {
    check_add(
        vec![native("Notify[a]", 1, &[]), native("Notify[a]", 2, &[])],
        expect!["Duplicate declaration: Notify[a] is already declared at (line: 1); cannot redeclare"],
    );
    check_add(
        vec![native("File[/a]", 1, &[]), native("File[/a/]", 2, &[])],
        expect![[
            r#"Cannot alias File[/a/] to ["/a"] at (line: 2); resource ["File", "/a"] already declared (line: 1)"#
        ]],
    );
    check_add(
        vec![native("File[/a/]", 1, &[]), native("File[/a]", 2, &[])],
        expect!["Duplicate declaration: File[/a] is already declared at (line: 1); cannot redeclare"],
    );
    check_add(
        vec![native("Package[one]", 1, &[("name", "p".into())]), native("Package[p]", 2, &[])],
        expect![[
            r#"Cannot alias Package[p] to [nil, "p", nil] at (line: 2); resource ["Package", nil, "p", nil] already declared (line: 1)"#
        ]],
    );
    check_add(
        vec![native("Notify[a]", 1, &[]), native("Notify[b]", 2, &[("alias", "a".into())])],
        expect![[r#"Cannot alias Notify[b] to "a" at (line: 2); resource ["Notify", "a"] already declared (line: 1)"#]],
    );
}

#[test]
fn packages_of_two_managers_may_have_one_name() {
    check_add(
        vec![
            native("Package[p]", 1, &[("provider", "gem".into())]),
            native("Package[two]", 2, &[("name", "p".into()), ("provider", "apt".into())]),
        ],
        expect![""],
    );
}

#[test]
fn commands_need_not_be_unique() {
    let command = [("command", Value::from("/bin/true"))];
    check_add(vec![native("Exec[a]", 1, &command), native("Exec[b]", 2, &command)], expect![""]);
}

#[test]
fn resources_are_found_by_path_and_alias() {
    let mut catalog = catalog();
    let id = catalog.add(native("File[conf]", 1, &[("path", "/etc/conf".into()), ("alias", "c".into())]));
    let id = id.expect("the catalog is empty");
    for text in ["File[conf]", "File[/etc/conf]", "File[/etc/conf/]", "file[c]"] {
        assert_eq!(catalog.find(&reference(text)), Some(id), "{text}");
    }
    assert_eq!(catalog.find(&reference("File[/etc]")), None);
}

#[test]
fn only_classes_have_stages() {
    check_add(
        vec![native("Notify[a]", 1, &[("stage", "main".into())])],
        expect!["Only classes can set 'stage'; normal resources like Notify[a] cannot change run stage"],
    );
}

#[test]
fn arrows_become_parameters() {
    let mut catalog = catalog();
    for title in ["Notify[a]", "Notify[b]", "Notify[c]"] {
        catalog.add(native(title, 1, &[])).expect("titles differ");
    }
    arrow(&mut catalog, "Notify[a]", "Notify[b]");
    arrow(&mut catalog, "Notify[a]", "Notify[c]");
    assert_eq!(catalog.finish(Vec::new()), Ok(Vec::new()));
    let id = catalog.find(&reference("Notify[a]")).expect("it was added");
    let expected = Value::array(vec![reference("Notify[b]").to_value(), reference("Notify[c]").to_value()]);
    assert_eq!(catalog.resource(id).parameters.value("before"), Some(&expected));
}

#[test]
fn arrows_need_resources() {
    let mut first = catalog();
    first.add(native("Notify[a]", 1, &[])).expect("the catalog is empty");
    arrow(&mut first, "Notify[a]", "Notify[z]");
    arrow(&mut first, "Notify[z]", "Notify[a]");
    check_finish(
        first,
        expect![[r#"
            Could not find resource 'Notify[z]' for relationship from 'Notify[a]'
            Could not find resource 'Notify[z]' for relationship on 'Notify[a]'"#]],
    );
}

#[test]
fn attributes_are_those_of_the_type() {
    let mut catalog = catalog();
    catalog.add(native("Notify[a]", 3, &[("colour", "red".into()), ("noop", true.into())])).expect("the title is new");
    check_finish(catalog, expect!["no parameter named 'colour' on Notify[a]"]);
}

#[test]
fn leftovers_are_reported_in_steps() {
    let mut catalog = catalog();
    for title in ["Notify[y]", "Notify[z]"] {
        let change = Override {
            reference: reference(title),
            parameters: vec![parameter("message", "m", 1)],
            location: at(1),
            source: Catalog::MAIN_SOURCE,
        };
        assert_eq!(catalog.add_override(change), Ok(None));
    }
    catalog.add_realize(reference("User[x]"), at(2));
    let mut other = catalog.clone();
    other.overrides.clear();
    check_finish(catalog, expect!["Could not find resource(s) Notify[y], Notify[z] for overriding"]);
    check_finish(other, expect!["Failed to realize virtual resources User[x]"]);
}

#[test]
fn targets_of_relationships_exist() {
    let mut catalog = catalog();
    let targets = Value::array(vec![reference("Notify[q]").to_value(), Value::array(vec!["x".into(), Value::Undef])]);
    catalog.add(native("Notify[a]", 3, &[("require", targets)])).expect("the title is new");
    check_finish(
        catalog,
        expect![[r#"
            Could not find resource 'Notify[q]' in parameter 'require'
            No title provided and "x" is not a valid resource reference"#]],
    );
}

#[test]
fn overrides_need_permission() {
    let mut catalog = catalog();
    catalog.add(native("Notify[a]", 1, &[("message", "m".into())])).expect("the title is new");
    let source = |name: &str, parent| Source { kind: SourceKind::Class, name: name.into(), parent };
    let unrelated = catalog.add_source(source("other", None));
    let child = catalog.add_source(source("child", Some(Catalog::MAIN_SOURCE)));
    let mut check = |source, name, expected: Expect| {
        let parameters = vec![Parameter { source, ..parameter(name, "new", 2) }];
        let change = Override { reference: reference("Notify[a]"), parameters, location: at(2), source };
        expected.assert_eq(&catalog.add_override(change).err().map(|e| e.to_string()).unwrap_or_default());
    };
    check(unrelated, "withpath", expect!["Only subclasses can override parameters"]);
    check(
        Catalog::MAIN_SOURCE,
        "message",
        expect!["Parameter 'message' is already set on Notify[a] by the main manifest at (line: 1); cannot redefine"],
    );
    check(Catalog::MAIN_SOURCE, "withpath", expect![""]);
    check(child, "message", expect![""]);
}

#[test]
fn metaparameters_reach_the_contents_of_defines_only() {
    let mut catalog = catalog();
    let class = NewResource { kind: ResourceKind::Class(ClassForm::Declared), ..native("Class[c]", 1, &[]) };
    let class = catalog.add(NewResource { parameters: [parameter("noop", true, 1)].into_iter().collect(), ..class });
    let class = class.expect("the catalog is empty");
    let define = NewResource { kind: ResourceKind::Define, ..native("D[x]", 2, &[("noop", true.into())]) };
    let define = catalog.add(define).expect("the title is new");
    let inside = |scope, title| NewResource { scope, ..native(title, 3, &[]) };
    let in_class = catalog.add(inside(class, "Notify[a]")).expect("the title is new");
    let in_define = catalog.add(inside(define, "Notify[b]")).expect("the title is new");
    assert_eq!(catalog.finish(Vec::new()), Ok(Vec::new()));
    assert_eq!(catalog.resource(in_class).parameters.value("noop"), None);
    assert_eq!(catalog.resource(in_define).parameters.value("noop"), Some(&Value::Boolean(true)));
}

#[test]
fn values_that_an_agent_refuses_are_found() {
    let mut catalog = catalog();
    for resource in [
        native("File[/a]", 1, &[("content", "a".into()), ("source", "/b".into())]),
        native("File[not/absolute]", 2, &[]),
        native("Exec[echo hi]", 3, &[]),
        native("Service[s]", 4, &[("ensure", "sideways".into())]),
        native("File[/b]", 5, &[("mode", Value::Integer(644))]),
        native("File[/c]", 6, &[("content", Value::Binary(Arc::new([1, 2])))]),
        NewResource { is_virtual: true, ..native("Service[v]", 7, &[("ensure", "sideways".into())]) },
    ] {
        catalog.add(resource).expect("titles differ");
    }
    let warnings = catalog.finish(Vec::new()).expect("Puppet's compiler accepts the values");
    let lines: Vec<String> = warnings.iter().map(|w| format!("{} {w}", w.location())).collect();
    expect![[r#"
        (line: 1) Validation of File[/a] failed: You cannot specify more than one of content, source, target
        (line: 2) Parameter path failed on File[not/absolute]: Invalid value "not/absolute": expected a fully qualified path
        (line: 3) Validation of Exec[echo hi] failed: 'echo' is not qualified and no path was specified. Please qualify the command or specify a path.
        (line: 4) Parameter ensure failed on Service[s]: Invalid value "sideways". Valid values are stopped, false, running, true.
        (line: 5) Parameter mode failed on File[/b]: Invalid value 644: expected a mode as a string, such as '0644' or 'u=rw,go=r'"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn sensitive_values_are_listed() {
    let mut catalog = catalog();
    let secret = Value::Sensitive(Arc::new("pw".into()));
    let id = catalog.add(native("Notify[a]", 1, &[("message", secret)])).expect("the title is new");
    assert_eq!(catalog.finish(Vec::new()), Ok(Vec::new()));
    assert_eq!(catalog.resource(id).sensitive, [Arc::from("message")]);
    assert_eq!(catalog.resource(id).parameters.value("message"), Some(&"pw".into()));
}

#[test]
fn the_json_has_the_head_of_each_catalog() {
    let mut catalog = catalog();
    catalog.add(native("Notify[a]", 1, &[("name", "a".into()), ("message", Value::Undef)])).expect("the title is new");
    catalog.add(NewResource { is_virtual: true, ..native("Notify[v]", 2, &[]) }).expect("the title is new");
    assert_eq!(catalog.finish(Vec::new()), Ok(Vec::new()));
    let json = catalog.to_json(1, "u").expect("it holds plain values");
    let mut lines = vec![json["classes"].to_string(), json["tags"].to_string()];
    for list in ["resources", "edges"] {
        lines.extend(json[list].as_array().expect("a list").iter().map(ToString::to_string));
    }
    expect![[r#"
        ["settings"]
        ["settings"]
        {"type":"Stage","title":"main","tags":["stage"],"exported":false,"kind":"compilable_type","parameters":{"name":"main"}}
        {"type":"Class","title":"Settings","tags":["class","settings"],"exported":false,"kind":"unknown"}
        {"type":"Class","title":"main","tags":["class"],"exported":false,"kind":"unknown","parameters":{"name":"main"}}
        {"type":"Notify","title":"a","tags":["notify","a","class"],"file":"","line":1,"exported":false,"kind":"compilable_type"}
        {"source":"Stage[main]","target":"Class[Settings]"}
        {"source":"Stage[main]","target":"Class[main]"}
        {"source":"Class[main]","target":"Notify[a]"}"#]]
    .assert_eq(&lines.join("\n"));
}
