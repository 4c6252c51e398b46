//! The init checks (spec 01 §4.6): programs that follow the grammar, but cannot mean anything whatever their names and types
//! are.

mod error;

use mcl_diagnostics::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::ast::{Ast, EntryKind, Expr, ExprId, ExprList, Name, Resource, Stmt, StructEntry};
use crate::ast_validation::error::{ValidationError, ValidationErrorKind};

/// The edge properties of a resource, in lower case.
const EDGE_PROPERTIES: &[&str] = &["notify", "before", "listen", "depend"];

/// Checks a tree of the parse stage. Returns the errors in source order.
#[must_use]
pub fn check_ast(ast: &Ast) -> Vec<Diagnostic> {
    let mut validator = Validator { ast, errors: Vec::new() };
    for (id, expr) in &ast.exprs {
        validator.expr(expr, ast.expr_span(id));
    }
    for stmt in ast.stmts.values() {
        validator.stmt(stmt);
    }
    validator.errors.sort_by_key(|error| error.span.start);
    validator.errors.into_iter().map(Diagnostic::from).collect()
}

/// Does what `str::contains` does, which is made for longer texts.
fn has_double_underscore(name: &str) -> bool {
    name.as_bytes().windows(2).any(|pair| pair == b"__")
}

struct Validator<'a> {
    ast: &'a Ast,
    errors: Vec<ValidationError>,
}

impl Validator<'_> {
    fn error(&mut self, kind: ValidationErrorKind, span: Span) {
        self.errors.push(ValidationError { kind, span });
    }

    fn text(&self, name: Name) -> String {
        self.ast.name(name).to_string()
    }

    fn expr(&mut self, expr: &Expr, span: Span) {
        match expr {
            Expr::Var(name) | Expr::CallVar { name, .. } => {
                if has_double_underscore(self.ast.name(*name)) {
                    self.error(ValidationErrorKind::DoubleUnderscore { name: self.text(*name) }, span);
                }
            }
            Expr::Map(pairs) => self.map_keys(*pairs),
            Expr::Struct(literal) => {
                let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
                for field in &literal.fields {
                    let first = *seen.entry(field.name).or_insert(field.name_span);
                    if first != field.name_span {
                        let name = self.text(field.name);
                        self.error(ValidationErrorKind::DuplicateStructField { name, first }, field.name_span);
                    }
                }
            }
            Expr::Error
            | Expr::Func(_)
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Concat(_)
            | Expr::Interpolated(_)
            | Expr::List(_)
            | Expr::Call { .. }
            | Expr::CallLambda { .. }
            | Expr::If { .. }
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Index { .. }
            | Expr::Field { .. }
            | Expr::FieldOr { .. }
            | Expr::Except { .. }
            | Expr::Paren(_) => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Resource(resource) => self.resource(resource),
            Stmt::For(iteration) | Stmt::ForKv(iteration) => {
                for id in &iteration.body {
                    if matches!(self.ast.stmt(*id), Stmt::Import(_)) {
                        self.error(ValidationErrorKind::ImportInLoop, self.ast.stmt_span(*id));
                    }
                }
            }
            Stmt::Import(import) if import.module.is_empty() => {
                self.error(ValidationErrorKind::EmptyImport, import.module_span);
            }
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::Edge(_)
            | Stmt::If(_)
            | Stmt::Func { .. }
            | Stmt::Class(_)
            | Stmt::Include(_)
            | Stmt::Import(_) => {}
        }
    }

    fn resource(&mut self, resource: &Resource) {
        let mut fields: FxHashMap<Name, Span> = FxHashMap::default();
        for entry in &resource.entries {
            let span = entry.name_span(self.ast);
            match &entry.kind {
                EntryKind::Field { name, .. } => {
                    let first = *fields.entry(*name).or_insert(span);
                    if first != span {
                        self.error(ValidationErrorKind::DuplicateField { name: self.text(*name), first }, span);
                    }
                }
                EntryKind::Edge { property, .. } => {
                    let name = self.ast.name(*property);
                    if !EDGE_PROPERTIES.contains(&name) {
                        let near = near(name, EDGE_PROPERTIES);
                        self.error(ValidationErrorKind::UnknownEdgeProperty { name: name.to_string(), near }, span);
                    }
                }
                // The names of meta parameters are checked where resources are known.
                EntryKind::Meta { .. } => {}
            }
        }
    }

    /// Checks the keys that are literals: they have one type, which can be a key, and are distinct.
    fn map_keys(&mut self, pairs: ExprList) {
        let mut expected: Option<(String, Span)> = None;
        let mut values: FxHashMap<String, Span> = FxHashMap::default();
        for (key, _) in self.ast.pairs(pairs) {
            let span = self.ast.expr_span(key);
            let Some(ty) = static_type(self.ast, key) else { continue };
            match &expected {
                Some((first, first_span)) if *first != ty => {
                    let first = (first.clone(), *first_span);
                    self.error(ValidationErrorKind::MismatchedKeys { first, found: ty }, span);
                    return;
                }
                Some(_) => {}
                None if !is_key_type(&ty) => {
                    self.error(ValidationErrorKind::InvalidKeyType { ty }, span);
                    return;
                }
                None => expected = Some((ty, span)),
            }
            let Some(value) = static_value(self.ast, key) else { continue };
            if let Some(first) = values.get(&value) {
                self.error(ValidationErrorKind::DuplicateKey { first: *first, value }, span);
            } else {
                values.insert(value, span);
            }
        }
    }
}

/// Whether [`check_ast`] rejects an expression as the key of a map, because of its type.
#[must_use]
pub fn is_invalid_key(ast: &Ast, key: ExprId) -> bool {
    static_type(ast, key).is_some_and(|ty| !is_key_type(&ty))
}

fn is_key_type(ty: &str) -> bool {
    !(ty.contains("[]") || ty.contains("map{") || ty.contains("func("))
}

/// Returns the type of an expression that consists of literals.
fn static_type(ast: &Ast, id: ExprId) -> Option<String> {
    Some(match ast.expr(id) {
        Expr::Bool(_) => "bool".to_owned(),
        Expr::Int(_) => "int".to_owned(),
        Expr::Float(_) => "float".to_owned(),
        Expr::Str(_) | Expr::Concat(_) | Expr::Interpolated(_) => "str".to_owned(),
        Expr::List(elements) => format!("[]{}", static_type(ast, *ast.list(*elements).first()?)?),
        Expr::Map(pairs) => {
            let (key, value) = ast.pairs(*pairs).next()?;
            format!("map{{{}: {}}}", static_type(ast, key)?, static_type(ast, value)?)
        }
        Expr::Struct(literal) => {
            let field = |f: &StructEntry| Some(format!("{} {}", ast.name(f.name), static_type(ast, f.value)?));
            let fields: Option<Vec<String>> = literal.fields.iter().map(field).collect();
            format!("struct{{{}}}", fields?.join("; "))
        }
        Expr::If { then, .. } => static_type(ast, *then)?,
        Expr::Paren(inner) => static_type(ast, *inner)?,
        Expr::Func(_) => "func(…)".to_owned(),
        Expr::Error
        | Expr::Call { .. }
        | Expr::CallVar { .. }
        | Expr::CallLambda { .. }
        | Expr::Var(_)
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Index { .. }
        | Expr::Field { .. }
        | Expr::FieldOr { .. }
        | Expr::Except { .. } => return None,
    })
}

/// Returns the value of an expression that consists of literals, in a spelling that is equal for equal values; strings are
/// compared as written.
fn static_value(ast: &Ast, id: ExprId) -> Option<String> {
    Some(match ast.expr(id) {
        Expr::Bool(value) => value.to_string(),
        Expr::Int(value) => value.to_string(),
        Expr::Float(value) => format!("{:?}", if *value == 0.0 { 0.0 } else { *value }),
        Expr::Str(raw) => format!("\"{}\"", ast.string(*raw)),
        Expr::Struct(literal) => {
            let field = |f: &StructEntry| Some(format!("{} => {}", ast.name(f.name), static_value(ast, f.value)?));
            let fields: Option<Vec<String>> = literal.fields.iter().map(field).collect();
            format!("struct{{{}}}", fields?.join(", "))
        }
        Expr::Paren(inner) => static_value(ast, *inner)?,
        Expr::If { condition, then, otherwise } => match static_value(ast, *condition)?.as_str() {
            "true" => static_value(ast, *then)?,
            "false" => static_value(ast, *otherwise)?,
            _ => return None,
        },
        _ => return None,
    })
}

/// Returns the candidate that is most similar to a word, if one is similar enough to be a misspelling.
fn near<'c>(written: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let limit = 1 + written.len() / 4;
    let scored = candidates.iter().map(|c| (strsim::damerau_levenshtein(written, c), *c));
    scored.filter(|(distance, _)| *distance <= limit).min().map(|(_, c)| c)
}
