//! The artifact of an environment: its parsed manifests, its data, and the files that functions read from its modules.
//!
//! No path of the building machine is in it: files outside the environment are named as if they were in its `modules`. What
//! is read back is checked before it is used, so that no index of a tree is out of range.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_evaluator::{Environment, Origin};
use pp_facts::is_fact_data;
use pp_resource_types::Reading;
use serde::{Deserialize, Serialize};

use crate::data::{StoredLayer, data_files};
use crate::error::EnvironmentError;
use crate::find::{Module, StoredFiles, files_below};
use crate::limits::MAX_FILE_BYTES;
use crate::load::Loaded;
use crate::metadata::METADATA;
use crate::read::{check_inside, read_file, read_start};
use crate::ruby_facts::files_to_store;
use crate::ruby_functions::ruby_function_files;
use crate::ruby_types::{RubyTypes, is_valid};
use crate::services::DiskServices;

/// Where a module has external facts.
pub(crate) const FACTS: &str = "facts.d";

/// An environment as an artifact holds it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct StoredEnvironment {
    /// The manifests.
    pub environment: Environment,
    /// The names of the modules.
    modules: Vec<String>,
    /// The files in `files` and `templates` of the modules, by their paths: `modules/NAME/templates/…`, the files of data:
    /// `hiera.yaml`, `data/…`, `modules/NAME/data/…`, `modules/NAME/metadata.json`, manifests with errors, and
    /// functions in Ruby: `modules/NAME/lib/puppet/functions/…`, and external facts: `modules/NAME/facts.d/…`.
    files: BTreeMap<String, Vec<u8>>,
    /// The resource types of the modules, by their names.
    types: BTreeMap<String, Reading>,
}

impl StoredEnvironment {
    /// Takes a parsed environment and reads the other files of its modules.
    ///
    /// # Errors
    /// A file that cannot be read, too many or too large files.
    pub fn new(loaded: Loaded) -> Result<StoredEnvironment, EnvironmentError> {
        let Loaded { mut environment, modules, root, hiera_config, broken, .. } = loaded;
        for file in environment.files.files.values_mut() {
            let module = modules.iter().find_map(|module| {
                let inside = PathBuf::from(&*file.name).strip_prefix(&module.directory).ok()?.to_str()?.to_owned();
                Some(format!("modules/{}/{inside}", module.name))
            });
            if let Some(name) = module {
                file.name = name.into();
            }
        }
        let mut files = StoredFiles::new();
        let mut ruby_fact_files: Vec<(String, Vec<u8>)> = Vec::new();
        let mut size = 0;
        let mut add_named = |root: &Path, paths: Vec<(String, PathBuf)>| {
            for (name, path) in paths {
                let bytes = read_file(&path)?;
                size += bytes.len() as u64;
                if size > MAX_FILE_BYTES {
                    return Err(EnvironmentError::ModulesTooLarge(root.to_owned()));
                }
                files.insert(name, bytes);
            }
            Ok(())
        };
        if let Some(config) = &hiera_config {
            add_named(config, data_files(StoredLayer::Global(config))?)?;
        }
        if let Some(root) = &root {
            add_named(root, data_files(StoredLayer::Environment(root))?)?;
        }
        for module in &modules {
            add_named(&module.directory, data_files(StoredLayer::Module(&module.name, &module.directory))?)?;
        }
        let mut add = |root: &Path, prefix: &str, paths: Vec<PathBuf>| {
            let inside = |path: &PathBuf| Some(format!("{prefix}{}", path.strip_prefix(root).ok()?.to_str()?));
            // A module may come from anywhere.
            paths.iter().try_for_each(|path| check_inside(root, path))?;
            let named = paths.into_iter().filter_map(|path| Some((inside(&path)?, path)));
            add_named(root, named.collect())
        };
        for module in &modules {
            let prefix = format!("modules/{}/", module.name);
            for folder in ["files", "templates"] {
                add(&module.directory, &prefix, files_below(&module.directory.join(folder), None)?)?;
            }
            let facts = files_below(&module.directory.join(FACTS), None)?;
            let is_used = |path: &PathBuf| path.parent() == Some(&module.directory.join(FACTS)) && is_fact_data(path);
            add(&module.directory, &prefix, facts.into_iter().filter(is_used).collect())?;
            let ruby_facts = files_to_store(module).map(|(path, names)| (format!("{prefix}{path}"), names));
            ruby_fact_files.extend(ruby_facts);
            let of_ruby = ruby_function_files(&module.directory)?.into_iter();
            add(&module.directory, &prefix, of_ruby.map(|path| module.directory.join(path)).collect())?;
            let metadata = module.directory.join(METADATA);
            if metadata.is_file() {
                add(&module.directory, &prefix, vec![metadata])?;
            }
            // They are parsed again, for their errors, if they are needed.
            let broken = broken.iter().filter(|path| path.starts_with(&module.directory));
            add(&module.directory, &prefix, broken.cloned().collect())?;
        }
        files.extend(ruby_fact_files);
        let types = RubyTypes::find(&modules).read_all();
        let modules = modules.iter().map(|module| module.name.to_string()).collect();
        Ok(StoredEnvironment { environment, modules, files, types })
    }

    /// Returns the artifact. Equal environments give equal bytes.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        mcl_artifact::write(ArtifactStage::Environment, self)
    }

    /// Reads an artifact.
    ///
    /// # Errors
    /// Those of the container, and A0106 for a tree that contradicts itself.
    pub fn read(bytes: &[u8]) -> Result<StoredEnvironment, Diagnostic> {
        let stored: StoredEnvironment = mcl_artifact::read(bytes, ArtifactStage::Environment)?;
        let invalid = |why: &str| {
            Diagnostic::error(Code::A0106, Stage::Artifact, format!("the artifact's content is invalid: {why}"))
                .help("build it again with `mclc puppet`")
        };
        for source in &stored.environment.sources {
            let file = stored.environment.files.get(source.tree.file);
            let file = file.ok_or_else(|| invalid("a manifest without a file"))?;
            source.tree.validate(&file.text).map_err(|why| invalid(&why.to_string()))?;
            if let Origin::Module { name, .. } = &source.origin
                && !stored.modules.iter().any(|module| **module == **name)
            {
                return Err(invalid("a manifest of an unknown module"));
            }
        }
        if !stored.types.values().all(is_valid) {
            return Err(invalid("a program of a resource type"));
        }
        Ok(stored)
    }

    /// Returns the files of external facts in an artifact at a path, by their paths; those of the first module are the last.
    pub(crate) fn fact_files_of(path: &Path) -> Option<Vec<(String, Vec<u8>)>> {
        if !is_stored(path) {
            return None;
        }
        let stored = StoredEnvironment::read(&read_file(path).ok()?).ok()?;
        let mut found = Vec::new();
        for module in stored.modules.iter().rev() {
            let prefix = format!("modules/{module}/{FACTS}/");
            let files = stored.files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
            found.extend(files.map(|(path, bytes)| (path.clone(), bytes.clone())));
        }
        Some(found)
    }

    /// Splits it into the manifests, the services that answer from its files, and the resource types of its modules.
    #[must_use]
    pub fn into_parts(self) -> (Environment, DiskServices, BTreeMap<String, Reading>) {
        let modules = self
            .modules
            .into_iter()
            .map(|name| Module { directory: PathBuf::from(format!("modules/{name}")), name: name.into() });
        (self.environment, DiskServices::of_artifact(modules.collect(), self.files), self.types)
    }
}

/// Whether a file is the artifact of an environment.
pub(crate) fn is_stored(path: &Path) -> bool {
    read_start(path).is_ok_and(|start| mcl_artifact::stage_of(&start) == Some(ArtifactStage::Environment))
}

#[cfg(test)]
mod tests {
    use pp_evaluator::Services;
    use pp_functions::FileKind;

    use super::*;
    use crate::find::{Input, find};
    use crate::load::load_all;

    fn stored() -> StoredEnvironment {
        let root = tempfile::tempdir().expect("a temporary directory");
        let files = [
            ("production/manifests/site.pp", "include web\n"),
            ("elsewhere/web/manifests/init.pp", "class web { notice(1) }\n"),
            ("elsewhere/web/templates/a.epp", "<%= 1 %>\n"),
        ];
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        let input = Input::of_path(&root.path().join("production")).expect("an environment");
        let layout = find(&input, &[root.path().join("elsewhere")]).expect("found");
        StoredEnvironment::new(load_all(&input, &layout, pp_syntax::ValidationOptions::default()).expect("readable"))
            .expect("readable")
    }

    #[test]
    fn the_layout_belongs_to_the_version_of_the_format() {
        let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/src/stored/layout.txt");
        test_support::check_layout::<StoredEnvironment>(Path::new(recorded), mcl_artifact::FORMAT_VERSION);
    }

    #[test]
    fn an_artifact_names_no_path_of_the_machine() {
        let stored = stored();
        let names: Vec<&str> = stored.environment.files.files.values().map(|file| &*file.name).collect();
        assert_eq!(names, ["manifests/site.pp", "modules/web/manifests/init.pp"]);
        let bytes = stored.write();
        assert!(!String::from_utf8_lossy(&bytes).contains("/tmp"));
        assert_eq!(StoredEnvironment::read(&bytes).expect("valid").write(), bytes);
    }

    #[test]
    fn files_of_modules_are_read_from_the_artifact() {
        let (_, services, _) = StoredEnvironment::read(&stored().write()).expect("valid").into_parts();
        let path = services.find_file(FileKind::Templates, Some("web"), "a.epp").expect("a template");
        assert_eq!(&*services.read_file(&path).expect("readable"), b"<%= 1 %>\n");
        assert_eq!(services.find_file(FileKind::Templates, Some("web"), "b.epp"), None);
        assert_eq!(services.dependencies(), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_tree_that_does_not_fit_its_file_is_rejected() {
        let mut stored = stored();
        stored.environment.files.files[mcl_diagnostics::FileId::MAIN] =
            mcl_diagnostics::SourceFile::new("manifests/site.pp", "");
        let error = StoredEnvironment::read(&stored.write()).expect_err("invalid");
        assert_eq!(error.code, Code::A0106);
    }
}
