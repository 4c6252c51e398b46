//! The house as a whole: who may know whom, and both tools as a user runs them.

mod dependencies;
mod tools;
