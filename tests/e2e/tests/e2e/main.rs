//! End-to-end tests: both tools as a user runs them, and the rules that span crates.

mod agent;
mod dependencies;
mod embedded;
mod explanations;
mod exports;
mod faults;
mod files;
mod finalize;
mod functions;
mod inputs;
mod links;
mod machine;
mod mclc_run;
mod merging;
mod mounts;
mod notices;
mod operations;
mod packages;
mod puppet_fallback;
mod secrets;
mod services;
mod sources;
mod spec_references;
mod structure;
mod support;
mod vocabulary;
