//! A message with its help.

/// A message and its help.
pub struct Words {
    pub message: String,
    pub help: Option<String>,
}

/// Creates a message without help.
pub fn message(message: impl Into<String>) -> Words {
    Words { message: message.into(), help: None }
}

impl Words {
    /// Adds the help.
    pub fn help(self, help: impl Into<String>) -> Words {
        Words { help: Some(help.into()), ..self }
    }
}
