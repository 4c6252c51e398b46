//! A bounded fuzzer for lexer, parser, init checks and interpolation: damaged programs of the corpus, for some seconds.
//!
//! `cargo bench -p mcl-parser --bench fuzz -- --seconds 60 --seed 7`. A panic prints the seed and writes the text to
//! `fuzz-crash.mcl`; a text that takes longer than a second counts as a hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use mcl_diagnostics::FileId;
use mcl_lexer::{lex, lex_diagnostics};
use mcl_parser::{check_init, interpolate, parse};

const CORPUS: &[&str] = &[
    include_str!("../corpus/statements.mcl"),
    include_str!("../corpus/expressions.mcl"),
    include_str!("../corpus/old.mcl"),
];

const PIECES: &[&str] = &[
    "{", "}", "(", ")", "[", "]", ",", ":", ";", ".", "$", "=", "=>", "->", "?:", "<|>", "||", "-", "\"", "\\", "${",
    "#", "\n", "\r", "'", "%", "if ", "else ", "for ", "func ", "class ", "import ", "in ", "not ", "struct{", "map{",
    "Meta", "é", "_",
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
}

fn damage(random: &mut Random) -> String {
    let mut text: Vec<char> = CORPUS[random.below(CORPUS.len())].chars().collect();
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
            2 | 3 => drop(text.splice(to..to, PIECES[random.below(PIECES.len())].chars())),
            _ => {
                let piece = PIECES[random.below(PIECES.len())].repeat(random.below(3000));
                text.splice(to..to, piece.chars());
            }
        }
    }
    text.into_iter().collect()
}

fn check(text: &str) {
    let file = FileId(0);
    let tokens = lex(text);
    assert!(tokens.fits(text));
    let parsed = parse(file, text, &tokens);
    let (tree, found) = interpolate(parsed.ast);
    let init = check_init(&tree);
    for diagnostic in lex_diagnostics(file, text, &tokens).iter().chain(&parsed.diagnostics).chain(&found).chain(&init)
    {
        let span = diagnostic.span.expect("every message has a place");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?} lies outside of the text");
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option =
        |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).and_then(|v| v.parse().ok());
    let seconds = option("--seconds").unwrap_or(10);
    let seed = option("--seed").unwrap_or_else(|| u64::from(std::process::id()) << 20 | 1);
    println!("seed {seed}, {seconds} s");
    let mut random = Random(seed.max(1));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut count = 0u64;
    let mut slowest = Duration::ZERO;
    while Instant::now() < end {
        let text = damage(&mut random);
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| check(&text)));
        let took = start.elapsed();
        slowest = slowest.max(took);
        if result.is_err() || took > Duration::from_secs(1) {
            println!(
                "seed {seed}, program {count}: {} after {took:?}",
                if result.is_err() { "panic" } else { "too slow" }
            );
            if let Err(error) = std::fs::write("fuzz-crash.mcl", &text) {
                println!("fuzz-crash.mcl: {error}");
            }
            std::process::exit(1);
        }
        count += 1;
    }
    println!("{count} programs, slowest {slowest:?}");
}
