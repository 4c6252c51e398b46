//! The house as a whole: who may know whom, and both tools as a user runs them.

mod agent;
mod dependencies;
mod embedded;
mod functions;
mod mixing;
mod run;
mod tools;
