//! Running the programs of automatic relations, within a number of steps.
//!
//! A call that Ruby would refuse, such as `split` on `nil`, ends the program without a result, as an exception does.

use crate::program::{LoopResult, Method, Operation, OperationId, Program, Variable};

/// Maximum number of operations, items and bytes of a run.
const MAX_STEPS: usize = 1_000_000;

/// A value of a program. Symbols of Ruby are strings.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Datum {
    Nil,
    Boolean(bool),
    Integer(i64),
    Text(String),
    List(Vec<Datum>),
    /// A resource of the catalog, by its index.
    Resource(usize),
    /// Something that programs only pass on, such as a hash.
    Other,
}

/// The catalog that a program reads.
pub trait CatalogView {
    /// Returns the value of an attribute of a resource, `Nil` if it is not set.
    fn attribute(&self, resource: usize, name: &str) -> Datum;
    /// Returns the title of a resource.
    fn title(&self, resource: usize) -> String;
    /// Returns the resources of a type, whose name is in lower case.
    fn resources(&self, type_name: &str) -> Vec<usize>;
    /// Returns the resource of a type with a title.
    fn find(&self, type_name: &str, title: &str) -> Option<usize>;
}

/// A title or resource that a program returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Related {
    /// A title.
    Title(String),
    /// A resource.
    Resource(usize),
}

/// A run of a program for a resource.
pub struct Evaluation<'a> {
    program: &'a Program,
    catalog: &'a dyn CatalogView,
    resource: usize,
    variables: Vec<Datum>,
    steps: usize,
}

/// Why a run ends early.
enum Stop {
    /// With a result.
    Return(Datum),
    /// Without one.
    Failed,
}

impl<'a> Evaluation<'a> {
    /// Runs a valid program for a resource; `None` if it fails.
    #[must_use]
    pub fn run(program: &'a Program, catalog: &'a dyn CatalogView, resource: usize) -> Option<Vec<Related>> {
        let mut run = Evaluation { program, catalog, resource, variables: Vec::new(), steps: 0 };
        let result = match run.evaluate(program.result()?) {
            Ok(result) | Err(Stop::Return(result)) => result,
            Err(Stop::Failed) => return None,
        };
        let mut related = Vec::new();
        collect(result, &mut related)?;
        Some(related)
    }

    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS { Err(Stop::Failed) } else { Ok(()) }
    }

    fn evaluate(&mut self, id: OperationId) -> Result<Datum, Stop> {
        self.spend(1)?;
        // The program outlives the run.
        let program = self.program;
        Ok(match program.operation(id).ok_or(Stop::Failed)? {
            Operation::Nil => Datum::Nil,
            Operation::Boolean(value) => Datum::Boolean(*value),
            Operation::Integer(value) => Datum::Integer(*value),
            Operation::Text(text) => Datum::Text(text.clone()),
            Operation::Concatenate(parts) => {
                let mut text = String::new();
                for part in parts {
                    text += &self.evaluate(*part)?.text().ok_or(Stop::Failed)?;
                    self.spend(text.len())?;
                }
                Datum::Text(text)
            }
            Operation::List(items) => {
                Datum::List(items.iter().map(|item| self.evaluate(*item)).collect::<Result<_, _>>()?)
            }
            Operation::Attribute(name) => self.catalog.attribute(self.resource, name),
            Operation::AttributeOf(other, name) => match self.evaluate(*other)? {
                Datum::Resource(other) => self.catalog.attribute(other, name),
                _ => return Err(Stop::Failed),
            },
            Operation::Variable(Variable(at)) => {
                let value = self.variables.get(usize::from(*at)).cloned().unwrap_or(Datum::Nil);
                self.spend(value.size())?;
                value
            }
            Operation::Assign(variable, value) => {
                let value = self.evaluate(*value)?;
                self.assign(*variable, value.clone())?;
                value
            }
            Operation::If { condition, then, otherwise } => {
                let branch = if self.evaluate(*condition)?.is_true() { then } else { otherwise };
                self.evaluate(*branch)?
            }
            Operation::And(left, right) => match self.evaluate(*left)? {
                left if left.is_true() => self.evaluate(*right)?,
                left => left,
            },
            Operation::Or(left, right) => match self.evaluate(*left)? {
                left if left.is_true() => left,
                _ => self.evaluate(*right)?,
            },
            Operation::Not(value) => Datum::Boolean(!self.evaluate(*value)?.is_true()),
            Operation::Sequence(all) => {
                let mut last = Datum::Nil;
                for operation in all {
                    last = self.evaluate(*operation)?;
                }
                last
            }
            Operation::Return(value) => return Err(Stop::Return(self.evaluate(*value)?)),
            Operation::Enter(body) => match self.evaluate(*body) {
                Err(Stop::Return(value)) => value,
                other => other?,
            },
            Operation::Call { receiver, method, arguments } => self.call(*receiver, *method, arguments)?,
            Operation::Loop { items, variable, body, result } => self.repeat(*items, *variable, *body, *result)?,
            Operation::Resources(name) => {
                let found = self.catalog.resources(name);
                self.spend(found.len())?;
                Datum::List(found.into_iter().map(Datum::Resource).collect())
            }
            Operation::Resource(name, title) => {
                let title = self.evaluate(*title)?.text().ok_or(Stop::Failed)?;
                self.catalog.find(name, &title).map_or(Datum::Nil, Datum::Resource)
            }
        })
    }

    fn assign(&mut self, Variable(at): Variable, value: Datum) -> Result<(), Stop> {
        let at = usize::from(at);
        if self.variables.len() <= at {
            self.spend(at)?;
            self.variables.resize(at + 1, Datum::Nil);
        }
        self.variables[at] = value;
        Ok(())
    }

    fn call(&mut self, receiver: OperationId, method: Method, arguments: &[OperationId]) -> Result<Datum, Stop> {
        let value = self.evaluate(receiver)?;
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(self.evaluate(*argument)?);
        }
        if method == Method::Title {
            return match value {
                Datum::Resource(other) => Ok(Datum::Text(self.catalog.title(other))),
                _ => Err(Stop::Failed),
            };
        }
        let result = apply(method, value, &given).ok_or(Stop::Failed)?;
        self.spend(result.size())?;
        // `list << item` changes the list that a variable holds.
        if method == Method::Append
            && let Some(Operation::Variable(variable)) = self.program.operation(receiver)
        {
            self.assign(*variable, result.clone())?;
        }
        Ok(result)
    }

    fn repeat(
        &mut self,
        items: OperationId,
        variable: Variable,
        body: OperationId,
        result: LoopResult,
    ) -> Result<Datum, Stop> {
        let Datum::List(items) = self.evaluate(items)? else { return Err(Stop::Failed) };
        let mut results = Vec::new();
        for item in &items {
            self.assign(variable, item.clone())?;
            let value = self.evaluate(body)?;
            match result {
                LoopResult::Items => {}
                LoopResult::Results => results.push(value),
                LoopResult::Selected if value.is_true() => results.push(item.clone()),
                LoopResult::Rejected if !value.is_true() => results.push(item.clone()),
                LoopResult::Found if value.is_true() => return Ok(item.clone()),
                LoopResult::Any if value.is_true() => return Ok(Datum::Boolean(true)),
                LoopResult::All if !value.is_true() => return Ok(Datum::Boolean(false)),
                LoopResult::Selected | LoopResult::Rejected | LoopResult::Found | LoopResult::Any | LoopResult::All => {
                }
            }
        }
        Ok(match result {
            LoopResult::Items => Datum::List(items),
            LoopResult::Results | LoopResult::Selected | LoopResult::Rejected => Datum::List(results),
            LoopResult::Found => Datum::Nil,
            LoopResult::Any => Datum::Boolean(false),
            LoopResult::All => Datum::Boolean(true),
        })
    }
}

/// Flattens a result to titles and resources; anything else has no title.
fn collect(value: Datum, related: &mut Vec<Related>) -> Option<()> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Datum::Nil | Datum::Boolean(false) => {}
            Datum::List(items) => pending.extend(items.into_iter().rev()),
            Datum::Resource(index) => related.push(Related::Resource(index)),
            Datum::Text(text) => related.push(Related::Title(text)),
            Datum::Integer(value) => related.push(Related::Title(value.to_string())),
            Datum::Boolean(true) | Datum::Other => return None,
        }
    }
    Some(())
}

impl Datum {
    fn is_true(&self) -> bool {
        !matches!(self, Datum::Nil | Datum::Boolean(false))
    }

    /// Returns the value in a text; `None` for values whose text is not known.
    fn text(&self) -> Option<String> {
        match self {
            Datum::Nil => Some(String::new()),
            Datum::Boolean(value) => Some(value.to_string()),
            Datum::Integer(value) => Some(value.to_string()),
            Datum::Text(text) => Some(text.clone()),
            Datum::List(_) | Datum::Resource(_) | Datum::Other => None,
        }
    }

    fn size(&self) -> usize {
        match self {
            Datum::Text(text) => text.len(),
            Datum::List(items) => items.iter().map(|item| 1 + item.size()).sum(),
            Datum::Nil | Datum::Boolean(_) | Datum::Integer(_) | Datum::Resource(_) | Datum::Other => 1,
        }
    }
}

/// Calls a method; `None` if the receiver does not have it for these arguments.
fn apply(method: Method, value: Datum, given: &[Datum]) -> Option<Datum> {
    match method {
        Method::IsNil => return Some(Datum::Boolean(value == Datum::Nil)),
        Method::IsText => return Some(Datum::Boolean(matches!(value, Datum::Text(_)))),
        Method::IsList => return Some(Datum::Boolean(matches!(value, Datum::List(_)))),
        Method::Equal => return Some(Datum::Boolean(value == *given.first()?)),
        Method::ToList => {
            return Some(match value {
                Datum::List(_) => value,
                Datum::Nil => Datum::List(Vec::new()),
                other => Datum::List(vec![other]),
            });
        }
        Method::ToText => return value.text().map(Datum::Text),
        _ => {}
    }
    match value {
        Datum::List(items) => of_list(method, items, given),
        Datum::Text(text) => of_text(method, &text, given),
        Datum::Integer(left) => match (method, given) {
            (Method::Plus, [Datum::Integer(right)]) => left.checked_add(*right).map(Datum::Integer),
            _ => None,
        },
        Datum::Nil | Datum::Boolean(_) | Datum::Resource(_) | Datum::Other => None,
    }
}

/// Returns the place of an index, which counts from the end if it is negative.
fn place(index: i64, size: usize) -> Option<usize> {
    if index < 0 { size.checked_sub(usize::try_from(index.unsigned_abs()).ok()?) } else { usize::try_from(index).ok() }
}

fn of_list(method: Method, mut items: Vec<Datum>, given: &[Datum]) -> Option<Datum> {
    Some(match (method, given) {
        (Method::Append, more) => {
            items.extend(more.iter().cloned());
            Datum::List(items)
        }
        (Method::Plus, [Datum::List(more)]) => {
            items.extend(more.iter().cloned());
            Datum::List(items)
        }
        (Method::Difference, [Datum::List(others)]) => {
            items.retain(|item| !others.contains(item));
            Datum::List(items)
        }
        (Method::Compact, []) => {
            items.retain(|item| *item != Datum::Nil);
            Datum::List(items)
        }
        (Method::Flatten, []) => {
            let mut flat = Vec::new();
            let mut pending: Vec<Datum> = items.into_iter().rev().collect();
            while let Some(item) = pending.pop() {
                match item {
                    Datum::List(inner) => pending.extend(inner.into_iter().rev()),
                    other => flat.push(other),
                }
            }
            Datum::List(flat)
        }
        (Method::Unique, []) => {
            let mut unique: Vec<Datum> = Vec::new();
            for item in items {
                if !unique.contains(&item) {
                    unique.push(item);
                }
            }
            Datum::List(unique)
        }
        (Method::Reverse, []) => {
            items.reverse();
            Datum::List(items)
        }
        (Method::First, []) => items.into_iter().next().unwrap_or(Datum::Nil),
        (Method::Last, []) => items.pop().unwrap_or(Datum::Nil),
        (Method::Element, [Datum::Integer(index)]) => {
            place(*index, items.len()).and_then(|at| items.into_iter().nth(at)).unwrap_or(Datum::Nil)
        }
        (Method::Include, [item]) => Datum::Boolean(items.contains(item)),
        (Method::IsEmpty, []) => Datum::Boolean(items.is_empty()),
        (Method::Size, []) => Datum::Integer(i64::try_from(items.len()).ok()?),
        (Method::Join, separator) => {
            let separator = match separator {
                [] => "",
                [Datum::Text(text)] => text,
                _ => return None,
            };
            Datum::Text(items.iter().map(Datum::text).collect::<Option<Vec<_>>>()?.join(separator))
        }
        (Method::JoinPath, []) => {
            let parts = items.iter().map(Datum::text).collect::<Option<Vec<_>>>()?;
            Datum::Text(parts.iter().skip(1).fold(parts.first()?.clone(), |path, part| {
                format!("{}/{}", path.trim_end_matches('/'), part.trim_start_matches('/'))
            }))
        }
        _ => return None,
    })
}

fn of_text(method: Method, text: &str, given: &[Datum]) -> Option<Datum> {
    let owned = |text: &str| Datum::Text(text.to_owned());
    Some(match (method, given) {
        (Method::Plus | Method::Append, [Datum::Text(more)]) => Datum::Text(format!("{text}{more}")),
        (Method::Downcase, []) => Datum::Text(text.to_lowercase()),
        (Method::Upcase, []) => Datum::Text(text.to_uppercase()),
        (Method::Capitalize, []) => {
            let mut chars = text.chars();
            let first = chars.next().into_iter().flat_map(char::to_uppercase);
            Datum::Text(first.chain(chars.flat_map(char::to_lowercase)).collect())
        }
        (Method::Strip, []) => owned(text.trim()),
        (Method::Reverse, []) => Datum::Text(text.chars().rev().collect()),
        (Method::IsEmpty, []) => Datum::Boolean(text.is_empty()),
        (Method::Size, []) => Datum::Integer(i64::try_from(text.chars().count()).ok()?),
        (Method::StartWith, [Datum::Text(start)]) => Datum::Boolean(text.starts_with(start.as_str())),
        (Method::EndWith, [Datum::Text(end)]) => Datum::Boolean(text.ends_with(end.as_str())),
        (Method::Include, [Datum::Text(part)]) => Datum::Boolean(text.contains(part.as_str())),
        (Method::Replace, [Datum::Text(from), Datum::Text(to)]) => Datum::Text(text.replacen(from.as_str(), to, 1)),
        (Method::ReplaceAll, [Datum::Text(from), Datum::Text(to)]) => Datum::Text(text.replace(from.as_str(), to)),
        (Method::Split, [Datum::Text(separator), rest @ ..]) => {
            let limit = match rest {
                [] => 0,
                [Datum::Integer(limit)] if *limit >= 0 => usize::try_from(*limit).ok()?,
                _ => return None,
            };
            let mut parts: Vec<&str> = match (separator.as_str(), limit) {
                ("", _) => return None,
                (" ", 0) => text.split_whitespace().collect(),
                (separator, 0) => text.split(separator).collect(),
                (separator, limit) => text.splitn(limit, separator).collect(),
            };
            while limit == 0 && parts.last().is_some_and(|last| last.is_empty()) {
                parts.pop();
            }
            Datum::List(parts.into_iter().map(owned).collect())
        }
        (Method::Slice, [Datum::Integer(from), Datum::Integer(to)]) => {
            let chars: Vec<char> = text.chars().collect();
            let (Some(from), Some(to)) = (place(*from, chars.len()), place(*to, chars.len())) else {
                return Some(Datum::Nil);
            };
            if from > chars.len() {
                return Some(Datum::Nil);
            }
            Datum::Text(chars.iter().take(to.saturating_add(1)).skip(from).collect())
        }
        (Method::Dirname, []) => match text.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) => owned("/"),
            Some((parent, _)) => owned(parent.trim_end_matches('/')),
            None if text.starts_with('/') => owned("/"),
            None => owned("."),
        },
        (Method::Basename, []) => match text.trim_end_matches('/').rsplit('/').next() {
            Some("") | None => owned("/"),
            Some(name) => owned(name),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resource 0 has the attributes `name` (`a@b`) and `list` (`x`, nothing, `y`); resource 1 is the only `other`.
    struct Catalog;

    impl CatalogView for Catalog {
        fn attribute(&self, resource: usize, name: &str) -> Datum {
            let text = |text: &str| Datum::Text(text.to_owned());
            match (resource, name) {
                (0, "name") => text("a@b"),
                (0, "list") => Datum::List(vec![text("x"), Datum::Nil, text("y")]),
                (1, "path") => text("/a/b"),
                _ => Datum::Nil,
            }
        }

        fn title(&self, resource: usize) -> String {
            format!("title {resource}")
        }

        fn resources(&self, type_name: &str) -> Vec<usize> {
            if type_name == "other" { vec![1] } else { Vec::new() }
        }

        fn find(&self, type_name: &str, title: &str) -> Option<usize> {
            (type_name == "other" && title == "o").then_some(1)
        }
    }

    fn run(build: impl FnOnce(&mut Program) -> OperationId) -> Option<Vec<String>> {
        let mut program = Program::default();
        build(&mut program);
        assert!(program.is_valid());
        let text = |related| match related {
            Related::Title(title) => title,
            Related::Resource(index) => format!("#{index}"),
        };
        Some(Evaluation::run(&program, &Catalog, 0)?.into_iter().map(text).collect())
    }

    fn call(program: &mut Program, receiver: OperationId, method: Method, arguments: &[Operation]) -> OperationId {
        let arguments = arguments.iter().map(|argument| program.push(argument.clone())).collect();
        program.push(Operation::Call { receiver, method, arguments })
    }

    #[test]
    fn attributes_are_read_and_split() {
        let result = run(|program| {
            let name = program.push(Operation::Attribute("name".to_owned()));
            let parts = call(program, name, Method::Split, &[Operation::Text("@".to_owned())]);
            call(program, parts, Method::Element, &[Operation::Integer(-1)])
        });
        assert_eq!(result, Some(vec!["b".to_owned()]));
    }

    #[test]
    fn lists_lose_what_is_not_set() {
        let result = run(|program| program.push(Operation::Attribute("list".to_owned())));
        assert_eq!(result, Some(vec!["x".to_owned(), "y".to_owned()]));
    }

    #[test]
    fn a_call_that_ruby_refuses_ends_the_program() {
        let result = run(|program| {
            let missing = program.push(Operation::Attribute("missing".to_owned()));
            call(program, missing, Method::Split, &[Operation::Text("@".to_owned())])
        });
        assert_eq!(result, None);
    }

    #[test]
    fn lists_in_variables_grow() {
        let result = run(|program| {
            let list = Variable(3);
            let empty = program.push(Operation::List(Vec::new()));
            let start = program.push(Operation::Assign(list, empty));
            let items = program.push(Operation::Resources("other".to_owned()));
            let item = program.push(Operation::Variable(Variable(1)));
            let path = program.push(Operation::AttributeOf(item, "path".to_owned()));
            let path = call(program, path, Method::Dirname, &[]);
            let receiver = program.push(Operation::Variable(list));
            let body = program.push(Operation::Call { receiver, method: Method::Append, arguments: vec![path] });
            let each = program.push(Operation::Loop { items, variable: Variable(1), body, result: LoopResult::Items });
            let result = program.push(Operation::Variable(list));
            program.push(Operation::Sequence(vec![start, each, result]))
        });
        assert_eq!(result, Some(vec!["/a".to_owned()]));
    }

    #[test]
    fn a_program_that_doubles_a_list_forever_ends() {
        let result = run(|program| {
            let list = Variable(0);
            let mut all = Vec::new();
            let text = program.push(Operation::Text("x".to_owned()));
            let first = program.push(Operation::List(vec![text]));
            all.push(program.push(Operation::Assign(list, first)));
            for _ in 0..60 {
                let receiver = program.push(Operation::Variable(list));
                let doubled =
                    program.push(Operation::Call { receiver, method: Method::Plus, arguments: vec![receiver] });
                all.push(program.push(Operation::Assign(list, doubled)));
            }
            program.push(Operation::Sequence(all))
        });
        assert_eq!(result, None);
    }

    #[test]
    fn texts_are_split_as_in_ruby() {
        let split = |text: &str, given: &[Datum]| match of_text(Method::Split, text, given) {
            Some(Datum::List(parts)) => parts.iter().filter_map(Datum::text).collect::<Vec<_>>().join("|"),
            other => format!("{other:?}"),
        };
        let text = |text: &str| Datum::Text(text.to_owned());
        assert_eq!(split("a:b::", &[text(":")]), "a|b");
        assert_eq!(split("a:b:c", &[text(":"), Datum::Integer(2)]), "a|b:c");
        assert_eq!(split(" a  b ", &[text(" ")]), "a|b");
        assert_eq!(of_text(Method::Dirname, "/a", &[]), Some(text("/")));
        assert_eq!(of_text(Method::Dirname, "a", &[]), Some(text(".")));
        assert_eq!(of_text(Method::Dirname, "/a//b/", &[]), Some(text("/a")));
        assert_eq!(of_text(Method::Slice, "ms_x", &[Datum::Integer(3), Datum::Integer(-1)]), Some(text("x")));
    }
}
