//! A sensitive value is shown nowhere, and what holds it is private.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use test_support::{eventually, skip};

use crate::support::{Agent, Ran, Scratch};

/// What must never be printed.
const SECRET: &str = "correct-horse-battery";

#[track_caller]
fn assert_hidden(ran: &Ran) {
    assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET), "{}{}", ran.out, ran.err);
}

/// Runs every command that shows values of a program, and checks that it shows none.
#[track_caller]
fn check(program: &str) -> Scratch {
    let scratch = Scratch::new(&program.replace("SECRET", SECRET));
    scratch.build();
    for args in [
        &["graph", "main.bin"][..],
        &["graph", "main.bin", "--format", "json"],
        &["plan", "main.bin", "--prefix", "state"],
        &["plan", "main.bin", "--prefix", "state", "--format", "json"],
    ] {
        let ran = scratch.run("mgmt-rt", args);
        assert!([0, 3].contains(&ran.status), "{args:?}: {}{}", ran.out, ran.err);
        assert_hidden(&ran);
    }
    for format in ["text", "json"] {
        let ran = scratch.apply_once(&["--log-format", format]);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert_hidden(&ran);
    }
    scratch
}

#[test]
fn what_is_computed_from_a_sensitive_value_is_hidden() {
    let scratch = check(
        r#"import "fmt"
import "iter"
import "secret"

$s = secret.sensitive("SECRET")
func shout($x) {
	fmt.printf("<%s>", $x)
}
$map = {"a" => $s, "b" => "public"}
$record = struct{x => $s, y => 1}
$list = iter.map([$s, "public"], func($x) { shout($x) })
class box($content, $name) {
	file "@/box-${name}" { state => "exists", content => $content, }
}
include box($s, "one")
file "@/direct" { state => "exists", content => $s, }
file "@/text" { state => "exists", content => "a ${s} b", }
file "@/called" { state => "exists", content => shout($s), }
file "@/map" { state => "exists", content => $map["a"], }
file "@/struct" { state => "exists", content => $record->x, }
file "@/list" { state => "exists", content => $list[0], }
file "@/chosen" { state => "exists", content => if $s == "x" { "x" } else { "SECRET-of-the-branch" }, }
for $i, $x in [$s] {
	file "@/loop" { state => "exists", content => $x, }
}
forkv $k, $v in {"k" => $s} {
	file "@/keyed" { state => "exists", content => fmt.printf("%s", $v), }
}
exec "run" { cmd => "echo ${s} >/dev/null", shell => "/bin/sh", }
print "p" { msg => "the value is ${s}", }
"#,
    );
    assert_eq!(scratch.read("text"), Some(format!("a {SECRET} b")), "it is used as it is");
    assert_eq!(scratch.read("keyed").as_deref(), Some(SECRET));
}

#[test]
fn errors_about_a_sensitive_value_do_not_quote_it() {
    for statement in [
        r#"file "@/x" { state => "exists", content => "", mode => $s, }"#,
        r#"exec "e" { cmd => "echo ${s} >&2; exit 3", shell => "/bin/sh", }"#,
        r#"import "os"
file "@/x" { state => "exists", content => os.readfile("/nonexistent/${s}"), }"#,
        r#"panic($s == "SECRET")
file "@/x" { state => $s, }"#,
        r#"file "/x-${s}" {}"#,
        r#"file "@/x" { state => "exists", }
exec "e" { cmd => "true", Depend => File["${s}"], }"#,
    ] {
        let program = format!(
            "import \"fmt\"\nimport \"secret\"\n$s = secret.sensitive(\"SECRET\")\n$t = fmt.printf(\"%s\", $s)\n{statement}\n"
        );
        let scratch = Scratch::new(&program.replace("SECRET", SECRET));
        let built = scratch.run("mclc", &["build", "main.mcl", "-o", "main.bin"]);
        if built.status != 0 {
            panic!("{statement}: {}{}", built.out, built.err);
        }
        let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
        assert_eq!(ran.status, 1, "{statement}: {}{}", ran.out, ran.err);
        assert_hidden(&ran);
    }
}

#[test]
fn a_value_can_be_declared_harmless_again() {
    let scratch = Scratch::new(
        "import \"secret\"\n$s = secret.nonsensitive(secret.sensitive(\"harmless\"))\nfile \"@/${s}\" { state => \"exists\", content => $s, }\n",
    );
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("harmless").as_deref(), Some("harmless"));
}

#[test]
fn artifacts_that_may_hold_sensitive_values_are_private() {
    let mode = |scratch: &Scratch, name: &str| {
        fs::metadata(scratch.path(name)).expect("an artifact").permissions().mode() & 0o777
    };
    let scratch = Scratch::new("import \"secret\"\nprint \"p\" { msg => secret.sensitive(\"x\"), }\n");
    scratch.build();
    assert_eq!(mode(&scratch, "main.bin"), 0o600);
    for stage in ["lex", "parse", "interpolate", "scope", "unify", "fgraph"] {
        let ran = scratch.run("mclc", &[stage, "main.mcl", "-o", stage]);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert_eq!(mode(&scratch, stage), 0o600, "{stage}");
    }
    let scratch = Scratch::new("print \"p\" { msg => \"x\", }\n");
    scratch.build();
    assert_ne!(mode(&scratch, "main.bin"), 0o600);
}

#[test]
fn artifacts_with_private_files_are_private() {
    let scratch = Scratch::new("import \"deploy\"\nprint \"p\" { msg => deploy.readfile(\"/files/key\"), }\n");
    fs::create_dir(scratch.path("files")).expect("a directory");
    scratch.write("metadata.yaml", "");
    scratch.write("files/key", SECRET);
    let mode = |name: &str| fs::metadata(scratch.path(name)).expect("an artifact").permissions().mode() & 0o777;
    for (key, is_private) in [(0o600, true), (0o640, true), (0o644, false)] {
        fs::set_permissions(scratch.path("files/key"), fs::Permissions::from_mode(key)).expect("a mode");
        for (stage, input, output) in [("build", ".", "built"), ("lex", ".", "tokens"), ("parse", "tokens", "ast")] {
            let _ = fs::remove_file(scratch.path(output));
            let ran = scratch.run("mclc", &[stage, input, "-o", output]);
            assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
            assert_eq!(mode(output) == 0o600, is_private, "{stage} of {key:o}: {:o}", mode(output));
        }
    }
}

#[test]
fn inspect_hides_sensitive_literals_in_every_format() {
    let scratch = Scratch::new(
        &"import \"secret\"\nprint \"p\" { msg => secret.sensitive(\"SECRET\"), }\nvirt \"v\" { uri => \"qemu:///session\", AUTH }\n"
            .replace("AUTH", "auth => struct{username => \"SECRET-user\", password => \"SECRET-pass\"},")
            .replace("SECRET", SECRET),
    );
    scratch.build();
    for format in ["text", "json", "dot"] {
        let ran = scratch.run("mclc", &["inspect", "main.bin", "--format", format]);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("print"), "{format}: {}", ran.out);
        assert_hidden(&ran);
    }
}

#[test]
fn memory_with_sensitive_values_is_not_in_core_dumps() {
    let dumps_core = |program: &str| {
        let scratch = Scratch::new(program);
        scratch.build();
        let tool = crate::support::bin().join("mgmt-rt");
        let script = "ulimit -c unlimited; exec \"$0\" apply main.bin --prefix state";
        let mut command = std::process::Command::new("/bin/sh");
        command
            .args(["-c", script])
            .arg(tool)
            .current_dir(scratch.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let agent = Agent(command.spawn().expect("a shell"));
        eventually("the file is written", || scratch.read("f").is_some());
        agent.signal(rustix::process::Signal::ABORT);
        let mut agent = agent;
        let mut status = None;
        eventually("the agent ends", || {
            status = agent.0.try_wait().expect("a child");
            status.is_some()
        });
        status.expect("it ended").core_dumped()
    };
    let file = "file \"@/f\" { state => \"exists\", content => CONTENT, }\n";
    if !dumps_core(&file.replace("CONTENT", "\"x\"")) {
        return skip("the kernel writes no core dumps here");
    }
    let content = format!("secret.sensitive(\"{SECRET}\")");
    assert!(!dumps_core(&format!("import \"secret\"\n{}", file.replace("CONTENT", &content))));
}

#[test]
fn what_a_resource_sends_is_as_sensitive_as_its_parameters() {
    let scratch = check(
        r#"import "secret"
$s = secret.sensitive("SECRET")
value "v" { any => $s, }
value "w" {}
file "@/received" { state => "exists", }
file "@/twice" { state => "exists", }
exec "e" { cmd => "printf %s $X", shell => "/bin/sh", env => {"X" => $s,}, }
file "@/output" { state => "exists", }
print "p" { msg => "nothing", }
Value["v"].any -> File["@/received"].content
Value["v"].any -> Value["w"].any
Value["w"].any -> File["@/twice"].content
Value["w"].any -> Print["p"].msg
Exec["e"].output -> File["@/output"].content
"#,
    );
    for name in ["received", "twice", "output"] {
        assert_eq!(scratch.read(name).as_deref(), Some(SECRET), "{name}");
    }
}

#[test]
fn a_generated_password_is_hidden() {
    let scratch = Scratch::new(
        "password \"p\" { length => 20, }\nprint \"show\" { msg => \"\", }\nfile \"@/f\" { state => \"exists\", }\n\
         Password[\"p\"].password -> File[\"@/f\"].content\nPassword[\"p\"].password -> Print[\"show\"].msg\n",
    );
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let password = scratch.read("f").expect("a file");
    assert_eq!(password.len(), 20);
    assert!(!ran.out.contains(&password) && !ran.err.contains(&password), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("********") || ran.err.contains("********"), "{}{}", ran.out, ran.err);
}

#[test]
fn stored_values_come_back_sensitive() {
    let write = r#"import "secret"
value "v" { any => secret.sensitive("SECRET"), }
kv "k" { value => secret.sensitive("SECRET"), }
kv "space" { value => secret.sensitive("SECRET"), mapped => true, }
"#;
    let read = r#"import "value"
import "world"
import "fmt"
$v = value.get_str("v")
$k = world.getval("k")
$all = world.kvlookup("space")
file "@/v" { state => "exists", content => $v->value, }
file "@/k" { state => "exists", content => $k->value, }
file "@/all" { state => "exists", content => fmt.printf("%v", $all), }
"#;
    let scratch = check(write);
    scratch.write("main.mcl", &read.replace('@', &scratch.path("").display().to_string()));
    scratch.build();
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]);
    assert_hidden(&plan);
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_hidden(&ran);
    assert_eq!(scratch.read("k").as_deref(), Some(SECRET));
    let plan = scratch.run("mgmt-rt", &["graph", "main.bin"]);
    assert_hidden(&plan);
}

#[test]
fn contents_of_files_that_not_everybody_may_read_are_sensitive() {
    for function in ["os.readfile", "golang_os.read_file"] {
        for (mode, is_hidden) in [(0o600, true), (0o640, true), (0o644, false)] {
            let scratch = Scratch::new(&format!(
                "import \"os\"\nimport \"golang/os\" as golang_os\n$dir = \"@\"\nprint \"p\" {{ msg => {function}(\"${{dir}}/key\"), }}\n"
            ));
            scratch.write("key", SECRET);
            fs::set_permissions(scratch.path("key"), fs::Permissions::from_mode(mode)).expect("a mode");
            let ran = scratch.apply_once(&[]);
            assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
            assert_eq!(!ran.out.contains(SECRET), is_hidden, "{function} {mode:o}: {}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn plans_do_not_show_private_files() {
    let scratch = Scratch::new(
        r#"file "@/new" { state => "exists", content => "SECRET\n", mode => "0600", }
file "@/closed" { state => "exists", content => "other\n", mode => "0640", }
file "@/opened" { state => "exists", content => "other\n", mode => "0644", }
file "@/public" { state => "exists", content => "visible\n", mode => "0644", }
line "x" { state => "exists", file => "@/lines", content => "one more", }
"#
        .replace("SECRET", SECRET)
        .as_str(),
    );
    for (name, mode) in [("closed", 0o644), ("opened", 0o600), ("lines", 0o600)] {
        scratch.write(name, &format!("{SECRET}\n"));
        fs::set_permissions(scratch.path(name), fs::Permissions::from_mode(mode)).expect("a mode");
    }
    scratch.build();
    for format in ["text", "json"] {
        let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "--format", format]);
        assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
        assert_hidden(&plan);
        assert!(plan.out.contains("visible"), "{}", plan.out);
        assert!(plan.out.matches("********").count() > 3, "{}", plan.out);
    }
}

#[test]
fn excerpts_of_the_sources_do_not_show_sensitive_literals() {
    let mark = "func hidden($x) {\n\tsecret.sensitive($x)\n}\n$f = func($x) { secret.sensitive($x) }\n";
    for value in [
        r#"secret.sensitive("SECRET")"#,
        r#"secret.sensitive("a\nSECRET\n\"b\"")"#,
        r#"secret.sensitive(["SECRET", "SECRET-2"])"#,
        r#"secret.sensitive({"k" => "SECRET",})"#,
        r#"secret.sensitive(struct{a => "SECRET", b => 1})"#,
        r#"secret.sensitive("x-${hostname}-SECRET")"#,
        r#"hidden("SECRET")"#,
        r#"$f("SECRET")"#,
        r#"iter.map(["SECRET"], func($x) { secret.sensitive($x) })"#,
    ] {
        let program = format!(
            "import \"fmt\"\nimport \"iter\"\nimport \"secret\"\n{mark}panic(len(fmt.printf(\"%v\", {value})) >= 0)\nprint \"p\" {{ msg => fmt.printf(\"%v\", {value}), }}\n"
        );
        let scratch = Scratch::new(&program.replace("SECRET", SECRET));
        scratch.build();
        let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
        assert_eq!(ran.status, 1, "{value}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("panic("), "{value}: {}", ran.err);
        assert_hidden(&ran);
        assert_hidden(&scratch.run("mclc", &["inspect", "main.bin"]));
    }
}
