//! What Puppet, Ansible and Terraform call resource kinds, as docs/migration.md lists them.

/// Resource kinds: the name elsewhere, and the kind of mcl.
pub const FOREIGN_KINDS: &[(&str, &str)] = &[
    ("package", "pkg"),
    ("apt", "pkg"),
    ("yum", "pkg"),
    ("dnf", "pkg"),
    ("service", "svc"),
    ("systemd", "svc"),
    ("systemd_service", "svc"),
    ("command", "exec"),
    ("shell", "exec"),
    ("script", "exec"),
    ("copy", "file"),
    ("template", "file"),
    ("local_file", "file"),
    ("directory", "file"),
    ("link", "file"),
    ("symlink", "file"),
    ("file_line", "line"),
    ("lineinfile", "line"),
    ("ini_setting", "ini:setting"),
    ("ini_file", "ini:setting"),
    ("ssh_authorized_key", "ssh:authorized_key"),
    ("authorized_key", "ssh:authorized_key"),
    ("cronjob", "cron"),
    ("notify", "print"),
    ("debug", "print"),
    ("docker_container", "docker:container"),
    ("docker_image", "docker:image"),
    ("container", "docker:container"),
    ("unarchive", "tar"),
    ("archive", "tar"),
    ("aws_instance", "aws:ec2"),
    ("ec2", "aws:ec2"),
    ("hcloud_server", "hetzner:vm"),
    ("firewall", "firewalld"),
    ("vm", "virt"),
];

/// Returns how mcl writes a kind, whatever its case and language: `svc` for `Service`, `apt:source` for `Apt::Source`.
pub(crate) fn kind_in_lower_case(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    kind_of_mcl(&lower).map_or_else(|| lower.replace("::", ":"), str::to_owned)
}

/// Returns how mcl writes a kind in an edge: `Svc` for `Service`.
pub(crate) fn kind_in_edge(name: &str) -> String {
    let mut kind = kind_in_lower_case(name);
    if let Some(first) = kind.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    kind
}

/// Returns the kind of mcl for the name of a kind elsewhere.
#[must_use]
pub fn kind_of_mcl(name: &str) -> Option<&'static str> {
    FOREIGN_KINDS.iter().find(|(foreign, _)| *foreign == name).map(|(_, kind)| *kind)
}
