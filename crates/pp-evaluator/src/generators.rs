//! What happens after the main manifests: collectors and lazy bodies, until nothing changes (spec 07 §5.17).

use pp_catalog::ResourceKind;
use pp_types::{Error, ErrorKind};

use crate::evaluator::Evaluator;
use crate::stop::{Eval, unlocated};

/// Maximum number of rounds, which is that of Puppet.
const MAX_ROUNDS: usize = 1000;

impl Evaluator<'_> {
    /// Runs collectors and evaluates the bodies of what was declared, until there is nothing left to do.
    pub(crate) fn generate(&mut self) -> Eval<()> {
        for _ in 0..MAX_ROUNDS {
            let collected = self.catalog.collect().map_err(|error| self.catalog_error(&error, None))?;
            for warning in &collected.warnings {
                self.catalog_warning(warning)?;
            }
            let pending = self.catalog.take_pending();
            if pending.is_empty() && !collected.changed {
                return Ok(());
            }
            for id in pending {
                let resource = self.catalog.resource(id);
                let result = match resource.kind {
                    ResourceKind::Define => self.evaluate_define(id),
                    ResourceKind::Class(_) => {
                        let name = resource.reference.title.to_lowercase();
                        self.evaluate_class(&name, id)
                    }
                    ResourceKind::Native | ResourceKind::Node => Ok(()),
                };
                if let Err(stop) = result {
                    self.recover(stop)?;
                }
            }
        }
        let message = "Somehow looped more than 1000 times while evaluating host catalog";
        let error = Error::new(ErrorKind::Limit, message);
        Err(unlocated(error.help("probably the instances of a define declare further instances without end")))
    }
}
