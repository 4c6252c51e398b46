//! Templates and functions that an installed Ruby evaluates (spec 07 §5.12): what the compiler asks it for, and what it may ask
//! the compiler for.

use std::sync::Arc;

use pp_functions::LogLevel;
use pp_types::{Error, Value};

/// A template, or the file of a function.
#[derive(Clone, Copy, Debug)]
pub struct RubySource<'a> {
    /// The name of the function; of a template, its file.
    pub name: &'a str,
    /// How messages name the file.
    pub file: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RubyFailure {
    /// The program raised an error.
    Raised {
        /// The class of the error.
        class: String,
        /// Its message.
        message: String,
        /// The line of the source, from one.
        line: Option<u32>,
    },
    /// An error of the compiler that went through the program.
    Passed(Error),
    /// The helper process cannot be started, or ended without an answer.
    Helper(String),
}

/// An installed Ruby.
pub trait Ruby {
    /// Renders a template in ERB.
    ///
    /// # Errors
    /// Those of the template, and those of the helper process.
    fn render(
        &self,
        template: RubySource<'_>,
        variables: &[(Arc<str>, Value)],
        host: &mut dyn RubyHost,
    ) -> Result<Value, RubyFailure>;

    /// Calls a function. `has_block` says whether [`RubyHost::call_block`] can be asked for.
    ///
    /// # Errors
    /// Those of the function, and those of the helper process.
    fn call(
        &self,
        function: RubySource<'_>,
        arguments: &[Value],
        has_block: bool,
        host: &mut dyn RubyHost,
    ) -> Result<Value, RubyFailure>;
}

/// What a program in Ruby may ask for.
pub trait RubyHost {
    /// Looks a variable up as the language does. An unknown one is undef.
    ///
    /// # Errors
    /// An unknown variable, if the settings make it an error.
    fn variable(&mut self, name: &str) -> Result<Value, Error>;

    /// Whether there is a variable.
    fn has_variable(&mut self, name: &str) -> bool;

    /// Returns all variables that are visible without a qualified name.
    fn variables(&mut self) -> Vec<(Arc<str>, Value)>;

    /// Sets a variable.
    ///
    /// # Errors
    /// A variable that is set already.
    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error>;

    /// Returns how the scope is named: `Class[main]`.
    fn resource(&mut self) -> String;

    /// Calls a function.
    ///
    /// # Errors
    /// Those of the function, and an unknown name.
    fn call_function(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// Whether a function can be called.
    fn knows_function(&mut self, name: &str) -> bool;

    /// Calls the block of the call.
    ///
    /// # Errors
    /// Those of the block, and a call without one.
    fn call_block(&mut self, arguments: &[Value]) -> Result<Value, Error>;

    /// Returns the first of the signatures, in the notation of [`pp_types::Signature::parse`], that takes the arguments.
    ///
    /// # Errors
    /// What is wrong with the arguments, or with a signature.
    fn choose(&mut self, signatures: &[String]) -> Result<usize, Error>;

    /// Writes a message to the log.
    fn log(&mut self, level: LogLevel, message: &str);

    /// Returns a file below `lib` of a module, such as `puppet_x/name.rb`.
    fn library(&mut self, path: &str) -> Option<String>;
}
