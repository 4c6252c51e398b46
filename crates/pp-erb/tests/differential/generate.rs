//! Random templates.

mod more;

use test_support::Rng;

/// Makes a template of a few tags.
pub fn template(random: &mut Rng) -> String {
    let mut out = String::new();
    for _ in 0..random.usize(1..4) {
        out.push_str(pick(random, &["x", "\n", "  ", "<%% ", "a b\n", "", "%\n", "\r\n"]));
        if random.u8(..4) == 0 {
            out.push_str(&more::statement(random));
        } else {
            out.push_str(&tag(random, 2));
        }
    }
    out
}

fn pick<'a>(random: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[random.usize(..choices.len())]
}

fn tag(random: &mut Rng, depth: u32) -> String {
    let end = pick(random, &["%>", "-%>", "-%>\n", "%>\n"]);
    let open = pick(random, &["<%", "<%-", "  <%-"]);
    if depth == 0 || random.u8(..3) > 0 {
        return format!("<%= {} {end}", value(random, 3));
    }
    let inner = tag(random, depth - 1);
    match random.u8(..6) {
        0 => format!("{open} if {} {end}{inner}{open} else {end}no{open} end {end}", value(random, 2)),
        1 => format!("{open} {}.each do |v| {end}{inner}<%= v %>{open} end {end}", list(random, 2)),
        2 => format!("{open} {}.each_with_index {{ |v, at| {end}<%= at %>{inner}{open} }} {end}", list(random, 2)),
        3 => format!("{open} {}.each do |k, v| {end}<%= k %>=<%= v %>{inner}{open} end {end}", hash(random, 2)),
        4 => format!("{open} x = {} {end}<%= x.inspect %>{inner}", value(random, 2)),
        _ => format!(
            "{open} case {} {end}{open} when {} {end}{inner}{open} else {end}-{open} end {end}",
            value(random, 1),
            pick(random, &["String", "nil", "1..50", "/l+/", "Array, Hash", "42, 'a'", "Integer", "true"])
        ),
    }
    .replace("end -%>\n<% when", "end -%><% when")
}

/// An expression of any class.
fn value(random: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return pick(
            random,
            &[
                "@s", "@i", "@f", "@nothing", "@t", "@no", "@a", "@h", "@m", "@ns", "@hs", "@u", "@e", "1", "-3",
                "'q'", ":sym", "nil",
            ],
        )
        .to_owned();
    }
    match random.u8(..15) {
        12 => more::string_call(random, depth),
        13 => more::format_call(random, depth),
        14 => more::collection_call(random, depth),
        0..=2 => string(random, depth),
        3 | 4 => number(random, depth),
        5..=7 => list(random, depth),
        8 => hash(random, depth),
        9 => format!(
            "({} {} {})",
            value(random, depth - 1),
            pick(random, &["==", "!=", "<=>", "&&", "||", "and", "or", "eql?", "==="]).replace("eql?", "=="),
            value(random, depth - 1)
        ),
        10 => format!("({} ? {} : {})", value(random, depth - 1), value(random, depth - 1), value(random, depth - 1)),
        _ => {
            let method = pick(
                random,
                &[
                    "to_s",
                    "inspect",
                    "nil?",
                    "class",
                    "is_a?(String)",
                    "to_a",
                    "length",
                    "size",
                    "empty?",
                    "first",
                    "last",
                    "keys",
                    "sort",
                    "reverse",
                    "upcase",
                    "to_i",
                    "to_f",
                    "join(',')",
                    "[0]",
                    "['a']",
                    "[-1]",
                    "frozen?",
                    "dup",
                    "hash.class",
                    "respond_to?(:each)",
                    "to_sym",
                    "max",
                    "min",
                    "sum",
                    "flatten",
                    "compact",
                    "uniq",
                    "include?('a')",
                    "to_h",
                    "then { |v| v }",
                    "itself",
                    "abs",
                    "succ",
                    "round",
                    "floor",
                    "+ 1",
                    "+ 'a'",
                    "* 2",
                    "<< 1",
                    "- 1",
                    "> 2",
                    "=~ /l/",
                    "% 5",
                ],
            );
            let separator = if method.starts_with(['[', '+', '*', '<', '-', '>', '=', '%']) { " " } else { "." };
            let separator = if method.starts_with('[') { "" } else { separator };
            format!("({}){separator}{method}", value(random, depth - 1))
        }
    }
}

fn string(random: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return pick(
            random,
            &["@s", "@u", "@e", "@lines", "'abc'", "\"x\\ty\"", "'a,b,,c'", "'  pad '", "'%05.2f|%-6s|'", "'aAbB'"],
        )
        .to_owned();
    }
    let inner = string(random, depth - 1);
    match random.u8(..14) {
        0 => format!("\"<#{{{}}}>\"", value(random, depth - 1)),
        1 => format!("({inner} + {})", string(random, depth - 1)),
        2 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "upcase",
                    "downcase",
                    "capitalize",
                    "swapcase",
                    "reverse",
                    "strip",
                    "lstrip",
                    "rstrip",
                    "chomp",
                    "chop",
                    "succ",
                    "squeeze",
                    "inspect",
                    "dump"
                ]
            )
        ),
        3 => format!(
            "{inner}.{}",
            pick(random, &["ljust(12)", "rjust(9, '.')", "center(11, 'xy')", "ljust(2)", "center(8)"])
        ),
        4 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "gsub(/[aeiou]/, '*')",
                    "gsub('l', 'L')",
                    "sub(/(\\w)(\\w)/, '\\\\2\\\\1')",
                    "gsub(/\\w+/) { |w| w.capitalize }",
                    "gsub(/o/, 'o' => '0')",
                    "gsub(/(?<x>l)/, '[\\\\k<x>]')",
                    "sub('b', '\\\\0\\\\0')",
                    "gsub(//, '-')"
                ]
            )
        ),
        5 => format!(
            "{inner}{}",
            pick(
                random,
                &["[0, 3]", "[1..-2]", "[-3..-1]", "[/l+/]", "[2]", "[50]", "['l']", "[1...3]", "[/(.)(l)/, 1]"]
            )
        ),
        6 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "tr('a-y', 'b-z')",
                    "tr('^a-z', '-')",
                    "delete('l')",
                    "tr('el', 'ip')",
                    "delete('a-m')",
                    "squeeze('l')",
                    "tr_s('l', 'r')"
                ]
            )
        ),
        7 => format!("{}.join({})", list(random, depth - 1), pick(random, &["','", "' - '", "", "nil"])),
        8 => format!("{}.to_s", value(random, depth - 1)),
        9 => format!("({inner} * {})", pick(random, &["0", "2", "3"])),
        10 => format!("format('%s|%5d|%-5s|%05.1f|%x', {inner}, {}, :a, 1.25, 255)", pick(random, &["3", "@i", "@n"])),
        11 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "partition('l').inspect",
                    "rpartition(/o/).inspect",
                    "each_char.to_a.join('.')",
                    "unpack1('a')",
                    "sum.to_s",
                    "chars.first.to_s",
                    "slice(0, 2).to_s",
                    "insert(1, 'Z')",
                    "prepend('q')",
                    "start_with?('h').to_s",
                    "index('l').to_s",
                    "rindex('l').to_s",
                    "count('lo').to_s",
                    "ord.to_s",
                    "hex.to_s",
                    "bytes.inspect",
                    "casecmp('ABC').to_s"
                ]
            )
        ),
        12 => format!("(z = {inner}.dup; z << 'k'; z)"),
        _ => inner,
    }
}

fn number(random: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return pick(random, &["@i", "@n", "@f", "0", "7", "-2", "1.5", "100", "1e20", "3.0", "0.1"]).to_owned();
    }
    let (left, right) = (number(random, depth - 1), number(random, depth - 1));
    match random.u8(..8) {
        0..=2 => format!("({left} {} {right})", pick(random, &["+", "-", "*", "/", "%", "<=>"])),
        3 => format!(
            "{left}.{}",
            pick(
                random,
                &[
                    "abs",
                    "to_i",
                    "to_f",
                    "round",
                    "ceil",
                    "floor",
                    "succ",
                    "round(1)",
                    "round(-1)",
                    "floor(1)",
                    "to_s(2)",
                    "divmod(3).inspect",
                    "clamp(0, 5)",
                    "between?(1, 9)",
                    "zero?",
                    "even?",
                    "digits.inspect",
                    "fdiv(3)",
                    "truncate",
                    "bit_length",
                    "pred"
                ]
            )
        ),
        4 => format!("{}.length", string(random, depth - 1)),
        5 => format!(
            "{}.{}",
            list(random, depth - 1),
            pick(random, &["length", "count", "sum", "max", "min", "index('a')", "size", "first.to_i"])
        ),
        6 => format!("({left} > {right})"),
        _ => left,
    }
}

fn list(random: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return pick(
            random,
            &["@a", "@m", "@ns", "@hs", "[]", "[3, 1]", "%w[x y]", "(1..4)", "[[1, 'a'], [2, 'b']]", "@h.keys"],
        )
        .to_owned();
    }
    let inner = list(random, depth - 1);
    match random.u8(..16) {
        0 => format!("{inner}.map {{ |v| v.to_s }}"),
        1 => format!("{inner}.map(&:inspect)"),
        2 => format!("{inner}.select {{ |v| {} }}", pick(random, &["v", "v.is_a?(String)", "v != 1", "v.to_s > '2'"])),
        3 => format!("{inner}.reject {{ |v| {} }}", pick(random, &["v.nil?", "v == 'a'", "v.to_s.empty?"])),
        4 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "sort",
                    "reverse",
                    "uniq",
                    "compact",
                    "flatten",
                    "to_a",
                    "sort.reverse",
                    "rotate",
                    "shuffle.sort",
                    "transpose",
                    "combination(2).to_a",
                    "each_cons(2).to_a",
                    "each_slice(2).to_a",
                    "permutation(2).first(3)",
                    "flatten(1)",
                    "take(2)",
                    "drop(1)",
                    "first(2)",
                    "last(2)",
                    "minmax",
                    "cycle.first(3)",
                    "tally.to_a",
                    "entries"
                ]
            )
        ),
        5 => format!("{inner}.sort_by {{ |v| v.to_s }}"),
        6 => format!("{inner}.sort {{ |x, y| y.to_s <=> x.to_s }}"),
        7 => format!("({} {} {})", inner, pick(random, &["+", "-", "&", "|"]), list(random, depth - 1)),
        8 => format!(
            "{}.{}",
            string(random, depth - 1),
            pick(
                random,
                &[
                    "split(',')",
                    "chars",
                    "lines",
                    "split",
                    "scan(/\\w/)",
                    "split(/[, ]/)",
                    "split('')",
                    "split('l', 2)",
                    "scan(/(.)(.)/)",
                    "each_line.map(&:chomp)",
                    "split(',', -1)",
                    "split(/(,)/)"
                ]
            )
        ),
        9 => format!("{inner}.each_with_index.map {{ |v, at| [at, v] }}"),
        10 => format!("{inner}.zip({})", list(random, depth - 1)),
        11 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "group_by { |v| v.class }.to_a",
                    "partition { |v| v }",
                    "inject([]) { |s, v| s << v }",
                    "each_with_object([]) { |v, s| s.unshift(v) }",
                    "flat_map { |v| [v, v] }",
                    "map.with_index(1) { |v, n| \"#{n}#{v}\" }",
                    "find_all { |v| v }",
                    "take_while { |v| v }",
                    "chunk_while { |x, y| x == y }.to_a",
                    "filter_map { |v| v && v.to_s }",
                    "zip(1..9)",
                    "values_at(0, -1, 9)",
                    "max_by { |v| v.to_s }.then { |v| [v] }",
                    "drop_while { |v| v }",
                    "each_entry.to_a",
                    "sum([]) { |v| [v] }"
                ]
            )
        ),
        12 => format!("[{}, {}]", value(random, depth - 1), value(random, depth - 1)),
        13 => format!("Array({})", value(random, depth - 1)),
        14 => format!(
            "{}.{}",
            hash(random, depth - 1),
            pick(
                random,
                &[
                    "keys",
                    "values",
                    "to_a",
                    "sort",
                    "map { |k, v| \"#{k}=#{v}\" }",
                    "sort_by { |k, v| k.to_s }",
                    "min_by { |k, v| v.to_s }",
                    "find { |k, v| v }",
                    "each_with_index.to_a",
                    "flat_map { |k, v| [k] }",
                    "partition { |k, v| k == 'a' }",
                    "reduce([]) { |s, (k, v)| s << k }",
                    "sum([]) { |k, v| [k] }",
                    "group_by { |k, v| v.class }.keys",
                    "invert.to_a",
                    "max_by { |pair| pair.to_s }"
                ]
            )
        ),
        _ => inner,
    }
}

fn hash(random: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return pick(
            random,
            &["@h", "{}", "{ 'a' => 1 }", "{ x: 1, 'y' => [2] }", "@hs.first", "{ 1 => 'i', 1.0 => 'f', nil => 0 }"],
        )
        .to_owned();
    }
    let inner = hash(random, depth - 1);
    match random.u8(..6) {
        0 => format!(
            "{inner}.{}",
            pick(
                random,
                &[
                    "select { |k, v| v }",
                    "reject { |k, v| v == 1 }",
                    "invert",
                    "compact",
                    "to_h",
                    "dup",
                    "sort.to_h",
                    "transform_values { |v| v.to_s }",
                    "transform_keys(&:to_s)",
                    "slice('a', 'x')",
                    "except('a')",
                    "filter_map { |k, v| [k, v] if v }.to_h",
                    "to_a.to_h",
                    "min_by { |k, v| k.to_s }.to_a.each_slice(2).to_h",
                    "map { |k, v| [v, k] }.to_h",
                    "to_h { |k, v| [k.to_s, v.to_s] }"
                ]
            )
        ),
        1 => format!("{inner}.merge({})", hash(random, depth - 1)),
        2 => format!("{inner}.merge({}) {{ |k, x, y| [x, y] }}", hash(random, depth - 1)),
        3 => format!("{{ 'v' => {} }}", value(random, depth - 1)),
        4 => format!("{}.group_by {{ |v| v.class }}", list(random, depth - 1)),
        _ => inner,
    }
}
