//! Everything about a resource kind as data (specs 05 and 08).
//!
//! The algorithms on graphs (automatic edges, groups, comparison) name no kind. They read what differs between kinds from
//! [`ResourceKind`], so that a kind is added or changed in one file below `kinds/`.

use std::borrow::Cow;

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, HostFact, Offers};
use crate::claim::{Claim, parts_of_managed_files};
use crate::constants::ConstantValue;
use crate::{Difference, Field, Params, Resource, SendField, ValidationError};

/// A resource kind, such as `file` or `http:server:file`.
#[derive(Debug)]
pub struct ResourceKind {
    /// The name in mcl.
    pub name: &'static str,
    /// One paragraph for `mclc doc`.
    pub doc: &'static str,
    /// A resource of the kind, for `mclc doc`.
    pub example: &'static str,
    /// Whether this release has a provider that applies resources of the kind. Others type-check, and fail when they run.
    pub implemented: bool,
    /// The parameters in declaration order.
    pub fields: &'static [Field],
    /// The keys that other resources can receive from it; empty for kinds that do not send.
    pub sends: &'static [SendField],
    /// The predefined constants of its parameters (spec 05 §3.5).
    pub constants: &'static [KindConstant],
    /// What the kind can do.
    pub traits: Traits,
    /// Checks the parameters beyond [`Field::check`]. Pure: it never looks at the host.
    pub validate: fn(&Params<'_>) -> Result<(), ValidationError>,
    /// The automatic edges of its resources.
    pub autoedges: AutoEdges,
    /// How its resources are grouped.
    pub grouping: Grouping,
    /// Merges two declarations of one resource that differ, if the kind allows it.
    pub merge: Option<MergeDeclarations>,
    /// How `Meta:reverse` undoes a resource; `None` for kinds that cannot be undone.
    pub reversal: Option<Reversal>,
    /// The files that a resource creates or edits: absolute paths, or paths that start with `~/` or `~USER/`. A `purge` of
    /// their directory spares them.
    pub managed_files: fn(&Params<'_>) -> Vec<String>,
    /// What a resource demands of things that other resources may demand something of, too.
    pub claims: for<'a> fn(&Params<'a>) -> Vec<Claim<'a>>,
    /// The boolean parameter that makes a resource react to a refresh although its kind has no refresh trait.
    pub refresh_parameter: Option<&'static str>,
    /// The boolean parameter that makes a resource differ from every other one, even from itself.
    pub never_equal_parameter: Option<&'static str>,
}

impl ResourceKind {
    /// A kind with no parameters, conditions or abilities: the base that every kind updates.
    pub(crate) const BASE: ResourceKind = ResourceKind {
        name: "",
        doc: "",
        example: "",
        implemented: true,
        fields: &[],
        sends: &[],
        constants: &[],
        traits: Traits::NONE,
        validate: |_| Ok(()),
        autoedges: AutoEdges::NONE,
        grouping: Grouping::NONE,
        merge: None,
        reversal: None,
        managed_files: |_| Vec::new(),
        claims: parts_of_managed_files,
        refresh_parameter: None,
        never_equal_parameter: None,
    };

    /// Returns the parameter with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Returns the send key with this name.
    #[must_use]
    pub fn send(&self, name: &str) -> Option<&'static SendField> {
        self.sends.iter().find(|f| f.name == name)
    }

    /// Returns whether programs may declare resources of this kind; `_panic` exists only for `panic(…)`.
    #[must_use]
    pub fn is_public(&self) -> bool {
        !self.name.starts_with('_')
    }

    /// Returns whether a resource of this kind reacts to a refresh.
    #[must_use]
    pub fn is_refreshable(&self, params: &Params<'_>) -> bool {
        self.traits.refresh || self.refresh_parameter.is_some_and(|parameter| params.bool(parameter))
    }
}

/// The abilities of a kind (spec 05 §1.7, spec 08 §0.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the names of the traits in the specification")]
pub struct Traits {
    pub autoedge: bool,
    pub autogroup: bool,
    pub refresh: bool,
    pub receive: bool,
}

impl Traits {
    /// No ability.
    pub const NONE: Traits = Traits { autoedge: false, autogroup: false, refresh: false, receive: false };
}

/// A predefined constant of a kind: `$const.res.KIND.PARAM.NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindConstant {
    /// The parameter that it is for.
    pub param: &'static str,
    /// The last part of its name.
    pub name: &'static str,
    /// Its value.
    pub value: ConstantValue,
}

impl KindConstant {
    pub(crate) const fn str(param: &'static str, name: &'static str, value: &'static str) -> KindConstant {
        KindConstant { param, name, value: ConstantValue::Str(value) }
    }

    pub(crate) const fn int(param: &'static str, name: &'static str, value: i64) -> KindConstant {
        KindConstant { param, name, value: ConstantValue::Int(value) }
    }
}

/// The automatic edges of a kind (spec 05 §4.3): what its resources offer to others, and what they want from others.
#[derive(Clone, Copy, Debug)]
pub struct AutoEdges {
    /// What both functions want to know about the host. Edges that depend on it are omitted before others where they
    /// contradict each other.
    pub host: HostFact,
    /// Returns whether a resource is to be removed or stopped, so that what it needs must be there until then.
    pub is_removed: fn(&Params<'_>) -> bool,
    /// Adds the identities that a resource offers.
    pub offers: for<'a> fn(&AutoEdgeInput<'a>, &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind>,
    /// Finds the resources that a resource is ordered with.
    pub wants: fn(&AutoEdgeInput<'_>, &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind>,
}

impl AutoEdges {
    /// Neither offers nor wants anything.
    pub const NONE: AutoEdges =
        AutoEdges { host: HostFact::Nothing, is_removed: |_| false, offers: |_, _| Ok(()), wants: |_, _| Ok(()) };
}

/// The values that must agree for two resources of one kind to be grouped.
pub type GroupKey<'a> = Vec<Cow<'a, str>>;

/// How the resources of a kind are grouped (spec 06 §4.3).
#[derive(Clone, Copy, Debug)]
pub struct Grouping {
    /// Returns the key of a resource among those of its kind; `None` if it is never grouped with one of them.
    pub key: for<'a> fn(&Params<'a>) -> Option<GroupKey<'a>>,
    /// Returns whether a resource may lead a group of its kind.
    pub may_lead: fn(&Params<'_>) -> bool,
    /// The kind whose resources take those of this kind as children.
    pub parent: Option<Parent>,
}

/// The parent of a kind in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The parent's kind.
    pub kind: &'static str,
    /// The child's parameter that holds the parent's name; any parent will do if it is empty.
    pub parameter: &'static str,
}

impl Grouping {
    /// Never grouped.
    pub const NONE: Grouping = Grouping { key: |_| None, may_lead: |_| true, parent: None };

    /// Grouped below the resource of a kind that the parameter names.
    #[must_use]
    pub const fn below(kind: &'static str, parameter: &'static str) -> Grouping {
        Grouping { parent: Some(Parent { kind, parameter }), ..Grouping::NONE }
    }
}

/// Merges two declarations of one resource: `None` if the first one needs no change.
pub type MergeDeclarations = fn(&Resource, &Resource) -> Result<Option<Resource>, Difference>;

/// How `Meta:reverse` undoes a resource (spec 06 §4.4). The provider of the kind adds what it finds on the host.
#[derive(Clone, Copy, Debug)]
pub struct Reversal {
    /// The values of `state` that are the opposite of each other.
    pub opposite_states: [&'static str; 2],
    /// Checks whether this resource can be undone.
    pub check: fn(&Params<'_>) -> Result<(), ReversalError>,
}

/// Why a resource cannot be undone although its kind can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReversalError {
    /// The previous contents of a directory are not stored.
    Directory,
    /// The previous contents of a copy are not stored.
    HasSource,
}

impl std::fmt::Display for ReversalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ReversalError::Directory => "it is a directory",
            ReversalError::HasSource => "it has a source",
        })
    }
}

impl std::error::Error for ReversalError {}
