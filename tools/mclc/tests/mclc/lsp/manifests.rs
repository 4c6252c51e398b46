//! Puppet manifests in the server (spec 11 §2.8).

use serde_json::{Value, json};
use test_support::Scratch;

use super::client::Client;
use crate::command::run;

const CLASS: &str = "# NTP.\nclass ntp($a = 'ä') {\n  package { '😀': ensure => installed }\n  file { '/a':\n    mode => '0644',\n  }\n}\n";

fn codes(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().expect("a list").iter().filter_map(|d| d["code"].as_str()).collect()
}

#[test]
fn manifests_have_the_diagnostics_of_check() {
    let scratch = Scratch::with_files([("metadata.json", "{}"), ("manifests/init.pp", CLASS)]);
    let path = scratch.path("manifests/init.pp");
    let uri = format!("file://{}", path.display());
    let mut client = Client::with_encoding("utf-16");
    client.open(&uri, CLASS);
    let texts = [
        CLASS.to_owned(),
        CLASS.replace("'0644'", "644"),
        CLASS.replace("class ntp", "class other"),
        CLASS.replace("ensure =>", "ensure ="),
        CLASS.replace("  }\n}", "  }\n"),
        format!("{CLASS}if $x == 1 {{ }}\n  $y-z = 1\n"),
    ];
    for (version, text) in (2..).zip(&texts) {
        client.change(&uri, version, None, text);
        let found = client.diagnostics(&uri, Some(version));
        let checked = run(
            scratch.dir(),
            &["check", "--format", "short", "--filename", "manifests/init.pp", "-"],
            text.as_bytes(),
        );
        let lines = found.as_array().expect("a list").iter().map(|found| {
            let start = &found["range"]["start"];
            let number = |field: &str| start[field].as_u64().expect("a number") + 1;
            (number("line"), found["code"].as_str().expect("a code").to_owned())
        });
        let expected = checked.stdout.lines().filter_map(|line| {
            let mut parts = line.split(':').skip(1);
            let number = parts.next()?.parse().ok()?;
            let code = line.split(['[', ']']).nth(1)?;
            Some((number, code.to_owned()))
        });
        let lines: Vec<(u64, String)> = lines.collect();
        assert_eq!(lines, expected.collect::<Vec<(u64, String)>>(), "{text}\n{checked:?}");
    }
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.diagnostics(&uri, None), json!([]));
}

#[test]
fn the_other_files_of_a_module_have_diagnostics_while_one_is_open() {
    let server = "# A server.\nclass ntp::server {\n  file { '/b': mode => 644 }\n}\n";
    let scratch = Scratch::with_files([
        ("ntp/metadata.json", "{}"),
        ("ntp/manifests/init.pp", CLASS),
        ("ntp/manifests/server.pp", server),
        ("ntp/templates/a.epp", "<%= $a b %>\n"),
        ("ntp/spec/fixtures/modules/other/manifests/init.pp", "class {\n"),
    ]);
    let uri = |file: &str| format!("file://{}", scratch.path(file).display());
    let (init, other, template) =
        (uri("ntp/manifests/init.pp"), uri("ntp/manifests/server.pp"), uri("ntp/templates/a.epp"));
    let mut client = Client::with_encoding("utf-16");
    client.open(&init, CLASS);
    assert_eq!(client.diagnostics(&init, Some(1)), json!([]));
    let found = client.diagnostics(&other, None);
    assert_eq!((codes(&found).len(), &found[0]["range"]["start"]["line"]), (1, &json!(2)), "{found}");
    assert_eq!(codes(&client.diagnostics(&template, None)).len(), 1);
    // The disk counts until the file is open.
    std::fs::write(scratch.path("ntp/manifests/server.pp"), server.replace("644", "'0644'")).expect("writable");
    let changes = json!({"changes": [{"uri": other, "type": 2}]});
    client.notify("workspace/didChangeWatchedFiles", changes.clone());
    assert_eq!(client.diagnostics(&other, None), json!([]));
    client.open(&other, server);
    assert_eq!(codes(&client.diagnostics(&other, Some(1))).len(), 1);
    std::fs::remove_file(scratch.path("ntp/templates/a.epp")).expect("it exists");
    client.notify("workspace/didChangeWatchedFiles", changes);
    assert_eq!(client.diagnostics(&template, None), json!([]));
    // With the last open file, the module goes.
    std::fs::write(scratch.path("ntp/manifests/server.pp"), server).expect("writable");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": other}}));
    assert_eq!(codes(&client.diagnostics(&other, None)).len(), 1);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": init}}));
    assert_eq!(client.diagnostics(&other, None), json!([]));
}

#[test]
fn blocks_of_manifests_are_folded() {
    let uri = "file:///nowhere/a.pp";
    let mut client = Client::with_encoding("utf-16");
    client.open(uri, CLASS);
    let folds = client.at("textDocument/foldingRange", uri, 0, 0);
    let lines = |fold: &Value| (fold["startLine"].as_u64(), fold["endLine"].as_u64());
    let lines: Vec<_> = folds.as_array().expect("a list").iter().map(lines).collect();
    assert_eq!(lines, [(Some(1), Some(5)), (Some(3), Some(4))]);
}

#[test]
fn lints_of_manifests_have_the_levels_of_the_settings() {
    let uri = "file:///nowhere/a.pp";
    let mut client = Client::with_encoding("utf-8");
    client.open(uri, "file { '/a': mode => 644 }\n");
    let found = client.diagnostics(uri, Some(1));
    let [lint] = codes(&found)[..] else { panic!("{found}") };
    let levels = |client: &mut Client, level: &str, lint: &str| {
        client.notify("workspace/didChangeConfiguration", json!({"settings": {"mclc": {level: [lint]}}}));
        client.diagnostics(uri, Some(1))
    };
    assert_eq!(levels(&mut client, "deny", lint)[0]["severity"], 1);
    assert_eq!(levels(&mut client, "allow", lint), json!([]));
}

#[test]
fn symbols_of_manifests_are_definitions_and_resources() {
    let uri = "file:///nowhere/ntp/manifests/init.pp";
    let mut client = Client::with_encoding("utf-16");
    client.open(uri, CLASS);
    let symbols = client.at("textDocument/documentSymbol", uri, 0, 0);
    assert_eq!((&symbols[0]["name"], &symbols[0]["detail"]), (&json!("ntp"), &json!("class")));
    let inside = &symbols[0]["children"][0];
    assert_eq!(inside["name"], "package '😀'");
    assert_eq!(inside["selectionRange"]["start"], json!({"line": 2, "character": 12}));
    // It is not taken for a program.
    assert_eq!(client.at("textDocument/hover", uri, 1, 8), Value::Null);
    assert_eq!(client.at("textDocument/completion", uri, 1, 8), Value::Null);
    let params = json!({"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": true}});
    assert_eq!(client.request("textDocument/formatting", params)["result"], Value::Null);
}

#[test]
fn diagnostics_change_with_the_definitions_of_other_files() {
    let use_of = "# A role.\nclass role(String $a) {\n  web::site { $a: port => 80 }\n  include web::tls\n}\n";
    let site = "# A site.\ndefine web::site(Integer $port) {\n  notice($port)\n}\n";
    let scratch = Scratch::with_files([
        ("modules/role/manifests/init.pp", use_of),
        ("modules/web/manifests/site.pp", site),
        ("modules/web/manifests/tls.pp", "# TLS.\nclass web::tls {}\n"),
    ]);
    let uri = |file: &str| format!("file://{}", scratch.path(file).display());
    let (role, web) = (uri("modules/role/manifests/init.pp"), uri("modules/web/manifests/site.pp"));
    let mut client = Client::with_encoding("utf-16");
    client.open(&role, use_of);
    assert_eq!(client.diagnostics(&role, Some(1)), json!([]));
    // An edit that is not saved.
    client.open(&web, site);
    let edits = [
        (site.replace("$port", "$prot"), vec!["W0375"]),
        (site.replace("Integer", "Boolean"), vec!["W0377"]),
        (site.replace("$port)", "$port, $root)").replace("notice(", "notice($root, "), vec!["W0379"]),
        (site.replace("define", "class").replace("web::site", "web"), vec!["W0380"]),
        // Nothing is known of what has errors.
        (site.replace("(Integer", "(Integer ="), vec![]),
    ];
    for (version, (text, expected)) in (2..).zip(edits) {
        client.change(&web, version, None, &text);
        assert_eq!(codes(&client.diagnostics(&role, Some(1))), expected, "{text}");
    }
    // What is closed is as on the disk.
    client.change(&web, 10, None, &site.replace("$port", "$prot"));
    assert_eq!(codes(&client.diagnostics(&role, Some(1))), ["W0375"]);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": web}}));
    assert_eq!(client.diagnostics(&role, Some(1)), json!([]));
    // A file of a module of which none is open.
    std::fs::remove_file(scratch.path("modules/web/manifests/tls.pp")).expect("it exists");
    let changes = json!({"changes": [{"uri": uri("modules/web/manifests/tls.pp"), "type": 3}]});
    client.notify("workspace/didChangeWatchedFiles", changes);
    assert_eq!(codes(&client.diagnostics(&role, Some(1))), ["W0380"]);
}
