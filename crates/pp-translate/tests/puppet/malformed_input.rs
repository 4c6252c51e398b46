//! Malformed, hostile and very large catalogs: the result is one clear error or a translation, never a panic or a hang.

use std::fmt::Write;

use pp_resource_types::KnownTypes;
use pp_translate::{TranslateOptions, build_relationships, find_cycles, read_catalog, translate};

use crate::relationships::cases;

/// Runs every operation on the bytes of a catalog. Returns the number of stages that succeeded.
fn run_all_stages(bytes: &[u8]) -> usize {
    let Ok((catalog, _)) = read_catalog(bytes) else { return 0 };
    let Ok(graph) = build_relationships(catalog, &KnownTypes::all()) else { return 1 };
    let _ = (find_cycles(&graph), graph.apply_order());
    let _ = (pp_translate::relationships_json(&graph), pp_translate::relationships_dot(&graph));
    match translate(&graph, &TranslateOptions::default()) {
        Ok(translation) => {
            let _ = pp_translate::graph_yaml(&translation, "fuzz");
            3
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a failure has an error");
            2
        }
    }
}

/// A generator of numbers that is the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

#[test]
fn mutated_catalogs_never_panic() {
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0x5eed_ca7a_1065_u64);
    let rounds: usize = std::env::var("FUZZ_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    println!("seed {seed}, {rounds} rounds a catalog (FUZZ_SEED, FUZZ_ROUNDS)");
    let mut random = Random(seed);
    let catalogs: Vec<Vec<u8>> = cases()
        .iter()
        .filter_map(|c| std::fs::read(c.join("catalog.json")).ok())
        .filter(|c| c.len() < 40_000)
        .collect();
    assert!(catalogs.len() > 50);
    let words: [&[u8]; 14] = [
        b"\"File[/x]\"",
        b"\"Class[Main]\"",
        b"\"Stage[main]\"",
        b"null",
        b"[]",
        b"{}",
        b"true",
        b"-1",
        b"1e999",
        b"\"\"",
        b"\"require\"",
        b"\"File\"",
        b"{\"__ptype\":\"Sensitive\",\"__pvalue\":[1]}",
        b"18446744073709551615",
    ];
    let mut reached = [0usize; 4];
    for catalog in &catalogs {
        for _ in 0..rounds {
            let mut bytes = catalog.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len());
                match random.below(5) {
                    0 => bytes[at] = b" \"[]{},:0aF\\\xff"[random.below(13)],
                    1 => bytes.truncate(at),
                    2 => {
                        let end = (at + random.below(60)).min(bytes.len());
                        bytes.drain(at..end);
                    }
                    3 => {
                        // Another value in place of a string: the way to what is still a catalog.
                        let from = (at..bytes.len()).find(|i| bytes[*i] == b'"').unwrap_or(at);
                        let to = (from + 1..bytes.len()).find(|i| bytes[*i] == b'"').map_or(from, |i| i + 1);
                        bytes.splice(from..to.max(from), words[random.below(words.len())].iter().copied());
                    }
                    _ => {
                        let end = (at + random.below(400)).min(bytes.len());
                        let piece = bytes[at..end].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
                if bytes.is_empty() {
                    bytes.push(b'{');
                }
            }
            reached[run_all_stages(&bytes)] += 1;
        }
    }
    assert!(reached.iter().all(|n| *n > 0), "every stage was reached: {reached:?}");
}

fn with(resources: &str, edges: &str) -> String {
    format!(r#"{{"name":"n","catalog_format":2,"resources":[{resources}],"edges":[{edges}]}}"#)
}

#[test]
fn deep_nesting_is_one_error() {
    for n in [200, 100_000] {
        let value = format!("{}{}", "[".repeat(n), "]".repeat(n));
        let text = with(
            &format!(r#"{{"type":"File","title":"/a","kind":"compilable_type","parameters":{{"content":{value}}}}}"#),
            "",
        );
        let errors = read_catalog(text.as_bytes()).expect_err("refused");
        assert_eq!(errors.len(), 1);
        assert!(errors[0].message.contains("recursion"), "{}", errors[0].message);
    }
}

#[test]
fn very_many_edges_are_translated() {
    // Each is ordered before all later ones, twice: more than 10^5 relationships in parameters.
    let mut resources = String::from(r#"{"type":"Stage","title":"main","kind":"compilable_type"}"#);
    for i in 0..350 {
        let targets: Vec<String> = (i + 1..350).map(|k| format!("\"Notify[n{k}]\"")).collect();
        let _ = write!(
            resources,
            r#",{{"type":"Notify","title":"n{i}","kind":"compilable_type","parameters":{{"before":[{0}],"notify":[{0}]}}}}"#,
            targets.join(",")
        );
    }
    assert_eq!(run_all_stages(with(&resources, "").as_bytes()), 3);
}

#[test]
fn long_chains_and_cycles_do_not_overflow_the_stack() {
    let chain = |close: bool| {
        let mut resources = String::new();
        const N: usize = 50_000;
        for i in 0..N {
            let next = if i + 1 < N { i + 1 } else { 0 };
            let before = if i + 1 < N || close { format!(r#""before":"Notify[n{next}]""#) } else { String::new() };
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(
                resources,
                r#"{comma}{{"type":"Notify","title":"n{i}","kind":"compilable_type","parameters":{{{before}}}}}"#
            );
        }
        with(&resources, "")
    };
    assert_eq!(run_all_stages(chain(false).as_bytes()), 3);
    assert_eq!(run_all_stages(chain(true).as_bytes()), 2);
}

#[test]
fn all_dangling_references_and_conflicts_are_reported() {
    let text = with(
        r#"{"type":"Notify","title":"a","kind":"compilable_type","file":"s.pp","line":3,"parameters":{"require":"Notify[b]","before":["Notify[c]"]}}"#,
        "",
    );
    let (catalog, _) = read_catalog(text.as_bytes()).expect("a catalog");
    let errors = build_relationships(catalog, &KnownTypes::all()).expect_err("dangling");
    assert_eq!(errors.len(), 2);
    assert!(errors.iter().all(|e| e.message.contains("Notify[a] (declared at s.pp:3)")), "{errors:?}");
    let twice = r#"{"type":"Notify","title":"a","kind":"compilable_type"}"#;
    assert_eq!(read_catalog(with(&format!("{twice},{twice}"), "").as_bytes()).expect_err("twice").len(), 1);
    let same = r#"{"type":"Package","title":"a","kind":"compilable_type","parameters":{"name":"x"}},{"type":"Package","title":"b","kind":"compilable_type","parameters":{"name":"x"}}"#;
    let (catalog, _) = read_catalog(with(same, "").as_bytes()).expect("a catalog");
    let graph = build_relationships(catalog, &KnownTypes::all()).expect("a graph");
    assert_eq!(translate(&graph, &TranslateOptions::default()).expect_err("a clash")[0].code.name(), "P0203");
}

#[test]
fn a_repeated_key_is_an_error_at_its_location() {
    let resource =
        |more: &str| with(&format!("\n{{\"type\":\"File\",\"title\":\"/a\",\"kind\":\"compilable_type\"{more}}}"), "");
    let parameters = |json: &str| resource(&format!(",\"parameters\":{{\n{json}}}"));
    for (text, key, line) in [
        (r#"{"name":"a","resources":[],"name":"b"}"#.to_owned(), "name", 1),
        (r#"{"resources":[],"unknown":1,"unknown":2}"#.to_owned(), "unknown", 1),
        ("{\"resources\":[],\n\"metadata\":{\"x\":1,\"y\":[{\"z\":1,\n\"z\":1}]}}".to_owned(), "z", 3),
        (resource(r#","title":"/b""#), "title", 2),
        (resource(r#","other":1,"other":1"#), "other", 2),
        (parameters(r#""mode":"0600","ensure":"file","mode":"0666""#), "mode", 3),
        // The same key in another spelling.
        (parameters(r#""mode":"0600","\u006dode":"0666""#), "mode", 3),
        (parameters(r#""x":[{"a":1,"a":1}]"#), "a", 3),
        (parameters(r#""x":{"__ptype":"Binary","__pvalue":"","__pvalue":"YQ=="}"#), "__pvalue", 3),
        (with("", r#"{"source":"a","source":"b","target":"c"}"#), "source", 1),
        (format!("{{\"data\":{}}}", parameters(r#""a":1,"a":1"#)), "a", 3),
    ] {
        let errors = read_catalog(text.as_bytes()).expect_err(&text);
        let expected = format!("invalid catalog: duplicate key `{key}` at line {line}, column ");
        assert!(errors.len() == 1 && errors[0].message.starts_with(&expected), "{text}\n{errors:?}");
        assert_eq!(errors[0].code.name(), "P0101");
    }
}

#[test]
fn containment_in_an_envelope_is_kept() {
    let inner = with(
        r#"{"type":"Class","title":"a","kind":"unknown"},{"type":"Notify","title":"b","kind":"compilable_type"}"#,
        r#"{"source":"Class[a]","target":"Notify[b]"}"#,
    );
    let (catalog, _) =
        read_catalog(format!("{{\"document_type\":\"Catalog\",\"data\":{inner}}}").as_bytes()).expect("valid");
    assert_eq!((&*catalog.name, catalog.containment.len()), ("n", 1));
}

#[test]
fn log_lines_before_the_catalog_are_skipped_and_empty_output_is_rejected() {
    let text = format!("Notice: Compiled catalog for n\n{}", with("", ""));
    assert!(read_catalog(text.as_bytes()).is_ok());
    let errors = read_catalog(b"\n").expect_err("empty");
    assert!(errors[0].message.contains("empty"));
}
