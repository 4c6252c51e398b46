//! Names that a statement with a syntax error may define.
//!
//! A broken statement defines what it seems to define ([`DefKind::Error`](crate::scoped::DefKind::Error)). Beyond that, any
//! of its first words may be the name that it was meant to define, and that name may be what is broken. A name that is
//! unknown otherwise is not reported if it is such a word, or if it is the only one that a definition without a name can
//! account for: it would be a consequence of an error that was already reported.

use mcl_parser::ast::{Ast, DefinitionKind, Expr, Stmt, StmtId};
use rustc_hash::FxHashSet;

use crate::scope::Resolver;
use crate::scope::broken_names::{BrokenClass, Unnamed};
use crate::scope::names::{NameUse, Symbol};
use crate::scope::table::AliasTarget;
use crate::scoped::{InstanceKind, ScopeId, StmtInfo};

impl Resolver<'_> {
    /// Records the body of a class whose head is the broken statement before it.
    pub(crate) fn declare_broken_class(&mut self, scope: ScopeId, previous: Option<StmtId>, stmt: StmtId, ast: &Ast) {
        let Stmt::If(branches) = ast.stmt(stmt) else { return };
        let StmtInfo::If { then: body, otherwise } = self.out.stmt_info(scope, stmt) else { return };
        if otherwise.is_some() {
            return;
        }
        let Some(Stmt::Error { defines }) = previous.map(|previous| ast.stmt(previous)) else { return };
        if *ast.expr(branches.condition) != Expr::Error
            || !defines.iter().any(|definition| definition.kind == DefinitionKind::Class)
        {
            return;
        }
        let mut names = Some(Vec::new());
        for definition in defines {
            match definition.kind {
                DefinitionKind::Class if ast.name(definition.name).is_empty() => names = None,
                DefinitionKind::Class | DefinitionKind::Mention => {
                    let symbol = self.symbols.defined(self.table(scope).unit, definition.name);
                    names.iter_mut().for_each(|names| names.push(symbol));
                }
                DefinitionKind::Variable | DefinitionKind::Function | DefinitionKind::Alias => {}
            }
        }
        self.tables[body].enclosing = body;
        self.broken_classes.push(BrokenClass { scope, stmt, body, names });
    }

    /// Removes the bodies of broken classes that no statement includes, and returns the others.
    pub(crate) fn included_broken_classes(&mut self) -> Vec<ScopeId> {
        let broken = std::mem::take(&mut self.broken_classes);
        if broken.is_empty() {
            return Vec::new();
        }
        let mut included: FxHashSet<Symbol> = FxHashSet::default();
        for instance in self.out.instances.values().filter(|instance| instance.kind == InstanceKind::Error) {
            if let Stmt::Include(include) = self.out.ast_of(instance.scope).stmt(instance.stmt) {
                included.extend(self.symbols.parts(self.table(instance.scope).unit, include.class).last());
            }
        }
        let mut bodies = Vec::new();
        for BrokenClass { scope, stmt, body, names } in broken {
            let is_included = match names {
                Some(names) => names.iter().any(|name| included.contains(name)),
                None => !included.is_empty(),
            };
            if is_included {
                bodies.push(body);
            } else {
                self.set_info(scope, stmt, StmtInfo::None);
            }
        }
        bodies
    }

    /// Whether an unknown name is a consequence of a broken statement that is visible in the scope.
    pub(crate) fn follows_from_broken_statement(&mut self, name: NameUse<'_>, scope: ScopeId) -> bool {
        let Some((first, rest)) = name.parts.split_first() else { return false };
        let wanted = if rest.is_empty() { Unnamed::In(name.namespace) } else { Unnamed::Alias };
        let mut current = Some(scope);
        while let Some(scope) = current {
            let broken = self.tables[scope].broken.as_mut();
            if broken.is_some_and(|broken| broken.accounts_for(*first, wanted)) {
                return true;
            }
            let alias = self.tables[scope].aliases.get(first).map(|alias| alias.target);
            if let Some(AliasTarget::Instance(instance)) = alias
                && !rest.is_empty()
                && let Some(inside) = self.out.instance_scope(instance)
            {
                return self.follows_from_broken_statement(NameUse { parts: rest, ..name }, inside);
            }
            current = self.out.scope(scope).parent;
        }
        false
    }
}
