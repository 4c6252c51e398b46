//! What resources want of things on the machine, so that two that want different states of one thing are found before
//! anything runs.

use crate::Params;

/// A demand on one aspect of a thing, such as the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The thing: a path without `.`, `..` and superfluous slashes, or a name after a namespace, such as `key:x`.
    pub object: String,
    /// The aspect: `content`, `mode`, `type`.
    pub aspect: &'static str,
    /// The demand.
    pub demand: Demand,
}

/// A demand on an aspect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// This state as a whole. Two resources agree if they demand the same.
    Whole(String),
    /// A part of it, such as a line of a file. Parts do not contradict each other, but a demand for the whole.
    Part,
    /// That a line exists, or that it does not.
    Line {
        /// The line. It may be secret.
        text: String,
        /// Whether it must exist.
        exists: bool,
    },
}

impl Demand {
    /// Returns the part of the aspect that is demanded. Demands of different parts are unrelated.
    #[must_use]
    pub fn part(&self) -> &str {
        match self {
            Demand::Line { text, .. } => text,
            Demand::Whole(_) | Demand::Part => "",
        }
    }
}

impl Claim {
    /// Makes a demand for the whole aspect of a path.
    #[must_use]
    pub fn whole(path: &str, aspect: &'static str, state: impl Into<String>) -> Claim {
        Claim { object: normalized_path(path), aspect, demand: Demand::Whole(state.into()) }
    }

    /// Makes a demand for a part of the content of a file.
    #[must_use]
    pub fn part_of_file(path: &str) -> Claim {
        Claim { object: normalized_path(path), aspect: "content", demand: Demand::Part }
    }

    /// Makes a demand for a line of a file.
    #[must_use]
    pub fn line(path: &str, text: impl Into<String>, exists: bool) -> Claim {
        Claim { object: normalized_path(path), aspect: "line", demand: Demand::Line { text: text.into(), exists } }
    }

    /// Returns whether two claims cannot both be satisfied.
    #[must_use]
    pub fn contradicts(&self, other: &Claim) -> bool {
        let is_same = self.object == other.object && self.aspect == other.aspect;
        is_same
            && match (&self.demand, &other.demand) {
                (Demand::Part, Demand::Part) => false,
                (Demand::Whole(a), Demand::Whole(b)) => a != b,
                (Demand::Line { text: a, exists }, Demand::Line { text: b, exists: other }) => {
                    a == b && exists != other
                }
                (Demand::Whole(_), _) | (_, Demand::Whole(_)) => true,
                (Demand::Part, Demand::Line { .. }) | (Demand::Line { .. }, Demand::Part) => false,
            }
    }
}

/// Returns the claims of a kind that edits the files it manages.
pub(crate) fn parts_of_managed_files(p: &Params<'_>) -> Vec<Claim> {
    (p.kind().managed_files)(p).iter().map(|path| Claim::part_of_file(path)).collect()
}

/// Returns a path without `.`, `..` and superfluous slashes, as text: links are not resolved.
#[must_use]
pub fn normalized_path(path: &str) -> String {
    if !path.starts_with('/') {
        return path.to_owned();
    }
    let mut out = String::with_capacity(path.len());
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            name => {
                out.push('/');
                out.push_str(name);
            }
        }
    }
    if out.is_empty() { "/".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resource, ResourceId, kind};

    fn claims(resource: &Resource) -> Vec<Claim> {
        let params = Params::of(resource).expect("a known kind");
        (params.kind().claims)(&params)
    }

    fn contradict(a: &Resource, b: &Resource) -> bool {
        claims(a).iter().any(|a| claims(b).iter().any(|b| a.contradicts(b)))
    }

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[test]
    fn spellings_of_a_path_are_one_object() {
        for path in ["/a/b", "//a/b/", "/a/./b", "/a/x/../b", "/../a//b/."] {
            assert_eq!(normalized_path(path), "/a/b", "{path}");
        }
        assert_eq!((normalized_path("/.."), normalized_path("~/x")), ("/".to_owned(), "~/x".to_owned()));
    }

    #[test]
    fn files_contradict_each_other_where_they_set_the_same() {
        let file = |name: &str| resource("file", name);
        let content = file("/a/x").with("content", "1");
        for other in [
            file("/a//x").with("content", "2"),
            file("x").with("path", "/a/y/../x").with("source", "/s"),
            file("/a/x/").with("state", "exists"),
            file("y").with("path", "/a/x").with("state", "absent"),
        ] {
            assert!(contradict(&content, &other), "{other:?}");
        }
        for other in
            [file("/a//x").with("content", "1"), file("/a//x").with("mode", "0600"), file("/a/y").with("content", "2")]
        {
            assert!(!contradict(&content, &other), "{other:?}");
        }
    }

    #[test]
    fn editors_of_a_file_agree_with_each_other_but_not_with_its_content() {
        let line =
            |name: &str| resource("line", name).with("file", "/a/x").with("state", "exists").with("content", name);
        assert!(!contradict(&line("1"), &line("2")));
        let json = resource("json:edit", "/a/x");
        assert!(!contradict(&line("1"), &json));
        for file in [resource("file", "/a/x").with("content", ""), resource("file", "/a/x").with("state", "absent")] {
            assert!(contradict(&line("1"), &file) && contradict(&json, &file), "{file:?}");
        }
        assert!(!contradict(&line("1"), &resource("file", "/a/x").with("state", "exists").with("mode", "0600")));
    }

    #[test]
    fn one_line_cannot_exist_and_be_absent() {
        let line = |name: &str, state: &str, content: &str| {
            resource("line", name).with("file", "/a/x").with("state", state).with("content", content)
        };
        assert!(contradict(&line("1", "exists", "a"), &line("2", "absent", "a\n")));
        assert!(contradict(&line("1", "exists", "a"), &line("2", "absent", " a ").with("trim", true)));
        assert!(!contradict(&line("1", "exists", "a"), &line("2", "absent", "b")));
        assert!(!contradict(&line("1", "exists", "a"), &line("2", "exists", "a")));
        assert!(!contradict(&line("1", "exists", ""), &line("2", "absent", "")), "nothing is managed");
        let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh me";
        let entry = |name: &str, state: &str| {
            resource("ssh:authorized_key", name).with("user", "u").with("state", state).with("content", key)
        };
        assert!(contradict(&entry("1", "exists"), &entry("2", "absent")));
    }

    #[test]
    fn settings_of_the_host_contradict_each_other_by_what_they_set() {
        let mount = |name: &str, state: &str| resource("mount", name).with("state", state).with("device", "/dev/sdz1");
        assert!(contradict(&mount("/mnt/x", "exists"), &mount("/mnt/x/", "absent")));
        assert!(contradict(&mount("/mnt/x", "exists"), &mount("/mnt/x/", "exists").with("type", "ext4")));
        assert!(!contradict(&mount("/mnt/x", "exists"), &mount("/mnt/x/", "exists")));
        assert!(!contradict(&mount("/mnt/x", "exists"), &mount("/mnt/y", "absent")));
        let host = |name: &str| resource("hostname", name);
        assert!(contradict(&host("a"), &host("b")));
        assert!(!contradict(&host("a"), &host("b").with("hostname", "a")));
        let only = |key: &str| {
            let keys = ["pretty_hostname", "static_hostname", "transient_hostname"];
            keys.into_iter().filter(|other| *other != key).fold(host(key), |host, other| host.with(other, ""))
        };
        assert!(!contradict(&only("pretty_hostname"), &only("static_hostname")));
    }

    #[test]
    fn accounts_do_not_share_a_number() {
        let user = |name: &str| resource("user", name).with("state", "exists").with("uid", 4242);
        let group = |name: &str| resource("group", name).with("state", "exists").with("gid", 4242);
        assert!(contradict(&user("a"), &user("b")) && contradict(&group("a"), &group("b")));
        assert!(!contradict(&user("a"), &group("a")));
        assert!(!contradict(&user("a"), &user("b").with("allowduplicateuid", true)));
        assert!(!contradict(&user("a"), &user("b").with("state", "absent")));
    }

    #[test]
    fn commands_claim_nothing() {
        assert_eq!(claims(&resource("exec", "/bin/true")), []);
        assert!(kind("exec").is_some());
    }

    #[test]
    fn keys_are_claimed_by_their_value() {
        let kv = |name: &str, value: &str| resource("kv", name).with("key", "k").with("value", value);
        assert!(contradict(&kv("a", "1"), &kv("b", "2")) && !contradict(&kv("a", "1"), &kv("b", "1")));
    }
}
