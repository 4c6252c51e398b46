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
            Self::NoEffect { .. } | Self::TypeOfVariable { .. } | Self::NoEffectAtEnd { .. } => Code::P0301,
            Self::ResourceWithoutTitle { .. } => Code::P0302,
            Self::NotAssignable { .. }
            | Self::IndexedAssignment
            | Self::NumericAssignment { .. }
            | Self::AssignmentToOtherNamespace { .. }
            | Self::AssignmentInDefault => Code::P0303,
            Self::RemovedOperator { .. } => Code::P0304,
            Self::VariableName { .. }
            | Self::NumericVariableName { .. }
            | Self::DefinitionName { .. }
            | Self::ReservedTypeName { .. }
            | Self::FutureReservedWord { .. }
            | Self::ReservedWord { .. } => Code::P0305,
            Self::ParameterName { .. }
            | Self::NumericParameterName { .. }
            | Self::BuiltInParameter { .. }
            | Self::DuplicateParameter { .. }
            | Self::CapturesRest { .. }
            | Self::CapturesRestNotLast { .. } => Code::P0306,
            Self::Misplaced | Self::NotAtTopLevel { .. } | Self::NotInModule { .. } | Self::NameInFile { .. } => {
                Code::P0307
            }
            Self::NotAValue { .. } | Self::UnacceptableAs { .. } => Code::P0308,
            Self::NotInQuery { .. } => Code::P0309,
            Self::IllegalAppend { .. } | Self::SeveralSplats => Code::P0310,
            Self::VirtualClass | Self::VirtualDefaults => Code::P0311,
            Self::DuplicateKey { .. } | Self::DuplicateDefault { .. } => Code::P0312,
            Self::InterpolatedHostName | Self::HostName { .. } | Self::NodeInheritance => Code::P0313,
            Self::HeredocContent { .. } => Code::P0314,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::NoEffect { what, .. } | Self::TypeOfVariable { what } => format!(
                "This {what} has no effect. A value was produced and then forgotten (one or more preceding expressions may have \
                 the wrong form)"
            ),
            Self::NoEffectAtEnd { what, container } => format!(
                "This {what} has no effect. {} can not end with a value-producing expression without other effect",
                with_capital_article(container)
            ),
            Self::ResourceWithoutTitle { name } => {
                format!("This expression is invalid. Did you try declaring a '{name}' resource without a title?")
            }
            Self::NotAssignable { what, .. } => {
                format!("Illegal attempt to assign to '{what}'. Not an assignable reference")
            }
            Self::IndexedAssignment => {
                "Illegal attempt to assign via [index/key]. Not an assignable reference".to_owned()
            }
            Self::NumericAssignment { name } => format!(
                "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
            ),
            Self::AssignmentToOtherNamespace { name } => {
                format!("Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces")
            }
            Self::AssignmentInDefault => "Assignment not allowed here".to_owned(),
            Self::RemovedOperator { operator } => format!(
                "The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
            ),
            Self::VariableName { name } => format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming rule \
                 /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            ),
            Self::NumericVariableName { name } => format!(
                "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9"
            ),
            Self::ParameterName { name } => format!(
                "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
            ),
            Self::NumericParameterName { name } => format!(
                "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)"
            ),
            Self::DefinitionName { name, what } => {
                format!("Unacceptable name. The name '{name}' is unacceptable as the name of {}", with_article(what))
            }
            Self::ReservedTypeName { name, what } => format!(
                "The name: '{name}' is already defined by Puppet and can not be used as the name of {}.",
                with_article(what)
            ),
            Self::BuiltInParameter { name, what } => {
                format!("The parameter ${name} redefines a built in parameter in the {what}")
            }
            Self::DuplicateParameter { name } => {
                format!("The parameter '{name}' is declared more than once in the parameter list")
            }
            Self::CapturesRest { name, what } => {
                format!("Parameter ${name} has 'captures rest' - not supported in {}", with_article(what))
            }
            Self::CapturesRestNotLast { name } => {
                format!("Parameter ${name} is not last, and has 'captures rest'")
            }
            Self::FutureReservedWord { word } => format!("Use of future reserved word: '{word}'"),
            Self::ReservedWord { word } => {
                format!("Use of reserved word: {word}, must be quoted if intended to be a String value")
            }
            Self::Misplaced => {
                "Classes, definitions, and nodes may only appear at toplevel or inside other classes".to_owned()
            }
            Self::NotAtTopLevel { what } => {
                format!("{} may only appear at toplevel", with_capital_article(what))
            }
            Self::NotInModule { what } => {
                format!("This {what} is unacceptable as a top level construct in this location")
            }
            Self::NameInFile { name, path } => {
                format!("Unacceptable location. The name '{name}' is unacceptable in file '{path}'")
            }
            Self::NotAValue { what } => {
                format!("Invalid use of expression. {} does not produce a value", with_capital_article(what))
            }
            Self::UnacceptableAs { what, role } => {
                format!("Illegal expression. {} is unacceptable as {role}", with_capital_article(what))
            }
            Self::NotInQuery { what } => {
                format!("Illegal query expression. {} cannot be used in a query", with_capital_article(what))
            }
            Self::IllegalAppend { attribute, place } => format!(
                "Illegal +> operation on attribute {attribute}. This operator can not be used in {}",
                with_article(place)
            ),
            Self::SeveralSplats => {
                "Unfolding of attributes from Hash can only be used once per resource body".to_owned()
            }
            Self::VirtualClass => "Classes are not virtualizable".to_owned(),
            Self::VirtualDefaults => "Resource Defaults are not virtualizable".to_owned(),
            Self::DuplicateKey { key } => format!("The key '{key}' is declared more than once"),
            Self::DuplicateDefault { what } => {
                format!("This {what} already has a 'default' entry - this is a duplicate")
            }
            Self::InterpolatedHostName => {
                "An interpolated expression is not allowed in a hostname of a node".to_owned()
            }
            Self::HostName { name } => format!(
                "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)"
            ),
            Self::NodeInheritance => "Node inheritance is not supported in Puppet >= 4.0.0. See \
                 http://links.puppet.com/puppet-node-inheritance-deprecation"
                .to_owned(),
            Self::HeredocContent { syntax, checker, error } => {
                format!("Invalid produced text having syntax: '{syntax}'. {checker} syntax checker: \"{error}\"")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoEffect { is_regexp: true, .. } => "use the value, or remove it; a comment starts with `#`",
            Self::NoEffect { .. } => {
                "use the value, or remove it; a function other than `include`, `notice` and the like needs parentheses"
            }
            Self::TypeOfVariable { .. } => {
                "only parameters have declared types; check a value with `assert_type(Integer, $value)`"
            }
            Self::NoEffectAtEnd { .. } => "remove the value; only functions and lambdas return one",
            Self::ResourceWithoutTitle { name } => {
                return Some(format!("a title comes first: `{name} {{ 'title': … }}`"));
            }
            Self::NotAssignable { is_name: true, .. } => "the name of a variable starts with `$`",
            Self::NotAssignable { .. } => "only variables, and lists of variables, can be assigned to",
            Self::IndexedAssignment => {
                "values cannot be changed; assign a new one, such as `$b = $a + { 'key' => 'value' }`"
            }
            Self::NumericAssignment { .. } => "numbers name the groups of the last match",
            Self::AssignmentToOtherNamespace { .. } => "assign the variable in the class that its name starts with",
            Self::AssignmentInDefault => "a default value cannot assign variables",
            Self::RemovedOperator { operator: "-=" } => "assign the difference to another variable: `$b = $a - …`",
            Self::RemovedOperator { .. } => "assign the sum to another variable: `$b = $a + …`",
            Self::VariableName { .. } => {
                "names start with a lower-case letter or `_`, and consist of letters, digits and `_`"
            }
            Self::NumericVariableName { .. } => "`$1`, `$2`, … are the groups of the last match",
            Self::ParameterName { .. } | Self::NumericParameterName { .. } => {
                "parameters start with a lower-case letter or `_`, and consist of letters, digits and `_`"
            }
            Self::DefinitionName { .. } => {
                "names start with a lower-case letter, and consist of letters, digits and `_`, with `::` between parts"
            }
            Self::ReservedTypeName { .. } | Self::FutureReservedWord { .. } | Self::BuiltInParameter { .. } => {
                "choose another name"
            }
            Self::DuplicateParameter { .. } => "remove or rename one of them",
            Self::CapturesRest { .. } => "only functions and lambdas can have such a parameter",
            Self::CapturesRestNotLast { .. } => "such a parameter takes all further arguments: put it last",
            Self::ReservedWord { word } => return Some(format!("write `'{word}'` for the string")),
            Self::Misplaced | Self::NotAtTopLevel { .. } => "move the definition out of the block around it",
            Self::NotInModule { .. } => "a file of a module contains only definitions: move it to a class",
            Self::NameInFile { .. } => "move the definition to the file of its name, or rename it",
            Self::NotAValue { .. } => "a collector is a statement, or an operand of an arrow",
            Self::UnacceptableAs { role: "type name in a Virtual Query", .. } => {
                "a collector starts with a capitalized type: `File <| … |>`"
            }
            Self::UnacceptableAs { .. } => return None,
            Self::NotInQuery { .. } => {
                "a query consists of `attribute == value` and `attribute != value`, joined by `and` and `or`"
            }
            Self::IllegalAppend { .. } => "`+>` adds to a value in overrides and collectors; write `=>`",
            Self::SeveralSplats => "join the hashes: `* => $a + $b`",
            Self::VirtualClass => "declare a class with `include`",
            Self::VirtualDefaults => "remove the `@`",
            Self::DuplicateKey { .. } => "the last value wins",
            Self::DuplicateDefault { .. } => "remove one of them",
            Self::InterpolatedHostName => "write the name, or a regular expression: `node /…/ { }`",
            Self::HostName { .. } => "write the name of the host, or a regular expression: `node /…/ { }`",
            Self::NodeInheritance => "move what nodes share to a class, and `include` it",
            Self::HeredocContent { .. } => "correct the text, or remove the syntax from the tag",
        };
        Some(help.to_owned())
    }
}
