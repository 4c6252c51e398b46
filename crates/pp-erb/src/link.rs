//! What objects stand for: arrays, hashes and strings that were made of values of Puppet.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use pp_types::Value as Puppet;

use crate::objects::{ParameterId, Registry};
use crate::value::{Str, Value};

/// What settling a container gives: its value now, and the one before, of a parameter or not, if that is another.
pub(crate) type Settled = (Puppet, Option<(Option<ParameterId>, Puppet)>);

/// Where the elements of a value of Puppet become objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The parameter whose copy the value is part of.
    pub parameter: Option<ParameterId>,
    /// Weak, because the registry has the objects.
    pub registry: Weak<Registry>,
}

impl Origin {
    /// Returns the object of a value; makes it if there is none.
    pub fn object(&self, value: &Puppet, make: impl FnOnce() -> Value) -> Value {
        match self.registry.upgrade() {
            Some(registry) => registry.object(self.parameter, value, make),
            None => make(),
        }
    }

    /// Returns the object of a string that was changed.
    pub fn changed_string(&self, text: &Arc<str>) -> Option<Rc<Str>> {
        self.registry.upgrade()?.changed_string(self.parameter, text)
    }
}

/// The value of Puppet that an array or hash stands for, if any.
#[derive(Debug)]
pub(crate) struct Link<T>(RefCell<Option<Linked<T>>>);

#[derive(Debug)]
struct Linked<T> {
    source: Arc<T>,
    origin: Origin,
    is_changed: bool,
}

impl<T> Default for Link<T> {
    fn default() -> Link<T> {
        Link(RefCell::new(None))
    }
}

impl<T> Link<T> {
    /// Creates a link to a value.
    pub fn new(source: Arc<T>, origin: Origin) -> Link<T> {
        Link(RefCell::new(Some(Linked { source, origin, is_changed: false })))
    }

    /// Returns the value, which the object may differ from by now.
    pub fn get(&self) -> Option<(Arc<T>, Origin)> {
        self.0.borrow().as_ref().map(|linked| (Arc::clone(&linked.source), linked.origin.clone()))
    }

    /// Returns the value, if it is certain that the object does not differ from it.
    pub fn unchanged(&self) -> Option<Arc<T>> {
        let linked = self.0.borrow();
        let linked = linked.as_ref().filter(|linked| !linked.is_changed)?;
        match linked.origin.registry.upgrade() {
            Some(registry) if registry.has_changed() => None,
            _ => Some(Arc::clone(&linked.source)),
        }
    }

    /// Returns the address of the value, if the object was changed.
    pub fn changed(&self) -> Option<usize> {
        let linked = self.0.borrow();
        linked.as_ref().filter(|linked| linked.is_changed).map(|linked| Arc::as_ptr(&linked.source) as usize)
    }

    /// Records that the object is changed.
    pub fn note_change(&self) {
        if let Some(linked) = &mut *self.0.borrow_mut() {
            linked.is_changed = true;
            if let Some(registry) = linked.origin.registry.upgrade() {
                registry.note_change();
            }
        }
    }

    /// Links the object to a value. Returns false if it is linked to it already.
    pub fn set(&self, source: &Arc<T>, origin: impl FnOnce() -> Origin) -> bool {
        let mut linked = self.0.borrow_mut();
        match &mut *linked {
            Some(linked) => {
                linked.is_changed = false;
                !Arc::ptr_eq(&std::mem::replace(&mut linked.source, Arc::clone(source)), source)
            }
            None => {
                *linked = Some(Linked { source: Arc::clone(source), origin: origin(), is_changed: false });
                true
            }
        }
    }
}

/// Returns whether two values are the same, not only equal.
pub(crate) fn is_same(left: &Puppet, right: &Puppet) -> bool {
    match (left, right) {
        (Puppet::Array(left), Puppet::Array(right)) => Arc::ptr_eq(left, right),
        (Puppet::Hash(left), Puppet::Hash(right)) => Arc::ptr_eq(left, right),
        (Puppet::String(left), Puppet::String(right)) => Arc::ptr_eq(left, right),
        (Puppet::Array(_) | Puppet::Hash(_) | Puppet::String(_), _) => false,
        (left, right) => left == right,
    }
}

/// Returns where an array, hash or string is in memory.
pub(crate) fn address(value: &Puppet) -> usize {
    match value {
        Puppet::Array(values) => Arc::as_ptr(values) as usize,
        Puppet::Hash(entries) => Arc::as_ptr(entries) as usize,
        Puppet::String(text) => text_address(text),
        _ => 0,
    }
}

/// Returns where a text is in memory.
pub(crate) fn text_address(text: &Arc<str>) -> usize {
    Arc::as_ptr(text).cast::<u8>() as usize
}
