//! What the comments at the head of a test say: `# test: hostname = "web1"` (spec 11 §6).

use std::fmt::Display;

use mcl_diagnostics::{Diagnostic, FileId, Span, nearest};
use mcl_functions::{AnsweredCall, Answers, Implementation, Origin, all_functions, function};
use mcl_lexer::{TokenIdx, TokenKind, lex};
use serde_json::{Map, Value as Json};

use crate::test::literal::{Cursor, Parsed, invalid};

/// The words that a comment can start with.
const DIRECTIVES: [&str; 12] =
    ["hostname", "file", "exec", "env", "call", "fact", "facts", "puppet", "modules", "program", "step", "and"];

/// What a test says.
#[derive(Debug)]
pub struct Header {
    /// The states of the machine, in the order in which they follow each other. There is at least one.
    pub states: Vec<State>,
    /// The program or module that is tested, relative to the test; `None` for the test itself.
    pub program: Option<String>,
    /// The Puppet side, relative to the test.
    pub puppet: Option<String>,
    /// The directory of Puppet modules, relative to the test.
    pub modules: Option<String>,
    /// A file of facts, relative to the test.
    pub facts: Option<String>,
}

/// What a test says about the machine at one time.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub answers: Answers,
    /// The facts that manifests see, besides those of the file.
    pub facts: Map<String, Json>,
}

/// Reads the comments of a test.
///
/// # Errors
/// E0901 for each comment that is wrong.
pub fn parse(file: FileId, text: &str) -> Result<Header, Vec<Diagnostic>> {
    let tokens = lex(text);
    let mut header = Header { states: vec![State::default()], program: None, puppet: None, modules: None, facts: None };
    let mut errors = Vec::new();
    let first = tokens.indices().next().unwrap_or_else(|| tokens.end_idx());
    // The directives of the current state: one of a kind for each thing.
    let mut seen: Vec<String> = Vec::new();
    for comment in &tokens.comments {
        let (start, end) = (comment.start as usize, comment.end as usize);
        let Some((before, directive)) = text.get(start..end).and_then(|text| text.split_once("test:")) else {
            continue;
        };
        if !before.strip_prefix('#').is_some_and(|space| space.trim().is_empty()) {
            continue;
        }
        let offset = comment.start + u32::try_from(before.len() + "test:".len()).unwrap_or(0);
        let result = if is_after(comment.next_token, first) {
            let span = Span::new(file, comment.start, comment.end);
            Err(invalid(span, "comment of a test after the first statement".to_owned())
                .help("move it to the head of the file"))
        } else {
            header.add(&mut Cursor::new(directive, file, offset), &mut seen)
        };
        errors.extend(result.err());
    }
    if header.puppet.is_none() && (header.facts.is_some() || header.modules.is_some()) {
        let message = "facts or modules without a Puppet side".to_owned();
        errors.push(invalid(Span::new(file, 0, 0), message).help("add `# test: puppet = \"site.pp\"`"));
    }
    if errors.is_empty() { Ok(header) } else { Err(errors) }
}

fn is_after(token: TokenIdx, first: TokenIdx) -> bool {
    token != first
}

impl Header {
    /// Adds what a comment says.
    fn add(&mut self, cursor: &mut Cursor<'_>, seen: &mut Vec<String>) -> Parsed<()> {
        let is_step = cursor.word() == Some("step");
        if is_step {
            cursor.skip();
            self.states.extend(self.states.last().cloned());
            seen.clear();
        } else if cursor.word() == Some("and") {
            if self.states.len() == 1 {
                return Err(invalid(cursor.span(), "`and` without a step".to_owned())
                    .help("`and` adds to the `step` before it"));
            }
            cursor.skip();
        }
        let span = cursor.span();
        let Some(word) = cursor.word() else { return Err(cursor.expected("a word such as `hostname` or `file`")) };
        let word = word.to_owned();
        cursor.skip();
        let is_constant = matches!(&*word, "hostname" | "env" | "puppet" | "modules" | "program" | "facts");
        if is_constant && self.states.len() > 1 {
            return Err(invalid(span, format!("`{word}` in a step"))
                .help("it cannot change while a program runs: give it before the first step"));
        }
        let key = match &*word {
            "hostname" => self.set(cursor, |header, name| header.now().answers.hostname = Some(name))?,
            "puppet" => self.set(cursor, |header, path| header.puppet = Some(path))?,
            "modules" => self.set(cursor, |header, path| header.modules = Some(path))?,
            "program" => self.set(cursor, |header, path| header.program = Some(path))?,
            "facts" => self.set(cursor, |header, path| header.facts = Some(path))?,
            "file" => {
                let (path, content) = optional(cursor)?;
                self.now().answers.files.insert(path.clone(), content);
                path
            }
            "env" => {
                let (name, value) = optional(cursor)?;
                self.now().answers.environment.insert(name.clone(), value);
                name
            }
            "exec" => {
                let command = cursor.string()?;
                cursor.require(TokenKind::Equals, "`=`")?;
                let output = cursor.string()?;
                self.now().answers.commands.insert(command.clone(), output);
                command
            }
            "fact" => self.fact(cursor)?,
            "call" => self.call(cursor)?,
            _ => return Err(unknown(span, &word)),
        };
        cursor.end()?;
        let key = format!("{word} {key}");
        if seen.contains(&key) {
            return Err(invalid(span, format!("`{word}` is given twice")).help("remove one of the two"));
        }
        seen.push(key);
        Ok(())
    }

    /// The state that is being described.
    fn now(&mut self) -> &mut State {
        if self.states.is_empty() {
            self.states.push(State::default());
        }
        let last = self.states.len() - 1;
        &mut self.states[last]
    }

    fn set(&mut self, cursor: &mut Cursor<'_>, set: impl FnOnce(&mut Header, String)) -> Parsed<String> {
        cursor.require(TokenKind::Equals, "`=`")?;
        let value = cursor.string()?;
        set(self, value);
        Ok(String::new())
    }

    /// A fact: its name with dots between its parts.
    fn fact(&mut self, cursor: &mut Cursor<'_>) -> Parsed<String> {
        let span = cursor.span();
        let name = cursor.string()?;
        cursor.require(TokenKind::Equals, "`=`")?;
        let value = cursor.constant()?;
        let mut facts = &mut self.now().facts;
        let (parents, last) = name.rsplit_once('.').map_or((None, &*name), |(parents, last)| (Some(parents), last));
        for part in parents.into_iter().flat_map(|parents| parents.split('.')) {
            let entry = facts.entry(part).or_insert_with(|| Json::Object(Map::new()));
            let Json::Object(inner) = entry else {
                return Err(invalid(span, format!("the fact `{part}` has a value already, and no parts")));
            };
            facts = inner;
        }
        facts.insert(last.to_owned(), value);
        Ok(name)
    }

    fn call(&mut self, cursor: &mut Cursor<'_>) -> Parsed<String> {
        let (name, span) = cursor.function_name()?;
        self.check_call(&name, span)?;
        let arguments = cursor.arguments()?;
        cursor.require(TokenKind::Equals, "`=`")?;
        let result = cursor.constant()?;
        let calls = &mut self.now().answers.calls;
        let key = format!("{name} {}", Json::Array(arguments.clone()));
        // The answer of a step replaces the one before.
        calls.retain(|call| call.function != name || call.arguments != arguments);
        calls.push(AnsweredCall { function: name, arguments, result });
        Ok(key)
    }

    fn check_call(&self, name: &str, span: Span) -> Parsed<()> {
        let Some(function) = function(name) else {
            let error = invalid(span, format!("unknown function `{name}`"));
            return Err(match nearest(name, all_functions().map(|f| f.name)) {
                Some(known) => error.help(format!("did you mean `{known}`?")),
                None => error,
            });
        };
        if function.origin == Origin::Program {
            return Err(invalid(span, format!("the value of `{name}` does not depend on the machine")));
        }
        let changes = matches!(function.implementation, Implementation::Streaming(_));
        if self.states.len() > 1 && !changes {
            return Err(invalid(span, format!("the value of `{name}` in a step"))
                .help("a program asks for it once: give it before the first step"));
        }
        Ok(())
    }
}

/// Parses `"NAME" = "VALUE"` or `"NAME" = absent`.
fn optional(cursor: &mut Cursor<'_>) -> Parsed<(String, Option<String>)> {
    let name = cursor.string()?;
    cursor.require(TokenKind::Equals, "`=`")?;
    if cursor.word() == Some("absent") {
        cursor.skip();
        return Ok((name, None));
    }
    match cursor.string() {
        Ok(value) => Ok((name, Some(value))),
        Err(error) if error.message.starts_with("expected") => Err(cursor.expected("a string or `absent`")),
        Err(error) => Err(error),
    }
}

fn unknown(span: Span, word: &impl Display) -> Diagnostic {
    let word = word.to_string();
    let error = invalid(span, format!("unknown word `{word}` in a comment of a test"));
    match nearest(&word, DIRECTIVES) {
        Some(known) => error.help(format!("did you mean `{known}`?")),
        None => error.help(format!("the words are {}", DIRECTIVES.map(|word| format!("`{word}`")).join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let errors = parse(FileId::MAIN, text).expect_err("invalid");
        let [error] = &errors[..] else { panic!("{errors:?}") };
        let span = error.span.expect("a span");
        format!("{}: {}", &text[span.start as usize..span.end as usize], error.message)
    }

    #[test]
    fn comments_describe_states_that_follow_each_other() {
        let header = parse(
            FileId::MAIN,
            "# A test.\n# test: hostname = \"web1\"\n# test: file \"/a\" = \"x\\n\"\n# test: file \"/b\" = absent\n\
             # test: call os.user_exists(\"ann\") = true\n# test: fact \"os.family\" = \"Debian\"\n\
             # test: puppet = \"site.pp\"\n# test: step file \"/a\" = \"y\"\n# test: and exec \"id\" = \"0\"\n$x = 1\n",
        );
        let header = header.expect("valid");
        let [before, after] = &header.states[..] else { panic!("{header:?}") };
        assert_eq!(before.answers.hostname.as_deref(), Some("web1"));
        assert_eq!(before.answers.files["/a"].as_deref(), Some("x\n"));
        assert_eq!(before.answers.files["/b"], None);
        assert_eq!(before.answers.calls[0].arguments, [Json::from("ann")]);
        assert_eq!(Json::Object(before.facts.clone()), serde_json::json!({"os": {"family": "Debian"}}));
        assert_eq!(header.puppet.as_deref(), Some("site.pp"));
        assert_eq!(after.answers.files["/a"].as_deref(), Some("y"));
        assert_eq!(after.answers.commands["id"], "0");
        assert_eq!(after.answers.hostname.as_deref(), Some("web1"));
    }

    #[test]
    fn constants_are_those_of_programs() {
        let text = "# test: call sys.load() = struct{x1 => 0.5, x5 => -1.0, x15 => 2.0}\n\
                    # test: call golang/os.getpid() = 7\n# test: call world.kvlookup(\"a\") = {\"h\" => \"v\",}\n\
                    # test: call world.schedule(\"a\") = [\"h1\", \"h2\"]\n";
        let header = parse(FileId::MAIN, text).expect("valid");
        let results: Vec<String> = header.states[0].answers.calls.iter().map(|call| call.result.to_string()).collect();
        let expected = [r#"{"x1":0.5,"x5":-1.0,"x15":2.0}"#, "7", r#"{"h":"v"}"#, r#"["h1","h2"]"#];
        assert_eq!(results, expected);
    }

    #[test]
    fn wrong_comments_are_errors_at_what_is_wrong() {
        for (text, expected) in [
            ("# test: hostnam = \"a\"", "hostnam: unknown word `hostnam` in a comment of a test"),
            ("# test: hostname \"a\"", "\"a\": expected `=`, found `\"a\"`"),
            ("# test: file \"/a\" = 5", "5: expected a string or `absent`, found `5`"),
            ("# test: file \"/a\" = \"${x}\"", "\"${x}\": invalid string"),
            ("# test: exec \"a\" = \"b\" c", "c: expected the end of the comment, found `c`"),
            ("# test: and file \"/a\" = \"\"", "and: `and` without a step"),
            ("# test: step env \"A\" = \"b\"", "env: `env` in a step"),
            ("# test: step call os.family() = \"x\"", "os.family: the value of `os.family` in a step"),
            ("# test: call os.famly() = \"x\"", "os.famly: unknown function `os.famly`"),
            (
                "# test: call strings.to_upper(\"a\") = \"A\"",
                "strings.to_upper: the value of `strings.to_upper` does not depend on the machine",
            ),
            ("# test: call os.family() = $x", "$: expected a constant, found `$`"),
            ("# test: hostname = \"a\"\n# test: hostname = \"b\"", "hostname: `hostname` is given twice"),
            (
                "$x = 1\n# test: hostname = \"a\"",
                "# test: hostname = \"a\": comment of a test after the first statement",
            ),
            (
                "# test: fact \"a\" = 1\n# test: fact \"a.b\" = 1",
                "\"a.b\": the fact `a` has a value already, and no parts",
            ),
            ("# test: facts = \"a.json\"", ": facts or modules without a Puppet side"),
            ("# test:", ": expected a word such as `hostname` or `file`, found the end of the comment"),
        ] {
            assert_eq!(error(text), expected, "{text}");
        }
        let deep = format!("# test: call os.family() = {}", "[".repeat(5000));
        assert!(error(&deep).contains("nested more than"));
    }

    #[test]
    fn other_comments_are_not_read() {
        let header = parse(FileId::MAIN, "# This is a test: of comments.\n#test: hostname = \"a\"\n").expect("valid");
        assert_eq!(header.states[0].answers.hostname.as_deref(), Some("a"));
        assert_eq!(header.states.len(), 1);
    }
}
