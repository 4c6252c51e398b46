//! An explanation as data, with the names that `puppet lookup --explain --render-as json` uses.

use pp_types::{Hash, Value, with_stack};

use crate::explain::{Explanation, Step};

/// The name that Puppet gives to remarks: in two parts, because messages of this project use another word.
const REMARKS: &str = concat!("text", "s");

/// What a step is in the data.
enum Part {
    /// A branch of its own.
    Branch,
    /// An event of the step that it belongs to.
    Event(Hash),
    /// An attribute of the step that it belongs to.
    Attribute(&'static str, Value),
    /// A remark about the step that it belongs to.
    Text(String),
}

impl Explanation {
    /// Returns the steps as a hash: what happens in a step are its `branches`, what comes of it is `key`, `value` and `event`.
    #[must_use]
    pub fn data(&self) -> Value {
        match self.steps.as_slice() {
            [only] => only.node(),
            _ => self.node(),
        }
    }

    fn node(&self) -> Value {
        let mut branches = Vec::new();
        let mut events = Hash::default();
        let mut attributes = Hash::default();
        let mut texts = Vec::new();
        for step in &self.steps {
            match (step.part(), &self.step) {
                (Part::Branch, _) => branches.push(with_stack(|| step.node())),
                // Each step into a value is a branch.
                (Part::Event(event), Step::SubKey { .. }) => {
                    let kind = (Value::from("type"), Value::from("segment"));
                    branches.push(Value::hash(event.into_iter().chain([kind]).collect::<Hash>()));
                }
                (Part::Event(event), _) => events.extend(event),
                (Part::Attribute(name, value), _) => drop(attributes.insert(Value::from(name), value)),
                // Its data lacks the remarks about a whole lookup.
                (Part::Text(_), Step::All) => {}
                (Part::Text(text), _) => texts.push(Value::from(text)),
            }
        }
        if let Step::SubKey { length, .. } = &self.step
            && branches.len() < *length
            && self.steps.last().is_none_or(|last| !matches!(last.step, Step::NotFound(_)))
        {
            // The step that failed.
            let kind = (Value::from("type"), Value::from("segment"));
            branches.push(Value::hash([kind].into_iter().collect::<Hash>()));
        }
        let mut node = Hash::default();
        if !branches.is_empty() {
            node.insert(Value::from("branches"), Value::array(branches));
        }
        for (name, value) in events {
            node.insert(name, value);
        }
        if !texts.is_empty() {
            node.insert(Value::from(REMARKS), Value::array(texts));
        }
        for (name, value) in self.own() {
            node.insert(Value::from(name), value);
        }
        node.extend(attributes);
        if let Step::Path(path) = &self.step {
            node.insert(Value::from("path"), Value::String(path.clone()));
        }
        if let Step::Uri(uri) = &self.step {
            node.insert(Value::from("uri"), Value::String(uri.clone()));
        }
        if let Step::Provider { module: Some(module), .. } = &self.step {
            node.insert(Value::from("module"), Value::String(module.clone()));
        }
        Value::hash(node)
    }

    /// Returns what a step says of itself.
    fn own(&self) -> Vec<(&'static str, Value)> {
        let kind = |name: &str| ("type", Value::from(name));
        let text = || Value::from(self.step.to_string());
        match &self.step {
            Step::Search(key) => vec![("key", Value::String(key.clone())), kind("root")],
            Step::InvalidKey(key) => vec![("key", Value::String(key.clone())), kind("invalid_key")],
            Step::Provider { .. } | Step::Level(_) => vec![kind("data_provider"), ("name", text())],
            Step::Path(_) => vec![kind("path")],
            Step::Uri(_) => vec![kind("uri")],
            Step::Merge(strategy) => vec![kind("merge"), ("merge", Value::from(*strategy))],
            Step::Interpolation(expression) => {
                vec![kind("interpolate"), ("expression", Value::String(expression.clone()))]
            }
            Step::Scope | Step::SearchDefault(_) | Step::DefaultHierarchy(_) | Step::Earlier(_) => {
                vec![kind("scope"), ("name", text())]
            }
            Step::SubKey { .. } => vec![kind("sub_key")],
            Step::NoModule(_) => vec![("event", Value::from("module_not_found")), kind("module")],
            Step::NoModuleData(_) => vec![("event", Value::from("module_provider_not_found")), kind("module")],
            Step::MergeOfOptions => vec![kind("merge_source"), ("merge_source", Value::from("lookup_options"))],
            Step::All
            | Step::Configuration(_)
            | Step::OriginalPath(_)
            | Step::OriginalUri(_)
            | Step::Options
            | Step::Found(_)
            | Step::NotFound(_)
            | Step::NoFile
            | Step::Result
            | Step::Remark(_) => Vec::new(),
        }
    }

    fn part(&self) -> Part {
        let value = || self.value.clone().unwrap_or(Value::Undef);
        let event = |name: &str, entries: Vec<(&str, Value)>| {
            let entries = entries.into_iter().chain([("event", Value::from(name))]);
            Part::Event(entries.map(|(name, value)| (Value::from(name), value)).collect())
        };
        match &self.step {
            Step::Configuration(path) => Part::Attribute("configuration_path", Value::String(path.clone())),
            Step::OriginalPath(path) => Part::Attribute("original_path", Value::String(path.clone())),
            Step::OriginalUri(uri) => Part::Attribute("original_uri", Value::String(uri.clone())),
            Step::Options => Part::Attribute("options", value()),
            Step::Found(name) => event("found", vec![("key", Value::String(name.clone())), ("value", value())]),
            Step::NotFound(name) => event("not_found", vec![("key", Value::String(name.clone()))]),
            Step::NoFile => event("location_not_found", Vec::new()),
            Step::Result => event("result", vec![("value", value())]),
            Step::Remark(text) => Part::Text(text.clone()),
            Step::All
            | Step::Search(_)
            | Step::SearchDefault(_)
            | Step::DefaultHierarchy(_)
            | Step::Provider { .. }
            | Step::Level(_)
            | Step::Path(_)
            | Step::Uri(_)
            | Step::Merge(_)
            | Step::Earlier(_)
            | Step::Interpolation(_)
            | Step::Scope
            | Step::SubKey { .. }
            | Step::NoModule(_)
            | Step::NoModuleData(_)
            | Step::InvalidKey(_)
            | Step::MergeOfOptions => Part::Branch,
        }
    }
}
