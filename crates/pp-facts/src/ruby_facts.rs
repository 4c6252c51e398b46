//! Facts that modules define in Ruby, by name. They are not computed, but messages can say where they come from.

use std::collections::BTreeMap;
use std::path::Path;

use crate::machine::read_regular_file;
use crate::module_facts::is_native_module_fact;

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Maximum number of files of a module.
const MAX_FILES: usize = 1_000;

/// A file of a module that defines facts in Ruby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubyFactFile {
    /// The path in the module: `lib/facter/NAME.rb`.
    pub path: String,
    /// The names of its facts, as far as it shows them.
    pub facts: Vec<String>,
}

/// Lists the files of a module that define facts which are only known with Ruby, sorted.
#[must_use]
pub fn ruby_fact_files(module: &str, directory: &Path) -> Vec<RubyFactFile> {
    let Ok(entries) = directory.join("lib/facter").read_dir() else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter(|name| name.ends_with(".rb") && !is_native_module_fact(module, name));
    let mut names: Vec<String> = names.take(MAX_FILES).collect();
    names.sort_unstable();
    let file = |name: String| {
        let path = format!("lib/facter/{name}");
        let bytes = read_regular_file(&directory.join(&path), MAX_FILE_BYTES).unwrap_or_default();
        RubyFactFile { path, facts: fact_names(&String::from_utf8_lossy(&bytes)) }
    };
    names.into_iter().map(file).collect()
}

/// Returns the names in `Facter.add(:name)` and `Facter.add('name')`, in the order of the file. Names that are computed are left
/// out.
fn fact_names(source: &str) -> Vec<String> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for line in source.lines() {
        let calls = line.match_indices("Facter.add").filter(|(at, _)| !line[..*at].contains('#'));
        for (at, call) in calls {
            let argument = line[at + call.len()..].trim_start_matches([' ', '(']);
            let number = names.len();
            names.extend(literal(argument).filter(|name| !names.contains_key(name)).map(|name| (name, number)));
        }
    }
    let mut names: Vec<(&str, usize)> = names.into_iter().collect();
    names.sort_unstable_by_key(|(_, number)| *number);
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Returns the text of a symbol or string of Ruby at the start of a source, if it is a word.
fn literal(source: &str) -> Option<&str> {
    let (quote, rest) = match source.as_bytes().first()? {
        b':' => (None, &source[1..]),
        b'"' => (Some('"'), &source[1..]),
        b'\'' => (Some('\''), &source[1..]),
        _ => return None,
    };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let is_closed = quote.is_none_or(|quote| rest.starts_with(quote));
    (is_closed && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_literals() {
        let source = "require 'x'\n# Facter.add(:comment)\nFacter.add(:web_version) do\n  setcode { 1 }\nend\n\
                      Facter.add('db_role', type: :aggregate)\n  Facter.add \"zone\" do\nFacter.add(\"disk_#{name}\")\n\
                      Facter.add(name)\nFacter.add(:web_version) { }\nFacter.add(:\nFacter.add";
        assert_eq!(fact_names(source), ["web_version", "db_role", "zone"]);
    }

    #[test]
    fn files_that_are_known_natively_are_left_out() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let directory = root.path().join("lib/facter");
        std::fs::create_dir_all(&directory).expect("writable");
        for name in ["root_home.rb", "own.rb", "readme.md"] {
            std::fs::write(directory.join(name), "Facter.add(:own) {}\n").expect("writable");
        }
        let own = RubyFactFile { path: "lib/facter/own.rb".to_owned(), facts: vec!["own".to_owned()] };
        assert_eq!(ruby_fact_files("stdlib", root.path()), [own]);
        assert_eq!(ruby_fact_files("other", root.path()).len(), 2);
        assert_eq!(ruby_fact_files("other", &directory), []);
    }
}
