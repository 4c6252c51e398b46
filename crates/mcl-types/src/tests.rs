//! Programs, with the diagnostics of the two stages or the types that they find.

mod broken;
mod generics;
mod lint;
mod mutated;
mod resources;
mod scale;
mod scope;
mod types;

use std::fmt::Write;
use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};
use expect_test::Expect;
use mcl_diagnostics::{Diagnostic, FileId, Files, Severity, Span};
use mcl_modules::{Import, ImportKind, ImportName, ImportTarget, Loaded, Unit, UnitId};
use mcl_parser::ast::Stmt;

use crate::{DefKind, TypeId, Typed};

/// Checks the diagnostics of a program, one per line with their labels and help indented, or else the types of the
/// variables at its top level. The program begins after a line break; further files follow a line `-- NAME --`.
/// `UPDATE_EXPECT=1` rewrites the expectations.
#[track_caller]
fn check(program: &str, expected: Expect) {
    expected.assert_eq(&describe(program));
}

fn describe(program: &str) -> String {
    let (typed, diagnostics, files) = compile(program);
    let mut out = String::new();
    for diagnostic in &diagnostics {
        let at = diagnostic.span.map_or_else(|| "-".to_owned(), |span| location(&files, span));
        let _ = writeln!(out, "{at} {} {}", diagnostic.code.name(), diagnostic.message);
        for label in &diagnostic.labels {
            let _ = writeln!(out, "  {} {}", location(&files, label.span), label.text);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    if !diagnostics.is_empty() {
        return out;
    }
    let root = typed.scoped.root();
    for (id, def) in &typed.scoped.defs {
        let ty = typed.def(id);
        if def.scope == root && matches!(def.kind, DefKind::Bind { .. }) && ty != TypeId::UNTYPED {
            let _ = writeln!(out, "${}: {}", typed.scoped.def_name(id), typed.types.to_type(ty));
        }
    }
    out
}

fn location(files: &Files, span: Span) -> String {
    let at = files.line_col(span.file, span.start);
    match files.get(span.file) {
        Some(file) if span.file != FileId::MAIN => format!("{}:{}:{}", file.name, at.line, at.col),
        _ => format!("{}:{}", at.line, at.col),
    }
}

/// Runs a program through all stages up to unify.
fn compile(program: &str) -> (Typed, Vec<Diagnostic>, Files) {
    let loaded = load(program.strip_prefix('\n').unwrap_or(program));
    let mut diagnostics = Vec::new();
    let mut trees = PrimaryMap::new();
    for unit in loaded.units.values() {
        let text = &loaded.files.files[unit.file].text;
        let parsed = mcl_parser::parse(unit.file, text, &unit.tokens);
        diagnostics.extend(parsed.diagnostics);
        diagnostics.extend(crate::check_annotated_literals(&parsed.ast));
        diagnostics.extend(crate::check_meta_parameters(&parsed.ast));
        let (tree, found) = mcl_parser::interpolate(parsed.ast);
        diagnostics.extend(found);
        trees.push(Arc::new(tree));
    }
    let (scoped, found) = crate::scope(&loaded, trees);
    // What is unused is tested by itself (`lint.rs`): most of these programs use nothing.
    diagnostics.extend(found.into_iter().filter(|found| found.severity == Severity::Error));
    let (typed, found) = crate::unify(scoped);
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.stage, diagnostic.span));
    (typed, diagnostics, loaded.files)
}

/// Loads files from memory; an import of a `.mcl` file leads to the file of exactly that name.
fn load(program: &str) -> Loaded {
    let mut loaded = Loaded::default();
    let (mut name, mut text) = ("main.mcl", String::new());
    for line in program.lines() {
        match line.strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
            Some(next) => {
                loaded.files.add(name, std::mem::take(&mut text));
                name = next;
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    loaded.files.add(name, text);
    for (file_id, file) in &loaded.files.files {
        let tokens = mcl_lexer::lex(&file.text);
        let ast = mcl_parser::parse(file_id, &file.text, &tokens).ast;
        let mut imports = Vec::new();
        for (id, stmt) in &ast.stmts {
            let span = ast.stmt_span(id);
            let Stmt::Import(import) = stmt else { continue };
            let module = &import.module;
            let name = ImportName::parse(module).ok();
            let target = match &name {
                Some(ImportName { kind: ImportKind::LocalFile(path), .. }) => {
                    let unit = loaded.files.files.values().position(|file| *file.name == **path);
                    ImportTarget::Unit(UnitId::new(unit.expect("the imported file is part of the test")))
                }
                _ => ImportTarget::System,
            };
            imports.push(Import { raw: Arc::clone(module), span, name, target });
        }
        loaded.units.push(Unit {
            file: file_id,
            tokens: Arc::new(tokens),
            module_dir: "/".into(),
            system: None,
            imports,
        });
    }
    loaded
}
