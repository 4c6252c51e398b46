//! The dependency order of the definitions of a scope, and cycles among them (spec 02 §2.4).
//!
//! A depth-first search gives the order. A strongly connected component of several statements, or of one that uses itself, is
//! a cycle. No algorithm here recurses, because chains of definitions have any length.

use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_parser::ast::{Stmt, StmtId};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Resolver;
use crate::scope::declare::LONG_SCOPE;
use crate::scope::error::{Entity, ScopeError};
use crate::scope::table::Dependency;
use crate::scoped::{InstanceKind, ScopeId, StmtInfo};

impl Resolver<'_> {
    /// Orders the definitions of a scope whose uses are all resolved.
    pub(crate) fn order_definitions(&mut self, scope: ScopeId) {
        let body = &self.out.scope(scope).body;
        let mut stmts: Vec<StmtId> = Vec::new();
        if body.len() >= LONG_SCOPE {
            stmts.reserve_exact(body.len());
        }
        stmts.extend(body.iter().copied().filter(|stmt| self.is_definition(scope, *stmt)));
        let dependencies = std::mem::take(&mut self.tables[scope].dependencies);
        // Most programs define names before they use them, and then the order of the source is that of a search.
        if stmts.is_sorted() && dependencies.iter().all(|dependency| dependency.to < dependency.from) {
            self.out.scopes[scope].order = stmts;
            return;
        }
        let nodes: FxHashMap<StmtId, NodeIndex> = stmts.iter().copied().zip((0..).map(NodeIndex::new)).collect();
        let graph = dependency_graph(&stmts, &dependencies, &nodes);
        let is_cycle = |members: &Vec<NodeIndex>| members.len() > 1 || graph.contains_edge(members[0], members[0]);
        let cycles: Vec<Vec<NodeIndex>> = kosaraju_scc(&graph).into_iter().filter(is_cycle).collect();
        let cyclic: FxHashSet<NodeIndex> = cycles.iter().flatten().copied().collect();
        let mut order = dependencies_first(&graph);
        order.retain(|stmt| !cyclic.contains(&nodes[stmt]));
        for cycle in cycles {
            let mut members: Vec<StmtId> = cycle.iter().map(|node| graph[*node]).collect();
            members.sort_unstable();
            let mut uses: Vec<(Span, StmtId)> = dependencies
                .iter()
                .filter(|dependency| {
                    [dependency.from, dependency.to].iter().all(|stmt| members.binary_search(stmt).is_ok())
                })
                .map(|dependency| (dependency.span, dependency.to))
                .collect();
            uses.sort_unstable();
            uses.dedup_by_key(|(span, _)| *span);
            self.report_cycle(scope, &members, &uses);
            order.extend(members);
        }
        self.out.scopes[scope].order = order;
    }

    /// Reports a cycle, and marks its members as erroneous.
    fn report_cycle(&mut self, scope: ScopeId, members: &[StmtId], uses: &[(Span, StmtId)]) {
        for member in members {
            match self.out.stmt_info(scope, *member) {
                StmtInfo::Def(def) => self.out.defs[def].erroneous = true,
                StmtInfo::Instance(instance) => self.out.instances[instance].kind = InstanceKind::Error,
                StmtInfo::None | StmtInfo::If { .. } | StmtInfo::Loop(_) => {}
            }
        }
        let uses = uses.iter().map(|(span, to)| (*span, self.entity(scope, *to))).collect();
        self.report_always(scope, ScopeError::CyclicDefinition { uses });
    }

    fn entity(&self, scope: ScopeId, stmt: StmtId) -> Entity {
        let ast = self.out.ast_of(scope);
        match ast.stmt(stmt) {
            Stmt::Bind { name, .. } => Entity::Variable(ast.name(*name).into()),
            Stmt::Func { name, .. } => Entity::Function(ast.name(*name).into()),
            Stmt::Class(class) => Entity::Class(ast.name(class.name).into()),
            Stmt::Include(include) => match include.alias {
                Some((alias, _)) => Entity::Include(ast.name(alias).into()),
                None => Entity::Unknown,
            },
            Stmt::Import(import) => Entity::Import(Arc::clone(&import.module)),
            _ => Entity::Unknown,
        }
    }
}

/// Returns the graph of the definitions, with an edge from each to those it uses.
fn dependency_graph(
    stmts: &[StmtId],
    dependencies: &[Dependency],
    nodes: &FxHashMap<StmtId, NodeIndex>,
) -> DiGraph<StmtId, ()> {
    let mut graph = DiGraph::with_capacity(stmts.len(), dependencies.len());
    for stmt in stmts {
        graph.add_node(*stmt);
    }
    for Dependency { from, to, .. } in dependencies {
        if let (Some(from), Some(to)) = (nodes.get(from), nodes.get(to)) {
            graph.add_edge(*from, *to, ());
        }
    }
    graph
}

/// Returns the definitions, each after those it uses if it is not part of a cycle, in source order otherwise.
fn dependencies_first(graph: &DiGraph<StmtId, ()>) -> Vec<StmtId> {
    let mut order = Vec::with_capacity(graph.node_count());
    let mut search = DfsPostOrder::empty(graph);
    for start in graph.node_indices() {
        search.move_to(start);
        while let Some(node) = search.next(graph) {
            order.push(graph[node]);
        }
    }
    order
}
