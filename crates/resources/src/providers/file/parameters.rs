//! The parameters of a `file` resource.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use mcl_value::Str;
use resource_graph::Resource;

use crate::providers::file::attributes::Attributes;
use crate::{Failure, Params};

/// A `file` resource.
pub(super) struct File {
    /// Without a trailing slash, except for `/` itself.
    pub(super) path: SharedPath,
    pub(super) is_dir: bool,
    pub(super) state: Wanted,
    pub(super) content: Option<Str>,
    pub(super) is_content_sensitive: bool,
    pub(super) source: Box<str>,
    pub(super) fragments: Box<[String]>,
    pub(super) attributes: Attributes,
    pub(super) recurse: bool,
    pub(super) force: bool,
    pub(super) purge: bool,
    pub(super) symlink: bool,
    /// Whether a file that exists gets another content.
    pub(super) replace: bool,
}

/// A path that shares the memory of the name of its resource, which almost always is that path.
pub(super) struct SharedPath(Arc<str>);

impl Deref for SharedPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        Path::new(&*self.0)
    }
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
            path: SharedPath(match if trimmed.is_empty() { "/" } else { trimmed } {
                path if *path == *resource.id.name => resource.id.name.clone(),
                path => path.into(),
            }),
            is_dir: text.ends_with('/'),
            state,
            content: params.opt_bytes("content")?.cloned(),
            is_content_sensitive: resource_graph::is_sensitive(resource, "content"),
            source: params.str("source")?.into(),
            fragments: params.list("fragments")?.into(),
            attributes: Attributes::read(params)?,
            recurse: params.bool("recurse")?,
            force: params.bool("force")?,
            purge: params.bool("purge")?,
            symlink: params.bool("symlink")?,
            replace: params.opt_bool("replace")?.unwrap_or(true),
        })
    }

    /// Returns a path for messages: empty for the resource's own path, else a space and the path relative to it.
    pub(super) fn name_of(&self, path: &Path) -> String {
        match path.strip_prefix(&*self.path) {
            Ok(rest) if rest.as_os_str().is_empty() => String::new(),
            Ok(rest) => format!(" {}", rest.display()),
            Err(_) => format!(" {}", path.display()),
        }
    }
}

/// Returns the failure for a directory where a file must be.
pub(super) fn is_a_directory(path: &Path) -> Failure {
    let path = path.display();
    Failure::Refused(format!("{path} is a directory; set `force => true` to replace it with everything in it"))
}

#[cfg(test)]
mod tests {
    use resource_graph::ResourceId;

    use super::*;

    #[test]
    fn file_needs_little_memory() {
        // There is one for each resource, up to hundreds of thousands.
        assert!(size_of::<File>() <= 80, "{} bytes", size_of::<File>());
        let resource = Resource::new(ResourceId::new("file", "/srv/x")).with("content", "x");
        let file = File::read(&resource).expect("valid parameters");
        assert!(Arc::ptr_eq(&file.path.0, &resource.id.name));
        let elsewhere = File::read(&resource.with("path", "/srv/y")).expect("valid parameters");
        assert_eq!(*elsewhere.path, *Path::new("/srv/y"));
    }
}
