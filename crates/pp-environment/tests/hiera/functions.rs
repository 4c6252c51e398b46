//! `tests/puppet/modules/functions.jsonl`: calls of functions that modules have in Ruby, with usual and odd arguments, compared
//! with the recorded answers of Puppet.

use pp_functions::{Strict, tables};
use serde_json::{Value as Json, json};

use crate::{World, recordings};

/// Calls whose answers differ for a reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("calls-0024", "the canonical form of YAML is not written"),
    ("calls-0290", "infinity is refused"),
    ("calls-0291", "an integer outside 64 bits is refused"),
    ("calls-0540", "undef in a URL is empty"),
    ("calls-0681", "a reference to a resource is written as in the language"),
    ("calls-0807", "a reference to a resource is written as in the language"),
    ("calls-0988", "a reference to a resource is written as in the language"),
    ("calls-0989", "a reference to a resource is written as in the language"),
    ("calls-1096", "a reference to a resource is written as in the language"),
    ("calls-1182", "infinity is refused"),
    ("calls-1187", "a negative zero is a float here"),
    ("calls-1196", "a reference to a resource is written as in the language"),
    ("calls-1292", "a reference to a resource is written as in the language"),
    ("calls-1342", "a reference to a resource is written as in the language"),
    ("calls-1445", "a reference to a resource is written as in the language"),
    ("calls-1448", "`default` is not a string"),
    ("calls-1534", "undef in arrays has no text"),
    ("calls-1574", "what a container holds is passed as it is"),
    ("calls-1676", "a seed that is a container"),
    ("calls-1706", "what a container holds is passed as it is"),
    ("calls-1722", "without arguments there is nothing to check"),
    ("calls-1727", "the text of a regular expression"),
    ("calls-1813", "a reference to a resource is written as in the language"),
    ("calls-1874", "a reference to a resource is written as in the language"),
    ("calls-1897", "a reference to a resource is written as in the language"),
    ("calls-1935", "a reference to a resource is written as in the language"),
    ("calls-1948", "an array that is a colon, as an element"),
    ("calls-1950", "a hash with a colon as its key, as an element"),
];

/// Returns an environment with modules that have the functions, as names of files without content.
fn world() -> World {
    let mut files = serde_json::Map::new();
    for table in tables() {
        let Some(module) = table.module else { continue };
        for function in table.functions {
            let path = match function.name.split_once("::") {
                Some((_, name)) => format!("modules/{module}/lib/puppet/functions/{module}/{name}.rb"),
                None => format!("modules/{module}/lib/puppet/parser/functions/{}.rb", function.name),
            };
            files.insert(path, json!(""));
        }
    }
    World::new(&json!({ "files": files }))
}

/// Returns what differs from a record.
fn judge(world: &World, code: &str, record: &Json) -> Result<(), String> {
    match (world.evaluate(code).0, record["value"].as_str(), record["error"].as_str()) {
        (Ok(found), Some(expected), _) if found == expected => Ok(()),
        (Err(_), None, Some(_)) => Ok(()),
        (found, expected, error) => Err(format!("found {found:?}, expected {:?}", expected.or(error))),
    }
}

#[test]
fn recorded_calls() {
    let text = std::fs::read_to_string(recordings().join("modules/functions.jsonl")).expect("records");
    let mut world = world();
    let (mut agreeing, mut differing) = (0, Vec::new());
    for line in text.lines() {
        let record: Json = serde_json::from_str(line).expect("JSON");
        let code = record["code"].as_str().expect("code");
        world.set_strict(Strict::Warning);
        let mut result = judge(&world, code, &record);
        if let Some(strict) = record.get("strict") {
            world.set_strict(Strict::Error);
            result = result.and(judge(&world, code, strict).map_err(|why| format!("strict: {why}")));
        }
        match result {
            Ok(()) => agreeing += 1,
            Err(why) => differing.push((record["id"].as_str().expect("an id").to_owned(), format!("{code}: {why}"))),
        }
    }
    let is_known = |id: &str| DIFFERENT.iter().any(|(known, _)| *known == id);
    for (_, why) in differing.iter().filter(|(id, _)| !is_known(id)) {
        println!("{why}");
    }
    let ids: Vec<&str> = differing.iter().map(|(id, _)| id.as_str()).collect();
    let expected: Vec<&str> = DIFFERENT.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, expected, "{agreeing} agree");
}

#[test]
fn the_body_of_a_template_is_not_rendered() {
    let world = World::new(&json!({"files": {
        "modules/datacat/lib/puppet/parser/functions/template_body.rb": "",
        "modules/m/templates/a.erb": "<%= 1 %>\n",
        "modules/m/manifests/init.pp": "class m {}\n",
    }}));
    assert_eq!(world.evaluate("template_body('m/a.erb', 'm/a.erb')").0.as_deref(), Ok(r#""<%= 1 %>\n<%= 1 %>\n""#));
    let message = world.evaluate("template_body('m/b.erb')").0.expect_err("there is none");
    assert!(message.contains("Could not find template 'm/b.erb'"), "{message}");
}

#[test]
fn templates_call_functions_of_modules_by_their_older_interface() {
    let world = |path: &str| World::new(&json!({ "files": { path: "" } }));
    let code = r#"inline_template("<%= scope.function_upcase(['a']) %>")"#;
    let evaluate = |path: &str| world(path).evaluate(code).0;
    assert_eq!(evaluate("modules/stdlib/lib/puppet/parser/functions/upcase.rb").as_deref(), Ok("'A'"));
    let message = evaluate("modules/stdlib/lib/puppet/functions/upcase.rb").expect_err("it has the newer one only");
    assert!(message.contains("undefined method `function_upcase'"), "{message}");
}
