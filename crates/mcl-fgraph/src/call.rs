//! Calls of functions, and operators, which are calls of built-in functions (spec 04 §1.7).

use mcl_artifact::program::{Op, Operand};
use mcl_diagnostics::Span;
use mcl_functions::Function;
use mcl_parser::ast::ExprId;
use mcl_types::{DefId, TypeId};
use smallvec::{SmallVec, smallvec};

use crate::error::{Inconsistency, LowerError};
use crate::lower::{InsertPoint, Lowering};

impl Lowering<'_> {
    /// Returns the value of a call of a built-in function, given the types of its arguments and of its result.
    pub(crate) fn builtin(
        &mut self,
        at: InsertPoint,
        name: &str,
        args: &[Operand],
        types: &[TypeId],
        result: TypeId,
        span: Span,
    ) -> Result<Operand, LowerError> {
        let function = mcl_functions::function(name).ok_or(Inconsistency::UnknownBuiltin)?;
        self.builtin_function(at, function, args, types, result, span)
    }

    fn builtin_function(
        &mut self,
        at: InsertPoint,
        function: &'static Function,
        args: &[Operand],
        types: &[TypeId],
        result: TypeId,
        span: Span,
    ) -> Result<Operand, LowerError> {
        let unit = self.frames.typed.scoped.module(self.frames.module(at.frame)).unit;
        let emitter = &mut self.emitter;
        let module_dir = match self.module_dirs[unit].expand() {
            Some(dir) => dir,
            None => {
                // The name comes first in the table of strings.
                emitter.pool.string(function.name);
                let dir = emitter.pool.string(self.loaded.units.get(unit).map_or("/", |unit| &unit.module_dir));
                self.module_dirs[unit] = dir.into();
                dir
            }
        };
        let function = emitter.pool.function(&emitter.types, function, types, result, module_dir);
        Ok(emitter.emit_builtin(at.builder, function, args, Some(span)))
    }

    /// Returns the value of the expression `call`, which calls a built-in function; `operands` are the values of `args`.
    pub(crate) fn builtin_call(
        &mut self,
        at: InsertPoint,
        name: &str,
        args: &[ExprId],
        operands: &[Operand],
        call: ExprId,
    ) -> Result<Operand, LowerError> {
        let types = self.types_of(at, args);
        let result = self.type_of(at, call);
        self.builtin(at, name, operands, &types, result, self.frames.ast(at.frame).expr_span(call))
    }

    /// Returns the value of an operator; `values` are those of `args`.
    pub(crate) fn operator(
        &mut self,
        at: InsertPoint,
        symbol: &'static str,
        args: &[ExprId],
        values: &[Operand],
        expr: ExprId,
    ) -> Result<Operand, LowerError> {
        let mut types: SmallVec<[TypeId; 4]> = smallvec![TypeId::STR];
        types.extend(args.iter().map(|arg| self.type_of(at, *arg)));
        let result = self.type_of(at, expr);
        let mut operands: SmallVec<[Operand; 4]> = smallvec![Operand::Const(self.emitter.pool.symbol(symbol))];
        operands.extend_from_slice(values);
        let function = self.operator.ok_or(Inconsistency::UnknownBuiltin)?;
        let span = self.frames.ast(at.frame).expr_span(expr);
        self.builtin_function(at, function, &operands, &types, result, span)
    }

    /// Returns the value of a call of a function of a `func` statement.
    pub(crate) fn call_function(
        &mut self,
        at: InsertPoint,
        call: ExprId,
        def: DefId,
        args: Vec<Operand>,
        span: Span,
    ) -> Result<Operand, LowerError> {
        let key = self.function_key(at.frame, call, def)?;
        let home = self.frames.get(key.frame).builder;
        let mut closure = self.function(key)?;
        if self.emitter.templates[closure.template].params as usize != args.len() {
            return Err(Inconsistency::WrongArgumentCount.into());
        }
        for capture in closure.captures.values_mut() {
            *capture = self.emitter.builders.lift(*capture, home, at.builder);
        }
        Ok(self.emitter.emit(at.builder, Op::CallKnown { closure, args }, Some(span)))
    }
}
