//! What can be done about findings (spec 11 §3.9).

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use mcl_diagnostics::{Applicability, Code, Diagnostic, Fix, Severity, Stage};
use mcl_lexer::lex;

use crate::analysis::{Analysis, Finding, finding};
use crate::edits::{TextEdit, join_edits};
use crate::fixes::{FixEdits, fix_edits};
use crate::program::Program;

/// The edits of an action, for each file.
pub type FileEdits = BTreeMap<PathBuf, Vec<TextEdit>>;

/// Something that can be done about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickFix {
    /// What it does, as an instruction.
    pub title: String,
    /// The file of the finding.
    pub path: PathBuf,
    /// The finding.
    pub finding: Finding,
    /// Whether it is the only thing that can be meant.
    pub is_preferred: bool,
    /// What it changes.
    pub edits: FileEdits,
}

impl Analysis {
    /// Returns what can be done about the findings that touch some bytes of a file.
    #[must_use]
    pub fn quick_fixes(&self, path: &Path, range: &Range<u32>) -> Vec<QuickFix> {
        let mut found: Vec<QuickFix> = Vec::new();
        for program in self.programs_of(path) {
            for diagnostic in program.diagnostics() {
                let Some((location, finding)) = finding(program, diagnostic) else { continue };
                let touches = location.start <= range.end && range.start <= location.end;
                if !touches || location.path != path {
                    continue;
                }
                let fixes: Vec<&Fix> = diagnostic.fixes.iter().collect();
                let edits = fix_edits(&program.loaded().files, &fixes);
                let fixes = fixes.iter().zip(edits).filter_map(|(fix, edits)| Some((*fix, by_path(program, edits?)?)));
                let fixes: Vec<(&Fix, FileEdits)> = fixes.collect();
                let is_only = fixes.len() == 1;
                found.extend(fixes.into_iter().map(|(fix, edits)| QuickFix {
                    title: fix.title.clone(),
                    path: path.to_owned(),
                    finding: finding.clone(),
                    is_preferred: is_only || fix.applicability == Applicability::Safe,
                    edits,
                }));
                if let Some(source) = self.source(path).filter(|_| can_be_allowed(diagnostic)) {
                    found.extend(allowances(path, &source.text, &finding));
                }
            }
        }
        // A file may belong to several programs that find the same.
        let mut distinct: Vec<QuickFix> = Vec::new();
        for fix in found {
            if !distinct.iter().any(|other| other.title == fix.title && other.edits == fix.edits) {
                distinct.push(fix);
            }
        }
        distinct
    }

    /// Returns the edits of all fixes of a file that can be applied without asking. Of those that touch each other, the first.
    #[must_use]
    pub fn fix_all(&self, path: &Path) -> Vec<TextEdit> {
        self.safe_edits(path, |_| true)
    }

    /// Returns the edits that remove the imports that a file does not need.
    #[must_use]
    pub fn organize_imports(&self, path: &Path) -> Vec<TextEdit> {
        self.safe_edits(path, |code| [Code::W0209, Code::E0508].contains(&code))
    }

    fn safe_edits(&self, path: &Path, wanted: impl Fn(Code) -> bool) -> Vec<TextEdit> {
        let mut all = Vec::new();
        for program in self.programs_of(path) {
            let is_here = |found: &&Diagnostic| {
                found.span.is_some_and(|span| program.loaded().paths.get(span.file).is_some_and(|at| at == path))
            };
            let here: Vec<&Diagnostic> = program.diagnostics().iter().filter(is_here).collect();
            let is_broken = here.iter().any(|found| is_syntax_error(found));
            let is_fixed = |found: &&Diagnostic| wanted(found.code) && (!is_broken || is_syntax_error(found));
            let here = here.into_iter().filter(is_fixed);
            let is_safe = |fix: &&Fix| fix.applicability == Applicability::Safe;
            let fixes: Vec<&Fix> = here.filter_map(|found| found.fixes.iter().find(is_safe)).collect();
            for edits in fix_edits(&program.loaded().files, &fixes).into_iter().flatten() {
                if let Some(edits) = by_path(program, edits)
                    && let [(file, edits)] = &edits.into_iter().collect::<Vec<_>>()[..]
                    && file == path
                {
                    join_edits(&mut all, edits);
                }
            }
        }
        all
    }

    fn programs_of<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Program> {
        self.programs().iter().map(|program| &**program).filter(|program| program.file_at(path).is_some())
    }
}

/// Whether a finding is an error of syntax, beside which nothing else is fixed without asking.
#[must_use]
pub fn is_syntax_error(found: &Diagnostic) -> bool {
    let is_syntax = matches!(found.stage, Stage::Lex | Stage::Parse);
    is_syntax && found.severity == Severity::Error && !found.code.is_lint()
}

fn by_path(program: &Program, edits: FixEdits) -> Option<FileEdits> {
    edits.into_iter().map(|(file, edits)| Some((program.loaded().paths.get(file)?.to_owned(), edits))).collect()
}

/// Lints about metadata and about directives have no comment that allows them.
fn can_be_allowed(found: &Diagnostic) -> bool {
    found.code.is_lint() && ![Code::W0204, Code::W0206, Code::W0207].contains(&found.code)
}

/// Returns the comments that allow a lint: on its line, and in its file.
fn allowances(path: &Path, text: &str, finding: &Finding) -> Vec<QuickFix> {
    if path.extension().is_none_or(|extension| extension != "mcl") {
        return Vec::new();
    }
    let code = finding.code.name();
    let action = |title: String, at: usize, comment: String| {
        let edit = TextEdit { start: at as u32, end: at as u32, text: comment };
        let edits = BTreeMap::from([(path.to_owned(), vec![edit])]);
        QuickFix { title, path: path.to_owned(), finding: finding.clone(), is_preferred: false, edits }
    };
    let mut found = Vec::new();
    let start = finding.range.start as usize;
    let line_end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| start + end);
    if is_after_code(text, line_end) {
        let title = format!("allow {code} on this line");
        found.push(action(title, line_end, format!(" # mclc: allow({code})")));
    }
    let top = if text.starts_with("#!") { text.find('\n').map_or(text.len(), |end| end + 1) } else { 0 };
    found.push(action(format!("allow {code} in this file"), top, format!("# mclc: allow-file({code})\n")));
    found
}

/// Whether a comment can stand at the end of a line: it is not inside of a string, and has no comment yet.
fn is_after_code(text: &str, line_end: usize) -> bool {
    let tokens = lex(text);
    let at = line_end as u32;
    let is_inside = tokens.indices().any(|token| tokens.start(token) < at && at < tokens.end(token));
    let is_comment = tokens.comments.iter().any(|comment| comment.start < at && at <= comment.end);
    !is_inside && !is_comment
}
