//! Automatic edges (spec 05 §4.3, spec 06 §4.1): resources that need something are ordered after the resource that
//! provides it, where both are in the graph.
//!
//! Resources *offer* identities (a file its path, a user its name and number) and *want* identities of others (a file
//! wants the directory above it). Every identity is a key of a hash map, so the whole is linear in what is offered and
//! wanted. Where several resources offer the same, the one whose id sorts first is taken.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kinds::file_path;
use crate::{Edge, Params, Resource, ResourceGraph, ResourceId, VertexId};

/// Tells the files of a `pkg`, directories with a final `/`; none for a package that is not known.
pub type PackageFiles<'a> = dyn Fn(&Resource) -> Vec<String> + 'a;

/// What the algorithm must know of the host.
#[derive(Default)]
pub struct AutoEdgeHost<'a> {
    /// The files of packages; without it packages are ordered with nothing.
    pub package_files: Option<&'a PackageFiles<'a>>,
    /// The home directory, for units of the user's own manager.
    pub home: Option<String>,
}

/// Why automatic edges cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoEdgeError {
    /// The resource.
    pub id: ResourceId,
    /// Its vertex.
    pub vertex: VertexId,
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for AutoEdgeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.id, self.message)
    }
}

impl std::error::Error for AutoEdgeError {}

/// Adds the automatic edges. Edges that are there already stay as they are.
///
/// # Errors
/// Every resource that cannot tell what it wants; the graph is unchanged then.
pub fn add_autoedges(graph: &mut ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<(), Vec<AutoEdgeError>> {
    let found = find(graph, host)?;
    for edge in found.edges {
        graph.add_edge(edge);
    }
    // What packages hold depends on the host: such an edge gives way to an order that the program wants.
    for edge in found.package_edges {
        if !graph.reaches(edge.to, edge.from) {
            graph.add_edge(edge);
        }
    }
    Ok(())
}

/// Edges that were found.
#[derive(Default)]
struct Found {
    edges: Vec<Edge>,
    /// Those that come from the files of packages.
    package_edges: Vec<Edge>,
}

fn find(graph: &ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<Found, Vec<AutoEdgeError>> {
    let participants: Vec<(VertexId, Params<'_>)> = graph
        .resources()
        .filter(|(_, resource)| resource.meta.autoedge)
        .filter_map(|(vertex, resource)| Some((vertex, Params::of(resource)?)))
        .filter(|(_, params)| params.kind().traits.autoedge)
        .collect();
    let mut errors = Vec::new();
    let mut package_files: FxHashMap<VertexId, Vec<String>> = FxHashMap::default();
    for (vertex, params) in &participants {
        match params.kind().name {
            "pkg" => {
                let files = host.package_files.map_or_else(Vec::new, |files| files(graph.resource(*vertex)));
                package_files.insert(*vertex, files);
            }
            "svc" | "cron" if params.bool("session") && host.home.is_none() => errors.push(AutoEdgeError {
                id: graph.resource(*vertex).id.clone(),
                vertex: *vertex,
                message: String::from("units of the user's own manager need a home directory, and HOME is not set"),
            }),
            _ => {}
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut offers = Offers::default();
    for (vertex, params) in &participants {
        let files = package_files.get(vertex).map_or(&[][..], Vec::as_slice);
        offers.add(graph, *vertex, params, files, host);
    }
    let mut seeker = Seeker { offers: &offers, vertex: VertexId(0), by_package: false, found: Found::default() };
    for (vertex, params) in &participants {
        seeker.vertex = *vertex;
        let files = package_files.get(vertex).map_or(&[][..], Vec::as_slice);
        seeker.seek(params, files, host);
    }
    Ok(seeker.found)
}

/// Which resource offers an identity: the first by id, and the next one for a seeker that is the first itself.
#[derive(Clone, Copy)]
struct Offer {
    first: VertexId,
    second: Option<VertexId>,
}

/// Everything that is offered, by type of identity.
#[derive(Default)]
struct Offers<'a> {
    files: FxHashMap<Cow<'a, str>, Offer>,
    package_files: FxHashMap<&'a str, Offer>,
    services: FxHashMap<(&'a str, bool), Offer>,
    timers: FxHashMap<(Cow<'a, str>, bool), Offer>,
    users: FxHashMap<&'a str, Offer>,
    groups: FxHashMap<&'a str, Offer>,
    group_ids: FxHashMap<i64, Offer>,
    images: FxHashMap<Cow<'a, str>, Offer>,
    remotes: Vec<VertexId>,
}

fn offer<K: Hash + Eq>(map: &mut FxHashMap<K, Offer>, graph: &ResourceGraph, key: K, vertex: VertexId) {
    match map.entry(key) {
        Entry::Vacant(vacant) => {
            vacant.insert(Offer { first: vertex, second: None });
        }
        Entry::Occupied(mut occupied) => {
            let id = |v: VertexId| &graph.resource(v).id;
            let offer = occupied.get_mut();
            if id(vertex) < id(offer.first) {
                *offer = Offer { first: vertex, second: Some(offer.first) };
            } else if offer.second.is_none_or(|second| id(vertex) < id(second)) {
                offer.second = Some(vertex);
            }
        }
    }
}

impl<'a> Offers<'a> {
    fn add(
        &mut self,
        graph: &ResourceGraph,
        vertex: VertexId,
        params: &Params<'a>,
        package_files: &'a [String],
        host: &AutoEdgeHost<'_>,
    ) {
        let name = params.name();
        match params.kind().name {
            "file" => offer(&mut self.files, graph, file_path(params), vertex),
            "pkg" => {
                for file in package_files {
                    offer(&mut self.package_files, graph, file, vertex);
                }
            }
            "svc" => offer(&mut self.services, graph, (name, params.bool("session")), vertex),
            "cron" => {
                let session = params.bool("session");
                let unit = match params.text("unit") {
                    unit if unit.is_empty() => Cow::Owned(format!("{name}.service")),
                    unit => unit,
                };
                offer(&mut self.timers, graph, (unit, session), vertex);
                let file = unit_directory(session, host).map(|directory| format!("{directory}{name}.timer"));
                if let Some(file) = file {
                    offer(&mut self.files, graph, Cow::Owned(file), vertex);
                }
            }
            "user" => offer(&mut self.users, graph, name, vertex),
            "group" => {
                offer(&mut self.groups, graph, name, vertex);
                if params.is_set("gid") {
                    offer(&mut self.group_ids, graph, params.int("gid"), vertex);
                }
            }
            "docker:image" => offer(&mut self.images, graph, with_tag(Cow::Borrowed(name)), vertex),
            "fwupd:remote" => self.remotes.push(vertex),
            _ => {}
        }
    }
}

/// Where the unit files of the host's administrator are.
fn unit_directory(session: bool, host: &AutoEdgeHost<'_>) -> Option<Cow<'static, str>> {
    match session {
        false => Some(Cow::Borrowed("/etc/systemd/system/")),
        true => {
            host.home.as_deref().map(|home| Cow::Owned(format!("{}/.config/systemd/user/", home.trim_end_matches('/'))))
        }
    }
}

/// An image without a tag is the one tagged `latest`; a colon before a slash belongs to the registry's port.
fn with_tag(image: Cow<'_, str>) -> Cow<'_, str> {
    let last = image.rsplit('/').next().unwrap_or("");
    if last.contains(':') { image } else { Cow::Owned(format!("{image}:latest")) }
}

struct Seeker<'a> {
    offers: &'a Offers<'a>,
    /// Who is looking.
    vertex: VertexId,
    /// Whether what is looked up comes from the files of a package.
    by_package: bool,
    found: Found,
}

/// Which of the two runs first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Match,
    Seeker,
}

impl<'a> Seeker<'a> {
    /// Adds the edge to who offers what was looked up; whether there is someone.
    fn edge_to(&mut self, offer: Option<&Offer>, first: First) -> bool {
        let other = offer.and_then(|o| if o.first == self.vertex { o.second } else { Some(o.first) });
        let Some(other) = other else { return false };
        let (from, to) = match first {
            First::Match => (other, self.vertex),
            First::Seeker => (self.vertex, other),
        };
        let edges = if self.by_package { &mut self.found.package_edges } else { &mut self.found.edges };
        edges.push(Edge { from, to, notify: false, autoedge: true });
        true
    }

    fn file(&mut self, path: &str, first: First) -> bool {
        let offers = self.offers;
        self.edge_to(offers.files.get(path), first)
    }

    fn group(&mut self, name: &str, first: First) -> bool {
        let offers = self.offers;
        self.edge_to(offers.groups.get(name), first)
    }

    fn seek(&mut self, params: &Params<'a>, package_files: &'a [String], host: &AutoEdgeHost<'_>) {
        let offers = self.offers;
        match params.kind().name {
            "file" => {
                for fragment in params.texts("fragments") {
                    self.file(&fragment, First::Match);
                }
                let path = file_path(params);
                for directory in ancestors(&path) {
                    if self.file(directory, First::Match) {
                        break;
                    }
                }
            }
            "http:server:file" | "tftp:file" => {
                let path = params.text("path");
                if !path.is_empty() {
                    self.file(&path, First::Match);
                }
            }
            "exec" => self.seek_exec(params),
            "pkg" => {
                self.by_package = true;
                self.seek_package(package_files);
                self.by_package = false;
            }
            "svc" => {
                let (session, unit) = (params.bool("session"), format!("{}.service", params.name()));
                let own = unit_directory(session, host);
                let system = if session { &[][..] } else { &["/usr/lib/systemd/system/", "/lib/systemd/system/"] };
                let directories = own.iter().map(|own| &**own).chain(system.iter().copied());
                for directory in directories {
                    if self.file(&format!("{directory}{unit}"), First::Match) {
                        break;
                    }
                }
                self.edge_to(offers.timers.get(&(Cow::Owned(unit), session)), First::Seeker);
            }
            "user" => {
                let first = if params.text("state") == "absent" { First::Seeker } else { First::Match };
                if params.is_set("gid") {
                    self.edge_to(offers.group_ids.get(&params.int("gid")), first);
                }
                if let Some(group) = params.set_text("group") {
                    self.group(&group, first);
                }
                for group in params.texts("groups") {
                    self.group(&group, first);
                }
            }
            "docker:container" => {
                let first = if params.text("state") == "removed" { First::Seeker } else { First::Match };
                self.edge_to(offers.images.get(&with_tag(params.text("image"))), first);
            }
            "fwupd:remote" => {
                self.file(&format!("/etc/fwupd/remotes.d/{}.conf", params.name()), First::Match);
                self.edge_to(offers.services.get(&("fwupd", false)), First::Match);
            }
            "fwupd:device" | "fwupd:system" => {
                for remote in &offers.remotes {
                    self.edge_to(Some(&Offer { first: *remote, second: None }), First::Match);
                }
            }
            _ => {}
        }
    }

    fn seek_exec(&mut self, params: &Params<'a>) {
        let offers = self.offers;
        for (command, shell) in [
            ("cmd", "shell"),
            ("watchcmd", "watchshell"),
            ("ifcmd", "ifshell"),
            ("nifcmd", "nifshell"),
            ("donecmd", "doneshell"),
        ] {
            let text = if command == "cmd" { params.text_or_name(command) } else { params.text(command) };
            let shell = params.text(shell);
            let program =
                if text.is_empty() || shell.is_empty() { text.split_whitespace().next() } else { Some(&*shell) };
            if let Some(program) = program {
                self.by_package = true;
                self.edge_to(offers.package_files.get(program), First::Match);
                self.by_package = false;
                self.file(program, First::Match);
            }
        }
        self.edge_to(offers.users.get(&*params.text("user")), First::Match);
        self.group(&params.text("group"), First::Match);
    }

    /// A package comes before the services that it brings, and before files of its own that are managed: for each of its
    /// files the nearest path above it, or itself, that is.
    fn seek_package(&mut self, files: &'a [String]) {
        let offers = self.offers;
        for file in files {
            let unit = file.strip_prefix("/usr/lib/systemd/system/").and_then(|unit| unit.strip_suffix(".service"));
            if let Some(unit) = unit.filter(|unit| !unit.contains('/')) {
                self.edge_to(offers.services.get(&(unit, false)), First::Seeker);
            }
        }
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for file in files {
            for path in std::iter::once(&**file).chain(ancestors(file)) {
                if !seen.insert(path) || self.file(path, First::Seeker) {
                    break;
                }
            }
        }
    }
}

/// The directories above a path, from the nearest to `/`, each with its final `/`.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path.strip_suffix('/').unwrap_or(path);
    std::iter::from_fn(move || {
        let slash = rest.rfind('/')?;
        let directory = &path[..=slash];
        rest = &rest[..slash];
        Some(directory)
    })
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[track_caller]
    fn check(resources: Vec<Resource>, host: &AutoEdgeHost<'_>, expected: &[&str]) {
        let mut g = ResourceGraph::new();
        for r in resources {
            g.add(r);
        }
        add_autoedges(&mut g, host).unwrap();
        let mut edges: Vec<String> =
            g.edges().map(|e| format!("{} -> {}", g.resource(e.from).id, g.resource(e.to).id)).collect();
        edges.sort();
        assert_eq!(edges, expected);
    }

    fn plain() -> AutoEdgeHost<'static> {
        AutoEdgeHost::default()
    }

    #[test]
    fn directories_above() {
        assert_eq!(ancestors("/a/b/c").collect::<Vec<_>>(), ["/a/b/", "/a/", "/"]);
        assert_eq!(ancestors("/a/b/").collect::<Vec<_>>(), ["/a/", "/"]);
        assert_eq!(ancestors("/").count(), 0);
        assert_eq!(ancestors("").count(), 0);
    }

    #[test]
    fn a_file_follows_its_nearest_directory_and_its_fragments() {
        let fragments = Value::list(["/p/1", "/p/"]);
        check(
            vec![
                resource("file", "/d/"),
                resource("file", "/d/e/f").with("fragments", fragments),
                resource("file", "/p/1"),
                resource("file", "/p/"),
                resource("file", "/"),
            ],
            &plain(),
            &[
                "file[/] -> file[/d/]",
                "file[/] -> file[/p/]",
                "file[/d/] -> file[/d/e/f]",
                "file[/p/1] -> file[/d/e/f]",
                "file[/p/] -> file[/d/e/f]",
                "file[/p/] -> file[/p/1]",
            ],
        );
    }

    #[test]
    fn the_first_of_several_is_taken_and_never_oneself() {
        check(
            vec![
                resource("file", "b").with("path", "/d/"),
                resource("file", "a").with("path", "/d/"),
                resource("file", "f").with("path", "/d/f"),
                resource("file", "/self").with("fragments", Value::list(["/self"])),
            ],
            &plain(),
            &["file[a] -> file[f]"],
        );
    }

    #[test]
    fn a_group_without_a_number_is_not_any_group() {
        check(
            vec![resource("group", "a"), resource("user", "u").with("state", "exists").with("gid", 7)],
            &plain(),
            &[],
        );
    }

    #[test]
    fn written_edges_keep_their_notification() {
        let mut g = ResourceGraph::new();
        let d = g.add(resource("file", "/d/"));
        let f = g.add(resource("file", "/d/f"));
        g.add_edge(Edge { from: d, to: f, notify: true, autoedge: false });
        add_autoedges(&mut g, &plain()).unwrap();
        assert_eq!(g.edges().collect::<Vec<_>>(), [Edge { from: d, to: f, notify: true, autoedge: false }]);
    }

    #[test]
    fn packages_come_before_their_services_and_files_and_programs_that_run() {
        let files = |r: &Resource| match &*r.id.name {
            "web" => [
                "/usr/",
                "/usr/lib/systemd/system/web.service",
                "/etc/",
                "/etc/web/",
                "/etc/web/a",
                "/etc/web/b",
                "/usr/bin/web",
            ]
            .map(String::from)
            .to_vec(),
            _ => Vec::new(),
        };
        check(
            vec![
                resource("pkg", "web"),
                resource("svc", "web"),
                resource("file", "/etc/web/"),
                resource("file", "/etc/web/a"),
                resource("exec", "/usr/bin/web --check"),
                resource("file", "/etc/"),
            ],
            &AutoEdgeHost { package_files: Some(&files), home: None },
            &[
                "file[/etc/] -> file[/etc/web/]",
                "file[/etc/web/] -> file[/etc/web/a]",
                "pkg[web] -> exec[/usr/bin/web --check]",
                "pkg[web] -> file[/etc/]",
                "pkg[web] -> file[/etc/web/]",
                "pkg[web] -> file[/etc/web/a]",
                "pkg[web] -> svc[web]",
            ],
        );
    }

    #[test]
    fn what_a_package_holds_gives_way_to_the_programs_order() {
        let files = |_: &Resource| vec!["/usr/bin/tool".to_owned()];
        let mut g = ResourceGraph::new();
        let (exec, pkg) = (g.add(resource("exec", "/usr/bin/tool")), g.add(resource("pkg", "tool")));
        g.order(exec, pkg);
        add_autoedges(&mut g, &AutoEdgeHost { package_files: Some(&files), home: None }).unwrap();
        assert_eq!(g.edge_count(), 1);
        assert!(g.topological_order().is_ok());
    }

    #[test]
    fn user_units_are_in_the_home_directory() {
        let timer = resource("cron", "t").with("session", true).with("unit", "s.service");
        let svc = resource("svc", "s").with("session", true);
        check(
            vec![timer.clone(), svc.clone(), resource("file", "/home/u/.config/systemd/user/s.service")],
            &AutoEdgeHost { package_files: None, home: Some("/home/u/".to_owned()) },
            &["file[/home/u/.config/systemd/user/s.service] -> svc[s]", "svc[s] -> cron[t]"],
        );
        let mut g = ResourceGraph::new();
        g.add(svc);
        g.add(timer);
        let errors = add_autoedges(&mut g, &plain()).unwrap_err();
        assert_eq!(errors.len(), 2);
        assert_eq!(g.edge_count(), 0);
    }

    #[test]
    fn containers_follow_their_image() {
        check(
            vec![
                resource("docker:image", "reg:5000/app"),
                resource("docker:container", "c").with("image", "reg:5000/app:latest"),
                resource("docker:container", "gone").with("image", "reg:5000/app").with("state", "removed"),
            ],
            &plain(),
            &[
                "docker:container[gone] -> docker:image[reg:5000/app]",
                "docker:image[reg:5000/app] -> docker:container[c]",
            ],
        );
    }
}
