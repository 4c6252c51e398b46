//! How well the front end reports single mistakes, summed over all broken programs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use mcl_diagnostics::Code;
use rayon::prelude::*;

/// A program that is accepted, and whose tokens can be broken.
pub trait Breakable: Sync {
    /// Where it is, for people.
    fn path(&self) -> &Path;
    /// The number of its tokens.
    fn tokens(&self) -> usize;
    /// The number of ways to break a token.
    fn changes() -> usize;
    /// Breaks a token; `None` if that leaves the program as it is.
    fn broken(&self, token: usize, change: usize) -> Option<Broken>;
    /// Returns the errors of a text in place of the program, in the order in which they are printed.
    fn errors(&self, text: &str) -> Vec<Error>;
}

/// A program with one broken token.
pub struct Broken {
    /// The kind of the token of the original program.
    pub kind: String,
    /// What happens to it.
    pub change: String,
    /// The lines of the token, from 1: the first and the last one.
    pub lines: [u32; 2],
    /// The broken program.
    pub text: String,
}

impl Broken {
    /// Describes the program `text`, in which the token `old` after `before` is broken.
    #[must_use]
    pub fn new(kind: String, change: String, before: &str, old: &str, text: String) -> Broken {
        let newlines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() as u32;
        let first = 1 + newlines(before);
        Broken { kind, change, lines: [first, first + newlines(old)], text }
    }
}

/// An error of a broken program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The diagnostic code.
    pub code: Code,
    /// The message.
    pub message: String,
    /// The line in the main file, from 1; `None` in another file.
    pub line: Option<u32>,
}

/// The number of classes of mistakes that a report shows.
const SHOWN_CLASSES: usize = 40;

/// The sums over all broken programs.
#[derive(Default)]
pub struct Report {
    /// The number of programs that were broken.
    pub programs: usize,
    /// The number of broken programs that are rejected.
    pub rejected: usize,
    /// Of these, the number with more than one error.
    pub several_errors: usize,
    /// Of the rejected ones, the number whose first error is on another line than the broken token.
    pub other_line: usize,
    /// The classes of the broken programs with more than one error.
    several: BTreeMap<Class, Examples>,
    /// The classes of those whose first error is on another line.
    elsewhere: BTreeMap<Class, Examples>,
    /// One line for each program that is in one of these classes.
    pub flaws: Vec<String>,
}

/// What broken programs with the same flaw have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    /// The codes of the first two errors.
    codes: Vec<&'static str>,
    /// The kind of the broken token, and what happened to it.
    change: String,
}

/// The broken programs of a class.
struct Examples {
    count: usize,
    /// The shortest one, and its errors.
    shortest: String,
}

impl Report {
    /// Breaks every token of the programs in one of `stride` ways each, and judges the result. All ways are tried if `stride`
    /// is 1.
    #[must_use]
    pub fn on<P: Breakable>(programs: &[P], stride: usize) -> Report {
        let jobs: Vec<(usize, usize)> =
            programs.iter().enumerate().flat_map(|(i, program)| (0..program.tokens()).map(move |t| (i, t))).collect();
        let judge = |(number, (program, token)): (usize, &(usize, usize))| {
            let program = &programs[*program];
            let changes = (0..P::changes()).filter(|change| (change + number).is_multiple_of(stride));
            let mut report = Report::default();
            for broken in changes.filter_map(|change| program.broken(*token, change)) {
                report.add(program.path(), &broken, &program.errors(&broken.text));
            }
            report
        };
        let sum = jobs.par_iter().enumerate().map(judge).reduce(Report::default, Report::and);
        Report { programs: programs.len(), ..sum }
    }

    /// Returns the share of the rejected programs that have more than one error, in percent.
    #[must_use]
    pub fn percent_several_errors(&self) -> f64 {
        percent(self.several_errors, self.rejected)
    }

    /// Returns the share of the rejected programs whose first error is on the line of the broken token, in percent.
    #[must_use]
    pub fn percent_on_line(&self) -> f64 {
        100.0 - percent(self.other_line, self.rejected)
    }

    fn add(&mut self, path: &Path, broken: &Broken, errors: &[Error]) {
        let Some(first) = errors.first() else { return };
        self.rejected += 1;
        let class = |codes| Class {
            codes: errors.iter().take(codes).map(|error| error.code.name()).collect(),
            change: format!("{} {}", broken.kind, broken.change),
        };
        let mut flaw = |what: &str| {
            let codes: Vec<&str> = errors.iter().take(3).map(|error| error.code.name()).collect();
            let Broken { kind, change, lines: [line, _], .. } = broken;
            self.flaws.push(format!("{what}\t{}\t{kind}\t{change}\t{}:{line}", codes.join(" "), path.display()));
        };
        if errors.len() > 1 {
            flaw("several");
            self.several_errors += 1;
            insert(&mut self.several, class(2), Examples { count: 1, shortest: example(path, broken, errors) });
        }
        if !first.line.is_some_and(|line| (broken.lines[0]..=broken.lines[1]).contains(&line)) {
            flaw("line");
            self.other_line += 1;
            insert(&mut self.elsewhere, class(1), Examples { count: 1, shortest: example(path, broken, errors) });
        }
    }

    fn and(mut self, other: Report) -> Report {
        self.rejected += other.rejected;
        self.several_errors += other.several_errors;
        self.other_line += other.other_line;
        self.flaws.extend(other.flaws);
        for (class, examples) in other.several {
            insert(&mut self.several, class, examples);
        }
        for (class, examples) in other.elsewhere {
            insert(&mut self.elsewhere, class, examples);
        }
        self
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn insert(classes: &mut BTreeMap<Class, Examples>, class: Class, more: Examples) {
    match classes.get_mut(&class) {
        None => {
            classes.insert(class, more);
        }
        Some(known) => {
            known.count += more.count;
            if more.shortest.len() < known.shortest.len() {
                known.shortest = more.shortest;
            }
        }
    }
}

/// Returns the broken program with its errors.
fn example(path: &Path, broken: &Broken, errors: &[Error]) -> String {
    let mut shown = format!("  {}, line {}:\n", path.display(), broken.lines[0]);
    for (number, line) in (1..).zip(broken.text.lines()) {
        let marker = if number == broken.lines[0] { '>' } else { ' ' };
        shown.push_str(&format!("  {marker} {line}\n"));
    }
    for error in errors {
        let line = error.line.map_or("elsewhere".to_owned(), |line| line.to_string());
        shown.push_str(&format!("    {line} {} {}\n", error.code.name(), error.message));
    }
    shown
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, "more than one error", &self.several)?;
        show(f, "first error on another line", &self.elsewhere)?;
        writeln!(
            f,
            "{} programs, {} broken ones rejected: {:.2} % with more than one error, {:.2} % with the first error on the \
             line of the mistake",
            self.programs,
            self.rejected,
            self.percent_several_errors(),
            self.percent_on_line(),
        )
    }
}

fn show(f: &mut fmt::Formatter<'_>, title: &str, classes: &BTreeMap<Class, Examples>) -> fmt::Result {
    let mut largest: Vec<(&Class, &Examples)> = classes.iter().collect();
    largest.sort_by_key(|(_, examples)| std::cmp::Reverse(examples.count));
    for (class, examples) in largest.into_iter().take(SHOWN_CLASSES) {
        writeln!(
            f,
            "{title}: {} × {}, {}\n{}",
            examples.count,
            class.codes.join(" + "),
            class.change,
            examples.shortest
        )?;
    }
    Ok(())
}
