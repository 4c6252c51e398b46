//! Two streams of graphs into one: a state machine without I/O.

use graph_merge::{MergeOptions, merge};
use mcl_diagnostics::Diagnostic;
use resource_graph::ResourceGraph;

/// Where a graph comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The mcl program.
    Mcl,
    /// The Puppet catalog.
    Puppet,
}

/// What a side says.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "made once an event and moved on at once; almost all are graphs")]
pub enum SideEvent {
    /// A new graph.
    Graph(ResourceGraph),
    /// It has no graph now; the last good one stays in force.
    Failed(Vec<Diagnostic>),
}

/// What follows from an event.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made once an event and moved on at once; almost all are graphs")]
pub enum Mixed {
    /// A side has not delivered its first graph yet.
    Waiting,
    /// A new graph to apply, with warnings of the merge.
    Graph(ResourceGraph, Vec<Diagnostic>),
    /// Something is wrong; what runs goes on.
    Failed(Vec<Diagnostic>),
}

/// Joins the streams of the sides that take part.
#[derive(Debug)]
pub struct Mixer {
    /// For each side that takes part its latest graph.
    mcl: Option<Option<ResourceGraph>>,
    puppet: Option<Option<ResourceGraph>>,
    options: MergeOptions,
}

impl Mixer {
    /// A mixer for the given sides; at least one must take part.
    #[must_use]
    pub fn new(mcl: bool, puppet: bool, options: MergeOptions) -> Mixer {
        Mixer { mcl: mcl.then_some(None), puppet: puppet.then_some(None), options }
    }

    /// Handles all events that are waiting at once, in the order in which they came: of several graphs of one side only the
    /// last matters, so a burst costs one merge. A failure is told even when another event follows it.
    pub fn handle(&mut self, events: impl IntoIterator<Item = (Side, SideEvent)>) -> Vec<Mixed> {
        let mut out = Vec::new();
        let mut fresh = false;
        for (side, event) in events {
            match event {
                SideEvent::Graph(graph) => {
                    let slot = match side {
                        Side::Mcl => &mut self.mcl,
                        Side::Puppet => &mut self.puppet,
                    };
                    if let Some(slot) = slot {
                        *slot = Some(graph);
                        fresh = true;
                    }
                }
                // A failing side does not wait for the other one to be told.
                SideEvent::Failed(diagnostics) => out.push(Mixed::Failed(diagnostics)),
            }
        }
        if fresh {
            out.push(self.combined());
        }
        out
    }

    fn combined(&mut self) -> Mixed {
        match (&mut self.mcl, &mut self.puppet) {
            // A side alone is never merged again, so nothing of it is kept.
            (Some(only), None) | (None, Some(only)) => {
                only.take().map_or(Mixed::Waiting, |graph| Mixed::Graph(graph, Vec::new()))
            }
            (Some(Some(mcl)), Some(Some(puppet))) => match merge(mcl, puppet, &self.options) {
                Ok(merged) => Mixed::Graph(merged.graph, merged.warnings),
                Err(errors) => Mixed::Failed(errors),
            },
            (Some(_), Some(_)) | (None, None) => Mixed::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::{Code, Stage};
    use resource_graph::{Resource, ResourceId};

    use super::*;

    /// A graph that says which version of its side it is.
    fn graph(side: Side, version: u32) -> ResourceGraph {
        let mut graph = ResourceGraph::new();
        graph.add(Resource::new(ResourceId::new("noop", format!("{side:?}-{version}"))));
        graph
    }

    fn names(mixed: &Mixed) -> Vec<String> {
        match mixed {
            Mixed::Graph(graph, _) => graph.resources().map(|(_, r)| r.id.name.to_string()).collect(),
            Mixed::Waiting => vec!["waiting".to_owned()],
            Mixed::Failed(_) => vec!["failed".to_owned()],
        }
    }

    /// Every interleaving of two sequences of lengths `a` and `b`: which side goes at each step.
    fn interleavings(a: usize, b: usize) -> Vec<Vec<Side>> {
        if a == 0 || b == 0 {
            return vec![[vec![Side::Mcl; a], vec![Side::Puppet; b]].concat()];
        }
        let mut all = Vec::new();
        for (side, rest) in [(Side::Mcl, interleavings(a - 1, b)), (Side::Puppet, interleavings(a, b - 1))] {
            all.extend(rest.into_iter().map(|tail| [vec![side], tail].concat()));
        }
        all
    }

    /// Every way to cut `n` events into batches that are handled at once, as a bit set of cuts.
    fn batches(events: &[Side], cuts: u32) -> Vec<Vec<Side>> {
        let mut out = vec![Vec::new()];
        for (i, side) in events.iter().enumerate() {
            out.last_mut().expect("not empty").push(*side);
            if i + 1 < events.len() && cuts & (1 << i) != 0 {
                out.push(Vec::new());
            }
        }
        out
    }

    #[test]
    fn in_every_interleaving_and_batching_the_newest_graphs_are_merged_exactly_once_a_batch() {
        let mut runs = 0;
        for order in interleavings(3, 3) {
            for cuts in 0..1u32 << (order.len() - 1) {
                runs += 1;
                let mut mixer = Mixer::new(true, true, MergeOptions::default());
                let (mut mcl, mut puppet) = (0, 0);
                for batch in batches(&order, cuts) {
                    let events: Vec<(Side, SideEvent)> = batch
                        .into_iter()
                        .map(|side| {
                            let version = match side {
                                Side::Mcl => &mut mcl,
                                Side::Puppet => &mut puppet,
                            };
                            *version += 1;
                            (side, SideEvent::Graph(graph(side, *version)))
                        })
                        .collect();
                    let out = mixer.handle(events);
                    assert_eq!(out.len(), 1, "one answer a batch");
                    let expected = if mcl == 0 || puppet == 0 {
                        vec!["waiting".to_owned()]
                    } else {
                        vec![format!("Mcl-{mcl}"), format!("Puppet-{puppet}")]
                    };
                    assert_eq!(names(&out[0]), expected);
                }
            }
        }
        assert_eq!(runs, 20 * 32);
    }

    #[test]
    fn a_failing_side_is_told_at_once_and_keeps_its_last_graph() {
        let failed = || SideEvent::Failed(vec![Diagnostic::error(Code::P0101, Stage::Puppet, "broken")]);
        let mut mixer = Mixer::new(true, true, MergeOptions::default());
        assert!(matches!(mixer.handle([(Side::Puppet, failed())])[..], [Mixed::Failed(_)]));
        mixer.handle([(Side::Puppet, SideEvent::Graph(graph(Side::Puppet, 1)))]);
        mixer.handle([(Side::Mcl, SideEvent::Graph(graph(Side::Mcl, 1)))]);
        let out = mixer.handle([(Side::Puppet, failed()), (Side::Mcl, SideEvent::Graph(graph(Side::Mcl, 2)))]);
        assert_eq!(out.iter().map(names).collect::<Vec<_>>(), [vec!["failed"], vec!["Mcl-2", "Puppet-1"]]);
    }

    #[test]
    fn one_side_alone_passes_through() {
        let mut mixer = Mixer::new(false, true, MergeOptions::default());
        let out = mixer.handle([(Side::Puppet, SideEvent::Graph(graph(Side::Puppet, 1)))]);
        assert_eq!(names(&out[0]), ["Puppet-1"]);
    }
}
