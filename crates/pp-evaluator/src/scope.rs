//! Scopes: where variables live (spec 07 §5.16).
//!
//! A [`Scope`] belongs to a resource: the top scope to `Class[main]`, others to a node, a class or an instance of a define. Inside
//! a scope, blocks, functions and templates make [`Local`]s, a list from the innermost to the outermost.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pp_catalog::{Catalog, ResourceId, SourceId};
use pp_types::Value;
use rustc_hash::FxHashMap;

/// The index of a scope in [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(pub u32);

/// The top scope.
pub(crate) const TOP: ScopeId = ScopeId(0);
/// A scope that sees no variables: that of the types of parameters of definitions.
pub(crate) const NOWHERE: ScopeId = ScopeId(1);

/// The captures of the last match: `$0` and so on; what did not take part is `None`.
pub(crate) type Captures = Rc<[Option<Arc<str>>]>;

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum ScopeKind {
    Top,
    Node,
    Class,
    Define,
}

/// A scope.
#[derive(Debug)]
pub(crate) struct Scope {
    /// What it belongs to.
    pub kind: ScopeKind,
    /// Where variables are looked up next: the inherited class, the node, or the top scope.
    pub parent: Option<ScopeId>,
    /// The variables that were assigned in it.
    pub variables: FxHashMap<Arc<str>, Value>,
    /// The captures of the last match outside a block.
    pub captures: Option<Captures>,
    /// The resource that it belongs to.
    pub resource: ResourceId,
    /// What sets the parameters in its code.
    pub source: SourceId,
    /// The module of the definition; empty outside modules.
    pub module: Arc<str>,
}

impl Scope {
    /// Creates a scope without variables.
    pub(crate) fn new(kind: ScopeKind, parent: Option<ScopeId>) -> Scope {
        Scope {
            kind,
            parent,
            variables: FxHashMap::default(),
            captures: None,
            resource: Catalog::MAIN_CLASS,
            source: Catalog::MAIN_SOURCE,
            module: "".into(),
        }
    }
}

/// All scopes of a compilation.
#[derive(Debug)]
pub(crate) struct Scopes(Vec<Scope>);

impl Scopes {
    /// Creates the top scope, and the one that sees nothing.
    pub(crate) fn new() -> Scopes {
        let nowhere = Scope::new(ScopeKind::Define, None);
        Scopes(vec![Scope::new(ScopeKind::Top, None), nowhere])
    }

    /// Adds a scope.
    pub(crate) fn add(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId(u32::try_from(self.0.len()).expect("fewer than 2^32 scopes"));
        self.0.push(scope);
        id
    }

    /// Returns the value of a variable in a scope or those around it.
    pub(crate) fn lookup(&self, mut id: ScopeId, name: &str) -> Option<&Value> {
        loop {
            let scope = &self[id];
            if let Some(value) = scope.variables.get(name) {
                return Some(value);
            }
            id = scope.parent?;
        }
    }

    /// Returns the scope that has a variable: a scope itself, or one of those around it.
    pub(crate) fn owner(&self, mut id: ScopeId, name: &str) -> Option<ScopeId> {
        while !self[id].variables.contains_key(name) {
            id = self[id].parent?;
        }
        Some(id)
    }

    /// Returns the value of a variable of a class: in its scope, or those of the classes that it inherits from.
    pub(crate) fn lookup_class(&self, mut id: ScopeId, name: &str) -> Option<&Value> {
        loop {
            let scope = &self[id];
            if let Some(value) = scope.variables.get(name) {
                return Some(value);
            }
            id = scope.parent.filter(|parent| self[*parent].kind == ScopeKind::Class)?;
        }
    }

    /// Returns the captures that are visible in a scope.
    pub(crate) fn captures(&self, mut id: ScopeId) -> Option<&Captures> {
        loop {
            let scope = &self[id];
            if let Some(captures) = &scope.captures {
                return Some(captures);
            }
            id = scope.parent?;
        }
    }
}

impl std::ops::Index<ScopeId> for Scopes {
    type Output = Scope;

    fn index(&self, id: ScopeId) -> &Scope {
        &self.0[id.0 as usize]
    }
}

impl std::ops::IndexMut<ScopeId> for Scopes {
    fn index_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.0[id.0 as usize]
    }
}

/// The variables of a block, function or template.
#[derive(Debug)]
pub(crate) struct Local {
    /// The one around it; `None` next to the scope.
    pub parent: Option<Rc<Local>>,
    /// Captures of the surroundings are not visible: the body of a function.
    pub is_function: bool,
    variables: RefCell<Vec<(Arc<str>, Value)>>,
    captures: RefCell<Option<Captures>>,
}

impl Local {
    /// Creates one inside another.
    pub(crate) fn block(parent: Option<Rc<Local>>) -> Rc<Local> {
        Rc::new(Local { parent, is_function: false, variables: RefCell::default(), captures: RefCell::default() })
    }

    /// Creates one that sees nothing but its scope.
    pub(crate) fn function() -> Rc<Local> {
        Rc::new(Local { parent: None, is_function: true, variables: RefCell::default(), captures: RefCell::default() })
    }

    /// Returns the value of a variable of this one alone.
    pub(crate) fn get_own(&self, name: &str) -> Option<Value> {
        self.variables.borrow().iter().find(|(known, _)| &**known == name).map(|(_, value)| value.clone())
    }

    /// Returns the variables of this one alone.
    pub(crate) fn own_variables(&self) -> Vec<(Arc<str>, Value)> {
        self.variables.borrow().clone()
    }

    /// Returns the value of a variable of this one or those around it.
    pub(crate) fn lookup(&self, name: &str) -> Option<Value> {
        let mut local = self;
        loop {
            if let Some(value) = local.get_own(name) {
                return Some(value);
            }
            local = local.parent.as_deref()?;
        }
    }

    /// Sets a variable. Returns false if it was set before.
    pub(crate) fn set(&self, name: &Arc<str>, value: Value) -> bool {
        let mut variables = self.variables.borrow_mut();
        let is_new = variables.iter().all(|(known, _)| known != name);
        if is_new {
            variables.push((Arc::clone(name), value));
        }
        is_new
    }

    /// Gives a parameter its value. Of two parameters of a block with the same name the last one counts.
    pub(crate) fn set_parameter(&self, name: &Arc<str>, value: Value) {
        let mut variables = self.variables.borrow_mut();
        match variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => variables.push((Arc::clone(name), value)),
        }
    }

    /// Replaces the values for which there are others.
    pub(crate) fn replace(&self, mut replacement: impl FnMut(&Value) -> Option<Value>) {
        for (_, value) in self.variables.borrow_mut().iter_mut() {
            if let Some(new) = replacement(value) {
                *value = new;
            }
        }
    }

    /// Returns its own captures.
    pub(crate) fn own_captures(&self) -> Option<Captures> {
        self.captures.borrow().clone()
    }

    /// Sets its own captures.
    pub(crate) fn set_captures(&self, captures: Option<Captures>) {
        *self.captures.borrow_mut() = captures;
    }
}

impl Drop for Local {
    /// A long chain of blocks must not be dropped recursively.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut local) = next.and_then(Rc::into_inner) {
            next = local.parent.take();
        }
    }
}
