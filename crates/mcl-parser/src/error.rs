//! Syntax errors as data. Their words are in [`crate::message`].

mod expression;
mod found;
mod habit;
mod statement;

use mcl_diagnostics::{Code, Span};
use mcl_lexer::TokenKind;

use crate::bracket::BracketContext;
use crate::token_set::TokenSet;

pub use expression::{BareWordError, EntryError, ExpressionError, TypeError};
pub use found::{Found, NameRole};
pub use habit::{DoubleColon, HabitError, HabitKind, Instead, foreign_type};
pub use statement::{BindingError, FunctionError, HeadError, LoopError, NameError, StatementError};

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// The tokens that are wrong.
    pub span: Span,
}

impl SyntaxError {
    /// Creates an error at a span.
    pub fn new(kind: impl Into<SyntaxErrorKind>, span: Span) -> SyntaxError {
        SyntaxError { kind: kind.into(), span }
    }

    /// Creates the error for nesting that exceeds [`MAX_DEPTH`](crate::ast::MAX_DEPTH); `span` is what is nested too
    /// deeply, of which the error covers the first byte.
    pub fn too_deep(nested: Nested, span: Span) -> SyntaxError {
        let first_byte = Span { end: span.end.min(span.start + 1), ..span };
        SyntaxError { kind: SyntaxErrorKind::TooDeep(nested), span: first_byte }
    }
}

/// The kinds of [`SyntaxError`], by the construct that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SyntaxErrorKind {
    Bracket(BracketError),
    Statement(StatementError),
    Name(NameError),
    Binding(BindingError),
    Head(HeadError),
    Function(FunctionError),
    Expression(ExpressionError),
    BareWord(BareWordError),
    Entry(EntryError),
    Type(TypeError),
    Habit(HabitError),
    /// An element, argument, entry, … is not followed by a comma.
    MissingComma(BracketContext),
    TooDeep(Nested),
    /// Two values follow each other: the expression could also end between them.
    ExpectedOperator {
        context: Option<BracketContext>,
        found: Found,
        operand: Span,
    },
    /// A token without which the statement is right.
    Superfluous {
        found: Found,
    },
    /// Any other token that does not fit.
    Expected {
        expected: TokenSet,
        found: Found,
        /// Whether the statement ends there.
        incomplete: bool,
    },
}

/// The part of a program that is nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Nested {
    Statement,
    Expression,
    Type,
}

/// Brackets that do not match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BracketError {
    /// The bracket is not closed before `closed_by`, where it must be closed at the latest.
    Unclosed {
        opener: TokenKind,
        closed_by: Span,
    },
    Unmatched {
        closer: TokenKind,
    },
    Mismatched {
        expected: TokenKind,
        found: TokenKind,
        opener: Span,
    },
}

impl SyntaxErrorKind {
    /// Returns the diagnostic code.
    pub fn code(&self) -> Code {
        match self {
            SyntaxErrorKind::Bracket(BracketError::Unclosed { .. }) => Code::E0203,
            SyntaxErrorKind::Bracket(BracketError::Unmatched { .. } | BracketError::Mismatched { .. }) => Code::E0204,
            SyntaxErrorKind::Statement(error) => error.code(),
            SyntaxErrorKind::Name(error) => error.code(),
            SyntaxErrorKind::Binding(error) => error.code(),
            SyntaxErrorKind::Head(_) => Code::E0201,
            SyntaxErrorKind::Function(FunctionError::MissingName) => Code::E0218,
            SyntaxErrorKind::Function(_) => Code::E0201,
            SyntaxErrorKind::Expression(error) => error.code(),
            SyntaxErrorKind::BareWord(_) => Code::E0219,
            SyntaxErrorKind::Entry(EntryError::Unknown { .. } | EntryError::ExpectedEdge { .. }) => Code::E0206,
            SyntaxErrorKind::Entry(_) => Code::E0201,
            SyntaxErrorKind::Type(error) => error.code(),
            SyntaxErrorKind::Habit(error) => error.code(),
            SyntaxErrorKind::MissingComma(_) => Code::E0202,
            SyntaxErrorKind::TooDeep(_) => Code::E0210,
            SyntaxErrorKind::ExpectedOperator { .. } => Code::E0213,
            SyntaxErrorKind::Expected { incomplete: true, .. } => Code::E0220,
            SyntaxErrorKind::Expected { incomplete: false, .. } | SyntaxErrorKind::Superfluous { .. } => Code::E0201,
        }
    }
}

/// Makes `From` of each kind of error for [`SyntaxErrorKind`].
macro_rules! impl_from {
    ($($variant:ident($error:ty)),* $(,)?) => {
        $(
            impl From<$error> for SyntaxErrorKind {
                fn from(error: $error) -> SyntaxErrorKind {
                    SyntaxErrorKind::$variant(error)
                }
            }
        )*
    };
}

impl_from!(
    Bracket(BracketError),
    Statement(StatementError),
    Name(NameError),
    Binding(BindingError),
    Head(HeadError),
    Function(FunctionError),
    Expression(ExpressionError),
    BareWord(BareWordError),
    Entry(EntryError),
    Type(TypeError),
    Habit(HabitError),
);

/// A construct of another language that covers no more than its own tokens.
impl From<HabitKind> for SyntaxErrorKind {
    fn from(kind: HabitKind) -> SyntaxErrorKind {
        HabitError { kind, covers: None }.into()
    }
}
