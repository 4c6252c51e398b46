//! The grammar of mcl for tree-sitter. `grammar.js` describes it, `src/parser.c` is generated from that.

use tree_sitter_language::LanguageFn;

#[allow(unsafe_code, reason = "the generated parser is a function of C")]
unsafe extern "C" {
    fn tree_sitter_mcl() -> *const ();
}

/// The grammar, for `tree_sitter::Parser::set_language`.
#[allow(unsafe_code, reason = "the generated parser returns its table, which is static")]
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_mcl) };

/// Colours.
pub const HIGHLIGHTS: &str = include_str!("../../queries/highlights.scm");
/// Other languages inside of programs.
pub const INJECTIONS: &str = include_str!("../../queries/injections.scm");
/// Scopes, definitions and references.
pub const LOCALS: &str = include_str!("../../queries/locals.scm");
/// What can be folded.
pub const FOLDS: &str = include_str!("../../queries/folds.scm");
/// What is indented.
pub const INDENTS: &str = include_str!("../../queries/indents.scm");
/// Classes and functions, for lists of them.
pub const TAGS: &str = include_str!("../../queries/tags.scm");
