//! Programs that nobody writes, of one construct repeated many times. Each would take a hundred times as long for ten times the
//! size if a stage compared each repetition with all others.

/// A kind of program.
pub struct Shape {
    pub name: &'static str,
    /// The number of repetitions in the smaller of its two programs.
    pub size: usize,
    pub make: fn(usize) -> String,
}

pub const SHAPES: [Shape; 26] = [
    Shape { name: "lines of comments", size: 100_000, make: comments },
    Shape { name: "operands", size: 10_000, make: operands },
    Shape { name: "sum of strings", size: 10_000, make: sum_of_strings },
    Shape { name: "elements of a list", size: 10_000, make: elements },
    Shape { name: "binds from the last on", size: 10_000, make: backwards },
    Shape { name: "functions that call", size: 10_000, make: calls },
    Shape { name: "aliases of includes", size: 10_000, make: aliases },
    Shape { name: "alias of an alias", size: 1_000, make: chained_aliases },
    Shape { name: "aliases of imports", size: 10_000, make: imports },
    Shape { name: "classes that include", size: 10_000, make: including_classes },
    Shape { name: "cycle of classes", size: 10_000, make: cycle },
    Shape { name: "nested blocks", size: 10_000, make: blocks },
    Shape { name: "open brackets", size: 10_000, make: open_brackets },
    Shape { name: "unused variables", size: 10_000, make: unused_variables },
    Shape { name: "unused, with errors", size: 10_000, make: unused_errors },
    Shape { name: "rings of edges", size: 10_000, make: rings },
    Shape { name: "hidden, deeply nested", size: 10_000, make: hidden },
    Shape { name: "lints of allowed kinds", size: 10_000, make: allowances },
    Shape { name: "allowances of a file", size: 10_000, make: file_allowances },
    Shape { name: "edges to nothing", size: 10_000, make: edges_to_nothing },
    Shape { name: "names of two resources", size: 10_000, make: many_names },
    Shape { name: "misspelt fields", size: 1_000, make: misspelt_fields },
    Shape { name: "long misspelt names", size: 100_000, make: long_names },
    Shape { name: "unknown names", size: 10_000, make: unknown_names },
    Shape { name: "errors of types", size: 10_000, make: type_errors },
    Shape { name: "errors of syntax", size: 10_000, make: syntax_errors },
];

/// Joins what `part` gives for each number.
fn repeat(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        text.push_str(&part(i));
        text
    })
}

fn test(value: &str) -> String {
    format!("test \"t\" {{\n\tint64 => {value},\n}}\n")
}

fn comments(n: usize) -> String {
    "# a comment\n".repeat(n) + "test \"t\" {}\n"
}

fn operands(n: usize) -> String {
    test(&vec!["1"; n].join(" + "))
}

fn sum_of_strings(n: usize) -> String {
    format!("test {} {{}}\n", vec!["\"a\""; n].join(" + "))
}

fn elements(n: usize) -> String {
    let numbers = repeat(n, |i| format!("{i}, "));
    format!("$list = [{}0]\n{}", numbers, test("$list[0]"))
}

fn backwards(n: usize) -> String {
    repeat(n, |i| format!("$x{i} = $x{} + 1\n", i + 1)) + &format!("$x{n} = 1\n{}", test("$x0"))
}

fn calls(n: usize) -> String {
    let functions = repeat(n, |i| format!("func f{}($a) {{ f{i}($a) }}\n", i + 1));
    format!("func f0($a) {{ $a }}\n{functions}{}", test(&format!("f{n}(1)")))
}

fn aliases(n: usize) -> String {
    let uses = repeat(n, |i| format!("include c as c{i}\ntest \"t{i}\" {{\n\tint64 => $c{i}.v,\n}}\n"));
    format!("class c {{\n\t$v = 1\n}}\n{uses}")
}

/// `$q.p.p.p.v`.
fn chained_aliases(n: usize) -> String {
    let classes = repeat(n, |i| format!("class c{} {{\n\tinclude c{i} as p\n}}\n", i + 1));
    format!("class c0 {{\n\t$v = 1\n}}\n{classes}include c{n} as q\n{}", test(&format!("$q{}.v", ".p".repeat(n))))
}

fn imports(n: usize) -> String {
    repeat(n, |i| format!("import \"fmt\" as f{i}\ntest \"t{i}\" {{\n\tanotherstr => f{i}.printf(\"%d\", {i}),\n}}\n"))
}

fn including_classes(n: usize) -> String {
    let classes = repeat(n, |i| format!("class c{}($a) {{\n\tinclude c{i}($a)\n}}\n", i + 1));
    format!("class c0($a) {{\n\ttest \"t${{a}}\" {{}}\n}}\n{classes}include c{n}(\"x\")\n")
}

fn cycle(n: usize) -> String {
    repeat(n, |i| format!("class c{i} {{\n\tinclude c{}\n}}\n", (i + 1) % n)) + "include c0\n"
}

fn blocks(n: usize) -> String {
    "if true {\n".repeat(n) + "test \"t\" {}\n" + &"}\n".repeat(n)
}

fn open_brackets(n: usize) -> String {
    format!("$x = {}\n", "[1, ".repeat(n))
}

fn unused_variables(n: usize) -> String {
    repeat(n, |i| format!("$v{i} = {i}\n")) + "test \"t\" {}\n"
}

/// Functions with type errors that nothing uses.
fn unused_errors(n: usize) -> String {
    repeat(n, |i| format!("func f{i}($x) {{\n\t$x + \"a\" + 1\n}}\n")) + "test \"t\" {}\n"
}

/// Edges that form cycles.
fn rings(n: usize) -> String {
    repeat(n, |i| format!("test \"a{i}\" {{\n\tBefore => Test[\"a{}\"],\n}}\n", (i + 1) % n))
}

/// Unused variables inside many blocks.
fn hidden(n: usize) -> String {
    const DEPTH: usize = 400;
    "if true {\n".repeat(DEPTH) + &unused_variables(n) + &"}\n".repeat(DEPTH)
}

fn allowances(n: usize) -> String {
    repeat(n, |i| format!("# mclc: allow(W0208)\n$v{i} = {i}\n")) + "test \"t\" {}\n"
}

fn file_allowances(n: usize) -> String {
    "# mclc: allow-file(W0208)\n".repeat(n) + &unused_variables(n)
}

fn edges_to_nothing(n: usize) -> String {
    repeat(n, |i| format!("test \"t{i}\" {{}}\n")) + &repeat(n, |i| format!("Test[\"t{i}\"] -> Test[\"u{i}\"]\n"))
}

/// Two resources with the same names and different contents.
fn many_names(n: usize) -> String {
    let names = repeat(n, |i| format!("\"{i}\", "));
    format!("test [{names}\"a\"] {{\n\tint64 => 1,\n}}\ntest [{names}\"a\"] {{\n\tint64 => 2,\n}}\n")
}

fn misspelt_fields(n: usize) -> String {
    let fields = repeat(n, |i| format!("field{i} => {i}, "));
    let uses = repeat(n, |i| format!("test \"t{i}\" {{\n\tint64 => $s->feild{i},\n}}\n"));
    format!("$s = struct{{{fields}last => 1}}\n{uses}")
}

fn long_names(n: usize) -> String {
    let name = "x".repeat(n);
    format!("$y{name} = 1\ntest \"{name}\" {{}}\nTest[\"{name}\"] -> Test[\"{name}y\"]\n{}", test(&format!("$z{name}")))
}

fn unknown_names(n: usize) -> String {
    repeat(n, |i| format!("test \"t{i}\" {{\n\tint64 => $unknown{i},\n}}\n"))
}

fn type_errors(n: usize) -> String {
    repeat(n, |i| format!("test \"t{i}\" {{\n\tint64 => \"a\",\n}}\n"))
}

fn syntax_errors(n: usize) -> String {
    repeat(n, |i| format!("test \"t{i}\" {{\n\tint64 = 1,\n}}\n"))
}
