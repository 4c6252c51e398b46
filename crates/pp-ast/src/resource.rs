//! Resource expressions, defaults, overrides and collectors.

use serde::{Deserialize, Serialize};

use crate::ids::{AttributeList, BodyList, ExprId, StrId, TextRange};

/// Whether a resource is realised at once, on demand, or exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ResourceForm {
    /// `file { … }`
    Regular,
    /// `@file { … }`
    Virtual,
    /// `@@file { … }`
    Exported,
}

/// `file { 'title': … }`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceExpr {
    /// Regular, virtual or exported.
    pub form: ResourceForm,
    /// The type: a [`Name`](crate::Expr::Name), which may be `class`, a type name, an access such as `Resource[$type]`, or any
    /// expression that validation rejects.
    pub type_name: ExprId,
    /// The bodies.
    pub bodies: BodyList,
}

/// `'title': …`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceBody {
    /// The title; [`Default`](crate::Expr::Default) for the attributes of the other bodies.
    pub title: ExprId,
    /// The attributes.
    pub attributes: AttributeList,
}

/// `name => value`, `name +> value` or `* => value`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// The name.
    pub name: AttributeName,
    /// Where the name, or `*`, is.
    pub name_range: TextRange,
    /// The operator.
    pub op: AttributeOp,
    /// The value.
    pub value: ExprId,
}

/// The left side of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttributeName {
    /// A name.
    Name(StrId),
    /// `*`: the value is a hash of attributes.
    Splat,
}

/// The operator of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttributeOp {
    /// `=>`
    Set,
    /// `+>`
    Append,
}

/// `File { … }`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceDefaults {
    /// Anything but regular is rejected by validation.
    pub form: ResourceForm,
    /// The type.
    pub type_name: ExprId,
    /// The attributes.
    pub attributes: AttributeList,
}

/// `File['title'] { … }`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceOverride {
    /// Anything but regular is rejected by validation.
    pub form: ResourceForm,
    /// The reference.
    pub resources: ExprId,
    /// The attributes.
    pub attributes: AttributeList,
}

/// `File <| … |> { … }`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collector {
    /// The type.
    pub type_name: ExprId,
    /// Which resources.
    pub query: Query,
    /// The attributes to override; `None` without braces.
    pub attributes: Option<AttributeList>,
}

/// The query of a collector: an expression of `==`, `!=`, `and`, `or`, or `None` for all resources.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Query {
    /// `<| … |>`
    Virtual(Option<ExprId>),
    /// `<<| … |>>`
    Exported(Option<ExprId>),
}
