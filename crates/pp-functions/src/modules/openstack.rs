//! Functions of the OpenStack family of modules.

use pp_types::{Error, ErrorKind, Hash, Value, from_json, interpolate};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::inspect;
use crate::stdlib::json_text;

pub(crate) static IS_SERVICE_DEFAULT: Function = Function::typed(
    "is_service_default",
    &["Any *args"],
    "Returns whether a value is `<SERVICE DEFAULT>`: the setting is not managed.",
    |call| match call.arguments {
        [value] => Ok(Value::Boolean(matches!(value, Value::String(text) if &**text == "<SERVICE DEFAULT>"))),
        _ => {
            let count = call.arguments.len();
            Err(reject(format!("is_service_default(): Wrong number of argumentsgiven ({count} for 1)")))
        }
    },
);

pub(crate) static NORMALIZE_IP_FOR_URI: Function = Function::typed(
    "normalize_ip_for_uri",
    &["Any *args"],
    "Returns an address for a URI: one of IPv6 gets brackets. Several arguments, or an array, give an array.",
    |call| Ok(each_address(call, Bracketed::Keep, |text| format!("[{text}]"))),
);

pub(crate) static INET6_PREFIX: Function = Function::typed(
    "inet6_prefix",
    &["Any *args"],
    "Returns an address for memcached: one of IPv6 becomes `inet6:[…]`. Several arguments, or an array, give an array.",
    |call| Ok(each_address(call, Bracketed::Change, |text| format!("inet6:[{text}]"))),
);

/// What happens to an address that has brackets already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracketed {
    Keep,
    Change,
}

/// Changes addresses of IPv6; other values stay.
fn each_address(call: &Call<'_>, bracketed: Bracketed, change: fn(&str) -> String) -> Value {
    let changed = |value: &Value| match value {
        Value::String(text) => {
            let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let bare = inner.unwrap_or(text);
            let address = bare.split(['%', '/']).next().unwrap_or(bare);
            let is_v6 = address.parse::<std::net::Ipv6Addr>().is_ok();
            let changes = is_v6 && (inner.is_none() || bracketed == Bracketed::Change);
            if changes { Value::string(change(bare)) } else { value.clone() }
        }
        other => other.clone(),
    };
    let values = |values: &[Value]| Value::array(values.iter().map(changed).collect());
    match call.arguments {
        [Value::Array(inner), ..] => values(inner),
        [single] => changed(single),
        several => values(several),
    }
}

pub(crate) static TO_ARRAY_OF_JSON_STRINGS: Function = Function::typed(
    "to_array_of_json_strings",
    &["Any value"],
    "Returns an array of hashes, or JSON that is one, as an array of strings of JSON.",
    |call| {
        let invalid = |value: &Value| {
            let text = match value {
                Value::String(text) => text.to_string(),
                other => inspect(other),
            };
            reject(format!("Syntax error: {text} is not an Array or JSON encoded String"))
        };
        let parsed = match call.argument(0) {
            value @ Value::String(text) => match serde_json::from_str(text) {
                Ok(json) => from_json(&json),
                Err(_) => {
                    let doubled = text.replace('\'', "\"");
                    let json = serde_json::from_str(&doubled)
                        .map_err(|_| reject(format!("Syntax error: {} is not valid", interpolate(value))))?;
                    call.host.warn(&format!("{text} is not valid JSON. Support for this format is deprecated."));
                    from_json(&json)
                }
            },
            other => other.clone(),
        };
        let entries = match &parsed {
            Value::Array(values) => values.as_slice().to_vec(),
            hash @ Value::Hash(_) if matches!(call.argument(0), Value::String(_)) => vec![hash.clone()],
            _ => return Err(invalid(call.argument(0))),
        };
        let mut texts = Vec::with_capacity(entries.len());
        for entry in &entries {
            if !matches!(entry, Value::Hash(_)) {
                return Err(invalid(call.argument(0)));
            }
            texts.push(Value::string(json_text(call, entry)?));
        }
        Ok(Value::array(texts))
    },
);

pub(crate) static CONVERT_TO_JSON_STRING: Function =
    Function::typed("convert_to_json_string", &["Any *args"], "Returns a value as JSON on one line.", |call| {
        let pairs = match call.argument(0) {
            Value::Array(values) => pairs_of(values)?.map(Value::hash),
            _ => None,
        };
        json_text(call, pairs.as_ref().unwrap_or(call.argument(0))).map(Value::string)
    });

/// Makes a hash of strings `KEY:VALUE`; `None` if one of them has no colon. An empty array is an empty hash.
fn pairs_of(values: &[Value]) -> Result<Option<Hash>, Interrupt> {
    let mut pairs = Hash::default();
    for value in values {
        let text = match value {
            Value::String(text) if text.contains(':') => text,
            Value::String(_) | Value::Array(_) | Value::Hash(_) => return Ok(None),
            other => return Err(fail(format!("convert_to_json_string(): expects strings, got {}", inspect(other)))),
        };
        let mut parts = text.trim_end_matches(':').split(':').map(Value::from);
        let key = parts.next().unwrap_or_else(|| Value::from(""));
        pairs.insert(key, parts.next().unwrap_or(Value::Undef));
    }
    Ok(Some(pairs))
}

pub(crate) static CONVERT_CERT_TO_STRING: Function = Function::typed(
    "convert_cert_to_string",
    &["String cert_file"],
    "Returns the content of a file without line breaks.",
    |call| {
        let path = call.string(0);
        let Some(found) = call.host.find_path(path) else {
            return Err(fail(format!("Certificate file not found: {path}")));
        };
        let bytes = call.host.read_file(&found)?;
        Ok(Value::string(String::from_utf8_lossy(&bytes).replace(['\n', '\r'], "")))
    },
);

/// Returns the elements of an array, or a value on its own.
fn elements<'a>(call: &Call<'a>) -> &'a [Value] {
    match call.argument(0) {
        Value::Array(values) => values,
        _ => call.arguments.get(..1).unwrap_or(&[]),
    }
}

/// Checks ranges such as `1:10`, and returns them as an array.
fn check_ranges(call: &mut Call<'_>, check: impl Fn(&[&str]) -> Result<(), &'static str>) -> Result<Value, Interrupt> {
    let ranges = elements(call);
    for range in ranges.iter().filter(|range| **range != Value::Undef) {
        call.charge(1, 0)?;
        let text = interpolate(range);
        check(&text.split(':').collect::<Vec<_>>()).map_err(reject)?;
    }
    Ok(Value::array(ranges.to_vec()))
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The greatest identifier of a virtual network.
const MAX_VNI: u64 = (1 << 24) - 1;
/// The greatest identifier of a virtual local network.
const MAX_VLAN: u64 = 4_094;
/// The greatest difference of two identifiers of tunnels.
const MAX_TUNNELS: u64 = 1_000_000;

pub(crate) static VALIDATE_VNI_RANGES: Function = Function::typed(
    "validate_vni_ranges",
    &["Any *values"],
    "Fails unless all strings are ranges of identifiers of virtual networks, such as `1:10`.",
    |call| {
        check_ranges(call, |parts| match parts {
            [first, last] => match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last && last <= MAX_VNI => Ok(()),
                _ => Err("vni ranges are invalid."),
            },
            _ => Err("vni ranges are invalid."),
        })
    },
);

pub(crate) static VALIDATE_NETWORK_VLAN_RANGES: Function = Function::typed(
    "validate_network_vlan_ranges",
    &["Any *values"],
    "Fails unless all strings are names of networks, or ranges of VLANs in them such as `physnet:1:100`.",
    |call| {
        check_ranges(call, |parts| match parts {
            [_, first, last] => match (number(first), number(last)) {
                (Some(first), Some(last)) if first > MAX_VLAN || last > MAX_VLAN => Err("vlan id are invalid."),
                (Some(first), Some(last)) if first <= last => Ok(()),
                _ => Err("network vlan ranges are invalid."),
            },
            _ => Ok(()),
        })
    },
);

pub(crate) static VALIDATE_TUNNEL_ID_RANGES: Function = Function::typed(
    "validate_tunnel_id_ranges",
    &["Any *values"],
    "Fails unless all strings are ranges of identifiers of tunnels, such as `1:1000`.",
    |call| {
        check_ranges(call, |parts| match parts {
            [first, last] => match (number(first), number(last)) {
                (Some(first), Some(last)) if last.saturating_sub(first) > MAX_TUNNELS => {
                    Err("tunnel id ranges are to large.")
                }
                (Some(first), Some(last)) if first <= last => Ok(()),
                _ => Err("tunnel id ranges are invalid."),
            },
            _ => Err("tunnel id ranges are invalid."),
        })
    },
);

pub(crate) static VALIDATE_VXLAN_UDP_PORT: Function = Function::typed(
    "validate_vxlan_udp_port",
    &["Any *values"],
    "Fails unless a number is a port for VXLAN: 4789, or one from 49152 to 65535.",
    |call| {
        let port = match call.argument(0) {
            Value::Integer(port) => *port,
            Value::Undef => return Err(reject("can't convert nil into Integer")),
            other => {
                let text = interpolate(other);
                text.trim().parse().map_err(|_| reject(format!("invalid value for Integer(): \"{text}\"")))?
            }
        };
        if port == 4_789 || (49_152..=65_535).contains(&port) {
            return Ok(Value::Undef);
        }
        Err(reject("vxlan udp port is invalid."))
    },
);

/// The greatest number of a processor in a mask.
const MAX_BIT: usize = 65_536;

pub(crate) static RANGE_TO_MASK: Function = Function::typed(
    "range_to_mask",
    &["Variant[Undef, Pattern[/^$/, /^[0-9\\-\\,]/]] range"],
    "Returns a mask of bits, as a hexadecimal number, for ranges such as `0,2-4`.",
    |call| {
        let text = call.string(0);
        if text.is_empty() {
            return Ok(Value::Undef);
        }
        let mut bits = vec![false];
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let bit = |text: &str| text.trim().parse::<usize>().ok();
            let (Some(first), Some(last)) = (bit(first), bit(last)) else {
                return Err(reject(format!("range_to_mask(): '{part}' is not a range of numbers")));
            };
            if last > MAX_BIT {
                return Err(
                    Error::new(ErrorKind::Limit, format!("range_to_mask(): {last} is greater than {MAX_BIT}")).into()
                );
            }
            call.charge(last / 8, last)?;
            if bits.len() <= last {
                bits.resize(last + 1, false);
            }
            (first..=last).for_each(|bit| bits[bit] = true);
        }
        let digits = bits.chunks(4).rev().map(|chunk| {
            let digit = chunk.iter().rev().fold(0, |digit, &bit| digit << 1 | u32::from(bit));
            char::from_digit(digit, 16).unwrap_or('0')
        });
        let digits: String = digits.collect();
        let trimmed = digits.trim_start_matches('0');
        Ok(Value::from(if trimmed.is_empty() { "0" } else { trimmed }))
    },
);

pub(crate) static IPV6_NORMALIZE_DNSMASQ_IP_SUBNETS: Function = Function::typed(
    "ipv6_normalize_dnsmasq_ip_subnets",
    &["Array[Hash] value"],
    "Returns subnets for dnsmasq: those of IPv6 get a prefix length as their netmask, and lose the gateway.",
    |call| {
        let subnets = call.array(0).iter().map(|subnet| {
            let Value::Hash(subnet) = subnet else { return subnet.clone() };
            let subnet = subnet.iter().filter_map(|(name, value)| normalize_subnet(name, value));
            Value::hash(subnet.collect::<Hash>())
        });
        Ok(Value::array(subnets.collect()))
    },
);

fn normalize_subnet(name: &Value, value: &Value) -> Option<(Value, Value)> {
    let address = match value {
        Value::String(text) => text.parse::<std::net::Ipv6Addr>().ok(),
        _ => None,
    };
    match (interpolate(name).as_str(), address) {
        ("gateway", Some(_)) => None,
        ("netmask", Some(mask)) => Some((name.clone(), Value::Integer(u128::from(mask).leading_ones().into()))),
        _ => Some((name.clone(), value.clone())),
    }
}
