//! Tokens -> syntax tree, the init checks, and the interpolate stage (spec 01 §2, §4, §5).
//!
//! [`parse`] runs the generated parser (`grammar.lalrpop`, the union of what mgmt 1.1 and older releases accept) over the
//! tokens of a file. The actions of the grammar build the tree into arenas (`builder.rs`). A file without errors is then
//! checked for what mgmt 1.1 would reject (`lint.rs`, warnings). A file with errors is parsed again with recovery
//! (`recovery.rs`): every broken statement, entry or element costs only itself, is reported once
//! as the likely mistake (`diagnosis.rs` finds it, `error.rs` holds it as data, `message.rs` words it), and becomes an
//! error node, so that later stages can check the rest without reporting consequences.
//!
//! [`check_ast`] rejects what the grammar allows, but no program can mean. [`interpolate`] turns the tree as written into
//! the tree that is evaluated: strings with their escapes and references expanded (`string_literal.rs`), no parentheses,
//! classes with colons in their names nested.
//!
//! Every function here is pure and total: any text gives a tree and diagnostics, in linear time, however deeply it is
//! nested. Files are independent of each other, so callers process them in parallel.
//!
//! This crate knows nothing of scopes, types, resource kinds or modules: it accepts `$nope`, `1 + "a"` and
//! `spaceship "x" {}`.

pub mod ast;
mod ast_validation;
mod automaton;
mod bracket;
mod bracket_recovery;
mod builder;
mod diagnosis;
mod error;
mod failure;
mod foreign_keywords;
mod foreign_kinds;
mod foreign_values;
mod interpolate;
mod lint;
mod lookahead;
mod message;
mod method;
mod parse;
mod recovery;
mod segment;
mod snake_case;
mod string_index;
mod string_literal;
mod string_table;
mod terminals;
#[cfg(test)]
mod tests;
mod token_set;
mod validate;
mod written_name;

/// The generated parser, which is not held to the lints of this workspace.
#[allow(missing_docs, unused, clippy::all)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/parser.rs"));

    pub use __parse__Statements::tables;
}

pub use ast::MAX_DEPTH;
pub use ast_validation::{check_ast, is_invalid_key};
pub use foreign_kinds::{FOREIGN_KINDS, kind_of_mcl};
pub use foreign_values::foreign_value;
pub use interpolate::interpolate;
pub use method::call_for_method;
pub use parse::{Parsed, parse};
pub use segment::{begins_statement, ends_statement};
pub use string_index::StringIndex;
pub use string_literal::string_value;
pub use string_table::StringTable;
pub use validate::InvalidAst;
pub use written_name::written_length;
