//! Packages.

use crate::attribute::{Attribute, Role, name, parameter, property};
use crate::resource_type::ResourceType;
use crate::rule::Rule;
use crate::values::{Pattern, Values};

/// The provider is part of the name of a package: two managers may each have a package of one name.
const PROVIDER: Attribute = Attribute {
    name: "provider",
    role: Role::Name,
    values: Values::Any,
    feature: None,
    doc: "The package manager; usually found by the facts of the node.",
};

pub(crate) static PACKAGE: ResourceType = ResourceType::new(
    "package",
    "A package of software.",
    &[
        name("name", "The name."),
        PROVIDER,
        name("command", "The package manager's program, if there are several.").needs("targetable"),
        parameter("source", "Where the package file is."),
        parameter("instance", "A name that tells installations apart; read only."),
        parameter("status", "The status of the package; read only."),
        parameter("adminfile", "A file with defaults for the installation."),
        parameter("responsefile", "A file with answers to questions of the installation."),
        parameter("configfiles", "Whether an upgrade keeps changed configuration files.").words(&["keep", "replace"]),
        parameter("category", "The category of the package; read only."),
        parameter("platform", "The platform of the package; read only."),
        parameter("root", "The root of the package; read only."),
        parameter("vendor", "The vendor of the package; read only."),
        parameter("description", "The description of the package; read only."),
        parameter("allowcdrom", "Whether sources on a CD may be used.").boolean(),
        parameter("enable_only", "Whether a module stream is only enabled, not installed.").yes_no(),
        parameter("install_only", "Whether several versions may be installed.").needs("install_only"),
        parameter("install_options", "Options of the package manager for the installation.").needs("install_options"),
        parameter("uninstall_options", "Options of the package manager for the removal.").needs("uninstall_options"),
        parameter("allow_virtual", "Whether the name may be that of a virtual package.")
            .yes_no()
            .needs("virtual_packages"),
        parameter("reinstall_on_refresh", "Whether a refresh installs the package again.").boolean(),
        property("ensure", "Whether the package is installed, or which version is.")
            .words_or(&["present", "installed", "absent", "purged", "disabled", "latest"], Pattern::NotEmpty),
        property("package_settings", "Settings of the package.").needs("package_settings"),
        property("flavor", "The flavor of the package, or the profile of a module stream.").needs("supports_flavors"),
        property("mark", "Whether the package is held in its version.").words(&["hold", "none"]).needs("holdable"),
    ],
)
.with_rules(&[Rule::Excludes(
    "ensure",
    &["absent", "purged"],
    "mark",
    "You cannot use \"mark\" property while \"ensure\" is one of [\"absent\", \"purged\"]",
)]);
