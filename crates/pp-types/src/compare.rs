//! The comparisons of the language (spec 07 §5.5).

use std::cmp::Ordering;

use crate::assignable::is_assignable;
use crate::error::{Error, ErrorKind};
use crate::instance::is_instance;
use crate::stack::with_stack;
use crate::time::{Timespan, Timestamp};
use crate::value::Value;

/// The captures of a match: the whole, then the groups; `None` for a group that takes no part.
pub type Captures = Vec<Option<String>>;

/// `left == right`: numbers across kinds, strings without regard to ASCII case, types by what they accept.
#[must_use]
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(left), Value::String(right)) => left.eq_ignore_ascii_case(right),
        (Value::Integer(left), Value::Integer(right)) => left == right,
        (Value::Float(left), Value::Float(right)) => left.0 == right.0,
        (Value::Integer(integer), Value::Float(float)) | (Value::Float(float), Value::Integer(integer)) => {
            compare_integer_and_float(i128::from(*integer), float.0) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && with_stack(|| left.iter().zip(right.iter()).all(|(left, right)| equal(left, right)))
        }
        (Value::Hash(left), Value::Hash(right)) => {
            left.len() == right.len()
                && with_stack(|| left.iter().all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right))))
        }
        (Value::Type(left), Value::Type(right)) => {
            left == right || is_assignable(left, right) && is_assignable(right, left)
        }
        (Value::Uri(left), Value::Uri(right)) => left.is_equivalent(right),
        (Value::Timespan(span), number) | (number, Value::Timespan(span)) if number.is_number() => {
            duration_of(number).is_some_and(|nanoseconds| nanoseconds == span.0)
        }
        (Value::Timestamp(time), number) | (number, Value::Timestamp(time)) if number.is_number() => {
            duration_of(number).is_some_and(|nanoseconds| nanoseconds == time.0)
        }
        _ => left == right,
    }
}

/// Returns a number of seconds in nanoseconds.
fn duration_of(number: &Value) -> Option<i128> {
    match number {
        Value::Integer(seconds) => Some(i128::from(*seconds) * crate::time::NANOSECONDS),
        Value::Float(seconds) if seconds.0.is_finite() => Some(Timespan::from_seconds(seconds.0).0),
        _ => None,
    }
}

/// Compares an integer and a float exactly; `None` for NaN.
#[must_use]
pub fn compare_integer_and_float(integer: i128, float: f64) -> Option<Ordering> {
    // 2^127, the first float that is greater than every integer.
    const LIMIT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if float.is_nan() {
        return None;
    }
    if float >= LIMIT {
        return Some(Ordering::Less);
    }
    if float < -LIMIT {
        return Some(Ordering::Greater);
    }
    // In this range the whole part of a float is an integer of 128 bits.
    let whole = float.trunc();
    Some(integer.cmp(&(whole as i128)).then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)))
}

/// `left < right` and so on: numbers, strings, times, versions. `None` if one of them is not a number. Types are compared with
/// [`is_assignable`].
///
/// # Errors
/// Values that have no order; the message is the reason, to which the evaluator adds the operator.
pub fn compare(left: &Value, right: &Value) -> Result<Option<Ordering>, Error> {
    let reason = |reason: &str| Err(Error::new(ErrorKind::Operator, reason));
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(Some(compare_strings(left, right))),
        (Value::String(_), _) => {
            let error = Error::new(ErrorKind::Operator, "A String is not comparable to a non String");
            Err(error.help("convert it with `Integer(…)`, or compare versions with `versioncmp(…, …)`"))
        }
        (Value::Integer(left), Value::Integer(right)) => Ok(Some(left.cmp(right))),
        (Value::Float(left), Value::Float(right)) => Ok(left.0.partial_cmp(&right.0)),
        (Value::Integer(left), Value::Float(right)) => Ok(compare_integer_and_float(i128::from(*left), right.0)),
        (Value::Float(left), Value::Integer(right)) => {
            Ok(compare_integer_and_float(i128::from(*right), left.0).map(Ordering::reverse))
        }
        (number, Value::Timespan(Timespan(right)) | Value::Timestamp(Timestamp(right))) if number.is_number() => {
            Ok(duration_of(number).map(|left| left.cmp(right)))
        }
        (Value::Integer(_) | Value::Float(_), _) => reason("A Numeric is not comparable to non Numeric"),
        (Value::Timespan(left), Value::Timespan(right)) => Ok(Some(left.cmp(right))),
        (Value::Timestamp(left), Value::Timestamp(right)) => Ok(Some(left.cmp(right))),
        (Value::Timespan(Timespan(left)) | Value::Timestamp(Timestamp(left)), number) if number.is_number() => {
            Ok(duration_of(number).map(|right| left.cmp(&right)))
        }
        (Value::Timespan(_), _) => reason("Timespans are only comparable to Timespans, Integers, and Floats"),
        (Value::Timestamp(_), _) => reason("Timestamps are only comparable to Timestamps, Integers, and Floats"),
        (Value::SemVer(left), Value::SemVer(right)) => Ok(Some(left.cmp(right))),
        (Value::SemVer(_), _) => reason("Versions not comparable to non Versions"),
        _ => reason("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}

/// Compares strings by their bytes, without regard to ASCII case: letters count as lower case.
#[must_use]
pub fn compare_strings(left: &str, right: &str) -> Ordering {
    left.bytes().map(|b| b.to_ascii_lowercase()).cmp(right.bytes().map(|b| b.to_ascii_lowercase()))
}

/// Returns whether an option of `case` or a selector, or a part of one, matches a value; `default` matches everything. Captures of a regexp are in the second field.
///
/// # Errors
/// An invalid regexp.
pub fn matches_option(option: &Value, value: &Value) -> Result<(bool, Option<Captures>), Error> {
    match (option, value) {
        (Value::Default, _) => Ok((true, None)),
        (Value::Regexp(regexp), Value::String(text)) => {
            let captures = regexp.captures(text)?;
            Ok((captures.is_some(), captures))
        }
        (Value::Regexp(_), _) => Ok((option == value, None)),
        (Value::Type(ty), _) => Ok((is_instance(ty, value), None)),
        (Value::SemVerRange(range), Value::SemVer(version)) => Ok((range.contains(version), None)),
        (Value::SemVerRange(range), Value::String(text)) => {
            Ok((crate::semver::SemVer::parse(text).is_some_and(|version| range.contains(&version)), None))
        }
        (Value::Array(options), Value::Array(values)) => {
            if options.len() != values.len() {
                return Ok((false, None));
            }
            let mut last = None;
            for (option, value) in options.iter().zip(values.iter()) {
                let (matched, captures) = with_stack(|| matches_option(option, value))?;
                if !matched {
                    return Ok((false, None));
                }
                last = captures.or(last);
            }
            Ok((true, last))
        }
        (Value::Hash(options), Value::Hash(values)) => {
            let mut last = None;
            for (key, option) in options.iter() {
                // A key that is missing counts as one without a value.
                let value = values.get(key).unwrap_or(&Value::Undef);
                let (matched, captures) = with_stack(|| matches_option(option, value))?;
                if !matched {
                    return Ok((false, None));
                }
                last = captures.or(last);
            }
            Ok((true, last))
        }
        _ => Ok((equal(option, value), None)),
    }
}

/// `left in right`, with the captures of a regexp on the left.
///
/// # Errors
/// An invalid regexp.
pub fn is_in(left: &Value, right: &Value) -> Result<(bool, Option<Captures>), Error> {
    match right {
        Value::String(text) => match left {
            Value::String(part) => Ok((contains_ignoring_case(text, part), None)),
            Value::Regexp(_) => matches_option(left, right),
            _ => Ok((false, None)),
        },
        Value::Array(elements) => is_among(left, elements.iter()),
        Value::Hash(entries) => is_among(left, entries.keys()),
        Value::SemVerRange(_) => matches_option(right, left),
        _ => Ok((false, None)),
    }
}

fn is_among<'a>(left: &Value, elements: impl Iterator<Item = &'a Value>) -> Result<(bool, Option<Captures>), Error> {
    for element in elements {
        let (matches, captures) = match left {
            Value::Regexp(_) if !matches!(element, Value::String(_)) => (equal(left, element), None),
            // Unlike in `case`, types and regexps inside of a container are compared, not matched.
            Value::Array(_) | Value::Hash(_) | Value::Default => (equal(left, element), None),
            // A string is looked for as in a `case`: by types, regexps, version ranges, and `default`.
            Value::String(_) => matches_option(element, left)?,
            Value::SemVer(_) if matches!(element, Value::SemVerRange(_)) => matches_option(element, left)?,
            _ => matches_option(left, element)?,
        };
        if matches {
            return Ok((true, captures));
        }
    }
    Ok((false, None))
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    if part.is_ascii() && text.is_ascii() {
        return text.to_ascii_lowercase().contains(&part.to_ascii_lowercase());
    }
    text.to_lowercase().contains(&part.to_lowercase())
}
