//! The JSON of a catalog as it is written (spec 07 §1): known keys are read, others are skipped.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::json_object::{Slot, UniqueEntries, UnusedKeys};
use crate::value::{Parameters, PuppetValue};

/// A catalog document.
#[derive(Default)]
pub(crate) struct RawCatalog {
    pub(crate) name: String,
    pub(crate) environment: String,
    pub(crate) resources: Option<Vec<RawResource>>,
    pub(crate) edges: Vec<RawEdge>,
    pub(crate) classes: Vec<String>,
    /// The catalog in the envelope of releases before Puppet 4.
    pub(crate) data: Option<Box<RawCatalog>>,
}

/// A resource of a catalog document.
pub(crate) struct RawResource {
    pub(crate) type_name: String,
    pub(crate) title: String,
    pub(crate) tags: Vec<String>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<i64>,
    pub(crate) exported: bool,
    pub(crate) is_virtual: bool,
    pub(crate) kind: Option<String>,
    pub(crate) parameters: Parameters,
    pub(crate) sensitive_parameters: Vec<String>,
}

/// A containment edge of a catalog document.
pub(crate) struct RawEdge {
    pub(crate) source: String,
    pub(crate) target: String,
}

impl<'de> Deserialize<'de> for RawCatalog {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawCatalog, D::Error> {
        deserializer.deserialize_map(CatalogVisitor)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum CatalogKey {
    Name,
    Environment,
    Resources,
    Edges,
    Classes,
    Data,
    Unused(String),
}

struct CatalogVisitor;

impl<'de> Visitor<'de> for CatalogVisitor {
    type Value = RawCatalog;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a catalog")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawCatalog, A::Error> {
        let (mut name, mut environment) = (Slot::EMPTY, Slot::EMPTY);
        let (mut resources, mut edges, mut classes, mut data) = (Slot::EMPTY, Slot::EMPTY, Slot::EMPTY, Slot::EMPTY);
        let mut unused = UnusedKeys::default();
        while let Some(key) = map.next_key()? {
            match key {
                CatalogKey::Name => name.read("name", &mut map)?,
                CatalogKey::Environment => environment.read("environment", &mut map)?,
                CatalogKey::Resources => resources.read("resources", &mut map)?,
                CatalogKey::Edges => edges.read("edges", &mut map)?,
                CatalogKey::Classes => classes.read("classes", &mut map)?,
                CatalogKey::Data => data.read("data", &mut map)?,
                CatalogKey::Unused(key) => unused.skip(key, &mut map)?,
            }
        }
        Ok(RawCatalog {
            name: name.value().unwrap_or_default(),
            environment: environment.value().unwrap_or_default(),
            resources: resources.value().flatten(),
            edges: edges.value().unwrap_or_default(),
            classes: classes.value().unwrap_or_default(),
            data: data.value().flatten(),
        })
    }
}

impl<'de> Deserialize<'de> for RawResource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawResource, D::Error> {
        deserializer.deserialize_map(ResourceVisitor)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum ResourceKey {
    Type,
    Title,
    Tags,
    File,
    Line,
    Exported,
    Virtual,
    Kind,
    Parameters,
    SensitiveParameters,
    Unused(String),
}

struct ResourceVisitor;

impl<'de> Visitor<'de> for ResourceVisitor {
    type Value = RawResource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a resource")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawResource, A::Error> {
        let (mut type_name, mut title, mut tags, mut kind) = (Slot::EMPTY, Slot::EMPTY, Slot::EMPTY, Slot::EMPTY);
        let (mut file, mut line, mut exported, mut is_virtual) = (Slot::EMPTY, Slot::EMPTY, Slot::EMPTY, Slot::EMPTY);
        let mut parameters: Slot<UniqueEntries<PuppetValue>> = Slot::EMPTY;
        let mut sensitive_parameters = Slot::EMPTY;
        let mut unused = UnusedKeys::default();
        while let Some(key) = map.next_key()? {
            match key {
                ResourceKey::Type => type_name.read("type", &mut map)?,
                ResourceKey::Title => title.read("title", &mut map)?,
                ResourceKey::Tags => tags.read("tags", &mut map)?,
                ResourceKey::File => file.read("file", &mut map)?,
                ResourceKey::Line => line.read("line", &mut map)?,
                ResourceKey::Exported => exported.read("exported", &mut map)?,
                ResourceKey::Virtual => is_virtual.read("virtual", &mut map)?,
                ResourceKey::Kind => kind.read("kind", &mut map)?,
                ResourceKey::Parameters => parameters.read("parameters", &mut map)?,
                ResourceKey::SensitiveParameters => sensitive_parameters.read("sensitive_parameters", &mut map)?,
                ResourceKey::Unused(key) => unused.skip(key, &mut map)?,
            }
        }
        Ok(RawResource {
            type_name: type_name.required("type")?,
            title: title.required("title")?,
            tags: tags.value().unwrap_or_default(),
            file: file.value().flatten(),
            line: line.value().flatten(),
            exported: exported.value().unwrap_or_default(),
            is_virtual: is_virtual.value().unwrap_or_default(),
            kind: kind.value().flatten(),
            parameters: parameters.value().map(|entries| entries.0).unwrap_or_default(),
            sensitive_parameters: sensitive_parameters.value().unwrap_or_default(),
        })
    }
}

impl<'de> Deserialize<'de> for RawEdge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawEdge, D::Error> {
        deserializer.deserialize_map(EdgeVisitor)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum EdgeKey {
    Source,
    Target,
    Unused(String),
}

struct EdgeVisitor;

impl<'de> Visitor<'de> for EdgeVisitor {
    type Value = RawEdge;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an edge")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawEdge, A::Error> {
        let (mut source, mut target) = (Slot::EMPTY, Slot::EMPTY);
        let mut unused = UnusedKeys::default();
        while let Some(key) = map.next_key()? {
            match key {
                EdgeKey::Source => source.read("source", &mut map)?,
                EdgeKey::Target => target.read("target", &mut map)?,
                EdgeKey::Unused(key) => unused.skip(key, &mut map)?,
            }
        }
        Ok(RawEdge { source: source.required("source")?, target: target.required("target")? })
    }
}
