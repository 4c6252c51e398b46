//! Resources.

use std::sync::Arc;

use crate::id::{ResourceId, SourceId};
use crate::location::Location;
use crate::parameter::Parameters;
use crate::reference::Reference;
use crate::tags::TagSet;

/// A resource while the catalog is compiled.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The type and title.
    pub reference: Reference,
    /// What it is.
    pub kind: ResourceKind,
    /// The parameters in the order in which they were set.
    pub parameters: Parameters,
    /// Where it was declared; unknown for classes that were included.
    pub location: Location,
    /// The resource of the scope that declares it. For classes other than those that are contained, this is not its container.
    pub scope: Option<ResourceId>,
    /// The class, define or node whose body declares it.
    pub source: SourceId,
    /// Neither applied nor evaluated unless it is realised.
    pub is_virtual: bool,
    /// Declared with `@@`.
    pub exported: bool,
    /// The body of the define or class was evaluated.
    pub evaluated: bool,
    /// Overridden after it was evaluated.
    pub(crate) changed_late: bool,
    /// The names of the parameters whose values were `Sensitive`, once finished.
    pub sensitive: Vec<Arc<str>>,
    /// Its own tags, and those that it has from elsewhere by now.
    pub(crate) tags: TagSet,
    /// The classes that `contain` it, beside its stage, or the only container of any other resource.
    pub(crate) containers: Vec<ResourceId>,
}

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A resource that an agent applies.
    Native,
    /// An instance of a defined type.
    Define,
    /// A class.
    Class(ClassForm),
    /// The node that was selected.
    Node,
}

/// How a class was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassForm {
    /// `include` and its relatives, and classes that always exist.
    Included,
    /// `class { … }`
    Declared,
}

impl Resource {
    /// Creates a resource without parameters.
    pub(crate) fn new(reference: Reference, kind: ResourceKind, location: Location, source: SourceId) -> Resource {
        Resource {
            reference,
            kind,
            parameters: Parameters::default(),
            location,
            scope: None,
            source,
            is_virtual: false,
            exported: false,
            evaluated: false,
            changed_late: false,
            sensitive: Vec::new(),
            tags: TagSet::default(),
            containers: Vec::new(),
        }
    }

    /// Returns whether the evaluation of the body has checked the parameters.
    pub(crate) fn is_checked(&self) -> bool {
        self.evaluated && !self.changed_late
    }

    /// Returns whether the resource is a class.
    #[must_use]
    pub fn is_class(&self) -> bool {
        matches!(self.kind, ResourceKind::Class(_))
    }
}
