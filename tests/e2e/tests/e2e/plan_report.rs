//! What a plan and a run of `apply` report as JSON, and whether it is the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::Ran;

/// The changes of each resource, in order.
pub type Changes = BTreeMap<String, Vec<String>>;

/// Checks that `apply` did what was planned, that a dry run announced the same, and, unless something failed, that `again`, another
/// plan, finds nothing to do.
pub fn check(program: &str, plan: &Ran, noop: &Ran, apply: &Ran, again: impl FnOnce() -> Ran) {
    let context = format!(
        "{program}\nplan:\n{}{}\nnoop:\n{}{}\napply:\n{}{}",
        plan.out, plan.err, noop.out, noop.err, apply.out, apply.err
    );
    let (planned, applied, noop) = (planned(&plan.out), applied(&apply.out), applied(&noop.out));
    let failed = failures(&plan.err);
    assert_eq!(planned.all(), noop.all(), "{context}");
    assert_eq!(failed, noop.failed, "{context}");
    check_changes(&planned, &applied, &context);
    if planned.unknown.is_empty() && planned.unknown_noop.is_empty() {
        assert_eq!(failed, applied.failed, "{context}");
    }
    assert!(failed.iter().all(|id| applied.failed.contains(id)), "{context}");
    let expected = match (failed.is_empty(), planned.is_empty()) {
        (false, _) => 1,
        (true, false) => 3,
        (true, true) => 0,
    };
    assert_eq!(plan.status, expected, "{context}");
    assert_eq!(apply.status, i32::from(!applied.failed.is_empty()), "{context}");
    if applied.failed.is_empty() {
        let again = again();
        let left = self::planned(&again.out);
        // Messages are printed each time, and notify others.
        let is_message = |id: &String| id.starts_with("print[") || id.starts_with("msg[");
        let is_repeated = left.certain.keys().any(is_message);
        assert!(is_repeated || left.is_empty(), "nothing is left: {}{}\n{context}", again.out, again.err);
    }
}

/// Checks that what was planned was done, except that uncertain changes may not happen, and that nothing else was done by
/// resources that the plan knows.
fn check_changes(planned: &Planned, applied: &Applied, context: &str) {
    let none = Vec::new();
    let mut ids: Vec<&String> = planned.certain.keys().chain(applied.changes.keys()).collect();
    ids.sort();
    ids.dedup();
    for id in ids.into_iter().filter(|id| !planned.unknown.contains(*id)) {
        let (certain, done) = (planned.certain.get(id).unwrap_or(&none), applied.changes.get(id).unwrap_or(&none));
        let possible = planned.possible.get(id).unwrap_or(&none);
        // What comes after an unknown result that turned out to be a failure is not done.
        let is_missing = planned.unknown.is_empty() && !certain.iter().all(|change| done.contains(change));
        assert!(!is_missing, "{id} does not change as planned: {context}");
        let is_planned = |change: &String| certain.contains(change) || possible.contains(change);
        assert!(done.iter().all(is_planned), "{id} changes in another way: {context}");
    }
    let is_known = |id: &String| !planned.unknown.contains(id) && !planned.unknown_noop.contains(id);
    for (id, changes) in applied.noop.iter().filter(|(id, _)| is_known(id)) {
        assert_eq!(planned.noop.get(id), Some(changes), "{id}: {context}");
    }
}

/// The lines of an output that are JSON.
pub fn objects(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

pub fn field(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_default().to_owned()
}

/// What a plan announces.
#[derive(Default)]
pub struct Planned {
    pub certain: Changes,
    /// Changes that may not happen.
    possible: Changes,
    /// The resources that have to be checked again.
    unknown: BTreeSet<String>,
    /// What `Meta:noop` forbids.
    noop: Changes,
    /// The resources that have to be checked again, and change nothing.
    unknown_noop: BTreeSet<String>,
}

impl Planned {
    /// Whether nothing is changed, whatever the uncertain changes turn out to be.
    fn is_empty(&self) -> bool {
        self.certain.is_empty() && self.possible.is_empty() && self.unknown.is_empty()
    }

    /// Returns the texts of all changes, sorted.
    fn all(&self) -> Vec<(String, String)> {
        let unknown =
            self.unknown.iter().chain(&self.unknown_noop).map(|id| (id.clone(), vec!["check again".to_owned()]));
        let changes = [&self.certain, &self.possible, &self.noop].into_iter().flatten();
        sorted(changes.map(|(id, changes)| (id.clone(), changes.clone())).chain(unknown))
    }
}

fn sorted(changes: impl Iterator<Item = (String, Vec<String>)>) -> Vec<(String, String)> {
    let mut all: Vec<_> =
        changes.flat_map(|(id, changes)| changes.into_iter().map(move |change| (id.clone(), change))).collect();
    all.sort();
    all
}

pub fn planned(out: &str) -> Planned {
    let mut planned = Planned::default();
    for object in objects(out).filter(|object| object["change"].is_string()) {
        let (id, change) = (field(&object, "id"), field(&object, "change"));
        let changes = match object["uncertainty"].as_str() {
            Some(_) if object["noop"] == true && change == "check again" => {
                planned.unknown_noop.insert(id);
                continue;
            }
            _ if object["noop"] == true => &mut planned.noop,
            Some(_) if change == "check again" => {
                planned.unknown.insert(id);
                continue;
            }
            Some(_) => &mut planned.possible,
            None => &mut planned.certain,
        };
        changes.entry(id).or_default().push(change);
    }
    planned
}

/// What a run did.
#[derive(Default)]
pub struct Applied {
    pub changes: Changes,
    /// What `Meta:noop` forbids.
    noop: Changes,
    /// The resources that failed.
    failed: Vec<String>,
}

impl Applied {
    /// Returns the texts of all changes, sorted.
    fn all(&self) -> Vec<(String, String)> {
        let changes = [&self.changes, &self.noop].into_iter().flatten();
        sorted(changes.map(|(id, changes)| (id.clone(), changes.clone())))
    }
}

pub fn applied(out: &str) -> Applied {
    let mut applied = Applied::default();
    for object in objects(out) {
        let changes = if object["noop"] == true { &mut applied.noop } else { &mut applied.changes };
        match object["event"].as_str() {
            Some("changed") => changes.entry(field(&object, "id")).or_default().push(field(&object, "text")),
            Some("failed") => applied.failed.push(field(&object, "id")),
            _ => {}
        }
    }
    applied.failed.sort();
    applied
}

/// The resources of the lines `error[R0402]: file[/x]: …`.
fn failures(err: &str) -> Vec<String> {
    let after_code = |line: &str| Some(line.strip_prefix("error[R")?.split_once("]: ")?.1.to_owned());
    let mut failed: Vec<String> =
        err.lines().filter_map(after_code).filter_map(|text| Some(text.split_once("]")?.0.to_owned() + "]")).collect();
    failed.sort();
    failed
}
