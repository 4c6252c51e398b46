//! Literal keys and `default` entries that occur twice.

use pp_ast::{CaseOption, Expr, ExprId, SelectorEntry, TextRange};
use rustc_hash::FxHashMap;

use crate::validate::Validator;
use crate::validate::error::{ValidationError, ValidationErrorKind};

impl Validator<'_> {
    /// Reports literal keys that occur before in the same hash. Computed keys are not checked.
    pub fn duplicate_keys(&mut self, list: &[ExprId]) {
        if self.options.duplicate_keys.is_none() {
            return;
        }
        let tree = self.tree;
        let mut seen: FxHashMap<Key<'_>, ExprId> = FxHashMap::default();
        for pair in list.chunks_exact(2) {
            let [key, value] = *pair else { continue };
            let literal = match &tree.exprs[key] {
                Expr::String(text) | Expr::Name(text) => Key::Text(tree.str(*text)),
                Expr::Regexp(source) => Key::Regexp(tree.str(*source)),
                Expr::Integer(value, _) => Key::Integer(*value),
                Expr::Float(value) => Key::Float(value.to_bits()),
                Expr::Boolean(value) => Key::Boolean(*value),
                Expr::Undef => Key::Undef,
                Expr::Default => Key::Default,
                _ => continue,
            };
            let Some(first) = seen.insert(literal, key) else { continue };
            let range = self.arrow_between(key, value);
            let related = Some(tree.ranges[first]);
            self.errors.push(ValidationError {
                kind: ValidationErrorKind::DuplicateKey { key: literal.to_string() },
                range,
                related,
            });
        }
    }

    /// Returns where the `=>` between a key and its value is, which is where Puppet reports the pair.
    fn arrow_between(&self, key: ExprId, value: ExprId) -> TextRange {
        let from = self.tree.ranges[key].end;
        let to = self.tree.ranges[value].start;
        let between = self.text.get(from as usize..to as usize).unwrap_or("");
        match between.rfind("=>") {
            Some(at) => TextRange { start: from + at as u32, end: from + at as u32 + 2 },
            None => self.tree.ranges[key],
        }
    }

    pub fn case_defaults(&mut self, options: &[CaseOption]) {
        let tree = self.tree;
        let values = options.iter().flat_map(|option| tree.list(option.values).iter().copied());
        self.one_default(values, "'case' statement", usize::MAX);
    }

    pub fn selector_defaults(&mut self, entries: &[SelectorEntry]) {
        self.one_default(entries.iter().map(|entry| entry.value), "Selector Expression", 1);
    }

    fn one_default(&mut self, values: impl Iterator<Item = ExprId>, what: &'static str, at_most: usize) {
        let tree = self.tree;
        let mut defaults = values.filter(|value| matches!(tree.exprs[*value], Expr::Default));
        let Some(first) = defaults.next() else { return };
        for duplicate in defaults.take(at_most) {
            let (range, related) = (tree.ranges[duplicate], Some(tree.ranges[first]));
            self.errors.push(ValidationError { kind: ValidationErrorKind::DuplicateDefault { what }, range, related });
        }
    }
}

/// A literal key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'t> {
    Text(&'t str),
    Regexp(&'t str),
    Integer(i64),
    Float(u64),
    Boolean(bool),
    Undef,
    Default,
}

impl std::fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Text(text) => f.write_str(text),
            Key::Regexp(source) => write!(f, "/{source}/"),
            Key::Integer(value) => write!(f, "{value}"),
            Key::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Key::Boolean(value) => write!(f, "{value}"),
            Key::Undef => f.write_str("undef"),
            Key::Default => f.write_str("default"),
        }
    }
}
