//! Streaming functions, in a context whose clock and events the test controls.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use mcl_value::{FuncType, Value};
use shared_store::{Export, SharedStore};

use crate::tests::{literal, show};
use crate::{CallContext, Deploy, FunctionError, Implementation, Stream, StreamContext, function};

/// An instance of a streaming function and its context.
struct Harness {
    instance: Box<dyn Stream>,
    ty: FuncType,
    now: Duration,
    monotonic: Duration,
    state: tempfile::TempDir,
    wakes: (Sender<()>, Receiver<()>),
    delay: Option<Duration>,
    paths: Vec<PathBuf>,
    waits: Option<&'static str>,
    shared: Option<Value>,
}

struct Files;

impl Deploy for Files {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.paths_below("/").contains(&path.to_owned()).then(|| path.as_bytes().to_vec())
    }

    fn paths_below(&self, directory: &str) -> Vec<String> {
        let all = ["/files/a", "/m/files/x/b", "/m/files/x/sub/c"];
        all.into_iter().filter(|path| path.starts_with(directory)).map(str::to_owned).collect()
    }

    fn directory(&self) -> Option<&Path> {
        None
    }
}

impl StreamContext for Harness {
    fn call_context(&self) -> CallContext<'_> {
        CallContext { ty: &self.ty, deploy: Some(&Files), module_dir: "/m/", answers: None, sensitive: Cell::default() }
    }
    fn wake_after(&mut self, delay: Duration) {
        self.delay = Some(delay);
    }
    fn wake_on_path(&mut self, path: &Path) {
        self.paths.push(path.to_owned());
    }
    fn not_ready(&mut self, why: &'static str) {
        self.waits = Some(why);
    }
    fn waker(&self) -> Arc<dyn Fn() + Send + Sync> {
        let sender = self.wakes.0.clone();
        Arc::new(move || {
            let _ = sender.send(());
        })
    }
    fn now(&self) -> Duration {
        self.now
    }
    fn monotonic(&self) -> Duration {
        self.monotonic
    }
    fn hostname(&self) -> &str {
        "h1"
    }
    fn state_dir(&self) -> &Path {
        self.state.path()
    }
    fn shared_value(&mut self, _: &str, _: &str) -> Option<Value> {
        self.shared.clone()
    }
}

struct Nothing;

impl Stream for Nothing {
    fn call(&mut self, _: &mut dyn StreamContext, _: &[Value]) -> Result<Value, FunctionError> {
        Ok(Value::Nil)
    }
}

impl Harness {
    fn new(name: &str) -> Harness {
        let function = function(name).expect(name);
        let Implementation::Streaming(make) = function.implementation else { panic!("{name} does not stream") };
        Harness {
            instance: make(),
            ty: function.declared_type().unwrap_or(FuncType { args: vec![], result: mcl_value::Type::Nil }),
            now: Duration::from_secs(1_700_000_000),
            monotonic: Duration::from_secs(5),
            state: tempfile::tempdir().expect("a directory"),
            wakes: channel(),
            delay: None,
            paths: Vec::new(),
            waits: None,
            shared: None,
        }
    }

    fn call(&mut self, args: &str) -> String {
        (self.delay, self.waits) = (None, None);
        self.paths.clear();
        let mut instance = std::mem::replace(&mut self.instance, Box::new(Nothing));
        let outcome = instance.call(self, &literal::parse_all(args));
        self.instance = instance;
        if self.waits.is_some() && outcome.is_ok() {
            return "not ready".to_owned();
        }
        show(outcome).replace(&self.state.path().display().to_string(), "STATE")
    }

    /// Calls at each wake-up until the value is the expected one.
    fn call_until(&mut self, args: &str, expected: &str) {
        let deadline = Duration::from_secs(20);
        while self.call(args) != expected {
            self.wakes.1.recv_timeout(deadline).expect("the instance asks to be called");
        }
    }

    fn pass(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.monotonic += Duration::from_millis(millis);
    }
}

#[test]
fn history_returns_a_value_when_it_is_old_enough() {
    let mut harness = Harness::new("history");
    assert_eq!(harness.call("1, 1000"), "1");
    harness.pass(400);
    assert_eq!(harness.call("2, 1000"), "1");
    assert_eq!(harness.delay, Some(Duration::from_millis(1000)));
    harness.pass(600);
    assert_eq!(harness.call("3, 1000"), "1");
    assert_eq!(harness.delay, Some(Duration::from_millis(400)));
    harness.pass(400);
    assert_eq!(harness.call("3, 1000"), "2");
    harness.pass(600);
    assert_eq!(harness.call("3, 1000"), "3");
    assert_eq!(harness.delay, None, "nothing more is going to change");
    assert_eq!(harness.call("3, -1"), "fatal: can't use a negative interval of -1");
}

#[test]
fn clock_that_is_set_changes_no_duration() {
    for new in [Duration::ZERO, Duration::from_secs(4_000_000_000)] {
        let mut history = Harness::new("history");
        assert_eq!(history.call("1, 1000"), "1");
        history.now = new;
        assert_eq!(history.call("2, 1000"), "1");
        history.pass(999);
        assert_eq!(history.call("2, 1000"), "1");
        history.pass(1);
        assert_eq!(history.call("2, 1000"), "2");
        let mut flipflop = Harness::new("example.flipflop");
        assert_eq!(flipflop.call(""), "false");
        flipflop.now = new;
        assert_eq!((flipflop.call(""), flipflop.delay), ("false".to_owned(), Some(Duration::from_secs(5))));
        flipflop.pass(5000);
        assert_eq!(flipflop.call(""), "true");
    }
}

#[test]
fn weekday_follows_a_clock_that_is_set() {
    let mut harness = Harness::new("datetime.weekday_fast");
    let before = harness.call("");
    assert!(harness.delay.is_some_and(|delay| delay <= Duration::from_secs(60)), "{:?}", harness.delay);
    harness.now += Duration::from_secs(2 * 24 * 3600);
    assert_ne!(harness.call(""), before);
}

#[test]
fn random_strings_change_with_their_length_only() {
    let mut harness = Harness::new("random1");
    let first = harness.call("12");
    assert_eq!((first.len(), harness.call("12") == first), (14, true));
    assert_eq!(harness.call("0"), r#""""#);
    assert_ne!(harness.call("12"), first);
    assert_eq!(harness.call("-1"), "fatal: can't generate an invalid length");
    assert_eq!(harness.call("65536"), "fatal: can't generate an invalid length");
}

#[test]
fn the_clock_requests_a_call_at_the_next_full_second() {
    let mut harness = Harness::new("datetime.now");
    harness.pass(250);
    assert_eq!(harness.call(""), "1700000000");
    assert_eq!(harness.delay, Some(Duration::from_millis(750)));
    let mut harness = Harness::new("example.flipflop");
    assert_eq!(harness.call(""), "false");
    harness.pass(5000);
    assert_eq!(harness.call(""), "true");
    assert_eq!(harness.delay, Some(Duration::from_secs(5)));
}

#[test]
fn numbers_of_a_pool_are_persistent() {
    let mut harness = Harness::new("local.pool");
    assert_eq!(harness.call(r#""ns", "a""#), "1");
    assert_eq!(harness.call(r#""ns", "b""#), "2");
    assert_eq!(harness.call(r#""ns", "a""#), "1");
    assert_eq!(harness.call(r#""other", "b""#), "1");
    assert_eq!(std::fs::read_to_string(harness.state.path().join("pool/ns/b.uid")).unwrap(), "2\n");
    assert_eq!(harness.call(r#""", "b""#), "fatal: namespace is empty");
    assert_eq!(harness.call(r#""a", "b/c""#), "fatal: uid contains slash");
}

#[test]
fn vardir_creates_a_directory_below_the_state_directory() {
    let mut harness = Harness::new("local.vardir");
    assert_eq!(harness.call(r#""a/b/""#), r#""STATE/vardir/functions/a/b/""#);
    assert!(harness.state.path().join("vardir/functions/a/b").is_dir());
    assert_eq!(harness.call(r#""/a/""#), "fatal: path must be relative");
    assert_eq!(harness.call(r#""a""#), "fatal: path must be a dir");
    assert_eq!(harness.call(r#""../a/""#), "fatal: path must not lead outside, got: `../a/`");
}

#[test]
fn deployed_directories_are_copied_without_stale_files() {
    let mut harness = Harness::new("deploy.directory");
    let target = harness.state.path().join("vardir/directory/m/files/x");
    std::fs::create_dir_all(target.join("old/dir")).unwrap();
    std::fs::write(target.join("b"), "other").unwrap();
    assert_eq!(harness.call(r#""/files/x/""#), r#""STATE/vardir/directory/m/files/x/""#);
    assert_eq!(std::fs::read_to_string(target.join("b")).unwrap(), "/m/files/x/b");
    assert_eq!(std::fs::read_to_string(target.join("sub/c")).unwrap(), "/m/files/x/sub/c");
    assert!(!target.join("old").exists());
    assert_eq!(harness.call(r#""x/""#), "fatal: directory was not absolute, got: `x/`");
    assert_eq!(harness.call(r#""/x""#), "fatal: directory path must be a dir");
}

#[test]
fn files_are_read_and_watched() {
    let mut harness = Harness::new("os.readfile");
    assert_eq!(
        harness.call(r#""/nonexistent/x""#),
        "catchable: error reading file: open /nonexistent/x: no such file or directory"
    );
    assert_eq!(harness.paths, [Path::new("/nonexistent/x")]);
    assert_eq!(harness.call(r#""/etc""#), "fatal: error reading file: read /etc: is a directory");
    let mut harness = Harness::new("os.file_exists");
    assert_eq!((harness.call(r#""/etc""#), harness.call(r#""/nonexistent""#)), ("true".into(), "false".into()));
}

#[test]
fn the_last_line_of_a_command_is_its_value() {
    let mut harness = Harness::new("os.system");
    // The commands print when the test opens the pipe, and not before.
    let pipe = harness.state.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let command = |line: &str| format!("\"read x < {}; echo {line}; exec sleep 1000\"", pipe.display());
    let open = || std::fs::write(&pipe, "\n").expect("the command reads the pipe");

    assert_eq!(harness.call(&command("a")), "not ready");
    open();
    harness.call_until(&command("a"), r#""a""#);
    assert_eq!(harness.call(&command("b")), r#""a""#, "the value stays until the next command prints a line");
    open();
    harness.call_until(&command("b"), r#""b""#);
}

#[test]
fn a_command_that_prints_nothing_has_no_value() {
    let mut harness = Harness::new("os.system");
    assert_eq!(harness.call(r#""true""#), "not ready");
    harness.wakes.1.recv_timeout(Duration::from_secs(20)).expect("the command closes its output");
    // The process may end later than its output; the instance polls until it is reaped.
    assert_eq!(harness.call(r#""true""#), "not ready");
    while harness.delay.is_some() {
        assert_eq!(harness.call(r#""true""#), "not ready");
    }
    assert_eq!(harness.waits, Some("the command exited without printing a line"));
}

#[test]
fn shared_values_must_have_the_type_of_the_call() {
    let mut harness = Harness::new("value.get_int");
    assert_eq!(harness.call(r#""k""#), "struct{value: 0; ready: false}");
    harness.shared = Some(5.into());
    assert_eq!(harness.call(r#""k""#), "struct{value: 5; ready: true}");
    harness.shared = Some("x".into());
    assert_eq!(harness.call(r#""k""#), "fatal: type mismatch, check type in Value[k]: expected int, got str");
    assert_eq!(harness.call(r#""other""#), "fatal: can't change key, previously: `k`");
    assert_eq!(Harness::new("value.get_int").call(r#""""#), "fatal: can't use an empty key");
    assert_eq!(Harness::new("net/http.response").call(r#""u""#), r#"struct{status: 0; output: ""}"#);
}

#[test]
fn functions_read_the_shared_store() -> std::io::Result<()> {
    let mut harness = Harness::new("world.kvlookup");
    assert_eq!(harness.call(r#""ns""#), "{}");
    let world = SharedStore::new(harness.state.path(), "h1");
    world.set_string(&world.host_key("ns"), Some(b"v"), false)?;
    assert_eq!(harness.call(r#""ns""#), r#"{"h1": "v"}"#);
    assert_eq!(harness.paths.len(), 1);
    assert_eq!(harness.call(r#""x""#), "fatal: can't change namespace, previously: `ns`");

    let mut harness = Harness::new("_collect");
    let world = SharedStore::new(harness.state.path(), "h1");
    let export = |name: &str, to: &str| Export { kind: "file".into(), name: name.into(), to: to.into() };
    world.export(&export("/a", "*"), "data")?;
    world.export(&export("/b", "h1"), "more")?;
    assert_eq!(harness.call(r#""file", ["/b"]"#), r#"[struct{name: "/b"; host: "h1"; data: "more"}]"#);
    assert_eq!(harness.call(r#""file", []"#), "[]");
    assert_eq!(harness.call(r#""file", [struct{name: ""; host: "h2"}]"#), "[]");
    assert_eq!(harness.call(r#""file", "/a""#), r#"[struct{name: "/a"; host: "h1"; data: "data"}]"#);
    Ok(())
}

#[test]
fn facts_of_this_machine_can_be_read() {
    for name in ["sys.load", "sys.uptime", "sys.hostname", "net.macs", "sys.cpu_count", "sys/fwupd.reboot_needed"] {
        let outcome = Harness::new(name).call("");
        assert!(!outcome.starts_with("fatal: "), "{name}: {outcome}");
    }
    assert!(
        Harness::new("net.interface_cidr")
            .call(r#""no-such""#)
            .starts_with("fatal: could not find interface `no-such`")
    );
    assert_eq!(Harness::new("os.user_exists").call(r#""root""#), "true");
    assert_eq!(Harness::new("os.user_exists").call(r#""""#), "false");
}
