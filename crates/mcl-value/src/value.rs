//! Values (spec 03 §1).

use std::any::Any;
use std::sync::Arc;

use indexmap::IndexMap;

/// A byte string, normally UTF-8 (spec 03 §1.1). Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Str(Arc<[u8]>);

impl Str {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, with U+FFFD for invalid UTF-8.
    #[must_use]
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl From<&str> for Str {
    fn from(s: &str) -> Str {
        Str(s.as_bytes().into())
    }
}
impl From<String> for Str {
    fn from(s: String) -> Str {
        Str(s.into_bytes().into())
    }
}
impl From<&[u8]> for Str {
    fn from(s: &[u8]) -> Str {
        Str(s.into())
    }
}
impl From<Vec<u8>> for Str {
    fn from(s: Vec<u8>) -> Str {
        Str(s.into())
    }
}
impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.to_text())
    }
}

/// A value. Cheap to clone: everything large is behind an [`Arc`].
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Value {
    Bool(bool),
    Str(Str),
    Int(i64),
    Float(f64),
    List(Arc<[Value]>),
    Map(Arc<MapValue>),
    Struct(Arc<StructValue>),
    Func(FuncValue),
    /// The dummy of control vertices.
    Nil,
}

/// A map; iteration is in the order of spec 03 §1.6 wherever a program can see it.
#[derive(Clone, Debug, Default)]
pub struct MapValue {
    /// Keys and values.
    pub entries: IndexMap<Value, Value, rustc_hash::FxBuildHasher>,
}

/// A struct value: fields in declaration order.
#[derive(Clone, Debug)]
pub struct StructValue {
    /// Name and value of each field.
    pub fields: Vec<(Arc<str>, Value)>,
}

/// A function value: opaque here, downcast by the engine that made it; compared by identity.
#[derive(Clone)]
pub struct FuncValue(pub Arc<dyn Any + Send + Sync>);

impl std::fmt::Debug for FuncValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("func")
    }
}

impl Value {
    /// A string value.
    pub fn str(s: impl Into<Str>) -> Value {
        Value::Str(s.into())
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a.entries == b.entries,
            (Value::Struct(a), Value::Struct(b)) => a.fields == b.fields,
            (Value::Func(a), Value::Func(b)) => Arc::ptr_eq(&a.0, &b.0),
            (Value::Nil, Value::Nil) => true,
            _ => false,
        }
    }
}

/// Needed by the map's index; NaN keys are the caller's concern (spec 03 §1.7).
impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Bool(v) => v.hash(state),
            Value::Str(v) => v.hash(state),
            Value::Int(v) => v.hash(state),
            // 0.0 and -0.0 are equal, so they must hash alike.
            Value::Float(v) => (if *v == 0.0 { 0.0f64 } else { *v }).to_bits().hash(state),
            Value::List(v) => v.hash(state),
            Value::Map(v) => v.entries.len().hash(state),
            Value::Struct(v) => {
                for (name, value) in &v.fields {
                    name.hash(state);
                    value.hash(state);
                }
            }
            Value::Func(v) => (Arc::as_ptr(&v.0).cast::<()>() as usize).hash(state),
            Value::Nil => {}
        }
    }
}
