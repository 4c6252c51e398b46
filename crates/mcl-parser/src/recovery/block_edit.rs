//! Braces of blocks that do not match, judged by indentation.
//!
//! Nearly everything can be in a block, so a missing or superfluous `}` shows only at the end of the file. But a brace at
//! the end of a line is closed by the first line that is indented as little as its own, and that line starts with `}`. The
//! first line that is indented otherwise shows which brace is wrong.

use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::lookahead::indentation;
use crate::recovery::search::{Change, TokenEdit};
use crate::terminals::{Edits, Terminal};

/// A brace to insert, delete or put in place of another token, and the error that it stands for.
pub struct BlockEdit {
    pub edit: TokenEdit,
    pub error: BlockError,
}

/// What is wrong with a brace.
pub enum BlockError {
    /// This brace is not closed.
    Unclosed(TokenIdx),
    /// Nothing is open that this brace closes.
    Unmatched(TokenIdx),
    /// A brace belongs in place of the token.
    Replaced,
}

/// An open bracket.
struct Open {
    token: TokenIdx,
    kind: TokenKind,
    /// The indentation of its line.
    indent: usize,
    /// Whether it is a brace at the end of its line.
    ends_line: bool,
}

/// Returns the first brace that contradicts the indentation. Returns `None` if other brackets do not match, either.
pub fn block_edit(text: &str, tokens: &Tokens, edits: &Edits) -> Option<BlockEdit> {
    let mut open: Vec<Open> = Vec::new();
    let mut indent = 0;
    let mut token = TokenIdx::FIRST;
    loop {
        let edit = edits.get(&token);
        // What earlier errors insert is right.
        for terminal in edit.map_or(&[][..], |edit| &edit.terminals) {
            if let Terminal::Kind(kind) = terminal {
                let ends_line = *kind == TokenKind::OpenCurly && tokens.newline_before(token + 1);
                track(&mut open, Open { token, kind: *kind, indent, ends_line })?;
            }
        }
        if let Some(edit) = edit.filter(|edit| edit.resume > token) {
            token = edit.resume;
            continue;
        }
        let Some(kind) = tokens.kind(token) else { break };
        let starts_line = token == TokenIdx::FIRST || tokens.newline_before(token);
        if starts_line {
            indent = indentation(text, tokens, token);
        }
        if let Some(top) = open.last().filter(|top| top.ends_line) {
            let is_closer = kind == TokenKind::CloseCurly;
            let is_missing = starts_line && (indent < top.indent || indent == top.indent && !is_closer);
            let is_superfluous = is_closer && (!starts_line && top.token + 1 != token || indent > top.indent);
            if is_missing && indent == top.indent && is_alone(tokens, token) {
                let edit = TokenEdit { at: token, change: Change::Replace(BRACE) };
                return Some(BlockEdit { edit, error: BlockError::Replaced });
            }
            if is_missing {
                let edit = TokenEdit { at: token, change: Change::Insert(BRACE) };
                return Some(BlockEdit { edit, error: BlockError::Unclosed(top.token) });
            }
            if is_superfluous {
                return Some(BlockEdit::unmatched(token));
            }
        }
        if kind == TokenKind::CloseCurly && open.is_empty() {
            return Some(BlockEdit::unmatched(token));
        }
        let ends_line = kind == TokenKind::OpenCurly && tokens.newline_before(token + 1);
        track(&mut open, Open { token, kind, indent, ends_line })?;
        token = token + 1;
    }
    let top = open.pop().filter(|top| top.kind == TokenKind::OpenCurly)?;
    let edit = TokenEdit { at: token, change: Change::Insert(BRACE) };
    Some(BlockEdit { edit, error: BlockError::Unclosed(top.token) })
}

const BRACE: Terminal = Terminal::Kind(TokenKind::CloseCurly);

/// Whether a token is the only one on its line, or what follows it follows a `}`. No statement is like that.
fn is_alone(tokens: &Tokens, token: TokenIdx) -> bool {
    tokens.newline_before(token + 1) || token + 1 >= tokens.end_idx() || tokens.kind(token + 1) == Some(TokenKind::Else)
}

/// Opens or closes a bracket. Returns `None` if the closer is not the one of the innermost open bracket.
fn track(open: &mut Vec<Open>, token: Open) -> Option<()> {
    if token.kind.is_opener() {
        open.push(token);
    } else if token.kind.is_closer() {
        let opener = open.pop()?;
        if opener.kind.closer() != Some(token.kind) {
            return None;
        }
    }
    Some(())
}

impl BlockEdit {
    fn unmatched(brace: TokenIdx) -> BlockEdit {
        BlockEdit { edit: TokenEdit { at: brace, change: Change::Delete }, error: BlockError::Unmatched(brace) }
    }
}
