//! Signatures of functions, blocks, classes and defines, and the checks of arguments against them.

use std::sync::Arc;

use crate::assignable::is_assignable;
use crate::error::Error;
use crate::infer::infer_detailed;
use crate::instance::is_instance;
use crate::mismatch::{Mismatch, Problem, Step, describe, merge};
use crate::parse::Parser;
use crate::types::{Callable, Size, Type};
use crate::value::Value;

/// One signature of a function or block.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The parameters in order.
    pub parameters: Vec<SignatureParameter>,
    /// The block: its name and type; `None` if a block is not allowed.
    pub block: Option<(Arc<str>, Type)>,
    /// The type of the result.
    pub returns: Option<Type>,
}

/// A parameter of a signature.
#[derive(Clone, Debug, PartialEq)]
pub struct SignatureParameter {
    /// The name without the dollar sign.
    pub name: Arc<str>,
    /// The type.
    pub ty: Type,
    /// May be left out.
    pub is_optional: bool,
    /// How many arguments it takes if it takes all further ones.
    pub rest: Option<Size>,
}

impl Signature {
    /// Reads a signature as the table of functions writes it: `Iterable iterable, Callable[1, 1] &block`, optional parameters
    /// as `?name`, repeated ones as `*name`, repeated ones that are needed at least once as `+name`, a block that may be left
    /// out as `?&block`, the type of the result after `>>`. Names of types that are not built in go to `resolve`.
    ///
    /// # Errors
    /// A text that is not a signature.
    pub fn parse(text: &str, resolve: &dyn Fn(&str) -> Option<Type>) -> Result<Signature, Error> {
        let mut parser = Parser::new(text, resolve);
        let mut signature = Signature { parameters: Vec::new(), block: None, returns: None };
        if text.trim().is_empty() {
            return Ok(signature);
        }
        loop {
            let Value::Type(ty) = parser.value()? else { return Err(parser.syntax_error()) };
            let is_optional = parser.take("?");
            let is_block = parser.take("&");
            let is_repeated = parser.take("*");
            let is_needed_once = !is_repeated && parser.take("+");
            let name: Arc<str> = parser.word().into();
            if name.is_empty() {
                return Err(parser.syntax_error());
            }
            if is_block {
                let ty = if is_optional { Type::optional(ty) } else { ty };
                signature.block = Some((name, ty));
            } else {
                signature.parameters.push(SignatureParameter {
                    name,
                    ty,
                    is_optional: is_optional || is_repeated,
                    rest: (is_repeated || is_needed_once)
                        .then_some(Size { min: u64::from(is_needed_once), max: u64::MAX }),
                });
            }
            if !parser.take(",") {
                break;
            }
        }
        if parser.take(">>") {
            let Value::Type(returns) = parser.value()? else { return Err(parser.syntax_error()) };
            signature.returns = Some(returns);
        }
        parser.expect_end()?;
        Ok(signature)
    }

    /// Returns the number of arguments that the signature takes.
    #[must_use]
    pub fn argument_count(&self) -> Size {
        let single = self.parameters.iter().filter(|parameter| parameter.rest.is_none());
        let (required, all) = (single.clone().filter(|parameter| !parameter.is_optional).count(), single.count());
        let rest = self.parameters.last().and_then(|parameter| parameter.rest).unwrap_or(Size::exactly(0));
        Size { min: rest.min.saturating_add(required as u64), max: rest.max.saturating_add(all as u64) }
    }

    fn parameter_at(&self, index: usize) -> Option<&SignatureParameter> {
        self.parameters.get(index).or(self.parameters.last().filter(|parameter| parameter.rest.is_some()))
    }

    /// Returns whether arguments and a block match.
    #[must_use]
    pub fn accepts(&self, arguments: &[Value], block: Option<&Callable>) -> bool {
        self.argument_count().contains(arguments.len() as u64)
            && arguments.iter().enumerate().all(|(index, argument)| {
                self.parameter_at(index).is_some_and(|parameter| is_instance(&parameter.ty, argument))
            })
            && self.accepts_block(block)
    }

    fn accepts_block(&self, block: Option<&Callable>) -> bool {
        match (&self.block, block) {
            (None, None) => true,
            (None, Some(_)) => false,
            (Some((_, ty)), None) => crate::assignable::accepts_undef(ty),
            (Some((_, ty)), Some(block)) => is_assignable(ty, &Type::Callable(Some(Arc::new(block.clone())))),
        }
    }

    /// Describes why the arguments do not match: their number, else the first one that does not.
    fn describe_arguments(&self, arguments: &[Value], path: &[Step]) -> Vec<Mismatch> {
        let expected = self.argument_count();
        let count = arguments.len() as u64;
        if !expected.contains(count) {
            let problem = Problem::Count { expected, found: Size::exactly(count) };
            return vec![Mismatch { path: path.to_vec(), problem }];
        }
        for (index, argument) in arguments.iter().enumerate() {
            let Some(parameter) = self.parameter_at(index) else { continue };
            if is_instance(&parameter.ty, argument) {
                continue;
            }
            let mut path = path.to_vec();
            path.push(Step::Parameter(parameter.name.clone()));
            return describe(&parameter.ty, &infer_detailed(argument), &path);
        }
        Vec::new()
    }

    fn describe_block(&self, block: Option<&Callable>, path: &[Step]) -> Vec<Mismatch> {
        if self.accepts_block(block) {
            return Vec::new();
        }
        let here = |problem: Problem| vec![Mismatch { path: path.to_vec(), problem }];
        match (&self.block, block) {
            (None, _) => here(Problem::UnexpectedBlock),
            (Some(_), None) => here(Problem::MissingBlock),
            (Some((_, ty)), Some(block)) => {
                let expected = match ty {
                    Type::Optional(Some(inner)) => inner,
                    other => other,
                };
                let mut path = path.to_vec();
                path.push(Step::Block);
                let Type::Callable(Some(expected)) = expected else { return Vec::new() };
                let count = |callable: &Callable| {
                    let types = callable.parameters.types.len() as u64;
                    callable.parameters.size.unwrap_or(Size::exactly(types))
                };
                let (expected_count, found) = (count(expected), count(block));
                if !found.contains_size(expected_count) {
                    let problem = Problem::Count { expected: expected_count, found };
                    return vec![Mismatch { path, problem }];
                }
                describe(ty, &Type::Callable(Some(Arc::new(block.clone()))), &path)
            }
        }
    }

    /// Returns the parameters as a message lists them: `(String str, Integer count?)`.
    fn text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for parameter in &self.parameters {
            let mark = match (parameter.is_optional, parameter.rest.is_some()) {
                (true, true) => "*",
                (false, true) => "+",
                (true, false) => "?",
                (false, false) => "",
            };
            let ty = if parameter.is_optional { without_optional(&parameter.ty) } else { &parameter.ty };
            parts.push(format!("{} {}{mark}", type_text(ty), parameter.name));
        }
        if let Some((name, ty)) = &self.block {
            let mark = if let Type::Optional(_) = ty { "?" } else { "" };
            parts.push(format!("{} {name}{mark}", type_text(without_optional(ty))));
        }
        format!("({})", parts.join(", "))
    }
}

fn without_optional(ty: &Type) -> &Type {
    match ty {
        Type::Optional(Some(inner)) => inner,
        other => other,
    }
}

fn type_text(ty: &Type) -> String {
    // Aliases within other types are not spelled out.
    if let Type::Alias(_) = ty { ty.expanded_text() } else { ty.to_string() }
}

/// Describes why no signature takes the arguments, as Puppet does: `'each' expects …`.
#[must_use]
pub fn describe_signatures(
    function: &str,
    signatures: &[Signature],
    arguments: &[Value],
    block: Option<&Callable>,
) -> String {
    let label = if function == "block" { function.to_owned() } else { format!("'{function}'") };
    let mut problems = problems(signatures, arguments, block);
    if let [problems] = problems.as_mut_slice() {
        // Keys that are missing or unknown are not named beside values of a wrong type.
        if problems.iter().any(|found| found.problem.is_of_type()) {
            problems.retain(|found| found.problem.is_of_type());
        }
        return match problems.as_slice() {
            [problem] => format!("{label} {}", problem.text()),
            problems => {
                let signature = signatures.first().map(Signature::text).unwrap_or_default();
                let lines: String =
                    problems.iter().map(|problem| format!("\n  rejected: {}", problem.text())).collect();
                format!("{label} expects {signature}{lines}")
            }
        };
    }
    let all: Vec<Mismatch> = problems.iter().flatten().cloned().collect();
    if all.len() == problems.len()
        && let Some(merged) = merge(&all, 0)
    {
        return format!("{label} {}", merged.text());
    }
    let mut out = format!("The function {label} was called with arguments it does not accept. It expects one of:");
    for (signature, problems) in signatures.iter().zip(&problems) {
        out.push_str(&format!("\n  {}", signature.text()));
        for problem in problems {
            out.push_str(&format!("\n    rejected: {}", problem.text()));
        }
    }
    out
}

/// Returns what is wrong with each signature. What is wrong with the block counts only where the arguments match, and alone if
/// no signature takes the block.
fn problems(signatures: &[Signature], arguments: &[Value], block: Option<&Callable>) -> Vec<Vec<Mismatch>> {
    let with_path = |describe: &dyn Fn(&Signature, &[Step]) -> Vec<Mismatch>| -> Vec<Vec<Mismatch>> {
        let path = |at: usize| if signatures.len() == 1 { Vec::new() } else { vec![Step::Signature(at)] };
        signatures.iter().enumerate().map(|(at, signature)| describe(signature, &path(at))).collect()
    };
    let about_arguments = with_path(&|signature, path| signature.describe_arguments(arguments, path));
    if about_arguments.iter().all(|problems| !problems.is_empty()) {
        return about_arguments;
    }
    let about_block = with_path(&|signature, path| signature.describe_block(block, path));
    if about_block.iter().all(|problems| !problems.is_empty()) {
        return about_block;
    }
    let first =
        |(arguments, block): (Vec<Mismatch>, Vec<Mismatch>)| if arguments.is_empty() { block } else { arguments };
    about_arguments.into_iter().zip(about_block).map(first).collect()
}
