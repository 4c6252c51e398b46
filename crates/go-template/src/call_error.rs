//! Why a built-in function of templates fails. The messages are Go's.

use std::fmt;

use crate::data::GoType;

/// Why a call of a built-in function fails, without the name of the function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallError {
    /// The first argument of `printf` is of this type.
    NotAFormat(GoType),
    CallOfNil,
    NotAFunction {
        value: String,
        ty: GoType,
    },
    Undefined(String),
    LenOfNil,
    LenOf(GoType),
    IndexOfUntypedNil,
    IndexOfNil,
    IndexOf(GoType),
    IndexByNil,
    IndexBy(GoType),
    IndexOutOfRange(i64),
    NilKey {
        expected: GoType,
    },
    KeyType {
        found: GoType,
        expected: GoType,
    },
    SliceOfNil,
    SliceOf(GoType),
    StringSliceBounds,
    TooManySliceBounds(usize),
    /// The first bound is greater than the second.
    SliceBounds(usize, usize),
    MissingOperand,
    Incomparable(GoType, GoType),
    NotComparable {
        value: String,
        ty: GoType,
    },
    /// The operands of an ordering are of different types.
    Unordered,
    /// The operands of an ordering are of a type without an order.
    NotOrdered,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NotAFormat(ty) => write!(f, "wrong type for value; expected string; got {ty}"),
            CallError::CallOfNil => f.write_str("call of nil"),
            CallError::NotAFunction { value, ty } => write!(f, "non-function {value} of type {ty}"),
            CallError::Undefined(name) => write!(f, "function {name} not defined"),
            CallError::LenOfNil => f.write_str("len of nil pointer"),
            CallError::LenOf(ty) => write!(f, "len of type {ty}"),
            CallError::IndexOfUntypedNil => f.write_str("index of untyped nil"),
            CallError::IndexOfNil => f.write_str("index of nil pointer"),
            CallError::IndexOf(ty) => write!(f, "can't index item of type {ty}"),
            CallError::IndexByNil => f.write_str("cannot index slice/array with nil"),
            CallError::IndexBy(ty) => write!(f, "cannot index slice/array with type {ty}"),
            CallError::IndexOutOfRange(index) => write!(f, "index out of range: {index}"),
            CallError::NilKey { expected } => write!(f, "value is nil; should be of type {expected}"),
            CallError::KeyType { found, expected } => write!(f, "value has type {found}; should be {expected}"),
            CallError::SliceOfNil => f.write_str("slice of untyped nil"),
            CallError::SliceOf(ty) => write!(f, "can't slice item of type {ty}"),
            CallError::StringSliceBounds => f.write_str("cannot slice string with 3 indexes"),
            CallError::TooManySliceBounds(count) => write!(f, "too many slice indexes: {count}"),
            CallError::SliceBounds(low, high) => write!(f, "invalid slice index: {low} > {high}"),
            CallError::MissingOperand => f.write_str("missing argument for comparison"),
            CallError::Incomparable(a, b) => write!(f, "incompatible types for comparison: {a} and {b}"),
            CallError::NotComparable { value, ty } => write!(f, "non-comparable type {value}: {ty}"),
            CallError::Unordered => f.write_str("incompatible types for comparison"),
            CallError::NotOrdered => f.write_str("invalid type for comparison"),
        }
    }
}

impl std::error::Error for CallError {}
