//! What the evaluator asks of its caller: parsing of templates, files, data.

use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, SourceFile};
use pp_ast::Tree;
use pp_functions::FileKind;
use pp_hiera::{DataFiles, NoData};
use pp_types::{Error, ErrorKind};

use crate::ruby::Ruby;

/// A file of a module in the Puppet language.
#[derive(Debug)]
pub struct Manifest {
    /// Its name and text.
    pub file: SourceFile,
    /// Its tree; `None` if it has errors.
    pub tree: Option<Tree>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// A function that a module has in Ruby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubyFunction {
    /// The name of the module.
    pub module: Arc<str>,
    /// The path of its file in the module.
    pub path: Arc<str>,
    /// Whether a module has a function of this name and of the older interface, which templates call as
    /// `scope.function_name([arguments])`.
    pub is_legacy: bool,
}

/// A fact that a module defines in Ruby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubyFact {
    /// The name of the module.
    pub module: Arc<str>,
    /// The path of its file in the module.
    pub path: Arc<str>,
}

impl RubyFact {
    /// Returns a sentence that says where it is.
    pub(crate) fn origin(&self) -> String {
        format!("the module `{}` defines this fact in Ruby ({}), which is not run", self.module, self.path)
    }

    /// How to have its value.
    pub(crate) const REMEDY: &str =
        "give its value in a file of external facts, such as /etc/facter/facts.d/NAME.yaml, or with `--facts`";
}

/// The world outside the manifests. Its answers must not change during a compilation.
pub trait Services {
    /// Parses and validates a template. The spans of the result refer to `file`.
    ///
    /// # Errors
    /// What is wrong with the template, at least one diagnostic.
    fn parse_epp(&self, file: FileId, text: &str) -> Result<Tree, Vec<Diagnostic>>;

    /// Reads and parses a file of a module that is not among the parsed manifests. Its path starts with `manifests/`, `functions/`
    /// or `types/`, and all of its parts are words. The spans of the result refer to `file`. `None` without such a file.
    fn manifest(&self, _file: FileId, _module: &str, _path: &str) -> Option<Manifest> {
        None
    }

    /// Returns the paths of the manifests that [`manifest`](Services::manifest) can read, for suggestions.
    fn manifests_of(&self, _module: &str) -> Vec<String> {
        Vec::new()
    }

    /// Finds the function that a module has in Ruby under a name; the first one in the order of the module path.
    fn ruby_function(&self, _name: &str) -> Option<RubyFunction> {
        None
    }

    /// Finds the file in Ruby of a module that defines a fact with a name, if facts in Ruby are missing from the facts of the
    /// compilation.
    fn ruby_fact(&self, _name: &str) -> Option<RubyFact> {
        None
    }

    /// Returns the numbers of arguments that a function in Ruby takes at least and at most, as far as its source shows them.
    fn ruby_function_arguments(&self, _function: &RubyFunction) -> Option<(u32, Option<u32>)> {
        None
    }

    /// Reads the source of a function in Ruby.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn ruby_source(&self, function: &RubyFunction) -> Result<String, Error> {
        Err(Error::new(ErrorKind::Unavailable, format!("Could not read file {}", function.path)))
    }

    /// Reads a file below `lib` of the first module that has it.
    fn ruby_library(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns the installed Ruby, if templates and functions may fall back to it.
    fn ruby(&self) -> Option<&dyn Ruby> {
        None
    }

    /// Whether there is a module with this name.
    fn has_module(&self, module: &str) -> bool {
        self.module_directory(module).is_some()
    }

    /// Returns what helps with a module that is not on the module path: which module depends on it, for example.
    fn absent_module(&self, _module: &str) -> Option<String> {
        None
    }

    /// Returns the modules that a module depends on and that are not on the module path, as a message shows them.
    fn absent_dependencies(&self, _module: &str) -> Vec<String> {
        Vec::new()
    }

    /// Finds `path` in `files/` or `templates/` of a module; without a module, an absolute path.
    fn find_file(&self, kind: FileKind, module: Option<&str>, path: &str) -> Option<Arc<str>>;

    /// Reads a file that [`find_file`](Services::find_file) found.
    ///
    /// # Errors
    /// A file that cannot be read, or is too large.
    fn read_file(&self, path: &str) -> Result<Arc<[u8]>, Error>;

    /// Returns the directory of a module.
    fn module_directory(&self, module: &str) -> Option<Arc<str>>;

    /// The files of the data of the environment.
    fn data(&self) -> &dyn DataFiles {
        &NoData
    }
}

/// Services that have nothing: no templates, files, or data.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoServices;

impl Services for NoServices {
    fn parse_epp(&self, _: FileId, _: &str) -> Result<Tree, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn find_file(&self, _: FileKind, _: Option<&str>, _: &str) -> Option<Arc<str>> {
        None
    }

    fn read_file(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        Err(Error::new(ErrorKind::Unavailable, format!("Could not read file {path}")))
    }

    fn module_directory(&self, _: &str) -> Option<Arc<str>> {
        None
    }
}
