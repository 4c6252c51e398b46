//! Semantic tokens (spec 11 §3.7).

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{SemanticTokensDeltaParams, SemanticTokensParams, SemanticTokensRangeParams};
use mcl_analysis::{SemanticToken, Source};
use serde_json::{Value, json};

use crate::convert;
use crate::message::{Reply, RequestError};
use crate::requests::{Answer, Context};

/// How many numbers a token has.
const TOKEN_LENGTH: usize = 5;

/// The tokens that clients have of open documents, so that they can be sent what changed.
#[derive(Default)]
pub(crate) struct SentTokens {
    documents: BTreeMap<PathBuf, (u64, Arc<Vec<u32>>)>,
    last_id: u64,
}

impl SentTokens {
    /// Remembers tokens and returns their id.
    fn keep(&mut self, path: PathBuf, tokens: Arc<Vec<u32>>) -> String {
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
    pub(crate) fn semantic_tokens(
        &self,
        params: &SemanticTokensParams,
        sent: &mut SentTokens,
    ) -> Result<Reply, RequestError> {
        let Some((path, data)) = self.tokens_in(&params.text_document.uri, |_| 0..u32::MAX) else {
            return Ok(json!({"data": []}).into());
        };
        sent.retain_open(self);
        let data = Arc::new(data);
        let id = sent.keep(path, Arc::clone(&data));
        Ok(all(&id, &data))
    }

    /// Returns what changed since an earlier answer, or all tokens if that is not known any more.
    pub(crate) fn semantic_tokens_delta(
        &self,
        params: &SemanticTokensDeltaParams,
        sent: &mut SentTokens,
    ) -> Result<Reply, RequestError> {
        let Some((path, data)) = self.tokens_in(&params.text_document.uri, |_| 0..u32::MAX) else {
            return Ok(json!({"data": []}).into());
        };
        sent.retain_open(self);
        let data = Arc::new(data);
        let known = sent.documents.get(&path).filter(|(id, _)| id.to_string() == params.previous_result_id);
        let edits = known.map(|(_, known)| edits(known, &data));
        let id = sent.keep(path, Arc::clone(&data));
        Ok(match edits {
            Some(edits) => json!({"resultId": id, "edits": edits}).into(),
            None => all(&id, &data),
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
        let mut cursor = source.lines.cursor(&source.text, self.client.encoding);
        for token in tokens {
            for range in lines_of(&source.text, &token.range) {
                let start = cursor.move_to(range.start);
                let end = cursor.move_to(range.end);
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

/// Returns all numbers, written at once: there are a million of them in a large file.
fn all(id: &str, data: &[u32]) -> Reply {
    let mut text = format!("{{\"resultId\":\"{id}\",\"data\":[");
    text.reserve(data.len() * 3);
    for (at, number) in data.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        push_number(&mut text, *number);
    }
    text.push_str("]}");
    Reply::Text(text)
}

/// Writes a number. Most have one digit.
fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
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
fn lines_of(text: &str, range: &Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let mut start = range.start;
    let token = text.get(range.start as usize..range.end as usize).unwrap_or("");
    let lines = token.split_inclusive(['\n', '\r']).map(move |line| {
        let end = start + line.trim_end_matches(['\r', '\n']).len() as u32;
        let part = start..end;
        start += line.len() as u32;
        part
    });
    lines.filter(|line| !line.is_empty())
}

fn modifiers(token: &SemanticToken) -> u32 {
    u32::from(token.is_declaration) | u32::from(token.is_readonly) << 1 | u32::from(token.is_builtin) << 3
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{all, edits};
    use crate::message::Reply;

    #[test]
    fn all_numbers_are_json() {
        let data = [0, 9, 10, 123_456, u32::MAX];
        let Reply::Text(text) = all("7", &data) else { panic!("it is not written yet") };
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), json!({"resultId": "7", "data": data}));
        assert_eq!(all("8", &[]), Reply::Text("{\"resultId\":\"8\",\"data\":[]}".to_owned()));
    }

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
