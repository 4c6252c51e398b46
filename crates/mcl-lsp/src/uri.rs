//! Addresses of documents, and paths of files.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Returns the path of a document, without `.` and `..`. A document that is not a file, such as `untitled:Untitled-1`, has a
/// path in the folder of the workspace, where its imports are looked for.
pub(crate) fn to_path(uri: &str, folder: &Path) -> Option<PathBuf> {
    let path = match uri.strip_prefix("file://") {
        Some(rest) => {
            // After the name of a host, which is this one.
            let at = rest.find('/')?;
            let bytes = decoded(&rest[at..]);
            PathBuf::from(OsStr::from_bytes(&bytes))
        }
        None => {
            let (scheme, name) = uri.split_once(':')?;
            folder.join(format!("{scheme}:{}", name.replace('/', "_")))
        }
    };
    Some(path_clean::clean(path))
}

/// Returns the address of a file.
pub(crate) fn from_path(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_to_an_address_and_back() {
        for path in ["/a/b.mcl", "/a b/ä%.mcl", "/a?b#c:d/main.mcl"] {
            let path = Path::new(path);
            assert_eq!(to_path(&from_path(path), Path::new("/w")).as_deref(), Some(path));
        }
    }

    #[test]
    fn addresses_of_other_writers_are_read() {
        let check = |uri: &str, path: &str| {
            assert_eq!(to_path(uri, Path::new("/w")).as_deref(), Some(Path::new(path)), "{uri}");
        };
        check("file://localhost/a%20b/../c.mcl", "/c.mcl");
        check("file:///a/%zz.mcl", "/a/%zz.mcl");
        check("untitled:Untitled-1", "/w/untitled:Untitled-1");
        assert_eq!(to_path("nothing", Path::new("/w")), None);
    }
}
