//! Random programs, compared with an installed Puppet.

use std::io::Write;
use std::process::{Command, Stdio};

use mcl_diagnostics::{FileId, Severity};
use serde_json::{Value, json};
use test_support::{RandomChoice, Rng, seeds, skip};

use crate::tests::support::place;
use crate::{Mode, ValidationOptions, parse, pn, validate};

/// Prints, for each program, Puppet's tree or the place of its syntax error, and the places of its validation errors.
const SCRIPT: &str = include_str!("oracle.rb");

#[test]
fn trees_and_errors_of_random_programs_equal_those_of_puppet() {
    let has_puppet = Command::new("ruby").args(["-e", "require 'puppet'"]).stderr(Stdio::null()).status();
    if !has_puppet.is_ok_and(|status| status.success()) {
        return skip("Puppet is not installed");
    }
    let programs: Vec<(u64, String)> = seeds(1_500)
        .map(|seed| (seed, Generator { random: Rng::with_seed(seed), out: String::new() }.program()))
        .collect();
    let mut differences = Vec::new();
    for ((seed, program), expected) in programs.iter().zip(puppet(programs.iter().map(|(_, program)| program))) {
        let found = ours(program);
        // Some programs are too much for Puppet's parser itself.
        if !agrees(&found, &expected) && expected["crash"].is_null() {
            let (expected, found) = (expected.to_string(), found.to_string());
            let same = expected.bytes().zip(found.bytes()).take_while(|(left, right)| left == right).count();
            let start = expected.floor_char_boundary(same.saturating_sub(60));
            let shown = |text: &str| text[start..text.floor_char_boundary(start + 200)].to_owned();
            let (expected, found) = (shown(&expected), shown(&found));
            differences.push(format!("SEED={seed}\n{program}\nPuppet: …{expected}\nfound:  …{found}\n"));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {}:\n{}",
        differences.len(),
        programs.len(),
        differences[..differences.len().min(8)].join("\n")
    );
}

/// Returns whether the trees or syntax errors are the same, the first validation error too, and no other one is missing. Puppet
/// reports only the first value without effect of a block.
fn agrees(found: &Value, expected: &Value) -> bool {
    let places = |value: &Value| value["invalid"].as_array().cloned().unwrap_or_default();
    let (ours, theirs) = (places(found), places(expected));
    // What follows a selector or an alias is a part of it for Puppet, which only validation rejects.
    if !theirs.is_empty() && found["syntax"].is_array() {
        return true;
    }
    found["pn"] == expected["pn"]
        && found["syntax"] == expected["syntax"]
        && ours.first() == theirs.first()
        && theirs.iter().all(|place| ours.contains(place))
}

/// Runs all programs in one Ruby process.
fn puppet<'p>(programs: impl Iterator<Item = &'p String>) -> Vec<Value> {
    let input: String = programs.map(|program| format!("{}\n", json!(program))).collect();
    let mut child = Command::new("ruby")
        .args(["-e", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("ruby was started before");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("ruby ends");
    writer.join().expect("no panic").expect("ruby reads all programs");
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn ours(program: &str) -> Value {
    let parsed = parse(FileId::MAIN, program, Mode::Manifest);
    if let Some(error) = parsed.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        // Puppet names no place for an unexpected end.
        let at_end = error.message.contains("end of input");
        return if at_end { json!({ "syntax": null }) } else { json!({ "syntax": place(program, error) }) };
    }
    let errors = validate(&parsed.tree, program, ValidationOptions::default());
    let mut places: Vec<_> = errors
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| place(program, diagnostic))
        .collect();
    places.sort_unstable();
    places.dedup();
    json!({ "pn": pn(&parsed.tree), "invalid": places })
}

/// Writes random programs, most of them valid.
struct Generator {
    random: Rng,
    out: String,
}

impl Generator {
    fn program(mut self) -> String {
        for _ in 0..self.random.usize(1..5) {
            self.statement(3);
            self.pick(&["\n", "\n", " ", "\n\n"]);
        }
        self.out
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn pick(&mut self, texts: &[&str]) {
        let text = *self.random.pick(texts);
        self.put(text);
    }

    fn list(&mut self, depth: u32, separator: &str, at_most: usize, item: fn(&mut Generator, u32)) {
        for index in 0..self.random.usize(..=at_most) {
            if index > 0 {
                self.put(separator);
            }
            item(self, depth);
        }
    }

    fn block(&mut self, depth: u32) {
        self.put(" {\n");
        for _ in 0..self.random.usize(..3) {
            self.statement(depth);
            self.put("\n");
        }
        self.put("}");
    }

    fn statement(&mut self, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.pick(&["notice(1)", "include a", "$x = 1", "notify { 'a': }", "return()"]);
        };
        match self.random.usize(..22) {
            0..3 => {
                self.pick(&["$a", "$b_c", "[$a, $b]", "$a[0]", "$x::y", "5"]);
                self.put(" = ");
                self.expression(depth);
            }
            3..6 => {
                self.pick(&["notice", "include", "realize", "foo", "a::b", "Integer"]);
                self.put("(");
                self.list(depth, ", ", 3, Generator::argument);
                self.put(")");
                if self.random.one_in(3) {
                    self.lambda(depth);
                }
            }
            6 => {
                self.pick(&["include ", "notice ", "fail ", "require ", "bar "]);
                self.expression(depth);
                if self.random.one_in(3) {
                    self.put(", ");
                    self.expression(depth);
                }
            }
            7..10 => self.resource(depth),
            10 => {
                self.pick(&["File", "A::B", "File['x']", "Notify[$x]", "$x['a']", "foo"]);
                self.put(" { ");
                self.list(depth, ", ", 2, Generator::attribute);
                self.put(" }");
            }
            11 => {
                self.pick(&["File <| ", "User <<| ", "Notify <| "]);
                let exported = self.out.ends_with("<<| ");
                self.list(depth, " and ", 2, |generator, depth| {
                    generator.pick(&["title", "tag", "$a", "owner"]);
                    generator.pick(&[" == ", " != ", " < "]);
                    generator.expression(depth.min(1));
                });
                self.put(if exported { " |>>" } else { " |>" });
            }
            12 | 13 => {
                self.pick(&["if ", "unless "]);
                let is_if = self.out.ends_with("if ");
                self.expression(depth);
                self.block(depth);
                if is_if && self.random.one_in(3) {
                    self.put(" elsif ");
                    self.expression(depth);
                    self.block(depth);
                }
                if self.random.one_in(3) {
                    self.put(" else");
                    self.block(depth);
                }
            }
            14 => {
                self.put("case ");
                self.expression(depth);
                self.put(" {\n");
                for _ in 0..self.random.usize(1..3) {
                    self.expression(depth);
                    if self.random.one_in(3) {
                        self.put(", default");
                    }
                    self.put(":");
                    self.block(depth);
                    self.put("\n");
                }
                self.put("}");
            }
            15 => {
                self.pick(&["class ", "define ", "function "]);
                self.pick(&["a", "b::c", "Bad", "a-b", "integer"]);
                if self.random.bool() {
                    self.put("(");
                    self.list(depth, ", ", 3, Generator::parameter);
                    self.put(")");
                }
                self.block(depth);
            }
            16 => {
                self.put("node ");
                self.pick(&["'a'", "default", "/x/", "a.b", "'a b'"]);
                self.block(depth);
            }
            17 | 18 => {
                self.pick(&["File['a']", "notify { 'b': }", "$x", "a"]);
                self.pick(&[" -> ", " ~> ", " <- ", " <~ "]);
                self.pick(&["File['a']", "notify { 'b': }", "$x", "[1, 2]"]);
            }
            // After an operand a slash, or another operator, would make the alias a part of an expression.
            19 if self.out.is_empty() => {
                self.put("type ");
                self.pick(&["A", "A::B"]);
                self.put(" = ");
                self.pick(&["Integer", "Struct[{ a => Integer }]", "Variant[A, B]", "Enum['x']"]);
                // For Puppet an alias is an expression that an operator or brace may continue.
                self.put(" notice(2)");
            }
            _ => self.expression(depth),
        }
    }

    fn resource(&mut self, depth: u32) {
        self.pick(&["", "", "@", "@@"]);
        self.pick(&["file", "a::b", "class", "Notify", "Resource[$x]"]);
        self.put(" { ");
        for index in 0..self.random.usize(1..3) {
            if index > 0 {
                self.put("; ");
            }
            self.pick(&["'t'", "$x", "['a', 'b']", "default", "\"x${y}\""]);
            self.put(": ");
            self.list(depth, ", ", 3, Generator::attribute);
        }
        self.put(" }");
    }

    fn attribute(&mut self, depth: u32) {
        self.pick(&["mode => ", "if => ", "a +> ", "* => ", "ensure => "]);
        self.expression(depth);
    }

    fn parameter(&mut self, depth: u32) {
        self.pick(&["", "Integer ", "Array[String] ", "Optional[A::B] "]);
        self.pick(&["$a", "$b", "$c", "$title", "$A"]);
        if self.random.one_in(3) {
            self.put(" = ");
            self.expression(depth);
        }
    }

    fn lambda(&mut self, depth: u32) {
        self.pick(&[" |$x|", " |Integer $x, $y = 1|", " ||"]);
        self.block(depth);
    }

    fn argument(&mut self, depth: u32) {
        self.expression(depth);
        if self.random.one_in(6) {
            self.put(" => ");
            self.expression(depth);
        }
    }

    fn expression(&mut self, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.pick(&[
                "1",
                "'a'",
                "$a",
                "$b::c",
                "undef",
                "true",
                "default",
                "abc",
                "A",
                "A::B",
                "1.5",
                "0x1f",
                "\"a${b}c\"",
                "/r/",
                "a-b",
                "[]",
                "$x[0]",
                "Integer[1, 2]",
                "\"$a $\"",
            ]);
        };
        match self.random.usize(..16) {
            0..5 => {
                self.expression(depth);
                self.pick(&[
                    " + ", " - ", " * ", " / ", " % ", " << ", " >> ", " == ", " != ", " < ", " <= ", " > ", " >= ",
                    " =~ ", " !~ ", " in ", " and ", " or ",
                ]);
                self.expression(depth);
            }
            5 => {
                self.pick(&["!", "-", "*", "! ", "- "]);
                self.expression(depth);
            }
            6 => {
                self.put("(");
                self.expression(depth);
                self.put(")");
            }
            7 => {
                self.put("[");
                self.list(depth, ", ", 3, Generator::argument);
                self.put("]");
            }
            8 => {
                self.put("{");
                self.list(depth, ", ", 3, |generator, depth| {
                    generator.expression(depth);
                    generator.put(" => ");
                    generator.expression(depth);
                });
                self.put("}");
            }
            9 => {
                self.pick(&["$a", "'x'", "foo(1)", "[1, 2]", "A"]);
                self.put(".");
                self.pick(&["map", "a::b", "type"]);
                if self.random.bool() {
                    self.put("(");
                    self.list(depth, ", ", 2, Generator::argument);
                    self.put(")");
                }
                if self.random.one_in(3) {
                    self.lambda(depth);
                }
            }
            10 => {
                self.pick(&["$a", "Foo", "foo(2)", "$a.b"]);
                self.put("[");
                self.expression(depth);
                self.put("]");
            }
            11 => {
                self.expression(depth);
                self.put(" ? { ");
                self.expression(depth);
                self.put(" => ");
                self.expression(depth);
                self.put(", default => 1 }");
            }
            12 => {
                self.put("\"a ${");
                let start = self.out.len();
                self.expression(depth);
                // After a name and a string Puppet takes the slash for a division.
                let inner = self.out.split_off(start).replace("/r/", "$r");
                self.put(&inner);
                self.put("} $b \\n\"");
            }
            13 => {
                self.pick(&["foo", "Integer", "type", "notice"]);
                self.put("(");
                self.list(depth, ", ", 2, Generator::argument);
                self.put(")");
            }
            _ => self.expression(0),
        }
    }
}
