//! Blocks of calls: `|$x| { … }` (spec 07 §5.10).

use std::sync::Arc;

use pp_ast::{Lambda, LambdaId, Tree};
use pp_functions::{Block, BlockId};
use pp_types::{Callable, Error, ErrorKind, Size, TupleType, Type, Value, describe_mismatch, is_instance};

use crate::evaluator::Evaluator;
use crate::frame::{BlockData, Frame, ParameterTypes};
use crate::scope::Local;
use crate::stop::{Eval, Fault, JumpKind, Stop};

impl<'e> Evaluator<'e> {
    /// Makes the block of a call. It is valid until the call ends.
    pub(crate) fn make_block(&mut self, id: LambdaId) -> Eval<Block> {
        let tree = self.frame.tree;
        let lambda = &tree.lambdas[id];
        let types = self.parameter_types(lambda.parameters, lambda.returns)?;
        let captures_rest = tree.parameters(lambda.parameters).last().is_some_and(|last| last.captures_rest);
        let callable = Arc::new(callable(tree, lambda, &types));
        let index = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        self.blocks.push(BlockData {
            tree,
            lambda: id,
            scope: self.frame.scope,
            local: self.frame.local.clone(),
            types,
        });
        Ok(Block { id: BlockId(index), callable, parameter_count: lambda.parameters.len(), captures_rest })
    }

    /// Calls a block.
    pub(crate) fn run_block(&mut self, id: BlockId, arguments: &[Value]) -> Eval {
        let Some(block) = self.blocks.get(id.0 as usize).cloned() else {
            let error = Error::new(ErrorKind::Evaluation, "a block is called after the call that it belongs to");
            return Err(Stop::Fault(Box::new(Fault::new(error, None))));
        };
        let BlockData { tree, lambda, scope, local, types } = block;
        let lambda = &tree.lambdas[lambda];
        let local = Local::block(local);
        let span = tree.range_span(lambda.range);
        let frame = Frame { tree, scope, local: Some(local) };
        let result = self.nested(Some(span), |this| {
            this.within(frame, |this| {
                this.check_block_arguments(lambda, &types, arguments)?;
                this.bind_block(lambda, &types, arguments)?;
                this.eval(lambda.body)
            })
        });
        let value = match result {
            Err(Stop::Jump(jump)) if jump.kind == JumpKind::Next => jump.value,
            other => other?,
        };
        if let Some(returns) = &types.returns
            && !is_instance(returns, &value)
        {
            let text = describe_mismatch("value returned from lambda has wrong type,", returns, &value);
            return Err(Stop::Fault(Box::new(Fault::new(Error::new(ErrorKind::Mismatch, text), None))));
        }
        Ok(value)
    }

    fn check_block_arguments(&self, lambda: &Lambda, types: &ParameterTypes, arguments: &[Value]) -> Eval<()> {
        let parameters = self.frame.tree.parameters(lambda.parameters);
        let mut problems = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let rest = parameters.last().filter(|last| last.captures_rest);
            let Some(parameter) = parameters.get(at).or(rest) else { break };
            let ty = &types.types[at.min(parameters.len() - 1)];
            if !is_instance(ty, argument) {
                let name = self.frame.tree.str(parameter.name);
                problems.push(describe_mismatch(&format!("block parameter '{name}'"), ty, argument));
            }
        }
        if problems.is_empty() {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Mismatch, problems.join("\n"));
        Err(Stop::Fault(Box::new(Fault::new(error, None))))
    }
}

/// Returns the type of a block.
fn callable(tree: &Tree, lambda: &Lambda, types: &ParameterTypes) -> Callable {
    let parameters = tree.parameters(lambda.parameters);
    let required = parameters.iter().filter(|p| p.default.is_none() && !p.captures_rest).count() as u64;
    let rest = parameters.iter().any(|p| p.captures_rest);
    let max = if rest { u64::MAX } else { parameters.len() as u64 };
    let types: Vec<Type> = types.types.iter().cloned().collect();
    let size = Some(Size { min: required, max });
    Callable { parameters: TupleType { types, size }, block: None, returns: None }
}
