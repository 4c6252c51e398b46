//! What templates compute on: values with Go's types.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use mcl_value::{MapValue, Str, Type, Value};

use crate::unicode;

/// A datum. `Int` is Go's `int64`, which mcl ints are; `Native` is Go's `int`, which literals, lengths and indices are.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// Nothing: no value at all.
    Nil,
    Bool(bool),
    Str(Str),
    Int(i64),
    Native(i64),
    /// A byte of a string.
    Byte(u8),
    Float(f64),
    List(Arc<ListData>),
    Map(Arc<MapData>),
    /// A struct that is the key of a map.
    Record(Arc<Vec<(String, Data)>>),
}

#[derive(Debug)]
pub(super) struct ListData {
    pub(super) element: GoType,
    pub(super) items: Vec<Data>,
}

#[derive(Debug)]
pub(super) struct MapData {
    pub(super) key: GoType,
    pub(super) value: GoType,
    /// Sorted by key.
    pub(super) entries: Vec<(Data, Data)>,
}

/// A type of Go.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GoType {
    Bool,
    String,
    Int64,
    Int,
    Uint8,
    Float64,
    /// `interface {}`.
    Any,
    Slice(Arc<GoType>),
    Map(Arc<(GoType, GoType)>),
    Struct(Arc<Vec<(String, GoType)>>),
}

impl fmt::Display for GoType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoType::Bool => f.write_str("bool"),
            GoType::String => f.write_str("string"),
            GoType::Int64 => f.write_str("int64"),
            GoType::Int => f.write_str("int"),
            GoType::Uint8 => f.write_str("uint8"),
            GoType::Float64 => f.write_str("float64"),
            GoType::Any => f.write_str("interface {}"),
            GoType::Slice(element) => write!(f, "[]{element}"),
            GoType::Map(types) => write!(f, "map[{}]{}", types.0, types.1),
            GoType::Struct(fields) => {
                f.write_str("struct {")?;
                for (i, (name, ty)) in fields.iter().enumerate() {
                    write!(f, "{} {name} {ty}", if i == 0 { "" } else { ";" })?;
                }
                f.write_str(if fields.is_empty() { "}" } else { " }" })
            }
        }
    }
}

impl Data {
    pub(super) fn go_type(&self) -> GoType {
        match self {
            Data::Nil => GoType::Any,
            Data::Bool(_) => GoType::Bool,
            Data::Str(_) => GoType::String,
            Data::Int(_) => GoType::Int64,
            Data::Native(_) => GoType::Int,
            Data::Byte(_) => GoType::Uint8,
            Data::Float(_) => GoType::Float64,
            Data::List(list) => GoType::Slice(Arc::new(list.element.clone())),
            Data::Map(map) => GoType::Map(Arc::new((map.key.clone(), map.value.clone()))),
            Data::Record(fields) => {
                GoType::Struct(Arc::new(fields.iter().map(|(name, data)| (name.clone(), data.go_type())).collect()))
            }
        }
    }

    /// The zero value of a type.
    pub(super) fn zero(ty: &GoType) -> Data {
        match ty {
            GoType::Bool => Data::Bool(false),
            GoType::String => Data::Str(Str::default()),
            GoType::Int64 => Data::Int(0),
            GoType::Int => Data::Native(0),
            GoType::Uint8 => Data::Byte(0),
            GoType::Float64 => Data::Float(0.0),
            GoType::Any => Data::Nil,
            GoType::Slice(element) => {
                Data::List(Arc::new(ListData { element: (**element).clone(), items: Vec::new() }))
            }
            GoType::Map(types) => {
                Data::Map(Arc::new(MapData { key: types.0.clone(), value: types.1.clone(), entries: Vec::new() }))
            }
            GoType::Struct(fields) => {
                Data::Record(Arc::new(fields.iter().map(|(name, ty)| (name.clone(), Data::zero(ty))).collect()))
            }
        }
    }

    /// What `if` and its like test.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Data::Nil => false,
            Data::Bool(value) => *value,
            Data::Str(text) => !text.as_bytes().is_empty(),
            Data::Int(n) | Data::Native(n) => *n != 0,
            Data::Byte(n) => *n != 0,
            Data::Float(x) => *x != 0.0,
            Data::List(list) => !list.items.is_empty(),
            Data::Map(map) => !map.entries.is_empty(),
            Data::Record(_) => true,
        }
    }

    /// An integer of any width.
    pub(super) fn as_int(&self) -> Option<i64> {
        match self {
            Data::Int(n) | Data::Native(n) => Some(*n),
            Data::Byte(n) => Some(i64::from(*n)),
            _ => None,
        }
    }

    /// The order of map keys.
    fn key_order(&self, other: &Data) -> Ordering {
        match (self, other) {
            (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
            (Data::Str(a), Data::Str(b)) => a.cmp(b),
            (Data::Float(a), Data::Float(b)) => {
                // NaN comes first, as in Go's printing of maps.
                a.partial_cmp(b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
            }
            (Data::Record(a), Data::Record(b)) => a
                .iter()
                .zip(b.iter())
                .map(|((_, a), (_, b))| a.key_order(b))
                .find(|order| order.is_ne())
                .unwrap_or_else(|| a.len().cmp(&b.len())),
            (a, b) => a.as_int().cmp(&b.as_int()),
        }
    }
}

impl MapData {
    /// The value under a key of the map's key type.
    pub(super) fn get(&self, key: &Data) -> Option<&Data> {
        let found = self.entries.binary_search_by(|(own, _)| own.key_order(key)).ok()?;
        let is_nan = matches!(key, Data::Float(x) if x.is_nan());
        Some(&self.entries[found].1).filter(|_| !is_nan)
    }
}

/// Whether a type contains a struct with fields; such data become maps, and their containers untyped.
fn contains_struct(ty: &Type) -> bool {
    match ty {
        Type::Struct(fields) => !fields.is_empty(),
        Type::List(element) => contains_struct(element),
        Type::Map(types) => contains_struct(&types.0) || contains_struct(&types.1),
        _ => false,
    }
}

/// The Go type that a type without structs has inside a native list.
fn native_type(ty: &Type) -> GoType {
    match ty {
        Type::Bool => GoType::Bool,
        Type::Str => GoType::String,
        Type::Int => GoType::Int64,
        Type::Float => GoType::Float64,
        Type::List(element) => GoType::Slice(Arc::new(native_type(element))),
        Type::Map(types) => GoType::Map(Arc::new((native_type(&types.0), native_type(&types.1)))),
        Type::Struct(fields) => {
            GoType::Struct(Arc::new(fields.iter().map(|f| (title(&f.name), native_type(&f.ty))).collect()))
        }
        Type::Func(_) | Type::Variant | Type::Nil | Type::Var(_) => GoType::Any,
    }
}

fn title(name: &str) -> String {
    String::from_utf8_lossy(&unicode::title(name.as_bytes())).into_owned()
}

/// A value as template data (spec 03 §9.2); `None` if it contains a function.
pub(super) fn convert(value: &Value, ty: &Type) -> Option<Data> {
    Some(match (value, ty) {
        (Value::List(_), Type::List(element)) if !contains_struct(element) => native(value, ty)?,
        (Value::List(items), ty) => {
            let element = if let Type::List(element) = ty { (**element).clone() } else { Type::Var(1) };
            let items = items.iter().map(|item| convert(item, &element)).collect::<Option<_>>()?;
            Data::List(Arc::new(ListData { element: GoType::Any, items }))
        }
        (Value::Map(map), ty) => {
            let (key, value) = map_types(ty);
            let key_type = if map.is_empty() { GoType::String } else { native_type(&key) };
            let entries = map_entries(map, |k, v| Some((native(k, &key)?, convert(v, &value)?)))?;
            Data::Map(Arc::new(MapData { key: key_type, value: GoType::Any, entries }))
        }
        (Value::Struct(st), ty) => {
            let types = if let Type::Struct(fields) = ty { &fields[..] } else { &[] };
            let mut entries = Vec::with_capacity(st.fields.len());
            for (i, (name, value)) in st.fields.iter().enumerate() {
                let ty = types.get(i).map_or(Type::Var(1), |field| field.ty.clone());
                entries.push((Data::Str(title(name).into()), convert(value, &ty)?));
            }
            entries.sort_by(|(a, _), (b, _)| a.key_order(b));
            entries.dedup_by(|(a, _), (b, _)| a.key_order(b).is_eq());
            Data::Map(Arc::new(MapData { key: GoType::String, value: GoType::Any, entries }))
        }
        (value, ty) => native(value, ty)?,
    })
}

fn map_types(ty: &Type) -> (Type, Type) {
    if let Type::Map(types) = ty { (types.0.clone(), types.1.clone()) } else { (Type::Var(1), Type::Var(2)) }
}

fn map_entries(map: &MapValue, pair: impl Fn(&Value, &Value) -> Option<(Data, Data)>) -> Option<Vec<(Data, Data)>> {
    let mut entries = map.iter().map(|(key, value)| pair(key, value)).collect::<Option<Vec<_>>>()?;
    entries.sort_by(|(a, _), (b, _)| a.key_order(b));
    Some(entries)
}

/// A value with the Go type that mirrors its type.
fn native(value: &Value, ty: &Type) -> Option<Data> {
    Some(match value {
        Value::Bool(value) => Data::Bool(*value),
        Value::Str(text) => Data::Str(text.clone()),
        Value::Int(n) => Data::Int(*n),
        Value::Float(x) => Data::Float(*x),
        Value::List(items) => {
            let element = if let Type::List(element) = ty { (**element).clone() } else { Type::Var(1) };
            let items = items.iter().map(|item| native(item, &element)).collect::<Option<_>>()?;
            Data::List(Arc::new(ListData { element: native_type(&element), items }))
        }
        Value::Map(map) => {
            let (key, value) = map_types(ty);
            let entries = map_entries(map, |k, v| Some((native(k, &key)?, native(v, &value)?)))?;
            Data::Map(Arc::new(MapData { key: native_type(&key), value: native_type(&value), entries }))
        }
        Value::Struct(st) => {
            let types = if let Type::Struct(fields) = ty { &fields[..] } else { &[] };
            let mut fields = Vec::with_capacity(st.fields.len());
            for (i, (name, value)) in st.fields.iter().enumerate() {
                let ty = types.get(i).map_or(Type::Var(1), |field| field.ty.clone());
                fields.push((title(name), native(value, &ty)?));
            }
            Data::Record(Arc::new(fields))
        }
        Value::Nil => Data::Nil,
        Value::Func(_) => return None,
    })
}
