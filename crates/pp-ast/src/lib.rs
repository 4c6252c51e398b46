//! The syntax tree of the Puppet language, as data.
//!
//! `pp-syntax` makes a [`Tree`] of each manifest, `pp-evaluator` reads it, and an environment artifact stores it. Expressions
//! refer to each other by index, lists of them are ranges of one table, and each distinct string is stored once.
//!
//! This crate knows nothing of tokens, values or evaluation.

mod children;
mod definition;
mod expr;
mod ids;
mod resource;
mod tree;
mod validate;

pub use definition::{
    ClassDefinition, DefineDefinition, Definition, FunctionDefinition, HostName, NodeDefinition, Parameter, TypeAlias,
};
pub use expr::{ArrowOp, AssignOp, BinaryOp, Call, CaseOption, Expr, Lambda, MethodCall, Radix, SelectorEntry};
pub use ids::{
    AttributeList, BodyList, CallId, CollectorId, DefinitionId, ExprId, ExprList, LambdaId, MethodCallId,
    ParameterList, ResourceId, StrId, TextRange,
};
pub use resource::{
    Attribute, AttributeName, AttributeOp, Collector, Query, ResourceBody, ResourceDefaults, ResourceExpr,
    ResourceForm, ResourceOverride,
};
pub use tree::{MAX_DEPTH, Tree};
pub use validate::InvalidTree;
