//! What code sees of definitions in other files.

use std::sync::Arc;

use pp_ast::{Definition, ParameterList, StrId, TextRange, Tree};

/// What a class, a define or a type alias looks like to the code that uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interface {
    /// A class.
    Class(Vec<InterfaceParameter>),
    /// A define.
    Define(Vec<InterfaceParameter>),
    /// A type alias: the type, as it is written.
    TypeAlias(Arc<str>),
}

/// A parameter of a class or define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceParameter {
    /// The name without the dollar sign.
    pub name: Arc<str>,
    /// The declared type, as it is written.
    pub type_text: Option<Arc<str>>,
    /// Whether it has no default.
    pub is_required: bool,
}

/// What is known about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing: the module that the name belongs to is not there, or the file that should define it has errors.
    Unknown,
    /// The module is there, but does not define the name. The names that its files stand for, sorted.
    Absent(Arc<[String]>),
    /// The definition.
    Known(Arc<Interface>),
}

/// The definitions that the code of a file can use.
pub trait Definitions {
    /// Looks for a class or define by its name in lower case, or for a type alias by its capitalized name; without leading
    /// colons.
    fn find(&self, name: &str) -> Found;
}

/// No definitions.
#[derive(Clone, Copy, Debug)]
pub struct NoDefinitions;

impl Definitions for NoDefinitions {
    fn find(&self, _name: &str) -> Found {
        Found::Unknown
    }
}

/// Returns the classes, defines and type aliases of a file with their names, which are as [`Definitions::find`] takes them.
#[must_use]
pub fn interfaces(tree: &Tree, text: &str) -> Vec<(String, Arc<Interface>)> {
    let plain = |name: StrId| tree.str(name).trim_start_matches("::");
    let source = |range: TextRange| text.get(range.start as usize..range.end as usize).map(Arc::from);
    let parameters = |list: ParameterList| {
        let parameters = tree.parameters(list).iter().map(|parameter| InterfaceParameter {
            name: Arc::clone(tree.str(parameter.name)),
            type_text: parameter.type_expr.and_then(|ty| source(tree.ranges[ty])),
            is_required: parameter.default.is_none(),
        });
        parameters.collect()
    };
    let interface = |definition: &Definition| match definition {
        Definition::Class(class) => {
            Some((plain(class.name).to_lowercase(), Interface::Class(parameters(class.parameters))))
        }
        Definition::Define(define) => {
            Some((plain(define.name).to_lowercase(), Interface::Define(parameters(define.parameters))))
        }
        Definition::TypeAlias(alias) => {
            Some((plain(alias.name).to_owned(), Interface::TypeAlias(source(tree.ranges[alias.value])?)))
        }
        Definition::Node(_) | Definition::Function(_) => None,
    };
    let found = tree.definitions.values().filter_map(interface);
    found.map(|(name, interface)| (name, Arc::new(interface))).collect()
}
