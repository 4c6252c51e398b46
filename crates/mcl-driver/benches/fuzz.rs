//! A bounded fuzzer of the front end: damaged programs of a corpus, for some seconds.
//!
//! `cargo bench --profile fuzz -p mcl-driver --bench fuzz -- --seconds 60 --seed 7 --target check`
//!
//! The targets, each of which does what the ones before it do, too:
//!
//! | `--target` | what runs |
//! | --- | --- |
//! | `lexer` | the lexer; every byte is part of a token, a comment or a blank |
//! | `parser` | the parser and the init checks |
//! | `interpolation` | the interpolate stage, on damaged strings mostly |
//! | `check` | every stage up to the function graph; an accepted program is written and read as an artifact |
//!
//! Without `--target`, all of them share the time, and two threads work. The corpus is the one of the parser, the one in
//! `corpus/` here, and the programs of `tests/ui`. Pieces of one program come into another, so that damaged programs often
//! stay programs, and reach the later stages.
//!
//! A panic, a hang (more than two seconds) and a message without a place print the seed and the number of the program, and
//! write the text to `fuzz-crash.mcl`. A crash that takes the process along (a stack overflow) is found again with
//! `--trace`, which writes every program before it runs.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use mcl_driver::Payload;
use mcl_lexer::{lex, lex_diagnostics};
use mcl_modules::{Input, Options, load};
use mcl_parser::{check_ast, interpolate, parse};

const HANG: Duration = Duration::from_secs(2);

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ";",
    ".",
    "$",
    "=",
    "=>",
    "->",
    "?:",
    "<|>",
    "||",
    "-",
    "\"",
    "\\",
    "${",
    "#",
    "\n",
    "\r",
    "'",
    "%",
    "if ",
    "else ",
    "for ",
    "func ",
    "class ",
    "import ",
    "include ",
    " as ",
    "in ",
    "not ",
    "struct{",
    "map{",
    "Meta",
    "é",
    "_",
    "collect ",
    "panic",
    "9223372036854775807",
    "1e308",
    "[]str",
    "str",
];

/// What may stand in a string: escapes and references, right and wrong.
const STRING_PIECES: &[&str] = &[
    "${", "}", "${x}", "${a.b}", "$", "\\", "\\n", "\\$", "\\x41", "\\u{e9}", "\\\"", "%d", "é", "{", "}", "${x__y}",
    ":",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Lexer,
    Parser,
    Interpolation,
    Check,
}

const TARGETS: [(&str, Target); 4] = [
    ("lexer", Target::Lexer),
    ("parser", Target::Parser),
    ("interpolation", Target::Interpolation),
    ("check", Target::Check),
];

/// xorshift64*: the fuzzer wants speed and a printed seed, not quality.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// The programs that get damaged.
struct Corpus {
    /// Where local imports count from.
    directory: PathBuf,
    programs: Vec<Program>,
}

struct Program {
    text: String,
    /// The text cut at its tokens; blanks belong to the token behind them.
    tokens: Vec<String>,
    /// The tokens of each line.
    lines: Vec<String>,
}

impl Corpus {
    fn read() -> Corpus {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut programs = Vec::new();
        for directory in ["corpus", "../mcl-parser/corpus", "../../tests/ui"] {
            collect(&here.join(directory), &mut programs);
        }
        Corpus { directory: here.join("corpus"), programs }
    }

    /// A program of the corpus with some damage.
    fn damaged(&self, random: &mut Random, target: Target) -> String {
        let program = random.one(&self.programs);
        match target {
            Target::Check | Target::Parser if random.below(4) > 0 => self.shuffled(random, program),
            Target::Interpolation if random.below(4) > 0 => strings(random, program),
            _ => letters(random, program),
        }
    }

    /// Tokens and lines go, come, and change places: the result is often a program still.
    fn shuffled(&self, random: &mut Random, program: &Program) -> String {
        if random.below(3) == 0 {
            let mut lines = program.lines.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(lines.len());
                let from = random.one(&self.programs);
                match random.below(4) {
                    0 if lines.len() > 1 => drop(lines.remove(at)),
                    1 => lines.insert(at, random.one(&from.lines).clone()),
                    2 => lines.splice(at..at, from.lines.iter().cloned()).for_each(drop),
                    _ => {
                        let other = random.below(lines.len());
                        lines.swap(at, other);
                    }
                }
            }
            return lines.concat();
        }
        let mut tokens = program.tokens.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(tokens.len());
            let other = random.below(tokens.len());
            match random.below(6) {
                0 => tokens[at].clear(),
                1 => {
                    let from = random.one(&self.programs);
                    tokens[at] = random.one(&from.tokens).clone();
                }
                2 => tokens[at] = format!(" {}", random.one(PIECES)),
                3 => tokens.swap(at, other),
                _ => tokens[at] = tokens[other].clone(),
            }
        }
        tokens.concat()
    }
}

/// Reads the programs of a directory and those below it, in the order of their names.
fn collect(directory: &Path, programs: &mut Vec<Program>) {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, programs);
        } else if path.extension().is_some_and(|extension| extension == "mcl") {
            // What is not UTF-8, or long on purpose, is for other tests.
            if let Some(text) = std::fs::read_to_string(&path).ok().filter(|text| (1..20_000).contains(&text.len())) {
                programs.push(Program::new(text));
            }
        }
    }
}

impl Program {
    fn new(text: String) -> Program {
        let tokens = lex(&text);
        let mut pieces = Vec::new();
        let mut start = 0;
        for i in 0..tokens.len() {
            let end = tokens.end(i) as usize;
            pieces.push(text[start..end].to_owned());
            start = end;
        }
        pieces.push(text[start..].to_owned());
        let lines = text.split_inclusive('\n').map(str::to_owned).collect();
        Program { text, tokens: pieces, lines }
    }
}

/// Pieces of text go, come, and are doubled.
fn letters(random: &mut Random, program: &Program) -> String {
    let mut text: Vec<char> = program.text.chars().collect();
    for _ in 0..=random.below(8) {
        let from = random.below(text.len());
        let end = (from + random.below(50)).min(text.len());
        let to = random.below(text.len());
        match random.below(5) {
            0 => drop(text.drain(from..end)),
            1 => {
                let copy = text[from..end].to_vec();
                text.splice(to..to, copy);
            }
            2 | 3 => drop(text.splice(to..to, random.one(PIECES).chars())),
            _ => {
                let piece = random.one(PIECES).repeat(random.below(3000));
                text.splice(to..to, piece.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// The strings of a program get other contents.
fn strings(random: &mut Random, program: &Program) -> String {
    let mut text = String::new();
    for token in &program.tokens {
        match token.strip_suffix('"').and_then(|token| token.split_once('"')) {
            Some((blank, content)) if random.below(3) == 0 => {
                let cut = content.floor_char_boundary(random.below(content.len() + 1));
                let _ = write!(text, "{blank}\"{}", &content[..cut]);
                (0..=random.below(3)).for_each(|_| text.push_str(STRING_PIECES[random.below(STRING_PIECES.len())]));
                let _ = write!(text, "{}\"", &content[cut..]);
            }
            _ => text.push_str(token),
        }
    }
    text
}

/// Runs a target on a program. Gives whether it was accepted.
fn run(target: Target, text: &str, directory: &Path) -> bool {
    let file = FileId(0);
    let tokens = lex(text);
    assert!(tokens.fits(text));
    let mut found = lex_diagnostics(file, text, &tokens);
    if target != Target::Lexer {
        let parsed = parse(file, text, &tokens);
        found.extend(check_ast(&parsed.ast));
        found.extend(parsed.diagnostics);
        assert_eq!(parsed.ast.validate(text), Ok(()), "the tree is sound");
        if target != Target::Parser {
            let (tree, more) = interpolate(parsed.ast);
            assert_eq!(tree.validate(text), Ok(()), "the interpolated tree is sound");
            found.extend(more);
        }
    }
    let mut files = Files::default();
    files.add("main.mcl", text);
    places(&files, &found);
    if target == Target::Check {
        return check(text, directory);
    }
    found.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
}

fn check(text: &str, directory: &Path) -> bool {
    let input = Input::Text { path: directory.join("main.mcl"), text: text.as_bytes().to_vec() };
    let loaded = load(&input, &Options::default()).expect("text is always a program");
    let files = loaded.files.clone();
    let compiled = mcl_driver::compile(loaded, &[ArtifactStage::Fgraph], || ());
    places(&files, &compiled.diagnostics);
    let accepted = compiled.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    assert_eq!(accepted, !compiled.artifacts.is_empty(), "an accepted program has an artifact, and only that");
    for (_, bytes) in &compiled.artifacts {
        let again = Payload::read(bytes).expect("what was written can be read").write();
        assert!(again == *bytes, "an artifact is written as it was read");
    }
    accepted
}

/// Every message has a place inside of its file.
fn places(files: &Files, found: &[Diagnostic]) {
    for diagnostic in found {
        let span = diagnostic.span.unwrap_or_else(|| panic!("no place: {diagnostic:?}"));
        let text = &files.get(span.file).expect("the file is there").text;
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?} lies outside of the text");
    }
}

/// What the command line asks for.
struct Job {
    seed: u64,
    seconds: u64,
    targets: Vec<Target>,
    trace: bool,
}

impl Job {
    /// Runs until the time is over, or something is found, which ends the process.
    fn work(&self, corpus: &Corpus, thread: u64) {
        let seed = self.seed.wrapping_add(thread).max(1);
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let mut slowest = Duration::ZERO;
        let (mut count, mut accepted) = (0u64, 0u64);
        while Instant::now() < end {
            let target = self.targets[count as usize % self.targets.len()];
            let text = corpus.damaged(&mut random, target);
            if self.trace {
                keep(&text);
            }
            let start = Instant::now();
            let result = catch_unwind(AssertUnwindSafe(|| run(target, &text, &corpus.directory)));
            let took = start.elapsed();
            slowest = slowest.max(took);
            if result.is_err() || took > HANG {
                let what = if result.is_err() { "panic" } else { "too slow" };
                println!("seed {seed}, program {count}, target {target:?}: {what} after {took:?}");
                keep(&text);
                std::process::exit(1);
            }
            accepted += u64::from(result.unwrap_or(false));
            count += 1;
        }
        println!("seed {seed}: {count} programs, {accepted} accepted, slowest {slowest:?}");
        assert!(count < 1000 || accepted * 100 > count, "the fuzzer does not reach the later stages");
    }
}

fn keep(text: &str) {
    if let Err(error) = std::fs::write("fuzz-crash.mcl", text) {
        println!("fuzz-crash.mcl: {error}");
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str| args.iter().position(|arg| arg == name).and_then(|i| args.get(i + 1));
    let number = |name: &str| option(name).and_then(|value| value.parse().ok());
    let seed = number("--seed").unwrap_or_else(|| u64::from(std::process::id()) << 20);
    let targets = match option("--target") {
        None => TARGETS.map(|(_, target)| target).to_vec(),
        Some(name) => match TARGETS.iter().find(|(known, _)| known == name) {
            Some((_, target)) => vec![*target],
            None => {
                println!("`{name}` is no target; there are {}", TARGETS.map(|(name, _)| name).join(", "));
                std::process::exit(2);
            }
        },
    };
    let job =
        Job { seed, seconds: number("--seconds").unwrap_or(10), targets, trace: args.iter().any(|a| a == "--trace") };
    let corpus = Corpus::read();
    println!("{} programs in the corpus, {} s", corpus.programs.len(), job.seconds);
    let threads = if job.trace || option("--threads").is_some_and(|n| n == "1") { 1 } else { 2 };
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (job, corpus) = (&job, &corpus);
            // The stack of a worker of `mclc check`.
            let spawned =
                std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, move || job.work(corpus, thread));
            spawned.expect("a thread starts");
        }
    });
}
