//! Code actions, settings, lenses, commands, and tokens that changed (spec 11 §3.7, §3.9, §3.10).

use serde_json::{Value, json};

use super::client::Client;

const URI: &str = "file:///nowhere/main.mcl";

/// Starts a server for a client with all that code actions need.
fn client(resolves: bool, options: &Value) -> Client {
    let mut client = Client::new();
    let mut actions = json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}}});
    if resolves {
        actions["resolveSupport"] = json!({"properties": ["edit"]});
    }
    let completion = json!({"completionItem": {"resolveSupport": {"properties": ["documentation"]}}});
    let capabilities = json!({
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "codeAction": actions,
            "completion": completion,
            "publishDiagnostics": {"relatedInformation": true, "dataSupport": true},
        },
    });
    let params = json!({"processId": null, "capabilities": capabilities, "initializationOptions": options});
    client.request("initialize", params);
    client.notify("initialized", json!({}));
    client
}

fn actions(client: &mut Client, range: [u32; 4], only: Option<&[&str]>) -> Vec<Value> {
    let [line, start, to_line, end] = range;
    let range = json!({"start": {"line": line, "character": start}, "end": {"line": to_line, "character": end}});
    let mut context = json!({"diagnostics": []});
    if let Some(only) = only {
        context["only"] = json!(only);
    }
    let params = json!({"textDocument": {"uri": URI}, "range": range, "context": context});
    client.request("textDocument/codeAction", params)["result"].as_array().expect("a list").clone()
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().filter_map(|action| action["title"].as_str()).collect()
}

fn codes(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().expect("a list").iter().filter_map(|found| found["code"].as_str()).collect()
}

#[test]
fn quick_fixes_are_those_of_the_findings_in_the_range() {
    let mut client = client(false, &json!({}));
    client.open(URI, "$root = \"ä\"\n$l = [1, 2,]\n$x = \"ä\" + $rot\n");
    let found = client.diagnostics(URI, Some(1));
    let unknown = found.as_array().and_then(|found| found.iter().find(|found| found["code"] == "E0601")).expect("it");
    assert_eq!(unknown["data"], json!({"fixes": ["replace with `$root`"]}));
    let here = actions(&mut client, [2, 12, 2, 12], None);
    assert_eq!(titles(&here), ["replace with `$root`"]);
    assert_eq!((&here[0]["kind"], &here[0]["isPreferred"]), (&json!("quickfix"), &json!(true)));
    assert_eq!(here[0]["diagnostics"][0], *unknown);
    let edit = &here[0]["edit"]["changes"][URI][0];
    let range = json!({"start": {"line": 2, "character": 12}, "end": {"line": 2, "character": 15}});
    assert_eq!(*edit, json!({"range": range, "newText": "root"}));
    let lint = actions(&mut client, [1, 0, 1, 12], Some(&["quickfix"]));
    assert_eq!(titles(&lint), ["remove the comma", "allow W0101 on this line", "allow W0101 in this file"]);
    assert_eq!(actions(&mut client, [0, 0, 0, 3], Some(&["quickfix"])), Vec::<Value>::new());
}

#[test]
fn refactorings_are_offered_for_the_selection() {
    let mut client = client(false, &json!({}));
    client.open(URI, "class site {\n\ttest \"ä\" {\n\t\tint64 => 1 + 2,\n\t}\n}\ninclude site\n");
    let found = actions(&mut client, [2, 11, 2, 16], Some(&["refactor"]));
    assert_eq!(titles(&found), ["extract into the variable `$int64`"]);
    assert_eq!(found[0]["kind"], "refactor.extract");
    assert_eq!(titles(&actions(&mut client, [2, 11, 2, 16], None)), ["extract into the variable `$int64`"]);
    assert_eq!(actions(&mut client, [2, 11, 2, 16], Some(&["refactor.inline", "quickfix"])), Vec::<Value>::new());
    // This client cannot create files.
    assert_eq!(actions(&mut client, [0, 7, 0, 7], Some(&["refactor.move"])), Vec::<Value>::new());
}

#[test]
fn class_is_moved_by_a_client_that_creates_files() {
    let mut client = Client::new();
    let edits = json!({"documentChanges": true, "resourceOperations": ["create", "rename"]});
    let actions_of = json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}}});
    let capabilities = json!({"workspace": {"workspaceEdit": edits}, "textDocument": {"codeAction": actions_of}});
    client.request("initialize", json!({"processId": null, "capabilities": capabilities}));
    client.notify("initialized", json!({}));
    client.open(URI, "class site {\n\ttest \"t\" {}\n}\ninclude site\n");
    let found = actions(&mut client, [0, 7, 0, 7], Some(&["refactor.move"]));
    assert_eq!(titles(&found), ["move the class to `site.mcl`"]);
    let changes = found[0]["edit"]["documentChanges"].as_array().expect("a list of changes");
    let new = "file:///nowhere/site.mcl";
    assert_eq!(changes[0], json!({"kind": "create", "uri": new, "options": {"overwrite": false}}));
    assert_eq!(changes[1]["textDocument"], json!({"uri": new, "version": null}));
    assert_eq!(changes[1]["edits"][0]["newText"], "class site {\n\ttest \"t\" {}\n}\n");
    assert_eq!(changes[2]["textDocument"]["uri"], URI);
    assert_eq!(changes[2]["edits"].as_array().map(Vec::len), Some(2));
}

#[test]
fn actions_of_the_source_are_for_those_who_ask_for_them() {
    let text = "import \"fmt\"\nimport \"net\"\n\n$l = [1, 2,]\nprint \"p\" {\n\tmsg => fmt.printf(\"a\"),\n}\n";
    let text = format!("{text}test \"t\" {{\n\tint64 => $l[0],\n}}\n");
    let mut resolving = client(true, &json!({}));
    resolving.open(URI, &text);
    let found = actions(&mut resolving, [0, 0, 0, 0], Some(&["source"]));
    assert_eq!(titles(&found), ["fix all that is safe to fix", "remove unused imports"]);
    assert!(found.iter().all(|action| action.get("edit").is_none()), "{found:?}");
    let resolved = resolving.request("codeAction/resolve", found[0].clone());
    assert_eq!(resolved["result"]["edit"]["changes"][URI].as_array().map(Vec::len), Some(2), "{resolved}");
    let mut eager = client(false, &json!({}));
    eager.open(URI, &text);
    let found = actions(&mut eager, [0, 0, 0, 0], Some(&["source.organizeImports"]));
    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}});
    assert_eq!(found[0]["edit"]["changes"][URI], json!([{"range": range, "newText": ""}]));
    eager.change(URI, 2, None, "print \"a\" {}\n");
    assert_eq!(actions(&mut eager, [0, 0, 0, 0], Some(&["source.fixAll"])), Vec::<Value>::new());
}

#[test]
fn clients_without_code_actions_get_none() {
    let mut client = Client::with_encoding("utf-8");
    client.open(URI, "$l = [1, 2,]\n");
    assert_eq!(actions(&mut client, [0, 0, 0, 12], None), Vec::<Value>::new());
}

#[test]
fn settings_set_levels_of_lints_and_hints() {
    let options = json!({"allow": ["W0101"], "doc": {"url": "https://example.com/errors"}, "inlayHints.types": false});
    let mut client = client(false, &options);
    client.open(
        URI,
        "import \"fmt\"\n$l = [1, 2,]\n$s = fmt.printf(\"%d\", $l[0])\nprint \"p\" { # mclc: nope\n\tmsg => $s,\n}\n",
    );
    let found = client.diagnostics(URI, Some(1));
    assert_eq!(codes(&found), ["W0207"]);
    assert_eq!(found[0]["codeDescription"]["href"], "https://example.com/errors/W0207");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}});
    let hints = json!({"textDocument": {"uri": URI}, "range": range});
    assert_eq!(client.request("textDocument/inlayHint", hints.clone())["result"], json!([]));
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"mclc": {"deny": ["W01"]}}}));
    let found = client.diagnostics(URI, Some(1));
    assert_eq!(codes(&found), ["W0207", "W0101"]);
    assert_eq!(found[1]["severity"], 1);
    assert_ne!(client.request("textDocument/inlayHint", hints)["result"], json!([]));
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"mclc": {"lens": {"references": 5}}}}));
    let message = loop {
        let message = client.read().expect("a message");
        if message["method"] == "window/showMessage" {
            break message;
        }
    };
    assert_eq!(message["params"]["type"], 2);
}

#[test]
fn lenses_count_references() {
    let text = "class web {}\nfunc f() {\n\t1\n}\ninclude web\ninclude web\n$x = f()\n";
    let params = json!({"textDocument": {"uri": URI}});
    let mut off = client(false, &json!({}));
    off.open(URI, text);
    assert_eq!(off.request("textDocument/codeLens", params.clone())["result"], json!([]));
    let mut on = client(false, &json!({"lens": {"references": true}}));
    on.open(URI, text);
    let lenses = on.request("textDocument/codeLens", params)["result"].take();
    let lenses = lenses.as_array().expect("a list");
    let titles: Vec<&Value> = lenses.iter().map(|lens| &lens["command"]["title"]).collect();
    assert_eq!(titles, ["2 references", "1 reference"]);
    assert_eq!(lenses[0]["command"]["arguments"][2].as_array().map(Vec::len), Some(2));
}

#[test]
fn commands_explain_and_refuse_what_they_do_not_know() {
    let mut client = client(false, &json!({}));
    client.open(URI, "$x = $nope\n");
    let mut run = |command: &str, argument: &str| {
        client.request("workspace/executeCommand", json!({"command": command, "arguments": [argument]}))
    };
    let explained = run("mclc.explain", "e0601")["result"].take();
    assert!(explained.as_str().is_some_and(|text| text.starts_with("# E0601 ")), "{explained}");
    assert_eq!(run("mclc.explain", "E9999")["error"]["code"], -32602);
    assert_eq!(run("mclc.nope", "")["error"]["code"], -32602);
    // A program with errors has no graph.
    assert_eq!(run("mclc.showGraph", URI)["error"]["code"], -32803);
}

#[test]
fn changed_tokens_are_sent_as_edits() {
    let mut client = client(false, &json!({}));
    client.open(URI, "$a = 1\n$b = 2\n$c = 3\n");
    let document = json!({"textDocument": {"uri": URI}});
    let full = client.request("textDocument/semanticTokens/full", document.clone())["result"].take();
    let mut data: Vec<Value> = full["data"].as_array().expect("tokens").clone();
    client.change(URI, 2, Some([1, 5, 1, 6]), "\"two\"");
    let params = json!({"textDocument": {"uri": URI}, "previousResultId": full["resultId"]});
    let delta = client.request("textDocument/semanticTokens/full/delta", params)["result"].take();
    let edits = delta["edits"].as_array().expect("edits");
    assert_eq!(edits.len(), 1);
    let number = |name: &str| usize::try_from(edits[0][name].as_u64().expect("a number")).expect("it fits");
    let (start, count) = (number("start"), number("deleteCount"));
    assert!(count < data.len());
    data.splice(start..start + count, edits[0]["data"].as_array().expect("numbers").iter().cloned());
    let whole = client.request("textDocument/semanticTokens/full", document)["result"].take();
    assert_eq!(whole["data"], Value::Array(data));
    // What the server does not know any more is sent as a whole.
    let params = json!({"textDocument": {"uri": URI}, "previousResultId": "0"});
    let delta = client.request("textDocument/semanticTokens/full/delta", params)["result"].take();
    assert_eq!(delta["data"], whole["data"]);
}

#[test]
fn documentation_of_completions_is_sent_when_asked_for() {
    let mut client = client(false, &json!({}));
    client.open(URI, "import \"fmt\"\n$s = fmt.pri\n");
    let position = json!({"line": 1, "character": 12});
    let params = json!({"textDocument": {"uri": URI}, "position": position});
    let list = client.request("textDocument/completion", params)["result"].take();
    let printf = list["items"].as_array().and_then(|items| items.iter().find(|item| item["label"] == "fmt.printf"));
    let printf = printf.unwrap_or_else(|| panic!("{list}")).clone();
    assert!(printf.get("documentation").is_none(), "{printf}");
    let resolved = client.request("completionItem/resolve", printf)["result"].take();
    assert!(resolved["documentation"]["value"].as_str().is_some_and(|text| !text.is_empty()), "{resolved}");
}
