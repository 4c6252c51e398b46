//! Typing expressions, bottom-up.

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, Span};
use mcl_parser::ast::{Ast, BinaryOp, Expr, ExprId, Lambda, TypeExpr, TypeId, UnaryOp};

use super::Unifier;
use super::condition::{Kinds, What};
use super::report::{error, variant};
use super::types::{Node, Ty};
use crate::scoped::{DefId, DefKind, ExprInfo, ModuleId, Reference, ScopeId, Target};
use crate::walk;

impl Unifier<'_> {
    /// Types an expression and everything in it.
    pub(super) fn infer(&mut self, module: ModuleId, root: ExprId) -> Ty {
        let scoped = self.scoped;
        let ast = scoped.ast(module);
        // Each expression before its parts, parts from right to left; reversed, that is parts first, from left to right.
        let mut order = Vec::new();
        let mut work = vec![root];
        while let Some(expr) = work.pop() {
            order.push(expr);
            walk::parts(ast.expr(expr), |part| work.push(part));
        }
        for expr in order.into_iter().rev() {
            let ty = self.infer_one(module, ast, expr);
            self.set_expr(module, expr, ty);
        }
        self.expr_type(module, root)
    }

    /// Types an expression whose parts are typed.
    fn infer_one(&mut self, module: ModuleId, ast: &Ast, expr: ExprId) -> Ty {
        let span = ast.expr_span(expr);
        match ast.expr(expr) {
            Expr::Error => Ty::ERROR,
            Expr::Bool(_) => self.types.add(Node::Bool, span),
            Expr::Int(_) => self.types.add(Node::Int, span),
            Expr::Float(_) => self.types.add(Node::Float, span),
            Expr::Str(_) => self.types.add(Node::Str, span),
            Expr::Concat(items) => {
                let text = self.types.add(Node::Str, span);
                for item in items {
                    self.expect_text(module, ast, *item, text, span);
                }
                text
            }
            Expr::Interpolated(inner) => {
                let text = self.types.add(Node::Str, span);
                if self.expect_text(module, ast, *inner, text, span) { text } else { Ty::ERROR }
            }
            Expr::Paren(inner) => self.expr_type(module, *inner),
            Expr::List(items) => self.infer_list(module, ast, items, span),
            Expr::Map(pairs) => self.infer_map(module, ast, pairs, span),
            Expr::Struct(fields) => {
                let fields = fields
                    .iter()
                    .map(|field| (Arc::clone(ast.name(field.name)), self.expr_type(module, field.value)))
                    .collect();
                self.types.add(Node::Struct(fields), span)
            }
            Expr::Func(lambda) => match self.scoped.module(module).exprs[expr.0 as usize] {
                ExprInfo::Function(scope) => self.infer_lambda(module, ast, lambda, scope, span),
                ExprInfo::None | ExprInfo::Ref(_) | ExprInfo::Unresolved => Ty::ERROR,
            },
            Expr::Var(_) => match self.scoped.expr_ref(module, expr) {
                Some(reference) => self.reference_type(reference),
                None => Ty::ERROR,
            },
            Expr::Call { name, args } => match self.scoped.expr_ref(module, expr) {
                Some(reference) => self.call_named(module, expr, ast.name(*name), reference, args),
                None => self.call_of_unknown(module, args),
            },
            Expr::CallVar { name, args } => match self.scoped.expr_ref(module, expr) {
                Some(reference) => {
                    let callee = self.reference_type(reference);
                    self.apply(module, callee, &format!("${}", ast.name(*name)), args, span)
                }
                None => self.call_of_unknown(module, args),
            },
            Expr::CallLambda { lambda, args } => {
                let callee = self.expr_type(module, *lambda);
                self.apply(module, callee, "the function", args, span)
            }
            Expr::If { condition, then, otherwise } => {
                self.expect_condition(module, *condition, ast.expr_span(*condition));
                let (first, second) = (self.expr_type(module, *then), self.expr_type(module, *otherwise));
                let at = ast.expr_span(*otherwise);
                let same = self.expect(first, second, at, |first, second| {
                    format!("both branches have one type, but the first is `{first}` and the second is `{second}`")
                });
                if same { first } else { Ty::ERROR }
            }
            Expr::Except { value, fallback } => {
                let (first, second) = (self.expr_type(module, *value), self.expr_type(module, *fallback));
                let at = ast.expr_span(*fallback);
                let same = self.expect(first, second, at, |first, second| {
                    format!("a fallback has the type of the value, which is `{first}`, but this is `{second}`")
                });
                if same { first } else { Ty::ERROR }
            }
            Expr::Unary { op: UnaryOp::Not, operand } => {
                let operand = self.expr_type(module, *operand);
                let bool = self.types.add(Node::Bool, span);
                self.expect(bool, operand, span, |_, found| format!("`not` takes `bool`, but this is `{found}`"));
                bool
            }
            Expr::Binary { op, left, right } => self.infer_binary(module, ast, *op, *left, *right, span),
            Expr::Index { base, index } => {
                let (base, index) = (self.expr_type(module, *base), self.expr_type(module, *index));
                let result = self.unknown(span);
                self.require(What::Index { base, index, result }, span);
                self.types.resolve(result)
            }
            Expr::Field { base, field } => {
                let base = self.expr_type(module, *base);
                let result = self.unknown(span);
                self.require(What::Field { base, field: Arc::clone(ast.name(*field)), result }, span);
                self.types.resolve(result)
            }
            Expr::FieldOr { base, field, default } => {
                let (base, result) = (self.expr_type(module, *base), self.expr_type(module, *default));
                self.require(What::FieldOr { base, field: Arc::clone(ast.name(*field)), result }, span);
                result
            }
        }
    }

    pub(super) fn expect_condition(&mut self, module: ModuleId, condition: ExprId, span: Span) {
        let found = self.expr_type(module, condition);
        let bool = self.types.add(Node::Bool, span);
        self.expect(bool, found, span, |_, found| format!("a condition must be `bool`, but this is `{found}`"));
    }

    fn expect_text(&mut self, module: ModuleId, ast: &Ast, part: ExprId, text: Ty, span: Span) -> bool {
        let found = self.expr_type(module, part);
        let name = match ast.expr(part) {
            Expr::Var(name) => ast.name(*name),
            _ => "",
        };
        let before = self.diagnostics.len();
        let fits = self.expect(text, found, span, |_, found| {
            format!("only `str` can be put into a string, but `${name}` is `{found}`")
        });
        let known = self.types.resolve(found);
        let verb = match self.types.node(known) {
            Node::Bool => "%t",
            Node::Int => "%d",
            Node::Float => "%f",
            _ => "%v",
        };
        if let [diagnostic] = &mut self.diagnostics[before..]
            && diagnostic.help.is_none()
        {
            diagnostic.help = Some(format!("make a text of it first: `fmt.printf(\"{verb}\", ${name})`"));
        }
        fits
    }

    fn infer_list(&mut self, module: ModuleId, ast: &Ast, items: &[ExprId], span: Span) -> Ty {
        let Some((first, rest)) = items.split_first() else {
            let element = self.unknown(span);
            return self.types.add(Node::List(element), span);
        };
        let element = self.expr_type(module, *first);
        let mut sound = true;
        for item in rest {
            let ty = self.expr_type(module, *item);
            if !sound {
                // One element of a wrong type is enough.
                self.types.taint(ty);
                continue;
            }
            let at = ast.expr_span(*item);
            let fits =
                self.expect_because(element, ty, at, Some((ast.expr_span(*first), "the first element")), |a, b| {
                    format!("the elements of a list have one type, here `{a}`, but this is `{b}`")
                });
            sound &= fits;
        }
        self.settle();
        if sound { self.types.add(Node::List(element), span) } else { Ty::ERROR }
    }

    fn infer_map(&mut self, module: ModuleId, ast: &Ast, pairs: &[(ExprId, ExprId)], span: Span) -> Ty {
        let Some(((key, value), rest)) = pairs.split_first() else {
            let (key, value) = (self.unknown(span), self.unknown(span));
            return self.types.add(Node::Map(key, value), span);
        };
        let (key_type, value_type) = (self.expr_type(module, *key), self.expr_type(module, *value));
        let (mut sound_keys, mut sound_values) = (true, true);
        for (other_key, other_value) in rest {
            let ty = self.expr_type(module, *other_key);
            let first = Some((ast.expr_span(*key), "the first key"));
            if !sound_keys {
                self.types.taint(ty);
            }
            // Literals of two types were reported by the init stage.
            sound_keys = sound_keys
                && !differing_literals(ast.expr(*key), ast.expr(*other_key))
                && self.expect_because(key_type, ty, ast.expr_span(*other_key), first, |a, b| {
                    format!("the keys of a map have one type, here `{a}`, but this is `{b}`")
                });
            let ty = self.expr_type(module, *other_value);
            let first = Some((ast.expr_span(*value), "the first value"));
            if !sound_values {
                self.types.taint(ty);
            }
            sound_values = sound_values
                && self.expect_because(value_type, ty, ast.expr_span(*other_value), first, |a, b| {
                    format!("the values of a map have one type, here `{a}`, but this is `{b}`")
                });
        }
        self.settle();
        let sound = sound_keys && sound_values;
        self.require(What::Hashable { ty: key_type }, span);
        if sound { self.types.add(Node::Map(key_type, value_type), span) } else { Ty::ERROR }
    }

    /// A call of a name that does not exist, which was reported: what its arguments leave open follows from that.
    fn call_of_unknown(&mut self, module: ModuleId, args: &[ExprId]) -> Ty {
        for arg in args {
            let ty = self.expr_type(module, *arg);
            self.types.taint(ty);
        }
        Ty::ERROR
    }

    /// A function whose body is typed.
    pub(super) fn infer_lambda(
        &mut self,
        module: ModuleId,
        ast: &Ast,
        lambda: &Lambda,
        scope: ScopeId,
        span: Span,
    ) -> Ty {
        let params: Rc<[Ty]> = self.scoped.scope(scope).params.iter().map(|param| self.def_type(*param)).collect();
        let body = self.expr_type(module, lambda.body);
        let result = match lambda.result {
            None => body,
            Some(written) => {
                let annotated = self.annotation(module, written);
                self.expect(annotated, body, ast.expr_span(lambda.body), |expected, found| {
                    format!("the function is declared to give `{expected}`, but its body is `{found}`")
                });
                annotated
            }
        };
        self.types.add(Node::Func(params, result), span)
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
        let who = op.symbol();
        let places = [(ast.expr_span(left), a), (ast.expr_span(right), b)];
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let bool = self.types.add(Node::Bool, span);
                for (at, ty) in places {
                    let place = Some((at, "this side"));
                    self.expect_because(bool, ty, span, place, |_, found| {
                        format!("`{who}` takes `bool` on both sides, but one is `{found}`")
                    });
                }
                bool
            }
            BinaryOp::In => {
                let list = self.types.add(Node::List(a), span);
                self.expect(list, b, span, |list, found| {
                    format!("`in` looks for a `{}` in a list of it, but the right side is `{found}`", &list[2..])
                });
                self.types.add(Node::Bool, span)
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
                if !self.expect_operands(a, b, places, who, span) {
                    return Ty::ERROR;
                }
                let before = self.diagnostics.len();
                let what = match op {
                    BinaryOp::Eq | BinaryOp::Ne => What::Comparable { ty: a, who },
                    BinaryOp::Add => What::OneOf { ty: a, kinds: Kinds::ADDABLE, who },
                    _ => What::OneOf { ty: a, kinds: Kinds::NUMBERS, who },
                };
                self.require(what, span);
                match op {
                    _ if self.diagnostics.len() > before => Ty::ERROR,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => a,
                    BinaryOp::Div => self.types.add(Node::Float, span),
                    _ => self.types.add(Node::Bool, span),
                }
            }
        }
    }

    /// Both operands have one type; the operator is to blame if not.
    fn expect_operands(&mut self, a: Ty, b: Ty, places: [(Span, Ty); 2], who: &str, span: Span) -> bool {
        let Err(clash) = self.types.unify(a, b) else {
            self.settle();
            return true;
        };
        let (left, right) = (self.text(a), self.text(b));
        let message =
            format!("both sides of `{who}` have one type, but the left is `{left}` and the right is `{right}`");
        let mut diagnostic = error(Code::E0702, message).at(span);
        for ((at, _), text) in places.into_iter().zip([left, right]) {
            diagnostic = diagnostic.label(at, format!("this is `{text}`"));
        }
        let origins = [self.types.origin(clash.expected), self.types.origin(clash.found)];
        for (origin, ty) in origins.into_iter().zip([clash.expected, clash.found]) {
            if places.iter().all(|(place, _)| *place != origin) && origin != span {
                let text = self.text(ty);
                diagnostic = diagnostic.label(origin, format!("`{text}` comes from here"));
            }
        }
        self.report(diagnostic);
        self.settle();
        false
    }

    /// The type of what a variable refers to.
    pub(super) fn reference_type(&mut self, reference: &Reference) -> Ty {
        match &reference.target {
            Target::Function(_) => Ty::ERROR,
            Target::Variable(name) => {
                let node = match crate::builtin::variable(name).map(|variable| variable.ty) {
                    Some(crate::typed::TypeId::STR) => Node::Str,
                    Some(crate::typed::TypeId::INT) => Node::Int,
                    _ => Node::Error,
                };
                let nowhere = self.types.origin(Ty::NONE);
                self.types.add(node, nowhere)
            }
            Target::Def(def) => {
                let ty = self.def_type(*def);
                self.use_definition(&reference.via, *def);
                if reference.via.is_empty() {
                    self.localized(ty)
                } else {
                    let mut copy = self.copy_of(None, &reference.via);
                    self.copied(&mut copy, ty)
                }
            }
        }
    }

    /// The type of a definition. Binds, functions and the parameters of generic scopes are typed before they are used;
    /// parameters of lambdas begin as unknown here.
    pub(super) fn def_type(&mut self, def: DefId) -> Ty {
        let known = self.defs[def.index()];
        if known != Ty::NONE {
            return known;
        }
        let scoped = self.scoped;
        let it = scoped.def(def);
        let ty = match it.kind {
            DefKind::Param { index } => self.param_type(it.scope, index as usize, it.span),
            // In a circle of definitions, or of no known form: reported.
            DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Unknown => Ty::ERROR,
        };
        self.defs[def.index()] = ty;
        ty
    }

    fn param_type(&mut self, scope: ScopeId, index: usize, span: Span) -> Ty {
        use crate::scoped::ScopeKind;
        use mcl_parser::ast::Stmt;
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
                    Stmt::Class { params, .. } => params.iter().flatten().nth(index).and_then(|param| param.ty),
                    _ => None,
                },
                _ => None,
            },
            ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => None,
        };
        match written {
            Some(written) => self.annotation(module, written),
            None => self.unknown(span),
        }
    }

    /// A written type.
    pub(super) fn annotation(&mut self, module: ModuleId, written: TypeId) -> Ty {
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
                self.report(variant(span));
                return Ty::ERROR;
            }
            TypeExpr::List(element) => Node::List(self.annotation(module, *element)),
            TypeExpr::Map(key, value) => {
                let (key, value) = (self.annotation(module, *key), self.annotation(module, *value));
                Node::Map(key, value)
            }
            TypeExpr::Struct(fields) => Node::Struct(
                fields.iter().map(|(name, ty)| (Arc::clone(ast.name(*name)), self.annotation(module, *ty))).collect(),
            ),
            TypeExpr::Func(args, result) => {
                let args = args.iter().map(|(_, ty)| self.annotation(module, *ty)).collect();
                Node::Func(args, self.annotation(module, *result))
            }
        };
        self.types.add(node, span)
    }
}

/// Whether two keys are literals of two types.
const fn differing_literals(a: &Expr, b: &Expr) -> bool {
    const fn sort(expr: &Expr) -> u8 {
        match expr {
            Expr::Bool(_) => 1,
            Expr::Int(_) => 2,
            Expr::Float(_) => 3,
            Expr::Str(_) => 4,
            _ => 0,
        }
    }
    sort(a) != 0 && sort(b) != 0 && sort(a) != sort(b)
}
