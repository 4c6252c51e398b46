//! `mclc check --fix` (spec 11 §5).

use std::fs;

use crate::command::Scratch;

const PROGRAM: &[u8] = b"$l = [1, 2,]\nfile \"/a\" {\n\tstate => \"exist\",\n\tmode => 644,\n}\n$m = [\n\t3, 4\n]\n";

fn text(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.dir().join(name)).expect("the file")
}

#[test]
fn what_is_safe_is_fixed_until_nothing_is_left() {
    let scratch = Scratch::new(&[("a.mcl", PROGRAM)]);
    let ran = scratch.mclc(&["check", "--fix", "--format", "short", "a.mcl"]);
    let done: Vec<&str> = ran.stdout.lines().filter(|line| line.contains(": fixed ")).collect();
    let expected = [
        "a.mcl:1:11: fixed W0101: remove the comma",
        "a.mcl:7:5: fixed W0102: add a comma",
        "a.mcl:4:2: fixed E0701: write `\"0644\"`",
        "a.mcl:7:5: fixed W0103: put each element on a line of its own",
    ];
    assert_eq!(done, expected, "{ran:?}");
    let rest: Vec<&str> = ran.stdout.lines().skip(expected.len()).collect();
    assert!(rest.iter().any(|line| line.starts_with("a.mcl:3:11: warning[W0205]")), "{rest:?}");
    assert_eq!(ran.status, 0);
    let after = "$l = [1, 2]\nfile \"/a\" {\n\tstate => \"exist\",\n\tmode => \"0644\",\n}\n$m = [\n\t3,\n\t4,\n]\n";
    assert_eq!(text(&scratch, "a.mcl"), after);
    let again = scratch.mclc(&["check", "--fix", "--format", "short", "a.mcl"]);
    assert!(!again.stdout.contains(": fixed "), "{again:?}");
    let guessed = scratch.mclc(&["check", "--unsafe-fixes", "--format", "short", "a.mcl"]);
    assert!(guessed.stdout.contains("a.mcl:3:11: fixed W0205: replace with `\"exists\"`"), "{guessed:?}");
    assert!(text(&scratch, "a.mcl").contains("state => \"exists\""));
}

#[test]
fn in_a_file_with_syntax_errors_only_these_are_fixed() {
    let scratch = Scratch::new(&[
        ("main.mcl", b"import \"lib.mcl\"\nimport \"fmt\"\nimport \"fmt\"\ninclude lib.c\n"),
        ("lib.mcl", b"class c {\n\tprint \"a\" {}\n}\n$a = [1,]\n$b = [\n"),
    ]);
    let ran = scratch.mclc(&["check", "--fix", "--format", "short", "."]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("main.mcl:3:8: fixed E0508: remove the import"), "{ran:?}");
    assert_eq!(text(&scratch, "main.mcl"), "import \"lib.mcl\"\nimport \"fmt\"\ninclude lib.c\n");
    assert!(text(&scratch, "lib.mcl").ends_with("$a = [1,]\n$b = [\n"));
    let scratch = Scratch::new(&[("a.mcl", "$x = 'a'\r\n$y = “b”\r\n".as_bytes()), ("b.mcl", b"$x = 'a'\n$y = [1,\n")]);
    let ran = scratch.mclc(&["check", "--fix", "--format", "short", "a.mcl", "b.mcl"]);
    assert!(ran.stdout.contains("b.mcl:1:6: fixed E0106: use double quotes"), "{ran:?}");
    assert_eq!(text(&scratch, "a.mcl"), "$x = \"a\"\n$y = \"b\"\n");
    assert_eq!(text(&scratch, "b.mcl"), "$x = \"a\"\n$y = [1,\n");
}

#[test]
fn a_diff_changes_nothing() {
    let scratch = Scratch::new(&[("a.mcl", PROGRAM)]);
    let ran = scratch.mclc(&["check", "--fix", "--diff", "a.mcl"]);
    assert!(ran.stdout.starts_with("--- a.mcl\n+++ a.mcl\n"), "{ran:?}");
    assert!(ran.stdout.contains("\n-\tmode => 644,\n+\tmode => \"0644\",\n"), "{ran:?}");
    assert_eq!(text(&scratch, "a.mcl").as_bytes(), PROGRAM);
    let input = scratch.mclc_with_input(&["check", "--fix", "-"], PROGRAM);
    assert_eq!((input.status, input.stderr.contains("cannot be changed")), (2, true), "{input:?}");
}

#[test]
fn programs_read_findings_without_what_was_done() {
    let scratch = Scratch::new(&[("a.mcl", PROGRAM)]);
    let ran = scratch.mclc(&["check", "--fix", "--format", "json", "a.mcl"]);
    assert!(ran.stdout.lines().all(|line| line.starts_with('{')), "{ran:?}");
    assert!(ran.stderr.contains("a.mcl:1:11: fixed W0101"), "{ran:?}");
}

#[test]
fn sarif_has_the_edits_of_fixes() {
    let scratch = Scratch::new(&[("a.mcl", PROGRAM)]);
    let ran = scratch.mclc(&["check", "--format", "sarif", "a.mcl"]);
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let comma = results.iter().find(|result| result["ruleId"] == "W0101").expect("a finding");
    let replacement = &comma["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(
        replacement["deletedRegion"],
        serde_json::json!({"startLine": 1, "startColumn": 11, "endLine": 1, "endColumn": 12})
    );
    assert_eq!(replacement["insertedContent"]["text"], "");
    // What the formatter writes is an edit, too.
    let layout = results.iter().find(|result| result["ruleId"] == "W0103").expect("a finding");
    assert!(layout["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"].is_string());
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 1);
}

#[test]
fn the_problem_matcher_of_github_reads_every_line_of_the_short_format() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/github-problem-matcher.json");
    let matcher: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path).expect("the matcher")).expect("JSON");
    let pattern = &matcher["problemMatcher"][0]["pattern"][0];
    let expression = regex::Regex::new(pattern["regexp"].as_str().expect("an expression")).expect("it compiles");
    let group = |name: &str| usize::try_from(pattern[name].as_u64().expect("a group")).expect("a small number");
    let scratch = Scratch::new(&[("sub/a: b.mcl", PROGRAM), ("c.mcl", b"$x = $nope\n")]);
    let ran = scratch.mclc(&["check", "--format", "short", "."]);
    assert!(ran.stdout.lines().count() > 3, "{ran:?}");
    for line in ran.stdout.lines() {
        let found = expression.captures(line).unwrap_or_else(|| panic!("no match: {line}"));
        let of = |name: &str| found.get(group(name)).map(|text| text.as_str()).unwrap_or_default();
        assert!(["sub/a: b.mcl", "c.mcl"].contains(&of("file")), "{line}");
        assert!(["error", "warning"].contains(&of("severity")) && of("code").len() == 5, "{line}");
        assert!(of("line").parse::<u32>().is_ok() && of("column").parse::<u32>().is_ok(), "{line}");
    }
}
