//! Mutation of programs by their words, which are deleted, doubled, exchanged, or replaced by words of other programs.

use fastrand::Rng;

/// Cuts a program into words: runs of letters and digits, runs of whitespace, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != class(c) || last == 2) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    words.push(&text[start..]);
    words
}

/// Makes a program out of one or two of the corpus.
///
/// # Panics
/// If the corpus is empty.
#[must_use]
pub fn mutated(corpus: &[String], rng: &mut Rng) -> String {
    let mut program: Vec<String> =
        words(rng.choice(corpus).expect("programs")).into_iter().map(str::to_owned).collect();
    let other = words(rng.choice(corpus).expect("programs"));
    if rng.u8(..4) == 0 {
        program.push("\n".to_owned());
        program.extend(other.iter().map(|word| (*word).to_owned()));
    }
    for _ in 0..rng.usize(..4) {
        if program.is_empty() {
            break;
        }
        let at = rng.usize(..program.len());
        match rng.u8(..6) {
            0 => drop(program.remove(at)),
            1 => program.insert(at, program[at].clone()),
            2 => {
                let with = rng.usize(..program.len());
                program.swap(at, with);
            }
            3 | 4 => program[at] = (*rng.choice(&other).expect("words")).to_owned(),
            _ => {
                let end = (at + rng.usize(1..8)).min(program.len());
                let part: Vec<String> = program[at..end].to_vec();
                for _ in 0..rng.usize(1..40) {
                    program.splice(at..at, part.iter().cloned());
                }
            }
        }
    }
    program.concat()
}
