//! `mgmt-rt restore`: lists and restores what `mgmt-rt apply --backup` kept.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::ValueEnum;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use mcl_diagnostics::{Code, Diagnostic, Files as SourceFiles, Format, Stage};
use runtime::{StateDir, default_prefix};
use safe_fs::{Action, FileKind, Limits, Object, Record, Restored};
use serde_json::json;

use crate::prefix::{Prefix, open_state};
use crate::printable::printable;
use crate::report;

/// What is there now is always backed up; the next `apply --backup` removes what exceeds its limits.
const NO_LIMITS: Limits = Limits { total: u64::MAX, file: u64::MAX, age: Duration::MAX };

#[derive(clap::Args)]
pub struct Args {
    /// The file, link or directory to restore
    #[arg(required_unless_present_any = ["list", "id"])]
    path: Option<PathBuf>,
    /// List the backups of PATH, or all
    #[arg(long, conflicts_with_all = ["at", "to", "dry_run"])]
    list: bool,
    /// Restore what was there at this time, e.g. `2026-05-17T08:30:00Z` or, in local time, `2026-05-17T08:30`
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with = "id")]
    at: Option<SystemTime>,
    /// Restore the backup with this number
    #[arg(long, value_name = "ID")]
    id: Option<u64>,
    /// Restore to another path
    #[arg(long, value_name = "OTHER")]
    to: Option<PathBuf>,
    /// Report what would be restored, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Directory with the state of the agent
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX")]
    prefix: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Lines of text
    Text,
    /// A JSON array
    Json,
}

fn parse_time(text: &str) -> Result<SystemTime, jiff::Error> {
    let time = match text.parse::<Timestamp>() {
        Ok(time) => time,
        Err(_) => text.parse::<DateTime>()?.to_zoned(TimeZone::system())?.timestamp(),
    };
    Ok(time.into())
}

/// Runs the command.
pub fn run(args: &Args) -> ExitCode {
    let format = if args.format == OutputFormat::Json { Format::Json } else { Format::Human };
    let output = if args.list { list(args) } else { restore(args) };
    let text = match output {
        Ok(text) => text,
        Err(diagnostic) => {
            report::print(vec![diagnostic], &SourceFiles::default(), format);
            return ExitCode::FAILURE;
        }
    };
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mgmt-rt: cannot write the list: {error}");
            ExitCode::FAILURE
        }
    }
}

fn failure(message: impl ToString) -> Diagnostic {
    Diagnostic::error(Code::R0416, Stage::Engine, message.to_string())
}

/// Returns the records in the store, from old to new.
fn records(args: &Args) -> Result<Vec<Record>, Diagnostic> {
    let prefix = args.prefix.clone().or_else(default_prefix);
    let prefix = prefix.ok_or_else(|| failure("cannot determine the state directory: HOME is not set"))?;
    let prefix = std::path::absolute(&prefix).unwrap_or(prefix);
    StateDir::read_only(&prefix).backup_records().map_err(failure)
}

/// Returns the spellings of a path: as given, and without symbolic links.
fn spellings(path: &Path) -> Vec<PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut paths = safe_fs::Files::of_kernel().real_paths(&path);
    paths.push(path.components().collect());
    paths
}

fn part(record: &Record, paths: &[PathBuf]) -> Option<Record> {
    paths.iter().find_map(|path| record.part(path))
}

/// Returns the part of a record that is to be restored.
fn select(args: &Args, records: Vec<Record>) -> Result<Record, Diagnostic> {
    let Some(path) = &args.path else {
        let found = records.into_iter().find(|record| Some(record.id) == args.id);
        return found.ok_or_else(|| failure("no backup with this number").help("list all with `--list`"));
    };
    let paths = spellings(path);
    let mut parts = records.into_iter().filter(|record| args.id.is_none_or(|id| record.id == id));
    let mut parts = parts.by_ref().filter_map(|record| part(&record, &paths));
    let found = match args.at {
        // What was replaced first after that time was there at that time.
        Some(time) => parts.find(|record| record.time() > time),
        None => parts.last(),
    };
    found.ok_or_else(|| {
        let shown = path.display();
        match (args.at, args.id) {
            (Some(_), _) => failure(format!("no change of {shown} since that time was backed up"))
                .help(format!("list its backups with `mgmt-rt restore --list {shown}`")),
            (None, Some(_)) => failure(format!("no backup of {shown} with this number"))
                .help(format!("list its backups with `mgmt-rt restore --list {shown}`")),
            (None, None) => failure(format!("no backup of {shown}")).help("list all with `mgmt-rt restore --list`"),
        }
    })
}

fn restore(args: &Args) -> Result<String, Diagnostic> {
    let record = select(args, records(args)?)?;
    let path = match &args.to {
        Some(to) => std::path::absolute(to).map_err(failure)?,
        None => record.path.0.clone(),
    };
    let restored = if args.dry_run {
        record.destinations(&path)
    } else {
        let (state, _) = open_state(args.prefix.as_deref().map_or(Prefix::Default, Prefix::Given))?;
        let backups = state.backups(NO_LIMITS).map_err(failure)?;
        let files = state.files().backed_up(&backups, "mgmt-rt restore".to_owned());
        files.restore(&backups, &record, &path).map_err(failure)?
    };
    Ok(match args.format {
        OutputFormat::Json => {
            let restored: Vec<_> = restored
                .iter()
                .map(|Restored { path, kind }| {
                    json!({"path": path.to_string_lossy(), "kind": kind_name(*kind), "restored": kind.is_some()})
                })
                .collect();
            format!("{}\n", json!(restored))
        }
        OutputFormat::Text => {
            let verb = if args.dry_run { "would restore" } else { "restored" };
            let lines = restored.iter().map(|Restored { path, kind }| {
                let path = path.to_string_lossy();
                match kind {
                    Some(_) => format!("{verb} {}\n", printable(&path)),
                    None => format!("skipped {}: {}\n", printable(&path), kind_name(*kind)),
                }
            });
            lines.collect()
        }
    })
}

fn kind_name(kind: Option<FileKind>) -> &'static str {
    match kind {
        Some(FileKind::File) => "file",
        Some(FileKind::Directory) => "directory",
        Some(FileKind::Link) => "link",
        Some(FileKind::Fifo | FileKind::Socket | FileKind::Device) | None => "special file",
    }
}

fn list(args: &Args) -> Result<String, Diagnostic> {
    let paths = args.path.as_deref().map(spellings);
    let records = records(args)?.into_iter().filter(|record| args.id.is_none_or(|id| record.id == id));
    let records: Vec<Record> = match &paths {
        Some(paths) => records.filter_map(|record| part(&record, paths)).collect(),
        None => records.collect(),
    };
    Ok(match args.format {
        OutputFormat::Json => format!("{}\n", json!(records.iter().map(listed).collect::<Vec<_>>())),
        OutputFormat::Text => table(&records),
    })
}

fn time_of(record: &Record) -> String {
    Timestamp::try_from(record.time()).map_or_else(|_| "?".to_owned(), |time| format!("{time:.0}"))
}

fn action_name(action: Action) -> &'static str {
    match action {
        Action::Replaced => "replaced",
        Action::Removed => "removed",
    }
}

fn listed(record: &Record) -> serde_json::Value {
    let kind = record.entries.first().and_then(|entry| entry.object.kind());
    json!({
        "id": record.id,
        "time": time_of(record),
        "action": action_name(record.action),
        "resource": record.resource,
        "path": record.path.0.to_string_lossy(),
        "kind": kind_name(kind),
        "size": record.size(),
        "entries": record.entries.len(),
    })
}

fn table(records: &[Record]) -> String {
    if records.is_empty() {
        return "no backups\n".to_owned();
    }
    let mut text = format!("{:>6}  {:20}  {:8}  {:>12}  PATH (RESOURCE)\n", "ID", "TIME", "ACTION", "SIZE");
    for record in records {
        let path = record.path.0.to_string_lossy();
        let slash =
            if record.entries.first().is_some_and(|entry| entry.object == Object::Directory) { "/" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:>6}  {:20}  {:8}  {:>12}  {}{slash} ({})",
            record.id,
            time_of(record),
            action_name(record.action),
            record.size(),
            printable(&path),
            printable(&record.resource),
        );
    }
    text
}
