//! Types (spec 03 §1.1, spec 02 §4).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A type. Cheap to clone. `Var` is a type variable of a generic signature (`?1`), never the type of a value.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Type {
    Bool,
    Str,
    Int,
    Float,
    List(Arc<Type>),
    /// The types of keys and values.
    Map(Arc<(Type, Type)>),
    Struct(Arc<[Field]>),
    Func(Arc<FuncType>),
    /// The type of an untyped (`any`) resource field; not the type of a value.
    Variant,
    /// The type of [`Value::Nil`](crate::Value::Nil).
    Nil,
    /// The type variable `?N`, N ≥ 1.
    Var(u32),
}

impl Type {
    /// Returns the type `[]T`.
    #[must_use]
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// Returns the type `map{K: V}`.
    #[must_use]
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    /// Returns the type `struct{…}`.
    pub fn strukt<N: Into<Arc<str>>>(fields: impl IntoIterator<Item = (N, Type)>) -> Type {
        Type::Struct(fields.into_iter().map(|(name, ty)| Field { name: name.into(), ty }).collect())
    }

    /// Returns whether values of the type can be map keys (spec 03 §1.7). True for type variables, which can stand for
    /// such a type.
    #[must_use]
    pub fn is_hashable(&self) -> bool {
        match self {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Var(_) => true,
            Type::Struct(fields) => fields.iter().all(|field| field.ty.is_hashable()),
            Type::List(_) | Type::Map(_) | Type::Func(_) | Type::Variant | Type::Nil => false,
        }
    }

    /// Returns whether the type contains type variables.
    #[must_use]
    pub fn has_unknowns(&self) -> bool {
        match self {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant | Type::Nil => false,
            Type::List(element) => element.has_unknowns(),
            Type::Map(types) => types.0.has_unknowns() || types.1.has_unknowns(),
            Type::Struct(fields) => fields.iter().any(|field| field.ty.has_unknowns()),
            Type::Func(func) => func.has_unknowns(),
            Type::Var(_) => true,
        }
    }

    /// Returns the name of the type's kind, for messages: `list` for every list, and so on.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Str => "str",
            Type::Int => "int",
            Type::Float => "float",
            Type::List(_) => "list",
            Type::Map(_) => "map",
            Type::Struct(_) => "struct",
            Type::Func(_) => "func",
            Type::Variant => "variant",
            Type::Nil => "nil",
            Type::Var(_) => "unknown",
        }
    }
}

impl FuncType {
    /// Returns whether the type contains type variables.
    #[must_use]
    pub fn has_unknowns(&self) -> bool {
        self.result.has_unknowns() || self.args.iter().any(|arg| arg.ty.has_unknowns())
    }
}

/// A field of a struct type. Order and names are part of the type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The name.
    pub name: Arc<str>,
    /// The type.
    pub ty: Type,
}

/// A function type. Comparison ignores the names of arguments.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
pub struct FuncType {
    /// The names and types of the arguments, in order. Unnamed arguments are named by their position.
    pub args: Vec<Field>,
    /// The type of the result.
    pub result: Type,
}

impl PartialEq for FuncType {
    fn eq(&self, other: &FuncType) -> bool {
        self.args.len() == other.args.len()
            && self.result == other.result
            && self.args.iter().zip(&other.args).all(|(a, b)| a.ty == b.ty)
    }
}

impl std::hash::Hash for FuncType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for arg in &self.args {
            arg.ty.hash(state);
        }
        self.result.hash(state);
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Bool, Type::Bool)
            | (Type::Str, Type::Str)
            | (Type::Int, Type::Int)
            | (Type::Float, Type::Float)
            | (Type::Variant, Type::Variant)
            | (Type::Nil, Type::Nil) => true,
            (Type::List(a), Type::List(b)) => a == b,
            (Type::Map(a), Type::Map(b)) => a == b,
            (Type::Struct(a), Type::Struct(b)) => a == b,
            (Type::Func(a), Type::Func(b)) => a == b,
            (Type::Var(a), Type::Var(b)) => a == b,
            _ => false,
        }
    }
}

impl std::hash::Hash for Type {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant | Type::Nil => {}
            Type::List(t) => t.hash(state),
            Type::Map(t) => t.hash(state),
            Type::Struct(t) => t.hash(state),
            Type::Func(t) => t.hash(state),
            Type::Var(n) => n.hash(state),
        }
    }
}
