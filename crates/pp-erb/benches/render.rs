//! Time of rendering a template of 5 kB, against Ruby's ERB in the same run: `cargo bench -p pp-erb --bench render`.
//!
//! 1,000 renders must take at most 50 ms. Both parse the template once and read the same variables. Without an installed Ruby the
//! ratio is left out.

use std::process::{Command, Stdio};
use std::time::Duration;

use pp_erb::{Budget, Objects, Template, Variables};
use serde_json::{Value as Json, json};
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RENDERS: u32 = 1_000;
const MAX_TIME: Duration = Duration::from_millis(50);
const BUDGET: Budget = Budget { steps: 1_000_000, bytes: 64 << 20 };

/// A virtual host of a web server.
const PART: &str = r##"
# <%= @comment %>
<% if @ssl -%>
<VirtualHost <%= [@ip].flatten.compact.map { |ip| "#{ip}:#{@port}" }.join(' ') %>>
<% else -%>
<VirtualHost *:80>
<% end -%>
  ServerName <%= @name %>
<% unless @aliases.nil? || @aliases.empty? -%>
  ServerAlias <%= Array(@aliases).sort.join(' ') %>
<% end -%>
  DocumentRoot "<%= @docroot %>"
<% @directories.each do |directory| -%>
  <Directory "<%= directory['path'] %>">
<%   directory.keys.sort.each do |key| next if key == 'path' -%>
    <%= key.capitalize %> <%= directory[key].is_a?(Array) ? directory[key].join(' ') : directory[key] %>
<%   end -%>
  </Directory>
<% end -%>
<% @headers.sort.each do |name, value| -%>
  Header set <%= name %> "<%= value.to_s.gsub(/"/, '\"') %>"
<% end -%>
</VirtualHost>
"##;

fn variables() -> Json {
    json!({
        "comment": "managed",
        "ssl": true,
        "ip": ["192.0.2.1", "192.0.2.2", null],
        "port": 443,
        "name": "www.example.com",
        "aliases": ["b.example.com", "a.example.com"],
        "docroot": "/srv/www",
        "directories": [
            {"path": "/srv/www", "options": ["Indexes", "FollowSymLinks"], "require": "all granted"},
            {"path": "/srv/www/private", "options": "None", "require": "all denied"},
        ],
        "headers": {"X-Frame-Options": "DENY", "X-Note": "a \"quoted\" word", "Age": 1},
    })
}

/// Returns how long Ruby takes, and the text; `None` where it is not installed.
fn ruby(template: &str, variables: &Json) -> Option<(Duration, String)> {
    const SCRIPT: &str = "
        require 'erb'; require 'json'
        input = JSON.parse($stdin.read)
        input['variables'].each { |name, value| instance_variable_set(\"@#{name}\", value) }
        erb = ERB.new(input['template'], trim_mode: '-')
        text = nil
        times = (1..5).map do
          start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          input['renders'].times { text = erb.result(binding) }
          Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
        end
        puts JSON.generate('seconds' => times.min, 'text' => text)";
    let mut process = Command::new("ruby")
        .args(["-e", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let request = json!({"template": template, "variables": variables, "renders": RENDERS});
    serde_json::to_writer(process.stdin.take()?, &request).ok()?;
    let answer: Json = serde_json::from_slice(&process.wait_with_output().ok()?.stdout).ok()?;
    Some((Duration::from_secs_f64(answer["seconds"].as_f64()?), answer["text"].as_str()?.to_owned()))
}

fn main() {
    let text = PART.repeat(6);
    let variables = variables();
    let entries = variables.as_object().into_iter().flatten();
    let mut scope = Variables::new(entries.map(|(name, value)| (name.as_str().into(), pp_types::from_json(value))));
    let template = Template::parse(&text).expect("a template");
    let mut render = || {
        let objects = Objects::default();
        template.render(&mut scope, &objects, BUDGET).expect("it renders").text
    };
    let rendered = render();
    let time = min_time(5, || {
        for _ in 0..RENDERS {
            render();
        }
    });
    let parse = min_time(5, || Template::parse(&text));
    println!("{} bytes of template, {} of text", text.len(), rendered.len());
    println!("parse                {parse:>10.1?}");
    println!("{RENDERS} renders        {time:>10.1?}   promised: {MAX_TIME:?}");
    match ruby(&text, &variables) {
        Some((baseline, expected)) => {
            assert_eq!(rendered, expected, "Ruby renders the same");
            println!("{RENDERS} renders, Ruby  {baseline:>10.1?}   ratio {:.2}", ratio(time, baseline));
        }
        None => println!("{RENDERS} renders, Ruby     skipped: no Ruby with erb and json is installed"),
    }
    assert!(time <= MAX_TIME, "{RENDERS} renders take {time:?}");
}
