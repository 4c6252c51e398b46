//! What a name is, for people (spec 11 §3.1).

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use mcl_diagnostics::{FileId, Span};
use mcl_functions::Function;
use mcl_lexer::TokenKind;
use mcl_parser::ast::{Expr, Stmt};
use mcl_types::{DefId, DefKind};
use resource_graph::{Field, META_FIELDS, MetaField, ResourceKind};

use crate::analysis::Analysis;
use crate::comments;
use crate::index::{DefinedKind, DefinedName, Occurrence, Symbol};
use crate::modes;
use crate::navigation::statement_span;
use crate::program::Program;
use crate::types::{call_signature, expr_type, signature};

/// A longer value is cut.
const MAX_VALUE_CHARS: usize = 200;

/// What a name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The name in the text.
    pub range: Range<u32>,
    /// How the program could declare it.
    pub signature: String,
    /// The rest, as Markdown.
    pub documentation: String,
}

impl Analysis {
    /// Returns what the name at a byte offset is.
    #[must_use]
    pub fn hover(&self, path: &Path, offset: u32) -> Option<Hover> {
        let Some((program, file, name)) = self.occurrence_at(path, offset) else { return self.mode_at(path, offset) };
        let (signature, documentation) = describe(program, file, name)?;
        Some(Hover { range: name.range.clone(), signature, documentation })
    }

    /// Returns permissions in their other notation.
    fn mode_at(&self, path: &Path, offset: u32) -> Option<Hover> {
        let (source, tokens) = (self.source(path)?, self.tokens(path)?);
        let string = tokens.first_from(offset + 1).previous()?;
        let range = tokens.start(string)..tokens.end(string);
        let arrow = string.previous()?;
        let is_mode = tokens[string] == TokenKind::String
            && range.contains(&offset)
            && tokens[arrow] == TokenKind::Rocket
            && tokens.text(&source.text, arrow.previous()?) == "mode";
        let written = tokens.text(&source.text, string).trim_matches('"');
        let other = modes::other_notation(written).filter(|_| is_mode)?;
        let documentation = format!("`{written}` is `{other}`.");
        Some(Hover { range, signature: "mode str".to_owned(), documentation })
    }
}

fn describe(program: &Program, file: FileId, name: &Occurrence) -> Option<(String, String)> {
    match &name.symbol {
        symbol @ Symbol::Defined(..) => defined(program, name, program.index().defined(symbol)?),
        Symbol::Function(registered) => mcl_functions::function(registered).map(function),
        Symbol::Variable(registered) => variable(registered),
        Symbol::Import(raw) => Some(module(program, file, raw)),
        Symbol::Kind(kind) | Symbol::Resource(kind, _) => {
            let is_name =
                program.loaded().files.text(Span::new(file, name.range.start, name.range.end)).starts_with('"');
            resource_graph::kind(kind).filter(|_| !is_name).map(describe_kind)
        }
        Symbol::Parameter(kind, parameter) => {
            let kind = resource_graph::kind(kind)?;
            let field = kind.field(parameter)?;
            Some((format!("{} {}", field.name, field.ty), describe_field(kind, field)))
        }
        Symbol::Meta(property) => match META_FIELDS.iter().find(|field| field.name == &**property) {
            Some(field) => Some((format!("Meta:{} {}", field.name, field.ty), describe_meta(field))),
            None => Some(("Meta".to_owned(), "All meta parameters of the resource, as a struct.".to_owned())),
        },
        Symbol::EdgeWord(word) => edge_word(word),
        Symbol::StructField => {
            let (module, expr) = name.expr?;
            let field = program.loaded().files.text(Span::new(file, name.range.start, name.range.end));
            Some((format!("{field} {}", expr_type(program, module, expr)?), "Field of a struct.".to_owned()))
        }
    }
}

fn defined(program: &Program, name: &Occurrence, defined: &DefinedName) -> Option<(String, String)> {
    let mut facts = Vec::new();
    let (def, of) = match defined.kind {
        DefinedKind::Alias(stmt) => return alias(program, defined, stmt),
        DefinedKind::Bind(def) => (def, None),
        DefinedKind::Parameter(def) => (def, parameter_of(program, def)),
        DefinedKind::Function(def) | DefinedKind::Class(def) => (def, None),
    };
    let here = name.expr.and_then(|(module, call)| {
        let ast = program.scoped().ast(module);
        let Expr::Call { args, .. } = ast.expr(call) else { return None };
        call_signature(program, module, call, ast.list(*args))
    });
    facts.extend(of);
    facts.extend(constant_value(program, def).map(|value| format!("= `{value}`")));
    let statement = statement_span(program, defined);
    let text = program.file(statement.file).map_or("", |file| &file.text);
    let is_statement = !matches!(defined.kind, DefinedKind::Parameter(_));
    let comment = comments::above(text, statement.start).filter(|_| is_statement).map(|(_, comment)| comment);
    let parts: Vec<String> = comment.into_iter().chain(facts).collect();
    Some((here.unwrap_or_else(|| signature(program, def)), parts.join("\n\n")))
}

/// Returns what declares a parameter.
fn parameter_of(program: &Program, def: DefId) -> Option<String> {
    let scoped = program.scoped();
    let scope = scoped.def(def).scope;
    match scoped.scope(scope).kind {
        mcl_types::ScopeKind::Class(class) => Some(format!("Parameter of class `{}`.", scoped.def_name(class))),
        mcl_types::ScopeKind::Loop => Some("Loop variable.".to_owned()),
        mcl_types::ScopeKind::Function(_) => {
            let function = scoped.defs.keys().find(|def| scoped.function_scope(*def) == Some(scope));
            Some(function.map_or("Parameter of a function.".to_owned(), |of| {
                format!("Parameter of function `{}`.", scoped.def_name(of))
            }))
        }
        mcl_types::ScopeKind::Module | mcl_types::ScopeKind::Block => None,
    }
}

/// Returns the value of a binding to a literal, as it is written.
fn constant_value(program: &Program, def: DefId) -> Option<String> {
    let scoped = program.scoped();
    let def = scoped.def(def);
    let DefKind::Bind { stmt } = def.kind else { return None };
    let ast = scoped.ast_of(def.scope);
    let Stmt::Bind { value, .. } = ast.stmt(stmt) else { return None };
    let mut work = vec![*value];
    while let Some(expr) = work.pop() {
        let is_literal = matches!(
            ast.expr(expr),
            Expr::Bool(_)
                | Expr::Int(_)
                | Expr::Float(_)
                | Expr::Str(_)
                | Expr::List(_)
                | Expr::Map(_)
                | Expr::Struct(_)
        );
        if !is_literal {
            return None;
        }
        mcl_types::subexpressions(ast, ast.expr(expr), |part| work.push(part));
    }
    let text = program.loaded().files.text(ast.expr_span(*value));
    let cut: String = text.chars().take(MAX_VALUE_CHARS).collect();
    Some(if cut.len() < text.len() { cut + "…" } else { cut })
}

fn alias(program: &Program, defined: &DefinedName, stmt: mcl_parser::ast::StmtId) -> Option<(String, String)> {
    let scoped = program.scoped();
    match scoped.ast_of(defined.scope).stmt(stmt) {
        Stmt::Import(import) => Some(module(program, defined.span.file, &import.module)),
        Stmt::Include(include) => {
            let class = scoped.ast_of(defined.scope).name(include.class);
            Some((format!("include {class} as {}", defined.name), String::new()))
        }
        _ => None,
    }
}

/// Describes a module by what it offers, one line each.
fn module(program: &Program, file: FileId, raw: &str) -> (String, String) {
    let mut lines = Vec::new();
    for function in mcl_functions::module_functions(raw) {
        if !function.short_name().starts_with('_') {
            lines.push(format!("- `{}`: {}", function.name, first_sentence(function.doc)));
        }
    }
    if let Some(target) = program.imported_file(file, raw) {
        let defined = program.index().all_defined();
        let mut own: Vec<(u32, String)> = defined
            .filter(|(_, defined)| defined.span.file == target)
            .filter(|(_, defined)| program.scoped().scope(defined.scope).parent.is_none())
            .filter_map(|(_, defined)| match defined.kind {
                DefinedKind::Bind(def) | DefinedKind::Function(def) | DefinedKind::Class(def) => {
                    Some((defined.span.start, format!("- `{}`", signature(program, def))))
                }
                DefinedKind::Parameter(_) | DefinedKind::Alias(_) => None,
            })
            .collect();
        own.sort();
        lines.extend(own.into_iter().map(|(_, line)| line));
    }
    (format!("import \"{raw}\""), lines.join("\n"))
}

/// Returns the first sentence of a documentation text.
fn first_sentence(doc: &str) -> &str {
    doc.split_inclusive(". ").next().unwrap_or(doc).trim_end()
}

/// Returns the signatures of a built-in function, and its documentation.
pub(crate) fn function(function: &Function) -> (String, String) {
    let signatures = function.signatures();
    let shown = signatures
        .iter()
        .map(|signature| format!("{}{}", function.name, signature.strip_prefix("func").unwrap_or(signature)));
    let shown: Vec<String> = shown.collect();
    let signature = if shown.is_empty() { format!("{}(…)", function.name) } else { shown.join("\n") };
    let changes = match function.purity {
        mcl_functions::Purity::Pure => "",
        _ => "\n\nIts value is known only on the host, and may change while the program runs.",
    };
    (signature, format!("{}{changes}", function.doc))
}

fn variable(registered: &str) -> Option<(String, String)> {
    if let Some(value) = resource_graph::resource_constant(registered) {
        let (ty, value) = match value {
            resource_graph::ConstantValue::Str(value) => ("str", format!("{value:?}")),
            resource_graph::ConstantValue::Int(value) => ("int", value.to_string()),
        };
        let parameter = registered.strip_prefix("const.res.").and_then(|rest| rest.rsplit_once('.'));
        let of = parameter.and_then(|(of, _)| of.rsplit_once('.'));
        let of = of.map(|(kind, parameter)| format!("\n\nA value of `{parameter}` of the kind `{kind}`."));
        return Some((format!("${registered} {ty}"), format!("= `{value}`{}", of.unwrap_or_default())));
    }
    Some((format!("${registered} str"), String::new()))
}

pub(crate) fn describe_kind(kind: &ResourceKind) -> (String, String) {
    let mut text = kind.doc.to_owned();
    if !kind.implemented {
        text.push_str("\n\nNot implemented in this release: resources of this kind cannot be applied.");
    }
    let mut fields: Vec<&Field> = kind.fields.iter().collect();
    fields.sort_by_key(|field| !field.required);
    if !fields.is_empty() {
        text.push('\n');
    }
    for field in fields {
        let required = if field.required { ", required" } else { "" };
        let _ = write!(text, "\n- `{} {}`{required}: {}", field.name, field.ty, first_sentence(field.doc));
    }
    (format!("{} \"name\" {{}}", kind.name), text)
}

pub(crate) fn describe_field(kind: &ResourceKind, field: &Field) -> String {
    let mut text = field.doc.to_owned();
    if field.required {
        text.push_str("\n\nRequired.");
    } else if !field.default.is_empty() {
        let _ = write!(text, "\n\nDefault: `{}`.", field.default);
    }
    let constants: Vec<String> = kind
        .constants
        .iter()
        .filter(|constant| constant.param == field.name)
        .map(|constant| format!("`$const.res.{}.{}.{}`", kind.name, field.name, constant.name))
        .collect();
    if !constants.is_empty() {
        let _ = write!(text, "\n\nValues: {}.", constants.join(", "));
    } else if let Some(values) = resource_graph::values_of(field) {
        let _ = write!(text, "\n\nValues: {values}.");
    }
    text
}

pub(crate) fn describe_meta(field: &MetaField) -> String {
    format!("{}\n\nDefault: {}.", field.doc, field.default)
}

fn edge_word(word: &str) -> Option<(String, String)> {
    let text = match word {
        "before" => "This resource comes before the other one.",
        "depend" => "This resource comes after the other one.",
        "notify" => "This resource comes before the other one, which refreshes when this one changes.",
        "listen" => "This resource comes after the other one, and refreshes when that one changes.",
        _ => return None,
    };
    let mut name = word.to_owned();
    name[..1].make_ascii_uppercase();
    Some((format!("{name} => Kind[\"name\"]"), text.to_owned()))
}
