//! `editors/emacs`: the mode compiles without warnings and indents as the formatter does, in the real editor.

use std::fmt::Write as _;
use std::process::Command;

use mcl_diagnostics::FileId;
use test_support::Scratch;

use super::programs::programs;
use super::{editors, installed, succeeds};

/// Returns Emacs without any user's configuration, with a copy of the mode in a scratch directory.
fn emacs(scratch: &Scratch) -> Option<Command> {
    let mut emacs = installed("emacs", "emacs-nox")?;
    scratch.write("mcl-mode.el", std::fs::read(editors().join("emacs/mcl-mode.el")).expect("it is in the tree"));
    emacs.args(["--batch", "--quick", "--directory"]).arg(scratch.dir()).current_dir(scratch.dir());
    Some(emacs)
}

#[test]
fn the_mode_compiles_without_warnings() {
    let scratch = Scratch::new();
    let Some(mut emacs) = emacs(&scratch) else { return };
    let strict = "(setq byte-compile-error-on-warn t)";
    succeeds(emacs.args(["--eval", strict, "--funcall", "batch-byte-compile", "mcl-mode.el"]));
    assert!(scratch.path("mcl-mode.elc").exists());
}

#[test]
fn indentation_is_that_of_the_formatter_and_definitions_are_listed() {
    let scratch = Scratch::new();
    let Some(mut emacs) = emacs(&scratch) else { return };
    let mut script = String::from("(require 'mcl-mode)\n");
    let mut formatted = Vec::new();
    for program in programs().iter().filter(|program| program.path.starts_with("examples/")) {
        let text = mcl_format::format(FileId::MAIN, &program.text).unwrap_or_else(|error| panic!("{error}"));
        let flat: String = text.lines().map(|line| line.trim_start().to_owned() + "\n").collect();
        let name = format!("{}.mcl", formatted.len());
        scratch.write(&name, flat);
        writeln!(
            script,
            "(find-file \"{name}\") (font-lock-ensure) (indent-region (point-min) (point-max)) (save-buffer)"
        )
        .expect("strings take everything");
        formatted.push((name, text));
    }
    scratch.write("list.mcl", "class web($port) {\n\tfile \"/srv/a\" {\n\t}\n}\nfunc f($x) {\n\t$x\n}\n$one int = 1\n");
    script.push_str(
        "(find-file \"list.mcl\")
(require 'imenu)
(dolist (group (imenu--make-index-alist))
  (when (consp (cdr group))
    (dolist (entry (cdr group)) (princ (format \"%s %s\\n\" (car group) (car entry))))))
",
    );
    scratch.write("script.el", script);
    let printed = succeeds(emacs.args(["--load", "script.el"]));
    for line in ["Class web", "Function f", "Variable one", "Resource file \"/srv/a\""] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(formatted.len() > 3);
    for (name, text) in formatted {
        assert_eq!(scratch.read(&name), Some(text));
    }
}
