//! Values that eyaml has encrypted: decrypted on the host, and hidden.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Ran, Scratch};

/// A key that only tests have, and the text `s3cret`, which was encrypted for it.
const KEY: &str = include_str!("../../../../crates/pp-eyaml/src/tests/key.pkcs1.pem");
const VALUES: &str = include_str!("../../../../crates/pp-eyaml/src/tests/values.txt");

const HIERA: &str = "version: 5\nhierarchy:\n  - name: Secrets\n    lookup_key: eyaml_lookup_key\n    path: secrets.eyaml\n    options:\n      pkcs7_private_key: @/host/key.pem\n";

const SITE: &str = "class app(String $password, String $port, Hash $users) {
  file { '@/app.conf': ensure => file, content => \"password = ${password}\\nport = ${port}\\n\" }
  file { '@/users': ensure => file, content => $users.map |$name, $pw| { \"${name}:${pw}\\n\" }.join }
  file { '@/plain': ensure => file, content => \"port = ${port}\\n\" }
  notice(\"the password is ${password}\")
}
include app
";

fn encrypted(name: &str) -> String {
    let line = VALUES.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    format!("ENC[PKCS7,{}]", line.expect("a value of that name"))
}

fn environment() -> Scratch {
    let scratch = Scratch::new("");
    for directory in ["env/manifests", "env/data", "host"] {
        std::fs::create_dir_all(scratch.path(directory)).expect("writable");
    }
    scratch.write("env/hiera.yaml", HIERA);
    scratch.write("env/manifests/site.pp", SITE);
    let secret = encrypted("simple");
    let data =
        format!("app::port: 'port-4711'\napp::password: {secret}\napp::users:\n  root: {secret}\n  guest: none\n");
    scratch.write("env/data/secrets.eyaml", &data);
    // Keys are often kept beside the data.
    std::fs::write(scratch.path("env/data/key.pem"), KEY).expect("writable");
    std::fs::write(scratch.path("host/key.pem"), KEY).expect("writable");
    protect(&scratch, 0o400);
    scratch
}

fn protect(scratch: &Scratch, mode: u32) {
    let path = scratch.path("host/key.pem");
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("our own file");
}

/// Returns a message without its line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn hides(ran: &Ran) {
    assert!(!ran.out.contains("s3cret") && !ran.err.contains("s3cret"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_host_decrypts_what_an_artifact_holds_encrypted() {
    let scratch = environment();
    let built = scratch.run("mclc", &["puppet", "env", "-o", "site.bin"]);
    assert_eq!(built.status, 0, "{}{}", built.out, built.err);
    let artifact = std::fs::read(scratch.path("site.bin")).expect("it was written");
    let holds = |text: &str| artifact.windows(text.len()).any(|part| part == text.as_bytes());
    let line = KEY.lines().nth(1).expect("a line of the key");
    assert!(holds("ENC[PKCS7,") && !holds("s3cret") && !holds(line) && !holds("PRIVATE KEY"));
    let plan = scratch.run("mgmt-rt", &["plan", "--puppet", "site.bin", "--prefix", "state"]);
    assert_eq!(plan.status, 3, "there are changes: {}{}", plan.out, plan.err);
    hides(&plan);
    assert!(plan.out.contains("********") && plan.out.contains("port-4711"), "{}", plan.out);
    let graph = scratch.run("mgmt-rt", &["graph", "--puppet", "site.bin"]);
    assert_eq!(graph.status, 0, "{}{}", graph.out, graph.err);
    hides(&graph);
    let apply = scratch.run("mgmt-rt", &["apply", "--puppet", "site.bin", "--once", "--prefix", "state"]);
    assert_eq!(apply.status, 0, "{}{}", apply.out, apply.err);
    hides(&apply);
    assert_eq!(scratch.read("app.conf").as_deref(), Some("password = s3cret\nport = port-4711\n"));
    assert_eq!(scratch.read("users").as_deref(), Some("root:s3cret\nguest:none\n"));
}

#[test]
fn a_key_that_is_not_protected_or_missing_is_one_error() {
    let scratch = environment();
    let catalog = || scratch.run("mclc", &["puppet", "env", "--emit", "catalog"]);
    let accepted = catalog();
    assert_eq!(accepted.status, 0, "{}", accepted.err);
    assert!(accepted.err.contains("the password is ********"), "{}", accepted.err);
    protect(&scratch, 0o644);
    let open = catalog();
    let message = one_line(&open.err);
    assert!(open.status == 1 && message.contains("is not protected") && message.contains("chmod 0400"), "{message}");
    std::fs::remove_file(scratch.path("host/key.pem")).expect("it exists");
    let missing = catalog();
    let message = one_line(&missing.err);
    assert!(missing.status == 1 && message.contains("cannot read"), "{message}");
    let lookup = |key: &str| scratch.run("mclc", &["puppet", "lookup", key, "--environment", "env"]);
    assert_eq!(lookup("app::port").out, "--- port-4711\n", "plain values need no key");
    assert_eq!(lookup("app::password").status, 1);
}

#[test]
fn a_lookup_prints_what_was_encrypted() {
    let scratch = environment();
    let options = "    options:\n      pkcs7_private_key_env_var: EYAML_KEY\n";
    let hiera = HIERA.split("    options:").next().unwrap_or_default();
    scratch.write("env/hiera.yaml", &format!("{hiera}{options}"));
    let mut command = scratch.command("mclc", &["puppet", "lookup", "app::users", "--environment", "env"]);
    let output = command.env("EYAML_KEY", KEY).output().expect("the tool starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "---\nroot: s3cret\nguest: none\n");
    let none = command.env_remove("EYAML_KEY").output().expect("the tool starts");
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stderr).contains("EYAML_KEY"), "{none:?}");
}

#[test]
fn a_wrong_key_and_another_method_are_errors_with_the_file() {
    let scratch = environment();
    let of = |value: &str| {
        scratch.write("env/data/secrets.eyaml", &format!("secret: {value}\n"));
        let ran = scratch.run("mclc", &["puppet", "lookup", "secret", "--environment", "env"]);
        assert!(ran.status == 1 && ran.err.contains("secrets.eyaml"), "{}{}", ran.out, ran.err);
        one_line(&ran.err)
    };
    assert!(of(&encrypted("foreign")).contains("encrypted for another key"));
    assert!(of("ENC[GPG,aGk=]").contains("GPG is not supported"));
    assert!(of("ENC[PKCS7,aGk=]").contains("not a PKCS7 envelope"));
}
