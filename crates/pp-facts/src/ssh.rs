//! The host keys of the SSH server.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pp_types::Value;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use crate::fact::{FactSet, Fields};
use crate::machine::Machine;

/// Where the keys are; the first directory with a key of a kind counts.
const DIRECTORIES: [&str; 5] = ["/etc/ssh", "/usr/local/etc/ssh", "/etc", "/usr/local/etc", "/etc/opt/ssh"];
/// Kinds of keys, in the order of their numbers in SSHFP records (RFC 4255, RFC 6594, RFC 7479).
const KINDS: [&str; 4] = ["rsa", "dsa", "ecdsa", "ed25519"];

/// The facts about host keys.
pub(crate) fn ssh(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let mut ssh = Fields::default();
    for (number, kind) in KINDS.iter().enumerate() {
        let files = DIRECTORIES.iter().map(|directory| format!("{directory}/ssh_host_{kind}_key.pub"));
        let Some((algorithm, key, blob)) = files.filter_map(|file| machine.read(&file)).find_map(|text| parse(&text))
        else {
            continue;
        };
        let record = |digest: u8, bytes: &[u8]| {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("SSHFP {} {digest} {hex}", number + 1)
        };
        let (sha1, sha256) = (record(1, &Sha1::digest(&blob)), record(2, &Sha256::digest(&blob)));
        facts.legacy(&format!("ssh{kind}key"), Value::from(&*key));
        facts.legacy(&format!("sshfp_{kind}"), Value::from(format!("{sha1}\n{sha256}")));
        let mut fingerprints = Fields::default();
        fingerprints.set("sha1", sha1);
        fingerprints.set("sha256", sha256);
        let mut fields = Fields::default();
        fields.maybe("fingerprints", fingerprints.finish());
        fields.set("key", key);
        fields.set("type", algorithm);
        ssh.maybe(kind, fields.finish());
    }
    facts.set("ssh", ssh.finish());
    facts
}

/// Returns the algorithm and the key of a public key, in Base64 and in bytes.
fn parse(text: &str) -> Option<(String, String, Vec<u8>)> {
    let mut words = text.split_whitespace();
    let (algorithm, key) = (words.next()?, words.next()?);
    Some((algorithm.to_owned(), key.to_owned(), STANDARD.decode(key).ok()?))
}
