//! Invalid names, and names in the wrong position.

use mcl_lexer::TokenKind;

use crate::bracket::BracketContext;
use crate::error::{BareWordError, NameError, NameRole, SyntaxError};
use crate::failure::Failure;

/// A name is what is missing if the grammar accepts at most this many tokens, one of which is a name.
const MAX_ALTERNATIVES: u32 = 3;

/// A keyword, a capitalized name, a number or the like in the position of a name.
pub fn invalid(f: &Failure<'_>) -> Option<SyntaxError> {
    let kind = f.found_kind()?;
    let text = f.text_of(f.at);
    if f.before(1) == Some(TokenKind::Dollar) {
        return Some(f.error(match kind {
            kind if kind.is_keyword() => keyword(text, NameRole::Variable),
            TokenKind::Capitalized => expected_lower_case(text),
            TokenKind::OpenCurly => NameError::BracedVariable,
            _ => NameError::ExpectedVariable { found: f.found() },
        }));
    }
    // With more alternatives, or capitalized names among them, a name is only the start of something larger.
    let wants_name = f.expects(TokenKind::Identifier)
        && !f.expects(TokenKind::Capitalized)
        && f.expected().len() <= MAX_ALTERNATIVES;
    let at_entry = f.context == Some(BracketContext::Entries)
        && matches!(f.before(1), Some(TokenKind::Comma | TokenKind::OpenCurly));
    if kind.is_keyword() && (wants_name || at_entry && f.kind(f.at + 1) == Some(TokenKind::Rocket)) {
        let role = if at_entry { NameRole::Field } else { NameRole::Other };
        return Some(f.error(keyword(text, role)));
    }
    if kind != TokenKind::Capitalized {
        return None;
    }
    if wants_name {
        return Some(f.error(expected_lower_case(text)));
    }
    if matches!(text, "True" | "False") {
        return Some(f.error(NameError::MiscasedBool { found: text.to_owned() }));
    }
    (f.before(1) == Some(TokenKind::Capitalized)).then(|| f.error(NameError::SecondCapital))
}

fn keyword(keyword: &str, role: NameRole) -> NameError {
    NameError::Keyword { keyword: keyword.to_owned(), role }
}

fn expected_lower_case(found: &str) -> NameError {
    NameError::ExpectedLowerCase { found: found.to_owned(), suggestion: found.to_ascii_lowercase() }
}

/// A name in an expression that is neither a variable nor called.
pub fn bare_word(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.before(1) != Some(TokenKind::Identifier)
        || !f.expects(TokenKind::OpenParen)
        || f.before(2) == Some(TokenKind::Dollar)
    {
        return None;
    }
    let kind_before = |token, count| f.before(f.at - token + count);
    let mut first = f.last();
    while first - f.start >= 2
        && kind_before(first, 1) == Some(TokenKind::Dot)
        && kind_before(first, 2) == Some(TokenKind::Identifier)
    {
        first = first.checked_sub(2)?;
    }
    let before = kind_before(first, 1);
    if before == Some(TokenKind::Dollar) {
        return None;
    }
    let span = f.span_of(first).to(f.span_of(f.last()));
    let word: String = first.until(f.at).map(|token| f.text_of(token)).collect();
    let error = match word.as_str() {
        "return" => BareWordError::Return,
        "null" | "nil" | "undef" | "none" => BareWordError::Null { word },
        _ if f.found_kind() == Some(TokenKind::Rocket) && f.context == Some(BracketContext::Arguments) => {
            BareWordError::NamedArgument
        }
        _ if f.kind(f.at) == Some(TokenKind::Rocket)
            && f.context == Some(BracketContext::Entries)
            && first - f.start > 1
            && f.tokens.newline_before(first)
            && before == Some(TokenKind::Rocket) =>
        {
            let field = first.checked_sub(2)?;
            return Some(f.error_at(BareWordError::MissingValue { field: f.owned_text(field) }, field));
        }
        _ if before == Some(TokenKind::Rocket)
            && kind_before(first, 2) == Some(TokenKind::Capitalized)
            && f.found_kind() == Some(TokenKind::OpenBracket) =>
        {
            BareWordError::LowerCaseEdge { word }
        }
        _ if before == Some(TokenKind::Rocket) => {
            let is_ensure = first.checked_sub(2).is_some_and(|field| f.text_of(field) == "ensure");
            let kind = is_ensure.then(|| f.owned_text(f.start));
            BareWordError::Value { word, ensure_of: kind }
        }
        _ => BareWordError::Other { word },
    };
    Some(SyntaxError::new(error, span))
}
