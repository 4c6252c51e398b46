//! Translating the bytes of a catalog to a resource graph, compared with parsing them as JSON.
//!
//! `cargo bench -p pp-translate`

use std::fmt::Write;

use pp_resource_types::KnownTypes;
use pp_translate::{TranslateOptions, build_relationships, read_catalog, translate};
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A catalog with `n` resources in classes of 50: directories, files with content, packages, services that require them.
fn catalog(n: usize) -> String {
    let mut resources = String::new();
    let mut edges = String::new();
    resources.push_str(r#"{"type":"Stage","title":"main","kind":"compilable_type"}"#);
    resources.push_str(r#",{"type":"Class","title":"main","kind":"unknown"}"#);
    edges.push_str(r#"{"source":"Stage[main]","target":"Class[main]"}"#);
    for i in 0..n {
        let class = i / 50;
        if i % 50 == 0 {
            let _ = write!(resources, r#",{{"type":"Class","title":"C{class}","kind":"class"}}"#);
            let _ = write!(edges, r#",{{"source":"Stage[main]","target":"Class[C{class}]"}}"#);
        }
        let (kind, title, parameters) = match i % 4 {
            0 => ("File", format!("/srv/d{class}/f{i}"), r#"{"ensure":"directory","mode":"0755"}"#.to_owned()),
            1 => (
                "File",
                format!("/srv/d{class}/f{}/x", i - 1),
                format!(r#"{{"ensure":"file","owner":"root","content":"line {i}\n","notify":"Service[s{}]"}}"#, i + 2),
            ),
            2 => ("Package", format!("p{i}"), r#"{"ensure":"installed"}"#.to_owned()),
            _ => (
                "Service",
                format!("s{i}"),
                format!(r#"{{"ensure":"running","enable":true,"require":["Package[p{}]"]}}"#, i - 1),
            ),
        };
        let _ = write!(
            resources,
            r#",{{"type":"{kind}","title":"{title}","tags":["c{class}"],"file":"/etc/site.pp","line":{i},"kind":"compilable_type","parameters":{parameters}}}"#
        );
        let _ = write!(edges, r#",{{"source":"Class[C{class}]","target":"{kind}[{title}]"}}"#);
    }
    format!(r#"{{"name":"bench","catalog_format":2,"environment":"p","resources":[{resources}],"edges":[{edges}]}}"#)
}

fn main() {
    println!("{:>10} {:>12} {:>12} {:>7}", "resources", "json only", "to graph", "ratio");
    for n in [5_000, 50_000] {
        let n = n / 4 * 4;
        let text = catalog(n);
        let json = min_time(5, || serde_json::from_str::<serde_json::Value>(&text).expect("JSON"));
        let graph = min_time(5, || {
            let (catalog, _) = read_catalog(text.as_bytes()).expect("a catalog");
            let graph = build_relationships(catalog, &KnownTypes::all()).expect("a graph");
            let translation = translate(&graph, &TranslateOptions::default()).expect("a translation");
            assert!(translation.graph.len() > n);
        });
        println!("{n:>10} {json:>12.2?} {graph:>12.2?} {:>7.2}", ratio(graph, json));
    }
}
