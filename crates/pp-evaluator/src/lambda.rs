//! Blocks of calls: `|$x| { … }` (spec 07 §5.10).

use std::sync::Arc;

use pp_ast::{Lambda, LambdaId, Tree};
use pp_functions::{Block, BlockId};
use pp_types::{
    Callable, Error, ErrorKind, Signature, Size, TupleType, Type, Value, describe_mismatch, describe_signatures,
    is_instance,
};

use crate::evaluator::Evaluator;
use crate::frame::{BlockData, Frame, ParameterTypes};
use crate::scope::Local;
use crate::stop::{Eval, Fault, JumpKind, Stop, unlocated};

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
        // Of too few arguments for the parameters before it, the binding says which parameter has none.
        let takes_rest = parameters.last().is_some_and(|last| last.captures_rest);
        if takes_rest && types.rest != Size::ANY && arguments.len() + 1 >= parameters.len() {
            let parameters = Self::signature_parameters(self.frame.tree, lambda.parameters, types);
            let signature = Signature { parameters, block: None, returns: None };
            if !signature.argument_count().contains(arguments.len() as u64) {
                let text = describe_signatures("block", &[signature], arguments, None);
                return Err(unlocated(Error::new(ErrorKind::Mismatch, text)));
            }
        }
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
    let single = parameters.iter().filter(|p| !p.captures_rest);
    let (required, all) = (single.clone().filter(|p| p.default.is_none()).count() as u64, single.count() as u64);
    let rest = if parameters.iter().any(|p| p.captures_rest) { types.rest } else { Size::exactly(0) };
    let size = Some(Size { min: required.saturating_add(rest.min), max: all.saturating_add(rest.max) });
    let types: Vec<Type> = types.types.iter().cloned().collect();
    Callable { parameters: TupleType { types, size }, block: None, returns: None }
}
