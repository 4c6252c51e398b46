//! Built-in variables (spec 03 §7).

use mcl_artifact::program::ConstId;
use mcl_functions::{VARIABLES, VariableValue};
use resource_graph::{ConstantValue, resource_constant};

use crate::pool::Pool;

/// Returns the value of a built-in variable, given its registered name.
pub(crate) fn variable(pool: &mut Pool, registered: &str) -> Option<ConstId> {
    let (module, name) = registered.rsplit_once('.').unwrap_or(("", registered));
    if let Some(variable) = VARIABLES.iter().find(|variable| variable.module == module && variable.name == name) {
        return Some(match variable.value {
            VariableValue::Text(text) => pool.str(text),
            VariableValue::Hostname => pool.hostname(),
        });
    }
    match resource_constant(registered)? {
        ConstantValue::Str(text) => Some(pool.str(text)),
        ConstantValue::Int(number) => Some(pool.int(number)),
    }
}
