//! What a resource kind refuses when a program runs is a warning (W0205) when it is compiled.

use mcl_diagnostics::Code;
use rayon::prelude::*;
use resource_graph::{Check, Field, all_kinds};

use crate::tests::program::check;

/// Values that are refused by the code of a kind: kind, name, entry.
const REFUSED: &[(&str, &str, &str)] = &[
    ("cron:job", "job", r#"user => "a b""#),
    ("cron:job", "job", r#"file => "relative""#),
    ("cron:job", "job", r#"command => "a\nb""#),
    ("cron:job", "job", r#"environment => ["no assignment"]"#),
    ("cron:job", "job", r#"special => "hourly-ish""#),
    ("cron:job", "job", "hour => \"2 5\",\n\tcommand => \"true\""),
    ("docker:container", "box", r#"env => ["no assignment"]"#),
    ("docker:container", "box", r#"apiversion => "new""#),
    ("exec", "run", r#"sig => "SIGNONE""#),
    ("exec", "run", r#"watchfiles => [""]"#),
    ("exit", "end", "code => 126"),
    ("file", "/tmp/a", r#"mode => "9999""#),
    ("file", "/tmp/a", r#"mode => "77777""#),
    ("file", "/tmp/a", r#"mode => "rw""#),
    ("file", "/tmp/a", r#"mode_change => "x+u""#),
    ("file", "/tmp/a", r#"dirname => "/tmp""#),
    ("file", "/tmp/a", r#"basename => "/a""#),
    ("file", "/tmp/a", r#"fragments => ["relative"]"#),
    ("firewalld", "public", r#"ports => ["80"]"#),
    ("gzip", "/tmp/a.gz", "level => 10"),
    ("http:client", "https://example.com/", r#"method => "FETCH""#),
    ("http:client", "https://example.com/", r#"url => "ftp://example.com/""#),
    ("http:client", "fetch", "sha256 => \"abc\",\n\turl => \"https://example.com/\""),
    ("http:server", ":8080", r#"address => "no port""#),
    ("ini:setting", "a", r#"separator => """#),
    ("ini:setting", "a", r#"value => "a\nb""#),
    ("json:edit", "/tmp/a.json", r#"edits => ["no path"]"#),
    ("net", "eth0", r#"addrs => ["10.0.0.1"]"#),
    ("net", "eth0", r#"gateway => "router""#),
    ("pkg", "nginx", r#"state => "latest""#),
    ("remote", "host", r#"remote => "a b""#),
    ("ssh:authorized_key", "ann", r#"content => "no key""#),
    ("sysctl", "net.ipv4.ip_forward", r#"value => " 1""#),
    ("sysctl", "net.ipv4.ip_forward", "path => \"relative.conf\",\n\tvalue => \"1\""),
    ("sysctl", "net.ipv4.ip_forward", "path => \"/etc/sysctl.d/a\",\n\tvalue => \"1\""),
    ("tar", "/tmp/a.tar", r#"inputs => ["relative"]"#),
    ("timer", "tick", "interval => 0"),
    ("user", "ann", r#"group => """#),
    ("user", "ann", r#"groups => ["a b"]"#),
    ("user", "ann", r#"homedir => "/home/ann""#),
    ("virt:network", "net", r#"uuid => "1""#),
];

/// Whether line 2 of a program, the entry, has a warning of a refused value.
fn is_warned_of(kind: &str, name: &str, entry: &str, other: &str) -> bool {
    let program = format!("{kind} \"{name}\" {{\n\t{entry},\n{other}}}\n");
    let checked = check(&[("main.mcl", program)]);
    checked.diagnostics.iter().any(|diagnostic| {
        let line = diagnostic.span.map(|span| checked.files.line_col(span.file, span.start).line);
        diagnostic.code == Code::W0205 && line == Some(2)
    })
}

/// Returns a value that the schema of a parameter refuses, if there is one.
fn refused_by_schema(field: &Field) -> Option<String> {
    let range = field.int_range();
    if *range.end() < i64::MAX || *range.start() > i64::MIN {
        let below = range.start().checked_sub(1)?;
        return Some(below.to_string());
    }
    let text = match field.check {
        Check::Any => return None,
        Check::OneOf(_) => "no such value",
        Check::NotEmpty => "",
        Check::AbsolutePath | Check::AbsoluteFile | Check::AbsoluteDirectory => "relative",
    };
    Some(if field.ty == "[]str" { format!("[{text:?}]") } else { format!("{text:?}") })
}

#[test]
fn every_constraint_of_every_schema_is_checked_at_compile_time() {
    let fields = all_kinds().iter().filter(|kind| kind.is_public()).flat_map(|kind| {
        let refused = |field: &Field| refused_by_schema(field).map(|value| format!("{} => {value}", field.name));
        kind.fields.iter().filter_map(move |field| Some((kind.name, refused(field)?)))
    });
    let fields: Vec<(&str, String)> = fields.collect();
    assert!(fields.len() > 100, "{}", fields.len());
    let missed: Vec<String> = fields
        .par_iter()
        .filter(|(kind, entry)| !is_warned_of(kind, "name", entry, ""))
        .map(|(kind, entry)| format!("{kind}: {entry}"))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn values_that_a_kind_refuses_are_warned_of_also_beside_computed_ones() {
    let missed: Vec<String> = REFUSED
        .par_iter()
        .flat_map_iter(|(kind, name, entry)| {
            let beside = ["", "\tMeta:retry => len($hostname),\n"];
            beside.into_iter().filter(|other| !is_warned_of(kind, name, entry, other)).map(move |other| {
                format!("{kind}: {entry} {}", if other.is_empty() { "alone" } else { "beside a computed value" })
            })
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn nothing_is_refused_because_of_what_is_computed() {
    let programs = [
        "gzip \"/tmp/a.gz\" {\n\tinput => \"/tmp/${hostname}\",\n}\n",
        "sysctl \"kernel.domainname\" {\n\tvalue => $hostname,\n}\n",
        "file \"/tmp/a\" {\n\tcontent => $hostname,\n\tstate => \"exists\",\n}\n",
        "$s = if $hostname == \"a\" { \"exists\" } else { \"absent\" }\nuser \"ann\" {\n\tstate => $s,\n\tuid => 1000,\n}\n",
    ];
    for program in programs {
        let found = check(&[("main.mcl", program.to_owned())]).diagnostics;
        assert_eq!(found, [], "{program}");
    }
}
