//! Entries of `authorized_keys` files (spec 05 §6.27): `[OPTIONS ]TYPE BASE64[ COMMENT]`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::validate::{Params, ValidationError};

/// One entry, in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizedKey {
    /// Options between commas, as written.
    pub options: Vec<String>,
    /// The key type: `ssh-ed25519`.
    pub key_type: String,
    /// The key in base64.
    pub key: String,
    /// The comment.
    pub comment: String,
}

/// Key types that OpenSSH knows.
const TYPES: [&str; 16] = [
    "ssh-rsa",
    "ssh-dss",
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "sk-ssh-ed25519@openssh.com",
    "ssh-rsa-cert-v01@openssh.com",
    "ssh-dss-cert-v01@openssh.com",
    "ssh-ed25519-cert-v01@openssh.com",
    "ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "ecdsa-sha2-nistp384-cert-v01@openssh.com",
    "ecdsa-sha2-nistp521-cert-v01@openssh.com",
    "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "sk-ssh-ed25519-cert-v01@openssh.com",
];

impl AuthorizedKey {
    /// Parses one line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<AuthorizedKey, String> {
        let line = line.trim();
        if line.is_empty() {
            return Err("it is empty".to_owned());
        }
        if line.starts_with('#') {
            return Err("it is a comment".to_owned());
        }
        if line.contains(['\n', '\r', '\0']) {
            return Err("it is more than one line".to_owned());
        }
        let (first, _) = split_word(line);
        let (options, rest) = if TYPES.contains(&first) {
            (Vec::new(), line)
        } else {
            let (options, rest) = split_options(line)?;
            if rest.is_empty() {
                return Err(format!("{first:?} is not a key type"));
            }
            (options, rest)
        };
        let (key_type, rest) = split_word(rest);
        if !TYPES.contains(&key_type) {
            return Err(format!("{key_type:?} is not a key type"));
        }
        let (key, comment) = split_word(rest);
        let inner = inner_type(key)?;
        if inner != key_type {
            return Err(format!("the type {key_type:?} does not match the key, which is of type {inner:?}"));
        }
        Ok(AuthorizedKey { options, key_type: key_type.into(), key: key.into(), comment: comment.into() })
    }

    /// The entry that a `ssh:authorized_key` resource is about: `content`, or the parts, or the name.
    ///
    /// # Errors
    /// What is wrong with the parameters.
    pub fn of(p: &Params<'_>) -> Result<AuthorizedKey, ValidationError> {
        let content = p.text("content");
        let (key_type, key, comment) = (p.text("type"), p.text("key"), p.text("comment"));
        let parts = ["options", "type", "key", "comment"];
        let given = parts.iter().find(|name| !p.text(name).is_empty() || !p.list(name).is_empty());
        if !content.is_empty()
            && let Some(part) = given
        {
            return Err(ValidationError::of(
                part,
                format!("`content` is the whole entry, so `{part}` has no place in it"),
            ));
        }
        if key_type.is_empty() != key.is_empty() {
            let (missing, other) = if key.is_empty() { ("key", "type") } else { ("type", "key") };
            return Err(ValidationError::of(missing, format!("`{other}` needs `{missing}`")));
        }
        if !key_type.is_empty() {
            let blamed =
                |param, why| ValidationError::of(param, format!("this is not an entry of `authorized_keys`: {why}"));
            let mut entry = AuthorizedKey::parse(&format!("{key_type} {key}")).map_err(|why| blamed("key", why))?;
            entry.comment = comment.into_owned();
            entry.options = p.texts("options").map(|o| o.into_owned()).collect();
            if entry.comment.contains('\n') || entry.options.iter().any(|o| o.contains('\n')) {
                return Err(blamed("comment", "it is more than one line".to_owned()));
            }
            return Ok(entry);
        }
        let (param, text) = if content.is_empty() { ("key", p.name()) } else { ("content", &*content) };
        let mut entry = AuthorizedKey::parse(text).map_err(|why| {
            ValidationError::of(param, format!("{text:?} is not an entry of `authorized_keys`: {why}"))
                .help("write it like `ssh-ed25519 AAAA… comment`, or set `type` and `key`")
        })?;
        if !comment.is_empty() {
            entry.comment = comment.into_owned();
        }
        entry.options.extend(p.texts("options").map(|o| o.into_owned()));
        Ok(entry)
    }
}

impl std::fmt::Display for AuthorizedKey {
    /// The normal form.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.options.is_empty() {
            write!(f, "{} ", self.options.join(","))?;
        }
        write!(f, "{} {}", self.key_type, self.key)?;
        if !self.comment.is_empty() {
            write!(f, " {}", self.comment)?;
        }
        Ok(())
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Options are separated by commas and may have white space only between double quotes.
fn split_options(text: &str) -> Result<(Vec<String>, &str), String> {
    let (mut quoted, mut escaped) = (false, false);
    let mut options = vec![String::new()];
    for (at, c) in text.char_indices() {
        let option = options.last_mut().ok_or("there are no options")?;
        match c {
            ' ' | '\t' if !quoted => return Ok((options, text[at..].trim_start())),
            ',' if !quoted => {
                options.push(String::new());
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        option.push(c);
        escaped = c == '\\' && !escaped;
    }
    if quoted { Err("a quote is not closed".to_owned()) } else { Ok((options, "")) }
}

/// The type that is written inside the key: it starts with its length in four bytes.
fn inner_type(key: &str) -> Result<String, String> {
    if key.is_empty() {
        return Err("there is no key behind the type".to_owned());
    }
    let blob = STANDARD.decode(key).map_err(|_| "the key is not base64".to_owned())?;
    let mut rest = &blob[..];
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (length, tail) = rest.split_first_chunk::<4>().ok_or("the key is cut off")?;
        let length = u32::from_be_bytes(*length) as usize;
        if fields.len() > 1 && tail.len() < length {
            // Certificates have numbers between their texts; the first two fields are texts in every key.
            break;
        }
        let (field, tail) = tail.split_at_checked(length).ok_or("the key is cut off")?;
        fields.push(field);
        rest = tail;
    }
    match &fields[..] {
        [name, _, ..] => Ok(String::from_utf8_lossy(name).into_owned()),
        _ => Err("the key is cut off".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh";

    #[test]
    fn entries_are_parsed_and_printed() {
        for text in [
            format!("ssh-ed25519 {KEY}"),
            format!("ssh-ed25519 {KEY} me at home"),
            format!("no-pty,command=\"echo a, b\" ssh-ed25519 {KEY} me"),
        ] {
            assert_eq!(AuthorizedKey::parse(&text).unwrap().to_string(), text);
        }
        let entry = AuthorizedKey::parse(&format!("no-pty,command=\"a, b\"  ssh-ed25519  {KEY}  me")).unwrap();
        assert_eq!(entry.options, ["no-pty", "command=\"a, b\""]);
        assert_eq!(entry.to_string(), format!("no-pty,command=\"a, b\" ssh-ed25519 {KEY} me"));
    }

    #[test]
    fn damaged_entries_are_refused() {
        for text in [
            String::new(),
            "# comment".to_owned(),
            "ssh-ed25519".to_owned(),
            "ssh-ed25519 nonsense".to_owned(),
            format!("ssh-rsa {KEY}"),
            format!("ssh-what {KEY}"),
            format!("ssh-ed25519 {}", &KEY[..20]),
            format!("ssh-ed25519 {KEY}\nssh-ed25519 {KEY}"),
            format!("command=\"x ssh-ed25519 {KEY}"),
        ] {
            assert!(AuthorizedKey::parse(&text).is_err(), "{text}");
        }
    }
}
