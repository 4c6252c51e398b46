//! Resources with `Meta:export`, which are published for other hosts (spec 06 §4.5).

use resource_graph::{Resource, encode_exported};
use shared_store::{Export, SharedStore};

use crate::{Context, Effects, Failure, Provider, Watch, WorkerClass};

/// Publishes a resource at each check, unless the store already has it, and runs the resource's own provider. A hidden
/// resource is only published.
pub(super) struct Exporting {
    /// The resource as declared, with the values received so far.
    resource: Resource,
    /// `None` for a hidden resource.
    provider: Option<Box<dyn Provider>>,
}

/// Returns the exports of a resource, one for each receiving host.
pub fn exports(resource: &Resource) -> impl Iterator<Item = Export> + '_ {
    let (kind, name) = (&resource.id.kind, &resource.id.name);
    resource.meta.export.iter().map(|to| Export { kind: kind.to_string(), name: name.to_string(), to: to.clone() })
}

impl Exporting {
    pub(super) fn new(resource: &Resource, provider: Option<Box<dyn Provider>>) -> Exporting {
        Exporting { resource: resource.clone(), provider }
    }

    fn publish(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(store) = cx.state().map(|state| state.shared_store()) else {
            return Err(Failure::Unavailable("exporting resources requires a state directory".to_owned()));
        };
        let data = encode_exported(&self.resource);
        exports(&self.resource).try_for_each(|export| publish_one(&store, &export, &data, cx))
    }
}

fn publish_one(store: &SharedStore, export: &Export, data: &str, cx: &mut Context<'_>) -> Result<(), Failure> {
    let failed = |error| Failure::io("export", format!("{}[{}] to {}", export.kind, export.name, export.to), error);
    if store.is_exported(export, data).map_err(failed)? {
        return Ok(());
    }
    if cx.change_machine(format!("export to {}", if export.to == "*" { "all hosts" } else { &export.to }))? {
        store.export(export, data).map_err(|error| {
            // The announced change was not made.
            cx.changes.pop();
            failed(error)
        })?;
    }
    Ok(())
}

impl Provider for Exporting {
    fn init(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        self.provider.as_mut().map_or(Ok(()), |provider| provider.init(cx))
    }

    /// Publishing and the check are independent; if both fail, the failure of the check is returned.
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        // A plan reports exports, noop does not.
        let is_planned = cx.plan().is_some() && !self.resource.meta.noop;
        let published = if cx.apply || is_planned { self.publish(cx) } else { Ok(()) };
        self.provider.as_mut().map_or(Ok(()), |provider| provider.check_apply(cx))?;
        published
    }

    fn watches(&self) -> Vec<Watch> {
        self.provider.as_ref().map_or_else(Vec::new, |provider| provider.watches())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        self.resource.clone_from(&resources[0]);
        self.provider.as_mut().map_or(Ok(()), |provider| provider.update(resources))
    }

    fn worker_class(&self) -> WorkerClass {
        self.provider.as_ref().map_or(WorkerClass::Cpu, |provider| provider.worker_class())
    }

    fn effects(&self) -> Effects {
        self.provider.as_ref().map_or(Effects::Machine, |provider| provider.effects())
    }

    fn depends_on_state(&self) -> bool {
        self.provider.as_ref().is_none_or(|provider| provider.depends_on_state())
    }

    fn converges(&self) -> bool {
        self.provider.as_ref().is_none_or(|provider| provider.converges())
    }

    fn cleanup(&mut self) {
        if let Some(provider) = &mut self.provider {
            provider.cleanup();
        }
    }
}

#[cfg(test)]
mod tests {
    use resource_graph::decode_exported;

    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    fn exported(to: &[&str]) -> Resource {
        let mut resource = resource("noop", "n");
        resource.meta.export = to.iter().map(|host| (*host).to_owned()).collect();
        resource
    }

    fn stored(test: &ProviderTest) -> Vec<Export> {
        test.apply_context.state.as_ref().unwrap().shared_store().own_exports().unwrap()
    }

    /// Runs a check that publishes the resource, and one that finds it published.
    #[track_caller]
    fn publishes(test: &mut ProviderTest) {
        assert_ne!(test.run(true).expect("the export succeeds").changes, [""; 0]);
        test.assert_unchanged();
    }

    #[test]
    fn a_resource_is_published_once_for_each_host() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&exported(&["*", "h2", "h2"]), scratch.path());
        publishes(&mut test);
        let to: Vec<String> = stored(&test).into_iter().map(|export| export.to).collect();
        assert_eq!(to, ["*", "h2"]);
        let store = test.apply_context.state.as_ref().unwrap().shared_store();
        let records = store.exported("noop").unwrap();
        assert_eq!(decode_exported(records[0].data.as_bytes()).unwrap().id, exported(&[]).id);
    }

    #[test]
    fn a_received_value_is_published_anew() {
        let scratch = tempfile::tempdir().unwrap();
        let print = |msg: &str| {
            let mut resource = resource("print", "p").with("msg", msg);
            resource.meta.export = vec!["*".to_owned()];
            resource
        };
        let mut test = ProviderTest::with_state(&print("a"), scratch.path());
        publishes(&mut test);
        test.provider.update(&[print("b")]).unwrap();
        publishes(&mut test);
        let store = test.apply_context.state.as_ref().unwrap().shared_store();
        let records = store.exported("print").unwrap();
        assert_eq!(decode_exported(records[0].data.as_bytes()).unwrap().params["msg"], "b".into());
    }

    #[test]
    fn noop_publishes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&exported(&["*"]), scratch.path());
        assert_eq!(test.run(false).unwrap().changes, [""; 0]);
        assert!(stored(&test).is_empty());
    }

    #[test]
    fn a_plan_reports_exports() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&exported(&["h2"]), scratch.path());
        test.apply_context.plan = Some(crate::PlanSettings::default());
        assert_eq!(test.run(false).unwrap().changes, ["export to h2"]);
        assert!(stored(&test).is_empty());
        test.apply_context.plan = None;
        publishes(&mut test);
        test.apply_context.plan = Some(crate::PlanSettings::default());
        assert_eq!(test.run(false).unwrap().changes, [""; 0]);
    }

    #[test]
    fn a_hidden_resource_is_published_and_does_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        let mut hidden = resource("file", file.to_str().unwrap()).with("state", "exists").with("content", "x");
        hidden.meta.hidden = true;
        hidden.meta.export = vec!["*".to_owned()];
        let mut test = ProviderTest::with_state(&hidden, scratch.path());
        publishes(&mut test);
        assert_eq!(stored(&test).len(), 1);
        assert!(!file.exists());
    }

    #[test]
    fn a_failed_export_does_not_prevent_the_check() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        let mut exported = resource("file", file.to_str().unwrap()).with("state", "exists").with("content", "x");
        exported.meta.export = vec!["*".to_owned()];
        let mut test = ProviderTest::with_state(&exported, scratch.path());
        std::fs::create_dir_all(scratch.path().join("prefix/local")).unwrap();
        std::fs::write(scratch.path().join("prefix/local/world"), "in the way").unwrap();
        let error = test.run(true).unwrap_err().to_string();
        assert!(error.starts_with("cannot export file["), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
    }
}
