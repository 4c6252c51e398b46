//! Random programs for a scratch directory, and random states of that directory before they are applied.
//!
//! All paths lie below the scratch directory: `root/` is what the programs manage, `in/` is what they read. `@` stands for
//! the scratch directory. Each resource has a path of its own, except for those that edit a shared file and those below a
//! managed directory.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use test_support::{RandomChoice, Rng};

/// Number of different paths in `root/`. With few of them, most resources find something at their path.
const SLOTS: usize = 8;
const CONTENTS: [&str; 4] = ["", "one\n", "one\ntwo\n", "no newline at the end"];
const MODES: [&str; 4] = ["0600", "0644", "0755", "u=rw,g=r"];

/// Makes a program. Other users own files only if the program is applied by root. One of
/// `any_sender` makes passwords and uses the output of commands, so that it differs when it is repeated or interrupted.
pub fn program(random: &mut Rng, root: bool, any_sender: bool) -> String {
    let mut program =
        Program { random, root, any_sender, text: String::new(), declared: Vec::new(), files: Vec::new() };
    for slot in 0..SLOTS {
        program.slot(slot);
    }
    program.text
}

struct Program<'r> {
    random: &'r mut Rng,
    root: bool,
    any_sender: bool,
    text: String,
    /// References to the resources so far, such as `File["@/root/s1"]`.
    declared: Vec<String>,
    /// The paths of files with a content.
    files: Vec<String>,
}

impl Program<'_> {
    fn slot(&mut self, slot: usize) {
        let path = format!("@/root/s{slot}");
        match self.random.usize(..30) {
            0..=2 => self.file(&path),
            3 => self.absent(&path),
            4..=6 => self.directory(&path),
            7 => {
                let target = format!("../{}-{slot}", self.pick(&["outside", "missing"]));
                let body = format!("state => \"exists\", source => \"{target}\",");
                let force = self.force();
                self.resource("file", &path, &format!("{body} symlink => true,{force}"));
            }
            8 => self.resource("file", &path, "state => \"exists\", source => \"@/in/one\","),
            9 => self.resource("file", &path, "state => \"exists\", fragments => [\"@/in/one\", \"@/in/tree/\",],"),
            10 => self.lines(&path, None),
            11 => {
                let edit = self.pick(&[".a = 1", ".a.b = [1, 2]", "del(.c)"]);
                self.resource("json:edit", &path, &format!("edits => [\"{edit}\",],"));
            }
            12 => {
                let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh me";
                let body = format!("state => \"exists\", file => \"{path}\", content => \"{key}\",");
                self.resource("ssh:authorized_key", &format!("key{slot}"), &body);
            }
            13 => self.resource("gzip", &path, "content => \"to be compressed\","),
            14 => self.resource("tar", &path, "inputs => [\"@/in/tree/\",],"),
            15 | 16 => self.exec(slot, &path),
            17 | 18 => self.received(slot, &path),
            19 => self.loop_over_files(&path),
            20 => self.derived(&path),
            21 => {
                let body = self.pick(&["value => \"x\",", "", "value => \"x\", mapped => true,"]);
                self.resource("kv", &format!("k{slot}"), body);
            }
            22 => {
                let kind = self.pick(&["user", "group"]);
                // Accounts of the machine are not changed.
                let (name, body) = if self.random.bool() {
                    ("root".to_owned(), "state => \"exists\",")
                } else {
                    (format!("no-such-account{slot}"), "state => \"absent\",")
                };
                if !self.declared.contains(&format!("{}[{name:?}]", capitalized(kind))) {
                    self.resource(kind, &name, body);
                }
            }
            23 => {
                let kind = self.pick(&["print", "msg"]);
                let body =
                    if kind == "print" { "msg => \"hello\"," } else { "body => \"hello\", priority => \"Info\"," };
                self.resource(kind, &format!("m{slot}"), body);
            }
            24 => self.settings(&path),
            25 => self.matching_line(&path),
            26 => self.jobs(&path),
            _ => {}
        }
    }

    fn file(&mut self, path: &str) {
        let content = self.pick(&CONTENTS);
        let mut body = format!("state => \"exists\", content => {content:?},");
        body += &self.attributes();
        body += &self.force();
        if self.random.one_in(4) {
            body += " Meta:reverse => true,";
        }
        if self.random.one_in(6) {
            body += " replace => false,";
        }
        // A parent that does not exist is an error, also when planned.
        let path = if self.random.one_in(12) { format!("{path}/missing/file") } else { path.to_owned() };
        self.resource("file", &path, &body);
    }

    fn absent(&mut self, path: &str) {
        match self.random.usize(..3) {
            0 => self.resource("file", path, "state => \"absent\","),
            1 => self.resource("file", path, "state => \"absent\", recurse => true, force => true,"),
            _ => self.resource("file", &format!("{path}/"), "state => \"absent\", recurse => true,"),
        }
    }

    fn directory(&mut self, path: &str) {
        let mut body = "state => \"exists\",".to_owned();
        body += &self.attributes();
        body += &self.force();
        match self.random.usize(..4) {
            0 => {}
            1 => body += " recurse => true, purge => true,",
            2 => body += " recurse => true, source => \"@/in/tree/\",",
            _ => body += " recurse => true, purge => true, source => \"@/in/tree/\",",
        }
        self.resource("file", &format!("{path}/"), &body);
        let directory = self.declared.last().cloned().unwrap_or_default();
        for name in ["a", "b"] {
            match self.random.usize(..4) {
                0 => self.file(&format!("{path}/{name}")),
                1 => self.lines(&format!("{path}/{name}"), Some(directory.clone())),
                _ => {}
            }
        }
    }

    /// Several edits of one file. Unlike a file, a line has no automatic edge to its directory.
    fn lines(&mut self, path: &str, directory: Option<String>) {
        for i in 0..1 + self.random.usize(..3) {
            let state = self.pick(&["exists", "absent"]);
            let line = format!("line {i}");
            let body = format!("file => \"{path}\", state => \"{state}\", content => \"{line}\",");
            let depend = directory.as_ref().map(|directory| format!(" Depend => {directory},")).unwrap_or_default();
            let body = body + &depend;
            self.resource("line", &format!("{path} {i}"), &body);
        }
    }

    /// A line that takes the place of those that match, as Puppet's `host` and `file_line` do.
    fn matching_line(&mut self, path: &str) {
        let state = self.pick(&["exists", "absent"]);
        let pattern = self.pick(&["^line", "^one$", "^t", "o", "nothing"]);
        let multiple = self.pick(&["", " multiple => true,"]);
        let body = format!(
            "file => \"{path}\", state => \"{state}\", content => \"line 0\", match => \"{pattern}\",{multiple}"
        );
        self.resource("line", &format!("{path} match"), &body);
    }

    /// Settings of one file, in groups of any size.
    fn settings(&mut self, path: &str) {
        for name in ["a", "b", "c"].into_iter().take(1 + self.random.usize(..3)) {
            let section =
                self.pick(&["", "section => \"s\",", "section => \"t\",", "section => \"s\", separator => \"=\","]);
            let value = self.pick(&["value => \"1\",", "values => [\"1\", \"2\",],", "state => \"absent\",", ""]);
            let alone = self.pick(&["", "", " Meta:autogroup => false,"]);
            let body = format!("path => \"{path}\", setting => \"{name}\", {section} {value}{alone}");
            self.resource("ini:setting", &format!("{path} {name}"), &body);
        }
    }

    /// Jobs of one crontab.
    fn jobs(&mut self, path: &str) {
        for name in ["a", "b"].into_iter().take(1 + self.random.usize(..2)) {
            let command = self.pick(&["/bin/true", "/bin/false"]);
            let what = self.pick(&["", "minute => \"5\",", "special => \"daily\",", "state => \"absent\","]);
            let environment = self.pick(&["", "environment => [\"A=b\",],"]);
            let body = format!("file => \"{path}\", command => \"{command}\", {what} {environment}");
            self.resource("cron:job", &format!("{path} {name}"), &body);
        }
    }

    fn exec(&mut self, slot: usize, path: &str) {
        let name = format!("e{slot}");
        let body = match self.random.usize(..4) {
            0 => format!("cmd => \"touch {path}\", shell => \"/bin/sh\", creates => \"{path}\","),
            1 => format!("cmd => \"echo x >>@/log{slot}\", shell => \"/bin/sh\", refreshonly => true,"),
            2 => format!(
                "cmd => \"touch {path}\", shell => \"/bin/sh\", ifcmd => \"test ! -e {path}\", ifshell => \"/bin/sh\","
            ),
            _ => format!(
                "cmd => \"touch {path}\", shell => \"/bin/sh\", nifcmd => \"test -e {path}\", nifshell => \"/bin/sh\","
            ),
        };
        self.resource("exec", &name, &body);
    }

    /// A file with a content that another resource sends.
    fn received(&mut self, slot: usize, path: &str) {
        let name = format!("sender{slot}");
        let senders = if self.any_sender { 4 } else { 2 };
        let sender = match self.random.usize(..senders) {
            3 => {
                self.resource("password", &name, "length => 8, saved => true,");
                format!("Password[{name:?}].password")
            }
            0 => {
                self.resource("value", &name, "any => \"sent\",");
                format!("Value[{name:?}].any")
            }
            1 => {
                // A command that never ran has no output.
                let body = "cmd => \"echo sent\", shell => \"/bin/sh\", refreshonly => true,";
                self.resource("exec", &name, body);
                format!("Exec[{name:?}].stdout")
            }
            _ => {
                let done = format!("@/done{slot}");
                let body = format!("cmd => \"touch {done}; echo sent\", shell => \"/bin/sh\", creates => \"{done}\",");
                self.resource("exec", &name, &body);
                format!("Exec[{name:?}].stdout")
            }
        };
        let force = self.force();
        // Another edge could close a cycle.
        self.resource_without_edges("file", path, &format!("state => \"exists\",{force}"));
        let _ = writeln!(self.text, "{sender} -> File[{path:?}].content");
    }

    fn loop_over_files(&mut self, path: &str) {
        let content = self.pick(&CONTENTS);
        let attributes = self.attributes();
        let _ = writeln!(
            self.text,
            "for $i, $name in [\"a\", \"b\"] {{\n\tfile \"{path}-${{name}}\" {{ state => \"exists\", content => {content:?},{attributes} }}\n}}"
        );
        self.declared.push(format!("File[\"{path}-a\"]"));
        self.files.push(format!("{path}-b"));
    }

    /// A file that is made of another one, which comes first. An archive would contain the time at which that was made.
    fn derived(&mut self, path: &str) {
        if self.files.is_empty() {
            return;
        }
        let source = self.random.pick(&self.files).clone();
        let depend = format!(" Depend => File[{source:?}],");
        // No plan knows that a command fails for want of what is not made.
        let declaration = format!("file {source:?} {{");
        let is_made = !self.text.lines().any(|line| line.starts_with(&declaration) && line.contains("Meta:noop"));
        match self.random.usize(..3) {
            0 => self.resource("gzip", path, &format!("input => \"{source}\",{depend}")),
            2 if is_made => {
                let body =
                    format!("cmd => \"cp --remove-destination {source} {path}\", creates => \"{path}\",{depend}");
                self.resource("exec", &format!("copy {path}"), &body);
            }
            _ => self.resource("file", path, &format!("state => \"exists\", source => \"{source}\",{depend}")),
        }
    }

    fn attributes(&mut self) -> String {
        let mut text = String::new();
        if self.random.bool() {
            let _ = write!(text, " mode => {:?},", self.pick(&MODES));
        }
        if self.root && self.random.one_in(3) {
            let _ = write!(text, " owner => {:?},", self.pick(&["root", "daemon", "1234"]));
        } else if self.random.one_in(20) {
            // An owner that nobody makes is an error, also when planned.
            text += " owner => \"no-such-account\",";
        }
        if self.root && self.random.one_in(6) {
            text += " group => \"daemon\",";
        }
        text
    }

    fn force(&mut self) -> String {
        if self.random.bool() { " force => true,".to_owned() } else { String::new() }
    }

    /// Adds a resource, with an edge to or from an earlier one at times. Without a second edge, there are no cycles.
    fn resource(&mut self, kind: &str, name: &str, body: &str) {
        let mut body = body.to_owned();
        if !self.declared.is_empty() && !body.contains(" => File[") && self.random.one_in(3) {
            let edge = self.pick(&["Depend", "Listen", "Before", "Notify"]);
            let other = self.random.pick(&self.declared).clone();
            let _ = write!(body, " {edge} => {other},");
        }
        self.resource_without_edges(kind, name, &body);
    }

    fn resource_without_edges(&mut self, kind: &str, name: &str, body: &str) {
        let noop = if self.random.one_in(15) { " Meta:noop => true," } else { "" };
        let _ = writeln!(self.text, "{kind} {name:?} {{ {body}{noop} }}");
        if kind == "file" && !name.ends_with('/') && body.contains("content =>") {
            self.files.push(name.to_owned());
        }
        let reference: Vec<String> = kind.split(':').map(capitalized).collect();
        self.declared.push(format!("{}[{name:?}]", reference.join(":")));
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        self.random.pick::<&str>(items)
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}

/// Makes the inputs of all programs and a random state of what they manage.
pub fn prepare(random: &mut Rng, scratch: &Path) {
    let input = scratch.join("in");
    fs::create_dir_all(input.join("tree/sub")).expect("a directory");
    for (name, content) in [("one", "1\n"), ("tree/a", "from the tree\n"), ("tree/x", "x"), ("tree/sub/y", "y")] {
        fs::write(input.join(name), content).expect("a file");
    }
    let root = scratch.join("root");
    fs::create_dir(&root).expect("a directory");
    disturb(random, &root);
}

/// Changes some of what the programs manage.
pub fn disturb(random: &mut Rng, root: &Path) {
    for slot in 0..SLOTS {
        let path = root.join(format!("s{slot}"));
        if random.one_in(3) {
            continue;
        }
        remove(&path);
        match random.usize(..6) {
            0 => {}
            1 | 2 => file(random, &path),
            3 | 4 => {
                fs::create_dir(&path).expect("a directory");
                for name in ["a", "x", "stray"] {
                    if random.bool() {
                        file(random, &path.join(name));
                    }
                }
                if random.bool() {
                    fs::create_dir(path.join("sub")).expect("a directory");
                    file(random, &path.join("sub/deep"));
                }
            }
            // What a resource writes through a link must not be what another one reads or writes.
            _ => {
                let target = format!("../outside-{slot}");
                if random.bool() {
                    file(random, &root.join(&target));
                }
                symlink(target, &path).expect("a link");
            }
        }
    }
}

fn file(random: &mut Rng, path: &Path) {
    let contents = ["", "one\n", "line 0\nline 1\n", "{\"a\": 1}", "no newline at the end"];
    fs::write(path, random.pick(&contents)).expect("a file");
    let mode = *random.pick(&[0o600, 0o644, 0o755, 0o640]);
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).expect("removed"),
        Ok(_) => fs::remove_file(path).expect("removed"),
        Err(_) => {}
    }
}
