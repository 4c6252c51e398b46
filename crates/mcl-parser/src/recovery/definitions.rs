//! The names that a broken statement seems to define.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{Definition, DefinitionKind};
use crate::builder::module_alias;
use crate::recovery::state::RecoveringParser;
use crate::token_set::WORD;

impl RecoveringParser<'_> {
    /// Returns the definitions of the broken statement `start..end`.
    pub(super) fn definitions(&mut self, start: TokenIdx, end: TokenIdx) -> Vec<Definition> {
        let certain = self.certain_definitions(start, end);
        self.builder.with_mentions(start, certain)
    }

    fn certain_definitions(&mut self, start: TokenIdx, end: TokenIdx) -> Vec<Definition> {
        let first = start + 1;
        let next_is_name = WORD.has(self.kind(first));
        match self.kind(start) {
            Some(TokenKind::Dollar) if next_is_name => {
                vec![self.definition(DefinitionKind::Variable, first, first + 1)]
            }
            Some(TokenKind::Dollar) => vec![self.unnamed(DefinitionKind::Variable, start)],
            // `a = 1`: the dollar sign is missing.
            Some(TokenKind::Identifier) if self.kind(first) == Some(TokenKind::Equals) => {
                vec![self.definition(DefinitionKind::Variable, start, first)]
            }
            Some(TokenKind::Func) if next_is_name => {
                vec![self.definition(DefinitionKind::Function, first, first + 1)]
            }
            Some(TokenKind::Func) => vec![self.unnamed(DefinitionKind::Function, start)],
            Some(TokenKind::Class) => {
                let name_end = self.end_of_class_name(start, end);
                let has_name = name_end > first;
                vec![if has_name {
                    self.definition(DefinitionKind::Class, first, name_end)
                } else {
                    self.unnamed(DefinitionKind::Class, start)
                }]
            }
            // The body is parsed as statements of this block, so the loop variables are defined in it as well.
            Some(TokenKind::For | TokenKind::ForKv) => self.loop_variables(first, end),
            Some(TokenKind::Import | TokenKind::Include) => self.alias(start, end).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn definition(&mut self, kind: DefinitionKind, start: TokenIdx, end: TokenIdx) -> Definition {
        let span = self.builder.span(start, end);
        Definition { kind, name: self.builder.joined_name(start, end), span }
    }

    /// Returns a definition whose name is missing.
    fn unnamed(&mut self, kind: DefinitionKind, keyword: TokenIdx) -> Definition {
        Definition { kind, name: self.builder.intern(""), span: self.builder.span(keyword, keyword + 1) }
    }

    fn loop_variables(&mut self, start: TokenIdx, end: TokenIdx) -> Vec<Definition> {
        let tokens = self.tokens;
        let head = start.until(end).take_while(|token| tokens.kind(*token) != Some(TokenKind::In));
        let is_name = |token: &TokenIdx| {
            WORD.has(tokens.kind(*token))
                && token.previous().and_then(|previous| tokens.kind(previous)) == Some(TokenKind::Dollar)
        };
        head.filter(is_name).map(|token| self.definition(DefinitionKind::Variable, token, token + 1)).collect()
    }

    /// Returns the alias that an `import` or `include` defines, which for an `import` is part of its name by default.
    fn alias(&mut self, start: TokenIdx, end: TokenIdx) -> Option<Definition> {
        let keyword = start.until(end).find(|token| self.kind(*token) == Some(TokenKind::As));
        if let Some(alias) = keyword.map(|keyword| keyword + 1).filter(|alias| *alias < end)
            && (WORD.has(self.kind(alias)) || self.kind(alias) == Some(TokenKind::Multiply))
        {
            return Some(self.definition(DefinitionKind::Alias, alias, alias + 1));
        }
        if let Some(keyword) = keyword {
            return Some(self.unnamed(DefinitionKind::Alias, keyword));
        }
        let module = start + 1;
        if self.kind(start) != Some(TokenKind::Import) {
            return None;
        }
        let last = module_alias(self.tokens.text(self.text, module));
        let is_name =
            matches!(self.kind(module), Some(TokenKind::Identifier | TokenKind::String | TokenKind::WrongQuotes));
        if module >= end || last.is_empty() || !is_name {
            return Some(self.unnamed(DefinitionKind::Alias, start));
        }
        let span = self.builder.span(module, module + 1);
        Some(Definition { kind: DefinitionKind::Alias, name: self.builder.intern(&last), span })
    }
}
