//! Templates in ERB that were parsed.

use std::rc::Rc;

use mcl_diagnostics::FileId;

/// A template, parsed once in a compilation.
#[derive(Clone, Debug)]
pub(crate) struct ErbTemplate {
    /// The file that spans refer to.
    pub file: FileId,
    pub parsed: ParsedTemplate,
}

/// What renders a template.
#[derive(Clone, Debug)]
pub(crate) enum ParsedTemplate {
    Native(Rc<pp_erb::Template>),
    /// The installed Ruby: it has something that is refused here.
    Ruby,
}
