//! The names that completion offers, from the program, the tables of the language, and the file system.

use std::collections::BTreeSet;
use std::path::Path;

use mcl_diagnostics::FileId;
use mcl_parser::ast::{Expr, Stmt, StmtId};
use mcl_types::{DefId, DefKind, StmtInfo};
use resource_graph::{Check, ConstantValue, all_kinds};

use crate::index::DefinedName;
use crate::program::Program;
use crate::scopes::members;
use crate::types::type_text;

/// Common signals.
const SIGNALS: &[&str] = &["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGKILL"];

/// Modes that are common.
const MODES: &[&str] = &["u=rw,go=r", "u=rwx,go=rx", "u=rw,go=", "0644", "0755", "0600"];

/// Returns the strings that a parameter allows, as far as its kind lists them.
pub(crate) fn allowed_values(kind: &str, parameter: &str) -> Vec<String> {
    let Some(of) = resource_graph::kind(kind) else { return Vec::new() };
    let constants = of.constants.iter().filter(|constant| constant.param == parameter);
    let values = constants.filter_map(|constant| match constant.value {
        ConstantValue::Str(value) => Some(value.to_owned()).filter(|value| !value.is_empty()),
        ConstantValue::Int(_) => None,
    });
    let mut values: Vec<String> = values.collect();
    if values.is_empty()
        && let Some(Check::OneOf(allowed)) = of.field(parameter).map(|field| &field.check)
    {
        values.extend(allowed.iter().filter(|value| !value.is_empty()).map(|value| (*value).to_owned()));
    }
    if parameter == "sig" && values.is_empty() {
        values.extend(SIGNALS.iter().map(|signal| (*signal).to_owned()));
    }
    if parameter == "mode" && values.is_empty() {
        values.extend(MODES.iter().map(|mode| (*mode).to_owned()));
    }
    values
}

/// Returns the constants one part longer than what is typed, and their values.
pub(crate) fn constants(typed: &str) -> Vec<(String, String)> {
    let depth = typed.matches('.').count();
    let mut found = BTreeSet::new();
    for kind in all_kinds() {
        for constant in kind.constants {
            let name = format!("const.res.{}.{}.{}", kind.name, constant.param, constant.name);
            let parts: Vec<&str> = name.split('.').collect();
            let shown = parts[..parts.len().min(depth + 1)].join(".");
            let value = match constant.value {
                ConstantValue::Str(value) => format!("{value:?}"),
                ConstantValue::Int(value) => value.to_string(),
            };
            let value = if shown == name { value } else { String::new() };
            found.insert((shown, value));
        }
    }
    found.into_iter().collect()
}

/// Returns the definitions that an alias gives access to.
pub(crate) fn definitions_behind(
    program: &Program,
    file: FileId,
    alias: &DefinedName,
    stmt: StmtId,
) -> Vec<(String, DefId)> {
    let scoped = program.scoped();
    let scope = match scoped.ast_of(alias.scope).stmt(stmt) {
        Stmt::Import(import) => program.imported_file(file, &import.module).and_then(|target| {
            let modules = scoped.modules.values();
            modules.into_iter().find(|module| scoped.units[module.unit].file == target).map(|module| module.scope)
        }),
        _ => match scoped.stmt_info(alias.scope, stmt) {
            StmtInfo::Instance(instance) => scoped.instance_scope(instance),
            _ => None,
        },
    };
    let defs = scope.map_or_else(Vec::new, |scope| members(program, scope));
    defs.into_iter().map(|def| (scoped.def_name(def).to_string(), def)).collect()
}

/// Returns the variables that an alias gives access to, with their types.
pub(crate) fn variables_behind(
    program: &Program,
    file: FileId,
    alias: &DefinedName,
    stmt: StmtId,
) -> Vec<(String, String)> {
    let defs = definitions_behind(program, file, alias, stmt).into_iter();
    let variables =
        defs.filter(|(_, def)| matches!(program.scoped().def(*def).kind, DefKind::Bind { .. } | DefKind::Param { .. }));
    variables.map(|(name, def)| (name, type_text(program, program.typed().def(def)).unwrap_or_default())).collect()
}

/// Returns the constant names of the resources of a kind.
pub(crate) fn resources(program: &Program, kind: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for ast in program.scoped().units.values() {
        for stmt in ast.stmts.values() {
            if let Stmt::Resource(resource) = stmt
                && ast.name(resource.kind) == kind
                && let Expr::Str(name) = ast.expr(resource.name)
            {
                names.insert(ast.string(*name).to_owned());
            }
        }
    }
    names
}

/// Returns a kind as edges write it: `Http:Server`.
pub(crate) fn capitalized(kind: &str) -> String {
    let parts = kind.split(':').map(|part| {
        let mut part = part.to_owned();
        part[..1].make_ascii_uppercase();
        part
    });
    parts.collect::<Vec<_>>().join(":")
}

/// Returns what can be imported from a directory: `.mcl` files and module directories, below the directory that is typed.
pub(crate) fn importable(from: &Path, typed: &str, importing: &Path) -> Vec<String> {
    let below = typed.rsplit_once('/').map_or("", |(directory, _)| directory);
    if below.starts_with('/') {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(from.join(below)) else { return Vec::new() };
    let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.to_owned();
            let is_module = path.is_dir() && !name.starts_with('.');
            let is_file = path.extension().is_some_and(|extension| extension == "mcl") && path != importing;
            match (is_module, is_file) {
                (true, _) => Some(format!("{prefix}{name}/")),
                (false, true) => Some(format!("{prefix}{name}")),
                (false, false) => None,
            }
        })
        .collect();
    names.sort();
    names
}
