//! Titles that an agent makes of several attributes (spec 07 §2.2, spec 09 §11).

use std::sync::Arc;

use pp_resource_types::KnownTypes;

use crate::catalog::Catalog;
use crate::lookup::known_type;

/// Gives each resource whose title is a name and a type the complete title, such as `Sshkey[h@ssh-rsa]` for a key `h` of the type
/// `rsa`. The title of the catalog stays valid in references.
pub(crate) fn complete_titles(catalog: &mut Catalog, types: &KnownTypes) {
    for index in 0..catalog.resources.len() {
        let resource = &catalog.resources[index];
        if resource.is_container() {
            continue;
        }
        let Some(known) = known_type(types, &resource.reference.type_name) else { continue };
        let value = |name: &str| resource.text(name).map(Arc::from);
        let title = known.declared().and_then(|declared| declared.complete_title(&resource.reference.title, value));
        if let Some(title) = title {
            catalog.rename(index, &title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build_relationships, read_catalog};

    #[test]
    fn keys_of_hosts_have_their_type_in_the_title() {
        let catalog = br#"{"name": "n", "resources": [
            {"type": "Sshkey", "title": "h", "kind": "compilable_type", "parameters": {"type": "rsa", "key": "A"}},
            {"type": "Sshkey", "title": "h@ed25519", "kind": "compilable_type",
                "parameters": {"key": "B", "require": "Sshkey[h]", "before": "Sshkey[z@ssh-dss]"}},
            {"type": "Sshkey", "title": "other", "kind": "compilable_type",
                "parameters": {"name": "z", "type": "ssh-dss", "key": "C", "require": "Sshkey[h@ssh-rsa]"}}]}"#;
        let (catalog, _) = read_catalog(catalog).unwrap();
        let graph = build_relationships(catalog, &KnownTypes::all()).unwrap();
        let title = |index: usize| graph.catalog.resources[index].reference.to_string();
        let edges: Vec<String> =
            graph.edges.iter().map(|edge| format!("{} {}", title(edge.source), title(edge.target))).collect();
        assert_eq!(
            edges,
            [
                "Sshkey[h@ssh-rsa] Sshkey[h@ssh-ed25519]",
                "Sshkey[h@ssh-ed25519] Sshkey[z@ssh-dss]",
                "Sshkey[h@ssh-rsa] Sshkey[z@ssh-dss]"
            ]
        );
    }
}
