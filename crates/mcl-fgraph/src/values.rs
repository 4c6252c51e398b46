//! How far the values of definitions are lowered, for each frame.

use mcl_artifact::program::Operand;
use mcl_types::{DefId, PagedMap};
use rustc_hash::FxHashMap;

use crate::frames::{FrameId, Frames};

/// How far the value of a definition in a frame is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueState {
    /// What it depends on is being lowered first.
    Entered,
    /// It is being lowered; a use in its own expression would be a cycle.
    InProgress,
    /// The value, in terms of the frame's builder.
    Lowered(Operand),
}

/// The states of the values of definitions and parameters. A program may have a variable in every line, all of them at the top
/// level, so those have a table without hashes.
#[derive(Default)]
pub(crate) struct Values {
    /// Those in the frame of the top level.
    top: PagedMap<DefId, Option<ValueState>>,
    /// Those in other frames.
    inner: FxHashMap<(FrameId, DefId), ValueState>,
}

impl Values {
    /// Returns the state of a value; `None` if nothing has used it yet.
    pub(crate) fn get(&self, frame: FrameId, def: DefId) -> Option<ValueState> {
        if Frames::is_top(frame) { self.top[def] } else { self.inner.get(&(frame, def)).copied() }
    }

    /// Sets the state of a value.
    pub(crate) fn set(&mut self, frame: FrameId, def: DefId, state: ValueState) {
        if Frames::is_top(frame) {
            self.top[def] = Some(state);
        } else {
            self.inner.insert((frame, def), state);
        }
    }

    /// Forgets the state of a value in a frame that is not that of the top level.
    pub(crate) fn remove(&mut self, frame: FrameId, def: DefId) {
        self.inner.remove(&(frame, def));
    }

    /// Returns the definitions that have states in the frame of the top level.
    pub(crate) fn definitions_at_top(&self) -> impl Iterator<Item = DefId> {
        self.top.iter().filter(|(_, state)| state.is_some()).map(|(def, _)| def)
    }
}
