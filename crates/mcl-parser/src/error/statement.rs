//! Errors in statements: names, bindings, heads of blocks, functions.

use mcl_diagnostics::Code;

use crate::bracket::BracketContext;
use crate::error::found::{Found, NameRole};

/// Statements as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StatementError {
    /// A statement inside brackets that contain no statements.
    Misplaced(BracketContext),
    /// No statement starts with this token.
    Expected {
        found: Found,
        is_expression: bool,
    },
    /// `else` without `if`.
    UnmatchedElse,
    /// `} else print "b" {}`.
    ElseWithoutBrace,
    /// `else if`, `elif`.
    ElseIf,
    /// `;`.
    Semicolon,
    /// `// …` or `/* …`.
    ForeignComment {
        opener: String,
    },
    /// `If true {`.
    /// `clas web {`, `improt "fmt"`.
    MisspelledKeyword {
        word: String,
        keyword: &'static str,
    },
    MiscasedKeyword {
        keyword: String,
    },
    /// `a = 1`.
    MissingDollar {
        name: String,
    },
    /// `len("x")`.
    Call {
        name: String,
    },
    /// `1 + 2`, where the help depends on what may have been meant.
    Expression {
        reassigns: bool,
    },
    /// `aws.ec2 "x" {}`.
    DottedResourceKind,
    /// `"/tmp/a" { … }`.
    MissingResourceKind {
        name: String,
    },
    /// `test { … }`.
    MissingResourceName {
        kind: String,
    },
    /// `test = …`, `test 1`.
    ExpectedResourceName {
        kind: String,
        found: Found,
        /// Whether braces follow, so that a resource is meant.
        has_body: bool,
    },
    /// `test` and nothing else.
    LoneWord {
        word: String,
    },
    /// `File "x"`.
    ExpectedEdgeName {
        kind: String,
        found: Found,
    },
    /// `name($x) {` with statements inside.
    MissingClassKeyword {
        name: String,
    },
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
    /// `$a` and nothing else.
    LoneVariable {
        name: String,
    },
    /// `$a int` and nothing else.
    MissingValue {
        name: String,
        /// What was written.
        head: String,
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
    /// `class c $x {`.
    ParameterWithoutParentheses {
        class: String,
        parameter: String,
    },
    /// `import fmt`.
    /// `import fmt as f`: the name that was found, and the module and alias that are meant.
    UnquotedImport {
        found: String,
        module: String,
        alias: Option<String>,
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
    TypeBeforeParameter { ty: String, name: Option<String> },
    /// `func f() -> int { … }`, `func f(): int { … }`.
    SignBeforeResult { found: String },
    /// `func f() (int, str) { … }`.
    SeveralResults,
    /// `func f() {}`.
    EmptyBody,
    /// `func f() { $x = 1 … }`.
    VariableInBody,
}

impl StatementError {
    pub(super) fn code(&self) -> Code {
        match self {
            StatementError::ElseIf => Code::E0212,
            StatementError::MisspelledKeyword { .. } | StatementError::MiscasedKeyword { .. } => Code::E0216,
            StatementError::ElseWithoutBrace
            | StatementError::ExpectedEdgeName { .. }
            | StatementError::MissingCondition => Code::E0201,
            StatementError::Misplaced(_)
            | StatementError::Expected { .. }
            | StatementError::UnmatchedElse
            | StatementError::Semicolon
            | StatementError::ForeignComment { .. }
            | StatementError::MissingDollar { .. }
            | StatementError::Call { .. }
            | StatementError::Expression { .. }
            | StatementError::DottedResourceKind
            | StatementError::MissingResourceKind { .. }
            | StatementError::MissingResourceName { .. }
            | StatementError::ExpectedResourceName { .. }
            | StatementError::LoneWord { .. }
            | StatementError::MissingClassKeyword { .. } => Code::E0218,
        }
    }
}

impl NameError {
    pub(super) fn code(&self) -> Code {
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
    pub(super) fn code(&self) -> Code {
        match self {
            BindingError::DoubleEquals { .. } => Code::E0211,
            BindingError::LoneVariable { .. } => Code::E0218,
            BindingError::MissingValue { .. } => Code::E0220,
            BindingError::Rocket { .. } | BindingError::DottedName | BindingError::ExpectedEqualsOrType { .. } => {
                Code::E0201
            }
        }
    }
}
