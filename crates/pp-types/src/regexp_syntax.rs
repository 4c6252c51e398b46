//! Regular expressions in the syntax of Ruby (Onigmo) as regular expressions of the `fancy-regex` crate.
//!
//! What differs: `^` and `$` always match at lines, `(?m)` lets `.` match newlines, `\d`, `\w`, `\s` and `\h` are ASCII while
//! brackets like `[[:alpha:]]` are not, groups without a name do not capture if others have one, `{` may be literal, a
//! quantifier may follow another one, `\Z`, `\R`, `\g<name>`, and the escapes of characters.

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

/// The expressions with subroutine calls may be this large.
const MAX_EXPANSION: usize = 64 * 1024;

struct Translator<'a> {
    source: &'a str,
    chars: Vec<char>,
    at: usize,
    out: String,
    /// The open groups.
    groups: Vec<Group>,
    /// Where the last atom starts in the output; none after a quantifier-free position.
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
    /// Where it starts in the output.
    start: usize,
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
                '^' => self.assertion("(?m:^)"),
                '$' => self.assertion("(?m:$)"),
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
            if group.start != usize::MAX {
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

    fn assertion(&mut self, text: &str) {
        self.atom(text);
    }

    fn open_group(&mut self) -> Result<(), Error> {
        let group = Group { start: self.out.len(), extended: self.extended };
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
                    if c == ':' {
                        self.out.push_str(&format!("(?{text}:"));
                        self.groups.push(group);
                    } else {
                        // The options hold to the end of the group around, alternatives included.
                        self.out.push_str(&format!("(?{text}:"));
                        self.groups.push(Group { start: usize::MAX, extended: self.extended });
                    }
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
            if group.start != usize::MAX {
                self.extended = group.extended;
                self.atom = Some(group.start);
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

    fn escape(&mut self) -> Result<(), Error> {
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
            'A' => self.assertion("\\A"),
            'z' => self.assertion("\\z"),
            'Z' => self.assertion("(?=\\n?\\z)"),
            'b' => self.assertion("\\b"),
            'B' => self.assertion("\\B"),
            'G' => self.assertion("\\G"),
            'K' => self.assertion("\\K"),
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
            return Err(error.help("write out how often it is repeated"));
        }
        inner.run()?;
        if self.out.len() + inner.out.len() > MAX_EXPANSION {
            return Err(self.error("the regular expression is too large"));
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
    fn character(&mut self) -> Result<Vec<char>, Error> {
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

    /// Reads `{Name}` or `{^Name}` after `\p`, and returns a class.
    fn property(&mut self, negated: bool) -> Result<String, Error> {
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
    fn class(&mut self) -> Result<(), Error> {
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

fn push_literal(out: &mut String, c: char) {
    match c {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => out.extend(['\\', c]),
        ' ' | '#' => out.push_str(&format!("\\x{:02X}", u32::from(c))),
        c if c.is_control() => out.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
        c => out.push(c),
    }
}

fn push_class_literal(out: &mut String, c: char) {
    match c {
        '\\' | '[' | ']' | '^' | '-' | '&' | '~' => out.extend(['\\', c]),
        c if c.is_control() => out.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
        c => out.push(c),
    }
}
