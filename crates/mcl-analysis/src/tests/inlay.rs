//! Hints, links and calls (spec 11 §3.10).

use test_support::Scratch;

use super::*;
use crate::CallKind;

#[test]
fn types_and_names_of_arguments_are_hinted() {
    let analysis = analyze(SAMPLE);
    let hints = analysis.inlay_hints(&main_path(), 0..SAMPLE.len() as u32).into_iter();
    let source = analysis.source(&main_path()).expect("it is open");
    let hints = hints.map(|hint| {
        let position = source.lines.position(&source.text, hint.offset, crate::Encoding::Utf8);
        format!("{}:{} {}", position.line, position.character, hint.label)
    });
    // `double` has a type for each use, `$n` none of its own.
    let expected = ["6:16 : str", "19:8 : str", "19:12 : int", "20:14 name:", "20:18 port:", "20:25 n:"];
    assert_eq!(hints.collect::<Vec<_>>(), expected);
    assert_eq!(analysis.inlay_hints(&main_path(), 0..10), []);
}

#[test]
fn types_that_are_visible_are_not_hinted() {
    let text =
        "import \"fmt\"\n$a = \"x\"\n$b str = fmt.printf(\"x\")\n$s = fmt.printf(\"x\")\ntest \"${a}${b}${s}\" {}\n";
    let hints = analyze(text).inlay_hints(&main_path(), 0..text.len() as u32);
    let hints: Vec<(u32, &str)> = hints.iter().map(|hint| (hint.offset, hint.label.as_str())).collect();
    assert_eq!(hints, [(at(text, 3, 2), ": str")]);
}

#[test]
fn imports_and_data_files_are_links() {
    let text = "import \"deploy\"\nimport \"lib/\"\nimport \"git://example.com/none\"\n$x = deploy.readfile(\"/files/a\")\n$y = deploy.readfile(\"/files/b\")\n";
    let scratch = Scratch::with_files([("metadata.yaml", ""), ("main.mcl", ""), ("lib/main.mcl", ""), ("files/a", "")]);
    let mut workspace = Workspace::new(None);
    let path = scratch.path("main.mcl");
    workspace.open(path.clone(), text);
    let links = Analyzer::default().analyze(&workspace.sources()).links(&path);
    let links = links
        .into_iter()
        .map(|link| (text[link.range.start as usize..link.range.end as usize].to_owned(), link.target));
    let expected =
        [("lib/".to_owned(), scratch.path("lib/main.mcl")), ("/files/a".to_owned(), scratch.path("files/a"))];
    assert_eq!(links.collect::<Vec<_>>(), expected);
}

#[test]
fn calls_go_both_ways() {
    let text = "func f($n) {\n\t$n\n}\nclass a {\n\t$x = f(f(1))\n\ttest \"t\" {\n\t\tint64 => $x,\n\t}\n}\nclass b {\n\tinclude a\n}\ninclude b\n";
    let analysis = analyze(text);
    let path = main_path();
    let names = |calls: crate::Calls| {
        calls.into_iter().map(|(item, places)| (item.name, item.kind, places.len())).collect::<Vec<_>>()
    };
    let f = at(text, 0, 5);
    assert_eq!(
        analysis.call_item(&path, f).map(|item| (item.name, item.kind)),
        Some(("f".to_owned(), CallKind::Function))
    );
    assert_eq!(names(analysis.incoming_calls(&path, f)), [("a".to_owned(), CallKind::Class, 2)]);
    let a = at(text, 3, 6);
    assert_eq!(names(analysis.outgoing_calls(&path, a)), [("f".to_owned(), CallKind::Function, 2)]);
    assert_eq!(names(analysis.incoming_calls(&path, a)), [("b".to_owned(), CallKind::Class, 1)]);
    let b = at(text, 9, 6);
    assert_eq!(names(analysis.incoming_calls(&path, b)), [("main.mcl".to_owned(), CallKind::File, 1)]);
    assert_eq!(analysis.call_item(&path, at(text, 4, 1)), None);
}
