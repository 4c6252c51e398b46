//! What each token is, for colours (spec 11 §3.7). Broken texts are coloured as far as tokens go.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use mcl_diagnostics::FileId;
use mcl_lexer::{TokenKind, Tokens};

use crate::analysis::Analysis;
use crate::index::{DefinedKind, Occurrence, Symbol};
use crate::program::Program;
use crate::semantic_token::{SemanticToken, TokenClass};

impl Analysis {
    /// Returns the tokens of a file.
    #[must_use]
    pub fn semantic_tokens(&self, path: &Path) -> Arc<Vec<SemanticToken>> {
        match (&self.classified, self.program_of(path)) {
            (Some((of, tokens)), _) if of == path => Arc::clone(tokens),
            (_, Some((program, file))) => Arc::clone(of_file(program, file)),
            (_, None) => Arc::default(),
        }
    }
}

/// Returns the tokens of a file of a program, which are kept.
pub(crate) fn of_file(program: &Program, file: FileId) -> &Arc<Vec<SemanticToken>> {
    program.semantic_tokens(file, || {
        let text = program.file(file).map_or("", |file| &file.text);
        let tokens = program.tokens(file).cloned().unwrap_or_default();
        classify(text, &tokens, program, program.index().of_file(file))
    })
}

/// Returns the tokens of a text of which some bytes are new: the tokens before, and the program that tells what is new.
pub(crate) fn after_edit(
    before: &[SemanticToken],
    (old, new): (&Range<u32>, &Range<u32>),
    text: &str,
    tokens: &Tokens,
    (program, file): (&Program, FileId),
) -> Vec<SemanticToken> {
    let names = program.index().of_file(file);
    let first = names.partition_point(|name| name.range.start < new.start);
    let end = names.partition_point(|name| name.range.start < new.end);
    let inside = classify(text, tokens, program, &names[first..end.max(first)]);
    let moved = |at: u32| at - old.end + new.end;
    let start = before.partition_point(|token| token.range.end <= old.start);
    let rest = before.partition_point(|token| token.range.start < old.end);
    let mut all = Vec::with_capacity(before.len() + inside.len());
    all.extend_from_slice(&before[..start]);
    all.extend(inside);
    all.extend(before[rest..].iter().map(|token| {
        let range = moved(token.range.start)..moved(token.range.end);
        SemanticToken { range, ..token.clone() }
    }));
    all
}

fn classify(text: &str, tokens: &Tokens, program: &Program, names: &[Occurrence]) -> Vec<SemanticToken> {
    let mut found: Vec<SemanticToken> = names.iter().filter_map(|name| of_name(text, program, name)).collect();
    // Of two names in one place, the one that says more: an alias is also the string of its import.
    found.sort_by_key(|token| (token.range.start, token.range.end));
    let mut covered = 0;
    found.retain(|token| {
        let is_free = token.range.start >= covered;
        if is_free {
            covered = token.range.end;
        }
        is_free
    });
    let mut result = Vec::with_capacity(tokens.len());
    let mut named = found.into_iter().peekable();
    for token in tokens.indices() {
        let (start, end) = (tokens.start(token), tokens.end(token));
        let class = of_token(tokens[token]);
        let mut at = start;
        while let Some(name) = named.next_if(|name| name.range.start < end) {
            if name.range.end <= at {
                continue;
            }
            if let Some(class) = class.filter(|_| at < name.range.start) {
                result.push(SemanticToken::new(at..name.range.start, class));
            }
            at = name.range.end;
            result.push(name);
        }
        if let Some(class) = class.filter(|_| at < end) {
            result.push(SemanticToken::new(at..end, class));
        }
    }
    result.extend(tokens.comments.iter().map(|c| SemanticToken::new(c.start..c.end, TokenClass::Comment)));
    result.sort_by_key(|token| token.range.start);
    // A name of several tokens, such as `fmt.printf` or a kind with colons, covers all of them.
    let mut end = 0;
    result.retain(|token| {
        let is_free = token.range.start >= end;
        end = end.max(token.range.end);
        is_free
    });
    result
}

fn of_name(text: &str, program: &Program, name: &Occurrence) -> Option<SemanticToken> {
    let written = text.get(name.range.start as usize..name.range.end as usize)?;
    let mut token = SemanticToken::new(name.range.clone(), TokenClass::Variable);
    token.is_declaration = name.is_definition;
    match &name.symbol {
        symbol @ Symbol::Defined(..) => {
            let defined = program.index().defined(symbol)?;
            token.class = match defined.kind {
                DefinedKind::Bind(_) => TokenClass::Variable,
                DefinedKind::Function(_) => TokenClass::Function,
                DefinedKind::Class(_) => TokenClass::Class,
                DefinedKind::Parameter(_) => TokenClass::Parameter,
                DefinedKind::Alias(_) => TokenClass::Namespace,
            };
            if written.starts_with('"') {
                return None; // The string of an import is a string.
            }
        }
        Symbol::Function(_) => {
            token.class = TokenClass::Function;
            token.is_builtin = true;
        }
        Symbol::Variable(registered) => {
            token.is_builtin = true;
            if registered.starts_with("const.") {
                token.class = TokenClass::EnumMember;
                token.is_readonly = true;
            }
        }
        Symbol::Kind(_) => {
            token.class = TokenClass::Class;
            token.is_builtin = true;
        }
        Symbol::Parameter(..) | Symbol::StructField => token.class = TokenClass::Property,
        Symbol::Meta(_) | Symbol::EdgeWord(_) => token.class = TokenClass::Macro,
        Symbol::Resource(..) if written.starts_with('"') => return None,
        Symbol::Resource(..) => {
            token.class = TokenClass::Class;
            token.is_declaration = false;
        }
        Symbol::Import(_) => return None,
    }
    Some(token)
}

/// Returns the class of a token without a known meaning.
fn of_token(kind: TokenKind) -> Option<TokenClass> {
    Some(match kind {
        TokenKind::Identifier => TokenClass::Variable,
        TokenKind::Capitalized => TokenClass::Class,
        TokenKind::Integer | TokenKind::Float | TokenKind::IntegerOverflow | TokenKind::FloatOverflow => {
            TokenClass::Number
        }
        TokenKind::String | TokenKind::UnterminatedString | TokenKind::WrongQuotes | TokenKind::Heredoc => {
            TokenClass::String
        }
        TokenKind::TypeBool
        | TokenKind::TypeStr
        | TokenKind::TypeInt
        | TokenKind::TypeFloat
        | TokenKind::Map
        | TokenKind::Struct
        | TokenKind::Variant => TokenClass::Type,
        kind if kind.is_keyword() => TokenClass::Keyword,
        TokenKind::OpenCurly
        | TokenKind::CloseCurly
        | TokenKind::OpenParen
        | TokenKind::CloseParen
        | TokenKind::OpenBracket
        | TokenKind::CloseBracket
        | TokenKind::Comma
        | TokenKind::Semicolon => return None,
        kind if kind.is_error() => return None,
        _ => TokenClass::Operator,
    })
}
