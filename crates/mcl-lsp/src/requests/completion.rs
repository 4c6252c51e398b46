//! Completion (spec 11 §3.4).

use lsp_types::TextDocumentPositionParams;
use mcl_analysis::{Completion, CompletionKind, Source};
use serde_json::{Value, json};

use crate::requests::{Answer, Context};

impl Context {
    pub(crate) fn completion(&self, params: &TextDocumentPositionParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(params) else { return Ok(Value::Null) };
        let Some(source) = analysis.source(&path) else { return Ok(Value::Null) };
        let items = analysis.completions(&path, offset).into_iter().enumerate();
        let items = items.map(|(at, item)| {
            let mut value = self.completion_item(&source, at, &item);
            if self.client.resolves_documentation && !item.documentation.is_empty() {
                value["data"] = serde_json::to_value(params).unwrap_or_default();
            } else if !item.documentation.is_empty() {
                value["documentation"] = self.documentation(&item);
            }
            value
        });
        Ok(json!({"isIncomplete": false, "items": items.collect::<Value>()}))
    }

    /// Adds the documentation to a completion that was offered.
    pub(crate) fn resolve_completion(&self, mut item: Value) -> Answer {
        let place = item.get("data").cloned();
        let place = place.and_then(|data| serde_json::from_value::<TextDocumentPositionParams>(data).ok());
        if let Some((analysis, path, offset)) = place.as_ref().and_then(|place| self.place(place)) {
            let offered = analysis.completions(&path, offset).into_iter();
            if let Some(offered) = offered.into_iter().find(|offered| item["label"] == offered.label.as_str()) {
                item["documentation"] = self.documentation(&offered);
            }
        }
        Ok(item)
    }

    fn documentation(&self, item: &Completion) -> Value {
        let kind = if self.client.has_markdown { "markdown" } else { "plaintext" };
        json!({"kind": kind, "value": item.documentation})
    }

    fn completion_item(&self, source: &Source, at: usize, item: &Completion) -> Value {
        let kind = match item.kind {
            CompletionKind::Variable => 6,
            CompletionKind::Function => 3,
            CompletionKind::Class | CompletionKind::ResourceKind => 7,
            CompletionKind::Module => 9,
            CompletionKind::Parameter => 10,
            CompletionKind::Keyword => 14,
            CompletionKind::Value => 12,
            CompletionKind::Field => 5,
            CompletionKind::Type => 25,
        };
        let (text, format) =
            match item.snippet.as_deref().filter(|_| self.client.has_snippets && self.client.settings.snippets) {
                Some(snippet) => (snippet, 2),
                None => (item.text.as_str(), 1),
            };
        let mut value = json!({
            "label": item.label,
            "kind": kind,
            "sortText": format!("{at:05}"),
            "filterText": item.label,
            "insertTextFormat": format,
            "textEdit": {"range": self.range(source, &item.replaces), "newText": text},
        });
        if !item.detail.is_empty() {
            value["detail"] = item.detail.as_str().into();
        }
        if let Some((offset, line)) = &item.import {
            value["additionalTextEdits"] = json!([{"range": self.range(source, &(*offset..*offset)), "newText": line}]);
        }
        value
    }
}
