//! The automatic edges of the kinds.

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
    check(vec![resource("group", "a"), resource("user", "u").with("state", "exists").with("gid", 7)], &plain(), &[]);
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
        &AutoEdgeHost { package_files: Some(&files), ..plain() },
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
    let ranks = add_autoedges(&mut g, &AutoEdgeHost { package_files: Some(&files), ..plain() }).unwrap();
    g.omit_contradictions(ranks).unwrap();
    assert_eq!(g.edge_count(), 1);
    assert!(g.topological_order().is_ok());
}

#[test]
fn user_units_are_in_the_home_directory() {
    let timer = resource("cron", "t").with("session", true).with("unit", "s.service");
    let svc = resource("svc", "s").with("session", true);
    check(
        vec![timer.clone(), svc.clone(), resource("file", "/home/u/.config/systemd/user/s.service")],
        &AutoEdgeHost { home: Some("/home/u/".to_owned()), ..plain() },
        &["file[/home/u/.config/systemd/user/s.service] -> svc[s]", "svc[s] -> cron[t]"],
    );
    let mut g = ResourceGraph::new();
    g.add(svc);
    g.add(timer);
    let errors = add_autoedges(&mut g, &plain()).unwrap_err();
    assert_eq!(errors.len(), 2);
    assert_eq!(g.edge_count(), 0);
}

fn absent(kind: &str, name: &str) -> Resource {
    resource(kind, name).with("state", "absent")
}

#[test]
fn what_is_removed_is_removed_before_what_it_needs() {
    check(
        vec![
            absent("file", "/d/"),
            absent("file", "/d/x").with("fragments", Value::list(["/p"])),
            absent("file", "/p"),
            // A directory may be written without its slash.
            absent("file", "/e"),
            absent("file", "/e/f/g"),
            resource("svc", "s").with("state", "stopped"),
            absent("file", "/etc/systemd/system/s.service"),
            absent("cron", "t").with("unit", "s.service"),
            absent("docker:image", "i"),
            resource("docker:container", "c").with("image", "i:latest").with("state", "removed"),
        ],
        &plain(),
        &[
            "cron[t] -> svc[s]",
            "docker:container[c] -> docker:image[i]",
            "file[/d/x] -> file[/d/]",
            "file[/d/x] -> file[/p]",
            "file[/e/f/g] -> file[/e]",
            "svc[s] -> file[/etc/systemd/system/s.service]",
        ],
    );
}

#[test]
fn what_is_removed_from_something_that_stays_keeps_its_order() {
    check(
        vec![
            resource("file", "/d/"),
            absent("file", "/d/x"),
            absent("file", "/e/"),
            resource("file", "/e/x"),
            absent("file", "/f"),
            resource("file", "/f/"),
            resource("file", "/f/x"),
            resource("svc", "s").with("state", "stopped").with("startup", "enabled"),
            absent("file", "/etc/systemd/system/s.service"),
        ],
        &plain(),
        &[
            "file[/d/] -> file[/d/x]",
            "file[/e/] -> file[/e/x]",
            "file[/etc/systemd/system/s.service] -> svc[s]",
            "file[/f/] -> file[/f/x]",
        ],
    );
}

#[test]
fn packages_are_uninstalled_after_their_services_stop_and_before_their_remains_are_removed() {
    let files = |_: &Resource| ["/usr/lib/systemd/system/web.service", "/etc/web/a"].map(String::from).to_vec();
    check(
        vec![
            resource("pkg", "web").with("state", "uninstalled"),
            resource("svc", "web").with("state", "stopped"),
            absent("file", "/etc/web/a"),
            absent("file", "/etc/web/"),
        ],
        &AutoEdgeHost { package_files: Some(&files), ..plain() },
        &["file[/etc/web/a] -> file[/etc/web/]", "pkg[web] -> file[/etc/web/a]", "svc[web] -> pkg[web]"],
    );
}

#[test]
fn removed_users_come_before_their_groups() {
    let primary = |users: &[&str]| {
        assert_eq!(users, ["declared", "unknown", "u"], "only users that are removed are looked up");
        vec![None, None, Some("g".to_owned())]
    };
    check(
        vec![
            absent("group", "g"),
            absent("group", "h"),
            resource("group", "kept"),
            absent("user", "declared").with("group", "h").with("groups", Value::list(["kept"])),
            absent("user", "unknown"),
            absent("user", "u"),
            resource("user", "stays").with("state", "exists"),
        ],
        &AutoEdgeHost { primary_groups: Some(&primary), ..plain() },
        &["user[declared] -> group[h]", "user[declared] -> group[kept]", "user[u] -> group[g]"],
    );
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
        &["docker:container[gone] -> docker:image[reg:5000/app]", "docker:image[reg:5000/app] -> docker:container[c]"],
    );
}

#[test]
fn what_belongs_to_an_account_comes_after_it() {
    let key = |name: &str, user: &str| resource("ssh:authorized_key", name).with("user", user);
    check(
        vec![
            resource("file", "/by-name").with("owner", "u").with("group", "g"),
            resource("file", "/by-number").with("owner", "4200").with("group", "4300"),
            resource("file", "/other").with("owner", "root"),
            resource("file", "/unmanaged"),
            key("k", "u"),
            key("own", ""),
            resource("user", "u").with("uid", 4200),
            resource("group", "g").with("gid", 4300),
        ],
        &plain(),
        &[
            "group[g] -> file[/by-name]",
            "group[g] -> file[/by-number]",
            "user[u] -> file[/by-name]",
            "user[u] -> file[/by-number]",
            "user[u] -> ssh:authorized_key[k]",
        ],
    );
}
