//! The function-graph program: templates of nodes, and templates of statements that read them (spec 04 §§1, 3, 7).
//!
//! A [`Template`] is a piece of graph that can be instantiated any number of times: the program's top level, the body of a
//! function value, a branch, the body of a loop. An instance is called a *frame*. Inside a template values are named by
//! [`Operand`]s. A node is built lazily, when the first live consumer of its frame asks for it, and at most once a frame:
//! that is the sharing rule of spec 04 §1.6, and why an unused bind or one used only in an inactive branch does not run.
//! Classes are expanded into the including template by the compiler.
//!
//! Invariants, checked by the loader: every index is in range; `Operand::Node(n)` inside node `m` has `n < m`; templates
//! refer only to templates with a smaller index (so nesting is finite and there is no recursion); the number of captures
//! given equals the number that the template declares; every function exists in the runtime with an equal signature.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_diagnostics::{Files, Span};
use mcl_value::{FuncType, Str, Type};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Index into [`Program::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConstId(u32);
entity_impl!(ConstId);

/// Index into [`Program::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeIdx(u32);
entity_impl!(TypeIdx);

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionIdx(u32);
entity_impl!(FunctionIdx);

/// Index into [`Program::templates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TemplateId(u32);
entity_impl!(TemplateId);

/// Index into [`Program::strings`]: kinds, field names, keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StrId(u32);
entity_impl!(StrId);

/// Index into [`Template::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeIdx(u32);
entity_impl!(NodeIdx);

/// A parameter of a template, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ParamIdx(u32);
entity_impl!(ParamIdx);

/// Index into [`Closure::captures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaptureIdx(u32);
entity_impl!(CaptureIdx);

/// Index into [`Template::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StatementIdx(u32);
entity_impl!(StatementIdx);

/// Everything the runtime needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The sources, for excerpts in run-time errors; every [`Span`] of the program points into them.
    pub files: Files,
    /// Interned strings.
    #[serde(with = "mcl_diagnostics::table")]
    pub strings: PrimaryMap<StrId, Arc<str>>,
    /// Interned types.
    #[serde(with = "mcl_diagnostics::table")]
    pub types: PrimaryMap<TypeIdx, Type>,
    /// Constants; a composite constant refers to earlier ones.
    #[serde(with = "mcl_diagnostics::table")]
    pub constants: PrimaryMap<ConstId, Constant>,
    /// The built-in functions used, each with its concrete type.
    #[serde(with = "mcl_diagnostics::table")]
    pub functions: PrimaryMap<FunctionIdx, FunctionImport>,
    /// Templates; the last one is the program's top level.
    #[serde(with = "mcl_diagnostics::table")]
    pub templates: PrimaryMap<TemplateId, Template>,
    /// Files that `deploy.*` may read: absolute path inside the deploy -> bytes, sorted by path.
    #[serde(with = "crate::bytes::pairs")]
    pub deploy: DeployedFiles,
}

/// Paths and contents of files, sorted by path. Cheap to clone.
pub type DeployedFiles = Arc<Vec<(Arc<str>, Str)>>;

impl Program {
    /// Lets the deployed files share the memory of equal sources: the sources of a program are deployed with it.
    pub(crate) fn share_sources(&mut self) {
        let sources: FxHashMap<&[u8], &Arc<str>> =
            self.files.files.values().map(|file| (file.text.as_bytes(), &file.text)).collect();
        for (_, content) in Arc::make_mut(&mut self.deploy) {
            if let Some(text) = sources.get(content.as_bytes()) {
                *content = Str::from(Arc::clone(text));
            }
        }
    }
}

/// A constant value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Constant {
    Bool(bool),
    Int(i64),
    /// The bits of the binary64.
    Float(u64),
    Str(#[serde(with = "crate::bytes::text")] Str),
    List(Box<[ConstId]>),
    Map(Box<[(ConstId, ConstId)]>),
    /// Field names come from the struct type.
    Struct(TypeIdx, Box<[ConstId]>),
    /// `$hostname`: filled in when the program is loaded.
    Hostname,
}

/// A built-in function at one concrete type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionImport {
    /// Registered name.
    pub name: StrId,
    /// The concrete type of the call.
    pub ty: FuncType,
    /// Directory of the module that contains the call, inside the deploy; starts and ends with `/`.
    pub module_dir: StrId,
}

/// Where a value comes from, seen from inside a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Operand {
    Const(ConstId),
    /// A node of this template.
    Node(NodeIdx),
    /// A parameter of this template: function argument; loop: 0 is the index or key, 1 the value.
    Param(ParamIdx),
    /// A captured value, given at instantiation.
    Capture(CaptureIdx),
}

/// A template together with what it captures from the template that contains the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closure {
    /// The template.
    pub template: TemplateId,
    /// One operand of the *enclosing* template for each capture. Resolved lazily: a capture does not keep anything alive
    /// until something inside asks for it.
    #[serde(with = "mcl_diagnostics::table")]
    pub captures: PrimaryMap<CaptureIdx, Operand>,
}

/// A piece of graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// What it was in the source, for people: `func tag`, `for`, `if then`.
    pub label: Option<StrId>,
    /// Number of parameters.
    pub params: u32,
    /// Number of captures.
    pub captures: u32,
    /// The nodes.
    #[serde(with = "mcl_diagnostics::table")]
    pub nodes: PrimaryMap<NodeIdx, Node>,
    /// The value, for function bodies and branches of expressions.
    pub root: Option<Operand>,
    /// Values that must be alive as long as the frame is although nothing may read them at the moment: arguments of calls
    /// that may fail or stream and are unused, or used only inside closures (spec 04 §6.2 "dead vertex removal"). A failure
    /// of one is uncaught only while no live consumer catches it: `f(1 / 0)` is fine when `f` has `$x <|> 0` alive.
    pub keep: Vec<Operand>,
    /// What the frame contributes to the resource graph, in source order; empty for expressions.
    #[serde(with = "mcl_diagnostics::table")]
    pub statements: PrimaryMap<StatementIdx, Statement>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// The span reported if the node fails.
    pub span: Option<Span>,
}

/// What a node computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Op {
    List(Vec<Operand>),
    Map(Vec<(Operand, Operand)>),
    Struct(TypeIdx, Vec<Operand>),
    /// A call of a built-in function.
    Builtin {
        function: FunctionIdx,
        args: Vec<Operand>,
    },
    /// A function value with a body.
    Func {
        closure: Closure,
        ty: TypeIdx,
    },
    /// A call of a function value that is only known at run time. A failure that arises in the root node of the body is
    /// blamed on the call's span, not on the root's own (spec 04 §1.7, the outermost call wins); likewise `CallKnown`.
    Call {
        callee: Operand,
        args: Vec<Operand>,
    },
    /// A call of a known function that was not expanded in place.
    CallKnown {
        closure: Closure,
        args: Vec<Operand>,
    },
    If {
        condition: Operand,
        then: Closure,
        otherwise: Closure,
    },
    /// `<|>`.
    Except {
        value: Operand,
        fallback: Closure,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Statement {
    Resource(Box<ResourceStmt>),
    Edge { halves: Vec<Half>, span: Span },
    If { condition: Operand, then: Closure, otherwise: Option<Closure> },
    For { list: Operand, body: Closure },
    ForKv { map: Operand, body: Closure },
}

/// A resource or collect statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceStmt {
    /// The kind.
    pub kind: StrId,
    /// The name: str, []str, or for collect []struct{name str; host str}.
    pub name: Operand,
    /// For `collect`: the result of `_collect`.
    pub collect: Option<Operand>,
    /// The entries in source order.
    pub entries: Vec<EntryStmt>,
    /// The statement.
    pub span: Span,
}

/// An entry of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryStmt {
    /// `c ?:`.
    pub condition: Option<Operand>,
    /// What it is.
    pub kind: EntryKind,
    /// The entry.
    pub span: Span,
}

/// The kinds of entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum EntryKind {
    Field { name: StrId, value: Operand, ty: TypeIdx },
    Edge { property: EdgeProperty, half: Half },
    Meta { property: StrId, value: Operand },
}

/// The internal edges (spec 04 §3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum EdgeProperty {
    Before,
    Notify,
    Depend,
    Listen,
}

/// One end of an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Half {
    /// The kind in lower case.
    pub kind: StrId,
    /// str or []str.
    pub name: Operand,
    /// The send or receive key.
    pub key: Option<StrId>,
}
