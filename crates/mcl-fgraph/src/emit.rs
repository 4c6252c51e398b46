//! Adding a node to a template, unless it can be computed now.
//!
//! [`Emitter::emit`] is the only way in. With folding on, it computes composites and pure calls of constants, chooses
//! branches of constant conditions, and copies small function bodies into their callers, where their nodes are emitted in
//! turn with what is known of the arguments. A call that fails is left for the run time, because the failure must happen
//! there, and only if somebody asks for the value (spec 04 §6.2). That it will fail is remembered with its node, for `<|>`.

use mcl_artifact::program::{Closure, ConstId, Constant, FunctionIdx, Node, Op, Operand, Template, TemplateId};
use mcl_diagnostics::Span;
use mcl_functions::{CallContext, EngineFunction, FunctionError, Implementation, Purity};
use mcl_types::TypeTable;
use mcl_value::Value;
use rustc_hash::FxHashMap;

use crate::{
    builder::{BuilderId, Builders, Finished, as_const, as_consts},
    pool::Pool,
    visit,
};

/// A body of at most so many nodes is copied into its callers. Callers count after copying, so code grows at most by this
/// factor.
const INLINE_NODES: usize = 8;

/// A larger body is tried with constant arguments, in the hope that a constant comes out.
const TRY_NODES: usize = 256;

/// How many bodies may be copied inside one another.
const MAX_INLINE_DEPTH: u32 = 16;

/// How many nodes all the bodies that are copied inside one another may have.
const MAX_COPIED: usize = 64;

/// The same while trying.
const MAX_TRIED: usize = 1024;

/// `iter.map` and its like are computed for at most so many elements.
const MAX_ELEMENTS: usize = 1024;

/// An integer argument above this may ask for a large result, which the run time shall compute.
const MAX_FACTOR: u64 = 1 << 16;

/// What templates are made of, and the templates that are finished.
pub(crate) struct Emitter {
    pub(crate) pool: Pool,
    pub(crate) builders: Builders,
    pub(crate) templates: Vec<Template>,
    pub(crate) types: TypeTable,
    pub(crate) fold: bool,
    /// Calls with constant captures and arguments, and the constant they gave.
    tried: FxHashMap<(TemplateId, Vec<ConstId>), Option<ConstId>>,
    /// Nodes that may still be emitted for trying.
    budget: u64,
    /// Bodies that are being copied inside one another.
    depth: u32,
    /// Nodes of the bodies that were copied for the outermost one.
    copied: usize,
    /// How many of those are only tried.
    trying: u32,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// It cannot fail.
    Sound,
    /// It always fails, in a way that `<|>` catches.
    Doomed,
    /// Nothing.
    Unknown,
}

impl Emitter {
    /// An empty program.
    pub(crate) fn new(types: TypeTable, fold: bool) -> Emitter {
        Emitter {
            pool: Pool::default(),
            builders: Builders::default(),
            templates: Vec::new(),
            types,
            fold,
            tried: FxHashMap::default(),
            budget: 4_000_000,
            depth: 0,
            copied: 0,
            trying: 0,
        }
    }

    /// The value of an operation in a template.
    pub(crate) fn emit(&mut self, at: BuilderId, op: Op, span: Option<Span>) -> Operand {
        if !self.fold {
            return self.builders.push(at, op, span);
        }
        match self.fold(at, op, span) {
            Ok(operand) => operand,
            Err(op) => {
                let doomed = self.is_doomed(at, &op);
                let operand = self.builders.push(at, op, span);
                if doomed {
                    self.builders.doom(at, operand);
                }
                operand
            }
        }
    }

    /// The value if it is known now, else what is left to be done.
    fn fold(&mut self, at: BuilderId, op: Op, span: Option<Span>) -> Result<Operand, Op> {
        let constant = match op {
            Op::List(ref parts) => as_consts(parts).and_then(|parts| self.pool.list(&parts)),
            Op::Map(ref pairs) => pairs
                .iter()
                .map(|(key, value)| Some((as_const(*key)?, as_const(*value)?)))
                .collect::<Option<Vec<_>>>()
                .and_then(|pairs| self.pool.map(&pairs)),
            Op::Struct(ty, ref parts) => as_consts(parts).and_then(|parts| self.pool.strukt(ty, &parts)),
            Op::Builtin { function, ref args } => as_consts(args)
                .and_then(|args| self.call_builtin(function, &args))
                .or_else(|| self.call_iterator(at, function, args)),
            Op::Func { .. } => None,
            Op::Call { callee, args } => match self.builders.known_closure(at, callee) {
                Some(closure) => return self.fold(at, Op::CallKnown { closure, args }, span),
                None => return Err(Op::Call { callee, args }),
            },
            Op::CallKnown { closure, args } => return self.call(at, closure, args, span),
            Op::If { condition, then, otherwise } => match self.truth(condition) {
                Some(truth) => {
                    let closure = if truth { then } else { otherwise };
                    return self.call(at, closure, Vec::new(), None);
                }
                None => return Err(Op::If { condition, then, otherwise }),
            },
            Op::Except { value, fallback } => match self.health(at, value) {
                Health::Sound => return Ok(value),
                Health::Doomed => return self.call(at, fallback, Vec::new(), None),
                Health::Unknown => return Err(Op::Except { value, fallback }),
            },
        };
        constant.map(Operand::Const).ok_or(op)
    }

    /// Ends a template.
    pub(crate) fn finish(&mut self, id: BuilderId, root: Option<Operand>, keep_params: bool, label: &str) -> Closure {
        let label = self.pool.string(label);
        let Finished { template, captures } = self.builders.finish(id, root, keep_params, Some(label));
        let id = TemplateId(u32::try_from(self.templates.len()).expect("fewer than 2^32 templates fit into memory"));
        self.templates.push(template);
        Closure { template: id, captures }
    }

    /// The value of a constant condition.
    pub(crate) fn truth(&self, condition: Operand) -> Option<bool> {
        if !self.fold {
            return None;
        }
        self.pool.value(as_const(condition)?)?.as_bool()
    }

    /// What is known of the value on the left of `<|>`.
    pub(crate) fn health(&self, at: BuilderId, value: Operand) -> Health {
        if !self.fold {
            Health::Unknown
        } else if self.builders.is_inert(at, value) {
            Health::Sound
        } else if self.builders.is_doomed(at, value) {
            Health::Doomed
        } else {
            Health::Unknown
        }
    }

    /// Whether an operation that could not be computed is known to fail in a way that `<|>` catches: it does itself, or
    /// one of its operands does and the others are constants or fail likewise, so that nothing else can come of them.
    fn is_doomed(&self, at: BuilderId, op: &Op) -> bool {
        match op {
            Op::List(parts) | Op::Struct(_, parts) => self.one_is_doomed(at, parts.iter().copied()),
            Op::Map(pairs) => self.one_is_doomed(at, pairs.iter().flat_map(|(key, value)| [*key, *value])),
            Op::Builtin { function, args } => match as_consts(args) {
                Some(args) => matches!(self.result(*function, &args), Some(Err(error)) if error.catchable),
                None => {
                    matches!(self.pool.function_at(*function).1.implementation, Implementation::Plain(_))
                        && self.one_is_doomed(at, args.iter().copied())
                }
            },
            Op::Func { .. } | Op::Call { .. } | Op::CallKnown { .. } | Op::If { .. } | Op::Except { .. } => false,
        }
    }

    /// Whether one of the operands is doomed and all others are constants or doomed too.
    fn one_is_doomed(&self, at: BuilderId, mut operands: impl Iterator<Item = Operand>) -> bool {
        let mut doomed = false;
        let known = operands.all(|operand| {
            let fails = self.builders.is_doomed(at, operand);
            doomed |= fails;
            fails || as_const(operand).is_some()
        });
        known && doomed
    }

    fn call_builtin(&mut self, id: FunctionIdx, args: &[ConstId]) -> Option<ConstId> {
        let value = self.result(id, args)?.ok()?;
        let result = self.pool.result_type(id);
        self.pool.result(&mut self.types, &value, result)
    }

    /// What a call of constants gives, if it may be computed now.
    pub(crate) fn result(&self, id: FunctionIdx, args: &[ConstId]) -> Option<Result<Value, FunctionError>> {
        let (import, function) = self.pool.function_at(id);
        let (Purity::Pure, Implementation::Plain(implementation)) = (function.purity, &function.implementation) else {
            return None;
        };
        let args = args.iter().map(|id| self.pool.value(*id)).collect::<Option<Vec<Value>>>()?;
        if is_amplifier(function.name)
            && args.iter().any(|arg| arg.as_int().is_some_and(|n| n.unsigned_abs() > MAX_FACTOR))
        {
            return None;
        }
        let context = CallContext { ty: &import.ty, deploy: None, module_dir: self.pool.text(import.module_dir) };
        Some(implementation(&context, &args))
    }

    /// `iter.map` and its like of constant lists with a known function.
    fn call_iterator(&mut self, at: BuilderId, id: FunctionIdx, args: &[Operand]) -> Option<ConstId> {
        let &Implementation::Engine(function) = &self.pool.function_at(id).1.implementation else { return None };
        let (callee, inputs) = args.split_last()?;
        let inputs = as_consts(inputs)?;
        let (initial, lists) = match (function, &inputs[..]) {
            (EngineFunction::Reduce, [initial, list]) => (Some(*initial), std::slice::from_ref(list)),
            (_, lists) => (None, lists),
        };
        let lists: Vec<Box<[ConstId]>> = lists
            .iter()
            .map(|list| match self.pool.constant(*list) {
                Constant::List(elements) => Some(elements.clone()),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let length = lists.iter().map(|list| list.len()).min()?;
        if length > MAX_ELEMENTS || self.depth > 0 {
            return None;
        }
        let closure = self.builders.known_closure(at, *callee)?;
        let mut apply = |args: &[ConstId]| {
            self.copied = 0;
            let args: Vec<Operand> = args.iter().copied().map(Operand::Const).collect();
            self.try_call(at, &closure, &args)
        };
        if function == EngineFunction::Reduce {
            let mut elements = lists[0].iter().copied();
            // Without a first value there is a failure, at run time.
            let first = initial.or_else(|| elements.next())?;
            return elements.try_fold(first, |accumulator, element| apply(&[accumulator, element]));
        }
        let mut results = Vec::with_capacity(length);
        for i in 0..length {
            let elements: Vec<ConstId> = lists.iter().map(|list| list[i]).collect();
            let result = apply(&elements)?;
            results.push((elements[0], result));
        }
        if function == EngineFunction::Filter {
            let chosen = results.into_iter().map(|(element, keep)| Some((element, self.pool.value(keep)?.as_bool()?)));
            let chosen = chosen.collect::<Option<Vec<_>>>()?;
            let chosen: Vec<ConstId> =
                chosen.into_iter().filter(|(_, keep)| *keep).map(|(element, _)| element).collect();
            return self.pool.list(&chosen);
        }
        let results: Vec<ConstId> = results.into_iter().map(|(_, result)| result).collect();
        self.pool.list(&results)
    }

    /// A call of a known body. `span` is that of the call expression; `None` leaves the body's own.
    fn call(&mut self, at: BuilderId, closure: Closure, args: Vec<Operand>, span: Option<Span>) -> Result<Operand, Op> {
        let template = &self.templates[closure.template.0 as usize];
        // What must be alive as long as the call is would live as long as the caller if the body were copied.
        let must_keep = template.keep.iter().any(|operand| match operand {
            Operand::Param(n) => !self.builders.is_inert(at, args[*n as usize]),
            Operand::Const(_) | Operand::Node(_) | Operand::Capture(_) => true,
        });
        let size = template.nodes.len();
        let outermost = self.depth == 0;
        if outermost {
            self.copied = 0;
        }
        let limit = if self.trying > 0 { MAX_TRIED } else { MAX_COPIED };
        let too_much = self.depth >= MAX_INLINE_DEPTH || !outermost && self.copied + size > limit;
        if must_keep || too_much {
            return Err(Op::CallKnown { closure, args });
        }
        if size <= INLINE_NODES {
            return Ok(self.copy(at, &closure, &args, span));
        }
        match self.try_call(at, &closure, &args) {
            Some(constant) => Ok(Operand::Const(constant)),
            None => Err(Op::CallKnown { closure, args }),
        }
    }

    /// Copies the body and sees whether a constant comes out; if not, nothing happened.
    fn try_call(&mut self, at: BuilderId, closure: &Closure, args: &[Operand]) -> Option<ConstId> {
        let size = self.templates[closure.template.0 as usize].nodes.len();
        let mut inputs = as_consts(&closure.captures)?;
        inputs.extend(as_consts(args)?);
        if let Some(known) = self.tried.get(&(closure.template, inputs.clone())) {
            return *known;
        }
        self.budget = self.budget.checked_sub(size as u64).filter(|_| size <= TRY_NODES)?;
        let nodes = self.builders.get(at).nodes.len();
        self.trying += 1;
        let constant = as_const(self.copy(at, closure, args, None));
        self.trying -= 1;
        self.builders.truncate(at, nodes);
        self.tried.insert((closure.template, inputs), constant);
        constant
    }

    /// Copies a body into a template.
    fn copy(&mut self, at: BuilderId, closure: &Closure, args: &[Operand], span: Option<Span>) -> Operand {
        self.depth += 1;
        self.copied += self.templates[closure.template.0 as usize].nodes.len();
        let Template { nodes, root, .. } = self.templates[closure.template.0 as usize].clone();
        let first = self.builders.get(at).nodes.len();
        let mut copies: Vec<Operand> = Vec::with_capacity(nodes.len());
        let place = |copies: &[Operand], operand: Operand| match operand {
            Operand::Const(_) => operand,
            Operand::Node(n) => copies[n as usize],
            Operand::Param(n) => args[n as usize],
            Operand::Capture(n) => closure.captures[n as usize],
        };
        for Node { mut op, span } in nodes {
            visit::op(&mut op, &mut |_, operand| *operand = place(&copies, *operand));
            let copy = self.emit(at, op, span);
            copies.push(copy);
        }
        let root = place(&copies, root.expect("only templates with a value are called"));
        if let (Operand::Node(n), Some(span)) = (root, span)
            && n as usize >= first
        {
            self.builders.get(at).nodes[n as usize].span = Some(span);
        }
        self.depth -= 1;
        root
    }
}

/// Whether an integer argument of this function can make its result large.
fn is_amplifier(name: &str) -> bool {
    matches!(
        name,
        "iter.range"
            | "strings.left_pad"
            | "strings.right_pad"
            | "golang/strings.repeat"
            | "golang/strconv.format_float"
            | "golang/strconv.append_float"
    )
}
