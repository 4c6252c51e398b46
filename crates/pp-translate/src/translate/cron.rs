//! `cron`: a job of a crontab (spec 07 §3.4, spec 08 §19).

use mcl_value::Value;

use crate::translate::native::Native;
use crate::translate::resource_types::present;
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The columns in the order of a crontab, with the names of their values and the number of the first.
const COLUMNS: [(&str, &[&str], usize); 5] =
    [("minute", &[], 0), ("hour", &[], 0), ("monthday", &[], 0), ("month", &MONTHS, 1), ("weekday", &DAYS, 0)];

pub(super) fn cron(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("cron:job", rules.named("name"));
    present(rules, &mut native);
    let user = rules.text("user");
    if let Some(user) = rules.text("target").or(user) {
        native.set("user", Value::str(user));
    }
    if let Some(command) = rules.text("command") {
        // Puppet compares it without whitespace around it.
        native.set("command", Value::str(command.trim()));
    }
    match rules.text("special").filter(|special| special != "absent") {
        Some(special) => {
            native.set("special", Value::str(special));
            for (name, names, first) in COLUMNS {
                if column(rules, name, names, first).is_some_and(|column| column != "*") {
                    rules.unsupported(format!("both `special` and `{name}`"));
                }
            }
        }
        None => {
            for (name, names, first) in COLUMNS {
                if let Some(column) = column(rules, name, names, first) {
                    native.set(name, Value::str(column));
                }
            }
        }
    }
    if let Some(environment) = rules.take("environment") {
        let lines = environment.flat_strings().into_iter().filter(|line| *line != "absent");
        native.set("environment", Value::list(lines.map(Value::str)));
    }
    native
}

/// Returns one column of a crontab; `None` if it is not managed.
fn column(rules: &mut Rules<'_>, name: &'static str, names: &[&str], first: usize) -> Option<String> {
    let value = rules.take(name)?;
    let items = value.elements();
    let texts: Vec<String> = items.iter().filter_map(PuppetValue::scalar_text).collect();
    if texts.len() < items.len() {
        rules.unsupported(format!("invalid column `{name}` of a crontab"));
    }
    let numbers = texts.iter().filter(|text| *text != "absent").map(|text| number_of(text, names, first));
    let column = numbers.collect::<Vec<_>>().join(",");
    Some(if column.is_empty() { "*".to_owned() } else { column })
}

/// Returns the number of a month or a day that is given by its name, of which three letters count.
fn number_of(text: &str, names: &[&str], first: usize) -> String {
    let lower = text.to_ascii_lowercase();
    let found = names.iter().position(|name| text.len() >= name.len() && lower.starts_with(name));
    found
        .filter(|_| text.bytes().all(|b| b.is_ascii_alphabetic()))
        .map_or_else(|| text.to_owned(), |at| (at + first).to_string())
}
