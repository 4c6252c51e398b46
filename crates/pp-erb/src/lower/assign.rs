//! Assignments.

use lib_ruby_parser::Node as RubyNode;

use crate::lower::{Lowered, Lowering};
use crate::syntax::{Expr, LogicalOperator, Node, RegexpLiteral, Target};

impl Lowering<'_> {
    pub(super) fn assignment(&mut self, node: &RubyNode) -> Lowered<Expr> {
        Ok(match node {
            RubyNode::Lvasgn(assignment) => self.assign(node, assignment.value.as_deref())?,
            RubyNode::Ivasgn(assignment) => self.assign(node, assignment.value.as_deref())?,
            RubyNode::IndexAsgn(assignment) => self.assign(node, assignment.value.as_deref())?,
            RubyNode::OpAsgn(assignment) => {
                let Some(target) = self.target(&assignment.recv)? else { return self.not_assignable(node) };
                let operator = self.dispatch(assignment.operator.trim_end_matches('='));
                let value = self.boxed(&assignment.value)?;
                Expr::OperatorAssign { target: Box::new(target), operator, value }
            }
            RubyNode::OrAsgn(assignment) => {
                self.logical(node, &assignment.recv, LogicalOperator::Or, &assignment.value)?
            }
            RubyNode::AndAsgn(assignment) => {
                self.logical(node, &assignment.recv, LogicalOperator::And, &assignment.value)?
            }
            RubyNode::Masgn(assignment) => {
                let targets = match &*assignment.lhs {
                    RubyNode::Mlhs(list) => self.targets(&list.items)?,
                    _ => None,
                };
                let Some(targets) = targets else { return self.not_assignable(node) };
                Expr::MultipleAssign(targets, self.boxed(&assignment.rhs)?)
            }
            RubyNode::MatchWithLvasgn(matching) => self.match_assign(&matching.re, &matching.value)?,
            other => return self.not_assignable(other),
        })
    }

    /// `/(?<name>…)/ =~ value`, which sets the variable `name`.
    pub(super) fn match_assign(&mut self, regexp: &RubyNode, value: &RubyNode) -> Lowered<Expr> {
        let regexp = self.boxed(regexp)?;
        let names = match &regexp.expr {
            Expr::Regexp(literal) => group_names(literal),
            _ => Vec::new(),
        };
        let names = names.into_iter().map(|name| (name.as_str().into(), self.variable(&name))).collect();
        Ok(Expr::MatchAssign { regexp, value: self.boxed(value)?, names })
    }

    fn not_assignable(&mut self, node: &RubyNode) -> Lowered<Expr> {
        self.refuse("assignments to anything but variables, elements and attributes", node.expression())
    }

    fn assign(&mut self, node: &RubyNode, value: Option<&RubyNode>) -> Lowered<Expr> {
        // The variable exists in its own value: `x = x` is nil.
        let Some(target) = self.target(node)? else { return self.not_assignable(node) };
        let value = match value {
            Some(value) => self.boxed(value)?,
            None => Box::new(self.made(Expr::Nil, node.expression())),
        };
        Ok(Expr::Assign(Box::new(target), value))
    }

    fn logical(
        &mut self,
        node: &RubyNode,
        target: &RubyNode,
        operator: LogicalOperator,
        value: &RubyNode,
    ) -> Lowered<Expr> {
        let Some(target) = self.target(target)? else { return self.not_assignable(node) };
        Ok(Expr::LogicalAssign { target: Box::new(target), operator, value: self.boxed(value)? })
    }

    pub(super) fn targets(&mut self, nodes: &[RubyNode]) -> Lowered<Option<Vec<Target>>> {
        nodes.iter().map(|node| self.target(node)).collect()
    }

    /// Lowers what is assigned to; `None` if templates must not assign to it.
    pub(super) fn target(&mut self, node: &RubyNode) -> Lowered<Option<Target>> {
        Ok(Some(match node {
            RubyNode::Lvasgn(variable) => Target::Local(self.variable(&variable.name)),
            RubyNode::Lvar(variable) => Target::Local(self.variable(&variable.name)),
            RubyNode::Arg(variable) => Target::Local(self.declare(&variable.name)),
            RubyNode::Ivasgn(variable) => Target::Instance(variable.name.trim_start_matches('@').into()),
            RubyNode::Ivar(variable) => Target::Instance(variable.name.trim_start_matches('@').into()),
            RubyNode::IndexAsgn(index) => self.index_target(&index.recv, &index.indexes)?,
            RubyNode::Index(index) => self.index_target(&index.recv, &index.indexes)?,
            RubyNode::Send(send) if send.recv.is_some() => {
                let Some(receiver) = self.unboxed(send.recv.as_deref())? else { return Ok(None) };
                let name = send.method_name.trim_end_matches('=');
                let setter = self.dispatch(&format!("{name}="));
                let getter = self.dispatch(name);
                Target::Attribute { receiver, setter, getter }
            }
            RubyNode::Splat(splat) => match splat.value.as_deref() {
                Some(inner) => match self.target(inner)? {
                    Some(inner) => Target::Splat(Some(Box::new(inner))),
                    None => return Ok(None),
                },
                None => Target::Splat(None),
            },
            RubyNode::Restarg(rest) => {
                let target = rest.name.as_deref().map(|name| Box::new(Target::Local(self.declare(name))));
                Target::Splat(target)
            }
            RubyNode::Mlhs(list) => match self.targets(&list.items)? {
                Some(targets) => Target::Multiple(targets),
                None => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    fn index_target(&mut self, receiver: &RubyNode, indexes: &[RubyNode]) -> Lowered<Target> {
        let receiver: Node = self.node(receiver)?;
        Ok(Target::Index { receiver, arguments: self.arguments(indexes)? })
    }
}

/// Returns the names of the groups of a regular expression.
fn group_names(literal: &RegexpLiteral) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if literal.parts.iter().any(|part| !matches!(part.expr, Expr::Str(_))) {
        return names;
    }
    for part in &literal.parts {
        let Expr::Str(text) = &part.expr else { continue };
        for (at, _) in text.match_indices("(?<") {
            let name: String = text[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
