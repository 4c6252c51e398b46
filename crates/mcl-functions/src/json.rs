//! Decoding JSON into values of a type (spec 03 §5.4).
//!
//! The text is first scanned into a flat list of tokens, which are then decoded along the type, whose depth is bounded.

use go_compat::json::{Document, Token};
use go_compat::strconv;
use mcl_value::{Field, Type, Value};
use rustc_hash::FxHashMap;

/// Decodes a value of the given type.
pub(crate) fn decode(document: &Document, ty: &Type, flexible: bool) -> Result<Value, String> {
    Decoder { tokens: document.tokens(), flexible }.value(0, ty)
}

struct Decoder<'a> {
    tokens: &'a [Token],
    flexible: bool,
}

impl Decoder<'_> {
    /// Returns the index of the token after a value.
    fn after(&self, at: usize) -> usize {
        match self.tokens.get(at) {
            Some(Token::Array { end } | Token::Object { end }) => *end,
            _ => at + 1,
        }
    }

    fn value(&self, at: usize, ty: &Type) -> Result<Value, String> {
        let token = self.tokens.get(at).ok_or("invalid JSON: EOF")?;
        match (ty, token) {
            (Type::Bool, Token::Bool(value)) => Ok(Value::Bool(*value)),
            (Type::Str, Token::String(text)) => Ok(Value::str(text.as_str())),
            (Type::Int, Token::Number(text)) => strconv::parse_int(text.as_bytes(), 10, 64)
                .map(Value::Int)
                .map_err(|_| "num doesn't contain int64".to_owned()),
            (Type::Float, Token::Number(text)) => strconv::parse_float(text.as_bytes(), false)
                .map(Value::Float)
                .map_err(|_| "num doesn't contain float64".to_owned()),
            (Type::List(element), Token::Array { end }) => {
                let (mut items, mut item) = (Vec::new(), at + 1);
                while item < *end {
                    items.push(self.value(item, element)?);
                    item = self.after(item);
                }
                Ok(items.into())
            }
            (Type::Map(types), Token::Object { .. }) => {
                let pairs = self
                    .members(at)
                    .map(|(key, _, value)| Ok::<_, String>((self.value(key, &types.0)?, self.value(value, &types.1)?)));
                Ok(Value::map(pairs.collect::<Result<Vec<_>, _>>()?))
            }
            (Type::Struct(fields), Token::Object { .. }) => self.strukt(at, fields),
            (Type::Func(_), _) => Err("func type".to_owned()),
            (Type::Variant, _) => Err("variant type".to_owned()),
            (Type::Nil, _) => Err("nil type".to_owned()),
            (ty, _) => Err(format!("type doesn't match {}", ty.kind())),
        }
    }

    fn strukt(&self, at: usize, fields: &[Field]) -> Result<Value, String> {
        // The last of several members with the same name counts.
        let members: FxHashMap<&str, usize> = self.members(at).map(|(_, name, value)| (name, value)).collect();
        if !self.flexible && members.len() != fields.len() {
            return Err("incompatible number of fields".to_owned());
        }
        let field = |field: &Field| {
            let value = match members.get(&*field.name) {
                Some(&value) => self.value(value, &field.ty)?,
                None if self.flexible => Value::zero(&field.ty),
                None => return Err(format!("field {} was not found in struct", field.name)),
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
