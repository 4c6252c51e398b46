//! Functions that have no value at first: nothing is described before all have one.

use rustix::process::Signal;

use crate::support::{Scratch, eventually};

#[test]
fn the_first_graph_waits_for_the_first_values() {
    let scratch = Scratch::new(
        "import \"os\"\n$a = os.system(\"echo one; exec sleep 1000\")\nif os.system(\"exec echo yes\") == \"yes\" {\n\tnoop \"${a}\" {}\n}\n",
    );
    scratch.build();
    let ran = scratch.run("mgmt-rt", &["graph", "main.bin"]);
    assert_eq!((ran.status, &*ran.out), (0, "noop[one]\n"), "{}", ran.err);
}

#[test]
fn commands_that_show_the_first_graph_give_up_in_the_end_and_say_why() {
    let scratch = Scratch::new("import \"os\"\nnoop [os.system(\"true\"), \"b\"] {}\n");
    scratch.build();
    for command in ["graph", "plan"] {
        let ran = scratch.run("mgmt-rt", &[command, "main.bin", "--wait", "0"]);
        assert_eq!((ran.status, &*ran.out), (1, ""), "{}", ran.err);
        assert!(ran.err.contains("R0106") && ran.err.contains("`os.system`"), "{}", ran.err);
    }
}

#[test]
fn what_a_function_started_ends_with_the_agent() {
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
