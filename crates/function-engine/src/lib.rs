//! The function engine: keeps the values of a program up to date (spec 04 §1, spec 04 §2) and interprets them as a resource
//! graph (spec 04 §3).
//!
//! A program is a set of templates; an instance of a template is a *frame* (`node::Frame`). The engine builds a *node* for
//! every operand of an active statement, and for every operand of such a node in turn, each at most once per frame. When an
//! event arrives (a timer, a file, a published value), only the nodes that depend on it are evaluated again, each once, in
//! the order of their *heights*. Propagation stops at a node whose result has not changed.
//!
//! `if`, `<|>`, calls of function values, `iter.*` and the statements `if`, `for` and `forkv` change the graph itself. Such a
//! *control* is evaluated before everything that it may build or drop, because the nodes of its frames are higher than it.
//! So when a list becomes shorter, the nodes of the removed elements are dropped before they could be evaluated. The value
//! of such an expression is a second node, the *output*, which is higher than the control and everything that the control
//! connects to it.
//!
//! Invariants, checked after every step of the property tests:
//! * the height of a node is greater than the heights of its inputs and of the control that owns its frame;
//! * a node exists only while an active statement depends on it: after any history the nodes are those of a fresh start;
//! * after a round, every state equals the result of evaluating the whole program from scratch.
//!
//! A failure is a state. It propagates along edges in place of a value; `<|>` replaces one that is catchable, and one that
//! reaches a statement ends the round with diagnostics ([`Engine::run`]). Failures are collected at the *end* of a round, so
//! one inside something that the same round drops is not reported.
//!
//! A function that has no first value yet makes everything that needs it *pending*, up to the statements. A round that
//! leaves a statement pending has no output, and the previous output remains in effect. A pending control keeps what it has
//! built, frozen until its condition is known again (`waiting`).
//!
//! [`Interpreter`] builds the resource graph from the values of a program (`interpret`).
//!
//! No function here recurses over the depth of the program, and none does I/O: clocks, watches and wake-ups come from the
//! [`Environment`].

mod answered;
mod arena;
mod build;
mod changed_outputs;
mod changes;
mod closure;
mod code;
mod control;
mod edges;
mod embedded_files;
mod engine;
mod environment;
mod evaluate;
mod events;
mod failure;
mod identical;
mod ids;
mod inline;
mod interpret;
mod iteration;
mod node;
mod outputs;
mod snapshot_environment;
mod stream;
#[cfg(test)]
mod tests;
mod waiting;

pub use engine::{Engine, Round};
pub use environment::{Environment, SharedValue};
pub use events::{Events, Waker};
pub use ids::WatchId;
pub use interpret::{ChangedResource, GraphChanges, Interpreter};
pub use mcl_functions::{Answers, InputVersion};
pub use snapshot_environment::SnapshotEnvironment;
pub use waiting::Waiting;
