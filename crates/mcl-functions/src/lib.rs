//! Every built-in function: name, signature, purity, documentation and implementation (spec 03).
//!
//! The compiler reads signatures and purity, and folds calls of [`Purity::Pure`] functions; the runtime calls the same
//! implementations. A function whose value changes while the program runs (time, files, environment) is
//! [`Implementation::Streaming`]: it asks the function engine for its next call through a [`StreamContext`].
//!
//! Each module of mcl has a file here with a table of [`Function`]s, sorted by name; `registry` lists the modules. Go's
//! standard library is in `go-compat`, and its template language in `go-template`. This crate does not know syntax, scopes,
//! graphs or resources.

mod answers;
mod args;
mod constants;
mod convert;
mod datetime;
mod deploy;
mod distro;
mod encoding;
mod error;
mod example;
mod fmt;
mod function;
mod global;
mod golang;
mod input_file;
mod iter;
mod json;
mod kernel_events;
mod list;
mod local;
mod map;
mod math;
mod net;
mod operators;
mod os;
mod provisioner;
mod regexp;
mod registry;
mod secret;
mod strings;
mod sys;
mod table;
mod template;
mod testing;
mod util;
mod values;
mod vumeter;
mod world;

#[cfg(test)]
mod tests;

pub use answers::{AnsweredCall, Answers};
pub use constants::{VARIABLES, Variable, VariableValue};
pub use error::FunctionError;
pub use function::{
    COMMANDS_DISABLED, CallContext, CallSite, Deploy, EngineFunction, Function, Implementation, InputVersion, Origin,
    Plain, Purity, Sensitivity, Signature, Stream, StreamContext, readable_signature,
};
pub use registry::{all_functions, function, module_exists, module_functions, module_names};
