//! Parsing Ruby, with bounds that hold for any text.
//!
//! The tree of a text is at most as deep as the text is long, e.g. for `!!!!x`, and the parser's own traversals (dropping the
//! tree is one) recurse. So a text is parsed, read and dropped on a stack whose size follows from its length.

use lib_ruby_parser::{ErrorLevel, LocExt, Node, Parser, ParserOptions, ParserResult};

use crate::error::TypeError;

/// Maximum size of a file, in bytes. The largest type of a published module has 76 KB.
pub(crate) const MAX_BYTES: usize = 256 << 10;
/// Maximum number of logical operators: the parser takes time that is quadratic in those of one expression.
const MAX_OPERATORS: usize = 8_000;
/// Stack for each byte of a text: one level of a tree, as it is dropped without optimizations.
const STACK_PER_BYTE: usize = 1 << 10;
/// Stack for everything else.
const STACK: usize = 4 << 20;

/// A parsed file.
pub(crate) struct Tree {
    root: Option<Box<Node>>,
    /// The offsets of the lines.
    lines: Vec<usize>,
}

impl Tree {
    /// Parses a text that is not too large. The caller is inside [`on_large_stack`].
    ///
    /// # Errors
    /// The first syntax error.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Tree, TypeError> {
        let is_operator = |pair: &&[u8]| matches!(*pair, b"&&" | b"||" | b"an" | b"or");
        if bytes.len() > MAX_BYTES || bytes.windows(2).filter(is_operator).count() > MAX_OPERATORS {
            return Err(TypeError::TooLarge);
        }
        let options = ParserOptions { buffer_name: String::new(), decoder: None, record_tokens: false };
        let ParserResult { ast, diagnostics, input, .. } = Parser::new(bytes.to_vec(), options).do_parse();
        if let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.level == ErrorLevel::Error) {
            let line = error.loc.begin_line_col(&input).map_or(0, |(line, _)| line);
            let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
            return Err(TypeError::Syntax { message: error.render_message(), line });
        }
        let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Ok(Tree { root: ast, lines: std::iter::once(0).chain(starts).collect() })
    }

    /// Returns the statements of the file as one node; an empty file has none.
    pub(crate) fn root(&self) -> Option<&Node> {
        self.root.as_deref()
    }

    /// Returns the line of a node, from 1.
    pub(crate) fn line(&self, node: &Node) -> u32 {
        let start = node.expression().begin;
        u32::try_from(self.lines.partition_point(|line| *line <= start)).unwrap_or(u32::MAX)
    }
}

/// Runs a function that parses texts with a length, and reads and drops their trees.
pub(crate) fn on_large_stack<R>(length: usize, run: impl FnOnce() -> R) -> R {
    stacker::grow(STACK + length.min(MAX_BYTES) * STACK_PER_BYTE, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(), TypeError> {
        on_large_stack(text.len(), || Tree::parse(text.as_bytes()).map(drop))
    }

    #[test]
    fn any_nesting_is_read_or_refused() {
        for (open, close) in [("[", "]"), ("!", ""), ("(", ")"), ("-", ""), ("{1=>", "}"), ("x{", "}"), ("a(", ")")] {
            let times = MAX_BYTES / (open.len() + close.len()) - 2;
            let text = format!("{}1{}", open.repeat(times), close.repeat(times));
            let _ = parse(&text);
        }
        for part in [
            "a.",
            "a+",
            "a&&",
            "a or ",
            "a=",
            "a ? b : ",
            "\"#{",
            "if a\n",
            "module A\n",
            "->(){",
            "a[",
            "%w(",
            "<<A\n",
        ] {
            let _ = parse(&part.repeat(MAX_BYTES / part.len() - 1));
        }
    }

    #[test]
    fn the_first_error_has_a_line() {
        assert_eq!(parse("a = 1\n"), Ok(()));
        match parse("a = 1\n)\n") {
            Err(TypeError::Syntax { line, .. }) => assert_eq!(line, 2),
            other => panic!("{other:?}"),
        }
        assert_eq!(parse(&"#".repeat(MAX_BYTES + 1)), Err(TypeError::TooLarge));
    }
}
