//! Which programs a file belongs to, and what is found in them (spec 11 §2.2, §2.4).

use test_support::Scratch;

use super::*;

/// Returns the codes of the findings of each file.
fn codes(workspace: &Workspace) -> Vec<(PathBuf, Vec<&'static str>)> {
    let analysis = Analyzer::default().analyze(&workspace.sources());
    let findings = analysis.findings().into_iter();
    findings.map(|(path, found)| (path, found.iter().map(|finding| finding.code.name()).collect())).collect()
}

#[test]
fn buffers_take_the_place_of_imported_files() {
    let scratch = Scratch::with_files([
        ("metadata.yaml", ""),
        ("main.mcl", "import \"lib/\"\ninclude lib.web\n"),
        ("lib/main.mcl", "class web {}\n"),
    ]);
    let (main, lib) = (scratch.path("main.mcl"), scratch.path("lib/main.mcl"));
    let mut workspace = Workspace::new(None);
    workspace.open(lib.clone(), "class web {}\n");
    assert_eq!(codes(&workspace), [(lib.clone(), vec![]), (main.clone(), vec![])]);
    workspace.open(lib.clone(), "class site {}\n");
    assert_eq!(codes(&workspace), [(lib.clone(), vec![]), (main.clone(), vec!["E0604"])]);
    workspace.close(&lib);
    workspace.open(main.clone(), "import \"lib/\"\ninclude lib.web\n");
    assert_eq!(codes(&workspace), [(lib, vec![]), (main, vec![])]);
}

#[test]
fn buffers_of_metadata_count() {
    let scratch = Scratch::with_files([("main.mcl", "$x = $a\n"), ("start.mcl", "$x = $b\n")]);
    let (main, start, metadata) = (scratch.path("main.mcl"), scratch.path("start.mcl"), scratch.path("metadata.yaml"));
    let mut workspace = Workspace::new(None);
    workspace.open(metadata.clone(), "main: \"start.mcl\"\n");
    assert_eq!(codes(&workspace), [(start, vec!["E0601"])]);
    workspace.open(metadata.clone(), "main: \"gone.mcl\"\n");
    assert_eq!(codes(&workspace), [(metadata.clone(), vec!["E0507"])]);
    workspace.close(&metadata);
    workspace.open(main.clone(), "$x = 1\n");
    assert_eq!(codes(&workspace), [(main, vec![])]);
}

#[test]
fn a_file_that_no_program_reaches_is_one_of_its_own() {
    let scratch = Scratch::with_files([("metadata.yaml", ""), ("main.mcl", ""), ("extra.mcl", "")]);
    let extra = scratch.path("extra.mcl");
    let mut workspace = Workspace::new(None);
    workspace.open(extra.clone(), "$x = $nope\n");
    assert_eq!(codes(&workspace), [(extra, vec!["E0601"])]);
    let new = scratch.path("new.mcl");
    let mut workspace = Workspace::new(None);
    workspace.open(new.clone(), "import \"extra.mcl\"\n$x = $nope\n");
    let codes = codes(&workspace);
    assert!(codes.contains(&(new, vec!["E0601"])), "{codes:?}");
}

#[test]
fn unchanged_programs_are_not_analysed_again() {
    let mut workspace = Workspace::new(None);
    workspace.open(PathBuf::from("/nowhere/a.mcl"), "$x = 1\n");
    workspace.open(PathBuf::from("/nowhere/b.mcl"), "$x = 1\n");
    let mut analyzer = Analyzer::default();
    let first = analyzer.analyze(&workspace.sources());
    workspace.open(PathBuf::from("/nowhere/b.mcl"), "$x = 2\n");
    let second = analyzer.analyze(&workspace.sources());
    let is_same = |at: usize| std::sync::Arc::ptr_eq(&first.programs()[at], &second.programs()[at]);
    assert!(is_same(0) && !is_same(1));
}

#[test]
fn files_of_several_programs_have_each_finding_once() {
    let scratch = Scratch::with_files([("shared.mcl", "$s = $nope\n"), ("a.mcl", ""), ("b.mcl", "")]);
    let mut workspace = Workspace::new(None);
    for name in ["a.mcl", "b.mcl"] {
        workspace.open(scratch.path(name), "import \"shared.mcl\"\ntest \"t\" {\n\tanotherstr => $shared.s,\n}\n");
    }
    let found = codes(&workspace);
    let shared = found.iter().find(|(path, _)| *path == scratch.path("shared.mcl")).expect("it is imported");
    assert_eq!(shared.1, ["E0601"]);
}
