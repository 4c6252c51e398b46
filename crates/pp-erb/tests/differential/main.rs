//! Templates, rendered here and by an installed Ruby: the texts and the messages of errors must be the same.
//!
//! `examples.txt` has a template a line. The others are made at random: `SEED=17` runs one, `RUNS_FACTOR=100` more of them.

mod generate;
mod hostile;
mod reference;

use pp_erb::{Budget, ErrorKind, Objects, Template, Variables};
use reference::{Answer, Reference};
use serde_json::{Value as Json, json};
use test_support::for_each_seed;

const BUDGET: Budget = Budget { steps: 1_000_000, bytes: 64 << 20 };

/// Renders a template here; `None` if it uses what templates must not use, or too much.
fn render(template: &str, variables: &Json) -> Option<Answer> {
    let result = Template::parse(template)
        .and_then(|template| template.render(&mut scope(variables), &Objects::default(), BUDGET));
    match result {
        Ok(rendered) => Some(Answer::Text(rendered.text)),
        Err(error) => match error.kind {
            ErrorKind::Syntax => Some(Answer::Syntax),
            ErrorKind::Failure => Some(Answer::Error(error.message)),
            ErrorKind::Refused | ErrorKind::Limit => None,
        },
    }
}

fn scope(variables: &Json) -> Variables {
    let variables = variables.as_object().into_iter().flatten();
    Variables::new(variables.map(|(name, value)| (name.as_str().into(), pp_types::from_json(value))))
}

fn variables() -> Json {
    json!({
        "s": "hello World",
        "e": "",
        "u": "ünï çödé",
        "i": 42,
        "n": -7,
        "f": 2.5,
        "t": true,
        "no": false,
        "nothing": null,
        "a": ["b", "a", "c"],
        "m": ["x", 1, null, 2.5, ["y", ["z"]], {"k": "v"}],
        "ns": [3, 1, 2, 10, -4],
        "h": {"b": 2, "a": 1, "c": {"d": [1, 2]}},
        "codes": (0..0x300).filter_map(char::from_u32).collect::<String>(),
        "lines": "one\ntwo\r\nthree",
        "hs": [{"name": "web", "port": 80}, {"name": "db", "port": 5432}],
    })
}

#[test]
fn examples_render_as_in_ruby() {
    let Some(mut ruby) = Reference::start() else { return };
    let variables = variables();
    let examples = include_str!("examples.txt");
    let mut differing = 0;
    for example in examples.lines().filter(|line| !line.is_empty() && !line.starts_with("##")) {
        let template = example.replace("\\n", "\n").replace("\\r", "\r");
        let expected = ruby.render(&template, &variables);
        let found = render(&template, &variables);
        if found.as_ref() != Some(&expected) {
            println!("{example}\n  here: {found:?}\n  Ruby: {expected:?}");
            differing += 1;
        }
    }
    assert_eq!(differing, 0);
}

/// Puts the classes of a failed comparison in order: which operand is named first depends on how Ruby compiles `max`.
fn unordered(answer: Answer) -> Answer {
    let Answer::Error(message) = &answer else { return answer };
    let operands = message.strip_prefix("comparison of ").and_then(|rest| rest.strip_suffix(" failed"));
    let Some((left, right)) = operands.and_then(|operands| operands.split_once(" with ")) else { return answer };
    // Simple values are shown, others are named by their class.
    let class = |operand: &str| match operand {
        "nil" => "NilClass".to_owned(),
        "true" => "TrueClass".to_owned(),
        "false" => "FalseClass".to_owned(),
        symbol if symbol.starts_with(':') => "Symbol".to_owned(),
        number if number.parse::<i128>().is_ok() => "Integer".to_owned(),
        number if number.parse::<f64>().is_ok() => "Float".to_owned(),
        other => other.to_owned(),
    };
    let mut classes = [class(left), class(right)];
    classes.sort();
    Answer::Error(format!("comparison of {}", classes.join(" and ")))
}

#[test]
fn random_templates_render_as_in_ruby() {
    let Some(mut ruby) = Reference::start() else { return };
    let variables = variables();
    for_each_seed(300, |random| {
        let template = generate::template(random);
        // What is refused here has no answer to compare.
        let Some(found) = render(&template, &variables) else { return };
        let expected = ruby.render(&template, &variables);
        let (found, expected) = (unordered(found), unordered(expected));
        assert_eq!(found, expected, "{template}");
    });
}
