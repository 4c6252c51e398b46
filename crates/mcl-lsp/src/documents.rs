//! The documents that are open, and how their texts change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, TextDocumentContentChangeEvent,
};
use mcl_analysis::{Change, Encoding, Position, Workspace};

use crate::uri;

/// An open document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// As the client writes it.
    pub(crate) uri: String,
    pub(crate) version: i32,
}

/// The documents that are open, by the paths that they stand for.
#[derive(Clone, Debug)]
pub(crate) struct Documents {
    pub(crate) open: BTreeMap<PathBuf, Document>,
    /// The programs.
    pub(crate) workspace: Workspace,
    /// The texts of open Puppet manifests and templates.
    pub(crate) manifests: Workspace,
    folder: PathBuf,
}

impl Documents {
    pub(crate) fn new(folder: PathBuf, module_path: Option<PathBuf>) -> Documents {
        Documents {
            open: BTreeMap::new(),
            workspace: Workspace::new(module_path),
            manifests: Workspace::new(None),
            folder,
        }
    }

    pub(crate) fn path(&self, uri: &str) -> Option<PathBuf> {
        uri::to_path(uri, &self.folder)
    }

    /// Returns the texts that a file is one of.
    fn texts(&mut self, path: &Path) -> &mut Workspace {
        if pp_analysis::is_manifest(path) { &mut self.manifests } else { &mut self.workspace }
    }

    /// Returns the address of a file, as the client wrote it if it is open.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.open.get(path).map_or_else(|| uri::from_path(path), |document| document.uri.clone())
    }

    pub(crate) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let uri = document.uri.as_str().to_owned();
        if let Some(path) = self.path(&uri) {
            self.texts(&path).open(path.clone(), &document.text);
            self.open.insert(path, Document { uri, version: document.version });
        }
    }

    /// Returns whether the document is open.
    pub(crate) fn change(&mut self, params: DidChangeTextDocumentParams, encoding: Encoding) -> bool {
        let Some(path) = self.path(params.text_document.uri.as_str()) else { return false };
        let Some(document) = self.open.get_mut(&path) else { return false };
        document.version = params.text_document.version;
        let changes = params.content_changes.into_iter().map(change).collect();
        self.texts(&path).change(&path, changes, encoding)
    }

    pub(crate) fn close(&mut self, params: &DidCloseTextDocumentParams) {
        if let Some(path) = self.path(params.text_document.uri.as_str()) {
            self.texts(&path).close(&path);
            self.open.remove(&path);
        }
    }
}

fn change(event: TextDocumentContentChangeEvent) -> Change {
    let position = |position: lsp_types::Position| Position { line: position.line, character: position.character };
    Change { range: event.range.map(|range| (position(range.start), position(range.end))), text: event.text }
}
