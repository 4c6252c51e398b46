//! Which object of a template stands for which value of Puppet.
//!
//! In Puppet a template sees the very arrays, hashes and strings of the manifest, and what it changes in them is changed in the
//! manifest, too. Values of Puppet cannot be changed here. So a value becomes one object, however a template reaches it, and
//! what templates have changed is reported as pairs of old and new values ([`Change`]): values differ by where they are
//! in memory, which the registry keeps from being used again.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use pp_types::Value as Puppet;
use pp_types::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::convert::{nested_too_deeply, plain_to_puppet};
use crate::key::Walk;
use crate::link::{Origin, address, text_address};
use crate::show::to_s;
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Frozen, Str, Value};
use crate::work::Work;

/// A parameter of a class or define: it has copies of the values that were given for it. The number is the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterId(pub u64);

/// A value that a template reads.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value.
    pub value: Puppet,
    /// The parameter that it is the value of; `None` for a value that is shared with the manifest.
    pub parameter: Option<ParameterId>,
}

/// A value that a template has changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The parameter whose copy was changed.
    pub parameter: Option<ParameterId>,
    /// The value before; other values that are equal but not the same are not meant.
    pub old: Puppet,
    /// The value now.
    pub new: Puppet,
}

/// The objects that templates have made of values of Puppet, shared by the templates that run inside each other.
#[derive(Clone, Debug, Default)]
pub struct Objects(pub(crate) Rc<Registry>);

impl Objects {
    /// Forgets the objects, except those that templates have stored in variables.
    pub fn forget(&self) {
        let kept = std::mem::take(&mut *self.0.kept.borrow_mut());
        self.0.known.borrow_mut().retain(|address, _| kept.contains_key(address));
        self.0.strings.take();
        *self.0.kept.borrow_mut() = kept;
    }
}

/// Where a value is: the parameter whose copy it belongs to, and its address.
type Address = (Option<ParameterId>, usize);

/// The state behind [`Objects`].
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// Arrays and hashes, with the value that the address is of.
    known: RefCell<FxHashMap<Address, (Puppet, Value)>>,
    /// Strings that were changed.
    strings: RefCell<ChangedStrings>,
    /// Objects that templates have stored in variables.
    kept: RefCell<FxHashMap<Address, ()>>,
    /// Something was changed since the changes were reported.
    has_changed: Cell<bool>,
}

/// Strings that were changed, in the order of their first change.
#[derive(Debug, Default)]
struct ChangedStrings {
    list: Vec<ChangedString>,
    /// Their numbers, by what they were and are. The strings keep their addresses from being used again.
    by_text: FxHashMap<Address, usize>,
    /// Their numbers, by their objects.
    by_object: FxHashMap<*const Str, usize>,
}

#[derive(Debug)]
struct ChangedString {
    parameter: Option<ParameterId>,
    /// The values that it was.
    old: Vec<Arc<str>>,
    object: Rc<Str>,
    /// Its changes are reported. Not so for literals, which are the same value wherever they are written.
    is_reported: bool,
}

impl Registry {
    /// Records that an object is changed.
    pub fn note_change(&self) {
        self.has_changed.set(true);
    }

    /// Returns whether objects may differ from what they stand for.
    pub fn has_changed(&self) -> bool {
        self.has_changed.get()
    }

    /// Returns the object of a value; makes it if there is none.
    pub fn object(&self, parameter: Option<ParameterId>, value: &Puppet, make: impl FnOnce() -> Value) -> Value {
        let address = (parameter, address(value));
        if let Some((_, known)) = self.known.borrow().get(&address) {
            return known.clone();
        }
        let object = make();
        self.known.borrow_mut().insert(address, (value.clone(), object.clone()));
        object
    }

    /// Returns the object of a string that was changed.
    pub fn changed_string(&self, parameter: Option<ParameterId>, text: &Arc<str>) -> Option<Rc<Str>> {
        let strings = self.strings.borrow();
        let number = strings.by_text.get(&(parameter, text_address(text)))?;
        strings.list.get(*number).map(|string| Rc::clone(&string.object))
    }

    /// Returns the origin of the values of a parameter, or of shared ones.
    pub fn origin(self: &Rc<Self>, parameter: Option<ParameterId>) -> Origin {
        Origin { parameter, registry: Rc::downgrade(self) }
    }

    /// Records that a string of Puppet is going to be changed.
    pub fn change_string(&self, object: &Rc<Str>, text: Arc<str>, is_reported: bool) {
        self.has_changed.set(true);
        let strings = &mut *self.strings.borrow_mut();
        let number = strings.list.len();
        if *strings.by_object.entry(Rc::as_ptr(object)).or_insert(number) == number {
            strings.by_text.entry((object.parameter, text_address(&text))).or_insert(number);
            strings.list.push(ChangedString {
                parameter: object.parameter,
                old: vec![text],
                object: Rc::clone(object),
                is_reported,
            });
        }
    }

    /// Records that a variable has been set to an object.
    pub fn keep(self: &Rc<Self>, value: &Puppet, object: &Value) {
        let address = (None, address(value));
        match object {
            Value::Array(_) | Value::Hash(_) => {
                self.link(object, value, None);
                self.known.borrow_mut().insert(address, (value.clone(), object.clone()));
                self.kept.borrow_mut().insert(address, ());
            }
            Value::Str(text) if text.frozen.get() == Frozen::No => {
                if let Puppet::String(shared) = value {
                    text.share(Arc::clone(shared));
                    self.change_string(text, Arc::clone(shared), true);
                }
            }
            _ => {}
        }
    }

    /// Says which value an object stands for, and the objects in it.
    fn link(self: &Rc<Self>, object: &Value, value: &Puppet, parameter: Option<ParameterId>) {
        let (items, values): (Vec<Value>, Vec<&Puppet>) = match (object, value) {
            (Value::Array(array), Puppet::Array(values)) if array.link.set(values, || self.origin(parameter)) => {
                (array.items().clone(), values.iter().collect())
            }
            (Value::Hash(hash), Puppet::Hash(entries)) if hash.link.set(entries, || self.origin(parameter)) => {
                (hash.entries().values().cloned().collect(), entries.values().collect())
            }
            _ => return,
        };
        with_stack(|| {
            for (item, value) in items.iter().zip(values) {
                self.link(item, value, parameter);
            }
        });
    }

    /// Returns what was changed since the last time.
    ///
    /// # Errors
    /// An array or hash that contains itself.
    pub fn take_changes(self: &Rc<Self>, work: &Work) -> Eval<Vec<Change>> {
        let has_kept = !self.kept.borrow().is_empty();
        if !self.has_changed.get() && !has_kept {
            return Ok(Vec::new());
        }
        let mut settling = Settling::new(work);
        self.settle_strings(work, &mut settling);
        work.step(self.known.borrow().len());
        let known: Vec<(Option<ParameterId>, Value)> =
            self.known.borrow().iter().map(|((parameter, _), (_, object))| (*parameter, object.clone())).collect();
        settling.changed.extend(known.iter().filter_map(|(_, object)| match object {
            Value::Array(array) => array.link.changed(),
            Value::Hash(hash) => hash.link.changed(),
            _ => None,
        }));
        for (parameter, object) in &known {
            let new = settling.settle(object).map_err(Stop::from)?;
            self.link(object, &new, *parameter);
        }
        for change in &settling.changes {
            if matches!(change.old, Puppet::String(_)) {
                continue;
            }
            let (old, new) = ((change.parameter, address(&change.old)), (change.parameter, address(&change.new)));
            let mut known = self.known.borrow_mut();
            let object = known.get(&old).map(|(_, object)| object.clone());
            if let Some(object) = object {
                known.insert(new, (change.new.clone(), object));
                if self.kept.borrow().contains_key(&old) {
                    self.kept.borrow_mut().insert(new, ());
                }
            }
        }
        self.has_changed.set(false);
        Ok(settling.changes)
    }

    /// Gives the strings that were changed their new values. Looking into other values asks for these strings, so they are not
    /// borrowed afterwards.
    fn settle_strings(&self, work: &Work, settling: &mut Settling<'_>) {
        let ChangedStrings { list, by_text, .. } = &mut *self.strings.borrow_mut();
        work.step(list.len());
        for (number, string) in list.iter_mut().enumerate() {
            let (Some(old), None) = (string.old.last().cloned(), string.object.shared()) else { continue };
            let new: Arc<str> = (&*string.object.get()).into();
            string.object.share(Arc::clone(&new));
            string.old.push(Arc::clone(&new));
            by_text.entry((string.parameter, text_address(&new))).or_insert(number);
            settling.changed.insert(text_address(&old));
            if string.is_reported && *old != *new {
                let (old, new) = (Puppet::String(old), Puppet::String(new));
                settling.changes.push(Change { parameter: string.parameter, old, new });
            }
        }
    }
}

/// Makes a value of Puppet of one without elements. What Puppet has no type for becomes a string in a catalog.
fn settled_plain(work: &Work, value: &Value) -> Result<Puppet, Raise> {
    match (plain_to_puppet(value), value) {
        (Err(error), Value::Int(_)) => Err(error),
        (Err(_), other) => Ok(Puppet::from(to_s(work, other))),
        (Ok(value), _) => Ok(value),
    }
}

/// Making values of Puppet of what was changed.
struct Settling<'w> {
    work: &'w Work,
    changes: Vec<Change>,
    /// The addresses of the values whose objects were changed.
    changed: FxHashSet<usize>,
    /// Containers without such values.
    unchanged: FxHashSet<usize>,
    /// The values of objects, by their addresses.
    done: FxHashMap<*const (), Puppet>,
    walk: Walk<'w>,
}

impl<'w> Settling<'w> {
    fn new(work: &'w Work) -> Settling<'w> {
        Settling {
            work,
            changes: Vec::new(),
            changed: FxHashSet::default(),
            unchanged: FxHashSet::default(),
            done: FxHashMap::default(),
            walk: Walk::new(work),
        }
    }

    /// Returns whether a value, or one in it, was changed.
    fn is_concerned(&mut self, value: &Puppet) -> bool {
        let at = address(value);
        if at == 0 || self.unchanged.contains(&at) || !self.work.step(1) {
            return false;
        }
        let is_concerned = self.changed.contains(&at)
            || with_stack(|| match value {
                Puppet::Array(values) => values.iter().any(|value| self.is_concerned(value)),
                Puppet::Hash(entries) => entries.values().any(|value| self.is_concerned(value)),
                _ => false,
            });
        if !is_concerned && !matches!(value, Puppet::String(_)) {
            self.unchanged.insert(at);
        }
        is_concerned
    }

    /// Returns the value that an object is now: that which it stands for, if nothing in it has changed.
    fn settle(&mut self, object: &Value) -> Result<Puppet, Raise> {
        let key: *const () = match object {
            Value::Array(array) => Rc::as_ptr(array).cast(),
            Value::Hash(hash) => Rc::as_ptr(hash).cast(),
            other => return settled_plain(self.work, other),
        };
        if let Some(done) = self.done.get(&key) {
            return Ok(done.clone());
        }
        let waiting = match object {
            Value::Array(array) => array.waiting().map(Puppet::Array),
            Value::Hash(hash) => hash.waiting().map(Puppet::Hash),
            _ => None,
        };
        if let Some(waiting) = waiting.filter(|waiting| !self.is_concerned(waiting)) {
            return Ok(waiting);
        }
        if !self.walk.enter(0) || !self.work.charge(size_of::<Puppet>()) {
            return Err(nested_too_deeply());
        }
        let value = with_stack(|| match object {
            Value::Array(array) => array.settle(&mut |item| self.settle(item)),
            Value::Hash(hash) => hash.settle(&mut |item| self.settle(item)),
            other => Ok((settled_plain(self.work, other)?, None)),
        });
        self.walk.leave();
        let (new, old) = value?;
        if let Some((parameter, old)) = old {
            self.changes.push(Change { parameter, old, new: new.clone() });
        }
        self.done.insert(key, new.clone());
        Ok(new)
    }
}
