//! Files that import each other, in chains of any length.

use super::program::check;

/// More files than calls fit the stack of a thread.
const FILES: usize = 2000;

/// Checks a program whose files import the next one each, the last one a file without imports or, with `is_cycle`, the
/// first one. `import` is what comes after the name of the file, `used` what the program does with the first file.
#[track_caller]
fn check_chain(import: &str, used: &str, is_cycle: bool) -> Vec<&'static str> {
    let file = |i: usize| {
        let next = if is_cycle { (i + 1) % FILES } else { i + 1 };
        (format!("m{i}.mcl"), format!("import \"m{next}.mcl\" {import}\n$v{i} = {i}\n"))
    };
    let mut files: Vec<(String, String)> = (0..FILES).map(file).collect();
    files.push((format!("m{FILES}.mcl"), "$last = 1\n".to_owned()));
    files.push(("main.mcl".to_owned(), format!("import \"m0.mcl\" {import}\n{used}\n")));
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    check(&files).diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

#[test]
fn chains_of_imports_need_no_stack() {
    assert!(check_chain("as m", "", false).is_empty());
    let through_all = format!("test \"t\" {{\n\tint64 => ${}last,\n}}", "m.".repeat(FILES + 1));
    assert!(check_chain("as m", &through_all, false).is_empty());
}

#[test]
fn chains_of_star_imports_need_no_stack() {
    assert!(check_chain("as *", "test \"t\" {\n\tint64 => $last,\n}", false).is_empty());
}

#[test]
fn chains_of_imports_inside_a_block_need_no_stack() {
    let inside = "if true {\n\timport \"m1.mcl\" as n\n\ttest \"t\" {\n\t\tint64 => $n.v1,\n\t}\n}";
    assert_eq!(check_chain("as m", inside, false), ["W0209"]);
}

#[test]
fn a_long_cycle_of_imports_is_one_error() {
    assert_eq!(check_chain("as m", "", true), ["E0510"]);
    assert_eq!(check_chain("as *", "", true), ["E0510"]);
}
