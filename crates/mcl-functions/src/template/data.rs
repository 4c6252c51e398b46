//! Conversion between values of mcl and the data of templates, which have Go's types (spec 03 §9.2).

use std::sync::Arc;

use go_compat::unicode;
use go_template::{Data, GoType, ListData, MapData};
use mcl_value::{MapValue, Type, Value};

/// Returns whether a type contains a struct with fields. Such data become maps, in untyped containers.
fn contains_struct(ty: &Type) -> bool {
    match ty {
        Type::Struct(fields) => !fields.is_empty(),
        Type::List(element) => contains_struct(element),
        Type::Map(types) => contains_struct(&types.0) || contains_struct(&types.1),
        _ => false,
    }
}

/// Returns the Go type of a value inside a native list; the type contains no struct with fields.
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

/// Converts a value to template data (spec 03 §9.2); `None` if it contains a function.
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
            Data::Map(Arc::new(MapData::new(key_type, GoType::Any, entries)))
        }
        (Value::Struct(st), ty) => {
            let types = if let Type::Struct(fields) = ty { &fields[..] } else { &[] };
            let mut entries = Vec::with_capacity(st.fields.len());
            for (i, (name, value)) in st.fields.iter().enumerate() {
                let ty = types.get(i).map_or(Type::Var(1), |field| field.ty.clone());
                entries.push((title(name), convert(value, &ty)?));
            }
            // The first of several fields with the same title counts.
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.dedup_by(|(a, _), (b, _)| a == b);
            let entries = entries.into_iter().map(|(name, value)| (Data::Str(name.into_bytes().into()), value));
            Data::Map(Arc::new(MapData::new(GoType::String, GoType::Any, entries.collect())))
        }
        (value, ty) => native(value, ty)?,
    })
}

fn map_types(ty: &Type) -> (Type, Type) {
    if let Type::Map(types) = ty { (types.0.clone(), types.1.clone()) } else { (Type::Var(1), Type::Var(2)) }
}

fn map_entries(map: &MapValue, pair: impl Fn(&Value, &Value) -> Option<(Data, Data)>) -> Option<Vec<(Data, Data)>> {
    map.iter().map(|(key, value)| pair(key, value)).collect()
}

/// Converts a value to data whose Go type mirrors the type of the value.
fn native(value: &Value, ty: &Type) -> Option<Data> {
    Some(match value {
        Value::Bool(value) => Data::Bool(*value),
        Value::Str(text) => Data::Str(text.clone().into()),
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
            Data::Map(Arc::new(MapData::new(native_type(&key), native_type(&value), entries)))
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

/// Returns the Go type of a parameter.
pub(super) fn parameter_type(ty: &Type) -> GoType {
    match ty {
        Type::Bool => GoType::Bool,
        Type::Str => GoType::String,
        Type::Int => GoType::Int64,
        Type::Float => GoType::Float64,
        Type::List(element) => GoType::Slice(Arc::new(parameter_type(element))),
        Type::Map(types) => GoType::Map(Arc::new((parameter_type(&types.0), parameter_type(&types.1)))),
        Type::Struct(_) | Type::Func(_) | Type::Variant | Type::Nil | Type::Var(_) => GoType::Any,
    }
}

/// Converts an argument, whose type has been checked.
pub(super) fn to_value(data: &Data) -> Option<Value> {
    Some(match data {
        Data::Bool(value) => Value::Bool(*value),
        Data::Str(text) => Value::Str(Arc::clone(text).into()),
        Data::Int(n) | Data::Native(n) => Value::Int(*n),
        Data::Byte(n) => Value::Int(i64::from(*n)),
        Data::Float(x) => Value::Float(*x),
        Data::List(list) => Value::List(list.items.iter().map(to_value).collect::<Option<_>>()?),
        Data::Map(map) => {
            let pairs = map.entries().iter().map(|(k, v)| Some((to_value(k)?, to_value(v)?)));
            Value::map(pairs.collect::<Option<Vec<_>>>()?)
        }
        Data::Nil | Data::Record(_) => return None,
    })
}
