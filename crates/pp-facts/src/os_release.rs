//! The file `os-release`.

use crate::machine::Machine;

/// The variables of an `os-release` file.
#[derive(Clone, Debug, Default)]
pub(crate) struct OsRelease {
    variables: Vec<(String, String)>,
}

impl OsRelease {
    pub(crate) fn read(machine: &Machine) -> OsRelease {
        let text = ["/etc/os-release", "/usr/lib/os-release"].iter().find_map(|path| machine.read(path));
        OsRelease::parse(&text.unwrap_or_default())
    }

    fn parse(text: &str) -> OsRelease {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let variables = lines.filter_map(|line| line.split_once('=')).map(|(name, value)| {
            let value = value.trim();
            let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
            (name.trim().to_owned(), unescape(unquoted.unwrap_or(value)))
        });
        OsRelease { variables: variables.collect() }
    }

    /// Returns the value of a variable that is not empty. As in a shell, the last assignment counts.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}

/// Resolves the escapes of a shell's double quotes.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(escaped @ ('"' | '\'' | '\\' | '$' | '`')) if c == '\\' => {
                out.push(*escaped);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_as_in_a_shell() {
        let file = OsRelease::parse("# x\nA='b c'\nB=\"d \\\"e\\\"\"\n C = f\nD=\nbroken\nA=last\n=x\n");
        assert_eq!(file.get("A"), Some("last"));
        assert_eq!(file.get("B"), Some("d \"e\""));
        assert_eq!(file.get("C"), Some("f"));
        assert_eq!((file.get("D"), file.get("broken")), (None, None));
    }
}
