//! What kind of thing belongs at a place, from the tokens before it.

use std::ops::Range;

use mcl_lexer::{TokenIdx, TokenKind, Tokens};

/// The words before the other half of an edge.
pub(crate) const EDGE_WORDS: &[&str] = &["Before", "Depend", "Listen", "Notify"];

/// What belongs at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// A comment, plain text, or a new name.
    Nothing,
    Statement,
    /// After a `$`, or in `${…}`.
    Variable {
        in_string: bool,
    },
    /// A value, perhaps of a parameter: its kind and its name.
    Expression {
        parameter: Option<(String, String)>,
    },
    Include,
    /// An entry of a resource of this kind, which has these already.
    Entry {
        kind: String,
        set: Vec<String>,
    },
    /// After `Meta:`.
    Meta,
    /// A field of `Meta => struct{…}`.
    MetaField {
        set: Vec<String>,
    },
    /// Inside the quotes of the value of a parameter.
    Value {
        kind: String,
        parameter: String,
    },
    /// After `Notify =>` and the like.
    EdgeKind,
    /// Inside the quotes of `File["…"]`.
    EdgeName {
        kind: String,
    },
    /// Inside the quotes of an import.
    Import,
    Type,
    /// After the `%` of a format.
    Verb,
    /// After `Exec["name"].`: what the kind sends, or after `->` what it takes.
    Key {
        kind: String,
        takes: bool,
    },
}

/// Returns what belongs at an offset, and the bytes of the word there.
pub(crate) fn context(text: &str, tokens: &Tokens, offset: u32) -> (Context, Range<u32>) {
    let nothing = (Context::Nothing, offset..offset);
    let is_in_comment = |start: u32, end: u32| start < offset && offset <= end;
    if tokens.comments.iter().any(|comment| is_in_comment(comment.start, comment.end)) {
        return nothing;
    }
    let before = tokens.first_from(offset);
    let inside =
        before.previous().filter(|token| offset < tokens.end(*token) || is_open_string(tokens, *token, offset));
    if let Some(string) = inside.filter(|token| is_string(tokens[*token])) {
        return in_string(text, tokens, string, offset);
    }
    let word = word_start(text, offset)..offset;
    let cursor = Cursor { text, tokens, end: tokens.first_from(word.start) };
    let typed = text.get(word.start as usize..word.end as usize).unwrap_or("");
    if typed.starts_with('.')
        && let Some((kind, takes)) = cursor.edge_half()
    {
        return (Context::Key { kind, takes }, word.start + 1..word.end);
    }
    (cursor.context(text.get(word.start as usize..word.end as usize).unwrap_or("")), word)
}

fn is_string(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::String | TokenKind::UnterminatedString)
}

/// Whether the offset is at the end of a string without a closing quote.
fn is_open_string(tokens: &Tokens, token: TokenIdx, offset: u32) -> bool {
    tokens[token] == TokenKind::UnterminatedString && offset == tokens.end(token)
}

/// Returns the start of the name before an offset: `$a.b`, `fmt.pr`, `Meta:no`.
fn word_start(text: &str, offset: u32) -> u32 {
    let before = text.get(..offset as usize).unwrap_or("");
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let name = before.trim_end_matches(is_part);
    name.strip_suffix('$').unwrap_or(name).len() as u32
}

fn in_string(text: &str, tokens: &Tokens, string: TokenIdx, offset: u32) -> (Context, Range<u32>) {
    let start = tokens.start(string);
    let content = text.get(start as usize + 1..offset as usize).unwrap_or("");
    if let Some(at) = content.rfind("${").filter(|at| !content[*at..].contains('}')) {
        return (Context::Variable { in_string: true }, start + 1 + at as u32 + 2..offset);
    }
    let end = tokens.end(string) - u32::from(tokens[string] == TokenKind::String);
    let word = start + 1..end.max(offset);
    let cursor = Cursor { text, tokens, end: string };
    if let Some(verb) = open_verb(content)
        && cursor.last() == Some(TokenKind::OpenParen)
        && cursor.before(1).word() == "printf"
    {
        return (Context::Verb, start + 1 + verb as u32..offset);
    }
    let context = match cursor.last() {
        Some(TokenKind::Import) => Context::Import,
        Some(TokenKind::Rocket) => match cursor.parameter() {
            Some((kind, parameter)) => Context::Value { kind, parameter },
            None => Context::Nothing,
        },
        Some(TokenKind::OpenBracket) => match cursor.before(1).capitalized() {
            Some(kind) => Context::EdgeName { kind },
            None => Context::Nothing,
        },
        _ => Context::Nothing,
    };
    (context, word)
}

/// Returns where the `%` is that a text ends with, unless it belongs to `%%`.
fn open_verb(text: &str) -> Option<usize> {
    let signs = text.len() - text.trim_end_matches('%').len();
    (signs % 2 == 1).then(|| text.len() - 1)
}

/// The tokens before a place.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    end: TokenIdx,
}

/// What is open around a place.
enum Around {
    /// The file, or a block of statements.
    Block,
    /// The body of a resource of this kind, up to the place; and its first token.
    Resource(String, TokenIdx),
    /// `Meta => struct{`.
    MetaStruct(TokenIdx),
    /// The parameters of a class or function.
    Parameters,
    /// Any other bracket.
    Other,
}

impl<'a> Cursor<'a> {
    fn last(self) -> Option<TokenKind> {
        self.tokens.kind(self.end.previous()?)
    }

    fn before(self, count: u32) -> Cursor<'a> {
        Cursor { end: self.end.checked_sub(count).unwrap_or(TokenIdx::FIRST), ..self }
    }

    fn word(self) -> &'a str {
        self.end.previous().map_or("", |token| self.tokens.text(self.text, token))
    }

    fn context(self, word: &str) -> Context {
        if self.last() == Some(TokenKind::Colon) && self.before(1).word() == "Meta" {
            return Context::Meta;
        }
        let around = self.around();
        if word.starts_with('$') {
            let is_new = match around {
                Around::Block => self.starts_statement(),
                Around::Parameters => true,
                _ => false,
            } || matches!(self.last(), Some(TokenKind::For | TokenKind::ForKv));
            return if is_new { Context::Nothing } else { Context::Variable { in_string: false } };
        }
        match self.last() {
            Some(TokenKind::Class | TokenKind::Func | TokenKind::As | TokenKind::Import | TokenKind::Dot) => {
                return Context::Nothing;
            }
            Some(TokenKind::Include) => return Context::Include,
            Some(TokenKind::Arrow) => return Context::Nothing,
            Some(TokenKind::CloseBracket) if self.is_after_list_type() => return Context::Type,
            _ => {}
        }
        match around {
            Around::Resource(kind, first) => match self.last() {
                Some(TokenKind::OpenCurly | TokenKind::Comma) => Context::Entry { kind, set: self.names_from(first) },
                Some(TokenKind::Rocket) if is_edge_word(self.before(1).word()) => Context::EdgeKind,
                Some(TokenKind::Rocket) => Context::Expression { parameter: self.parameter() },
                Some(TokenKind::Identifier | TokenKind::Capitalized | TokenKind::Elvis) | None => Context::Nothing,
                Some(_) => self.operand(),
            },
            Around::MetaStruct(first) => match self.last() {
                Some(TokenKind::OpenCurly | TokenKind::Comma) => Context::MetaField { set: self.names_from(first) },
                _ => self.operand(),
            },
            Around::Parameters => match self.last() {
                Some(TokenKind::Identifier) => Context::Type,
                _ => Context::Nothing,
            },
            Around::Block if self.starts_statement() => Context::Statement,
            Around::Block | Around::Other => self.operand(),
        }
    }

    /// Returns whether a statement may start here: after a line end, a brace, or nothing.
    fn starts_statement(self) -> bool {
        match self.last() {
            None | Some(TokenKind::OpenCurly | TokenKind::CloseCurly) => true,
            Some(kind) if continues(kind) => false,
            Some(_) => {
                let from = self.end.previous().map_or(0, |token| self.tokens.end(token));
                let to = self.tokens.start(self.end);
                self.text.get(from as usize..to as usize).is_some_and(|between| between.contains('\n'))
                    || self.tokens.newline_before(self.end)
            }
        }
    }

    /// Returns the kind in the half of an edge before the place, `Exec["name"]`, and whether it is the right half.
    fn edge_half(self) -> Option<(String, bool)> {
        if self.last() != Some(TokenKind::CloseBracket) {
            return None;
        }
        let name = Cursor { end: self.before(1).open_bracket()?, ..self };
        let kind = name.capitalized()?;
        let words = kind.matches(':').count() as u32 * 2 + 1;
        Some((kind, name.before(words).last() == Some(TokenKind::Arrow)))
    }

    /// Whether the place is after `$name []`, with any number of brackets.
    fn is_after_list_type(self) -> bool {
        let mut cursor = self;
        while cursor.last() == Some(TokenKind::CloseBracket) && cursor.before(1).last() == Some(TokenKind::OpenBracket)
        {
            cursor = cursor.before(2);
        }
        let is_name =
            cursor.last() == Some(TokenKind::Identifier) && cursor.before(1).last() == Some(TokenKind::Dollar);
        cursor.end < self.end && is_name
    }

    /// After an operator a value follows; after a value nothing that is worth a list.
    fn operand(self) -> Context {
        match self.last() {
            Some(kind) if continues(kind) || kind.is_opener() => Context::Expression { parameter: None },
            _ => Context::Nothing,
        }
    }

    /// Returns the kind and the parameter before `=>`, if a resource is open.
    fn parameter(self) -> Option<(String, String)> {
        let Around::Resource(kind, _) = self.around() else { return None };
        let name = self.before(1);
        (name.last() == Some(TokenKind::Identifier)).then(|| (kind, name.word().to_owned()))
    }

    /// Returns the kind that is written with capitals before the place, in lower case.
    fn capitalized(self) -> Option<String> {
        let mut parts = Vec::new();
        let mut cursor = self;
        while matches!(cursor.last(), Some(TokenKind::Capitalized)) {
            parts.push(cursor.word().to_lowercase());
            if cursor.before(1).last() != Some(TokenKind::Colon) {
                break;
            }
            cursor = cursor.before(2);
        }
        parts.reverse();
        (!parts.is_empty()).then(|| parts.join(":"))
    }

    /// Returns the names before `=>` at this level, from a token on.
    fn names_from(self, first: TokenIdx) -> Vec<String> {
        let mut depth = 0u32;
        let mut names = Vec::new();
        // Entries after the place count as well: up to the bracket that closes the body.
        for token in first.until(self.tokens.end_idx()) {
            let kind = self.tokens[token];
            if kind.is_opener() {
                depth += 1;
            } else if kind.is_closer() {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            } else if depth == 0
                && kind == TokenKind::Rocket
                && let Some(name) = token.previous()
            {
                names.push(self.tokens.text(self.text, name).to_owned());
            }
        }
        names
    }

    /// Returns what the innermost open bracket before the place belongs to.
    fn around(self) -> Around {
        match self.open_bracket() {
            Some(token) => Cursor { end: token, ..self }.opened(self.tokens[token]),
            None => Around::Block,
        }
    }

    /// Returns the innermost open bracket before the place.
    fn open_bracket(self) -> Option<TokenIdx> {
        let mut depth = 0u32;
        let mut token = self.end;
        while let Some(previous) = token.previous() {
            token = previous;
            let kind = self.tokens[token];
            if kind.is_closer() {
                depth += 1;
            } else if kind.is_opener() && depth > 0 {
                depth -= 1;
            } else if kind.is_opener() {
                return Some(token);
            }
        }
        None
    }

    /// Returns what a bracket after these tokens belongs to.
    fn opened(self, kind: TokenKind) -> Around {
        let other = Around::Other;
        let first = self.end + 1;
        match kind {
            TokenKind::OpenParen => match self.before(1).last() {
                Some(TokenKind::Class | TokenKind::Func) => Around::Parameters,
                _ if self.last() == Some(TokenKind::Func) => Around::Parameters,
                _ => other,
            },
            TokenKind::OpenCurly => {
                if self.last() == Some(TokenKind::Struct) {
                    let is_meta = self.before(1).last() == Some(TokenKind::Rocket) && self.before(2).word() == "Meta";
                    return if is_meta { Around::MetaStruct(first) } else { other };
                }
                match self.resource_kind() {
                    _ if self.is_function_head() => other,
                    Some(kind) => Around::Resource(kind, first),
                    None if self.last().is_none_or(|kind| kind == TokenKind::Rocket || continues(kind)) => other,
                    None => Around::Block,
                }
            }
            _ => other,
        }
    }

    /// Whether the tokens end with the head of a function: `func name($a) int`. The result may be any type.
    fn is_function_head(self) -> bool {
        let Some(last) = self.end.previous() else { return false };
        let mut depth = 0u32;
        for token in TokenIdx::FIRST.until(last + 1).rev() {
            let kind = self.tokens[token];
            if kind.is_closer() {
                depth += 1;
            } else if kind.is_opener() {
                if depth == 0 {
                    return false;
                }
                depth -= 1;
            } else if depth == 0 && kind == TokenKind::Func {
                return true;
            } else if depth == 0 && token < last && self.tokens.newline_before(token + 1) {
                return false;
            }
        }
        false
    }

    /// Returns the kind of the resource whose body starts after these tokens: `file "name"`.
    fn resource_kind(self) -> Option<String> {
        // The name of a resource is an expression: find the kind at the start of its statement.
        let mut token = self.end.previous()?;
        let mut depth = 0u32;
        if !is_string(self.tokens[token])
            && !self.tokens[token].is_closer()
            && self.tokens[token] != TokenKind::Identifier
        {
            return None;
        }
        loop {
            let kind = self.tokens[token];
            if kind.is_closer() {
                depth += 1;
            } else if kind.is_opener() {
                depth = depth.checked_sub(1)?;
            }
            let starts = self.tokens.newline_before(token) || token == TokenIdx::FIRST;
            if depth == 0 && starts {
                break;
            }
            token = token.previous()?;
        }
        let mut name = String::new();
        let mut at = token;
        while self.tokens.kind(at) == Some(TokenKind::Identifier) {
            name.push_str(self.tokens.text(self.text, at));
            if self.tokens.kind(at + 1) != Some(TokenKind::Colon) {
                break;
            }
            name.push(':');
            at = at + 2;
        }
        resource_graph::kind(&name).map(|kind| kind.name.to_owned())
    }
}

fn is_edge_word(word: &str) -> bool {
    EDGE_WORDS.contains(&word)
}

/// Whether an expression must go on after a token.
fn continues(kind: TokenKind) -> bool {
    kind.is_binary_operator()
        || matches!(
            kind,
            TokenKind::Comma
                | TokenKind::Colon
                | TokenKind::Equals
                | TokenKind::Rocket
                | TokenKind::Elvis
                | TokenKind::Not
                | TokenKind::If
                | TokenKind::OpenParen
                | TokenKind::OpenBracket
        )
}
