//! The parse stage: the generated parser, and how it goes on after an error.
//!
//! A file without errors is one run of the generated parser. If that fails, the file is parsed again with recovery:
//!
//! 1. The brackets are made balanced ([`crate::balance`]), so that every bracket has a partner to skip to.
//! 2. The generated parser runs from the start of the file. When it fails at a token, the builder knows which blocks
//!    are open and which statements are complete in them: the failing statement is what lies behind the last complete
//!    one. Nothing before it is parsed again.
//! 3. The failing statement is repaired with the smallest patch that keeps the rest of it: a missing comma is inserted;
//!    an element of a list or an entry of a resource is replaced by an error node; then the statement is tried again.
//!    Otherwise, a broken head of a block is replaced and parsing goes on inside of the block. Otherwise the statement
//!    is given up, up to the start of the next one, and leaves the names that it seems to define behind
//!    ([`Stmt::Error`]), so that later stages do not report these as unknown.
//! 4. The parser runs again from there, until the `}` of the innermost open block, which is closed by hand, and so on.
//!
//! A statement is tried a limited number of times, so the whole takes linear time. What the grammar accepts is decided by
//! the grammar alone; the guesses here (which line starts a statement, what indentation means) only concern files that
//! have an error anyway.

use lalrpop_util::ParseError;
use mcl_diagnostics::{Code, Diagnostic, FileId, Span};
use mcl_lexer::{TokenKind, Tokens};
use serde::{Deserialize, Serialize};

use crate::MAX_DEPTH;
use crate::ast::{Ast, Definition, DefinitionKind, Name, Stmt};
use crate::balance::{Balance, balance, ends_operand, indentation, starts_statement};
use crate::build::{Builder, Head};
use crate::explain::{self, Failure};
use crate::feed::{Feeder, Patch, Patches, Position, Terminal};
use crate::grammar::StatementsParser;
use crate::lint::lint;

/// What the parse stage gives: a tree in any case, and what was wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The tree, without what is broken.
    pub ast: Ast,
    /// Errors in source order, then lints.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the tokens of one file. Errors of the lexer are not repeated here.
#[must_use]
pub fn parse(file: FileId, text: &str, tokens: &Tokens) -> Parsed {
    let healthy = !tokens.kinds().iter().any(|k| k.is_error()) && bracket_depth(tokens) <= MAX_DEPTH;
    if healthy {
        let mut builder = Builder::new(file, text, tokens);
        let mut feeder = Feeder::new(tokens, NO_PATCHES, Position { token: 0, fed: 0 }, tokens.len() as u32);
        let result = StatementsParser::new().parse(&mut builder, &mut feeder);
        // The feeder also stops at a `}` that closes nothing.
        if result.is_ok() && feeder.position().token as usize == tokens.len() {
            let lints = if builder.errors.is_empty() { lint(&mut builder) } else { Vec::new() };
            let mut parsed = finish(builder, Vec::new());
            parsed.diagnostics.extend(lints);
            return parsed;
        }
    }
    let (builder, diagnostics) = Recovery::new(file, text, tokens).run();
    finish(builder, diagnostics)
}

static NO_PATCHES: &Patches = &Patches::new();

fn bracket_depth(tokens: &Tokens) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for kind in tokens.kinds() {
        if kind.is_opener() {
            depth += 1;
            deepest = deepest.max(depth);
        } else if kind.is_closer() {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

fn finish(mut builder: Builder<'_>, mut diagnostics: Vec<Diagnostic>) -> Parsed {
    while builder.open.len() > 1 {
        let end = builder.tokens.len() as u32;
        builder.close_block(end);
    }
    builder.ast.body = std::mem::take(&mut builder.top().body);
    diagnostics.append(&mut builder.errors);
    diagnostics.sort_by_key(|d| d.span.map(|s| s.start));
    let mut deep = false;
    diagnostics.retain(|d| d.code != Code::E0210 || !std::mem::replace(&mut deep, true));
    Parsed { ast: builder.ast, diagnostics }
}

/// How often one statement is repaired before it is given up.
const MAX_REPAIRS: u32 = 16;

/// Where a run of the generated parser failed: at which token, and which terminals it would have taken.
struct Stop {
    token: u32,
    expected: Vec<String>,
}

struct Recovery<'t> {
    tokens: &'t Tokens,
    text: &'t str,
    builder: Builder<'t>,
    balance: Balance,
    patches: Patches,
    diagnostics: Vec<Diagnostic>,
    /// The statement that is being repaired, and how often it was.
    repaired: (u32, u32),
    /// Where the last statement that was given up ends.
    given_up_to: u32,
    /// From this token on, parse errors are follow-ons of a string without an end.
    silent_from: u32,
}

impl<'t> Recovery<'t> {
    fn new(file: FileId, text: &'t str, tokens: &'t Tokens) -> Recovery<'t> {
        let mut balance = balance(file, text, tokens);
        let silent_from = silent_from(text, tokens);
        let quiet_byte = if silent_from == u32::MAX { u32::MAX } else { tokens.start(silent_from as usize) };
        let mut diagnostics = std::mem::take(&mut balance.diagnostics);
        if quiet_byte != u32::MAX {
            // An opener before the endless string is only unclosed because the string took its closer.
            diagnostics.retain(|d| {
                d.labels.iter().all(|l| l.span.end < quiet_byte) && d.span.is_some_and(|s| s.start < quiet_byte)
            });
        }
        let patches = std::mem::take(&mut balance.patches);
        let builder = Builder::new(file, text, tokens);
        Recovery {
            tokens,
            text,
            builder,
            balance,
            patches,
            diagnostics,
            repaired: (u32::MAX, 0),
            given_up_to: u32::MAX,
            silent_from,
        }
    }

    fn kind(&self, token: u32) -> Option<TokenKind> {
        self.tokens.kind(token as usize)
    }

    fn len(&self) -> u32 {
        self.tokens.len() as u32
    }

    fn run(mut self) -> (Builder<'t>, Vec<Diagnostic>) {
        let mut position = Position { token: 0, fed: 0 };
        loop {
            match self.parse_stretch(position, self.len()) {
                Ok(stop) => match self.close_block(stop) {
                    Some(next) => position = next,
                    None => return (self.builder, self.diagnostics),
                },
                Err(stop) => position = self.recover(stop),
            }
        }
    }

    /// One run of the generated parser. Ok: where it stopped, at a `}` or at the end.
    fn parse_stretch(&mut self, start: Position, end: u32) -> Result<Position, Stop> {
        let mut feeder = Feeder::new(self.tokens, &self.patches, start, end);
        match StatementsParser::new().parse(&mut self.builder, &mut feeder) {
            Ok(()) => Ok(feeder.position()),
            Err(ParseError::UnrecognizedToken { token, expected }) => Err(Stop { token: token.0, expected }),
            Err(ParseError::UnrecognizedEof { expected, .. }) => Err(Stop { token: feeder.position().token, expected }),
            Err(ParseError::ExtraToken { token }) => Err(Stop { token: token.0, expected: Vec::new() }),
            Err(ParseError::InvalidToken { location }) => Err(Stop { token: location, expected: Vec::new() }),
            Err(ParseError::User { .. }) => Err(Stop { token: feeder.position().token, expected: Vec::new() }),
        }
    }

    /// The innermost block ends at a `}`; where to go on. `None` at the end of the file.
    fn close_block(&mut self, stop: Position) -> Option<Position> {
        let inserted = self.patches.get(&stop.token).is_some_and(|p| stop.fed < p.terminals.len());
        if !inserted && stop.token >= self.len() {
            return None;
        }
        let next = if inserted {
            Position { token: stop.token, fed: stop.fed + 1 }
        } else {
            Position { token: stop.token + 1, fed: 0 }
        };
        let is_if = matches!(self.builder.top().head, Head::If { .. });
        if is_if
            && self.kind(next.token) == Some(TokenKind::Else)
            && self.kind(next.token + 1) == Some(TokenKind::OpenCurly)
        {
            self.builder.open_else(next.token + 1);
            return Some(Position { token: next.token + 2, fed: 0 });
        }
        self.builder.close_block(next.token);
        Some(next)
    }

    /// The place of a statement's first token, behind all that is inserted there.
    fn statement_position(&self, start: u32) -> Position {
        let fed = self.balance.virtual_openers.get(&start).map_or(0, Vec::len);
        Position { token: start, fed }
    }

    /// The place to go on at when the statement that starts at `start` was given up: what was inserted to close its
    /// brackets is left out.
    fn resume_position(&self, resume: u32, start: u32) -> Position {
        let openers = self.balance.virtual_openers.get(&resume);
        let fed = openers.map_or(0, |openers| openers.iter().take_while(|o| **o >= start).count());
        Position { token: resume, fed }
    }

    /// After an error: repairs or gives up the failing statement; where to go on.
    fn recover(&mut self, mut stop: Stop) -> Position {
        // Blocks whose `}` was read, but which the parser could not finish for the token behind it.
        while self.builder.open.len() > 1 {
            let end = self.balance.close[self.builder.top().brace as usize];
            if end == 0 || end > stop.token || (end == stop.token && self.kind(end - 1) != Some(TokenKind::CloseCurly))
            {
                break;
            }
            self.builder.close_block(end);
        }
        self.builder.roll_back();
        let mut start = self.builder.top().next;
        while start < stop.token {
            match self.patches.get(&start) {
                Some(patch) if patch.terminals.is_empty() && patch.resume > start => start = patch.resume,
                _ if self.kind(start).is_some_and(TokenKind::is_error_blank) => start += 1,
                _ => break,
            }
        }
        if let Some(position) = self.enter_without_condition(start).or_else(|| self.enter_class_without_keyword(start))
        {
            return position;
        }
        let mut end_of_line = stop.token >= self.len();
        let mut resume = None;
        // A line inside of the statement that looks like the start of the next one: the statement ends before it.
        let line = (start + 1..=stop.token.min(self.len().saturating_sub(1))).find(|i| {
            self.tokens.newline_before(*i as usize) && starts_statement(self.tokens, *i) && !self.is_replaced(*i)
        });
        // In brackets that are closed behind it, such a line is a statement in a wrong place, not the next one.
        let misplaced = line.filter(|line| !self.open_groups(start, *line).is_empty());
        if let Some(line) = misplaced {
            stop = Stop { token: line, expected: Vec::new() };
        }
        let line = line.filter(|_| misplaced.is_none());
        let on_new_line = stop.token > start && self.tokens.newline_before(stop.token as usize);
        let cut = line.or_else(|| (misplaced.is_none() && on_new_line).then_some(stop.token));
        if let Some(cut) = cut {
            match self.parse_stretch(self.statement_position(start), cut) {
                Ok(end) if end.token >= cut => {
                    let top = self.builder.top();
                    top.next = top.next.max(cut);
                    return self.resume_position(cut, start);
                }
                Ok(_) => {}
                Err(shorter) => {
                    end_of_line = shorter.token >= cut;
                    if line.is_some() {
                        stop = shorter;
                        resume = line;
                    }
                }
            }
            self.builder.roll_back();
        }
        let failure = self.failure(start, &stop, end_of_line);
        if self.repaired.0 != start {
            self.repaired = (start, 0);
        }
        self.repaired.1 += 1;
        if self.repaired.1 <= MAX_REPAIRS
            && let Some(repair) = self.repair(start, &stop, resume)
        {
            self.report(&failure, repair.from, repair.missing_comma);
            self.patches.insert(repair.at, repair.patch);
            return self.statement_position(start);
        }
        // What does not fit outside of the brackets after a repair inside of them follows from it.
        let follows = self.repaired.1 > 1 && failure.group.is_none();
        // Entries behind a broken statement: the brace in front of them is missing or was part of it.
        let orphaned = self.given_up_to == start && self.starts_entry(start);
        if !follows && !orphaned {
            self.report(&failure, start, false);
        }
        if let Some(position) = self.enter_broken_block(start, stop.token) {
            return position;
        }
        self.give_up(start, stop.token, resume)
    }

    fn failure(&self, start: u32, stop: &Stop, end_of_line: bool) -> Failure<'t> {
        let groups = self.open_groups(start, stop.token);
        Failure {
            file: self.builder.file,
            text: self.text,
            tokens: self.tokens,
            start,
            at: stop.token,
            end_of_line,
            group: groups.last().map(|g| g.sort),
            expected: stop.expected.clone(),
        }
    }

    /// Reports a failure, unless what stands between `from` and it was reported already.
    fn report(&mut self, failure: &Failure<'_>, from: u32, missing_comma: bool) {
        let at = failure.at;
        let range = from as usize..(at as usize + 1).min(self.tokens.len());
        let lexical = self.tokens.kinds().get(range).is_some_and(|kinds| kinds.iter().any(|k| k.is_error()));
        let first = self.balance.repairs.partition_point(|r| *r < from);
        let repaired = self.balance.repairs.get(first).is_some_and(|r| *r <= at);
        if lexical || repaired || at >= self.silent_from {
            return;
        }
        let diagnostic = if missing_comma { explain::missing_comma(failure) } else { explain::syntax_error(failure) };
        // The same mistake again on the same line of the same statement is not repeated.
        let repeated = |last: &Diagnostic| {
            let lines = last.span.zip(diagnostic.span);
            last.code == diagnostic.code && lines.is_some_and(|(a, b)| self.same_line(a.start, b.start))
        };
        if self.repaired.1 > 1 && self.diagnostics.last().is_some_and(repeated) {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    fn same_line(&self, a: u32, b: u32) -> bool {
        self.text.get(a.min(b) as usize..a.max(b) as usize).is_some_and(|between| !between.contains('\n'))
    }

    /// The brackets that are open at a token of the statement, outermost first.
    fn open_groups(&self, start: u32, at: u32) -> Vec<OpenGroup> {
        let mut groups = Vec::new();
        let mut i = start;
        while i < at {
            if self.kind(i).is_some_and(TokenKind::is_opener) {
                let close = self.balance.close[i as usize];
                if close > at {
                    groups.push(OpenGroup { opener: i, sort: self.sort_of(i, start, groups.len()) });
                } else if close > i {
                    i = close;
                    continue;
                }
            }
            i += 1;
        }
        groups
    }

    /// What a bracket inside of a statement holds, judged by what stands before it.
    fn sort_of(&self, opener: u32, start: u32, depth: usize) -> Sort {
        let before = opener.checked_sub(1).filter(|b| *b >= start).and_then(|b| self.kind(b));
        let second = opener.checked_sub(2).filter(|b| *b >= start).and_then(|b| self.kind(b));
        match self.kind(opener) {
            Some(TokenKind::OpenParen) => match before {
                Some(TokenKind::Func) => Sort::Parameters,
                Some(_)
                    if second == Some(TokenKind::Func) || self.kind(start) == Some(TokenKind::Class) && depth == 0 =>
                {
                    Sort::Parameters
                }
                Some(
                    TokenKind::Identifier
                    | TokenKind::Map
                    | TokenKind::Collect
                    | TokenKind::CloseCurly
                    | TokenKind::Panic,
                ) => Sort::Arguments,
                _ => Sort::Parentheses,
            },
            Some(TokenKind::OpenBracket) => {
                let kind_of_resource = matches!(before, Some(TokenKind::Identifier))
                    && !matches!(second, Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow));
                match before {
                    Some(TokenKind::Capitalized) => Sort::EdgeName,
                    Some(kind) if ends_operand(kind) && !kind_of_resource => Sort::Index,
                    _ => Sort::List,
                }
            }
            _ => match before {
                Some(TokenKind::Struct) if self.kind(opener + 2) == Some(TokenKind::Rocket) => Sort::Struct,
                Some(TokenKind::Struct | TokenKind::Map) => Sort::Type,
                Some(TokenKind::Else) => Sort::Body,
                Some(kind)
                    if ends_operand(kind)
                        || matches!(
                            kind,
                            TokenKind::TypeBool
                                | TokenKind::TypeStr
                                | TokenKind::TypeInt
                                | TokenKind::TypeFloat
                                | TokenKind::Variant
                        ) =>
                {
                    let resource = matches!(self.kind(start), Some(TokenKind::Identifier | TokenKind::Collect));
                    let branch = (start..opener).any(|i| matches!(self.kind(i), Some(TokenKind::If | TokenKind::Func)));
                    if depth == 0 && resource && !branch { Sort::Entries } else { Sort::Body }
                }
                _ => Sort::Map,
            },
        }
    }

    /// A patch that repairs the failing statement and keeps most of it.
    fn repair(&self, start: u32, stop: &Stop, cut: Option<u32>) -> Option<Repair> {
        let at = stop.token;
        let group = self.open_groups(start, at).into_iter().rev().find(|g| g.sort.has_elements())?;
        let close = self.balance.close[group.opener as usize];
        let real_closer = self.kind(close - 1).is_some_and(TokenKind::is_closer) && close > at;
        let content_end = if real_closer { close - 1 } else { close };
        if cut.is_some_and(|cut| cut < content_end) {
            return None;
        }
        // The element around the failing token.
        let mut from = group.opener + 1;
        let mut end = content_end;
        let mut i = from;
        while i < content_end {
            let kind = self.kind(i);
            if kind == Some(TokenKind::Comma) {
                if i >= at {
                    end = i;
                    break;
                }
                from = i + 1;
            } else if i > at
                && group.sort == Sort::Entries
                && self.starts_entry(i)
                && self.kind(i - 1) != Some(TokenKind::Colon)
            {
                end = i;
                break;
            } else if kind.is_some_and(TokenKind::is_opener) && self.balance.close[i as usize] > i {
                i = self.balance.close[i as usize];
                continue;
            }
            i += 1;
        }
        let before = at.checked_sub(1).and_then(|b| self.kind(b));
        let comma_fits = from < at && before.is_some_and(ends_operand) && stop.expected.iter().any(|e| e == "\",\"");
        let next_element = match group.sort {
            Sort::Entries => at == content_end || self.starts_entry(at),
            // Calls keep the number of their arguments, which is checked later; `-2` is more likely a subtraction.
            Sort::Arguments | Sort::Parameters => {
                let starts_value = matches!(
                    self.kind(at),
                    Some(
                        TokenKind::Dollar
                            | TokenKind::Identifier
                            | TokenKind::String
                            | TokenKind::Integer
                            | TokenKind::Float
                    )
                );
                at < content_end && starts_value && !self.tokens.text(self.text, at as usize).starts_with('-')
            }
            _ => at < content_end && self.tokens.newline_before(at as usize),
        };
        let (position, terminals, resume, missing_comma) = if comma_fits && next_element {
            (at, vec![Terminal::Kind(TokenKind::Comma)], at, true)
        } else {
            let item = if group.sort.holds_values() { Terminal::ErrorValue } else { Terminal::ErrorItem };
            let comma = group.sort == Sort::Entries && self.kind(end) != Some(TokenKind::Comma);
            let terminals = [Some(item), comma.then_some(Terminal::Kind(TokenKind::Comma))];
            (from, terminals.into_iter().flatten().collect(), end, false)
        };
        let mut patch = Patch { terminals, resume };
        if let Some(existing) = self.patches.get(&position) {
            let only_commas = existing.terminals.iter().all(|t| *t == Terminal::Kind(TokenKind::Comma));
            if existing.resume != position || !only_commas || missing_comma {
                return None;
            }
            patch.terminals.splice(0..0, existing.terminals.iter().copied());
        }
        Some(Repair { at: position, patch, from, missing_comma })
    }

    /// Whether an entry of a resource seems to start here: `name =>`, `Meta:name =>`.
    fn starts_entry(&self, i: u32) -> bool {
        match self.kind(i) {
            Some(TokenKind::Identifier) => self.kind(i + 1) == Some(TokenKind::Rocket),
            Some(TokenKind::Capitalized) => {
                matches!(self.kind(i + 1), Some(TokenKind::Rocket | TokenKind::Colon))
            }
            _ => false,
        }
    }

    /// Whether a patch puts something else in the place of the token.
    fn is_replaced(&self, token: u32) -> bool {
        self.patches.range(..=token).next_back().is_some_and(|(_, patch)| patch.resume > token)
    }

    /// `if {`, which the grammar takes for the beginning of a map: goes on inside of the block.
    fn enter_without_condition(&mut self, start: u32) -> Option<Position> {
        let brace = start + 1;
        if self.kind(start) != Some(TokenKind::If) || self.kind(brace) != Some(TokenKind::OpenCurly) {
            return None;
        }
        // What is compared or indexed is a map.
        let behind = self.balance.close[brace as usize];
        if behind == 0
            || self.kind(behind).is_some_and(continues_operand) && !self.tokens.newline_before(behind as usize)
        {
            return None;
        }
        let span = self.tokens.span(self.builder.file, start as usize);
        self.diagnostics.push(explain::no_condition(span));
        self.builder.open_broken(start, Vec::new(), brace);
        Some(Position { token: brace + 1, fed: 0 })
    }

    /// `name($x) {`, with statements inside: most likely a class that lacks its keyword. Goes on inside.
    fn enter_class_without_keyword(&mut self, start: u32) -> Option<Position> {
        let paren = start + 1;
        if self.kind(start) != Some(TokenKind::Identifier)
            || self.kind(paren) != Some(TokenKind::OpenParen)
            || self.tokens.end(start as usize) != self.tokens.start(paren as usize)
        {
            return None;
        }
        let brace = self.balance.close[paren as usize];
        if self.kind(brace) != Some(TokenKind::OpenCurly)
            || self.kind(brace + 1).is_none()
            || !self.tokens.newline_before(brace as usize + 1)
            || !starts_statement(self.tokens, brace + 1)
        {
            return None;
        }
        let file = self.builder.file;
        let (name, span) = (self.builder.word(start), self.tokens.span(file, start as usize));
        self.diagnostics.push(explain::no_class_keyword(span, self.tokens.text(self.text, start as usize)));
        let defines = vec![Definition { kind: DefinitionKind::Class, name, span }];
        let id = self.builder.push_stmt(Stmt::Error { defines }, span);
        self.builder.complete(id, start);
        let variables = self.variables_between(paren, brace);
        self.builder.open_broken(start, variables, brace);
        Some(Position { token: brace + 1, fed: 0 })
    }

    /// The variables that a stretch of tokens seems to define.
    fn variables_between(&mut self, start: u32, end: u32) -> Vec<(Name, Span)> {
        let mut variables = Vec::new();
        for i in start..end {
            if self.kind(i) == Some(TokenKind::Dollar) && self.kind(i + 1) == Some(TokenKind::Identifier) {
                let name = self.builder.word(i + 1);
                variables.push((name, self.tokens.span(self.builder.file, i as usize + 1)));
            }
        }
        variables
    }

    /// Goes on inside of a block whose head is broken.
    fn enter_broken_block(&mut self, start: u32, at: u32) -> Option<Position> {
        let head = self.kind(start)?;
        let head = match head {
            TokenKind::If | TokenKind::For | TokenKind::ForKv | TokenKind::Class => head,
            TokenKind::Else => {
                // `else if`: the inner one is parsed as a statement of its own.
                if self.kind(start + 1) == Some(TokenKind::If) {
                    return Some(Position { token: start + 1, fed: 0 })
                        .inspect(|_| self.builder.top().next = start + 1);
                }
                head
            }
            _ => return None,
        };
        let brace = self.block_of(head, start, at)?;
        if head == TokenKind::Class {
            let words = (start + 1..brace)
                .take_while(|i| matches!(self.kind(*i), Some(TokenKind::Identifier | TokenKind::Colon)))
                .count() as u32;
            self.define(start, start + 1 + words);
        }
        let variables = if head == TokenKind::If || head == TokenKind::Else {
            Vec::new()
        } else {
            let end = (start + 1..brace).find(|i| self.kind(*i) == Some(TokenKind::In)).unwrap_or(brace);
            self.variables_between(start + 1, end)
        };
        self.builder.open_broken(start, variables, brace);
        Some(Position { token: brace + 1, fed: 0 })
    }

    /// The `{` of the block whose head starts at `start` and is broken at `at`.
    fn block_of(&self, head: TokenKind, start: u32, at: u32) -> Option<u32> {
        let mut i = start + 1;
        while i < self.len() {
            let kind = self.kind(i)?;
            if i >= at
                && self.tokens.newline_before(i as usize)
                && (starts_statement(self.tokens, i) || kind == TokenKind::CloseCurly)
            {
                return None;
            }
            if kind == TokenKind::CloseCurly || self.patches.get(&i).is_some_and(|patch| patch.resume > i) {
                return None;
            }
            if kind.is_opener() {
                let close = self.balance.close[i as usize];
                let before = self.kind(i - 1);
                let last = self.tokens.newline_before(i as usize + 1);
                let opens = matches!(head, TokenKind::Class | TokenKind::Else)
                    || before.is_some_and(|k| ends_operand(k) && k != TokenKind::Map)
                    || last && before != Some(TokenKind::Struct);
                if kind == TokenKind::OpenCurly && opens && close > at {
                    return Some(i);
                }
                if close > i {
                    i = close;
                    continue;
                }
            }
            i += 1;
        }
        None
    }

    /// Gives a statement up: goes on at the next one.
    fn give_up(&mut self, start: u32, at: u32, resume: Option<u32>) -> Position {
        // At least one token goes, so that every error brings the parse forward.
        let resume = resume.unwrap_or_else(|| self.next_statement(start, at)).max(start + 1);
        self.define(start, resume);
        self.given_up_to = resume;
        self.resume_position(resume, start)
    }

    /// Leaves a broken statement behind, which defines the names that the tokens seem to define.
    fn define(&mut self, start: u32, resume: u32) {
        let defines = self.definitions(start, resume);
        let span = self.builder.span(start, resume);
        let id = self.builder.push_stmt(Stmt::Error { defines }, span);
        self.builder.complete(id, resume);
    }

    /// Where the next statement starts, or the block ends.
    fn next_statement(&self, start: u32, at: u32) -> u32 {
        let indent = indentation(self.text, self.tokens, self.line_of(start));
        let mut i = start;
        while i < self.len() {
            let Some(kind) = self.kind(i) else { break };
            // What was taken out to balance the brackets is not there.
            if let Some(patch) = self.patches.get(&i)
                && patch.terminals.is_empty()
                && patch.resume > i
            {
                i = patch.resume;
                continue;
            }
            if i >= at {
                let closes_outer = |openers: &Vec<u32>| openers.iter().any(|o| *o < start);
                if kind == TokenKind::CloseCurly || self.balance.virtual_openers.get(&i).is_some_and(closes_outer) {
                    return i;
                }
            }
            if i >= at && i > start {
                let certain = starts_statement(self.tokens, i);
                let on_new_line = self.tokens.newline_before(i as usize);
                if on_new_line && (certain || starts_weakly(kind) && indentation(self.text, self.tokens, i) <= indent) {
                    return i;
                }
                let keyword = matches!(
                    kind,
                    TokenKind::Class
                        | TokenKind::Import
                        | TokenKind::Include
                        | TokenKind::For
                        | TokenKind::ForKv
                        | TokenKind::Dollar
                );
                if !on_new_line && certain && keyword && i > at {
                    return i;
                }
            }
            let close = self.balance.close[i as usize];
            i = if kind.is_opener() && close > i { close } else { i + 1 };
        }
        self.len()
    }

    /// The first token on the line of a token (on a very long line, one before it).
    fn line_of(&self, token: u32) -> u32 {
        let mut i = token;
        while i > token.saturating_sub(1000) && !self.tokens.newline_before(i as usize) {
            i -= 1;
        }
        i
    }

    /// The names that a broken statement seems to define.
    fn definitions(&mut self, start: u32, end: u32) -> Vec<Definition> {
        let file = self.builder.file;
        let mut defines = Vec::new();
        let mut define = |builder: &mut Builder<'t>, kind, l: u32, r: u32| {
            let span = builder.span(l, r);
            let name = builder.joined_name(l, r);
            defines.push(Definition { kind, name, span });
        };
        let is_name =
            |kind: Option<TokenKind>| matches!(kind, Some(TokenKind::Identifier | TokenKind::Map | TokenKind::Collect));
        match self.kind(start) {
            Some(TokenKind::Dollar) if is_name(self.kind(start + 1)) => {
                define(&mut self.builder, DefinitionKind::Variable, start + 1, start + 2);
            }
            // `a = 1`: the dollar sign is missing.
            Some(TokenKind::Identifier) if self.kind(start + 1) == Some(TokenKind::Equals) => {
                define(&mut self.builder, DefinitionKind::Variable, start, start + 1);
            }
            Some(TokenKind::Func) if is_name(self.kind(start + 1)) => {
                define(&mut self.builder, DefinitionKind::Function, start + 1, start + 2);
            }
            Some(TokenKind::Class) => {
                let words = (start + 1..end)
                    .take_while(|i| matches!(self.kind(*i), Some(TokenKind::Identifier | TokenKind::Colon)))
                    .count() as u32;
                if words > 0 {
                    define(&mut self.builder, DefinitionKind::Class, start + 1, start + 1 + words);
                }
            }
            // The body is read as statements of this list, so the variables of the head belong to it.
            Some(TokenKind::For | TokenKind::ForKv) => {
                let tokens = self.tokens;
                let kind = |i: u32| tokens.kind(i as usize);
                for i in (start + 1..end).take_while(|i| kind(*i) != Some(TokenKind::In)) {
                    if kind(i - 1) == Some(TokenKind::Dollar) && is_name(kind(i)) {
                        define(&mut self.builder, DefinitionKind::Variable, i, i + 1);
                    }
                }
            }
            Some(TokenKind::Import | TokenKind::Include) => {
                let is_import = self.kind(start) == Some(TokenKind::Import);
                let alias = (start..end).find(|i| self.kind(*i) == Some(TokenKind::As)).map(|i| i + 1);
                match alias.filter(|a| *a < end) {
                    Some(alias) if is_name(self.kind(alias)) || self.kind(alias) == Some(TokenKind::Multiply) => {
                        define(&mut self.builder, DefinitionKind::Alias, alias, alias + 1);
                    }
                    Some(_) | None if is_import && start + 1 < end => {
                        let token = start as usize + 1;
                        let written = self.tokens.text(self.text, token).trim_matches('"').trim_end_matches('/');
                        let last = written.rsplit('/').next().unwrap_or("").trim_end_matches(".mcl").to_owned();
                        if !last.is_empty() {
                            let name = self.builder.intern(&last);
                            let span = self.tokens.span(file, token);
                            defines.push(Definition { kind: DefinitionKind::Alias, name, span });
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        defines
    }
}

/// Whether an operand goes on, or is part of something larger, with this token.
fn continues_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::OpenCurly
            | TokenKind::OpenBracket
            | TokenKind::Arrow
            | TokenKind::Except
            | TokenKind::BarBar
            | TokenKind::In
            | TokenKind::And
            | TokenKind::Or
            | TokenKind::Eq
            | TokenKind::Ne
            | TokenKind::Lt
            | TokenKind::Gt
            | TokenKind::Le
            | TokenKind::Ge
            | TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Multiply
            | TokenKind::Divide
    )
}

/// Whether a statement may start with such a token.
fn starts_weakly(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Identifier
            | TokenKind::Capitalized
            | TokenKind::Dollar
            | TokenKind::If
            | TokenKind::For
            | TokenKind::ForKv
            | TokenKind::Func
            | TokenKind::Class
            | TokenKind::Include
            | TokenKind::Import
            | TokenKind::Panic
            | TokenKind::Collect
            | TokenKind::Else
    )
}

/// Where parse errors become follow-ons of a string that never ends: some string before it lacks its closing quote, and
/// most likely the first one that goes over the end of a line, as it is there that text and code change places.
fn silent_from(text: &str, tokens: &Tokens) -> u32 {
    if tokens.kinds().last() != Some(&TokenKind::UnterminatedString) {
        return u32::MAX;
    }
    let suspicious = (0..tokens.len())
        .find(|i| tokens.kinds()[*i] == TokenKind::String && tokens.text(text, *i).contains('\n'))
        .unwrap_or(tokens.len() - 1);
    suspicious as u32
}

/// A bracket that is open at the failing token.
struct OpenGroup {
    opener: u32,
    sort: Sort,
}

/// What a bracket inside of a statement holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Arguments,
    Parameters,
    Parentheses,
    List,
    Index,
    EdgeName,
    Map,
    Struct,
    Entries,
    Body,
    Type,
}

impl Sort {
    fn has_elements(self) -> bool {
        match self {
            Sort::Arguments | Sort::Parameters | Sort::List | Sort::Map | Sort::Struct | Sort::Entries => true,
            Sort::Parentheses | Sort::Index | Sort::EdgeName | Sort::Body | Sort::Type => false,
        }
    }

    fn holds_values(self) -> bool {
        matches!(self, Sort::Arguments | Sort::List)
    }
}

/// A patch, and what it concerns.
struct Repair {
    at: u32,
    patch: Patch,
    /// Where the element starts that it replaces or completes.
    from: u32,
    missing_comma: bool,
}
