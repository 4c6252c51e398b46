//! Writes tokens in lines, with the comments between them.

use std::ops::Range;

use mcl_lexer::{Comment, TokenIdx, TokenKind};

use crate::number::normalized;
use crate::program::Program;

/// What is before a token on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    None,
    One,
}

/// A comment that waits for the end of the line that is being written.
struct Waiting<'t> {
    text: &'t str,
    /// Whether it follows code on its line.
    follows_code: bool,
    /// The number of brackets around it.
    depth: usize,
}

/// Reads the tokens of a program in order, and writes lines.
pub(crate) struct Printer<'p, 't> {
    pub(crate) program: &'p Program<'t>,
    /// The next token to write.
    pub(crate) next: TokenIdx,
    /// The token after the last one to write.
    pub(crate) end: TokenIdx,
    /// The indices of the comments to write.
    comments: Range<usize>,
    /// The offset after the last token or comment that was read.
    read: u32,
    out: String,
    /// Where the line that is being written starts.
    line: usize,
    indent: usize,
    /// The number of brackets that are open.
    depth: usize,
    waiting: Vec<Waiting<'t>>,
}

impl<'p, 't> Printer<'p, 't> {
    /// Returns a printer of tokens and comments. `read` is the offset from which blank lines count.
    pub(crate) fn new(
        program: &'p Program<'t>,
        tokens: Range<TokenIdx>,
        comments: Range<usize>,
        read: u32,
        indent: usize,
    ) -> Printer<'p, 't> {
        let (next, end) = (tokens.start, tokens.end);
        let out = String::with_capacity(program.text.len() + program.text.len() / 8);
        Printer { program, next, end, comments, read, out, line: 0, indent, depth: 0, waiting: Vec::new() }
    }

    /// Returns a printer of a whole file.
    pub(crate) fn of_file(program: &'p Program<'t>) -> Printer<'p, 't> {
        let comments = 0..program.tokens.comments.len();
        Printer::new(program, TokenIdx::FIRST..program.tokens.end_idx(), comments, 0, 0)
    }

    /// Returns what was written.
    pub(crate) fn into_text(self) -> String {
        self.out
    }

    /// Returns the kind of the next token, `None` at the end.
    pub(crate) fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// Returns the kind of the token some tokens after the next one.
    pub(crate) fn peek_at(&self, distance: u32) -> Option<TokenKind> {
        let token = self.next + distance;
        (token < self.end).then(|| self.program.tokens.kind(token)).flatten()
    }

    /// Writes the next token.
    pub(crate) fn token(&mut self, space: Space) {
        let Some(kind) = self.peek() else { return };
        let text = match kind {
            TokenKind::BarBar => "<|>".into(),
            kind => normalized(kind, self.program.tokens.text(self.program.text, self.next)),
        };
        self.skip_token();
        if kind.is_opener() {
            self.depth += 1;
        } else if kind.is_closer() {
            self.depth = self.depth.saturating_sub(1);
        }
        self.write(space, &text);
    }

    /// Reads the next token without writing it.
    pub(crate) fn skip_token(&mut self) {
        while let Some(comment) = self.comment_before_next() {
            self.wait(comment);
        }
        self.read = self.program.tokens.end(self.next);
        self.next = self.next + 1;
    }

    /// Writes text that is not in the program, or instead of it.
    pub(crate) fn write(&mut self, space: Space, text: &str) {
        if self.is_at_line_start() {
            self.start_line();
        } else if space == Space::One {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn is_at_line_start(&self) -> bool {
        self.out.len() == self.line
    }

    fn start_line(&mut self) {
        self.out.extend(std::iter::repeat_n('\t', self.indent));
    }

    /// Returns the next comment, if it is before the next token.
    fn comment_before_next(&self) -> Option<Comment> {
        let comment = self.program.tokens.comments.get(self.comments.clone())?.first()?;
        (comment.next_token <= self.next).then_some(*comment)
    }

    fn wait(&mut self, comment: Comment) {
        let follows_code = self.program.newlines(self.read, comment.start) == 0;
        self.waiting.push(Waiting { text: self.program.comment_text(&comment), follows_code, depth: self.depth });
        self.read_comment(comment);
    }

    fn read_comment(&mut self, comment: Comment) {
        self.read = comment.end;
        self.comments.start += 1;
    }

    /// Ends the line. A comment that follows the last token stays behind it; comments that were inside of the line go above it.
    pub(crate) fn end_line(&mut self) {
        while let Some(comment) = self.comment_before_next()
            && self.program.newlines(self.read, comment.start) == 0
        {
            self.wait(comment);
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        // Inside of more than one other bracket, it would change how the outer ones are written.
        if let Some(last) = waiting.pop_if(|comment| comment.follows_code && self.depth <= comment.depth + 1) {
            self.out.push(' ');
            self.out.push_str(last.text);
        }
        if !waiting.is_empty() {
            let line = &self.out[self.line..];
            // Above a closing bracket is inside of it.
            let is_closer = line.trim_start_matches('\t').starts_with(['}', ']', ')']);
            let tabs = line.len() - line.trim_start_matches('\t').len() + usize::from(is_closer);
            let indent = "\t".repeat(tabs);
            let above: String = waiting.iter().map(|comment| format!("{indent}{}\n", comment.text)).collect();
            self.out.insert_str(self.line, &above);
        }
        self.newline();
    }

    fn newline(&mut self) {
        self.out.push('\n');
        self.line = self.out.len();
    }

    /// Runs a layout one level deeper.
    pub(crate) fn indented(&mut self, layout: impl FnOnce(&mut Self)) {
        self.indent += 1;
        layout(self);
        self.indent -= 1;
    }

    /// Writes the comments before the next token on lines of their own, until one for which `stop` returns true is written;
    /// returns that. Blank lines between them and before the token are kept, one for any number.
    pub(crate) fn leading_comments(&mut self, stop: impl Fn(&Program<'t>, &Comment) -> bool) -> Option<Comment> {
        while let Some(comment) = self.comment_before_next() {
            self.blank_line(comment.start);
            self.start_line();
            self.out.push_str(self.program.comment_text(&comment));
            self.newline();
            self.read_comment(comment);
            if stop(self.program, &comment) {
                return Some(comment);
            }
        }
        if self.next < self.end {
            self.blank_line(self.program.tokens.start(self.next));
        }
        None
    }

    /// Keeps a blank line between what was read and an offset; not at the start of the output.
    fn blank_line(&mut self, until: u32) {
        if !self.out.is_empty() && self.program.newlines(self.read, until) > 1 {
            self.newline();
        }
    }

    /// Writes whole lines of the program as they are, and continues with a token and the comments from an offset on.
    pub(crate) fn verbatim(&mut self, lines: Range<u32>, next: TokenIdx) {
        self.out.push_str(self.program.slice(lines.start, lines.end));
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.line = self.out.len();
        self.continue_at(lines.end, next);
    }

    /// Writes tokens as they are, and continues after them.
    pub(crate) fn verbatim_tokens(&mut self, until: TokenIdx) {
        let start = self.program.tokens.start(self.next);
        let end = until.previous().map_or(start, |last| self.program.tokens.end(last));
        self.write(Space::None, self.program.slice(start, end));
        self.continue_at(end, until);
    }

    fn continue_at(&mut self, offset: u32, next: TokenIdx) {
        self.read = offset;
        self.next = next;
        self.comments.start = self.program.tokens.comments.partition_point(|comment| comment.start < offset);
    }
}
