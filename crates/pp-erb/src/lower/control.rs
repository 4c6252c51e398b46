//! Branches, loops, jumps, and the handling of exceptions.

use lib_ruby_parser::nodes::{Ensure, Rescue as RubyRescue};
use lib_ruby_parser::{Loc, Node as RubyNode};

use crate::lower::{Leaves, Lowered, Lowering};
use crate::syntax::{Argument, Begin, Branch, Expr, LoopKind, Rescue};

impl Lowering<'_> {
    pub(super) fn control(&mut self, node: &RubyNode) -> Lowered<Option<Expr>> {
        Ok(Some(match node {
            RubyNode::If(branch) => self.branch(&branch.cond, branch.if_true.as_deref(), branch.if_false.as_deref())?,
            RubyNode::IfMod(branch) => {
                self.branch(&branch.cond, branch.if_true.as_deref(), branch.if_false.as_deref())?
            }
            RubyNode::IfTernary(branch) => self.branch(&branch.cond, Some(&branch.if_true), Some(&branch.if_false))?,
            RubyNode::While(repeat) => self.repeat(&repeat.cond, repeat.body.as_deref(), LoopKind::While)?,
            RubyNode::Until(repeat) => self.repeat(&repeat.cond, repeat.body.as_deref(), LoopKind::Until)?,
            RubyNode::WhilePost(repeat) => self.repeat(&repeat.cond, Some(&repeat.body), LoopKind::DoWhile)?,
            RubyNode::UntilPost(repeat) => self.repeat(&repeat.cond, Some(&repeat.body), LoopKind::DoUntil)?,
            RubyNode::For(repeat) => {
                let Some(target) = self.target(&repeat.iterator)? else {
                    return Ok(Some(self.refuse("this variable of `for`", &repeat.expression_l)?));
                };
                let iterated = self.boxed(&repeat.iteratee)?;
                let outer = std::mem::replace(&mut self.leaves, Leaves::Loop);
                let body = self.optional(repeat.body.as_deref());
                self.leaves = outer;
                Expr::For { target: Box::new(target), iterated, body: body? }
            }
            RubyNode::Case(case) => {
                let subject = self.optional(case.expr.as_deref())?;
                let mut branches = Vec::with_capacity(case.when_bodies.len());
                for when in &case.when_bodies {
                    let RubyNode::When(when) = when else { continue };
                    let patterns = self.arguments(&when.patterns)?;
                    branches.push(Branch { patterns, body: self.unboxed(when.body.as_deref())? });
                }
                Expr::Case { subject, branches, otherwise: self.optional(case.else_body.as_deref())? }
            }
            RubyNode::Return(jump) => Expr::Return(self.jump_value(&jump.args, &jump.expression_l)?),
            RubyNode::Break(jump) => {
                let Some(in_loop) = self.leaves_loop("break", &jump.expression_l)? else { return Ok(None) };
                Expr::Break { value: self.jump_value(&jump.args, &jump.expression_l)?, in_loop }
            }
            RubyNode::Next(jump) => {
                let Some(in_loop) = self.leaves_loop("next", &jump.expression_l)? else { return Ok(None) };
                Expr::Next { value: self.jump_value(&jump.args, &jump.expression_l)?, in_loop }
            }
            RubyNode::Rescue(rescue) => Expr::Begin(Box::new(self.rescue(rescue)?)),
            RubyNode::Ensure(ensure) => Expr::Begin(Box::new(self.ensure(ensure)?)),
            _ => return Ok(None),
        }))
    }

    fn branch(&mut self, condition: &RubyNode, then: Option<&RubyNode>, otherwise: Option<&RubyNode>) -> Lowered<Expr> {
        Ok(Expr::If {
            condition: self.boxed(condition)?,
            then: self.optional(then)?,
            otherwise: self.optional(otherwise)?,
        })
    }

    fn repeat(&mut self, condition: &RubyNode, body: Option<&RubyNode>, kind: LoopKind) -> Lowered<Expr> {
        let outer = std::mem::replace(&mut self.leaves, Leaves::Loop);
        let lowered = self.boxed(condition).and_then(|condition| Ok((condition, self.optional(body)?)));
        self.leaves = outer;
        let (condition, body) = lowered?;
        Ok(Expr::While { condition, body, kind })
    }

    fn leaves_loop(&mut self, name: &str, location: &Loc) -> Lowered<Option<bool>> {
        match self.leaves {
            Leaves::Loop => Ok(Some(true)),
            Leaves::Block => Ok(Some(false)),
            Leaves::Nothing => self.error(location, format!("Can't escape from eval with {name}")),
        }
    }

    fn jump_value(&mut self, arguments: &[RubyNode], location: &Loc) -> Lowered<Option<Box<crate::syntax::Node>>> {
        match arguments {
            [] => Ok(None),
            [RubyNode::Splat(_)] => {
                let list = self.arguments(arguments)?;
                Ok(Some(Box::new(self.made(Expr::Array(list), location))))
            }
            [single] => Ok(Some(self.boxed(single)?)),
            several => {
                let list = self.arguments(several)?;
                Ok(Some(Box::new(self.made(Expr::Array(list), location))))
            }
        }
    }

    fn rescue(&mut self, rescue: &RubyRescue) -> Lowered<Begin> {
        let body = self.unboxed(rescue.body.as_deref())?;
        let mut rescues = Vec::with_capacity(rescue.rescue_bodies.len());
        for handler in &rescue.rescue_bodies {
            let RubyNode::RescueBody(handler) = handler else { continue };
            let classes = match handler.exc_list.as_deref() {
                Some(RubyNode::Array(classes)) => self.arguments(&classes.elements)?,
                Some(single) => vec![Argument::Plain(self.node(single)?)],
                None => Vec::new(),
            };
            let variable = match handler.exc_var.as_deref() {
                Some(variable) => self.target(variable)?,
                None => None,
            };
            rescues.push(Rescue { classes, variable, body: self.unboxed(handler.body.as_deref())? });
        }
        let otherwise = self.unboxed(rescue.else_.as_deref())?;
        Ok(Begin { body, rescues, otherwise, ensure: None })
    }

    fn ensure(&mut self, ensure: &Ensure) -> Lowered<Begin> {
        let begin = match ensure.body.as_deref() {
            Some(RubyNode::Rescue(rescue)) => self.rescue(rescue)?,
            body => Begin { body: self.unboxed(body)?, rescues: Vec::new(), otherwise: None, ensure: None },
        };
        Ok(Begin { ensure: self.unboxed(ensure.ensure.as_deref())?, ..begin })
    }
}
