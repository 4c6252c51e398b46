//! Tests of the parse, init and interpolate stages. The helpers show trees and messages as short text.

mod errors;
mod fuzz;
mod trees;
