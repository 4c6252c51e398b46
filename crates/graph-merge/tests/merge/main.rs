//! Merging: the recorded cases against what the original merge made of them, and properties of all merges.

mod cases;
mod properties;
