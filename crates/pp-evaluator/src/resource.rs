//! Resource expressions (spec 07 §5.7).

use std::sync::Arc;

use mcl_diagnostics::{Code, Span, nearest};
use pp_ast::{
    Attribute, AttributeList, AttributeName, AttributeOp, Expr, ExprId, ResourceForm, ResourceId as ResourceExprId,
};
use pp_catalog::{Location, NewResource, Parameter, Parameters, Reference, ResourceId, ResourceKind, capitalize};
use pp_resource_types::module_of_type;
use pp_types::{Error, ErrorKind, Type, Value, generalize, infer};
use rustc_hash::FxHashSet;

use crate::autoload::NOT_ON_MODULE_PATH;
use crate::definitions::plain;
use crate::evaluator::Evaluator;
use crate::stop::{Eval, Stop, located, unlocated};

/// What a resource counts in the budget of memory, in bytes, besides the values of its parameters.
const RESOURCE_BYTES: u64 = 512;

/// The type of a resource expression.
pub(crate) enum ResourceType {
    /// `class`
    Class,
    /// Any other; the name as it is written, for messages.
    Named(Arc<str>),
}

/// A resource to declare.
pub(crate) struct Declaration {
    /// The title.
    pub title: Arc<str>,
    /// The parameters, without defaults.
    pub parameters: Parameters,
    /// Virtual or exported.
    pub form: ResourceForm,
    /// The title is a number.
    pub is_number: bool,
    /// Where.
    pub span: Option<Span>,
}

impl Evaluator<'_> {
    pub(crate) fn eval_resource(&mut self, id: ExprId, resource: ResourceExprId) -> Eval {
        let tree = self.frame.tree;
        let resource = tree.resources[resource];
        let ty = self.resource_type(id, resource.type_name)?;
        let type_span = self.span(resource.type_name);
        let bodies = tree.bodies(resource.bodies);

        // Titles and attributes of all bodies are evaluated before anything is declared.
        let mut seen = FxHashSet::default();
        let mut evaluated = Vec::with_capacity(bodies.len());
        let mut defaults = Parameters::default();
        let mut has_default = false;
        for body in bodies {
            let (titles, is_default) = self.eval_titles(body.title)?;
            for title in &titles {
                if !seen.insert(title.clone()) {
                    let message = format!("The title '{title}' has already been used in this resource expression");
                    return Err(self.error(id, message).code(Code::P0511));
                }
            }
            if is_default && std::mem::replace(&mut has_default, true) {
                let message = "The title 'default' has already been used in this resource expression";
                let stop = self.error(id, message).code(Code::P0511).trace(Some(self.span(body.title)), "again");
                return Err(stop.help(Some("a resource expression has one body of defaults".to_owned())));
            }
            let parameters = self.eval_attributes(body.attributes, id)?;
            if is_default {
                defaults.clone_from(&parameters);
            }
            let span = Span { end: self.span(body.title).end, ..self.span(id) };
            evaluated.push((titles, parameters, Some(span)));
        }
        if resource.form == ResourceForm::Exported {
            let message = "You cannot collect exported resources without storeconfigs being set; the export is ignored";
            self.warn_at(Some(self.span(id)), message);
        }
        let mut references = Vec::with_capacity(seen.len());
        for (titles, parameters, span) in evaluated {
            let mut parameters: Parameters =
                if defaults.is_empty() { parameters } else { defaults.iter().chain(&parameters).cloned().collect() };
            let mut titles = titles.into_iter().peekable();
            while let Some(title) = titles.next() {
                let parameters = match titles.peek() {
                    Some(_) => parameters.clone(),
                    None => std::mem::take(&mut parameters),
                };
                let declaration = Declaration { title, parameters, form: resource.form, is_number: false, span };
                match self.declare(&ty, declaration) {
                    Ok(reference) => references.push(reference.to_value()),
                    Err(stop) => {
                        let is_unknown = matches!(&stop, Stop::Fault(fault) if fault.code == Some(Code::P0514));
                        let span = if is_unknown { Some(type_span) } else { span };
                        self.recover_each(located(stop, span))?;
                    }
                }
            }
        }
        Ok(Value::array(references))
    }

    fn resource_type(&mut self, id: ExprId, type_name: ExprId) -> Eval<ResourceType> {
        let tree = self.frame.tree;
        if let Expr::Name(name) = &tree.exprs[type_name] {
            return Ok(match &**tree.str(*name) {
                "class" => ResourceType::Class,
                _ => ResourceType::Named(tree.str(*name).clone()),
            });
        }
        let written_type = matches!(&tree.exprs[type_name], Expr::TypeName(_) | Expr::Access(..));
        match self.eval(type_name)? {
            Value::Type(Type::Resource(Some(name), None)) if written_type && name.eq_ignore_ascii_case("class") => {
                Ok(ResourceType::Class)
            }
            Value::Type(Type::Resource(Some(name), None)) if written_type => Ok(ResourceType::Named(name)),
            Value::Type(Type::Class(None)) if written_type => Ok(ResourceType::Class),
            other => {
                let got = generalize(&infer(&other));
                let message = format!(
                    "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {got}"
                );
                let help = "write the name of the type, or `Resource[$type] { … }` for one in a variable".to_owned();
                Err(self.error(id, message).code(Code::P0511).help(Some(help)))
            }
        }
    }

    /// Returns the titles of a body, and whether `default` is among them.
    fn eval_titles(&mut self, id: ExprId) -> Eval<(Vec<Arc<str>>, bool)> {
        let value = self.eval(id)?;
        let (mut titles, mut is_default) = (Vec::new(), false);
        let mut stack = vec![&value];
        let is_list = matches!(value, Value::Array(_));
        let mut index = 0;
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(elements) => {
                    stack.extend(elements.iter().rev());
                    continue;
                }
                Value::String(title) if title.is_empty() => {
                    let message =
                        format!("Empty string title at {index}. Title strings must have a length greater than zero.");
                    return Err(self.error(id, message).code(Code::P0511));
                }
                Value::String(title) => titles.push(title.clone()),
                Value::Default => is_default = true,
                Value::Undef => {
                    let message = if is_list {
                        format!("Missing title at index {index}. The title expression resulted in an undef title")
                    } else {
                        "Missing title. The title expression resulted in undef".to_owned()
                    };
                    return Err(self.error(id, message).code(Code::P0511));
                }
                other => {
                    let got = generalize(&infer(other));
                    let message = format!("Illegal title type at index {index}. Expected String, got {got}");
                    let help = match other {
                        Value::Integer(_) | Value::Float(_) => Some("titles are strings: quote the number".to_owned()),
                        _ => None,
                    };
                    return Err(self.error(id, message).code(Code::P0511).help(help));
                }
            }
            index += 1;
        }
        Ok((titles, is_default))
    }

    /// Evaluates attributes, in order; `id` is the expression that they belong to.
    pub(crate) fn eval_attributes(&mut self, list: AttributeList, id: ExprId) -> Eval<Parameters> {
        let tree = self.frame.tree;
        let source = self.scopes[self.frame.scope].source;
        let mut parameters = Parameters::with_capacity(list.len());
        for attribute in tree.attributes(list) {
            let Attribute { name, name_range, op, value: value_id } = *attribute;
            let value = self.eval(value_id)?;
            self.charge_visit([&value]).map_err(|error| self.fault(value_id, error))?;
            let location = self.location(Some(self.range_span(name_range)));
            let append = op == AttributeOp::Append;
            let mut add = |this: &Self, name: Arc<str>, value: Value| {
                if parameters.get(&name).is_some() {
                    let message = format!("The attribute '{name}' has already been set");
                    return Err(this.error(id, message).code(Code::P0511));
                }
                parameters.set(Parameter { name, value, source, location: location.clone(), append });
                Ok(())
            };
            match name {
                AttributeName::Name(name) => {
                    if matches!(value, Value::Iterator(_)) {
                        let span = self.range_span(name_range);
                        let message = "Use of an Iterator is not supported here";
                        let help = "make an array of it: `Array($iterator)`".to_owned();
                        return Err(Stop::message(span, message).code(Code::P0511).help(Some(help)));
                    }
                    add(self, tree.str(name).clone(), value)?;
                }
                AttributeName::Splat => {
                    let Value::Hash(entries) = &value else {
                        let got = generalize(&infer(&value));
                        let message = format!("Expected value of type Hash, got {got}");
                        return Err(self.error(value_id, message).code(Code::P0511));
                    };
                    for (key, value) in entries.iter() {
                        let Value::String(name) = key else {
                            let got = generalize(&infer(key));
                            let message =
                                format!("The keys of `* =>` are names of attributes: expected String, got {got}");
                            return Err(Stop::message(self.range_span(name_range), message).code(Code::P0511));
                        };
                        add(self, name.clone(), value.clone())?;
                    }
                }
            }
        }
        Ok(parameters)
    }

    /// Declares one resource: a class is evaluated at once, anything else is added to the catalog.
    pub(crate) fn declare(&mut self, ty: &ResourceType, declaration: Declaration) -> Eval<Reference> {
        let name = match ty {
            ResourceType::Class => {
                let id = self.declare_class(declaration)?;
                return Ok(self.catalog.resource(id).reference.clone());
            }
            ResourceType::Named(name) => name,
        };
        let (type_name, kind) = self.known_resource_type(name)?;
        let Declaration { title, mut parameters, form, is_number, span } = declaration;
        self.add_defaults(&type_name, &mut parameters);
        let scope = &self.scopes[self.frame.scope];
        let new = NewResource {
            reference: Reference { type_name, title },
            kind,
            parameters,
            location: self.location(span),
            scope: scope.resource,
            source: scope.source,
            is_virtual: form != ResourceForm::Regular,
            exported: form == ResourceForm::Exported,
            is_number,
        };
        let id = self.catalog.add(new).map_err(|error| self.catalog_error(&error, span))?;
        if kind == ResourceKind::Define {
            self.declared_in.insert(id, self.frame.scope);
        }
        self.spend(1, RESOURCE_BYTES).map_err(unlocated)?;
        Ok(self.catalog.resource(id).reference.clone())
    }

    /// Returns the full name of a resource type, and what its resources are.
    fn known_resource_type(&mut self, name: &Arc<str>) -> Eval<(Arc<str>, ResourceKind)> {
        if let Some(known) = self.resource_types.get(name) {
            return Ok(known.clone());
        }
        let key = plain(name).to_lowercase();
        let kind = if self.definitions.defines.contains_key(&*key) {
            ResourceKind::Define
        } else if self.is_native_type(&key)? {
            ResourceKind::Native
        } else if self.find_define(&key)?.is_some() {
            ResourceKind::Define
        } else {
            let error = Error::new(ErrorKind::Unknown, format!("Unknown resource type: '{name}'"));
            let module = module_of_type(&key).filter(|module| !self.services.has_module(module));
            let help = match (self.find_class(&key)?, module) {
                (Some(_), _) => Some(format!("`{key}` is a class: declare it with `include {key}`")),
                (None, Some(module)) => Some(format!("it is a type of the module `{module}`, {NOT_ON_MODULE_PATH}")),
                (None, None) => match self.similar_resource_type(&key) {
                    Some(similar) => Some(format!("did you mean the resource type `{similar}`?")),
                    None if key.contains("::") => self.similar_in_module(&key, "resource type", std::iter::empty()),
                    None => self
                        .absent_dependencies()
                        .or_else(|| self.similar_in_module(&key, "resource type", std::iter::empty())),
                },
            };
            return Err(unlocated(error).code(Code::P0514).help(help));
        };
        let known = (capitalize(&key), kind);
        self.resource_types.insert(name.clone(), known.clone());
        Ok(known)
    }

    /// Returns whether a name, in lower case, is that of a native type.
    ///
    /// # Errors
    /// A type of a module whose source cannot be loaded.
    pub(crate) fn is_native_type(&self, name: &str) -> Eval<bool> {
        let Some(native) = self.options.resource_types.find(name) else { return Ok(false) };
        let Some(why) = native.failure() else { return Ok(true) };
        let error = Error::new(ErrorKind::Unknown, format!("Could not autoload puppet/type/{name}: {why}"));
        let help =
            "Puppet cannot load the source of the type either: correct it, or install another release of the module";
        Err(unlocated(error).code(Code::P0515).help(Some(help.to_owned())))
    }

    /// Returns the resource type or define with the most similar name.
    pub(crate) fn similar_resource_type(&self, name: &str) -> Option<String> {
        let native = self.options.resource_types.names();
        nearest(name, native.into_iter().chain(self.definitions.defines.keys().copied())).map(str::to_owned)
    }

    /// Returns a location in the form of the catalog.
    pub(crate) fn location(&self, span: Option<Span>) -> Location {
        let Some(span) = span else { return Location::default() };
        let Some(file) = self.source(span) else { return Location { file: None, line: 0, span: Some(span) } };
        let line = u32::try_from(file.line_of(span.start) + 1).unwrap_or(u32::MAX);
        let name = (!file.name.is_empty()).then(|| file.name.clone());
        Location { file: name, line, span: Some(span) }
    }

    /// Returns the resource of the running code.
    pub(crate) fn scope_resource(&self) -> ResourceId {
        self.scopes[self.frame.scope].resource
    }
}
