//! Programs for people: a listing, and a drawing for Graphviz.
//!
//! In both, `%3` is node 3 of the template, `$0` its parameter 0, `^1` its capture 1; constants are written where they are used.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mcl_diagnostics::Span;

use crate::program::{
    Closure, ConstId, Constant, EdgeProperty, EntryKind, Half, Node, Op, Operand, Program, ResourceStmt, Statement,
    StrId, Template, TypeIdx,
};
use crate::sensitive::sensitive_constants;

/// Longer constants are cut.
const MAX_CONSTANT: usize = 120;

/// A listing of a valid program (see [`crate::validate`]): templates with their nodes and statements.
#[must_use]
pub fn text(program: &Program) -> String {
    let view = View { program, sensitive: sensitive_constants(program, |_, _| false) };
    let nodes: usize = program.templates.values().map(|template| template.nodes.len()).sum();
    let mut out = format!(
        "program: {}, {}, {}, {}, {}\n",
        count(program.templates.len(), "template"),
        count(nodes, "node"),
        count(program.constants.len(), "constant"),
        count(program.functions.len(), "function"),
        count(program.deploy.len(), "deployed file"),
    );
    for (id, template) in &program.templates {
        view.template(&mut out, id.as_u32(), template);
    }
    out
}

/// The same as a drawing: one cluster for each template, solid arrows for values, dashed ones to the templates that a node
/// or statement instantiates.
#[must_use]
pub fn dot(program: &Program) -> String {
    let view = View { program, sensitive: sensitive_constants(program, |_, _| false) };
    let mut out = String::from(
        "digraph program {\n    rankdir=LR;\n    compound=true;\n    node [shape=box, fontname=monospace];\n",
    );
    for (id, template) in &program.templates {
        view.cluster(&mut out, id.as_u32(), template);
    }
    out.push_str("}\n");
    out
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

struct View<'a> {
    program: &'a Program,
    /// The constants that are not shown.
    sensitive: BTreeSet<ConstId>,
}

impl View<'_> {
    fn template(&self, out: &mut String, i: u32, template: &Template) {
        let _ = write!(out, "\ntemplate {i}: {}", self.label(template));
        if template.params > 0 {
            let _ = write!(out, ", {}", count(template.params as usize, "parameter"));
        }
        if template.captures > 0 {
            let _ = write!(out, ", {}", count(template.captures as usize, "capture"));
        }
        out.push('\n');
        for (id, node) in &template.nodes {
            let line = format!("  %{} = {}", id.as_u32(), self.op(&node.op));
            match self.position(node.span) {
                Some(position) => drop(writeln!(out, "{line:<60} # {position}")),
                None => drop(writeln!(out, "{line}")),
            }
        }
        for statement in template.statements.values() {
            self.statement(out, statement);
        }
        if !template.keep.is_empty() {
            let _ = writeln!(out, "  keep {}", self.operands(&template.keep));
        }
        if let Some(root) = template.root {
            let _ = writeln!(out, "  value {}", self.operand(root));
        }
    }

    fn label(&self, template: &Template) -> &str {
        template.label.map_or("(no name)", |label| self.string(label))
    }

    fn string(&self, id: StrId) -> &str {
        &self.program.strings[id]
    }

    fn position(&self, span: Option<Span>) -> Option<String> {
        let span = span?;
        let file = self.program.files.get(span.file)?;
        let at = self.program.files.line_col(span.file, span.start);
        Some(format!("{}:{}:{}", file.name, at.line, at.col))
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::List(parts) => format!("[{}]", self.operands(parts)),
            Op::Map(pairs) => {
                let pairs =
                    pairs.iter().map(|(key, value)| format!("{} => {}", self.operand(*key), self.operand(*value)));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
            }
            Op::Struct(ty, parts) => {
                let names = self.field_names(*ty);
                let fields = names.iter().zip(parts).map(|(name, part)| format!("{name} => {}", self.operand(*part)));
                format!("struct{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            Op::Builtin { function, args } => {
                let function = &self.program.functions[*function];
                format!("{}({}) -> {}", self.string(function.name), self.operands(args), function.ty.result)
            }
            Op::Func { closure, ty } => {
                format!("function {}: {}", self.closure(closure), self.program.types[*ty])
            }
            Op::Call { callee, args } => format!("call {}({})", self.operand(*callee), self.operands(args)),
            Op::CallKnown { closure, args } => format!("call {}({})", self.closure(closure), self.operands(args)),
            Op::If { condition, then, otherwise } => {
                let condition = self.operand(*condition);
                format!("if {condition} then {} else {}", self.closure(then), self.closure(otherwise))
            }
            Op::Except { value, fallback } => format!("{} <|> {}", self.operand(*value), self.closure(fallback)),
        }
    }

    fn statement(&self, out: &mut String, statement: &Statement) {
        match statement {
            Statement::Resource(resource) => self.resource(out, resource),
            Statement::Edge { halves, span: _ } => {
                let halves: Vec<String> = halves.iter().map(|half| self.half(half)).collect();
                let _ = writeln!(out, "  {}", halves.join(" -> "));
            }
            Statement::If { condition, then, otherwise } => {
                let _ = write!(out, "  if {} {}", self.operand(*condition), self.closure(then));
                if let Some(otherwise) = otherwise {
                    let _ = write!(out, " else {}", self.closure(otherwise));
                }
                out.push('\n');
            }
            Statement::For { list, body } => {
                let _ = writeln!(out, "  for {} {}", self.operand(*list), self.closure(body));
            }
            Statement::ForKv { map, body } => {
                let _ = writeln!(out, "  forkv {} {}", self.operand(*map), self.closure(body));
            }
        }
    }

    fn resource(&self, out: &mut String, resource: &ResourceStmt) {
        let collect = resource.collect.map_or(String::new(), |found| format!("collect {} ", self.operand(found)));
        let _ = write!(out, "  {collect}{} {}", self.string(resource.kind), self.operand(resource.name));
        if resource.entries.is_empty() {
            out.push('\n');
            return;
        }
        out.push_str(" {\n");
        for entry in &resource.entries {
            let condition =
                entry.condition.map_or(String::new(), |condition| format!("{} ?: ", self.operand(condition)));
            let (name, value) = match &entry.kind {
                EntryKind::Field { name, value, ty: _ } => (self.string(*name).to_owned(), self.operand(*value)),
                EntryKind::Edge { property, half } => (edge_name(*property).to_owned(), self.half(half)),
                EntryKind::Meta { property, value } => match self.string(*property) {
                    "meta" => ("Meta".to_owned(), self.operand(*value)),
                    property => (format!("Meta:{property}"), self.operand(*value)),
                },
            };
            let _ = writeln!(out, "    {name} => {condition}{value},");
        }
        out.push_str("  }\n");
    }

    fn half(&self, half: &Half) -> String {
        let key = half.key.map_or(String::new(), |key| format!(".{}", self.string(key)));
        format!("{}[{}]{key}", self.string(half.kind), self.operand(half.name))
    }

    fn closure(&self, closure: &Closure) -> String {
        let template = closure.template.as_u32();
        match closure.captures.as_values_slice() {
            [] => format!("@{template}"),
            captures => format!("@{template}[{}]", self.operands(captures)),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(*operand)).collect::<Vec<_>>().join(", ")
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Const(id) => self.constant(id),
            Operand::Node(id) => format!("%{}", id.as_u32()),
            Operand::Param(id) => format!("${}", id.as_u32()),
            Operand::Capture(id) => format!("^{}", id.as_u32()),
        }
    }

    fn constant(&self, id: ConstId) -> String {
        let mut out = String::new();
        self.write_constant(&mut out, id);
        out
    }

    /// Stops when the text is long enough, so shared parts cost nothing. Recursion is bounded by the validity of the
    /// program.
    fn write_constant(&self, out: &mut String, id: ConstId) {
        if out.len() > MAX_CONSTANT {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        if self.sensitive.contains(&id) {
            return out.push_str("********");
        }
        match &self.program.constants[id] {
            Constant::Bool(value) => drop(write!(out, "{value}")),
            Constant::Int(value) => drop(write!(out, "{value}")),
            Constant::Float(bits) => drop(write!(out, "{:?}", f64::from_bits(*bits))),
            Constant::Str(bytes) => {
                let bytes = bytes.as_bytes();
                let cut = &bytes[..bytes.len().min(MAX_CONSTANT)];
                out.push_str(&go_compat::strconv::quote(cut));
                if cut.len() < bytes.len() {
                    out.push('…');
                }
            }
            Constant::List(parts) => {
                out.push('[');
                self.write_parts(out, parts.iter(), |view, out, part| view.write_constant(out, *part));
                out.push(']');
            }
            Constant::Map(pairs) => {
                out.push('{');
                self.write_parts(out, pairs.iter(), |view, out, (key, value)| {
                    view.write_constant(out, *key);
                    out.push_str(" => ");
                    view.write_constant(out, *value);
                });
                out.push('}');
            }
            Constant::Struct(ty, parts) => {
                let names = self.field_names(*ty);
                out.push_str("struct{");
                self.write_parts(out, names.iter().zip(parts), |view, out, (name, part)| {
                    let _ = write!(out, "{name} => ");
                    view.write_constant(out, *part);
                });
                out.push('}');
            }
            Constant::Hostname => out.push_str("$hostname"),
        }
    }

    fn write_parts<T>(&self, out: &mut String, parts: impl Iterator<Item = T>, write: impl Fn(&Self, &mut String, T)) {
        for (i, part) in parts.enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if out.len() > MAX_CONSTANT {
                out.push('…');
                return;
            }
            write(self, out, part);
        }
    }

    fn field_names(&self, ty: TypeIdx) -> Vec<&str> {
        match &self.program.types[ty] {
            mcl_value::Type::Struct(fields) => fields.iter().map(|field| &*field.name).collect(),
            _ => Vec::new(),
        }
    }

    fn cluster(&self, out: &mut String, i: u32, template: &Template) {
        let _ = writeln!(out, "    subgraph cluster_{i} {{");
        let _ = writeln!(out, "        label={};", quoted(&format!("{i}: {}", self.label(template))));
        // Something to point at, whatever is inside.
        let _ = writeln!(out, "        t{i} [shape=point, label=\"\"];");
        for n in 0..template.params {
            let _ = writeln!(out, "        t{i}p{n} [label={}, shape=ellipse];", quoted(&format!("${n}")));
        }
        for n in 0..template.captures {
            let _ = writeln!(out, "        t{i}c{n} [label={}, shape=ellipse];", quoted(&format!("^{n}")));
        }
        for (n, Node { op, .. }) in template.nodes.values().enumerate() {
            let _ = writeln!(out, "        t{i}n{n} [label={}];", quoted(&format!("%{n} = {}", self.op(op))));
        }
        for (n, statement) in template.statements.values().enumerate() {
            let mut text = String::new();
            self.statement(&mut text, statement);
            let _ = writeln!(out, "        t{i}s{n} [label={}, style=bold];", quoted(text.trim()));
        }
        out.push_str("    }\n");
        for (n, node) in template.nodes.values().enumerate() {
            let (operands, closures) = op_inputs(&node.op);
            arrows(out, i, &format!("t{i}n{n}"), &operands, &closures);
        }
        for (n, statement) in template.statements.values().enumerate() {
            let (operands, closures) = statement_inputs(statement);
            arrows(out, i, &format!("t{i}s{n}"), &operands, &closures);
        }
    }
}

fn edge_name(property: EdgeProperty) -> &'static str {
    match property {
        EdgeProperty::Before => "Before",
        EdgeProperty::Notify => "Notify",
        EdgeProperty::Depend => "Depend",
        EdgeProperty::Listen => "Listen",
    }
}

fn arrows(out: &mut String, template: u32, to: &str, operands: &[Operand], closures: &[&Closure]) {
    let mut arrow = |operand: &Operand, style: &str| {
        let from = match operand {
            Operand::Const(_) => return,
            Operand::Node(id) => format!("t{template}n{}", id.as_u32()),
            Operand::Param(id) => format!("t{template}p{}", id.as_u32()),
            Operand::Capture(id) => format!("t{template}c{}", id.as_u32()),
        };
        let _ = writeln!(out, "    {from} -> {to}{style};");
    };
    operands.iter().for_each(|operand| arrow(operand, ""));
    for closure in closures {
        closure.captures.values().for_each(|operand| arrow(operand, " [style=dotted]"));
    }
    for closure in closures {
        let inner = closure.template.as_u32();
        let _ = writeln!(out, "    {to} -> t{inner} [style=dashed, lhead=cluster_{inner}];");
    }
}

fn op_inputs(op: &Op) -> (Vec<Operand>, Vec<&Closure>) {
    match op {
        Op::List(parts) | Op::Struct(_, parts) | Op::Builtin { args: parts, .. } => (parts.clone(), Vec::new()),
        Op::Map(pairs) => (pairs.iter().flat_map(|(key, value)| [*key, *value]).collect(), Vec::new()),
        Op::Func { closure, .. } => (Vec::new(), vec![closure]),
        Op::Call { callee, args } => ([&[*callee], &args[..]].concat(), Vec::new()),
        Op::CallKnown { closure, args } => (args.clone(), vec![closure]),
        Op::If { condition, then, otherwise } => (vec![*condition], vec![then, otherwise]),
        Op::Except { value, fallback } => (vec![*value], vec![fallback]),
    }
}

fn statement_inputs(statement: &Statement) -> (Vec<Operand>, Vec<&Closure>) {
    match statement {
        Statement::Resource(resource) => {
            let mut operands = vec![resource.name];
            operands.extend(resource.collect);
            for entry in &resource.entries {
                operands.extend(entry.condition);
                operands.push(match &entry.kind {
                    EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => *value,
                    EntryKind::Edge { half, .. } => half.name,
                });
            }
            (operands, Vec::new())
        }
        Statement::Edge { halves, .. } => (halves.iter().map(|half| half.name).collect(), Vec::new()),
        Statement::If { condition, then, otherwise } => {
            (vec![*condition], std::iter::once(then).chain(otherwise).collect())
        }
        Statement::For { list: input, body } | Statement::ForKv { map: input, body } => (vec![*input], vec![body]),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    format!("\"{escaped}\"")
}
