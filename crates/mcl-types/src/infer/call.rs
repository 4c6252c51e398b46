//! Typing of calls: of functions of the program, of function values, and of built-in functions (spec 02 §5.6).

use std::ops::RangeInclusive;
use std::rc::Rc;

use mcl_diagnostics::Span;
use mcl_functions::{CallSite, Function, Signature, readable_signature};
use mcl_parser::ast::{Expr, ExprId};
use mcl_value::{FuncType, Type};

use crate::infer::Inference;
use crate::infer::const_str::ConstStr;
use crate::infer::conversion::Literal;
use crate::infer::error::{ConstStrSite, FOR_THIS_INCLUDE, InferError};
use crate::infer::expectation::Expectation;
use crate::scoped::{DefId, InstanceId, ModuleId, Reference, Target};
use crate::solver::constraint::{ConstraintKind, InstantiationSite, TypeKinds};
use crate::solver::obligation::{ConstStrUse, DecodeCheck, FormatCheck, Obligation};
use crate::solver::types::{Node, Ty};

/// A call whose arguments are typed.
struct Call<'a> {
    module: ModuleId,
    /// The name of the function in messages.
    name: &'a str,
    args: &'a [ExprId],
    span: Span,
    callee: Callee,
}

/// What is called, for messages.
#[derive(Clone, Copy)]
enum Callee {
    Builtin(&'static Function),
    /// A `func` statement.
    Defined(DefId),
    /// A function value.
    Value,
}

impl Inference<'_> {
    /// Types `name(args)`.
    pub(crate) fn call_named(
        &mut self,
        module: ModuleId,
        call: ExprId,
        name: &str,
        reference: Reference<'_>,
        args: &[ExprId],
    ) -> Ty {
        let span = self.scoped.ast(module).expr_span(call);
        let callee = match reference.target {
            Target::Def(def) => Callee::Defined(def),
            Target::Function(id) => {
                mcl_functions::function(self.scoped.builtin(id)).map_or(Callee::Value, Callee::Builtin)
            }
            Target::Variable(_) => Callee::Value,
        };
        let site = Call { module, name, args, span, callee };
        match callee {
            Callee::Defined(def) => self.call_defined(&site, call, def, reference.path),
            Callee::Builtin(function) => self.call_builtin(&site, function),
            Callee::Value => Ty::ERROR,
        }
    }

    /// Types a call of a function value.
    pub(crate) fn call_value(&mut self, module: ModuleId, callee: Ty, name: &str, args: &[ExprId], span: Span) -> Ty {
        self.apply(&Call { module, name, args, span, callee: Callee::Value }, callee)
    }

    /// Types a call of a `func` statement's function: an instance of its scheme.
    fn call_defined(&mut self, call: &Call<'_>, expr: ExprId, def: DefId, path: &[InstanceId]) -> Ty {
        let Some(scope) = self.scoped.function_scope(def) else { return Ty::ERROR };
        let generic = self.def_type(def);
        self.use_definition(path, def);
        let fresh = self.fresh_vars(scope);
        let mut instantiation = self.instantiation(Some((scope, Rc::clone(&fresh))), path);
        let callee = self.instantiate(&mut instantiation, generic);
        // If the type of the result cannot be inferred, the call is blamed.
        if let Node::Func(_, result) = self.solver.types.node(callee) {
            for var in self.solver.types.unsolved_vars(result) {
                if fresh.iter().any(|ty| self.solver.types.unsolved_var(*ty) == Some(var)) {
                    self.solver.types.set_var_origin(var, call.span);
                }
            }
        }
        if !fresh.is_empty() {
            self.inferred.calls.insert((call.module, expr), fresh);
        }
        let result = self.apply(call, callee);
        let Some(scheme) = self.scheme(scope) else { return result };
        let site = InstantiationSite::Call(call.span);
        if self.instantiate_obligations(&scheme, &mut instantiation, site, None) {
            result
        } else {
            self.solver.types.poison(result);
            Ty::ERROR
        }
    }

    /// Applies a function to arguments, and returns the type of the result.
    fn apply(&mut self, call: &Call<'_>, callee: Ty) -> Ty {
        let callee = self.solver.types.resolve(callee);
        let found: Rc<[Ty]> = call.args.iter().map(|arg| self.expr_type(call.module, *arg)).collect();
        match self.solver.types.node(callee) {
            Node::Error => {
                self.poison(found.iter().copied());
                Ty::ERROR
            }
            Node::Func(params, result) => {
                if let Some(broken) = self.first_broken_argument(call) {
                    // How many arguments it was meant to be is unknown, and so is which parameters the next ones are for.
                    for (index, param) in params.iter().enumerate().take(broken) {
                        self.pass_argument(call, index, *param, None);
                    }
                    self.poison(found.iter().skip(broken).copied().chain([callee]));
                    return Ty::ERROR;
                }
                if params.len() != found.len() && self.has_broken_operator(call) {
                    self.poison(found.iter().copied().chain([callee]));
                    return Ty::ERROR;
                }
                if params.len() != found.len() {
                    let origin = self.solver.types.origin(callee);
                    self.report_argument_count(call, params.len()..=params.len(), Some(origin));
                    self.poison(found.iter().copied().chain([callee]));
                    return Ty::ERROR;
                }
                let mut fits = true;
                let origin = self.solver.types.origin(callee);
                for (index, param) in params.iter().enumerate() {
                    fits &= self.pass_argument(call, index, *param, Some(origin));
                }
                if fits {
                    return result;
                }
                // Nothing is reported about types that the wrong arguments would have determined.
                self.poison([callee]);
                Ty::ERROR
            }
            Node::Var(_) => {
                let result = self.solver.fresh_var(call.span);
                let wanted = self.solver.types.add(Node::Func(found, result), call.span);
                let expectation = Expectation::UnknownCallee { function: call.name };
                if self.expect(callee, wanted, call.span, &expectation) { result } else { Ty::ERROR }
            }
            Node::Bool | Node::Str | Node::Int | Node::Float | Node::List(_) | Node::Map(..) | Node::Struct(_) => {
                let (ty, origin) = (self.format(callee), self.solver.types.origin(callee));
                self.report(InferError::NotCallable { callee: call.name.to_owned(), ty, span: call.span, origin });
                self.poison(found.iter().copied());
                Ty::ERROR
            }
        }
    }

    /// Returns the index of the first argument that has a syntax error.
    fn first_broken_argument(&self, call: &Call<'_>) -> Option<usize> {
        let ast = self.scoped.ast(call.module);
        call.args.iter().position(|arg| *ast.expr(*arg) == Expr::Error)
    }

    /// Whether an operator of an argument does not fit its operands. It may be in the place of a comma, so the number of
    /// arguments is unknown.
    fn has_broken_operator(&mut self, call: &Call<'_>) -> bool {
        let ast = self.scoped.ast(call.module);
        call.args.iter().any(|arg| {
            let ty = self.expr_type(call.module, *arg);
            matches!(ast.expr(*arg), Expr::Binary { .. }) && self.solver.types.resolve(ty) == Ty::ERROR
        })
    }

    /// Passes an argument to a parameter; a mismatch is reported at the call.
    fn pass_argument(&mut self, call: &Call<'_>, index: usize, param: Ty, value: Option<Span>) -> bool {
        let arg = call.args[index];
        let found = self.expr_type(call.module, arg);
        let result = self.solver.types.unify(param, found);
        if let Err(mismatch) = result {
            let ast = self.scoped.ast(call.module);
            let (argument, function) = (ast.expr_span(arg), call.name);
            let literal = Literal::of(ast, ast.expr(arg), argument);
            let signature = self.signature_of(call);
            let value = value.filter(|_| matches!(call.callee, Callee::Value));
            let expectation = Expectation::Argument { function, index, argument, literal, signature, value };
            self.report_mismatch(mismatch, call.span, &expectation);
        }
        self.solve();
        result.is_ok()
    }

    fn report_argument_count(&mut self, call: &Call<'_>, expected: RangeInclusive<usize>, callee: Option<Span>) {
        let (function, found) = (call.name.to_owned(), call.args.len());
        let signature = self.signature_of(call);
        self.report(InferError::ArgumentCount { function, expected, found, span: call.span, callee, signature });
    }

    /// Returns the called function with its parameters, as in `strings.split(a str, b str) []str`.
    fn signature_of(&self, call: &Call<'_>) -> Option<String> {
        match call.callee {
            Callee::Value => None,
            Callee::Builtin(function) => {
                let signature = match function.signature {
                    Signature::Fixed(signature) => signature,
                    Signature::CallSite(site) => site.overloads().first()?,
                };
                Some(format!("{}{}", call.name, readable_signature(signature).strip_prefix("func")?))
            }
            Callee::Defined(def) => {
                let scope = self.scoped.function_scope(def)?;
                let params =
                    self.scoped.scope(scope).params.iter().map(|param| format!("${}", self.scoped.def_name(*param)));
                Some(format!("{}({})", call.name, params.collect::<Vec<_>>().join(", ")))
            }
        }
    }

    fn call_builtin(&mut self, call: &Call<'_>, function: &'static Function) -> Ty {
        match function.signature {
            Signature::Fixed(declaration) => match self.signature(declaration) {
                Some(signature) => self.call_fixed(call, function, &signature),
                None => Ty::ERROR,
            },
            Signature::CallSite(site) => self.call_special(call, site),
        }
    }

    fn call_fixed(&mut self, call: &Call<'_>, function: &'static Function, signature: &FuncType) -> Ty {
        let mut vars = Vec::new();
        let params = signature.args.iter().map(|arg| self.declared_type(&arg.ty, &mut vars, call.span)).collect();
        let result = self.declared_type(&signature.result, &mut vars, call.span);
        let callee = self.solver.types.add(Node::Func(params, result), call.span);
        if self.apply(call, callee) == Ty::ERROR {
            return Ty::ERROR;
        }
        // The listed signatures differ from each other in the first variable (spec 03 §6).
        if let (Some((_, ty)), false) = (vars.first(), function.choices.is_empty()) {
            let kinds = allowed_kinds(signature, function.choices);
            if !self.require(ConstraintKind::OneOf { ty: *ty, kinds, operation: function.name }, call.span) {
                return Ty::ERROR;
            }
        }
        result
    }

    /// Types a call of a function whose signature depends on the call (spec 02 §5.6).
    fn call_special(&mut self, call: &Call<'_>, site: CallSite) -> Ty {
        let expected = match site {
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
        let count = call.args.len();
        if self.first_broken_argument(call).is_some() {
            return self.call_unresolved(call.module, call.args);
        }
        if !expected.contains(&count) && self.has_broken_operator(call) {
            return self.call_unresolved(call.module, call.args);
        }
        if !expected.contains(&count) {
            self.report_argument_count(call, expected, None);
            return Ty::ERROR;
        }
        let span = call.span;
        let (params, result) = match site {
            CallSite::Printf => return self.call_printf(call),
            CallSite::DecodeJson => return self.call_decode_json(call),
            CallSite::Template => {
                // The second argument is of any type, as long as it is known.
                let string = self.solver.types.add(Node::Str, span);
                let rest = call.args.iter().skip(1).map(|arg| self.expr_type(call.module, *arg));
                (std::iter::once(string).chain(rest).collect(), string)
            }
            CallSite::IterRange => {
                let int = self.solver.types.add(Node::Int, span);
                (vec![int; count], self.solver.types.add(Node::List(int), span))
            }
            CallSite::IterReduce => {
                let element = self.solver.fresh_var(span);
                let list = self.solver.types.add(Node::List(element), span);
                let step = self.solver.types.add(Node::Func(Rc::from([element, element]), element), span);
                let initial = Some(element).filter(|_| count == 3);
                (initial.into_iter().chain([list, step]).collect(), element)
            }
            CallSite::ListConcat => {
                let element = self.solver.fresh_var(span);
                let list = self.solver.types.add(Node::List(element), span);
                (vec![list; count], list)
            }
            CallSite::Operator
            | CallSite::Lookup
            | CallSite::StructLookup
            | CallSite::StructLookupOptional
            | CallSite::Collect => return Ty::ERROR,
        };
        let callee = self.solver.types.add(Node::Func(params.into(), result), span);
        self.apply(call, callee)
    }

    fn call_decode_json(&mut self, call: &Call<'_>) -> Ty {
        let string = self.solver.types.add(Node::Str, call.span);
        let result = self.solver.fresh_var(call.span);
        let callee = self.solver.types.add(Node::Func(vec![string; call.args.len()].into(), result), call.span);
        let result = self.apply(call, callee);
        if let (Some(written), true) = (call.args.get(1), result != Ty::ERROR) {
            let written = const_str_use(call, *written);
            self.check_decoded_type(DecodeCheck { written, result });
        }
        self.solver.types.resolve(result)
    }

    /// Types a call of `printf`; if the format is known, its verbs give types to the values (spec 02 §5.7).
    fn call_printf(&mut self, call: &Call<'_>) -> Ty {
        let string = self.solver.types.add(Node::Str, call.span);
        let Some((format, values)) = call.args.split_first() else { return string };
        if !self.pass_argument(call, 0, string, None) {
            return Ty::ERROR;
        }
        let ast = self.scoped.ast(call.module);
        if self.has_broken_operator(call) {
            return string;
        }
        let values = values.iter().map(|arg| (self.expr_type(call.module, *arg), ast.expr_span(*arg))).collect();
        let format = const_str_use(call, *format);
        self.check_format(FormatCheck { format, values });
        string
    }

    /// Gives `decode_json` the result type that its string argument asks for. If a class parameter determines the string, the
    /// check is an obligation of each include.
    pub(crate) fn check_decoded_type(&mut self, check: DecodeCheck) {
        let written = match self.const_str(&check.written) {
            ConstStr::Unknown => return,
            ConstStr::FromClassParam => return self.solver.obligations.push(Obligation::DecodeType(check)),
            ConstStr::Known(written) => written,
        };
        let span = check.written.span;
        let Some(ty) = Type::parse(&written) else {
            let call = self.const_str_site(&check.written);
            self.report(InferError::InvalidTypeString { written: written.to_string(), call });
            return self.poison([check.result]);
        };
        let ty = self.declared_type(&ty, &mut Vec::new(), span);
        self.expect(check.result, ty, span, &Expectation::DecodedType { include: check.written.include });
    }

    /// Gives the values of `printf` the types that the verbs of its format ask for. If a class parameter determines the
    /// format, the check is an obligation of each include.
    pub(crate) fn check_format(&mut self, check: FormatCheck) {
        let format = match self.const_str(&check.format) {
            ConstStr::Unknown => return,
            ConstStr::FromClassParam => return self.solver.obligations.push(Obligation::FormatString(check)),
            ConstStr::Known(format) => format,
        };
        let site = self.const_str_site(&check.format);
        let verbs = match verbs(&format) {
            Ok(verbs) => verbs,
            Err(UnknownVerb(verb)) => {
                return self.report(InferError::UnknownVerb { verb: format!("%{verb}"), call: site });
            }
        };
        let values = check.values.len();
        if verbs.len() != values {
            return self.report(InferError::ValueCount { verbs: verbs.len(), values, call: site });
        }
        let include = check.format.include.map(|include| (include, FOR_THIS_INCLUDE));
        for (verb, (found, argument)) in verbs.into_iter().zip(check.values) {
            let node = match verb {
                't' => Node::Bool,
                's' | 'q' => Node::Str,
                'd' => Node::Int,
                'f' => Node::Float,
                _ => continue,
            };
            if self.solver.types.is_known(found, &node) {
                continue;
            }
            let expected = self.solver.types.add(node, site.string);
            let label = include.unwrap_or((argument, "this argument"));
            self.expect(expected, found, site.span, &Expectation::FormatValue { verb, label });
        }
    }

    fn const_str_site(&self, string: &ConstStrUse) -> ConstStrSite {
        let (module, expr) = string.expr;
        ConstStrSite { span: string.span, string: self.scoped.ast(module).expr_span(expr), include: string.include }
    }
}

fn const_str_use(call: &Call<'_>, arg: ExprId) -> ConstStrUse {
    ConstStrUse { expr: (call.module, arg), path: Vec::new(), include: None, span: call.span }
}

/// A character that follows a `%` in a format, and is not a verb.
#[derive(Debug, PartialEq, Eq)]
struct UnknownVerb(char);

/// Returns the verbs of a format in order.
fn verbs(format: &str) -> Result<Vec<char>, UnknownVerb> {
    let mut verbs = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        match chars.next() {
            Some('%') => {}
            Some(verb @ ('t' | 's' | 'q' | 'd' | 'f' | 'v' | 'T')) => verbs.push(verb),
            Some(other) => return Err(UnknownVerb(other)),
            // A `%` at the end is dropped (spec 03 §5.6).
            None => {}
        }
    }
    Ok(verbs)
}

/// Returns the kinds of types that the listed signatures give to the first variable of a signature.
fn allowed_kinds(signature: &FuncType, choices: &[&str]) -> TypeKinds {
    let mut kinds = None::<TypeKinds>;
    for choice in choices.iter().filter_map(|choice| FuncType::parse(choice)) {
        let declared = signature.args.iter().map(|arg| &arg.ty).chain([&signature.result]);
        let chosen = choice.args.iter().map(|arg| &arg.ty).chain([&choice.result]);
        let Some((_, ty)) = declared.zip(chosen).find(|(declared, _)| matches!(declared, Type::Var(_))) else {
            continue;
        };
        let kind = match ty {
            Type::Bool => TypeKinds::BOOL,
            Type::Str => TypeKinds::STR,
            Type::Int => TypeKinds::INT,
            Type::Float => TypeKinds::FLOAT,
            Type::List(_) => TypeKinds::LIST,
            Type::Map(_) => TypeKinds::MAP,
            Type::Struct(_) => TypeKinds::STRUCT,
            Type::Func(_) => TypeKinds::FUNC,
            Type::Variant | Type::Nil | Type::Var(_) => continue,
        };
        kinds = Some(kinds.map_or(kind, |kinds| kinds.or(kind)));
    }
    kinds.unwrap_or(TypeKinds::BOOL)
}

#[cfg(test)]
mod tests {
    use super::{UnknownVerb, verbs};

    #[test]
    fn verbs_are_read_in_order() {
        assert_eq!(verbs("%s → %d%%"), Ok(vec!['s', 'd']));
        assert_eq!(verbs("%5d"), Err(UnknownVerb('5')));
        assert_eq!(verbs("100%"), Ok(vec![]));
    }
}
