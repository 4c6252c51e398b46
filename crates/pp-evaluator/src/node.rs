//! The choice of the node (spec 07 §5.9, §5.16).

use std::rc::Rc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use pp_ast::{Expr, HostName, NodeDefinition, Tree};
use pp_catalog::{Catalog, NewResource, Parameters, Reference, ResourceKind, Source, SourceKind};
use pp_types::{Error, ErrorKind, Regexp, Value, matches_option};

use crate::definitions::Defined;
use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::scope::{Captures, Scope, ScopeKind, TOP};
use crate::stop::{Eval, Stop, illegal_jump, unlocated};

impl<'e> Evaluator<'e> {
    /// Evaluates the node block that fits the node, if the program has any.
    pub(crate) fn evaluate_node(&mut self) -> Eval<()> {
        if self.definitions.nodes.is_empty() {
            return Ok(());
        }
        let Some((node, name, span, captures)) = self.choose_node()? else {
            let message = format!("Could not find node statement with name 'default' or '{}'", self.options.node);
            let help = "add `node default { }` for all nodes that no other block names";
            return Err(unlocated(Error::new(ErrorKind::Unknown, message).help(help)).code(Code::P0512));
        };
        let new = NewResource {
            reference: Reference { type_name: "Node".into(), title: name.as_str().into() },
            kind: ResourceKind::Node,
            parameters: Parameters::default(),
            location: pp_catalog::Location::default(),
            scope: Catalog::MAIN_CLASS,
            source: Catalog::MAIN_SOURCE,
            is_virtual: false,
            exported: false,
            is_number: false,
        };
        let id = self.catalog.add(new).map_err(|error| self.catalog_error(&error, Some(span)))?;
        self.catalog.mark_evaluated(id);
        self.catalog.add_class_name(&name);
        let mut scope = Scope::new(ScopeKind::Node, Some(TOP));
        let source = Source { kind: SourceKind::Node, name: name.as_str().into(), parent: None };
        (scope.resource, scope.source) = (id, self.catalog.add_source(source));
        self.catalog.set_scope_around(id, Catalog::MAIN_CLASS);
        scope.captures = captures;
        scope.variables.insert("title".into(), Value::from(name.clone()));
        scope.variables.insert("name".into(), Value::from(name.clone()));
        let scope = self.scopes.add(scope);
        self.node_scope = Some(scope);
        let frame = Frame { tree: node.tree, scope, local: None };
        let first = self.errors.len();
        let result = self.within(frame, |this| this.eval_body(node.definition.body));
        let block = format!("in the block of node `{name}`");
        self.errors.trace_from(first, Some(span), &block);
        match result {
            Err(Stop::Jump(jump)) => Err(illegal_jump(&jump)),
            Err(stop) => Err(stop.trace(Some(span), block)),
            Ok(_) => Ok(()),
        }
    }

    /// Returns the block, the name that the node has in the catalog, its location, and the captures of a regular expression.
    #[allow(clippy::type_complexity, reason = "a tuple for one caller")]
    fn choose_node(&self) -> Eval<Option<(Defined<'e, NodeDefinition>, String, Span, Option<Captures>)>> {
        let mut default = None;
        let mut by_regexp = None;
        for node in &self.definitions.nodes {
            for HostName(host) in &node.definition.hosts {
                let span = node.tree.span(*host);
                match host_kind(node.tree, *host) {
                    Host::Default => default = default.or(Some((*node, "default".to_owned(), span, None))),
                    Host::Name(name) => {
                        if name == self.options.node.to_lowercase() {
                            return Ok(Some((*node, name, span, None)));
                        }
                    }
                    Host::Regexp(source) => {
                        if by_regexp.is_some() {
                            continue;
                        }
                        let regexp = Value::Regexp(Regexp::new(source));
                        let subject = Value::String(self.options.node.clone());
                        let (matched, captures) =
                            matches_option(&regexp, &subject).map_err(|error| Stop::at(span, error))?;
                        if matched {
                            let groups = captures.unwrap_or_default().into_iter();
                            let captures: Captures = Rc::from(groups.map(|g| g.map(Into::into)).collect::<Vec<_>>());
                            by_regexp = Some((*node, regexp_name(source), span, Some(captures)));
                        }
                    }
                }
            }
        }
        Ok(by_regexp.or(default))
    }
}

enum Host<'t> {
    Default,
    Name(String),
    Regexp(&'t str),
}

fn host_kind(tree: &Tree, host: pp_ast::ExprId) -> Host<'_> {
    match &tree.exprs[host] {
        Expr::Default => Host::Default,
        Expr::Regexp(source) => Host::Regexp(tree.str(*source)),
        Expr::String(name) | Expr::Name(name) => Host::Name(tree.str(*name).to_lowercase()),
        Expr::Parenthesized(inner) | Expr::Text(inner) => host_kind(tree, *inner),
        Expr::Interpolation(segments) => {
            let mut name = String::new();
            for segment in tree.list(*segments) {
                if let Host::Name(part) = host_kind(tree, *segment) {
                    name.push_str(&part);
                }
            }
            Host::Name(name)
        }
        Expr::Integer(number, _) => Host::Name(number.to_string()),
        // Validation rejects everything else.
        _ => Host::Name(String::new()),
    }
}

/// Returns the title of the resource of a node that is matched by a regular expression (spec 07 §1.3).
fn regexp_name(source: &str) -> String {
    let kept: String =
        source.to_lowercase().chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')).collect();
    format!("__node_regexp__{}", kept.trim_start_matches('.'))
}

/// Returns the errors of node blocks that name the same node.
pub(crate) fn duplicate_nodes(definitions: &[Defined<'_, NodeDefinition>]) -> Vec<Diagnostic> {
    let mut seen: rustc_hash::FxHashMap<String, Span> = rustc_hash::FxHashMap::default();
    let mut errors = Vec::new();
    for node in definitions {
        for HostName(host) in &node.definition.hosts {
            let span = node.tree.span(*host);
            let name = match host_kind(node.tree, *host) {
                Host::Default => "default".to_owned(),
                Host::Name(name) => name,
                Host::Regexp(source) => regexp_name(source),
            };
            if let Some(first) = seen.insert(name.clone(), span) {
                let text = format!("Node '{name}' is already defined; cannot redefine");
                let error = Diagnostic::error(Code::P0504, Stage::Puppet, text).at_with(span, "defined again");
                errors.push(error.label(first, "first definition"));
            }
        }
    }
    errors
}
