//! Tokens -> syntax tree (LALRPOP with error recovery), the init checks, and the interpolate stage (spec 01).

pub mod ast;
