//! The house as a whole: who may know whom, and both tools as a user runs them.

mod adversity;
mod agent;
mod callback;
mod dependencies;
mod embedded;
mod exports;
mod functions;
mod machine;
mod mixing;
mod mounts;
mod packages;
mod run;
mod services;
mod tools;
