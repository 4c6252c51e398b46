//! Random programs about catalogs: virtual and exported resources, collectors, overrides, defaults, relationships, tags, aliases,
//! containment, classes that inherit, and defines whose instances come late.
//!
//! All of it depends on the order of declaration, so titles are drawn from few names.

use test_support::{RandomChoice, Rng};

use crate::generate::Program;

/// Makes a program.
pub fn program(random: &mut Rng) -> Program {
    let classes: Vec<String> = (0..random.usize(0..4)).map(|index| format!("k{index}")).collect();
    let defines: Vec<Define> = (0..random.usize(0..3)).map(|index| Define::new(random, index)).collect();
    let included: Vec<String> =
        if random.one_in(5) { Vec::new() } else { classes.iter().filter(|_| random.bool()).cloned().collect() };
    let mut generator = Generator { random, classes, defines, included, made: Vec::new(), next: 0 };
    let mut statements = generator.definitions();
    let mut body = vec![format!("notify {{ ['a', 'b']: {} }}", generator.attributes(&FEW))];
    let form = generator.pick(&["@", "@", ""]);
    body.push(format!("{form}notify {{ ['c', 'D', 'e::f']: tag => 'v' }}"));
    body.extend((0..generator.random.usize(1..8)).map(|_| generator.statement(false)));
    if !generator.included.is_empty() {
        let at = generator.random.usize(..=body.len());
        body.insert(at, format!("include {}", generator.included.join(", ")));
    }
    if generator.random.one_in(10) {
        statements.push(format!("node default {{\n  {}\n}}", body.join("\n  ")));
    } else {
        statements.extend(body);
    }
    Program { statements }
}

const TITLES: [&str; 5] = ["a", "b", "c", "D", "e::f"];

/// The attributes of resources of which one expression declares several. In Puppet these share the array of a relationship, so that
/// an arrow from one of them adds to all: an accident of Ruby.
const FEW: [&str; 5] = ["message", "tag", "noop", "loglevel", "withpath"];

const ALL: [&str; 11] =
    ["message", "tag", "noop", "require", "before", "notify", "subscribe", "loglevel", "alias", "withpath", "schedule"];

/// A define, and how its parameters are written.
struct Define {
    name: String,
    parameters: &'static str,
    /// The attributes of its instances.
    attributes: Vec<&'static str>,
}

impl Define {
    fn new(random: &mut Rng, index: usize) -> Define {
        let (parameters, own): (_, &[_]) = *random.pick(&[
            ("", &[][..]),
            ("$p = 1", &["p"][..]),
            ("$p = undef, $q = 2", &["p", "q"][..]),
            ("$p = 1, $q = $p", &["p", "q"][..]),
        ]);
        let attributes = own.iter().copied().chain(["tag", "noop", "require", "before", "loglevel"]).collect();
        Define { name: format!("d{index}"), parameters, attributes }
    }

    fn type_name(&self) -> String {
        self.name.replacen('d', "D", 1)
    }
}

struct Generator<'r> {
    random: &'r mut Rng,
    classes: Vec<String>,
    defines: Vec<Define>,
    included: Vec<String>,
    /// References to instances of defines.
    made: Vec<String>,
    next: usize,
}

impl Generator<'_> {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.usize(..of.len())]
    }

    fn one(&mut self, of: usize) -> usize {
        self.random.usize(..of)
    }

    fn percent(&mut self, share: usize) -> bool {
        self.random.usize(..100) < share
    }

    /// Classes, then defines.
    fn definitions(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        for index in 0..self.classes.len() {
            let name = self.classes[index].clone();
            let inherits = if index > 0 && self.percent(35) {
                format!(" inherits {}", self.classes[index - 1])
            } else {
                String::new()
            };
            let body = self.body(5);
            all.push(format!("class {name}{inherits} {{\n{body}}}"));
        }
        for index in 0..self.defines.len() {
            let Define { name, parameters, .. } = &self.defines[index];
            let head = format!("define {name}({parameters})");
            let body = self.body(4);
            all.push(format!("{head} {{\n{body}}}"));
        }
        all
    }

    fn body(&mut self, most: usize) -> String {
        (0..self.one(most)).map(|_| format!("  {}\n", self.statement(true))).collect()
    }

    fn statement(&mut self, in_definition: bool) -> String {
        match self.one(100) {
            0..42 => self.resource(in_definition),
            42..55 => self.collector(true),
            55..60 => format!("realize {}", self.reference()),
            60..70 => self.relationship(),
            70..77 => {
                let (name, value) = (self.pick(&["message", "tag", "noop"]), self.pick(&["\"dd\"", "\"u\""]));
                format!("Notify {{ {name} => {value} }}")
            }
            77..80 => {
                let title = self.pick(&TITLES);
                let name = self.pick(&["message", "tag", "noop", "withpath", "loglevel"]);
                let (arrow, value) = (self.pick(&["=>", "=>", "+>"]), self.pick(&["'ov'", "undef", "['ov2']"]));
                format!("Notify['{title}'] {{ {name} {arrow} {value} }}")
            }
            80..90 if !self.classes.is_empty() => {
                let function = self.pick(&["include", "include", "contain", "require"]);
                let at = self.one(self.classes.len());
                format!("{function} {}", self.classes[at])
            }
            80..96 => format!("tag('{}')", self.pick(&["v", "w"])),
            _ => {
                format!("notice(defined({}), tagged('{}'))", self.reference(), self.pick(&["u", "v", "k0", "k1", "d0"]))
            }
        }
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("t{}", self.next)
    }

    fn reference(&mut self) -> String {
        match self.one(100) {
            0..8 if !self.included.is_empty() => {
                let at = self.one(self.included.len());
                format!("Class['{}']", self.included[at])
            }
            8 if !self.classes.is_empty() => {
                let at = self.one(self.classes.len());
                format!("Class['{}']", self.classes[at])
            }
            9..20 if !self.made.is_empty() => {
                let at = self.one(self.made.len());
                self.made[at].clone()
            }
            98.. => "Notify['zz']".to_owned(),
            _ => format!("Notify['{}']", self.pick(&TITLES)),
        }
    }

    fn resource(&mut self, in_definition: bool) -> String {
        let form = self.pick(&["", "", "", "", "", "", "@", "@", "@", "@@"]);
        if !self.defines.is_empty() && self.percent(30) {
            let at = self.one(self.defines.len());
            let title = self.fresh();
            let pool = self.defines[at].attributes.clone();
            let attributes = self.attributes(&pool);
            let Define { name, .. } = &self.defines[at];
            let text = format!("{form}{name} {{ '{title}': {attributes} }}");
            if !in_definition {
                let reference = format!("{}['{title}']", self.defines[at].type_name());
                self.made.push(reference);
            }
            return text;
        }
        let title = if self.percent(3) { self.pick(&TITLES).to_owned() } else { self.fresh() };
        let title =
            if !in_definition || self.percent(10) { format!("'{title}'") } else { format!("\"{title}-${{title}}\"") };
        format!("{form}notify {{ {title}: {} }}", self.attributes(&ALL))
    }

    /// Some attributes, each at most once.
    fn attributes(&mut self, pool: &[&'static str]) -> String {
        let mut pool = pool.to_vec();
        let count = self.random.usize(..7).saturating_sub(2).min(3);
        let mut all = Vec::new();
        for _ in 0..count.min(pool.len()) {
            let at = self.one(pool.len());
            let name = pool.swap_remove(at);
            all.push(format!("{name} => {}", self.value(name)));
        }
        all.join(", ")
    }

    fn value(&mut self, attribute: &str) -> String {
        let of: &[&str] = match attribute {
            "message" => &["'m'", "'M'", "5", "undef", "['m', 'n']", "Sensitive('s')", "{'k' => 1}"],
            "p" => &["1", "'z'", "undef", "[1]"],
            "q" => &["1", "'z'"],
            "tag" => &["'u'", "['u', 'v']", "'U::w'"],
            "noop" => &["true", "false", "undef"],
            "loglevel" => &["'err'", "debug"],
            "withpath" => &["true", "false"],
            "schedule" => &["'daily'"],
            "alias" => {
                return match self.one(10) {
                    0 => "'a'".to_owned(),
                    1 => format!("['al2{}']", self.next),
                    _ => format!("'al{}'", self.next),
                };
            }
            _ => {
                return if self.percent(40) {
                    format!("[{}, {}]", self.reference(), self.reference())
                } else {
                    self.reference()
                };
            }
        };
        self.pick(of).to_owned()
    }

    fn collector(&mut self, may_override: bool) -> String {
        let define = (!self.defines.is_empty() && self.percent(25)).then(|| self.one(self.defines.len()));
        let type_name = define.map_or("Notify".to_owned(), |at| self.defines[at].type_name());
        let query = self.query();
        let changes = if !(may_override && self.percent(45)) {
            String::new()
        } else if define.is_some() {
            format!(" {{ {} }}", self.pick(&["p => 'o'", "tag +> 'v'", "noop => true", "q => undef"]))
        } else {
            let target = format!("require => {}", self.reference());
            let change = self.pick(&[
                "message => 'o'",
                "tag => 'u'",
                "tag +> 'v'",
                "noop => true",
                "message +> 'p'",
                "loglevel => 'err', message => undef",
                &target,
            ]);
            format!(" {{ {change} }}")
        };
        format!("{type_name} <| {query} |>{changes}")
    }

    fn query(&mut self) -> String {
        match self.one(4) {
            0 => String::new(),
            1 | 2 => self.comparison(),
            _ => {
                let (left, right) = (self.comparison(), self.comparison());
                format!("{left} {} {right}", self.pick(&["and", "or"]))
            }
        }
    }

    fn comparison(&mut self) -> String {
        let attribute = self.pick(&["title", "tag", "message", "noop"]);
        let value = match attribute {
            "title" => self.pick(&["'a'", "'b'", "'A'", "'x'", "'t1'"]),
            "tag" => self.pick(&["'u'", "'v'", "'k0'", "'d0'", "'a'", "'W'"]),
            "message" => self.pick(&["'m'", "'n'", "5", "undef", "'s'"]),
            _ => self.pick(&["true", "undef"]),
        };
        format!("{attribute} {} {value}", self.pick(&["==", "==", "!="]))
    }

    fn relationship(&mut self) -> String {
        let mut text = self.operand();
        for _ in 0..self.random.usize(1..3) {
            let arrow = self.pick(&["->", "->", "~>"]);
            text = format!("{text} {arrow} {}", self.operand());
        }
        text
    }

    fn operand(&mut self) -> String {
        match self.one(4) {
            0 | 1 => self.reference(),
            2 => self.collector(false),
            _ => format!("[{}, {}]", self.reference(), self.reference()),
        }
    }
}
