//! The helper with a small host: what it sees, and that nothing it does harms this process.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pp_evaluator::{Ruby, RubyFailure, RubyHost, RubySource};
use pp_functions::LogLevel;
use pp_types::{Error, ErrorKind, Hash, Signature, Value};

use crate::{InstalledRuby, Settings};

/// Knows the variable `known`, the function `double`, and a library.
#[derive(Default)]
struct SmallHost {
    log: Vec<String>,
    arguments: Vec<Value>,
}

impl RubyHost for SmallHost {
    fn variable(&mut self, name: &str) -> Result<Value, Error> {
        match name {
            "known" => Ok(Value::Integer(7)),
            "bad" => Err(Error::new(ErrorKind::Unknown, "Unknown variable: 'bad'").help("helpful")),
            _ => Ok(Value::Undef),
        }
    }

    fn has_variable(&mut self, name: &str) -> bool {
        name == "known"
    }

    fn variables(&mut self) -> Vec<(Arc<str>, Value)> {
        vec![("known".into(), Value::Integer(7))]
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error> {
        self.log.push(format!("{name} = {}", pp_types::source_form(&value)));
        Ok(())
    }

    fn resource(&mut self) -> String {
        "Class[main]".to_owned()
    }

    fn call_function(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        match (name, arguments) {
            ("double", [Value::Integer(number)]) => Ok(Value::Integer(number * 2)),
            _ => Err(Error::new(ErrorKind::Unknown, format!("Unknown function: '{name}'."))),
        }
    }

    fn knows_function(&mut self, name: &str) -> bool {
        name == "double"
    }

    fn call_block(&mut self, arguments: &[Value]) -> Result<Value, Error> {
        Ok(Value::array([arguments, &[Value::from("block")]].concat()))
    }

    fn choose(&mut self, signatures: &[String]) -> Result<usize, Error> {
        let signatures: Result<Vec<Signature>, Error> =
            signatures.iter().map(|text| Signature::parse(text, &|_| None)).collect();
        let signatures = signatures?;
        let chosen = signatures.iter().position(|signature| signature.accepts(&self.arguments, None));
        chosen.ok_or_else(|| {
            let text = pp_types::describe_signatures("f", &signatures, &self.arguments, None);
            Error::new(ErrorKind::Arguments, text)
        })
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        self.log.push(format!("{level:?}: {message}"));
    }

    fn library(&mut self, path: &str) -> Option<String> {
        (path == "puppet_x/site").then(|| "module PuppetX; def self.site; 'of the library'; end; end".to_owned())
    }
}

/// Returns an installed Ruby with short limits; `None` if there is none.
fn installed() -> Option<InstalledRuby> {
    if !Path::new("/usr/bin/ruby").is_file() {
        test_support::skip("Ruby is not installed");
        return None;
    }
    // A busy machine may take long to start Ruby.
    Some(InstalledRuby::new(Settings { time: Duration::from_secs(20), ..Settings::default() }))
}

fn render(ruby: &InstalledRuby, text: &str, variables: &[(&str, Value)]) -> Result<Value, RubyFailure> {
    let variables: Vec<(Arc<str>, Value)> =
        variables.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    ruby.render(RubySource { name: "t.erb", file: "t.erb", text }, &variables, &mut SmallHost::default())
}

fn call(ruby: &InstalledRuby, text: &str, arguments: &[Value]) -> Result<Value, RubyFailure> {
    let mut host = SmallHost { arguments: arguments.to_vec(), ..SmallHost::default() };
    ruby.call(RubySource { name: "f", file: "m/f.rb", text }, arguments, true, &mut host)
}

fn text(result: Result<Value, RubyFailure>) -> String {
    match result {
        Ok(value) => pp_types::source_form(&value),
        Err(RubyFailure::Raised { class, message, line }) => format!("{class}: {message} (line {line:?})"),
        Err(RubyFailure::Passed(error)) => format!("passed: {} {:?}", error.message, error.help),
        Err(RubyFailure::Helper(why)) => format!("helper: {why}"),
    }
}

#[test]
fn a_template_sees_its_variables_and_may_ask_for_others() {
    let Some(ruby) = installed() else { return };
    let list = Value::array(vec![Value::from("a"), Value::Undef, Value::Integer(1)]);
    let shown = |template: &str| text(render(&ruby, template, &[("list", list.clone())]));
    assert_eq!(shown("<%= @list.inspect %>-<%= @other.inspect %>"), "'[\"a\", nil, 1]-nil'");
    assert_eq!(shown("<% @list.each do |x| -%>\n<%= x %>,\n<% end -%>\n"), "\"a,\\n,\\n1,\\n\"");
    assert_eq!(shown("<%= scope['known'] + scope.lookupvar('known') %> <%= scope['none'].inspect %>"), "'14 nil'");
    assert_eq!(
        shown("<%= has_variable?('known') %> <%= scope.include?('none') %> <%= scope.to_hash %>"),
        "'true false {\"known\"=>7}'"
    );
    assert_eq!(shown("<%= scope.function_double([4]) %> <%= scope.call_function('double', [1]) %>"), "'8 2'");
    assert_eq!(shown("<%= scope['bad'] %>"), "passed: Unknown variable: 'bad' Some(\"helpful\")");
    assert_eq!(shown("<%= scope['bad'] rescue 'rescued' %>"), "'rescued'");
}

#[test]
fn errors_have_the_line_of_the_template() {
    let Some(ruby) = installed() else { return };
    assert_eq!(
        text(render(&ruby, "a\n<%= nil.nosuch %>", &[])),
        "NoMethodError: undefined method `nosuch' for nil:NilClass (line Some(2))"
    );
    assert!(text(render(&ruby, "a\n\n<% if %>", &[])).starts_with("SyntaxError: "));
    assert_eq!(
        text(render(&ruby, "<%= @s << 'b' %>", &[("s", Value::from("a"))])),
        "FrozenError: can't modify frozen String: \"a\" (line Some(1))"
    );
}

#[test]
fn functions_of_both_interfaces_are_called() {
    let Some(ruby) = installed() else { return };
    let current = "Puppet::Functions.create_function(:f) do
      dispatch :one do
        param 'Integer', :a
        optional_param 'String', :b
      end
      dispatch :many do
        scope_param
        repeated_param 'Any', :all
      end
      def one(a, b = 'none')
        [a, b, call_function('double', a)]
      end
      def many(scope, *all)
        [scope['known'], all.length, yield(1)]
      end
    end";
    assert_eq!(text(call(&ruby, current, &[Value::Integer(1)])), "[1, 'none', 2]");
    assert_eq!(text(call(&ruby, current, &[Value::from("x"), Value::Undef])), "[7, 2, [1, 'block']]");
    let strict = "Puppet::Functions.create_function(:f) { dispatch(:g) { param 'Integer', :a } }";
    assert_eq!(
        text(call(&ruby, strict, &[Value::from("x")])),
        "passed: 'f' parameter 'a' expects an Integer value, got String None"
    );
    let simple = "Puppet::Functions.create_function(:f) { def f(a); a + 1; end }";
    assert_eq!(text(call(&ruby, simple, &[Value::Integer(1)])), "2");
    let older = "module Puppet::Parser::Functions
      newfunction(:f, :type => :rvalue, :arity => -2) do |args|
        raise Puppet::ParseError, 'wrong' if args[0] == 'wrong'
        [args, lookupvar('known'), function_double([3]), self['none']]
      end
    end";
    assert_eq!(text(call(&ruby, older, &[Value::Undef, Value::Integer(1)])), "[['', 1], 7, 6, undef]");
    assert_eq!(text(call(&ruby, older, &[Value::from("wrong")])), "Puppet::ParseError: wrong (line Some(3))");
    assert!(text(call(&ruby, older, &[])).contains("Wrong number of arguments given (0 for at least 1)"));
    let library =
        "require 'puppet_x/site'\nrequire 'json'\nPuppet::Functions.create_function(:f) { def f; PuppetX.site; end }";
    assert_eq!(text(call(&ruby, library, &[])), "'of the library'");
    let missing = "require 'no/such/file'";
    assert_eq!(text(call(&ruby, missing, &[])), "LoadError: cannot load such file -- no/such/file (line Some(1))");
    let unavailable = "Puppet::Functions.create_function(:f) { def f; Puppet::Pops::Nosuch.new; end }";
    assert!(text(call(&ruby, unavailable, &[])).starts_with("NameError: uninitialized constant"));
}

#[test]
fn values_arrive_as_they_were_sent() {
    let Some(ruby) = installed() else { return };
    let echo = "Puppet::Functions.create_function(:f) { def f(value); value; end }";
    let hash: Hash =
        [(Value::Integer(1), Value::Default), (Value::from("t"), Value::from("hash"))].into_iter().collect();
    let values = vec![
        Value::Undef,
        Value::Default,
        Value::Boolean(true),
        Value::Integer(i64::MIN),
        Value::from(1.5),
        Value::from("ü\n\u{1}"),
        Value::array(vec![Value::array(Vec::new()), Value::hash(hash)]),
        Value::Sensitive(Value::from("secret").into()),
        Value::Binary([0, 255].as_slice().into()),
        Value::Regexp(pp_types::Regexp::new("a.b")),
        Value::Type(pp_types::parse_type("Array[String]", &|_| None).expect("a type")),
        pp_types::new_instance(&pp_types::parse_type("Timespan", &|_| None).expect("a type"), &[Value::Integer(90)])
            .expect("a timespan"),
    ];
    for value in values {
        assert_eq!(call(&ruby, echo, std::slice::from_ref(&value)), Ok(value));
    }
    let large = "Puppet::Functions.create_function(:f) { def f; 2**64; end }";
    assert!(text(call(&ruby, large, &[])).contains("outside 64 bits"));
    let object = "Puppet::Functions.create_function(:f) { def f; Object.new; end }";
    assert!(text(call(&ruby, object, &[])).contains("an object of the class Object cannot be a value"));
}

#[test]
fn what_one_template_changes_no_other_sees() {
    let Some(ruby) = installed() else { return };
    assert_eq!(
        text(render(&ruby, "<% $seen = 1; X = 1; class ::String; def shout; upcase; end; end %><%= 'a'.shout %>", &[])),
        "'A'"
    );
    assert_eq!(
        text(render(&ruby, "<%= $seen.inspect %> <%= defined?(X).inspect %> <%= 'a'.respond_to?(:shout) %>", &[])),
        "'nil nil false'"
    );
}

#[test]
fn a_helper_that_breaks_off_is_replaced() {
    let Some(ruby) = installed() else { return };
    let breaks = [
        ("<% exit %>", "helper: the program calls `exit`"),
        ("<% exit! %>", "helper: the program ended with exit 1"),
        ("<% Process.kill(:KILL, Process.pid) %>", "helper: the program ended with SIGKILL (signal 9)"),
        // Nothing happens to the first process of a namespace.
        (
            "<% Process.kill(:KILL, Process.ppid); Process.ppid == 1 ? exit!(7) : sleep %>",
            if is_isolated(&ruby) {
                "helper: the program ended with exit 7"
            } else {
                "helper: the helper process has ended"
            },
        ),
        (
            "<% McLHelper.instance_variable_get(:@output).write('garbage that is long enough') %>",
            "helper: the helper process sent what is not a message: does the program write to its pipe?",
        ),
        ("<% puts 'not seen'; $stderr.puts 'x'; STDOUT.write('x') %>fine", "'fine'"),
    ];
    for (template, expected) in breaks {
        assert_eq!(text(render(&ruby, template, &[])), expected, "{template}");
        assert_eq!(text(render(&ruby, "<%= 1 + 1 %>", &[])), "'2'", "after {template}");
    }
}

#[test]
fn nothing_of_a_request_reaches_the_next() {
    let Some(ruby) = installed() else { return };
    for file in ["mem", "environ", "maps"] {
        let looked = format!(
            "<% @parent = File.read('/proc/self/stat').split(') ')[1].split[1] %>\
            <%= File.open(\"/proc/#{{@parent}}/{file}\", 'r').read(1) rescue $!.class %>"
        );
        let found = text(render(&ruby, &looked, &[]));
        assert!(found == "'Errno::EACCES'" || found == "'Errno::EPERM'", "{file}: {found}");
    }
    // Without the pipes to the compiler, nobody can wait for a secret of the next request or answer in its place.
    let pipes = "<%= Dir.children('/proc/self/fd').count { |fd| (File.readlink(\"/proc/self/fd/#{fd}\") rescue '').start_with?('pipe:') && \
                 (IO.for_fd(fd.to_i, autoclose: false) rescue nil) } %>";
    assert_eq!(text(render(&ruby, pipes, &[])), "'2'", "one to ask, one for answers");
    let forged = "<% text = '{\"kind\": \"result\", \"value\": 1}'
      McLHelper.instance_variable_get(:@output).write('q', [text.length].pack('N'), text)
      @request = McLHelper.instance_variable_get(:@input).read(4) %><%= @request.inspect %>";
    assert_ne!(text(render(&ruby, forged, &[])), "1", "a question is not a result");
    assert_eq!(text(render(&ruby, "<%= 1 %>", &[])), "'1'");
}

#[test]
fn processes_end_with_their_request() {
    let Some(ruby) = installed() else { return };
    let daemon = "$0 = 'started by a request'; sleep";
    let started = format!("<% fork {{ fork {{ Process.setsid; {daemon} }}; Process.setsid; {daemon} }} %>");
    assert_eq!(text(render(&ruby, &started, &[])), "''");
    assert!(!is_running("started by a request"));
    // One whose parent has ended, and which has the pipe.
    let orphan = format!(
        "<% r, w = IO.pipe; fork {{ fork {{ Process.setsid; w.puts 'up'; {daemon} }}; exit! }}; r.gets; exit! %>"
    );
    assert_eq!(text(render(&ruby, &orphan, &[])), "helper: the program ended with exit 1");
    assert!(!is_running("started by a request"));
    assert_eq!(
        text(render(
            &ruby,
            "<% parent = ->(dir) { File.read(\"#{dir}/stat\").split(') ')[1].split[1] rescue nil } %>\
             <%= Dir.glob('/proc/[0-9]*').count { |dir| parent[dir] == parent['/proc/self'] } %>",
            &[]
        )),
        "'1'"
    );
}

/// Whether a process with this command line runs.
fn is_running(command_line: &str) -> bool {
    let entries = std::fs::read_dir("/proc").expect("readable");
    let lines = entries.flatten().filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.starts_with(command_line.as_bytes()))
}

/// Whether the helper is the first process of a PID namespace.
fn is_isolated(ruby: &InstalledRuby) -> bool {
    text(render(ruby, "<%= Process.ppid %>", &[])) == "'1'"
}

#[test]
fn a_request_cannot_kill_the_helper_or_leave_a_daemon_behind() {
    let Some(ruby) = installed() else { return };
    if !is_isolated(&ruby) {
        return test_support::skip("this user cannot create PID namespaces");
    }
    let daemon = "r, w = IO.pipe; fork { fork { Process.setsid; $0 = 'outlives the helper'; w.puts 'up'; sleep }; exit! }; r.gets";
    for kill in ["Process.kill(:KILL, Process.ppid)", "Process.kill(:STOP, 1)", "Process.kill(:KILL, -1)"] {
        // The last one kills the daemon itself, and every other process that it sees.
        assert_eq!(text(render(&ruby, &format!("<% {daemon}; {kill} %>done"), &[])), "'done'", "{kill}");
        assert!(!is_running("outlives the helper"), "{kill}");
    }
    // The helper is ended while a daemon runs.
    let other = InstalledRuby::new(Settings { time: Duration::from_secs(2), ..Settings::default() });
    let late = text(render(&other, &format!("<% {daemon}; loop {{ }} %>"), &[]));
    assert_eq!(late, "helper: there is no result after 2 seconds");
    drop(other);
    assert!(!is_running("outlives the helper"));
}

#[test]
fn a_loop_is_ended() {
    if installed().is_none() {
        return;
    }
    let ruby = InstalledRuby::new(Settings { time: Duration::from_secs(2), ..Settings::default() });
    for template in ["<% loop { } %>", "<% sleep %>", "<% fork { sleep }; sleep %>"] {
        let start = Instant::now();
        assert_eq!(text(render(&ruby, template, &[])), "helper: there is no result after 2 seconds", "{template}");
        assert!(start.elapsed() < Duration::from_secs(120), "{template}");
    }
}

#[test]
fn memory_is_limited() {
    let Some(ruby) = installed() else { return };
    let result = text(render(&ruby, "<% x = 'a' * (4 << 30) %>", &[]));
    assert!(result.starts_with("NoMemoryError"), "{result}");
    assert_eq!(text(render(&ruby, "<%= 1 %>", &[])), "'1'");
}

#[test]
fn the_helper_has_nothing_of_this_process() {
    let Some(ruby) = installed() else { return };
    assert_eq!(
        text(render(&ruby, "<%= (ENV.keys - %w[TZ]).sort.join(' ') %> <%= Dir.pwd %>", &[])),
        "'HOME LANG PATH /'"
    );
    let write = "<% path = \"/tmp/mcl-ruby-test-#{Process.pid}\"
      begin; File.write(path, 'x'); ensure; File.delete(path); end %>";
    let result = text(render(&ruby, write, &[]));
    assert!(result.contains("File too large"), "{result}");
    if rustix::process::geteuid().is_root() {
        assert_eq!(text(render(&ruby, "<%= Process.uid == 0 || Process.groups.include?(0) %>", &[])), "'false'");
    }
}

#[test]
fn without_ruby_the_error_says_so() {
    let ruby = InstalledRuby::new(Settings { program: Some("/nonexistent/ruby".into()), ..Settings::default() });
    assert!(text(render(&ruby, "", &[])).starts_with("helper: `/nonexistent/ruby` cannot be started"));
}
