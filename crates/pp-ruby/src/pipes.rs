//! Messages on the pipes of the helper, read and written until a deadline: a length of four bytes and JSON. What the helper sends
//! has a letter before it, which only the helper chooses, not the program that it runs: whether the program asks or has ended.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::Value as Json;

/// Maximum size of a message, in bytes.
const MAX_MESSAGE_BYTES: usize = 256 << 20;
/// Maximum number of bytes of one read: memory for a message is allocated as its bytes arrive.
const CHUNK_BYTES: usize = 1 << 20;

/// Why a message cannot be read or written.
#[derive(Debug)]
pub(crate) enum PipeError {
    /// The other side has closed its end.
    Closed,
    /// The deadline has passed.
    TimedOut,
    /// What was read is not a message.
    Invalid,
    /// The message is too large.
    TooLarge,
    /// A system call failed.
    Io(io::Error),
}

impl From<io::Error> for PipeError {
    fn from(error: io::Error) -> PipeError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => PipeError::Closed,
            _ => PipeError::Io(error),
        }
    }
}

/// What a message of the helper is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// The program waits for an answer.
    Question,
    /// The program has ended, and nothing of it is left.
    Result,
}

/// The pipes to and from the helper.
#[derive(Debug)]
pub(crate) struct Pipes {
    /// `None` once it is closed.
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Pipes {
    /// Takes the pipes, which never block from now on.
    pub(crate) fn new(input: ChildStdin, output: ChildStdout) -> io::Result<Pipes> {
        fcntl_setfl(&input, fcntl_getfl(&input)? | OFlags::NONBLOCK)?;
        fcntl_setfl(&output, fcntl_getfl(&output)? | OFlags::NONBLOCK)?;
        Ok(Pipes { input: Some(input), output })
    }

    /// Closes the pipe to the helper, which ends then.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Writes a message.
    pub(crate) fn write(&mut self, message: &Json, deadline: Instant) -> Result<(), PipeError> {
        let text = message.to_string();
        let length = u32::try_from(text.len()).ok().filter(|length| *length as usize <= MAX_MESSAGE_BYTES);
        let length = length.ok_or(PipeError::TooLarge)?;
        self.write_all(&length.to_be_bytes(), deadline)?;
        self.write_all(text.as_bytes(), deadline)
    }

    fn write_all(&mut self, mut bytes: &[u8], deadline: Instant) -> Result<(), PipeError> {
        let Some(input) = &mut self.input else { return Err(PipeError::Closed) };
        while !bytes.is_empty() {
            match input.write(bytes) {
                Ok(0) => return Err(PipeError::Closed),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait(input, PollFlags::OUT, deadline)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads a message.
    pub(crate) fn read(&mut self, deadline: Instant) -> Result<(MessageKind, Json), PipeError> {
        let head = self.read_exact(5, deadline)?;
        let kind = match head.first() {
            Some(b'q') => MessageKind::Question,
            Some(b'r') => MessageKind::Result,
            Some(_) | None => return Err(PipeError::Invalid),
        };
        let length = head[1..].try_into().map_or(usize::MAX, |head: [u8; 4]| u32::from_be_bytes(head) as usize);
        if length > MAX_MESSAGE_BYTES {
            return Err(PipeError::Invalid);
        }
        let text = self.read_exact(length, deadline)?;
        Ok((kind, serde_json::from_slice(&text).map_err(|_| PipeError::Invalid)?))
    }

    fn read_exact(&mut self, length: usize, deadline: Instant) -> Result<Vec<u8>, PipeError> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let start = bytes.len();
            bytes.resize(length.min(start + CHUNK_BYTES), 0);
            let result = self.output.read(&mut bytes[start..]);
            bytes.truncate(start + *result.as_ref().unwrap_or(&0));
            match result {
                Ok(0) => return Err(PipeError::Closed),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait(&self.output, PollFlags::IN, deadline)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(bytes)
    }
}

/// Waits until a pipe is ready.
fn wait(pipe: &impl AsFd, flags: PollFlags, deadline: Instant) -> Result<(), PipeError> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return Err(PipeError::TimedOut);
    }
    let timeout =
        Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX), tv_nsec: i64::from(left.subsec_nanos()) };
    match poll(&mut [PollFd::new(pipe, flags)], Some(&timeout)) {
        Ok(_) => Ok(()),
        Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(PipeError::Io(error.into())),
    }
}
