//! Functions that declare or check settings: `create_ini_settings`, `validate_yum_hash`.

use pp_types::{Hash, Value, interpolate};

use crate::arguments::reject;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::stdlib::deprecate;

pub(crate) static INIFILE_CREATE_INI_SETTINGS: Function = Function::typed(
    "inifile::create_ini_settings",
    &["Hash settings, Optional[Hash] ?defaults"],
    "Declares an `ini_setting` for each entry of a hash of sections. An entry is a value, or a hash of attributes.",
    create_ini_settings,
);

pub(crate) static CREATE_INI_SETTINGS: Function =
    Function::typed("create_ini_settings", &["Any *args"], "The old name of `inifile::create_ini_settings`.", |call| {
        let message = "This method is deprecated, please use inifile::create_ini_settings instead.";
        deprecate(call, "create_ini_settings", message)?;
        call.host.call_function("inifile::create_ini_settings", call.arguments, None)
    });

fn create_ini_settings(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let (empty, none) = (Hash::default(), Hash::default());
    let (sections, defaults) = (call.hash(0).unwrap_or(&none), call.hash(1).unwrap_or(&empty));
    let mut resources = Hash::default();
    for (section, settings) in sections {
        let Value::Hash(settings) = settings else {
            let section = interpolate(section);
            return Err(reject(format!("create_ini_settings(): Section {section} must contain a Hash")));
        };
        for (setting, value) in settings.iter() {
            call.charge(1, 0)?;
            let path = match value {
                Value::Hash(attributes) => attributes.get(&Value::from("path")),
                _ => None,
            };
            let Some(path) = defaults.get(&Value::from("path")).or(path) else {
                return Err(reject("create_ini_settings(): must pass the path parameter to the Ini_setting resource!"));
            };
            let title = format!("{} [{}] {}", interpolate(path), interpolate(section), interpolate(setting));
            let mut attributes = defaults.clone();
            attributes.insert("ensure".into(), "present".into());
            attributes.insert("section".into(), section.clone());
            attributes.insert("setting".into(), setting.clone());
            match value {
                Value::Hash(own) => attributes.extend(own.iter().map(|(name, value)| (name.clone(), value.clone()))),
                value => {
                    attributes.insert("value".into(), value.clone());
                }
            }
            resources.insert(Value::string(title), Value::hash(attributes));
        }
    }
    call.host.create_resources("ini_setting", &resources, &Hash::default())
}

/// The attributes of `yumrepo`.
const YUMREPO: &[&str] = &[
    "assumeyes",
    "bandwidth",
    "baseurl",
    "cost",
    "deltarpm_metadata_percentage",
    "deltarpm_percentage",
    "descr",
    "enabled",
    "enablegroups",
    "ensure",
    "exclude",
    "failovermethod",
    "gpgcakey",
    "gpgcheck",
    "gpgkey",
    "http_caching",
    "include",
    "includepkgs",
    "keepalive",
    "keepcache",
    "metadata_expire",
    "metalink",
    "mirrorlist",
    "mirrorlist_expire",
    "name",
    "password",
    "payload_gpgcheck",
    "priority",
    "protect",
    "provider",
    "proxy",
    "proxy_password",
    "proxy_username",
    "repo_gpgcheck",
    "retries",
    "s3_enabled",
    "skip_if_unavailable",
    "sslcacert",
    "sslclientcert",
    "sslclientkey",
    "sslverify",
    "target",
    "throttle",
    "timeout",
    "type",
    "username",
];

pub(crate) static VALIDATE_YUM_HASH: Function = Function::typed(
    "validate_yum_hash",
    &["Any value"],
    "Fails unless all attributes in a hash of repositories are those of `yumrepo`.",
    |call| {
        let Value::Hash(repositories) = call.argument(0) else {
            return Err(reject("non-hash argument provided to validate_yum_hash"));
        };
        for (title, attributes) in repositories.iter() {
            let Value::Hash(attributes) = attributes else {
                return Err(reject(format!("validate_yum_hash(): '{}' is not a hash", interpolate(title))));
            };
            for name in attributes.keys().map(interpolate) {
                if !YUMREPO.contains(&&*name) {
                    return Err(reject(format!("Parameter {name} is not valid for the yumrepo type")));
                }
            }
        }
        let is_empty = repositories.is_empty();
        Ok(if is_empty { Value::Undef } else { call.argument(0).clone() })
    },
);
