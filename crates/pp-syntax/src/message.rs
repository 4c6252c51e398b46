//! Words the errors of lexing and parsing. The key words are Puppet's own (spec 07 §5.18).

use mcl_diagnostics::{Code, Diagnostic, FileId, Severity, Span, Stage};
use pp_ast::{Radix, TextRange};

use crate::error::{Hint, NumberBase, SyntaxError, SyntaxErrorKind};

impl SyntaxError {
    /// Returns the diagnostic for the error.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let span = |range: TextRange| Span::new(file, range.start, range.end);
        let mut diagnostic =
            Diagnostic::error(self.kind.code(), Stage::Puppet, self.kind.message()).at(span(self.range));
        if self.kind.is_warning() {
            diagnostic.severity = Severity::Warning;
        }
        if let Some(related) = self.related {
            diagnostic = diagnostic.label(span(related), self.kind.related());
        }
        match self.kind.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

impl SyntaxErrorKind {
    fn code(&self) -> Code {
        match self {
            Self::UnexpectedToken { .. } | Self::AfterString { .. } | Self::UnexpectedEnd { .. } => Code::P0210,
            Self::UnclosedQuote { .. } | Self::UnclosedComment => Code::P0211,
            Self::InvalidNumber { .. } | Self::FloatOutOfRange(_) | Self::IntegerOutOfRange { .. } => Code::P0212,
            Self::InvalidQualifiedName | Self::InvalidClassReference => Code::P0213,
            Self::UnclosedHeredocTag { .. }
            | Self::InvalidHeredocSyntax
            | Self::EmptyHeredocTag
            | Self::HeredocWithoutText
            | Self::HeredocWithoutEnd { .. }
            | Self::InvalidHeredocEscape(_)
            | Self::RepeatedHeredocEscape { .. }
            | Self::NestedHeredoc => Code::P0214,
            Self::NotAResource | Self::NotVirtualizable { .. } => Code::P0215,
            Self::ArgumentsWithoutFunction | Self::ArgumentsNeedParentheses { .. } => Code::P0216,
            Self::QuotedName | Self::ClassAsName => Code::P0217,
            Self::TooDeep | Self::FileTooLarge => Code::P0218,
            Self::UnclosedTag | Self::UnclosedTagComment => Code::P0219,
            Self::InvalidUnicodeEscape(_) | Self::UnrecognizedEscape(_) | Self::IncompleteUnicodeEscape => Code::P0220,
            Self::ByteOrderMark => Code::P0221,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::UnexpectedToken { found, .. } | Self::AfterString { found, .. } => {
                format!("Syntax error at '{}'", shortened(found))
            }
            Self::UnexpectedEnd { .. } => "Syntax error at end of input".to_owned(),
            Self::UnclosedQuote { after, followed_by, .. } => {
                let quoted = if after == "'" { format!("\"{after}\"") } else { format!("'{}'", shortened(after)) };
                format!("Unclosed quote after {quoted} followed by '{followed_by}'")
            }
            Self::UnclosedComment => "Unclosed multiline comment".to_owned(),
            Self::InvalidNumber { text, base } => {
                let text = shortened(text);
                match base {
                    NumberBase::Hexadecimal => format!("Not a valid hex number {text}"),
                    NumberBase::Octal => format!("Not a valid octal number {text}"),
                    NumberBase::Decimal => format!("Not a valid decimal number {text}"),
                    NumberBase::None => format!("Illegal number '{text}'"),
                }
            }
            Self::FloatOutOfRange(text) => {
                format!("A Literal Float resulted in a value outside of Puppet Float range, got '{}'", shortened(text))
            }
            Self::IntegerOutOfRange { digits, radix } => {
                let value = hexadecimal(digits, *radix);
                format!("A Literal Integer resulted in a value outside of Puppet Integer max range, got '{value}'")
            }
            Self::InvalidQualifiedName => "Illegal fully qualified name".to_owned(),
            Self::InvalidClassReference => "Illegal class reference".to_owned(),
            Self::UnclosedHeredocTag { followed_by } => {
                format!("Unclosed parenthesis after '@(' followed by '{followed_by}'")
            }
            Self::InvalidHeredocSyntax => "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])".to_owned(),
            Self::EmptyHeredocTag => "Heredoc with an empty endtag".to_owned(),
            Self::HeredocWithoutText => "Heredoc without any following lines of text".to_owned(),
            Self::HeredocWithoutEnd { .. } => "Heredoc without end-tagged line".to_owned(),
            Self::InvalidHeredocEscape(escape) => {
                format!("Invalid heredoc escape char. Only t, r, n, s, u, L, $ allowed. Got '{escape}'")
            }
            Self::RepeatedHeredocEscape { escapes } => {
                format!("An escape char for @() may only appear once. Got '{}'", shortened(escapes))
            }
            Self::NestedHeredoc => "Invalid heredoc inside an interpolation of a heredoc".to_owned(),
            Self::InvalidUnicodeEscape(text) => format!("Invalid Unicode escape '{text}': not a character"),
            Self::UnrecognizedEscape(c) => format!("Unrecognized escape sequence '\\{c}'"),
            Self::IncompleteUnicodeEscape => {
                "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff"
                    .to_owned()
            }
            Self::ByteOrderMark => "Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF]".to_owned(),
            Self::UnclosedTag => "Unbalanced epp tag, reached <eof> without closing tag".to_owned(),
            Self::UnclosedTagComment => "Reaching end after opening <%# without seeing %>".to_owned(),
            Self::NotAResource => {
                "Expression is not valid as a resource, resource-default, or resource-override".to_owned()
            }
            Self::NotVirtualizable { exported: false } => {
                "Virtual (@) can only be applied to a Resource Expression".to_owned()
            }
            Self::NotVirtualizable { exported: true } => {
                "Exported (@@) can only be applied to a Resource Expression".to_owned()
            }
            Self::ArgumentsWithoutFunction => "illegal comma separated argument list".to_owned(),
            Self::ArgumentsNeedParentheses { name } => format!(
                "attempt to pass argument list to the function '{name}' which cannot be called without parentheses"
            ),
            Self::QuotedName => "A quoted string is not valid as a name here".to_owned(),
            Self::ClassAsName => "'class' keyword not allowed at this location".to_owned(),
            Self::TooDeep => format!("nested too deeply: more than {} levels", pp_ast::MAX_DEPTH),
            Self::FileTooLarge => "the file has 4 GiB or more".to_owned(),
        }
    }

    /// Returns the label of the related place.
    fn related(&self) -> &'static str {
        match self {
            Self::UnexpectedToken { hint: Some(Hint { label: Some(label), .. }), .. } => label,
            Self::AfterString { is_long: true, .. } => "this string ends on a later line",
            Self::AfterString { .. } => "the string ends here",
            Self::UnclosedQuote { in_interpolation: true, .. } => "this `${` is not closed",
            Self::UnclosedQuote { .. } => "opened here",
            _ => "starts here",
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::UnexpectedToken { hint, .. } => return hint.map(|hint| hint.help.to_owned()),
            Self::AfterString { is_long: true, .. } => "probably its closing quote is missing",
            Self::AfterString { .. } => "a quote inside of a string is written with a backslash: `'it\\'s'`",
            Self::UnexpectedEnd { unclosed: None, after_semicolon: true } => {
                "a `;` separates statements: remove the last one"
            }
            Self::UnexpectedEnd { unclosed, .. } => {
                return unclosed.as_ref().map(|bracket| format!("this `{bracket}` is not closed"));
            }
            Self::UnclosedQuote { in_interpolation: true, .. } => "an interpolation ends with `}`: `\"${name}\"`",
            Self::UnclosedQuote { .. } => {
                "if this quote was meant to close a string, an earlier string lacks its closing quote"
            }
            Self::UnclosedComment => "a comment ends with `*/`",
            Self::InvalidNumber { base, .. } => match base {
                NumberBase::Hexadecimal => "a hexadecimal number is `0x` and the digits 0-9, a-f",
                NumberBase::Octal => "a number that starts with 0 is octal: digits 0-7; quote it to get a string",
                NumberBase::Decimal => "a decimal number is written like `1.5`, `1e3` or `1.5e-3`",
                NumberBase::None => "a name does not start with a digit; quote it to get a string",
            },
            Self::FloatOutOfRange(_) => "a float is an IEEE 754 double, at most about 1.8e308",
            Self::IntegerOutOfRange { .. } => {
                "an integer is between -9223372036854775807 and 9223372036854775807 in a manifest"
            }
            Self::InvalidQualifiedName => "a name follows each `::`, such as `apache::vhost`",
            Self::InvalidClassReference => {
                "each part of a type or resource reference is capitalized, such as `Apache::Vhost`"
            }
            Self::UnclosedHeredocTag { .. } => "the tag ends with `)` on the same line: `@(END)`",
            Self::InvalidHeredocSyntax => "a heredoc starts with `@(END)`, `@(\"END\"/tn)` or `@(END:json)`",
            Self::EmptyHeredocTag => "name the text that ends it: `@(END)`",
            Self::HeredocWithoutText => "the text starts on the next line, and a line with the tag ends it",
            Self::HeredocWithoutEnd { tag } => {
                return Some(format!("a line with `| {tag}`, `|- {tag}` or just `{tag}` ends the text"));
            }
            Self::InvalidHeredocEscape(_) | Self::RepeatedHeredocEscape { .. } => {
                "after `/` each of t, r, n, s, u, L, $ may occur once; no letter enables all"
            }
            Self::NestedHeredoc => "assign the inner text to a variable first",
            Self::InvalidUnicodeEscape(_) => "the number of a character is at most 10ffff, without d800 to dfff",
            Self::UnrecognizedEscape(_) => "a backslash is written `\\\\`; or use single quotes",
            Self::IncompleteUnicodeEscape => "write `\\u00e9` or `\\u{e9}`; a backslash is written `\\\\`",
            Self::ByteOrderMark => "save the file as UTF-8 without a byte order mark",
            Self::UnclosedTag => "each `<%` needs its `%>`; a literal `<%` is written `<%%`",
            Self::UnclosedTagComment => "a comment in a template ends with `%>`",
            Self::NotAResource => {
                "braces follow a resource type (`file { … }`), a capitalized type (`File { … }`) or a reference (`File['x'] { … }`)"
            }
            Self::NotVirtualizable { .. } => "a virtual resource is written `@file { 'title': … }`",
            Self::ArgumentsWithoutFunction => "arguments with commas follow the name of a function: `notice(1, 2)`",
            Self::ArgumentsNeedParentheses { name } => {
                return Some(format!("write `{name}(…)`"));
            }
            Self::QuotedName => "write the name without quotes",
            Self::ClassAsName => "`class` is a keyword; choose another name",
            Self::TooDeep => "split the expression, or move a part of it to a variable or class",
            Self::FileTooLarge => "split the file",
        };
        Some(help.to_owned())
    }
}

/// Returns the start of a text that is too long for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns digits in the form in which Puppet names integers out of range, such as `+0x8000000000000000`.
fn hexadecimal(digits: &str, radix: Radix) -> String {
    let base = match radix {
        Radix::Decimal => 10,
        Radix::Octal => 8,
        Radix::Hexadecimal => 16,
    };
    match u128::from_str_radix(digits, base) {
        Ok(value) => format!("+{value:#X}").replace("0X", "0x"),
        Err(_) => shortened(digits),
    }
}
