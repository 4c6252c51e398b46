//! Tests of the interpretation of statements.

mod properties;

use std::rc::Rc;
use std::sync::Arc;

use mcl_artifact::program::{
    Closure, EdgeProperty, EntryKind, EntryStmt, Half, Op, Operand, ResourceStmt, Statement, Template, TypeIdx,
};
use mcl_diagnostics::{FileId, Span};
use mcl_value::Value;
use resource_graph::ResourceGraph;

use super::Interpreter;
use crate::engine::Engine;
use crate::tests::programs::{Builder, id, nodes};
use crate::tests::test_environment::TestEnvironment;

/// A program whose statements are each on a line of their own; the span of a line is one byte.
struct TestProgram {
    builder: Builder,
    ops: Vec<Op>,
    statements: Vec<Statement>,
}

enum Entry<'a> {
    Field(&'a str, Operand),
    Meta(&'a str, Operand),
    Edge(EdgeProperty, &'a str, Operand),
    /// A field with a condition.
    If(Operand, &'a str, Operand),
}

/// A statement that contains others.
enum BlockKind {
    For(Operand),
    If(Operand),
}

impl TestProgram {
    fn new() -> TestProgram {
        let mut builder = Builder::new();
        builder.program.files = mcl_diagnostics::Files::default();
        builder.program.files.add("main.mcl", "\n".repeat(1000));
        TestProgram { builder, ops: Vec::new(), statements: Vec::new() }
    }

    fn str(&mut self, string: &str) -> Operand {
        self.builder.str(string)
    }

    fn int(&mut self, value: i64) -> Operand {
        self.builder.int(value)
    }

    fn input(&mut self, key: &str) -> Operand {
        let op = self.builder.input(key);
        self.ops.push(op);
        Operand::Node(id(self.ops.len() - 1))
    }

    fn span(&self) -> Span {
        let line = self.statements.len() as u32;
        Span::new(FileId::MAIN, line, line + 1)
    }

    fn resource(&mut self, kind: &str, name: Operand, entries: &[Entry<'_>]) {
        let span = self.span();
        let mut made = Vec::new();
        for entry in entries {
            let (condition, kind) = match entry {
                Entry::Field(name, value) => (
                    None,
                    EntryKind::Field { name: self.builder.intern(name), value: *value, ty: TypeIdx::from_u32(0) },
                ),
                Entry::If(condition, name, value) => (
                    Some(*condition),
                    EntryKind::Field { name: self.builder.intern(name), value: *value, ty: TypeIdx::from_u32(0) },
                ),
                Entry::Meta(name, value) => {
                    (None, EntryKind::Meta { property: self.builder.intern(name), value: *value })
                }
                Entry::Edge(property, kind, name) => {
                    let half = Half { kind: self.builder.intern(kind), name: *name, key: None };
                    (None, EntryKind::Edge { property: *property, half })
                }
            };
            made.push(EntryStmt { condition, kind, span });
        }
        let kind = self.builder.intern(kind);
        let statement = ResourceStmt { kind, name, collect: None, entries: made, span };
        self.statements.push(Statement::Resource(Box::new(statement)));
    }

    /// Adds a statement that contains others. `statements` adds these, given the operands of `captures` in the body.
    fn block(
        &mut self,
        block: BlockKind,
        captures: Vec<Operand>,
        statements: impl FnOnce(&mut TestProgram, &[Operand]),
    ) {
        let before = std::mem::take(&mut self.statements);
        let captured: Vec<Operand> = (0..captures.len()).map(|number| Operand::Capture(id(number))).collect();
        statements(self, &captured);
        let statements = std::mem::replace(&mut self.statements, before);
        let params = if matches!(block, BlockKind::For(_)) { 2 } else { 0 };
        let template =
            Template { params, captures: captures.len() as u32, statements: statements.into(), ..Template::default() };
        let body = Closure { template: self.builder.template(template), captures: captures.into() };
        self.statements.push(match block {
            BlockKind::For(list) => Statement::For { list, body },
            BlockKind::If(condition) => Statement::If { condition, then: body, otherwise: None },
        });
    }

    fn edge(&mut self, halves: &[(&str, Operand, Option<&str>)]) {
        let span = self.span();
        let halves = halves
            .iter()
            .map(|(kind, name, key)| Half {
                kind: self.builder.intern(kind),
                name: *name,
                key: key.map(|key| self.builder.intern(key)),
            })
            .collect();
        self.statements.push(Statement::Edge { halves, span });
    }

    fn engine(self, environment: &TestEnvironment) -> Engine {
        let top = Template { nodes: nodes(self.ops), statements: self.statements.into(), ..Template::default() };
        let mut engine = environment.engine(&self.builder.finish(top));
        engine.run().unwrap();
        engine
    }

    fn interpret(self) -> Result<String, String> {
        let environment = TestEnvironment::default();
        environment.set("both", Value::list(["a", "b", "a"]));
        environment.set("yes", true);
        environment.set("no", false);
        environment.set("function", Value::Func(mcl_value::FuncValue(Arc::new(()))));
        match Interpreter::new().interpret(&self.engine(&environment)) {
            Ok(graph) => Ok(shown(&graph)),
            Err(errors) => Err(errors
                .iter()
                .map(|e| format!("{} {}: {}", e.code.name(), e.span.map_or(99, |s| s.start), e.message))
                .collect::<Vec<_>>()
                .join("\n")),
        }
    }
}

fn shown(graph: &ResourceGraph) -> String {
    let mut parts: Vec<String> = graph
        .resources()
        .map(|(_, r)| {
            let params: Vec<String> = r.params.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{}{}", r.id, params.concat())
        })
        .collect();
    parts.extend(graph.edges().map(|e| {
        let arrow = if e.notify { "=>" } else { "->" };
        format!("{} {arrow} {}", graph.resource(e.from).id, graph.resource(e.to).id)
    }));
    parts.join("\n")
}

#[test]
fn names_in_a_list_keep_their_order_and_count_once() {
    let mut program = TestProgram::new();
    let both = program.input("both");
    let one = program.int(1);
    program.resource("test", both, &[Entry::Field("int64", one)]);
    assert_eq!(program.interpret().unwrap(), "test[a] int64=1\ntest[b] int64=1");
}

#[test]
fn an_entry_whose_condition_is_false_is_left_out() {
    let mut program = TestProgram::new();
    let (yes, no) = (program.input("yes"), program.input("no"));
    let (name, one) = (program.str("a"), program.int(1));
    program.resource(
        "test",
        name,
        &[Entry::If(yes, "int8", one), Entry::If(no, "int16", one), Entry::Field("int64", one)],
    );
    assert_eq!(program.interpret().unwrap(), "test[a] int8=1 int64=1");
}

#[test]
fn edges_are_made_for_every_pair_of_names() {
    let mut program = TestProgram::new();
    let both = program.input("both");
    let (x, y) = (program.str("x"), program.str("y"));
    program.resource("test", both, &[Entry::Edge(EdgeProperty::Notify, "test", x)]);
    program.resource("test", x, &[]);
    program.resource("test", y, &[Entry::Edge(EdgeProperty::Depend, "test", both)]);
    program.edge(&[("test", x, None), ("test", y, None)]);
    assert_eq!(
        program.interpret().unwrap(),
        "test[a]\ntest[b]\ntest[x]\ntest[y]\ntest[a] => test[x]\ntest[b] => test[x]\ntest[a] -> test[y]\n\
         test[b] -> test[y]\ntest[x] -> test[y]"
    );
}

#[test]
fn every_independent_error_is_reported_at_its_location() {
    let mut program = TestProgram::new();
    let (a, empty, big, function) = (program.str("a"), program.str(""), program.int(300), program.input("function"));
    program.resource("test", a, &[Entry::Field("int8", big)]);
    program.resource("tset", a, &[]);
    program.resource("test", empty, &[]);
    program.resource("test", a, &[Entry::Meta("delay", big), Entry::Field("int65", big)]);
    program.resource("test", a, &[Entry::Field("func1", function)]);
    program.resource("file", a, &[]);
    let errors = program.interpret().unwrap_err();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 6, "{errors}");
    for (line, start) in lines.iter().zip([
        "R0202 0: ",
        "R0201 1: ",
        "R0203 2: ",
        "R0202 3: ",
        "R0202 4: ",
        "R0205 5: invalid resource file[a]",
    ]) {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn conflicting_declaration_is_reported_at_the_later_one() {
    let mut program = TestProgram::new();
    let (a, one, two) = (program.str("a"), program.int(1), program.int(2));
    program.resource("test", a, &[Entry::Field("int64", one)]);
    program.resource("test", a, &[Entry::Field("int64", one)]);
    program.resource("test", a, &[Entry::Field("int64", two)]);
    let error = program.interpret().unwrap_err();
    assert!(error.starts_with("R0206 2: conflicting declarations of test[a]: "), "{error}");
}

#[test]
fn edges_to_unknown_resources_and_cycles_are_errors() {
    let mut program = TestProgram::new();
    let (a, b) = (program.str("a"), program.str("b"));
    program.resource("test", a, &[]);
    program.edge(&[("test", a, None), ("test", b, None)]);
    assert_eq!(program.interpret().unwrap_err(), "R0207 1: edge to unknown resource test[b]");

    let mut program = TestProgram::new();
    let (a, b) = (program.str("a"), program.str("b"));
    program.resource("test", a, &[]);
    program.resource("test", b, &[]);
    program.edge(&[("test", a, None), ("test", b, None), ("test", a, None)]);
    let error = program.interpret().unwrap_err();
    assert!(error.starts_with("R0208 2: ") && error.contains("test[a] -> test[b] -> test[a]"), "{error}");
}

#[test]
fn a_value_has_one_sender() {
    let mut program = TestProgram::new();
    let names = ["a", "b", "c"].map(|name| program.str(name));
    for name in names {
        program.resource("test", name, &[]);
    }
    let [a, b, c] = names;
    program.edge(&[("test", a, Some("hello")), ("test", c, Some("anotherstr"))]);
    program.edge(&[("test", a, Some("hello")), ("test", c, Some("anotherstr"))]);
    program.edge(&[("test", b, Some("hello")), ("test", c, Some("anotherstr"))]);
    let error = program.interpret().unwrap_err();
    assert!(error.starts_with("R0210 5: ") && !error.contains('\n'), "{error}");
}

#[test]
fn only_changed_statements_are_converted_again() {
    let mut program = TestProgram::new();
    let (a, b, x, y) = (program.str("a"), program.str("b"), program.input("x"), program.input("y"));
    program.resource("test", a, &[Entry::Field("int64", x)]);
    program.resource("test", b, &[Entry::Field("int64", y)]);
    let environment = TestEnvironment::default();
    environment.set("x", 1);
    environment.set("y", 1);
    let mut engine = program.engine(&environment);
    let mut interpreter = Interpreter::new();
    assert_eq!(shown(&interpreter.interpret(&engine).unwrap()), "test[a] int64=1\ntest[b] int64=1");
    let before = interpreter.cache.clone();
    environment.set("y", 2);
    assert!(engine.run().unwrap().changed);
    assert_eq!(shown(&interpreter.interpret(&engine).unwrap()), "test[a] int64=1\ntest[b] int64=2");
    let reused =
        before.iter().filter(|(id, entry)| Rc::ptr_eq(&entry.converted, &interpreter.cache[id].converted)).count();
    assert_eq!((before.len(), reused), (2, 1));
}

/// A loop-free program of `count` resources, of which one depends on an input.
fn one_of(count: usize) -> TestProgram {
    let mut program = TestProgram::new();
    let input = program.input("x");
    let fixed = program.int(0);
    for i in 0..count {
        let name = program.str(&format!("r{i}"));
        program.resource("test", name, &[Entry::Field("int64", if i == count / 2 { input } else { fixed })]);
    }
    program
}

#[test]
fn one_changed_value_visits_one_statement_among_any_number() {
    for count in [10, 1000] {
        let environment = TestEnvironment::default();
        environment.set("x", 1);
        let mut engine = one_of(count).engine(&environment);
        let mut interpreter = Interpreter::new();
        interpreter.interpret(&engine).unwrap();
        interpreter.visited = 0;
        for value in [2, 3] {
            environment.set("x", value);
            assert!(engine.run().unwrap().changed);
            let changes = interpreter.changes(&engine).expect("only a value changed");
            assert!(!changes.is_structural());
            let [change] = &changes.changed[..] else { panic!("one change: {changes:?}") };
            assert_eq!(*change.new.id.name, *format!("r{}", count / 2));
            assert_eq!(change.new.params["int64"], Value::Int(value));
        }
        assert_eq!(interpreter.visited, 2);
        assert_eq!(
            interpreter.changes(&engine).map(|changes| changes.changed.len()),
            Some(0),
            "nothing happened since"
        );
    }
}

#[test]
fn changes_are_known_only_after_a_graph_without_gaps() {
    let environment = TestEnvironment::default();
    environment.set("x", 1);
    let mut engine = one_of(3).engine(&environment);
    let mut interpreter = Interpreter::new();
    assert!(interpreter.changes(&engine).is_none(), "there was no graph");
    interpreter.interpret(&engine).unwrap();
    for value in [2, 3] {
        environment.set("x", value);
        engine.run().unwrap();
    }
    assert!(interpreter.changes(&engine).is_none(), "the output before the last one was not interpreted");
}

#[test]
fn changes_collect_over_rounds_without_an_output() {
    let mut program = TestProgram::new();
    let (x, y) = (program.input("x"), program.input("y"));
    for (name, value) in [("a", x), ("b", y)] {
        let name = program.str(name);
        program.resource("test", name, &[Entry::Field("int64", value)]);
    }
    let environment = TestEnvironment::default();
    environment.set("x", 1);
    environment.set("y", 1);
    let mut engine = program.engine(&environment);
    let mut interpreter = Interpreter::new();
    interpreter.interpret(&engine).unwrap();
    environment.set("x", 2);
    environment.unset("y");
    assert!(engine.run().unwrap().waiting);
    environment.set("y", 3);
    assert!(engine.run().unwrap().changed);
    let changes = interpreter.changes(&engine).expect("only values changed");
    let names: Vec<&str> = changes.changed.iter().map(|change| &*change.new.id.name).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn value_of_a_resource_that_is_declared_twice_is_no_change_of_its_own() {
    let mut program = TestProgram::new();
    let (name, x) = (program.str("a"), program.input("x"));
    for _ in 0..2 {
        program.resource("test", name, &[Entry::Field("int64", x)]);
    }
    let environment = TestEnvironment::default();
    environment.set("x", 1);
    let mut engine = program.engine(&environment);
    let mut interpreter = Interpreter::new();
    interpreter.interpret(&engine).unwrap();
    environment.set("x", 2);
    engine.run().unwrap();
    assert!(interpreter.changes(&engine).is_none());
    assert_eq!(shown(&interpreter.interpret(&engine).unwrap()), "test[a] int64=2");
}

#[test]
fn added_and_removed_resources_visit_their_statements_only() {
    for count in [10, 1000] {
        let mut program = one_of(count);
        let names = program.input("names");
        program.block(BlockKind::For(names), Vec::new(), |program, _| {
            let target = program.str("r1");
            program.resource("test", Operand::Param(id(1)), &[Entry::Edge(EdgeProperty::Before, "test", target)]);
        });
        let environment = TestEnvironment::default();
        environment.set("x", 1);
        environment.set("names", Value::list(["a", "b"]));
        let mut engine = program.engine(&environment);
        let mut interpreter = Interpreter::new();
        interpreter.interpret(&engine).unwrap();
        interpreter.visited = 0;
        environment.set("names", Value::list(["a", "b", "c"]));
        assert!(engine.run().unwrap().changed);
        let changes = interpreter.changes(&engine).expect("the graph can be followed");
        let names = |resources: &[Arc<resource_graph::Resource>]| -> Vec<String> {
            resources.iter().map(|resource| resource.id.to_string()).collect()
        };
        let edges = |edges: &[resource_graph::DeclaredEdge]| -> Vec<String> {
            edges.iter().map(|edge| format!("{} {} {}", edge.from, edge.to, edge.notify)).collect()
        };
        assert_eq!((names(&changes.added), names(&changes.removed)), (vec!["test[c]".to_owned()], vec![]));
        assert_eq!(edges(&changes.added_edges), ["test[c] test[r1] false"]);
        environment.set("names", Value::list(["b"]));
        assert!(engine.run().unwrap().changed);
        let changes = interpreter.changes(&engine).expect("the graph can be followed");
        let mut removed = names(&changes.removed);
        removed.sort();
        assert_eq!((names(&changes.added), removed), (vec![], vec!["test[a]".to_owned(), "test[c]".to_owned()]));
        assert_eq!(edges(&changes.removed_edges), ["test[a] test[r1] false", "test[c] test[r1] false"]);
        assert!(interpreter.visited <= 4, "{}", interpreter.visited);
    }
}
