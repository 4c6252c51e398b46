//! Which brackets match, and which braces contain statements.

use cranelift_entity::packed_option::PackedOption;

use crate::token::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// What is known of a token.
#[derive(Clone, Copy)]
struct Entry {
    /// The innermost bracket that is open before the token; for a closing bracket its opening one.
    around: PackedOption<TokenIdx>,
    /// The other bracket of a pair.
    partner: PackedOption<TokenIdx>,
    /// Whether it is a `{` before statements.
    is_block: bool,
}

/// The brackets of a file.
pub struct Brackets {
    entries: Vec<Entry>,
    /// The brackets that are open at the end.
    unclosed: Vec<TokenIdx>,
}

/// A bracket that is open while the tokens are read.
struct Open {
    token: TokenIdx,
    closer: TokenKind,
}

/// Matches brackets while the tokens are read.
struct Matcher {
    entries: Vec<Entry>,
    open: Vec<Open>,
    /// The number of braces that are open, so that the search for one can be left out.
    open_braces: usize,
    /// The number of keywords, at each level, whose blocks are still to come.
    heads: Vec<u32>,
}

impl Matcher {
    fn head(&mut self) -> Option<&mut u32> {
        self.heads.last_mut()
    }

    /// Opens a bracket. Returns whether it is a `{` before statements.
    fn open(&mut self, token: TokenIdx, kind: TokenKind, closer: TokenKind, previous: TokenKind) -> bool {
        let mut is_block = false;
        if kind == TokenKind::OpenBrace
            && let Some(head) = self.head()
        {
            is_block = previous != TokenKind::Class && (*head > 0 || previous == TokenKind::Colon);
            *head = head.saturating_sub(1);
        }
        self.open_braces += usize::from(closer == TokenKind::CloseBrace);
        self.open.push(Open { token, closer });
        self.heads.push(0);
        is_block
    }

    /// Closes a bracket and those inside it. Returns the one that is closed.
    fn close(&mut self, token: TokenIdx, kind: TokenKind) -> Option<TokenIdx> {
        if kind == TokenKind::CloseBrace && self.open_braces == 0 {
            return None;
        }
        let depth = matching(&self.open, kind)?;
        let opener = self.open[depth].token;
        self.open_braces -= self.open[depth..].iter().filter(|open| open.closer == TokenKind::CloseBrace).count();
        self.open.truncate(depth);
        self.heads.truncate(depth + 1);
        self.entries[opener.as_u32() as usize].partner = Some(token).into();
        Some(opener)
    }
}

impl Brackets {
    /// Matches the brackets of a file. A closing bracket closes the last open one of its kind; those in between stay unclosed.
    pub fn new(tokens: &Tokens) -> Brackets {
        let entries = Vec::with_capacity(tokens.list.len());
        let mut matcher = Matcher { entries, open: Vec::new(), open_braces: 0, heads: vec![0] };
        let mut previous = TokenKind::ManifestStart;
        for (index, token) in tokens.list.iter().enumerate() {
            let at = TokenIdx::from_u32(index as u32);
            let around = matcher.open.last().map(|open| open.token).into();
            let mut entry = Entry { around, partner: None.into(), is_block: false };
            let next = tokens.list.get(index + 1).map(|token| token.kind);
            let is_key = matches!(next, Some(TokenKind::Rocket | TokenKind::PlusRocket));
            if let Some(closer) = closer_of(token.kind) {
                entry.is_block = matcher.open(at, token.kind, closer, previous);
            } else if is_closer(token.kind) {
                if let Some(opener) = matcher.close(at, token.kind) {
                    entry.around = Some(opener).into();
                    entry.partner = Some(opener).into();
                }
            } else if expects_block(token.kind)
                && !is_key
                && let Some(head) = matcher.head()
            {
                *head += 1;
            }
            matcher.entries.push(entry);
            previous = token.kind;
        }
        let unclosed = matcher.open.into_iter().map(|open| open.token).collect();
        Brackets { entries: matcher.entries, unclosed }
    }

    fn entry(&self, token: TokenIdx) -> Option<&Entry> {
        self.entries.get(token.as_u32() as usize)
    }

    /// Returns the innermost bracket that is open at a token.
    pub fn around(&self, token: TokenIdx) -> Option<TokenIdx> {
        match self.entry(token) {
            Some(entry) => entry.around.expand(),
            None => self.unclosed.last().copied(),
        }
    }

    /// Returns the bracket that closes an opening one.
    pub fn closer(&self, opener: TokenIdx) -> Option<TokenIdx> {
        self.entry(opener)?.partner.expand().filter(|partner| *partner > opener)
    }

    /// Returns the bracket that a closing one closes.
    pub fn opener(&self, closer: TokenIdx) -> Option<TokenIdx> {
        self.entry(closer)?.partner.expand().filter(|partner| *partner < closer)
    }

    /// Returns whether a token is a `{` before statements.
    pub fn is_block(&self, token: TokenIdx) -> bool {
        self.entry(token).is_some_and(|entry| entry.is_block)
    }

    /// Returns the bracket that is probably not closed: one whose closing bracket is indented less than its line, or else the
    /// last one that is open at the end.
    pub fn unclosed(&self, tokens: &Tokens, text: &str) -> Option<TokenIdx> {
        let last = self.unclosed.last().copied()?;
        let mut indent = 0;
        let mut indents: Vec<usize> = Vec::with_capacity(self.entries.len());
        for (index, token) in tokens.list.iter().enumerate() {
            if token.first_on_line {
                let start = token.range.start as usize;
                indent = text[..start].bytes().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            }
            indents.push(indent);
            let at = TokenIdx::from_u32(index as u32);
            if token.first_on_line
                && let Some(opener) = self.opener(at).filter(|opener| *opener > last)
                && indents[opener.as_u32() as usize] > indent
            {
                return Some(opener);
            }
        }
        Some(last)
    }
}

/// Returns whether a block comes after this token and an expression, a name or parameters.
fn expects_block(kind: TokenKind) -> bool {
    kind.starts_block() && kind != TokenKind::Case || matches!(kind, TokenKind::BarClose | TokenKind::Else)
}

fn is_closer(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::CloseBrace
            | TokenKind::CloseParen
            | TokenKind::CloseBracket
            | TokenKind::ExpressionClose
            | TokenKind::InterpolationClose
            | TokenKind::RenderClose
    )
}

/// Returns the bracket that closes an opening one.
fn closer_of(kind: TokenKind) -> Option<TokenKind> {
    Some(match kind {
        TokenKind::OpenBrace | TokenKind::OpenHash | TokenKind::OpenSelector | TokenKind::OpenOverride => {
            TokenKind::CloseBrace
        }
        TokenKind::OpenParen | TokenKind::OpenCall => TokenKind::CloseParen,
        TokenKind::OpenList | TokenKind::OpenIndex => TokenKind::CloseBracket,
        TokenKind::ExpressionOpen => TokenKind::ExpressionClose,
        TokenKind::InterpolationOpen => TokenKind::InterpolationClose,
        TokenKind::RenderOpen => TokenKind::RenderClose,
        _ => return None,
    })
}

/// Returns which open bracket a closing one closes. Parentheses and lists do not reach out of braces.
fn matching(open: &[Open], kind: TokenKind) -> Option<usize> {
    let is_outer = !matches!(kind, TokenKind::CloseParen | TokenKind::CloseBracket);
    for (depth, candidate) in open.iter().enumerate().rev() {
        if candidate.closer == kind {
            return Some(depth);
        }
        let blocks = match candidate.closer {
            TokenKind::CloseBrace => !matches!(kind, TokenKind::ExpressionClose | TokenKind::InterpolationClose),
            TokenKind::ExpressionClose => kind != TokenKind::InterpolationClose,
            TokenKind::InterpolationClose => true,
            _ => !is_outer,
        };
        if blocks {
            return None;
        }
    }
    None
}
