//! What must be true between two rounds.

use crate::Engine;
use crate::node::{Binding, Input, Kind, Slot, State};

/// Panics if the engine's tables do not fit together.
pub(super) fn check(engine: &Engine) {
    assert!(engine.unread.is_empty() && engine.unkept.is_empty(), "work is left");
    for (id, node) in engine.nodes.iter() {
        assert!(!node.queued, "{id:?} is still queued");
        assert!(!node.orphan, "{id:?} outlived its frame");
        let frozen = engine.frozen_by(id).is_some();
        assert!(frozen || !matches!(node.state, State::New), "{id:?} was never evaluated");
        assert!(node.pinned || !node.dependents.is_empty(), "{id:?} is read by nobody");
        let frame = engine.frames.get(node.frame).expect("a node's frame is alive");
        match node.slot {
            Slot::Node(n) => assert_eq!(frame.nodes[n as usize], Some(id)),
            Slot::Parameter(p) => {
                assert!(matches!(&frame.params[p as usize], Binding::Element { node: Some(n), .. } if *n == id));
            }
            Slot::None => {}
        }
        if let Some(scope) = frame.scope {
            assert!(node.height > engine.nodes[scope].height, "{id:?} is not above the control of its frame");
        }
        for (index, input) in node.inputs.iter().enumerate() {
            let Input::Node { node: source, position } = input else { continue };
            let source = &engine.nodes[*source];
            assert!(node.height > source.height, "{id:?} is not above its input");
            let back = source.dependents[*position as usize];
            assert_eq!((back.node, back.input as usize), (id, index), "an edge is known at both ends");
        }
        for dependent in &node.dependents {
            let input = &engine.nodes[dependent.node].inputs[dependent.input as usize];
            assert!(matches!(input, Input::Node { node, .. } if *node == id));
        }
        node.kind.frames(|frame| assert!(engine.frames.get(frame).is_some(), "{id:?} owns a frame that is gone"));
    }
    assert_eq!(engine.pending, pending(engine), "pending nodes are counted");
    for (control, frozen) in &engine.frozen {
        let control = engine.nodes.get(*control).expect("what freezes exists");
        assert!(matches!(control.state, State::Pending) && !frozen.is_empty());
    }
    let owned: usize = engine
        .nodes
        .iter()
        .map(|(_, node)| {
            let mut count = 0;
            node.kind.frames(|_| count += 1);
            count
        })
        .sum();
    assert_eq!(engine.frames.len(), owned + 1, "every frame but the top has an owner");
}

/// The live nodes, told by what they are rather than by who they are.
pub(super) fn census(engine: &Engine) -> Vec<(u32, String)> {
    let mut all: Vec<(u32, String)> = engine
        .nodes
        .iter()
        .map(|(_, node)| (engine.frames[node.frame].template.0, format!("{:?} {}", node.slot, sort(&node.kind))))
        .collect();
    all.sort();
    all
}

fn sort(kind: &Kind) -> &'static str {
    match kind {
        Kind::Busy => "busy",
        Kind::List => "list",
        Kind::Map => "map",
        Kind::Struct(_) => "struct",
        Kind::Plain(_) => "plain",
        Kind::Live(_) => "live",
        Kind::Func => "func",
        Kind::Forward(_) => "forward",
        Kind::Element => "element",
        Kind::Output(_) => "output",
        Kind::If(_) => "if",
        Kind::Except(_) => "except",
        Kind::Call(_) => "call",
        Kind::Iterate(_) => "iterate",
        Kind::IfStatement(_) => "if statement",
        Kind::Loop(_) => "loop",
        Kind::Sink => "sink",
        Kind::Keep => "keep",
    }
}

/// How many nodes are pending.
pub(super) fn pending(engine: &Engine) -> usize {
    engine.nodes.iter().filter(|(_, node)| matches!(node.state, State::Pending)).count()
}

/// How many live functions watch something.
pub(super) fn watches(engine: &Engine) -> usize {
    let count = |kind: &Kind| if let Kind::Live(live) = kind { live.watches.len() } else { 0 };
    engine.nodes.iter().map(|(_, node)| count(&node.kind)).sum()
}
