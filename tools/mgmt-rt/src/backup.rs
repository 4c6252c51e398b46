//! The options of `mgmt-rt apply` that keep what changes replace or remove.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use runtime::StateDir;
use safe_fs::{Backups, Limits};

use crate::report::counted;

const DAY: Duration = Duration::from_secs(24 * 3600);

#[derive(clap::Args)]
pub struct Backup {
    /// Keep what changes replace or remove, in at most this much space: see `mgmt-rt restore`
    #[arg(
        long,
        value_name = "SIZE",
        env = "MGMT_BACKUP",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1G"
    )]
    backup: Option<Size>,
    /// Age at which backups are removed
    #[arg(long, value_name = "DAYS", env = "MGMT_BACKUP_DAYS", default_value_t = 90)]
    backup_days: u32,
    /// Size of the largest file that is backed up; larger ones are not replaced or removed
    #[arg(long, value_name = "SIZE", env = "MGMT_BACKUP_FILE_SIZE", default_value = "256M")]
    backup_file_size: Size,
}

impl Backup {
    /// Opens the store, if backups are wanted.
    ///
    /// # Errors
    /// R0416 if the store cannot be used.
    pub fn open(&self, state: &StateDir) -> Result<Option<Arc<Backups>>, Diagnostic> {
        let Some(Size(total)) = self.backup else { return Ok(None) };
        let limits = Limits { total, file: self.backup_file_size.0, age: DAY.saturating_mul(self.backup_days) };
        match state.backups(limits) {
            Ok(backups) => Ok(Some(backups)),
            Err(error) => Err(Diagnostic::error(Code::R0416, Stage::Engine, error.to_string())
                .help("to apply without backups, omit `--backup`")),
        }
    }
}

/// Returns a warning if records of the store were corrupted, by a disk or by another program.
pub fn lost(backups: &Backups) -> Option<Diagnostic> {
    let lines = backups.invalid_lines();
    let message = format!("cannot read {} of the index of backups: their copies are lost", counted(lines, "record"));
    let warning = Diagnostic::warning(Code::R0416, Stage::Engine, message);
    (lines > 0).then(|| warning.help("other backups are kept; `mgmt-rt restore --list` shows them"))
}

/// A number of bytes: digits, and one of `K`, `M`, `G`, `T` for powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

/// The text is not a size.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidSize;

impl fmt::Display for InvalidSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a number of bytes, such as `500M` or `2G`")
    }
}

impl std::error::Error for InvalidSize {}

impl FromStr for Size {
    type Err = InvalidSize;

    fn from_str(text: &str) -> Result<Size, InvalidSize> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let shift = match text[digits.len()..].to_ascii_uppercase().trim_end_matches("IB").trim_end_matches('B') {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            "T" => 40,
            _ => return Err(InvalidSize),
        };
        let number: u64 = digits.parse().map_err(|_| InvalidSize)?;
        number.checked_mul(1 << shift).filter(|size| *size > 0).map(Size).ok_or(InvalidSize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        let size = |text: &str| text.parse::<Size>().map(|size| size.0);
        assert_eq!(size("17"), Ok(17));
        assert_eq!(size("2k"), Ok(2048));
        assert_eq!(size("3MiB"), Ok(3 << 20));
        assert_eq!(size("1G"), Ok(1 << 30));
        for invalid in ["", "0", "G", "-1", "1X", "1.5G", "99999999999T", "1G2"] {
            assert_eq!(size(invalid), Err(InvalidSize), "{invalid}");
        }
    }
}
