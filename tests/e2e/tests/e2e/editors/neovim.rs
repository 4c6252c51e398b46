//! `editors/neovim`: a session of the real editor with the real language server and parser.

use std::process::Command;

use test_support::{Scratch, skip};

use super::{editors, installed, succeeds};

const PROGRAM: &str = "$greeting = \"hello\"

file \"/tmp/greeting\" {
	state => \"exists\",
	content => $missing,
}
";

const MANIFEST: &str = "class site {
  file { '/tmp/greeting' ensure => present }
}
";

#[test]
fn a_session_with_the_server_and_the_parser() {
    let Some(mut neovim) = installed("nvim", "neovim") else { return };
    if Command::new("cc").arg("--version").output().is_err() {
        return skip("cc (package `gcc`) is not installed");
    }
    let scratch = Scratch::with_files([("main.mcl", PROGRAM), ("manifest.pp", MANIFEST)]);
    let parser = scratch.path("mcl.so");
    let source = editors().join("tree-sitter-mcl/src");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-I"]).arg(&source).arg("-o").arg(&parser).arg(source.join("parser.c"));
    succeeds(&mut compiler);
    let extension = editors().join("neovim");
    neovim.args(["--headless", "--clean", "--cmd"]).arg(format!("set runtimepath^={}", extension.display()));
    neovim.arg("-c").arg(format!("luafile {}", extension.join("test/session.lua").display()));
    neovim.current_dir(scratch.dir()).env("MCL_PARSER", &parser).env("XDG_STATE_HOME", scratch.path("state"));
    let printed = succeeds(&mut neovim);
    assert!(printed.contains("the session is complete"), "{printed}");
}
