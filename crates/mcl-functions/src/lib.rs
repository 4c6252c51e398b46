//! Every built-in function: path, signature, purity, documentation and implementation, declared once (spec 03).
//!
//! The compiler reads signatures and purity and folds calls of [`Purity::Pure`] functions; the runtime calls the same
//! implementations. Functions whose value changes by itself (time, files, environment) are [`Implementation::Live`]: the
//! engine owns the watching, see [`LiveContext`]. The crate knows nothing of syntax, scopes, graphs or resources.
//!
//! A module of mcl is a file here with a table of rows, one for each function: name, signature, documentation,
//! implementation. What Go's standard library does is in `go-compat`, its template language in `go-template`.

mod args;
mod constants;
mod convert;
mod datetime;
mod deploy;
mod distro;
mod encoding;
mod example;
mod fmt;
mod function;
mod global;
mod golang;
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

pub use constants::{VARIABLES, Variable, VariableValue};
pub use fmt::{Verb, format_verbs};
pub use function::{
    CallContext, CallSite, Deploy, EngineFunction, Function, FunctionError, Implementation, Live, LiveContext, Plain,
    Purity, Signature,
};
pub use registry::{all_functions, function, module_exists, module_functions, module_names};
