//! The definitions of all manifests, by name.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
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
pub(crate) struct FunctionRef(pub u32, pub DefinitionId);

type Table<'e, T> = FxHashMap<&'e str, Defined<'e, T>>;

/// The definitions by name, without leading colons. Those of main manifests hide those of modules.
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
    /// Bodies of `class settings`, which run in the built-in class.
    pub errors: Vec<Diagnostic>,
}

impl<'e> Definitions<'e> {
    /// Collects the definitions of an environment.
    pub(crate) fn new(environment: &'e Environment) -> Definitions<'e> {
        let mut definitions = Definitions::default();
        // The main manifests come first, whatever the order of the sources.
        let is_main = |origin: &Origin| *origin == Origin::Main;
        for pass in [true, false] {
            for source in environment.sources.iter().filter(|source| is_main(&source.origin) == pass) {
                let module = match &source.origin {
                    Origin::Main => None,
                    Origin::Module(name) => Some(name),
                };
                for (id, definition) in &source.tree.definitions {
                    definitions.add(environment, &source.tree, module, (id, definition));
                }
            }
        }
        definitions
    }

    fn add(
        &mut self,
        environment: &Environment,
        tree: &'e Tree,
        module: Option<&'e Arc<str>>,
        (id, definition): (DefinitionId, &'e Definition),
    ) {
        let place = |tree: &Tree, span: Span| {
            let file = environment.files.get(tree.file).map_or("", |file| &file.name);
            format!("(file: {file}, line: {})", environment.files.line_col(span.file, span.start).line)
        };
        match definition {
            Definition::Class(class) => {
                let name = plain(tree.str(class.name));
                let span = tree.range_span(class.name_range);
                if let Some(earlier) = self.defines.get(name).filter(|earlier| same_origin(earlier, module)) {
                    let first = earlier.tree.range_span(earlier.definition.name_range);
                    let text = format!(
                        "'{name}' is already defined {} as a definition; cannot redefine as a class",
                        place(earlier.tree, first)
                    );
                    self.errors.push(redefinition(text, span, first));
                } else if let Some(earlier) = self.classes.get(name).filter(|_| name != "settings") {
                    // Code of one class in several main manifests is an error; a module's class may be hidden.
                    if same_origin(earlier, module) && earlier.definition != class {
                        let first = earlier.tree.range_span(earlier.definition.name_range);
                        let text = format!(
                            "Class '{name}' is already defined {}; cannot redefine",
                            place(earlier.tree, first)
                        );
                        self.errors.push(redefinition(text, span, first));
                    }
                } else {
                    self.classes.insert(name, Defined { tree, module, definition: class });
                }
            }
            Definition::Define(define) => {
                let name = plain(tree.str(define.name));
                let span = tree.range_span(define.name_range);
                let earlier_class = self.classes.get(name).filter(|earlier| same_origin(earlier, module));
                if let Some(earlier) = earlier_class {
                    let first = earlier.tree.range_span(earlier.definition.name_range);
                    let text = format!(
                        "'{name}' is already defined {} as a class; cannot redefine as a definition",
                        place(earlier.tree, first)
                    );
                    self.errors.push(redefinition(text, span, first));
                } else if let Some(earlier) = self.defines.get(name) {
                    if same_origin(earlier, module) {
                        let first = earlier.tree.range_span(earlier.definition.name_range);
                        let text = format!(
                            "Definition '{name}' is already defined {}; cannot be redefined",
                            place(earlier.tree, first)
                        );
                        self.errors.push(redefinition(text, span, first));
                    }
                } else {
                    self.defines.insert(name, Defined { tree, module, definition: define });
                }
            }
            Definition::Node(node) => {
                if module.is_none() {
                    self.nodes.push(Defined { tree, module, definition: node });
                }
            }
            Definition::Function(function) => {
                let name = plain(tree.str(function.name));
                if let Some((_, earlier)) = self.functions.get(name) {
                    if same_origin(earlier, module) {
                        let first = earlier.tree.range_span(earlier.definition.name_range);
                        let text = format!(
                            "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/function/{name}'. Originally set at {}",
                            place(earlier.tree, first)
                        );
                        self.errors.push(redefinition(text, tree.range_span(function.name_range), first));
                    }
                } else {
                    let defined = Defined { tree, module, definition: function };
                    self.functions.insert(name, (FunctionRef(tree.file.0, id), defined));
                }
            }
            Definition::TypeAlias(alias) => {
                let name = tree.str(alias.name);
                let key = plain(name).to_lowercase();
                if let Some(earlier) = self.aliases.get(&key) {
                    if same_origin(earlier, module) {
                        let first = earlier.tree.range_span(earlier.definition.name_range);
                        let text = format!(
                            "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{key}'. Originally set at {}",
                            place(earlier.tree, first)
                        );
                        self.errors.push(redefinition(text, tree.range_span(alias.name_range), first));
                    }
                } else {
                    self.aliases.insert(key, Defined { tree, module, definition: alias });
                }
            }
        }
    }
}

impl Definitions<'_> {
    /// Returns the errors of aliases that have the name of a built-in or native type.
    pub(crate) fn redefined_types(&self, natives: &KnownTypes) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for (key, alias) in &self.aliases {
            let name = plain(alias.tree.str(alias.definition.name));
            if named(name).is_some() || key == "node" || natives.find(key).is_some() {
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

/// Both are in main manifests, or in one module.
fn same_origin<T>(earlier: &Defined<'_, T>, module: Option<&Arc<str>>) -> bool {
    earlier.module == module
}

fn redefinition(text: String, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::P0504, Stage::Puppet, text).at_with(span, "defined again").label(first, "first definition")
}

/// Returns a name without leading colons.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("::").unwrap_or(name)
}
