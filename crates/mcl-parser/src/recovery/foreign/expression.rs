//! Bindings, assignments, types before names and blocks of other languages.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::DefinitionKind;
use crate::error::{HabitKind, Instead};
use crate::foreign_keywords::{Role, role};
use crate::recovery::foreign::ForeignStatement;
use crate::recovery::state::RecoveringParser;
use crate::token_set::{SIMPLE_TYPE, STRING_LIKE, WORD};

/// At most this many tokens are searched for the block of a method call.
const MAX_TOKENS: u32 = 200;

impl RecoveringParser<'_> {
    pub(super) fn foreign_expression_statement(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let found = match self.kind(start)? {
            TokenKind::Dollar => self.foreign_binding(start),
            TokenKind::OpenBracket => self.list_of_variables(start),
            TokenKind::OpenCurly => self.template(start),
            TokenKind::Identifier => self.walrus(start).or_else(|| self.names_to_unpack(start)),
            TokenKind::Struct
                if matches!(self.kind_on_line(start + 1), Some(TokenKind::Identifier | TokenKind::Capitalized)) =>
            {
                let kind = HabitKind::Keyword { word: "struct".to_owned(), instead: Instead::NoTypeDeclaration };
                Some(self.skipped(start, start + 1, kind))
            }
            first if SIMPLE_TYPE.contains(first) => self.type_before_name(start),
            _ => None,
        };
        found.or_else(|| self.block_argument(start))
    }

    /// `[$a, $b] = …`.
    fn list_of_variables(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let after = self.after(start);
        if self.kind_on_line(after)? != TokenKind::Equals {
            return None;
        }
        let names: Vec<TokenIdx> =
            start.until(after).filter(|token| self.kind(*token) == Some(TokenKind::Dollar)).collect();
        let defines = names.into_iter().flat_map(|dollar| self.variable(dollar + 1)).collect();
        let end = self.end_of_foreign(start);
        Some(self.skipped_to(start, after, end, HabitKind::SeveralVariables, defines))
    }

    /// `x, err := f()`, `a, b = 1, 2`.
    fn names_to_unpack(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let mut names = vec![start];
        let mut token = start + 1;
        while self.kind_on_line(token)? == TokenKind::Comma && WORD.has(self.kind_on_line(token + 1)) {
            names.push(token + 1);
            token = token + 2;
        }
        let sign = if self.kind_on_line(token)? == TokenKind::Colon { token + 1 } else { token };
        if names.len() < 2 || self.kind_on_line(sign)? != TokenKind::Equals {
            return None;
        }
        let defines = names.into_iter().flat_map(|name| self.variable(name)).collect();
        let end = self.end_of_foreign(start);
        Some(self.skipped_to(start, token, end, HabitKind::SeveralVariables, defines))
    }

    /// `x := 3`.
    fn walrus(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let is_walrus =
            self.kind_on_line(start + 1)? == TokenKind::Colon && self.kind_on_line(start + 2)? == TokenKind::Equals;
        if !is_walrus {
            return None;
        }
        let kind = HabitKind::Operator { operator: ":=", instead: "a binding is written `$name = …`" };
        let end = self.end_of_foreign(start);
        let defines = self.variable(start);
        Some(self.skipped_to(start, start + 3, end, kind, defines))
    }

    /// `$i = include c`, `$a, $b = …`, `$x[0] = 1`, `$x += 1`, `$x++`.
    fn foreign_binding(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let name = start + 1;
        if !WORD.has(self.kind(name)) {
            return None;
        }
        let after = start + 2;
        match self.kind_on_line(after)? {
            TokenKind::Equals => self.foreign_value(start),
            TokenKind::Comma if self.kind_on_line(after + 1) == Some(TokenKind::Dollar) => {
                Some(self.several_variables(start))
            }
            TokenKind::OpenBracket | TokenKind::Arrow => self.assignment_to_part(start),
            operator @ (TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Multiply
            | TokenKind::Divide
            | TokenKind::Lt) => {
                let second = self.kind_on_line(after + 1)?;
                let is_double =
                    second == operator && matches!(operator, TokenKind::Plus | TokenKind::Minus | TokenKind::Lt);
                let assigns = second == TokenKind::Equals || is_double;
                let variable = self.word_at(name).to_owned();
                (assigns && self.tokens.is_adjacent_to_previous(after + 1))
                    .then(|| self.skipped(start, after + 2, HabitKind::Assignment { variable }))
            }
            _ => None,
        }
    }

    /// `$i = include c`, `$f = file "/a" {`, `$x = match $y {`: the value is marked, and the names are known.
    fn foreign_value(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let (name, value) = (start + 1, start + 3);
        let is_resource = || {
            self.kind_on_line(value) == Some(TokenKind::Identifier)
                && self.kind_on_line(value + 1).is_some_and(|kind| STRING_LIKE.contains(kind))
                && self.kind_on_line(value + 2) == Some(TokenKind::OpenCurly)
        };
        let is_switch = || {
            role(self.word_at(value)) == Some(Role::Switch)
                && self.kind_on_line(value + 1).is_some_and(|kind| kind != TokenKind::OpenParen)
                && self.brace_on_line(value + 1).is_some()
        };
        let is_include = self.kind(value) == Some(TokenKind::Include);
        let kind = if is_include {
            let class = self.text_between(value + 1, self.end_of_foreign(start)).trim().to_owned();
            HabitKind::BoundInclude { alias: self.word_at(name).to_owned(), class }
        } else if is_resource() {
            HabitKind::BoundResource { resource: self.text_between(value, value + 2).to_owned() }
        } else if is_switch() {
            HabitKind::Keyword { word: self.word_at(value).to_owned(), instead: Instead::If }
        } else {
            return None;
        };
        let mut defines = if is_include { self.defined(DefinitionKind::Alias, name) } else { Vec::new() };
        defines.extend(self.variable(name));
        let end = self.end_of_foreign(start);
        let mut found = self.skipped_to(start, start + 2, end, kind, defines);
        found.error.span = self.builder.span(value, value + 1);
        Some(found)
    }

    /// `$a, $b = …`.
    fn several_variables(&mut self, start: TokenIdx) -> ForeignStatement {
        let end = self.end_of_foreign(start);
        let names: Vec<TokenIdx> = start
            .until(end)
            .take_while(|token| self.kind(*token) != Some(TokenKind::Equals))
            .filter(|token| self.kind(*token) == Some(TokenKind::Dollar))
            .collect();
        let defines = names.into_iter().flat_map(|dollar| self.variable(dollar + 1)).collect();
        self.skipped_to(start, start + 5, end, HabitKind::SeveralVariables, defines)
    }

    /// `$x[0] = 1`, `$x->a = 1`.
    fn assignment_to_part(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let variable = self.word_at(start + 1).to_owned();
        let mut token = start + 2;
        loop {
            token = match self.kind_on_line(token)? {
                TokenKind::OpenBracket => self.after(token),
                TokenKind::Arrow => token + 2,
                TokenKind::Equals => return Some(self.skipped(start, token + 1, HabitKind::Assignment { variable })),
                _ => return None,
            };
        }
    }

    /// `int x = 3`, `str $x = "a"`.
    fn type_before_name(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let mut name = start + 1;
        if self.kind_on_line(name) == Some(TokenKind::Dollar) {
            name = name + 1;
        }
        if !WORD.has(self.kind_on_line(name)) {
            return None;
        }
        let (ty, written) = (self.word_at(start).to_owned(), self.word_at(name).to_owned());
        let kind = HabitKind::TypeBeforeName { ty, name: written };
        let is_binding = self.kind(name + 1) == Some(TokenKind::Equals);
        if is_binding && self.kind(start + 1) == Some(TokenKind::Dollar) {
            return Some(self.skipped_to(start, start + 1, start + 1, kind, Vec::new()));
        }
        let defines = self.variable(name);
        Some(self.skipped_to(start, start + 1, self.end_of_foreign(start), kind, defines))
    }

    /// `{% if x %}`, `{{ name }}` as a statement.
    fn template(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let second = start + 1;
        if !self.tokens.is_adjacent_to_previous(second) {
            return None;
        }
        let end = self.end_of_line(start);
        match (self.kind(second)?, self.word_at(second)) {
            (TokenKind::Unrecognized, "%" | "#") => {
                Some(self.skipped_to(start, second + 1, end, HabitKind::TemplateTag, Vec::new()))
            }
            (TokenKind::OpenCurly, _) => Some(self.skipped(start, second + 1, HabitKind::TemplateTag)),
            _ => None,
        }
    }

    /// Returns the first token of the next line.
    fn end_of_line(&self, start: TokenIdx) -> TokenIdx {
        let mut token = start + 1;
        while self.kind_on_line(token).is_some() {
            token = token + 1;
        }
        token
    }

    /// `$l.each |$x| { … }`, `[1, 2].each { |x| … }`, `$l.each do |x|`, anywhere on the line.
    fn block_argument(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let mut token = start + 1;
        let limit = start + MAX_TOKENS;
        while token < limit {
            let kind = self.kind_on_line(token)?;
            if kind == TokenKind::Dot && self.kind_on_line(token + 1) == Some(TokenKind::Identifier) {
                let has_do = self.kind_on_line(token + 2).is_some() && self.word_at(token + 2) == "do";
                let bar = match self.kind_on_line(token + 2) {
                    Some(TokenKind::OpenCurly) => token + 3,
                    Some(TokenKind::Identifier) if has_do => token + 3,
                    _ => token + 2,
                };
                if self.kind_on_line(bar) == Some(TokenKind::Unrecognized) && self.word_at(bar) == "|" {
                    let dollar = self.kind(bar + 1) == Some(TokenKind::Dollar);
                    let name = if dollar { bar + 2 } else { bar + 1 };
                    let variable = match self.kind(name) {
                        Some(TokenKind::Identifier) => self.word_at(name).to_owned(),
                        _ => "value".to_owned(),
                    };
                    let defines = match self.kind(start) {
                        Some(TokenKind::Dollar) if self.kind(start + 2) == Some(TokenKind::Equals) => {
                            self.variable(start + 1)
                        }
                        _ => Vec::new(),
                    };
                    let end = if has_do { self.end_of_words_block(start) } else { self.end_of_foreign(start) };
                    let kind = HabitKind::BlockArgument { variable };
                    let mut found = self.skipped_to(start, start + 1, end, kind, defines);
                    found.error.span = self.builder.span(token, token + 2);
                    return Some(found);
                }
            }
            token = if STRING_LIKE.contains(kind) { token + 1 } else { self.after(token) };
        }
        None
    }
}
