//! Which functions the modules have in Ruby (spec 09 §3): those of the newer interface in `lib/puppet/functions`, whose
//! directories are parts of their names, and those of the older one in `lib/puppet/parser/functions`.

use std::path::Path;

use crate::error::EnvironmentError;
use crate::find::files_below;

/// The directory of the older interface.
const LEGACY_DIRECTORY: &str = "lib/puppet/parser/functions";
/// The directories of both interfaces, that of the newer one first: it wins.
const DIRECTORIES: [&str; 2] = ["lib/puppet/functions", LEGACY_DIRECTORY];

/// Returns whether the function in a file of a module has the older interface.
pub(crate) fn is_legacy(path: &str) -> bool {
    Path::new(path).starts_with(LEGACY_DIRECTORY)
}

/// Lists the paths of the functions of a module, below its directory.
///
/// # Errors
/// A directory that cannot be read.
pub(crate) fn ruby_function_files(module: &Path) -> Result<Vec<String>, EnvironmentError> {
    let mut paths = Vec::new();
    for directory in DIRECTORIES {
        let files = files_below(&module.join(directory), Some("rb"))?;
        let inside = files.iter().filter_map(|path| path.strip_prefix(module).ok()?.to_str().map(str::to_owned));
        paths.extend(inside);
    }
    Ok(paths)
}

/// Returns the name of the function that a path in a module stands for; `None` if it is another file. A function in a directory
/// must be in that of its module.
pub(crate) fn ruby_function_name(module: &str, path: &str) -> Option<String> {
    let inside = DIRECTORIES.iter().find_map(|directory| path.strip_prefix(directory)?.strip_prefix('/'))?;
    let inside = inside.strip_suffix(".rb")?;
    match inside.split_once('/') {
        None => Some(inside.to_owned()),
        Some((first, _)) => (first == module).then(|| inside.replace('/', "::")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_paths() {
        let name = |path| ruby_function_name("apache", path);
        assert_eq!(name("lib/puppet/functions/apache/bool2httpd.rb").as_deref(), Some("apache::bool2httpd"));
        assert_eq!(name("lib/puppet/functions/bool2httpd.rb").as_deref(), Some("bool2httpd"));
        assert_eq!(name("lib/puppet/parser/functions/pick.rb").as_deref(), Some("pick"));
        assert_eq!(name("lib/puppet/functions/other/f.rb"), None);
        assert_eq!(name("lib/puppet/type/f.rb"), None);
    }
}
