//! The lints L01 to L13 of spec 01 §2.11: what the union grammar accepts and mgmt 1.1 rejects, as warnings W0101 to W0113.
//!
//! Most of them concern newlines and commas, to which the grammar is blind. They are found in one pass over the tokens,
//! with the brackets and the statements that the parser found.

use std::ops::Range;

use cranelift_entity::EntityRef;
use mcl_diagnostics::{Change, Code, Diagnostic, Fix, Span, Stage};
use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::builder::Builder;

/// Returns the warnings for the tokens of a file, or of a part of it, that were parsed without errors, in source order.
pub fn lint(builder: &mut Builder<'_>, tokens: Range<TokenIdx>) -> Vec<Diagnostic> {
    let mut brackets = std::mem::take(&mut builder.brackets);
    brackets.sort_unstable_by_key(|(opener, _)| *opener);
    let mut starts: Vec<u32> = builder.ast.stmt_ranges.values().map(|s| s.start).collect();
    starts.sort_unstable();
    let mut linter = Linter { builder, tokens, found: Vec::new(), last: None };
    linter.newlines(&brackets, &starts);
    linter.strings();
    linter.bar_bars();
    linter.last_line();
    linter.found.sort_by_key(|(_, span)| span.start);
    linter.found.into_iter().map(|(lint, span)| lint.diagnostic(span)).collect()
}

/// What has elements between commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    Arguments,
    Parameters,
    List,
    Map,
    Struct,
}

impl Elements {
    fn of(context: BracketContext) -> Elements {
        match context {
            BracketContext::Arguments => Elements::Arguments,
            BracketContext::Parameters => Elements::Parameters,
            BracketContext::Map => Elements::Map,
            BracketContext::Struct => Elements::Struct,
            BracketContext::List
            | BracketContext::Parentheses
            | BracketContext::Index
            | BracketContext::EdgeName
            | BracketContext::Entries
            | BracketContext::Body
            | BracketContext::Type
            | BracketContext::Block => Elements::List,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Elements::Arguments => "argument list",
            Elements::Parameters => "parameter list",
            Elements::List => "list",
            Elements::Map => "map",
            Elements::Struct => "struct",
        }
    }

    fn element(self) -> &'static str {
        match self {
            Elements::Arguments => "argument",
            Elements::Parameters => "parameter",
            Elements::List => "element",
            Elements::Map => "pair",
            Elements::Struct => "field",
        }
    }
}

/// What mgmt 1.1 rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lint {
    CommaBeforeCloser(Elements),
    MissingLastComma(Elements),
    CloserAfterElement(Elements),
    ElementsOnOneLine(Elements),
    SplitList(Elements),
    NewlineInStatement,
    NewlineBeforeBrace,
    NewlineBeforeElse,
    CloserAfterStatement,
    StatementsOnOneLine,
    MissingFinalNewline,
    NewlineInType,
    NewlineBeforeComma,
    NewlineBeforeEntryComma,
    BarBar { compound: bool },
    TrailingBackslash,
}

impl Lint {
    fn code(self) -> Code {
        match self {
            Lint::CommaBeforeCloser(_) => Code::W0101,
            Lint::MissingLastComma(_) => Code::W0102,
            Lint::CloserAfterElement(_) | Lint::ElementsOnOneLine(_) => Code::W0103,
            Lint::SplitList(_) => Code::W0104,
            Lint::NewlineInStatement => Code::W0105,
            Lint::NewlineBeforeBrace => Code::W0106,
            Lint::NewlineBeforeElse => Code::W0107,
            Lint::CloserAfterStatement | Lint::StatementsOnOneLine => Code::W0108,
            Lint::MissingFinalNewline => Code::W0109,
            Lint::NewlineInType => Code::W0110,
            Lint::NewlineBeforeComma | Lint::NewlineBeforeEntryComma => Code::W0111,
            Lint::BarBar { .. } => Code::W0112,
            Lint::TrailingBackslash => Code::W0113,
        }
    }

    /// Whether the previous token is to blame, rather than the one after the newline.
    fn is_at_previous_token(self) -> bool {
        matches!(self, Lint::CommaBeforeCloser(_) | Lint::MissingLastComma(_))
    }

    /// Whether each such place is to be mended by itself, so that all of them are reported.
    fn is_about_one_place(self) -> bool {
        [Code::W0101, Code::W0102, Code::W0108].contains(&self.code())
    }

    /// Returns what mgmt 1.1 rejects.
    fn subject(self) -> String {
        let subject = match self {
            Lint::CommaBeforeCloser(elements) => {
                return format!("a comma before the closing bracket of a single-line {}", elements.name());
            }
            Lint::MissingLastComma(elements) => {
                return format!(
                    "a multi-line {} without a comma after the last {}",
                    elements.name(),
                    elements.element()
                );
            }
            Lint::CloserAfterElement(elements) => {
                let (name, element) = (elements.name(), elements.element());
                return format!("a multi-line {name} with its closing bracket on the line of the last {element}");
            }
            Lint::ElementsOnOneLine(elements) => {
                return format!("a multi-line {} with two {}s on one line", elements.name(), elements.element());
            }
            Lint::SplitList(elements) => {
                let article = if elements == Elements::Arguments { "an" } else { "a" };
                let name = elements.name();
                return format!("{article} {name} that starts on the line of its bracket and continues on the next");
            }
            Lint::NewlineInStatement => "a newline inside a statement here",
            Lint::NewlineBeforeBrace => "a newline before `{`",
            Lint::NewlineBeforeElse => "a newline before `else`",
            Lint::CloserAfterStatement => "a `}` on the line of the last statement",
            Lint::StatementsOnOneLine => "two statements on one line",
            Lint::MissingFinalNewline => "a last line without a newline",
            Lint::NewlineInType => "a newline inside a type",
            Lint::NewlineBeforeComma => "a newline before a comma",
            Lint::NewlineBeforeEntryComma => "a newline before the comma of an entry",
            Lint::BarBar { .. } => "`||`, an older spelling of `<|>`",
            Lint::TrailingBackslash => "a string that ends with a backslash",
        };
        subject.to_owned()
    }

    fn help(self) -> Option<String> {
        let help = match self {
            Lint::CommaBeforeCloser(_) => "remove the comma",
            Lint::MissingLastComma(_) => "add a comma",
            Lint::CloserAfterElement(_) => "put the bracket on a line of its own",
            Lint::ElementsOnOneLine(elements) => {
                return Some(format!("put each {} on a line of its own", elements.element()));
            }
            Lint::SplitList(elements) => {
                return Some(format!(
                    "put everything on one line, or each {} on a line of its own",
                    elements.element()
                ));
            }
            Lint::NewlineInStatement | Lint::NewlineInType => "join the lines",
            Lint::NewlineBeforeBrace => "move the brace to the end of the previous line",
            Lint::NewlineBeforeElse => "write `} else {`",
            Lint::CloserAfterStatement => "put the brace on a line of its own",
            Lint::StatementsOnOneLine => "start a new line",
            Lint::MissingFinalNewline => "add a newline",
            Lint::NewlineBeforeComma | Lint::NewlineBeforeEntryComma => {
                "move the comma to the end of the previous line"
            }
            Lint::BarBar { compound: true } => {
                "write `<|>`; its right side is the whole expression, while that of `||` was only the first value: add \
                 parentheses if that was meant"
            }
            Lint::BarBar { compound: false } => "write `<|>`",
            Lint::TrailingBackslash => return None,
        };
        Some(help.to_owned())
    }

    fn diagnostic(self, span: Span) -> Diagnostic {
        let message = format!("mgmt 1.1 rejects {}", self.subject());
        let warning = Diagnostic::warning(self.code(), Stage::Parse, message).at(span);
        match self.help() {
            Some(help) => warning.help(help).fix(self.fix(span)),
            None => warning,
        }
    }

    /// Returns the fix for a lint at a span. What concerns several lines becomes what the formatter writes.
    fn fix(self, span: Span) -> Fix {
        let change = match self {
            Lint::CommaBeforeCloser(_) => Change::delete(span),
            Lint::MissingLastComma(_) => Change::insert(Span { start: span.end, ..span }, ","),
            _ => Change::Format(span),
        };
        let title = match self {
            Lint::BarBar { .. } => "write `<|>`".to_owned(),
            _ => self.help().unwrap_or_else(|| "format".to_owned()),
        };
        Fix::safe(title, change)
    }
}

/// An open bracket.
struct Frame {
    opener: TokenIdx,
    context: BracketContext,
    /// Whether a newline follows the opener.
    multiline: bool,
}

struct Linter<'b, 't> {
    builder: &'b Builder<'t>,
    tokens: Range<TokenIdx>,
    found: Vec<(Lint, Span)>,
    /// The code of the last warning about newlines, and its statement: the warning is not repeated.
    last: Option<(Code, usize)>,
}

impl Linter<'_, '_> {
    fn warn(&mut self, lint: Lint, token: TokenIdx) {
        self.found.push((lint, self.builder.tokens.span(self.builder.file, token)));
    }

    fn newlines(&mut self, brackets: &[(TokenIdx, BracketContext)], starts: &[u32]) {
        let tokens = self.builder.tokens;
        let mut brackets = brackets.iter().peekable();
        let mut statement = 0;
        let mut frames: Vec<Frame> = Vec::new();
        let mut after_comma = false;
        let range = self.tokens.start.index()..self.tokens.end.index();
        let mut next_start = starts.first().copied().unwrap_or(u32::MAX);
        for (i, kind) in self.tokens.start.until(self.tokens.end).zip(tokens.kinds()[range].iter().copied()) {
            let start = tokens.start(i);
            while next_start < start {
                statement += 1;
                next_start = starts.get(statement).copied().unwrap_or(u32::MAX);
            }
            let starts_here = next_start == start;
            // Wherever they are, most tokens need no newline before them and have none.
            let is_plain = !starts_here && !after_comma && !kind.is_closer() && !tokens.newline_before(i);
            after_comma = kind == TokenKind::Comma;
            if !is_plain
                && let Some(lint) = self.newline_lint(frames.last(), i, kind, starts_here)
                && (self.last != Some((lint.code(), statement)) || lint.is_about_one_place())
            {
                self.last = Some((lint.code(), statement));
                let previous = i.previous().filter(|_| lint.is_at_previous_token());
                self.warn(lint, previous.unwrap_or(i));
            }
            if kind.is_opener() {
                while brackets.next_if(|(opener, _)| *opener < i).is_some() {}
                let context = brackets.next_if(|(opener, _)| *opener == i).map(|(_, context)| *context);
                let context = context.unwrap_or(BracketContext::Parentheses);
                frames.push(Frame { opener: i, context, multiline: tokens.newline_before(i + 1) });
            } else if kind.is_closer() {
                frames.pop();
            }
        }
    }

    /// Returns what is wrong with the newline, or its absence, before a token that is directly in a frame or closes it.
    fn newline_lint(
        &self,
        frame: Option<&Frame>,
        i: TokenIdx,
        kind: TokenKind,
        starts_statement: bool,
    ) -> Option<Lint> {
        let tokens = self.builder.tokens;
        let token = TokenContext {
            kind,
            newline: tokens.newline_before(i),
            after_opener: frame.is_some_and(|frame| i.previous() == Some(frame.opener)),
            after_comma: i.previous().is_some_and(|previous| tokens[previous] == TokenKind::Comma),
        };
        let context = frame.map_or(BracketContext::Block, |frame| frame.context);
        match context {
            BracketContext::Block => token.in_block(i == TokenIdx::FIRST, starts_statement),
            BracketContext::Entries => token.in_entries(),
            BracketContext::Arguments
            | BracketContext::Parameters
            | BracketContext::List
            | BracketContext::Map
            | BracketContext::Struct => {
                let elements = Elements::of(context);
                if frame.is_some_and(|frame| frame.multiline) {
                    token.in_multiline_list(elements)
                } else {
                    token.in_single_line_list(elements)
                }
            }
            BracketContext::Body if kind.is_closer() || token.after_opener => None,
            BracketContext::Body | BracketContext::Parentheses | BracketContext::Index | BracketContext::EdgeName => {
                token.in_expression()
            }
            BracketContext::Type => token.newline.then_some(Lint::NewlineInType),
        }
    }

    fn strings(&mut self) {
        let tokens = self.builder.tokens;
        let text = self.builder.text.as_bytes();
        let range = self.tokens.start.index()..self.tokens.end.index();
        for (token, kind) in self.tokens.start.until(self.tokens.end).zip(&tokens.kinds()[range]) {
            // The last character of a string can only be a backslash if it is escaped.
            if *kind == TokenKind::String
                && text.get(..tokens.end(token) as usize).is_some_and(|before| before.ends_with(b"\\\""))
            {
                self.warn(Lint::TrailingBackslash, token);
            }
        }
    }

    fn bar_bars(&mut self) {
        for bar_bar in &self.builder.bar_bars {
            self.warn(Lint::BarBar { compound: bar_bar.compound }, bar_bar.token);
        }
    }

    fn last_line(&mut self) {
        let tokens = self.builder.tokens;
        let Some(last) = tokens.end_idx().previous().filter(|_| self.tokens.end == tokens.end_idx()) else { return };
        let rest = self.builder.text.get(tokens.end(last) as usize..).unwrap_or("");
        if !rest.contains('\n') {
            self.warn(Lint::MissingFinalNewline, last);
        }
    }
}

/// A token, and what is before it.
struct TokenContext {
    kind: TokenKind,
    newline: bool,
    after_opener: bool,
    after_comma: bool,
}

impl TokenContext {
    /// Returns what is wrong inside an expression or head, where newlines are not allowed.
    fn in_expression(&self) -> Option<Lint> {
        self.newline.then_some(match self.kind {
            TokenKind::OpenCurly => Lint::NewlineBeforeBrace,
            TokenKind::Else => Lint::NewlineBeforeElse,
            _ => Lint::NewlineInStatement,
        })
    }

    fn in_block(&self, is_first: bool, starts_statement: bool) -> Option<Lint> {
        if is_first {
            return None;
        }
        let lint = if self.kind.is_closer() {
            Lint::CloserAfterStatement
        } else if starts_statement {
            Lint::StatementsOnOneLine
        } else {
            return self.in_expression();
        };
        (!self.newline && !self.after_opener).then_some(lint)
    }

    fn in_entries(&self) -> Option<Lint> {
        if self.kind.is_closer() || self.after_opener || self.after_comma || !self.newline {
            None
        } else if self.kind == TokenKind::Comma {
            Some(Lint::NewlineBeforeEntryComma)
        } else {
            self.in_expression()
        }
    }

    fn in_multiline_list(&self, elements: Elements) -> Option<Lint> {
        if self.after_opener {
            None
        } else if self.kind.is_closer() {
            match (self.newline, self.after_comma) {
                (true, true) => None,
                (true, false) => Some(Lint::MissingLastComma(elements)),
                (false, _) => Some(Lint::CloserAfterElement(elements)),
            }
        } else if self.after_comma {
            (!self.newline).then_some(Lint::ElementsOnOneLine(elements))
        } else if self.newline && self.kind == TokenKind::Comma {
            Some(Lint::NewlineBeforeComma)
        } else {
            self.in_expression()
        }
    }

    fn in_single_line_list(&self, elements: Elements) -> Option<Lint> {
        let closes = self.kind.is_closer();
        if self.newline && (closes || self.after_comma || self.kind == TokenKind::Comma) {
            Some(Lint::SplitList(elements))
        } else if closes && self.after_comma {
            Some(Lint::CommaBeforeCloser(elements))
        } else {
            self.in_expression()
        }
    }
}
