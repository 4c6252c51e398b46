//! Errors in expressions, entries of resources, and types.

use mcl_diagnostics::{Code, Span};
use strsim::damerau_levenshtein;

use crate::bracket::BracketContext;

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
    /// `$list.0`.
    DotBeforeIndex {
        variable: String,
        index: String,
    },
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
    /// `func f($x) { $x + 1 $x + 2 }`, at the second expression.
    SecondInBody,
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
        /// Whether it is the value of a field.
        in_entry: bool,
    },
    /// The value of an entry, which may have been meant as a string.
    Value {
        word: String,
        /// The kind of the resource, if the field is Puppet's `ensure`.
        ensure_of: Option<String>,
    },
    /// `Notify => svc["x"]`.
    LowerCaseEdge {
        word: String,
    },
    Other {
        word: String,
        /// Whether it may be a function that is passed on.
        is_argument: bool,
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
    /// `Meta.noop => true`.
    DotAfterMeta { parameter: String },
    /// `meta:noop => true`.
    MiscasedMeta,
    /// `content => Exec["x"].output`.
    SentValue { half: String, field: String },
    /// `require => File["x"]`.
    EdgeAsValue { property: &'static str, half: String },
    /// `lifecycle { … }`.
    Block { word: String },
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
        ty: String,
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

impl ExpressionError {
    pub(super) fn code(&self) -> Code {
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
            | ExpressionError::DotBeforeIndex { .. }
            | ExpressionError::MissingFraction { .. }
            | ExpressionError::InvalidNumber { .. }
            | ExpressionError::LeftArrow
            | ExpressionError::ChainOfSendReceive
            | ExpressionError::Semicolon
            | ExpressionError::SecondInBody
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

    pub(super) fn code(&self) -> Code {
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
