//! The syntax tree: arenas of nodes indexed by ids, with a span for each node in a side table (spec 01 §4).
//!
//! The same type serves the parse stage (strings raw, [`Expr::Paren`] kept for the formatter) and the interpolate stage
//! (strings expanded to [`Expr::Str`], [`Expr::Concat`] and [`Expr::Interpolated`], no `Paren`, classes nested).
//!
//! Invariants, on which later stages rely, and which [`Ast::validate`] checks for trees from artifacts:
//! - every id is in range of its arena, also in lists without a node, and each arena has as many spans as nodes;
//! - a node's children come before it in their arena, so the tree has no cycles and one pass over an arena visits
//!   children first;
//! - a node has at most one parent, so a pass over a tree is linear;
//! - the function of a `func` statement is an [`Expr::Func`];
//! - no path from the root is longer than [`MAX_DEPTH`] expressions (the same for statements and
//!   types), so recursion over the tree is safe.

mod blocks;
pub(crate) mod shift;

use std::ops::Range;
use std::sync::Arc;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_diagnostics::{FileId, Span};
use serde::{Deserialize, Serialize};

use crate::string_table::StringTable;

/// The index of an expression in [`Ast::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(u32);
entity_impl!(ExprId);

/// The index of a statement in [`Ast::stmts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StmtId(u32);
entity_impl!(StmtId);

/// The index of a written type in [`Ast::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeId(u32);
entity_impl!(TypeId);

/// An interned name of one file, as an index into [`Ast::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name(u32);
entity_impl!(Name);

/// A string of one file, as an index into [`Ast::strings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StringId(u32);
entity_impl!(StringId);

/// A part of [`Ast::list_items`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExprList {
    /// The position of the first item.
    pub(crate) start: u32,
    /// One past the position of the last item.
    pub(crate) end: u32,
}

impl ExprList {
    /// Returns the number of items.
    #[must_use]
    pub fn len(self) -> usize {
        self.range().len()
    }

    /// Returns whether the list has no items.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.range().is_empty()
    }

    /// Returns the positions of the items.
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The maximum depth of nested expressions, statements and types; deeper nesting is an error. Later stages recurse over the
/// tree and rely on it. The left side of an operator is not deeper than the operator: `1 + 1 + …` may have any length.
pub const MAX_DEPTH: usize = 1000;

/// A span in the file of a tree. There is one for each node, so it does not name the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteRange {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl ByteRange {
    /// Returns the span in a file.
    #[must_use]
    pub fn in_file(self, file: FileId) -> Span {
        Span::new(file, self.start, self.end)
    }
}

impl From<Span> for ByteRange {
    fn from(span: Span) -> ByteRange {
        ByteRange { start: span.start, end: span.end }
    }
}

/// A list of statements: a file, a block, a class body.
pub type Block = Vec<StmtId>;

/// The tree of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ast {
    /// The file.
    pub file: FileId,
    /// Interned names (`a.b.c` dotted, `a:b` with colons, without `$`).
    pub names: StringTable<Name>,
    /// The contents of [`Expr::Str`]. Some may be unused.
    pub strings: StringTable<StringId>,
    /// The elements and arguments of expressions, list after list. Some may be unused.
    pub list_items: Vec<ExprId>,
    /// Expressions.
    #[serde(with = "mcl_diagnostics::table")]
    pub exprs: PrimaryMap<ExprId, Expr>,
    /// The bytes of each expression.
    #[serde(with = "mcl_diagnostics::table")]
    pub expr_ranges: PrimaryMap<ExprId, ByteRange>,
    /// Statements.
    #[serde(with = "mcl_diagnostics::table")]
    pub stmts: PrimaryMap<StmtId, Stmt>,
    /// The bytes of each statement.
    #[serde(with = "mcl_diagnostics::table")]
    pub stmt_ranges: PrimaryMap<StmtId, ByteRange>,
    /// Written types.
    #[serde(with = "mcl_diagnostics::table")]
    pub types: PrimaryMap<TypeId, TypeExpr>,
    /// The bytes of each written type.
    #[serde(with = "mcl_diagnostics::table")]
    pub type_ranges: PrimaryMap<TypeId, ByteRange>,
    /// The statements of the top level.
    pub body: Block,
    /// The invalid names that were reported, as they are written. A tree in an artifact has none, as it has no errors.
    #[serde(skip)]
    pub invalid_names: Vec<String>,
}

impl Ast {
    /// Creates a tree without statements.
    #[must_use]
    pub fn empty(file: FileId) -> Ast {
        Ast {
            file,
            names: StringTable::default(),
            strings: StringTable::default(),
            list_items: Vec::new(),
            exprs: PrimaryMap::new(),
            expr_ranges: PrimaryMap::new(),
            stmts: PrimaryMap::new(),
            stmt_ranges: PrimaryMap::new(),
            types: PrimaryMap::new(),
            type_ranges: PrimaryMap::new(),
            body: Vec::new(),
            invalid_names: Vec::new(),
        }
    }

    /// Returns the text of a name.
    #[must_use]
    pub fn name(&self, name: Name) -> &str {
        &self.names[name]
    }

    /// Returns the content of an [`Expr::Str`].
    #[must_use]
    pub fn string(&self, id: StringId) -> &str {
        &self.strings[id]
    }

    /// Returns the items of a list.
    #[must_use]
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.list_items[list.range()]
    }

    /// Iterates over the keys and values of an [`Expr::Map`].
    pub fn pairs(&self, list: ExprList) -> impl ExactSizeIterator<Item = (ExprId, ExprId)> + DoubleEndedIterator {
        self.list(list).chunks_exact(2).map(|pair| (pair[0], pair[1]))
    }

    /// Adds a list with these items.
    pub(crate) fn add_list(&mut self, items: impl IntoIterator<Item = ExprId>) -> ExprList {
        let start = self.list_items.len() as u32;
        self.list_items.extend(items);
        ExprList { start, end: self.list_items.len() as u32 }
    }

    /// Returns an expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }

    /// Returns the span of an expression.
    #[must_use]
    pub fn expr_span(&self, id: ExprId) -> Span {
        self.expr_ranges[id].in_file(self.file)
    }

    /// Returns a statement.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id]
    }

    /// Returns the span of a statement.
    #[must_use]
    pub fn stmt_span(&self, id: StmtId) -> Span {
        self.stmt_ranges[id].in_file(self.file)
    }

    /// Returns a written type.
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &TypeExpr {
        &self.types[id]
    }

    /// Returns the span of a written type.
    #[must_use]
    pub fn ty_span(&self, id: TypeId) -> Span {
        self.type_ranges[id].in_file(self.file)
    }
}

/// An expression. Large programs have more of them than of anything else, so what takes more than a few words is elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Expr {
    /// An error node in place of what recovery dropped; later stages treat it as already reported.
    Error,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Parse stage: the raw text between the quotes. Interpolate stage: the value.
    Str(StringId),
    /// Interpolate stage only: two or more parts (`Str` and `Var`) of type str, concatenated left to right.
    Concat(ExprList),
    /// Interpolate stage only: `"${x}"`, a `Var` that must have the type str.
    Interpolated(ExprId),
    List(ExprList),
    /// Each key is followed by its value.
    Map(ExprList),
    Struct(Box<StructLiteral>),
    Func(Box<Lambda>),
    /// `name(args)`, the call of a function.
    Call {
        name: Name,
        args: ExprList,
    },
    /// `$name(args)`, the call of a function in a variable.
    CallVar {
        name: Name,
        args: ExprList,
    },
    /// `func(…){…}(args)`.
    CallLambda {
        lambda: ExprId,
        args: ExprList,
    },
    Var(Name),
    If {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    Unary {
        op: UnaryOp,
        operand: ExprId,
    },
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    /// `e[k]`.
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `e->f`.
    Field {
        base: ExprId,
        field: Name,
    },
    /// `e->f <|> d`.
    FieldOr {
        base: ExprId,
        field: Name,
        default: ExprId,
    },
    /// `a <|> b`.
    Except {
        value: ExprId,
        fallback: ExprId,
    },
    /// Parse stage only.
    Paren(ExprId),
}

/// `not`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
}

/// A binary operator; `In` is `contains(left, right)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    And,
    Or,
    In,
}

impl BinaryOp {
    /// Returns the symbol of the operator, as passed to `_operator`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::In => "in",
        }
    }
}

/// A struct literal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructLiteral {
    /// The fields in source order.
    pub fields: Box<[StructEntry]>,
}

/// A field of a struct literal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructEntry {
    /// The name.
    pub name: Name,
    /// Its span.
    pub name_span: Span,
    /// The value.
    pub value: ExprId,
}

/// A function literal, or the function of a `func` statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lambda {
    /// The parameters.
    pub params: Box<[Param]>,
    /// The written result type.
    pub result: PackedOption<TypeId>,
    /// The one expression of the body.
    pub body: ExprId,
}

/// A parameter of a function or class; also a loop variable (without a type).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// The name without `$`.
    pub name: Name,
    /// The written type.
    pub ty: Option<TypeId>,
    /// From `$` to the end of the type.
    pub span: Span,
}

/// A statement. What takes more than a few words is boxed: most statements of large programs are small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Stmt {
    /// An error node in place of a statement that does not follow the grammar; already reported. The names that the
    /// statement seems to define are known in its block, with unknown types, parameters and contents, so that their uses
    /// are not reported as well. A class or loop with a broken head becomes a `Stmt::Error` and, for its body, an
    /// [`Stmt::If`] with the condition [`Expr::Error`], whose first statement is a `Stmt::Error` with the variables of the
    /// head.
    Error {
        defines: Box<[Definition]>,
    },
    Bind {
        name: Name,
        name_range: ByteRange,
        ty: PackedOption<TypeId>,
        value: ExprId,
    },
    /// `panic(args)`.
    Panic {
        args: Box<[ExprId]>,
    },
    Resource(Box<Resource>),
    Edge(Box<[EdgeHalf]>),
    If(Box<IfStmt>),
    For(Box<LoopStmt>),
    ForKv(Box<LoopStmt>),
    /// The expression is an [`Expr::Func`].
    Func {
        name: Name,
        name_range: ByteRange,
        func: ExprId,
    },
    Class(Box<ClassStmt>),
    Include(Box<IncludeStmt>),
    Import(Box<ImportStmt>),
}

/// An `if` statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IfStmt {
    /// The condition.
    pub condition: ExprId,
    /// The statements for a true condition.
    pub then: Block,
    /// The statements of `else`.
    pub otherwise: Option<Block>,
}

/// A `for` or `forkv` statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopStmt {
    /// The variable of the index or key.
    pub index: Param,
    /// The variable of the element or value.
    pub value: Param,
    /// The list or map.
    pub iterable: ExprId,
    /// The statements of the block.
    pub body: Block,
}

/// A `class` statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassStmt {
    /// The name.
    pub name: Name,
    /// Its span.
    pub name_span: Span,
    /// The parameters; `None` for `class c {`, as opposed to `class c() {`.
    pub params: Option<Vec<Param>>,
    /// The statements of the block.
    pub body: Block,
}

/// An `include` statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IncludeStmt {
    /// The name of the class.
    pub class: Name,
    /// Its span.
    pub class_span: Span,
    /// The arguments; `None` for `include c`, as opposed to `include c()`.
    pub args: Option<Vec<ExprId>>,
    /// The name after `as`, and its span.
    pub alias: Option<(Name, Span)>,
}

/// An `import` statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportStmt {
    /// The text between the quotes.
    pub module: Arc<str>,
    /// The span of the string.
    pub module_span: Span,
    /// The name after `as`, and its span; `*` for `as *`.
    pub alias: Option<(Name, Span)>,
}

/// A definition that an error node seems to contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The kind of name.
    pub kind: DefinitionKind,
    /// The name: `c:d` for a class with colons, `*` for an import whose names all become known; empty if it is unknown.
    pub name: Name,
    /// The span of the name.
    pub span: Span,
}

/// The kinds of [`Definition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum DefinitionKind {
    Variable,
    Function,
    Class,
    /// The alias of an `import` or `include`: every name that starts with it and a dot.
    Alias,
    /// A word of the broken statement, which may be the name that it was meant to define, in any of these ways.
    Mention,
}

/// A resource statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// The kind, `http:server:file`.
    pub kind: Name,
    /// The bytes of the kind; [`Resource::kind_span`] knows the file.
    pub kind_range: ByteRange,
    /// The name expression.
    pub name: ExprId,
    /// The entries in source order.
    pub entries: Box<[Entry]>,
    /// Whether it is a `collect` statement.
    pub collect: bool,
}

/// An entry of a resource body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The bytes from its first token to its comma; [`Entry::span`] knows the file.
    pub range: ByteRange,
    /// The byte after the name, which is its first token.
    pub name_end: u32,
    /// `c ?:`.
    pub condition: PackedOption<ExprId>,
    /// The kind of the entry.
    pub kind: EntryKind,
}

impl Resource {
    /// Returns the span of the kind, in the tree of the resource.
    #[must_use]
    pub fn kind_span(&self, ast: &Ast) -> Span {
        self.kind_range.in_file(ast.file)
    }
}

impl Entry {
    /// Returns the span from the first token to the comma, in the tree of the entry.
    #[must_use]
    pub fn span(&self, ast: &Ast) -> Span {
        self.range.in_file(ast.file)
    }

    /// Returns the span of the name before `=>`, in the tree of the entry.
    #[must_use]
    pub fn name_span(&self, ast: &Ast) -> Span {
        ByteRange { end: self.name_end, ..self.range }.in_file(ast.file)
    }
}

/// The three kinds of entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum EntryKind {
    Field {
        name: Name,
        value: ExprId,
    },
    /// `Before => File["x"]`; the property is in lower case, and any word before [`crate::check_ast`].
    Edge {
        property: Name,
        half: Box<EdgeHalf>,
    },
    /// `Meta:noop => true`; the property is `meta` for `Meta => struct{…}`.
    Meta {
        property: Name,
        value: ExprId,
    },
}

/// A half of an edge: `File["x"]`, or `File["x"].content`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeHalf {
    /// The kind in lower case.
    pub kind: Name,
    /// The name expression.
    pub name: ExprId,
    /// The field of a send/receive half.
    pub key: Option<Name>,
    /// The span of the half.
    pub span: Span,
}

/// A written type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum TypeExpr {
    Error,
    Bool,
    Str,
    Int,
    Float,
    Variant,
    List(TypeId),
    Map(TypeId, TypeId),
    Struct(Vec<(Name, TypeId)>),
    /// Argument names are optional.
    Func(Vec<(Option<Name>, TypeId)>, TypeId),
}
