//! Edits the text of a crontab, and leaves every other line of it as it is (spec 08 §19).
//!
//! A job is a line with its times and its command. It has a name if a comment with that name comes before, and the variables
//! that are set between the comment and the line are its own. The other comments and blank lines between them are not.

use resource_graph::{CRON_COLUMNS, is_assignment};

use crate::Failure;

/// What a comment with the name of a job starts with: the form that Puppet writes and reads.
const NAME_PREFIX: &[u8] = b"# Puppet Name: ";

/// What a job is to be. What is `None` stays as it is.
pub(super) struct Job {
    pub(super) name: String,
    pub(super) command: Option<Vec<u8>>,
    pub(super) times: Times,
    pub(super) variables: Option<Vec<Vec<u8>>>,
}

/// When a job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// The columns; `None` for any time, or for the present one.
    Columns([Option<String>; CRON_COLUMNS.len()]),
    /// `@WORD`.
    Special(String),
}

/// The lines of a crontab.
pub(super) struct Crontab<'t> {
    text: &'t [u8],
    lines: Vec<&'t [u8]>,
}

/// The lines of a job in a crontab.
struct Found {
    /// The comment and the lines with variables.
    own: Vec<usize>,
    line: usize,
}

/// A line that runs a command.
struct JobLine<'t> {
    times: Times,
    command: &'t [u8],
}

impl<'t> JobLine<'t> {
    fn parse(line: &'t [u8]) -> Option<JobLine<'t>> {
        let line = line.trim_ascii();
        if line.first().is_none_or(|byte| *byte == b'#') || is_variable(line) {
            return None;
        }
        let word = |rest: &'t [u8]| {
            let end = rest.iter().position(u8::is_ascii_whitespace)?;
            Some((String::from_utf8(rest[..end].to_vec()).ok()?, rest[end..].trim_ascii_start()))
        };
        if let Some(rest) = line.strip_prefix(b"@") {
            let (special, command) = word(rest)?;
            return Some(JobLine { times: Times::Special(special), command });
        }
        let mut columns: [Option<String>; CRON_COLUMNS.len()] = Default::default();
        let mut rest = line;
        for column in &mut columns {
            let (text, after) = word(rest)?;
            (*column, rest) = (Some(text), after);
        }
        Some(JobLine { times: Times::Columns(columns), command: rest })
    }
}

impl Times {
    /// Returns these times, with those of `present` where they say nothing.
    fn over(&self, present: Option<&Times>) -> Times {
        let Times::Columns(columns) = self else { return self.clone() };
        if columns.iter().all(Option::is_none)
            && let Some(present) = present
        {
            return present.clone();
        }
        let mut columns = columns.clone();
        for (index, column) in columns.iter_mut().enumerate() {
            if let (None, Some(Times::Columns(present))) = (&*column, present) {
                column.clone_from(&present[index]);
            }
        }
        Times::Columns(columns)
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Times::Special(word) => write!(f, "@{word}"),
            Times::Columns(columns) => {
                f.write_str(&columns.each_ref().map(|column| column.as_deref().unwrap_or("*")).join(" "))
            }
        }
    }
}

impl<'t> Crontab<'t> {
    pub(super) fn new(text: &'t [u8]) -> Crontab<'t> {
        Crontab { text, lines: text.split_inclusive(|byte| *byte == b'\n').collect() }
    }

    /// Returns the text with the job; `None` if that is the present one.
    ///
    /// # Errors
    /// There is no such job, and no command for a new one.
    pub(super) fn with(&self, job: &Job) -> Result<Option<Vec<u8>>, Failure> {
        let found = self.find(job);
        let present = found.as_ref().and_then(|found| JobLine::parse(self.lines[found.line]));
        let Some(command) = job.command.as_deref().or_else(|| present.as_ref().map(|present| present.command)) else {
            return Err(Failure::Invalid(format!("missing parameter `command`: there is no job `{}`", job.name)));
        };
        let times = job.times.over(present.as_ref().map(|present| &present.times));
        let present_variables: Vec<&[u8]> = found.iter().flat_map(|found| self.variables(found)).collect();
        let variables: Vec<&[u8]> = match &job.variables {
            Some(variables) => variables.iter().map(Vec::as_slice).collect(),
            None => present_variables.clone(),
        };
        if let Some(present) = &present
            && present.command == command
            && present.times == times.with_defaults()
            && present_variables == variables
        {
            return Ok(None);
        }
        let mut new = [NAME_PREFIX, job.name.as_bytes(), b"\n"].concat();
        for variable in variables {
            new.extend_from_slice(variable);
            new.push(b'\n');
        }
        new.extend_from_slice(format!("{times} ").as_bytes());
        new.extend_from_slice(command);
        new.push(b'\n');
        Ok(Some(match found {
            Some(found) => self.replaced(&found, &new),
            None => {
                let separator: &[u8] = if self.text.is_empty() || self.text.ends_with(b"\n") { b"" } else { b"\n" };
                [self.text, separator, &new].concat()
            }
        }))
    }

    /// Returns the text without the job; `None` if there is none.
    pub(super) fn without(&self, job: &Job) -> Option<Vec<u8>> {
        self.find(job).map(|found| self.replaced(&found, b""))
    }

    /// Replaces the line of a job by a text, and removes its other lines.
    fn replaced(&self, found: &Found, new: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.text.len() + new.len());
        for (index, line) in self.lines.iter().enumerate() {
            if index == found.line {
                text.extend_from_slice(new);
            } else if !found.own.contains(&index) {
                text.extend_from_slice(line);
            }
        }
        text
    }

    /// Returns the variables of a job, as their lines set them.
    fn variables(&self, found: &Found) -> impl Iterator<Item = &'t [u8]> {
        found.own.iter().map(|index| self.lines[*index].trim_ascii()).filter(|line| is_variable(line))
    }

    /// Finds the job with the name, else one without a name that is the same.
    fn find(&self, job: &Job) -> Option<Found> {
        let (mut named, mut own): (Option<&[u8]>, Vec<usize>) = (None, Vec::new());
        let mut same = None;
        for (index, line) in self.lines.iter().enumerate() {
            let line = line.trim_ascii();
            if let Some(name) = line.strip_prefix(NAME_PREFIX) {
                (named, own) = (Some(name.trim_ascii()), vec![index]);
            } else if is_variable(line) {
                if named.is_some() {
                    own.push(index);
                }
            } else if let Some(present) = JobLine::parse(line) {
                match named.take() {
                    Some(name) if name == job.name.as_bytes() => return Some(Found { own, line: index }),
                    Some(_) => {}
                    None if same.is_none() && job.is_same(&present) => {
                        same = Some(Found { own: Vec::new(), line: index });
                    }
                    None => {}
                }
                own = Vec::new();
            }
        }
        same
    }
}

impl Job {
    /// Returns whether a job without a name is this one.
    fn is_same(&self, present: &JobLine<'_>) -> bool {
        self.command.as_deref() == Some(present.command)
            && self.times.with_defaults() == present.times
            && self.variables.as_ref().is_none_or(Vec::is_empty)
    }
}

impl Times {
    /// Returns the times with `*` in every column that is not given.
    fn with_defaults(&self) -> Times {
        match self {
            Times::Special(_) => self.clone(),
            Times::Columns(columns) => {
                Times::Columns(columns.clone().map(|column| Some(column.unwrap_or_else(|| "*".to_owned()))))
            }
        }
    }
}

fn is_variable(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(is_assignment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, command: Option<&str>, times: &str) -> Job {
        let columns: Vec<Option<String>> =
            times.split(' ').map(|column| (column != ".").then(|| column.to_owned())).collect();
        let times = match times.strip_prefix('@') {
            Some(special) => Times::Special(special.to_owned()),
            None => Times::Columns(columns.try_into().unwrap()),
        };
        let command = command.map(|command| command.as_bytes().to_vec());
        Job { name: name.to_owned(), command, times, variables: None }
    }

    #[track_caller]
    fn check(before: &str, job: &Job, after: &str) {
        let found = Crontab::new(before.as_bytes()).with(job).unwrap();
        let found = found.map_or_else(|| before.to_owned(), |text| String::from_utf8(text).unwrap());
        assert_eq!(found, after);
        assert_eq!(Crontab::new(found.as_bytes()).with(job).unwrap(), None, "a second edit changes something");
    }

    const ANY: &str = ". . . . .";

    #[test]
    fn what_is_not_given_stays() {
        let before = "# top\nM=x\n1 1 * * * /bin/x\n# Puppet Name: a\n5 2 * * * /bin/a\n*/5 * * * * /bin/y\n";
        check(before, &job("a", None, ANY), before);
        check(before, &job("a", Some("/bin/b"), ". 7 . . ."), &before.replace("5 2 * * * /bin/a", "5 7 * * * /bin/b"));
        check(before, &job("a", None, "@daily"), &before.replace("5 2 * * * /bin/a", "@daily /bin/a"));
        check("# Puppet Name: a\n@daily x y\n", &job("a", None, ". 1 . . ."), "# Puppet Name: a\n* 1 * * * x y\n");
    }

    #[test]
    fn a_new_job_comes_last() {
        let new = "# Puppet Name: n\n* * * * * /bin/n %a\n";
        check("", &job("n", Some("/bin/n %a"), ANY), new);
        check("X=1", &job("n", Some("/bin/n %a"), ANY), &format!("X=1\n{new}"));
        assert!(Crontab::new(b"").with(&job("n", None, ANY)).is_err());
    }

    #[test]
    fn a_job_without_a_name_is_not_doubled() {
        let before = "15 3 * * * /bin/a\n";
        check(before, &job("a", Some("/bin/a"), "15 3 . . ."), before);
        let other = "15 3 * * * /bin/a\n# Puppet Name: a\n15 * * * * /bin/a\n";
        check(before, &job("a", Some("/bin/a"), "15 . . . ."), other);
        assert_eq!(Crontab::new(before.as_bytes()).without(&job("a", Some("/bin/a"), "15 3 . . .")), Some(Vec::new()));
    }

    #[test]
    fn variables_between_the_comment_and_the_job_are_its_own() {
        let before = "# Puppet Name: b\nPATH=/bin\n# between\n\n@daily /bin/b\nX=1\n";
        let mut new = job("b", None, ANY);
        check(before, &new, before);
        new.variables = Some(vec![b"PATH=/usr/bin".to_vec(), b"Y=2".to_vec()]);
        check(before, &new, "# between\n\n# Puppet Name: b\nPATH=/usr/bin\nY=2\n@daily /bin/b\nX=1\n");
        new.variables = Some(Vec::new());
        check(before, &new, "# between\n\n# Puppet Name: b\n@daily /bin/b\nX=1\n");
        let without = Crontab::new(before.as_bytes()).without(&new);
        assert_eq!(without.as_deref(), Some(&b"# between\n\nX=1\n"[..]));
    }

    #[test]
    fn a_name_belongs_to_the_next_job_only() {
        let before = "# Puppet Name: a\n# Puppet Name: b\n1 1 1 1 1 /bin/b\n2 2 2 2 2 /bin/c\n";
        assert_eq!(Crontab::new(before.as_bytes()).without(&job("a", Some("/bin/b"), ANY)), None);
        check(before, &job("b", Some("/bin/d"), ANY), &before.replace("/bin/b", "/bin/d"));
    }
}
