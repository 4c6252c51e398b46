//! Random programs that are correct, apart from failures at run time.

/// Steps of splitmix64.
use test_support::Rng;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    Int,
    Str,
    Bool,
    List,
}

const TYPES: [Ty; 4] = [Ty::Int, Ty::Str, Ty::Bool, Ty::List];

/// What is visible: variables, functions with their parameters, classes with the types of theirs.
#[derive(Clone, Default)]
struct Scope {
    variables: Vec<(String, Ty)>,
    functions: Vec<(String, Vec<Ty>, Ty)>,
    classes: Vec<(String, Vec<Ty>)>,
}

struct Generator<'a> {
    rng: &'a mut Rng,
    names: usize,
    resources: usize,
}

/// The top-level statements of a random program. Their order means nothing.
pub fn statements(rng: &mut Rng) -> Vec<String> {
    let mut generator = Generator { rng, names: 0, resources: 0 };
    let mut scope = Scope::default();
    let mut out: Vec<String> = ["convert", "fmt", "iter"].iter().map(|module| format!("import \"{module}\"")).collect();
    let count = 3 + generator.rng.usize(..8);
    for _ in 0..count {
        generator.statement(&mut scope, 2, &mut out);
    }
    out.push(generator.resource(&scope));
    out
}

impl Generator<'_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    /// How deep an expression nests: mostly little, so that there can be many programs.
    fn depth(&mut self) -> usize {
        [1, 1, 2, 3][self.rng.usize(..4)]
    }

    fn ty(&mut self) -> Ty {
        TYPES[self.rng.usize(..TYPES.len())]
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<String>) {
        match self.rng.usize(..if depth == 0 { 4 } else { 8 }) {
            0 | 1 => {
                let (name, ty, depth) = (self.name(), self.ty(), self.depth());
                out.push(format!("${name} = {}", self.expr(scope, ty, depth)));
                scope.variables.push((name, ty));
            }
            2 => {
                let (name, result, depth) = (self.name(), self.ty(), self.depth());
                let (params, inner, types) = self.params(scope);
                out.push(format!("func {name}({params}) {{ {} }}", self.expr(&inner, result, depth)));
                scope.functions.push((name, types, result));
            }
            3 => out.push(self.resource(scope)),
            4 => {
                let condition = self.expr(scope, Ty::Bool, 2);
                let (then, otherwise) = (self.block(scope, depth), self.block(scope, depth));
                out.push(format!("if {condition} {{\n{then}\n}} else {{\n{otherwise}\n}}"));
            }
            5 => {
                let list = self.expr(scope, Ty::List, 2);
                let (index, value) = (self.name(), self.name());
                let mut inner = scope.clone();
                inner.variables.extend([(index.clone(), Ty::Int), (value.clone(), Ty::Str)]);
                let body = self.block(&inner, depth);
                out.push(format!("for ${index}, ${value} in {list} {{\n{body}\n}}"));
            }
            6 => {
                let name = self.name();
                let (params, inner, types) = self.params(scope);
                let body = self.block(&inner, depth);
                out.push(format!("class {name}({params}) {{\n{body}\n}}"));
                scope.classes.push((name, types));
            }
            _ => match scope.classes.len() {
                0 => out.push(self.resource(scope)),
                n => {
                    let (name, types) = scope.classes[self.rng.usize(..n)].clone();
                    let args: Vec<String> = types.iter().map(|ty| self.expr(scope, *ty, 1)).collect();
                    out.push(format!("include {name}({})", args.join(", ")));
                }
            },
        }
    }

    fn params(&mut self, scope: &Scope) -> (String, Scope, Vec<Ty>) {
        let mut inner = scope.clone();
        let types: Vec<Ty> = (0..self.rng.usize(..3)).map(|_| self.ty()).collect();
        let mut params = Vec::new();
        for ty in &types {
            let name = self.name();
            let text = match ty {
                Ty::Int => "int",
                Ty::Str => "str",
                Ty::Bool => "bool",
                Ty::List => "[]str",
            };
            params.push(format!("${name} {text}"));
            inner.variables.push((name, *ty));
        }
        (params.join(", "), inner, types)
    }

    fn block(&mut self, scope: &Scope, depth: usize) -> String {
        let mut inner = scope.clone();
        let mut out = Vec::new();
        for _ in 0..=self.rng.usize(..3) {
            self.statement(&mut inner, depth - 1, &mut out);
        }
        out.join("\n")
    }

    fn resource(&mut self, scope: &Scope) -> String {
        self.resources += 1;
        let depth = self.depth();
        let text = self.expr(scope, Ty::Str, depth);
        let number = self.expr(scope, Ty::Int, depth);
        let condition = self.expr(scope, Ty::Bool, 1);
        let suffix = self.expr(scope, Ty::Str, 1);
        let name = self.resources;
        // No `int64`: where that is absent it equals 0, so of two alike resources the first in order would be shown.
        format!(
            "test [\"t{name}\" + {suffix},] {{\n\tanotherstr => {text},\n\tint64ptr => {condition} ?: {number},\n}}"
        )
    }

    fn variable(&mut self, scope: &Scope, ty: Ty) -> Option<String> {
        let fitting: Vec<&String> = scope.variables.iter().filter(|(_, t)| *t == ty).map(|(name, _)| name).collect();
        if fitting.is_empty() {
            return None;
        }
        Some(format!("${}", fitting[self.rng.usize(..fitting.len())]))
    }

    fn call(&mut self, scope: &Scope, ty: Ty, depth: usize) -> Option<String> {
        let fitting: Vec<_> = scope.functions.iter().filter(|(_, _, result)| *result == ty).collect();
        if fitting.is_empty() {
            return None;
        }
        let (name, types, _) = fitting[self.rng.usize(..fitting.len())].clone();
        let args: Vec<String> = types.iter().map(|ty| self.expr(scope, *ty, depth)).collect();
        Some(format!("{name}({})", args.join(", ")))
    }

    fn expr(&mut self, scope: &Scope, ty: Ty, depth: usize) -> String {
        let known = match self.rng.usize(..5) {
            0 | 1 => self.variable(scope, ty),
            2 if depth > 0 => self.call(scope, ty, depth - 1),
            _ => None,
        };
        if let Some(known) = known {
            return known;
        }
        if depth == 0 {
            return self.leaf(ty);
        }
        let (a, b) = (self.name(), self.name());
        let (choice, rare) = (self.rng.usize(..10), self.rng.usize(..8) == 0);
        let mut part = |ty: Ty| self.expr(scope, ty, depth - 1);
        match (choice, ty) {
            (0, Ty::Int) => format!("if {} {{ {} }} else {{ {} }}", part(Ty::Bool), part(Ty::Int), part(Ty::Int)),
            (1, Ty::Int) => format!("({} + {})", part(Ty::Int), part(Ty::Int)),
            (2, Ty::Int) => format!("({} * {})", part(Ty::Int), part(Ty::Int)),
            (3, Ty::Int) => format!("len({})", part(Ty::List)),
            (4, Ty::Int) => format!("len({})", part(Ty::Str)),
            (5, Ty::Int) => format!("([{}, 5,][{}] <|> {})", part(Ty::Int), part(Ty::Int), part(Ty::Int)),
            (6, Ty::Int) => format!("(convert.str_to_int({}) <|> {})", part(Ty::Str), part(Ty::Int)),
            (7, Ty::Int) => format!(
                "iter.reduce({}, iter.map({}, func(${a}) {{ len(${a}) }}), func(${a}, ${b}) {{ ${a} * 2 + ${b} }})",
                part(Ty::Int),
                part(Ty::List)
            ),
            // Now and then a failure that nothing catches; that must not be the fate of most programs.
            (8, Ty::Int) if rare => format!("[7, {},][{}]", part(Ty::Int), part(Ty::Int)),
            (_, Ty::Int) => format!("func(${a}) {{ ${a} + {} }}({})", part(Ty::Int), part(Ty::Int)),
            (0, Ty::Str) => format!("if {} {{ {} }} else {{ {} }}", part(Ty::Bool), part(Ty::Str), part(Ty::Str)),
            (1, Ty::Str) => format!("({} + {})", part(Ty::Str), part(Ty::Str)),
            (2, Ty::Str) => format!("fmt.printf(\"%s-%d\", {}, {})", part(Ty::Str), part(Ty::Int)),
            (3, Ty::Str) => format!("({}[{}] <|> {})", part(Ty::List), part(Ty::Int), part(Ty::Str)),
            (4, Ty::Str) if rare => format!("{}[{}]", part(Ty::List), part(Ty::Int)),
            (5, Ty::Str) => format!("func(${a}) {{ \"<${{{a}}}>\" }}({})", part(Ty::Str)),
            (6, Ty::Str) => {
                format!("iter.reduce({}, {}, func(${a}, ${b}) {{ ${a} + ${b} }})", part(Ty::Str), part(Ty::List))
            }
            (7, Ty::Str) if rare => format!("iter.reduce({}, func(${a}, ${b}) {{ ${b} }})", part(Ty::List)),
            (8, Ty::Str) => format!(
                "(struct{{a => {}[{}], b => {}}} <|> struct{{a => {}, b => {}}})->a",
                part(Ty::List),
                part(Ty::Int),
                part(Ty::Int),
                part(Ty::Str),
                part(Ty::Int)
            ),
            (_, Ty::Str) => format!("(struct{{a => {}, b => {}}}->a)", part(Ty::Str), part(Ty::Int)),
            (0, Ty::Bool) => format!(
                "(if {} {{ {} == {} }} else {{ {} < {} }})",
                part(Ty::Bool),
                part(Ty::Str),
                part(Ty::Str),
                part(Ty::Int),
                part(Ty::Int)
            ),
            (1, Ty::Bool) => format!("({} == {})", part(Ty::Str), part(Ty::Str)),
            (2, Ty::Bool) => format!("({} < {})", part(Ty::Int), part(Ty::Int)),
            (3, Ty::Bool) => format!("(not {})", part(Ty::Bool)),
            (4, Ty::Bool) => format!("({} in {})", part(Ty::Str), part(Ty::List)),
            (5, Ty::Bool) => {
                format!("((({} / {}) > 0.5) <|> {})", part(Ty::Int), part(Ty::Int), part(Ty::Bool))
            }
            (_, Ty::Bool) => format!("({} and ({} != {}))", part(Ty::Bool), part(Ty::Str), part(Ty::Str)),
            (0, Ty::List) => format!("if {} {{ [{},] }} else {{ {} }}", part(Ty::Bool), part(Ty::Str), part(Ty::List)),
            (1, Ty::List) => format!("iter.map({}, func(${a}) {{ ${a} + {} }})", part(Ty::List), part(Ty::Str)),
            (2, Ty::List) => format!("iter.filter({}, func(${a}) {{ ${a} != {} }})", part(Ty::List), part(Ty::Str)),
            (3, Ty::List) => format!(
                "iter.zip({}, {}, func(${a}, ${b}) {{ ${a} + ${b} + {} }})",
                part(Ty::List),
                part(Ty::List),
                part(Ty::Str)
            ),
            (4, Ty::List) => {
                format!("([{}[{}], {},] <|> {})", part(Ty::List), part(Ty::Int), part(Ty::Str), part(Ty::List))
            }
            (5, Ty::List) => {
                format!("iter.map({}, func(${a}) {{ {}[{}] <|> ${a} }})", part(Ty::List), part(Ty::List), part(Ty::Int))
            }
            (_, Ty::List) => format!("[{}, {},]", part(Ty::Str), part(Ty::Str)),
        }
    }

    fn leaf(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Int => self.rng.usize(..4).to_string(),
            Ty::Str => ["\"a\"", "\"b\"", "\"\"", "$hostname"][self.rng.usize(..4)].to_owned(),
            Ty::Bool => ["true", "false", "($hostname == \"box\")"][self.rng.usize(..3)].to_owned(),
            Ty::List => ["[\"a\",]", "[\"a\", \"b\",]", "[$hostname,]"][self.rng.usize(..3)].to_owned(),
        }
    }
}
