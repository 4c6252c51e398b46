//! Decoding JSON into values of a type (spec 03 §5.4).
//!
//! The text is first scanned into a flat list of tokens, which are then decoded along the type, whose depth is bounded.

use std::fmt;
use std::sync::Arc;

use go_compat::json::{Document, Token};
use go_compat::strconv;
use mcl_value::{Field, Type, Value};
use rustc_hash::FxHashMap;

/// Why a document is not a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// The document has no value where one is expected.
    Empty,
    /// The number is not an integer of 64 bits.
    NotAnInt,
    NotAFloat,
    /// The type contains one that JSON cannot express.
    Unsupported(&'static str),
    /// The value is of another kind than this.
    Mismatch(&'static str),
    FieldCount,
    MissingField(Arc<str>),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Empty => f.write_str("invalid JSON: EOF"),
            DecodeError::NotAnInt => f.write_str("num doesn't contain int64"),
            DecodeError::NotAFloat => f.write_str("num doesn't contain float64"),
            DecodeError::Unsupported(kind) => write!(f, "{kind} type"),
            DecodeError::Mismatch(kind) => write!(f, "type doesn't match {kind}"),
            DecodeError::FieldCount => f.write_str("incompatible number of fields"),
            DecodeError::MissingField(name) => write!(f, "field {name} was not found in struct"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// How the members of an object have to match the fields of a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldMatch {
    /// Each field has a member, and each member a field.
    Exact,
    /// Missing fields get zero values, and unknown members are ignored.
    Lenient,
}

/// Decodes a value of the given type.
pub(crate) fn decode(document: &Document, ty: &Type, fields: FieldMatch) -> Result<Value, DecodeError> {
    Decoder { tokens: document.tokens(), fields }.value(0, ty)
}

struct Decoder<'a> {
    tokens: &'a [Token],
    fields: FieldMatch,
}

impl Decoder<'_> {
    /// Returns the index of the token after a value.
    fn after(&self, at: usize) -> usize {
        match self.tokens.get(at) {
            Some(Token::Array { end } | Token::Object { end }) => *end,
            _ => at + 1,
        }
    }

    fn value(&self, at: usize, ty: &Type) -> Result<Value, DecodeError> {
        let token = self.tokens.get(at).ok_or(DecodeError::Empty)?;
        match (ty, token) {
            (Type::Bool, Token::Bool(value)) => Ok(Value::Bool(*value)),
            (Type::Str, Token::String(text)) => Ok(Value::str(text.as_str())),
            (Type::Int, Token::Number(text)) => {
                strconv::parse_int(text.as_bytes(), 10, 64).map(Value::Int).map_err(|_| DecodeError::NotAnInt)
            }
            (Type::Float, Token::Number(text)) => {
                strconv::parse_float(text.as_bytes(), false).map(Value::Float).map_err(|_| DecodeError::NotAFloat)
            }
            (Type::List(element), Token::Array { end }) => {
                let (mut items, mut item) = (Vec::new(), at + 1);
                while item < *end {
                    items.push(self.value(item, element)?);
                    item = self.after(item);
                }
                Ok(items.into())
            }
            (Type::Map(types), Token::Object { .. }) => {
                let pairs = self.members(at).map(|(key, _, value)| {
                    Ok::<_, DecodeError>((self.value(key, &types.0)?, self.value(value, &types.1)?))
                });
                Ok(Value::map(pairs.collect::<Result<Vec<_>, _>>()?))
            }
            (Type::Struct(fields), Token::Object { .. }) => self.strukt(at, fields),
            (Type::Func(_), _) => Err(DecodeError::Unsupported("func")),
            (Type::Variant, _) => Err(DecodeError::Unsupported("variant")),
            (Type::Nil, _) => Err(DecodeError::Unsupported("nil")),
            (ty, _) => Err(DecodeError::Mismatch(ty.kind())),
        }
    }

    fn strukt(&self, at: usize, fields: &[Field]) -> Result<Value, DecodeError> {
        // The last of several members with the same name counts.
        let members: FxHashMap<&str, usize> = self.members(at).map(|(_, name, value)| (name, value)).collect();
        if self.fields == FieldMatch::Exact && members.len() != fields.len() {
            return Err(DecodeError::FieldCount);
        }
        let field = |field: &Field| {
            let value = match members.get(&*field.name) {
                Some(&value) => self.value(value, &field.ty)?,
                None if self.fields == FieldMatch::Lenient => Value::zero(&field.ty),
                None => return Err(DecodeError::MissingField(field.name.clone())),
            };
            Ok((field.name.clone(), value))
        };
        Ok(Value::strukt(fields.iter().map(field).collect::<Result<Vec<_>, _>>()?))
    }

    /// Returns the members of an object: index of the key token, key, and index of the value token.
    fn members(&self, at: usize) -> impl Iterator<Item = (usize, &str, usize)> {
        let end = self.after(at);
        let mut key = at + 1;
        std::iter::from_fn(move || {
            let Some(Token::String(name)) = self.tokens.get(key).filter(|_| key < end) else { return None };
            let member = (key, name.as_str(), key + 1);
            key = self.after(key + 1);
            Some(member)
        })
    }
}
