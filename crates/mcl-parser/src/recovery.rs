//! Parsing of files with syntax errors.
//!
//! 1. The generated parser runs from the start of the file. When it fails at a token, the builder knows which blocks are
//!    open and which statements are complete in them: the failing statement starts after the last complete one. Nothing
//!    before it is parsed again.
//! 2. The change of one token that makes the statement right is searched ([`search`]). It tells what is wrong
//!    ([`edit_error`]), where the statement ends, and which block the next one is in. The tree gets only what the change
//!    leaves certain: an entry or element without the changed one, or the names that the statement defines.
//! 3. Without such a change, a [`Recovery`] is chosen: an element of a list or an entry of a resource is replaced by an error
//!    node, and the statement is parsed again; the broken head of a block is replaced and parsing continues inside the block;
//!    or the statement is skipped up to the start of the next one. An error node ([`Stmt::Error`]) declares the names that
//!    the statement seems to define, so that later stages do not report them as unknown.
//! 4. The parser continues from there, up to the `}` of the innermost open block, which is closed by hand, and so on.
//!
//! Skipping needs to know the partner of every bracket. If the brackets of the file do not match, the search must find the
//! changes that make them match; the braces of blocks are judged by indentation ([`block_edit`]), and the parse starts
//! again with them. If that fails, the brackets are balanced by guesses ([`crate::bracket_recovery`]) first.
//!
//! A statement is retried a limited number of times, and the search has a budget, so the whole takes linear time. Only the
//! grammar decides what is accepted; the guesses made here (which line starts a statement, what indentation means) only
//! concern files that have an error anyway.

mod block;
mod block_edit;
mod consequences;
mod definitions;
mod edit_error;
mod element;
mod foreign;
mod replacement;
mod search;
mod state;

use mcl_diagnostics::FileId;
use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::ast::{Definition, MAX_DEPTH, Stmt};
use crate::bracket_recovery::{bracket_depth, match_brackets};
use crate::builder::{Builder, Head, Repaired};
use crate::diagnosis::{diagnose, missing_comma};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::failure::{Cause, Failure};
use crate::lookahead::{first_on_line, indentation, starts_entry, starts_statement};
use crate::recovery::block::BrokenHead;
use crate::recovery::block_edit::block_edit;
use crate::recovery::element::Repair;
use crate::recovery::foreign::{ForeignStatement, Rest};
use crate::recovery::search::{Change, Reach, Site, TokenEdit};
use crate::recovery::state::{Attempts, BlockRepair, Brackets, FailedStatement, RecoveringParser};
use crate::segment::{ParseFailure, parse_segment};
use crate::terminals::{Edit, Position, Terminal};
use crate::token_set::{OPERAND_CONTINUATION, OPERAND_END, STATEMENT_START, STATEMENT_START_IN_LINE, TokenSet};

/// A statement is retried at most this many times.
const MAX_RETRIES: u32 = 16;

/// At most this many braces of blocks are inserted or deleted because of the indentation.
const MAX_BLOCK_REPAIRS: usize = 8;

/// The mistake is looked for in the statement before the failed one if that one starts at most this many tokens earlier.
const MAX_PREVIOUS_TOKENS: u32 = 200;

/// After the change of a token, an error among this many tokens of its line is a consequence.
const CONSEQUENCE_TOKENS: u32 = 12;

/// How parsing continues after a syntax error.
enum Recovery {
    /// The statement is complete without the tokens from this one on.
    EndStatementBefore(TokenIdx),
    /// The statement is parsed again with an edit.
    Retry(Repair),
    /// The statement is parsed again with edits of single tokens.
    Replace(Vec<(TokenIdx, Edit)>),
    /// A statement of another language is skipped; its names are known.
    SkipForeign { end: TokenIdx, defines: Vec<Definition> },
    /// A statement is parsed again with one token changed.
    Edit {
        edit: TokenEdit,
        /// The start of the statement.
        first: TokenIdx,
    },
    /// Parsing continues inside a block whose head is an error.
    EnterBlock(BrokenHead),
    /// Parsing continues with the `if` of an `else if`.
    EnterElseIf,
    /// The statement is skipped; parsing continues at this token.
    SkipTo(TokenIdx),
}

/// Parses a file that has syntax errors into the builder. Returns the errors that the builder does not hold.
pub fn parse_with_recovery<'t>(file: FileId, text: &'t str, tokens: &'t Tokens) -> (Builder<'t>, Vec<SyntaxError>) {
    let mut block_repairs = Vec::new();
    let is_too_deep = bracket_depth(tokens) > MAX_DEPTH;
    while !is_too_deep && block_repairs.len() <= MAX_BLOCK_REPAIRS {
        match RecoveringParser::searching(file, text, tokens, block_repairs).run() {
            Outcome::Complete(builder, errors) => return (*builder, errors),
            Outcome::Restart(more) => block_repairs = more,
            Outcome::Unmatched => break,
        }
    }
    match RecoveringParser::guessing(file, text, tokens).run() {
        Outcome::Complete(builder, errors) => (*builder, errors),
        Outcome::Restart(_) | Outcome::Unmatched => unreachable!("guessed brackets are never searched"),
    }
}

/// The end of a parse.
enum Outcome<'t> {
    Complete(Box<Builder<'t>>, Vec<SyntaxError>),
    /// The file is parsed again with these repairs.
    Restart(Vec<BlockRepair>),
    /// The brackets do not match, and the edits that make them match were not found.
    Unmatched,
}

impl<'t> RecoveringParser<'t> {
    fn run(mut self) -> Outcome<'t> {
        let mut position = Position::START;
        loop {
            let failure = match self.parse(position, self.tokens.end_idx()) {
                Ok(end) => {
                    let is_block_open = self.builder.open.len() > 1;
                    let is_inserted = self.edits.get(&end.token).is_some_and(|edit| end.fed < edit.terminals.len());
                    let is_closer = is_inserted || end.token < self.tokens.end_idx();
                    if self.state != Brackets::Unmatched || is_block_open && is_closer {
                        match self.close_block(end) {
                            Some(next) => position = next,
                            None => return self.completed(),
                        }
                        continue;
                    }
                    if !is_block_open && !is_closer {
                        return self.completed();
                    }
                    ParseFailure { token: end.token, expected: TokenSet::default() }
                }
                Err(failure) => failure,
            };
            if self.state == Brackets::Unmatched {
                if let Some(repair) = self.brace_after_else(&failure) {
                    let mut repairs = self.block_repairs;
                    repairs.push(repair);
                    return Outcome::Restart(repairs);
                }
                let at_end = failure.token >= self.tokens.end_idx();
                let closes_nothing = self.builder.open.len() == 1
                    && self.kind(failure.token) == Some(TokenKind::CloseCurly)
                    && failure.expected.is_empty();
                if (at_end && self.builder.open.len() > 1 || closes_nothing)
                    && let Some(repair) = self.block_repair()
                {
                    let mut repairs = self.block_repairs;
                    repairs.push(repair);
                    return Outcome::Restart(repairs);
                }
            }
            match self.recover(failure) {
                Some(next) => position = next,
                None => return Outcome::Unmatched,
            }
        }
    }

    fn completed(mut self) -> Outcome<'t> {
        self.drop_explained_errors();
        self.builder.ast.invalid_names = self.invalid_names.into_iter().collect();
        self.builder.ast.invalid_names.sort_unstable();
        Outcome::Complete(Box::new(self.builder), self.errors)
    }

    /// Returns the edit of the first brace of a block that contradicts the indentation.
    fn block_repair(&self) -> Option<BlockRepair> {
        let found = block_edit(self.text, self.tokens, &self.edits)?;
        if self.edits.contains_key(&found.edit.at) {
            return None;
        }
        let error = self.block_error(&found);
        Some(BlockRepair { edit: found.edit, error })
    }

    /// Returns the insertion of the `{` that an `else` lacks, if all brackets match with it.
    fn brace_after_else(&self, failure: &ParseFailure) -> Option<BlockRepair> {
        let keyword = failure.token.previous().filter(|last| self.kind(*last) == Some(TokenKind::Else))?;
        if !failure.expected.contains(TokenKind::OpenCurly) || self.edits.contains_key(&failure.token) {
            return None;
        }
        let edit = TokenEdit { at: failure.token, change: Change::Insert(Terminal::Kind(TokenKind::OpenCurly)) };
        let mut edits = self.edits.clone();
        edits.insert(edit.at, edit.edit());
        match_brackets(self.tokens, &edits)?;
        Some(BlockRepair { edit, error: self.missing_brace_after(keyword) })
    }

    fn parse(&mut self, start: Position, end: TokenIdx) -> Result<Position, ParseFailure> {
        parse_segment(&mut self.builder, &self.edits, start, end)
    }

    /// Closes the innermost block, whose `}` is at `end`. Returns the position after it, or `None` at the end of the file.
    fn close_block(&mut self, end: Position) -> Option<Position> {
        let inserted = self.edits.get(&end.token).is_some_and(|edit| end.fed < edit.terminals.len());
        if !inserted && end.token >= self.tokens.end_idx() {
            return None;
        }
        let next =
            if inserted { Position { token: end.token, fed: end.fed + 1 } } else { Position::before(end.token + 1) };
        let brace = next.token + 1;
        if matches!(self.builder.top().head, Head::If { .. })
            && self.kind(next.token) == Some(TokenKind::Else)
            && self.kind(brace) == Some(TokenKind::OpenCurly)
        {
            self.builder.open_else(brace);
            return Some(Position::before(brace + 1));
        }
        self.builder.close_block(next.token);
        Some(next)
    }

    /// Recovers from a syntax error. Returns the position to continue at, or `None` if that needs brackets that match.
    fn recover(&mut self, failure: ParseFailure) -> Option<Position> {
        self.close_finished_blocks(failure.token);
        self.builder.roll_back();
        let start = self.failing_statement(failure.token);
        let recovery = self.decide(start, failure)?;
        Some(self.carry_out(start, recovery))
    }

    /// Closes the blocks whose `}` was read, but which the parser could not finish because of the token after it.
    fn close_finished_blocks(&mut self, at: TokenIdx) {
        while let Some(brace) = self.builder.top().brace {
            match self.brackets.after_closer(brace) {
                Some(end) if end < at => self.builder.close_block(end),
                Some(end)
                    if end == at && end.previous().and_then(|last| self.kind(last)) == Some(TokenKind::CloseCurly) =>
                {
                    self.builder.close_block(end);
                }
                _ => break,
            }
        }
    }

    /// Returns the first token of the statement that fails at `at`.
    fn failing_statement(&mut self, at: TokenIdx) -> TokenIdx {
        let mut start = self.builder.top().next;
        while start < at {
            match self.edits.get(&start) {
                Some(edit) if edit.is_deletion(start) => start = edit.resume,
                _ if self.kind(start).is_some_and(TokenKind::is_error_whitespace) => start = start + 1,
                _ => break,
            }
        }
        start
    }

    /// Chooses how to continue after the statement at `start` failed, and reports the error.
    fn decide(&mut self, start: TokenIdx, failure: ParseFailure) -> Option<Recovery> {
        if self.state != Brackets::Unmatched
            && let Some((error, head)) = self.block_with_incomplete_head(start)
        {
            self.errors.push(error);
            return Some(Recovery::EnterBlock(head));
        }
        if self.state != Brackets::Unmatched
            && let Some(ForeignStatement { error, rest }) = self.foreign_statement(start, failure.token)
        {
            self.report_foreign(error);
            return Some(match rest {
                Rest::Skip { end, defines } => Recovery::SkipForeign { end: end.max(start + 1), defines },
                Rest::Enter(head) => Recovery::EnterBlock(head),
            });
        }
        let failed = match self.find_end(start, failure) {
            Ok(end) => return Some(Recovery::EndStatementBefore(end)),
            Err(failed) => failed,
        };
        if self.attempts.statement != Some(start) {
            self.attempts = Attempts { statement: Some(start), count: 0 };
        }
        self.attempts.count += 1;
        let failure = self.describe(start, &failed);
        let may_retry = self.attempts.count <= MAX_RETRIES;
        if self.state != Brackets::Unmatched
            && may_retry
            && let Some(replacement) = self.replacement(&failure, &failed)
        {
            self.report_foreign(replacement.error);
            return Some(Recovery::Replace(replacement.edits));
        }
        let edit = if may_retry { self.search_edit(start, &failed) } else { None };
        let likely = |parser: &Self| match edit {
            Some((edit, first)) => parser.edit_error(edit, first, &failure),
            None => diagnose(&failure),
        };
        if self.state != Brackets::Unmatched
            && may_retry
            && let Some(repair) = self.repair_element(start, &failed, edit.map(|(edit, _)| edit))
        {
            let error = if repair.missing_comma { missing_comma(&failure) } else { likely(self) };
            self.report(error, repair.element, failure.at);
            return Some(Recovery::Retry(repair));
        }
        if let Some((edit, first)) = edit {
            self.report(likely(self), first.min(edit.at), failure.at.max(edit.at));
            return Some(Recovery::Edit { edit, first });
        }
        if self.state == Brackets::Unmatched {
            return None;
        }
        // A failure outside the brackets, after an edit inside them, is a consequence of the edit.
        let is_consequence = self.attempts.count > 1 && failure.context.is_none();
        // Entries after a skipped statement: the brace before them is missing, or was skipped.
        let is_orphaned_entry = self.skipped_to == Some(start) && starts_entry(self.tokens, start);
        if !is_consequence && !is_orphaned_entry {
            self.report(diagnose(&failure), start, failure.at);
        }
        if self.kind(start) == Some(TokenKind::Else) && self.kind(start + 1) == Some(TokenKind::If) {
            return Some(Recovery::EnterElseIf);
        }
        Some(match self.broken_block(start, failed.at) {
            Some(head) => Recovery::EnterBlock(head),
            None => {
                let next = failed.next.unwrap_or_else(|| self.next_statement(start, failed.at));
                // At least one token is skipped, so that every error advances the parse.
                Recovery::SkipTo(next.max(start + 1))
            }
        })
    }

    /// Searches for the change of one token that makes the failed statement right. Returns the change, and from where to
    /// parse again: from this statement, from the one before it, or from the head of the block in which it is the first.
    fn search_edit(&mut self, start: TokenIdx, failed: &FailedStatement) -> Option<(TokenEdit, TokenIdx)> {
        if self.state == Brackets::Guessed {
            return None;
        }
        let is_near = |first: &TokenIdx| start - *first <= MAX_PREVIOUS_TOKENS;
        let first = self.builder.last_statement().filter(is_near).unwrap_or(start);
        let head = self.builder.head_of_empty_block().filter(is_near);
        let blocks: Vec<bool> =
            self.builder.open.iter().skip(1).map(|block| matches!(block.head, Head::If { .. })).collect();
        let (at, expected) = failed.first;
        let outer = &blocks[..blocks.len().saturating_sub(1)];
        let cut_site = failed.next.map(|next| (first, &blocks[..], failed.at, failed.cause.expected(), Some(next)));
        let sites = [
            cut_site,
            Some((first, &blocks[..], at, expected, None)),
            head.map(|head| (head, outer, at, expected, None)),
        ];
        let mut best = None;
        for (start, blocks, at, expected, cut) in sites.into_iter().flatten() {
            let edits = &mut self.edits;
            let with_brackets = self.state == Brackets::Unmatched;
            let found = self.search.best(&mut Site { edits, start, blocks, at, expected, cut, with_brackets });
            if let Some((reach, edit)) = found
                && best.is_none_or(|(furthest, _, _)| reach > furthest)
            {
                best = Some((reach, edit, start));
            }
            // A change that leaves brackets without a partner is only kept if no other one does better.
            if cut.is_some() && best.is_some_and(|(reach, _, _)| !with_brackets || reach == Reach::End) {
                break;
            }
        }
        let (_, edit, from) = best?;
        // An operator of another language: its operands are in that language, too.
        if self.kind(edit.at).is_some_and(TokenKind::is_error)
            && OPERAND_CONTINUATION.has(edit.new_kind())
            && !edit.concerns_bracket(None)
        {
            return None;
        }
        // A statement in the wrong place does not make the one around it a block.
        let makes_block =
            matches!(edit.new_kind(), Some(TokenKind::If | TokenKind::For | TokenKind::ForKv | TokenKind::Class));
        if makes_block && matches!(failed.cause, Cause::MisplacedStatement) {
            return None;
        }
        Some((edit, if from == first && edit.at > start { start } else { from }))
    }

    fn carry_out(&mut self, start: TokenIdx, recovery: Recovery) -> Position {
        match recovery {
            Recovery::EndStatementBefore(end) => {
                let top = self.builder.top();
                top.next = top.next.max(end);
                self.resume_position(end, start)
            }
            Recovery::Retry(repair) => {
                self.edits.insert(repair.at, repair.edit);
                self.statement_position(start)
            }
            Recovery::Replace(edits) => {
                // The mistake may be in the statement before.
                let is_before = edits.iter().any(|(at, _)| *at < start);
                let first = self.builder.last_statement().filter(|_| is_before).unwrap_or(start);
                if first < start {
                    self.builder.discard_last_statement();
                }
                self.edits.extend(edits);
                self.statement_position(first)
            }
            Recovery::SkipForeign { end, defines } => {
                self.remember_bare_names(&defines);
                let defines = self.builder.with_mentions(start, defines);
                let span = self.builder.span(start, end);
                let id = self.builder.push_stmt(Stmt::Error { defines: defines.into() }, span);
                self.builder.complete(id, end);
                self.skipped_to = Some(end);
                self.resume_position(end, start)
            }
            Recovery::Edit { edit, first } => {
                if self.builder.top().brace.is_some_and(|brace| first < brace) {
                    self.builder.discard_open_block();
                } else if first < start {
                    self.builder.discard_last_statement();
                }
                self.edits.insert(edit.at, edit.edit());
                self.edited = Some(edit.at);
                let new = edit.new_kind();
                let is_name = matches!(new, Some(TokenKind::Identifier | TokenKind::Capitalized | TokenKind::String));
                let stays = matches!(edit.change, Change::Insert(_));
                let starts_statement =
                    self.starts_statement(edit, start) || edit.at == first && self.starts_statement(edit, first);
                let is_between = !matches!(edit.change, Change::Replace(_));
                let repaired = Repaired { token: edit.at, new, is_between, stays, starts_statement, is_name };
                self.builder.repaired.insert(edit.at, repaired);
                if self.state == Brackets::Unmatched
                    && let Some(brackets) = match_brackets(self.tokens, &self.edits)
                {
                    self.brackets = brackets;
                    self.state = Brackets::Matched;
                }
                self.statement_position(first)
            }
            Recovery::EnterBlock(head) => self.enter_block(start, head),
            Recovery::EnterElseIf => {
                self.builder.top().next = start + 1;
                Position::before(start + 1)
            }
            Recovery::SkipTo(next) => {
                let defines = self.definitions(start, next);
                let span = self.builder.span(start, next);
                let id = self.builder.push_stmt(Stmt::Error { defines: defines.into() }, span);
                self.builder.complete(id, next);
                self.skipped_to = Some(next);
                self.resume_position(next, start)
            }
        }
    }

    /// Returns the position of the first token of a statement, after everything that is inserted there.
    fn statement_position(&self, start: TokenIdx) -> Position {
        Position { token: start, fed: self.brackets.virtually_closed(start).len() }
    }

    /// Returns the position of `next`, without the closers that are inserted there for brackets of the failed statement.
    fn resume_position(&self, next: TokenIdx, start: TokenIdx) -> Position {
        let openers = self.brackets.virtually_closed(next);
        Position { token: next, fed: openers.iter().take_while(|opener| **opener >= start).count() }
    }

    /// Looks for the end of the failed statement: a line that looks like the start of the next one, or the line before
    /// the failure. Returns the token after the statement if it is complete without the rest.
    fn find_end(&mut self, start: TokenIdx, failure: ParseFailure) -> Result<TokenIdx, FailedStatement> {
        let tokens = self.tokens;
        let at = failure.token;
        let last = at.min(tokens.end_idx().previous().unwrap_or_default());
        let next_line = (start + 1).until(last + 1).find(|token| {
            tokens.newline_before(*token) && starts_statement(tokens, *token) && !self.is_replaced(*token)
        });
        let cause = Cause::Unexpected(failure.expected);
        let first = (at, failure.expected);
        let mut failed = FailedStatement { first, at, cause, incomplete: at >= tokens.end_idx(), next: None };
        // Inside brackets that are closed after it, such a line is a statement in the wrong place, not the next one.
        if let Some(line) = next_line.filter(|line| !self.open_brackets(start, *line).is_empty()) {
            failed.at = line;
            failed.cause = Cause::MisplacedStatement;
            return Err(failed);
        }
        let on_new_line = at > start && tokens.newline_before(at);
        let Some(cut) = next_line.or(on_new_line.then_some(at)) else { return Err(failed) };
        match self.parse(self.statement_position(start), cut) {
            Ok(end) if end.token >= cut => return Ok(cut),
            Ok(_) => {}
            Err(shorter) => {
                failed.incomplete = shorter.token >= cut && (next_line.is_some() || self.ends_before(at));
                if next_line.is_some() {
                    failed.at = shorter.token;
                    failed.cause = Cause::Unexpected(shorter.expected);
                    failed.next = next_line;
                }
            }
        }
        self.builder.roll_back();
        Err(failed)
    }

    /// Whether a statement that fails at a token, the first one on its line, lacks something at the end of the line before,
    /// rather than that the token is wrong.
    fn ends_before(&self, at: TokenIdx) -> bool {
        match at.previous().and_then(|last| self.kind(last)) {
            Some(TokenKind::Comma) => false,
            Some(last) if last.is_opener() => false,
            Some(last) if OPERAND_END.contains(last) => STATEMENT_START.has(self.kind(at)),
            _ => true,
        }
    }

    fn describe(&self, start: TokenIdx, failed: &FailedStatement) -> Failure<'t> {
        let at = failed.at;
        Failure {
            file: self.builder.file,
            text: self.text,
            tokens: self.tokens,
            start,
            at,
            incomplete: failed.incomplete,
            context: self.open_brackets(start, at).last().map(|bracket| bracket.context),
            cause: failed.cause,
        }
    }

    /// Reports a construct of another language, which is the cause of the other errors in the tokens that it covers.
    fn report_foreign(&mut self, error: SyntaxError) {
        if self.has_unterminated_string(error.span) {
            return;
        }
        if let SyntaxErrorKind::Habit(habit) = &error.kind {
            if habit.covers.is_none() && self.has_unknown_character(error.span) {
                return;
            }
            self.covers.extend(habit.covers);
            // A file that was written with semicolons has them everywhere.
            if habit.is_reported_once() && std::mem::replace(&mut self.has_reported_once, true) {
                return;
            }
        }
        self.errors.push(error);
    }

    /// Reports an error at the token `at`, unless the tokens from `first` to it contain an error that was already reported.
    fn report(&mut self, error: SyntaxError, first: TokenIdx, at: TokenIdx) {
        let rest_of_line =
            (at + 1).until(self.tokens.end_idx()).take_while(|token| !self.tokens.newline_before(*token));
        let has_lexical_error =
            first.until(at + 1).chain(rest_of_line).filter_map(|token| self.kind(token)).any(TokenKind::is_error);
        let line = first_on_line(self.tokens, first);
        if has_lexical_error || self.brackets.has_edit_between(line, at) {
            return;
        }
        let follows = |edited: TokenIdx| {
            at <= edited + CONSEQUENCE_TOKENS && self.are_on_same_line(self.tokens.start(edited), error.span.start)
        };
        if self.edited.is_some_and(follows) || self.block_repairs.iter().any(|repair| follows(repair.edit.at)) {
            return;
        }
        if self.follows_from_parameter(&error, first)
            || self.follows_from_bare_name(&error)
            || self.is_comma_of_last_entry(&error, at)
            || self.is_known_name(&error)
        {
            return;
        }
        // An error is not repeated on the same line of the same statement.
        let repeats = |last: &SyntaxError| {
            last.kind.code() == error.kind.code()
                && self.are_on_same_line(last.span.start, error.span.start)
                && !self.are_separate_commas(last, &error)
        };
        if self.attempts.count > 1 && self.errors.last().is_some_and(repeats) {
            return;
        }
        self.errors.push(error);
    }

    /// Returns the start of the next statement, or the end of the block.
    fn next_statement(&self, start: TokenIdx, at: TokenIdx) -> TokenIdx {
        let indent = indentation(self.text, self.tokens, first_on_line(self.tokens, start));
        let mut token = start;
        while let Some(kind) = self.kind(token) {
            // Deleted tokens do not count.
            if let Some(edit) = self.edits.get(&token)
                && edit.is_deletion(token)
            {
                token = edit.resume;
                continue;
            }
            let ends_block = kind == TokenKind::CloseCurly
                || self.brackets.virtually_closed(token).iter().any(|opener| *opener < start);
            if token >= at && (ends_block || token > start && self.may_start_statement(token, kind, at, indent)) {
                return token;
            }
            token = match self.brackets.after_closer(token) {
                Some(after) if kind.is_opener() => after,
                _ => token + 1,
            };
        }
        self.tokens.end_idx()
    }

    /// Whether a statement may start at a token after the failure at `at`; `indent` is the indentation of the failed one.
    fn may_start_statement(&self, token: TokenIdx, kind: TokenKind, at: TokenIdx, indent: usize) -> bool {
        if self.tokens.newline_before(token) {
            starts_statement(self.tokens, token)
                || STATEMENT_START.contains(kind) && indentation(self.text, self.tokens, token) <= indent
        } else {
            token > at && STATEMENT_START_IN_LINE.contains(kind) && starts_statement(self.tokens, token)
        }
    }
}
