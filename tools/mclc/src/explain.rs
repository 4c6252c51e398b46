//! `mclc explain`: prints the explanation of a diagnostic code, or finds codes by a word.

use std::fmt::Write;

use mcl_diagnostics::{Code, all_codes, explain, nearest};

use crate::cli::{Color, Explain};
use crate::lint_names::puppet_lint;
use crate::output::unusable;
use crate::{output, report};

pub fn run(args: &Explain, color: Color) -> u8 {
    let Some(name) = &args.code else { return output::paged(&listed(|_| true)) };
    let upper = name.to_uppercase();
    let upper = upper.trim_start_matches("ERROR[").trim_start_matches("WARNING[").trim_end_matches(']');
    match Code::from_name(upper).or_else(|| puppet_lint(name)) {
        Some(code) => {
            let style = report::style(color, &std::io::stdout());
            output::paged(&explain(code, style))
        }
        None => {
            let found = found(name);
            if !found.is_empty() {
                return output::paged(&found);
            }
            let hint = nearest(upper, all_codes().map(Code::name)).map(|code| format!("; did you mean `{code}`?"));
            unusable(format_args!(
                "unknown diagnostic code `{name}`{} (`mclc explain` lists all codes)",
                hint.unwrap_or_default()
            ))
        }
    }
}

/// Returns the codes that a word is about: it is in their titles, or else in their explanations. Empty if the word could be a code.
fn found(word: &str) -> String {
    let word = word.to_lowercase();
    let is_code = word.len() == 5 && word.chars().skip(1).all(|c| c.is_ascii_digit());
    if is_code || word.trim().len() < 3 {
        return String::new();
    }
    let in_titles = listed(|code| code.info().title.to_lowercase().contains(&word));
    if !in_titles.is_empty() {
        return in_titles;
    }
    listed(|code| code.info().explanation.to_lowercase().contains(&word))
}

/// Returns the names and titles of codes, one on each line.
fn listed(is_wanted: impl Fn(Code) -> bool) -> String {
    all_codes().filter(|code| is_wanted(*code)).fold(String::new(), |mut text, code| {
        let _ = writeln!(text, "{}  {}", code.name(), code.info().title);
        text
    })
}
