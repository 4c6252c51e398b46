//! Why a lookup finds what it finds: a tree of steps, and its text as `puppet lookup --explain` prints it.

use std::cell::RefCell;
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

use pp_types::{Value, with_stack};

/// What is shown in place of a value that became a sensitive one.
const HIDDEN: &str = "Sensitive [value redacted]";

/// A step of a lookup, with the steps that it consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What happens.
    pub(crate) step: Step,
    /// The value that is found or merged.
    pub(crate) value: Option<Value>,
    /// The steps.
    pub(crate) steps: Vec<Explanation>,
}

/// What happens in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Step {
    /// All that was looked up.
    #[default]
    All,
    /// A key is looked up.
    Search(Arc<str>),
    /// A key is looked up in a default hierarchy.
    SearchDefault(Arc<str>),
    /// The default hierarchy of a module is searched.
    DefaultHierarchy(Arc<str>),
    /// The data of a layer, with the name of its module.
    Provider { title: String, module: Option<Arc<str>> },
    /// A level of a hierarchy.
    Level(Arc<str>),
    /// A file.
    Path(Arc<str>),
    /// A location that a backend knows.
    Uri(Arc<str>),
    /// Values are merged.
    Merge(&'static str),
    /// `lookup_options` that were found before.
    Earlier(String),
    /// A string is interpolated.
    Interpolation(Arc<str>),
    /// A variable is read.
    Scope,
    /// A path is followed into a value, in a number of steps.
    SubKey { path: String, length: usize },

    /// The configuration of a layer.
    Configuration(Arc<str>),
    /// The path of a file before interpolation.
    OriginalPath(Arc<str>),
    /// A location before interpolation.
    OriginalUri(Arc<str>),
    /// The options of a merge, which are the value.
    Options,
    /// A name has the value.
    Found(Arc<str>),
    /// A name has no value.
    NotFound(Arc<str>),
    /// There is no such file.
    NoFile,
    /// What the merge gives.
    Result,
    /// There is no such module.
    NoModule(Arc<str>),
    /// The module has no data.
    NoModuleData(Arc<str>),
    /// A key that cannot be looked up.
    InvalidKey(Arc<str>),
    /// The merge comes from `lookup_options`.
    MergeOfOptions,
    /// Any other remark.
    Remark(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::All => Ok(()),
            Step::Search(key) | Step::SearchDefault(key) => write!(f, "Searching for \"{key}\""),
            Step::DefaultHierarchy(module) => write!(f, "Searching default_hierarchy of module \"{module}\""),
            Step::Provider { title, .. } | Step::Earlier(title) => f.write_str(title),
            Step::Level(name) => write!(f, "Hierarchy entry \"{name}\""),
            Step::Path(path) => write!(f, "Path \"{path}\""),
            Step::Uri(uri) => write!(f, "URI \"{uri}\""),
            Step::Merge(strategy) => write!(f, "Merge strategy {strategy}"),
            Step::Interpolation(text) => write!(f, "Interpolation on \"{text}\""),
            Step::Scope => f.write_str("Global Scope"),
            Step::SubKey { path, .. } => write!(f, "Sub key: \"{path}\""),
            Step::Configuration(path) => write!(f, "Using configuration \"{path}\""),
            Step::OriginalPath(path) => write!(f, "Original path: \"{path}\""),
            Step::OriginalUri(uri) => write!(f, "Original uri: \"{uri}\""),
            Step::Options => f.write_str("Options:"),
            Step::Found(name) => write!(f, "Found key: \"{name}\" value:"),
            Step::NotFound(name) => write!(f, "No such key: \"{name}\""),
            Step::NoFile => f.write_str("Path not found"),
            Step::Result => f.write_str("Merged result:"),
            Step::NoModule(name) => write!(f, "Module \"{name}\" not found"),
            Step::NoModuleData(name) => write!(f, "Module data provider for module \"{name}\" not found"),
            Step::InvalidKey(key) => write!(f, "Invalid key \"{key}\""),
            Step::MergeOfOptions => f.write_str("Using merge options from \"lookup_options\" hash"),
            Step::Remark(text) => f.write_str(text),
        }
    }
}

impl Explanation {
    /// Returns the text of the steps, indented.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        let mut pending: Vec<(&Explanation, usize)> = self.steps.iter().rev().map(|step| (step, 0)).collect();
        while let Some((step, depth)) = pending.pop() {
            let indent = "  ".repeat(depth);
            let _ = write!(out, "{indent}{}", step.step);
            if let Some(value) = &step.value {
                out.push(' ');
                write_value(&mut out, value, depth);
            }
            out.push('\n');
            pending.extend(step.steps.iter().rev().map(|inner| (inner, depth + 1)));
        }
        out
    }
}

fn write_value(out: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth + 1);
    let end = "  ".repeat(depth);
    with_stack(|| match value {
        Value::Array(elements) if !elements.is_empty() => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                let _ = write!(out, "{}\n{indent}", if at > 0 { "," } else { "" });
                write_value(out, element, depth + 1);
            }
            let _ = write!(out, "\n{end}]");
        }
        Value::Hash(entries) if !entries.is_empty() => {
            out.push('{');
            for (at, (key, element)) in entries.iter().enumerate() {
                let _ = write!(out, "{}\n{indent}{} => ", if at > 0 { "," } else { "" }, pp_types::ruby_inspect(key));
                write_value(out, element, depth + 1);
            }
            let _ = write!(out, "\n{end}}}");
        }
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        scalar => out.push_str(&pp_types::ruby_inspect(scalar)),
    });
}

/// Collects the steps of a lookup while an explanation is requested.
#[derive(Debug, Default)]
pub(crate) struct Explainer(RefCell<Vec<Explanation>>);

impl Explanation {
    /// Hides every value, and every text that has parts of one.
    fn hide(&mut self) {
        let mut hidden = vec![self];
        while let Some(explanation) = hidden.pop() {
            if explanation.step != Step::Options && explanation.value.is_some() {
                explanation.value = Some(Value::from(HIDDEN));
            }
            if let Step::Interpolation(text) = &mut explanation.step {
                *text = HIDDEN.into();
            }
            hidden.extend(&mut explanation.steps);
        }
    }
}

impl Explainer {
    /// Starts to collect.
    pub(crate) fn start(&self) {
        self.0.borrow_mut().push(Explanation::default());
    }

    /// Ends, and returns what was collected.
    pub(crate) fn finish(&self) -> Explanation {
        while self.0.borrow().len() > 1 {
            self.leave();
        }
        self.0.borrow_mut().pop().unwrap_or_default()
    }

    /// Whether steps are collected.
    pub(crate) fn is_active(&self) -> bool {
        !self.0.borrow().is_empty()
    }

    /// Returns how many steps are open, for [`leave_to`](Self::leave_to).
    pub(crate) fn depth(&self) -> usize {
        self.0.borrow().len()
    }

    /// Begins a step with steps of its own.
    pub(crate) fn enter(&self, step: impl FnOnce() -> Step) {
        if self.is_active() {
            let step = Explanation { step: step(), ..Explanation::default() };
            self.0.borrow_mut().push(step);
        }
    }

    /// Ends the innermost step.
    pub(crate) fn leave(&self) {
        let mut open = self.0.borrow_mut();
        if open.len() > 1
            && let Some(step) = open.pop()
            && let Some(parent) = open.last_mut()
        {
            parent.steps.push(step);
        }
    }

    /// Ends the steps inside one, also after an error.
    pub(crate) fn leave_to(&self, depth: usize) {
        while self.is_active() && self.depth() > depth.max(1) {
            self.leave();
        }
    }

    /// Hides the values of the last search: they became a sensitive value.
    pub(crate) fn hide_last_search(&self) {
        if let Some(parent) = self.0.borrow_mut().last_mut() {
            let is_search = |step: &&mut Explanation| matches!(step.step, Step::Search(_));
            parent.steps.iter_mut().rev().find(is_search).into_iter().for_each(Explanation::hide);
        }
    }

    /// Adds a step without steps of its own.
    pub(crate) fn note(&self, step: impl FnOnce() -> Step, value: Option<&Value>) {
        if let Some(parent) = self.0.borrow_mut().last_mut() {
            parent.steps.push(Explanation { step: step(), value: value.cloned(), steps: Vec::new() });
        }
    }
}
