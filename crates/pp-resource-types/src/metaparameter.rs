//! Metaparameters: parameters of every resource.

use crate::values::Values;

/// A parameter that every resource has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metaparameter {
    /// The name.
    pub name: &'static str,
    /// What values it takes.
    pub values: Values,
    /// It names resources that come before or after.
    pub relationship: bool,
    /// What a define instance sets is copied to its contents (spec 07 §2.10).
    pub inherited: bool,
    /// What it means, in a line.
    pub doc: &'static str,
}

const fn metaparameter_of(name: &'static str, values: Values, doc: &'static str) -> Metaparameter {
    Metaparameter { name, values, relationship: false, inherited: true, doc }
}

const fn relationship(name: &'static str, doc: &'static str) -> Metaparameter {
    Metaparameter { name, values: Values::Any, relationship: true, inherited: false, doc }
}

const LEVELS: Values =
    Values::Words(&["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit", "verbose"]);

/// The metaparameters, in the order in which contents of a define inherit them.
pub const METAPARAMETERS: &[Metaparameter] = &[
    metaparameter_of("noop", Values::Words(&["true", "false"]), "Only report what would change."),
    metaparameter_of("schedule", Values::Any, "The name of the schedule that says when to apply the resource."),
    metaparameter_of("audit", Values::Any, "The attributes whose changes are reported: a list of names, or `all`."),
    metaparameter_of("loglevel", LEVELS, "The level at which changes are logged."),
    metaparameter_of("alias", Values::Any, "Further titles."),
    metaparameter_of("tag", Values::Any, "Words by which collectors and agents select the resource."),
    relationship("require", "Resources that come before this one."),
    relationship("subscribe", "Resources that come before this one and refresh it when they change."),
    relationship("before", "Resources that come after this one."),
    relationship("notify", "Resources that come after this one and are refreshed when it changes."),
    Metaparameter {
        name: "stage",
        values: Values::Any,
        relationship: false,
        inherited: false,
        doc: "The run stage of a class.",
    },
];

/// Returns a metaparameter.
#[must_use]
pub fn metaparameter(name: &str) -> Option<&'static Metaparameter> {
    METAPARAMETERS.iter().find(|m| m.name == name)
}
