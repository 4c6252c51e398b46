//! Random Puppet catalogs with resources that edit files of a scratch directory, beside a random program.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use test_support::{RandomChoice, Rng};

/// Makes a catalog. Its files lie in `root/`, under names that no random program uses, so that both have something of their own.
pub fn catalog(random: &mut Rng) -> String {
    let mut resources = String::new();
    let mut edges = String::new();
    let mut references: Vec<String> = Vec::new();
    for i in 0..1 + random.usize(..6) {
        let (kind, title, parameters) = resource(random, i);
        let reference = format!("{kind}[{title}]");
        let mut parameters = parameters;
        if random.one_in(8) {
            parameters += ",\"noop\":true";
        }
        if !references.is_empty() && random.one_in(3) {
            let edge = random.pick::<&str>(&["require", "subscribe"]);
            let _ = write!(parameters, ",\"{edge}\":\"{}\"", random.pick(&references));
        }
        let _ = write!(resources, ",\n{{\"type\":\"{kind}\",\"title\":\"{title}\",\"parameters\":{{{parameters}}}}}");
        let _ = write!(edges, ",\n{{\"source\":\"Class[main]\",\"target\":\"{reference}\"}}");
        references.push(reference);
    }
    format!(
        "{{\"name\":\"test\",\"catalog_format\":2,\"resources\":[{{\"type\":\"Stage\",\"title\":\"main\"}},\
         {{\"type\":\"Class\",\"title\":\"main\"}}{resources}],\
         \"edges\":[{{\"source\":\"Stage[main]\",\"target\":\"Class[main]\"}}{edges}]}}\n"
    )
}

/// Returns the type, the title and the parameters of a resource.
fn resource(random: &mut Rng, i: usize) -> (&'static str, String, String) {
    let mut pick = |items: &[&'static str]| *random.pick(items);
    let ensure = pick(&["present", "present", "absent"]);
    match pick(&["Host", "Sshkey", "File", "Exec", "Ssh_authorized_key", "File_line", "Ini_setting", "Notify"]) {
        "Host" => {
            let aliases = pick(&["", ",\"host_aliases\":[\"a\",\"b\"]", ",\"comment\":\"one\""]);
            let ip = pick(&["192.0.2.1", "2001:db8::1"]);
            let text = format!("\"ensure\":\"{ensure}\",\"ip\":\"{ip}\",\"target\":\"@/root/hosts\"{aliases}");
            ("Host", format!("h{i}.example.org"), text)
        }
        "Sshkey" => {
            let aliases = pick(&["", ",\"host_aliases\":[\"a\",\"192.0.2.1\"]"]);
            let kind = pick(&["ssh-rsa", "ssh-ed25519"]);
            let text = format!(
                "\"ensure\":\"{ensure}\",\"type\":\"{kind}\",\"key\":\"AAAA{i}\",\"target\":\"@/root/known\"{aliases}"
            );
            ("Sshkey", format!("k{i}"), text)
        }
        "File" => {
            let what = pick(&[
                "\"ensure\":\"file\",\"content\":\"one\\n\"",
                "\"ensure\":\"file\",\"content\":\"one\\n\",\"mode\":\"0600\"",
                "\"ensure\":\"absent\"",
                "\"ensure\":\"directory\",\"mode\":\"0755\"",
                "\"ensure\":\"link\",\"target\":\"nowhere\"",
            ]);
            ("File", format!("@/root/p{i}"), what.to_owned())
        }
        "Exec" => {
            let guard = pick(&[
                "\"creates\":\"@/root/eNUMBER\"",
                "\"refreshonly\":true",
                "\"unless\":\"/usr/bin/test -e @/root/eNUMBER\"",
            ])
            .replace("NUMBER", &i.to_string());
            ("Exec", format!("run{i}"), format!("\"command\":\"/usr/bin/touch @/root/e{i}\",{guard}"))
        }
        "Ssh_authorized_key" => {
            let text = format!(
                "\"ensure\":\"{ensure}\",\"type\":\"ssh-rsa\",\"key\":\"AAAAB3NzaC1yc2EAAAADAQAB\",\"target\":\"@/root/authorized{i}\",\"user\":\"root\""
            );
            ("Ssh_authorized_key", format!("a{i}"), text)
        }
        "File_line" => {
            let with = pick(&["", ",\"match\":\"^line\"", ",\"match\":\"^t\",\"multiple\":true"]);
            let text = format!("\"ensure\":\"{ensure}\",\"path\":\"@/root/lines{i}\",\"line\":\"line {i}\"{with}");
            ("File_line", format!("l{i}"), text)
        }
        "Ini_setting" => {
            let section = pick(&["", ",\"section\":\"s\""]);
            let text = format!(
                "\"ensure\":\"{ensure}\",\"path\":\"@/root/ini\",\"setting\":\"s{i}\",\"value\":\"{i}\"{section}"
            );
            ("Ini_setting", format!("i{i}"), text)
        }
        _ => ("Notify", format!("n{i}"), "\"message\":\"hello\"".to_owned()),
    }
}

/// Writes some of the files that catalogs edit, as others would have left them.
pub fn disturb(random: &mut Rng, root: &Path) {
    let files = [
        ("hosts", "127.0.0.1 localhost\n192.0.2.9 h0.example.org old # old\n"),
        ("known", "k0 ssh-rsa OLD\n# a comment\nother ssh-ed25519 AAAA\n"),
        ("lines0", "line 0\nline 1\nthree\nto\n"),
        ("ini", "s0 = 0\n[s]\ns1=x\n"),
        ("authorized0", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB a0\n"),
        ("e0", ""),
        ("p0", "one\n"),
    ];
    for (name, content) in files {
        if random.bool() {
            fs::write(root.join(name), content).expect("a file");
        }
    }
}
