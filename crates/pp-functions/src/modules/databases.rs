//! Functions of `mysql`, `postgresql` and `mongodb`.

use md5::Md5;
use pp_types::{Hash, Value, interpolate};
use sha1::Sha1;
use sha2::digest::Digest;

use crate::arguments::reject;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::class_name;
use crate::stdlib::deprecate;
use crate::stdlib::hexadecimal;

pub(crate) static MYSQL_PASSWORD_IN_MODULE: Function = Function::typed(
    "mysql::password",
    &["String password"],
    "Returns the hash of a password for MySQL. A hash stays as it is.",
    |call| Ok(Value::string(mysql_password(call.string(0)))),
);

pub(crate) static MYSQL_PASSWORD: Function = Function::counted(
    "mysql_password",
    1,
    Some(1),
    "Returns the hash of a password for MySQL: the old name of `mysql::password`.",
    |call| match call.argument(0) {
        Value::String(password) => Ok(Value::string(mysql_password(password))),
        other => Err(reject(format!("mysql_password(): expects a password as a String, got {}", class_name(other)))),
    },
);

fn mysql_password(password: &str) -> String {
    let is_hash = password.strip_prefix('*').is_some_and(|digits| {
        digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'A'..=b'F'))
    });
    if password.is_empty() || is_hash {
        return password.to_owned();
    }
    format!("*{}", hexadecimal(&Sha1::digest(Sha1::digest(password.as_bytes()))).to_uppercase())
}

pub(crate) static MYSQL_STRIP_HASH: Function = Function::typed(
    "mysql::strip_hash",
    &["Hash hash"],
    "Returns a hash without the entries that are empty strings, also in the hashes that are its values.",
    |call| {
        let is_empty = |value: &Value| matches!(value, Value::String(text) if text.is_empty());
        let strip = |entries: &Hash| -> Hash {
            let kept = entries.iter().filter(|(_, value)| !is_empty(value));
            kept.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let outer = call.hash(0).map(strip).unwrap_or_default();
        let inner = outer.into_iter().map(|(key, value)| match value {
            Value::Hash(entries) => (key, Value::hash(strip(&entries))),
            other => (key, other),
        });
        Ok(Value::hash(inner.collect()))
    },
);

pub(crate) static POSTGRESQL_PASSWORD_IN_MODULE: Function = Function::typed(
    "postgresql::postgresql_password",
    &["Variant[String[1], Integer] username, Variant[String, Integer] password"],
    "Returns the MD5 hash of a password for PostgreSQL.",
    postgresql_password,
);

pub(crate) static POSTGRESQL_PASSWORD: Function = Function::typed(
    "postgresql_password",
    &["Any *args"],
    "The old name of `postgresql::postgresql_password`.",
    |call| renamed(call, "postgresql_password", "postgresql::postgresql_password"),
);

/// Warns, and calls the function that has replaced another one.
fn renamed(call: &mut Call<'_>, old: &str, new: &str) -> Result<Value, Interrupt> {
    deprecate(call, old, &format!("This method is deprecated, please use {new} instead."))?;
    call.host.call_function(new, call.arguments, None)
}

fn postgresql_password(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let digest = Md5::digest(format!("{}{}", call.text(1), call.text(0)).as_bytes());
    Ok(Value::string(format!("md5{}", hexadecimal(&digest))))
}

pub(crate) static POSTGRESQL_ESCAPE_IN_MODULE: Function = Function::typed(
    "postgresql::postgresql_escape",
    &["String[1] input_string"],
    "Quotes a string for PostgreSQL with a tag between dollar signs that does not occur in it.",
    |call| {
        let text = call.string(0);
        let mut tag = String::new();
        // A dollar sign at the end would be taken for one of the quote.
        while text.contains(&format!("${tag}$")) || (tag.is_empty() && text.ends_with('$')) {
            call.charge(1, text.len())?;
            let digest = hexadecimal(&Md5::digest(tag.as_bytes()));
            tag = digest.chars().take(6).filter(|c| !c.is_ascii_digit()).collect();
        }
        Ok(Value::string(format!("${tag}${text}${tag}$")))
    },
);

pub(crate) static POSTGRESQL_ESCAPE: Function =
    Function::typed("postgresql_escape", &["Any *args"], "The old name of `postgresql::postgresql_escape`.", |call| {
        renamed(call, "postgresql_escape", "postgresql::postgresql_escape")
    });

pub(crate) static ACLS_TO_RESOURCES_HASH: Function = Function::typed(
    "postgresql::postgresql_acls_to_resources_hash",
    &["Array[String] acls, String[1] id, Integer offset"],
    "Returns resources of `postgresql::server::pg_hba_rule` for lines of `pg_hba.conf`.",
    |call| {
        let Value::Integer(offset) = *call.argument(2) else { return Err(reject("expects an offset")) };
        let mut resources = Hash::default();
        for (number, line) in (0_i64..).zip(call.array(0)) {
            let line = interpolate(line);
            call.charge(1, line.len())?;
            let attributes = rule(&line, offset.saturating_add(number)).ok_or_else(|| {
                reject(format!(
                    "postgresql::postgresql_acls_to_resources_hash(): acl line {number} does not have enough parts"
                ))
            })?;
            let title = format!("postgresql class generated rule {} {number}", call.string(1));
            resources.insert(Value::string(title), Value::hash(attributes));
        }
        Ok(Value::hash(resources))
    },
);

/// Reads a line of `pg_hba.conf`; `None` if it has too few parts.
fn rule(line: &str, order: i64) -> Option<Hash> {
    let mut parts = line.split_ascii_whitespace().collect::<Vec<_>>().into_iter();
    if parts.len() < 4 {
        return None;
    }
    let mut rule = Hash::default();
    let mut set = |name: &str, value: Value| rule.insert(name.into(), value);
    let kind = parts.next()?;
    set("type", kind.into());
    set("database", parts.next()?.into());
    set("user", parts.next()?.into());
    set("order", Value::string(format!("{order:03}")));
    if kind != "local" {
        let mut address = parts.next()?.to_owned();
        let is_mask = |part: &str| part.parse::<std::net::IpAddr>().is_ok();
        if let Some(mask) = parts.as_slice().first().filter(|part| is_mask(part)) {
            address = format!("{address} {mask}");
            parts.next();
        }
        set("address", Value::string(address));
    }
    set("auth_method", parts.next().map_or(Value::Undef, Value::from));
    let options = parts.collect::<Vec<_>>().join(" ");
    if !options.is_empty() {
        set("auth_option", Value::string(options));
    }
    Some(rule)
}

pub(crate) static MONGODB_PASSWORD: Function = Function::counted(
    "mongodb_password",
    2,
    Some(2),
    "Returns the hash of a password for MongoDB (MONGODB-CR).",
    |call| {
        let digest = Md5::digest(format!("{}:mongo:{}", call.text(0), call.text(1)).as_bytes());
        Ok(Value::string(hexadecimal(&digest)))
    },
);
