//! The catalog as JSON (spec 07 §1.2, spec 07 §1.7).

use std::borrow::Cow;
use std::io;

use pp_types::{Hash, Type, Value, is_nested_deeper_than, rich_json, with_stack};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

use crate::catalog::Catalog;
use crate::id::ResourceId;
use crate::reference::Reference;
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

    /// Returns the containment between resources that are not virtual, as pairs of container and content, in the order of the
    /// contents.
    pub fn containment(&self) -> impl Iterator<Item = (ResourceId, ResourceId)> + '_ {
        let visible = self.resources.iter().filter(|(_, resource)| !resource.is_virtual);
        visible.flat_map(|(id, resource)| {
            let containers = resource.containers.iter().filter(|container| !self.resources[**container].is_virtual);
            containers.map(move |container| (*container, id))
        })
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
        let tags = self.catalog.class_tags.iter().map(|tag| &**self.catalog.tags.name(tag));
        map.serialize_entry("tags", &tags.collect::<Vec<_>>())?;
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
        map.serialize_entry("tags", &Tags { catalog, id })?;
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

struct Tags<'a> {
    catalog: &'a Catalog,
    id: ResourceId,
}

impl Serialize for Tags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.catalog.tags(self.id).map(|tag| &**tag))
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
    /// Returns the parameters that have a value, except a name attribute that repeats the title. The name attribute
    /// comes first, also where it is set as `name`; that of a file whose title ends in slashes is the path without them.
    fn iter(&self) -> impl Iterator<Item = (&'a str, Cow<'a, Value>)> {
        let native = self.catalog.options.types.find(&self.resource.reference.type_name);
        let is_native = self.resource.kind == ResourceKind::Native && self.id > Catalog::MAIN_CLASS;
        let native = native.filter(|_| is_native);
        let named = native.map(|native| native.namevar());
        let title = &self.resource.reference.title;
        let parameters = &self.resource.parameters;
        let name = named.and_then(|attribute| {
            let given = parameters.name_value(attribute).map(Cow::Borrowed);
            let from_title = || native?.name_in_title(title).map(|name| Cow::Owned(Value::from(name)));
            given.or_else(from_title).map(|value| (attribute, value))
        });
        let is_title = move |value: &Value| matches!(value, Value::String(text) if text == title);
        // What the title says comes before what is set.
        let parts = native.map(|native| native.parts_of_title(title)).unwrap_or_default();
        let is_part: Vec<&str> = parts.iter().map(|(part, _)| *part).collect();
        let from_title = parts.into_iter().map(move |(part, text)| match parameters.value(part) {
            Some(given) if *given != Value::Undef => (part, Cow::Borrowed(given)),
            _ => (part, Cow::Owned(Value::String(text))),
        });
        let from_title = from_title.filter(move |(part, value)| named != Some(*part) || !is_title(value));
        let name = name.filter(|(attribute, value)| !is_part.contains(attribute) && !is_title(value));
        let is_name = move |name: &str| named == Some(name) || (named.is_some() && name == "name");
        let others = parameters.iter();
        let others =
            others.filter(move |p| p.value != Value::Undef && !is_name(&p.name) && !is_part.contains(&&*p.name));
        let others = others.map(|p| (&*p.name, Cow::Borrowed(&p.value)));
        from_title.chain(name).chain(others)
    }
}

impl Serialize for ParametersJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, value)| (name, Shown(value))))
    }
}

/// A value that may be made for the JSON only.
struct Shown<'a>(Cow<'a, Value>);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Rich(&self.0).serialize(serializer)
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
            Value::Float(value) if value.0.is_finite() => serializer.serialize_f64(value.0),
            Value::String(text) => serializer.serialize_str(text),
            Value::Type(Type::Resource(Some(_), Some(_)) | Type::Class(Some(_))) => match Reference::from_value(self.0)
            {
                Ok(reference) => serializer.collect_str(&reference),
                Err(invalid) => Err(S::Error::custom(invalid)),
            },
            Value::Hash(hash) if is_plain(hash) => with_stack(|| {
                let entries = hash.iter().filter_map(|(key, value)| match key {
                    Value::String(key) => Some((&**key, Rich(value))),
                    _ => None,
                });
                serializer.collect_map(entries)
            }),
            Value::Array(items) => with_stack(|| serializer.collect_seq(items.iter().map(Rich))),
            other if is_nested_deeper_than(other, MAX_RICH_DEPTH) => {
                Err(S::Error::custom(format!("a value is nested more than {MAX_RICH_DEPTH} levels deep")))
            }
            other => rich_json(other).serialize(serializer).map_err(S::Error::custom),
        }
    }
}

/// Returns whether a hash is a plain JSON object.
fn is_plain(hash: &Hash) -> bool {
    hash.keys().all(|key| matches!(key, Value::String(key) if &**key != "__ptype"))
}

/// How deep values may be nested within one that is not plain JSON.
const MAX_RICH_DEPTH: usize = 1000;

struct Edges<'a>(&'a Catalog);

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end = |id: ResourceId| EdgeEnd(&self.0.resources[id].reference);
        let edges = self.0.containment();
        serializer.collect_seq(edges.map(|(container, content)| Edge { source: end(container), target: end(content) }))
    }
}

#[derive(Serialize)]
struct Edge<'a> {
    source: EdgeEnd<'a>,
    target: EdgeEnd<'a>,
}

struct EdgeEnd<'a>(&'a Reference);

impl Serialize for EdgeEnd<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}
