//! Building a catalog of resources in classes and defines, with collectors, and writing it as JSON, compared with writing the
//! same JSON from a value in memory.
//!
//! `cargo bench -p pp-catalog`

use std::sync::Arc;

use pp_catalog::{
    Catalog, ClassForm, Collector, CollectorForm, Comparison, Location, NewResource, Options, Parameter, Query,
    Reference, ResourceKind,
};
use pp_resource_types::KnownTypes;
use pp_types::Value;
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of resources in a class.
const CLASS_SIZE: usize = 50;

/// How often the collectors run while resources are added.
const ROUNDS: usize = 10;

/// The number of collectors.
const COLLECTORS: usize = 100;

fn resource(
    kind: ResourceKind,
    type_name: &str,
    title: &str,
    line: usize,
    parameters: &[(&str, Value)],
) -> NewResource {
    let location = Location { file: None, line: u32::try_from(line).expect("few lines"), span: None };
    let parameter = |(name, value): &(&str, Value)| Parameter {
        name: Arc::from(*name),
        value: value.clone(),
        source: Catalog::MAIN_SOURCE,
        location: location.clone(),
        append: false,
    };
    NewResource {
        reference: Reference::new(type_name, title),
        kind,
        parameters: parameters.iter().map(parameter).collect(),
        location: location.clone(),
        scope: Catalog::MAIN_CLASS,
        source: Catalog::MAIN_SOURCE,
        is_virtual: false,
        exported: false,
        is_number: false,
    }
}

/// Builds a catalog with `n` files in classes, each of which requires the one before it. Each tenth is virtual, and collectors
/// by tag, by title and by attribute realise them.
fn build(n: usize) -> Catalog {
    let types = KnownTypes::core();
    let mut catalog = Catalog::new(Options { node: "bench".into(), environment: "production".into(), types });
    let mut scope = Catalog::MAIN_CLASS;
    for i in 0..COLLECTORS {
        let (attribute, value) = match i % 3 {
            0 => ("tag", format!("c{i}")),
            1 => ("title", format!("/srv/f{}", i * 10)),
            _ => ("owner", format!("u{i}")),
        };
        let value = Value::from(value);
        let query = Query::Compare { attribute: attribute.into(), comparison: Comparison::Equal, value };
        catalog.add_collector(Collector {
            type_name: "File".into(),
            query: Some(query),
            form: CollectorForm::Virtual,
            overrides: Vec::new(),
            scope: Catalog::MAIN_CLASS,
            source: Catalog::MAIN_SOURCE,
            location: Location::default(),
        });
    }
    let mut previous = None;
    for i in 0..n {
        if i % CLASS_SIZE == 0 {
            let form = ResourceKind::Class(ClassForm::Included);
            let class = resource(form, "class", &format!("c{}", i / CLASS_SIZE), i, &[]);
            scope = catalog.add(class).expect("class names differ");
            catalog.mark_evaluated(scope);
        }
        if i % (n / ROUNDS) == 0 {
            catalog.collect().expect("nothing is overridden");
        }
        let title = format!("/srv/f{i}");
        let mut parameters =
            vec![("ensure", "file".into()), ("owner", format!("u{}", i % 200).into()), ("mode", "0644".into())];
        parameters.extend(previous.take().map(|reference: Reference| ("require", reference.to_value())));
        let file = resource(ResourceKind::Native, "file", &title, i + 1, &parameters);
        previous = Some(file.reference.clone());
        catalog.add(NewResource { scope, is_virtual: i % 10 == 0, ..file }).expect("titles differ");
    }
    while catalog.collect().expect("nothing is overridden").changed {}
    let warnings = catalog.finish(Vec::new()).expect("all references exist");
    assert!(warnings.is_empty());
    catalog
}

fn main() {
    println!("{:>10} {:>12} {:>12} {:>12} {:>16}", "resources", "build", "to JSON", "JSON only", "build / JSON only");
    for n in [10_000, 100_000] {
        let build_time = min_time(3, || build(n));
        let catalog = build(n);
        let json = min_time(3, || catalog.write_json(Vec::new(), 1, "uuid").expect("the values are plain"));
        let value = catalog.to_json(1, "uuid").expect("the values are plain");
        let baseline = min_time(3, || serde_json::to_vec(&value).expect("the values are plain"));
        println!("{n:>10} {build_time:>12.2?} {json:>12.2?} {baseline:>12.2?} {:>16.2}", ratio(build_time, baseline));
    }
}
