//! What lexing and parsing can find wrong with a text, as data. `message.rs` words it.

use pp_ast::{Radix, TextRange};

/// An error or a warning, with the place that Puppet names first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where.
    pub range: TextRange,
    /// A related place, which the kind explains.
    pub related: Option<TextRange>,
}

impl SyntaxError {
    /// Creates an error without a related place.
    pub fn new(kind: SyntaxErrorKind, range: TextRange) -> SyntaxError {
        SyntaxError { kind, range, related: None }
    }
}

/// The kinds of [`SyntaxError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// A token that no rule of the grammar allows.
    UnexpectedToken {
        /// The token, as Puppet quotes it.
        found: String,
        /// What was probably meant; its label is at `related`.
        hint: Option<Hint>,
    },
    /// A token that no rule of the grammar allows directly after a string, which probably ends at the wrong quote; `related` is
    /// the string.
    AfterString {
        /// The token, as Puppet quotes it.
        found: String,
        /// The string goes over several lines.
        is_long: bool,
    },
    /// The file ends too early.
    UnexpectedEnd {
        /// The bracket that is not closed.
        unclosed: Option<String>,
        /// Whether the last token is a `;`.
        after_semicolon: bool,
    },
    /// A string without its closing quote; `related` is the quote.
    UnclosedQuote {
        /// The quote, or the last token for an interpolation.
        after: String,
        /// The first characters after it.
        followed_by: String,
        /// The quote is in an interpolation that is not closed; `related` is its `${`.
        in_interpolation: bool,
    },
    /// `/*` without `*/`.
    UnclosedComment,
    /// Digits and letters that are not a number.
    InvalidNumber {
        /// The text.
        text: String,
        /// What it could have been.
        base: NumberBase,
    },
    /// A float too large for a double.
    FloatOutOfRange(String),
    /// An integer that does not fit 64 bits.
    IntegerOutOfRange {
        /// The digits.
        digits: String,
        /// Their radix.
        radix: Radix,
    },
    /// `::` without a name after it.
    InvalidQualifiedName,
    /// `A::b`
    InvalidClassReference,
    /// `@(` without `)` on the same line.
    UnclosedHeredocTag {
        /// The first characters after it.
        followed_by: String,
    },
    /// The text between the parentheses is not `tag:syntax/escapes`.
    InvalidHeredocSyntax,
    /// A heredoc without a tag.
    EmptyHeredocTag,
    /// A heredoc in the last line of the file.
    HeredocWithoutText,
    /// No line ends the heredoc; `related` is its start.
    HeredocWithoutEnd {
        /// The tag.
        tag: String,
    },
    /// An unknown escape character in `@(TAG/…)`.
    InvalidHeredocEscape(char),
    /// The same escape character twice.
    RepeatedHeredocEscape {
        /// All of them.
        escapes: String,
    },
    /// A heredoc in an interpolation of a heredoc.
    NestedHeredoc,
    /// `\u` with a number that is not a character.
    InvalidUnicodeEscape(String),
    /// A warning: `\q`.
    UnrecognizedEscape(char),
    /// A warning: `\u` without digits.
    IncompleteUnicodeEscape,
    /// A byte order mark.
    ByteOrderMark,
    /// A tag of a template without its end.
    UnclosedTag,
    /// A comment of a template without its end.
    UnclosedTagComment,
    /// Braces after something that is not a resource type or reference.
    NotAResource,
    /// `@` or `@@` before something that is not a resource expression.
    NotVirtualizable {
        /// Whether it is `@@`.
        exported: bool,
    },
    /// `a, b` without a function.
    ArgumentsWithoutFunction,
    /// `f a, b`, where `f` needs parentheses.
    ArgumentsNeedParentheses {
        /// The name of the function.
        name: String,
    },
    /// A string where a definition has its name.
    QuotedName,
    /// `class` where a definition has its name.
    ClassAsName,
    /// More levels than the tree may have.
    TooDeep,
    /// A file of 4 GiB or more.
    FileTooLarge,
}

impl SyntaxErrorKind {
    /// Returns whether the program is valid nevertheless.
    pub fn is_warning(&self) -> bool {
        matches!(self, SyntaxErrorKind::UnrecognizedEscape(_) | SyntaxErrorKind::IncompleteUnicodeEscape)
    }

    /// Returns whether something has no end that is known, so that nothing after it can be judged.
    pub fn is_unclosed(&self) -> bool {
        matches!(
            self,
            SyntaxErrorKind::UnclosedQuote { .. }
                | SyntaxErrorKind::UnclosedComment
                | SyntaxErrorKind::HeredocWithoutEnd { .. }
                | SyntaxErrorKind::UnclosedHeredocTag { .. }
                | SyntaxErrorKind::InvalidHeredocSyntax
                | SyntaxErrorKind::EmptyHeredocTag
                | SyntaxErrorKind::UnclosedTag
                | SyntaxErrorKind::UnclosedTagComment
        )
    }
}

/// What was probably meant where a token does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// How to fix it.
    pub help: &'static str,
    /// The label of a related place.
    pub label: Option<&'static str>,
}

/// What digits and letters could have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NumberBase {
    Hexadecimal,
    Octal,
    Decimal,
    None,
}
