//! Reading a file that a user names.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum size of an artifact or a catalog, in bytes: what has no end, such as `/dev/zero`, is refused.
const MAX_INPUT_BYTES: u64 = 1 << 30;

/// Reads a file, a device or a pipe of at most 1 GiB.
///
/// # Errors
/// It cannot be read, or is larger.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MAX_INPUT_BYTES)
}

fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    // What is known to be larger is not read.
    let is_larger = file.metadata()?.len() > limit;
    let mut bytes = Vec::new();
    file.take(if is_larger { 0 } else { limit + 1 }).read_to_end(&mut bytes)?;
    if is_larger || bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_and_larger_files_are_refused() {
        for larger in [Path::new("/dev/zero"), &std::env::current_exe().unwrap()] {
            let error = read_at_most(larger, 1 << 20).unwrap_err();
            assert_eq!(error.to_string(), "larger than 1 MiB", "{}", larger.display());
        }
        assert_eq!(read_input(Path::new("/dev/null")).unwrap(), b"");
        assert!(read_input(Path::new("/no-such-file")).is_err());
    }
}
