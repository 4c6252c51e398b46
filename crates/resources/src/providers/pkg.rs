//! `pkg`: packages, through PackageKit or, without it, apt and dpkg (spec 05 §6.4, §7.2).
//!
//! A group is one transaction: one call installs or removes all its packages, and none is made if nothing changes.

mod apt;
mod packagekit;
mod request;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use resource_graph::Resource;
use rustc_hash::FxHashSet;

use crate::bus::Bus;
use crate::providers::pkg::request::{Pkg, State, Versions, is_package_name};
use crate::{Cancel, Context, Effects, Failure, Provider, Scope, Watch, WorkerClass};

/// The package manager of this machine.
enum Backend {
    PackageKit(Bus),
    Apt,
}

/// Held during a check: the package database has one lock, so package managers never run in parallel.
static PACKAGE_MANAGER: Mutex<()> = Mutex::new(());

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Pkg::read(resources)?))
}

/// Returns the files of an installed package, directories with a trailing slash, for automatic edges. Empty for packages
/// that dpkg does not know.
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

/// Appends a slash to each path that has another one below it: dpkg's lists do not mark directories.
fn with_slashes<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let paths: Vec<&str> = paths.filter(|path| *path != "/.").collect();
    let parents: FxHashSet<&str> = paths.iter().filter_map(|path| path.rsplit_once('/')).map(|(p, _)| p).collect();
    let marked = |path: &&str| if parents.contains(path) { format!("{path}/") } else { (*path).to_owned() };
    paths.iter().map(marked).collect()
}

impl Backend {
    fn detect(cancel: &Cancel) -> Result<Backend, Failure> {
        if let Some(bus) = packagekit::connect(cancel)? {
            return Ok(Backend::PackageKit(bus));
        }
        if apt::is_available() {
            return Ok(Backend::Apt);
        }
        let text = "pkg: no usable backend: PackageKit is unreachable, and apt and dpkg are not installed";
        Err(Failure::Unavailable(text.to_owned()))
    }

    fn installed(&self, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
        match self {
            Backend::PackageKit(bus) => packagekit::installed(bus, names, cancel),
            Backend::Apt => apt::installed(names, cancel),
        }
    }

    /// Returns the newest available versions; may omit packages that are up to date.
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

impl Provider for Pkg {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _one_at_a_time = PACKAGE_MANAGER.lock().unwrap_or_else(PoisonError::into_inner);
        let backend = Backend::detect(cx.cancel())?;
        let installed = backend.installed(&self.names, cx.cancel())?;
        let newest = match self.state {
            State::Newest => backend.newest(&self.names, cx.cancel())?,
            State::Installed | State::Uninstalled | State::Version(_) => Versions::default(),
        };
        let outdated = self.outdated(&installed, &newest);
        if outdated.is_empty() {
            return Ok(());
        }
        let verb = match &self.state {
            State::Installed => "install",
            State::Uninstalled => "remove",
            State::Newest => "install the newest",
            State::Version(_) => "install another version of",
        };
        if !cx.change(format!("{verb} {}", outdated.join(" ")))? {
            return Ok(());
        }
        together_or_each(&outdated, |names| match self.state {
            State::Uninstalled => backend.remove(names, cx.cancel()),
            State::Installed | State::Newest | State::Version(_) => backend.install(self, names, cx.cancel()),
        })
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

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }

    fn effects(&self) -> Effects {
        Effects::Programs
    }
}

/// Changes packages together. If that fails, changes each by itself, so that one of them does not prevent the others.
fn together_or_each(names: &[&str], mut change: impl FnMut(&[&str]) -> Result<(), Failure>) -> Result<(), Failure> {
    match change(names) {
        Ok(()) => return Ok(()),
        Err(failure) if names.len() < 2 || matches!(failure, Failure::Cancelled) => return Err(failure),
        Err(_) => {}
    }
    let mut failed = Vec::new();
    for name in names {
        match change(&[name]) {
            Ok(()) => {}
            Err(Failure::Cancelled) => return Err(Failure::Cancelled),
            Err(failure) => failed.push(format!("{name}: {failure}")),
        }
    }
    match failed.len() {
        0 => Ok(()),
        count => Err(Failure::Command(format!("{count} of {} packages: {}", names.len(), failed.join("; ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn unknown_package_does_not_prevent_the_others() {
        let mut changed = Vec::new();
        let result = together_or_each(&["a", "bad", "b"], |names| {
            if names.contains(&"bad") {
                return Err(Failure::Command("unknown".to_owned()));
            }
            changed.extend(names.iter().map(|name| (*name).to_owned()));
            Ok(())
        });
        assert_eq!(result.unwrap_err().to_string(), "1 of 3 packages: bad: unknown");
        assert_eq!(changed, ["a", "b"]);
    }

    #[test]
    fn packages_are_changed_together_if_possible() {
        let mut calls = 0;
        let mut change = |_: &[&str]| -> Result<(), Failure> {
            calls += 1;
            Ok(())
        };
        together_or_each(&["a", "b"], &mut change).unwrap();
        assert_eq!(calls, 1);
    }

    #[test]
    fn directories_of_a_package_are_marked() {
        let list = ["/.", "/etc", "/etc/web", "/etc/web/a", "/usr", "/usr/x"];
        assert_eq!(with_slashes(list.into_iter()), ["/etc/", "/etc/web/", "/etc/web/a", "/usr/", "/usr/x"]);
    }

    #[test]
    fn installed_packages_of_this_machine_are_known() {
        if !apt::is_available() {
            eprintln!("skipped: there is no dpkg here");
            return;
        }
        ProviderTest::new(&resource("pkg", "dpkg")).assert_unchanged();
        ProviderTest::new(&resource("pkg", "no-such-package-here").with("state", "uninstalled")).assert_unchanged();
        let outcome = ProviderTest::new(&resource("pkg", "no-such-package-here")).run(false).unwrap();
        assert_eq!(outcome.changes, ["install no-such-package-here"]);
    }
}
