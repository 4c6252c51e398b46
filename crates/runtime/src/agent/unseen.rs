//! What a plan cannot know: what depends on changes that are only announced.
//!
//! A plan changes files in an overlay, so whatever depends on them finds them. Other changes, such as running a command or
//! creating a user, are announced without being made. A check that fails after one of them may succeed once it is made, so its
//! result is unknown. A check that reads more than files does not see changes in the overlay either. A check after a program
//! that has not run sees its files as they are before it runs.
//!
//! What a vertex cannot see is what its predecessors cannot see, and what they changed. Each vertex inherits it once, when
//! its check ends, so a plan takes time linear in the number of edges.

use resource_engine::{Engine, VertexKey};
use resource_graph::ResourceId;
use resources::Effects;
use rustc_hash::{FxHashMap, FxHashSet};

/// The nearest earlier vertices whose planned changes are not made; `None` without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unseen {
    /// It changed files in the overlay, which only checks of files see.
    in_files: Option<VertexKey>,
    /// It changed anything else, or its result is unknown.
    elsewhere: Option<VertexKey>,
    /// It runs programs, which may change anything.
    by_programs: Option<VertexKey>,
}

/// The planned changes that some checks cannot see.
#[derive(Debug, Default)]
pub(super) struct UnseenChanges {
    /// The vertices with planned changes.
    changed: FxHashMap<VertexKey, Effects>,
    /// What is unseen after each vertex, its own changes included.
    after: FxHashMap<VertexKey, Unseen>,
    /// The resources that may change nothing.
    uncertain: FxHashSet<ResourceId>,
}

impl UnseenChanges {
    /// Records a planned change. A later record of the same vertex adds to an earlier one.
    pub(super) fn add(&mut self, key: VertexKey, effects: Effects) {
        let found = self.changed.entry(key).or_insert(effects);
        if *found == Effects::Files {
            *found = effects;
        }
    }

    /// Records that a resource may change nothing, although a change was announced.
    pub(super) fn add_uncertain(&mut self, id: ResourceId) {
        self.uncertain.insert(id);
    }

    /// Ends the check of a vertex, after its changes were recorded: what depends on it inherits what it could not see.
    pub(super) fn pass_on(&mut self, engine: &Engine, key: VertexKey) {
        let before = self.before(engine, key);
        let after = match self.changed.get(&key) {
            None => before,
            Some(Effects::Files) => Unseen { in_files: Some(key), ..before },
            Some(Effects::Machine) => Unseen { elsewhere: Some(key), ..before },
            Some(Effects::Programs) => Unseen { elsewhere: Some(key), by_programs: Some(key), ..before },
        };
        self.after.insert(key, after);
    }

    /// Forgets a vertex, whose key may be used again.
    pub(super) fn forget(&mut self, key: VertexKey) {
        self.changed.remove(&key);
        self.after.remove(&key);
    }

    /// Returns the nearest earlier vertex of which a check with these effects misses changes.
    pub(super) fn missed_by(&mut self, engine: &Engine, key: VertexKey, effects: Effects) -> Option<VertexKey> {
        let before = self.before(engine, key);
        before.elsewhere.or(before.in_files.filter(|_| effects != Effects::Files))
    }

    /// Returns the nearest earlier vertex that runs programs.
    pub(super) fn program_before(&mut self, engine: &Engine, key: VertexKey) -> Option<VertexKey> {
        self.before(engine, key).by_programs
    }

    /// Returns the resource that notified the running check, if all that did may change nothing.
    pub(super) fn uncertain_cause<'e>(&self, engine: &'e Engine, key: VertexKey) -> Option<&'e ResourceId> {
        let mut causes = engine.notified_by(key).peekable();
        let first = *causes.peek()?;
        causes.all(|cause| self.uncertain.contains(cause)).then_some(first)
    }

    /// Returns what is unseen before a vertex. Predecessors that are never checked pass on what they inherit.
    fn before(&mut self, engine: &Engine, key: VertexKey) -> Unseen {
        let mut todo = vec![key];
        loop {
            let Some(&at) = todo.last() else { return Unseen::default() };
            let unvisited = engine.predecessors(at).find(|above| !self.after.contains_key(above));
            if let Some(above) = unvisited {
                todo.push(above);
                continue;
            }
            let merged = self.merged(engine.predecessors(at));
            if todo.len() == 1 {
                return merged;
            }
            self.after.insert(at, merged);
            todo.pop();
        }
    }

    /// Returns what is unseen after any of these vertices. A vertex that changed something itself comes first.
    fn merged(&self, vertices: impl Iterator<Item = VertexKey>) -> Unseen {
        let mut merged = Unseen::default();
        for key in vertices {
            let Some(after) = self.after.get(&key) else { continue };
            let pick = |found: Option<VertexKey>, other: Option<VertexKey>| match (found, other) {
                (None, other) => other,
                (Some(_), Some(other)) if other == key => Some(other),
                (found, _) => found,
            };
            merged = Unseen {
                in_files: pick(merged.in_files, after.in_files),
                elsewhere: pick(merged.elsewhere, after.elsewhere),
                by_programs: pick(merged.by_programs, after.by_programs),
            };
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use resource_engine::{Config, EngineGraph, Event, GroupEdge};
    use resource_graph::Resource;

    use super::*;

    /// An engine with the graph `0 -> 1 -> 2 -> 3`.
    fn chain() -> Engine {
        let mut engine = Engine::new(Config { once: true, ..Config::default() });
        let groups = (0..4).map(|i| Resource::new(ResourceId::new("noop", format!("{i}"))).into()).collect();
        let edges = (0..3).map(|i| GroupEdge { from: i, to: i + 1, notify: false }).collect();
        let graph = EngineGraph::new(groups, edges, Vec::new()).expect("no cycle");
        engine.step(Event::Swap(Box::new(graph)), Duration::ZERO);
        engine
    }

    /// Returns, for each vertex and each kind of effects, which vertex a check misses, if these vertices change something.
    fn missed(changes: &[(u32, Effects)]) -> [[Option<u32>; 4]; 2] {
        let engine = chain();
        let mut unseen = UnseenChanges::default();
        changes.iter().for_each(|(key, effects)| unseen.add(VertexKey(*key), *effects));
        // Vertex 1 is never checked.
        [0, 2, 3].map(VertexKey).into_iter().for_each(|key| unseen.pass_on(&engine, key));
        [Effects::Files, Effects::Machine].map(|effects| {
            [0, 1, 2, 3].map(|key| unseen.missed_by(&engine, VertexKey(key), effects).map(|VertexKey(key)| key))
        })
    }

    #[test]
    fn changes_of_files_are_seen_by_checks_of_files() {
        let (none, some) = ([None; 4], [None, Some(0), Some(0), Some(0)]);
        assert_eq!(missed(&[(0, Effects::Files)]), [none, some]);
        assert_eq!(missed(&[(0, Effects::Machine)]), [some, some]);
        assert_eq!(missed(&[]), [none, none]);
    }

    #[test]
    fn nearest_change_is_named() {
        let [files, _] = missed(&[(0, Effects::Machine), (2, Effects::Programs)]);
        assert_eq!(files, [None, Some(0), Some(0), Some(2)]);
    }

    #[test]
    fn only_programs_change_anything() {
        let engine = chain();
        let mut unseen = UnseenChanges::default();
        unseen.add(VertexKey(0), Effects::Machine);
        unseen.add(VertexKey(2), Effects::Programs);
        [0, 1, 2].map(VertexKey).into_iter().for_each(|key| unseen.pass_on(&engine, key));
        let before = [2, 3].map(|key| unseen.program_before(&engine, VertexKey(key)));
        assert_eq!(before, [None, Some(VertexKey(2))]);
    }
}
