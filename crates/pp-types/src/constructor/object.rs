//! `SemVer`, `SemVerRange`, `URI`, `Sensitive`, `Type`, `Deferred`, `Error`.

use std::sync::Arc;

use crate::constructor::error::conversion_error;
use crate::constructor::signatures;
use crate::error::{Error, ErrorKind};
use crate::parse::parse_type;
use crate::semver::{SemVer, SemVerRange};
use crate::uri::Uri;
use crate::value::{Deferred, ErrorValue, Hash, Value, entry};

const VERSION_ALIASES: &[(&str, &str)] = &[
    ("PositiveInteger", "Integer[0]"),
    ("SemVerQualifier", "Pattern[/\\A(?<part>[0-9A-Za-z-]+)(?:\\.\\g<part>)*\\Z/]"),
    (
        "SemVerPattern",
        "Pattern[/\\A(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?\
         (?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?\\Z/]",
    ),
    (
        "SemVerHash",
        "Struct[{'major' => PositiveInteger, 'minor' => PositiveInteger, 'patch' => PositiveInteger, \
         Optional['prerelease'] => SemVerQualifier, Optional['build'] => SemVerQualifier}]",
    ),
];

const VERSION_SIGNATURES: &[&str] = &[
    "SemVerPattern str",
    "PositiveInteger major, PositiveInteger minor, PositiveInteger patch, SemVerQualifier ?prerelease, \
     SemVerQualifier ?build",
    "SemVerHash hash_args",
];

fn text(value: Option<&Value>) -> Option<Arc<str>> {
    match value {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}

pub(super) fn version(arguments: &[Value]) -> Result<Value, Error> {
    let rejected = || signatures::rejected("new_Version", VERSION_ALIASES, VERSION_SIGNATURES, arguments);
    let parts: [Option<&Value>; 5] = match arguments {
        [Value::SemVer(version)] => return Ok(Value::SemVer(version.clone())),
        [Value::String(source)] => return Ok(Value::SemVer(Arc::new(SemVer::from_argument(source)?))),
        [Value::Hash(entries)] => {
            let names = ["major", "minor", "patch", "prerelease", "build"];
            if entries.keys().any(|key| !matches!(key, Value::String(name) if names.contains(&&**name))) {
                return Err(rejected());
            }
            names.map(|name| entry(entries, name))
        }
        arguments if (3..=5).contains(&arguments.len()) => std::array::from_fn(|at| arguments.get(at)),
        _ => return Err(rejected()),
    };
    let number = |part: Option<&Value>| match part {
        Some(Value::Integer(number)) => u64::try_from(*number).ok(),
        _ => None,
    };
    let qualifier = |part: Option<&Value>| match part {
        None | Some(Value::Undef) => Some(None),
        Some(Value::String(text)) if crate::semver::is_qualifier(text) => Some(Some(text.clone())),
        Some(_) => None,
    };
    match (number(parts[0]), number(parts[1]), number(parts[2]), qualifier(parts[3]), qualifier(parts[4])) {
        (Some(major), Some(minor), Some(patch), Some(prerelease), Some(build)) => {
            Ok(Value::SemVer(Arc::new(SemVer { major, minor, patch, prerelease, build })))
        }
        _ => Err(rejected()),
    }
}

const RANGE_ALIASES: &[(&str, &str)] = &[
    ("SemVerRangeString", "String[1]"),
    (
        "SemVerRangeHash",
        "Struct[{'min' => Variant[Default, SemVer], Optional['max'] => Variant[Default, SemVer], \
         Optional['exclude_max'] => Boolean}]",
    ),
];

const RANGE_SIGNATURES: &[&str] = &[
    "SemVerRangeString str",
    "Variant[Default, SemVer] min, Variant[Default, SemVer] max, Boolean ?exclude_max",
    "SemVerRangeHash hash_args",
];

pub(super) fn version_range(arguments: &[Value]) -> Result<Value, Error> {
    if let [range @ Value::SemVerRange(_)] = arguments {
        return Ok(range.clone());
    }
    if !signatures::accepts(RANGE_ALIASES, RANGE_SIGNATURES, arguments) {
        return Err(signatures::rejected("new_VersionRange", RANGE_ALIASES, RANGE_SIGNATURES, arguments));
    }
    let (min, max, excludes_max) = match arguments {
        [Value::String(source)] => return Ok(Value::SemVerRange(Arc::new(SemVerRange::parse(source)?))),
        [Value::Hash(entries)] => (entry(entries, "min"), entry(entries, "max"), entry(entries, "exclude_max")),
        arguments => (arguments.first(), arguments.get(1), arguments.get(2)),
    };
    let bound = |bound: Option<&Value>| match bound {
        Some(Value::SemVer(version)) => Some(version.clone()),
        _ => None,
    };
    let excludes_max = excludes_max == Some(&Value::Boolean(true));
    let range = SemVerRange::between(bound(min).as_deref(), bound(max).as_deref(), excludes_max);
    Ok(Value::SemVerRange(Arc::new(range)))
}

const URI_SIGNATURES: &[&str] = &[
    "String[1] uri",
    "Struct[{Optional['scheme'] => String[1], Optional['userinfo'] => String[1], Optional['host'] => String[1], \
     Optional['port'] => Integer[0], Optional['path'] => String[1], Optional['query'] => String[1], \
     Optional['fragment'] => String[1], Optional['opaque'] => String[1]}] hash",
];

pub(super) fn uri(arguments: &[Value]) -> Result<Value, Error> {
    if let [uri @ Value::Uri(_)] = arguments {
        return Ok(uri.clone());
    }
    if !signatures::accepts(&[], URI_SIGNATURES, arguments) {
        // Puppet's own name for this constructor.
        return Err(signatures::rejected("new_error", &[], URI_SIGNATURES, arguments));
    }
    let source = match arguments {
        [Value::String(source)] => source.to_string(),
        [Value::Hash(parts)] => uri_of_parts(parts),
        _ => String::new(),
    };
    Ok(Value::Uri(Arc::new(Uri::parse(&source)?)))
}

fn uri_of_parts(parts: &Hash) -> String {
    let part = |name: &str| entry(parts, name).map(crate::text::interpolate);
    let mut out = String::new();
    let mut add = |before: &str, part: Option<String>, after: &str| {
        if let Some(part) = part {
            out.push_str(before);
            out.push_str(&part);
            out.push_str(after);
        }
    };
    let default_port = part("scheme").and_then(|scheme| crate::uri::default_port(&scheme)).map(|port| port.to_string());
    add("", part("scheme"), ":");
    add("", part("opaque"), "");
    if let Some(host) = part("host") {
        add("//", part("userinfo").map(|user| format!("{user}@")).or(Some(String::new())), "");
        add("", Some(host), "");
        add(":", part("port").filter(|port| Some(port) != default_port.as_ref()), "");
    }
    add("", part("path"), "");
    add("?", part("query"), "");
    add("#", part("fragment"), "");
    out
}

pub(super) fn sensitive(arguments: &[Value]) -> Result<Value, Error> {
    match arguments {
        [value @ Value::Sensitive(_)] => Ok(value.clone()),
        [value] => Ok(Value::Sensitive(Arc::new(value.clone()))),
        _ => Err(signatures::rejected("new_Sensitive", &[], &["Any value"], arguments)),
    }
}

pub(super) fn type_from_text(arguments: &[Value]) -> Result<Value, Error> {
    match arguments {
        [ty @ Value::Type(_)] => Ok(ty.clone()),
        [Value::String(source)] => match parse_type(source, &|_| None) {
            Ok(ty) => Ok(Value::Type(ty)),
            Err(error) if error.kind == ErrorKind::Syntax => Err(error),
            Err(_) => {
                let message = format!("The expression <{source}> is not a valid type specification.");
                Err(conversion_error(message))
            }
        },
        _ => Err(signatures::rejected("new_type", &[], &["String type_string"], arguments)),
    }
}

const DEFERRED_SIGNATURES: &[&str] = &[
    "Struct[{'name' => Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/], 'arguments' => Optional[Array]}] hash",
    "Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/] name, Optional[Array] ?arguments",
];

pub(super) fn deferred(arguments: &[Value]) -> Result<Value, Error> {
    if let [deferred @ Value::Deferred(_)] = arguments {
        return Ok(deferred.clone());
    }
    if !signatures::accepts(&[], DEFERRED_SIGNATURES, arguments) {
        return Err(signatures::rejected("new_Deferred", &[], DEFERRED_SIGNATURES, arguments));
    }
    let (name, given) = match arguments {
        [Value::Hash(entries)] => (entry(entries, "name"), entry(entries, "arguments")),
        arguments => (arguments.first(), arguments.get(1)),
    };
    let arguments = match given {
        Some(Value::Array(given)) => Some(Arc::clone(given)),
        _ => None,
    };
    Ok(Value::Deferred(Arc::new(Deferred { name: text(name).unwrap_or_default(), arguments })))
}

const ERROR_SIGNATURES: &[&str] = &[
    "Struct[{'msg' => String[1], 'kind' => Optional[String[1]], 'details' => Optional[Hash[String[1], Data]], \
     'issue_code' => Optional[String[1]]}] hash",
    "String[1] msg, Optional[String[1]] ?kind, Optional[Hash[String[1], Data]] ?details, Optional[String[1]] ?issue_code",
];

pub(super) fn error(arguments: &[Value]) -> Result<Value, Error> {
    if let [error @ Value::Error(_)] = arguments {
        return Ok(error.clone());
    }
    if !signatures::accepts(&[], ERROR_SIGNATURES, arguments) {
        return Err(signatures::rejected("new_Error", &[], ERROR_SIGNATURES, arguments));
    }
    let names = ["msg", "kind", "details", "issue_code"];
    let parts: [Option<&Value>; 4] = match arguments {
        [Value::Hash(entries)] => names.map(|name| entry(entries, name)),
        arguments => std::array::from_fn(|at| arguments.get(at)),
    };
    let details = match parts[2] {
        Some(Value::Hash(details)) => Some((***details).clone()),
        _ => None,
    };
    Ok(Value::Error(Arc::new(ErrorValue {
        message: text(parts[0]).unwrap_or_default(),
        kind: text(parts[1]),
        issue_code: text(parts[3]),
        partial_result: Value::Undef,
        details,
    })))
}
