//! What is known of an expression before its type is solved (spec 02 §7).
//!
//! A resource name is one text or a list of texts, and mgmt decides which of the two before it solves types. So this is part
//! of the language: `test "a" + "b" {}` wants a list, although the sum is a str.

use std::rc::Rc;
use std::sync::Arc;

use mcl_parser::ast::{BinaryOp, Expr, ExprId, Stmt, TypeExpr, UnaryOp};

use super::Unifier;
use crate::scoped::{DefId, DefKind, ExprInfo, ModuleId, Reference, ScopeId, ScopeKind, SlotId, SlotKind, Target};
use crate::typed::TypeId;

/// What is known before solving.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) enum Static {
    /// Nothing.
    #[default]
    Unknown,
    /// It is a str.
    Str,
    /// It is a list of str.
    StrList,
    /// It is something else.
    Other,
    /// As much as is known of one of these class parameters.
    Params(Rc<[DefId]>),
}

/// What is known of a text before the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Known(Arc<str>),
    /// It depends on an argument of the class that the code stands in.
    Open,
    Unknown,
}

/// A static text must be found within this many steps, and be no longer than this: sums of sums can be huge.
const MAX_STEPS: u32 = 10_000;
const MAX_TEXT: usize = 64 * 1024;

impl Static {
    /// The static type of an expression that is one of two.
    fn either(self, other: Static) -> Static {
        match (self, other) {
            (Static::Unknown, known) | (known, Static::Unknown) => known,
            (Static::Params(a), Static::Params(b)) => Static::Params(a.iter().chain(b.iter()).copied().collect()),
            (Static::Params(_), known) | (known, _) => known,
        }
    }
}

impl Unifier<'_> {
    /// What is known of an expression.
    pub(super) fn static_type(&self, module: ModuleId, expr: ExprId) -> Static {
        let ast = self.scoped.ast(module);
        match ast.expr(expr) {
            Expr::Str(_) | Expr::Concat(_) | Expr::Interpolated(_) => Static::Str,
            Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => Static::Other,
            Expr::List(items) => {
                let mut known = items.iter().map(|item| self.static_type(module, *item));
                match known.next() {
                    None => Static::Unknown,
                    Some(Static::Str) if known.all(|item| item == Static::Str) => Static::StrList,
                    Some(Static::Unknown | Static::Params(_)) => Static::Unknown,
                    Some(Static::Str | Static::StrList | Static::Other) => Static::Other,
                }
            }
            Expr::Map(_) | Expr::Struct(_) => Static::Other,
            Expr::Var(_) => match self.scoped.module(module).exprs[expr.0 as usize] {
                ExprInfo::Ref(reference) => self.static_reference(self.scoped.reference(reference)),
                ExprInfo::None | ExprInfo::Function(_) | ExprInfo::Unresolved => Static::Unknown,
            },
            Expr::If { then, otherwise, .. } => {
                self.static_type(module, *then).either(self.static_type(module, *otherwise))
            }
            Expr::Except { value, fallback } => {
                self.static_type(module, *value).either(self.static_type(module, *fallback))
            }
            Expr::CallLambda { lambda, .. } => match ast.expr(*lambda) {
                Expr::Func(lambda) if lambda.params.iter().all(|param| param.ty.is_some()) => match lambda.result {
                    Some(ty) => self.static_annotation(module, ty),
                    None => self.static_type(module, lambda.body),
                },
                _ => Static::Unknown,
            },
            Expr::Error
            | Expr::Call { .. }
            | Expr::CallVar { .. }
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Index { .. }
            | Expr::Field { .. }
            | Expr::FieldOr { .. }
            | Expr::Paren(_) => Static::Unknown,
        }
    }

    pub(super) fn static_annotation(&self, module: ModuleId, ty: mcl_parser::ast::TypeId) -> Static {
        let ast = self.scoped.ast(module);
        match ast.ty(ty) {
            TypeExpr::Str => Static::Str,
            TypeExpr::List(element) if *ast.ty(*element) == TypeExpr::Str => Static::StrList,
            _ => Static::Other,
        }
    }

    fn static_reference(&self, reference: &Reference) -> Static {
        let known = match &reference.target {
            Target::Function(_) => return Static::Unknown,
            Target::Variable(name) => {
                let is_str = crate::builtin::variable(name).is_some_and(|variable| variable.ty == TypeId::STR);
                return if is_str { Static::Str } else { Static::Other };
            }
            Target::Def(def) => self.static_def(*def),
        };
        self.static_through(known, &reference.via)
    }

    /// What is known as seen from the beginning of a path, of what is known in the instance at its end.
    pub(super) fn static_through(&self, mut known: Static, via: &[SlotId]) -> Static {
        let mut work: Vec<SlotId> = via.to_vec();
        while let Some(slot) = work.pop() {
            if let (Static::Params(_), Some(scope)) = (&known, self.scoped.slot_scope(slot)) {
                let arguments = self.slot_statics.get(&slot).map_or(&[][..], |statics| statics);
                known = self.static_for(&known, scope, arguments);
                if let SlotKind::Class(reference) = self.scoped.slot(slot).kind {
                    work.extend(&self.scoped.reference(reference).via);
                }
            }
        }
        known
    }

    fn static_def(&self, def: DefId) -> Static {
        let scope = self.scoped.def(def).scope;
        match self.scoped.def(def).kind {
            DefKind::Bind { .. } => self.statics.get(&def).cloned().unwrap_or_default(),
            DefKind::Param { index } => match self.scoped.scope(scope).kind {
                // An annotation on a class parameter says nothing of its argument here (spec 02 §5.9).
                ScopeKind::Class(_) => Static::Params(Rc::from([def])),
                ScopeKind::Function(func) => {
                    let module = self.scoped.scope(scope).module;
                    match self.scoped.ast(module).expr(func) {
                        Expr::Func(lambda) => match lambda.params.get(index as usize).and_then(|param| param.ty) {
                            Some(ty) => self.static_annotation(module, ty),
                            None => Static::Unknown,
                        },
                        _ => Static::Unknown,
                    }
                }
                ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => Static::Unknown,
            },
            DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Unknown => Static::Unknown,
        }
    }

    /// What is known for one include of the class with the body `scope`.
    pub(super) fn static_for(&self, known: &Static, scope: ScopeId, arguments: &[Static]) -> Static {
        let Static::Params(params) = known else { return known.clone() };
        params.iter().fold(Static::Unknown, |sum, param| {
            let def = self.scoped.def(*param);
            let one = match def.kind {
                DefKind::Param { index } if def.scope == scope => {
                    arguments.get(index as usize).cloned().unwrap_or_default()
                }
                _ => Static::Params(Rc::from([*param])),
            };
            sum.either(one)
        })
    }

    /// The text of an expression in the instance that a path leads to, if it is known before the program runs: literals,
    /// variables bound to them, arguments of includes, sums of texts, and `if` with a known condition.
    pub(super) fn static_text(&self, module: ModuleId, expr: ExprId, path: &[SlotId]) -> Text {
        let mut text = String::new();
        let mut work = vec![At { module, expr, path: Rc::from(path) }];
        let mut steps = 0;
        while let Some(at) = work.pop() {
            steps += 1;
            if steps > MAX_STEPS || text.len() > MAX_TEXT {
                return Text::Unknown;
            }
            let part = |expr| At { expr, ..at.clone() };
            match self.scoped.ast(at.module).expr(at.expr) {
                Expr::Str(known) => text.push_str(known),
                Expr::Binary { op: BinaryOp::Add, left, right } => work.extend([part(*right), part(*left)]),
                Expr::Except { value, .. } => work.push(part(*value)),
                Expr::If { condition, then, otherwise } => match self.static_bool(part(*condition)) {
                    Some(condition) => work.push(part(if condition { *then } else { *otherwise })),
                    None => return Text::Unknown,
                },
                Expr::Interpolated(inner) => work.push(part(*inner)),
                Expr::Var(_) => match self.static_definition(&at) {
                    Definition::At(definition) => work.push(definition),
                    Definition::Open => return Text::Open,
                    Definition::Unknown => return Text::Unknown,
                },
                _ => return Text::Unknown,
            }
        }
        Text::Known(text.into())
    }

    /// The expression that a variable stands for, outside loops.
    fn static_definition(&self, at: &At) -> Definition {
        let Some(reference) = self.scoped.expr_ref(at.module, at.expr) else { return Definition::Unknown };
        let Target::Def(def) = reference.target else { return Definition::Unknown };
        let def = self.scoped.def(def);
        if self.is_iterated(def.scope) || def.broken {
            return Definition::Unknown;
        }
        let mut path = self.path_to(&at.path, &reference.via, self.homes[def.scope.index()]);
        let module = self.scoped.scope(def.scope).module;
        match def.kind {
            DefKind::Bind { stmt } => match self.scoped.ast(module).stmt(stmt) {
                Stmt::Bind { value, .. } => Definition::At(At { module, expr: *value, path: path.into() }),
                _ => Definition::Unknown,
            },
            DefKind::Param { index } if matches!(self.scoped.scope(def.scope).kind, ScopeKind::Class(_)) => {
                let Some(slot) = path.pop() else { return Definition::Open };
                let include = self.scoped.slot(slot);
                let module = self.scoped.scope(include.scope).module;
                match self.scoped.ast(module).stmt(include.stmt) {
                    Stmt::Include { args: Some(args), .. } if !self.is_iterated(include.scope) => {
                        match args.get(index as usize) {
                            Some(arg) => Definition::At(At { module, expr: *arg, path: path.into() }),
                            None => Definition::Unknown,
                        }
                    }
                    _ => Definition::Unknown,
                }
            }
            DefKind::Param { .. } | DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Unknown => {
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

    fn static_bool(&self, mut at: At) -> Option<bool> {
        let mut negated = false;
        for _ in 0..MAX_STEPS {
            match self.scoped.ast(at.module).expr(at.expr) {
                Expr::Bool(value) => return Some(*value != negated),
                Expr::Unary { op: UnaryOp::Not, operand } => {
                    negated = !negated;
                    at.expr = *operand;
                }
                Expr::Var(_) => match self.static_definition(&at) {
                    Definition::At(definition) => at = definition,
                    Definition::Open | Definition::Unknown => return None,
                },
                _ => return None,
            }
        }
        None
    }
}

/// An expression in the instance that a path leads to.
#[derive(Clone)]
struct At {
    module: ModuleId,
    expr: ExprId,
    path: Rc<[SlotId]>,
}

/// What a variable stands for.
enum Definition {
    At(At),
    /// The argument of an include that is not known here: the code is in the body of the class.
    Open,
    Unknown,
}
