//! The resolved program: the output of the scope stage (spec 02 §2).
//!
//! Every name is resolved **once**, to ids; nothing is expanded. A class body or an imported file is like a functor: its
//! names are resolved in the scope of its definition, and each `include` or `import` statement makes an instance of it.
//!
//! # Frames
//! A [`Scope`] is a node of a tree: a module's top level, a class, a block of an `if`, a loop body, a function. A later
//! stage that *runs* through the program makes **frames**: instances of scopes. Each frame has a parent frame, which is an
//! instance of [`Scope::parent`] (static link), so a frame of scope `s` always sees one frame of each ancestor of `s`.
//!
//! | frame of | made by | one per |
//! | --- | --- | --- |
//! | module | import statement ([`Slot`]); the program itself is [`Scoped::root`] | frame of the importing scope |
//! | class | include statement ([`Slot`]) | frame of the including scope |
//! | block | `if` branch that is taken | frame of the enclosing scope |
//! | loop | iteration | iteration |
//! | function | call | call |
//!
//! A bind has one value for each frame of its scope; that is the whole sharing rule of spec 02 §3.2.
//!
//! # References
//! [`Reference`] names a definition by a path of slots. To follow one from the current frame:
//! for each slot of `via`, go up static links until the frame's scope is the slot's scope, then enter the slot's instance
//! (a frame of the class or module); at the end go up until the frame's scope is the definition's scope. Names that a class
//! captured are visible through its alias (`$i.captured`), which is why the last step may go up as well.
//!
//! ```text
//! $sep = "-"
//! class kit($base) { $full = $base + $sep }    # $sep: via [], def sep
//! include kit("B") as k                        # a slot
//! test "${k.full}" {}                          # via [k], def full
//! test "${k.sep}" {}                           # via [k], def sep: enter k, then go up to the module
//! ```

use std::ops::Range;
use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_modules::UnitId;
use mcl_parser::ast::{Ast, ExprId, StmtId};
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index of the table it belongs to.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// Index into [`Scoped::modules`].
    ModuleId;
    /// Index into [`Scoped::scopes`].
    ScopeId;
    /// Index into [`Scoped::defs`].
    DefId;
    /// Index into [`Scoped::slots`].
    SlotId;
    /// Index into [`Scoped::references`].
    RefId;
}

/// The resolved program. `modules[0]` is the program itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scoped {
    /// The interpolated trees of all files; `units[0]` is the main file.
    pub units: Vec<Arc<Ast>>,
    /// A file, resolved. A file that is imported inside a block and uses names from around the import is resolved anew
    /// for that import; all other imports of a file share one module.
    pub modules: Vec<Module>,
    /// The scope tree.
    pub scopes: Vec<Scope>,
    /// The definitions.
    pub defs: Vec<Def>,
    /// The instances of classes and modules that a frame of their scope contains.
    pub slots: Vec<Slot>,
    /// The uses of names.
    pub references: Vec<Reference>,
}

/// A file, resolved in one surrounding. Side tables for its tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// The file.
    pub unit: UnitId,
    /// The scope of its top level.
    pub scope: ScopeId,
    /// By [`ExprId`]: what the stage found out about the expression.
    pub exprs: Vec<ExprInfo>,
    /// By [`StmtId`]: the same for statements.
    pub stmts: Vec<StmtInfo>,
}

/// What an expression refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExprInfo {
    /// Nothing: it contains no name of its own.
    #[default]
    None,
    /// `Var`, `Call`, `CallVar`: the variable or function meant.
    Ref(RefId),
    /// `Func`: the scope of its parameters.
    Function(ScopeId),
    /// A name that could not be resolved. It was reported; nothing is to be said about the expression.
    Unresolved,
}

/// What a statement makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum StmtInfo {
    /// Nothing: resources, edges, panics, and statements that were reported as wrong.
    #[default]
    None,
    /// `Bind`, `Func`, `Class`. For a class, [`DefKind::Class`] has the scope of its body.
    Def(DefId),
    If {
        then: ScopeId,
        otherwise: Option<ScopeId>,
    },
    /// `For`, `ForKv`; the loop variables are [`Scope::params`] of the body.
    Loop(ScopeId),
    /// `Include`, and `Import` of a file (an import of native functions makes no instance).
    Slot(SlotId),
}

/// A scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The module whose tree it stands in.
    pub module: ModuleId,
    /// The scope around its definition; `None` for modules that see only built-in names.
    pub parent: Option<ScopeId>,
    /// What it is.
    pub kind: ScopeKind,
    /// Class parameters, function parameters, or the two loop variables (index or key first).
    pub params: Vec<DefId>,
    /// The statements of the list in source order; empty for functions.
    pub body: Vec<StmtId>,
    /// Those statements of `body` that define names or aliases, each after everything it uses. Members of a cycle were
    /// reported; they stand at the end, in source order.
    pub order: Vec<StmtId>,
}

/// The sorts of scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The top level of a file.
    Module,
    /// The body of a class.
    Class(DefId),
    /// A branch of an `if` statement.
    Block,
    /// The body of a `for` or `forkv`.
    Loop,
    /// A lambda or the function of a `func` statement; the expression is `Expr::Func`.
    Function(ExprId),
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Def {
    /// The name, without `$`.
    pub name: Arc<str>,
    /// Where it is bound: a frame of this scope holds its value.
    pub scope: ScopeId,
    /// The name in the source (parameters: with their type).
    pub span: Span,
    /// What it is.
    pub kind: DefKind,
    /// It is part of a cycle of definitions, or defined twice: reported, and of no use to later stages.
    pub broken: bool,
}

/// The sorts of definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum DefKind {
    /// `$x = e`.
    Bind { stmt: StmtId },
    /// `func f() {}`; `scope` is the one of its parameters.
    Func { stmt: StmtId, scope: ScopeId },
    /// `class c {}`; `body` has the parameters.
    Class { stmt: StmtId, body: ScopeId },
    /// A parameter of a function, class, or a loop variable; `index` in [`Scope::params`].
    Param { index: u32 },
    /// What a statement that does not follow the grammar seems to define: reported, and nothing is known of it.
    Unknown,
}

/// An instance of a class or a module inside each frame of `scope`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The scope that contains the statement.
    pub scope: ScopeId,
    /// The `include` or `import` statement.
    pub stmt: StmtId,
    /// What is instantiated.
    pub kind: SlotKind,
}

/// What a slot instantiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlotKind {
    /// An include of a class, found by following the reference; its target is a [`DefKind::Class`].
    Class(RefId),
    /// An import of a file. The parent of the new frame is the current frame or one above it (static link).
    Module(ModuleId),
    /// The class or module is wrong or unknown: reported; nothing is made.
    Broken,
}

/// A use of a name: a path, and what stands at its end. See the head of this file for how to follow it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The aliases on the way.
    pub via: Box<[SlotId]>,
    /// What is meant.
    pub target: Target,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A definition of the program.
    Def(DefId),
    /// A built-in function, by its registered name (`strings.to_upper`). Frames play no part.
    Function(Arc<str>),
    /// A built-in variable by its registered name (`hostname`, `const.res.file.state.exists`).
    Variable(Arc<str>),
}

impl Scoped {
    /// Gives back the room that the tables did not need: they stay for all the stages behind this one.
    pub(crate) fn shrink(&mut self) {
        self.modules.shrink_to_fit();
        self.scopes.shrink_to_fit();
        self.defs.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.references.shrink_to_fit();
    }

    /// The program's own top-level scope.
    #[must_use]
    pub fn root(&self) -> ScopeId {
        self.modules[0].scope
    }

    /// The module.
    #[must_use]
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.index()]
    }

    /// The scope.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.index()]
    }

    /// The definition.
    #[must_use]
    pub fn def(&self, id: DefId) -> &Def {
        &self.defs[id.index()]
    }

    /// The slot.
    #[must_use]
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id.index()]
    }

    /// The reference.
    #[must_use]
    pub fn reference(&self, id: RefId) -> &Reference {
        &self.references[id.index()]
    }

    /// The tree that a module's ids point into.
    #[must_use]
    pub fn ast(&self, module: ModuleId) -> &Ast {
        &self.units[self.module(module).unit.0 as usize]
    }

    /// The tree that a scope's ids point into.
    #[must_use]
    pub fn ast_of(&self, scope: ScopeId) -> &Ast {
        self.ast(self.scope(scope).module)
    }

    /// The reference that an expression of this module makes.
    #[must_use]
    pub fn expr_ref(&self, module: ModuleId, expr: ExprId) -> Option<&Reference> {
        match self.module(module).exprs.get(expr.0 as usize)? {
            ExprInfo::Ref(id) => Some(self.reference(*id)),
            ExprInfo::None | ExprInfo::Function(_) | ExprInfo::Unresolved => None,
        }
    }

    /// The scope of the class or module that a slot instantiates.
    #[must_use]
    pub fn slot_scope(&self, slot: SlotId) -> Option<ScopeId> {
        match self.slot(slot).kind {
            SlotKind::Module(module) => Some(self.module(module).scope),
            SlotKind::Class(reference) => match &self.reference(reference).target {
                Target::Def(def) => match self.def(*def).kind {
                    DefKind::Class { body, .. } => Some(body),
                    DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Param { .. } | DefKind::Unknown => None,
                },
                Target::Function(_) | Target::Variable(_) => None,
            },
            SlotKind::Broken => None,
        }
    }
}

/// A range of type variables, see [`crate::Typed::generics`].
pub type TypeVars = Range<u32>;
