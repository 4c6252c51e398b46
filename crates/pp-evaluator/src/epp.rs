//! Templates in the Puppet language (spec 07 §5.12, §10.5).

use std::borrow::Cow;
use std::sync::Arc;

use mcl_diagnostics::SourceFile;
use pp_ast::{Expr, ExprId, ParameterList, Tree};
use pp_functions::{FileKind, Template};
use pp_types::{Error, ErrorKind, Hash, Value, describe_mismatch, interpolate, is_instance};

use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::frame::Output;
use crate::parameters::{Callee, names_of};
use crate::scope::{Local, TOP};
use crate::stop::{Eval, JumpKind, Stop, illegal_jump, unlocated};
use crate::trees::Entry;

impl<'e> Evaluator<'e> {
    /// Renders a template.
    pub(crate) fn render_template(&mut self, template: Template<'_>, parameters: Option<&Hash>) -> Eval {
        let (tree, frame) = match template {
            Template::Text(text) => {
                let tree = self.template_tree("inline_epp", "inlined-epp-text".into(), text)?;
                let local = Local::block(self.frame.local.clone());
                (tree, Frame { tree, scope: self.frame.scope, local: Some(local) })
            }
            Template::Named(name) => {
                let (path, text) = self.template_file(name)?;
                let tree = self.template_tree("epp", path, &text)?;
                (tree, Frame { tree, scope: TOP, local: Some(Local::function()) })
            }
        };
        let Some(root) = tree.root else { return Ok(Value::from("")) };
        let outer = self.output.replace(Output::default());
        let span = self.call_span;
        let result = self.nested(span, |this| {
            this.within(frame, |this| {
                if let Expr::Epp { parameters: declared, .. } = tree.exprs[root] {
                    this.bind_template(declared, parameters)?;
                }
                this.eval(root)
            })
        });
        let output = std::mem::replace(&mut self.output, outer).unwrap_or_default();
        match result {
            // What was rendered is lost, too.
            Err(Stop::Jump(jump)) if jump.kind == JumpKind::Return => return Ok(jump.value),
            Err(Stop::Jump(jump)) => return Err(illegal_jump(&jump)),
            other => other?,
        };
        let text = Value::string(output.text);
        Ok(if output.is_sensitive { Value::Sensitive(Arc::new(text)) } else { text })
    }

    /// Sets the variables that the caller gives and the defaults of the others, and reports all that is wrong with them.
    fn bind_template(&mut self, declared: Option<ParameterList>, given: Option<&Hash>) -> Eval<()> {
        let Some(local) = self.frame.local.clone() else { return Ok(()) };
        let tree = self.frame.tree;
        let list = declared.unwrap_or_default();
        let parameters = tree.parameters(list);
        let types = self.parameter_types(list, None)?;
        let mut problems = Vec::new();
        for (key, value) in given.into_iter().flatten() {
            let name = parameter_name(key)?;
            if declared.is_some() && parameters.iter().all(|parameter| tree.str(parameter.name) != name) {
                problems.push(format!("has no parameter named '{name}'"));
            }
            local.set(name, value.clone());
        }
        let names = names_of(tree, parameters);
        for (at, parameter) in parameters.iter().enumerate() {
            let name = tree.str(parameter.name);
            let value = match (local.get_own(name), parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => {
                    let value = self.eval_default(Callee::Block.label(), &names, at, default)?;
                    local.set(name, value.clone());
                    value
                }
                (None, None) => {
                    problems.push(format!("expects a value for parameter '{name}'"));
                    continue;
                }
            };
            if !is_instance(&types.types[at], &value) {
                let text = describe_mismatch(&format!("parameter '{name}'"), &types.types[at], &value);
                problems.extend(text.lines().map(|line| line.trim_start().to_owned()));
            }
        }
        let text = match problems.as_slice() {
            [] => return Ok(()),
            [problem] => format!("lambda: {problem}"),
            problems => format!("lambda:\n  {}", problems.join("\n  ")),
        };
        Err(unlocated(Error::new(ErrorKind::Arguments, text)))
    }

    fn template_file(&mut self, name: &str) -> Eval<(Arc<str>, Arc<str>)> {
        let mut path = self.find_in_module(FileKind::Templates, name).map_err(unlocated)?;
        let mut name = Cow::Borrowed(name);
        if path.is_none() && !name.ends_with(".epp") {
            name = Cow::Owned(format!("{name}.epp"));
            path = self.find_in_module(FileKind::Templates, &name).map_err(unlocated)?;
        }
        let Some(path) = path else { return Err(self.template_not_found(&name)) };
        let bytes = self.services.read_file(&path).map_err(unlocated)?;
        let text = String::from_utf8_lossy(&bytes);
        self.spend(0, text.len() as u64).map_err(unlocated)?;
        Ok((path, text.into()))
    }

    /// Returns the tree of a template. Equal texts are parsed once.
    fn template_tree(&mut self, function: &str, name: Arc<str>, text: &str) -> Eval<&'e Tree> {
        if let Some(known) = self.template_trees.get(text) {
            return Ok(known);
        }
        let file = self.next_file();
        self.loaded.push(SourceFile::new(name, text));
        self.spend(1, text.len() as u64).map_err(unlocated)?;
        let tree = self.services.parse_epp(file, text).map_err(|diagnostics| {
            let first = diagnostics.into_iter().next();
            let (message, span) = first.map_or_else(Default::default, |first| (first.message, first.span));
            let error = Error::new(ErrorKind::Evaluation, format!("{function}(): Invalid EPP: {message}"));
            // The text of an inline template is part of the manifest, so the call is the better place.
            match (function, span) {
                ("epp", Some(span)) => Stop::at(span, error).trace(self.call_span, "rendered here"),
                (_, Some(span)) => {
                    let at_end = error.message.ends_with("end of input");
                    let file = self.source(span).filter(|_| !at_end);
                    let place = file.map(|file| file.line_col(span.start));
                    let place = place.map_or_else(
                        || " (file: inlined-epp-text)".to_owned(),
                        |place| format!(" (file: inlined-epp-text, line: {}, column: {})", place.line, place.col),
                    );
                    unlocated(Error { message: error.message + &place, ..error })
                }
                _ => unlocated(error),
            }
        })?;
        let entry = self.trees.add(self.loaded.len() - 1, Entry { tree, module: None });
        let entry = entry.ok_or_else(|| unlocated(Error::new(ErrorKind::Limit, "too many different templates")))?;
        let tree = &entry.tree;
        self.template_trees.insert(text.into(), tree);
        Ok(tree)
    }

    /// Finds a file of a module, or one with an absolute path.
    ///
    /// # Errors
    /// A path that leads out of its module.
    pub(crate) fn find_in_module(&self, kind: FileKind, name: &str) -> Result<Option<Arc<str>>, Error> {
        if name.starts_with('/') {
            return Ok(self.services.find_file(kind, None, name));
        }
        let Some((module, path)) = name.split_once('/') else { return Ok(None) };
        if path.split('/').any(|part| part == "..") {
            let message = format!("'{name}' leads out of the module '{module}'");
            return Err(
                Error::new(ErrorKind::Evaluation, message).help("name a file inside of the module, without `..`")
            );
        }
        // As in Puppet, `module//path` is the same file.
        Ok(self.services.find_file(kind, Some(module), path.trim_start_matches('/')))
    }

    /// Literal text of a template.
    pub(crate) fn render(&mut self, text: &str, id: ExprId) -> Eval {
        self.charge_bytes(id, text.len())?;
        if let Some(output) = &mut self.output {
            output.text.push_str(text);
        }
        Ok(Value::Undef)
    }

    /// `<%= … %>`
    pub(crate) fn eval_render(&mut self, id: ExprId) -> Eval {
        let value = self.eval(id)?;
        let (value, is_sensitive) = match value {
            Value::Sensitive(inner) => (Value::clone(&inner), true),
            other => (other, false),
        };
        let text = interpolate(&value);
        self.charge_bytes(id, text.len())?;
        if let Some(output) = &mut self.output {
            output.text.push_str(&text);
            output.is_sensitive |= is_sensitive;
        }
        Ok(Value::Undef)
    }
}

/// Returns the name of a variable that the caller of a template gives.
fn parameter_name(key: &Value) -> Eval<&Arc<str>> {
    let message = match key {
        Value::String(name)
            if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !name.is_empty() =>
        {
            return Ok(name);
        }
        Value::String(name) => format!("The given EPP parameter name '{name}' is not a valid variable name"),
        other => {
            let ty = pp_types::generalize(&pp_types::infer(other));
            format!("template parameters are named by strings, got {ty}")
        }
    };
    Err(unlocated(Error::new(ErrorKind::Arguments, message)))
}
