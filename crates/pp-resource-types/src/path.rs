//! Paths.

/// Removes repeated and trailing slashes from a path.
#[must_use]
pub fn clean_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if !(c == '/' && out.ends_with('/')) {
            out.push(c);
        }
    }
    if out.len() > 1 && out.ends_with('/') {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(clean_path("//srv///a/"), "/srv/a");
        assert_eq!(clean_path("/"), "/");
        assert_eq!(clean_path("//"), "/");
    }
}
