//! Manifests and templates.

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A manifest.
    Manifest,
    /// An EPP template.
    Template,
}
