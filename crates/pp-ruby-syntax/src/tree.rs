//! Parsing Ruby, with bounds that hold for any text.
//!
//! The tree of a text is at most as deep as the text is long, e.g. for `!!!!x`, and the parser's own traversals (dropping the
//! tree is one) recurse. So a text is parsed, read and dropped on a stack whose size follows from its length.

use lib_ruby_parser::{ErrorLevel, Node, Parser, ParserOptions, ParserResult};

use crate::error::SyntaxError;
use crate::panics::without_panic;

/// Maximum number of logical operators: the parser takes time that is quadratic in those of one expression.
const MAX_OPERATORS: usize = 8_000;
/// Stack for each byte of a text: one level of a tree, as it is dropped without optimizations.
const STACK_PER_BYTE: usize = 1 << 10;
/// Stack for everything else.
const STACK: usize = 4 << 20;

/// A parsed text.
pub struct Tree {
    root: Option<Box<Node>>,
    /// The offsets of the lines.
    lines: Vec<usize>,
}

impl Tree {
    /// Parses a text of at most `max_bytes`. The caller is inside [`on_large_stack`].
    ///
    /// # Errors
    /// The first syntax error; a text that is too large, or that the parser fails for.
    pub fn parse(bytes: &[u8], max_bytes: usize) -> Result<Tree, SyntaxError> {
        if bytes.len() > max_bytes || operators(bytes) > MAX_OPERATORS {
            return Err(SyntaxError::TooLarge);
        }
        let parsed = without_panic(|| {
            let options = ParserOptions { buffer_name: String::new(), decoder: None, record_tokens: false };
            Parser::new(bytes.to_vec(), options).do_parse()
        });
        let Some(ParserResult { ast, diagnostics, .. }) = parsed else { return Err(SyntaxError::Unreadable) };
        let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let tree = Tree { root: ast, lines: std::iter::once(0).chain(starts).collect() };
        if let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.level == ErrorLevel::Error) {
            let offset = error.loc.begin;
            return Err(SyntaxError::Invalid { message: error.render_message(), offset, line: tree.line_at(offset) });
        }
        Ok(tree)
    }

    /// Returns the statements of the file as one node; an empty file has none.
    pub fn root(&self) -> Option<&Node> {
        self.root.as_deref()
    }

    /// Returns the line of a node, from 1.
    pub fn line(&self, node: &Node) -> u32 {
        self.line_at(node.expression().begin)
    }

    fn line_at(&self, offset: usize) -> u32 {
        u32::try_from(self.lines.partition_point(|line| *line <= offset)).unwrap_or(u32::MAX)
    }
}

/// Counts what may be a logical operator.
fn operators(bytes: &[u8]) -> usize {
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_operator = |at: &usize| match &bytes[*at..] {
        [b'&', b'&', ..] | [b'|', b'|', ..] => true,
        [b'a', b'n', b'd', ..] => !is_word(at + 3) && (*at == 0 || !is_word(at - 1)),
        [b'o', b'r', ..] => !is_word(at + 2) && (*at == 0 || !is_word(at - 1)),
        _ => false,
    };
    (0..bytes.len()).filter(is_operator).count()
}

/// Runs a function that parses texts of at most `length` bytes, and reads and drops their trees.
pub fn on_large_stack<R>(length: usize, run: impl FnOnce() -> R) -> R {
    let stack = STACK + length * STACK_PER_BYTE;
    stacker::maybe_grow(stack, stack, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_BYTES: usize = 256 << 10;

    fn parse(text: &str) -> Result<(), SyntaxError> {
        on_large_stack(text.len(), || Tree::parse(text.as_bytes(), MAX_BYTES).map(drop))
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
            Err(SyntaxError::Invalid { line, offset, .. }) => assert_eq!((line, offset), (2, 6)),
            other => panic!("{other:?}"),
        }
        assert_eq!(parse(&"#".repeat(MAX_BYTES + 1)), Err(SyntaxError::TooLarge));
    }

    #[test]
    fn operators_are_counted_as_words() {
        assert_eq!(parse(&"a = :port; orange = :and_or\n".repeat(4_001)), Ok(()));
        assert_eq!(parse(&"a or b; a && b\n".repeat(4_001)), Err(SyntaxError::TooLarge));
    }
}
