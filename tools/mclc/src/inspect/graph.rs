//! A function graph as text and as a picture.

use std::fmt::Write;

use mcl_artifact::program::{
    Closure, ConstId, Constant, EntryKind, Half, Op, Operand, Program, Statement, StrId, TemplateId,
};
use mcl_diagnostics::Span;

/// Constants are shown up to this depth.
const DEPTH: usize = 4;

/// One block a template, one line a node or statement, as in `%3 = strings.to_upper(%1)`.
pub fn text(out: &mut String, program: &Program) {
    for (id, template) in program.templates.iter().enumerate() {
        let top = if id + 1 == program.templates.len() { ", the program" } else { "" };
        let _ = writeln!(out, "template {id} ({} parameters, {} captures{top})", template.params, template.captures);
        for (at, node) in template.nodes.iter().enumerate() {
            let _ = writeln!(out, "    %{at} = {}{}", op(program, &node.op), place(program, node.span));
        }
        for operand in &template.keep {
            let _ = writeln!(out, "    keep {}", value(program, *operand));
        }
        for statement in &template.statements {
            let _ = writeln!(out, "    {}", self::statement(program, statement));
        }
        if let Some(root) = template.root {
            let _ = writeln!(out, "    result {}", value(program, root));
        }
        out.push('\n');
    }
    for (path, bytes) in &program.deploy {
        let _ = writeln!(out, "deployed {path} ({} bytes)", bytes.len());
    }
}

/// A cluster for each template, a vertex for each node and statement, an edge for each use.
pub fn dot(program: &Program) -> String {
    let mut out = String::from("digraph program {\n    rankdir=LR;\n    node [shape=box, fontname=monospace];\n");
    for (id, template) in program.templates.iter().enumerate() {
        let _ = writeln!(out, "    subgraph cluster_{id} {{\n        label=\"template {id}\";");
        for (at, node) in template.nodes.iter().enumerate() {
            let _ = writeln!(out, "        t{id}n{at} [label={:?}];", op(program, &node.op));
            for operand in operands(&node.op) {
                if let Operand::Node(from) = operand {
                    let _ = writeln!(out, "        t{id}n{from} -> t{id}n{at};");
                }
            }
        }
        for (at, statement) in template.statements.iter().enumerate() {
            let label = self::statement(program, statement);
            let _ = writeln!(out, "        t{id}s{at} [label={label:?}, style=bold];");
            for operand in statement_operands(statement) {
                if let Operand::Node(from) = operand {
                    let _ = writeln!(out, "        t{id}n{from} -> t{id}s{at};");
                }
            }
        }
        out.push_str("    }\n");
    }
    out.push_str("}\n");
    out
}

fn string(program: &Program, id: StrId) -> &str {
    program.strings.get(id.0 as usize).map_or("", |text| text)
}

fn place(program: &Program, span: Option<Span>) -> String {
    let Some(span) = span else { return String::new() };
    let Some(file) = program.files.get(span.file) else { return String::new() };
    let start = file.line_col(span.start);
    format!("    # {}:{}:{}", file.name, start.line, start.col)
}

fn value(program: &Program, operand: Operand) -> String {
    match operand {
        Operand::Const(id) => constant(program, id, DEPTH),
        Operand::Node(node) => format!("%{node}"),
        Operand::Param(param) => format!("param {param}"),
        Operand::Capture(capture) => format!("capture {capture}"),
    }
}

fn values(program: &Program, operands: &[Operand]) -> String {
    operands.iter().map(|operand| value(program, *operand)).collect::<Vec<_>>().join(", ")
}

fn constant(program: &Program, id: ConstId, depth: usize) -> String {
    let Some(constant) = program.constants.get(id.0 as usize) else { return "?".to_owned() };
    if depth == 0 {
        return "…".to_owned();
    }
    let inner = |id: &ConstId| self::constant(program, *id, depth - 1);
    match constant {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Constant::List(items) => format!("[{}]", items.iter().map(inner).collect::<Vec<_>>().join(", ")),
        Constant::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| format!("{} => {}", inner(key), inner(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Constant::Struct(_, fields) => format!("struct{{{}}}", fields.iter().map(inner).collect::<Vec<_>>().join(", ")),
        Constant::Hostname => "hostname".to_owned(),
    }
}

fn closure(program: &Program, closure: &Closure) -> String {
    let TemplateId(template) = closure.template;
    if closure.captures.is_empty() {
        format!("template {template}")
    } else {
        format!("template {template} with {}", values(program, &closure.captures))
    }
}

fn op(program: &Program, op: &Op) -> String {
    match op {
        Op::List(items) => format!("[{}]", values(program, items)),
        Op::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, of)| format!("{} => {}", value(program, *key), value(program, *of)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Op::Struct(_, fields) => format!("struct{{{}}}", values(program, fields)),
        Op::Builtin { function, args } => {
            let import = program.functions.get(function.0 as usize);
            let name = import.map_or("?", |import| string(program, import.name));
            format!("{name}({})", values(program, args))
        }
        Op::Func { closure: body, .. } => format!("func {}", closure(program, body)),
        Op::Call { callee, args } => format!("call {}({})", value(program, *callee), values(program, args)),
        Op::CallKnown { closure: body, args } => format!("call {}({})", closure(program, body), values(program, args)),
        Op::If { condition, then, otherwise } => format!(
            "if {} {{ {} }} else {{ {} }}",
            value(program, *condition),
            closure(program, then),
            closure(program, otherwise)
        ),
        Op::Except { value: tried, fallback } => {
            format!("{} <|> {}", value(program, *tried), closure(program, fallback))
        }
    }
}

fn half(program: &Program, half: &Half) -> String {
    let key = half.key.map(|key| format!(".{}", string(program, key))).unwrap_or_default();
    format!("{}[{}]{key}", string(program, half.kind), value(program, half.name))
}

fn statement(program: &Program, statement: &Statement) -> String {
    match statement {
        Statement::Resource(resource) => {
            let entries = resource.entries.iter().map(|entry| {
                let guard = entry.condition.map(|c| format!("{} ?: ", value(program, c))).unwrap_or_default();
                let content = match &entry.kind {
                    EntryKind::Field { name, value: given, .. } => {
                        format!("{} => {}", string(program, *name), value(program, *given))
                    }
                    EntryKind::Edge { property, half: to } => format!("{property:?} => {}", half(program, to)),
                    EntryKind::Meta { property, value: given } => {
                        format!("Meta:{} => {}", string(program, *property), value(program, *given))
                    }
                };
                format!("{guard}{content}")
            });
            let entries = entries.collect::<Vec<_>>().join(", ");
            let collect = if resource.collect.is_some() { "collect " } else { "" };
            let name = value(program, resource.name);
            let place = place(program, Some(resource.span));
            format!("{collect}{} {name} {{ {entries} }}{place}", string(program, resource.kind))
        }
        Statement::Edge { halves, .. } => halves.iter().map(|end| half(program, end)).collect::<Vec<_>>().join(" -> "),
        Statement::If { condition, then, otherwise } => {
            let otherwise = otherwise.as_ref().map(|body| format!(" else {{ {} }}", closure(program, body)));
            let condition = value(program, *condition);
            format!("if {condition} {{ {} }}{}", closure(program, then), otherwise.unwrap_or_default())
        }
        Statement::For { list, body } => format!("for {} {{ {} }}", value(program, *list), closure(program, body)),
        Statement::ForKv { map, body } => format!("forkv {} {{ {} }}", value(program, *map), closure(program, body)),
    }
}

fn operands(op: &Op) -> Vec<Operand> {
    match op {
        Op::List(items) | Op::Struct(_, items) => items.clone(),
        Op::Map(pairs) => pairs.iter().flat_map(|(key, value)| [*key, *value]).collect(),
        Op::Builtin { args, .. } => args.clone(),
        Op::Func { closure, .. } => closure.captures.clone(),
        Op::Call { callee, args } => [*callee].into_iter().chain(args.iter().copied()).collect(),
        Op::CallKnown { closure, args } => closure.captures.iter().chain(args).copied().collect(),
        Op::If { condition, then, otherwise } => {
            [*condition].into_iter().chain(then.captures.iter().chain(&otherwise.captures).copied()).collect()
        }
        Op::Except { value, fallback } => [*value].into_iter().chain(fallback.captures.iter().copied()).collect(),
    }
}

fn statement_operands(statement: &Statement) -> Vec<Operand> {
    match statement {
        Statement::Resource(resource) => {
            let entries = resource.entries.iter().flat_map(|entry| {
                let given = match &entry.kind {
                    EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => *value,
                    EntryKind::Edge { half, .. } => half.name,
                };
                entry.condition.into_iter().chain([given])
            });
            [resource.name].into_iter().chain(resource.collect).chain(entries).collect()
        }
        Statement::Edge { halves, .. } => halves.iter().map(|half| half.name).collect(),
        Statement::If { condition, then, otherwise } => {
            let otherwise = otherwise.iter().flat_map(|body| body.captures.iter());
            [*condition].into_iter().chain(then.captures.iter().chain(otherwise).copied()).collect()
        }
        Statement::For { list: over, body } | Statement::ForKv { map: over, body } => {
            [*over].into_iter().chain(body.captures.iter().copied()).collect()
        }
    }
}
