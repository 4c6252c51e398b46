//! W0221: `$name` in a string, which is not replaced by the variable of that name.

use mcl_diagnostics::{Change, Code, Diagnostic, Fix, Span};
use mcl_parser::ast::{Ast, Expr, ExprId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lint::{Names, lint};
use crate::scoped::{DefId, DefKind, ModuleId, ScopeId, ScopeKind};
use crate::walk::{expressions, subexpressions};

impl Names<'_> {
    /// Returns the variables that strings seem to mean, too.
    pub(super) fn missing_braces(&self, found: &mut Vec<Diagnostic>) -> FxHashSet<DefId> {
        let mut meant = FxHashSet::default();
        let modules: FxHashSet<ModuleId> =
            self.scoped.modules.keys().filter(|module| self.is_own(*module) && self.has_dollar(*module)).collect();
        if modules.is_empty() {
            return meant;
        }
        let is_variable = |kind: DefKind| matches!(kind, DefKind::Bind { .. } | DefKind::Param { .. });
        let variables: FxHashMap<(ScopeId, &str), DefId> = self
            .scoped
            .defs
            .iter()
            .filter(|(_, def)| is_variable(def.kind))
            .map(|(id, def)| ((def.scope, self.scoped.def_name(id)), id))
            .collect();
        let mut places = FxHashSet::default();
        for (id, scope) in self.scoped.scopes.iter().filter(|(_, scope)| modules.contains(&scope.module)) {
            if matches!(scope.kind, ScopeKind::Function(_)) {
                continue; // Its expressions are those of the statement around it.
            }
            let ast = self.scoped.ast_of(id);
            let mut work: Vec<ExprId> = Vec::new();
            scope.body.iter().for_each(|stmt| expressions(ast.stmt(*stmt), |expr| work.push(expr)));
            while let Some(expr) = work.pop() {
                if !is_string(ast, expr) {
                    subexpressions(ast, ast.expr(expr), |part| work.push(part));
                    continue;
                }
                for (span, name) in self.names_after_dollar(ast.expr_span(expr)) {
                    let variable = std::iter::successors(Some(id), |scope| self.scoped.scope(*scope).parent)
                        .find_map(|scope| variables.get(&(scope, name)));
                    if let Some(variable) = variable
                        && places.insert((span.file, span.start))
                    {
                        meant.insert(*variable);
                        found.push(not_replaced(name, span));
                    }
                }
            }
        }
        meant
    }

    /// Whether a string of a module has a dollar sign without a brace.
    fn has_dollar(&self, module: ModuleId) -> bool {
        self.scoped.ast(module).strings.iter().any(|string| string.contains('$'))
    }

    /// Returns the names that follow a dollar sign in a string as it is written.
    fn names_after_dollar(&self, string: Span) -> Vec<(Span, &str)> {
        let text = self.text(string);
        // Templates have variables of their own.
        if text.contains("{{") {
            return Vec::new();
        }
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if *byte == b'\\' {
                at += 2;
                continue;
            }
            let start = at + 1;
            at = start;
            if *byte == b'$' && bytes.get(start).is_some_and(u8::is_ascii_lowercase) {
                let is_part = |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'_';
                at = start + bytes[start..].iter().take_while(is_part).count();
                let (from, to) = (string.start + start as u32 - 1, string.start + at as u32);
                found.push((Span { start: from, end: to, ..string }, &text[start..at]));
            }
        }
        found
    }
}

/// Whether an expression is a whole string.
fn is_string(ast: &Ast, expr: ExprId) -> bool {
    matches!(ast.expr(expr), Expr::Str(_) | Expr::Concat(_))
}

fn not_replaced(name: &str, span: Span) -> Diagnostic {
    let braces = format!("${{{name}}}");
    lint(Code::W0221, format!("`${name}` in a string is not replaced by the variable"))
        .at(span)
        .help(format!("write `{braces}` to insert it, or `\\${name}` for the text itself"))
        .fix(Fix::guess(format!("write `{braces}`"), Change::Replace { span, text: braces.clone() }))
}
