//! Strings that name files (spec 11 §3.10).

use std::ops::Range;
use std::path::{Path, PathBuf};

use mcl_parser::ast::Expr;

use crate::analysis::Analysis;
use crate::index::Symbol;

/// A string that names a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The string without its quotes.
    pub range: Range<u32>,
    /// The file.
    pub target: PathBuf,
}

impl Analysis {
    /// Returns the strings of a file that name files: imports, and the paths that `deploy` functions read.
    #[must_use]
    pub fn links(&self, path: &Path) -> Vec<Link> {
        let Some((program, file)) = self.program_of(path) else { return Vec::new() };
        let mut links = Vec::new();
        for name in program.index().of_file(file) {
            let inner = name.range.start + 1..name.range.end.saturating_sub(1);
            match &name.symbol {
                Symbol::Import(raw) => {
                    let target = program.imported_file(file, raw).and_then(|file| program.loaded().paths.get(file));
                    links.extend(target.map(|target| Link { range: inner, target: target.to_owned() }));
                }
                Symbol::Function(function) if function.starts_with("deploy.") => {
                    let Some((module, call)) = name.expr else { continue };
                    let ast = program.scoped().ast(module);
                    let Expr::Call { args, .. } = ast.expr(call) else { continue };
                    let Some(arg) = ast.list(*args).first() else { continue };
                    let Expr::Str(text) = ast.expr(*arg) else { continue };
                    let (text, span) = (ast.string(*text), ast.expr_span(*arg));
                    let base = module_of(path);
                    let target = text.strip_prefix('/').map(|below| base.join(below)).filter(|target| target.is_file());
                    links.extend(target.map(|target| Link { range: span.start + 1..span.end - 1, target }));
                }
                _ => {}
            }
        }
        links.sort_by_key(|link| link.range.start);
        links
    }
}

/// Returns the directory that `deploy` paths count from: that of the metadata, or of the file if there is none.
fn module_of(path: &Path) -> &Path {
    let above = path.ancestors().skip(1);
    let mut with_metadata = above.filter(|directory| directory.join("metadata.yaml").is_file());
    with_metadata.next().or(path.parent()).unwrap_or(path)
}
