//! One JSON object per line, the contract that scripts and editors rely on.

use serde::Serialize;

use crate::render::program::Program;
use crate::{Code, FileId, LineCol, Severity, Span, Stage};

/// A diagnostic. The order of the fields is that of the output.
#[derive(Serialize)]
struct Object<'a> {
    code: Code,
    stage: Stage,
    severity: Severity,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    span: Option<Range>,
    labels: Vec<Label<'a>>,
    help: Option<&'a str>,
}

/// A range of positions; lines and columns count from 1, and the end is exclusive.
#[derive(Serialize)]
struct Range {
    start: LineCol,
    end: LineCol,
}

/// An annotated span. The annotation of the primary span, if any, is the first one.
#[derive(Serialize)]
struct Label<'a> {
    file: &'a str,
    span: Range,
    text: &'a str,
}

pub(super) fn render(program: &Program<'_>) -> String {
    let range = |span: Span| Range { start: program.start(span), end: program.end(span) };
    let mut out = String::new();
    for diagnostic in program.diagnostics {
        let primary = diagnostic.span.filter(|_| !diagnostic.span_label.is_empty());
        let places = primary.map(|span| (span, diagnostic.span_label.as_str())).into_iter();
        let places = places.chain(diagnostic.labels.iter().map(|label| (label.span, label.text.as_str())));
        let object = Object {
            code: diagnostic.code,
            stage: diagnostic.stage,
            severity: diagnostic.severity,
            message: &diagnostic.message,
            file: match (diagnostic.span, &diagnostic.path) {
                (None, Some(path)) => Some(path),
                (span, _) => program.files.get(span.map_or(FileId::MAIN, |span| span.file)).map(|file| &*file.name),
            },
            span: diagnostic.span.map(range),
            labels: places
                .map(|(span, text)| Label {
                    file: program.files.get(span.file).map_or("", |file| &file.name),
                    span: range(span),
                    text,
                })
                .collect(),
            help: diagnostic.help.as_deref(),
        };
        out.push_str(&serde_json::to_string(&object).expect("strings and numbers always serialise"));
        out.push('\n');
    }
    out
}
