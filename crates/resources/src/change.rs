//! What providers announce before they make it.

use std::path::PathBuf;

use crate::Digests;

/// A change that a provider announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The description, in the imperative: `create /srv/x (12 bytes)`.
    pub text: String,
    /// The contents before and after, where they can be printed.
    pub diff: Option<Diff>,
    /// Why a planned change may not happen; `None` if it certainly does.
    pub uncertainty: Option<Uncertainty>,
    /// The digests of the contents before and after, if they were asked for ([`crate::ApplyContext::digest_salt`]).
    pub digests: Option<Digests>,
}

/// Why a planned change may not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncertainty {
    /// Something that a plan does not evaluate may prevent it.
    MayNotHappen(String),
    /// An earlier program of the plan may change what it depends on: it may be unnecessary then, or another change.
    MayDiffer(String),
    /// What the resource does is not known.
    Unknown(String),
}

impl Uncertainty {
    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Uncertainty::MayNotHappen(why) | Uncertainty::MayDiffer(why) | Uncertainty::Unknown(why) => why,
        }
    }
}

/// The contents of a file before and after a change; `None` if it does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// The path of the file.
    pub path: PathBuf,
    /// The content before the change.
    pub before: Option<Vec<u8>>,
    /// The content after the change.
    pub after: Option<Vec<u8>>,
    /// Whether not everybody may read the file before or after the change. The contents must not be shown then.
    pub is_private: bool,
}

impl From<String> for Change {
    fn from(text: String) -> Change {
        Change { text, diff: None, uncertainty: None, digests: None }
    }
}
impl From<&str> for Change {
    fn from(text: &str) -> Change {
        Change::from(text.to_owned())
    }
}
