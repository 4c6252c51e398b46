//! Code that is kept as it is: between `# fmt: off` and `# fmt: on`, and a statement or entry with `# fmt: skip`.

use mcl_lexer::{Comment, TokenIdx, TokenKind};

use crate::printer::Printer;
use crate::program::Program;

const OFF: &str = "# fmt: off";
const ON: &str = "# fmt: on";
const SKIP: &str = "# fmt: skip";

/// What is next in a block or a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Item,
    End,
}

impl Next {
    pub(crate) fn is_closed(self) -> bool {
        self == Next::End
    }
}

impl Printer<'_, '_> {
    /// Writes what is before the next statement or entry: comments, blank lines, and what is kept as it is.
    pub(crate) fn leading(&mut self) -> Next {
        let is_off = |program: &Program<'_>, comment: &Comment| {
            program.comment_text(comment) == OFF && program.is_alone(comment)
        };
        while let Some(off) = self.leading_comments(is_off) {
            self.kept(&off);
        }
        match self.peek() {
            None | Some(TokenKind::CloseCurly) => Next::End,
            Some(_) => Next::Item,
        }
    }

    /// Writes what is behind a `# fmt: off`, up to its `# fmt: on`, or else to the end of the block.
    fn kept(&mut self, off: &Comment) {
        let program = self.program;
        let start =
            program.text[off.end as usize..].find('\n').map_or(program.text.len(), |n| off.end as usize + n + 1);
        let start = start as u32;
        let container = program.around_comment(off);
        let later = program.tokens.comments.iter().filter(|comment| comment.start > off.start);
        let on = later.take_while(|comment| is_inside(program, container, comment.next_token)).find(|comment| {
            program.comment_text(comment) == ON
                && program.is_alone(comment)
                && program.around_comment(comment) == container
                && is_between_items(program, comment.next_token)
        });
        if let Some(on) = on {
            self.verbatim(start..program.line_start(on.start), on.next_token);
            return;
        }
        let closer = container.map_or(program.tokens.end_idx(), |opener| program.closer(opener)).min(self.end);
        let before = program.tokens.start(closer);
        let line = program.line_start(before).max(start);
        let is_alone = closer < program.tokens.end_idx() && program.slice(line, before).trim().is_empty();
        let kept = program.slice(start, before).trim_end();
        let end = if is_alone { line } else { start + kept.len() as u32 };
        self.verbatim(start..end, closer);
    }

    /// Whether the statement or entry that starts with the next token is kept as it is: a comment says so behind one of its tokens
    /// that is in no bracket of its own.
    pub(crate) fn is_skipped(&self, end: TokenIdx) -> bool {
        let comments = &self.program.tokens.comments;
        let first = comments.partition_point(|comment| comment.next_token <= self.next);
        let candidates = comments[first..].iter().take_while(|comment| comment.next_token <= end);
        candidates.filter(|comment| self.program.comment_text(comment) == SKIP).any(|comment| {
            let Some(previous) = comment.next_token.previous() else { return false };
            let is_own = self.program.around(previous) == self.program.around(self.next);
            is_own && self.program.newlines(self.program.tokens.end(previous), comment.start) == 0
        })
    }
}

/// Whether a token is in a block, or closes it.
fn is_inside(program: &Program<'_>, container: Option<TokenIdx>, token: TokenIdx) -> bool {
    container.is_none_or(|opener| token <= program.closer(opener))
}

/// Whether a statement or an entry may start with a token, or its block ends there.
fn is_between_items(program: &Program<'_>, token: TokenIdx) -> bool {
    let tokens = &program.tokens;
    let is_end = tokens.kind(token).is_none_or(|kind| kind == TokenKind::CloseCurly);
    let follows_entry = token.previous().is_some_and(|previous| tokens[previous] == TokenKind::Comma);
    is_end || program.starts_statement(token) || follows_entry
}
