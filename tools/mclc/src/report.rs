//! Reading programs, and reporting their diagnostics.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

use mcl_diagnostics::{Diagnostic, Files, LintLevel, LintSelector, Program, Style, counts, render};
use mcl_modules::{Input, InputError, LoadError, Loaded, Options, RemoteImport};
use pp_environment::EnvironmentError;

use crate::cli::{Color, Report, Source};
use crate::format::Format;
use crate::levels;
use crate::output;
use crate::output::unusable;
use crate::status::ERRORS;

/// The diagnostics of a program.
pub struct Checked {
    pub files: Files,
    /// See [`Program::prefix`].
    pub prefix: String,
    /// The diagnostics, sorted, with the lint levels of the command line applied.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    pub fn new(files: Files, prefix: String, diagnostics: Vec<Diagnostic>, report: &Report) -> Checked {
        Checked::of_project(files, prefix, diagnostics, report, &[])
    }

    /// Applies also the levels of lints that a project sets.
    pub fn of_project(
        files: Files,
        prefix: String,
        mut diagnostics: Vec<Diagnostic>,
        report: &Report,
        lints: &[(LintSelector, LintLevel)],
    ) -> Checked {
        mcl_driver::finish_diagnostics(&files, &mut diagnostics, levels::of(report, lints));
        Checked { files, prefix, diagnostics }
    }

    /// Returns the names of the files of the user, relative to the working directory.
    pub fn file_names(&self) -> Vec<String> {
        let program = Program { files: &self.files, prefix: &self.prefix, diagnostics: &[] };
        let own = self.files.files.iter().filter(|(_, file)| !file.is_embedded());
        own.map(|(id, _)| program.shown_name(id)).collect()
    }

    pub fn has_errors(&self) -> bool {
        counts(&self.diagnostics).0 > 0
    }
}

/// Returns the rendered diagnostics. In the human format, a line that counts them follows.
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

/// Removes what several programs report about a file that they share, except the first time.
pub fn remove_repeated(checked: &mut [Checked]) {
    if checked.len() < 2 {
        return;
    }
    let mut seen = HashSet::new();
    for Checked { files, prefix, diagnostics } in checked {
        let program = Program { files, prefix, diagnostics: &[] };
        let mut here = HashSet::new();
        diagnostics.retain(|diagnostic| {
            let Some(span) = diagnostic.span else { return true };
            let name = program.shown_name(span.file);
            let key = (name, span.start, span.end, diagnostic.code.name(), diagnostic.message.clone());
            let is_new = !seen.contains(&key);
            here.insert(key);
            is_new
        });
        seen.extend(here);
    }
}

/// Returns how many files of the user were checked.
pub fn file_count(checked: &[Checked]) -> usize {
    checked.iter().flat_map(Checked::file_names).collect::<HashSet<String>>().len()
}

/// What a run looked at, for people.
pub struct Summary {
    pub files: usize,
    pub time: Duration,
}

/// Adds what a run looked at to the line that counts diagnostics; without diagnostics, says so.
pub fn with_summary(text: String, Summary { files, time }: &Summary) -> String {
    let files = if *files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    match text.strip_suffix('\n') {
        Some(counted) => format!("{counted} in {files} ({time:.1?})\n"),
        None => format!("checked {files}, no problems\n"),
    }
}

/// Prints diagnostics to standard error, for commands that have another result, and returns the exit status.
pub fn print(checked: &[Checked], report: &Report, color: Color) -> u8 {
    crate::output::stderr(&text(checked, report.format, style(color, &std::io::stderr())));
    if checked.iter().any(Checked::has_errors) { ERRORS } else { 0 }
}

/// Returns whether there is an error among the diagnostics.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    counts(diagnostics).0 > 0
}

/// Returns the capabilities of the terminal or file that output goes to.
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

/// Why there is no program to compile.
pub enum LoadFailure {
    /// It cannot be read.
    Unusable(InputError),
    /// Standard input cannot be read.
    StandardInput(io::Error),
    /// Its metadata has errors.
    Invalid(Checked),
    /// A path of Puppet code cannot be read.
    Puppet(EnvironmentError),
}

impl LoadFailure {
    /// Reports the failure, and returns the exit status.
    pub fn report(self, report: &Report, color: Color) -> u8 {
        match self.into_diagnostics() {
            Ok(checked) => print(&[checked], report, color),
            Err(status) => status,
        }
    }

    /// Returns the diagnostics of a program that can be read.
    ///
    /// # Errors
    /// The exit status, after the failure has been reported.
    pub fn into_diagnostics(self) -> Result<Checked, u8> {
        match self {
            LoadFailure::Unusable(error) => Err(unusable(error)),
            LoadFailure::StandardInput(error) => {
                Err(unusable(format_args!("cannot read standard input: {}", output::reason(&error))))
            }
            LoadFailure::Invalid(checked) => Ok(checked),
            LoadFailure::Puppet(error) => Err(unusable(error.diagnostic().message)),
        }
    }
}

/// Returns the program that a path on the command line names, which for `-` is read from standard input.
///
/// # Errors
/// It cannot be read.
pub fn input(path: &Path, source: &Source) -> Result<Input, LoadFailure> {
    if path != Path::new("-") {
        return Input::from_path(path).map_err(LoadFailure::Unusable);
    }
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text).map_err(LoadFailure::StandardInput)?;
    Ok(Input::Text { path: source.filename.clone().unwrap_or_else(|| "<stdin>".into()), text })
}

/// Returns how programs are loaded, without data files.
pub fn options(source: &Source) -> Options {
    Options {
        module_path: source.module_path.clone(),
        is_native: Some(mcl_functions::module_exists),
        ..Options::default()
    }
}

/// Reads the files of a program.
///
/// # Errors
/// The program cannot be read, or its metadata has errors.
pub fn load(input: &Input, source: &Source, report: &Report) -> Result<Loaded, LoadFailure> {
    mcl_modules::load(input, &options(source)).map_err(|error| failure(error, input, report))
}

/// Reads the files of a program, and those that it deploys.
///
/// # Errors
/// The program cannot be read, or its metadata has errors.
pub fn load_to_deploy(input: &Input, source: &Source, report: &Report) -> Result<Loaded, LoadFailure> {
    let options = Options { deploy: true, ..options(source) };
    mcl_modules::load(input, &options).map_err(|error| failure(error, input, report))
}

/// Reads the files of a program, and lists the remote modules that it imports.
///
/// # Errors
/// The program cannot be read, or its metadata has errors.
pub fn load_remote(
    input: &Input,
    source: &Source,
    report: &Report,
) -> Result<(Loaded, Vec<RemoteImport>), LoadFailure> {
    let options = Options { module_path: source.module_path.clone(), ..Options::default() };
    mcl_modules::load_remote(input, &options).map_err(|error| failure(error, input, report))
}

/// Returns the failure of a program that cannot be loaded.
pub fn failure(error: LoadError, input: &Input, report: &Report) -> LoadFailure {
    match error {
        LoadError::Input(error) => LoadFailure::Unusable(error),
        LoadError::Invalid { files, diagnostics, .. } => {
            LoadFailure::Invalid(Checked::new(files, input.prefix(), diagnostics, report))
        }
    }
}
