//! The parts of package `os` that only process text: error messages and the expansion of variables.

/// Returns Go's message for an error of the operating system.
#[must_use]
pub fn error_text(error: &std::io::Error) -> String {
    // Rust appends the error number and capitalizes: `No such file or directory (os error 2)`.
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Returns Go's message for a failure to read a file. Directories can be opened, but not read.
#[must_use]
pub fn path_error(name: &str, error: &std::io::Error) -> String {
    let operation = if error.kind() == std::io::ErrorKind::IsADirectory { "read" } else { "open" };
    format!("{operation} {name}: {}", error_text(error))
}

/// Replaces `$x` and `${x}` with the result of the mapping for `x`, as `Expand` does.
pub fn expand(text: &[u8], mut mapping: impl FnMut(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(dollar) = memchr::memchr(b'$', rest).filter(|dollar| dollar + 1 < rest.len()) {
        out.extend_from_slice(&rest[..dollar]);
        let (name, length) = shell_name(&rest[dollar + 1..]);
        if !name.is_empty() {
            out.extend(mapping(name));
        } else if length == 0 {
            // A `$` without a name is kept; invalid syntax such as `${}` is removed.
            out.push(b'$');
        }
        rest = &rest[dollar + 1 + length..];
    }
    out.extend_from_slice(rest);
    out
}

/// Returns the name at the start of the text, and the length of the whole reference in bytes.
fn shell_name(text: &[u8]) -> (&[u8], usize) {
    let special = |b: u8| b"*#$@!?-0123456789".contains(&b);
    let plain = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    match text {
        [b'{', b, b'}', ..] if special(*b) => (&text[1..2], 3),
        [b'{', rest @ ..] => match rest.iter().position(|&b| b == b'}') {
            Some(0) => (&[], 2),
            Some(close) => (&rest[..close], close + 2),
            None => (&[], 1),
        },
        [b, ..] if special(*b) => (&text[..1], 1),
        _ => {
            let length = text.iter().take_while(|b| plain(b)).count();
            (&text[..length], length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_expanded() {
        for (text, expected) in [
            ("a$HOME/b", "a<HOME>/b"),
            ("${HOME}x", "<HOME>x"),
            ("$", "$"),
            ("a$/b", "a$/b"),
            ("${}x", "x"),
            ("${x", "x"),
            ("$1x", "<1>x"),
        ] {
            let expanded = expand(text.as_bytes(), |name| [b"<", name, b">"].concat());
            assert_eq!(String::from_utf8_lossy(&expanded), expected, "{text}");
        }
    }

    #[test]
    fn system_errors_read_as_in_go() {
        let error = std::fs::read("/nonexistent").unwrap_err();
        assert_eq!(path_error("/nonexistent", &error), "open /nonexistent: no such file or directory");
        let error = std::fs::read("/").unwrap_err();
        assert_eq!(path_error("/", &error), "read /: is a directory");
    }
}
