//! Statements that recovery has changed: only what is certain of them becomes part of the tree.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{Definition, DefinitionKind, Name, Param, Stmt};
use crate::builder::Builder;
use crate::token_set::WORD;
use mcl_diagnostics::Span;

/// Words that may be names which a broken statement defines are among this many tokens at its start.
const MENTION_TOKENS: u32 = 4;

/// Of a string among these tokens, at most this many words.
const MENTION_WORDS: usize = 8;

/// What recovery has changed in a statement.
#[derive(Clone, Copy, Debug)]
pub struct Repaired {
    /// The token that was replaced or deleted, or before which another one was inserted.
    pub token: TokenIdx,
    /// The kind of the new token.
    pub new: Option<TokenKind>,
    /// Whether the token was deleted or another one was inserted before it, so that the change may belong to the statement
    /// before it.
    pub is_between: bool,
    /// Whether the token stays after what was inserted.
    pub stays: bool,
    /// Whether the new token, which is inserted, starts a statement.
    pub starts_statement: bool,
    /// Whether the new token stands for a name that is unknown.
    pub is_name: bool,
}

impl Builder<'_> {
    /// Returns what recovery has changed in the tokens `l..r`.
    pub(super) fn change_in(&self, l: TokenIdx, r: TokenIdx) -> Option<Repaired> {
        if self.repaired.is_empty() {
            return None;
        }
        let first = l.previous().unwrap_or(l);
        let mut changes = self.repaired.range(first..=r).map(|(_, repaired)| *repaired);
        changes.find(|repaired| {
            let token = repaired.token;
            if token < l {
                // The first token of the statement was deleted.
                repaired.is_between && !repaired.stays && self.tokens.newline_before(token)
            } else if token == r {
                repaired.is_between
                    && !repaired.starts_statement
                    && (repaired.stays || !self.tokens.newline_before(token))
            } else {
                token > l || !repaired.stays || repaired.starts_statement
            }
        })
    }

    /// Returns a complete statement, of the tokens `l..r`, without the parts that recovery has changed.
    pub(super) fn without_changed_parts(&mut self, l: TokenIdx, stmt: Stmt, r: TokenIdx) -> Stmt {
        let Some(changed) = self.change_in(l, r) else { return stmt };
        let start = l;
        let defines = match stmt {
            Stmt::If(_) | Stmt::For(_) | Stmt::ForKv(_) | Stmt::Class(_) => return stmt,
            Stmt::Error { defines } => defines.into_vec(),
            Stmt::Resource(mut resource) => {
                let offset = self.tokens.start(changed.token);
                let mut entries = std::mem::take(&mut resource.entries).into_vec();
                let all = entries.len();
                entries.retain(|entry| !(entry.range.start <= offset && offset <= entry.range.end));
                let is_in_entry = entries.len() < all;
                resource.entries = entries.into();
                if is_in_entry {
                    return Stmt::Resource(resource);
                }
                if offset > resource.kind_range.end {
                    resource.name = self.error_value(changed.token, changed.token + 1);
                    return Stmt::Resource(resource);
                }
                Vec::new()
            }
            Stmt::Bind { name, name_range, .. } => {
                let span = name_range.in_file(self.file);
                vec![Definition { kind: DefinitionKind::Variable, name, span }]
            }
            Stmt::Func { name, name_range, .. } => {
                let span = name_range.in_file(self.file);
                vec![Definition { kind: DefinitionKind::Function, name, span }]
            }
            Stmt::Import(import) if import.alias.is_none() => {
                let span = import.module_span;
                let quoted = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
                let alias = if changed.is_name { String::new() } else { module_alias(quoted) };
                let name = self.intern(&alias);
                vec![Definition { kind: DefinitionKind::Alias, name, span }]
            }
            Stmt::Include(include) => defined_alias(include.alias),
            Stmt::Import(import) => defined_alias(import.alias),
            Stmt::Panic { .. } | Stmt::Edge(_) => Vec::new(),
        };
        let defines = defines.into_iter().map(|definition| self.without_changed_name(changed, definition)).collect();
        Stmt::Error { defines: self.with_mentions(start, defines).into() }
    }

    /// Opens a block whose head recovery has changed; it defines the variables of the parameters.
    pub(super) fn open_changed(
        &mut self,
        changed: Repaired,
        l: TokenIdx,
        class: Option<Definition>,
        params: Vec<Param>,
        r: TokenIdx,
    ) {
        let class = class.map(|class| self.without_changed_name(changed, class));
        let defines = self.with_mentions(l, class.into_iter().collect());
        let words = defines.iter().filter(|definition| definition.kind == DefinitionKind::Mention);
        let words: Vec<_> = words.map(|word| (word.name, word.span)).collect();
        let span = self.span(l, r);
        let head = self.push_stmt(Stmt::Error { defines: defines.into() }, span);
        self.complete(head, l);
        let has_string = l.until(r).any(|token| self.tokens[token] == TokenKind::UnterminatedString);
        let mut variables = self.variables_between(l, r);
        // The parameters may be in a string whose quote is broken.
        variables.extend(words.into_iter().filter(|_| has_string));
        for Param { name, span, .. } in params {
            let variable = Definition { kind: DefinitionKind::Variable, name, span };
            variables.push((self.without_changed_name(changed, variable).name, span));
        }
        self.open_with_error(l, variables, r);
    }

    /// Removes the name of a definition if recovery has inserted it.
    fn without_changed_name(&mut self, changed: Repaired, definition: Definition) -> Definition {
        if changed.is_name && self.ast.name(definition.name) == self.token_text(changed.token) {
            return Definition { name: self.intern(""), ..definition };
        }
        definition
    }

    /// Adds the words at the start of a broken statement, any of which may be the name that it defines.
    pub fn with_mentions(&mut self, start: TokenIdx, mut defines: Vec<Definition>) -> Vec<Definition> {
        let kind = DefinitionKind::Mention;
        for token in start.until(start + MENTION_TOKENS) {
            if token > start && self.tokens.newline_before(token) {
                break;
            }
            let span = self.span(token, token + 1);
            match self.tokens.kind(token) {
                found if WORD.has(found) => {
                    let name = self.word(token);
                    defines.push(Definition { kind, name, span });
                }
                Some(TokenKind::String | TokenKind::WrongQuotes | TokenKind::UnterminatedString) => {
                    let text = self.token_text(token);
                    let name = self.intern(&module_alias(text));
                    defines.push(Definition { kind, name, span });
                    // If a quote is broken, strings and code may have changed places.
                    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').take(MENTION_WORDS) {
                        let name = self.intern(word);
                        defines.push(Definition { kind, name, span });
                    }
                }
                _ => {}
            }
        }
        defines.retain(|definition| definition.kind != kind || !self.ast.name(definition.name).is_empty());
        defines
    }
}

/// Returns what an `include` or `import` with this alias defines.
fn defined_alias(alias: Option<(Name, Span)>) -> Vec<Definition> {
    alias.map(|(name, span)| Definition { kind: DefinitionKind::Alias, name, span }).into_iter().collect()
}

/// Returns the alias that the import of a module has by default; `quoted` is its name in quotes.
pub fn module_alias(quoted: &str) -> String {
    let path = quoted.trim_matches(['"', '\'', '`']).trim_end_matches('/');
    path.rsplit('/').next().unwrap_or("").trim_end_matches(".mcl").replace('-', "_")
}
