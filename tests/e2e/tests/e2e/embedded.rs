//! System modules that are written in mcl, from the import to the resource graph.

use serde_json::Value;

use crate::support::{Scratch, ran};

/// Checks `main.mcl`, which must be free of diagnostics but for kinds that are not implemented (W0202), and returns its
/// resource graph.
#[track_caller]
fn graph(scratch: &Scratch) -> Value {
    let checked = scratch.run("mclc", &["check", "main.mcl", "--format", "short", "-A", "W0202"]);
    assert_eq!((checked.status, checked.out.as_str(), checked.err.as_str()), (0, "", ""));
    scratch.build();
    let ran = scratch.run("mgmt-rt", &["graph", "main.bin", "--format", "json", "--prefix", "state"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).expect("the graph is JSON")
}

/// Returns a parameter of a resource.
#[track_caller]
fn param<'a>(graph: &'a Value, kind: &str, name: &str, param: &str) -> &'a Value {
    let resources = graph["resources"].as_array().expect("a list");
    let found = resources.iter().find(|r| r["kind"] == kind && r["name"] == name);
    &found.unwrap_or_else(|| panic!("there is no {kind}[{name}] in {resources:#?}"))["params"][param]
}

fn has(graph: &Value, kind: &str) -> bool {
    graph["resources"].as_array().expect("a list").iter().any(|r| r["kind"] == kind)
}

const BASE: &str = r#"import "embedded/provisioner"

include provisioner.base(struct{
	interface => "lo",
	router => "192.168.42.1/24",
	prefix => "@/served/",
	firewalld => false,
}) as base
include base.repo(struct{ version => "41", mirror => "http://mirror.example/" }) as fedora
"#;

const HOST: &str = r#"include base.host("web1", struct{
	repo => $fedora.uid,
	mac => "52:54:00:AA:00:01",
	ip => "192.168.42.101/24",
	provision => true,
	packages => ["vim-enhanced"],
	handoff_exec => "touch /root/handed-over",
}) as web1
print "web1" {
	msg => if $web1.provisioned { "installed, ${web1.host_sshkey}" } else { "not installed" },
}
"#;

#[test]
fn provisioner_serves_an_unattended_installation() {
    let graph = graph(&Scratch::new(&format!("{BASE}{HOST}")));
    let nbp = "tftp://192.168.42.1/uefi/ipxe.x86_64.efi";
    assert_eq!(param(&graph, "dhcp:server", ":67", "nbp"), nbp);
    assert_eq!(param(&graph, "dhcp:host", "web1", "mac"), "52:54:00:aa:00:01");
    assert_eq!(param(&graph, "dhcp:range", "192.168.42.0/24", "skip"), &serde_json::json!(["192.168.42.1"]));
    assert_eq!(
        param(&graph, "http:server:proxy", "/fedora41-x86_64/", "head"),
        "http://mirror.example/releases/41/Everything/x86_64/os/"
    );
    assert_eq!(param(&graph, "tftp:file", "/uefi/autoexec.ipxe", "server"), ":69");
    let script = param(&graph, "http:server:file", "/ipxe/52-54-00-aa-00-01.ipxe", "data").as_str().expect("a string");
    assert!(script.contains("inst.ks=http://192.168.42.1:4280/kickstart/52-54-00-aa-00-01.ks"), "{script}");
    let kickstarts = graph["resources"].as_array().expect("a list").iter();
    let kickstart = kickstarts
        .filter(|r| r["kind"] == "file" && r["name"].as_str().is_some_and(|name| name.ends_with("-01.ks")))
        .map(|r| r["params"]["content"].as_str().expect("a string"))
        .next()
        .expect("the host has a kickstart file");
    assert!(kickstart.contains("\nvim-enhanced\n") && kickstart.contains("\ntouch /root/handed-over\n"), "{kickstart}");
    assert_eq!(param(&graph, "print", "web1", "msg"), "not installed");
}

#[test]
fn installed_machine_boots_from_its_disk() {
    let host = HOST.replace("provision => true", "provision => false");
    let graph = graph(&Scratch::new(&format!("{BASE}{host}")));
    let script = param(&graph, "http:server:file", "/ipxe/52-54-00-aa-00-01.ipxe", "data").as_str().expect("a string");
    assert!(script.ends_with("exit\n") && !script.contains("kernel"), "{script}");
    assert!(!has(&graph, "bmc:power"));
}

#[test]
fn provisioner_hosts_come_from_the_shared_store() {
    let record = r#"kv "provisioner/db1" {
	value => "{\"mac\": \"52:54:00:aa:00:02\", \"ip\": \"192.168.42.102/24\", \"bios\": true}",
}
"#;
    let scratch = Scratch::new(record);
    assert_eq!(scratch.apply_once(&[]).status, 0);
    scratch.write("main.mcl", &format!("{BASE}include base.runner(struct{{}})\n"));
    let graph = graph(&scratch);
    assert_eq!(param(&graph, "dhcp:host", "db1", "nbp"), "tftp://192.168.42.1/undionly.kpxe");
}

#[test]
fn provisioner_rejects_invalid_options() {
    for (wrong, why) in [
        (BASE.replace("@/served/", "@/served"), "the prefix does not end with a slash"),
        (BASE.replace("\"@/served/\"", "\"\""), "the prefix is empty"),
        (BASE.replace("mirror => \"http://mirror.example/\"", "rsync => \"rsync://m\""), "does not end with a slash"),
        (format!("{BASE}include base.host(\"h\", struct{{ password => \"secret\" }})\n"), "a crypted one of 106 bytes"),
        (format!("{BASE}include base.host(\"h\", struct{{ provision => true }})\n"), "needs a repo and a mac"),
    ] {
        let scratch = Scratch::new(&wrong);
        scratch.build();
        let ran = scratch.run("mgmt-rt", &["graph", "main.bin"]);
        assert_eq!(ran.status, 1, "{}", ran.out);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

#[test]
fn mcl_and_native_definitions_share_a_module() {
    let graph = graph(&Scratch::new(
        r#"import "example"
test "sum" {
	int64 => example.answer() + example.nativeanswer() + example.test1() + $example.test1,
}
include example.test1
"#,
    ));
    assert_eq!(param(&graph, "test", "sum", "int64"), 42 + 42 + 42 + 13);
    assert!(has(&graph, "print"));
}

#[test]
fn provisioner_options_are_environment_variables() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/provisioner/main.mcl");
    let scratch = Scratch::new(&std::fs::read_to_string(example).expect("the example is there"));
    scratch.build();
    let graph = |variables: &[(&str, &str)]| {
        let mut command = scratch.command("mgmt-rt", &["graph", "main.bin", "--format", "json"]);
        command.envs(variables.iter().map(|(name, value)| (format!("MGMT_PROVISIONER_{name}"), value)));
        ran(command.output().expect("the tool starts"))
    };
    let wrong = graph(&[]);
    assert_eq!(wrong.status, 1, "{}", wrong.out);
    let why = "()` has nil value: the environment variable MGMT_PROVISIONER_";
    assert!(wrong.err.contains("func `embedded/provisioner.cli_") && wrong.err.contains(why), "{}", wrong.err);
    let right = graph(&[
        ("INTERFACE", "eth1"),
        ("ROUTER", "192.168.42.1/24"),
        ("PREFIX", "/srv/p/"),
        ("MAC", "52:54:00:00:00:01"),
        ("IP", "192.168.42.101/24"),
    ]);
    assert_eq!(right.status, 0, "{}", right.err);
    let graph: Value = serde_json::from_str(&right.out).expect("the graph is JSON");
    assert_eq!(param(&graph, "dhcp:server", ":67", "interface"), "eth1");
    assert_eq!(param(&graph, "dhcp:host", "machine", "ip"), "192.168.42.101/24");
}
