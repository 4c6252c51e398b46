//! What functions need from their caller.

use std::sync::Arc;

use pp_types::{Callable, Error, Hash, Type, Value};

/// Why an evaluation stops early.
#[derive(Clone, Debug)]
pub enum Interrupt {
    /// An error.
    Error(Box<Error>),
    /// `break()`: the innermost iteration ends.
    Break,
    /// `next(value)`: the innermost block returns.
    Next(Value),
    /// `return(value)`: the innermost function, class or define returns.
    Return(Value),
}

impl From<Error> for Interrupt {
    fn from(error: Error) -> Interrupt {
        Interrupt::Error(Box::new(error))
    }
}

/// The index of a block in the tables of the host, valid during the call that got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId(pub u32);

/// The lambda of a call.
#[derive(Clone, Debug)]
pub struct Block {
    /// The host's name for it.
    pub id: BlockId,
    /// Its parameters.
    pub callable: Arc<Callable>,
    /// The number of parameters, defaults and a repeated one included: what `each` and `map` go by.
    pub parameter_count: usize,
    /// The last parameter takes all further arguments.
    pub captures_rest: bool,
}

/// The level of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Err,
    Alert,
    Emerg,
    Crit,
}

/// The setting `strict`: what happens where Puppet 8 is stricter than Puppet 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Strict {
    Off,
    Warning,
    Error,
}

/// What functions need from the evaluator.
pub trait Host {
    /// Calls a block. `next` in it is its value; `break` and `return` pass through.
    ///
    /// # Errors
    /// Those of the block, and arguments that do not match its parameters.
    fn call_block(&mut self, block: &Block, arguments: &[Value]) -> Result<Value, Interrupt>;

    /// Calls a function by its name, built in or defined in the language.
    ///
    /// # Errors
    /// Those of the function, and an unknown name.
    fn call_function(&mut self, name: &str, arguments: &[Value], block: Option<&Block>) -> Result<Value, Interrupt>;

    /// Writes a message of the program to the log.
    fn log(&mut self, level: LogLevel, message: &str);

    /// Writes a warning with the location of the running call.
    fn warn(&mut self, message: &str);

    /// Writes a warning about something that is deprecated, once per key in a compilation, with the location if it is known.
    fn deprecate(&mut self, key: &str, message: &str);

    /// The setting `strict`.
    fn strict(&self) -> Strict;

    /// Counts work against the budget of the evaluation: steps, and bytes of new values.
    ///
    /// # Errors
    /// A budget that is used up.
    fn charge(&mut self, steps: u64, bytes: u64) -> Result<(), Interrupt>;

    /// Returns the value of a variable, without its dollar sign; `None` if it is unknown.
    fn variable(&mut self, name: &str) -> Option<Value>;

    /// Returns the type with a name: built-in types, aliases, resource types, defines.
    ///
    /// # Errors
    /// An alias that cannot be resolved.
    fn resolve_type(&mut self, name: &str) -> Result<Option<Type>, Interrupt>;

    /// Declares classes, once each: `include`. `contain` and `require` also order them.
    ///
    /// # Errors
    /// Unknown classes, and the errors of their bodies.
    fn declare_classes(&mut self, how: DeclareClass, names: &[Value]) -> Result<Value, Interrupt>;

    /// `create_resources(type, resources, defaults)`.
    ///
    /// # Errors
    /// Those of the resource expressions that it stands for.
    fn create_resources(&mut self, type_name: &str, resources: &Hash, defaults: &Hash) -> Result<Value, Interrupt>;

    /// Returns the attributes of a declared resource, defaults included; `None` if it has not been declared.
    fn resource_attributes(&mut self, type_name: &str, title: &str) -> Option<Hash>;

    /// `realize(references)`.
    ///
    /// # Errors
    /// A value that is not a reference.
    fn realize(&mut self, references: &[Value]) -> Result<Value, Interrupt>;

    /// `defined(argument)`.
    ///
    /// # Errors
    /// A value that is neither a name nor a reference.
    fn is_defined(&mut self, argument: &Value) -> Result<bool, Interrupt>;

    /// `tag(names)`: adds tags to the resource of the scope.
    ///
    /// # Errors
    /// An invalid tag.
    fn add_tags(&mut self, names: &[Value]) -> Result<(), Interrupt>;

    /// `tagged(names)`: returns whether the resource of the scope, or one that contains it, has all the tags.
    fn is_tagged(&mut self, names: &[Value]) -> bool;

    /// Returns the certificate name of the node.
    fn node_name(&self) -> Arc<str>;

    /// Finds a file: `module/path` in `files/` or `templates/` of a module, or an absolute path. `None` if it does not exist.
    ///
    /// # Errors
    /// A path that is neither.
    fn find_file(&mut self, kind: FileKind, name: &str) -> Result<Option<Arc<str>>, Interrupt>;

    /// Reads a file that [`find_file`](Host::find_file) found.
    ///
    /// # Errors
    /// A file that cannot be read, or is too large.
    fn read_file(&mut self, path: &str) -> Result<Arc<[u8]>, Interrupt>;

    /// Finds a file by its path, which is relative to the working directory unless it is absolute. `None` if it does not exist.
    fn find_path(&mut self, path: &str) -> Option<Arc<str>>;

    /// Returns whether a function of this name can be called: one of Puppet, of the language, or of a module.
    fn knows_function(&mut self, name: &str) -> bool;

    /// Returns whether the scope has a default for an attribute of a type.
    fn has_resource_default(&mut self, type_name: &str, attribute: &str) -> bool;

    /// Returns the directory of a module.
    fn module_directory(&mut self, module: &str) -> Option<Arc<str>>;

    /// Evaluates a template: a file found by its name, or a text.
    ///
    /// # Errors
    /// Those of the template.
    fn epp(&mut self, template: Template<'_>, parameters: Option<&Hash>) -> Result<Value, Interrupt>;

    /// Renders a template in ERB: a file found by its name, or a text.
    ///
    /// # Errors
    /// Those of the template.
    fn erb(&mut self, template: Template<'_>) -> Result<Value, Interrupt>;

    /// Looks a key up in the data of the environment: `lookup`, `hiera` and its relatives, with the arguments of the call.
    ///
    /// # Errors
    /// A key that is not found, and data that is invalid.
    fn lookup(&mut self, function: &str, arguments: &[Value], block: Option<&Block>) -> Result<Value, Interrupt>;
}

/// How classes are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclareClass {
    /// `include`
    Include,
    /// `contain`: the class is part of the current one.
    Contain,
    /// `require`: the class comes before the current one.
    Require,
}

/// The folder of a module in which a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FileKind {
    Files,
    Templates,
}

/// A template.
#[derive(Clone, Copy, Debug)]
pub enum Template<'a> {
    /// `module/name.epp`, `module/name.erb`
    Named(&'a str),
    /// The text itself.
    Text(&'a str),
}
