//! Types of SSH keys.

/// Returns the type of an SSH key that a shorter name stands for.
#[must_use]
pub fn key_type(name: &str) -> &str {
    match name {
        "rsa" => "ssh-rsa",
        "dsa" => "ssh-dss",
        "ed25519" => "ssh-ed25519",
        "ecdsa-sk" => "sk-ecdsa-sha2-nistp256@openssh.com",
        "ed25519-sk" => "sk-ssh-ed25519@openssh.com",
        other => other,
    }
}
