//! Package `fmt` for the data of templates.

use go_compat::strconv::{Quoting, format_float_short, format_int, quote_with};
use go_compat::unicode::{decode_rune, rune_count, runes};

use crate::data::Data;

/// Formats a value as `{{ . }}` does inside another value.
pub(crate) fn write_value(out: &mut Vec<u8>, data: &Data) {
    Formatter::new(out).value(data, 'v');
}

/// `fmt.Sprint`: inserts a space between operands if neither is a string.
pub(crate) fn print(args: &[Data]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let neighbour = i.checked_sub(1).map(|before| &args[before]);
        if neighbour.is_some_and(|n| !matches!(n, Data::Str(_))) && !matches!(arg, Data::Str(_)) {
            out.push(b' ');
        }
        write_value(&mut out, arg);
    }
    out
}

/// `fmt.Sprintln`.
pub(crate) fn print_line(args: &[Data]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        write_value(&mut out, arg);
    }
    out.push(b'\n');
    out
}

/// Maximum width and precision, as in Go.
const MAX_NUMBER: i64 = 1_000_000;

/// `fmt.Sprintf`.
pub(crate) fn printf(format: &[u8], args: &[Data]) -> Vec<u8> {
    let (mut out, mut at, mut next, mut reordered) = (Vec::new(), 0, 0usize, false);
    while at < format.len() {
        let text = memchr::memchr(b'%', &format[at..]).map_or(format.len(), |found| at + found);
        out.extend_from_slice(&format[at..text]);
        at = text + 1;
        if text >= format.len() {
            break;
        }
        let mut f = Formatter::new(&mut out);
        while let Some(flag) = format.get(at) {
            match flag {
                b'-' => (f.minus, f.zero) = (true, false),
                b'+' => f.plus = true,
                b'#' => f.sharp = true,
                b' ' => f.space = true,
                b'0' => f.zero = !f.minus,
                _ => break,
            }
            at += 1;
        }
        let mut bad_index = !argument_index(format, &mut at, &mut next, &mut reordered, args.len());
        if format.get(at) == Some(&b'*') {
            at += 1;
            match args.get(next).and_then(Data::as_int).filter(|n| n.abs() <= MAX_NUMBER) {
                Some(width) => {
                    f.minus |= width < 0;
                    f.zero &= width >= 0;
                    f.width = usize::try_from(width.abs()).ok();
                }
                None => f.out.extend_from_slice(b"%!(BADWIDTH)"),
            }
            next += 1;
        } else {
            f.width = number(format, &mut at);
        }
        if format.get(at) == Some(&b'.') {
            at += 1;
            bad_index |= !argument_index(format, &mut at, &mut next, &mut reordered, args.len());
            if format.get(at) == Some(&b'*') {
                at += 1;
                match args.get(next).and_then(Data::as_int).filter(|n| n.abs() <= MAX_NUMBER) {
                    Some(precision) => f.precision = usize::try_from(precision).ok(),
                    None => f.out.extend_from_slice(b"%!(BADPREC)"),
                }
                next += 1;
            } else {
                f.precision = Some(number(format, &mut at).unwrap_or(0));
            }
        }
        bad_index |= !argument_index(format, &mut at, &mut next, &mut reordered, args.len());
        let Some((verb, length)) = decode_rune(&format[at..]) else {
            f.out.extend_from_slice(b"%!(NOVERB)");
            break;
        };
        at += length;
        match args.get(next) {
            _ if verb == '%' => f.out.push(b'%'),
            _ if bad_index => f.out.extend(format!("%!{verb}(BADINDEX)").into_bytes()),
            None => f.out.extend(format!("%!{verb}(MISSING)").into_bytes()),
            Some(arg) => {
                f.top(arg, verb);
                next += 1;
            }
        }
    }
    if !reordered && next < args.len() {
        extra(&mut out, &args[next..]);
    }
    out
}

fn extra(out: &mut Vec<u8>, args: &[Data]) {
    out.extend_from_slice(b"%!(EXTRA ");
    for (i, arg) in args.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"" } else { b", " });
        match arg {
            Data::Nil => out.extend_from_slice(b"<nil>"),
            arg => {
                out.extend(format!("{}=", arg.go_type()).into_bytes());
                write_value(out, arg);
            }
        }
    }
    out.push(b')');
}

fn number(format: &[u8], at: &mut usize) -> Option<usize> {
    let digits = format[*at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let text = std::str::from_utf8(&format[*at..*at + digits]).unwrap_or("");
    *at += digits;
    text.parse().ok().filter(|n| *n <= MAX_NUMBER as usize)
}

/// Reads an optional `[N]`. Returns false if it is invalid.
fn argument_index(format: &[u8], at: &mut usize, next: &mut usize, reordered: &mut bool, count: usize) -> bool {
    if format.get(*at) != Some(&b'[') {
        return true;
    }
    *reordered = true;
    let Some(close) = memchr::memchr(b']', &format[*at..]) else {
        *at += 1;
        return false;
    };
    let digits = std::str::from_utf8(&format[*at + 1..*at + close]).unwrap_or("");
    *at += close + 1;
    match digits.parse::<usize>().ok().filter(|n| (1..=count).contains(n)) {
        Some(index) => {
            *next = index - 1;
            true
        }
        None => false,
    }
}

/// The flags and the output of one verb.
struct Formatter<'a> {
    out: &'a mut Vec<u8>,
    minus: bool,
    plus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

impl<'a> Formatter<'a> {
    fn new(out: &'a mut Vec<u8>) -> Formatter<'a> {
        Formatter {
            out,
            minus: false,
            plus: false,
            sharp: false,
            space: false,
            zero: false,
            width: None,
            precision: None,
        }
    }

    fn top(&mut self, data: &Data, verb: char) {
        match (verb, data) {
            ('T', Data::Nil) => self.pad(b"<nil>"),
            ('T', data) => self.pad(data.go_type().to_string().as_bytes()),
            ('v', Data::Nil) => self.pad(b"<nil>"),
            (verb, Data::Nil) => self.out.extend(format!("%!{verb}(<nil>)").into_bytes()),
            _ => self.value(data, verb),
        }
    }

    fn value(&mut self, data: &Data, verb: char) {
        match data {
            Data::Nil => self.pad(b"<nil>"),
            Data::Bool(value) => match verb {
                't' | 'v' => self.pad(value.to_string().as_bytes()),
                _ => self.bad(data, verb),
            },
            Data::Str(text) => self.text(text, data, verb),
            Data::Int(n) | Data::Native(n) => self.integer(*n, data, verb),
            Data::Byte(n) => self.integer(i64::from(*n), data, verb),
            Data::Float(x) => self.float(*x, data, verb),
            Data::List(list) => self.sequence(b"[", b"]", list.items.iter().map(|item| (None, item)), verb),
            Data::Map(map) => {
                let pairs = map.entries.iter().map(|(key, value)| (Some(key), value));
                self.sequence(b"map[", b"]", pairs, verb);
            }
            Data::Record(fields) => self.sequence(b"{", b"}", fields.iter().map(|(_, value)| (None, value)), verb),
        }
    }

    fn sequence<'d>(
        &mut self,
        open: &[u8],
        close: &[u8],
        items: impl Iterator<Item = (Option<&'d Data>, &'d Data)>,
        verb: char,
    ) {
        self.out.extend_from_slice(open);
        for (i, (key, value)) in items.enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            if let Some(key) = key {
                self.value(key, verb);
                self.out.push(b':');
            }
            self.value(value, verb);
        }
        self.out.extend_from_slice(close);
    }

    fn bad(&mut self, data: &Data, verb: char) {
        self.out.extend(format!("%!{verb}({}=", data.go_type()).into_bytes());
        write_value(self.out, data);
        self.out.push(b')');
    }

    fn pad(&mut self, text: &[u8]) {
        let missing = self.width.unwrap_or(0).saturating_sub(rune_count(text));
        if self.minus {
            self.out.extend_from_slice(text);
            self.out.extend(std::iter::repeat_n(b' ', missing));
        } else {
            let blank = if self.zero { b'0' } else { b' ' };
            self.out.extend(std::iter::repeat_n(blank, missing));
            self.out.extend_from_slice(text);
        }
    }

    /// Returns what precedes a number that is not negative, as the flags say.
    fn sign_of_positive(&self) -> &'static str {
        if self.plus {
            "+"
        } else if self.space {
            " "
        } else {
            ""
        }
    }

    /// Pads a number. Zeros are inserted between the sign and the digits.
    fn pad_number(&mut self, sign: &str, digits: &str, zeros_allowed: bool) {
        let length = sign.len() + digits.len();
        let missing = self.width.unwrap_or(0).saturating_sub(length);
        if self.zero && zeros_allowed && !self.minus {
            self.out.extend_from_slice(sign.as_bytes());
            self.out.extend(std::iter::repeat_n(b'0', missing));
            self.out.extend_from_slice(digits.as_bytes());
        } else {
            let zero = std::mem::take(&mut self.zero);
            self.pad(format!("{sign}{digits}").as_bytes());
            self.zero = zero;
        }
    }

    fn text(&mut self, text: &[u8], data: &Data, verb: char) {
        let cut = match self.precision {
            Some(precision) => {
                let end = runes(text).nth(precision).map_or(text.len(), |(at, _)| at);
                &text[..end]
            }
            None => text,
        };
        match verb {
            's' | 'v' => self.pad(cut),
            'q' if self.sharp && can_backquote(cut) => {
                self.pad(&[b"`", cut, b"`"].concat());
            }
            'q' => {
                let quoting = if self.plus { Quoting::Ascii } else { Quoting::Print };
                self.pad(quote_with(cut, '"', quoting).as_bytes());
            }
            'x' | 'X' => {
                let bytes = &text[..self.precision.map_or(text.len(), |p| p.min(text.len()))];
                let separator = if self.space { " " } else { "" };
                let prefix = if self.sharp { "0x" } else { "" };
                let hex = |b: &u8| if self.space { format!("{prefix}{b:02x}") } else { format!("{b:02x}") };
                let body = bytes.iter().map(hex).collect::<Vec<_>>().join(separator);
                let body = if self.sharp && !self.space && !bytes.is_empty() { format!("0x{body}") } else { body };
                let body = if verb == 'X' { body.to_uppercase() } else { body };
                self.pad(body.as_bytes());
            }
            _ => self.bad(data, verb),
        }
    }

    fn integer(&mut self, n: i64, data: &Data, verb: char) {
        let (base, prefix) = match verb {
            'd' | 'v' => (10, ""),
            'b' => (2, "0b"),
            'o' => (8, "0"),
            'O' => (8, "0o"),
            'x' | 'X' => (16, "0x"),
            'c' => {
                let c = u32::try_from(n).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                return self.pad(c.to_string().as_bytes());
            }
            'q' => return self.pad(quote_rune(n).as_bytes()),
            'U' => {
                let shown = char::from_u32(u32::try_from(n).unwrap_or(u32::MAX)).filter(|_| self.sharp);
                let shown = shown.map_or_else(String::new, |c| format!(" '{c}'"));
                return self.pad(format!("U+{n:04X}{shown}").as_bytes());
            }
            _ => return self.bad(data, verb),
        };
        let mut digits = format_int(n, base).unwrap_or_default();
        let negative = digits.starts_with('-');
        digits = digits.trim_start_matches('-').to_owned();
        if let Some(precision) = self.precision {
            // With a precision of 0, the number 0 prints nothing.
            digits = if precision == 0 && n == 0 { String::new() } else { format!("{digits:0>precision$}") };
        }
        let sign = if negative { "-" } else { self.sign_of_positive() };
        let prefix = if verb == 'O' || (self.sharp && !prefix.is_empty()) { prefix } else { "" };
        let prefix = if prefix == "0" && digits.starts_with('0') { "" } else { prefix };
        let (mut sign, mut digits) = (format!("{sign}{prefix}"), digits);
        if verb == 'X' {
            sign = sign.to_uppercase();
            digits = digits.to_uppercase();
        }
        self.pad_number(&sign, &digits, self.precision.is_none());
    }

    fn float(&mut self, x: f64, data: &Data, verb: char) {
        let magnitude = x.abs();
        let digits = match verb {
            'v' | 'g' | 'G' => match self.precision {
                None => format_float_short(magnitude, 6).replace("+Inf", "Inf"),
                Some(precision) => general(magnitude, precision, self.sharp),
            },
            'f' | 'F' => fixed(magnitude, self.precision.unwrap_or(6)),
            'e' | 'E' => scientific(magnitude, self.precision.unwrap_or(6)),
            _ => return self.bad(data, verb),
        };
        let digits = if matches!(verb, 'E' | 'G') { digits.replace('e', "E") } else { digits };
        let sign = match self.sign_of_positive() {
            _ if x.is_sign_negative() && !x.is_nan() => "-",
            "" if x.is_infinite() => "+",
            sign => sign,
        };
        self.pad_number(sign, &digits, x.is_finite());
    }
}

/// `%q` of a rune.
fn quote_rune(code: i64) -> String {
    let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
    quote_with(c.to_string().as_bytes(), '\'', Quoting::Print)
}

fn can_backquote(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(|c| c == '\t' || (c != '`' && !c.is_control())))
}

fn non_finite(x: f64) -> Option<String> {
    if x.is_nan() {
        Some("NaN".to_owned())
    } else if x.is_infinite() {
        Some("Inf".to_owned())
    } else {
        None
    }
}

fn fixed(x: f64, precision: usize) -> String {
    non_finite(x).unwrap_or_else(|| format!("{x:.precision$}"))
}

fn scientific(x: f64, precision: usize) -> String {
    non_finite(x).unwrap_or_else(|| {
        let text = format!("{x:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    })
}

/// `%g` with a precision: the number of significant digits. Trailing zeros are removed unless `keep_zeros`.
fn general(x: f64, precision: usize, keep_zeros: bool) -> String {
    if let Some(text) = non_finite(x) {
        return text;
    }
    let precision = precision.max(1);
    let text = scientific(x, precision - 1);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let strip = |digits: &str| {
        if digits.contains('.') && !keep_zeros {
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            digits.to_owned()
        }
    };
    let whole = i32::try_from(precision).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= whole {
        format!("{}e{}{:02}", strip(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs())
    } else {
        let decimals = usize::try_from(whole - 1 - exponent).unwrap_or(0);
        strip(&fixed(x, decimals))
    }
}
