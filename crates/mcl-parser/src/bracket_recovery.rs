//! Balances the brackets of a broken file, before its statements are parsed.
//!
//! An unclosed bracket would swallow the rest of the file. But some lines start with tokens that can only be the start of
//! a statement ([`starts_statement`]): `class`, `import`, `$x =`, `kind "name"`, … If such a line is inside brackets that
//! contain no statements, these brackets were never closed, and virtual closers are inserted before the line. An
//! unmatched closer is deleted. For the braces of blocks, which do contain statements, the indentation of lines decides,
//! but only in files whose braces do not match anyway.
//!
//! The result is a set of edits for the [`TerminalSource`](crate::terminals::TerminalSource), one error per edit, and the
//! closer of every opener.

use std::collections::BTreeMap;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::ast::MAX_DEPTH;
use crate::error::{BracketError, Nested, SyntaxError};
use crate::lookahead::{indentation, starts_statement};
use crate::terminals::{Edit, Edits, Terminal};
use crate::token_set::OPERAND_END;

/// The brackets of a file after balancing.
#[derive(Debug, Default)]
pub struct BalancedBrackets {
    /// Inserts virtual closers, and deletes or replaces closers.
    pub edits: Edits,
    /// One error per edit.
    pub errors: Vec<SyntaxError>,
    /// For each opener the token after its closer; for a virtual closer the token before which it is inserted.
    after_closer: SecondaryMap<TokenIdx, PackedOption<TokenIdx>>,
    /// The tokens next to an edit, ascending.
    edited: Vec<TokenIdx>,
    /// The openers of the virtual closers before a token, in the order of the terminals of its edit.
    virtually_closed: BTreeMap<TokenIdx, Vec<TokenIdx>>,
}

impl BalancedBrackets {
    /// Returns the token after the closer of an opener; for a virtual closer the token before which it is inserted.
    pub fn after_closer(&self, opener: TokenIdx) -> Option<TokenIdx> {
        self.after_closer[opener].expand()
    }

    /// Returns the openers that are closed virtually before a token, innermost first.
    pub fn virtually_closed(&self, at: TokenIdx) -> &[TokenIdx] {
        self.virtually_closed.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether there is an edit next to one of the tokens from `first` to `last`, inclusive.
    pub fn has_edit_between(&self, first: TokenIdx, last: TokenIdx) -> bool {
        let next = self.edited.partition_point(|token| *token < first);
        self.edited.get(next).is_some_and(|token| *token <= last)
    }
}

/// Returns the depth of the deepest bracket.
pub fn bracket_depth(tokens: &Tokens) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for kind in tokens.kinds() {
        if kind.is_opener() {
            depth += 1;
            deepest = deepest.max(depth);
        } else if kind.is_closer() {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

/// Returns the closer of every opener, if all brackets match once the edits are made and none is nested too deeply.
pub fn match_brackets(tokens: &Tokens, edits: &Edits) -> Option<BalancedBrackets> {
    let mut out = BalancedBrackets::default();
    let mut open: Vec<Bracket> = Vec::new();
    let mut token = TokenIdx::FIRST;
    loop {
        let edit = edits.get(&token);
        let inserted = edit.map_or(&[][..], |edit| &edit.terminals).iter().filter_map(|terminal| match terminal {
            Terminal::Kind(kind) => Some(*kind),
            _ => None,
        });
        let replaced_to = edit.map(|edit| edit.resume).filter(|resume| *resume > token);
        let own = if replaced_to.is_some() { None } else { tokens.kind(token) };
        for (kind, after) in
            inserted.map(|kind| (kind, replaced_to.unwrap_or(token))).chain(own.map(|kind| (kind, token + 1)))
        {
            if kind.is_opener() {
                open.push(Bracket { opener: token, kind });
            } else if kind.is_closer() {
                let bracket = open.pop().filter(|bracket| bracket.kind.closer() == Some(kind))?;
                out.after_closer[bracket.opener] = after.into();
            }
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
        match replaced_to {
            Some(next) => token = next,
            None if own.is_none() => return open.is_empty().then_some(out),
            None => token = token + 1,
        }
    }
}

/// Balances the brackets of a file.
pub fn balance_brackets(file: FileId, text: &str, tokens: &Tokens) -> BalancedBrackets {
    let (balanced, blocks_match) = Balancer::new(file, text, tokens, BlockEnds::Braces).run();
    if blocks_match { balanced } else { Balancer::new(file, text, tokens, BlockEnds::Indentation).run().0 }
}

/// An open bracket.
#[derive(Clone, Copy)]
struct Bracket {
    opener: TokenIdx,
    kind: TokenKind,
}

/// A bracket that is not closed yet, or the file.
struct Frame {
    /// The bracket; `None` for the file.
    bracket: Option<Bracket>,
    /// Whether the frame directly contains statements.
    block: bool,
    /// The indentation of the opener's line.
    indent: usize,
    /// The keyword whose block comes next.
    head: Option<TokenKind>,
    /// The number of braces of function bodies and branches before that block.
    inner_braces: u32,
}

impl Frame {
    fn is_kind(&self, kind: TokenKind) -> bool {
        self.bracket.is_some_and(|bracket| bracket.kind == kind)
    }

    fn is_closed_by(&self, closer: TokenKind) -> bool {
        self.bracket.is_some_and(|bracket| bracket.kind.closer() == Some(closer))
    }

    fn opener(&self) -> Option<TokenIdx> {
        self.bracket.map(|bracket| bracket.opener)
    }
}

/// What tells where blocks end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockEnds {
    Braces,
    /// For a file whose braces do not match.
    Indentation,
}

struct Balancer<'t> {
    file: FileId,
    text: &'t str,
    tokens: &'t Tokens,
    block_ends: BlockEnds,
    /// The open brackets, the file first.
    frames: Vec<Frame>,
    out: BalancedBrackets,
    /// Whether the braces of blocks match so far.
    blocks_match: bool,
    too_deep: bool,
    /// The number of blocks without a `{`, whose `}` is not reported.
    blocks_without_brace: usize,
}

impl<'t> Balancer<'t> {
    fn new(file: FileId, text: &'t str, tokens: &'t Tokens, block_ends: BlockEnds) -> Balancer<'t> {
        let root = Frame { bracket: None, block: true, indent: 0, head: None, inner_braces: 0 };
        Balancer {
            file,
            text,
            tokens,
            block_ends,
            frames: vec![root],
            out: BalancedBrackets::default(),
            blocks_match: true,
            too_deep: false,
            blocks_without_brace: 0,
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the file is never popped")
    }

    fn span(&self, token: TokenIdx) -> Span {
        self.tokens.span(self.file, token)
    }

    fn kind_before(&self, token: TokenIdx) -> Option<TokenKind> {
        token.previous().and_then(|previous| self.tokens.kind(previous))
    }

    /// Returns the balanced brackets, and whether the braces of blocks match in the file as it is.
    fn run(mut self) -> (BalancedBrackets, bool) {
        let mut indent = 0;
        let mut i = TokenIdx::FIRST;
        while let Some(kind) = self.tokens.kind(i) {
            if i == TokenIdx::FIRST || self.tokens.newline_before(i) {
                indent = indentation(self.text, self.tokens, i);
                self.line_start(i, kind, indent);
            }
            if self.top().block {
                self.statement_level(i, kind);
            }
            if kind.is_opener() {
                if self.frames.len() > MAX_DEPTH {
                    i = self.skip_deep(i);
                    continue;
                }
                self.open(i, kind, indent);
            } else if kind == TokenKind::CloseCurly {
                self.close_curly(i);
            } else if kind.is_closer() {
                self.close_other(i, kind);
            }
            i = i + 1;
        }
        if self.frames.len() > 1 {
            self.close_down_to(1, self.tokens.end_idx());
        }
        self.out.edited.sort_unstable();
        (self.out, self.blocks_match)
    }

    /// Closes brackets that the start of a line shows to be unclosed.
    fn line_start(&mut self, i: TokenIdx, kind: TokenKind, indent: usize) {
        let starts = starts_statement(self.tokens, i);
        if self.top().block && starts && self.top().head.is_some_and(|head| head != TokenKind::Else) {
            self.top().head = None;
            self.blocks_without_brace += 1;
        }
        if !self.top().block && starts {
            let top = self.top();
            if top.is_kind(TokenKind::OpenCurly) && top.opener() == i.previous() {
                // A block after a broken head.
                top.block = true;
                return;
            }
            let keep = self.frames.iter().rposition(|f| f.block).unwrap_or(0) + 1;
            self.close_down_to(keep, i);
        }
        // `name =>` occurs in braces only.
        let next = self.tokens.kind(i + 1);
        let entry = matches!(kind, TokenKind::Identifier | TokenKind::Capitalized) && next == Some(TokenKind::Rocket)
            || kind == TokenKind::Capitalized && next == Some(TokenKind::Colon);
        if entry && (self.top().is_kind(TokenKind::OpenParen) || self.top().is_kind(TokenKind::OpenBracket)) {
            let curly = self.frames.iter().rposition(|f| f.is_kind(TokenKind::OpenCurly) && !f.block);
            let block = self.frames.iter().rposition(|f| f.block).unwrap_or(0);
            if let Some(curly) = curly.filter(|curly| *curly > block) {
                self.close_down_to(curly + 1, i);
            }
        }
        if self.block_ends == BlockEnds::Braces || !self.top().block {
            return;
        }
        let mut keep = self.frames.len();
        if kind == TokenKind::CloseCurly {
            let partner = self.frames.iter().skip(1).rposition(|f| f.block && f.indent == indent).map(|p| p + 1);
            if let Some(partner) = partner
                && self.frames[partner + 1..].iter().all(|f| f.block && f.indent > indent)
            {
                keep = partner + 1;
            }
        } else if kind != TokenKind::Else && self.kind_before(i) != Some(TokenKind::Else) {
            while keep > 1 && self.frames[keep - 1].block && self.frames[keep - 1].indent >= indent {
                keep -= 1;
            }
        }
        if keep < self.frames.len() && kind != TokenKind::OpenCurly {
            self.close_down_to(keep, i);
        }
    }

    /// Tracks the heads of statements, to know which `{` opens a block.
    fn statement_level(&mut self, i: TokenIdx, kind: TokenKind) {
        let before = self.kind_before(i);
        let next = self.tokens.kind(i + 1);
        let opener = self.top().opener();
        let after_opener = opener.is_some() && opener == i.previous();
        let starts = before.is_none_or(|kind| OPERAND_END.contains(kind)) || after_opener;
        let top = self.top();
        match kind {
            TokenKind::Class | TokenKind::For | TokenKind::ForKv => (top.head, top.inner_braces) = (Some(kind), 0),
            TokenKind::If if starts => (top.head, top.inner_braces) = (Some(kind), 0),
            TokenKind::If => top.inner_braces += 2,
            TokenKind::Func if next == Some(TokenKind::Identifier) => top.head = None,
            TokenKind::Func => top.inner_braces += 1,
            TokenKind::Import | TokenKind::Include | TokenKind::Panic => top.head = None,
            TokenKind::Identifier if starts => top.head = None,
            TokenKind::Else if top.inner_braces == 0 => top.head = Some(kind),
            _ => {}
        }
    }

    fn open(&mut self, opener: TokenIdx, kind: TokenKind, indent: usize) {
        let before = self.kind_before(opener);
        let top = self.top();
        let mut block = false;
        if kind == TokenKind::OpenCurly && top.block {
            let after_operand = OPERAND_END.has(before);
            match top.head {
                Some(TokenKind::Class | TokenKind::Else) => block = true,
                Some(_) if top.inner_braces > 0 && (after_operand || before == Some(TokenKind::Else)) => {
                    top.inner_braces -= 1;
                }
                Some(_) => block = after_operand && before != Some(TokenKind::Map),
                None => {}
            }
            if block {
                top.head = None;
            }
        }
        let bracket = Some(Bracket { opener, kind });
        self.frames.push(Frame { bracket, block, indent, head: None, inner_braces: 0 });
    }

    /// Closes the innermost bracket; `after` is the token after its closer.
    fn pop(&mut self, after: TokenIdx) {
        if let Some(bracket) = self.frames.pop().and_then(|frame| frame.bracket) {
            self.out.after_closer[bracket.opener] = after.into();
        }
    }

    /// Closes the frames above the first `keep` virtually, before the token `at`.
    fn close_down_to(&mut self, keep: usize, at: TokenIdx) {
        self.blocks_match &= !self.frames[keep..].iter().any(|f| f.block);
        let closed: Vec<Bracket> = self.frames[keep..].iter().rev().filter_map(|f| f.bracket).collect();
        let (Some(innermost), Some(outermost)) = (closed.first(), closed.last()) else { return };
        for bracket in &closed {
            let edit = self.out.edits.entry(at).or_insert_with(|| Edit { terminals: Vec::new(), resume: at });
            edit.terminals.extend(bracket.kind.closer().map(Terminal::Kind));
            self.out.virtually_closed.entry(at).or_default().push(bracket.opener);
            self.pop(at);
        }
        self.out.edited.extend([outermost.opener, at]);
        if self.too_deep {
            return;
        }
        let end = at.previous().map_or(0, |last| self.tokens.end(last));
        let closed_by = Span::new(self.file, end.saturating_sub(1), end);
        let error = BracketError::Unclosed { opener: innermost.kind, closed_by };
        self.out.errors.push(SyntaxError::new(error, self.span(innermost.opener)));
    }

    /// Deletes a token without an error of its own.
    fn delete_silently(&mut self, i: TokenIdx) {
        self.edit_at(i, None);
        self.out.edited.push(i);
    }

    /// Replaces a closer by another terminal, or deletes it.
    fn replace(&mut self, i: TokenIdx, terminal: Option<Terminal>, error: BracketError) {
        self.edit_at(i, terminal);
        self.out.edited.push(i);
        self.out.errors.push(SyntaxError::new(error, self.span(i)));
    }

    /// Replaces a token, after what is inserted before it.
    fn edit_at(&mut self, i: TokenIdx, terminal: Option<Terminal>) {
        let edit = self.out.edits.entry(i).or_insert_with(|| Edit { terminals: Vec::new(), resume: i });
        edit.terminals.extend(terminal);
        edit.resume = i + 1;
    }

    fn unmatched(&mut self, i: TokenIdx, closer: TokenKind) {
        if self.blocks_without_brace > 0 && closer == TokenKind::CloseCurly {
            self.blocks_without_brace -= 1;
            self.blocks_match = false;
            self.delete_silently(i);
            // An `else` after it is not reported either.
            self.out.edited.push(i + 1);
            return;
        }
        let previous = i.previous().and_then(|previous| self.out.edits.get(&previous));
        if previous.is_some_and(|edit| edit.terminals.is_empty()) {
            // One of several in a row.
            self.delete_silently(i);
            return;
        }
        self.blocks_match &= closer != TokenKind::CloseCurly;
        self.replace(i, None, BracketError::Unmatched { closer });
    }

    /// Replaces a closer of another kind than the innermost opener, whose own closer is missing.
    fn mismatched(&mut self, i: TokenIdx, found: TokenKind) {
        let Some(Bracket { opener, kind }) = self.top().bracket else { return };
        let Some(expected) = kind.closer() else { return };
        self.out.edited.push(opener);
        let error = BracketError::Mismatched { expected, found, opener: self.span(opener) };
        self.replace(i, Some(Terminal::Kind(expected)), error);
        self.pop(i + 1);
    }

    fn close_curly(&mut self, i: TokenIdx) {
        let top = self.top().bracket;
        if let Some(Bracket { opener, kind: TokenKind::OpenCurly }) = top {
            let closes_long = self.tokens.newline_before(opener + 1) && !self.tokens.newline_before(i);
            if self.block_ends == BlockEnds::Indentation && closes_long && i > opener + 1 {
                // The braces of the file do not match, and this one ends a line whose own closer would be on a line of
                // its own.
                return self.unmatched(i, TokenKind::CloseCurly);
            }
            return self.pop(i + 1);
        }
        match self.frames.iter().rposition(|f| f.is_kind(TokenKind::OpenCurly)) {
            Some(partner) => {
                self.close_down_to(partner + 1, i);
                self.pop(i + 1);
            }
            None if top.is_some() => self.mismatched(i, TokenKind::CloseCurly),
            None => self.unmatched(i, TokenKind::CloseCurly),
        }
    }

    fn close_other(&mut self, i: TokenIdx, kind: TokenKind) {
        if self.top().is_closed_by(kind) {
            return self.pop(i + 1);
        }
        let inner = self.frames.iter().rposition(|f| f.block).unwrap_or(0) + 1;
        match self.frames.iter().skip(inner).rposition(|f| f.is_closed_by(kind)) {
            Some(partner) => {
                self.close_down_to(inner + partner + 1, i);
                self.pop(i + 1);
            }
            None if self.top().bracket.is_some_and(|b| b.kind != TokenKind::OpenCurly) => self.mismatched(i, kind),
            None => self.unmatched(i, kind),
        }
    }

    /// Deletes a bracket that is nested too deeply. Returns the token after it.
    fn skip_deep(&mut self, i: TokenIdx) -> TokenIdx {
        if !std::mem::replace(&mut self.too_deep, true) {
            self.out.errors.push(SyntaxError::too_deep(Nested::Statement, self.span(i)));
        }
        let mut depth = 0;
        let mut end = i;
        while let Some(kind) = self.tokens.kind(end) {
            depth += usize::from(kind.is_opener());
            depth -= usize::from(kind.is_closer());
            end = end + 1;
            if depth == 0 {
                break;
            }
        }
        self.out.edits.insert(i, Edit { terminals: vec![Terminal::ErrorValue], resume: end });
        self.out.edited.push(i);
        self.out.after_closer[i] = end.into();
        end
    }
}
