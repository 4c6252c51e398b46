//! Resources with `Meta:export`: what any kind does besides, when it is published for other hosts (spec 06 §4.5).

use resource_graph::Resource;
use shared_store::{Export, SharedStore};

use crate::{Context, Failure, Kind, Load, Watch};
use resource_graph::encode_exported;

/// Publishes a resource at each of its checks, if it is not there yet, and does what its kind does. A hidden one is
/// published and does nothing else.
pub(super) struct Exporting {
    /// As declared, with the values received so far.
    resource: Resource,
    kind: Option<Box<dyn Kind>>,
}

/// What of a resource is published, and for whom.
pub fn exports(resource: &Resource) -> impl Iterator<Item = Export> + '_ {
    let (kind, name) = (&resource.id.kind, &resource.id.name);
    resource.meta.export.iter().map(|to| Export { kind: kind.to_string(), name: name.to_string(), to: to.clone() })
}

impl Exporting {
    pub(super) fn new(resource: &Resource, kind: Option<Box<dyn Kind>>) -> Exporting {
        Exporting { resource: resource.clone(), kind }
    }

    fn publish(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(world) = cx.state().map(|state| state.world()) else {
            return Err(Failure::Unavailable("there is no store of exported resources in this run".to_owned()));
        };
        let data = encode_exported(&self.resource);
        exports(&self.resource).try_for_each(|export| publish_one(&world, &export, &data, cx))
    }
}

fn publish_one(world: &SharedStore, export: &Export, data: &str, cx: &mut Context<'_>) -> Result<(), Failure> {
    let failed = |error| Failure::io("export", format!("{}[{}] to {}", export.kind, export.name, export.to), error);
    if world.is_exported(export, data).map_err(failed)? {
        return Ok(());
    }
    if cx.change(format!("export to {}", if export.to == "*" { "all hosts" } else { &export.to }))? {
        world.export(export, data).map_err(|error| {
            // It was announced, and not made.
            cx.changes.pop();
            failed(error)
        })?;
    }
    Ok(())
}

impl Kind for Exporting {
    fn init(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        self.kind.as_mut().map_or(Ok(()), |kind| kind.init(cx))
    }

    /// Publishing and the check do not depend on each other; of two failures that of the check is told.
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        // noop keeps quiet about exports; a plan says what would happen.
        let is_planned = cx.wants_diffs() && !self.resource.meta.noop;
        let published = if cx.apply || is_planned { self.publish(cx) } else { Ok(()) };
        self.kind.as_mut().map_or(Ok(()), |kind| kind.check_apply(cx))?;
        published
    }

    fn watches(&self) -> Vec<Watch> {
        self.kind.as_ref().map_or_else(Vec::new, |kind| kind.watches())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        self.resource.clone_from(&resources[0]);
        self.kind.as_mut().map_or(Ok(()), |kind| kind.update(resources))
    }

    fn load(&self) -> Load {
        self.kind.as_ref().map_or(Load::Works, |kind| kind.load())
    }

    fn cleanup(&mut self) {
        if let Some(kind) = &mut self.kind {
            kind.cleanup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Bench, resource};
    use resource_graph::decode_exported;

    fn exported(to: &[&str]) -> Resource {
        let mut resource = resource("noop", "n");
        resource.meta.export = to.iter().map(|host| (*host).to_owned()).collect();
        resource
    }

    fn stored(bench: &Bench) -> Vec<Export> {
        bench.host.state.as_ref().unwrap().world().own_exports().unwrap()
    }

    /// A check that publishes something, and one that finds it there.
    #[track_caller]
    fn publishes(bench: &mut Bench) {
        assert_ne!(bench.run(true).expect("it is published").changes, [""; 0]);
        bench.is_right();
    }

    #[test]
    fn a_resource_is_published_once_for_each_host() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bench = Bench::with_state(&exported(&["*", "h2", "h2"]), scratch.path());
        publishes(&mut bench);
        let to: Vec<String> = stored(&bench).into_iter().map(|export| export.to).collect();
        assert_eq!(to, ["*", "h2"]);
        let world = bench.host.state.as_ref().unwrap().world();
        let records = world.exported("noop").unwrap();
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
        let mut bench = Bench::with_state(&print("a"), scratch.path());
        publishes(&mut bench);
        bench.kind.update(&[print("b")]).unwrap();
        publishes(&mut bench);
        let world = bench.host.state.as_ref().unwrap().world();
        let records = world.exported("print").unwrap();
        assert_eq!(decode_exported(records[0].data.as_bytes()).unwrap().params["msg"], "b".into());
    }

    #[test]
    fn noop_publishes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bench = Bench::with_state(&exported(&["*"]), scratch.path());
        assert_eq!(bench.run(false).unwrap().changes, [""; 0]);
        assert!(stored(&bench).is_empty());
    }

    #[test]
    fn a_plan_tells_what_would_be_published() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bench = Bench::with_state(&exported(&["h2"]), scratch.path());
        bench.host.want_diffs = true;
        assert_eq!(bench.run(false).unwrap().changes, ["export to h2"]);
        assert!(stored(&bench).is_empty());
        publishes(&mut bench);
        assert_eq!(bench.run(false).unwrap().changes, [""; 0]);
    }

    #[test]
    fn a_hidden_resource_is_published_and_does_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        let mut hidden = resource("file", file.to_str().unwrap()).with("state", "exists").with("content", "x");
        hidden.meta.hidden = true;
        hidden.meta.export = vec!["*".to_owned()];
        let mut bench = Bench::with_state(&hidden, scratch.path());
        publishes(&mut bench);
        assert_eq!(stored(&bench).len(), 1);
        assert!(!file.exists());
    }

    #[test]
    fn a_store_that_cannot_be_written_does_not_keep_the_kind_from_its_work() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        let mut exported = resource("file", file.to_str().unwrap()).with("state", "exists").with("content", "x");
        exported.meta.export = vec!["*".to_owned()];
        let mut bench = Bench::with_state(&exported, scratch.path());
        std::fs::create_dir_all(scratch.path().join("prefix/local")).unwrap();
        std::fs::write(scratch.path().join("prefix/local/world"), "in the way").unwrap();
        let error = bench.run(true).unwrap_err().to_string();
        assert!(error.starts_with("cannot export file["), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
    }
}
