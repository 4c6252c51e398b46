//! A program prepared for execution: constants as values, functions looked up, heights estimated.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::{
    Closure, ConstId, Constant, FunctionIdx, NodeIdx, Op, Operand, Program, Template, TemplateId, TypeIdx,
};
use mcl_diagnostics::{Code as DiagnosticCode, Diagnostic, Span, Stage};
use mcl_functions::Function;
use mcl_value::{FuncType, Type, Value};

/// A program that this runtime can execute.
pub(crate) struct Code {
    pub(crate) program: Arc<Program>,
    pub(crate) constants: PrimaryMap<ConstId, Value>,
    pub(crate) functions: PrimaryMap<FunctionIdx, ImportedFunction>,
    estimates: PrimaryMap<TemplateId, Estimate>,
}

/// Estimated heights of a template's nodes above the parameters and captures of its frame. An output starts at its
/// estimated height, so that what its control connects later is usually lower and no node above has to be raised;
/// otherwise a chain of n calls would cost n². Correctness does not depend on it.
struct Estimate {
    nodes: PrimaryMap<NodeIdx, u32>,
    root: u32,
}

/// A table of functions: the library's, or a test's.
pub(crate) type Lookup = fn(&str) -> Option<&'static Function>;

/// A built-in function at the type of one call site.
pub(crate) struct ImportedFunction {
    pub(crate) function: &'static Function,
    pub(crate) ty: FuncType,
    pub(crate) module_dir: Arc<str>,
}

/// The estimated height of the body of a function value, which is known only at run time.
const UNKNOWN_BODY_HEIGHT: u32 = 32;
/// The maximum estimate per node: estimates multiply along nested templates.
const MAX_ESTIMATE: u32 = 1 << 24;
/// The maximum estimated height; beyond it, heights grow only as needed.
const MAX_ESTIMATED_HEIGHT: u32 = 1 << 30;

impl Code {
    /// Prepares a program that `mcl_artifact::validate` has accepted.
    ///
    /// # Errors
    /// R0104 if a function is not in the table.
    pub(crate) fn new(program: Arc<Program>, hostname: &str, lookup: Lookup) -> Result<Code, Diagnostic> {
        let mut constants: PrimaryMap<ConstId, Value> = PrimaryMap::with_capacity(program.constants.len());
        for constant in program.constants.values() {
            let value = match constant {
                Constant::Bool(v) => Value::Bool(*v),
                Constant::Int(v) => Value::Int(*v),
                Constant::Float(bits) => Value::Float(f64::from_bits(*bits)),
                Constant::Str(string) => Value::Str(string.clone()),
                Constant::List(items) => Value::List(items.iter().map(|c| constants[*c].clone()).collect()),
                Constant::Map(pairs) => {
                    Value::map(pairs.iter().map(|(k, v)| (constants[*k].clone(), constants[*v].clone())))
                }
                Constant::Struct(ty, fields) => {
                    struct_value(&program.types[*ty], fields.iter().map(|c| constants[*c].clone()))
                }
                Constant::Hostname => Value::str(hostname),
            };
            constants.push(value);
        }
        let functions = program
            .functions
            .iter()
            .map(|(id, import)| {
                let name = &program.strings[import.name];
                let function = lookup(name).ok_or_else(|| unknown_function(&program, id, name))?;
                let module_dir = program.strings[import.module_dir].clone();
                Ok(ImportedFunction { function, ty: import.ty.clone(), module_dir })
            })
            .collect::<Result<_, Diagnostic>>()?;
        let mut estimates = PrimaryMap::with_capacity(program.templates.len());
        for template in program.templates.values() {
            let estimate = estimate(template, &estimates);
            estimates.push(estimate);
        }
        Ok(Code { program, constants, functions, estimates })
    }

    pub(crate) fn template(&self, id: TemplateId) -> &Template {
        &self.program.templates[id]
    }

    pub(crate) fn ty(&self, id: TypeIdx) -> &Type {
        &self.program.types[id]
    }

    /// Returns the estimated height of a node of a frame with this base.
    pub(crate) fn estimated_height(&self, template: TemplateId, node: NodeIdx, base: u32) -> u32 {
        let estimate = self.estimates[template].nodes.get(node).copied().unwrap_or(0);
        base.saturating_add(estimate).min(MAX_ESTIMATED_HEIGHT)
    }

    /// Returns the estimated height of the root of a frame with this base.
    pub(crate) fn estimated_root_height(&self, template: TemplateId, base: u32) -> u32 {
        base.saturating_add(self.estimates[template].root).min(MAX_ESTIMATED_HEIGHT)
    }
}

/// Makes a struct with the field names of its type. If the type is not a struct, the names are positions.
pub(crate) fn struct_value(ty: &Type, values: impl Iterator<Item = Value>) -> Value {
    match ty {
        Type::Struct(fields) => Value::strukt(fields.iter().map(|f| f.name.clone()).zip(values)),
        _ => Value::strukt(values.enumerate().map(|(i, v)| (i.to_string(), v))),
    }
}

/// Calls `f` with every operand whose value is needed to evaluate the node, in the order of its inputs.
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
        // Captures, and arguments of calls, are resolved when a node of the body needs them.
        Op::Func { .. } | Op::CallKnown { .. } => {}
        Op::Call { callee, .. } => f(*callee),
        Op::If { condition, .. } => f(*condition),
        Op::Except { value, .. } => f(*value),
    }
}

fn estimate(template: &Template, earlier: &PrimaryMap<TemplateId, Estimate>) -> Estimate {
    let of = |closure: &Closure| earlier.get(closure.template).map_or(0, |e| e.root);
    let mut nodes: PrimaryMap<NodeIdx, u32> = PrimaryMap::with_capacity(template.nodes.len());
    for node in template.nodes.values() {
        let mut height = 0;
        let mut include = |operand: Operand| {
            if let Operand::Node(n) = operand {
                height = height.max(nodes.get(n).copied().unwrap_or(0));
            }
        };
        for_each_operand(&node.op, &mut include);
        let extra = match &node.op {
            Op::List(_) | Op::Map(_) | Op::Struct(..) | Op::Builtin { .. } | Op::Func { .. } => 1,
            Op::Call { args, .. } => {
                args.iter().copied().for_each(&mut include);
                UNKNOWN_BODY_HEIGHT
            }
            Op::CallKnown { closure, args } => {
                args.iter().chain(closure.captures.values()).copied().for_each(&mut include);
                of(closure) + 1
            }
            Op::If { then, otherwise, .. } => {
                then.captures.values().chain(otherwise.captures.values()).copied().for_each(&mut include);
                of(then).max(of(otherwise)) + 3
            }
            Op::Except { fallback, .. } => {
                fallback.captures.values().copied().for_each(&mut include);
                of(fallback) + 3
            }
        };
        nodes.push(height.saturating_add(extra).min(MAX_ESTIMATE));
    }
    let root = match template.root {
        Some(Operand::Node(n)) => nodes.get(n).copied().unwrap_or(0),
        _ => 0,
    };
    Estimate { nodes, root }
}

fn unknown_function(program: &Program, id: FunctionIdx, name: &str) -> Diagnostic {
    let message = format!("unknown function `{name}`");
    let diagnostic = Diagnostic::error(DiagnosticCode::R0104, Stage::Stream, message)
        .help("the program was compiled for another release: compile it again with the `mclc` of this release");
    diagnostic.maybe_at(call_span(program, id))
}

/// Returns the span of the first call of an imported function.
fn call_span(program: &Program, id: FunctionIdx) -> Option<Span> {
    program.templates.values().flat_map(|template| template.nodes.values()).find_map(|node| match &node.op {
        Op::Builtin { function, .. } if *function == id => node.span,
        _ => None,
    })
}
