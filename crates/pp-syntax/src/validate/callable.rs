//! What has parameters.

/// What has parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callable {
    Class,
    Define,
    Function,
    Lambda,
    Template,
}

impl Callable {
    /// Returns how messages name it.
    pub fn label(self) -> &'static str {
        match self {
            Callable::Class => "Host Class Definition",
            Callable::Define => "'define' expression",
            Callable::Function => "Function Definition",
            Callable::Lambda => "Lambda",
            Callable::Template => "Epp Template",
        }
    }
}
