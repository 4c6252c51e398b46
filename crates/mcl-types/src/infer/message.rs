//! The wording of type errors: the expected and the found type, the spans that they come from, and the rule.

use std::fmt::Write;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, nearest};

use crate::infer::Inference;
use crate::infer::conversion::conversion;
use crate::infer::error::{FOR_THIS_INCLUDE, error, with_label};
use crate::infer::expectation::Expectation;
use crate::scoped::DefKind;
use crate::solver::constraint::{Constraint, ConstraintKind, Provenance, TypeKinds};
use crate::solver::error::{TypeError, Violation};
use crate::solver::types::{Mismatch, Node, Ty};
use crate::wording::{MAP_KEY_HELP, expected_because, expected_found};

/// Types in messages are abbreviated below this many levels.
const MAX_FORMAT_DEPTH: u32 = 8;

/// Types in messages are cut after this many parts: a struct may have thousands of fields, and a program as many errors that
/// show its type.
const MAX_FORMAT_PARTS: u32 = 50;

/// Maximum number of fields that the misspelt ones of a program are compared with. Each is compared with all of its struct.
const MAX_COMPARED_FIELDS: usize = 200_000;

const INFINITE_TYPE_HELP: &str = "a type cannot contain itself";

impl Inference<'_> {
    /// Requires two types to be equal, and reports a mismatch at `span`. Returns whether they are equal.
    pub(crate) fn expect(&mut self, expected: Ty, found: Ty, span: Span, expectation: &Expectation<'_>) -> bool {
        let result = self.solver.types.unify(expected, found);
        if let Err(mismatch) = result {
            self.report_mismatch(mismatch, span, expectation);
        }
        self.solve();
        result.is_ok()
    }

    /// Requires a type to be this one, which has no parts; see [`Self::expect`]. Where it is known to be, no type is added.
    pub(crate) fn expect_primitive(
        &mut self,
        primitive: Node,
        found: Ty,
        span: Span,
        expectation: &Expectation<'_>,
    ) -> bool {
        if self.solver.types.is_known(found, &primitive) {
            return true;
        }
        let expected = self.solver.types.add(primitive, span);
        self.expect(expected, found, span, expectation)
    }

    /// Adds a constraint stated at `span`. Returns whether neither it nor any constraint that it decided fails.
    pub(crate) fn require(&mut self, kind: ConstraintKind, span: Span) -> bool {
        self.solver.add_constraint(Constraint { kind, span, provenance: Provenance::Direct });
        self.solve()
    }

    /// Solves the constraints that became solvable, and reports those that do not hold. Returns whether all hold.
    pub(crate) fn solve(&mut self) -> bool {
        self.solver.solve_ready();
        let errors = self.solver.take_errors();
        for error in &errors {
            self.report_type_error(error);
            // What is unknown of a wrong type need not be inferred.
            self.solver.types.poison(error.constraint.base());
        }
        errors.is_empty()
    }

    /// Poisons the types of expressions, and solves what depends on them.
    pub(crate) fn poison(&mut self, types: impl IntoIterator<Item = Ty>) {
        types.into_iter().for_each(|ty| self.solver.types.poison(ty));
        self.solve();
    }

    /// Reports two types that differ.
    pub(crate) fn report_mismatch(&mut self, mismatch: Mismatch, span: Span, expectation: &Expectation<'_>) {
        let (expected, found) = (self.format(mismatch.expected), self.format(mismatch.found));
        let mut diagnostic = if mismatch.is_infinite {
            let message = match expectation {
                Expectation::UnknownCallee { function } => {
                    format!("infinite type: `{function}` would contain itself")
                }
                _ => self.infinite_type(mismatch),
            };
            error(Code::E0717, message)
        } else {
            let code = expectation.code().unwrap_or_else(|| self.code_of(mismatch));
            let mut diagnostic = error(code, expectation.message(&expected, &found));
            diagnostic.help = self.monomorphic_help(mismatch, expectation).or(expectation.help(&expected, &found));
            diagnostic.fixes.extend(expectation.fixes(&expected, &found));
            diagnostic
        }
        .at(span);
        if let Some((at, text)) = expectation.label().filter(|(at, _)| *at != span) {
            diagnostic = diagnostic.label(at, text);
        }
        let diagnostic = self.with_origins(diagnostic, mismatch, span);
        self.report(diagnostic);
    }

    /// Says why a parameter of a function value has a type that its definition does not give it.
    fn monomorphic_help(&self, mismatch: Mismatch, expectation: &Expectation<'_>) -> Option<String> {
        let Expectation::Argument { function, signature: None, value: Some(definition), .. } = expectation else {
            return None;
        };
        let name = function.rsplit(['$', '.']).next()?;
        let fixed_at = self.solver.types.origin(mismatch.expected_part);
        let is_declared =
            definition.file == fixed_at.file && definition.start <= fixed_at.start && fixed_at.end <= definition.end;
        (!is_declared).then(|| {
            format!(
                "a function value has one type, which another use of `{function}` fixes; a `func` takes a value of any type \
                 that fits: `func {name}(…) {{ … }}`"
            )
        })
    }

    /// Reports operands of different types; the operator is blamed.
    pub(crate) fn report_operands(&mut self, mismatch: Mismatch, operator: &str, operands: [Span; 2], span: Span) {
        if mismatch.is_infinite {
            let message = self.infinite_type(mismatch);
            return self.report(error(Code::E0717, message).at(span).help(INFINITE_TYPE_HELP));
        }
        let types = [self.format(mismatch.expected), self.format(mismatch.found)];
        let message = format!("mismatched operands for `{operator}`: `{}` and `{}`", types[0], types[1]);
        let mut diagnostic = error(Code::E0702, message).at(span);
        let help = match [types[0].as_str(), types[1].as_str()] {
            ["str", other] | [other, "str"] if operator == "+" => conversion("str", other, None),
            ["int", "float"] | ["float", "int"] => {
                Some("write a number with a decimal point, `1.0`, or convert it: `convert.to_float(…)` of the module \"convert\"".to_owned())
            }
            _ => None,
        };
        diagnostic.help = help;
        for (at, ty) in operands.into_iter().zip(types) {
            diagnostic = diagnostic.label(at, format!("this is `{ty}`"));
        }
        for part in [mismatch.expected_part, mismatch.found_part] {
            let origin = self.solver.types.origin(part);
            if !operands.contains(&origin) && origin != span {
                let ty = self.format(part);
                diagnostic = diagnostic.label(origin, format!("this is `{ty}`"));
            }
        }
        self.report(diagnostic);
    }

    /// Describes a failed occurs check: one of the two parts is a variable, the other a type that contains it.
    fn infinite_type(&mut self, mismatch: Mismatch) -> String {
        let container = match self.solver.types.node(mismatch.expected_part) {
            Node::Var(_) => mismatch.found_part,
            _ => mismatch.expected_part,
        };
        format!("infinite type: a value of type `{}` would contain itself", self.format(container))
    }

    fn code_of(&self, mismatch: Mismatch) -> Code {
        let types = &self.solver.types;
        match (types.node(mismatch.expected_part), types.node(mismatch.found_part)) {
            (Node::Struct(_), Node::Struct(_)) => Code::E0721,
            (Node::Func(..), Node::Func(..)) => Code::E0704,
            _ => Code::E0701,
        }
    }

    /// Labels the spans that the two sides of a mismatch come from.
    fn with_origins(&mut self, mut diagnostic: Diagnostic, mismatch: Mismatch, span: Span) -> Diagnostic {
        if mismatch.is_infinite {
            return diagnostic.help(INFINITE_TYPE_HELP);
        }
        let Mismatch { expected_part, found_part, .. } = mismatch;
        let types = &self.solver.types;
        let (expected_at, found_at) = (types.origin(expected_part), types.origin(found_part));
        let (expected, found) = (self.format(expected_part), self.format(found_part));
        if found_at == span {
            diagnostic.span_label = format!("this is `{found}`");
        } else {
            diagnostic = origin_label(diagnostic, found_at, &found, format!("this is `{found}`"));
        }
        if expected_at != span && expected_at != found_at {
            let because = expected_because(&expected);
            diagnostic = origin_label(diagnostic, expected_at, &expected, because);
        }
        if let (Node::Struct(a), Node::Struct(b)) =
            (self.solver.types.node(expected_part), self.solver.types.node(found_part))
        {
            let mut names = [&a, &b].map(|fields| fields.iter().map(|(name, _)| &**name).collect::<Vec<_>>());
            names.iter_mut().for_each(|names| names.sort_unstable());
            if names[0] == names[1] {
                diagnostic = diagnostic.help("the fields are the same, but their order is part of the type");
            }
        }
        diagnostic
    }

    /// Reports a constraint that does not hold.
    fn report_type_error(&mut self, type_error: &TypeError) {
        let TypeError { constraint, violation } = type_error;
        let diagnostic = match *violation {
            Violation::Index(mismatch)
            | Violation::Element(mismatch)
            | Violation::Field(mismatch)
            | Violation::ConflictingUses(mismatch) => self.constraint_mismatch(constraint, *violation, mismatch),
            Violation::WrongKind => self.wrong_kind(constraint),
            Violation::NotComparable { function } => {
                let ConstraintKind::Comparable { operator, .. } = constraint.kind else { return };
                let diagnostic = error(Code::E0703, format!("cannot apply `{operator}` to functions"))
                    .help("compare what the functions return");
                self.at_constraint(diagnostic, constraint, function)
            }
            Violation::NotHashable { part } => {
                let message = format!("invalid map key type `{}`", self.format(constraint.base()));
                let diagnostic = error(Code::E0709, message).help(MAP_KEY_HELP);
                self.at_constraint(diagnostic, constraint, part)
            }
            Violation::NotIndexable => {
                let message = format!("expected a list or a map, found `{}`", self.format(constraint.base()));
                let base = self.solver.types.resolve(constraint.base());
                let help = match self.solver.types.node(base) {
                    Node::Struct(_) => "a field of a struct is accessed with `->`: `$struct->field`",
                    _ => "`x[i]` looks up an element of a list or a map",
                };
                let diagnostic = error(Code::E0708, message).help(help);
                self.at_constraint(diagnostic, constraint, constraint.base())
            }
            Violation::NoFields | Violation::UnknownField => self.missing_field(constraint),
        };
        let reason = match constraint.provenance {
            Provenance::Direct => None,
            Provenance::Call { required_by } => Some((required_by, "required by this")),
            Provenance::Include(include) => Some((include, FOR_THIS_INCLUDE)),
        };
        self.report(match reason.filter(|(span, _)| *span != constraint.span) {
            Some((span, text)) => diagnostic.label(span, text),
            None => diagnostic,
        });
    }

    fn constraint_mismatch(&mut self, constraint: &Constraint, violation: Violation, mismatch: Mismatch) -> Diagnostic {
        let (expected, found) = (self.format(mismatch.expected), self.format(mismatch.found));
        let message =
            if mismatch.is_infinite { self.infinite_type(mismatch) } else { expected_found(&expected, &found) };
        let code = if mismatch.is_infinite { Code::E0717 } else { Code::E0701 };
        let base = self.solver.types.resolve(constraint.base());
        let is_list = matches!(self.solver.types.node(base), Node::List(_));
        let help = match (violation, &constraint.kind) {
            (Violation::Index(_), _) if is_list => "a list is indexed by an `int`".to_owned(),
            (Violation::Index(_), _) => format!("the keys of this map have the type `{expected}`"),
            (Violation::Element(_), _) if is_list => format!("the elements of this list have the type `{found}`"),
            (Violation::Element(_), _) => format!("the values of this map have the type `{found}`"),
            (Violation::Field(_), ConstraintKind::FieldOr { field, .. }) => {
                format!("the default has the type of the field `{field}`")
            }
            (Violation::Field(_), ConstraintKind::Field { field, .. }) => {
                format!("the field `{field}` has the type `{found}`")
            }
            (_, ConstraintKind::Field { field, .. } | ConstraintKind::FieldOr { field, .. }) => {
                format!("all uses of the field `{field}` have the same type")
            }
            _ => "all indexes of a container have the same type, and so have all its elements".to_owned(),
        };
        if let (Violation::Field(_), ConstraintKind::Field { .. }, Provenance::Include(_)) =
            (violation, &constraint.kind, constraint.provenance)
            && !mismatch.is_infinite
            && let Some(use_span) = self.use_in_another_class(mismatch.expected, constraint.span)
        {
            // The field only passes through this class.
            return error(code, expected_found(&found, &expected))
                .at(use_span)
                .label(constraint.span, format!("this value is passed on, and is `{found}`"))
                .help(help);
        }
        let diagnostic = error(code, message).at(constraint.span).help(help);
        self.with_origins(diagnostic, mismatch, constraint.span)
    }

    /// Returns where a type comes from, if that is in another class than a use of it.
    fn use_in_another_class(&mut self, ty: Ty, at: Span) -> Option<Span> {
        let ty = self.solver.types.resolve(ty);
        let origin = self.solver.types.origin(ty);
        let class = self.class_around(origin)?;
        (self.class_around(at) != Some(class)).then_some(origin)
    }

    /// Returns the span of the innermost class around a span.
    fn class_around(&self, span: Span) -> Option<Span> {
        let classes = self.scoped.defs.values().filter_map(|def| match def.kind {
            DefKind::Class { stmt, .. } => Some(self.scoped.ast_of(def.scope).stmt_span(stmt)),
            _ => None,
        });
        let around =
            classes.filter(|class| class.file == span.file && class.start <= span.start && span.end <= class.end);
        around.min_by_key(|class| class.end - class.start)
    }

    fn wrong_kind(&mut self, constraint: &Constraint) -> Diagnostic {
        let found = self.format(constraint.base());
        let ConstraintKind::OneOf { kinds, operation, .. } = constraint.kind else {
            return error(Code::E0701, format!("unexpected type `{found}`")).at(constraint.span);
        };
        let kinds = format_kinds(kinds);
        let is_function = operation.starts_with(|c: char| c.is_ascii_alphabetic());
        let base = self.solver.types.resolve(constraint.base());
        let is_list = matches!(self.solver.types.node(base), Node::List(_));
        let diagnostic = if is_function {
            error(Code::E0716, format!("expected {kinds}, found `{found}`"))
                .help(format!("`{operation}` takes {kinds}"))
        } else {
            error(Code::E0703, format!("cannot apply `{operation}` to `{found}`")).help(
                if operation == "+" && is_list {
                    "join lists with `list.concat($a, $b)` of the module \"list\"".to_owned()
                } else {
                    format!("the operands of `{operation}` are {kinds}")
                },
            )
        };
        self.at_constraint(diagnostic, constraint, constraint.base())
    }

    /// Words `base->field` for a base that is not a struct with this field.
    fn missing_field(&mut self, constraint: &Constraint) -> Diagnostic {
        let found = self.format(constraint.base());
        let (ConstraintKind::Field { field, .. } | ConstraintKind::FieldOr { field, .. }) = &constraint.kind else {
            return error(Code::E0708, format!("unexpected type `{found}`")).at(constraint.span);
        };
        let base = self.solver.types.resolve(constraint.base());
        let diagnostic = match self.solver.types.node(base) {
            Node::Struct(fields) => {
                let error = error(Code::E0707, format!("unknown field `{field}` of `{found}`"));
                match self.nearest_field(field, &fields) {
                    Some(similar) => error.help(format!("did you mean `->{similar}`?")),
                    None => error.help(format!("give a default if it may be missing: `->{field} <|> …`")),
                }
            }
            node => {
                let help = match node {
                    Node::Map(..) => format!("to look up a key of a map, use `[\"{field}\"]`"),
                    _ => "`->` accesses a field of a struct".to_owned(),
                };
                error(Code::E0708, format!("expected a struct, found `{found}`")).help(help)
            }
        };
        self.at_constraint(diagnostic, constraint, constraint.base())
    }

    /// Returns the field that a name is a misspelling of.
    fn nearest_field(&mut self, name: &str, fields: &[(Arc<str>, Ty)]) -> Option<Arc<str>> {
        self.compared_fields = self.compared_fields.saturating_add(fields.len());
        if self.compared_fields > MAX_COMPARED_FIELDS {
            return None;
        }
        nearest(name, fields.iter().map(|(field, _)| &**field)).map(Arc::from)
    }

    /// Places a diagnostic at its constraint, and labels the span that the type comes from.
    fn at_constraint(&mut self, diagnostic: Diagnostic, constraint: &Constraint, ty: Ty) -> Diagnostic {
        let diagnostic = diagnostic.at(constraint.span);
        let ty = self.solver.types.resolve(ty);
        let origin = self.solver.types.origin(ty);
        let is_labelled = match constraint.provenance {
            Provenance::Direct => false,
            Provenance::Call { required_by: other } | Provenance::Include(other) => origin == other,
        };
        if origin == constraint.span || is_labelled {
            return diagnostic;
        }
        let ty = self.format(ty);
        with_label(diagnostic, Some(origin), &format!("this is `{ty}`"))
    }

    /// Formats a type as in mcl, with `?` for what is not known, and `…` for what is too deep or too much.
    pub(crate) fn format(&mut self, ty: Ty) -> String {
        let (mut out, mut left) = (String::new(), MAX_FORMAT_PARTS);
        self.write_type(ty, MAX_FORMAT_DEPTH, &mut left, &mut out);
        out
    }

    /// `left` is the number of parts that may still be written.
    fn write_type(&mut self, ty: Ty, depth: u32, left: &mut u32, out: &mut String) {
        let ty = self.solver.types.resolve(ty);
        if depth == 0 || *left == 0 {
            out.push('…');
            return;
        }
        *left -= 1;
        match self.solver.types.node(ty) {
            Node::Error | Node::Var(_) => out.push('?'),
            Node::Bool => out.push_str("bool"),
            Node::Str => out.push_str("str"),
            Node::Int => out.push_str("int"),
            Node::Float => out.push_str("float"),
            Node::List(element) => {
                out.push_str("[]");
                self.write_type(element, depth - 1, left, out);
            }
            Node::Map(key, value) => {
                out.push_str("map{");
                self.write_type(key, depth - 1, left, out);
                out.push_str(": ");
                self.write_type(value, depth - 1, left, out);
                out.push('}');
            }
            Node::Struct(fields) => {
                out.push_str("struct{");
                for (i, (name, ty)) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { "; " } else { "" });
                    if *left == 0 {
                        out.push('…');
                        break;
                    }
                    let _ = write!(out, "{name} ");
                    self.write_type(*ty, depth - 1, left, out);
                }
                out.push('}');
            }
            Node::Func(args, result) => {
                out.push_str("func(");
                for (i, ty) in args.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.write_type(*ty, depth - 1, left, out);
                    if *left == 0 {
                        break;
                    }
                }
                out.push_str(") ");
                self.write_type(result, depth - 1, left, out);
            }
        }
    }
}

/// Labels the span that a type comes from. A label that is already there gets the type as well.
fn origin_label(mut diagnostic: Diagnostic, origin: Span, ty: &str, text: String) -> Diagnostic {
    match diagnostic.labels.iter_mut().find(|label| label.span == origin) {
        Some(label) => {
            let _ = write!(label.text, " is `{ty}`");
            diagnostic
        }
        None => diagnostic.label(origin, text),
    }
}

/// Formats a set of kinds: `` `str`, `int` or `float` ``.
fn format_kinds(kinds: TypeKinds) -> String {
    let names = [
        (TypeKinds::BOOL, "`bool`"),
        (TypeKinds::STR, "`str`"),
        (TypeKinds::INT, "`int`"),
        (TypeKinds::FLOAT, "`float`"),
        (TypeKinds::LIST, "a list"),
        (TypeKinds::MAP, "a map"),
        (TypeKinds::STRUCT, "a struct"),
        (TypeKinds::FUNC, "a function"),
    ];
    let names: Vec<&str> = names.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, name)| *name).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => String::from("no type"),
    }
}
