//! The function engine: the values of a program, kept up to date (spec 04 §§1-2).
//!
//! A program is a set of templates; an instance of one is a *frame* (`node::Frame`). The engine builds, for every operand
//! that a live statement reads, a *node*, and for every node the nodes that it reads, each at most once a frame. When
//! something happens (a timer, a file, a value that was set) only the nodes below it are evaluated again, each once, in
//! the order of their *heights*, and a node whose result is the same as before stops there.
//!
//! `if`, `<|>`, calls of function values, `iter.*` and the statements `if`, `for` and `forkv` change the graph itself. Such
//! a *control* is evaluated before everything it may build or tear down: nodes of its frames are always higher than it. So
//! an element of a list that became shorter is gone before it could look for its value. The value of such an expression is
//! a second node, the *output*, higher than the control and whatever the control wired to it.
//!
//! Invariants, checked after every step of the property tests:
//! * a node's height is greater than that of its inputs and of the control that owns its frame;
//! * a node exists only while something live reads it: after any history the set of nodes is that of a fresh start;
//! * after a round, every state is what evaluating everything from nothing would give.
//!
//! A failure is a state: it travels along edges in place of a value, `<|>` replaces one that is catchable, and one that
//! reaches a statement ends the round with diagnostics ([`Engine::run`]). Whether a failure counts is decided at the *end*
//! of a round, so one inside something that the same round tears down is nobody's concern.
//!
//! A function that has no first value yet makes everything that needs it *pending*, up to the statements, and a round that
//! leaves a statement pending gives no output: the one before stays in force. A pending control keeps what it built, frozen
//! until it knows again what it wants (`waiting`).
//!
//! [`Interpreter`] makes the resource graph from the values of a program (`interpret`).
//!
//! There is no recursion over the program's depth anywhere here, and no I/O: clocks, watches and wake-ups come from the
//! [`Host`].

mod arena;
mod build;
mod code;
mod control;
mod edges;
mod engine;
mod evaluate;
mod failure;
mod host;
mod identical;
mod interpret;
mod live;
mod node;
mod outputs;
mod still;
#[cfg(test)]
mod tests;
mod waiting;

pub use engine::{Engine, Round};
pub use host::{Events, Host, Waker, WatchId};
pub use interpret::Interpreter;
pub use outputs::{Output, OutputId, OutputValues};
pub use still::StillHost;
pub use waiting::Waiting;
