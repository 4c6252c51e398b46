//! Messages of JSON-RPC.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// A message of the client.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    Request {
        id: Id,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of the server.
    Response {
        id: Id,
        /// Null for an error.
        result: Value,
    },
}

/// Why a request has no result. The codes are those of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestError {
    Parse(String),
    InvalidRequest(&'static str),
    NotInitialized,
    UnknownMethod(String),
    InvalidParams(String),
    Internal(String),
    Cancelled,
    Failed(String),
}

impl RequestError {
    fn parts(&self) -> (i32, String) {
        match self {
            RequestError::Parse(error) => (-32700, format!("malformed message: {error}")),
            RequestError::InvalidRequest(why) => (-32600, (*why).to_owned()),
            RequestError::NotInitialized => (-32002, "expected `initialize` first".to_owned()),
            RequestError::UnknownMethod(method) => (-32601, format!("unknown method `{method}`")),
            RequestError::InvalidParams(error) => (-32602, format!("invalid parameters: {error}")),
            RequestError::Internal(error) => (-32603, format!("internal error: {error}")),
            RequestError::Cancelled => (-32800, "cancelled".to_owned()),
            RequestError::Failed(why) => (-32803, why.clone()),
        }
    }
}

impl From<serde_json::Error> for RequestError {
    fn from(error: serde_json::Error) -> RequestError {
        RequestError::InvalidParams(error.to_string())
    }
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Value(Value),
    /// JSON that is written already.
    Text(String),
}

impl From<Value> for Reply {
    fn from(value: Value) -> Reply {
        Reply::Value(value)
    }
}

/// Reads a message.
///
/// # Errors
/// The error to answer with, and the id if it can be read.
pub(crate) fn parse(bytes: &[u8]) -> Result<Message, (Option<Id>, RequestError)> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| (None, RequestError::Parse(error.to_string())))?;
    let Value::Object(mut fields) = value else {
        return Err((None, RequestError::Parse("expected an object".to_owned())));
    };
    let id = match fields.remove("id") {
        None | Some(Value::Null) => None,
        Some(id) => match serde_json::from_value(id) {
            Ok(id) => Some(id),
            Err(_) => return Err((None, RequestError::InvalidRequest("expected a number or a string as `id`"))),
        },
    };
    let params = fields.remove("params").unwrap_or(Value::Null);
    match (fields.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Ok(Message::Request { id, method, params }),
        (Some(Value::String(method)), None) => Ok(Message::Notification { method, params }),
        (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
            Ok(Message::Response { id, result: fields.remove("result").unwrap_or_default() })
        }
        (_, id) => Err((id, RequestError::InvalidRequest("expected a string as `method`"))),
    }
}

/// Returns the bytes of a response.
pub(crate) fn response(id: Option<&Id>, result: &Result<Reply, RequestError>) -> Vec<u8> {
    let message = match result {
        Ok(Reply::Text(result)) => {
            let id = json!(id);
            return format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}").into_bytes();
        }
        Ok(Reply::Value(result)) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => {
            let (code, message) = error.parts();
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    };
    message.to_string().into_bytes()
}

/// Returns the bytes of a notification.
pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().into_bytes()
}

/// Returns the bytes of a request of the server.
pub(crate) fn request(id: i64, method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_message_is_an_error_with_the_id_that_can_be_read() {
        let error = |text: &str| parse(text.as_bytes()).expect_err(text);
        assert!(matches!(error("{"), (None, RequestError::Parse(_))));
        assert!(matches!(error("[1]"), (None, RequestError::Parse(_))));
        assert!(matches!(error("{\"id\":1}"), (Some(Id::Number(1)), RequestError::InvalidRequest(_))));
        assert!(matches!(error("{\"id\":[],\"method\":\"a\"}"), (None, RequestError::InvalidRequest(_))));
        assert!(matches!(error("{\"id\":\"a\",\"method\":1}"), (Some(Id::Text(_)), RequestError::InvalidRequest(_))));
        let nested = "[".repeat(10_000);
        assert!(matches!(error(&nested), (None, RequestError::Parse(_))));
        let response = Message::Response { id: Id::Number(1), result: Value::Null };
        assert_eq!(parse(b"{\"id\":1,\"result\":null}"), Ok(response));
    }
}
