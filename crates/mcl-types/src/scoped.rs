//! The resolved program: the output of the scope stage (spec 02 §2).
//!
//! Every name is resolved **once**, to an id; nothing is expanded. A class body or an imported file is like a functor: its
//! names are resolved in the scope of its definition, and each `include` or `import` statement instantiates it.
//!
//! # Frames
//! A [`Scope`] is a node of a tree: the top level of a module, a class body, a block of an `if`, a loop body, a function.
//! Later stages that *execute* the program create **frames**, the activation records of scopes. The parent of a frame is a
//! frame of [`Scope::parent`] (its static link), so a frame of scope `s` sees exactly one frame of each ancestor of `s`.
//!
//! | frame of | created by | one per |
//! | --- | --- | --- |
//! | module | import statement ([`Instance`]); the program itself is [`Scoped::root`] | frame of the importing scope |
//! | class | include statement ([`Instance`]) | frame of the including scope |
//! | block | `if` branch that is taken | frame of the enclosing scope |
//! | loop | iteration | iteration |
//! | function | call | call |
//!
//! A binding has one value per frame of its scope. This rule alone determines what is shared (spec 02 §3.2).
//!
//! # References
//! A [`Reference`] names a definition by a path of instances. To follow it from the current frame: for each instance of the
//! path, follow static links up to the frame of the scope that contains the instance, then enter the instance (a frame of
//! the class or module). Finally, follow static links up to the frame of the definition's scope. That last step is needed
//! because an alias also exposes the names that the class captured (`$k.sep` below).
//!
//! ```text
//! $sep = "-"
//! class kit($base) { $full = $base + $sep }    # $sep: path [], def sep
//! include kit("B") as k                        # an instance
//! test "${k.full}" {}                          # path [k], def full
//! test "${k.sep}" {}                           # path [k], def sep: enter k, then up to the module
//! ```

mod expr_infos;

use std::ops::Range;
use std::sync::Arc;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_diagnostics::Span;
use mcl_modules::UnitId;
use mcl_parser::StringTable;
use mcl_parser::ast::{Ast, ByteRange, ExprId, Name, StmtId};
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use crate::walk;

pub use expr_infos::ExprInfos;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(u32);
        entity_impl!($name);
        impl $name {
            /// Returns the position in the table.
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
    /// Index into [`Scoped::instances`].
    InstanceId;
    /// Index into [`Scoped::paths`].
    PathId;
    /// Index into [`Scoped::builtins`].
    BuiltinId;
}

/// The resolved program. The first module is the program itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scoped {
    /// The interpolated trees of all files, by [`UnitId`]; the first one is the main file.
    #[serde(with = "mcl_diagnostics::table")]
    pub units: PrimaryMap<UnitId, Arc<Ast>>,
    /// The resolved files. A file that is imported inside a block and uses names from around the import is resolved anew
    /// for that import; all other imports of a file share one module.
    #[serde(with = "mcl_diagnostics::table")]
    pub modules: PrimaryMap<ModuleId, Module>,
    /// The scope tree. A scope follows its parent.
    #[serde(with = "mcl_diagnostics::table")]
    pub scopes: PrimaryMap<ScopeId, Scope>,
    /// The definitions.
    #[serde(with = "mcl_diagnostics::table")]
    pub defs: PrimaryMap<DefId, Def>,
    /// The include and import statements, as instances of classes and modules.
    #[serde(with = "mcl_diagnostics::table")]
    pub instances: PrimaryMap<InstanceId, Instance>,
    /// The names of instances' contents, each as often as it is used.
    #[serde(with = "mcl_diagnostics::table")]
    pub paths: PrimaryMap<PathId, Path>,
    /// The registered names of the built-in functions and variables that are used (`strings.to_upper`, `hostname`,
    /// `const.res.file.state.exists`).
    pub builtins: StringTable<BuiltinId>,
}

/// A file, resolved in one environment. Side tables for its tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// The file.
    pub unit: UnitId,
    /// The scope of its top level.
    pub scope: ScopeId,
    /// The resolution of each expression's own name.
    pub exprs: ExprInfos,
    /// The resolution of each statement.
    #[serde(with = "mcl_diagnostics::table")]
    pub stmts: PrimaryMap<StmtId, StmtInfo>,
}

/// The resolution of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExprInfo {
    /// The expression contains no name of its own.
    #[default]
    None,
    /// `Var`, `Call`, `CallVar`: the variable or function it refers to.
    Ref(Resolution),
    /// `Func`: the scope of its parameters.
    Function(ScopeId),
    /// A name that could not be resolved and was reported. Later stages report nothing about the expression.
    Unresolved,
}

/// The resolution of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are the branches of the statement")]
pub enum StmtInfo {
    /// Resources, edges, panics, and statements that were reported as erroneous.
    #[default]
    None,
    /// `Bind`, `Func`, `Class`. For a class, [`DefKind::Class`] has the scope of its body.
    Def(DefId),
    /// `If`: the scopes of its branches.
    If { then: ScopeId, otherwise: PackedOption<ScopeId> },
    /// `For`, `ForKv`; the loop variables are [`Scope::params`] of the body.
    Loop(ScopeId),
    /// `Include`, and `Import` of a file (an import of native functions instantiates nothing).
    Instance(InstanceId),
}

/// A scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The module whose tree contains it.
    pub module: ModuleId,
    /// The scope around its definition; `None` for modules that see only built-in names.
    pub parent: Option<ScopeId>,
    /// The construct that opens it.
    pub kind: ScopeKind,
    /// Class parameters, function parameters, or the two loop variables (index or key first).
    pub params: Vec<DefId>,
    /// The statements of the scope in source order; empty for functions.
    pub body: Vec<StmtId>,
    /// The statements of `body` that define names or aliases, each after everything it uses. Members of a cycle were
    /// reported; they come last, in source order.
    pub order: Vec<StmtId>,
}

/// The kinds of scope.
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
    /// The name, without `$`, in the tree of the scope ([`Scoped::def_name`]).
    pub name: Name,
    /// The scope that binds it: a frame of this scope holds its value.
    pub scope: ScopeId,
    /// The name in the source (parameters: with their type); [`Scoped::def_span`] knows the file.
    pub range: ByteRange,
    /// The construct that defines it.
    pub kind: DefKind,
    /// Whether it is part of a cycle of definitions, or a duplicate. It was reported, and later stages skip it.
    pub erroneous: bool,
}

/// The kinds of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants say what their fields are")]
pub enum DefKind {
    /// `$x = e`.
    Bind { stmt: StmtId },
    /// `func f() {}`; `scope` is that of its parameters, `None` for a function whose body was not resolved.
    Func { stmt: StmtId, scope: PackedOption<ScopeId> },
    /// `class c {}`; `body` has the parameters.
    Class { stmt: StmtId, body: ScopeId },
    /// A parameter of a function or class, or a loop variable; `index` in [`Scope::params`].
    Param { index: u32 },
    /// A name that a statement with a syntax error seems to define. It was reported; nothing else is known of it.
    Error,
}

/// An instance of a class or a module, one in each frame of `scope`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// The scope that contains the statement.
    pub scope: ScopeId,
    /// The `include` or `import` statement.
    pub stmt: StmtId,
    /// The class or module that is instantiated.
    pub kind: InstanceKind,
}

/// What an include or import statement instantiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InstanceKind {
    /// A class, found by following the reference; its target is a [`DefKind::Class`].
    Class(Resolution),
    /// A file. The parent of the new frame is the current frame or one of its ancestors (static link).
    Module(ModuleId),
    /// The class or module is erroneous or unknown. It was reported; nothing is instantiated.
    Error,
}

/// What a name refers to. [`Scoped::reference`] gives the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resolution {
    /// A built-in name, or a definition whose path is empty. Nearly all names are.
    Direct(Target),
    /// The content of an instance.
    Inside(PathId),
}

/// A path of instances, and the definition at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// The instances to enter, outermost first.
    pub instances: Box<[InstanceId]>,
    /// The definition.
    pub target: Target,
}

/// A use of a name. The module documentation says how to follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The instances to enter, outermost first.
    pub path: &'a [InstanceId],
    /// The definition.
    pub target: Target,
}

/// The definition that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A definition of the program.
    Def(DefId),
    /// A built-in function. It needs no frame.
    Function(BuiltinId),
    /// A built-in variable.
    Variable(BuiltinId),
}

impl Scoped {
    /// Releases the spare capacity of the tables, which live as long as the program does.
    pub(crate) fn shrink(&mut self) {
        self.modules.shrink_to_fit();
        self.scopes.shrink_to_fit();
        self.defs.shrink_to_fit();
        self.instances.shrink_to_fit();
        self.paths.shrink_to_fit();
    }

    /// Returns the top-level scope of the program.
    #[must_use]
    pub fn root(&self) -> ScopeId {
        self.modules[ModuleId(0)].scope
    }

    /// Returns the module with this id.
    #[must_use]
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id]
    }

    /// Returns the scope with this id.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id]
    }

    /// Returns the definition with this id.
    #[must_use]
    pub fn def(&self, id: DefId) -> &Def {
        &self.defs[id]
    }

    /// Returns the instance with this id.
    #[must_use]
    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id]
    }

    /// Returns the name of a definition, without `$`.
    #[must_use]
    pub fn def_name(&self, id: DefId) -> &str {
        self.name_of(self.def(id))
    }

    /// Returns the name of a definition, without `$`.
    #[must_use]
    pub fn name_of(&self, def: &Def) -> &str {
        self.ast_of(def.scope).name(def.name)
    }

    /// Returns the span of a definition's name (parameters: with their type).
    #[must_use]
    pub fn def_span(&self, id: DefId) -> Span {
        let def = self.def(id);
        def.range.in_file(self.ast_of(def.scope).file)
    }

    /// Returns the scope of the parameters of a `func` statement whose body was resolved.
    #[must_use]
    pub fn function_scope(&self, def: DefId) -> Option<ScopeId> {
        match self.def(def).kind {
            DefKind::Func { scope, .. } => scope.expand(),
            DefKind::Bind { .. } | DefKind::Class { .. } | DefKind::Param { .. } | DefKind::Error => None,
        }
    }

    /// Returns what a name refers to, and the path to it.
    #[must_use]
    pub fn reference(&self, resolution: Resolution) -> Reference<'_> {
        match resolution {
            Resolution::Direct(target) => Reference { path: &[], target },
            Resolution::Inside(path) => {
                let Path { instances, target } = &self.paths[path];
                Reference { path: instances, target: *target }
            }
        }
    }

    /// Returns the registered name of a built-in function or variable.
    #[must_use]
    pub fn builtin(&self, id: BuiltinId) -> &str {
        &self.builtins[id]
    }

    /// Returns the tree that a module's ids point into.
    #[must_use]
    pub fn ast(&self, module: ModuleId) -> &Ast {
        &self.units[self.module(module).unit]
    }

    /// Returns the tree that a scope's ids point into.
    #[must_use]
    pub fn ast_of(&self, scope: ScopeId) -> &Ast {
        self.ast(self.scope(scope).module)
    }

    /// Returns the span of an include or import statement.
    #[must_use]
    pub(crate) fn instance_span(&self, id: InstanceId) -> Span {
        let instance = self.instance(id);
        self.ast_of(instance.scope).stmt_span(instance.stmt)
    }

    /// Returns the resolution of a statement of a scope.
    #[must_use]
    pub fn stmt_info(&self, scope: ScopeId, stmt: StmtId) -> StmtInfo {
        self.module(self.scope(scope).module).stmts[stmt]
    }

    /// Returns the reference that an expression of this module makes.
    #[must_use]
    pub fn expr_ref(&self, module: ModuleId, expr: ExprId) -> Option<Reference<'_>> {
        let infos = &self.module(module).exprs;
        match infos.is_valid(expr).then(|| infos.get(expr))? {
            ExprInfo::Ref(id) => Some(self.reference(id)),
            ExprInfo::None | ExprInfo::Function(_) | ExprInfo::Unresolved => None,
        }
    }

    /// Calls `visit` with each reference in an expression of a scope and in its subexpressions.
    pub(crate) fn references_below(&self, scope: ScopeId, root: ExprId, mut visit: impl FnMut(Resolution)) {
        let module = self.scope(scope).module;
        let (ast, infos) = (self.ast(module), &self.module(module).exprs);
        let mut work: SmallVec<[ExprId; 8]> = smallvec![root];
        while let Some(expr) = work.pop() {
            if let ExprInfo::Ref(reference) = infos.get(expr) {
                visit(reference);
            }
            walk::subexpressions(ast, ast.expr(expr), |part| work.push(part));
        }
    }

    /// Returns the scope of the class or module that is instantiated; `None` for an erroneous instance.
    #[must_use]
    pub fn instance_scope(&self, id: InstanceId) -> Option<ScopeId> {
        match self.instance(id).kind {
            InstanceKind::Module(module) => Some(self.module(module).scope),
            InstanceKind::Class(reference) => match self.reference(reference).target {
                Target::Def(def) => match self.def(def).kind {
                    DefKind::Class { body, .. } => Some(body),
                    DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Param { .. } | DefKind::Error => None,
                },
                Target::Function(_) | Target::Variable(_) => None,
            },
            InstanceKind::Error => None,
        }
    }
}

/// A range of type variables, see [`crate::Typed::generics`].
pub type TypeVars = Range<u32>;
