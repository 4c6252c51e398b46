//! A [`Deserializer`] around another that refuses what a hostile file could ask for.
//!
//! bincode trusts the lengths it reads: a string of 2^60 bytes is allocated before the first byte is looked at, and a
//! type nested a million times overflows the stack. This adapter closes both holes for every payload type at once:
//!
//! - strings and bytes are borrowed from the input, so that their length is checked against it before anything is
//!   allocated;
//! - a sequence or map that claims more elements than the whole payload has bytes is refused (every element of our types
//!   takes at least one byte), and what collections reserve in advance follows that bound;
//! - nesting deeper than [`MAX_DEPTH`] is refused.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};

/// How deep values may nest in a payload. Our payloads are arenas and stay below 20; only types nest. Reading this deep
/// fits into the 2 MiB stack of a thread, even without optimisation.
pub(crate) const MAX_DEPTH: u32 = 512;

/// How deep a type in a payload may nest, where a list counts 1, a map 2, a struct 3 and a function 4.
pub const MAX_TYPE_NESTING: u32 = MAX_DEPTH - 32;

/// The bounds, handed down from value to value.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Levels that are left.
    depth: u32,
    /// Bytes of the whole payload.
    payload: usize,
}

impl Bounds {
    /// Returns the bounds of a payload of `bytes` bytes.
    pub(crate) fn of_payload(bytes: usize) -> Bounds {
        Bounds { depth: MAX_DEPTH, payload: bytes }
    }

    fn deeper<E: Error>(self) -> Result<Bounds, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Bounds { depth, ..self }),
            None => Err(E::custom(format_args!("values are nested more than {MAX_DEPTH} levels deep"))),
        }
    }

    fn check_length<E: Error>(self, hint: Option<usize>) -> Result<(), E> {
        match hint {
            Some(length) if length > self.payload => Err(E::custom(format_args!(
                "a list claims {length} elements, more than the {} bytes of the payload",
                self.payload
            ))),
            _ => Ok(()),
        }
    }
}

/// Something of serde's (a deserializer, a visitor, a seed, an access) together with the bounds.
pub(crate) struct Bounded<T> {
    inner: T,
    bounds: Bounds,
}

impl<T> Bounded<T> {
    /// Puts the bounds around it.
    pub(crate) fn new(inner: T, bounds: Bounds) -> Bounded<T> {
        Bounded { inner, bounds }
    }
}

macro_rules! forward {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(Bounded::new(visitor, self.bounds))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<D> {
    type Error = D::Error;

    forward! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_bytes deserialize_option deserialize_unit deserialize_seq deserialize_map deserialize_identifier
        deserialize_ignored_any
    }

    /// Borrowed, unlike bincode's own, which allocates first.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, Bounded::new(visitor, self.bounds))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(name, Bounded::new(visitor, self.bounds))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple(len, Bounded::new(visitor, self.bounds))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple_struct(name, len, Bounded::new(visitor, self.bounds))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_struct(name, fields, Bounded::new(visitor, self.bounds))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_enum(name, variants, Bounded::new(visitor, self.bounds))
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! forward_visit {
    ($($method:ident: $ty:ty,)*) => {
        $(fn $method<E: Error>(self, value: $ty) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Bounded<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(f)
    }

    forward_visit! {
        visit_bool: bool, visit_i8: i8, visit_i16: i16, visit_i32: i32, visit_i64: i64, visit_u8: u8, visit_u16: u16,
        visit_u32: u32, visit_u64: u64, visit_f32: f32, visit_f64: f64, visit_char: char, visit_str: &str,
        visit_borrowed_str: &'de str, visit_string: String, visit_bytes: &[u8], visit_borrowed_bytes: &'de [u8],
        visit_byte_buf: Vec<u8>,
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let bounds = self.bounds.deeper()?;
        self.inner.visit_some(Bounded::new(deserializer, bounds))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let bounds = self.bounds.deeper()?;
        self.inner.visit_newtype_struct(Bounded::new(deserializer, bounds))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.bounds.check_length(access.size_hint())?;
        let bounds = self.bounds.deeper()?;
        self.inner.visit_seq(Bounded::new(access, bounds))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.bounds.check_length(access.size_hint())?;
        let bounds = self.bounds.deeper()?;
        self.inner.visit_map(Bounded::new(access, bounds))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let bounds = self.bounds.deeper()?;
        self.inner.visit_enum(Bounded::new(access, bounds))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Bounded<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Bounded::new(deserializer, self.bounds))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Bounded<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Bounded::new(seed, self.bounds))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Bounded<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(Bounded::new(seed, self.bounds))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Bounded::new(seed, self.bounds))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Bounded<A> {
    type Error = A::Error;
    type Variant = Bounded<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, Bounded::new(variant, self.bounds)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Bounded<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.newtype_variant_seed(Bounded::new(seed, self.bounds))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, Bounded::new(visitor, self.bounds))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, Bounded::new(visitor, self.bounds))
    }
}
