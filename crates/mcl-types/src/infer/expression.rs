//! Typing of expressions, bottom-up (spec 02 §5.2).

use std::rc::Rc;

use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, BinaryOp, Expr, ExprId, ExprList, Lambda, Stmt, StructEntry, TypeExpr, TypeId, UnaryOp};
use mcl_parser::is_invalid_key;
use smallvec::{SmallVec, smallvec};

use crate::builtin;
use crate::infer::Inference;
use crate::infer::error::InferError;
use crate::infer::expectation::Expectation;
use crate::scoped::{DefId, DefKind, ExprInfo, ModuleId, Reference, ScopeId, ScopeKind, Target};
use crate::solver::constraint::{ConstraintKind, TypeKinds};
use crate::solver::types::{Node, Ty};
use crate::typed;
use crate::walk;

impl Inference<'_> {
    /// Types an expression and its subexpressions.
    pub(crate) fn infer(&mut self, module: ModuleId, root: ExprId) -> Ty {
        let scoped = self.scoped;
        let ast = scoped.ast(module);
        if is_leaf(ast.expr(root)) {
            let ty = self.infer_one(module, ast, root);
            self.set_expr_type(module, root, ty);
            return ty;
        }
        // Reversed, this is post-order: subexpressions first, from left to right.
        let mut order: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut work: SmallVec<[ExprId; 16]> = smallvec![root];
        while let Some(expr) = work.pop() {
            order.push(expr);
            walk::subexpressions(ast, ast.expr(expr), |part| work.push(part));
        }
        for expr in order.into_iter().rev() {
            let ty = self.infer_one(module, ast, expr);
            self.set_expr_type(module, expr, ty);
        }
        self.expr_type(module, root)
    }

    /// Types an expression whose subexpressions are typed.
    fn infer_one(&mut self, module: ModuleId, ast: &Ast, expr: ExprId) -> Ty {
        let span = ast.expr_span(expr);
        match ast.expr(expr) {
            Expr::Error => Ty::ERROR,
            Expr::Bool(_) => self.solver.types.add(Node::Bool, span),
            Expr::Int(_) => self.solver.types.add(Node::Int, span),
            Expr::Float(_) => self.solver.types.add(Node::Float, span),
            Expr::Str(_) => self.solver.types.add(Node::Str, span),
            Expr::Concat(items) => {
                let string = self.solver.types.add(Node::Str, span);
                for item in ast.list(*items) {
                    self.expect_string(module, ast, *item, string, span);
                }
                string
            }
            Expr::Interpolated(inner) => self.infer_interpolated(module, ast, *inner, span),
            Expr::Paren(inner) => self.expr_type(module, *inner),
            Expr::List(items) => self.infer_list(module, ast, ast.list(*items), span),
            Expr::Map(pairs) => self.infer_map(module, ast, *pairs, span),
            Expr::Struct(literal) => {
                let typed =
                    |field: &StructEntry| (self.field_name(module, field.name), self.expr_type(module, field.value));
                let fields = literal.fields.iter().map(typed).collect();
                self.solver.types.add(Node::Struct(fields), span)
            }
            Expr::Func(lambda) => match self.scoped.module(module).exprs.get(expr) {
                ExprInfo::Function(scope) => self.infer_lambda(module, ast, lambda, scope, span),
                ExprInfo::None | ExprInfo::Ref(_) | ExprInfo::Unresolved => Ty::ERROR,
            },
            Expr::Var(_) => {
                let reference = self.scoped.expr_ref(module, expr);
                reference.map_or(Ty::ERROR, |reference| self.reference_type(reference, span))
            }
            Expr::Call { name, args } => match self.scoped.expr_ref(module, expr) {
                Some(reference) => self.call_named(module, expr, ast.name(*name), reference, ast.list(*args)),
                None => self.call_unresolved(module, ast.list(*args)),
            },
            Expr::CallVar { name, args } => match self.scoped.expr_ref(module, expr) {
                Some(reference) => {
                    let (callee, name) = (self.reference_type(reference, span), format!("${}", ast.name(*name)));
                    self.call_value(module, callee, &name, ast.list(*args), span)
                }
                None => self.call_unresolved(module, ast.list(*args)),
            },
            Expr::CallLambda { lambda, args } => {
                let callee = self.expr_type(module, *lambda);
                self.call_value(module, callee, "the function", ast.list(*args), span)
            }
            Expr::If { condition, then, otherwise } => {
                self.expect_condition(module, *condition, ast.expr_span(*condition));
                self.expect_same(module, ast, *then, *otherwise, &Expectation::Branch)
            }
            Expr::Except { value, fallback } => {
                self.expect_same(module, ast, *value, *fallback, &Expectation::Fallback)
            }
            Expr::Unary { op: UnaryOp::Not, operand } => {
                let operand = self.expr_type(module, *operand);
                let bool = self.solver.types.add(Node::Bool, span);
                if self.expect(bool, operand, span, &Expectation::Negation) { bool } else { Ty::ERROR }
            }
            Expr::Binary { op, left, right } => self.infer_binary(module, ast, *op, *left, *right, span),
            Expr::Index { base, index } => {
                let (base, index) = (self.expr_type(module, *base), self.expr_type(module, *index));
                let result = self.solver.fresh_var(span);
                self.require(ConstraintKind::Index { base, index, result }, span);
                self.solver.types.resolve(result)
            }
            Expr::Field { base, field } => {
                let base = self.expr_type(module, *base);
                let result = self.solver.fresh_var(span);
                let field = self.field_name(module, *field);
                self.require(ConstraintKind::Field { base, field, result }, span);
                self.solver.types.resolve(result)
            }
            Expr::FieldOr { base, field, default } => {
                let (base, result) = (self.expr_type(module, *base), self.expr_type(module, *default));
                let field = self.field_name(module, *field);
                self.require(ConstraintKind::FieldOr { base, field, result }, span);
                result
            }
        }
    }

    /// Types a string that is one interpolation.
    fn infer_interpolated(&mut self, module: ModuleId, ast: &Ast, inner: ExprId, span: Span) -> Ty {
        let string = self.solver.types.add(Node::Str, span);
        if self.expect_string(module, ast, inner, string, span) { string } else { Ty::ERROR }
    }

    /// Requires two typed expressions to have one type, which is returned; a mismatch is reported at the second one.
    fn expect_same(
        &mut self,
        module: ModuleId,
        ast: &Ast,
        first: ExprId,
        second: ExprId,
        expectation: &Expectation<'_>,
    ) -> Ty {
        let (expected, found) = (self.expr_type(module, first), self.expr_type(module, second));
        if self.expect(expected, found, ast.expr_span(second), expectation) { expected } else { Ty::ERROR }
    }

    /// Requires a typed condition to be a `bool`; a mismatch is reported at `span`.
    pub(crate) fn expect_condition(&mut self, module: ModuleId, condition: ExprId, span: Span) {
        let found = self.expr_type(module, condition);
        self.expect_primitive(Node::Bool, found, span, &Expectation::Condition);
    }

    fn expect_string(&mut self, module: ModuleId, ast: &Ast, part: ExprId, string: Ty, span: Span) -> bool {
        let found = self.expr_type(module, part);
        let variable = match ast.expr(part) {
            Expr::Var(name) => ast.name(*name),
            _ => "",
        };
        self.expect(string, found, span, &Expectation::Interpolation { variable })
    }

    fn infer_list(&mut self, module: ModuleId, ast: &Ast, items: &[ExprId], span: Span) -> Ty {
        let Some((first, rest)) = items.split_first() else {
            let element = self.solver.fresh_var(span);
            return self.solver.types.add(Node::List(element), span);
        };
        let element = self.expr_type(module, *first);
        let expectation = Expectation::ListElement { first: ast.expr_span(*first) };
        let mut fits = true;
        for item in rest {
            let ty = self.expr_type(module, *item);
            // One element of a wrong type is enough.
            fits = if fits {
                self.expect(element, ty, ast.expr_span(*item), &expectation)
            } else {
                self.solver.types.poison(ty);
                false
            };
        }
        self.solve();
        if fits { self.solver.types.add(Node::List(element), span) } else { Ty::ERROR }
    }

    fn infer_map(&mut self, module: ModuleId, ast: &Ast, pairs: ExprList, span: Span) -> Ty {
        let mut pairs = ast.pairs(pairs);
        let Some((key, value)) = pairs.next() else {
            let (key, value) = (self.solver.fresh_var(span), self.solver.fresh_var(span));
            return self.solver.types.add(Node::Map(key, value), span);
        };
        let (key_type, value_type) = (self.expr_type(module, key), self.expr_type(module, value));
        let key_expectation = Expectation::MapKey { first: ast.expr_span(key) };
        let value_expectation = Expectation::MapValue { first: ast.expr_span(value) };
        // A literal of an invalid type was reported by the init stage (E0303).
        let is_reported = is_invalid_key(ast, key);
        if is_reported {
            self.solver.types.poison(key_type);
        }
        let (mut keys_fit, mut values_fit) = (!is_reported, true);
        for (other_key, other_value) in pairs {
            let ty = self.expr_type(module, other_key);
            if !keys_fit {
                self.solver.types.poison(ty);
            }
            // Literals of different types were reported by the init stage.
            keys_fit = keys_fit
                && !are_different_literals(ast.expr(key), ast.expr(other_key))
                && self.expect(key_type, ty, ast.expr_span(other_key), &key_expectation);
            let ty = self.expr_type(module, other_value);
            if !values_fit {
                self.solver.types.poison(ty);
            }
            values_fit = values_fit && self.expect(value_type, ty, ast.expr_span(other_value), &value_expectation);
        }
        self.solve();
        if !is_reported {
            self.require(ConstraintKind::Hashable { ty: key_type }, span);
        }
        if keys_fit && values_fit { self.solver.types.add(Node::Map(key_type, value_type), span) } else { Ty::ERROR }
    }

    /// Types a call of a name that does not exist. That was reported, so nothing more is reported about its arguments.
    pub(crate) fn call_unresolved(&mut self, module: ModuleId, args: &[ExprId]) -> Ty {
        for arg in args {
            let ty = self.expr_type(module, *arg);
            self.solver.types.poison(ty);
        }
        Ty::ERROR
    }

    /// Types a function whose body is typed.
    pub(crate) fn infer_lambda(
        &mut self,
        module: ModuleId,
        ast: &Ast,
        lambda: &Lambda,
        scope: ScopeId,
        span: Span,
    ) -> Ty {
        let params: Rc<[Ty]> = self.scoped.scope(scope).params.iter().map(|param| self.def_type(*param)).collect();
        let body = self.expr_type(module, lambda.body);
        let result = match lambda.result.expand() {
            None => body,
            Some(written) => {
                let annotated = self.annotation(module, written);
                self.expect(annotated, body, ast.expr_span(lambda.body), &Expectation::FunctionResult);
                annotated
            }
        };
        self.solver.types.add(Node::Func(params, result), span)
    }

    fn infer_binary(
        &mut self,
        module: ModuleId,
        ast: &Ast,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Ty {
        let (a, b) = (self.expr_type(module, left), self.expr_type(module, right));
        let operator = op.symbol();
        let operands = [ast.expr_span(left), ast.expr_span(right)];
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let bool = self.solver.types.add(Node::Bool, span);
                let mut fits = true;
                for (operand, ty) in operands.into_iter().zip([a, b]) {
                    // If neither operand fits, the operator is wrong.
                    fits = if fits {
                        self.expect(bool, ty, span, &Expectation::LogicalOperand { operator, operand })
                    } else {
                        self.solver.types.poison(ty);
                        false
                    };
                }
                if fits { bool } else { Ty::ERROR }
            }
            BinaryOp::In => {
                if [a, b].into_iter().any(|ty| self.solver.types.resolve(ty) == Ty::ERROR) {
                    return self.call_unresolved(module, &[left, right]);
                }
                let list = self.solver.types.add(Node::List(a), span);
                let fits = self.expect(list, b, span, &Expectation::Membership);
                if fits { self.solver.types.add(Node::Bool, span) } else { Ty::ERROR }
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Gt
            | BinaryOp::Le
            | BinaryOp::Ge => {
                let result = self.solver.types.unify(a, b);
                if let Err(mismatch) = result {
                    self.report_operands(mismatch, operator, operands, span);
                }
                self.solve();
                if result.is_err() {
                    return Ty::ERROR;
                }
                let constraint = match op {
                    BinaryOp::Eq | BinaryOp::Ne => ConstraintKind::Comparable { ty: a, operator },
                    BinaryOp::Add => ConstraintKind::OneOf { ty: a, kinds: TypeKinds::ADDABLE, operation: operator },
                    _ => ConstraintKind::OneOf { ty: a, kinds: TypeKinds::NUMBERS, operation: operator },
                };
                if !self.require(constraint, span) {
                    return Ty::ERROR;
                }
                match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => a,
                    BinaryOp::Div => self.solver.types.add(Node::Float, span),
                    _ => self.solver.types.add(Node::Bool, span),
                }
            }
        }
    }

    /// Returns the type of the variable that a reference at `span` refers to.
    fn reference_type(&mut self, reference: Reference<'_>, span: Span) -> Ty {
        match reference.target {
            Target::Function(_) => Ty::ERROR,
            Target::Variable(name) => {
                let node = match builtin::variable(self.scoped.builtin(name)).map(|variable| variable.ty) {
                    Some(typed::TypeId::STR) => Node::Str,
                    Some(typed::TypeId::INT) => Node::Int,
                    _ => Node::Error,
                };
                self.solver.types.add(node, span)
            }
            Target::Def(def) => {
                let ty = self.def_type(def);
                self.use_definition(reference.path, def);
                if reference.path.is_empty() {
                    self.abstracted(ty)
                } else {
                    let mut instantiation = self.instantiation(None, reference.path);
                    self.instantiate(&mut instantiation, ty)
                }
            }
        }
    }

    /// Returns the type of a definition. Bindings, functions and the parameters of generic scopes are typed before they are
    /// used; the parameters of lambdas get a type here.
    pub(crate) fn def_type(&mut self, def: DefId) -> Ty {
        if let Some(known) = self.inferred.defs[def].expand() {
            return known;
        }
        let scoped = self.scoped;
        let definition = scoped.def(def);
        let ty = match definition.kind {
            DefKind::Param { index } => self.param_type(definition.scope, index as usize, scoped.def_span(def)),
            // In a cycle of definitions, or in a statement with a syntax error: reported.
            DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => Ty::ERROR,
        };
        self.inferred.defs[def] = ty.into();
        ty
    }

    fn param_type(&mut self, scope: ScopeId, index: usize, span: Span) -> Ty {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        let ast = scoped.ast(module);
        let written = match scoped.scope(scope).kind {
            ScopeKind::Function(func) => match ast.expr(func) {
                Expr::Func(lambda) => lambda.params.get(index).and_then(|param| param.ty),
                _ => None,
            },
            ScopeKind::Class(class) => match scoped.def(class).kind {
                DefKind::Class { stmt, .. } => match ast.stmt(stmt) {
                    Stmt::Class(class) => class.params.iter().flatten().nth(index).and_then(|param| param.ty),
                    _ => None,
                },
                _ => None,
            },
            ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => None,
        };
        match written {
            Some(written) => self.annotation(module, written),
            None => self.solver.fresh_var(span),
        }
    }

    /// Returns an annotated type.
    pub(crate) fn annotation(&mut self, module: ModuleId, written: TypeId) -> Ty {
        let scoped = self.scoped;
        let ast = scoped.ast(module);
        let span = ast.ty_span(written);
        let node = match ast.ty(written) {
            TypeExpr::Error => Node::Error,
            TypeExpr::Bool => Node::Bool,
            TypeExpr::Str => Node::Str,
            TypeExpr::Int => Node::Int,
            TypeExpr::Float => Node::Float,
            TypeExpr::Variant => {
                self.report(InferError::Variant { written: span });
                return Ty::ERROR;
            }
            TypeExpr::List(element) => Node::List(self.annotation(module, *element)),
            TypeExpr::Map(key, value) => {
                let key_span = ast.ty_span(*key);
                let (key, value) = (self.annotation(module, *key), self.annotation(module, *value));
                if self.require(ConstraintKind::Hashable { ty: key }, key_span) {
                    Node::Map(key, value)
                } else {
                    Node::Error
                }
            }
            TypeExpr::Struct(fields) => Node::Struct(
                fields
                    .iter()
                    .map(|(name, ty)| (self.field_name(module, *name), self.annotation(module, *ty)))
                    .collect(),
            ),
            TypeExpr::Func(args, result) => {
                let args = args.iter().map(|(_, ty)| self.annotation(module, *ty)).collect();
                Node::Func(args, self.annotation(module, *result))
            }
        };
        self.solver.types.add(node, span)
    }
}

/// Returns whether an expression has no subexpressions.
fn is_leaf(expr: &Expr) -> bool {
    matches!(expr, Expr::Error | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) | Expr::Var(_))
}

/// Returns whether two expressions are literals of different types.
fn are_different_literals(a: &Expr, b: &Expr) -> bool {
    let is_literal = |expr: &Expr| matches!(expr, Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_));
    is_literal(a) && is_literal(b) && std::mem::discriminant(a) != std::mem::discriminant(b)
}
