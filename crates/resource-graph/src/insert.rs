//! Building the graph of a program: duplicates (spec 05 §4.1, spec 04 §3.8) and send/recv (spec 02 §5.8, spec 06 §5).

use std::sync::Arc;

use crate::{
    Difference, Endpoint, Repr, Resource, ResourceGraph, ResourceId, ResourceKind, SendRecv, VertexId, difference, kind,
};

/// Two resources that cannot both be in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateError {
    /// The kind and name of both.
    pub id: ResourceId,
    /// The vertex that is in the graph already.
    pub existing: VertexId,
    /// The host that both are exported to, if the conflict is between exports.
    pub export: Option<String>,
    /// The first difference.
    pub difference: Difference,
}

impl std::fmt::Display for DuplicateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.export {
            Some(host) => write!(f, "conflicting exports of {} to `{host}`: {}", self.id, self.difference),
            None => write!(f, "conflicting declarations of {}: {}", self.id, self.difference),
        }
    }
}

impl std::error::Error for DuplicateError {}

/// Why a value cannot be sent from one resource to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the message of each variant explains its fields")]
pub enum FlowError {
    UnknownKind {
        kind: String,
    },
    /// The kind sends nothing.
    NoSender {
        kind: &'static str,
    },
    /// The kind does not send this key.
    NoSendKey {
        kind: &'static str,
        key: String,
    },
    /// The kind receives nothing.
    NoReceiver {
        kind: &'static str,
    },
    NoField {
        kind: &'static str,
        field: String,
    },
    Mismatch {
        sent: String,
        received: String,
    },
    /// Hidden resources do not run, so they do not send.
    HiddenSender {
        id: ResourceId,
    },
    /// The field has another sender already.
    TwoSenders {
        receiver: ResourceId,
        field: String,
        first: ResourceId,
    },
}

impl std::fmt::Display for FlowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FlowError::UnknownKind { kind } => write!(f, "unknown resource kind `{kind}`"),
            FlowError::NoSender { kind } => write!(f, "`{kind}` does not send values"),
            FlowError::NoSendKey { kind, key } => write!(f, "`{kind}` does not send `{key}`"),
            FlowError::NoReceiver { kind } => write!(f, "`{kind}` does not receive values"),
            FlowError::NoField { kind, field } => write!(f, "`{kind}` has no parameter `{field}`"),
            FlowError::Mismatch { sent, received } => {
                write!(f, "mismatched types: `{sent}` is sent, `{received}` is received")
            }
            FlowError::HiddenSender { id } => write!(f, "{id} is hidden, and hidden resources do not send"),
            FlowError::TwoSenders { receiver, field, first } => {
                write!(f, "`{field}` of {receiver} already receives from {first}")
            }
        }
    }
}

impl std::error::Error for FlowError {}

/// Checks whether a value can be sent between two kinds.
///
/// # Errors
/// The first violation.
pub fn check_flow(from: &str, key: &str, to: &str, field: &str) -> Result<(), FlowError> {
    let known = |name: &str| kind(name).ok_or_else(|| FlowError::UnknownKind { kind: name.to_owned() });
    let (sender, receiver): (&ResourceKind, &ResourceKind) = (known(from)?, known(to)?);
    if sender.sends.is_empty() {
        return Err(FlowError::NoSender { kind: sender.name });
    }
    let sent = sender.send(key).ok_or_else(|| FlowError::NoSendKey { kind: sender.name, key: key.to_owned() })?;
    if !receiver.traits.receive {
        return Err(FlowError::NoReceiver { kind: receiver.name });
    }
    let received =
        receiver.field(field).ok_or_else(|| FlowError::NoField { kind: receiver.name, field: field.to_owned() })?;
    let checked_later = sent.optional || received.optional || sent.ty == "any" || received.ty == "any";
    if checked_later || (sent.ty == received.ty && received.repr == Repr::Plain) {
        return Ok(());
    }
    Err(FlowError::Mismatch { sent: sent.ty.to_owned(), received: received.host_type() })
}

impl ResourceGraph {
    /// Adds a resource of a program. Equal declarations of one resource become one vertex, and so do declarations that the
    /// kind can merge. Hidden resources conflict with nothing.
    ///
    /// # Errors
    /// A resource with the same kind and name differs.
    pub fn insert(&mut self, resource: impl Into<Arc<Resource>>) -> Result<VertexId, DuplicateError> {
        let resource = resource.into();
        for host in &resource.meta.export {
            if let Some(existing) = self.exporter(&resource.id, host)
                && let Some(difference) = difference(self.resource(existing), &resource)
            {
                return Err(DuplicateError {
                    id: resource.id.clone(),
                    existing,
                    export: Some(host.clone()),
                    difference,
                });
            }
        }
        if resource.meta.hidden {
            let existing = {
                let mut namesakes = self.find_all(&resource.id.kind, &resource.id.name);
                namesakes.find(|v| difference(self.resource(*v), &resource).is_none())
            };
            if let Some(existing) = existing {
                self.hide(existing, &resource);
                return Ok(existing);
            }
        } else if let Some(existing) = self.visible(&resource.id) {
            match merge(self.resource(existing), &resource) {
                Ok(Some(merged)) => self.resource_mut(existing).params = merged.params,
                Ok(None) => {}
                Err(difference) => {
                    return Err(DuplicateError { id: resource.id.clone(), existing, export: None, difference });
                }
            }
            self.hide(existing, &resource);
            return Ok(existing);
        }
        let vertex = self.add(Arc::clone(&resource));
        for host in &resource.meta.export {
            self.record_exporter(resource.id.clone(), host, vertex);
        }
        Ok(vertex)
    }

    /// Makes the parameters of a vertex sensitive that are in an equal declaration.
    pub fn hide(&mut self, vertex: VertexId, equal: &Resource) {
        for name in &equal.sensitive {
            if !self.resource(vertex).sensitive.contains(name) {
                self.resource_mut(vertex).sensitive.push(Arc::clone(name));
            }
        }
    }

    /// Connects a send key to a field. Does not add the ordering edge.
    ///
    /// # Errors
    /// The value cannot be sent.
    pub fn connect(&mut self, from: Endpoint, to: Endpoint) -> Result<(), FlowError> {
        let (sender, receiver) = (self.resource(from.vertex), self.resource(to.vertex));
        if sender.meta.hidden {
            return Err(FlowError::HiddenSender { id: sender.id.clone() });
        }
        check_flow(&sender.id.kind, &from.key, &receiver.id.kind, &to.key)?;
        let flow = SendRecv { from, to };
        if self.record_flow(flow.clone()) {
            return Ok(());
        }
        let first = self.sender_of(&flow.to).map_or(flow.from.vertex, |sender| sender.vertex);
        Err(FlowError::TwoSenders {
            receiver: self.resource(flow.to.vertex).id.clone(),
            field: flow.to.key.to_string(),
            first: self.resource(first).id.clone(),
        })
    }
}

/// Merges two declarations of one resource: `None` if the first one needs no change.
fn merge(first: &Resource, second: &Resource) -> Result<Option<Resource>, Difference> {
    match kind(&first.id.kind).and_then(|k| k.merge) {
        Some(merge) => merge(first, second),
        None => difference(first, second).map_or(Ok(None), Err),
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[test]
    fn equal_declarations_become_one_vertex() {
        let mut g = ResourceGraph::new();
        let first = g.insert(resource("file", "/a").with("content", "x")).unwrap();
        assert_eq!(g.insert(resource("file", "/a").with("content", "x").with("state", "")), Ok(first));
        let error = g.insert(resource("file", "/a").with("content", "y")).unwrap_err();
        assert_eq!(error.existing, first);
        assert_eq!(
            error.to_string(),
            r#"conflicting declarations of file[/a]: `content` is "x" in one and "y" in the other"#
        );
    }

    #[test]
    fn a_parameter_that_one_of_two_equal_declarations_hides_is_hidden() {
        let mut g = ResourceGraph::new();
        let file = || resource("file", "/a").with("content", "x");
        let vertex = g.insert(file()).unwrap();
        let mut hidden = file();
        hidden.sensitive.push("content".into());
        assert_eq!(g.insert(hidden), Ok(vertex));
        assert_eq!(g.resource(vertex).sensitive, ["content".into()]);
        let error = g.insert(resource("file", "/a").with("content", "y")).unwrap_err().to_string();
        assert!(!error.contains(['x', 'y']), "{error}");
    }

    #[test]
    fn installed_and_newest_become_newest() {
        for states in [["installed", "newest"], ["newest", "installed"], ["newest", "newest"]] {
            let mut g = ResourceGraph::new();
            for state in states {
                g.insert(resource("pkg", "x").with("state", state)).unwrap();
            }
            assert_eq!(g.len(), 1);
            assert_eq!(g.resource(VertexId(0)).params["state"], Value::str("newest"));
        }
        let mut g = ResourceGraph::new();
        g.insert(resource("pkg", "x")).unwrap();
        g.insert(resource("pkg", "x").with("state", "newest")).unwrap();
        assert_eq!(g.resource(VertexId(0)).params["state"], Value::str("newest"));
        assert!(g.insert(resource("pkg", "x").with("state", "1.2")).is_err());
        assert!(g.insert(resource("pkg", "x").with("state", "newest").with("allowuntrusted", true)).is_err());
    }

    #[test]
    fn hidden_resources_collapse_when_equal_and_conflict_with_nothing() {
        let hidden = |content: &str| {
            let mut r = resource("file", "/a").with("content", content);
            r.meta.hidden = true;
            r
        };
        let mut g = ResourceGraph::new();
        for content in ["x", "x", "y", "x"] {
            g.insert(hidden(content)).unwrap();
        }
        g.insert(resource("file", "/a").with("content", "z")).unwrap();
        assert_eq!(g.len(), 3, "x, y, and the visible z");
        assert_eq!(g.find_all("file", "/a").count(), 3);
    }

    #[test]
    fn exports_to_one_host_must_agree() {
        let exported = |content: &str, hosts: &[&str]| {
            let mut r = resource("file", "/a").with("content", content);
            r.meta.hidden = true;
            r.meta.export = hosts.iter().map(|h| h.to_string()).collect();
            r
        };
        let mut g = ResourceGraph::new();
        g.insert(exported("x", &["h1"])).unwrap();
        g.insert(exported("y", &["h2"])).unwrap();
        let error = g.insert(exported("z", &["h3", "h2"])).unwrap_err();
        assert_eq!(error.export.as_deref(), Some("h2"));
    }

    #[test]
    fn flows_are_checked() {
        #[track_caller]
        fn check(from: &str, key: &str, to: &str, field: &str, expected: &str) {
            let result = check_flow(from, key, to, field);
            assert_eq!(result.map_or_else(|e| e.to_string(), |()| "ok".into()), expected);
        }
        check("exec", "stdout", "file", "content", "ok");
        check("test", "answer", "test", "int", "ok");
        check("test", "answer", "test", "int8ptr", "ok");
        check("value", "any", "test", "int8", "ok");
        check("test", "answer", "test", "int8", "mismatched types: `int` is sent, `int8` is received");
        check("test", "answer", "test", "str", "mismatched types: `int` is sent, `str` is received");
        check("file", "content", "file", "content", "`file` does not send values");
        check("exec", "exit", "file", "content", "`exec` does not send `exit`");
        check("exec", "stdout", "exec", "cmd", "`exec` does not receive values");
        check("exec", "stdout", "file", "text", "`file` has no parameter `text`");
    }

    #[test]
    fn a_field_has_one_sender() {
        let mut g = ResourceGraph::new();
        let a = g.add(resource("exec", "a"));
        let b = g.add(resource("exec", "b"));
        let f = g.add(resource("file", "/f"));
        let end = |vertex, key: &str| Endpoint { vertex, key: key.into() };
        g.connect(end(a, "stdout"), end(f, "content")).unwrap();
        g.connect(end(a, "stdout"), end(f, "content")).unwrap();
        assert_eq!(g.sendrecv().len(), 1);
        let error = g.connect(end(b, "stdout"), end(f, "content")).unwrap_err();
        assert_eq!(error.to_string(), "`content` of file[/f] already receives from exec[a]");
        g.resource_mut(b).meta.hidden = true;
        assert!(matches!(g.connect(end(b, "stdout"), end(f, "mode")), Err(FlowError::HiddenSender { .. })));
    }
}
