//! mcl-lexer: source text -> tokens (being written).
