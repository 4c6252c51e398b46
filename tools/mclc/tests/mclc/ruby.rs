//! Functions and templates in Ruby: refused by default, evaluated with `--ruby-fallback`.

use std::path::Path;

use serde_json::Value;

use crate::command::{Ran, Scratch};

const FUNCTION: &str = "Puppet::Functions.create_function(:'m::shout') do
  dispatch :shout do
    param 'String', :text
    optional_param 'Integer', :times
  end

  def shout(text, times = 1)
    raise Puppet::ParseError, 'not so loud' if times > 3
    text.upcase + '!' * times
  end
end
";

const OLD_FUNCTION: &str = "module Puppet::Parser::Functions
  newfunction(:old_list, :type => :rvalue, :arity => 1) do |args|
    [lookupvar('greeting'), args[0], call_function('m::shout', ['x'])]
  end
end
";

fn scratch(site: &str) -> Scratch {
    let files = [
        ("env/manifests/site.pp", site),
        ("env/modules/m/lib/puppet/functions/m/shout.rb", FUNCTION),
        ("env/modules/m/lib/puppet/parser/functions/old_list.rb", OLD_FUNCTION),
        ("env/modules/m/templates/t.erb", "first\n<%= ENV.key?('HOME') ? @greeting : '' %>\n"),
        ("env/modules/m/templates/bad.erb", "first\n<%= `true`; nil.nosuch %>\n"),
    ];
    Scratch::new(&files.map(|(name, text)| (name, text.as_bytes())))
}

fn compile(scratch: &Scratch, more: &[&str]) -> Ran {
    let mut args = vec!["puppet", "env", "--node", "n", "--emit", "catalog"];
    args.extend(more);
    scratch.mclc(&args)
}

fn messages(ran: &Ran) -> Vec<Value> {
    let catalog: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let resources = catalog["resources"].as_array().expect("resources").iter();
    resources.filter(|r| r["type"] == "Notify").map(|r| r["parameters"]["message"].clone()).collect()
}

fn has_ruby() -> bool {
    let is_there = Path::new("/usr/bin/ruby").is_file();
    if !is_there {
        test_support::skip("Ruby is not installed");
    }
    is_there
}

#[test]
fn a_function_in_ruby_is_refused_by_name_with_its_arguments() {
    let scratch = scratch("notice(m::shout('a'))\n");
    let ran = compile(&scratch, &[]);
    assert_eq!(ran.status, 1, "{ran:?}");
    for part in [
        "P0522",
        "modules/m/lib/puppet/functions/m/shout.rb",
        "it takes 1 to 2 arguments",
        "--ruby-fallback",
        "env/manifests/site.pp:1:8",
    ] {
        let text = ran.stderr.replace(['\n', '│', '╰', '·'], " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(part), "{part} in {text}");
    }
    for site in ["m::shout()", "m::shout('a', 1, 2)", "$x = old_list(1, 2)"] {
        let scratch = self::scratch(site);
        let ran = compile(&scratch, &["--diagnostics", "short"]);
        assert!(ran.stderr.contains("P0502") && ran.stderr.contains("expects 1"), "{ran:?}");
    }
}

#[test]
fn an_installed_ruby_evaluates_functions_and_templates() {
    if !has_ruby() {
        return;
    }
    let site = "$greeting = 'hello'\n\
                notify { 'a': message => m::shout('a', 2) }\n\
                notify { 'b': message => old_list(undef) }\n\
                notify { 'c': message => template('m/t.erb') }\n";
    let scratch = scratch(site);
    let ran = compile(&scratch, &["--ruby-fallback"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let expected: Vec<Value> = vec!["A!!".into(), serde_json::json!(["hello", "", "X!"]), "first\nhello\n".into()];
    assert_eq!(messages(&ran), expected);
    // The artifact holds the functions, and does not remember the option.
    let ran = scratch.mclc(&["puppet", "env", "--ruby-fallback", "-o", "site.bin"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let evaluate = |more: &[&str]| {
        let mut args = vec!["puppet", "site.bin", "--node", "n", "--emit", "catalog"];
        args.extend(more);
        scratch.mclc(&args)
    };
    assert_eq!(evaluate(&[]).status, 1);
    assert_eq!(messages(&evaluate(&["--ruby-fallback"])), expected);
}

#[test]
fn errors_in_ruby_have_their_place() {
    if !has_ruby() {
        return;
    }
    let cases = [
        ("m::shout(1)", "P0502", "'m::shout' parameter 'text' expects a String value, got Integer"),
        ("m::shout('a', 4)", "P0501", "not so loud"),
        ("template('m/bad.erb')", "P0520", "undefined method `nosuch' for nil"),
        ("inline_template('<% exit! %>')", "P0523", "the program ended with"),
    ];
    for (site, code, message) in cases {
        let scratch = scratch(&format!("notice({site})\n"));
        let ran = compile(&scratch, &["--ruby-fallback", "--diagnostics", "json"]);
        let error: Value = serde_json::from_str(ran.stderr.lines().next().unwrap_or_default()).expect("JSON");
        assert_eq!(error["code"], code, "{ran:?}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{ran:?}");
    }
    let scratch = scratch("notice(m::shout('a', 4))\n");
    let ran = compile(&scratch, &["--ruby-fallback"]);
    assert!(ran.stderr.contains("raised here") && ran.stderr.contains("raise Puppet::ParseError"), "{ran:?}");
}

#[test]
fn a_template_outside_of_the_subset_is_refused_without_the_option() {
    let scratch = scratch("notice(template('m/bad.erb'))\n");
    let ran = compile(&scratch, &[]);
    assert!(ran.stderr.contains("P0521") && ran.stderr.contains("--ruby-fallback"), "{ran:?}");
    assert!(ran.stderr.contains("templates/bad.erb"), "{ran:?}");
}

#[test]
fn a_template_that_the_parser_of_ruby_fails_for_is_one_error_and_nothing_else() {
    // The parser panics for this text. The message of that must not be seen.
    let scratch = scratch("notice(inline_template(\"<% x{B\\n:<<~B\\\" %>\"))\n");
    let ran = compile(&scratch, &["--diagnostics", "json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let [line] = ran.stderr.lines().collect::<Vec<&str>>()[..] else { panic!("more than an error: {ran:?}") };
    let error: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(error["code"], "P0521", "{ran:?}");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("cannot read this Ruby")), "{ran:?}");
}
