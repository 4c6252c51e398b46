//! The loader's checks: after [`validate`] every index of a program may be followed without looking.
//!
//! One pass over everything, linear in the size of the program, no recursion. What the registry of functions must
//! decide (that a function exists, with an equal signature) is left to the linker of the program.

use std::fmt;

use mcl_diagnostics::Span;
use mcl_value::Type;

use crate::program::{
    Closure, ConstId, Constant, EntryKind, Half, Node, Op, Operand, Program, Statement, StrId, Template, TemplateId,
    TypeIdx,
};

/// How deep constants may nest: dropping and printing a value recurses.
pub const MAX_CONSTANT_DEPTH: u32 = 400;

/// How many values a constant may have when its shared parts are counted at each use: comparing and printing visit all.
pub const MAX_CONSTANT_SIZE: u64 = 1 << 26;

/// Which invariant a program breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    place: String,
    problem: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for Invalid {}

/// What is wrong, without the place.
type Check = Result<(), String>;

/// Checks every invariant of [`crate::program`].
///
/// # Errors
/// The first one that is broken.
pub fn validate(program: &Program) -> Result<(), Invalid> {
    let at = |place: String| move |problem: String| Invalid { place, problem };
    for (i, ty) in program.types.iter().enumerate() {
        known_type(ty).map_err(at(format!("type {i}")))?;
    }
    constants(program)?;
    for (i, function) in program.functions.iter().enumerate() {
        let check = || {
            string(program, function.name)?;
            string(program, function.module_dir)?;
            known_type(&Type::Func(std::sync::Arc::new(function.ty.clone())))
        };
        check().map_err(at(format!("function {i}")))?;
    }
    for (i, template) in program.templates.iter().enumerate() {
        Scope { program, template, index: i, nodes: template.nodes.len() }.check()?;
    }
    let check = || match program.templates.last() {
        None => Err("there is no template".to_owned()),
        Some(top) if top.params != 0 || top.captures != 0 => Err("it has parameters or captures".to_owned()),
        Some(_) => Ok(()),
    };
    check().map_err(at("top level".to_owned()))?;
    deploy(program).map_err(at("deployed files".to_owned()))
}

/// An unknown may not be left; walks iteratively, as types may be deep.
fn known_type(ty: &Type) -> Check {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match ty {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant | Type::Nil => {}
            Type::List(element) => work.push(element),
            Type::Map(pair) => work.extend([&pair.0, &pair.1]),
            Type::Struct(fields) => work.extend(fields.iter().map(|field| &field.ty)),
            Type::Func(func) => {
                work.extend(func.args.iter().map(|arg| &arg.ty));
                work.push(&func.result);
            }
            Type::Var(n) => return Err(format!("the type is unknown: ?{n}")),
        }
    }
    Ok(())
}

fn constants(program: &Program) -> Result<(), Invalid> {
    let mut shapes = Vec::with_capacity(program.constants.len());
    for (i, constant) in program.constants.iter().enumerate() {
        let shape = constant_shape(program, &shapes, constant)
            .map_err(|problem| Invalid { place: format!("constant {i}"), problem })?;
        shapes.push(shape);
    }
    Ok(())
}

/// Depth, and size with shared parts counted at each use.
type Shape = (u32, u64);

/// `shapes` are those of the earlier constants, the only ones that may be parts.
fn constant_shape(program: &Program, shapes: &[Shape], constant: &Constant) -> Result<Shape, String> {
    let mut shape = (0, 1u64);
    let part = |id: &ConstId| -> Check {
        match shapes.get(id.0 as usize) {
            None => Err(format!("it contains constant {}, which is not earlier", id.0)),
            Some((depth, size)) => {
                shape = (shape.0.max(depth + 1), shape.1.saturating_add(*size));
                Ok(())
            }
        }
    };
    match constant {
        Constant::Bool(_) | Constant::Int(_) | Constant::Float(_) | Constant::Str(_) | Constant::Hostname => {}
        Constant::List(parts) => parts.iter().try_for_each(part)?,
        Constant::Map(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).try_for_each(part)?,
        Constant::Struct(ty, parts) => {
            struct_type(program, *ty, parts.len())?;
            parts.iter().try_for_each(part)?;
        }
    }
    if shape.0 > MAX_CONSTANT_DEPTH {
        return Err(format!("it is nested more than {MAX_CONSTANT_DEPTH} levels deep"));
    }
    if shape.1 > MAX_CONSTANT_SIZE {
        return Err(format!("it has more than {MAX_CONSTANT_SIZE} parts"));
    }
    Ok(shape)
}

fn deploy(program: &Program) -> Check {
    for pair in program.deploy.windows(2) {
        if pair[0].0 >= pair[1].0 {
            return Err(format!("`{}` is not sorted before `{}`", pair[0].0, pair[1].0));
        }
    }
    match program.deploy.iter().find(|(path, _)| !path.starts_with('/')) {
        Some((path, _)) => Err(format!("`{path}` is not an absolute path")),
        None => Ok(()),
    }
}

fn string(program: &Program, id: StrId) -> Check {
    in_range("string", id.0, program.strings.len())
}

fn in_range(what: &str, index: u32, length: usize) -> Check {
    if (index as usize) < length { Ok(()) } else { Err(format!("{what} {index} does not exist, there are {length}")) }
}

fn type_at(program: &Program, id: TypeIdx) -> Result<&Type, String> {
    program.types.get(id.0 as usize).ok_or_else(|| format!("type {} does not exist", id.0))
}

fn struct_type(program: &Program, id: TypeIdx, parts: usize) -> Check {
    match type_at(program, id)? {
        Type::Struct(fields) if fields.len() == parts => Ok(()),
        Type::Struct(fields) => Err(format!("a struct of {} fields is given {parts}", fields.len())),
        _ => Err(format!("type {} is not a struct", id.0)),
    }
}

fn span(program: &Program, span: Span) -> Check {
    match program.files.get(span.file) {
        None => Err(format!("source file {} does not exist", span.file.0)),
        Some(file) if span.start > span.end || span.end as usize > file.text.len() => {
            Err(format!("the span {}..{} lies outside `{}`", span.start, span.end, file.name))
        }
        Some(_) => Ok(()),
    }
}

/// A template under inspection.
struct Scope<'a> {
    program: &'a Program,
    template: &'a Template,
    index: usize,
    /// Only nodes before this one may be used.
    nodes: usize,
}

impl Scope<'_> {
    fn check(mut self) -> Result<(), Invalid> {
        let index = self.index;
        let at = |place: &str| {
            let place = if place.is_empty() { String::new() } else { format!(", {place}") };
            move |problem: String| Invalid { place: format!("template {index}{place}"), problem }
        };
        if let Some(label) = self.template.label {
            string(self.program, label).map_err(at("label"))?;
        }
        for (i, node) in self.template.nodes.iter().enumerate() {
            self.nodes = i;
            self.node(node).map_err(at(&format!("node {i}")))?;
        }
        self.nodes = self.template.nodes.len();
        self.operands(self.template.root.iter()).map_err(at("root"))?;
        self.operands(&self.template.keep).map_err(at("keep"))?;
        for (i, statement) in self.template.statements.iter().enumerate() {
            self.statement(statement).map_err(at(&format!("statement {i}")))?;
        }
        Ok(())
    }

    fn operand(&self, operand: Operand) -> Check {
        match operand {
            Operand::Const(id) => in_range("constant", id.0, self.program.constants.len()),
            Operand::Node(n) if (n as usize) < self.nodes => Ok(()),
            Operand::Node(n) => Err(format!("it uses node {n}, which is not earlier")),
            Operand::Param(n) => in_range("parameter", n, self.template.params as usize),
            Operand::Capture(n) => in_range("capture", n, self.template.captures as usize),
        }
    }

    fn operands<'b>(&self, operands: impl IntoIterator<Item = &'b Operand>) -> Check {
        operands.into_iter().try_for_each(|operand| self.operand(*operand))
    }

    /// Checks a closure: its template takes `params` parameters, and has a value if `is_value`.
    fn closure(&self, closure: &Closure, params: usize, is_value: bool) -> Check {
        let TemplateId(id) = closure.template;
        if id as usize >= self.index {
            return Err(format!("it refers to template {id}, which is not earlier"));
        }
        let template = &self.program.templates[id as usize];
        if template.params as usize != params {
            return Err(format!("template {id} has {} parameters, but is given {params}", template.params));
        }
        if template.captures as usize != closure.captures.len() {
            let given = closure.captures.len();
            return Err(format!("template {id} has {} captures, but is given {given}", template.captures));
        }
        if is_value && template.root.is_none() {
            return Err(format!("template {id} has no value"));
        }
        self.operands(&closure.captures)
    }

    fn node(&self, node: &Node) -> Check {
        if let Some(place) = node.span {
            span(self.program, place)?;
        }
        match &node.op {
            Op::List(parts) => self.operands(parts),
            Op::Map(pairs) => self.operands(pairs.iter().flat_map(|(key, value)| [key, value])),
            Op::Struct(ty, parts) => {
                struct_type(self.program, *ty, parts.len())?;
                self.operands(parts)
            }
            Op::Builtin { function, args } => {
                in_range("function", function.0, self.program.functions.len())?;
                let wanted = self.program.functions[function.0 as usize].ty.args.len();
                if wanted != args.len() {
                    return Err(format!("a function of {wanted} arguments is given {}", args.len()));
                }
                self.operands(args)
            }
            Op::Func { closure, ty } => match type_at(self.program, *ty)? {
                Type::Func(func) => self.closure(closure, func.args.len(), true),
                _ => Err(format!("type {} is not a function", ty.0)),
            },
            Op::Call { callee, args } => {
                self.operand(*callee)?;
                self.operands(args)
            }
            Op::CallKnown { closure, args } => {
                self.closure(closure, args.len(), true)?;
                self.operands(args)
            }
            Op::If { condition, then, otherwise } => {
                self.operand(*condition)?;
                self.closure(then, 0, true)?;
                self.closure(otherwise, 0, true)
            }
            Op::Except { value, fallback } => {
                self.operand(*value)?;
                self.closure(fallback, 0, true)
            }
        }
    }

    fn half(&self, half: &Half) -> Check {
        string(self.program, half.kind)?;
        half.key.map_or(Ok(()), |key| string(self.program, key))?;
        self.operand(half.name)
    }

    fn statement(&self, statement: &Statement) -> Check {
        match statement {
            Statement::Resource(resource) => {
                span(self.program, resource.span)?;
                string(self.program, resource.kind)?;
                self.operand(resource.name)?;
                self.operands(&resource.collect)?;
                for entry in &resource.entries {
                    span(self.program, entry.span)?;
                    self.operands(&entry.condition)?;
                    match &entry.kind {
                        EntryKind::Field { name, value, ty } => {
                            string(self.program, *name)?;
                            type_at(self.program, *ty)?;
                            self.operand(*value)?;
                        }
                        EntryKind::Edge { property: _, half } => self.half(half)?,
                        EntryKind::Meta { property, value } => {
                            string(self.program, *property)?;
                            self.operand(*value)?;
                        }
                    }
                }
                Ok(())
            }
            Statement::Edge { halves, span: place } => {
                span(self.program, *place)?;
                if halves.len() < 2 {
                    return Err("an edge has fewer than two ends".to_owned());
                }
                halves.iter().try_for_each(|half| self.half(half))
            }
            Statement::If { condition, then, otherwise } => {
                self.operand(*condition)?;
                self.closure(then, 0, false)?;
                otherwise.as_ref().map_or(Ok(()), |closure| self.closure(closure, 0, false))
            }
            Statement::For { list, body } => {
                self.operand(*list)?;
                self.closure(body, 2, false)
            }
            Statement::ForKv { map, body } => {
                self.operand(*map)?;
                self.closure(body, 2, false)
            }
        }
    }
}
