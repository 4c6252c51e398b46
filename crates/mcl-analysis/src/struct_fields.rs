//! Where the field of a struct is named (spec 11 §3.2): in the struct literal or the written type that a value comes from.

use mcl_diagnostics::Span;
use mcl_parser::ast::{Expr, ExprId, Name, Stmt, StructEntry};
use mcl_types::{DefId, DefKind, ModuleId, Target};

use crate::program::Program;

/// Maximum number of definitions that are followed.
const MAX_STEPS: usize = 32;

/// What names the fields of a struct.
enum Origin<'p> {
    Literal(ModuleId, &'p [StructEntry]),
    /// A text that contains the type.
    Written(Span),
}

/// Returns where the field of an expression such as `$x->port` is named; `None` if that is computed, as by a function.
pub(crate) fn field_span(program: &Program, module: ModuleId, expr: ExprId) -> Option<Span> {
    let (base, field) = field_of(program.scoped().ast(module).expr(expr))?;
    match origin(program, module, base, MAX_STEPS)? {
        Origin::Literal(of, entries) => Some(entry(program, of, (module, field), entries)?.name_span),
        Origin::Written(ty) => Some(written_field(program, ty, program.scoped().ast(module).name(field))?.0),
    }
}

fn field_of(expr: &Expr) -> Option<(ExprId, Name)> {
    match expr {
        Expr::Field { base, field } | Expr::FieldOr { base, field, .. } => Some((*base, *field)),
        _ => None,
    }
}

/// Returns the entry of a literal in one module with the name of a field in another one.
fn entry<'p>(
    program: &'p Program,
    literal: ModuleId,
    (module, field): (ModuleId, Name),
    entries: &'p [StructEntry],
) -> Option<&'p StructEntry> {
    let scoped = program.scoped();
    let field = scoped.ast(module).name(field);
    entries.iter().find(|entry| scoped.ast(literal).name(entry.name) == field)
}

/// Follows an expression to what names the fields of its value.
fn origin(program: &Program, module: ModuleId, expr: ExprId, steps: usize) -> Option<Origin<'_>> {
    let steps = steps.checked_sub(1)?;
    let scoped = program.scoped();
    let ast = scoped.ast(module);
    match ast.expr(expr) {
        Expr::Struct(literal) => Some(Origin::Literal(module, &literal.fields)),
        Expr::Paren(value) | Expr::Except { value, .. } => origin(program, module, *value, steps),
        Expr::Var(_) => match scoped.expr_ref(module, expr)?.target {
            Target::Def(def) => origin_of_variable(program, def, steps),
            Target::Function(_) | Target::Variable(_) => None,
        },
        other => {
            let (base, field) = field_of(other)?;
            match origin(program, module, base, steps)? {
                Origin::Literal(of, entries) => {
                    let value = entry(program, of, (module, field), entries)?.value;
                    origin(program, of, value, steps)
                }
                Origin::Written(ty) => Some(Origin::Written(written_field(program, ty, ast.name(field))?.1)),
            }
        }
    }
}

fn origin_of_variable(program: &Program, def: DefId, steps: usize) -> Option<Origin<'_>> {
    let scoped = program.scoped();
    let scope = scoped.def(def).scope;
    match scoped.def(def).kind {
        DefKind::Bind { stmt } => {
            let ast = scoped.ast_of(scope);
            let Stmt::Bind { ty, value, name_range, .. } = ast.stmt(stmt) else { return None };
            match ty.expand() {
                Some(_) => {
                    let value = ast.expr_span(*value);
                    Some(Origin::Written(Span { start: name_range.end, end: value.start, ..value }))
                }
                None => origin(program, scoped.scope(scope).module, *value, steps),
            }
        }
        DefKind::Param { .. } => Some(Origin::Written(scoped.def_span(def))),
        DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => None,
    }
}

/// Returns where a written struct type names a field, and where the type of the field is.
fn written_field(program: &Program, ty: Span, field: &str) -> Option<(Span, Span)> {
    let text = program.loaded().files.text(ty);
    let open = text.find("struct{")? + "struct{".len();
    let mut depth = 0usize;
    let mut start = open;
    for (at, character) in text[open..].char_indices().map(|(at, character)| (open + at, character)) {
        match character {
            '{' => depth += 1,
            '}' | ';' if depth == 0 => {
                let part = &text[start..at];
                let name = start + part.len() - part.trim_start().len();
                let (found, _) = text[name..at].split_once(char::is_whitespace)?;
                if found == field {
                    let at_offset = |from: usize, to: usize| Span {
                        start: ty.start + from as u32,
                        end: ty.start + to as u32,
                        ..ty
                    };
                    return Some((at_offset(name, name + found.len()), at_offset(name + found.len(), at)));
                }
                if character == '}' {
                    return None;
                }
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
