//! What can be written at a place (spec 11 §3.4).
//!
//! The text before the cursor decides what is meant, token by token, so that broken programs complete as well. Names and
//! types come from the analysis.

mod context;
mod names;

use std::ops::Range;
use std::path::Path;

use mcl_diagnostics::FileId;
use mcl_functions::Function;
use mcl_lexer::Tokens;
use resource_graph::{META_FIELDS, ResourceKind, all_kinds};

use crate::analysis::Analysis;
use crate::completion::context::{Context, EDGE_WORDS, context};
use crate::hover::{describe_field, describe_kind, describe_meta, function};
use crate::imports;
use crate::index::DefinedKind;
use crate::outline::matches;
use crate::program::Program;
use crate::scopes::{members, scope_at, visible};
use crate::types::{signature, type_text};

pub(crate) use names::definitions_behind;

/// The kinds of what can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompletionKind {
    Variable,
    Function,
    Class,
    Module,
    ResourceKind,
    Parameter,
    Keyword,
    Value,
    Field,
    Type,
}

/// Something that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// The type or signature.
    pub detail: String,
    /// As Markdown; empty for none.
    pub documentation: String,
    /// What is replaced.
    pub replaces: Range<u32>,
    /// What is written.
    pub text: String,
    /// The same with places to fill in, as `${1:name}`.
    pub snippet: Option<String>,
    /// Less comes first.
    pub rank: u8,
    /// A line that the program needs as well, and where.
    pub import: Option<(u32, String)>,
}

impl Completion {
    fn new(label: impl Into<String>, kind: CompletionKind, replaces: &Range<u32>) -> Completion {
        let label = label.into();
        Completion {
            text: label.clone(),
            label,
            kind,
            detail: String::new(),
            documentation: String::new(),
            replaces: replaces.clone(),
            snippet: None,
            rank: 5,
            import: None,
        }
    }
}

/// Words that start a statement.
const STATEMENTS: &[(&str, &str)] = &[
    ("import", "import \"${1:module}\""),
    ("include", "include ${1:class}"),
    ("class", "class ${1:name}(${2}) {\n\t$0\n}"),
    ("func", "func ${1:name}(\\$${2:arg}) {\n\t$0\n}"),
    ("if", "if ${1:condition} {\n\t$0\n}"),
    ("for", "for \\$${1:index}, \\$${2:value} in ${3:list} {\n\t$0\n}"),
    ("forkv", "forkv \\$${1:key}, \\$${2:value} in ${3:map} {\n\t$0\n}"),
    ("collect", "collect ${1:kind}"),
    ("panic", "panic(${1:condition})"),
];

/// What stands for a value in a format.
const VERBS: &[(&str, &str)] = &[
    ("%s", "str"),
    ("%q", "str, in quotes"),
    ("%d", "int"),
    ("%f", "float"),
    ("%t", "bool"),
    ("%v", "any value"),
    ("%T", "the type of a value"),
    ("%%", "a percent sign"),
];

impl Analysis {
    /// Returns what can be written at a byte offset, the best first.
    #[must_use]
    pub fn completions(&self, path: &Path, offset: u32) -> Vec<Completion> {
        let Some(source) = self.source(path) else { return Vec::new() };
        let Some(tokens) = self.tokens(path) else { return Vec::new() };
        let (context, word) = context(&source.text, &tokens, offset);
        let program = self.program_of(path);
        let typed = source.text.get(word.start as usize..word.end as usize).unwrap_or("").to_owned();
        let request = Request { program, text: &source.text, path, offset, word, typed };
        let mut found = request.completions(&context);
        let wanted = request.typed.trim_start_matches('$');
        found.retain(|item| matches(item.label.trim_start_matches('$'), wanted));
        let is_prefix = |item: &Completion| item.label.trim_start_matches('$').starts_with(wanted);
        found.sort_by(|a, b| (!is_prefix(a), a.rank, &a.label).cmp(&(!is_prefix(b), b.rank, &b.label)));
        found.dedup_by(|a, b| a.label == b.label && a.kind == b.kind && a.detail == b.detail);
        found
    }
}

/// What completion at a place needs to know of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing.
    None,
    /// The variables that are visible.
    Variables,
    /// The variables and functions that are visible.
    Values,
    /// More.
    All,
}

/// Returns what completion at an offset needs to know.
pub(crate) fn scope_of_completion(text: &str, tokens: &Tokens, offset: u32) -> Scope {
    match context(text, tokens, offset).0 {
        Context::Nothing
        | Context::Statement
        | Context::Entry { .. }
        | Context::Meta
        | Context::MetaField { .. }
        | Context::Value { .. }
        | Context::EdgeKind
        | Context::Import
        | Context::Type
        | Context::Verb
        | Context::Key { .. } => Scope::None,
        Context::Variable { .. } => Scope::Variables,
        Context::Expression { .. } => Scope::Values,
        Context::Include | Context::EdgeName { .. } => Scope::All,
    }
}

/// A question for what can be written.
struct Request<'a> {
    program: Option<(&'a Program, FileId)>,
    text: &'a str,
    path: &'a Path,
    offset: u32,
    /// The word around the cursor, which is replaced.
    word: Range<u32>,
    /// The part of it before the cursor.
    typed: String,
}

impl Request<'_> {
    fn completions(&self, context: &Context) -> Vec<Completion> {
        match context {
            Context::Nothing => Vec::new(),
            Context::Statement => self.statements(),
            Context::Variable { in_string } => self.variables(*in_string),
            Context::Expression { parameter } => self.expressions(parameter.as_ref()),
            Context::Include => self.classes(),
            Context::Entry { kind, set } => self.entries(kind, set),
            Context::Meta => self.meta(&[]),
            Context::MetaField { set } => self.meta(set),
            Context::Value { kind, parameter } => self.values(kind, parameter, true),
            Context::EdgeKind => self.edge_kinds(),
            Context::EdgeName { kind } => self.resource_names(kind),
            Context::Import => self.imports(),
            Context::Type => self.types(),
            Context::Verb => self.verbs(),
            Context::Key { kind, takes } => self.keys(kind, *takes),
        }
    }

    fn statements(&self) -> Vec<Completion> {
        let kinds = all_kinds().iter().filter(|kind| kind.is_public()).map(|kind| self.kind(kind));
        let words = STATEMENTS.iter().map(|(word, snippet)| Completion {
            snippet: Some((*snippet).to_owned()),
            rank: 4,
            ..Completion::new(*word, CompletionKind::Keyword, &self.word)
        });
        kinds.chain(words).collect()
    }

    fn kind(&self, kind: &ResourceKind) -> Completion {
        let required = kind.fields.iter().filter(|field| field.required).enumerate();
        let entries: String = required.map(|(at, field)| format!("\t{} => ${{{}}},\n", field.name, at + 2)).collect();
        let entries = if entries.is_empty() { "\t$0\n".to_owned() } else { entries };
        let (detail, documentation) = describe_kind(kind);
        Completion {
            detail,
            documentation,
            snippet: Some(format!("{} \"${{1:name}}\" {{\n{entries}}}", kind.name)),
            ..Completion::new(kind.name, CompletionKind::ResourceKind, &self.word)
        }
    }

    /// Returns the parameters that are not set, those that are required first.
    fn entries(&self, kind: &str, set: &[String]) -> Vec<Completion> {
        let Some(kind) = resource_graph::kind(kind) else { return Vec::new() };
        let fields = kind.fields.iter().filter(|field| !set.iter().any(|name| name == field.name));
        let mut found: Vec<Completion> = fields
            .map(|field| Completion {
                detail: format!("{} {}", field.name, field.ty),
                documentation: describe_field(kind, field),
                snippet: Some(format!("{} => $0,", field.name)),
                text: format!("{} => ", field.name),
                rank: if field.required { 1 } else { 2 },
                ..Completion::new(field.name, CompletionKind::Parameter, &self.word)
            })
            .collect();
        found.extend(EDGE_WORDS.iter().map(|word| Completion {
            text: format!("{word} => "),
            rank: 3,
            ..Completion::new(*word, CompletionKind::Keyword, &self.word)
        }));
        found.extend(META_FIELDS.iter().map(|field| Completion {
            detail: format!("{} {}", field.name, field.ty),
            documentation: describe_meta(field),
            text: format!("Meta:{} => ", field.name),
            rank: 4,
            ..Completion::new(format!("Meta:{}", field.name), CompletionKind::Parameter, &self.word)
        }));
        found
    }

    fn meta(&self, set: &[String]) -> Vec<Completion> {
        let fields = META_FIELDS.iter().filter(|field| !set.iter().any(|name| name == field.name));
        let item = fields.map(|field| Completion {
            detail: format!("{}, default {}", field.ty, field.default),
            documentation: describe_meta(field),
            text: format!("{} => ", field.name),
            ..Completion::new(field.name, CompletionKind::Parameter, &self.word)
        });
        item.collect()
    }

    /// Returns the values that a parameter allows.
    fn values(&self, kind: &str, parameter: &str, is_quoted: bool) -> Vec<Completion> {
        let words = names::allowed_values(kind, parameter).into_iter().enumerate();
        let word = |(at, value): (usize, String)| Completion {
            text: if is_quoted { value.clone() } else { format!("\"{value}\"") },
            rank: (at.min(1)) as u8,
            ..Completion::new(if is_quoted { value } else { format!("\"{value}\"") }, CompletionKind::Value, &self.word)
        };
        words.map(word).collect()
    }

    fn expressions(&self, parameter: Option<&(String, String)>) -> Vec<Completion> {
        let mut found = Vec::new();
        let mut wanted = None;
        if let Some((kind, parameter)) = parameter {
            found.extend(self.values(kind, parameter, false));
            let kind = resource_graph::kind(kind);
            wanted = kind.and_then(|kind| kind.field(parameter)).map(|field| field.ty);
            for constant in kind.map_or(&[][..], |kind| kind.constants).iter().filter(|c| c.param == *parameter) {
                let name = format!("$const.res.{}.{parameter}.{}", kind.map_or("", |kind| kind.name), constant.name);
                found.push(Completion { rank: 2, ..Completion::new(name, CompletionKind::Value, &self.word) });
            }
        }
        if wanted.is_none_or(|ty| ty == "bool") {
            let rank = if wanted.is_some() { 0 } else { 6 };
            let words = ["true", "false"].into_iter();
            found.extend(
                words.map(|word| Completion { rank, ..Completion::new(word, CompletionKind::Keyword, &self.word) }),
            );
        }
        found.extend(self.variables(false).into_iter().map(|item| {
            let fits = wanted.is_some_and(|ty| item.detail == ty);
            Completion { rank: if fits { 2 } else { item.rank }, ..item }
        }));
        found.extend(self.functions());
        found
    }

    /// Returns the functions of the program, and the built-in ones, whose modules are imported if necessary.
    fn functions(&self) -> Vec<Completion> {
        let mut found = Vec::new();
        let qualifier = self.typed.rsplit_once('.').map(|(qualifier, _)| qualifier);
        let mut modules: Vec<(String, String)> = Vec::new();
        if let Some((program, file)) = self.program
            && let Some(scope) = scope_at(program, file, self.offset)
        {
            for visible in visible(program, scope) {
                let name = &visible.defined.name;
                match visible.defined.kind {
                    DefinedKind::Function(def) => found.push(Completion {
                        detail: signature(program, def),
                        text: format!("{name}("),
                        snippet: Some(format!("{name}($0)")),
                        rank: 4,
                        ..Completion::new(&**name, CompletionKind::Function, &self.word)
                    }),
                    DefinedKind::Alias(stmt) => {
                        let ast = program.scoped().ast_of(visible.defined.scope);
                        if let mcl_parser::ast::Stmt::Import(import) = ast.stmt(stmt) {
                            modules.push((name.to_string(), import.module.to_string()));
                        }
                    }
                    _ => {}
                }
            }
            found.extend(self.functions_of_files(program, file, &modules));
        }
        let imported = |module: &str| modules.iter().find(|(_, of)| of == module).map(|(alias, _)| alias.clone());
        for module in [""].into_iter().chain(mcl_functions::module_names()) {
            let default_alias = module.rsplit('/').next().unwrap_or(module).to_owned();
            let alias = imported(module);
            let is_imported = alias.is_some() || module.is_empty();
            let alias = alias.unwrap_or(default_alias);
            if qualifier.is_some_and(|qualifier| qualifier != alias)
                || (qualifier.is_none() && self.typed.is_empty() && !is_imported)
            {
                continue;
            }
            let import = (!is_imported).then(|| imports::insertion(self.text, module));
            let functions = mcl_functions::module_functions(module).iter();
            let public = functions.filter(|f| !f.short_name().starts_with('_') && f.name != "panic");
            found.extend(public.map(|function| self.function(function, &alias, import.clone())));
        }
        found
    }

    fn function(&self, of: &Function, alias: &str, import: Option<(u32, String)>) -> Completion {
        let name = if alias.is_empty() { of.name.to_owned() } else { format!("{alias}.{}", of.short_name()) };
        let (detail, documentation) = function(of);
        Completion {
            detail: detail.lines().next().unwrap_or_default().to_owned(),
            documentation,
            text: format!("{name}("),
            snippet: Some(format!("{name}($0)")),
            rank: if import.is_some() { 8 + u8::from(of.name.starts_with("golang/")) } else { 5 },
            import,
            ..Completion::new(name, CompletionKind::Function, &self.word)
        }
    }

    /// Returns what imported files offer: functions, and variables after a `$`.
    fn functions_of_files(&self, program: &Program, file: FileId, modules: &[(String, String)]) -> Vec<Completion> {
        let mut found = Vec::new();
        for (alias, raw) in modules {
            let Some(target) = program.imported_file(file, raw) else { continue };
            let scoped = program.scoped();
            let of_file = scoped.modules.values().find(|module| scoped.units[module.unit].file == target);
            for def in of_file.map_or_else(Vec::new, |module| members(program, module.scope)) {
                let name = format!("{alias}.{}", scoped.def_name(def));
                if let mcl_types::DefKind::Func { .. } = scoped.def(def).kind {
                    found.push(Completion {
                        detail: signature(program, def),
                        text: format!("{name}("),
                        snippet: Some(format!("{name}($0)")),
                        rank: 4,
                        ..Completion::new(name, CompletionKind::Function, &self.word)
                    });
                }
            }
        }
        found
    }

    fn variables(&self, in_string: bool) -> Vec<Completion> {
        let dollar = if in_string { "" } else { "$" };
        let mut found = Vec::new();
        let mut add = |name: String, detail: String, rank: u8| {
            found.push(Completion {
                detail,
                rank,
                ..Completion::new(format!("{dollar}{name}"), CompletionKind::Variable, &self.word)
            });
        };
        if let Some((program, file)) = self.program
            && let Some(scope) = scope_at(program, file, self.offset)
        {
            for visible in visible(program, scope) {
                let rank = 3 + visible.distance.min(1) as u8;
                match visible.defined.kind {
                    DefinedKind::Bind(def) | DefinedKind::Parameter(def) => {
                        let detail = type_text(program, program.typed().def(def)).unwrap_or_default();
                        add(visible.defined.name.to_string(), detail, rank);
                    }
                    DefinedKind::Alias(stmt) => {
                        for (name, detail) in names::variables_behind(program, file, visible.defined, stmt) {
                            add(format!("{}.{name}", visible.defined.name), detail, rank);
                        }
                    }
                    DefinedKind::Function(_) | DefinedKind::Class(_) => {}
                }
            }
        }
        for variable in mcl_functions::VARIABLES.iter().filter(|variable| variable.module.is_empty()) {
            add(variable.name.to_owned(), "str".to_owned(), 6);
        }
        if self.typed.trim_start_matches('$').starts_with("const.") {
            for (name, value) in names::constants(self.typed.trim_start_matches('$')) {
                add(name, value, 1);
            }
        } else {
            add("const".to_owned(), "the constants of resource kinds".to_owned(), 7);
        }
        found
    }

    fn classes(&self) -> Vec<Completion> {
        let Some((program, file)) = self.program else { return Vec::new() };
        let Some(scope) = scope_at(program, file, self.offset) else { return Vec::new() };
        let scoped = program.scoped();
        let mut found = Vec::new();
        let mut add = |name: String, def| {
            let mcl_types::DefKind::Class { body, .. } = scoped.def(def).kind else { return };
            let params = scoped.scope(body).params.iter().enumerate();
            let params: Vec<String> =
                params.map(|(at, param)| format!("${{{}:{}}}", at + 1, scoped.def_name(*param))).collect();
            let arguments = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
            found.push(Completion {
                detail: signature(program, def),
                snippet: Some(format!("{name}{arguments}")),
                ..Completion::new(name, CompletionKind::Class, &self.word)
            });
        };
        for visible in visible(program, scope) {
            match visible.defined.kind {
                DefinedKind::Class(def) => add(visible.defined.name.to_string(), def),
                DefinedKind::Alias(stmt) => {
                    for (name, def) in names::definitions_behind(program, file, visible.defined, stmt) {
                        add(format!("{}.{name}", visible.defined.name), def);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn edge_kinds(&self) -> Vec<Completion> {
        let kinds = all_kinds().iter().filter(|kind| kind.is_public());
        let item = kinds.map(|kind| {
            let name = names::capitalized(kind.name);
            let snippet = Some(format!("{name}[\"$0\"]"));
            Completion { snippet, ..Completion::new(name, CompletionKind::ResourceKind, &self.word) }
        });
        item.collect()
    }

    fn resource_names(&self, kind: &str) -> Vec<Completion> {
        let Some((program, _)) = self.program else { return Vec::new() };
        let names = names::resources(program, kind).into_iter();
        names.map(|name| Completion::new(name, CompletionKind::Value, &self.word)).collect()
    }

    fn imports(&self) -> Vec<Completion> {
        let typed = self.text.get(self.word.start as usize..self.offset as usize).unwrap_or("");
        let system = mcl_functions::module_names().map(str::to_owned);
        let files = self.path.parent().map_or_else(Vec::new, |from| names::importable(from, typed, self.path));
        let names = system.chain(files);
        names.map(|name| Completion::new(name, CompletionKind::Module, &self.word)).collect()
    }

    fn verbs(&self) -> Vec<Completion> {
        let item = VERBS.iter().map(|(verb, detail)| Completion {
            detail: (*detail).to_owned(),
            ..Completion::new(*verb, CompletionKind::Value, &self.word)
        });
        item.collect()
    }

    /// Returns what a kind sends to other resources, or the parameters that it takes from them.
    fn keys(&self, kind: &str, takes: bool) -> Vec<Completion> {
        let Some(kind) = resource_graph::kind(kind) else { return Vec::new() };
        let item = |name: &str, ty: &str, doc: &str| Completion {
            detail: format!("{name} {ty}"),
            documentation: doc.to_owned(),
            ..Completion::new(name, CompletionKind::Field, &self.word)
        };
        if takes {
            kind.fields.iter().map(|field| item(field.name, field.ty, field.doc)).collect()
        } else {
            kind.sends.iter().map(|sent| item(sent.name, sent.ty, "")).collect()
        }
    }

    fn types(&self) -> Vec<Completion> {
        let types = ["bool", "str", "int", "float", "map", "struct", "func", "variant"].into_iter();
        types.map(|name| Completion::new(name, CompletionKind::Type, &self.word)).collect()
    }
}
