//! `mclc check --puppet`: checks the merge points of a program and a Puppet catalog at compile time (spec 07 §4).
//!
//! The compiler does not run programs, so only their constant part is known: resources whose names were folded to
//! constants, and the edges between them. Statements in a branch or loop that is decided at run time may or may not take
//! effect: their merge points count as present, their edges are ignored.

use std::path::Path;

use graph_merge::{Options, Unmatched};
use mcl_artifact::program::{
    Closure, ConstId, Constant, EdgeProperty, EntryKind, Half, Operand, Program, ResourceStmt, Statement, StrId,
};
use mcl_diagnostics::Diagnostic;
use mcl_value::Value;
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId, VertexId};

/// Returns the errors and warnings of merging a program and a catalog.
pub fn check(program: &Program, puppet: &Path) -> Vec<Diagnostic> {
    let puppet = match puppet_graph(puppet) {
        Ok(graph) => graph,
        Err(errors) => return errors,
    };
    let Some(main) = program.templates.last() else { return Vec::new() };
    let mut known =
        ConstantGraph { program, puppet: &puppet, graph: ResourceGraph::new(), edges: Vec::new(), complete: true };
    known.statements(&main.statements, true);
    let (mcl, complete) = known.finish();
    // The missing merge point may be one whose name is known only at run time.
    let unmatched = if complete { Unmatched::Error } else { Unmatched::Warn };
    match graph_merge::merge(&mcl, &puppet, &Options { unmatched }) {
        Ok(merged) => merged.warnings,
        Err(errors) => errors,
    }
}

fn puppet_graph(path: &Path) -> Result<ResourceGraph, Vec<Diagnostic>> {
    let bytes = pp_translate::load_catalog(path, None).map_err(|e| vec![e])?;
    let (catalog, _) = pp_translate::read_catalog(&bytes)?;
    let relationships = pp_translate::build_relationships(catalog)?;
    Ok(pp_translate::translate(&relationships, &pp_translate::Options::default())?.graph)
}

/// An edge between two resources that may or may not be part of the constant graph.
struct NamedEdge {
    from: (String, String),
    to: (String, String),
    notify: bool,
}

/// The resources and edges of a program that are known at compile time.
struct ConstantGraph<'a> {
    program: &'a Program,
    puppet: &'a ResourceGraph,
    graph: ResourceGraph,
    edges: Vec<NamedEdge>,
    /// The name of every `noop` is constant.
    complete: bool,
}

impl ConstantGraph<'_> {
    /// Adds statements. `certain` is false in branches and loops that are decided at run time.
    fn statements(&mut self, statements: &[Statement], certain: bool) {
        for statement in statements {
            match statement {
                Statement::Resource(resource) => self.resource(resource, certain),
                Statement::Edge { halves, .. } if certain => {
                    for pair in halves.windows(2) {
                        self.edge(&pair[0], &pair[1], false);
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
        if let Some(template) = program.templates.get(closure.template.0 as usize) {
            self.statements(&template.statements, false);
        }
    }

    fn resource(&mut self, statement: &ResourceStmt, certain: bool) {
        let kind = self.text(statement.kind).to_owned();
        let Some(names) = self.names(statement.name) else {
            self.complete &= kind != "noop";
            return;
        };
        for name in names {
            let is_point = kind == "noop" && name.starts_with("puppet_");
            if !certain && !is_point {
                continue;
            }
            let mut resource = Resource::new(ResourceId::new(kind.as_str(), name.as_str()));
            resource.span = Some(statement.span);
            let mut whole = true;
            for entry in &statement.entries {
                let unconditional = entry.condition.is_none();
                match &entry.kind {
                    EntryKind::Field { name: field, value, .. } => match self.value(*value) {
                        Some(value) if unconditional => {
                            resource.params.insert(self.text(*field).into(), value);
                        }
                        Some(_) | None => whole = false,
                    },
                    EntryKind::Edge { property, half } if unconditional && certain => {
                        self.own_edge(&kind, &name, *property, half);
                    }
                    EntryKind::Edge { .. } => {}
                    EntryKind::Meta { .. } => whole = false,
                }
            }
            // A resource that is only partly constant cannot be compared with one of the same name in Puppet.
            if (whole || self.puppet.find(&kind, &name).is_none()) && self.graph.find(&kind, &name).is_none() {
                self.graph.add(resource);
            }
        }
    }

    fn own_edge(&mut self, kind: &str, name: &str, property: EdgeProperty, half: &Half) {
        let own = (kind.to_owned(), name.to_owned());
        for other in self.ends(half) {
            let (from, to, notify) = match property {
                EdgeProperty::Before => (own.clone(), other, false),
                EdgeProperty::Notify => (own.clone(), other, true),
                EdgeProperty::Depend => (other, own.clone(), false),
                EdgeProperty::Listen => (other, own.clone(), true),
            };
            self.edges.push(NamedEdge { from, to, notify });
        }
    }

    fn edge(&mut self, from: &Half, to: &Half, notify: bool) {
        let targets = self.ends(to);
        for from in self.ends(from) {
            self.edges.extend(targets.iter().map(|to| NamedEdge { from: from.clone(), to: to.clone(), notify }));
        }
    }

    fn ends(&self, half: &Half) -> Vec<(String, String)> {
        let kind = self.text(half.kind);
        self.names(half.name).unwrap_or_default().into_iter().map(|name| (kind.to_owned(), name)).collect()
    }

    fn finish(self) -> (ResourceGraph, bool) {
        let mut graph = self.graph;
        for NamedEdge { from, to, notify } in &self.edges {
            let find = |end: &(String, String)| -> Option<VertexId> { graph.find(&end.0, &end.1) };
            if let (Some(from), Some(to)) = (find(from), find(to)) {
                graph.add_edge(Edge { from, to, notify: *notify, autoedge: false });
            }
        }
        (graph, self.complete)
    }

    fn text(&self, id: StrId) -> &str {
        self.program.strings.get(id.0 as usize).map_or("", |s| s)
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
        match self.program.constants.get(id.0 as usize)? {
            Constant::Bool(v) => Some(Value::Bool(*v)),
            Constant::Int(v) => Some(Value::Int(*v)),
            Constant::Float(bits) => Some(Value::Float(f64::from_bits(*bits))),
            Constant::Str(text) => Some(Value::Str(text.clone())),
            Constant::List(items) => {
                items.iter().map(|i| self.constant(*i)).collect::<Option<Vec<_>>>().map(Value::list)
            }
            Constant::Map(_) | Constant::Struct(..) | Constant::Hostname => None,
        }
    }
}
