//! The words of [`HabitKind`]: what is wrong, and how mcl writes it.

use mcl_lexer::ExpressionInString;

use crate::error::{DoubleColon, HabitKind, Instead, foreign_type};
use crate::foreign_values::foreign_value;
use crate::message::words::{Words, message};

/// A longer string is not repeated.
const MAX_STRING_BYTES: usize = 60;

/// Words a construct of another language.
pub(super) fn habit(kind: &HabitKind) -> Words {
    match kind {
        HabitKind::Keyword { word, instead } => message(format!("unknown keyword `{word}`")).help(keyword(instead)),
        HabitKind::WordOperator { word, instead } => message(format!("unknown operator `{word}`")).help(*instead),
        HabitKind::ResourceTitle { kind, title } => message("the name of a resource precedes its braces")
            .help(format!("write `{kind} {title} {{ … }}`, a resource statement for each name")),
        HabitKind::ClassResource { class } => message("a class is not declared like a resource")
            .help(format!("include it, with its arguments by position: `include {class}(…)`")),
        HabitKind::ResourceDefaults { kind } => message(format!("cannot set defaults for all `{kind}` resources"))
            .help("give the field in each resource, or declare the resources in a `for` loop"),
        HabitKind::ResourceOverride { kind } => message(format!("cannot add fields to another `{kind}` resource"))
            .help("give all fields where the resource is declared, under a condition if needed: `mode => $c ?: \"0600\",`"),
        HabitKind::Collector { kind } => message("unknown operator `<|`").help(format!(
            "exported resources are collected by `collect {} … {{ … }}`; for order, name each resource in an edge",
            kind.to_ascii_lowercase()
        )),
        HabitKind::LowerCaseEdge { found, suggestion } => {
            message(format!("expected a capitalized kind in an edge, found `{found}`"))
                .help(format!("write `{suggestion}`"))
        }
        HabitKind::ListOfHalves => message("expected an edge half, found a list").help(
            "the name in a half may be a list: `File[[\"a\", \"b\"]] -> Exec[\"c\"]`; halves of other kinds need an edge each",
        ),
        HabitKind::Yaml => message("expected a statement, found YAML").help(
            "a resource is written `file \"/tmp/a\" { state => \"exists\", }`, a variable `$name = …`, a list `[1, 2]`",
        ),
        HabitKind::YamlList { suggestion } => {
            message("expected a value, found a list in YAML").help(format!("a list is written `[{suggestion}]`"))
        }
        HabitKind::YamlBlock { has_colon: true } => message("expected `=>` after the field name, found `:`").help(
            "a field takes `=>`, and a string has quotes: `content => \"first\\nsecond\\n\",`",
        ),
        HabitKind::YamlBlock { has_colon: false } => message("expected a value, found a YAML block")
            .help("a string has quotes, and may contain line breaks: `content => \"first\\nsecond\\n\",`"),
        HabitKind::Json => message("expected a statement, found JSON")
            .help("a map is a value, with `=>` after its keys: `$name = {\"a\" => 1}`"),
        HabitKind::TemplateTag => message("expected a statement, found a template tag").help(
            "conditions and loops are statements of mcl: `if … { … }`, `for $index, $value in … { … }`",
        ),
        HabitKind::TemplateValue { name } => {
            let name = name.as_deref().unwrap_or("name");
            message("expected an expression, found `{{`")
                .help(format!("a variable is written `${name}`, and inside a string `${{{name}}}`"))
        }
        HabitKind::ImportList { modules } => {
            let imports: Vec<String> = modules.iter().map(|module| format!("`import \"{module}\"`")).collect();
            message("cannot import several modules in one statement")
                .help(format!("write one statement per line: {}", imports.join(", ")))
        }
        HabitKind::IncludeList { classes } => {
            let includes: Vec<String> = classes.iter().map(|class| format!("`include {class}`")).collect();
            message("cannot include several classes in one statement")
                .help(format!("write one statement per line: {}", includes.join(", ")))
        }
        HabitKind::ImportSpelling { module, alias } if alias == "*" => {
            message("unknown form of import").help(format!("write `import \"{module}\" as *`"))
        }
        HabitKind::ImportSpelling { module, alias } => message("unknown form of import")
            .help(format!("write `import \"{module}\" as {alias}`, then `{alias}.name(…)`")),
        HabitKind::BoundInclude { alias, class } => message("expected an expression, found the keyword `include`")
            .help(format!("give the include an alias, `include {class} as {alias}`, then use `${alias}.name`")),
        HabitKind::IncludeArguments { class, argument } => {
            message(format!("missing parentheses after `include {class}`"))
                .help(format!("write `include {class}({argument})`"))
        }
        HabitKind::SeveralVariables => message("cannot define several variables in one statement")
            .help("write a binding for each: `$a = …`, `$b = …`"),
        HabitKind::Assignment { variable } => message(format!("cannot change `${variable}`")).help(format!(
            "a variable is bound once, and its value never changes; bind the new value to another name: `$new_{variable} = …`"
        )),
        HabitKind::ShellTest => message("expected a condition, found a shell test").help(
            "a condition is a `bool`, as in `if $x == \"a\" { … }`; `os.file_exists(\"/tmp/a\")` of the module \"os\" tests for \
             a file",
        ),
        HabitKind::ColonBeforeBlock { keyword } => message(format!("expected `{{` after this `{keyword}`, found `:`"))
            .help(match keyword.as_str() {
                "else" => "a block is enclosed in braces: `else { … }`".to_owned(),
                _ => format!("a block is enclosed in braces: `{keyword} … {{ … }}`"),
            }),
        HabitKind::Then => message("expected `{`, found `then`").help("what depends on the condition is enclosed in braces: `if … { … } else { … }`"),
        HabitKind::Do => message("expected `{`, found `do`")
            .help("what is repeated is enclosed in braces: `for $index, $value in … { … }`"),
        HabitKind::BlockArgument { variable } => message("a call cannot take a block")
            .help(format!("iterate with a statement, `for $index, ${variable} in … {{ … }}`; for values use `iter.map`")),
        HabitKind::TypeBeforeName { ty, name } => message(format!("expected a statement, found the type `{ty}`"))
            .help(format!("the type follows the name, and may be omitted: `${name} {} = …`", foreign_type(ty))),
        HabitKind::UpperCaseBinding { suggestion } => {
            message("expected a statement, found an assignment").help(format!("write `${suggestion} = …`"))
        }
        HabitKind::Inherits { class } => message("a class cannot inherit from another one")
            .help(format!("include the other class in its body: `include {class}`")),
        HabitKind::DoubleColon { found, role } => {
            message(format!("unexpected `::` in the name `{found}`")).help(match role {
                DoubleColon::Definition { keyword: "class", name } => format!(
                    "write `class {name}` and `include {name}`; a class of a module is defined without the module's name"
                ),
                DoubleColon::Definition { keyword, name } => format!("write `{keyword} {name}`"),
                DoubleColon::Include { name } => {
                    let module = name.split('.').next().unwrap_or(name);
                    format!("write `include {name}` for a class of a module, after `import \"{module}/\"`")
                }
                DoubleColon::Other { name } => format!("write `{name}`"),
            })
        }
        HabitKind::DashInName { found, suggestion, is_variable: false } => {
            message(format!("invalid `-` in the name `{found}`")).help(format!("use underscores: `{suggestion}`"))
        }
        HabitKind::DashInName { found, suggestion, is_variable: true } => {
            message(format!("invalid `-` in the name `{found}`")).help(format!(
                "a name has underscores, `{suggestion}`; both sides of a subtraction have a dollar sign, `{}`",
                found.replacen('-', " - $", 1)
            ))
        }
        HabitKind::Lambda { sign, suggestion } => message(format!("unexpected `{sign}` after a parameter")).help(match suggestion {
            Some(function) => format!("a function value is written `{function}`"),
            None => "a function value is written `func($x) { … }`".to_owned(),
        }),
        HabitKind::FunctionWord { word } => message(format!("unknown keyword `{word}`"))
            .help("a function value is written `func($x) { … }`, and its body is one expression"),
        HabitKind::Method { method, suggestion } => {
            message(format!("cannot call `{method}` as a method")).help(match suggestion {
                Some(call) => format!("there are no methods; write {call}"),
                None => format!("there are no methods; a function takes the value as an argument: `{method}(…)`"),
            })
        }
        HabitKind::Range { suggestion } => message("unknown operator `..`")
            .help(format!("write `{suggestion}` of the module \"iter\"; the end is not part of the list")),
        HabitKind::Spread { operator } => message(format!("unknown operator `{operator}`"))
            .help("join lists with `list.concat($a, $b)` of the module \"list\""),
        HabitKind::SpreadEntries => message("expected an entry, found `*`")
            .help("the fields of a resource are written one by one: `field => $map[\"field\"],`"),
        HabitKind::SpreadMap { operator } => message(format!("unknown operator `{operator}`"))
            .help("no function merges maps: write all keys, or `$b[$key] <|> $a[$key]` where a value is used"),
        HabitKind::VariableArguments => message("a function has a fixed number of parameters")
            .help("take a list: `func name($list) { … }`, `name([1, 2])`"),
        HabitKind::UnbracedBody => message("missing braces around the body of this function")
            .help("a function value is written `func($x) { … }`"),
        HabitKind::Slice => message("expected one index, found `:`").help(
            "there are no slices; `strings.substr` of the module \"strings\" returns a part of a string, and `iter.filter` \
             of the module \"iter\" some elements of a list",
        ),
        HabitKind::Tuple => message("expected one value in parentheses, found `,`")
            .help("a list is written `[1, 2]`, values of different types form a struct: `struct{a => 1, b => \"x\"}`"),
        HabitKind::ListInBraces => message("expected `=>` after a map key, found `,`").help("a list is written `[1, 2]`"),
        HabitKind::Comprehension => message("expected an element, found a loop").help(
            "write `iter.map($list, func($x) { … })`, or `iter.filter($list, func($x) { … })`, of the module \"iter\"",
        ),
        HabitKind::StringPrefix { prefix } => {
            message(format!("unexpected prefix `{prefix}` before a string")).help(match prefix.as_str() {
                "f" => "remove it: every string replaces `${name}` by the variable `$name`",
                "r" => "remove it, and write `\\\\` for a backslash",
                _ => "remove it",
            })
        }
        HabitKind::TripleQuotes => message("unexpected `\"\"\"`")
            .help("a string has one quote at each end, and may contain line breaks; a quote inside is written `\\\"`"),
        HabitKind::CommandSubstitution => message("expected a variable name after `$`, found `(`")
            .help("the output of a command is `os.system(\"…\")` of the module \"os\""),
        HabitKind::TopScopeVariable { name } => {
            message("unexpected `::` in a variable").help(match foreign_value(name.split("::").next().unwrap_or(name)) {
                Some(help) => help.to_owned(),
                None => format!("write `${}`", name.replace("::", ".")),
            })
        }
        HabitKind::Cast { ty } => message(format!("expected an expression, found the type `{ty}`")).help(match ty.as_str() {
            "str" => "to make a string of a value, write `fmt.printf(\"%v\", …)` of the module \"fmt\"",
            "int" => "write `convert.str_to_int(…)` or `convert.to_int(…)`, which takes a float, of the module \"convert\"",
            "float" => "write `convert.to_float(…)` or `convert.str_to_float(…)` of the module \"convert\"",
            "bool" => "write `convert.parse_bool(…)` of the module \"convert\", or a comparison",
            _ => "a type only follows the name of a variable or parameter: `$x int = …`",
        }),
        HabitKind::BracketMapType => {
            message("expected `{` after `map`, found `[`")
                .help("a map type is written `map{str: int}`, a map without it: `{\"key\" => 1}`")
        }
        HabitKind::TypeParameters { name } => message("a function cannot have type parameters")
            .help(format!("omit them, and the types: `func {name}($x) {{ … }}` takes a value of any type that fits")),
        HabitKind::Allocation { word } => message(format!("unknown function `{word}`"))
            .help("write the value itself, which never changes: `[1, 2]`, `{\"key\" => 1}`, `struct{field => 1}`"),
        HabitKind::TypedLiteral { opener } => message("a value cannot start with its type").help(format!(
            "the type belongs to the variable: `$name {opener} = …`; it may be omitted"
        )),
        HabitKind::MapKeyword => {
            message("unexpected `map` before the braces").help("a map is written `{\"key\" => 1}`, without a keyword")
        }
        HabitKind::StructParentheses => {
            message("expected `{` after `struct`, found `(`").help("a struct is written `struct{field => 1}`")
        }
        HabitKind::Optional { word } => message(format!("unknown function `{word}`"))
            .help("there are no optional values: write the value itself, and a fallback, `<|>`, where one may be missing"),
        HabitKind::Constructor { name } => message(format!("unknown function `{name}`"))
            .help("there are no objects: write the value itself; functions are lower case"),
        HabitKind::NamedStruct { name } => message(format!("unexpected name `{name}` before the braces"))
            .help("structs have no names: `struct{field => 1}`"),
        HabitKind::MissingElseBranch => message("missing `else` branch of this `if` expression")
            .help("as a value, `if` needs both branches: `if … { … } else { … }`"),
        HabitKind::TrailingCondition => {
            message("unexpected `if` after a value").help("a conditional value is written `if … { … } else { … }`")
        }
        HabitKind::ConditionAfterStatement => {
            message("unexpected `if` after a statement").help("the condition comes first: `if … { … }`")
        }
        HabitKind::BlockWithoutBraces { keyword } => message(format!("missing braces around the block of this `{keyword}`"))
            .help(format!("write `{keyword} … {{ … }}`")),
        HabitKind::StatementAmongEntries { keyword } if keyword == "if" => {
            message("expected a field or edge, found the keyword `if`").help(
                "a condition belongs to one field, `state => $c ?: \"exists\",`; a whole resource may be inside an `if`",
            )
        }
        HabitKind::StatementAmongEntries { keyword } => {
            message(format!("expected a field or edge, found the keyword `{keyword}`"))
                .help("fields are written one by one; to repeat a resource, put it inside the loop")
        }
        HabitKind::RubySymbol { name } => {
            message("unexpected `:` before a name").help(format!("a string is quoted: `\"{name}\"`"))
        }
        HabitKind::ExpressionInString { expression } => {
            message(ExpressionInString::MESSAGE).help(ExpressionInString::help(expression))
        }
        HabitKind::QuotesInString { escaped } => message("quotes inside a string")
            .help(if escaped.len() <= MAX_STRING_BYTES {
                format!("a quote inside a string is written `\\\"`: {escaped}")
            } else {
                "a quote inside a string is written `\\\"`".to_owned()
            }),
        HabitKind::ResourceCall { kind, name } => message("a resource is not declared like a call")
            .help(format!("write `{kind} {name} {{ field => value, }}`")),
        HabitKind::SeveralNames { kind, names } => message("unexpected `,` after the name of a resource")
            .help(format!("several resources have a list of names: `{kind} [{names}] {{ … }}`")),
        HabitKind::EntriesInBrackets => message("expected `{` after the name of a resource, found `[`")
            .help("the fields of a resource are enclosed in braces: `kind \"name\" { field => value, }`"),
        HabitKind::NotIn => message("unexpected `not` after a value").help("write `not ($x in $list)`"),
        HabitKind::Operator { operator, instead } => message(format!("unknown operator `{operator}`")).help(*instead),
        HabitKind::MetaBlock { parameter } => message("expected a meta parameter, found a map")
            .help(format!("each meta parameter is an entry of its own: `Meta:{parameter} => …,`")),
        HabitKind::UnquotedResourceName { kind, name } => {
            if name.contains(',') {
                let names: Vec<String> = name.split(',').map(|name| format!("\"{}\"", name.trim())).collect();
                return message("missing quotes around the names of resources")
                    .help(format!("write `{kind} [{}] {{ … }}`", names.join(", ")));
            }
            let is_word = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            let variable = if is_word { format!(", for the value of a variable `{kind} ${name}`") } else { String::new() };
            message("missing quotes around the name of a resource")
                .help(format!("write `{kind} \"{name}\" {{ … }}`{variable}"))
        }
        HabitKind::UnquotedPath { path } => {
            message("missing quotes around a path").help(format!("write `\"{path}\"`"))
        }
        HabitKind::SeveralEdgeNames { names } => message("expected one name in an edge, found `,`")
            .help(format!("several names are a list: `[[{names}]]`")),
        HabitKind::ArrowAfterResource => message("unexpected `->` after a resource")
            .help("an edge names the resources, whose statements stay apart: `File[\"/tmp/a\"] -> File[\"/tmp/b\"]`"),
        HabitKind::UnquotedEdgeName { name } => {
            message("missing quotes around the name of a resource").help(format!("write `[\"{name}\"]`"))
        }
        HabitKind::CapitalizedKind { found, suggestion } => {
            message(format!("expected a lower-case kind, found `{found}`"))
                .help(format!("write `{suggestion} {{ … }}`; capitals are for edges: `{found}[\"name\"] -> …`"))
        }
        HabitKind::EdgeList { property, halves } => {
            let entries: Vec<String> = halves.iter().map(|half| format!("`{property} => {half},`")).collect();
            message("expected a value, found a list of edge halves")
                .help(format!("an edge is an entry of its own: {}", entries.join(", ")))
        }
        HabitKind::RocketBetweenHalves => {
            message("expected `->` between the halves of an edge, found `=>`").help("write `First[\"a\"] -> Second[\"b\"]`")
        }
        HabitKind::BoundResource { resource } => message("expected an expression, found a resource")
            .help(format!("a resource is a statement, and has no value: `{resource} {{ … }}`")),
        HabitKind::ColonAfterName => {
            message("unexpected `:` after the name of a resource").help("the braces follow the name: `kind \"name\" { … }`")
        }
        HabitKind::DollarBeforeAlias { name } => message("expected an alias, found `$`")
            .help(format!("an alias is written without a dollar sign, `as {name}`, and its variables `${name}.variable`")),
        HabitKind::Semicolon { in_brackets: true, .. } => {
            message("expected `,`, found `;`").help("entries and elements are separated by commas")
        }
        HabitKind::Semicolon { in_brackets: false, count } => {
            let message = message(match count {
                1 => "unexpected `;` after a statement".to_owned(),
                count => format!("unexpected `;` after a statement ({count} in this file)"),
            });
            message.help("a statement ends with its line, without a semicolon")
        }
        HabitKind::Comment { opener } => {
            message(format!("invalid comment `{opener}`")).help("a comment starts with `#` and ends with its line")
        }
    }
}

fn keyword(instead: &Instead) -> String {
    match instead {
        Instead::Binding { name } => format!("a binding has no keyword: `${name} = …`"),
        Instead::Function { name } => {
            format!("a function is written `func {name}($x) {{ … }}`, and its body is one expression")
        }
        Instead::Class { name } => format!(
            "a class groups resources and takes parameters: `class {name}($x) {{ … }}`; each `include {name}(…)` applies it"
        ),
        Instead::NegatedIf => "write `if not (…) { … }`".to_owned(),
        Instead::If => "write an `if` for each case: `if $x == 1 { … } else { if $x == 2 { … } }`".to_owned(),
        Instead::Loop => {
            "`for $index, $value in … { … }` iterates over a list, `forkv $key, $value in … { … }` over a map"
                .to_owned()
        }
        Instead::NoCondition => {
            "a loop has no condition; `for $index, $value in … { … }` iterates over a list".to_owned()
        }
        Instead::HostName { name } => format!("compare the name of the host: `if $hostname == \"{name}\" {{ … }}`"),
        Instead::EveryHost => "remove the block: the statements of a file apply to every host that runs it".to_owned(),
        Instead::Resource { kind, name } => {
            format!("a resource starts with its kind: `{kind} \"{name}\" {{ field => value, }}`")
        }
        Instead::Variable { name } => format!("bind the value to a variable: `${name} = …`"),
        Instead::ModuleImport { name } => {
            format!("import a module, and include its classes: `import \"{name}/\"`, `include {name}.class`")
        }
        Instead::NoBlock => "there is no such block; remove it".to_owned(),
        Instead::Panic => "`panic(\"…\")` ends the program with an error".to_owned(),
        Instead::Print { text } => format!("a resource prints a message when it is applied: `print {text} {{}}`"),
        Instead::NoReturn => "the body of a function is one expression, and that is its result".to_owned(),
        Instead::Import { module } => format!("write `import \"{module}\"`"),
        Instead::Include { class } => format!("write `include {class}`"),
        Instead::NoTypeDeclaration => {
            "types cannot be declared; they are inferred, or written where they are used: `$x struct{a int; b str} = …`"
                .to_owned()
        }
        Instead::NoPackageClause => "remove it: a module is named by its path".to_owned(),
        Instead::NoModifier => "remove it: everything in a module is visible to those who import it".to_owned(),
        Instead::Fallback => "a fallback replaces a value that fails: `$value <|> \"default\"`".to_owned(),
        Instead::NoJump => "a statement cannot be left early; use `if`".to_owned(),
        Instead::NoMutation => "a variable is bound once, `$name = …`, and visible in its block".to_owned(),
        Instead::FunctionCall => "bind the result of a call to a variable: `$result = …`".to_owned(),
        Instead::NoDeferral => {
            "nothing runs later or beside the rest; an edge makes a resource wait for another one: `Depend => File[\"a\"],`"
                .to_owned()
        }
        Instead::SameResource => {
            "declare the resource: `file \"/tmp/a\" { state => \"exists\", }`; the same declaration elsewhere is the same resource"
                .to_owned()
        }
        Instead::VisibleName => {
            "names of outer blocks are visible as they are, `$name`; a value in a map is `$map[\"name\"]`, a field of a struct `$struct->name`"
                .to_owned()
        }
        Instead::NoVirtualResources => {
            "there are no virtual resources: declare a resource in a class, and include the class where it is needed"
                .to_owned()
        }
        Instead::ClosingBrace => "a block ends with `}`".to_owned(),
    }
}
