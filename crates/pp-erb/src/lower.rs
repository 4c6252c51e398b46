//! From the syntax tree of Ruby's grammar to the tree of a template.
//!
//! Variables become slots. What templates must not use becomes [`Expr::Refused`], an error when it is reached: real
//! templates have such code in branches that never run.

mod assign;
mod blocks;
mod calls;
mod control;
mod literals;

use std::rc::Rc;

use lib_ruby_parser::nodes::Begin as BeginNode;
use lib_ruby_parser::{Loc, Node as RubyNode};
use pp_types::with_stack;
use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind};
use crate::methods::Dispatch;
use crate::syntax::{Expr, Local, Node, Refusal};
use crate::tags::Ruby;

/// The deepest nesting of expressions.
const MAX_DEPTH: u32 = 2_000;

/// The result of lowering something.
type Lowered<T = Node> = Result<T, Error>;

/// The names of the variables of a method, a block, or the template itself.
#[derive(Debug, Default)]
struct Variables {
    names: Vec<Rc<str>>,
    /// Variables of the outside are not visible.
    is_method: bool,
}

/// What `break` and `next` leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    Nothing,
    Block,
    Loop,
}

/// The state of the lowering.
pub(crate) struct Lowering<'r> {
    ruby: &'r Ruby,
    scopes: Vec<Variables>,
    leaves: Leaves,
    depth: u32,
    dispatches: FxHashMap<Rc<str>, Rc<Dispatch>>,
    /// What is refused, with its offset in the template.
    pub refusals: Vec<(Refusal, u32)>,
}

impl<'r> Lowering<'r> {
    /// Creates the state for a program.
    pub fn new(ruby: &'r Ruby) -> Lowering<'r> {
        Lowering {
            ruby,
            scopes: vec![Variables { names: Vec::new(), is_method: true }],
            leaves: Leaves::Nothing,
            depth: 0,
            dispatches: FxHashMap::default(),
            refusals: Vec::new(),
        }
    }

    /// Lowers the program, and returns the number of its variables, too.
    ///
    /// # Errors
    /// Nesting that is too deep, literals that are not valid.
    pub fn program(&mut self, node: &RubyNode) -> Lowered<(Node, u32)> {
        let lowered = self.node(node)?;
        let count = self.scopes.first().map_or(0, |scope| scope.names.len());
        Ok((lowered, u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// Returns the offset in the template of a location.
    fn at(&self, location: &Loc) -> u32 {
        u32::try_from(self.ruby.template_offset(location.begin)).unwrap_or(u32::MAX)
    }

    fn error<T>(&self, location: &Loc, message: impl Into<String>) -> Lowered<T> {
        Err(Error::new(ErrorKind::Syntax, message, Some(self.at(location))))
    }

    /// Makes the expression of a construct that templates must not use.
    fn refuse(&mut self, construct: &str, location: &Loc) -> Lowered<Expr> {
        let refusal = Refusal { construct: construct.into() };
        self.refusals.push((refusal.clone(), self.at(location)));
        Ok(Expr::Refused(refusal))
    }

    /// Returns what calls of a method do for each class.
    fn dispatch(&mut self, name: &str) -> Rc<Dispatch> {
        if let Some(known) = self.dispatches.get(name) {
            return Rc::clone(known);
        }
        let dispatch = Rc::new(Dispatch::new(name.into()));
        self.dispatches.insert(name.into(), Rc::clone(&dispatch));
        dispatch
    }

    /// Finds a variable.
    fn find(&self, name: &str) -> Option<Local> {
        for (depth, scope) in self.scopes.iter().rev().enumerate() {
            if let Some(slot) = scope.names.iter().position(|known| &**known == name) {
                return Some(Local { depth: depth as u32, slot: slot as u32 });
            }
            if scope.is_method {
                return None;
            }
        }
        None
    }

    /// Adds a variable to the innermost scope.
    fn declare(&mut self, name: &str) -> Local {
        let mut slot = 0;
        if let Some(scope) = self.scopes.last_mut() {
            slot = scope.names.len() as u32;
            scope.names.push(name.into());
        }
        Local { depth: 0, slot }
    }

    /// Finds a variable, or adds it.
    fn variable(&mut self, name: &str) -> Local {
        match self.find(name) {
            Some(local) => local,
            None => self.declare(name),
        }
    }

    fn boxed(&mut self, node: &RubyNode) -> Lowered<Box<Node>> {
        Ok(Box::new(self.node(node)?))
    }

    fn optional(&mut self, node: Option<&RubyNode>) -> Lowered<Option<Box<Node>>> {
        node.map(|node| self.boxed(node)).transpose()
    }

    fn unboxed(&mut self, node: Option<&RubyNode>) -> Lowered<Option<Node>> {
        node.map(|node| self.node(node)).transpose()
    }

    fn list(&mut self, nodes: &[RubyNode]) -> Lowered<Vec<Node>> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    /// Lowers an expression.
    fn node(&mut self, node: &RubyNode) -> Lowered {
        if self.depth >= MAX_DEPTH {
            return self.error(node.expression(), format!("expressions are nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let lowered = with_stack(|| self.expr(node));
        self.depth -= 1;
        let location = match node {
            RubyNode::Send(send) => send.selector_l.as_ref().unwrap_or(&send.expression_l),
            RubyNode::CSend(send) => send.selector_l.as_ref().unwrap_or(&send.expression_l),
            RubyNode::Block(block) => match &*block.call {
                RubyNode::Send(send) => send.selector_l.as_ref().unwrap_or(&send.expression_l),
                other => other.expression(),
            },
            other => other.expression(),
        };
        Ok(Node { expr: lowered?, at: self.at(location) })
    }

    fn expr(&mut self, node: &RubyNode) -> Lowered<Expr> {
        let location = node.expression();
        Ok(match node {
            RubyNode::Nil(_) => Expr::Nil,
            RubyNode::True(_) => Expr::True,
            RubyNode::False(_) => Expr::False,
            RubyNode::Self_(_) => Expr::SelfObject,
            RubyNode::Int(int) => self.integer(&int.value, location)?,
            RubyNode::Float(float) => self.float(&float.value, location)?,
            RubyNode::Str(text) => Expr::Str(self.text(&text.value, location)?),
            RubyNode::Dstr(parts) => Expr::Interpolated(self.list(&parts.parts)?),
            RubyNode::Heredoc(heredoc) => Expr::Interpolated(self.list(&heredoc.parts)?),
            RubyNode::Sym(symbol) => Expr::Symbol(self.text(&symbol.name, location)?),
            RubyNode::Dsym(parts) => Expr::InterpolatedSymbol(self.list(&parts.parts)?),
            RubyNode::Regexp(regexp) => self.regexp(regexp)?,
            RubyNode::Array(array) => Expr::Array(self.arguments(&array.elements)?),
            RubyNode::Hash(hash) => Expr::Hash(self.entries(&hash.pairs)?),
            RubyNode::Kwargs(hash) => Expr::Keywords(self.entries(&hash.pairs)?),
            RubyNode::Irange(range) => Expr::Range {
                from: self.optional(range.left.as_deref())?,
                to: self.optional(range.right.as_deref())?,
                is_exclusive: false,
            },
            RubyNode::Erange(range) => Expr::Range {
                from: self.optional(range.left.as_deref())?,
                to: self.optional(range.right.as_deref())?,
                is_exclusive: true,
            },
            RubyNode::Lvar(variable) => Expr::Local(self.variable(&variable.name)),
            RubyNode::Ivar(variable) => Expr::Instance(variable.name.trim_start_matches('@').into()),
            RubyNode::NthRef(group) => Expr::Group(group.name.parse().unwrap_or(u32::MAX)),
            RubyNode::BackRef(part) => Expr::MatchPart(part.name.chars().last().unwrap_or('&')),
            RubyNode::Gvar(variable) if variable.name == "$~" => Expr::LastMatch,
            RubyNode::Gvar(variable) => self.refuse(&format!("the global variable {}", variable.name), location)?,
            RubyNode::Const(_) => self.constant(node)?,
            RubyNode::Send(send) => self.send(send)?,
            RubyNode::CSend(send) => self.safe_send(send)?,
            RubyNode::Index(index) => self.index(index)?,
            RubyNode::Block(block) => self.call_with_block(block)?,
            RubyNode::Numblock(block) => self.call_with_numbered_block(block)?,
            RubyNode::Yield(call) => Expr::Yield(self.arguments(&call.args)?),
            RubyNode::And(and) => Expr::And(self.boxed(&and.lhs)?, self.boxed(&and.rhs)?),
            RubyNode::Or(or) => Expr::Or(self.boxed(&or.lhs)?, self.boxed(&or.rhs)?),
            RubyNode::Defined(defined) => Expr::Defined(self.boxed(&defined.value)?),
            RubyNode::Begin(BeginNode { statements, .. }) => self.sequence(statements)?,
            RubyNode::KwBegin(begin) => self.sequence(&begin.statements)?,
            RubyNode::EmptyElse(_) => Expr::Nil,
            RubyNode::Line(_) => Expr::Int(i128::from(self.line(location))),
            RubyNode::Lvasgn(_)
            | RubyNode::Ivasgn(_)
            | RubyNode::IndexAsgn(_)
            | RubyNode::OpAsgn(_)
            | RubyNode::OrAsgn(_)
            | RubyNode::AndAsgn(_)
            | RubyNode::Masgn(_)
            | RubyNode::MatchWithLvasgn(_) => self.assignment(node)?,
            RubyNode::Def(definition) => self.definition(definition)?,
            RubyNode::Lambda(_) => self.refuse("a lambda without a body", location)?,
            _ => match self.control(node)? {
                Some(expr) => expr,
                None => self.refuse(construct_name(node), location)?,
            },
        })
    }

    fn line(&self, location: &Loc) -> u32 {
        let lines = self.ruby.text.get(..location.begin).map_or(0, |before| before.matches('\n').count());
        u32::try_from(lines + 1).unwrap_or(u32::MAX)
    }

    fn sequence(&mut self, statements: &[RubyNode]) -> Lowered<Expr> {
        Ok(match statements {
            [] => Expr::Nil,
            [single] => self.node(single)?.expr,
            statements => Expr::Sequence(self.list(statements)?),
        })
    }
}

/// Returns how messages call a construct that templates must not use.
fn construct_name(node: &RubyNode) -> &'static str {
    match node {
        RubyNode::Xstr(_) | RubyNode::XHeredoc(_) => "commands in backticks",
        RubyNode::Gvasgn(_) => "global variables",
        RubyNode::Cvar(_) | RubyNode::Cvasgn(_) => "class variables",
        RubyNode::Casgn(_) => "constants of their own",
        RubyNode::Class(_) | RubyNode::SClass(_) => "`class`",
        RubyNode::Module(_) => "`module`",
        RubyNode::Defs(_) => "methods of single objects (`def object.name`)",
        RubyNode::Alias(_) => "`alias`",
        RubyNode::Undef(_) => "`undef`",
        RubyNode::Super(_) | RubyNode::ZSuper(_) => "`super`",
        RubyNode::Preexe(_) | RubyNode::Postexe(_) => "`BEGIN` and `END`",
        RubyNode::CaseMatch(_) | RubyNode::MatchPattern(_) | RubyNode::MatchPatternP(_) => "pattern matching",
        RubyNode::Redo(_) => "`redo`",
        RubyNode::Retry(_) => "`retry`",
        RubyNode::Rational(_) => "rational numbers",
        RubyNode::Complex(_) => "complex numbers",
        RubyNode::IFlipFlop(_) | RubyNode::EFlipFlop(_) => "flip-flops",
        RubyNode::File(_) => "`__FILE__`",
        RubyNode::Encoding(_) => "`__ENCODING__`",
        _ => "this construct of Ruby",
    }
}
