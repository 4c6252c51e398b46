//! Templates in the Puppet language (spec 07 §5.12, §10.5).

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{FileId, SourceFile};
use pp_ast::{Expr, ExprId, ParameterList, Tree};
use pp_functions::{FileKind, Template};
use pp_types::{Error, ErrorKind, Hash, Value, describe_mismatch, interpolate, is_instance};

use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::frame::{Output, ParameterTypes};
use crate::scope::{Local, TOP};
use crate::stop::{Eval, Fault, Stop, illegal_jump, unlocated};

impl<'e> Evaluator<'e> {
    /// Renders a template.
    pub(crate) fn render_template(&mut self, template: Template<'_>, parameters: Option<&Hash>) -> Eval {
        let (tree, frame) = match template {
            Template::Text(text) => {
                let tree = self.template_tree("inlined-epp-text".into(), text)?;
                let local = Local::block(self.frame.local.clone());
                (tree, Frame { tree, scope: self.frame.scope, local: Some(local) })
            }
            Template::Named(name) => {
                let (path, text) = self.template_file(name)?;
                let tree = self.template_tree(path, &text)?;
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
            Err(Stop::Jump(jump)) => return Err(illegal_jump(&jump)),
            other => other?,
        };
        let text = Value::string(output.text);
        Ok(if output.is_sensitive { Value::Sensitive(Arc::new(text)) } else { text })
    }

    fn bind_template(&mut self, declared: Option<ParameterList>, given: Option<&Hash>) -> Eval<()> {
        let Some(local) = self.frame.local.clone() else { return Ok(()) };
        let tree = self.frame.tree;
        let list = declared.unwrap_or_default();
        let types = self.parameter_types(list, None)?;
        if let Some(given) = given {
            self.bind_given(&local, declared, &types, given)?;
        }
        for (at, parameter) in tree.parameters(list).iter().enumerate() {
            let name = tree.str(parameter.name);
            if local.get_own(name).is_some() {
                continue;
            }
            let Some(default) = parameter.default else {
                let message = format!("lambda: expects a value for parameter '{name}'");
                return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
            };
            let value = self.eval_default("lambda", &tree.parameters(list)[at..], default)?;
            if !is_instance(&types.types[at], &value) {
                let text = describe_mismatch(&format!("parameter '{name}'"), &types.types[at], &value);
                return Err(unlocated(Error::new(ErrorKind::Mismatch, format!("lambda: {text}"))));
            }
            local.set(name, value);
        }
        Ok(())
    }

    /// Sets the variables that the caller gives.
    fn bind_given(
        &mut self,
        local: &Rc<Local>,
        declared: Option<ParameterList>,
        types: &ParameterTypes,
        given: &Hash,
    ) -> Eval<()> {
        let tree = self.frame.tree;
        let parameters = declared.map(|list| tree.parameters(list));
        for (key, value) in given {
            let Value::String(name) = key else {
                let ty = pp_types::generalize(&pp_types::infer(key));
                let message = format!("template parameters are named by strings, got {ty}");
                return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
            };
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !is_name {
                let message = format!("The given EPP parameter name '{name}' is not a valid variable name");
                return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
            }
            if let Some(parameters) = parameters {
                let Some(at) = parameters.iter().position(|parameter| tree.str(parameter.name) == name) else {
                    let message = format!("lambda: has no parameter named '{name}'");
                    return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
                };
                if !is_instance(&types.types[at], value) {
                    let text = describe_mismatch(&format!("parameter '{name}'"), &types.types[at], value);
                    return Err(unlocated(Error::new(ErrorKind::Mismatch, format!("lambda: {text}"))));
                }
            }
            local.set(name, value.clone());
        }
        Ok(())
    }

    fn template_file(&mut self, name: &str) -> Eval<(Arc<str>, Arc<str>)> {
        let not_found = || unlocated(Error::new(ErrorKind::Evaluation, format!("Could not find template '{name}'")));
        let path = self.find_in_module(FileKind::Templates, name).or_else(|| match name.ends_with(".epp") {
            true => None,
            false => self.find_in_module(FileKind::Templates, &format!("{name}.epp")),
        });
        let path = path.ok_or_else(not_found)?;
        let bytes = self.services.read_file(&path).map_err(unlocated)?;
        let text = String::from_utf8_lossy(&bytes);
        self.spend(0, text.len() as u64).map_err(unlocated)?;
        Ok((path, text.into()))
    }

    /// Returns the tree of a template. Equal texts are parsed once.
    fn template_tree(&mut self, name: Arc<str>, text: &str) -> Eval<&'e Tree> {
        if let Some(known) = self.template_trees.get(text) {
            return Ok(known);
        }
        let index = self.environment.files.files.len() + self.templates.len();
        let file = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        self.templates.push(SourceFile::new(name, text));
        self.spend(1, text.len() as u64).map_err(unlocated)?;
        let tree = self.services.parse_epp(file, text).map_err(|diagnostics| {
            let first = diagnostics.into_iter().next();
            let (message, span) = first.map_or_else(Default::default, |first| (first.message, first.span));
            let error = Error::new(ErrorKind::Evaluation, format!("Invalid EPP: {message}"));
            Stop::Fault(Box::new(Fault::new(error, span)))
        })?;
        let tree = self.trees.add(self.templates.len() - 1, tree);
        let tree = tree.ok_or_else(|| unlocated(Error::new(ErrorKind::Limit, "too many different templates")))?;
        self.template_trees.insert(text.into(), tree);
        Ok(tree)
    }

    /// Finds a file of a module, or one with an absolute path.
    pub(crate) fn find_in_module(&self, kind: FileKind, name: &str) -> Option<Arc<str>> {
        if name.starts_with('/') {
            return self.services.find_file(kind, None, name);
        }
        let (module, path) = name.split_once('/')?;
        self.services.find_file(kind, Some(module), path)
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
