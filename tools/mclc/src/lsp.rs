//! `mclc lsp`: the language server, on standard input and output.

use std::io::{self, BufReader};

use crate::cli::Lsp;

pub fn run(args: &Lsp) -> u8 {
    mcl_lsp::serve(BufReader::new(io::stdin()), io::stdout(), args.module_path.clone(), env!("CARGO_PKG_VERSION"))
}
