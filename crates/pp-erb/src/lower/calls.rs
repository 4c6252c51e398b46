//! Calls.

use lib_ruby_parser::nodes::{CSend, Index, Send};
use lib_ruby_parser::{Loc, Node as RubyNode};

use crate::lower::{Lowered, Lowering};
use crate::syntax::{Argument, BlockArgument, Call, Expr, Node};

impl Lowering<'_> {
    pub(super) fn send(&mut self, send: &Send) -> Lowered<Expr> {
        if let Some(expr) = self.output(send)? {
            return Ok(expr);
        }
        if send.method_name == "!"
            && send.args.is_empty()
            && let Some(receiver) = &send.recv
        {
            return Ok(Expr::Not(self.boxed(receiver)?));
        }
        if send.recv.is_none()
            && let Some(construct) = refused_function(&send.method_name)
        {
            return self.refuse(construct, &send.expression_l);
        }
        if let ("=~", Some(regexp @ RubyNode::Regexp(_)), [value]) =
            (send.method_name.as_str(), send.recv.as_deref(), send.args.as_slice())
        {
            return self.match_assign(regexp, value);
        }
        let is_name = send.recv.is_none() && send.args.is_empty() && send.begin_l.is_none();
        if is_name && let Some(local) = self.find(&send.method_name) {
            // Ruby's parser does not know the variables that regular expressions set.
            return Ok(Expr::Local(local));
        }
        let call = self.call(send.recv.as_deref(), &send.method_name, &send.args)?;
        Ok(Expr::Call(Box::new(Call { is_name, ..call })))
    }

    pub(super) fn safe_send(&mut self, send: &CSend) -> Lowered<Expr> {
        let call = self.call(Some(&send.recv), &send.method_name, &send.args)?;
        Ok(Expr::Call(Box::new(Call { is_safe: true, ..call })))
    }

    pub(super) fn index(&mut self, index: &Index) -> Lowered<Expr> {
        Ok(Expr::Call(Box::new(self.call(Some(&index.recv), "[]", &index.indexes)?)))
    }

    pub(super) fn call(&mut self, receiver: Option<&RubyNode>, name: &str, arguments: &[RubyNode]) -> Lowered<Call> {
        let receiver = self.unboxed(receiver)?;
        let method = self.dispatch(name);
        let (arguments, block) = match arguments.split_last() {
            Some((RubyNode::BlockPass(pass), rest)) => match pass.value.as_deref() {
                Some(value) => (rest, Some(BlockArgument::Value(self.node(value)?))),
                None => return self.error(&pass.expression_l, "`&` without a block"),
            },
            _ => (arguments, None),
        };
        let arguments = self.arguments(arguments)?;
        Ok(Call { receiver, method, arguments, block, is_safe: false, is_name: false })
    }

    pub(super) fn arguments(&mut self, nodes: &[RubyNode]) -> Lowered<Vec<Argument>> {
        nodes
            .iter()
            .map(|node| match node {
                RubyNode::Splat(splat) => match splat.value.as_deref() {
                    Some(value) => Ok(Argument::Splat(self.node(value)?)),
                    None => self.error(&splat.expression_l, "`*` without a value"),
                },
                other => Ok(Argument::Plain(self.node(other)?)),
            })
            .collect()
    }

    /// Literal text, and `<%= … %>`.
    fn output(&mut self, send: &Send) -> Lowered<Option<Expr>> {
        let start = send.expression_l.begin;
        let Some(RubyNode::Lvar(variable)) = send.recv.as_deref() else { return Ok(None) };
        if variable.name != "_erbout" {
            return Ok(None);
        }
        if let Some(index) = self.ruby.literal_at.get(&start) {
            let local = self.variable("_erbout");
            return Ok(Some(Expr::Text(local, *index as u32)));
        }
        if !self.ruby.output_at.contains(&start) {
            return Ok(None);
        }
        let [RubyNode::Send(to_s)] = send.args.as_slice() else { return Ok(None) };
        let local = self.variable("_erbout");
        let value = match to_s.recv.as_deref() {
            Some(RubyNode::Begin(begin)) if begin.statements.is_empty() => None,
            Some(value) => Some(self.boxed(value)?),
            None => None,
        };
        Ok(Some(Expr::Output(local, value)))
    }

    pub(super) fn with_block(&mut self, call: &RubyNode, block: BlockArgument, at: &Loc) -> Lowered<Expr> {
        let call = match call {
            RubyNode::Send(send) => {
                if send.recv.is_none()
                    && let Some(construct) = refused_function(&send.method_name)
                {
                    return self.refuse(construct, at);
                }
                self.call(send.recv.as_deref(), &send.method_name, &send.args)?
            }
            RubyNode::CSend(send) => {
                let call = self.call(Some(&send.recv), &send.method_name, &send.args)?;
                Call { is_safe: true, ..call }
            }
            RubyNode::Index(index) => self.call(Some(&index.recv), "[]", &index.indexes)?,
            other => return self.refuse(super::construct_name(other), at),
        };
        if call.block.is_some() {
            return self.error(at, "both block arg and actual block given");
        }
        Ok(Expr::Call(Box::new(Call { block: Some(block), ..call })))
    }

    /// A node for an expression without a location of its own.
    pub(super) fn made(&self, expr: Expr, location: &Loc) -> Node {
        Node { expr, at: self.at(location) }
    }
}

/// Functions that reach outside the template, or change Ruby itself.
fn refused_function(name: &str) -> Option<&'static str> {
    const REFUSED: [&str; 38] = [
        "`",
        "abort",
        "at_exit",
        "autoload",
        "binding",
        "callcc",
        "caller",
        "caller_locations",
        "define_method",
        "eval",
        "exec",
        "exit",
        "exit!",
        "fork",
        "gets",
        "instance_eval",
        "instance_exec",
        "instance_variable_set",
        "load",
        "open",
        "p",
        "pp",
        "print",
        "printf",
        "putc",
        "puts",
        "rand",
        "readline",
        "readlines",
        "require_relative",
        "select",
        "sleep",
        "spawn",
        "srand",
        "syscall",
        "system",
        "trap",
        "warn",
    ];
    REFUSED.binary_search(&name).ok().map(|at| REFUSED[at])
}
