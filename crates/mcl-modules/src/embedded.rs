//! System modules, or parts of them, that are written in mcl (spec 01 §6.4, spec 03 §8).
//!
//! Their files are in `embedded/` of this crate. They import system modules only, so they do not depend on the file system of
//! a machine, and their metadata are the defaults.

/// The prefix of the names of embedded files.
pub(crate) const SCHEME: &str = "embeddedfs:";

/// A system module that is written in mcl, at least in part: native functions of the same name may belong to it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct EmbeddedModule {
    /// The name that programs import.
    pub name: &'static str,
    /// The files by their path inside the module. In the code of the module, `deploy.readfile("/files/x")` reads `files/x`.
    pub files: &'static [(&'static str, &'static str)],
}

macro_rules! module {
    ($name:literal: $($path:literal)*) => {
        EmbeddedModule {
            name: $name,
            files: &[$(($path, include_str!(concat!("../embedded/", $name, "/", $path)))),*],
        }
    };
}

/// All embedded modules.
pub static EMBEDDED_MODULES: &[EmbeddedModule] = &[
    module!("embedded/provisioner":
        "metadata.yaml" "main.mcl" "files/autoexec.ipxe.tmpl" "files/host.ipxe.tmpl" "files/kickstart.ks.tmpl"),
    module!("example": "metadata.yaml" "main.mcl"),
];

/// Returns the module of this name.
pub(crate) fn find(name: &str) -> Option<&'static EmbeddedModule> {
    EMBEDDED_MODULES.iter().find(|module| module.name == name)
}

impl EmbeddedModule {
    /// The main file of a module.
    pub(crate) const MAIN: &'static str = "main.mcl";

    /// Returns the text of the main file.
    #[must_use]
    pub fn main(&self) -> &'static str {
        self.files.iter().find(|(path, _)| *path == Self::MAIN).map_or("", |(_, text)| text)
    }

    /// Returns the name of a file of the module in messages.
    pub(crate) fn uri(&self, path: &str) -> String {
        format!("{SCHEME}///{}/{path}", self.name)
    }

    /// Returns the directory of its files inside a deploy. The colon distinguishes them from the files of the program.
    pub(crate) fn deploy_dir(&self) -> String {
        format!("/{SCHEME}/{}/", self.name)
    }
}
