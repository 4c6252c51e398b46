//! Words the errors of validation. The key words are Puppet's own (spec 07 §5.18).

use mcl_diagnostics::{Code, Diagnostic, FileId, Severity, Span, Stage};
use pp_ast::TextRange;

use crate::validate::ValidationOptions;
use crate::validate::error::{ValidationError, ValidationErrorKind};
use crate::validate::label::{with_article, with_capital_article};

impl ValidationError {
    /// Returns the diagnostic for the error.
    pub fn diagnostic(&self, file: FileId, options: ValidationOptions) -> Diagnostic {
        let span = |range: TextRange| Span::new(file, range.start, range.end);
        let mut diagnostic =
            Diagnostic::error(self.kind.code(), Stage::Puppet, self.kind.message()).at(span(self.range));
        if let ValidationErrorKind::DuplicateKey { .. } = self.kind {
            diagnostic.severity = options.duplicate_keys.unwrap_or(Severity::Warning);
        }
        if let ValidationErrorKind::FutureReservedWord { .. } = self.kind {
            diagnostic.severity = Severity::Warning;
        }
        if let Some(related) = self.related {
            diagnostic = diagnostic.label(span(related), "first here");
        }
        match self.kind.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

impl ValidationErrorKind {
    fn code(&self) -> Code {
        match self {
            ValidationErrorKind::NoEffect { .. }
            | ValidationErrorKind::TypeOfVariable { .. }
            | ValidationErrorKind::NoEffectAtEnd { .. } => Code::P0301,
            ValidationErrorKind::ResourceWithoutTitle { .. } => Code::P0302,
            ValidationErrorKind::NotAssignable { .. }
            | ValidationErrorKind::IndexedAssignment
            | ValidationErrorKind::NumericAssignment { .. }
            | ValidationErrorKind::AssignmentToOtherNamespace { .. }
            | ValidationErrorKind::AssignmentInDefault => Code::P0303,
            ValidationErrorKind::RemovedOperator { .. } => Code::P0304,
            ValidationErrorKind::VariableName { .. }
            | ValidationErrorKind::NumericVariableName { .. }
            | ValidationErrorKind::DefinitionName { .. }
            | ValidationErrorKind::ReservedTypeName { .. }
            | ValidationErrorKind::FutureReservedWord { .. }
            | ValidationErrorKind::ReservedWord { .. } => Code::P0305,
            ValidationErrorKind::ParameterName { .. }
            | ValidationErrorKind::NumericParameterName { .. }
            | ValidationErrorKind::BuiltInParameter { .. }
            | ValidationErrorKind::DuplicateParameter { .. }
            | ValidationErrorKind::CapturesRest { .. }
            | ValidationErrorKind::CapturesRestNotLast { .. } => Code::P0306,
            ValidationErrorKind::Misplaced
            | ValidationErrorKind::NotAtTopLevel { .. }
            | ValidationErrorKind::NotInModule { .. }
            | ValidationErrorKind::NameInFile { .. } => Code::P0307,
            ValidationErrorKind::NotAValue { .. } | ValidationErrorKind::UnacceptableAs { .. } => Code::P0308,
            ValidationErrorKind::NotInQuery { .. } => Code::P0309,
            ValidationErrorKind::IllegalAppend { .. } | ValidationErrorKind::SeveralSplats => Code::P0310,
            ValidationErrorKind::VirtualClass | ValidationErrorKind::VirtualDefaults => Code::P0311,
            ValidationErrorKind::DuplicateKey { .. } | ValidationErrorKind::DuplicateDefault { .. } => Code::P0312,
            ValidationErrorKind::InterpolatedHostName
            | ValidationErrorKind::HostName { .. }
            | ValidationErrorKind::NodeInheritance => Code::P0313,
            ValidationErrorKind::HeredocContent { .. } => Code::P0314,
        }
    }

    fn message(&self) -> String {
        match self {
            ValidationErrorKind::NoEffect { what } | ValidationErrorKind::TypeOfVariable { what } => format!(
                "This {what} has no effect. A value was produced and then forgotten (one or more preceding expressions may have \
                 the wrong form)"
            ),
            ValidationErrorKind::NoEffectAtEnd { what, container } => format!(
                "This {what} has no effect. {} can not end with a value-producing expression without other effect",
                with_capital_article(container)
            ),
            ValidationErrorKind::ResourceWithoutTitle { name } => {
                format!("This expression is invalid. Did you try declaring a '{name}' resource without a title?")
            }
            ValidationErrorKind::NotAssignable { what } => {
                format!("Illegal attempt to assign to '{what}'. Not an assignable reference")
            }
            ValidationErrorKind::IndexedAssignment => {
                "Illegal attempt to assign via [index/key]. Not an assignable reference".to_owned()
            }
            ValidationErrorKind::NumericAssignment { name } => format!(
                "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
            ),
            ValidationErrorKind::AssignmentToOtherNamespace { name } => {
                format!("Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces")
            }
            ValidationErrorKind::AssignmentInDefault => "Assignment not allowed here".to_owned(),
            ValidationErrorKind::RemovedOperator { operator } => format!(
                "The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
            ),
            ValidationErrorKind::VariableName { name } => format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming rule \
                 /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            ),
            ValidationErrorKind::NumericVariableName { name } => format!(
                "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9"
            ),
            ValidationErrorKind::ParameterName { name } => format!(
                "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
            ),
            ValidationErrorKind::NumericParameterName { name } => format!(
                "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)"
            ),
            ValidationErrorKind::DefinitionName { name, what } => {
                format!("Unacceptable name. The name '{name}' is unacceptable as the name of {}", with_article(what))
            }
            ValidationErrorKind::ReservedTypeName { name, what } => format!(
                "The name: '{name}' is already defined by Puppet and can not be used as the name of {}.",
                with_article(what)
            ),
            ValidationErrorKind::BuiltInParameter { name, what } => {
                format!("The parameter ${name} redefines a built in parameter in the {what}")
            }
            ValidationErrorKind::DuplicateParameter { name } => {
                format!("The parameter '{name}' is declared more than once in the parameter list")
            }
            ValidationErrorKind::CapturesRest { name, what } => {
                format!("Parameter ${name} has 'captures rest' - not supported in {}", with_article(what))
            }
            ValidationErrorKind::CapturesRestNotLast { name } => {
                format!("Parameter ${name} is not last, and has 'captures rest'")
            }
            ValidationErrorKind::FutureReservedWord { word } => format!("Use of future reserved word: '{word}'"),
            ValidationErrorKind::ReservedWord { word } => {
                format!("Use of reserved word: {word}, must be quoted if intended to be a String value")
            }
            ValidationErrorKind::Misplaced => {
                "Classes, definitions, and nodes may only appear at toplevel or inside other classes".to_owned()
            }
            ValidationErrorKind::NotAtTopLevel { what } => {
                format!("{} may only appear at toplevel", with_capital_article(what))
            }
            ValidationErrorKind::NotInModule { what } => {
                format!("This {what} is unacceptable as a top level construct in this location")
            }
            ValidationErrorKind::NameInFile { name, path } => {
                format!("Unacceptable location. The name '{name}' is unacceptable in file '{path}'")
            }
            ValidationErrorKind::NotAValue { what } => {
                format!("Invalid use of expression. {} does not produce a value", with_capital_article(what))
            }
            ValidationErrorKind::UnacceptableAs { what, role } => {
                format!("Illegal expression. {} is unacceptable as {role}", with_capital_article(what))
            }
            ValidationErrorKind::NotInQuery { what } => {
                format!("Illegal query expression. {} cannot be used in a query", with_capital_article(what))
            }
            ValidationErrorKind::IllegalAppend { attribute, place } => format!(
                "Illegal +> operation on attribute {attribute}. This operator can not be used in {}",
                with_article(place)
            ),
            ValidationErrorKind::SeveralSplats => {
                "Unfolding of attributes from Hash can only be used once per resource body".to_owned()
            }
            ValidationErrorKind::VirtualClass => "Classes are not virtualizable".to_owned(),
            ValidationErrorKind::VirtualDefaults => "Resource Defaults are not virtualizable".to_owned(),
            ValidationErrorKind::DuplicateKey { key } => format!("The key '{key}' is declared more than once"),
            ValidationErrorKind::DuplicateDefault { what } => {
                format!("This {what} already has a 'default' entry - this is a duplicate")
            }
            ValidationErrorKind::InterpolatedHostName => {
                "An interpolated expression is not allowed in a hostname of a node".to_owned()
            }
            ValidationErrorKind::HostName { name } => format!(
                "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)"
            ),
            ValidationErrorKind::NodeInheritance => "Node inheritance is not supported in Puppet >= 4.0.0. See \
                 http://links.puppet.com/puppet-node-inheritance-deprecation"
                .to_owned(),
            ValidationErrorKind::HeredocContent { syntax, checker, error } => {
                format!("Invalid produced text having syntax: '{syntax}'. {checker} syntax checker: \"{error}\"")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            ValidationErrorKind::NoEffect { what } if what == "Regular Expression" => {
                "use the value, or remove it; a comment starts with `#`"
            }
            ValidationErrorKind::NoEffect { .. } => {
                "use the value, or remove it; a function other than `include`, `notice` and the like needs parentheses"
            }
            ValidationErrorKind::TypeOfVariable { .. } => {
                "only parameters have declared types; check a value with `assert_type(Integer, $value)`"
            }
            ValidationErrorKind::NoEffectAtEnd { .. } => "remove the value; only functions and lambdas return one",
            ValidationErrorKind::ResourceWithoutTitle { name } => {
                return Some(format!("a title comes first: `{name} {{ 'title': … }}`"));
            }
            ValidationErrorKind::NotAssignable { what } if what == "a Name" => "the name of a variable starts with `$`",
            ValidationErrorKind::NotAssignable { .. } => "only variables, and lists of variables, can be assigned to",
            ValidationErrorKind::IndexedAssignment => {
                "values cannot be changed; assign a new one, such as `$b = $a + { 'key' => 'value' }`"
            }
            ValidationErrorKind::NumericAssignment { .. } => "numbers name the groups of the last match",
            ValidationErrorKind::AssignmentToOtherNamespace { .. } => {
                "assign the variable in the class that its name starts with"
            }
            ValidationErrorKind::AssignmentInDefault => "a default value cannot assign variables",
            ValidationErrorKind::RemovedOperator { operator: "-=" } => {
                "assign the difference to another variable: `$b = $a - …`"
            }
            ValidationErrorKind::RemovedOperator { .. } => "assign the sum to another variable: `$b = $a + …`",
            ValidationErrorKind::VariableName { .. } => {
                "names start with a lower-case letter or `_`, and consist of letters, digits and `_`"
            }
            ValidationErrorKind::NumericVariableName { .. } => "`$1`, `$2`, … are the groups of the last match",
            ValidationErrorKind::ParameterName { .. } | ValidationErrorKind::NumericParameterName { .. } => {
                "parameters start with a lower-case letter or `_`, and consist of letters, digits and `_`"
            }
            ValidationErrorKind::DefinitionName { .. } => {
                "names start with a lower-case letter, and consist of letters, digits and `_`, with `::` between parts"
            }
            ValidationErrorKind::ReservedTypeName { .. }
            | ValidationErrorKind::FutureReservedWord { .. }
            | ValidationErrorKind::BuiltInParameter { .. } => "choose another name",
            ValidationErrorKind::DuplicateParameter { .. } => "remove or rename one of them",
            ValidationErrorKind::CapturesRest { .. } => "only functions and lambdas can have such a parameter",
            ValidationErrorKind::CapturesRestNotLast { .. } => {
                "such a parameter takes all further arguments: put it last"
            }
            ValidationErrorKind::ReservedWord { word } => return Some(format!("write `'{word}'` for the string")),
            ValidationErrorKind::Misplaced | ValidationErrorKind::NotAtTopLevel { .. } => {
                "move the definition out of the block around it"
            }
            ValidationErrorKind::NotInModule { .. } => {
                "a file of a module contains only definitions: move it to a class"
            }
            ValidationErrorKind::NameInFile { .. } => "move the definition to the file of its name, or rename it",
            ValidationErrorKind::NotAValue { .. } => "a collector stands on its own, or beside an arrow",
            ValidationErrorKind::UnacceptableAs { role: "type name in a Virtual Query", .. } => {
                "a collector starts with a capitalized type: `File <| … |>`"
            }
            ValidationErrorKind::UnacceptableAs { .. } => return None,
            ValidationErrorKind::NotInQuery { .. } => {
                "a query consists of `attribute == value` and `attribute != value`, joined by `and` and `or`"
            }
            ValidationErrorKind::IllegalAppend { .. } => "`+>` adds to a value in overrides and collectors; write `=>`",
            ValidationErrorKind::SeveralSplats => "join the hashes: `* => $a + $b`",
            ValidationErrorKind::VirtualClass => "declare a class with `include`",
            ValidationErrorKind::VirtualDefaults => "remove the `@`",
            ValidationErrorKind::DuplicateKey { .. } => "the last value wins",
            ValidationErrorKind::DuplicateDefault { .. } => "remove one of them",
            ValidationErrorKind::InterpolatedHostName => "write the name, or a regular expression: `node /…/ { }`",
            ValidationErrorKind::HostName { .. } => {
                "write the name of the host, or a regular expression: `node /…/ { }`"
            }
            ValidationErrorKind::NodeInheritance => "move what nodes share to a class, and `include` it",
            ValidationErrorKind::HeredocContent { .. } => "correct the text, or remove the syntax from the tag",
        };
        Some(help.to_owned())
    }
}
