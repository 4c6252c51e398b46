//! Finding the merge points of both sides and pairing them (spec 07 §4.1, §4.5).

use std::collections::BTreeMap;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Severity, Stage};
use resource_graph::{Resource, ResourceGraph, VertexId};

use crate::{MergeOptions, UnmatchedPolicy};

/// The prefix of the names of merge points in mcl.
const NOOP_PREFIX: &str = "puppet_";
/// The prefix of the names of merge points in Puppet, in lowercase.
const CLASS_PREFIX: &str = "mgmt_";

/// The number of name comparisons up to which similar names are searched for.
const MAX_COMPARISONS: usize = 100_000;

/// A merge point that exists on both sides: the three vertices that become one.
pub(crate) struct MergePoint {
    /// The name of the merged noop.
    pub(crate) name: Arc<str>,
    /// `noop[puppet_NAME]`.
    pub(crate) mcl: VertexId,
    /// The start of the class.
    pub(crate) start: VertexId,
    /// The end of the class.
    pub(crate) end: VertexId,
}

/// The class of a merge point on the Puppet side.
#[derive(Clone, Copy, Default)]
struct Class {
    start: Option<VertexId>,
    end: Option<VertexId>,
}

/// The merge points of two graphs.
#[derive(Default)]
pub(crate) struct MergePoints {
    /// In the order of their names.
    pub(crate) points: Vec<MergePoint>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Pairs the merge points of both sides by name, without regard to case.
pub(crate) fn find(mcl: &ResourceGraph, puppet: &ResourceGraph, options: &MergeOptions) -> MergePoints {
    let mut out = MergePoints::default();
    let noops = mcl_points(mcl, &mut out);
    let classes = puppet_points(puppet, &mut out);
    let mut unmatched_noops = Vec::new();
    for (name, &noop) in &noops {
        match classes.get(name) {
            Some(&Class { start: Some(start), end: Some(end) }) => {
                out.points.push(MergePoint { name: name.as_str().into(), mcl: noop, start, end });
            }
            Some(_) | None => unmatched_noops.push((name.as_str(), noop)),
        }
    }
    let unmatched_classes: Vec<(&str, Class)> =
        classes.iter().filter(|(n, _)| !noops.contains_key(*n)).map(|(n, c)| (n.as_str(), *c)).collect();
    report_unmatched(mcl, puppet, &unmatched_noops, &unmatched_classes, options.unmatched, &mut out);
    out.errors.extend(out.points.iter().filter_map(|point| not_empty(puppet, point)));
    out
}

fn mcl_points(mcl: &ResourceGraph, out: &mut MergePoints) -> BTreeMap<String, VertexId> {
    let mut points: BTreeMap<String, VertexId> = BTreeMap::new();
    for (vertex, resource) in mcl.resources() {
        let Some(base) = base_of_noop(resource) else { continue };
        if base.is_empty() {
            out.errors.push(at(
                Diagnostic::error(
                    Code::M0102,
                    Stage::Merge,
                    format!("missing name of the merge point {}", resource.id),
                ),
                resource,
                "write a name after `puppet_`",
            ));
            continue;
        }
        let key = base.to_lowercase();
        if key != base {
            let message = format!("uppercase letters in the merge point {}", resource.id);
            out.warnings.push(at(
                Diagnostic::warning(Code::M0108, Stage::Merge, message),
                resource,
                &format!("names of Puppet classes are lowercase: write \"{NOOP_PREFIX}{key}\""),
            ));
        }
        if let Some(earlier) = points.insert(key, vertex) {
            let earlier = mcl.resource(earlier);
            let message = format!("duplicate merge point: {} and {}", earlier.id, resource.id);
            let mut error = Diagnostic::error(Code::M0103, Stage::Merge, message);
            if let Some(span) = earlier.span {
                error = error.label(span, "first declaration");
            }
            out.errors.push(at(error, resource, "remove one of them"));
        }
    }
    points
}

/// Returns whether a resource of mcl is a merge point, whatever the catalog contains.
#[must_use]
pub fn is_merge_point(resource: &Resource) -> bool {
    base_of_noop(resource).is_some()
}

fn base_of_noop(resource: &Resource) -> Option<&str> {
    (&*resource.id.kind == "noop").then(|| resource.id.name.strip_prefix(NOOP_PREFIX)).flatten()
}

/// Parses the name of the start or end of a class: `admissible_Class[Mgmt_db::Ready]` is the start of `db::ready`.
fn base_of_whit(resource: &Resource) -> Option<(bool, String)> {
    if &*resource.id.kind != "noop" {
        return None;
    }
    let name = &*resource.id.name;
    let (start, rest) = match name.strip_prefix("admissible_Class[") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("completed_Class[")?),
    };
    let class = rest.strip_suffix(']')?.to_lowercase();
    class.strip_prefix(CLASS_PREFIX).map(|base| (start, base.to_owned()))
}

fn puppet_points(puppet: &ResourceGraph, out: &mut MergePoints) -> BTreeMap<String, Class> {
    let mut points: BTreeMap<String, Class> = BTreeMap::new();
    for (vertex, resource) in puppet.resources() {
        let Some((start, base)) = base_of_whit(resource) else { continue };
        if base.is_empty() {
            if start {
                let message = format!("missing name of the merge point class `mgmt_`{}", origin(resource));
                let error = Diagnostic::error(Code::M0102, Stage::Merge, message);
                out.errors.push(error.help("write a name after `mgmt_`"));
            }
            continue;
        }
        let class = points.entry(base).or_default();
        let end = if start { &mut class.start } else { &mut class.end };
        *end = Some(vertex);
    }
    points
}

/// Reports merge points that exist on one side only; two that are probably meant to be one in one diagnostic.
fn report_unmatched(
    mcl: &ResourceGraph,
    puppet: &ResourceGraph,
    noops: &[(&str, VertexId)],
    classes: &[(&str, Class)],
    policy: UnmatchedPolicy,
    out: &mut MergePoints,
) {
    // Comparing every name with every other is quadratic.
    let compare = noops.len().saturating_mul(classes.len()) <= MAX_COMPARISONS;
    let mut diagnostics = Vec::new();
    let mut taken = vec![false; classes.len()];
    for (name, noop) in noops {
        let resource = mcl.resource(*noop);
        let near = (0..classes.len())
            .filter(|i| compare && !taken[*i])
            .filter_map(|i| Some((near(name, classes[i].0)?, i)))
            .min();
        let diagnostic = match near {
            Some((_, i)) => {
                taken[i] = true;
                let (other, class) = classes[i];
                let class_origin = class.start.map(|v| origin(puppet.resource(v))).unwrap_or_default();
                at(
                    Diagnostic::error(
                        Code::M0101,
                        Stage::Merge,
                        format!("unmatched merge points `puppet_{name}` and class `mgmt_{other}`{class_origin}"),
                    ),
                    resource,
                    &format!("the names after the prefixes must be equal: use \"{name}\" or \"{other}\" for both"),
                )
            }
            None => at(
                Diagnostic::error(
                    Code::M0101,
                    Stage::Merge,
                    format!("unmatched merge point {}: the catalog has no class `mgmt_{name}`", resource.id),
                ),
                resource,
                &format!(
                    "declare `class mgmt_{name} {{}}` in the manifest and include it; a class that is only defined is \
                     not in the catalog"
                ),
            ),
        };
        diagnostics.push(diagnostic);
    }
    for ((name, class), _) in classes.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        let class_origin = class.start.map(|v| origin(puppet.resource(v))).unwrap_or_default();
        diagnostics.push(
            Diagnostic::error(
                Code::M0101,
                Stage::Merge,
                format!("unmatched merge point: mcl has no resource for the class `mgmt_{name}`{class_origin}"),
            )
            .help(format!("add `noop \"puppet_{name}\" {{}}` to the mcl program, or remove the class")),
        );
    }
    match policy {
        UnmatchedPolicy::Error => out.errors.extend(diagnostics),
        UnmatchedPolicy::Warn => out.warnings.extend(diagnostics.into_iter().map(|mut d| {
            d.severity = Severity::Warning;
            d
        })),
        UnmatchedPolicy::Ignore => {}
    }
}

/// Returns the edit distance of two names that are probably meant to be one.
fn near(a: &str, b: &str) -> Option<usize> {
    let plain = |s: &str| s.chars().filter(|c| !matches!(c, '_' | ':' | '-')).collect::<String>();
    if plain(a) == plain(b) {
        return Some(0);
    }
    // Short names are within a small distance of every other short name.
    let distance = strsim::damerau_levenshtein(a, b);
    (distance <= 2 && distance * 2 < a.len().max(b.len())).then_some(distance)
}

/// Reports a class that contains resources: its start and end cannot become one vertex.
fn not_empty(puppet: &ResourceGraph, point: &MergePoint) -> Option<Diagnostic> {
    let mut contents: Vec<String> = puppet
        .outgoing(point.start)
        .filter(|e| e.to != point.end)
        .map(|e| {
            let resource = puppet.resource(e.to);
            format!("{}{}", resource.id, origin(resource))
        })
        .collect();
    if contents.is_empty() {
        return None;
    }
    contents.reverse();
    Some(
        Diagnostic::error(
            Code::M0104,
            Stage::Merge,
            format!("merge point class `mgmt_{}` is not empty: it contains {}", point.name, contents.join(", ")),
        )
        .help(format!(
            "move its contents to another class; to order resources between two points, use two merge points such as \
             `mgmt_{name}_begin` and `mgmt_{name}_end`",
            name = point.name
        )),
    )
}

/// Formats the origin of a resource as ` (site.pp:3)`; empty if it is unknown.
pub(crate) fn origin(resource: &Resource) -> String {
    resource.origin.as_ref().map(|o| format!(" ({o})")).unwrap_or_default()
}

fn at(diagnostic: Diagnostic, resource: &Resource, help: &str) -> Diagnostic {
    let diagnostic = diagnostic.maybe_at(resource.span);
    diagnostic.help(help)
}
