//! Names of lints, and the levels that are set for them.

use std::fmt;
use std::str::FromStr;

use crate::{Code, all_codes, nearest};

/// The lints that a name stands for: `W0101`, `W01`, or `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LintSelector {
    /// All lints: `all`, or `warnings`.
    All,
    /// All lints whose code starts with this text.
    Prefix(String),
    /// One lint.
    One(Code),
}

/// What becomes of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintLevel {
    /// It is a warning.
    Warn,
    /// It is not reported.
    Allow,
    /// It is an error.
    Deny,
}

/// A setting that names a certain lint, in the order of precedence: the last one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LevelSetting {
    /// How specific the name is, as [`LintSelector::specificity`] returns it.
    pub specificity: usize,
    /// Whether it is a setting of the command line or the editor, not of the project.
    pub is_client: bool,
    /// The level.
    pub level: LintLevel,
}

impl LevelSetting {
    /// Returns the settings in a list that name a lint.
    pub fn of(code: Code, list: &[(LintSelector, LintLevel)], is_client: bool) -> impl Iterator<Item = LevelSetting> {
        let named = list.iter().filter(move |(selector, _)| selector.matches(code));
        named.map(move |(selector, level)| LevelSetting {
            specificity: selector.specificity(),
            is_client,
            level: *level,
        })
    }

    /// Returns the level of a lint with these settings. `is_off` says whether it is off by default; what denies all warnings does
    /// not turn it on.
    pub fn decide(settings: impl Iterator<Item = LevelSetting>, is_off: bool) -> Option<LintLevel> {
        let turns_on = |setting: &LevelSetting| !is_off || setting.level != LintLevel::Deny || setting.specificity > 0;
        settings.filter(turns_on).max().map(|setting| setting.level)
    }
}

/// Why a name does not stand for a lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LintNameError {
    /// It is the code of an error.
    NotALint(String),
    /// No lint has this name.
    Unknown {
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
}

impl fmt::Display for LintNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LintNameError::NotALint(code) => {
                write!(f, "`{code}` is not a lint: only lints can be allowed, warned about or denied")
            }
            LintNameError::Unknown { name, nearest: None } => write!(f, "unknown lint `{name}`"),
            LintNameError::Unknown { name, nearest: Some(lint) } => {
                write!(f, "unknown lint `{name}`; did you mean `{lint}`?")
            }
        }
    }
}

impl std::error::Error for LintNameError {}

impl FromStr for LintSelector {
    type Err = LintNameError;

    fn from_str(name: &str) -> Result<LintSelector, LintNameError> {
        if name == "all" || name == "warnings" {
            return Ok(LintSelector::All);
        }
        let upper = name.to_uppercase();
        match Code::from_name(&upper) {
            Some(code) if code.is_lint() => Ok(LintSelector::One(code)),
            Some(_) => Err(LintNameError::NotALint(upper)),
            None if !upper.is_empty() && all_lints().any(|lint| lint.starts_with(&upper)) => {
                Ok(LintSelector::Prefix(upper))
            }
            None => {
                let nearest = nearest(&upper, all_lints()).map(ToOwned::to_owned);
                Err(LintNameError::Unknown { name: name.to_owned(), nearest })
            }
        }
    }
}

fn all_lints() -> impl Iterator<Item = &'static str> {
    all_codes().filter(|code| code.is_lint()).map(Code::name)
}

impl LintSelector {
    /// Returns whether it stands for this lint.
    #[must_use]
    pub fn matches(&self, code: Code) -> bool {
        match self {
            LintSelector::All => true,
            LintSelector::Prefix(prefix) => code.name().starts_with(prefix.as_str()),
            LintSelector::One(one) => *one == code,
        }
    }

    /// Returns how specific the name is, as the number of characters of a code that it fixes. The level of the most specific
    /// name takes precedence.
    #[must_use]
    pub fn specificity(&self) -> usize {
        match self {
            LintSelector::All => 0,
            LintSelector::Prefix(prefix) => prefix.len(),
            LintSelector::One(code) => code.name().len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_name_decides_then_the_client_then_the_stricter_level() {
        let list = |list: &[(&str, LintLevel)]| -> Vec<(LintSelector, LintLevel)> {
            list.iter().map(|(name, level)| (name.parse().expect("a lint"), *level)).collect()
        };
        let level = |client: &[(&str, LintLevel)], project: &[(&str, LintLevel)], is_off| {
            let (client, project) = (list(client), list(project));
            let project = LevelSetting::of(Code::W0101, &project, false);
            LevelSetting::decide(LevelSetting::of(Code::W0101, &client, true).chain(project), is_off)
        };
        use LintLevel::{Allow, Deny, Warn};
        assert_eq!(level(&[("W02", Deny)], &[], false), None);
        assert_eq!(level(&[("W01", Allow)], &[("W0101", Deny)], false), Some(Deny));
        assert_eq!(level(&[("all", Allow)], &[("all", Deny)], false), Some(Allow));
        assert_eq!(level(&[("all", Allow), ("all", Deny), ("all", Warn)], &[], false), Some(Deny));
        assert_eq!(level(&[("all", Deny)], &[], true), None);
        assert_eq!(level(&[("all", Deny)], &[("W01", Warn)], true), Some(Warn));
        assert_eq!(level(&[("W01", Deny)], &[], true), Some(Deny));
    }

    #[test]
    fn names_are_codes_prefixes_and_all() {
        assert_eq!("W0101".parse(), Ok(LintSelector::One(Code::W0101)));
        assert_eq!("w0101".parse(), Ok(LintSelector::One(Code::W0101)));
        assert_eq!("W01".parse(), Ok(LintSelector::Prefix("W01".to_owned())));
        assert_eq!("warnings".parse(), Ok(LintSelector::All));
        let error = |name: &str| name.parse::<LintSelector>().expect_err(name).to_string();
        assert_eq!(error("W9"), "unknown lint `W9`");
        assert_eq!(error("W0191"), "unknown lint `W0191`; did you mean `W0101`?");
        assert_eq!(error(""), "unknown lint ``");
        assert_eq!(error("e0601"), "`E0601` is not a lint: only lints can be allowed, warned about or denied");
    }

    #[test]
    fn a_longer_prefix_is_more_specific() {
        let names = ["all", "W", "W01", "W0101"];
        let selectors: Vec<LintSelector> = names.iter().map(|name| name.parse().expect("a name")).collect();
        assert!(selectors.iter().all(|selector| selector.matches(Code::W0101)));
        assert!(selectors.is_sorted_by(|a, b| a.specificity() < b.specificity()));
        assert!(!selectors[2].matches(Code::W0201));
    }
}
