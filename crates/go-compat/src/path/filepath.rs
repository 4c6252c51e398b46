//! The functions of package `path/filepath` on Linux that [`path`](crate::path) does not have.

use crate::path::clean;

/// Returns whether a path is relative and does not leave its starting directory, as `IsLocal` does.
#[must_use]
pub fn is_local(path: &[u8]) -> bool {
    if path.is_empty() || path.starts_with(b"/") {
        return false;
    }
    let cleaned = clean(path);
    cleaned != b".." && !cleaned.starts_with(b"../")
}

/// Returns whether `Localize` accepts a path: it is valid for `fs.ValidPath` and contains no zero byte.
#[must_use]
pub fn is_valid(path: &[u8]) -> bool {
    let element = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    std::str::from_utf8(path).is_ok() && !path.contains(&0) && (path == b"." || path.split(|&b| b == b'/').all(element))
}

/// Returns the path of one clean path relative to another, as `Rel` does; `None` if it cannot be determined lexically.
#[must_use]
pub fn relative(from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    if from == to {
        return Some(b".".to_vec());
    }
    let from = if from == b"." { &b""[..] } else { from };
    if from.starts_with(b"/") != to.starts_with(b"/") {
        return None;
    }
    let elements = |path: &'_ [u8]| -> Vec<Vec<u8>> {
        path.split(|&b| b == b'/').filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (from, to) = (elements(from), elements(to));
    let to: Vec<Vec<u8>> = if to == [b".".to_vec()] { Vec::new() } else { to };
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if from.get(common).is_some_and(|part| part == b"..") {
        return None;
    }
    let mut parts = vec![b"..".to_vec(); from.len() - common];
    parts.extend_from_slice(&to[common..]);
    Some(parts.join(&b'/'))
}
