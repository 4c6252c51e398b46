//! x
use crate::MAX_DEPTH;
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};

/// Told once a file.
pub fn too_deep(span: Span, what: &str) -> Diagnostic {
    let place = Span { end: span.end.min(span.start + 1), ..span };
    Diagnostic::error(Code::E0210, Stage::Parse, format!("this {what} nests more than {MAX_DEPTH} levels deep"))
        .at(place)
        .help("give inner parts a name of their own: `$part = …`")
}

/// `Other:noop => true`, `Before => "x"`.
pub fn unknown_capitalized_entry(span: Span, word: &str, colon: bool) -> Diagnostic {
    let error = |message: String| Diagnostic::error(Code::E0206, Stage::Parse, message).at(span);
    if !colon && matches!(word, "Before" | "Notify" | "Depend" | "Listen") {
        return error(format!("`{word}` takes an edge half, like `{word} => File[\"/etc/motd\"]`"));
    }
    let error = error(format!("`{word}` is no entry of a resource"));
    if colon {
        error.help("only `Meta` may stand before a colon, like `Meta:noop => true`")
    } else {
        error.help("capitalised entries are `Meta`, `Before`, `Notify`, `Depend` and `Listen`; fields are lower case")
    }
}
