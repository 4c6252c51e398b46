//! Data about distributions for `os.*` and `deploy.*`.

use mcl_value::Value;

/// Returns the packages that mgmt needs.
pub(crate) fn bootstrap_packages(distro: &[u8]) -> Option<&'static [&'static str]> {
    match distro {
        b"debian" => Some(&["libaugeas-dev", "libvirt-dev", "packagekit-tools"]),
        b"fedora" => Some(&["augeas-devel", "libvirt-devel", "PackageKit"]),
        _ => None,
    }
}

/// Splits `NAMEdigits-ARCH`; if a part is missing, all are empty.
pub(crate) fn parse_uid(uid: &[u8]) -> Value {
    let parts = uid.iter().position(|&b| b == b'-').and_then(|dash| {
        let (left, arch) = (&uid[..dash], &uid[dash + 1..]);
        let digits = left.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let (distro, version) = left.split_at(left.len() - digits);
        (!distro.is_empty() && !version.is_empty() && !arch.is_empty()).then_some([distro, version, arch])
    });
    let parts = parts.unwrap_or_default();
    Value::strukt(["distro", "version", "arch"].into_iter().zip(parts).map(|(name, part)| (name, part.into())))
}
