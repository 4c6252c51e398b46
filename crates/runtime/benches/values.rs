//! The function engine and interpretation, against the figures that they promise.
//!
//! `cargo bench -p runtime --bench values`. Each line says what was measured, how long it took, and the promise; the
//! run fails if one is broken by more than the noise of a busy machine explains (three times). The memory of an iteration has
//! no such noise.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cranelift_entity::{EntityRef, PrimaryMap};
use function_engine::{Engine, Environment, Interpreter, SharedValue, Waker, WatchId};
use mcl_artifact::program::{
    Closure, Constant, EntryKind, EntryStmt, FunctionIdx, FunctionImport, Node, Op, Operand, Program, ResourceStmt,
    Statement, StrId, Template, TemplateId, TypeIdx,
};
use mcl_artifact::{ArtifactStage, read_program, write};
use mcl_diagnostics::{FileId, Span};
use mcl_value::{FuncType, Type, Value};
use resource_engine::{Config, Engine as ResourceEngine, Event};
use runtime::{Patcher, finalize, local_host};
use test_support::{min_of, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The memory that an iteration of a loop may take if its body needs only the element and pure functions, in bytes.
const MAX_ITERATION_BYTES: f64 = 450.0;

const SPAN: Span = Span::new(FileId::MAIN, 0, 0);

/// Values that the bench sets.
#[derive(Clone, Default)]
struct Inputs(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    value: i64,
    watches: Vec<(String, Waker)>,
}

impl Inputs {
    fn set(&self, key: &str, value: i64) {
        let mut inner = self.0.lock().expect("one thread");
        inner.value = value;
        inner.watches.iter().filter(|(k, _)| k == key).for_each(|(_, waker)| waker.wake());
    }
}

impl Environment for Inputs {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
    fn watch(&mut self, _: &Path, _: Waker) -> WatchId {
        WatchId(0)
    }
    fn watch_shared(&mut self, _: &str, name: &str, waker: Waker) -> WatchId {
        let mut inner = self.0.lock().expect("one thread");
        inner.watches.push((name.to_owned(), waker));
        WatchId(0)
    }
    fn unwatch(&mut self, _: WatchId) {}
    fn hostname(&self) -> &str {
        "bench"
    }
    fn state_dir(&self) -> &Path {
        Path::new("/nonexistent")
    }
    fn shared_value(&self, _: &str, _: &str) -> Option<SharedValue> {
        let value = Value::Int(self.0.lock().expect("one thread").value);
        Some(SharedValue { value, sensitive: false })
    }
}

#[derive(Default)]
struct Builder {
    program: Program,
}

impl Builder {
    fn new() -> Builder {
        let mut builder = Builder::default();
        builder.program.files.add("main.mcl", "");
        builder
    }

    fn string(&mut self, text: &str) -> StrId {
        let strings = &mut self.program.strings;
        let known = strings.iter().find(|(_, s)| ***s == *text).map(|(id, _)| id);
        known.unwrap_or_else(|| strings.push(text.into()))
    }

    fn constant(&mut self, constant: Constant) -> Operand {
        Operand::Const(self.program.constants.push(constant))
    }

    fn text(&mut self, text: &str) -> Operand {
        self.constant(Constant::Str(text.into()))
    }

    fn import(&mut self, name: &str, ty: &str) -> FunctionIdx {
        let (name, module_dir) = (self.string(name), self.string("/"));
        let ty = FuncType::parse(ty).expect("a function type");
        self.program.functions.push(FunctionImport { name, ty, module_dir })
    }

    fn template(&mut self, template: Template) -> TemplateId {
        self.program.templates.push(template)
    }

    fn test(&mut self, name: Operand, int64: Option<Operand>) -> Statement {
        let (kind, field) = (self.string("test"), self.string("int64"));
        let entries = int64
            .map(|value| EntryStmt {
                condition: None,
                kind: EntryKind::Field { name: field, value, ty: TypeIdx::from_u32(0) },
                span: SPAN,
            })
            .into_iter()
            .collect();
        Statement::Resource(Box::new(ResourceStmt { kind, name, collect: None, entries, span: SPAN }))
    }

    fn finish(mut self, ops: Vec<Op>, statements: impl IntoIterator<Item = Statement>) -> Arc<Program> {
        self.program.types.push(Type::Int);
        let nodes = ops.into_iter().map(|op| Node { op, span: None }).collect();
        self.template(Template { nodes, statements: statements.into_iter().collect(), ..Template::default() });
        mcl_artifact::validate(&self.program).expect("a valid program");
        Arc::new(self.program)
    }
}

fn node(op: Op) -> Node {
    Node { op, span: None }
}

fn id<K: EntityRef>(index: usize) -> K {
    K::new(index)
}

/// A graph of `size` additions above one input, and ten above another, of which each sets a resource.
fn layered(size: u32) -> Arc<Program> {
    let mut b = Builder::new();
    let get = b.import("value.get_int", "func(key str) struct{value int; ready bool}");
    let field = b.import("_struct_lookup", "func(struct struct{value int; ready bool}, field str) int");
    let operator = b.import("_operator", "func(op str, a int, b int) int");
    let (value, plus, one) = (b.text("value"), b.text("+"), b.constant(Constant::Int(1)));
    let mut ops = Vec::new();
    let mut statements = Vec::new();
    for (key, count) in [("large", size), ("small", 10)] {
        let key_text = b.text(key);
        ops.push(Op::Builtin { function: get, args: vec![key_text] });
        ops.push(Op::Builtin { function: field, args: vec![Operand::Node(id(ops.len() - 1)), value] });
        for _ in 0..count {
            let below = Operand::Node(id(ops.len() - 1));
            ops.push(Op::Builtin { function: operator, args: vec![plus, below, one] });
        }
        let statement = b.test(key_text, Some(Operand::Node(id(ops.len() - 1))));
        statements.push(statement);
    }
    b.finish(ops, statements)
}

/// `for` over `count` elements: a resource named by a known function, and one named by a call of a function value.
fn looped(count: i64) -> Arc<Program> {
    let mut b = Builder::new();
    let range = b.import("iter.range", "func(n int) []int");
    let printf = b.import("fmt.printf", "func(format str, a int) str");
    let (first, second) = (b.text("a%d"), b.text("b%d"));
    let count = b.constant(Constant::Int(count));
    let function = b.template(Template {
        params: 1,
        nodes: vec![node(Op::Builtin { function: printf, args: vec![second, Operand::Param(id(0))] })].into(),
        root: Some(Operand::Node(id(0))),
        ..Template::default()
    });
    let statements = vec![
        b.test(Operand::Node(id(0)), Some(Operand::Param(id(1)))),
        b.test(Operand::Node(id(1)), Some(Operand::Param(id(0)))),
    ];
    let body = b.template(Template {
        params: 2,
        captures: 1,
        nodes: vec![
            node(Op::Builtin { function: printf, args: vec![first, Operand::Param(id(1))] }),
            node(Op::Call { callee: Operand::Capture(id(0)), args: vec![Operand::Param(id(1))] }),
        ]
        .into(),
        statements: statements.into(),
        ..Template::default()
    });
    b.program.types.push(Type::parse("func(n int) str").expect("a type"));
    let ops = vec![
        Op::Builtin { function: range, args: vec![count] },
        Op::Func { closure: Closure { template: function, captures: PrimaryMap::new() }, ty: TypeIdx::from_u32(0) },
    ];
    let closure = Closure { template: body, captures: vec![Operand::Node(id(1))].into() };
    b.finish(ops, vec![Statement::For { list: Operand::Node(id(0)), body: closure }])
}

/// `for` over `count` elements, of which each names and sets a resource.
fn simple_loop(count: i64) -> Arc<Program> {
    let mut b = Builder::new();
    let range = b.import("iter.range", "func(n int) []int");
    let printf = b.import("fmt.printf", "func(format str, a int) str");
    let (format, count) = (b.text("a%d"), b.constant(Constant::Int(count)));
    let statement = b.test(Operand::Node(id(0)), Some(Operand::Param(id(1))));
    let body = b.template(Template {
        params: 2,
        nodes: vec![node(Op::Builtin { function: printf, args: vec![format, Operand::Param(id(1))] })].into(),
        statements: vec![statement].into(),
        ..Template::default()
    });
    let body = Closure { template: body, captures: PrimaryMap::new() };
    let ops = vec![Op::Builtin { function: range, args: vec![count] }];
    b.finish(ops, vec![Statement::For { list: Operand::Node(id(0)), body }])
}

/// The memory of the process, in bytes.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) * 1024.0
}

/// The memory of the function engine for one iteration, without the resources that are made of it.
fn bytes_of_an_iteration() -> f64 {
    const ITERATIONS: i64 = 200_000;
    let program = simple_loop(ITERATIONS);
    let before = resident();
    let mut engine = Engine::new(program, Box::new(Inputs::default())).expect("known functions");
    assert!(engine.run().expect("no failures").changed);
    (resident() - before) / ITERATIONS as f64
}

fn flat(count: usize) -> Arc<Program> {
    let mut b = Builder::new();
    let statements = (0..count)
        .map(|i| {
            let name = b.text(&format!("resource {i}"));
            let value = b.constant(Constant::Int(i as i64));
            b.test(name, Some(value))
        })
        .collect::<Vec<Statement>>();
    b.finish(Vec::new(), statements)
}

fn one_change(size: u32, key: &str) -> Duration {
    let inputs = Inputs::default();
    let mut engine = Engine::new(layered(size), Box::new(inputs.clone())).expect("known functions");
    engine.run().expect("no failures");
    let mut n = 0;
    min_of(50, || {
        n += 1;
        inputs.set(key, n);
        let started = Instant::now();
        engine.run().expect("no failures");
        started.elapsed()
    })
}

fn first_graph(program: &Arc<Program>, resources: usize) -> Duration {
    let started = Instant::now();
    let mut engine = Engine::new(Arc::clone(program), Box::new(Inputs::default())).expect("known functions");
    engine.run().expect("no failures");
    let graph = Interpreter::new().interpret(&engine).expect("a graph");
    let elapsed = started.elapsed();
    assert_eq!(graph.len(), resources);
    elapsed
}

/// How a change gets to the resource engine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// All resources are made anew: interpretation, automatic edges, groups, comparison.
    Graph,
    /// As the agent does it: only what changed.
    Patch,
}

/// What changes among many files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// The mode of one.
    Mode,
    /// One is added, and removed again.
    Number,
}

/// `count` files in `directories` directories, and an input: the mode of the last file, or the number of others.
fn files(count: usize, directories: usize, change: Change) -> Arc<Program> {
    let mut b = Builder::new();
    let get = b.import("value.get_int", "func(key str) struct{value int; ready bool}");
    let field = b.import("_struct_lookup", "func(struct struct{value int; ready bool}, field str) int");
    let printf = b.import("fmt.printf", "func(format str, a int) str");
    let range = b.import("iter.range", "func(n int) []int");
    let (key, value, format) = (b.text("input"), b.text("value"), b.text("0%d"));
    let mut ops = vec![
        Op::Builtin { function: get, args: vec![key] },
        Op::Builtin { function: field, args: vec![Operand::Node(id(0)), value] },
    ];
    ops.push(match change {
        Change::Mode => Op::Builtin { function: printf, args: vec![format, Operand::Node(id(1))] },
        Change::Number => Op::Builtin { function: range, args: vec![Operand::Node(id(1))] },
    });
    let (mode, state, content, kind) = (b.string("mode"), b.string("state"), b.string("content"), b.string("file"));
    let (exists, text) = (b.text("exists"), b.text("the content of a file\n"));
    let file = |name: Operand, mode: Option<(StrId, Operand)>| {
        let entries = [(state, exists), (content, text)].into_iter().chain(mode).map(|(name, value)| EntryStmt {
            condition: None,
            kind: EntryKind::Field { name, value, ty: TypeIdx::from_u32(0) },
            span: SPAN,
        });
        Statement::Resource(Box::new(ResourceStmt {
            kind,
            name,
            collect: None,
            entries: entries.collect(),
            span: SPAN,
        }))
    };
    let mut statements: Vec<Statement> = (0..directories)
        .map(|i| {
            let name = b.text(&format!("/srv/{i}/"));
            let entry = EntryStmt {
                condition: None,
                kind: EntryKind::Field { name: state, value: exists, ty: TypeIdx::from_u32(0) },
                span: SPAN,
            };
            Statement::Resource(Box::new(ResourceStmt { kind, name, collect: None, entries: vec![entry], span: SPAN }))
        })
        .collect();
    statements.extend((0..count).map(|i| {
        let name = b.text(&format!("/srv/{}/{i}", i % directories));
        let is_last = change == Change::Mode && i + 1 == count;
        file(name, is_last.then_some((mode, Operand::Node(id(2)))))
    }));
    if change == Change::Number {
        let format = b.text("/srv/0/extra%d");
        let body = b.template(Template {
            params: 2,
            nodes: vec![node(Op::Builtin { function: printf, args: vec![format, Operand::Param(id(1))] })].into(),
            statements: vec![file(Operand::Node(id(0)), None)].into(),
            ..Template::default()
        });
        statements.push(Statement::For {
            list: Operand::Node(id(2)),
            body: Closure { template: body, captures: vec![].into() },
        });
    }
    b.finish(ops, statements)
}

/// From a change of an input until the resource engine has taken its consequences.
fn one_of_many(program: Arc<Program>, change: Change, way: Way) -> Duration {
    let inputs = Inputs::default();
    let mut engine = Engine::new(program, Box::new(inputs.clone())).expect("known functions");
    let mut interpreter = Interpreter::new();
    let mut resources = ResourceEngine::new(Config::default());
    let values = match change {
        Change::Mode => [600, 644],
        Change::Number => [3, 4],
    };
    let host = local_host();
    let mut patcher: Option<Patcher> = None;
    let mut number = 0;
    let mut round = || {
        number += 1;
        inputs.set("input", values[number % 2]);
        let started = Instant::now();
        assert!(engine.run().expect("no failures").changed);
        let patch = |patcher: &mut Patcher| patcher.patch(&interpreter.changes(&engine)?);
        let event = match patcher.as_mut().filter(|_| way == Way::Patch).map(patch) {
            Some(patch) => Event::Patch(patch.expect("the change is known")),
            None => {
                let graph = interpreter.interpret(&engine).expect("a graph");
                let mut finalized = finalize(graph, &host).expect("no cycle");
                if way == Way::Patch && change == Change::Number {
                    finalized.patcher.follow(&finalized.graph, &host);
                }
                patcher = Some(finalized.patcher);
                Event::Swap(Box::new(finalized.engine))
            }
        };
        let commands = resources.step(event, started.elapsed());
        let took = started.elapsed();
        std::hint::black_box(commands);
        took
    };
    round();
    min_of(50, || round().max(round()))
}

fn main() -> ExitCode {
    let mut broken = false;
    let mut report = |what: &str, took: Duration, promise: Duration| {
        let mark = if took > promise { "  SLOWER THAN PROMISED" } else { "" };
        println!("{what:66} {took:>12.1?}  of {promise:?}{mark}");
        broken |= took > promise * 3;
    };
    let micros = Duration::from_micros;
    // First, because memory that was used before is used again.
    let iteration = bytes_of_an_iteration();
    println!(
        "{:66} {iteration:>12.0}  of {MAX_ITERATION_BYTES} bytes",
        "an iteration of a loop, in the function engine"
    );
    report("10,000 nodes, one input with 10 nodes above it changes", one_change(10_000, "small"), micros(100));
    report("1,000,000 nodes, one input with 10 nodes above it changes", one_change(1_000_000, "small"), micros(100));
    report("10,000 nodes in a chain, all change", one_change(10_000, "large"), micros(10_000));
    let (loop_1, loop_4) = (looped(1_600), looped(6_400));
    let took = min_of(5, || first_graph(&loop_1, 3_200));
    report("for over 1,600, two resources and a call each: first graph", took, micros(20_000));
    let took = min_of(5, || first_graph(&loop_4, 12_800));
    report("for over 6,400, two resources and a call each: first graph", took, micros(80_000));
    let bytes = write(ArtifactStage::Fgraph, &*flat(10_000));
    let took = min_of(5, || {
        let started = Instant::now();
        let program = Arc::new(read_program(&bytes).expect("an artifact"));
        first_graph(&program, 10_000);
        started.elapsed()
    });
    report("10,000 resources, from the bytes of the artifact to the graph", took, micros(50_000));

    let inputs = Inputs::default();
    let mut engine = Engine::new(layered(10), Box::new(inputs.clone())).expect("known functions");
    let mut interpreter = Interpreter::new();
    engine.run().expect("no failures");
    interpreter.interpret(&engine).expect("a graph");
    inputs.set("small", 7);
    let started = Instant::now();
    engine.run().expect("no failures");
    interpreter.interpret(&engine).expect("a graph");
    report("from an event to the new graph of a small program", started.elapsed(), micros(200));
    let took = one_of_many(files(10_000, 100, Change::Mode), Change::Mode, Way::Graph);
    report("10,000 files, one changes, as a whole graph", took, micros(10_000));
    let mut ratios = Vec::new();
    for (change, what, promise) in
        [(Change::Mode, "one changes", micros(100)), (Change::Number, "one is added or removed", micros(200))]
    {
        let patch = |count: usize, directories| one_of_many(files(count, directories, change), change, Way::Patch);
        let (few, many) = (patch(1_000, 10), patch(100_000, 1_000));
        report(&format!("100,000 files, {what}: until the resource engine has it"), many, promise);
        println!("{:66} {:>12.2}  of 2", "the same among 100,000 files and among 1,000: ratio", ratio(many, few));
        ratios.push(ratio(many, few));
    }
    let took = one_of_many(files(100_000, 1, Change::Number), Change::Number, Way::Patch);
    report("100,000 files in one directory, one is added or removed", took, micros(500));
    let took = one_of_many(files(100_000, 1_000, Change::Number), Change::Number, Way::Graph);
    report("100,000 files, one is added or removed, as a whole graph", took, micros(200_000));
    // A ratio of two measurements of one run has less noise.
    if broken || iteration > MAX_ITERATION_BYTES || ratios.iter().any(|ratio| *ratio > 4.0) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
