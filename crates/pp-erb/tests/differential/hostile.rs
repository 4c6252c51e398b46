//! Templates that loop, grow, nest or are broken end in one error, and never in a panic.

use std::panic::catch_unwind;

use pp_erb::{Budget, ErrorKind, Objects, Template};
use test_support::{Rng, for_each_seed};

use crate::{scope, variables};

const BUDGET: Budget = Budget { steps: 300_000, bytes: 16 << 20 };

/// Renders a template, and returns the kind of its error.
fn outcome(template: &str) -> Option<ErrorKind> {
    let rendered = Template::parse(template)
        .and_then(|template| template.render(&mut scope(&variables()), &Objects::default(), BUDGET));
    if let Err(error) = &rendered {
        assert!(error.offset.unwrap_or(0) as usize <= template.len(), "{error}: a location outside of {template}");
    }
    rendered.err().map(|error| error.kind)
}

#[test]
fn templates_that_loop_or_grow_end() {
    let endless = [
        "<% while true %>x<% end %>",
        "<% loop { } %>",
        "<% a = [1]; a.each { |v| a << v } %>",
        "<% s = 'x' * 1000; loop { s += s } %>",
        "<% s = +'x'; loop { s << s } %>",
        "<% a = [1]; 60.times { a = [a, a] } %><%= a %>",
        "<% a = [1]; 60.times { a = [a, a] } %><%= a.flatten.length %>",
        "<% h = {}; 1.upto(10_000_000) { |n| h[n] = n } %>",
        "<%= (1..1_000_000_000).to_a.length %>",
        "<%= 'x' * 10_000_000_000 %>",
        "<%= [0] * 10_000_000_000 %>",
        "<%= 'a'.ljust(10_000_000_000) %>",
        "<%= '%1000000000d' % 1 %>",
        "<%= (1..30).to_a.permutation.to_a.length %>",
        "<%= ('a'..'zzzzzzzzz').to_a.length %>",
        "<%= [1, 2].cycle { } %>",
        "<%= 2 ** 1000 %>",
        "<%= 1 << 1_000_000_000 %>",
        "<% until false do end %>",
        "<% for x in (1..1_000_000_000) do end %>",
        "<% begin; x = 1; end while true %>",
        "<% 1.step { } %>",
        "<% 1_000_000_000.times { } %>",
        "<% 1.upto(1_000_000_000) { |n| n } %>",
        "<% h = { 'a' => 1 }; loop { h = { 'a' => h, 'b' => h } } %>",
        "<% s = +'x'; 40.times { s << s } %><%= s %>",
        "<% s = +'x'; 40.times { s = \"#{s}#{s}\" } %><%= s %>",
        "<% s = 'ab' * 1000; 9.times { s = s.gsub(/./, s) } %>",
        "<% s = 'a' * 1_000_000; 9.times { s = s.gsub('a', 'aaaaaaaaaa') } %>",
        "<% a = [0] * 1_000_000; 30.times { a += a } %>",
        "<% a = [1]; 40.times { a.concat(a) } %>",
        "<%= [[[0] * 1_000] * 1_000] * 1_000_000 %>",
        "<% a = [0] * 1_000; a.product(a, a) %>",
        "<% (1..40).to_a.combination(20).to_a %>",
        "<%= '%0999999999d' % 1 %>",
        "<%= '%-999999999s|' % 'x' %>",
        "<%= '%.999999999f' % 1.5 %>",
        "<%= 'x'.center(1_000_000_000, 'ab') %>",
        "<% d = ->(n) { d.call(n + 1) }; d.call(0) %>",
        "<% def a; b; end; def b; a; end; a %>",
        "<% h = Hash.new { |hash, k| hash[k + 1] }; h[0] %>",
        "<% begin; loop { }; rescue Exception; end; loop { } %>",
        "<% begin; loop { }; ensure; loop { }; end %>",
        "<% a = [0]; 40.times { a = [a, a] }; b = [0]; 40.times { b = [b, b] } %><%= a == b %>",
        "<% a = [0]; 40.times { a = [a, a] }; b = [0]; 40.times { b = [b, b] } %><%= a <=> b %>",
        "<% a = [0]; 40.times { a = [a, a] } %><%= { a => 1 }.length %>",
        "<% a = [0]; 40.times { a = [a, a] } %><%= [a, a.dup].uniq.length %>",
        "<% a = [0]; 40.times { a = { a => 1, [a] => 2 } } %><%= a == a.dup %>",
        "<% a = [0]; 40.times { a = [a, a] } %><%= '%p' % [a] %>",
        "<% a = [0]; 40.times { a = [a, a] } %><%= scope.call_function('x', [a]) %>",
        "<% h = {}; h[h] = 1; g = {}; g[g] = 1 %><%= h == g %>",
        "<% a = [0] * 30_000; 100.times { a.transpose rescue [a] * 1_000; b = ([a] * 1_000).transpose } %>",
        "<% a = [0] * 30_000; kept = []; loop { kept << a.dup } %>",
        "<% s = 'ab' * 100_000; loop { s.include?('c') } %>",
        "<% s = 'ab' * 100_000; h = {}; loop { h[s] } %>",
        "<% s = 'ab' * 100_000; s.delete(s) %>",
        "<% s = 'ab' * 100_000; s.tr(s, 'x') %>",
        "<% s = 'ab' * 100_000; s.sub(/.*/m, '\\0' * 10_000) %>",
        "<% s = 'ab' * 100_000; s.sub(/b/m, '\\`' * 10_000 + \"\\\\'\" * 10_000) %>",
        "<% s = '%1$9999999s' * 1_000; format(s, 1) %>",
        "<% a = [0] * 100_000; a.values_at(*[0..-1] * 1_000) %>",
        "<% s = 'ab' * 100_000; a = []; loop { a << s.partition('b') } %>",
    ];
    for template in endless {
        assert!(
            matches!(outcome(template), Some(ErrorKind::Limit | ErrorKind::Failure)),
            "{template}: {:?}",
            outcome(template)
        );
    }
}

#[test]
fn keys_that_differ_in_few_of_their_parts_take_linear_time() {
    for key in ["{ 'a' => n }", "[[[[[[[[[[n]]]]]]]]]]", "(n..200_000)", "{ 'a' => { 'b' => [n] } }"] {
        let template = format!("<%= (0...100_000).map {{ |n| {key} }}.uniq.length %>");
        let budget = Budget { steps: 20_000_000, bytes: 1 << 30 };
        let template = Template::parse(&template).unwrap();
        let rendered = template.render(&mut scope(&variables()), &Objects::default(), budget);
        assert_eq!(rendered.map(|rendered| rendered.text).map_err(|error| error.to_string()), Ok("100000".to_owned()));
    }
}

#[test]
fn structures_that_contain_themselves_are_harmless() {
    let cyclic = [
        "<% a = []; a << a; b = []; b << b %><%= a == b %> <%= a <=> b %> <%= a.eql?(b) %> <%= [a].uniq.length %>",
        "<% h = {}; h[:h] = h; g = {}; g[:h] = g %><%= h == g %> <%= h.inspect %>",
        "<% a = []; a << a %><%= a.flatten %>",
        "<% h = { 'a' => 1 }; h[h] = 1; h[[h]] = 2; h[{ 'a' => 1 }] = 3; h.delete(h); h.delete({ 'a' => 1 }) %><%= h.inspect %>",
        "<% a = []; a << a %><%= scope.call_function('x', a) %>",
        "<% a = []; 100_000.times { a = [a] } %><%= a == a.dup %> <%= a.inspect.length %>",
        "<% a = []; 100_000.times { a = [a] } %><%= {a => 1}.length %>",
        "<% def f(n); f(n + 1); end %><%= f(0) %>",
        "<% f = lambda { |n| f.call(n + 1) } %><%= f.call(0) %>",
        "<%= ('x' * 1_000_000).scan(/x*?y/) ; ('x' * 100_000).gsub(/(x+x+)+y/, '') %>",
        "<%= ('a' * 100_000 + 'b') =~ /(a|aa)+c/ %>",
        "<%= ('a' * 50) =~ /(a*)*(a*)*(a*)*b/ %>",
    ];
    for template in cyclic {
        outcome(template);
    }
}

#[test]
fn deep_structures_are_compared_or_refused() {
    let compared = |depth: usize| {
        format!(
            "<% a = []; b = []; {depth}.times {{ a = [a]; b = [b] }} %><%= a == b && (a <=> b) == 0 && a.eql?(b) %>"
        )
    };
    let template = Template::parse(&compared(9_000)).unwrap();
    let rendered = template.render(&mut scope(&variables()), &Objects::default(), BUDGET);
    assert_eq!(rendered.map(|rendered| rendered.text).map_err(|error| error.to_string()), Ok("true".to_owned()));
    assert_eq!(outcome(&compared(11_000)), Some(ErrorKind::Limit));
}

#[test]
fn code_can_be_nested_deeply() {
    assert_eq!(outcome("<% x = 'y''' ' %>"), Some(ErrorKind::Syntax));
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("!", ""),
        ("-", ""),
        ("a = ", ""),
        ("1 + ", ""),
        ("if 1 then ", " end"),
        ("{ 'a' => ", "}"),
    ] {
        for depth in [100, 5_000, 50_000] {
            outcome(&format!("<%= {}1{} %>", open.repeat(depth), close.repeat(depth)));
        }
    }
    outcome(&format!("<%= 1{} %>", " + 1".repeat(50_000)));
    outcome(&"<% if true %>".repeat(20_000));
    outcome(&"<%%".repeat(100_000));
}

fn mutated(random: &mut Rng, template: &str) -> String {
    const TOKENS: [&str; 40] = [
        "end",
        " do ",
        "|a, b|",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "#{",
        "<<E\n",
        "%w(",
        "/",
        "?",
        ":",
        "::",
        "&.",
        "*",
        "**",
        "&",
        "=",
        "=>",
        "->",
        "_1",
        "@",
        "$~",
        "\\",
        "\\u{",
        "__END__\n",
        "=begin\n",
        "<%",
        "%>",
        "-%>",
        "<%=",
        "nil",
        "@a",
        ".map",
        "@h.each",
    ];
    let mut chars: Vec<char> = template.chars().collect();
    for _ in 0..random.usize(1..5) {
        let at = random.usize(..=chars.len());
        match random.u8(..4) {
            0 => {
                let end = (at + random.usize(..8)).min(chars.len());
                chars.drain(at..end);
            }
            1 => chars.truncate(at),
            _ => {
                chars.splice(at..at, TOKENS[random.usize(..TOKENS.len())].chars());
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn broken_templates_never_panic() {
    let examples: Vec<&str> = include_str!("examples.txt").lines().filter(|line| !line.starts_with("##")).collect();
    for_each_seed(1_000, |random| {
        let example = examples[random.usize(..examples.len())];
        let template = mutated(random, example);
        assert!(catch_unwind(|| outcome(&template)).is_ok(), "{template}");
    });
}
