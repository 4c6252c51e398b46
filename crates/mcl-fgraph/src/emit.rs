//! Adding a node to a template, or computing its value at compile time.
//!
//! All nodes are added by [`Emitter::emit`]. With folding on, it computes composites and pure calls of constants, chooses
//! branches of constant conditions, and inlines small functions: their nodes are emitted in turn, with what is known about
//! the arguments. A call that fails is kept, because it must fail at run time, and only if its value is needed
//! (spec 04 §6.2). The builder remembers that the node always fails, for `<|>`.

use std::cell::Cell;
use std::fmt;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_artifact::program::{Closure, ConstId, Constant, FunctionIdx, Node, Op, Operand, Template, TemplateId};
use mcl_diagnostics::Span;
use mcl_functions::{CallContext, EngineFunction, FunctionError, Implementation, Purity};
use mcl_types::TypeTable;
use mcl_value::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::builder::{BuilderId, Builders, Finished, as_const, as_consts};
use crate::pool::Pool;
use crate::visit;

/// Function bodies of at most this many nodes are inlined. The size of a caller includes what was inlined into it, so a
/// program grows at most by this factor.
const MAX_INLINE_NODES: usize = 8;

/// Bodies of at most this many nodes are evaluated if all arguments are constant.
const MAX_EVALUATED_NODES: usize = 256;

/// How many calls may be inlined inside one another.
const MAX_INLINE_DEPTH: u32 = 16;

/// How many nodes the calls that are inlined inside one another may have together.
const MAX_NESTED_INLINE_NODES: usize = 64;

/// The same limit during evaluation.
const MAX_NESTED_EVALUATED_NODES: usize = 1024;

/// How many nodes may be emitted for evaluation in one program.
pub(crate) const EVALUATION_BUDGET_NODES: u64 = 4_000_000;

/// `iter.map` and its like are computed at compile time for at most this many elements.
const MAX_ELEMENTS: usize = 1024;

/// A call with an integer argument above this, which may have a large result, is left to the run time.
const MAX_FACTOR: u64 = 1 << 16;

/// The tables and templates of the program under construction.
pub(crate) struct Emitter {
    pub(crate) pool: Pool,
    pub(crate) builders: Builders,
    /// The finished templates.
    pub(crate) templates: PrimaryMap<TemplateId, Template>,
    pub(crate) types: TypeTable,
    pub(crate) fold: bool,
    /// Whether templates have labels.
    pub(crate) has_labels: bool,
    /// Calls with constant captures and arguments that were evaluated, and their results; `None` if not constant.
    evaluated: FxHashMap<(TemplateId, Vec<ConstId>), Option<ConstId>>,
    /// How many nodes may still be emitted for evaluation.
    evaluation_budget: u64,
    /// Whether an evaluation was left out because of the budget.
    budget_exceeded: bool,
    /// How many calls are being inlined inside one another.
    inline_depth: u32,
    /// How many nodes were emitted for the outermost of these calls.
    inlined_nodes: usize,
    /// How many of these calls are evaluated rather than inlined.
    evaluation_depth: u32,
}

/// Whether computing a value fails, in a way that `<|>` catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallibility {
    Never,
    Always,
    Unknown,
}

impl Emitter {
    /// Returns an emitter with an empty program.
    pub(crate) fn new(types: TypeTable, fold: bool) -> Emitter {
        Emitter {
            pool: Pool::default(),
            builders: Builders::default(),
            templates: PrimaryMap::new(),
            types,
            fold,
            has_labels: true,
            evaluated: FxHashMap::default(),
            evaluation_budget: EVALUATION_BUDGET_NODES,
            budget_exceeded: false,
            inline_depth: 0,
            inlined_nodes: 0,
            evaluation_depth: 0,
        }
    }

    /// Returns how much of the budget for evaluation was used; `None` if it was too small.
    pub(crate) fn used_budget(&self) -> Option<u64> {
        (!self.budget_exceeded).then(|| EVALUATION_BUDGET_NODES - self.evaluation_budget)
    }

    /// Returns the value of an operation in a template.
    pub(crate) fn emit(&mut self, at: BuilderId, op: Op, span: Option<Span>) -> Operand {
        if !self.fold {
            return self.builders.push(at, op, span);
        }
        match self.fold(at, op, span) {
            Ok(operand) => operand,
            Err(op) => {
                let fails = self.always_fails(at, &op);
                let operand = self.builders.push(at, op, span);
                if fails {
                    self.builders.mark_failing(at, operand);
                }
                operand
            }
        }
    }

    /// Returns the value of a call of a built-in function in a template.
    pub(crate) fn emit_builtin(
        &mut self,
        at: BuilderId,
        function: FunctionIdx,
        args: &[Operand],
        span: Option<Span>,
    ) -> Operand {
        // Most calls of constants are computed, and need no operation.
        if self.fold
            && let Some(constants) = as_consts(args)
            && let Some(constant) = self.call_builtin(function, &constants)
        {
            return Operand::Const(constant);
        }
        self.emit(at, Op::Builtin { function, args: args.to_vec() }, span)
    }

    /// Returns the value if it is known, or else the operation that remains.
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
            Op::Except { value, fallback } => match self.fallibility(at, value) {
                Fallibility::Never => return Ok(value),
                Fallibility::Always => return self.call(at, fallback, Vec::new(), None),
                Fallibility::Unknown => return Err(Op::Except { value, fallback }),
            },
        };
        constant.map(Operand::Const).ok_or(op)
    }

    /// Finishes the template of a function, whose arguments stay alive even if the body does not use them.
    pub(crate) fn finish_function(&mut self, id: BuilderId, root: Operand, label: fmt::Arguments<'_>) -> Closure {
        self.builders.keep_unused_params(id, root);
        let label = if self.has_labels { &*label.to_string() } else { "" };
        self.finish(id, Some(root), label)
    }

    pub(crate) fn finish(&mut self, id: BuilderId, root: Option<Operand>, label: &str) -> Closure {
        let label = self.has_labels.then(|| self.pool.string(label));
        let Finished { template, captures } = self.builders.finish(id, root, label);
        Closure { template: self.templates.push(template), captures }
    }

    /// Returns the value of a constant condition.
    pub(crate) fn truth(&self, condition: Operand) -> Option<bool> {
        if !self.fold {
            return None;
        }
        self.pool.value(as_const(condition)?)?.as_bool()
    }

    /// Returns whether the value on the left of `<|>` fails.
    pub(crate) fn fallibility(&self, at: BuilderId, value: Operand) -> Fallibility {
        if !self.fold {
            Fallibility::Unknown
        } else if self.builders.is_inert(at, value) {
            Fallibility::Never
        } else if self.builders.always_fails(at, value) {
            Fallibility::Always
        } else {
            Fallibility::Unknown
        }
    }

    /// Returns whether an operation that could not be computed always fails, in a way that `<|>` catches: it fails itself,
    /// or one of its operands does and the others are constants or fail too, so they cannot fail in another way.
    fn always_fails(&self, at: BuilderId, op: &Op) -> bool {
        match op {
            Op::List(parts) | Op::Struct(_, parts) => self.one_always_fails(at, parts.iter().copied()),
            Op::Map(pairs) => self.one_always_fails(at, pairs.iter().flat_map(|(key, value)| [*key, *value])),
            Op::Builtin { function, args } => match as_consts(args) {
                Some(args) => matches!(self.result(*function, &args), Some(Err(error)) if error.is_catchable()),
                None => {
                    matches!(self.pool.function_at(*function).1.implementation, Implementation::Plain(_))
                        && self.one_always_fails(at, args.iter().copied())
                }
            },
            Op::Func { .. } | Op::Call { .. } | Op::CallKnown { .. } | Op::If { .. } | Op::Except { .. } => false,
        }
    }

    /// Returns whether one of the operands always fails and all others are constants or always fail too.
    fn one_always_fails(&self, at: BuilderId, mut operands: impl Iterator<Item = Operand>) -> bool {
        let mut one_fails = false;
        let known = operands.all(|operand| {
            let fails = self.builders.always_fails(at, operand);
            one_fails |= fails;
            fails || as_const(operand).is_some()
        });
        known && one_fails
    }

    fn call_builtin(&mut self, id: FunctionIdx, args: &[ConstId]) -> Option<ConstId> {
        let value = self.result(id, args)?.ok()?;
        let result = self.pool.result_type(id);
        self.pool.result(&mut self.types, &value, result)
    }

    /// Returns the result of a call with constant arguments, if it may be computed at compile time.
    pub(crate) fn result(&self, id: FunctionIdx, args: &[ConstId]) -> Option<Result<Value, FunctionError>> {
        let (import, function) = self.pool.function_at(id);
        let (Purity::Pure, Implementation::Plain(implementation)) = (function.purity, &function.implementation) else {
            return None;
        };
        let args = args.iter().map(|id| self.pool.value(*id)).collect::<Option<SmallVec<[Value; 4]>>>()?;
        if is_amplifier(function.name)
            && args.iter().any(|arg| arg.as_int().is_some_and(|n| n.unsigned_abs() > MAX_FACTOR))
        {
            return None;
        }
        let context = CallContext {
            ty: &import.ty,
            deploy: None,
            module_dir: self.pool.text(import.module_dir),
            answers: None,
            sensitive: Cell::default(),
        };
        Some(implementation(&context, &args))
    }

    /// Returns the result of `iter.map` and its like for constant lists and a known function.
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
        if length > MAX_ELEMENTS || self.inline_depth > 0 {
            return None;
        }
        let closure = self.builders.known_closure(at, *callee)?;
        let mut apply = |args: &[ConstId]| {
            self.inlined_nodes = 0;
            let args: Vec<Operand> = args.iter().copied().map(Operand::Const).collect();
            self.evaluate(at, &closure, &args)
        };
        if function == EngineFunction::Reduce {
            let mut elements = lists[0].iter().copied();
            // Without an initial value, an empty list fails, at run time.
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

    /// Returns the value of a call of a known template if it is inlined or constant. The root of an inlined body gets
    /// `span`, the span of the call (spec 04 §1.7); without one it keeps its own.
    fn call(&mut self, at: BuilderId, closure: Closure, args: Vec<Operand>, span: Option<Span>) -> Result<Operand, Op> {
        let template = &self.templates[closure.template];
        // Only an inconsistent typed program has such a call. The lowered program is rejected when it is validated.
        if template.params as usize != args.len() {
            return Err(Op::CallKnown { closure, args });
        }
        // What must stay alive as long as the call would live as long as the caller if the body were inlined.
        let must_keep = template.keep.iter().any(|operand| match operand {
            Operand::Param(n) => !self.builders.is_inert(at, args[n.index()]),
            Operand::Const(_) | Operand::Node(_) | Operand::Capture(_) => true,
        });
        let size = template.nodes.len();
        let outermost = self.inline_depth == 0;
        if outermost {
            self.inlined_nodes = 0;
        }
        let limit = if self.evaluation_depth > 0 { MAX_NESTED_EVALUATED_NODES } else { MAX_NESTED_INLINE_NODES };
        let too_large = self.inline_depth >= MAX_INLINE_DEPTH || !outermost && self.inlined_nodes + size > limit;
        if must_keep || too_large {
            return Err(Op::CallKnown { closure, args });
        }
        if size <= MAX_INLINE_NODES {
            return Ok(self.inline(at, &closure, &args, span));
        }
        match self.evaluate(at, &closure, &args) {
            Some(constant) => Ok(Operand::Const(constant)),
            None => Err(Op::CallKnown { closure, args }),
        }
    }

    /// Returns the constant that a call evaluates to, if it does. No nodes remain either way.
    fn evaluate(&mut self, at: BuilderId, closure: &Closure, args: &[Operand]) -> Option<ConstId> {
        let template = &self.templates[closure.template];
        // See `call`.
        if template.params as usize != args.len() {
            return None;
        }
        let size = template.nodes.len();
        let mut inputs = as_consts(closure.captures.as_values_slice())?.into_vec();
        inputs.extend(as_consts(args)?);
        if let Some(known) = self.evaluated.get(&(closure.template, inputs.clone())) {
            return *known;
        }
        if size > MAX_EVALUATED_NODES {
            return None;
        }
        match self.evaluation_budget.checked_sub(size as u64) {
            Some(left) => self.evaluation_budget = left,
            None => {
                self.budget_exceeded = true;
                return None;
            }
        }
        let first = self.builders.get(at).nodes.next_key();
        self.evaluation_depth += 1;
        let constant = as_const(self.inline(at, closure, args, None));
        self.evaluation_depth -= 1;
        self.builders.truncate(at, first);
        self.evaluated.insert((closure.template, inputs), constant);
        constant
    }

    /// Emits the nodes of a body in the template of its caller; returns its value.
    fn inline(&mut self, at: BuilderId, closure: &Closure, args: &[Operand], span: Option<Span>) -> Operand {
        self.inline_depth += 1;
        self.inlined_nodes += self.templates[closure.template].nodes.len();
        let first = self.builders.get(at).nodes.next_key();
        // By the nodes of the template.
        let mut copies: SmallVec<[Operand; MAX_INLINE_NODES]> = SmallVec::new();
        let translate = |copies: &[Operand], operand: Operand| match operand {
            Operand::Const(_) => operand,
            Operand::Node(n) => copies[n.index()],
            Operand::Param(n) => args[n.index()],
            Operand::Capture(n) => closure.captures[n],
        };
        for n in self.templates[closure.template].nodes.keys() {
            let Node { op, span } = &self.templates[closure.template].nodes[n];
            let span = *span;
            let copy = if let Op::Builtin { function, args } = op {
                let function = *function;
                let args: SmallVec<[Operand; 4]> = args.iter().map(|arg| translate(&copies, *arg)).collect();
                self.emit_builtin(at, function, &args, span)
            } else {
                let mut op = op.clone();
                visit::op(&mut op, &mut |_, operand| *operand = translate(&copies, *operand));
                self.emit(at, op, span)
            };
            copies.push(copy);
        }
        let root = self.templates[closure.template].root.expect("only templates with a value are called");
        let root = translate(&copies, root);
        if let (Operand::Node(n), Some(span)) = (root, span)
            && n >= first
        {
            self.builders.get(at).nodes[n].span = Some(span);
        }
        self.inline_depth -= 1;
        root
    }
}

/// Returns whether an integer argument of this function can make its result large.
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
