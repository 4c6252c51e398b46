//! The text of EPP templates, and their tags (spec 07 §5.12).

use memchr::memmem;

use crate::error::SyntaxErrorKind;
use crate::lexer::Lexer;
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Ends a tag at `%>` or `-%>`. Where no tag can end, the characters are operators.
    pub fn tag_close(&mut self, kind: TokenKind, start: usize, end: usize) {
        let ends_tag = self.in_tag && self.interpolations == 0;
        if !ends_tag {
            self.at = start + 1;
            let operator = match kind {
                TokenKind::TagCloseTrim => self.prefix_or(TokenKind::Negate, TokenKind::Minus),
                _ => TokenKind::Modulo,
            };
            return self.push(operator, start, self.at);
        }
        if self.in_render {
            self.push(TokenKind::RenderClose, start, end);
            self.in_render = false;
        }
        self.after_tag(kind == TokenKind::TagCloseTrim);
    }

    /// Continues after a tag.
    fn after_tag(&mut self, trims: bool) {
        if trims && self.trim_start() && self.at == self.end {
            // What is trimmed at the end of the file leaves an empty text, which is a statement.
            let content = self.tokens.add_content("");
            self.push_made(TokenKind::RenderText, self.at, self.at, Some(content));
        }
        self.template_text();
    }

    /// Reads text up to a tag with code, and adds it.
    pub fn template_text(&mut self) {
        let start = self.at;
        let mut out = String::new();
        self.in_tag = false;
        let bytes = self.text.as_bytes();
        let mut from = self.at;
        loop {
            let Some(found) = memchr::memchr(b'%', &bytes[self.at..self.end]) else {
                out.push_str(&self.text[from..self.end]);
                self.at = self.end;
                break;
            };
            let percent = self.at + found;
            self.at = percent + 1;
            if bytes[self.at..self.end].starts_with(b"%>") {
                // `%%>` is a literal `%>`.
                out.push_str(&self.text[from..percent]);
                from = percent + 1;
                continue;
            }
            if percent <= from || bytes[percent - 1] != b'<' {
                continue;
            }
            let open = percent - 1;
            if bytes[self.at..self.end].starts_with(b"%") {
                // `<%%` is a literal `<%`.
                out.push_str(&self.text[from..self.at]);
                self.at += 1;
                from = self.at;
                continue;
            }
            out.push_str(&self.text[from..open]);
            if bytes[self.at..self.end].starts_with(b"#") {
                self.template_comment(open, &mut out);
                from = self.at;
                continue;
            }
            self.in_tag = true;
            self.open_tag(open, start, out);
            return;
        }
        self.add_render_text(start, self.end, out);
    }

    /// Adds the text before a tag, and the start of the tag.
    fn open_tag(&mut self, open: usize, start: usize, mut out: String) {
        let next = self.text.as_bytes().get(self.at).copied().filter(|_| self.at < self.end);
        if next == Some(b'-') {
            self.at += 1;
            out.truncate(out.trim_end_matches([' ', '\t']).len());
        }
        self.add_render_text(start, open, out);
        self.in_render = next == Some(b'=');
        if self.in_render {
            self.at += 1;
            self.push(TokenKind::RenderOpen, open, self.at);
        }
        self.blank = true;
    }

    /// Skips a comment from its `#` on.
    fn template_comment(&mut self, open: usize, out: &mut String) {
        let bytes = self.text.as_bytes();
        if bytes[self.at..self.end].starts_with(b"#-") {
            out.truncate(out.trim_end_matches([' ', '\t']).len());
        }
        let body = self.at + 1;
        let mut at = body;
        while let Some(length) = memmem::find(&bytes[at..self.end], b"%>") {
            at += length + 2;
            let is_literal = at - 2 > body && bytes[at - 3] == b'%';
            if is_literal {
                continue;
            }
            let trims = at - 2 > body && bytes[at - 3] == b'-';
            self.at = at;
            if trims {
                self.trim_start();
            }
            return;
        }
        self.related_error(SyntaxErrorKind::UnclosedTagComment, (body - 1, body), (open, body));
        self.at = self.end;
    }

    /// Skips blanks, and a newline after them. Returns whether there were any.
    fn trim_start(&mut self) -> bool {
        let rest = &self.text[self.at..self.end];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let trimmed = trimmed.strip_prefix("\r\n").or(trimmed.strip_prefix('\n')).unwrap_or(trimmed);
        self.at += rest.len() - trimmed.len();
        trimmed.len() < rest.len()
    }

    fn add_render_text(&mut self, start: usize, end: usize, text: String) {
        if !text.is_empty() {
            let content = self.tokens.add_content(text);
            self.push_made(TokenKind::RenderText, start, end, Some(content));
        }
    }
}
