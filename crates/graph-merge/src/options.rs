//! How to merge.

/// How to treat a merge point that exists on one side only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnmatchedPolicy {
    /// The merge fails.
    #[default]
    Error,
    /// The merge point stays as it is, with a warning: the noop keeps its name, the class its start and end.
    Warn,
    /// The merge point stays as it is.
    Ignore,
}

/// How to merge.
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeOptions {
    /// How to treat merge points that exist on one side only.
    pub unmatched: UnmatchedPolicy,
}
