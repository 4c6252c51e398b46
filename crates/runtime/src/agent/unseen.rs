//! What a plan cannot know: what depends on changes that are only announced.
//!
//! A plan changes files in an overlay, so whatever depends on them finds them. Other changes, such as running a command or
//! creating a user, are announced without being made. A check that fails after one of them may succeed once it is made, so its
//! result is unknown. A check that reads more than files does not see changes in the overlay either.

use resource_engine::VertexKey;
use resources::Effects;
use rustc_hash::FxHashSet;

/// The vertices whose planned changes some checks cannot see.
#[derive(Debug, Default)]
pub(super) struct UnseenChanges {
    /// Those that change the overlay. Checks that use files only see these changes.
    in_files: FxHashSet<VertexKey>,
    /// Those that change anything else, and those whose result is unknown.
    elsewhere: FxHashSet<VertexKey>,
}

impl UnseenChanges {
    /// Records a planned change.
    pub(super) fn add(&mut self, key: VertexKey, effects: Effects) {
        match effects {
            Effects::Files => self.in_files.insert(key),
            Effects::Machine => self.elsewhere.insert(key),
        };
    }

    /// Returns whether a check with these effects could miss a change of this vertex.
    pub(super) fn is_unseen(&self, key: VertexKey, by: Effects) -> bool {
        self.elsewhere.contains(&key) || by == Effects::Machine && self.in_files.contains(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_files_are_seen_by_checks_of_files() {
        let mut unseen = UnseenChanges::default();
        let [file, command] = [1, 2].map(VertexKey);
        unseen.add(file, Effects::Files);
        unseen.add(command, Effects::Machine);
        let is_unseen = |by| [file, command].map(|key| unseen.is_unseen(key, by));
        assert_eq!(is_unseen(Effects::Files), [false, true]);
        assert_eq!(is_unseen(Effects::Machine), [true, true]);
    }
}
