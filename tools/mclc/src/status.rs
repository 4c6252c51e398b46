//! Exit statuses.

/// The exit status for a program with errors.
pub const ERRORS: u8 = 1;
/// The exit status for an invalid command line, or a file that cannot be read or written.
pub const UNUSABLE: u8 = 2;
