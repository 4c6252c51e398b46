//! The definitions of all manifests, by name.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, FileId, Span, Stage};
use pp_ast::{
    ClassDefinition, DefineDefinition, Definition, DefinitionId, FunctionDefinition, NodeDefinition, Tree, TypeAlias,
};
use pp_resource_types::KnownTypes;
use pp_types::named;
use rustc_hash::FxHashMap;

use crate::environment::{Environment, Origin};

/// A definition with the tree that it is in.
#[derive(Debug)]
pub(crate) struct Defined<'e, T> {
    /// The tree.
    pub tree: &'e Tree,
    /// The module; `None` in a main manifest.
    pub module: Option<&'e Arc<str>>,
    /// The definition.
    pub definition: &'e T,
}

impl<T> Clone for Defined<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Defined<'_, T> {}

/// A key for tables about functions: the file and the index of the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FunctionRef(pub FileId, pub DefinitionId);

type Table<'e, T> = FxHashMap<&'e str, Defined<'e, T>>;

/// The definitions by name, without leading colons: those of the main manifests, and those of the files of modules that were
/// loaded.
#[derive(Debug, Default)]
pub(crate) struct Definitions<'e> {
    /// The classes.
    pub classes: Table<'e, ClassDefinition>,
    /// The defines.
    pub defines: Table<'e, DefineDefinition>,
    /// The functions.
    pub functions: FxHashMap<&'e str, (FunctionRef, Defined<'e, FunctionDefinition>)>,
    /// The type aliases, by name in lower case.
    pub aliases: FxHashMap<String, Defined<'e, TypeAlias>>,
    /// The nodes in the order of their definitions.
    pub nodes: Vec<Defined<'e, NodeDefinition>>,
    /// Names that are defined twice.
    pub errors: Vec<Redefinition>,
}

/// A name that is defined twice.
#[derive(Clone, Debug)]
pub(crate) struct Redefinition {
    what: Redefined,
    name: String,
    span: Span,
    /// Where the name is defined first.
    pub first: Span,
}

/// What is defined twice.
#[derive(Clone, Copy, Debug)]
enum Redefined {
    Class,
    DefineAsClass,
    Define,
    ClassAsDefine,
    Function,
    TypeAlias,
}

impl Redefinition {
    /// Returns the error, given the location of the first definition as Puppet writes it.
    pub(crate) fn diagnostic(&self, place: &str) -> Diagnostic {
        let name = &self.name;
        let text = match self.what {
            Redefined::Class => format!("Class '{name}' is already defined {place}; cannot redefine"),
            Redefined::DefineAsClass => {
                format!("'{name}' is already defined {place} as a definition; cannot redefine as a class")
            }
            Redefined::Define => format!("Definition '{name}' is already defined {place}; cannot be redefined"),
            Redefined::ClassAsDefine => {
                format!("'{name}' is already defined {place} as a class; cannot redefine as a definition")
            }
            Redefined::Function => format!(
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/function/{name}'. Originally set at {place}"
            ),
            Redefined::TypeAlias => format!(
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{name}'. Originally set at {place}"
            ),
        };
        let error = Diagnostic::error(Code::P0504, Stage::Puppet, text);
        error.at_with(self.span, "defined again").label(self.first, "first definition")
    }
}

impl<'e> Definitions<'e> {
    /// Collects the definitions of the main manifests of an environment.
    pub(crate) fn new(environment: &'e Environment) -> Definitions<'e> {
        let mut definitions = Definitions::default();
        for source in environment.sources.iter().filter(|source| source.origin == Origin::Main) {
            definitions.add(&source.tree, None);
        }
        definitions
    }

    /// Adds the definitions of a manifest.
    pub(crate) fn add(&mut self, tree: &'e Tree, module: Option<&'e Arc<str>>) {
        for (id, definition) in &tree.definitions {
            match definition {
                Definition::Class(class) => self.add_class(Defined { tree, module, definition: class }),
                Definition::Define(define) => self.add_define(Defined { tree, module, definition: define }),
                Definition::Node(node) => {
                    if module.is_none() {
                        self.nodes.push(Defined { tree, module, definition: node });
                    }
                }
                Definition::Function(function) => self.add_function(id, Defined { tree, module, definition: function }),
                Definition::TypeAlias(alias) => self.add_alias(Defined { tree, module, definition: alias }),
            }
        }
    }

    fn add_class(&mut self, class: Defined<'e, ClassDefinition>) {
        let Defined { tree, definition, .. } = class;
        let name = plain(tree.str(definition.name));
        let span = tree.range_span(definition.name_range);
        if let Some(earlier) = self.defines.get(name) {
            let first = earlier.tree.range_span(earlier.definition.name_range);
            self.redefined(Redefined::DefineAsClass, name, span, first);
        } else if let Some(earlier) = self.classes.get(name).filter(|_| name != "settings") {
            if earlier.definition != definition {
                let first = earlier.tree.range_span(earlier.definition.name_range);
                self.redefined(Redefined::Class, name, span, first);
            }
        } else {
            self.classes.insert(name, class);
        }
    }

    fn add_define(&mut self, define: Defined<'e, DefineDefinition>) {
        let Defined { tree, definition, .. } = define;
        let name = plain(tree.str(definition.name));
        let span = tree.range_span(definition.name_range);
        if let Some(earlier) = self.classes.get(name) {
            let first = earlier.tree.range_span(earlier.definition.name_range);
            self.redefined(Redefined::ClassAsDefine, name, span, first);
        } else if let Some(earlier) = self.defines.get(name) {
            let first = earlier.tree.range_span(earlier.definition.name_range);
            self.redefined(Redefined::Define, name, span, first);
        } else {
            self.defines.insert(name, define);
        }
    }

    fn add_function(&mut self, id: DefinitionId, function: Defined<'e, FunctionDefinition>) {
        let Defined { tree, definition, .. } = function;
        let name = plain(tree.str(definition.name));
        match self.functions.get(name) {
            Some((_, earlier)) => {
                let first = earlier.tree.range_span(earlier.definition.name_range);
                self.redefined(Redefined::Function, name, tree.range_span(definition.name_range), first);
            }
            None => {
                self.functions.insert(name, (FunctionRef(tree.file, id), function));
            }
        }
    }

    fn add_alias(&mut self, alias: Defined<'e, TypeAlias>) {
        let Defined { tree, definition, .. } = alias;
        let key = plain(tree.str(definition.name)).to_lowercase();
        match self.aliases.get(&key) {
            Some(earlier) => {
                let first = earlier.tree.range_span(earlier.definition.name_range);
                self.redefined(Redefined::TypeAlias, &key, tree.range_span(definition.name_range), first);
            }
            None => {
                self.aliases.insert(key, alias);
            }
        }
    }

    fn redefined(&mut self, what: Redefined, name: &str, span: Span, first: Span) {
        self.errors.push(Redefinition { what, name: name.to_owned(), span, first });
    }
}

impl Definitions<'_> {
    /// Returns the errors of aliases that have the name of a built-in or native type.
    pub(crate) fn redefined_types(&self, natives: &KnownTypes) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for (key, alias) in &self.aliases {
            let name = plain(alias.tree.str(alias.definition.name));
            if named(name).is_some() || key == "node" || natives.contains(key) {
                let text = format!(
                    "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{key}', a type of Puppet itself"
                );
                let span = alias.tree.range_span(alias.definition.name_range);
                let error = Diagnostic::error(Code::P0504, Stage::Puppet, text).at(span);
                errors.push(error.help("choose another name, or put it into the namespace of a module"));
            }
        }
        errors.sort_by_key(|error| error.span);
        errors
    }
}

/// Returns a name without leading colons.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("::").unwrap_or(name)
}
