//! Sets of types with a version: `type Vehicle = TypeSet[{ pcore_version => '1.0.0', version => '1.2.0', types => { … } }]`
//! (spec 07 §5.6).

use std::sync::{Arc, OnceLock};

use crate::error::{Error, ErrorKind};
use crate::instance::is_instance;
use crate::mismatch::describe_mismatch;
use crate::parse::parse_type;
use crate::semver::{SemVer, SemVerRange};
use crate::types::Type;
use crate::value::{Hash, Value};

/// `TypeSet[{…}]`
#[derive(Debug)]
pub struct TypeSet {
    /// The name; `None` for a set that is not named.
    pub name: Option<Arc<str>>,
    /// The version of the set.
    pub version: Option<SemVer>,
    /// The types by their names in the set.
    pub types: Vec<(Arc<str>, Type)>,
    /// What the program has written, with the name, in the order in which it is printed.
    pub(crate) definition: Hash,
}

/// Another set that the types of a set refer to.
#[derive(Clone, Debug)]
pub struct TypeSetReference {
    /// The name that the set has for it.
    pub alias: Arc<str>,
    /// The name of the other set.
    pub name: Arc<str>,
    /// The versions of the other set that will do.
    pub versions: SemVerRange,
}

/// The type of definitions; the types of the set are not part of it.
const DEFINITION: &str = r"Struct[{
    Optional['pcore_uri'] => Variant[String, URI],
    'pcore_version' => Variant[String, SemVer],
    Optional['name_authority'] => Variant[String, URI],
    Optional['name'] => Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/],
    Optional['version'] => Variant[String, SemVer],
    Optional['types'] => Hash[Pattern[/\A[A-Z]\w*\z/], Any, 1],
    Optional['references'] => Hash[Pattern[/\A[A-Z]\w*\z/], Struct[{
        'name' => Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/],
        'version_range' => Variant[String, SemVerRange],
        Optional['name_authority'] => Variant[String, URI],
        Optional['annotations'] => Hash
    }]],
    Optional['annotations'] => Hash
}]";

/// Keys in the order in which a set is printed.
const KEYS: [&str; 8] =
    ["annotations", "pcore_uri", "pcore_version", "name_authority", "name", "version", "types", "references"];

/// The authority of names that programs define.
const AUTHORITY: &str = "http://puppet.com/2016.1/runtime";

/// Checks the definition of a set before its types are known, and returns the sets that it refers to. In `definition`, the value of
/// `types` may have anything for each type.
///
/// # Errors
/// What is wrong with the definition, with Puppet's text.
pub fn check_type_set(name: &str, definition: &Hash) -> Result<Vec<TypeSetReference>, Error> {
    static SCHEMA: OnceLock<Result<Type, Error>> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| parse_type(DEFINITION, &|_| None)).as_ref().map_err(Clone::clone)?;
    let value = Value::hash(definition.clone());
    if !is_instance(schema, &value) {
        return Err(error(describe_mismatch("TypeSet initializer has wrong type,", schema, &value)));
    }
    if let Some(pcore) = version(definition, "pcore_version")?
        && pcore.major != 1
    {
        return Err(error(format!(
            "The pcore version for TypeSet '{name}' is not understood by this runtime. Expected range 1.x, got {pcore}"
        )));
    }
    version(definition, "version")?;
    let mut references = Vec::new();
    for (alias, reference) in hash_at(definition, "references").into_iter().flat_map(Hash::iter) {
        let (Value::String(alias), Value::Hash(reference)) = (alias, reference) else { continue };
        if hash_at(definition, "types").is_some_and(|types| types.contains_key(&Value::String(alias.clone()))) {
            return Err(error(format!(
                "TypeSet '{name}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type"
            )));
        }
        let (Some(Value::String(target)), Some(versions)) =
            (reference.get(&Value::from("name")), reference.get(&Value::from("version_range")))
        else {
            continue;
        };
        let versions = match versions {
            Value::SemVerRange(versions) => SemVerRange::clone(versions),
            other => SemVerRange::parse(&crate::text::interpolate(other))?,
        };
        references.push(TypeSetReference { alias: alias.clone(), name: target.clone(), versions });
    }
    Ok(references)
}

/// Makes a set of its definition, which was checked, and its types.
///
/// # Errors
/// A version that is not one.
pub fn define_type_set(name: Option<&str>, definition: &Hash, types: Vec<(Arc<str>, Type)>) -> Result<TypeSet, Error> {
    let version = version(definition, "version")?;
    let mut parts = definition.clone();
    let written = match definition.get(&Value::from("name")) {
        Some(Value::String(name)) => Some(Arc::clone(name)),
        _ => None,
    };
    if name.is_some() {
        parts.insert("name_authority".into(), AUTHORITY.into());
    }
    let name = name.map(Arc::from).or(written);
    parts.insert("name".into(), name.clone().map_or(Value::Undef, Value::String));
    Ok(TypeSet { name, version, types, definition: in_order(&parts) })
}

/// Makes a set that an expression has written, which has no name for its types.
pub(crate) fn anonymous_type_set(definition: &Hash) -> Result<TypeSet, Error> {
    check_type_set("", definition)?;
    let types = hash_at(definition, "types").into_iter().flat_map(Hash::iter);
    let types = types.filter_map(|(name, ty)| match (name, ty) {
        (Value::String(name), Value::Type(ty)) => Some((name.clone(), ty.clone())),
        _ => None,
    });
    define_type_set(None, definition, types.collect())
}

impl TypeSet {
    /// Returns the name, as messages show it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("TypeSet")
    }
}

fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::TypeParameters, message)
}

fn hash_at<'a>(definition: &'a Hash, key: &str) -> Option<&'a Hash> {
    match definition.get(&Value::from(key)) {
        Some(Value::Hash(entries)) => Some(&***entries),
        _ => None,
    }
}

fn version(definition: &Hash, key: &str) -> Result<Option<SemVer>, Error> {
    match definition.get(&Value::from(key)) {
        Some(Value::String(text)) => match SemVer::parse(text) {
            Some(version) => Ok(Some(version)),
            None => Err(error(format!("Unable to parse '{text}' as a semantic version identifier"))),
        },
        Some(Value::SemVer(version)) => Ok(Some(SemVer::clone(version))),
        _ => Ok(None),
    }
}

fn in_order(parts: &Hash) -> Hash {
    let part = |key: &&str| Some((Value::from(*key), parts.get(&Value::from(*key))?.clone()));
    KEYS.iter().filter_map(part).collect()
}

impl PartialEq for TypeSet {
    fn eq(&self, other: &TypeSet) -> bool {
        std::ptr::eq(self, other) || self.name == other.name && self.definition == other.definition
    }
}

impl Eq for TypeSet {}

impl std::hash::Hash for TypeSet {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        state.write_usize(self.types.len());
    }
}
