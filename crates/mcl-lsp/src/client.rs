//! What the client can do, and what the server offers it.

use std::path::PathBuf;

use mcl_analysis::Encoding;
use serde_json::{Value, json};

use crate::offered::{ACTION_KINDS, COMMANDS};
use crate::settings::Settings;
use crate::uri;

/// What the client can do.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    pub(crate) has_snippets: bool,
    pub(crate) has_markdown: bool,
    pub(crate) has_links: bool,
    pub(crate) has_symbol_trees: bool,
    pub(crate) has_related_information: bool,
    pub(crate) has_diagnostic_data: bool,
    pub(crate) has_code_actions: bool,
    /// Whether the edit of an action can be asked for later.
    pub(crate) resolves_actions: bool,
    /// Whether the documentation of a completion can be asked for later.
    pub(crate) resolves_documentation: bool,
    pub(crate) has_configuration: bool,
    pub(crate) has_progress: bool,
    pub(crate) settings: Settings,
    pub(crate) prepares_renames: bool,
    pub(crate) has_document_changes: bool,
    /// Whether an edit can create a file.
    pub(crate) creates_files: bool,
    pub(crate) registers_watches: bool,
    /// The folders of the workspace.
    pub(crate) folders: Vec<PathBuf>,
    /// The process whose end is that of the server.
    pub(crate) process: Option<u32>,
}

impl Client {
    /// Reads the parameters of `initialize`. What a client does not say it cannot do.
    pub(crate) fn new(params: &Value) -> Client {
        let can = |path: &str| params.pointer(&format!("/capabilities/{path}")).and_then(Value::as_bool) == Some(true);
        let has = |path: &str| params.pointer(&format!("/capabilities/{path}")).is_some_and(|value| !value.is_null());
        let lists = |path: &str, wanted: &str| {
            let list = params.pointer(&format!("/capabilities/{path}")).and_then(Value::as_array);
            list.is_some_and(|list| list.iter().any(|item| item.as_str() == Some(wanted)))
        };
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let listed = params.get("workspaceFolders").and_then(Value::as_array).into_iter().flatten();
        let mut folders: Vec<&str> = listed.filter_map(|folder| folder.get("uri")?.as_str()).collect();
        if folders.is_empty() {
            folders.extend(params.get("rootUri").and_then(Value::as_str));
        }
        let utf8 = lists("general/positionEncodings", "utf-8");
        Client {
            encoding: if utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            has_snippets: can("textDocument/completion/completionItem/snippetSupport"),
            has_markdown: lists("textDocument/hover/contentFormat", "markdown"),
            has_links: can("textDocument/definition/linkSupport"),
            has_symbol_trees: can("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            has_related_information: can("textDocument/publishDiagnostics/relatedInformation"),
            has_diagnostic_data: can("textDocument/publishDiagnostics/dataSupport"),
            has_code_actions: has("textDocument/codeAction/codeActionLiteralSupport"),
            resolves_actions: lists("textDocument/codeAction/resolveSupport/properties", "edit"),
            resolves_documentation: lists(
                "textDocument/completion/completionItem/resolveSupport/properties",
                "documentation",
            ),
            has_configuration: can("workspace/configuration"),
            has_progress: can("window/workDoneProgress"),
            settings: Settings::default(),
            prepares_renames: can("textDocument/rename/prepareSupport"),
            has_document_changes: can("workspace/workspaceEdit/documentChanges"),
            creates_files: can("workspace/workspaceEdit/documentChanges")
                && lists("workspace/workspaceEdit/resourceOperations", "create"),
            registers_watches: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
            folders: folders.into_iter().filter_map(|uri| uri::to_path(uri, &here)).collect(),
            process: params.get("processId").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok()),
        }
    }

    /// Returns the folder for what is not a file.
    pub(crate) fn folder(&self) -> PathBuf {
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        self.folders.first().cloned().unwrap_or_else(here)
    }

    fn code_actions(&self) -> Value {
        if !self.has_code_actions {
            return json!(false);
        }
        json!({"codeActionKinds": ACTION_KINDS, "resolveProvider": self.resolves_actions})
    }

    /// Returns the answer to `initialize`.
    pub(crate) fn capabilities(&self, version: &str) -> Value {
        let encoding = match self.encoding {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
        };
        let semantic = json!({
            "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS},
            "full": {"delta": true},
            "range": true,
        });
        json!({
            "serverInfo": {"name": "mclc", "version": version},
            "capabilities": {
                "positionEncoding": encoding,
                "textDocumentSync": {"openClose": true, "change": 2, "save": false},
                "hoverProvider": true,
                "definitionProvider": true,
                "declarationProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "workspaceSymbolProvider": true,
                "completionProvider": {
                    "triggerCharacters": ["$", ".", ":", "\"", "[", ">", "/"],
                    "resolveProvider": self.resolves_documentation,
                },
                "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
                "renameProvider": if self.prepares_renames { json!({"prepareProvider": true}) } else { json!(true) },
                "codeActionProvider": self.code_actions(),
                "documentFormattingProvider": true,
                "documentRangeFormattingProvider": true,
                "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "}", "moreTriggerCharacter": ["\n"]},
                "inlayHintProvider": true,
                "codeLensProvider": {"resolveProvider": false},
                "executeCommandProvider": {"commands": COMMANDS},
                "documentLinkProvider": {},
                "callHierarchyProvider": true,
                "foldingRangeProvider": true,
                "selectionRangeProvider": true,
                "semanticTokensProvider": semantic,
                "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
            },
        })
    }
}

/// The legend of semantic tokens, in the order of `TokenClass`.
pub(crate) const TOKEN_TYPES: &[&str] = &[
    "namespace",
    "class",
    "function",
    "variable",
    "parameter",
    "property",
    "keyword",
    "string",
    "number",
    "operator",
    "comment",
    "type",
    "enumMember",
    "macro",
    "event",
    "regexp",
];

/// The modifiers of semantic tokens; the first is bit 0.
pub(crate) const TOKEN_MODIFIERS: &[&str] =
    &["declaration", "readonly", "modification", "defaultLibrary", "deprecated"];
