//! The loader's checks: after [`validate`] every index of a program may be followed without looking.
//!
//! One pass over everything, linear in the size of the program, no recursion. What the registry of functions must
//! decide (that a function exists, with an equal signature) is left to the linker of the program.

use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_diagnostics::Span;
use mcl_value::Type;

use crate::invalid::{Invalid, Location, MAX_CONSTANT_DEPTH, MAX_CONSTANT_SIZE, TemplatePart, Violation};
use crate::program::{
    Closure, ConstId, Constant, EntryKind, Half, Node, NodeIdx, Op, Operand, Program, Statement, StrId, Template,
    TemplateId, TypeIdx,
};

type Check = Result<(), Violation>;

/// What a closure is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClosureUse {
    Value,
    /// Statements: their template may have a value, which nothing reads.
    Block,
}

/// Checks every invariant of [`crate::program`].
///
/// # Errors
/// The first violation.
pub fn validate(program: &Program) -> Result<(), Invalid> {
    for (id, ty) in &program.types {
        known_type(ty).map_err(at(Location::Type(id)))?;
    }
    constants(program)?;
    for (id, function) in &program.functions {
        let check = || {
            string(program, function.name)?;
            string(program, function.module_dir)?;
            known_type(&Type::Func(Arc::new(function.ty.clone())))
        };
        check().map_err(at(Location::Function(id)))?;
    }
    for (id, template) in &program.templates {
        Scope { program, template, id, next_node: template.nodes.next_key() }.check()?;
    }
    let top_level = match program.templates.last() {
        None => Err(Violation::NoTemplate),
        Some((_, top)) if top.params != 0 || top.captures != 0 => Err(Violation::TopLevelParameters),
        Some(_) => Ok(()),
    };
    top_level.map_err(at(Location::TopLevel))?;
    deploy(program).map_err(at(Location::DeployedFiles))
}

fn at(location: Location) -> impl FnOnce(Violation) -> Invalid {
    move |violation| Invalid { location, violation }
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
            Type::Var(n) => return Err(Violation::UnsolvedType(*n)),
        }
    }
    Ok(())
}

fn constants(program: &Program) -> Result<(), Invalid> {
    let mut shapes = PrimaryMap::with_capacity(program.constants.len());
    for (id, constant) in &program.constants {
        let shape = constant_shape(program, &shapes, constant).map_err(at(Location::Constant(id)))?;
        shapes.push(shape);
    }
    Ok(())
}

/// Depth, and size with shared parts counted at each use.
type Shape = (u32, u64);

/// `shapes` are those of the earlier constants, the only ones that may be parts.
fn constant_shape(
    program: &Program,
    shapes: &PrimaryMap<ConstId, Shape>,
    constant: &Constant,
) -> Result<Shape, Violation> {
    let mut shape = (0, 1u64);
    let part = |id: &ConstId| -> Check {
        match shapes.get(*id) {
            None => Err(Violation::ConstantNotEarlier(*id)),
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
        return Err(Violation::ConstantTooDeep);
    }
    if shape.1 > MAX_CONSTANT_SIZE {
        return Err(Violation::ConstantTooLarge);
    }
    Ok(shape)
}

fn deploy(program: &Program) -> Check {
    for pair in program.deploy.windows(2) {
        if pair[0].0 >= pair[1].0 {
            return Err(Violation::UnsortedFiles { first: pair[0].0.clone(), second: pair[1].0.clone() });
        }
    }
    match program.deploy.iter().find(|(path, _)| !path.starts_with('/')) {
        Some((path, _)) => Err(Violation::RelativePath(path.clone())),
        None => Ok(()),
    }
}

fn string(program: &Program, id: StrId) -> Check {
    entry("string", &program.strings, id).map(drop)
}

/// Returns an entry of a table.
fn entry<'a, K: EntityRef, V>(table: &'static str, entries: &'a PrimaryMap<K, V>, id: K) -> Result<&'a V, Violation> {
    entries.get(id).ok_or(Violation::OutOfRange { table, index: id.index() as u32, length: entries.len() })
}

fn in_range(table: &'static str, index: u32, length: u32) -> Check {
    if index < length { Ok(()) } else { Err(Violation::OutOfRange { table, index, length: length as usize }) }
}

fn type_at(program: &Program, id: TypeIdx) -> Result<&Type, Violation> {
    entry("type", &program.types, id)
}

fn struct_type(program: &Program, id: TypeIdx, parts: usize) -> Check {
    match type_at(program, id)? {
        Type::Struct(fields) if fields.len() == parts => Ok(()),
        Type::Struct(fields) => Err(Violation::FieldCount { fields: fields.len(), found: parts }),
        _ => Err(Violation::NotAStruct(id)),
    }
}

fn span(program: &Program, span: Span) -> Check {
    match program.files.get(span.file) {
        None => Err(Violation::UnknownFile(span.file)),
        Some(file) if span.start > span.end || span.end as usize > file.text.len() => {
            Err(Violation::SpanOutsideFile { span, file: file.name.clone() })
        }
        Some(_) => Ok(()),
    }
}

/// A template under inspection.
struct Scope<'a> {
    program: &'a Program,
    template: &'a Template,
    id: TemplateId,
    /// Only nodes before this one may be used.
    next_node: NodeIdx,
}

impl Scope<'_> {
    fn check(mut self) -> Result<(), Invalid> {
        let id = self.id;
        let at = |part| at(Location::Template(id, part));
        if let Some(label) = self.template.label {
            string(self.program, label).map_err(at(TemplatePart::Label))?;
        }
        for (id, node) in &self.template.nodes {
            self.next_node = id;
            self.node(node).map_err(at(TemplatePart::Node(id)))?;
        }
        self.next_node = self.template.nodes.next_key();
        self.operands(self.template.root.iter()).map_err(at(TemplatePart::Root))?;
        self.operands(&self.template.keep).map_err(at(TemplatePart::Keep))?;
        for (id, statement) in &self.template.statements {
            self.statement(statement).map_err(at(TemplatePart::Statement(id)))?;
        }
        Ok(())
    }

    fn operand(&self, operand: Operand) -> Check {
        match operand {
            Operand::Const(id) => entry("constant", &self.program.constants, id).map(drop),
            Operand::Node(id) if id < self.next_node => Ok(()),
            Operand::Node(id) => Err(Violation::NodeNotEarlier(id)),
            Operand::Param(n) => in_range("parameter", n.as_u32(), self.template.params),
            Operand::Capture(n) => in_range("capture", n.as_u32(), self.template.captures),
        }
    }

    fn operands<'b>(&self, operands: impl IntoIterator<Item = &'b Operand>) -> Check {
        operands.into_iter().try_for_each(|operand| self.operand(*operand))
    }

    /// Checks a closure: its template takes `params` parameters, and has a value if it is used as one.
    fn closure(&self, closure: &Closure, params: usize, used_as: ClosureUse) -> Check {
        let id = closure.template;
        if id >= self.id {
            return Err(Violation::TemplateNotEarlier(id));
        }
        let Template { params: declared, captures, root, .. } = &self.program.templates[id];
        if *declared as usize != params {
            return Err(Violation::TemplateParameters { template: id, declared: *declared, found: params });
        }
        if *captures as usize != closure.captures.len() {
            let found = closure.captures.len();
            return Err(Violation::TemplateCaptures { template: id, declared: *captures, found });
        }
        if used_as == ClosureUse::Value && root.is_none() {
            return Err(Violation::TemplateWithoutValue(id));
        }
        self.operands(closure.captures.values())
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
                let expected = entry("function", &self.program.functions, *function)?.ty.args.len();
                if expected != args.len() {
                    return Err(Violation::ArgumentCount { expected, found: args.len() });
                }
                self.operands(args)
            }
            Op::Func { closure, ty } => match type_at(self.program, *ty)? {
                Type::Func(func) => self.closure(closure, func.args.len(), ClosureUse::Value),
                _ => Err(Violation::NotAFunction(*ty)),
            },
            Op::Call { callee, args } => {
                self.operand(*callee)?;
                self.operands(args)
            }
            Op::CallKnown { closure, args } => {
                self.closure(closure, args.len(), ClosureUse::Value)?;
                self.operands(args)
            }
            Op::If { condition, then, otherwise } => {
                self.operand(*condition)?;
                self.closure(then, 0, ClosureUse::Value)?;
                self.closure(otherwise, 0, ClosureUse::Value)
            }
            Op::Except { value, fallback } => {
                self.operand(*value)?;
                self.closure(fallback, 0, ClosureUse::Value)
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
                    return Err(Violation::IncompleteEdge);
                }
                halves.iter().try_for_each(|half| self.half(half))
            }
            Statement::If { condition, then, otherwise } => {
                self.operand(*condition)?;
                self.closure(then, 0, ClosureUse::Block)?;
                otherwise.as_ref().map_or(Ok(()), |closure| self.closure(closure, 0, ClosureUse::Block))
            }
            Statement::For { list, body } => {
                self.operand(*list)?;
                self.closure(body, 2, ClosureUse::Block)
            }
            Statement::ForKv { map, body } => {
                self.operand(*map)?;
                self.closure(body, 2, ClosureUse::Block)
            }
        }
    }
}
