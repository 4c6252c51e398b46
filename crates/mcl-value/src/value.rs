//! Values (spec 03 §1).

use std::any::Any;
use std::sync::Arc;

use crate::{Field, MapValue, Type};

/// A byte string, normally UTF-8 (spec 03 §1.1). Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Str(Arc<[u8]>);

impl Str {
    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the string as UTF-8, with U+FFFD for invalid bytes.
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
/// Does not copy.
impl From<Arc<str>> for Str {
    fn from(s: Arc<str>) -> Str {
        Str(s.into())
    }
}
impl From<String> for Str {
    fn from(s: String) -> Str {
        Str(s.into_bytes().into())
    }
}
/// Does not copy.
impl From<Arc<[u8]>> for Str {
    fn from(bytes: Arc<[u8]>) -> Str {
        Str(bytes)
    }
}
/// Does not copy.
impl From<Str> for Arc<[u8]> {
    fn from(s: Str) -> Arc<[u8]> {
        s.0
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
    /// Returns the value of a field.
    Nil,
}

/// A struct value: fields in declaration order.
#[derive(Clone, Debug, PartialEq)]
pub struct StructValue {
    /// The names and values of the fields.
    pub fields: Vec<(Arc<str>, Value)>,
}

impl StructValue {
    /// Returns the value of a field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| **name == *field).map(|(_, value)| value)
    }
}

/// A function value. Only the function engine that created it knows its contents. Compared by identity.
#[derive(Clone)]
pub struct FuncValue(pub Arc<dyn Any + Send + Sync>);

impl std::fmt::Debug for FuncValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("func")
    }
}

/// The contents of a zero function value, which cannot be called (spec 03 §1.1).
struct NilFunction;

impl Value {
    /// Returns a string value.
    pub fn str(s: impl Into<Str>) -> Value {
        Value::Str(s.into())
    }

    /// Returns a list of elements, which must have the same type.
    pub fn list<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Value {
        Value::List(items.into_iter().map(Into::into).collect())
    }

    /// Returns a map. The last of several entries with equal keys wins.
    pub fn map(pairs: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(Arc::new(pairs.into_iter().collect()))
    }

    /// Returns a struct with its fields in declaration order.
    pub fn strukt<N: Into<Arc<str>>>(fields: impl IntoIterator<Item = (N, Value)>) -> Value {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Value::Struct(Arc::new(StructValue { fields }))
    }

    /// Returns the zero value of a type (spec 03 §1.1): [`Value::Nil`] for `variant`, `nil` and type variables.
    #[must_use]
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Str => Value::Str(Str::default()),
            Type::Int => Value::Int(0),
            Type::Float => Value::Float(0.0),
            Type::List(_) => Value::List(Arc::new([])),
            Type::Map(_) => Value::Map(Arc::default()),
            Type::Struct(fields) => Value::strukt(fields.iter().map(|f| (f.name.clone(), Value::zero(&f.ty)))),
            Type::Func(_) => Value::Func(FuncValue(Arc::new(NilFunction))),
            Type::Variant | Type::Nil | Type::Var(_) => Value::Nil,
        }
    }

    /// Returns the type, or `None` if the value does not determine it: for empty lists and maps, and for functions.
    #[must_use]
    pub fn type_of(&self) -> Option<Type> {
        Some(match self {
            Value::Bool(_) => Type::Bool,
            Value::Str(_) => Type::Str,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::List(items) => Type::list(items.iter().find_map(Value::type_of)?),
            Value::Map(map) => Type::map(map.keys().find_map(Value::type_of)?, map.values().find_map(Value::type_of)?),
            Value::Struct(st) => Type::Struct(
                st.fields
                    .iter()
                    .map(|(name, value)| Some(Field { name: name.clone(), ty: value.type_of()? }))
                    .collect::<Option<_>>()?,
            ),
            Value::Func(_) => return None,
            Value::Nil => Type::Nil,
        })
    }

    /// Returns whether the value can have a type. `variant` and type variables accept every value.
    #[must_use]
    pub fn has_type(&self, ty: &Type) -> bool {
        match (self, ty) {
            (_, Type::Variant | Type::Var(_))
            | (Value::Bool(_), Type::Bool)
            | (Value::Str(_), Type::Str)
            | (Value::Int(_), Type::Int)
            | (Value::Float(_), Type::Float)
            | (Value::Func(_), Type::Func(_))
            | (Value::Nil, Type::Nil) => true,
            (Value::List(items), Type::List(element)) => items.iter().all(|item| item.has_type(element)),
            (Value::Map(map), Type::Map(types)) => {
                map.iter().all(|(key, value)| key.has_type(&types.0) && value.has_type(&types.1))
            }
            (Value::Struct(st), Type::Struct(fields)) => {
                st.fields.len() == fields.len()
                    && st.fields.iter().zip(fields.iter()).all(|((n, v), f)| *n == f.name && v.has_type(&f.ty))
            }
            _ => false,
        }
    }

    /// Returns the name of the value's kind: `str`, `list`, `struct`…
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Bool(_) => "bool",
            Value::Str(_) => "str",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Struct(_) => "struct",
            Value::Func(_) => "func",
            Value::Nil => "nil",
        }
    }

    /// Returns the bytes of a string.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Value::Str(s) = self { Some(s.as_bytes()) } else { None }
    }

    /// Returns the number of an int.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        if let Value::Int(n) = self { Some(*n) } else { None }
    }

    /// Returns the value of a bool.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// Returns the number of a float.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        if let Value::Float(x) = self { Some(*x) } else { None }
    }

    /// Returns the elements of a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Value::List(items) = self { Some(items) } else { None }
    }

    /// Returns the entries of a map.
    #[must_use]
    pub fn as_map(&self) -> Option<&MapValue> {
        if let Value::Map(map) = self { Some(map) } else { None }
    }

    /// Returns the fields of a struct.
    #[must_use]
    pub fn as_struct(&self) -> Option<&StructValue> {
        if let Value::Struct(st) = self { Some(st) } else { None }
    }
}

impl From<bool> for Value {
    fn from(v: bool) -> Value {
        Value::Bool(v)
    }
}
impl From<i64> for Value {
    fn from(v: i64) -> Value {
        Value::Int(v)
    }
}
impl From<i32> for Value {
    fn from(v: i32) -> Value {
        Value::Int(v.into())
    }
}
impl From<f64> for Value {
    fn from(v: f64) -> Value {
        Value::Float(v)
    }
}
impl From<&str> for Value {
    fn from(v: &str) -> Value {
        Value::str(v)
    }
}
impl From<String> for Value {
    fn from(v: String) -> Value {
        Value::str(v)
    }
}
impl From<&[u8]> for Value {
    fn from(v: &[u8]) -> Value {
        Value::str(v)
    }
}
impl From<Vec<u8>> for Value {
    fn from(v: Vec<u8>) -> Value {
        Value::str(v)
    }
}
impl From<Str> for Value {
    fn from(v: Str) -> Value {
        Value::Str(v)
    }
}
impl From<Vec<Value>> for Value {
    fn from(v: Vec<Value>) -> Value {
        Value::List(v.into())
    }
}

/// Equality as in spec 03 §1.6.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            (Value::Struct(a), Value::Struct(b)) => a == b,
            (Value::Func(a), Value::Func(b)) => Arc::ptr_eq(&a.0, &b.0),
            (Value::Nil, Value::Nil) => true,
            _ => false,
        }
    }
}

/// Required by the index of maps, which handles NaN keys (spec 03 §1.7).
impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Bool(v) => v.hash(state),
            Value::Str(v) => v.hash(state),
            Value::Int(v) => v.hash(state),
            // 0.0 equals -0.0, so their hashes must be equal.
            Value::Float(v) => (if *v == 0.0 { 0.0f64 } else { *v }).to_bits().hash(state),
            Value::List(v) => v.hash(state),
            Value::Map(v) => v.len().hash(state),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_follows_ieee_for_floats() {
        assert_eq!(Value::Float(0.0), Value::Float(-0.0));
        assert_ne!(Value::Float(f64::NAN), Value::Float(f64::NAN));
        assert_ne!(Value::list([f64::NAN]), Value::list([f64::NAN]));
    }

    #[test]
    fn maps_are_equal_whatever_the_order() {
        let a = Value::map([("a".into(), 1.into()), ("b".into(), 2.into())]);
        let b = Value::map([("b".into(), 2.into()), ("a".into(), 1.into())]);
        assert_eq!(a, b);
        assert_ne!(a, Value::map([("a".into(), 1.into())]));
    }

    #[test]
    fn zero_values_have_their_type() {
        for text in
            ["bool", "str", "int", "float", "[]int", "map{str: int}", "struct{a int; b []str}", "func(x int) str"]
        {
            let ty = Type::parse(text).unwrap();
            assert!(Value::zero(&ty).has_type(&ty), "{text}");
        }
        assert_eq!(Value::zero(&Type::parse("struct{a int; b str}").unwrap()).to_string(), r#"struct{a: 0; b: ""}"#);
    }

    #[test]
    fn type_of_is_derived_where_possible() {
        assert_eq!(Value::list([Value::list([1])]).type_of().unwrap().to_string(), "[][]int");
        assert_eq!(Value::list([Value::list::<i64>([]), Value::list([1])]).type_of().unwrap().to_string(), "[][]int");
        assert_eq!(Value::list::<i64>([]).type_of(), None);
    }
}
