//! System modules, or parts of them, that are written in mcl (spec 01 §6.4, spec 03 §8).
//!
//! Their files lie in `embedded/` of this crate. They import system modules only, so nothing of a machine's file system
//! has a part in them, and they have the metadata that a module without a word in its `metadata.yaml` has.

/// What the name of an embedded file begins with.
pub(crate) const SCHEME: &str = "embeddedfs:";

/// A system module that has a part in mcl. There may be native functions under the same name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct EmbeddedModule {
    /// What a program imports.
    pub name: &'static str,
    /// Paths inside the module, and the texts there. What `deploy.readfile("/files/x")` reads in the module's code is
    /// `files/x`.
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

/// All modules that are embedded.
pub static EMBEDDED_MODULES: &[EmbeddedModule] = &[
    module!("embedded/provisioner":
        "metadata.yaml" "main.mcl" "files/autoexec.ipxe.tmpl" "files/host.ipxe.tmpl" "files/kickstart.ks.tmpl"),
    module!("example": "metadata.yaml" "main.mcl"),
];

/// The module of exactly that name.
pub(crate) fn find(name: &str) -> Option<&'static EmbeddedModule> {
    EMBEDDED_MODULES.iter().find(|module| module.name == name)
}

impl EmbeddedModule {
    /// The file that the module starts with.
    pub(crate) const MAIN: &'static str = "main.mcl";

    /// The text of the main file.
    #[must_use]
    pub fn main(&self) -> &'static str {
        self.files.iter().find(|(path, _)| *path == Self::MAIN).map_or("", |(_, text)| text)
    }

    /// How messages name a file of the module.
    pub(crate) fn uri(&self, path: &str) -> String {
        format!("{SCHEME}///{}/{path}", self.name)
    }

    /// Where its files lie inside a deploy. The colon keeps them apart from the files of the program.
    pub(crate) fn deploy_dir(&self) -> String {
        format!("/{SCHEME}/{}/", self.name)
    }
}
