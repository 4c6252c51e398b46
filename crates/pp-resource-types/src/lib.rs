//! The native resource types of Puppet, as data (spec 07 §2.2, §5.7).
//!
//! Each type is declared once: its attributes, which of them name a resource, what values they take, and the features of
//! providers that they need. The compiler checks names of attributes and constant values by it, the catalog aliases, and the
//! translation tells native types from defined ones.
//!
//! This crate knows nothing of values of the language, of catalogs, and of how a resource is applied.

mod attribute;
mod core;
mod ini_type;
mod known;
mod metaparameter;
mod modules;
mod path;
mod resource_type;
mod rule;
mod values;

pub use attribute::{Attribute, Role};
pub use ini_type::{IniKey, IniMunge, IniType};
pub use known::{KnownTypes, find, types};
pub use metaparameter::{METAPARAMETERS, Metaparameter, metaparameter};
pub use path::clean_path;
pub use resource_type::{ResourceType, TitlePattern};
pub use rule::{Given, Problem};
pub use values::{Pattern, Scalar, Values};

#[cfg(test)]
mod tests;
