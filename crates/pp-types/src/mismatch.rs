//! Why a value does not match a type, in words (spec 07 §5.6).
//!
//! The expected type is compared with the detailed type of the value. Each difference is a [`Mismatch`]: where it is, and what
//! is wrong there. The differences of all members of a `Variant` become one if they are of the same kind and at the same
//! location: `expects a value of type Integer or Boolean`; otherwise each is shown with the number of its member.

use std::sync::Arc;

use crate::assignable::{is_assignable, is_required};
use crate::definition::definition;
use crate::describe::with_article;
use crate::infer::infer_detailed;
use crate::normalize::{choices, normalize};
use crate::stack::with_stack;
use crate::types::{HashType, Size, StructMember, TupleType, Type};
use crate::value::Value;

/// Describes why a value does not match, as Puppet does; `subject` is how the message begins, e.g. `parameter 'x'`. One line
/// for each problem; several are indented and begin on a line of their own.
#[must_use]
pub fn describe_mismatch(subject: &str, expected: &Type, value: &Value) -> String {
    let problems = mismatches(subject, expected, value);
    match problems.as_slice() {
        [problem] => problem.clone(),
        problems => problems.iter().map(|problem| format!("\n  {problem}")).collect(),
    }
}

/// Describes each reason why a value does not match.
#[must_use]
pub fn mismatches(subject: &str, expected: &Type, value: &Value) -> Vec<String> {
    let found = describe(expected, &infer_detailed(value), &[]);
    let join = |text: String| if subject.is_empty() { text } else { format!("{subject} {text}") };
    if found.is_empty() {
        // The types are alike, and still the value is not an instance.
        let text = TypeMismatch { expected: vec![expected.clone()], found: infer_detailed(value) }.text();
        return vec![join(text)];
    }
    found.iter().map(|mismatch| join(mismatch.text())).collect()
}

/// A part of the way from a value to one of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Parameter(Arc<str>),
    Block,
    Index(usize),
    Entry(Arc<str>),
    KeyOfEntry(Arc<str>),
    Variant(usize),
    /// One of several signatures of a function.
    Signature(usize),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    Type(TypeMismatch),
    /// As `Type`, for types that are called a match.
    Pattern(TypeMismatch),
    Size {
        expected: Size,
        found: Size,
    },
    Count {
        expected: Size,
        found: Size,
    },
    MissingKey(Arc<str>),
    UnknownKey(Arc<str>),
    MissingBlock,
    UnexpectedBlock,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TypeMismatch {
    /// The types of which one is expected.
    expected: Vec<Type>,
    found: Type,
}

/// A problem and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mismatch {
    pub path: Vec<Step>,
    pub problem: Problem,
}

impl Mismatch {
    /// Returns the location and the problem in words.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            match step {
                Step::Parameter(name) => out.push_str(&format!("parameter '{name}' ")),
                Step::Block => out.push_str("block "),
                Step::Index(index) => out.push_str(&format!("index {index} ")),
                Step::Entry(name) => out.push_str(&format!("entry '{name}' ")),
                Step::KeyOfEntry(name) => out.push_str(&format!("key of entry '{name}' ")),
                Step::Variant(number) => out.push_str(&format!("variant {number} ")),
                Step::Signature(_) => {}
            }
        }
        out.push_str(&self.problem.text());
        out
    }
}

impl Problem {
    /// Returns whether a value is of another type, rather than there is one too many or one missing.
    pub fn is_of_type(&self) -> bool {
        matches!(self, Problem::Type(_) | Problem::Pattern(_))
    }

    fn text(&self) -> String {
        match self {
            Problem::Type(mismatch) => mismatch.text(),
            Problem::Pattern(mismatch) => mismatch.pattern_text(),
            Problem::Size { expected, found } => {
                format!("expects size to be {}, got {}", range_text(*expected), range_text(*found))
            }
            Problem::Count { expected, found } => {
                let found = if *found == Size::exactly(0) { "none".to_owned() } else { range_text(*found) };
                format!("expects {}, got {found}", count_text(*expected))
            }
            Problem::MissingKey(name) => format!("expects a value for key '{name}'"),
            Problem::UnknownKey(name) => format!("unrecognized key '{name}'"),
            Problem::MissingBlock => "expects a block".to_owned(),
            Problem::UnexpectedBlock => "does not expect a block".to_owned(),
        }
    }
}

fn range_text(size: Size) -> String {
    match (size.min, size.max) {
        (min, max) if min == max => min.to_string(),
        (min, u64::MAX) => format!("at least {min}"),
        (0, max) => format!("at most {max}"),
        (min, max) => format!("between {min} and {max}"),
    }
}

fn count_text(size: Size) -> String {
    let noun = if size.max == 1 || size.max == u64::MAX && size.min == 1 { "argument" } else { "arguments" };
    if size == Size::exactly(0) { "no arguments".to_owned() } else { format!("{} {noun}", range_text(size)) }
}

impl TypeMismatch {
    fn text(&self) -> String {
        let in_detail = self.expected.iter().any(|expected| is_same_kind(expected, &self.found));
        let has_alias = self.expected.iter().any(|expected| matches!(expected, Type::Alias(_)));
        let name = |ty: &Type| match ty {
            Type::Iterable(Some(inner))
                if **inner != Type::Any && is_assignable(&Type::Iterable(None), &self.found) =>
            {
                ty.expanded_text()
            }
            ty if in_detail => ty.expanded_text(),
            ty => short_name(ty),
        };
        let found = match &self.found {
            // The number of entries goes without saying.
            Type::Hash(hash) if in_detail => {
                Type::hash((*hash.key).clone(), (*hash.value).clone(), None).expanded_text()
            }
            found if in_detail => found.expanded_text(),
            found if has_alias || matches!(self.expected.as_slice(), [Type::Data | Type::RichData | Type::Init(_)]) => {
                class_of(found).to_owned()
            }
            found => short_name(found),
        };
        let expected = match self.expected.as_slice() {
            [single] => format!("{} value", with_article(&name(single))),
            several => {
                let mut names: Vec<String> = Vec::new();
                for name in several.iter().map(name) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                match names.as_slice() {
                    [single] => format!("{} value", with_article(single)),
                    several => format!("a value of type {}", join_or(several)),
                }
            }
        };
        format!("expects {expected}, got {found}")
    }

    fn pattern_text(&self) -> String {
        let found = match &self.found {
            Type::StringValue(text) => quote_single(text),
            found => short_name(found),
        };
        let (undef, types): (Vec<&Type>, Vec<&Type>) = self.expected.iter().partition(|ty| **ty == Type::Undef);
        let is_pattern = |ty: &Type| !matches!(ty, Type::String(_));
        let expected = match types.as_slice() {
            [single] => single.expanded_text(),
            several => {
                let patterns = several.iter().filter(|ty| is_pattern(ty)).map(|ty| (*ty).clone()).collect();
                normalize(&Type::Variant(patterns)).expanded_text()
            }
        };
        let before = if undef.is_empty() { "" } else { "an undef value or " };
        format!("expects {before}a match for {expected}, got {found}")
    }
}

fn quote_single(text: &str) -> String {
    format!("'{text}'")
}

fn join_or(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] => format!("{first} or {second}"),
        [rest @ .., last] => format!("{}, or {last}", rest.join(", ")),
    }
}

/// Returns the name of a type without parameters, those of types about types excepted.
fn short_name(ty: &Type) -> String {
    match ty {
        Type::Alias(_) | Type::Init(_) => ty.expanded_text(),
        Type::Iterable(Some(inner)) if **inner == Type::Any => "Iterable".to_owned(),
        Type::Iterable(Some(inner)) => format!("Iterable[{}]", class_of(inner)),
        Type::Type(Some(inner)) if **inner == Type::Any => "Type".to_owned(),
        Type::Type(Some(inner)) => format!("Type[{}]", class_of(inner)),
        Type::Sensitive(Some(inner)) => format!("Sensitive[{}]", class_of(inner)),
        other => class_of(other).to_owned(),
    }
}

fn class_of(ty: &Type) -> &str {
    if let Type::Resource(..) = ty { "Resource" } else { ty.simple_name() }
}

/// Returns whether a type has instances of the same kind, so that only its parameters tell why it does not match.
fn is_same_kind(expected: &Type, found: &Type) -> bool {
    // An alias of an alias is looked through. A longer chain is not, because it may never end.
    let alias = |ty: &Type| if let Type::Alias(alias) = ty { alias.resolved() } else { None };
    let definition = alias(expected);
    let expected = definition.as_deref().unwrap_or(expected);
    let definition = alias(expected);
    let expected = definition.as_deref().unwrap_or(expected);
    match expected {
        Type::Integer(_) => matches!(found, Type::Integer(_)),
        Type::Float(_) => matches!(found, Type::Float(_)),
        Type::Boolean(_) => matches!(found, Type::Boolean(_)),
        Type::String(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_) => {
            matches!(found, Type::String(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_))
        }
        Type::Regexp(_) => matches!(found, Type::Regexp(_)),
        Type::Hash(_) | Type::Struct(_) => matches!(found, Type::Hash(_) | Type::Struct(_)),
        Type::Array(..) | Type::Tuple(_) => matches!(found, Type::Array(..) | Type::Tuple(_)),
        Type::Type(_) => matches!(found, Type::Type(_)),
        Type::Sensitive(_) => matches!(found, Type::Sensitive(_)),
        Type::Timestamp(_) => matches!(found, Type::Timestamp(_)),
        Type::Timespan(_) => matches!(found, Type::Timespan(_)),
        Type::SemVer(_) => matches!(found, Type::SemVer(_)),
        Type::Uri(_) => matches!(found, Type::Uri(_)),
        Type::Callable(_) => matches!(found, Type::Callable(_)),
        Type::ObjectType(_) | Type::ObjectExtension(_) => {
            matches!(found, Type::ObjectType(_) | Type::ObjectExtension(_))
        }
        _ => false,
    }
}

/// Returns the differences between the expected and the found type; none if the found one is assignable.
pub(crate) fn describe(expected: &Type, found: &Type, path: &[Step]) -> Vec<Mismatch> {
    with_stack(|| describe_as(expected, &normalize(expected), found, path))
}

/// Describes a type that the program writes as `written`.
fn describe_as(written: &Type, expected: &Type, found: &Type, path: &[Step]) -> Vec<Mismatch> {
    if is_assignable(expected, found) {
        return Vec::new();
    }
    if let Some(choices) = choices(expected) {
        return describe_choices(written, &choices, found, path);
    }
    match expected {
        Type::Alias(_) => match definition(expected) {
            Some(definition) => with_stack(|| describe_as(expected, &normalize(&definition), found, path)),
            None => vec![leaf(expected, expected, found, path)],
        },
        Type::Optional(Some(inner)) => {
            let written: &Type = if let Type::Alias(_) = **inner { inner } else { expected };
            with_stack(|| describe_as(written, inner, found, path))
        }
        Type::NotUndef(Some(inner)) => with_stack(|| describe_as(inner, inner, found, path)),
        Type::Array(element, size) => match found {
            Type::Tuple(tuple) => describe_elements(|_| Some(element), size.unwrap_or_default(), tuple, path),
            Type::Array(_, found_size) => size_mismatch(size.unwrap_or_default(), found_size.unwrap_or_default(), path)
                .unwrap_or_else(|| vec![leaf(written, expected, found, path)]),
            _ => vec![leaf(written, expected, found, path)],
        },
        Type::Tuple(expected_tuple) => match found {
            Type::Tuple(tuple) => describe_elements(|at| expected_tuple.at(at), expected_tuple.length(), tuple, path),
            Type::Array(_, found_size) => size_mismatch(expected_tuple.length(), found_size.unwrap_or_default(), path)
                .unwrap_or_else(|| vec![leaf(written, expected, found, path)]),
            _ => vec![leaf(written, expected, found, path)],
        },
        Type::Hash(hash) => match found {
            Type::Struct(members) => describe_entries(hash, members, path),
            Type::Hash(found_hash) => {
                size_mismatch(hash.size.unwrap_or_default(), found_hash.size.unwrap_or_default(), path)
                    .unwrap_or_else(|| vec![leaf(written, expected, found, path)])
            }
            _ => vec![leaf(written, expected, found, path)],
        },
        Type::Struct(members) => match found {
            Type::Struct(found) => describe_members(members, found, path),
            Type::Hash(found_hash) => {
                let required = members.iter().filter(|member| is_required(member)).count() as u64;
                let size = Size { min: required, max: members.len() as u64 };
                size_mismatch(size, found_hash.size.unwrap_or_default(), path)
                    .unwrap_or_else(|| vec![leaf(written, expected, found, path)])
            }
            _ => vec![leaf(written, expected, found, path)],
        },
        Type::Collection(size) => {
            let found_size = match found {
                Type::Array(_, size) => size.unwrap_or_default(),
                Type::Hash(hash) => hash.size.unwrap_or_default(),
                Type::Tuple(tuple) => tuple.length(),
                Type::Struct(members) => Size::exactly(members.len() as u64),
                _ => return vec![leaf(written, expected, found, path)],
            };
            size_mismatch(size.unwrap_or_default(), found_size, path)
                .unwrap_or_else(|| vec![leaf(written, expected, found, path)])
        }
        _ => vec![leaf(written, expected, found, path)],
    }
}

fn leaf(written: &Type, expected: &Type, found: &Type, path: &[Step]) -> Mismatch {
    let types = match written {
        Type::Alias(_) | Type::Data | Type::RichData => vec![written.clone()],
        Type::Optional(_) => vec![Type::Undef, expected.clone()],
        _ => vec![expected.clone()],
    };
    let mismatch = TypeMismatch { expected: types, found: found.clone() };
    let problem = match expected {
        Type::Enum(_) | Type::Pattern(_) => Problem::Pattern(mismatch),
        _ => Problem::Type(mismatch),
    };
    Mismatch { path: path.to_vec(), problem }
}

fn step(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}

fn size_mismatch(expected: Size, found: Size, path: &[Step]) -> Option<Vec<Mismatch>> {
    let problem = Problem::Size { expected, found };
    (!expected.contains_size(found)).then(|| vec![Mismatch { path: path.to_vec(), problem }])
}

fn describe_elements<'a>(
    expected: impl Fn(usize) -> Option<&'a Type>,
    size: Size,
    tuple: &TupleType,
    path: &[Step],
) -> Vec<Mismatch> {
    if let Some(mismatch) = size_mismatch(size, tuple.length(), path) {
        return mismatch;
    }
    let element = |(at, found): (usize, &Type)| {
        expected(at).map_or(Vec::new(), |ty| describe(ty, found, &step(path, Step::Index(at))))
    };
    tuple.types.iter().enumerate().flat_map(element).collect()
}

fn describe_entries(hash: &HashType, members: &[StructMember], path: &[Step]) -> Vec<Mismatch> {
    if let Some(mismatch) = size_mismatch(hash.size.unwrap_or_default(), Size::exactly(members.len() as u64), path) {
        return mismatch;
    }
    let entry = |member: &StructMember| {
        let key = Type::StringValue(member.name.clone());
        let mut found = describe(&hash.key, &key, &step(path, Step::KeyOfEntry(member.name.clone())));
        found.extend(describe(&hash.value, &member.value, &step(path, Step::Entry(member.name.clone()))));
        found
    };
    members.iter().flat_map(entry).collect()
}

fn describe_members(members: &[StructMember], found: &[StructMember], path: &[Step]) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    for member in members {
        match found.iter().find(|found| found.name == member.name) {
            Some(found) => {
                mismatches.extend(describe(&member.value, &found.value, &step(path, Step::Entry(member.name.clone()))));
            }
            None if is_required(member) => {
                mismatches.push(Mismatch { path: path.to_vec(), problem: Problem::MissingKey(member.name.clone()) });
            }
            None => {}
        }
    }
    for extra in found {
        if !members.iter().any(|member| member.name == extra.name) {
            mismatches.push(Mismatch { path: path.to_vec(), problem: Problem::UnknownKey(extra.name.clone()) });
        }
    }
    mismatches
}

fn describe_choices(written: &Type, choices: &[Type], found: &Type, path: &[Step]) -> Vec<Mismatch> {
    let mut all = Vec::new();
    for (number, choice) in choices.iter().enumerate() {
        let described = describe(choice, found, &step(path, Step::Variant(number)));
        if described.is_empty() {
            return Vec::new();
        }
        all.extend(described);
    }
    let is_one = all.len() == choices.len();
    match merge(&all, path.len()) {
        Some(mut merged) if is_one => {
            // The name of an alias says what is expected; it is not a pattern, even if all choices are.
            if let (Type::Alias(_) | Type::Data | Type::RichData, Problem::Type(mismatch) | Problem::Pattern(mismatch)) =
                (written, &merged.problem)
                && merged.path.len() == path.len()
            {
                let found = mismatch.found.clone();
                merged.problem = Problem::Type(TypeMismatch { expected: vec![written.clone()], found });
            }
            vec![merged]
        }
        _ => all,
    }
}

/// Combines several mismatches that are alike: of one kind, and at the same location except for the step at `varying`.
pub(crate) fn merge(mismatches: &[Mismatch], varying: usize) -> Option<Mismatch> {
    let without_varying = |mismatch: &Mismatch| {
        let mut path = mismatch.path.clone();
        if varying < path.len() {
            path.remove(varying);
        }
        path
    };
    let (first, rest) = mismatches.split_first()?;
    let path = without_varying(first);
    let mut problem = first.problem.clone();
    for other in rest {
        if without_varying(other) != path {
            return None;
        }
        problem = merge_problems(problem, &other.problem)?;
    }
    Some(Mismatch { path, problem })
}

fn merge_problems(first: Problem, other: &Problem) -> Option<Problem> {
    let wider = |a: Size, b: Size| Size { min: a.min.min(b.min), max: a.max.max(b.max) };
    Some(match (first, other) {
        (Problem::Type(a), Problem::Type(b) | Problem::Pattern(b)) => Problem::Type(a.with(b)?),
        (Problem::Pattern(a), Problem::Type(b) | Problem::Pattern(b)) => Problem::Pattern(a.with(b)?),
        (Problem::Size { expected: a, found }, Problem::Size { expected: b, found: other }) if found == *other => {
            Problem::Size { expected: wider(a, *b), found }
        }
        (Problem::Count { expected: a, found }, Problem::Count { expected: b, found: other }) if found == *other => {
            Problem::Count { expected: wider(a, *b), found }
        }
        (first @ (Problem::MissingBlock | Problem::UnexpectedBlock), other) if first == *other => first,
        _ => return None,
    })
}

impl TypeMismatch {
    fn with(mut self, other: &TypeMismatch) -> Option<TypeMismatch> {
        if self.found != other.found {
            return None;
        }
        for ty in &other.expected {
            if !self.expected.contains(ty) {
                self.expected.push(ty.clone());
            }
        }
        Some(self)
    }
}
