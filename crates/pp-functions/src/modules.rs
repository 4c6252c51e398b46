//! Functions of modules other than `stdlib` that manifests often call (spec 09 §3): each stands for the function written in
//! Ruby that the module has.

mod databases;
mod openstack;
mod others;
mod settings;
mod urls;

use crate::function::Function;

/// The functions of each module, sorted by name.
pub(crate) static APACHE: &[&Function] = &[
    &others::APACHE_APACHE_PW_HASH,
    &others::APACHE_BOOL2HTTPD,
    &others::APACHE_PW_HASH_IN_MODULE,
    &others::APACHE_PW_HASH,
    &others::BOOL2HTTPD,
];
pub(crate) static ARCHIVE: &[&Function] = &[&urls::PARSE_ARTIFACTORY_URL, &urls::ASSEMBLE_NEXUS_URL];
pub(crate) static COLLECTD: &[&Function] = &[&others::COLLECTD_CONVERT_PROCESSES];
pub(crate) static DATACAT: &[&Function] = &[&others::TEMPLATE_BODY];
pub(crate) static DNS: &[&Function] = &[&others::GET_IN_ADDR_ARPA];
pub(crate) static INIFILE: &[&Function] = &[&settings::CREATE_INI_SETTINGS, &settings::INIFILE_CREATE_INI_SETTINGS];
pub(crate) static IRONIC: &[&Function] = &[&openstack::IPV6_NORMALIZE_DNSMASQ_IP_SUBNETS];
pub(crate) static MCOLLECTIVE: &[&Function] = &[&others::MCO_ARRAY_TO_STRING];
pub(crate) static MEMCACHED: &[&Function] = &[&others::MEMCACHED_MAX_MEMORY];
pub(crate) static MONGODB: &[&Function] = &[&databases::MONGODB_PASSWORD];
pub(crate) static MYSQL: &[&Function] =
    &[&databases::MYSQL_PASSWORD_IN_MODULE, &databases::MYSQL_STRIP_HASH, &databases::MYSQL_PASSWORD];
pub(crate) static NEUTRON: &[&Function] = &[
    &openstack::CONVERT_CERT_TO_STRING,
    &openstack::CONVERT_TO_JSON_STRING,
    &openstack::VALIDATE_NETWORK_VLAN_RANGES,
    &openstack::VALIDATE_TUNNEL_ID_RANGES,
    &openstack::VALIDATE_VNI_RANGES,
    &openstack::VALIDATE_VXLAN_UDP_PORT,
];
pub(crate) static NOVA: &[&Function] = &[&openstack::TO_ARRAY_OF_JSON_STRINGS];
pub(crate) static OPENSTACK_EXTRAS: &[&Function] = &[&settings::VALIDATE_YUM_HASH];
pub(crate) static OPENSTACKLIB: &[&Function] = &[
    &openstack::INET6_PREFIX,
    &openstack::IS_SERVICE_DEFAULT,
    &openstack::NORMALIZE_IP_FOR_URI,
    &urls::OS_DATABASE_CONNECTION,
    &urls::OS_TRANSPORT_URL,
];
pub(crate) static POSTGRESQL: &[&Function] = &[
    &databases::ACLS_TO_RESOURCES_HASH,
    &databases::POSTGRESQL_ESCAPE_IN_MODULE,
    &databases::POSTGRESQL_PASSWORD_IN_MODULE,
    &databases::POSTGRESQL_ESCAPE,
    &databases::POSTGRESQL_PASSWORD,
];
pub(crate) static REDIS: &[&Function] = &[&others::GETVAR_EMPTYSTRING];
pub(crate) static SSH: &[&Function] = &[&others::IPADDRESSES];
pub(crate) static STAGING: &[&Function] = &[&others::SCOPE_DEFAULTS, &urls::STAGING_PARSE];
pub(crate) static TRANSLATE: &[&Function] = &[&others::TRANSLATE];
pub(crate) static VSWITCH: &[&Function] = &[&openstack::RANGE_TO_MASK];
