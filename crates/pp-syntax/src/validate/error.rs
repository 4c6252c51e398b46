//! What validation can find wrong with a tree, as data. `message.rs` words it.

use pp_ast::TextRange;

/// An error or warning of validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// What is wrong.
    pub kind: ValidationErrorKind,
    /// Where.
    pub range: TextRange,
    /// A related place: the first of duplicates.
    pub related: Option<TextRange>,
}

/// The kinds of [`ValidationError`]. Labels such as "Host Class Definition" name an expression as Puppet does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidationErrorKind {
    /// A value that is not used.
    NoEffect { what: String, is_regexp: bool },
    /// A type before a variable that is assigned. Only parameters have declared types.
    TypeOfVariable { what: String },
    /// A value at the end of a class, define or node.
    NoEffectAtEnd { what: String, container: &'static str },
    /// `file { mode => … }`
    ResourceWithoutTitle { name: String },
    /// An assignment to something else than a variable or a list of variables.
    NotAssignable { what: String, is_name: bool },
    /// `$a[0] = …`
    IndexedAssignment,
    /// `$1 = …`
    NumericAssignment { name: String },
    /// `$a::b = …`
    AssignmentToOtherNamespace { name: String },
    /// An assignment in the default value of a parameter.
    AssignmentInDefault,
    /// `+=` and `-=`.
    RemovedOperator { operator: &'static str },
    /// `$Name`
    VariableName { name: String },
    /// `$0x1F`
    NumericVariableName { name: String },
    /// `$Parameter`
    ParameterName { name: String },
    /// `$1` as a parameter.
    NumericParameterName { name: String },
    /// A name that a definition cannot have.
    DefinitionName { name: String, what: &'static str },
    /// The name of a data type.
    ReservedTypeName { name: String, what: &'static str },
    /// `$title` and `$name`.
    BuiltInParameter { name: String, what: &'static str },
    /// The same parameter twice.
    DuplicateParameter { name: String },
    /// `*$rest` where it is not supported.
    CapturesRest { name: String, what: &'static str },
    /// `*$rest` before other parameters.
    CapturesRestNotLast { name: String },
    /// A warning: a definition named `plan`.
    FutureReservedWord { word: String },
    /// `private`
    ReservedWord { word: String },
    /// A class, define or node where none can be.
    Misplaced,
    /// A function or type alias that is not at top level.
    NotAtTopLevel { what: &'static str },
    /// A collector where a value is needed.
    NotAValue { what: String },
    /// An expression where a name is needed.
    UnacceptableAs { what: String, role: &'static str },
    /// An expression that a query cannot have.
    NotInQuery { what: String },
    /// `+>` outside of overrides.
    IllegalAppend { attribute: String, place: &'static str },
    /// `* =>` twice in a body.
    SeveralSplats,
    /// `@class { … }`
    VirtualClass,
    /// `@File { … }`
    VirtualDefaults,
    /// The same literal key twice.
    DuplicateKey { key: String },
    /// `default` twice.
    DuplicateDefault { what: &'static str },
    /// A string with interpolation as the name of a node.
    InterpolatedHostName,
    /// A name that no host has.
    HostName { name: String },
    /// `inherits` of a node.
    NodeInheritance,
    /// The text of a heredoc does not have the syntax that its tag says.
    HeredocContent { syntax: String, checker: &'static str, error: String },
    /// A statement in a file of a module.
    NotInModule { what: String },
    /// A definition in the wrong file of a module.
    NameInFile { name: String, path: String },
}
