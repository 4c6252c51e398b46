//! The output formats for diagnostics.

use clap::ValueEnum;

/// The output formats for diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    /// Excerpts of the source with the location marked
    Human,
    /// One line per diagnostic: `FILE:LINE:COLUMN: error[CODE]: MESSAGE`
    Short,
    /// One JSON object per line
    Json,
    /// A SARIF 2.1.0 log
    Sarif,
    /// Commands of a GitHub workflow, which become annotations of the lines
    #[value(name = "github")]
    GitHub,
    /// A report of GitLab's Code Quality
    #[value(name = "gitlab")]
    GitLab,
}

impl Format {
    /// Whether people read it, as opposed to programs.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Human | Format::Short)
    }
}

impl From<Format> for mcl_diagnostics::Format {
    fn from(format: Format) -> mcl_diagnostics::Format {
        match format {
            Format::Human => mcl_diagnostics::Format::Human,
            Format::Short => mcl_diagnostics::Format::Short,
            Format::Json => mcl_diagnostics::Format::Json,
            Format::Sarif => mcl_diagnostics::Format::Sarif,
            Format::GitHub => mcl_diagnostics::Format::GitHub,
            Format::GitLab => mcl_diagnostics::Format::GitLab,
        }
    }
}
