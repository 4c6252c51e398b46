//! Expressions other than resource expressions and definitions.

use serde::{Deserialize, Serialize};

use crate::ids::{
    CallId, CollectorId, DefinitionId, ExprId, ExprList, LambdaId, MethodCallId, ParameterList, ResourceId, StrId,
    TextRange,
};

/// An expression (spec 07 §5.3). Everything is one: statements, blocks, definitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// Where an expression could not be parsed. A syntax error was reported for it.
    Error,
    /// No expression: the value of an empty block.
    Nop,
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Boolean(bool),
    /// An integer.
    Integer(i64, Radix),
    /// A float.
    Float(f64),
    /// A string without interpolation, escapes resolved.
    String(StrId),
    /// `/regexp/`: the source, `\/` resolved.
    Regexp(StrId),
    /// A bare word that is a valid name, such as `file` or `a::b`.
    Name(StrId),
    /// A capitalized name, such as `File` or `A::B`.
    TypeName(StrId),
    /// A reserved word, which validation rejects.
    Reserved(StrId),
    /// `$name`, the name without the dollar sign; a leading `::` is kept.
    Variable(StrId),
    /// A string with interpolation: the segments are [`Expr::String`] and [`Expr::Text`].
    Interpolation(ExprList),
    /// `${…}` or `$name` in a string.
    Text(ExprId),
    /// A heredoc; the text is a [`Expr::String`] or an [`Expr::Interpolation`].
    Heredoc {
        /// The syntax to check, such as `json`.
        syntax: Option<StrId>,
        /// The text.
        text: ExprId,
    },
    /// `[…]`
    Array(ExprList),
    /// `{…}`: keys and values alternate.
    Hash(ExprList),
    /// `(…)`
    Parenthesized(ExprId),
    /// `!…`
    Not(ExprId),
    /// `-…`
    Negate(ExprId),
    /// `*…`
    Unfold(ExprId),
    /// A binary operator.
    Binary(BinaryOp, ExprId, ExprId),
    /// `left = right`, and the removed forms, which validation rejects.
    Assign(AssignOp, ExprId, ExprId),
    /// `left -> right` and so on.
    Arrow(ArrowOp, ExprId, ExprId),
    /// `left[keys]`
    Access(ExprId, ExprList),
    /// `name(…)`, `name …`, `Type(…)`
    Call(CallId),
    /// `receiver.name(…)`
    MethodCall(MethodCallId),
    /// `|…| {…}`, only as the block of a call.
    Lambda(LambdaId),
    /// `if test {…} else …`: the branches are [`Expr::Block`], [`Expr::Nop`], or for `elsif` an [`Expr::If`].
    If(ExprId, ExprId, ExprId),
    /// `unless test {…} else {…}`
    Unless(ExprId, ExprId, ExprId),
    /// `case test {…}`
    Case(ExprId, Vec<CaseOption>),
    /// `test ? {…}`
    Selector(ExprId, Vec<SelectorEntry>),
    /// Statements.
    Block(ExprList),
    /// `file { 'title': … }`
    Resource(ResourceId),
    /// `File { … }`: the index in [`Tree::defaults`](crate::Tree::defaults).
    ResourceDefaults(u32),
    /// `File['title'] { … }`: the index in [`Tree::overrides`](crate::Tree::overrides).
    ResourceOverride(u32),
    /// `File <| … |>`
    Collector(CollectorId),
    /// A class, define, node, function or type alias.
    Definition(DefinitionId),
    /// A template: its parameters and its body, an [`Expr::Block`].
    Epp {
        /// The parameters between bars at the start; `None` without bars.
        parameters: Option<ParameterList>,
        /// The body.
        body: ExprId,
    },
    /// Literal text of a template.
    RenderString(StrId),
    /// `<%= … %>`
    RenderExpr(ExprId),
}

/// How an integer was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Radix {
    Decimal,
    Octal,
    Hexadecimal,
}

/// A binary operator that computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    And,
    Or,
    In,
    Match,
    NotMatch,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl BinaryOp {
    /// Returns how the operator is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::In => "in",
            BinaryOp::Match => "=~",
            BinaryOp::NotMatch => "!~",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessOrEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterOrEqual => ">=",
        }
    }
}

/// `=`, and the operators that Puppet 4 removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum AssignOp {
    Assign,
    Add,
    Subtract,
}

impl AssignOp {
    /// Returns how the operator is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            AssignOp::Assign => "=",
            AssignOp::Add => "+=",
            AssignOp::Subtract => "-=",
        }
    }
}

/// An operator between resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArrowOp {
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    Require,
    /// `<~`
    Subscribe,
}

impl ArrowOp {
    /// Returns how the operator is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            ArrowOp::Before => "->",
            ArrowOp::Notify => "~>",
            ArrowOp::Require => "<-",
            ArrowOp::Subscribe => "<~",
        }
    }
}

/// A call of a function or of a type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// What is called: a [`Expr::Name`] or [`Expr::TypeName`]; validation rejects everything else.
    pub functor: ExprId,
    /// The arguments.
    pub arguments: ExprList,
    /// The lambda.
    pub block: Option<LambdaId>,
    /// Whether the value of the call is not used.
    pub is_statement: bool,
}

/// A call in the form `receiver.name(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodCall {
    /// The first argument.
    pub receiver: ExprId,
    /// The name of the function.
    pub name: StrId,
    /// Where the name is.
    pub name_range: TextRange,
    /// The other arguments.
    pub arguments: ExprList,
    /// The lambda.
    pub block: Option<LambdaId>,
    /// Whether the value of the call is not used.
    pub is_statement: bool,
}

/// A lambda.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lambda {
    /// The parameters.
    pub parameters: ParameterList,
    /// The declared type of the result.
    pub returns: Option<ExprId>,
    /// The body, an [`Expr::Block`].
    pub body: ExprId,
    /// Where it is.
    pub range: TextRange,
}

/// `values: {…}` in a `case`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseOption {
    /// The values, at least one.
    pub values: ExprList,
    /// The body, an [`Expr::Block`].
    pub body: ExprId,
    /// Where it is.
    pub range: TextRange,
}

/// `value => result` in a selector.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectorEntry {
    /// What the operand is compared with.
    pub value: ExprId,
    /// The result.
    pub result: ExprId,
}
