//! Identities of vertices.

/// Identifies a vertex during its whole life. A key is reused only after [`crate::Command::Remove`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VertexKey(pub u32);

impl VertexKey {
    /// Returns the position in tables that are indexed by key.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
