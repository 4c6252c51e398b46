//! Executes the tree of a template with its data.

use go_compat::strconv::quote;

use crate::data::{Data, GoType};
use crate::executor::{Dot, Executor, Run};
use crate::format::write_value;
use crate::tree::{Node, Pipe, Templates};
use crate::{ExecuteError, Functions, Limits};

/// Maximum depth of templates that call templates.
const MAX_CALLS: usize = 250;
/// Executes the main template. Errors start with `template:LINE:COLUMN: executing …`.
pub(crate) fn execute<F: Functions>(
    text: &[u8],
    templates: &Templates,
    data: Data,
    functions: &F,
    limits: Limits,
) -> Result<Vec<u8>, ExecuteError<F::Error>> {
    let mut executor = Executor {
        functions,
        text,
        templates,
        name: "template",
        variables: vec![("$".to_owned(), data.clone())],
        calls: 0,
        left: limits,
        out: Vec::new(),
    };
    executor.nodes(&templates.main, &Dot { data, untyped: false })?;
    Ok(executor.out)
}

/// How the execution of a list of nodes ended.
#[derive(PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
}

impl<'a, F: Functions> Executor<'a, F> {
    fn nodes(&mut self, nodes: &'a [Node], dot: &Dot) -> Run<Flow, F> {
        for node in nodes {
            let flow = self.node(node, dot)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn node(&mut self, node: &'a Node, dot: &Dot) -> Run<Flow, F> {
        match node {
            Node::Text(text) => self.out.extend_from_slice(text),
            Node::Action(pipe) => {
                let value = self.pipeline(pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.print(&value.data);
                }
                if self.out.len() > self.left.output {
                    return self.error(
                        pipe.at,
                        pipe,
                        format!("output exceeds the limit of {} bytes", self.left.output),
                    );
                }
            }
            Node::If { pipe, then, otherwise } => {
                let scope = self.variables.len();
                let condition = self.pipeline(pipe, dot)?;
                let flow = self.nodes(if condition.data.is_true() { then } else { otherwise }, dot)?;
                self.variables.truncate(scope);
                return Ok(flow);
            }
            Node::With { pipe, then, otherwise } => {
                let scope = self.variables.len();
                let value = self.pipeline(pipe, dot)?;
                let flow = if value.data.is_true() { self.nodes(then, &value)? } else { self.nodes(otherwise, dot)? };
                self.variables.truncate(scope);
                return Ok(flow);
            }
            Node::Range { pipe, body, otherwise } => return self.range(pipe, body, otherwise, dot),
            Node::Template { at, name, quoted, pipe } => self.template(*at, name, quoted, pipe.as_ref(), dot)?,
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn print(&mut self, data: &Data) {
        match data {
            Data::Nil => self.out.extend_from_slice(b"<no value>"),
            data => write_value(&mut self.out, data),
        }
    }

    fn range(&mut self, pipe: &'a Pipe, body: &'a [Node], otherwise: &'a [Node], dot: &Dot) -> Run<Flow, F> {
        let scope = self.variables.len();
        let value = self.pipeline(pipe, dot)?;
        // The pipeline has declared the variables; each iteration assigns them.
        let declared = self.variables.len();
        let mut rounds = 0usize;
        match &value.data {
            Data::List(list) => {
                let untyped = list.element == GoType::Any;
                for (i, item) in list.items.iter().enumerate() {
                    let index = Data::Native(i64::try_from(i).unwrap_or(i64::MAX));
                    rounds += 1;
                    if self.round(pipe, body, declared, index, Dot { data: item.clone(), untyped })? == Flow::Break {
                        break;
                    }
                }
            }
            Data::Map(map) => {
                let untyped = map.value == GoType::Any;
                for (key, item) in &map.entries {
                    rounds += 1;
                    if self.round(pipe, body, declared, key.clone(), Dot { data: item.clone(), untyped })?
                        == Flow::Break
                    {
                        break;
                    }
                }
            }
            Data::Int(count) | Data::Native(count) => {
                if pipe.variables.len() > 1 {
                    return self.error(
                        pipe.at,
                        pipe,
                        format!("can't use {count} to iterate over more than one variable"),
                    );
                }
                let native = matches!(value.data, Data::Native(_));
                for n in 0..*count {
                    let item = if native { Data::Native(n) } else { Data::Int(n) };
                    rounds += 1;
                    if self.round(pipe, body, declared, item.clone(), Dot::typed(item))? == Flow::Break {
                        break;
                    }
                }
            }
            Data::Nil => {}
            other => {
                let mut shown = Vec::new();
                write_value(&mut shown, other);
                let message = format!("range can't iterate over {}", String::from_utf8_lossy(&shown));
                return self.error(pipe.at, pipe, message);
            }
        }
        self.variables.truncate(scope);
        if rounds == 0 {
            let flow = self.nodes(otherwise, dot)?;
            self.variables.truncate(scope);
            return Ok(flow);
        }
        Ok(Flow::Next)
    }

    fn round(&mut self, pipe: &'a Pipe, body: &'a [Node], declared: usize, index: Data, item: Dot) -> Run<Flow, F> {
        self.step(pipe)?;
        let values = match pipe.variables.len() {
            0 => vec![],
            1 => vec![item.data.clone()],
            _ => vec![index, item.data.clone()],
        };
        for (i, value) in values.into_iter().enumerate() {
            if pipe.assigns {
                self.assign(&pipe.variables[i], value);
            } else {
                let slot = declared - pipe.variables.len() + i;
                self.variables[slot].1 = value;
            }
        }
        let flow = self.nodes(body, &item)?;
        self.variables.truncate(declared);
        if self.out.len() > self.left.output {
            return self.error(pipe.at, pipe, format!("output exceeds the limit of {} bytes", self.left.output));
        }
        Ok(flow)
    }

    fn template(&mut self, at: usize, name: &'a str, quoted: &str, pipe: Option<&'a Pipe>, dot: &Dot) -> Run<(), F> {
        let shown = match pipe {
            Some(pipe) => format!("{{{{template {quoted} {pipe}}}}}"),
            None => format!("{{{{template {quoted}}}}}"),
        };
        // The main template can be called by the name that it has in error messages.
        let body = match self.templates.named.get(name) {
            Some(body) => body,
            None if name == "template" => &self.templates.main,
            None => {
                let name = quote(name.as_bytes());
                return self.error(at, &shown, format!("template {name} not defined"));
            }
        };
        if self.calls >= MAX_CALLS {
            return self.error(at, &shown, format!("exceeded maximum template depth ({MAX_CALLS})"));
        }
        let data = match pipe {
            Some(pipe) => self.pipeline(pipe, dot)?,
            None => Dot::typed(Data::Nil),
        };
        let outer = std::mem::replace(&mut self.variables, vec![("$".to_owned(), data.data.clone())]);
        let outer_name = std::mem::replace(&mut self.name, name);
        self.calls += 1;
        self.nodes(body, &data)?;
        self.calls -= 1;
        self.name = outer_name;
        self.variables = outer;
        Ok(())
    }
}
