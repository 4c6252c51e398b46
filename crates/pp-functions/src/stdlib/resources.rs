//! Functions that declare resources unless they exist, and that look at resources.

use pp_types::{Hash, Type, Value, interpolate};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::class_name;

pub(crate) static ENSURE_RESOURCE: Function = Function::counted(
    "ensure_resource",
    0,
    None,
    "Declares a resource with the attributes unless one with the same title and these attributes exists. The title may be an \
     array of titles.",
    |call| {
        let (type_name, titles) = match call.arguments {
            [] => return Err(reject("ensure_resource(): Must specify a type")),
            [_] => return Err(reject("Must specify a title")),
            [type_name, titles, ..] => (interpolate(type_name), titles),
        };
        let empty = Hash::default();
        let attributes = match call.arguments.get(2) {
            None => &empty,
            Some(Value::Hash(attributes)) => &attributes.0,
            Some(other) => return Err(no_hash(other)),
        };
        let titles = if let Value::Array(titles) = titles { titles.as_slice() } else { std::slice::from_ref(titles) };
        for title in titles {
            ensure(call, &type_name, title, attributes)?;
        }
        Ok(Value::Undef)
    },
);

fn no_hash(value: &Value) -> Interrupt {
    reject(format!("no implicit conversion of {} into Hash", class_name(value)))
}

pub(crate) static ENSURE_RESOURCES: Function = Function::counted(
    "ensure_resources",
    0,
    None,
    "Does what `ensure_resource` does for each title of a hash of titles to attributes. A third argument has attributes for \
     all of them.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("Must specify a type"));
        }
        let type_name = call.text(0);
        let Value::Hash(resources) = call.argument(1) else {
            return Err(reject("ensure_resources(): Requires second argument to be a Hash"));
        };
        let defaults = match call.arguments.get(2) {
            None => Hash::default(),
            Some(Value::Hash(defaults)) => defaults.0.clone(),
            Some(_) if resources.is_empty() => return Ok(Value::Undef),
            Some(other) => return Err(no_hash(other)),
        };
        for (title, attributes) in resources.iter() {
            let Value::Hash(attributes) = attributes else { return Err(no_hash(attributes)) };
            ensure(call, &type_name, title, &merged(&defaults, attributes))?;
        }
        Ok(Value::Undef)
    },
);

fn merged(defaults: &Hash, attributes: &Hash) -> Hash {
    let mut merged = defaults.clone();
    merged.extend(attributes.iter().map(|(name, value)| (name.clone(), value.clone())));
    merged
}

pub(crate) static ENSURE_PACKAGES: Function = Function::typed(
    "ensure_packages",
    &[
        "Variant[String[1], Array[String[1]]] packages, Hash ?default_attributes",
        "Hash[String[1], Any] packages, Hash ?default_attributes",
    ],
    "Declares packages unless they exist with these attributes. `ensure` is `installed` unless it is given.",
    |call| {
        let mut defaults = Hash::default();
        defaults.insert("ensure".into(), "installed".into());
        if let Some(given) = call.hash(1) {
            defaults = merged(&defaults, given);
        }
        match call.argument(0) {
            Value::Hash(packages) => {
                for (title, attributes) in packages.iter() {
                    let attributes = match attributes {
                        Value::Hash(attributes) => merged(&defaults, attributes),
                        _ => defaults.clone(),
                    };
                    ensure(call, "package", title, &installed(attributes))?;
                }
            }
            Value::Array(titles) => {
                for title in titles.iter() {
                    ensure(call, "package", title, &installed(defaults.clone()))?;
                }
            }
            title => ensure(call, "package", title, &installed(defaults))?,
        }
        Ok(Value::Undef)
    },
);

/// Replaces `present`, which means the same for packages, by `installed`.
fn installed(mut attributes: Hash) -> Hash {
    if let Some(ensure) = attributes.get_mut(&Value::from("ensure"))
        && *ensure == Value::from("present")
    {
        *ensure = "installed".into();
    }
    attributes
}

/// Declares a resource unless it exists with the attributes.
fn ensure(call: &mut Call<'_>, type_name: &str, title: &Value, attributes: &Hash) -> Result<(), Interrupt> {
    let text = interpolate(title);
    let existing = call.host.resource_attributes(type_name.trim_start_matches('@'), &text);
    if existing.is_some_and(|existing| has_attributes(&existing, attributes)) {
        return Ok(());
    }
    let mut resources = Hash::default();
    let title = if let Value::Integer(_) = title { title.clone() } else { Value::string(text) };
    resources.insert(title, Value::hash(attributes.clone()));
    call.host.create_resources(type_name, &resources, &Hash::default())?;
    Ok(())
}

/// Whether a resource has all the attributes; `undef` stands for one that is not set.
fn has_attributes(existing: &Hash, wanted: &Hash) -> bool {
    wanted.iter().all(|(name, value)| existing.get(name).unwrap_or(&Value::Undef) == value)
}

pub(crate) static DEFINED_WITH_PARAMS: Function = Function::counted(
    "defined_with_params",
    0,
    None,
    "Returns whether a resource with at least the given attributes has been declared.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("Must specify a reference"));
        }
        let (type_name, title) = reference(call.argument(0))?;
        let existing = call.host.resource_attributes(&type_name, &title);
        let none = Hash::default();
        let wanted = call.hash(1).unwrap_or(&none);
        Ok(Value::Boolean(existing.is_some_and(|existing| has_attributes(&existing, wanted))))
    },
);

pub(crate) static GETPARAM: Function = Function::counted(
    "getparam",
    0,
    None,
    "Returns the value of an attribute of a declared resource, or an empty string.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("Must specify a reference"));
        }
        if call.arguments.len() == 1 {
            return Err(reject("Must specify name of a parameter"));
        }
        let (type_name, title) = reference(call.argument(0))?;
        let found = call.host.resource_attributes(&type_name, &title);
        let value = found.and_then(|attributes| attributes.get(call.argument(1)).cloned());
        Ok(value.unwrap_or_else(|| "".into()))
    },
);

/// Returns type and title of a reference, or of a string that looks like one.
fn reference(value: &Value) -> Result<(String, String), Interrupt> {
    let parts = match value {
        Value::Type(Type::Resource(Some(ty), Some(title))) => Some((ty.to_string(), title.to_string())),
        Value::Type(Type::Class(Some(name))) => Some(("Class".to_owned(), name.to_string())),
        Value::String(text) => text
            .strip_suffix(']')
            .and_then(|text| text.split_once('['))
            .map(|(ty, title)| (ty.to_owned(), title.trim_matches(['\'', '"']).to_owned())),
        _ => None,
    };
    parts.ok_or_else(|| fail(format!("'{}' is not a reference to a resource", interpolate(value))))
}

pub(crate) static FACT: Function = Function::typed(
    "fact",
    &["String fact_name"],
    "Returns a fact, or what a path such as `os.name` leads to in it; `undef` if it is missing.",
    |call| {
        let facts = call.host.variable("::facts").unwrap_or(Value::Undef);
        let found = fact_path(call.string(0)).try_fold(facts, |value, part| match value {
            Value::Hash(entries) => entries.get(&Value::from(part)).cloned(),
            Value::Array(values) => values.get(part.parse::<usize>().ok()?).cloned(),
            _ => None,
        });
        Ok(found.unwrap_or(Value::Undef))
    },
);

/// Splits `os."release".full`: parts may be in double quotes, empty ones do not count.
fn fact_path(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('.');
        let (part, after) = match rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some(parts) => parts,
            None => rest.split_once('.').unwrap_or((rest, "")),
        };
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

pub(crate) static ASSERT_PRIVATE: Function = Function::counted(
    "assert_private",
    0,
    Some(1),
    "Fails if the class or define is declared from outside its module.",
    |call| {
        let mut name = |variable: &str| call.host.variable(variable).map(|name| interpolate(&name)).unwrap_or_default();
        let (module, caller) = (name("module_name"), name("caller_module_name"));
        if !module.is_empty() && module == caller {
            return Ok(Value::Undef);
        }
        let title = name("title");
        match call.argument(0) {
            Value::Undef => Err(fail(format!("Class {title} is private"))),
            message => Err(fail(interpolate(message))),
        }
    },
);
