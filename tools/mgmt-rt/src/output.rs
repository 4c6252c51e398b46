//! Standard output and standard error, written by a thread of their own.
//!
//! A reader that does not read (a stopped pager, a full disk, a stuck log collector) must not stop the agent. Lines wait in a
//! queue of bounded size; what does not fit is dropped and counted.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum size of the queue of an agent that runs until it is stopped, in bytes.
const MAX_DAEMON_BYTES: usize = 4 << 20;
/// Maximum size of the queue of a command that ends by itself, in bytes.
const MAX_COMMAND_BYTES: usize = 256 << 20;
/// How long an agent that was stopped waits for its log to be written.
const MAX_DAEMON_FLUSH: Duration = Duration::from_secs(2);

/// One of the two standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

/// The queue in front of the standard streams. Cheap to clone.
#[derive(Clone)]
pub struct Output {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Notified of new lines and of the end.
    changed: Condvar,
    /// Notified when everything is written.
    drained: Condvar,
    max_bytes: usize,
}

#[derive(Default)]
struct Queue {
    chunks: VecDeque<(Stream, String)>,
    bytes: usize,
    dropped: usize,
    /// The thread is writing what it took from the queue.
    is_writing: bool,
    has_thread: bool,
}

impl Output {
    /// Starts the thread. `keeps_running` is true for an agent that runs until it is stopped.
    pub fn new(keeps_running: bool) -> Output {
        let max_bytes = if keeps_running { MAX_DAEMON_BYTES } else { MAX_COMMAND_BYTES };
        Output::with_writer(max_bytes, write_to_stream).0
    }

    fn with_writer(
        max_bytes: usize,
        write: impl FnMut(Stream, &[u8]) + Send + 'static,
    ) -> (Output, Option<JoinHandle<()>>) {
        let shared =
            Arc::new(Shared { queue: Mutex::default(), changed: Condvar::new(), drained: Condvar::new(), max_bytes });
        let worker = shared.clone();
        let thread = std::thread::Builder::new().name("output".to_owned()).spawn(move || worker.work(write));
        shared.lock().has_thread = thread.is_ok();
        (Output { shared }, thread.ok())
    }

    /// Writes text, or drops it if the queue is full.
    pub fn write(&self, stream: Stream, text: String) {
        self.push(stream, text, self.shared.max_bytes);
    }

    /// Writes text even if the queue is full.
    pub fn write_always(&self, stream: Stream, text: String) {
        self.push(stream, text, usize::MAX);
    }

    fn push(&self, stream: Stream, text: String, max_bytes: usize) {
        let mut queue = self.shared.lock();
        if !queue.has_thread {
            drop(queue);
            return write_to_stream(stream, text.as_bytes());
        }
        if queue.bytes.saturating_add(text.len()) > max_bytes {
            queue.dropped += 1;
            return;
        }
        if queue.dropped > 0 {
            let dropped = std::mem::take(&mut queue.dropped);
            queue.push(Stream::Err, format!("mgmt-rt: {dropped} messages dropped: nobody reads them\n"));
        }
        queue.push(stream, text);
        drop(queue);
        self.shared.changed.notify_one();
    }

    /// Waits until everything is written; an agent that was stopped waits for a limited time.
    pub fn flush(&self, keeps_running: bool) {
        let end = Instant::now() + MAX_DAEMON_FLUSH;
        let mut queue = self.shared.lock();
        if std::mem::take(&mut queue.dropped) > 0 {
            queue.push(Stream::Err, "mgmt-rt: messages were dropped: nobody reads them\n".to_owned());
            self.shared.changed.notify_one();
        }
        while queue.has_thread && (!queue.chunks.is_empty() || queue.is_writing) {
            let left = end.saturating_duration_since(Instant::now());
            if keeps_running && left.is_zero() {
                return;
            }
            let limit = if keeps_running { left } else { MAX_DAEMON_FLUSH };
            queue = self.shared.drained.wait_timeout(queue, limit).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Queue {
    fn push(&mut self, stream: Stream, text: String) {
        self.bytes += text.len();
        match self.chunks.back_mut() {
            // Few large writes are faster than many small ones.
            Some((last, chunk)) if *last == stream && chunk.len() + text.len() <= 64 * 1024 => chunk.push_str(&text),
            _ => self.chunks.push_back((stream, text)),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut write: impl FnMut(Stream, &[u8])) {
        let mut queue = self.lock();
        loop {
            while let Some((stream, text)) = queue.chunks.pop_front() {
                queue.is_writing = true;
                drop(queue);
                write(stream, text.as_bytes());
                queue = self.lock();
                // What is being written still takes memory.
                queue.bytes -= text.len();
                queue.is_writing = false;
            }
            self.drained.notify_all();
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Writes to a standard stream. It may be closed or full: the agent continues regardless.
fn write_to_stream(stream: Stream, bytes: &[u8]) {
    let result = match stream {
        Stream::Out => io::stdout().lock().write_all(bytes).and_then(|()| io::stdout().flush()),
        Stream::Err => io::stderr().lock().write_all(bytes),
    };
    let _ = result;
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Returns an output whose writer waits for the sender before each write, and what was written.
    fn stuck_output(max_bytes: usize) -> (Output, std::sync::mpsc::Sender<()>, Receiver<String>) {
        let (permit, permits) = channel();
        let (written_in, written) = channel();
        let (output, _) = Output::with_writer(max_bytes, move |_, bytes| {
            if permits.recv().is_ok() {
                let _ = written_in.send(String::from_utf8_lossy(bytes).into_owned());
            }
        });
        (output, permit, written)
    }

    #[test]
    fn reader_that_does_not_read_holds_nobody_up() {
        let (output, permit, written) = stuck_output(1000);
        for _ in 0..100_000 {
            output.write(Stream::Out, "a line\n".to_owned());
        }
        let queued = output.shared.lock().bytes;
        assert!(queued <= 1000, "{queued}");
        for _ in 0..3 {
            permit.send(()).expect("the thread runs");
        }
        written.recv().expect("the first lines");
        test_support::eventually("the queue is empty again", || output.shared.lock().bytes == 0);
        output.write(Stream::Out, "the last\n".to_owned());
        permit.send(()).expect("the thread runs");
        let rest: String = std::iter::from_fn(|| written.recv_timeout(Duration::from_secs(10)).ok())
            .scan(false, |seen, text| (!std::mem::replace(seen, text.contains("the last"))).then_some(text))
            .take_while(|text| !text.is_empty())
            .take(2)
            .collect();
        assert!(rest.contains("messages dropped"), "{rest}");
    }

    #[test]
    fn everything_is_written_in_order() {
        let (written_in, written) = channel();
        let (output, _) = Output::with_writer(usize::MAX, move |_, bytes| {
            let _ = written_in.send(String::from_utf8_lossy(bytes).into_owned());
        });
        let expected: String = (0..1000).map(|i| format!("{i}\n")).collect();
        for line in expected.split_inclusive('\n') {
            output.write(Stream::Out, line.to_owned());
        }
        output.flush(false);
        assert_eq!(written.try_iter().collect::<String>(), expected);
    }
}
