//! Arrays and hashes. Those of Puppet are taken apart when they are first looked into.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use pp_types::{ArrayValue, HashValue, KeyState, Value as Puppet, with_stack};

use crate::convert::{from_puppet, key_from_puppet};
use crate::key::Key;
use crate::link::{Link, Origin, Settled, is_same};
use crate::proc::Proc;
use crate::stop::Raise;
use crate::value::{Frozen, Value};

/// An array.
#[derive(Debug, Default)]
pub(crate) struct Array {
    items: RefCell<Vec<Value>>,
    /// The elements are not made yet.
    is_waiting: Cell<bool>,
    /// The value of Puppet that the array stands for.
    pub link: Link<ArrayValue>,
    pub frozen: Cell<Frozen>,
}

impl Array {
    /// Creates an array.
    pub fn new(items: Vec<Value>) -> Array {
        let array = Array::default();
        array.items.replace(items);
        array
    }

    /// Creates an array whose elements are made when they are needed.
    pub fn of_puppet(source: Arc<ArrayValue>, origin: Origin) -> Array {
        let frozen = Cell::new(Frozen::of(origin.parameter));
        Array { items: RefCell::default(), is_waiting: Cell::new(true), link: Link::new(source, origin), frozen }
    }

    fn load(&self) {
        if self.is_waiting.replace(false)
            && let Some((source, origin)) = self.link.get()
        {
            *self.items.borrow_mut() = source.iter().map(|value| from_puppet(value, &origin)).collect();
        }
    }

    /// Returns how many elements there are.
    pub fn len(&self) -> usize {
        self.waiting().map_or_else(|| self.items.borrow().len(), |source| source.len())
    }

    /// Returns the value of Puppet that nothing has looked into yet.
    pub fn waiting(&self) -> Option<Arc<ArrayValue>> {
        if self.is_waiting.get() { self.link.get().map(|(source, _)| source) } else { None }
    }

    /// Borrows the elements. The borrow must end before anything of the template runs.
    pub fn items(&self) -> Ref<'_, Vec<Value>> {
        self.load();
        self.items.borrow()
    }

    /// Borrows the elements to change them. The borrow must end before anything of the template runs.
    pub fn items_mut(&self) -> RefMut<'_, Vec<Value>> {
        self.load();
        self.link.note_change();
        self.items.borrow_mut()
    }

    /// Returns the value that the array is now, made of those of its elements.
    ///
    /// # Errors
    /// Those of the elements.
    pub fn settle(&self, settle: &mut dyn FnMut(&Value) -> Result<Puppet, Raise>) -> Result<Settled, Raise> {
        let items = self.items().clone();
        let values = items.iter().map(settle).collect::<Result<Vec<Puppet>, Raise>>()?;
        let Some((source, origin)) = self.link.get() else { return Ok((Puppet::array(values), None)) };
        let is_unchanged =
            source.len() == values.len() && source.iter().zip(&values).all(|(old, new)| is_same(old, new));
        let old = Puppet::Array(source);
        Ok(if is_unchanged { (old, None) } else { (Puppet::array(values), Some((origin.parameter, old))) })
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        let items = std::mem::take(self.items.get_mut());
        if items.iter().any(Value::is_container) {
            with_stack(|| drop(items));
        }
    }
}

/// The entries of a hash, in the order of insertion.
pub(crate) type Entries = IndexMap<Key, Value, KeyState>;

/// A hash.
#[derive(Debug, Default)]
pub(crate) struct Hash {
    entries: RefCell<Entries>,
    /// The entries are not made yet.
    is_waiting: Cell<bool>,
    /// The value of Puppet that the hash stands for.
    pub link: Link<HashValue>,
    /// Written as arguments without braces: the keywords of a method that has some.
    pub is_keywords: Cell<bool>,
    /// The value of missing keys.
    pub default: RefCell<Option<Value>>,
    /// Makes the value of missing keys.
    pub default_proc: RefCell<Option<Rc<Proc>>>,
    pub frozen: Cell<Frozen>,
}

impl Hash {
    /// Creates a hash.
    pub fn new(entries: Entries) -> Hash {
        let hash = Hash::default();
        hash.entries.replace(entries);
        hash
    }

    /// Creates a hash whose entries are made when they are needed.
    pub fn of_puppet(source: Arc<HashValue>, origin: Origin) -> Hash {
        let mut hash = Hash::default();
        hash.frozen.set(Frozen::of(origin.parameter));
        hash.link = Link::new(source, origin);
        hash.is_waiting.set(true);
        hash
    }

    fn load(&self) {
        if self.is_waiting.replace(false)
            && let Some((source, origin)) = self.link.get()
        {
            let entry =
                |(key, value): (&Puppet, &Puppet)| (Key::known(key_from_puppet(key)), from_puppet(value, &origin));
            *self.entries.borrow_mut() = source.iter().map(entry).collect();
        }
    }

    /// Returns how many entries there are.
    pub fn len(&self) -> usize {
        self.waiting().map_or_else(|| self.entries.borrow().len(), |source| source.len())
    }

    /// Returns the value of Puppet that nothing has looked into yet.
    pub fn waiting(&self) -> Option<Arc<HashValue>> {
        if self.is_waiting.get() { self.link.get().map(|(source, _)| source) } else { None }
    }

    /// Borrows the entries. The borrow must end before anything of the template runs.
    pub fn entries(&self) -> Ref<'_, Entries> {
        self.load();
        self.entries.borrow()
    }

    /// Borrows the entries, unless they are being changed: a hash can be a key of itself, and is compared while it is added.
    pub fn try_entries(&self) -> Option<Ref<'_, Entries>> {
        self.load();
        self.entries.try_borrow().ok()
    }

    /// Borrows the entries to change them. The borrow must end before anything of the template runs.
    pub fn entries_mut(&self) -> RefMut<'_, Entries> {
        self.load();
        self.link.note_change();
        self.entries.borrow_mut()
    }

    /// Returns the value that the hash is now, made of those of its entries.
    ///
    /// # Errors
    /// Those of the entries.
    pub fn settle(&self, settle: &mut dyn FnMut(&Value) -> Result<Puppet, Raise>) -> Result<Settled, Raise> {
        let mut values = pp_types::Hash::default();
        for (key, value) in self.pairs() {
            values.insert(settle(&key)?, settle(&value)?);
        }
        let Some((source, origin)) = self.link.get() else { return Ok((Puppet::hash(values), None)) };
        let is_unchanged = source.len() == values.len()
            && source.iter().zip(&values).all(|((old_key, old), (key, new))| old_key == key && is_same(old, new));
        let old = Puppet::Hash(source);
        Ok(if is_unchanged { (old, None) } else { (Puppet::hash(values), Some((origin.parameter, old))) })
    }

    /// Returns the pairs.
    pub fn pairs(&self) -> Vec<(Value, Value)> {
        self.entries().iter().map(|(key, value)| (key.value().clone(), value.clone())).collect()
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        let entries = std::mem::take(self.entries.get_mut());
        if entries.iter().any(|(key, value)| key.value().is_container() || value.is_container()) {
            with_stack(|| drop(entries));
        }
    }
}
