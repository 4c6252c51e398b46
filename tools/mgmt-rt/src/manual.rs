//! The manual pages: what they say beside the command line.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use command_line::{Section, manual_pages};

use crate::cli::{Cli, TOOL};

const STATUS: Section = Section {
    title: "EXIT STATUS",
    entries: &[
        ("0", "Success."),
        ("1", "A failure. The diagnostics are on standard error."),
        ("2", "The command line is invalid, or a file cannot be read."),
    ],
};

const PLAN_STATUS: Section = Section {
    title: "EXIT STATUS",
    entries: &[
        ("0", "Nothing would change."),
        ("1", "A failure, or a resource that would fail."),
        ("2", "The command line is invalid, or a file cannot be read."),
        ("3", "Changes are pending."),
    ],
};

const ENVIRONMENT: Section = Section {
    title: "ENVIRONMENT",
    entries: &[
        ("MGMT_PREFIX", "The directory for the state of the agent, if --prefix is not given."),
        ("MGMT_BACKUP", "Keep what is replaced or removed, as --backup does."),
        ("NO_COLOR", "If it is set, messages have no colors."),
    ],
};

const FILES: Section = Section {
    title: "FILES",
    entries: &[(
        "/var/lib/mgmt",
        "The state of the agent of root: locks, pending notifications, old states of reversed resources, backups.",
    )],
};

const EXAMPLES: Section = Section {
    title: "EXAMPLES",
    entries: &[
        ("mgmt-rt plan main.bin", "Shows what a program would change."),
        ("mgmt-rt apply main.bin", "Makes the changes, and keeps the machine in that state until it is stopped."),
        ("mgmt-rt apply main.bin --once --backup", "Makes the changes once, and keeps what is replaced."),
        ("mgmt-rt restore /etc/hosts", "Restores what a run with --backup kept last."),
    ],
};

/// Returns what the page of a command says beside its options.
fn sections(command: &str) -> Vec<Section> {
    match command {
        "" => vec![STATUS, ENVIRONMENT, FILES, EXAMPLES],
        "apply" => vec![STATUS, ENVIRONMENT, FILES, EXAMPLES],
        "plan" => vec![PLAN_STATUS, ENVIRONMENT, FILES],
        _ => vec![STATUS],
    }
}

/// Writes all pages to a directory.
pub fn run(directory: &Path) -> ExitCode {
    let write = || -> io::Result<()> {
        for page in manual_pages::<Cli>(&TOOL, sections)? {
            std::fs::write(directory.join(&page.file_name), &page.text)?;
        }
        Ok(())
    };
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mgmt-rt: cannot write the manual pages to {}: {error}", directory.display());
            ExitCode::from(2)
        }
    }
}
