//! A check lowers a program in parts, and finds what lowering the whole finds.

use mcl_diagnostics::Diagnostic;

use crate::support::{FOLDED, checked};

/// Returns what a check and a build find, which must be the same.
#[track_caller]
fn found(source: &str) -> Vec<Diagnostic> {
    let checked = checked(source);
    let whole = match mcl_fgraph::lower(checked.typed.clone(), &checked.loaded, FOLDED) {
        Ok(lowered) => lowered.warnings,
        Err(errors) => errors,
    };
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        let parts = pool.install(|| mcl_fgraph::check(checked.typed.clone(), &checked.loaded));
        assert_eq!(parts, whole, "{threads} threads");
    }
    whole
}

/// A program of 2,500 statements with warnings of each kind, some of which several parts find.
fn large_program() -> String {
    let mut source = String::from("$bad = [1][5]\nclass c($m) {\n\tfile \"/a${m}\" {\n\t\tmode => $m,\n\t}\n}\n");
    for i in 0..500 {
        source += &format!(
            "func f{i}($a) {{ $a + $a }}\n$x{i} = f{i}({i})\ntest \"t{i}\" {{\n\tint64 => $bad + $x{i},\n\tint8 => f{i}({i}),\n}}\n\
             include c(\"9{i}\")\nuser \"u{i}\" {{}}\n"
        );
    }
    source
}

#[test]
fn parts_find_what_the_whole_program_has() {
    let codes: std::collections::BTreeSet<&str> =
        found(&large_program()).iter().map(|found| found.code.name()).collect();
    assert!(codes.contains("W0201") && codes.contains("W0205"), "{codes:?}");
}

#[test]
fn errors_are_those_of_the_whole_program() {
    let broken = "test \"m\" {\n\tMeta:noop => true,\n\tMeta => struct{noop => true, retry => 0, retryreset => false, delay => 0, \
                  timeout => 0, poll => 0, limit => 1.0, burst => 1, reset => false, sema => [\"x\"], rewatch => false, realize => \
                  false, dollar => false, hidden => false, export => [\"x\"], reverse => false, autoedge => true, autogroup => \
                  true},\n}\n";
    let errors = found(&format!("{}{broken}", large_program()));
    assert_eq!(errors.iter().map(|error| error.code.name()).collect::<Vec<_>>(), ["E0801"]);
}

#[test]
fn sensitive_values_are_followed_through_the_whole_program() {
    let secret = "import \"secret\"\nexec \"e\" {\n\tcmd => secret.sensitive(\"x\"),\n}\n";
    let found = found(&format!("{secret}{}", large_program()));
    assert!(found.iter().any(|found| found.code.name() == "W0203"));
}

#[test]
fn definitions_that_all_statements_use_are_shared() {
    let mut source = String::from("$x0 = 1\n");
    for i in 1..2_000 {
        source += &format!("$x{i} = $x{} + 1\n", i - 1);
    }
    for i in 0..4_000 {
        source += &format!("test \"t{i}\" {{\n\tint64 => $x1999,\n}}\n");
    }
    assert_eq!(found(&source), []);
}
