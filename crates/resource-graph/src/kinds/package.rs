//! `pkg` (spec 05 §6.4).

use std::borrow::Cow;

use mcl_value::Value;
use rustc_hash::FxHashSet;

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, HostFact, Identity, Offers};
use crate::kinds::file::{ancestors, file_identity};
use crate::kinds::service::system_service;
use crate::{
    AutoEdges, Check, Difference, Field, GroupKey, Grouping, Params, Resource, ResourceKind, Traits, ValidationError,
    difference,
};

pub(super) const PKG: ResourceKind = ResourceKind {
    name: "pkg",
    doc: "A package of the distribution.",
    example: r#"pkg "nginx" {
	state => "installed",
}"#,
    fields: &[
        Field::new("state", "str", "`installed`, `uninstalled`, `newest`, or an exact version.")
            .default("\"installed\"")
            .check(Check::NotEmpty),
        Field::new("allowdowngrade", "bool", "Allow a downgrade to an exact version."),
        Field::new("allowuntrusted", "bool", "Allow packages without a trusted signature."),
        Field::new("allownonfree", "bool", "Also consider packages that are not free software."),
        Field::new("allowunsupported", "bool", "Also consider packages that the distribution does not support."),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_pkg,
    autoedges: AutoEdges {
        host: HostFact::PackageFiles,
        is_removed: |p| p.string("state") == "uninstalled",
        offers: offer_files,
        wants: want_services_and_files,
    },
    grouping: Grouping { key: group_key, ..Grouping::NONE },
    merge: Some(merge),
    ..ResourceKind::BASE
};

fn validate_pkg(p: &Params<'_>) -> Result<(), ValidationError> {
    // Every other string is a version.
    let state = p.string("state");
    let meant = match &*state {
        "latest" => "newest",
        "present" => "installed",
        "absent" | "removed" | "purged" => "uninstalled",
        _ => return Ok(()),
    };
    let error = ValidationError::of_value("state", format!("invalid `state` {state:?}"));
    Err(error.help(format!("did you mean {meant:?}?")))
}

/// Returns the identity of a file that a package installs.
pub(super) fn package_file_identity(path: &str) -> Identity<'_> {
    Identity::new("file of a package", path)
}

fn offer_files<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    for file in input.package_files {
        offers.add(package_file_identity(file));
    }
    Ok(())
}

/// A package comes before the services that it installs, and for each of its files before the resource that manages the
/// file or else the nearest directory above it. It is also uninstalled before its files are removed: they are what it leaves.
fn want_services_and_files(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    for file in input.package_files {
        let unit = file.strip_prefix("/usr/lib/systemd/system/").and_then(|unit| unit.strip_suffix(".service"));
        if let Some(unit) = unit.filter(|unit| !unit.contains('/')) {
            edges.needed_by(&system_service(unit));
        }
    }
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for file in input.package_files {
        for path in std::iter::once(&**file).chain(ancestors(file)) {
            if !seen.insert(path) || edges.before(&file_identity(path)) {
                break;
            }
        }
    }
    Ok(())
}

/// Packages are installed together if they want the same state with the same permissions, and no exact version.
fn group_key<'a>(p: &Params<'a>) -> Option<GroupKey<'a>> {
    let state = p.string("state");
    let flags: String = ["allowdowngrade", "allowuntrusted", "allownonfree", "allowunsupported"]
        .map(|flag| if p.bool(flag) { '1' } else { '0' })
        .iter()
        .collect();
    matches!(&*state, "installed" | "uninstalled" | "newest").then(|| vec![state, Cow::Owned(flags)])
}

/// `installed` and `newest` are `newest` together. The first declaration's meta parameters take effect.
fn merge(first: &Resource, second: &Resource) -> Result<Option<Resource>, Difference> {
    let mut adapted = second.clone();
    adapted.meta = first.meta.clone();
    let state = |r: &Resource| r.params.get("state").cloned().unwrap_or_else(|| Value::str("installed"));
    let (a, b) = (state(first), state(second));
    let (installed, newest) = (Value::str("installed"), Value::str("newest"));
    let mixed = (a == installed && b == newest) || (a == newest && b == installed);
    if mixed {
        adapted.params.insert("state".into(), a);
    }
    match difference(first, &adapted) {
        Some(difference) => Err(difference),
        None if mixed => Ok(Some(first.clone().with("state", newest))),
        None => Ok(None),
    }
}
