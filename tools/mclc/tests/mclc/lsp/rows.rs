//! Rows of the tables of spec 11 §2.4 and §3 that are not in another test, for both encodings.

use serde_json::{Value, json};
use test_support::Scratch;

use super::client::Client;
use super::text::position;

const URI: &str = "file:///nowhere/main.mcl";

/// The sample of spec 11 §3, with characters of several bytes before what is asked about.
const SAMPLE: &str = "import \"fmt\"\nimport \"strings\" as str1\n# Where the sites live.\n$root = \"/srv\"\n$ports = {\"blög😀\" => 80, \"shop\" => 81}\n# One site: its directory and its file.\nclass site($name, $port int) {\n\tfile \"${root}/😀${name}.conf\" {\n\t\tstate => $const.res.file.state.exists,\n\t\tmode => \"u=rw,go=r\",\n\t\tcontent => fmt.printf(\"pört %d\\n\", $port),\n\t\tNotify => Svc[\"web\"],\n\n\t\tMeta:noop => true,\n\t}\n}\nsvc \"web\" {\n\tstate => \"running\",\n}\nfunc double($n) {\n\t$n + $n\n}\nforkv $k, $v in $ports {\n\tinclude site($k, double($v)) as s\n}\n";

const ENCODINGS: [(&str, bool); 2] = [("utf-8", true), ("utf-16", false)];

/// Takes the cursor `¦` out of a text, opens it, and returns the place.
fn open_at(client: &mut Client, uri: &str, text: &str, is_utf8: bool) -> (u32, u32) {
    let offset = text.find('¦').expect("a cursor");
    let text = text.replace('¦', "");
    client.open(uri, &text);
    position(&text, offset, is_utf8)
}

/// Checks that the hover where the sample has this text contains these parts.
fn assert_hover(at: &str, parts: &[&str]) {
    let (before, cursor) = at.split_once('¦').expect("a cursor");
    let text = SAMPLE.replacen(&format!("{before}{cursor}"), at, 1);
    for (encoding, is_utf8) in ENCODINGS {
        let mut client = Client::with_encoding(encoding);
        let (line, character) = open_at(&mut client, URI, &text, is_utf8);
        let hover = client.at("textDocument/hover", URI, line, character);
        let found = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(parts.iter().all(|part| found.contains(part)), "{at}: {hover}");
    }
}

/// Checks that completions at the cursor contain these labels, and none of the others.
fn assert_completions(text: &str, labels: &[&str], others: &[&str]) {
    for (encoding, is_utf8) in ENCODINGS {
        let mut client = Client::with_encoding(encoding);
        let (line, character) = open_at(&mut client, URI, &format!("# ö😀\n{text}"), is_utf8);
        let list = client.at("textDocument/completion", URI, line, character);
        let items = list["items"].as_array().map_or(&[][..], Vec::as_slice);
        let found: Vec<&str> = items.iter().filter_map(|item| item["label"].as_str()).collect();
        let shown: Vec<&&str> = found.iter().take(20).collect();
        for label in labels {
            assert!(found.contains(label), "no {label} for {text}: {shown:?}");
        }
        for label in others {
            assert!(!found.contains(label), "{label} for {text}: {shown:?}");
        }
    }
}

fn ranges(locations: &Value) -> Vec<String> {
    let shown = |location: &Value| {
        let uri = location["uri"].as_str().expect("an address").rsplit('/').next().unwrap_or_default();
        let start = &location["range"]["start"];
        format!("{uri} {}:{}", start["line"], start["character"])
    };
    locations.as_array().map_or_else(Vec::new, |list| list.iter().map(shown).collect())
}

#[test]
fn hovers_of_functions_and_meta_parameters_are_described() {
    assert_hover("func dou¦ble", &["func double("]);
    assert_hover("Meta:no¦op", &["noop bool", "false"]);
    assert_hover("Not¦ify => Svc", &["Notify"]);
    assert_hover("class si¦te(", &["class site($name str, $port int)", "One site"]);
    assert_hover("sta¦te => \"running\"", &["state str", "running", "stopped"]);
}

#[test]
fn a_constant_that_the_kind_refuses_is_underlined_itself() {
    for (encoding, _) in ENCODINGS {
        let mut client = Client::with_encoding(encoding);
        client.open(URI, "file \"/ö\" {\n\tstate => \"exist\",\n}\n");
        let found = client.diagnostics(URI, Some(1));
        let range = json!({"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 17}});
        assert_eq!(
            (&found[0]["code"], &found[0]["severity"], &found[0]["range"]),
            (&json!("W0205"), &json!(2), &range)
        );
        let message = found[0]["message"].as_str().expect("a string");
        assert!(message.contains("exists"), "{message}");
    }
}

#[test]
fn the_metadata_name_the_entry() {
    let scratch = Scratch::with_files([
        ("metadata.yaml", "main: \"start.mcl\"\n"),
        ("start.mcl", "import \"lib.mcl\"\n$x = $nope\n"),
        ("lib.mcl", "class web {}\n"),
    ]);
    let uri = |name: &str| format!("file://{}", scratch.path(name).display());
    let mut client = Client::with_encoding("utf-16");
    client.open(&uri("lib.mcl"), "class web {}\n");
    assert_eq!(client.diagnostics(&uri("start.mcl"), None)[0]["code"], "E0601");
    client.open(&uri("metadata.yaml"), "main: \"begin.mcl\"\n");
    let found = client.diagnostics(&uri("metadata.yaml"), Some(1));
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
}

#[test]
fn an_unclosed_block_hides_nothing_else() {
    let good: String = (0..40).map(|i| format!("# Number {i}.\n$v{i} = \"ö{i}\"\n")).collect();
    let text = format!("if true {{\n\t$a = 1\n\n{good}test \"t\" {{\n\tanotherstr => $v39,\n}}\n");
    for (encoding, is_utf8) in ENCODINGS {
        let mut client = Client::with_encoding(encoding);
        client.open(URI, &text);
        let found = client.diagnostics(URI, Some(1));
        let codes: Vec<&Value> = found.as_array().expect("a list").iter().map(|found| &found["code"]).collect();
        assert_eq!(codes, ["E0203"]);
        assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 8}));
        let (line, character) = position(&text, text.rfind("v39").expect("it is there"), is_utf8);
        let hover = client.at("textDocument/hover", URI, line, character);
        assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("$v39 str")), "{hover}");
        let symbols = client.at("textDocument/documentSymbol", URI, 0, 0);
        assert!(symbols.to_string().contains("\"v39\""), "{symbols}");
    }
}

#[test]
fn files_and_contents_of_includes_have_definitions() {
    let lib = "class web {\n\t$x = 1\n}\n";
    let main = "import \"lib/\"\nimport \"deploy\"\ninclude lib.web as s\n$v = struct{ä => 1}\n$y = $s.x\n$c = deploy.readfile(\"/files/a\")\ntest \"${c}\" {\n\tint64 => $y,\n}\n";
    let main = main.replace('ä', "a");
    let scratch = Scratch::with_files([
        ("metadata.yaml", "main: main.mcl\n"),
        ("main.mcl", main.as_str()),
        ("lib/main.mcl", lib),
        ("files/a", "text\n"),
    ]);
    let uri = format!("file://{}", scratch.path("main.mcl").display());
    for (encoding, is_utf8) in ENCODINGS {
        let mut client = Client::with_encoding(encoding);
        client.open(&uri, &main);
        let mut at = |part: &str, more: usize| {
            let offset = main.find(part).expect("it is there") + more;
            let (line, character) = position(&main, offset, is_utf8);
            ranges(&client.at("textDocument/definition", &uri, line, character))
        };
        assert_eq!(at("\"lib/\"", 2), ["main.mcl 0:0"]);
        assert_eq!(at("$s.x", 3), ["main.mcl 1:1"]);
        assert_eq!(at("/files/a", 3), ["a 0:0"]);
    }
}

#[test]
fn constants_are_completed() {
    assert_completions(
        "$x = $const.res.file.state.¦\n",
        &["$const.res.file.state.exists", "$const.res.file.state.absent"],
        &["file"],
    );
}

#[test]
fn values_of_parameters_are_completed() {
    assert_completions("file \"/a\" {\n\tstate => \"¦\",\n}\n", &["exists", "absent"], &["running"]);
    assert_completions("file \"/a\" {\n\tmode => \"¦\",\n}\n", &["0644"], &["exists"]);
    assert_completions("exec \"a\" {\n\tsig => \"¦\",\n}\n", &["SIGTERM"], &["exists"]);
    assert_completions("file \"/a\" {\n\tforce => ¦,\n}\n", &["true", "false"], &[]);
}

#[test]
fn statements_without_an_end_are_completed() {
    assert_completions("file \"/a\" {\n\tstate => ¦\n", &["\"exists\""], &[]);
    assert_completions("svc \"a\" {\n\t¦\n", &["state", "startup", "Before"], &["content"]);
}

#[test]
fn meta_parameters_are_completed() {
    assert_completions("file \"/a\" {\n\tMeta:¦\n}\n", &["noop", "retry", "limit"], &["content"]);
    assert_completions("file \"/a\" {\n\tMeta:noop => ¦,\n}\n", &["true", "false"], &[]);
}

#[test]
fn types_are_completed() {
    assert_completions("func f($a ¦) {\n\t$a\n}\n", &["str", "int"], &["file"]);
}

#[test]
fn modes_are_shown_in_their_other_notation() {
    assert_hover("mode => \"u=¦rw,go=r\"", &["0644"]);
}

#[test]
fn verbs_types_and_keys_are_completed() {
    assert_completions("import \"fmt\"\n$x = fmt.printf(\"%¦\", 1)\n", &["%s", "%d"], &["str"]);
    assert_completions("$x []¦\n", &["str", "int"], &["$x"]);
    assert_completions("func f($a ¦) {\n\t$a\n}\n", &["str", "int"], &["$a"]);
    assert_completions("Exec[\"e\"].¦ -> File[\"f\"].content\n", &["output", "stdout"], &["content"]);
    assert_completions("Exec[\"e\"].output -> File[\"f\"].¦\n", &["content"], &["output"]);
}
