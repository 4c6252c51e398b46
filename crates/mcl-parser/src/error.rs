//! Syntax errors as data. Their words are in [`crate::message`].

use std::fmt;

use mcl_diagnostics::{Code, Span};
use mcl_lexer::TokenKind;
use strsim::damerau_levenshtein;

use crate::bracket::BracketContext;
use crate::token_set::TokenSet;

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
    /// An element, argument, entry, … is not followed by a comma.
    MissingComma(BracketContext),
    TooDeep(Nested),
    /// Two values follow each other: the expression could also end between them.
    ExpectedOperator {
        context: Option<BracketContext>,
        found: Found,
        operand: Span,
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

/// The token at which a statement fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Found {
    EndOfFile,
    EndOfLine,
    Token { kind: TokenKind, text: String },
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 30;
        let Found::Token { kind, text } = self else {
            return f.write_str(if *self == Found::EndOfFile { "the end of the file" } else { "the end of the line" });
        };
        let shown: String = match text.chars().nth(MAX_CHARS) {
            Some(_) => text.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
            None => text.clone(),
        };
        match kind {
            TokenKind::String => f.write_str("a string"),
            TokenKind::Integer | TokenKind::Float => write!(f, "the number `{shown}`"),
            TokenKind::Identifier => write!(f, "the name `{shown}`"),
            TokenKind::Capitalized => write!(f, "the capitalized name `{shown}`"),
            kind if kind.is_keyword() => write!(f, "the keyword `{shown}`"),
            _ => write!(f, "`{shown}`"),
        }
    }
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

/// Statements as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StatementError {
    /// A statement inside brackets that contain no statements.
    Misplaced(BracketContext),
    /// No statement starts with this token.
    Expected { found: Found, is_expression: bool },
    /// `else` without `if`.
    UnmatchedElse,
    /// `else if`, `elif`.
    ElseIf,
    /// `;`.
    Semicolon,
    /// `// …` or `/* …`.
    ForeignComment { opener: String },
    /// `If true {`.
    MiscasedKeyword { keyword: String },
    /// `a = 1`.
    MissingDollar { name: String },
    /// `len("x")`.
    Call { name: String },
    /// `1 + 2`, where the help depends on what may have been meant.
    Expression { reassigns: bool },
    /// `aws.ec2 "x" {}`.
    DottedResourceKind,
    /// `test { … }`.
    MissingResourceName { kind: String },
    /// `test = …`, `test 1`.
    ExpectedResourceName { kind: String, found: Found },
    /// `test` and nothing else.
    LoneWord { word: String },
    /// `File "x"`.
    ExpectedEdgeName { kind: String, found: Found },
    /// `name($x) {` with statements inside.
    MissingClassKeyword { name: String },
    /// `if {`.
    MissingCondition,
}

/// Names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NameError {
    /// `$Total`, `$userName`.
    ExpectedLowerCase {
        found: String,
        suggestion: String,
    },
    /// `$in`, `in => 1`.
    Keyword {
        keyword: String,
        role: NameRole,
    },
    ExpectedVariable {
        found: Found,
    },
    /// `${name}` outside a string.
    BracedVariable,
    /// `$name{3}`.
    BracesAfterVariable {
        name: String,
        past: Option<String>,
    },
    /// `True`.
    MiscasedBool {
        found: String,
    },
    /// `HttpServer["x"]`.
    SecondCapital,
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NameRole {
    Variable,
    Field,
    Other,
}

/// Bindings, up to their `=`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BindingError {
    /// `$a == 1`.
    DoubleEquals {
        name: String,
    },
    /// `$a => 1`.
    Rocket {
        name: String,
    },
    /// `$a.b = 1`.
    DottedName,
    /// `$web-port = 1`.
    DashInName,
    /// `$a` and nothing else.
    LoneVariable {
        name: String,
    },
    ExpectedEqualsOrType {
        name: String,
        found: Found,
    },
}

/// Heads of loops, classes, includes and imports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum HeadError {
    Loop {
        keyed: bool,
        error: LoopError,
    },
    /// `class a.b {`.
    DottedClassName,
    /// `include a:b`.
    IncludeWithColon {
        outer: String,
        inner: String,
    },
    /// `include "c"`.
    QuotedInclude {
        class: String,
    },
    /// `include c as *`.
    StarAliasOfInclude,
    /// `import fmt`.
    UnquotedImport {
        module: String,
    },
    ExpectedModule {
        found: Found,
    },
    /// `import "a" as b.c`.
    DottedImportAlias,
    /// `import "a" + "b"`.
    ImportOfExpression,
    /// `panic "x"`.
    PanicWithoutParentheses,
}

/// Heads of loops.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LoopError {
    OneVariable,
    ThreeVariables,
    TypedVariable,
    Expected { found: Found },
}

/// Functions and their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FunctionError {
    /// `func ($x) { … }` as a statement.
    MissingName,
    /// `func a.b() { … }`.
    DottedName,
    /// `func f { … }`.
    MissingParentheses { name: String },
    /// `func f(x) { … }`.
    ParameterWithoutDollar { name: String },
    /// `func f($x = 1) { … }`.
    ParameterDefault,
    /// `func f(str $x) { … }`.
    TypeBeforeParameter { ty: String },
    /// `func f() -> int { … }`.
    ArrowBeforeResult,
    /// `func f() {}`.
    EmptyBody,
    /// `func f() { $x = 1 … }`.
    VariableInBody,
}

/// Operators and operands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ExpressionError {
    /// `5-2`.
    NegativeNumberAfterValue {
        number: String,
    },
    /// `-$a`.
    UnaryMinus,
    /// `$a == $b == $c`.
    ChainedComparison,
    /// `$s->field <|> $a == $b == $c`.
    ComparisonAfterDefault,
    /// `?:` outside the entries of a resource.
    MisplacedElvis,
    /// `f => $a ?: $b ?: 1`.
    SecondCondition,
    /// `f(1)(2)`.
    CallOfResult,
    /// `$s[0].field`.
    DotBeforeField,
    /// `$s->$field`.
    VariableAsField,
    /// `[1,, 2]`.
    NothingBetweenCommas,
    /// `[, 2]`.
    NothingBeforeComma,
    /// `===`.
    TripleEquals,
    /// `$a = 1` as an expression.
    SingleEquals,
    /// `||` as a logical or.
    BarBar,
    /// `"a" . "b"`.
    DotBetweenStrings,
    /// `3.`.
    MissingFraction {
        integer: String,
    },
    /// `0x1f`, `2.5e3`.
    InvalidNumber {
        text: String,
    },
    /// `File["a"] <- File["b"]`.
    LeftArrow,
    /// `A["x"].out -> B["y"].in -> C["z"].in`.
    ChainOfSendReceive,
    /// `Exec["e"].output -> File["a"]`.
    MissingReceiveField,
    Semicolon,
    /// `panic` as an expression.
    Panic,
    /// `for` as an expression.
    Loop {
        keyword: String,
    },
}

/// Names that are neither variables nor called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BareWordError {
    Return,
    /// `null` and what other languages call it.
    Null {
        word: String,
    },
    /// The value of an entry, which may have been meant as a string.
    Value {
        word: String,
    },
    Other {
        word: String,
    },
    /// `f(x => 1)`.
    NamedArgument,
    /// `{a => 1}`.
    MapKey {
        word: String,
    },
    /// The value of an entry is missing, so that the name of the next one was taken for it.
    MissingValue {
        field: String,
    },
}

/// Entries of resources, pairs of maps and fields of structs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EntryError {
    /// `Other => 1`, `Other:noop => true`.
    Unknown { word: String, has_colon: bool },
    /// `Before => "x"`.
    ExpectedEdge { property: String },
    /// `"mode" => "x"`.
    QuotedName,
    /// `mode "x",`.
    MissingRocket { field: String },
    /// `=` or `:` in place of `=>`.
    ExpectedRocket { after: BracketContext, found: String },
    /// `meta:noop => true`.
    MiscasedMeta,
    /// `require => File["x"]`.
    EdgeAsValue { property: &'static str, kind: String },
    /// `Before => File["x"] -> File["y"]`.
    EdgeChain,
    /// `Before => File["x"].content`.
    EdgeWithField,
}

/// Written types.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TypeError {
    Unknown {
        word: String,
        near: Option<&'static str>,
    },
    /// `$a {str: int}`.
    MapWithoutKeyword,
    /// `$a: int`.
    ColonBeforeType {
        name: String,
    },
    /// `struct{a int;}`.
    TrailingSemicolon,
    /// `struct{a int, b str}`.
    CommaBetweenFields,
    /// `map{str => int}`.
    ExpectedColon {
        found: String,
    },
    /// `struct{a int; a str}`.
    DuplicateField {
        name: String,
        first: Span,
    },
    /// `func($a int, $a str) bool`.
    DuplicateArgument {
        name: String,
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
            SyntaxErrorKind::MissingComma(_) => Code::E0202,
            SyntaxErrorKind::TooDeep(_) => Code::E0210,
            SyntaxErrorKind::ExpectedOperator { .. } => Code::E0213,
            SyntaxErrorKind::Expected { incomplete: true, .. } => Code::E0220,
            SyntaxErrorKind::Expected { incomplete: false, .. } => Code::E0201,
        }
    }
}

impl StatementError {
    fn code(&self) -> Code {
        match self {
            StatementError::ElseIf => Code::E0212,
            StatementError::MiscasedKeyword { .. } => Code::E0216,
            StatementError::ExpectedEdgeName { .. } | StatementError::MissingCondition => Code::E0201,
            StatementError::Misplaced(_)
            | StatementError::Expected { .. }
            | StatementError::UnmatchedElse
            | StatementError::Semicolon
            | StatementError::ForeignComment { .. }
            | StatementError::MissingDollar { .. }
            | StatementError::Call { .. }
            | StatementError::Expression { .. }
            | StatementError::DottedResourceKind
            | StatementError::MissingResourceName { .. }
            | StatementError::ExpectedResourceName { .. }
            | StatementError::LoneWord { .. }
            | StatementError::MissingClassKeyword { .. } => Code::E0218,
        }
    }
}

impl NameError {
    fn code(&self) -> Code {
        match self {
            NameError::Keyword { .. } => Code::E0215,
            NameError::ExpectedLowerCase { .. } | NameError::MiscasedBool { .. } | NameError::SecondCapital => {
                Code::E0216
            }
            NameError::ExpectedVariable { .. } | NameError::BracedVariable | NameError::BracesAfterVariable { .. } => {
                Code::E0201
            }
        }
    }
}

impl BindingError {
    fn code(&self) -> Code {
        match self {
            BindingError::DoubleEquals { .. } => Code::E0211,
            BindingError::LoneVariable { .. } => Code::E0218,
            BindingError::Rocket { .. }
            | BindingError::DottedName
            | BindingError::DashInName
            | BindingError::ExpectedEqualsOrType { .. } => Code::E0201,
        }
    }
}

impl ExpressionError {
    fn code(&self) -> Code {
        match self {
            ExpressionError::BarBar => Code::E0209,
            ExpressionError::NegativeNumberAfterValue { .. } => Code::E0213,
            ExpressionError::UnaryMinus => Code::E0214,
            ExpressionError::ChainedComparison | ExpressionError::ComparisonAfterDefault => Code::E0217,
            ExpressionError::MissingReceiveField => Code::E0220,
            ExpressionError::MisplacedElvis
            | ExpressionError::SecondCondition
            | ExpressionError::CallOfResult
            | ExpressionError::DotBeforeField
            | ExpressionError::VariableAsField
            | ExpressionError::NothingBetweenCommas
            | ExpressionError::NothingBeforeComma
            | ExpressionError::TripleEquals
            | ExpressionError::SingleEquals
            | ExpressionError::DotBetweenStrings
            | ExpressionError::MissingFraction { .. }
            | ExpressionError::InvalidNumber { .. }
            | ExpressionError::LeftArrow
            | ExpressionError::ChainOfSendReceive
            | ExpressionError::Semicolon
            | ExpressionError::Panic
            | ExpressionError::Loop { .. } => Code::E0201,
        }
    }
}

impl TypeError {
    /// Creates the error for a word that is not a type, with the type that was probably meant.
    pub fn unknown(word: &str) -> TypeError {
        let near = match word {
            "string" | "text" => Some("str"),
            "integer" | "number" | "num" | "long" => Some("int"),
            "boolean" => Some("bool"),
            "double" | "real" => Some("float"),
            "list" | "array" => Some("[]str"),
            "dict" | "hash" | "object" => Some("map{str: str}"),
            _ => ["bool", "str", "int", "float", "map", "struct", "func"]
                .into_iter()
                .find(|ty| damerau_levenshtein(word, ty) <= 1),
        };
        TypeError::Unknown { word: word.to_owned(), near }
    }

    fn code(&self) -> Code {
        match self {
            TypeError::Unknown { .. } | TypeError::MapWithoutKeyword => Code::E0221,
            TypeError::DuplicateField { .. } => Code::E0207,
            TypeError::DuplicateArgument { .. } => Code::E0208,
            TypeError::ColonBeforeType { .. }
            | TypeError::TrailingSemicolon
            | TypeError::CommaBetweenFields
            | TypeError::ExpectedColon { .. } => Code::E0201,
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
);
