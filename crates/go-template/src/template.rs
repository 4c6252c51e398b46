//! Templates.

use crate::data::Data;
use crate::error::{ExecuteError, ParseError};
use crate::execute::execute;
use crate::functions::{Functions, Limits};
use crate::tree::Templates;
use crate::{builtins, parser};

/// A parsed template.
pub struct Template<'a> {
    text: &'a [u8],
    templates: Templates,
}

impl<'a> Template<'a> {
    /// Parses a template. All functions that it calls must exist, as in Go.
    ///
    /// # Errors
    /// The syntax is invalid, or a function or variable does not exist.
    pub fn parse(text: &'a [u8], functions: &impl Functions) -> Result<Template<'a>, ParseError> {
        let is_function = |name: &str| builtins::arity(name).is_some() || functions.parameters(name).is_some();
        Ok(Template { text, templates: parser::parse(text, &is_function)? })
    }

    /// Executes the template with data.
    ///
    /// # Errors
    /// The data do not match the template, a function fails, or a limit is exceeded.
    pub fn execute<F: Functions>(
        &self,
        data: Data,
        functions: &F,
        limits: Limits,
    ) -> Result<Vec<u8>, ExecuteError<F::Error>> {
        execute(self.text, &self.templates, data, functions, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::GoType;

    /// `half` returns half of an even number, and fails for odd ones.
    struct Half;

    impl Functions for Half {
        type Error = String;

        fn parameters(&self, name: &str) -> Option<&[GoType]> {
            (name == "half").then_some(&[GoType::Int64])
        }

        fn call(&self, _: &str, args: &[Data]) -> Result<Data, String> {
            match args {
                [Data::Int(n)] if n % 2 == 0 => Ok(Data::Int(n / 2)),
                _ => Err("odd".to_owned()),
            }
        }
    }

    fn execute(text: &str, limits: Limits) -> Result<String, ExecuteError<String>> {
        let template = Template::parse(text.as_bytes(), &Half).expect("the template is valid");
        template.execute(Data::Nil, &Half, limits).map(|output| String::from_utf8(output).expect("UTF-8"))
    }

    const LIMITS: Limits = Limits { steps: 100, output: 100 };

    #[test]
    fn templates_call_the_functions_of_the_caller() {
        assert_eq!(execute("{{ half 84 }}", LIMITS).as_deref(), Ok("42"));
        let error = Template::parse(b"{{ third 1 }}", &Half).map(drop).unwrap_err();
        assert_eq!(error.to_string(), r#"template:1: function "third" not defined"#);
    }

    #[test]
    fn the_error_of_a_function_is_the_cause() {
        let error = execute("{{ half 1 }}", LIMITS).unwrap_err();
        let message =
            "template:1:3: executing \"template\" at <half 1>: error calling half: function `half` errored: odd";
        assert_eq!((error.to_string().as_str(), error.cause.as_deref()), (message, Some("odd")));
        assert_eq!(execute("{{ half `x` }}", LIMITS).unwrap_err().cause, None);
    }

    #[test]
    fn executions_that_exceed_a_limit_are_errors() {
        let message = |text: &str| execute(text, LIMITS).unwrap_err().to_string();
        assert_eq!(
            message("{{ range 40 }}abc{{ end }}"),
            "template:1:9: executing \"template\" at <40>: output exceeds the limit of 100 bytes"
        );
        assert_eq!(
            message("{{ range 1000 }}{{ end }}"),
            "template:1:9: executing \"template\" at <1000>: too many steps"
        );
    }
}
