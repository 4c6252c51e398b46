//! The installed Ruby, as the evaluator uses it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pp_evaluator::{Ruby, RubyFailure, RubyHost, RubySource};
use pp_types::Value;
use serde_json::{Value as Json, json};

use crate::exchange::{ENDED, ExchangeError, exchange};
use crate::process::{Helper, Settings};
use crate::values::encode;

/// An installed Ruby, whose helper process is started when it is first needed, and again when it has failed.
#[derive(Debug, Default)]
pub struct InstalledRuby {
    settings: Settings,
    /// The helper; `None` before the first request, after a failure, and while a request runs: a function that it calls may be
    /// in Ruby, too, and gets a helper of its own.
    idle: Mutex<Option<Helper>>,
    /// The number of requests that run.
    active: AtomicUsize,
}

/// Maximum number of functions in Ruby that call each other at a time, each in a process.
const MAX_ACTIVE: usize = 16;

impl InstalledRuby {
    /// Creates it without starting anything.
    #[must_use]
    pub fn new(settings: Settings) -> InstalledRuby {
        InstalledRuby { settings, ..InstalledRuby::default() }
    }

    fn request(&self, request: &Json, host: &mut dyn RubyHost) -> Result<Value, RubyFailure> {
        let active = self.active.fetch_add(1, Ordering::Relaxed);
        let result = if active < MAX_ACTIVE {
            self.run(request, host)
        } else {
            Err(RubyFailure::Helper(format!("more than {MAX_ACTIVE} functions in Ruby call each other at a time")))
        };
        self.active.fetch_sub(1, Ordering::Relaxed);
        result
    }

    fn run(&self, request: &Json, host: &mut dyn RubyHost) -> Result<Value, RubyFailure> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let start = || Helper::start(&self.settings).map_err(|error| RubyFailure::Helper(error.to_string()));
        // What the last request did may end the helper at any time after its result.
        let running = idle.and_then(Helper::if_running);
        let is_used = running.is_some();
        let mut helper = running.map_or_else(start, Ok)?;
        let mut result = exchange(&mut helper.pipes, request, self.settings.time, host);
        if is_used && matches!(result, Err(ExchangeError::Unanswered)) {
            helper = start()?;
            result = exchange(&mut helper.pipes, request, self.settings.time, host);
        }
        let result = match result {
            Ok(value) => Ok(value),
            Err(ExchangeError::Failure(failure)) => Err(failure),
            // Dropping the helper ends it.
            Err(ExchangeError::Unanswered) => return Err(RubyFailure::Helper(ENDED.to_owned())),
            Err(ExchangeError::Broken(why)) => return Err(RubyFailure::Helper(why)),
        };
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(helper);
        result
    }
}

impl Ruby for InstalledRuby {
    fn render(
        &self,
        template: RubySource<'_>,
        variables: &[(Arc<str>, Value)],
        host: &mut dyn RubyHost,
    ) -> Result<Value, RubyFailure> {
        let variables: Vec<Json> = variables.iter().map(|(name, value)| json!([&**name, encode(value)])).collect();
        let request = json!({
            "kind": "render",
            "file": template.file,
            "text": template.text,
            "variables": {"t": "hash", "v": variables},
        });
        self.request(&request, host)
    }

    fn call(
        &self,
        function: RubySource<'_>,
        arguments: &[Value],
        has_block: bool,
        host: &mut dyn RubyHost,
    ) -> Result<Value, RubyFailure> {
        let request = json!({
            "kind": "call",
            "name": function.name,
            "file": function.file,
            "text": function.text,
            "arguments": arguments.iter().map(encode).collect::<Vec<Json>>(),
            "block": has_block,
        });
        self.request(&request, host)
    }
}
