//! The dependency order of the definitions of a scope, and cycles among them (spec 02 §2.4).
//!
//! Tarjan's algorithm with an explicit stack: the strongly connected components come out dependencies first, which is the
//! order that later stages need. A component of several statements, or of one that uses itself, is a cycle.

use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_parser::ast::{Stmt, StmtId};
use rustc_hash::FxHashMap;

use crate::scope::Resolver;
use crate::scope::error::{Entity, ScopeError};
use crate::scope::table::Dependency;
use crate::scoped::{InstanceKind, ScopeId, StmtInfo};

impl Resolver<'_> {
    /// Orders the definitions of a scope whose uses are all resolved.
    pub(crate) fn order_definitions(&mut self, scope: ScopeId) {
        let stmts: Vec<StmtId> =
            self.out.scope(scope).body.iter().copied().filter(|stmt| self.is_definition(scope, *stmt)).collect();
        let dependencies = std::mem::take(&mut self.tables[scope].dependencies);
        if dependencies.is_empty() {
            self.out.scopes[scope].order = stmts;
            return;
        }
        let numbers: FxHashMap<StmtId, u32> = stmts.iter().copied().zip(0..).collect();
        let graph = DependencyGraph::new(stmts.len(), &dependencies, &numbers);
        let (components, component_of) = graph.components();
        let (cycles, acyclic): (Vec<_>, Vec<_>) =
            components.iter().partition(|members| members.len() > 1 || graph.uses_itself(members[0]));
        let mut order: Vec<StmtId> = acyclic.iter().map(|members| stmts[members[0] as usize]).collect();
        for cycle in cycles {
            let component = component_of[cycle[0] as usize];
            let mut uses: Vec<(Span, StmtId)> = dependencies
                .iter()
                .filter(|dependency| {
                    let of = |stmt| numbers.get(&stmt).map(|i: &u32| component_of[*i as usize]);
                    of(dependency.from) == Some(component) && of(dependency.to) == Some(component)
                })
                .map(|dependency| (dependency.span, dependency.to))
                .collect();
            uses.sort_unstable();
            uses.dedup_by_key(|(span, _)| *span);
            let mut members: Vec<StmtId> = cycle.iter().map(|i| stmts[*i as usize]).collect();
            self.report_cycle(scope, &members, &uses);
            members.sort_unstable();
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
            Stmt::Bind { name, .. } => Entity::Variable(Arc::clone(ast.name(*name))),
            Stmt::Func { name, .. } => Entity::Function(Arc::clone(ast.name(*name))),
            Stmt::Class { name, .. } => Entity::Class(Arc::clone(ast.name(*name))),
            Stmt::Include { alias: Some((alias, _)), .. } => Entity::Include(Arc::clone(ast.name(*alias))),
            Stmt::Import { module, .. } => Entity::Import(Arc::clone(module)),
            _ => Entity::Unknown,
        }
    }
}

/// The dependencies between definitions, by number; the targets of a node are contiguous.
struct DependencyGraph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl DependencyGraph {
    fn new(nodes: usize, dependencies: &[Dependency], numbers: &FxHashMap<StmtId, u32>) -> DependencyGraph {
        let pairs: Vec<(u32, u32)> =
            dependencies.iter().filter_map(|it| Some((*numbers.get(&it.from)?, *numbers.get(&it.to)?))).collect();
        let mut starts = vec![0; nodes + 1];
        for (from, _) in &pairs {
            starts[*from as usize + 1] += 1;
        }
        for i in 0..nodes {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; pairs.len()];
        for (from, to) in pairs {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        DependencyGraph { starts, targets }
    }

    fn targets(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    fn uses_itself(&self, node: u32) -> bool {
        self.targets(node).contains(&node)
    }

    /// Returns the strongly connected components, each after those it uses, and the component of each node.
    fn components(&self) -> (Vec<Vec<u32>>, Vec<u32>) {
        const UNVISITED: u32 = u32::MAX;
        let nodes = self.starts.len() - 1;
        let mut number = vec![UNVISITED; nodes];
        let mut low = vec![0; nodes];
        let mut component_of = vec![UNVISITED; nodes];
        let mut components: Vec<Vec<u32>> = Vec::new();
        let mut pending: Vec<u32> = Vec::new();
        let mut visits: Vec<(u32, usize)> = Vec::new();
        let mut count = 0;
        for start in 0..nodes as u32 {
            if number[start as usize] != UNVISITED {
                continue;
            }
            visits.push((start, 0));
            while let Some((node, next)) = visits.last_mut() {
                let (node, index) = (*node, *node as usize);
                if *next == 0 {
                    number[index] = count;
                    low[index] = count;
                    count += 1;
                    pending.push(node);
                }
                if let Some(target) = self.targets(node).get(*next).copied() {
                    *next += 1;
                    if number[target as usize] == UNVISITED {
                        visits.push((target, 0));
                    } else if component_of[target as usize] == UNVISITED {
                        low[index] = low[index].min(number[target as usize]);
                    }
                    continue;
                }
                visits.pop();
                if let Some((parent, _)) = visits.last() {
                    low[*parent as usize] = low[*parent as usize].min(low[index]);
                }
                if low[index] == number[index] {
                    let mut component = Vec::new();
                    while let Some(member) = pending.pop() {
                        component_of[member as usize] = components.len() as u32;
                        component.push(member);
                        if member == node {
                            break;
                        }
                    }
                    components.push(component);
                }
            }
        }
        (components, component_of)
    }
}
