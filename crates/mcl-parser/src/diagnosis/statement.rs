//! Mistakes at the start of statements and in the heads of statements.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{
    BareWordError, BindingError, FunctionError, HeadError, LoopError, StatementError, SyntaxError, SyntaxErrorKind,
    TypeError,
};
use crate::failure::{Cause, Failure};
use crate::token_set::{EXPRESSION_ONLY_START, SIMPLE_TYPE, STRING_LIKE, WORD};

/// The end of a list of names is looked for among this many tokens.
const MAX_NAME_TOKENS: usize = 40;

/// Returns the error for an element or entry that is not followed by a comma.
pub fn missing_comma(f: &Failure<'_>) -> SyntaxError {
    let context = f.context.unwrap_or(BracketContext::List);
    f.error_at(SyntaxErrorKind::MissingComma(context), f.last())
}

/// A statement inside a resource or function, and `elseif`.
pub fn misplaced(f: &Failure<'_>) -> Option<SyntaxError> {
    if matches!(f.text_of(f.start), "elseif" | "elsif" | "elif") {
        return Some(f.error_at(StatementError::ElseIf, f.start));
    }
    match f.cause {
        Cause::MisplacedStatement if f.context == Some(BracketContext::Body) && f.text_of(f.at) == "return" => {
            Some(f.error(BareWordError::Return))
        }
        Cause::MisplacedStatement => Some(f.error(StatementError::Misplaced(f.context?))),
        Cause::Unexpected(_) => None,
    }
}

/// A token that cannot start a statement, and a statement that fails directly after its first word.
pub fn at_start(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.at == f.start {
        return Some(not_a_statement(f));
    }
    let first = f.tokens.kind(f.start)?;
    match first {
        TokenKind::Else if f.kind(f.start + 1) == Some(TokenKind::If) => Some(f.error(StatementError::ElseIf)),
        TokenKind::Identifier if f.at == f.start + 1 => Some(after_word(f)),
        TokenKind::Func if f.found_kind() == Some(TokenKind::OpenParen) && f.at == f.start + 1 => {
            Some(f.error(FunctionError::MissingName))
        }
        TokenKind::Identifier
            if f.tokens.kind(f.start + 1) == Some(TokenKind::OpenParen)
                && f.tokens.is_adjacent_to_previous(f.start + 1)
                && f.expects(TokenKind::OpenCurly) =>
        {
            let call = f.span_of(f.start).to(f.span_of(f.last()));
            Some(SyntaxError::new(StatementError::Call { name: f.owned_text(f.start) }, call))
        }
        TokenKind::Identifier if f.tokens.kind(f.start + 1) == Some(TokenKind::OpenCurly) => {
            let kind = f.owned_text(f.start);
            Some(f.error_at(StatementError::MissingResourceName { kind }, f.start))
        }
        TokenKind::Capitalized if f.at == f.start + 1 && f.found_kind() != Some(TokenKind::Capitalized) => {
            let word = f.text_of(f.start);
            let keyword = word.to_ascii_lowercase();
            Some(match keyword.as_str() {
                "if" | "for" | "forkv" | "class" | "import" | "include" | "func" | "panic" | "collect" => {
                    f.error_at(StatementError::MiscasedKeyword { keyword }, f.start)
                }
                _ => f.error(StatementError::ExpectedEdgeName { kind: word.to_owned(), found: f.found() }),
            })
        }
        TokenKind::Dollar if f.at == f.start + 2 => Some(in_binding(f)),
        _ => None,
    }
}

/// Returns the error for the name of a resource without a kind before it: braces follow it on its line.
fn missing_kind(f: &Failure<'_>, first: TokenIdx) -> Option<SyntaxError> {
    let last = match f.kind(first)? {
        kind if STRING_LIKE.contains(kind) => first,
        TokenKind::Dollar => first + 1,
        TokenKind::OpenBracket => {
            let line = (first + 1).until(f.tokens.end_idx()).take_while(|token| !f.tokens.newline_before(*token));
            line.take(MAX_NAME_TOKENS).find(|token| f.tokens.kind(*token) == Some(TokenKind::CloseBracket))?
        }
        _ => return None,
    };
    let brace = last + 1;
    let is_body = f.tokens.kind(brace) == Some(TokenKind::OpenCurly) && !f.tokens.newline_before(brace);
    let name = f.text_over(first, last).replace('\'', "\"");
    let span = f.span_of(first).to(f.span_of(last));
    is_body.then(|| SyntaxError::new(StatementError::MissingResourceKind { name }, span))
}

fn not_a_statement(f: &Failure<'_>) -> SyntaxError {
    let found = f.found_kind();
    if let Some(error) = missing_kind(f, f.at) {
        return error;
    }
    // The block before it was complete for the parser.
    let is_after_block = f.at.previous().and_then(|previous| f.kind(previous)) == Some(TokenKind::CloseCurly);
    if is_after_block && found == Some(TokenKind::Else) && f.kind(f.at + 1) == Some(TokenKind::If) {
        return f.error_at(StatementError::ElseIf, f.at + 1);
    }
    f.error(match found {
        Some(TokenKind::Else) => StatementError::UnmatchedElse,
        Some(TokenKind::Semicolon) => StatementError::Semicolon,
        Some(TokenKind::Divide) if matches!(f.kind(f.at + 1), Some(TokenKind::Divide | TokenKind::Multiply)) => {
            StatementError::ForeignComment { opener: format!("/{}", f.text_of(f.at + 1)) }
        }
        _ => StatementError::Expected { found: f.found(), is_expression: EXPRESSION_ONLY_START.has(found) },
    })
}

/// Returns the last token of the dotted name that starts the statement, if it is called.
fn last_of_called(f: &Failure<'_>) -> Option<TokenIdx> {
    let is_part = |token: TokenIdx| {
        f.tokens.is_adjacent_to_previous(token)
            && f.kind(token)
                .is_some_and(|kind| WORD.contains(kind) || matches!(kind, TokenKind::Dot | TokenKind::Capitalized))
    };
    let mut end = f.start + 1;
    while is_part(end) {
        end = end + 1;
    }
    end.previous().filter(|_| f.kind(end) == Some(TokenKind::OpenParen))
}

/// Whether the statement is `a.b.c = …`.
fn binds_dotted_name(f: &Failure<'_>) -> bool {
    let mut end = f.at;
    while f.kind(end) == Some(TokenKind::Dot) && WORD.has(f.kind(end + 1)) {
        end = end + 2;
    }
    f.kind(end) == Some(TokenKind::Equals)
}

/// The token after an identifier that starts a statement.
fn after_word(f: &Failure<'_>) -> SyntaxError {
    let word = f.owned_text(f.start);
    if let (Some(TokenKind::Dot), Some(last)) = (f.found_kind(), last_of_called(f)) {
        let name = f.text_over(f.start, last).to_owned();
        return SyntaxError::new(StatementError::Call { name }, f.span_of(f.start).to(f.span_of(last)));
    }
    let is_typed_binding = || SIMPLE_TYPE.has(f.found_kind()) && f.kind(f.at + 1) == Some(TokenKind::Equals);
    if f.found_kind() == Some(TokenKind::Equals) || is_typed_binding() {
        return f.error_at(StatementError::MissingDollar { name: word }, f.start);
    }
    f.error(match f.found_kind() {
        Some(TokenKind::OpenParen) => StatementError::Call { name: word },
        Some(TokenKind::Dot) if binds_dotted_name(f) => return f.error(BindingError::DottedName),
        Some(TokenKind::Dot) => StatementError::DottedResourceKind,
        Some(TokenKind::OpenCurly) => StatementError::MissingResourceName { kind: word },
        None => StatementError::LoneWord { word },
        Some(_) => StatementError::ExpectedResourceName {
            kind: word,
            found: f.found(),
            has_body: f.kind(f.at + 1) == Some(TokenKind::OpenCurly),
        },
    })
}

/// `$a == 1`, `$a.b = 1`, `$a: int = 1`, `$a string = …`, `$a` alone.
fn in_binding(f: &Failure<'_>) -> SyntaxError {
    let name = f.owned_text(f.start + 1);
    match f.found_kind() {
        Some(TokenKind::Eq) => f.error(BindingError::DoubleEquals { name }),
        Some(TokenKind::Dot) => f.error(BindingError::DottedName),
        Some(TokenKind::Colon) => {
            let ty =
                if f.kind(f.at + 1) == Some(TokenKind::Identifier) { f.owned_text(f.at + 1) } else { "int".to_owned() };
            f.error(TypeError::ColonBeforeType { name, ty })
        }
        Some(TokenKind::Rocket) => f.error(BindingError::Rocket { name }),
        Some(TokenKind::Plus | TokenKind::Multiply | TokenKind::Divide) => {
            f.error(StatementError::Expression { reassigns: true })
        }
        Some(TokenKind::OpenBracket | TokenKind::Arrow | TokenKind::OpenParen) => {
            f.error(StatementError::Expression { reassigns: false })
        }
        Some(TokenKind::OpenCurly)
            if (f.kind(f.at + 1) == Some(TokenKind::CloseCurly) || f.tokens.newline_before(f.at + 1))
                && let Some(error) = missing_kind(f, f.start) =>
        {
            error
        }
        Some(TokenKind::OpenCurly) => f.error(TypeError::MapWithoutKeyword),
        Some(TokenKind::Identifier) => f.error(TypeError::unknown(f.text_of(f.at))),
        None => f.error(BindingError::LoneVariable { name }),
        Some(_) => f.error(BindingError::ExpectedEqualsOrType { name, found: f.found() }),
    }
}

/// Mistakes in the heads of statements.
pub fn in_head(f: &Failure<'_>) -> Option<SyntaxError> {
    match f.tokens.kind(f.start)? {
        keyword @ (TokenKind::For | TokenKind::ForKv) if !f.expects(TokenKind::OpenCurly) && f.context.is_none() => {
            let error = in_loop_head(f)?;
            Some(f.error(HeadError::Loop { keyed: keyword == TokenKind::ForKv, error }))
        }
        TokenKind::Class if f.at == f.start + 2 && f.found_kind() == Some(TokenKind::Dollar) => {
            let (class, parameter) = (f.owned_text(f.last()), f.owned_text(f.at + 1));
            Some(f.error(HeadError::ParameterWithoutParentheses { class, parameter }))
        }
        TokenKind::Class if f.at - f.start >= 2 && f.found_kind() == Some(TokenKind::Dot) => {
            Some(f.error(HeadError::DottedClassName))
        }
        TokenKind::Include => in_include(f).map(|error| f.error(error)),
        TokenKind::Import => in_import(f).map(|error| f.error(error)),
        TokenKind::Func | TokenKind::Class if f.context == Some(BracketContext::Parameters) => in_parameters(f),
        TokenKind::Func => in_function(f).map(|error| f.error(error)),
        TokenKind::Panic if f.at == f.start + 1 => Some(f.error(HeadError::PanicWithoutParentheses)),
        _ => None,
    }
}

fn in_loop_head(f: &Failure<'_>) -> Option<LoopError> {
    let mut head = f.start.until(f.at).map(|token| f.tokens.kind(token));
    if head.clone().any(|kind| kind == Some(TokenKind::In)) {
        return None;
    }
    let has_comma = head.any(|kind| kind == Some(TokenKind::Comma));
    Some(match f.found_kind() {
        Some(TokenKind::In) if !has_comma => LoopError::OneVariable,
        Some(TokenKind::Comma) if has_comma => LoopError::ThreeVariables,
        Some(kind) if kind.is_keyword() && kind != TokenKind::In => LoopError::TypedVariable,
        _ => LoopError::Expected { found: f.found() },
    })
}

fn in_include(f: &Failure<'_>) -> Option<HeadError> {
    match f.found_kind()? {
        TokenKind::Colon => {
            let (outer, inner) = (f.owned_text(f.last()), f.owned_text(f.at + 1));
            Some(HeadError::IncludeWithColon { outer, inner })
        }
        TokenKind::String if f.at == f.start + 1 => {
            Some(HeadError::QuotedInclude { class: f.text_of(f.at).trim_matches('"').to_owned() })
        }
        TokenKind::Multiply => Some(HeadError::StarAliasOfInclude),
        _ => None,
    }
}

fn in_import(f: &Failure<'_>) -> Option<HeadError> {
    match f.found_kind() {
        Some(TokenKind::Identifier) if f.at == f.start + 1 => Some(unquoted_import(f)),
        _ if f.at == f.start + 1 => Some(HeadError::ExpectedModule { found: f.found() }),
        Some(TokenKind::Dot) => Some(HeadError::DottedImportAlias),
        Some(TokenKind::Plus) => Some(HeadError::ImportOfExpression),
        _ => None,
    }
}

/// `import fmt`, `import golang/strings as s`.
fn unquoted_import(f: &Failure<'_>) -> HeadError {
    let is_part = |token: TokenIdx| {
        f.tokens.is_adjacent_to_previous(token)
            && matches!(f.tokens.kind(token), Some(TokenKind::Identifier | TokenKind::Divide | TokenKind::Dot))
    };
    let mut end = f.at + 1;
    while is_part(end) {
        end = end + 1;
    }
    let module = f.at.until(end).map(|token| f.text_of(token)).collect();
    let has_alias = f.tokens.kind(end) == Some(TokenKind::As) && !f.tokens.newline_before(end + 1);
    let alias = (has_alias && f.tokens.kind(end + 1) == Some(TokenKind::Identifier)).then(|| f.owned_text(end + 1));
    HeadError::UnquotedImport { found: f.owned_text(f.at), module, alias }
}

fn in_parameters(f: &Failure<'_>) -> Option<SyntaxError> {
    match f.found_kind()? {
        TokenKind::Identifier if matches!(f.before(1), Some(TokenKind::OpenParen | TokenKind::Comma)) => {
            Some(f.error(FunctionError::ParameterWithoutDollar { name: f.owned_text(f.at) }))
        }
        TokenKind::Equals => Some(f.error(FunctionError::ParameterDefault)),
        TokenKind::Dollar => Some(missing_comma(f)),
        TokenKind::Identifier => Some(f.error(TypeError::unknown(f.text_of(f.at)))),
        _ => None,
    }
}

fn in_function(f: &Failure<'_>) -> Option<FunctionError> {
    let after_name = f.at == f.start + 2;
    match f.found_kind()? {
        TokenKind::CloseCurly if f.before(1) == Some(TokenKind::OpenCurly) => Some(FunctionError::EmptyBody),
        TokenKind::Arrow => Some(FunctionError::SignBeforeResult { found: f.owned_text(f.at) }),
        TokenKind::Equals if f.context == Some(BracketContext::Body) => Some(FunctionError::VariableInBody),
        TokenKind::OpenParen if f.before(1) == Some(TokenKind::CloseParen) && f.context.is_none() => {
            Some(FunctionError::SeveralResults)
        }
        TokenKind::Dot if after_name => Some(FunctionError::DottedName),
        TokenKind::OpenCurly if after_name => {
            Some(FunctionError::MissingParentheses { name: f.owned_text(f.start + 1) })
        }
        _ => None,
    }
}
