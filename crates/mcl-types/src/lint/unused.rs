//! W0208 to W0212: what is defined or imported and never used.

use std::sync::Arc;

use cranelift_entity::EntitySet;
use mcl_diagnostics::{Change, Code, Diagnostic, FileId, Fix, Span};
use mcl_parser::ast::{Stmt, StmtId};
use rustc_hash::FxHashSet;

use crate::lint::{Names, UsedImports, lint};
use crate::scoped::{Def, DefId, DefKind, ExprInfo, InstanceKind, ScopeId, ScopeKind, StmtInfo, Target};

/// What starts so is meant to be unused.
const EXEMPT: &str = "unused_";

impl Names<'_> {
    pub(super) fn unused_definitions(&self, is_library: bool, found: &mut Vec<Diagnostic>) {
        let scoped = self.scoped;
        let mut used: EntitySet<DefId> = EntitySet::with_capacity(scoped.defs.len());
        let of_expressions =
            scoped.modules.values().flat_map(|module| module.exprs.iter()).filter_map(|info| match info {
                ExprInfo::Ref(resolution) => Some(resolution),
                ExprInfo::None | ExprInfo::Function(_) | ExprInfo::Unresolved => None,
            });
        let of_includes = scoped.instances.values().filter_map(|instance| match instance.kind {
            InstanceKind::Class(resolution) => Some(resolution),
            InstanceKind::Module(_) | InstanceKind::Error => None,
        });
        used.extend(of_expressions.chain(of_includes).filter_map(|used| match scoped.reference(used).target {
            Target::Def(def) => Some(def),
            Target::Function(_) | Target::Variable(_) => None,
        }));
        let unused = scoped.defs.iter().filter(|(id, def)| {
            !used.contains(*id)
                && !def.erroneous
                && !scoped.name_of(def).starts_with(EXEMPT)
                && self.is_own(scoped.scope(def.scope).module)
                && !self.is_exported(def, is_library)
        });
        let mut unused: Vec<(DefId, &Def)> = unused.collect();
        if scoped.modules.len() > scoped.units.len() {
            // A file that is imported in several places may be used in one of them.
            let place = |id: DefId| {
                let span = scoped.def_span(id);
                (span.file, span.start)
            };
            let elsewhere: FxHashSet<(FileId, u32)> = used.iter().map(place).collect();
            let mut seen = FxHashSet::default();
            unused.retain(|(id, _)| !elsewhere.contains(&place(*id)) && seen.insert(place(*id)));
        }
        found.extend(unused.into_iter().filter_map(|(id, def)| self.unused(id, def)));
    }

    /// Whether the main file only defines names, for others to import.
    pub(super) fn is_library(&self) -> bool {
        let root = self.scoped.root();
        let ast = self.scoped.ast_of(root);
        let body = &self.scoped.scope(root).body;
        body.iter().all(|stmt| {
            matches!(ast.stmt(*stmt), Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_) | Stmt::Import(_))
        })
    }

    /// Whether other programs may use a definition: it belongs to the top level of a file that is imported, or to a class of it.
    fn is_exported(&self, def: &Def, is_library: bool) -> bool {
        if matches!(def.kind, DefKind::Param { .. }) {
            return false;
        }
        let mut scope = def.scope;
        loop {
            let of = self.scoped.scope(scope);
            match of.kind {
                ScopeKind::Module => return is_library || scope != self.scoped.root(),
                ScopeKind::Class(class) => scope = self.scoped.def(class).scope,
                ScopeKind::Block | ScopeKind::Loop | ScopeKind::Function(_) => return false,
            }
        }
    }

    /// Whether others may use what an import makes visible: that of a file, at the top level of a file that they import.
    fn may_pass_on(&self, scope: ScopeId, stmt: StmtId, is_library: bool) -> bool {
        let is_top = self.scoped.scope(scope).kind == ScopeKind::Module;
        let is_of_file = matches!(self.scoped.stmt_info(scope, stmt), StmtInfo::Instance(_));
        is_top && is_of_file && (is_library || scope != self.scoped.root())
    }

    fn unused(&self, id: DefId, def: &Def) -> Option<Diagnostic> {
        let name = self.scoped.def_name(id);
        let statement = |stmt: StmtId| self.scoped.ast_of(def.scope).stmt_span(stmt);
        let removable = |code: Code, what: &str, sigil: &str, stmt: StmtId| {
            lint(code, format!("unused {what} `{sigil}{name}`"))
                .at(self.name_span(id, sigil))
                .help(format!("remove it, or call it `{sigil}{EXEMPT}{name}` if it is meant to be unused"))
                .fix(Fix::guess(format!("remove the {what}"), Change::Remove(statement(stmt))))
        };
        match def.kind {
            DefKind::Bind { stmt } => Some(removable(Code::W0208, "variable", "$", stmt)),
            DefKind::Class { stmt, .. } => Some(removable(Code::W0210, "class", "", stmt)),
            DefKind::Func { stmt, .. } => Some(removable(Code::W0211, "function", "", stmt)),
            DefKind::Param { .. } => self.unused_parameter(id, def),
            DefKind::Error => None,
        }
    }

    /// A loop has two variables whether it needs them or not.
    fn unused_parameter(&self, id: DefId, def: &Def) -> Option<Diagnostic> {
        let name = self.scoped.def_name(id);
        let owner = match self.scoped.scope(def.scope).kind {
            ScopeKind::Class(class) => format!("class `{}`", self.scoped.def_name(class)),
            ScopeKind::Function(_) => "this function".to_owned(),
            ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => return None,
        };
        let span = self.name_span(id, "$");
        let new = format!("${EXEMPT}{name}");
        let rename = Fix::guess(format!("rename it to `{new}`"), Change::Replace { span, text: new.clone() });
        let warning = lint(Code::W0212, format!("unused parameter `${name}` of {owner}")).at(span);
        Some(warning.help(format!("remove it, or call it `{new}` if callers have to pass it")).fix(rename))
    }

    /// Returns where a name is written, without a type after it.
    pub(super) fn name_span(&self, id: DefId, sigil: &str) -> Span {
        let (span, name) = (self.scoped.def_span(id), self.scoped.def_name(id));
        let end = span.start + (sigil.len() + name.len()) as u32;
        let is_name = self.text(span).strip_prefix(sigil).is_some_and(|rest| rest.starts_with(name));
        if is_name { Span { end, ..span } } else { span }
    }

    pub(super) fn unused_imports(&self, is_library: bool, used: &UsedImports, found: &mut Vec<Diagnostic>) {
        let scoped = self.scoped;
        let mut places: FxHashSet<(FileId, u32)> = FxHashSet::default();
        let mut unused: Vec<(ScopeId, StmtId, Arc<str>)> = Vec::new();
        for (id, scope) in &scoped.scopes {
            let ast = scoped.ast_of(id);
            for stmt in &scope.body {
                let Stmt::Import(import) = ast.stmt(*stmt) else { continue };
                if used.contains(&(id, *stmt)) {
                    places.insert((ast.file, ast.stmt_span(*stmt).start));
                } else if self.is_own(scope.module) && !self.may_pass_on(id, *stmt, is_library) {
                    unused.push((id, *stmt, Arc::clone(&import.module)));
                }
            }
        }
        for (scope, stmt, module) in unused {
            let span = scoped.ast_of(scope).stmt_span(stmt);
            // A file that is imported in several places needs its imports if one of them does.
            if places.insert((span.file, span.start)) {
                let warning = lint(Code::W0209, format!("unused import `{module}`")).at(span);
                found.push(warning.help("remove it").fix(Fix::safe("remove the import", Change::Remove(span))));
            }
        }
    }
}
