//! Catalog JSON of Puppet 5 to 8 (spec 07 §1): read in one pass over the bytes, tolerant of unknown keys.

use std::sync::Arc;

use indexmap::IndexMap;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::Deserialize;

use crate::reference::{Reference, capitalize};
use crate::value::PuppetValue;

/// Index of a resource in [`Catalog::resources`].
pub type ResourceIndex = usize;

/// The parameters of a resource, in the order of the file.
pub type Parameters = IndexMap<String, PuppetValue, FxBuildHasher>;

/// A catalog: resources, and which contains which.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The node's certificate name.
    pub name: String,
    /// The environment.
    pub environment: String,
    /// In the order of the file.
    pub resources: Vec<CatalogResource>,
    /// Container and contained.
    pub containment: Vec<(ResourceIndex, ResourceIndex)>,
    /// Lower-case names of the classes that were declared.
    pub classes: Vec<String>,
    /// By normalised type and title.
    by_reference: FxHashMap<Reference, ResourceIndex>,
}

/// A resource of a catalog.
#[derive(Clone, Debug)]
pub struct CatalogResource {
    /// Type and title; class titles are capitalised, so `Class[main]` is `Class[Main]`.
    pub reference: Reference,
    /// Where it was declared; `None` for classes that were only included.
    pub file: Option<Arc<str>>,
    /// Line of the declaration, from 1.
    pub line: Option<u32>,
    /// Whether it contains others or is a plain resource.
    pub kind: ResourceKind,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its parameters, without those that are undef.
    pub parameters: Parameters,
    /// Parameters that must never be shown.
    pub sensitive: Vec<String>,
}

/// What a catalog resource becomes on an agent (spec 07 §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A type that applies something.
    Native,
    /// A class, define instance or node: contains others.
    Component,
    /// A run stage: contains classes.
    Stage,
}

impl CatalogResource {
    /// `site.pp:12`, or only the file, or nothing.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
    }

    /// The value of a parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&PuppetValue> {
        self.parameters.get(name)
    }

    /// The text of a string parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).and_then(PuppetValue::as_str)
    }

    /// Whether the value must not be shown.
    #[must_use]
    pub fn is_sensitive(&self, name: &str) -> bool {
        self.sensitive.iter().any(|s| s == name) || self.parameters.get(name).is_some_and(PuppetValue::holds_secret)
    }

    /// Whether the type contains others.
    #[must_use]
    pub fn is_container(&self) -> bool {
        self.kind != ResourceKind::Native
    }
}

impl Catalog {
    /// The resource of exactly that type and title.
    #[must_use]
    pub fn find(&self, reference: &Reference) -> Option<ResourceIndex> {
        self.by_reference.get(reference).copied()
    }

    /// Appends a resource; returns the index of an earlier one with the same reference instead, if there is one.
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

/// Reads a catalog. Log lines in front of the JSON (`puppet catalog compile` prints some on stdout) are skipped.
///
/// Returns the catalog with its warnings, or every error that stands by itself: text that is not JSON is one error, two
/// resources of one name are one error a pair.
///
/// # Errors
/// P-diagnostics of the stage `puppet`.
pub fn read_catalog(bytes: &[u8]) -> Result<(Catalog, Vec<Diagnostic>), Vec<Diagnostic>> {
    let json = skip_log_lines(bytes);
    let raw: RawCatalog = serde_json::from_slice(json).map_err(|e| vec![unreadable(&e, bytes, json)])?;
    let Some(resources) = raw.resources.or(raw.data.map(|d| d.resources)) else {
        return Err(vec![
            Diagnostic::error(
                Code::P0101,
                Stage::Puppet,
                "this JSON document is not a Puppet catalog: it has no `resources`",
            )
            .help(HOW_TO_GET_ONE),
        ]);
    };
    build(raw.name, raw.environment, raw.catalog_format.unwrap_or(0), resources, raw.edges, raw.classes)
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
        return Diagnostic::error(Code::P0101, Stage::Puppet, "the catalog is empty")
            .help(format!("a compile that fails may print nothing at all; {HOW_TO_GET_ONE}"));
    }
    let skipped = bytes[..bytes.len() - json.len()].iter().filter(|b| **b == b'\n').count();
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Diagnostic::error(
        Code::P0101,
        Stage::Puppet,
        format!("the catalog is not readable: {what} at line {}, column {}", error.line() + skipped, error.column()),
    )
    .help(HOW_TO_GET_ONE)
}

#[derive(Deserialize)]
struct RawCatalog {
    #[serde(default)]
    name: String,
    #[serde(default)]
    environment: String,
    catalog_format: Option<u32>,
    resources: Option<Vec<RawResource>>,
    #[serde(default)]
    edges: Vec<RawEdge>,
    #[serde(default)]
    classes: Vec<String>,
    /// The envelope of catalogs before Puppet 4.
    data: Option<RawEnvelope>,
}

#[derive(Deserialize)]
struct RawEnvelope {
    resources: Vec<RawResource>,
}

#[derive(Deserialize)]
struct RawResource {
    #[serde(rename = "type")]
    type_name: String,
    title: String,
    #[serde(default)]
    tags: Vec<String>,
    file: Option<String>,
    line: Option<i64>,
    #[serde(default)]
    exported: bool,
    #[serde(default, rename = "virtual")]
    is_virtual: bool,
    kind: Option<String>,
    #[serde(default)]
    parameters: Parameters,
    #[serde(default)]
    sensitive_parameters: Vec<String>,
}

#[derive(Deserialize)]
struct RawEdge {
    source: String,
    target: String,
}

fn build(
    name: String,
    environment: String,
    format: u32,
    resources: Vec<RawResource>,
    edges: Vec<RawEdge>,
    classes: Vec<String>,
) -> Result<(Catalog, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut catalog = Catalog { name, environment, classes, ..Catalog::default() };
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let mut files: FxHashMap<String, Arc<str>> = FxHashMap::default();
    for raw in resources {
        if raw.is_virtual {
            continue;
        }
        let resource = resource(raw, format, &mut files, &mut warnings);
        let again = resource.origin();
        let reference = resource.reference.clone();
        if let Err(earlier) = catalog.add(resource) {
            let first = catalog.resources[earlier].origin();
            let place = |o: Option<String>| o.unwrap_or_else(|| "an unknown place".to_owned());
            errors.push(
                Diagnostic::error(
                    Code::P0102,
                    Stage::Puppet,
                    format!("{reference} is declared twice, at {} and at {}", place(first), place(again)),
                )
                .help("a catalog holds one resource of a type and title; was it edited by hand?"),
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
                    "the catalog says that {} contains {}, but has no {}",
                    edge.source,
                    edge.target,
                    if source.is_none() { edge.source.as_str() } else { edge.target.as_str() }
                ),
            )),
        }
    }
    if errors.is_empty() { Ok((catalog, warnings)) } else { Err(errors) }
}

fn resource(
    raw: RawResource,
    format: u32,
    files: &mut FxHashMap<String, Arc<str>>,
    warnings: &mut Vec<Diagnostic>,
) -> CatalogResource {
    let type_name = capitalize(&raw.type_name);
    let kind = if type_name == "Stage" {
        ResourceKind::Stage
    } else if type_name == "Class" || type_name == "Node" {
        ResourceKind::Component
    } else {
        match raw.kind.as_deref() {
            Some("compilable_type") => ResourceKind::Native,
            Some(_) => ResourceKind::Component,
            // Before Puppet 7 there was no `kind`; with format 2 the key decides, so its absence means an old catalog.
            None if format >= 2 || crate::types::is_native(&type_name) => {
                if crate::types::is_native(&type_name) {
                    ResourceKind::Native
                } else {
                    ResourceKind::Component
                }
            }
            None => ResourceKind::Component,
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
        kind,
        tags: raw.tags,
        parameters,
        sensitive: raw.sensitive_parameters,
    };
    if raw.exported {
        warnings.push(Diagnostic::warning(
            Code::P0104,
            Stage::Puppet,
            format!(
                "{} is exported; it is applied, as an agent does with what its server left in the catalog",
                resource.reference
            ),
        ));
    }
    resource
}
