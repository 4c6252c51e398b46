//! Views of the syntax tree: what matters of a call, whatever its notation.

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::Send;

/// A call, with its block.
#[derive(Clone, Copy)]
pub(crate) struct Call<'n> {
    pub(crate) receiver: Option<&'n Node>,
    pub(crate) name: &'n str,
    pub(crate) arguments: &'n [Node],
    pub(crate) block: Option<Block<'n>>,
}

/// The block of a call.
#[derive(Clone, Copy)]
pub(crate) struct Block<'n> {
    pub(crate) parameters: Option<&'n Node>,
    pub(crate) body: Option<&'n Node>,
}

impl<'n> Call<'n> {
    /// Returns a node as a call.
    pub(crate) fn of(node: &'n Node) -> Option<Call<'n>> {
        match node {
            Node::Send(send) => Some(Call::of_send(send)),
            Node::Block(block) => {
                let Node::Send(send) = &*block.call else { return None };
                let block = Block { parameters: block.args.as_deref(), body: block.body.as_deref() };
                Some(Call { block: Some(block), ..Call::of_send(send) })
            }
            _ => None,
        }
    }

    fn of_send(send: &'n Send) -> Call<'n> {
        Call { receiver: send.recv.as_deref(), name: &send.method_name, arguments: &send.args, block: None }
    }
}

impl<'n> Block<'n> {
    /// Returns the names of the parameters; `None` if one is more than a name.
    pub(crate) fn names(&self) -> Option<Vec<&'n str>> {
        let list = match self.parameters {
            None => return Some(Vec::new()),
            Some(Node::Args(args)) => &args.args,
            Some(_) => return None,
        };
        let mut names = Vec::new();
        for parameter in list {
            match parameter {
                Node::Arg(arg) => names.push(arg.name.as_str()),
                Node::Procarg0(inner) => {
                    for arg in &inner.args {
                        let Node::Arg(arg) = arg else { return None };
                        names.push(arg.name.as_str());
                    }
                }
                _ => return None,
            }
        }
        Some(names)
    }
}

/// Returns the statements of a body.
pub(crate) fn statements(body: Option<&Node>) -> &[Node] {
    match body {
        None => &[],
        Some(Node::Begin(begin)) => &begin.statements,
        Some(Node::KwBegin(begin)) => &begin.statements,
        Some(one) => std::slice::from_ref(one),
    }
}

/// Returns the full name of a constant, such as `Puppet::Type`.
pub(crate) fn constant_name(node: &Node) -> Option<String> {
    let mut parts = Vec::new();
    let mut current = node;
    loop {
        match current {
            Node::Const(constant) => {
                parts.push(constant.name.as_str());
                match &constant.scope {
                    Some(scope) => current = scope,
                    None => break,
                }
            }
            Node::Cbase(_) if !parts.is_empty() => break,
            _ => return None,
        }
    }
    parts.reverse();
    Some(parts.join("::"))
}

/// Returns the pairs of a hash, or of the named arguments at the end of a call.
pub(crate) fn pairs(node: &Node) -> &[Node] {
    match node {
        Node::Hash(hash) => &hash.pairs,
        Node::Kwargs(arguments) => &arguments.pairs,
        _ => &[],
    }
}

/// Returns the name of a type in `Puppet::Type.type(:name)`, as a node.
pub(crate) fn type_argument(node: &Node) -> Option<&Node> {
    let call = Call::of(node)?;
    let is_type = call.receiver.and_then(constant_name).is_some_and(|name| name == "Puppet::Type" || name == "Type");
    match call.arguments {
        [name] if is_type && call.name == "type" => Some(name),
        _ => None,
    }
}
