//! What is compared of a catalog: resources in order with parameters and tags, and containment.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The compared part of a catalog.
#[derive(Debug, PartialEq)]
pub struct Essence {
    resources: Vec<(String, Map<String, Value>, BTreeSet<String>)>,
    edges: BTreeSet<(String, String)>,
    classes: BTreeSet<String>,
}

fn strings(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the compared part of a catalog in JSON.
pub fn essence(catalog: &Value) -> Essence {
    let list = |key: &str| catalog[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let resources = list("resources").into_iter().map(|resource| {
        let reference = format!("{}[{}]", text(&resource["type"]), text(&resource["title"]));
        let mut parameters = resource["parameters"].as_object().cloned().unwrap_or_default();
        parameters.sort_keys();
        (reference, parameters, strings(&resource["tags"]))
    });
    let edges = list("edges").iter().map(|edge| (text(&edge["source"]), text(&edge["target"]))).collect();
    Essence { resources: resources.collect(), edges, classes: strings(&catalog["classes"]) }
}

/// Returns the first difference.
pub fn difference(ours: &Essence, theirs: &Essence) -> Option<String> {
    let references = |essence: &Essence| essence.resources.iter().map(|r| r.0.clone()).collect::<Vec<_>>();
    if references(ours) != references(theirs) {
        return Some(format!("resources {:?}\nPuppet: {:?}", references(ours), references(theirs)));
    }
    if let Some((ours, theirs)) = ours.resources.iter().zip(&theirs.resources).find(|(ours, theirs)| ours != theirs) {
        return Some(format!("resource {ours:?}\nPuppet: {theirs:?}"));
    }
    if ours.edges != theirs.edges {
        let only = |a: &Essence, b: &Essence| a.edges.difference(&b.edges).cloned().collect::<Vec<_>>();
        return Some(format!("edges {:?}\nPuppet: {:?}", only(ours, theirs), only(theirs, ours)));
    }
    (ours.classes != theirs.classes).then(|| format!("classes {:?}\nPuppet: {:?}", ours.classes, theirs.classes))
}
