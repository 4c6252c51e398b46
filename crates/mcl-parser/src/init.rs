//! The init checks (spec 01 §4.6): what the grammar allows and no program means, found without names or types.

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use rustc_hash::FxHashMap;

use crate::ast::{Ast, EntryKind, Expr, ExprId, Name, Resource, Stmt};
use crate::interpolate::double_underscore;

/// The meta parameters of a resource, without `meta`, the struct of all.
const META: &[&str] = &[
    "noop",
    "retry",
    "retryreset",
    "delay",
    "timeout",
    "poll",
    "limit",
    "burst",
    "reset",
    "sema",
    "rewatch",
    "realize",
    "dollar",
    "hidden",
    "export",
    "reverse",
    "autoedge",
    "autogroup",
];

/// The edges that a resource body may hold.
const EDGES: &[&str] = &["notify", "before", "listen", "depend"];

/// Checks a tree of the parse stage; the messages are in source order.
#[must_use]
pub fn check_ast(ast: &Ast) -> Vec<Diagnostic> {
    let mut checks = Checks { ast, diagnostics: Vec::new() };
    for (expr, span) in ast.exprs.iter().zip(&ast.expr_spans) {
        checks.expr(expr, *span);
    }
    for stmt in &ast.stmts {
        checks.stmt(stmt);
    }
    checks.diagnostics.sort_by_key(|d| d.span.map(|s| s.start));
    checks.diagnostics
}

struct Checks<'a> {
    ast: &'a Ast,
    diagnostics: Vec<Diagnostic>,
}

impl Checks<'_> {
    fn error(&mut self, code: Code, message: String, span: Span, label: &str, first: Option<Span>) {
        let error = Diagnostic::error(code, Stage::Init, message).at_with(span, label);
        self.diagnostics.push(match first {
            Some(first) => error.label(first, "first given here"),
            None => error,
        });
    }

    fn expr(&mut self, expr: &Expr, span: Span) {
        match expr {
            Expr::Var(name) | Expr::CallVar { name, .. } => {
                let text = self.ast.name(*name);
                if text.contains("__") {
                    self.diagnostics.push(double_underscore(text, Stage::Init, span));
                }
            }
            Expr::Map(pairs) => self.map_keys(pairs),
            Expr::Struct(fields) => {
                let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
                for field in fields {
                    if let Some(first) = seen.get(&field.name) {
                        let message = format!("the struct has two fields `{}`", self.ast.name(field.name));
                        self.error(Code::E0306, message, field.name_span, "given again here", Some(*first));
                    } else {
                        seen.insert(field.name, field.name_span);
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
            Stmt::For { body, .. } | Stmt::ForKv { body, .. } => {
                for id in body {
                    if matches!(self.ast.stmt(*id), Stmt::Import { .. }) {
                        let error = Diagnostic::error(
                            Code::E0309,
                            Stage::Init,
                            "an import cannot stand directly in the body of a loop",
                        );
                        self.diagnostics.push(error.at(self.ast.stmt_span(*id)).help("move it in front of the loop"));
                    }
                }
            }
            Stmt::Import { module, module_span, .. } if module.is_empty() => {
                let error = Diagnostic::error(Code::E0311, Stage::Init, "the import names no module");
                self.diagnostics.push(error.at(*module_span));
            }
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::Edge(_)
            | Stmt::If { .. }
            | Stmt::Func { .. }
            | Stmt::Class { .. }
            | Stmt::Include { .. }
            | Stmt::Import { .. } => {}
        }
    }

    fn resource(&mut self, resource: &Resource) {
        let mut fields: FxHashMap<Name, Span> = FxHashMap::default();
        let mut metas: FxHashMap<Name, Span> = FxHashMap::default();
        for entry in &resource.entries {
            match &entry.kind {
                EntryKind::Field { name, .. } => {
                    if let Some(first) = fields.get(name) {
                        let message = format!("the resource has two fields `{}`", self.ast.name(*name));
                        self.error(Code::E0301, message, entry.name_span, "given again here", Some(*first));
                    } else {
                        fields.insert(*name, entry.name_span);
                    }
                }
                EntryKind::Edge { property, .. } => {
                    let property = self.ast.name(*property);
                    if !EDGES.contains(&&**property) {
                        let word = capitalized(property);
                        let error =
                            Diagnostic::error(Code::E0307, Stage::Init, format!("`{word}` is no edge property"));
                        let help = match near(property, EDGES) {
                            Some(edge) => format!("did you mean `{}`?", capitalized(edge)),
                            None if &**property == "require" => "write `Depend`: the other one comes first".to_owned(),
                            None if &**property == "subscribe" => {
                                "write `Listen`: the other one comes first and refreshes this one".to_owned()
                            }
                            None => "there are `Before`, `Notify`, `Depend` and `Listen`".to_owned(),
                        };
                        self.diagnostics.push(error.at(entry.name_span).help(help));
                    }
                }
                EntryKind::Meta { property, .. } => {
                    let text = self.ast.name(*property);
                    if &**text == "meta" {
                        continue;
                    }
                    if !META.contains(&&**text) {
                        let error =
                            Diagnostic::error(Code::E0308, Stage::Init, format!("`{text}` is no meta parameter"));
                        let help = match near(text, META) {
                            Some(meta) => format!("did you mean `{meta}`?"),
                            None => format!("there are {}", META.join(", ")),
                        };
                        self.diagnostics.push(error.at(entry.name_span).help(help));
                    } else if let Some(first) = metas.get(property) {
                        let message = format!("the resource has two meta parameters `{text}`");
                        self.error(Code::E0302, message, entry.name_span, "given again here", Some(*first));
                    } else {
                        metas.insert(*property, entry.name_span);
                    }
                }
            }
        }
    }

    /// Keys that are known without names: of one type, which can be a key, and each once.
    fn map_keys(&mut self, pairs: &[(ExprId, ExprId)]) {
        let mut expected: Option<(String, Span)> = None;
        let mut values: FxHashMap<String, Span> = FxHashMap::default();
        for (key, _) in pairs {
            let span = self.ast.expr_span(*key);
            let Some(ty) = static_type(self.ast, *key) else { continue };
            match &expected {
                Some((first, at)) if *first != ty => {
                    let error = Diagnostic::error(
                        Code::E0304,
                        Stage::Init,
                        format!("this map has keys of two types, `{first}` and `{ty}`"),
                    );
                    self.diagnostics.push(
                        error.at_with(span, format!("this key is `{ty}`")).label(*at, format!("this key is `{first}`")),
                    );
                    return;
                }
                Some(_) => {}
                None if ty.contains("[]") || ty.contains("map{") || ty.contains("func(") => {
                    let error =
                        Diagnostic::error(Code::E0303, Stage::Init, format!("`{ty}` cannot be the key of a map"));
                    self.diagnostics.push(error.at(span).help("keys are bool, str, int, float, or structs of these"));
                    return;
                }
                None => expected = Some((ty, span)),
            }
            let Some(value) = static_value(self.ast, *key) else { continue };
            if let Some(first) = values.get(&value) {
                self.error(
                    Code::E0305,
                    format!("the map has two keys {value}"),
                    span,
                    "given again here",
                    Some(*first),
                );
            } else {
                values.insert(value, span);
            }
        }
    }
}

/// The type of an expression that is made of literals only.
fn static_type(ast: &Ast, id: ExprId) -> Option<String> {
    Some(match ast.expr(id) {
        Expr::Bool(_) => "bool".to_owned(),
        Expr::Int(_) => "int".to_owned(),
        Expr::Float(_) => "float".to_owned(),
        Expr::Str(_) => "str".to_owned(),
        Expr::List(elements) => format!("[]{}", static_type(ast, *elements.first()?)?),
        Expr::Map(pairs) => {
            let (key, value) = pairs.first()?;
            format!("map{{{}: {}}}", static_type(ast, *key)?, static_type(ast, *value)?)
        }
        Expr::Struct(fields) => {
            let fields: Option<Vec<String>> =
                fields.iter().map(|f| Some(format!("{} {}", ast.name(f.name), static_type(ast, f.value)?))).collect();
            format!("struct{{{}}}", fields?.join("; "))
        }
        Expr::If { then, .. } => static_type(ast, *then)?,
        Expr::Paren(inner) => static_type(ast, *inner)?,
        Expr::Func(_) => "func(…)".to_owned(),
        Expr::Error
        | Expr::Concat(_)
        | Expr::Interpolated(_)
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

/// The value of a literal, in a spelling that is equal when the values are; strings are compared as they are written.
fn static_value(ast: &Ast, id: ExprId) -> Option<String> {
    Some(match ast.expr(id) {
        Expr::Bool(value) => value.to_string(),
        Expr::Int(value) => value.to_string(),
        Expr::Float(value) => format!("{:?}", if *value == 0.0 { 0.0 } else { *value }),
        Expr::Str(raw) => format!("\"{raw}\""),
        Expr::Struct(fields) => {
            let fields: Option<Vec<String>> = fields
                .iter()
                .map(|f| Some(format!("{} => {}", ast.name(f.name), static_value(ast, f.value)?)))
                .collect();
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

/// The candidate that is nearest to what was written, if it is near.
fn near<'c>(written: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let limit = 1 + written.len() / 4;
    let scored = candidates.iter().map(|c| (strsim::damerau_levenshtein(written, c), *c));
    scored.filter(|(distance, _)| *distance <= limit).min().map(|(_, c)| c)
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(chars).collect()
}
