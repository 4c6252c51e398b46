//! Single functions of modules.

use pp_types::{Hash, Value, encode_base64, interpolate, ruby_text};
use sha1::Sha1;
use sha2::digest::Digest;

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::{FileKind, Interrupt, Strict};
use crate::ruby::inspect::class_name;
use crate::stdlib::{deprecate, format_named};

pub(crate) static APACHE_BOOL2HTTPD: Function = Function::typed(
    "apache::bool2httpd",
    &["Any arg"],
    "Returns `On` for true and `Off` for false or undef; other values as strings.",
    bool2httpd,
);

fn bool2httpd(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    Ok(match call.argument(0) {
        Value::Undef | Value::Boolean(false) => "Off".into(),
        Value::Boolean(true) => "On".into(),
        other => Value::string(ruby_text(other)),
    })
}

pub(crate) static BOOL2HTTPD: Function =
    Function::typed("bool2httpd", &["Any arg"], "The old name of `apache::bool2httpd`.", |call| {
        deprecate(call, "bool2httpd", "This function is deprecated, please use apache::bool2httpd instead.")?;
        bool2httpd(call)
    });

pub(crate) static APACHE_PW_HASH_IN_MODULE: Function = Function::typed(
    "apache::pw_hash",
    &["String[1] password"],
    "Returns the SHA-1 hash of a password for the files of Apache's `htpasswd`.",
    apache_pw_hash,
);

fn apache_pw_hash(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let digest = Sha1::digest(call.string(0).as_bytes());
    Ok(Value::string(format!("{{SHA}}{}", encode_base64(&digest))))
}

pub(crate) static APACHE_APACHE_PW_HASH: Function =
    Function::typed("apache::apache_pw_hash", &["String[1] password"], "The old name of `apache::pw_hash`.", |call| {
        deprecate(call, "apache::apache_pw_hash", "This function is deprecated, please use apache::pw_hash instead.")?;
        apache_pw_hash(call)
    });

pub(crate) static APACHE_PW_HASH: Function =
    Function::typed("apache_pw_hash", &["String[1] password"], "The old name of `apache::pw_hash`.", |call| {
        deprecate(call, "apache_pw_hash", "This function is deprecated, please use apache::pw_hash instead.")?;
        apache_pw_hash(call)
    });

pub(crate) static COLLECTD_CONVERT_PROCESSES: Function = Function::counted(
    "collectd_convert_processes",
    1,
    Some(1),
    "Returns an array of names, and of hashes with a `name`, as a hash by name. A hash stays.",
    |call| {
        let values = match call.argument(0) {
            hash @ Value::Hash(_) => return Ok(hash.clone()),
            Value::Array(values) => values,
            _ => return Err(reject("convert_process_array(): Needs an array as argument")),
        };
        let mut processes = Hash::default();
        for value in values.iter() {
            match value {
                Value::String(_) => processes.insert(value.clone(), Value::hash(Hash::default())),
                Value::Hash(entries) => {
                    let mut attributes = entries.0.clone();
                    let name = attributes.shift_remove(&Value::from("name")).unwrap_or(Value::Undef);
                    processes.insert(name, Value::hash(attributes))
                }
                _ => return Err(reject("convert_process_array(): array element must be string or hash")),
            };
        }
        Ok(Value::hash(processes))
    },
);

pub(crate) static GET_IN_ADDR_ARPA: Function =
    Function::counted("get_in_addr_arpa", 1, None, "Returns the name under `in-addr.arpa` of an address.", |call| {
        let Value::String(text) = call.argument(0) else {
            let class = class_name(call.argument(0));
            return Err(reject(format!("get_in_addr_arpa(): expects an address as a String, got {class}")));
        };
        let parts: Vec<&str> = text.split('.').rev().collect();
        Ok(Value::string(format!("{}.in-addr.arpa", parts.join("."))))
    });

pub(crate) static MCO_ARRAY_TO_STRING: Function = Function::counted(
    "mco_array_to_string",
    0,
    None,
    "Returns the elements of an array as strings.",
    |call| match call.argument(0) {
        Value::Array(values) => {
            Ok(Value::array(values.iter().map(|value| Value::string(interpolate(value))).collect()))
        }
        other => Err(reject(format!("Expected an array, but got a {}", class_name(other)))),
    },
);

pub(crate) static MEMCACHED_MAX_MEMORY: Function = Function::typed(
    "memcached::max_memory",
    &["Any arg"],
    "Returns the memory for memcached in megabytes: a number as it is, a percentage of the memory of the machine, 95 % by \
     default.",
    |call| {
        let percent = match call.argument(0) {
            Value::Undef | Value::Boolean(false) => "95%".to_owned(),
            other @ (Value::String(_) | Value::Integer(_) | Value::Float(_)) => interpolate(other),
            other => {
                let class = class_name(other);
                return Err(reject(format!("memcached::max_memory(): expects a number or a percentage, got {class}")));
            }
        };
        let digits: String = percent.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let number: f64 = digits.trim_end_matches('.').parse().unwrap_or(0.0);
        if !percent.ends_with('%') {
            // The conversion saturates.
            return Ok(Value::Integer(number as i64));
        }
        let memory = match call.host.variable("::memorysize") {
            Some(Value::String(size)) => megabytes(&size),
            _ => 0.0,
        };
        Ok(Value::Integer((memory * number / 100.0) as i64))
    },
);

/// Reads a size such as `3.81 GiB`.
fn megabytes(size: &str) -> f64 {
    let (number, unit) = size.trim().split_once(' ').unwrap_or((size, ""));
    let number: f64 = number.parse().unwrap_or(0.0);
    let power = match unit.chars().next() {
        Some('k' | 'K') => -1,
        Some('M') => 0,
        Some('G') => 1,
        Some('T') => 2,
        _ => -2,
    };
    number * 1024_f64.powi(power)
}

pub(crate) static GETVAR_EMPTYSTRING: Function = Function::counted(
    "getvar_emptystring",
    0,
    None,
    "Returns the value of a variable, or an empty string if it has none.",
    |call| {
        let [name] = call.arguments else {
            let count = call.arguments.len();
            return Err(reject(format!("getvar_emptystring(): wrong number of arguments ({count}; must be 1)")));
        };
        let name = interpolate(name);
        match call.host.variable(&name) {
            None if call.host.strict() == Strict::Error => Err(fail(format!("Undefined variable '{name}'; "))),
            None | Some(Value::Undef) => Ok("".into()),
            Some(value) => Ok(value),
        }
    },
);

pub(crate) static IPADDRESSES: Function = Function::counted(
    "ipaddresses",
    0,
    None,
    "Returns the addresses of the network interfaces, without those of `lo` and of the excluded ones.",
    |call| {
        let excluded: Vec<String> = match call.argument(0) {
            Value::Array(names) => names.iter().map(interpolate).collect(),
            _ => Vec::new(),
        };
        let interfaces = match call.host.variable("::interfaces") {
            Some(Value::String(names)) => names.to_string(),
            _ => String::new(),
        };
        let mut addresses = Vec::new();
        for name in interfaces.split(',').filter(|name| !name.is_empty()) {
            if name == "lo" || excluded.iter().any(|excluded| excluded == name) && name != "eth0" {
                continue;
            }
            for kind in ["ipaddress", "ipaddress6"] {
                let fact = format!("{kind}_{name}");
                let address = call.host.variable(&format!("::{fact}"));
                if address.is_none() && call.host.strict() == Strict::Error {
                    return Err(fail(format!("Undefined variable '{fact}'; ")));
                }
                addresses.extend(address.filter(|address| matches!(address, Value::String(text) if !text.is_empty())));
            }
        }
        Ok(Value::array(addresses))
    },
);

pub(crate) static SCOPE_DEFAULTS: Function = Function::counted(
    "scope_defaults",
    2,
    Some(2),
    "Returns whether the scope has a default for an attribute of a type.",
    |call| {
        let (type_name, attribute) = (call.text(0), call.text(1));
        Ok(Value::Boolean(call.host.has_resource_default(&type_name, &attribute)))
    },
);

pub(crate) static TEMPLATE_BODY: Function = Function::counted(
    "template_body",
    0,
    None,
    "Returns the contents of templates without rendering them, one after the other.",
    |call| {
        let mut bodies = String::new();
        for at in 0..call.arguments.len() {
            let name = call.text(at);
            let not_found = || fail(format!("Could not find template '{name}'"));
            let path = call.host.find_file(FileKind::Templates, &name)?.ok_or_else(not_found)?;
            bodies.push_str(&String::from_utf8_lossy(&call.host.read_file(&path)?));
        }
        Ok(Value::string(bodies))
    },
);

pub(crate) static TRANSLATE: Function = Function::typed(
    "translate",
    &["String message, Optional[Hash] ?interpolation_values"],
    "Returns a message with the values of a hash in it: `%{name}`. Messages are not translated.",
    |call| match call.argument(1) {
        Value::Undef => Ok(call.argument(0).clone()),
        values => {
            let text = format_named(call.string(0), values)?;
            call.charge(1, text.len())?;
            Ok(Value::string(text))
        }
    },
);
