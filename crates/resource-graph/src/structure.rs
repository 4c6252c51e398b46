//! Whether a change of a resource changes the graph around it.

use crate::autoedge::has_same_autoedges;
use crate::autogroup::has_same_grouping;
use crate::{Meta, Params, Resource};

/// Returns whether a graph stays the same, apart from the resource itself, when `new` takes the place of `old`: the ids, the
/// edges with the automatic ones, the groups, and the files that are managed. Edges that the program declares are not looked
/// at. `home` is that of [`AutoEdgeHost`](crate::AutoEdgeHost).
///
/// A change that may change edges because of what is installed on the host does not keep the structure.
#[must_use]
pub fn keeps_structure(old: &Resource, new: &Resource, home: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (Params::of(old), Params::of(new)) else { return false };
    old.id == new.id
        && old.propagates_refresh == new.propagates_refresh
        && has_same_role(&old.meta, &new.meta)
        && (a.kind().managed_files)(&a) == (b.kind().managed_files)(&b)
        && has_same_grouping(&a, &b)
        && has_same_autoedges(old, new, home)
}

/// Whether the meta parameters agree that have a meaning beyond the checks of the resource.
fn has_same_role(a: &Meta, b: &Meta) -> bool {
    // Each parameter is named, so that a new one compiles only after a decision.
    let &Meta {
        hidden,
        ref export,
        autoedge,
        autogroup,
        // The groups are compared for themselves, and the others concern the checks of the resource alone.
        noop: _,
        retry: _,
        retryreset: _,
        delay: _,
        timeout: _,
        poll: _,
        limit: _,
        burst: _,
        reset: _,
        sema: _,
        rewatch: _,
        realize: _,
        dollar: _,
        reverse: _,
    } = a;
    (hidden, export, autoedge, autogroup) == (b.hidden, &b.export, b.autoedge, b.autogroup)
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::ResourceId;

    #[track_caller]
    fn check(kind: &str, name: &str, from: (&str, Value), to: Value, expected: bool) {
        let (param, from) = from;
        let resource =
            |value: Value| Resource::new(ResourceId::new(kind, name)).with("state", "exists").with(param, value);
        assert_eq!(keeps_structure(&resource(from.clone()), &resource(to), None), expected, "{kind} {param} {from}");
    }

    #[test]
    fn value_that_nothing_else_depends_on_keeps_the_structure() {
        check("file", "/d/x", ("content", "1".into()), "2".into(), true);
        check("file", "/d/x", ("mode", "0644".into()), "0600".into(), true);
        check("exec", "e", ("cmd", "/bin/x 1".into()), "/bin/x 2".into(), true);
        check("user", "u", ("comment", "a".into()), "b".into(), true);
        check("svc", "s", ("startup", "enabled".into()), "disabled".into(), true);
    }

    #[test]
    fn value_that_edges_or_groups_depend_on_changes_the_structure() {
        check("file", "/d/x", ("path", "/d/x".into()), "/e/x".into(), false);
        check("file", "/d/x", ("state", "exists".into()), "absent".into(), false);
        check("file", "/d/x", ("fragments", Value::list(["/f/"])), Value::list(["/g/"]), false);
        check("exec", "e", ("cmd", "/bin/x".into()), "/bin/y".into(), false);
        check("exec", "e", ("user", "a".into()), "b".into(), false);
        check("user", "u", ("groups", Value::list(["a"])), Value::list(["b"]), false);
        check("pkg", "p", ("state", "installed".into()), "newest".into(), false);
        check("line", "l", ("file", "/a".into()), "/b".into(), false);
    }

    #[test]
    fn meta_parameters_keep_the_structure_unless_they_concern_others() {
        let with = |change: fn(&mut Meta)| {
            let mut resource = Resource::new(ResourceId::new("file", "/x"));
            change(&mut resource.meta);
            resource
        };
        let plain = with(|_| ());
        for change in [|m: &mut Meta| m.poll = 3, |m: &mut Meta| m.retry = 3, |m: &mut Meta| m.sema = vec!["s".into()]]
        {
            assert!(keeps_structure(&plain, &with(change), None));
        }
        for change in [
            |m: &mut Meta| m.hidden = true,
            |m: &mut Meta| m.export = vec!["*".into()],
            |m: &mut Meta| m.autoedge = false,
            |m: &mut Meta| m.autogroup = false,
        ] {
            assert!(!keeps_structure(&plain, &with(change), None));
        }
    }

    #[test]
    fn members_of_a_group_must_agree_on_their_meta_parameters() {
        let package = |retry| {
            let mut resource = Resource::new(ResourceId::new("pkg", "p")).with("state", "installed");
            resource.meta.retry = retry;
            resource
        };
        assert!(keeps_structure(&package(1), &package(1), None));
        assert!(!keeps_structure(&package(1), &package(2), None));
    }
}
