//! Makes the brackets of a broken file balanced, before the statements are looked at.
//!
//! An opener that nothing closes would swallow the rest of the file. But some beginnings of lines can only be the
//! beginning of a statement ([`starts_statement`]): `class`, `import`, `$x =`, `kind "name"`, … Where such a line stands
//! inside of brackets that hold no statements, these brackets were never closed, and they are closed here, virtually. A
//! closer without an opener is taken out. For the braces of blocks, which do hold statements, the indentation of lines
//! decides, but only in files whose braces do not match anyway.
//!
//! The result are patches for the feeder, one message for each repair, and the partner of every opener.

use mcl_diagnostics::{Code, Diagnostic, FileId, Span, Stage};
use mcl_lexer::{TokenKind, Tokens};

use crate::MAX_DEPTH;
use crate::explain;
use crate::feed::{Patch, Patches, Terminal};

/// The brackets of a file, made balanced.
#[derive(Debug, Default)]
pub struct Balance {
    /// Virtual closers, and closers taken out or replaced.
    pub patches: Patches,
    /// For each opener the token behind its closer; for a virtual closer the token before which it stands. Else 0.
    pub close: Vec<u32>,
    /// Tokens beside which something was repaired, ascending.
    pub repairs: Vec<u32>,
    /// One message a repair.
    pub diagnostics: Vec<Diagnostic>,
    /// The openers of the virtual closers before a token, in the order of the patch's terminals.
    pub virtual_openers: std::collections::BTreeMap<u32, Vec<u32>>,
}

/// Balances the brackets of a file.
pub fn balance(file: FileId, text: &str, tokens: &Tokens) -> Balance {
    let plain = Scan::new(file, text, tokens, false).run();
    if plain.1 { Scan::new(file, text, tokens, true).run().0 } else { plain.0 }
}

/// How far a line is indented: the blanks before its first token.
pub fn indentation(text: &str, tokens: &Tokens, token: u32) -> usize {
    let before = &text.as_bytes()[..tokens.start(token as usize) as usize];
    before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Whether an operand may end with this token.
pub fn ends_operand(kind: TokenKind) -> bool {
    kind.is_closer()
        || kind.is_error_value()
        || matches!(
            kind,
            TokenKind::Identifier
                | TokenKind::Capitalized
                | TokenKind::Integer
                | TokenKind::Float
                | TokenKind::String
                | TokenKind::True
                | TokenKind::False
                | TokenKind::Map
                | TokenKind::Collect
        )
}

fn is_word(kind: Option<TokenKind>) -> bool {
    matches!(kind, Some(TokenKind::Identifier | TokenKind::Map | TokenKind::Collect))
}

/// Whether the token, the first of its line, can only be the start of a statement: what follows it makes no sense
/// inside of an expression or resource body.
pub fn starts_statement(tokens: &Tokens, at: u32) -> bool {
    let i = at as usize;
    let kind = |offset: usize| tokens.kind(i + offset);
    let before = if i == 0 { None } else { tokens.kind(i - 1) };
    if matches!(before, Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow)) {
        return false;
    }
    let after_operand = before.is_none_or(ends_operand);
    match kind(0) {
        Some(TokenKind::Class | TokenKind::Import | TokenKind::Include | TokenKind::For | TokenKind::ForKv) => true,
        Some(TokenKind::Panic) => true,
        Some(TokenKind::Func) => kind(1) == Some(TokenKind::Identifier),
        Some(TokenKind::Dollar) => is_word(kind(1)) && kind(2) == Some(TokenKind::Equals),
        Some(TokenKind::If) => after_operand,
        Some(TokenKind::Collect) => kind(1) == Some(TokenKind::Identifier),
        Some(TokenKind::Capitalized) => {
            let mut end = 1;
            while kind(end) == Some(TokenKind::Colon) && kind(end + 1) == Some(TokenKind::Capitalized) {
                end += 2;
            }
            kind(end) == Some(TokenKind::OpenBracket)
                && (after_operand || matches!(before, Some(TokenKind::Comma | TokenKind::OpenCurly)))
        }
        Some(TokenKind::Identifier) => {
            let mut end = 1;
            while kind(end) == Some(TokenKind::Colon) && kind(end + 1) == Some(TokenKind::Identifier) {
                end += 2;
            }
            !tokens.newline_before(i + end)
                && matches!(kind(end), Some(TokenKind::String | TokenKind::Dollar | TokenKind::OpenBracket))
                && !(end == 1 && lacks_rocket(tokens, i))
        }
        _ => false,
    }
}

/// Whether `name value` is an entry of a resource without its `=>`: behind the value the entry ends.
pub fn lacks_rocket(tokens: &Tokens, name: usize) -> bool {
    let mut end = name
        + match tokens.kind(name + 1) {
            Some(TokenKind::String) => 2,
            Some(TokenKind::Dollar) => 3,
            _ => return false,
        };
    while matches!(tokens.kind(end), Some(TokenKind::Dot)) {
        end += 2;
    }
    match tokens.kind(end) {
        Some(TokenKind::Comma | TokenKind::CloseCurly) => true,
        Some(TokenKind::Identifier) => tokens.kind(end + 1) == Some(TokenKind::Rocket),
        _ => false,
    }
}

/// An open bracket, or the file.
struct Frame {
    opener: u32,
    kind: TokenKind,
    /// Whether statements stand directly inside.
    block: bool,
    /// How far the line of the opener is indented.
    indent: usize,
    /// The keyword whose block comes next.
    head: Option<TokenKind>,
    /// How many braces of function bodies and branches come before that block.
    inner_braces: u32,
}

struct Scan<'t> {
    file: FileId,
    text: &'t str,
    tokens: &'t Tokens,
    by_indentation: bool,
    frames: Vec<Frame>,
    out: Balance,
    blocks_broken: bool,
    too_deep: bool,
    /// How many blocks lack their `{`; their `}` is not reported.
    headless: usize,
}

impl<'t> Scan<'t> {
    fn new(file: FileId, text: &'t str, tokens: &'t Tokens, by_indentation: bool) -> Scan<'t> {
        let root =
            Frame { opener: u32::MAX, kind: TokenKind::Newline, block: true, indent: 0, head: None, inner_braces: 0 };
        let out = Balance { close: vec![0; tokens.len() + 1], ..Balance::default() };
        Scan {
            file,
            text,
            tokens,
            by_indentation,
            frames: vec![root],
            out,
            blocks_broken: false,
            too_deep: false,
            headless: 0,
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the file stays")
    }

    fn span(&self, token: u32) -> Span {
        self.tokens.span(self.file, token as usize)
    }

    /// The balance, and whether the braces of blocks do not match.
    fn run(mut self) -> (Balance, bool) {
        let n = self.tokens.len() as u32;
        let mut indent = 0;
        let mut i = 0;
        while i < n {
            let Some(kind) = self.tokens.kind(i as usize) else { break };
            if i == 0 || self.tokens.newline_before(i as usize) {
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
            i += 1;
        }
        self.blocks_broken |= self.frames.iter().skip(1).any(|f| f.block);
        if self.frames.len() > 1 {
            self.close_down_to(1, n);
        }
        self.out.repairs.sort_unstable();
        (self.out, self.blocks_broken)
    }

    /// What the beginning of a line tells about brackets that are still open.
    fn line_start(&mut self, i: u32, kind: TokenKind, indent: usize) {
        let starts = starts_statement(self.tokens, i);
        if self.top().block && starts && self.top().head.is_some_and(|head| head != TokenKind::Else) {
            self.top().head = None;
            self.headless += 1;
        }
        if !self.top().block && starts {
            let top = self.top();
            if top.kind == TokenKind::OpenCurly && i > 0 && top.opener == i - 1 {
                // A block behind a head that is broken.
                top.block = true;
                return;
            }
            let keep = self.frames.iter().rposition(|f| f.block).unwrap_or(0) + 1;
            self.close_down_to(keep, i);
        }
        // `name =>` stands in braces only.
        let next = self.tokens.kind(i as usize + 1);
        let entry = matches!(kind, TokenKind::Identifier | TokenKind::Capitalized) && next == Some(TokenKind::Rocket)
            || kind == TokenKind::Capitalized && next == Some(TokenKind::Colon);
        if entry && matches!(self.top().kind, TokenKind::OpenParen | TokenKind::OpenBracket) {
            let curly = self.frames.iter().rposition(|f| f.kind == TokenKind::OpenCurly && !f.block);
            let block = self.frames.iter().rposition(|f| f.block).unwrap_or(0);
            if let Some(curly) = curly.filter(|curly| *curly > block) {
                self.close_down_to(curly + 1, i);
            }
        }
        if !self.by_indentation || !self.top().block {
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
        } else if kind != TokenKind::Else && self.tokens.kind(i as usize - usize::from(i > 0)) != Some(TokenKind::Else)
        {
            while keep > 1 && self.frames[keep - 1].block && self.frames[keep - 1].indent >= indent {
                keep -= 1;
            }
        }
        if keep < self.frames.len() && !(kind == TokenKind::OpenCurly) {
            self.close_down_to(keep, i);
        }
    }

    /// Follows the heads of statements, to know which `{` opens a block.
    fn statement_level(&mut self, i: u32, kind: TokenKind) {
        let before = if i == 0 { None } else { self.tokens.kind(i as usize - 1) };
        let next = self.tokens.kind(i as usize + 1);
        let opener = self.top().opener;
        let starts = before.is_none_or(ends_operand) || (i > 0 && opener == i - 1);
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

    fn open(&mut self, i: u32, kind: TokenKind, indent: usize) {
        let before = if i == 0 { None } else { self.tokens.kind(i as usize - 1) };
        let top = self.top();
        let mut block = false;
        if kind == TokenKind::OpenCurly && top.block {
            let after_operand = before.is_some_and(ends_operand);
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
        self.frames.push(Frame { opener: i, kind, block, indent, head: None, inner_braces: 0 });
    }

    fn pop(&mut self, close: u32) {
        if let Some(frame) = self.frames.pop() {
            self.out.close[frame.opener as usize] = close;
        }
    }

    /// Closes the frames above the first `keep`, virtually, before token `at`.
    fn close_down_to(&mut self, keep: usize, at: u32) {
        let innermost = self.top().opener;
        let outermost = self.frames[keep].opener;
        self.blocks_broken |= self.frames[keep..].iter().any(|f| f.block);
        while self.frames.len() > keep {
            let Some(frame) = self.frames.last() else { break };
            let (opener, kind) = (frame.opener, frame.kind);
            let patch = self.out.patches.entry(at).or_insert_with(|| Patch { terminals: Vec::new(), resume: at });
            patch.terminals.extend(kind.closer().map(Terminal::Kind));
            self.out.virtual_openers.entry(at).or_default().push(opener);
            self.pop(at);
        }
        self.out.repairs.extend([outermost, at]);
        if self.too_deep {
            return;
        }
        let text = self.tokens.text(self.text, innermost as usize);
        let error = Diagnostic::error(Code::E0203, Stage::Parse, format!("this `{text}` is never closed"));
        let error = error.at_with(self.span(innermost), "opened here");
        let end = self.tokens.end(at as usize - 1);
        let here = Span::new(self.file, end.saturating_sub(1), end);
        let closer = self.tokens.kind(innermost as usize).and_then(TokenKind::closer).and_then(TokenKind::fixed_text);
        let error = error.label(here, format!("a `{}` is missing behind this at the latest", closer.unwrap_or("}")));
        self.out.diagnostics.push(error);
    }

    /// Takes a closer out, or puts another in its place.
    fn replace(&mut self, i: u32, terminals: Vec<Terminal>, diagnostic: Diagnostic) {
        let patch = self.out.patches.entry(i).or_default();
        patch.terminals.extend(terminals);
        patch.resume = i + 1;
        self.out.repairs.push(i);
        self.out.diagnostics.push(diagnostic);
    }

    fn stray(&mut self, i: u32) {
        if self.headless > 0 && self.tokens.kind(i as usize) == Some(TokenKind::CloseCurly) {
            self.headless -= 1;
            self.blocks_broken = true;
            self.out.patches.entry(i).or_default().resume = i + 1;
            // An `else` behind it is not reported either.
            self.out.repairs.extend([i, i + 1]);
            return;
        }
        if i > 0 && self.out.patches.get(&(i - 1)).is_some_and(|p| p.terminals.is_empty()) {
            // One of several side by side.
            self.out.patches.entry(i).or_default().resume = i + 1;
            self.out.repairs.push(i);
            return;
        }
        let text = self.tokens.text(self.text, i as usize);
        let error = Diagnostic::error(Code::E0204, Stage::Parse, format!("this `{text}` closes nothing"));
        let error = error.at_with(self.span(i), "no bracket is open here");
        self.blocks_broken |= text == "}";
        self.replace(i, Vec::new(), error);
    }

    /// A closer of another kind than the innermost opener, whose own closer is missing.
    fn mismatched(&mut self, i: u32) {
        let (opener, kind) = (self.top().opener, self.top().kind);
        let Some(closer) = kind.closer() else { return };
        let found = self.tokens.text(self.text, i as usize);
        let expected = closer.fixed_text().unwrap_or("");
        let error = Diagnostic::error(Code::E0204, Stage::Parse, format!("expected `{expected}`, found `{found}`"))
            .at_with(self.span(i), "this does not close what is open")
            .label(self.span(opener), "opened here");
        self.out.repairs.push(opener);
        self.replace(i, vec![Terminal::Kind(closer)], error);
        self.pop(i + 1);
    }

    fn close_curly(&mut self, i: u32) {
        if self.top().kind == TokenKind::OpenCurly {
            let opener = self.top().opener as usize;
            let closes_long = self.tokens.newline_before(opener + 1) && !self.tokens.newline_before(i as usize);
            if self.by_indentation && closes_long && i as usize > opener + 1 {
                // The braces of the file do not match, and this one stands behind something where its partner's own
                // closer would stand on a line of its own.
                return self.stray(i);
            }
            return self.pop(i + 1);
        }
        match self.frames.iter().rposition(|f| f.kind == TokenKind::OpenCurly) {
            Some(partner) => {
                self.close_down_to(partner + 1, i);
                self.pop(i + 1);
            }
            None if self.frames.len() > 1 => self.mismatched(i),
            None => self.stray(i),
        }
    }

    fn close_other(&mut self, i: u32, kind: TokenKind) {
        if self.top().kind.closer() == Some(kind) {
            return self.pop(i + 1);
        }
        let inner = self.frames.iter().rposition(|f| f.block).unwrap_or(0) + 1;
        match self.frames.iter().skip(inner).rposition(|f| f.kind.closer() == Some(kind)) {
            Some(partner) => {
                self.close_down_to(inner + partner + 1, i);
                self.pop(i + 1);
            }
            None if matches!(self.top().kind, TokenKind::OpenParen | TokenKind::OpenBracket) => self.mismatched(i),
            None => self.stray(i),
        }
    }

    /// Leaves out a bracket that nests too deeply; the token behind it.
    fn skip_deep(&mut self, i: u32) -> u32 {
        if !std::mem::replace(&mut self.too_deep, true) {
            self.out.diagnostics.push(explain::too_deep(self.span(i), "program"));
        }
        let mut depth = 0;
        let mut end = i;
        while let Some(kind) = self.tokens.kind(end as usize) {
            depth += usize::from(kind.is_opener());
            depth -= usize::from(kind.is_closer());
            end += 1;
            if depth == 0 {
                break;
            }
        }
        self.out.patches.insert(i, Patch { terminals: vec![Terminal::ErrorValue], resume: end });
        self.out.repairs.push(i);
        self.out.close[i as usize] = end;
        end
    }
}
