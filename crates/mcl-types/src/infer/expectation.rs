//! Why two types must be equal: the rules, and their wording.

use mcl_diagnostics::{Change, Code, Fix, Span, nearest};
use resource_graph::{META_FIELDS, META_NAMES, values_of};

use crate::infer::conversion::{Literal, conversion, converted};
use crate::infer::error::FOR_THIS_INCLUDE;
use crate::wording::expected_found;

/// The rule that makes two types equal.
pub(crate) enum Expectation<'a> {
    /// `$NAME TYPE = VALUE`.
    Annotation,
    /// The argument at this position (from 0), passed to a function.
    Argument {
        function: &'a str,
        index: usize,
        argument: Span,
        literal: Option<Literal<'a>>,
        /// The function with its parameters, if the program or `mclc doc` shows them.
        signature: Option<String>,
        /// The definition of a function value.
        value: Option<Span>,
    },
    /// The second branch of an `if` expression.
    Branch,
    ClassArgument {
        class: &'a str,
        param: &'a str,
        argument: Span,
        literal: Option<Literal<'a>>,
    },
    Condition,
    /// The type that the string argument of `decode_json` asks for.
    DecodedType {
        include: Option<Span>,
    },
    Fallback,
    Field {
        kind: &'a str,
        field: &'a str,
        value: Span,
        literal: Option<Literal<'a>>,
    },
    /// A value that `printf` formats with this verb.
    FormatValue {
        verb: char,
        label: (Span, &'a str),
    },
    FunctionResult,
    /// A variable inside a string.
    Interpolation {
        variable: &'a str,
    },
    /// The value that a `for` iterates over.
    IteratedList {
        value: Span,
    },
    /// The value that a `forkv` iterates over.
    IteratedMap {
        value: Span,
    },
    ListElement {
        first: Span,
    },
    /// An operand of `and` or `or`.
    LogicalOperand {
        operator: &'static str,
        operand: Span,
    },
    MapKey {
        first: Span,
    },
    MapValue {
        first: Span,
    },
    /// What a member of a class or file requires of an instance that uses it; `name` has its sigil.
    Member {
        name: &'a str,
        statement: &'static str,
        definition: Span,
    },
    /// The right operand of `in`.
    Membership,
    /// The struct after `Meta =>`.
    MetaStruct,
    MetaParam {
        name: &'a str,
        literal: Option<Literal<'a>>,
    },
    /// The operand of `not`.
    Negation,
    PanicArgument,
    /// The type that the shape of a resource name asks for.
    ResourceName {
        is_collect: bool,
        include: Option<Span>,
        /// The expression.
        name: Span,
    },
    /// A call of a value whose type is not known: it must be a function of these arguments.
    UnknownCallee {
        function: &'a str,
    },
}

impl Expectation<'_> {
    /// Words the violation.
    pub(crate) fn message(&self, expected: &str, found: &str) -> String {
        match self {
            Expectation::Interpolation { variable } => {
                format!("cannot interpolate `${variable}`: expected `{expected}`, found `{found}`")
            }
            Expectation::IteratedList { .. } => format!("expected a list, found `{found}`"),
            Expectation::IteratedMap { .. } => format!("expected a map, found `{found}`"),
            Expectation::MetaStruct => format!("expected a struct of all meta parameters in order, found `{found}`"),
            Expectation::ResourceName { is_collect: true, .. } => {
                format!("expected `str`, `[]str` or `[]struct{{name str; host str}}`, found `{found}`")
            }
            Expectation::ResourceName { is_collect: false, .. } if found != "str" => {
                format!("expected `str` or `[]str`, found `{found}`")
            }
            _ => expected_found(expected, found),
        }
    }

    /// Returns the rule, or how to follow it.
    pub(crate) fn help(&self, expected: &str, found: &str) -> Option<String> {
        Some(match self {
            Expectation::Annotation => return None,
            Expectation::Argument { function, index, literal, signature, .. } => {
                let rule = match signature {
                    Some(signature) => format!("parameter {} of `{signature}` has the type `{expected}`", index + 1),
                    None => format!("parameter {} of `{function}` has the type `{expected}`", index + 1),
                };
                with_conversion(rule, expected, found, literal.as_ref())
            }
            Expectation::Branch => "both branches of an `if` expression have the same type".to_owned(),
            Expectation::ClassArgument { class, param, literal, .. } => {
                let rule = format!("the parameter `${param}` of class `{class}` has the type `{expected}`");
                with_conversion(rule, expected, found, literal.as_ref())
            }
            Expectation::Condition => "a condition is a `bool`".to_owned(),
            Expectation::DecodedType { .. } => format!("the type string asks for `{found}`"),
            Expectation::Fallback => "a fallback has the type of the value that it replaces".to_owned(),
            Expectation::Field { kind, field, literal, .. } => {
                let rule = format!("the field `{field}` of `{kind}` has the type `{expected}`");
                match resource_graph::kind(kind).and_then(|kind| kind.field(field)).and_then(values_of) {
                    Some(values) => format!("{rule}; its values are {values}"),
                    None => with_conversion(rule, expected, found, literal.as_ref()),
                }
            }
            Expectation::FormatValue { verb, .. } => format!("the verb `%{verb}` formats values of type `{expected}`"),
            Expectation::FunctionResult => "the body has the declared result type of the function".to_owned(),
            Expectation::Interpolation { variable } => {
                let verb = match found {
                    "bool" => "%t",
                    "int" => "%d",
                    "float" => "%f",
                    _ => "%v",
                };
                format!("convert it first: `fmt.printf(\"{verb}\", ${variable})`")
            }
            Expectation::IteratedList { .. } => "`for` iterates over a list, `forkv` over a map".to_owned(),
            Expectation::IteratedMap { .. } => "`forkv` iterates over a map, `for` over a list".to_owned(),
            Expectation::ListElement { .. } => "all elements of a list have the same type".to_owned(),
            Expectation::LogicalOperand { operator, .. } => format!("both operands of `{operator}` are `bool`"),
            Expectation::MapKey { .. } => "all keys of a map have the same type".to_owned(),
            Expectation::MapValue { .. } => "all values of a map have the same type".to_owned(),
            Expectation::Member { name, statement, .. } => {
                format!("`{name}` of this {statement} is used, and requires `{expected}`")
            }
            Expectation::Membership if found == "str" => {
                "`in` looks for a value in a list; for a part of a string write `strings.contains($string, …)` of the \
                 module \"strings\""
                    .to_owned()
            }
            Expectation::Membership if found.starts_with("map{") => {
                "`in` looks for a value in a list; for a key write `… in map.keys($map)` of the module \"map\"".to_owned()
            }
            Expectation::Membership => "`in` looks for a value in a list of values of its type".to_owned(),
            Expectation::MetaStruct => single_meta_parameters(found),
            Expectation::MetaParam { name, literal } => {
                let doc = META_FIELDS.iter().find(|field| field.name == *name).map_or("", |field| field.doc);
                let rule = format!("`Meta:{name}` has the type `{expected}`: {}", as_clause(doc));
                with_conversion(rule, expected, found, literal.as_ref())
            }
            Expectation::Negation => {
                "the operand of `not` is a `bool`; it binds tighter than `==` and `in`: write `not ($a == $b)`".to_owned()
            },
            Expectation::PanicArgument => "`panic` takes a `bool` and a `str`".to_owned(),
            Expectation::ResourceName { is_collect: true, .. } => return None,
            Expectation::ResourceName { is_collect: false, .. } if found == "str" => {
                "only literals, interpolated strings and variables bound to them name a single resource; put the name into a \
                 list (`[…]`), or interpolate it through a variable (`\"${name}\"`)"
                    .to_owned()
            }
            Expectation::ResourceName { is_collect: false, .. } => {
                "a resource name is a `str`, or a `[]str` for several resources".to_owned()
            }
            Expectation::UnknownCallee { .. } => return None,
        })
    }

    /// Returns the ways to a value of the expected type.
    pub(crate) fn fixes(&self, expected: &str, found: &str) -> Vec<Fix> {
        match self {
            // A class has the fix for each of its includes.
            Expectation::ResourceName { is_collect: false, include: None, name } if found == "str" => {
                let end = Change::Replace { span: Span { start: name.end, ..*name }, text: "]".to_owned() };
                let bind = Change::Bind { span: *name, value: None, is_in_string: false };
                vec![
                    Fix::safe("put the name into a list", Change::insert(*name, "[")).and(end),
                    Fix::guess("bind the name to a variable first", bind),
                ]
            }
            _ => self.literal_fix(expected).into_iter().collect(),
        }
    }

    /// Returns the literal of the expected type that is meant by the one of the program.
    fn literal_fix(&self, expected: &str) -> Option<Fix> {
        let (span, literal, is_mode) = match self {
            Expectation::Argument { argument, literal, .. } | Expectation::ClassArgument { argument, literal, .. } => {
                (*argument, literal.as_ref()?, false)
            }
            Expectation::Field { value, literal, field, .. } => (*value, literal.as_ref()?, *field == "mode"),
            _ => return None,
        };
        let written = match literal {
            Literal::Int { value, .. } if is_mode && *value >= 0 => format!("\"{value:04}\""),
            literal => converted(expected, literal)?,
        };
        // Digits and words are the same value of another type.
        Some(Fix::safe(format!("write `{written}`"), Change::Replace { span, text: written }))
    }

    /// Returns a further span to point at.
    pub(crate) fn label(&self) -> Option<(Span, &str)> {
        match self {
            Expectation::Argument { argument, .. } | Expectation::ClassArgument { argument, .. } => {
                Some((*argument, "this argument"))
            }
            Expectation::DecodedType { include } | Expectation::ResourceName { include, .. } => {
                include.map(|include| (include, FOR_THIS_INCLUDE))
            }
            Expectation::Field { value, .. }
            | Expectation::IteratedList { value }
            | Expectation::IteratedMap { value } => Some((*value, "this value")),
            Expectation::FormatValue { label, .. } => Some(*label),
            Expectation::ListElement { first } => Some((*first, "the first element")),
            Expectation::LogicalOperand { operand, .. } => Some((*operand, "this operand")),
            Expectation::MapKey { first } => Some((*first, "the first key")),
            Expectation::MapValue { first } => Some((*first, "the first value")),
            Expectation::Member { definition, .. } => Some((*definition, "required by this")),
            Expectation::Annotation
            | Expectation::Branch
            | Expectation::Condition
            | Expectation::Fallback
            | Expectation::FunctionResult
            | Expectation::Interpolation { .. }
            | Expectation::Membership
            | Expectation::MetaStruct
            | Expectation::MetaParam { .. }
            | Expectation::Negation
            | Expectation::PanicArgument
            | Expectation::UnknownCallee { .. } => None,
        }
    }

    /// Returns the code of a mismatch, if it does not depend on the types.
    pub(crate) fn code(&self) -> Option<Code> {
        matches!(self, Expectation::ResourceName { .. }).then_some(Code::E0712)
    }
}

/// Returns a sentence as a part of another one.
fn as_clause(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Adds how to get a value of the expected type to a rule.
fn with_conversion(rule: String, expected: &str, found: &str, literal: Option<&Literal<'_>>) -> String {
    match conversion(expected, found, literal) {
        Some(conversion) => format!("{rule}; {conversion}"),
        None => rule,
    }
}

/// Says how to set the meta parameters of a struct that does not have all of them.
fn single_meta_parameters(found: &str) -> String {
    let names: Vec<&str> = found
        .strip_prefix("struct{")
        .and_then(|fields| fields.strip_suffix('}'))
        .map(|fields| fields.split("; ").filter_map(|field| field.split(' ').next()).collect())
        .unwrap_or_default();
    let known = |name: &&str| META_NAMES.contains(name);
    let example = names
        .iter()
        .copied()
        .find(known)
        .or_else(|| names.iter().find_map(|name| nearest(name, META_NAMES.iter().copied())));
    let count = META_NAMES.len();
    let example = example.unwrap_or("noop");
    let unknown = names.iter().find(|name| !known(name)).map(|name| format!("there is no meta parameter `{name}`; "));
    format!(
        "{}the struct has all {count} meta parameters; to set some, write an entry for each: `Meta:{example} => …,`",
        unknown.unwrap_or_default()
    )
}
