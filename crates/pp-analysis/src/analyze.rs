//! From the text of a manifest to its errors and lints.

use std::path::Path;

use mcl_diagnostics::{Code, Diagnostic, FileId, Severity, SourceFile};
use pp_ast::Tree;
use pp_lint::{Definitions, LINTS, Level, Subject};
use pp_syntax::{Mode, ValidationOptions};

/// Whether a path is that of a manifest or template.
#[must_use]
pub fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pp" || extension == "epp")
}

/// Returns whether a lint is off by default, of mcl programs or of manifests.
#[must_use]
pub fn is_pedantic(code: Code) -> bool {
    code.is_pedantic() || LINTS.iter().any(|lint| lint.code == code && lint.level != Level::Warning)
}

/// Parses the text of the file at a path, which need not exist. Returns the tree (of a text with errors what could be parsed), and
/// the errors and warnings.
#[must_use]
pub fn parse(path: &Path, file: FileId, text: &str) -> (Tree, Vec<Diagnostic>) {
    let mode =
        if path.extension().is_some_and(|extension| extension == "epp") { Mode::Template } else { Mode::Manifest };
    pp_environment::parse_text(file, text, mode, ValidationOptions::default())
}

/// Whether there is an error among these.
#[must_use]
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Returns the lints of a file without errors: what is left of a broken file says little about its style. `is_on` tells which
/// lints to look for.
#[must_use]
pub fn lint(
    path: &Path,
    file: &SourceFile,
    tree: &Tree,
    definitions: &dyn Definitions,
    is_on: &(dyn Fn(Code) -> bool + Sync),
) -> Vec<Diagnostic> {
    let autoload_name = std::path::absolute(path).ok().and_then(|path| pp_environment::autoload_name(&path));
    let subject = Subject { file, tree, autoload_name: autoload_name.as_deref(), definitions };
    pp_lint::check(subject, &|code| is_on(code))
}

#[cfg(test)]
mod tests {
    use pp_lint::NoDefinitions;

    use super::*;

    fn codes(path: &str, text: &str) -> Vec<&'static str> {
        let path = Path::new(path);
        let (tree, mut found) = parse(path, FileId::MAIN, text);
        if !has_errors(&found) {
            let file = SourceFile::new(path.to_string_lossy().into_owned(), text.to_owned());
            found.extend(lint(path, &file, &tree, &NoDefinitions, &|code| !is_pedantic(code)));
        }
        found.iter().map(|diagnostic| diagnostic.code.name()).collect()
    }

    #[test]
    fn errors_hide_lints() {
        let lints = codes("/nowhere/a.pp", "file { '/a': mode => 644 }\n");
        assert!(!lints.is_empty() && lints.iter().all(|code| code.starts_with("W03")), "{lints:?}");
        let broken = codes("/nowhere/a.pp", "file { '/a': mode => 644 \n");
        assert!(!broken.is_empty() && broken.iter().all(|code| code.starts_with('P')), "{broken:?}");
    }

    #[test]
    fn templates_are_not_manifests() {
        assert_eq!(codes("/nowhere/a.epp", "Hello <%= $name %>, $\n"), Vec::<&str>::new());
        assert_ne!(codes("/nowhere/a.pp", "Hello <%= $name %>, $\n"), Vec::<&str>::new());
    }

    #[test]
    fn a_class_has_the_name_of_its_file() {
        let text = "# A class.\nclass ntp::server {\n}\n";
        assert_eq!(codes("/etc/modules/ntp/manifests/server.pp", text), Vec::<&str>::new());
        assert_ne!(codes("/etc/modules/ntp/manifests/client.pp", text), Vec::<&str>::new());
    }
}
