//! Functions of addresses and names of hosts.

use std::net::IpAddr;

use pp_types::{Value, interpolate};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::inspect;

/// Parses an address without its zone and prefix length.
pub(crate) fn address(text: &str) -> Option<IpAddr> {
    let plain = text.split('%').next().unwrap_or(text);
    plain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(plain).parse().ok()
}

pub(crate) static IP_IN_RANGE: Function = Function::typed(
    "stdlib::ip_in_range",
    &["String ipaddress, Variant[String, Array] range"],
    "Returns whether an address is in a network such as `10.0.0.0/8`, or in one of an array of networks.",
    |call| {
        let (text, _) = call.string(0).split_once('/').unwrap_or((call.string(0), ""));
        let wanted = address(text).ok_or_else(|| fail(format!("invalid address: {text}")))?;
        let networks = match call.argument(1) {
            Value::Array(networks) => networks.as_slice(),
            network => std::slice::from_ref(network),
        };
        let mut is_inside = false;
        for network in networks {
            call.charge(1, 0)?;
            is_inside |= is_in_network(wanted, &interpolate(network))?;
        }
        Ok(Value::Boolean(is_inside))
    },
);

fn is_in_network(wanted: IpAddr, network: &str) -> Result<bool, Interrupt> {
    let (start, mask) = network.split_once('/').map_or((network, None), |(start, mask)| (start, Some(mask)));
    let start_address = address(start).ok_or_else(|| fail(format!("invalid address: {start}")))?;
    let (bits, width) = bits(start_address);
    let length = match mask {
        None => width,
        Some(mask) => match mask.parse::<u32>() {
            Ok(length) if length <= width => length,
            Ok(_) => return Err(fail(format!("invalid length: {network}"))),
            Err(_) => {
                let mask = address(mask).ok_or_else(|| fail(format!("invalid address: {mask}")))?;
                let (mask, mask_width) = self::bits(mask);
                if mask_width != width {
                    return Err(fail(format!("invalid address: {network}")));
                }
                (mask << (128 - width)).leading_ones().min(width)
            }
        },
    };
    let (wanted, wanted_width) = self::bits(wanted);
    let shift = width - length;
    let head = |number: u128| number.checked_shr(shift).unwrap_or(0);
    Ok(wanted_width == width && head(wanted) == head(bits))
}

fn bits(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    }
}

pub(crate) static ENCLOSE_IPV6: Function = Function::counted(
    "enclose_ipv6",
    0,
    None,
    "Returns an address, or an array of addresses, with brackets around those of IPv6, without duplicates. `*` stays.",
    |call| {
        if call.arguments.len() != 1 {
            let count = call.arguments.len();
            return Err(reject(format!("enclose_ipv6(): Wrong number of arguments given {count} for 1")));
        }
        if !matches!(call.argument(0), Value::String(_) | Value::Array(_)) {
            let class = crate::ruby::inspect::class_name(call.argument(0));
            return Err(reject(format!("enclose_ipv6(): Wrong argument type given {class} expected String or Array")));
        }
        let mut pending = vec![call.argument(0)];
        let mut enclosed: indexmap::IndexSet<String> = indexmap::IndexSet::new();
        while let Some(value) = pending.pop() {
            call.charge(1, 0)?;
            if let Value::Array(values) = value {
                pending.extend(values.iter().rev());
                continue;
            }
            let text = interpolate(value);
            let is_enclosed = text.starts_with('[') && text.ends_with(']');
            match address(&text) {
                Some(IpAddr::V6(_)) if !is_enclosed => enclosed.insert(format!("[{text}]")),
                Some(IpAddr::V4(_)) if is_enclosed => return Err(not_an_address(&text)),
                Some(_) => enclosed.insert(text),
                None if text == "*" => enclosed.insert(text),
                None => return Err(not_an_address(&text)),
            };
        }
        Ok(Value::array(enclosed.into_iter().map(Value::string).collect()))
    },
);

fn not_an_address(text: &str) -> Interrupt {
    reject(format!("enclose_ipv6(): Wrong argument given {text} is not an ip address."))
}

pub(crate) static HAS_INTERFACE_WITH: Function = Function::counted(
    "has_interface_with",
    0,
    None,
    "Returns whether there is an interface with a name, or one whose `ipaddress`, `netmask`, `network` or `macaddress` is the \
     second argument.",
    |call| match call.arguments {
        [name] => {
            let name = interpolate(name);
            Ok(Value::Boolean(interfaces(call).contains(&name)))
        }
        [kind, value] => Ok(Value::Boolean(has_interface_with(call, &interpolate(kind), value))),
        _ => {
            let count = call.arguments.len();
            Err(reject(format!("has_interface_with(): Wrong number of arguments given ({count} for 1 or 2)")))
        }
    },
);

/// The names in the fact `interfaces`.
fn interfaces(call: &mut Call<'_>) -> Vec<String> {
    match call.host.variable("::interfaces") {
        Some(Value::String(names)) => names.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn has_interface_with(call: &mut Call<'_>, kind: &str, value: &Value) -> bool {
    if !matches!(kind, "ipaddress" | "netmask" | "network" | "macaddress") {
        return false;
    }
    if call.host.variable(&format!("::{kind}")).as_ref() == Some(value) {
        return true;
    }
    let interfaces = interfaces(call);
    interfaces.iter().any(|name| {
        let name = name.replace(['.', ':', '-', '/'], "_");
        call.host.variable(&format!("::{kind}_{name}")).as_ref() == Some(value)
    })
}

pub(crate) static HAS_IP_ADDRESS: Function =
    Function::counted("has_ip_address", 0, None, "Returns whether an interface has an address.", |call| {
        has_address(call, "has_ip_address", "ipaddress")
    });

pub(crate) static HAS_IP_NETWORK: Function = Function::counted(
    "has_ip_network",
    0,
    None,
    "Returns whether an interface is in a network, which is given by its address.",
    |call| has_address(call, "has_ip_network", "network"),
);

fn has_address(call: &mut Call<'_>, name: &str, kind: &str) -> Result<Value, Interrupt> {
    let [wanted] = call.arguments else {
        let count = call.arguments.len();
        return Err(reject(format!("{name}(): Wrong number of arguments given ({count} for 1)")));
    };
    Ok(Value::Boolean(has_interface_with(call, kind, wanted)))
}

fn single<'a>(call: &Call<'a>, name: &str) -> Result<&'a Value, Interrupt> {
    match call.arguments {
        [value] => Ok(value),
        _ => {
            let count = call.arguments.len();
            Err(reject(format!("{name}(): Wrong number of arguments given {count} for 1")))
        }
    }
}

pub(crate) static IS_DOMAIN_NAME: Function =
    Function::counted("is_domain_name", 0, None, "Returns whether a string is a domain name.", |call| {
        let value = single(call, "is_domain_name")?;
        Ok(Value::Boolean(matches!(value, Value::String(text) if is_domain_name(text))))
    });

/// Whether a string is a domain name, of at least one label. A number with a fraction or an address is none.
fn is_domain_name(text: &str) -> bool {
    if text == "." {
        return true;
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| {
        let bytes = label.as_bytes();
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_numeric = labels.len() > 1 && labels.last().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
    name.len() <= 255 && !is_numeric && labels.iter().all(is_label)
}

pub(crate) static VALIDATE_DOMAIN_NAME: Function =
    Function::counted("validate_domain_name", 0, None, "Fails unless all arguments are domain names.", |call| {
        validate_each(call, "validate_domain_name", |text| {
            let problem = format!("{} is not a syntactically correct domain name", inspect(&Value::from(text)));
            if is_domain_name(text) { None } else { Some(problem) }
        })
    });

pub(crate) static VALIDATE_EMAIL_ADDRESS: Function = Function::counted(
    "validate_email_address",
    0,
    None,
    "Fails unless all arguments are addresses of electronic mail.",
    |call| {
        validate_each(call, "validate_email_address", |text| {
            let problem = format!("{} is not a valid email address", inspect(&Value::from(text)));
            if is_email_address(text) { None } else { Some(problem) }
        })
    },
);

fn validate_each(call: &mut Call<'_>, name: &str, check: fn(&str) -> Option<String>) -> Result<Value, Interrupt> {
    if call.arguments.is_empty() {
        return Err(reject(format!("{name}(): wrong number of arguments (0; must be > 0)")));
    }
    for argument in call.arguments {
        let Value::String(text) = argument else {
            return Err(reject(format!("{} is not a string.", inspect(argument))));
        };
        if let Some(problem) = check(text) {
            return Err(fail(problem));
        }
    }
    Ok(Value::Undef)
}

pub(crate) static IS_EMAIL_ADDRESS: Function = Function::counted(
    "is_email_address",
    0,
    None,
    "Returns whether a string is an address of electronic mail.",
    |call| {
        let value = single(call, "is_email_address")?;
        Ok(Value::Boolean(matches!(value, Value::String(text) if is_email_address(text))))
    },
);

/// Whether a string is `local@domain.tld` in lower case.
fn is_email_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let starts_well = local.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let local_is_valid =
        local.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "!#$%&'*+-/=?^_`{|}~. ".contains(c));
    let Some((host, top)) = domain.rsplit_once('.') else { return false };
    let host_is_valid =
        !host.is_empty() && host.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_".contains(c));
    starts_well && local_is_valid && host_is_valid && top.len() >= 2 && top.chars().all(|c| c.is_ascii_lowercase())
}

pub(crate) static IS_MAC_ADDRESS: Function = Function::counted(
    "is_mac_address",
    0,
    None,
    "Returns whether a string is the address of a network card: 6 or 20 bytes with colons.",
    |call| {
        let Value::String(text) = single(call, "is_mac_address")? else {
            return Err(reject("is_mac_address(): Requires a string to work with"));
        };
        // A newline after it does not matter.
        let bytes: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split(':').collect();
        let is_byte = |byte: &&str| byte.len() == 2 && byte.bytes().all(|b| b.is_ascii_hexdigit());
        Ok(Value::Boolean(matches!(bytes.len(), 6 | 20) && bytes.iter().all(is_byte)))
    },
);
