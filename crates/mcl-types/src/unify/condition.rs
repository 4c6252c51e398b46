//! Conditions on types that are not known yet.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::Unifier;
use super::generic::Site;
use super::report::{error, kind_list};
use super::statics::Static;
use super::types::{Change, Clash, Node, Ty, Unknown};

/// A set of kinds of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const BOOL: Kinds = Kinds(1);
    pub(super) const STR: Kinds = Kinds(2);
    pub(super) const INT: Kinds = Kinds(4);
    pub(super) const FLOAT: Kinds = Kinds(8);
    pub(super) const LIST: Kinds = Kinds(16);
    pub(super) const MAP: Kinds = Kinds(32);
    pub(super) const STRUCT: Kinds = Kinds(64);
    pub(super) const FUNC: Kinds = Kinds(128);
    pub(super) const NUMBERS: Kinds = Kinds(4 | 8);
    pub(super) const ADDABLE: Kinds = Kinds(2 | 4 | 8);

    pub(super) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(super) const fn contains(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) what: What,
    /// Whom to blame.
    pub(super) span: Span,
    /// The place inside a function that needs it, or the include of the class that contains it.
    pub(super) because: Option<(Span, &'static str)>,
}

/// What must hold.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The type is of one of these kinds; `who` is the operator or function that says so.
    OneOf { ty: Ty, kinds: Kinds, who: &'static str },
    /// The type contains no function: `==`.
    Comparable { ty: Ty, who: &'static str },
    /// The type may be a map key.
    Hashable { ty: Ty },
    /// `base[index]` is `result`.
    Index { base: Ty, index: Ty, result: Ty },
    /// `base->field` is `result`.
    Field { base: Ty, field: Arc<str>, result: Ty },
    /// `base->field <|> default` is `result`, which is the type of the default as well.
    FieldOr { base: Ty, field: Arc<str>, result: Ty },
}

/// A resource name in a class whose sort (one name or a list of names) depends on the include.
#[derive(Clone, Debug)]
pub(super) struct NameCondition {
    pub(super) ty: Ty,
    pub(super) known: Static,
    pub(super) collect: bool,
    pub(super) span: Span,
}

/// Index of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConditionId(u32);

/// All conditions that could not be decided when they arose.
#[derive(Default)]
pub(super) struct Conditions {
    /// `None`: decided, or gone along with a generic scope.
    pending: Vec<Option<Condition>>,
    /// By unknown: who waits for it.
    waiting: FxHashMap<Unknown, Vec<ConditionId>>,
}

impl Conditions {
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn get(&self, id: ConditionId) -> &Condition {
        self.pending[id.0 as usize].as_ref().expect("only pending conditions have ids")
    }

    pub(super) fn pending_since(&self, start: usize) -> Vec<ConditionId> {
        (start..self.pending.len()).filter(|i| self.pending[*i].is_some()).map(|i| ConditionId(i as u32)).collect()
    }

    pub(super) fn is_pending(&self, id: ConditionId) -> bool {
        self.pending[id.0 as usize].is_some()
    }

    pub(super) fn take(&mut self, id: ConditionId) -> Condition {
        self.pending[id.0 as usize].take().expect("only pending conditions have ids")
    }
}

impl Condition {
    /// The type it waits for.
    pub(super) fn base(&self) -> Ty {
        match &self.what {
            What::OneOf { ty, .. } | What::Comparable { ty, .. } | What::Hashable { ty } => *ty,
            What::Index { base, .. } | What::Field { base, .. } | What::FieldOr { base, .. } => *base,
        }
    }

    /// The types that follow from the base.
    pub(super) fn determined(&self) -> Vec<Ty> {
        match &self.what {
            What::OneOf { .. } | What::Comparable { .. } | What::Hashable { .. } => Vec::new(),
            What::Index { index, result, .. } => vec![*index, *result],
            What::Field { result, .. } => vec![*result],
            // A struct without the field leaves the type to the default.
            What::FieldOr { .. } => Vec::new(),
        }
    }

    pub(super) fn map(mut self, mut f: impl FnMut(Ty) -> Ty) -> Condition {
        match &mut self.what {
            What::OneOf { ty, .. } | What::Comparable { ty, .. } | What::Hashable { ty } => *ty = f(*ty),
            What::Index { base, index, result } => {
                *base = f(*base);
                *index = f(*index);
                *result = f(*result);
            }
            What::Field { base, result, .. } | What::FieldOr { base, result, .. } => {
                *base = f(*base);
                *result = f(*result);
            }
        }
        self
    }

    pub(super) fn at(mut self, site: Site) -> Condition {
        match site {
            Site::Call(span) => {
                let inner = match self.because {
                    Some((inner, "needed here")) => inner,
                    _ => self.span,
                };
                self.because = Some((inner, "needed here"));
                self.span = span;
            }
            Site::Include(span) => {
                self.because = self.because.or(Some((span, "for this include")));
            }
            Site::Import => {}
        }
        self
    }
}

impl Unifier<'_> {
    /// Adds a condition and decides it if that is possible.
    pub(super) fn require(&mut self, what: What, span: Span) {
        self.add_condition(Condition { what, span, because: None });
        self.settle();
    }

    pub(super) fn add_condition(&mut self, condition: Condition) {
        if let Some(unknown) = self.decide(&condition) {
            self.wait(condition, unknown);
        }
    }

    /// Lets a condition wait for an unknown, unless an equal one waits already.
    fn wait(&mut self, condition: Condition, unknown: Unknown) {
        let others: Vec<ConditionId> = self.conditions.waiting.get(&unknown).cloned().unwrap_or_default();
        for other in others {
            let Some(other) = self.conditions.pending[other.0 as usize].as_ref() else { continue };
            match (&condition.what, &other.what) {
                // One struct has one field of a name, one container one type of index and element.
                (What::Field { field: a, result: x, .. }, What::Field { field: b, result: y, .. }) if a == b => {
                    let (x, y) = (*x, *y);
                    self.equal(x, y, &condition);
                    return;
                }
                (What::Index { index: i, result: x, .. }, What::Index { index: j, result: y, .. }) => {
                    let (i, j, x, y) = (*i, *j, *x, *y);
                    self.equal(i, j, &condition);
                    self.equal(x, y, &condition);
                    return;
                }
                (What::FieldOr { field: a, result: x, .. }, What::FieldOr { field: b, result: y, .. }) if a == b => {
                    let (x, y) = (*x, *y);
                    if self.types.resolve(x) == self.types.resolve(y) {
                        return;
                    }
                }
                (What::OneOf { kinds: a, .. }, What::OneOf { kinds: b, .. }) if a.contains(*b) => return,
                (What::Comparable { ty: a, .. }, What::Comparable { ty: b, .. })
                | (What::Hashable { ty: a }, What::Hashable { ty: b }) => {
                    let (a, b) = (*a, *b);
                    if self.types.resolve(a) == self.types.resolve(b) {
                        return;
                    }
                }
                _ => {}
            }
        }
        let id = ConditionId(u32::try_from(self.conditions.pending.len()).expect("fewer than 2^32 conditions"));
        self.conditions.pending.push(Some(condition));
        self.conditions.waiting.entry(unknown).or_default().push(id);
    }

    /// Tries again what waited for unknowns that have changed, until nothing changes any more.
    pub(super) fn settle(&mut self) {
        while let Some(change) = self.types.changes.pop() {
            let woken = match change {
                Change::Bound(unknown) => self.conditions.waiting.remove(&unknown),
                Change::Merged(gone) => self.conditions.waiting.remove(&gone),
            };
            for id in woken.into_iter().flatten() {
                if let Some(condition) = self.conditions.pending[id.0 as usize].take() {
                    self.add_condition(condition);
                }
            }
        }
    }

    /// Makes two types equal that follow from one condition.
    fn equal(&mut self, a: Ty, b: Ty, condition: &Condition) {
        if let Err(clash) = self.types.unify(a, b) {
            let message = match &condition.what {
                What::Index { .. } => "this container is used with two types of index or element".to_owned(),
                What::Field { field, .. } | What::FieldOr { field, .. } => {
                    format!("the field `{field}` is used with two types")
                }
                What::OneOf { .. } | What::Comparable { .. } | What::Hashable { .. } => String::new(),
            };
            self.report_clash(Code::E0701, message, clash, condition);
        }
    }

    /// Decides a condition; gives back the unknown that it must wait for.
    fn decide(&mut self, condition: &Condition) -> Option<Unknown> {
        match &condition.what {
            What::OneOf { ty, kinds, who } => self.decide_kinds(*ty, *kinds, who, condition),
            What::Comparable { ty, who } => self.decide_comparable(*ty, who, condition),
            What::Hashable { ty } => self.decide_hashable(*ty, condition),
            What::Index { base, index, result } => self.decide_index(*base, *index, *result, condition),
            What::Field { base, field, result } => self.decide_field(*base, field, *result, false, condition),
            What::FieldOr { base, field, result } => self.decide_field(*base, field, *result, true, condition),
        }
    }

    /// The kind of a known type, or the unknown it is.
    fn kind(&mut self, ty: Ty) -> Result<Kinds, Option<Unknown>> {
        let ty = self.types.resolve(ty);
        Ok(match self.types.node(ty) {
            Node::Error => return Err(None),
            Node::Unknown(_) => return Err(self.types.open_unknown(ty)),
            Node::Bool => Kinds::BOOL,
            Node::Str => Kinds::STR,
            Node::Int => Kinds::INT,
            Node::Float => Kinds::FLOAT,
            Node::List(_) => Kinds::LIST,
            Node::Map(..) => Kinds::MAP,
            Node::Struct(_) => Kinds::STRUCT,
            Node::Func(..) => Kinds::FUNC,
        })
    }

    fn decide_kinds(&mut self, ty: Ty, kinds: Kinds, who: &str, condition: &Condition) -> Option<Unknown> {
        match self.kind(ty) {
            Err(unknown) => unknown,
            Ok(kind) if kinds.contains(kind) => None,
            Ok(_) => {
                let found = self.text(ty);
                let is_function = who.starts_with(|c: char| c.is_ascii_alphabetic());
                let (code, message) = if is_function {
                    (Code::E0716, format!("`{who}` does not take `{found}`, only {}", kind_list(kinds)))
                } else {
                    (Code::E0703, format!("the operator `{who}` does not take `{found}`, only {}", kind_list(kinds)))
                };
                self.report_condition(error(code, message), condition, Some(ty));
                None
            }
        }
    }

    /// The first function or unknown inside a type, whichever `wrong` asks for.
    fn search(&mut self, ty: Ty, wrong: impl Fn(&Node) -> bool) -> Result<Option<Ty>, Option<Unknown>> {
        let mut unknown = None;
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let ty = self.types.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            let node = self.types.node(ty).clone();
            if wrong(&node) {
                return Ok(Some(ty));
            }
            match node {
                Node::Error => return Ok(None),
                Node::Unknown(_) => unknown = unknown.or(self.types.open_unknown(ty)),
                node => super::types::parts(&node, |part| work.push(part)),
            }
        }
        match unknown {
            Some(unknown) => Err(Some(unknown)),
            None => Ok(None),
        }
    }

    fn decide_comparable(&mut self, ty: Ty, who: &str, condition: &Condition) -> Option<Unknown> {
        match self.search(ty, |node| matches!(node, Node::Func(..))) {
            Err(unknown) => unknown,
            Ok(None) => None,
            Ok(Some(func)) => {
                let diagnostic = error(Code::E0703, format!("the operator `{who}` does not compare functions"));
                self.report_condition(diagnostic, condition, Some(func));
                self.types.taint(ty);
                None
            }
        }
    }

    fn decide_hashable(&mut self, ty: Ty, condition: &Condition) -> Option<Unknown> {
        let wrong = |node: &Node| matches!(node, Node::List(_) | Node::Map(..) | Node::Func(..));
        match self.search(ty, wrong) {
            Err(unknown) => unknown,
            Ok(None) => None,
            Ok(Some(part)) => {
                let message = format!("a map key cannot be `{}`", self.text(ty));
                self.report_condition(error(Code::E0709, message), condition, Some(part));
                self.types.taint(ty);
                None
            }
        }
    }

    fn decide_index(&mut self, base: Ty, index: Ty, result: Ty, condition: &Condition) -> Option<Unknown> {
        let resolved = self.types.resolve(base);
        match self.types.node(resolved).clone() {
            Node::Error => {
                self.types.taint(result);
                self.types.taint(index);
                None
            }
            Node::List(element) => {
                let int = self.types.add(Node::Int, condition.span);
                match self.types.unify(int, index) {
                    Err(clash) => {
                        let message = format!("a list is indexed by `int`, not by `{}`", self.text(clash.found));
                        self.report_clash(Code::E0701, message, clash, condition);
                        self.types.taint(result);
                    }
                    Ok(()) => self.equal_result(element, result, "element of the list", condition),
                }
                None
            }
            Node::Map(key, value) => {
                match self.types.unify(key, index) {
                    Err(clash) => {
                        let (expected, found) = (self.text(key), self.text(index));
                        let message = format!("the keys of this map are `{expected}`, not `{found}`");
                        self.report_clash(Code::E0701, message, clash, condition);
                        self.types.taint(result);
                    }
                    Ok(()) => self.equal_result(value, result, "value in the map", condition),
                }
                None
            }
            Node::Unknown(_) => {
                let unknown = self.types.open_unknown(base)?;
                // Only maps have keys that are not int.
                match self.kind(index) {
                    Ok(kind) if kind != Kinds::INT => {
                        let map = self.types.add(Node::Map(index, result), condition.span);
                        let _ = self.types.unify(base, map);
                        None
                    }
                    Err(None) => {
                        self.types.taint(result);
                        None
                    }
                    Ok(_) | Err(Some(_)) => Some(unknown),
                }
            }
            Node::Bool | Node::Str | Node::Int | Node::Float | Node::Struct(_) | Node::Func(..) => {
                let message = format!("`{}` cannot be indexed; `x[i]` looks into a list or a map", self.text(base));
                self.report_condition(error(Code::E0708, message), condition, Some(resolved));
                self.types.taint(result);
                self.types.taint(index);
                None
            }
        }
    }

    fn equal_result(&mut self, expected: Ty, result: Ty, what: &str, condition: &Condition) {
        if let Err(clash) = self.types.unify(result, expected) {
            let message = format!("the {what} is `{}`, but it is used as `{}`", self.text(expected), self.text(result));
            self.report_clash(Code::E0701, message, clash, condition);
        }
    }

    fn decide_field(
        &mut self,
        base: Ty,
        field: &Arc<str>,
        result: Ty,
        optional: bool,
        condition: &Condition,
    ) -> Option<Unknown> {
        let resolved = self.types.resolve(base);
        match self.types.node(resolved).clone() {
            Node::Error => {
                self.types.taint(result);
                None
            }
            Node::Unknown(_) => self.types.open_unknown(base),
            Node::Struct(fields) => {
                match fields.iter().find(|(name, _)| name == field) {
                    Some((_, ty)) => {
                        let message = |this: &mut Self| {
                            let (ty, result) = (this.text(*ty), this.text(result));
                            if optional {
                                format!("the field `{field}` is `{ty}`, but its default is `{result}`")
                            } else {
                                format!("the field `{field}` is `{ty}`, but it is used as `{result}`")
                            }
                        };
                        if let Err(clash) = self.types.unify(result, *ty) {
                            let message = message(self);
                            self.report_clash(Code::E0701, message, clash, condition);
                        }
                    }
                    None if optional => {}
                    None => {
                        let near = mcl_diagnostics::nearest(field, fields.iter().map(|(name, _)| &**name));
                        let message = format!("`{}` has no field `{field}`", self.text(base));
                        let mut diagnostic = error(Code::E0707, message);
                        diagnostic = match near {
                            Some(near) => diagnostic.help(format!("did you mean `->{near}`?")),
                            None => diagnostic.help(format!("give a default if it may be missing: `->{field} <|> …`")),
                        };
                        self.report_condition(diagnostic, condition, Some(resolved));
                        self.types.taint(result);
                    }
                }
                None
            }
            Node::Bool | Node::Str | Node::Int | Node::Float | Node::List(_) | Node::Map(..) | Node::Func(..) => {
                let message = format!("`{}` has no fields; `->` needs a struct", self.text(base));
                let mut diagnostic = error(Code::E0708, message);
                if let Node::Map(..) = self.types.node(resolved) {
                    diagnostic = diagnostic.help(format!("a map is indexed: `[\"{field}\"]`"));
                }
                self.report_condition(diagnostic, condition, Some(resolved));
                self.types.taint(result);
                None
            }
        }
    }

    fn report_clash(&mut self, code: Code, message: String, clash: Clash, condition: &Condition) {
        let diagnostic = self.clash_labels(error(code, message).at(condition.span), clash, condition.span);
        let diagnostic = because(diagnostic, condition);
        self.report(diagnostic);
    }

    fn report_condition(&mut self, diagnostic: Diagnostic, condition: &Condition, ty: Option<Ty>) {
        let mut diagnostic = diagnostic.at(condition.span);
        if let Some(ty) = ty {
            let ty = self.types.resolve(ty);
            let origin = self.types.origin(ty);
            if origin != condition.span && Some(origin) != condition.because.map(|(span, _)| span) {
                let text = format!("this is `{}`", self.text(ty));
                diagnostic = diagnostic.label(origin, text);
            }
        }
        let diagnostic = because(diagnostic, condition);
        self.report(diagnostic);
    }
}

fn because(diagnostic: Diagnostic, condition: &Condition) -> Diagnostic {
    match condition.because {
        Some((span, text)) if span != condition.span => diagnostic.label(span, text),
        Some(_) | None => diagnostic,
    }
}
