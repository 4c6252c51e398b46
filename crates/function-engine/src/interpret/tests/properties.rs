//! Random statements and events: what is interpreted incrementally agrees with the meaning of the statements, computed from
//! the inputs alone.

use std::collections::{BTreeMap, BTreeSet};

use mcl_artifact::program::{EdgeProperty, Operand};
use mcl_value::Value;
use resource_graph::{DeclaredEdge, Resource, ResourceGraph, ResourceId, topological_order};
use test_support::{RandomChoice, Rng, for_each_case, shorter};

use super::{BlockKind, Entry, TestProgram};
use crate::engine::Engine;
use crate::interpret::{ChangedResource, GraphChanges, Interpreter};
use crate::tests::programs::id;
use crate::tests::test_environment::TestEnvironment;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const NAME_INPUTS: [&str; 4] = ["n0", "n1", "n2", "n3"];
const VALUE_INPUTS: [&str; 2] = ["v0", "v1"];
const CONDITION_INPUTS: [&str; 2] = ["c0", "c1"];
const EVENTS: usize = 10;

fn one_of(random: &mut Rng, strings: &[&'static str]) -> &'static str {
    strings[random.usize(..strings.len())]
}

/// The inputs, by name.
#[derive(Default)]
struct Inputs {
    names: BTreeMap<&'static str, Vec<&'static str>>,
    values: BTreeMap<&'static str, i64>,
    conditions: BTreeMap<&'static str, bool>,
}

impl Inputs {
    fn change(&mut self, random: &mut Rng, environment: &TestEnvironment) {
        let names: Vec<&str> = (0..random.usize(..3)).map(|_| one_of(random, &NAMES)).collect();
        let key = one_of(random, &NAME_INPUTS);
        environment.set(key, Value::list(names.clone()));
        self.names.insert(key, names);
        let key = one_of(random, &VALUE_INPUTS);
        // Different values of one resource are an error.
        let value = if random.one_in(3) { 2 } else { 1 };
        environment.set(key, value);
        self.values.insert(key, value);
        let key = one_of(random, &CONDITION_INPUTS);
        let value = random.bool();
        environment.set(key, value);
        self.conditions.insert(key, value);
    }

    fn all(random: &mut Rng, environment: &TestEnvironment) -> Inputs {
        let mut inputs = Inputs::default();
        let complete = |inputs: &Inputs| {
            (inputs.names.len(), inputs.values.len(), inputs.conditions.len())
                == (NAME_INPUTS.len(), VALUE_INPUTS.len(), CONDITION_INPUTS.len())
        };
        while !complete(&inputs) {
            inputs.change(random, environment);
        }
        inputs
    }
}

/// What a statement is in.
#[derive(Clone, Copy, Debug)]
enum Block {
    Nothing,
    /// A loop over the names.
    For,
    If(&'static str),
}

/// A statement of the random program.
#[derive(Clone, Debug)]
enum Described {
    /// Resources with a value, perhaps on a condition, and edges to others.
    Resources {
        block: Block,
        names: &'static str,
        value: &'static str,
        condition: Option<&'static str>,
        edges: Vec<(EdgeProperty, &'static str)>,
    },
    Edge(&'static str, &'static str),
}

fn described(random: &mut Rng) -> Vec<Described> {
    let properties = [EdgeProperty::Before, EdgeProperty::Notify, EdgeProperty::Depend, EdgeProperty::Listen];
    (0..1 + random.usize(..5))
        .map(|_| {
            if random.one_in(4) {
                return Described::Edge(one_of(random, &NAME_INPUTS), one_of(random, &NAME_INPUTS));
            }
            Described::Resources {
                block: match random.usize(..4) {
                    0 => Block::For,
                    1 => Block::If(one_of(random, &CONDITION_INPUTS)),
                    _ => Block::Nothing,
                },
                names: one_of(random, &NAME_INPUTS),
                value: one_of(random, &VALUE_INPUTS),
                condition: random.one_in(3).then(|| one_of(random, &CONDITION_INPUTS)),
                edges: (0..random.usize(..2))
                    .map(|_| (*random.pick(&properties), one_of(random, &NAME_INPUTS)))
                    .collect(),
            }
        })
        .collect()
}

fn program(statements: &[Described]) -> TestProgram {
    let mut program = TestProgram::new();
    for statement in statements {
        match statement {
            Described::Resources { block, names, value, condition, edges } => {
                let mut operands = vec![program.input(names), program.input(value)];
                operands.extend(condition.map(|condition| program.input(condition)));
                operands.extend(edges.iter().map(|(_, to)| program.input(to)));
                let names = operands[0];
                let add = |program: &mut TestProgram, name: Operand, operands: &[Operand]| {
                    let mut others = operands[1..].iter().copied();
                    let mut next = || others.next().expect("one for each input");
                    let value = next();
                    let mut entries = vec![match condition {
                        Some(_) => Entry::If(next(), "int64", value),
                        None => Entry::Field("int64", value),
                    }];
                    entries.extend(edges.iter().map(|(property, _)| Entry::Edge(*property, "test", next())));
                    program.resource("test", name, &entries);
                };
                match block {
                    Block::Nothing => add(&mut program, names, &operands),
                    Block::For => program.block(BlockKind::For(names), operands, |program, captured| {
                        add(program, Operand::Param(id(1)), captured);
                    }),
                    Block::If(condition) => {
                        let condition = program.input(condition);
                        program.block(BlockKind::If(condition), operands, |program, captured| {
                            add(program, captured[0], captured);
                        });
                    }
                }
            }
            Described::Edge(from, to) => {
                let (from, to) = (program.input(from), program.input(to));
                program.edge(&[("test", from, None), ("test", to, None)]);
            }
        }
    }
    program
}

/// The resources with their values, and the edges with whether they notify.
type Shape = (BTreeMap<String, Option<i64>>, BTreeMap<(String, String), bool>);

/// What the statements mean; `None` if they contradict themselves.
fn meaning(statements: &[Described], inputs: &Inputs) -> Option<Shape> {
    let mut resources: BTreeMap<String, Option<i64>> = BTreeMap::new();
    let mut edges: BTreeMap<(String, String), bool> = BTreeMap::new();
    let mut connect = |from: &[&str], to: &[&str], notify: bool| {
        for from in from {
            for to in to {
                *edges.entry(((*from).to_owned(), (*to).to_owned())).or_default() |= notify;
            }
        }
        // An end without a partner needs no resource.
        !from.is_empty() && !to.is_empty()
    };
    let mut ends: BTreeSet<&str> = BTreeSet::new();
    for statement in statements {
        match statement {
            Described::Resources { block: Block::If(block), .. } if !inputs.conditions[block] => {}
            Described::Resources { block: _, names, value, condition, edges } => {
                let own = &inputs.names[names];
                let is_set = condition.is_none_or(|condition| inputs.conditions[condition]);
                let value = is_set.then(|| inputs.values[value]);
                for name in own {
                    if *resources.entry((*name).to_owned()).or_insert(value) != value {
                        return None;
                    }
                }
                for (property, other) in edges {
                    let other = &inputs.names[other];
                    let notify = matches!(property, EdgeProperty::Notify | EdgeProperty::Listen);
                    let is_first = matches!(property, EdgeProperty::Before | EdgeProperty::Notify);
                    let (from, to) = if is_first { (own, other) } else { (other, own) };
                    if connect(from, to, notify) {
                        ends.extend(from.iter().chain(to));
                    }
                }
            }
            Described::Edge(from, to) => {
                let (from, to) = (&inputs.names[from], &inputs.names[to]);
                if connect(from, to, false) {
                    ends.extend(from.iter().chain(to));
                }
            }
        }
    }
    let is_known = ends.iter().all(|end| resources.contains_key(*end));
    (is_known && is_acyclic(edges.keys())).then_some((resources, edges))
}

fn is_acyclic<'e>(edges: impl Iterator<Item = &'e (String, String)>) -> bool {
    let number = |name: &str| NAMES.iter().position(|known| *known == name).map(|i| i as u32);
    let pairs: Vec<(u32, u32)> = edges.filter_map(|(a, b)| Some((number(a)?, number(b)?))).collect();
    topological_order(NAMES.len(), pairs.into_iter()).is_ok()
}

fn value(resource: &Resource) -> Option<i64> {
    match resource.params.get("int64") {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    }
}

fn shape(graph: &ResourceGraph) -> Shape {
    let name = |vertex| graph.resource(vertex).id.name.to_string();
    (
        graph.resources().map(|(vertex, resource)| (name(vertex), value(resource))).collect(),
        graph.edges().map(|edge| ((name(edge.from), name(edge.to)), edge.notify)).collect(),
    )
}

/// A graph that is brought up to date with changes where that is possible.
#[derive(Default)]
struct Patched {
    interpreter: Interpreter,
    graph: Option<Shape>,
    /// The number of times that changes were enough, and of those that changed more than values.
    patches: usize,
    structural: usize,
}

impl Patched {
    fn update(&mut self, engine: &Engine) -> Option<&Shape> {
        let changes = self.interpreter.changes(engine);
        let patched = self.graph.take().zip(changes.as_ref()).and_then(|(graph, changes)| apply(graph, changes));
        if let Some(graph) = patched {
            self.patches += 1;
            self.structural += usize::from(changes.is_some_and(|changes| changes.is_structural()));
            self.graph = Some(graph);
        } else {
            self.graph = self.interpreter.interpret(engine).ok().as_ref().map(shape);
        }
        self.graph.as_ref()
    }
}

/// Applies changes to a graph; `None` if the result is not a graph.
fn apply((mut resources, mut edges): Shape, changes: &GraphChanges) -> Option<Shape> {
    let name = |id: &ResourceId| id.name.to_string();
    let ends = |edge: &DeclaredEdge| (name(&edge.from), name(&edge.to));
    for ChangedResource { old, new } in &changes.changed {
        let before = resources.insert(name(&new.id), value(new)).expect("a known resource");
        assert_eq!(before, value(old));
    }
    for edge in &changes.removed_edges {
        assert_eq!(edges.remove(&ends(edge)), Some(edge.notify));
    }
    for resource in &changes.removed {
        assert_eq!(resources.remove(&name(&resource.id)), Some(value(resource)));
    }
    for resource in &changes.added {
        if resources.insert(name(&resource.id), value(resource)).is_some() {
            return None;
        }
    }
    for edge in &changes.added_edges {
        if edges.insert(ends(edge), edge.notify).is_some() {
            return None;
        }
    }
    let known = |name: &String| resources.contains_key(name);
    (edges.keys().all(|(from, to)| known(from) && known(to)) && is_acyclic(edges.keys())).then_some((resources, edges))
}

/// Statements, and the events that change their inputs.
#[derive(Clone, Debug)]
struct Case {
    statements: Vec<Described>,
    /// The seed of the first inputs.
    first: u64,
    /// The seeds of the changes of each event.
    events: Vec<Vec<u64>>,
}

fn case(random: &mut Rng) -> Case {
    let statements = described(random);
    let event = |random: &mut Rng| (0..1 + random.usize(..2)).map(|_| random.u64(..)).collect();
    Case { statements, first: random.u64(..), events: (0..EVENTS).map(|_| event(random)).collect() }
}

fn smaller(case: &Case) -> Vec<Case> {
    let fewer = shorter(&case.statements).into_iter().map(|statements| Case { statements, ..case.clone() });
    let quieter = shorter(&case.events).into_iter().map(|events| Case { events, ..case.clone() });
    fewer.chain(quieter).collect()
}

fn check(case: &Case) {
    let Case { statements, first, events } = case;
    let environment = TestEnvironment::default();
    let mut inputs = Inputs::all(&mut Rng::with_seed(*first), &environment);
    let mut engine: Engine = program(statements).engine(&environment);
    let mut interpreter = Interpreter::new();
    let mut patched = Patched::default();
    for number in 0..=events.len() {
        let kept = interpreter.interpret(&engine);
        let fresh = Interpreter::new().interpret(&engine);
        match (&kept, &fresh) {
            (Ok(kept), Ok(fresh)) => assert_eq!(super::shown(kept), super::shown(fresh), "event {number}"),
            (Err(kept), Err(fresh)) => assert_eq!(kept, fresh, "event {number}"),
            (Ok(_), Err(errors)) | (Err(errors), Ok(_)) => panic!("event {number}: only one fails: {errors:?}"),
        }
        assert_eq!(kept.as_ref().ok().map(shape), meaning(statements, &inputs), "event {number}: {kept:?}");
        let updated = patched.update(&engine);
        assert_eq!(updated, fresh.as_ref().ok().map(shape).as_ref(), "event {number}");
        for seed in events.get(number).into_iter().flatten() {
            inputs.change(&mut Rng::with_seed(*seed), &environment);
        }
        engine.run().expect("inputs always have a value");
    }
}

#[test]
fn graphs_agree_with_the_meaning_of_their_statements() {
    for_each_case(4000, case, smaller, check);
}

#[test]
fn random_values_are_often_a_change_of_their_own() {
    let mut random = Rng::with_seed(1);
    let environment = TestEnvironment::default();
    let mut inputs = Inputs::all(&mut random, &environment);
    let resources = Described::Resources {
        block: Block::Nothing,
        names: "n0",
        value: "v0",
        condition: Some("c0"),
        edges: Vec::new(),
    };
    let mut engine: Engine = program(&[resources]).engine(&environment);
    let mut patched = Patched::default();
    for _ in 0..200 {
        patched.update(&engine);
        inputs.change(&mut random, &environment);
        engine.run().expect("inputs always have a value");
    }
    assert!(patched.patches > 100 && patched.structural > 20, "{} {}", patched.patches, patched.structural);
}
