//! The text of heredocs whose tag says a syntax (spec 07 §5.2).

use pp_ast::{Expr, ExprId};

use crate::mode::Mode;
use crate::parse::parse;
use crate::validate::Validator;
use crate::validate::error::ValidationErrorKind;

impl Validator<'_> {
    /// Checks a text without interpolation. Texts of unknown syntax are not checked.
    pub fn heredoc(&mut self, syntax: &str, text: ExprId) {
        let tree = self.tree;
        let Expr::String(content) = &tree.exprs[text] else { return };
        let content = tree.str(*content);
        let (checker, error) = match syntax {
            "json" => ("JSON", serde_json::from_str::<serde::de::IgnoredAny>(content).err().map(|e| e.to_string())),
            "pp" => ("PP", self.syntax_error(content, Mode::Manifest)),
            "epp" => ("EPP", self.syntax_error(content, Mode::Template)),
            _ => return,
        };
        if let Some(error) = error {
            let kind = ValidationErrorKind::HeredocContent { syntax: syntax.to_owned(), checker, error };
            self.error(kind, tree.ranges[text]);
        }
    }

    fn syntax_error(&self, content: &str, mode: Mode) -> Option<String> {
        let parsed = parse(self.tree.file, content, mode);
        let is_error = |severity| severity == mcl_diagnostics::Severity::Error;
        parsed.diagnostics.into_iter().find(|diagnostic| is_error(diagnostic.severity)).map(|error| error.message)
    }
}
