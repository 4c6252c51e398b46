//! Data that is made to exhaust memory, stack or time, and data that no value can be: one error each, and no harm to the keys
//! beside it that can be used.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::World;

/// The longest time for one file, on a machine that does other things, too.
const LIMIT: Duration = Duration::from_secs(120);

/// Returns an environment with one file of data.
fn world(name: &str, backend: &str, text: &str) -> World {
    let hiera = format!("version: 5\nhierarchy:\n  - name: Only\n    path: {name}\n    data_hash: {backend}\n");
    World::new(&json!({"files": {"hiera.yaml": hiera, format!("data/{name}"): text}}))
}

#[track_caller]
fn refused(name: &str, backend: &str, text: &str) -> String {
    let start = Instant::now();
    let (found, _) = world(name, backend, text).evaluate("lookup('a')");
    assert!(start.elapsed() < LIMIT, "{name}: {:?}", start.elapsed());
    let message = found.expect_err("an error");
    assert!(message.contains(name) && message.len() < 1_000, "{message}");
    message
}

fn yaml(text: &str) -> String {
    refused("a.yaml", "yaml_data", text)
}

/// Ten levels, of which each has ten times the level before.
fn levels(first: &str, next: impl Fn(usize) -> String) -> String {
    (1..=10).fold(first.to_owned(), |text, level| text + &next(level) + "\n")
}

#[test]
fn yaml_that_grows_is_refused() {
    let aliases = |level: usize| format!("a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 10].join(","));
    assert!(yaml(&levels("a0: &a0 [x,x,x]\n", aliases)).contains("aliases make more than"));
    let merges = |level: usize| {
        let keys: String = (0..10).map(|key| format!("\n  k{key}: *m{}", level - 1)).collect();
        format!("m{level}: &m{level}{keys}")
    };
    assert!(yaml(&levels("m0: &m0 {x: 1}\n", merges)).contains("aliases make more than"));
    assert!(yaml("a: &a [*a]\n").contains("a value that contains it"));
    assert!(yaml("a: &a\n  <<: *a\n").contains("a value that contains it"));
}

#[test]
fn nesting_is_bounded_in_every_format() {
    let deep = 100_000;
    let brackets = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    assert!(yaml(&format!("a: {brackets}\n")).contains("recursion limit"));
    assert!(yaml(&"- ".repeat(deep)).contains("deep"));
    let indented: String = (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(yaml(&indented).contains("nested more than"));
    assert!(refused("a.json", "json_data", &format!("{{\"a\": {brackets}}}")).contains("recursion limit"));
    assert!(refused("a.conf", "hocon_data", &format!("a = {brackets}")).contains("nested more than"));
    let objects = format!("{}1{}", "{a = ".repeat(deep), "}".repeat(deep));
    assert!(refused("a.conf", "hocon_data", &format!("a = {objects}")).contains("nested more than"));
}

#[test]
fn classes_of_ruby_are_refused() {
    for tag in ["!ruby/object:File {}", "!ruby/hash:Object {a: 1}", "!ruby/regexp /a/", "!ruby/struct:X {}"] {
        let message = yaml(&format!("a: {tag}\n"));
        assert!(message.contains("unspecified class"), "{tag}: {message}");
    }
}

#[test]
fn hocon_reads_no_other_files_and_does_not_grow() {
    let hocon = |text: &str| refused("a.conf", "hocon_data", text);
    for include in ["include \"a.conf\"\na = 1", "include file(\"/etc/passwd\")", "a { include required(\"b\") }"] {
        assert!(hocon(include).contains("`include` is not supported"), "{include}");
    }
    assert!(hocon("a = ${b}\nb = ${a}\n").contains("substitution"));
    assert!(hocon("a = ${a}\n").contains("substitution"));
    let grows = |level: usize| format!("a{level} = {}", format!("${{a{}}}", level - 1).repeat(10));
    assert!(hocon(&levels("a0 = xxxxxxxxxx\n", grows)).contains("too much"));
}

#[test]
fn keys_that_are_not_strings_cost_only_their_values() {
    let world = world("a.yaml", "yaml_data", "1: x\n? [a]\n: y\ntrue: z\n~: q\na: {true: x}\nb: ok\n");
    assert_eq!(world.evaluate("lookup('b')").0.as_deref(), Ok("'ok'"));
    let message = world.evaluate("lookup('a')").0.expect_err("a key that no hash can have");
    assert!(message.contains("has wrong type, expects Puppet::LookupValue"), "{message}");
}

#[test]
fn large_files_are_read() {
    let text = format!("a: '{}'\nb: ok\n", "x".repeat(8 << 20));
    let start = Instant::now();
    assert_eq!(world("a.yaml", "yaml_data", &text).evaluate("lookup('a').length").0.as_deref(), Ok("8388608"));
    let json = format!("{{\"a\": [{}0]}}", "1,".repeat(1 << 20));
    assert_eq!(world("a.json", "json_data", &json).evaluate("lookup('a').length").0.as_deref(), Ok("1048577"));
    assert!(start.elapsed() < 4 * LIMIT, "{:?}", start.elapsed());
}
