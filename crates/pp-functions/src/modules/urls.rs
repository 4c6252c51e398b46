//! Functions that make or take apart URLs.

use std::sync::LazyLock;

use pp_types::{Hash, Value, interpolate};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::class_name;
use crate::stdlib::{basename, dirname, extname, str2bool};

/// Encodes what is not unreserved in a URL.
fn encode(text: &str) -> String {
    encode_except(text, b"-_.~")
}

/// Encodes a name or a value of a form, in which a plus sign is a space.
fn encode_form(text: &str) -> String {
    encode_except(text, b"-_.* ").replace(' ', "+")
}

/// Encodes all bytes but letters, digits, and those in `kept`.
fn encode_except(text: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The arguments of a function that takes one hash, by name.
struct Options<'a> {
    function: &'static str,
    entries: &'a Hash,
}

impl<'a> Options<'a> {
    fn of(call: &Call<'a>, function: &'static str) -> Result<Options<'a>, Interrupt> {
        match call.arguments {
            [Value::Hash(entries)] => Ok(Options { function, entries: &entries.0 }),
            [other, ..] => Err(reject(format!("{function}(): Requires an hash, got {}", class_name(other)))),
            [] => Err(reject(format!("{function}(): Wrong number of arguments given (0 for 1)"))),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.entries.get(&Value::from(name)).filter(|value| **value != Value::Undef)
    }

    fn string(&self, name: &str) -> Result<Option<&'a str>, Interrupt> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(reject(format!("{}(): {name} should be a String", self.function))),
        }
    }

    fn required(&self, name: &str) -> Result<&'a str, Interrupt> {
        self.string(name)?.ok_or_else(|| reject(format!("{}(): {name} is required", self.function)))
    }

    fn hash(&self, name: &str) -> Result<Option<&'a Hash>, Interrupt> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Hash(entries)) => Ok(Some(&entries.0)),
            Some(_) => Err(reject(format!("{}(): {name} should be a Hash", self.function))),
        }
    }

    /// User and password, with the sign after them.
    fn login(&self) -> Result<String, Interrupt> {
        let password = self.string("password")?.filter(|password| !password.is_empty());
        let user = self.string("username")?.filter(|user| !user.is_empty());
        Ok(match (user, password) {
            (None, _) => String::new(),
            (Some(user), None) => format!("{}@", encode(user)),
            (Some(user), Some(password)) => format!("{}:{}@", encode(user), encode(password)),
        })
    }
}

/// Returns a host with brackets if it is an address of IPv6.
fn bracketed(host: &str) -> String {
    if host.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{host}]") } else { host.to_owned() }
}

pub(crate) static OS_TRANSPORT_URL: Function = Function::typed(
    "os_transport_url",
    &["Any *args"],
    "Returns the URL of a message queue: `transport`, `host` or `hosts`, `port`, `username`, `password`, `virtual_host`, `ssl`, \
     `query`.",
    |call| {
        let options = Options::of(call, "os_transport_url")?;
        let transport = options.required("transport")?;
        let hosts: Vec<String> = match (options.string("host")?, options.get("hosts")) {
            (Some(_), Some(_)) => return Err(reject("os_transport_url(): cannot use both host and hosts.")),
            (None, None) => return Err(reject("os_transport_url(): host or hosts is required")),
            (Some(host), None) => vec![host.to_owned()],
            (None, Some(Value::Array(hosts))) => hosts.iter().map(interpolate).collect(),
            (None, Some(_)) => return Err(reject("os_transport_url(): hosts should be a Array")),
        };
        let login = options.login()?;
        let port = options.get("port").map(|port| format!(":{}", interpolate(port))).unwrap_or_default();
        let servers: Vec<String> = hosts.iter().map(|host| format!("{login}{}{port}", bracketed(host))).collect();
        let mut query: Vec<String> = Vec::new();
        for (name, value) in options.hash("query")?.into_iter().flatten() {
            query.push(format!("{}={}", interpolate(name), interpolate(value)));
        }
        if let Some(ssl) = options.string("ssl")? {
            query.push(format!("ssl={}", u8::from(str2bool(&ssl.into())?)));
        }
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let path = options.string("virtual_host")?.unwrap_or_default();
        Ok(Value::string(format!("{transport}://{}/{path}{query}", servers.join(","))))
    },
);

pub(crate) static OS_DATABASE_CONNECTION: Function = Function::typed(
    "os_database_connection",
    &["Any *args"],
    "Returns the URL of a database: `dialect`, `database`, `host`, `port`, `username`, `password`, `charset`, `extra`.",
    |call| {
        let options = Options::of(call, "os_database_connection")?;
        let dialect = options.required("dialect")?;
        let database = options.required("database")?;
        let host = options.string("host")?.map(bracketed).unwrap_or_default();
        let port = options.string("port")?.map(|port| format!(":{port}")).unwrap_or_default();
        let login = if host.is_empty() { String::new() } else { options.login()? };
        let mut query: Vec<String> = Vec::new();
        for (name, value) in options.hash("extra")?.into_iter().flatten() {
            query.push(format!("{}={}", interpolate(name), encode(&interpolate(value))));
        }
        if let Some(charset) = options.string("charset")? {
            query.push(format!("charset={charset}"));
        }
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        Ok(Value::string(format!("{dialect}://{login}{host}{port}/{database}{query}")))
    },
);

pub(crate) static ASSEMBLE_NEXUS_URL: Function =
    Function::counted("assemble_nexus_url", 0, None, "Returns the URL of an artifact in a Nexus repository.", |call| {
        let parameters: Vec<String> = call
            .hash(1)
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{}={}", encode_form(&interpolate(name)), encode_form(&interpolate(value))))
            .collect();
        let base = call.text(0);
        Ok(Value::string(format!("{base}/service/local/artifact/maven/content?{}", parameters.join("&"))))
    });

/// The parts of the URL of an artifact in Artifactory, as Maven lays it out.
static ARTIFACT: LazyLock<Option<fancy_regex::Regex>> = LazyLock::new(|| {
    fancy_regex::Regex::new(
        r"^(?<base_url>https?://[^/]+/artifactory)/(?<repository>[^/]+)/(?<org_path>.+?)/(?<module>[^/]+)/(?<base_rev>[^/]+?)(?:-(?<folder_iteg_rev>SNAPSHOT))?/\k<module>-\k<base_rev>(?:-(?<file_iteg_rev>SNAPSHOT|[0-9]{8}\.[0-9]{6}-[0-9]+))?(?:-(?<classifier>(?:(?!\d)[^./])+))?\.(?<ext>(?:(?!\d)[^/])+)$",
    )
    .ok()
});

pub(crate) static PARSE_ARTIFACTORY_URL: Function = Function::with_aliases(
    "archive::parse_artifactory_url",
    &[
        ("Stdlib::HTTPUrl", "Pattern[/(?i:\\Ahttps?:\\/\\/.*\\z)/]"),
        ("Stdlib::HTTPSUrl", "Pattern[/(?i:\\Ahttps:\\/\\/.*\\z)/]"),
    ],
    &["Variant[Stdlib::HTTPUrl, Stdlib::HTTPSUrl] url"],
    "Returns the parts of the URL of an artifact in Artifactory, or undef if it does not have the layout of Maven.",
    |call| {
        let text = call.string(0);
        call.charge(text.len(), 0)?;
        let Some(parts) = ARTIFACT.as_ref().and_then(|regex| regex.captures(text).ok().flatten()) else {
            return Ok(Value::Undef);
        };
        let names = [
            "base_url",
            "repository",
            "org_path",
            "module",
            "base_rev",
            "folder_iteg_rev",
            "file_iteg_rev",
            "classifier",
            "ext",
        ];
        let part = |name: &str| parts.name(name).map_or(Value::Undef, |part| Value::from(part.as_str()));
        Ok(Value::hash(names.iter().map(|name| (Value::from(*name), part(name))).collect()))
    },
);

pub(crate) static STAGING_PARSE: Function = Function::counted(
    "staging_parse",
    0,
    None,
    "Returns a part of the path of a URL: `filename` (the default), `basename`, `extname` or `parent`. The third argument is the \
     extension that `basename` leaves out.",
    |call| {
        if !matches!(call.arguments.len(), 1..=3) {
            let count = call.arguments.len();
            return Err(reject(format!("staging_parse(): Wrong number of arguments given ({count} for 1, 2, 3)")));
        }
        let source = call.text(0);
        if source.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(reject(format!("bad URI(is not URI?): \"{source}\"")));
        }
        let path = path_of(&source);
        let what = call.arguments.get(1).map_or_else(|| "filename".to_owned(), interpolate);
        let name = basename(path);
        match &*what {
            "filename" => Ok(name.into()),
            "parent" => Ok(dirname(path).into()),
            "extname" => Ok(extname(name).into()),
            "basename" => {
                let extension = call.arguments.get(2).map_or_else(|| extname(name).to_owned(), interpolate);
                Ok(name.strip_suffix(&*extension).filter(|stem| !stem.is_empty()).unwrap_or(name).into())
            }
            other => Err(fail(format!("staging_parse(), unknown parse info {other}."))),
        }
    },
);

/// Returns the path of a URL, or a path as it is.
fn path_of(source: &str) -> &str {
    let rest = match source.split_once("://") {
        Some((_, rest)) => &rest[rest.find('/').unwrap_or(rest.len())..],
        None => source,
    };
    rest.split(['?', '#']).next().unwrap_or(rest)
}
