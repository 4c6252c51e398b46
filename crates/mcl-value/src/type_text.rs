//! The syntax of types: display, and parsing as in `encoding.decode_json` and function signatures (spec 03 §1.2).

use std::fmt;
use std::sync::Arc;

use crate::{Field, FuncType, Type};

/// Maximum nesting of types that can be parsed: values are walked recursively, and are as deep as their types.
pub const MAX_TYPE_DEPTH: usize = 256;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unknowns = Vec::new();
        print(self, f, &mut unknowns)
    }
}

impl fmt::Display for FuncType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unknowns = Vec::new();
        print_func(self, f, &mut unknowns)
    }
}

/// Displays a type with its variables renumbered by first appearance; `unknowns` holds those seen so far.
fn print(ty: &Type, f: &mut fmt::Formatter<'_>, unknowns: &mut Vec<u32>) -> fmt::Result {
    match ty {
        Type::Bool => f.write_str("bool"),
        Type::Str => f.write_str("str"),
        Type::Int => f.write_str("int"),
        Type::Float => f.write_str("float"),
        Type::Variant => f.write_str("variant"),
        Type::Nil => f.write_str("nil"),
        Type::List(element) => {
            f.write_str("[]")?;
            print(element, f, unknowns)
        }
        Type::Map(types) => {
            f.write_str("map{")?;
            print(&types.0, f, unknowns)?;
            f.write_str(": ")?;
            print(&types.1, f, unknowns)?;
            f.write_str("}")
        }
        Type::Struct(fields) => {
            f.write_str("struct{")?;
            for (i, field) in fields.iter().enumerate() {
                write!(f, "{}{} ", if i == 0 { "" } else { "; " }, field.name)?;
                print(&field.ty, f, unknowns)?;
            }
            f.write_str("}")
        }
        Type::Func(func) => print_func(func, f, unknowns),
        Type::Var(id) => {
            let number = unknowns.iter().position(|seen| seen == id).unwrap_or_else(|| {
                unknowns.push(*id);
                unknowns.len() - 1
            });
            write!(f, "?{}", number + 1)
        }
    }
}

fn print_func(func: &FuncType, f: &mut fmt::Formatter<'_>, unknowns: &mut Vec<u32>) -> fmt::Result {
    f.write_str("func(")?;
    for (i, arg) in func.args.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        if arg.name.is_empty() {
            write!(f, "{i} ")?
        } else {
            write!(f, "{} ", arg.name)?
        }
        print(&arg.ty, f, unknowns)?;
    }
    f.write_str(") ")?;
    print(&func.result, f, unknowns)
}

impl Type {
    /// Parses a type; `None` if the text is not a type, or is nested deeper than [`MAX_TYPE_DEPTH`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Type> {
        // Each level scans its text again, so the depth is checked before the first scan.
        let (mut depth, mut deepest) = (0usize, 0);
        for b in text.bytes() {
            match b {
                b'(' | b'{' => depth += 1,
                b')' | b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        if deepest > MAX_TYPE_DEPTH { None } else { parse(text, 0) }
    }
}

impl FuncType {
    /// Parses a function type.
    #[must_use]
    pub fn parse(text: &str) -> Option<FuncType> {
        match Type::parse(text)? {
            Type::Func(func) => Some(Arc::unwrap_or_clone(func)),
            _ => None,
        }
    }
}

fn parse(text: &str, depth: usize) -> Option<Type> {
    if depth > MAX_TYPE_DEPTH {
        return None;
    }
    match text {
        "bool" => return Some(Type::Bool),
        "str" => return Some(Type::Str),
        "int" => return Some(Type::Int),
        "float" => return Some(Type::Float),
        "variant" => return Some(Type::Variant),
        "nil" => return Some(Type::Nil),
        _ => {}
    }
    if let Some(element) = text.strip_prefix("[]") {
        return Some(Type::list(parse(element, depth + 1)?));
    }
    if let Some(digits) = text.strip_prefix('?') {
        return parse_unknown(digits);
    }
    if let Some(body) = text.strip_prefix("map{").and_then(|rest| rest.strip_suffix('}')) {
        let colon = split_points(body, b':')?.last().copied()?;
        let (key, value) = (body[..colon].trim(), body[colon + 1..].trim());
        return Some(Type::map(parse(key, depth + 1)?, parse(value, depth + 1)?));
    }
    if let Some(body) = text.strip_prefix("struct{").and_then(|rest| rest.strip_suffix('}')) {
        return parse_struct(body, depth);
    }
    if let Some(rest) = text.strip_prefix("func(") {
        return parse_func(rest, depth);
    }
    None
}

fn parse_unknown(digits: &str) -> Option<Type> {
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain).map(Type::Var)
}

fn parse_struct(body: &str, depth: usize) -> Option<Type> {
    let mut fields: Vec<Field> = Vec::new();
    for part in split(body, b';')? {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let (name, ty) = part.split_once(' ')?;
        if !is_name(name) || fields.iter().any(|field| *field.name == *name) {
            return None;
        }
        fields.push(Field { name: name.into(), ty: parse(ty.trim(), depth + 1)? });
    }
    Some(Type::Struct(fields.into()))
}

fn parse_func(rest: &str, depth: usize) -> Option<Type> {
    let close = matching_bracket(rest)?;
    let (args, result) = (&rest[..close], rest[close + 1..].trim());
    let mut fields = Vec::new();
    for (i, part) in split(args, b',')?.into_iter().enumerate() {
        let part = part.trim();
        if part.is_empty() {
            if args.trim().is_empty() {
                break;
            }
            return None;
        }
        // Either `type` or `name type`; `func(…) T`, `struct{a int}` and `map{…}` themselves contain spaces.
        let named = part
            .split_once(' ')
            .filter(|(name, _)| is_name(name))
            .and_then(|(name, ty)| Some(Field { name: name.into(), ty: parse(ty.trim(), depth + 1)? }));
        let field = match named {
            Some(field) => field,
            None => Field { name: i.to_string().into(), ty: parse(part, depth + 1)? },
        };
        fields.push(field);
    }
    let result = if result.is_empty() { Type::Nil } else { parse(result, depth + 1)? };
    Some(Type::Func(Arc::new(FuncType { args: fields, result })))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns the index of the `)` that closes a `(` just before the text.
fn matching_bracket(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b')' if depth == 0 => return Some(i),
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Returns the indexes of the separators outside all brackets; `None` if the brackets are unbalanced.
fn split_points(text: &str, separator: u8) -> Option<Vec<usize>> {
    let (mut depth, mut points) = (0usize, Vec::new());
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.checked_sub(1)?,
            b if b == separator && depth == 0 => points.push(i),
            _ => {}
        }
    }
    (depth == 0).then_some(points)
}

fn split(text: &str, separator: u8) -> Option<Vec<&str>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for point in split_points(text, separator)? {
        parts.push(&text[start..point]);
        start = point + 1;
    }
    parts.push(&text[start..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> Option<String> {
        Type::parse(text).map(|ty| ty.to_string())
    }

    #[test]
    fn canonical_text_survives() {
        for text in [
            "nil",
            "bool",
            "[]str",
            "[][]?1",
            "map{str: int}",
            "map{struct{a int}: []str}",
            "struct{}",
            "struct{a int; b str}",
            "func(x int, y str) bool",
            "func(inputs []?1, function func(0 ?1) ?2) []?2",
            "func() map{str: str}",
            "variant",
        ] {
            assert_eq!(round(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn loose_text_is_accepted() {
        for (text, canonical) in [
            ("map{str:int}", "map{str: int}"),
            ("map{ str : int }", "map{str: int}"),
            ("struct{a int;}", "struct{a int}"),
            ("struct{ a int ;b str }", "struct{a int; b str}"),
            ("func(int, str) bool", "func(0 int, 1 str) bool"),
            ("func(func(int) str) []?7", "func(0 func(0 int) str) []?1"),
            ("func(x map{str: int}) int", "func(x map{str: int}) int"),
            ("func(struct{a int; b str}) int", "func(0 struct{a int; b str}) int"),
        ] {
            assert_eq!(round(text).as_deref(), Some(canonical));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            " int",
            "int ",
            "Int",
            "[]",
            "[] int",
            "map{}",
            "map{str}",
            "map{str: }",
            "struct{a}",
            "struct{a int",
            "struct{a int; a str}",
            "func(",
            "func(x int",
            "func(})",
            "?0",
            "?01",
            "?",
            "?4294967296",
            "func(a int,) str",
        ] {
            assert_eq!(round(text), None, "{text:?}");
        }
    }

    #[test]
    fn unknowns_are_renumbered_by_appearance() {
        assert_eq!(round("func(a ?9, b ?3) ?9").as_deref(), Some("func(a ?1, b ?2) ?1"));
    }

    #[test]
    fn depth_is_limited() {
        assert_eq!(Type::parse(&("[]".repeat(100_000) + "int")), None);
        assert!(Type::parse(&("[]".repeat(MAX_TYPE_DEPTH) + "int")).is_some());
        assert_eq!(Type::parse(&("struct{a ".repeat(100_000) + "int" + &"}".repeat(100_000))), None);
    }
}
