//! The programs in the pages.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::blocks::{Block, blocks};
use super::{localized, pages, scratch};
use crate::support::{bin, ran};

/// The languages of blocks. Another one is probably a mistake, such as `mlc`.
const LANGUAGES: &[&str] =
    &["console", "emacs-lisp", "ini", "json", "lua", "mcl", "puppet", "sh", "text", "toml", "vim", "yaml"];

/// Returns the codes of the errors of a program in the scratch directory of its page, where it is a file of its own unless
/// it has a name.
fn errors(scratch: &Path, block: &Block<'_>) -> BTreeSet<String> {
    let name = block.attribute("file").unwrap_or("block.mcl");
    std::fs::write(scratch.join(name), localized(block.text, scratch)).expect("writable");
    let mut check = Command::new(bin().join("mclc"));
    check.args(["check", "--format", "json", name]).current_dir(scratch);
    let ran = ran(check.output().expect("it starts"));
    let diagnostics =
        (ran.out + &ran.err).lines().filter_map(|line| serde_json::from_str(line).ok()).collect::<Vec<_>>();
    let errors = diagnostics.iter().filter(|diagnostic: &&serde_json::Value| diagnostic["severity"] == "error");
    errors.filter_map(|diagnostic| diagnostic["code"].as_str().map(str::to_owned)).collect()
}

/// Writes the file of a block into the scratch directory of its page.
pub fn write_file(scratch: &Path, block: &Block<'_>) {
    if let Some(name) = block.attribute("file") {
        let path = scratch.join(name);
        std::fs::create_dir_all(path.parent().expect("it is below the directory")).expect("writable");
        std::fs::write(path, localized(block.text, scratch)).expect("writable");
    }
}

#[test]
fn every_program_is_valid_or_has_the_error_that_the_page_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let scratch = scratch();
        // A program may import what the page shows after it. Of several versions of a file the first one is there first.
        for block in blocks(&page.text).iter().rev() {
            write_file(scratch.path(), block);
        }
        for block in blocks(&page.text) {
            let place = format!("{}:{}", page.path, block.line);
            assert!(LANGUAGES.contains(&block.info[0]), "{place}: unknown language `{}`", block.info[0]);
            write_file(scratch.path(), &block);
            if block.info[0] != "mcl" {
                continue;
            }
            count += 1;
            let expected: BTreeSet<String> = block.failure().map(str::to_owned).into_iter().collect();
            let found = errors(scratch.path(), &block);
            if found != expected {
                wrong.push(format!("{place}: expected {expected:?}, found {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "{count} programs");
}
