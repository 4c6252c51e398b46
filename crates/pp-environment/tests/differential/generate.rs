//! Random programs: expressions of all types, blocks, scopes, classes, defines, resources, collectors and their order.
//!
//! A program is a list of statements of top level, each valid on its own, so that a failing one can be made shorter. Most are
//! right; some are wrong in one place, because errors are compared, too.

use test_support::{RandomChoice, Rng};

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The statements of top level.
    pub statements: Vec<String>,
}

impl Program {
    /// Returns the text.
    pub fn text(&self) -> String {
        self.statements.join("\n") + "\n"
    }
}

/// Makes a program.
pub fn program(random: &mut Rng) -> Program {
    let mut generator = Generator { random, variables: Vec::new(), next: 0 };
    let count = generator.random.usize(4..14);
    let mut statements: Vec<String> = (0..count).map(|_| generator.statement(2)).collect();
    statements.extend((0..generator.random.usize(0..3)).map(|_| generator.definition()));
    Program { statements }
}

struct Generator<'r> {
    random: &'r mut Rng,
    /// The variables in scope.
    variables: Vec<String>,
    next: usize,
}

/// The kinds of values that an expression is wanted to have. Sometimes it has another one.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Text,
    Boolean,
    List,
    Table,
    Any,
}

impl Generator<'_> {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.usize(..of.len())]
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.random.usize(..16) {
            0..=4 => {
                let value = self.any(depth);
                format!("notice({value})")
            }
            5 => {
                let value = self.any(depth);
                format!("notice(type({value}, 'generalized'))")
            }
            6 => {
                let (left, right) = (self.type_name(2), self.type_name(2));
                let operator = self.pick(&["<", "<=", "==", ">", ">="]);
                format!("notice({left} {operator} {right})")
            }
            7 => {
                let (value, of) = (self.any(depth), self.type_name(2));
                format!("notice({value} =~ {of})")
            }
            8..=10 => {
                let name = self.name("v");
                let value = self.any(depth);
                self.variables.push(name.clone());
                format!("${name} = {value}")
            }
            11 => {
                let (test, then, other) = (self.of(Kind::Boolean, depth), self.any(depth), self.any(depth));
                format!("if {test} {{\n  notice({then})\n}} else {{\n  notice({other})\n}}")
            }
            12 => {
                let value = self.any(1);
                let (a, b) = (self.any(1), self.type_name(1));
                format!(
                    "case {value} {{\n  {a}: {{ notice('a') }}\n  {b}: {{ notice('b') }}\n  default: {{ notice('c') }}\n}}"
                )
            }
            13 => self.iteration(depth),
            _ => self.resource(),
        }
    }

    fn iteration(&mut self, depth: usize) -> String {
        let list = self.of(Kind::List, depth);
        let name = self.name("e");
        self.variables.push(name.clone());
        let value = self.any(1);
        self.variables.pop();
        format!("{list}.each |${name}| {{ notice({value}, ${name}) }}")
    }

    fn resource(&mut self) -> String {
        let title = self.name("r");
        let form = self.pick(&["", "", "", "@"]);
        let message = self.of(Kind::Text, 1);
        let tag = self.pick(&["", ", tag => 'blue'", ", tag => ['red', 'blue']", ", loglevel => debug"]);
        let resource = format!("{form}notify {{ '{title}': message => {message}{tag} }}");
        match self.random.usize(..9) {
            0 => format!("{resource}\nNotify <| tag == 'blue' |>"),
            1 => format!("Notify <| title == '{title}' |>\n{resource}"),
            2 if form.is_empty() => format!("{resource} -> notify {{ '{title}b': }}"),
            3 => format!("{resource}\nrealize(Notify['{title}'])"),
            4 => format!("{resource}\nNotify <| title == '{title}' |> {{ message => 'changed' }}"),
            5 => format!("{resource}\nNotify['{title}'] {{ withpath => true }}"),
            6 if form.is_empty() => format!(
                "Notify {{ withpath => true }}\n{resource}\nnotify {{ '{title}c': before => Notify['{title}'] }}"
            ),
            7 => format!("['{title}x', '{title}y'].each |$t| {{ notify {{ $t: message => {message} }} }}"),
            _ => resource,
        }
    }

    /// A class or define, and its use.
    fn definition(&mut self) -> String {
        let name = self.name("d");
        let outer = std::mem::take(&mut self.variables);
        self.variables = vec!["x".to_owned(), "title".to_owned()];
        let body = format!(
            "  {}\n  notify {{ \"{name} ${{title}}\": message => \"${{x}}\" }}",
            self.statement(1).replace('\n', "\n  ")
        );
        self.variables = outer;
        let value = self.of(Kind::Number, 1);
        match self.random.usize(..4) {
            0 => format!("class {name}(Any $x = {value}) {{\n{body}\n}}\ninclude {name}"),
            1 => format!("class {name}(Any $x) {{\n{body}\n}}\nclass {{ '{name}': x => {value} }}\nnotice(${name}::x)"),
            2 => format!("define {name}(Integer $x = 3) {{\n{body}\n}}\n{name} {{ ['a', 'b']: x => {value} }}"),
            _ => format!("define {name}($x = $title) {{\n{body}\n}}\n{name} {{ 'a': }} -> {name} {{ 'b': }}"),
        }
    }

    fn any(&mut self, depth: usize) -> String {
        self.of(Kind::Any, depth)
    }

    fn of(&mut self, kind: Kind, depth: usize) -> String {
        if self.random.one_in(25) {
            return self.of(Kind::Any, depth);
        }
        if !self.variables.is_empty() && self.random.one_in(6) {
            let at = self.random.usize(..self.variables.len());
            return format!("${}", self.variables[at]);
        }
        if depth == 0 {
            return self.literal(kind);
        }
        match kind {
            Kind::Number => self.number(depth - 1),
            Kind::Text => self.text(depth - 1),
            Kind::Boolean => self.boolean(depth - 1),
            Kind::List => self.list(depth - 1),
            Kind::Table => self.table(depth - 1),
            Kind::Any => match self.random.usize(..12) {
                0..=2 => self.number(depth - 1),
                3..=5 => self.text(depth - 1),
                6 | 7 => self.boolean(depth - 1),
                8 | 9 => self.list(depth - 1),
                10 => self.table(depth - 1),
                _ => self.type_name(2),
            },
        }
    }

    fn literal(&mut self, kind: Kind) -> String {
        let of: &[&str] = match kind {
            Kind::Number => &["0", "1", "2", "7", "-3", "10", "0x1f", "017", "1.5", "0.1", "2e3", "9007199254740993"],
            Kind::Text => &[
                "''",
                "'a'",
                "'Abc'",
                "'10'",
                "\"x y\"",
                "'é'",
                "'a,b,c'",
                "'1.0'",
                "' pad '",
                "\"a\\tb\"",
                "\"q'q\"",
                "word",
            ],
            Kind::Boolean => &["true", "false"],
            Kind::List => {
                &["[]", "[1, 2, 3]", "['b', 'a', 'b']", "[[1, 'x'], [2, 'y']]", "[undef, true, 1.5]", "[3, 1, 2]"]
            }
            Kind::Table => &["{}", "{'a' => 1, 'b' => 2}", "{'k' => {'x' => [1, 2]}}", "{1 => 'one', 'two' => 2}"],
            Kind::Any => {
                &["undef", "default", "1", "'a'", "true", "[1, 'a']", "{'a' => 1}", "/a+/", "Integer", "1.0", "'B'"]
            }
        };
        self.pick(of).to_owned()
    }

    fn number(&mut self, depth: usize) -> String {
        match self.random.usize(..9) {
            0..=2 => {
                let operator = self.pick(&["+", "-", "*", "/", "%"]);
                let (a, b) = (self.of(Kind::Number, depth), self.of(Kind::Number, depth));
                format!("({a} {operator} {b})")
            }
            // Puppet would allocate as many bits as a shift asks for.
            3 => {
                let (operator, count) = (self.pick(&["<<", ">>"]), self.pick(&["0", "1", "3", "-2", "'2'", "1.5"]));
                format!("({} {operator} {count})", self.of(Kind::Number, depth))
            }
            4 => format!("length({})", self.of(Kind::Text, depth)),
            5 => format!("{}.size", self.of(Kind::List, depth)),
            6 => format!("Integer({})", self.literal(Kind::Number)),
            7 => format!("abs({})", self.of(Kind::Number, depth)),
            _ => {
                let (a, b) = (self.of(Kind::Number, depth), self.of(Kind::Number, depth));
                let function = self.pick(&["max", "min"]);
                format!("{function}({a}, {b})")
            }
        }
    }

    fn text(&mut self, depth: usize) -> String {
        match self.random.usize(..9) {
            0..=2 => {
                let inner = self.any(depth);
                if inner.contains(['"', '\'']) {
                    format!("\"<${{[{inner}]}}>\"")
                } else {
                    format!("\"<${{({inner})}}>\"")
                }
            }
            3 => {
                let function = self.pick(&["upcase", "downcase", "capitalize", "strip", "chop", "lstrip", "camelcase"]);
                format!("{function}({})", self.of(Kind::Text, depth))
            }
            4 => format!("join({}, '-')", self.of(Kind::List, depth)),
            5 => {
                let text = self.of(Kind::Text, depth);
                let (pattern, by) =
                    (self.pick(&["'a'", "/[a-c]+/", "'^(.)'"]), self.pick(&["'x'", "'<\\0>'", "'\\1\\1'"]));
                format!("regsubst({text}, {pattern}, {by}, 'G')")
            }
            6 => {
                let format = self.pick(&["'%s'", "'%5s|'", "'%-4s|'"]);
                format!("sprintf({format}, {})", self.any(depth))
            }
            7 => {
                let (format, value) =
                    (self.pick(&["'%d'", "'%x'", "'%#o'", "'%05d'", "'%.2f'", "'%e'"]), self.of(Kind::Number, depth));
                format!("String({value}, {format})")
            }
            _ => format!("{}[{}]", self.literal(Kind::Text), self.literal(Kind::Number)),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.random.usize(..8) {
            0 | 1 => {
                let (a, b) = (self.any(depth), self.any(depth));
                let operator = self.pick(&["==", "!="]);
                format!("({a} {operator} {b})")
            }
            2 => {
                let kind = if self.random.bool() { Kind::Number } else { Kind::Text };
                let (a, b) = (self.of(kind, depth), self.of(kind, depth));
                let operator = self.pick(&["<", "<=", ">", ">="]);
                format!("({a} {operator} {b})")
            }
            3 => {
                let (a, b) = (self.any(depth), self.of(Kind::List, depth));
                format!("({a} in {b})")
            }
            4 => {
                let (text, pattern) = (self.of(Kind::Text, depth), self.pick(&["/a/", "/^$/", "/(.)(.)/", "'b'"]));
                format!("({text} =~ {pattern})")
            }
            5 => {
                let (a, b) = (self.any(depth), self.any(depth));
                let operator = self.pick(&["and", "or"]);
                format!("({a} {operator} {b})")
            }
            6 => format!("!{}", self.of(Kind::Boolean, depth)),
            _ => format!("empty({})", self.of(Kind::List, depth)),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        match self.random.usize(..10) {
            0 | 1 => {
                let count = self.random.usize(..4);
                let values: Vec<String> = (0..count).map(|_| self.any(depth)).collect();
                format!("[{}]", values.join(", "))
            }
            2 => {
                let (a, b) = (self.of(Kind::List, depth), self.of(Kind::List, depth));
                let operator = self.pick(&["+", "-", "<<"]);
                format!("({a} {operator} {b})")
            }
            3 => {
                let list = self.of(Kind::List, depth);
                let function = self.pick(&["map", "filter"]);
                self.variables.push("it".to_owned());
                let body = self.any(depth);
                self.variables.pop();
                format!("{function}({list}) |$it| {{ {body} }}")
            }
            4 => {
                let function = self.pick(&["flatten", "unique", "keys", "values"]);
                let kind = if matches!(function, "keys" | "values") { Kind::Table } else { Kind::List };
                format!("{function}({})", self.of(kind, depth))
            }
            5 => {
                let separator = self.pick(&["','", "/[ab]/", "' '", "''"]);
                format!("split({}, {separator})", self.of(Kind::Text, depth))
            }
            6 => format!("Array({})", self.any(depth)),
            7 => {
                let (from, count) = (self.pick(&["0", "1", "-2"]), self.pick(&["1", "2", "-1"]));
                format!("{}[{from}, {count}]", self.literal(Kind::List))
            }
            8 => format!("slice({}, 2)", self.of(Kind::List, depth)),
            _ => format!("sort({})", self.literal(Kind::List)),
        }
    }

    fn table(&mut self, depth: usize) -> String {
        match self.random.usize(..5) {
            0 | 1 => {
                let count = self.random.usize(..3);
                let entries: Vec<String> = (0..count).map(|at| format!("'k{at}' => {}", self.any(depth))).collect();
                format!("{{{}}}", entries.join(", "))
            }
            2 => {
                let (a, b) = (self.of(Kind::Table, depth), self.of(Kind::Table, depth));
                format!("({a} + {b})")
            }
            3 => format!("Hash({})", self.pick(&["[['a', 1], ['b', 2]]", "{'a' => 1}", "['x', 1]", "[]"])),
            // A brace at the start of a statement would belong to the statement before.
            _ => format!("({}).filter |$k, $v| {{ $v =~ Integer }}", self.of(Kind::Table, depth)),
        }
    }

    fn type_name(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(3) {
            let of = [
                "Integer",
                "String",
                "Float",
                "Numeric",
                "Boolean",
                "Any",
                "Undef",
                "Scalar",
                "Data",
                "Array",
                "Hash",
                "Collection",
                "Integer[0, 5]",
                "String[1]",
                "Enum['a', 'b']",
                "Pattern[/a/]",
                "Default",
                "Regexp",
                "Type",
                "ScalarData",
                "Float[0.0, 1.0]",
            ];
            return self.pick(&of).to_owned();
        }
        let inner = self.type_name(depth - 1);
        match self.random.usize(..8) {
            0 => format!("Optional[{inner}]"),
            1 => format!("Array[{inner}]"),
            2 => format!("Array[{inner}, 1, 3]"),
            3 => format!("Hash[String, {inner}]"),
            4 => format!("Variant[{inner}, {}]", self.type_name(depth - 1)),
            5 => format!("Tuple[{inner}, {}]", self.type_name(depth - 1)),
            6 => format!("Struct[{{'a' => {inner}}}]"),
            _ => format!("NotUndef[{inner}]"),
        }
    }
}
