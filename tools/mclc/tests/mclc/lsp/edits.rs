//! Random edits with requests of every kind between them (spec 11 §10).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use test_support::{RandomChoice, Rng, Scratch, for_each_seed};

use super::client::Client;
use super::text::{lines, offset, position, position_of_column};
use crate::command::run;

const LIBRARY: &str = "# Sites.\nimport \"fmt\"\n\n$port = 80\n\n# One site.\nclass site($name, $root str) {\n\tfile \"${root}/${name}\" {\n\t\tstate => $const.res.file.state.exists,\n\t\tcontent => fmt.printf(\"%s 😀 %d\\n\", $name, $port),\n\t}\n}\n\nfunc twice($n) {\n\t$n + $n\n}\n";
const PROGRAM: &str = "import \"lib/\"\nimport \"strings\" as s\n\n$names = [\"a\", \"ä\",]\n$v = struct{a => 1, b => \"x\",}\nforkv $i, $n in $names {\n\tinclude lib.site(s.to_upper($n), \"/srv\") as web\n\ttest \"t${n}\" {\n\t\tint64 => lib.twice($i) + $v->a,\n\t\tBefore => Svc[\"web\"],\n\t}\n}\nsvc \"web\" {\n\tstate => \"running\",\n}\nif $v->a == 1 {\n\tprint \"p\" {\n\t\tmsg => $v->b,\n\n\t\tMeta:noop => true,\n\t}\n} else {\n\tinclude lib.site(\"z\", \"/y\")\n}\n";
const SCRIPT: &str = include_str!("../../../../../editors/sample.mcl");

/// What is inserted.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "${",
    "$x",
    "$n",
    " = ",
    "\n",
    "\n\n",
    ",",
    " => ",
    "class c {\n",
    "include c\n",
    "include lib.site(",
    "import \"fmt\"\n",
    "import \"lib/\"\n",
    "import \"script.mcl\"\n",
    "fmt.printf(",
    "ä",
    "😀",
    "# c\n",
    "# mclc: allow(W0101)\n",
    "file \"/a\" {\n",
    "Meta:",
    "->",
    "\r\n",
    "\r",
    "\0",
    "\u{feff}",
    "func f($a) {\n\t$a\n}\n",
    "$const.res.",
    " 7",
    "if true {\n",
    "} else {\n",
    "Notify => Svc[\"web\"],\n",
    "\t",
    "  ",
    "struct{a => 1,}",
    "map{str: int}",
    "in ",
    "_",
    "a",
    "-",
    "\\",
];

/// A document of the editor.
struct Document {
    uri: String,
    file: &'static str,
    text: String,
    /// The texts before the last edits.
    past: Vec<String>,
    version: i32,
    is_open: bool,
}

struct Editor {
    client: Client,
    scratch: Scratch,
    is_utf8: bool,
    documents: Vec<Document>,
    /// The requests without a response, with their methods.
    asked: BTreeMap<i64, &'static str>,
    /// What was last published, by address: the version and the diagnostics.
    published: BTreeMap<String, Value>,
}

fn point((line, character): (u32, u32)) -> Value {
    json!({"line": line, "character": character})
}

impl Editor {
    fn new(rng: &mut Rng) -> Editor {
        let is_utf8 = rng.bool();
        let texts = [
            ("main.mcl", PROGRAM),
            ("lib/main.mcl", LIBRARY),
            ("script.mcl", SCRIPT),
            ("metadata.yaml", "main: main.mcl\n"),
        ];
        let scratch = Scratch::with_files(texts);
        let documents = texts.map(|(file, text)| Document {
            uri: format!("file://{}", scratch.path(file).display()),
            file,
            text: text.to_owned(),
            past: Vec::new(),
            version: 0,
            is_open: false,
        });
        let client = Client::with_encoding(if is_utf8 { "utf-8" } else { "utf-16" });
        let (asked, published) = (BTreeMap::new(), BTreeMap::new());
        Editor { client, scratch, is_utf8, documents: documents.into(), asked, published }
    }

    /// Opens, closes, or changes one document.
    fn step(&mut self, rng: &mut Rng) {
        let count = if rng.one_in(20) { 4 } else { 3 };
        let at = rng.usize(..count);
        let document = &mut self.documents[at];
        if !document.is_open {
            document.is_open = true;
            document.version += 1;
            let item =
                json!({"uri": document.uri, "languageId": "mcl", "version": document.version, "text": document.text});
            self.client.notify("textDocument/didOpen", json!({"textDocument": item}));
        } else if rng.one_in(30) {
            // What is closed is as it was saved.
            document.is_open = false;
            self.scratch.write(document.file, &document.text);
            self.client.notify("textDocument/didSave", json!({"textDocument": {"uri": document.uri}}));
            self.client.notify("textDocument/didClose", json!({"textDocument": {"uri": document.uri}}));
        } else {
            let changes: Vec<Value> = (0..rng.usize(1..4)).map(|_| document.change(rng, self.is_utf8)).collect();
            document.version += 1;
            let identifier = json!({"uri": document.uri, "version": document.version});
            let params = json!({"textDocument": identifier, "contentChanges": changes});
            self.client.notify("textDocument/didChange", params);
        }
    }

    /// Asks something, and may cancel it.
    fn ask(&mut self, rng: &mut Rng) {
        let document = &self.documents[rng.usize(..self.documents.len())];
        let any = |rng: &mut Rng| match rng.usize(..10) {
            0 => (rng.u32(..), rng.u32(..)),
            _ => position(&document.text, boundary(rng, &document.text), self.is_utf8),
        };
        let at = any(rng);
        let (start, end) = (at.min((at.0, 0)), at.max(any(rng)));
        let range = json!({"start": point(start), "end": point(end)});
        let item = json!({
            "name": "c", "kind": 5, "uri": document.uri, "range": range, "selectionRange": range,
        });
        let method = *rng.pick(METHODS);
        let params = json!({
            "textDocument": {"uri": document.uri}, "position": point(at), "range": range, "positions": [point(at)],
            "context": {"includeDeclaration": rng.bool(), "diagnostics": []},
            "options": {"tabSize": 8, "insertSpaces": false},
            "newName": rng.pick(&["a", "$b", "x", "Web", "c", "port"]),
            "query": rng.pick(&["", "a", "site"]), "ch": rng.pick(&["}", "\n"]), "item": item, "title": "t", "label": "l",
            "previousResultId": rng.u32(..20).to_string(),
            "command": rng.pick(&["mclc.explain", "mclc.nothing"]), "arguments": ["E0601"],
        });
        let id = self.client.ask(method, params);
        self.asked.insert(id, method);
        if rng.one_in(10) {
            self.client.notify("$/cancelRequest", json!({"id": id}));
        }
    }

    /// Reads all responses, checks that each is the only one, and keeps what is published.
    fn settle(&mut self) {
        for message in std::mem::take(&mut self.client.notifications) {
            self.keep_published(&message);
        }
        self.asked.insert(self.client.ask("workspace/symbol", json!({"query": ""})), "workspace/symbol");
        while !self.asked.is_empty() {
            let message = self.client.read().expect("the server lives");
            if message["method"] == "textDocument/publishDiagnostics" {
                self.keep_published(&message);
            } else if message.get("method").is_none() {
                let id = message["id"].as_i64().expect("a response to a request");
                let method = self.asked.remove(&id).unwrap_or_else(|| panic!("a second response {message}"));
                let code = message["error"]["code"].as_i64();
                assert!(matches!(code, None | Some(-32800 | -32803 | -32602)), "`{method}`: {message}");
            }
        }
    }

    /// Checks that the newest diagnostics are those of `mclc check` on the same texts.
    fn compare_with_check(&mut self) {
        self.settle();
        for document in &self.documents {
            self.scratch.write(document.file, &document.text);
            let published = self.published.get(&document.uri);
            if document.is_open && document.file.ends_with(".mcl") {
                assert_eq!(published.map(|p| &p["version"]), Some(&json!(document.version)), "{}", document.file);
            }
        }
        // While the metadata are edited, the findings of the whole module are shown.
        let names = self.documents.iter().filter(|d| d.is_open);
        let names: Vec<&str> = names.map(|d| if d.file == "metadata.yaml" { "." } else { d.file }).collect();
        if names.is_empty() {
            return;
        }
        let args = [&["check", "--format", "sarif"], &names[..]].concat();
        let checked = run(self.scratch.dir(), &args, b"");
        assert!(checked.status < 2, "{checked:?}");
        let sarif: Value = serde_json::from_str(&checked.stdout).expect("JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("a list");
        let expected: BTreeSet<String> = results.iter().map(|result| self.of_check(result)).collect();
        let published: BTreeSet<String> =
            self.published.iter().flat_map(|(uri, params)| of_server(uri, params)).collect();
        let documents: Vec<(&str, &str)> = self.documents.iter().map(|d| (d.file, d.text.as_str())).collect();
        let (more, less) = (published.difference(&expected), expected.difference(&published));
        let (more, less): (Vec<_>, Vec<_>) = (more.collect(), less.collect());
        assert!(
            more.is_empty() && less.is_empty(),
            "only the server: {more:#?}\nonly check: {less:#?}\n{documents:#?}"
        );
    }

    /// Returns a finding of `mclc check` as the server publishes it.
    fn of_check(&self, result: &Value) -> String {
        let location = &result["locations"][0]["physicalLocation"];
        let file = location["artifactLocation"]["uri"].as_str().expect("an address");
        let document = self.documents.iter().find(|document| file == document.file).expect("a file of the module");
        let number = |name: &str| location["region"][name].as_u64().map(|number| number as u32);
        let (line, column) = (number("startLine").unwrap_or(1), number("startColumn").unwrap_or(1));
        let end = (number("endLine").unwrap_or(line), number("endColumn").unwrap_or(column));
        let start = position_of_column(&document.text, line, column, self.is_utf8);
        let end = position_of_column(&document.text, end.0, end.1, self.is_utf8);
        let message = result["message"]["text"].as_str().expect("a string").replacen("\n\nhelp: ", "\nhelp: ", 1);
        format!("{} {start:?}-{end:?} {} {message}", document.uri, result["ruleId"])
    }

    /// Checks that answers of different ways agree when nothing changes any more.
    fn compare_answers(&mut self) {
        for document in self.documents.iter().filter(|d| d.is_open) {
            let of_document = json!({"textDocument": {"uri": document.uri}});
            let last = position(&document.text, document.text.len(), self.is_utf8);
            let whole = json!({"start": point((0, 0)), "end": point(last)});
            let positions = json!({"textDocument": {"uri": document.uri}, "positions": [point((0, 0))]});
            let mut selection = self.client.request("textDocument/selectionRange", positions)["result"][0].take();
            while let Some(parent) = selection.get_mut("parent").map(Value::take) {
                selection = parent;
            }
            assert_eq!(selection["range"], whole, "{:?}", document.text);
            let full = self.client.request("textDocument/semanticTokens/full", of_document)["result"].take();
            let in_range = json!({"textDocument": {"uri": document.uri}, "range": whole});
            let in_range = self.client.request("textDocument/semanticTokens/range", in_range)["result"].take();
            assert_eq!(full["data"], in_range["data"], "{:?}", document.text);
            assert_tokens_are_inside(full["data"].as_array().map_or(&[], Vec::as_slice), document, self.is_utf8);
        }
    }
}

/// The requests whose answers may come before everything is analysed.
const EARLY: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/signatureHelp",
    "textDocument/completion",
    "textDocument/semanticTokens/full",
];

impl Editor {
    /// Edits, asks at once, and checks that a server that never knew other texts answers the same.
    fn compare_with_fresh(&mut self, rng: &mut Rng) {
        let open: Vec<usize> = (0..3).filter(|at| self.documents[*at].is_open).collect();
        if open.is_empty() {
            return;
        }
        self.settle();
        let document = &mut self.documents[*rng.pick(&open)];
        let change = document.change(rng, self.is_utf8);
        document.version += 1;
        let identifier = json!({"uri": document.uri, "version": document.version});
        let params = json!({"textDocument": identifier, "contentChanges": [change]});
        self.client.notify("textDocument/didChange", params);
        let mut questions = Vec::new();
        for _ in 0..6 {
            let document = &self.documents[*rng.pick(&open)];
            let at = position(&document.text, boundary(rng, &document.text), self.is_utf8);
            let params = json!({"textDocument": {"uri": document.uri}, "position": point(at)});
            questions.push((*rng.pick(EARLY), params));
        }
        let early: Vec<i64> =
            questions.iter().map(|(method, params)| self.client.ask(method, params.clone())).collect();
        let mut answers: BTreeMap<i64, Value> = BTreeMap::new();
        while answers.len() < early.len() {
            let mut message = self.client.read().expect("the server lives");
            match message["id"].as_i64().filter(|_| message.get("method").is_none()) {
                Some(id) => {
                    answers.insert(id, message["result"].take());
                }
                None => self.keep_published(&message),
            }
        }
        let early: Vec<Value> = early.iter().map(|id| answers[id].clone()).collect();
        self.settle();
        let mut fresh = Client::with_encoding(if self.is_utf8 { "utf-8" } else { "utf-16" });
        for document in self.documents.iter().filter(|document| document.is_open) {
            let item = json!({"uri": document.uri, "languageId": "mcl", "version": 1, "text": document.text});
            fresh.notify("textDocument/didOpen", json!({"textDocument": item}));
        }
        // The type of what only a broken statement uses is known early, and not looked for by an analysis of everything.
        let is_broken = self.published.values().any(|published| {
            let found = published["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
            found.iter().any(|found| found["code"].as_str().is_some_and(|code| code < "E05"))
        });
        for ((method, params), early) in questions.iter().zip(early) {
            let without_id = |mut answer: Value| {
                answer.as_object_mut().and_then(|answer| answer.remove("resultId"));
                answer
            };
            let late = without_id(self.client.request(method, params.clone())["result"].take());
            let expected = without_id(fresh.request(method, params.clone())["result"].take());
            let documents: Vec<(&str, &str)> = self.documents.iter().map(|d| (d.file, d.text.as_str())).collect();
            assert_eq!(late, expected, "{method} {params} {documents:#?}");
            assert!(
                is_broken || without_id(early.clone()) == expected,
                "early {early}, not {expected} for {method} {params} {documents:#?}"
            );
        }
        assert!(fresh.end().success());
    }

    fn keep_published(&mut self, message: &Value) {
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().expect("an address").to_owned();
            self.published.insert(uri, message["params"].clone());
        }
    }
}

impl Document {
    /// Changes the text, and returns the change for the server.
    fn change(&mut self, rng: &mut Rng, is_utf8: bool) -> Value {
        let before = self.text.clone();
        if rng.one_in(8)
            && let Some(past) = self.past.pop()
        {
            // Undo: what differs becomes what it was.
            self.text = past;
            return difference(&before, &self.text, is_utf8);
        }
        self.past.push(before.clone());
        if rng.one_in(60) {
            self.text = [PROGRAM, LIBRARY, "", SCRIPT][rng.usize(..4)].to_owned();
            return json!({"text": self.text});
        }
        let start = boundary(rng, &before);
        let (mut from, mut to) = (position(&before, start, is_utf8), None);
        let deleted = [0, 0, 1, 3, 12][rng.usize(..5)];
        let mut end = start + before[start..].chars().take(deleted).map(char::len_utf8).sum::<usize>();
        if rng.one_in(20) {
            // A position that does not exist, or is inside of a character.
            from = (from.0, from.1.saturating_add(rng.u32(1..3)));
            to = Some((from.0 + 1, rng.u32(..80)));
        } else if rng.one_in(20) {
            to = Some((from.0 + rng.u32(..4), u32::MAX));
        }
        // A position before the LF of a CR LF would mean the one before its CR.
        let start = offset(&before, from, is_utf8);
        end = end.max(start);
        let to = to.unwrap_or_else(|| position(&before, end, is_utf8));
        let end = offset(&before, to, is_utf8).max(start);
        let piece = *rng.pick(PIECES);
        self.text.replace_range(start..end, piece);
        json!({"range": {"start": point(from), "end": point(to)}, "text": piece})
    }
}

/// Returns the smallest change by whole lines that makes `new` of `old`.
fn difference(old: &str, new: &str, is_utf8: bool) -> Value {
    let (olds, news) = (lines(old), lines(new));
    let same = olds.iter().zip(&news).take_while(|(old, new)| old == new).count();
    let rest = (olds[same..].iter().rev().zip(news[same..].iter().rev())).take_while(|(old, new)| old == new).count();
    // A CR that ends a text and one before a LF are read differently.
    let text = news[same..news.len() - rest].concat();
    let start = olds[..same].concat().len();
    let end = old.len() - olds[olds.len() - rest..].concat().len();
    let (from, to) = (position(old, start, is_utf8), position(old, end, is_utf8));
    if offset(old, from, is_utf8) != start || offset(old, to, is_utf8) != end {
        return json!({"text": new});
    }
    json!({"range": {"start": point(from), "end": point(to)}, "text": text})
}

fn boundary(rng: &mut Rng, text: &str) -> usize {
    let mut at = rng.usize(..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn of_server(uri: &str, params: &Value) -> Vec<String> {
    let shown = |diagnostic: &Value| {
        let point = |name: &str| {
            let number = |field: &str| diagnostic["range"][name][field].as_u64().expect("a number") as u32;
            (number("line"), number("character"))
        };
        let message = diagnostic["message"].as_str().expect("a string");
        format!("{uri} {:?}-{:?} {} {message}", point("start"), point("end"), diagnostic["code"])
    };
    params["diagnostics"].as_array().expect("a list").iter().map(shown).collect()
}

#[track_caller]
fn assert_tokens_are_inside(data: &[Value], document: &Document, is_utf8: bool) {
    let lines = lines(&document.text);
    let (mut line, mut start, mut end) = (0, 0, 0);
    for token in data.chunks(5) {
        let [lines_on, on, length, ..] =
            token.iter().map(|n| n.as_u64().expect("a number") as usize).collect::<Vec<_>>()[..]
        else {
            panic!("not five numbers: {token:?}")
        };
        (line, start) = if lines_on == 0 { (line, start + on) } else { (line + lines_on, on) };
        end = if lines_on == 0 { end } else { 0 };
        assert!(start >= end, "tokens overlap in {:?}", document.text);
        end = start + length;
        let text = lines[line];
        let width: usize = text.chars().map(|c| if is_utf8 { c.len_utf8() } else { c.len_utf16() }).sum();
        assert!(length > 0 && end <= width, "{line}:{start} is outside of {:?}", document.text);
    }
}

const METHODS: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "codeAction/resolve",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/inlayHint",
    "textDocument/documentLink",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "workspace/executeCommand",
];

#[test]
fn random_edits_and_requests_leave_the_diagnostics_of_check() {
    for_each_seed(4, |rng| {
        let mut editor = Editor::new(rng);
        for _ in 0..12 {
            for _ in 0..20 {
                editor.step(rng);
                for _ in 0..rng.usize(..4) {
                    editor.ask(rng);
                }
            }
            editor.compare_with_check();
            editor.compare_answers();
            editor.compare_with_fresh(rng);
        }
        assert!(editor.client.end().success());
    });
}
