//! What resources want of things on the machine, so that two that want different states of one thing are found before
//! anything runs.

use std::borrow::Cow;

use crate::Params;

/// A demand on one aspect of a thing, such as the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The thing: a path without `.`, `..` and superfluous slashes, or a name after a namespace, such as `key:x`.
    pub object: Cow<'a, str>,
    /// The aspect: `content`, `mode`, `type`.
    pub aspect: &'static str,
    /// The demand.
    pub demand: Demand<'a>,
}

/// A demand on an aspect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand<'a> {
    /// This state as a whole. Two resources agree if they demand the same.
    Whole {
        /// How the state is written, such as `content` or `source`.
        form: &'static str,
        /// The state in this form. It may be secret.
        state: Cow<'a, str>,
    },
    /// A part of it, such as a line of a file. Parts do not contradict each other, but a demand for the whole.
    Part,
    /// That a line exists, or that it does not.
    Line {
        /// The line. It may be secret.
        text: Cow<'a, str>,
        /// Whether it must exist.
        exists: bool,
    },
}

impl<'a> Demand<'a> {
    /// Demands a state that can only be written in one way.
    pub fn whole(state: impl Into<Cow<'a, str>>) -> Demand<'a> {
        Demand::Whole { form: "", state: state.into() }
    }

    /// Returns the part of the aspect that is demanded. Demands of different parts are unrelated.
    #[must_use]
    pub fn part(&self) -> &str {
        match self {
            Demand::Line { text, .. } => text,
            Demand::Whole { .. } | Demand::Part => "",
        }
    }
}

impl<'a> Claim<'a> {
    /// Makes a demand for the whole aspect of a path.
    #[must_use]
    pub fn whole(path: impl Into<Cow<'a, str>>, aspect: &'static str, state: impl Into<Cow<'a, str>>) -> Claim<'a> {
        Claim { object: normalized_path(path), aspect, demand: Demand::whole(state) }
    }

    /// Makes a demand for a part of the content of a file.
    #[must_use]
    pub(crate) fn part_of_file(path: impl Into<Cow<'a, str>>) -> Claim<'a> {
        Claim { object: normalized_path(path), aspect: "content", demand: Demand::Part }
    }

    /// Makes a demand for a line of a file.
    #[must_use]
    pub fn line(path: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>, exists: bool) -> Claim<'a> {
        Claim { object: normalized_path(path), aspect: "line", demand: Demand::Line { text: text.into(), exists } }
    }

    /// Returns the claim with copies of what it borrows.
    #[must_use]
    pub fn into_owned(self) -> Claim<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let demand = match self.demand {
            Demand::Whole { form, state } => Demand::Whole { form, state: owned(state) },
            Demand::Part => Demand::Part,
            Demand::Line { text, exists } => Demand::Line { text: owned(text), exists },
        };
        Claim { object: owned(self.object), aspect: self.aspect, demand }
    }

    /// Returns whether two claims cannot both be satisfied.
    #[must_use]
    pub fn contradicts(&self, other: &Claim<'_>) -> bool {
        let is_same = self.object == other.object && self.aspect == other.aspect;
        is_same
            && match (&self.demand, &other.demand) {
                (Demand::Part, Demand::Part) => false,
                (Demand::Whole { form: a, state }, Demand::Whole { form: b, state: other }) => (a, state) != (b, other),
                (Demand::Line { text: a, exists }, Demand::Line { text: b, exists: other }) => {
                    a == b && exists != other
                }
                (Demand::Whole { .. }, _) | (_, Demand::Whole { .. }) => true,
                (Demand::Part, Demand::Line { .. }) | (Demand::Line { .. }, Demand::Part) => false,
            }
    }
}

/// Returns the claims of a kind that edits the files it manages.
pub(crate) fn parts_of_managed_files<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    (p.kind().managed_files)(p).into_iter().map(Claim::part_of_file).collect()
}

/// Returns a path without `.`, `..` and superfluous slashes, as text: links are not resolved.
#[must_use]
pub fn normalized_path<'a>(path: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let path = path.into();
    if !path.starts_with('/') || is_normalized(&path) {
        return path;
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
    Cow::Owned(if out.is_empty() { "/".to_owned() } else { out })
}

/// Returns whether [`normalized_path`] leaves an absolute path as it is.
fn is_normalized(path: &str) -> bool {
    path == "/" || path.split('/').skip(1).all(|component| !matches!(component, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::{Resource, ResourceId, kind};

    fn claims(resource: &Resource) -> Vec<Claim<'_>> {
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
        assert_eq!([normalized_path("/.."), normalized_path("~/x")], ["/", "~/x"]);
        assert!(matches!(normalized_path("/a/b.c/..d"), Cow::Borrowed("/a/b.c/..d")));
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
    fn accounts_are_parts_of_their_databases() {
        let (user, group) =
            (resource("user", "a").with("state", "exists"), resource("group", "a").with("state", "absent"));
        for (account, file) in [(&user, "/etc/passwd"), (&user, "/etc/shadow"), (&group, "/etc/./group")] {
            assert!(contradict(account, &resource("file", file).with("content", "")), "{file}");
            assert!(!contradict(account, &resource("file", file).with("mode", "0640")), "{file}");
            let line = resource("line", "1").with("file", file).with("state", "exists").with("content", "x");
            assert!(!contradict(account, &line), "{file}");
        }
    }

    #[test]
    fn services_pools_and_archives_have_one_state() {
        let service = |name: &str| resource("svc", name);
        let running = service("ssh").with("state", "running");
        assert!(contradict(&running, &service("ssh.service").with("state", "stopped")));
        assert!(!contradict(&running, &service("ssh.service").with("state", "running").with("startup", "disabled")));
        assert!(!contradict(&running, &service("ssh.socket").with("state", "stopped")));
        assert!(!contradict(&running, &service("ssh").with("state", "stopped").with("session", true)));
        let vote = |name: &str| resource("schedule", name).with("namespace", "pool");
        assert!(contradict(&vote("a"), &vote("b").with("withdraw", true)));
        assert!(!contradict(&vote("a"), &vote("b").with("persist", true)));
        let archive = |name: &str| resource("gzip", name).with("path", "/a/x.gz");
        assert!(contradict(&archive("a"), &archive("b")));
    }

    #[test]
    fn key_of_a_document_has_one_value() {
        let edits = |name: &str, edits: &[&str]| {
            resource("json:edit", name).with("store", "/a/x").with("edits", Value::list(edits.iter().copied()))
        };
        let one = edits("1", &[".a = 1", ".b.c = 2"]);
        for other in [&[".a = 2"][..], &["del(.b.c)"], &[".a = 1", ".a = 3"]] {
            assert!(contradict(&one, &edits("2", other)), "{other:?}");
        }
        for other in [&[".a=1"][..], &[".c = 2"], &[".a = 3", ".a = 1"], &[".a = 3", "del(.a)", ".a = 1"]] {
            assert!(!contradict(&one, &edits("2", other)), "{other:?}");
        }
        let elsewhere = edits("2", &[".a = 2"]).with("store", "file:///a/y");
        assert!(!contradict(&one, &elsewhere) && contradict(&one, &elsewhere.with("store", "file:///a/./x")));
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

    #[test]
    fn user_in_a_group_that_is_to_be_removed_is_a_contradiction() {
        let group = |state: &str| resource("group", "crew").with("state", state);
        let user = |state: &str| resource("user", "ann").with("state", state);
        let member = |state: &str| user(state).with("groups", mcl_value::Value::list(["audio", "crew"]));
        for in_group in [user("exists").with("group", "crew"), member("exists")] {
            assert!(contradict(&group("absent"), &in_group), "{in_group:?}");
            assert!(!contradict(&group("exists"), &in_group), "{in_group:?}");
        }
        assert!(!contradict(&member("exists"), &user("exists").with("group", "crew")), "both need it");
        assert!(!contradict(&group("absent"), &member("absent")));
        assert!(!contradict(&group("absent"), &user("exists").with("group", "other")));
    }
    #[test]
    fn crontab_and_keys_of_a_user_that_is_to_be_removed_are_contradictions() {
        let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh me";
        let removed = resource("user", "ann").with("state", "absent");
        let key = resource("ssh:authorized_key", "k").with("user", "ann").with("content", key);
        let job = resource("cron:job", "j").with("user", "ann").with("command", "/bin/true");
        for owned in [key, job] {
            assert!(contradict(&removed, &owned.clone().with("state", "exists")), "{owned:?}");
            assert!(!contradict(&removed, &owned.clone().with("state", "absent")), "{owned:?}");
        }
    }

    #[test]
    fn file_that_belongs_to_an_account_that_is_to_be_removed_is_a_contradiction() {
        let file = |parameter: &str, name: &str| resource("file", "/a/x").with(parameter, name);
        let account = |kind: &str, state: &str| resource(kind, "ann").with("state", state);
        for (parameter, kind) in [("owner", "user"), ("group", "group")] {
            assert!(contradict(&account(kind, "absent"), &file(parameter, "ann")), "{parameter}");
            for (state, name) in [("exists", "ann"), ("absent", "1000"), ("absent", "bob")] {
                assert!(!contradict(&account(kind, state), &file(parameter, name)), "{parameter} {state} {name}");
            }
            let removed = file(parameter, "ann").with("state", "absent");
            assert!(!contradict(&account(kind, "absent"), &removed), "{parameter}");
        }
        assert!(!contradict(&account("group", "absent"), &file("owner", "ann")), "another account");
    }
}
