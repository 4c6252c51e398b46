//! Generates the parser from `src/grammar.lalrpop`; a grammar with conflicts does not compile.

fn main() {
    lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .use_cargo_dir_conventions()
        .process()
        .expect("the grammar is well formed and without conflicts");
}
