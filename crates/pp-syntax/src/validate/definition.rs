//! Definitions: where they are, their names, their parameters.

use pp_ast::{Definition, Expr, ExprId, HostName, NodeDefinition, ParameterList, TextRange, TypeAlias};
use rustc_hash::FxHashMap;

use crate::validate::callable::Callable;
use crate::validate::error::{ValidationError, ValidationErrorKind};
use crate::validate::label::{definition_label, label};
use crate::validate::names::{is_definition_name, is_host_name, is_numeric, is_parameter_name, is_type_name};
use crate::validate::{Place, Validator, is_top_level_only};

impl Validator<'_> {
    pub fn definition(&mut self, id: ExprId, definition: &Definition, place: Place) {
        let what = definition_label(definition);
        let start = self.head(id, definition);
        match place {
            Place::TopLevel | Place::Unknown => {}
            _ if is_top_level_only(definition) => self.error(ValidationErrorKind::NotAtTopLevel { what }, start),
            Place::Class => {}
            Place::Nested => self.error(ValidationErrorKind::Misplaced, start),
        }
        let tree = self.tree;
        match definition {
            Definition::Class(class) => {
                self.definition_name(tree.str(class.name), what, start);
                self.parameters(class.parameters, Callable::Class);
                self.block(class.body, Place::Class, Some(what));
            }
            Definition::Define(define) => {
                self.definition_name(tree.str(define.name), what, start);
                self.parameters(define.parameters, Callable::Define);
                self.block(define.body, Place::Nested, Some(what));
            }
            Definition::Function(function) => {
                self.definition_name(tree.str(function.name), what, start);
                self.parameters(function.parameters, Callable::Function);
                if let Some(returns) = function.returns {
                    self.expr(returns, Place::Nested);
                }
                self.block(function.body, Place::Nested, None);
            }
            Definition::Node(node) => self.node(node),
            Definition::TypeAlias(alias) => self.type_alias(alias),
        }
    }

    /// Returns a definition without its parameters and body.
    fn head(&self, id: ExprId, definition: &Definition) -> TextRange {
        let whole = self.focus(id);
        let end = match definition {
            Definition::Class(class) => class.name_range.end,
            Definition::Define(define) => define.name_range.end,
            Definition::Function(function) => function.name_range.end,
            Definition::TypeAlias(alias) => alias.name_range.end,
            Definition::Node(node) => {
                let first = node.hosts.first().map_or(whole, |HostName(host)| self.focus(*host));
                first.end
            }
        };
        TextRange { end: end.clamp(whole.start, whole.end), ..whole }
    }

    /// Checks the name of a class, define or function.
    fn definition_name(&mut self, name: &str, what: &'static str, at: TextRange) {
        if name.is_empty() {
            return;
        }
        if !is_definition_name(name) {
            self.error(ValidationErrorKind::DefinitionName { name: name.to_owned(), what }, at);
        } else if is_type_name(name) {
            self.error(ValidationErrorKind::ReservedTypeName { name: name.to_owned(), what }, at);
        } else if name == "plan" {
            self.error(ValidationErrorKind::FutureReservedWord { word: name.to_owned() }, at);
        }
    }

    pub fn parameters(&mut self, list: ParameterList, callable: Callable) {
        let tree = self.tree;
        let parameters = tree.parameters(list);
        let what = callable.label();
        let mut seen: FxHashMap<&str, TextRange> = FxHashMap::default();
        for (index, parameter) in parameters.iter().enumerate() {
            let name: &str = tree.str(parameter.name);
            self.parameter_name(name, parameter.range, callable);
            if parameter.captures_rest {
                if !matches!(callable, Callable::Function | Callable::Lambda) {
                    let kind = ValidationErrorKind::CapturesRest { name: name.to_owned(), what };
                    self.error(kind, parameter.range);
                } else if callable == Callable::Lambda && index + 1 < parameters.len() {
                    let kind = ValidationErrorKind::CapturesRestNotLast { name: name.to_owned() };
                    self.error(kind, parameter.range);
                }
            }
            let first = seen.insert(name, parameter.range);
            if let Some(first) = first.filter(|_| callable != Callable::Lambda) {
                let kind = ValidationErrorKind::DuplicateParameter { name: name.to_owned() };
                self.errors.push(ValidationError { kind, range: parameter.range, related: Some(first) });
            }
            if let Some(type_expr) = parameter.type_expr {
                self.expr(type_expr, Place::Nested);
            }
            if let Some(default) = parameter.default {
                let in_default = std::mem::replace(&mut self.in_default, true);
                self.expr(default, Place::Nested);
                self.in_default = in_default;
            }
        }
    }

    fn parameter_name(&mut self, name: &str, at: TextRange, callable: Callable) {
        let what = callable.label();
        let name = name.to_owned();
        if is_numeric(&name) {
            self.error(ValidationErrorKind::NumericParameterName { name }, at);
        } else if !is_parameter_name(&name) {
            self.error(ValidationErrorKind::ParameterName { name }, at);
        } else if matches!(callable, Callable::Class | Callable::Define) && matches!(&*name, "title" | "name") {
            self.error(ValidationErrorKind::BuiltInParameter { name, what }, at);
        }
    }

    fn node(&mut self, node: &NodeDefinition) {
        for host in &node.hosts {
            self.host(host.0);
        }
        if let Some(parent) = node.parent {
            self.error_at(ValidationErrorKind::NodeInheritance, parent.0);
        }
        self.block(node.body, Place::Nested, Some("Node Definition"));
    }

    fn host(&mut self, id: ExprId) {
        let tree = self.tree;
        match &tree.exprs[id] {
            Expr::Interpolation(segments) => {
                let segments = tree.list(*segments);
                let at = segments.iter().find_map(|segment| match tree.exprs[*segment] {
                    Expr::Text(inner) => Some(inner),
                    _ => None,
                });
                self.error_at(ValidationErrorKind::InterpolatedHostName, at.unwrap_or(id));
            }
            Expr::String(name) if !is_host_name(tree.str(*name)) => {
                let name = tree.str(*name).to_string();
                self.error_at(ValidationErrorKind::HostName { name }, id);
            }
            _ => {}
        }
    }

    fn type_alias(&mut self, alias: &TypeAlias) {
        let tree = self.tree;
        if matches!(tree.exprs[alias.value], Expr::Array(_)) {
            let what = label(tree, alias.value);
            let kind = ValidationErrorKind::UnacceptableAs { what, role: "a type reference in a Type Alias" };
            self.error_at(kind, alias.value);
        }
        self.expr(alias.value, Place::Nested);
    }
}
