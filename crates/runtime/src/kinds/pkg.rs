//! `pkg`: packages of a Debian system, through dpkg and apt (spec 05 §6.4, §7.2).
//!
//! A group is one transaction: all its packages are installed, or removed, by one call. What needs no change needs no
//! call: `dpkg-query` alone answers whether packages are installed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use resource_graph::Resource;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::kinds::tool::{Tool, find};
use crate::kinds::{Cancel, Context, Failure, Kind, Load, Params, Scope, Watch};

struct Pkg {
    names: Vec<String>,
    state: State,
    allow_downgrade: bool,
    allow_untrusted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Installed,
    Uninstalled,
    Newest,
    Version(String),
}

/// The package database has one lock: never run two tools at once.
static TOOLS: Mutex<()> = Mutex::new(());

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Pkg::read(resources)?))
}

impl Pkg {
    fn read(resources: &[Resource]) -> Result<Pkg, Failure> {
        let params = Params::new(&resources[0]);
        let state = match params.opt_str("state")?.unwrap_or("installed") {
            "installed" => State::Installed,
            "uninstalled" => State::Uninstalled,
            "newest" => State::Newest,
            version => State::Version(version.to_owned()),
        };
        let names: Vec<String> = resources.iter().map(|r| r.id.name.to_string()).collect();
        if let Some(name) = names.iter().find(|name| !is_package_name(name)) {
            return Err(Failure::Invalid(format!("{name:?} cannot be the name of a package")));
        }
        Ok(Pkg {
            names,
            state,
            allow_downgrade: params.bool("allowdowngrade")?,
            allow_untrusted: params.bool("allowuntrusted")?,
        })
    }

    /// The packages that are not as they should be.
    fn wrong(&self, installed: &Versions, candidates: &Versions) -> Vec<&str> {
        let is_right = |name: &str| match &self.state {
            State::Installed => installed.contains_key(name),
            State::Uninstalled => !installed.contains_key(name),
            State::Newest => installed.get(name).is_some_and(|v| candidate(candidates, name).is_none_or(|c| c == v)),
            State::Version(version) => installed.get(name) == Some(version),
        };
        self.names.iter().map(String::as_str).filter(|name| !is_right(name)).collect()
    }

    fn install(&self, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
        let known = candidates(names, cancel)?;
        if names.iter().any(|name| candidate(&known, name).is_none()) {
            apt()?.args(["update"]).run(cancel)?;
            let known = candidates(names, cancel)?;
            if let Some(name) = names.iter().find(|name| candidate(&known, name).is_none()) {
                return Err(Failure::Unavailable(format!("there is no package named `{name}` in the package sources")));
            }
        }
        let mut tool = apt()?;
        tool.args(["-y", "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"]);
        tool.args(["-o", "DPkg::Lock::Timeout=300", "install"]);
        if self.allow_downgrade {
            tool.args(["--allow-downgrades"]);
        }
        if self.allow_untrusted {
            tool.args(["--allow-unauthenticated"]);
        }
        tool.args(["--"]);
        match &self.state {
            State::Version(version) => tool.args(names.iter().map(|name| format!("{name}={version}"))),
            State::Installed | State::Uninstalled | State::Newest => tool.args(names),
        };
        tool.run(cancel).map(drop).map_err(|failure| match failure {
            Failure::Command(text) if text.contains("downgraded") && !self.allow_downgrade => {
                Failure::Refused(format!("{text}; `allowdowngrade => true` would allow it"))
            }
            Failure::Command(text) if text.contains("authenticated") && !self.allow_untrusted => {
                Failure::Refused(format!("{text}; `allowuntrusted => true` would allow it"))
            }
            other => other,
        })
    }
}

/// Versions by the package's name.
type Versions = FxHashMap<String, String>;

/// A name, or a name with an architecture behind a colon; never something that a tool would take for an option.
fn is_package_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':'))
}

fn apt() -> Result<Tool, Failure> {
    let mut tool = Tool::new("apt-get")?;
    tool.env("DEBIAN_FRONTEND", "noninteractive").env("APT_LISTCHANGES_FRONTEND", "none");
    tool.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    Ok(tool)
}

fn installed(names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
    if find("dpkg-query").is_none() || find("apt-get").is_none() {
        return Err(Failure::Unavailable("pkg: no usable backend: neither apt nor dpkg are installed here".to_owned()));
    }
    let format = "--showformat=${db:Status-Abbrev}\\t${Version}\\t${Package}\\t${Architecture}\\n";
    // Unknown packages make it fail, and it tells about the others all the same.
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

/// What apt would install.
fn candidates(names: &[impl AsRef<str>], cancel: &Cancel) -> Result<Versions, Failure> {
    let names = names.iter().map(AsRef::as_ref);
    Ok(parse_candidates(&Tool::new("apt-cache")?.args(["policy", "--"]).args(names).run(cancel)?))
}

/// apt leaves the machine's own architecture out.
fn candidate<'a>(candidates: &'a Versions, name: &str) -> Option<&'a String> {
    candidates.get(name).or_else(|| candidates.get(name.split_once(':')?.0))
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

/// The files of an installed package, directories with a final `/`, for automatic edges; none where dpkg does not know it.
#[must_use]
pub fn package_files(resource: &Resource) -> Vec<String> {
    let name = &*resource.id.name;
    if !is_package_name(name) {
        return Vec::new();
    }
    let lists = Path::new("/var/lib/dpkg/info");
    let architecture = if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" };
    let candidates = [format!("{name}.list"), format!("{name}:{architecture}.list")];
    let text = candidates.iter().find_map(|file| std::fs::read_to_string(lists.join(file)).ok());
    with_slashes(text.unwrap_or_default().lines().filter(|line| line.starts_with('/')))
}

/// The lists do not say what is a directory: what holds another entry is.
fn with_slashes<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let paths: Vec<&str> = paths.filter(|path| *path != "/.").collect();
    let parents: FxHashSet<&str> = paths.iter().filter_map(|path| path.rsplit_once('/')).map(|(p, _)| p).collect();
    let marked = |path: &&str| if parents.contains(path) { format!("{path}/") } else { (*path).to_owned() };
    paths.iter().map(marked).collect()
}

impl Kind for Pkg {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _one_at_a_time = TOOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let installed = installed(&self.names, cx.cancel())?;
        let candidates = match self.state {
            State::Newest => candidates(&self.names, cx.cancel())?,
            State::Installed | State::Uninstalled | State::Version(_) => Versions::default(),
        };
        let wrong = self.wrong(&installed, &candidates);
        if wrong.is_empty() {
            return Ok(());
        }
        let words = match &self.state {
            State::Installed => "install",
            State::Uninstalled => "remove",
            State::Newest => "install the newest",
            State::Version(_) => "install another version of",
        };
        if !cx.change(format!("{words} {}", wrong.join(" ")))? {
            return Ok(());
        }
        if self.state == State::Uninstalled {
            let mut tool = apt()?;
            tool.args(["-y", "-o", "DPkg::Lock::Timeout=300", "remove", "--"]).args(&wrong);
            return tool.run(cx.cancel()).map(drop);
        }
        self.install(&wrong, cx.cancel())
    }

    fn watches(&self) -> Vec<Watch> {
        let lists = (self.state == State::Newest).then_some(("/var/lib/apt/lists", Scope::Children));
        let paths = [("/var/lib/dpkg/status", Scope::Entry)].into_iter().chain(lists);
        paths.map(|(path, scope)| Watch::Path(PathBuf::from(path), scope)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Pkg::read(resources)?;
        Ok(())
    }

    fn load(&self) -> Load {
        Load::Waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::harness::{Bench, resource};

    #[test]
    fn what_dpkg_says_is_understood() {
        let versions = parse_installed("ii \t1.0-1\ta\tamd64\nrc \t2.0\tb\tall\nun \t\tc\t\nhi \t3\td\tall\n");
        assert_eq!(versions.get("a").map(String::as_str), Some("1.0-1"));
        assert_eq!(versions.get("a:amd64").map(String::as_str), Some("1.0-1"));
        assert!(!versions.contains_key("b") && !versions.contains_key("c") && versions.contains_key("d"));
    }

    #[test]
    fn what_apt_says_is_understood() {
        let text = "a:\n  Installed: 1\n  Candidate: 2\n  Version table:\n     2 500\nb:\n  Installed: (none)\n  Candidate: (none)\n";
        let versions = parse_candidates(text);
        assert_eq!(versions.get("a").map(String::as_str), Some("2"));
        assert!(!versions.contains_key("b"));
    }

    #[test]
    fn what_is_wrong_depends_on_the_state() {
        let versions = |list: &[(&str, &str)]| -> Versions {
            list.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect()
        };
        let check = |state: &str, expected: &[&str]| {
            let group = [resource("pkg", "a").with("state", state), resource("pkg", "b").with("state", state)];
            let pkg = Pkg::read(&group).unwrap();
            assert_eq!(pkg.wrong(&versions(&[("a", "1")]), &versions(&[("a", "2"), ("b", "2")])), expected, "{state}");
        };
        check("installed", &["b"]);
        check("uninstalled", &["a"]);
        check("newest", &["a", "b"]);
        check("1", &["b"]);
    }

    #[test]
    fn directories_of_a_package_are_marked() {
        let list = ["/.", "/etc", "/etc/web", "/etc/web/a", "/usr", "/usr/x"];
        assert_eq!(with_slashes(list.into_iter()), ["/etc/", "/etc/web/", "/etc/web/a", "/usr/", "/usr/x"]);
    }

    #[test]
    fn a_name_is_never_an_option() {
        for bad in ["-y", "--purge", "a b", "a=1", "a/testing", ""] {
            assert!(!is_package_name(bad), "{bad}");
        }
        assert!(is_package_name("libstdc++6:amd64"));
    }

    #[test]
    fn installed_packages_of_this_machine_are_known() {
        if find("dpkg-query").is_none() || find("apt-get").is_none() {
            eprintln!("skipped: there is no dpkg here");
            return;
        }
        Bench::new(&resource("pkg", "dpkg")).is_right();
        Bench::new(&resource("pkg", "no-such-package-here").with("state", "uninstalled")).is_right();
        let outcome = Bench::new(&resource("pkg", "no-such-package-here")).run(false).unwrap();
        assert_eq!(outcome.changes, ["install no-such-package-here"]);
    }
}
