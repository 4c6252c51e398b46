//! `pkg`: packages, through PackageKit or, where that is not there, apt and dpkg (spec 05 §6.4, §7.2).
//!
//! A group is one transaction: all its packages are installed, or removed, by one call. What needs no change needs no
//! call.

mod apt;
mod packagekit;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use resource_graph::Resource;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bus::Bus;
use crate::{Cancel, Context, Failure, Kind, Load, Params, Scope, Watch};

struct Pkg {
    names: Vec<String>,
    state: State,
    allow_downgrade: bool,
    allow_untrusted: bool,
    allow_nonfree: bool,
    allow_unsupported: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Installed,
    Uninstalled,
    Newest,
    Version(String),
}

/// What manages the packages of this machine.
enum Backend {
    PackageKit(Bus),
    Apt,
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
            allow_nonfree: params.bool("allownonfree")?,
            allow_unsupported: params.bool("allowunsupported")?,
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

    /// A failure, with the parameter that would allow what was refused.
    fn explained(&self, failure: Failure, is_downgrade: bool, is_untrusted: bool) -> Failure {
        let allowed = match () {
            () if is_downgrade && !self.allow_downgrade => "allowdowngrade",
            () if is_untrusted && !self.allow_untrusted => "allowuntrusted",
            () => return failure,
        };
        Failure::Refused(format!("{failure}; `{allowed} => true` would allow it"))
    }
}

/// Versions by the package's name.
type Versions = FxHashMap<String, String>;

/// A name, or a name with an architecture behind a colon; never something that a tool would take for an option.
fn is_package_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':'))
}

/// apt leaves the machine's own architecture out.
fn candidate<'a>(candidates: &'a Versions, name: &str) -> Option<&'a String> {
    candidates.get(name).or_else(|| candidates.get(name.split_once(':')?.0))
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

impl Backend {
    fn of_this_machine(cancel: &Cancel) -> Result<Backend, Failure> {
        if let Some(bus) = packagekit::reached(cancel)? {
            return Ok(Backend::PackageKit(bus));
        }
        if apt::is_there() {
            return Ok(Backend::Apt);
        }
        let text = "pkg: no usable backend: PackageKit cannot be reached, and neither apt nor dpkg are installed here";
        Err(Failure::Unavailable(text.to_owned()))
    }

    fn installed(&self, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
        match self {
            Backend::PackageKit(bus) => packagekit::installed(bus, names, cancel),
            Backend::Apt => apt::installed(names, cancel),
        }
    }

    /// The newest versions that there are; the installed one need not be among them.
    fn newest(&self, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
        match self {
            Backend::PackageKit(bus) => packagekit::updates(bus, names, cancel),
            Backend::Apt => apt::candidates(names, cancel),
        }
    }

    fn install(&self, pkg: &Pkg, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
        match self {
            Backend::PackageKit(bus) => packagekit::install(bus, pkg, names, cancel),
            Backend::Apt => apt::install(pkg, names, cancel),
        }
    }

    fn remove(&self, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
        match self {
            Backend::PackageKit(bus) => packagekit::remove(bus, names, cancel),
            Backend::Apt => apt::remove(names, cancel),
        }
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Unavailable(format!("there is no package named `{name}` in the package sources"))
}

impl Kind for Pkg {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _one_at_a_time = TOOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let backend = Backend::of_this_machine(cx.cancel())?;
        let installed = backend.installed(&self.names, cx.cancel())?;
        let newest = match self.state {
            State::Newest => backend.newest(&self.names, cx.cancel())?,
            State::Installed | State::Uninstalled | State::Version(_) => Versions::default(),
        };
        let wrong = self.wrong(&installed, &newest);
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
        match self.state {
            State::Uninstalled => backend.remove(&wrong, cx.cancel()),
            State::Installed | State::Newest | State::Version(_) => backend.install(self, &wrong, cx.cancel()),
        }
    }

    fn watches(&self) -> Vec<Watch> {
        let lists = (self.state == State::Newest).then_some(("/var/lib/apt/lists", Scope::Children));
        let paths = [("/var/lib/dpkg/status", Scope::Entry)].into_iter().chain(lists);
        let paths = paths.map(|(path, scope)| Watch::Path(PathBuf::from(path), scope));
        paths.chain([packagekit::watch()]).collect()
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
    use crate::harness::{Bench, resource};

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
        if !apt::is_there() {
            eprintln!("skipped: there is no dpkg here");
            return;
        }
        Bench::new(&resource("pkg", "dpkg")).is_right();
        Bench::new(&resource("pkg", "no-such-package-here").with("state", "uninstalled")).is_right();
        let outcome = Bench::new(&resource("pkg", "no-such-package-here")).run(false).unwrap();
        assert_eq!(outcome.changes, ["install no-such-package-here"]);
    }
}
