//! Classes (spec 07 §5.9).

use std::sync::Arc;

use indexmap::IndexSet;
use mcl_diagnostics::{Code, Span};
use pp_ast::{ClassDefinition, ResourceForm};
use pp_catalog::{
    Catalog, ClassForm, Location, NewResource, Parameter, Parameters, Reference, ResourceId, ResourceKind, Source,
    SourceKind,
};
use pp_functions::{DeclareClass, Strict};
use pp_types::{Error, ErrorKind, Type, Value};
use rustc_hash::FxBuildHasher;

use crate::definitions::{Defined, plain};
use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::resource::Declaration;
use crate::scope::{Scope, ScopeId, ScopeKind, TOP};
use crate::stop::{Eval, Fault, JumpKind, Stop, illegal_jump, located, unlocated};

impl<'e> Evaluator<'e> {
    /// `class { 'name': … }`
    pub(crate) fn declare_class(&mut self, declaration: Declaration) -> Eval<ResourceId> {
        let Declaration { title, parameters, form, span, .. } = declaration;
        if form != ResourceForm::Regular {
            let error = Error::new(ErrorKind::Evaluation, "Classes are not virtualizable");
            return Err(unlocated(error).code(Code::P0511));
        }
        let name: Arc<str> = plain(&title).to_lowercase().into();
        let id = self.add_class(&name, ClassForm::Declared, parameters, span)?;
        self.evaluate_class(&name, id)?;
        Ok(id)
    }

    /// `include`, `contain` and `require`: returns references to the classes.
    pub(crate) fn include(&mut self, how: DeclareClass, names: &[Value]) -> Eval {
        let names = self.class_names(names)?;
        let mut references = Vec::with_capacity(names.len());
        // All are declared before the first is evaluated.
        let mut declared = Vec::with_capacity(names.len());
        for name in names {
            match self.declare_included(&name) {
                Ok(id) => declared.push((name, id)),
                Err(stop) => self.recover_each(located(stop, self.call_span))?,
            }
        }
        for (name, id) in declared {
            if let Err(stop) = self.evaluate_class(&name, id) {
                self.recover_each(located(stop, self.call_span))?;
            }
            let container = self.scope_resource();
            match how {
                DeclareClass::Include => {}
                DeclareClass::Contain => self.catalog.contain(container, id),
                DeclareClass::Require => {
                    let target = self.catalog.resource(id).reference.clone();
                    self.catalog.append_reference(container, "require", &target);
                }
            }
            references.push(Value::Type(Type::Class(Some(name))));
        }
        Ok(Value::array(references))
    }

    /// Adds a class to the catalog unless it is there.
    fn declare_included(&mut self, name: &str) -> Eval<ResourceId> {
        match self.catalog.find_class(name) {
            Some(id) => Ok(id),
            None => self.add_class(name, ClassForm::Included, Parameters::default(), None),
        }
    }

    /// Returns the names in the arguments of `include`, without leading colons.
    fn class_names(&self, values: &[Value]) -> Eval<Vec<Arc<str>>> {
        let mut names = Vec::with_capacity(values.len());
        let mut stack: Vec<&Value> = values.iter().rev().collect();
        let error = |text: &str| Err(unlocated(Error::new(ErrorKind::Evaluation, text)).code(Code::P0505));
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(elements) => stack.extend(elements.iter().rev()),
                Value::String(name) if name.is_empty() => return error("Cannot use empty string as a class name"),
                Value::String(name) => names.push(plain(name).to_lowercase().into()),
                Value::Undef => return error("Cannot use undef as a class name"),
                Value::Type(Type::Class(Some(name))) => names.push(name.clone()),
                Value::Type(Type::Class(None)) => return error("Cannot use an unspecific Class[] Type"),
                Value::Type(Type::Resource(Some(ty), Some(title))) if ty.eq_ignore_ascii_case("class") => {
                    names.push(plain(title).to_lowercase().into());
                }
                Value::Type(Type::Resource(_, None)) => return error("Cannot use an unspecific Resource[] Type"),
                Value::Type(Type::Resource(Some(ty), _)) => {
                    return error(&format!("Cannot use a Resource[{ty}] where a Resource['class', name] is expected"));
                }
                other => {
                    let ty = pp_types::generalize(&pp_types::infer(other));
                    return error(&format!("Cannot use {ty} where a class name is expected"));
                }
            }
        }
        Ok(names)
    }

    fn class_definition(&mut self, name: &str, form: ClassForm) -> Eval<Defined<'e, ClassDefinition>> {
        if let Some(class) = self.find_class(name)? {
            return Ok(class);
        }
        let message = match form {
            ClassForm::Included => format!("Could not find class ::{name} for {}", self.options.node),
            ClassForm::Declared => format!("Could not find declared class {name}"),
        };
        let help = match self.find_define(name)? {
            Some(_) => Some(format!("`{name}` is a define: declare it with `{name} {{ 'title': }}`")),
            None => self
                .similar_in_module(name, "class", self.definitions.classes.keys().copied())
                .or_else(|| Some("define it, or add the directory of its module to the module path".to_owned())),
        };
        Err(unlocated(Error::new(ErrorKind::Unknown, message)).code(Code::P0505).help(help))
    }

    /// Adds a class to the catalog, after those that it inherits from.
    fn add_class(
        &mut self,
        name: &str,
        form: ClassForm,
        parameters: Parameters,
        span: Option<Span>,
    ) -> Eval<ResourceId> {
        let class = self.class_definition(name, form)?;
        for ancestor in self.ancestors(class)?.iter().rev() {
            if self.catalog.find_class(ancestor).is_none() {
                self.add_class_resource(ancestor, ClassForm::Included, Parameters::default(), None)?;
            }
        }
        self.add_class_resource(name, form, parameters, span)
    }

    fn add_class_resource(
        &mut self,
        name: &str,
        form: ClassForm,
        parameters: Parameters,
        span: Option<Span>,
    ) -> Eval<ResourceId> {
        let scope = &self.scopes[self.frame.scope];
        let new = NewResource {
            reference: Reference::class(name),
            kind: ResourceKind::Class(form),
            parameters,
            location: self.location(span),
            scope: scope.resource,
            source: scope.source,
            is_virtual: false,
            exported: false,
            is_number: false,
        };
        let id = self.catalog.add(new).map_err(|error| self.catalog_error(&error, span.or(self.call_span)))?;
        self.declared_in.insert(id, self.frame.scope);
        Ok(id)
    }

    /// Adds the classes of an external classifier, those with parameters first. They are evaluated later.
    pub(crate) fn add_classified(&mut self) -> Eval<()> {
        let (with, without): (Vec<_>, Vec<_>) =
            self.options.classification.classes.iter().partition(|(_, parameters)| !parameters.is_empty());
        let frame = Frame { tree: self.frame.tree, scope: self.node_scope.unwrap_or(TOP), local: None };
        self.within(frame, |this| {
            for (name, parameters) in with.into_iter().chain(without) {
                let name = plain(name).to_lowercase();
                let source = this.scopes[this.frame.scope].source;
                let parameters = parameters.iter().filter_map(|(key, value)| {
                    let Value::String(key) = key else { return None };
                    let (name, value, location) = (key.clone(), value.clone(), Location::default());
                    Some(Parameter { name, value, source, location, append: false })
                });
                let parameters: Parameters = parameters.collect();
                if this.catalog.find_class(&name).is_none()
                    && let Err(stop) = this.add_class(&name, ClassForm::Included, parameters, None)
                {
                    this.recover(stop)?;
                }
            }
            Ok(())
        })
    }

    /// Returns the classes that a class inherits from, the nearest first.
    fn ancestors(&mut self, class: Defined<'e, ClassDefinition>) -> Eval<Vec<Arc<str>>> {
        let mut ancestors: IndexSet<Arc<str>, FxBuildHasher> = IndexSet::default();
        let mut at = class;
        while let Some(parent) = at.definition.parent {
            let parent_name: Arc<str> = plain(at.tree.str(parent)).into();
            let span = at.tree.range_span(at.definition.name_range);
            if ancestors.contains(&parent_name) || *parent_name == *plain(class.tree.str(class.definition.name)) {
                let name = plain(class.tree.str(class.definition.name));
                let message = format!("class '{name}' inherits from itself");
                return Err(Stop::at(span, Error::new(ErrorKind::Evaluation, message)).code(Code::P0505));
            }
            let Some(next) = self.find_class(&parent_name)? else {
                let message = format!(
                    "Could not find parent resource type '::{parent_name}' of type hostclass in {}",
                    self.options.environment
                );
                let help = self.similar_in_module(&parent_name, "class", self.definitions.classes.keys().copied());
                return Err(Stop::at(span, Error::new(ErrorKind::Unknown, message)).code(Code::P0505).help(help));
            };
            ancestors.insert(parent_name);
            at = next;
        }
        Ok(ancestors.into_iter().collect())
    }

    /// Evaluates the body of a class, after those that it inherits from, once.
    pub(crate) fn evaluate_class(&mut self, name: &str, id: ResourceId) -> Eval<()> {
        if self.catalog.resource(id).evaluated {
            return Ok(());
        }
        self.catalog.mark_evaluated(id);
        let class = self.class_definition(name, ClassForm::Included)?;
        let declared_in = self.declared_in.remove(&id).unwrap_or(TOP);
        let span = self.catalog.resource(id).location.span.or(self.call_span);
        let parent = match class.definition.parent {
            Some(parent) => {
                let parent: Arc<str> = plain(class.tree.str(parent)).into();
                let parent_id = match self.catalog.find_class(&parent) {
                    Some(parent_id) => parent_id,
                    None => self.add_class(&parent, ClassForm::Included, Parameters::default(), None)?,
                };
                self.nested(span, |this| this.evaluate_class(&parent, parent_id))?;
                Some(self.class_scopes.get(&parent).copied().ok_or_else(|| unfinished_parent(name, &parent, span))?)
            }
            None => None,
        };
        let first = self.errors.len();
        let result = self.nested(span, |this| this.evaluate_class_body(name, id, class, parent, declared_in));
        let declared = || format!("class `{name}` is declared here");
        if self.errors.len() > first {
            self.errors.trace_from(first, span, &declared());
        }
        result.map_err(|stop| stop.trace(span, declared()))
    }

    fn evaluate_class_body(
        &mut self,
        name: &str,
        id: ResourceId,
        class: Defined<'e, ClassDefinition>,
        parent: Option<ScopeId>,
        declared_in: ScopeId,
    ) -> Eval<()> {
        let Defined { tree, module, definition } = class;
        let around = self.node_scope.unwrap_or(TOP);
        let mut scope = Scope::new(ScopeKind::Class, Some(parent.unwrap_or(around)));
        let parent_source = parent.map(|parent| self.scopes[parent].source);
        let source = Source { kind: SourceKind::Class, name: name.into(), parent: parent_source };
        (scope.resource, scope.source) = (id, self.catalog.add_source(source));
        self.catalog.set_scope_around(id, self.scopes[parent.unwrap_or(declared_in)].resource);
        scope.module = module.cloned().unwrap_or_else(|| "".into());
        let caller = self.scopes[declared_in].module.clone();
        let title = Value::from(name);
        scope.variables.insert("title".into(), title.clone());
        scope.variables.insert("name".into(), title);
        scope.variables.insert("module_name".into(), Value::String(scope.module.clone()));
        scope.variables.insert("caller_module_name".into(), Value::String(caller));
        let scope = self.scopes.add(scope);
        self.class_scopes.insert(name.into(), scope);
        self.catalog.add_class_name(name);
        let frame = Frame { tree, scope, local: None };
        let result = self.within(frame, |this| {
            this.bind_resource(id, definition.parameters, Some(name))?;
            this.eval_body(definition.body)
        });
        finish_body(result)
    }

    /// Runs the code of `class settings` in the class that always exists.
    pub(crate) fn evaluate_settings(&mut self) -> Eval<()> {
        let mut scope = Scope::new(ScopeKind::Class, Some(TOP));
        scope.resource = Catalog::SETTINGS;
        self.catalog.set_scope_around(Catalog::SETTINGS, Catalog::MAIN_CLASS);
        let source = Source { kind: SourceKind::Class, name: "settings".into(), parent: None };
        scope.source = self.catalog.add_source(source);
        for (name, value) in &self.options.settings {
            if let Value::String(name) = name {
                scope.variables.insert(name.clone(), value.clone());
            }
        }
        let strict = match self.options.strict {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        };
        scope.variables.insert("strict".into(), Value::from(strict));
        scope.variables.insert("strict_variables".into(), Value::Boolean(self.options.strict_variables));
        let title = Value::from("settings");
        scope.variables.insert("title".into(), title.clone());
        scope.variables.insert("name".into(), title);
        let scope = self.scopes.add(scope);
        self.class_scopes.insert("settings".into(), scope);
        let Some(class) = self.definitions.classes.get("settings").copied() else { return Ok(()) };
        let frame = Frame { tree: class.tree, scope, local: None };
        finish_body(self.within(frame, |this| this.eval(class.definition.body)))
    }
}

/// The error of a class that is evaluated by one from which its parent inherits, so that the parent has no scope yet. A parent with an
/// error of its own has none either.
fn unfinished_parent(name: &str, parent: &str, span: Option<Span>) -> Stop {
    let error = Error::new(ErrorKind::Evaluation, format!("Could not find scope for {parent}")).help(format!(
        "`{name}` inherits from `{parent}`, and is declared by a class from which `{parent}` inherits in turn"
    ));
    Stop::Fault(Box::new(Fault { code: Some(Code::P0505), is_consequence: true, ..Fault::new(error, span) }))
}

/// Ends the body of a class or define: `return` and `next` may leave it.
pub(crate) fn finish_body(result: Eval) -> Eval<()> {
    match result {
        Err(Stop::Jump(jump)) if matches!(jump.kind, JumpKind::Return | JumpKind::Next) => Ok(()),
        Err(Stop::Jump(jump)) => Err(illegal_jump(&jump)),
        other => other.map(|_| ()),
    }
}
