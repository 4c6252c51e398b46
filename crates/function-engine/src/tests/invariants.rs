//! Invariants between two rounds.

use mcl_artifact::program::TemplateId;

use crate::engine::Engine;
use crate::node::{Binding, Input, NodeKind, Slot, State, StatementState};

/// Panics if an invariant of the engine is violated.
pub(super) fn check(engine: &Engine) {
    assert!(engine.dead_candidates.is_empty() && engine.frames_without_keepalive.is_empty(), "work is left over");
    for (id, node) in engine.nodes.iter() {
        assert!(!node.queued, "{id:?} is still queued");
        assert!(!node.orphan, "{id:?} outlived its frame");
        let frozen = engine.frozen_by(id).is_some();
        assert!(frozen || !matches!(node.state, State::New), "{id:?} was never evaluated");
        assert!(node.pinned || !node.dependents.is_empty(), "{id:?} has no dependents");
        let frame = engine.frames.get(node.frame).expect("the frame of a node exists");
        match node.slot {
            Slot::Node(n) => assert_eq!(frame.node(n), Some(id)),
            Slot::Parameter(p) => {
                assert!(matches!(&frame.params[p], Binding::Element { node: Some(n), .. } if *n == id));
            }
            Slot::Statement(n) => assert!(matches!(frame.statements[n], StatementState::Node(node) if node == id)),
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
            assert_eq!((back.node, back.input as usize), (id, index), "an edge is recorded at both ends");
        }
        for dependent in &node.dependents {
            let input = &engine.nodes[dependent.node].inputs[dependent.input as usize];
            assert!(matches!(input, Input::Node { node, .. } if *node == id));
        }
        node.kind.frames(|frame| assert!(engine.frames.get(frame).is_some(), "{id:?} owns a removed frame"));
    }
    assert_eq!(engine.pending, pending(engine), "pending nodes are counted");
    let streams = engine.nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::Stream(_)));
    assert_eq!(engine.streams, streams.count(), "streaming functions are counted");
    for (control, frozen) in &engine.frozen {
        let control = engine.nodes.get(*control).expect("a control with frozen nodes exists");
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
    assert_eq!(engine.frames.len(), owned + 1, "every frame except the top frame has an owner");
}

/// Returns a description of every node that does not depend on its id, sorted.
pub(super) fn census(engine: &Engine) -> Vec<(TemplateId, String)> {
    let mut all: Vec<(TemplateId, String)> = engine
        .nodes
        .iter()
        .map(|(_, node)| (engine.frames[node.frame].template, format!("{:?} {}", node.slot, kind_name(&node.kind))))
        .collect();
    all.sort();
    all
}

fn kind_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Busy => "busy",
        NodeKind::List => "list",
        NodeKind::Map => "map",
        NodeKind::Struct(_) => "struct",
        NodeKind::Plain(_) => "plain",
        NodeKind::Stream(_) => "stream",
        NodeKind::Answered(_) => "answered",
        NodeKind::Func => "func",
        NodeKind::Forward(_) => "forward",
        NodeKind::Element => "element",
        NodeKind::Output(_) => "output",
        NodeKind::If(_) => "if",
        NodeKind::Except(_) => "except",
        NodeKind::Call(_) => "call",
        NodeKind::Iterate(_) => "iterate",
        NodeKind::IfStatement(_) => "if statement",
        NodeKind::Loop(_) => "loop",
        NodeKind::StatementNode => "statement",
        NodeKind::KeepAlive => "keep-alive",
    }
}

/// Returns the number of pending nodes.
pub(super) fn pending(engine: &Engine) -> usize {
    engine.nodes.iter().filter(|(_, node)| matches!(node.state, State::Pending)).count()
}

/// Returns the number of watches of streaming functions.
pub(super) fn watches(engine: &Engine) -> usize {
    let count = |kind: &NodeKind| if let NodeKind::Stream(stream) = kind { stream.watches.len() } else { 0 };
    engine.nodes.iter().map(|(_, node)| count(&node.kind)).sum()
}
