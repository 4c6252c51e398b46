//! Digests of the contents that a change replaces, for plans that are kept: they tell whether two changes are the same without
//! revealing the contents.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Random bytes that are hashed before each content, so that digests cannot be looked up.
pub type DigestSalt = [u8; 16];

/// A salted SHA-256.
pub type Digest = [u8; 32];

/// The digests of the contents before and after a change; `None` where there is no file or no content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// The content before the change.
    pub before: Option<Digest>,
    /// The content after the change.
    pub after: Option<Digest>,
}

/// Computes a digest of what is written to it.
pub(crate) struct Digester(Sha256);

impl Digester {
    pub(crate) fn new(salt: DigestSalt) -> Digester {
        Digester(Sha256::new_with_prefix(salt))
    }

    /// Returns the digest of one content.
    pub(crate) fn of(salt: DigestSalt, content: &[u8]) -> Digest {
        Sha256::new_with_prefix(salt).chain_update(content).finalize().into()
    }

    pub(crate) fn finish(self) -> Digest {
        self.0.finalize().into()
    }
}

impl Write for Digester {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
