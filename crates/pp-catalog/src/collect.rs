//! What collectors and `realize` do to the catalog (spec 07 §5.8).

use rustc_hash::FxHashSet;

use crate::catalog::Catalog;
use crate::collector::{Collected, Collector, CollectorForm, CollectorState};
use crate::error::CatalogError;
use crate::id::{CollectorId, ResourceId};
use crate::location::Location;
use crate::parameter::Parameters;
use crate::query::Query;
use crate::reference::Reference;

impl Catalog {
    /// Adds a collector, which runs in each round of [`Catalog::collect`].
    pub fn add_collector(&mut self, collector: Collector) -> CollectorId {
        let key = collector.query.as_ref().and_then(Query::key);
        let indexes = &mut self.table.get_or_insert(&collector.type_name).indexes;
        match key {
            None | Some(("title", _)) => {}
            Some(("tag", _)) => indexes.count_tag(),
            Some((attribute, _)) => indexes.count_attribute(attribute),
        }
        let asks_for_tags = collector.query.as_ref().is_some_and(Query::asks_for_tags);
        self.collectors.push(CollectorState {
            collector,
            asks_for_tags,
            seen: 0,
            seen_entries: 0,
            seen_tags: 0,
            collected: Vec::new(),
            runs: Vec::new(),
        })
    }

    /// Records a resource to realise as soon as it exists: `realize`.
    pub fn add_realize(&mut self, reference: Reference, location: Location) {
        self.to_realize.push((reference, location));
    }

    /// Runs all collectors, and realises what was recorded, once.
    ///
    /// # Errors
    /// What the bodies of collectors set wrongly.
    pub fn collect(&mut self) -> Result<Collected, CatalogError> {
        let mut result = Collected::default();
        for id in self.collectors.keys() {
            self.run_collector(id, &mut result)?;
        }
        let mut waiting = std::mem::take(&mut self.to_realize);
        waiting.retain(|(reference, _)| match self.find(reference) {
            Some(id) => {
                self.realize_resource(id);
                result.changed = true;
                false
            }
            None => true,
        });
        self.to_realize = waiting;
        Ok(result)
    }

    fn run_collector(&mut self, id: CollectorId, result: &mut Collected) -> Result<(), CatalogError> {
        let found = self.find_new(id);
        if found.is_empty() {
            return Ok(());
        }
        result.changed = true;
        for resource in &found {
            self.realize_resource(*resource);
        }
        let state = &mut self.collectors[id];
        if !state.collected.is_empty() {
            state.runs.push(state.collected.len());
        }
        state.collected.extend_from_slice(&found);
        if state.collector.overrides.is_empty() {
            return Ok(());
        }
        let Collector { overrides, scope, source, location, type_name, .. } = state.collector.clone();
        self.sources.allow_overrides(source);
        let mut parameters: Parameters = overrides.into_iter().collect();
        for default in &self.defaults_in(scope, &type_name) {
            if parameters.get(&default.name).is_none() {
                parameters.set(default.clone());
            }
        }
        for resource in found {
            let parameters = parameters.iter();
            result.warnings.extend(self.override_parameters(resource, parameters, &location)?);
        }
        Ok(())
    }

    /// Returns the resources that match a collector and that it has not collected, in catalog order.
    fn find_new(&mut self, id: CollectorId) -> Vec<ResourceId> {
        let mut candidates = self.candidates(id);
        let state = &self.collectors[id];
        candidates.retain(|resource| self.is_new_to(state, *resource));
        candidates
    }

    /// Returns the resources that a collector has to look at: those that are new or changed since the last time, and of these
    /// only some if an index tells.
    fn candidates(&mut self, id: CollectorId) -> Vec<ResourceId> {
        let Catalog { collectors, table, resources, tags, .. } = self;
        let state = &mut collectors[id];
        let key = state.collector.query.as_ref().and_then(Query::key);
        let Some(table) = table.get_mut(&state.collector.type_name) else { return Vec::new() };
        if let Some(("title", title)) = key {
            table.fold_titles(|id| &resources[id].reference.title);
            return table.titled(title).to_vec();
        }
        let seen = std::mem::replace(&mut state.seen, table.changes.len());
        let seen_tags = std::mem::replace(&mut state.seen_tags, self.tag_changes);
        if state.asks_for_tags && seen_tags != self.tag_changes {
            return table.resources.clone();
        }
        let entries = &mut state.seen_entries;
        let indexed = match key {
            // Nothing has a tag that does not exist.
            Some(("tag", tag)) => tags.find(tag).map_or(Some(Vec::new()), |tag| {
                table.indexes.with_tag(tag, &table.changes, entries, |id, enter| {
                    let around = std::iter::successors(Some(&resources[id]), |inner| Some(&resources[inner.scope?]));
                    around.flat_map(|resource| resource.tags.iter()).for_each(enter);
                })
            }),
            Some(key) => table.indexes.with_text(key, &table.changes, entries, |id| &resources[id]),
            None => None,
        };
        if let Some(candidates) = indexed {
            return candidates;
        }
        let changes = &table.changes[seen..];
        if changes.len() > table.resources.len() {
            return table.resources.clone();
        }
        let mut candidates = changes.to_vec();
        if !candidates.is_sorted_by(|a, b| a < b) {
            candidates = candidates.into_iter().collect::<FxHashSet<_>>().into_iter().collect();
            candidates.sort_unstable();
        }
        candidates
    }

    /// Returns whether a collector matches a resource that it has not collected.
    fn is_new_to(&self, state: &CollectorState, id: ResourceId) -> bool {
        let Collector { form, query, .. } = &state.collector;
        let matches = |query: &Query| query.matches(&self.resources[id], &|tag| self.is_tagged(id, tag));
        *form == CollectorForm::Virtual && query.as_ref().is_none_or(matches) && !state.has_collected(id)
    }
}
