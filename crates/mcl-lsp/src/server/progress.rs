//! Progress of the first analysis, if it takes long.

use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::event::Event;
use crate::message;
use crate::server::Server;

/// Less is not worth a message.
const SLOW: Duration = Duration::from_millis(500);

const TOKEN: &str = "mclc/analysis";

impl Server {
    /// Looks after a moment whether the first analysis still runs.
    pub(super) fn watch_first_analysis(&self) {
        if self.latest.is_none() && self.client.as_ref().is_some_and(|client| client.has_progress) {
            let events = self.events.clone();
            // Without it, there is no progress to see.
            let _ = thread::Builder::new().spawn(move || {
                thread::sleep(SLOW);
                // The server may have ended.
                let _ = events.send(Event::Slow);
            });
        }
    }

    /// The first analysis may take long.
    pub(super) fn begin_progress(&mut self) {
        if self.latest.is_none() && self.generation > 0 && !self.shows_progress {
            self.shows_progress = true;
            self.send_request("window/workDoneProgress/create", &json!({"token": TOKEN}));
            self.send_progress(&json!({"kind": "begin", "title": "mclc: analysing the workspace"}));
        }
    }

    pub(super) fn end_progress(&mut self) {
        if std::mem::take(&mut self.shows_progress) {
            self.send_progress(&json!({"kind": "end"}));
        }
    }

    fn send_progress(&self, value: &serde_json::Value) {
        self.send(message::notification("$/progress", &json!({"token": TOKEN, "value": value})));
    }
}
