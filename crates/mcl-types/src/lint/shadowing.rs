//! W0215: a variable with the name of one around it, in the same file.

use mcl_diagnostics::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lint::{Names, lint};
use crate::scoped::{Def, DefId, DefKind, ScopeId, ScopeKind};

impl Names<'_> {
    pub(super) fn shadowing(&self, found: &mut Vec<Diagnostic>) {
        let scoped = self.scoped;
        let is_variable = |def: &Def| matches!(def.kind, DefKind::Bind { .. } | DefKind::Param { .. });
        let is_inner = |def: &Def| scoped.scope(def.scope).kind != ScopeKind::Module;
        let inner: Vec<&Def> =
            scoped.defs.values().filter(|def| is_variable(def) && is_inner(def) && !def.erroneous).collect();
        // Most names are those of the top level and are never shadowed.
        let candidates: FxHashSet<&str> = inner.iter().map(|def| &*def.name).collect();
        let mut defined: FxHashMap<(ScopeId, &str), DefId> = FxHashMap::default();
        for (id, def) in &scoped.defs {
            if is_variable(def) && candidates.contains(&*def.name) {
                defined.entry((def.scope, &def.name)).or_insert(id);
            }
        }
        let mut places = FxHashSet::default();
        for def in inner {
            let module = scoped.scope(def.scope).module;
            let outer = self.around(def.scope).find_map(|scope| defined.get(&(scope, &*def.name)));
            let Some(outer) = outer.map(|outer| scoped.def(*outer)).filter(|_| self.is_own(module)) else { continue };
            if def.name.starts_with("unused_") || !places.insert((def.span.file, def.span.start)) {
                continue;
            }
            found.push(
                lint(Code::W0215, format!("`${}` hides another variable of that name", def.name))
                    .at_with(def.span, "hides it from here on")
                    .label(outer.span, "the other one")
                    .help("rename one of them"),
            );
        }
    }

    /// Returns the scopes around a scope in its file, the innermost first.
    fn around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        let module = self.scoped.scope(scope).module;
        let parent = |scope: &ScopeId| self.scoped.scope(*scope).parent;
        std::iter::successors(parent(&scope), move |scope| parent(scope))
            .take_while(move |scope| self.scoped.scope(*scope).module == module)
    }
}
