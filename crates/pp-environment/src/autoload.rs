//! From the path of a file to the name that Puppet looks for in it (spec 07 §5.14).

use std::path::{Component, Path};

use crate::find::is_module_name;

/// The usual names of directories with modules.
pub(crate) const MODULE_DIRECTORIES: [&str; 3] = ["modules", "site", "site-modules"];

/// Returns the name of the class or define that a file of a module is for, e.g. `apache::mod::ssl` for
/// `modules/apache/manifests/mod/ssl.pp`; `None` for a file that does not belong to a module. The path must be absolute.
#[must_use]
pub fn autoload_name(path: &Path) -> Option<String> {
    let parts: Vec<&str> = path
        .components()
        .filter_map(|part| if let Component::Normal(part) = part { Some(part.to_str()) } else { None })
        .collect::<Option<_>>()?;
    let manifests = parts.iter().rposition(|part| *part == "manifests").filter(|at| *at > 0)?;
    let module = *parts.get(manifests - 1)?;
    let directory = path.ancestors().nth(parts.len() - manifests)?;
    let is_in_module_path = manifests >= 2 && MODULE_DIRECTORIES.contains(&parts[manifests - 2]);
    if !is_module_name(module) || !(is_in_module_path || directory.join("metadata.json").is_file()) {
        return None;
    }
    let (file, folders) = parts.get(manifests + 1..)?.split_last()?;
    let file = file.strip_suffix(".pp")?;
    let mut name = vec![module];
    name.extend(folders);
    if !(folders.is_empty() && file == "init") {
        name.push(file);
    }
    Some(name.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_modules_have_a_name() {
        let name = |path: &str| autoload_name(Path::new(path));
        assert_eq!(name("/e/modules/apache/manifests/init.pp").as_deref(), Some("apache"));
        assert_eq!(name("/e/modules/apache/manifests/mod/ssl.pp").as_deref(), Some("apache::mod::ssl"));
        assert_eq!(name("/e/modules/apache/manifests/mod/init.pp").as_deref(), Some("apache::mod::init"));
        for other in ["/e/production/manifests/site.pp", "/e/modules/a/functions/f.pp", "/manifests/a.pp", "/x.pp"] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn a_directory_with_metadata_is_a_module() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let module = root.path().join("web");
        std::fs::create_dir_all(module.join("manifests")).expect("writable");
        std::fs::write(module.join("metadata.json"), "{}").expect("writable");
        assert_eq!(autoload_name(&module.join("manifests/server.pp")).as_deref(), Some("web::server"));
    }
}
