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

impl Brackets {
    /// Matches the brackets of a file. A closing bracket closes the last open one of its kind; those in between stay unclosed.
    pub fn new(tokens: &Tokens) -> Brackets {
        let mut entries: Vec<Entry> = Vec::with_capacity(tokens.list.len());
        let mut open: Vec<Open> = Vec::new();
        // The number of keywords, at each level, whose blocks are still to come.
        let mut heads = vec![0_u32];
        let mut previous = TokenKind::ManifestStart;
        for (index, token) in tokens.list.iter().enumerate() {
            let at = TokenIdx::from_u32(index as u32);
            let around = open.last().map(|open| open.token).into();
            let mut entry = Entry { around, partner: None.into(), is_block: false };
            let next = tokens.list.get(index + 1).map(|token| token.kind);
            let is_key = matches!(next, Some(TokenKind::Rocket | TokenKind::PlusRocket));
            match token.kind {
                kind if starts_block_head(kind) && !is_key => change(&mut heads, |count| count + 1),
                TokenKind::BarClose | TokenKind::Else => change(&mut heads, |count| count + 1),
                kind => {
                    if let Some(closer) = closer_of(kind) {
                        if kind == TokenKind::OpenBrace {
                            let has_head = heads.last().is_some_and(|count| *count > 0);
                            entry.is_block = previous != TokenKind::Class && (has_head || previous == TokenKind::Colon);
                            change(&mut heads, |count| count.saturating_sub(1));
                        }
                        open.push(Open { token: at, closer });
                        heads.push(0);
                    } else if matches!(
                        kind,
                        TokenKind::CloseBrace
                            | TokenKind::CloseParen
                            | TokenKind::CloseBracket
                            | TokenKind::ExpressionClose
                            | TokenKind::InterpolationClose
                    ) && let Some(depth) = matching(&open, kind)
                    {
                        let opener = open[depth].token;
                        open.truncate(depth);
                        heads.truncate(depth + 1);
                        entry.around = Some(opener).into();
                        entry.partner = Some(opener).into();
                        entries[opener.as_u32() as usize].partner = Some(at).into();
                    }
                }
            }
            entries.push(entry);
            previous = token.kind;
        }
        let unclosed = open.into_iter().map(|open| open.token).collect();
        Brackets { entries, unclosed }
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

fn change(heads: &mut [u32], change: impl FnOnce(u32) -> u32) {
    if let Some(last) = heads.last_mut() {
        *last = change(*last);
    }
}

/// Returns whether a block follows the expression after this keyword.
fn starts_block_head(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::If
            | TokenKind::Elsif
            | TokenKind::Unless
            | TokenKind::Class
            | TokenKind::Define
            | TokenKind::Node
            | TokenKind::Function
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
        _ => return None,
    })
}

/// Returns which open bracket a closing one closes. Parentheses and lists do not reach out of braces.
fn matching(open: &[Open], kind: TokenKind) -> Option<usize> {
    let is_outer = matches!(kind, TokenKind::CloseBrace | TokenKind::ExpressionClose | TokenKind::InterpolationClose);
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
