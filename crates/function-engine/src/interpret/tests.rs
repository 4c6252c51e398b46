//! From statements to graphs, case by case.

use mcl_artifact::program::{
    EdgeProperty, EntryKind, EntryStmt, Half, Op, Operand, ResourceStmt, Statement, Template, TypeIdx,
};
use mcl_diagnostics::{FileId, Span};
use mcl_value::Value;
use resource_graph::ResourceGraph;

use super::Interpreter;
use crate::Engine;
use crate::tests::programs::{Builder, nodes};
use crate::tests::world::World;

/// A program of which every statement stands on a line of its own, one byte each.
struct Site {
    builder: Builder,
    ops: Vec<Op>,
    statements: Vec<Statement>,
}

enum Entry<'a> {
    Field(&'a str, Operand),
    Meta(&'a str, Operand),
    Edge(EdgeProperty, &'a str, Operand),
    /// With a condition.
    If(Operand, &'a str, Operand),
}

impl Site {
    fn new() -> Site {
        let mut builder = Builder::new();
        builder.program.files = mcl_diagnostics::Files::default();
        builder.program.files.add("main.mcl", "\n".repeat(20));
        Site { builder, ops: Vec::new(), statements: Vec::new() }
    }

    fn text(&mut self, text: &str) -> Operand {
        self.builder.text(text)
    }

    fn int(&mut self, value: i64) -> Operand {
        self.builder.int(value)
    }

    fn input(&mut self, key: &str) -> Operand {
        let op = self.builder.input(key);
        self.ops.push(op);
        Operand::Node(self.ops.len() as u32 - 1)
    }

    fn span(&self) -> Span {
        let line = self.statements.len() as u32;
        Span::new(FileId(0), line, line + 1)
    }

    fn resource(&mut self, kind: &str, name: Operand, entries: &[Entry<'_>]) {
        let span = self.span();
        let mut made = Vec::new();
        for entry in entries {
            let (condition, kind) = match entry {
                Entry::Field(name, value) => {
                    (None, EntryKind::Field { name: self.builder.string(name), value: *value, ty: TypeIdx(0) })
                }
                Entry::If(condition, name, value) => (
                    Some(*condition),
                    EntryKind::Field { name: self.builder.string(name), value: *value, ty: TypeIdx(0) },
                ),
                Entry::Meta(name, value) => {
                    (None, EntryKind::Meta { property: self.builder.string(name), value: *value })
                }
                Entry::Edge(property, kind, name) => {
                    let half = Half { kind: self.builder.string(kind), name: *name, key: None };
                    (None, EntryKind::Edge { property: *property, half })
                }
            };
            made.push(EntryStmt { condition, kind, span });
        }
        let kind = self.builder.string(kind);
        let statement = ResourceStmt { kind, name, collect: None, entries: made, span };
        self.statements.push(Statement::Resource(Box::new(statement)));
    }

    fn edge(&mut self, halves: &[(&str, Operand, Option<&str>)]) {
        let span = self.span();
        let halves = halves
            .iter()
            .map(|(kind, name, key)| Half {
                kind: self.builder.string(kind),
                name: *name,
                key: key.map(|key| self.builder.string(key)),
            })
            .collect();
        self.statements.push(Statement::Edge { halves, span });
    }

    fn engine(self, world: &World) -> Engine {
        let top = Template { nodes: nodes(self.ops), statements: self.statements, ..Template::default() };
        let mut engine = world.engine(&self.builder.finish(top));
        engine.run().unwrap();
        engine
    }

    fn graph(self) -> Result<String, String> {
        let world = World::default();
        world.set("both", Value::list(["a", "b", "a"]));
        world.set("yes", true);
        world.set("no", false);
        world.set("function", Value::Func(mcl_value::FuncValue(std::sync::Arc::new(()))));
        match Interpreter::new().interpret(&self.engine(&world)) {
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
    let mut site = Site::new();
    let both = site.input("both");
    let one = site.int(1);
    site.resource("test", both, &[Entry::Field("int64", one)]);
    assert_eq!(site.graph().unwrap(), "test[a] int64=1\ntest[b] int64=1");
}

#[test]
fn an_entry_whose_condition_is_false_is_left_out() {
    let mut site = Site::new();
    let (yes, no) = (site.input("yes"), site.input("no"));
    let (name, one) = (site.text("a"), site.int(1));
    site.resource(
        "test",
        name,
        &[Entry::If(yes, "int8", one), Entry::If(no, "int16", one), Entry::Field("int64", one)],
    );
    assert_eq!(site.graph().unwrap(), "test[a] int8=1 int64=1");
}

#[test]
fn edges_are_made_for_every_pair_of_names() {
    let mut site = Site::new();
    let both = site.input("both");
    let (x, y) = (site.text("x"), site.text("y"));
    site.resource("test", both, &[Entry::Edge(EdgeProperty::Notify, "test", x)]);
    site.resource("test", x, &[]);
    site.resource("test", y, &[Entry::Edge(EdgeProperty::Depend, "test", both)]);
    site.edge(&[("test", x, None), ("test", y, None)]);
    assert_eq!(
        site.graph().unwrap(),
        "test[a]\ntest[b]\ntest[x]\ntest[y]\ntest[a] => test[x]\ntest[b] => test[x]\ntest[a] -> test[y]\n\
         test[b] -> test[y]\ntest[x] -> test[y]"
    );
}

#[test]
fn every_independent_error_is_told_at_its_place() {
    let mut site = Site::new();
    let (a, empty, big, function) = (site.text("a"), site.text(""), site.int(300), site.input("function"));
    site.resource("test", a, &[Entry::Field("int8", big)]);
    site.resource("tset", a, &[]);
    site.resource("test", empty, &[]);
    site.resource("test", a, &[Entry::Meta("delay", big), Entry::Field("int65", big)]);
    site.resource("test", a, &[Entry::Field("func1", function)]);
    site.resource("file", a, &[]);
    let errors = site.graph().unwrap_err();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 6, "{errors}");
    for (line, start) in
        lines.iter().zip(["R0202 0: ", "R0201 1: ", "R0203 2: ", "R0202 3: ", "R0202 4: ", "R0205 5: file[a]"])
    {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn what_differs_between_two_declarations_is_blamed_on_the_later() {
    let mut site = Site::new();
    let (a, one, two) = (site.text("a"), site.int(1), site.int(2));
    site.resource("test", a, &[Entry::Field("int64", one)]);
    site.resource("test", a, &[Entry::Field("int64", one)]);
    site.resource("test", a, &[Entry::Field("int64", two)]);
    assert!(site.graph().unwrap_err().starts_with("R0206 2: test[a] is declared twice"));
}

#[test]
fn edges_to_nowhere_and_circles_are_errors() {
    let mut site = Site::new();
    let (a, b) = (site.text("a"), site.text("b"));
    site.resource("test", a, &[]);
    site.edge(&[("test", a, None), ("test", b, None)]);
    assert_eq!(site.graph().unwrap_err(), "R0207 1: the edge names test[b], and there is no such resource");

    let mut site = Site::new();
    let (a, b) = (site.text("a"), site.text("b"));
    site.resource("test", a, &[]);
    site.resource("test", b, &[]);
    site.edge(&[("test", a, None), ("test", b, None), ("test", a, None)]);
    let error = site.graph().unwrap_err();
    assert!(error.starts_with("R0208 2: ") && error.contains("test[a] -> test[b] -> test[a]"), "{error}");
}

#[test]
fn a_value_has_one_sender() {
    let mut site = Site::new();
    let names = ["a", "b", "c"].map(|name| site.text(name));
    for name in names {
        site.resource("test", name, &[]);
    }
    let [a, b, c] = names;
    site.edge(&[("test", a, Some("hello")), ("test", c, Some("anotherstr"))]);
    site.edge(&[("test", a, Some("hello")), ("test", c, Some("anotherstr"))]);
    site.edge(&[("test", b, Some("hello")), ("test", c, Some("anotherstr"))]);
    let error = site.graph().unwrap_err();
    assert!(error.starts_with("R0210 5: ") && !error.contains('\n'), "{error}");
}

#[test]
fn only_statements_with_news_are_built_again() {
    let mut site = Site::new();
    let (a, b, x, y) = (site.text("a"), site.text("b"), site.input("x"), site.input("y"));
    site.resource("test", a, &[Entry::Field("int64", x)]);
    site.resource("test", b, &[Entry::Field("int64", y)]);
    let world = World::default();
    world.set("x", 1);
    world.set("y", 1);
    let mut engine = site.engine(&world);
    let mut interpreter = Interpreter::new();
    assert_eq!(shown(&interpreter.interpret(&engine).unwrap()), "test[a] int64=1\ntest[b] int64=1");
    let before = interpreter.built.clone();
    world.set("y", 2);
    assert!(engine.run().unwrap().changed);
    assert_eq!(shown(&interpreter.interpret(&engine).unwrap()), "test[a] int64=1\ntest[b] int64=2");
    let kept =
        before.iter().filter(|(id, known)| std::rc::Rc::ptr_eq(&known.built, &interpreter.built[id].built)).count();
    assert_eq!((before.len(), kept), (2, 1));
}
