//! `mclc new` and `mclc init`: the files of a first module (spec 11 §6).

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::cli::{Init, New};
use crate::output::{self, reason, unusable};

/// The files of a new module. A test checks, formats and tests them.
const FILES: [(&str, &str); 6] = [
    ("metadata.yaml", include_str!("new/metadata.yaml")),
    ("main.mcl", include_str!("new/main.mcl")),
    ("tests/first.mcl", include_str!("new/first.mcl")),
    ("tests/first.graph", include_str!("new/first.graph")),
    (".gitignore", include_str!("new/gitignore")),
    (".pre-commit-config.yaml", include_str!("new/pre-commit-config.yaml")),
];

/// What is removed from the start of a module's name where it is imported.
const PREFIX: &str = "mgmt-";

/// Why no module is made.
enum NewError {
    /// Programs could not name it.
    Name {
        name: String,
        better: Option<String>,
    },
    NoName(PathBuf),
    /// Nothing is overwritten.
    Exists(PathBuf),
    NotADirectory(PathBuf),
    Missing(PathBuf),
    Write {
        path: PathBuf,
        error: io::Error,
    },
}

impl fmt::Display for NewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NewError::Name { name, better } => {
                write!(
                    f,
                    "`{name}` cannot be imported: the name of a module starts with a letter, ends with a letter or \
                           digit, and has nothing but lower-case letters, digits, single `-` and `_` between them"
                )?;
                better.as_ref().map_or(Ok(()), |better| write!(f, "; for example `{better}`"))
            }
            NewError::NoName(path) => {
                write!(
                    f,
                    "`{}` has no name of its own; `mclc init` makes a module of an existing directory",
                    path.display()
                )
            }
            NewError::Exists(path) => write!(f, "`{}` exists already; nothing was written", path.display()),
            NewError::NotADirectory(path) => write!(f, "`{}` is not a directory", path.display()),
            NewError::Missing(path) => {
                write!(f, "`{0}` does not exist; `mclc new {0}` makes it", path.display())
            }
            NewError::Write { path, error } => write!(f, "cannot write `{}`: {}", path.display(), reason(error)),
        }
    }
}

/// Makes a directory with a module.
pub fn new(args: &New) -> u8 {
    report(check_name(&args.directory).and_then(|()| write(&args.directory)), &args.directory)
}

/// Makes a module of an existing directory.
pub fn init(args: &Init) -> u8 {
    let directory = &args.directory;
    let found = if directory.exists() { Ok(()) } else { Err(NewError::Missing(directory.clone())) };
    report(found.and_then(|()| write(directory)), directory)
}

fn report(written: Result<Vec<PathBuf>, NewError>, directory: &Path) -> u8 {
    let written = match written {
        Ok(written) => written,
        Err(error) => return unusable(error),
    };
    let mut text: String = written.iter().map(|path| format!("wrote {}\n", path.display())).collect();
    let shown = directory.display();
    text += &format!(
        "\nCheck it with `mclc check {shown}`, test it with `mclc test {shown}`, and see what it would change with\n"
    );
    text += &format!("`mclc run {shown} -- --once --noop`.\n");
    output::stdout(text.as_bytes())
}

/// Checks that programs can name what they import from this directory.
fn check_name(directory: &Path) -> Result<(), NewError> {
    let Some(name) = directory.file_name() else { return Err(NewError::NoName(directory.to_owned())) };
    let name = name.to_string_lossy();
    if is_importable(&name) {
        return Ok(());
    }
    let better = name.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let parts: Vec<&str> = better.split('-').filter(|part| !part.is_empty()).collect();
    let better = Some(parts.join("-")).filter(|better| is_importable(better));
    Err(NewError::Name { name: name.into_owned(), better })
}

fn is_importable(name: &str) -> bool {
    let alias = name.strip_prefix(PREFIX).unwrap_or(name).replace('-', "_");
    let starts_with_letter = alias.starts_with(|c: char| c.is_ascii_lowercase());
    let is_word = alias.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let is_keyword = mcl_lexer::lex(&alias).kinds().first().is_some_and(|kind| kind.is_keyword());
    starts_with_letter && is_word && !is_keyword && !alias.ends_with('_') && !alias.contains("__")
}

/// Writes all files, or none.
fn write(directory: &Path) -> Result<Vec<PathBuf>, NewError> {
    if directory.exists() && !directory.is_dir() {
        return Err(NewError::NotADirectory(directory.to_owned()));
    }
    let inside = |name: &str| if directory == Path::new(".") { PathBuf::from(name) } else { directory.join(name) };
    let files = FILES.map(|(name, content)| (inside(name), content));
    // A link that leads nowhere is in the way, too.
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(NewError::Exists(path.clone()));
    }
    let mut written = Vec::new();
    for (path, content) in files {
        match create(&path, content) {
            Ok(()) => written.push(path),
            Err(error) => {
                // What stands there is ours. If it cannot be removed, the error says what is wrong with the directory.
                written.iter().for_each(|path| drop(std::fs::remove_file(path)));
                return Err(match error.kind() {
                    ErrorKind::AlreadyExists => NewError::Exists(path),
                    _ => NewError::Write { path, error },
                });
            }
        }
    }
    Ok(written)
}

fn create(path: &Path, content: &str) -> io::Result<()> {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), std::fs::create_dir_all)?;
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content.as_bytes())
}
