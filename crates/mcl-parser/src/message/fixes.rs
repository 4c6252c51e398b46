//! Syntax errors whose help is a change of one or two tokens, as that change.

use mcl_diagnostics::{Change, Fix, Span};

use crate::bracket::BracketContext;
use crate::error::{
    BareWordError, BindingError, BracketError, EntryError, ExpressionError, Found, FunctionError, HabitKind, HeadError,
    NameError, StatementError, SyntaxErrorKind, TypeError,
};
use crate::message::expected::text;

/// Returns the changes that mend an error at a span, the most likely one first.
pub(super) fn fixes(kind: &SyntaxErrorKind, span: Span) -> Vec<Fix> {
    let after = Span { start: span.end, ..span };
    match kind {
        SyntaxErrorKind::MissingComma(_) => vec![Fix::safe("add the comma", Change::insert(after, ","))],
        SyntaxErrorKind::ExpectedOperator {
            context: Some(BracketContext::List | BracketContext::Arguments),
            operand,
            ..
        } => {
            let after = Span { start: operand.end, ..*operand };
            vec![Fix::guess("add a comma", Change::insert(after, ","))]
        }
        SyntaxErrorKind::Bracket(BracketError::Mismatched { expected, .. }) => {
            vec![Fix::replace_with(span, text(*expected))]
        }
        SyntaxErrorKind::Bracket(BracketError::Unmatched { .. }) => vec![remove(span, "bracket")],
        SyntaxErrorKind::Superfluous { found: Found::Token { text, .. } } if text.len() == length(span) => {
            vec![Fix::guess(format!("remove `{text}`"), Change::delete(span))]
        }
        SyntaxErrorKind::Habit(error) => habit(&error.kind, span),
        SyntaxErrorKind::Statement(error) => statement(error, span),
        SyntaxErrorKind::Name(error) => name(error, span),
        SyntaxErrorKind::Binding(BindingError::DoubleEquals { .. }) => instead(span, "==", "="),
        SyntaxErrorKind::Binding(BindingError::Rocket { .. }) => instead(span, "=>", "="),
        SyntaxErrorKind::Head(HeadError::QuotedInclude { class }) if length(span) == class.len() + 2 => {
            vec![Fix::replace_with(span, class.as_str())]
        }
        SyntaxErrorKind::Head(HeadError::UnquotedImport { found, module, alias: None }) => {
            instead(span, found, &format!("\"{module}\""))
        }
        SyntaxErrorKind::Function(FunctionError::ParameterWithoutDollar { name }) => {
            instead(span, name, &format!("${name}"))
        }
        SyntaxErrorKind::Expression(error) => expression(error, span),
        SyntaxErrorKind::BareWord(error) => bare_word(error, span),
        SyntaxErrorKind::Entry(EntryError::MiscasedMeta) => instead(span, "meta", "Meta"),
        SyntaxErrorKind::Type(TypeError::Unknown { word, near: Some(near) }) => instead(span, word, near),
        SyntaxErrorKind::Type(TypeError::CommaBetweenFields) => instead(span, ",", ";"),
        SyntaxErrorKind::Type(TypeError::TrailingSemicolon) => vec![remove(span, "semicolon")],
        _ => Vec::new(),
    }
}

fn habit(kind: &HabitKind, span: Span) -> Vec<Fix> {
    match kind {
        // Of several in a file, only the first is reported.
        HabitKind::Semicolon { in_brackets: false, count: 1 } if length(span) == 1 => vec![remove(span, "semicolon")],
        HabitKind::Comment { opener } => {
            let end = (span.start + opener.len() as u32).min(span.end);
            vec![Fix::replace_with(Span { end, ..span }, "#")]
        }
        _ => Vec::new(),
    }
}

fn statement(error: &StatementError, span: Span) -> Vec<Fix> {
    match error {
        StatementError::Semicolon => vec![remove(span, "semicolon")],
        StatementError::ForeignComment { opener } => instead(span, opener, "#"),
        StatementError::MiscasedKeyword { keyword } if keyword.len() == length(span) => {
            vec![Fix::replace_with(span, keyword.to_string())]
        }
        StatementError::MisspelledKeyword { word, keyword } => instead(span, word, keyword),
        StatementError::MissingDollar { name } => instead(span, name, &format!("${name}")),
        _ => Vec::new(),
    }
}

fn name(error: &NameError, span: Span) -> Vec<Fix> {
    match error {
        NameError::ExpectedLowerCase { found, suggestion } => {
            let (found, suggestion) = (found.trim_start_matches('$'), suggestion.trim_start_matches('$'));
            // The span may have the `$`.
            let before = length(span).saturating_sub(found.len()) as u32;
            let word = Span { start: span.start + before.min(1), ..span };
            instead(word, found, suggestion)
        }
        NameError::MiscasedBool { found } => instead(span, found, &found.to_ascii_lowercase()),
        _ => Vec::new(),
    }
}

fn expression(error: &ExpressionError, span: Span) -> Vec<Fix> {
    match error {
        ExpressionError::TripleEquals => instead(span, "===", "=="),
        ExpressionError::SingleEquals => instead(span, "=", "=="),
        ExpressionError::DotBetweenStrings => instead(span, ".", "+"),
        ExpressionError::DotBeforeField => instead(span, ".", "->"),
        ExpressionError::BarBar => [instead(span, "||", "or"), instead(span, "||", "<|>")].concat(),
        ExpressionError::NothingBetweenCommas | ExpressionError::NothingBeforeComma if length(span) == 1 => {
            vec![remove(span, "comma")]
        }
        ExpressionError::MissingFraction { integer } if length(span) == integer.len() + 1 => {
            vec![Fix::replace_with(span, format!("{integer}.0"))]
        }
        _ => Vec::new(),
    }
}

fn bare_word(error: &BareWordError, span: Span) -> Vec<Fix> {
    match error {
        BareWordError::LowerCaseEdge { word } => {
            let mut kind = word.clone();
            if let Some(first) = kind.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            instead(span, word, &kind)
        }
        BareWordError::Value { word, .. } => {
            [instead(span, word, &format!("\"{word}\"")), instead(span, word, &format!("${word}"))].concat()
        }
        BareWordError::Other { word, .. } => instead(span, word, &format!("${word}")),
        BareWordError::MapKey { word } => instead(span, word, &format!("\"{word}\"")),
        _ => Vec::new(),
    }
}

/// Replaces a word, if it is all that is at the span.
fn instead(span: Span, word: &str, new: &str) -> Vec<Fix> {
    let is_word = length(span) == word.len();
    is_word.then(|| Fix::replace_with(span, new)).into_iter().collect()
}

fn remove(span: Span, what: &str) -> Fix {
    Fix::guess(format!("remove the {what}"), Change::delete(span))
}

fn length(span: Span) -> usize {
    span.end.saturating_sub(span.start) as usize
}
