//! Which classes and functions use each other (spec 11 §3.10).

use lsp_types::{
    CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCallsParams, TextDocumentIdentifier,
    TextDocumentPositionParams,
};
use mcl_analysis::{Analysis, CallItem, CallKind, Calls, Location};
use serde_json::{Value, json};

use crate::requests::{Answer, Context};

impl Context {
    pub(crate) fn call_item(&self, params: &TextDocumentPositionParams) -> Answer {
        let found = self.place(params).and_then(|(analysis, path, offset)| {
            let item = analysis.call_item(&path, offset)?;
            Some(json!([self.hierarchy_item(analysis, &item)?]))
        });
        Ok(found.unwrap_or(Value::Null))
    }

    pub(crate) fn incoming_calls(&self, params: &CallHierarchyIncomingCallsParams) -> Answer {
        let found = self.item_place(&params.item);
        let calls = found.map(|(analysis, path, offset)| (analysis, analysis.incoming_calls(&path, offset)));
        Ok(calls.map_or(Value::Null, |(analysis, calls)| self.calls(analysis, "from", calls)))
    }

    pub(crate) fn outgoing_calls(&self, params: &CallHierarchyOutgoingCallsParams) -> Answer {
        let found = self.item_place(&params.item);
        let calls = found.map(|(analysis, path, offset)| (analysis, analysis.outgoing_calls(&path, offset)));
        Ok(calls.map_or(Value::Null, |(analysis, calls)| self.calls(analysis, "to", calls)))
    }

    /// Returns where the name of an item is, whose file may have been closed.
    fn item_place(&self, item: &CallHierarchyItem) -> Option<(&Analysis, std::path::PathBuf, u32)> {
        self.place(&TextDocumentPositionParams {
            text_document: TextDocumentIdentifier { uri: item.uri.clone() },
            position: item.selection_range.start,
        })
    }

    fn calls(&self, analysis: &Analysis, side: &str, calls: Calls) -> Value {
        let call = |(item, places): (CallItem, Vec<Location>)| {
            let item = self.hierarchy_item(analysis, &item)?;
            let ranges =
                places.iter().filter_map(|place| Some(self.range(&analysis.source(&place.path)?, &place.range())));
            Some(json!({side: item, "fromRanges": ranges.collect::<Value>()}))
        };
        calls.into_iter().filter_map(call).collect()
    }

    fn hierarchy_item(&self, analysis: &Analysis, item: &CallItem) -> Option<Value> {
        let source = analysis.source(&item.location.path)?;
        let kind = match item.kind {
            CallKind::Class => 5,
            CallKind::Function => 12,
            CallKind::File => 1,
        };
        Some(json!({
            "name": item.name,
            "kind": kind,
            "uri": self.documents.uri(&item.location.path),
            "range": self.range(&source, &item.statement.range()),
            "selectionRange": self.range(&source, &item.location.range()),
        }))
    }
}
