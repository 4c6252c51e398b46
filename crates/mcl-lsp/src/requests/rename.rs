//! New names (spec 11 §3.3).

use lsp_types::{RenameParams, TextDocumentPositionParams};
use mcl_analysis::RenameError;
use serde_json::{Value, json};

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
        let edits =
            edits.iter().filter_map(|(path, edits)| Some((path.as_path(), self.text_edits(analysis, path, edits)?)));
        Ok(self.workspace_edit(edits.collect()))
    }
}
