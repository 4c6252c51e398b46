//! Names of definitions, as they are parsed.

use pp_ast::TextRange;

/// The name after `class`, `define` or `function`, or after `inherits`.
#[derive(Clone, Debug)]
pub struct DefinitionName {
    /// The name; empty if something else was found, which was reported.
    pub text: String,
    /// Where it is.
    pub range: TextRange,
}
