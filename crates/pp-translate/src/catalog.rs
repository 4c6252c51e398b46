//! The catalog JSON of Puppet 5 to 8 (spec 07 §1), read in one pass over the bytes; unknown keys are ignored.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use rustc_hash::FxHashMap;

use crate::catalog_json::{RawCatalog, RawResource};
use crate::reference::{Reference, capitalize};
use crate::value::{Parameters, PuppetValue};

/// The index of a resource in [`Catalog::resources`].
pub type ResourceIndex = usize;

/// A catalog: resources and their containment.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The node's certificate name.
    pub name: String,
    /// The environment.
    pub environment: String,
    /// The resources, in the order of the file.
    pub resources: Vec<CatalogResource>,
    /// Pairs of a container and a resource that it contains.
    pub containment: Vec<(ResourceIndex, ResourceIndex)>,
    /// The names of the declared classes, in lowercase.
    pub classes: Vec<String>,
    /// The resources by normalized type and title.
    by_reference: FxHashMap<Reference, ResourceIndex>,
}

/// A resource of a catalog.
#[derive(Clone, Debug)]
pub struct CatalogResource {
    /// The type and title; class titles are capitalized, so `Class[main]` is `Class[Main]`.
    pub reference: Reference,
    /// The file of the declaration; `None` for classes that were only included.
    pub file: Option<Arc<str>>,
    /// The line of the declaration, from 1.
    pub line: Option<u32>,
    /// Whether it contains others or is a plain resource.
    pub role: ResourceRole,
    /// The tags.
    pub tags: Vec<String>,
    /// The parameters, without those that are undef.
    pub parameters: Parameters,
    /// The names of the parameters that must never be shown.
    pub sensitive: Vec<String>,
}

/// The role of a catalog resource on an agent (spec 07 §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceRole {
    /// A resource that is applied.
    Native,
    /// A class, an instance of a defined type, or a node: contains others.
    Component,
    /// A run stage: contains classes.
    Stage,
}

impl CatalogResource {
    /// Returns the origin as `site.pp:12`, or only the file if the line is unknown.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
    }

    /// Returns the value of a parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&PuppetValue> {
        self.parameters.get(name)
    }

    /// Returns the value of a string parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).and_then(PuppetValue::as_str)
    }

    /// Returns whether the value must not be shown.
    #[must_use]
    pub fn is_sensitive(&self, name: &str) -> bool {
        self.sensitive.iter().any(|s| s == name) || self.parameters.get(name).is_some_and(PuppetValue::holds_secret)
    }

    /// Returns whether the resource is to be removed: its `ensure` says so. A mount point may also be unmounted.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        match self.text("ensure") {
            Some("absent" | "purged") => true,
            Some("unmounted") => &*self.reference.type_name == "Mount",
            Some(_) | None => false,
        }
    }

    /// Returns whether the resource contains others.
    #[must_use]
    pub fn is_container(&self) -> bool {
        self.role != ResourceRole::Native
    }
}

impl Catalog {
    /// Returns the resource with exactly this type and title.
    #[must_use]
    pub fn find(&self, reference: &Reference) -> Option<ResourceIndex> {
        self.by_reference.get(reference).copied()
    }

    /// Gives a resource another title. The former one still denotes it.
    pub(crate) fn rename(&mut self, index: ResourceIndex, title: &str) {
        let reference = self.resources[index].reference.with_title(title);
        self.by_reference.entry(reference.clone()).or_insert(index);
        self.resources[index].reference = reference;
    }

    /// Appends a resource.
    ///
    /// # Errors
    /// The index of an earlier resource with the same reference.
    pub(crate) fn add(&mut self, resource: CatalogResource) -> Result<ResourceIndex, ResourceIndex> {
        let index = self.resources.len();
        if let Some(earlier) = self.by_reference.get(&resource.reference) {
            return Err(*earlier);
        }
        self.by_reference.insert(resource.reference.clone(), index);
        self.resources.push(resource);
        Ok(index)
    }
}

/// Reads a catalog. Log lines before the JSON (`puppet catalog compile` prints some on standard output) are skipped.
///
/// Returns the catalog and the warnings.
///
/// # Errors
/// Every independent error, as diagnostics of the stage `puppet`: invalid JSON, such as a repeated key, is one error, and so
/// is each duplicate resource.
pub fn read_catalog(bytes: &[u8]) -> Result<(Catalog, Vec<Diagnostic>), Vec<Diagnostic>> {
    let json = skip_log_lines(bytes);
    let mut raw: RawCatalog = serde_json::from_slice(json).map_err(|e| vec![unreadable(&e, bytes, json)])?;
    if let (None, Some(data)) = (&raw.resources, raw.data.take()) {
        raw = *data;
    }
    let Some(resources) = raw.resources.take() else {
        return Err(vec![
            Diagnostic::error(Code::P0101, Stage::Puppet, "invalid catalog: missing `resources`").help(HOW_TO_GET_ONE),
        ]);
    };
    build(raw, resources)
}

const HOW_TO_GET_ONE: &str =
    "get one with `puppet catalog compile --certname NAME --manifest site.pp --render-as rich_data_json`";

fn skip_log_lines(bytes: &[u8]) -> &[u8] {
    if bytes.first() == Some(&b'{') {
        return bytes;
    }
    bytes.windows(2).position(|w| w == b"\n{").map_or(bytes, |at| &bytes[at + 1..])
}

fn unreadable(error: &serde_json::Error, bytes: &[u8], json: &[u8]) -> Diagnostic {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Diagnostic::error(Code::P0101, Stage::Puppet, "empty catalog")
            .help(format!("a failed compilation may print nothing; {HOW_TO_GET_ONE}"));
    }
    let skipped = bytes[..bytes.len() - json.len()].iter().filter(|b| **b == b'\n').count();
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Diagnostic::error(
        Code::P0101,
        Stage::Puppet,
        format!("invalid catalog: {what} at line {}, column {}", error.line() + skipped, error.column()),
    )
    .help(HOW_TO_GET_ONE)
}

fn build(raw: RawCatalog, resources: Vec<RawResource>) -> Result<(Catalog, Vec<Diagnostic>), Vec<Diagnostic>> {
    let RawCatalog { name, environment, edges, classes, resources: _, data: _ } = raw;
    let mut catalog = Catalog { name, environment, classes, ..Catalog::default() };
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let mut files: FxHashMap<String, Arc<str>> = FxHashMap::default();
    for raw in resources {
        if raw.is_virtual {
            continue;
        }
        let resource = resource(raw, &mut files, &mut warnings);
        let again = resource.origin();
        let reference = resource.reference.clone();
        if let Err(earlier) = catalog.add(resource) {
            let first = catalog.resources[earlier].origin();
            let location = |o: Option<String>| o.unwrap_or_else(|| "an unknown location".to_owned());
            errors.push(
                Diagnostic::error(
                    Code::P0102,
                    Stage::Puppet,
                    format!(
                        "duplicate resource {reference}, declared at {} and at {}",
                        location(first),
                        location(again)
                    ),
                )
                .help("a compiler never writes two resources with one type and title: was the catalog edited?"),
            );
        }
    }
    for edge in edges {
        let end = |text: &str| Reference::parse(text).and_then(|r| catalog.find(&r));
        match (end(&edge.source), end(&edge.target)) {
            (Some(source), Some(target)) => catalog.containment.push((source, target)),
            (source, _) => errors.push(Diagnostic::error(
                Code::P0103,
                Stage::Puppet,
                format!(
                    "unknown resource {} in the containment of {} in {}",
                    if source.is_none() { edge.source.as_str() } else { edge.target.as_str() },
                    edge.target,
                    edge.source,
                ),
            )),
        }
    }
    if errors.is_empty() { Ok((catalog, warnings)) } else { Err(errors) }
}

fn resource(
    raw: RawResource,
    files: &mut FxHashMap<String, Arc<str>>,
    warnings: &mut Vec<Diagnostic>,
) -> CatalogResource {
    let type_name = capitalize(&raw.type_name);
    let role = if type_name == "Stage" {
        ResourceRole::Stage
    } else if type_name == "Class" || type_name == "Node" {
        ResourceRole::Component
    } else {
        match raw.kind.as_deref() {
            Some("compilable_type") => ResourceRole::Native,
            Some(_) => ResourceRole::Component,
            // Catalogs before Puppet 7 have no `kind`.
            None if pp_resource_types::find(&type_name).is_some() => ResourceRole::Native,
            None => ResourceRole::Component,
        }
    };
    let file = raw.file.filter(|f| !f.is_empty()).map(|f| match files.get(&f) {
        Some(known) => known.clone(),
        None => files.entry(f.clone()).or_insert_with(|| f.into()).clone(),
    });
    let mut parameters = raw.parameters;
    parameters.retain(|_, v| *v != PuppetValue::Undef);
    let resource = CatalogResource {
        reference: Reference::new(&type_name, &raw.title),
        file,
        line: raw.line.and_then(|l| u32::try_from(l).ok()).filter(|l| *l > 0),
        role,
        tags: raw.tags,
        parameters,
        sensitive: raw.sensitive_parameters,
    };
    if raw.exported {
        warnings.push(Diagnostic::warning(
            Code::P0104,
            Stage::Puppet,
            format!("{} is exported, and applied like any other resource, as by an agent", resource.reference),
        ));
    }
    resource
}
