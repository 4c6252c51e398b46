//! Sets of token kinds, and the sets that recovery and diagnosis ask for.

use std::fmt;

use mcl_lexer::TokenKind;

/// A set of token kinds, as one bit per kind.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenSet(u128);

// Every kind has a bit.
const _: () = assert!((TokenKind::Unrecognized as u32) < u128::BITS);

impl TokenSet {
    /// Creates the set of the given kinds.
    pub const fn new(kinds: &[TokenKind]) -> TokenSet {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u32;
            i += 1;
        }
        TokenSet(bits)
    }

    /// Returns the kinds that are in one of the sets.
    pub const fn union(self, other: TokenSet) -> TokenSet {
        TokenSet(self.0 | other.0)
    }

    /// Returns the kinds that are in this set and not in the other.
    pub const fn without(self, other: TokenSet) -> TokenSet {
        TokenSet(self.0 & !other.0)
    }

    /// Returns the kinds that are in both sets.
    pub const fn intersection(self, other: TokenSet) -> TokenSet {
        TokenSet(self.0 & other.0)
    }

    /// Returns the set of all kinds.
    pub const fn all() -> TokenSet {
        TokenSet(u128::MAX)
    }

    /// Whether the kind is in the set.
    pub const fn contains(self, kind: TokenKind) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }

    /// Whether the token exists and its kind is in the set.
    pub fn has(self, kind: Option<TokenKind>) -> bool {
        kind.is_some_and(|kind| self.contains(kind))
    }

    /// Whether all kinds of the other set are in this one.
    pub const fn contains_all(self, other: TokenSet) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether there are no kinds in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of kinds in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Iterates over the kinds that the terminals of the grammar have, in the order of their declaration.
    pub fn of_grammar() -> impl Iterator<Item = TokenKind> {
        TokenKind::OF_GRAMMAR.iter().copied()
    }

    /// Iterates over the kinds in the set that terminals of the grammar have, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = TokenKind> {
        TokenSet::of_grammar().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<TokenKind> for TokenSet {
    fn from_iter<I: IntoIterator<Item = TokenKind>>(kinds: I) -> TokenSet {
        kinds.into_iter().fold(TokenSet::default(), |set, kind| set.union(TokenSet::new(&[kind])))
    }
}

impl fmt::Debug for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The words of variables and dotted names (spec 01 §1.5).
pub const WORD: TokenSet = TokenSet::new(&[TokenKind::Identifier, TokenKind::Map, TokenKind::Collect]);

/// The string literals, in whichever quotes.
pub const STRING_LIKE: TokenSet = TokenSet::new(&[TokenKind::String, TokenKind::WrongQuotes]);

/// The number literals.
pub const NUMBER: TokenSet = TokenSet::new(&[TokenKind::Integer, TokenKind::Float]);

/// The types that are a single keyword.
pub const SIMPLE_TYPE: TokenSet = TokenSet::new(&[
    TokenKind::TypeBool,
    TokenKind::TypeStr,
    TokenKind::TypeInt,
    TokenKind::TypeFloat,
    TokenKind::Variant,
]);

/// The operators that compare, which do not chain.
pub const COMPARISON: TokenSet = TokenSet::new(&[
    TokenKind::Eq,
    TokenKind::Ne,
    TokenKind::Lt,
    TokenKind::Gt,
    TokenKind::Le,
    TokenKind::Ge,
    TokenKind::In,
]);

/// The tokens that an operand may end with.
pub const OPERAND_END: TokenSet = WORD.union(NUMBER).union(TokenSet::new(&[
    TokenKind::CloseCurly,
    TokenKind::CloseParen,
    TokenKind::CloseBracket,
    TokenKind::Capitalized,
    TokenKind::String,
    TokenKind::True,
    TokenKind::False,
    TokenKind::IntegerOverflow,
    TokenKind::FloatOverflow,
    TokenKind::UnterminatedString,
    TokenKind::WrongQuotes,
    TokenKind::Heredoc,
]));

/// The tokens after an operand that make it a part of a larger expression, or of the head of a block.
pub const OPERAND_CONTINUATION: TokenSet = COMPARISON.union(TokenSet::new(&[
    TokenKind::OpenCurly,
    TokenKind::OpenBracket,
    TokenKind::Arrow,
    TokenKind::Except,
    TokenKind::BarBar,
    TokenKind::And,
    TokenKind::Or,
    TokenKind::Plus,
    TokenKind::Minus,
    TokenKind::Multiply,
    TokenKind::Divide,
]));

/// `{`.
pub const BRACE: TokenSet = TokenSet::new(&[TokenKind::OpenCurly]);

/// The tokens that an argument or parameter starts with when its comma is missing.
pub const ARGUMENT_START: TokenSet =
    NUMBER.union(TokenSet::new(&[TokenKind::Dollar, TokenKind::Identifier, TokenKind::String]));

/// The tokens that a value starts with.
pub const VALUE_START: TokenSet = ARGUMENT_START.union(TokenSet::new(&[
    TokenKind::True,
    TokenKind::False,
    TokenKind::OpenBracket,
    TokenKind::OpenCurly,
    TokenKind::Struct,
]));

/// The tokens that an expression may start with, but not a statement.
pub const EXPRESSION_ONLY_START: TokenSet = NUMBER.union(TokenSet::new(&[
    TokenKind::String,
    TokenKind::OpenParen,
    TokenKind::OpenBracket,
    TokenKind::OpenCurly,
    TokenKind::True,
    TokenKind::False,
    TokenKind::Not,
    TokenKind::Struct,
]));

/// The keywords that only start statements.
pub const STATEMENT_KEYWORD: TokenSet = TokenSet::new(&[
    TokenKind::Class,
    TokenKind::Import,
    TokenKind::Include,
    TokenKind::For,
    TokenKind::ForKv,
    TokenKind::Panic,
]);

/// The tokens that start a statement even in the middle of a line.
pub const STATEMENT_START_IN_LINE: TokenSet = TokenSet::new(&[
    TokenKind::Class,
    TokenKind::Import,
    TokenKind::Include,
    TokenKind::For,
    TokenKind::ForKv,
    TokenKind::Dollar,
]);

/// The tokens that a statement may start with, and `else`.
pub const STATEMENT_START: TokenSet = STATEMENT_START_IN_LINE.union(TokenSet::new(&[
    TokenKind::Identifier,
    TokenKind::Capitalized,
    TokenKind::If,
    TokenKind::Func,
    TokenKind::Panic,
    TokenKind::Collect,
    TokenKind::Else,
]));
