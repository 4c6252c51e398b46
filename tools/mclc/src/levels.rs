//! Levels of lints: those of the command line and of the `metadata.yaml` of a program.

use mcl_diagnostics::{Code, LevelSetting, LintLevel, LintSelector};
use pp_analysis::is_pedantic;

use crate::cli::Report;
use crate::lint_names::Lint;

/// Returns whether a lint has to be looked for: it is on by default, or the command line names it. Lints that are allowed are
/// removed later.
pub fn is_on(code: Code, report: &Report) -> bool {
    let is_named = |lint: &Lint| lint.matches(code);
    // `-D warnings` changes only what is a warning already.
    let is_denied = |lint: &Lint| is_named(lint) && *lint != Lint::Selected(LintSelector::All);
    !is_pedantic(code) || report.warn.iter().any(is_named) || report.deny.iter().any(is_denied)
}

/// Returns the level of each lint, as the command line and the project set it: [`LevelSetting`] says what takes precedence.
pub fn of<'a>(
    report: &'a Report,
    project: &'a [(LintSelector, LintLevel)],
) -> impl Fn(Code) -> Option<LintLevel> + use<'a> {
    let lists = [(&report.warn, LintLevel::Warn), (&report.allow, LintLevel::Allow), (&report.deny, LintLevel::Deny)];
    let command_line = lists.into_iter().flat_map(|(lints, level)| lints.iter().map(move |lint| (lint, level)));
    let command_line: Vec<(&Lint, LintLevel)> = command_line.collect();
    move |code: Code| {
        let here = command_line.iter().filter(|(lint, _)| lint.matches(code));
        let here =
            here.map(|(lint, level)| LevelSetting { specificity: lint.specificity(), is_client: true, level: *level });
        LevelSetting::decide(here.chain(LevelSetting::of(code, project, false)), is_pedantic(code))
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::{Diagnostic, Files, Severity, Stage};
    use pp_lint::{LINTS, Level};

    use super::*;

    /// Checks what becomes of W0101 with these options, and these levels of the project.
    fn check(options: &[(&str, &str)], project: &[(&str, LintLevel)], expected: Option<Severity>) {
        let lints = |option: &str| {
            let values = options.iter().filter(|(name, _)| *name == option);
            values.map(|(_, value)| value.parse().expect("a lint")).collect()
        };
        let report = Report { warn: lints("-W"), allow: lints("-A"), deny: lints("-D"), ..Report::default() };
        let project: Vec<_> = project.iter().map(|(name, level)| (name.parse().expect("a lint"), *level)).collect();
        let mut diagnostics = vec![Diagnostic::warning(Code::W0101, Stage::Parse, "lint")];
        mcl_driver::finish_diagnostics(&Files::default(), &mut diagnostics, of(&report, &project));
        assert_eq!(diagnostics.first().map(|d| d.severity), expected, "{options:?} {project:?}");
    }

    #[test]
    fn the_most_specific_level_decides() {
        check(&[], &[], Some(Severity::Warning));
        check(&[("-D", "warnings")], &[], Some(Severity::Error));
        check(&[("-D", "warnings"), ("-A", "W01")], &[], None);
        check(&[("-D", "W010"), ("-A", "W01")], &[], Some(Severity::Error));
        check(&[("-D", "all"), ("-W", "W0101")], &[], Some(Severity::Warning));
        check(&[("-D", "W0101"), ("-A", "W0101")], &[], Some(Severity::Error));
        check(&[("-A", "W02"), ("-A", "pedantic")], &[], Some(Severity::Warning));
    }

    #[test]
    fn the_command_line_takes_precedence_over_the_project() {
        check(&[], &[("W0101", LintLevel::Allow)], None);
        check(&[("-W", "W0101")], &[("W0101", LintLevel::Allow)], Some(Severity::Warning));
        check(&[("-D", "warnings")], &[("W0101", LintLevel::Allow)], None);
        check(&[("-A", "all")], &[("all", LintLevel::Deny)], None);
    }

    #[test]
    fn lints_are_off_by_default_only_if_they_are_pedantic() {
        let pedantic = LINTS.iter().find(|lint| lint.level != Level::Warning).expect("some are off").code;
        let report = |warn: &[&str], deny: &[&str]| {
            let lints = |names: &[&str]| names.iter().map(|name| name.parse().expect("a lint")).collect();
            Report { warn: lints(warn), deny: lints(deny), ..Report::default() }
        };
        assert!(is_on(Code::W0101, &report(&[], &[])));
        assert!(!is_on(pedantic, &report(&[], &[])));
        assert!(!is_on(pedantic, &report(&[], &["warnings"])));
        for name in ["pedantic", "W03", pedantic.name()] {
            assert!(is_on(pedantic, &report(&[name], &[])), "{name}");
            assert!(is_on(pedantic, &report(&[], &[name])), "{name}");
        }
        assert!(is_on(pedantic, &report(&["all"], &[])));
    }
}
