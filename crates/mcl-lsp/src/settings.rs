//! The settings of a client (spec 11 §3.10): the section `mclc` of its configuration.

use std::path::PathBuf;

use mcl_diagnostics::{Code, LintLevel, LintSelector, all_codes};
use serde_json::Value;

/// What a client can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The global module directory.
    pub(crate) module_path: Option<PathBuf>,
    /// The levels of lints, which take precedence over those of a project.
    pub(crate) levels: Vec<(LintSelector, LintLevel)>,
    pub(crate) type_hints: bool,
    pub(crate) parameter_hints: bool,
    pub(crate) reference_lenses: bool,
    pub(crate) snippets: bool,
    /// Where the index of errors is; a code is added.
    pub(crate) doc_url: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            module_path: None,
            levels: Vec::new(),
            type_hints: true,
            parameter_hints: true,
            reference_lenses: false,
            snippets: true,
            doc_url: None,
        }
    }
}

/// Settings, and what is wrong with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadSettings {
    pub(crate) settings: Settings,
    /// The names that have no meaning.
    pub(crate) unknown: Vec<String>,
    /// What has the wrong type, in words.
    pub(crate) wrong: Vec<String>,
}

/// Reads settings. What is missing or wrong has its default. Names may be nested objects or have dots.
pub(crate) fn read(value: &Value) -> ReadSettings {
    let mut read = ReadSettings::default();
    let mut work: Vec<(String, &Value)> = vec![(String::new(), value)];
    while let Some((name, value)) = work.pop() {
        match value {
            Value::Null => {}
            Value::Object(fields) => {
                let dot = if name.is_empty() { "" } else { "." };
                work.extend(fields.iter().map(|(field, value)| (format!("{name}{dot}{field}"), value)));
            }
            value => read.set(&name, value),
        }
    }
    read.unknown.sort();
    read.wrong.sort();
    read
}

impl ReadSettings {
    fn set(&mut self, name: &str, value: &Value) {
        let settings = &mut self.settings;
        let bool = |target: &mut bool| match value.as_bool() {
            Some(value) => {
                *target = value;
                Ok(())
            }
            None => Err("true or false"),
        };
        let level = |levels: &mut Vec<(LintSelector, LintLevel)>, level: LintLevel| {
            let names = value.as_array().ok_or("a list of lints")?;
            for name in names {
                let selectors = name.as_str().and_then(selectors).ok_or("a list of lints")?;
                levels.extend(selectors.into_iter().map(|selector| (selector, level)));
            }
            Ok(())
        };
        let string = || value.as_str().map(str::to_owned).ok_or("a string");
        let result: Result<(), &str> = match name {
            "modulePath" => string().map(|path| settings.module_path = Some(path.into())),
            "doc.url" => string().map(|url| settings.doc_url = Some(url)),
            "warn" => level(&mut settings.levels, LintLevel::Warn),
            "allow" => level(&mut settings.levels, LintLevel::Allow),
            "deny" => level(&mut settings.levels, LintLevel::Deny),
            "inlayHints.types" => bool(&mut settings.type_hints),
            "inlayHints.parameters" => bool(&mut settings.parameter_hints),
            "lens.references" => bool(&mut settings.reference_lenses),
            "completion.snippets" => bool(&mut settings.snippets),
            _ => {
                self.unknown.push(name.to_owned());
                return;
            }
        };
        if let Err(expected) = result {
            self.wrong.push(format!("expected {expected} as `mclc.{name}`, found {value}"));
        }
    }
}

/// Returns the lints that a name stands for, as on the command line.
fn selectors(name: &str) -> Option<Vec<LintSelector>> {
    match name {
        "pedantic" => {
            Some(all_codes().filter(|code: &Code| pp_analysis::is_pedantic(*code)).map(LintSelector::One).collect())
        }
        "warnings" => Some(vec![LintSelector::All]),
        name => name.parse().ok().map(|selector| vec![selector]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_nested_or_dotted() {
        for value in [json!({"inlayHints": {"types": false}}), json!({"inlayHints.types": false})] {
            let read = read(&value);
            assert_eq!(read.settings, Settings { type_hints: false, ..Settings::default() });
        }
        assert_eq!(read(&Value::Null), ReadSettings::default());
    }

    #[test]
    fn what_is_wrong_is_told_and_has_its_default() {
        let read = read(&json!({"nope": 1, "lens": {"references": "yes"}, "warn": ["W9999"], "allow": ["W0101"]}));
        assert_eq!(read.unknown, ["nope"]);
        assert_eq!(
            read.wrong,
            [
                "expected a list of lints as `mclc.warn`, found [\"W9999\"]",
                "expected true or false as `mclc.lens.references`, found \"yes\"",
            ]
        );
        assert_eq!(read.settings.levels, [(LintSelector::One(Code::W0101), LintLevel::Allow)]);
    }
}
