//! Resource types of Puppet modules, read from their Ruby source without running it (spec 09 §7).
//!
//! [`read_type`] takes the file of a type and returns what its source shows: the name, the attributes and which of them name a
//! resource, the values that they take, what titles say, and the automatic relations, which become small programs. What is
//! computed by code that cannot be followed is recorded as unread, never guessed.
//!
//! A type is declared by code that runs once, `Puppet::Type.newtype(:name) do … end`. The reader walks through it as Ruby would:
//! it knows constants and variables, enters loops over literal lists and methods of modules that extend the type, and takes both
//! branches where a condition is not known.
//!
//! The size of files and the nesting of what is read are bounded, so any text is read or refused.

mod attribute;
mod constant;
mod error;
mod function;
mod ini;
mod node;
mod relation;
mod resource_api;
mod source;
mod titles;
mod tree;
mod type_file;

pub use error::TypeError;
pub use function::{FunctionApi, ReadFunction, read_function};
pub use source::TypeSource;
pub use type_file::read_type;

#[cfg(test)]
mod tests;
