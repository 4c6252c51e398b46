//! What two resources must not touch at the same time, judged by their declared parameters.

use resource_graph::{Params, Resource, file_path};

/// Returns the absolute paths that a resource declares to be its object, without `.`, `..`, and repeated or trailing slashes.
pub(super) fn claims(resource: &Resource) -> Vec<String> {
    let declared = ["path", "file"].iter().filter_map(|name| resource.params.get(name)?.as_bytes());
    let declared = declared.map(|path| String::from_utf8_lossy(path).into_owned());
    let effective = match Params::of(resource) {
        Some(params) if &*resource.id.kind == "file" => file_path(&params).to_string(),
        Some(_) | None => resource.id.name.to_string(),
    };
    let mut paths: Vec<String> =
        declared.chain([effective]).filter(|path| path.starts_with('/')).map(|path| normalized(&path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn normalized(path: &str) -> String {
    let mut components = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop();
            }
            name => components.push(name),
        }
    }
    format!("/{}", components.join("/"))
}

#[cfg(test)]
mod tests {
    use resource_graph::ResourceId;

    use super::*;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[test]
    fn spellings_of_one_path_are_one_claim() {
        for name in ["/srv/x", "/srv//x/", "/srv/./y/../x"] {
            assert_eq!(claims(&resource("file", name)), ["/srv/x"]);
        }
        assert_eq!(claims(&resource("file", "x").with("path", "/srv/x")), ["/srv/x"]);
        assert_eq!(claims(&resource("line", "x").with("file", "/srv/x")), ["/srv/x"]);
    }

    #[test]
    fn resource_without_a_path_has_no_claim() {
        assert_eq!(claims(&resource("svc", "web")), [""; 0]);
    }
}
