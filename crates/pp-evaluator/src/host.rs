//! What the built-in functions can do: the evaluator as their host.

use std::sync::Arc;

use pp_ast::ResourceForm;
use pp_catalog::{CatalogError, Parameter, Parameters, Reference};
use pp_functions::{Block, DeclareClass, FileKind, Host, Interrupt, LogLevel, Strict, Template};
use pp_types::{Error, ErrorKind, Hash, Type, Value};

use crate::definitions::plain;
use crate::evaluator::Evaluator;
use crate::log::LogEntry;
use crate::resource::{Declaration, ResourceType};

impl Evaluator<'_> {
    /// Passes the result of the evaluator to a function.
    fn pass<T>(&mut self, result: crate::stop::Eval<T>) -> Result<T, Interrupt> {
        result.map_err(|stop| self.interrupt(stop))
    }

    /// Whether a name is that of a define or class.
    fn is_definition(&mut self, name: &str) -> Result<bool, Interrupt> {
        let define = self.find_define(name);
        if self.pass(define)?.is_some() {
            return Ok(true);
        }
        let class = self.find_class(name);
        Ok(self.pass(class)?.is_some())
    }

    fn reference_error(invalid: &pp_catalog::InvalidReference) -> Error {
        Error::new(ErrorKind::Evaluation, invalid.to_string())
    }
}

impl Host for Evaluator<'_> {
    fn call_block(&mut self, block: &Block, arguments: &[Value]) -> Result<Value, Interrupt> {
        let result = self.run_block(block.id, arguments);
        self.pass(result)
    }

    fn call_function(&mut self, name: &str, arguments: &[Value], block: Option<&Block>) -> Result<Value, Interrupt> {
        let result = self.call_function_at(name, arguments, block, self.call_span);
        self.pass(result)
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        let scope = self.catalog.resource(self.scope_resource()).reference.to_string();
        let (message, span) = (message.to_owned(), self.call_span);
        self.add_log(LogEntry { level, scope: Some(scope.into()), message, span, help: None });
    }

    fn warn(&mut self, message: &str) {
        self.warn_at(self.call_span, message);
    }

    fn deprecate(&mut self, key: &str, message: &str) {
        if self.deprecated.insert(key.to_owned()) {
            self.warn_at(self.call_span, message);
        }
    }

    fn strict(&self) -> Strict {
        self.options.strict
    }

    fn charge(&mut self, steps: u64, bytes: u64) -> Result<(), Interrupt> {
        Ok(self.spend(steps, bytes)?)
    }

    fn variable(&mut self, name: &str) -> Option<Value> {
        self.lookup_variable(name)
    }

    fn resolve_type(&mut self, name: &str) -> Result<Option<Type>, Interrupt> {
        let result = self.find_type(name);
        self.pass(result)
    }

    fn declare_classes(&mut self, how: DeclareClass, names: &[Value]) -> Result<Value, Interrupt> {
        let result = self.include(how, names);
        self.pass(result)
    }

    fn create_resources(&mut self, type_name: &str, resources: &Hash, defaults: &Hash) -> Result<Value, Interrupt> {
        let (form, name) = match type_name.strip_prefix("@@") {
            Some(name) => (ResourceForm::Exported, name),
            None => match type_name.strip_prefix('@') {
                Some(name) => (ResourceForm::Virtual, name),
                None => (ResourceForm::Regular, type_name),
            },
        };
        let ty = match plain(name).to_lowercase().as_str() {
            "class" => ResourceType::Class,
            _ => ResourceType::Named(name.into()),
        };
        let source = self.scopes[self.frame.scope].source;
        let location = self.location(self.call_span);
        for (title, given) in resources {
            let shown = pp_types::interpolate(title);
            let empty = Hash::default();
            let given = match given {
                Value::Hash(given) => &given.0,
                Value::Undef => &empty,
                other => {
                    let got = pp_types::generalize(&pp_types::infer(other));
                    let message = format!("create_resources(): the parameters of '{shown}' are a Hash, got {got}");
                    return Err(Error::new(ErrorKind::Arguments, message).into());
                }
            };
            let mut parameters = Parameters::default();
            for (name, value) in defaults.iter().chain(given) {
                let Value::String(name) = name else {
                    let message = "create_resources(): the names of parameters are strings";
                    return Err(Error::new(ErrorKind::Arguments, message).into());
                };
                let (name, value, location) = (name.clone(), value.clone(), location.clone());
                parameters.set(Parameter { name, value, source, location, append: false });
            }
            for (title, is_number) in titles_of(title)? {
                let parameters = parameters.clone();
                let declaration = Declaration { title, parameters, form, is_number, span: self.call_span };
                let result = self.declare(&ty, declaration);
                self.pass(result)?;
            }
        }
        Ok(Value::Undef)
    }

    fn resource_attributes(&mut self, type_name: &str, title: &str) -> Option<Hash> {
        let id = self.catalog.find(&Reference::new(type_name, title))?;
        let parameters = self.catalog.resource(id).parameters.iter();
        Some(parameters.map(|parameter| (Value::String(parameter.name.clone()), parameter.value.clone())).collect())
    }

    fn realize(&mut self, references: &[Value]) -> Result<Value, Interrupt> {
        let mut stack: Vec<&Value> = references.iter().rev().collect();
        let location = self.location(self.call_span);
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(elements) => stack.extend(elements.iter().rev()),
                other => {
                    let reference = Reference::from_value(other).map_err(|invalid| Self::reference_error(&invalid))?;
                    self.catalog.add_realize(reference, location.clone());
                }
            }
        }
        Ok(Value::Undef)
    }

    fn is_defined(&mut self, argument: &Value) -> Result<bool, Interrupt> {
        let is_defined = match argument {
            Value::String(name) => match name.strip_prefix('$') {
                Some(variable) => self.lookup_variable(variable).is_some(),
                None => {
                    let is_native = self.is_native_type(&name.to_lowercase());
                    let is_native = self.pass(is_native)?;
                    let name = plain(name).to_lowercase();
                    is_native || matches!(&*name, "main" | "settings") || self.is_definition(&name)?
                }
            },
            Value::Type(Type::Resource(Some(ty), Some(title))) => {
                self.catalog.find(&Reference::new(ty, title)).is_some()
            }
            Value::Type(Type::Class(Some(name))) => self.catalog.find_class(name).is_some(),
            Value::Type(Type::Resource(Some(ty), None)) => {
                let name = ty.to_lowercase();
                let define = self.find_define(&name);
                let is_native = self.is_native_type(&name);
                self.pass(define)?.is_some() || self.pass(is_native)?
            }
            Value::Type(Type::Type(Some(inner))) => {
                let inner = Value::Type(Type::clone(inner));
                self.is_defined(&inner)?
            }
            _ => {
                let message = "Invalid argument of 'defined': expected a name or a reference to a resource";
                return Err(Error::new(ErrorKind::Arguments, message).into());
            }
        };
        if !is_defined && !self.errors.is_empty() {
            let stop = self.consequence();
            return self.pass(Err(stop));
        }
        Ok(is_defined)
    }

    fn add_tags(&mut self, names: &[Value]) -> Result<(), Interrupt> {
        let texts = texts(names);
        let names: Vec<&str> = texts.iter().map(|name| &**name).collect();
        let location = self.location(self.call_span);
        let resource = self.scope_resource();
        let result = self.catalog.add_tags(resource, &names, &location);
        result.map_err(|error: CatalogError| Error::new(ErrorKind::Evaluation, error.to_string()).into())
    }

    fn is_tagged(&mut self, names: &[Value]) -> bool {
        let resource = self.scope_resource();
        names.iter().all(|name| match name {
            Value::String(name) => self.catalog.is_tagged_in(resource, name),
            _ => false,
        })
    }

    fn node_name(&self) -> Arc<str> {
        self.options.node.clone()
    }

    fn find_file(&mut self, kind: FileKind, name: &str) -> Result<Option<Arc<str>>, Interrupt> {
        self.find_in_module(kind, name).map_err(Interrupt::from)
    }

    fn read_file(&mut self, path: &str) -> Result<Arc<[u8]>, Interrupt> {
        let bytes = self.services.read_file(path)?;
        self.spend(0, bytes.len() as u64)?;
        Ok(bytes)
    }

    fn find_path(&mut self, path: &str) -> Option<Arc<str>> {
        self.services.find_file(FileKind::Files, None, path)
    }

    fn knows_function(&mut self, name: &str) -> bool {
        Evaluator::knows_function(self, name)
    }

    fn has_resource_default(&mut self, type_name: &str, attribute: &str) -> bool {
        let defaults = self.catalog.defaults_in(self.scope_resource(), type_name);
        defaults.iter().any(|default| &*default.name == attribute)
    }

    fn module_directory(&mut self, module: &str) -> Option<Arc<str>> {
        self.services.module_directory(module)
    }

    fn epp(&mut self, template: Template<'_>, parameters: Option<&Hash>) -> Result<Value, Interrupt> {
        let result = self.render_template(template, parameters);
        self.pass(result)
    }

    fn erb(&mut self, template: Template<'_>) -> Result<Value, Interrupt> {
        let result = self.render_erb(template);
        self.pass(result)
    }

    fn lookup(&mut self, function: &str, arguments: &[Value], block: Option<&Block>) -> Result<Value, Interrupt> {
        self.lookup_data(function, arguments, block)
    }
}

/// Returns the strings in arguments, which may be nested arrays.
fn texts(values: &[Value]) -> Vec<Arc<str>> {
    let mut texts = Vec::new();
    let mut stack: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(elements) => stack.extend(elements.iter().rev()),
            Value::String(text) => texts.push(text.clone()),
            other => texts.push(pp_types::interpolate(other).into()),
        }
    }
    texts
}

/// Returns the titles that a key of the resources of `create_resources` stands for: one, or those in an array; and whether
/// each is a number.
fn titles_of(key: &Value) -> Result<Vec<(Arc<str>, bool)>, Error> {
    let titles = match key {
        Value::Array(titles) => titles.as_slice(),
        title => std::slice::from_ref(title),
    };
    let title = |title: &Value| match title {
        Value::String(title) => Ok((title.clone(), false)),
        Value::Integer(number) => Ok((number.to_string().into(), true)),
        _ => {
            let got = pp_types::generalize(&pp_types::infer(title));
            let message = format!("create_resources(): titles are strings, got {got}");
            Err(Error::new(ErrorKind::Arguments, message))
        }
    };
    titles.iter().map(title).collect()
}
