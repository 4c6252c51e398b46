//! SELinux.

use pp_types::Value;

use crate::fact::{FactSet, Fields};
use crate::machine::Machine;

/// Where the kernel shows the state, if SELinux runs.
const MOUNT_POINT: &str = "/sys/fs/selinux";

/// Returns `os.selinux`, and adds its legacy names.
pub(crate) fn selinux(machine: &Machine, facts: &mut FactSet) -> Option<Value> {
    let enforce = machine.read_line(&format!("{MOUNT_POINT}/enforce"));
    let config = machine.read("/etc/selinux/config");
    let enabled = enforce.is_some() && config.is_some();
    let mut fields = Fields::default();
    if enabled {
        let setting = |name: &str| {
            let lines = config.as_deref()?.lines().map(str::trim);
            lines
                .filter_map(|line| line.split_once('='))
                .find(|(key, _)| key.trim() == name)
                .map(|(_, v)| v.trim().to_owned())
        };
        let enforced = enforce.as_deref() == Some("1");
        let current = if enforced { "enforcing" } else { "permissive" };
        let policy_version = machine.read_line(&format!("{MOUNT_POINT}/policyvers"));
        let (mode, policy) = (setting("SELINUX"), setting("SELINUXTYPE"));
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        facts.legacy("selinux_config_mode", text(&mode));
        facts.legacy("selinux_config_policy", text(&policy));
        facts.legacy("selinux_current_mode", Value::from(current));
        facts.legacy("selinux_enforced", Value::Boolean(enforced));
        facts.legacy("selinux_policyversion", text(&policy_version));
        fields.maybe("config_mode", mode);
        fields.maybe("config_policy", policy);
        fields.set("current_mode", current);
        fields.set("enabled", true);
        fields.set("enforced", enforced);
        fields.maybe("policy_version", policy_version);
    } else {
        fields.set("enabled", false);
    }
    facts.legacy("selinux", Value::Boolean(enabled));
    fields.finish()
}
