//! Paths of data stay where their `hiera.yaml` says (spec 07 §10.4).
//!
//! What an administrator writes into the `hiera.yaml` of an environment or of all environments may lead anywhere. The values of
//! variables may not: they can come from a machine that nobody trusts, and a host name of `../../secrets/db` must not read another
//! host's data. So a path must stay in the directory that comes before its first expression. Data of a module must stay in the
//! module, whatever its `hiera.yaml` says.

use std::path::Component;

use path_clean::clean;
use pp_types::Error;

use crate::config::{Config, Level};
use crate::template::literal_start;

/// The directory that the paths of a level must not leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// There is none: no variable is in the path.
    None,
    /// The directory of the module.
    Module(String),
    /// What comes before the first variable.
    Fixed(String),
}

impl Boundary {
    /// Returns the boundary of a path, before interpolation, of a level.
    pub(crate) fn new(config: &Config, level: &Level, path: &str) -> Boundary {
        if config.is_module {
            return Boundary::Module(config.root.to_string());
        }
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", level.datadir) };
        match literal_start(&whole) {
            None => Boundary::None,
            Some(start) => {
                let directory = start.rsplit_once('/').map_or("", |(directory, _)| directory);
                let is_top = start.starts_with('/') && directory.is_empty();
                Boundary::Fixed(config.in_root(if is_top { "/" } else { directory }))
            }
        }
    }

    /// Checks a path after interpolation.
    ///
    /// # Errors
    /// A path that leads out.
    pub(crate) fn check(&self, config: &Config, level: &Level, path: &str) -> Result<(), Error> {
        let (directory, help) = match self {
            Boundary::None => return Ok(()),
            Boundary::Module(directory) => (directory, "a module holds its own data"),
            Boundary::Fixed(directory) => {
                (directory, "the value of a variable must not lead out of the directory that comes before it")
            }
        };
        if is_inside(path, directory) {
            return Ok(());
        }
        let name = &level.name;
        let message = format!("The path '{path}' of the hierarchy level '{name}' leads out of '{directory}'");
        Err(config.error(&message, level.line).help(help))
    }
}

/// Whether a path is in a directory, by their names: symbolic links are not followed here.
fn is_inside(path: &str, directory: &str) -> bool {
    let (path, directory) = (clean(path), clean(directory));
    let directory = directory.strip_prefix(".").unwrap_or(&directory);
    let below = path.strip_prefix(directory).ok().filter(|_| path.has_root() == directory.has_root());
    below.is_some_and(|below| below.components().next() != Some(Component::ParentDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_do_not_lead_out() {
        for (path, directory) in
            [("/a/b/c", "/a/b"), ("/a/x/../b", "/a"), ("b/c", ""), ("../d/x", "../d"), ("/a", "/"), ("/../a", "/a")]
        {
            assert!(is_inside(path, directory), "{path} {directory}");
        }
        for (path, directory) in [
            ("/a/b/../../c", "/a/b"),
            ("/a/bc", "/a/b"),
            ("/etc/passwd", "data"),
            ("../x", ""),
            ("../../x", ".."),
            ("data/../../x", ""),
        ] {
            assert!(!is_inside(path, directory), "{path} {directory}");
        }
    }
}
