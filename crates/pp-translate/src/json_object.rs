//! Reading JSON objects whose keys are unique.
//!
//! JSON leaves open what a repeated key means, and readers that take the last value lose the first one without a word. Here a
//! repeated key is an error at its location, at any depth, also in parts of a catalog that are otherwise ignored.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

fn repeated<E: Error>(key: &str) -> E {
    E::custom(format_args!("duplicate key `{key}`"))
}

/// Reads the rest of an object as a map in the order of the file.
pub(crate) fn unique_entries<'de, A: MapAccess<'de>, V: Deserialize<'de>>(
    mut map: A,
) -> Result<IndexMap<String, V, FxBuildHasher>, A::Error> {
    let mut entries: IndexMap<String, V, FxBuildHasher> = IndexMap::default();
    while let Some(key) = map.next_key::<String>()? {
        match entries.entry(key) {
            Entry::Occupied(known) => return Err(repeated(known.key())),
            Entry::Vacant(new) => {
                new.insert(map.next_value()?);
            }
        }
    }
    Ok(entries)
}

/// An object with arbitrary keys.
pub(crate) struct UniqueEntries<V>(pub(crate) IndexMap<String, V, FxBuildHasher>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for UniqueEntries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueEntries<V>, D::Error> {
        struct Object<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Object<V> {
            type Value = UniqueEntries<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<UniqueEntries<V>, A::Error> {
                unique_entries(map).map(UniqueEntries)
            }
        }

        deserializer.deserialize_map(Object(PhantomData))
    }
}

/// One known key of an object.
pub(crate) struct Slot<T>(Option<T>);

impl<T> Slot<T> {
    pub(crate) const EMPTY: Slot<T> = Slot(None);

    /// Reads the value of the key.
    pub(crate) fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        if self.0.is_some() {
            return Err(repeated(key));
        }
        self.0 = Some(map.next_value()?);
        Ok(())
    }

    /// Returns the value, if the object has the key.
    pub(crate) fn value(self) -> Option<T> {
        self.0
    }

    /// Returns the value.
    pub(crate) fn required<E: Error>(self, key: &'static str) -> Result<T, E> {
        self.0.ok_or_else(|| E::missing_field(key))
    }
}

/// The keys of an object that are not used.
#[derive(Default)]
pub(crate) struct UnusedKeys(FxHashSet<String>);

impl UnusedKeys {
    /// Skips the value of the key.
    pub(crate) fn skip<'de, A: MapAccess<'de>>(&mut self, key: String, map: &mut A) -> Result<(), A::Error> {
        if self.0.contains(&key) {
            return Err(repeated(&key));
        }
        self.0.insert(key);
        map.next_value::<Unused>().map(|Unused| ())
    }
}

/// Any value, which is checked and dropped.
struct Unused;

impl<'de> Deserialize<'de> for Unused {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unused, D::Error> {
        deserializer.deserialize_any(UnusedVisitor)
    }
}

struct UnusedVisitor;

impl<'de> Visitor<'de> for UnusedVisitor {
    type Value = Unused;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Unused, E> {
        Ok(Unused)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unused, E> {
        Ok(Unused)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unused, E> {
        Ok(Unused)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unused, E> {
        Ok(Unused)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unused, E> {
        Ok(Unused)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unused, E> {
        Ok(Unused)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unused, A::Error> {
        while let Some(Unused) = seq.next_element()? {}
        Ok(Unused)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Unused, A::Error> {
        unique_entries::<A, Unused>(map).map(|_| Unused)
    }
}
