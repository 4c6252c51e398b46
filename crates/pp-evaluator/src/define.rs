//! Instances of defines, and the parameters of classes and defines (spec 07 §5.9).

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, Span, nearest};
use pp_ast::{Definition, Parameter, ParameterList, StrId, Tree};
use pp_catalog::{Parameter as Attribute, ResourceId, Source, SourceKind};
use pp_types::{Type, Value, is_instance};

use crate::class::finish_body;
use crate::definitions::{Defined, plain};
use crate::environment::Origin;
use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::frame::ParameterTypes;
use crate::problem::{Problem, problems_text, rejected};
use crate::scope::{NOWHERE, Scope, ScopeKind, TOP};
use crate::stop::{Eval, Stop, located};
use crate::variable::RESERVED_VARIABLES;

impl Evaluator<'_> {
    /// Evaluates the body of an instance of a define.
    pub(crate) fn evaluate_define(&mut self, id: ResourceId) -> Eval<()> {
        let resource = self.catalog.resource(id);
        let (span, title) = (resource.location.span, resource.reference.title.clone());
        let key = resource.reference.type_name.to_lowercase();
        let Some(define) = self.definitions.defines.get(&*key).copied() else { return Ok(()) };
        let name_parameter = resource.parameters.value("name").cloned();
        self.catalog.mark_evaluated(id);
        let Defined { tree, module, definition } = define;
        let declared_in = self.declared_in.remove(&id).unwrap_or(TOP);
        let mut scope = Scope::new(ScopeKind::Define, Some(self.node_scope.unwrap_or(TOP)));
        let source = *self.define_sources.entry(key.clone().into()).or_insert_with_key(|name| {
            self.catalog.add_source(Source { kind: SourceKind::Define, name: Arc::clone(name), parent: None })
        });
        (scope.resource, scope.source) = (id, source);
        self.catalog.set_scope_around(id, self.scopes[declared_in].resource);
        scope.module = module.cloned().unwrap_or_else(|| "".into());
        let caller = self.scopes[declared_in].module.clone();
        scope.variables.insert("name".into(), name_parameter.unwrap_or_else(|| Value::String(title.clone())));
        scope.variables.insert("title".into(), Value::String(title));
        scope.variables.insert("module_name".into(), Value::String(scope.module.clone()));
        scope.variables.insert("caller_module_name".into(), Value::String(caller));
        let scope = self.scopes.add(scope);
        let frame = Frame { tree, scope, local: None };
        let first = self.errors.len();
        let result = self.nested(span, |this| {
            this.within(frame, |this| {
                this.bind_resource(id, definition.parameters, None)?;
                this.eval_body(definition.body)
            })
        });
        // Nothing sees the variables any more; defaults are still looked up.
        self.scopes[scope].variables = Default::default();
        let reference = &self.catalog.resource(id).reference;
        if self.errors.len() > first {
            self.errors.trace_from(first, span, &format!("`{reference}` is declared here"));
        }
        finish_body(result).map_err(|stop| located(stop, span).trace(span, format!("`{reference}` is declared here")))
    }

    /// Sets the variables of the parameters of a class or define, checks them, and completes the resource with defaults. For a
    /// class, values are looked up, too.
    pub(crate) fn bind_resource(&mut self, id: ResourceId, list: ParameterList, class: Option<&str>) -> Eval<()> {
        let tree = self.frame.tree;
        let parameters = tree.parameters(list);
        let types = self.cached_types(list)?;
        let mut problems = self.unknown_parameters(id, parameters);
        self.set_metaparameter_variables(id);

        // Given values come first: defaults may use them, whatever the order.
        let mut missing: Vec<usize> = Vec::new();
        let mut values: Vec<Option<Value>> = vec![None; parameters.len()];
        for (at, parameter) in parameters.iter().enumerate() {
            let name = tree.str(parameter.name);
            let given = self.catalog.resource(id).parameters.value(name).cloned();
            let value = match (given, class) {
                (Some(value), _) => Some(value),
                (None, Some(class)) => {
                    let found = self.lookup_parameter(class, name)?;
                    let found = found.filter(|value| *value != Value::Undef || parameter.default.is_none());
                    if let Some(value) = &found {
                        self.complete(id, name, value.clone());
                    }
                    found
                }
                (None, None) => None,
            };
            match value {
                Some(value) => {
                    self.set_resource_variable(name, value.clone());
                    values[at] = Some(value);
                }
                None => missing.push(at),
            }
        }
        let in_turn: Rc<[Arc<str>]> = missing.iter().map(|at| Arc::clone(tree.str(parameters[*at].name))).collect();
        for (turn, at) in missing.iter().copied().enumerate() {
            let parameter = &parameters[at];
            let name = tree.str(parameter.name);
            if let Some(default) = parameter.default {
                let subject = self.catalog.resource(id).reference.to_string();
                let value = self.eval_default(&subject, &in_turn, turn, default)?;
                self.complete(id, name, value.clone());
                self.set_resource_variable(name, value.clone());
                values[at] = Some(value);
            } else if self.catalog.resource(id).parameters.get(name).is_some() {
                // An explicit undef counts, if the type takes it.
                self.set_resource_variable(name, Value::Undef);
                values[at] = Some(Value::Undef);
            }
        }
        for (at, (parameter, ty)) in parameters.iter().zip(types.types.iter()).enumerate() {
            let name = tree.str(parameter.name);
            match &values[at] {
                None => problems.push(Problem::missing(name, tree.range_span(parameter.range))),
                Some(value) if is_type(ty, value) => {}
                Some(value) => {
                    let origin = self.origin(id, name).map(|span| (span, "the value is")).or_else(|| {
                        let default = parameter.default.filter(|_| class.is_none() || missing.contains(&at))?;
                        Some((tree.span(default), "the default is"))
                    });
                    problems.extend(Problem::mismatches(name, ty, value, origin));
                }
            }
        }
        if problems.is_empty() {
            return Ok(());
        }
        let help = self.similar_parameter(id, parameters);
        Err(rejected(&self.catalog.resource(id).reference, problems).help(help))
    }

    /// Returns where a parameter of a resource is set, unless it comes from data or a default.
    fn origin(&self, id: ResourceId, name: &str) -> Option<Span> {
        let resource = self.catalog.resource(id);
        let set = resource.parameters.get(name)?.location.span;
        set.filter(|_| set != resource.location.span)
    }

    /// Suggests the parameter that an unknown one could mean.
    fn similar_parameter(&self, id: ResourceId, parameters: &[Parameter]) -> Option<String> {
        let names = || parameters.iter().map(|parameter| &**self.frame.tree.str(parameter.name));
        self.catalog.resource(id).parameters.iter().find_map(|given| {
            let is_unknown = names().all(|name| name != &*given.name);
            let similar = nearest(&given.name, names()).filter(|_| is_unknown)?;
            Some(format!("did you mean the parameter `{similar}`?"))
        })
    }

    /// Checks the parameters of the classes and defines of the main manifests, as soon as they are defined.
    pub(crate) fn check_main_definitions(&mut self) -> Eval<()> {
        let environment = self.environment;
        for source in environment.sources.iter().filter(|source| source.origin == Origin::Main) {
            self.check_definitions(&source.tree)?;
        }
        Ok(())
    }

    /// Checks the parameters of the classes and defines of a manifest.
    pub(crate) fn check_definitions(&mut self, tree: &Tree) -> Eval<()> {
        for definition in tree.definitions.values() {
            match definition {
                Definition::Class(class) => self.check_metaparameters(tree, class.name, class.parameters)?,
                Definition::Define(define) => self.check_metaparameters(tree, define.name, define.parameters)?,
                Definition::Node(_) | Definition::Function(_) | Definition::TypeAlias(_) => {}
            }
        }
        Ok(())
    }

    /// A parameter with the name of a metaparameter must have a default, and is suspicious.
    fn check_metaparameters(&mut self, tree: &Tree, definition: StrId, list: ParameterList) -> Eval<()> {
        let definition = plain(tree.str(definition));
        for parameter in tree.parameters(list) {
            let name = tree.str(parameter.name);
            let span = tree.range_span(parameter.range);
            if RESERVED_VARIABLES.contains(&&**name) {
                let message = format!("Attempt to assign to a reserved variable name: '{name}'");
                return Err(Stop::message(span, message).code(Code::P0510));
            }
            if pp_resource_types::metaparameter(name).is_none() {
                continue;
            }
            if parameter.default.is_none() {
                let message = format!(
                    "{name} is a metaparameter; please choose another parameter name in the {definition} definition"
                );
                return Err(Stop::message(span, message));
            }
            let message = format!(
                "{name} is a metaparam; this value will inherit to all contained resources in the {definition} definition"
            );
            self.warn_at(Some(span), message);
        }
        Ok(())
    }

    /// Returns the types of the parameters of a class or define, evaluated once.
    fn cached_types(&mut self, list: ParameterList) -> Eval<ParameterTypes> {
        let tree = self.frame.tree;
        let key = (tree.file, list);
        if let Some(known) = self.resource_signatures.get(&key) {
            return Ok(known.clone());
        }
        // They see no variables, not even facts.
        let frame = Frame { tree, scope: NOWHERE, local: None };
        let types = self.within(frame, |this| this.parameter_types(list, None))?;
        self.resource_signatures.insert(key, types.clone());
        Ok(types)
    }

    /// Returns what is wrong with the parameters of the instances of defines whose bodies have not checked them.
    pub(crate) fn define_problems(&mut self) -> Eval<Vec<(ResourceId, String)>> {
        let mut problems = Vec::new();
        for id in self.catalog.unchecked_defines() {
            let key = self.catalog.resource(id).reference.type_name.to_lowercase();
            let Some(define) = self.definitions.defines.get(&*key).copied() else { continue };
            let frame = Frame { tree: define.tree, scope: NOWHERE, local: None };
            let list = define.definition.parameters;
            let found = self.within(frame, |this| this.given_problems(id, list))?;
            if !found.is_empty() {
                problems.push((id, problems_text(&self.catalog.resource(id).reference, &found)));
            }
        }
        Ok(problems)
    }

    /// Returns what is wrong with the parameters that are given, and which are missing.
    fn given_problems(&mut self, id: ResourceId, list: ParameterList) -> Eval<Vec<Problem>> {
        let tree = self.frame.tree;
        let parameters = tree.parameters(list);
        let mut problems = self.unknown_parameters(id, parameters);
        let types = self.cached_types(list)?;
        for (parameter, ty) in parameters.iter().zip(types.types.iter()) {
            let name = tree.str(parameter.name);
            match self.catalog.resource(id).parameters.value(name) {
                Some(value) if !is_type(ty, value) => {
                    let origin = self.origin(id, name).map(|span| (span, "the value is"));
                    problems.extend(Problem::mismatches(name, ty, value, origin));
                }
                Some(_) => {}
                None if parameter.default.is_none() && self.catalog.resource(id).parameters.get(name).is_none() => {
                    problems.push(Problem::missing(name, tree.range_span(parameter.range)));
                }
                None => {}
            }
        }
        Ok(problems)
    }

    fn unknown_parameters(&self, id: ResourceId, parameters: &[Parameter]) -> Vec<Problem> {
        let tree = self.frame.tree;
        let given = self.catalog.resource(id).parameters.iter();
        let is_known = |name: &str| {
            parameters.iter().any(|parameter| &**tree.str(parameter.name) == name)
                || name == "name"
                || pp_resource_types::metaparameter(name).is_some()
        };
        let unknown = given.filter(|attribute| !is_known(&attribute.name));
        unknown.map(|attribute| Problem::unknown(&attribute.name, attribute.location.span)).collect()
    }

    /// Metaparameters that are set are variables of the body.
    fn set_metaparameter_variables(&mut self, id: ResourceId) {
        let given = self.catalog.resource(id).parameters.iter();
        let given = given.filter(|attribute| pp_resource_types::metaparameter(&attribute.name).is_some());
        let given: Vec<_> = given.map(|attribute| (attribute.name.clone(), attribute.value.clone())).collect();
        for (name, value) in given {
            self.set_resource_variable(&name, value);
        }
    }

    fn set_resource_variable(&mut self, name: &Arc<str>, value: Value) {
        self.scopes[self.frame.scope].variables.insert(name.clone(), value);
    }

    /// Completes a resource with the value of a parameter that was not given.
    fn complete(&mut self, id: ResourceId, name: &Arc<str>, value: Value) {
        if value == Value::Undef {
            return;
        }
        let source = self.scopes[self.frame.scope].source;
        let location = self.catalog.resource(id).location.clone();
        self.catalog.set_parameter(id, Attribute { name: name.clone(), value, source, location, append: false });
    }

    fn lookup_parameter(&mut self, class: &str, name: &str) -> Eval<Option<Value>> {
        let result = self.data_of_key(&format!("{class}::{name}"), None);
        result.map_err(|error| self.stop(error.into()))
    }
}

/// Returns whether a value may be given for a parameter. What a deferred call will return is not known yet.
fn is_type(ty: &Type, value: &Value) -> bool {
    *ty == Type::Any || matches!(value, Value::Deferred(_)) || is_instance(ty, value)
}
