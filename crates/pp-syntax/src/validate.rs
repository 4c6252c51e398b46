//! Rejects what the grammar allows, but no program can mean (spec 07 §5.9, §9.1, §9.2).

mod assignment;
mod attributes;
mod callable;
mod definition;
mod duplicate;
mod effect;
mod error;
mod heredoc;
mod label;
mod location;
mod message;
mod names;
mod query;

use mcl_diagnostics::{Diagnostic, Severity, Span};
use pp_ast::{Definition, Expr, ExprId, LambdaId, TextRange, Tree};
use rustc_hash::FxHashSet;

pub use location::{ModuleFile, ModuleFolder, validate_location};

use crate::parse::Fragments;
use crate::validate::callable::Callable;
use crate::validate::effect::Purity;
use crate::validate::error::{ValidationError, ValidationErrorKind};
use crate::validate::label::label;
use crate::validate::names::{VariableNameError, variable_name_error};

/// How strict validation is. Puppet has the setting `strict` for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidationOptions {
    /// How duplicate literal keys of a hash are reported; `None` for not at all.
    pub duplicate_keys: Option<Severity>,
}

impl Default for ValidationOptions {
    /// The defaults of Puppet 7.
    fn default() -> ValidationOptions {
        ValidationOptions { duplicate_keys: Some(Severity::Warning) }
    }
}

/// Checks a tree that was parsed without errors, and returns errors and warnings in the order of the source.
#[must_use]
pub fn validate(tree: &Tree, text: &str, options: ValidationOptions) -> Vec<Diagnostic> {
    validate_tree(tree, text, options, Validator::program)
}

/// Runs some of the checks over a tree.
fn validate_tree<'t>(
    tree: &'t Tree,
    text: &'t str,
    options: ValidationOptions,
    check: impl FnOnce(&mut Validator<'t>),
) -> Vec<Diagnostic> {
    let mut validator = Validator {
        tree,
        text,
        options,
        purity: Purity::new(tree),
        in_default: false,
        variable_names: FxHashSet::default(),
        errors: Vec::new(),
    };
    check(&mut validator);
    let mut errors = validator.errors;
    errors.sort_by_key(|error| error.range.start);
    errors.into_iter().map(|error| error.diagnostic(tree.file, options)).collect()
}

/// Checks what could be parsed of a text with syntax errors. What may be a consequence of them is not reported, and neither is
/// where definitions are.
#[must_use]
pub fn validate_fragments(fragments: &Fragments, text: &str, options: ValidationOptions) -> Vec<Diagnostic> {
    let doubtful = joined(&fragments.doubtful);
    // Of the ranges that start before the end of a span, the last one ends last.
    let is_doubtful = |span: Span| {
        let before = doubtful.partition_point(|range| range.start <= span.end);
        before.checked_sub(1).is_some_and(|last| doubtful[last].end > span.start)
    };
    let mut found: Vec<Diagnostic> = fragments
        .trees
        .iter()
        .flat_map(|tree| validate_tree(tree, text, options, Validator::fragments))
        .filter(|error| error.span.is_some_and(|span| !is_doubtful(span)))
        .collect();
    // Recovery may parse a statement again.
    let mut seen = FxHashSet::default();
    found.retain(|error| seen.insert((error.code.name(), error.span.map(|span| (span.start, span.end)))));
    found
}

/// Returns the ranges without those that touch each other.
fn joined(ranges: &[TextRange]) -> Vec<TextRange> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<TextRange> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Where a statement is, which decides what can be defined there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Outside of everything.
    TopLevel,
    /// Directly in the body of a class.
    Class,
    /// Anywhere else.
    Nested,
    /// Not known, because what is around it could not be parsed.
    Unknown,
}

struct Validator<'t> {
    tree: &'t Tree,
    text: &'t str,
    options: ValidationOptions,
    purity: Purity,
    /// Whether the expression is in the default value of a parameter.
    in_default: bool,
    /// The invalid names of variables that were reported: each use is the same mistake.
    variable_names: FxHashSet<String>,
    errors: Vec<ValidationError>,
}

impl Validator<'_> {
    /// Checks a whole tree.
    fn program(&mut self) {
        let Some(root) = self.tree.root else { return };
        match &self.tree.exprs[root] {
            Expr::Block(_) => self.block(root, Place::TopLevel, None),
            _ => self.expr(root, Place::Nested),
        }
    }

    /// Checks the expressions that are not part of others.
    fn fragments(&mut self) {
        let tree = self.tree;
        let mut is_part = vec![false; tree.exprs.len()];
        for id in tree.exprs.keys() {
            tree.for_each_child(id, |child| {
                if let Some(is_part) = is_part.get_mut(child.as_u32() as usize) {
                    *is_part = true;
                }
            });
        }
        for id in tree.exprs.keys().filter(|id| !is_part[id.as_u32() as usize]) {
            match &tree.exprs[id] {
                Expr::Block(statements) if !self.is_pair(tree.list(*statements)) => {
                    self.block(id, Place::Unknown, None);
                }
                _ => self.expr(id, Place::Unknown),
            }
        }
    }

    /// Whether statements are a name and a hash, which is how a resource without a title is parsed.
    fn is_pair(&self, statements: &[ExprId]) -> bool {
        let exprs = &self.tree.exprs;
        matches!(statements, [name, hash] if matches!((&exprs[*name], &exprs[*hash]), (Expr::Name(_), Expr::Hash(_))))
    }

    fn error(&mut self, kind: ValidationErrorKind, range: TextRange) {
        self.errors.push(ValidationError { kind, range, related: None });
    }

    fn error_at(&mut self, kind: ValidationErrorKind, id: ExprId) {
        self.error(kind, self.focus(id));
    }

    /// Returns where errors about an expression are reported.
    fn focus(&self, id: ExprId) -> TextRange {
        let span = self.tree.focus(id);
        TextRange { start: span.start, end: span.end }
    }

    /// Returns whether a statement is a type, and the next one on its line an assignment: `Integer $x = 1`.
    fn is_type_of_variable(&self, statement: ExprId, next: ExprId) -> bool {
        let tree = self.tree;
        let is_type = |id: ExprId| matches!(tree.exprs[id], Expr::TypeName(_));
        let types = match &tree.exprs[statement] {
            Expr::Access(left, _) => is_type(*left),
            _ => is_type(statement),
        };
        let between = tree.ranges[statement].end as usize..tree.ranges[next].start as usize;
        types
            && matches!(tree.exprs[next], Expr::Assign(..))
            && self.text.get(between).is_some_and(|between| !between.contains('\n'))
    }

    /// Checks the statements of a body. `container` is the label of a class, define or node, which cannot end with a value.
    fn block(&mut self, id: ExprId, place: Place, container: Option<&'static str>) {
        let tree = self.tree;
        let Expr::Block(list) = &tree.exprs[id] else { return self.expr(id, place) };
        let list = tree.list(*list);
        let mut previous_is_pure = false;
        for (index, statement) in list.iter().enumerate() {
            let is_last = index + 1 == list.len();
            let is_pure = self.purity.is_pure(*statement) && !is_without_title(tree, *statement);
            if is_pure {
                let what = || label(tree, *statement);
                match container {
                    // One mistake, such as a missing parenthesis, leaves several values behind: the first one says enough.
                    _ if !is_last && !previous_is_pure => {
                        let what = what();
                        let kind = if self.is_type_of_variable(*statement, list[index + 1]) {
                            ValidationErrorKind::TypeOfVariable { what }
                        } else {
                            let is_regexp = matches!(tree.exprs[*statement], Expr::Regexp(_));
                            ValidationErrorKind::NoEffect { what, is_regexp }
                        };
                        self.error_at(kind, *statement);
                    }
                    Some(container) if is_last => {
                        self.error_at(ValidationErrorKind::NoEffectAtEnd { what: what(), container }, *statement);
                    }
                    _ => {}
                }
            }
            previous_is_pure = is_pure;
            self.expr(*statement, place);
        }
    }

    /// Checks an expression. `place` is its location as a statement.
    fn expr(&mut self, id: ExprId, place: Place) {
        stacker::maybe_grow(32 * 1024, 512 * 1024, || self.expr_here(id, place));
    }

    fn expr_here(&mut self, id: ExprId, place: Place) {
        let tree = self.tree;
        match &tree.exprs[id] {
            Expr::Definition(definition) => return self.definition(id, &tree.definitions[*definition], place),
            Expr::Block(list) => return self.resource_without_title(tree.list(*list)),
            Expr::If(test, then, otherwise) | Expr::Unless(test, then, otherwise) => {
                self.value(*test);
                self.block(*then, Place::Nested, None);
                return self.block(*otherwise, Place::Nested, None);
            }
            Expr::Case(test, options) => {
                self.value(*test);
                self.case_defaults(options);
                for option in options {
                    tree.list(option.values).iter().for_each(|value| self.value(*value));
                    self.block(option.body, Place::Nested, None);
                }
                return;
            }
            Expr::Call(call) => {
                let call = &tree.calls[*call];
                self.functor(call.functor);
                tree.list(call.arguments).iter().for_each(|argument| self.expr(*argument, Place::Nested));
                return self.lambda(call.block);
            }
            Expr::MethodCall(call) => {
                let call = &tree.method_calls[*call];
                self.expr(call.receiver, Place::Nested);
                tree.list(call.arguments).iter().for_each(|argument| self.expr(*argument, Place::Nested));
                return self.lambda(call.block);
            }
            Expr::Epp { parameters, body } => {
                let parameters = parameters.unwrap_or_default();
                self.parameters(parameters, Callable::Template);
                return self.block(*body, Place::Nested, None);
            }
            Expr::Variable(name) => self.variable(id, tree.str(*name)),
            Expr::Reserved(word) => {
                let word = tree.str(*word).to_string();
                self.error_at(ValidationErrorKind::ReservedWord { word }, id);
            }
            Expr::Heredoc { syntax: Some(syntax), text } => self.heredoc(tree.str(*syntax), *text),
            Expr::Hash(list) => self.duplicate_keys(tree.list(*list)),
            Expr::Selector(_, entries) => self.selector_defaults(entries),
            Expr::Assign(op, left, _) => self.assignment(*op, id, *left),
            Expr::Resource(resource) => self.resource(id, &tree.resources[*resource]),
            Expr::ResourceDefaults(index) => self.defaults(id, &tree.defaults[*index as usize]),
            Expr::ResourceOverride(index) => self.resource_override(id, &tree.overrides[*index as usize]),
            Expr::Collector(collector) => self.collector(&tree.collectors[*collector]),
            Expr::Error
            | Expr::Nop
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::Integer(..)
            | Expr::Float(_)
            | Expr::String(_)
            | Expr::Regexp(_)
            | Expr::Name(_)
            | Expr::TypeName(_)
            | Expr::Interpolation(_)
            | Expr::Text(_)
            | Expr::Heredoc { syntax: None, .. }
            | Expr::Array(_)
            | Expr::Parenthesized(_)
            | Expr::Not(_)
            | Expr::Negate(_)
            | Expr::Unfold(_)
            | Expr::Binary(..)
            | Expr::Arrow(..)
            | Expr::Access(..)
            | Expr::Lambda(_)
            | Expr::RenderString(_)
            | Expr::RenderExpr(_) => {}
        }
        self.operands(id);
    }

    /// Checks the parts of an expression that has no statements.
    fn operands(&mut self, id: ExprId) {
        let tree = self.tree;
        let needs_values = match &tree.exprs[id] {
            Expr::Text(_)
            | Expr::Array(_)
            | Expr::Hash(_)
            | Expr::Parenthesized(_)
            | Expr::Not(_)
            | Expr::Negate(_)
            | Expr::Unfold(_)
            | Expr::Binary(..)
            | Expr::RenderExpr(_) => true,
            Expr::Assign(_, left, right) => {
                self.expr(*left, Place::Nested);
                return self.value(*right);
            }
            Expr::Selector(test, entries) => {
                self.value(*test);
                for entry in entries {
                    self.value(entry.value);
                    self.expr(entry.result, Place::Nested);
                }
                return;
            }
            _ => false,
        };
        tree.for_each_child(id, |child| {
            if needs_values {
                self.value(child);
            } else {
                self.expr(child, Place::Nested);
            }
        });
    }

    /// Checks an expression whose value is used.
    fn value(&mut self, id: ExprId) {
        if let Expr::Collector(_) = self.tree.exprs[id] {
            let what = label(self.tree, id);
            self.error_at(ValidationErrorKind::NotAValue { what }, id);
        }
        self.expr(id, Place::Nested);
    }

    fn variable(&mut self, id: ExprId, name: &str) {
        let kind = match variable_name_error(name) {
            None => return,
            Some(VariableNameError::Numeric) => ValidationErrorKind::NumericVariableName { name: name.to_owned() },
            Some(VariableNameError::Name) => ValidationErrorKind::VariableName { name: name.to_owned() },
        };
        if self.variable_names.insert(name.to_owned()) {
            self.error_at(kind, id);
        }
    }

    /// Checks what is called: a name, a type, or a type with parameters.
    fn functor(&mut self, id: ExprId) {
        let tree = self.tree;
        match &tree.exprs[id] {
            Expr::Name(_) | Expr::TypeName(_) | Expr::Error => {}
            Expr::Access(left, _) if matches!(tree.exprs[*left], Expr::TypeName(_)) => {}
            _ => {
                let role = "function name in a Function Call";
                let kind = ValidationErrorKind::UnacceptableAs { what: label(tree, id), role };
                self.error_at(kind, id);
            }
        }
        self.expr(id, Place::Nested);
    }

    fn lambda(&mut self, lambda: Option<LambdaId>) {
        let Some(lambda) = lambda else { return };
        let lambda = self.tree.lambdas[lambda];
        self.parameters(lambda.parameters, Callable::Lambda);
        if let Some(returns) = lambda.returns {
            self.expr(returns, Place::Nested);
        }
        let in_default = std::mem::replace(&mut self.in_default, false);
        self.block(lambda.body, Place::Nested, None);
        self.in_default = in_default;
    }

    /// Reports `name { a => 1 }`, which was parsed as a name and a hash.
    fn resource_without_title(&mut self, list: &[ExprId]) {
        if let [name, hash] = *list {
            if let Expr::Name(text) = self.tree.exprs[name] {
                let text = self.tree.str(text).to_string();
                self.error_at(ValidationErrorKind::ResourceWithoutTitle { name: text }, name);
            }
            self.operands(hash);
        }
    }
}

/// Returns whether a statement is a name and a hash, which is reported as such.
fn is_without_title(tree: &Tree, id: ExprId) -> bool {
    matches!(tree.exprs[id], Expr::Block(_))
}

/// Returns whether a definition can only be at top level.
fn is_top_level_only(definition: &Definition) -> bool {
    matches!(definition, Definition::Function(_) | Definition::TypeAlias(_))
}
