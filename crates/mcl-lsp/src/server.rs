//! The main thread: the life of the server, and its messages (spec 11 §2.1, §2.5).

mod configuration;
mod progress;

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use mcl_analysis::Analysis;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::Client;
use crate::documents::Documents;
use crate::event::{Analyzed, Event, Job, Waiting, Work};
use crate::frame::{self, Frame};
use crate::message::{self, Id, Message, Reply, RequestError};
use crate::requests::{self, Context, Needs, SentTokens};
use crate::worker;

/// The stack of a thread: programs nest deeply.
const STACK_SIZE: usize = 16 << 20;

/// How often the server looks whether its client still runs.
const CLIENT_INTERVAL: Duration = Duration::from_secs(5);

/// Modules are looked for among this many files and directories of the workspace, whose folder may be the root.
const MAX_ENTRIES: usize = 50_000;

/// A request on its way to the request thread.
struct Question {
    id: Id,
    method: String,
    params: Value,
    context: Context,
    /// The state of the texts, if the analysis is of an earlier one.
    newer: Option<u64>,
}

/// The life of the server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    New,
    Running,
    /// After `shutdown`.
    Ending,
}

/// Serves a client until it ends, and returns the exit status: 0 after `shutdown` and `exit`, 1 otherwise. `module_path` is the
/// global module directory, `version` that of the program.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    module_path: Option<PathBuf>,
    version: &str,
) -> u8 {
    let (events, received) = channel();
    let (jobs, to_analyze) = channel();
    let (questions, to_answer) = channel();
    let (messages, to_write) = channel();
    let spawn = |run: Box<dyn FnOnce() + Send>| thread::Builder::new().stack_size(STACK_SIZE).spawn(run);
    let (to_reader, to_worker, to_requests) = (events.clone(), events.clone(), events.clone());
    let newest = Arc::new(AtomicU64::new(0));
    let newest_of_worker = Arc::clone(&newest);
    let threads: [Box<dyn FnOnce() + Send>; 3] = [
        Box::new(move || read_frames(input, &to_reader)),
        Box::new(move || worker::run(&to_analyze, &to_worker, &newest_of_worker)),
        Box::new(move || answer_questions(&to_answer, &to_requests)),
    ];
    for run in threads {
        if spawn(run).is_err() {
            return 1;
        }
    }
    let Ok(writer) = thread::Builder::new().spawn(move || write_messages(&to_write, output)) else { return 1 };
    let mut server = Server {
        life: Life::New,
        client: None,
        documents: Documents::new(PathBuf::from("/"), module_path.clone()),
        module_path,
        version: version.to_owned(),
        generation: 0,
        fixed: 0,
        newest,
        latest: None,
        waiting: Vec::new(),
        running: HashSet::new(),
        published: BTreeMap::new(),
        requests_sent: 0,
        settings_request: None,
        shows_progress: false,
        events,
        jobs,
        questions,
        messages,
    };
    let status = server.run(&received);
    // What was answered is written before the end.
    drop(server);
    let _ = writer.join();
    status
}

fn read_frames(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let event = match frame::read(&mut input) {
            Ok(frame) => Event::Frame(frame),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => Event::Unreadable,
        };
        let is_last = matches!(event, Event::Unreadable | Event::Frame(Frame::End | Frame::Truncated));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

fn write_messages(messages: &Receiver<Vec<u8>>, mut output: impl Write) {
    while let Ok(message) = messages.recv() {
        if frame::write(&mut output, &message).is_err() {
            return;
        }
    }
}

fn answer_questions(questions: &Receiver<Question>, events: &Sender<Event>) {
    let mut sent = SentTokens::default();
    while let Ok(Question { id, method, params, mut context, newer }) = questions.recv() {
        if let Some(generation) = newer {
            let part = catch_unwind(AssertUnwindSafe(|| requests::part(&context, &method, &params))).unwrap_or(None);
            let Some(part) = part else {
                if events.send(Event::Postponed(Waiting { id, method, params, generation })).is_err() {
                    return;
                }
                continue;
            };
            context.analysis = Some(Arc::new(part));
        }
        if method == requests::EXECUTE {
            // A command may wait for another program, for which no other request has to wait.
            let events = events.clone();
            let run = move || {
                let answer =
                    isolated(&method, || requests::answer(&context, &method, params, &mut SentTokens::default()));
                // The server may have ended.
                let _ = events.send(Event::Answered(id, answer));
            };
            if thread::Builder::new().stack_size(STACK_SIZE).spawn(run).is_err() {
                return;
            }
            continue;
        }
        let answer = isolated(&method, || requests::answer(&context, &method, params, &mut sent));
        if events.send(Event::Answered(id, answer)).is_err() {
            return;
        }
    }
}

/// Turns a panic into an error. Its text has been written to standard error.
fn isolated(method: &str, answer: impl FnOnce() -> Result<Reply, RequestError>) -> Result<Reply, RequestError> {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| Err(RequestError::Internal(format!("`{method}` failed"))))
}

struct Server {
    life: Life,
    client: Option<Arc<Client>>,
    documents: Documents,
    module_path: Option<PathBuf>,
    version: String,
    /// Counts the changes of the texts.
    generation: u64,
    /// The last of them after something other than open texts changed.
    fixed: u64,
    /// The same as `generation`, for the analysis thread.
    newest: Arc<AtomicU64>,
    /// The last analysis, and the state of the texts that it is of.
    latest: Option<(u64, Option<Arc<Analysis>>)>,
    waiting: Vec<Waiting>,
    /// The requests on the request thread that were not cancelled.
    running: HashSet<Id>,
    /// What was last published for each address.
    published: BTreeMap<String, Value>,
    requests_sent: i64,
    /// The request for the settings that is not answered yet.
    settings_request: Option<i64>,
    shows_progress: bool,
    events: Sender<Event>,
    jobs: Sender<Work>,
    questions: Sender<Question>,
    messages: Sender<Vec<u8>>,
}

impl Server {
    fn run(&mut self, events: &Receiver<Event>) -> u8 {
        while let Ok(event) = events.recv() {
            match event {
                Event::Frame(Frame::Message(bytes)) => match message::parse(&bytes) {
                    Ok(Message::Request { id, method, params }) => self.request(id, method, params),
                    Ok(Message::Notification { method, .. }) if method == "exit" => {
                        return u8::from(self.life != Life::Ending);
                    }
                    Ok(Message::Notification { method, params }) => self.notification(&method, params),
                    Ok(Message::Response { id, result }) => self.response(&id, &result),
                    Err((id, error)) => self.respond(id.as_ref(), &Err(error)),
                },
                Event::Frame(Frame::Malformed(why)) => {
                    self.respond(None, &Err(RequestError::Parse(why.to_owned())));
                }
                Event::Frame(Frame::End) => return u8::from(self.life != Life::Ending),
                Event::Frame(Frame::Truncated) | Event::Unreadable | Event::ClientGone => return 1,
                Event::Analyzed(analyzed) => self.analyzed(analyzed),
                Event::Found { generation, publications } if generation == self.generation => {
                    self.publish(publications)
                }
                Event::Found { .. } => {}
                Event::Postponed(waiting) => self.postpone(waiting),
                Event::Slow => self.begin_progress(),
                Event::Answered(id, answer) => {
                    if self.running.remove(&id) {
                        self.respond(Some(&id), &answer);
                    }
                }
            }
        }
        1
    }

    fn send(&self, message: Vec<u8>) {
        // The writer ends only if the output is closed; then the input ends soon.
        let _ = self.messages.send(message);
    }

    /// Sends a request to the client and returns its id.
    fn send_request(&mut self, method: &str, params: &Value) -> i64 {
        self.requests_sent += 1;
        self.send(message::request(self.requests_sent, method, params));
        self.requests_sent
    }

    fn respond(&self, id: Option<&Id>, result: &Result<Reply, RequestError>) {
        self.send(message::response(id, result));
    }

    fn request(&mut self, id: Id, method: String, params: Value) {
        let result = match (self.life, method.as_str()) {
            (Life::New, "initialize") => Ok(self.initialize(&params).into()),
            (Life::New, _) => Err(RequestError::NotInitialized),
            (Life::Running, "initialize") => Err(RequestError::InvalidRequest("`initialize` was sent before")),
            (Life::Running, "shutdown") => {
                self.life = Life::Ending;
                for Waiting { id, .. } in std::mem::take(&mut self.waiting) {
                    self.respond(Some(&id), &Err(RequestError::Cancelled));
                }
                Ok(Value::Null.into())
            }
            (Life::Ending, _) => Err(RequestError::InvalidRequest("the server is shutting down")),
            (Life::Running, _) => match requests::needs(&method) {
                Some(needs) => return self.pass_on(id, method, params, needs),
                None => Err(RequestError::UnknownMethod(method)),
            },
        };
        self.respond(Some(&id), &result);
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let client = Client::new(params);
        let capabilities = client.capabilities(&self.version);
        self.documents = Documents::new(client.folder(), self.module_path.clone());
        if let Some(process) = client.process {
            let events = self.events.clone();
            // A server that cannot watch its client ends with its input.
            let _ = thread::Builder::new().spawn(move || watch_client(process, &events));
        }
        self.client = Some(Arc::new(client));
        self.life = Life::Running;
        if let Some(settings) = params.get("initializationOptions") {
            self.set_settings(settings);
        }
        capabilities
    }

    fn notification(&mut self, method: &str, params: Value) {
        if self.life != Life::Running {
            return;
        }
        let Some(client) = self.client.clone() else { return };
        match method {
            "initialized" => {
                self.initialized(&client);
                self.ask_for_settings();
            }
            "workspace/didChangeConfiguration" => self.settings_changed(&params),
            "textDocument/didOpen" => {
                if let Some(params) = read(method, params) {
                    self.documents.open(params);
                    self.changed();
                }
            }
            "textDocument/didChange" => {
                if let Some(params) = read(method, params) {
                    if self.documents.change(params, client.encoding) {
                        self.text_changed();
                    } else {
                        log("a change of a document that is not open is ignored");
                    }
                }
            }
            "textDocument/didClose" => {
                if let Some(params) = read(method, params) {
                    self.documents.close(&params);
                    self.changed();
                }
            }
            "workspace/didChangeWatchedFiles" | "textDocument/didSave" => self.changed(),
            "workspace/didChangeWorkspaceFolders" => {
                self.change_folders(&client, &params);
                self.changed();
            }
            "$/cancelRequest" => {
                if let Some(id) = params.get("id").cloned().and_then(|id| serde_json::from_value(id).ok()) {
                    self.cancel(&id);
                }
            }
            _ => {}
        }
    }

    /// Asks for messages about changed files, and analyses the modules of the workspace.
    fn initialized(&mut self, client: &Client) {
        if client.registers_watches {
            let patterns =
                ["**/*.mcl", "**/metadata.yaml", "**/*.pp", "**/*.epp", "**/metadata.json", "**/environment.conf"];
            let watchers = patterns.map(|pattern| json!({"globPattern": pattern}));
            let registration = json!({
                "id": "files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": {"watchers": watchers},
            });
            self.send_request("client/registerCapability", &json!({"registrations": [registration]}));
        }
        self.find_modules(client);
        self.changed();
    }

    fn change_folders(&mut self, client: &Client, params: &Value) {
        let folders = |what: &str| -> Vec<PathBuf> {
            let listed = params.pointer(&format!("/event/{what}")).and_then(Value::as_array);
            let uris = listed.into_iter().flatten().filter_map(|folder| folder.get("uri")?.as_str());
            uris.filter_map(|uri| self.documents.path(uri)).collect()
        };
        let (added, removed) = (folders("added"), folders("removed"));
        let mut client = client.clone();
        client.folders.retain(|folder| !removed.contains(folder));
        client.folders.extend(added);
        self.find_modules(&client);
        self.client = Some(Arc::new(client));
    }

    fn find_modules(&mut self, client: &Client) {
        let walks = client.folders.iter().map(|folder| ignore::WalkBuilder::new(folder).build());
        let files = walks
            .flatten()
            .take(MAX_ENTRIES)
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name() == "metadata.yaml");
        let mut modules: Vec<PathBuf> = files.map(ignore::DirEntry::into_path).collect();
        modules.sort();
        self.documents.workspace.set_modules(modules);
    }

    fn cancel(&mut self, id: &Id) {
        let waiting = self.waiting.len();
        self.waiting.retain(|request| request.id != *id);
        if self.waiting.len() < waiting || self.running.remove(id) {
            self.respond(Some(id), &Err(RequestError::Cancelled));
        }
    }

    /// Something has changed, which need not be an open text.
    fn changed(&mut self) {
        self.fixed = self.generation + 1;
        self.text_changed();
    }

    /// An open text has changed.
    fn text_changed(&mut self) {
        self.generation += 1;
        self.newest.store(self.generation, Ordering::Relaxed);
        let Some(client) = self.client.clone() else { return };
        self.watch_first_analysis();
        let (generation, fixed) = (self.generation, self.fixed);
        let job = Job { generation, fixed, documents: self.documents.clone(), client };
        // The analysis thread ends only with this one.
        let _ = self.jobs.send(Work::Texts(Box::new(job)));
    }

    fn analyzed(&mut self, analyzed: Analyzed) {
        let Analyzed { generation, analysis, publications } = analyzed;
        self.end_progress();
        if generation == self.generation {
            self.publish(publications);
        }
        if let Some((_, before)) = self.latest.replace((generation, analysis)) {
            let _ = self.jobs.send(Work::Drop(before));
        }
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|w| w.generation <= generation);
        self.waiting = waiting;
        let ready: Vec<Waiting> = ready;
        for Waiting { id, method, params, .. } in ready {
            self.ask(id, method, params, Needs::Analysis);
        }
    }

    /// Publishes what changed since the last time. Open documents have a publication for each version.
    fn publish(&mut self, publications: Vec<(String, Value)>) {
        let mut published = BTreeMap::new();
        for (uri, params) in publications {
            let known = self.published.remove(&uri);
            let is_empty = params["diagnostics"].as_array().is_some_and(Vec::is_empty);
            let is_news = match &known {
                Some(known) => *known != params,
                None => !is_empty || params.get("version").is_some(),
            };
            if is_news {
                self.send(message::notification("textDocument/publishDiagnostics", &params));
            }
            published.insert(uri, params);
        }
        // What belongs to no program any more has no diagnostics.
        for (uri, params) in std::mem::replace(&mut self.published, published) {
            if params["diagnostics"].as_array().is_some_and(|diagnostics| !diagnostics.is_empty()) {
                let params = json!({"uri": uri, "diagnostics": []});
                self.send(message::notification("textDocument/publishDiagnostics", &params));
            }
        }
    }

    fn pass_on(&mut self, id: Id, method: String, params: Value, needs: Needs) {
        let is_analyzed = self.latest.as_ref().is_some_and(|(generation, _)| *generation == self.generation);
        if needs == Needs::Text || is_analyzed || self.generation == 0 {
            return self.ask(id, method, params, needs);
        }
        let generation = self.generation;
        // The answer may depend on few statements, so that the last analysis is new enough for all else.
        let latest = self.latest.as_ref().filter(|(generation, _)| *generation >= self.fixed);
        let latest = latest.and_then(|(_, analysis)| analysis.clone()).filter(|_| requests::may_need_part(&method));
        if let (Some(analysis), Some(client)) = (latest, self.client.clone()) {
            self.running.insert(id.clone());
            let context = Context { documents: self.documents.clone(), analysis: Some(analysis), client };
            // The request thread ends only with this one.
            let _ = self.questions.send(Question { id, method, params, context, newer: Some(generation) });
            return;
        }
        self.wait(Waiting { id, method, params, generation });
    }

    /// A request that was passed on needs an analysis of the newest texts.
    fn postpone(&mut self, waiting: Waiting) {
        if !self.running.remove(&waiting.id) {
            return; // It was cancelled.
        }
        let is_analyzed = self.latest.as_ref().is_some_and(|(generation, _)| *generation >= waiting.generation);
        match self.life {
            Life::Ending => self.respond(Some(&waiting.id), &Err(RequestError::Cancelled)),
            _ if is_analyzed => self.ask(waiting.id, waiting.method, waiting.params, Needs::Analysis),
            _ => self.wait(waiting),
        }
    }

    fn wait(&mut self, waiting: Waiting) {
        self.waiting.push(waiting);
        let _ = self.jobs.send(Work::Wanted);
    }

    fn ask(&mut self, id: Id, method: String, params: Value, needs: Needs) {
        let Some(client) = self.client.clone() else { return };
        let analysis = match (&self.latest, needs) {
            (Some((_, None)), Needs::Analysis) => {
                let error = RequestError::Internal("the analysis failed".to_owned());
                return self.respond(Some(&id), &Err(error));
            }
            (Some((_, analysis)), Needs::Analysis) => analysis.clone(),
            (None, Needs::Analysis) | (_, Needs::Text) => None,
        };
        self.running.insert(id.clone());
        let context = Context { documents: self.documents.clone(), analysis, client };
        // The request thread ends only with this one.
        let _ = self.questions.send(Question { id, method, params, context, newer: None });
    }
}

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Option<T> {
    serde_json::from_value(params).inspect_err(|error| log(&format!("invalid parameters of `{method}`: {error}"))).ok()
}

/// Writes to standard error, unless `MCLC_LOG` is `off`.
fn log(message: &str) {
    if std::env::var_os("MCLC_LOG").is_none_or(|level| level != "off") {
        // Nobody may read it.
        let _ = writeln!(io::stderr(), "mclc lsp: {message}");
    }
}

/// Ends the server with its client.
fn watch_client(process: u32, events: &Sender<Event>) {
    let process = PathBuf::from(format!("/proc/{process}"));
    while process.exists() {
        thread::sleep(CLIENT_INTERVAL);
    }
    // The server may have ended already.
    let _ = events.send(Event::ClientGone);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(isolated("m", || Ok(Value::Null.into())), Ok(Value::Null.into()));
        let failed = isolated("m", || panic!("as expected"));
        assert_eq!(failed, Err(RequestError::Internal("`m` failed".to_owned())));
    }
}
