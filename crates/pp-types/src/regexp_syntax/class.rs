//! Classes: `[a-z&&[^aeiou]]`, `[[:alpha:]]`, `\p{L}`.

use crate::error::Error;
use crate::regexp_syntax::Translator;

impl Translator<'_> {
    /// Reads `{Name}` or `{^Name}` after `\p`, and returns a class.
    pub(super) fn property(&mut self, negated: bool) -> Result<String, Error> {
        if self.peek(0) != Some('{') {
            return Err(self.error("invalid character property name {p}"));
        }
        self.at += 1;
        let text: String = self.chars[self.at..].iter().take_while(|c| **c != '}').collect();
        self.at += text.chars().count() + 1;
        let (name, negated) = match text.strip_prefix('^') {
            Some(name) => (name, !negated),
            None => (text.as_str(), negated),
        };
        let plain = name.to_ascii_lowercase().replace(['_', ' ', '-'], "");
        let class = match posix(&plain) {
            Some(members) => members.to_owned(),
            None if plain == "any" => "\\x{0}-\\x{10FFFF}".to_owned(),
            None => format!("\\p{{{name}}}"),
        };
        let class = format!("[{}{class}]", if negated { "^" } else { "" });
        match fancy_regex::Regex::new(&class) {
            Ok(_) => Ok(class),
            Err(_) => Err(self.error(format!("invalid character property name {{{text}}}"))),
        }
    }

    /// Translates a class; its opening bracket is read.
    pub(super) fn class(&mut self) -> Result<(), Error> {
        let premature = |this: &Translator<'_>| this.error("premature end of char-class");
        let mut levels = 1;
        self.open_class();
        let mut is_first = true;
        while levels > 0 {
            let Some(c) = self.peek(0) else { return Err(premature(self)) };
            self.at += 1;
            match c {
                ']' if is_first => {
                    if !self.chars[self.at..].contains(&']') {
                        return Err(self.error("empty char-class"));
                    }
                    self.range_from(']')?;
                }
                ']' => {
                    self.out.push(']');
                    levels -= 1;
                }
                '[' if self.peek(0) == Some(':') && self.posix_bracket()? => {}
                '[' => {
                    levels += 1;
                    if levels > 100 {
                        return Err(self.error("too deep nest level"));
                    }
                    self.open_class();
                    is_first = true;
                    continue;
                }
                '&' if self.peek(0) == Some('&') => {
                    self.at += 1;
                    self.out.push_str("&&");
                }
                '\\' => self.class_escape()?,
                c => self.range_from(c)?,
            }
            is_first = false;
        }
        Ok(())
    }

    fn open_class(&mut self) {
        self.out.push('[');
        if self.peek(0) == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
    }

    fn posix_bracket(&mut self) -> Result<bool, Error> {
        let rest: String = self.chars[self.at + 1..].iter().take(20).collect();
        let Some(end) = rest.find(":]") else { return Ok(false) };
        let (name, negated) = match rest[..end].strip_prefix('^') {
            Some(name) => (name, true),
            None => (&rest[..end], false),
        };
        if !name.bytes().all(|b| b.is_ascii_lowercase()) {
            return Ok(false);
        }
        let Some(members) = posix(name) else { return Err(self.error("invalid POSIX bracket type")) };
        self.out.push_str(&format!("[{}{members}]", if negated { "^" } else { "" }));
        self.at += end + 3;
        Ok(true)
    }

    fn class_escape(&mut self) -> Result<(), Error> {
        let Some(c) = self.peek(0) else { return Err(self.error("premature end of char-class")) };
        let set = match c {
            'd' => "0-9",
            'D' => "[^0-9]",
            'w' => "a-zA-Z0-9_",
            'W' => "[^a-zA-Z0-9_]",
            's' => "\\t\\n\\x0B\\x0C\\r ",
            'S' => "[^\\t\\n\\x0B\\x0C\\r ]",
            'h' => "0-9a-fA-F",
            'H' => "[^0-9a-fA-F]",
            'R' => "\\n\\x0B\\x0C\\r",
            'p' | 'P' => {
                self.at += 1;
                let class = self.property(c == 'P')?;
                self.out.push_str(&class);
                return Ok(());
            }
            'b' => {
                self.at += 1;
                return self.range_from('\u{8}');
            }
            _ => {
                let characters = self.character()?;
                if let [only] = characters.as_slice() {
                    return self.range_from(*only);
                }
                for c in characters {
                    push_class_literal(&mut self.out, c);
                }
                return Ok(());
            }
        };
        self.at += 1;
        self.out.push_str(set);
        Ok(())
    }

    /// Writes a character of a class, or the range that starts with it.
    fn range_from(&mut self, first: char) -> Result<(), Error> {
        push_class_literal(&mut self.out, first);
        let is_range = self.peek(0) == Some('-') && !matches!(self.peek(1), None | Some(']' | '['));
        if !is_range {
            return Ok(());
        }
        let before = self.at;
        self.at += 1;
        let last = match self.peek(0) {
            // A set cannot end a range: the dash is literal.
            Some('\\') if self.peek(1).is_some_and(|c| "dDwWsShHRpP".contains(c)) => {
                self.at = before + 1;
                push_class_literal(&mut self.out, '-');
                return Ok(());
            }
            Some('\\') => {
                self.at += 1;
                match self.character()?.as_slice() {
                    [only] => *only,
                    _ => return Err(self.error("char-class value at end of range")),
                }
            }
            Some(c) => {
                self.at += 1;
                c
            }
            None => return Err(self.error("premature end of char-class")),
        };
        if last < first {
            return Err(self.error("empty range in char class"));
        }
        self.out.push('-');
        push_class_literal(&mut self.out, last);
        Ok(())
    }
}

/// Returns the members of a POSIX bracket, which has all characters of Unicode.
fn posix(name: &str) -> Option<&'static str> {
    Some(match name {
        "alnum" => "\\p{Alphabetic}\\p{Nd}",
        "alpha" => "\\p{Alphabetic}",
        "ascii" => "\\x00-\\x7F",
        "blank" => "\\p{Zs}\\t",
        "cntrl" => "\\p{Cc}",
        "digit" => "\\p{Nd}",
        "graph" => "[^\\p{White_Space}\\p{Cc}\\p{Cn}\\p{Cs}]",
        "lower" => "\\p{Lowercase}",
        "print" => "[[^\\p{White_Space}\\p{Cc}\\p{Cn}\\p{Cs}]\\p{Zs}]",
        "punct" => "\\p{P}$+<=>\\^`|\\~",
        "space" => "\\p{White_Space}",
        "upper" => "\\p{Uppercase}",
        "xdigit" => "0-9a-fA-F",
        "word" => "\\p{L}\\p{M}\\p{N}\\p{Pc}",
        _ => return None,
    })
}

fn push_class_literal(out: &mut String, c: char) {
    match c {
        '\\' | '[' | ']' | '^' | '-' | '&' | '~' => out.extend(['\\', c]),
        c if c.is_control() => out.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
        c => out.push(c),
    }
}
