//! Slash-separated paths. All functions are lexical except [`real_part`], which follows symbolic links.

use std::path::{Path, PathBuf};

/// Returns the shortest equivalent path, if there are no symbolic links: without `.` and empty parts, with `..` only at
/// the start. The empty path becomes `.`.
pub fn clean(path: &str) -> String {
    path_clean::clean(path).to_string_lossy().into_owned()
}

/// Returns an absolute path without `.` and `..`.
pub fn absolute(path: &Path, working_directory: &Path) -> PathBuf {
    path_clean::clean(working_directory.join(path))
}

/// Returns `path` relative to the directory `from`: `main.mcl`, `../lib/a.mcl`. Both must be absolute and clean.
pub fn relative(path: &Path, from: &Path) -> String {
    let common = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".into(), from.components().count() - common);
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Returns the longest prefix of a path that exists, with all symbolic links followed.
pub fn real_part(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|part| part.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaning_is_lexical() {
        for (path, cleaned) in [
            ("", "."),
            ("a/b", "a/b"),
            ("./lib/", "lib"),
            ("lib//x/", "lib/x"),
            ("a/../b", "b"),
            ("../x/", "../x"),
            ("../../a/../b", "../../b"),
            ("/", "/"),
            ("//srv/x", "/srv/x"),
            ("/../a", "/a"),
            ("a/..", "."),
        ] {
            assert_eq!(clean(path), cleaned, "{path:?}");
        }
    }

    #[test]
    fn relative_paths_go_up_where_they_must() {
        for (path, from, want) in [
            ("/p/main.mcl", "/p", "main.mcl"),
            ("/p/lib/a", "/p/sub", "../lib/a"),
            ("/x", "/p/q", "../../x"),
            ("/p", "/p", ""),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(from)), want);
        }
        assert_eq!(absolute(Path::new("../a/./b"), Path::new("/w/d")), Path::new("/w/a/b"));
    }
}
