//! The parameters of a `file` resource.

use std::path::{Path, PathBuf};

use mcl_value::Str;
use resource_graph::Resource;

use crate::providers::file::attributes::Attributes;
use crate::{Failure, Params};

/// A `file` resource.
pub(super) struct File {
    /// Without a trailing slash, except for `/` itself.
    pub(super) path: PathBuf,
    pub(super) is_dir: bool,
    pub(super) state: Wanted,
    pub(super) content: Option<Str>,
    pub(super) source: String,
    pub(super) fragments: Vec<String>,
    pub(super) attributes: Attributes,
    pub(super) recurse: bool,
    pub(super) force: bool,
    pub(super) purge: bool,
    pub(super) symlink: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Exists,
    Absent,
    /// Neither created nor removed.
    Undefined,
}

impl File {
    /// Reads the parameters of a resource.
    pub(super) fn read(resource: &Resource) -> Result<File, Failure> {
        let params = Params::new(resource);
        let view = resource_graph::Params::of(resource);
        let view = view.ok_or_else(|| Failure::Invalid("the kind `file` is not declared".to_owned()))?;
        let text = resource_graph::file_path(&view);
        if !text.starts_with('/') {
            return Err(Failure::Invalid(format!("the path `{text}` must be absolute")));
        }
        let trimmed = text.trim_end_matches('/');
        let state = match params.str("state")? {
            "exists" => Wanted::Exists,
            "absent" => Wanted::Absent,
            "" => Wanted::Undefined,
            other => return Err(Failure::Invalid(format!("`state` must be `exists` or `absent`, not `{other}`"))),
        };
        Ok(File {
            path: PathBuf::from(if trimmed.is_empty() { "/" } else { trimmed }),
            is_dir: text.ends_with('/'),
            state,
            content: params.opt_bytes("content")?.cloned(),
            source: params.str("source")?.to_owned(),
            fragments: params.list("fragments")?,
            attributes: Attributes::read(params)?,
            recurse: params.bool("recurse")?,
            force: params.bool("force")?,
            purge: params.bool("purge")?,
            symlink: params.bool("symlink")?,
        })
    }

    /// Returns a path for messages: empty for the resource's own path, else a space and the path relative to it.
    pub(super) fn name_of(&self, path: &Path) -> String {
        match path.strip_prefix(&self.path) {
            Ok(rest) if rest.as_os_str().is_empty() => String::new(),
            Ok(rest) => format!(" {}", rest.display()),
            Err(_) => format!(" {}", path.display()),
        }
    }

    /// Returns the failure for a directory at the path of the file.
    pub(super) fn is_a_directory(&self) -> Failure {
        let path = self.path.display();
        Failure::Refused(format!("{path} is a directory; set `force => true` to replace it with everything in it"))
    }
}
