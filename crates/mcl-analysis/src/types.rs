//! Types and signatures as text.

use std::fmt::Write;

use mcl_types::{DefId, DefKind, ModuleId, Target, TypeId};

use crate::program::Program;

/// A type with more parts is not shown.
const MAX_SHOWN_PARTS: usize = 1000;

/// Returns a type as text; `None` for what the program does not use, what has an error, and for huge types.
pub(crate) fn type_text(program: &Program, ty: TypeId) -> Option<String> {
    let types = &program.typed().types;
    (ty != TypeId::UNTYPED && types.has_at_most_parts(ty, MAX_SHOWN_PARTS)).then(|| types.to_type(ty).to_string())
}

/// Returns a definition as the program could write it: `$root str`, `class site($name str, $port int)`,
/// `func double($n int) int`.
pub(crate) fn signature(program: &Program, def: DefId) -> String {
    let (scoped, typed) = (program.scoped(), program.typed());
    let name = scoped.def_name(def);
    let typed_name = |def: DefId| {
        match type_text(program, typed.def(def)) {
            Some(ty) => format!("${} {ty}", scoped.def_name(def)),
            // The span of a parameter has the type that is written.
            None => program.loaded().files.text(scoped.def_span(def)).to_owned(),
        }
    };
    let params = |scope: Option<mcl_types::ScopeId>| {
        let params = scope.map_or(&[][..], |scope| &scoped.scope(scope).params);
        params.iter().map(|param| typed_name(*param)).collect::<Vec<_>>().join(", ")
    };
    match scoped.def(def).kind {
        DefKind::Bind { .. } | DefKind::Param { .. } | DefKind::Error => typed_name(def),
        DefKind::Class { body, .. } if scoped.scope(body).params.is_empty() => format!("class {name}"),
        DefKind::Class { body, .. } => format!("class {name}({})", params(Some(body))),
        DefKind::Func { scope, .. } => {
            let mut text = format!("func {name}({})", params(scope.expand()));
            if let mcl_types::TypeNode::Func(_, result) = typed.types.get(typed.def(def))
                && let Some(result) = type_text(program, *result)
            {
                let _ = write!(text, " {result}");
            }
            text
        }
    }
}

/// Returns the type of an expression.
pub(crate) fn expr_type(program: &Program, module: ModuleId, expr: mcl_parser::ast::ExprId) -> Option<String> {
    type_text(program, program.typed().expr(module, expr))
}

/// Returns the signature of a function at a call: `func double($n int) int`.
pub(crate) fn call_signature(
    program: &Program,
    module: ModuleId,
    call: mcl_parser::ast::ExprId,
    args: &[mcl_parser::ast::ExprId],
) -> Option<String> {
    let scoped = program.scoped();
    let Target::Def(def) = scoped.expr_ref(module, call)?.target else { return None };
    let params = &scoped.scope(scoped.function_scope(def)?).params;
    let result = expr_type(program, module, call)?;
    let typed = params
        .iter()
        .zip(args)
        .map(|(param, arg)| Some(format!("${} {}", scoped.def_name(*param), expr_type(program, module, *arg)?)));
    let typed: Option<Vec<String>> = typed.collect();
    Some(format!("func {}({}) {result}", scoped.def_name(def), typed?.join(", ")))
}
