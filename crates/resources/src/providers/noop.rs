//! `noop`: does nothing (spec 05 §6.7).

use resource_graph::Resource;

use crate::{Context, Failure, Provider};

struct Noop;

pub(super) fn build(_resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Noop))
}

impl Provider for Noop {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if cx.refresh() {
            cx.emit_message("received a notification");
        }
        Ok(())
    }

    fn update(&mut self, _resources: &[Resource]) -> Result<(), Failure> {
        Ok(())
    }
}
