//! Collectors look only at what is new or changed. The result must be that of looking at everything in each round.

use std::sync::Arc;

use pp_types::Value;
use test_support::{RandomChoice, Rng, for_each_seed};

use super::{catalog, native, parameter};
use crate::*;

const WORDS: [&str; 4] = ["a", "B", "b", "c"];

/// A step of a program.
#[derive(Clone, Debug)]
enum Step {
    Add { title: usize, message: Option<&'static str>, tag: Option<&'static str>, scope: usize, is_virtual: bool },
    Collect { query: Option<Query>, message: Option<&'static str>, tag: Option<&'static str> },
    Realize(usize),
    Tag { scope: usize, tag: &'static str },
    Round,
}

fn query(rng: &mut Rng, depth: usize) -> Query {
    if depth > 0 && rng.one_in(2) {
        let (left, right) = (Box::new(query(rng, depth - 1)), Box::new(query(rng, depth - 1)));
        return if rng.one_in(2) { Query::And(left, right) } else { Query::Or(left, right) };
    }
    let comparison = *rng.pick(&[Comparison::Equal, Comparison::Equal, Comparison::NotEqual]);
    let attribute = *rng.pick(&["title", "tag", "message"]);
    let value = match attribute {
        "title" => Value::from(format!("T{}", rng.usize(..20))),
        "message" if rng.one_in(4) => Value::Undef,
        _ => Value::from(*rng.pick(&WORDS)),
    };
    Query::Compare { attribute: attribute.into(), comparison, value }
}

fn step(rng: &mut Rng, index: usize) -> Step {
    let word = |rng: &mut Rng| (!rng.one_in(3)).then(|| *rng.pick(&WORDS));
    match rng.usize(..10) {
        0..4 => Step::Add {
            title: index,
            message: word(rng),
            tag: word(rng),
            scope: rng.usize(..3),
            is_virtual: rng.one_in(2),
        },
        4..7 => Step::Collect {
            query: (!rng.one_in(4)).then(|| query(rng, 2)),
            message: if rng.one_in(2) { word(rng) } else { None },
            tag: if rng.one_in(3) { word(rng) } else { None },
        },
        7 => Step::Realize(rng.usize(..20)),
        8 => Step::Tag { scope: rng.usize(..3), tag: WORDS[rng.usize(..WORDS.len())] },
        _ => Step::Round,
    }
}

fn words(message: Option<&'static str>, tag: Option<&'static str>) -> Vec<(&'static str, Value)> {
    let named = [("message", message), ("tag", tag)];
    named.into_iter().filter_map(|(name, word)| Some((name, word?.into()))).collect()
}

/// Runs a program. If `naive`, each collector forgets before each round what it has looked at, and there are no indexes.
fn run(steps: &[Step], naive: bool) -> Vec<String> {
    let mut catalog = catalog();
    let mut scopes = vec![Catalog::MAIN_CLASS];
    for name in ["x", "y"] {
        let form = ResourceKind::Class(ClassForm::Included);
        let class = NewResource { kind: form, ..native(&format!("Class[{name}]"), 0, &[]) };
        scopes.push(catalog.add(class).expect("the catalog has no such class"));
    }
    let round = |catalog: &mut Catalog| {
        if naive {
            catalog.forget_what_collectors_saw();
        }
        catalog.collect().expect("the overrides are valid").changed
    };
    for step in steps {
        match step.clone() {
            Step::Add { title, message, tag, scope, is_virtual } => {
                let new = native(&format!("Notify[t{title}]"), 1, &words(message, tag));
                let new = NewResource { scope: scopes[scope], is_virtual, ..new };
                catalog.add(new).expect("titles differ");
            }
            Step::Collect { query, message, tag } => {
                let overrides = words(message, tag).into_iter().map(|(name, value)| parameter(name, value, 2));
                catalog.add_collector(Collector {
                    type_name: "Notify".into(),
                    query,
                    form: CollectorForm::Virtual,
                    overrides: overrides.collect(),
                    scope: Catalog::MAIN_CLASS,
                    source: Catalog::MAIN_SOURCE,
                    location: Location::default(),
                });
            }
            Step::Realize(title) => {
                let title = Arc::from(format!("t{title}"));
                catalog.add_realize(Reference { type_name: "Notify".into(), title }, Location::default());
            }
            Step::Tag { scope, tag } => {
                catalog.add_tags(scopes[scope], &[tag], &Location::default()).expect("the tags are valid");
            }
            Step::Round => drop(round(&mut catalog)),
        }
    }
    let mut rounds = 0;
    while round(&mut catalog) {
        rounds += 1;
        assert!(rounds < 100, "the collectors do not come to an end");
    }
    let shown = |(id, resource): (ResourceId, &Resource)| {
        let values = ["message", "tag"].map(|name| resource.parameters.value(name).cloned());
        let tags: Vec<&str> = catalog.tags(id).map(|t| &**t).collect();
        format!("{} {} {values:?} {tags:?}", resource.reference, resource.is_virtual)
    };
    let mut lines: Vec<String> = catalog.resources().map(shown).collect();
    lines.extend(catalog.collected());
    lines
}

impl Catalog {
    fn forget_what_collectors_saw(&mut self) {
        self.collectors.values_mut().for_each(crate::collector::CollectorState::forget);
        self.table.forget_indexes();
    }

    fn collected(&self) -> Vec<String> {
        let show = |state: &crate::collector::CollectorState| format!("{:?}", state.collected());
        self.collectors.values().map(show).collect()
    }
}

#[test]
fn looking_at_changes_only_makes_no_difference() {
    for_each_seed(2_000, |rng| {
        let steps: Vec<Step> = (0..rng.usize(1..40)).map(|index| step(rng, index)).collect();
        assert_eq!(run(&steps, false), run(&steps, true), "{steps:#?}");
    });
}
