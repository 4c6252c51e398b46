//! How arrows become parameters (spec 07 §2.3).

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use pp_types::Value;
use rustc_hash::FxHashSet;

use crate::catalog::Catalog;
use crate::error::{CatalogError, ErrorKind};
use crate::id::{RelationshipId, ResourceId};
use crate::parameter::Parameter;
use crate::reference::Reference;
use crate::relationship::{Operand, Relationship, RelationshipKind};

impl Catalog {
    /// Appends a reference to a parameter such as `require`, which becomes an array.
    pub fn append_reference(&mut self, id: ResourceId, parameter: &str, target: &Reference) {
        let resource = &mut self.resources[id];
        let added = target.to_value();
        match resource.parameters.value_mut(parameter) {
            Some(Value::Array(values)) => Arc::make_mut(values).push(added),
            Some(value) => {
                let first = std::mem::replace(value, Value::Undef);
                let all = if first == Value::Undef { vec![added] } else { vec![first, added] };
                *value = Value::array(all);
            }
            None => {
                let (source, location) = (resource.source, resource.location.clone());
                let value = Value::array(vec![added]);
                resource.parameters.set(Parameter { name: parameter.into(), value, source, location, append: false });
            }
        }
    }

    /// Turns the arrows into parameters.
    pub(crate) fn apply_relationships(&mut self) -> Vec<CatalogError> {
        let relationships = std::mem::take(&mut self.relationships);
        let mut errors = Vec::new();
        for relationship in relationships.values() {
            let sources = self.sources_of(relationship, &relationships);
            let targets = self.expand(&relationship.targets);
            for source in &sources {
                for target in &targets {
                    if let Err(kind) = self.relate(relationship.kind, source, target) {
                        errors.push(CatalogError { kind, location: relationship.location.clone() });
                    }
                }
            }
        }
        errors
    }

    fn relate(&mut self, kind: RelationshipKind, source: &Reference, target: &Reference) -> Result<(), ErrorKind> {
        let unknown = |unknown: &Reference, other: &Reference, is_source| ErrorKind::UnknownOperand {
            unknown: unknown.clone(),
            other: other.clone(),
            is_source,
        };
        let id = self.find(source).ok_or_else(|| unknown(source, target, true))?;
        if self.find(target).is_none() {
            return Err(unknown(target, source, false));
        }
        self.append_reference(id, kind.parameter(), target);
        Ok(())
    }

    fn sources_of(
        &self,
        relationship: &Relationship,
        all: &PrimaryMap<RelationshipId, Relationship>,
    ) -> Vec<Reference> {
        let mut sources = self.expand(&relationship.sources);
        let mut at = relationship;
        while sources.is_empty()
            && !at.reversed
            && let Some(previous) = at.previous
        {
            at = &all[previous];
            sources = self.expand(at.left());
        }
        sources
    }

    fn expand(&self, operands: &[Operand]) -> Vec<Reference> {
        let mut seen = FxHashSet::default();
        let mut references = Vec::new();
        for operand in operands {
            match operand {
                Operand::Reference(reference) => references.push(reference.clone()),
                Operand::Collector(id) => references
                    .extend(self.collectors[*id].collected().iter().map(|r| self.resources[*r].reference.clone())),
            }
        }
        references.retain(|r| seen.insert((Arc::clone(&r.type_name), Arc::clone(&r.title))));
        references
    }
}
