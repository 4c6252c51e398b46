//! The kinds of token, and the automaton that finds them (made by logos).

use logos::{Lexer, Logos};
use serde::{Deserialize, Serialize};

/// What a token is.
///
/// The longest match wins; keywords beat identifiers of the same length (spec 01 §1.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Logos, Serialize, Deserialize)]
#[repr(u8)]
#[logos(skip r"[ \t]+")]
#[allow(missing_docs)]
pub enum TokenKind {
    // Blanks and comments; [`crate::lex`] keeps them out of the token list.
    #[regex(r"\n[ \t\n]*")]
    Newline,
    #[regex(r"#[^\n]*", allow_greedy = true)]
    Comment,

    // Names and literals.
    #[regex(r"[a-z]([a-z0-9_]*[a-z0-9])?")]
    Identifier,
    #[regex(r"[A-Z]([a-z0-9_]*[a-z0-9])?")]
    Capitalized,
    #[regex(r"-?[0-9]+")]
    Integer,
    #[regex(r"-?[0-9]+\.[0-9]+")]
    Float,
    #[token("\"", string_end)]
    String,

    // Keywords.
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("for")]
    For,
    #[token("forkv")]
    ForKv,
    #[token("in")]
    In,
    #[token("and")]
    And,
    #[token("or")]
    Or,
    #[token("not")]
    Not,
    #[token("func")]
    Func,
    #[token("class")]
    Class,
    #[token("include")]
    Include,
    #[token("import")]
    Import,
    #[token("as")]
    As,
    #[token("panic")]
    Panic,
    #[token("collect")]
    Collect,
    #[token("bool")]
    TypeBool,
    #[token("str")]
    TypeStr,
    #[token("int")]
    TypeInt,
    #[token("float")]
    TypeFloat,
    #[token("map")]
    Map,
    #[token("struct")]
    Struct,
    #[token("variant")]
    Variant,

    // Punctuation.
    #[token("{")]
    OpenCurly,
    #[token("}")]
    CloseCurly,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token("$")]
    Dollar,
    #[token("=")]
    Equals,
    #[token("=>")]
    Rocket,
    #[token("->")]
    Arrow,
    #[token("?:")]
    Elvis,
    #[token("<|>")]
    Except,
    /// `||`, an older spelling of `<|>` in one place; the parser decides.
    #[token("||")]
    BarBar,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Multiply,
    #[token("/")]
    Divide,
    #[token("==")]
    Eq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token(">")]
    Gt,
    #[token("<=")]
    Le,
    #[token(">=")]
    Ge,

    // Errors. First those that stand where a value does, then blanks that are none, then the rest.
    /// An integer outside of 64 bits.
    IntegerOverflow,
    /// A float that is too large for a double.
    FloatOverflow,
    /// A `"` that nothing closes; it takes the rest of the file.
    UnterminatedString,
    /// `'…'` or `` `…` ``.
    #[regex(r"'[^'\n]*'")]
    #[regex(r"`[^`\n]*`")]
    WrongQuotes,
    /// Vertical tab, form feed, no-break space and the like, byte order mark.
    #[regex("[\u{b}\u{c}]+")]
    BadBlank,
    #[regex(r"\r+")]
    CarriageReturn,
    /// A run of characters outside of ASCII.
    #[regex(r"[^\x00-\x7F]+")]
    NonAscii,
    #[token("&&")]
    AmpersandAmpersand,
    #[regex(r"_+")]
    Underscore,
    /// Any other single character.
    #[regex(r"[\x00-\x7F]", priority = 0)]
    Unrecognized,
}

/// Goes to the quote that closes the string; false if there is none.
fn string_end(lexer: &mut Lexer<'_, TokenKind>) -> bool {
    let rest = lexer.remainder().as_bytes();
    let mut i = 0;
    while i < rest.len() {
        match rest[i] {
            b'"' => {
                lexer.bump(i + 1);
                return true;
            }
            // The code point behind a backslash may be longer than a byte, but none of its bytes is a quote or backslash.
            b'\\' => i += 2,
            _ => i += 1,
        }
    }
    lexer.bump(rest.len());
    false
}

impl TokenKind {
    /// Whether [`crate::lex_diagnostics`] reports such a token.
    #[must_use]
    pub fn is_error(self) -> bool {
        self as u8 >= TokenKind::IntegerOverflow as u8
    }

    /// Whether the token is an error that stands where a value does: a number that is too large, a string that is none.
    #[must_use]
    pub fn is_error_value(self) -> bool {
        matches!(
            self,
            TokenKind::IntegerOverflow
                | TokenKind::FloatOverflow
                | TokenKind::UnterminatedString
                | TokenKind::WrongQuotes
        )
    }

    /// Whether the token is an error that stands between other tokens like a blank.
    #[must_use]
    pub fn is_error_blank(self) -> bool {
        matches!(self, TokenKind::BadBlank | TokenKind::CarriageReturn)
    }

    /// The text of tokens that have only one.
    #[must_use]
    pub fn fixed_text(self) -> Option<&'static str> {
        Some(match self {
            TokenKind::True => "true",
            TokenKind::False => "false",
            TokenKind::If => "if",
            TokenKind::Else => "else",
            TokenKind::For => "for",
            TokenKind::ForKv => "forkv",
            TokenKind::In => "in",
            TokenKind::And => "and",
            TokenKind::Or => "or",
            TokenKind::Not => "not",
            TokenKind::Func => "func",
            TokenKind::Class => "class",
            TokenKind::Include => "include",
            TokenKind::Import => "import",
            TokenKind::As => "as",
            TokenKind::Panic => "panic",
            TokenKind::Collect => "collect",
            TokenKind::TypeBool => "bool",
            TokenKind::TypeStr => "str",
            TokenKind::TypeInt => "int",
            TokenKind::TypeFloat => "float",
            TokenKind::Map => "map",
            TokenKind::Struct => "struct",
            TokenKind::Variant => "variant",
            TokenKind::OpenCurly => "{",
            TokenKind::CloseCurly => "}",
            TokenKind::OpenParen => "(",
            TokenKind::CloseParen => ")",
            TokenKind::OpenBracket => "[",
            TokenKind::CloseBracket => "]",
            TokenKind::Comma => ",",
            TokenKind::Colon => ":",
            TokenKind::Semicolon => ";",
            TokenKind::Dot => ".",
            TokenKind::Dollar => "$",
            TokenKind::Equals => "=",
            TokenKind::Rocket => "=>",
            TokenKind::Arrow => "->",
            TokenKind::Elvis => "?:",
            TokenKind::Except => "<|>",
            TokenKind::BarBar => "||",
            TokenKind::Plus => "+",
            TokenKind::Minus => "-",
            TokenKind::Multiply => "*",
            TokenKind::Divide => "/",
            TokenKind::Eq => "==",
            TokenKind::Ne => "!=",
            TokenKind::Lt => "<",
            TokenKind::Gt => ">",
            TokenKind::Le => "<=",
            TokenKind::Ge => ">=",
            TokenKind::AmpersandAmpersand => "&&",
            TokenKind::Newline
            | TokenKind::Comment
            | TokenKind::Identifier
            | TokenKind::Capitalized
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::IntegerOverflow
            | TokenKind::FloatOverflow
            | TokenKind::UnterminatedString
            | TokenKind::WrongQuotes
            | TokenKind::BadBlank
            | TokenKind::CarriageReturn
            | TokenKind::NonAscii
            | TokenKind::Underscore
            | TokenKind::Unrecognized => return None,
        })
    }

    /// Whether the token is a keyword (spec 01 §1.5).
    #[must_use]
    pub fn is_keyword(self) -> bool {
        self as u8 >= TokenKind::True as u8 && self as u8 <= TokenKind::Variant as u8
    }

    /// Whether the token opens a bracket.
    #[must_use]
    pub fn is_opener(self) -> bool {
        matches!(self, TokenKind::OpenCurly | TokenKind::OpenParen | TokenKind::OpenBracket)
    }

    /// Whether the token closes a bracket.
    #[must_use]
    pub fn is_closer(self) -> bool {
        matches!(self, TokenKind::CloseCurly | TokenKind::CloseParen | TokenKind::CloseBracket)
    }

    /// The bracket that closes this one.
    #[must_use]
    pub fn closer(self) -> Option<TokenKind> {
        match self {
            TokenKind::OpenCurly => Some(TokenKind::CloseCurly),
            TokenKind::OpenParen => Some(TokenKind::CloseParen),
            TokenKind::OpenBracket => Some(TokenKind::CloseBracket),
            _ => None,
        }
    }
}
