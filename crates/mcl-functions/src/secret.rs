//! `secret`: values that must not be shown. mgmt 1.1 does not have this module.

use crate::table::{host, ok};
use crate::{Function, Sensitivity};

pub(crate) static FUNCTIONS: &[Function] = &[
    host(
        "secret.nonsensitive",
        "func(value ?1) ?1",
        "Returns the value, which may be shown from here on. Use it for what is known to reveal nothing, such as a hash.",
        |_, args| ok(args[0].clone()),
    )
    .of_program()
    .with_sensitivity(Sensitivity::Never).example(r#"secret.nonsensitive("a hash")"#),
    host(
        "secret.sensitive",
        "func(value ?1) ?1",
        "Returns the value and marks it as sensitive: it and everything computed from it is hidden from plans, logs and \
         messages.",
        |_, args| ok(args[0].clone()),
    )
    .of_program()
    .with_sensitivity(Sensitivity::Always).example(r#"secret.sensitive("a password")"#),
];
