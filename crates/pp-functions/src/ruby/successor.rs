//! Ruby's `String#succ`: `a9` is followed by `b0`, `zz` by `aaa`.

/// Returns the string after another one. The last letter or digit counts up and carries to the one left of it; without any, the
/// last character does.
pub(crate) fn successor(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let Some(last) = characters.iter().rposition(|c| c.is_ascii_alphanumeric()) else {
        if let Some(last) = characters.last_mut() {
            *last = char::from_u32(u32::from(*last) + 1).unwrap_or(*last);
        }
        return characters.into_iter().collect();
    };
    let mut at = last;
    loop {
        let (next, carry) = match characters[at] {
            '9' => ('0', Some('1')),
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            other => (char::from_u32(u32::from(other) + 1).unwrap_or(other), None),
        };
        characters[at] = next;
        let Some(carry) = carry else { break };
        // Between two letters or digits may be other characters, but a carry does not leave a digit for a letter across them.
        let left = characters[..at].iter().rposition(|c| c.is_ascii_alphanumeric());
        match left {
            Some(left) if left + 1 == at || carries_over(characters[left], carry) => at = left,
            _ => {
                characters.insert(at, carry);
                break;
            }
        }
    }
    characters.into_iter().collect()
}

/// Whether a carry goes on to a character that other characters separate from its own.
fn carries_over(left: char, carry: char) -> bool {
    left.is_ascii_digit() == carry.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_ruby_does() {
        // The results are those of Ruby 3.1.
        for (text, expected) in [
            ("a", "b"),
            ("az", "ba"),
            ("zz", "aaa"),
            ("a9", "b0"),
            ("Zz", "AAa"),
            ("host09", "host10"),
            ("1.9", "2.0"),
            ("1.9.9", "2.0.0"),
            ("-9", "-10"),
            ("a-9", "a-10"),
            ("<<koala>>", "<<koalb>>"),
            ("***", "**+"),
            ("", ""),
            ("a-", "b-"),
            ("1-z", "1-aa"),
            ("z-9", "z-10"),
        ] {
            assert_eq!(successor(text), expected, "{text}");
        }
    }
}
