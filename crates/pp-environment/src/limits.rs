//! Limits of what is read of an environment.

/// Maximum number of files that are looked for in one directory, with those below it.
pub const MAX_FILES: usize = 100_000;

/// Maximum size of a file of an environment. Spans count bytes in 32 bits.
pub const MAX_FILE_BYTES: u64 = 256 << 20;
