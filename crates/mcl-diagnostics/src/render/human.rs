//! Excerpts of the source with the spans marked, drawn by miette.
//!
//! miette expects one source per diagnostic, but a diagnostic may refer to several files. [`Excerpts`] therefore concatenates
//! the files of a diagnostic, the primary one first, and returns the requested part. It also keeps excerpts small and safe:
//! long lines are cut to a window, spans over many lines to their first line, and characters that would disturb a terminal
//! are replaced by others of the same length.

use std::fmt;
use std::sync::{Arc, OnceLock};

use cranelift_entity::PrimaryMap;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};

use crate::render::escape::{harmful, one_line};
use crate::render::program::{Program, Style};
use crate::render::short;
use crate::{Diagnostic, FileId, Severity, SourceFile, Span};

/// Lines of more bytes are cut to a window around the span.
const MAX_LINE_LENGTH: usize = 300;
/// The number of bytes of a long line that are kept on either side of the span.
const LINE_CONTEXT: usize = 80;
/// Spans over this many lines or more are cut to their first line.
const MULTI_LINE_LIMIT: usize = 8;

pub(super) fn render(program: &Program<'_>, style: Style) -> String {
    let theme = match (style.unicode, style.color) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, true) => {
            GraphicalTheme { characters: miette::ThemeCharacters::ascii(), styles: miette::ThemeStyles::ansi() }
        }
        (false, false) => GraphicalTheme::none(),
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(style.width.max(40))
        .with_links(false)
        .with_break_words(false)
        // Commands and paths in help texts stay whole.
        .with_word_separator(textwrap::WordSeparator::AsciiSpace)
        .with_word_splitter(textwrap::WordSplitter::NoHyphenation)
        .without_syntax_highlighting();
    let mut out = String::new();
    let clean: CleanFiles = program.files.files.values().map(|_| OnceLock::new()).collect();
    for diagnostic in in_order_of_reading(program.diagnostics) {
        let report = Report::new(program, &clean, diagnostic);
        if handler.render_report(&mut out, &report).is_err() {
            // Without an excerpt, the diagnostic is still reported.
            let without_excerpt = Program { diagnostics: std::slice::from_ref(diagnostic), ..*program };
            out.push_str(&short::render(&without_excerpt));
        }
        if !out.ends_with("\n\n") {
            out.push('\n');
        }
    }
    out
}

/// Returns the diagnostics by file and place (spec 11 §5); those without a place come last, those at one place by stage.
fn in_order_of_reading(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut ordered: Vec<&Diagnostic> = diagnostics.iter().collect();
    ordered.sort_by_key(|diagnostic| (diagnostic.span.is_none(), diagnostic.span.map(|span| (span.file, span.start))));
    ordered
}

/// Returns the part of the primary span to underline. If the span has no annotation and contains labels, only the part of its
/// first line before the labels is underlined, because nested underlines cannot be told apart. It is empty if a label starts
/// at the same position.
fn before_labels(program: &Program<'_>, diagnostic: &Diagnostic, span: Span) -> Span {
    let inside = |other: &Span| other.file == span.file && span.start <= other.start && other.end <= span.end;
    let labels = diagnostic.labels.iter().map(|label| label.span).filter(|other| inside(other) && *other != span);
    match labels.map(|label| label.start).min() {
        Some(end) if diagnostic.span_label.is_empty() => {
            let head = program.files.text(Span { end, ..span });
            let head = head.lines().next().unwrap_or_default().trim_end();
            Span { end: span.start + head.len() as u32, ..span }
        }
        _ => span,
    }
}

/// Returns whether two spans are on the same line, too far apart to show both.
fn far_apart_on_one_line(program: &Program<'_>, a: Span, b: Span) -> bool {
    /// In bytes.
    const MAX_DISTANCE: u32 = 10_000;
    let between = Span::new(a.file, a.start.min(b.start), a.start.max(b.start));
    a.file == b.file && between.end - between.start > MAX_DISTANCE && !program.files.text(between).contains('\n')
}

/// A file with harmful characters replaced, created when the first diagnostic refers to it.
type CleanFiles = PrimaryMap<FileId, OnceLock<Arc<SourceFile>>>;

/// A diagnostic in the form that miette renders.
#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    message: String,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    excerpts: Excerpts,
}

impl<'a> Report<'a> {
    fn new(program: &Program<'a>, clean: &CleanFiles, diagnostic: &'a Diagnostic) -> Report<'a> {
        let mut excerpts = Excerpts::default();
        let mut labels = Vec::new();
        let mut place = |span: Span, text: &str, primary: bool| {
            let text = (!text.is_empty()).then(|| one_line(text));
            let Some(at) = excerpts.place(program, clean, span) else { return };
            labels.push(if primary {
                LabeledSpan::new_primary_with_span(text, at)
            } else {
                LabeledSpan::new_with_span(text, at)
            });
        };
        let head = diagnostic.span.map(|span| before_labels(program, diagnostic, span));
        // The label that starts there is drawn as the primary span instead.
        let mut hidden = head.filter(|head| head.start == head.end && diagnostic.span != Some(*head));
        if let Some(head) = head.filter(|_| hidden.is_none()) {
            place(head, &diagnostic.span_label, true);
        }
        for label in &diagnostic.labels {
            // miette cannot draw a line of more than 65,535 columns.
            if !diagnostic.span.is_some_and(|primary| far_apart_on_one_line(program, primary, label.span)) {
                let primary = hidden.take_if(|head| (head.file, head.start) == (label.span.file, label.span.start));
                place(label.span, &label.text, primary.is_some());
            }
        }
        let mut message = harmless(&diagnostic.message);
        if diagnostic.span.is_none()
            && let Some(path) = program.path_of(diagnostic)
        {
            message = format!("{message} [{}]", one_line(&path));
        }
        Report { diagnostic, message, help: diagnostic.help.as_deref().map(harmless), labels, excerpts }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(short::head(self.diagnostic)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = _>>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        (!self.labels.is_empty()).then_some(&self.excerpts)
    }
}

/// The concatenated files of a diagnostic.
#[derive(Debug, Default)]
struct Excerpts {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    id: FileId,
    name: String,
    /// The offset of the file in the concatenation.
    base: usize,
    /// The cleaned file; offsets are those of the original.
    file: Arc<SourceFile>,
}

impl Excerpts {
    /// Adds the file of a span, and returns the span in the concatenation, cut to the part that can be shown.
    fn place(&mut self, program: &Program<'_>, clean: &CleanFiles, span: Span) -> Option<SourceSpan> {
        let part = match self.parts.iter().position(|part| part.id == span.file) {
            Some(at) => at,
            None => {
                let source = program.files.get(span.file)?;
                let base = self.parts.last().map_or(0, |last| last.base + last.file.text.len() + 1);
                let file = Arc::clone(clean.get(span.file)?.get_or_init(|| Arc::new(cleaned(source))));
                self.parts.push(Part { id: span.file, name: one_line(&program.shown_name(span.file)), base, file });
                self.parts.len() - 1
            }
        };
        let Part { base, file, .. } = &self.parts[part];
        let text = &*file.text;
        let mut start = floor(text, span.start as usize);
        let mut end = floor(text, span.end as usize).max(start);
        // The end of input is not on a printed line: show the end of the last line instead.
        if start == text.len() && end == start {
            start = text.trim_end_matches('\n').len();
            end = start;
        }
        let (first, last) = (file.line_of(start as u32), file.line_of(end as u32));
        let long = |line: usize| file.line_range(line).len() > MAX_LINE_LENGTH;
        if last - first >= MULTI_LINE_LIMIT || (first..=last).any(long) {
            end = end.min(file.line_range(first).end.max(start));
            end = floor(text, end.min(start + MAX_LINE_LENGTH));
        }
        Some(SourceSpan::from((base + start, end - start)))
    }
}

impl SourceCode for Excerpts {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let at = self.parts.partition_point(|part| part.base <= span.offset()).checked_sub(1);
        let part = at.and_then(|at| self.parts.get(at)).ok_or(MietteError::OutOfBounds)?;
        let text = &*part.file.text;
        let (start, end) = (span.offset() - part.base, span.offset() - part.base + span.len());
        if end > text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let (first, last) = (part.file.line_of(start as u32), part.file.line_of(end as u32));
        let line_start = part.file.line_range(first).start;
        let (from, line, column, to);
        if before == 0 && after == 0 {
            (from, line, to) = (start, first, end);
            column = text[line_start..start].chars().count();
        } else if text[line_start..part.file.line_range(last).end].len() > MAX_LINE_LENGTH && first == last {
            from = floor(text, start.saturating_sub(LINE_CONTEXT).max(line_start));
            to = floor(text, end + LINE_CONTEXT).min(part.file.line_range(last).end);
            (line, column) = (first, 0);
        } else {
            let short_enough = |line: usize| part.file.line_range(line).len() <= MAX_LINE_LENGTH;
            let lines = part.file.line_starts().len();
            let above = (first.saturating_sub(before)..first).rev().take_while(|line| short_enough(*line)).last();
            let below = (last + 1..(last + 1 + after).min(lines)).take_while(|line| short_enough(*line)).last();
            line = above.unwrap_or(first);
            (from, to) = (part.file.line_range(line).start, part.file.line_range(below.unwrap_or(last)).end);
            column = 0;
        }
        Ok(Box::new(MietteSpanContents::new_named(
            part.name.clone(),
            &text.as_bytes()[from..to],
            SourceSpan::from((part.base + from, to - from)),
            line,
            column,
            text[from..to].bytes().filter(|byte| *byte == b'\n').count() + 1,
        )))
    }
}

/// Returns the nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Returns the file with harmful characters replaced by harmless ones of the same length.
fn cleaned(file: &SourceFile) -> SourceFile {
    if !file.text.chars().any(harmful) {
        return file.clone();
    }
    let replace = |c: char| match (harmful(c), c.len_utf8()) {
        (false, _) => c,
        (true, 1) => '?',
        (true, 2) => '¿',
        (true, _) => '\u{fffd}',
    };
    SourceFile::new(file.name.clone(), file.text.chars().map(replace).collect::<String>())
}

/// Escapes the characters that could disturb a terminal, except line breaks.
fn harmless(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}
