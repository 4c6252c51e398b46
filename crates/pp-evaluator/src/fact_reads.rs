//! Which facts an evaluation read, so that it is repeated when one of them changes, and not otherwise.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use pp_ast::{Expr, ExprId, ExprList, Tree};
use pp_types::{Hash, Value};
use rustc_hash::FxHashSet;

/// The facts that an evaluation read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactReads {
    /// Whether all of them were read as one value.
    pub all: bool,
    /// The names of facts, and the keys in structured facts, that were read; those that do not exist, too.
    pub paths: BTreeSet<Vec<Arc<str>>>,
}

/// Records reads while an evaluation runs.
#[derive(Debug, Default)]
pub(crate) struct FactRecorder {
    /// The names of all facts.
    facts: FxHashSet<Arc<str>>,
    names: RefCell<FxHashSet<Arc<str>>>,
    all: Cell<bool>,
    paths: RefCell<BTreeSet<Vec<Arc<str>>>>,
    /// A path is being evaluated that is already recorded.
    in_path: Cell<bool>,
}

impl FactRecorder {
    pub(crate) fn new(facts: &Hash) -> FactRecorder {
        let names = facts.keys().filter_map(|name| match name {
            Value::String(name) => Some(Arc::clone(name)),
            _ => None,
        });
        FactRecorder { facts: names.collect(), ..FactRecorder::default() }
    }

    /// Records that a variable was looked up, which may be a fact.
    pub(crate) fn variable(&self, name: &str, is_found: bool) {
        let name = name.strip_prefix("::").unwrap_or(name);
        if self.in_path.get() || name.contains("::") {
            return;
        }
        if name == "facts" {
            self.all.set(true);
        } else if (!is_found || self.facts.contains(name)) && !self.names.borrow().contains(name) {
            self.names.borrow_mut().insert(name.into());
        }
    }

    /// Records that `target[keys]` is evaluated, if that is a path into the facts with literal keys. Returns what to pass to
    /// [`FactRecorder::end_access`], and the name of the fact if it does not exist and this was not recorded before.
    pub(crate) fn start_access(&self, tree: &Tree, target: ExprId, keys: ExprList) -> (bool, Option<Arc<str>>) {
        let outer = self.in_path.get();
        let mut missing = None;
        if !outer && let Some(path) = self.path(tree, target, keys) {
            missing = path.first().filter(|name| !self.facts.contains(*name)).cloned();
            let is_new = self.paths.borrow_mut().insert(path);
            missing = missing.filter(|_| is_new);
            self.in_path.set(true);
        }
        (outer, missing)
    }

    pub(crate) fn end_access(&self, outer: bool) {
        self.in_path.set(outer);
    }

    /// Returns the path of facts that an access follows. Longer ones than any fact has are cut.
    fn path(&self, tree: &Tree, target: ExprId, keys: ExprList) -> Option<Vec<Arc<str>>> {
        const MAX_LENGTH: usize = 16;
        let mut path: Vec<Arc<str>> = Vec::new();
        let (mut target, mut keys) = (target, keys);
        loop {
            let [key] = tree.list(keys) else { return None };
            let Expr::String(key) = tree.exprs[*key] else { return None };
            path.push(tree.str(key).clone());
            match tree.exprs[target] {
                Expr::Access(inner, inner_keys) if path.len() < MAX_LENGTH => (target, keys) = (inner, inner_keys),
                Expr::Variable(name) => {
                    let name = tree.str(name);
                    let name = name.strip_prefix("::").unwrap_or(name);
                    if name != "facts" {
                        path.push(self.facts.get(name)?.clone());
                    }
                    path.reverse();
                    return Some(path);
                }
                _ => return None,
            }
        }
    }

    pub(crate) fn finish(self) -> FactReads {
        let mut paths = self.paths.into_inner();
        paths.extend(self.names.into_inner().into_iter().map(|name| vec![name]));
        FactReads { all: self.all.get(), paths }
    }
}
