//! Lowering of expressions (spec 04 §1.5-1.7).

use mcl_artifact::program::{Closure, Op, Operand};
use mcl_diagnostics::Span;
use mcl_parser::ast::{Expr, ExprId, Stmt, StructEntry};
use mcl_types::{DefId, DefKind, ExprInfo, InstanceId, InstanceKind, ScopeId, Target, TypeId};

use crate::{
    Stop,
    builder::{BuilderId, as_const},
    builtin,
    emit::Health,
    frames::{FrameId, Memo},
    lower::{FunctionKey, Lowering, Place, Task},
};

/// From so many texts on, a sum is joined pair by pair.
const LONG_SUM: usize = 64;

impl Lowering<'_> {
    /// Leaves the value of an expression, or asks for those of its parts first.
    pub(crate) fn expr(&mut self, place: Place, expr: ExprId) -> Result<(), Stop> {
        let pool = &mut self.emitter.pool;
        match self.frames.ast(place.frame).expr(expr) {
            Expr::Error => return Err(Stop::Broken("an expression has errors")),
            Expr::Bool(value) => self.operands.push(Operand::Const(pool.bool(*value))),
            Expr::Int(value) => self.operands.push(Operand::Const(pool.int(*value))),
            Expr::Float(value) => self.operands.push(Operand::Const(pool.float(*value))),
            Expr::Str(value) => self.operands.push(Operand::Const(pool.str(value.clone()))),
            Expr::Interpolated(inner) | Expr::Paren(inner) => self.tasks.push(Task::Expr(place, *inner)),
            Expr::Var(_) => self.tasks.push(Task::Variable(place, expr)),
            Expr::Func(_) => return self.lambda(place, expr),
            Expr::If { condition, .. } => {
                self.tasks.push(Task::IfBranches(place, expr));
                self.tasks.push(Task::Expr(place, *condition));
            }
            Expr::Except { value, .. } => {
                self.tasks.push(Task::ExceptFallback(place, expr));
                self.tasks.push(Task::Expr(place, *value));
            }
            Expr::CallVar { args, .. } => {
                self.tasks.push(Task::Apply(place, expr));
                self.tasks.push(Task::Variable(place, expr));
                self.ask(place, args.iter().copied());
            }
            Expr::CallLambda { lambda, args } => {
                self.tasks.push(Task::Apply(place, expr));
                self.ask(place, args.iter().chain([lambda]).copied());
            }
            Expr::Concat(parts) | Expr::List(parts) | Expr::Call { args: parts, .. } => {
                self.tasks.push(Task::Apply(place, expr));
                self.ask(place, parts.iter().copied());
            }
            Expr::Map(pairs) => {
                self.tasks.push(Task::Apply(place, expr));
                self.ask(place, pairs.iter().flat_map(|(key, value)| [*key, *value]));
            }
            Expr::Struct(fields) => {
                self.tasks.push(Task::Apply(place, expr));
                self.ask(place, fields.iter().map(|field| field.value));
            }
            Expr::Unary { operand, .. } | Expr::Field { base: operand, .. } => {
                self.tasks.push(Task::Apply(place, expr));
                self.tasks.push(Task::Expr(place, *operand));
            }
            Expr::Binary { left, right, .. } => {
                self.tasks.push(Task::Apply(place, expr));
                match self.long_sum(place, expr) {
                    Some(terms) => self.ask(place, terms.into_iter()),
                    None => self.ask(place, [*left, *right].into_iter()),
                }
            }
            Expr::Index { base, index } => {
                self.tasks.push(Task::Apply(place, expr));
                self.ask(place, [*base, *index].into_iter());
            }
            Expr::FieldOr { base, default, .. } => {
                self.tasks.push(Task::Apply(place, expr));
                self.ask(place, [*base, *default].into_iter());
            }
        }
        Ok(())
    }

    /// Leaves the value of an expression, whose parts are there.
    pub(crate) fn apply(&mut self, place: Place, expr: ExprId) -> Result<(), Stop> {
        let ast = self.frames.ast(place.frame);
        let span = ast.expr_span(expr);
        let value = match ast.expr(expr) {
            Expr::Concat(parts) => {
                let parts = self.pop_many(parts.len())?;
                self.concat(place, &parts, span)?
            }
            Expr::List(parts) => {
                let parts = self.pop_many(parts.len())?;
                self.emitter.emit(place.builder, Op::List(parts), Some(span))
            }
            Expr::Map(pairs) => {
                let parts = self.pop_many(pairs.len() * 2)?;
                let pairs = parts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
                self.emitter.emit(place.builder, Op::Map(pairs), Some(span))
            }
            Expr::Struct(fields) => {
                let parts = self.pop_many(fields.len())?;
                self.strukt(place, expr, fields, parts, span)
            }
            Expr::Call { args, .. } => match &self.frames.reference(place.frame, expr)?.target {
                Target::Function(name) => {
                    let types: Vec<TypeId> = args.iter().map(|arg| self.type_of(place, *arg)).collect();
                    let result = self.type_of(place, expr);
                    let args = self.pop_many(args.len())?;
                    self.builtin(place, name, args, &types, result, span)?
                }
                Target::Def(def) => return self.call_function(place, expr, *def, args.len(), span),
                Target::Variable(_) => return Err(Stop::Broken("a variable is called as a function")),
            },
            Expr::CallVar { args, .. } | Expr::CallLambda { args, .. } => {
                let callee = self.pop()?;
                let args = self.pop_many(args.len())?;
                self.emitter.emit(place.builder, Op::Call { callee, args }, Some(span))
            }
            Expr::Unary { op: mcl_parser::ast::UnaryOp::Not, operand } => {
                self.operator(place, "not", &[*operand], expr, span)?
            }
            Expr::Binary { op: mcl_parser::ast::BinaryOp::In, left, right } => {
                self.call_of(place, "contains", &[*left, *right], expr, span)?
            }
            Expr::Binary { op, left, right } => match self.long_sum(place, expr) {
                Some(terms) => {
                    let terms = self.pop_many(terms.len())?;
                    self.balanced(place, terms, span)?
                }
                None => self.operator(place, op.symbol(), &[*left, *right], expr, span)?,
            },
            Expr::Index { base, index } => self.call_of(place, "_lookup", &[*base, *index], expr, span)?,
            Expr::Field { base, field } => {
                let types = [self.type_of(place, *base), TypeId::STR];
                let result = self.type_of(place, expr);
                let field = Operand::Const(self.emitter.pool.str(ast.name(*field).clone()));
                let args = vec![self.pop()?, field];
                self.builtin(place, "_struct_lookup", args, &types, result, span)?
            }
            Expr::FieldOr { base, field, default } => {
                let types = [self.type_of(place, *base), TypeId::STR, self.type_of(place, *default)];
                let result = self.type_of(place, expr);
                let field = Operand::Const(self.emitter.pool.str(ast.name(*field).clone()));
                let default = self.pop()?;
                let args = vec![self.pop()?, field, default];
                self.builtin(place, "_struct_lookup_optional", args, &types, result, span)?
            }
            Expr::Error
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Interpolated(_)
            | Expr::Paren(_)
            | Expr::Var(_)
            | Expr::Func(_)
            | Expr::If { .. }
            | Expr::Except { .. } => return Err(Stop::Broken("an expression has no parts")),
        };
        self.operands.push(value);
        Ok(())
    }

    /// A call of a built-in function. `types` are those of the arguments.
    pub(crate) fn builtin(
        &mut self,
        place: Place,
        name: &str,
        args: Vec<Operand>,
        types: &[TypeId],
        result: TypeId,
        span: Span,
    ) -> Result<Operand, Stop> {
        let function = mcl_functions::function(name).ok_or(Stop::Broken("a built-in function does not exist"))?;
        let unit = self.frames.typed.scoped.module(self.frames.module(place.frame)).unit;
        let module_dir = self.loaded.units.get(unit.0 as usize).map_or("/", |unit| &unit.module_dir);
        let emitter = &mut self.emitter;
        let function = emitter.pool.function(&emitter.types, function, types, result, module_dir);
        Ok(emitter.emit(place.builder, Op::Builtin { function, args }, Some(span)))
    }

    /// A call of a built-in function with the values of expressions, which are there.
    fn call_of(
        &mut self,
        place: Place,
        name: &str,
        args: &[ExprId],
        expr: ExprId,
        span: Span,
    ) -> Result<Operand, Stop> {
        let types: Vec<TypeId> = args.iter().map(|arg| self.type_of(place, *arg)).collect();
        let result = self.type_of(place, expr);
        let args = self.pop_many(args.len())?;
        self.builtin(place, name, args, &types, result, span)
    }

    fn operator(
        &mut self,
        place: Place,
        symbol: &str,
        args: &[ExprId],
        expr: ExprId,
        span: Span,
    ) -> Result<Operand, Stop> {
        let mut types = vec![TypeId::STR];
        for arg in args {
            types.push(self.type_of(place, *arg));
        }
        let result = self.type_of(place, expr);
        let mut operands = vec![Operand::Const(self.emitter.pool.str(symbol))];
        operands.extend(self.pop_many(args.len())?);
        self.builtin(place, "_operator", operands, &types, result, span)
    }

    /// The terms of `a + b + c + …` if they are many texts. One after the other, each would be copied once for every one
    /// behind it.
    fn long_sum(&mut self, place: Place, expr: ExprId) -> Option<Vec<ExprId>> {
        let ast = self.frames.ast(place.frame);
        if self.type_of(place, expr) != TypeId::STR {
            return None;
        }
        let mut terms = Vec::new();
        let mut left = expr;
        while let Expr::Binary { op: mcl_parser::ast::BinaryOp::Add, left: next, right } = ast.expr(left) {
            terms.push(*right);
            left = *next;
        }
        if terms.len() < LONG_SUM {
            return None;
        }
        terms.push(left);
        terms.reverse();
        Some(terms)
    }

    /// Joins many texts, neighbours first.
    fn balanced(&mut self, place: Place, mut texts: Vec<Operand>, span: Span) -> Result<Operand, Stop> {
        let types = [TypeId::STR, TypeId::STR];
        while texts.len() > 1 {
            let mut joined = Vec::with_capacity(texts.len().div_ceil(2));
            for pair in texts.chunks(2) {
                joined.push(match pair {
                    [a, b] => self.builtin(place, "concat", vec![*a, *b], &types, TypeId::STR, span)?,
                    _ => pair[0],
                });
            }
            texts = joined;
        }
        texts.pop().ok_or(Stop::Broken("a text has no parts"))
    }

    /// Joins texts, neighbouring constants first.
    fn concat(&mut self, place: Place, parts: &[Operand], span: Span) -> Result<Operand, Stop> {
        let types = [TypeId::STR, TypeId::STR];
        let mut joined: Vec<Operand> = Vec::with_capacity(parts.len());
        for part in parts {
            match joined.last_mut() {
                Some(last) if self.emitter.fold && as_const(*last).is_some() && as_const(*part).is_some() => {
                    *last = self.builtin(place, "concat", vec![*last, *part], &types, TypeId::STR, span)?;
                }
                _ => joined.push(*part),
            }
        }
        if joined.len() > LONG_SUM {
            return self.balanced(place, joined, span);
        }
        let mut value = joined.pop().ok_or(Stop::Broken("a text has no parts"))?;
        while let Some(part) = joined.pop() {
            value = self.builtin(place, "concat", vec![part, value], &types, TypeId::STR, span)?;
        }
        Ok(value)
    }

    fn strukt(
        &mut self,
        place: Place,
        expr: ExprId,
        fields: &[StructEntry],
        parts: Vec<Operand>,
        span: Span,
    ) -> Operand {
        debug_assert_eq!(fields.len(), parts.len());
        let ty = self.type_of(place, expr);
        let ty = self.emitter.pool.ty(&self.emitter.types, ty);
        self.emitter.emit(place.builder, Op::Struct(ty, parts), Some(span))
    }

    /// Leaves the value of the variable that an expression refers to, or asks for its definition first.
    pub(crate) fn variable(&mut self, place: Place, expr: ExprId) -> Result<(), Stop> {
        let reference = self.frames.reference(place.frame, expr)?;
        let def = match &reference.target {
            Target::Variable(name) => {
                let value = builtin::variable(&mut self.emitter.pool, name)
                    .ok_or(Stop::Broken("a built-in variable does not exist"))?;
                self.operands.push(Operand::Const(value));
                return Ok(());
            }
            Target::Function(_) => return Err(Stop::Broken("a function is used as a variable")),
            Target::Def(def) => *def,
        };
        let home = self.frames.follow(place.frame, reference, &mut self.emitter.types)?;
        match self.frames.values.get(&(home, def)) {
            Some(Memo::Done(value)) => {
                let value = self.emitter.builders.lift(*value, self.frames.get(home).builder, place.builder);
                self.operands.push(value);
                Ok(())
            }
            Some(Memo::InProgress) => Err(Stop::Broken("a definition uses itself")),
            None => {
                self.tasks.push(Task::Variable(place, expr));
                self.define(home, def)
            }
        }
    }

    /// Asks for the value of a definition in its frame.
    fn define(&mut self, home: FrameId, def: DefId) -> Result<(), Stop> {
        let (frame, expr) = match self.frames.typed.scoped.def(def).kind {
            DefKind::Bind { stmt } => match self.frames.ast(home).stmt(stmt) {
                Stmt::Bind { value, .. } => (home, *value),
                _ => return Err(Stop::Broken("a bind is something else")),
            },
            // Those of functions and loops are known from the start.
            DefKind::Param { index } => self.class_argument(home, index as usize)?,
            DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => {
                return Err(Stop::Broken("a definition has no value"));
            }
        };
        self.frames.values.insert((home, def), Memo::InProgress);
        self.tasks.push(Task::Store(home, def));
        self.tasks.push(Task::Expr(Place { frame, builder: self.frames.get(home).builder }, expr));
        Ok(())
    }

    /// The argument that the include statement gives to a parameter, and the frame of the statement.
    fn class_argument(&self, class: FrameId, index: usize) -> Result<(FrameId, ExprId), Stop> {
        let missing = Stop::Broken("a class is given too few arguments");
        let Some((holder, slot)) = self.frames.get(class).made_by else { return Err(missing) };
        let stmt = self.frames.typed.scoped.instance(slot).stmt;
        match self.frames.ast(holder).stmt(stmt) {
            Stmt::Include { args: Some(args), .. } => Ok((holder, *args.get(index).ok_or(missing)?)),
            _ => Err(missing),
        }
    }

    /// A call of a `func` statement; its arguments are there. Leaves the value, or asks for the function's template first.
    fn call_function(&mut self, place: Place, expr: ExprId, def: DefId, args: usize, span: Span) -> Result<(), Stop> {
        let reference = self.frames.reference(place.frame, expr)?;
        let home = self.frames.follow(place.frame, reference, &mut self.emitter.types)?;
        let types = self.frames.typed.call(self.frames.module(place.frame), expr);
        let types = types.iter().map(|ty| self.frames.close(place.frame, *ty, &mut self.emitter.types)).collect();
        let key = FunctionKey { frame: home, def, types };
        match self.functions.get(&key) {
            None => {
                self.tasks.push(Task::Apply(place, expr));
                self.tasks.push(Task::Function(key));
                Ok(())
            }
            Some(None) => Err(Stop::Broken("a function calls itself")),
            Some(Some(Closure { template, captures })) => {
                let (template, captures) = (*template, captures.clone());
                if self.emitter.templates[template.0 as usize].params as usize != args {
                    return Err(Stop::Broken("a call has another number of arguments than its function"));
                }
                let args = self.pop_many(args)?;
                let from = self.frames.get(home).builder;
                let builders = &mut self.emitter.builders;
                let captures =
                    captures.into_iter().map(|capture| builders.lift(capture, from, place.builder)).collect();
                let closure = Closure { template, captures };
                let value = self.emitter.emit(place.builder, Op::CallKnown { closure, args }, Some(span));
                self.operands.push(value);
                Ok(())
            }
        }
    }

    /// Builds the template of a function.
    pub(crate) fn function(&mut self, key: FunctionKey) -> Result<(), Stop> {
        let DefKind::Func { stmt, scope: Some(scope) } = self.frames.typed.scoped.def(key.def).kind else {
            return Err(Stop::Broken("a function is something else"));
        };
        let ast = self.frames.ast(key.frame);
        let Stmt::Func { func, .. } = ast.stmt(stmt) else { return Err(Stop::Broken("a function is something else")) };
        let parent = self.frames.get(key.frame).builder;
        self.functions.insert(key.clone(), None);
        let place = Place { frame: key.frame, builder: parent };
        let types = key.types.clone();
        self.body(place, *func, scope, types, |builder| Task::FunctionDone(key, builder))
    }

    /// The body's value is there.
    pub(crate) fn function_done(&mut self, key: FunctionKey, builder: BuilderId) -> Result<(), Stop> {
        let root = self.pop()?;
        let label = format!("func {}", self.frames.typed.scoped.def(key.def).name);
        let closure = self.emitter.finish(builder, Some(root), true, &label);
        self.functions.insert(key, Some(closure));
        Ok(())
    }

    fn lambda(&mut self, place: Place, expr: ExprId) -> Result<(), Stop> {
        let ExprInfo::Function(scope) = self.frames.expr_info(place.frame, expr) else {
            return Err(Stop::Broken("a function has no scope"));
        };
        self.body(place, expr, scope, Box::default(), |body| Task::LambdaDone { place, expr, body })
    }

    /// The body's value is there; leaves the function.
    pub(crate) fn lambda_done(&mut self, place: Place, expr: ExprId, body: BuilderId) -> Result<(), Stop> {
        let root = self.pop()?;
        let closure = self.emitter.finish(body, Some(root), true, "func");
        let ty = self.type_of(place, expr);
        let ty = self.emitter.pool.ty(&self.emitter.types, ty);
        let span = self.frames.ast(place.frame).expr_span(expr);
        let value = self.emitter.emit(place.builder, Op::Func { closure, ty }, Some(span));
        self.operands.push(value);
        Ok(())
    }

    /// Asks for the value of a function's body, in a template and a frame of its own.
    fn body(
        &mut self,
        place: Place,
        func: ExprId,
        scope: ScopeId,
        types: Box<[TypeId]>,
        done: impl FnOnce(BuilderId) -> Task,
    ) -> Result<(), Stop> {
        let Expr::Func(lambda) = self.frames.ast(place.frame).expr(func) else {
            return Err(Stop::Broken("a function has no body"));
        };
        let params = &self.frames.typed.scoped.scope(scope).params;
        let builder = self.emitter.builders.open(Some(place.builder), params.len());
        let frame = self.frames.enter(place.frame, scope, builder, types);
        for (param, i) in params.iter().zip(0..) {
            self.frames.values.insert((frame, *param), Memo::Done(Operand::Param(i)));
        }
        self.tasks.push(done(builder));
        self.tasks.push(Task::Expr(Place { frame, builder }, lambda.body));
        Ok(())
    }

    /// The condition is there: asks for the branch, or for both.
    pub(crate) fn if_branches(&mut self, place: Place, expr: ExprId) -> Result<(), Stop> {
        let Expr::If { then, otherwise, .. } = self.frames.ast(place.frame).expr(expr) else {
            return Err(Stop::Broken("a condition has no branches"));
        };
        let condition = self.pop()?;
        if let Some(truth) = self.emitter.truth(condition) {
            self.tasks.push(Task::Expr(place, if truth { *then } else { *otherwise }));
            return Ok(());
        }
        self.operands.push(condition);
        let builders = [(); 2].map(|()| self.emitter.builders.open(Some(place.builder), 0));
        self.tasks.push(Task::IfDone { place, expr, then: builders[0], otherwise: builders[1] });
        self.tasks.push(Task::Expr(Place { builder: builders[1], ..place }, *otherwise));
        self.tasks.push(Task::Expr(Place { builder: builders[0], ..place }, *then));
        Ok(())
    }

    /// Condition and branches are there.
    pub(crate) fn if_done(
        &mut self,
        place: Place,
        expr: ExprId,
        then: BuilderId,
        otherwise: BuilderId,
    ) -> Result<(), Stop> {
        let (otherwise_root, then_root, condition) = (self.pop()?, self.pop()?, self.pop()?);
        let then = self.emitter.finish(then, Some(then_root), false, "then");
        let otherwise = self.emitter.finish(otherwise, Some(otherwise_root), false, "else");
        let span = self.frames.ast(place.frame).expr_span(expr);
        let value = self.emitter.emit(place.builder, Op::If { condition, then, otherwise }, Some(span));
        self.operands.push(value);
        Ok(())
    }

    /// The left side is there: it is the value if it cannot fail, else asks for the right side, which is the value if the
    /// left one always fails.
    pub(crate) fn except_fallback(&mut self, place: Place, expr: ExprId) -> Result<(), Stop> {
        let Expr::Except { fallback, .. } = self.frames.ast(place.frame).expr(expr) else {
            return Err(Stop::Broken("an expression has no fallback"));
        };
        let value = *self.operands.last().ok_or(Stop::Broken("a value is missing"))?;
        match self.emitter.health(place.builder, value) {
            Health::Sound => return Ok(()),
            Health::Doomed => {
                self.operands.pop();
                self.tasks.push(Task::Expr(place, *fallback));
                return Ok(());
            }
            Health::Unknown => {}
        }
        let builder = self.emitter.builders.open(Some(place.builder), 0);
        self.tasks.push(Task::ExceptDone { place, expr, fallback: builder });
        self.tasks.push(Task::Expr(Place { builder, ..place }, *fallback));
        Ok(())
    }

    /// Both sides are there.
    pub(crate) fn except_done(&mut self, place: Place, expr: ExprId, fallback: BuilderId) -> Result<(), Stop> {
        let (root, value) = (self.pop()?, self.pop()?);
        let fallback = self.emitter.finish(fallback, Some(root), false, "fallback");
        let span = self.frames.ast(place.frame).expr_span(expr);
        let value = self.emitter.emit(place.builder, Op::Except { value, fallback }, Some(span));
        self.operands.push(value);
        Ok(())
    }

    /// The frame of the class that an include statement instantiates; `None` for imports.
    pub(crate) fn included(&mut self, frame: FrameId, slot: InstanceId) -> Result<Option<FrameId>, Stop> {
        match self.frames.typed.scoped.instance(slot).kind {
            InstanceKind::Class(_) => self.frames.slot(frame, slot, &mut self.emitter.types).map(Some),
            InstanceKind::Module(_) => Ok(None),
            InstanceKind::Error => Err(Stop::Broken("an include or import has errors")),
        }
    }
}
