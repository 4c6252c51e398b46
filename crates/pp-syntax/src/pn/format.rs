//! Strings and numbers in Puppet's notation.

use std::fmt::Write;

/// Writes a string in double quotes. Control characters are octal: `\o033`.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\x1f' => {
                // Writing to a string never fails.
                let _ = write!(out, "\\o{:03o}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Writes a float as Puppet's parser prints it: with a fraction, and with an exponent below 1e-4 and from 1e15 on.
pub fn write_float(out: &mut String, value: f64) {
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-4..1e15).contains(&magnitude) {
        let _ = write!(out, "{value:?}");
        return;
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let fraction = if mantissa.contains('.') { "" } else { ".0" };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    let _ = write!(out, "{mantissa}{fraction}e{sign}{digits:0>2}");
}
