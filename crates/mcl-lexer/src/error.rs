//! Lexical errors: as data, and as diagnostics (spec 01 §1.9).

use mcl_diagnostics::{Applicability, Change, Code, Diagnostic, FileId, Fix, Span, Stage};

use crate::expression_in_string::ExpressionInString;
use crate::kind::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// An error token, or several with the same cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// What is wrong.
    pub kind: LexErrorKind,
    /// The span of the token; of an unterminated string only its quote.
    pub span: Span,
}

/// The kinds of [`LexError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexErrorKind {
    /// A character that starts no token.
    UnrecognizedCharacter(char),
    /// A run of non-ASCII characters outside strings and comments.
    NonAscii {
        /// The characters.
        text: String,
        /// Where the quote is that closes a string after a typographic quote, on the same line.
        closing_quote: Option<Span>,
    },
    /// A character that looks like whitespace, but is not whitespace in mcl.
    InvalidWhitespace(char),
    /// A carriage return outside strings and comments.
    CarriageReturn {
        /// The number of carriage returns in the file; only the first is reported.
        count: usize,
    },
    /// An integer that does not fit 64 bits.
    IntegerOutOfRange(String),
    /// A float that is too large for a double.
    FloatOutOfRange,
    /// A string without a closing quote.
    UnterminatedString,
    /// A string in single quotes or backquotes.
    WrongQuotes {
        /// The quote.
        quote: char,
        /// The text between the quotes.
        content: String,
        /// Whether it is the name of a fact, `$facts['os']`.
        is_fact: bool,
        /// The number of lines of the file with such a string that no other error precedes.
        lines: usize,
        /// All such strings of the file that mean the same in double quotes, if this error is about them.
        replaceable: Vec<Span>,
    },
    /// `<<EOF`, `@(END)`.
    Heredoc,
    /// `'''…'''`.
    TripleQuotes,
    /// An operator of other languages.
    UnknownOperator(String),
    /// `&$x`.
    Pointer,
    /// `"…" % …`.
    PercentAfterString,
    /// `"${printf("%d", 3)}"`: an expression in a string, whose quotes end the string.
    ExpressionInString {
        /// The expression.
        expression: String,
    },
    /// The `|` or `\` before the parameter of a function value of other languages.
    Closure(char),
    /// `name!(…)`.
    Macro(String),
    /// A `_` in a number.
    UnderscoreInNumber,
    /// A `_` at the start of a name.
    LeadingUnderscore,
    /// A `_` at the end of a name.
    TrailingUnderscore,
    /// A `_` on its own at the end of the file.
    LoneUnderscore,
}

/// Returns the diagnostics for the error tokens of a file.
#[must_use]
pub fn lex_diagnostics(file: FileId, text: &str, tokens: &Tokens) -> Vec<Diagnostic> {
    lex_errors(file, text, tokens).into_iter().map(Diagnostic::from).collect()
}

/// Returns the lexical errors of a file in source order. Of several unrecognized characters on a line only the first is
/// reported; carriage returns, and strings in other quotes, are reported once per file: the rest has the same cause.
#[must_use]
pub fn lex_errors(file: FileId, text: &str, tokens: &Tokens) -> Vec<LexError> {
    let mut errors: Vec<LexError> = Vec::new();
    let mut first_carriage_return = None;
    let mut carriage_returns = 0;
    let mut first_wrong_quotes: Option<usize> = None;
    let mut wrong_quotes = 0;
    let mut line_has_error = false;
    for (token, kind) in tokens.indices().zip(tokens.kinds()) {
        line_has_error = line_has_error && !tokens.newline_before(token);
        if !kind.is_error() {
            continue;
        }
        match kind {
            TokenKind::CarriageReturn => {
                carriage_returns += 1;
                if carriage_returns > 1 {
                    continue;
                }
                first_carriage_return = Some(errors.len());
            }
            TokenKind::IntegerOverflow | TokenKind::FloatOverflow => {}
            // The rest of the line was read with its quotes turned inside out.
            TokenKind::UnterminatedString if line_has_error => {
                errors.pop();
                first_wrong_quotes = first_wrong_quotes.filter(|first| *first < errors.len());
            }
            _ if line_has_error => continue,
            TokenKind::WrongQuotes if !is_fact(text, tokens, token) => {
                line_has_error = true;
                wrong_quotes += 1;
                if first_wrong_quotes.is_some() {
                    continue;
                }
                first_wrong_quotes = Some(errors.len());
            }
            _ => line_has_error = true,
        }
        errors.push(lex_error(file, *kind, tokens, text, token));
    }
    if let Some(first) = first_carriage_return {
        errors[first].kind = LexErrorKind::CarriageReturn { count: carriage_returns };
    }
    if let Some(error) = first_wrong_quotes.and_then(|first| errors.get_mut(first))
        && let LexErrorKind::WrongQuotes { lines, replaceable, .. } = &mut error.kind
    {
        *lines = wrong_quotes;
        *replaceable = replaceable_quotes(file, text, tokens);
    }
    errors
}

/// Returns the strings in wrong quotes that mean the same in double quotes.
fn replaceable_quotes(file: FileId, text: &str, tokens: &Tokens) -> Vec<Span> {
    let is_replaceable = |token: &TokenIdx| {
        tokens[*token] == TokenKind::WrongQuotes
            && !is_fact(text, tokens, *token)
            && !tokens.text(text, *token).contains(['"', '\\', '$'])
    };
    tokens.indices().filter(is_replaceable).map(|token| tokens.span(file, token)).collect()
}

/// Returns the span of the quote that closes a string whose opening one is typographic, on the same line.
fn closing_quote(text: &str, opener: &str, span: Span) -> Option<Span> {
    let is_opener = matches!(opener, "“" | "„" | "”" | "«" | "‘");
    let line = text.get(span.end as usize..)?.split('\n').next().filter(|_| is_opener)?;
    let (at, quote) = line.char_indices().find(|(_, c)| matches!(c, '“' | '”' | '»' | '’' | '"'))?;
    let start = span.end + at as u32;
    Some(Span { start, end: start + quote.len_utf8() as u32, ..span })
}

fn lex_error(file: FileId, kind: TokenKind, tokens: &Tokens, text: &str, token: TokenIdx) -> LexError {
    let found = tokens.text(text, token);
    let first = found.chars().next().unwrap_or(' ');
    let span = tokens.span(file, token);
    let kind = match kind {
        TokenKind::IntegerOverflow => LexErrorKind::IntegerOutOfRange(found.to_owned()),
        TokenKind::FloatOverflow => LexErrorKind::FloatOutOfRange,
        TokenKind::UnterminatedString => {
            let quote = Span { end: span.start + 1, ..span };
            return LexError { kind: LexErrorKind::UnterminatedString, span: quote };
        }
        TokenKind::Heredoc => {
            let line = found.split('\n').next().unwrap_or(found);
            let opener = Span { end: span.start + line.trim_end().len() as u32, ..span };
            let kind = if first == '\'' { LexErrorKind::TripleQuotes } else { LexErrorKind::Heredoc };
            return LexError { kind, span: opener };
        }
        TokenKind::WrongQuotes => {
            let content = found.get(1..found.len() - 1).unwrap_or("").to_owned();
            LexErrorKind::WrongQuotes {
                quote: first,
                content,
                is_fact: is_fact(text, tokens, token),
                lines: 1,
                replaceable: Vec::new(),
            }
        }
        TokenKind::CarriageReturn => LexErrorKind::CarriageReturn { count: 1 },
        TokenKind::InvalidWhitespace => LexErrorKind::InvalidWhitespace(first),
        TokenKind::NonAscii => {
            LexErrorKind::NonAscii { text: found.to_owned(), closing_quote: closing_quote(text, found, span) }
        }
        TokenKind::Underscore => underscore(tokens, token),
        TokenKind::AmpersandAmpersand => LexErrorKind::UnknownOperator(found.to_owned()),
        _ if matches!(first, '!' | '&' | '|' | '%' | '^' | '~' | '?') => {
            if let Some(found) = ExpressionInString::containing(text, tokens, token) {
                let expression = found.expression(text).to_owned();
                let span = Span { start: found.bytes.start, end: found.bytes.end, ..span };
                return LexError { kind: LexErrorKind::ExpressionInString { expression }, span };
            }
            let (operator, span) = operator_around(text, span);
            let before = token.previous().filter(|_| !tokens.newline_before(token));
            let is_string = |token: TokenIdx| matches!(tokens[token], TokenKind::String | TokenKind::WrongQuotes);
            if operator == "%" && !follows_operand(tokens, token) {
                return LexError { kind: LexErrorKind::UnrecognizedCharacter(first), span };
            }
            if operator == "%" && before.is_some_and(is_string) {
                return LexError { kind: LexErrorKind::PercentAfterString, span };
            }
            if operator == "&" && !follows_operand(tokens, token) {
                return LexError { kind: LexErrorKind::Pointer, span };
            }
            if operator == "|" && starts_argument(tokens, token) {
                return LexError { kind: LexErrorKind::Closure(first), span };
            }
            if operator == "!"
                && let Some(name) = before.filter(|name| is_macro(tokens, *name))
            {
                let kind = LexErrorKind::Macro(tokens.text(text, name).to_owned());
                return LexError { kind, span: Span { start: tokens.start(name), ..span } };
            }
            return LexError { kind: LexErrorKind::UnknownOperator(operator.to_owned()), span };
        }
        _ if first == '\\'
            && starts_argument(tokens, token)
            && tokens.kind(token + 1) == Some(TokenKind::Identifier) =>
        {
            LexErrorKind::Closure(first)
        }
        _ => LexErrorKind::UnrecognizedCharacter(first),
    };
    LexError { kind, span }
}

/// Returns whether an argument or a value starts with a token.
fn starts_argument(tokens: &Tokens, token: TokenIdx) -> bool {
    let before = token.previous().filter(|_| !tokens.newline_before(token)).and_then(|before| tokens.kind(before));
    matches!(before, Some(TokenKind::OpenParen | TokenKind::Comma | TokenKind::Equals))
}

/// Whether a name is that of a macro: `name!(` or `name![`.
fn is_macro(tokens: &Tokens, name: TokenIdx) -> bool {
    tokens[name] == TokenKind::Identifier
        && tokens.is_adjacent_to_previous(name + 1)
        && tokens.is_adjacent_to_previous(name + 2)
        && matches!(tokens.kind(name + 2), Some(TokenKind::OpenParen | TokenKind::OpenBracket))
}

/// Returns whether `$facts[` or `$trusted[` is before a token, as in Puppet.
fn is_fact(text: &str, tokens: &Tokens, token: TokenIdx) -> bool {
    let Some(dollar) = token.checked_sub(3) else { return false };
    tokens[dollar] == TokenKind::Dollar
        && matches!(tokens.text(text, dollar + 1), "facts" | "trusted")
        && tokens[dollar + 2] == TokenKind::OpenBracket
}

/// Returns whether the token may be an operator.
fn follows_operand(tokens: &Tokens, token: TokenIdx) -> bool {
    let before = token.previous().filter(|_| !tokens.newline_before(token)).and_then(|before| tokens.kind(before));
    before.is_some_and(|kind| {
        kind.is_closer()
            || matches!(
                kind,
                TokenKind::Identifier
                    | TokenKind::Integer
                    | TokenKind::Float
                    | TokenKind::String
                    | TokenKind::WrongQuotes
            )
    })
}

/// The operators of other languages that contain a character which is not part of any token.
const OPERATORS: &[&str] = &["<~", "~>", "=~", "!~", "??", "?.", "!==", "|>", "<|"];

/// Returns the operator of another language that the character at `span` is part of, or the character itself.
fn operator_around(text: &str, span: Span) -> (&str, Span) {
    for operator in OPERATORS {
        // The character may be any of those of the operator.
        for offset in 0..operator.len() as u32 {
            let Some(start) = span.start.checked_sub(offset) else { continue };
            let end = start + operator.len() as u32;
            if text.get(start as usize..end as usize) == Some(operator) {
                return (operator, Span { start, end, ..span });
            }
        }
    }
    (text.get(span.start as usize..span.end as usize).unwrap_or(""), span)
}

/// Classifies the `_` of `tail_`, `_head` and `1_000`.
fn underscore(tokens: &Tokens, token: TokenIdx) -> LexErrorKind {
    let adjacent = |token: TokenIdx| tokens.is_adjacent_to_previous(token);
    let before = token.previous().filter(|_| adjacent(token)).and_then(|previous| tokens.kind(previous));
    let after = tokens.kind(token + 1).filter(|_| adjacent(token + 1));
    match (before, after) {
        (Some(TokenKind::Integer | TokenKind::Float | TokenKind::IntegerOverflow), _) => {
            LexErrorKind::UnderscoreInNumber
        }
        (Some(kind), _) if kind == TokenKind::Identifier || kind == TokenKind::Capitalized || kind.is_keyword() => {
            LexErrorKind::TrailingUnderscore
        }
        (_, Some(_)) => LexErrorKind::LeadingUnderscore,
        _ => LexErrorKind::LoneUnderscore,
    }
}

impl LexErrorKind {
    /// Returns the diagnostic code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            LexErrorKind::UnrecognizedCharacter(_) => Code::E0101,
            LexErrorKind::CarriageReturn { .. } => Code::E0102,
            LexErrorKind::IntegerOutOfRange(_) => Code::E0103,
            LexErrorKind::FloatOutOfRange => Code::E0104,
            LexErrorKind::UnterminatedString => Code::E0105,
            LexErrorKind::WrongQuotes { .. } | LexErrorKind::Heredoc | LexErrorKind::TripleQuotes => Code::E0106,
            LexErrorKind::UnknownOperator(_)
            | LexErrorKind::Pointer
            | LexErrorKind::PercentAfterString
            | LexErrorKind::Closure(_)
            | LexErrorKind::Macro(_) => Code::E0107,
            LexErrorKind::ExpressionInString { .. } => Code::E0222,
            LexErrorKind::InvalidWhitespace(_) | LexErrorKind::NonAscii { .. } => Code::E0108,
            LexErrorKind::UnderscoreInNumber
            | LexErrorKind::LeadingUnderscore
            | LexErrorKind::TrailingUnderscore
            | LexErrorKind::LoneUnderscore => Code::E0109,
        }
    }

    fn message(&self) -> String {
        match self {
            LexErrorKind::UnrecognizedCharacter(c) if c.is_ascii_control() => {
                format!("unrecognized character U+{:04X}", u32::from(*c))
            }
            LexErrorKind::UnrecognizedCharacter(c) => format!("unrecognized character `{c}`"),
            LexErrorKind::NonAscii { text, .. } => {
                let noun = if text.chars().nth(1).is_some() { "characters" } else { "character" };
                format!("unrecognized {noun} `{}`", truncated(text))
            }
            LexErrorKind::InvalidWhitespace(c) => {
                format!("unrecognized character U+{:04X} ({})", u32::from(*c), whitespace_name(*c))
            }
            LexErrorKind::CarriageReturn { count: 1 } => "carriage return outside of a string".to_owned(),
            LexErrorKind::CarriageReturn { count } => {
                format!("carriage return outside of a string ({count} in this file)")
            }
            LexErrorKind::IntegerOutOfRange(digits) => format!("integer out of range: `{}`", truncated(digits)),
            LexErrorKind::FloatOutOfRange => "float out of range".to_owned(),
            LexErrorKind::UnterminatedString => "unterminated string".to_owned(),
            LexErrorKind::Heredoc => "unsupported heredoc".to_owned(),
            LexErrorKind::TripleQuotes => "invalid string quotes `'''`".to_owned(),
            LexErrorKind::WrongQuotes { quote, lines: 0 | 1, .. } => {
                format!("invalid string quotes `{quote}…{quote}`")
            }
            LexErrorKind::WrongQuotes { quote, lines, .. } => {
                format!("invalid string quotes `{quote}…{quote}` (on {lines} lines of this file)")
            }
            LexErrorKind::UnknownOperator(operator) => format!("unknown operator `{operator}`"),
            LexErrorKind::Pointer => "unknown operator `&`".to_owned(),
            LexErrorKind::PercentAfterString => "unknown operator `%` after a string".to_owned(),
            LexErrorKind::ExpressionInString { .. } => ExpressionInString::MESSAGE.to_owned(),
            LexErrorKind::Closure(sign) => format!("unexpected `{sign}` before a parameter"),
            LexErrorKind::Macro(name) => format!("unknown macro `{name}!`"),
            LexErrorKind::UnderscoreInNumber => "invalid `_` in a number".to_owned(),
            LexErrorKind::LeadingUnderscore => "invalid `_` at the start of a name".to_owned(),
            LexErrorKind::TrailingUnderscore => "invalid `_` at the end of a name".to_owned(),
            LexErrorKind::LoneUnderscore => "unrecognized character `_`".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            LexErrorKind::UnrecognizedCharacter('\'' | '`') => "strings are enclosed in double quotes: \"…\"",
            LexErrorKind::UnrecognizedCharacter('\\') => {
                "there is no line continuation; a statement may simply continue on the next line"
            }
            LexErrorKind::Pointer => "there are no pointers: write the value itself",
            LexErrorKind::UnrecognizedCharacter('@') => {
                "a resource is exported with `Meta:export`, and collected with `collect`"
            }
            LexErrorKind::UnrecognizedCharacter(_) | LexErrorKind::LoneUnderscore => return None,
            LexErrorKind::NonAscii { text, .. } => match text.chars().next() {
                Some('\u{fffd}') => "the file is not valid UTF-8 here",
                Some('“' | '”' | '„' | '‘' | '’' | '«' | '»') => {
                    "strings are enclosed in plain double quotes: \"…\""
                }
                Some('–' | '—' | '−') => "use the plain minus sign `-`",
                _ => "outside of strings and comments mcl is ASCII; names consist of a-z, 0-9 and `_`",
            },
            LexErrorKind::InvalidWhitespace('\u{feff}') => "save the file as UTF-8 without a byte order mark",
            LexErrorKind::InvalidWhitespace(_) => {
                "only space, tab and newline are whitespace; replace it with one of these"
            }
            LexErrorKind::CarriageReturn { .. } => {
                "the file has Windows line endings; convert it, for example with `dos2unix`"
            }
            LexErrorKind::IntegerOutOfRange(_) => {
                "an `int` is between -9223372036854775808 and 9223372036854775807; write a float (`1.0`) or a string"
            }
            LexErrorKind::FloatOutOfRange => "a `float` is an IEEE 754 double, at most about 1.8e308",
            LexErrorKind::UnterminatedString => {
                "if this quote was meant to close a string, an earlier string lacks its closing quote"
            }
            LexErrorKind::Heredoc | LexErrorKind::TripleQuotes => {
                "a string has one double quote at each end, and may contain line breaks; a quote inside is written `\\\"`"
            }
            LexErrorKind::WrongQuotes { is_fact: true, .. } => {
                "there are no facts; functions return what is known of the host: `sys.hostname()` of the module \"sys\", \
                 `os.family()` of the module \"os\""
            }
            LexErrorKind::WrongQuotes { content, .. } if content.contains('"') => {
                "strings are enclosed in double quotes; a quote inside is written `\\\"`"
            }
            LexErrorKind::WrongQuotes { content, .. } => {
                return Some(format!("use double quotes: \"{}\"", truncated(content)));
            }
            LexErrorKind::ExpressionInString { expression } => return Some(ExpressionInString::help(expression)),
            LexErrorKind::PercentAfterString => {
                "a string is formatted by `fmt.printf(\"%s %d\", …)` of the module \"fmt\""
            }
            LexErrorKind::Closure(_) => "a function value is written `func($x) { … }`, and its body is one expression",
            LexErrorKind::Macro(name) => match name.as_str() {
                "vec" => "there are no macros; a list is written `[1, 2]`",
                "format" | "print" | "println" | "eprintln" | "write" => {
                    "there are no macros; a string is formatted by `fmt.printf(\"%s %d\", …)` of the module \"fmt\""
                }
                _ => "there are no macros; a function is called without `!`",
            },
            LexErrorKind::UnknownOperator(operator) => match operator.as_str() {
                "~>" => "a notification is an entry of the resource that notifies: `Notify => Kind[\"name\"],`",
                "<~" => "a notification is an entry of the resource that listens: `Listen => Kind[\"name\"],`",
                "=~" | "!~" => "import \"regexp\" and call `regexp.match(\"pattern\", $string)`",
                "??" | "?." => "a fallback replaces a value that fails: `$map[\"key\"] <|> \"default\"`",
                "<|" => "exported resources are collected by `collect kind \"name\" { … }`",
                "|>" => "a function takes its value as an argument: `strings.to_upper($value)`",
                "!==" => "unequal is written `!=`",
                "!" => "logical not is written `not`, unequal `!=`",
                "&" | "&&" => "logical and is written `and`",
                "|" => "logical or is written `or`, a fallback `<|>`",
                "%" => "for the remainder import \"math\" and call `math.mod(a, b)`",
                "^" | "~" => {
                    "there are no bitwise operators and no power operator; `math.pow(a, b)` of the module \"math\" is a power"
                }
                "?" => {
                    "a conditional value is written `if c { a } else { b }`, a conditional field `field => c ?: value,`"
                }
                _ => "there are no bitwise operators and no power operator",
            },
            LexErrorKind::UnderscoreInNumber => "write the digits without separators",
            LexErrorKind::LeadingUnderscore | LexErrorKind::TrailingUnderscore => {
                "names are lower case, start with a letter, and end with a letter or digit"
            }
        };
        Some(help.to_owned())
    }

    fn fix(&self, span: Span) -> Option<Fix> {
        match self {
            LexErrorKind::WrongQuotes { replaceable, .. } if !replaceable.is_empty() => {
                let quotes = replaceable.iter().flat_map(|string| {
                    [Span { end: string.start + 1, ..*string }, Span { start: string.end - 1, ..*string }]
                });
                Some(with_double_quotes(quotes))
            }
            LexErrorKind::NonAscii { closing_quote: Some(closing), .. } => Some(with_double_quotes([span, *closing])),
            LexErrorKind::CarriageReturn { .. } => {
                Some(Fix::safe("write all line endings as LF", Change::LineEnds(span.file)))
            }
            LexErrorKind::InvalidWhitespace('\u{feff}') => {
                Some(Fix::safe("remove the byte order mark", Change::delete(span)))
            }
            LexErrorKind::InvalidWhitespace(_) => {
                Some(Fix::safe("write a space", Change::Replace { span, text: " ".to_owned() }))
            }
            LexErrorKind::NonAscii { text, .. } if matches!(text.as_str(), "–" | "—" | "−") => {
                Some(Fix::replace_with(span, "-"))
            }
            _ => None,
        }
    }
}

/// Replaces quotes by double ones.
fn with_double_quotes(quotes: impl IntoIterator<Item = Span>) -> Fix {
    let replace = |span| Change::Replace { span, text: "\"".to_owned() };
    Fix {
        title: "use double quotes".to_owned(),
        applicability: Applicability::Safe,
        changes: quotes.into_iter().map(replace).collect(),
    }
}

impl From<LexError> for Diagnostic {
    fn from(error: LexError) -> Diagnostic {
        let diagnostic = Diagnostic::error(error.kind.code(), Stage::Lex, error.kind.message());
        let diagnostic = match error.kind {
            LexErrorKind::UnterminatedString => diagnostic.at_with(error.span, "no closing `\"` on this line"),
            _ => diagnostic.at(error.span),
        };
        let diagnostic = match error.kind.fix(error.span) {
            Some(fix) => diagnostic.fix(fix),
            None => diagnostic,
        };
        match error.kind.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

fn whitespace_name(c: char) -> &'static str {
    match c {
        '\u{b}' => "vertical tab",
        '\u{c}' => "form feed",
        '\u{a0}' => "no-break space",
        '\u{feff}' => "byte order mark",
        _ => "an invisible character",
    }
}

/// Shortens a text to at most 40 characters for a message.
fn truncated(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    if text.chars().count() <= MAX_CHARS {
        text.to_owned()
    } else {
        text.chars().take(MAX_CHARS - 1).chain(['…']).collect()
    }
}
