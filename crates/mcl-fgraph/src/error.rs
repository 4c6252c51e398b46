//! Why a typed program cannot be lowered.

use std::fmt;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};

/// The reason why lowering stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LowerError {
    /// The typed program violates an invariant. Impossible for the output of the earlier stages without errors; a program
    /// that was read from a file may do so.
    Inconsistent(Inconsistency),
    /// Included classes expand to too many statements.
    TooLarge {
        /// One of the statements, or the one that expands to most of them.
        at: Span,
        /// A lower bound of their number; `None` if the limit was only met while they were expanded.
        statements: Option<u64>,
        /// The largest number that is allowed.
        limit: u64,
    },
}

/// The invariants that a typed program may violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inconsistency {
    /// An expression or statement that was reported as wrong.
    ErrorNode,
    /// A side table says something that is impossible for the node of the tree.
    WrongNode,
    UnresolvedName,
    OutOfScope,
    CyclicDefinition,
    UnknownBuiltin,
    WrongArgumentCount,
    /// The lowered program does not pass [`mcl_artifact::validate`].
    InvalidProgram,
}

impl From<Inconsistency> for LowerError {
    fn from(inconsistency: Inconsistency) -> LowerError {
        LowerError::Inconsistent(inconsistency)
    }
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Inconsistency::ErrorNode => "an expression or statement has errors",
            Inconsistency::WrongNode => "a table does not match the syntax tree",
            Inconsistency::UnresolvedName => "a name is not resolved",
            Inconsistency::OutOfScope => "a name is used outside its scope",
            Inconsistency::CyclicDefinition => "a definition depends on itself",
            Inconsistency::UnknownBuiltin => "a built-in function or variable does not exist",
            Inconsistency::WrongArgumentCount => "a call has the wrong number of arguments",
            Inconsistency::InvalidProgram => "a type or an operand is invalid",
        })
    }
}

impl From<LowerError> for Diagnostic {
    fn from(error: LowerError) -> Diagnostic {
        match error {
            LowerError::TooLarge { at, statements, limit } => {
                let message = match statements {
                    None | Some(u64::MAX) => format!("the program expands to more than {limit} statements"),
                    Some(count) => format!("the program expands to at least {count} statements; the limit is {limit}"),
                };
                let label = match statements {
                    None => "one of them",
                    Some(_) => "most of them come from this statement",
                };
                Diagnostic::error(Code::E0802, Stage::Graph, message)
                    .at_with(at, label)
                    .help("classes that include other classes several times multiply; loop over a list instead")
            }
            LowerError::Inconsistent(inconsistency) => {
                let message = format!("inconsistent typed program: {inconsistency}");
                Diagnostic::error(Code::E0803, Stage::Graph, message).help(
                    "if the file was written by `mclc unify` of this release, this is a bug in the compiler: please report it",
                )
            }
        }
    }
}
