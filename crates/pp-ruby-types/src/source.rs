//! The files of a type, and what they define besides the type: modules with methods.

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::Def;
use pp_ruby_syntax::{Tree, on_large_stack};
use rustc_hash::FxHashMap;

use crate::constant::{Constant, Environment};
use crate::error::TypeError;
use crate::node::{Call, constant_name, statements};
use crate::tree::{MAX_BYTES, parse};

/// Maximum number of files that a type requires.
const MAX_FILES: usize = 16;
/// Maximum depth of nested modules.
const MAX_DEPTH: u32 = 16;

/// Where the source of a type is.
pub struct TypeSource<'a> {
    /// The name that the file stands for.
    pub name: &'a str,
    /// The module.
    pub module: &'a str,
    /// The content of `lib/puppet/type/NAME.rb`.
    pub bytes: &'a [u8],
    /// The contents of the files in `lib/puppet/provider/NAME` of all modules.
    pub providers: &'a [Vec<u8>],
    /// Returns the content of a file of the modules by its path in `lib`, such as `puppet_x/mine/helper.rb`.
    pub library: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// The parsed files of a type: its own, then those that it requires.
pub(crate) struct Files {
    trees: Vec<Tree>,
}

impl Files {
    /// Parses the file of a type and what it requires, and hands them to a function.
    ///
    /// # Errors
    /// Those of the file of the type. Other files are left out if they have errors.
    pub(crate) fn with<R>(source: &TypeSource<'_>, read: impl FnOnce(&Files) -> R) -> Result<R, TypeError> {
        let length = source.bytes.len();
        // Required files are bounded by their number; the stack is for the longest that is possible.
        let has_requires = source.bytes.windows(7).any(|window| window == b"require");
        on_large_stack(if has_requires { MAX_BYTES } else { length.min(MAX_BYTES) }, || {
            let tree = parse(source.bytes)?;
            let mut files = Files { trees: vec![tree] };
            let mut seen: Vec<String> = Vec::new();
            let mut pending = files.trees[0].root().map(|root| requires(root, source.name)).unwrap_or_default();
            while let Some(path) = pending.pop() {
                if files.trees.len() > MAX_FILES || seen.contains(&path) {
                    continue;
                }
                if let Some(tree) = (source.library)(&path).and_then(|bytes| parse(&bytes).ok()) {
                    pending.extend(tree.root().map(|root| requires(root, source.name)).unwrap_or_default());
                    files.trees.push(tree);
                }
                seen.push(path);
            }
            Ok(read(&files))
        })
    }

    /// Returns the file of the type.
    pub(crate) fn main(&self) -> &Tree {
        &self.trees[0]
    }

    /// Returns what the files define in modules and classes.
    pub(crate) fn definitions(&self) -> Definitions<'_> {
        let mut definitions = Definitions::default();
        for tree in &self.trees {
            definitions.add(tree.root(), "", 0);
        }
        definitions
    }
}

/// The methods of modules and classes, by their full names.
#[derive(Default)]
pub(crate) struct Definitions<'n> {
    methods: FxHashMap<String, Vec<&'n Def>>,
    bodies: FxHashMap<String, Vec<&'n Node>>,
}

impl<'n> Definitions<'n> {
    fn add(&mut self, body: Option<&'n Node>, scope: &str, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        for statement in statements(body) {
            let (name, inner) = match statement {
                Node::Module(module) => (&module.name, module.body.as_deref()),
                Node::Class(class) => (&class.name, class.body.as_deref()),
                Node::Def(def) => {
                    self.methods.entry(scope.to_owned()).or_default().push(def);
                    continue;
                }
                other => {
                    self.bodies.entry(scope.to_owned()).or_default().push(other);
                    continue;
                }
            };
            let Some(name) = constant_name(name) else { continue };
            let name = if scope.is_empty() { name } else { format!("{scope}::{name}") };
            self.add(inner, &name, depth + 1);
        }
    }

    /// Returns the methods of a module.
    pub(crate) fn methods(&self, module: &str) -> &[&'n Def] {
        self.methods.get(module).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the statements of a module that are not definitions of methods and modules.
    pub(crate) fn statements(&self, module: &str) -> &[&'n Node] {
        self.bodies.get(module).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Returns the paths of the files that a file requires, as far as it shows them, at its top and at the top of types.
fn requires(root: &Node, name: &str) -> Vec<String> {
    let environment = Environment::of_file(&format!("puppet/type/{name}.rb"));
    let mut paths = Vec::new();
    let mut add = |statement: &Node| {
        let Some(call) = Call::of(statement) else { return };
        if let ("require" | "require_relative", [path]) = (call.name, call.arguments)
            && let Some(Constant::Text(path)) = environment.value(path)
        {
            let path = path.strip_suffix(".rb").unwrap_or(&path);
            paths.push(format!("{path}.rb"));
        }
    };
    for statement in statements(Some(root)) {
        add(statement);
        if let Some(block) = Call::of(statement).and_then(|call| call.block) {
            statements(block.body).iter().for_each(&mut add);
        }
    }
    paths
}
