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
        let inner = scoped.defs.iter().filter(|(_, def)| is_variable(def) && is_inner(def) && !def.erroneous);
        let inner: Vec<(DefId, &Def)> = inner.collect();
        // Most names are those of the top level and are never shadowed.
        let candidates: FxHashSet<&str> = inner.iter().map(|(_, def)| &**scoped.name_of(def)).collect();
        let mut defined: FxHashMap<(ScopeId, &str), DefId> = FxHashMap::default();
        for (id, def) in &scoped.defs {
            let name = &**scoped.name_of(def);
            if is_variable(def) && candidates.contains(name) {
                defined.entry((def.scope, name)).or_insert(id);
            }
        }
        let mut places = FxHashSet::default();
        for (id, def) in inner {
            let (name, span) = (&**scoped.name_of(def), scoped.def_span(id));
            let module = scoped.scope(def.scope).module;
            let outer = self.around(def.scope).find_map(|scope| defined.get(&(scope, name)));
            let Some(outer) = outer.filter(|_| self.is_own(module)) else { continue };
            if name.starts_with("unused_") || !places.insert((span.file, span.start)) {
                continue;
            }
            found.push(
                lint(Code::W0215, format!("`${name}` hides another variable of that name"))
                    .at_with(span, "hides it from here on")
                    .label(scoped.def_span(*outer), "the other one")
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
