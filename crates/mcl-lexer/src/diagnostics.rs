//! Error tokens -> messages.

use mcl_diagnostics::{Code, Diagnostic, FileId, Span, Stage};

use crate::{TokenKind, Tokens};

/// The messages for the error tokens of a file. Of several characters that are no tokens only the first of a line is
/// reported, and carriage returns are reported once a file: what follows has the same cause.
#[must_use]
pub fn lex_diagnostics(file: FileId, text: &str, tokens: &Tokens) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut carriage_returns = 0;
    let mut line_has_error = false;
    for (index, kind) in tokens.kinds().iter().enumerate() {
        line_has_error &= !tokens.newline_before(index);
        if !kind.is_error() {
            continue;
        }
        match kind {
            TokenKind::CarriageReturn => carriage_returns += 1,
            TokenKind::IntegerOverflow | TokenKind::FloatOverflow => {}
            _ if line_has_error => continue,
            _ => line_has_error = true,
        }
        if carriage_returns < 2 || *kind != TokenKind::CarriageReturn {
            diagnostics.push(diagnostic(tokens.span(file, index), *kind, tokens, text, index));
        }
    }
    if carriage_returns > 1 {
        let first = diagnostics.iter_mut().find(|d| d.code == Code::E0102);
        if let Some(first) = first {
            first.message = format!("carriage return outside of a string ({carriage_returns} in this file)");
        }
    }
    diagnostics
}

fn diagnostic(span: Span, kind: TokenKind, tokens: &Tokens, text: &str, index: usize) -> Diagnostic {
    let found = tokens.text(text, index);
    let error = |code: Code, message: String| Diagnostic::error(code, Stage::Lex, message).at(span);
    match kind {
        TokenKind::IntegerOverflow => error(Code::E0103, format!("the integer {} does not fit 64 bits", brief(found)))
            .help(
                "integers lie between -9223372036854775808 and 9223372036854775807; write a float (`1.0`) or a string",
            ),
        TokenKind::FloatOverflow => error(Code::E0104, "the number is too large for a float".to_owned())
            .help("floats are IEEE doubles, which end near 1.8e308"),
        TokenKind::UnterminatedString => unterminated(span),
        TokenKind::WrongQuotes => {
            let quote = &found[..1];
            error(Code::E0106, format!("{quote}…{quote} is not a string")).help(if found.contains('"') {
                "strings stand in double quotes, with `\\\"` for a quote inside".to_owned()
            } else {
                format!("use double quotes: \"{}\"", brief(&found[1..found.len() - 1]))
            })
        }
        TokenKind::CarriageReturn => error(Code::E0102, "carriage return outside of a string".to_owned())
            .help("the file has Windows line endings; convert it, for example with `dos2unix`"),
        TokenKind::BadBlank => {
            let c = found.chars().next().unwrap_or(' ');
            let message = format!("unrecognized character U+{:04X} ({})", u32::from(c), blank_name(c));
            let error = error(Code::E0108, message);
            if c == '\u{feff}' {
                error.help("save the file as UTF-8 without a byte order mark")
            } else {
                error.help("only space, tab and newline separate words; replace it by one of these")
            }
        }
        TokenKind::NonAscii => {
            let error = error(Code::E0108, format!("unrecognized character `{}`", brief(found)));
            match found.chars().next() {
                Some('\u{fffd}') => error.help("the file is not valid UTF-8 here"),
                Some('“' | '”' | '„' | '‘' | '’' | '«' | '»') => {
                    error.help("strings stand in plain double quotes: \"…\"")
                }
                Some('–' | '—' | '−') => error.help("use the plain minus sign `-`"),
                _ => error.help("outside of strings and comments mcl is ASCII; names consist of a-z, 0-9 and `_`"),
            }
        }
        TokenKind::Underscore => underscore(span, tokens, index),
        TokenKind::AmpersandAmpersand => {
            error(Code::E0107, "`&&` is no operator".to_owned()).help("the logical and is written `and`")
        }
        _ => unrecognized(span, found),
    }
}

fn unterminated(span: Span) -> Diagnostic {
    let quote = Span { end: span.start + 1, ..span };
    Diagnostic::error(Code::E0105, Stage::Lex, "the string that starts here never ends")
        .at_with(quote, "no `\"` follows that would close it")
        .help("if this quote was meant to close a string, an earlier string lacks its quote")
}

/// `tail_`, `_head`, `1_000`.
fn underscore(span: Span, tokens: &Tokens, index: usize) -> Diagnostic {
    let error = |message: &str| Diagnostic::error(Code::E0109, Stage::Lex, message).at(span);
    let before = index.checked_sub(1).filter(|i| tokens.end(*i) == span.start).and_then(|i| tokens.kind(i));
    let after = tokens.kind(index + 1).filter(|_| tokens.start(index + 1) == span.end);
    match (before, after) {
        (Some(TokenKind::Integer | TokenKind::Float | TokenKind::IntegerOverflow), _) => {
            error("a number has no `_` in it").help("write the digits without separators")
        }
        (Some(kind), _) if kind == TokenKind::Identifier || kind == TokenKind::Capitalized || kind.is_keyword() => {
            error("a name may not end in `_`")
                .help("names are lower case, start with a letter and end in a letter or digit")
        }
        (_, Some(_)) => error("a name may not start with `_`")
            .help("names are lower case, start with a letter and end in a letter or digit"),
        _ => error("unrecognized character `_`"),
    }
}

fn unrecognized(span: Span, found: &str) -> Diagnostic {
    let operator = |help: &str| {
        Diagnostic::error(Code::E0107, Stage::Lex, format!("`{found}` is no operator")).at(span).help(help)
    };
    match found {
        "!" => operator("the logical not is written `not`, and unequal `!=`"),
        "&" => operator("the logical and is written `and`"),
        "|" => operator("the logical or is written `or`, and a fallback `<|>`"),
        "%" => operator("for the remainder import \"math\" and call `math.mod(a, b)`"),
        "^" | "~" => operator("there are no bitwise operators, and no power operator"),
        "?" => operator(
            "a conditional value is written `if c { a } else { b }`, a conditional field `field => c ?: value,`",
        ),
        _ => {
            let shown = match found.chars().next() {
                Some(c) if c.is_ascii_control() => format!("U+{:04X}", u32::from(c)),
                _ => format!("`{found}`"),
            };
            let error = Diagnostic::error(Code::E0101, Stage::Lex, format!("unrecognized character {shown}")).at(span);
            match found {
                "'" | "`" => error.help("strings stand in double quotes: \"…\""),
                "\\" => error.help("there is no line continuation; a statement may simply go on in the next line"),
                "@" => error.help("exported resources are written with `Meta:export`, and read with `collect`"),
                _ => error,
            }
        }
    }
}

fn blank_name(c: char) -> &'static str {
    match c {
        '\u{b}' => "vertical tab",
        '\u{c}' => "form feed",
        '\u{a0}' => "no-break space",
        '\u{feff}' => "byte order mark",
        _ => "an invisible character",
    }
}

/// A text that fits a message.
fn brief(text: &str) -> String {
    const MAX: usize = 40;
    if text.chars().count() <= MAX { text.to_owned() } else { text.chars().take(MAX - 1).chain(['…']).collect() }
}
