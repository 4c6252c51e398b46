//! Regular expressions in the syntax of Ruby (Onigmo) as regular expressions of the `fancy-regex` crate.
//!
//! What differs: `^` and `$` always match at lines, `(?m)` lets `.` match newlines, `\d`, `\w`, `\s` and `\h` are ASCII while
//! brackets like `[[:alpha:]]` are not, groups without a name do not capture if others have one, `{` may be literal, a
//! quantifier may follow another one, `\Z`, `\R`, `\g<name>`, and the escapes of characters.

mod class;
mod escape;

use crate::error::{Error, ErrorKind};

/// Translates a regular expression.
///
/// # Errors
/// What Ruby reports for an invalid one.
pub(crate) fn translate(source: &str) -> Result<String, Error> {
    let mut translator = Translator::new(source);
    translator.find_groups();
    translator.run()?;
    Ok(translator.out)
}

struct Translator<'a> {
    source: &'a str,
    chars: Vec<char>,
    at: usize,
    out: String,
    /// The open groups.
    groups: Vec<Group>,
    /// Where the last atom starts in the output; `None` where a quantifier would have nothing to apply to.
    atom: Option<usize>,
    /// Spaces and comments are left out: `(?x)`.
    extended: bool,
    names: Vec<String>,
    /// The number of groups that capture.
    captures: usize,
    /// The bodies of subroutines that are being expanded.
    depth: usize,
}

struct Group {
    /// Where it starts in the output; `None` for options without a group of their own, which hold to the end of the group
    /// around them.
    start: Option<usize>,
    /// The value of `extended` around it.
    extended: bool,
}

impl<'a> Translator<'a> {
    fn new(source: &'a str) -> Translator<'a> {
        Translator {
            source,
            chars: source.chars().collect(),
            at: 0,
            out: String::with_capacity(source.len() + 16),
            groups: Vec::new(),
            atom: None,
            extended: false,
            names: Vec::new(),
            captures: 0,
            depth: 0,
        }
    }

    fn error(&self, message: impl AsRef<str>) -> Error {
        Error::new(ErrorKind::Regexp, format!("{}: /{}/", message.as_ref(), self.source))
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    /// Collects the names of groups, and counts those that capture.
    fn find_groups(&mut self) {
        let mut plain = 0;
        let mut in_class: usize = 0;
        let mut at = 0;
        while at < self.chars.len() {
            match self.chars[at] {
                '\\' => at += 1,
                '[' => in_class += 1,
                ']' => in_class = in_class.saturating_sub(1),
                '(' if in_class == 0 => {
                    match (self.chars.get(at + 1), self.chars.get(at + 2), self.chars.get(at + 3)) {
                        (Some('?'), Some('<'), Some(c)) if !matches!(c, '=' | '!') => {
                            self.names.push(self.chars[at + 3..].iter().take_while(|c| **c != '>').collect());
                        }
                        (Some('?'), Some('\''), _) => {
                            self.names.push(self.chars[at + 3..].iter().take_while(|c| **c != '\'').collect());
                        }
                        (Some('?'), ..) => {}
                        _ => plain += 1,
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.captures = if self.names.is_empty() { plain } else { self.names.len() };
    }

    fn run(&mut self) -> Result<(), Error> {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\\' => self.escape()?,
                '[' => {
                    let start = self.out.len();
                    self.class()?;
                    self.atom = Some(start);
                }
                '(' => self.open_group()?,
                ')' => self.close_group()?,
                '*' | '+' | '?' => self.quantifier(&c.to_string())?,
                '{' => match self.interval()? {
                    Some(text) => self.quantifier(&text)?,
                    None => self.literal('{'),
                },
                '|' => {
                    self.out.push('|');
                    self.atom = None;
                }
                '^' => self.atom("(?m:^)"),
                '$' => self.atom("(?m:$)"),
                '.' => {
                    self.atom = Some(self.out.len());
                    self.out.push('.');
                }
                '#' if self.extended => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                c if self.extended && c.is_ascii_whitespace() => {}
                c => self.literal(c),
            }
        }
        while let Some(group) = self.groups.pop() {
            if group.start.is_some() {
                return Err(self.error("end pattern with unmatched parenthesis"));
            }
            self.out.push(')');
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.atom = Some(self.out.len());
        push_literal(&mut self.out, c);
    }

    fn atom(&mut self, text: &str) {
        self.atom = Some(self.out.len());
        self.out.push_str(text);
    }

    fn open_group(&mut self) -> Result<(), Error> {
        let group = Group { start: Some(self.out.len()), extended: self.extended };
        if self.peek(0) != Some('?') {
            self.out.push_str(if self.names.is_empty() && self.depth == 0 { "(" } else { "(?:" });
            self.groups.push(group);
            self.atom = None;
            return Ok(());
        }
        self.at += 1;
        if self.peek(0) == Some('#') {
            while self.peek(0).is_some_and(|c| c != ')') {
                self.at += 1;
            }
            if self.peek(0).is_none() {
                return Err(self.error("end pattern in group"));
            }
            self.at += 1;
            return Ok(());
        }
        self.atom = None;
        for prefix in ["<=", "<!", ":", "=", "!", ">", "("] {
            if self.looking_at(prefix) {
                self.at += prefix.len();
                self.out.push_str("(?");
                self.out.push_str(prefix);
                self.groups.push(group);
                if prefix == "(" {
                    self.condition()?;
                }
                return Ok(());
            }
        }
        match self.peek(0) {
            Some(quote @ ('<' | '\'')) => {
                self.at += 1;
                let name = self.name(if quote == '<' { '>' } else { '\'' })?;
                let valid = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                    && name.chars().all(|c| c.is_alphanumeric() || c == '_');
                if !valid {
                    return Err(self.error(format!("invalid group name <{name}>")));
                }
                if self.depth == 0 {
                    self.out.push_str(&format!("(?<{name}>"));
                } else {
                    self.out.push_str("(?:");
                }
                self.groups.push(group);
                Ok(())
            }
            Some(_) => self.options(group),
            None => Err(self.error("end pattern in group")),
        }
    }

    /// Copies the condition of `(?(1)yes|no)`.
    fn condition(&mut self) -> Result<(), Error> {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            self.out.push(c);
            if c == ')' {
                return Ok(());
            }
        }
        Err(self.error("invalid conditional pattern"))
    }

    fn name(&mut self, end: char) -> Result<String, Error> {
        let mut name = String::new();
        loop {
            match self.peek(0) {
                Some(c) if c == end => {
                    self.at += 1;
                    break;
                }
                Some(c) if c != ')' => {
                    self.at += 1;
                    name.push(c);
                }
                _ => return Err(self.error(format!("invalid group name <{name}>"))),
            }
        }
        if name.is_empty() { Err(self.error("group name is empty")) } else { Ok(name) }
    }

    /// Reads `imx-imx)` or `imx-imx:`.
    fn options(&mut self, group: Group) -> Result<(), Error> {
        let mut on = true;
        let mut flags = [String::new(), String::new()];
        loop {
            let Some(c) = self.peek(0) else { return Err(self.error("end pattern in group")) };
            self.at += 1;
            match c {
                '-' => on = false,
                'i' => flags[usize::from(!on)].push('i'),
                'm' => flags[usize::from(!on)].push('s'),
                'x' => self.extended = on,
                // The character sets of these differ only where they are written out.
                'a' | 'u' | 'd' if on => {}
                ')' | ':' => {
                    let text = match (flags[0].as_str(), flags[1].as_str()) {
                        ("", "") => String::new(),
                        (on, "") => on.to_owned(),
                        (on, off) => format!("{on}-{off}"),
                    };
                    self.out.push_str(&format!("(?{text}:"));
                    // Options that end with `)` hold to the end of the group around them, alternatives included.
                    let own = Group { start: None, extended: self.extended };
                    self.groups.push(if c == ':' { group } else { own });
                    return Ok(());
                }
                _ => return Err(self.error("undefined group option")),
            }
        }
    }

    fn close_group(&mut self) -> Result<(), Error> {
        // Groups of options end with the group around them.
        while let Some(group) = self.groups.pop() {
            self.out.push(')');
            if group.start.is_some() {
                self.extended = group.extended;
                self.atom = group.start;
                return Ok(());
            }
        }
        Err(self.error("unmatched close parenthesis"))
    }

    /// Reads the rest of `{2,3}`; `None` if the brace is a literal one.
    fn interval(&mut self) -> Result<Option<String>, Error> {
        let rest: String = self.chars[self.at..].iter().take(24).take_while(|c| **c != '}').collect();
        if self.chars.get(self.at + rest.chars().count()) != Some(&'}') {
            return Ok(None);
        }
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let (min, max) = match rest.split_once(',') {
            Some((min, max)) if is_number(min) && is_number(max) && !(min.is_empty() && max.is_empty()) => {
                (min, Some(max))
            }
            None if !rest.is_empty() && is_number(&rest) => (rest.as_str(), None),
            _ => return Ok(None),
        };
        if self.atom.is_none() {
            return Ok(None);
        }
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number <= 100_000);
        let too_big = || self.error("too big number");
        let least = if min.is_empty() { 0 } else { number(min).ok_or_else(too_big)? };
        let text = match max {
            None => format!("{{{least}}}"),
            Some("") => format!("{{{least},}}"),
            Some(max) => {
                let most = number(max).ok_or_else(too_big)?;
                if most < least {
                    return Err(self.error("upper is smaller than lower in repeat range"));
                }
                format!("{{{least},{most}}}")
            }
        };
        self.at += rest.chars().count() + 1;
        Ok(Some(text))
    }

    fn quantifier(&mut self, text: &str) -> Result<(), Error> {
        let Some(start) = self.atom else {
            return Err(self.error("target of repeat operator is not specified"));
        };
        self.out.push_str(text);
        let is_interval = text.starts_with('{');
        match self.peek(0) {
            // `{2}?` means that there are two or none.
            Some('?') if is_interval && !text.contains(',') => {}
            Some('?') => {
                self.at += 1;
                self.out.push('?');
            }
            Some('+') if !is_interval => {
                self.at += 1;
                self.out.push('+');
            }
            _ => {}
        }
        // A quantifier that follows applies to all this.
        let rest = self.chars[self.at..].first();
        if matches!(rest, Some('*' | '+' | '?' | '{')) {
            self.out.insert_str(start, "(?:");
            self.out.push(')');
        }
        self.atom = Some(start);
        Ok(())
    }
}

fn push_literal(out: &mut String, c: char) {
    match c {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => out.extend(['\\', c]),
        ' ' | '#' => out.push_str(&format!("\\x{:02X}", u32::from(c))),
        c if c.is_control() => out.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
        c => out.push(c),
    }
}
