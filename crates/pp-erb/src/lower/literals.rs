//! Literals.

use std::cell::OnceCell;
use std::rc::Rc;

use lib_ruby_parser::nodes::Regexp as RubyRegexp;
use lib_ruby_parser::{Bytes, Loc, Node as RubyNode};

use crate::lower::{Lowered, Lowering};
use crate::syntax::{Entry, Expr, Node, RegexpLiteral};
use crate::value::Regexp;

impl Lowering<'_> {
    pub(super) fn integer(&mut self, text: &str, location: &Loc) -> Lowered<Expr> {
        let digits = text.replace('_', "").to_ascii_lowercase();
        let (is_negative, digits) = match digits.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, digits.strip_prefix('+').unwrap_or(&digits)),
        };
        let (radix, digits) = match digits.as_bytes() {
            [b'0', b'x', ..] => (16, &digits[2..]),
            [b'0', b'b', ..] => (2, &digits[2..]),
            [b'0', b'o', ..] => (8, &digits[2..]),
            [b'0', b'd', ..] => (10, &digits[2..]),
            [b'0', _, ..] => (8, &digits[1..]),
            _ => (10, digits),
        };
        match i128::from_str_radix(digits, radix) {
            Ok(value) => Ok(Expr::Int(if is_negative { -value } else { value })),
            Err(_) => self.refuse("integers of more than 127 bits", location),
        }
    }

    pub(super) fn float(&mut self, text: &str, location: &Loc) -> Lowered<Expr> {
        match text.replace('_', "").parse() {
            Ok(value) => Ok(Expr::Float(value)),
            Err(_) => self.error(location, format!("invalid number `{text}`")),
        }
    }

    pub(super) fn text(&mut self, bytes: &Bytes, location: &Loc) -> Lowered<Rc<str>> {
        match std::str::from_utf8(bytes.as_raw()) {
            Ok(text) => Ok(text.into()),
            Err(_) => self.error(location, "a string literal that is not valid UTF-8"),
        }
    }

    pub(super) fn regexp(&mut self, regexp: &RubyRegexp) -> Lowered<Expr> {
        let options = match regexp.options.as_deref() {
            Some(RubyNode::RegOpt(options)) => options.options.as_deref().unwrap_or_default(),
            _ => "",
        };
        let parts = self.list(&regexp.parts)?;
        if let Some(source) = constant_text(&parts)
            && let Err(error) = Regexp::new(source.into(), options).compiled.compiled()
        {
            return self.error(&regexp.expression_l, error.message);
        }
        Ok(Expr::Regexp(RegexpLiteral { parts, options: options.into(), compiled: OnceCell::new() }))
    }

    pub(super) fn entries(&mut self, pairs: &[RubyNode]) -> Lowered<Vec<Entry>> {
        pairs
            .iter()
            .map(|pair| {
                Ok(match pair {
                    RubyNode::Pair(pair) => Entry::Pair(self.node(&pair.key)?, self.node(&pair.value)?),
                    RubyNode::Kwsplat(splat) => Entry::Splat(self.node(&splat.value)?),
                    other => return self.error(other.expression(), "invalid entry of a hash"),
                })
            })
            .collect()
    }

    pub(super) fn constant(&mut self, node: &RubyNode) -> Lowered<Expr> {
        let mut names = Vec::new();
        let mut current = Some(node);
        while let Some(node) = current {
            match node {
                RubyNode::Const(constant) => {
                    names.push(constant.name.as_str());
                    current = constant.scope.as_deref();
                }
                RubyNode::Cbase(_) => break,
                other => return self.refuse("constants of computed classes", other.expression()),
            }
        }
        names.reverse();
        Ok(Expr::Constant(names.join("::").into()))
    }
}

/// Returns the text of parts without interpolation.
pub(super) fn constant_text(parts: &[Node]) -> Option<String> {
    let text = |part: &Node| match &part.expr {
        Expr::Str(text) => Some(text.to_string()),
        _ => None,
    };
    parts.iter().map(text).collect()
}
