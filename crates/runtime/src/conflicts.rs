//! Resources that contradict each other: they would undo each other's changes for ever.

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Claim, Params, ResourceGraph, VertexId, normalized_path};
use resources::expand_home;
use rustc_hash::FxHashMap;

/// Returns R0304 for each resource that contradicts one before it. Resources that change nothing are left out.
pub(crate) fn conflicts(graph: &ResourceGraph) -> Vec<Diagnostic> {
    // Parts do not contradict each other, so one of them stands for all; the same holds for equal demands.
    let mut first: FxHashMap<(String, &'static str, String), (VertexId, Claim)> = FxHashMap::default();
    let mut homes = Homes::default();
    let mut diagnostics = Vec::new();
    for vertex in graph.vertices() {
        let resource = graph.resource(vertex);
        let Some(params) = Params::of(resource).filter(|_| !resource.meta.noop && !resource.meta.hidden) else {
            continue;
        };
        for mut claim in (params.kind().claims)(&params) {
            claim.object = homes.expand(claim.object);
            let key = (claim.object.clone(), claim.aspect, claim.demand.part().to_owned());
            match first.get(&key) {
                None => {
                    first.insert(key, (vertex, claim));
                }
                Some((other, claimed)) if claimed.contradicts(&claim) => {
                    diagnostics.push(conflict(graph, *other, vertex, &claim));
                    break;
                }
                Some(_) => {}
            }
        }
    }
    diagnostics
}

/// Home directories that were looked up, by what stands for them, such as `~root`.
#[derive(Default)]
struct Homes(FxHashMap<String, Option<String>>);

impl Homes {
    /// Replaces a leading `~` or `~USER` by the home directory, if it is known.
    fn expand(&mut self, object: String) -> String {
        let Some((short, below)) = object.split_once('/').filter(|(short, _)| short.starts_with('~')) else {
            return object;
        };
        let home = self.0.entry(short.to_owned()).or_insert_with(|| {
            let home = expand_home(&format!("{short}/")).ok()?;
            home.into_os_string().into_string().ok()
        });
        match home {
            Some(home) => normalized_path(&format!("{home}/{below}")),
            None => object,
        }
    }
}

fn conflict(graph: &ResourceGraph, first: VertexId, second: VertexId, claim: &Claim) -> Diagnostic {
    let (first, second) = (graph.resource(first), graph.resource(second));
    let Claim { object, aspect, .. } = claim;
    let message = format!("{} and {} contradict each other about the {aspect} of {object}", first.id, second.id);
    let diagnostic = Diagnostic::error(Code::R0304, Stage::Autoedge, message)
        .maybe_at(second.span)
        .help("declare it in one resource; each of these would undo what the other does");
    match first.span {
        Some(span) => diagnostic.label(span, "the first declaration"),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use resource_graph::{Resource, ResourceId};

    use super::*;

    fn messages(resources: Vec<Resource>) -> Vec<String> {
        let mut graph = ResourceGraph::new();
        for resource in resources {
            graph.add(resource);
        }
        conflicts(&graph).into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    fn file(name: &str, content: &str) -> Resource {
        Resource::new(ResourceId::new("file", name)).with("content", content)
    }

    fn line(name: &str) -> Resource {
        Resource::new(ResourceId::new("line", name)).with("file", "/a/x").with("state", "exists").with("content", name)
    }

    #[test]
    fn contradiction_names_both_resources_and_no_content() {
        let found = messages(vec![file("/a/x", "secret"), file("/a//x", "other")]);
        assert_eq!(found, ["file[/a/x] and file[/a//x] contradict each other about the content of /a/x"]);
    }

    #[test]
    fn each_editor_of_a_managed_file_is_reported() {
        let found = messages(vec![line("1"), line("2"), file("/a/x", "whole")]);
        assert_eq!(found, ["line[1] and file[/a/x] contradict each other about the content of /a/x"]);
        assert_eq!(messages(vec![file("/a/x", "whole"), line("1"), line("2")]).len(), 2);
        assert_eq!(messages(vec![line("1"), line("2")]), [""; 0]);
    }

    #[test]
    fn home_directories_are_paths_like_others() {
        let mut below = line("1");
        below = below.with("file", "~root/x");
        let home = expand_home("~root/x").expect("root has a home");
        let home = home.to_str().expect("a path");
        assert_eq!(messages(vec![file(home, "whole"), below]).len(), 1);
    }

    #[test]
    fn contradicting_lines_are_found_among_others() {
        let absent = line("2").with("state", "absent").with("content", "3");
        let found = messages(vec![line("1"), line("3"), absent, line("4")]);
        assert_eq!(found, ["line[3] and line[2] contradict each other about the line of /a/x"]);
    }

    #[test]
    fn resource_that_changes_nothing_contradicts_nothing() {
        let mut quiet = file("/a//x", "other");
        quiet.meta.noop = true;
        assert_eq!(messages(vec![file("/a/x", "one"), quiet]), [""; 0]);
    }
}
