//! The one spelling of a number.

use std::borrow::Cow;

use mcl_lexer::TokenKind;

/// Returns a number without leading zeros; a float as the shortest decimal that is the same number.
pub(crate) fn normalized(kind: TokenKind, text: &str) -> Cow<'_, str> {
    match kind {
        TokenKind::Integer => integer(text),
        TokenKind::Float => float(text),
        _ => Cow::Borrowed(text),
    }
}

fn integer(text: &str) -> Cow<'_, str> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    match digits.trim_start_matches('0') {
        "" => Cow::Borrowed("0"),
        rest if rest.len() == digits.len() => Cow::Borrowed(text),
        rest => Cow::Owned(format!("{sign}{rest}")),
    }
}

fn float(text: &str) -> Cow<'_, str> {
    let Ok(value) = text.parse::<f64>() else { return Cow::Borrowed(text) };
    let digits = value.to_string();
    Cow::Owned(if digits.contains('.') { digits } else { format!("{digits}.0") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        let integers = ["0", "007", "-0", "-012", "10", "9223372036854775807"];
        let spelled = integers.map(|text| normalized(TokenKind::Integer, text).into_owned());
        assert_eq!(spelled, ["0", "7", "0", "-12", "10", "9223372036854775807"]);
        let floats = ["1.50", "42.0", "0.0", "-0.0", "00.25", "100000000000000000000000.0", "0.0000001"];
        let spelled = floats.map(|text| normalized(TokenKind::Float, text).into_owned());
        assert_eq!(spelled, ["1.5", "42.0", "0.0", "-0.0", "0.25", "100000000000000000000000.0", "0.0000001"]);
    }
}
