//! Names of lints on the command line.

use std::str::FromStr;

use mcl_diagnostics::{Code, LintNameError, LintSelector, nearest};
use pp_analysis::is_pedantic;
use pp_lint::LINTS;

/// Lints, as named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lint {
    /// Lints that are off by default: `pedantic`.
    Pedantic,
    /// A code, the start of codes, `all`, or a name of `puppet-lint`.
    Selected(LintSelector),
}

impl FromStr for Lint {
    type Err = LintNameError;

    fn from_str(name: &str) -> Result<Lint, LintNameError> {
        if name == "pedantic" {
            return Ok(Lint::Pedantic);
        }
        if let Some(code) = puppet_lint(name) {
            return Ok(Lint::Selected(LintSelector::One(code)));
        }
        name.parse().map(Lint::Selected).map_err(|error| match error {
            LintNameError::Unknown { name, nearest: code } => {
                let nearest = nearest(&name, LINTS.iter().map(|lint| lint.name)).map(ToOwned::to_owned).or(code);
                LintNameError::Unknown { name, nearest }
            }
            error @ LintNameError::NotALint(_) => error,
        })
    }
}

impl Lint {
    /// Returns whether the name stands for a lint.
    pub fn matches(&self, code: Code) -> bool {
        match self {
            Lint::Pedantic => is_pedantic(code),
            Lint::Selected(selector) => selector.matches(code),
        }
    }

    /// Returns how specific the name is: the level of the most specific name takes precedence.
    pub fn specificity(&self) -> usize {
        match self {
            Lint::Pedantic => 1,
            Lint::Selected(selector) => selector.specificity(),
        }
    }
}

/// Returns the lint of Puppet manifests with a name of `puppet-lint`.
pub fn puppet_lint(name: &str) -> Option<Code> {
    LINTS.iter().find(|lint| lint.name == name).map(|lint| lint.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_puppet_lint_are_lints() {
        assert_eq!(
            "trailing_comma".parse::<Lint>().ok(),
            puppet_lint("trailing_comma").map(LintSelector::One).map(Lint::Selected)
        );
        let error = "trailing_coma".parse::<Lint>().expect_err("misspelled").to_string();
        assert_eq!(error, "unknown lint `trailing_coma`; did you mean `trailing_comma`?");
    }
}
