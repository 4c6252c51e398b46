//! The relationship graphs of catalogs of real modules, made here and by a real Puppet of the same catalog.
//!
//! `MCL_PUPPET_MODULES` names a directory of modules; `.ci/puppet-modules` makes one of Debian's packages.

use std::path::{Path, PathBuf};

use mcl_diagnostics::Diagnostic;
use pp_environment::{Input, find};
use pp_resource_types::KnownTypes;
use pp_translate::{Label, TranslateOptions, build_relationships, read_catalog, translate};
use serde_json::Value;
use test_support::{RandomChoice, Rng, Scratch, seeds, skip};

use crate::FACTS;
use crate::drivers::{driver, subjects};
use crate::reference::Reference;
use crate::systems::facts_files;

/// The share of graphs that must be equal, in percent.
const MIN_EQUAL: usize = 97;

/// A graph as sorted texts, or why an agent refuses the catalog.
type Graph = Result<(Vec<String>, Vec<String>), String>;

fn graph(catalog: &Value, types: &KnownTypes) -> Graph {
    let refused = |errors: Vec<Diagnostic>| errors.into_iter().map(|e| e.message).collect::<Vec<_>>().join("; ");
    let (catalog, _) = read_catalog(catalog.to_string().as_bytes()).map_err(refused)?;
    let graph = build_relationships(catalog, types).map_err(refused)?;
    translate(&graph, &TranslateOptions { types: types.clone(), ..TranslateOptions::default() }).map_err(refused)?;
    let mut vertices: Vec<String> = (0..graph.vertices.len()).map(|vertex| graph.name(vertex)).collect();
    let event = |label| match label {
        Label::Order => "-",
        Label::Automatic => "NONE",
        Label::Refresh => "ALL_EVENTS",
    };
    let edges = graph.expanded.iter();
    let mut edges: Vec<String> =
        edges.map(|e| format!("{} -> {} {}", vertices[e.source], vertices[e.target], event(e.label))).collect();
    vertices.sort();
    edges.sort();
    Ok((vertices, edges))
}

fn reference_graph(graph: &Value) -> Graph {
    if let Some(refusal) = graph["refusal"].as_str() {
        return Err(refusal.to_owned());
    }
    let sorted = |key: &str| {
        let strings = graph[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut strings: Vec<String> = strings.map(str::to_owned).collect();
        strings.sort();
        strings
    };
    Ok((sorted("vertices"), sorted("edges")))
}

/// Returns the first difference.
fn difference(ours: &Graph, theirs: &Graph) -> Option<String> {
    let only = |a: &[String], b: &[String]| a.iter().find(|item| b.binary_search(item).is_err()).cloned();
    match (ours, theirs) {
        (Err(_), Err(_)) => None,
        (Err(why), Ok(_)) => Some(format!("refused: {why}")),
        (Ok(_), Err(why)) => Some(format!("accepted; Puppet: {why}")),
        (Ok(ours), Ok(theirs)) if ours == theirs => None,
        (Ok(ours), Ok(theirs)) => Some(format!(
            "unexpected {:?} {:?}, missing {:?} {:?}",
            only(&ours.0, &theirs.0),
            only(&ours.1, &theirs.1),
            only(&theirs.0, &ours.0),
            only(&theirs.1, &ours.1)
        )),
    }
}

#[test]
fn relationship_graphs_of_real_modules_equal_puppets() {
    let Some(modules) = std::env::var_os("MCL_PUPPET_MODULES").map(PathBuf::from) else {
        return skip("MCL_PUPPET_MODULES does not name a directory of modules");
    };
    let Some(mut reference) = Reference::start(FACTS) else { return };
    let scratch = Scratch::new();
    let systems = facts_files(&scratch);
    scratch.write("site.pp", "");
    let manifest = scratch.path("site.pp");
    let found = find(&Input::Manifest(manifest.clone()), std::slice::from_ref(&modules)).expect("a module path");
    let subjects = subjects(&found.modules);
    let types = pp_environment::resource_types(Path::new(&manifest), std::slice::from_ref(&modules));
    let (mut equal, mut total) = (0, 0);
    for seed in seeds(60) {
        let mut rng = Rng::with_seed(seed);
        let facts = &systems[usize::from(rng.one_in(4))];
        let code = driver(&subjects, &mut rng).code;
        let Some((catalog, theirs)) = reference.graph_with_modules(&code, &modules, facts) else { continue };
        // A type of the module that this machine has no provider for.
        if theirs["refusal"].as_str().is_some_and(|refusal| refusal.contains("undefined method")) {
            continue;
        }
        total += 1;
        match difference(&graph(&catalog, &types), &reference_graph(&theirs)) {
            None => equal += 1,
            Some(what) => eprintln!("SEED={seed} {}\n    {what}", code.replace('\n', " ")),
        }
    }
    eprintln!("{equal} of {total} graphs are equal");
    assert!(total > 0 && equal * 100 >= total * MIN_EQUAL, "{equal} of {total} graphs are equal");
}
