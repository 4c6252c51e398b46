//! The two formats of floats (spec 03 §1.4). Both print the shortest digits that parse to the same number.

/// Formats a float without an exponent and without a trailing `.0`, as `%v` and `%f` of `fmt.printf` and error messages
/// do.
#[must_use]
pub fn format_float(value: f64) -> String {
    match non_finite(value) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}

/// Formats a float with an exponent if the decimal exponent is below -4 or at least `limit`, as `%g` does. Templates
/// use a limit of 6.
#[must_use]
pub fn format_float_short(value: f64, limit: i32) -> String {
    if let Some(text) = non_finite(value) {
        return text.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..limit).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn non_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value == f64::INFINITY {
        Some("+Inf")
    } else if value == f64::NEG_INFINITY {
        Some("-Inf")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_positional() {
        for (value, text) in [
            (42.0, "42"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1000000000000000000000"),
            (1e-7, "0.0000001"),
            (123_456_789.0, "123456789"),
            (-0.0, "-0"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(format_float(value), text);
        }
    }

    #[test]
    fn templates_switch_to_an_exponent() {
        for (value, text) in [
            (42.0, "42"),
            (1e21, "1e+21"),
            (1e-7, "1e-07"),
            (123_456_789.0, "1.23456789e+08"),
            (-0.0, "-0"),
            (999_999.0, "999999"),
            (1_000_000.0, "1e+06"),
            (1_234_567.125, "1.234567125e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (2f64.powi(1000), "1.0715086071862673e+301"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(format_float_short(value, 6), text);
        }
    }
}
