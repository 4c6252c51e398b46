//! Frames: the instances of scopes that exist at compile time (see `mcl_types::Scoped`).
//!
//! Every frame belongs to a template under construction, and so do the values of its definitions. Classes, modules,
//! branches of constant conditions and iterations over constant lists share the template around them; functions, other
//! branches and other loop bodies have their own.

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_parser::ast::{Ast, ExprId, StmtId};
use mcl_types::{
    DefKind, ExprInfo, InstanceId, InstanceKind, ModuleId, Reference, ScopeId, StmtInfo, Target, TypeId, TypeTable,
    Typed,
};
use rustc_hash::FxHashMap;

use crate::builder::BuilderId;
use crate::error::{Inconsistency, LowerError};

/// Identifies a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FrameId(u32);
entity_impl!(FrameId);

/// An instance of a scope.
pub(crate) struct Frame {
    pub(crate) scope: ScopeId,
    /// The module of the scope.
    pub(crate) module: ModuleId,
    /// The frame of the scope around it.
    pub(crate) parent: Option<FrameId>,
    /// The template that its values belong to.
    pub(crate) builder: BuilderId,
    /// The closed types of the variables that the scope owns.
    pub(crate) types: Box<[TypeId]>,
    /// For classes and modules: the frame and the slot of the statement that instantiates it.
    pub(crate) made_by: Option<(FrameId, InstanceId)>,
    /// The product of the iterations of the unrolled loops around it.
    pub(crate) iterations: usize,
}

/// All frames, and the program they are instances of.
pub(crate) struct Frames<'a> {
    pub(crate) typed: &'a Typed,
    frames: PrimaryMap<FrameId, Frame>,
    slots: FxHashMap<(FrameId, InstanceId), FrameId>,
}

/// Why a reference cannot be followed.
enum Blocked {
    /// An instance must be made first.
    Missing(FrameId, InstanceId),
    Failed(LowerError),
}

impl From<LowerError> for Blocked {
    fn from(error: LowerError) -> Blocked {
        Blocked::Failed(error)
    }
}

impl From<Inconsistency> for Blocked {
    fn from(inconsistency: Inconsistency) -> Blocked {
        Blocked::Failed(inconsistency.into())
    }
}

impl<'a> Frames<'a> {
    /// Returns an empty set of frames.
    pub(crate) fn new(typed: &'a Typed) -> Frames<'a> {
        Frames { typed, frames: PrimaryMap::new(), slots: FxHashMap::default() }
    }

    /// Adds a frame.
    pub(crate) fn add(&mut self, frame: Frame) -> FrameId {
        self.frames.push(frame)
    }

    /// Adds the frame of a block, loop body or function inside another frame.
    pub(crate) fn enter(
        &mut self,
        parent: FrameId,
        scope: ScopeId,
        builder: BuilderId,
        types: Box<[TypeId]>,
    ) -> FrameId {
        let iterations = self.get(parent).iterations;
        let module = self.typed.scoped.scope(scope).module;
        self.add(Frame { scope, module, parent: Some(parent), builder, types, made_by: None, iterations })
    }

    /// Removes the frame of a function whose body is lowered, unless others were made since.
    pub(crate) fn leave_function(&mut self, id: FrameId) {
        if self.frames.keys().next_back() == Some(id) {
            let mut frames = Vec::from(std::mem::take(&mut self.frames));
            frames.pop();
            self.frames = PrimaryMap::from(frames);
        }
    }

    /// Whether a frame is that of the top level.
    pub(crate) fn is_top(id: FrameId) -> bool {
        id.0 == 0
    }

    /// Returns the builder of the top level.
    pub(crate) fn top_builder(&self) -> Option<BuilderId> {
        self.frames.values().next().map(|frame| frame.builder)
    }

    /// Returns a frame.
    pub(crate) fn get(&self, id: FrameId) -> &Frame {
        &self.frames[id]
    }

    /// Sets [`Frame::iterations`].
    pub(crate) fn set_iterations(&mut self, id: FrameId, iterations: usize) {
        self.frames[id].iterations = iterations;
    }

    /// Returns the module whose tree contains the frame's statements.
    pub(crate) fn module(&self, id: FrameId) -> ModuleId {
        self.get(id).module
    }

    /// Returns the tree that contains the frame's statements.
    pub(crate) fn ast(&self, id: FrameId) -> &'a Ast {
        self.typed.scoped.ast(self.module(id))
    }

    /// Returns the result of the scope stage for a statement.
    pub(crate) fn stmt_info(&self, id: FrameId, stmt: StmtId) -> StmtInfo {
        self.typed.scoped.module(self.module(id)).stmts[stmt]
    }

    /// Returns the result of the scope stage for an expression.
    pub(crate) fn expr_info(&self, id: FrameId, expr: ExprId) -> ExprInfo {
        self.typed.scoped.module(self.module(id)).exprs.get(expr)
    }

    /// Returns the reference that an expression makes.
    pub(crate) fn reference(&self, id: FrameId, expr: ExprId) -> Result<Reference<'a>, LowerError> {
        self.typed.scoped.expr_ref(self.module(id), expr).ok_or(Inconsistency::UnresolvedName.into())
    }

    /// Returns the innermost frame of a scope, among this frame and those around it.
    fn up(&self, mut id: FrameId, scope: ScopeId) -> Result<FrameId, LowerError> {
        while self.get(id).scope != scope {
            id = self.get(id).parent.ok_or(Inconsistency::OutOfScope)?;
        }
        Ok(id)
    }

    /// Returns the frame of the definition that a reference refers to.
    pub(crate) fn follow(
        &mut self,
        from: FrameId,
        reference: Reference<'_>,
        table: &mut TypeTable,
    ) -> Result<FrameId, LowerError> {
        loop {
            match self.try_follow(from, reference) {
                Ok(frame) => return Ok(frame),
                Err(Blocked::Missing(frame, slot)) => {
                    self.slot(frame, slot, table)?;
                }
                Err(Blocked::Failed(error)) => return Err(error),
            }
        }
    }

    fn try_follow(&self, from: FrameId, reference: Reference<'_>) -> Result<FrameId, Blocked> {
        let Target::Def(def) = reference.target else {
            return Err(Inconsistency::WrongNode.into());
        };
        let mut at = from;
        for slot in reference.path {
            at = self.up(at, self.typed.scoped.instance(*slot).scope)?;
            at = *self.slots.get(&(at, *slot)).ok_or(Blocked::Missing(at, *slot))?;
        }
        Ok(self.up(at, self.typed.scoped.def(def).scope)?)
    }

    /// Returns the instance of a class or module that a frame contains; it is made on first use. An alias may refer to a
    /// class of another alias, in chains of any length, hence the stack.
    pub(crate) fn slot(
        &mut self,
        frame: FrameId,
        slot: InstanceId,
        table: &mut TypeTable,
    ) -> Result<FrameId, LowerError> {
        let mut missing = vec![(frame, slot)];
        while let Some((frame, slot)) = missing.last().copied() {
            if self.slots.contains_key(&(frame, slot)) {
                missing.pop();
                continue;
            }
            match self.try_make(frame, slot, table) {
                Ok(()) => {}
                // No class contains itself, so a path has every slot at most once.
                Err(Blocked::Missing(..)) if missing.len() > self.typed.scoped.instances.len() => {
                    return Err(Inconsistency::CyclicDefinition.into());
                }
                Err(Blocked::Missing(frame, slot)) => missing.push((frame, slot)),
                Err(Blocked::Failed(error)) => return Err(error),
            }
        }
        self.slots.get(&(frame, slot)).copied().ok_or(Inconsistency::WrongNode.into())
    }

    fn try_make(&mut self, holder: FrameId, slot: InstanceId, table: &mut TypeTable) -> Result<(), Blocked> {
        let (scope, parent) = match self.typed.scoped.instance(slot).kind {
            InstanceKind::Module(module) => {
                let scope = self.typed.scoped.module(module).scope;
                let parent = self.typed.scoped.scope(scope).parent.map(|parent| self.up(holder, parent)).transpose()?;
                (scope, parent)
            }
            InstanceKind::Class(reference) => {
                let reference = self.typed.scoped.reference(reference);
                let Target::Def(def) = reference.target else {
                    return Err(Inconsistency::WrongNode.into());
                };
                let DefKind::Class { body, .. } = self.typed.scoped.def(def).kind else {
                    return Err(Inconsistency::WrongNode.into());
                };
                (body, Some(self.try_follow(holder, reference)?))
            }
            InstanceKind::Error => return Err(Inconsistency::ErrorNode.into()),
        };
        let types = self.typed.instance(slot).iter().map(|ty| self.close(holder, *ty, table)).collect();
        let Frame { builder, iterations, .. } = *self.get(holder);
        let module = self.typed.scoped.scope(scope).module;
        let frame =
            self.add(Frame { scope, module, parent, builder, types, made_by: Some((holder, slot)), iterations });
        self.slots.insert((holder, slot), frame);
        Ok(())
    }

    /// Closes a type: replaces the type variables of the frame and of the frames around it by their types.
    pub(crate) fn close(&self, frame: FrameId, ty: TypeId, table: &mut TypeTable) -> TypeId {
        if !table.is_open(ty) {
            return ty;
        }
        table.substitute(ty, &mut |var| {
            let mut at = Some(frame);
            while let Some(id) = at {
                let frame = self.get(id);
                let range = self.typed.generics.get(frame.scope);
                if let Some(range) = range.filter(|range| range.contains(&var)) {
                    return frame.types.get((var - range.start) as usize).copied().unwrap_or(TypeId::UNTYPED);
                }
                at = frame.parent;
            }
            TypeId::UNTYPED
        })
    }
}
