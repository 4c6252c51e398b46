//! Merging: the recorded cases against what the original merge made of them, and properties of all merges.

mod both_sides;
mod cases;
mod properties;
