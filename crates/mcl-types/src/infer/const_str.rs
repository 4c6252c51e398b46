//! Strings that are known before the program runs (spec 02 §7.2): the formats of `printf`, the types of `decode_json`.

use std::rc::Rc;
use std::sync::Arc;

use mcl_parser::ast::{BinaryOp, Expr, ExprId, Stmt, UnaryOp};
use resource_graph::ConstantValue;

use crate::infer::Inference;
use crate::scoped::{DefKind, InstanceId, ModuleId, ScopeId, ScopeKind, Target};
use crate::solver::obligation::ConstStrUse;
use crate::typed::ExprKey;

/// The value of a string before the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConstStr {
    Known(Arc<str>),
    /// It depends on an argument of the class around the code.
    FromClassParam,
    Unknown,
}

/// Maximum number of expressions that are evaluated for one string: sums of sums can be exponentially large.
const MAX_STEPS: u32 = 10_000;
/// Maximum length of a string, in bytes.
const MAX_LENGTH: usize = 64 * 1024;

/// An expression, in the instance that a path leads to.
#[derive(Clone)]
struct Position {
    module: ModuleId,
    expr: ExprId,
    path: Rc<[InstanceId]>,
}

/// The definition of a variable.
enum Definition {
    Expression(Position),
    /// A predefined constant.
    Constant(&'static str),
    /// The argument of an include that is not known: the code is in the body of the class.
    ClassParam,
    Unknown,
}

impl Inference<'_> {
    /// Evaluates a string if it is known before the program runs: literals, variables bound to them, arguments of includes,
    /// sums of strings, and `if` with a known condition.
    pub(crate) fn const_str(&self, string: &ConstStrUse) -> ConstStr {
        let (module, expr): ExprKey = string.expr;
        let mut value = String::new();
        let mut work = vec![Position { module, expr, path: Rc::from(&*string.path) }];
        let mut steps = 0;
        while let Some(at) = work.pop() {
            steps += 1;
            if steps > MAX_STEPS || value.len() > MAX_LENGTH {
                return ConstStr::Unknown;
            }
            let part = |expr| Position { expr, ..at.clone() };
            let ast = self.scoped.ast(at.module);
            match ast.expr(at.expr) {
                Expr::Str(literal) => value.push_str(ast.string(*literal)),
                Expr::Binary { op: BinaryOp::Add, left, right } => work.extend([part(*right), part(*left)]),
                Expr::Except { value, .. } => work.push(part(*value)),
                Expr::If { condition, then, otherwise } => match self.const_bool(part(*condition)) {
                    Some(condition) => work.push(part(if condition { *then } else { *otherwise })),
                    None => return ConstStr::Unknown,
                },
                Expr::Interpolated(inner) => work.push(part(*inner)),
                Expr::Var(_) => match self.definition_of(&at) {
                    Definition::Expression(definition) => work.push(definition),
                    Definition::Constant(constant) => value.push_str(constant),
                    Definition::ClassParam => return ConstStr::FromClassParam,
                    Definition::Unknown => return ConstStr::Unknown,
                },
                _ => return ConstStr::Unknown,
            }
        }
        ConstStr::Known(value.into())
    }

    /// Returns the expression that a variable is bound to, outside of loops.
    fn definition_of(&self, at: &Position) -> Definition {
        let Some(reference) = self.scoped.expr_ref(at.module, at.expr) else { return Definition::Unknown };
        let def = match reference.target {
            Target::Def(def) => def,
            Target::Variable(name) => {
                return match resource_graph::resource_constant(self.scoped.builtin(name)) {
                    Some(ConstantValue::Str(constant)) => Definition::Constant(constant),
                    Some(ConstantValue::Int(_)) | None => Definition::Unknown,
                };
            }
            Target::Function(_) => return Definition::Unknown,
        };
        let def = self.scoped.def(def);
        if self.is_iterated(def.scope) || def.erroneous {
            return Definition::Unknown;
        }
        let mut path = self.path_to(&at.path, reference.path, self.usage.instance_scopes[def.scope]);
        let module = self.scoped.scope(def.scope).module;
        match def.kind {
            DefKind::Bind { stmt } => match self.scoped.ast(module).stmt(stmt) {
                Stmt::Bind { value, .. } => {
                    Definition::Expression(Position { module, expr: *value, path: path.into() })
                }
                _ => Definition::Unknown,
            },
            DefKind::Param { index } if matches!(self.scoped.scope(def.scope).kind, ScopeKind::Class(_)) => {
                let Some(instance) = path.pop() else { return Definition::ClassParam };
                let include = self.scoped.instance(instance);
                let module = self.scoped.scope(include.scope).module;
                match self.scoped.ast(module).stmt(include.stmt) {
                    Stmt::Include(statement) if !self.is_iterated(include.scope) => {
                        match statement.args.as_ref().and_then(|args| args.get(index as usize)) {
                            Some(arg) => Definition::Expression(Position { module, expr: *arg, path: path.into() }),
                            None => Definition::Unknown,
                        }
                    }
                    _ => Definition::Unknown,
                }
            }
            DefKind::Param { .. } | DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => {
                Definition::Unknown
            }
        }
    }

    fn is_iterated(&self, scope: ScopeId) -> bool {
        let mut scope = Some(scope);
        while let Some(id) = scope {
            if self.scoped.scope(id).kind == ScopeKind::Loop {
                return true;
            }
            scope = self.scoped.scope(id).parent;
        }
        false
    }

    fn const_bool(&self, mut at: Position) -> Option<bool> {
        let mut negated = false;
        for _ in 0..MAX_STEPS {
            match self.scoped.ast(at.module).expr(at.expr) {
                Expr::Bool(value) => return Some(*value != negated),
                Expr::Unary { op: UnaryOp::Not, operand } => {
                    negated = !negated;
                    at.expr = *operand;
                }
                Expr::Var(_) => match self.definition_of(&at) {
                    Definition::Expression(definition) => at = definition,
                    Definition::Constant(_) | Definition::ClassParam | Definition::Unknown => return None,
                },
                _ => return None,
            }
        }
        None
    }
}
