//! Blocks, lambdas and methods.

use std::rc::Rc;

use lib_ruby_parser::Node as RubyNode;
use lib_ruby_parser::nodes::{Block as RubyBlock, Def, Numblock};

use crate::lower::{Leaves, Lowered, Lowering, Variables};
use crate::syntax::{Block, BlockArgument, Definition, Expr, Parameters, Target};

impl Lowering<'_> {
    pub(super) fn call_with_block(&mut self, block: &RubyBlock) -> Lowered<Expr> {
        let is_lambda = matches!(&*block.call, RubyNode::Lambda(_));
        let code = self.block(block.args.as_deref(), block.body.as_deref(), Leaves::Block)?;
        let code = match code {
            Ok(code) => Rc::new(code),
            Err(construct) => return self.refuse(construct, &block.expression_l),
        };
        if is_lambda {
            return Ok(Expr::Lambda(code));
        }
        self.with_block(&block.call, BlockArgument::Literal(code), &block.expression_l)
    }

    pub(super) fn call_with_numbered_block(&mut self, block: &Numblock) -> Lowered<Expr> {
        let is_lambda = matches!(&*block.call, RubyNode::Lambda(_));
        self.scopes.push(Variables::default());
        let required =
            (1..=block.numargs).map(|number| Target::Local(self.declare(&format!("_{number}")))).collect::<Vec<_>>();
        let parameters = Parameters { is_list: required.len() > 1, required, ..Parameters::default() };
        let code = Rc::new(self.body(parameters, Some(&block.body), Leaves::Block)?);
        if is_lambda {
            return Ok(Expr::Lambda(code));
        }
        self.with_block(&block.call, BlockArgument::Literal(code), &block.expression_l)
    }

    pub(super) fn definition(&mut self, definition: &Def) -> Lowered<Expr> {
        let code = self.block(definition.args.as_deref(), definition.body.as_deref(), Leaves::Nothing)?;
        match code {
            Ok(block) => Ok(Expr::Define(Rc::new(Definition { name: definition.name.as_str().into(), block }))),
            Err(construct) => self.refuse(construct, &definition.expression_l),
        }
    }

    /// Lowers parameters and code, of a method if they leave nothing; what the parameters must not have is named instead.
    fn block(
        &mut self,
        arguments: Option<&RubyNode>,
        body: Option<&RubyNode>,
        leaves: Leaves,
    ) -> Lowered<Result<Block, &'static str>> {
        self.scopes.push(Variables { names: Vec::new(), is_method: leaves == Leaves::Nothing });
        let parameters = match arguments {
            Some(RubyNode::Args(arguments)) => self.parameters(&arguments.args)?,
            None => Ok(Parameters::default()),
            Some(_) => Err("arguments that are passed on with `...`"),
        };
        match parameters {
            Ok(parameters) => Ok(Ok(self.body(parameters, body, leaves)?)),
            Err(construct) => {
                self.scopes.pop();
                Ok(Err(construct))
            }
        }
    }

    /// Lowers the code of the innermost scope, and leaves it.
    fn body(&mut self, parameters: Parameters, body: Option<&RubyNode>, leaves: Leaves) -> Lowered<Block> {
        let outer = std::mem::replace(&mut self.leaves, leaves);
        let body = self.unboxed(body);
        self.leaves = outer;
        let scope = self.scopes.pop().unwrap_or_default();
        let slots = u32::try_from(scope.names.len()).unwrap_or(u32::MAX);
        Ok(Block { parameters, body: body?, slots })
    }

    fn parameters(&mut self, nodes: &[RubyNode]) -> Lowered<Result<Parameters, &'static str>> {
        let mut parameters = Parameters { is_list: nodes.len() > 1, ..Parameters::default() };
        for node in nodes {
            match node {
                RubyNode::Procarg0(single) => match single.args.as_slice() {
                    [only] if single.begin_l.is_none() => {
                        let Some(target) = self.target(only)? else { return Ok(Err("this parameter of a block")) };
                        parameters.required.push(target);
                    }
                    several => {
                        let Some(targets) = self.targets(several)? else { return Ok(Err("this parameter of a block")) };
                        parameters.required.push(Target::Multiple(targets));
                    }
                },
                RubyNode::Arg(_) | RubyNode::Mlhs(_) => {
                    // A single parameter that is not a `Procarg0` has a comma after it.
                    parameters.is_list = true;
                    let Some(target) = self.target(node)? else { return Ok(Err("this parameter")) };
                    let has_more = parameters.rest.is_some() || !parameters.optional.is_empty();
                    if has_more { parameters.after.push(target) } else { parameters.required.push(target) }
                }
                RubyNode::Optarg(optional) => {
                    let target = Target::Local(self.declare(&optional.name));
                    let default = self.node(&optional.default)?;
                    parameters.optional.push((target, default));
                }
                RubyNode::Restarg(rest) => {
                    parameters.is_list = true;
                    let target = rest.name.as_deref().map(|name| Target::Local(self.declare(name)));
                    parameters.rest = Some(target);
                }
                RubyNode::Kwarg(keyword) => {
                    let target = Target::Local(self.declare(&keyword.name));
                    parameters.keywords.push((keyword.name.as_str().into(), target, None));
                }
                RubyNode::Kwoptarg(keyword) => {
                    let target = Target::Local(self.declare(&keyword.name));
                    let default = self.node(&keyword.default)?;
                    parameters.keywords.push((keyword.name.as_str().into(), target, Some(default)));
                }
                RubyNode::Blockarg(block) => {
                    let Some(name) = block.name.as_deref() else { return Ok(Err("parameters without a name")) };
                    parameters.block = Some(Target::Local(self.declare(name)));
                }
                RubyNode::Shadowarg(variable) => {
                    self.declare(&variable.name);
                }
                RubyNode::Kwrestarg(_) | RubyNode::Kwnilarg(_) => return Ok(Err("parameters with `**`")),
                _ => return Ok(Err("arguments that are passed on with `...`")),
            }
        }
        let is_only_block = nodes.len() == 2 && parameters.block.is_some() && parameters.required.len() == 1;
        if is_only_block || nodes.iter().all(|node| matches!(node, RubyNode::Procarg0(_) | RubyNode::Shadowarg(_))) {
            parameters.is_list = false;
        }
        Ok(Ok(parameters))
    }
}
