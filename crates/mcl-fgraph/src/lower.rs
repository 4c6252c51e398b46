//! The state of lowering, and its entry point.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use indexmap::IndexMap;
use mcl_artifact::program::{Closure, StrId};
use mcl_diagnostics::{Diagnostic, Span};
use mcl_functions::Function;
use mcl_modules::{Loaded, UnitId};
use mcl_parser::ast::{ExprId, StmtId};
use mcl_types::{DefId, TypeId, TypeTable, Typed};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::builder::BuilderId;
use crate::declared::DeclaredNames;
use crate::emit::Emitter;
use crate::error::LowerError;
use crate::expansion;
use crate::frames::{Frame, FrameId, Frames};
use crate::options::Options;
use crate::refused::RefusedValues;
use crate::task::Task;
use crate::values::Values;

/// Where something is lowered: names are looked up in the frame, nodes are added to the builder. The builder is the
/// frame's own or one inside it (for a branch of an expression).
#[derive(Clone, Copy, Debug)]
pub(crate) struct InsertPoint {
    pub(crate) frame: FrameId,
    pub(crate) builder: BuilderId,
}

/// A function of a `func` statement, in one frame, at one set of types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FunctionKey {
    pub(crate) frame: FrameId,
    pub(crate) def: DefId,
    pub(crate) types: Box<[TypeId]>,
}

/// How far a function is lowered.
#[derive(Clone, Debug)]
pub(crate) enum FunctionState {
    /// It has a frame; `body` is to be lowered there.
    Declared { at: InsertPoint, body: ExprId },
    /// Its body is being lowered; a call in it would be a cycle.
    InProgress,
    /// The template, with what it captures from the builder of the frame with the definition.
    Lowered(Closure),
}

/// The state of lowering.
pub(crate) struct Lowering<'a> {
    pub(crate) frames: Frames<'a>,
    /// The lowered values of definitions and parameters.
    pub(crate) values: Values,
    pub(crate) emitter: Emitter,
    pub(crate) loaded: &'a Loaded,
    /// The directories of the modules as strings of the pool, as far as they were needed.
    pub(crate) module_dirs: SecondaryMap<UnitId, PackedOption<StrId>>,
    /// The statements to lower, the next one last.
    pub(crate) tasks: Vec<Task>,
    pub(crate) functions: IndexMap<FunctionKey, FunctionState, FxBuildHasher>,
    /// The function that operators call.
    pub(crate) operator: Option<&'static Function>,
    /// How many expressions are being lowered, each for the one before.
    pub(crate) depth: usize,
    pub(crate) errors: Vec<Diagnostic>,
    /// The kinds that are not implemented, with the span of the first use.
    pub(crate) unimplemented: IndexMap<&'static str, Span, FxBuildHasher>,
    /// The constant values that resource kinds refuse.
    pub(crate) refused: RefusedValues,
    /// The names of resources and of the ends of edges.
    pub(crate) declared: DeclaredNames,
    /// How many statements were expanded so far.
    pub(crate) statements: u64,
    pub(crate) statement_limit: u64,
    /// The first expression or statement with a type that exceeds a limit of artifacts.
    pub(crate) type_exceeds: Option<Span>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(typed: &'a Typed, types: TypeTable, loaded: &'a Loaded, options: Options) -> Lowering<'a> {
        Lowering {
            frames: Frames::new(typed),
            values: Values::default(),
            emitter: Emitter::new(types, options.fold),
            loaded,
            module_dirs: SecondaryMap::new(),
            tasks: Vec::new(),
            functions: IndexMap::default(),
            operator: mcl_functions::function("_operator"),
            depth: 0,
            errors: Vec::new(),
            unimplemented: IndexMap::default(),
            refused: RefusedValues::default(),
            declared: DeclaredNames::default(),
            statements: 0,
            statement_limit: expansion::limit(&typed.scoped),
            type_exceeds: None,
        }
    }

    /// Lowers the statements of the program; its template is the last one.
    pub(crate) fn run(&mut self) -> Result<(), LowerError> {
        let scoped = &self.frames.typed.scoped;
        self.run_part(&scoped.scope(scoped.root()).body)
    }

    /// Lowers some statements of the top level; their template is the last one.
    pub(crate) fn run_part(&mut self, statements: &[StmtId]) -> Result<(), LowerError> {
        let builder = self.emitter.builders.open(None, 0);
        let scope = self.frames.typed.scoped.root();
        let frame = self.frames.add(Frame {
            scope,
            module: self.frames.typed.scoped.scope(scope).module,
            parent: None,
            builder,
            types: Box::default(),
            made_by: None,
            iterations: 1,
        });
        self.schedule(frame, statements);
        self.run_tasks()?;
        self.emitter.finish(builder, None, "program");
        Ok(())
    }

    /// Returns the definitions of the top level that were lowered, functions for each set of types.
    pub(crate) fn lowered_at_top(&self) -> impl Iterator<Item = DefId> {
        let functions = self.functions.keys().filter(|key| Frames::is_top(key.frame)).map(|key| key.def);
        self.values.definitions_at_top().chain(functions)
    }

    /// Whether a builder is that of the program, whose statements count whenever it runs.
    pub(crate) fn is_top_builder(&self, builder: BuilderId) -> bool {
        self.frames.top_builder() == Some(builder)
    }

    /// Returns the closed type of an expression.
    pub(crate) fn type_of(&mut self, at: InsertPoint, expr: ExprId) -> TypeId {
        let module = self.frames.module(at.frame);
        let ty = self.frames.typed.expr(module, expr);
        self.frames.close(at.frame, ty, &mut self.emitter.types)
    }

    /// Returns the closed types of expressions.
    pub(crate) fn types_of(&mut self, at: InsertPoint, exprs: &[ExprId]) -> SmallVec<[TypeId; 4]> {
        exprs.iter().map(|expr| self.type_of(at, *expr)).collect()
    }

    /// Remembers the span of what was lowered last, if it is the first to have a type that exceeds a limit of artifacts.
    pub(crate) fn check_type_limits(&mut self, span: impl FnOnce(&Frames<'a>) -> Span) {
        if self.emitter.pool.exceeded.is_some() && self.type_exceeds.is_none() {
            self.type_exceeds = Some(span(&self.frames));
        }
    }
}
