//! Interpolation: what `%{…}` stands for (spec 07 §5.13, §10.4).

use std::sync::Arc;

use pp_types::{Error, Value, ruby_text, with_stack};

use crate::config::Config;
use crate::explain::Step;
use crate::key::Key;
use crate::problem::error;
use crate::session::Session;
use crate::template::{Method, Piece, parse};

/// Maximum depth of nested interpolations.
const MAX_INTERPOLATIONS: u32 = 1_000;

impl Session<'_, '_> {
    /// Interpolates the strings in a value, keys of hashes included.
    pub(crate) fn interpolate(&mut self, value: &Value) -> Result<Value, Error> {
        with_stack(|| match value {
            Value::String(text) if text.contains("%{") => self.interpolate_text(text),
            Value::Array(elements) => {
                let elements = elements.iter().map(|element| self.interpolate(element));
                Ok(Value::array(elements.collect::<Result<_, _>>()?))
            }
            Value::Hash(entries) => {
                let entries =
                    entries.iter().map(|(key, element)| Ok((self.interpolate(key)?, self.interpolate(element)?)));
                Ok(Value::hash(entries.collect::<Result<_, Error>>()?))
            }
            other => Ok(other.clone()),
        })
    }

    fn interpolate_text(&mut self, text: &Arc<str>) -> Result<Value, Error> {
        // What an interpolation gives may itself ask for an interpolation, without end.
        if self.interpolations >= MAX_INTERPOLATIONS {
            let message = format!("Interpolation of '{text}' is nested more than {MAX_INTERPOLATIONS} deep");
            return Err(error(message).help("the value of a key must not need the key itself"));
        }
        self.interpolations += 1;
        let result = self.explained_text(text);
        self.interpolations -= 1;
        result
    }

    fn explained_text(&mut self, text: &Arc<str>) -> Result<Value, Error> {
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::Interpolation(Arc::clone(text)));
        let result = self.interpolate_pieces(text);
        self.hiera.explainer.leave_to(depth);
        result
    }

    fn interpolate_pieces(&mut self, text: &str) -> Result<Value, Error> {
        let pieces = parse(text).map_err(|invalid| error(invalid.message(text)))?;
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Empty => {}
                Piece::Variable(key) => out.push_str(&text_of(self.variable(&key)?)),
                Piece::Call(Method::Literal, argument) => out.push_str(argument),
                Piece::Call(Method::Scope, argument) => {
                    let key = Key::parse(argument)
                        .map_err(|_| error(crate::template::TemplateError::Syntax.message(text)))?;
                    out.push_str(&text_of(self.variable(&key)?));
                }
                // What is found is interpolated once more.
                Piece::Call(Method::Lookup, key) => {
                    let found = self.lookup(key.trim(), None)?;
                    out.push_str(&text_of(found.map(|value| self.interpolate(&value)).transpose()?));
                }
                // It is the only piece.
                Piece::Call(Method::Alias, key) => {
                    return Ok(self.lookup(key.trim(), None)?.unwrap_or_else(|| Value::from("")));
                }
            }
        }
        Ok(Value::from(out))
    }

    /// Interpolates a string of a `hiera.yaml`, where only variables are allowed.
    pub(crate) fn interpolate_config(
        &mut self,
        config: &Config,
        line: Option<usize>,
        text: &str,
    ) -> Result<String, Error> {
        if !text.contains("%{") {
            return Ok(text.to_owned());
        }
        let mut out = String::new();
        for piece in parse(text).map_err(|invalid| config.error(&invalid.message(text), line))? {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Empty => {}
                Piece::Variable(key) => {
                    let value = self.plain_variable(&key).map_err(|error| config.error(&error.message, line))?;
                    out.push_str(&text_of(value));
                }
                Piece::Call(..) => {
                    let message = "Interpolation using method syntax is not allowed in this context";
                    let help = "in `hiera.yaml`, only variables can be interpolated";
                    return Err(config.error(message, line).help(help));
                }
            }
        }
        Ok(out)
    }

    /// Interpolates the strings in a value of a `hiera.yaml`.
    pub(crate) fn interpolate_option(
        &mut self,
        config: &Config,
        line: Option<usize>,
        value: &Value,
    ) -> Result<Value, Error> {
        match value {
            Value::String(text) => Ok(Value::from(self.interpolate_config(config, line, text)?)),
            Value::Array(elements) => {
                let elements = elements.iter().map(|element| self.interpolate_option(config, line, element));
                Ok(Value::array(elements.collect::<Result<_, _>>()?))
            }
            Value::Hash(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| Ok((key.clone(), self.interpolate_option(config, line, value)?)));
                Ok(Value::hash(entries.collect::<Result<_, Error>>()?))
            }
            other => Ok(other.clone()),
        }
    }

    /// Returns the value of a variable, or of a part of it.
    fn variable(&mut self, key: &Key) -> Result<Option<Value>, Error> {
        let depth = self.hiera.explainer.depth();
        self.hiera.explainer.enter(|| Step::Scope);
        let root = self.root_variable(key)?;
        let found = root.is_some();
        if let Some(value) = &root {
            self.hiera.explainer.note(|| Step::Found(Arc::clone(&key.root)), Some(value));
        }
        self.hiera.explainer.leave_to(depth);
        if !found { Ok(None) } else { self.dig(key, root) }
    }

    /// Returns the value of a variable without an explanation.
    pub(crate) fn plain_variable(&mut self, key: &Key) -> Result<Option<Value>, Error> {
        let mut value = self.root_variable(key)?;
        for segment in &key.path {
            let Some(found) = value else { return Ok(None) };
            value = segment.step(&found, &key.text)?;
        }
        Ok(value)
    }

    fn root_variable(&mut self, key: &Key) -> Result<Option<Value>, Error> {
        match &self.element {
            Some((name, value)) if *name == key.root => Ok(Some(value.clone())),
            _ => self.host.variable(&key.root),
        }
    }
}

/// Returns a value as text, as Ruby writes it; nothing for undef.
fn text_of(value: Option<Value>) -> String {
    value.filter(|value| *value != Value::Undef).map_or_else(String::new, |value| ruby_text(&value))
}
