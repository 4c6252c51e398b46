//! `mclc fmt`: writes programs in their one layout (spec 11 §4).

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Stage};
use mcl_format::{FormatError, format, format_lines};
use rayon::prelude::*;

use crate::cli::{Color, Fmt, Report};
use crate::diff::unified_diff;
use crate::lines::Lines;
use crate::output::{self, ReplaceError, unusable};
use crate::paths::{is_program, programs_below};
use crate::report::{self, Checked};
use crate::status::ERRORS;

/// Maximum size of a program, as for the other commands.
const MAX_SOURCE_BYTES: u64 = 256 << 20;

/// Where a program comes from.
enum Source {
    File(PathBuf),
    StandardInput { name: PathBuf },
}

impl Source {
    fn name(&self) -> &Path {
        match self {
            Source::File(path) | Source::StandardInput { name: path } => path,
        }
    }
}

/// What became of a program.
enum Outcome {
    Unchanged(String),
    Changed { before: String, after: String },
    Invalid(Checked),
    Unusable(FmtError),
}

/// Why a path is not formatted.
enum FmtError {
    CombinedInput,
    Missing(PathBuf),
    NotMcl(PathBuf),
    Unreadable { path: PathBuf, error: io::Error },
    UnreadableDirectory { path: PathBuf, error: ignore::Error },
    StandardInput(io::Error),
    TooLarge(PathBuf),
    NotText(PathBuf),
    RangeOf { count: usize },
    Replace(ReplaceError),
}

impl fmt::Display for FmtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FmtError::CombinedInput => write!(f, "`-` cannot be combined with other paths"),
            FmtError::Missing(path) => write!(f, "`{}` does not exist", path.display()),
            FmtError::NotMcl(path) if pp_analysis::is_manifest(path) => {
                write!(f, "`{}` is Puppet code: only programs of mcl can be formatted", path.display())
            }
            FmtError::NotMcl(path) => {
                write!(f, "`{}` is not a program: expected a `.mcl` file, a directory, or `-`", path.display())
            }
            FmtError::Unreadable { path, error } => {
                write!(f, "cannot read `{}`: {}", path.display(), output::reason(error))
            }
            FmtError::UnreadableDirectory { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
            FmtError::StandardInput(error) => write!(f, "cannot read standard input: {}", output::reason(error)),
            FmtError::TooLarge(path) => write!(f, "`{}` is too large: the limit is 256 MiB", path.display()),
            FmtError::NotText(path) => write!(f, "`{}` is not UTF-8 text", path.display()),
            FmtError::RangeOf { count } => write!(f, "expected one file for `--range`, found {count}"),
            FmtError::Replace(error) => error.fmt(f),
        }
    }
}

/// Formats programs. What it did is the result of this command and goes to standard output; errors go to standard error.
pub fn run(args: &Fmt, color: Color) -> u8 {
    let sources = match sources(args) {
        Ok(sources) => sources,
        Err(error) => return unusable(error),
    };
    let writes = !args.check && !args.diff;
    let outcomes: Vec<(Source, Outcome)> = sources
        .into_par_iter()
        .map(|source| {
            let outcome = outcome(&source, args, writes);
            (source, outcome)
        })
        .collect();
    let (mut text, mut status) = (String::new(), 0);
    let mut invalid = Vec::new();
    let colors = report::style(color, &io::stdout()).color;
    for (source, outcome) in outcomes {
        let is_input = matches!(source, Source::StandardInput { .. });
        match outcome {
            Outcome::Unchanged(program) if is_input && writes => text += &program,
            Outcome::Unchanged(_) => {}
            Outcome::Changed { before, after } => {
                if args.diff {
                    text += &unified_diff(source.name(), &before, &after, colors);
                } else if is_input && writes {
                    text += &after;
                } else {
                    text += &format!("{}\n", source.name().display());
                }
                status = status.max(if args.check { ERRORS } else { 0 });
            }
            Outcome::Invalid(checked) => {
                status = status.max(ERRORS);
                invalid.push(checked);
            }
            Outcome::Unusable(error) => status = unusable(error),
        }
    }
    let written = output::stdout(text.as_bytes());
    report::print(&invalid, &Report::default(), color);
    status.max(written)
}

/// Returns the programs that the command line names.
fn sources(args: &Fmt) -> Result<Vec<Source>, FmtError> {
    if args.paths.iter().any(|path| path == Path::new("-")) {
        if args.paths.len() > 1 {
            return Err(FmtError::CombinedInput);
        }
        if io::stdin().is_terminal() {
            output::stderr("mclc: reading a program from the terminal; Ctrl-D ends it\n");
        }
        let name = args.filename.clone().unwrap_or_else(|| "<stdin>".into());
        return Ok(vec![Source::StandardInput { name }]);
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(FmtError::Missing(path.clone())),
            Err(error) => return Err(FmtError::Unreadable { path: path.clone(), error }),
            Ok(kind) if kind.is_dir() => {
                let below = programs_below(path)
                    .map_err(|error| FmtError::UnreadableDirectory { path: path.clone(), error })?;
                files.extend(below);
            }
            Ok(_) if is_program(path) => files.push(path.clone()),
            Ok(_) => return Err(FmtError::NotMcl(path.clone())),
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    if args.range.is_some() && files.len() != 1 {
        return Err(FmtError::RangeOf { count: files.len() });
    }
    Ok(files.into_iter().map(Source::File).collect())
}

fn outcome(source: &Source, args: &Fmt, writes: bool) -> Outcome {
    let bytes = match read(source) {
        Ok(bytes) => bytes,
        Err(error) => return Outcome::Unusable(error),
    };
    let name = source.name();
    let (before, is_text) = match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
    };
    let formatted = match &args.range {
        Some(Lines(lines)) => format_lines(FileId::MAIN, &before, lines.clone()),
        None => format(FileId::MAIN, &before),
    };
    match formatted {
        Ok(_) if !is_text => Outcome::Unusable(FmtError::NotText(name.to_owned())),
        Ok(after) if after == before => Outcome::Unchanged(before),
        Ok(after) => {
            if let (Source::File(path), true) = (source, writes)
                && let Err(error) = output::replace(path, before.as_bytes(), after.as_bytes())
            {
                return Outcome::Unusable(FmtError::Replace(error));
            }
            Outcome::Changed { before, after }
        }
        Err(error) => {
            let mut files = Files::default();
            files.add(name.display().to_string(), before);
            let diagnostics = match error {
                FormatError::Syntax(diagnostics) => diagnostics,
                FormatError::Differs(_) => vec![defect(&error)],
            };
            Outcome::Invalid(Checked::new(files, String::new(), diagnostics, &Report::default()))
        }
    }
}

fn defect(error: &FormatError) -> Diagnostic {
    Diagnostic::error(Code::F0001, Stage::Parse, error.to_string())
        .at(mcl_diagnostics::Span::new(FileId::MAIN, 0, 0))
        .help("this is a defect of mclc: please report it with this program, which was not changed")
}

fn read(source: &Source) -> Result<Vec<u8>, FmtError> {
    let mut bytes = Vec::new();
    match source {
        Source::StandardInput { .. } => {
            let input = io::stdin().lock().take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes);
            input.map_err(FmtError::StandardInput)?;
        }
        Source::File(path) => {
            let file = File::open(path).and_then(|file| file.take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes));
            file.map_err(|error| FmtError::Unreadable { path: path.clone(), error })?;
        }
    }
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(FmtError::TooLarge(source.name().to_owned()));
    }
    Ok(bytes)
}
