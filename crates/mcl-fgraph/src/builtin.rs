//! The variables that every program has (spec 03 §7).

use mcl_artifact::program::ConstId;
use resource_graph::{ConstantValue, RESOURCE_CONSTANTS};

use crate::pool::Pool;

/// The value of a built-in variable, by its registered name.
pub(crate) fn variable(pool: &mut Pool, name: &str) -> Option<ConstId> {
    let text = match name {
        "hostname" => return Some(pool.hostname()),
        "purpleidea" => "hello world!",
        "os.family_redhat" => "redhat",
        "os.family_debian" => "debian",
        "os.family_archlinux" => "archlinux",
        _ => match RESOURCE_CONSTANTS.iter().find(|constant| constant.variable() == name)?.value {
            ConstantValue::Str(text) => text,
            ConstantValue::Int(number) => return Some(pool.int(number)),
        },
    };
    Some(pool.str(text.as_bytes()))
}
