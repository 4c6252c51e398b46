//! `msg`: a message to the log and the journal (spec 05 §6.10).

use std::os::unix::net::UnixDatagram;
use std::path::Path;

use resource_graph::{Resource, masked, sensitive_texts};

use crate::{Context, Failure, Params, Provider};

const JOURNAL_SOCKET: &str = "/run/systemd/journal/socket";
const PRIORITIES: [&str; 8] = ["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"];

struct Msg {
    body: String,
    priority: usize,
    fields: Vec<(String, String)>,
    journal: bool,
    /// Whether the message was logged since the last notification.
    logged: bool,
    journaled: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Msg::read(&resources[0])?))
}

impl Msg {
    fn read(resource: &Resource) -> Result<Msg, Failure> {
        let params = Params::new(resource);
        let priority = params.str("priority")?;
        let priority = PRIORITIES.iter().position(|p| *p == priority);
        // The journal is a log, too.
        let sensitive = sensitive_texts(resource);
        let shown = |text: &str| masked(text, &sensitive).into_owned();
        Ok(Msg {
            body: shown(params.str("body")?),
            priority: priority.ok_or_else(|| Failure::Invalid("invalid `priority`".to_owned()))?,
            fields: params.map("fields")?.into_iter().map(|(key, value)| (key, shown(&value))).collect(),
            journal: params.bool("journal")?,
            logged: false,
            journaled: false,
        })
    }

    fn datagram(&self) -> Vec<u8> {
        let mut datagram = Vec::new();
        let priority = self.priority.to_string();
        let own = [("MESSAGE", &self.body), ("PRIORITY", &priority)];
        for (key, value) in own.into_iter().chain(self.fields.iter().map(|(k, v)| (k.as_str(), v))) {
            encode(&mut datagram, key, value);
        }
        datagram
    }
}

/// Encodes a field of the journal protocol: `KEY=value`, or length-prefixed if the value has line breaks.
fn encode(out: &mut Vec<u8>, key: &str, value: &str) {
    out.extend_from_slice(key.to_ascii_uppercase().as_bytes());
    if value.contains('\n') {
        out.push(b'\n');
        out.extend_from_slice(&(value.len() as u64).to_le_bytes());
    } else {
        out.push(b'=');
    }
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}

impl Provider for Msg {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if cx.refresh() {
            (self.logged, self.journaled) = (false, false);
        }
        if self.logged && (self.journaled || !self.journal) {
            return Ok(());
        }
        if !cx.change("log the message")? {
            return Ok(());
        }
        if !self.logged {
            cx.emit_message(self.body.clone());
            self.logged = true;
        }
        if self.journal && !self.journaled {
            let socket = UnixDatagram::unbound().map_err(Failure::on("open", Path::new("a socket")))?;
            socket.send_to(&self.datagram(), JOURNAL_SOCKET).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => {
                    Failure::Unavailable("the systemd journal is not running on this machine".to_owned())
                }
                _ => Failure::io("write to", JOURNAL_SOCKET, error),
            })?;
            self.journaled = true;
        }
        Ok(())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Msg::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn a_sensitive_message_is_masked_in_the_journal() {
        let mut message = resource("msg", "m").with("body", "it is hunter2").with("priority", "Info");
        message.params.insert("fields".into(), Value::map([("KEY".into(), "hunter2".into())]));
        message.sensitive = vec!["body".into(), "fields".into()];
        let datagram = String::from_utf8(Msg::read(&message).unwrap().datagram()).unwrap();
        assert!(datagram.contains("MESSAGE=********") && !datagram.contains("hunter2"), "{datagram}");
    }

    #[test]
    fn a_message_is_logged_once_and_again_after_a_notification() {
        let mut test = ProviderTest::new(&resource("msg", "m").with("body", "hello").with("priority", "Info"));
        assert_eq!(test.run(true).unwrap().messages, ["hello"]);
        test.assert_unchanged();
        test.refresh = true;
        assert_eq!(test.run(true).unwrap().messages, ["hello"]);
    }

    #[test]
    fn values_with_line_ends_carry_their_length() {
        let mut out = Vec::new();
        encode(&mut out, "a", "x");
        encode(&mut out, "B", "1\n2");
        assert_eq!(out, b"A=x\nB\n\x03\0\0\0\0\0\0\x001\n2\n");
    }
}
