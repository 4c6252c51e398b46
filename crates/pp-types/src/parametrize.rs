//! Types from a name and parameters (spec 07 §5.6).

mod error;
mod reference;
mod uri;

use std::sync::Arc;

use crate::assignable::accepts_undef;
use crate::common::one_of;
use crate::define_object::define_object;
use crate::error::{Error, ErrorKind, Operand};
use crate::infer::{generalize, infer};
use crate::object_type::ObjectExtension;
use crate::parametrize::error::{bad_argument, error, error_at, expect_count, expected_types, in_access};
use crate::regexp::Regexp;
use crate::semver::SemVerRange;
use crate::time_parse::{timespan_of, timestamp_of};
use crate::type_set::anonymous_type_set;
use crate::types::{
    Callable, EnumType, FloatBounds, InitType, Nested, Presence, Size, StructMember, TimestampBounds, TupleType, Type,
};
use crate::value::{Float, Value};

/// Returns the type `base[arguments]`. References to several resources are the evaluator's: it calls this once a title.
///
/// # Errors
/// Parameters that the type does not take, with Puppet's text.
pub fn parametrize(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    // A single array stands for its elements.
    let arguments = match arguments {
        [Value::Array(elements)] if !matches!(base, Type::Callable(_) | Type::Resource(None, _)) => elements.as_slice(),
        other => other,
    };
    match base {
        Type::Integer(_) => integer(arguments),
        Type::Float(_) => float(arguments),
        Type::String(_) => Ok(Type::String(Some(size_constraint(arguments, 0)?))),
        Type::Collection(_) => Ok(Type::Collection(Some(size_constraint(arguments, 0)?))),
        Type::Boolean(_) => boolean(base, arguments),
        Type::Enum(_) => enumeration(base, arguments),
        Type::Pattern(_) => pattern(base, arguments),
        Type::Regexp(_) => regexp(base, arguments),
        Type::Array(..) => array(arguments),
        Type::Hash(_) => hash(arguments),
        Type::Tuple(_) => tuple(base, arguments),
        Type::Struct(_) => structure(base, arguments),
        Type::Variant(_) => {
            expect_count("A Variant-Type", arguments, 1, usize::MAX)?;
            Ok(one_of(type_arguments(base, arguments)?.into_iter()))
        }
        Type::Optional(_) => optional(arguments),
        Type::NotUndef(_) => not_undef(arguments),
        Type::Type(_) => Ok(Type::Type(Some(only_type("Type-Type", arguments)?))),
        Type::Iterable(_) => Ok(Type::Iterable(Some(only_type("Iterable-Type", arguments)?))),
        Type::Iterator(_) => Ok(Type::Iterator(Some(only_type("Iterator-Type", arguments)?))),
        Type::Sensitive(_) => sensitive(arguments),
        Type::Callable(_) => callable(arguments),
        Type::Resource(name, title) => reference::resource(name.as_ref(), title.as_ref(), arguments),
        Type::Class(None) => reference::class(arguments),
        Type::Timestamp(_) => {
            let (min, max) = times("A Timestamp-Type", arguments, timestamp_of)?;
            Ok(Type::Timestamp(bounds(min, max)?))
        }
        Type::Timespan(_) => {
            let (min, max) = times("A Timespan-Type", arguments, timespan_of)?;
            Ok(Type::Timespan(bounds(min, max)?))
        }
        Type::SemVer(_) => sem_ver(base, arguments),
        Type::Uri(_) => uri::uri(arguments),
        Type::Init(_) => init(arguments),
        Type::Runtime(_) => match arguments {
            [Value::String(runtime), Value::String(class)] => {
                Ok(Type::Runtime(Some(Arc::new((runtime.clone(), class.clone())))))
            }
            _ => Err(error(format!("A Runtime-Type[] accepts 1 to 2 arguments. Got {}", arguments.len()))),
        },
        Type::Reference(_) => match arguments {
            [Value::String(name)] => Ok(Type::Reference(name.clone())),
            _ => Err(error(format!("A TypeReference-Type[] accepts 1 argument. Got {}", arguments.len()))),
        },
        Type::Object(name) if **name == *"Object" => object(arguments),
        Type::Object(name) if **name == *"TypeSet" => type_set(arguments),
        Type::ObjectType(object) => {
            Ok(Type::ObjectExtension(Arc::new(ObjectExtension::new(object, arguments).map_err(in_access)?)))
        }
        Type::TypeSet(_) | Type::Object(_) => {
            Err(in_access(error(format!("The {}-Type cannot be parameterized using []", base.simple_name()))))
        }
        Type::Any
        | Type::Unit
        | Type::Undef
        | Type::Default
        | Type::Scalar
        | Type::ScalarData
        | Type::Data
        | Type::RichData
        | Type::Numeric
        | Type::CatalogEntry
        | Type::Binary
        | Type::StringValue(_)
        | Type::Class(Some(_))
        | Type::SemVerRange
        | Type::ObjectExtension(_)
        | Type::Alias(_) => Err(not_parametrized(base)),
    }
}

fn not_parametrized(base: &Type) -> Error {
    let name = match base {
        Type::ObjectExtension(_) => base.to_string(),
        other => other.simple_name().to_owned(),
    };
    let kind = format!("{name}-Type");
    let message = format!("Operator '[]' is not applicable to {}.", crate::describe::with_article(&kind));
    Error::new(ErrorKind::Operator, message)
}

/// What errors call a type that parameters are given to: `an Enum['a']-Type`.
fn kind_of(base: &Type) -> String {
    crate::describe::with_article(&format!("{base}-Type"))
}

fn type_arguments(base: &Type, arguments: &[Value]) -> Result<Vec<Type>, Error> {
    let type_of = |(at, argument): (usize, &Value)| match argument {
        Value::Type(argument) => Ok(argument.clone()),
        other => Err(bad_argument(&kind_of(base), other, "Any-Type", at)),
    };
    arguments.iter().enumerate().map(type_of).collect()
}

fn only_type(ty: &str, arguments: &[Value]) -> Result<Nested, Error> {
    expect_count(ty, arguments, 1, 1)?;
    match &arguments[0] {
        Value::Type(argument) => Ok(argument.clone().into()),
        other => Err(expected_types(ty, other, 0)),
    }
}

fn reversed(from: impl std::fmt::Display, to: impl std::fmt::Display) -> Error {
    // The missing parenthesis is Puppet's.
    in_access(error(format!("'from' must be less or equal to 'to'. Got ({from}, {to}")))
}

fn sensitive(arguments: &[Value]) -> Result<Type, Error> {
    let inner = only_type("Sensitive-Type", arguments)?;
    // The type in a nested `Sensitive` is general already.
    let is_general = matches!(*inner, Type::Sensitive(_));
    Ok(Type::Sensitive(Some(if is_general { inner } else { generalize(&inner).into() })))
}

fn boolean(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    expect_count("A Boolean-Type", arguments, 1, 1)?;
    match &arguments[0] {
        Value::Boolean(value) => Ok(Type::Boolean(Some(*value))),
        other => Err(bad_argument(&kind_of(base), other, "TrueClass or FalseClass", 0)),
    }
}

fn regexp(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    // The second argument is one too many.
    expect_count("A Regexp-Type", arguments, 1, 1).map_err(|error| error.of(Operand::Argument(1)))?;
    match &arguments[0] {
        Value::String(source) => Ok(Type::Regexp(Some(compiled(source)?))),
        Value::Regexp(regexp) => Ok(Type::Regexp(Some(regexp.clone()))),
        other => Err(bad_argument(&kind_of(base), other, "String or Regexp", 0)),
    }
}

fn optional(arguments: &[Value]) -> Result<Type, Error> {
    expect_count("Optional-Type", arguments, 1, 1)?;
    match &arguments[0] {
        Value::String(text) => Ok(Type::optional(Type::StringValue(text.clone()))),
        Value::Type(ty) => Ok(Type::optional(ty.clone())),
        other => Err(expected_types("Optional-Type", other, 0)),
    }
}

fn not_undef(arguments: &[Value]) -> Result<Type, Error> {
    expect_count("NotUndef-Type", arguments, 0, 1)?;
    match arguments.first() {
        None => Ok(Type::NotUndef(None)),
        Some(Value::String(text)) => Ok(Type::NotUndef(Some(Type::StringValue(text.clone()).into()))),
        Some(Value::Type(Type::Any)) => Ok(Type::NotUndef(None)),
        Some(Value::Type(ty)) => Ok(Type::NotUndef(Some(ty.clone().into()))),
        Some(other) => {
            let found = crate::describe::class_name(other);
            Err(error_at(0, format!("NotUndef-Type[] argument must be a Type or a String. Got {found}")))
        }
    }
}

fn sem_ver(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    expect_count("A SemVer-Type", arguments, 1, usize::MAX)?;
    let range = |(at, argument): (usize, &Value)| match argument {
        Value::String(source) => SemVerRange::parse(source).map_err(in_access),
        Value::SemVerRange(range) => Ok((**range).clone()),
        other => Err(bad_argument(&kind_of(base), other, "String or SemanticPuppet::VersionRange", at)),
    };
    Ok(Type::SemVer(arguments.iter().enumerate().map(range).collect::<Result<Arc<[SemVerRange]>, Error>>()?))
}

fn init(arguments: &[Value]) -> Result<Type, Error> {
    let Some((first, rest)) = arguments.split_first() else { return Ok(Type::Init(None)) };
    match first {
        Value::Type(ty) => Ok(Type::Init(Some(Arc::new(InitType { ty: ty.clone().into(), arguments: rest.to_vec() })))),
        other => Err(expected_types("Init-Type", other, 0)),
    }
}

fn object(arguments: &[Value]) -> Result<Type, Error> {
    expect_count("Object-Type", arguments, 1, 1)?;
    match &arguments[0] {
        Value::Hash(definition) => Ok(Type::ObjectType(Arc::new(define_object(None, definition).map_err(in_access)?))),
        other => Err(in_access(bad_argument("an Object-Type", other, "Hash", 0))),
    }
}

fn type_set(arguments: &[Value]) -> Result<Type, Error> {
    expect_count("TypeSet-Type", arguments, 1, 1)?;
    match &arguments[0] {
        Value::Hash(definition) => Ok(Type::TypeSet(Arc::new(anonymous_type_set(definition).map_err(in_access)?))),
        other => Err(in_access(bad_argument("a TypeSet-Type", other, "Hash", 0))),
    }
}

fn integer(arguments: &[Value]) -> Result<Type, Error> {
    if !(1..=2).contains(&arguments.len()) {
        let message = "Integer-Type supports [] with one or two arguments (from, to).";
        return Err(error(format!("{message} Got {}", arguments.len())));
    }
    let bound = |at: usize| match arguments.get(at) {
        Some(Value::Integer(bound)) => Ok(Some(*bound)),
        None | Some(Value::Default) => Ok(None),
        Some(other) => {
            let found = crate::describe::class_name(other);
            let message = "Integer-Type [] requires all arguments to be integers (or default). Got";
            Err(error_at(at, format!("{message} {found}")))
        }
    };
    let (min, max) = (bound(0)?, bound(1)?);
    match (min, max) {
        (Some(min), Some(max)) if min > max => Err(reversed(min, max)),
        _ => Ok(Type::integer(min, max)),
    }
}

fn float(arguments: &[Value]) -> Result<Type, Error> {
    if !(1..=2).contains(&arguments.len()) {
        let message = "Float-Type supports [] with one or two arguments (from, to).";
        return Err(error(format!("{message} Got {}", arguments.len())));
    }
    let bound = |at: usize| match arguments.get(at) {
        Some(Value::Integer(bound)) => Ok(Some(Float(*bound as f64))),
        Some(Value::Float(bound)) => Ok(Some(*bound)),
        None | Some(Value::Default) => Ok(None),
        Some(other) => {
            let found = crate::describe::class_name(other);
            let message = "Float-Type [] requires all arguments to be floats, or integers (or default). Got";
            Err(error_at(at, format!("{message} {found}")))
        }
    };
    let (min, max) = (bound(0)?, bound(1)?);
    match (min, max) {
        (Some(min), Some(max)) if min.0 > max.0 => {
            Err(reversed(crate::text::float_text(min.0), crate::text::float_text(max.0)))
        }
        _ => Ok(Type::Float(FloatBounds { min, max })),
    }
}

/// Reads the size of a `String[…]`, `Array[…]`: a minimum and a maximum, or a type `Integer[min, max]`. The arguments of the
/// type before it are `before`.
fn size_constraint(arguments: &[Value], before: usize) -> Result<Size, Error> {
    if arguments.len() == 1
        && let Value::Type(Type::Integer(bounds)) = &arguments[0]
    {
        let bound = |bound: Option<i64>, default: u64| bound.map_or(default, |bound| bound.max(0).unsigned_abs());
        return Ok(Size { min: bound(bounds.min, 0), max: bound(bounds.max, u64::MAX) });
    }
    let message = "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got";
    let bound = |at: usize, default: i128| match &arguments[at] {
        Value::Integer(bound) => Ok(i128::from(*bound)),
        Value::Default => Ok(default),
        other => {
            let found = crate::describe::with_article(crate::describe::class_name(other));
            Err(error_at(before + at, format!("{message} {found}")))
        }
    };
    let open = i128::from(u64::MAX);
    let (min, max) = match arguments {
        [_] => (bound(0, 0)?, open),
        [_, _] => (bound(0, 0)?, bound(1, open)?),
        more => return Err(error(format!("{message} {} arguments", more.len()))),
    };
    if min > max {
        return Err(reversed(min, max));
    }
    let length = |bound: i128| u64::try_from(bound.max(0)).unwrap_or(u64::MAX);
    Ok(Size { min: length(min), max: length(max) })
}

fn enumeration(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    let (strings, ignore_case) = match arguments.split_last() {
        Some((Value::Boolean(ignore_case), strings)) => (strings, *ignore_case),
        _ => (arguments, false),
    };
    if strings.is_empty() {
        return Err(error("An Enum-Type[] accepts 1 or more arguments. Got 0"));
    }
    let mut values = Vec::with_capacity(strings.len());
    for (at, string) in flattened(strings) {
        match string {
            Value::String(text) => values.push(text.clone()),
            other => return Err(bad_argument(&kind_of(base), other, "String", at)),
        }
    }
    values.sort();
    values.dedup();
    Ok(Type::Enum(Arc::new(EnumType { values, ignore_case })))
}

/// Returns the arguments with the elements of arrays in place of the arrays, each with the number of its argument.
fn flattened(arguments: &[Value]) -> Vec<(usize, &Value)> {
    let mut out = Vec::with_capacity(arguments.len());
    let mut rest: Vec<(usize, &Value)> = arguments.iter().enumerate().rev().collect();
    while let Some((at, value)) = rest.pop() {
        match value {
            Value::Array(elements) => rest.extend(elements.iter().rev().map(|element| (at, element))),
            other => out.push((at, other)),
        }
    }
    out
}

fn compiled(source: &str) -> Result<Regexp, Error> {
    let regexp = Regexp::new(source);
    regexp.compiled()?;
    Ok(regexp)
}

fn pattern(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    let mut patterns = Vec::new();
    for (at, argument) in flattened(arguments) {
        match argument {
            Value::String(source) => patterns.push(compiled(source).map_err(in_access)?),
            Value::Regexp(regexp) | Value::Type(Type::Regexp(Some(regexp))) => patterns.push(regexp.clone()),
            Value::Type(Type::Regexp(None)) => patterns.push(Regexp::new("")),
            Value::Type(Type::Pattern(more)) => patterns.extend(more.iter().cloned()),
            other => {
                let expected = "String or Regexp or Pattern-Type or Regexp-Type";
                return Err(bad_argument(&kind_of(base), other, expected, at));
            }
        }
    }
    Ok(Type::Pattern(patterns.into()))
}

fn array(arguments: &[Value]) -> Result<Type, Error> {
    match arguments {
        [Value::Type(element)] => Ok(Type::array(element.clone(), None)),
        [Value::Integer(_) | Value::Default, Value::Integer(_) | Value::Default] => {
            Ok(Type::array(Type::Any, Some(size_constraint(arguments, 0)?)))
        }
        [Value::Type(element), sizes @ ..] if sizes.len() <= 2 => {
            Ok(Type::array(element.clone(), Some(size_constraint(sizes, 1)?)))
        }
        [first, ..] if arguments.len() <= 3 => Err(expected_types("Array-Type", first, 0)),
        _ => Err(error(format!("Array-Type[] accepts 1 to 3 arguments. Got {}", arguments.len()))),
    }
}

fn hash(arguments: &[Value]) -> Result<Type, Error> {
    match arguments {
        [Value::Integer(_) | Value::Default, Value::Integer(_) | Value::Default] => {
            Ok(Type::hash(Type::Any, Type::Any, Some(size_constraint(arguments, 0)?)))
        }
        [Value::Type(key), Value::Type(value)] => Ok(Type::hash(key.clone(), value.clone(), None)),
        [Value::Type(key), Value::Type(value), sizes @ ..] if sizes.len() <= 2 => {
            Ok(Type::hash(key.clone(), value.clone(), Some(size_constraint(sizes, 2)?)))
        }
        [first, second, ..] if arguments.len() <= 4 => {
            let (at, found) = if matches!(first, Value::Type(_)) { (1, second) } else { (0, first) };
            Err(expected_types("Hash-Type", found, at))
        }
        _ => Err(error(format!("Hash-Type[] accepts 2 to 4 arguments. Got {}", arguments.len()))),
    }
}

/// Splits up to two numbers at the end off, which are the size.
fn split_size(arguments: &[Value]) -> (&[Value], &[Value]) {
    let is_bound = |value: &Value| matches!(value, Value::Integer(_) | Value::Default);
    let count = arguments.iter().rev().take(2).take_while(|argument| is_bound(argument)).count();
    arguments.split_at(arguments.len() - count)
}

fn tuple(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    let (types, sizes) = split_size(arguments);
    if types.is_empty() {
        return Err(error("A Tuple-Type[] accepts 1 or more arguments. Got 0"));
    }
    let size = if sizes.is_empty() { None } else { Some(size_constraint(sizes, types.len())?) };
    let types = type_arguments(base, types)?;
    Ok(Type::Tuple(Arc::new(TupleType { types, size })))
}

fn structure(base: &Type, arguments: &[Value]) -> Result<Type, Error> {
    expect_count("A Struct-Type", arguments, 1, 1)?;
    let Value::Hash(entries) = &arguments[0] else {
        return Err(bad_argument(&kind_of(base), &arguments[0], "Hash", 0));
    };
    let members: Result<Vec<StructMember>, Error> = entries.iter().map(|(key, value)| member(key, value)).collect();
    Ok(Type::Struct(members?.into()))
}

fn member(key: &Value, value: &Value) -> Result<StructMember, Error> {
    let value = type_of_parameter(value);
    let named_type = |ty: &Type| match ty {
        Type::StringValue(name) => Some(name.clone()),
        Type::Enum(strings) => match strings.values.as_slice() {
            [name] => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    let (name, presence) = match key {
        Value::String(name) => (Some(name.clone()), Presence::Plain),
        // A value that can be undef makes its key optional anyway.
        Value::Type(Type::Optional(Some(inner))) => {
            (named_type(inner), if accepts_undef(&value) { Presence::Plain } else { Presence::Optional })
        }
        // A value that cannot be undef requires its key anyway.
        Value::Type(Type::NotUndef(Some(inner))) => {
            (named_type(inner), if accepts_undef(&value) { Presence::Required } else { Presence::Plain })
        }
        Value::Type(ty) => (named_type(ty), Presence::Plain),
        _ => (None, Presence::Plain),
    };
    let Some(name) = name else {
        return Err(in_access(error(format!(
            "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {}",
            crate::describe::class_name(key)
        ))));
    };
    if name.is_empty() {
        return Err(in_access(error("Struct element key cannot be an empty String")));
    }
    Ok(StructMember { name, presence, value: value.into() })
}

/// Returns the type that a parameter of a `Struct` or `Callable` stands for: a string names a class of Ruby.
fn type_of_parameter(value: &Value) -> Type {
    match value {
        Value::Type(ty) => ty.clone(),
        Value::String(text) => Type::Runtime(Some(Arc::new(("ruby".into(), text.clone())))),
        other => generalize(&infer(other)),
    }
}

fn callable(arguments: &[Value]) -> Result<Type, Error> {
    // `Callable[[parameters], result]`
    let (arguments, returns): (&[Value], Option<Nested>) = match arguments {
        [Value::Array(parameters), Value::Type(returns)] => (parameters.as_slice(), Some(returns.clone().into())),
        [Value::Array(parameters)] => (parameters.as_slice(), None),
        other => (other, None),
    };
    let is_block = |ty: &Type| match ty {
        Type::Callable(_) => true,
        Type::Optional(Some(inner)) => matches!(**inner, Type::Callable(_)),
        _ => false,
    };
    let (block, arguments) = match arguments.split_last() {
        Some((Value::Type(ty), rest)) if is_block(ty) => (Some(ty.clone().into()), rest),
        _ => (None, arguments),
    };
    let (types, sizes) = split_size(arguments);
    let types: Vec<Type> = types.iter().map(type_of_parameter).collect();
    let size = match sizes {
        [] if types.is_empty() => Some(Size::exactly(0)),
        [] => None,
        sizes => Some(size_constraint(sizes, types.len())?),
    };
    Ok(Type::Callable(Some(Arc::new(Callable { parameters: TupleType { types, size }, block, returns }))))
}

fn times<T>(
    ty: &str,
    arguments: &[Value],
    read: fn(&Value) -> Result<T, Error>,
) -> Result<(Option<T>, Option<T>), Error> {
    expect_count(ty, arguments, 0, 2)?;
    let bound = |argument: Option<&Value>| match argument {
        None | Some(Value::Default) => Ok(None),
        Some(argument) => read(argument).map(Some).map_err(in_access),
    };
    Ok((bound(arguments.first())?, bound(arguments.get(1))?))
}

fn bounds<T: PartialOrd + std::fmt::Display>(
    min: Option<T>,
    max: Option<T>,
) -> Result<Option<Arc<TimestampBounds<T>>>, Error> {
    match (min, max) {
        (None, None) => Ok(None),
        (Some(min), Some(max)) if min > max => Err(reversed(min, max)),
        (min, max) => Ok(Some(Arc::new(TimestampBounds { min, max }))),
    }
}
