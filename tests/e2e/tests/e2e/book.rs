//! The book (`docs/`) and README.md: every program in them is compiled, every command run, every link followed.
//!
//! The fenced blocks of a page are one session in a scratch directory, which stands for `/tmp/tutorial`:
//!
//! * `mcl`: a program that `mclc check` accepts. With `file=NAME` it is also written to that file.
//! * `mcl,fails(E0601)`: a program with this error, and no other.
//! * `file=NAME` with any other language, as in `yaml,file=metadata.yaml`: a file that is written.
//! * `console`: commands after `$ `, and what they print. The line `...` stands for any lines. A command that ends in `&` runs until the
//!   page ends; `cat` is tried until it prints what is expected, because an agent works meanwhile.
//!
//! `BLESS=1` writes what the commands print into the pages.

mod blocks;
mod console;
mod generated;
mod links;
mod programs;

use std::path::Path;

use crate::sources::{Source, sources};

/// The pages of the book and the README. What specifies the tools, and their style, is not part of the book.
fn pages() -> Vec<Source> {
    let is_page = |path: &str| path == "README.md" || path.starts_with("docs/") && !path.starts_with("docs/spec/");
    let mut pages = sources(&[".md"]);
    pages.retain(|page| is_page(&page.path) && page.path != "docs/style.md");
    assert!(pages.len() > 20, "{} pages", pages.len());
    pages
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// The directory in pages for which the scratch directory stands.
const DIRECTORY: &str = "/tmp/tutorial";

/// Creates the scratch directory of a page. Its path is as long as that in the page, so that tables have the same width.
fn scratch() -> tempfile::TempDir {
    let directory = tempfile::Builder::new().prefix("mcl-").rand_bytes(4).tempdir_in("/tmp").expect("writable");
    assert_eq!(directory.path().as_os_str().len(), DIRECTORY.len());
    directory
}

/// Replaces the directory of the page by the scratch directory.
fn localized(text: &str, scratch: &Path) -> String {
    text.replace(DIRECTORY, &scratch.display().to_string())
}
