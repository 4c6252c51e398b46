//! `scanf`.

use std::iter::Peekable;
use std::str::Chars;

use pp_types::Value;

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;

pub(crate) static SCANF: Function = Function::typed(
    "scanf",
    &["String data, String format, Callable[Array] ?&block"],
    "Reads values from a string by a format: `%d` a decimal integer, `%i` an integer in any notation, `%x` a hexadecimal, \
     `%o` an octal one, `%f` a float, `%s` a word, `%c` a character, `%[a-z]` characters of a set. A number after the `%` \
     limits the length, `*` skips the value. The result is an array of what could be read; a block gets it.",
    scanf,
);

fn scanf(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let directives = parse(call.string(1))?;
    let mut input = call.string(0);
    let mut values = Vec::new();
    for directive in &directives {
        call.charge(1, size_of::<Value>())?;
        match read(directive, &mut input) {
            Some(Some(value)) => values.push(value),
            Some(None) => {}
            None => break,
        }
    }
    let values = Value::array(values);
    if call.block.is_some() { call.yield_block(&[values]) } else { Ok(values) }
}

enum Directive {
    /// Any whitespace, also none.
    Space,
    Literal(char),
    Value {
        kind: Kind,
        width: usize,
        is_skipped: bool,
    },
}

enum Kind {
    /// An integer in a radix; zero stands for the radix that the prefix says.
    Integer(u32),
    Float,
    Word,
    Characters,
    Set {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

fn parse(format: &str) -> Result<Vec<Directive>, Interrupt> {
    let mut directives = Vec::new();
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        let directive = match character {
            space if space.is_ascii_whitespace() => Directive::Space,
            '%' if characters.next_if_eq(&'%').is_some() => Directive::Literal('%'),
            '%' => parse_value(&mut characters)
                .ok_or_else(|| fail(format!("scanf(): malformed directive in the format '{format}'")))?,
            literal => Directive::Literal(literal),
        };
        directives.push(directive);
    }
    Ok(directives)
}

fn parse_value(characters: &mut Peekable<Chars<'_>>) -> Option<Directive> {
    let is_skipped = characters.next_if_eq(&'*').is_some();
    let mut width: Option<usize> = None;
    while let Some(digit) = characters.peek().and_then(|character| character.to_digit(10)) {
        width = Some(width.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
        characters.next();
    }
    let kind = match characters.next()? {
        'd' | 'u' => Kind::Integer(10),
        'i' => Kind::Integer(0),
        'x' | 'X' => Kind::Integer(16),
        'o' => Kind::Integer(8),
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => Kind::Float,
        's' => Kind::Word,
        'c' => return Some(Directive::Value { kind: Kind::Characters, width: width.unwrap_or(1), is_skipped }),
        '[' => parse_set(characters)?,
        _ => return None,
    };
    Some(Directive::Value { kind, width: width.unwrap_or(usize::MAX), is_skipped })
}

fn parse_set(characters: &mut Peekable<Chars<'_>>) -> Option<Kind> {
    let is_negated = characters.next_if_eq(&'^').is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        match characters.next()? {
            ']' if !ranges.is_empty() => return Some(Kind::Set { is_negated, ranges }),
            '-' if !ranges.is_empty() && characters.peek().is_some_and(|next| *next != ']') => {
                let (start, _) = ranges.pop()?;
                ranges.push((start, characters.next()?));
            }
            character => ranges.push((character, character)),
        }
    }
}

/// Reads what a directive asks for: `None` if the input does not match, `Some(None)` for what has no value.
fn read(directive: &Directive, input: &mut &str) -> Option<Option<Value>> {
    match directive {
        Directive::Space => {
            *input = input.trim_ascii_start();
            Some(None)
        }
        Directive::Literal(literal) => {
            *input = input.strip_prefix(*literal)?;
            Some(None)
        }
        Directive::Value { kind, width, is_skipped } => {
            let value = read_value(kind, *width, input)?;
            Some(if *is_skipped { None } else { Some(value) })
        }
    }
}

fn read_value(kind: &Kind, width: usize, input: &mut &str) -> Option<Value> {
    match kind {
        Kind::Integer(radix) => {
            *input = input.trim_ascii_start();
            let end = number_end(input, width, |text| is_integer_prefix(text, *radix));
            let text = take(input, end)?;
            parse_integer(text, *radix).map(Value::Integer)
        }
        Kind::Float => {
            *input = input.trim_ascii_start();
            let end = number_end(input, width, is_float_prefix);
            take(input, end)?.parse::<f64>().ok().map(Value::from)
        }
        Kind::Word => {
            *input = input.trim_ascii_start();
            let end = prefix_end(input, width, |character| !character.is_ascii_whitespace());
            take(input, end).map(Value::from)
        }
        Kind::Characters => {
            let end = prefix_end(input, width, |_| true);
            take(input, end).map(Value::from)
        }
        Kind::Set { is_negated, ranges } => {
            let is_in = |character: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&character));
            let end = prefix_end(input, width, |character| is_in(character) != *is_negated);
            take(input, end).map(Value::from)
        }
    }
}

/// Takes a part of the input that is not empty.
fn take<'a>(input: &mut &'a str, end: usize) -> Option<&'a str> {
    if end == 0 {
        return None;
    }
    let (text, rest) = input.split_at(end);
    *input = rest;
    Some(text)
}

fn prefix_end(input: &str, width: usize, is_part: impl Fn(char) -> bool) -> usize {
    let part = input.chars().take(width).take_while(|&character| is_part(character));
    part.map(char::len_utf8).sum()
}

/// Returns the length of the longest start of the input that is a number, of which `is_prefix` accepts each start.
fn number_end(input: &str, width: usize, is_prefix: impl Fn(&str) -> Option<bool>) -> usize {
    let mut end = 0;
    // Longer numbers than this do not fit anyway.
    for (at, character) in input.char_indices().take(width.min(400)) {
        let next = at + character.len_utf8();
        match is_prefix(&input[..next]) {
            Some(true) => end = next,
            Some(false) => {}
            None => break,
        }
    }
    end
}

/// Whether a text is an integer (`Some(true)`), the start of one, or neither.
fn is_integer_prefix(text: &str, radix: u32) -> Option<bool> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() {
        return Some(false);
    }
    let (radix, digits) = without_prefix(digits, radix);
    if digits.chars().all(|digit| digit.is_digit(radix)) { Some(!digits.is_empty()) } else { None }
}

/// Returns the radix of a number, and its digits without the prefix that says it. Radix 0 is the one of the prefix.
fn without_prefix(digits: &str, radix: u32) -> (u32, &str) {
    let after = |prefix: &str| {
        let start = digits.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix))?;
        digits.strip_prefix(start)
    };
    match (radix, after("0x"), after("0b"), after("0")) {
        (0 | 16, Some(digits), ..) => (16, digits),
        (0, _, Some(digits), _) => (2, digits),
        (0, _, _, Some(digits)) if !digits.is_empty() => (8, digits),
        (0, ..) => (10, digits),
        (radix, ..) => (radix, digits),
    }
}

fn parse_integer(text: &str, radix: u32) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = without_prefix(digits, radix);
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}

fn is_float_prefix(text: &str) -> Option<bool> {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (rest, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || !exponent.is_none_or(all_digits) {
        return None;
    }
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    Some(has_digits && exponent.is_none_or(|exponent| !exponent.is_empty()))
}
