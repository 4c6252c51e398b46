//! Mistakes in resource bodies, parameters, maps, structs and types.

use mcl_lexer::TokenKind;

use crate::bracket::BracketContext;
use crate::error::{BareWordError, EntryError, FunctionError, SyntaxError, TypeError};
use crate::failure::Failure;
use crate::foreign_kinds::kind_in_edge;
use crate::lookahead::is_entry_without_rocket;
use crate::token_set::OPERAND_END;

/// Mistakes in brackets, by what the brackets contain.
pub fn in_entries(f: &Failure<'_>) -> Option<SyntaxError> {
    let before = f.before(1)?;
    let context = f.context?;
    let at_entry = |before| matches!(before, Some(TokenKind::Comma | TokenKind::OpenCurly));
    // Even on a line of its own, where the statement could be taken to end.
    let quoted = f.tokens.kind(f.at) == Some(TokenKind::String);
    if quoted && matches!(context, BracketContext::Entries | BracketContext::Struct) && at_entry(Some(before)) {
        return Some(f.error_at(EntryError::QuotedName, f.at));
    }
    if context == BracketContext::Entries
        && before == TokenKind::Identifier
        && at_entry(f.before(2))
        && is_entry_without_rocket(f.tokens, f.last())
    {
        let field = f.owned_text(f.last());
        return Some(f.error_at(EntryError::MissingRocket { field }, f.last()));
    }
    let found = f.found_kind()?;
    if context == BracketContext::Entries && found == TokenKind::OpenCurly && before == TokenKind::Identifier {
        return Some(f.error_at(EntryError::Block { word: f.owned_text(f.last()) }, f.last()));
    }
    match context {
        BracketContext::Parameters => in_parameters(f, before, found),
        BracketContext::Entries => in_resource(f, before, found).map(|error| f.error(error)),
        BracketContext::Map | BracketContext::Struct => in_map_or_struct(f, context, before, found),
        BracketContext::Type => in_type(f, before, found).map(|error| f.error(error)),
        BracketContext::Arguments
        | BracketContext::Parentheses
        | BracketContext::List
        | BracketContext::Index
        | BracketContext::EdgeName
        | BracketContext::Body
        | BracketContext::Block => None,
    }
}

fn in_parameters(f: &Failure<'_>, before: TokenKind, found: TokenKind) -> Option<SyntaxError> {
    match found {
        TokenKind::Colon if before == TokenKind::Identifier => {
            Some(f.error(TypeError::ColonBeforeType { name: f.owned_text(f.last()), ty: "int".to_owned() }))
        }
        TokenKind::TypeBool | TokenKind::TypeStr | TokenKind::TypeInt | TokenKind::TypeFloat
            if matches!(before, TokenKind::Comma | TokenKind::OpenParen) =>
        {
            Some(f.error(FunctionError::TypeBeforeParameter { ty: f.owned_text(f.at), name: None }))
        }
        // Of a function value: statements were looked at before.
        TokenKind::Identifier if matches!(before, TokenKind::Comma | TokenKind::OpenParen) => {
            Some(f.error(FunctionError::ParameterWithoutDollar { name: f.owned_text(f.at) }))
        }
        _ => None,
    }
}

fn in_resource(f: &Failure<'_>, before: TokenKind, found: TokenKind) -> Option<EntryError> {
    match found {
        TokenKind::Colon if before == TokenKind::Identifier && f.text_of(f.last()) == "meta" => {
            Some(EntryError::MiscasedMeta)
        }
        TokenKind::Equals | TokenKind::Colon if before == TokenKind::Identifier => {
            Some(EntryError::ExpectedRocket { after: BracketContext::Entries, found: f.owned_text(f.at) })
        }
        TokenKind::Capitalized
            if before == TokenKind::Rocket
                && f.before(2) == Some(TokenKind::Identifier)
                && f.kind(f.at + 1) == Some(TokenKind::OpenBracket) =>
        {
            let property = match f.at.checked_sub(2).map(|property| f.text_of(property)) {
                Some("require" | "depend") => "Depend",
                Some("notify") => "Notify",
                Some("subscribe" | "listen") => "Listen",
                _ => "Before",
            };
            let closer = (f.at + 2).until(f.tokens.end_idx()).take(8);
            let closer = closer.into_iter().find(|token| f.tokens.kind(*token) == Some(TokenKind::CloseBracket));
            let half = match closer {
                Some(closer) => f.text.get(f.tokens.start(f.at) as usize..f.tokens.end(closer) as usize),
                None => None,
            };
            if let Some(closer) = closer
                && f.tokens.kind(closer + 1) == Some(TokenKind::Dot)
                && f.tokens.kind(closer + 2) == Some(TokenKind::Identifier)
            {
                let field = f.owned_text(f.at.checked_sub(2)?);
                return Some(EntryError::SentValue { half: f.text_over(f.at, closer + 2).to_owned(), field });
            }
            let kind = kind_in_edge(f.text_of(f.at));
            let names = half.and_then(|half| half.split_once('[')).map(|(_, names)| names.replace('\'', "\""));
            let half = names.map_or_else(|| format!("{kind}[…]"), |names| format!("{kind}[{names}"));
            Some(EntryError::EdgeAsValue { property, half })
        }
        TokenKind::Arrow => Some(EntryError::EdgeChain),
        TokenKind::Dot if before == TokenKind::CloseBracket => Some(EntryError::EdgeWithField),
        _ => None,
    }
}

fn in_map_or_struct(
    f: &Failure<'_>,
    context: BracketContext,
    before: TokenKind,
    found: TokenKind,
) -> Option<SyntaxError> {
    match found {
        TokenKind::Colon | TokenKind::Equals if OPERAND_END.contains(before) => {
            Some(f.error(EntryError::ExpectedRocket { after: context, found: f.owned_text(f.at) }))
        }
        TokenKind::Rocket if before == TokenKind::Identifier && context == BracketContext::Map => {
            Some(f.error_at(BareWordError::MapKey { word: f.owned_text(f.last()) }, f.last()))
        }
        _ => None,
    }
}

fn in_type(f: &Failure<'_>, before: TokenKind, found: TokenKind) -> Option<TypeError> {
    match found {
        TokenKind::CloseCurly if before == TokenKind::Semicolon => Some(TypeError::TrailingSemicolon),
        TokenKind::Comma => Some(TypeError::CommaBetweenFields),
        TokenKind::Rocket | TokenKind::Equals => Some(TypeError::ExpectedColon { found: f.owned_text(f.at) }),
        _ => None,
    }
}
