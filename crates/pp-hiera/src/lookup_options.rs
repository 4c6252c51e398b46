//! `lookup_options`: how keys are merged and converted (spec 07 §5.13, §10.4).

use std::rc::Rc;
use std::sync::Arc;

use pp_types::{Error, ErrorKind, HashValue, Value};

use crate::config::Hierarchy;
use crate::explain::Step;
use crate::files::Layer;
use crate::key::Key;
use crate::merge::Merge;
use crate::options::LookupOptions;
use crate::problem::error;
use crate::session::Session;

impl Session<'_, '_> {
    /// Returns the options of a key, which are those of its root.
    pub(crate) fn options_of(&mut self, key: &Key) -> Result<Option<Arc<HashValue>>, Error> {
        let module: Option<Arc<str>> = key.module().map(Arc::from);
        let known = self.hiera.options.borrow().get(&module).cloned();
        let options = match known {
            Some(known) => known,
            None => {
                let options = Rc::new(LookupOptions::new(self.all_options(module.as_ref())?.as_ref())?);
                self.hiera.options.borrow_mut().insert(module, Rc::clone(&options));
                options
            }
        };
        options.of(&key.root)
    }

    /// Looks `lookup_options` up in all layers at once.
    pub(crate) fn merged_options(&mut self, text: &str) -> Result<Option<Value>, Error> {
        let key = Key::parse(text).map_err(|_| error(format!("Syntax error in key: '{text}'")))?;
        let Ok(options) = Key::parse("lookup_options") else { return Ok(None) };
        let layers = self.layers(&key)?;
        let merge = Merge::hash();
        self.merged(&merge, layers, |this, layer| this.in_layer(&layer, &options, &merge, Hierarchy::Main))
    }

    /// Looks `lookup_options` up in all layers.
    fn all_options(&mut self, module: Option<&Arc<str>>) -> Result<Option<Value>, Error> {
        let Ok(key) = Key::parse("lookup_options") else { return Ok(None) };
        let merge = Merge::hash();
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::Search("lookup_options".into()));
        let mut shared = None;
        for layer in [Layer::Global, Layer::Environment] {
            if layer == Layer::Environment && self.config(&layer)?.is_none() {
                continue;
            }
            let Some(found) = self.in_layer(&layer, &key, &merge, Hierarchy::Main)? else { continue };
            check_hash(&found)?;
            shared = Some(match shared {
                Some(high) => merge.merge(&high, &found)?,
                None => found,
            });
        }
        let own = match module {
            Some(module) => {
                let own = self.in_layer(&Layer::Module(Arc::clone(module)), &key, &merge, Hierarchy::Main)?;
                if let Some(own) = &own {
                    check_module(module, own)?;
                }
                own
            }
            None => None,
        };
        let all = match (shared, own, module) {
            (Some(shared), Some(own), Some(module)) => {
                let merged = merge.merge(&shared, &own)?;
                let explainer = &self.hiera.explainer;
                let inner = explainer.depth();
                explainer.enter(|| Step::Merge("hash"));
                for (title, value) in
                    [("Global and Environment".to_owned(), &shared), (format!("Module {module}"), &own)]
                {
                    let depth = explainer.depth();
                    explainer.enter(|| Step::Earlier(title));
                    explainer.note(|| Step::Found("lookup_options".into()), Some(value));
                    explainer.leave_to(depth);
                }
                explainer.note(|| Step::Result, Some(&merged));
                explainer.leave_to(inner);
                Some(merged)
            }
            (shared, own, _) => shared.or(own),
        };
        self.hiera.explainer.leave_to(depth);
        Ok(all)
    }

    /// Returns the merge that `lookup_options` in a default hierarchy say for a key.
    pub(crate) fn default_options(&mut self, layer: &Layer, key: &Key) -> Result<Option<Value>, Error> {
        let Ok(name) = Key::parse("lookup_options") else { return Ok(None) };
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::SearchDefault("lookup_options".into()));
        let found = self.in_layer(layer, &name, &Merge::hash(), Hierarchy::Default)?;
        self.hiera.explainer.leave_to(depth);
        if let (Some(found), Layer::Module(module)) = (&found, layer) {
            check_module(module, found)?;
        }
        let options = LookupOptions::new(found.as_ref())?.of(&key.root)?;
        Ok(options.and_then(|options| options.get(&Value::from("merge")).cloned()))
    }

    /// Converts a value to the type that the option `convert_to` names, with further arguments.
    pub(crate) fn convert(&mut self, key: &Key, value: Value, target: &Value) -> Result<Value, Error> {
        let failed = |cause: Error| {
            let message =
                format!("The convert_to lookup_option for key '{}' raised error: {}", key.text, cause.message);
            Error { kind: ErrorKind::Conversion, message, ..cause }
        };
        let parts = match target {
            Value::Array(parts) => parts.to_vec(),
            other => vec![other.clone()],
        };
        let mut parts = parts.into_iter();
        let ty = match parts.next().unwrap_or(Value::Undef) {
            Value::String(text) => self.host.parse_type(&text).map_err(|cause| {
                let message = format!(
                    "Invalid data type in lookup_options for key '{}' could not parse '{text}', error: '{}",
                    key.text, cause.message
                );
                Error { kind: ErrorKind::Conversion, message, ..cause }
            })?,
            other => other,
        };
        let extra: Vec<Value> = parts.collect();
        let arguments: Vec<Value> = [ty.clone(), value].into_iter().chain(extra.clone()).collect();
        let converted = self.host.call("new", &arguments).map_err(failed)?;
        if matches!(converted, Value::Sensitive(_)) {
            self.hiera.explainer.hide_last_search();
        }
        self.hiera.explainer.note(
            || {
                let shown: Vec<String> = std::iter::once(&ty).chain(&extra).map(pp_types::ruby_text).collect();
                Step::Remark(format!("Applying convert_to lookup_option with arguments [{}]", shown.join(", ")))
            },
            None,
        );
        Ok(converted)
    }
}

fn check_hash(options: &Value) -> Result<(), Error> {
    match options {
        Value::Hash(_) => Ok(()),
        _ => {
            Err(error("value of lookup_options must be a hash").help("e.g. `lookup_options: {'a::b': {merge: deep}}`"))
        }
    }
}

/// Checks that a module gives options for its own keys only.
fn check_module(module: &str, options: &Value) -> Result<(), Error> {
    check_hash(options)?;
    let Value::Hash(options) = options else { return Ok(()) };
    for key in options.keys() {
        let Value::String(key) = key else { continue };
        let is_own = |text: &str| text.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"));
        match key.strip_prefix('^') {
            Some(pattern) if !is_own(pattern) => {
                let message =
                    format!("all lookup_options patterns must match a key starting with module name '{module}'");
                return Err(error(message).help(format!("`{key}` does not begin with `^{module}::`")));
            }
            None if !is_own(key) => {
                let message = format!("all lookup_options keys must start with module name '{module}'");
                return Err(error(message).help(format!("`{key}` is not a key of the module")));
            }
            _ => {}
        }
    }
    Ok(())
}
