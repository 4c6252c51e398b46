//! The programs of the repository that have no syntax error: every editor must read them.

use mcl_diagnostics::{FileId, Severity};
use mcl_lexer::lex;
use mcl_parser::{interpolate, parse};

use crate::sources::sources;

/// A program and where it is.
pub struct Program {
    pub path: String,
    pub text: String,
}

/// Returns the programs without syntax errors: files, and those in the lists of programs with verdicts that are accepted.
pub fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for source in sources(&[".mcl"]) {
        programs.push(Program { path: source.path, text: source.text });
    }
    for source in sources(&[".txt"]).into_iter().filter(|source| source.path.contains("/verdicts/")) {
        let mut is_accepted = false;
        let mut files: Vec<String> = Vec::new();
        for line in source.text.split_inclusive('\n') {
            let verdict = line.strip_prefix("# ").and_then(|line| line.split_once(" :: "));
            if let Some((_, verdict)) = verdict {
                is_accepted = verdict.starts_with("accept");
            }
            if verdict.is_some() || line.starts_with("-- ") {
                files.push(String::new());
            } else if let Some(file) = files.last_mut().filter(|_| is_accepted) {
                file.push_str(line);
            }
        }
        programs.extend(files.into_iter().map(|text| Program { path: source.path.clone(), text }));
    }
    programs.retain(|program| {
        let tokens = lex(&program.text);
        let parsed = parse(FileId::MAIN, &program.text, &tokens);
        let (_, in_strings) = interpolate(parsed.ast);
        let mut diagnostics = parsed.diagnostics.iter().chain(&in_strings);
        diagnostics.all(|diagnostic| diagnostic.severity != Severity::Error)
            && tokens.indices().all(|token| !tokens[token].is_error())
    });
    assert!(programs.len() > 600, "{} programs", programs.len());
    programs
}
