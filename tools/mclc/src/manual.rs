//! The manual pages: what they say beside the command line.

use std::path::Path;

use command_line::{Section, manual_pages};

use crate::cli::{Cli, TOOL};
use crate::output;

const STATUS: Section = Section {
    title: "EXIT STATUS",
    entries: &[
        ("0", "Success; there may be warnings."),
        ("1", "The program has errors. They are on standard error."),
        ("2", "The command line is invalid, or a file cannot be read or written."),
    ],
};

const ENVIRONMENT: Section = Section {
    title: "ENVIRONMENT",
    entries: &[
        ("MGMT_MODULE_PATH", "The directory of remote modules, if --module-path is not given."),
        ("NO_COLOR", "If it is set, messages have no colors, unless --color says otherwise."),
    ],
};

const FILES: Section = Section {
    title: "FILES",
    entries: &[
        ("metadata.yaml", "Makes a directory a module: its main file, its module path, its lints."),
        ("main.mcl", "The main file of a module, unless metadata.yaml names another one."),
    ],
};

const TOOL_EXAMPLES: Section = Section {
    title: "EXAMPLES",
    entries: &[
        ("mclc check", "Checks the module in the current directory, or all programs below it."),
        ("mclc fmt --check", "Lists the files whose layout would change."),
        (
            "mclc build main.mcl -o main.bin && mgmt-rt plan main.bin",
            "Shows what a program would change on this machine.",
        ),
        ("mclc explain E0601", "Explains a diagnostic."),
    ],
};

const CHECK_EXAMPLES: Section = Section {
    title: "EXAMPLES",
    entries: &[
        ("mclc check site/ lib/", "Checks two modules."),
        ("mclc check -D warnings .", "Fails if there are warnings, as a hook or a build does."),
        ("mclc check - --filename site/main.mcl <buffer", "Checks a buffer that is not saved yet, as an editor does."),
    ],
};

const FMT_STATUS: Section = Section {
    title: "EXIT STATUS",
    entries: &[
        ("0", "Every file has its layout now."),
        ("1", "With --check, something would change; or a file has a syntax error, and is unchanged."),
        ("2", "The command line is invalid, or a file cannot be read or written."),
    ],
};

const LSP_STATUS: Section = Section {
    title: "EXIT STATUS",
    entries: &[
        ("0", "The client sent shutdown before it ended the server."),
        ("1", "The client ended, or the input ended inside of a message."),
    ],
};

/// Returns what the page of a command says beside its options.
fn sections(command: &str) -> Vec<Section> {
    match command {
        "" => vec![STATUS, ENVIRONMENT, FILES, TOOL_EXAMPLES],
        "check" => vec![STATUS, ENVIRONMENT, FILES, CHECK_EXAMPLES],
        "fmt" => vec![FMT_STATUS],
        "lsp" => vec![LSP_STATUS, ENVIRONMENT],
        "explain" | "doc" | "completions" => vec![STATUS],
        _ => vec![STATUS, ENVIRONMENT],
    }
}

/// Writes all pages to a directory.
pub fn write(directory: &Path) -> u8 {
    let pages = match manual_pages::<Cli>(&TOOL, sections) {
        Ok(pages) => pages,
        Err(error) => return output::unusable(format_args!("cannot write the manual pages: {error}")),
    };
    let written = pages.iter().try_for_each(|page| output::file(&directory.join(&page.file_name), &page.text));
    written.err().unwrap_or(0)
}
