//! Long chains of definitions.
//!
//! Definitions may use one another in chains of any length, so lowering each one where it is used for the first time
//! would need a stack of any size. Beyond [`MAX_DEMAND_DEPTH`], everything that a definition depends on is therefore
//! lowered before it, in dependency order, with a stack of its own ([`Lowering::lower_dependencies`]). Then an
//! expression finds all values that it uses, and recursion is as deep as one expression.
//!
//! Up to that depth definitions are lowered on demand, because not everything that an expression refers to is needed: the
//! other branch of a constant condition is not.

use mcl_parser::ast::{Expr, ExprId};
use mcl_types::{DefId, DefKind, ScopeKind, Target, subexpressions};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::error::{Inconsistency, LowerError};
use crate::frames::{FrameId, ValueState};
use crate::lower::{FunctionKey, FunctionState, InsertPoint, Lowering};

/// How deep expressions may nest, across definitions, before the dependencies of a definition are lowered first.
pub(crate) const MAX_DEMAND_DEPTH: usize = 128;

/// What an expression may refer to.
#[derive(Clone, Debug)]
pub(crate) enum Dependency {
    /// A variable or a class parameter, in a frame.
    Value(FrameId, DefId),
    /// Boxed, because a chain has a step for each of its definitions.
    Function(Box<FunctionKey>),
}

/// A step of the walk through the dependencies.
enum Step {
    /// Visit what the dependency depends on.
    Enter(Dependency),
    /// All of that is lowered.
    Lower(Dependency),
}

impl Lowering<'_> {
    /// Lowers a definition after all definitions that it depends on, directly or not.
    pub(crate) fn lower_dependencies(&mut self, root: Dependency) -> Result<(), LowerError> {
        let mut steps = vec![Step::Enter(root)];
        let mut entered_functions = FxHashSet::default();
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(dependency) if self.is_begun(&dependency) => {}
                Step::Enter(dependency) => {
                    // What was entered but not lowered is an ancestor.
                    let (at, expr) = match &dependency {
                        Dependency::Value(home, def) => {
                            if self.frames.values.insert((*home, *def), ValueState::Entered).is_some() {
                                return Err(Inconsistency::CyclicDefinition.into());
                            }
                            self.source(*home, *def)?
                        }
                        Dependency::Function(key) => {
                            if !entered_functions.insert(key.clone()) {
                                return Err(Inconsistency::CyclicDefinition.into());
                            }
                            self.declare_function(key)?
                        }
                    };
                    steps.push(Step::Lower(dependency));
                    let first = steps.len();
                    self.dependencies(at, expr, |dependency| steps.push(Step::Enter(dependency)))?;
                    // The first use is visited first.
                    steps[first..].reverse();
                }
                Step::Lower(Dependency::Value(home, def)) => {
                    self.lower_value(home, def)?;
                }
                Step::Lower(Dependency::Function(key)) => {
                    self.lower_function(*key)?;
                }
            }
        }
        Ok(())
    }

    /// Returns whether a definition is lowered or being lowered.
    fn is_begun(&self, dependency: &Dependency) -> bool {
        match dependency {
            Dependency::Value(home, def) => match self.frames.values.get(&(*home, *def)) {
                Some(ValueState::Lowered(_) | ValueState::InProgress) => true,
                None | Some(ValueState::Entered) => false,
            },
            Dependency::Function(key) => match self.functions.get(key) {
                Some(FunctionState::Lowered(_) | FunctionState::InProgress) => true,
                None | Some(FunctionState::Declared { .. }) => false,
            },
        }
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
            subexpressions(node, |part| exprs.push(part));
            exprs[first..].reverse();
            if !matches!(node, Expr::Var(_) | Expr::Call { .. } | Expr::CallVar { .. }) {
                continue;
            }
            let reference = self.frames.reference(at.frame, expr)?;
            let Target::Def(def) = reference.target else { continue };
            if matches!(node, Expr::Call { .. }) {
                visit(Dependency::Function(Box::new(self.function_key(at.frame, expr, def)?)));
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
