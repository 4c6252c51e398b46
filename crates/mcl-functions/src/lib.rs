//! Every built-in function: path, signature, purity, documentation and implementation, declared once (spec 03).
//!
//! The compiler reads signatures and purity and folds calls of [`Purity::Pure`] functions; the runtime calls the same
//! implementations. Functions whose value changes by itself (time, files, environment) are [`Implementation::Live`]: the
//! engine owns the watching, see [`LiveContext`]. The crate knows nothing of syntax, scopes, graphs or resources.

mod function;
mod registry;

pub use function::{
    CallContext, CallSite, Deploy, EngineFunction, Function, FunctionError, Implementation, Live, LiveContext, Purity,
    Signature,
};
pub use registry::{all_functions, function, module_exists};
