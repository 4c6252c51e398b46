//! Code actions (spec 11 §3.9).

use std::path::Path;

use lsp_types::CodeActionParams;
use mcl_analysis::{Analysis, FileEdits, QuickFix, Refactoring, RefactoringKind, TextEdit};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::convert;
use crate::diagnostics;
use crate::offered::{EXTRACT, FIX_ALL, INLINE, MOVE, ORGANIZE_IMPORTS, QUICK_FIX, REWRITE};
use crate::requests::{Answer, Context};

/// What an action that is not resolved yet carries.
#[derive(Deserialize)]
struct ActionData {
    uri: String,
    kind: String,
}

impl Context {
    pub(crate) fn code_actions(&self, params: &CodeActionParams) -> Answer {
        let nothing = Ok(json!([]));
        if !self.client.has_code_actions {
            return nothing;
        }
        let (Some(analysis), Some(path)) =
            (self.analysis.as_deref(), self.documents.path(params.text_document.uri.as_str()))
        else {
            return nothing;
        };
        let Some(source) = analysis.source(&path).filter(|_| self.documents.open.contains_key(&path)) else {
            return nothing;
        };
        let only = params.context.only.as_ref();
        let only: Option<Vec<&str>> = only.map(|kinds| kinds.iter().map(lsp_types::CodeActionKind::as_str).collect());
        let is_wanted = |kind: &str| match &only {
            Some(only) => only.iter().any(|wanted| includes(wanted, kind)),
            // Actions of the source are for menus and for saving, not for the place of the cursor.
            None => !matches!(kind, FIX_ALL | ORGANIZE_IMPORTS),
        };
        let mut actions = Vec::new();
        let [start, end] =
            [params.range.start, params.range.end].map(|at| convert::offset(&source, at, self.client.encoding));
        let range = start..end.max(start);
        if is_wanted(QUICK_FIX) {
            let fixes = analysis.quick_fixes(&path, &range);
            actions.extend(fixes.iter().filter_map(|fix| self.quick_fix(analysis, fix)));
        }
        if [EXTRACT, INLINE, REWRITE, MOVE].into_iter().any(is_wanted) {
            let found = analysis.refactorings(&path, &range).into_iter();
            let wanted = found.filter(|of| is_wanted(kind_of(of.kind)));
            actions.extend(wanted.filter_map(|of| self.refactoring(analysis, &of)));
        }
        for (kind, title) in [(FIX_ALL, "fix all that is safe to fix"), (ORGANIZE_IMPORTS, "remove unused imports")] {
            if !is_wanted(kind) {
                continue;
            }
            let mut action = json!({"title": title, "kind": kind});
            if self.client.resolves_actions {
                action["data"] = json!({"uri": params.text_document.uri.as_str(), "kind": kind});
            } else {
                let edits = source_edits(analysis, &path, kind);
                if edits.is_empty() {
                    continue;
                }
                action["edit"] = self.edit_of_file(analysis, &path, &edits).unwrap_or_default();
            }
            actions.push(action);
        }
        Ok(actions.into())
    }

    /// Adds the edit to an action.
    pub(crate) fn resolve_action(&self, mut action: Value) -> Answer {
        let data = action.get("data").cloned().and_then(|data| serde_json::from_value::<ActionData>(data).ok());
        if let Some(ActionData { uri, kind }) = data
            && let (Some(analysis), Some(path)) = (self.analysis.as_deref(), self.documents.path(&uri))
            && let Some(edit) = self.edit_of_file(analysis, &path, &source_edits(analysis, &path, &kind))
        {
            action["edit"] = edit;
        }
        Ok(action)
    }

    fn quick_fix(&self, analysis: &Analysis, fix: &QuickFix) -> Option<Value> {
        let mut action = json!({
            "title": fix.title,
            "kind": QUICK_FIX,
            "isPreferred": fix.is_preferred,
            "edit": self.edit_of_files(analysis, &fix.edits)?,
        });
        if let Some(finding) = diagnostics::of_finding(&fix.finding, &fix.path, analysis, &self.documents, &self.client)
        {
            action["diagnostics"] = json!([finding]);
        }
        Some(action)
    }

    /// `None` for a client that cannot make the edit.
    fn refactoring(&self, analysis: &Analysis, of: &Refactoring) -> Option<Value> {
        let mut edit = self.edit_of_files(analysis, &of.edits)?;
        if let Some((path, text)) = &of.new_file {
            if !self.client.creates_files {
                return None;
            }
            let uri = self.documents.uri(path);
            let start = json!({"line": 0, "character": 0});
            let content = json!([{"range": {"start": start, "end": start}, "newText": text}]);
            let changes = edit.get_mut("documentChanges")?.as_array_mut()?;
            changes.insert(0, json!({"kind": "create", "uri": uri, "options": {"overwrite": false}}));
            changes.insert(1, json!({"textDocument": {"uri": uri, "version": null}, "edits": content}));
        }
        Some(json!({"title": of.title, "kind": kind_of(of.kind), "edit": edit}))
    }

    fn edit_of_files(&self, analysis: &Analysis, edits: &FileEdits) -> Option<Value> {
        let edits: Option<Vec<(&Path, Value)>> =
            edits.iter().map(|(path, edits)| Some((path.as_path(), self.text_edits(analysis, path, edits)?))).collect();
        Some(self.workspace_edit(edits?))
    }

    fn edit_of_file(&self, analysis: &Analysis, path: &Path, edits: &[TextEdit]) -> Option<Value> {
        Some(self.workspace_edit(vec![(path, self.text_edits(analysis, path, edits)?)]))
    }

    /// Returns edits of a file as those of the protocol.
    pub(crate) fn text_edits(&self, analysis: &Analysis, path: &Path, edits: &[TextEdit]) -> Option<Value> {
        let source = analysis.source(path)?;
        let edit =
            |edit: &TextEdit| json!({"range": self.range(&source, &(edit.start..edit.end)), "newText": edit.text});
        Some(edits.iter().map(edit).collect())
    }

    /// Joins the edits of files, with the versions that they are for if the client takes them.
    pub(crate) fn workspace_edit(&self, edits: Vec<(&Path, Value)>) -> Value {
        let edits = edits.into_iter();
        if self.client.has_document_changes {
            let changes = edits.map(|(path, edits)| json!({"textDocument": self.versioned(path), "edits": edits}));
            return json!({"documentChanges": changes.collect::<Value>()});
        }
        let changes: Map<String, Value> = edits.map(|(path, edits)| (self.documents.uri(path), edits)).collect();
        json!({"changes": changes})
    }

    /// Names a document with the version that the edits are for; none for a file that is not open.
    fn versioned(&self, path: &Path) -> Value {
        let version = self.documents.open.get(path).map(|document| document.version);
        json!({"uri": self.documents.uri(path), "version": version})
    }
}

fn source_edits(analysis: &Analysis, path: &Path, kind: &str) -> Vec<TextEdit> {
    match kind {
        FIX_ALL => analysis.fix_all(path),
        ORGANIZE_IMPORTS => analysis.organize_imports(path),
        _ => Vec::new(),
    }
}

fn kind_of(kind: RefactoringKind) -> &'static str {
    match kind {
        RefactoringKind::Extract => EXTRACT,
        RefactoringKind::Inline => INLINE,
        RefactoringKind::Rewrite => REWRITE,
        RefactoringKind::Move => MOVE,
    }
}

/// Whether a kind is another one or below it: `source` includes `source.fixAll.mclc`.
fn includes(wanted: &str, kind: &str) -> bool {
    wanted.is_empty() || kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
