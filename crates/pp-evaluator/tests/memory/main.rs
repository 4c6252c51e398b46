//! An evaluation frees all that it has allocated: an agent evaluates again and again.

use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, Severity, SourceFile};
use pp_ast::Tree;
use pp_evaluator::{Environment, Options, Origin, Services, Source, compile};
use pp_functions::FileKind;
use pp_syntax::{Mode, parse};
use pp_types::{Error, ErrorKind};

/// Templates, and no files.
struct World;

impl Services for World {
    fn parse_epp(&self, file: FileId, text: &str) -> Result<Tree, Vec<Diagnostic>> {
        Ok(parse(file, text, Mode::Template).tree)
    }

    fn find_file(&self, _: FileKind, _: Option<&str>, _: &str) -> Option<Arc<str>> {
        None
    }

    fn read_file(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        Err(Error::new(ErrorKind::Evaluation, path))
    }

    fn module_directory(&self, _: &str) -> Option<Arc<str>> {
        None
    }
}

/// Programs in which what refers to itself holds a long string, made anew by each evaluation. `BIG` makes one.
const PROGRAMS: &[&str] = &[
    // Aliases that refer to themselves, to each other, and to an object type that refers to them.
    "type Tree = Variant[Enum[BIG], Array[Tree], Hash[String, Tree]]\nnotice([['x']] =~ Tree, Tree, Tree == Tree)",
    "type A = Variant[Enum[BIG], Array[B]]\ntype B = Array[A]\nnotice([[1]] =~ A, assert_type(B, []))",
    "type L = Object[{ attributes => { v => Enum[BIG], next => { type => Optional[L], value => undef } } }]\n\
     $l = L(BIG, L(BIG))\nnotice($l.next.v =~ String, $l == $l, $l =~ L)\nnotify { 'l': message => $l }",
    // Constructors and functions with recursive aliases of their own.
    "notice(String([BIG], { Array => { 'format' => '%a', 'string_formats' => { String => '%s' } } }))",
    // Blocks in blocks, iterators, closures over scopes, and matches.
    "$s = BIG\n[1, 2].each |$x| { [3].map |$y| { with(\"${s}${x}\") |$z| { $t = \"${z}${y}\" } } }\n\
     notice([1, 2, 3].step(2).map |$x| { \"${s}${x}\" }, $s =~ /(x+)/, tree_each([[$s]]).map |$p| { $p })",
    // Resources, relationships, collectors, defines and classes with defaults, templates.
    "class a($p = BIG) { $v = \"${p}-${title}\" notify { \"a${v}\": tag => 'b' } }\n\
     define d($q = \"${title}${BIG}\") { @notify { \"d${q}\": require => Class['a'] } }\n\
     include a\nd { ['1', '2']: }\nNotify <| |> { message +> BIG }\nNotify { loglevel => 'info' }\n\
     Notify <| title == 'none' |> -> D['1']\nnotice(inline_epp('<% |$x| %><%= $x %>', { 'x' => BIG }))",
    "notice(inline_template(\"<%= (1..3).map { |x| @title * x }.join(',') + BIG %>\"))",
    // Errors.
    "$s = BIG\nfail(\"${s}\")",
    "type T = Array[T]\n$s = BIG\nclass c(T $x) {}\nclass { 'c': x => [$s] }",
    "function f($x) { f(\"${x}x\") }\nnotice(f(BIG))",
];

/// An expression whose value is a string of this many bytes.
const LENGTH: usize = 2_000;

fn resident_kilobytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn evaluate(program: &str, options: &Options) {
    let parsed = parse(FileId::MAIN, program, Mode::Manifest);
    assert!(parsed.diagnostics.is_empty(), "{program}: {:?}", parsed.diagnostics);
    let mut environment = Environment::default();
    environment.files.files.push(SourceFile::new("site.pp", program));
    environment.sources.push(Source { origin: Origin::Main, tree: parsed.tree });
    let compilation = compile(&environment, options, &World);
    let is_rejected = compilation.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(compilation.catalog.is_none(), is_rejected);
    if let Some(catalog) = compilation.catalog {
        catalog.write_json(std::io::sink(), 0, "").expect("a catalog is JSON");
    }
}

#[test]
fn evaluations_free_what_they_allocate() {
    if resident_kilobytes().is_none() {
        test_support::skip("/proc/self/status does not tell the memory");
        return;
    }
    let mut options = Options::new("agent.example.com");
    options.budget.depth = 50;
    let big = format!("'{}'", "x".repeat(LENGTH));
    for program in PROGRAMS {
        let program = program.replace("${BIG}", "big").replace("BIG", &big);
        let round = |count: usize| {
            let before = resident_kilobytes().unwrap_or(0);
            (0..count).for_each(|_| evaluate(&program, &options));
            resident_kilobytes().unwrap_or(0) - before
        };
        round(50);
        // Memory may stay with the allocator in one round, but what leaks grows in each: by at least 2 kB an evaluation.
        let grown = (0..5).map(|_| round(300)).min().unwrap_or(0);
        assert!(grown < 300, "300 evaluations take {grown} kB more each time:\n{program}");
    }
}
