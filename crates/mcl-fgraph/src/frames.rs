//! Frames: instances of scopes, as far as the compiler makes them itself (see the head of `mcl_types::Scoped`).
//!
//! Every frame belongs to a template under construction, and so do the values of its definitions. Classes, modules,
//! branches of constant conditions and iterations over constant lists share the template around them; functions, other
//! branches and other loop bodies have one of their own.

use mcl_artifact::program::Operand;
use mcl_parser::ast::{Ast, ExprId, StmtId};
use mcl_types::{
    DefId, DefKind, ExprInfo, InstanceId, InstanceKind, ModuleId, Reference, ScopeId, StmtInfo, Target, TypeId,
    TypeTable, Typed,
};
use rustc_hash::FxHashMap;

use crate::{Stop, builder::BuilderId};

/// Index of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FrameId(u32);

/// An instance of a scope.
pub(crate) struct Frame {
    pub(crate) scope: ScopeId,
    /// The static link.
    pub(crate) parent: Option<FrameId>,
    /// The template that its values belong to.
    pub(crate) builder: BuilderId,
    /// The closed types of the variables that the scope owns.
    pub(crate) types: Box<[TypeId]>,
    /// For classes and modules: the frame with the statement that made it.
    pub(crate) made_by: Option<(FrameId, InstanceId)>,
    /// How many iterations of unrolled loops this is one of.
    pub(crate) iterations: usize,
}

/// The value of a definition in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memo {
    /// It is being lowered further down the stack; whoever meets it again met a cycle.
    InProgress,
    Done(Operand),
}

/// All frames, and the program they are instances of.
pub(crate) struct Frames<'a> {
    pub(crate) typed: &'a Typed,
    frames: Vec<Frame>,
    slots: FxHashMap<(FrameId, InstanceId), FrameId>,
    pub(crate) values: FxHashMap<(FrameId, DefId), Memo>,
}

/// Why a reference could not be followed yet.
enum Obstacle {
    /// This instance must be made first.
    Missing(FrameId, InstanceId),
    Stop(Stop),
}

impl From<Stop> for Obstacle {
    fn from(stop: Stop) -> Obstacle {
        Obstacle::Stop(stop)
    }
}

impl<'a> Frames<'a> {
    /// No frames yet.
    pub(crate) fn new(typed: &'a Typed) -> Frames<'a> {
        Frames { typed, frames: Vec::new(), slots: FxHashMap::default(), values: FxHashMap::default() }
    }

    /// Adds a frame.
    pub(crate) fn add(&mut self, frame: Frame) -> FrameId {
        let id = FrameId(u32::try_from(self.frames.len()).expect("fewer than 2^32 frames fit into memory"));
        self.frames.push(frame);
        id
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
        self.add(Frame { scope, parent: Some(parent), builder, types, made_by: None, iterations })
    }

    /// The frame.
    pub(crate) fn get(&self, id: FrameId) -> &Frame {
        &self.frames[id.0 as usize]
    }

    /// One of several iterations over a constant.
    pub(crate) fn set_iterations(&mut self, id: FrameId, iterations: usize) {
        self.frames[id.0 as usize].iterations = iterations;
    }

    /// The module whose tree the frame's ids point into.
    pub(crate) fn module(&self, id: FrameId) -> ModuleId {
        self.typed.scoped.scope(self.get(id).scope).module
    }

    /// The tree that the frame's ids point into.
    pub(crate) fn ast(&self, id: FrameId) -> &'a Ast {
        self.typed.scoped.ast(self.module(id))
    }

    /// What the scope stage found out about a statement.
    pub(crate) fn stmt_info(&self, id: FrameId, stmt: StmtId) -> StmtInfo {
        self.typed.scoped.module(self.module(id)).stmts[stmt.0 as usize]
    }

    /// What the scope stage found out about an expression.
    pub(crate) fn expr_info(&self, id: FrameId, expr: ExprId) -> ExprInfo {
        self.typed.scoped.module(self.module(id)).exprs[expr.0 as usize]
    }

    /// The reference that an expression makes.
    pub(crate) fn reference(&self, id: FrameId, expr: ExprId) -> Result<&'a Reference, Stop> {
        self.typed.scoped.expr_ref(self.module(id), expr).ok_or(Stop::Broken("a name is not resolved"))
    }

    /// The next frame up, this one included, that is an instance of that scope.
    fn up(&self, mut id: FrameId, scope: ScopeId) -> Result<FrameId, Stop> {
        while self.get(id).scope != scope {
            id = self.get(id).parent.ok_or(Stop::Broken("a name is used outside its scope"))?;
        }
        Ok(id)
    }

    /// The frame that holds the definition that a reference means.
    pub(crate) fn follow(
        &mut self,
        from: FrameId,
        reference: &Reference,
        table: &mut TypeTable,
    ) -> Result<FrameId, Stop> {
        loop {
            match self.try_follow(from, reference) {
                Ok(frame) => return Ok(frame),
                Err(Obstacle::Missing(frame, slot)) => {
                    self.slot(frame, slot, table)?;
                }
                Err(Obstacle::Stop(stop)) => return Err(stop),
            }
        }
    }

    fn try_follow(&self, from: FrameId, reference: &Reference) -> Result<FrameId, Obstacle> {
        let Target::Def(def) = reference.target else {
            return Err(Stop::Broken("a built-in name has no frame").into());
        };
        let mut at = from;
        for slot in &reference.path {
            at = self.up(at, self.typed.scoped.instance(*slot).scope)?;
            at = *self.slots.get(&(at, *slot)).ok_or(Obstacle::Missing(at, *slot))?;
        }
        Ok(self.up(at, self.typed.scoped.def(def).scope)?)
    }

    /// The instance of a class or module that a frame contains; made on the first use. An alias may lead to the class of
    /// another alias, and so on, hence the stack.
    pub(crate) fn slot(&mut self, frame: FrameId, slot: InstanceId, table: &mut TypeTable) -> Result<FrameId, Stop> {
        let mut missing = vec![(frame, slot)];
        while let Some((frame, slot)) = missing.last().copied() {
            if self.slots.contains_key(&(frame, slot)) {
                missing.pop();
                continue;
            }
            match self.try_make(frame, slot, table) {
                Ok(()) => {}
                // Classes do not contain themselves, so no slot can occur twice on the way.
                Err(Obstacle::Missing(..)) if missing.len() > self.typed.scoped.instances.len() => {
                    return Err(Stop::Broken("a class contains itself"));
                }
                Err(Obstacle::Missing(frame, slot)) => missing.push((frame, slot)),
                Err(Obstacle::Stop(stop)) => return Err(stop),
            }
        }
        self.slots.get(&(frame, slot)).copied().ok_or(Stop::Broken("an instance is missing"))
    }

    fn try_make(&mut self, holder: FrameId, slot: InstanceId, table: &mut TypeTable) -> Result<(), Obstacle> {
        let (scope, parent) = match self.typed.scoped.instance(slot).kind {
            InstanceKind::Module(module) => {
                let scope = self.typed.scoped.module(module).scope;
                let parent = self.typed.scoped.scope(scope).parent.map(|parent| self.up(holder, parent)).transpose()?;
                (scope, parent)
            }
            InstanceKind::Class(reference) => {
                let reference = self.typed.scoped.reference(reference);
                let Target::Def(def) = reference.target else {
                    return Err(Stop::Broken("a class is not defined").into());
                };
                let DefKind::Class { body, .. } = self.typed.scoped.def(def).kind else {
                    return Err(Stop::Broken("an include names something else than a class").into());
                };
                (body, Some(self.try_follow(holder, reference)?))
            }
            InstanceKind::Error => return Err(Stop::Broken("an include or import has errors").into()),
        };
        let types = self.typed.instance(slot).iter().map(|ty| self.close(holder, *ty, table)).collect();
        let Frame { builder, iterations, .. } = *self.get(holder);
        let frame = self.add(Frame { scope, parent, builder, types, made_by: Some((holder, slot)), iterations });
        self.slots.insert((holder, slot), frame);
        Ok(())
    }

    /// A type without variables: those of the frame and of the frames around it are replaced by what they stand for.
    pub(crate) fn close(&self, frame: FrameId, ty: TypeId, table: &mut TypeTable) -> TypeId {
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
