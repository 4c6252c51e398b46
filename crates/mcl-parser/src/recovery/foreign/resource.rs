//! Resources, edges, classes and imports as Puppet and others write them.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{Definition, DefinitionKind};
use crate::error::{HabitKind, StatementError, SyntaxError};
use crate::foreign_keywords::distance;
use crate::foreign_kinds::{kind_in_edge, kind_in_lower_case};
use crate::recovery::foreign::{ForeignStatement, Rest};
use crate::recovery::state::RecoveringParser;
use crate::token_set::{STRING_LIKE, WORD};

impl RecoveringParser<'_> {
    pub(super) fn foreign_resource(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        match self.kind(start)? {
            TokenKind::Identifier => self
                .resource_title(start)
                .or_else(|| self.lower_case_edge(start))
                .or_else(|| self.typed_list(start))
                .or_else(|| self.resource_in_yaml(start))
                .or_else(|| self.misspelled_import(start))
                .or_else(|| self.call(start)),
            TokenKind::Capitalized => self.resource_reference(start),
            TokenKind::Class => self.class_resource(start),
            TokenKind::Import => self.foreign_import(start),
            TokenKind::Include => self.include_with_bare_arguments(start).or_else(|| self.include_list(start)),
            _ => None,
        }
    }

    /// `file { "/tmp/a": … }`.
    fn resource_title(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let mut name_end = start + 1;
        while self.kind_on_line(name_end) == Some(TokenKind::Colon)
            || self.kind_on_line(name_end) == Some(TokenKind::Identifier)
        {
            name_end = name_end + 1;
        }
        if self.kind(name_end) != Some(TokenKind::OpenCurly) {
            return None;
        }
        let title = name_end + 1;
        let after_title = match self.kind(title)? {
            kind if STRING_LIKE.contains(kind) => title + 1,
            TokenKind::Dollar => title + 2,
            TokenKind::OpenBracket => self.after(title),
            TokenKind::Identifier if self.kind(title + 1) == Some(TokenKind::Colon) => title + 1,
            _ => return None,
        };
        if self.kind(after_title) != Some(TokenKind::Colon) {
            return None;
        }
        let kind = kind_in_lower_case(self.text_between(start, name_end));
        let text = self.text_between(title, after_title).replace('\'', "\"");
        let title = match self.kind(title) {
            Some(TokenKind::Identifier) => format!("\"{text}\""),
            _ => text,
        };
        Some(self.skipped(start, name_end, HabitKind::ResourceTitle { kind, title }))
    }

    /// `file["/tmp/a"] -> exec["x"]`.
    fn lower_case_edge(&self, start: TokenIdx) -> Option<ForeignStatement> {
        if self.kind_on_line(start + 1) != Some(TokenKind::OpenBracket) {
            return None;
        }
        let after = self.brackets.after_closer(start + 1)?;
        if self.kind_on_line(after) != Some(TokenKind::Arrow) && self.word_at(after) != "~" {
            return None;
        }
        let end = self.end_of_foreign(start);
        let found = self.word_at(start).to_owned();
        let written = self.text_between(start, end).replace("~>", "->");
        let suggestion = capitalized_edge(&written);
        Some(self.skipped(start, start + 1, HabitKind::LowerCaseEdge { found, suggestion }))
    }

    /// `File { … }`, `File["a"] { … }`, `File <| |>`, `File "a" { … }`, `File["a"] -> exec["b"]`, `X=1`.
    fn resource_reference(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let kind = self.word_at(start).to_owned();
        match self.kind_on_line(start + 1)? {
            TokenKind::OpenCurly => Some(self.skipped(start, start + 1, HabitKind::ResourceDefaults { kind })),
            TokenKind::Lt | TokenKind::Except if self.kind_on_line(start + 2) != Some(TokenKind::Minus) => {
                Some(self.skipped(start, start + 2, HabitKind::Collector { kind }))
            }
            found if STRING_LIKE.contains(found) => {
                let suggestion =
                    format!("{} {}", kind_in_lower_case(&kind), self.word_at(start + 1).replace('\'', "\""));
                Some(self.skipped(start, start + 1, HabitKind::CapitalizedKind { found: kind, suggestion }))
            }
            TokenKind::Dollar => {
                let words = self.text_between(start + 1, start + 3);
                let is_binding = self.kind_on_line(start + 3) == Some(TokenKind::Equals);
                let suggestion = format!("{} {words}", kind_in_lower_case(&kind));
                let kind = if is_binding {
                    let name = self.word_at(start + 2).to_owned();
                    HabitKind::TypeBeforeName { ty: kind, name }
                } else {
                    HabitKind::CapitalizedKind { found: kind, suggestion }
                };
                Some(self.skipped(start, start + 1, kind))
            }
            TokenKind::OpenBracket => {
                let after = self.brackets.after_closer(start + 1)?;
                match self.kind_on_line(after)? {
                    TokenKind::OpenCurly => Some(self.skipped(start, start + 1, HabitKind::ResourceOverride { kind })),
                    TokenKind::Arrow if self.kind_on_line(after + 1) == Some(TokenKind::Identifier) => {
                        let (other, end) = (after + 1, self.end_of_foreign(start));
                        let suggestion = capitalized_edge(&self.text_between(start, end).replace("~>", "->"));
                        let found = self.word_at(other).to_owned();
                        let mut statement =
                            self.skipped(start, start + 1, HabitKind::LowerCaseEdge { found, suggestion });
                        statement.error.span = self.builder.span(other, other + 1);
                        Some(statement)
                    }
                    _ => None,
                }
            }
            // `X=1`, `MAX=1`: a name in capitals is several tokens.
            TokenKind::Equals | TokenKind::Capitalized | TokenKind::Underscore => {
                let end = self.end_of_name(start);
                if self.kind_on_line(end) != Some(TokenKind::Equals) {
                    return None;
                }
                let suggestion = self.text_between(start, end).to_ascii_lowercase();
                Some(self.skipped(start, end, HabitKind::UpperCaseBinding { suggestion }))
            }
            _ => None,
        }
    }

    /// Returns the token after a name in capitals, which is several tokens.
    pub(super) fn end_of_name(&self, start: TokenIdx) -> TokenIdx {
        let mut end = start + 1;
        while self.kind_on_line(end).is_some() && self.tokens.is_adjacent_to_previous(end) && self.is_name(end) {
            end = end + 1;
        }
        end
    }

    fn is_name(&self, token: TokenIdx) -> bool {
        matches!(
            self.kind(token),
            Some(TokenKind::Capitalized | TokenKind::Identifier | TokenKind::Underscore | TokenKind::Integer)
        )
    }

    /// `class { "foo": … }`, `class a inherits b {`, `class a::b {`.
    fn class_resource(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let next = start + 1;
        if self.kind(next) == Some(TokenKind::OpenCurly) {
            let title = self.kind(next + 1).filter(|kind| STRING_LIKE.contains(*kind))?;
            let class = match title {
                TokenKind::UnterminatedString => return None,
                _ => self.word_at(next + 1).trim_matches(['"', '\'']).replace("::", "."),
            };
            return Some(self.skipped(start, next, HabitKind::ClassResource { class }));
        }
        None
    }

    /// `improt "fmt"`, whose module was not loaded.
    fn misspelled_import(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let word = self.word_at(start).to_owned();
        let (module, after) = (start + 1, start + 2);
        let has_alias = self.kind_on_line(after) == Some(TokenKind::As);
        if distance(&word, "import").is_none()
            || self.kind_on_line(module) != Some(TokenKind::String)
            || !(has_alias || self.kind_on_line(after).is_none())
        {
            return None;
        }
        let defines = if has_alias {
            self.defined(DefinitionKind::Alias, after + 1)
        } else {
            self.module_alias(module).into_iter().collect()
        };
        let error = StatementError::MisspelledKeyword { word, keyword: "import" };
        let error = SyntaxError::new(error, self.builder.span(start, module));
        Some(ForeignStatement { error, rest: Rest::Skip { end: self.end_of_foreign(start), defines } })
    }

    /// `import "a", "b"`, `import ("a" "b")`, `import x from "y"`, `import f "fmt"`, `import "fmt" as "f"`.
    fn foreign_import(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let end = self.end_of_foreign(start);
        let strings: Vec<TokenIdx> = (start + 1)
            .until(end)
            .filter(|token| self.kind(*token).is_some_and(|kind| STRING_LIKE.contains(kind)))
            .collect();
        let module_of = |token: TokenIdx| self.word_at(token).trim_matches(['"', '\'']).to_owned();
        match (self.kind_on_line(start + 1)?, &strings[..]) {
            (kind, [_, second, ..])
                if kind == TokenKind::OpenParen
                    || STRING_LIKE.contains(kind) && self.kind(start + 2) == Some(TokenKind::Comma) =>
            {
                let _ = second;
                let modules: Vec<String> = strings.iter().map(|token| module_of(*token)).collect();
                let defines = strings.iter().filter_map(|token| self.module_alias(*token)).collect();
                Some(self.skipped_to(start, start + 1, end, HabitKind::ImportList { modules }, defines))
            }
            (kind, [module, alias])
                if STRING_LIKE.contains(kind) && self.kind(start + 2) == Some(TokenKind::As) && *alias == start + 3 =>
            {
                let kind = HabitKind::ImportSpelling { module: module_of(*module), alias: module_of(*alias) };
                let name = module_of(*alias);
                let span = self.builder.span(*alias, *alias + 1);
                let name = self.builder.intern(&name);
                // The quoted word may not be the alias that the rest of the file uses.
                let unnamed = self.builder.intern("");
                let defines = [name, unnamed].map(|name| Definition { kind: DefinitionKind::Alias, name, span }).into();
                let mut statement = self.skipped_to(start, start + 1, end, kind, defines);
                statement.error.span = span;
                Some(statement)
            }
            (TokenKind::Identifier | TokenKind::Multiply | TokenKind::OpenCurly, [module]) => {
                let alias = match self.kind(start + 1) {
                    Some(TokenKind::Multiply) if self.kind(start + 2) == Some(TokenKind::As) => start + 3,
                    _ => start + 1,
                };
                let module = module_of(*module);
                let defines = self.defined(DefinitionKind::Alias, alias);
                let name = match self.kind(alias) {
                    Some(TokenKind::Multiply | TokenKind::OpenCurly) => "*".to_owned(),
                    _ => self.word_at(alias).to_owned(),
                };
                let kind = HabitKind::ImportSpelling { module, alias: name };
                Some(self.skipped_to(start, start + 1, end, kind, defines))
            }
            _ => None,
        }
    }

    /// Returns the alias that an import of a module defines by default.
    fn module_alias(&mut self, module: TokenIdx) -> Option<Definition> {
        let path = self.word_at(module).trim_matches(['"', '\'']).trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or("").trim_end_matches(".mcl").to_owned();
        if last.is_empty() {
            return None;
        }
        let span = self.builder.span(module, module + 1);
        Some(Definition { kind: DefinitionKind::Alias, name: self.builder.intern(&last), span })
    }

    /// `include a, b`.
    fn include_list(&self, start: TokenIdx) -> Option<ForeignStatement> {
        if !WORD.has(self.kind_on_line(start + 1)) || self.kind_on_line(start + 2) != Some(TokenKind::Comma) {
            return None;
        }
        let end = self.end_of_foreign(start);
        let names = (start + 1).until(end).filter(|token| WORD.has(self.kind(*token)));
        let classes = names.map(|token| self.word_at(token).to_owned()).collect();
        Some(self.skipped(start, end, HabitKind::IncludeList { classes }))
    }

    /// `[]string{"a"}`: the list is complete before the word.
    fn typed_list(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let closer = start.previous()?;
        let is_list = self.kind(closer) == Some(TokenKind::CloseBracket)
            && closer.previous().and_then(|opener| self.kind(opener)) == Some(TokenKind::OpenBracket)
            && self.tokens.is_adjacent_to_previous(start)
            && self.kind(start + 1) == Some(TokenKind::OpenCurly);
        is_list.then(|| self.skipped(start, start + 1, HabitKind::TypedLiteral { opener: "[…]" }))
    }

    /// `file "/tmp/a":` and its fields below it.
    fn resource_in_yaml(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let colon = start + 2;
        let is_yaml = self.kind_on_line(start + 1).is_some_and(|kind| STRING_LIKE.contains(kind))
            && self.kind_on_line(colon) == Some(TokenKind::Colon)
            && self.tokens.newline_before(colon + 1);
        is_yaml.then(|| self.skipped(start, colon + 1, HabitKind::Yaml))
    }

    /// `name(…)` as all of a statement: its arguments are not looked into.
    fn call(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let paren = start + 1;
        if self.kind_on_line(paren) != Some(TokenKind::OpenParen) || !self.tokens.is_adjacent_to_previous(paren) {
            return None;
        }
        let end = self.brackets.after_closer(paren)?;
        let is_whole = self.kind_on_line(end).is_none_or(|kind| kind == TokenKind::CloseCurly);
        // `file("/tmp/a", state => "exists")`.
        let is_resource = self.kind(paren + 1).is_some_and(|kind| STRING_LIKE.contains(kind))
            && self.kind(paren + 2) == Some(TokenKind::Comma);
        if !is_whole || is_resource {
            return None;
        }
        let error = StatementError::Call { name: self.word_at(start).to_owned() };
        let error = SyntaxError::new(error, self.builder.span(start, end));
        Some(ForeignStatement { error, rest: Rest::Skip { end, defines: Vec::new() } })
    }

    /// `include c "a"`.
    fn include_with_bare_arguments(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let argument = start + 2;
        let found = self.kind_on_line(argument)?;
        let is_value = STRING_LIKE.contains(found) || matches!(found, TokenKind::Dollar | TokenKind::Integer);
        if !WORD.has(self.kind_on_line(start + 1)) || !is_value {
            return None;
        }
        let end = self.end_of_foreign(start);
        let class = self.word_at(start + 1).to_owned();
        let argument = self.text_between(argument, end).to_owned();
        Some(self.skipped(start, start + 2, HabitKind::IncludeArguments { class, argument }))
    }
}

/// Writes the kinds of an edge, which are the words before `[`, as mcl does.
fn capitalized_edge(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut word_start = 0;
    let mut in_brackets = 0u32;
    for c in written.chars() {
        match c {
            '[' => {
                if in_brackets == 0 && word_start < out.len() {
                    let kind = kind_in_edge(&out[word_start..]);
                    out.truncate(word_start);
                    out.push_str(&kind);
                }
                in_brackets += 1;
                out.push(c);
            }
            ']' => {
                in_brackets = in_brackets.saturating_sub(1);
                out.push(c);
            }
            _ => {
                out.push(c);
                if in_brackets == 0 && !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')) {
                    word_start = out.len();
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::capitalized_edge;

    #[test]
    fn the_kinds_of_an_edge_are_capitalized() {
        assert_eq!(capitalized_edge("file[\"a\"] -> exec[\"b c\"]"), "File[\"a\"] -> Exec[\"b c\"]");
        assert_eq!(capitalized_edge("File[\"a\"] -> http:server[$x]"), "File[\"a\"] -> Http:server[$x]");
    }
}
