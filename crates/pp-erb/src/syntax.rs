//! The tree of a template: Ruby without what templates must not do.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::methods::Dispatch;
use crate::value::Regexp;

/// An expression, and where it is in the template.
#[derive(Debug)]
pub(crate) struct Node {
    /// The expression.
    pub expr: Expr,
    /// An offset in the template.
    pub at: u32,
}

/// The place of a local variable: how many scopes outwards, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub depth: u32,
    pub slot: u32,
}

/// The operator of an assignment that depends on the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogicalOperator {
    /// `&&=`: assigns if the old value is true.
    And,
    /// `||=`: assigns if it is not.
    Or,
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Expr {
    Nil,
    True,
    False,
    SelfObject,
    Int(i128),
    Float(f64),
    /// Each evaluation makes a new string.
    Str(Rc<str>),
    Symbol(Rc<str>),
    /// A string with `#{…}`.
    Interpolated(Vec<Node>),
    InterpolatedSymbol(Vec<Node>),
    Regexp(RegexpLiteral),
    Array(Vec<Argument>),
    Hash(Vec<Entry>),
    /// Entries without braces, as the last arguments of a call.
    Keywords(Vec<Entry>),
    Range {
        from: Option<Box<Node>>,
        to: Option<Box<Node>>,
        is_exclusive: bool,
    },
    Local(Local),
    Instance(Rc<str>),
    /// `$~`
    LastMatch,
    /// `$1`
    Group(u32),
    /// `` $` ``, `$'`, `$&`, `$+`
    MatchPart(char),
    Constant(Rc<str>),
    Call(Box<Call>),
    Yield(Vec<Argument>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Defined(Box<Node>),
    If {
        condition: Box<Node>,
        then: Option<Box<Node>>,
        otherwise: Option<Box<Node>>,
    },
    While {
        condition: Box<Node>,
        body: Option<Box<Node>>,
        kind: LoopKind,
    },
    For {
        target: Box<Target>,
        iterated: Box<Node>,
        body: Option<Box<Node>>,
    },
    Case {
        subject: Option<Box<Node>>,
        branches: Vec<Branch>,
        otherwise: Option<Box<Node>>,
    },
    Sequence(Vec<Node>),
    Assign(Box<Target>, Box<Node>),
    OperatorAssign {
        target: Box<Target>,
        operator: Rc<Dispatch>,
        value: Box<Node>,
    },
    LogicalAssign {
        target: Box<Target>,
        operator: LogicalOperator,
        value: Box<Node>,
    },
    MultipleAssign(Vec<Target>, Box<Node>),
    /// A regular expression with named groups on the left of `=~` sets local variables.
    MatchAssign {
        regexp: Box<Node>,
        value: Box<Node>,
        names: Vec<(Rc<str>, Local)>,
    },
    Define(Rc<Definition>),
    Return(Option<Box<Node>>),
    Break {
        value: Option<Box<Node>>,
        in_loop: bool,
    },
    Next {
        value: Option<Box<Node>>,
        in_loop: bool,
    },
    Begin(Box<Begin>),
    /// `-> { … }`
    Lambda(Rc<Block>),
    /// A literal text of the template, and the variable that it is appended to.
    Text(Local, u32),
    /// `<%= … %>`
    Output(Local, Option<Box<Node>>),
    /// What templates must not do, which is an error when it is reached.
    Refused(Refusal),
}

/// What is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The construct as it is written, or its name.
    pub construct: Rc<str>,
}

/// When a loop with a condition ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `while condition`
    While,
    /// `until condition`
    Until,
    /// `begin … end while condition`, whose body runs before the condition is evaluated.
    DoWhile,
    /// `begin … end until condition`, whose body runs before the condition is evaluated.
    DoUntil,
}

/// A regular expression, compiled once if nothing is interpolated.
#[derive(Debug)]
pub(crate) struct RegexpLiteral {
    pub parts: Vec<Node>,
    pub options: Rc<str>,
    pub compiled: OnceCell<Rc<Regexp>>,
}

/// An argument or an element.
#[derive(Debug)]
pub(crate) enum Argument {
    Plain(Node),
    /// `*list`
    Splat(Node),
}

/// An entry of a hash.
#[derive(Debug)]
pub(crate) enum Entry {
    Pair(Node, Node),
    /// `**hash`
    Splat(Node),
}

/// A call of a method.
#[derive(Debug)]
pub(crate) struct Call {
    pub receiver: Option<Node>,
    pub method: Rc<Dispatch>,
    pub arguments: Vec<Argument>,
    pub block: Option<BlockArgument>,
    /// `&.`
    pub is_safe: bool,
    /// A name alone, which could be a variable: an unknown one is called so.
    pub is_name: bool,
}

/// What is passed as a block.
#[derive(Debug)]
pub(crate) enum BlockArgument {
    Literal(Rc<Block>),
    /// `&value`
    Value(Node),
}

/// The code of a block or a method.
#[derive(Debug)]
pub(crate) struct Block {
    pub parameters: Parameters,
    pub body: Option<Node>,
    /// The number of its local variables, parameters included.
    pub slots: u32,
}

/// A method of the template.
#[derive(Debug)]
pub(crate) struct Definition {
    pub name: Rc<str>,
    pub block: Block,
}

/// Parameters.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub required: Vec<Target>,
    pub optional: Vec<(Target, Node)>,
    /// `*rest`, with or without a name.
    pub rest: Option<Option<Target>>,
    /// Required parameters after the others.
    pub after: Vec<Target>,
    /// `key: default`; without a default it is required.
    pub keywords: Vec<(Rc<str>, Target, Option<Node>)>,
    /// `&block`
    pub block: Option<Target>,
    /// One array is taken apart, because there is a comma.
    pub is_list: bool,
}

/// What can be assigned to.
#[derive(Debug)]
pub(crate) enum Target {
    Local(Local),
    Instance(Rc<str>),
    Index { receiver: Node, arguments: Vec<Argument> },
    Attribute { receiver: Node, setter: Rc<Dispatch>, getter: Rc<Dispatch> },
    Splat(Option<Box<Target>>),
    Multiple(Vec<Target>),
}

/// `when a, b then …`
#[derive(Debug)]
pub(crate) struct Branch {
    pub patterns: Vec<Argument>,
    pub body: Option<Node>,
}

/// `begin … rescue … else … ensure … end`
#[derive(Debug)]
pub(crate) struct Begin {
    pub body: Option<Node>,
    pub rescues: Vec<Rescue>,
    pub otherwise: Option<Node>,
    pub ensure: Option<Node>,
}

/// `rescue Class => variable`
#[derive(Debug)]
pub(crate) struct Rescue {
    /// No classes: standard errors.
    pub classes: Vec<Argument>,
    pub variable: Option<Target>,
    pub body: Option<Node>,
}
