//! The whole process of `mclc puppet --emit catalog`, for manifests of several shapes and sizes: its time, its growth, and how
//! many times as long `puppet catalog compile` takes in the same run, where Puppet is installed.
//!
//! `cargo bench -p mclc --bench puppet`

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use test_support::{Scratch, min_time, ratio};

/// The numbers of resources.
const SIZES: [usize; 3] = [1_000, 5_000, 100_000];
/// Puppet needs minutes for more.
const MAX_FOR_PUPPET: usize = 5_000;

/// Ten resources in each class, with parameters, interpolation and an order.
fn classes(resources: usize) -> String {
    let mut text = String::new();
    for class in 0..resources / 10 {
        let _ = writeln!(text, "class c{class}(Integer $port = {class}, String $owner = 'root') {{");
        for file in 0..9 {
            let _ = write!(
                text,
                "  file {{ \"/srv/c{class}/f{file}-${{port}}\":\n    ensure  => file,\n    owner   => $owner,\n    \
                 mode    => '0644',\n    content => \"port ${{port}} of ${{facts['networking']['fqdn']}}\\n\",\n  }}\n"
            );
        }
        let _ = write!(
            text,
            "  notify {{ 'n{class}': require => File[\"/srv/c{class}/f0-${{port}}\"] }}\n}}\ninclude c{class}\n"
        );
    }
    text
}

/// Defines with ten resources each.
fn defines(resources: usize) -> String {
    let mut text = String::from(
        "define site(Integer $port, Array[String] $names = ['a', 'b']) {\n  $names.each |$index, $name| {\n    \
         notify { \"${title}-${name}\": message => \"${port} ${index}\" }\n  }\n",
    );
    for file in 0..7 {
        let _ = writeln!(
            text,
            "  file {{ \"/srv/${{title}}/{file}\": ensure => file, content => \"${{port}}\", tag => ['site', $title] }}"
        );
    }
    text.push_str("}\n");
    for instance in 0..resources / 10 {
        let _ = writeln!(text, "site {{ 's{instance}': port => {instance} }}");
    }
    text
}

/// Resources of one lambda, and collectors that change all of them.
fn collected(resources: usize) -> String {
    format!(
        "File {{ owner => 'root' }}\nInteger[1, {resources}].each |$i| {{\n  @file {{ \"/srv/${{i}}\": mode => '0600', tag => \
         \"t${{$i % 10}}\" }}\n}}\nFile <| tag == 't3' |> {{ mode => '0640' }}\nFile <| |>\n"
    )
}

fn compile(manifest: &Path, facts: &Path, runs: usize) -> Duration {
    min_time(runs, || {
        let status = Command::new(env!("CARGO_BIN_EXE_mclc"))
            .arg("puppet")
            .arg(manifest)
            .args(["--emit", "catalog", "--node", "agent.example.com", "--facts"])
            .arg(facts)
            .stdout(Stdio::null())
            .status()
            .expect("mclc starts");
        assert!(status.success(), "{}", manifest.display());
    })
}

fn compile_with_puppet(manifest: &Path, state: &Path) -> Option<Duration> {
    let run = || {
        Command::new("puppet")
            .args(["catalog", "compile", "--render-as", "rich_data_json", "--log_level", "warning", "--manifest"])
            .arg(manifest)
            .args(["--certname", "agent.example.com", "--vardir"])
            .arg(state)
            .arg("--confdir")
            .arg(state)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    let mut works = true;
    let time = min_time(2, || works &= run().is_ok_and(|status| status.success()));
    works.then_some(time)
}

fn main() {
    let scratch = Scratch::new();
    let facts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/facts.yaml");
    scratch.write("empty.pp", "");
    let empty = compile(&scratch.path("empty.pp"), &facts, 20);
    println!("an empty manifest: {empty:.2?}");
    for (name, shape) in [("classes", classes as fn(usize) -> String), ("defines", defines), ("collected", collected)] {
        let mut last = None;
        for size in SIZES {
            let file = format!("{name}{size}.pp");
            scratch.write(&file, shape(size));
            let manifest = scratch.path(&file);
            let time = compile(&manifest, &facts, if size > MAX_FOR_PUPPET { 3 } else { 10 });
            let growth = last.map_or(String::new(), |(before, of)| {
                let factor = ratio(time.saturating_sub(empty), of) / (size as f64 / before as f64);
                format!(", {factor:.2} times as long per resource as before")
            });
            let puppet = (size <= MAX_FOR_PUPPET).then(|| compile_with_puppet(&manifest, scratch.dir())).flatten();
            let puppet = puppet
                .map_or(String::new(), |puppet| format!(", Puppet takes {:.0} times as long", ratio(puppet, time)));
            println!("{name}, {size} resources: {time:.2?}{growth}{puppet}");
            last = Some((size, time.saturating_sub(empty)));
        }
    }
}
