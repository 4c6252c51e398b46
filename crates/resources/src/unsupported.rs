//! Kinds that type-check but are not implemented in this release.

use resource_graph::Resource;

use crate::{Context, Failure, Kind};

struct Unsupported {
    kind: String,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Unsupported { kind: resources[0].id.kind.to_string() }))
}

impl Kind for Unsupported {
    fn check_apply(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
        Err(Failure::Unavailable(format!("`{}` is not implemented in this release", self.kind)))
    }

    fn update(&mut self, _resources: &[Resource]) -> Result<(), Failure> {
        Ok(())
    }
}
