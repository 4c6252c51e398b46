//! The answers to requests (spec 11 §3).

mod actions;
mod calls;
mod commands;
mod completion;
mod lens;
mod rename;
mod symbols;
mod tokens;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    DocumentFormattingParams, DocumentLinkParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams,
    FoldingRangeParams, InlayHintParams, ReferenceParams, SelectionRangeParams, TextDocumentPositionParams,
};
use mcl_analysis::{Analysis, Definition, FoldKind, Hover, Link, Location, Question, Source};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::Client;
use crate::convert;
use crate::documents::Documents;
use crate::formatting;
use crate::manifests;
use crate::message::{Reply, RequestError};
use crate::uri;

pub(crate) use tokens::SentTokens;

/// The state that a request is answered from.
pub(crate) struct Context {
    pub(crate) documents: Documents,
    /// `None` for requests that need only the text.
    pub(crate) analysis: Option<Arc<Analysis>>,
    pub(crate) client: Arc<Client>,
}

type Answer = Result<Value, RequestError>;

/// The request that may take long.
pub(crate) const EXECUTE: &str = "workspace/executeCommand";

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Text,
    Analysis,
}

/// Returns what a request needs; `None` for a method that does not exist.
pub(crate) fn needs(method: &str) -> Option<Needs> {
    Some(match method {
        "textDocument/formatting"
        | "textDocument/rangeFormatting"
        | "textDocument/onTypeFormatting"
        | "textDocument/foldingRange"
        | "textDocument/selectionRange" => Needs::Text,
        "textDocument/hover"
        | "textDocument/definition"
        | "textDocument/declaration"
        | "textDocument/references"
        | "textDocument/documentHighlight"
        | "textDocument/documentSymbol"
        | "workspace/symbol"
        | "textDocument/completion"
        | "textDocument/signatureHelp"
        | "textDocument/inlayHint"
        | "textDocument/documentLink"
        | "textDocument/prepareCallHierarchy"
        | "callHierarchy/incomingCalls"
        | "callHierarchy/outgoingCalls"
        | "textDocument/prepareRename"
        | "textDocument/rename"
        | "textDocument/codeAction"
        | "codeAction/resolve"
        | "completionItem/resolve"
        | "textDocument/codeLens"
        | EXECUTE
        | "textDocument/semanticTokens/full/delta"
        | "textDocument/semanticTokens/full"
        | "textDocument/semanticTokens/range" => Needs::Analysis,
        _ => return None,
    })
}

/// Returns what a request asks about a place, if it does.
fn question(method: &str) -> Option<Question> {
    Some(match method {
        "textDocument/hover" => Question::Hover,
        "textDocument/definition" | "textDocument/declaration" => Question::Definition,
        "textDocument/signatureHelp" => Question::Signature,
        "textDocument/completion" => Question::Completion,
        "textDocument/semanticTokens/full"
        | "textDocument/semanticTokens/full/delta"
        | "textDocument/semanticTokens/range" => Question::Tokens,
        _ => return None,
    })
}

/// Whether a part of the program may be enough to answer a request.
pub(crate) fn may_need_part(method: &str) -> bool {
    question(method).is_some()
}

/// Returns an analysis of the part of the program that a request is about, in the newest texts, if that is enough.
pub(crate) fn part(context: &Context, method: &str, params: &Value) -> Option<Analysis> {
    let question = question(method)?;
    let path = context.documents.path(params.pointer("/textDocument/uri")?.as_str()?)?;
    let source = context.documents.workspace.source(&path)?;
    let offset = match params.get("position") {
        Some(position) => {
            let position = serde_json::from_value(position.clone()).ok()?;
            convert::offset(&source, position, context.client.encoding)
        }
        None => 0,
    };
    context.analysis.as_deref()?.part_for(&context.documents.workspace.sources(), question, &path, offset)
}

/// Answers a request.
///
/// # Errors
/// The error that the client gets in place of a result.
pub(crate) fn answer(
    context: &Context,
    method: &str,
    params: Value,
    sent: &mut SentTokens,
) -> Result<Reply, RequestError> {
    let answer = match method {
        "textDocument/semanticTokens/full" => return context.semantic_tokens(&read(params)?, sent),
        "textDocument/semanticTokens/full/delta" => return context.semantic_tokens_delta(&read(params)?, sent),
        "textDocument/formatting" => context.formatting(read(params)?),
        "textDocument/rangeFormatting" => context.range_formatting(&read(params)?),
        "textDocument/onTypeFormatting" => context.on_type_formatting(&read(params)?),
        "textDocument/foldingRange" => context.folding_ranges(&read(params)?),
        "textDocument/selectionRange" => context.selection_ranges(&read(params)?),
        "textDocument/hover" => context.hover(&read(params)?),
        "textDocument/definition" | "textDocument/declaration" => context.definition(&read(params)?),
        "textDocument/references" => context.references(&read(params)?),
        "textDocument/documentHighlight" => context.highlights(&read(params)?),
        "textDocument/documentSymbol" => context.document_symbols(&read(params)?),
        "workspace/symbol" => context.workspace_symbols(&read(params)?),
        "textDocument/completion" => context.completion(&read(params)?),
        "textDocument/inlayHint" => context.inlay_hints(&read(params)?),
        "textDocument/documentLink" => context.links(&read(params)?),
        "textDocument/prepareCallHierarchy" => context.call_item(&read(params)?),
        "callHierarchy/incomingCalls" => context.incoming_calls(&read(params)?),
        "callHierarchy/outgoingCalls" => context.outgoing_calls(&read(params)?),
        "textDocument/signatureHelp" => context.signature_help(&read(params)?),
        "textDocument/prepareRename" => context.prepare_rename(&read(params)?),
        "textDocument/rename" => context.rename(&read(params)?),
        "textDocument/codeAction" => context.code_actions(&read(params)?),
        "codeAction/resolve" => context.resolve_action(params),
        "completionItem/resolve" => context.resolve_completion(params),
        "textDocument/codeLens" => context.lenses(&read(params)?),
        EXECUTE => context.execute(&read(params)?),
        "textDocument/semanticTokens/range" => context.semantic_tokens_in_range(&read(params)?),
        _ => Err(RequestError::UnknownMethod(method.to_owned())),
    };
    answer.map(Reply::Value)
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, RequestError> {
    Ok(serde_json::from_value(params)?)
}

impl Context {
    /// Returns an open text.
    fn text(&self, uri: &lsp_types::Uri) -> Option<(PathBuf, Source)> {
        let path = self.documents.path(uri.as_str())?;
        let source = self.documents.workspace.source(&path)?;
        Some((path, source))
    }

    /// Returns the place that a request is about, if the document is open.
    fn place(&self, params: &TextDocumentPositionParams) -> Option<(&Analysis, PathBuf, u32)> {
        let analysis = self.analysis.as_deref()?;
        let path = self.documents.path(params.text_document.uri.as_str())?;
        self.documents.open.get(&path)?;
        let source = analysis.source(&path)?;
        let offset = convert::offset(&source, params.position, self.client.encoding);
        Some((analysis, path, offset))
    }

    fn range(&self, source: &Source, range: &std::ops::Range<u32>) -> Value {
        convert::range(source, range, self.client.encoding)
    }

    fn location(&self, analysis: &Analysis, location: &Location) -> Option<Value> {
        let source = analysis.source(&location.path)?;
        Some(json!({"uri": self.documents.uri(&location.path), "range": self.range(&source, &location.range())}))
    }

    fn formatting(&self, params: DocumentFormattingParams) -> Answer {
        match self.text(&params.text_document.uri) {
            Some((_, source)) => formatting::edits(&source, None, self.client.encoding),
            None => Ok(Value::Null),
        }
    }

    fn range_formatting(&self, params: &DocumentRangeFormattingParams) -> Answer {
        let Some((_, source)) = self.text(&params.text_document.uri) else { return Ok(Value::Null) };
        let (first, last) = (params.range.start.line, params.range.end.line);
        let lines = first.saturating_add(1)..=last.max(first).saturating_add(1);
        formatting::edits(&source, Some(lines), self.client.encoding)
    }

    /// Formats the statement that a `}` or the end of a line has closed. While a text is typed it often does not parse, which
    /// is not worth an error.
    fn on_type_formatting(&self, params: &DocumentOnTypeFormattingParams) -> Answer {
        let at = &params.text_document_position;
        let Some((_, source)) = self.text(&at.text_document.uri) else { return Ok(Value::Null) };
        // The position is after the end of the line.
        let line = if params.ch == "\n" { at.position.line } else { at.position.line.saturating_add(1) };
        if line == 0 {
            return Ok(json!([]));
        }
        Ok(formatting::edits(&source, Some(line..=line), self.client.encoding).unwrap_or_else(|_| json!([])))
    }

    fn folding_ranges(&self, params: &FoldingRangeParams) -> Answer {
        let path = self.documents.path(params.text_document.uri.as_str());
        let manifest = path.and_then(|path| self.documents.manifests.source(&path));
        let (source, folds) = match (manifest, self.text(&params.text_document.uri)) {
            (Some(source), _) => {
                let folds = manifests::folds(&source.text);
                (source, folds)
            }
            (None, Some((_, source))) => {
                let folds = mcl_analysis::folds(&source.text);
                (source, folds)
            }
            (None, None) => return Ok(json!([])),
        };
        let folds = folds.into_iter().filter_map(|fold| {
            let start = source.lines.position(&source.text, fold.range.start, self.client.encoding);
            let end = source.lines.position(&source.text, fold.range.end, self.client.encoding);
            // The line of a closing bracket stays visible.
            let last = if fold.kind == FoldKind::Block { end.line.saturating_sub(1) } else { end.line };
            let kind = match fold.kind {
                FoldKind::Block => "region",
                FoldKind::Comment => "comment",
                FoldKind::Imports => "imports",
            };
            (start.line < last).then(|| json!({"startLine": start.line, "endLine": last, "kind": kind}))
        });
        Ok(folds.collect())
    }

    fn selection_ranges(&self, params: &SelectionRangeParams) -> Answer {
        let Some((_, source)) = self.text(&params.text_document.uri) else { return Ok(Value::Null) };
        let of = |position: &lsp_types::Position| {
            let offset = convert::offset(&source, *position, self.client.encoding);
            let ranges = mcl_analysis::selection_ranges(&source.text, offset);
            ranges.iter().rev().fold(Value::Null, |parent, range| match parent {
                Value::Null => json!({"range": self.range(&source, range)}),
                parent => json!({"range": self.range(&source, range), "parent": parent}),
            })
        };
        Ok(params.positions.iter().map(of).collect())
    }

    fn hover(&self, params: &TextDocumentPositionParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(params) else { return Ok(Value::Null) };
        let Some(Hover { range, signature, documentation }) = analysis.hover(&path, offset) else {
            return Ok(Value::Null);
        };
        let (kind, value) = if self.client.has_markdown {
            ("markdown", format!("```mcl\n{signature}\n```\n\n{documentation}"))
        } else {
            ("plaintext", format!("{signature}\n\n{documentation}"))
        };
        let range = analysis.source(&path).map(|source| self.range(&source, &range));
        Ok(json!({"contents": {"kind": kind, "value": value.trim_end()}, "range": range}))
    }

    fn definition(&self, params: &TextDocumentPositionParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(params) else { return Ok(Value::Null) };
        let Some(source) = analysis.source(&path) else { return Ok(Value::Null) };
        let found = analysis.definitions(&path, offset);
        if found.is_empty() {
            return Ok(self.linked_file(analysis, &path, offset));
        }
        let link = |definition: &Definition| {
            if !self.client.has_links {
                return self.location(analysis, &definition.name);
            }
            let target = analysis.source(&definition.name.path)?;
            Some(json!({
                "originSelectionRange": self.range(&source, &(definition.origin.0..definition.origin.1)),
                "targetUri": self.documents.uri(&definition.name.path),
                "targetRange": self.range(&target, &definition.statement.range()),
                "targetSelectionRange": self.range(&target, &definition.name.range()),
            }))
        };
        Ok(found.iter().filter_map(link).collect())
    }

    /// Returns the start of the file that a string names.
    fn linked_file(&self, analysis: &Analysis, path: &Path, offset: u32) -> Value {
        let links = analysis.links(path);
        let Some(link) = links.into_iter().find(|link| link.range.start <= offset && offset <= link.range.end) else {
            return Value::Null;
        };
        let start = json!({"line": 0, "character": 0});
        let (uri, range) = (self.documents.uri(&link.target), json!({"start": start, "end": start}));
        if self.client.has_links {
            return json!([{"targetUri": uri, "targetRange": range, "targetSelectionRange": range}]);
        }
        json!([{"uri": uri, "range": range}])
    }

    fn references(&self, params: &ReferenceParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(&params.text_document_position) else {
            return Ok(json!([]));
        };
        let wanted = params.context.include_declaration;
        let uses = analysis.uses(&path, offset).into_iter().filter(|found| wanted || !found.is_definition);
        Ok(uses.filter_map(|found| self.location(analysis, &found.location)).collect())
    }

    fn highlights(&self, params: &TextDocumentPositionParams) -> Answer {
        let Some((analysis, path, offset)) = self.place(params) else { return Ok(json!([])) };
        let Some(source) = analysis.source(&path) else { return Ok(json!([])) };
        let uses = analysis.uses(&path, offset).into_iter().filter(|found| found.location.path == path);
        let highlight = uses.map(|found| {
            let kind = if found.is_definition { 3 } else { 2 };
            json!({"range": self.range(&source, &found.location.range()), "kind": kind})
        });
        Ok(highlight.collect())
    }

    fn signature_help(&self, params: &TextDocumentPositionParams) -> Answer {
        let found = self.place(params).and_then(|(analysis, path, offset)| analysis.signature_help(&path, offset));
        let Some(help) = found else { return Ok(Value::Null) };
        let parameters: Vec<Value> =
            help.parameters.iter().map(|range| json!({"label": [range.start, range.end]})).collect();
        let kind = if self.client.has_markdown { "markdown" } else { "plaintext" };
        let signature = json!({
            "label": help.label,
            "documentation": {"kind": kind, "value": help.documentation},
            "parameters": parameters,
        });
        Ok(json!({"signatures": [signature], "activeSignature": 0, "activeParameter": help.active}))
    }

    fn inlay_hints(&self, params: &InlayHintParams) -> Answer {
        let start =
            TextDocumentPositionParams { text_document: params.text_document.clone(), position: params.range.start };
        let Some((analysis, path, start)) = self.place(&start) else { return Ok(json!([])) };
        let Some(source) = analysis.source(&path) else { return Ok(json!([])) };
        let end = convert::offset(&source, params.range.end, self.client.encoding);
        let settings = &self.client.settings;
        let is_wanted = |is_type: bool| if is_type { settings.type_hints } else { settings.parameter_hints };
        let hints = analysis.inlay_hints(&path, start..end.max(start)).into_iter();
        let hints = hints.filter(|hint| is_wanted(hint.is_type)).map(|hint| {
            json!({
                "position": convert::position(&source, hint.offset, self.client.encoding),
                "label": hint.label,
                "kind": if hint.is_type { 1 } else { 2 },
                "paddingRight": !hint.is_type,
            })
        });
        Ok(hints.collect())
    }

    fn links(&self, params: &DocumentLinkParams) -> Answer {
        let position = lsp_types::Position::new(0, 0);
        let start = TextDocumentPositionParams { text_document: params.text_document.clone(), position };
        let Some((analysis, path, _)) = self.place(&start) else { return Ok(json!([])) };
        let Some(source) = analysis.source(&path) else { return Ok(json!([])) };
        let links = analysis.links(&path).into_iter();
        let link =
            |link: Link| json!({"range": self.range(&source, &link.range), "target": uri::from_path(&link.target)});
        Ok(links.map(link).collect())
    }
}
