//! Package `regexp/syntax`: translates RE2 syntax to the syntax of the regex crate, with Go's errors.

use std::fmt::Write as _;

use crate::Error;

/// Translates a pattern to the syntax of the regex crate.
///
/// # Errors
/// The pattern is not valid in RE2.
pub fn translate(pattern: &str) -> Result<String, Error> {
    let mut translator =
        Translator { pattern, at: 0, out: String::with_capacity(pattern.len() + 16), names: Vec::new() };
    translator.run()?;
    Ok(translator.out)
}

struct Translator<'a> {
    pattern: &'a str,
    at: usize,
    out: String,
    names: Vec<&'a str>,
}

/// What precedes a repetition operator.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Operand,
    /// A repetition whose operator starts at this offset.
    Repetition(usize),
}

impl<'a> Translator<'a> {
    fn rest(&self) -> &'a str {
        &self.pattern[self.at..]
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn error<T>(&self, cause: &str, from: usize) -> Result<T, Error> {
        Err(Error::new(format!("{cause}: `{}`", &self.pattern[from..self.at])))
    }

    fn run(&mut self) -> Result<(), Error> {
        let (mut open, mut before) = (0usize, Before::Nothing);
        loop {
            let start = self.at;
            let Some(c) = self.next() else { break };
            before = match c {
                '(' => {
                    if self.group(start)? {
                        open += 1;
                        Before::Nothing
                    } else {
                        before
                    }
                }
                ')' => {
                    let Some(rest) = open.checked_sub(1) else {
                        return Err(Error::new(format!("unexpected ): `{}`", self.pattern)));
                    };
                    open = rest;
                    self.out.push(')');
                    Before::Operand
                }
                '|' => {
                    self.out.push('|');
                    Before::Nothing
                }
                '^' | '$' | '.' => {
                    self.out.push(c);
                    Before::Operand
                }
                '[' => {
                    self.class(start)?;
                    Before::Operand
                }
                '*' | '+' | '?' => self.repetition(start, before)?,
                '{' => {
                    if self.repeat_count(start)? {
                        self.repetition(start, before)?
                    } else {
                        self.literal('{');
                        Before::Operand
                    }
                }
                '\\' => {
                    self.escape(start)?;
                    Before::Operand
                }
                c => {
                    self.literal(c);
                    Before::Operand
                }
            };
        }
        if open > 0 { Err(Error::new(format!("missing closing ): `{}`", self.pattern))) } else { Ok(()) }
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii() && !c.is_ascii_alphanumeric() {
            let _ = write!(self.out, "\\x{:02x}", u32::from(c));
        } else {
            self.out.push(c);
        }
    }

    /// Handles a repetition operator, which starts at `start` and has been read.
    fn repetition(&mut self, start: usize, before: Before) -> Result<Before, Error> {
        self.take("?");
        match before {
            Before::Nothing => self.error("missing argument to repetition operator", start),
            Before::Repetition(first) => self.error("invalid nested repetition operator", first),
            Before::Operand => {
                self.out.push_str(&self.pattern[start..self.at]);
                Ok(Before::Repetition(start))
            }
        }
    }

    /// Reads `{n}`, `{n,}` or `{n,m}` after the `{`. Returns false if the brace is literal.
    fn repeat_count(&mut self, start: usize) -> Result<bool, Error> {
        let Some(length) = self.rest().find('}') else { return Ok(false) };
        let body = &self.rest()[..length];
        let number = |text: &str| {
            let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
            (plain && !text.is_empty()).then(|| text.parse::<u32>().unwrap_or(u32::MAX))
        };
        let (low, high) = match body.split_once(',') {
            None => (number(body), number(body)),
            Some((low, "")) => (number(low), number(low)),
            Some((low, high)) => (number(low), number(high)),
        };
        let (Some(low), Some(high)) = (low, high) else { return Ok(false) };
        self.at += length + 1;
        if low > 1000 || high > 1000 || low > high {
            return self.error("invalid repeat count", start);
        }
        Ok(true)
    }

    /// Reads the start of a group after the `(`. Returns whether a group was opened; `(?flags)` opens none.
    fn group(&mut self, start: usize) -> Result<bool, Error> {
        if !self.take("?") {
            self.out.push('(');
            return Ok(true);
        }
        if self.take("P<") || self.take("<") {
            return self.named_group(start).map(|()| true);
        }
        let (mut negative, mut saw_flag) = (false, false);
        while let Some(c) = self.next() {
            match c {
                'i' | 'm' | 's' | 'U' => saw_flag = true,
                '-' if !negative => (negative, saw_flag) = (true, false),
                ':' | ')' if saw_flag || !negative => {
                    let flags = &self.pattern[start..self.at];
                    // The regex crate requires at least one flag.
                    self.out.push_str(if flags == "(?)" { "" } else { flags });
                    return Ok(c == ':');
                }
                _ => return self.error("invalid or unsupported Perl syntax", start),
            }
        }
        Err(Error::new(format!("missing closing ): `{}`", self.pattern)))
    }

    fn named_group(&mut self, start: usize) -> Result<(), Error> {
        let Some(length) = self.rest().find('>') else {
            self.at = self.pattern.len();
            return self.error("invalid named capture", start);
        };
        let name = &self.rest()[..length];
        self.at += length + 1;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return self.error("invalid named capture", start);
        }
        if self.names.contains(&name) {
            return Err(Error::new(format!("duplicate capture group name: `{name}`")));
        }
        self.names.push(name);
        self.out.push('(');
        Ok(())
    }

    /// Reads an escape outside a class, after the `\`.
    fn escape(&mut self, start: usize) -> Result<(), Error> {
        match self.rest().chars().next() {
            Some('A') => self.copy_escape("\\A"),
            Some('z') => self.copy_escape("\\z"),
            Some('b') => self.copy_escape("(?-u:\\b)"),
            Some('B') => self.copy_escape("(?-u:\\B)"),
            Some('Q') => {
                self.at += 1;
                let length = self.rest().find("\\E");
                let quoted = &self.rest()[..length.unwrap_or(self.rest().len())];
                self.at += quoted.len() + if length.is_some() { 2 } else { 0 };
                self.out.push_str("(?:");
                quoted.chars().for_each(|c| self.literal(c));
                self.out.push(')');
            }
            Some('p' | 'P' | 'd' | 'D' | 's' | 'S' | 'w' | 'W') => self.class_escape(start)?,
            _ => {
                let c = self.character(start)?;
                self.code_point(c);
            }
        }
        Ok(())
    }

    fn copy_escape(&mut self, translation: &str) {
        self.at += 1;
        self.out.push_str(translation);
    }

    /// Reads the class of one of `pPdDsSwW`, after the `\`.
    fn class_escape(&mut self, start: usize) -> Result<(), Error> {
        let class = match self.next() {
            Some('d') => "[0-9]",
            Some('D') => "[^0-9]",
            Some('s') => r"[\t\n\x0c\r ]",
            Some('S') => r"[^\t\n\x0c\r ]",
            Some('w') => "[0-9A-Za-z_]",
            Some('W') => "[^0-9A-Za-z_]",
            _ => {
                if self.take("{") {
                    let Some(length) = self.rest().find('}') else {
                        self.at = self.pattern.len();
                        return self.error("invalid character class range", start);
                    };
                    self.at += length + 1;
                } else if self.next().is_none() {
                    return self.error("invalid character class range", start);
                }
                let written = &self.pattern[start..self.at];
                // A caret negates again, for which the regex crate has only the other letter.
                let class = match (written.strip_prefix(r"\p{^"), written.strip_prefix(r"\P{^")) {
                    (Some(name), _) => format!(r"\P{{{name}"),
                    (_, Some(name)) => format!(r"\p{{{name}"),
                    _ => written.to_owned(),
                };
                let known = regex::Regex::new(&class).is_ok() && !class.contains(['=', ':', ' ']);
                if !known {
                    return self.error("invalid character class range", start);
                }
                self.out.push_str(&class);
                return Ok(());
            }
        };
        self.out.push_str(class);
        Ok(())
    }

    /// Reads an escaped character, after the `\`.
    fn character(&mut self, start: usize) -> Result<char, Error> {
        let Some(c) = self.next() else { return Err(Error::new("trailing backslash at end of expression: ``")) };
        let code = match c {
            '1'..='7' if !self.rest().starts_with(|c| matches!(c, '0'..='7')) => None,
            '0'..='7' => {
                let mut code = u32::from(c) - u32::from('0');
                for _ in 0..2 {
                    let Some(digit) = self.rest().chars().next().and_then(|c| c.to_digit(8)) else { break };
                    self.at += 1;
                    code = code * 8 + digit;
                }
                Some(code)
            }
            'x' => self.hexadecimal(),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        match code.and_then(char::from_u32) {
            Some(c) => Ok(c),
            None => self.error("invalid escape sequence", start),
        }
    }

    fn hexadecimal(&mut self) -> Option<u32> {
        if self.take("{") {
            let length = self.rest().find('}')?;
            let digits = &self.rest()[..length];
            self.at += length + 1;
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
            return if plain { u32::from_str_radix(digits, 16).ok() } else { None };
        }
        let high = self.next()?.to_digit(16)?;
        Some(high * 16 + self.next()?.to_digit(16)?)
    }

    /// Reads a class, after the `[`.
    fn class(&mut self, start: usize) -> Result<(), Error> {
        self.out.push('[');
        if self.take("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let from = self.at;
            match self.rest().chars().next() {
                None => {
                    self.at = self.pattern.len();
                    return self.error("missing closing ]", start);
                }
                Some(']') if !first => {
                    self.at += 1;
                    self.out.push(']');
                    return Ok(());
                }
                Some('[') if self.rest().starts_with("[:") && self.rest()[2..].contains(":]") => {
                    self.named_class(from)?
                }
                Some('\\') if self.rest()[1..].starts_with(['p', 'P', 'd', 'D', 's', 'S', 'w', 'W']) => {
                    self.at += 1;
                    self.class_escape(from)?;
                }
                Some(_) => self.class_range(from, start)?,
            }
            first = false;
        }
    }

    fn named_class(&mut self, start: usize) -> Result<(), Error> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
            "word", "xdigit",
        ];
        let length = self.rest().find(":]").unwrap_or(0) + 2;
        let class = &self.rest()[..length];
        self.at += length;
        let name = class.trim_start_matches("[:").trim_start_matches('^').trim_end_matches(":]");
        if !NAMES.contains(&name) {
            return self.error("invalid character class range", start);
        }
        self.out.push_str(class);
        Ok(())
    }

    fn class_range(&mut self, from: usize, class: usize) -> Result<(), Error> {
        let low = self.class_character(class)?;
        // A `-` before the closing bracket is literal.
        if !self.rest().starts_with('-') || self.rest().starts_with("-]") {
            self.code_point(low);
            return Ok(());
        }
        self.at += 1;
        let high = self.class_character(class)?;
        if high < low {
            return self.error("invalid character class range", from);
        }
        self.code_point(low);
        self.out.push('-');
        self.code_point(high);
        Ok(())
    }

    fn class_character(&mut self, class: usize) -> Result<char, Error> {
        let start = self.at;
        match self.next() {
            None => self.error("missing closing ]", class),
            Some('\\') => self.character(start),
            Some(c) => Ok(c),
        }
    }

    fn code_point(&mut self, c: char) {
        let _ = write!(self.out, "\\x{{{:x}}}", u32::from(c));
    }
}
