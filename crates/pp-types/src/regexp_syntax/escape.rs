//! Escapes outside of classes, references to groups, and calls of them.

use crate::error::{Error, ErrorKind};
use crate::regexp_syntax::{Translator, push_literal};

/// The greatest length of an expression with subroutine calls, in bytes.
const MAX_EXPANSION: usize = 64 * 1024;

impl Translator<'_> {
    pub(super) fn escape(&mut self) -> Result<(), Error> {
        let Some(c) = self.peek(0) else { return Err(self.error("too short escape sequence")) };
        self.at += 1;
        match c {
            'd' => self.atom("[0-9]"),
            'D' => self.atom("[^0-9]"),
            'w' => self.atom("[a-zA-Z0-9_]"),
            'W' => self.atom("[^a-zA-Z0-9_]"),
            's' => self.atom("[\\t\\n\\x0B\\x0C\\r ]"),
            'S' => self.atom("[^\\t\\n\\x0B\\x0C\\r ]"),
            'h' => self.atom("[0-9a-fA-F]"),
            'H' => self.atom("[^0-9a-fA-F]"),
            'R' => self.atom("(?>\\r\\n|[\\n\\x0B\\x0C\\r\\x{85}\\x{2028}\\x{2029}])"),
            'X' => self.atom("(?>\\r\\n|\\P{M}\\p{M}*|(?s:.))"),
            'A' => self.atom("\\A"),
            'z' => self.atom("\\z"),
            'Z' => self.atom("(?=\\n?\\z)"),
            'b' => self.atom("\\b"),
            'B' => self.atom("\\B"),
            'G' => self.atom("\\G"),
            'K' => self.atom("\\K"),
            'p' | 'P' => {
                let start = self.out.len();
                let class = self.property(c == 'P')?;
                self.out.push_str(&class);
                self.atom = Some(start);
            }
            'k' => self.named_reference()?,
            'g' => self.subroutine()?,
            '1'..='9' => self.numbered_reference(c)?,
            _ => {
                self.at -= 1;
                let start = self.out.len();
                for c in self.character()? {
                    push_literal(&mut self.out, c);
                }
                self.atom = Some(start);
            }
        }
        Ok(())
    }

    fn numbered_reference(&mut self, first: char) -> Result<(), Error> {
        let mut digits = first.to_string();
        while let Some(c) = self.peek(0).filter(char::is_ascii_digit) {
            let longer = format!("{digits}{c}");
            if longer.parse::<usize>().is_ok_and(|number| number <= self.captures) {
                digits = longer;
                self.at += 1;
            } else {
                break;
            }
        }
        let number: usize = digits.parse().unwrap_or(usize::MAX);
        if number <= self.captures && !self.names.is_empty() {
            return Err(self.error("numbered backref/call is not allowed. (use name)"));
        }
        if number <= self.captures {
            self.atom(&format!("(?:\\{number})"));
            return Ok(());
        }
        if first > '7' {
            return Err(self.error("invalid backref number/name"));
        }
        // What cannot be a reference is the number of a character.
        self.at -= 1;
        let c = self.octal();
        self.literal(c);
        Ok(())
    }

    fn octal(&mut self) -> char {
        let mut value = 0;
        for _ in 0..3 {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.at += 1;
        }
        char::from_u32(value).unwrap_or('\0')
    }

    fn reference_name(&mut self) -> Result<String, Error> {
        match self.peek(0) {
            Some(quote @ ('<' | '\'')) => {
                self.at += 1;
                self.name(if quote == '<' { '>' } else { '\'' })
            }
            _ => Err(self.error("invalid backref number/name")),
        }
    }

    fn named_reference(&mut self) -> Result<(), Error> {
        let name = self.reference_name()?;
        if let Ok(number) = name.parse::<i64>() {
            let absolute = if number < 0 { self.captures as i64 + 1 + number } else { number };
            if !(1..=self.captures as i64).contains(&absolute) {
                return Err(self.error("invalid backref number/name"));
            }
            self.atom(&format!("(?:\\{absolute})"));
            return Ok(());
        }
        if !self.names.contains(&name) {
            return Err(self.error(format!("undefined name <{name}> reference")));
        }
        self.atom(&format!("\\k<{name}>"));
        Ok(())
    }

    /// Expands `\g<name>` to the body of the group.
    fn subroutine(&mut self) -> Result<(), Error> {
        let name = self.reference_name()?;
        let Some(body) = self.body_of(&name) else {
            return Err(self.error(format!("undefined name <{name}> call")));
        };
        let mut inner = Translator { source: self.source, chars: body, depth: self.depth + 1, ..Translator::new("") };
        inner.names = self.names.clone();
        inner.captures = self.captures;
        inner.extended = self.extended;
        if inner.depth > 8 {
            let error = self.error(format!("a group that calls itself is not supported: <{name}>"));
            let error = Error { kind: ErrorKind::Unavailable, ..error };
            return Err(error.help("write out how often it is repeated"));
        }
        inner.run()?;
        if self.out.len() + inner.out.len() > MAX_EXPANSION {
            return Err(Error { kind: ErrorKind::Limit, ..self.error("the regular expression is too large") });
        }
        let text = format!("(?:{})", inner.out);
        self.atom(&text);
        Ok(())
    }

    /// Returns the source of a group with a name or a number.
    fn body_of(&self, name: &str) -> Option<Vec<char>> {
        let whole: Vec<char> = self.source.chars().collect();
        let number: Option<usize> = name.parse().ok();
        let mut seen = 0;
        let mut in_class: usize = 0;
        let mut at = 0;
        while at < whole.len() {
            match whole[at] {
                '\\' => at += 1,
                '[' => in_class += 1,
                ']' => in_class = in_class.saturating_sub(1),
                '(' if in_class == 0 => {
                    let rest: String = whole[at + 1..].iter().take(name.len() + 3).collect();
                    let is_plain = !rest.starts_with('?');
                    let is_named = rest.starts_with(&format!("?<{name}>")) || rest.starts_with(&format!("?'{name}'"));
                    seen += usize::from(is_plain);
                    if is_named || is_plain && number == Some(seen) {
                        let start = at + 1 + if is_named { name.chars().count() + 3 } else { 0 };
                        return group_end(&whole, start).map(|end| whole[start..end].to_vec());
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Reads an escaped character, or several: `\u{61 62}`.
    pub(super) fn character(&mut self) -> Result<Vec<char>, Error> {
        let Some(c) = self.peek(0) else { return Err(self.error("too short escape sequence")) };
        self.at += 1;
        Ok(vec![match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'x' => self.hexadecimal(2).ok_or_else(|| self.error("invalid hex escape"))?,
            'u' if self.peek(0) == Some('{') => {
                self.at += 1;
                let text: String = self.chars[self.at..].iter().take_while(|c| **c != '}').collect();
                self.at += text.chars().count() + 1;
                let parse = |code: &str| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                let found: Option<Vec<char>> = text.split_whitespace().map(parse).collect();
                return found.filter(|found| !found.is_empty()).ok_or_else(|| self.error("invalid Unicode escape"));
            }
            'u' => self.hexadecimal(4).ok_or_else(|| self.error("too short escape sequence"))?,
            'c' => self.control()?,
            'C' if self.peek(0) == Some('-') => {
                self.at += 1;
                self.control()?
            }
            '0'..='7' => {
                self.at -= 1;
                self.octal()
            }
            other => other,
        }])
    }

    fn hexadecimal(&mut self, max: usize) -> Option<char> {
        let digits: String = self.chars[self.at..].iter().take(max).take_while(|c| c.is_ascii_hexdigit()).collect();
        self.at += digits.len();
        if max == 4 && digits.len() < 4 {
            return None;
        }
        u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
    }

    fn control(&mut self) -> Result<char, Error> {
        let c = self.peek(0).filter(char::is_ascii).ok_or_else(|| self.error("too short control sequence"))?;
        self.at += 1;
        Ok(if c == '?' { '\u{7f}' } else { char::from(c as u8 & 0x1f) })
    }
}

/// Returns where the group ends whose body starts at an index.
fn group_end(source: &[char], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_class: usize = 0;
    let mut at = start;
    while at < source.len() {
        match source[at] {
            '\\' => at += 1,
            '[' => in_class += 1,
            ']' => in_class = in_class.saturating_sub(1),
            '(' if in_class == 0 => depth += 1,
            ')' if in_class == 0 && depth == 0 => return Some(at),
            ')' if in_class == 0 => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}
