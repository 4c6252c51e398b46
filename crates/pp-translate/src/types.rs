//! Puppet's native types: names, name attributes, isomorphism (spec 07 §2.2).

/// The types of Puppet's core and of the modules in the agent packages.
const NATIVE: &[&str] = &[
    "Anchor",
    "Augeas",
    "Concat_file",
    "Concat_fragment",
    "Cron",
    "Ec2_instance",
    "Exec",
    "File",
    "File_line",
    "Filebucket",
    "Group",
    "Host",
    "Mount",
    "Notify",
    "Package",
    "Resources",
    "Schedule",
    "Selboolean",
    "Selmodule",
    "Service",
    "Ssh_authorized_key",
    "Sshkey",
    "Stage",
    "Tidy",
    "User",
    "Whit",
    "Yumrepo",
    "Zfs",
    "Zone",
    "Zpool",
];

/// Returns whether the type with this capitalized name is native.
#[must_use]
pub fn is_native(type_name: &str) -> bool {
    NATIVE.binary_search(&type_name).is_ok()
}

/// Returns the name attribute of a type, such as `path` for files.
#[must_use]
pub fn namevar(type_name: &str) -> &'static str {
    match type_name {
        "File" | "Concat_file" | "Tidy" => "path",
        "Exec" => "command",
        _ => "name",
    }
}

/// Returns whether the name attribute of resources of the type is unique, which it is not for exec and tidy.
#[must_use]
pub fn is_isomorphic(type_name: &str) -> bool {
    !matches!(type_name, "Exec" | "Tidy")
}

/// Removes repeated and trailing slashes from a path.
#[must_use]
pub fn clean_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if !(c == '/' && out.ends_with('/')) {
            out.push(c);
        }
    }
    if out.len() > 1 && out.ends_with('/') {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(NATIVE.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(clean_path("//srv///a/"), "/srv/a");
        assert_eq!(clean_path("/"), "/");
        assert_eq!(clean_path("//"), "/");
    }
}
