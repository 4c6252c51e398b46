//! `embedded/provisioner`: the options of a provisioning program (spec 03 §5.23). They are environment variables, which
//! keeps passwords off the command line. Reading an unset option fails.

use mcl_value::Value;

use crate::Function;
use crate::table::{Outcome, fatal, host, ok};

macro_rules! option {
    ($name:literal, $type:literal, $variable:literal, $read:expr) => {
        host(
            concat!("embedded/provisioner.", $name),
            concat!("func() ", $type),
            concat!("Returns the environment variable `", $variable, "`, which must be set."),
            |_, _| match std::env::var_os($variable) {
                Some(text) => $read($variable, text.as_encoded_bytes()),
                None => fatal(concat!(
                    "func `embedded/provisioner.",
                    $name,
                    "()` has nil value: the environment variable ",
                    $variable,
                    " is not set"
                )),
            },
        )
    };
}

pub(crate) static FUNCTIONS: &[Function] = &[
    option!("check", "bool", "MGMT_PROVISIONER_CHECK", boolean),
    option!("cli_arch", "str", "MGMT_PROVISIONER_ARCH", text),
    option!("cli_bios", "bool", "MGMT_PROVISIONER_BIOS", boolean),
    option!("cli_bmc_uri", "str", "MGMT_PROVISIONER_BMC_URI", text),
    option!("cli_distro", "str", "MGMT_PROVISIONER_DISTRO", text),
    option!("cli_dns", "[]str", "MGMT_PROVISIONER_DNS", list),
    option!("cli_firewalld", "bool", "MGMT_PROVISIONER_FIREWALLD", boolean),
    option!("cli_flavour", "str", "MGMT_PROVISIONER_FLAVOUR", text),
    option!("cli_handoff_code", "str", "MGMT_PROVISIONER_HANDOFF_CODE", text),
    option!("cli_handoff_exec", "str", "MGMT_PROVISIONER_HANDOFF_EXEC", text),
    option!("cli_handoff_hostname", "str", "MGMT_PROVISIONER_HANDOFF_HOSTNAME", text),
    option!("cli_handoff_module_path", "str", "MGMT_PROVISIONER_HANDOFF_MODULE_PATH", text),
    option!("cli_interface", "str", "MGMT_PROVISIONER_INTERFACE", text),
    option!("cli_ip", "str", "MGMT_PROVISIONER_IP", text),
    option!("cli_luks", "bool", "MGMT_PROVISIONER_LUKS", boolean),
    option!("cli_mac", "str", "MGMT_PROVISIONER_MAC", text),
    option!("cli_mirror", "str", "MGMT_PROVISIONER_MIRROR", text),
    option!("cli_network", "str", "MGMT_PROVISIONER_NETWORK", text),
    option!("cli_packages", "[]str", "MGMT_PROVISIONER_PACKAGES", list),
    option!("cli_part", "str", "MGMT_PROVISIONER_PART", text),
    option!("cli_password", "str", "MGMT_PROVISIONER_PASSWORD", text),
    option!("cli_prefix", "str", "MGMT_PROVISIONER_PREFIX", text),
    option!("cli_router", "str", "MGMT_PROVISIONER_ROUTER", text),
    option!("cli_rsync", "str", "MGMT_PROVISIONER_RSYNC", text),
    option!("cli_version", "str", "MGMT_PROVISIONER_VERSION", text),
];

fn text(_: &str, text: &[u8]) -> Outcome {
    ok(text.to_vec())
}

fn boolean(variable: &str, text: &[u8]) -> Outcome {
    match text {
        b"true" => ok(true),
        b"false" => ok(false),
        _ => fatal(format!("expected `true` or `false` in the environment variable {variable}")),
    }
}

/// Splits at commas; an empty string has no elements.
fn list(_: &str, text: &[u8]) -> Outcome {
    let elements = text.split(|byte| *byte == b',').filter(|_| !text.is_empty());
    ok(Value::list(elements.map(<[u8]>::to_vec)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(outcome: Outcome) -> String {
        outcome.map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    #[test]
    fn options_have_the_type_of_their_function() {
        assert_eq!(shown(text("V", b"a,b")), r#""a,b""#);
        assert_eq!(shown(list("V", b"a,b")), r#"["a", "b"]"#);
        assert_eq!(shown(list("V", b"")), "[]");
        assert_eq!(shown(boolean("V", b"true")), "true");
        assert_eq!(shown(boolean("V", b"yes")), "expected `true` or `false` in the environment variable V");
    }

    #[test]
    fn every_variable_has_the_name_of_its_function() {
        for function in FUNCTIONS {
            let name = function.short_name().trim_start_matches("cli_").to_uppercase();
            assert!(function.doc.contains(&format!("`MGMT_PROVISIONER_{name}`")), "{}", function.name);
        }
    }
}
