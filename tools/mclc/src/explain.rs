//! `mclc explain`: prints the explanation of a diagnostic code.

use std::fmt::Write;

use mcl_diagnostics::{Code, all_codes, explain, nearest};

use crate::cli::{Color, Explain};
use crate::lint_names::puppet_lint;
use crate::output::unusable;
use crate::{output, report};

pub fn run(args: &Explain, color: Color) -> u8 {
    let Some(name) = &args.code else { return output::stdout(list().as_bytes()) };
    let upper = name.to_uppercase();
    let upper = upper.trim_start_matches("ERROR[").trim_start_matches("WARNING[").trim_end_matches(']');
    match Code::from_name(upper).or_else(|| puppet_lint(name)) {
        Some(code) => {
            let style = report::style(color, &std::io::stdout());
            output::stdout(explain(code, style).as_bytes())
        }
        None => {
            let hint = nearest(upper, all_codes().map(Code::name)).map(|code| format!("; did you mean `{code}`?"));
            unusable(format_args!(
                "unknown diagnostic code `{name}`{} (`mclc explain` lists all codes)",
                hint.unwrap_or_default()
            ))
        }
    }
}

/// Returns the names and titles of all codes.
fn list() -> String {
    all_codes().fold(String::new(), |mut text, code| {
        let _ = writeln!(text, "{}  {}", code.name(), code.info().title);
        text
    })
}
