//! apt and dpkg, for machines without PackageKit.

use crate::process::find_program;
use crate::providers::pkg::request::{Pkg, Refused, State, Versions, candidate, unknown};
use crate::tool::Tool;
use crate::{Cancel, Failure};

pub(super) fn is_available() -> bool {
    find_program("dpkg-query").is_some() && find_program("apt-get").is_some()
}

pub(super) fn install(pkg: &Pkg, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
    let known = candidates(names, cancel)?;
    if names.iter().any(|name| candidate(&known, name).is_none()) {
        apt()?.args(["update"]).run(cancel)?;
        let known = candidates(names, cancel)?;
        if let Some(name) = names.iter().find(|name| candidate(&known, name).is_none()) {
            return Err(unknown(name));
        }
    }
    let mut tool = apt()?;
    tool.args(["-y", "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"]);
    tool.args(["-o", "DPkg::Lock::Timeout=300", "install"]);
    if pkg.allow_downgrade {
        tool.args(["--allow-downgrades"]);
    }
    if pkg.allow_untrusted {
        tool.args(["--allow-unauthenticated"]);
    }
    tool.args(["--"]);
    match &pkg.state {
        State::Version(version) => tool.args(names.iter().map(|name| format!("{name}={version}"))),
        State::Installed | State::Uninstalled | State::Newest => tool.args(names),
    };
    tool.run(cancel).map(drop).map_err(|failure| {
        let message = failure.to_string();
        let refused =
            Refused { downgrade: message.contains("downgraded"), untrusted: message.contains("authenticated") };
        pkg.with_hint(failure, &refused)
    })
}

pub(super) fn remove(names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
    let mut tool = apt()?;
    tool.args(["-y", "-o", "DPkg::Lock::Timeout=300", "remove", "--"]).args(names);
    tool.run(cancel).map(drop)
}

fn apt() -> Result<Tool, Failure> {
    let mut tool = Tool::new("apt-get")?;
    tool.env("DEBIAN_FRONTEND", "noninteractive").env("APT_LISTCHANGES_FRONTEND", "none");
    tool.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    Ok(tool)
}

pub(super) fn installed(names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
    let format = "--showformat=${db:Status-Abbrev}\\t${Version}\\t${Package}\\t${Architecture}\\n";
    // With unknown packages it fails, but still prints the others.
    let output = Tool::new("dpkg-query")?.args(["--show", format, "--"]).args(names).output(cancel)?;
    if output.status.code().is_none_or(|code| code > 1) {
        return Err(Failure::Command(format!("`dpkg-query` failed: {}", output.stderr.trim())));
    }
    Ok(parse_installed(&output.stdout))
}

fn parse_installed(text: &str) -> Versions {
    let mut versions = Versions::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [status, version, name, architecture] = fields[..] else { continue };
        if status.starts_with("ii") || status.starts_with("hi") {
            versions.insert(format!("{name}:{architecture}"), version.to_owned());
            versions.insert(name.to_owned(), version.to_owned());
        }
    }
    versions
}

/// Returns the versions that apt would install.
pub(super) fn candidates(names: &[impl AsRef<str>], cancel: &Cancel) -> Result<Versions, Failure> {
    let names = names.iter().map(AsRef::as_ref);
    Ok(parse_candidates(&Tool::new("apt-cache")?.args(["policy", "--"]).args(names).run(cancel)?))
}

fn parse_candidates(text: &str) -> Versions {
    let mut versions = Versions::default();
    let mut name = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            name = line.trim_end().trim_end_matches(':');
        } else if let Some(version) = line.trim().strip_prefix("Candidate: ").filter(|v| *v != "(none)") {
            versions.insert(name.to_owned(), version.to_owned());
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_packages_are_parsed() {
        let versions = parse_installed("ii \t1.0-1\ta\tamd64\nrc \t2.0\tb\tall\nun \t\tc\t\nhi \t3\td\tall\n");
        assert_eq!(versions.get("a").map(String::as_str), Some("1.0-1"));
        assert_eq!(versions.get("a:amd64").map(String::as_str), Some("1.0-1"));
        assert!(!versions.contains_key("b") && !versions.contains_key("c") && versions.contains_key("d"));
    }

    #[test]
    fn candidates_are_parsed() {
        let text = "a:\n  Installed: 1\n  Candidate: 2\n  Version table:\n     2 500\nb:\n  Installed: (none)\n  Candidate: (none)\n";
        let versions = parse_candidates(text);
        assert_eq!(versions.get("a").map(String::as_str), Some("2"));
        assert!(!versions.contains_key("b"));
    }
}
