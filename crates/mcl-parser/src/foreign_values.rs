//! Values of Puppet and Ansible that mcl has no variable for.

/// Returns what to write in place of a variable with facts of the host; `name` is its first part.
#[must_use]
pub fn foreign_value(name: &str) -> Option<&'static str> {
    Some(match name {
        "facts"
        | "trusted"
        | "server_facts"
        | "ansible_facts"
        | "fqdn"
        | "osfamily"
        | "operatingsystem"
        | "operatingsystemrelease"
        | "operatingsystemmajrelease"
        | "lsbdistcodename"
        | "architecture"
        | "ipaddress"
        | "kernel" => {
            "there are no facts; functions return what is known of the host: `sys.hostname()` of the module \"sys\", \
             `os.family()` of the module \"os\""
        }
        _ => return None,
    })
}
