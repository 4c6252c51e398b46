//! Compiling catalogs of many resources: the growth from one size to the next, and the share of parsing and of writing JSON.
//!
//! `cargo bench -p pp-evaluator`

use std::fmt::Write;
use std::time::{Duration, Instant};

use mcl_diagnostics::{FileId, Files};
use pp_evaluator::{Environment, NoServices, Options, Origin, Source, compile};
use pp_syntax::{Mode, parse};
use test_support::{min_of, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A manifest with about `n` resources: classes of 50 with parameters, native resources, instances of a define, iterations,
/// collectors and relationships.
fn manifest(n: usize) -> String {
    let mut code = String::from(
        "define site::page(String $content = 'none', Optional[Integer[0, 65535]] $port = undef) {\n\
         \x20 $path = \"/srv/pages/${title}\"\n\
         \x20 file { $path:\n    ensure  => file,\n    content => \"${content} ${port}\\n\",\n    mode    => '0644',\n  }\n}\n",
    );
    let classes = n.div_ceil(50);
    for class in 0..classes {
        let _ = write!(
            code,
            "class c{class}(Integer $count = 10, String $root = '/srv/c{class}') {{\n\
             \x20 File {{ owner => 'root' }}\n\
             \x20 file {{ $root: ensure => directory }}\n\
             \x20 Integer[1, $count].each |$i| {{\n\
             \x20   file {{ \"${{root}}/f${{i}}\":\n      ensure  => file,\n      content => \"line ${{i}} of ${{facts['kernel']}}\\n\",\n      require => File[$root],\n    }}\n\
             \x20   notify {{ \"c{class}-${{i}}\": message => sprintf('%03d', $i) }}\n\
             \x20 }}\n"
        );
        for page in 0..10 {
            let _ = writeln!(
                code,
                "  site::page {{ 'c{class}-p{page}':\n    content => 'page {page}',\n    port    => {} + {page},\n  }}",
                8000
            );
        }
        for package in 0..9 {
            let _ = writeln!(code, "  package {{ 'c{class}-pkg{package}': ensure => installed }}");
        }
        code.push_str("}\n");
        let _ = writeln!(code, "include c{class}");
        if class % 20 == 0 {
            let _ = writeln!(code, "File <| title == '/srv/c{class}' |> {{ mode => '0755' }}");
        }
    }
    code
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn main() {
    println!("{:>10} {:>10} {:>12} {:>10} {:>8}", "resources", "parse", "compile", "json", "growth");
    let mut earlier: Option<(usize, Duration)> = None;
    for n in [1_000, 10_000, 100_000] {
        let code = manifest(n);
        let mut resources = 0;
        let (mut parsing, mut writing) = (Duration::MAX, Duration::MAX);
        let compiling = min_of(if n > 50_000 { 2 } else { 5 }, || {
            let mut files = Files::default();
            let file = files.add("site.pp", &*code);
            assert_eq!(file, FileId::MAIN);
            let (parsed, time) = timed(|| parse(file, &code, Mode::Manifest));
            parsing = parsing.min(time);
            assert!(!parsed.has_errors());
            let environment = Environment { files, sources: vec![Source { origin: Origin::Main, tree: parsed.tree }] };
            let mut options = Options::new("bench.example.com");
            options.facts.insert("kernel".into(), "Linux".into());
            let (compilation, time) = timed(|| compile(&environment, &options, &NoServices));
            let catalog = compilation.catalog.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
            resources = catalog.len();
            let mut json = Vec::new();
            let (written, json_time) = timed(|| catalog.write_json(&mut json, 0, ""));
            written.expect("JSON");
            writing = writing.min(json_time);
            time
        });
        let growth = earlier.map(|(before, time)| ratio(compiling, time) / (resources as f64 / before as f64));
        let growth = growth.map_or_else(String::new, |growth| format!("{growth:.2}"));
        println!("{resources:>10} {parsing:>10.1?} {compiling:>12.1?} {writing:>10.1?} {growth:>8}");
        earlier = Some((resources, compiling));
    }
}
