//! Typed access to arguments. The type checker guarantees their number and types, so that a mismatch means a corrupted
//! artifact: it is an error, never a panic.

use std::borrow::Cow;

use mcl_value::{MapValue, StructValue, Value};

use crate::FunctionError;

type Read<T> = Result<T, FunctionError>;

/// Typed access to an argument by its index.
pub(crate) trait Args {
    fn any(&self, index: usize) -> Read<&Value>;

    fn bool(&self, index: usize) -> Read<bool> {
        self.any(index)?.as_bool().ok_or_else(|| mismatch(index, "bool"))
    }

    fn int(&self, index: usize) -> Read<i64> {
        self.any(index)?.as_int().ok_or_else(|| mismatch(index, "int"))
    }

    fn float(&self, index: usize) -> Read<f64> {
        self.any(index)?.as_float().ok_or_else(|| mismatch(index, "float"))
    }

    fn bytes(&self, index: usize) -> Read<&[u8]> {
        self.any(index)?.as_bytes().ok_or_else(|| mismatch(index, "str"))
    }

    /// Returns a string as UTF-8, for messages, names and paths.
    fn text(&self, index: usize) -> Read<Cow<'_, str>> {
        self.bytes(index).map(String::from_utf8_lossy)
    }

    fn list(&self, index: usize) -> Read<&[Value]> {
        self.any(index)?.as_list().ok_or_else(|| mismatch(index, "list"))
    }

    fn strings(&self, index: usize) -> Read<Vec<&[u8]>> {
        self.list(index)?.iter().map(|item| item.as_bytes().ok_or_else(|| mismatch(index, "[]str"))).collect()
    }

    fn map(&self, index: usize) -> Read<&MapValue> {
        self.any(index)?.as_map().ok_or_else(|| mismatch(index, "map"))
    }

    fn strukt(&self, index: usize) -> Read<&StructValue> {
        self.any(index)?.as_struct().ok_or_else(|| mismatch(index, "struct"))
    }
}

impl Args for [Value] {
    fn any(&self, index: usize) -> Read<&Value> {
        self.get(index).ok_or_else(|| FunctionError::fatal(format!("missing argument {index}")))
    }
}

fn mismatch(index: usize, expected: &str) -> FunctionError {
    FunctionError::fatal(format!("expected `{expected}` as argument {index}"))
}
