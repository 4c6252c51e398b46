//! Metaparameters and tags that contained resources take from their container (spec 07 §2.10).

use std::collections::VecDeque;

use cranelift_entity::{EntitySet, SecondaryMap};
use pp_resource_types::METAPARAMETERS;

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::id::ResourceId;
use crate::parameter::Parameter;

impl Catalog {
    /// Walks the containment from the main class downwards, breadth first. Classes are below stages, so only those that are
    /// contained in something else are reached.
    pub(crate) fn inherit_metaparameters(&mut self) -> Vec<CatalogError> {
        let mut contents: SecondaryMap<ResourceId, Vec<ResourceId>> = SecondaryMap::new();
        for (content, resource) in &self.resources {
            for container in &resource.containers {
                contents[*container].push(content);
            }
        }
        let mut errors = Vec::new();
        let mut seen = EntitySet::new();
        let mut queue = VecDeque::from([Catalog::MAIN_CLASS]);
        seen.insert(Catalog::MAIN_CLASS);
        while let Some(container) = queue.pop_front() {
            let inherited = self.inherited_by_contents(container);
            for content in &contents[container] {
                self.merge_tags(*content, container);
                for parameter in &inherited {
                    if let Err(error) = self.inherit(*content, parameter) {
                        errors.push(error);
                    }
                }
                if seen.insert(*content) {
                    queue.push_back(*content);
                }
            }
        }
        errors
    }

    /// Gives a resource the tags of another one around it.
    pub(crate) fn merge_tags(&mut self, content: ResourceId, container: ResourceId) {
        let mut tags = std::mem::take(&mut self.resources[content].tags);
        tags.merge(&self.resources[container].tags);
        self.resources[content].tags = tags;
    }

    fn inherited_by_contents(&self, container: ResourceId) -> Vec<Parameter> {
        let parameters = &self.resources[container].parameters;
        let names = METAPARAMETERS.iter().filter(|m| m.inherited).map(|m| m.name);
        names.filter_map(|name| parameters.get(name).filter(|_| parameters.value(name).is_some()).cloned()).collect()
    }

    fn inherit(&mut self, id: ResourceId, parameter: &Parameter) -> Result<(), CatalogError> {
        if self.resources[id].parameters.value(&parameter.name).is_some() {
            return Ok(());
        }
        if &*parameter.name == "alias" {
            self.add_aliases(id, parameter)?;
        }
        self.resources[id].parameters.set(parameter.clone());
        Ok(())
    }
}
