//! Compiles sources with the real front end, and checks the lowered programs and what they evaluate to.

mod agreement;
mod generate;
mod listings;
mod malformed_input;
mod parts;
mod results;
mod sizes;
mod support;
