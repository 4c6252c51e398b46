//! Evaluates templates and functions in Ruby with an installed Ruby, for `--ruby-fallback` (spec 07 §5.12).
//!
//! [`InstalledRuby`] starts one helper process when it is first needed: `ruby` with the script `helper.rb`, without Puppet. A
//! request holds the text of a template or function and the values that it is called with; further values and functions are
//! asked for on the same pipes (`exchange.rs`). The helper forks a process for each request, so that none sees what another has
//! changed.
//!
//! The program in Ruby is not trusted to end, to keep to the protocol, or to leave the machine alone: the helper has another
//! user where this process is root's, limits on processor time, memory and files (`process.rs`), and nothing of the environment
//! and the descriptors of this process. A helper that breaks off, or does not answer in time, costs one error; the next request
//! gets another helper.

mod exchange;
mod pipes;
mod process;
mod ruby;
mod values;

pub use process::Settings;
pub use ruby::InstalledRuby;

#[cfg(test)]
mod tests;
