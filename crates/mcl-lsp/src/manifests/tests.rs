use lsp_types::{DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams};
use mcl_analysis::Encoding;
use serde_json::json;
use test_support::{RandomChoice as _, Rng, Scratch, for_each_seed};

use super::*;

/// Files of an environment that define and use the same names.
const FILES: [&str; 6] = [
    "manifests/site.pp",
    "modules/role/manifests/init.pp",
    "modules/role/manifests/db.pp",
    "modules/web/manifests/init.pp",
    "modules/web/manifests/site.pp",
    "modules/web/types/port.pp",
];

/// Statements and definitions for them: some are wrong wherever they are.
const PARTS: [&str; 16] = [
    "include web\n",
    "include role::db\n",
    "include web::site\n",
    "class { 'web': port => 80 }\n",
    "class { 'role': name_of => 'x', port => 'y' }\n",
    "web::site { 'a': root => '/a' }\n",
    "web::site { 'b': port => 0 }\n",
    "class web(Web::Port $port = 80, $root = 1) { notice($port, $root) }\n",
    "class role { }\n",
    "class role(String $port = 'x') inherits web { notice($port) }\n",
    "class role::db(Integer $port) { notice($port) }\n",
    "define web::site($root, Web::Port $port = 80) { notice($root, $port) }\n",
    "class web::site { }\n",
    "type Web::Port = Integer[1, 65535]\n",
    "type Web::Port = Variant[String, Integer]\n",
    "class web {\n",
];

fn random_text(random: &mut Rng) -> String {
    (0..random.usize(..4)).map(|_| *random.pick(&PARTS)).collect()
}

/// Changes an open text, opens or closes one, or changes a file. Returns whether it was something other than an open text.
fn change(random: &mut Rng, scratch: &Scratch, documents: &mut Documents, version: i32) -> bool {
    let file = *random.pick(&FILES);
    let path = scratch.path(file);
    let uri = format!("file://{}", path.display());
    let identifier = json!({"uri": uri, "version": version, "languageId": "puppet", "text": random_text(random)});
    if random.one_in(4) {
        if random.one_in(5) {
            let _ = std::fs::remove_file(&path);
        } else {
            scratch.write(file, random_text(random));
        }
    } else if !documents.open.contains_key(&path) {
        let params = json!({"textDocument": identifier});
        documents.open(serde_json::from_value::<DidOpenTextDocumentParams>(params).expect("valid"));
    } else if random.one_in(4) {
        let params = json!({"textDocument": identifier});
        documents.close(&serde_json::from_value::<DidCloseTextDocumentParams>(params).expect("valid"));
    } else {
        let params = json!({"textDocument": identifier, "contentChanges": [{"text": identifier["text"]}]});
        let params = serde_json::from_value::<DidChangeTextDocumentParams>(params).expect("valid");
        assert!(documents.change(params, Encoding::Utf16));
        return false;
    }
    true
}

#[test]
fn findings_after_random_changes_are_those_of_a_new_server() {
    for_each_seed(60, |random| {
        let scratch = Scratch::with_files(FILES.map(|file| (file, random_text(random))));
        let mut documents = Documents::new(scratch.dir().to_owned(), None);
        let settings = Settings::default();
        let mut manifests = Manifests::default();
        let mut fixed = 0;
        for version in 1..30 {
            if change(random, &scratch, &mut documents, version) {
                fixed += 1;
            }
            let found = manifests.findings(&documents, fixed, &settings);
            let expected = Manifests::default().findings(&documents, fixed, &settings);
            assert_eq!(found, expected, "after change {version}");
        }
    });
}
