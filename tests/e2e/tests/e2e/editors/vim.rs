//! `editors/vim`: colours and indentation, in the real editor.

use std::fmt::Write as _;

use mcl_diagnostics::FileId;
use test_support::Scratch;

use super::colours::{compare, sample};
use super::programs::programs;
use super::{editors, installed, succeeds};

/// Runs commands of Vim in a scratch directory.
fn vim(scratch: &Scratch, script: &str) -> Option<String> {
    let mut vim = installed("vim", "vim")?;
    scratch.write("script.vim", script);
    vim.args(["-es", "-u", "NONE", "-i", "NONE", "-N", "--cmd"]);
    vim.arg(format!("set runtimepath^={}", editors().join("vim").display()));
    vim.args(["--cmd", "filetype plugin indent on", "--cmd", "syntax on", "-S", "script.vim"]);
    vim.current_dir(scratch.dir()).env("TERM", "dumb").env("LC_ALL", "C.UTF-8");
    Some(succeeds(&mut vim))
}

/// Whether a syntax group may colour what is of this type for the server.
fn agree(server: &str, group: &str) -> bool {
    let allowed: &[&str] = match group {
        "mclComment" => &["comment"],
        "mclString" | "mclEscape" => &["string"],
        // Names in strings have the colour of variables.
        "mclInterpolation" => &["string", "variable", "parameter"],
        "mclNumber" => &["number"],
        "mclBoolean" | "mclConditional" | "mclRepeat" | "mclStatement" | "mclImport" | "mclKeyword"
        | "mclWordOperator" => &["keyword"],
        "mclType" => &["type"],
        "mclClass" | "mclKind" | "mclReference" => &["class"],
        "mclFunction" => &["function"],
        "mclNamespace" => &["namespace"],
        // Which names are parameters or constants, only the server knows.
        "mclVariable" => &["variable", "parameter", "enumMember"],
        "mclProperty" => &["property", "variable"],
        "mclMeta" => &["macro", "operator"],
        // Without a colour: operators, brackets, fields of structs and names of imports.
        "" => &["", "operator", "variable", "property", "namespace"],
        _ => &[],
    };
    allowed.contains(&server)
}

#[test]
fn colours_agree_with_the_server() {
    let (text, server) = sample();
    let scratch = Scratch::with_files([("main.mcl", &text)]);
    let script = "
edit main.mcl
let names = []
for line in range(1, line('$'))
  for column in range(1, col([line, '$']) - 1)
    call add(names, synIDattr(synID(line, column, 1), 'name'))
  endfor
  call add(names, '')
endfor
call writefile(names, 'names')
qall!
";
    if vim(&scratch, script).is_none() {
        return;
    }
    let names = scratch.read("names").expect("it was written");
    let names: Vec<String> = names.lines().map(str::to_owned).collect();
    assert_eq!(names.len(), text.len());
    compare(&text, &server, &names, agree);
}

#[test]
fn every_program_is_read_without_an_error_message() {
    let scratch = Scratch::new();
    let mut script = String::from("let v:errmsg = ''\n");
    for (i, program) in programs().iter().enumerate() {
        scratch.write(format!("{i}.mcl"), &program.text);
        // The colour of the last character needs that of everything before it.
        writeln!(script, "edit {i}.mcl\ncall synID(line('$'), 1, 1)").expect("strings take everything");
    }
    script.push_str("call writefile([v:errmsg, &filetype, &indentexpr], 'result')\nqall!\n");
    if vim(&scratch, &script).is_none() {
        return;
    }
    assert_eq!(scratch.read("result").as_deref(), Some("\nmcl\nMclIndent(v:lnum)\n"));
}

#[test]
fn indentation_is_that_of_the_formatter() {
    let mut script = String::new();
    let scratch = Scratch::new();
    let mut formatted = Vec::new();
    for program in programs().iter().filter(|program| program.path.starts_with("examples/")) {
        let text = mcl_format::format(FileId::MAIN, &program.text).unwrap_or_else(|error| panic!("{error}"));
        let flat: String = text.lines().map(|line| line.trim_start().to_owned() + "\n").collect();
        let name = format!("{}.mcl", formatted.len());
        scratch.write(&name, flat);
        writeln!(script, "edit {name}\nnormal! gg=G\nwrite").expect("strings take everything");
        formatted.push((name, text));
    }
    script.push_str("qall!\n");
    if vim(&scratch, &script).is_none() {
        return;
    }
    assert!(formatted.len() > 3);
    for (name, text) in formatted {
        assert_eq!(scratch.read(&name), Some(text));
    }
}
