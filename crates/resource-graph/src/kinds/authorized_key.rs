//! Entries of `authorized_keys` files (spec 05 §6.27): `[OPTIONS ]TYPE BASE64[ COMMENT]`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::{Params, ValidationError};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizedKey {
    /// The options, as written between commas.
    pub options: Vec<String>,
    /// The key type, such as `ssh-ed25519`.
    pub key_type: String,
    /// The key in base64.
    pub key: String,
    /// The comment.
    pub comment: String,
}

/// The key types of OpenSSH.
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
    /// The first violation of the format.
    pub fn parse(line: &str) -> Result<AuthorizedKey, AuthorizedKeyError> {
        let line = line.trim();
        if line.is_empty() {
            return Err(AuthorizedKeyError::Empty);
        }
        if line.starts_with('#') {
            return Err(AuthorizedKeyError::Comment);
        }
        if line.contains(['\n', '\r', '\0']) {
            return Err(AuthorizedKeyError::MultipleLines);
        }
        let (first, _) = split_word(line);
        let (options, rest) = if TYPES.contains(&first) {
            (Vec::new(), line)
        } else {
            let (options, rest) = split_options(line)?;
            if rest.is_empty() {
                return Err(AuthorizedKeyError::UnknownType(first.to_owned()));
            }
            (options, rest)
        };
        let (key_type, rest) = split_word(rest);
        if !TYPES.contains(&key_type) {
            return Err(AuthorizedKeyError::UnknownType(key_type.to_owned()));
        }
        let (key, comment) = split_word(rest);
        let inner = inner_type(key)?;
        if inner != key_type {
            return Err(AuthorizedKeyError::MismatchedType { written: key_type.to_owned(), encoded: inner });
        }
        Ok(AuthorizedKey { options, key_type: key_type.into(), key: key.into(), comment: comment.into() })
    }

    /// Returns the entry of a `ssh:authorized_key` resource: its `content`, its parts, or its name.
    ///
    /// # Errors
    /// The first invalid parameter.
    pub fn of(p: &Params<'_>) -> Result<AuthorizedKey, ValidationError> {
        let content = p.string("content");
        let (key_type, key, comment) = (p.string("type"), p.string("key"), p.string("comment"));
        let parts = ["options", "type", "key", "comment"];
        let given = parts.iter().find(|name| !p.string(name).is_empty() || !p.list(name).is_empty());
        if !content.is_empty()
            && let Some(part) = given
        {
            return Err(ValidationError::of(part, format!("`content` and `{part}` are mutually exclusive")));
        }
        if key_type.is_empty() != key.is_empty() {
            let (missing, other) = if key.is_empty() { ("key", "type") } else { ("type", "key") };
            return Err(ValidationError::of(missing, format!("`{other}` requires `{missing}`")));
        }
        if !key_type.is_empty() {
            let invalid = |param, error: AuthorizedKeyError| {
                ValidationError::of_value(param, format!("invalid entry of `authorized_keys`: {error}"))
            };
            let mut entry =
                AuthorizedKey::parse(&format!("{key_type} {key}")).map_err(|error| invalid("key", error))?;
            entry.comment = comment.into_owned();
            entry.options = p.strings("options").map(|o| o.into_owned()).collect();
            return entry.read_back();
        }
        let (param, line) = if content.is_empty() { ("key", p.name()) } else { ("content", &*content) };
        let mut entry = AuthorizedKey::parse(line).map_err(|error| {
            ValidationError::of_value(param, format!("invalid entry of `authorized_keys`: {error}: {line:?}"))
                .help("write it like `ssh-ed25519 AAAA… comment`, or set `type` and `key`")
        })?;
        if !comment.is_empty() {
            entry.comment = comment.into_owned();
        }
        entry.options.extend(p.strings("options").map(|o| o.into_owned()));
        entry.read_back()
    }

    /// Returns the entry as the server reads the line that is written for it.
    ///
    /// # Errors
    /// The parts make another entry, or several: whitespace in an option would end the options, a quote would hide the key.
    fn read_back(mut self) -> Result<AuthorizedKey, ValidationError> {
        self.comment = self.comment.trim_matches([' ', '\t']).to_owned();
        let invalid = |entry: &AuthorizedKey, why: &dyn std::fmt::Display| {
            let plain = AuthorizedKey { options: Vec::new(), ..entry.clone() };
            let is_plain = AuthorizedKey::parse(&plain.to_string()).is_ok_and(|read| read == plain);
            let param = if is_plain { "options" } else { "comment" };
            ValidationError::of(param, format!("invalid `{param}` of an entry of `authorized_keys`: {why}"))
        };
        let line = self.to_string();
        let read = AuthorizedKey::parse(&line).map_err(|error| invalid(&self, &error))?;
        let is_same = read.key_type == self.key_type && read.key == self.key && read.comment == self.comment;
        let mut options = self.options.iter().chain(&read.options);
        if !is_same || read.options.join(",") != self.options.join(",") || options.any(String::is_empty) {
            return Err(invalid(&self, &"the entry would be read as another one")
                .help("quote what contains spaces or commas: `command=\"/bin/a b\"`"));
        }
        Ok(self)
    }
}

impl std::fmt::Display for AuthorizedKey {
    /// Formats the entry in its normal form.
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

/// Why a line is not an entry of `authorized_keys`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the message of each variant explains it")]
pub enum AuthorizedKeyError {
    Empty,
    Comment,
    MultipleLines,
    UnknownType(String),
    MismatchedType { written: String, encoded: String },
    UnclosedQuote,
    MissingKey,
    NotBase64,
    Truncated,
}

impl std::fmt::Display for AuthorizedKeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AuthorizedKeyError::Empty => f.write_str("it is empty"),
            AuthorizedKeyError::Comment => f.write_str("it is a comment"),
            AuthorizedKeyError::MultipleLines => f.write_str("unexpected newline"),
            AuthorizedKeyError::UnknownType(key_type) => write!(f, "unknown key type {key_type:?}"),
            AuthorizedKeyError::MismatchedType { written, encoded } => {
                write!(f, "mismatched key types: the entry says {written:?}, the key {encoded:?}")
            }
            AuthorizedKeyError::UnclosedQuote => f.write_str("unclosed quote"),
            AuthorizedKeyError::MissingKey => f.write_str("missing key after the type"),
            AuthorizedKeyError::NotBase64 => f.write_str("the key is not base64"),
            AuthorizedKeyError::Truncated => f.write_str("the key is truncated"),
        }
    }
}

impl std::error::Error for AuthorizedKeyError {}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Splits the options off. They are separated by commas, and contain whitespace only between double quotes.
fn split_options(text: &str) -> Result<(Vec<String>, &str), AuthorizedKeyError> {
    let (mut quoted, mut escaped) = (false, false);
    let (mut options, mut option) = (Vec::new(), String::new());
    for (at, c) in text.char_indices() {
        match c {
            ' ' | '\t' if !quoted => {
                options.push(option);
                return Ok((options, text[at..].trim_start()));
            }
            ',' if !quoted => {
                options.push(std::mem::take(&mut option));
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        option.push(c);
        escaped = c == '\\' && !escaped;
    }
    options.push(option);
    if quoted { Err(AuthorizedKeyError::UnclosedQuote) } else { Ok((options, "")) }
}

/// Returns the type that is encoded in the key, after its length in four bytes.
fn inner_type(key: &str) -> Result<String, AuthorizedKeyError> {
    if key.is_empty() {
        return Err(AuthorizedKeyError::MissingKey);
    }
    let blob = STANDARD.decode(key).map_err(|_| AuthorizedKeyError::NotBase64)?;
    let mut rest = &blob[..];
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (length, tail) = rest.split_first_chunk::<4>().ok_or(AuthorizedKeyError::Truncated)?;
        let length = u32::from_be_bytes(*length) as usize;
        if fields.len() > 1 && tail.len() < length {
            // Certificates have numbers between their strings; the first two fields are strings in every key.
            break;
        }
        let (field, tail) = tail.split_at_checked(length).ok_or(AuthorizedKeyError::Truncated)?;
        fields.push(field);
        rest = tail;
    }
    match &fields[..] {
        [name, _, ..] => Ok(String::from_utf8_lossy(name).into_owned()),
        _ => Err(AuthorizedKeyError::Truncated),
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::{Resource, ResourceId, validate};

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
    fn parts_that_would_make_another_entry_are_rejected() {
        let evil = format!("x ssh-ed25519 {KEY}");
        let name = format!("ssh-ed25519 {KEY}");
        let by_name = Resource::new(ResourceId::new("ssh:authorized_key", name.as_str())).with("state", "exists");
        let by_parts = by_name.clone().with("type", "ssh-ed25519").with("key", KEY);
        for resource in [by_name, by_parts] {
            for good in ["no-pty", "no-pty,no-X11-forwarding", "command=\"a, \\\" b\""] {
                let entry = resource.clone().with("options", Value::list([good])).with("comment", "me at home ");
                assert_eq!(validate(&entry), Ok(()), "{good}");
            }
            for bad in ["", "#", "a b", &evil, "a\nb", "a\rb", "command=\"x", "a,", "\"", " a"] {
                let error = validate(&resource.clone().with("options", Value::list([bad]))).expect_err(bad);
                assert!(error.to_string().contains("`options`"), "{bad:?}: {error}");
            }
            for bad in ["a\nssh-ed25519 x", "a\rb", "a\0b"] {
                let error = validate(&resource.clone().with("comment", bad)).expect_err(bad);
                assert!(error.to_string().contains("`comment`"), "{bad:?}: {error}");
            }
        }
    }

    #[test]
    fn malformed_entries_are_rejected() {
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
