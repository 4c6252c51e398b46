//! New names (spec 11 §3.3).
//!
//! The edits are applied to a copy of the workspace, which is analysed: a name that would hide another one, or be hidden,
//! makes other references than before, and the rename is refused.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use mcl_diagnostics::Severity;
use mcl_lexer::{TokenKind, lex};

use crate::analysis::{Analysis, Location};
use crate::analyzer::Analyzer;
use crate::edits::{TextEdit, apply_edits};
use crate::index::{DefinedKind, Symbol};
use crate::workspace::Sources;

/// Why a name cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameError {
    /// There is no name.
    NoName,
    /// The name belongs to the language; this is what it is.
    BuiltIn(&'static str),
    /// The definition is in a file that is compiled into this program, or has none.
    Elsewhere,
    /// The new name is not one.
    Invalid(String),
    /// The program would mean something else, or have an error, first here.
    Conflict {
        /// The new name.
        name: String,
        /// Where it would mean something else: the path, and the line from 1.
        place: Option<(PathBuf, u32)>,
    },
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenameError::NoName => write!(f, "nothing here can be renamed"),
            RenameError::BuiltIn(what) => write!(f, "{what} cannot be renamed"),
            RenameError::Elsewhere => write!(f, "a name of a module outside of the workspace cannot be renamed"),
            RenameError::Invalid(name) => write!(
                f,
                "invalid name `{name}`: expected a lower-case letter, then lower-case letters, digits and single underscores"
            ),
            RenameError::Conflict { name, place: Some((path, line)) } => {
                write!(f, "`{name}` would have another meaning at {}:{line}", path.display())
            }
            RenameError::Conflict { name, place: None } => write!(f, "`{name}` would change what the program means"),
        }
    }
}

impl std::error::Error for RenameError {}

/// What is renamed.
struct Subject {
    /// The name without `$` and quotes.
    name: String,
    /// Where the name is, in the text that was asked about.
    range: Range<u32>,
    is_resource: bool,
}

impl Analysis {
    /// Returns the name at a byte offset, and where it is, if it can be renamed.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn prepare_rename(&self, path: &Path, offset: u32) -> Result<(Range<u32>, String), RenameError> {
        let subject = self.subject(path, offset)?;
        Ok((subject.range, subject.name))
    }

    fn subject(&self, path: &Path, offset: u32) -> Result<Subject, RenameError> {
        let (program, _, occurrence) = self.occurrence_at(path, offset).ok_or(RenameError::NoName)?;
        let is_resource = match &occurrence.symbol {
            Symbol::Defined(file, _) => {
                program.loaded().paths.get(*file).ok_or(RenameError::Elsewhere)?;
                false
            }
            Symbol::Resource(..) => true,
            Symbol::Function(_) => return Err(RenameError::BuiltIn("a built-in function")),
            Symbol::Variable(_) => return Err(RenameError::BuiltIn("a built-in variable")),
            Symbol::Kind(_) => return Err(RenameError::BuiltIn("a kind")),
            Symbol::Parameter(..) => return Err(RenameError::BuiltIn("a parameter of a kind")),
            Symbol::Meta(_) => return Err(RenameError::BuiltIn("a meta parameter")),
            Symbol::EdgeWord(_) => return Err(RenameError::BuiltIn("a keyword")),
            Symbol::StructField => return Err(RenameError::BuiltIn("a field of a struct")),
            Symbol::Import(_) => return Err(RenameError::BuiltIn("the path of a module")),
        };
        let source = self.source(path).ok_or(RenameError::NoName)?;
        let written = source.text.get(occurrence.range.start as usize..occurrence.range.end as usize).unwrap_or("");
        let (range, name) = if is_resource {
            let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let inner = inner.ok_or(RenameError::BuiltIn("a kind"))?;
            (occurrence.range.start + 1..occurrence.range.end - 1, inner.to_owned())
        } else if written.starts_with('"') {
            let defined = program.index().defined(&occurrence.symbol).ok_or(RenameError::NoName)?;
            (occurrence.range.clone(), defined.name.to_string())
        } else {
            let dollar = u32::from(written.starts_with('$'));
            (occurrence.range.start + dollar..occurrence.range.end, written.trim_start_matches('$').to_owned())
        };
        Ok(Subject { name, range, is_resource })
    }

    /// Returns the edits of each file that give the name at a byte offset a new one. `sources` are those of the analysis.
    ///
    /// # Errors
    /// Why the name cannot be changed.
    pub fn rename(
        &self,
        sources: &Sources,
        path: &Path,
        offset: u32,
        new_name: &str,
    ) -> Result<BTreeMap<PathBuf, Vec<TextEdit>>, RenameError> {
        let subject = self.subject(path, offset)?;
        let new_name = if subject.is_resource { new_name } else { new_name.strip_prefix('$').unwrap_or(new_name) };
        if !is_valid(new_name, subject.is_resource) {
            return Err(RenameError::Invalid(new_name.to_owned()));
        }
        let mut edits: BTreeMap<PathBuf, Vec<TextEdit>> = BTreeMap::new();
        if new_name == subject.name {
            return Ok(edits);
        }
        for found in self.uses(path, offset) {
            let Location { path, start, end } = found.location;
            let source = self.source(&path).ok_or(RenameError::Elsewhere)?;
            let written = source.text.get(start as usize..end as usize).unwrap_or("");
            let edit = match written.chars().next() {
                Some('"') if subject.is_resource => Some((start + 1, end - 1, new_name.to_owned())),
                _ if subject.is_resource => None, // The kind of an edge.
                Some('"') => Some((end, end, format!(" as {new_name}"))),
                Some('$') => Some((start + 1, end, new_name.to_owned())),
                _ => Some((start, end, new_name.to_owned())),
            };
            let edit = edit.map(|(start, end, text)| TextEdit { start, end, text });
            edits.entry(path).or_default().extend(edit);
        }
        edits.values_mut().for_each(|edits| edits.sort());
        self.check_meaning(sources, &edits, new_name)?;
        Ok(edits)
    }

    /// Analyses the edited texts and compares.
    fn check_meaning(
        &self,
        sources: &Sources,
        edits: &BTreeMap<PathBuf, Vec<TextEdit>>,
        new_name: &str,
    ) -> Result<(), RenameError> {
        let mut texts = BTreeMap::new();
        for (path, edits) in edits {
            let source = self.source(path).ok_or(RenameError::Elsewhere)?;
            texts.insert(path.clone(), apply_edits(&source.text, edits));
        }
        let after = Analyzer::default().analyze(&sources.with_texts(texts));
        let conflict = |place| RenameError::Conflict { name: new_name.to_owned(), place };
        let errors = |analysis: &Analysis| {
            let findings = analysis.findings().into_iter();
            let errors = findings.flat_map(|(path, found)| {
                let errors = found.into_iter().filter(|finding| finding.severity == Severity::Error);
                errors.map(move |error| (path.clone(), error.code.name(), error.range.start)).collect::<Vec<_>>()
            });
            errors.collect::<Vec<_>>()
        };
        let (before, now) = (errors(self), errors(&after));
        if before.len() != now.len() {
            let new = now.iter().find(|(path, code, _)| {
                let count = |of: &[(PathBuf, &str, u32)]| of.iter().filter(|(p, c, _)| p == path && c == code).count();
                count(&now) > count(&before)
            });
            return Err(conflict(new.and_then(|(path, _, at)| Some((path.clone(), after.line(path, *at)?)))));
        }
        let (old, new) = (self.meaning(), after.meaning());
        match old.iter().zip(&new).find(|(old, new)| old.1 != new.1) {
            None if old.len() == new.len() => Ok(()),
            different => {
                let place = different.map(|(_, ((path, at), _))| (path.clone(), *at));
                Err(conflict(place.and_then(|(path, at)| Some((path.clone(), after.line(&path, at)?)))))
            }
        }
    }

    fn line(&self, path: &Path, offset: u32) -> Option<u32> {
        let source = self.source(path)?;
        Some(source.lines.position(&source.text, offset, crate::Encoding::Utf8).line + 1)
    }

    /// Returns, for each name in the files of the workspace, what it refers to: the definition by the number of its name in
    /// its file, or what is built in. Equal lists mean the same program but for names.
    fn meaning(&self) -> Vec<((PathBuf, u32), String)> {
        let mut meaning = Vec::new();
        for program in self.programs() {
            let index = program.index();
            for (file, _) in &program.loaded().files.files {
                let Some(path) = program.loaded().paths.get(file) else { continue };
                for name in index.of_file(file) {
                    let target = match &name.symbol {
                        symbol @ Symbol::Defined(of, start) => {
                            let number = index.of_file(*of).partition_point(|other| other.range.start < *start);
                            let is_alias = index
                                .defined(symbol)
                                .is_some_and(|defined| matches!(defined.kind, DefinedKind::Alias(_)));
                            // A new alias is written after the string that was the alias before.
                            if is_alias && name.is_definition {
                                continue;
                            }
                            if is_alias { "alias".to_owned() } else { format!("{} {number}", of.as_u32()) }
                        }
                        Symbol::Resource(kind, _) => format!("resource {kind}"),
                        built_in => format!("{built_in:?}"),
                    };
                    meaning.push(((path.to_owned(), name.range.start), target));
                }
            }
        }
        meaning
    }
}

/// Whether a name can be given to what a program defines, or to a resource.
fn is_valid(name: &str, is_resource: bool) -> bool {
    if is_resource {
        return !name.is_empty() && !name.contains(['"', '\\', '$', '\n']);
    }
    let tokens = lex(name);
    let is_identifier = tokens.kinds() == [TokenKind::Identifier] && tokens.comments.is_empty();
    is_identifier && tokens.end(mcl_lexer::TokenIdx::FIRST) as usize == name.len() && !name.contains("__")
}
