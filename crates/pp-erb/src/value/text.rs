//! Strings, and whether objects can be changed.

use std::cell::{Cell, Ref, RefCell};
use std::sync::Arc;

use crate::objects::ParameterId;

/// Whether an object can be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Frozen {
    #[default]
    No,
    Yes,
    /// The compilation knows: an object that stands for a value of the manifest.
    Unknown,
}

impl Frozen {
    /// Returns what is known of a value of Puppet. Copies are never frozen.
    pub fn of(parameter: Option<ParameterId>) -> Frozen {
        if parameter.is_some() { Frozen::No } else { Frozen::Unknown }
    }
}

/// A string.
#[derive(Debug)]
pub(crate) struct Str {
    text: RefCell<Text>,
    pub frozen: Cell<Frozen>,
    /// The parameter whose copy it is part of.
    pub parameter: Option<ParameterId>,
}

#[derive(Debug)]
enum Text {
    /// That of a value of Puppet.
    Shared(Arc<str>),
    Owned(String),
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            Text::Shared(text) => text,
            Text::Owned(text) => text,
        }
    }
}

impl Str {
    /// Creates the string of a value of Puppet, without copying it.
    pub fn of_puppet(text: Arc<str>, parameter: Option<ParameterId>) -> Str {
        Str { text: RefCell::new(Text::Shared(text)), frozen: Cell::new(Frozen::of(parameter)), parameter }
    }

    /// Creates a string.
    pub fn new(text: impl Into<String>) -> Str {
        Str { text: RefCell::new(Text::Owned(text.into())), frozen: Cell::default(), parameter: None }
    }

    /// Creates a string that cannot be changed.
    pub fn frozen(text: impl Into<String>) -> Str {
        Str { frozen: Cell::new(Frozen::Yes), ..Str::new(text) }
    }

    /// Borrows the text. The borrow must end before anything of the template runs.
    pub fn get(&self) -> Ref<'_, str> {
        Ref::map(self.text.borrow(), Text::as_str)
    }

    /// Appends to the text.
    pub fn push(&self, added: &str) {
        let mut text = self.text.borrow_mut();
        match &mut *text {
            Text::Owned(text) => text.push_str(added),
            Text::Shared(shared) => *text = Text::Owned(format!("{shared}{added}")),
        }
    }

    /// Replaces the text.
    pub fn set(&self, text: String) {
        *self.text.borrow_mut() = Text::Owned(text);
    }

    /// Makes the string stand for a value of Puppet, which has the same text.
    pub fn share(&self, text: Arc<str>) {
        *self.text.borrow_mut() = Text::Shared(text);
    }

    /// Returns the value of Puppet that the string stands for.
    pub fn shared(&self) -> Option<Arc<str>> {
        match &*self.text.borrow() {
            Text::Shared(text) => Some(Arc::clone(text)),
            Text::Owned(_) => None,
        }
    }

    /// Returns the text for a value of Puppet.
    pub fn to_shared(&self) -> Arc<str> {
        self.shared().unwrap_or_else(|| (*self.get()).into())
    }
}
