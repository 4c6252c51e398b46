//! `mclc test`: programs on machines that their tests describe.

use std::path::Path;
use std::process::Command;

use crate::support::{Ran, Scratch, bin, ran};

/// A module with a class, and these tests of it.
fn module(tests: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new(
        "import \"os\"\nclass motd($who) {\n\t$banner = os.readfile(\"/etc/banner\") <|> \"none\"\n\
         \tfile \"/etc/motd\" {\n\t\tstate => \"exists\",\n\t\tcontent => \"${who}: ${banner}\",\n\t}\n}\n",
    );
    scratch.write("metadata.yaml", "");
    std::fs::create_dir(scratch.path("tests")).expect("created");
    for (name, text) in tests {
        scratch.write(&format!("tests/{name}"), text);
    }
    scratch
}

fn test(scratch: &Scratch, more: &[&str]) -> Ran {
    scratch.run("mclc", &[&["test"], more].concat())
}

#[test]
fn each_step_gives_the_next_graph() {
    let scratch = module(&[(
        "steps.mcl",
        "# test: hostname = \"web1\"\n# test: file \"/etc/banner\" = absent\n\
         # test: step file \"/etc/banner\" = \"hello\"\n# test: step file \"/etc/banner\" = absent\n\
         import \"../\" as m\ninclude m.motd($hostname)\n",
    )]);
    let ran = test(&scratch, &["--bless"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let graph =
        |content: &str| format!("file[/etc/motd]\n    state => \"exists\"\n    content => \"web1: {content}\"\n");
    let expected = [&graph("none"), "# step 1\n", &graph("hello"), "# step 2\n", &graph("none")].concat();
    assert_eq!(scratch.read("tests/steps.graph"), Some(expected));
    assert_eq!(test(&scratch, &[]).status, 0);
    // A change of the module shows where it comes from.
    let program = scratch.read("main.mcl").expect("a program").replace("\"none\"", "\"nothing\"");
    scratch.write("main.mcl", &program);
    let ran = test(&scratch, &[]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    for line in
        ["@@ file[/etc/motd], main.mcl:4", "-     content => \"web1: none\"", "+     content => \"web1: nothing\""]
    {
        assert!(ran.out.contains(line), "{line} is missing in\n{}", ran.out);
    }
}

#[test]
fn function_without_an_answer_fails_by_name_and_is_never_expected() {
    for (program, missing, directive) in [
        ("import \"os\"\nprint [os.system(\"id\")] {}\n", r#"os.system("id")"#, r#"# test: exec "id" = "…""#),
        (
            "import \"os\"\nprint [os.readfile(\"/a\") <|> \"\"] {}\n",
            r#"os.readfile("/a")"#,
            r#"# test: file "/a" = "…""#,
        ),
        ("import \"sys\"\nprint [sys.getenv(\"A\") <|> \"\"] {}\n", r#"sys.getenv("A")"#, r#"# test: env "A" = "…""#),
        ("import \"os\"\nprint [os.family()] {}\n", "os.family()", "# test: call os.family() = …"),
        ("import \"sys\"\nprint [sys.hostname()] {}\n", "sys.hostname()", r#"# test: hostname = "…""#),
        (
            "import \"golang\"\nprint [golang.template(\"{{ os_family }}\")] {}\n",
            "os.family()",
            "# test: call os.family() = …",
        ),
        (
            "import \"datetime\"\nprint [datetime.str_now()] {}\n",
            "datetime.str_now()",
            "# test: call datetime.str_now() = …",
        ),
        ("print [random1(3)] {}\n", "random1(3)", "# test: call random1(3) = …"),
        ("print $hostname {}\n", "$hostname", r#"# test: hostname = "…""#),
    ] {
        let scratch = module(&[("a.mcl", program)]);
        let ran = test(&scratch, &["--bless"]);
        assert_eq!(ran.status, 1, "{program}{}", ran.out);
        assert!(ran.out.contains(&format!("the test does not give a value for `{missing}`")), "{program}{}", ran.out);
        assert!(ran.out.contains(directive), "{program}{}", ran.out);
        assert!(!scratch.path("tests/a.err").exists() && !scratch.path("tests/a.graph").exists(), "{program}");
    }
}

#[test]
fn values_of_the_machine_are_those_of_the_test() {
    let scratch = module(&[(
        "values.mcl",
        "# test: hostname = \"web1\"\n# test: exec \"id\" = \"first\\nlast\\n\"\n# test: env \"A\" = \"a\"\n\
         # test: env \"B\" = absent\n# test: call os.family() = \"none\"\n\
         # test: call sys.load() = struct{x1 => 0.5, x5 => 0.25, x15 => 0.125}\n\
         # test: file \"/etc/app/app.conf\" = \"\"\n\
         import \"fmt\"\nimport \"golang\"\nimport \"os\"\nimport \"sys\"\n\
         $b = sys.getenv(\"B\") <|> \"unset\"\n\
         print [fmt.printf(\"%s %s %s %s\", sys.hostname(), os.system(\"id\"), sys.getenv(\"A\"), $b)] {}\n\
         print [golang.template(\"{{ os_family }}\")] {}\n\
         print [fmt.printf(\"%v %v\", sys.load()->x1, os.file_exists(\"/etc/app\"))] {}\n",
    )]);
    let ran = test(&scratch, &["--bless"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let expected = "print[0.5 true]\nprint[none]\nprint[web1 last a unset]\n";
    assert_eq!(scratch.read("tests/values.graph").as_deref(), Some(expected));
}

#[test]
fn expectations_that_do_not_fit_are_failures() {
    let scratch = module(&[("ok.mcl", "noop \"n\" {}\n"), ("wrong.mcl", "noop \"n\" {}\nnoop $nope {}\n")]);
    let fails = |reason: &str| {
        let ran = test(&scratch, &[]);
        assert_eq!(ran.status, 1, "{}", ran.out);
        assert!(ran.out.contains(reason), "{reason} is missing in\n{}", ran.out);
    };
    fails("failed tests/ok.mcl: there is no expectation `tests/ok.graph`");
    fails("accept what the test gives with `mclc test --bless tests/ok.mcl`");
    fails("failed tests/wrong.mcl: the program has errors");
    assert_eq!(test(&scratch, &["--bless"]).status, 0);
    assert_eq!(scratch.read("tests/ok.graph").as_deref(), Some("noop[n]\n"));
    assert!(scratch.read("tests/wrong.err").expect("errors").starts_with("wrong.mcl:2:"));
    assert_eq!(test(&scratch, &[]).status, 0);

    scratch.write("tests/gone.graph", "noop[n]\n");
    fails("failed tests/gone.graph: there is no test `tests/gone.mcl`");
    std::fs::remove_file(scratch.path("tests/gone.graph")).expect("removed");
    scratch.write("tests/ok.err", "");
    fails("failed tests/ok.mcl: both `tests/ok.graph` and `tests/ok.err` exist");
    std::fs::remove_file(scratch.path("tests/ok.graph")).expect("removed");
    fails("failed tests/ok.mcl: expected the errors in `tests/ok.err`, found a graph");
    assert_eq!(test(&scratch, &["--bless"]).status, 0);
    assert!(!scratch.path("tests/ok.err").exists());
    scratch.write("tests/ok.mcl", "noop \"n\" {}\npanic(true)\n");
    fails("failed tests/ok.mcl: expected the graph in `tests/ok.graph`, found errors");
}

#[test]
fn wrong_comments_are_shown_where_they_are() {
    let scratch = module(&[("a.mcl", "# test: hostnam = \"web1\"\nnoop \"n\" {}\n")]);
    let ran = test(&scratch, &["--bless"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    for text in ["E0901", "tests/a.mcl:1:9", "did you mean `hostname`?"] {
        assert!(ran.out.contains(text), "{text} is missing in\n{}", ran.out);
    }
    scratch.write(
        "tests/a.mcl",
        "# test: call os.user_exists(\"a\") = 1\nimport \"os\"\nprint \"x\" {}\npanic(os.user_exists(\"a\"))\n",
    );
    let ran = test(&scratch, &["--bless"]);
    assert!(ran.out.contains("expected a value of type bool, found 1"), "{}", ran.out);
}

#[test]
fn both_sides_are_tested_together_with_the_facts_of_the_test() {
    let scratch = module(&[
        (
            "both.mcl",
            "# test: puppet = \"site.pp\"\n# test: hostname = \"web1.example.com\"\n# test: fact \"os.family\" = \"Plan9\"\n\
             # test: step fact \"os.family\" = \"Inferno\"\nnoop \"puppet_app\" {}\n\
             noop \"last\" {\n\tDepend => Noop[\"puppet_app\"],\n}\n",
        ),
        (
            "site.pp",
            "class mgmt_app { }\nnode default {\n  include mgmt_app\n  \
             file { '/etc/os': content => \"${facts['os']['family']} ${trusted['certname']} ${facts['networking']['fqdn']}\" }\n}\n",
        ),
    ]);
    let ran = test(&scratch, &["--bless"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let graph = scratch.read("tests/both.graph").unwrap_or_else(|| panic!("{:?}", scratch.read("tests/both.err")));
    for line in [
        "content => \"Plan9 web1.example.com web1.example.com\"",
        "content => \"Inferno web1.example.com web1.example.com\"",
        "noop[app] -> noop[last]",
    ] {
        assert!(graph.contains(line), "{line} is missing in\n{graph}");
    }
}

#[test]
fn puppet_code_finds_the_files_of_the_test_and_those_of_its_own() {
    let site =
        "notify { 'n': message => \"${file('/etc/hostname')} ${find_file('/etc/passwd')} ${template('m/t.erb')}\" }\n";
    let directives = [
        "# test: puppet = \"site.pp\"\n# test: modules = \"../modules\"\n",
        "# test: file \"/etc/hostname\" = \"other\"\n",
        "# test: file \"/etc/passwd\" = absent\n",
    ];
    let scratch = module(&[("a.mcl", directives[0]), ("site.pp", site)]);
    std::fs::create_dir_all(scratch.path("modules/m/templates")).expect("created");
    scratch.write("modules/m/templates/t.erb", "<%= 1 + 1 %>");
    let ran = test(&scratch, &["--bless"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    for missing in ["`/etc/hostname`", "`# test: file \"/etc/hostname\" = \"…\"`, or `absent`"] {
        assert!(ran.out.contains(missing), "{missing} is missing in\n{}", ran.out);
    }
    // What functions find counts, too, without an error of theirs.
    scratch.write("tests/a.mcl", &directives[..2].concat());
    let ran = test(&scratch, &["--bless"]);
    assert!(ran.status == 1 && ran.out.contains("`/etc/passwd`"), "{}", ran.out);
    assert!(!scratch.path("tests/a.err").exists() && !scratch.path("tests/a.graph").exists());
    scratch.write("tests/a.mcl", &directives.concat());
    let ran = test(&scratch, &["--bless"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let graph = scratch.read("tests/a.graph").unwrap_or_else(|| panic!("{:?}", scratch.read("tests/a.err")));
    assert!(graph.contains("other  2"), "{graph}");
    // The code of an artifact has no directory.
    let stored = ["puppet", "tests/site.pp", "--puppet-module-path", "modules", "-o", "tests/site.bin"];
    let ran = scratch.run("mclc", &stored);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    scratch.write("tests/a.mcl", "# test: puppet = \"site.bin\"\n");
    let ran = test(&scratch, &[]);
    assert!(ran.status == 1 && ran.out.contains("`/etc/hostname`"), "{}{}", ran.out, ran.err);
    scratch.write("tests/a.mcl", &directives.concat().replace("site.pp", "site.bin"));
    let ran = test(&scratch, &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn unusable_arguments_say_what_a_test_is() {
    let scratch = Scratch::new("noop \"n\" {}\n");
    for (args, message) in [
        (&["none"][..], "mclc: `none` does not exist\n"),
        (&["."], "mclc: no tests in `.`: a test is a `.mcl` file below a directory `tests`; `mclc init` makes one\n"),
        (&["main.mcl", "--filter", "zz"], "mclc: none of 1 tests has `zz` in its path\n"),
    ] {
        let ran = test(&scratch, args);
        assert_eq!((ran.status, &*ran.err), (2, message));
    }
}

#[test]
fn missing_runtime_is_named() {
    let scratch = module(&[("a.mcl", "noop \"n\" {}\n")]);
    let alone = scratch.path("mclc");
    std::fs::copy(bin().join("mclc"), &alone).expect("copied");
    let mut command = Command::new(&alone);
    command.arg("test").current_dir(scratch.path("")).env("PATH", "/nonexistent");
    let ran = ran(command.output().expect("the tool starts"));
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("cannot start `mgmt-rt`, which evaluates tests"), "{}", ran.out);
}

#[test]
fn tests_of_the_examples_pass() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let scratch = Scratch::new("");
    let ran = test(&scratch, &[&examples.display().to_string()]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("all passed"), "{}", ran.out);
}
