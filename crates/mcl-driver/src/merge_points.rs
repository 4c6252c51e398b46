//! Checks the merge points of a program against a Puppet catalog at compile time (spec 07 §4).
//!
//! The compiler does not run programs, so it looks at the constant part of one: resources whose names it could compute,
//! and the edges between them. A branch or loop that depends on values of the run time may or may not contribute its
//! statements: its merge points count as present, its edges do not count.

use graph_merge::{MergeOptions, UnmatchedPolicy};
use mcl_artifact::program::{
    Closure, ConstId, Constant, EdgeProperty, EntryKind, Half, Operand, Program, ResourceStmt, Statement, StrId,
    Template,
};
use mcl_diagnostics::Diagnostic;
use mcl_value::Value;
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId};

/// Returns what is wrong between a program and the translated catalog that it is to be merged with.
#[must_use]
pub fn check_merge_points(program: &Program, puppet: &ResourceGraph) -> Vec<Diagnostic> {
    let Some((_, main)) = program.templates.last() else { return Vec::new() };
    let mut constant =
        ConstantPart { program, puppet, graph: ResourceGraph::new(), edges: Vec::new(), all_noops_named: true };
    constant.template(main, Presence::Always);
    // A noop whose name is computed at run time may be the missing partner.
    let unmatched = if constant.all_noops_named { UnmatchedPolicy::Error } else { UnmatchedPolicy::Warn };
    match graph_merge::merge(&constant.into_graph(), puppet, &MergeOptions { unmatched }) {
        Ok(merged) => merged.warnings,
        Err(errors) => errors,
    }
}

/// Whether a statement contributes to every graph of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Always,
    /// It is in a branch or a loop that depends on values of the run time.
    Sometimes,
}

/// An edge between resources, which may be missing in the constant part.
struct NamedEdge {
    from: ResourceId,
    to: ResourceId,
    notify: bool,
}

/// The constant part of a program.
struct ConstantPart<'a> {
    program: &'a Program,
    puppet: &'a ResourceGraph,
    graph: ResourceGraph,
    edges: Vec<NamedEdge>,
    /// Whether the names of all noops are constant.
    all_noops_named: bool,
}

impl ConstantPart<'_> {
    fn template(&mut self, template: &Template, presence: Presence) {
        for statement in template.statements.values() {
            match statement {
                Statement::Resource(resource) => self.resource(resource, presence),
                Statement::Edge { halves, .. } if presence == Presence::Always => {
                    for pair in halves.windows(2) {
                        self.edge(&pair[0], &pair[1]);
                    }
                }
                Statement::Edge { .. } => {}
                Statement::If { then, otherwise, .. } => {
                    self.closure(then);
                    otherwise.iter().for_each(|branch| self.closure(branch));
                }
                Statement::For { body, .. } | Statement::ForKv { body, .. } => self.closure(body),
            }
        }
    }

    fn closure(&mut self, closure: &Closure) {
        let program = self.program;
        if let Some(template) = program.templates.get(closure.template) {
            self.template(template, Presence::Sometimes);
        }
    }

    fn resource(&mut self, statement: &ResourceStmt, presence: Presence) {
        let kind = self.string(statement.kind).to_owned();
        let Some(names) = self.names(statement.name) else {
            self.all_noops_named &= kind != "noop";
            return;
        };
        for name in names {
            let is_merge_point = kind == "noop" && name.starts_with("puppet_");
            if presence == Presence::Sometimes && !is_merge_point {
                continue;
            }
            let id = ResourceId::new(kind.as_str(), name.as_str());
            let mut resource = Resource::new(id.clone());
            resource.span = Some(statement.span);
            let mut all_constant = true;
            for entry in &statement.entries {
                let unconditional = entry.condition.is_none();
                match &entry.kind {
                    EntryKind::Field { name: field, value, .. } => match self.value(*value) {
                        Some(value) if unconditional => {
                            resource.params.insert(self.string(*field).into(), value);
                        }
                        Some(_) | None => all_constant = false,
                    },
                    EntryKind::Edge { property, half } if unconditional && presence == Presence::Always => {
                        self.edge_entry(&id, *property, half);
                    }
                    EntryKind::Edge { .. } => {}
                    EntryKind::Meta { .. } => all_constant = false,
                }
            }
            // A resource with unknown parameters cannot be compared with one of the same name in the catalog.
            if (all_constant || self.puppet.find(&kind, &name).is_none()) && self.graph.find(&kind, &name).is_none() {
                self.graph.add(resource);
            }
        }
    }

    fn edge_entry(&mut self, own: &ResourceId, property: EdgeProperty, half: &Half) {
        for other in self.ends(half) {
            let own = own.clone();
            let (from, to, notify) = match property {
                EdgeProperty::Before => (own, other, false),
                EdgeProperty::Notify => (own, other, true),
                EdgeProperty::Depend => (other, own, false),
                EdgeProperty::Listen => (other, own, true),
            };
            self.edges.push(NamedEdge { from, to, notify });
        }
    }

    fn edge(&mut self, from: &Half, to: &Half) {
        let targets = self.ends(to);
        for from in self.ends(from) {
            let edges = targets.iter().map(|to| NamedEdge { from: from.clone(), to: to.clone(), notify: false });
            self.edges.extend(edges);
        }
    }

    /// Returns the resources that one side of an edge names, if they are constant.
    fn ends(&self, half: &Half) -> Vec<ResourceId> {
        let names = self.names(half.name).unwrap_or_default();
        names.into_iter().map(|name| ResourceId::new(self.string(half.kind), name)).collect()
    }

    fn into_graph(self) -> ResourceGraph {
        let mut graph = self.graph;
        for NamedEdge { from, to, notify } in self.edges {
            let find = |end: &ResourceId| graph.find(&end.kind, &end.name);
            if let (Some(from), Some(to)) = (find(&from), find(&to)) {
                graph.add_edge(Edge { from, to, notify, autoedge: false });
            }
        }
        graph
    }

    fn string(&self, id: StrId) -> &str {
        self.program.strings.get(id).map_or("", |s| s)
    }

    /// Returns the resource names of a constant, which is a string or a list of strings.
    fn names(&self, operand: Operand) -> Option<Vec<String>> {
        match self.value(operand)? {
            Value::Str(name) => Some(vec![name.to_text().into_owned()]),
            Value::List(names) => names
                .iter()
                .map(|name| match name {
                    Value::Str(name) => Some(name.to_text().into_owned()),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }

    fn value(&self, operand: Operand) -> Option<Value> {
        match operand {
            Operand::Const(id) => self.constant(id),
            Operand::Node(_) | Operand::Param(_) | Operand::Capture(_) => None,
        }
    }

    fn constant(&self, id: ConstId) -> Option<Value> {
        match self.program.constants.get(id)? {
            Constant::Bool(v) => Some(Value::Bool(*v)),
            Constant::Int(v) => Some(Value::Int(*v)),
            Constant::Float(bits) => Some(Value::Float(f64::from_bits(*bits))),
            Constant::Str(string) => Some(Value::Str(string.clone())),
            Constant::List(items) => {
                items.iter().map(|i| self.constant(*i)).collect::<Option<Vec<_>>>().map(Value::list)
            }
            Constant::Map(_) | Constant::Struct(..) | Constant::Hostname => None,
        }
    }
}
