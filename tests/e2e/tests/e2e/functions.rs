//! Functions without a first value: there is no resource graph before every function has one.

use rustix::process::Signal;

use test_support::eventually;

use crate::support::Scratch;

#[test]
fn first_graph_waits_for_all_first_values() {
    let scratch = Scratch::new(
        "import \"os\"\n$a = os.system(\"echo one; exec sleep 1000\")\nif os.system(\"exec echo yes\") == \"yes\" {\n\tnoop \"${a}\" {}\n}\n",
    );
    scratch.build();
    let ran = scratch.run("mgmt-rt", &["graph", "main.bin", "--run-commands"]);
    assert_eq!((ran.status, &*ran.out), (0, "noop[one]\n"), "{}", ran.err);
}

#[test]
fn plan_and_graph_run_no_commands_and_name_what_is_unknown() {
    let scratch = Scratch::new(
        r#"import "os"
$line = os.system("touch @/ran; echo x")
file "@/known" {
	state => "exists",
	Depend => File["@/unknown"],
}
file "@/unknown" {
	state => "exists",
	content => $line,
}
if $line == "x" {
	noop "inside" {}
}
"#,
    );
    scratch.build();
    for (command, status) in [("plan", 3), ("graph", 0)] {
        let ran = scratch.run("mgmt-rt", &[command, "main.bin"]);
        assert_eq!(ran.status, status, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("known]") && !ran.out.contains("unknown]"), "{}", ran.out);
        assert_eq!(ran.err.matches("R0107").count(), 3, "{}", ran.err);
        let is_named = |what: &str| ran.err.contains(what);
        assert!(is_named("`file`") && is_named("`if`") && is_named("the edge from file["), "{}", ran.err);
        assert!(!scratch.path("ran").exists(), "{command}");
    }
    let ran = scratch.run("mgmt-rt", &["graph", "main.bin", "--run-commands"]);
    assert!(ran.out.contains("unknown]") && ran.out.contains("inside"), "{}{}", ran.out, ran.err);
    assert!(scratch.path("ran").exists());
}

#[test]
fn graph_and_plan_report_the_function_without_a_value() {
    let scratch = Scratch::new("import \"os\"\nnoop [os.system(\"true\"), \"b\"] {}\n");
    scratch.build();
    for command in ["graph", "plan"] {
        let ran = scratch.run("mgmt-rt", &[command, "main.bin", "--run-commands", "--wait", "0"]);
        assert_eq!((ran.status, &*ran.out), (1, ""), "{}", ran.err);
        assert!(ran.err.contains("R0106") && ran.err.contains("`os.system`"), "{}", ran.err);
    }
}

#[test]
fn processes_of_functions_end_with_the_agent() {
    let scratch = Scratch::new(
        "import \"os\"\n$pid = os.system(\"echo $$; exec sleep 1000\")\nfile \"@/pid\" {\n\tstate => \"exists\",\n\tcontent => $pid,\n}\n",
    );
    scratch.build();
    let mut agent = scratch.apply(&[]);
    eventually("the file is written", || scratch.read("pid").is_some_and(|pid| !pid.is_empty()));
    let pid = scratch.read("pid").expect("just seen");
    let process = std::path::Path::new("/proc").join(pid);
    assert!(process.exists());
    agent.signal(Signal::INT);
    assert_eq!(agent.ends(), 0);
    assert!(!process.exists(), "{}", process.display());
}
