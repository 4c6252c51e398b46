//! Heredocs: `@(TAG)`, and the text on the lines after it (spec 07 §5.2).

use memchr::{memchr, memchr_iter, memchr2};

use crate::error::SyntaxErrorKind;
use crate::lexer::Lexer;
use crate::lexer::context::{HeredocText, Outer, StringContext};
use crate::lexer::escape::Escapes;
use crate::lexer::string::preview;
use crate::token::TokenKind;

/// The part between the parentheses.
struct Tag<'t> {
    name: &'t str,
    interpolates: bool,
    syntax: Option<&'t str>,
    escapes: Escapes,
}

/// Where a heredoc ends.
struct End<'t> {
    /// The end of the text, at the start of the line with the tag.
    text: usize,
    /// After the line with the tag.
    line: usize,
    margin: &'t str,
    trims: bool,
}

impl<'t> Lexer<'t> {
    /// Reads a heredoc from its `@(` on: its tag, and its text on the following lines.
    pub fn heredoc(&mut self, start: usize) {
        let rest = &self.text.as_bytes()[start + 2..self.end];
        let length = memchr2(b')', b'\n', rest).unwrap_or(rest.len());
        if rest.get(length) != Some(&b')') {
            let kind = SyntaxErrorKind::UnclosedHeredocTag { followed_by: preview(&self.text[start..self.end]) };
            self.error(kind, start, start + 2);
            self.at = start + 2 + length;
            return self.push(TokenKind::ErrorValue, start, self.at);
        }
        let after = start + 2 + length + 1;
        self.at = after;
        let parsed = if self.in_heredoc { Err(SyntaxErrorKind::NestedHeredoc) } else { self.tag(start + 2, after - 1) };
        let found = parsed.and_then(|tag| {
            let text = self.heredoc_start(after).ok_or(SyntaxErrorKind::HeredocWithoutText)?;
            Ok((tag, text))
        });
        let (tag, text) = match found {
            Ok(found) => found,
            Err(kind) => {
                self.related_error(kind, (after, after), (start, after));
                self.skip_heredoc(start + 2, after);
                return self.push(TokenKind::ErrorValue, start, after);
            }
        };
        let Some(end) = self.heredoc_end(text, tag.name) else {
            let kind = SyntaxErrorKind::HeredocWithoutEnd { tag: tag.name.to_owned() };
            self.related_error(kind, (text, text), (start, after));
            self.heredocs_end = Some(self.end);
            return self.push(TokenKind::ErrorValue, start, after);
        };
        let syntax = tag.syntax.map(|syntax| self.tokens.add_content(syntax));
        self.push_made(TokenKind::Heredoc, start, after, syntax);
        let outer = Outer { at: after, end: self.end, in_heredoc: false, heredocs_end: Some(end.line) };
        let heredoc = HeredocText { escapes: tag.escapes, margin: end.margin, start: text, trims: end.trims, outer };
        let context = StringContext { start: text, opened: false, heredoc: Some(Box::new(heredoc)) };
        self.end = end.text;
        if tag.interpolates {
            self.at = text;
            self.in_heredoc = true;
            self.heredocs_end = None;
            self.string_segments(context);
        } else {
            let mut context = context;
            self.close_heredoc(&mut context, text);
        }
    }

    /// Skips the text of a heredoc whose tag, up to `after`, is not valid, if its end can be found.
    fn skip_heredoc(&mut self, start: usize, after: usize) {
        let tag = self.text[start..after - 1].split([':', '/']).next().unwrap_or("");
        let tag = tag.trim_matches([' ', '\t', '"']);
        let text = if tag.is_empty() || self.in_heredoc { None } else { self.heredoc_start(after) };
        if let Some(end) = text.and_then(|text| self.heredoc_end(text, tag)) {
            self.heredocs_end = Some(end.line);
        }
    }

    /// Adds the last part of the text, and continues after the tag.
    pub fn close_heredoc(&mut self, context: &mut StringContext<'t>, from: usize) {
        let Some(heredoc) = context.heredoc.take() else { return };
        let text_end = self.end;
        let mut to = text_end;
        if heredoc.trims {
            let text = &self.text[from..text_end];
            let trimmed = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
            to = from + trimmed.len();
        }
        let outer = heredoc.outer;
        context.heredoc = Some(heredoc);
        if context.opened {
            self.add_text(context, from, to);
            self.push(TokenKind::InterpolationClose, text_end, text_end);
        } else {
            let content = match self.content(context, from, to) {
                Some(content) => content,
                None => self.tokens.add_content(&self.text[from..to]),
            };
            self.push_made(TokenKind::String, context.start, text_end, Some(content));
        }
        self.at = outer.at;
        self.end = outer.end;
        self.in_heredoc = outer.in_heredoc;
        self.heredocs_end = outer.heredocs_end;
        self.push(TokenKind::HeredocEnd, outer.at, outer.at);
    }

    /// Returns where the text of a heredoc starts whose tag ends at `at`: on the next line, or after the heredocs before it.
    fn heredoc_start(&mut self, at: usize) -> Option<usize> {
        match self.heredocs_end {
            Some(end) => (end < self.end).then_some(end),
            None => {
                // The line may have many tags, but is searched only once.
                if !(at..=self.end).contains(&self.line_end) {
                    let newline = memchr(b'\n', &self.text.as_bytes()[at..self.end]);
                    self.line_end = newline.map_or(self.end, |newline| at + newline);
                }
                (self.line_end < self.end).then_some(self.line_end + 1)
            }
        }
    }

    /// Parses `tag`, `"tag"`, `tag:syntax`, `tag/escapes`.
    fn tag(&self, start: usize, end: usize) -> Result<Tag<'t>, SyntaxErrorKind> {
        let text = &self.text[start..end];
        let (rest, escapes) = match text.split_once('/') {
            Some((rest, escapes)) => (rest, Some(escapes)),
            None => (text, None),
        };
        let (name, syntax) = match rest.split_once(':') {
            Some((name, syntax)) => (name, Some(syntax.trim_matches([' ', '\t']))),
            None => (rest, None),
        };
        let is_syntax = |syntax: &str| {
            syntax.starts_with(|c: char| c.is_ascii_lowercase())
                && syntax.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+'))
        };
        if text.is_empty() || syntax.is_some_and(|syntax| !is_syntax(syntax)) {
            return Err(SyntaxErrorKind::InvalidHeredocSyntax);
        }
        let escapes = match escapes {
            None => Escapes::NONE,
            Some("") => Escapes::HEREDOC,
            Some(flags) => heredoc_escapes(flags)?,
        };
        let trimmed = name.trim();
        let quoted = trimmed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let name = quoted.map_or(trimmed, str::trim);
        if name.is_empty() {
            return Err(SyntaxErrorKind::EmptyHeredocTag);
        }
        Ok(Tag { name, interpolates: quoted.is_some(), syntax, escapes })
    }

    /// Looks for the line `| - TAG` that ends a heredoc.
    fn heredoc_end(&self, start: usize, tag: &str) -> Option<End<'t>> {
        let text = &self.text[start..self.end];
        let mut line_start = 0;
        for newline in memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
            let line = &text[line_start..newline];
            if let Some((margin, trims)) = end_line(line, tag) {
                let next = start + (newline + 1).min(text.len());
                return Some(End { text: start + line_start, line: next, margin, trims });
            }
            line_start = newline + 1;
            if line_start > text.len() {
                break;
            }
        }
        None
    }
}

/// Parses the letters after `/` in a tag.
fn heredoc_escapes(flags: &str) -> Result<Escapes, SyntaxErrorKind> {
    let mut escapes = Escapes::NONE;
    let flags = flags.trim_end_matches([' ', '\t']);
    // Only the form `[a-zA-Z$]+` reads as a list of letters.
    if !flags.bytes().all(|flag| flag.is_ascii_alphabetic() || flag == b'$') {
        return Err(SyntaxErrorKind::InvalidHeredocSyntax);
    }
    let mut repeats = false;
    for flag in flags.chars() {
        match u8::try_from(flag).ok().and_then(|flag| escapes.add(flag)) {
            Some(is_new) => repeats |= !is_new,
            None => return Err(SyntaxErrorKind::InvalidHeredocEscape(flag)),
        }
    }
    if repeats {
        let escapes: Vec<String> = flags.chars().map(String::from).collect();
        return Err(SyntaxErrorKind::RepeatedHeredocEscape { escapes: escapes.join(", ") });
    }
    Ok(escapes)
}

/// Parses the last line of a heredoc. Returns the margin, and whether the last newline is left out.
fn end_line<'l>(line: &'l str, tag: &str) -> Option<(&'l str, bool)> {
    let blanks = |text: &'l str| text.trim_start_matches([' ', '\t']);
    let rest = blanks(line);
    let indent = &line[..line.len() - rest.len()];
    let is_tag =
        |text: &str| text.strip_prefix(tag).is_some_and(|end| end.trim_end_matches([' ', '\t', '\r']).is_empty());
    let with_dash = |text: &'l str| text.strip_prefix('-').map(blanks).is_some_and(is_tag);
    // The tag itself may start with a bar or a dash.
    if let Some(rest) = rest.strip_prefix('|').map(blanks) {
        if with_dash(rest) {
            return Some((indent, true));
        }
        if is_tag(rest) {
            return Some((indent, false));
        }
    }
    if with_dash(rest) {
        return Some(("", true));
    }
    is_tag(rest).then_some(("", false))
}
