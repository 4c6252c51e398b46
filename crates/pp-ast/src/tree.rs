//! The tables of a tree.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{FileId, Span, table};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::definition::{Definition, Parameter};
use crate::expr::{Call, Expr, Lambda, MethodCall};
use crate::ids::{
    AttributeList, BodyList, CallId, CollectorId, DefinitionId, ExprId, ExprList, LambdaId, MethodCallId,
    ParameterList, ResourceId, StrId, TextRange,
};
use crate::resource::{Attribute, Collector, ResourceBody, ResourceDefaults, ResourceExpr, ResourceOverride};

/// The number of expressions on the longest path from the root of a tree. The parser rejects deeper programs, so that
/// recursion over a tree is bounded.
pub const MAX_DEPTH: usize = 1000;

/// The syntax tree of one manifest or EPP template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The file.
    pub file: FileId,
    /// The program: a [`Expr::Block`], or an [`Expr::Epp`] for a template.
    pub root: Option<ExprId>,
    /// The expressions.
    #[serde(with = "table")]
    pub exprs: PrimaryMap<ExprId, Expr>,
    /// Where each expression is, by [`ExprId`].
    #[serde(with = "table")]
    pub ranges: PrimaryMap<ExprId, TextRange>,
    /// Where the operator is of each expression that errors point at by its operator, in the order of the ids.
    pub operators: Vec<(ExprId, TextRange)>,
    /// The elements of all lists of expressions.
    pub expr_lists: Vec<ExprId>,
    /// The distinct names and literal strings.
    #[serde(with = "table")]
    pub strings: PrimaryMap<StrId, Arc<str>>,
    /// The calls of functions.
    #[serde(with = "table")]
    pub calls: PrimaryMap<CallId, Call>,
    /// The calls in the form `receiver.name(…)`.
    #[serde(with = "table")]
    pub method_calls: PrimaryMap<MethodCallId, MethodCall>,
    /// The lambdas.
    #[serde(with = "table")]
    pub lambdas: PrimaryMap<LambdaId, Lambda>,
    /// The resource expressions.
    #[serde(with = "table")]
    pub resources: PrimaryMap<ResourceId, ResourceExpr>,
    /// The resource defaults.
    pub defaults: Vec<ResourceDefaults>,
    /// The resource overrides.
    pub overrides: Vec<ResourceOverride>,
    /// The collectors.
    #[serde(with = "table")]
    pub collectors: PrimaryMap<CollectorId, Collector>,
    /// The bodies of all resource expressions.
    pub bodies: Vec<ResourceBody>,
    /// The attributes of all bodies, defaults, overrides and collectors.
    pub attributes: Vec<Attribute>,
    /// The parameters of all definitions and lambdas.
    pub parameters: Vec<Parameter>,
    /// All definitions, outer ones after those inside them.
    #[serde(with = "table")]
    pub definitions: PrimaryMap<DefinitionId, Definition>,
}

impl Tree {
    /// Creates a tree without expressions.
    #[must_use]
    pub fn new(file: FileId) -> Tree {
        Tree {
            file,
            root: None,
            exprs: PrimaryMap::new(),
            ranges: PrimaryMap::new(),
            operators: Vec::new(),
            expr_lists: Vec::new(),
            strings: PrimaryMap::new(),
            calls: PrimaryMap::new(),
            method_calls: PrimaryMap::new(),
            lambdas: PrimaryMap::new(),
            resources: PrimaryMap::new(),
            defaults: Vec::new(),
            overrides: Vec::new(),
            collectors: PrimaryMap::new(),
            bodies: Vec::new(),
            attributes: Vec::new(),
            parameters: Vec::new(),
            definitions: PrimaryMap::new(),
        }
    }

    /// Makes space for the expressions and lists of a text of some tokens. Nearly all texts need less; what is not used takes no
    /// memory, but tables that grow would be copied.
    pub fn reserve(&mut self, tokens: usize) {
        self.exprs.reserve(tokens * 3 / 4);
        self.ranges.reserve(tokens * 3 / 4);
        self.expr_lists.reserve(tokens / 2);
        self.attributes.reserve(tokens / 4);
    }

    /// Returns the location of an expression.
    #[must_use]
    pub fn span(&self, id: ExprId) -> Span {
        self.range_span(self.ranges[id])
    }

    /// Returns what an error about an expression points at, which is where Puppet reports it: the operator of a binary
    /// expression, assignment or arrow, the dot or parenthesis of a method call, and otherwise the expression (spec 07 §5.18).
    #[must_use]
    pub fn focus(&self, id: ExprId) -> Span {
        match self.operators.binary_search_by_key(&id, |(expr, _)| *expr) {
            Ok(at) => self.range_span(self.operators[at].1),
            Err(_) => self.span(id),
        }
    }

    /// Returns a range of the file as a span.
    #[must_use]
    pub fn range_span(&self, range: TextRange) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    /// Returns a string.
    #[must_use]
    pub fn str(&self, id: StrId) -> &Arc<str> {
        &self.strings[id]
    }

    /// Returns the elements of a list of expressions.
    #[must_use]
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.expr_lists[list.range()]
    }

    /// Returns the elements of a list of attributes.
    #[must_use]
    pub fn attributes(&self, list: AttributeList) -> &[Attribute] {
        &self.attributes[list.range()]
    }

    /// Returns the bodies of a resource expression.
    #[must_use]
    pub fn bodies(&self, list: BodyList) -> &[ResourceBody] {
        &self.bodies[list.range()]
    }

    /// Returns the elements of a list of parameters.
    #[must_use]
    pub fn parameters(&self, list: ParameterList) -> &[Parameter] {
        &self.parameters[list.range()]
    }

    /// Adds an expression.
    pub fn add(&mut self, expr: Expr, range: TextRange) -> ExprId {
        self.ranges.push(range);
        self.exprs.push(expr)
    }

    /// Adds an expression whose errors point at its operator.
    pub fn add_at_operator(&mut self, expr: Expr, range: TextRange, operator: TextRange) -> ExprId {
        let id = self.add(expr, range);
        self.operators.push((id, operator));
        id
    }

    /// Adds a list of expressions.
    pub fn add_list(&mut self, list: &[ExprId]) -> ExprList {
        let start = index(self.expr_lists.len());
        self.expr_lists.extend_from_slice(list);
        ExprList { start, len: index(list.len()) }
    }

    /// Adds a list of attributes.
    pub fn add_attributes(&mut self, list: Vec<Attribute>) -> AttributeList {
        let (start, len) = (index(self.attributes.len()), index(list.len()));
        self.attributes.extend(list);
        AttributeList { start, len }
    }

    /// Adds the bodies of a resource expression.
    pub fn add_bodies(&mut self, list: Vec<ResourceBody>) -> BodyList {
        let (start, len) = (index(self.bodies.len()), index(list.len()));
        self.bodies.extend(list);
        BodyList { start, len }
    }

    /// Adds a list of parameters.
    pub fn add_parameters(&mut self, list: Vec<Parameter>) -> ParameterList {
        let (start, len) = (index(self.parameters.len()), index(list.len()));
        self.parameters.extend(list);
        ParameterList { start, len }
    }

    /// Adds a string, or returns the id of an equal one in `known`, which the builder of the tree keeps.
    pub fn intern(&mut self, known: &mut FxHashMap<Arc<str>, StrId>, text: &str) -> StrId {
        if let Some(id) = known.get(text) {
            return *id;
        }
        let shared: Arc<str> = text.into();
        let id = self.strings.push(Arc::clone(&shared));
        known.insert(shared, id);
        id
    }
}

/// A file has fewer than 2^32 bytes, so a table of its tree has fewer entries.
fn index(len: usize) -> u32 {
    u32::try_from(len).expect("a table of a tree has fewer than 2^32 entries")
}
