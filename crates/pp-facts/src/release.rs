//! Versions of distributions: `os.release` and `os.distro`.

use crate::distribution::{Distribution, Family, capitalize};
use crate::machine::Machine;

/// A version in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) full: String,
    pub(crate) major: String,
    pub(crate) minor: Option<String>,
}

impl Release {
    /// Splits a version at its dots.
    fn split(full: &str) -> Release {
        let mut parts = full.split('.');
        let major = parts.next().unwrap_or_default().to_owned();
        Release { full: full.to_owned(), major, minor: parts.next().map(str::to_owned) }
    }

    /// Takes a version that has no parts.
    fn whole(full: &str) -> Release {
        Release { full: full.to_owned(), major: full.to_owned(), minor: None }
    }
}

/// What a distribution says about itself: `os.distro`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distro {
    pub(crate) id: Option<String>,
    pub(crate) codename: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) release: Option<Release>,
}

/// Returns the version of the distribution.
pub(crate) fn release(machine: &Machine, distribution: &Distribution) -> Option<Release> {
    // A version has at least two parts for Facter, whatever its distribution writes.
    let version_id = distribution
        .os_release
        .get("VERSION_ID")
        .map(|version| if version.contains('.') { version.to_owned() } else { format!("{version}.0") });
    let version_id = version_id.as_deref();
    let first_line = |path| machine.read(path)?.lines().next().map(|line| line.trim().to_owned());
    let in_file = |path| version_in(&first_line(path)?);
    let or_id = |version: Option<String>| version.as_deref().or(version_id).map(Release::split);
    match distribution.id.as_str() {
        "linuxmint" => return version_id.and_then(|version| version.split('.').next()).map(Release::whole),
        "devuan" => return first_line("/etc/devuan_version").as_deref().map(debian_release),
        "mariner" => return or_id(in_file("/etc/mariner-release")),
        "mageia" => return or_id(in_file("/etc/mageia-release")),
        "slackware" | "openwrt" => return version_id.map(Release::split),
        _ => {}
    }
    match (distribution.rules, distribution.family) {
        ("ubuntu" | "pop", _) => version_id.map(Release::whole),
        ("debian" | "kali" | "raspbian", _) if distribution.id == distribution.rules => {
            first_line("/etc/debian_version").as_deref().map(debian_release)
        }
        (_, Some(Family::RedHat)) => or_id(distribution.release_line.as_deref().and_then(version_in)),
        (_, Some(Family::Alpine)) => or_id(first_line("/etc/alpine-release")),
        (_, Some(Family::Gentoo)) => or_id(in_file("/etc/gentoo-release")),
        ("suse", _) => version_id.map(Release::whole),
        (_, Some(Family::Debian | Family::RedhatLike | Family::Suse)) => version_id.map(Release::split),
        (_, Some(Family::Archlinux | Family::Coreos) | None) => version_id.map(Release::whole),
    }
}

/// Returns what the distribution says about itself, for the families where Facter knows.
pub(crate) fn distro(machine: &Machine, distribution: &Distribution) -> Option<Distro> {
    let os_release = &distribution.os_release;
    let description = os_release.get("PRETTY_NAME").map(str::to_owned);
    match distribution.family? {
        Family::Debian => {
            let codename = os_release.get("VERSION_CODENAME").map(str::to_owned);
            let own = match distribution.id.as_str() {
                "linuxmint" => os_release.get("VERSION_ID").map(Release::whole),
                "devuan" => None,
                _ => release(machine, distribution),
            };
            let from_version = || parenthesized(os_release.get("VERSION")?);
            Some(Distro {
                id: Some(capitalize(&distribution.id)),
                codename: codename.or_else(from_version),
                description,
                release: own,
            })
        }
        Family::RedHat => {
            let Some(line) = distribution.release_line.as_deref() else {
                let release = release(machine, distribution);
                return Some(Distro { id: None, codename: None, description: None, release });
            };
            let name = line.split(" release").next().unwrap_or(line);
            let id: String = name.split_whitespace().filter(|word| *word != "Linux").collect();
            Some(Distro {
                id: Some(id),
                codename: parenthesized(line),
                description: Some(line.to_owned()),
                release: version_in(line).as_deref().map(Release::split),
            })
        }
        Family::Suse => {
            let release = release(machine, distribution);
            let is_old = distribution.rules == "sles"
                && release.as_ref().is_some_and(|release| release.major.parse::<u32>().is_ok_and(|n| n < 13));
            Some(Distro {
                id: Some(if is_old { "SUSE LINUX" } else { "SUSE" }.to_owned()),
                codename: Some(os_release.get("VERSION_CODENAME").unwrap_or("n/a").to_owned()),
                description,
                release,
            })
        }
        Family::Alpine | Family::Archlinux | Family::Coreos | Family::Gentoo | Family::RedhatLike => None,
    }
}

/// Splits a version of Debian; those of its testing branch are words.
fn debian_release(full: &str) -> Release {
    if full.starts_with(|first: char| first.is_ascii_digit()) { Release::split(full) } else { Release::whole(full) }
}

/// Returns the first number with dots in a line.
fn version_in(line: &str) -> Option<String> {
    let start = line.find(|c: char| c.is_ascii_digit())?;
    let version: String = line[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    Some(version.trim_end_matches('.').to_owned())
}

/// Returns what a line has in parentheses.
fn parenthesized(line: &str) -> Option<String> {
    let (_, rest) = line.split_once('(')?;
    let (inner, _) = rest.split_once(')')?;
    (!inner.is_empty()).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_lines() {
        assert_eq!(version_in("CentOS Linux release 7.9.2009 (Core)").as_deref(), Some("7.9.2009"));
        assert_eq!(version_in("no version"), None);
        assert_eq!(version_in("x 3.").as_deref(), Some("3"));
        assert_eq!(parenthesized("a (b) c").as_deref(), Some("b"));
        assert_eq!((parenthesized("a (b"), parenthesized("()")), (None, None));
    }
}
