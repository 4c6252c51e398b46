//! Manifests on the host with a global layer of data, and with functions and templates in Ruby.

use std::process::Stdio;

use test_support::{eventually, skip};

use crate::support::{Agent, Ran, Scratch};

/// A class with a parameter from data.
const CLASS: &str =
    "class web(String $greeting) {\n  file { '@/page': ensure => file, content => \"${greeting}\\n\" }\n}\n";

impl Scratch {
    /// Writes a file and the directories above it.
    fn write_below(&self, name: &str, text: &str) {
        let parent = self.path(name).parent().map(std::fs::create_dir_all);
        assert!(matches!(parent, Some(Ok(()))), "the scratch directory is writable");
        self.write(name, text);
    }
}

/// An environment with a class, and a global layer beside it.
fn with_global_data(greeting: &str) -> Scratch {
    let scratch = Scratch::new("");
    scratch.write_below("env/manifests/site.pp", "include web\n");
    scratch.write_below("env/modules/web/manifests/init.pp", CLASS);
    scratch.write_below("global/hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n");
    scratch.write_below("global/data/all.yaml", &format!("web::greeting: {greeting}\n"));
    scratch
}

const GLOBAL: &str = "--hiera-config=global/hiera.yaml";

#[track_caller]
fn succeeds(ran: &Ran) {
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[track_caller]
fn has_changes(plan: &Ran) {
    assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
}

#[test]
fn a_plan_shows_and_an_agent_applies_global_data() {
    let scratch = with_global_data("first");
    let without = scratch.run("mgmt-rt", &["plan", "--puppet", "env"]);
    assert!(without.status == 1 && without.err.contains("expects a value for parameter 'greeting'"), "{}", without.err);
    let plan = scratch.run("mgmt-rt", &["plan", "--puppet", "env", GLOBAL]);
    has_changes(&plan);
    assert!(plan.out.contains("first"), "{}", plan.out);
    succeeds(&scratch.run("mgmt-rt", &["apply", "--puppet", "env", GLOBAL, "--once", "--prefix", "state"]));
    assert_eq!(scratch.read("page").as_deref(), Some("first\n"));
    let again = scratch.run("mgmt-rt", &["plan", "--puppet", "env", GLOBAL, "--prefix", "state"]);
    assert!(again.status == 0 && again.out.contains("No changes."), "{}{}", again.out, again.err);
}

#[test]
fn an_artifact_holds_global_data_until_the_host_has_its_own() {
    let scratch = with_global_data("stored");
    succeeds(&scratch.run("mclc", &["puppet", "env", GLOBAL, "-o", "site.bin"]));
    scratch.write("global/data/all.yaml", "web::greeting: of the host\n");
    let apply = |more: &[&str]| {
        let args = [&["apply", "--puppet", "site.bin", "--once", "--prefix", "state"], more].concat();
        succeeds(&scratch.run("mgmt-rt", &args));
        scratch.read("page")
    };
    assert_eq!(apply(&[]).as_deref(), Some("stored\n"));
    assert_eq!(apply(&[GLOBAL]).as_deref(), Some("of the host\n"));
}

#[test]
fn an_agent_follows_global_data() {
    let scratch = with_global_data("first");
    let mut command = scratch.command("mgmt-rt", &["apply", "--puppet", "env", GLOBAL, "--prefix", "state"]);
    let _agent = Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"));
    eventually("the page is made", || scratch.read("page").as_deref() == Some("first\n"));
    scratch.write("global/data/all.yaml", "web::greeting: second\n");
    eventually("the page follows the data", || scratch.read("page").as_deref() == Some("second\n"));
    scratch.write("global/hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: other.yaml\n");
    scratch.write("global/data/other.yaml", "web::greeting: third\n");
    eventually("the page follows the hierarchy", || scratch.read("page").as_deref() == Some("third\n"));
}

#[test]
fn a_global_configuration_that_is_missing_is_one_error() {
    let scratch = with_global_data("first");
    for command in ["plan", "graph", "apply"] {
        // An agent waits for the file.
        let once: &[&str] = if command == "apply" { &["--once"] } else { &[] };
        let args = [&[command, "--puppet", "env", "--hiera-config", "none/hiera.yaml"], once].concat();
        let ran = scratch.run("mgmt-rt", &args);
        assert!(ran.status != 0 && ran.err.contains("none/hiera.yaml"), "{command}: {}{}", ran.out, ran.err);
        assert_eq!(ran.err.matches("error[").count(), 1, "{}", ran.err);
    }
    assert_eq!(scratch.read("page"), None);
}

/// An environment with a function and a template that need Ruby.
fn with_ruby() -> Option<Scratch> {
    if std::process::Command::new("/usr/bin/ruby").arg("--version").output().is_err() {
        skip("Ruby is not installed");
        return None;
    }
    let scratch = Scratch::new("");
    let function = "Puppet::Functions.create_function(:'web::shout') do
      dispatch(:shout) { param 'String', :text }
      def shout(text)
        text.upcase
      end
    end\n";
    let class = "class web {
      $source = file('@/source')
      file { '@/page': ensure => file, content => template('web/page.erb') }
      file { '@/name': ensure => file, content => web::shout($source) }
    }\n";
    scratch.write_below("env/manifests/site.pp", "include web\n");
    scratch.write_below("env/modules/web/manifests/init.pp", class);
    scratch.write_below("env/modules/web/lib/puppet/functions/web/shout.rb", function);
    let template = "<% require 'digest' -%>\n<%= Digest::SHA256.hexdigest(scope['source'])[0, 8] %>\n";
    scratch.write_below("env/modules/web/templates/page.erb", template);
    scratch.write("source", "one");
    Some(scratch)
}

const FALLBACK: &str = "--ruby-fallback";

#[test]
fn ruby_is_evaluated_only_on_request() {
    let Some(scratch) = with_ruby() else { return };
    for command in ["plan", "graph", "apply"] {
        let once: &[&str] = if command == "apply" { &["--once"] } else { &[] };
        let ran = scratch.run("mgmt-rt", &[&[command, "--puppet", "env", "--prefix", "state"], once].concat());
        assert_ne!(ran.status, 0, "{command}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("P0521") && ran.err.contains(FALLBACK), "{command}: {}", ran.err);
    }
    let plan = scratch.run("mgmt-rt", &["plan", "--puppet", "env", FALLBACK]);
    has_changes(&plan);
    assert!(plan.out.contains("ONE") && plan.out.contains("7692c3ad"), "{}", plan.out);
    succeeds(&scratch.run("mclc", &["puppet", "env", "-o", "site.bin"]));
    let stored = scratch.run("mgmt-rt", &["plan", "--puppet", "site.bin"]);
    assert!(stored.status == 1 && stored.err.contains(FALLBACK), "an artifact does not allow it: {}", stored.err);
    let args = ["apply", "--puppet", "site.bin", FALLBACK, "--once", "--prefix", "state"];
    succeeds(&scratch.run("mgmt-rt", &args));
    assert_eq!(scratch.read("name").as_deref(), Some("ONE"));
    assert_eq!(scratch.read("page").as_deref(), Some("7692c3ad\n"));
}

#[test]
fn an_agent_evaluates_ruby_again_and_survives_its_errors() {
    let Some(scratch) = with_ruby() else { return };
    let mut command = scratch.command("mgmt-rt", &["apply", "--puppet", "env", FALLBACK, "--prefix", "state"]);
    let _agent = Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"));
    eventually("the name is written", || scratch.read("name").as_deref() == Some("ONE"));
    // A template that ends its process keeps the last catalog in force.
    scratch.write("env/modules/web/templates/page.erb", "<% require 'digest'; exit! %>");
    scratch.write("source", "two");
    scratch.write("env/modules/web/templates/page.erb", "<% require 'digest' %>mended\n");
    eventually("the name follows the source", || scratch.read("name").as_deref() == Some("TWO"));
    eventually("the page follows the template", || scratch.read("page").as_deref() == Some("mended\n"));
}

#[test]
fn a_kept_plan_remembers_both_options() {
    let Some(scratch) = with_ruby() else { return };
    scratch.write_below("global/hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n");
    scratch.write_below("global/data/all.yaml", "greeting: from data\n");
    let class = "class web {
      file { '@/name': ensure => file, content => web::shout(lookup('greeting')) }
    }\n";
    scratch.write("env/modules/web/manifests/init.pp", class);
    let plan = ["plan", "--puppet", "env", GLOBAL, FALLBACK, "--prefix", "state", "-o", "p.plan"];
    has_changes(&scratch.run("mgmt-rt", &plan));
    succeeds(&scratch.run("mgmt-rt", &["apply", "--plan", "p.plan"]));
    assert_eq!(scratch.read("name").as_deref(), Some("FROM DATA"));
    succeeds(&scratch.run("mgmt-rt", &plan));
    scratch.write("global/data/all.yaml", "greeting: changed\n");
    let refused = scratch.run("mgmt-rt", &["apply", "--plan", "p.plan"]);
    assert!(refused.status != 0, "{}{}", refused.out, refused.err);
    assert_eq!(scratch.read("name").as_deref(), Some("FROM DATA"));
}
