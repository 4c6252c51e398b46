//! Settings: asked for, and taken over.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::message::{self, Id};
use crate::server::{Server, log};
use crate::settings::{self, ReadSettings};

/// The section of the client's configuration.
const SECTION: &str = "mclc";

/// The type of a message that is a warning.
const WARNING: u8 = 2;

impl Server {
    /// Asks for the settings, if the client has them.
    pub(super) fn ask_for_settings(&mut self) {
        if self.client.as_ref().is_some_and(|client| client.has_configuration) {
            let id = self.send_request("workspace/configuration", &json!({"items": [{"section": SECTION}]}));
            self.settings_request = Some(id);
        }
    }

    /// Takes the settings of a response over.
    pub(super) fn response(&mut self, id: &Id, result: &Value) {
        if Some(id) == self.settings_request.map(Id::Number).as_ref() {
            self.settings_request = None;
            self.set_settings(result.get(0).unwrap_or(&Value::Null));
        }
    }

    /// The client says that its settings changed; some send them along, others are asked.
    pub(super) fn settings_changed(&mut self, params: &Value) {
        match params.pointer("/settings/mclc") {
            Some(settings) => self.set_settings(settings),
            None => self.ask_for_settings(),
        }
    }

    pub(super) fn set_settings(&mut self, value: &Value) {
        let ReadSettings { settings, unknown, wrong } = settings::read(value);
        for name in unknown {
            log(&format!("unknown setting `{SECTION}.{name}`"));
        }
        for message in wrong {
            let params = json!({"type": WARNING, "message": message});
            self.send(message::notification("window/showMessage", &params));
        }
        let Some(client) = self.client.as_ref().filter(|client| client.settings != settings) else { return };
        let mut client = (**client).clone();
        let module_path = settings.module_path.clone().or_else(|| self.module_path.clone());
        self.documents.workspace.set_options(module_path, settings.levels.clone());
        client.settings = settings;
        self.client = Some(Arc::new(client));
        self.changed();
    }
}
