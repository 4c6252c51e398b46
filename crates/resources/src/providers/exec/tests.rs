//! Real commands.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcl_value::Value;
use resource_graph::{Resource, ResourceId};

use crate::StateDir;
use crate::provider_test::ProviderTest;
use crate::{ApplyContext, Cancel, CancelLevel, CheckRequest, Context, Failure, Sent, build};

struct ExecTest {
    dir: tempfile::TempDir,
    apply_context: ApplyContext,
}

struct Ran {
    changes: Vec<String>,
    sent: Vec<Sent>,
    result: Result<(), Failure>,
}

impl ExecTest {
    fn new() -> ExecTest {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::open(&dir.path().join("prefix")).unwrap();
        ExecTest { apply_context: ApplyContext { state: Some(Arc::new(state)), ..ApplyContext::default() }, dir }
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir.path().display())
    }

    fn run(&self, resource: &Resource, apply: bool) -> Ran {
        self.run_with(resource, apply, &Cancel::new())
    }

    /// As [`ExecTest::run`], after a notification.
    fn refresh(&self, resource: &Resource) -> Ran {
        self.check(resource, true, true, &Cancel::new())
    }

    fn run_with(&self, resource: &Resource, apply: bool, cancel: &Arc<Cancel>) -> Ran {
        self.check(resource, apply, false, cancel)
    }

    fn check(&self, resource: &Resource, apply: bool, refresh: bool, cancel: &Arc<Cancel>) -> Ran {
        let mut kind = build(std::slice::from_ref(resource)).unwrap();
        let mut cx = Context::new(CheckRequest {
            refresh,
            ..CheckRequest::new(&resource.id, &self.apply_context, cancel, apply)
        });
        let result = kind.check_apply(&mut cx);
        let changes = cx.changes().iter().map(|c| c.text.clone()).collect();
        Ran { changes, sent: cx.sent().to_vec(), result }
    }
}

fn exec(cmd: &str) -> Resource {
    Resource::new(ResourceId::new("exec", "x")).with("cmd", cmd)
}

fn shell(cmd: &str) -> Resource {
    exec(cmd).with("shell", "/bin/sh")
}

fn sent(ran: &Ran) -> [Option<String>; 3] {
    let get = |key: &str| {
        let value = ran.sent.iter().find(|s| s.key == key).and_then(|s| s.value.clone());
        value.map(|v| String::from_utf8(v.as_bytes().unwrap().to_vec()).unwrap())
    };
    ["output", "stdout", "stderr"].map(get)
}

fn text(s: &str) -> Option<String> {
    Some(s.to_owned())
}

#[test]
fn words_are_split_without_any_expansion() {
    let ran = ExecTest::new().run(&exec("/bin/echo  $HOME '*'  \"a b\""), true);
    assert_eq!(sent(&ran)[1], text("$HOME '*' \"a b\"\n"));
}

#[test]
fn arguments_are_passed_as_they_are() {
    let resource = exec("printf").with("args", Value::list(["%s|", "a b", ""]));
    assert_eq!(sent(&ExecTest::new().run(&resource, true))[1], text("a b||"));
}

#[test]
fn environment_is_exactly_what_was_asked_for() {
    let pairs = [(Value::str("B"), Value::str("2")), (Value::str("A"), Value::str("x y"))];
    let resource = exec("env").with("env", Value::map(pairs));
    assert_eq!(sent(&ExecTest::new().run(&resource, true))[1], text("A=x y\nB=2\n"));
    assert_eq!(sent(&ExecTest::new().run(&exec("env"), true))[1], text(""));
}

#[test]
fn both_streams_are_captured_and_silence_is_an_empty_text() {
    let b = ExecTest::new();
    let ran = b.run(&shell("echo out; echo err >&2"), true);
    assert_eq!(sent(&ran)[1..], [text("out\n"), text("err\n")]);
    let ran = b.run(&shell("true"), true);
    assert_eq!(sent(&ran), [text(""), text(""), text("")]);
}

#[test]
fn failure_says_status_and_last_words() {
    let ran = ExecTest::new().run(&shell("echo why >&2; exit 3"), true);
    assert_eq!(ran.result.unwrap_err().to_string(), "cmd error: exit status 3: why");
    let ran = ExecTest::new().run(&shell("kill -9 $$"), true);
    assert_eq!(ran.result.unwrap_err().to_string(), "cmd was killed by signal 9");
    let ran = ExecTest::new().run(&exec("/no/such/program"), true);
    assert_eq!(ran.result.unwrap_err().to_string(), "cannot start `/no/such/program`: No such file or directory");
    let ran = ExecTest::new().run(&exec("no-such-program"), true);
    assert_eq!(ran.result.unwrap_err().to_string(), "cannot start `no-such-program`: no such program in PATH");
}

#[test]
fn refreshonly_runs_on_a_notification_and_guards_still_count() {
    let test = ExecTest::new();
    let resource = shell("echo ran").with("refreshonly", true);
    assert!(test.run(&resource, true).changes.is_empty());
    assert_eq!(test.refresh(&resource).changes, ["run `/bin/sh -c echo ran`"]);
    let guarded = resource.with("creates", "/");
    assert!(test.refresh(&guarded).changes.is_empty());
}

#[test]
fn guards_stop_the_command_and_the_cached_output_is_sent() {
    let b = ExecTest::new();
    b.run(&shell("echo first"), true).result.unwrap();
    for (guard, value) in [("ifcmd", "/bin/false"), ("nifcmd", "/bin/true"), ("creates", "/")] {
        let ran = b.run(&shell("exit 1").with(guard, value), true);
        ran.result.as_ref().unwrap();
        assert_eq!((ran.changes.len(), sent(&ran)[1].clone()), (0, text("first\n")), "{guard}");
    }
    let ran = b.run(&shell("echo again").with("ifcmd", "/bin/echo yes").with("ifequals", "yes\n"), true);
    assert!(ran.changes.is_empty());
    let ran = b.run(&shell("echo again").with("ifcmd", "/bin/echo no").with("ifequals_stdout", "yes\n"), true);
    assert_eq!(ran.changes, ["run `/bin/sh -c echo again`"]);
}

#[test]
fn fallback_is_sent_when_nothing_ever_ran() {
    let resource = shell("x").with("ifcmd", "/bin/false").with("send_stdout", "none");
    assert_eq!(sent(&ExecTest::new().run(&resource, true)), [None, text("none"), None]);
}

#[test]
fn noop_runs_guards_but_not_the_command() {
    let b = ExecTest::new();
    let marker = b.path("ran");
    let ran = b.run(&exec(&format!("touch {marker}")).with("ifcmd", "/bin/true"), false);
    ran.result.unwrap();
    assert_eq!(ran.changes.len(), 1);
    assert!(fs::metadata(marker).is_err());
}

#[test]
fn newer_input_forces_a_run_past_all_guards_once() {
    let b = ExecTest::new();
    fs::write(b.path("input"), "").unwrap();
    let resource = shell("true").with("ifcmd", "/bin/false").with("mtimes", Value::list([b.path("input")]));
    assert_eq!(b.run(&resource, true).changes.len(), 1);
    assert_eq!(b.run(&resource, true).changes.len(), 0);
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    fs::File::open(b.path("input")).unwrap().set_modified(later).unwrap();
    assert_eq!(b.run(&resource, true).changes.len(), 1);
}

#[test]
fn time_of_the_last_run_survives_a_change_of_the_time_of_its_file() {
    let b = ExecTest::new();
    fs::write(b.path("input"), "").unwrap();
    let resource = shell("true").with("ifcmd", "/bin/false").with("mtimes", Value::list([b.path("input")]));
    assert_eq!(b.run(&resource, true).changes.len(), 1);
    // As after a crash before the file got the time of the run, or a copy of the state.
    let stamp = b.apply_context.state.as_ref().unwrap().resource_path(&resource.id).join("mtimes");
    let later = |seconds| std::time::SystemTime::now() + Duration::from_secs(seconds);
    fs::File::open(stamp).unwrap().set_modified(later(10)).unwrap();
    assert_eq!(b.run(&resource, true).changes.len(), 0);
    fs::File::open(b.path("input")).unwrap().set_modified(later(5)).unwrap();
    assert_eq!(b.run(&resource, true).changes.len(), 1);
}

#[test]
fn input_is_not_missed_after_the_clock_was_set_back() {
    let b = ExecTest::new();
    fs::write(b.path("input"), "").unwrap();
    let resource = shell("true").with("ifcmd", "/bin/false").with("mtimes", Value::list([b.path("input")]));
    assert_eq!(b.run(&resource, true).changes.len(), 1);
    // The last run was on a clock that was an hour ahead.
    let stamp = b.apply_context.state.as_ref().unwrap().resource_path(&resource.id).join("mtimes");
    let ahead = std::time::SystemTime::now() + Duration::from_secs(3600);
    let ahead = ahead.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    fs::write(&stamp, format!("{ahead}.000000000\n")).unwrap();
    fs::write(b.path("input"), "changed").unwrap();
    assert_eq!(b.run(&resource, true).changes.len(), 1);
    assert_eq!(b.run(&resource, true).changes.len(), 0);
}

#[test]
fn results_that_cannot_be_stored_are_kept_in_memory() {
    let b = ExecTest::new();
    fs::write(b.path("input"), "").unwrap();
    let resource = shell("echo out").with("ifcmd", "/bin/false").with("mtimes", Value::list([b.path("input")]));
    let mut test = ProviderTest::new(&resource);
    test.apply_context = b.apply_context.clone();
    // As on a full disk, nothing can be stored.
    fs::write(b.apply_context.state.as_ref().unwrap().resource_path(&resource.id), "in the way").unwrap();
    let first = test.run(true).unwrap();
    assert_eq!((first.changes.len(), first.messages.len()), (1, 1), "{:?}", first.messages);
    let second = test.run(true).unwrap();
    assert_eq!(second.changes, [""; 0], "the command does not run again");
    assert_eq!(second.sent, first.sent);
}

#[test]
fn done_command_runs_only_after_success_and_may_fail() {
    let b = ExecTest::new();
    let marker = b.path("done");
    let done = |cmd: &str| shell(cmd).with("donecmd", format!("touch {marker}"));
    assert!(b.run(&done("exit 1"), true).result.is_err() && fs::metadata(&marker).is_err());
    b.run(&done("exit 0"), true).result.unwrap();
    assert!(fs::metadata(&marker).is_ok());
    let ran = b.run(&shell("true").with("donecmd", "/bin/false"), true);
    assert_eq!(ran.result.unwrap_err().to_string(), "donecmd error: exit status 1");
}

/// Waits for a file to appear, for at most five seconds.
fn wait_for(path: &str) {
    let end = Instant::now() + Duration::from_secs(5);
    while fs::metadata(path).is_err() {
        assert!(Instant::now() < end, "{path} never appears");
        std::thread::yield_now();
    }
}

#[test]
fn cancelling_reaches_the_whole_group_and_success_does_not_count_then() {
    let b = ExecTest::new();
    let started = b.path("started");
    // A program of its own, which does not have the trap of its parent even for a moment.
    let background = format!("sh -c 'echo $$ > {started}.new; mv {started}.new {started}; exec sleep 60'");
    let script = format!("trap 'exit 0' TERM; {background} & wait");
    let env = Value::map([(Value::str("PATH"), Value::str("/usr/bin:/bin"))]);
    let resource = shell(&script).with("env", env);
    let cancel = Cancel::new();
    let ran = std::thread::scope(|scope| {
        let worker = scope.spawn(|| b.run_with(&resource, true, &cancel));
        wait_for(&started);
        cancel.request(CancelLevel::Cancel);
        worker.join().unwrap()
    });
    assert!(matches!(ran.result, Err(Failure::Cancelled)), "{:?}", ran.result);
    let sleeper = fs::read_to_string(&started).unwrap();
    let end = Instant::now() + Duration::from_secs(5);
    // It may stay a zombie for a moment, and forever where nobody reaps orphans.
    while fs::read_to_string(format!("/proc/{}/stat", sleeper.trim())).is_ok_and(|s| !s.contains(") Z ")) {
        assert!(Instant::now() < end, "the background command still runs");
        std::thread::yield_now();
    }
}

#[test]
fn killing_ends_a_command_that_ignores_its_signal() {
    let b = ExecTest::new();
    let started = b.path("started");
    let env = Value::map([(Value::str("PATH"), Value::str("/usr/bin:/bin"))]);
    let resource = shell(&format!("trap '' TERM; touch {started}; sleep 60")).with("env", env);
    let cancel = Cancel::new();
    let ran = std::thread::scope(|scope| {
        let worker = scope.spawn(|| b.run_with(&resource, true, &cancel));
        wait_for(&started);
        cancel.request(CancelLevel::Cancel);
        cancel.request(CancelLevel::Kill);
        worker.join().unwrap()
    });
    assert!(matches!(ran.result, Err(Failure::Cancelled)));
}

#[test]
fn descendant_that_keeps_the_pipe_open_is_not_waited_for() {
    let started = Instant::now();
    let env = Value::map([(Value::str("PATH"), Value::str("/usr/bin:/bin"))]);
    let ran = ExecTest::new().run(&shell("echo done; sleep 30 &").with("env", env), true);
    assert_eq!(sent(&ran)[1], text("done\n"));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn command_runs_as_another_user() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root may run commands as someone else");
        return;
    }
    let resource = exec("/usr/bin/id").with("user", "daemon").with("group", "daemon");
    let output = sent(&ExecTest::new().run(&resource, true))[1].clone().unwrap();
    assert!(output.starts_with("uid=1(daemon) gid=1(daemon)"), "{output}");
    let ran = ExecTest::new().run(&exec("id").with("user", "no-such-user"), true);
    assert_eq!(ran.result.unwrap_err().to_string(), "there is no user `no-such-user` on this machine");
}
