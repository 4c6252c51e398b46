//! The data of templates: values with Go's types.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A value of Go.
#[derive(Clone, Debug)]
pub enum Data {
    /// `nil`: no value at all.
    Nil,
    /// `bool`.
    Bool(bool),
    /// `string`.
    Str(Arc<[u8]>),
    /// `int64`: the type of mcl's integers.
    Int(i64),
    /// `int`: the type of literals, lengths and indexes.
    Native(i64),
    /// `uint8`: a byte of a string.
    Byte(u8),
    /// `float64`.
    Float(f64),
    /// A slice.
    List(Arc<ListData>),
    /// A map.
    Map(Arc<MapData>),
    /// A struct, as the names and values of its fields.
    Record(Arc<Vec<(String, Data)>>),
}

/// A slice.
#[derive(Debug)]
pub struct ListData {
    /// The type of the elements.
    pub element: GoType,
    /// The elements.
    pub items: Vec<Data>,
}

/// A map.
#[derive(Debug)]
pub struct MapData {
    /// The type of the keys.
    pub(crate) key: GoType,
    /// The type of the values.
    pub(crate) value: GoType,
    /// Sorted by key.
    pub(crate) entries: Vec<(Data, Data)>,
}

/// A type of Go.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum GoType {
    Bool,
    String,
    Int64,
    Int,
    Uint8,
    Float64,
    /// `interface {}`.
    Any,
    Slice(Arc<GoType>),
    /// The types of the keys and the values.
    Map(Arc<(GoType, GoType)>),
    /// Names and types of the fields.
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
    /// Returns the type; `interface {}` for `nil`.
    #[must_use]
    pub(crate) fn go_type(&self) -> GoType {
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

    /// Returns the zero value of a type.
    pub(crate) fn zero(ty: &GoType) -> Data {
        match ty {
            GoType::Bool => Data::Bool(false),
            GoType::String => Data::Str(Arc::default()),
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

    /// Returns whether the value counts as true for `if`, `and` and the like.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Data::Nil => false,
            Data::Bool(value) => *value,
            Data::Str(text) => !text.is_empty(),
            Data::Int(n) | Data::Native(n) => *n != 0,
            Data::Byte(n) => *n != 0,
            Data::Float(x) => *x != 0.0,
            Data::List(list) => !list.items.is_empty(),
            Data::Map(map) => !map.entries.is_empty(),
            Data::Record(_) => true,
        }
    }

    /// Returns the value of an integer of any type.
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Data::Int(n) | Data::Native(n) => Some(*n),
            Data::Byte(n) => Some(i64::from(*n)),
            _ => None,
        }
    }

    /// Compares map keys.
    fn key_order(&self, other: &Data) -> Ordering {
        match (self, other) {
            (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
            (Data::Str(a), Data::Str(b)) => a.cmp(b),
            (Data::Float(a), Data::Float(b)) => {
                // NaN comes first, as in Go.
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
    /// Creates a map from entries in any order.
    #[must_use]
    pub fn new(key: GoType, value: GoType, mut entries: Vec<(Data, Data)>) -> MapData {
        entries.sort_by(|(a, _), (b, _)| a.key_order(b));
        MapData { key, value, entries }
    }

    /// Returns the entries, sorted by key.
    #[must_use]
    pub fn entries(&self) -> &[(Data, Data)] {
        &self.entries
    }

    /// Returns the value for a key, which must have the map's key type.
    pub(crate) fn get(&self, key: &Data) -> Option<&Data> {
        let found = self.entries.binary_search_by(|(own, _)| own.key_order(key)).ok()?;
        let is_nan = matches!(key, Data::Float(x) if x.is_nan());
        Some(&self.entries[found].1).filter(|_| !is_nan)
    }
}
