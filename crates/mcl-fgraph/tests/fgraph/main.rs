//! From source text, through the real front end, to programs and what they evaluate to.

mod agreement;
mod generate;
mod hostile;
mod listings;
mod results;
mod sizes;
mod support;
