//! Which distribution of Linux a machine runs.

use crate::machine::Machine;
use crate::os_release::OsRelease;

/// The families whose members name and number themselves by common rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Alpine,
    Archlinux,
    Coreos,
    Debian,
    Gentoo,
    RedHat,
    Suse,
    /// Red Hat's rules, but Facter writes the family `Redhat`.
    RedhatLike,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Alpine => "Alpine",
            Family::Archlinux => "Archlinux",
            Family::Coreos => "Coreos",
            Family::Debian => "Debian",
            Family::Gentoo => "Gentoo",
            Family::RedHat => "RedHat",
            Family::Suse => "Suse",
            Family::RedhatLike => "Redhat",
        }
    }
}

/// Distributions by their id in `os-release`: the family, and the name if it is not the first word of `NAME`.
const DISTRIBUTIONS: &[(&str, Family, Option<&str>)] = &[
    ("almalinux", Family::RedHat, Some("AlmaLinux")),
    ("alpine", Family::Alpine, None),
    ("amzn", Family::RedHat, Some("Amazon")),
    ("arch", Family::Archlinux, Some("Archlinux")),
    ("archarm", Family::Archlinux, Some("Archlinux")),
    ("centos", Family::RedHat, Some("CentOS")),
    ("coreos", Family::Coreos, None),
    ("cumulus-linux", Family::Debian, None),
    ("debian", Family::Debian, None),
    ("devuan", Family::Debian, None),
    ("elementary", Family::Debian, None),
    ("fedora", Family::RedHat, None),
    ("flatcar", Family::Coreos, None),
    ("gentoo", Family::Gentoo, None),
    ("kali", Family::Debian, None),
    ("linuxmint", Family::Debian, Some("Linuxmint")),
    ("mageia", Family::RedhatLike, None),
    ("manjaro", Family::Archlinux, Some("Manjarolinux")),
    ("mariner", Family::RedhatLike, Some("Mariner")),
    ("ol", Family::RedHat, Some("OracleLinux")),
    ("opensuse", Family::Suse, None),
    ("opensuse-leap", Family::Suse, None),
    ("opensuse-tumbleweed", Family::Suse, None),
    ("photon", Family::RedhatLike, None),
    ("pop", Family::Debian, None),
    ("raspbian", Family::Debian, None),
    ("rhel", Family::RedHat, Some("RedHat")),
    ("rocky", Family::RedHat, None),
    ("scientific", Family::RedHat, None),
    ("sled", Family::Suse, None),
    ("sles", Family::Suse, None),
    ("suse", Family::Suse, None),
    ("ubuntu", Family::Debian, None),
    ("virtuozzo", Family::RedHat, Some("VirtuozzoLinux")),
    ("xenenterprise", Family::RedHat, None),
];

/// A distribution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distribution {
    /// Its id in `os-release`, or the one that its release file stands for.
    pub(crate) id: String,
    /// The value of `os.name`.
    pub(crate) name: Option<String>,
    pub(crate) family: Option<Family>,
    /// The id of the distribution in the table whose rules it follows: itself, or one that it is like.
    pub(crate) rules: &'static str,
    pub(crate) os_release: OsRelease,
    /// The first line of `/etc/redhat-release` or its like.
    pub(crate) release_line: Option<String>,
}

impl Distribution {
    pub(crate) fn of(machine: &Machine) -> Distribution {
        let os_release = OsRelease::read(machine);
        let files = ["/etc/system-release", "/etc/redhat-release"];
        let lines = files.iter().filter_map(|file| machine.read(file));
        let release_line = lines.filter_map(|text| text.lines().next().map(|line| line.trim().to_owned())).next_back();
        let mut id = os_release.get("ID").unwrap_or_default().to_lowercase();
        if id.is_empty() {
            id = release_line.as_deref().map(id_of_release_line).unwrap_or_default();
        }
        let row = |id: &str| DISTRIBUTIONS.iter().find(|(known, ..)| *known == id);
        let known = row(&id);
        let like = os_release.get("ID_LIKE").unwrap_or_default();
        let model = known.or_else(|| like.split_whitespace().find_map(row));
        let (rules, family) = model.map_or(("", None), |(rules, family, _)| (*rules, Some(*family)));
        let first_word = || {
            let name = os_release.get("NAME").map(str::to_owned);
            let line = release_line.as_deref();
            name.or_else(|| line.map(str::to_owned))?.split_whitespace().next().map(str::to_owned)
        };
        let name = known.and_then(|(_, _, name)| *name).map(str::to_owned).or_else(first_word);
        Distribution { name, family, rules, os_release, release_line, id }
    }

    /// Returns the value of `os.family`.
    pub(crate) fn family_name(&self) -> Option<String> {
        // Of a distribution that is not in the table, the one that it is like names the family.
        let like = self.os_release.get("ID_LIKE").and_then(|like| like.split_whitespace().next());
        let id = like.filter(|_| self.rules.is_empty()).unwrap_or(&self.id);
        let own = || (!id.is_empty()).then(|| capitalize(id));
        self.family.map(|family| family.name().to_owned()).or_else(own)
    }
}

/// Returns the id of the distribution that a line like `CentOS release 6.10 (Final)` is of.
fn id_of_release_line(line: &str) -> String {
    let line = line.to_lowercase();
    let words = [("red hat", "rhel"), ("oracle", "ol"), ("amazon", "amzn"), ("virtuozzo", "virtuozzo")];
    let special = words.iter().find(|(start, _)| line.starts_with(start)).map(|(_, id)| (*id).to_owned());
    special.unwrap_or_else(|| line.split_whitespace().next().unwrap_or_default().to_owned())
}

/// Returns a word with a capital first letter.
pub(crate) fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
