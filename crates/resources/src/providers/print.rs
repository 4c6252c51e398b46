//! `print`: prints a message when it changes or on a notification (spec 05 §6.9).

use std::sync::Arc;

use resource_graph::Resource;

use crate::{Context, Failure, Params, Provider};

struct Print {
    members: Vec<Message>,
}

struct Message {
    name: Arc<str>,
    text: String,
    refresh_only: bool,
    /// The message that was printed last.
    last: Option<String>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    let members = resources.iter().map(|r| Message::read(r, None)).collect::<Result<_, _>>()?;
    Ok(Box::new(Print { members }))
}

impl Message {
    fn read(resource: &Resource, last: Option<String>) -> Result<Message, Failure> {
        let params = Params::new(resource);
        let text = params.opt_bytes("msg")?.map(|s| s.to_text().into_owned()).unwrap_or_default();
        Ok(Message { name: params.name().clone(), text, refresh_only: params.bool("refresh_only")?, last })
    }

    fn line(&self, is_leader: bool) -> String {
        let text = if self.text.is_empty() { "<empty>" } else { &self.text };
        if is_leader { format!("Msg: {text}") } else { format!("print[{}]: Msg: {text}", self.name) }
    }
}

impl Provider for Print {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let refresh = cx.refresh();
        let due =
            self.members.iter().any(|m| if m.refresh_only { refresh } else { m.last.as_deref() != Some(&m.text) });
        if !due || !cx.change("print the message")? {
            return Ok(());
        }
        for (i, member) in self.members.iter_mut().enumerate() {
            cx.emit_message(member.line(i == 0));
            member.last = Some(member.text.clone());
        }
        Ok(())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        let members = resources.iter().zip(&self.members).map(|(r, old)| Message::read(r, old.last.clone()));
        self.members = members.collect::<Result<_, _>>()?;
        Ok(())
    }
}
