//! Mutated programs: both stages terminate on every tree.

use super::{compile, describe};

const SAMPLE: &str = include_str!("samples/rich.mcl");

/// A pseudo-random number generator. A failing test prints its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Splits a program into words, punctuation and whitespace.
fn pieces(program: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in program.chars() {
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(piece) if joins(c) && joins(last) => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        last = c;
    }
    pieces
}

#[test]
fn sample_has_no_errors() {
    let text = describe(SAMPLE);
    assert!(text.contains("$marks_too: []str") && text.contains("$fallback: int"), "{text}");
}

#[test]
fn mutated_programs_never_panic() {
    let (main, rest) = SAMPLE.split_once("-- lib.mcl --").expect("the sample has three files");
    let pieces = pieces(main);
    let words: Vec<usize> = (0..pieces.len()).filter(|i| !pieces[*i].trim().is_empty()).collect();
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut mutated = pieces.clone();
        for _ in 0..=random.below(4) {
            let (at, other) = (words[random.below(words.len())], words[random.below(words.len())]);
            match random.below(3) {
                0 => mutated[at].clear(),
                1 => mutated[at] = pieces[other].clone(),
                _ => mutated.swap(at, other),
            }
        }
        let program = mutated.concat();
        let imports = program.lines().filter(|line| line.contains("import") && line.contains(".mcl"));
        // Only these two files can be imported in this test.
        if imports.clone().all(|line| line.contains("\"lib.mcl\"") || line.contains("\"other.mcl\"")) {
            let found = std::panic::catch_unwind(|| compile(&format!("{program}-- lib.mcl --{rest}")));
            assert!(found.is_ok(), "seed {seed}:\n{program}");
        }
    }
}
