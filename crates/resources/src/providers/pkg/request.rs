//! The parameters of a group of packages.

use resource_graph::Resource;
use rustc_hash::FxHashMap;

use crate::{Failure, Params};

pub(super) struct Pkg {
    pub(super) names: Vec<String>,
    pub(super) state: State,
    pub(super) allow_downgrade: bool,
    pub(super) allow_untrusted: bool,
    pub(super) allow_nonfree: bool,
    pub(super) allow_unsupported: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Installed,
    Uninstalled,
    Newest,
    Version(String),
}

impl Pkg {
    pub(super) fn read(resources: &[Resource]) -> Result<Pkg, Failure> {
        let params = Params::new(&resources[0]);
        let state = match params.opt_str("state")?.unwrap_or("installed") {
            "installed" => State::Installed,
            "uninstalled" => State::Uninstalled,
            "newest" => State::Newest,
            version => State::Version(version.to_owned()),
        };
        let names: Vec<String> = resources.iter().map(|r| r.id.name.to_string()).collect();
        if let Some(name) = names.iter().find(|name| !is_package_name(name)) {
            return Err(Failure::Invalid(format!("invalid package name {name:?}")));
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

    /// Returns the packages that are not in the requested state.
    pub(super) fn outdated(&self, installed: &Versions, candidates: &Versions) -> Vec<&str> {
        let is_converged = |name: &str| match &self.state {
            State::Installed => installed.contains_key(name),
            State::Uninstalled => !installed.contains_key(name),
            State::Newest => installed.get(name).is_some_and(|v| candidate(candidates, name).is_none_or(|c| c == v)),
            State::Version(version) => installed.get(name) == Some(version),
        };
        self.names.iter().map(String::as_str).filter(|name| !is_converged(name)).collect()
    }

    /// Adds the parameter that would allow a refused change to its failure.
    pub(super) fn with_hint(&self, failure: Failure, refused: &Refused) -> Failure {
        let allowed = match () {
            () if refused.downgrade && !self.allow_downgrade => "allowdowngrade",
            () if refused.untrusted && !self.allow_untrusted => "allowuntrusted",
            () => return failure,
        };
        Failure::Refused(format!("{failure}; set `{allowed} => true` to allow it"))
    }
}

/// What a package manager seems to have refused.
pub(super) struct Refused {
    pub(super) downgrade: bool,
    pub(super) untrusted: bool,
}

/// Versions by package name.
pub(super) type Versions = FxHashMap<String, String>;

/// Returns whether `name` is a package name, optionally followed by a colon and an architecture; never true for an option.
pub(super) fn is_package_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':'))
}

/// Returns the candidate of a package; apt omits the native architecture.
pub(super) fn candidate<'a>(candidates: &'a Versions, name: &str) -> Option<&'a String> {
    candidates.get(name).or_else(|| candidates.get(name.split_once(':')?.0))
}

pub(super) fn unknown(name: &str) -> Failure {
    Failure::Unavailable(format!("there is no package named `{name}` in the package sources"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_test::resource;

    #[test]
    fn outdated_packages_depend_on_the_state() {
        let versions = |list: &[(&str, &str)]| -> Versions {
            list.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect()
        };
        let check = |state: &str, expected: &[&str]| {
            let group = [resource("pkg", "a").with("state", state), resource("pkg", "b").with("state", state)];
            let pkg = Pkg::read(&group).unwrap();
            assert_eq!(
                pkg.outdated(&versions(&[("a", "1")]), &versions(&[("a", "2"), ("b", "2")])),
                expected,
                "{state}"
            );
        };
        check("installed", &["b"]);
        check("uninstalled", &["a"]);
        check("newest", &["a", "b"]);
        check("1", &["b"]);
    }

    #[test]
    fn a_name_is_never_an_option() {
        for bad in ["-y", "--purge", "a b", "a=1", "a/testing", ""] {
            assert!(!is_package_name(bad), "{bad}");
        }
        assert!(is_package_name("libstdc++6:amd64"));
    }
}
