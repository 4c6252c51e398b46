//! The words of syntax errors: the only place with their messages, labels and help.

mod expected;
mod fixes;
mod habit;
mod words;

use mcl_diagnostics::{Diagnostic, Stage};

use crate::ast::MAX_DEPTH;
use crate::bracket::BracketContext;
use crate::error::{
    BareWordError, BindingError, BracketError, EntryError, ExpressionError, Found, FunctionError, HeadError, LoopError,
    NameError, NameRole, Nested, StatementError, SyntaxError, SyntaxErrorKind, TypeError, foreign_type,
};
use crate::message::expected::{describe, or_end_of, text};
use crate::message::habit::habit;
use crate::message::words::{Words, message};

impl From<SyntaxError> for Diagnostic {
    fn from(error: SyntaxError) -> Diagnostic {
        let SyntaxError { kind, span } = error;
        let words = words(&kind);
        let diagnostic = Diagnostic::error(kind.code(), Stage::Parse, words.message);
        let diagnostic = match &kind {
            SyntaxErrorKind::Bracket(BracketError::Unclosed { opener, closed_by }) => {
                let closer = opener.closer().map_or("}", text);
                diagnostic.at_with(span, "opened here").label(*closed_by, format!("expected `{closer}` by here"))
            }
            SyntaxErrorKind::Bracket(BracketError::Unmatched { .. }) => {
                diagnostic.at_with(span, "no bracket is open here")
            }
            SyntaxErrorKind::Bracket(BracketError::Mismatched { opener, .. }) => {
                diagnostic.at_with(span, "does not match the open bracket").label(*opener, "opened here")
            }
            SyntaxErrorKind::MissingComma(_) => diagnostic.at_with(span, "expected `,` after this"),
            SyntaxErrorKind::Type(TypeError::DuplicateField { first, .. }) => {
                diagnostic.at_with(span, "duplicate field").label(*first, "first given here")
            }
            SyntaxErrorKind::ExpectedOperator { operand, .. } => {
                diagnostic.at(span).label(*operand, "the expression may end here")
            }
            SyntaxErrorKind::Habit(error) => diagnostic.at(span).covering(error.covers),
            _ => diagnostic.at(span),
        };
        let diagnostic = diagnostic.fixes(fixes::fixes(&kind, span));
        match words.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

fn words(kind: &SyntaxErrorKind) -> Words {
    match kind {
        SyntaxErrorKind::Bracket(error) => bracket(error),
        SyntaxErrorKind::Statement(error) => statement(error),
        SyntaxErrorKind::Name(error) => name(error),
        SyntaxErrorKind::Binding(error) => binding(error),
        SyntaxErrorKind::Head(error) => head(error),
        SyntaxErrorKind::Function(error) => function(error),
        SyntaxErrorKind::Expression(error) => expression(error),
        SyntaxErrorKind::BareWord(error) => bare_word(error),
        SyntaxErrorKind::Entry(error) => entry(error),
        SyntaxErrorKind::Type(error) => written_type(error),
        SyntaxErrorKind::Habit(error) => habit(&error.kind),
        SyntaxErrorKind::MissingComma(context) => missing_comma(*context),
        SyntaxErrorKind::TooDeep(nested) => too_deep(*nested),
        SyntaxErrorKind::ExpectedOperator { context, found, .. } => {
            let words = message(format!("expected an operator{}, found {found}", or_end_of(*context)));
            match context {
                Some(BracketContext::List) => words.help("the elements of a list are separated by commas"),
                Some(BracketContext::Arguments) => words.help("arguments are separated by commas"),
                _ => words,
            }
        }
        SyntaxErrorKind::Superfluous { found } => unexpected(found),
        SyntaxErrorKind::Expected { expected, found, incomplete } => {
            let words = match describe(*expected) {
                Some(expected) => message(format!("expected {expected}, found {found}")),
                None => unexpected(found),
            };
            if *incomplete { words.help("the statement is incomplete") } else { words }
        }
    }
}

fn unexpected(found: &Found) -> Words {
    let found = found.to_string();
    let noun = found.strip_prefix("the ").or(found.strip_prefix("a ")).unwrap_or(&found);
    message(format!("unexpected {noun}"))
}

fn too_deep(nested: Nested) -> Words {
    let what = match nested {
        Nested::Statement => "brackets",
        Nested::Expression => "expression",
        Nested::Type => "type",
    };
    message(format!("{what} nested more than {MAX_DEPTH} levels deep"))
        .help("bind inner parts to variables: `$part = …`")
}

fn missing_comma(context: BracketContext) -> Words {
    let what = match context {
        BracketContext::Entries => "entry",
        BracketContext::Arguments => "argument",
        BracketContext::Parameters => "parameter",
        BracketContext::Struct => "field",
        _ => "element",
    };
    let words = message(format!("missing `,` after this {what}"));
    if context == BracketContext::Entries {
        words.help("every entry of a resource ends with a comma, including the last one")
    } else {
        words
    }
}

fn bracket(error: &BracketError) -> Words {
    match error {
        BracketError::Unclosed { opener, .. } => message(format!("unclosed `{}`", text(*opener))),
        BracketError::Unmatched { closer } => message(format!("unmatched `{}`", text(*closer))),
        BracketError::Mismatched { expected, found, .. } => {
            message(format!("mismatched bracket: expected `{}`, found `{}`", text(*expected), text(*found)))
        }
    }
}

fn statement(error: &StatementError) -> Words {
    match error {
        StatementError::Misplaced(BracketContext::Entries) => message("statements are not allowed inside a resource")
            .help("close the resource with `}` before the next statement; an edge relates two resources: `Before => Svc[\"a\"],`"),
        StatementError::Misplaced(BracketContext::Body) => {
            message("statements are not allowed inside a function or branch")
                .help("the body is one expression; use parameters, or more functions, in place of variables")
        }
        StatementError::Misplaced(_) => message("statements are not allowed inside an expression"),
        StatementError::Expected { found, is_expression } => {
            let words = message(format!("expected a statement, found {found}"));
            if *is_expression {
                words.help("an expression alone is not a statement; bind it to a variable: `$name = …`")
            } else {
                words
            }
        }
        StatementError::UnmatchedElse => message("`else` without a matching `if`"),
        StatementError::ElseWithoutBrace => {
            message("missing `{` after `else`").help("a block is enclosed in braces: `else { … }`")
        }
        StatementError::ElseIf => message("`else if` is not supported")
            .help("put the second `if` inside the braces of `else`: `else { if … { … } else { … } }`"),
        StatementError::Semicolon => {
            message("expected a statement, found `;`").help("a statement ends with its line, without a semicolon")
        }
        StatementError::ForeignComment { opener } => {
            message(format!("invalid comment `{opener}`")).help("a comment starts with `#` and ends with its line")
        }
        StatementError::MisspelledKeyword { word, keyword } => {
            message(format!("unknown keyword `{word}`")).help(format!("did you mean `{keyword}`?"))
        }
        StatementError::MiscasedKeyword { keyword } => {
            message(format!("keywords are lower case: expected `{keyword}`"))
        }
        StatementError::MissingDollar { name } => message(format!("missing `$` before `{name}`"))
            .help(format!("a binding starts with a dollar sign: `${name} = …`")),
        StatementError::Call { name } => {
            // The functions of modules have dots in their names, and so have few classes.
            let include =
                if name.contains('.') { String::new() } else { format!("; a class is used by `include {name}`") };
            message("a call is not a statement")
                .help(format!("bind its result to a variable: `$result = {name}(…)`{include}"))
        }
        StatementError::Expression { reassigns: true } => {
            message("an expression is not a statement").help("a variable is defined once and never changes")
        }
        StatementError::Expression { reassigns: false } => {
            message("an expression is not a statement").help("bind it to a variable: `$name = …`")
        }
        StatementError::DottedResourceKind => {
            message("invalid `.` in the kind of a resource").help("the parts of a kind are joined by colons: `aws:ec2`")
        }
        StatementError::MissingResourceKind { name } => message(format!("missing kind of the resource `{name}`"))
            .help(format!("a resource starts with its kind: `file {name} {{ … }}`")),
        StatementError::MissingResourceName { kind } => message(format!("missing name of the `{kind}` resource"))
            .help(format!("the name precedes the brace: `{kind} \"name\" {{ … }}`")),
        StatementError::ExpectedResourceName { kind, found, .. } if found.to_string() == "`=>`" => {
            message(format!("unexpected field `{kind}` outside of a resource"))
                .help(format!("a variable is bound with `${kind} = …`; a class has parameters, `class name(${kind}) {{`"))
        }
        StatementError::ExpectedResourceName { kind, found, has_body } => {
            message(format!("expected the name of the `{kind}` resource, found {found}")).help(if *has_body {
                format!("a name is a string: `{kind} \"name\" {{ … }}`")
            } else {
                "a statement starts with a keyword, `$name =`, or the kind and the name of a resource".to_owned()
            })
        }
        StatementError::LoneWord { word } => message(format!("`{word}` alone is not a statement"))
            .help(format!("a resource is written `{word} \"name\" {{ … }}`")),
        StatementError::ExpectedEdgeName { kind, found } => {
            let lower = kind.to_ascii_lowercase();
            message(format!("expected `[` after `{kind}`, found {found}")).help(format!(
                "a resource is lower case, `{lower} \"name\" {{ … }}`; an edge names it in brackets, `{kind}[\"name\"] -> …`"
            ))
        }
        StatementError::MissingClassKeyword { name } => message(format!("missing keyword `class` before `{name}`"))
            .help(format!("parameters and statements follow it, so it looks like a class: `class {name}(…) {{`")),
        StatementError::MissingCondition => {
            message("missing condition after `if`").help("the condition precedes the brace: `if $name == \"x\" { … }`")
        }
    }
}

fn name(error: &NameError) -> Words {
    match error {
        NameError::ExpectedLowerCase { found, suggestion } => {
            message(format!("expected a lower-case name, found `{found}`")).help(format!("write `{suggestion}`"))
        }
        NameError::Keyword { keyword, role } => {
            let role = match role {
                NameRole::Variable => "variable name",
                NameRole::Field => "field name",
                NameRole::Other => "name",
            };
            message(format!("expected a {role}, found the keyword `{keyword}`")).help("choose another name")
        }
        NameError::ExpectedVariable { found } => {
            message(format!("expected a variable name after `$`, found {found}")).help("names start with a letter")
        }
        NameError::BracedVariable => message("expected a variable name after `$`, found `{`")
            .help("outside strings write `$name`; `${name}` is for strings"),
        NameError::BracesAfterVariable { name, past: Some(index) } => {
            message(format!("unexpected `{{` after `${name}`"))
                .help(format!("for an earlier value of it write `history(${name}, {index})`"))
        }
        NameError::BracesAfterVariable { name, past: None } => message(format!("unexpected `{{` after `${name}`"))
            .help(format!("a list or map is indexed with `${name}[…]`, a struct with `${name}->field`")),
        NameError::MiscasedBool { found } => message(format!("expected a value, found `{found}`"))
            .help(format!("write `{}`", found.to_ascii_lowercase())),
        NameError::SecondCapital => message("only the first letter of a name can be a capital")
            .help("an edge names the kind like this: `Http:server[\"x\"]`; with underscores `Http_server[\"x\"]`"),
    }
}

fn binding(error: &BindingError) -> Words {
    match error {
        BindingError::DoubleEquals { name } => message("expected `=`, found `==`")
            .help(format!("a comparison is not a statement; to define the variable write `${name} = …`")),
        BindingError::Rocket { name } => {
            message("expected `=`, found `=>`").help(format!("a binding is written `${name} = …`"))
        }
        BindingError::DottedName => message("cannot define a variable with a dot in its name")
            .help("dots come from imports and includes: `import \"module\" as name`, then use `$name.variable`"),
        BindingError::LoneVariable { name } => {
            message(format!("`${name}` alone is not a statement")).help(format!("define it: `${name} = …`"))
        }
        BindingError::MissingValue { name, head } => message(format!("missing value of `${name}`"))
            .help(format!("a variable has its value from the start: `{head} = …`")),
        BindingError::ExpectedEqualsOrType { name, found } => {
            message(format!("expected `=` or a type after `${name}`, found {found}"))
        }
    }
}

fn head(error: &HeadError) -> Words {
    match error {
        HeadError::Loop { keyed, error } => {
            let head = if *keyed { "forkv $key, $value in" } else { "for $index, $value in" };
            let words = match error {
                LoopError::OneVariable => message("expected two loop variables, found one"),
                LoopError::ThreeVariables => message("expected two loop variables, found more"),
                LoopError::TypedVariable => message("loop variables cannot have a type"),
                LoopError::Expected { found } => message(format!("expected `{head}`, found {found}")),
            };
            words.help(format!("write `{head} … {{ … }}`"))
        }
        HeadError::DottedClassName => message("invalid `.` in a class name")
            .help("a class inside another class is written `class outer:inner { … }`"),
        HeadError::ParameterWithoutParentheses { class, parameter } => {
            message("missing parentheses around the parameters of this class")
                .help(format!("write `class {class}(${parameter}) {{ … }}`"))
        }
        HeadError::IncludeWithColon { outer, inner } => {
            message("invalid `:` in the name of an included class").help(format!(
                "write `include {outer}.{inner}`, where `{outer}` is an alias: `include … as {outer}` or an import"
            ))
        }
        HeadError::QuotedInclude { class } => {
            message("expected a class name, found a string").help(format!("write `include {class}`"))
        }
        HeadError::StarAliasOfInclude => message("expected an alias, found `*`")
            .help("the names of an include cannot be spread; give it a name: `include class as name`"),
        HeadError::UnquotedImport { found, module, alias } => {
            message(format!("expected a string, found the name `{found}`")).help(match alias {
                Some(alias) => format!("write `import \"{module}\" as {alias}`"),
                None => format!("write `import \"{module}\"`"),
            })
        }
        HeadError::ExpectedModule { found } => message(format!("expected a module name in quotes, found {found}")),
        HeadError::DottedImportAlias => message("invalid `.` in the alias of an import"),
        HeadError::ImportOfExpression => {
            message("expected the name of a module, found an expression").help("the name of a module is a plain string")
        }
        HeadError::PanicWithoutParentheses => message("missing parentheses after `panic`").help("write `panic(\"…\")`"),
    }
}

fn function(error: &FunctionError) -> Words {
    match error {
        FunctionError::MissingName => message("missing function name after `func`")
            .help("write `func name($x) { … }`, or `$name = func($x) { … }`"),
        FunctionError::DottedName => message("invalid `.` in a function name"),
        FunctionError::SeveralResults => message("a function has one result")
            .help("several values are returned as a struct: `func f() struct{a int; b str} { … }`"),
        FunctionError::MissingParentheses { name } => {
            message(format!("missing parentheses after `func {name}`")).help(format!("write `func {name}() {{ … }}`"))
        }
        FunctionError::ParameterWithoutDollar { name } => {
            message(format!("missing `$` before the parameter `{name}`")).help(format!("write `${name}`"))
        }
        FunctionError::ParameterDefault => {
            message("a parameter cannot have a default value").help("pass the value in every call")
        }
        FunctionError::TypeBeforeParameter { ty, name } => {
            let (written, name) = (foreign_type(ty), name.as_deref().unwrap_or("name"));
            message(format!("expected a parameter name, found the type `{ty}`")).help(format!(
                "the type follows the name, and may be omitted: `{}`",
                format!("${name} {written}").trim_end()
            ))
        }
        FunctionError::SignBeforeResult { found } => message(format!("unexpected `{found}` before the result type"))
            .help("the result type follows the parameters directly: `func f($x int) str { … }`"),
        FunctionError::EmptyBody => message("empty function body").help("the body of a function is one expression"),
        FunctionError::VariableInBody => message("cannot define a variable inside a function")
            .help("the body of a function is one expression; use parameters, or more functions"),
    }
}

fn expression(error: &ExpressionError) -> Words {
    match error {
        ExpressionError::NegativeNumberAfterValue { number } => {
            message(format!("missing operator before the number `{number}`"))
                .help(format!("to subtract, write a space after the minus: `- {}`", number.trim_start_matches('-')))
        }
        ExpressionError::UnaryMinus => message("unary minus is not supported")
            .help("subtract from zero: `0 - …`; a negative number is written `-1`"),
        ExpressionError::ChainedComparison => {
            message("comparisons cannot be chained").help("join them with `and`, or use parentheses")
        }
        ExpressionError::ComparisonAfterDefault => {
            message("comparisons cannot be chained: the default of the field already contains one")
                .help("use parentheses: `($s->field <|> default) == …`")
        }
        ExpressionError::MisplacedElvis => message("`?:` is only allowed in the entries of a resource")
            .help("for a value write `if condition { … } else { … }`"),
        ExpressionError::SecondCondition => {
            message("an entry cannot have more than one condition").help("join the conditions with `and`")
        }
        ExpressionError::CallOfResult => message("cannot call the result of an expression")
            .help("bind it to a variable first: `$f = …`, then `$f(…)`"),
        ExpressionError::DotBeforeField => {
            message("expected `->`, found `.`").help("a field of a struct is accessed with `->`: `$struct->field`")
        }
        ExpressionError::VariableAsField => message("expected a field name after `->`, found `$`")
            .help("the name of a field is a plain word; a map takes any key: `$map[$key]`"),
        ExpressionError::NothingBetweenCommas => {
            message("missing element between two commas").help("remove one of the commas")
        }
        ExpressionError::NothingBeforeComma => message("missing element before `,`"),
        ExpressionError::TripleEquals => message("unknown operator `===`").help("equality is written `==`"),
        ExpressionError::SingleEquals => message("expected an operator, found `=`").help("equality is written `==`"),
        ExpressionError::BarBar => message("unknown operator `||`")
            .help("write `or` for the logical or, and `<|>` for a fallback when the left side fails"),
        ExpressionError::DotBetweenStrings => {
            message("expected an operator, found `.`").help("strings are joined with `+`")
        }
        ExpressionError::DotBeforeIndex { variable, index } => {
            message(format!("expected a name after `.`, found the number `{index}`"))
                .help(format!("the elements of a list are counted from 0: `${variable}[{index}]`"))
        }
        ExpressionError::MissingFraction { integer } => {
            message("missing digits after the decimal point").help(format!("write `{integer}.0`"))
        }
        ExpressionError::InvalidNumber { text } => message(format!("invalid number `{text}`"))
            .help("numbers are plain decimals such as `255` or `2500.0`, without exponent, prefix or unit"),
        ExpressionError::LeftArrow => message("unknown edge operator `<-`")
            .help("edges point to the right, and what comes first is on the left: `First[\"a\"] -> Second[\"b\"]`"),
        ExpressionError::ChainOfSendReceive => message("cannot chain edges that send a value")
            .help("write a statement for each pair: `A[\"x\"].out -> B[\"y\"].in`"),
        ExpressionError::MissingReceiveField => message("missing field in this edge half").help(
            "to send a value both halves name a field: `A[\"x\"].out -> B[\"y\"].in`; for order alone neither does",
        ),
        ExpressionError::SecondInBody => message("unexpected second expression in the body of a function or branch")
            .help(
                "a body is one expression: join the two with an operator, or move the first to a function of its own",
            ),
        ExpressionError::Semicolon => message("unexpected `;`").help(
            "a semicolon only separates the fields of a struct type; statements end with their line, elements are \
             separated by commas",
        ),
        ExpressionError::Panic => {
            message("expected an expression, found the keyword `panic`").help("`panic` is a statement")
        }
        ExpressionError::Loop { keyword } => message(format!("expected an expression, found the keyword `{keyword}`"))
            .help("a loop is a statement; for values use `iter.map` of the module \"iter\""),
    }
}

fn bare_word(error: &BareWordError) -> Words {
    match error {
        BareWordError::Return => message("`return` is not supported")
            .help("the body of a function is one expression, and that is its result"),
        BareWordError::Null { word, in_entry: true } => message(format!("unexpected bare word `{word}`"))
            .help("there is no null; leave the field out, or use `cond ?: value`"),
        BareWordError::Null { word, in_entry: false } => message(format!("unexpected bare word `{word}`")).help(
            "there is no null; an empty value is `\"\"` or `[]`, and `<|>` replaces a value that is missing: \
             `$map[\"key\"] <|> \"default\"`",
        ),
        BareWordError::LowerCaseEdge { word } => {
            let mut kind = word.clone();
            if let Some(first) = kind.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            message(format!("expected a capitalized kind in an edge, found `{word}`"))
                .help(format!("write `{kind}[…]`"))
        }
        BareWordError::Value { word, ensure_of: Some(kind) } => message(format!("unexpected bare word `{word}`"))
            .help(format!("Puppet's `ensure` is `state`, with a value in quotes; `mclc doc {kind}` lists the values")),
        BareWordError::Value { word, ensure_of: None } if bool_of_yaml(word).is_some() => {
            let meant = bool_of_yaml(word).unwrap_or_default();
            message(format!("unexpected bare word `{word}`"))
                .help(format!("write `{meant}`, or `\"{word}\"` for a string"))
        }
        BareWordError::Value { word, ensure_of: None } if prefixed_variable(word).is_some() => {
            let name = prefixed_variable(word).unwrap_or_default();
            message(format!("unexpected bare word `{word}`"))
                .help(format!("a variable has a dollar sign, and no prefix: `${name}`"))
        }
        BareWordError::Value { word, ensure_of: None } => message(format!("unexpected bare word `{word}`"))
            .help(format!("a string is quoted, `\"{word}\"`; a variable is written `${word}`")),
        BareWordError::Other { word, .. } if prefixed_variable(word).is_some() => {
            let name = prefixed_variable(word).unwrap_or_default();
            message(format!("unexpected bare word `{word}`"))
                .help(format!("a variable has a dollar sign, and no prefix: `${name}`"))
        }
        BareWordError::Other { word, .. } if bool_of_yaml(word).is_some() => {
            let meant = bool_of_yaml(word).unwrap_or_default();
            message(format!("unexpected bare word `{word}`"))
                .help(format!("write `{meant}`, or `\"{word}\"` for a string"))
        }
        BareWordError::Other { word, is_argument: true } => {
            message(format!("unexpected bare word `{word}`")).help(format!(
                "a variable is written `${word}`, a call `{word}(…)`, a function as a value `func($x) {{ {word}($x) }}`"
            ))
        }
        BareWordError::Other { word, is_argument: false } => message(format!("unexpected bare word `{word}`"))
            .help(format!("a variable is written `${word}`, a call `{word}(…)`")),
        BareWordError::NamedArgument => message("arguments cannot be named").help("arguments are passed by position"),
        BareWordError::MapKey { word } => message(format!("unexpected bare word `{word}` as a map key")).help(format!(
            "a struct is written `struct{{{word} => …}}`; the key of a map is quoted: `{{\"{word}\" => …}}`"
        )),
        BareWordError::MissingValue { field } => message(format!("missing value of the entry `{field}`")),
    }
}

/// Returns the name of a variable of Terraform, `var.name`, without its prefix.
fn prefixed_variable(word: &str) -> Option<&str> {
    let (prefix, name) = word.split_once('.')?;
    (matches!(prefix, "var" | "local" | "each" | "self" | "module" | "data") && !name.contains('.')).then_some(name)
}

fn entry(error: &EntryError) -> Words {
    match error {
        EntryError::Unknown { word, has_colon: true } => message(format!("unknown resource entry `{word}`"))
            .help("only `Meta` can precede a colon, as in `Meta:noop => true`"),
        EntryError::Unknown { word, has_colon: false } => message(format!("unknown resource entry `{word}`"))
            .help("capitalized entries are `Meta`, `Before`, `Notify`, `Depend` and `Listen`; fields are lower case"),
        EntryError::ExpectedEdge { property } => message(format!("expected an edge half after `{property}`"))
            .help(format!("write `{property} => File[\"/etc/motd\"],`")),
        EntryError::QuotedName => message("expected a field name, found a string").help("field names are not quoted"),
        EntryError::MissingRocket { field } => {
            message(format!("missing `=>` after the field `{field}`")).help(format!("write `{field} => …,`"))
        }
        EntryError::ExpectedRocket { after, found } => {
            let what = match after {
                BracketContext::Map => "map key",
                BracketContext::Struct => "struct field",
                _ => "field name",
            };
            message(format!("expected `=>` after the {what}, found `{found}`")).help(match after {
                BracketContext::Map => "the key and the value of a map are joined by `=>`: `{\"key\" => 1}`",
                BracketContext::Struct => "a field of a struct takes `=>`: `struct{field => 1}`",
                _ => "a field takes `=>`, and ends with a comma: `field => value,`",
            })
        }
        EntryError::DotAfterMeta { parameter } => {
            message("expected `:` after `Meta`, found `.`").help(format!("write `Meta:{parameter} => …,`"))
        }
        EntryError::MiscasedMeta => {
            message("expected `Meta:`, found `meta:`").help("meta parameters are capitalized: `Meta:noop => true`")
        }
        EntryError::SentValue { half, field } => {
            message("expected a value, found a field of another resource").help(format!(
                "a value is sent by a statement: `{half} -> Kind[\"name\"].{field}`, with this resource on the right"
            ))
        }
        EntryError::EdgeAsValue { property, half } => {
            message("expected an edge property (`Before`, `Notify`, `Depend` or `Listen`) before this edge")
                .help(format!("write `{property} => {half},` with a capital letter"))
        }
        EntryError::Block { word } => message(format!("unexpected block `{word}` in a resource")).help(
            "the entries of a resource are fields, `name => value,`, meta parameters, `Meta:noop => true,`, and edges, \
             `Depend => File[\"a\"],`",
        ),
        EntryError::EdgeChain => {
            message("unexpected `->` in an edge entry").help("an entry takes one edge half; write an entry for each")
        }
        EntryError::EdgeWithField => message("an edge entry cannot name a field")
            .help("send and receive with a statement: `A[\"x\"].out -> B[\"y\"].in`"),
    }
}

fn written_type(error: &TypeError) -> Words {
    match error {
        TypeError::Unknown { word, near } => {
            let words = message(format!("unknown type `{word}`"));
            match near {
                Some(near) => words.help(format!("did you mean `{near}`?")),
                None => words.help(
                    "the types are bool, str, int, float, []type, map{type: type}, struct{name type; …}, func(type) type",
                ),
            }
        }
        TypeError::MapWithoutKeyword => message("expected a type, found `{`")
            .help("a map type is written `map{str: int}`, a struct type `struct{a int; b str}`"),
        TypeError::ColonBeforeType { name, ty } => message(format!("unexpected `:` after `${name}`"))
            .help(format!("the type follows the name without a colon: `${name} {ty}`")),
        TypeError::TrailingSemicolon => {
            message("unexpected `;` at the end of a struct type").help("`;` only separates fields")
        }
        TypeError::CommaBetweenFields => message("expected `;` between the fields of a struct type, found `,`"),
        TypeError::ExpectedColon { found } => {
            message(format!("expected `:` between the key and value of a map type, found `{found}`"))
        }
        TypeError::DuplicateField { name, .. } => message(format!("duplicate field `{name}` in a struct type")),
        TypeError::DuplicateArgument { name } => message(format!("duplicate argument `${name}` in a func type"))
            .help("give each argument a name of its own, or none"),
    }
}

/// Returns the bool that a word means in YAML.
fn bool_of_yaml(word: &str) -> Option<&'static str> {
    match word {
        "yes" | "on" => Some("true"),
        "no" | "off" => Some("false"),
        _ => None,
    }
}
