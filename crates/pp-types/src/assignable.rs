//! Whether every instance of one type is an instance of another.

use std::sync::Arc;

use crate::definition::definition;
use crate::stack::with_stack;
use crate::types::{
    Callable, EnumType, FloatBounds, HashType, IntegerBounds, Nested, Presence, Size, StructMember, TimestampBounds,
    TupleType, Type,
};
use crate::value::Value;

/// Returns whether every instance of `from` is an instance of `to`.
///
/// Aliases may refer to themselves. A question that comes up again while it is being answered is answered with yes if parts of
/// the types were compared in between, and with no if not: `type A = Variant[A, Integer]` has the instances of `Integer`.
#[must_use]
pub fn is_assignable(to: &Type, from: &Type) -> bool {
    Questions::default().is_assignable(to, from)
}

/// Returns whether undef is an instance of a type.
pub(crate) fn accepts_undef(ty: &Type) -> bool {
    match ty {
        Type::Any | Type::Unit | Type::Undef | Type::Optional(_) | Type::Data | Type::RichData => true,
        Type::Variant(types) => types.iter().any(accepts_undef),
        Type::Alias(_) => crate::instance::is_instance(ty, &Value::Undef),
        Type::Init(None) => true,
        Type::Init(Some(init)) => matches!(*init.ty, Type::String(_)),
        _ => false,
    }
}

/// The questions that are being answered, as far as they are about aliases.
#[derive(Default)]
struct Questions {
    asked: Vec<Question>,
    /// How many types are being compared by their parts.
    parts: usize,
}

struct Question {
    to: Type,
    from: Type,
    parts: usize,
}

impl Questions {
    fn is_assignable(&mut self, to: &Type, from: &Type) -> bool {
        with_stack(|| self.step(to, from))
    }

    /// Answers with the definition of an alias in place of the alias.
    fn resolved(&mut self, to: &Type, from: &Type, answer: impl FnOnce(&mut Questions) -> bool) -> bool {
        if let Some(question) = self.asked.iter().find(|question| question.to == *to && question.from == *from) {
            return question.parts < self.parts;
        }
        self.asked.push(Question { to: to.clone(), from: from.clone(), parts: self.parts });
        let answer = answer(self);
        self.asked.pop();
        answer
    }

    fn step(&mut self, to: &Type, from: &Type) -> bool {
        match (to, from) {
            (Type::Any | Type::Unit, _) | (_, Type::Unit) => return true,
            (Type::Alias(a), Type::Alias(b)) if a == b => return true,
            (Type::Data, Type::Data) | (Type::RichData, Type::Data | Type::RichData) => return true,
            (Type::Variant(types), Type::Variant(_) | Type::Data | Type::RichData) if types.is_empty() => return true,
            (Type::Variant(types), Type::Data | Type::RichData | Type::Alias(_)) if types.contains(from) => {
                return true;
            }
            _ => {}
        }
        if let Some(from_definition) = definition(from) {
            return self.resolved(to, from, |questions| questions.is_assignable(to, &from_definition));
        }
        if let Some(to_definition) = definition(to) {
            return self.resolved(to, from, |questions| questions.is_assignable(&to_definition, from));
        }
        match from {
            Type::Variant(types) if !types.is_empty() => return types.iter().all(|ty| self.is_assignable(to, ty)),
            Type::Optional(None) => return accepts_undef(to),
            Type::Optional(Some(inner)) => return accepts_undef(to) && self.is_assignable(to, inner),
            Type::NotUndef(Some(inner)) if !accepts_undef(inner) => return self.is_assignable(to, inner),
            _ => {}
        }
        let is_choice = matches!(to, Type::Variant(_) | Type::Optional(_) | Type::NotUndef(_));
        self.parts += usize::from(!is_choice);
        let answer = self.structural(to, from);
        self.parts -= usize::from(!is_choice);
        answer
    }

    /// Compares types of which `from` is neither an alias nor a choice.
    fn structural(&mut self, to: &Type, from: &Type) -> bool {
        match to {
            Type::Any | Type::Unit => true,
            Type::Optional(None) => !matches!(from, Type::Variant(_)),
            Type::Optional(Some(inner)) => *from == Type::Undef || self.is_assignable(inner, from),
            Type::NotUndef(None) => !accepts_undef(from),
            // Puppet does not look into a `NotUndef` of a type that accepts undef, so that is not even assignable to itself.
            Type::NotUndef(Some(inner)) => !accepts_undef(from) && self.is_assignable(inner, from),
            Type::Variant(types) if types.is_empty() => matches!(from, Type::Variant(_)),
            Type::Variant(types) => self.is_assignable_to_variant(types, from),
            Type::Undef | Type::Default | Type::Binary | Type::SemVerRange | Type::Reference(_) => to == from,
            Type::Scalar => is_scalar_data(from) || is_other_scalar(from),
            Type::ScalarData => is_scalar_data(from),
            Type::Numeric => matches!(from, Type::Numeric | Type::Integer(_) | Type::Float(_)),
            Type::Boolean(to) => matches!(from, Type::Boolean(from) if to.is_none() || to == from),
            Type::Integer(to) => matches!(from, Type::Integer(from) if contains_integers(to, from)),
            Type::Float(to) => matches!(from, Type::Float(from) if contains_floats(to, from)),
            Type::String(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_) => is_assignable_string(to, from),
            Type::Regexp(to) => matches!(from, Type::Regexp(from) if to.is_none() || to == from),
            Type::Collection(size) => collection_size(from).is_some_and(|from| contains_size(*size, from)),
            Type::Array(element, size) => self.is_assignable_to_array(element, *size, from),
            Type::Tuple(tuple) => self.is_assignable_to_tuple(tuple, from),
            Type::Hash(hash) => self.is_assignable_to_hash(hash, from),
            Type::Struct(members) => self.is_assignable_to_struct(members, from),
            Type::Type(to) => matches!(from, Type::Type(from) if self.covers(to.as_ref(), from.as_ref())),
            Type::Sensitive(to) => {
                matches!(from, Type::Sensitive(from) if to.is_none() || self.covers(to.as_ref(), from.as_ref()))
            }
            Type::Iterable(element) => self.is_iterable_of(element.as_deref(), from),
            Type::Iterator(to) => matches!(from, Type::Iterator(from) if self.covers(to.as_ref(), from.as_ref())),
            Type::Callable(None) => matches!(from, Type::Callable(_)),
            Type::Callable(Some(to)) => matches!(from, Type::Callable(Some(from)) if self.is_callable_as(to, from)),
            Type::CatalogEntry => matches!(from, Type::CatalogEntry | Type::Resource(..) | Type::Class(_)),
            Type::Resource(name, title) => matches!(
                from,
                Type::Resource(from_name, from_title)
                    if (name.is_none() || name == from_name) && (title.is_none() || title == from_title)
            ),
            Type::Class(name) => matches!(from, Type::Class(from) if name.is_none() || name == from),
            Type::Timestamp(to) => {
                matches!(from, Type::Timestamp(from) if contains_times(to.as_deref(), from.as_deref()))
            }
            Type::Timespan(to) => {
                matches!(from, Type::Timespan(from) if contains_times(to.as_deref(), from.as_deref()))
            }
            Type::SemVer(to) => matches!(from, Type::SemVer(from) if to.is_empty()
                || !from.is_empty() && from.iter().all(|from| to.iter().any(|to| to.contains_range(from)))),
            Type::Uri(None) => matches!(from, Type::Uri(_)),
            Type::Uri(Some(to)) => matches!(from, Type::Uri(Some(from)) if contains_uris(to, from)),
            Type::Init(init) => {
                let is_init = matches!(from, Type::Init(from) if init.is_none() || init == from);
                is_init
                    || match init {
                        None => self.is_assignable(&Type::RichData, from),
                        Some(init) => self.is_convertible(&init.ty, from),
                    }
            }
            Type::Runtime(to) => matches!(from, Type::Runtime(from) if to.is_none() || to == from),
            Type::Object(name) => match from {
                Type::Object(from) => is_object(name, from),
                Type::ObjectType(_) | Type::ObjectExtension(_) => **name == *"Object",
                Type::TypeSet(_) => **name == *"TypeSet",
                _ => false,
            },
            Type::ObjectType(to) => match from {
                Type::ObjectType(from) => from.inherits(to),
                Type::ObjectExtension(from) => from.base.inherits(to),
                _ => false,
            },
            Type::ObjectExtension(to) => matches!(from, Type::ObjectExtension(from) if to.contains(from)),
            Type::TypeSet(_) => to == from,
            Type::Data | Type::RichData | Type::Alias(_) => false,
        }
    }

    fn is_assignable_to_variant(&mut self, types: &[Type], from: &Type) -> bool {
        if types.iter().any(|ty| self.is_assignable(ty, from)) {
            return true;
        }
        // The strings of an enumeration may be in different members.
        match from {
            Type::Enum(strings) if !strings.values.is_empty() && !strings.ignore_case => {
                let one = |text: &Arc<str>| Type::StringValue(text.clone());
                strings.values.iter().all(|text| types.iter().any(|ty| self.is_assignable(ty, &one(text))))
            }
            _ => false,
        }
    }

    /// Compares the parameters of types like `Type[T]`: none covers all.
    fn covers(&mut self, to: Option<&Nested>, from: Option<&Nested>) -> bool {
        match (to, from) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(to), Some(from)) => self.is_assignable(to, from),
        }
    }

    fn is_assignable_to_array(&mut self, element: &Type, size: Option<Size>, from: &Type) -> bool {
        match from {
            Type::Array(from, from_size) => {
                let from_size = from_size.unwrap_or_default();
                contains_size(size, from_size) && (from_size.max == 0 || self.is_assignable(element, from))
            }
            Type::Tuple(tuple) => {
                contains_size(size, found_length(tuple))
                    && tuple.types.iter().all(|from| self.is_assignable(element, from))
            }
            _ => false,
        }
    }

    fn is_assignable_to_tuple(&mut self, tuple: &TupleType, from: &Type) -> bool {
        match from {
            Type::Tuple(from) => {
                if tuple.types.is_empty() {
                    return contains_size(tuple.size, from.length());
                }
                if from.types.is_empty() || !tuple.length().contains_size(from.length()) {
                    return false;
                }
                // Elements that are not there need not match.
                let longest = usize::try_from(from.length().max).unwrap_or(usize::MAX);
                let count = tuple.types.len().max(from.types.len()).min(longest);
                (0..count).all(|at| match (tuple.at(at), from.at(at)) {
                    (Some(to), Some(from)) => self.is_assignable(to, from),
                    _ => true,
                })
            }
            Type::Array(element, size) => {
                let size = size.unwrap_or_default();
                contains_size(Some(tuple.length()), size)
                    && (size.max == 0 || tuple.types.iter().all(|to| self.is_assignable(to, element)))
            }
            _ => false,
        }
    }

    fn is_assignable_to_hash(&mut self, hash: &HashType, from: &Type) -> bool {
        match from {
            Type::Hash(from) => {
                let size = from.size.unwrap_or_default();
                contains_size(hash.size, size)
                    && (size.max == 0
                        || self.is_assignable(&hash.key, &from.key) && self.is_assignable(&hash.value, &from.value))
            }
            Type::Struct(members) => {
                contains_size(hash.size, struct_size(members))
                    && members.iter().all(|member| {
                        self.is_assignable(&hash.key, &Type::StringValue(member.name.clone()))
                            && self.is_assignable(&hash.value, &member.value)
                    })
            }
            _ => false,
        }
    }

    fn is_assignable_to_struct(&mut self, members: &[StructMember], from: &Type) -> bool {
        match from {
            Type::Struct(from) => {
                let mut found = 0;
                let fits = members.iter().all(|member| match from.iter().find(|from| from.name == member.name) {
                    Some(from) => {
                        found += 1;
                        (is_required(from) || !is_required(member)) && self.is_assignable(&member.value, &from.value)
                    }
                    None => !is_required(member),
                });
                fits && found == from.len()
            }
            Type::Hash(from) => {
                let size = from.size.unwrap_or_default();
                let required = members.iter().filter(|member| is_required(member)).count() as u64;
                let allowed = Size { min: required, max: members.len() as u64 };
                if size.max == 0 {
                    return required == 0;
                }
                // Only keys that are written in the type are known to be among the members.
                let keys = match &*from.key {
                    Type::Enum(strings) if !strings.values.is_empty() => strings.values.as_slice(),
                    Type::StringValue(text) => std::slice::from_ref(text),
                    _ => return false,
                };
                allowed.contains_size(size)
                    && required <= size.min
                    && keys.iter().all(|key| members.iter().any(|member| member.name == *key))
                    && members.iter().all(|member| self.is_assignable(&member.value, &from.value))
                    && (required == 0 || keys.len() as u64 == size.min)
            }
            _ => false,
        }
    }

    fn is_iterable_of(&mut self, element: Option<&Type>, from: &Type) -> bool {
        let any = element.is_none_or(|element| *element == Type::Any);
        let mut has = |from: &Type| any || element.is_some_and(|element| self.is_assignable(element, from));
        match from {
            Type::Iterable(None) | Type::Iterator(None) | Type::Collection(_) => any,
            Type::Iterable(Some(from)) | Type::Iterator(Some(from)) => has(from),
            Type::Array(from, size) => size.is_some_and(|size| size.max == 0) || has(from),
            Type::Tuple(tuple) => any || !tuple.types.is_empty() && tuple.types.iter().all(has),
            Type::Hash(hash) => has(&entry_type(&hash.key, &hash.value)),
            Type::Struct(members) if members.is_empty() => any,
            Type::Struct(members) => {
                members.iter().all(|member| has(&entry_type(&Type::StringValue(member.name.clone()), &member.value)))
            }
            Type::Integer(_) => has(&Type::any_integer()),
            Type::String(_) | Type::StringValue(_) | Type::Enum(_) => has(&Type::String(Some(Size::exactly(1)))),
            _ => false,
        }
    }

    /// A callable may stand for another if it takes all arguments that the other takes, and returns no more.
    fn is_callable_as(&mut self, to: &Callable, from: &Callable) -> bool {
        if let Some(returns) = &to.returns
            && !self.is_assignable(returns, from.returns.as_deref().unwrap_or(&Type::Any))
        {
            return false;
        }
        if !self.takes(&from.parameters, &to.parameters) {
            return false;
        }
        match (&to.block, &from.block) {
            (None, None) => true,
            (None, Some(block)) => accepts_undef(block),
            (Some(_), None) => false,
            (Some(to), Some(from)) => self.is_assignable(from, to),
        }
    }

    /// Returns whether parameters take all arguments that other parameters take.
    fn takes(&mut self, parameters: &TupleType, arguments: &TupleType) -> bool {
        let length = |tuple: &TupleType| tuple.size.unwrap_or(Size::exactly(tuple.types.len() as u64));
        if !length(parameters).contains_size(length(arguments)) {
            return false;
        }
        let count = parameters.types.len().max(arguments.types.len());
        (0..count).all(|at| match (parameters.at(at), arguments.at(at)) {
            (Some(parameter), Some(argument)) => self.is_assignable(parameter, argument),
            _ => true,
        })
    }

    /// Returns whether instances of a type can be made of all instances of another, as far as the types tell.
    fn is_convertible(&mut self, to: &Type, from: &Type) -> bool {
        if self.is_assignable(to, from) {
            return true;
        }
        match to {
            Type::Integer(_) | Type::Float(_) | Type::Numeric => matches!(
                from,
                Type::Numeric
                    | Type::Integer(_)
                    | Type::Float(_)
                    | Type::Boolean(_)
                    | Type::Timestamp(_)
                    | Type::Timespan(_)
            ),
            Type::Boolean(_) => matches!(from, Type::Numeric | Type::Integer(_) | Type::Float(_)),
            Type::String(_) => true,
            Type::Timestamp(_) | Type::Timespan(_) => matches!(from, Type::Integer(_) | Type::Float(_)),
            _ => false,
        }
    }
}

fn is_scalar_data(ty: &Type) -> bool {
    matches!(
        ty,
        Type::ScalarData
            | Type::Numeric
            | Type::Integer(_)
            | Type::Float(_)
            | Type::Boolean(_)
            | Type::String(_)
            | Type::StringValue(_)
            | Type::Enum(_)
            | Type::Pattern(_)
    )
}

fn is_other_scalar(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Scalar | Type::Regexp(_) | Type::SemVer(_) | Type::SemVerRange | Type::Timestamp(_) | Type::Timespan(_)
    )
}

fn is_object(to: &str, from: &str) -> bool {
    to == from || to == "Object" && from != "TypeSet"
}

fn contains_integers(to: &IntegerBounds, from: &IntegerBounds) -> bool {
    contains_bounds(to.min, to.max, from.min, from.max)
}

fn contains_floats(to: &FloatBounds, from: &FloatBounds) -> bool {
    contains_bounds(to.min.map(|f| f.0), to.max.map(|f| f.0), from.min.map(|f| f.0), from.max.map(|f| f.0))
}

fn contains_times<T: PartialOrd + Copy>(to: Option<&TimestampBounds<T>>, from: Option<&TimestampBounds<T>>) -> bool {
    let from_bounds = from.map_or((None, None), |bounds| (bounds.min, bounds.max));
    to.is_none_or(|to| contains_bounds(to.min, to.max, from_bounds.0, from_bounds.1))
}

fn contains_bounds<T: PartialOrd>(min: Option<T>, max: Option<T>, from_min: Option<T>, from_max: Option<T>) -> bool {
    min.is_none_or(|min| from_min.is_some_and(|from| min <= from))
        && max.is_none_or(|max| from_max.is_some_and(|from| from <= max))
}

fn contains_size(size: Option<Size>, from: Size) -> bool {
    size.unwrap_or_default().contains_size(from)
}

fn contains_uris(to: &Value, from: &Value) -> bool {
    match (to, from) {
        (Value::Hash(to), Value::Hash(from)) => {
            to.iter().all(|(key, part)| is_part(part, from.get(key).unwrap_or(&Value::Undef)))
        }
        _ => to == from,
    }
}

/// Returns whether a part of a URI, or of a type of URIs, is what a type asks for.
pub(crate) fn is_part(asked: &Value, found: &Value) -> bool {
    match (asked, found) {
        (Value::Type(asked), Value::Type(found)) => is_assignable(asked, found),
        (Value::Type(asked), found) => crate::instance::is_instance(asked, found),
        (Value::Regexp(asked), Value::String(found)) => {
            asked.compiled().is_ok_and(|asked| asked.is_match(found).unwrap_or(false))
        }
        (Value::String(asked), Value::String(found)) => asked.eq_ignore_ascii_case(found),
        (asked, found) => asked == found,
    }
}

fn collection_size(ty: &Type) -> Option<Size> {
    Some(match ty {
        Type::Collection(size) | Type::Array(_, size) => size.unwrap_or_default(),
        Type::Hash(hash) => hash.size.unwrap_or_default(),
        Type::Tuple(tuple) => found_length(tuple),
        Type::Struct(members) => struct_size(members),
        _ => return None,
    })
}

/// Returns whether a key must be present.
pub(crate) fn is_required(member: &StructMember) -> bool {
    match member.presence {
        Presence::Required => true,
        Presence::Optional => false,
        Presence::Plain => !accepts_undef(&member.value),
    }
}

/// Returns the number of elements of the instances. `Tuple` alone accepts any number, and stands for none.
fn found_length(tuple: &TupleType) -> Size {
    if tuple.types.is_empty() { tuple.size.unwrap_or(Size::exactly(0)) } else { tuple.length() }
}

fn struct_size(members: &[StructMember]) -> Size {
    Size { min: members.iter().filter(|member| is_required(member)).count() as u64, max: members.len() as u64 }
}

fn entry_type(key: &Type, value: &Type) -> Type {
    Type::Tuple(Arc::new(TupleType { types: vec![key.clone(), value.clone()], size: Some(Size::exactly(2)) }))
}

/// Compares types of strings.
fn is_assignable_string(to: &Type, from: &Type) -> bool {
    match from {
        Type::StringValue(text) => has_string(to, text),
        Type::Enum(strings) if !strings.values.is_empty() => match to {
            Type::Enum(to) if to.ignore_case == strings.ignore_case || !strings.ignore_case => {
                strings.values.iter().all(|text| has_enum_string(to, text))
            }
            Type::Enum(to) => to.values.is_empty(),
            _ => strings.values.iter().all(|text| has_string(to, text)),
        },
        Type::String(_) | Type::Enum(_) | Type::Pattern(_) => match to {
            Type::String(size) => {
                let from_size = if let Type::String(size) = from { size.unwrap_or_default() } else { Size::ANY };
                contains_size(*size, from_size)
            }
            Type::Enum(to) => to.values.is_empty(),
            Type::Pattern(to) => match from {
                _ if to.is_empty() => true,
                Type::Pattern(from) => !from.is_empty() && from.iter().all(|pattern| to.contains(pattern)),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a string is an instance of a type of strings.
pub(crate) fn has_string(ty: &Type, text: &str) -> bool {
    match ty {
        Type::String(None) => true,
        Type::String(Some(size)) => size.contains(text.chars().count() as u64),
        Type::StringValue(only) => **only == *text,
        Type::Enum(strings) => has_enum_string(strings, text),
        Type::Pattern(patterns) => {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.is_match(text).unwrap_or(false))
        }
        _ => false,
    }
}

fn has_enum_string(strings: &EnumType, text: &str) -> bool {
    strings.values.is_empty()
        || if strings.ignore_case {
            let lower = text.to_lowercase();
            strings.values.iter().any(|value| value.to_lowercase() == lower)
        } else {
            strings.values.binary_search_by(|value| (**value).cmp(text)).is_ok()
        }
}
