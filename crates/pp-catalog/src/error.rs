//! Errors and warnings, as data.

use std::fmt;
use std::sync::Arc;

use pp_resource_types::{Problem, TitleProblem};

use crate::location::Location;
use crate::reference::{InvalidReference, Reference};

/// An error of the catalog. Its text is Puppet's (spec 07 §5.18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where: the declaration of the resource, or of what refers to it.
    pub location: Location,
}

/// What is wrong with a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A type and title are declared twice.
    Duplicate {
        /// The resource.
        reference: Reference,
        /// Where it was declared first.
        earlier: Location,
    },
    /// An alias, or the value of a name attribute, names another resource already.
    AliasTaken {
        /// The resource.
        reference: Reference,
        /// What it is to be called.
        alias: AliasKey,
        /// Where the other one was declared.
        earlier: Location,
    },
    /// The title does not name a resource of its type.
    NoName {
        /// The resource.
        reference: Reference,
        /// Why not.
        problem: TitleProblem,
    },
    /// A resource that is not a class sets `stage`.
    StageOfResource(Reference),
    /// The stage of a class does not exist.
    UnknownStage {
        /// The class.
        class: Reference,
        /// The stage.
        stage: String,
    },
    /// A resource default is set twice in a scope.
    DefaultTaken {
        /// The name of the type.
        type_name: Arc<str>,
        /// The parameter.
        parameter: Arc<str>,
        /// Where it was set first.
        earlier: Location,
    },
    /// A text is not a tag.
    InvalidTag(String),
    /// An override by a class that does not inherit the class of the resource.
    NotSubclass(Reference),
    /// An override of a parameter by the class that set it, or one that does not inherit it.
    AlreadySet {
        /// The resource.
        reference: Reference,
        /// The parameter.
        parameter: Arc<str>,
        /// What set it, such as `class a`.
        by: String,
        /// Where it was set.
        earlier: Location,
    },
    /// A type has no such parameter.
    UnknownParameter {
        /// The resource.
        reference: Reference,
        /// The parameter.
        parameter: Arc<str>,
        /// Where it is set.
        set: Location,
    },
    /// The parameters of an instance of a define do not match its definition.
    InvalidParameters(String),
    /// Overrides of resources that were never declared.
    UnresolvedOverrides(Vec<Reference>),
    /// References to `realize` that were never declared.
    UnrealizedReferences(Vec<Reference>),
    /// An operand of an arrow that was never declared.
    UnknownOperand {
        /// The resource.
        unknown: Reference,
        /// The other operand.
        other: Reference,
        /// The unknown one is the source of the relationship.
        is_source: bool,
    },
    /// A relationship of a resource to one that was never declared.
    UnknownTarget {
        /// The resource.
        unknown: Reference,
        /// The one that refers to it.
        other: Reference,
        /// `require`, `before`, `notify` or `subscribe`.
        parameter: Arc<str>,
    },
    /// A value that should name a resource.
    InvalidReference(InvalidReference),
    /// A value that is a type set or holds one, which Puppet cannot write as JSON.
    TypeSetValue {
        /// The resource.
        reference: Reference,
        /// The parameter.
        parameter: Arc<str>,
    },
    /// A number that JSON does not have.
    NotANumber {
        /// The resource.
        reference: Reference,
        /// The parameter.
        parameter: Arc<str>,
    },
}

/// What a resource is called beside its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasKey {
    /// A value of `alias`.
    Alias(Arc<str>),
    /// The values of the name attributes.
    Names(Vec<Option<Arc<str>>>),
}

impl CatalogError {
    /// Returns where the other declaration is, if the error is about two.
    #[must_use]
    pub fn earlier(&self) -> Option<&Location> {
        match &self.kind {
            ErrorKind::Duplicate { earlier, .. }
            | ErrorKind::AliasTaken { earlier, .. }
            | ErrorKind::DefaultTaken { earlier, .. }
            | ErrorKind::AlreadySet { earlier, .. } => Some(earlier),
            ErrorKind::StageOfResource(_)
            | ErrorKind::NoName { .. }
            | ErrorKind::UnknownStage { .. }
            | ErrorKind::InvalidTag(_)
            | ErrorKind::NotSubclass(_)
            | ErrorKind::UnknownParameter { .. }
            | ErrorKind::InvalidParameters(_)
            | ErrorKind::UnresolvedOverrides(_)
            | ErrorKind::UnrealizedReferences(_)
            | ErrorKind::UnknownOperand { .. }
            | ErrorKind::UnknownTarget { .. }
            | ErrorKind::InvalidReference(_)
            | ErrorKind::TypeSetValue { .. }
            | ErrorKind::NotANumber { .. } => None,
        }
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let here = &self.location;
        match &self.kind {
            ErrorKind::Duplicate { reference, earlier } => {
                write!(f, "Duplicate declaration: {reference} is already declared{}; cannot redeclare", earlier.at())
            }
            ErrorKind::NoName { reference, problem: problem @ TitleProblem::NoMatch } => {
                write!(f, "{problem} \"{}\".", reference.title)
            }
            ErrorKind::NoName { problem: problem @ TitleProblem::NoPatterns, .. } => problem.fmt(f),
            ErrorKind::AliasTaken { reference, alias, earlier } => {
                let taken = alias.with_type(&reference.type_name);
                write!(f, "Cannot alias {reference} to {alias}{}; resource {taken} already declared", here.at())?;
                suffix(f, earlier)
            }
            ErrorKind::StageOfResource(reference) => {
                write!(f, "Only classes can set 'stage'; normal resources like {reference} cannot change run stage")
            }
            ErrorKind::UnknownStage { class, stage } => write!(f, "Could not find stage {stage} specified by {class}"),
            ErrorKind::DefaultTaken { type_name, parameter, earlier } => {
                write!(f, "Default already defined{} for {type_name} {{ {parameter} }}; cannot redefine", earlier.at())
            }
            ErrorKind::InvalidTag(tag) => write!(f, "Invalid tag '{tag}'"),
            ErrorKind::NotSubclass(_) => f.write_str("Only subclasses can override parameters"),
            ErrorKind::AlreadySet { reference, parameter, by, earlier } => write!(
                f,
                "Parameter '{parameter}' is already set on {reference} by {by}{}; cannot redefine",
                earlier.at()
            ),
            ErrorKind::UnknownParameter { reference, parameter, .. } => {
                write!(f, "no parameter named '{parameter}' on {reference}")
            }
            ErrorKind::InvalidParameters(text) => f.write_str(text),
            ErrorKind::UnresolvedOverrides(references) => {
                write!(f, "Could not find resource(s) {} for overriding", join(references))
            }
            ErrorKind::UnrealizedReferences(references) => {
                write!(f, "Failed to realize virtual resources {}", join(references))
            }
            ErrorKind::UnknownOperand { unknown, other, is_source } => {
                let side = if *is_source { "on" } else { "from" };
                write!(f, "Could not find resource '{unknown}' for relationship {side} '{other}'")
            }
            ErrorKind::UnknownTarget { unknown, parameter, .. } => {
                write!(f, "Could not find resource '{unknown}' in parameter '{parameter}'")
            }
            ErrorKind::InvalidReference(invalid) => invalid.fmt(f),
            ErrorKind::TypeSetValue { reference, parameter } => {
                write!(f, "Could not render a TypeSet to JSON: parameter '{parameter}' of {reference}")
            }
            ErrorKind::NotANumber { reference, parameter } => {
                write!(f, "NaN not allowed in JSON: parameter '{parameter}' of {reference}")
            }
        }
    }
}

impl std::error::Error for CatalogError {}

fn suffix(f: &mut fmt::Formatter<'_>, location: &Location) -> fmt::Result {
    let place = location.to_string();
    if place.is_empty() { Ok(()) } else { write!(f, " {place}") }
}

fn join(references: &[Reference]) -> String {
    references.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl AliasKey {
    /// Returns the key after the name of the type, as Puppet prints it: `["File", "/a"]`.
    fn with_type(&self, type_name: &str) -> String {
        match self {
            AliasKey::Alias(alias) => format!("[{type_name:?}, {alias:?}]"),
            AliasKey::Names(names) => format!("[{type_name:?}, {}]", list(names)),
        }
    }
}

impl fmt::Display for AliasKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AliasKey::Alias(alias) => write!(f, "{alias:?}"),
            AliasKey::Names(names) => write!(f, "[{}]", list(names)),
        }
    }
}

fn list(names: &[Option<Arc<str>>]) -> String {
    let name = |n: &Option<Arc<str>>| n.as_ref().map_or_else(|| "nil".to_owned(), |n| format!("{n:?}"));
    names.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// What is suspicious, but does not keep a catalog from being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogWarning {
    /// An override of an instance of a define whose body was evaluated already; an error where Puppet is strict.
    LateOverride {
        /// The resource.
        reference: Reference,
        /// Where it was declared.
        declared: Location,
        /// Where it is overridden.
        overridden: Location,
    },
    /// A value that the type of the resource does not accept. Only the agent refuses it.
    InvalidValue {
        /// The resource.
        reference: Reference,
        /// What is wrong.
        problem: Problem,
        /// Where the parameter, or else the resource, is declared.
        location: Location,
    },
}

impl CatalogWarning {
    /// Returns where the cause is.
    #[must_use]
    pub fn location(&self) -> &Location {
        match self {
            CatalogWarning::LateOverride { overridden, .. } => overridden,
            CatalogWarning::InvalidValue { location, .. } => location,
        }
    }
}

impl fmt::Display for CatalogWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogWarning::LateOverride { declared, .. } => write!(
                f,
                "Attempt to override an already evaluated resource, defined{}, with new values",
                declared.at()
            ),
            CatalogWarning::InvalidValue { reference, problem, .. } => match &problem.attribute {
                Some(attribute) => write!(f, "Parameter {attribute} failed on {reference}: {problem}"),
                None => write!(f, "Validation of {reference} failed: {problem}"),
            },
        }
    }
}
