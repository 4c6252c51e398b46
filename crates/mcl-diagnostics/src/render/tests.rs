use std::path::Path;

use expect_test::expect;

use super::program::join;
use super::*;
use crate::{Code, FileId, Files, Span, Stage, all_codes, counts};

const MAIN: &str = r#"$port = 80
$greeting = "hi"
test "${greetin}" {
	int64 => $port + "x",
}
"#;
const LIB: &str = r#"# a library
$greeting = "there"
"#;

struct Sample {
    files: Files,
    diagnostics: Vec<Diagnostic>,
}

impl Sample {
    fn new() -> Sample {
        let mut files = Files::default();
        files.add("main.mcl", MAIN);
        files.add("lib/lib.mcl", LIB);
        Sample { files, diagnostics: Vec::new() }
    }

    fn span(&self, file: u32, text: &str) -> Span {
        let at = self.files.files[FileId::from_u32(file)].text.find(text).expect("the text is in the file") as u32;
        Span::new(FileId::from_u32(file), at, at + text.len() as u32)
    }

    fn with(mut self, make: impl FnOnce(&Sample) -> Diagnostic) -> Sample {
        let diagnostic = make(&self);
        self.diagnostics.push(diagnostic);
        self
    }

    fn render(&self, format: Format) -> String {
        let program = Program { files: &self.files, prefix: "site/", diagnostics: &self.diagnostics };
        render(&[program], format, Style::default())
    }
}

fn unknown_name() -> Sample {
    Sample::new().with(|s| {
        Diagnostic::error(Code::E0501, Stage::Scope, "variable `$greetin` is not defined")
            .at_with(s.span(0, "\"${greetin}\""), "no such variable")
            .label(s.span(0, "$greeting"), "a similar name")
            .label(s.span(1, "$greeting"), "and one in a module")
            .help("did you mean `$greeting`?")
    })
}

#[test]
fn what_has_no_span_names_its_own_file_or_the_main_one() {
    let shown = |path: Option<&str>, format| {
        let sample = Sample::new().with(|_| {
            let error = Diagnostic::error(Code::P0101, Stage::Puppet, "invalid catalog");
            path.map_or(error.clone(), |path| error.in_file(Path::new(path)).in_file(Path::new("later")))
        });
        sample.render(format)
    };
    let formats = [Format::Human, Format::Short, Format::Json, Format::Sarif, Format::GitHub, Format::GitLab];
    for format in formats {
        let (own, main) = (shown(Some("/etc/catalog.json"), format), shown(None, format));
        assert!(own.contains("/etc/catalog.json") && !own.contains("main.mcl") && !own.contains("later"), "{own}");
        assert!(main.contains("main.mcl"), "{main}");
    }
}

#[test]
fn human_marks_every_span_in_every_file() {
    expect![[r#"
        error[E0501]

          × variable `$greetin` is not defined
           ╭─[site/main.mcl:3:6]
         1 │ $port = 80
         2 │ $greeting = "hi"
           · ────┬────
           ·     ╰── a similar name
         3 │ test "${greetin}" {
           ·      ──────┬─────
           ·            ╰── no such variable
         4 │     int64 => $port + "x",
           ╰────
           ╭─[site/lib/lib.mcl:2:1]
         1 │ # a library
         2 │ $greeting = "there"
           · ────┬────
           ·     ╰── and one in a module
           ╰────
          help: did you mean `$greeting`?

    "#]]
    .assert_eq(&unknown_name().render(Format::Human));
}

#[test]
fn human_without_a_span_names_the_program() {
    let sample = Sample::new().with(|_| Diagnostic::warning(Code::E0501, Stage::Graph, "nothing to do\u{1b}[2J"));
    assert_eq!(sample.render(Format::Human), "warning[E0501]\n\n  ⚠ nothing to do\\u{1b}[2J [site/main.mcl]\n\n");
}

#[test]
fn human_in_plain_ascii() {
    let sample = Sample::new().with(|s| Diagnostic::error(Code::E0501, Stage::Unify, "no").at(s.span(0, "80")));
    let program = Program { files: &sample.files, prefix: "", diagnostics: &sample.diagnostics };
    let text = render(&[program], Format::Human, Style { unicode: false, ..Style::default() });
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("main.mcl:1:9") && text.contains("$port = 80"), "{text}");
}

#[test]
fn human_in_color_uses_escapes() {
    let sample = unknown_name();
    let program = Program { files: &sample.files, prefix: "", diagnostics: &sample.diagnostics };
    let text = render(&[program], Format::Human, Style { color: true, ..Style::default() });
    assert!(text.contains('\u{1b}'), "{text}");
}

/// Returns the excerpt of one span.
fn excerpt(text: &str, start: usize, end: usize) -> String {
    let mut files = Files::default();
    let file = files.add("a.mcl", text);
    let diagnostics = [Diagnostic::error(Code::E0501, Stage::Lex, "m").at(Span::new(file, start as u32, end as u32))];
    render(&[Program { files: &files, prefix: "", diagnostics: &diagnostics }], Format::Human, Style::default())
}

#[test]
fn human_shows_the_end_of_input_on_the_last_line() {
    let text = excerpt("if true {\n\tx\n", 13, 13);
    assert!(text.contains(" 2 │     x\n"), "{text}");
    assert!(text.contains('▲'), "{text}");
}

#[test]
fn human_survives_every_span() {
    for text in ["", "\n", "a", "ä\r\nb", "\u{202e}x\u{0}\n\n", "日本語\n"] {
        for start in 0..=text.len() + 1 {
            for end in 0..=text.len() + 1 {
                let out = excerpt(text, start, end);
                assert!(out.contains("error[E0501]"), "{text:?} {start}..{end}: {out}");
                assert!(!out.contains(['\u{202e}', '\u{0}', '\r']), "{text:?} {start}..{end}: {out:?}");
            }
        }
    }
}

#[test]
fn human_cuts_enormous_lines_and_spans() {
    let line = format!("$x = [{}]\n", "1, ".repeat(100_000));
    let at = line.len() / 2;
    assert!(excerpt(&line, at, at + 1).len() < 2000);
    assert!(excerpt(&line, 0, line.len()).len() < 4000);
    assert!(excerpt(&"test \"x\" {}\n".repeat(5000), 0, 50_000).len() < 1000);
}

#[test]
fn short_is_one_line_per_diagnostic() {
    let sample = unknown_name().with(|_| Diagnostic::warning(Code::E0501, Stage::Graph, "two\nlines"));
    assert_eq!(
        sample.render(Format::Short),
        "site/main.mcl:3:6: error[E0501]: variable `$greetin` is not defined\n\
         site/main.mcl: warning[E0501]: two\\nlines\n"
    );
}

#[test]
fn json_is_the_documented_object() {
    let sample = unknown_name().with(|_| Diagnostic::warning(Code::E0501, Stage::Graph, "no place"));
    assert_eq!(
        sample.render(Format::Json),
        concat!(
            r#"{"code":"E0501","stage":"scope","severity":"error","message":"variable `$greetin` is not defined","#,
            r#""file":"main.mcl","span":{"start":{"line":3,"col":6},"end":{"line":3,"col":18}},"#,
            r#""labels":[{"file":"main.mcl","span":{"start":{"line":3,"col":6},"end":{"line":3,"col":18}},"text":"no such variable"},"#,
            r#"{"file":"main.mcl","span":{"start":{"line":2,"col":1},"end":{"line":2,"col":10}},"text":"a similar name"},"#,
            r#"{"file":"lib/lib.mcl","span":{"start":{"line":2,"col":1},"end":{"line":2,"col":10}},"text":"and one in a module"}],"#,
            r#""help":"did you mean `$greeting`?"}"#,
            "\n",
            r#"{"code":"E0501","stage":"graph","severity":"warning","message":"no place","file":"main.mcl","span":null,"labels":[],"help":null}"#,
            "\n"
        )
    );
}

#[test]
fn sarif_is_one_log_for_all_programs() {
    let sample = unknown_name();
    let program = Program { files: &sample.files, prefix: "a b/", diagnostics: &sample.diagnostics };
    let log: serde_json::Value =
        serde_json::from_str(&render(&[program, program], Format::Sarif, Style::default())).expect("the log is JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1));
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "E0501");
    assert_eq!(run["results"].as_array().map(Vec::len), Some(2));
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"E0501".into(), &"error".into()));
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a%20b/main.mcl");
    assert_eq!(
        location["region"],
        serde_json::json!({"startLine": 3, "startColumn": 6, "endLine": 3, "endColumn": 18})
    );
    assert_eq!(result["relatedLocations"].as_array().map(Vec::len), Some(2));
    assert_eq!(result["message"]["text"], "variable `$greetin` is not defined\n\nhelp: did you mean `$greeting`?");
}

#[test]
fn github_gets_one_escaped_command_per_diagnostic() {
    let sample = unknown_name().with(|_| Diagnostic::warning(Code::E0501, Stage::Graph, "100 %\nof a, b: c"));
    assert_eq!(
        sample.render(Format::GitHub),
        "::error file=site/main.mcl,line=3,col=6,endLine=3,endColumn=18,title=E0501::variable `$greetin` is not \
         defined%0Ahelp: did you mean `$greeting`?\n\
         ::warning file=site/main.mcl,title=E0501::100 %25%0Aof a, b: c\n"
    );
    let program = Program { files: &sample.files, prefix: "a,b:c/", diagnostics: &sample.diagnostics[..1] };
    let text = render(&[program], Format::GitHub, Style::default());
    assert!(text.starts_with("::error file=a%2Cb%3Ac/main.mcl,line="), "{text}");
}

#[test]
fn gitlab_findings_keep_their_identity_when_lines_move() {
    let report = |text: &str| {
        let mut files = Files::default();
        files.add("main.mcl", text);
        let diagnostics: Vec<Diagnostic> = text
            .match_indices('x')
            .map(|(at, _)| {
                let span = Span::new(FileId::MAIN, at as u32, at as u32 + 1);
                Diagnostic::error(Code::E0501, Stage::Scope, "unknown").at(span)
            })
            .collect();
        let program = Program { files: &files, prefix: "site/", diagnostics: &diagnostics };
        let text = render(&[program], Format::GitLab, Style::default());
        serde_json::from_str::<Vec<serde_json::Value>>(&text).expect("the report is JSON")
    };
    let (before, after) = (report("x\nx\n"), report("\n\nx\n\nx\n"));
    assert_eq!(before[0]["location"], serde_json::json!({"path": "site/main.mcl", "lines": {"begin": 1, "end": 1}}));
    assert_eq!((&before[0]["check_name"], &before[0]["severity"]), (&"E0501".into(), &"critical".into()));
    let fingerprints =
        |report: &[serde_json::Value]| [report[0]["fingerprint"].clone(), report[1]["fingerprint"].clone()];
    assert_eq!(fingerprints(&before), fingerprints(&after));
    assert_ne!(before[0]["fingerprint"], before[1]["fingerprint"], "two findings are two");
    assert!(report("").is_empty(), "a report without findings is a list all the same");
}

#[test]
fn diagnostics_are_sorted_by_stage_then_span() {
    let at = |stage, start: i32| {
        let d = Diagnostic::error(Code::E0501, stage, format!("{start}"));
        if start < 0 { d } else { d.at(Span::new(FileId::MAIN, start as u32, start as u32 + 1)) }
    };
    let mut diagnostics = vec![
        at(Stage::Unify, 1),
        at(Stage::Parse, -1),
        at(Stage::Parse, 9),
        at(Stage::Lex, 30),
        at(Stage::Parse, 2),
        at(Stage::Parse, 9),
    ];
    sort(&mut diagnostics);
    let order: Vec<_> = diagnostics.iter().map(|d| (d.stage, d.message.as_str())).collect();
    assert_eq!(
        order,
        [(Stage::Lex, "30"), (Stage::Parse, "2"), (Stage::Parse, "9"), (Stage::Parse, "-1"), (Stage::Unify, "1")]
    );
    assert_eq!(counts(&diagnostics), (5, 0));
}

#[test]
fn names_are_joined_to_the_programs_directory() {
    for (prefix, name, joined) in [
        ("", "main.mcl", "main.mcl"),
        ("site/", "main.mcl", "site/main.mcl"),
        ("site/sub/", "../lib/a.mcl", "site/lib/a.mcl"),
        ("sub/", "../a.mcl", "a.mcl"),
        ("", "../a.mcl", "../a.mcl"),
        ("../", "../a.mcl", "../../a.mcl"),
    ] {
        assert_eq!(join(prefix, name), joined);
    }
}

#[test]
fn an_explanation_wraps_paragraphs_and_indents_code() {
    expect![[r#"
        E0702: mismatched operand types

        Both operands of an operator must have the same type. A
        variable that is not used anywhere is not checked.

        Wrong:

            $total = 1 + 2.5
            test "t" {
            	float64 => $total,
            }

        Right:

            $total = 1.0 + 2.5
            test "t" {
            	float64 => $total,
            }
    "#]]
    .assert_eq(&explain(Code::E0702, Style { width: 60, ..Style::default() }));
}

#[test]
fn an_explanation_in_color_marks_title_labels_and_code() {
    let text = explain(Code::E0703, Style { color: true, ..Style::default() });
    assert!(text.starts_with("\u{1b}[1mE0703: unsupported operand type\u{1b}[0m\n"), "{text}");
    assert!(text.contains("\u{1b}[36m`list.concat`\u{1b}[0m"), "{text}");
    assert!(text.contains("\u{1b}[1;31mWrong:\u{1b}[0m") && text.contains("\u{1b}[1;32mRight:\u{1b}[0m"), "{text}");
    assert!(text.contains("`in`") && !text.contains("| ---"), "{text}");
}

#[test]
fn no_explanation_exceeds_the_width() {
    for code in all_codes() {
        let text = explain(code, Style::default());
        let prose = text.lines().filter(|line| !line.starts_with("    "));
        for line in prose {
            assert!(line.chars().count() <= 100, "{}: {line}", code.name());
        }
    }
}
