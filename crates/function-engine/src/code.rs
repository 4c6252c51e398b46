//! A program made ready to run: constants as values, functions found, closures numbered, depths estimated.

use std::sync::Arc;

use mcl_artifact::program::{Closure, Constant, Op, Operand, Program, Statement, Template, TemplateId};
use mcl_diagnostics::{Code as DiagnosticCode, Diagnostic, Span, Stage};
use mcl_functions::Function;
use mcl_value::{FuncType, Type, Value};

use crate::arena::Id;
use crate::node::{FrameId, Node};

/// A program that this runtime can execute.
pub(crate) struct Code {
    pub(crate) program: Arc<Program>,
    pub(crate) constants: Vec<Value>,
    pub(crate) functions: Vec<Import>,
    /// For each template.
    estimates: Vec<Estimate>,
}

/// How high the nodes of a template will stand above everything that its frame is given. Outputs are put there from the
/// start, so that what their controls wire later fits below them without moving all that lies above: a chain of n calls
/// would cost n² otherwise. Never needed for correctness.
struct Estimate {
    nodes: Vec<u32>,
    root: u32,
}

/// The table of functions: the library's, or one of a test.
pub(crate) type Lookup = fn(&str) -> Option<&'static Function>;

/// A built-in function at the type of one call site.
pub(crate) struct Import {
    pub(crate) function: &'static Function,
    pub(crate) ty: FuncType,
    pub(crate) module_dir: Arc<str>,
}

/// How deep the body of a function value that is only known at run time is taken to be.
const UNKNOWN_BODY: u32 = 32;
/// Estimates grow by multiplication along nested templates, so they are capped.
const LARGEST_ESTIMATE: u32 = 1 << 24;
/// Above this height estimates are ignored.
const LARGEST_HEIGHT: u32 = 1 << 30;

impl Code {
    /// Prepares a program that `mcl_artifact::validate` has accepted.
    pub(crate) fn new(program: Arc<Program>, hostname: &str, lookup: Lookup) -> Result<Code, Diagnostic> {
        let mut constants: Vec<Value> = Vec::with_capacity(program.constants.len());
        for constant in &program.constants {
            let value = match constant {
                Constant::Bool(v) => Value::Bool(*v),
                Constant::Int(v) => Value::Int(*v),
                Constant::Float(bits) => Value::Float(f64::from_bits(*bits)),
                Constant::Str(text) => Value::Str(text.clone()),
                Constant::List(items) => Value::List(items.iter().map(|c| constants[c.0 as usize].clone()).collect()),
                Constant::Map(pairs) => Value::map(
                    pairs.iter().map(|(k, v)| (constants[k.0 as usize].clone(), constants[v.0 as usize].clone())),
                ),
                Constant::Struct(ty, fields) => {
                    struct_value(&program.types[ty.0 as usize], fields.iter().map(|c| constants[c.0 as usize].clone()))
                }
                Constant::Hostname => Value::str(hostname),
            };
            constants.push(value);
        }
        let functions = program
            .functions
            .iter()
            .enumerate()
            .map(|(index, import)| {
                let name = &program.strings[import.name.0 as usize];
                let function = lookup(name).ok_or_else(|| unknown_function(&program, index, name))?;
                let module_dir = program.strings[import.module_dir.0 as usize].clone();
                Ok(Import { function, ty: import.ty.clone(), module_dir })
            })
            .collect::<Result<Vec<Import>, Diagnostic>>()?;
        let mut estimates = Vec::with_capacity(program.templates.len());
        for template in &program.templates {
            let estimate = estimate(template, &estimates);
            estimates.push(estimate);
        }
        Ok(Code { program, constants, functions, estimates })
    }

    pub(crate) fn template(&self, id: TemplateId) -> &Template {
        &self.program.templates[id.0 as usize]
    }

    pub(crate) fn ty(&self, id: mcl_artifact::program::TypeIdx) -> &Type {
        &self.program.types[id.0 as usize]
    }

    /// Where a node of a frame with that base will probably stand.
    pub(crate) fn probable_height(&self, template: TemplateId, node: u32, base: u32) -> u32 {
        let estimate = self.estimates[template.0 as usize].nodes.get(node as usize).copied().unwrap_or(0);
        base.saturating_add(estimate).min(LARGEST_HEIGHT)
    }

    /// Where the root of a frame with that base will probably stand.
    pub(crate) fn probable_root(&self, template: TemplateId, base: u32) -> u32 {
        base.saturating_add(self.estimates[template.0 as usize].root).min(LARGEST_HEIGHT)
    }
}

/// A struct with the names of its type; a type that is no struct gives positions as names.
pub(crate) fn struct_value(ty: &Type, values: impl Iterator<Item = Value>) -> Value {
    match ty {
        Type::Struct(fields) => Value::strukt(fields.iter().map(|f| f.name.clone()).zip(values)),
        _ => Value::strukt(values.enumerate().map(|(i, v)| (i.to_string(), v))),
    }
}

/// Calls `f` with every operand of a node that must have a value before the node can be computed, in input order.
pub(crate) fn for_each_operand(op: &Op, mut f: impl FnMut(Operand)) {
    match op {
        Op::List(items) | Op::Struct(_, items) => items.iter().copied().for_each(f),
        Op::Map(pairs) => {
            for (key, value) in pairs {
                f(*key);
                f(*value);
            }
        }
        Op::Builtin { args, .. } => args.iter().copied().for_each(f),
        // The captures are resolved when something in the body asks for them; so are the arguments of calls.
        Op::Func { .. } | Op::CallKnown { .. } => {}
        Op::Call { callee, .. } => f(*callee),
        Op::If { condition, .. } => f(*condition),
        Op::Except { value, .. } => f(*value),
    }
}

fn estimate(template: &Template, earlier: &[Estimate]) -> Estimate {
    let of = |closure: &Closure| earlier.get(closure.template.0 as usize).map_or(0, |e| e.root);
    let mut nodes: Vec<u32> = Vec::with_capacity(template.nodes.len());
    for node in &template.nodes {
        let mut height = 0;
        let mut see = |operand: Operand| {
            if let Operand::Node(n) = operand {
                height = height.max(nodes.get(n as usize).copied().unwrap_or(0));
            }
        };
        for_each_operand(&node.op, &mut see);
        let extra = match &node.op {
            Op::List(_) | Op::Map(_) | Op::Struct(..) | Op::Builtin { .. } | Op::Func { .. } => 1,
            Op::Call { args, .. } => {
                args.iter().copied().for_each(&mut see);
                UNKNOWN_BODY
            }
            Op::CallKnown { closure, args } => {
                args.iter().chain(&closure.captures).copied().for_each(&mut see);
                of(closure) + 1
            }
            Op::If { then, otherwise, .. } => {
                then.captures.iter().chain(&otherwise.captures).copied().for_each(&mut see);
                of(then).max(of(otherwise)) + 3
            }
            Op::Except { fallback, .. } => {
                fallback.captures.iter().copied().for_each(&mut see);
                of(fallback) + 3
            }
        };
        nodes.push(height.saturating_add(extra).min(LARGEST_ESTIMATE));
    }
    let root = match template.root {
        Some(Operand::Node(n)) => nodes.get(n as usize).copied().unwrap_or(0),
        _ => 0,
    };
    Estimate { nodes, root }
}

fn unknown_function(program: &Program, index: usize, name: &str) -> Diagnostic {
    let message = format!("this runtime has no function `{name}`");
    let diagnostic = Diagnostic::error(DiagnosticCode::R0104, Stage::Stream, message)
        .help("the program was compiled for a newer runtime: build it again with the `mclc` that belongs to this one");
    diagnostic.maybe_at(call_span(program, index))
}

/// The first call of an imported function.
fn call_span(program: &Program, index: usize) -> Option<Span> {
    program.templates.iter().flat_map(|t| &t.nodes).find_map(|node| match &node.op {
        Op::Builtin { function, .. } if function.0 as usize == index => node.span,
        _ => None,
    })
}

/// A closure together with the frame that its captures belong to: what a function value is.
pub(crate) struct FunctionInstance {
    pub(crate) frame: FrameId,
    /// The node of that frame's template whose `Op::Func` holds the closure.
    pub(crate) origin: u32,
}

/// Where the closure of a frame is written, so that its captures can be found without copying them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClosurePlace {
    /// In a node: the body of a function or call, `then`, or the fallback.
    Node(u32),
    /// `otherwise` of an if expression.
    Otherwise(u32),
    /// In a statement: `then`, or the body of a loop.
    Statement(u32),
    /// `otherwise` of an if statement.
    StatementOtherwise(u32),
}

impl ClosurePlace {
    /// The closure; `None` for a place that holds none, which no engine code asks for.
    pub(crate) fn of(self, template: &Template) -> Option<&Closure> {
        match self {
            ClosurePlace::Node(n) => match &template.nodes.get(n as usize)?.op {
                Op::Func { closure, .. } | Op::CallKnown { closure, .. } => Some(closure),
                Op::If { then, .. } => Some(then),
                Op::Except { fallback, .. } => Some(fallback),
                Op::List(_) | Op::Map(_) | Op::Struct(..) | Op::Builtin { .. } | Op::Call { .. } => None,
            },
            ClosurePlace::Otherwise(n) => match &template.nodes.get(n as usize)?.op {
                Op::If { otherwise, .. } => Some(otherwise),
                _ => None,
            },
            ClosurePlace::Statement(n) => match template.statements.get(n as usize)? {
                Statement::If { then, .. } => Some(then),
                Statement::For { body, .. } | Statement::ForKv { body, .. } => Some(body),
                Statement::Resource(_) | Statement::Edge { .. } => None,
            },
            ClosurePlace::StatementOtherwise(n) => match template.statements.get(n as usize)? {
                Statement::If { otherwise, .. } => otherwise.as_ref(),
                _ => None,
            },
        }
    }
}

/// The id of a node, as other modules of the runtime see it.
pub(crate) type NodeId = Id<Node>;
