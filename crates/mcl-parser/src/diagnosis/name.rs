//! Invalid names, and names in the wrong position.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{BareWordError, HabitKind, Instead, NameError, NameRole, SyntaxError, foreign_type};
use crate::failure::Failure;
use crate::foreign_keywords::{Role, role};
use crate::method::call_for_method;
use crate::snake_case::snake_case;

/// A name is what is missing if the grammar accepts at most this many tokens, one of which is a name.
const MAX_ALTERNATIVES: u32 = 3;

/// A keyword, a capitalized name, a number or the like in the position of a name.
pub fn invalid(f: &Failure<'_>) -> Option<SyntaxError> {
    let kind = f.found_kind()?;
    let text = f.text_of(f.at);
    if f.before(1) == Some(TokenKind::Dollar) {
        return Some(f.error(match kind {
            kind if kind.is_keyword() => keyword(text, NameRole::Variable),
            TokenKind::Capitalized => return Some(expected_lower_case(f)),
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
        return method_in_capitals(f).or_else(|| Some(expected_lower_case(f)));
    }
    if matches!(text, "True" | "False") {
        return Some(f.error(NameError::MiscasedBool { found: text.to_owned() }));
    }
    if f.expects(TokenKind::String) {
        return capitalized_value(f, text);
    }
    (f.before(1) == Some(TokenKind::Capitalized)).then(|| f.error(NameError::SecondCapital))
}

/// `None`, `Some(3)`, `Point {x => 1}`, `MAX`: a capitalized name in the position of a value.
fn capitalized_value(f: &Failure<'_>, text: &str) -> Option<SyntaxError> {
    let name = text.to_owned();
    match f.kind(f.at + 1) {
        _ if matches!(text, "None" | "Nil" | "Null" | "Undef" | "Nothing") => {
            Some(f.error(BareWordError::Null { word: name, in_entry: f.context == Some(BracketContext::Entries) }))
        }
        Some(TokenKind::OpenParen) if foreign_type(text) != text => {
            Some(f.error(HabitKind::Cast { ty: foreign_type(text) }))
        }
        Some(TokenKind::OpenParen) if matches!(text, "Some" | "Ok" | "Just") => {
            Some(f.error(HabitKind::Optional { word: name }))
        }
        Some(TokenKind::OpenCurly) => Some(f.error(HabitKind::NamedStruct { name })),
        Some(TokenKind::OpenParen) => Some(f.error(HabitKind::Constructor { name })),
        Some(TokenKind::Capitalized) if f.tokens.is_adjacent_to_previous(f.at + 1) => {
            let span = f.span_of(f.at).to(f.span_of(last_of_name(f, f.at)));
            let found = f.text.get(span.start as usize..span.end as usize).unwrap_or(text).to_owned();
            let lower = found.to_ascii_lowercase();
            Some(match lower.as_str() {
                "true" | "false" => SyntaxError::new(NameError::MiscasedBool { found }, span),
                "null" | "nil" | "none" | "undef" => {
                    let in_entry = f.context == Some(BracketContext::Entries);
                    SyntaxError::new(BareWordError::Null { word: found, in_entry }, span)
                }
                _ => {
                    let suggestion = format!("${lower}");
                    SyntaxError::new(NameError::ExpectedLowerCase { found, suggestion }, span)
                }
            })
        }
        _ => None,
    }
}

/// `case` or `let` in the position of a value.
fn foreign_keyword(f: &Failure<'_>, word: &str) -> Option<HabitKind> {
    let instead = match role(word)? {
        Role::Switch => Instead::If,
        Role::Binding if matches!(f.found_kind(), Some(TokenKind::Identifier | TokenKind::Dollar)) => {
            let name = if f.found_kind() == Some(TokenKind::Dollar) { f.at + 1 } else { f.at };
            Instead::Binding { name: f.owned_text(name) }
        }
        _ => return None,
    };
    Some(HabitKind::Keyword { word: word.to_owned(), instead })
}

fn keyword(keyword: &str, role: NameRole) -> NameError {
    NameError::Keyword { keyword: keyword.to_owned(), role }
}

/// `$x.Len()`, a method of another language.
fn method_in_capitals(f: &Failure<'_>) -> Option<SyntaxError> {
    let end = last_of_name(f, f.at);
    let is_method = f.before(1) == Some(TokenKind::Dot)
        && f.before(3) == Some(TokenKind::Dollar)
        && f.kind(end + 1) == Some(TokenKind::OpenParen);
    if !is_method {
        return None;
    }
    let receiver = format!("${}", f.text_of(f.at.checked_sub(2)?));
    let method = f.text_over(f.at, end).to_owned();
    let suggestion = Some(call_for_method(&method, &receiver)?);
    let span = f.span_of(f.at).to(f.span_of(end));
    Some(SyntaxError::new(HabitKind::Method { method, suggestion }, span))
}

/// A name with capitals, at its first letter.
fn expected_lower_case(f: &Failure<'_>) -> SyntaxError {
    let is_class = f.before(1) == Some(TokenKind::Class);
    let last = if is_class { last_of_class_name(f, f.at) } else { last_of_name(f, f.at) };
    let span = f.span_of(f.at).to(f.span_of(last));
    let found = f.text_over(f.at, last).to_owned();
    let suggestion = match found.as_str() {
        "Sprintf" | "Printf" | "Sprint" | "Println" | "Errorf" if f.before(1) == Some(TokenKind::Dot) => {
            "printf".to_owned()
        }
        _ => found.split(':').filter(|part| !part.is_empty()).map(snake_case).collect::<Vec<_>>().join(":"),
    };
    SyntaxError::new(NameError::ExpectedLowerCase { found, suggestion }, span)
}

/// Returns the last token of the name of a class, whose parts other languages join with two colons.
fn last_of_class_name(f: &Failure<'_>, first: TokenIdx) -> TokenIdx {
    let mut last = last_of_name(f, first);
    loop {
        let colons = [1, 2].into_iter().take_while(|count| f.kind(last + *count) == Some(TokenKind::Colon)).count();
        let next = last + colons as u32 + 1;
        if colons == 0 || !matches!(f.kind(next), Some(TokenKind::Capitalized | TokenKind::Identifier)) {
            return last;
        }
        last = last_of_name(f, next);
    }
}

/// Returns the last token of a name with capitals, which is a token for each of them.
pub fn last_of_name(f: &Failure<'_>, first: TokenIdx) -> TokenIdx {
    let is_part = |token| {
        f.tokens.is_adjacent_to_previous(token)
            && matches!(f.kind(token), Some(TokenKind::Capitalized | TokenKind::Underscore | TokenKind::Integer))
    };
    let mut last = first;
    while is_part(last + 1) {
        last = last + 1;
    }
    last
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
    if let Some(kind) = foreign_keyword(f, &word) {
        return Some(SyntaxError::new(kind, span));
    }
    let error = match word.as_str() {
        "return" => BareWordError::Return,
        "null" | "nil" | "undef" | "none" | "undefined" => {
            BareWordError::Null { word, in_entry: f.context == Some(BracketContext::Entries) }
        }
        _ if matches!(f.found_kind(), Some(TokenKind::Rocket | TokenKind::Equals | TokenKind::Colon))
            && f.context == Some(BracketContext::Arguments) =>
        {
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
        _ if before == Some(TokenKind::Rocket)
            || f.context == Some(BracketContext::Entries) && before == Some(TokenKind::Colon) =>
        {
            let is_ensure = first.checked_sub(2).is_some_and(|field| f.text_of(field) == "ensure");
            let kind = is_ensure.then(|| f.owned_text(f.start));
            BareWordError::Value { word, ensure_of: kind }
        }
        _ => BareWordError::Other { word, is_argument: f.context == Some(BracketContext::Arguments) },
    };
    Some(SyntaxError::new(error, span))
}
