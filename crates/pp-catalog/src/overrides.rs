//! Overrides (spec 07 §5.8, §9.1).

use crate::id::SourceId;
use crate::location::Location;
use crate::parameter::Parameter;
use crate::reference::Reference;

/// `File['/a'] { mode => '0644' }`, or what the body of a collector sets on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The resource.
    pub reference: Reference,
    /// What to set.
    pub parameters: Vec<Parameter>,
    /// Where.
    pub location: Location,
    /// The class, define or node whose body it is in.
    pub source: SourceId,
}
