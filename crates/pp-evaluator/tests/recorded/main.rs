//! Compares the evaluator with what Puppet 7.23 makes of recorded programs (`tests/puppet/README.md`).
//!
//! Each area has the number of records that must agree, in `agreement.rs`. `VERBOSE=1` says why the others do not, and `CASE`
//! chooses records by their id: `CASE=classes-0 VERBOSE=1 cargo test -p pp-evaluator --test recorded lang -- --nocapture`.
//! `RECORDS` is another folder of records in the form of `lang`.

mod agreement;
mod cases;
mod erb;
mod explanations;
mod hostile;
mod lang;
mod snippets;
mod world;
