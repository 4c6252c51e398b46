//! `schedule`: takes part in choosing hosts from a pool (spec 05 §6.22). Of one host the choice is simple: it is chosen
//! everywhere it takes part, whatever the strategy, and `world.schedule` says so.

use std::path::PathBuf;

use resource_graph::Resource;
use shared_store::Candidacy;

use crate::{Context, Failure, Params, Provider, Scope, Watch};

struct Schedule {
    namespace: String,
    /// `None` withdraws.
    candidacy: Option<Candidacy>,
    file: Option<PathBuf>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Schedule::read(&resources[0])?))
}

impl Schedule {
    fn read(resource: &Resource) -> Result<Schedule, Failure> {
        let params = Params::new(resource);
        let namespace = match params.str("namespace")? {
            "" => params.name().to_string(),
            namespace => namespace.to_owned(),
        };
        if namespace.contains('/') {
            return Err(Failure::Invalid(format!("invalid namespace `{namespace}`: it contains a slash")));
        }
        let candidacy = match (params.bool("withdraw")?, params.bool("persist")?) {
            (true, _) => None,
            (false, true) => Some(Candidacy::Persistent),
            (false, false) => Some(Candidacy::Lease),
        };
        Ok(Schedule { namespace, candidacy, file: None })
    }
}

impl Provider for Schedule {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(store) = cx.state().map(|state| state.shared_store()) else {
            return Err(Failure::Unavailable("`schedule` requires a state directory".to_owned()));
        };
        let file = store.candidate_file(&self.namespace);
        if self.file.as_ref() != Some(&file) {
            self.file = Some(file.clone());
            cx.watch_again();
        }
        if store.candidacy(&self.namespace).map_err(Failure::on("read", &file))? == self.candidacy {
            return Ok(());
        }
        let text = if self.candidacy.is_some() { "take part in" } else { "withdraw from" };
        if cx.change(format!("{text} the schedule {}", self.namespace))? {
            store.set_candidacy(&self.namespace, self.candidacy).map_err(Failure::on("write", &file))?;
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        self.file.iter().map(|file| Watch::Path(file.clone(), Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        let file = self.file.take();
        *self = Schedule { file, ..Schedule::read(&resources[0])? };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn a_host_is_chosen_where_it_takes_part_until_it_withdraws() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&resource("schedule", "pool"), scratch.path());
        let chosen =
            |test: &ProviderTest| test.apply_context.state.as_ref().unwrap().shared_store().scheduled("pool").unwrap();
        test.assert_converges();
        assert_eq!(chosen(&test), [crate::hostname()]);
        test.provider.update(&[resource("schedule", "x").with("namespace", "pool").with("withdraw", true)]).unwrap();
        test.assert_converges();
        assert!(chosen(&test).is_empty());
    }
}
