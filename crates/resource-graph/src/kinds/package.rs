//! `pkg` (spec 05 §6.4).

use crate::validate::{Params, ValidationError};
use crate::{Check, Field, ResourceKind, Traits};

pub(super) const PKG: ResourceKind = ResourceKind {
    name: "pkg",
    doc: "A package of the distribution.",
    fields: &[
        Field::new("state", "str", "`installed`, `uninstalled`, `newest`, or an exact version.")
            .default("\"installed\"")
            .check(Check::NotEmpty),
        Field::new("allowdowngrade", "bool", "With an exact version: allow to go back to it."),
        Field::new("allowuntrusted", "bool", "Allow packages without a trusted signature."),
        Field::new("allownonfree", "bool", "Also consider packages that are not free software."),
        Field::new("allowunsupported", "bool", "Also consider packages that the distribution does not support."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, compatible: true, ..Traits::NONE },
    validate: validate_pkg,
};

fn validate_pkg(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.text("state") == "latest" {
        return Err(ValidationError::of("state", "`state` must not be \"latest\"").help("did you mean \"newest\"?"));
    }
    Ok(())
}
