//! The unify stage: definitions -> types (spec 02 §§4-7).
//!
//! # How it works
//! Hindley-Milner inference over the resolved program, without expanding it:
//!
//! - The definitions of a list are typed in dependency order (the scope stage found it), then its statements in source
//!   order. An expression is typed bottom-up; each constraint is solved at once by unification ([`types`]).
//! - A bind has one type for all its uses. The function of a `func` statement, a class and an imported file are *generic*:
//!   typed once, then closed ([`generic`]): what is still unknown becomes a type variable, and each call, include or import
//!   takes a fresh copy of the type, not of the code. So the time does not depend on how often, or how deeply nested,
//!   something is used.
//! - What only some instances of a class or file use is typed apart from it, and counts for those only ([`optional`],
//!   [`member`]).
//! - What cannot be decided yet waits as a *condition* ([`condition`]): `x[i]` when it is unknown whether x is a list or a map,
//!   `s->f` when the struct is unknown, `a + b` when the type is. A condition is tried again when what it waits for becomes
//!   known; one that concerns type variables goes along with every copy.
//! - A few rules depend on what is known before solving, such as whether a resource name is a literal ([`statics`]).
//!
//! After an error the types involved become the error type, which fits everywhere, so one mistake is reported once.

mod call;
mod condition;
mod finish;
mod generic;
mod infer;
mod live;
mod member;
mod optional;
mod report;
mod resource;
mod statement;
mod statics;
mod types;

use std::rc::Rc;

use indexmap::IndexMap;
use mcl_diagnostics::{Diagnostic, FileId, Span};
use mcl_parser::ast::ExprId;
use mcl_value::FuncType;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::scoped::{DefId, ModuleId, ScopeId, Scoped, SlotId};
use crate::typed::Typed;
use condition::{Conditions, NameCondition};
use statics::Static;
use types::{Ty, Types};

/// Finds the types of everything a program uses. Where an error was reported, types are missing
/// ([`crate::TypeId::UNTYPED`]).
#[must_use]
pub fn unify(scoped: Scoped) -> (Typed, Vec<Diagnostic>) {
    if scoped.modules.is_empty() {
        return (Typed { scoped, ..Typed::default() }, Vec::new());
    }
    let live = live::live_definitions(&scoped);
    let homes = optional::homes(&scoped);
    let optional = optional::optional_definitions(&scoped, &homes, &live);
    let nowhere = Span::new(FileId(0), 0, 0);
    let mut unifier = Unifier {
        scoped: &scoped,
        live,
        homes,
        optional,
        types: Types::new(nowhere),
        level: 0,
        exprs: scoped.modules.iter().map(|module| vec![Ty::NONE; module.exprs.len()]).collect(),
        defs: vec![Ty::NONE; scoped.defs.len()],
        statics: FxHashMap::default(),
        owners: Vec::new(),
        schemes: FxHashMap::default(),
        levels: vec![0; scoped.scopes.len()],
        depths: vec![0; scoped.scopes.len()],
        closed: vec![false; scoped.scopes.len()],
        members: Vec::new(),
        member_of: FxHashMap::default(),
        has_members: vec![false; scoped.scopes.len()],
        uses: FxHashMap::default(),
        contexts: Vec::new(),
        slot_types: vec![None; scoped.slots.len()],
        slot_statics: FxHashMap::default(),
        call_types: IndexMap::default(),
        conditions: Conditions::default(),
        name_conditions: Vec::new(),
        text_conditions: Vec::new(),
        modules_done: vec![false; scoped.modules.len()],
        signatures: FxHashMap::default(),
        schema_types: FxHashMap::default(),
        diagnostics: Vec::new(),
    };
    unifier.program();
    let (tables, diagnostics) = unifier.finish();
    (tables.into_typed(scoped), diagnostics)
}

/// The state of the stage.
struct Unifier<'a> {
    scoped: &'a Scoped,
    live: Vec<bool>,
    /// By scope: the class body or top level of a file around it.
    homes: Vec<ScopeId>,
    /// By definition: whether only some instances of its class or file use it.
    optional: Vec<bool>,
    types: Types,
    /// The number of generic scopes around the current place.
    level: u32,
    /// By module, by expression.
    exprs: Vec<Vec<Ty>>,
    /// By definition.
    defs: Vec<Ty>,
    /// What is known of binds before solving; nothing for those that are absent.
    statics: FxHashMap<DefId, Static>,
    /// By type variable: what it belongs to.
    owners: Vec<generic::Owner>,
    /// What goes along with copies of closed generic scopes, of those that have anything to copy.
    schemes: FxHashMap<ScopeId, generic::Scheme>,
    /// By class body or top level of a file: the level of its unknowns,
    levels: Vec<u32>,
    /// how many contexts there were when it was opened,
    depths: Vec<usize>,
    /// and whether it is closed.
    closed: Vec<bool>,
    members: Vec<member::Member>,
    /// The members that optional definitions are; none if it demands nothing.
    member_of: FxHashMap<DefId, member::MemberId>,
    /// By scope.
    has_members: Vec<bool>,
    /// The members that each instance uses.
    uses: FxHashMap<(SlotId, member::MemberId), member::Use>,
    /// The members that are being typed, innermost last; `None` for a file, which sees nothing of what is around it.
    contexts: Vec<Option<member::Context>>,
    /// By slot: what the variables of the class or module are there.
    slot_types: Vec<Option<Rc<[Ty]>>>,
    /// What is known of the arguments of includes before solving.
    slot_statics: FxHashMap<SlotId, Vec<Static>>,
    /// What the variables of a `func` are at a call.
    call_types: IndexMap<(ModuleId, ExprId), Rc<[Ty]>, FxBuildHasher>,
    conditions: Conditions,
    /// Resource names that depend on how a class is included.
    name_conditions: Vec<NameCondition>,
    /// Calls with a text that depends on how a class is included.
    text_conditions: Vec<call::TextCondition>,
    modules_done: Vec<bool>,
    /// Parsed signatures of built-in functions.
    signatures: FxHashMap<&'static str, Option<Rc<FuncType>>>,
    /// Parsed types of resource fields.
    schema_types: FxHashMap<&'static str, Rc<mcl_value::Type>>,
    diagnostics: Vec<Diagnostic>,
}

impl Unifier<'_> {
    fn unknown(&mut self, origin: Span) -> Ty {
        self.types.unknown(self.level, origin)
    }

    fn expr_type(&self, module: ModuleId, expr: ExprId) -> Ty {
        self.exprs[module.index()][expr.0 as usize]
    }

    fn set_expr(&mut self, module: ModuleId, expr: ExprId, ty: Ty) {
        self.exprs[module.index()][expr.0 as usize] = ty;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}
