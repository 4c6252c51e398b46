//! What templates in ERB change in the values of the manifest (spec 07 §10.5).
//!
//! In Puppet a template sees the objects of the manifest. A variable, the elements of an array, what a function returns: all
//! are the same object, and a change by a template is seen by all of them. A parameter of a resource has a copy, which is the
//! object of the variable of the parameter, too. Here values are shared and never change, so the variables that have a changed
//! value get the new one: those of the scopes and blocks of the running code, and of classes that the template has read.

use std::sync::Arc;

use mcl_diagnostics::Span;
use pp_ast::{Expr, Tree};
use pp_catalog::{Parameter, ResourceId};
use pp_erb::{Change, Found, Mutability, ParameterId};
use pp_types::{Error, Value, with_stack};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluator::Evaluator;
use crate::scope::{Local, Scope, ScopeId, ScopeKind, TOP};
use crate::variable::RESERVED_VARIABLES;

/// Returns where an array, hash or string is in memory.
fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Array(values) => Some(Arc::as_ptr(values) as usize),
        Value::Hash(entries) => Some(Arc::as_ptr(entries) as usize),
        Value::String(text) => Some(Arc::as_ptr(text).cast::<u8>() as usize),
        _ => None,
    }
}

/// A kind of variables of a scope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VariableKind {
    /// A parameter of the class or definition that the scope is of.
    Parameter,
    Other,
}

/// Replaces values in values.
struct Replacement {
    new: FxHashMap<usize, Value>,
    /// Containers that were looked into, with what replaces them.
    visited: FxHashMap<usize, Option<Value>>,
    /// Strings inside containers are replaced.
    in_containers: bool,
}

impl Replacement {
    /// Replaces values wherever they are.
    fn new<'c>(changes: impl Iterator<Item = &'c Change>) -> Replacement {
        let new = changes.filter_map(|change| Some((address(&change.old)?, change.new.clone()))).collect();
        Replacement { new, visited: FxHashMap::default(), in_containers: true }
    }

    /// Replaces values of a copy, which shares the strings in its containers with others.
    fn of_copy<'c>(changes: impl Iterator<Item = &'c Change>) -> Replacement {
        Replacement { in_containers: false, ..Replacement::new(changes) }
    }

    /// Returns what replaces a value; `None` if nothing in it has changed.
    fn of(&mut self, value: &Value) -> Option<Value> {
        let at = match value {
            Value::Sensitive(inner) => return self.of(inner).map(|inner| Value::Sensitive(Arc::new(inner))),
            other => address(other)?,
        };
        if let Some(new) = self.new.get(&at) {
            return Some(new.clone());
        }
        if matches!(value, Value::String(_)) {
            return None;
        }
        if let Some(known) = self.visited.get(&at) {
            return known.clone();
        }
        let changed = with_stack(|| self.inside(value));
        self.visited.insert(at, changed.clone());
        changed
    }

    fn inside(&mut self, value: &Value) -> Option<Value> {
        let mut has_changed = false;
        let mut replace = |value: &Value| {
            if matches!(value, Value::String(_)) && !self.in_containers {
                return value.clone();
            }
            let new = self.of(value);
            has_changed |= new.is_some();
            new.unwrap_or_else(|| value.clone())
        };
        let new = match value {
            Value::Array(values) => Value::array(values.iter().map(&mut replace).collect()),
            Value::Hash(entries) => {
                Value::hash(entries.iter().map(|(key, value)| (key.clone(), replace(value))).collect())
            }
            _ => return None,
        };
        has_changed.then_some(new)
    }
}

impl Evaluator<'_> {
    /// Returns a variable for a template: that of a parameter has a copy of its own.
    pub(crate) fn find_for_template(&mut self, name: &str) -> Option<Found> {
        let value = self.lookup_variable(name)?;
        let parameter = match address(&value) {
            Some(_) => self.owner(name).and_then(|scope| self.parameter_id(scope, name)),
            None => None,
        };
        Some(Found { value, parameter })
    }

    /// Returns the variables that are visible for a template.
    pub(crate) fn visible_for_template(&mut self) -> Vec<(Arc<str>, Found)> {
        let visible = self.visible_variables();
        let find = |(name, value): (Arc<str>, Value)| {
            let parameter = self.owner(&name).and_then(|scope| self.parameter_id(scope, &name));
            (name, Found { value, parameter })
        };
        visible.into_iter().map(find).collect()
    }

    /// Returns the scope that has a variable; `None` for one of a block or function.
    fn owner(&mut self, name: &str) -> Option<ScopeId> {
        let plain = name.strip_prefix("::");
        let (from, variable) = match (plain, plain.unwrap_or(name).rsplit_once("::")) {
            (_, Some((class, variable))) => {
                let scope = *self.class_scopes.get(class)?;
                if !self.templates.classes.contains(&scope) {
                    self.templates.classes.push(scope);
                }
                (scope, variable)
            }
            (Some(variable), None) => (TOP, variable),
            (None, None) => {
                let is_local = self.frame.local.as_ref().is_some_and(|local| local.lookup(name).is_some());
                if is_local {
                    return None;
                }
                (self.frame.scope, name)
            }
        };
        self.scopes.owner(from, variable)
    }

    /// Returns the parameter that a variable of a scope belongs to.
    fn parameter_id(&self, scope: ScopeId, name: &str) -> Option<ParameterId> {
        let name = name.rsplit("::").next().unwrap_or(name);
        let at = parameter_of(&self.scopes[scope], &self.catalog, name)?;
        Some(ParameterId(u64::from(scope.0) << 32 | at as u64))
    }

    /// Returns what a change of a value does.
    pub(crate) fn mutability(&mut self, value: &Value) -> Mutability {
        self.find_fixed();
        let resource = self.catalog.resource(self.scope_resource());
        match value {
            Value::String(text) if Arc::ptr_eq(text, &resource.reference.title) => Mutability::Frozen,
            value => {
                let known = address(value).and_then(|address| self.templates.fixed.get(&address));
                known.copied().unwrap_or(Mutability::Shared)
            }
        }
    }

    /// Finds the facts, which are frozen, and the literals of the trees that are known by now.
    fn find_fixed(&mut self) {
        let (environment, trees) = (self.environment, self.trees);
        let mut fixed = std::mem::take(&mut self.templates.fixed);
        if self.templates.fixed_trees.is_none() {
            let variables = &self.scopes[TOP].variables;
            let facts = variables.iter().filter(|(name, _)| self.is_fact(name));
            add_inside(facts.map(|(_, value)| value).collect(), &mut fixed);
            for source in &environment.sources {
                self.add_literals(&source.tree, &mut fixed);
            }
        }
        let known = self.templates.fixed_trees.unwrap_or(0);
        let mut count = known;
        for entry in trees.iter().skip(known) {
            self.add_literals(&entry.tree, &mut fixed);
            count += 1;
        }
        self.templates.fixed = fixed;
        self.templates.fixed_trees = Some(count);
    }

    fn is_fact(&self, name: &Arc<str>) -> bool {
        let key = Value::String(Arc::clone(name));
        let options = self.options;
        RESERVED_VARIABLES.contains(&&**name)
            || options.facts.contains_key(&key)
            || options.server_facts.contains_key(&key)
    }

    /// Adds the strings that a tree has. Those in double quotes and heredocs can be changed in Puppet.
    fn add_literals(&self, tree: &Tree, fixed: &mut FxHashMap<usize, Mutability>) {
        let source = self.source(Span::new(tree.file, 0, 0)).map_or("", |file| &*file.text);
        let heredocs: FxHashSet<_> = tree
            .exprs
            .values()
            .filter_map(|expr| match expr {
                Expr::Heredoc { text, .. } => Some(*text),
                _ => None,
            })
            .collect();
        for (id, expr) in tree.exprs.iter() {
            let (Expr::String(text) | Expr::Name(text)) = expr else { continue };
            let first = source.as_bytes().get(tree.ranges[id].start as usize);
            let is_frozen = first != Some(&b'"') && !heredocs.contains(&id);
            let Some(address) = address(&Value::String(Arc::clone(tree.str(*text)))) else { continue };
            let mutability = if is_frozen { Mutability::Frozen } else { Mutability::Literal };
            let known = fixed.entry(address).or_insert(mutability);
            if is_frozen {
                *known = Mutability::Frozen;
            }
        }
    }

    /// Puts new values in the places of those that a template has changed.
    pub(crate) fn write_back(&mut self, changes: &[Change]) -> Result<(), Error> {
        let is_string = |change: &Change| matches!(change.old, Value::String(_));
        let is_literal = |this: &Self, change: &Change| {
            address(&change.old).is_some_and(|address| this.templates.fixed.contains_key(&address))
        };
        // Puppet copies literals for parameters, but not other strings.
        let is_shared =
            |this: &Self, change: &Change| change.parameter.is_none() || is_string(change) && !is_literal(this, change);
        let (shared, copies): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| is_shared(self, change));
        let mut work = changes.len();
        if !shared.is_empty() {
            let strings = shared.iter().filter(|change| is_string(change));
            self.templates.strings.extend(strings.map(|change| (change.old.clone(), change.new.clone())));
            let mut replacement = Replacement::new(shared.iter().copied());
            self.replace_shared(&mut replacement);
            let mut strings = Replacement::new(shared.iter().copied().filter(|change| is_string(change)));
            self.replace_parameters_of_running_code(&mut strings);
            work += replacement.visited.len() + strings.visited.len();
        }
        let mut parameters: Vec<ParameterId> = copies.iter().filter_map(|change| change.parameter).collect();
        parameters.dedup();
        for id in parameters {
            let changes = copies.iter().copied().filter(|change| change.parameter == Some(id));
            let mut replacement = Replacement::of_copy(changes);
            self.replace_copy(id, &mut replacement);
            work += replacement.visited.len();
        }
        self.spend(work as u64, 0)
    }

    /// The scopes that running code sees, and the classes that templates have read.
    fn visible_scopes(&self) -> Vec<ScopeId> {
        let mut scopes: Vec<ScopeId> = Vec::new();
        let frames = self.outer_frames.iter().chain([&self.frame]).map(|frame| frame.scope);
        for from in frames.chain(self.templates.classes.iter().copied()) {
            let mut next = Some(from);
            while let Some(id) = next.filter(|id| !scopes.contains(id)) {
                scopes.push(id);
                next = self.scopes[id].parent;
            }
        }
        scopes
    }

    /// Replaces values of variables that are not parameters; those of the parameters of the running code, too, unless the value
    /// is that of another scope, of which the parameters have copies.
    fn replace_shared(&mut self, replacement: &mut Replacement) {
        let own = self.frame.scope;
        let mut is_elsewhere = false;
        for scope in self.visible_scopes() {
            is_elsewhere |= self.replace_variables(scope, replacement, VariableKind::Other) && scope != own;
        }
        self.replace_locals(replacement);
        if !is_elsewhere {
            self.replace_variables(own, replacement, VariableKind::Parameter);
        }
    }

    fn replace_parameters_of_running_code(&mut self, replacement: &mut Replacement) {
        if !replacement.new.is_empty() {
            for scope in self.visible_scopes() {
                self.replace_variables(scope, replacement, VariableKind::Parameter);
            }
        }
    }

    /// Replaces values of the variables of a scope that are of a kind. Returns whether there were any.
    fn replace_variables(&mut self, id: ScopeId, replacement: &mut Replacement, kind: VariableKind) -> bool {
        let scope = &self.scopes[id];
        let is_wanted = |name: &Arc<str>| match parameter_of(scope, &self.catalog, name) {
            Some(_) => kind == VariableKind::Parameter,
            None => kind == VariableKind::Other,
        };
        let wanted = scope.variables.iter().filter(|(name, _)| is_wanted(name) && !(id == TOP && self.is_fact(name)));
        let changed = wanted.filter_map(|(name, value)| Some((Arc::clone(name), replacement.of(value)?)));
        let changed: Vec<(Arc<str>, Value)> = changed.collect();
        let resource = scope.resource;
        for (name, value) in &changed {
            self.scopes[id].variables.insert(Arc::clone(name), value.clone());
            if kind == VariableKind::Parameter {
                self.replace_parameter(resource, name, value.clone());
            }
        }
        !changed.is_empty()
    }

    /// Replaces values of the variables of the running blocks and functions.
    fn replace_locals(&mut self, replacement: &mut Replacement) {
        let frames = self.outer_frames.iter().chain([&self.frame]).filter_map(|frame| frame.local.as_deref());
        let blocks = self.blocks.iter().filter_map(|block| block.local.as_deref());
        let mut seen: FxHashSet<*const Local> = FxHashSet::default();
        for local in frames.chain(blocks) {
            let mut next = Some(local);
            while let Some(local) = next.filter(|local| seen.insert(std::ptr::from_ref(*local))) {
                local.replace(|value| replacement.of(value));
                next = local.parent.as_deref();
            }
        }
    }

    /// Replaces the value of a parameter, and of variables of its scope that are made of it.
    fn replace_copy(&mut self, id: ParameterId, replacement: &mut Replacement) {
        let scope = ScopeId((id.0 >> 32) as u32);
        let resource = self.scopes[scope].resource;
        let parameter = self.catalog.resource(resource).parameters.iter().nth(id.0 as u32 as usize);
        let Some(name) = parameter.map(|parameter| Arc::clone(&parameter.name)) else { return };
        let value = self.scopes[scope].variables.get(&name).and_then(|value| replacement.of(value));
        if let Some(value) = value {
            self.scopes[scope].variables.insert(Arc::clone(&name), value.clone());
            self.replace_parameter(resource, &name, value);
        }
        self.replace_variables(scope, replacement, VariableKind::Other);
        self.replace_locals(replacement);
    }

    fn replace_parameter(&mut self, resource: ResourceId, name: &str, value: Value) {
        if let Some(parameter) = self.catalog.resource(resource).parameters.get(name) {
            let parameter = Parameter { value, ..parameter.clone() };
            self.catalog.set_parameter(resource, parameter);
        }
    }

    /// Replaces changed strings in the parameters of all resources.
    pub(crate) fn replace_strings_of_resources(&mut self) {
        let strings = std::mem::take(&mut self.templates.strings);
        if strings.is_empty() {
            return;
        }
        let mut new = FxHashMap::default();
        // A later change of a new value is that of the old one, too.
        for (old, value) in strings.iter().rev() {
            let last = address(value).and_then(|address| new.get(&address)).unwrap_or(value).clone();
            new.extend(address(old).map(|address| (address, last)));
        }
        let mut replacement = Replacement { new, visited: FxHashMap::default(), in_containers: true };
        let mut changed: Vec<(ResourceId, Parameter)> = Vec::new();
        for (id, resource) in self.catalog.resources() {
            for parameter in resource.parameters.iter() {
                if let Some(value) = replacement.of(&parameter.value) {
                    changed.push((id, Parameter { value, ..parameter.clone() }));
                }
            }
        }
        for (id, parameter) in changed {
            self.catalog.set_parameter(id, parameter);
        }
    }
}

/// Adds values, and those in them, as frozen.
fn add_inside(mut stack: Vec<&Value>, fixed: &mut FxHashMap<usize, Mutability>) {
    while let Some(value) = stack.pop() {
        let Some(address) = address(value) else { continue };
        if fixed.insert(address, Mutability::Frozen).is_some() {
            continue;
        }
        match value {
            Value::Array(values) => stack.extend(values.iter()),
            Value::Hash(entries) => stack.extend(entries.iter().flat_map(|(key, value)| [key, value])),
            _ => {}
        }
    }
}

/// Returns the number of the parameter that a variable of a scope is.
fn parameter_of(scope: &Scope, catalog: &pp_catalog::Catalog, name: &str) -> Option<usize> {
    match scope.kind {
        ScopeKind::Class | ScopeKind::Define => {
            catalog.resource(scope.resource).parameters.iter().position(|parameter| &*parameter.name == name)
        }
        ScopeKind::Top | ScopeKind::Node => None,
    }
}
