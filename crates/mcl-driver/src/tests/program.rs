//! Programs of one or more files, as tests write them.

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Diagnostic, Files};
use mcl_modules::{Input, LoadError, Options};

use crate::compile;

/// What the compiler says about a program.
pub struct Checked {
    pub diagnostics: Vec<Diagnostic>,
    pub files: Files,
}

/// Compiles a program whose first file is `main.mcl`. With a `metadata.yaml`, the program is the directory.
pub fn check(files: &[(&str, String)]) -> Checked {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("the directory can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    let is_module = files.iter().any(|(name, _)| *name == "metadata.yaml");
    let main = if is_module { directory.path().to_owned() } else { directory.path().join("main.mcl") };
    let input = Input::from_path(&main).expect("the program can be read");
    match mcl_modules::load(&input, &Options::default()) {
        Ok(loaded) => {
            let files = loaded.files.clone();
            Checked { diagnostics: compile(loaded, &[ArtifactStage::Fgraph], || ()).diagnostics, files }
        }
        Err(LoadError::Invalid { diagnostics, files, .. }) => Checked { diagnostics, files },
        Err(LoadError::Input(error)) => panic!("{error}"),
    }
}
