//! Long chains of definitions.
//!
//! Definitions may use one another in chains of any length, so lowering each one where it is used for the first time
//! would need a stack of any size. Beyond [`MAX_DEMAND_DEPTH`], everything that a definition depends on is therefore
//! lowered before it, in dependency order, with a stack of its own ([`Lowering::lower_dependencies`]). Then an
//! expression finds all values that it uses, and recursion is as deep as one expression.
//!
//! Up to that depth definitions are lowered on demand, because not everything that an expression refers to is needed: the
//! other branch of a constant condition is not.

use indexmap::IndexMap;
use mcl_parser::ast::{Expr, ExprId};
use mcl_types::{DefId, DefKind, ScopeKind, Target, subexpressions};
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

use crate::error::{Inconsistency, LowerError};
use crate::frames::FrameId;
use crate::lower::{FunctionKey, FunctionState, InsertPoint, Lowering};
use crate::values::ValueState;

/// How deep expressions may nest, across definitions, before the dependencies of a definition are lowered first.
pub(crate) const MAX_DEMAND_DEPTH: usize = 128;

/// What an expression may refer to.
#[derive(Clone, Debug)]
pub(crate) enum Dependency {
    /// A variable or a class parameter, in a frame.
    Value(FrameId, DefId),
    Function(FunctionKey),
}

/// A step of the walk through the dependencies. A chain has a step for each of its definitions, so a function is a number.
enum Step {
    /// Visit what the value depends on.
    EnterValue(FrameId, DefId),
    /// All of that is lowered.
    LowerValue(FrameId, DefId),
    EnterFunction(u32),
    LowerFunction(u32),
}

/// A walk through the dependencies.
#[derive(Default)]
struct Walk {
    /// The next step is the last.
    steps: Vec<Step>,
    /// The functions by their numbers, and whether they were entered.
    functions: IndexMap<FunctionKey, bool, FxBuildHasher>,
}

impl Walk {
    fn enter(&mut self, dependency: Dependency) {
        self.steps.push(match dependency {
            Dependency::Value(home, def) => Step::EnterValue(home, def),
            Dependency::Function(key) => {
                let entry = self.functions.entry(key);
                let number = u32::try_from(entry.index()).expect("fewer than 2^32 functions fit into a file");
                entry.or_insert(false);
                Step::EnterFunction(number)
            }
        });
    }

    fn function(&self, number: u32) -> FunctionKey {
        self.functions.get_index(number as usize).expect("the walk numbers what it finds").0.clone()
    }
}

impl Lowering<'_> {
    /// Lowers a definition after all definitions that it depends on, directly or not.
    pub(crate) fn lower_dependencies(&mut self, root: Dependency) -> Result<(), LowerError> {
        let mut walk = Walk::default();
        walk.enter(root);
        while let Some(step) = walk.steps.pop() {
            let (at, expr) = match step {
                // What was entered but not lowered is an ancestor.
                Step::EnterValue(home, def) => match self.values.get(home, def) {
                    Some(ValueState::Lowered(_) | ValueState::InProgress) => continue,
                    Some(ValueState::Entered) => return Err(Inconsistency::CyclicDefinition.into()),
                    None => {
                        self.values.set(home, def, ValueState::Entered);
                        walk.steps.push(Step::LowerValue(home, def));
                        self.source(home, def)?
                    }
                },
                Step::EnterFunction(number) => {
                    let key = walk.function(number);
                    if let Some(FunctionState::Lowered(_) | FunctionState::InProgress) = self.functions.get(&key) {
                        continue;
                    }
                    if std::mem::replace(&mut walk.functions[number as usize], true) {
                        return Err(Inconsistency::CyclicDefinition.into());
                    }
                    walk.steps.push(Step::LowerFunction(number));
                    let (at, body, _) = self.declare_function(&key)?;
                    (at, body)
                }
                Step::LowerValue(home, def) => {
                    self.lower_value(home, def)?;
                    continue;
                }
                Step::LowerFunction(number) => {
                    self.lower_function(&walk.function(number))?;
                    continue;
                }
            };
            let first = walk.steps.len();
            self.dependencies(at, expr, |dependency| walk.enter(dependency))?;
            // The first use is visited first.
            walk.steps[first..].reverse();
        }
        Ok(())
    }

    /// Visits what an expression refers to, in source order.
    fn dependencies(
        &mut self,
        at: InsertPoint,
        root: ExprId,
        mut visit: impl FnMut(Dependency),
    ) -> Result<(), LowerError> {
        let ast = self.frames.ast(at.frame);
        let mut exprs: SmallVec<[ExprId; 8]> = smallvec![root];
        while let Some(expr) = exprs.pop() {
            let node = ast.expr(expr);
            let first = exprs.len();
            subexpressions(ast, node, |part| exprs.push(part));
            exprs[first..].reverse();
            if !matches!(node, Expr::Var(_) | Expr::Call { .. } | Expr::CallVar { .. }) {
                continue;
            }
            let reference = self.frames.reference(at.frame, expr)?;
            let Target::Def(def) = reference.target else { continue };
            if matches!(node, Expr::Call { .. }) {
                visit(Dependency::Function(self.function_key(at.frame, expr, def)?));
            } else if !self.is_function_parameter(def) {
                let home = self.frames.follow(at.frame, reference, &mut self.emitter.types)?;
                visit(Dependency::Value(home, def));
            }
        }
        Ok(())
    }

    /// Returns whether a definition is a parameter of a function, which may be one inside the expression.
    fn is_function_parameter(&self, def: DefId) -> bool {
        let scoped = &self.frames.typed.scoped;
        let def = scoped.def(def);
        matches!(def.kind, DefKind::Param { .. }) && matches!(scoped.scope(def.scope).kind, ScopeKind::Function(_))
    }
}
