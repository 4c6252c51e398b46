//! The native resource types of Puppet, and those of modules, as data (spec 07 §2.2, §5.7, spec 09 §7).
//!
//! Each type is declared once: its attributes, which of them name a resource, what values they take, and the features of
//! providers that they need. The compiler checks names of attributes and constant values by it, the catalog aliases, and the
//! translation tells native types from defined ones.
//!
//! A [`ReadType`] is what the source of a module shows of a type; [`KnownTypes`] are the types of both kinds that a program can
//! use.
//!
//! This crate knows nothing of the source of types, of values of the language, of catalogs, and of how a resource is applied.

mod attribute;
mod core;
mod evaluation;
mod ini_type;
mod key_type;
mod known;
mod known_type;
mod metaparameter;
mod modules;
mod path;
mod program;
mod read_type;
mod reading;
mod relation;
mod resource_type;
mod rule;
mod values;

pub use attribute::{Attribute, Role};
pub use evaluation::{CatalogView, Datum, Evaluation, Related};
pub use ini_type::{IniKey, IniMunge, IniType};
pub use key_type::key_type;
pub use known::{KnownTypes, TypeReader, find, types};
pub use known_type::KnownType;
pub use metaparameter::{METAPARAMETERS, Metaparameter, metaparameter};
pub use modules::{is_delivered_with_puppet, module_of_type};
pub use path::clean_path;
pub use program::{LoopResult, Method, Operation, OperationId, Program, Variable};
pub use read_type::{ReadAttribute, ReadTitlePattern, ReadType, RubyRegex, TitleProblem, Titles, Unread, Unreadable};
pub use reading::Reading;
pub use relation::{Relation, RelationKind};
pub use resource_type::{ResourceType, TitlePattern};
pub use rule::{Given, Problem};
pub use values::{Pattern, Scalar, Values};

#[cfg(test)]
mod tests;
