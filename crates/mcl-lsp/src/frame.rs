//! The stream of messages: headers with a length, then as many bytes of JSON.
//!
//! What is not a message is reported, and the next header is looked for in the bytes that follow: a client with one wrong
//! message keeps its server.

use std::io::{self, BufRead, Read, Write};

/// What arrives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The bytes of a message.
    Message(Vec<u8>),
    /// A header without a valid length.
    Malformed(&'static str),
    /// The end of the input between two messages.
    End,
    /// The end of the input inside of a message.
    Truncated,
}

const LENGTH: &[u8] = b"content-length:";

/// A longer message is not one.
const MAX_LENGTH: u64 = 1 << 30;

/// Reads the next message.
///
/// # Errors
/// Those of the input.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Frame> {
    let mut length: Option<Result<u64, ()>> = None;
    let mut has_header = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(if has_header { Frame::Truncated } else { Frame::End });
        }
        if !line.ends_with(b"\n") {
            // The rest of what was not a message, or of a header.
            return Ok(if value_of_length(&line).is_some() || has_header { Frame::Truncated } else { Frame::End });
        }
        let header = line.trim_ascii();
        if !header.is_empty() {
            has_header = true;
            if let Some(value) = value_of_length(header) {
                let value = std::str::from_utf8(value).ok().and_then(|value| value.trim().parse().ok());
                length = Some(value.filter(|length| *length <= MAX_LENGTH).ok_or(()));
            }
            continue;
        }
        match length {
            _ if !has_header => {}
            None => return Ok(Frame::Malformed("a header without `Content-Length`")),
            Some(Err(())) => return Ok(Frame::Malformed("an invalid `Content-Length`")),
            Some(Ok(length)) => {
                let mut body = Vec::new();
                input.by_ref().take(length).read_to_end(&mut body)?;
                return Ok(if body.len() as u64 == length { Frame::Message(body) } else { Frame::Truncated });
            }
        }
    }
}

/// Returns what follows the last `Content-Length:` of a line, which may come after the rest of a malformed message.
fn value_of_length(line: &[u8]) -> Option<&[u8]> {
    let at = line.windows(LENGTH.len()).rposition(|part| part.eq_ignore_ascii_case(LENGTH))?;
    line.get(at + LENGTH.len()..)
}

/// Writes a message.
///
/// # Errors
/// Those of the output.
pub(crate) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", message.len())?;
    output.write_all(message)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &[Frame]) {
        let mut bytes = input.as_bytes();
        let mut frames = Vec::new();
        loop {
            let frame = read(&mut bytes).expect("memory can be read");
            let is_last = matches!(frame, Frame::End | Frame::Truncated);
            frames.push(frame);
            if is_last {
                break;
            }
        }
        assert_eq!(frames, expected, "{input:?}");
    }

    fn message(text: &str) -> Frame {
        Frame::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn messages_have_headers() {
        check("Content-Length: 2\r\n\r\n{}content-length:1\n\n1", &[message("{}"), message("1"), Frame::End]);
        check("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", &[message("{}"), Frame::End]);
        check("", &[Frame::End]);
    }

    #[test]
    fn the_next_message_is_found_after_a_malformed_one() {
        let good = "Content-Length: 2\r\n\r\n{}";
        let no_length = Frame::Malformed("a header without `Content-Length`");
        check(&format!("X: 1\r\n\r\n{{\"a\":1}}{good}"), &[no_length, message("{}"), Frame::End]);
        let invalid = || Frame::Malformed("an invalid `Content-Length`");
        check(&format!("Content-Length: x\r\n\r\n{{}}{good}"), &[invalid(), message("{}"), Frame::End]);
        check(&format!("Content-Length: -1\r\n\r\n{good}"), &[invalid(), message("{}"), Frame::End]);
        check(&format!("Content-Length: 99999999999999\r\n\r\n{good}"), &[invalid(), message("{}"), Frame::End]);
        check(&format!("Content-Length: 1\r\n\r\n{{}}{good}"), &[message("{"), message("{}"), Frame::End]);
    }

    #[test]
    fn an_end_inside_of_a_message_is_noticed() {
        check("Content-Length: 5\r\n\r\n{}", &[Frame::Truncated]);
        check("Content-Length: 5\r\n", &[Frame::Truncated]);
        check("Content-Len", &[Frame::End]);
    }
}
