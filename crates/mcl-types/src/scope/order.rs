//! The definitions of a list in dependency order; circles among them (spec 02 §2.4).
//!
//! Tarjan's algorithm with its own stack: strongly connected components come out dependencies first, which is the order
//! that later stages want, and a component of more than one statement, or one that uses itself, is a circular definition.

use mcl_diagnostics::Span;
use mcl_parser::ast::StmtId;
use rustc_hash::FxHashMap;

use super::{Edge, Scoper, report};
use crate::scoped::{ScopeId, SlotKind, StmtInfo};

impl Scoper<'_> {
    /// Orders the definitions of a list whose uses are all resolved.
    pub(super) fn order_list(&mut self, list: ScopeId) {
        let stmts: Vec<StmtId> =
            self.out.scope(list).body.iter().copied().filter(|stmt| self.is_definition(list, *stmt)).collect();
        let edges = std::mem::take(&mut self.tables[list.index()].edges);
        if edges.is_empty() {
            self.out.scopes[list.index()].order = stmts;
            return;
        }
        let numbers: FxHashMap<StmtId, u32> = stmts.iter().copied().zip(0..).collect();
        let graph = Graph::new(stmts.len(), &edges, &numbers);
        let (components, component_of) = graph.components();
        let mut order = Vec::with_capacity(stmts.len());
        let mut circles = Vec::new();
        for component in &components {
            let circular = component.len() > 1 || graph.uses_itself(component[0]);
            if circular {
                circles.push(component.clone());
            } else {
                order.push(stmts[component[0] as usize]);
            }
        }
        for circle in circles {
            let members: Vec<StmtId> = circle.iter().map(|i| stmts[*i as usize]).collect();
            let component = component_of[circle[0] as usize];
            let mut uses: Vec<(Span, StmtId)> = edges
                .iter()
                .filter(|edge| {
                    let of = |stmt| numbers.get(&stmt).map(|i: &u32| component_of[*i as usize]);
                    of(edge.from) == Some(component) && of(edge.to) == Some(component)
                })
                .map(|edge| (edge.span, edge.to))
                .collect();
            uses.sort_unstable();
            uses.dedup_by_key(|(span, _)| *span);
            self.break_circle(list, &members, &uses);
            let mut members = members;
            members.sort_unstable();
            order.extend(members);
        }
        self.out.scopes[list.index()].order = order;
    }

    fn break_circle(&mut self, list: ScopeId, members: &[StmtId], uses: &[(Span, StmtId)]) {
        let module = self.out.scope(list).module;
        for member in members {
            match self.out.module(module).stmts[member.0 as usize] {
                StmtInfo::Def(def) => self.out.defs[def.index()].broken = true,
                StmtInfo::Slot(slot) => self.out.slots[slot.index()].kind = SlotKind::Broken,
                StmtInfo::None | StmtInfo::If { .. } | StmtInfo::Loop(_) => {}
            }
        }
        let names = uses.iter().map(|(span, to)| (*span, self.describe(list, *to))).collect();
        self.report_always(list, report::circular(names));
    }

    /// What a definition is called in messages.
    fn describe(&self, list: ScopeId, stmt: StmtId) -> String {
        use mcl_parser::ast::Stmt;
        let ast = self.out.ast_of(list);
        match ast.stmt(stmt) {
            Stmt::Bind { name, .. } => format!("variable `${}`", ast.name(*name)),
            Stmt::Func { name, .. } => format!("function `{}`", ast.name(*name)),
            Stmt::Class { name, .. } => format!("class `{}`", ast.name(*name)),
            Stmt::Include { alias: Some((alias, _)), .. } => format!("include `{}`", ast.name(*alias)),
            Stmt::Import { module, .. } => format!("import `{module}`"),
            _ => String::from("definition"),
        }
    }
}

/// Who uses whom, by number; targets of a node are contiguous.
struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    fn new(nodes: usize, edges: &[Edge], numbers: &FxHashMap<StmtId, u32>) -> Graph {
        let pairs: Vec<(u32, u32)> =
            edges.iter().filter_map(|edge| Some((*numbers.get(&edge.from)?, *numbers.get(&edge.to)?))).collect();
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
        Graph { starts, targets }
    }

    fn targets(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    fn uses_itself(&self, node: u32) -> bool {
        self.targets(node).contains(&node)
    }

    /// The strongly connected components, each after those it uses, and the component of each node.
    fn components(&self) -> (Vec<Vec<u32>>, Vec<u32>) {
        const NEW: u32 = u32::MAX;
        let nodes = self.starts.len() - 1;
        let mut number = vec![NEW; nodes];
        let mut low = vec![0; nodes];
        let mut component_of = vec![NEW; nodes];
        let mut components: Vec<Vec<u32>> = Vec::new();
        let mut pending: Vec<u32> = Vec::new();
        let mut visits: Vec<(u32, usize)> = Vec::new();
        let mut count = 0;
        for start in 0..nodes as u32 {
            if number[start as usize] != NEW {
                continue;
            }
            visits.push((start, 0));
            while let Some((node, next)) = visits.last_mut() {
                let (node, index) = (*node, node_index(*node));
                if *next == 0 {
                    number[index] = count;
                    low[index] = count;
                    count += 1;
                    pending.push(node);
                }
                if let Some(target) = self.targets(node).get(*next).copied() {
                    *next += 1;
                    if number[target as usize] == NEW {
                        visits.push((target, 0));
                    } else if component_of[target as usize] == NEW {
                        low[index] = low[index].min(number[target as usize]);
                    }
                    continue;
                }
                visits.pop();
                if let Some((parent, _)) = visits.last() {
                    low[node_index(*parent)] = low[node_index(*parent)].min(low[index]);
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

const fn node_index(node: u32) -> usize {
    node as usize
}
