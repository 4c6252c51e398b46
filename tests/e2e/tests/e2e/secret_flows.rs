//! A sensitive value that flows through random programs is found in nothing but what they make of it and in private files.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;
use test_support::{RandomChoice, Rng, eventually, for_each_seed_in_parallel};

use crate::support::{Agent, Ran, Scratch};

/// The sensitive value. No change of its case hides it from the test.
const SECRET: &str = "mk7qz9xwpplv3";

#[test]
fn sensitive_values_are_found_only_where_they_belong() {
    for_each_seed_in_parallel(12, run);
}

fn run(random: &mut Rng) {
    let scratch = Scratch::new(&program(random));
    scratch.write("key", SECRET);
    fs::set_permissions(scratch.path("key"), fs::Permissions::from_mode(0o600)).expect("a mode");
    let program = scratch.read("main.mcl").expect("a program");
    // The compiler shows the sources.
    let built = scratch.run("mclc", &["build", "main.mcl", "-o", "main.bin"]);
    assert_eq!(built.status, 0, "{program}\n{}", built.err);
    for args in [
        &["graph", "main.bin", "--prefix", "state"][..],
        &["graph", "main.bin", "--prefix", "state", "--format", "json"],
        &["graph", "main.bin", "--prefix", "state", "--format", "dot"],
        &["plan", "main.bin", "--prefix", "state"],
        &["plan", "main.bin", "--prefix", "state", "--format", "json", "--run-commands", "-o", "kept.plan"],
        &["apply", "main.bin", "--prefix", "state", "--once", "--noop"],
        &["apply", "main.bin", "--prefix", "state", "--once", "--backup"],
        &["apply", "main.bin", "--prefix", "state", "--once", "--log-format", "json"],
        &["plan", "main.bin", "--prefix", "state"],
    ] {
        check_output(&scratch.run("mgmt-rt", args), args, &program);
    }
    for format in ["text", "dot"] {
        let args = ["inspect", "main.bin", "--format", format];
        check_output(&scratch.run("mclc", &args), &args, &program);
    }
    if random.one_in(4) {
        check_status(&scratch, &program);
    }
    check_files(&scratch.path(""), false, &program);
}

#[track_caller]
fn check_output(ran: &Ran, args: &[&str], program: &str) {
    assert!([0, 1, 3].contains(&ran.status), "{args:?}: {}{}", ran.out, ran.err);
    let shown = ran.out.to_lowercase() + &ran.err.to_lowercase();
    assert!(!shown.contains(SECRET), "{args:?} of\n{program}\n{}{}", ran.out, ran.err);
}

/// Checks the log of an agent that is asked for its status.
fn check_status(scratch: &Scratch, program: &str) {
    let log = fs::File::create(scratch.path("log")).expect("a file");
    let mut command = scratch.command("mgmt-rt", &["apply", "main.bin", "--prefix", "state"]);
    command.stdout(log.try_clone().expect("a descriptor")).stderr(Stdio::from(log));
    let mut agent = Agent(command.spawn().expect("the tool starts"));
    let text = || scratch.read("log").unwrap_or_default();
    eventually("something is logged", || !text().is_empty());
    agent.signal(Signal::USR1);
    eventually("the status is logged", || text().contains(" running"));
    agent.signal(Signal::INT);
    agent.ends();
    assert!(!text().to_lowercase().contains(SECRET), "{program}\n{}", text());
}

/// Checks that the value is in no file but the program, what it reads and makes, and files that only their owner may read.
fn check_files(directory: &Path, is_state: bool, program: &str) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let metadata = fs::symlink_metadata(&path).expect("an entry");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mode = metadata.permissions().mode() & 0o777;
        if metadata.is_dir() {
            let is_state = is_state || name == "state";
            assert!(!is_state || mode & 0o077 == 0, "{} has the mode {mode:o}", path.display());
            check_files(&path, is_state, program);
            continue;
        }
        let is_made = !is_state && (name == "main.mcl" || name.starts_with("out"));
        let holds_secret = fs::read(&path).is_ok_and(|bytes| contains(&bytes, SECRET.as_bytes()));
        let is_private = mode & 0o077 == 0;
        assert!(!holds_secret || is_made || is_private, "{} has the mode {mode:o}: {program}", path.display());
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Makes a program in which a sensitive value flows through a few expressions to a few resources.
fn program(random: &mut Rng) -> String {
    let imports = ["fmt", "golang", "iter", "os", "secret", "strings", "value", "world"];
    let mut text: String = imports.iter().map(|module| format!("import \"{module}\"\n")).collect();
    text += "func wrapped($x) {\n\tfmt.printf(\"<%s>\", $x)\n}\n$shout = func($x) { fmt.printf(\"%s!\", $x) }\n$dir = \"@\"\n";
    let sources = [
        format!("secret.sensitive(\"{SECRET}\")"),
        "os.readfile(\"${dir}/key\")".to_owned(),
        format!("secret.sensitive(struct{{user => \"me\", password => \"{SECRET}\"}})->password"),
        format!("secret.sensitive({{\"a\" => \"{SECRET}\",}})[\"a\"]"),
    ];
    let _ = writeln!(text, "$s0 = {}", random.pick(&sources));
    let steps = 1 + random.usize(..4);
    for step in 0..steps {
        flow(random, &mut text, step);
    }
    text += "class box($name, $content) {\n\tfile \"@/out-${name}\" { state => \"exists\", content => $content, }\n}\n";
    for sink in 0..2 + random.usize(..5) {
        let source = format!("$s{}", random.usize(..=steps));
        sink_of(random, &mut text, sink, &source);
    }
    text
}

/// Adds `$s1`, which is computed from `$s0`.
fn flow(random: &mut Rng, text: &mut String, step: usize) {
    let x = format!("$s{step}");
    let value = match random.usize(..16) {
        0 => format!("fmt.printf(\"a %s b\", {x})"),
        1 => format!("\"a ${{s{step}}} b\""),
        2 => format!("wrapped({x})"),
        3 => format!("$shout({x})"),
        4 => format!("struct{{a => {x}, b => 1}}->a"),
        5 => format!("{{\"k\" => {x},}}[\"k\"]"),
        6 => format!("[{x}, \"public\"][0]"),
        7 => format!("iter.map([{x}, \"public\"], func($x) {{ wrapped($x) }})[0]"),
        8 => format!("if {x} == \"other\" {{ \"public\" }} else {{ {x} }}"),
        9 => format!("golang.template(\"v={{{{ . }}}}\", {x})"),
        10 => format!("strings.to_upper({x})"),
        11 => format!("strings.split({x}, \",\")[0]"),
        12 => format!("{x} + \"-suffix\""),
        13 => format!("strings.trim_space({x}) <|> \"public\""),
        14 => format!("iter.reduce(\"\", [{x}, \"public\"], func($x, $y) {{ $x + $y }})"),
        _ => format!("strings.join_nonempty([\"public\", {x}], \":\")"),
    };
    let _ = writeln!(text, "$s{} = {value}", step + 1);
}

/// Adds resources that get the value, some of which fail.
fn sink_of(random: &mut Rng, text: &mut String, i: usize, x: &str) {
    let variable = x.trim_start_matches('$');
    let _ = match random.usize(..27) {
        0 => writeln!(text, "file \"@/out{i}\" {{ state => \"exists\", content => {x}, }}"),
        1 => writeln!(text, "include box(\"{i}\", {x})"),
        2 => writeln!(
            text,
            "for $i, $v in [{x}] {{\n\tfile \"@/out{i}\" {{ state => \"exists\", content => $v, mode => \"0600\", }}\n}}"
        ),
        3 => writeln!(text, "exec \"e{i}\" {{ cmd => \"echo $X\", shell => \"/bin/sh\", env => {{\"X\" => {x},}}, }}"),
        4 => writeln!(
            text,
            "exec \"e{i}\" {{ cmd => \"echo $X >&2; exit 3\", shell => \"/bin/sh\", env => {{\"X\" => {x},}}, }}"
        ),
        5 => writeln!(text, "exec \"e{i}\" {{ cmd => \"/bin/echo\", args => [{x}], }}"),
        6 => writeln!(
            text,
            "exec \"e{i}\" {{ cmd => \"echo $X\", shell => \"/bin/sh\", env => {{\"X\" => {x},}}, }}\n\
             file \"@/out{i}\" {{ state => \"exists\", }}\nExec[\"e{i}\"].stdout -> File[\"@/out{i}\"].content"
        ),
        7 => writeln!(text, "print \"p{i}\" {{ msg => {x}, }}"),
        8 => writeln!(text, "msg \"m{i}\" {{ body => {x}, priority => \"Info\", }}"),
        9 => writeln!(
            text,
            "value \"v{i}\" {{ any => {x}, }}\nfile \"@/out{i}\" {{ state => \"exists\", }}\n\
             Value[\"v{i}\"].any -> File[\"@/out{i}\"].content\n$got{i} = value.get_str(\"v{i}\")\n\
             file \"@/out{i}-got\" {{ state => \"exists\", content => $got{i}->value, mode => \"0600\", }}"
        ),
        10 => writeln!(
            text,
            "kv \"k{i}\" {{ value => {x}, }}\n$kept{i} = world.getval(\"k{i}\")\n\
             file \"@/out{i}\" {{ state => \"exists\", content => $kept{i}->value, mode => \"0600\", }}"
        ),
        11 => writeln!(text, "line \"l{i}\" {{ file => \"@/out{i}\", state => \"exists\", content => {x}, }}"),
        12 => writeln!(text, "json:edit \"@/out{i}\" {{ edits => [fmt.printf(\".a = %q\", {x})], }}"),
        13 => writeln!(text, "gzip \"@/out{i}.gz\" {{ content => {x}, }}"),
        14 => writeln!(text, "file \"@/out{i}\" {{ state => \"exists\", content => {x}, Meta:export => [\"*\"], }}"),
        15 => {
            writeln!(text, "file \"@/out{i}\" {{ state => \"exists\", source => \"/nonexistent/${{{variable}}}\", }}")
        }
        16 => {
            let parameter = random.pick(&["owner", "group", "mode", "selinux"]);
            writeln!(text, "file \"@/out{i}\" {{ state => \"exists\", content => \"\", {parameter} => {x}, }}")
        }
        17 => {
            let parameter = random.pick(&["sig", "user", "group", "cwd", "shell"]);
            writeln!(text, "exec \"e{i}\" {{ cmd => \"true\", {parameter} => {x}, }}")
        }
        18 => {
            let parameter = random.pick(&["creates", "ifcmd", "nifcmd"]);
            writeln!(text, "exec \"e{i}\" {{ cmd => \"true\", {parameter} => \"/nonexistent/${{{variable}}}\", }}")
        }
        19 => {
            let parameter = random.pick(&["mtimes", "watchfiles"]);
            writeln!(text, "exec \"e{i}\" {{ cmd => \"true\", {parameter} => [\"/nonexistent/${{{variable}}}\"], }}")
        }
        20 => writeln!(
            text,
            "line \"l{i}\" {{ file => \"/nonexistent/${{{variable}}}\", state => \"exists\", content => \"x\", }}"
        ),
        21 => writeln!(
            text,
            "ssh:authorized_key \"a{i}\" {{ file => \"@/out{i}\", state => \"exists\", content => {x}, }}"
        ),
        22 => writeln!(text, "tar \"@/out{i}.tar\" {{ inputs => [\"/nonexistent/${{{variable}}}\"], }}"),
        23 => writeln!(
            text,
            "ini:setting \"a{i}\" {{ path => \"@/out{i}\", value => \"shown\", }}\n\
             ini:setting \"b{i}\" {{ path => \"@/out{i}\", value => {x}, }}"
        ),
        24 => writeln!(text, "ini:setting \"a{i}\" {{ path => \"@/out{i}\", values => [\"shown\", {x}], }}"),
        25 => writeln!(text, "cron:job \"c{i}\" {{ file => \"@/out{i}\", command => {x}, }}"),
        _ => writeln!(text, "json:edit \"@/out{i}\" {{ edits => [{x}], }}"),
    };
}
