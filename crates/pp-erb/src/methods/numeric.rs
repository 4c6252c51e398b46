//! Methods of numbers.

use std::cmp::Ordering;

use crate::classes::{Class, class_of};
use crate::compare::{equal, order};
use crate::interpreter::Interpreter;
use crate::methods::args::{Args, enumerator, float_to_int, to_int, too_large};
use crate::methods::method::{Method, method};
use crate::show::inspect_plain;
use crate::stop::{Eval, Raise};
use crate::value::Value;

/// The longest shift: more bits than an integer has.
const MAX_SHIFT: i128 = 127;

pub(super) static NUMERIC: &[Method] = &[
    method("%", 1, 1, |_, this, args| arithmetic(this, '%', args.get(0))),
    method("*", 1, 1, |_, this, args| arithmetic(this, '*', args.get(0))),
    method("**", 1, 1, |_, this, args| power(this, args.get(0))),
    method("+", 1, 1, |_, this, args| arithmetic(this, '+', args.get(0))),
    method("+@", 0, 0, |_, this, _| Ok(this.clone())),
    method("-", 1, 1, |_, this, args| arithmetic(this, '-', args.get(0))),
    method("-@", 0, 0, |_, this, _| match this {
        Value::Int(value) => value.checked_neg().map(Value::Int).ok_or_else(too_large),
        other => Ok(Value::Float(-float(other)?)),
    }),
    method("/", 1, 1, |_, this, args| arithmetic(this, '/', args.get(0))),
    method("abs", 0, 0, magnitude),
    method("ceil", 0, 1, |_, this, args| rounded(this, args, f64::ceil)),
    method("coerce", 1, 1, |_, this, args| {
        Ok(Value::array(match (this, args.get(0)) {
            (Value::Int(_), other @ Value::Int(_)) => vec![other.clone(), this.clone()],
            (this, other) => vec![Value::Float(float(other)?), Value::Float(float(this)?)],
        }))
    }),
    method("div", 1, 1, |_, this, args| {
        if float(args.get(0))? == 0.0 {
            return Err(zero_division().into());
        }
        match arithmetic(this, '/', args.get(0))? {
            Value::Float(quotient) => Ok(Value::Int(float_to_int(quotient.floor())?)),
            other => Ok(other),
        }
    }),
    method("divmod", 1, 1, |_, this, args| {
        if matches!(args.get(0), Value::Float(value) if *value == 0.0) {
            return Err(zero_division().into());
        }
        let quotient = match arithmetic(this, '/', args.get(0))? {
            Value::Float(quotient) => Value::Int(float_to_int(quotient.floor())?),
            other => other,
        };
        Ok(Value::array(vec![quotient, arithmetic(this, '%', args.get(0))?]))
    }),
    method("fdiv", 1, 1, |_, this, args| Ok(Value::Float(float(this)? / float(args.get(0))?))),
    method("finite?", 0, 0, |_, this, _| Ok(Value::Bool(float(this)?.is_finite()))),
    method("floor", 0, 1, |_, this, args| rounded(this, args, f64::floor)),
    method("infinite?", 0, 0, |_, this, _| {
        let value = float(this)?;
        Ok(if value.is_infinite() { Value::Int(if value > 0.0 { 1 } else { -1 }) } else { Value::Nil })
    }),
    method("integer?", 0, 0, |_, this, _| Ok(Value::Bool(matches!(this, Value::Int(_))))),
    method("magnitude", 0, 0, magnitude),
    method("modulo", 1, 1, |_, this, args| arithmetic(this, '%', args.get(0))),
    method("negative?", 0, 0, |_, this, _| Ok(Value::Bool(float(this)? < 0.0))),
    method("nonzero?", 0, 0, |_, this, _| Ok(if float(this)? == 0.0 { Value::Nil } else { this.clone() })),
    method("positive?", 0, 0, |_, this, _| Ok(Value::Bool(float(this)? > 0.0))),
    method("pow", 1, 1, |_, this, args| power(this, args.get(0))),
    method("quo", 1, 1, |_, this, args| Ok(Value::Float(float(this)? / float(args.get(0))?))),
    method("remainder", 1, 1, |_, this, args| match (this, args.get(0)) {
        (Value::Int(_), Value::Int(0)) => Err(zero_division().into()),
        (Value::Int(left), Value::Int(right)) => Ok(Value::Int(left.wrapping_rem(*right))),
        (left, right) => Ok(Value::Float(float(left)? % float(right)?)),
    }),
    method("round", 0, 2, round),
    method("step", 0, 2, step),
    method("to_f", 0, 0, |_, this, _| Ok(Value::Float(float(this)?))),
    method("to_i", 0, 0, |_, this, _| Ok(Value::Int(to_int(this)?))),
    method("to_int", 0, 0, |_, this, _| Ok(Value::Int(to_int(this)?))),
    method("truncate", 0, 1, |_, this, args| rounded(this, args, f64::trunc)),
    method("zero?", 0, 0, |_, this, _| Ok(Value::Bool(float(this)? == 0.0))),
];

pub(super) static INTEGER: &[Method] = &[
    method("&", 1, 1, |_, this, args| Ok(Value::Int(bits(this)? & bits(args.get(0))?))),
    method("<<", 1, 1, |_, this, args| shift(bits(this)?, to_int(args.get(0))?)),
    method(">>", 1, 1, |_, this, args| shift(bits(this)?, to_int(args.get(0))?.saturating_neg())),
    method("[]", 1, 1, |_, this, args| {
        let at = to_int(args.get(0))?;
        Ok(Value::Int(if at < 0 { 0 } else { bits(this)? >> at.min(MAX_SHIFT) & 1 }))
    }),
    method("^", 1, 1, |_, this, args| Ok(Value::Int(bits(this)? ^ bits(args.get(0))?))),
    method("bit_length", 0, 0, |_, this, _| {
        let value = bits(this)?;
        let value = if value < 0 { !value } else { value };
        Ok(Value::Int(i128::from(128 - value.leading_zeros())))
    }),
    method("chr", 0, 1, |vm, this, _| {
        let value = bits(this)?;
        match u32::try_from(value).ok().and_then(char::from_u32).filter(|_| value < 128) {
            Some(c) => vm.string(c.to_string()),
            None => Err(Raise::range(format!("{value} out of char range")).into()),
        }
    }),
    method("digits", 0, 1, |vm, this, args| {
        let (mut value, base) = (bits(this)?, args.int_or(0, 10)?);
        if value < 0 {
            return Err(Raise::argument("out of domain").into());
        }
        if base < 2 {
            return Err(Raise::argument(format!("invalid radix {base}")).into());
        }
        let mut digits = vec![Value::Int(value % base)];
        value /= base;
        while value > 0 {
            digits.push(Value::Int(value % base));
            value /= base;
        }
        vm.list(digits)
    }),
    method("downto", 1, 1, |vm, this, args| count(vm, this, args, "downto", -1)),
    method("even?", 0, 0, |_, this, _| Ok(Value::Bool(bits(this)? & 1 == 0))),
    method("gcd", 1, 1, |_, this, args| Ok(Value::Int(gcd(bits(this)?, bits(args.get(0))?)))),
    method("lcm", 1, 1, |_, this, args| {
        let (left, right) = (bits(this)?, bits(args.get(0))?);
        if left == 0 || right == 0 {
            return Ok(Value::Int(0));
        }
        let multiple = left.checked_div(gcd(left, right)).and_then(|left| left.checked_mul(right)?.checked_abs());
        multiple.map(Value::Int).ok_or_else(too_large)
    }),
    method("next", 0, 0, successor),
    method("odd?", 0, 0, |_, this, _| Ok(Value::Bool(bits(this)? & 1 == 1))),
    method("ord", 0, 0, |_, this, _| Ok(this.clone())),
    method("pred", 0, 0, |_, this, _| bits(this)?.checked_sub(1).map(Value::Int).ok_or_else(too_large)),
    method("size", 0, 0, |_, _, _| Ok(Value::Int(8))),
    method("succ", 0, 0, successor),
    method("times", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "times", args) };
        for index in 0..bits(this)? {
            vm.step(1)?;
            vm.yield_one(block, Value::Int(index))?;
        }
        Ok(this.clone())
    }),
    method("inspect", 0, 1, to_s),
    method("to_s", 0, 1, to_s),
    method("upto", 1, 1, |vm, this, args| count(vm, this, args, "upto", 1)),
    method("|", 1, 1, |_, this, args| Ok(Value::Int(bits(this)? | bits(args.get(0))?))),
    method("~", 0, 0, |_, this, _| Ok(Value::Int(!bits(this)?))),
];

pub(super) static FLOAT: &[Method] = &[method("nan?", 0, 0, |_, this, _| Ok(Value::Bool(float(this)?.is_nan())))];

fn zero_division() -> Raise {
    Raise::new(Class::ZeroDivisionError, "divided by 0")
}

fn bits(value: &Value) -> Eval<i128> {
    match value {
        Value::Int(value) => Ok(*value),
        other => Err(not_coerced(other, Class::Integer).into()),
    }
}

/// Converts a number to a float.
pub(super) fn float(value: &Value) -> Eval<f64> {
    match value {
        Value::Int(value) => Ok(*value as f64),
        Value::Float(value) => Ok(*value),
        other => Err(not_coerced(other, Class::Float).into()),
    }
}

fn not_coerced(value: &Value, class: Class) -> Raise {
    let shown = match value {
        Value::Nil | Value::Bool(_) | Value::Symbol(_) => inspect_plain(value),
        other => class_of(other).name().to_owned(),
    };
    Raise::type_error(format!("{shown} can't be coerced into {}", class.name()))
}

/// `left operator right`
pub(super) fn arithmetic(left: &Value, operator: char, right: &Value) -> Eval {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        let result = match operator {
            '+' => left.checked_add(*right),
            '-' => left.checked_sub(*right),
            '*' => left.checked_mul(*right),
            _ if *right == 0 => return Err(zero_division().into()),
            '/' => {
                let quotient = left.checked_div(*right);
                let is_inexact = left.wrapping_rem(*right) != 0 && (*left < 0) != (*right < 0);
                quotient.map(|quotient| if is_inexact { quotient - 1 } else { quotient })
            }
            _ => {
                let rest = left.wrapping_rem(*right);
                Some(if rest != 0 && (rest < 0) != (*right < 0) { rest + right } else { rest })
            }
        };
        return result.map(Value::Int).ok_or_else(too_large);
    }
    if !matches!(right, Value::Int(_) | Value::Float(_)) {
        return Err(not_coerced(right, class_of(left)).into());
    }
    let (left, right) = (float(left)?, float(right)?);
    Ok(Value::Float(match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        _ if right == 0.0 => return Err(zero_division().into()),
        _ => {
            let rest = left % right;
            if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest }
        }
    }))
}

fn power(base: &Value, exponent: &Value) -> Eval {
    match (base, exponent) {
        (Value::Int(base), Value::Int(exponent)) if *exponent >= 0 => {
            let exponent = u32::try_from(*exponent).map_err(|_| too_large())?;
            base.checked_pow(exponent).map(Value::Int).ok_or_else(too_large)
        }
        (Value::Int(_), Value::Int(_)) => Err(crate::stop::Stop::refused("rational numbers")),
        (_, Value::Int(_) | Value::Float(_)) => Ok(Value::Float(float(base)?.powf(float(exponent)?))),
        (base, other) => Err(not_coerced(other, class_of(base)).into()),
    }
}

fn shift(value: i128, by: i128) -> Eval {
    if by < 0 {
        return Ok(Value::Int(value >> by.unsigned_abs().min(MAX_SHIFT as u128)));
    }
    if value == 0 {
        return Ok(Value::Int(0));
    }
    let shifted = if by < MAX_SHIFT { value << by } else { 0 };
    if by >= MAX_SHIFT || shifted >> by != value { Err(too_large()) } else { Ok(Value::Int(shifted)) }
}

fn gcd(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left.wrapping_abs(), right.wrapping_abs());
    while right != 0 {
        (left, right) = (right, left.wrapping_rem(right));
    }
    left
}

fn successor(_: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    bits(this)?.checked_add(1).map(Value::Int).ok_or_else(too_large)
}

fn magnitude(_: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    match this {
        Value::Int(value) => value.checked_abs().map(Value::Int).ok_or_else(too_large),
        other => Ok(Value::Float(float(other)?.abs())),
    }
}

fn to_s(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let radix = args.int_or(0, 10)?;
    let value = bits(this)?;
    let Some(radix) = u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix)) else {
        return Err(Raise::argument(format!("invalid radix {radix}")).into());
    };
    if radix == 10 {
        return vm.string(value.to_string());
    }
    let mut rest = value.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % u128::from(radix)) as u32, radix).unwrap_or('0'));
        rest /= u128::from(radix);
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        digits.push('-');
    }
    vm.string(digits.into_iter().rev().collect())
}

/// `upto`, `downto`
fn count(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, name: &str, step: i128) -> Eval {
    let Some(block) = args.block else { return enumerator(this, name, args) };
    let mut current = bits(this)?;
    loop {
        vm.step(1)?;
        let order = order(&vm.work, &Value::Int(current), args.get(0))?;
        if step > 0 && order.is_gt() || step < 0 && order.is_lt() {
            return Ok(this.clone());
        }
        vm.yield_one(block, Value::Int(current))?;
        current = current.checked_add(step).ok_or_else(too_large)?;
    }
}

/// `1.step(10, 2)`
fn step(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let Some(block) = args.block else { return enumerator(this, "step", args) };
    let by = args.option("by").unwrap_or_else(|| if args.len() > 1 { args.get(1).clone() } else { Value::Int(1) });
    let to = match args.get(0) {
        Value::Hash(_) => Value::or_nil(args.option("to")),
        other => other.clone(),
    };
    if equal(&vm.work, &by, &Value::Int(0)) {
        return Err(Raise::argument("step can't be 0").into());
    }
    let is_upward = float(&by)? > 0.0;
    let mut index: i128 = 0;
    loop {
        vm.step(1)?;
        // Floats are computed from the start, so that their errors do not add up.
        let current = arithmetic(this, '+', &arithmetic(&by, '*', &Value::Int(index))?)?;
        if !matches!(to, Value::Nil) {
            let order = order(&vm.work, &current, &to)?;
            if is_upward && order.is_gt() || !is_upward && order.is_lt() {
                return Ok(this.clone());
            }
        }
        vm.yield_one(block, current)?;
        index += 1;
    }
}

/// Rounds to digits before or after the point.
fn rounded(this: &Value, args: Args<'_>, how: fn(f64) -> f64) -> Eval {
    let digits = args.int_or(0, 0)?;
    match this {
        Value::Int(value) if digits >= 0 => Ok(Value::Int(*value)),
        Value::Int(value) => {
            let Some(unit) = power_of_ten(digits) else { return Ok(Value::Int(0)) };
            let rest = value.rem_euclid(unit);
            let is_up = rest != 0 && if *value < 0 { how(-0.5) == 0.0 } else { how(0.5) > 0.0 };
            to_multiple(*value, rest, unit, is_up).map(Value::Int).ok_or_else(too_large)
        }
        other if digits <= 0 => {
            let value = how(float(other)?);
            let whole = float_to_int(value)?;
            if digits == 0 { Ok(Value::Int(whole)) } else { rounded(&Value::Int(whole), args, how) }
        }
        other => {
            let value = float(other)?;
            if digits > 300 || !value.is_finite() {
                return Ok(other.clone());
            }
            let unit = 10_f64.powi(digits as i32);
            let scaled = how(value * unit) / unit;
            Ok(Value::Float(if scaled.is_finite() { scaled } else { value }))
        }
    }
}

/// Rounds half away from zero, to even, or towards zero.
fn round(_: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let half = match args.option("half") {
        Some(Value::Symbol(name)) => name,
        _ => "up".into(),
    };
    let digits = match args.get(0) {
        Value::Hash(_) => 0,
        _ => args.int_or(0, 0)?,
    };
    match this {
        Value::Int(value) => Ok(Value::Int(round_integer(*value, digits, &half)?)),
        other => {
            let value = float(other)?;
            if digits > 15 || digits > 0 && !value.is_finite() {
                return Ok(other.clone());
            }
            if digits > 0 {
                let unit = 10_f64.powi(digits as i32);
                let rounded = round_half(value * unit, &half);
                // The product may have been rounded up to a half that the number does not have.
                let rounded = match half.as_ref() {
                    "up" if ((rounded + 0.5) / unit - value).abs() == 0.0 && value > 0.0 => rounded + 1.0,
                    _ => rounded,
                };
                return Ok(Value::Float(rounded / unit));
            }
            if digits == 0 {
                return Ok(Value::Int(float_to_int(round_half(value, &half))?));
            }
            Ok(Value::Int(round_integer(float_to_int(value)?, digits, &half)?))
        }
    }
}

/// 10 to the number of digits before the point that `digits` counts below zero.
fn power_of_ten(digits: i128) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(digits.unsigned_abs()).ok()?)
}

/// Returns the multiple of `unit` before or after a value. `rest` is what the value is above the one before.
fn to_multiple(value: i128, rest: i128, unit: i128, is_up: bool) -> Option<i128> {
    if is_up { value.checked_add(unit - rest) } else { value.checked_sub(rest) }
}

fn round_integer(value: i128, digits: i128, half: &str) -> Eval<i128> {
    if digits >= 0 {
        return Ok(value);
    }
    let Some(unit) = power_of_ten(digits) else { return Ok(0) };
    let rest = value.rem_euclid(unit);
    let is_up = match rest.cmp(&(unit - rest)) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => match half {
            "even" => value.div_euclid(unit) % 2 != 0,
            "down" => value < 0,
            _ => value > 0,
        },
    };
    to_multiple(value, rest, unit, is_up).ok_or_else(too_large)
}

fn round_half(value: f64, half: &str) -> f64 {
    match half {
        "even" => value.round_ties_even(),
        "down" if value.fract().abs() == 0.5 => value.trunc(),
        _ => value.round(),
    }
}
