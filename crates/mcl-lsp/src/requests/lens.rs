//! Code lenses: how often classes and functions are used (spec 11 §3.10).

use lsp_types::CodeLensParams;
use serde_json::{Value, json};

use crate::requests::{Answer, Context};

/// The command of a lens, which a client carries out itself: it shows the places that are its third argument.
const SHOW_REFERENCES: &str = "mclc.showReferences";

impl Context {
    pub(crate) fn lenses(&self, params: &CodeLensParams) -> Answer {
        let path = self.documents.path(params.text_document.uri.as_str());
        let path = path.filter(|path| self.documents.open.contains_key(path));
        let (Some(analysis), Some(path), true) =
            (self.analysis.as_deref(), path, self.client.settings.reference_lenses)
        else {
            return Ok(json!([]));
        };
        let Some(source) = analysis.source(&path) else { return Ok(json!([])) };
        let lens = |(range, uses): (std::ops::Range<u32>, Vec<mcl_analysis::Location>)| {
            let places: Vec<Value> = uses.iter().filter_map(|place| self.location(analysis, place)).collect();
            let title =
                if places.len() == 1 { "1 reference".to_owned() } else { format!("{} references", places.len()) };
            let range = self.range(&source, &range);
            let arguments = json!([params.text_document.uri.as_str(), range["start"], places]);
            json!({"range": range, "command": {"title": title, "command": SHOW_REFERENCES, "arguments": arguments}})
        };
        Ok(analysis.callables(&path).into_iter().map(lens).collect())
    }
}
