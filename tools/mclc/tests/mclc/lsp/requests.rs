//! Diagnostics, and a request of each kind (spec 11 §2.3, §2.4, §3).

use serde_json::{Value, json};
use test_support::Scratch;

use super::client::Client;

const URI: &str = "file:///nowhere/main.mcl";

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

fn codes(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().expect("a list").iter().filter_map(|d| d["code"].as_str()).collect()
}

#[test]
fn diagnostics_are_those_of_check() {
    for (encoding, start) in [("utf-16", 11), ("utf-8", 12)] {
        let mut client = Client::with_encoding(encoding);
        client.open(URI, "$x = \"ä\" + $nope\n");
        let found = client.diagnostics(URI, Some(1));
        assert_eq!(codes(&found), ["E0601"]);
        assert_eq!(found[0]["range"], range(0, start, start + 5));
        assert_eq!((&found[0]["severity"], &found[0]["source"]), (&json!(1), &json!("mclc")));
        client.change(URI, 2, Some([0, 9, 0, start + 5]), "");
        assert_eq!(client.diagnostics(URI, Some(2)), json!([]));
    }
    let mut client = Client::with_encoding("utf-8");
    client.open(URI, "import \"fmt\"\n$s = fmt.prinf(\"a\")\n");
    let found = client.diagnostics(URI, Some(1));
    assert_eq!(codes(&found), ["E0602"]);
    let message = found[0]["message"].as_str().expect("a string");
    assert!(message.contains("\nhelp: ") && message.contains("fmt.printf"), "{message}");
}

#[test]
fn only_the_newest_text_has_diagnostics() {
    let mut client = Client::with_encoding("utf-8");
    client.open(URI, "$x = 1\n");
    for version in 2..=101 {
        client.change(URI, version, Some([0, 5, 0, 6]), if version % 2 == 0 { "$" } else { "1" });
    }
    client.change(URI, 102, Some([0, 5, 0, 6]), "$nope");
    let mut publications = Vec::new();
    while publications.last() != Some(&102) {
        let message = client.read().expect("a message");
        if message["method"] == "textDocument/publishDiagnostics" {
            publications.push(message["params"]["version"].as_i64().expect("a version"));
            if publications.last() == Some(&102) {
                assert_eq!(codes(&message["params"]["diagnostics"]), ["E0601"]);
            }
        }
    }
    assert!(publications.is_sorted() && publications.len() < 100, "{publications:?}");
}

#[test]
fn files_that_are_not_open_have_diagnostics_too() {
    let scratch = Scratch::with_files([
        ("metadata.yaml", ""),
        ("main.mcl", "import \"lib/\"\ninclude lib.web\n"),
        ("lib/main.mcl", "class web {}\n"),
    ]);
    let uri = |name: &str| format!("file://{}", scratch.path(name).display());
    let (main, lib) = (uri("main.mcl"), uri("lib/main.mcl"));
    let mut client = Client::with_encoding("utf-16");
    client.open(&lib, "class web {}\n");
    client.change(&lib, 2, Some([0, 6, 0, 9]), "site");
    assert_eq!(codes(&client.diagnostics(&main, None)), ["E0604"]);
    client.change(&lib, 3, Some([0, 6, 0, 10]), "web");
    assert_eq!(client.diagnostics(&main, None), json!([]));
}

#[test]
fn an_unsaved_text_without_a_file_is_a_program() {
    let mut client = Client::with_encoding("utf-16");
    client.open("untitled:Untitled-1", "$x = $nope\n");
    assert_eq!(codes(&client.diagnostics("untitled:Untitled-1", Some(1))), ["E0601"]);
}

#[test]
fn names_are_described_and_found() {
    let mut client = Client::with_encoding("utf-16");
    client.open(URI, "# The answer.\n$ä = 1\n");
    client.change(URI, 2, None, "# The 😀 answer.\n$answer = 42\n\ntest \"😀${answer}\" {\n\tint64 => $answer,\n}\n");
    let hover = client.at("textDocument/hover", URI, 4, 12);
    let text = hover["contents"]["value"].as_str().expect("Markdown");
    assert!(text.starts_with("```mcl\n$answer int\n```") && text.contains("The 😀 answer."), "{text}");
    assert_eq!(hover["range"], range(4, 10, 17));
    let definition = client.at("textDocument/definition", URI, 4, 12);
    assert_eq!(definition, json!([{"uri": URI, "range": range(1, 0, 7)}]));
    let references = client.at("textDocument/references", URI, 1, 2);
    let ranges: Vec<&Value> = references.as_array().expect("a list").iter().map(|found| &found["range"]).collect();
    assert_eq!(ranges, [&range(1, 0, 7), &range(3, 10, 16), &range(4, 10, 17)]);
    let highlights = client.at("textDocument/documentHighlight", URI, 1, 2);
    let kinds: Vec<&Value> = highlights.as_array().expect("a list").iter().map(|found| &found["kind"]).collect();
    assert_eq!(kinds, [3, 2, 2]);
}

#[test]
fn symbols_completions_and_tokens_are_answered() {
    let mut client = Client::with_encoding("utf-8");
    client.open(URI, "class c($a) {\n\tfile \"/a\" {\n\t\tsta\n\t}\n}\n");
    let symbols = client.at("textDocument/documentSymbol", URI, 0, 0);
    assert_eq!(symbols[0]["name"], "c");
    let items = client.at("textDocument/completion", URI, 2, 5);
    assert_eq!((&items["isIncomplete"], &items["items"][0]["label"]), (&json!(false), &json!("state")));
    assert_eq!(items["items"][0]["textEdit"]["range"], range(2, 2, 5));
    let tokens = client.at("textDocument/semanticTokens/full", URI, 0, 0);
    let data: Vec<i64> = tokens["data"].as_array().expect("a list").iter().filter_map(Value::as_i64).collect();
    assert_eq!((data.len() % 5, &data[..5]), (0, &[0, 0, 5, 6, 0][..]));
    let folds = client.at("textDocument/foldingRange", URI, 0, 0);
    assert_eq!(folds.as_array().map(Vec::len), Some(2));
    let positions = json!({"textDocument": {"uri": URI}, "positions": [{"line": 2, "character": 3}]});
    let selections = client.request("textDocument/selectionRange", positions);
    assert_eq!(selections["result"][0]["range"], range(2, 2, 5));
}

#[test]
fn texts_are_formatted_by_small_edits() {
    let mut client = Client::with_encoding("utf-16");
    client.open(URI, "$a = 1\n$b=2\n$c = 3\n");
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let params = json!({"textDocument": {"uri": URI}, "options": options});
    let edits = client.request("textDocument/formatting", params.clone());
    let whole_line = json!({"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}});
    assert_eq!(edits["result"], json!([{"range": whole_line, "newText": "$b = 2\n"}]));
    client.change(URI, 2, Some([1, 0, 2, 0]), "$b = 2\n");
    assert_eq!(client.request("textDocument/formatting", params.clone())["result"], json!([]));
    client.change(URI, 3, Some([1, 0, 2, 0]), "$b = (\n");
    let broken = client.request("textDocument/formatting", params);
    assert_eq!(broken["error"]["code"], -32803, "{broken}");
    client.change(URI, 4, None, "$a=1\n$b=2\n");
    let params = json!({"textDocument": {"uri": URI}, "range": range(1, 0, 4), "options": options});
    let edits = client.request("textDocument/rangeFormatting", params);
    assert_eq!(edits["result"][0]["newText"], "$b = 2\n");
    let params = json!({
        "textDocument": {"uri": URI}, "position": {"line": 1, "character": 0}, "ch": "\n", "options": options,
    });
    assert_eq!(client.request("textDocument/onTypeFormatting", params)["result"][0]["newText"], "$a = 1\n");
}

#[test]
fn names_are_changed_with_their_uses() {
    let mut client = Client::with_encoding("utf-16");
    client.open(URI, "import \"fmt\"\n$a = fmt.printf(\"😀\")\ntest \"😀${a}\" {}\n");
    let prepared = client.at("textDocument/prepareRename", URI, 2, 10);
    assert_eq!(prepared, json!({"range": range(2, 10, 11), "placeholder": "a"}));
    let rename = |client: &mut Client, name: &str| {
        let position = json!({"line": 1, "character": 1});
        client.request(
            "textDocument/rename",
            json!({"textDocument": {"uri": URI}, "position": position, "newName": name}),
        )
    };
    let changed = rename(&mut client, "$b");
    let edits = json!([{"range": range(1, 1, 2), "newText": "b"}, {"range": range(2, 10, 11), "newText": "b"}]);
    let document = json!({"uri": URI, "version": 1});
    assert_eq!(changed["result"], json!({"documentChanges": [{"textDocument": document, "edits": edits}]}));
    assert_eq!(rename(&mut client, "for")["error"]["code"], -32803);
    let help = client.at("textDocument/signatureHelp", URI, 1, 17);
    assert_eq!(
        (&help["activeParameter"], &help["signatures"][0]["parameters"][0]["label"]),
        (&json!(0), &json!([7, 17]))
    );
}

#[test]
fn hints_links_and_calls_are_answered() {
    let mut client = Client::with_encoding("utf-16");
    client.open(URI, "func f($n) {\n\t$n\n}\n$x = f(1)\ntest \"t\" {\n\tint64 => $x,\n}\n");
    let params = json!({"textDocument": {"uri": URI}, "range": range(3, 0, 9)});
    let hints = client.request("textDocument/inlayHint", params)["result"].take();
    let labels: Vec<&Value> = hints.as_array().expect("a list").iter().map(|hint| &hint["label"]).collect();
    assert_eq!(labels, [": int", "n:"]);
    assert_eq!(client.at("textDocument/documentLink", URI, 0, 0), json!([]));
    let items = client.at("textDocument/prepareCallHierarchy", URI, 3, 5);
    assert_eq!((&items[0]["name"], &items[0]["selectionRange"]), (&json!("f"), &range(0, 5, 6)));
    let calls = client.request("callHierarchy/incomingCalls", json!({"item": items[0]}));
    assert_eq!(calls["result"][0]["fromRanges"], json!([range(3, 5, 6)]));
    let calls = client.request("callHierarchy/outgoingCalls", json!({"item": items[0]}));
    assert_eq!(calls["result"], json!([]));
}
