//! The shape of a resource name, from the syntax alone (spec 02 §7.1).
//!
//! A resource name is a string or a list of strings, and mgmt decides which of the two before it solves types. So this is
//! part of the language: `test "a" + "b" {}` expects a list, although the sum is a string.

use std::rc::Rc;

use mcl_parser::ast::{self, Expr, ExprId, TypeExpr};

use crate::builtin;
use crate::infer::Inference;
use crate::scoped::{
    DefId, DefKind, ExprInfo, InstanceId, InstanceKind, ModuleId, Reference, ScopeId, ScopeKind, Target,
};
use crate::solver::obligation::NameShape;
use crate::typed::TypeId;

/// Returns the shape of an expression that has one of two shapes.
fn either(first: NameShape, second: NameShape) -> NameShape {
    match (first, second) {
        (NameShape::Unknown, known) | (known, NameShape::Unknown) => known,
        (NameShape::FromParams(a), NameShape::FromParams(b)) => {
            NameShape::FromParams(a.iter().chain(b.iter()).copied().collect())
        }
        (NameShape::FromParams(_), known) | (known, _) => known,
    }
}

impl Inference<'_> {
    /// Returns the shape of an expression.
    pub(crate) fn syntactic_shape(&self, module: ModuleId, expr: ExprId) -> NameShape {
        let ast = self.scoped.ast(module);
        match ast.expr(expr) {
            Expr::Str(_) | Expr::Concat(_) | Expr::Interpolated(_) => NameShape::Str,
            Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => NameShape::Other,
            Expr::List(items) => {
                let mut shapes = ast.list(*items).iter().map(|item| self.syntactic_shape(module, *item));
                match shapes.next() {
                    None => NameShape::Unknown,
                    Some(NameShape::Str) if shapes.all(|item| item == NameShape::Str) => NameShape::StrList,
                    Some(NameShape::Unknown | NameShape::FromParams(_)) => NameShape::Unknown,
                    Some(NameShape::Str | NameShape::StrList | NameShape::Other) => NameShape::Other,
                }
            }
            Expr::Map(_) | Expr::Struct(_) => NameShape::Other,
            Expr::Var(_) => match self.scoped.module(module).exprs.get(expr) {
                ExprInfo::Ref(reference) => self.shape_of_reference(self.scoped.reference(reference)),
                ExprInfo::None | ExprInfo::Function(_) | ExprInfo::Unresolved => NameShape::Unknown,
            },
            Expr::If { then, otherwise, .. } => {
                either(self.syntactic_shape(module, *then), self.syntactic_shape(module, *otherwise))
            }
            Expr::Except { value, fallback } => {
                either(self.syntactic_shape(module, *value), self.syntactic_shape(module, *fallback))
            }
            Expr::CallLambda { lambda, .. } => match ast.expr(*lambda) {
                Expr::Func(lambda) if lambda.params.iter().all(|param| param.ty.is_some()) => {
                    match lambda.result.expand() {
                        Some(ty) => self.annotated_shape(module, ty),
                        None => self.syntactic_shape(module, lambda.body),
                    }
                }
                _ => NameShape::Unknown,
            },
            Expr::Error
            | Expr::Call { .. }
            | Expr::CallVar { .. }
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Index { .. }
            | Expr::Field { .. }
            | Expr::FieldOr { .. }
            | Expr::Paren(_) => NameShape::Unknown,
        }
    }

    /// Returns the shape of an annotation.
    pub(crate) fn annotated_shape(&self, module: ModuleId, ty: ast::TypeId) -> NameShape {
        let ast = self.scoped.ast(module);
        match ast.ty(ty) {
            TypeExpr::Str => NameShape::Str,
            TypeExpr::List(element) if *ast.ty(*element) == TypeExpr::Str => NameShape::StrList,
            _ => NameShape::Other,
        }
    }

    fn shape_of_reference(&self, reference: Reference<'_>) -> NameShape {
        let shape = match reference.target {
            Target::Function(_) => return NameShape::Unknown,
            Target::Variable(name) => {
                let is_str =
                    builtin::variable(self.scoped.builtin(name)).is_some_and(|variable| variable.ty == TypeId::STR);
                return if is_str { NameShape::Str } else { NameShape::Other };
            }
            Target::Def(def) => self.shape_of_def(def),
        };
        self.shape_through(shape, reference.path)
    }

    /// Converts the shape of an expression in the instance at the end of a path to one as seen from its beginning.
    pub(crate) fn shape_through(&self, mut shape: NameShape, path: &[InstanceId]) -> NameShape {
        let mut work: Vec<InstanceId> = path.to_vec();
        while let Some(instance) = work.pop() {
            if let (NameShape::FromParams(_), Some(scope)) = (&shape, self.scoped.instance_scope(instance)) {
                let arguments = self.shapes.arguments.get(&instance).map_or(&[][..], |shapes| shapes);
                shape = self.shape_for(&shape, scope, arguments);
                if let InstanceKind::Class(reference) = self.scoped.instance(instance).kind {
                    work.extend(self.scoped.reference(reference).path);
                }
            }
        }
        shape
    }

    fn shape_of_def(&self, def: DefId) -> NameShape {
        let scope = self.scoped.def(def).scope;
        match self.scoped.def(def).kind {
            DefKind::Bind { .. } => self.shapes.bindings.get(&def).cloned().unwrap_or_default(),
            DefKind::Param { index } => match self.scoped.scope(scope).kind {
                // An annotation of a class parameter does not determine the shape of its argument (spec 02 §5.9).
                ScopeKind::Class(_) => NameShape::FromParams(Rc::from([def])),
                ScopeKind::Function(func) => {
                    let module = self.scoped.scope(scope).module;
                    match self.scoped.ast(module).expr(func) {
                        Expr::Func(lambda) => match lambda.params.get(index as usize).and_then(|param| param.ty) {
                            Some(ty) => self.annotated_shape(module, ty),
                            None => NameShape::Unknown,
                        },
                        _ => NameShape::Unknown,
                    }
                }
                ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => NameShape::Unknown,
            },
            DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => NameShape::Unknown,
        }
    }

    /// Returns the shape for one include of the class with the body `scope`, given those of the arguments.
    pub(crate) fn shape_for(&self, shape: &NameShape, scope: ScopeId, arguments: &[NameShape]) -> NameShape {
        let NameShape::FromParams(params) = shape else { return shape.clone() };
        params.iter().fold(NameShape::Unknown, |sum, param| {
            let def = self.scoped.def(*param);
            let one = match def.kind {
                DefKind::Param { index } if def.scope == scope => {
                    arguments.get(index as usize).cloned().unwrap_or_default()
                }
                _ => NameShape::FromParams(Rc::from([*param])),
            };
            either(sum, one)
        })
    }
}
