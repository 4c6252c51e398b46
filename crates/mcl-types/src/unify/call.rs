//! Calls: of functions of the program, of function values, and of built-in functions with their various signatures.

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span};
use mcl_functions::{CallSite, Function, Signature};
use mcl_parser::ast::ExprId;
use mcl_value::{FuncType, Type};

use super::Unifier;
use super::condition::{Kinds, What};
use super::generic::{Copy, Site};
use super::report::{count, error};
use super::statics::Text;
use super::types::{Node, Ty};
use crate::scoped::{DefId, DefKind, ModuleId, Reference, SlotId, Target};

impl Unifier<'_> {
    /// `name(args)`.
    pub(super) fn call_named(
        &mut self,
        module: ModuleId,
        call: ExprId,
        name: &str,
        reference: &Reference,
        args: &[ExprId],
    ) -> Ty {
        let span = self.scoped.ast(module).expr_span(call);
        match &reference.target {
            Target::Def(def) => self.call_defined(module, call, name, *def, &reference.via, args, span),
            Target::Function(registered) => match mcl_functions::function(registered) {
                Some(function) => self.call_builtin(module, function, name, args, span),
                None => Ty::ERROR,
            },
            Target::Variable(_) => Ty::ERROR,
        }
    }

    /// A call of the function of a `func` statement: a copy of its type, and of the conditions that belong to it.
    #[allow(clippy::too_many_arguments)]
    fn call_defined(
        &mut self,
        module: ModuleId,
        call: ExprId,
        name: &str,
        def: DefId,
        via: &[SlotId],
        args: &[ExprId],
        span: Span,
    ) -> Ty {
        let DefKind::Func { scope, .. } = self.scoped.def(def).kind else { return Ty::ERROR };
        let generic = self.def_type(def);
        self.use_definition(via, def);
        let fresh = self.fresh(scope);
        let mut copy = self.copy_of(Some((scope, Rc::clone(&fresh))), via);
        let callee = self.copied(&mut copy, generic);
        // If nothing decides the result, the call is the place to say so.
        if let Node::Func(_, result) = *self.types.node(callee) {
            for unknown in self.types.open_unknowns(result) {
                if fresh.iter().any(|ty| self.types.open_unknown(*ty) == Some(unknown)) {
                    self.types.set_made_at(unknown, span);
                }
            }
        }
        if !fresh.is_empty() {
            self.call_types.insert((module, call), fresh);
        }
        let result = self.apply(module, callee, name, args, span);
        let before = self.diagnostics.len();
        self.copy_conditions(scope, &mut copy, Site::Call(span));
        if self.diagnostics.len() > before {
            self.types.taint(result);
            return Ty::ERROR;
        }
        result
    }

    /// The result of calling a function value.
    pub(super) fn apply(&mut self, module: ModuleId, callee: Ty, name: &str, args: &[ExprId], span: Span) -> Ty {
        let callee = self.types.resolve(callee);
        let found: Rc<[Ty]> = args.iter().map(|arg| self.expr_type(module, *arg)).collect();
        match self.types.node(callee).clone() {
            Node::Error => {
                found.iter().for_each(|ty| self.types.taint(*ty));
                self.settle();
                Ty::ERROR
            }
            Node::Func(params, result) => {
                if params.len() != found.len() {
                    self.report_arity(name, params.len()..=params.len(), found.len(), span, Some(callee));
                    found.iter().for_each(|ty| self.types.taint(*ty));
                    self.types.taint(callee);
                    self.settle();
                    return Ty::ERROR;
                }
                let mut sound = true;
                for (i, param) in params.iter().enumerate() {
                    sound &= self.pass_argument(module, *param, args[i], i, name, span);
                }
                if sound {
                    result
                } else {
                    // What the other arguments would have decided is not missing.
                    self.types.taint(callee);
                    self.settle();
                    Ty::ERROR
                }
            }
            Node::Unknown(_) => {
                let result = self.unknown(span);
                let wanted = self.types.add(Node::Func(found, result), span);
                let sound = self.expect(callee, wanted, span, |_, _| {
                    format!("`{name}` would have to be its own argument or result")
                });
                if sound { result } else { Ty::ERROR }
            }
            Node::Bool | Node::Str | Node::Int | Node::Float | Node::List(_) | Node::Map(..) | Node::Struct(_) => {
                let text = self.text(callee);
                let mut diagnostic =
                    error(Code::E0705, format!("`{name}` is called, but it is `{text}`, not a function")).at(span);
                let origin = self.types.origin(callee);
                if origin != span {
                    diagnostic = diagnostic.label(origin, format!("`{text}` comes from here"));
                }
                self.report(diagnostic);
                found.iter().for_each(|ty| self.types.taint(*ty));
                self.settle();
                Ty::ERROR
            }
        }
    }

    /// Gives an argument to a parameter; the call is to blame if it does not fit.
    fn pass_argument(
        &mut self,
        module: ModuleId,
        param: Ty,
        arg: ExprId,
        index: usize,
        name: &str,
        span: Span,
    ) -> bool {
        let found = self.expr_type(module, arg);
        let at = self.scoped.ast(module).expr_span(arg);
        self.expect_because(param, found, span, Some((at, "this argument")), |expected, found| {
            format!("argument {} of `{name}` must be `{expected}`, but it is `{found}`", index + 1)
        })
    }

    fn report_arity(
        &mut self,
        name: &str,
        expected: std::ops::RangeInclusive<usize>,
        found: usize,
        span: Span,
        callee: Option<Ty>,
    ) {
        let (low, high) = (*expected.start(), *expected.end());
        let expected = if low == high {
            count(low, "argument")
        } else if high == usize::MAX {
            format!("at least {}", count(low, "argument"))
        } else {
            format!("{low} to {}", count(high, "argument"))
        };
        let mut diagnostic = error(Code::E0704, format!("`{name}` takes {expected}, but it gets {found}")).at(span);
        if let Some(callee) = callee {
            let origin = self.types.origin(callee);
            if origin != span {
                diagnostic = diagnostic.label(origin, "the function");
            }
        }
        self.report(diagnostic);
    }

    fn call_builtin(
        &mut self,
        module: ModuleId,
        function: &'static Function,
        name: &str,
        args: &[ExprId],
        span: Span,
    ) -> Ty {
        match function.signature {
            Signature::Fixed(text) => match self.signature(text) {
                Some(signature) => self.call_fixed(module, function, &signature, name, args, span),
                None => Ty::ERROR,
            },
            Signature::CallSite(site) => self.call_special(module, site, name, args, span),
        }
    }

    fn signature(&mut self, text: &'static str) -> Option<Rc<FuncType>> {
        self.signatures.entry(text).or_insert_with(|| FuncType::parse(text).map(Rc::new)).clone()
    }

    fn call_fixed(
        &mut self,
        module: ModuleId,
        function: &'static Function,
        signature: &FuncType,
        name: &str,
        args: &[ExprId],
        span: Span,
    ) -> Ty {
        let mut unknowns = Vec::new();
        let params = signature.args.iter().map(|arg| self.nodes_of(&arg.ty, &mut unknowns, span)).collect();
        let result = self.nodes_of(&signature.result, &mut unknowns, span);
        let callee = self.types.add(Node::Func(params, result), span);
        let applied = self.apply(module, callee, name, args, span);
        if applied == Ty::ERROR {
            return applied;
        }
        // The listed types differ from each other in the first unknown of the signature (spec 03 §6).
        if let (Some(ty), false) = (unknowns.first(), function.choices.is_empty()) {
            let before = self.diagnostics.len();
            let kinds = allowed_kinds(signature, function.choices);
            self.require(What::OneOf { ty: ty.1, kinds, who: function.name }, span);
            if self.diagnostics.len() > before {
                return Ty::ERROR;
            }
        }
        result
    }

    /// A declared type as nodes; equal unknowns (`?1`) become one unknown.
    pub(super) fn nodes_of(&mut self, ty: &Type, unknowns: &mut Vec<(u32, Ty)>, span: Span) -> Ty {
        let node = match ty {
            Type::Bool => Node::Bool,
            Type::Str => Node::Str,
            Type::Int => Node::Int,
            Type::Float => Node::Float,
            Type::List(element) => Node::List(self.nodes_of(element, unknowns, span)),
            Type::Map(parts) => {
                let key = self.nodes_of(&parts.0, unknowns, span);
                Node::Map(key, self.nodes_of(&parts.1, unknowns, span))
            }
            Type::Struct(fields) => Node::Struct(
                fields
                    .iter()
                    .map(|field| (Arc::clone(&field.name), self.nodes_of(&field.ty, unknowns, span)))
                    .collect(),
            ),
            Type::Func(func) => {
                let args = func.args.iter().map(|arg| self.nodes_of(&arg.ty, unknowns, span)).collect();
                Node::Func(args, self.nodes_of(&func.result, unknowns, span))
            }
            Type::Variant | Type::Nil => return self.unknown(span),
            Type::Var(number) => {
                if let Some((_, known)) = unknowns.iter().find(|(other, _)| other == number) {
                    return *known;
                }
                let unknown = self.unknown(span);
                unknowns.push((*number, unknown));
                return unknown;
            }
        };
        self.types.add(node, span)
    }

    /// The functions whose signature depends on the call (spec 02 §5.6).
    fn call_special(&mut self, module: ModuleId, site: CallSite, name: &str, args: &[ExprId], span: Span) -> Ty {
        let low_high = match site {
            CallSite::Printf | CallSite::ListConcat => 1..=usize::MAX,
            CallSite::Template | CallSite::DecodeJson => 1..=2,
            CallSite::IterRange => 1..=3,
            CallSite::IterReduce => 2..=3,
            // Not callable by name.
            CallSite::Operator
            | CallSite::Lookup
            | CallSite::StructLookup
            | CallSite::StructLookupOptional
            | CallSite::Collect => return Ty::ERROR,
        };
        if !low_high.contains(&args.len()) {
            self.report_arity(name, low_high, args.len(), span, None);
            return Ty::ERROR;
        }
        let (params, result) = match site {
            CallSite::Printf => return self.call_printf(module, name, args, span),
            CallSite::DecodeJson => return self.call_decode_json(module, name, args, span),
            CallSite::Template => {
                // The second argument is of any type, as long as it is known.
                let text = self.types.add(Node::Str, span);
                let rest = args.iter().skip(1).map(|arg| self.expr_type(module, *arg));
                (std::iter::once(text).chain(rest).collect(), text)
            }
            CallSite::IterRange => {
                let int = self.types.add(Node::Int, span);
                (vec![int; args.len()], self.types.add(Node::List(int), span))
            }
            CallSite::IterReduce => {
                let element = self.unknown(span);
                let list = self.types.add(Node::List(element), span);
                let step = self.types.add(Node::Func(Rc::from([element, element]), element), span);
                let initial = Some(element).filter(|_| args.len() == 3);
                (initial.into_iter().chain([list, step]).collect(), element)
            }
            CallSite::ListConcat => {
                let element = self.unknown(span);
                let list = self.types.add(Node::List(element), span);
                (vec![list; args.len()], list)
            }
            CallSite::Operator
            | CallSite::Lookup
            | CallSite::StructLookup
            | CallSite::StructLookupOptional
            | CallSite::Collect => return Ty::ERROR,
        };
        let callee = self.types.add(Node::Func(params.into(), result), span);
        self.apply(module, callee, name, args, span)
    }

    fn call_decode_json(&mut self, module: ModuleId, name: &str, args: &[ExprId], span: Span) -> Ty {
        let text = self.types.add(Node::Str, span);
        let result = self.unknown(span);
        let callee = self.types.add(Node::Func(vec![text; args.len()].into(), result), span);
        let result = self.apply(module, callee, name, args, span);
        if let (Some(written), true) = (args.get(1), result != Ty::ERROR) {
            let asks = Asks::Type { result };
            self.ask_text(TextCondition { module, text: *written, path: Vec::new(), asks, include: None, span });
        }
        self.types.resolve(result)
    }

    /// Checks the arguments against the verbs of a format that is known (spec 02 §5.7).
    fn call_printf(&mut self, module: ModuleId, name: &str, args: &[ExprId], span: Span) -> Ty {
        let text = self.types.add(Node::Str, span);
        let Some((format, values)) = args.split_first() else { return text };
        if !self.pass_argument(module, text, *format, 0, name, span) {
            return Ty::ERROR;
        }
        let values = values.iter().map(|arg| (self.expr_type(module, *arg), *arg)).collect();
        let asks = Asks::Format { name: name.into(), values };
        self.ask_text(TextCondition { module, text: *format, path: Vec::new(), asks, include: None, span });
        text
    }

    /// Does what follows from a text, if it is known; if a class argument decides it, each include asks again.
    fn ask_text(&mut self, condition: TextCondition) {
        match self.static_text(condition.module, condition.text, &condition.path) {
            Text::Unknown => {}
            Text::Open => self.text_conditions.push(condition),
            Text::Known(text) => match condition.asks {
                Asks::Format { ref name, ref values } => self.check_format(&text, name, values, &condition),
                Asks::Type { result } => self.check_written_type(&text, result, &condition),
            },
        }
    }

    /// Asks for the texts of a class again, for one instance.
    pub(super) fn decide_texts(&mut self, texts: Vec<TextCondition>, copy: &mut Copy, slot: SlotId) {
        let holder = self.scoped.slot(slot);
        let include = self.scoped.ast_of(holder.scope).stmt_span(holder.stmt);
        for mut condition in texts {
            match &mut condition.asks {
                Asks::Format { values, .. } => values.iter_mut().for_each(|(ty, _)| *ty = self.copied(copy, *ty)),
                Asks::Type { result } => *result = self.copied(copy, *result),
            }
            condition.path.insert(0, slot);
            condition.include.get_or_insert(include);
            self.ask_text(condition);
        }
    }

    /// The call gives a value of the type that is written in a text.
    fn check_written_type(&mut self, written: &str, result: Ty, condition: &TextCondition) {
        let (span, at) = (condition.span, self.scoped.ast(condition.module).expr_span(condition.text));
        let Some(ty) = Type::parse(written) else {
            let mut diagnostic = error(Code::E0718, format!("`{written}` is not a type")).at(span);
            if at != span {
                diagnostic = diagnostic.label(at, "this text");
            }
            diagnostic = diagnostic.help("types look like `[]int`, `map{str: bool}`, `struct{a int; b str}`");
            self.report(condition.with_include(diagnostic));
            self.types.taint(result);
            return self.settle();
        };
        let ty = self.nodes_of(&ty, &mut Vec::new(), span);
        let include = condition.include.map(|include| (include, "for this include"));
        self.expect_because(result, ty, span, include, |expected, found| {
            format!("this text asks for a `{found}`, but the value is used as `{expected}`")
        });
    }

    fn check_format(&mut self, format: &str, name: &str, values: &[(Ty, ExprId)], condition: &TextCondition) {
        let span = condition.span;
        let ast = self.scoped.ast(condition.module);
        let format_at = ast.expr_span(condition.text);
        let verbs = match verbs(format) {
            Ok(verbs) => verbs,
            Err(wrong) => {
                let diagnostic = error(Code::E0715, format!("the format has no verb `{wrong}`"))
                    .at(span)
                    .label(format_at, "in this format")
                    .help("the verbs are %s %q %d %f %t %v %T, and %% for a percent sign");
                return self.report(condition.with_include(diagnostic));
            }
        };
        if verbs.len() != values.len() {
            let message = format!(
                "the format has {}, but `{name}` gets {} for them",
                count(verbs.len(), "verb"),
                count(values.len(), "value")
            );
            let diagnostic = error(Code::E0715, message).at(span).label(format_at, "this format");
            return self.report(condition.with_include(diagnostic));
        }
        for (i, (verb, (found, arg))) in verbs.into_iter().zip(values).enumerate() {
            let node = match verb {
                't' => Node::Bool,
                's' | 'q' => Node::Str,
                'd' => Node::Int,
                'f' => Node::Float,
                _ => continue,
            };
            let expected = self.types.add(node, format_at);
            let place = condition.include.map_or((ast.expr_span(*arg), "this argument"), |at| (at, "for this include"));
            self.expect_because(expected, *found, span, Some(place), |expected, found| {
                format!("`%{verb}` prints `{expected}`, but value {} is `{found}`", i + 1)
            });
        }
    }
}

/// A call whose types depend on a text: a format of `printf`, a type for `decode_json`.
#[derive(Clone)]
pub(super) struct TextCondition {
    module: ModuleId,
    text: ExprId,
    /// The instance that the text is asked of.
    path: Vec<SlotId>,
    asks: Asks,
    /// The include that decides.
    include: Option<Span>,
    span: Span,
}

/// What follows from the text.
#[derive(Clone)]
enum Asks {
    /// The types of the values.
    Format { name: Arc<str>, values: Vec<(Ty, ExprId)> },
    /// The type of the result.
    Type { result: Ty },
}

impl TextCondition {
    fn with_include(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.include {
            Some(include) => diagnostic.label(include, "for this include"),
            None => diagnostic,
        }
    }
}

/// The verbs of a format in order; the first wrong one as an error.
fn verbs(format: &str) -> Result<Vec<char>, String> {
    let mut verbs = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        match chars.next() {
            Some('%') => {}
            Some(verb @ ('t' | 's' | 'q' | 'd' | 'f' | 'v' | 'T')) => verbs.push(verb),
            Some(other) => return Err(format!("%{other}")),
            // At the very end it is dropped (spec 03 §5.6).
            None => {}
        }
    }
    Ok(verbs)
}

/// The kinds that the first unknown of a signature has in the listed types.
fn allowed_kinds(signature: &FuncType, choices: &[&str]) -> Kinds {
    let mut kinds = None::<Kinds>;
    for choice in choices.iter().filter_map(|text| FuncType::parse(text)) {
        let places = signature.args.iter().map(|arg| &arg.ty).chain([&signature.result]);
        let types = choice.args.iter().map(|arg| &arg.ty).chain([&choice.result]);
        let Some((_, ty)) = places.zip(types).find(|(place, _)| matches!(place, Type::Var(_))) else { continue };
        let kind = match ty {
            Type::Bool => Kinds::BOOL,
            Type::Str => Kinds::STR,
            Type::Int => Kinds::INT,
            Type::Float => Kinds::FLOAT,
            Type::List(_) => Kinds::LIST,
            Type::Map(_) => Kinds::MAP,
            Type::Struct(_) => Kinds::STRUCT,
            Type::Func(_) => Kinds::FUNC,
            Type::Variant | Type::Nil | Type::Var(_) => continue,
        };
        kinds = Some(kinds.map_or(kind, |kinds| kinds.or(kind)));
    }
    kinds.unwrap_or(Kinds::BOOL)
}

#[cfg(test)]
mod tests {
    use super::verbs;

    #[test]
    fn verbs_are_read_in_order() {
        assert_eq!(verbs("%s → %d%%"), Ok(vec!['s', 'd']));
        assert_eq!(verbs("%5d"), Err("%5".to_owned()));
        assert_eq!(verbs("100%"), Ok(vec![]));
    }
}
