//! Large programs are typed in parts, at the same time.
//!
//! A part is a range of statements of the top level that no name connects with the others: then no type variable is shared,
//! and each part is typed as if the others did not exist. The tables of the parts are joined to those that the whole would
//! have given, with types and type variables in the same order.

mod join;

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use mcl_parser::ast::{ExprId, StmtId};
use smallvec::{SmallVec, smallvec};

pub(crate) use join::joined;

use crate::infer::Part;
use crate::scoped::{
    DefId, DefKind, ExprInfo, InstanceId, InstanceKind, Resolution, ScopeId, Scoped, StmtInfo, Target,
};
use crate::walk;

/// A part has at least this many statements.
const MIN_STATEMENTS: usize = 500;

/// A program has at most this many parts for each thread. What only the solver of a part needs is dropped with it.
const PARTS_PER_THREAD: usize = 32;

/// Divides a program of one file into parts for some threads. Returns `None` if it is small, or names connect its beginning
/// with its end.
pub(crate) fn parts(scoped: &Scoped, threads: usize) -> Option<Vec<Part>> {
    let statements = scoped.scope(scoped.root()).body.len();
    let count = (threads * PARTS_PER_THREAD).min(statements / MIN_STATEMENTS);
    if threads < 2 || count < 2 || scoped.modules.len() != 1 {
        return None;
    }
    let links = Links::of(scoped);
    let mut parts = Vec::with_capacity(count);
    let mut start = 0;
    for part in 1..=count {
        let end = match part {
            _ if part == count => statements,
            _ => (statements * part / count..statements).find(|at| *at > start && links.is_cut(*at))?,
        };
        parts.push(links.part(scoped, start..end)?);
        start = end;
    }
    let follow = |pair: &[Part]| match (&pair[0].exprs, &pair[1].exprs) {
        (Some(first), Some(second)) => first.end <= second.start && pair[0].order.end == pair[1].order.start,
        _ => false,
    };
    parts.windows(2).all(follow).then_some(parts)
}

/// How the statements of the top level use each other.
struct Links {
    /// The position of each statement of the top level.
    positions: SecondaryMap<StmtId, PackedOption<StmtId>>,
    /// The statement of the top level around each scope, by its position.
    owners: SecondaryMap<ScopeId, PackedOption<StmtId>>,
    /// How many more uses lead over the place before a statement than over that before the statement before it.
    changes: Vec<i32>,
    /// Whether no use leads over the place before each statement.
    cuts: Vec<bool>,
    /// The expressions of each statement.
    exprs: Vec<Range<u32>>,
}

impl Links {
    fn of(scoped: &Scoped) -> Links {
        let root = scoped.root();
        let body = &scoped.scope(root).body;
        let mut links = Links {
            positions: SecondaryMap::with_capacity(body.len()),
            owners: SecondaryMap::with_capacity(scoped.scopes.len()),
            changes: vec![0; body.len() + 1],
            cuts: Vec::with_capacity(body.len()),
            exprs: Vec::with_capacity(body.len()),
        };
        for (position, stmt) in body.iter().enumerate() {
            links.positions[*stmt] = StmtId::new(position).into();
        }
        links.find_owners(scoped);
        for (position, stmt) in body.iter().enumerate() {
            let exprs = links.add_statement(scoped, position, root, *stmt);
            links.exprs.push(exprs);
        }
        let mut uses = 0;
        for change in &links.changes[..body.len()] {
            uses += change;
            links.cuts.push(uses == 0);
        }
        links
    }

    fn find_owners(&mut self, scoped: &Scoped) {
        let root = scoped.root();
        for stmt in &scoped.scope(root).body {
            let position = self.positions[*stmt];
            match scoped.stmt_info(root, *stmt) {
                StmtInfo::If { then, otherwise } => {
                    self.owners[then] = position;
                    if let Some(otherwise) = otherwise.expand() {
                        self.owners[otherwise] = position;
                    }
                }
                StmtInfo::Loop(inner) => self.owners[inner] = position,
                StmtInfo::Def(def) => {
                    if let DefKind::Class { body, .. } = scoped.def(def).kind {
                        self.owners[body] = position;
                    }
                }
                StmtInfo::None | StmtInfo::Instance(_) => {}
            }
        }
        // A scope follows its parent. The parameters of functions are used inside the statement only.
        for (id, scope) in &scoped.scopes {
            if let (None, Some(parent)) = (self.owners[id].expand(), scope.parent) {
                self.owners[id] = self.owners[parent];
            }
        }
    }

    /// Adds the uses of a statement and of those inside it. Returns its expressions.
    fn add_statement(&mut self, scoped: &Scoped, position: usize, root: ScopeId, stmt: StmtId) -> Range<u32> {
        let (mut first, mut end) = (u32::MAX, 0);
        let mut work = vec![(root, stmt)];
        let module = scoped.module(scoped.scope(root).module);
        let ast = scoped.ast_of(root);
        while let Some((scope, stmt)) = work.pop() {
            let mut inner = |scope: ScopeId| work.extend(scoped.scope(scope).body.iter().map(|stmt| (scope, *stmt)));
            match scoped.stmt_info(scope, stmt) {
                StmtInfo::None => {}
                StmtInfo::If { then, otherwise } => {
                    inner(then);
                    otherwise.expand().into_iter().for_each(inner);
                }
                StmtInfo::Loop(body) => inner(body),
                StmtInfo::Def(def) => {
                    if let DefKind::Class { body, .. } = scoped.def(def).kind {
                        inner(body);
                    }
                }
                StmtInfo::Instance(instance) => {
                    if let InstanceKind::Class(reference) = scoped.instance(instance).kind {
                        self.add_use(scoped, position, reference);
                    }
                }
            }
            walk::expressions(ast.stmt(stmt), |expr| {
                end = end.max(expr.as_u32() + 1);
                let mut work: SmallVec<[ExprId; 16]> = smallvec![expr];
                while let Some(expr) = work.pop() {
                    first = first.min(expr.as_u32());
                    if let ExprInfo::Ref(reference) = module.exprs.get(expr) {
                        self.add_use(scoped, position, reference);
                    }
                    walk::subexpressions(ast, ast.expr(expr), |part: ExprId| work.push(part));
                }
            });
        }
        first..end
    }

    fn add_use(&mut self, scoped: &Scoped, position: usize, reference: Resolution) {
        let reference = scoped.reference(reference);
        for instance in reference.path {
            self.link(position, self.owner_of_instance(scoped, *instance));
        }
        if let Target::Def(def) = reference.target {
            self.link(position, self.owner_of_def(scoped, def));
        }
    }

    /// Forbids to divide the program between two statements.
    fn link(&mut self, a: usize, b: Option<usize>) {
        let Some(b) = b.filter(|b| *b != a) else { return };
        self.changes[a.min(b) + 1] += 1;
        self.changes[a.max(b) + 1] -= 1;
    }

    fn owner_of_def(&self, scoped: &Scoped, def: DefId) -> Option<usize> {
        let def = scoped.def(def);
        match def.kind {
            DefKind::Bind { stmt } | DefKind::Func { stmt, .. } | DefKind::Class { stmt, .. }
                if def.scope == scoped.root() =>
            {
                self.positions[stmt].expand().map(EntityRef::index)
            }
            _ => self.owners[def.scope].expand().map(EntityRef::index),
        }
    }

    fn owner_of_instance(&self, scoped: &Scoped, instance: InstanceId) -> Option<usize> {
        let instance = scoped.instance(instance);
        let owner =
            if instance.scope == scoped.root() { self.positions[instance.stmt] } else { self.owners[instance.scope] };
        owner.expand().map(EntityRef::index)
    }

    /// Whether the program can be divided before a statement.
    fn is_cut(&self, position: usize) -> bool {
        self.cuts[position]
    }

    fn part(&self, scoped: &Scoped, body: Range<usize>) -> Option<Part> {
        let order = &scoped.scope(scoped.root()).order;
        let position = |stmt: &StmtId| self.positions[*stmt].expand().map(EntityRef::index);
        let is_inside = |stmt: &&StmtId| position(stmt).is_some_and(|position| body.contains(&position));
        let before = order.iter().position(|stmt| position(stmt).is_some_and(|position| position >= body.start));
        let start = before.unwrap_or(order.len());
        let count = order[start..].iter().take_while(is_inside).count();
        if order.iter().filter(is_inside).count() != count {
            return None;
        }
        let ranges = &self.exprs[body.clone()];
        let first = ranges.iter().map(|range| range.start).min()?;
        let end = ranges.iter().map(|range| range.end).max()?;
        // A part without expressions has nothing to type.
        (first < end).then(|| Part { body, order: start..start + count, exprs: Some(first..end) })
    }
}
