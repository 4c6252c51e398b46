//! `mclc puppet` and `mclc check` on manifests.

use serde_json::Value;

use crate::command::{Ran, Scratch};

const SITE: &str = "class web(Integer $port = 80) {\n  notify { \"port ${port}\": }\n}\ninclude web\nnotice(\"on ${facts['kernel']}\")\n";
const FACTS: &str = r#"{"kernel": "Linux", "networking": {"fqdn": "web1.example.com"}}"#;

fn scratch(files: &[(&str, &str)]) -> Scratch {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    Scratch::new(&files)
}

fn titles(ran: &Ran) -> Vec<String> {
    let catalog: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let resources = catalog["resources"].as_array().expect("resources");
    resources.iter().map(|r| format!("{}[{}]", r["type"].as_str().unwrap(), r["title"].as_str().unwrap())).collect()
}

#[test]
fn a_manifest_becomes_a_catalog() {
    let scratch = scratch(&[("site.pp", SITE), ("facts.json", FACTS)]);
    let ran = scratch.mclc(&["puppet", "site.pp", "--emit", "catalog", "--facts", "facts.json"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(titles(&ran), ["Stage[main]", "Class[Settings]", "Class[main]", "Class[Web]", "Notify[port 80]"]);
    assert_eq!(ran.stderr, "Notice: Scope(Class[main]): on Linux\n");
    let catalog: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(catalog["name"], "web1.example.com");
}

#[test]
fn a_manifest_is_read_from_standard_input() {
    let scratch = scratch(&[("facts.json", FACTS)]);
    let catalog = ["puppet", "-", "--emit", "catalog", "--facts", "facts.json"];
    let ran = scratch.mclc_with_input(&catalog, SITE.as_bytes());
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(titles(&ran), ["Stage[main]", "Class[Settings]", "Class[main]", "Class[Web]", "Notify[port 80]"]);
    let ran = scratch.mclc_with_input(&catalog, b"notify { 'a': mesage => 'b' }\n");
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("<stdin>:1:"), "{ran:?}");
    let ran = scratch.mclc_with_input(&["puppet", "-", "--emit", "ast", "--format", "pn"], b"$x = 1\n");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "(= (var \"x\") 1)\n"), "{ran:?}");
    let ran = scratch.mclc_with_input(&["puppet", "-", "-o", "site.bin"], SITE.as_bytes());
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran = scratch.mclc(&["puppet", "site.bin", "--emit", "catalog", "--facts", "facts.json"]);
    assert!(titles(&ran).contains(&"Notify[port 80]".to_owned()), "{ran:?}");
}

#[test]
fn standard_input_is_checked_as_the_file_that_it_is_named_after() {
    let scratch = scratch(&[]);
    let check = |name: &str, text: &str| {
        let ran = scratch.mclc_with_input(
            &["check", "--format", "short", "--warn", "W0310", "--filename", name, "-"],
            text.as_bytes(),
        );
        (ran.status, ran.stdout)
    };
    let (status, text) = check("manifests/site.pp", "notify { 'a' }\n");
    assert!(status == 1 && text.contains("manifests/site.pp:1:14: error[P0"), "{text}");
    let (status, text) = check("site.pp", "notice(\"a\")\n");
    assert!(status == 0 && text.contains("site.pp:1:8: warning[W0310]"), "{text}");
    let (status, text) = check("a.epp", "<% if { %>\n");
    assert!(status == 1 && text.contains("a.epp:1:"), "{text}");
}

#[test]
fn errors_and_messages_are_json_with_a_json_catalog() {
    let scratch = scratch(&[("site.pp", "notice('a')\nnotice(1 + 'x')\n")]);
    let ran = scratch.mclc(&["puppet", "site.pp", "--emit", "catalog", "--format", "json", "--node", "n"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:?}");
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["level"], "notice");
    assert_eq!(lines[1]["severity"], "error");
    assert_eq!(lines[1]["span"]["start"]["line"], 2);
}

#[test]
fn errors_of_all_manifests_are_reported() {
    let scratch = scratch(&[
        ("env/manifests/a.pp", "notice(\n"),
        ("env/manifests/b.pp", "class {\n"),
        ("env/manifests/c.pp", ""),
    ]);
    let ran = scratch.mclc(&["puppet", "env", "--emit", "catalog", "--diagnostics", "short", "--node", "n"]);
    assert_eq!(ran.status, 1);
    for name in ["env/manifests/a.pp:", "env/manifests/b.pp:"] {
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
}

#[test]
fn an_environment_is_compiled_from_its_artifact() {
    let files = [("env/manifests/site.pp", SITE), ("facts.json", FACTS)];
    let scratch = scratch(&files);
    let ran = scratch.mclc(&["puppet", "env", "-o", "site.bin"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    std::fs::remove_dir_all(scratch.path("env")).expect("a directory");
    let ran = scratch.mclc(&["puppet", "site.bin", "--emit", "catalog", "--facts", "facts.json", "--node", "other"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(titles(&ran).len(), 5);
    let ran = scratch.mclc(&["inspect", "site.bin"]);
    assert!(ran.stdout.contains("manifests/site.pp\n(block (class"), "{ran:?}");
    let ran = scratch.mclc(&["build", "site.bin", "-o", "x.bin"]);
    assert_ne!(ran.status, 0);
}

#[test]
fn strictness_is_that_of_puppet_8_on_request() {
    let scratch = scratch(&[("site.pp", "notice($nosuch)\n")]);
    let with = |options: &[&str]| {
        let mut args = vec!["puppet", "site.pp", "--emit", "catalog", "--node", "n"];
        args.extend(options);
        scratch.mclc(&args)
    };
    let ran = with(&[]);
    assert_eq!(ran.status, 0);
    assert!(ran.stderr.contains("Warning: Unknown variable: 'nosuch'. (file: site.pp, line: 1, column: 8)"), "{ran:?}");
    assert!(!with(&["--strict", "off"]).stderr.contains("Unknown variable"));
    assert_eq!(with(&["--strict", "error"]).status, 1);
    assert_eq!(with(&["--strict-variables"]).status, 1);
    assert_eq!(with(&["--strict", "error", "--strict-variables=false"]).status, 1, "strict warns of it as an error");
}

#[test]
fn trees_are_printed_in_the_notation_of_puppet() {
    let scratch = scratch(&[("a.pp", "$x = 1 + 2\n"), ("t.epp", "a <%= $x %>\n")]);
    let ran = scratch.mclc(&["puppet", "a.pp", "--emit", "ast", "--format", "pn"]);
    assert_eq!(ran.stdout, "(= (var \"x\") (+ 1 2))\n");
    let ran = scratch.mclc(&["puppet", "t.epp", "--emit", "ast"]);
    assert!(ran.stdout.contains("render"), "{ran:?}");
    let ran = scratch.mclc(&["puppet", "a.pp", "--emit", "ast", "--format", "dot"]);
    assert_eq!(ran.status, 1);
}

#[test]
fn habits_from_puppet_itself_get_the_right_command() {
    let scratch = Scratch::new(&[("a.pp", b"")]);
    for command in ["apply", "compile"] {
        let ran = scratch.mclc(&["puppet", command, "a.pp"]);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.contains("without a subcommand: `mclc puppet PATH --output FILE`"), "{ran:?}");
    }
    let ran = scratch.mclc(&["build", "a.pp", "-o", "a.bin"]);
    assert_eq!((ran.status, &*ran.stderr), (2, "mclc: `a.pp` is a Puppet manifest, which `mclc puppet` compiles\n"));
}

#[test]
fn a_path_that_cannot_be_read_is_a_usage_error() {
    let scratch = scratch(&[("site.pp", ""), ("facts.json", "[]"), ("env/modules/x", "")]);
    assert_eq!(scratch.mclc(&["puppet", "missing.pp", "--emit", "catalog"]).status, 2);
    let ran = scratch.mclc(&["puppet", "site.pp", "--emit", "catalog", "--facts", "facts.json"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("P0702"), "{ran:?}");
    let ran = scratch.mclc(&["puppet", "env", "--emit", "catalog"]);
    assert!(ran.stderr.contains("P0704"), "{ran:?}");
}

#[test]
fn check_reports_errors_and_lints_of_manifests() {
    let files = [
        ("modules/web/manifests/init.pp", "class web {\n  file { '/a': mode => '644' }\n}\n"),
        ("modules/web/manifests/server.pp", "class web::other {\n}\n"),
        ("modules/web/templates/a.epp", "<%= $x %>\n"),
        ("bad.pp", "notice(\n"),
    ];
    let scratch = scratch(&files);
    let ran = scratch.mclc(&["check", "modules/web", "--format", "short"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("modules/web/manifests/init.pp:2:24: warning[W0318]"), "{ran:?}");
    assert!(ran.stdout.contains("modules/web/manifests/server.pp:1:7: warning[W0332]"), "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 2, "{ran:?}");
    let ran = scratch.mclc(&[
        "check",
        "modules/web",
        "--format",
        "short",
        "--warn",
        "all",
        "--allow",
        "W0332",
        "--deny",
        "W0318",
    ]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("W0309") && !ran.stdout.contains("W0332") && ran.stdout.contains("error[W0318]"),
        "{ran:?}"
    );
    let ran = scratch.mclc(&["check", "bad.pp"]);
    assert_eq!(ran.status, 1, "{ran:?}");
}

#[test]
fn lints_of_manifests_have_the_names_of_puppet_lint() {
    let scratch = scratch(&[("a.pp", "$x = [\n  1\n]\nnotice(010)\n")]);
    let ran = scratch.mclc(&["check", "a.pp", "--format", "short", "-W", "trailing_comma", "-A", "leading_zero"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("a.pp:2:3: warning[W0346]") && ran.stdout.lines().count() == 1, "{ran:?}");
    let ran = scratch.mclc(&["check", "a.pp", "-W", "trailing_coma"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.contains("did you mean `trailing_comma`?"), "{ran:?}");
    let ran = scratch.mclc(&["explain", "trailing_comma"]);
    assert!(ran.stdout.contains("W0346"), "{ran:?}");
}

#[test]
fn a_broken_file_of_a_module_matters_only_if_it_is_needed() {
    let files = [
        ("env/manifests/site.pp", "include good\n"),
        ("env/modules/good/manifests/init.pp", "class good {}\n"),
        ("env/modules/bad/manifests/init.pp", "class bad {\n"),
    ];
    let scratch = scratch(&files);
    let args = ["puppet", "env", "--emit", "catalog", "--diagnostics", "short", "--node", "n"];
    let ran = scratch.mclc(&args);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{ran:?}");
    // The artifact of an environment holds all files, for any node.
    let ran = scratch.mclc(&["puppet", "env", "-o", "site.bin", "--diagnostics", "short"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stderr.contains("env/modules/bad/manifests/init.pp:1:11: warning"), "{ran:?}");
    scratch.write("env/manifests/site.pp", "include bad\n");
    let ran = scratch.mclc(&args);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stderr.contains("env/modules/bad/manifests/init.pp:1:11: error"), "{ran:?}");
    let built = scratch.mclc(&["puppet", "env", "-o", "site.bin"]);
    assert_eq!(built.status, 0, "{built:?}");
    let ran = scratch.mclc(&["puppet", "site.bin", "--emit", "catalog", "--diagnostics", "short", "--node", "n"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stderr.contains("modules/bad/manifests/init.pp:1:11: error"), "{ran:?}");
}

#[test]
fn resources_copy_files_of_modules_wherever_the_modules_are() {
    let manifest = "file { '/srv/a': source => 'puppet:///modules/m/sub/a.txt' }\n";
    let scratch = scratch(&[
        ("env/manifests/site.pp", manifest),
        ("env/modules/m/files/sub/a.txt", "text of the module\n"),
        ("base/m/files/sub/a.txt", "another text\n"),
        ("secret", "secret text\n"),
        ("facts.json", FACTS),
    ]);
    let graph = |path: &str| {
        let options = ["--emit", "graph", "--format", "json", "--facts", "facts.json", "--modulepath", "base"];
        let ran = scratch.mclc(&[&["puppet", path, "--node", "n"][..], &options].concat());
        (ran.stdout, ran.stderr)
    };
    assert!(graph("env").0.contains("text of the module"), "{:?}", graph("env"));
    let built = scratch.mclc(&["puppet", "env", "-o", "site.bin"]);
    assert_eq!(built.status, 0, "{built:?}");
    assert!(graph("site.bin").0.contains("text of the module"), "{:?}", graph("site.bin"));

    // Nothing outside of a module is read.
    let link = scratch.path("env/modules/m/files/link");
    std::os::unix::fs::symlink(scratch.path("secret"), link).expect("writable");
    for source in ["m/link", "m/../../../../secret", "../../secret", "m//../../../secret"] {
        scratch
            .write("env/manifests/site.pp", format!("file {{ '/srv/a': source => 'puppet:///modules/{source}' }}\n"));
        let (out, errors) = graph("env");
        assert!(!out.contains("secret text") && errors.contains("source"), "{source}: {out}\n{errors}");
    }
}

/// An environment with a module, a role in a directory of its own, and a main manifest.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("environment.conf", "modulepath = site:modules\n"),
    ("manifests/site.pp", "node default {\n  include role::wbe\n}\n"),
    ("site/role/manifests/web.pp", "# A role.\nclass role::web {\n  web::site { 'a': prt => 80 }\n}\n"),
    ("modules/web/manifests/site.pp", "# A site.\ndefine web::site(Web::Port $port = 80) {\n  notice($port)\n}\n"),
    ("modules/web/types/port.pp", "# A port.\ntype Web::Port = Integer[1, 65535]\n"),
];

#[test]
fn uses_are_compared_with_definitions_in_other_files() {
    let scratch = scratch(&ENVIRONMENT);
    let found = |arguments: &[&str], input: &str| {
        let ran = scratch.mclc_with_input(&[&["check", "--format", "short"], arguments].concat(), input.as_bytes());
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.stdout
    };
    let in_site = "manifests/site.pp:2:11: warning[W0380]: the module `role` has no class `role::wbe`\n";
    let in_role = "site/role/manifests/web.pp:3:20: warning[W0375]: `web::site` has no parameter `prt`\n";
    // A file, a directory and all of it, from any directory.
    assert_eq!(found(&["manifests/site.pp"], ""), in_site);
    assert_eq!(found(&["site"], ""), in_role);
    assert_eq!(found(&["."], ""), [in_site, in_role].concat());
    assert_eq!(found(&["manifests/site.pp", "site/role"], ""), [in_site, in_role].concat());
    let typed = "web::site { 'a': port => 70000 }\n";
    let in_input = "manifests/new.pp:1:26: warning[W0377]: `port` does not accept 70000\n";
    assert_eq!(found(&["--filename", "manifests/new.pp", "-"], typed), in_input);
    // Elsewhere the module is not known, unless the command line says where it is.
    assert_eq!(found(&["--filename", "/nowhere/new.pp", "-"], typed), "");
    let named = found(&["--filename", "/nowhere/new.pp", "--puppet-module-path", "modules", "-"], typed);
    assert!(named.ends_with(":1:26: warning[W0377]: `port` does not accept 70000\n"), "{named}");
}
