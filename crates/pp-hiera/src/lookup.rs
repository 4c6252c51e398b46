//! A lookup: options, layers, levels, locations, and what is done with the value (spec 07 §5.13).

use std::rc::Rc;
use std::sync::Arc;

use pp_types::{Error, Value, with_stack};

use crate::backend::Place;
use crate::config::{Config, Hierarchy, Level};
use crate::explain::Step;
use crate::files::Layer;
use crate::hierarchy::Location;
use crate::key::Key;
use crate::merge::Merge;
use crate::problem::error;
use crate::session::Session;

impl Session<'_, '_> {
    /// Looks a key up. `None` if there is no value.
    pub(crate) fn lookup(&mut self, text: &str, merge: Option<&Value>) -> Result<Option<Value>, Error> {
        let key = Key::parse(text).map_err(|_| error(format!("Syntax error in key: '{text}'")))?;
        if &*key.root == "lookup_options" {
            self.hiera.explainer.note(|| Step::InvalidKey(Arc::clone(&key.text)), None);
            return Ok(None);
        }
        let active = &self.hiera.active;
        if active.borrow().contains(&key.text) {
            let names = active.borrow().join(", ");
            let message = format!("Lookup of key '{text}' failed: Recursive lookup detected in [{names}]");
            return Err(error(message).help("the value of a key must not need the key itself"));
        }
        active.borrow_mut().push(Arc::clone(&key.text));
        let depth = self.hiera.explainer.depth();
        let result = with_stack(|| self.lookup_key(&key, merge));
        self.hiera.active.borrow_mut().pop();
        if result.is_ok() {
            self.hiera.explainer.leave_to(depth);
        }
        result
    }

    fn lookup_key(&mut self, key: &Key, explicit: Option<&Value>) -> Result<Option<Value>, Error> {
        let options = self.options_of(key)?;
        let option = |name: &str| options.as_ref().and_then(|options| options.get(&Value::from(name))).cloned();
        let merge = match (explicit, option("merge").filter(|merge| *merge != Value::Undef)) {
            (Some(explicit), _) => Some(Merge::new(explicit)?),
            (None, Some(merge)) => {
                self.hiera.explainer.note(|| Step::MergeOfOptions, None);
                Some(Merge::new(&merge)?)
            }
            (None, None) => None,
        };
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::Search(Arc::clone(&key.text)));
        let mut found = self.in_layers(key, merge.as_ref().unwrap_or(&Merge::first()))?;
        if found.is_none() {
            found = self.in_default_hierarchy(key)?;
        }
        let found = self.dig(key, found)?;
        self.hiera.explainer.leave_to(depth);
        match (found, option("convert_to")) {
            (Some(value), Some(target)) if target != Value::Undef => self.convert(key, value, &target).map(Some),
            (found, _) => Ok(found),
        }
    }

    fn in_layers(&mut self, key: &Key, merge: &Merge) -> Result<Option<Value>, Error> {
        let layers = self.layers(key)?;
        let found = self.merged(merge, layers, |this, layer| this.in_layer(&layer, key, merge, Hierarchy::Main))?;
        Ok(found.map(|value| merge.single(value)))
    }

    /// Returns the layers that may have a key.
    pub(crate) fn layers(&mut self, key: &Key) -> Result<Vec<Layer>, Error> {
        let mut layers = vec![Layer::Global];
        if self.config(&Layer::Environment)?.is_some() {
            layers.push(Layer::Environment);
        }
        if let Some(module) = key.module() {
            layers.push(Layer::Module(module.into()));
        }
        Ok(layers)
    }

    /// Looks a key up in a hierarchy of a layer.
    pub(crate) fn in_layer(
        &mut self,
        layer: &Layer,
        key: &Key,
        merge: &Merge,
        hierarchy: Hierarchy,
    ) -> Result<Option<Value>, Error> {
        let explainer = &self.hiera.explainer;
        if let Layer::Module(module) = layer
            && !self.hiera.files.has_module(module)
        {
            explainer.note(|| Step::NoModule(Arc::clone(module)), None);
            return Ok(None);
        }
        let config = self.config(layer)?;
        let version = config.as_ref().map_or(5, |config| config.version);
        let depth = self.hiera.explainer.depth();
        let explainer = &self.hiera.explainer;
        let Some(config) = config else {
            match layer {
                Layer::Module(module) => {
                    explainer.note(|| Step::NoModuleData(Arc::clone(module)), None);
                }
                _ => {
                    explainer.enter(|| title(layer, version));
                    explainer.note(|| Step::NotFound(Arc::clone(&key.text)), None);
                    explainer.leave_to(depth);
                }
            }
            return Ok(None);
        };
        explainer.enter(|| title(layer, version));
        explainer.note(|| Step::Configuration(Arc::clone(&config.path)), None);
        let module = match layer {
            Layer::Module(module) => Some(module),
            _ => None,
        };
        let levels = match hierarchy {
            Hierarchy::Main => &config.levels,
            Hierarchy::Default => &config.default_levels,
        };
        let found =
            self.merged(merge, levels.clone(), |this, level| this.in_level(&config, &level, module, key, merge))?;
        self.hiera.explainer.leave_to(depth);
        Ok(found)
    }

    fn in_level(
        &mut self,
        config: &Rc<Config>,
        level: &Arc<Level>,
        module: Option<&Arc<str>>,
        key: &Key,
        merge: &Merge,
    ) -> Result<Option<Value>, Error> {
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::Level(Arc::clone(&level.name)));
        let place = Place { config, level, module };
        let found = match self.locations(config, level)? {
            None => self.value_at(place, None, key)?,
            Some(locations) => self.merged(merge, locations, |this, location| {
                let depth = this.hiera.explainer.depth();
                let explainer = &this.hiera.explainer;
                match &location {
                    Location::Path { path, original } => {
                        explainer.enter(|| Step::Path((&**path).into()));
                        explainer.note(|| Step::OriginalPath(Arc::clone(original)), None);
                    }
                    Location::Uri { uri, original } => {
                        explainer.enter(|| Step::Uri(Arc::clone(uri)));
                        explainer.note(|| Step::OriginalUri(Arc::clone(original)), None);
                    }
                }
                let found = this.value_at(place, Some(&location), key)?;
                this.hiera.explainer.leave_to(depth);
                Ok(found)
            })?,
        };
        self.hiera.explainer.leave_to(depth);
        Ok(found)
    }

    /// Looks a key up in `default_hierarchy` of its module, whose own `lookup_options` say how to merge: a merge
    /// that the caller asks for does not matter.
    fn in_default_hierarchy(&mut self, key: &Key) -> Result<Option<Value>, Error> {
        let Some(module) = key.module() else { return Ok(None) };
        let layer = Layer::Module(module.into());
        if !self.hiera.files.has_module(module)
            || self.config(&layer)?.is_none_or(|config| config.default_levels.is_empty())
        {
            return Ok(None);
        }
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::DefaultHierarchy(module.into()));
        let options = self.default_options(&layer, key)?;
        let merge = match options {
            Some(merge) => Merge::new(&merge)?,
            None => Merge::first(),
        };
        let inner = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::SearchDefault(Arc::clone(&key.text)));
        let found = self.in_layer(&layer, key, &merge, Hierarchy::Default)?;
        self.hiera.explainer.leave_to(inner);
        self.hiera.explainer.leave_to(depth);
        Ok(found)
    }

    /// Merges the values of variants: the first that has one, or all.
    pub(crate) fn merged<T>(
        &mut self,
        merge: &Merge,
        variants: Vec<T>,
        mut find: impl FnMut(&mut Self, T) -> Result<Option<Value>, Error>,
    ) -> Result<Option<Value>, Error> {
        if variants.len() <= 1 {
            return Ok(variants.into_iter().next().map(|only| find(self, only)).transpose()?.flatten());
        }
        if merge.is_first() {
            for variant in variants {
                if let Some(value) = find(self, variant)? {
                    return Ok(Some(value));
                }
            }
            return Ok(None);
        }
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::Merge(merge.name()));
        if !merge.given.is_empty() {
            self.hiera.explainer.note(|| Step::Options, Some(&Value::hash(merge.given.clone())));
        }
        let mut merged: Option<Value> = None;
        for variant in variants {
            let Some(value) = find(self, variant)? else { continue };
            merged = Some(match merged {
                None => merge.single(value),
                Some(high) => merge.merge(&high, &value)?,
            });
        }
        if let Some(merged) = &merged {
            self.hiera.explainer.note(|| Step::Result, Some(merged));
        }
        self.hiera.explainer.leave_to(depth);
        Ok(merged)
    }

    /// Follows the path of a key into a value.
    pub(crate) fn dig(&mut self, key: &Key, value: Option<Value>) -> Result<Option<Value>, Error> {
        let (Some(mut value), false) = (value.clone(), key.path.is_empty()) else { return Ok(value) };
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::SubKey { path: key.path_text(), length: key.path.len() });
        for segment in &key.path {
            match segment.step(&value, &key.text)? {
                Some(found) => {
                    let name = || Step::Found(segment.text().into());
                    self.hiera.explainer.note(name, Some(&found));
                    value = found;
                }
                None => {
                    self.hiera.explainer.note(|| Step::NotFound(segment.text().into()), None);
                    self.hiera.explainer.leave_to(depth);
                    return Ok(None);
                }
            }
        }
        self.hiera.explainer.leave_to(depth);
        Ok(Some(value))
    }
}

fn title(layer: &Layer, version: i64) -> Step {
    let name = match layer {
        Layer::Global => "Global".to_owned(),
        Layer::Environment => "Environment".to_owned(),
        Layer::Module(module) => format!("Module \"{module}\""),
    };
    let module = match layer {
        Layer::Module(module) => Some(Arc::clone(module)),
        Layer::Global | Layer::Environment => None,
    };
    Step::Provider { title: format!("{name} Data Provider (hiera configuration version {version})"), module }
}
