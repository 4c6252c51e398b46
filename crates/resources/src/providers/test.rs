//! `test`: for testing the engine and the language (spec 05 §6.8).

use std::time::{Duration, Instant};

use mcl_value::Value;
use resource_graph::Resource;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{Context, Failure, Params, Provider, WorkerClass};

struct Test {
    members: Vec<Member>,
}

struct Member {
    send_value: String,
    expect_recv: Option<Vec<String>>,
    wait_for_error: Duration,
    /// The parameters to print, as `NAME: VALUE`.
    shown: Vec<String>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Test { members: resources.iter().map(Member::read).collect::<Result<_, _>>()? }))
}

impl Member {
    fn read(resource: &Resource) -> Result<Member, Failure> {
        let params = Params::new(resource);
        if params.bool("validatebool")? {
            return Err(Failure::Invalid("the validate param was set to true".to_owned()));
        }
        let error = params.str("validateerror")?;
        if !error.is_empty() {
            return Err(Failure::Invalid(format!("validation failed as asked: {error}")));
        }
        let only = params.list("onlyshow")?;
        let shown = resource
            .params
            .iter()
            .map(|(key, value)| (storage_name(key), value))
            .filter(|(name, _)| only.is_empty() || only.contains(name))
            .map(|(name, value)| format!("{name}: {}", show(value)))
            .collect();
        Ok(Member {
            send_value: params.str("sendvalue")?.to_owned(),
            expect_recv: params.opt_list("expectrecv")?,
            wait_for_error: Duration::from_millis(params.int("waitforerror")?.try_into().unwrap_or(0)),
            shown,
        })
    }
}

/// Returns the name of a parameter as it is printed: `Int64` for `int64`.
fn storage_name(key: &str) -> String {
    let mut chars = key.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

fn show(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_text().into_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(x) => x.to_string(),
        Value::List(_) | Value::Map(_) | Value::Struct(_) | Value::Func(_) | Value::Nil => format!("{value:?}"),
    }
}

impl Provider for Test {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if cx.refresh() {
            cx.emit_message("received a notification");
        }
        for (i, member) in self.members.iter().enumerate() {
            let keys: Vec<String> = cx.received_keys(i).map(str::to_owned).collect();
            for key in &keys {
                cx.emit_message(format!("received `{key}`, changed"));
            }
            if member.expect_recv.as_ref().is_some_and(|expected| expected.len() != keys.len()) {
                return Err(Failure::Refused(format!("expected other received keys than {keys:?}")));
            }
            if !member.wait_for_error.is_zero() {
                wait(cx, member.wait_for_error)?;
                let seconds = member.wait_for_error.as_secs_f64();
                return Err(Failure::Refused(format!("waitforerror {seconds} seconds")));
            }
            for line in &member.shown {
                cx.emit_message(line.clone());
            }
            cx.send_for(i, "hello", Some(Value::str(member.send_value.as_str())));
            cx.send_for(i, "answer", Some(Value::Int(42)));
        }
        Ok(())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        self.members = resources.iter().map(Member::read).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        if self.members.iter().any(|m| !m.wait_for_error.is_zero()) { WorkerClass::Blocking } else { WorkerClass::Cpu }
    }
}

/// Waits for a duration, or until the check is cancelled.
fn wait(cx: &Context<'_>, how_long: Duration) -> Result<(), Failure> {
    let end = Instant::now() + how_long;
    loop {
        if cx.cancel().is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        let timeout = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 60, tv_nsec: 0 });
        match cx.cancel().fd() {
            Some(fd) => {
                let _ = poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout));
            }
            None => std::thread::sleep(left.min(Duration::from_millis(20))),
        }
    }
}
