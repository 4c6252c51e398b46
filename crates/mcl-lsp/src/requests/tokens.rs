//! Semantic tokens (spec 11 §3.7).

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use lsp_types::{SemanticTokensDeltaParams, SemanticTokensParams, SemanticTokensRangeParams};
use mcl_analysis::{SemanticToken, Source};
use serde_json::{Value, json};

use crate::convert;
use crate::requests::{Answer, Context};

/// How many numbers a token has.
const TOKEN_LENGTH: usize = 5;

/// The tokens that clients have of open documents, so that they can be sent what changed.
#[derive(Default)]
pub(crate) struct SentTokens {
    documents: BTreeMap<PathBuf, (u64, Vec<u32>)>,
    last_id: u64,
}

impl SentTokens {
    /// Remembers tokens and returns their id.
    fn keep(&mut self, path: PathBuf, tokens: Vec<u32>) -> String {
        self.last_id += 1;
        self.documents.insert(path, (self.last_id, tokens));
        self.last_id.to_string()
    }

    /// Forgets documents that were closed.
    fn retain_open(&mut self, context: &Context) {
        self.documents.retain(|path, _| context.documents.open.contains_key(path));
    }
}

impl Context {
    pub(crate) fn semantic_tokens(&self, params: &SemanticTokensParams, sent: &mut SentTokens) -> Answer {
        let Some((path, data)) = self.tokens_in(&params.text_document.uri, |_| 0..u32::MAX) else {
            return Ok(json!({"data": []}));
        };
        sent.retain_open(self);
        let id = sent.keep(path, data.clone());
        Ok(json!({"resultId": id, "data": data}))
    }

    /// Returns what changed since an earlier answer, or all tokens if that is not known any more.
    pub(crate) fn semantic_tokens_delta(&self, params: &SemanticTokensDeltaParams, sent: &mut SentTokens) -> Answer {
        let Some((path, data)) = self.tokens_in(&params.text_document.uri, |_| 0..u32::MAX) else {
            return Ok(json!({"data": []}));
        };
        sent.retain_open(self);
        let known = sent.documents.get(&path).filter(|(id, _)| id.to_string() == params.previous_result_id);
        let edits = known.map(|(_, known)| edits(known, &data));
        let id = sent.keep(path, data.clone());
        Ok(match edits {
            Some(edits) => json!({"resultId": id, "edits": edits}),
            None => json!({"resultId": id, "data": data}),
        })
    }

    pub(crate) fn semantic_tokens_in_range(&self, params: &SemanticTokensRangeParams) -> Answer {
        let found = self.tokens_in(&params.text_document.uri, |source| {
            let offset = |position| convert::offset(source, position, self.client.encoding);
            offset(params.range.start)..offset(params.range.end)
        });
        Ok(json!({"data": found.map(|(_, data)| data).unwrap_or_default()}))
    }

    fn tokens_in(&self, uri: &lsp_types::Uri, wanted: impl Fn(&Source) -> Range<u32>) -> Option<(PathBuf, Vec<u32>)> {
        let path = self.documents.path(uri.as_str()).filter(|path| self.documents.open.contains_key(path))?;
        let analysis = self.analysis.as_deref()?;
        let source = analysis.source(&path)?;
        let wanted = wanted(&source);
        let tokens = analysis.semantic_tokens(&path);
        let tokens = tokens.iter().filter(|token| token.range.start < wanted.end && wanted.start < token.range.end);
        let mut data = Vec::new();
        let mut last = (0, 0);
        for token in tokens {
            for range in lines_of(&source.text, &token.range) {
                let start = source.lines.position(&source.text, range.start, self.client.encoding);
                let end = source.lines.position(&source.text, range.end, self.client.encoding);
                let before = if start.line == last.0 { last.1 } else { 0 };
                data.extend([
                    start.line - last.0,
                    start.character - before,
                    end.character - start.character,
                    token.class as u32,
                    modifiers(token),
                ]);
                last = (start.line, start.character);
            }
        }
        Some((path, data))
    }
}

/// Returns the edit of the numbers between the tokens that are the same at both ends; none if all are.
fn edits(old: &[u32], new: &[u32]) -> Value {
    if old == new {
        return json!([]);
    }
    let (old_tokens, new_tokens) = (old.chunks(TOKEN_LENGTH), new.chunks(TOKEN_LENGTH));
    let before = old_tokens.clone().zip(new_tokens.clone()).take_while(|(old, new)| old == new).count();
    let rest = old_tokens.len().min(new_tokens.len()) - before;
    let after = old_tokens.rev().zip(new_tokens.rev()).take(rest).take_while(|(old, new)| old == new).count();
    let (start, end) = (before * TOKEN_LENGTH, after * TOKEN_LENGTH);
    let inserted = &new[start..new.len() - end];
    json!([{"start": start, "deleteCount": old.len() - end - start, "data": inserted}])
}

/// Splits a token by lines.
fn lines_of(text: &str, range: &Range<u32>) -> Vec<Range<u32>> {
    let mut start = range.start;
    let token = text.get(range.start as usize..range.end as usize).unwrap_or("");
    let lines = token.split_inclusive(['\n', '\r']).map(|line| {
        let end = start + line.trim_end_matches(['\r', '\n']).len() as u32;
        let part = start..end;
        start += line.len() as u32;
        part
    });
    lines.filter(|line| !line.is_empty()).collect()
}

fn modifiers(token: &SemanticToken) -> u32 {
    u32::from(token.is_declaration) | u32::from(token.is_readonly) << 1 | u32::from(token.is_builtin) << 3
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::edits;

    #[test]
    fn only_what_changed_is_sent() {
        let token = |n: u32| [n; 5];
        let old = [token(1), token(2), token(3)].concat();
        assert_eq!(edits(&old, &old), json!([]));
        let new = [token(1), token(4), token(3)].concat();
        assert_eq!(edits(&old, &new), json!([{"start": 5, "deleteCount": 5, "data": [4, 4, 4, 4, 4]}]));
        assert_eq!(edits(&old, &token(1)), json!([{"start": 5, "deleteCount": 10, "data": []}]));
        let twice = [token(1), token(1)].concat();
        assert_eq!(edits(&token(1), &twice), json!([{"start": 5, "deleteCount": 0, "data": [1, 1, 1, 1, 1]}]));
    }
}
