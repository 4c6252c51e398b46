//! The lints L01 to L13 of spec 01 §2.11: what the union grammar accepts and mgmt 1.1 rejects, as warnings W0101 to W0113.
//!
//! All but three are about newlines and commas, which the grammar does not see. They are found in one pass over the
//! tokens, with the pairs of brackets and the statements that the parse has found.

use mcl_diagnostics::{Code, Diagnostic, Stage};
use mcl_lexer::TokenKind;

use crate::build::{Builder, Group};

/// The warnings for a file that was parsed without errors.
pub fn lint(builder: &mut Builder<'_>) -> Vec<Diagnostic> {
    let mut groups = std::mem::take(&mut builder.groups);
    groups.sort_unstable_by_key(|g| g.0);
    let mut starts: Vec<u32> = builder.ast.stmt_spans.iter().map(|s| s.start).collect();
    starts.sort_unstable();
    let mut pass = Pass { builder, found: Vec::new(), last: None };
    pass.newlines(&groups, &starts);
    pass.strings();
    pass.bars();
    pass.last_line();
    pass.found.sort_by_key(|d| d.span.map(|s| s.start));
    pass.found
}

/// An open pair of brackets.
struct Frame {
    opener: u32,
    group: Group,
    /// Whether a newline follows the opener.
    long: bool,
}

struct Pass<'p, 't> {
    builder: &'p Builder<'t>,
    found: Vec<Diagnostic>,
    /// The last warning about newlines: its code, and the statement. More of the same are not repeated.
    last: Option<(Code, usize)>,
}

impl Pass<'_, '_> {
    fn warn(&mut self, code: Code, token: usize, message: &str, help: &str) {
        let span = self.builder.tokens.span(self.builder.file, token);
        let warning = Diagnostic::warning(code, Stage::Parse, format!("mgmt 1.1 rejects {message}")).at(span);
        self.found.push(if help.is_empty() { warning } else { warning.help(help) });
    }

    fn newlines(&mut self, groups: &[(u32, Group)], starts: &[u32]) {
        let tokens = self.builder.tokens;
        let mut groups = groups.iter().peekable();
        let mut statement = 0;
        let mut frames: Vec<Frame> = Vec::new();
        for i in 0..tokens.len() {
            while starts.get(statement).is_some_and(|s| *s < tokens.start(i)) {
                statement += 1;
            }
            let starts_here = starts.get(statement) == Some(&tokens.start(i));
            let Some(kind) = tokens.kind(i) else { break };
            if let Some((code, message, help)) = self.token(frames.last(), i, kind, starts_here)
                && (self.last != Some((code, statement)) || code == Code::W0108)
            {
                self.last = Some((code, statement));
                let place = if code == Code::W0101 || code == Code::W0102 { i - 1 } else { i };
                self.warn(code, place, message, help);
            }
            if kind.is_opener() {
                while groups.next_if(|g| (g.0 as usize) < i).is_some() {}
                let group = groups.next_if(|g| g.0 as usize == i).map_or(Group::Single, |g| g.1);
                frames.push(Frame { opener: i as u32, group, long: tokens.newline_before(i + 1) });
            } else if kind.is_closer() {
                frames.pop();
            }
        }
    }

    /// What is wrong with the newline, or its absence, before a token that stands directly in a frame (or closes it).
    fn token(
        &self,
        frame: Option<&Frame>,
        i: usize,
        kind: TokenKind,
        starts_statement: bool,
    ) -> Option<(Code, &'static str, &'static str)> {
        let tokens = self.builder.tokens;
        let newline = tokens.newline_before(i);
        let opener = frame.map(|f| f.opener as usize);
        let behind_opener = i > 0 && opener == Some(i - 1);
        let behind_comma = i > 0 && tokens.kind(i - 1) == Some(TokenKind::Comma);
        let closes = kind.is_closer();
        let inside = || {
            Some(match kind {
                TokenKind::OpenCurly => (Code::W0106, "a newline before `{`", "move the brace up"),
                TokenKind::Else => (Code::W0107, "a newline before `else`", "write `} else {`"),
                _ => (Code::W0105, "a newline inside of a statement here", "join the lines"),
            })
        };
        match frame.map_or(Group::Block, |f| f.group) {
            Group::Block => {
                if closes || starts_statement {
                    let separated = newline || behind_opener || i == 0;
                    let message = if closes {
                        "a `}` on the line of the statement before it"
                    } else {
                        "two statements on one line"
                    };
                    return (!separated).then_some((Code::W0108, message, "start a new line"));
                }
                if newline && i > 0 { inside() } else { None }
            }
            Group::Entries => {
                if closes || behind_opener || behind_comma || !newline {
                    None
                } else if kind == TokenKind::Comma {
                    Some((Code::W0111, "a newline before the comma of an entry", "move the comma up"))
                } else {
                    inside()
                }
            }
            Group::List if frame.is_some_and(|f| f.long) => {
                if behind_opener {
                    None
                } else if closes {
                    match (newline, behind_comma) {
                        (true, true) => None,
                        (true, false) => Some((
                            Code::W0102,
                            "a last element without comma in a list over several lines",
                            "add a comma",
                        )),
                        (false, _) => Some((
                            Code::W0103,
                            "a closing bracket on the line of the last element of a list over several lines",
                            "put it on a line of its own",
                        )),
                    }
                } else if behind_comma {
                    (!newline).then_some((
                        Code::W0103,
                        "two elements on one line of a list over several lines",
                        "put each element on a line of its own",
                    ))
                } else if newline && kind == TokenKind::Comma {
                    Some((Code::W0111, "a newline before a comma", "move the comma up"))
                } else if newline {
                    inside()
                } else {
                    None
                }
            }
            Group::List => {
                if newline && (closes || behind_comma || kind == TokenKind::Comma) {
                    Some((
                        Code::W0104,
                        "a list that starts on the line of its bracket and goes on below",
                        "put all on one line, or each element on a line of its own",
                    ))
                } else if closes && behind_comma {
                    Some((Code::W0101, "a comma before the closing bracket of a list on one line", "drop the comma"))
                } else if newline {
                    inside()
                } else {
                    None
                }
            }
            Group::Body => {
                if newline && !closes && !behind_opener {
                    inside()
                } else {
                    None
                }
            }
            Group::Single => {
                if newline {
                    inside()
                } else {
                    None
                }
            }
            Group::Type => newline.then_some((Code::W0110, "a newline inside of a type", "join the lines")),
        }
    }

    /// Strings whose last character is an escaped backslash.
    fn strings(&mut self) {
        let tokens = self.builder.tokens;
        for (i, kind) in tokens.kinds().iter().enumerate() {
            if *kind != TokenKind::String {
                continue;
            }
            let raw = tokens.text(self.builder.text, i).as_bytes();
            let backslashes = raw[..raw.len().saturating_sub(1)].iter().rev().take_while(|b| **b == b'\\').count();
            if backslashes > 0 {
                self.warn(Code::W0113, i, "a string that ends in a backslash", "");
            }
        }
    }

    fn bars(&mut self) {
        for (token, compound) in &self.builder.bars {
            let help = if *compound {
                "write `<|>`; it takes the whole expression to its right, where `||` took only the first value: add parentheses \
                 if that was meant"
            } else {
                "write `<|>`"
            };
            self.warn(Code::W0112, *token as usize, "`||`, an older spelling of `<|>`", help);
        }
    }

    fn last_line(&mut self) {
        let tokens = self.builder.tokens;
        let Some(last) = tokens.len().checked_sub(1) else { return };
        let rest = self.builder.text.get(tokens.end(last) as usize..).unwrap_or("");
        if !rest.contains('\n') {
            self.warn(Code::W0109, last, "a last line without a newline", "add one");
        }
    }
}
