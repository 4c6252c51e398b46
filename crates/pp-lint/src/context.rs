//! What lints see of a file, and where they put their warnings.

use mcl_diagnostics::{Code, Diagnostic, SourceFile, Span, Stage};
use pp_ast::{Attribute, AttributeName, Expr, ExprId, ResourceExpr, TextRange, Tree};
use pp_resource_types::{ResourceType, Scalar, is_delivered_with_puppet};
use rustc_hash::FxHashSet;

use crate::ignore::Ignored;
use crate::interface::Definitions;
use crate::source_map::SourceMap;

/// A file to check.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// Its tree, without syntax errors.
    pub tree: &'a Tree,
    /// If it is in `manifests` of a module: the name of the class or define that it is for, e.g. `apache::mod::ssl`.
    pub autoload_name: Option<&'a str>,
    /// What its code can use.
    pub definitions: &'a dyn Definitions,
}

/// What a lint looks at.
pub(crate) struct Context<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) text: &'a str,
    pub(crate) tree: &'a Tree,
    pub(crate) map: &'a SourceMap,
}

impl<'a> Context<'a> {
    pub(crate) fn range(&self, id: ExprId) -> TextRange {
        self.tree.ranges[id]
    }

    /// Returns the number of the line on which a range starts, the first being 1.
    pub(crate) fn line(&self, range: TextRange) -> usize {
        self.subject.file.line_of(range.start) + 1
    }

    /// Returns the text of a range; empty if it is out of bounds.
    pub(crate) fn slice(&self, range: TextRange) -> &'a str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    /// Returns the range of the last character; empty if the text is.
    pub(crate) fn last_character(&self) -> TextRange {
        let start = self.text.char_indices().next_back().map_or(0, |(at, _)| at);
        TextRange { start: start as u32, end: self.text.len() as u32 }
    }

    /// Returns the text of an expression.
    pub(crate) fn source(&self, id: ExprId) -> &'a str {
        self.slice(self.range(id))
    }

    /// Returns the value of a string literal.
    pub(crate) fn string(&self, id: ExprId) -> Option<&'a str> {
        match &self.tree.exprs[id] {
            Expr::String(text) => Some(self.tree.str(*text)),
            _ => None,
        }
    }

    /// Returns the name of the type of a resource, if the manifest shows it.
    pub(crate) fn type_name(&self, resource: &ResourceExpr) -> Option<&'a str> {
        match &self.tree.exprs[resource.type_name] {
            Expr::Name(name) => Some(self.tree.str(*name).trim_start_matches("::")),
            _ => None,
        }
    }

    /// Returns the type of a resource if Puppet is delivered with it. Those of other modules may differ between versions.
    pub(crate) fn delivered_type(&self, resource: &ResourceExpr) -> Option<&'static ResourceType> {
        self.type_name(resource).filter(|name| is_delivered_with_puppet(name)).and_then(pp_resource_types::find)
    }

    /// Returns the name of an attribute; `None` for all of a hash.
    pub(crate) fn attribute_name(&self, attribute: &Attribute) -> Option<&'a str> {
        match attribute.name {
            AttributeName::Name(name) => Some(self.tree.str(name)),
            AttributeName::Splat => None,
        }
    }

    /// Returns the names of all attributes that are set for resources from outside of their declarations.
    pub(crate) fn names_set_elsewhere(&self) -> FxHashSet<&'a str> {
        let tree = self.tree;
        let defaults = tree.defaults.iter().map(|defaults| defaults.attributes);
        let overrides = tree.overrides.iter().map(|overrides| overrides.attributes);
        let collectors = tree.collectors.values().filter_map(|collector| collector.attributes);
        let attributes = defaults.chain(overrides).chain(collectors).flat_map(|list| tree.attributes(list));
        attributes.filter_map(|attribute| self.attribute_name(attribute)).collect()
    }

    /// Returns the elements of an array, or the value itself.
    pub(crate) fn elements<'b>(&self, value: &'b ExprId) -> &'b [ExprId]
    where
        'a: 'b,
    {
        match &self.tree.exprs[*value] {
            Expr::Array(elements) => self.tree.list(*elements),
            _ => std::slice::from_ref(value),
        }
    }

    /// Returns the value of a constant.
    pub(crate) fn scalar(&self, value: ExprId) -> Option<Scalar<'a>> {
        match &self.tree.exprs[value] {
            Expr::Boolean(value) => Some(Scalar::Boolean(*value)),
            Expr::Integer(value, _) => Some(Scalar::Integer(*value)),
            Expr::Float(value) => Some(Scalar::Float(*value)),
            Expr::String(text) | Expr::Name(text) => Some(Scalar::Text(self.tree.str(*text))),
            Expr::Heredoc { text, .. } => self.string(*text).map(Scalar::Text),
            Expr::Hash(_) => Some(Scalar::Hash),
            _ => None,
        }
    }

    /// Returns a bare word or a string literal.
    pub(crate) fn word(&self, id: ExprId) -> Option<&'a str> {
        match &self.tree.exprs[id] {
            Expr::Name(text) | Expr::TypeName(text) | Expr::String(text) => Some(self.tree.str(*text)),
            _ => None,
        }
    }
}

/// Collects warnings.
pub(crate) struct Findings<'a> {
    subject: Subject<'a>,
    is_on: &'a dyn Fn(Code) -> bool,
    ignored: Ignored,
    out: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    /// Starts without warnings.
    pub(crate) fn new(subject: Subject<'a>, is_on: &'a dyn Fn(Code) -> bool, ignored: Ignored) -> Findings<'a> {
        Findings { subject, is_on, ignored, out: Vec::new() }
    }

    /// Returns the warnings in the order of their locations.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.out.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.start, span.end)));
        self.out
    }

    /// Whether a lint is on. Costly lints ask before they start.
    pub(crate) fn is_on(&self, code: Code) -> bool {
        (self.is_on)(code)
    }

    /// Adds a warning, unless the lint is off or ignored there.
    pub(crate) fn add(&mut self, code: Code, range: TextRange, message: impl Into<String>, help: impl Into<String>) {
        if !self.is_on(code) || self.ignored.contains(code, self.subject.file.line_of(range.start)) {
            return;
        }
        let span = Span::new(self.subject.tree.file, range.start, range.end);
        self.out.push(Diagnostic::warning(code, Stage::Puppet, message).at(span).help(help));
    }
}
