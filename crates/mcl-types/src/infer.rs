//! The walker of the unify stage: goes through the program, gives the solver its constraints, and words its errors.
//!
//! - [`statement`] goes through the scopes: definitions in dependency order, then the other statements in source order.
//! - [`expression`], [`call`] and [`resource`] type what the statements contain, bottom-up.
//! - [`instantiate`] instantiates generic scopes; [`member`] handles what only some instances use.
//! - [`name_shape`] and [`const_str`] compute what the language defines before types are solved (spec 02 §7).
//! - [`expectation`], [`message`] and [`error`] word the diagnostics.
//! - [`output`] reports what stayed unsolved, and writes the tables of [`crate::Typed`].

mod call;
mod const_str;
mod conversion;
mod error;
mod expectation;
mod expression;
mod instantiate;
mod member;
mod message;
mod name_shape;
pub(crate) mod optional;
pub(crate) mod output;
mod path;
pub(crate) mod reachable;
mod resource;
mod signature;
mod statement;

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap};
use indexmap::{IndexMap, IndexSet};
use mcl_diagnostics::Diagnostic;
use mcl_parser::ast::{ExprId, Name};
use mcl_value::{FuncType, Type};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::infer::optional::{instance_scopes, optional_definitions};
use crate::paged::PagedMap;
use crate::scoped::{DefId, InstanceId, ModuleId, ScopeId, Scoped};
use crate::solver::Solver;
use crate::solver::obligation::NameShape;
use crate::solver::scheme::{MemberId, Scheme};
use crate::solver::types::{Ty, VarId};
use crate::typed::ExprKey;

/// The state of the walker.
pub(crate) struct Inference<'a> {
    scoped: &'a Scoped,
    usage: &'a Usage,
    part: Part,
    solver: Solver,
    inferred: Inferred,
    shapes: NameShapes,
    generic_scopes: PagedMap<ScopeId, GenericScope>,
    members: Members,
    signatures: Signatures,
    /// The names of fields that types have or require, each shared by all of them.
    field_names: FxHashMap<(ModuleId, Name), Arc<str>>,
    /// The number of calls in the definitions of the top level, which are typed first.
    definition_calls: usize,
    /// The number of fields that misspelt ones were compared with.
    compared_fields: usize,
    diagnostics: Vec<Diagnostic>,
}

/// A part of a program: a range of the statements of its top level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The positions of the statements in the top level.
    pub(crate) body: Range<usize>,
    /// The positions of the definitions in [`crate::Scope::order`] of the top level.
    pub(crate) order: Range<usize>,
    /// The expressions of the only module; `None` for those of all modules.
    pub(crate) exprs: Option<Range<u32>>,
}

impl Part {
    /// Returns the whole program.
    pub(crate) fn whole(scoped: &Scoped) -> Part {
        let root = scoped.scope(scoped.root());
        Part { body: 0..root.body.len(), order: 0..root.order.len(), exprs: None }
    }

    /// Returns the position of an expression in the table of types; `None` if it belongs to another part.
    fn position(&self, expr: ExprId) -> Option<ExprId> {
        match &self.exprs {
            None => Some(expr),
            Some(range) => expr.as_u32().checked_sub(range.start).map(ExprId::from_u32),
        }
    }
}

/// What the program uses, and where.
pub(crate) struct Usage {
    /// The definitions that the statements of the program reach.
    pub(crate) reachable: EntitySet<DefId>,
    /// The reachable definitions that only some instances of their class or file use.
    pub(crate) optional: EntitySet<DefId>,
    /// The class body or top level of a file around each scope, or the scope itself.
    pub(crate) instance_scopes: PrimaryMap<ScopeId, ScopeId>,
}

impl Usage {
    pub(crate) fn new(scoped: &Scoped, reachable: EntitySet<DefId>) -> Usage {
        Usage::with(scoped, reachable, false)
    }

    /// Returns the usage of a program in which what only an include with a name could use concerns nothing else.
    pub(crate) fn of_unused(scoped: &Scoped, reachable: EntitySet<DefId>) -> Usage {
        Usage::with(scoped, reachable, true)
    }

    fn with(scoped: &Scoped, reachable: EntitySet<DefId>, in_all: bool) -> Usage {
        let instance_scopes = instance_scopes(scoped);
        let optional = optional_definitions(scoped, &instance_scopes, &reachable, in_all);
        Usage { reachable, optional, instance_scopes }
    }
}

/// The types that were found.
struct Inferred {
    /// By module, by [`Part::position`]. Expressions that are not typed keep the error type.
    exprs: PrimaryMap<ModuleId, PrimaryMap<ExprId, Ty>>,
    defs: PagedMap<DefId, PackedOption<Ty>>,
    /// The types of the variables of the instantiated class or file.
    instances: PagedMap<InstanceId, Option<Rc<[Ty]>>>,
    /// The types of the variables of the called `func`.
    calls: IndexMap<ExprKey, Rc<[Ty]>, FxBuildHasher>,
}

/// What is known of bindings and arguments before types are solved.
#[derive(Default)]
struct NameShapes {
    /// [`NameShape::Unknown`] has no entry.
    bindings: FxHashMap<DefId, NameShape>,
    /// The shapes of the arguments of includes.
    arguments: FxHashMap<InstanceId, Vec<NameShape>>,
}

/// A class body, a file, or the function of a `func` statement.
#[derive(Clone, Default)]
struct GenericScope {
    /// The level of its variables.
    level: u32,
    /// The length of [`Members::contexts`] when the scope was entered.
    context_depth: usize,
    /// Whether the scope is complete, and its variables are generalized.
    is_generalized: bool,
    has_members: bool,
    /// `None` while the scope is not generalized, and if there is nothing to instantiate.
    scheme: Option<Rc<Scheme>>,
}

/// The members of classes and files; see [`member`].
#[derive(Default)]
struct Members {
    table: PrimaryMap<MemberId, Member>,
    /// The members of optional definitions; one that requires nothing of its instance does not become a member.
    of_def: FxHashMap<DefId, MemberId>,
    /// The members that each instance uses.
    instances: FxHashMap<(InstanceId, MemberId), MemberInstance>,
    /// The members that are being typed, innermost last; `None` for a file that sees only itself.
    contexts: Vec<Option<MemberContext>>,
}

/// A part of a class or file that only some instances use.
struct Member {
    /// The class body or top level of the file.
    scope: ScopeId,
    /// The optional definition that it is made for.
    def: DefId,
    scheme: Rc<Scheme>,
    /// Types of the instance, each with the type that it must be equal to.
    requirements: Vec<(Ty, Ty)>,
    /// Other members that it uses, of the same instance or of those around it.
    uses: Vec<MemberId>,
}

/// A member in an instance that uses it.
struct MemberInstance {
    /// The types of its variables.
    types: Rc<[Ty]>,
    /// If the instance belongs to a generalized class: the member of that class that this use is, unless it requires nothing.
    outer: Option<MemberId>,
}

/// The state of a member while it is typed.
struct MemberContext {
    level: u32,
    /// The variables of the outside that the member mentions: the type there, and the variable that replaces it.
    captures: IndexMap<VarId, (Ty, Ty), FxBuildHasher>,
    /// The types of the outside, with their variables replaced.
    abstracted: FxHashMap<Ty, Ty>,
    uses: IndexSet<MemberId, FxBuildHasher>,
}

/// Declared types, parsed once.
#[derive(Default)]
struct Signatures {
    functions: FxHashMap<&'static str, Option<Rc<FuncType>>>,
    fields: FxHashMap<&'static str, Rc<Type>>,
}

impl MemberContext {
    fn new(level: u32) -> MemberContext {
        let (captures, abstracted, uses) = Default::default();
        MemberContext { level, captures, abstracted, uses }
    }
}

impl<'a> Inference<'a> {
    pub(crate) fn new(scoped: &'a Scoped, usage: &'a Usage, part: Part) -> Inference<'a> {
        let untyped = |count: usize| vec![Ty::ERROR; count].into();
        let exprs: PrimaryMap<ModuleId, PrimaryMap<ExprId, Ty>> = match &part.exprs {
            None => scoped.modules.values().map(|module| untyped(module.exprs.len())).collect(),
            Some(range) => [untyped(range.len())].into_iter().collect(),
        };
        let typed = exprs.values().map(PrimaryMap::len).sum();
        Inference {
            scoped,
            usage,
            part,
            solver: Solver::with_capacity(typed),
            inferred: Inferred {
                exprs,
                defs: PagedMap::default(),
                instances: PagedMap::default(),
                calls: IndexMap::default(),
            },
            shapes: NameShapes::default(),
            generic_scopes: PagedMap::default(),
            members: Members::default(),
            signatures: Signatures::default(),
            field_names: FxHashMap::default(),
            definition_calls: 0,
            compared_fields: 0,
            diagnostics: Vec::new(),
        }
    }

    fn expr_type(&self, module: ModuleId, expr: ExprId) -> Ty {
        let position = self.part.position(expr);
        position.and_then(|position| self.inferred.exprs[module].get(position).copied()).unwrap_or(Ty::ERROR)
    }

    fn set_expr_type(&mut self, module: ModuleId, expr: ExprId, ty: Ty) {
        let position = self.part.position(expr);
        if let Some(known) = position.and_then(|position| self.inferred.exprs[module].get_mut(position)) {
            *known = ty;
        }
    }

    fn field_name(&mut self, module: ModuleId, name: Name) -> Arc<str> {
        let text = || self.scoped.ast(module).name(name).into();
        Arc::clone(self.field_names.entry((module, name)).or_insert_with(text))
    }

    fn report(&mut self, diagnostic: impl Into<Diagnostic>) {
        self.diagnostics.push(diagnostic.into());
    }
}
