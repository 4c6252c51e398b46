//! The names of imports (spec 01 §6.1).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clean::clean;

/// A parsed import name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportName {
    /// The alias of a statement without `as`. Not always a valid identifier.
    pub alias: Arc<str>,
    /// What it refers to.
    pub kind: ImportKind,
}

/// The kinds of import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// A built-in module: `fmt`, `golang/strings`.
    System,
    /// A `.mcl` file at this path.
    LocalFile(Arc<str>),
    /// A module directory at this path, which ends in a slash.
    LocalDirectory(Arc<str>),
    /// A module in a module directory.
    Remote {
        /// Relative to a module directory; ends in a slash.
        path: Arc<str>,
        /// Where git can clone it from.
        clone_url: Arc<str>,
    },
}

/// Why an import name is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NameError {
    Empty,
    Absolute,
    InvalidUrl(UrlError),
    EmptyPath,
    /// Holds the normalized path.
    NotNormalized(String),
    InvalidAlias,
    /// Holds the number of colons in the host name.
    InvalidHost(usize),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Empty => f.write_str("the name is empty"),
            NameError::Absolute => f.write_str("the path is absolute"),
            NameError::InvalidUrl(error) => write!(f, "invalid URL: {error}"),
            NameError::EmptyPath => f.write_str("missing path"),
            NameError::NotNormalized(normalized) => write!(f, "the path is not normalized, expected `{normalized}`"),
            NameError::InvalidAlias => {
                f.write_str("the last part of the path starts or ends with a dash or underscore")
            }
            NameError::InvalidHost(colons) => write!(f, "invalid host name with {colons} colons"),
        }
    }
}

/// Why a name is not a URL reference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UrlError {
    ControlCharacter(char),
    MissingScheme,
    ColonInFirstPart,
    InvalidHostCharacter,
    InvalidPort(String),
    /// A `%` without two hexadecimal digits, or escaped bytes that are not UTF-8.
    InvalidEscape,
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlError::ControlCharacter(character) => write!(f, "control character {character:?}"),
            UrlError::MissingScheme => f.write_str("missing scheme before `:`"),
            UrlError::ColonInFirstPart => f.write_str("unexpected `:` in the first part of the path"),
            UrlError::InvalidHostCharacter => f.write_str("invalid character in the host name"),
            UrlError::InvalidPort(port) => write!(f, "invalid port `{port}`"),
            UrlError::InvalidEscape => f.write_str("invalid percent escape"),
        }
    }
}

impl ImportName {
    /// Parses a name.
    ///
    /// # Errors
    /// The first rule of spec 01 §6.1 that the name violates.
    pub fn parse(name: &str) -> Result<ImportName, NameError> {
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if name.starts_with('/') {
            return Err(NameError::Absolute);
        }
        let url = Url::parse(name).map_err(NameError::InvalidUrl)?;
        if url.path.is_empty() {
            return Err(NameError::EmptyPath);
        }
        let cleaned = clean(&url.path);
        if url.path != cleaned && url.path.strip_suffix('/') != Some(&cleaned) {
            return Err(NameError::NotNormalized(cleaned));
        }
        let local_file = url.scheme.is_none() && url.path.ends_with(".mcl");
        let alias = alias(&url.path, local_file)?;
        let kind = if url.scheme.is_some() {
            let colons = url.host.matches(':').count();
            if colons > 1 {
                return Err(NameError::InvalidHost(colons));
            }
            let host = url.host.split(':').next().unwrap_or("");
            let path = format!("{host}{}", url.path);
            let path = path.trim_start_matches('/').trim_end_matches('/');
            let clone_url = name.split(['?', '#']).next().unwrap_or(name);
            ImportKind::Remote { path: format!("{path}/").into(), clone_url: clone_url.into() }
        } else if local_file {
            ImportKind::LocalFile(url.path.into())
        } else if url.path.ends_with('/') {
            ImportKind::LocalDirectory(url.path.into())
        } else {
            ImportKind::System
        };
        Ok(ImportName { alias: alias.into(), kind })
    }
}

fn alias(path: &str, local_file: bool) -> Result<String, NameError> {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let last = last.strip_prefix("mgmt-").filter(|rest| !rest.is_empty()).unwrap_or(last);
    let alias = last.replace('-', "_");
    if alias.starts_with('_') || alias.ends_with('_') {
        return Err(NameError::InvalidAlias);
    }
    let alias = alias.to_lowercase();
    Ok(match alias.strip_suffix(".mcl") {
        Some(stem) if local_file => stem.to_owned(),
        _ => alias,
    })
}

/// The parts of a URL reference that matter for an import.
struct Url {
    scheme: Option<String>,
    /// With port, without user.
    host: String,
    /// Percent-decoded.
    path: String,
}

impl Url {
    fn parse(text: &str) -> Result<Url, UrlError> {
        if let Some(bad) = text.chars().find(|c| c.is_ascii_control()) {
            return Err(UrlError::ControlCharacter(bad));
        }
        let text = text.split('#').next().unwrap_or(text);
        let (scheme, rest) = split_scheme(text)?;
        let rest = rest.split('?').next().unwrap_or(rest);
        if scheme.is_some() && !rest.starts_with('/') {
            // `mailto:x`: an opaque URL has no path.
            return Ok(Url { scheme, host: String::new(), path: String::new() });
        }
        if scheme.is_none() && rest.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err(UrlError::ColonInFirstPart);
        }
        let (authority, path) = match rest.strip_prefix("//").filter(|_| scheme.is_some()) {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", rest),
        };
        let host = authority.rsplit('@').next().unwrap_or(authority);
        if host.contains(|c: char| c.is_whitespace() || "<>\"\\^`{|}".contains(c)) {
            return Err(UrlError::InvalidHostCharacter);
        }
        if let Some((_, port)) = host.rsplit_once(':')
            && !host.ends_with(']')
            && !port.bytes().all(|b| b.is_ascii_digit())
        {
            return Err(UrlError::InvalidPort(port.to_owned()));
        }
        Ok(Url { scheme, host: percent_decode(host)?, path: percent_decode(path)? })
    }
}

/// Splits off `scheme:`, if the characters before the first colon are valid in a scheme.
fn split_scheme(text: &str) -> Result<(Option<String>, &str), UrlError> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at > 0 => return Ok((Some(text[..at].to_ascii_lowercase()), &text[at + 1..])),
            b':' => return Err(UrlError::MissingScheme),
            _ => break,
        }
    }
    Ok((None, text))
}

fn percent_decode(text: &str) -> Result<String, UrlError> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next(), bytes.next()].map(|digit| digit.and_then(|d| char::from(d).to_digit(16)));
        let [Some(high), Some(low)] = digits else { return Err(UrlError::InvalidEscape) };
        out.push((high * 16 + low) as u8);
    }
    String::from_utf8(out).map_err(|_| UrlError::InvalidEscape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, want: &str) {
        let got = match ImportName::parse(name) {
            Err(error) => format!("error: {error}"),
            Ok(ImportName { alias, kind }) => match kind {
                ImportKind::System => format!("system {alias}"),
                ImportKind::LocalFile(path) => format!("file {alias} {path}"),
                ImportKind::LocalDirectory(path) => format!("directory {alias} {path}"),
                ImportKind::Remote { path, clone_url } => format!("remote {alias} {path} {clone_url}"),
            },
        };
        assert_eq!(got, want, "import {name:?}");
    }

    #[test]
    fn system_names() {
        check("fmt", "system fmt");
        check("golang/strings", "system strings");
        check("foo/bar", "system bar");
        check("A-b", "system a_b");
        check("mgmt-web", "system web");
        check("x.MCL", "system x.mcl");
        check("mgmt-", "error: the last part of the path starts or ends with a dash or underscore");
        check("web-", "error: the last part of the path starts or ends with a dash or underscore");
        check("_web", "error: the last part of the path starts or ends with a dash or underscore");
    }

    #[test]
    fn local_names() {
        check("lib/", "directory lib lib/");
        check("a/b/", "directory b a/b/");
        check("mgmt-web/", "directory web mgmt-web/");
        check("../lib/", "directory lib ../lib/");
        check("a.b/", "directory a.b a.b/");
        check("host.example/u/x/", "directory x host.example/u/x/");
        check("lib.mcl", "file lib lib.mcl");
        check("sub/x.mcl", "file x sub/x.mcl");
        check("mgmt-web.mcl", "file web mgmt-web.mcl");
    }

    #[test]
    fn invalid_names() {
        check("", "error: the name is empty");
        check("/abs/x", "error: the path is absolute");
        check("./lib/", "error: the path is not normalized, expected `lib`");
        check("lib//x/", "error: the path is not normalized, expected `lib/x`");
        check("a/../b", "error: the path is not normalized, expected `b`");
        check("a:b", "error: missing path");
        check("git@host.example:u/x", "error: invalid URL: unexpected `:` in the first part of the path");
        check(":x", "error: invalid URL: missing scheme before `:`");
        check("a%zz", "error: invalid URL: invalid percent escape");
        check("a\nb", "error: invalid URL: control character '\\n'");
    }

    #[test]
    fn remote_names() {
        check("git://host.example/u/mgmt-web", "remote web host.example/u/mgmt-web/ git://host.example/u/mgmt-web");
        check("git://host.example/u/Web-App/", "remote web_app host.example/u/Web-App/ git://host.example/u/Web-App/");
        check(
            "https://host.example:8443/u/app/sub?sha1=ab#c",
            "remote sub host.example/u/app/sub/ https://host.example:8443/u/app/sub",
        );
        check("git://host.example/u/app.git", "remote app.git host.example/u/app.git/ git://host.example/u/app.git");
        check("git:///srv/git/mgmt-web/", "remote web srv/git/mgmt-web/ git:///srv/git/mgmt-web/");
        check("git:////srv/x", "error: the path is not normalized, expected `/srv/x`");
        check("git://a:1:2/x", "error: invalid host name with 2 colons");
        check("http://host.example", "error: missing path");
        check("http://host.example/", "remote  host.example/ http://host.example/");
    }
}
