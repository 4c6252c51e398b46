//! New names (spec 11 §3.3).

use std::path::Path;

use lsp_types::{RenameParams, TextDocumentPositionParams};
use mcl_analysis::{RenameError, TextEdit};
use serde_json::{Map, Value, json};

use crate::message::RequestError;
use crate::requests::{Answer, Context};

impl From<RenameError> for RequestError {
    fn from(error: RenameError) -> RequestError {
        RequestError::Failed(error.to_string())
    }
}

impl Context {
    pub(crate) fn prepare_rename(&self, params: &TextDocumentPositionParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(params) else { return Ok(Value::Null) };
        let (range, name) = analysis.prepare_rename(&path, offset)?;
        let range = analysis.source(&path).map(|source| self.range(&source, &range));
        Ok(json!({"range": range, "placeholder": name}))
    }

    pub(crate) fn rename(&self, params: &RenameParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(&params.text_document_position) else {
            return Ok(Value::Null);
        };
        let edits = analysis.rename(&self.documents.workspace.sources(), &path, offset, &params.new_name)?;
        let edits = edits.iter().filter_map(|(path, edits)| {
            let source = analysis.source(path)?;
            let edit =
                |edit: &TextEdit| json!({"range": self.range(&source, &(edit.start..edit.end)), "newText": edit.text});
            Some((path.as_path(), edits.iter().map(edit).collect::<Value>()))
        });
        if self.client.has_document_changes {
            let changes = edits.map(|(path, edits)| json!({"textDocument": self.versioned(path), "edits": edits}));
            return Ok(json!({"documentChanges": changes.collect::<Value>()}));
        }
        let changes: Map<String, Value> = edits.map(|(path, edits)| (self.documents.uri(path), edits)).collect();
        Ok(json!({"changes": changes}))
    }

    /// Names a document with the version that the edits are for; none for a file that is not open.
    fn versioned(&self, path: &Path) -> Value {
        let version = self.documents.open.get(path).map(|document| document.version);
        json!({"uri": self.documents.uri(path), "version": version})
    }
}
