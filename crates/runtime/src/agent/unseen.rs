//! What a plan cannot know: what depends on changes that are only announced.
//!
//! A plan changes files in an overlay, so whatever depends on them finds them. Other changes, such as running a command or
//! creating a user, are announced without being made. A check that fails after one of them may succeed once it is made, so its
//! result is unknown. A check that reads more than files does not see changes in the overlay either. A check after a program
//! that has not run sees its files as they are before it runs.
//!
//! What a vertex cannot see is what its predecessors cannot see, and what they changed. Each vertex inherits it once, when
//! its check ends, so a plan takes time linear in the number of edges. From one that comes first only because both edit the
//! same thing, a vertex inherits what that one cannot see; what that one changes is in the overlay or does not concern it, unless
//! it is uncertain.

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
    /// It runs programs, which may change anything, or it is uncertain what it makes of the thing that both edit.
    by_programs: Option<VertexKey>,
}

/// What vertices after another one cannot see.
#[derive(Clone, Copy, Debug)]
struct After {
    /// Those that need it.
    dependents: Unseen,
    /// Those that come later only because they edit the same thing.
    others: Unseen,
}

/// The planned changes that some checks cannot see.
#[derive(Debug, Default)]
pub(super) struct UnseenChanges {
    /// The vertices with planned changes.
    changed: FxHashMap<VertexKey, Effects>,
    /// What is unseen after each vertex.
    after: FxHashMap<VertexKey, After>,
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
        let dependents = match self.changed.get(&key) {
            None => before,
            Some(Effects::Files) => Unseen { in_files: Some(key), ..before },
            Some(Effects::Machine) => Unseen { elsewhere: Some(key), ..before },
            Some(Effects::Programs) => Unseen { elsewhere: Some(key), by_programs: Some(key), ..before },
        };
        let others = if engine.id(key).is_some_and(|id| self.uncertain.contains(id)) {
            Unseen { elsewhere: Some(key), by_programs: Some(key), ..before }
        } else {
            before
        };
        self.after.insert(key, After { dependents, others });
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
            let unvisited = engine.predecessors(at).find(|(above, _)| !self.after.contains_key(above));
            if let Some((above, _)) = unvisited {
                todo.push(above);
                continue;
            }
            let merged = self.merged(engine.predecessors(at));
            if todo.len() == 1 {
                return merged;
            }
            self.after.insert(at, After { dependents: merged, others: merged });
            todo.pop();
        }
    }

    /// Returns what these predecessors pass on. A vertex that changed something itself comes first.
    fn merged(&self, predecessors: impl Iterator<Item = (VertexKey, bool)>) -> Unseen {
        let mut merged = Unseen::default();
        for (key, is_needed) in predecessors {
            let Some(after) = self.after.get(&key) else { continue };
            let after = if is_needed { after.dependents } else { after.others };
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
        engine(Config { once: true, ..Config::default() }, &[(0, 1), (1, 2), (2, 3)])
    }

    fn engine(config: Config, edges: &[(u32, u32)]) -> Engine {
        let mut engine = Engine::new(config);
        let groups = (0..4).map(|i| Resource::new(ResourceId::new("noop", format!("{i}"))).into()).collect();
        let edges = edges.iter().map(|(from, to)| GroupEdge { from: *from, to: *to, notify: false }).collect();
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
    #[test]
    fn what_edits_the_same_thing_later_misses_what_an_edit_misses() {
        let exclusive = |_: &Resource| vec!["edit".to_owned()];
        let engine = engine(Config { once: true, exclusive: Some(exclusive), ..Config::default() }, &[(0, 1), (3, 2)]);
        // They are checked in the order 0, 3, 1, 2.
        let programs = |uncertain: &[u32]| {
            let mut unseen = UnseenChanges::default();
            unseen.add(VertexKey(0), Effects::Programs);
            unseen.add(VertexKey(1), Effects::Programs);
            uncertain.iter().for_each(|i| unseen.add_uncertain(ResourceId::new("noop", i.to_string())));
            [0, 3, 1, 2].map(VertexKey).into_iter().for_each(|key| unseen.pass_on(&engine, key));
            [3, 1, 2].map(|key| unseen.program_before(&engine, VertexKey(key)).map(|VertexKey(key)| key))
        };
        assert_eq!(programs(&[]), [None, Some(0), Some(0)]);
        assert_eq!(programs(&[1]), [None, Some(0), Some(1)]);
    }
}
