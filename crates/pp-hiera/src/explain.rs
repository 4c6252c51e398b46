//! Why a lookup finds what it finds: a tree of steps, and its text as `puppet lookup --explain` prints it.

use std::cell::RefCell;
use std::fmt::Write;

use pp_types::Value;

/// A step of a lookup, with the steps that it consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What happens, e.g. `Hierarchy entry "common"`; empty at the root.
    pub text: String,
    /// The value that is found or merged.
    pub value: Option<Value>,
    /// The steps.
    pub steps: Vec<Explanation>,
}

impl Explanation {
    /// Returns the text of the steps, indented.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        let mut pending: Vec<(&Explanation, usize)> = self.steps.iter().rev().map(|step| (step, 0)).collect();
        while let Some((step, depth)) = pending.pop() {
            let indent = "  ".repeat(depth);
            let _ = write!(out, "{indent}{}", step.text);
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
    stacker::maybe_grow(64 << 10, 1 << 20, || match value {
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

/// Collects the steps of a lookup, if somebody wants to know.
#[derive(Debug, Default)]
pub(crate) struct Explainer(RefCell<Vec<Explanation>>);

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
    pub(crate) fn enter(&self, text: impl FnOnce() -> String) {
        if self.is_active() {
            let step = Explanation { text: text(), ..Explanation::default() };
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

    /// Adds a step without steps of its own.
    pub(crate) fn note(&self, text: impl FnOnce() -> String, value: Option<&Value>) {
        if let Some(parent) = self.0.borrow_mut().last_mut() {
            parent.steps.push(Explanation { text: text(), value: value.cloned(), steps: Vec::new() });
        }
    }
}
