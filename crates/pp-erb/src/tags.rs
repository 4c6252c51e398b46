//! From a template to Ruby: the tags and their trimming (spec 07 §10.5).
//!
//! The Ruby text has the shape that ERB gives it, so that the grammar decides about tags as in Ruby: `_erbout.<<((CODE).to_s);`
//! for `<%= CODE %>`, CODE and a semicolon for `<% CODE %>`. Literal text is a short statement that stands for it, with the
//! line breaks of the text after it, so that statements are on the same lines in both.

use rustc_hash::{FxHashMap, FxHashSet};

/// A template as Ruby.
#[derive(Debug, Default)]
pub(crate) struct Ruby {
    /// The program.
    pub text: String,
    /// The literal texts of the template.
    pub literals: Vec<String>,
    /// The statements that stand for literal texts, by the offset where they start.
    pub literal_at: FxHashMap<usize, usize>,
    /// The statements that append a value to the output, by the offset where they start.
    pub output_at: FxHashSet<usize>,
    /// Where code of the template is in the program: its offset there, its offset in the template, both ascending.
    pieces: Vec<(usize, usize)>,
}

/// What a program starts with: the variable that collects the output.
const PROLOGUE: &str = "_erbout=+'';";
/// The statement that stands for literal text.
const LITERAL: &str = "_erbout.<<(0);";

impl Ruby {
    /// Returns the offset in the template of an offset in the program.
    pub fn template_offset(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|(ruby, _)| *ruby <= offset);
        let Some((ruby, template)) = after.checked_sub(1).and_then(|at| self.pieces.get(at)) else { return 0 };
        // What follows the last piece is not in the template.
        let limit = self.pieces.get(after).map_or(*template, |(_, next)| *next);
        (template + (offset - ruby)).min(limit)
    }

    fn push_literal(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.literal_at.insert(self.text.len(), self.literals.len());
        self.literals.push(text.to_owned());
        self.text.push_str(LITERAL);
        self.text.extend(text.bytes().filter(|byte| *byte == b'\n').map(|_| '\n'));
    }

    fn push_code(&mut self, code: &str, at: usize) {
        self.pieces.push((self.text.len(), at));
        self.text.push_str(code);
        self.pieces.push((self.text.len(), at + code.len()));
    }
}

/// How a tag starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Statement,
    Output,
    Comment,
}

/// Makes Ruby of a template.
pub(crate) fn to_ruby(template: &str) -> Ruby {
    let mut ruby = Ruby { text: PROLOGUE.to_owned(), ..Ruby::default() };
    let mut scanner = Scanner { template, at: 0 };
    let mut literal = String::new();
    while scanner.at < template.len() {
        let Some((start, tag)) = scanner.next_tag(&mut literal) else { break };
        let mut code = String::new();
        let Some(is_trimmed) = scanner.code(&mut code) else {
            // A tag that is not closed is text.
            literal.push_str(&code);
            break;
        };
        ruby.push_literal(&std::mem::take(&mut literal));
        match tag {
            Tag::Statement => {
                // A line break at the end of the code ends its last statement.
                ruby.push_code(&code, start);
                if !code.ends_with('\n') {
                    ruby.text.push(';');
                }
            }
            Tag::Output => {
                ruby.output_at.insert(ruby.text.len());
                ruby.text.push_str("_erbout.<<((");
                ruby.push_code(&code, start);
                ruby.text.push_str(").to_s);");
            }
            Tag::Comment => ruby.text.extend(code.bytes().filter(|byte| *byte == b'\n').map(|_| '\n')),
        }
        if is_trimmed {
            scanner.skip_newline(&mut ruby.text);
        }
    }
    ruby.push_literal(&literal);
    ruby.pieces.push((ruby.text.len(), template.len()));
    ruby.text.push_str("_erbout");
    ruby
}

struct Scanner<'a> {
    template: &'a str,
    at: usize,
}

impl Scanner<'_> {
    /// Reads literal text up to the next tag, and returns where its code starts.
    fn next_tag(&mut self, literal: &mut String) -> Option<(usize, Tag)> {
        // What follows a tag counts as the start of a line, as it does in ERB.
        let mut from = self.at;
        loop {
            let rest = &self.template[self.at..];
            let Some(found) = rest.find("<%") else {
                literal.push_str(rest);
                self.at = self.template.len();
                return None;
            };
            let (text, tag) = (&rest[..found], &rest[found + 2..]);
            let open = self.at + found;
            if tag.starts_with('%') {
                literal.push_str(text);
                literal.push_str("<%");
                self.at = open + 3;
                from = self.at;
                continue;
            }
            if let Some(code) = tag.strip_prefix('-') {
                let kept = text.trim_end_matches([' ', '\t']);
                let is_line_start = kept.is_empty() && self.at == from || kept.ends_with('\n');
                literal.push_str(if is_line_start { kept } else { text });
                self.at = open + 3;
                return Some((self.template.len() - code.len(), Tag::Statement));
            }
            literal.push_str(text);
            let (tag, length) = match tag.as_bytes().first() {
                Some(b'=') => (Tag::Output, 3),
                Some(b'#') => (Tag::Comment, 3),
                _ => (Tag::Statement, 2),
            };
            self.at = open + length;
            return Some((self.at, tag));
        }
    }

    /// Reads the code of a tag, and returns whether it ends with `-%>`; `None` if it does not end.
    fn code(&mut self, code: &mut String) -> Option<bool> {
        loop {
            let rest = &self.template[self.at..];
            let Some(found) = rest.find("%>") else {
                code.push_str(rest);
                self.at = self.template.len();
                return None;
            };
            let before = &rest[..found];
            self.at += found + 2;
            if let Some(before) = before.strip_suffix('%') {
                code.push_str(before);
                code.push_str("%>");
                continue;
            }
            return match before.strip_suffix('-') {
                Some(before) => {
                    code.push_str(before);
                    Some(true)
                }
                None => {
                    code.push_str(before);
                    Some(false)
                }
            };
        }
    }

    /// Skips the line break after `-%>`. The program keeps it, for the numbers of its lines.
    fn skip_newline(&mut self, program: &mut String) {
        let rest = &self.template[self.at..];
        let length = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
        self.at += length;
        if length > 0 {
            program.push('\n');
        }
    }
}
