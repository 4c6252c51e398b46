//! The texts that are open, and the folders around them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{LintLevel, LintSelector};
use mcl_modules::{Buffer, Buffers, Options};

use crate::analysis::Setting;
use crate::document::Document;
use crate::line_index::{Encoding, Position};
use crate::source::Source;

/// A change of an open text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is replaced; `None` for the whole text.
    pub range: Option<(Position, Position)>,
    /// What it becomes.
    pub text: String,
}

/// The texts that are open, and the folders around them.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    documents: BTreeMap<PathBuf, Arc<Document>>,
    /// Where modules are that are analysed although none of their files is open.
    modules: Vec<PathBuf>,
    module_path: Option<PathBuf>,
    levels: Vec<(LintSelector, LintLevel)>,
}

/// A state of the workspace, from which an analysis is made.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The open texts, which are the buffers of the options.
    pub(crate) documents: Arc<BTreeMap<PathBuf, Arc<Document>>>,
    /// The files whose programs are analysed.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) options: Options,
    /// The levels of lints that take precedence over those of a project.
    pub(crate) levels: Vec<(LintSelector, LintLevel)>,
}

impl Workspace {
    /// Creates a workspace without texts. `module_path` is the global module directory.
    #[must_use]
    pub fn new(module_path: Option<PathBuf>) -> Workspace {
        Workspace { module_path, ..Workspace::default() }
    }

    /// Sets the `metadata.yaml` files of the modules that are analysed although none of their files is open.
    pub fn set_modules(&mut self, metadata: Vec<PathBuf>) {
        self.modules = metadata;
    }

    /// Sets the global module directory, and the levels of lints that take precedence over those of a project.
    pub fn set_options(&mut self, module_path: Option<PathBuf>, levels: Vec<(LintSelector, LintLevel)>) {
        self.module_path = module_path;
        self.levels = levels;
    }

    /// Opens a text, which takes the place of the file at this path, or replaces it.
    pub fn open(&mut self, path: PathBuf, text: &str) {
        self.documents.insert(path, Arc::new(Document::new(text)));
    }

    /// Closes a text. From now on the file counts.
    pub fn close(&mut self, path: &Path) {
        self.documents.remove(path);
    }

    /// Returns an open text.
    #[must_use]
    pub fn text(&self, path: &Path) -> Option<&Arc<str>> {
        self.documents.get(path).map(|document| &document.text)
    }

    /// Applies changes in their order. Returns whether the text is open.
    pub fn change(&mut self, path: &Path, changes: Vec<Change>, encoding: Encoding) -> bool {
        let Some(document) = self.documents.get_mut(path) else { return false };
        for Change { range, text: new } in changes {
            let changed = match range {
                None => Document::new(&new),
                Some((start, end)) => {
                    let start = document.lines.offset(&document.text, start, encoding);
                    let end = document.lines.offset(&document.text, end, encoding).max(start);
                    document.edited(start, end, &new)
                }
            };
            *document = Arc::new(changed);
        }
        true
    }

    /// Returns an open text with its lines.
    #[must_use]
    pub fn source(&self, path: &Path) -> Option<Source> {
        self.documents.get(path).map(|document| document.source())
    }

    /// Returns the current state.
    #[must_use]
    pub fn sources(&self) -> Sources {
        let buffer = |(path, document): (&PathBuf, &Arc<Document>)| {
            let is_program = path.extension().is_some_and(|extension| extension == "mcl");
            let tokens = is_program.then(|| Arc::clone(&document.syntax().tokens));
            (path.clone(), Buffer { text: Arc::clone(&document.text), tokens })
        };
        let buffers: Buffers = self.documents.iter().map(buffer).collect();
        Sources {
            documents: Arc::new(self.documents.clone()),
            roots: self.documents.keys().chain(&self.modules).cloned().collect(),
            options: Options {
                module_path: self.module_path.clone(),
                deploy: false,
                is_native: Some(mcl_functions::module_exists),
                buffers: Arc::new(buffers),
            },
            levels: self.levels.clone(),
        }
    }
}

impl Sources {
    /// Returns what an analysis of them depends on beside the texts.
    pub(crate) fn setting(&self) -> Setting {
        let module_path = self.options.module_path.clone();
        Setting { roots: self.roots.clone(), module_path, levels: self.levels.clone() }
    }

    /// Returns the sources with other texts at some paths.
    pub(crate) fn with_texts(&self, texts: BTreeMap<PathBuf, String>) -> Sources {
        let mut documents = (*self.documents).clone();
        let mut buffers = (*self.options.buffers).clone();
        for (path, text) in texts {
            let document = Document::new(&text);
            buffers.insert(path.clone(), Buffer { text: Arc::clone(&document.text), tokens: None });
            documents.insert(path, Arc::new(document));
        }
        let options = Options { buffers: Arc::new(buffers), ..self.options.clone() };
        Sources { documents: Arc::new(documents), options, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn changes_are_applied_in_their_order() {
        let path = Path::new("/a.mcl");
        let mut workspace = Workspace::default();
        workspace.open(path.to_owned(), "ab\ncd\n");
        let insert = Change { range: Some((position(0, 1), position(0, 1))), text: "\n".to_owned() };
        let replace = Change { range: Some((position(1, 0), position(2, 1))), text: "x".to_owned() };
        assert!(workspace.change(path, vec![insert, replace], Encoding::Utf16));
        assert_eq!(&**workspace.text(path).expect("it is open"), "a\nxd\n");
        let whole = Change { range: None, text: "new".to_owned() };
        assert!(workspace.change(path, vec![whole], Encoding::Utf8));
        assert_eq!(&**workspace.text(path).expect("it is open"), "new");
        assert!(!workspace.change(Path::new("/b.mcl"), Vec::new(), Encoding::Utf8));
    }

    #[test]
    fn a_range_that_ends_before_it_starts_is_empty() {
        let path = Path::new("/a.mcl");
        let mut workspace = Workspace::default();
        workspace.open(path.to_owned(), "abc");
        let change = Change { range: Some((position(0, 2), position(0, 1))), text: "-".to_owned() };
        workspace.change(path, vec![change], Encoding::Utf8);
        assert_eq!(&**workspace.text(path).expect("it is open"), "ab-c");
    }
}
