//! Statements that start with a keyword of another language, and blocks that are not enclosed in braces.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::DefinitionKind;
use crate::error::{HabitKind, Instead, StatementError, SyntaxError};
use crate::foreign_keywords::{Role, role, word_operator};
use crate::foreign_kinds::kind_in_lower_case;
use crate::recovery::block::BrokenHead;
use crate::recovery::foreign::{ForeignStatement, Rest};
use crate::recovery::state::RecoveringParser;
use crate::token_set::WORD;

/// The head of a block is at most this many tokens.
const MAX_HEAD_TOKENS: u32 = 200;

impl RecoveringParser<'_> {
    /// `let $x = 3`, `def f(a):`, `unless c {`, …
    pub(super) fn foreign_keyword(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        if self.kind(start) != Some(TokenKind::Identifier) {
            return None;
        }
        let word = self.word_at(start).to_owned();
        if !self.tokens.newline_before(start)
            && start > TokenIdx::FIRST
            && let Some(instead) = word_operator(&word)
        {
            return Some(self.skipped(start, start + 1, HabitKind::WordOperator { word, instead }));
        }
        if matches!(word.as_str(), "elsif" | "elseif" | "elif") {
            let brace = self.brace_on_line(start)?;
            let error = SyntaxError::new(StatementError::ElseIf, self.builder.span(start, start + 1));
            return Some(ForeignStatement { error, rest: Rest::Enter(BrokenHead::of_block(brace, brace)) });
        }
        let role = role(&word)?;
        let next = start + 1;
        let found = self.kind_on_line(next);
        let keyword = |instead| HabitKind::Keyword { word: word.clone(), instead };
        let name = || self.word_at(next).trim_matches(['"', '\'']).to_owned();
        let wants_name = matches!(found, Some(TokenKind::Identifier | TokenKind::Capitalized));
        let is_quoted = matches!(found, Some(TokenKind::String | TokenKind::WrongQuotes));
        let statement = match role {
            Role::Binding => return self.binding_with_keyword(start, word),
            Role::Function if wants_name => {
                let name = name();
                let defines = self.defined(DefinitionKind::Function, next);
                let end = self.end_of_foreign(start);
                self.skipped_to(start, next, end, keyword(Instead::Function { name }), defines)
            }
            Role::Class if wants_name => {
                let mut name_end = next + 1;
                while matches!(self.kind_on_line(name_end), Some(TokenKind::Colon | TokenKind::Identifier)) {
                    name_end = name_end + 1;
                }
                let name = self.text_between(next, name_end).replace("::", "_");
                let kind = keyword(Instead::Class { name });
                match self.brace_on_line(start) {
                    Some(brace) => {
                        let defines = self.defined(DefinitionKind::Class, next);
                        self.entered(start, next, kind, BrokenHead::of_class(brace, name_end, defines))
                    }
                    None => self.skipped(start, next, kind),
                }
            }
            Role::NegatedIf if found.is_some() => self.entered_or_skipped(start, keyword(Instead::NegatedIf)),
            Role::Loop if found.is_some() => self.entered_or_skipped(start, keyword(Instead::Loop)),
            Role::ConditionalLoop if found.is_some() && self.word_at(self.last_on_line(start)) == "do" => {
                let end = self.end_of_words_block(start);
                self.skipped_to(start, next, end, keyword(Instead::NoCondition), Vec::new())
            }
            Role::ConditionalLoop if found.is_some() => self.entered_or_skipped(start, keyword(Instead::NoCondition)),
            Role::Node if is_quoted || wants_name || found == Some(TokenKind::Divide) => {
                let instead = match name().as_str() {
                    "default" => Instead::EveryHost,
                    name => Instead::HostName { name: name.to_owned() },
                };
                self.entered_or_skipped(start, keyword(instead))
            }
            Role::Switch if self.kind(self.last_on_line(start)) == Some(TokenKind::In) => {
                let end = self.end_of_words_block(start);
                self.skipped_to(start, next, end, keyword(Instead::If), Vec::new())
            }
            Role::Switch if found.is_some_and(|found| found != TokenKind::OpenCurly) => {
                self.skipped(start, next, keyword(Instead::If))
            }
            Role::Resource if is_quoted => {
                let second = next + 1;
                let kind = kind_in_lower_case(&name());
                let name = self.word_at(second).trim_matches(['"', '\'']).to_owned();
                let has_name = matches!(self.kind(second), Some(TokenKind::String | TokenKind::WrongQuotes));
                let instead = if has_name {
                    Instead::Resource { kind, name }
                } else {
                    Instead::Resource { kind: "file".to_owned(), name: kind }
                };
                self.skipped(start, next, keyword(instead))
            }
            Role::Resource if wants_name && self.kind_on_line(next + 1) == Some(TokenKind::String) => {
                let kind = kind_in_lower_case(&name());
                let name = self.word_at(next + 1).trim_matches('"').to_owned();
                self.skipped(start, next, keyword(Instead::Resource { kind, name }))
            }
            Role::Variable if is_quoted || found == Some(TokenKind::OpenCurly) => {
                let name = if is_quoted { name() } else { "name".to_owned() };
                self.skipped(start, next, keyword(Instead::Variable { name }))
            }
            Role::Module if is_quoted || wants_name => {
                self.skipped(start, next, keyword(Instead::ModuleImport { name: name() }))
            }
            Role::Block if is_quoted || found == Some(TokenKind::OpenCurly) => {
                self.skipped(start, next, keyword(Instead::NoBlock))
            }
            Role::Throw if found.is_some() => self.skipped(start, next, keyword(Instead::Panic)),
            Role::Print if found == Some(TokenKind::OpenParen) || is_quoted && word != "print" => {
                let text = self.kind(next + 1).filter(|kind| *kind == TokenKind::String);
                let text = match (is_quoted, text) {
                    (true, _) => format!("\"{}\"", name()),
                    (false, Some(_)) => self.word_at(next + 1).to_owned(),
                    (false, None) => "\"…\"".to_owned(),
                };
                self.skipped(start, next, keyword(Instead::Print { text }))
            }
            Role::Return => self.skipped(start, next, HabitKind::Keyword { word, instead: Instead::NoReturn }),
            Role::Import if word == "source" && matches!(found, Some(TokenKind::Dot | TokenKind::Divide)) => {
                let path = self.text_between(next, self.end_of_foreign(start));
                let file = path.rsplit('/').next().unwrap_or(path);
                let module = format!("{}.mcl", file.split('.').next().unwrap_or(file));
                self.skipped(start, next, keyword(Instead::Import { module }))
            }
            Role::Import if is_quoted => self.skipped(start, next, keyword(Instead::Import { module: name() })),
            Role::Import if wants_name && word == "require" => {
                self.skipped(start, next, keyword(Instead::Include { class: name() }))
            }
            Role::Import if wants_name => {
                let end = self.end_of_foreign(start);
                let last = start.until(end).rfind(|token| WORD.has(self.kind(*token)));
                let defines = last.map(|last| self.defined(DefinitionKind::Alias, last)).unwrap_or_default();
                let module = self.word_at(next).to_owned();
                let kind = HabitKind::Keyword { word, instead: Instead::Import { module } };
                self.skipped_to(start, next, end, kind, defines)
            }
            Role::Include if wants_name => {
                let class = self.text_between(next, self.end_of_foreign(start)).replace("::", ".");
                self.skipped(start, next, keyword(Instead::Include { class }))
            }
            Role::Realize if found.is_some() => self.skipped(start, next, keyword(Instead::NoVirtualResources)),
            Role::Inherit if wants_name || found == Some(TokenKind::OpenParen) => {
                self.skipped(start, next, keyword(Instead::VisibleName))
            }
            Role::DeclareOnce if found.is_some() => self.skipped(start, next, keyword(Instead::SameResource)),
            Role::Declare if found.is_some() => self.skipped(start, next, keyword(Instead::Loop)),
            Role::TypeDeclaration if wants_name => self.skipped(start, next, keyword(Instead::NoTypeDeclaration)),
            Role::PackageClause if wants_name => self.skipped(start, next, keyword(Instead::NoPackageClause)),
            Role::Modifier => match found? {
                TokenKind::Func | TokenKind::Class | TokenKind::Dollar | TokenKind::Import => {
                    self.skipped_to(start, next, next, keyword(Instead::NoModifier), Vec::new())
                }
                TokenKind::Identifier | TokenKind::Capitalized => {
                    self.skipped(start, next, keyword(Instead::NoModifier))
                }
                _ => return None,
            },
            Role::Try if found.is_some_and(|found| found != TokenKind::String || word == "with") => {
                self.skipped(start, next, keyword(Instead::Fallback))
            }
            Role::Jump if found.is_none() => self.skipped(start, next, keyword(Instead::NoJump)),
            Role::Mutation if matches!(found, Some(TokenKind::Dollar)) || wants_name => {
                self.skipped(start, next, keyword(Instead::NoMutation))
            }
            Role::Call if wants_name => self.skipped(start, next, keyword(Instead::FunctionCall)),
            Role::Deferral if wants_name || found == Some(TokenKind::Func) => {
                self.skipped(start, next, keyword(Instead::NoDeferral))
            }
            Role::End if found.is_none() => self.skipped(start, next, keyword(Instead::ClosingBrace)),
            _ => return None,
        };
        Some(statement)
    }

    fn entered_or_skipped(&self, start: TokenIdx, kind: HabitKind) -> ForeignStatement {
        match self.brace_on_line(start) {
            Some(brace) => {
                let is_loop = matches!(kind, HabitKind::Keyword { instead: Instead::Loop, .. });
                let variables = if is_loop { start + 1 } else { brace };
                self.entered(start, start + 1, kind, BrokenHead::of_block(brace, variables))
            }
            None => self.skipped(start, start + 1, kind),
        }
    }

    /// `let $x = 3`, `const x = 3`, `let mut x: i32 = 3`.
    fn binding_with_keyword(&mut self, start: TokenIdx, word: String) -> Option<ForeignStatement> {
        let mut name = start + 1;
        while self.word_at(name) == "mut" {
            name = name + 1;
        }
        let has_dollar = self.kind_on_line(name) == Some(TokenKind::Dollar);
        if has_dollar {
            name = name + 1;
        }
        if self.kind_on_line(name) == Some(TokenKind::Capitalized) {
            let written = self.text_between(name, self.end_of_name(name)).to_ascii_lowercase();
            return Some(self.skipped(
                start,
                start + 1,
                HabitKind::Keyword { word, instead: Instead::Binding { name: written } },
            ));
        }
        // `let` of Nix is on a line of its own.
        let on_next_line = word == "let"
            && self.tokens.newline_before(name)
            && WORD.has(self.kind(name))
            && self.kind(name + 1) == Some(TokenKind::Equals);
        if on_next_line {
            let kind = HabitKind::Keyword { word, instead: Instead::Binding { name: self.word_at(name).to_owned() } };
            let (mut end, defines) = (self.end_of_foreign(name), self.variable(name));
            if self.kind(end) == Some(TokenKind::In) {
                // The value may start on the line after it.
                let value = if self.kind_on_line(end + 1).is_none() { end + 1 } else { end };
                end = self.end_of_foreign(value);
            }
            return Some(self.skipped_to(start, name, end, kind, defines));
        }
        if !WORD.has(self.kind_on_line(name)) {
            return None;
        }
        let is_binding = matches!(
            self.kind_on_line(name + 1),
            Some(TokenKind::Equals | TokenKind::Colon | TokenKind::TypeInt | TokenKind::TypeStr | TokenKind::TypeBool)
        );
        if !is_binding && word == "set" {
            return None;
        }
        let kind = HabitKind::Keyword { word, instead: Instead::Binding { name: self.word_at(name).to_owned() } };
        // What follows the keyword is a binding of mcl.
        let end = match self.kind(name + 1) {
            Some(TokenKind::Equals) if has_dollar => start + 1,
            _ => self.end_of_foreign(start),
        };
        let defines = if end > name { self.variable(name) } else { Vec::new() };
        Some(self.skipped_to(start, start + 1, end, kind, defines))
    }

    /// `if c:`, `if c then`, `if [ -f x ]; then`, `else:`, `elsif c {`.
    pub(super) fn foreign_block(&mut self, start: TokenIdx, at: TokenIdx) -> Option<ForeignStatement> {
        let first = self.kind(start)?;
        let starts_block = matches!(
            first,
            TokenKind::If | TokenKind::Else | TokenKind::For | TokenKind::ForKv | TokenKind::Class | TokenKind::Func
        );
        if !starts_block {
            return None;
        }
        if let Some(found) = self.else_without_brace(start) {
            return Some(found);
        }
        let keyword = self.word_at(start).to_owned();
        let operand = self.kind(start + 1);
        let is_shell_test = || {
            let after = self.after(start + 1);
            let then = if self.kind(after) == Some(TokenKind::Semicolon) { after + 1 } else { after };
            matches!(self.kind(start + 2), Some(TokenKind::Minus | TokenKind::OpenBracket))
                || self.word_at(then) == "then"
        };
        if first == TokenKind::If && operand == Some(TokenKind::OpenBracket) && is_shell_test() {
            let end = self.end_of_words_block(start);
            return Some(self.skipped_to(start, start + 2, end, HabitKind::ShellTest, Vec::new()));
        }
        if first == TokenKind::If && self.word_at(at) == "then" && !self.tokens.newline_before(at) {
            let end = self.end_of_words_block(start);
            let mut found = self.skipped_to(start, start + 1, end, HabitKind::Then, Vec::new());
            found.error.span = self.builder.span(at, at + 1);
            return Some(found);
        }
        let last = self.last_on_line(start);
        if matches!(first, TokenKind::For | TokenKind::ForKv) && self.word_at(last) == "do" {
            let end = self.end_of_words_block(start);
            let mut found = self.skipped_to(start, start + 1, end, HabitKind::Do, Vec::new());
            found.error.span = self.builder.span(last, last + 1);
            return Some(found);
        }
        let at = match first {
            // The loop variables are worth an error of their own.
            TokenKind::For | TokenKind::ForKv => at,
            _ => self.last_on_line(start),
        };
        let ends_line = self.kind(at) == Some(TokenKind::Colon)
            && !self.tokens.newline_before(at)
            && (at + 1 >= self.tokens.end_idx() || self.tokens.newline_before(at + 1));
        if ends_line && self.open_brackets(start, at).is_empty() {
            let defines = match first {
                TokenKind::Func => self.defined(DefinitionKind::Function, start + 1),
                TokenKind::Class => self.defined(DefinitionKind::Class, start + 1),
                _ => Vec::new(),
            };
            let end = self.end_of_foreign(start);
            let kind = HabitKind::ColonBeforeBlock { keyword };
            let mut found = self.skipped_to(start, start + 1, end, kind, defines);
            found.error.span = self.builder.span(at, at + 1);
            return Some(found);
        }
        None
    }

    /// `} else print "a" {}`: the statements after it are those of the block around it.
    fn else_without_brace(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let follows_if = self.builder.last_statement().and_then(|last| self.kind(last)) == Some(TokenKind::If);
        let is_broken = self.kind(start) == Some(TokenKind::Else)
            && !matches!(self.kind(start + 1), Some(TokenKind::OpenCurly | TokenKind::If | TokenKind::Colon));
        (follows_if && is_broken).then(|| {
            let rest = Rest::Skip { end: start + 1, defines: Vec::new() };
            ForeignStatement { error: self.missing_brace_after(start), rest }
        })
    }

    /// Creates the error for an `else` without a brace after it.
    pub fn missing_brace_after(&self, keyword: TokenIdx) -> SyntaxError {
        SyntaxError::new(StatementError::ElseWithoutBrace, self.builder.span(keyword, keyword + 1))
    }

    /// Returns the last token on the line of a token.
    fn last_on_line(&self, token: TokenIdx) -> TokenIdx {
        let mut last = token;
        while self.kind_on_line(last + 1).is_some() && last - token < MAX_HEAD_TOKENS {
            last = last + 1;
        }
        last
    }

    /// Returns the end of a block that a word like `fi` ends, at the same indentation as its start.
    pub(super) fn end_of_words_block(&self, start: TokenIdx) -> TokenIdx {
        let mut end = self.end_of_foreign(start);
        let line_end = end;
        while let Some(kind) = self.kind(end) {
            if kind == TokenKind::CloseCurly {
                break;
            }
            if role(self.word_at(end)) == Some(Role::End) {
                return end + 1;
            }
            end = self.end_of_foreign(end).max(end + 1);
        }
        line_end
    }
}
