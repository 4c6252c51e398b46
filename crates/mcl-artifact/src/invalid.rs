//! Violations of the invariants of a program, with the place where each was found.

use std::fmt;
use std::sync::Arc;

use mcl_diagnostics::{FileId, Span};

use crate::program::{ConstId, FunctionIdx, NodeIdx, StatementIdx, TemplateId, TypeIdx};

/// How deep constants may nest: dropping and printing a value recurses.
pub(crate) const MAX_CONSTANT_DEPTH: u32 = 400;

/// How many values a constant may have when its shared parts are counted at each use: comparing and printing visit all.
pub(crate) const MAX_CONSTANT_SIZE: u64 = 1 << 26;

/// The invariant of [`crate::program`] that a program violates, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    pub(crate) location: Location,
    pub(crate) violation: Violation,
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Type(TypeIdx),
    Constant(ConstId),
    Function(FunctionIdx),
    Template(TemplateId, TemplatePart),
    TopLevel,
    DeployedFiles,
}

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    Label,
    Node(NodeIdx),
    Root,
    Keep,
    Statement(StatementIdx),
}

/// What is wrong at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    UnsolvedType(u32),
    /// An index into a table is out of range.
    OutOfRange {
        table: &'static str,
        index: u32,
        length: usize,
    },
    ConstantNotEarlier(ConstId),
    ConstantTooDeep,
    ConstantTooLarge,
    NotAStruct(TypeIdx),
    NotAFunction(TypeIdx),
    FieldCount {
        fields: usize,
        found: usize,
    },
    UnknownFile(FileId),
    SpanOutsideFile {
        span: Span,
        file: Arc<str>,
    },
    NodeNotEarlier(NodeIdx),
    TemplateNotEarlier(TemplateId),
    TemplateParameters {
        template: TemplateId,
        declared: u32,
        found: usize,
    },
    TemplateCaptures {
        template: TemplateId,
        declared: u32,
        found: usize,
    },
    TemplateWithoutValue(TemplateId),
    ArgumentCount {
        expected: usize,
        found: usize,
    },
    IncompleteEdge,
    NoTemplate,
    TopLevelParameters,
    UnsortedFiles {
        first: Arc<str>,
        second: Arc<str>,
    },
    RelativePath(Arc<str>),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.violation)
    }
}

impl std::error::Error for Invalid {}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Type(id) => write!(f, "type {}", id.as_u32()),
            Location::Constant(id) => write!(f, "constant {}", id.as_u32()),
            Location::Function(id) => write!(f, "function {}", id.as_u32()),
            Location::Template(id, part) => {
                write!(f, "template {}, ", id.as_u32())?;
                match part {
                    TemplatePart::Label => f.write_str("label"),
                    TemplatePart::Node(id) => write!(f, "node {}", id.as_u32()),
                    TemplatePart::Root => f.write_str("root"),
                    TemplatePart::Keep => f.write_str("keep"),
                    TemplatePart::Statement(id) => write!(f, "statement {}", id.as_u32()),
                }
            }
            Location::TopLevel => f.write_str("top level"),
            Location::DeployedFiles => f.write_str("deployed files"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::UnsolvedType(n) => write!(f, "the type is unknown: ?{n}"),
            Violation::OutOfRange { table, index, length } => {
                write!(f, "{table} {index} does not exist, there are {length}")
            }
            Violation::ConstantNotEarlier(id) => {
                write!(f, "it contains constant {}, which is not earlier", id.as_u32())
            }
            Violation::ConstantTooDeep => write!(f, "it is nested more than {MAX_CONSTANT_DEPTH} levels deep"),
            Violation::ConstantTooLarge => write!(f, "it has more than {MAX_CONSTANT_SIZE} parts"),
            Violation::NotAStruct(ty) => write!(f, "type {} is not a struct", ty.as_u32()),
            Violation::NotAFunction(ty) => write!(f, "type {} is not a function", ty.as_u32()),
            Violation::FieldCount { fields, found } => write!(f, "a struct of {fields} fields is given {found}"),
            Violation::UnknownFile(file) => write!(f, "source file {} does not exist", file.as_u32()),
            Violation::SpanOutsideFile { span, file } => {
                write!(f, "the span {}..{} lies outside `{file}`", span.start, span.end)
            }
            Violation::NodeNotEarlier(id) => write!(f, "it uses node {}, which is not earlier", id.as_u32()),
            Violation::TemplateNotEarlier(id) => {
                write!(f, "it refers to template {}, which is not earlier", id.as_u32())
            }
            Violation::TemplateParameters { template, declared, found } => {
                write!(f, "template {} has {declared} parameters, but is given {found}", template.as_u32())
            }
            Violation::TemplateCaptures { template, declared, found } => {
                write!(f, "template {} has {declared} captures, but is given {found}", template.as_u32())
            }
            Violation::TemplateWithoutValue(id) => write!(f, "template {} has no value", id.as_u32()),
            Violation::ArgumentCount { expected, found } => {
                write!(f, "a function of {expected} arguments is given {found}")
            }
            Violation::IncompleteEdge => f.write_str("an edge has fewer than two ends"),
            Violation::NoTemplate => f.write_str("there is no template"),
            Violation::TopLevelParameters => f.write_str("it has parameters or captures"),
            Violation::UnsortedFiles { first, second } => write!(f, "`{first}` is not sorted before `{second}`"),
            Violation::RelativePath(path) => write!(f, "`{path}` is not an absolute path"),
        }
    }
}
