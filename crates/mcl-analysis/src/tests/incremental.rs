//! What is known before everything is analysed again is what the analysis of everything says.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcl_diagnostics::Severity;
use mcl_lexer::{TokenKind, lex};
use test_support::{RandomChoice, Rng, for_each_seed};

use super::*;
use crate::syntax::Syntax;
use crate::{Change, Encoding, Finding, LineIndex, Question};

const MAIN: &str = "\
import \"fmt\"
import \"strings\"
import \"lib.mcl\" as lib
$root = \"/srv\"
$ports = {\"blog\" => 80, \"shop\" => 81}
$list = [1, 2, 3,]
# A site.
class site($name, $port int) {
	$path = \"${root}/${name}.conf\"
	file \"${path}\" {
		state => $const.res.file.state.exists,
		content => fmt.printf(\"port %d\\n\", $port),
		Notify => Svc[\"web\"],
	}
}
svc \"web\" {
	state => \"running\",
}
func double($n) {
	$n + $n
}
class empty {
	$unused = strings.to_upper(\"x\")
	test \"e\" {
		int64 => 7,
	}
}
forkv $k, $v in $ports {
	include site($k, double($v)) as s
	print \"p${k}\" {
		msg => $s.path,
	}
}
include lib.kit(\"a\", $list[0])
if $root == \"/srv\" {
	test \"t\" {
		int64 => lib.triple(4),
		Before => Test[\"u\"],
	}
	include empty
}
test \"u\" {
	stringptr => $lib.greeting,
}
$kit = lib.triple(2)
test \"v\" {
	int64 => $kit,
}
";

const LIB: &str = "\
import \"fmt\"
$greeting = \"hello\"
$factor = 3
func triple($x) {
	$x * $factor
}
class kit($base, $level) {
	$text = fmt.printf(\"%s: %d\", $base, $level)
	if $level > 2 {
		$high = true
	}
}
class unused_kit {
	include kit(\"b\", 1)
}
";

/// Statements that are inserted.
const STATEMENTS: &[&str] = &[
    "$extra = 1\n",
    "$root2 = $root\n",
    "include empty\n",
    "include site(\"more\", 8080)\n",
    "test \"w\" {\n\tint64 => $extra,\n}\n",
    "test \"v\" {}\n",
    "class empty2 {\n\tinclude empty\n}\n",
    "func half($n) {\n\t$n / 2\n}\n",
    "# A comment.\n",
    "\n\n",
    "Test[\"u\"] -> Test[\"v\"]\n",
    "$greeting = \"again\"\n",
    "import \"math\"\n",
    "if $extra == 1 {\n\t$root = \"/in\"\n}\n",
];

/// The texts of a module, as the client has them.
struct Texts {
    workspace: Workspace,
    texts: BTreeMap<PathBuf, String>,
}

impl Texts {
    fn new() -> Texts {
        let mut workspace = Workspace::new(None);
        let mut texts = BTreeMap::new();
        for (name, text) in [("main.mcl", MAIN), ("lib.mcl", LIB), ("metadata.yaml", "main: main.mcl\n")] {
            let path = PathBuf::from("/nowhere").join(name);
            workspace.open(path.clone(), text);
            texts.insert(path, text.to_owned());
        }
        Texts { workspace, texts }
    }

    fn any_path(&self, rng: &mut Rng) -> PathBuf {
        let name = if rng.one_in(3) { "lib.mcl" } else { "main.mcl" };
        PathBuf::from("/nowhere").join(name)
    }

    fn edit(&mut self, rng: &mut Rng, original: &BTreeMap<PathBuf, String>) {
        let path = self.any_path(rng);
        let text = &self.texts[&path];
        let (start, end, new) = match rng.usize(..10) {
            // Back to something that is right.
            0 | 9 => difference(text, &original[&path]),
            1 | 2 => {
                let at = line_start(rng, text);
                (at, at, (*rng.pick(STATEMENTS)).to_owned())
            }
            3 => {
                let at = line_start(rng, text);
                let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
                (at, end, String::new())
            }
            4 => {
                let at = rng.usize(..=text.len());
                (at, at, (*rng.pick(&["x", " ", "\"", "}", "{", "$", "\n", "1", ".", "# c\n"])).to_owned())
            }
            _ => replaced_token(rng, text),
        };
        let lines = LineIndex::new(text);
        let position = |at: usize| lines.position(text, at as u32, Encoding::Utf8);
        let change = Change { range: Some((position(start), position(end))), text: new.clone() };
        assert!(self.workspace.change(&path, vec![change], Encoding::Utf8));
        self.texts.get_mut(&path).expect("it is open").replace_range(start..end, &new);
        assert_eq!(**self.workspace.text(&path).expect("it is open"), *self.texts[&path]);
    }
}

/// Replaces what differs.
fn difference(old: &str, new: &str) -> (usize, usize, String) {
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - same;
    let after = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(old, new)| old == new).count();
    (same, old.len() - after, new[same..new.len() - after].to_owned())
}

fn line_start(rng: &mut Rng, text: &str) -> usize {
    let at = rng.usize(..=text.len());
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Replaces a name, number or string by another one of the text.
fn replaced_token(rng: &mut Rng, text: &str) -> (usize, usize, String) {
    let tokens = lex(text);
    let kind = *rng.pick(&[TokenKind::Identifier, TokenKind::Identifier, TokenKind::String, TokenKind::Integer]);
    let all: Vec<_> = tokens.indices().filter(|token| tokens[*token] == kind).collect();
    if all.is_empty() {
        return (0, 0, String::new());
    }
    let (old, new) = (*rng.pick(&all), *rng.pick(&all));
    let new = match kind {
        TokenKind::Integer => rng.usize(..300).to_string(),
        TokenKind::String if rng.bool() => format!("\"text {} ${{root}}\"", rng.usize(..9)),
        _ => tokens.text(text, new).to_owned(),
    };
    (tokens.start(old) as usize, tokens.end(old) as usize, new)
}

fn assert_same_findings(texts: &Texts, found: &Analysis, fresh: &Analysis) {
    let sorted = |analysis: &Analysis| -> BTreeMap<PathBuf, Vec<Finding>> {
        let mut findings = analysis.findings();
        // Findings at one place have no order.
        findings
            .values_mut()
            .for_each(|found| found.sort_by_key(|f| (f.range.start, f.range.end, f.code.name(), f.message.clone())));
        findings
    };
    assert_eq!(sorted(found), sorted(fresh), "{:#?}", texts.texts);
}

#[test]
fn the_sample_has_no_errors() {
    let texts = Texts::new();
    let mut analyzer = Analyzer::default();
    let analysis = analyzer.analyze(&texts.workspace.sources());
    let findings = analysis.findings();
    let errors: Vec<&Finding> = findings.values().flatten().filter(|f| f.severity == Severity::Error).collect();
    assert_eq!(errors, Vec::<&Finding>::new());
    for program in analysis.programs() {
        assert!(program.unfinished().is_some());
    }
}

#[test]
fn findings_after_an_edit_are_those_of_the_whole() {
    let mut known = 0;
    for_each_seed(30, |rng| {
        let mut texts = Texts::new();
        let original = texts.texts.clone();
        let mut analyzer = Analyzer::default();
        analyzer.analyze(&texts.workspace.sources());
        for _ in 0..40 {
            texts.edit(rng, &original);
            let sources = texts.workspace.sources();
            match analyzer.analyze_edit(&sources) {
                Some(found) => {
                    known += 1;
                    assert_same_findings(&texts, &found, &Analyzer::default().analyze(&sources));
                }
                None => {
                    analyzer.analyze(&sources);
                }
            }
        }
    });
    assert!(known > 50, "{known}");
}

#[test]
fn parts_answer_as_the_whole_does() {
    let mut answers = [0; 5];
    for_each_seed(15, |rng| {
        let mut texts = Texts::new();
        let original = texts.texts.clone();
        let mut last = Analyzer::default().analyze(&texts.workspace.sources());
        let mut last_state = texts.texts.clone();
        for _ in 0..25 {
            texts.edit(rng, &original);
            let sources = texts.workspace.sources();
            let fresh = Analyzer::default().analyze(&sources);
            let findings = fresh.findings();
            // The type of what only a broken statement uses is known to the part, and not looked for by the whole.
            let is_broken = findings.values().flatten().any(|f| f.severity == Severity::Error && f.code.name() < "E05");
            for _ in 0..if is_broken { 0 } else { 12 } {
                let path = texts.any_path(rng);
                let offset = rng.u32(..=texts.texts[&path].len() as u32);
                let context = || format!("{} {offset} {:#?}\nbefore: {last_state:#?}", path.display(), texts.texts);
                let part = |question| last.part_for(&sources, question, &path, offset);
                if let Some(part) = part(Question::Hover) {
                    answers[0] += usize::from(part.hover(&path, offset).is_some());
                    assert_eq!(part.hover(&path, offset), fresh.hover(&path, offset), "{}", context());
                }
                if let Some(part) = part(Question::Definition) {
                    answers[1] += usize::from(!part.definitions(&path, offset).is_empty());
                    assert_eq!(part.definitions(&path, offset), fresh.definitions(&path, offset), "{}", context());
                }
                if let Some(part) = part(Question::Signature) {
                    answers[2] += usize::from(part.signature_help(&path, offset).is_some());
                    assert_eq!(
                        part.signature_help(&path, offset),
                        fresh.signature_help(&path, offset),
                        "{}",
                        context()
                    );
                }
                if let Some(part) = part(Question::Completion) {
                    answers[3] += usize::from(!part.completions(&path, offset).is_empty());
                    assert_eq!(part.completions(&path, offset), fresh.completions(&path, offset), "{}", context());
                }
            }
            let path = texts.any_path(rng);
            if !is_broken && let Some(part) = last.part_for(&sources, Question::Tokens, &path, 0) {
                answers[4] += 1;
                let (part, whole) = (part.semantic_tokens(&path), fresh.semantic_tokens(&path));
                assert_eq!(part, whole, "{:#?}\nbefore: {last_state:#?}", texts.texts);
            }
            // The last analysis is several edits old at most.
            if rng.one_in(3) {
                last = fresh;
                last_state.clone_from(&texts.texts);
            }
        }
    });
    assert!(answers.into_iter().all(|count| count > 10), "{answers:?}");
}

#[test]
fn edited_texts_have_the_segments_of_the_whole() {
    for_each_seed(60, |rng| {
        let mut texts = Texts::new();
        let original = texts.texts.clone();
        for path in original.keys() {
            // Known segments are edited with the text.
            texts.workspace.sources().documents[path].syntax();
        }
        for _ in 0..40 {
            texts.edit(rng, &original);
            for (path, document) in texts.workspace.sources().documents.iter() {
                let (edited, whole) = (Arc::clone(document.syntax()), Syntax::new(&texts.texts[path]));
                assert_eq!(edited.tokens, whole.tokens);
                let shown = |syntax: &Syntax| format!("{:?}", syntax.segments);
                assert_eq!(shown(&edited), shown(&whole), "{:?}", texts.texts[path]);
            }
        }
    });
}
