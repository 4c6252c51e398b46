//! Definitions: classes, defines, nodes, functions, type aliases.

use serde::{Deserialize, Serialize};

use crate::ids::{ExprId, ParameterList, StrId, TextRange};

/// A definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Definition {
    Class(ClassDefinition),
    Define(DefineDefinition),
    Node(NodeDefinition),
    Function(FunctionDefinition),
    TypeAlias(TypeAlias),
}

/// `class name (…) inherits parent {…}`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassDefinition {
    /// The full name: inside another class, that class's name comes first.
    pub name: StrId,
    /// Where the name is.
    pub name_range: TextRange,
    /// The parameters.
    pub parameters: ParameterList,
    /// The class that it inherits from.
    pub parent: Option<StrId>,
    /// The body, an [`Expr::Block`](crate::Expr::Block).
    pub body: ExprId,
    /// The expression that is this definition.
    pub expr: ExprId,
}

/// `define name (…) {…}`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DefineDefinition {
    /// The full name: inside a class, that class's name comes first.
    pub name: StrId,
    /// Where the name is.
    pub name_range: TextRange,
    /// The parameters.
    pub parameters: ParameterList,
    /// The body, an [`Expr::Block`](crate::Expr::Block).
    pub body: ExprId,
    /// The expression that is this definition.
    pub expr: ExprId,
}

/// `node 'a', /b/, default {…}`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDefinition {
    /// The hosts, at least one.
    pub hosts: Vec<HostName>,
    /// The parent, which validation rejects.
    pub parent: Option<HostName>,
    /// The body, an [`Expr::Block`](crate::Expr::Block).
    pub body: ExprId,
    /// The expression that is this definition.
    pub expr: ExprId,
}

/// A host of a node definition: a string, an interpolation, a regexp or `default`, with the expression it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostName(pub ExprId);

/// `function name(…) >> Type {…}`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionDefinition {
    /// The name.
    pub name: StrId,
    /// Where the name is.
    pub name_range: TextRange,
    /// The parameters.
    pub parameters: ParameterList,
    /// The declared type of the result.
    pub returns: Option<ExprId>,
    /// The body, an [`Expr::Block`](crate::Expr::Block).
    pub body: ExprId,
    /// The expression that is this definition.
    pub expr: ExprId,
}

/// `type Name = …`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeAlias {
    /// The name, capitalized.
    pub name: StrId,
    /// Where the name is.
    pub name_range: TextRange,
    /// The type.
    pub value: ExprId,
    /// The expression that is this definition.
    pub expr: ExprId,
}

/// A parameter of a definition or lambda.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name without the dollar sign.
    pub name: StrId,
    /// The declared type.
    pub type_expr: Option<ExprId>,
    /// The default value.
    pub default: Option<ExprId>,
    /// `*$name` takes all further arguments.
    pub captures_rest: bool,
    /// Where the parameter is.
    pub range: TextRange,
}
