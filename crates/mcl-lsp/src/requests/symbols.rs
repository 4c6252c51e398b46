//! Symbols of a document and of the workspace (spec 11 §3.6).

use std::path::Path;
use std::sync::Arc;

use lsp_types::{DocumentSymbolParams, WorkspaceSymbolParams};
use mcl_analysis::{OutlineItem, OutlineKind, Source};
use serde_json::{Value, json};

use crate::manifests;
use crate::requests::{Answer, Context};

/// The number of symbols that a query returns.
const MAX_SYMBOLS: usize = 200;

impl Context {
    pub(crate) fn document_symbols(&self, params: &DocumentSymbolParams) -> Answer {
        let (Some(analysis), Some(path)) =
            (self.analysis.as_deref(), self.documents.path(params.text_document.uri.as_str()))
        else {
            return Ok(json!([]));
        };
        if let Some(text) = self.documents.manifests.text(&path) {
            let items = manifests::outline(&path, text);
            return Ok(self.symbols_of(&Source::new(Arc::clone(text)), &path, &items));
        }
        let Some(source) = analysis.source(&path).filter(|_| self.documents.open.contains_key(&path)) else {
            return Ok(json!([]));
        };
        Ok(self.symbols_of(&source, &path, &analysis.outline(&path)))
    }

    /// Returns the symbols of a file as a tree, or as a list if the client takes no trees.
    fn symbols_of(&self, source: &Source, path: &Path, items: &[OutlineItem]) -> Value {
        if self.client.has_symbol_trees {
            return items.iter().map(|item| self.symbol(source, item)).collect();
        }
        let uri = self.documents.uri(path);
        let mut flat = Vec::new();
        let mut work: Vec<(&OutlineItem, Option<&str>)> = items.iter().rev().map(|item| (item, None)).collect();
        while let Some((item, container)) = work.pop() {
            let location = json!({"uri": uri, "range": self.range(source, &item.range)});
            flat.push(json!({
                "name": item.name,
                "kind": kind(item.kind),
                "location": location,
                "containerName": container,
            }));
            work.extend(item.children.iter().rev().map(|child| (child, Some(item.name.as_str()))));
        }
        flat.into()
    }

    /// Classes nest at most as deep as trees.
    fn symbol(&self, source: &Source, item: &OutlineItem) -> Value {
        let children: Vec<Value> = item.children.iter().map(|child| self.symbol(source, child)).collect();
        let mut symbol = json!({
            "name": item.name,
            "kind": kind(item.kind),
            "range": self.range(source, &item.range),
            "selectionRange": self.range(source, &item.name_range),
            "children": children,
        });
        if let Some(detail) = &item.detail {
            symbol["detail"] = detail.as_str().into();
        }
        symbol
    }

    pub(crate) fn workspace_symbols(&self, params: &WorkspaceSymbolParams) -> Answer {
        let Some(analysis) = self.analysis.as_deref() else { return Ok(json!([])) };
        let found = analysis.workspace_symbols(&params.query, MAX_SYMBOLS).into_iter();
        let symbols = found.filter_map(|(item, location, container)| {
            Some(json!({
                "name": item.name,
                "kind": kind(item.kind),
                "location": self.location(analysis, &location)?,
                "containerName": container,
            }))
        });
        Ok(symbols.collect())
    }
}

/// Returns the number of a kind in the protocol.
fn kind(kind: OutlineKind) -> u8 {
    match kind {
        OutlineKind::Module => 2,
        OutlineKind::Class => 5,
        OutlineKind::Function => 12,
        OutlineKind::Variable => 13,
        OutlineKind::Resource => 19,
    }
}
