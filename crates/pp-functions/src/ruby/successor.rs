//! Ruby's `String#succ`: `a9` is followed by `b0`, `zz` by `aaa`.

/// How many characters that are neither letters nor digits a count may skip.
const MAX_GAP: u32 = 1;
/// A longer run of letters in the order of Unicode does not begin again.
const MAX_RUN: u32 = 1 << 16;

/// Returns the string after another one. The last letter or digit counts up and carries to the one left of it; without any, the
/// last character does.
#[must_use]
pub fn successor(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let Some(last) = characters.iter().rposition(|c| class(*c).is_some()) else {
        if let Some(last) = characters.last_mut() {
            *last = char::from_u32(u32::from(*last) + 1).unwrap_or(*last);
        }
        return characters.into_iter().collect();
    };
    let mut at = last;
    loop {
        let (next, carry) = count(characters[at]);
        characters[at] = next;
        let Some(carry) = carry else { break };
        // Between two letters or digits may be other characters, but a carry does not leave a digit for a letter across them.
        let left = characters[..at].iter().rposition(|c| class(*c).is_some());
        match left {
            Some(left) if left + 1 == at || class(characters[left]) == class(carry) => at = left,
            _ => {
                characters.insert(at, carry);
                break;
            }
        }
    }
    characters.into_iter().collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
}

fn class(c: char) -> Option<Class> {
    if c.is_alphabetic() {
        return Some(Class::Letter);
    }
    c.is_ascii_digit().then_some(Class::Digit)
}

/// Returns the letter or digit after another one. If there is none nearby, it is the first of their run, and a carry.
fn count(c: char) -> (char, Option<char>) {
    let next = (1..=1 + MAX_GAP).filter_map(|step| char::from_u32(u32::from(c) + step));
    if let Some(next) = next.into_iter().find(|next| class(*next) == class(c)) {
        return (next, None);
    }
    let before = (1..MAX_RUN).map_while(|step| char::from_u32(u32::from(c).checked_sub(step)?));
    let first = before.take_while(|before| class(*before) == class(c)).last().unwrap_or(c);
    let carry = if class(c) == Some(Class::Digit) { char::from_u32(u32::from(first) + 1) } else { Some(first) };
    (first, carry)
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
            ("dé", "dê"),
            ("aö", "aø"),
            ("é-", "ê-"),
            ("é9", "ê0"),
            ("日本", "日札"),
        ] {
            assert_eq!(successor(text), expected, "{text}");
        }
    }
}
