//! From the diagnostics of a run to what is printed.

use std::collections::HashSet;
use std::io::IsTerminal;

use mcl_diagnostics::{Diagnostic, Files, Program, Severity, Style, counts, render};
use mcl_modules::{Input, LoadError, Loaded, Options, RemoteImport};

use crate::cli::{Color, Format, Lint, Report, Source};

/// A program with what was found out about it.
pub struct Checked {
    pub files: Files,
    /// See [`Program::prefix`].
    pub prefix: String,
    /// Sorted, with the levels of lints applied.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    pub fn new(files: Files, prefix: String, mut diagnostics: Vec<Diagnostic>, report: &Report) -> Checked {
        apply_levels(&mut diagnostics, report);
        // One mistake of a program may show at many places of an embedded module.
        let mut blamed = HashSet::new();
        diagnostics
            .retain_mut(|d| !d.blame_program(&files) || blamed.insert((d.code.name(), d.span, d.message.clone())));
        mcl_diagnostics::sort(&mut diagnostics);
        Checked { files, prefix, diagnostics }
    }

    pub fn has_errors(&self) -> bool {
        counts(&self.diagnostics).0 > 0
    }
}

/// Deny wins over allow, allow over warn; a code by its name wins over `all`.
fn apply_levels(diagnostics: &mut Vec<Diagnostic>, report: &Report) {
    let named = |list: &[Lint], d: &Diagnostic| list.contains(&Lint::One(d.code));
    diagnostics.retain_mut(|d| {
        if d.severity == Severity::Error {
            return true;
        }
        let specific = [&report.deny, &report.allow, &report.warn].into_iter().position(|list| named(list, d));
        let general = || [&report.deny, &report.allow].into_iter().position(|list| list.contains(&Lint::All));
        match specific.or_else(general) {
            Some(0) => d.severity = Severity::Error,
            Some(1) => return false,
            _ => {}
        }
        true
    });
}

/// The text of the diagnostics, with a line that counts them in the form for people.
pub fn text(checked: &[Checked], format: Format, style: Style) -> String {
    let programs: Vec<Program<'_>> =
        checked.iter().map(|c| Program { files: &c.files, prefix: &c.prefix, diagnostics: &c.diagnostics }).collect();
    let mut text = render(&programs, format.into(), style);
    if format == Format::Human && !text.is_empty() {
        let (errors, warnings) =
            checked.iter().map(|c| counts(&c.diagnostics)).fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
        let count = |n: usize, what: &str| match n {
            0 => None,
            1 => Some(format!("1 {what}")),
            n => Some(format!("{n} {what}s")),
        };
        let parts: Vec<String> = [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
        text.push_str(&parts.join(", "));
        text.push('\n');
    }
    text
}

/// Prints the diagnostics of a command whose result is not the diagnostics, and gives the exit status for them.
pub fn print(checked: &[Checked], report: &Report, color: Color) -> u8 {
    crate::output::stderr(&text(checked, report.format, style(color, &std::io::stderr())));
    if checked.iter().any(Checked::has_errors) { crate::ERRORS } else { 0 }
}

/// Whether there is an error among the diagnostics.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    counts(diagnostics).0 > 0
}

/// What the place that the diagnostics go to can show.
pub fn style(color: Color, target: &impl IsTerminal) -> Style {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let terminal = target.is_terminal();
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let color = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !dumb && !set("NO_COLOR"),
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| set(name)).and_then(std::env::var_os);
    let utf8 = locale.is_none_or(|locale| {
        let locale = locale.to_string_lossy().to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    let width = terminal.then(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok()).flatten();
    let width = width.map_or(100, |size| usize::from(size.ws_col)).clamp(60, 140);
    Style { color, unicode: !dumb && (!terminal || utf8), width }
}

/// The start of a program named on the command line.
pub fn input(path: &std::path::Path, source: &Source) -> Result<Input, String> {
    if path != std::path::Path::new("-") {
        return Input::from_path(path).map_err(|error| error.to_string());
    }
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut text)
        .map_err(|error| format!("cannot read standard input: {}", crate::output::reason(&error)))?;
    Ok(Input::Text { path: source.filename.clone().unwrap_or_else(|| "<stdin>".into()), text })
}

/// Reads a program. What is wrong with its own metadata is a finding, not a failure.
pub fn load(input: &Input, source: &Source, deploy: bool, report: &Report) -> Result<Result<Loaded, Checked>, String> {
    let options = Options { module_path: source.module_path.clone(), deploy };
    read(mcl_modules::load(input, &options), input, report)
}

/// Reads a program to fetch its remote modules.
pub fn load_remote(
    input: &Input,
    source: &Source,
    report: &Report,
) -> Result<Result<(Loaded, Vec<RemoteImport>), Checked>, String> {
    let options = Options { module_path: source.module_path.clone(), deploy: false };
    read(mcl_modules::load_remote(input, &options), input, report)
}

fn read<T>(loaded: Result<T, LoadError>, input: &Input, report: &Report) -> Result<Result<T, Checked>, String> {
    match loaded {
        Ok(loaded) => Ok(Ok(loaded)),
        Err(LoadError::Input(error)) => Err(error.to_string()),
        Err(LoadError::Invalid { files, diagnostics }) => {
            Ok(Err(Checked::new(files, input.prefix(), diagnostics, report)))
        }
    }
}
