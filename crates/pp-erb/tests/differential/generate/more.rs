//! Expressions and statements beyond the everyday ones: calls with many kinds of arguments, formats, captures, here documents,
//! changes in place, methods of the template, and errors that are rescued.

use test_support::Rng;

use super::{hash, list, number, pick, string, value};

/// A method of strings.
pub fn string_call(random: &mut Rng, depth: u32) -> String {
    let inner = string(random, depth - 1);
    let call = match random.u8(..12) {
        0 => format!("slice({})", pick(random, &["1..", "-3..-1", "1, 3", "/l+/", "'ll'", "9", "-1", "2...4", "0, 0"])),
        1 => format!(
            "[{}]",
            pick(random, &["1..2", "/(l)(.)/, 2", "-2", "1, 99", "'lo'", "99", "..1", "/(?<q>e)/, 'q'"])
        ),
        2 => format!("index({})", pick(random, &["'l', 3", "/o/", "'zz'", "'', 2", "/l/, -4"])),
        3 => format!("rindex({})", pick(random, &["'l', 3", "/l/", "'zz'"])),
        4 => format!("split({})", pick(random, &["/l/", "/(l)/, 2", "'', 3", "' ', -1", "/\\s+/", "'l', -1", "/,|l/"])),
        5 => format!("count({})", pick(random, &["'a-z'", "'^l'", "'lo', 'o'", "'\\\\-l'", "'z-a'"])),
        6 => format!("delete({})", pick(random, &["'l', 'lo'", "'^a-z'", "'a-cx-z'"])),
        7 => format!("tr({})", pick(random, &["'a-z', 'A-Z'", "'^l', '*'", "'lo', ''", "'a-e', 'x'", "'el', 'ip'"])),
        8 => format!("each_line({}).to_a", pick(random, &["", "'l'", "chomp: true"])),
        9 => format!("scan({})", pick(random, &["/l|o/", "/(.)(l)/", "'l'", "/(?:l)+/", "/\\b\\w/"])),
        10 => pick(
            random,
            &[
                "to_i(16)",
                "to_i(2)",
                "hex",
                "oct",
                "to_f",
                "ord",
                "sum",
                "succ",
                "bytes",
                "each_char.with_index.to_a",
                "codepoints",
                "casecmp?('ABC')",
                "eql?('abc')",
                "between?('a', 'b')",
                "upto('abf').to_a",
                "unpack1('a')",
                "encoding",
                "delete_prefix('h')",
                "delete_suffix('d')",
                "start_with?(/h/)",
                "end_with?('d', 'c')",
                "insert(-1, 'Z')",
                "prepend('a', 'b')",
                "replace('q')",
                "empty?",
                "chars.sort.join",
                "crypt('ab')",
                "unicode_normalize",
                "to_sym.inspect",
                "to_c",
                "match?(/L/i)",
                "match(/(?<w>\\w)/)[:w]",
                "squeeze('a-z')",
                "each_grapheme_cluster.to_a",
                "slice(0)",
                "partition(/l+/)",
                "rpartition('l')",
                "lines",
                "% [1, 2]",
            ],
        )
        .to_owned(),
        _ => format!(
            "gsub({})",
            pick(
                random,
                &[
                    "/(?<a>l)(.)/, '<\\\\k<a>\\\\2>'",
                    "/l/, 'l' => 'L', 'o' => 1",
                    "/[a-m]/) { $&.upcase + $`.length.to_s }#(",
                    "/(l)(o)?/) { \"#{$1}#{$2.inspect}\" }#(",
                    "'.', '!'",
                    "/^/, '> '",
                    "/$/, '<'",
                    "/\\A|\\z/, '|'",
                    "'l', '\\\\\\\\'",
                    "/x*/, '-'",
                    "/(?i)L/, ''",
                ]
            )
        ),
    };
    match call.split_once(")#(") {
        // A block after the arguments.
        Some((call, _)) => format!("{inner}.{}", call.trim_end_matches(')')).replacen("gsub(", "gsub(", 1),
        None if call.starts_with('[') => format!("{inner}{call}.inspect"),
        None if call.starts_with('%') => format!("({inner} {call})"),
        None => format!("{inner}.{call}.inspect"),
    }
}

/// A format with its arguments.
pub fn format_call(random: &mut Rng, depth: u32) -> String {
    let mut format = String::new();
    let mut arguments = Vec::new();
    for _ in 0..random.usize(1..4) {
        let flags = pick(random, &["", "-", "0", "+", " ", "#", "-+", "+0", "*"]);
        let width = pick(random, &["", "3", "8", "12"]);
        let precision = pick(random, &["", "", ".0", ".2", ".5", "."]);
        let kind =
            pick(random, &["d", "s", "f", "x", "o", "b", "e", "g", "p", "c", "X", "i", "u", "%", "E", "B", "a", "q"]);
        let width = if flags == "*" { "" } else { width };
        if flags == "*" {
            arguments.push(pick(random, &["5", "-6", "0"]).to_owned());
        }
        format.push_str(&format!("%{flags}{width}{precision}{kind}|"));
        if kind != "%" {
            arguments.push(match random.u8(..6) {
                0 => value(random, depth - 1),
                1 => string(random, 0),
                _ => number(random, depth - 1),
            });
        }
    }
    if random.u8(..6) == 0 {
        return format!("format('%<a>5.1f %{{b}} %<c>-4s|', a: {}, b: {}, c: :x)", number(random, 0), value(random, 0));
    }
    format!("format('{format}', {})", arguments.join(", ")).replace(", )", ")")
}

/// A call of a collection with a block.
pub fn collection_call(random: &mut Rng, depth: u32) -> String {
    let (receiver, calls): (String, &[&str]) = if random.bool() {
        (
            list(random, depth - 1),
            &[
                "each_slice(3).map(&:length)",
                "each_with_index.select { |v, i| i > 0 }",
                "inject { |a, b| [a, b] }",
                "sort_by { |v| [v.class.name, v.to_s] }",
                "group_by(&:class).map { |k, v| [k.name, v.size] }",
                "partition { |v| v.respond_to?(:each) }",
                "zip([1, 2], %w[a b])",
                "map.with_index { |v, i| [i, v] }",
                "each.with_index(1).to_a",
                "each_with_object({}) { |v, h| h[v] = true }",
                "min_by { |v| v.to_s.length }",
                "max_by(2) { |v| v.to_s }",
                "min(2) { |a, b| a.to_s <=> b.to_s }",
                "sum { |v| v.to_s.length }",
                "find_index { |v| v.nil? }",
                "take_while { |v| v.is_a?(String) }",
                "cycle(2).to_a",
                "none?(Integer)",
                "all?(/a/)",
                "one? { |v| v }",
                "any?(nil)",
                "count { |v| v }",
                "tally",
                "uniq { |v| v.class }",
                "product([1, 2])",
                "transpose",
                "dig(0, 0)",
                "fetch(9, 'none')",
                "fetch(9)",
                "values_at(0, 2, -1)",
                "assoc('a')",
                "flat_map { |v| v }",
                "reduce(:+)",
                "inject(:merge)",
                "each_entry.map { |v| v }",
                "to_h { |v| [v, 1] }",
                "slice(1..)",
                "slice(-2, 2)",
                "first(-1)",
                "sample.class",
                "bsearch { |v| v }",
                "combination(2).count",
                "join(nil)",
                "join(1)",
                "pack('a')",
                "insert(1, :new)",
                "sort!",
                "push(1).pop",
                "shift",
                "delete('a')",
                "delete_if { |v| v }",
                "map!(&:to_s)",
                "concat([1])",
                "unshift(0)",
                "fill(0)",
                "rotate(-1)",
                "minmax_by(&:to_s)",
                "filter_map { |v| v if v }",
                "each_cons(2) { |v| v }",
                "chunk_while { |a, b| a == b }.to_a",
                "lazy.map { |v| v }.first",
                "sum(0.0)",
                "max { |a, b| b <=> a }",
                "include?(2.5)",
                "difference(['a'])",
                "union([9])",
                "intersection([1])",
                "<=> [1]",
                "== []",
                "* ','",
                "* 2",
                "eql?([1])",
                "hash == [].hash",
                "step(2).to_a",
                "reverse_each.to_a",
                "none?",
                "sum.class",
            ],
        )
    } else {
        (
            hash(random, depth - 1),
            &[
                "each_with_index.map { |(k, v), i| [i, k] }",
                "sort_by { |k, v| v.to_s }",
                "min_by { |k, v| v.to_s }",
                "each_with_object([]) { |(k, v), a| a << k }",
                "inject { |a, b| a }",
                "find { |k, v| v.nil? }",
                "count",
                "sum { |k, v| v.to_s.size }",
                "map(&:first)",
                "flat_map { |k, v| [v] }",
                "group_by { |k, v| v.class.name }",
                "partition { |k, v| v }",
                "reduce({}) { |h, (k, v)| h.merge(v => k) }",
                "dig('c', 'd', 0)",
                "dig('a', 'b')",
                "fetch('zz')",
                "fetch('zz') { |k| k }",
                "fetch(:x, nil)",
                "key(1)",
                "values_at('a', 'q')",
                "fetch_values('a')",
                "any? { |k, v| v == 1 }",
                "all? { |k, v| k }",
                "none?",
                "delete('a')",
                "store('n', 1)",
                "update('a' => 0)",
                "select { |k, v| v.is_a?(Integer) }",
                "reject { |k| k }",
                "filter_map { |k, v| k if v }",
                "to_a.flatten",
                "sort { |a, b| b.to_s <=> a.to_s }",
                "each_slice(2).to_a",
                "zip([1])",
                "transform_values(&:to_s)",
                "transform_keys { |k| k.to_s.upcase }",
                "group_by(&:last)",
                "each_pair.to_a",
                "has_value?(1)",
                "rassoc(1)",
                "assoc('a')",
                "compact",
                "invert",
                "length",
                "first",
                "first(1)",
                "min",
                "max",
                "sort",
                "sum([])",
                "entries",
                "default",
                "compare_by_identity",
                "merge({ 'a' => 5 }, { 'z' => 6 }) { |k, o, n| [o, n] }",
                "to_s",
                "eql?({})",
                "== {}",
                "key?(nil)",
                "member?('a')",
                "delete_if { |k, v| v }",
                "keep_if { |k, v| v }",
                "each { |pair| pair }",
                "each { |k, v| v }.size",
                "tally",
                "uniq",
                "<= {}",
                "filter { |k, v| v }",
                "each_key.to_a",
                "slice('a', 'zz')",
                "except('b')",
                "find_all { |k, v| v }",
                "max_by { |k, v| v.to_s }",
                "flatten",
                "flatten(2)",
                "clear",
                "shift",
            ],
        )
    };
    let call = pick(random, calls);
    let separator = if call.starts_with(|c: char| c.is_ascii_alphabetic()) { "." } else { " " };
    format!("({receiver}{separator}{call}).inspect")
}

/// Statements, and what they leave.
pub fn statement(random: &mut Rng) -> String {
    let text = string(random, 1);
    let any = value(random, 1);
    let items = list(random, 1);
    match random.u8(..22) {
        0 => format!("<% t = <<~E\n  a #{{{any}}}\n    b\n  E\n%><%= t %>"),
        1 => format!("<% t = <<-'E'\n  raw #{{no}}\n  E\n%><%= t.inspect %><%= {text} %>"),
        2 => format!("<% if {text} =~ /(\\w)(l*)/ %><%= [$1, $2, $~[0], $`, $', $~.pre_match].inspect %><% end %>"),
        3 => format!("<% if /(?<first>\\w)(?<rest>.*)/ =~ {text} %><%= first %>+<%= rest %><% end %>"),
        4 => format!("<%= ({any})&.to_s&.length.inspect %><%= ({any})&.nosuch %>"),
        5 => format!("<% a, (b, *c), d = {items} %><%= [a, b, c, d].inspect %>"),
        6 => format!("<% *a, b = *{items} %><%= [a, b].inspect %>"),
        7 => format!(
            "<% begin %><%= {any}.upcase %><% rescue NoMethodError, TypeError => e %><%= e.class %>: <%= e.message.lines.first.chomp %><% ensure %>!<% end %>"
        ),
        8 => format!("<%= ({any} + {}) rescue 'bad' %>", value(random, 0)),
        9 => format!(
            "<% def m(a, b = 2, *c, k: 0, &d); yield_it = d ? d.call(a) : b; [a, b, c, k, yield_it]; end %><%= m({any}).inspect %><%= m(1, 3, 4, k: 5) {{ |x| x + 1 }}.inspect %>"
        ),
        10 => format!("<% def m(a, b); a; end %><%= m({any}) %>"),
        11 => format!(
            "<% h = Hash.new {{ |hash, k| hash[k] = [] }}; {items}.each {{ |v| h[v.class] << v }} %><%= h.inspect %>"
        ),
        12 => format!(
            "<% s = {text}.dup; s << 'x' << 'y'; s[0] = 'Z'; s.concat('!', '?') %><%= s %><%= s.sub!('nope', '').inspect %>"
        ),
        13 => format!(
            "<% a = {items}.to_a.dup; a[5] = 1; a[1..2] = [:r]; a << nil %><%= a.inspect %><%= a.compact!.inspect %>"
        ),
        14 => "<% i = 0; while (i += 1) < 6 do next if i == 2; break if i == 5 %><%= i %><% end %><%= i %>".to_owned(),
        15 => format!(
            "<%= {items}.each_with_index.map {{ |v, i| next if i == 1; v }}.inspect %><%= {items}.each {{ |v| break v }}.inspect %>"
        ),
        16 => format!("<% f = ->(x, y = 2) {{ [x, y] }} %><%= f.({any}).inspect %><%= f.call(1, 2, 3) %>"),
        17 => format!(
            "<%= [[1, [2, 3]], [4, [5]]].map {{ |a, (b, c)| [a, b, c] }}.inspect %><%= {items}.map {{ |a, b| [b, a] }}.inspect %>"
        ),
        18 => format!(
            "<%= case {any} when nil, false then 'none' when 0.., /x/ then 'r' when ->(x) {{ x.respond_to?(:each) }} then 'l' else 'e' end %>"
        ),
        19 => format!("<% x ||= {any}; x &&= [x]; y = x || 3; y += [4] if y.is_a?(Array) %><%= y.inspect %>"),
        20 => format!(
            "<%= {items}.sort_by {{ |v| -v.to_s.length }}.inspect %><%= [{any}, {}].max.inspect %>",
            value(random, 0)
        ),
        _ => {
            format!("<%= [*{items}, *nil, *[1], {any}].inspect %><%= {{ **{}, 'k' => 1 }}.inspect %>", hash(random, 0))
        }
    }
}
