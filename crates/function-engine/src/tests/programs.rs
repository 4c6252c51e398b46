//! Programs for tests, built by hand or at random.

use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_artifact::program::{
    Closure, Constant, EntryKind, EntryStmt, FunctionImport, Node, NodeIdx, Op, Operand, Program, ResourceStmt,
    Statement, StrId, Template, TemplateId, TypeIdx,
};
use mcl_diagnostics::{FileId, Span};
use mcl_value::{Field, FuncType, Type, Value};
use test_support::{RandomChoice, Rng};

pub(crate) const SPAN: Span = Span::new(FileId::MAIN, 0, 0);

/// Builds a program.
pub(crate) struct Builder {
    pub(crate) program: Program,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        let function = |count| {
            let args = vec![Field { name: "".into(), ty: Type::Nil }; count];
            Type::Func(Arc::new(FuncType { args, result: Type::Nil }))
        };
        // An arbitrary type, and functions with one and two arguments.
        let types = vec![Type::Nil, function(1), function(2)].into();
        let mut program = Program { types, ..Program::default() };
        program.files.add("main.mcl", "");
        program.strings.push("noop".into());
        program.strings.push("/".into());
        Builder { program }
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> Operand {
        let constants = &mut self.program.constants;
        let known = constants.iter().find(|(_, c)| **c == constant).map(|(id, _)| id);
        Operand::Const(known.unwrap_or_else(|| constants.push(constant)))
    }

    pub(crate) fn int(&mut self, value: i64) -> Operand {
        self.constant(Constant::Int(value))
    }

    pub(crate) fn str(&mut self, value: &str) -> Operand {
        self.constant(Constant::Str(value.into()))
    }

    pub(crate) fn intern(&mut self, string: &str) -> StrId {
        let strings = &mut self.program.strings;
        let known = strings.iter().find(|(_, s)| ***s == *string).map(|(id, _)| id);
        known.unwrap_or_else(|| strings.push(string.into()))
    }

    pub(crate) fn call(&mut self, name: &str, args: &[Operand]) -> Op {
        let program = &mut self.program;
        let function = program
            .functions
            .iter()
            .find(|(_, f)| *program.strings[f.name] == *name && f.ty.args.len() == args.len())
            .map(|(id, _)| id)
            .unwrap_or_else(|| {
                let name = program.strings.push(name.into());
                program.functions.push(FunctionImport {
                    name,
                    ty: FuncType {
                        args: vec![Field { name: "".into(), ty: Type::Nil }; args.len()],
                        result: Type::Nil,
                    },
                    module_dir: StrId::from_u32(1),
                })
            });
        Op::Builtin { function, args: args.to_vec() }
    }

    pub(crate) fn input(&mut self, key: &str) -> Op {
        let key = self.str(key);
        self.call("input", &[key])
    }

    pub(crate) fn template(&mut self, template: Template) -> TemplateId {
        self.program.templates.push(template)
    }

    pub(crate) fn finish(mut self, top: Template) -> Arc<Program> {
        self.template(top);
        mcl_artifact::validate(&self.program).unwrap();
        Arc::new(self.program)
    }
}

/// Returns the id with this index.
pub(crate) fn id<K: EntityRef>(index: usize) -> K {
    K::new(index)
}

pub(crate) fn nodes(ops: impl IntoIterator<Item = Op>) -> PrimaryMap<NodeIdx, Node> {
    ops.into_iter().map(|op| Node { op, span: None }).collect()
}

/// Returns a resource statement with these values as operands.
pub(crate) fn show(values: &[Operand]) -> Statement {
    let entry = |value: &Operand| EntryStmt {
        condition: None,
        kind: EntryKind::Field { name: StrId::from_u32(0), value: *value, ty: TypeIdx::from_u32(0) },
        span: SPAN,
    };
    Statement::Resource(Box::new(ResourceStmt {
        kind: StrId::from_u32(0),
        name: values[0],
        collect: None,
        entries: values[1..].iter().map(entry).collect(),
        span: SPAN,
    }))
}

/// The types of random programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Int,
    Bool,
    List,
    Map,
    /// `func(int) int`
    Unary,
    /// `func(int) bool`
    Predicate,
    /// `func(int, int) int`
    Binary,
}

pub(crate) const INPUTS: [&str; 4] = ["i0", "i1", "i2", "i3"];
pub(crate) const LISTS: [&str; 2] = ["l0", "l1"];

/// Returns a random input and a value for it. Sometimes there is no value yet.
pub(crate) fn random_input(random: &mut Rng) -> (&'static str, Option<Value>) {
    let (key, value) = if random.one_in(3) {
        let length = random.usize(..5);
        (*random.pick(&LISTS), Value::list((0..length).map(|_| random.usize(..6) as i64 - 1)))
    } else {
        (*random.pick(&INPUTS), (random.usize(..6) as i64 - 1).into())
    };
    (key, (!random.one_in(8)).then_some(value))
}

pub(crate) fn all_inputs(random: &mut Rng) -> Vec<(&'static str, Option<Value>)> {
    let mut all = Vec::new();
    while all.len() < INPUTS.len() + LISTS.len() {
        let (key, value) = random_input(random);
        if all.iter().all(|(k, _)| *k != key) {
            all.push((key, value));
        }
    }
    all
}

struct Scope {
    template: Template,
    /// The operands in scope, with their types.
    known: Vec<(Operand, Ty)>,
}

pub(crate) struct Generator<'r> {
    pub(crate) random: &'r mut Rng,
    pub(crate) builder: Builder,
    budget: usize,
}

impl Generator<'_> {
    /// Returns a random program without type errors.
    pub(crate) fn program(random: &mut Rng) -> Arc<Program> {
        let max_budget = if random.one_in(8) { 250 } else { 60 };
        let budget = 5 + random.usize(..max_budget);
        let mut generator = Generator { random, builder: Builder::new(), budget };
        let mut scope = generator.scope(&[], &[]);
        generator.statements(&mut scope, 3);
        generator.builder.finish(scope.template)
    }

    fn scope(&mut self, params: &[Ty], captures: &[Ty]) -> Scope {
        let params_known = params.iter().enumerate().map(|(i, ty)| (Operand::Param(id(i)), *ty));
        let captures_known = captures.iter().enumerate().map(|(i, ty)| (Operand::Capture(id(i)), *ty));
        Scope {
            known: params_known.chain(captures_known).collect(),
            template: Template { params: params.len() as u32, captures: captures.len() as u32, ..Template::default() },
        }
    }

    /// Returns a closure whose body is built by `fill`, and which captures some of the operands in scope.
    fn closure(&mut self, scope: &Scope, params: &[Ty], fill: impl FnOnce(&mut Self, &mut Scope)) -> Closure {
        let mut captured = Vec::new();
        for known in &scope.known {
            if captured.len() < 6 && !self.random.one_in(3) {
                captured.push(*known);
            }
        }
        let types: Vec<Ty> = captured.iter().map(|(_, ty)| *ty).collect();
        let mut inner = self.scope(params, &types);
        fill(self, &mut inner);
        if self.random.one_in(6) {
            let op = self.builder.input(INPUTS[self.random.usize(..INPUTS.len())]);
            let kept = node(&mut inner, op, Ty::Int);
            inner.template.keep.push(kept);
        }
        let template = self.builder.template(inner.template);
        Closure { template, captures: captured.into_iter().map(|(operand, _)| operand).collect() }
    }

    fn expression(&mut self, scope: &Scope, params: &[Ty], result: Ty, depth: usize) -> Closure {
        self.closure(scope, params, |this, inner| {
            let root = this.operand(inner, result, depth);
            inner.template.root = Some(root);
        })
    }

    fn statements(&mut self, scope: &mut Scope, depth: usize) {
        for _ in 0..1 + self.random.usize(..3) {
            let choice = if depth == 0 || self.budget == 0 { 0 } else { self.random.usize(..6) };
            let statement = match choice {
                0..=2 => {
                    let count = 1 + self.random.usize(..3);
                    let values: Vec<Operand> = (0..count)
                        .map(|_| {
                            let ty = *self.random.pick(&[Ty::Int, Ty::Int, Ty::Bool, Ty::List, Ty::Map]);
                            self.operand(scope, ty, depth)
                        })
                        .collect();
                    show(&values)
                }
                3 => {
                    let condition = self.operand(scope, Ty::Bool, depth);
                    let then = self.closure(scope, &[], |this, inner| this.statements(inner, depth - 1));
                    let otherwise = self
                        .random
                        .one_in(2)
                        .then(|| self.closure(scope, &[], |this, inner| this.statements(inner, depth - 1)));
                    Statement::If { condition, then, otherwise }
                }
                4 => {
                    let list = self.operand(scope, Ty::List, depth);
                    let params = [Ty::Int, Ty::Int];
                    let body = self.closure(scope, &params, |this, inner| this.statements(inner, depth - 1));
                    Statement::For { list, body }
                }
                _ => {
                    let map = self.operand(scope, Ty::Map, depth);
                    let params = [Ty::Int, Ty::Int];
                    let body = self.closure(scope, &params, |this, inner| this.statements(inner, depth - 1));
                    Statement::ForKv { map, body }
                }
            };
            scope.template.statements.push(statement);
        }
    }

    /// Returns an operand of this type: one in scope, or a new node.
    fn operand(&mut self, scope: &mut Scope, ty: Ty, depth: usize) -> Operand {
        let known: Vec<Operand> = scope.known.iter().filter(|(_, t)| *t == ty).map(|(o, _)| *o).collect();
        if !known.is_empty() && (self.budget == 0 || self.random.one_in(2)) {
            return *self.random.pick(&known);
        }
        if self.budget == 0 || depth == 0 {
            return self.leaf(scope, ty);
        }
        self.budget -= 1;
        let op = match self.random.usize(..11) {
            0 => {
                let condition = self.operand(scope, Ty::Bool, depth - 1);
                let then = self.expression(scope, &[], ty, depth - 1);
                let otherwise = self.expression(scope, &[], ty, depth - 1);
                Op::If { condition, then, otherwise }
            }
            1 => {
                let value = self.operand(scope, ty, depth - 1);
                Op::Except { value, fallback: self.expression(scope, &[], ty, depth - 1) }
            }
            2 => {
                let args = [self.operand(scope, Ty::Int, depth - 1), self.operand(scope, Ty::List, depth - 1)];
                let closure = self.expression(scope, &[Ty::Int, Ty::List], ty, depth - 1);
                Op::CallKnown { closure, args: args.to_vec() }
            }
            _ => match ty {
                Ty::Int => self.int_op(scope, depth),
                Ty::Bool => {
                    if self.random.one_in(3) {
                        let callee = self.operand(scope, Ty::Predicate, depth - 1);
                        Op::Call { callee, args: vec![self.operand(scope, Ty::Int, depth - 1)] }
                    } else {
                        self.builtin(scope, "less", &[Ty::Int, Ty::Int], depth)
                    }
                }
                Ty::List => self.list_op(scope, depth),
                Ty::Map => self.builtin(scope, "to_map", &[Ty::List], depth),
                Ty::Unary | Ty::Predicate => {
                    let result = if ty == Ty::Unary { Ty::Int } else { Ty::Bool };
                    Op::Func {
                        closure: self.expression(scope, &[Ty::Int], result, depth - 1),
                        ty: TypeIdx::from_u32(1),
                    }
                }
                Ty::Binary => Op::Func {
                    closure: self.expression(scope, &[Ty::Int, Ty::Int], Ty::Int, depth - 1),
                    ty: TypeIdx::from_u32(2),
                },
            },
        };
        node(scope, op, ty)
    }

    fn builtin(&mut self, scope: &mut Scope, name: &str, args: &[Ty], depth: usize) -> Op {
        let args: Vec<Operand> = args.iter().map(|ty| self.operand(scope, *ty, depth - 1)).collect();
        self.builder.call(name, &args)
    }

    fn int_op(&mut self, scope: &mut Scope, depth: usize) -> Op {
        match self.random.usize(..9) {
            0 | 1 => self.builtin(scope, "add", &[Ty::Int, Ty::Int], depth),
            2 => self.builtin(scope, "sub", &[Ty::Int, Ty::Int], depth),
            3 => self.builtin(scope, "div", &[Ty::Int, Ty::Int], depth),
            4 => self.builtin(scope, "fatal", &[Ty::Int], depth),
            5 => self.builtin(scope, "sum", &[Ty::List], depth),
            6 => {
                let callee = self.operand(scope, Ty::Unary, depth - 1);
                Op::Call { callee, args: vec![self.operand(scope, Ty::Int, depth - 1)] }
            }
            7 => self.builtin(scope, "iter.reduce", &[Ty::Int, Ty::List, Ty::Binary], depth),
            _ => {
                let list = self.operand(scope, Ty::List, depth - 1);
                let function = self.operand(scope, Ty::Binary, depth - 1);
                self.builder.call("iter.reduce", &[list, function])
            }
        }
    }

    fn list_op(&mut self, scope: &mut Scope, depth: usize) -> Op {
        match self.random.usize(..5) {
            0 => self.builtin(scope, "iter.map", &[Ty::List, Ty::Unary], depth),
            1 => self.builtin(scope, "iter.filter", &[Ty::List, Ty::Predicate], depth),
            2 => self.builtin(scope, "iter.zip", &[Ty::List, Ty::List, Ty::Binary], depth),
            3 => self.builtin(scope, "range", &[Ty::Int], depth),
            _ => {
                let count = self.random.usize(..4);
                Op::List((0..count).map(|_| self.operand(scope, Ty::Int, depth - 1)).collect())
            }
        }
    }

    fn leaf(&mut self, scope: &mut Scope, ty: Ty) -> Operand {
        let op = match ty {
            Ty::Int if self.random.one_in(2) => {
                let value = self.random.usize(..5) as i64;
                return self.builder.int(value);
            }
            Ty::Int => self.builder.input(INPUTS[self.random.usize(..INPUTS.len())]),
            Ty::List => self.builder.input(LISTS[self.random.usize(..LISTS.len())]),
            Ty::Bool => {
                let (a, b) = (self.leaf(scope, Ty::Int), self.leaf(scope, Ty::Int));
                self.builder.call("less", &[a, b])
            }
            Ty::Map => {
                let list = self.leaf(scope, Ty::List);
                self.builder.call("to_map", &[list])
            }
            Ty::Unary | Ty::Predicate | Ty::Binary => {
                let params: &[Ty] = if ty == Ty::Binary { &[Ty::Int, Ty::Int] } else { &[Ty::Int] };
                let result = if ty == Ty::Predicate { Ty::Bool } else { Ty::Int };
                let closure = self.closure(scope, params, |this, inner| {
                    inner.template.root = Some(this.leaf(inner, result));
                });
                Op::Func { closure, ty: TypeIdx::from_u32(params.len() as u32) }
            }
        };
        node(scope, op, ty)
    }
}

fn node(scope: &mut Scope, op: Op, ty: Ty) -> Operand {
    let operand = Operand::Node(scope.template.nodes.push(Node { op, span: None }));
    scope.known.push((operand, ty));
    operand
}
