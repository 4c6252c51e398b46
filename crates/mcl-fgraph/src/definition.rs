//! Lowering of what names refer to: variables, class parameters, functions (spec 04 §1.6).
//!
//! A definition is lowered once per frame, when something uses it for the first time; unused definitions have no types.

use cranelift_entity::EntityRef;
use mcl_artifact::program::{Closure, Op, Operand, ParamIdx};
use mcl_diagnostics::Span;
use mcl_parser::ast::{Expr, ExprId, Stmt};
use mcl_types::{DefId, DefKind, ExprInfo, ScopeId, Target, TypeId};

use crate::builtin;
use crate::dependencies::{Dependency, MAX_DEMAND_DEPTH};
use crate::error::{Inconsistency, LowerError};
use crate::frames::FrameId;
use crate::lower::{FunctionKey, FunctionState, InsertPoint, Lowering};
use crate::values::ValueState;

impl Lowering<'_> {
    /// Returns the value of the variable that an expression refers to.
    pub(crate) fn variable(&mut self, at: InsertPoint, expr: ExprId) -> Result<Operand, LowerError> {
        let reference = self.frames.reference(at.frame, expr)?;
        let def = match reference.target {
            Target::Variable(id) => {
                let name = self.frames.typed.scoped.builtin(id);
                let value = builtin::variable(&mut self.emitter.pool, name).ok_or(Inconsistency::UnknownBuiltin)?;
                return Ok(Operand::Const(value));
            }
            Target::Function(_) => return Err(Inconsistency::WrongNode.into()),
            Target::Def(def) => def,
        };
        let home = self.frames.follow(at.frame, reference, &mut self.emitter.types)?;
        let value = self.value(home, def)?;
        Ok(self.emitter.builders.lift(value, self.frames.get(home).builder, at.builder))
    }

    /// Returns the value of a definition, in terms of its frame's builder.
    fn value(&mut self, home: FrameId, def: DefId) -> Result<Operand, LowerError> {
        let mut state = self.values.get(home, def);
        if state.is_none() && self.depth > MAX_DEMAND_DEPTH {
            self.lower_dependencies(Dependency::Value(home, def))?;
            state = self.values.get(home, def);
        }
        match state {
            Some(ValueState::Lowered(value)) => Ok(value),
            Some(ValueState::Entered | ValueState::InProgress) => Err(Inconsistency::CyclicDefinition.into()),
            None => self.lower_value(home, def),
        }
    }

    /// Lowers a definition that is not lowered yet.
    pub(crate) fn lower_value(&mut self, home: FrameId, def: DefId) -> Result<Operand, LowerError> {
        let (at, expr) = self.source(home, def)?;
        self.values.set(home, def, ValueState::InProgress);
        let value = self.expr(at, expr)?;
        self.values.set(home, def, ValueState::Lowered(value));
        Ok(value)
    }

    /// Returns the expression that gives a definition its value, and where it is lowered.
    pub(crate) fn source(&self, home: FrameId, def: DefId) -> Result<(InsertPoint, ExprId), LowerError> {
        let (frame, expr) = match self.frames.typed.scoped.def(def).kind {
            DefKind::Bind { stmt } => match self.frames.ast(home).stmt(stmt) {
                Stmt::Bind { value, .. } => (home, *value),
                _ => return Err(Inconsistency::WrongNode.into()),
            },
            // Only a class: the parameters of functions and loops have values from the start.
            DefKind::Param { index } => self.class_argument(home, index as usize)?,
            DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => {
                return Err(Inconsistency::WrongNode.into());
            }
        };
        Ok((InsertPoint { frame, builder: self.frames.get(home).builder }, expr))
    }

    /// Returns the argument that the include statement passes for a parameter, and the frame of the statement.
    fn class_argument(&self, class: FrameId, index: usize) -> Result<(FrameId, ExprId), LowerError> {
        let (holder, slot) = self.frames.get(class).made_by.ok_or(Inconsistency::WrongNode)?;
        let stmt = self.frames.typed.scoped.instance(slot).stmt;
        match self.frames.ast(holder).stmt(stmt) {
            Stmt::Include(include) => {
                let arg = include.args.as_ref().and_then(|args| args.get(index));
                Ok((holder, *arg.ok_or(Inconsistency::WrongArgumentCount)?))
            }
            _ => Err(Inconsistency::WrongArgumentCount.into()),
        }
    }

    /// Returns which function a call means, at which types.
    pub(crate) fn function_key(&mut self, from: FrameId, call: ExprId, def: DefId) -> Result<FunctionKey, LowerError> {
        let reference = self.frames.reference(from, call)?;
        let frame = self.frames.follow(from, reference, &mut self.emitter.types)?;
        let types = self.frames.typed.call(self.frames.module(from), call);
        let types = types.iter().map(|ty| self.frames.close(from, *ty, &mut self.emitter.types)).collect();
        Ok(FunctionKey { frame, def, types })
    }

    /// Returns the template of a function, with its captures in terms of the builder of the function's frame.
    pub(crate) fn function(&mut self, key: FunctionKey) -> Result<Closure, LowerError> {
        let mut state = self.functions.get(&key);
        if state.is_none() && self.depth > MAX_DEMAND_DEPTH {
            self.lower_dependencies(Dependency::Function(key.clone()))?;
            state = self.functions.get(&key);
        }
        match state {
            Some(FunctionState::Lowered(closure)) => Ok(closure.clone()),
            Some(FunctionState::InProgress) => Err(Inconsistency::CyclicDefinition.into()),
            None | Some(FunctionState::Declared { .. }) => self.lower_function(&key),
        }
    }

    /// Makes the frame of a function that is not lowered yet; returns where its body is to be lowered, and the position of
    /// its state.
    pub(crate) fn declare_function(&mut self, key: &FunctionKey) -> Result<(InsertPoint, ExprId, usize), LowerError> {
        if let Some((position, _, FunctionState::Declared { at, body })) = self.functions.get_full(key) {
            return Ok((*at, *body, position));
        }
        let scoped = &self.frames.typed.scoped;
        let (DefKind::Func { stmt, .. }, Some(scope)) = (scoped.def(key.def).kind, scoped.function_scope(key.def))
        else {
            return Err(Inconsistency::WrongNode.into());
        };
        let ast = self.frames.ast(key.frame);
        let Stmt::Func { func, .. } = ast.stmt(stmt) else { return Err(Inconsistency::WrongNode.into()) };
        let Expr::Func(lambda) = ast.expr(*func) else { return Err(Inconsistency::WrongNode.into()) };
        let home = InsertPoint { frame: key.frame, builder: self.frames.get(key.frame).builder };
        let at = self.enter_function(home, scope, key.types.clone());
        let declared = FunctionState::Declared { at, body: lambda.body };
        let (position, _) = self.functions.insert_full(key.clone(), declared);
        Ok((at, lambda.body, position))
    }

    /// Lowers a function that is not lowered yet.
    pub(crate) fn lower_function(&mut self, key: &FunctionKey) -> Result<Closure, LowerError> {
        let (at, body, position) = self.declare_function(key)?;
        self.functions[position] = FunctionState::InProgress;
        let root = self.expr(at, body)?;
        self.leave_function(at.frame);
        let name = self.frames.typed.scoped.def_name(key.def);
        let closure = self.emitter.finish_function(at.builder, root, format_args!("func {name}"));
        self.functions[position] = FunctionState::Lowered(closure.clone());
        Ok(closure)
    }

    /// Returns the value of a function expression.
    pub(crate) fn lambda(
        &mut self,
        at: InsertPoint,
        expr: ExprId,
        body: ExprId,
        span: Span,
    ) -> Result<Operand, LowerError> {
        let ExprInfo::Function(scope) = self.frames.expr_info(at.frame, expr) else {
            return Err(Inconsistency::WrongNode.into());
        };
        let inside = self.enter_function(at, scope, Box::default());
        let root = self.expr(inside, body)?;
        self.leave_function(inside.frame);
        let closure = self.emitter.finish_function(inside.builder, root, format_args!("func"));
        let ty = self.type_of(at, expr);
        let ty = self.emitter.pool.ty(&self.emitter.types, ty);
        Ok(self.emitter.emit(at.builder, Op::Func { closure, ty }, Some(span)))
    }

    /// Removes what only the body of a function needs, which is lowered: its frame, and the values of its parameters.
    fn leave_function(&mut self, frame: FrameId) {
        for param in &self.frames.typed.scoped.scope(self.frames.get(frame).scope).params {
            self.values.remove(frame, *param);
        }
        self.frames.leave_function(frame);
    }

    /// Opens a template and a frame for the body of a function; its parameters are those of the template.
    fn enter_function(&mut self, at: InsertPoint, scope: ScopeId, types: Box<[TypeId]>) -> InsertPoint {
        let params = &self.frames.typed.scoped.scope(scope).params;
        let builder = self.emitter.builders.open(Some(at.builder), params.len());
        let frame = self.frames.enter(at.frame, scope, builder, types);
        for (i, param) in params.iter().enumerate() {
            self.values.set(frame, *param, ValueState::Lowered(Operand::Param(ParamIdx::new(i))));
        }
        InsertPoint { frame, builder }
    }
}
