//! What could be written and is not: types and the names of arguments (spec 11 §3.10).

use std::ops::Range;
use std::path::Path;

use mcl_parser::ast::{Ast, Expr, ExprId, Stmt};
use mcl_types::{DefId, DefKind, InstanceKind, ModuleId, ScopeId, StmtInfo, Target};

use crate::analysis::Analysis;
use crate::index::DefinedKind;
use crate::program::Program;
use crate::types::type_text;

/// A text to show between two characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// Where it is shown.
    pub offset: u32,
    /// The text.
    pub label: String,
    /// Whether it is a type, and not the name of an argument.
    pub is_type: bool,
}

impl Analysis {
    /// Returns the hints in a range of a file.
    #[must_use]
    pub fn inlay_hints(&self, path: &Path, range: Range<u32>) -> Vec<InlayHint> {
        let Some((program, file)) = self.program_of(path) else { return Vec::new() };
        let scoped = program.scoped();
        let mut hints = Vec::new();
        let wanted = |offset: &u32| range.contains(offset) || *offset == range.end;
        for (_, defined) in program.index().all_defined().filter(|(_, defined)| defined.span.file == file) {
            let (DefinedKind::Bind(def) | DefinedKind::Parameter(def)) = defined.kind else { continue };
            if !wanted(&defined.span.end) || is_type_visible(program, def) {
                continue;
            }
            let ty = type_text(program, program.typed().def(def)).filter(|ty| !ty.contains('?'));
            hints.extend(ty.map(|ty| InlayHint { offset: defined.span.end, label: format!(": {ty}"), is_type: true }));
        }
        let modules = scoped.modules.iter().filter(|(_, module)| scoped.units[module.unit].file == file);
        for (module, _) in modules {
            let ast = scoped.ast(module);
            for (id, expr) in &ast.exprs {
                let Expr::Call { args, .. } = expr else { continue };
                let Some(Target::Def(def)) = scoped.expr_ref(module, id).map(|reference| reference.target) else {
                    continue;
                };
                if let Some(scope) = scoped.function_scope(def) {
                    hints.extend(arguments(program, ast, scope, ast.list(*args)));
                }
            }
            for (id, stmt) in &ast.stmts {
                if let Stmt::Include(include) = stmt
                    && let Some(body) = included(program, module, id)
                {
                    hints.extend(arguments(program, ast, body, include.args.as_deref().unwrap_or_default()));
                }
            }
        }
        hints.retain(|hint| wanted(&hint.offset));
        hints.sort_by(|a, b| (a.offset, &a.label).cmp(&(b.offset, &b.label)));
        hints.dedup();
        hints
    }
}

/// Whether the type is written, or that of a literal.
fn is_type_visible(program: &Program, def: DefId) -> bool {
    let scoped = program.scoped();
    let of = scoped.def(def);
    match of.kind {
        DefKind::Bind { stmt } => match scoped.ast_of(of.scope).stmt(stmt) {
            Stmt::Bind { ty, value, .. } if ty.is_none() => {
                let value = scoped.ast_of(of.scope).expr(*value);
                !matches!(
                    value,
                    Expr::Call { .. }
                        | Expr::CallVar { .. }
                        | Expr::CallLambda { .. }
                        | Expr::Var(_)
                        | Expr::If { .. }
                        | Expr::Unary { .. }
                        | Expr::Binary { .. }
                        | Expr::Index { .. }
                        | Expr::Field { .. }
                        | Expr::FieldOr { .. }
                        | Expr::Except { .. }
                )
            }
            _ => true,
        },
        DefKind::Param { .. } => is_type_written(program, def),
        DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => true,
    }
}

/// Whether the type of a variable or parameter is written.
pub(crate) fn is_type_written(program: &Program, def: DefId) -> bool {
    let scoped = program.scoped();
    let of = scoped.def(def);
    match of.kind {
        DefKind::Bind { stmt } => !matches!(scoped.ast_of(of.scope).stmt(stmt), Stmt::Bind { ty, .. } if ty.is_none()),
        // The span of a parameter has its type.
        DefKind::Param { .. } => of.range.end - of.range.start > scoped.def_name(def).len() as u32 + 1,
        DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Error => true,
    }
}

/// Returns the scope of the class that an include makes an instance of.
fn included(program: &Program, module: ModuleId, stmt: mcl_parser::ast::StmtId) -> Option<ScopeId> {
    let scoped = program.scoped();
    let StmtInfo::Instance(instance) = scoped.module(module).stmts[stmt] else { return None };
    match scoped.instance(instance).kind {
        InstanceKind::Class(_) => scoped.instance_scope(instance),
        InstanceKind::Module(_) | InstanceKind::Error => None,
    }
}

/// Returns the names of arguments that are not variables of the same name.
fn arguments(program: &Program, ast: &Ast, scope: ScopeId, args: &[ExprId]) -> Vec<InlayHint> {
    let scoped = program.scoped();
    let params = scoped.scope(scope).params.iter().zip(args);
    let hints = params.filter_map(|(param, arg)| {
        let name = scoped.def_name(*param);
        let is_same = matches!(ast.expr(*arg), Expr::Var(of) if ast.name(*of) == name);
        let hint = InlayHint { offset: ast.expr_span(*arg).start, label: format!("{name}:"), is_type: false };
        (!is_same).then_some(hint)
    });
    hints.collect()
}
