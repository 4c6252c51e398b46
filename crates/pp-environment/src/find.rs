//! Which files belong to an environment (spec 07 §5.14).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::Diagnostic;
use rustc_hash::FxHashSet;

use crate::error::EnvironmentError;
use crate::limits::MAX_FILES;
use crate::settings::{ModulePathEntry, Settings};

/// Maximum depth of nested directories.
const MAX_DEPTH: usize = 64;

/// What a path on the command line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A manifest on its own.
    Manifest(PathBuf),
    /// A directory of manifests, which are evaluated as one program.
    Manifests(PathBuf),
    /// An environment: a directory with `manifests`, `modules` or `environment.conf`.
    Environment(PathBuf),
}

impl Input {
    /// Classifies a path.
    ///
    /// # Errors
    /// A path that cannot be read, or is neither a manifest nor a directory.
    pub fn of_path(path: &Path) -> Result<Input, EnvironmentError> {
        if is_standard_input(path) {
            return Ok(Input::Manifest(path.to_owned()));
        }
        let metadata = path.metadata().map_err(|error| EnvironmentError::unreadable(path, error))?;
        if !metadata.is_dir() {
            return match path.extension() {
                Some(extension) if extension == "pp" => Ok(Input::Manifest(path.to_owned())),
                _ => Err(EnvironmentError::NotAManifest(path.to_owned())),
            };
        }
        let is_environment =
            path.join("environment.conf").is_file() || ["manifests", "modules"].iter().any(|d| path.join(d).is_dir());
        Ok(if is_environment { Input::Environment(path.to_owned()) } else { Input::Manifests(path.to_owned()) })
    }

    /// Returns the directory that the names of files are relative to.
    #[must_use]
    pub fn root(&self) -> &Path {
        match self {
            Input::Manifest(path) => {
                path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
            }
            Input::Manifests(path) | Input::Environment(path) => path,
        }
    }
}

/// Whether a path on the command line is `-`: a manifest on standard input.
#[must_use]
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// The files of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The main manifests in the order of their evaluation.
    pub manifests: Vec<PathBuf>,
    /// The modules in the order of the module path; the first of a name wins.
    pub modules: Vec<Module>,
    /// The directories of the module path.
    pub module_path: Vec<PathBuf>,
    /// What is doubtful in the settings of the environment.
    pub warnings: Vec<Diagnostic>,
}

/// A module: a directory, or a link to one, in a directory of the module path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The name, which is that of the directory or link.
    pub name: Arc<str>,
    /// The directory.
    pub directory: PathBuf,
}

/// The files of modules that an artifact holds, by their paths.
pub(crate) type StoredFiles = BTreeMap<String, Vec<u8>>;

impl Module {
    /// Lists the `.pp` files in `manifests`, `functions` and `types`, sorted, with their paths in the module.
    pub(crate) fn manifests(&self) -> Result<Vec<(PathBuf, String)>, EnvironmentError> {
        let mut found = Vec::new();
        for folder in ["manifests", "functions", "types"] {
            for path in files_below(&self.directory.join(folder), Some("pp"))? {
                let inside = path.strip_prefix(&self.directory).ok().and_then(Path::to_str).map(str::to_owned);
                found.extend(inside.map(|inside| (path, inside)));
            }
        }
        Ok(found)
    }
}

/// Lists the main manifests of an environment, and its modules: those of the environment, and those in `module_path`, which
/// come where the environment says `$basemodulepath`, or last.
///
/// # Errors
/// A directory that cannot be read, or has too many files; a directory without manifests that is not an environment.
pub fn find(input: &Input, module_path: &[PathBuf]) -> Result<Layout, EnvironmentError> {
    let mut warnings = Vec::new();
    let (manifests, directories) = match input {
        Input::Manifest(path) => (vec![path.clone()], module_path.to_vec()),
        Input::Manifests(path) => (files_below(path, Some("pp"))?, module_path.to_vec()),
        Input::Environment(path) => {
            let settings = Settings::read(path)?;
            warnings = settings.warnings(path);
            let manifest = settings.manifest.unwrap_or_else(|| path.join("manifests"));
            let manifests = if manifest.is_file() { vec![manifest] } else { files_below(&manifest, Some("pp"))? };
            let own = settings.module_path.unwrap_or_else(|| vec![ModulePathEntry::Directory(path.join("modules"))]);
            (manifests, module_directories(own, module_path))
        }
    };
    // An environment may consist of modules alone: the classes of a node come from elsewhere, too.
    if manifests.is_empty() && !matches!(input, Input::Environment(_)) {
        return Err(EnvironmentError::NoManifests(input.root().to_owned()));
    }
    Ok(Layout { manifests, modules: modules_in(&directories)?, module_path: directories, warnings })
}

/// Returns the module path of an environment: the base comes where the environment says it, or last.
fn module_directories(own: Vec<ModulePathEntry>, base: &[PathBuf]) -> Vec<PathBuf> {
    let mut directories = Vec::with_capacity(own.len() + base.len());
    let mut has_base = false;
    for entry in own {
        match entry {
            ModulePathEntry::Directory(path) => directories.push(path),
            ModulePathEntry::Base => {
                directories.extend_from_slice(base);
                has_base = true;
            }
        }
    }
    if !has_base {
        directories.extend_from_slice(base);
    }
    directories
}

/// Lists the modules in the directories of a module path. A directory that does not exist has none.
pub(crate) fn modules_in(directories: &[PathBuf]) -> Result<Vec<Module>, EnvironmentError> {
    let mut modules: Vec<Module> = Vec::new();
    let mut names = FxHashSet::default();
    for directory in directories.iter().filter(|directory| directory.is_dir()) {
        for (name, path) in entries(directory)? {
            if is_module_name(&name) && path.is_dir() && names.insert(name.clone()) {
                modules.push(Module { name: name.into(), directory: path });
            }
        }
    }
    Ok(modules)
}

/// Whether a directory with this name is a module: `[a-z]\w*`.
pub(crate) fn is_module_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a path on the command line is Puppet code: a manifest or template, or a directory of them without an mcl program.
#[must_use]
pub fn is_puppet_path(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "pp" || extension == "epp") {
        return true;
    }
    let has = |name: &str| path.join(name).symlink_metadata().is_ok();
    if !path.is_dir() || has("main.mcl") || has("metadata.yaml") {
        return false;
    }
    // A module may have resource types, functions or data only.
    let code = ["environment.conf", "manifests", "functions", "types", "plans", "metadata.json", "lib/puppet"];
    code.into_iter().any(has) || files_below(path, Some("pp")).is_ok_and(|files| !files.is_empty())
}

/// Lists the manifests and templates that a path stands for: the file itself, or all in a directory.
///
/// # Errors
/// A path that cannot be read, a directory with too many files.
pub fn puppet_files(path: &Path) -> Result<Vec<PathBuf>, EnvironmentError> {
    if is_standard_input(path) {
        return Ok(vec![path.to_owned()]);
    }
    let metadata = path.metadata().map_err(|error| EnvironmentError::unreadable(path, error))?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = files_below(path, Some("pp"))?;
    files.extend(files_below(path, Some("epp"))?);
    files.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    Ok(files)
}

/// The folders of a module or environment that have manifests and templates of its own. Those of others that it is tested
/// with are elsewhere.
const OWN_FOLDERS: [&str; 5] = ["manifests", "functions", "types", "plans", "templates"];

/// Lists the manifests and templates of the module or environment that a file belongs to, itself among them; none for a file
/// that is not in a folder of one. The path must be absolute.
///
/// # Errors
/// A directory that cannot be read, or has too many files.
pub fn files_beside(path: &Path) -> Result<Vec<PathBuf>, EnvironmentError> {
    let Some(root) = root_of(path) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for folder in OWN_FOLDERS.map(|folder| root.join(folder)).into_iter().filter(|folder| folder.is_dir()) {
        files.extend(puppet_files(&folder)?);
    }
    Ok(files)
}

/// Returns the directory of the module or environment that a file belongs to: a module with metadata, or else the directory
/// of the nearest `manifests`, or of another folder.
pub(crate) fn root_of(path: &Path) -> Option<&Path> {
    let is_own = |folder: &&Path| folder.file_name().is_some_and(|name| OWN_FOLDERS.iter().any(|own| name == *own));
    let folders = || path.ancestors().skip(1).filter(is_own).filter_map(|folder| Some((folder, folder.parent()?)));
    let with_metadata = folders().find(|(_, root)| root.join("metadata.json").is_file());
    let of_manifests = || folders().find(|(folder, _)| folder.ends_with("manifests"));
    with_metadata.or_else(of_manifests).or_else(|| folders().next()).map(|(_, root)| root)
}

/// Lists the files (with an extension) in a directory and below it, in the order of the bytes of their paths. A directory that
/// does not exist has none. Hidden files and directories are left out, and links to directories are not followed.
pub(crate) fn files_below(directory: &Path, extension: Option<&str>) -> Result<Vec<PathBuf>, EnvironmentError> {
    let mut files = Vec::new();
    let mut seen = 0;
    let mut pending = vec![(directory.to_owned(), 0)];
    if !directory.is_dir() {
        return Ok(files);
    }
    while let Some((current, depth)) = pending.pop() {
        if depth > MAX_DEPTH {
            return Err(EnvironmentError::TooDeep(directory.to_owned()));
        }
        for (name, path) in entries(&current)? {
            seen += 1;
            if seen > MAX_FILES {
                return Err(EnvironmentError::TooManyFiles(directory.to_owned()));
            }
            if name.starts_with('.') {
                continue;
            }
            // A file that vanishes between two calls is not one of the directory's.
            let Ok(metadata) = path.symlink_metadata() else { continue };
            let has_extension = extension.is_none_or(|wanted| path.extension().is_some_and(|e| e == wanted));
            if metadata.is_dir() {
                pending.push((path, depth + 1));
            } else if has_extension && (metadata.is_file() || path.is_file()) {
                files.push(path);
            }
        }
    }
    files.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    Ok(files)
}

/// Returns the names and paths in a directory, sorted. Names that are not UTF-8 cannot be Puppet's.
pub(crate) fn entries(directory: &Path) -> Result<Vec<(String, PathBuf)>, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(directory, error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if let Ok(name) = entry.file_name().into_string() {
            entries.push((name, entry.path()));
        }
    }
    entries.sort_unstable();
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_a_manifest_are_those_of_its_module() {
        let root = tree(&[
            "m/metadata.json",
            "m/manifests/init.pp",
            "m/manifests/types/a.pp",
            "m/types/port.pp",
            "m/templates/a.epp",
            "m/templates/a.erb",
            "m/spec/fixtures/modules/other/manifests/init.pp",
            "e/manifests/site.pp",
            "e/modules/n/functions/f.pp",
            "loose.pp",
        ]);
        let beside = |file: &str| -> Vec<String> {
            let files = files_beside(&root.path().join(file)).expect("readable");
            let name = |path: PathBuf| Some(path.strip_prefix(root.path()).ok()?.to_str()?.to_owned());
            files.into_iter().filter_map(name).collect()
        };
        let module = ["m/manifests/init.pp", "m/manifests/types/a.pp", "m/types/port.pp", "m/templates/a.epp"];
        for file in module {
            assert_eq!(beside(file), module, "{file}");
        }
        let other = "m/spec/fixtures/modules/other/manifests/init.pp";
        assert_eq!(beside(other), [other]);
        assert_eq!(beside("e/manifests/site.pp"), ["e/manifests/site.pp"]);
        assert_eq!(beside("e/modules/n/functions/f.pp"), ["e/modules/n/functions/f.pp"]);
        assert_eq!(beside("loose.pp"), [""; 0]);
    }

    /// Makes files, and returns the directory.
    fn tree(files: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for file in files {
            let path = directory.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, "").expect("writable");
        }
        directory
    }

    fn relative(paths: &[PathBuf], root: &Path) -> Vec<String> {
        paths.iter().map(|p| p.strip_prefix(root).expect("inside").display().to_string()).collect()
    }

    #[test]
    fn manifests_of_a_directory_are_in_byte_order() {
        let root = tree(&["sub/z.pp", "site.pp", "C.pp", "a.pp", ".hidden.pp", ".git/x.pp", "note.txt"]);
        let input = Input::of_path(root.path()).expect("a directory");
        assert_eq!(input, Input::Manifests(root.path().to_owned()));
        let layout = find(&input, &[]).expect("found");
        assert_eq!(relative(&layout.manifests, root.path()), ["C.pp", "a.pp", "site.pp", "sub/z.pp"]);
    }

    #[test]
    fn the_first_module_of_a_name_wins() {
        let root = tree(&[
            "manifests/site.pp",
            "site/ntp/manifests/init.pp",
            "modules/ntp/manifests/init.pp",
            "modules/ntp/types/ensure.pp",
            "modules/Other/manifests/init.pp",
        ]);
        std::fs::write(root.path().join("environment.conf"), "modulepath = site:modules\n").expect("writable");
        let input = Input::of_path(root.path()).expect("a directory");
        let layout = find(&input, &[]).expect("found");
        assert_eq!(relative(&layout.manifests, root.path()), ["manifests/site.pp"]);
        let [module] = layout.modules.as_slice() else { panic!("one module: {:?}", layout.modules) };
        let files: Vec<String> = module.manifests().expect("readable").into_iter().map(|(_, inside)| inside).collect();
        assert_eq!((&*module.name, files), ("ntp", vec!["manifests/init.pp".to_owned()]));
        assert_eq!(module.directory, root.path().join("site/ntp"));
    }

    #[test]
    fn the_base_module_path_comes_where_the_environment_says() {
        let root = tree(&["e/manifests/site.pp", "e/own/m/x", "base/m/x", "base/n/x"]);
        let conf = root.path().join("e/environment.conf");
        let input = Input::Environment(root.path().join("e"));
        let found = |text: &str| {
            std::fs::write(&conf, text).expect("writable");
            let layout = find(&input, &[root.path().join("base")]).expect("found");
            let directories: Vec<PathBuf> = layout.modules.into_iter().map(|module| module.directory).collect();
            relative(&directories, root.path())
        };
        assert_eq!(found("modulepath = $basemodulepath:own\n"), ["base/m", "base/n"]);
        assert_eq!(found("modulepath = own:$basemodulepath\n"), ["e/own/m", "base/n"]);
        assert_eq!(found("modulepath = own\n"), ["e/own/m", "base/n"]);
    }

    #[test]
    fn a_module_may_be_a_link() {
        let root = tree(&["manifests/site.pp", "packages/Author-web-1.0/manifests/init.pp", "modules/.keep"]);
        let link = root.path().join("modules/web");
        std::os::unix::fs::symlink(root.path().join("packages/Author-web-1.0"), link).expect("writable");
        let layout = find(&Input::Environment(root.path().to_owned()), &[]).expect("found");
        let files = layout.modules[0].manifests().expect("readable");
        assert_eq!(files.into_iter().map(|(_, inside)| inside).collect::<Vec<_>>(), ["manifests/init.pp"]);
    }

    #[test]
    fn a_directory_without_manifests_is_an_error_unless_it_is_an_environment() {
        let root = tree(&["modules/ntp/manifests/init.pp", "empty/x"]);
        let input = Input::of_path(root.path()).expect("a directory");
        assert!(find(&input, &[]).is_ok_and(|layout| layout.manifests.is_empty()));
        let input = Input::of_path(&root.path().join("empty")).expect("a directory");
        assert!(matches!(find(&input, &[]), Err(EnvironmentError::NoManifests(_))));
    }

    #[test]
    fn links_to_directories_are_not_followed() {
        let root = tree(&["a.pp"]);
        std::os::unix::fs::symlink(root.path(), root.path().join("again")).expect("writable");
        std::os::unix::fs::symlink(root.path().join("a.pp"), root.path().join("b.pp")).expect("writable");
        let files = puppet_files(root.path()).expect("found");
        assert_eq!(relative(&files, root.path()), ["a.pp", "b.pp"]);
    }

    #[test]
    fn a_module_without_manifests_is_a_path_of_puppet() {
        for files in [&["metadata.json"], &["lib/puppet/type/a.rb"]] {
            let root = tree(files);
            assert!(is_puppet_path(root.path()), "{files:?}");
            assert!(puppet_files(root.path()).is_ok_and(|found| found.is_empty()), "{files:?}");
        }
        assert!(!is_puppet_path(tree(&["README.md"]).path()));
    }

    #[test]
    fn a_program_of_mcl_is_not_a_path_of_puppet() {
        let root = tree(&["main.mcl", "manifests/site.pp"]);
        assert!(!is_puppet_path(root.path()));
        assert!(is_puppet_path(&root.path().join("manifests")));
        assert!(is_puppet_path(Path::new("x.epp")));
    }
}
