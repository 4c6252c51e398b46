//! The explanation of a code for a terminal: title and code spans colored, paragraphs wrapped, code indented.

use textwrap::{WordSeparator, WordSplitter};

use crate::Code;
use crate::explanation::{Block, Expectation, blocks};
use crate::render::program::Style;

/// Stands for a space at which a line must not be broken.
const NO_BREAK_SPACE: char = '\u{a0}';

const BOLD: &str = "1";
const RED: &str = "1;31";
const GREEN: &str = "1;32";
const CYAN: &str = "36";

/// Returns the title and the explanation of a code; ends in a newline.
#[must_use]
pub fn explain(code: Code, style: Style) -> String {
    let info = code.info();
    let mut out = format!("{}\n", paint(style, BOLD, &format!("{}: {}", info.name, info.title)));
    let blocks = blocks(info.explanation);
    // A lint does not reject a program.
    let (failing, passing) =
        if info.name.starts_with('W') { ("Example:", "Use instead:") } else { ("Wrong:", "Right:") };
    // A program that passes is labelled only after one that fails.
    let mut contrast = false;
    let mut previous = None;
    for block in blocks {
        // The items of a list follow one another directly.
        if !matches!((previous, block), (Some(Block::Item(_)), Block::Item(_))) {
            out.push('\n');
        }
        match block {
            Block::Paragraph(text) => paragraph(&mut out, text, ("", ""), style),
            Block::Item(text) => paragraph(&mut out, text, ("- ", "  "), style),
            Block::Table(text) => table(&mut out, text),
            Block::Code(code) => {
                let label = match code.tested().map(|(_, expectation)| expectation) {
                    Some(Expectation::Fails) => {
                        contrast = true;
                        Some((failing, RED))
                    }
                    Some(Expectation::Passes) if contrast => Some((passing, GREEN)),
                    Some(Expectation::Passes) | None => None,
                };
                if let Some((label, color)) = label {
                    out.push_str(&paint(style, color, label));
                    out.push_str("\n\n");
                }
                for line in code.text.lines() {
                    out.push_str(format!("    {line}").trim_end());
                    out.push('\n');
                }
            }
        }
        previous = Some(block);
    }
    out
}

/// Appends a paragraph, wrapped to the width of the terminal. Code spans stay whole.
fn paragraph(out: &mut String, text: &str, (first, following): (&str, &str), style: Style) {
    let mut joined = String::with_capacity(text.len());
    let mut in_code = false;
    for c in text.chars() {
        in_code ^= c == '`';
        joined.push(match c {
            ' ' | '\n' if in_code => NO_BREAK_SPACE,
            '\n' => ' ',
            _ => c,
        });
    }
    let options = textwrap::Options::new(style.width)
        .initial_indent(first)
        .subsequent_indent(following)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    for line in textwrap::wrap(&joined, options) {
        for (index, part) in line.split('`').enumerate() {
            if index % 2 == 1 {
                out.push_str(&paint(style, CYAN, &format!("`{part}`")).replace(NO_BREAK_SPACE, " "));
            } else {
                out.push_str(part);
            }
        }
        out.push('\n');
    }
}

/// Appends a table with its columns aligned, without the marks of Markdown.
fn table(out: &mut String, text: &str) {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.starts_with("| ---"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    for row in &rows {
        let mut line = String::from("   ");
        for (column, cell) in row.iter().enumerate() {
            line.push_str(&format!(" {cell:<width$} ", width = width(column).unwrap_or(0)));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn paint(style: Style, color: &str, text: &str) -> String {
    if style.color { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
}
