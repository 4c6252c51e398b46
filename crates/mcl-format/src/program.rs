//! The tokens of a program without syntax errors, and what the layout asks about them.

use mcl_diagnostics::{FileId, Severity};
use mcl_lexer::{Comment, TokenIdx, TokenKind, Tokens, lex, lex_diagnostics};
use mcl_parser::parse;

use crate::error::FormatError;

/// A program that follows the grammar.
pub(crate) struct Program<'t> {
    pub(crate) text: &'t str,
    pub(crate) tokens: Tokens,
    /// The bytes of each statement, in the order of their starts.
    statements: Vec<(u32, u32)>,
    /// For each token the bracket around it; for a bracket, what is around the pair.
    around: Vec<Option<TokenIdx>>,
    /// For each opening bracket its closing one; for other tokens the token itself.
    closers: Vec<TokenIdx>,
}

impl<'t> Program<'t> {
    /// Lexes and parses a text.
    ///
    /// # Errors
    /// The text has syntax errors.
    pub(crate) fn read(file: FileId, text: &'t str) -> Result<Program<'t>, FormatError> {
        let tokens = lex(text);
        let mut errors = lex_diagnostics(file, text, &tokens);
        let parsed = parse(file, text, &tokens);
        errors.extend(parsed.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error));
        if !errors.is_empty() {
            errors.sort_by_key(|error| error.span.map(|span| span.start));
            return Err(FormatError::Syntax(errors));
        }
        let mut statements: Vec<(u32, u32)> = parsed.ast.stmt_ranges.values().map(|s| (s.start, s.end)).collect();
        statements.sort_unstable();
        let (mut around, mut closers) = (Vec::with_capacity(tokens.len()), Vec::with_capacity(tokens.len()));
        let mut open: Vec<TokenIdx> = Vec::new();
        for token in tokens.indices() {
            if tokens[token].is_closer()
                && let Some(opener) = open.pop()
            {
                closers[index(opener)] = token;
            }
            around.push(open.last().copied());
            closers.push(token);
            if tokens[token].is_opener() {
                open.push(token);
            }
        }
        Ok(Program { text, tokens, statements, around, closers })
    }

    /// Returns the closing bracket of an opening one.
    pub(crate) fn closer(&self, opener: TokenIdx) -> TokenIdx {
        self.closers.get(index(opener)).copied().unwrap_or(opener)
    }

    /// Returns the bracket around a token; that around the last token for the end of the file.
    pub(crate) fn around(&self, token: TokenIdx) -> Option<TokenIdx> {
        self.around.get(index(token)).copied().flatten()
    }

    /// Returns the bracket around a comment.
    pub(crate) fn around_comment(&self, comment: &Comment) -> Option<TokenIdx> {
        let next = comment.next_token;
        match self.tokens.kind(next) {
            // A comment before a closing bracket is inside of the pair.
            Some(kind) if kind.is_closer() => {
                let previous = next.previous()?;
                if self.tokens[previous].is_opener() { Some(previous) } else { self.around(previous) }
            }
            _ => self.around(next),
        }
    }

    /// Returns the comments inside of a pair of brackets, however deep.
    pub(crate) fn comments_within(&self, opener: TokenIdx) -> &[Comment] {
        let (comments, closer) = (&self.tokens.comments, self.closer(opener));
        let start = comments.partition_point(|comment| comment.next_token <= opener);
        let end = comments.partition_point(|comment| comment.next_token <= closer);
        &comments[start..end]
    }

    /// Whether the first token inside of a pair of brackets is on a later line than the opening one.
    pub(crate) fn starts_on_later_line(&self, opener: TokenIdx) -> bool {
        self.tokens.newline_before(opener + 1)
    }

    /// Returns the token after the statement that starts with a token.
    pub(crate) fn end_of_statement(&self, start: TokenIdx) -> Option<TokenIdx> {
        let offset = self.tokens.start(start);
        let found = self.statements.binary_search_by_key(&offset, |statement| statement.0).ok()?;
        Some(self.tokens.first_from(self.statements[found].1))
    }

    /// Whether a token is the first one of a statement.
    pub(crate) fn starts_statement(&self, token: TokenIdx) -> bool {
        self.end_of_statement(token).is_some()
    }

    /// Returns the token after the comma of the entry of a resource that starts with a token.
    pub(crate) fn end_of_entry(&self, start: TokenIdx) -> TokenIdx {
        let mut token = start;
        while let Some(kind) = self.tokens.kind(token) {
            if kind == TokenKind::Comma {
                return token + 1;
            }
            token = self.closer(token) + 1;
        }
        token
    }

    /// Returns the text of a comment, without blanks at its end.
    pub(crate) fn comment_text(&self, comment: &Comment) -> &'t str {
        self.slice(comment.start, comment.end).trim_end_matches([' ', '\t'])
    }

    /// Whether nothing but blanks is before a comment on its line.
    pub(crate) fn is_alone(&self, comment: &Comment) -> bool {
        let line = self.line_start(comment.start);
        self.slice(line, comment.start).bytes().all(|byte| byte == b' ' || byte == b'\t')
    }

    /// Returns the offset of the line that holds an offset.
    pub(crate) fn line_start(&self, offset: u32) -> u32 {
        self.slice(0, offset).rfind('\n').map_or(0, |newline| newline as u32 + 1)
    }

    /// Returns the number of newlines between two offsets.
    pub(crate) fn newlines(&self, start: u32, end: u32) -> usize {
        self.slice(start, end).bytes().filter(|byte| *byte == b'\n').count()
    }

    /// Returns a part of the text.
    pub(crate) fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }
}

fn index(token: TokenIdx) -> usize {
    (token - TokenIdx::FIRST) as usize
}
