//! A fuzzer of the state directory: it corrupts a file of the state, and uses the state as the next agent does.
//!
//! `cargo run --profile fuzz -p fuzz --bin state -- --seconds 60 --seed 7`
//!
//! Whatever is in the files, they can be opened, what is added afterwards is there for the next agent, and an invalid file is
//! reported or replaced. A panic or a slow run ends the session with a status other than 0, and the content is written to
//! `fuzz-crash.state`; its first byte says which file it is of. All of it happens in memory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fastrand::Rng;
use fuzz::session::{Fuzzer, Session};
use fuzz::state::{FILES, mutated};
use mcl_value::Value;
use resource_graph::{Resource, ResourceId};
use resources::{OfferedValue, RefreshJournal, Reversals, SharedValues, StateDir};
use safe_fs::{Backups, Limits};

/// Fuzzes the readers of the state directory.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    session: Session,
}

struct State {
    /// Nothing is there, and nothing is written there.
    prefix: PathBuf,
}

impl Fuzzer for State {
    type Program = Vec<u8>;

    const CRASH_FILE: &'static str = "fuzz-crash.state";
    const MIN_ACCEPTED_PERCENT: usize = 10;

    fn program(&self, rng: &mut Rng, _count: usize) -> Vec<u8> {
        mutated(rng)
    }

    fn run(&self, program: &Vec<u8>, _count: usize) -> bool {
        let Some((&file, content)) = program.split_first() else { return false };
        let state = StateDir::overlay(&self.prefix).expect("an empty state");
        let path = state.engine().join(FILES[usize::from(file) % FILES.len()].path);
        state.files().make_directories(path.parent().unwrap_or(&path), 0o700).expect("memory");
        state.files().write(&path, content, 0o600).expect("memory");
        let uses = [use_journal, use_reversals, use_shared_values, use_backups];
        let accepted = uses.map(|use_file| use_file(&state));
        accepted[usize::from(file) % FILES.len()]
    }

    fn target(&self, _count: usize) -> Option<String> {
        None
    }
}

/// Returns whether the journal was valid.
fn use_journal(state: &StateDir) -> bool {
    let open = || RefreshJournal::open(state.shared_files(), state.engine()).expect("a journal");
    let journal = open();
    let before = journal.pairs();
    let (from, to) = (ResourceId::new("file", "/new"), ResourceId::new("svc", "new"));
    journal.record(&from, std::slice::from_ref(&to)).expect("memory");
    drop(journal);
    let again = open();
    assert!(again.pairs().contains(&(from.clone(), to.clone())));
    assert!(before.iter().all(|pair| again.pairs().contains(pair)));
    again.forget(&from, &to).expect("memory");
    assert!(!again.pairs().contains(&(from, to)));
    assert_eq!(again.invalid_lines(), 0, "invalid lines are reported once");
    open().invalid_lines() == 0
}

/// Returns whether all stored inverses are valid.
fn use_reversals(state: &StateDir) -> bool {
    let reversals = Reversals::new(state);
    let (before, failures) = reversals.pending();
    let mut file = Resource::new(ResourceId::new("file", "/no-such-directory/file")).with("state", "exists");
    file.meta.reverse = true;
    reversals.remember(&file).expect("an inverse");
    assert!(reversals.is_stored(&file.id));
    let (pending, again) = reversals.pending();
    assert!(before.iter().all(|known| pending.iter().any(|found| found.id == known.id)));
    assert_eq!(again.len(), failures.len());
    reversals.forget(&file.id).expect("memory");
    assert!(!reversals.is_stored(&file.id));
    failures.is_empty()
}

/// Returns whether the value can be read. An invalid one is set again by its resource.
fn use_shared_values(state: &StateDir) -> bool {
    let value = SharedValues::stored(state).get("value", "a");
    let new = OfferedValue { value: Value::str("new"), sensitive: true };
    SharedValues::stored(state).set("value", "a", Some(new.clone())).expect("memory");
    assert_eq!(SharedValues::stored(state).get("value", "a"), Some(new));
    value.is_some()
}

/// Returns whether the store of backups can be opened.
fn use_backups(state: &StateDir) -> bool {
    let limits = Limits { total: 1 << 30, file: 1 << 20, age: Duration::from_secs(1 << 20) };
    let open = || Backups::open(state.files().shared_file_system(), state.engine(), limits);
    let records = state.backup_records().expect("a readable index");
    let is_open = open().is_ok();
    let kept = state.backup_records().expect("a readable index");
    assert!(kept.iter().all(|record| records.contains(record)));
    assert_eq!(open().is_ok(), is_open, "a second agent finds the same");
    is_open
}

fn main() -> ExitCode {
    let session = Args::parse().session;
    let prefix = std::env::temp_dir().join(format!("fuzz-state-{}", std::process::id()));
    assert!(!prefix.exists(), "{} exists", prefix.display());
    let status = session.run(&State { prefix: prefix.clone() });
    assert!(!Path::new(&prefix).exists(), "something was written to {}", prefix.display());
    status
}
