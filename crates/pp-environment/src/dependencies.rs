//! The dependencies of modules, compared with the modules that there are.
//!
//! Puppet does not look at them when it compiles: a class of a missing module is an unknown class. So they are warnings, and
//! they help where a name is unknown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Span, Stage, nearest};
use pp_types::{SemVer, SemVerRange};

use crate::error::EnvironmentError;
use crate::find::{Input, Module, entries, find, modules_in};
use crate::load::name_of;
use crate::metadata::{ForgeName, METADATA, Metadata, MetadataError, Requirement};
use crate::node::EMULATED_VERSION;
use crate::read::read_inside;

/// Compares the dependencies of some of the modules with all of them, and returns warnings. The `metadata.json` that they refer
/// to are added to the files, with names relative to `base`.
pub(crate) fn check_dependencies(
    modules: &[Module],
    checked: &mut dyn Iterator<Item = &Module>,
    files: &mut Files,
    base: &Path,
) -> Vec<Diagnostic> {
    let known = Known::new(modules);
    let mut warnings = Vec::new();
    for module in checked {
        let Some(text) = read_text(module) else { continue };
        let id = files.files.next_key();
        let found = match Metadata::parse(&text) {
            Ok(metadata) => known.check(module, &metadata, &Text { id, text: &text }),
            Err(error) => vec![unreadable(module, &error, &text, id)],
        };
        if !found.is_empty() {
            files.add(name_of(&module.directory.join(METADATA), base), text);
            warnings.extend(found);
        }
    }
    warnings
}

/// Does the same for dependencies on modules that are missing. Wrong versions are common, and most of them work.
#[must_use]
pub fn absent_modules(
    modules: &[Module],
    checked: &mut dyn Iterator<Item = &Module>,
    files: &mut Files,
    base: &Path,
) -> Vec<Diagnostic> {
    let mut warnings = check_dependencies(modules, checked, files, base);
    warnings.retain(|warning| warning.message.ends_with(ABSENT));
    warnings
}

/// Compares the dependencies of the modules that a directory holds: of an environment, of a module, or of modules. The names of
/// files are relative to the directory.
///
/// # Errors
/// A directory that cannot be read.
pub fn check_dependencies_in(
    directory: &Path,
    module_path: &[PathBuf],
    files: &mut Files,
) -> Result<Vec<Diagnostic>, EnvironmentError> {
    let is_environment = ["environment.conf", "modules"].iter().any(|name| directory.join(name).exists());
    let is_module = !is_environment && directory.join(METADATA).is_file();
    let mut modules = if is_module {
        modules_in(module_path)?
    } else if is_environment {
        find(&Input::Environment(directory.to_owned()), module_path)?.modules
    } else {
        modules_in(&[&[directory.to_owned()], module_path].concat())?
    };
    if is_module {
        let name = directory.canonicalize().ok().and_then(|path| path.file_name()?.to_str().map(str::to_owned));
        // The directory of a working copy may have any name.
        let name = name.map_or_else(String::new, |name| ForgeName::parse(&name).map_or(name, |full| full.module));
        modules.insert(0, Module { name: name.into(), directory: directory.to_owned() });
    }
    let is_inside = |module: &&Module| module.directory.starts_with(directory);
    let mut warnings = check_dependencies(&modules, &mut modules.iter().filter(is_inside), files, directory);
    if is_module && module_path.is_empty() {
        // Where its dependencies are is not known.
        warnings.retain(|diagnostic| !diagnostic.message.ends_with(ABSENT));
    }
    Ok(warnings)
}

const ABSENT: &str = "which is not on the module path";

/// Returns what helps with a module that is not among these: who depends on it, or a directory whose name is wrong.
pub(crate) fn absent_module(modules: &[Module], name: &str) -> Option<String> {
    misnamed_directory(modules, name).or_else(|| {
        modules.iter().find_map(|module| {
            let (dependency, _) = absent(modules, module).into_iter().find(|(_, full)| full.module == name)?;
            Some(format!(
                "the module `{}` depends on {}: {}",
                module.name,
                described(&dependency),
                how_to_add(&dependency)
            ))
        })
    })
}

/// Returns the dependencies of a module that are not among these.
pub(crate) fn absent_dependencies(modules: &[Module], of: &str) -> Vec<String> {
    let module = modules.iter().find(|module| &*module.name == of);
    let absent = module.map(|module| absent(modules, module)).unwrap_or_default();
    absent.iter().map(|(dependency, _)| described(dependency)).collect()
}

fn absent(modules: &[Module], module: &Module) -> Vec<(Requirement, ForgeName)> {
    let metadata = read_text(module).and_then(|text| Metadata::parse(&text).ok()).unwrap_or_default();
    let named = metadata.dependencies.into_iter().filter_map(|it| ForgeName::parse(&it.name).map(|name| (it, name)));
    named.filter(|(_, name)| modules.iter().all(|known| *known.name != *name.module)).collect()
}

/// Finds a directory beside the modules that would be the module if it had its name: `puppetlabs-stdlib`.
fn misnamed_directory(modules: &[Module], name: &str) -> Option<String> {
    let mut parents: Vec<&Path> = modules.iter().filter_map(|module| module.directory.parent()).collect();
    parents.sort_unstable();
    parents.dedup();
    parents.into_iter().find_map(|parent| {
        let names = entries(parent).unwrap_or_default().into_iter();
        let (directory, _) =
            names.filter(|(directory, path)| directory != name && path.is_dir()).find(|(directory, _)| {
                ForgeName::parse(directory).is_some_and(|full| full.module == name)
                    || directory.eq_ignore_ascii_case(name)
            })?;
        Some(format!(
            "the directory `{directory}` is not the module `{name}`, because of its name: rename it to `{name}`"
        ))
    })
}

fn read_text(module: &Module) -> Option<String> {
    let bytes = read_inside(&module.directory, &module.directory.join(METADATA)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// `puppetlabs/stdlib` with the versions that are required.
fn described(requirement: &Requirement) -> String {
    match &requirement.versions {
        Some(versions) => format!("`{}` {versions}", requirement.name),
        None => format!("`{}`", requirement.name),
    }
}

fn how_to_add(dependency: &Requirement) -> String {
    format!(
        "`puppet module install {}` installs it; if it is there, `--puppet-module-path` names its directory",
        dependency.name.replacen('/', "-", 1)
    )
}

fn unreadable(module: &Module, error: &MetadataError, text: &str, id: FileId) -> Diagnostic {
    let (reason, at) = match error {
        MetadataError::Json { reason, line, column } => (reason.as_str(), (*line, *column)),
        MetadataError::NotAHash => ("not a hash", (1, 1)),
    };
    let message = format!("invalid metadata of the module `{}`: {reason}", module.name);
    warning(message, character(id, text, at)).help("`metadata.json` is a hash in JSON, in UTF-8")
}

/// Returns the span of the character at a line and column of bytes, which count from one.
fn character(id: FileId, text: &str, (line, column): (usize, usize)) -> Span {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let start = text.floor_char_boundary((before + column.saturating_sub(1)).min(text.len().saturating_sub(1)));
    let end = start + text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(id, offset(start), offset(end))
}

fn warning(message: String, span: Span) -> Diagnostic {
    Diagnostic::warning(Code::W0353, Stage::Puppet, message).at(span)
}

/// The text of a file, for locations.
struct Text<'a> {
    id: FileId,
    text: &'a str,
}

impl Text<'_> {
    /// Returns where a string is, after another one.
    fn find(&self, after: &str, string: &str) -> Span {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let start = self.text.find(&quoted(after)).unwrap_or(0);
        let quoted = quoted(string);
        let found = self.text.get(start..).and_then(|rest| rest.find(&quoted)).map_or(start, |at| start + at);
        let end =
            found + if self.text.get(found..).is_some_and(|rest| rest.starts_with(&quoted)) { quoted.len() } else { 1 };
        let to_u32 = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span::new(self.id, to_u32(found), to_u32(end))
    }
}

/// The modules that dependencies are compared with.
struct Known<'a>(BTreeMap<&'a str, &'a Module>);

impl<'a> Known<'a> {
    fn new(modules: &'a [Module]) -> Known<'a> {
        Known(modules.iter().map(|module| (&*module.name, module)).collect())
    }

    fn check(&self, module: &Module, metadata: &Metadata, text: &Text<'_>) -> Vec<Diagnostic> {
        let dependencies =
            metadata.dependencies.iter().filter_map(|dependency| self.check_one(module, dependency, text));
        let puppet = metadata.requirements.iter().filter(|requirement| requirement.name == "puppet");
        dependencies.chain(puppet.filter_map(|requirement| check_puppet(module, requirement, text))).collect()
    }

    fn check_one(&self, module: &Module, dependency: &Requirement, text: &Text<'_>) -> Option<Diagnostic> {
        let Requirement { name, versions } = dependency;
        let at_name = || text.find("dependencies", name);
        let Some(full) = ForgeName::parse(name) else {
            let message = format!("`{name}` is not the name of a module");
            let help = "write `author/name` or `author-name`, such as `puppetlabs/stdlib`";
            return Some(warning(message, at_name()).help(help));
        };
        let range = match versions.as_deref().map(|versions| (versions, SemVerRange::parse(versions))) {
            Some((versions, Err(_))) => {
                let message = format!("`{versions}` is not a range of versions");
                let help = "write bounds, such as `>= 1.0.0 < 2.0.0`, or `1.x`";
                return Some(warning(message, text.find(name, versions)).help(help));
            }
            Some((versions, Ok(range))) => Some((versions, range)),
            None => None,
        };
        let Some(found) = self.0.get(&*full.module) else {
            let message = format!("the module `{}` depends on `{name}`, {ABSENT}", module.name);
            let help = match nearest(&full.module, self.0.keys().copied()) {
                Some(similar) => format!("did you mean the module `{similar}`?"),
                None => how_to_add(dependency),
            };
            return Some(warning(message, at_name()).help(help));
        };
        // A module without metadata is what its name says, in whatever version.
        let metadata = read_text(found).and_then(|text| Metadata::parse(&text).ok()).unwrap_or_default();
        if let Some(other) = metadata.name.filter(|other| other.module == full.module && !other.is_same(&full)) {
            let message = format!("the module `{}` depends on `{name}`, found `{other}`", module.name);
            let help = format!("`{}` is the module of another author", found.directory.display());
            return Some(warning(message, at_name()).help(help));
        }
        let (versions, range) = range?;
        let version = metadata.version.filter(|version| !range.contains(version))?;
        let message = format!("the module `{}` depends on `{name}` {versions}, found {version}", module.name);
        let help =
            format!("install a version of `{name}` that is in the range, or another version of `{}`", module.name);
        Some(warning(message, text.find(name, versions)).help(help))
    }
}

fn check_puppet(module: &Module, requirement: &Requirement, text: &Text<'_>) -> Option<Diagnostic> {
    let versions = requirement.versions.as_deref()?;
    let range = SemVerRange::parse(versions).ok()?;
    let version = SemVer::parse(EMULATED_VERSION)?;
    if range.contains(&version) {
        return None;
    }
    let message = format!("the module `{}` needs Puppet {versions}", module.name);
    let help = format!("manifests are compiled as Puppet {version} does");
    Some(warning(message, text.find("requirements", versions)).help(help))
}

#[cfg(test)]
mod tests {
    use test_support::Scratch;

    use super::*;

    fn modules(scratch: &Scratch) -> Vec<Module> {
        crate::find::modules_in(&[scratch.path("modules")]).expect("readable")
    }

    /// Checks the dependencies of the module `web`; each line is the source of a warning, its message and its help.
    fn check(metadata: &str, others: &[(&str, &str)]) -> Vec<String> {
        let scratch = Scratch::with_files([("modules/web/metadata.json", metadata)]);
        for (module, text) in others {
            scratch.write(format!("modules/{module}/metadata.json"), text);
        }
        let modules = modules(&scratch);
        let mut web = modules.iter().filter(|module| &*module.name == "web");
        let mut files = Files::default();
        let diagnostics = check_dependencies(&modules, &mut web, &mut files, scratch.dir());
        let source = |span: Span| files.text(span).to_owned();
        let line = |d: Diagnostic| {
            let help = d.help.unwrap_or_default().replace(&scratch.dir().display().to_string(), "");
            format!("{}: {} ({help})", d.span.map(source).unwrap_or_default(), d.message)
        };
        diagnostics.into_iter().map(line).collect()
    }

    fn depends(list: &str) -> String {
        format!(r#"{{"name": "a-web", "version": "1.0.0", "dependencies": [{list}]}}"#)
    }

    #[test]
    fn satisfied_dependencies_are_silent() {
        let list = r#"{"name": "puppetlabs/stdlib", "version_requirement": ">= 4.0.0 < 9.0.0"}, {"name": "b-c"}, {"name": "d/e", "version_requirement": "2.x"}"#;
        let others =
            [("stdlib", r#"{"name": "Puppetlabs-stdlib", "version": "8.5.0"}"#), ("c", "{}"), ("e", "not JSON")];
        assert_eq!(check(&depends(list), &others), Vec::<String>::new());
    }

    #[test]
    fn each_violation_is_a_warning_at_its_place() {
        let list = r#"{"name": "puppetlabs/concat", "version_requirement": "1.x"}, {"name": "puppetlabs/stdlob"},
            {"name": "stdlib"}, {"name": "puppetlabs/stdlib", "version_requirement": ">= 9.0.0"},
            {"name": "other/stdlib"}, {"name": "x/stdlib", "version_requirement": "4 until 5"}"#;
        let found = check(&depends(list), &[("stdlib", r#"{"name": "puppetlabs-stdlib", "version": "8.5.0"}"#)]);
        expect_test::expect![[r#"
            "puppetlabs/concat": the module `web` depends on `puppetlabs/concat`, which is not on the module path (`puppet module install puppetlabs-concat` installs it; if it is there, `--puppet-module-path` names its directory)
            "puppetlabs/stdlob": the module `web` depends on `puppetlabs/stdlob`, which is not on the module path (did you mean the module `stdlib`?)
            "stdlib": `stdlib` is not the name of a module (write `author/name` or `author-name`, such as `puppetlabs/stdlib`)
            ">= 9.0.0": the module `web` depends on `puppetlabs/stdlib` >= 9.0.0, found 8.5.0 (install a version of `puppetlabs/stdlib` that is in the range, or another version of `web`)
            "other/stdlib": the module `web` depends on `other/stdlib`, found `puppetlabs/stdlib` (`/modules/stdlib` is the module of another author)
            "4 until 5": `4 until 5` is not a range of versions (write bounds, such as `>= 1.0.0 < 2.0.0`, or `1.x`)"#]]
        .assert_eq(&found.join("\n"));
    }

    #[test]
    fn the_version_of_puppet_counts() {
        let metadata = |versions: &str| {
            format!(r#"{{"requirements": [{{"name": "puppet", "version_requirement": "{versions}"}}]}}"#)
        };
        assert_eq!(check(&metadata(">= 6.0.0 < 9.0.0"), &[]), Vec::<String>::new());
        let found = check(&metadata(">= 8.0.0 < 9.0.0"), &[]);
        assert!(
            found[0].starts_with("\">= 8.0.0 < 9.0.0\": the module `web` needs Puppet >= 8.0.0 < 9.0.0"),
            "{found:?}"
        );
    }

    #[test]
    fn broken_metadata_is_a_warning_where_it_breaks() {
        let found = check("{\"name\" \"a-web\"}", &[]);
        assert_eq!(
            found,
            ["\": invalid metadata of the module `web`: expected `:` (`metadata.json` is a hash in JSON, in UTF-8)"]
        );
        for text in ["", "é", "[1]", "\u{feff}{}"] {
            assert_eq!(check(text, &[]).len(), 1, "{text:?}");
        }
    }

    #[test]
    fn a_module_that_is_absent_is_known_to_those_that_need_it() {
        let scratch = Scratch::with_files([
            ("modules/web/metadata.json", depends(r#"{"name": "puppetlabs/concat", "version_requirement": "1.x"}"#)),
            ("modules/puppetlabs-stdlib/metadata.json", "{}".to_owned()),
        ]);
        let modules = modules(&scratch);
        let help = absent_module(&modules, "concat").expect("a help");
        assert!(help.starts_with("the module `web` depends on `puppetlabs/concat` 1.x: "), "{help}");
        let help = absent_module(&modules, "stdlib").expect("a help");
        assert!(help.ends_with("rename it to `stdlib`"), "{help}");
        assert_eq!(absent_module(&modules, "other"), None);
        assert_eq!(absent_dependencies(&modules, "web"), ["`puppetlabs/concat` 1.x"]);
    }
}
