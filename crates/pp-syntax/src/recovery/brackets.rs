//! Which brackets match, and which braces contain statements.

use cranelift_entity::packed_option::PackedOption;

use crate::token::TokenKind;
use crate::tokens::{Token, TokenIdx, Tokens};

/// What is known of a token.
#[derive(Clone, Copy)]
struct Entry {
    /// The innermost bracket that is open before the token; for a closing bracket its opening one.
    around: PackedOption<TokenIdx>,
    /// The other bracket of a pair.
    partner: PackedOption<TokenIdx>,
    /// Whether it is a `{` before statements.
    is_block: bool,
    /// The start of the statement around the token, in its block.
    statement: TokenIdx,
}

/// What is around the tokens in a bracket, so that no search walks through brackets one by one. Empty for other tokens.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// The innermost block.
    block: PackedOption<TokenIdx>,
    /// The innermost block that is closed.
    closed_block: PackedOption<TokenIdx>,
    /// The outermost closed bracket in the innermost block.
    outermost: PackedOption<TokenIdx>,
}

/// The brackets of a file.
pub struct Brackets {
    /// An entry for each token, and one for the end.
    entries: Vec<Entry>,
    inside: Vec<Inside>,
    /// The brackets that are open at the end.
    unclosed: Vec<TokenIdx>,
}

/// A bracket that is open while the tokens are read.
struct Open {
    token: TokenIdx,
    closer: TokenKind,
    /// The index of the innermost block in [`Matcher::statements`].
    block: usize,
}

/// Matches brackets while the tokens are read.
struct Matcher {
    entries: Vec<Entry>,
    open: Vec<Open>,
    /// The number of braces that are open, so that the search for one can be left out.
    open_braces: usize,
    /// The number of keywords, at each level, whose blocks are still to come.
    heads: Vec<u32>,
    /// The last start of a statement in each block that is open, the file first.
    statements: Vec<TokenIdx>,
}

impl Matcher {
    /// The index in `statements` of the block that a token is in.
    fn block(&self) -> usize {
        self.open.last().map_or(0, |open| open.block)
    }

    /// Returns the start of the statement around the next token. That token may start the next statement.
    fn statement(&mut self, at: TokenIdx, token: Option<&Token>) -> TokenIdx {
        let block = self.block();
        let start = self.statements[block];
        let is_in_block = self.open.last().is_none_or(|open| self.entries[open.token.as_u32() as usize].is_block);
        if is_in_block && token.is_some_and(|token| token.first_on_line && starts_statement(token.kind)) {
            self.statements[block] = at;
        }
        start
    }

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
        let mut block = self.block();
        if is_block {
            block += 1;
            self.statements.truncate(block);
            self.statements.push(token.next());
        }
        self.open.push(Open { token, closer, block });
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
        let statements = vec![TokenIdx::default()];
        let mut matcher = Matcher { entries, open: Vec::new(), open_braces: 0, heads: vec![0], statements };
        let mut previous = TokenKind::ManifestStart;
        for (index, token) in tokens.list.iter().enumerate() {
            let at = TokenIdx::from_u32(index as u32);
            let around = matcher.open.last().map(|open| open.token).into();
            let statement = matcher.statement(at, Some(token));
            let mut entry = Entry { around, partner: None.into(), is_block: false, statement };
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
        let around = matcher.open.last().map(|open| open.token).into();
        let statement = matcher.statement(tokens.end(), None);
        matcher.entries.push(Entry { around, partner: None.into(), is_block: false, statement });
        let unclosed = matcher.open.into_iter().map(|open| open.token).collect();
        let mut brackets =
            Brackets { inside: Vec::with_capacity(matcher.entries.len()), entries: matcher.entries, unclosed };
        for index in 0..brackets.entries.len() {
            let inside = brackets.inside_of(TokenIdx::from_u32(index as u32));
            brackets.inside.push(inside);
        }
        brackets
    }

    /// Returns what is around the tokens in a bracket. Brackets before it are known.
    fn inside_of(&self, opener: TokenIdx) -> Inside {
        let around = self.around(opener).filter(|around| *around < opener);
        let mut inside = around.map(|around| self.inside[around.as_u32() as usize]).unwrap_or_default();
        let is_closed = self.closer(opener).is_some();
        if self.is_block(opener) {
            inside.block = Some(opener).into();
            inside.outermost = None.into();
            if is_closed {
                inside.closed_block = Some(opener).into();
            }
        } else if inside.outermost.is_none() && is_closed {
            inside.outermost = Some(opener).into();
        }
        inside
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

    fn inside(&self, token: TokenIdx) -> Option<&Inside> {
        self.inside.get(self.around(token)?.as_u32() as usize)
    }

    /// Returns the innermost block that is open at a token.
    pub fn block_around(&self, token: TokenIdx) -> Option<TokenIdx> {
        self.inside(token)?.block.expand()
    }

    /// Returns the innermost block around a token that is closed.
    pub fn closed_block_around(&self, token: TokenIdx) -> Option<TokenIdx> {
        self.inside(token)?.closed_block.expand()
    }

    /// Returns the outermost bracket around a token that is in the same block and closed.
    pub fn outermost_around(&self, token: TokenIdx) -> Option<TokenIdx> {
        self.inside(token)?.outermost.expand()
    }

    /// Returns the start of the statement around a token: the last line before it in its block that looks like one, or else the
    /// start of the block.
    pub fn statement_around(&self, token: TokenIdx) -> TokenIdx {
        self.entry(token).or(self.entries.last()).map_or(TokenIdx::default(), |entry| entry.statement)
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

/// Returns whether a token at the start of a line looks like the start of a statement. All of these can start one.
pub fn starts_statement(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::TypeName
            | TokenKind::Variable
            | TokenKind::If
            | TokenKind::Unless
            | TokenKind::Case
            | TokenKind::Class
            | TokenKind::Define
            | TokenKind::Node
            | TokenKind::Function
            | TokenKind::At
            | TokenKind::AtAt
            | TokenKind::RenderText
            | TokenKind::RenderOpen
    )
}
