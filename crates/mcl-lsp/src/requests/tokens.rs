//! Semantic tokens (spec 11 §3.7).

use std::ops::Range;

use lsp_types::{SemanticTokensParams, SemanticTokensRangeParams};
use mcl_analysis::{SemanticToken, Source};
use serde_json::json;

use crate::convert;
use crate::requests::{Answer, Context};

impl Context {
    pub(crate) fn semantic_tokens(&self, params: &SemanticTokensParams) -> Answer {
        self.tokens_in(&params.text_document.uri, |_| 0..u32::MAX)
    }

    pub(crate) fn semantic_tokens_in_range(&self, params: &SemanticTokensRangeParams) -> Answer {
        self.tokens_in(&params.text_document.uri, |source| {
            let offset = |position| convert::offset(source, position, self.client.encoding);
            offset(params.range.start)..offset(params.range.end)
        })
    }

    fn tokens_in(&self, uri: &lsp_types::Uri, wanted: impl Fn(&Source) -> Range<u32>) -> Answer {
        let path = self.documents.path(uri.as_str()).filter(|path| self.documents.open.contains_key(path));
        let (Some(analysis), Some(path)) = (self.analysis.as_deref(), path) else { return Ok(json!({"data": []})) };
        let Some(source) = analysis.source(&path) else { return Ok(json!({"data": []})) };
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
        Ok(json!({"data": data}))
    }
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
