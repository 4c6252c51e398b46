//! The classes of tokens (spec 11 §3.7).

use std::ops::Range;

/// The classes of tokens, in the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum TokenClass {
    Namespace,
    Class,
    Function,
    Variable,
    Parameter,
    Property,
    Keyword,
    String,
    Number,
    Operator,
    Comment,
    Type,
    EnumMember,
    Macro,
    Event,
    Regexp,
}

/// A token and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticToken {
    /// Its bytes. Tokens are sorted and do not overlap.
    pub range: Range<u32>,
    /// What it is.
    pub class: TokenClass,
    /// Whether it defines a name.
    pub is_declaration: bool,
    /// Whether it is constant at compile time.
    pub is_readonly: bool,
    /// Whether it belongs to the language.
    pub is_builtin: bool,
}

impl SemanticToken {
    pub(crate) fn new(range: Range<u32>, class: TokenClass) -> SemanticToken {
        SemanticToken { range, class, is_declaration: false, is_readonly: false, is_builtin: false }
    }
}
