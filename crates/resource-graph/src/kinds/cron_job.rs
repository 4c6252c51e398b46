//! `cron:job` (spec 08 §19).

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder};
use crate::claim::parts_of_managed_files;
use crate::kinds::account::{user_exists, want_user};
use crate::kinds::file::{ancestors, file_identity};
use crate::kinds::syntax::is_account_name;
use crate::{AutoEdges, Claim, Field, Params, ResourceKind, Traits, ValidationError, normalized_path};

/// The fields with columns of a crontab, in order.
pub const CRON_COLUMNS: [&str; 5] = ["minute", "hour", "monthday", "month", "weekday"];

/// The least and the greatest number of each column.
const RANGES: [(u32, u32); 5] = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 7)];
/// The names that a column may have in place of numbers: those of months and of days.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const NAMES: [&[&str]; 5] = [&[], &[], &[], &MONTHS, &DAYS];

/// The words in place of columns.
const SPECIAL: [&str; 8] = ["reboot", "hourly", "daily", "midnight", "weekly", "monthly", "yearly", "annually"];

/// The directories of users' crontabs, on Debian and on others.
pub const CRONTAB_DIRECTORIES: [&str; 2] = ["/var/spool/cron/crontabs", "/var/spool/cron"];

const COLUMN: &str =
    "The column of this name, such as `*/5` or `1,15`. Without it, the job keeps the one that it has, or gets `*`.";

pub(super) const CRON_JOB: ResourceKind = ResourceKind {
    name: "cron:job",
    doc: "A job of a crontab. A comment with its name comes before it, the one by which Puppet finds its jobs. What is not \
          given stays as it is.",
    example: r#"cron:job "backup" {
	command => "/usr/local/bin/backup",
	minute => "15",
	hour => "3",
}"#,
    fields: &[
        Field::new("state", "str", "Whether the job exists.").default("\"exists\"").one_of(&["exists", "absent"]),
        Field::new("user", "str", "The user whose crontab it is.").default("\"root\""),
        Field::new("file", "str", "The crontab, if it is another file: an absolute path."),
        Field::new("command", "str", "The command; a new job needs one.").optional(),
        Field::new("environment", "[]str", "Lines `NAME=value` for the variables of the job.").optional(),
        Field::new(
            "special",
            "str",
            "Instead of columns: `reboot`, `hourly`, `daily` or `midnight`, `weekly`, `monthly`, `yearly` or `annually`.",
        ),
        Field::new("minute", "str", COLUMN),
        Field::new("hour", "str", COLUMN),
        Field::new("monthday", "str", COLUMN),
        Field::new("month", "str", COLUMN),
        Field::new("weekday", "str", COLUMN),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate,
    autoedges: AutoEdges {
        is_removed: |p| p.string("state") == "absent",
        wants: want_file_and_user,
        ..AutoEdges::NONE
    },
    managed_files,
    claims,
    ..ResourceKind::BASE
};

fn user(p: &Params<'_>) -> String {
    p.given_string("user").filter(|user| !user.is_empty()).map_or_else(|| "root".to_owned(), |user| user.into_owned())
}

fn managed_files(p: &Params<'_>) -> Vec<String> {
    match &*p.string("file") {
        "" => CRONTAB_DIRECTORIES.iter().map(|directory| format!("{directory}/{}", user(p))).collect(),
        file => vec![file.to_owned()],
    }
}

fn validate(p: &Params<'_>) -> Result<(), ValidationError> {
    let user = user(p);
    if !is_account_name(&user) {
        return Err(ValidationError::of_value("user", format!("invalid user name {user:?}")));
    }
    let file = p.string("file");
    if !file.is_empty() && (!file.starts_with('/') || file.ends_with('/')) {
        return Err(ValidationError::of_value(
            "file",
            format!("invalid `file`: expected the absolute path of a file, found {file:?}"),
        ));
    }
    if p.name().trim() != p.name() || p.name().is_empty() || has_line_break(p.name()) {
        let text = format!("invalid name {:?}: expected one line without whitespace around it", p.name());
        return Err(ValidationError::new(text));
    }
    if let Some(command) = p.given_string("command")
        && (command.trim().is_empty() || has_line_break(&command))
    {
        return Err(ValidationError::of_value("command", "invalid `command`: expected one line"));
    }
    for variable in p.strings("environment") {
        if !is_assignment(variable.trim_ascii()) || has_line_break(&variable) {
            let text = format!("invalid entry {variable:?} of `environment`: expected `NAME=value`");
            return Err(ValidationError::of_value("environment", text));
        }
    }
    let special = p.string("special");
    // Cron ignores a whole crontab for one line that it cannot read.
    if !special.is_empty() && !SPECIAL.contains(&&*special) {
        let text = format!("invalid `special` {:?}: expected a word such as `daily`", &*special);
        return Err(ValidationError::of_value("special", text));
    }
    for (index, column) in CRON_COLUMNS.into_iter().enumerate() {
        let text = p.string(column);
        if !text.is_empty() && !special.is_empty() {
            return Err(ValidationError::of(column, format!("`special` and `{column}` are mutually exclusive")));
        }
        if !text.is_empty() && !text.split(',').all(|item| is_item(item, RANGES[index], NAMES[index])) {
            let message = format!("invalid `{column}` {:?}: expected a column of a crontab such as `*/5`", &*text);
            return Err(ValidationError::of_value(column, message));
        }
    }
    Ok(())
}

/// Whether a column may have this item of a list: `*`, a number or name, a range of them, each with an interval or without.
fn is_item(item: &str, (least, greatest): (u32, u32), names: &[&str]) -> bool {
    let digits = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let (times, interval) = item.split_once('/').map_or((item, None), |(times, interval)| (times, Some(interval)));
    let is_one = |text: &str| {
        names.iter().any(|name| name.eq_ignore_ascii_case(text))
            || digits(text).is_some_and(|number| (least..=greatest).contains(&number))
    };
    let is_time = times == "*" || times.split_once('-').map_or(is_one(times), |(from, to)| is_one(from) && is_one(to));
    is_time && interval.is_none_or(|interval| digits(interval).is_some_and(|interval| interval > 0))
}

fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r', '\0'])
}

/// Returns whether a line sets a variable of a crontab.
#[must_use]
pub fn is_assignment(line: &str) -> bool {
    let name = line.split_once('=').map_or("", |(name, _)| name.trim_end());
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A job comes after the user, and after the crontab's resource or else the nearest directory.
fn want_file_and_user(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    want_user(&user(&input.params), edges);
    for file in managed_files(&input.params) {
        let path = normalized_path(file);
        if edges.needs(&file_identity(path.clone())) || ancestors(&path).any(|above| edges.needs(&file_identity(above)))
        {
            break;
        }
    }
    Ok(())
}

/// Two jobs with one name in one crontab contradict each other if they differ. A job needs its user.
fn claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let mut claims = parts_of_managed_files(p);
    if p.string("state") != "absent" {
        claims.push(user_exists(user(p).into()));
    }
    for file in managed_files(p).into_iter().take(1) {
        let object = format!("job:{file}: {}", p.name());
        for field in ["state", "command", "special"].into_iter().chain(CRON_COLUMNS) {
            let value = p.string(field);
            if !value.is_empty() {
                claims.push(Claim::whole(object.clone(), field, value.into_owned()));
            }
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resource, ResourceId, validate};

    fn job() -> Resource {
        Resource::new(ResourceId::new("cron:job", "backup")).with("command", "/bin/backup")
    }

    #[track_caller]
    fn check(resource: &Resource, part: &str) {
        let error = validate(resource).expect_err("invalid").to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn what_is_not_a_job_is_rejected() {
        assert!(validate(&job().with("minute", "*/5").with("weekday", "1,5").with("user", "web")).is_ok());
        check(&job().with("minute", "5 * *"), "a column of a crontab");
        check(&job().with("minute", "1").with("special", "daily"), "mutually exclusive");
        check(&job().with("special", "@daily"), "expected a word");
        check(&job().with("special", "often"), "expected a word");
        for (column, good) in [
            ("minute", "0-59/2,7"),
            ("hour", "23"),
            ("month", "jan,Mar-dec"),
            ("weekday", "sun,7"),
            ("monthday", "*/31"),
        ] {
            assert!(validate(&job().with(column, good)).is_ok(), "{column} {good}");
        }
        for (column, bad) in [
            ("minute", "60"),
            ("hour", "24"),
            ("monthday", "0"),
            ("month", "13"),
            ("weekday", "8"),
            ("minute", "*/0"),
            ("minute", "1,,2"),
            ("minute", "-5"),
            ("minute", "jan"),
            ("month", "january"),
            ("hour", "+1"),
            ("hour", "1-2-3"),
        ] {
            check(&job().with(column, bad), "a column of a crontab");
        }
        check(&job().with("command", "a\nb"), "expected one line");
        check(&job().with("user", "../root"), "invalid user name");
        check(&job().with("file", "x"), "absolute path");
        let environment = mcl_value::Value::list(["X"]);
        check(&job().with("environment", environment), "`NAME=value`");
        assert!(is_assignment("A_1 = x") && !is_assignment("1=x") && !is_assignment("* * * * * x=1"));
    }
}
