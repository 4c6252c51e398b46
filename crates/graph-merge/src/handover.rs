//! Finding the hand-over points of both sides and pairing them (spec 07 §4.1, §4.5 #5-#10, #16-#17).

use std::collections::BTreeMap;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Resource, ResourceGraph, VertexId};

use crate::merge::{Options, Unmatched};

/// The prefix of an mcl noop that hands over.
pub(crate) const MCL_PREFIX: &str = "puppet_";
/// The prefix of a Puppet class that hands over, as the class is titled in a reference.
const CLASS_PREFIX: &str = "mgmt_";

/// A pair of hand-over points: the three vertices that become one.
pub(crate) struct Pair {
    /// The name of the merged noop.
    pub(crate) name: Arc<str>,
    /// `noop[puppet_NAME]`.
    pub(crate) mcl: VertexId,
    /// Start and end of the class.
    pub(crate) start: VertexId,
    pub(crate) end: VertexId,
}

/// A merge class of the Puppet side.
#[derive(Clone, Copy, Default)]
struct Class {
    start: Option<VertexId>,
    end: Option<VertexId>,
}

/// The pairs in the order of their names, and what to tell the user.
pub(crate) struct Handover {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Pairs the hand-over points of both sides by name, without regard to case.
pub(crate) fn pair(mcl: &ResourceGraph, puppet: &ResourceGraph, options: &Options) -> Handover {
    let mut out = Handover { pairs: Vec::new(), errors: Vec::new(), warnings: Vec::new() };
    let noops = mcl_points(mcl, &mut out);
    let classes = puppet_points(puppet, &mut out);
    let mut lonely_noops = Vec::new();
    for (name, &noop) in &noops {
        match classes.get(name) {
            Some(&Class { start: Some(start), end: Some(end) }) => {
                out.pairs.push(Pair { name: name.as_str().into(), mcl: noop, start, end });
            }
            Some(_) | None => lonely_noops.push((name.as_str(), noop)),
        }
    }
    let lonely_classes: Vec<(&str, Class)> =
        classes.iter().filter(|(n, _)| !noops.contains_key(*n)).map(|(n, c)| (n.as_str(), *c)).collect();
    unmatched(mcl, puppet, &lonely_noops, &lonely_classes, options, &mut out);
    for pair in &out.pairs {
        out.errors.extend(contents(puppet, pair));
    }
    out
}

fn mcl_points(mcl: &ResourceGraph, out: &mut Handover) -> BTreeMap<String, VertexId> {
    let mut points: BTreeMap<String, VertexId> = BTreeMap::new();
    for (vertex, resource) in mcl.resources() {
        let Some(base) = base_of_noop(resource) else { continue };
        if base.is_empty() {
            out.errors.push(at(
                Diagnostic::error(
                    Code::M0102,
                    Stage::Merge,
                    format!("the hand-over point {} has no name", resource.id),
                ),
                resource,
                "write a name after `puppet_`",
            ));
            continue;
        }
        let key = base.to_lowercase();
        if key != base {
            let text = format!("{} is compared in lower case, since names of Puppet classes are: {key}", resource.id);
            out.warnings.push(at(
                Diagnostic::warning(Code::M0108, Stage::Merge, text),
                resource,
                "write it in lower case",
            ));
        }
        if let Some(earlier) = points.insert(key, vertex) {
            let earlier = mcl.resource(earlier);
            let text = format!("{} and {} are the same hand-over point", earlier.id, resource.id);
            let mut error = Diagnostic::error(Code::M0103, Stage::Merge, text);
            if let Some(span) = earlier.span {
                error = error.label(span, "the other one");
            }
            out.errors.push(at(error, resource, "keep one of them"));
        }
    }
    points
}

fn base_of_noop(resource: &Resource) -> Option<&str> {
    (&*resource.id.kind == "noop").then(|| resource.id.name.strip_prefix(MCL_PREFIX)).flatten()
}

/// `admissible_Class[Mgmt_db::Ready]` -> (true, `db::ready`).
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

fn puppet_points(puppet: &ResourceGraph, out: &mut Handover) -> BTreeMap<String, Class> {
    let mut points: BTreeMap<String, Class> = BTreeMap::new();
    for (vertex, resource) in puppet.resources() {
        let Some((start, base)) = base_of_whit(resource) else { continue };
        if base.is_empty() {
            if start {
                let text = "the hand-over class `mgmt_` has no name".to_owned();
                let error = Diagnostic::error(Code::M0102, Stage::Merge, text + &origin(resource));
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

/// Reports points without a partner: near misses as one report that names both sides.
fn unmatched(
    mcl: &ResourceGraph,
    puppet: &ResourceGraph,
    noops: &[(&str, VertexId)],
    classes: &[(&str, Class)],
    options: &Options,
    out: &mut Handover,
) {
    // Every name is compared with every other, so only a number that a person could have mistyped is.
    let compare = noops.len().saturating_mul(classes.len()) <= 100_000;
    let mut said = Vec::new();
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
                let whit = class.start.map(|v| origin(puppet.resource(v))).unwrap_or_default();
                at(
                    Diagnostic::error(
                        Code::M0101,
                        Stage::Merge,
                        format!("the hand-over points `puppet_{name}` and class mgmt_{other}{whit} have no partner"),
                    ),
                    resource,
                    &format!("the names after the prefixes must be equal: call both \"{name}\" or both \"{other}\""),
                )
            }
            None => at(
                Diagnostic::error(
                    Code::M0101,
                    Stage::Merge,
                    format!("{} hands over to Puppet, but its catalog has no class mgmt_{name}", resource.id),
                ),
                resource,
                &format!(
                    "declare `class mgmt_{name} {{}}` in the manifest and include it; a class that is only defined is \
                     not in the catalog"
                ),
            ),
        };
        said.push(diagnostic);
    }
    for ((name, class), _) in classes.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        let place = class.start.map(|v| origin(puppet.resource(v))).unwrap_or_default();
        said.push(
            Diagnostic::error(
                Code::M0101,
                Stage::Merge,
                format!("the class mgmt_{name}{place} hands over to mcl, but no mcl resource takes over"),
            )
            .help(format!("add `noop \"puppet_{name}\" {{}}` to the mcl program, or remove the class")),
        );
    }
    match options.unmatched {
        Unmatched::Error => out.errors.extend(said),
        Unmatched::Warn => out.warnings.extend(said.into_iter().map(|mut d| {
            d.severity = mcl_diagnostics::Severity::Warning;
            d
        })),
        Unmatched::Ignore => {}
    }
}

/// How near two names are; `None` when they are not.
fn near(a: &str, b: &str) -> Option<usize> {
    let plain = |s: &str| s.chars().filter(|c| !matches!(c, '_' | ':' | '-')).collect::<String>();
    if plain(a) == plain(b) {
        return Some(0);
    }
    // A short name is near to everything short.
    let distance = strsim::damerau_levenshtein(a, b);
    (distance <= 2 && distance * 2 < a.len().max(b.len())).then_some(distance)
}

/// An error if the class of a pair holds anything: its start and end could not be one vertex.
fn contents(puppet: &ResourceGraph, pair: &Pair) -> Option<Diagnostic> {
    let mut inside: Vec<String> = puppet
        .outgoing(pair.start)
        .filter(|e| e.to != pair.end)
        .map(|e| {
            let resource = puppet.resource(e.to);
            format!("{}{}", resource.id, origin(resource))
        })
        .collect();
    if inside.is_empty() {
        return None;
    }
    inside.reverse();
    Some(
        Diagnostic::error(
            Code::M0104,
            Stage::Merge,
            format!("the hand-over class mgmt_{} is not empty: it contains {}", pair.name, inside.join(", ")),
        )
        .help(format!(
            "move them out of the class; to order a group of resources between two points, use two hand-over classes \
             such as mgmt_{name}_begin and mgmt_{name}_end",
            name = pair.name
        )),
    )
}

/// ` (site.pp:3)`, or nothing.
pub(crate) fn origin(resource: &Resource) -> String {
    resource.origin.as_ref().map(|o| format!(" ({o})")).unwrap_or_default()
}

fn at(diagnostic: Diagnostic, resource: &Resource, help: &str) -> Diagnostic {
    let diagnostic = diagnostic.maybe_at(resource.span);
    diagnostic.help(help)
}
