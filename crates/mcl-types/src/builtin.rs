//! Built-in variables and functions, by their registered names (spec 02 §2.2, spec 03 §7).

use resource_graph::{ConstantValue, resource_constant};

use crate::typed::TypeId;

/// A built-in variable.
pub(crate) struct Variable {
    pub(crate) ty: TypeId,
    /// Whether it is visible without an import.
    pub(crate) global: bool,
}

/// Returns the built-in variable with this registered name.
pub(crate) fn variable(name: &str) -> Option<Variable> {
    let (module, short) = name.rsplit_once('.').unwrap_or(("", name));
    if mcl_functions::VARIABLES.iter().any(|variable| variable.module == module && variable.name == short) {
        return Some(Variable { ty: TypeId::STR, global: module.is_empty() });
    }
    let ty = match resource_constant(name)? {
        ConstantValue::Str(_) => TypeId::STR,
        ConstantValue::Int(_) => TypeId::INT,
    };
    Some(Variable { ty, global: true })
}

/// Returns the names, without their module, of the native functions of exactly this module.
pub(crate) fn functions_of(module: &str) -> impl Iterator<Item = &'static str> {
    mcl_functions::module_functions(module).iter().map(mcl_functions::Function::short_name)
}

/// Returns the functions that need no import and can be called by name.
pub(crate) fn global_functions() -> impl Iterator<Item = &'static str> {
    functions_of("").filter(|name| !name.starts_with('_') && *name != "panic")
}
