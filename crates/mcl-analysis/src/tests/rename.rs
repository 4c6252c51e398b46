//! New names, and refusals (spec 11 §3.3).

use super::*;
use crate::RenameError;
use crate::edits::apply_edits;

fn rename(text: &str, new_name: &str) -> Result<String, RenameError> {
    let (text, offset) = with_cursor(text);
    let mut workspace = Workspace::new(None);
    workspace.open(main_path(), &text);
    let sources = workspace.sources();
    let analysis = Analyzer::default().analyze(&sources);
    let edits = analysis.rename(&sources, &main_path(), offset, new_name)?;
    Ok(apply_edits(&text, edits.get(&main_path()).map_or(&[], Vec::as_slice)))
}

#[track_caller]
fn check(text: &str, new_name: &str, expected: &str) {
    assert_eq!(rename(text, new_name).as_deref(), Ok(expected), "{text:?}");
}

#[track_caller]
fn refuses(text: &str, new_name: &str, message: &str) {
    let error = rename(text, new_name).expect_err(text);
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn all_uses_are_renamed() {
    check(
        "$a¦ = \"x\"\ntest \"${a}\" {\n\tanotherstr => $a,\n}\n",
        "$b",
        "$b = \"x\"\ntest \"${b}\" {\n\tanotherstr => $b,\n}\n",
    );
    check(
        "class c($p) {\n\ttest $p {}\n}\ninclude c¦(\"x\")\n",
        "d",
        "class d($p) {\n\ttest $p {}\n}\ninclude d(\"x\")\n",
    );
    check(
        "class c($p) {\n\ttest $¦p {}\n}\ninclude c(\"x\")\n",
        "q",
        "class c($q) {\n\ttest $q {}\n}\ninclude c(\"x\")\n",
    );
    check(
        "func f($n) {\n\t$n\n}\ntest \"t\" {\n\tint64 => f¦(1),\n}\n",
        "g",
        "func g($n) {\n\t$n\n}\ntest \"t\" {\n\tint64 => g(1),\n}\n",
    );
    check(
        "import \"fmt\"\n$x = fmt¦ .\n\tprintf(\"a\")\ntest $x {}\n",
        "f",
        "import \"fmt\" as f\n$x = f .\n\tprintf(\"a\")\ntest $x {}\n",
    );
    check("for $i, $v in [\"a\"] {\n\ttest \"${v¦}\" {}\n}\n", "w", "for $i, $w in [\"a\"] {\n\ttest \"${w}\" {}\n}\n");
}

#[test]
fn aliases_and_resources_are_renamed() {
    check(
        "import \"fmt\"\n$x = fmt¦.printf(\"a\")\ntest $x {}\n",
        "f",
        "import \"fmt\" as f\n$x = f.printf(\"a\")\ntest $x {}\n",
    );
    check(
        "svc \"w¦eb\" {}\ntest \"t\" {\n\tDepend => Svc[\"web\"],\n}\n",
        "site",
        "svc \"site\" {}\ntest \"t\" {\n\tDepend => Svc[\"site\"],\n}\n",
    );
}

#[test]
fn a_name_that_would_change_the_program_is_refused() {
    refuses(
        "$a¦ = 1\n$b = 2\ntest \"t\" {\n\tint64 => $a + $b,\n}\n",
        "b",
        "`b` would have another meaning at /nowhere/main.mcl:",
    );
    refuses(
        "$a¦ = 1\nif true {\n\t$b = 2\n\ttest \"t\" {\n\t\tint64 => $a + $b,\n\t}\n}\n",
        "b",
        "`b` would have another meaning at /nowhere/main.mcl:5",
    );
    refuses(
        "$a = 1\nif true {\n\t$¦b = 2\n\ttest \"t\" {\n\t\tint64 => $a + $b,\n\t}\n}\n",
        "a",
        "`a` would have another meaning",
    );
}

#[test]
fn what_is_built_in_keeps_its_name() {
    refuses("fi¦le \"/a\" {}\n", "x", "a kind cannot be renamed");
    refuses("file \"/a\" {\n\tst¦ate => \"exists\",\n}\n", "x", "a parameter of a kind cannot be renamed");
    refuses("import \"fmt\"\n$x = fmt.prin¦tf(\"a\")\n", "x", "a built-in function cannot be renamed");
    refuses("$x = 1¦2\n", "x", "nothing here can be renamed");
}

#[test]
fn invalid_names_are_refused() {
    for name in ["Foo", "a_", "for", "a__b", "", "a b", "1", "$", "a-b", "a.b"] {
        refuses("$x¦ = 1\n", name, "invalid name");
    }
}
