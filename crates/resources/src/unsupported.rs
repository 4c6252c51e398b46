//! The provider of resource kinds that type-check but are not implemented.

use resource_graph::Resource;

use crate::{Context, Failure, Provider};

struct Unsupported {
    kind: String,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Unsupported { kind: resources[0].id.kind.to_string() }))
}

impl Provider for Unsupported {
    fn check_apply(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
        Err(Failure::Unavailable(format!("`{}` is not implemented in this release", self.kind)))
    }

    fn update(&mut self, _resources: &[Resource]) -> Result<(), Failure> {
        Ok(())
    }
}
