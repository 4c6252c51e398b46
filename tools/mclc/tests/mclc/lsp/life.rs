//! The life of the server, and input that is not a message (spec 11 §2.1, §2.5, §2.6).

use serde_json::{Value, json};

use super::client::Client;

const URI: &str = "file:///nowhere/main.mcl";

/// Checks that the server still answers.
#[track_caller]
fn assert_works(client: &mut Client) {
    let symbols = client.request("workspace/symbol", json!({"query": ""}));
    assert!(symbols["result"].is_array(), "{symbols}");
}

#[test]
fn a_server_ends_with_success_only_after_shutdown() {
    assert!(Client::with_encoding("utf-8").end().success());
    let mut client = Client::with_encoding("utf-8");
    client.notify("exit", Value::Null);
    assert_eq!(client.wait().code(), Some(1));
    assert_eq!(Client::with_encoding("utf-8").wait().code(), Some(1));
    let mut client = Client::with_encoding("utf-8");
    client.request("shutdown", Value::Null);
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn requests_outside_of_its_life_are_errors() {
    let mut client = Client::new();
    let code = |response: Value| response["error"]["code"].clone();
    assert_eq!(code(client.request("textDocument/hover", json!({}))), -32002);
    let result = client.request("initialize", json!({"capabilities": {}}));
    assert_eq!(result["result"]["serverInfo"]["name"], "mclc");
    assert_eq!(result["result"]["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(code(client.request("initialize", json!({"capabilities": {}}))), -32600);
    client.request("shutdown", Value::Null);
    assert_eq!(code(client.request("workspace/symbol", json!({"query": ""}))), -32600);
    client.notify("exit", Value::Null);
    assert!(client.wait().success());
}

#[test]
fn unknown_methods_and_bad_parameters_are_errors() {
    let mut client = Client::with_encoding("utf-16");
    let code = |response: Value| response["error"]["code"].clone();
    assert_eq!(code(client.request("textDocument/dance", json!({}))), -32601);
    assert_eq!(code(client.request("$/dance", json!({}))), -32601);
    client.notify("dance", json!({}));
    assert_eq!(code(client.request("textDocument/hover", json!({"position": 1}))), -32602);
    let negative = json!({"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}});
    assert_eq!(code(client.request("textDocument/hover", negative)), -32602);
    assert_eq!(client.at("textDocument/hover", URI, 0, 0), Value::Null);
    client.notify("$/cancelRequest", json!({"id": 77}));
    client.change(URI, 2, None, "never opened");
    client.open(URI, "$x = 1\n");
    assert_eq!(client.at("textDocument/hover", URI, u32::MAX, u32::MAX), Value::Null);
    assert_works(&mut client);
}

#[test]
fn what_is_not_a_message_is_an_error_and_the_next_one_works() {
    let mut client = Client::with_encoding("utf-8");
    let malformed: [&[u8]; 7] = [
        b"Content-Length: 9\r\n\r\n{\"id\": 1,",
        b"Content-Length: 3\r\n\r\n[1]",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n{}",
        b"X-Header: 1\r\n\r\n{\"id\": 1}",
        b"Content-Length: -5\r\n\r\n",
    ];
    for bytes in malformed {
        client.send_bytes(bytes);
        let response = client.response(&Value::Null);
        assert_eq!(response["error"]["code"], -32700, "{response}");
        assert_works(&mut client);
    }
    client.send_bytes(b"Content-Length: 50\r\n\r\n{\"id\"");
    assert_eq!(client.wait().code(), Some(1));
}

#[test]
fn hostile_texts_are_survived() {
    let mut client = Client::with_encoding("utf-16");
    let texts = ["\0\0\0".to_owned(), "[".repeat(10_000), "if true {".repeat(10_000), "$x = \"${".repeat(1_000)];
    for (at, text) in texts.iter().enumerate() {
        let uri = format!("file:///nowhere/{at}.mcl");
        client.open(&uri, text);
        assert!(!client.diagnostics(&uri, Some(1)).as_array().expect("a list").is_empty(), "{at}");
        client.at("textDocument/completion", &uri, 0, 5);
        client.at("textDocument/hover", &uri, 0, 5);
        client.at("textDocument/documentSymbol", &uri, 0, 0);
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        assert_eq!(client.diagnostics(&uri, None), json!([]));
    }
    assert_works(&mut client);
}

#[test]
fn each_request_has_one_response_also_if_it_is_cancelled() {
    let mut client = Client::with_encoding("utf-8");
    client.open(URI, &"$x = 1\n".repeat(2_000));
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..20 {
        let id = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
        client.notify("$/cancelRequest", json!({"id": id}));
        open.push(id);
    }
    let mut cancelled = 0;
    while !open.is_empty() {
        let message = client.read().expect("a response");
        let Some(id) = message["id"].as_i64().filter(|_| message.get("method").is_none()) else { continue };
        let at = open.iter().position(|known| *known == id).expect("no second response");
        open.remove(at);
        match message["error"]["code"].as_i64() {
            Some(code) => {
                assert_eq!(code, -32800);
                cancelled += 1;
            }
            None => assert!(message["result"].is_array()),
        }
    }
    assert!(cancelled > 0);
    assert_works(&mut client);
}
