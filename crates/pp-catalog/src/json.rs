//! The catalog as JSON (spec 07 §1.2, spec 07 §1.7).

use std::io;

use pp_types::{Value, rich_json};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::catalog::Catalog;
use crate::id::ResourceId;
use crate::resource::{ClassForm, Resource, ResourceKind};

/// The number of the wire format.
const CATALOG_FORMAT: u32 = 2;

impl Catalog {
    /// Returns the catalog as JSON, as an agent receives it. Virtual resources are left out.
    ///
    /// `version` is the time of the compilation in seconds since 1970, and `uuid` names it.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    pub fn to_json(&self, version: i64, uuid: &str) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(Document { catalog: self, version, uuid })
    }

    /// Writes what [`Catalog::to_json`] returns, without a copy of it in memory.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json(&self, to: impl io::Write, version: i64, uuid: &str) -> serde_json::Result<()> {
        serde_json::to_writer(to, &Document { catalog: self, version, uuid })
    }

    /// Returns the containment between resources that are not virtual, in the order in which it came about.
    pub fn containment(&self) -> impl Iterator<Item = (ResourceId, ResourceId)> + '_ {
        let visible = |id: ResourceId| !self.resources[id].is_virtual;
        self.edges.iter().copied().filter(move |(container, content)| visible(*container) && visible(*content))
    }
}

struct Document<'a> {
    catalog: &'a Catalog,
    version: i64,
    uuid: &'a str,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Catalog { options, classes, .. } = self.catalog;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tags", &CatalogTags(self.catalog))?;
        map.serialize_entry("name", &*options.node)?;
        map.serialize_entry("version", &self.version)?;
        map.serialize_entry("code_id", &())?;
        map.serialize_entry("catalog_uuid", self.uuid)?;
        map.serialize_entry("catalog_format", &CATALOG_FORMAT)?;
        map.serialize_entry("environment", &*options.environment)?;
        map.serialize_entry("resources", &Resources(self.catalog))?;
        map.serialize_entry("edges", &Edges(self.catalog))?;
        map.serialize_entry("classes", &classes.iter().map(|c| &**c).collect::<Vec<_>>())?;
        map.end()
    }
}

/// The tags of all classes and nodes.
struct CatalogTags<'a>(&'a Catalog);

impl Serialize for CatalogTags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let catalog = self.0;
        let mut seen = rustc_hash::FxHashSet::default();
        let mut tags = serializer.serialize_seq(None)?;
        let mut add = |tag: &str, tags: &mut S::SerializeSeq| {
            if seen.insert(tag.to_owned()) { tags.serialize_element(tag) } else { Ok(()) }
        };
        for name in &catalog.classes {
            add(name, &mut tags)?;
            for segment in name.split("::") {
                add(segment, &mut tags)?;
            }
        }
        add("class", &mut tags)?;
        if catalog.resources.values().any(|r| r.kind == ResourceKind::Node) {
            add("node", &mut tags)?;
        }
        tags.end()
    }
}

struct Resources<'a>(&'a Catalog);

impl Serialize for Resources<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let catalog = self.0;
        let visible = catalog.resources.iter().filter(|(_, resource)| !resource.is_virtual);
        serializer.collect_seq(visible.map(|(id, resource)| ResourceJson { catalog, id, resource }))
    }
}

struct ResourceJson<'a> {
    catalog: &'a Catalog,
    id: ResourceId,
    resource: &'a Resource,
}

impl Serialize for ResourceJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ResourceJson { catalog, id, resource } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &*resource.reference.type_name)?;
        map.serialize_entry("title", &*resource.reference.title)?;
        let tags = catalog.tags(id).map(|t| &**t).collect::<Vec<_>>();
        map.serialize_entry("tags", &tags)?;
        if resource.location.line > 0 {
            map.serialize_entry("file", resource.location.file.as_deref().unwrap_or(""))?;
            map.serialize_entry("line", &resource.location.line)?;
        }
        map.serialize_entry("exported", &resource.exported)?;
        map.serialize_entry("kind", kind(resource.kind))?;
        let parameters = ParametersJson { catalog, id, resource };
        if parameters.iter().next().is_some() {
            map.serialize_entry("parameters", &parameters)?;
        }
        if !resource.sensitive.is_empty() {
            let names = resource.sensitive.iter().map(|n| &**n).collect::<Vec<_>>();
            map.serialize_entry("sensitive_parameters", &names)?;
        }
        map.end()
    }
}

fn kind(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Native => "compilable_type",
        ResourceKind::Define => "defined_type",
        ResourceKind::Class(ClassForm::Declared) => "class",
        ResourceKind::Class(ClassForm::Included) | ResourceKind::Node => "unknown",
    }
}

struct ParametersJson<'a> {
    catalog: &'a Catalog,
    id: ResourceId,
    resource: &'a Resource,
}

impl<'a> ParametersJson<'a> {
    /// Returns the parameters that have a value, but for a name attribute that says what the title says.
    fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let native = self.catalog.options.types.find(&self.resource.reference.type_name);
        let named = (self.resource.kind == ResourceKind::Native && self.id > Catalog::MAIN_CLASS)
            .then_some(native)
            .flatten()
            .map(|native| native.namevar());
        let title = &self.resource.reference.title;
        self.resource.parameters.iter().map(|p| (&*p.name, &p.value)).filter(move |(name, value)| {
            let is_title = named == Some(*name) && matches!(value, Value::String(text) if text == title);
            **value != Value::Undef && !is_title
        })
    }
}

impl Serialize for ParametersJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, value)| (name, Rich(value))))
    }
}

/// A value as rich data. Common values are written without a copy.
struct Rich<'a>(&'a Value);

impl Serialize for Rich<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Undef => serializer.serialize_unit(),
            Value::Boolean(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => serializer.serialize_i64(*value),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                stacker::maybe_grow(RED_ZONE, STACK_SIZE, || serializer.collect_seq(items.iter().map(Rich)))
            }
            other => rich_json(other).serialize(serializer).map_err(S::Error::custom),
        }
    }
}

/// How much stack must be left for one more level of a value, in bytes.
const RED_ZONE: usize = 64 * 1024;

/// The size of a further piece of stack, in bytes.
const STACK_SIZE: usize = 1024 * 1024;

struct Edges<'a>(&'a Catalog);

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |id: ResourceId| self.0.resources[id].reference.to_string();
        serializer.collect_seq(
            self.0.containment().map(|(container, content)| Edge { source: text(container), target: text(content) }),
        )
    }
}

#[derive(Serialize)]
struct Edge {
    source: String,
    target: String,
}
