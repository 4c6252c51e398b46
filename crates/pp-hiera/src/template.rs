//! Strings with `%{…}` (spec 07 §5.13, §10.4).

use std::sync::Arc;

use crate::key::Key;

/// A part of a string.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece<'a> {
    /// Text as it is.
    Text(&'a str),
    /// `%{}`, which stands for nothing.
    Empty,
    /// `%{name}`: a variable, with a path into its value.
    Variable(Key),
    /// `%{method('argument')}`
    Call(Method, &'a str),
}

/// What can be called in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// `lookup`, `hiera`: the value of a key as text.
    Lookup,
    /// `alias`: the value of a key, whatever it is.
    Alias,
    /// `literal`: the argument.
    Literal,
    /// `scope`: a variable.
    Scope,
}

/// Why a string cannot be interpolated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplateError {
    /// A name with wrong dots or quotes.
    Syntax,
    /// `%{what('x')}`
    UnknownMethod(Arc<str>),
    /// `%{alias('x')}` that is not all of the string.
    AliasInside,
}

impl TemplateError {
    /// Returns the message for a string.
    pub(crate) fn message(&self, text: &str) -> String {
        match self {
            TemplateError::Syntax => format!("Syntax error in string: {text}"),
            TemplateError::UnknownMethod(name) => format!("Unknown interpolation method '{name}'"),
            TemplateError::AliasInside => {
                "'alias' interpolation is only permitted if the expression is equal to the entire string".to_owned()
            }
        }
    }
}

/// Returns what comes before the first expression of a string; `None` if there is none.
pub(crate) fn literal_start(text: &str) -> Option<&str> {
    let start = text.find("%{")?;
    text[start..].contains('}').then(|| &text[..start])
}

/// Splits a string into its parts. What has no `}` is text.
pub(crate) fn parse(text: &str) -> Result<Vec<Piece<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("%{") {
        let Some(length) = rest[start..].find('}') else { break };
        if start > 0 {
            pieces.push(Piece::Text(&rest[..start]));
        }
        pieces.push(expression(rest[start + 2..start + length].trim())?);
        rest = &rest[start + length + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    let has_alias = pieces.iter().any(|piece| matches!(piece, Piece::Call(Method::Alias, _)));
    if has_alias && pieces.len() > 1 {
        return Err(TemplateError::AliasInside);
    }
    Ok(pieces)
}

fn expression(text: &str) -> Result<Piece<'_>, TemplateError> {
    if matches!(text, "" | "::" | "''" | "\"\"") {
        return Ok(Piece::Empty);
    }
    if let Some((name, argument)) = call(text) {
        let method = match name {
            "lookup" | "hiera" => Method::Lookup,
            "alias" => Method::Alias,
            "literal" => Method::Literal,
            "scope" => Method::Scope,
            _ => return Err(TemplateError::UnknownMethod(name.into())),
        };
        return Ok(Piece::Call(method, argument));
    }
    Key::parse(text).map(Piece::Variable).map_err(|_| TemplateError::Syntax)
}

/// Splits `name('argument')`; the argument is in quotes of one kind and not empty.
fn call(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let quoted = rest.strip_suffix(')')?;
    let quote = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let argument = quoted[1..].strip_suffix(quote)?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && !argument.is_empty() && !argument.contains(quote)).then_some((name, argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_text_variables_and_calls() {
        let variable = |name: &str| Piece::Variable(Key::parse(name).expect("valid"));
        assert_eq!(parse("a%{ b.c }d"), Ok(vec![Piece::Text("a"), variable("b.c"), Piece::Text("d")]));
        assert_eq!(parse("%{lookup('k.x')}"), Ok(vec![Piece::Call(Method::Lookup, "k.x")]));
        assert_eq!(parse("%%{a}"), Ok(vec![Piece::Text("%"), variable("a")]));
        assert_eq!(parse("%{}|%{::}|%{''}").map(|pieces| pieces.len()), Ok(5));
        assert_eq!(parse("%{facts.os"), Ok(vec![Piece::Text("%{facts.os")]));
        assert_eq!(parse("%{lookup(a)}"), Ok(vec![variable("lookup(a)")]));
    }

    #[test]
    fn wrong_expressions_are_errors() {
        for text in ["%{lookup('')}", "%{lookup( 'f' )}", "%{lookup('%{x}')}", "%{a..b}"] {
            assert_eq!(parse(text), Err(TemplateError::Syntax), "{text}");
        }
        assert_eq!(parse("%{what('x')}"), Err(TemplateError::UnknownMethod("what".into())));
        assert_eq!(parse(" %{alias('a')}"), Err(TemplateError::AliasInside));
    }
}
