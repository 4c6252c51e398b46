//! The worked examples of spec 03 §10, and edge cases of the same functions.

use expect_test::expect;
use mcl_value::Type;

use crate::tests::{check, outcome};

#[test]
fn operators() {
    check(expect![[r#"
        _operator("+", 1, 2) => 3
        _operator("+", 9223372036854775807, 1) => -9223372036854775808
        _operator("*", 9223372036854775807, 2) => -2
        _operator("/", 7, 2) => 3.5
        _operator("/", 6, 3) => 2
        _operator("/", 1, 0) => catchable: can't divide by zero
        _operator("/", 2.5, 0.0) => catchable: can't divide by zero
        _operator("+", "ab", "c") => "abc"
        _operator("+", true, false) => fatal: unsupported kind: bool
        _operator("<", "a", "b") => fatal: unsupported kind: str
        _operator("==", [1, 2], [1, 2]) => true
        _operator("==", [1, 2], [2, 1]) => false
        _operator("==", {"a": 1, "b": 2}, {"b": 2, "a": 1}) => true
        _operator("!=", struct{a: 1}, struct{a: 2}) => true
        _operator("==", NaN, NaN) => false
        _operator("!=", NaN, NaN) => true
        _operator("<", 1, 2) => true
        _operator(">=", NaN, 1.0) => false
        _operator("and", true, false) => false
        _operator("or", true, false) => true
        _operator("not", true) => false
        _operator("not", true, false) => fatal: operator has wrong size
        _operator("?", 1, 2) => fatal: operator not found
    "#]]);
}

#[test]
fn lookups_and_lengths() {
    check(expect![[r#"
        contains(3, [1, 2, 3]) => true
        contains([13], [[42], [13]]) => true
        contains("x", []) => false
        _lookup([10, 20], 1) => 20
        _lookup([10, 20], 2) => catchable: list index not present, got: 2, len is: 2, in: [10, 20]
        _lookup([10, 20], -1) => catchable: list index negative, got: -1
        _lookup({"a": 1}, "b") => catchable: map key not present, want: "b" in {"a": 1}
        _lookup({7: "x"}, 7) => "x"
        _struct_lookup(struct{a: 1}, "a") => 1
        _struct_lookup(struct{a: 1}, "b") => fatal: could not lookup field: `b` in struct
        _struct_lookup_optional(struct{a: 1}, "zz", "d") => "d"
        _struct_lookup_optional(struct{a: 1}, "a", 2) => 1
        len("héllo") => 6
        len([]) => 0
        len({1: "a", 2: "b"}) => 2
        list_lookup(["p", "q"], 0) => "p"
        map_lookup({"k": true}, "k") => true
        map_lookup({-0.0: 1}, 0.0) => 1
        concat("", "x") => "x"
        panic(false) => false
        panic("") => false
        panic(true) => fatal: bool panic occurred
        panic("x") => fatal: str panic occurred: x
        panic_debug(true, "m") => fatal: bool panic occurred: m
        panic_debug(false, "m") => false
    "#]]);
}

#[test]
fn printf() {
    check(expect![[r#"
        fmt.printf("%d-%s", 4, "x") => "4-x"
        fmt.printf("%f", 42.0) => "42"
        fmt.printf("%v", 1000000.0) => "1000000"
        fmt.printf("%f", 0.0000001) => "0.0000001"
        fmt.printf("%v", "a") => "a"
        fmt.printf("%v", ["a", "b"]) => "[\"a\", \"b\"]"
        fmt.printf("%v", {"b": 1, "a": 2}) => "{\"a\": 2, \"b\": 1}"
        fmt.printf("%v", {10: "x", 9: "y"}) => "{9: \"y\", 10: \"x\"}"
        fmt.printf("%v", struct{x: 1.5; y: [true]}) => "struct{x: 1.5; y: [true]}"
        fmt.printf("%q", "tab\there") => "\"tab\\there\""
        fmt.printf("%T %T", 1, [struct{a: "x"}]) => "int []struct{a str}"
        fmt.printf("100%%") => "100%"
        fmt.printf("a%") => "a"
        fmt.printf("%5d", 1) => fatal: invalid format string at 1
        fmt.printf("%d", "x") => fatal: unexpected type: base kind does not match (int != str)
        fmt.printf("%s") => fatal: more specifiers (1) than values (0)
        fmt.printf("x", 1) => "x"
        fmt.printf("é %s", "é") => "é é"
    "#]]);
}

#[test]
fn convert() {
    check(expect![[r#"
        convert.parse_bool("T") => true
        convert.parse_bool("yes") => catchable: invalid bool: `yes`
        convert.format_bool(false) => "false"
        convert.str_to_int("-007") => -7
        convert.str_to_int(" 7") => catchable: strconv.ParseInt: parsing " 7": invalid syntax
        convert.str_to_int("9223372036854775808") => catchable: strconv.ParseInt: parsing "9223372036854775808": value out of range
        convert.str_to_float("1e3") => 1000
        convert.str_to_float("1,5") => catchable: strconv.ParseFloat: parsing "1,5": invalid syntax
        convert.str_to_float("1e999") => catchable: strconv.ParseFloat: parsing "1e999": value out of range
        convert.to_int(-2.9) => -2
        convert.to_int(NaN) => -9223372036854775808
        convert.to_int(1000000000000000000000.0) => -9223372036854775808
        convert.to_float(3) => 3
        convert.int_to_str(-42) => "-42"
    "#]]);
}

#[test]
fn strings() {
    check(expect![[r#"
        strings.split("a,,b,", ",") => ["a", "", "b", ""]
        strings.split("", ",") => [""]
        strings.split("é1", "") => ["é", "1"]
        strings.split("", "") => []
        strings.substr("hello", 1, 3) => "el"
        strings.substr("hello", 5, 5) => ""
        strings.substr("hello", 3, 9) => catchable: low/high out of range
        strings.substr("hello", 3, 2) => catchable: low/high out of range
        strings.substr("hello", -1, 2) => catchable: low/high out of range
        strings.substr("日本", 0, 3) => "日"
        strings.left_pad("7", "0", 3) => "007"
        strings.left_pad("7", "ab", 4) => "abab7"
        strings.left_pad("7", "", 4) => "7"
        strings.right_pad("abcd", "-", 2) => "abcd"
        strings.right_pad("a", "-", 3) => "a--"
        strings.replace_all("aaa", "aa", "b") => "ba"
        strings.replace_all("abc", "", "-") => "-a-b-c-"
        strings.join_nonempty(["a", "", " ", "b"], ",") => "a, ,b"
        strings.to_upper("straße") => "STRAßE"
        strings.to_lower("ÀÉ") => "àé"
        strings.trim_space("\t x y \n") => "x y"
        strings.trim_space("\u{85}\u{a0}x\u{200b}") => "x\u200b"
        strings.contains("abc", "") => true
        strings.has_prefix("abc", "bc") => false
        strings.has_suffix("abc", "bc") => true
    "#]]);
}

#[test]
fn regexp() {
    check(expect![[r#"
        regexp.match("^[0-9]+$", "12a") => false
        regexp.match("o", "foo") => true
        regexp.match("a(b", "x") => fatal: pattern did not compile: error parsing regexp: missing closing ): `a(b`
        regexp.match("(?=x)", "x") => fatal: pattern did not compile: error parsing regexp: invalid or unsupported Perl syntax: `(?=`
        regexp.match("(a)\\1", "aa") => fatal: pattern did not compile: error parsing regexp: invalid escape sequence: `\1`
        regexp.match("a)", "x") => fatal: pattern did not compile: error parsing regexp: unexpected ): `a)`
        regexp.match("*", "x") => fatal: pattern did not compile: error parsing regexp: missing argument to repetition operator: `*`
        regexp.match("a**", "x") => fatal: pattern did not compile: error parsing regexp: invalid nested repetition operator: `**`
        regexp.match("[z-a]", "x") => fatal: pattern did not compile: error parsing regexp: invalid character class range: `z-a`
        regexp.match("[a", "x") => fatal: pattern did not compile: error parsing regexp: missing closing ]: `[a`
        regexp.match("a{1001}", "x") => fatal: pattern did not compile: error parsing regexp: invalid repeat count: `{1001}`
        regexp.match("a\\", "x") => fatal: pattern did not compile: error parsing regexp: trailing backslash at end of expression: ``
        regexp.match("^\\d$", "٣") => false
        regexp.match("^\\w$", "é") => false
        regexp.match("^\\pL$", "é") => true
        regexp.match("\\p{Foo}", "é") => fatal: pattern did not compile: error parsing regexp: invalid character class range: `\p{Foo}`
        regexp.match("^\\p{^Greek}$", "a") => true
        regexp.match("^[\\p{^Greek}]$", "α") => false
        regexp.match("^[[:alpha:]]{2}$", "ab") => true
        regexp.match("^[]a]+$", "]a") => true
        regexp.match("^[a&&b]$", "&") => true
        regexp.match("^[[a]$", "[") => true
        regexp.match("^\\Qa.b\\E$", "a.b") => true
        regexp.match("^\\Qa.b\\E$", "axb") => false
        regexp.match("a{,2}", "a{,2}") => true
        regexp.match("(?i)STRASSE", "strasse") => true
        regexp.match("(?P<n>a)(?<m>b)", "ab") => true
        regexp.match("^.$", "\n") => false
        regexp.match("(?s)^.$", "\n") => true
        regexp.match("(?m)^b$", "a\nb") => true
        regexp.match("^b$", "a\nb") => false
        regexp.match("\\bfoo\\b", "a foo b") => true
    "#]]);
}

#[test]
fn lists_and_maps() {
    check(expect![[r#"
        list.concat([1], [], [2, 3]) => [1, 2, 3]
        list.lookup(["a"], 1) => catchable: list index not present, got: 1, len is: 1, in: ["a"]
        map.lookup({"a": 1}, "a") => 1
        map.keys({"b": 1, "a": 2}) => ["a", "b"]
        map.values({"b": 1, "a": 2}) => [2, 1]
        iter.range(4) => [0, 1, 2, 3]
        iter.range(2, 5) => [2, 3, 4]
        iter.range(0, 10, 4) => [0, 4, 8]
        iter.range(3, 0, -1) => [3, 2, 1]
        iter.range(3, 0) => []
        iter.range(0, 5, 0) => fatal: step value cannot be 0
        iter.range(9223372036854775806, 9223372036854775807, 5) => [9223372036854775806]
        iter.range(-9223372036854775808, 9223372036854775807, 9223372036854775807) => [-9223372036854775808, -1, 9223372036854775806]
        iter.range(100000000) => fatal: range of 100000000 elements exceeds the limit of 10000000
        iter.flatten([[1], [], [2, 3]]) => [1, 2, 3]
    "#]]);
}

#[test]
fn math() {
    check(expect![[r#"
        math.mod(7, 3) => 1
        math.mod(-7, 3) => -1
        math.mod(7, -3) => 1
        math.mod(5.5, 2.0) => 1.5
        math.mod(1, 0) => catchable: result is not a number
        math.mod(1.0, 0.0) => catchable: result is not a number
        math.mod(9007199254740993, 10) => 3
        math.mod(-9223372036854775808, -1) => 0
        math.pow(2.0, 10.0) => 1024
        math.pow(0.0, -1.0) => catchable: result is positive infinity
        math.pow(-8.0, 0.5) => catchable: result is not a number
        math.sqrt(2.0) => 1.4142135623730951
        math.sqrt(-1.0) => catchable: result is not a number
        math.minus1(0) => -1
        math.fortytwo(): int => 42
        math.fortytwo(): float => 42
    "#]]);
}

#[test]
fn golang() {
    check(expect![[r#"
        golang/strings.index("é1", "1") => 2
        golang/strings.count("cheese", "e") => 3
        golang/strings.count("five", "") => 5
        golang/strings.join(["a", "b"], "-") => "a-b"
        golang/strings.replace("oink oink oink", "k", "ky", 2) => "oinky oinky oink"
        golang/strings.replace("ab", "", "-", 2) => "-a-b"
        golang/strings.repeat("x", -1) => fatal: panic in process: strings: negative Repeat count
        golang/strings.repeat("ab", 2) => "abab"
        golang/strings.title("hello-world foo_bar") => "Hello-World Foo_bar"
        golang/strings.trim("xxhixx", "x") => "hi"
        golang/strings.trim_suffix("a/b/", "/") => "a/b"
        golang/strings.compare("a", "b") => -1
        golang/strings.equal_fold("Go", "GO") => true
        golang/strings.last_index_any("golang", "gn") => 5
        golang/strings.to_valid_utf_8("a\xff\xfeb", "?") => "a?b"
        golang/math.atan_2(1.0, 1.0) => 0.7853981633974483
        golang/math.round(-2.5) => -3
        golang/math.round_to_even(2.5) => 2
        golang/math.remainder(5.0, 3.0) => -1
        golang/math.sqrt(-1.0) => NaN
        golang/math.pow_10(400) => +Inf
        golang/math.is_na_n(NaN) => true
        golang/math.max(NaN, Inf) => +Inf
        golang/math.min(NaN, 1.0) => NaN
        golang/math.ilogb(8.0) => 3
        golang/math.fma(2.0, 3.0, 4.0) => 10
        golang/path.base("") => "."
        golang/path.base("///") => "/"
        golang/path.base("a/b/") => "b"
        golang/path.clean("a/../../b//c") => "../b/c"
        golang/path.clean("/..") => "/"
        golang/path.dir("/a/b") => "/a"
        golang/path.dir("a") => "."
        golang/path.join(["a", "", "../b"]) => "b"
        golang/path.join(["", ""]) => ""
        golang/path.match("*.go", "a/b.go") => false
        golang/path.match("a*b*c", "aXbbYc") => true
        golang/path.match("[^a-c]?", "dx") => true
        golang/path.match("[", "a") => fatal: syntax error in pattern
        golang/path.match("[]a]", "a") => fatal: syntax error in pattern
        golang/path.ext("a.tar.gz") => ".gz"
        golang/path/filepath.rel("/a/b", "/a/c/d") => "../c/d"
        golang/path/filepath.rel("a", "a") => "."
        golang/path/filepath.rel("/a", "b") => fatal: Rel: can't make b relative to /a
        golang/path/filepath.rel("../a", "b") => fatal: Rel: can't make b relative to ../a
        golang/path/filepath.is_local("../a") => false
        golang/path/filepath.is_local("a/../b") => true
        golang/path/filepath.localize("a//b") => fatal: invalid path
        golang/strconv.format_int(255, 16) => "ff"
        golang/strconv.format_int(1, 99) => fatal: panic in process: strconv: illegal AppendInt/FormatInt base
        golang/strconv.parse_int("0x1f", 0, 64) => 31
        golang/strconv.parse_int("300", 10, 8) => fatal: strconv.ParseInt: parsing "300": value out of range
        golang/strconv.parse_float("3.14159", 32) => 3.141590118408203
        golang/strconv.atoi("x") => fatal: strconv.Atoi: parsing "x": invalid syntax
        golang/strconv.unquote("abc") => fatal: invalid syntax
        golang/strconv.unquote("\"a\\tb\\x41\\u00e9\"") => "a\tbAé"
        golang/strconv.unquote("'x'") => "x"
        golang/strconv.unquote("`a\\n`") => "a\\n"
        golang/strconv.quoted_prefix("\"a\" rest") => "\"a\""
        golang/strconv.quote_to_ascii("é") => "\"\\u00e9\""
        golang/strconv.can_backquote("a`") => false
        golang/html.escape_string("<a>'&'") => "&lt;a&gt;&#39;&amp;&#39;"
        golang/html.unescape_string("&lt;&eacute;&bogus;") => "<é&bogus;"
        golang/html.unescape_string("&notit; &#233; &#x80; &#0;1 &amp") => "¬it; é € �1 &"
    "#]]);
}

#[test]
fn encoding() {
    check(expect![[r#"
        encoding.base64_encode("") => ""
        encoding.base64_encode("a") => "YQ=="
        encoding.base64_decode("YWI=") => "ab"
        encoding.base64_decode("Y\nWI\r\n=") => "ab"
        encoding.base64_decode("YWJ=") => "ab"
        encoding.base64_decode("YWI") => fatal: could not decode base64: illegal base64 data at input byte 0
        encoding.base64_decode("YWJjYWI") => fatal: could not decode base64: illegal base64 data at input byte 4
        encoding.base64_decode("YW!j") => fatal: could not decode base64: illegal base64 data at input byte 2
        encoding.base64_decode("YWI=YWI=") => fatal: could not decode base64: illegal base64 data at input byte 4
        encoding.base64_decode("=") => fatal: could not decode base64: illegal base64 data at input byte 0
        encoding.base64_decode("YQ=x") => fatal: could not decode base64: illegal base64 data at input byte 3
        encoding.base64_decode("YQ=") => fatal: could not decode base64: illegal base64 data at input byte 3
        encoding.decode_json("[1, 2]"): []int => [1, 2]
        encoding.decode_json("{\"a\": 1}"): struct{a int} => struct{a: 1}
        encoding.decode_json("{\"a\": 1}"): struct{a int; b str} => fatal: incompatible number of fields
        encoding.decode_json("{\"a\": 1}"): struct{b int} => fatal: field b was not found in struct
        encoding.decode_json("1.0"): int => fatal: num doesn't contain int64
        encoding.decode_json("1e2"): float => 100
        encoding.decode_json("1e999"): float => fatal: num doesn't contain float64
        encoding.decode_json("null"): str => fatal: type doesn't match str
        encoding.decode_json(""): str => fatal: invalid JSON: EOF
        encoding.decode_json("\"x\" junk"): str => "x"
        encoding.decode_json("{\"a\": 1, \"a\": 2}"): map{str: int} => {"a": 2}
        encoding.decode_json("{\"1\": 2}"): map{int: int} => fatal: type doesn't match int
        encoding.decode_json("["): []int => fatal: invalid JSON: unexpected EOF
        encoding.decode_json("[1,]"): []int => fatal: invalid JSON: invalid character ']' looking for beginning of value
        encoding.decode_json("[1 2]"): []int => fatal: invalid JSON: invalid character '2' after array element
        encoding.decode_json("{1:2}"): map{str: int} => fatal: invalid JSON: invalid character '1' looking for beginning of object key string
        encoding.decode_json("nul"): str => fatal: invalid JSON: unexpected EOF
        encoding.decode_json("nulx"): str => fatal: invalid JSON: invalid character 'x' in literal null (expecting 'l')
        encoding.decode_json("\"\\ud83d\\ude00 \\ud83d \\u00e9\""): str => "😀 � é"
        encoding.decode_json("[[], [[1]], []]"): [][][]int => [[], [[1]], []]
        encoding.decode_json("{\"a\": {\"b\": []}, \"c\": {}}"): map{str: map{str: []int}} => {"a": {"b": []}, "c": {}}
        encoding.decode_json_flexible("{\"a\": 1, \"z\": 9}"): struct{a int; b str} => struct{a: 1; b: ""}
        encoding.decode_json("1", "str"): int => fatal: incompatible types: str and int
        encoding.decode_json("1", "nonsense"): int => 1
    "#]]);
}

#[test]
fn net() {
    check(expect![[r#"
        net.cidr_to_ip(" 192.168.42.13/24 ") => "192.168.42.13"
        net.cidr_to_ip("10.0.0.1") => catchable: invalid CIDR address: 10.0.0.1
        net.cidr_to_ip("010.0.0.1/8") => catchable: invalid CIDR address: 010.0.0.1/8
        net.cidr_to_prefix("10.0.0.0/8") => "8"
        net.cidr_to_mask("192.0.2.12/13") => "255.248.0.0"
        net.cidr_to_mask("2001:db8::/32") => "ffff:ffff::"
        net.cidr_to_mask("::/0") => "::"
        net.cidr_to_network("192.168.42.13/24") => "192.168.42.0/24"
        net.cidr_to_network("1.2.3.4/0") => "0.0.0.0/0"
        net.cidr_to_first("192.168.42.0/24") => "192.168.42.1"
        net.cidr_to_first("192.168.42.13/24") => "192.168.42.14"
        net.cidr_to_first("10.0.0.1/32") => catchable: no usable next address
        net.cidr_to_first("255.255.255.255/8") => catchable: no usable next address
        net.cidr_to_first("10.0.0.1") => catchable: netip.ParsePrefix("10.0.0.1"): no '/'
        net.cidr_to_first("10.0.0.1/33") => catchable: netip.ParsePrefix("10.0.0.1/33"): prefix length out of range
        net.cidr_to_first(" 10.0.0.1/8") => catchable: netip.ParsePrefix(" 10.0.0.1/8"): ParseAddr(" 10.0.0.1"): unexpected character (at " 10.0.0.1")
        net.cidr_to_last("192.168.42.13/24") => "192.168.42.255"
        net.cidr_to_last("10.1.2.3/32") => "10.1.2.3"
        net.cidr_to_last("2001:db8::/64") => "2001:db8::ffff:ffff:ffff:ffff"
        net.ip_in_cidr("10.5.5.5", "10.0.0.0/8") => true
        net.ip_in_cidr("::ffff:10.5.5.5", "10.0.0.0/8") => true
        net.ip_in_cidr("10.5.5.5", "::/0") => false
        net.ip_in_cidr("10.0.0.256", "10.0.0.0/8") => catchable: invalid IP: 10.0.0.256
        net.is_mac("01:23:45:67:89:AB") => false
        net.is_mac("01:23:45:67:89:ab") => true
        net.macfmt("01-23-45-67-89-AB") => "01:23:45:67:89:ab"
        net.macfmt("0123.4567.89ab") => catchable: invalid MAC address length: 0123.4567.89ab
        net.macfmt("01-23:45-67-89-AB") => catchable: address 01-23:45-67-89-AB: invalid MAC address
        net.oldmacfmt("01:23:45:67:89:AB") => "01-23-45-67-89-ab"
        net.split_hostport("[::1]:443") => struct{host: "::1"; port: "443"}
        net.split_hostport("host:") => struct{host: "host"; port: ""}
        net.split_hostport("host") => catchable: error parsing the input: address host: missing port in address
        net.split_hostport("::1") => catchable: error parsing the input: address ::1: too many colons in address
        net.url_parser("HTTPS://u:p@ex.com:8080/a%20b?q=1#f") => struct{scheme: "https"; host: "ex.com:8080"; path: "/a b"; raw_query: "q=1"}
        net.url_parser("mailto:x") => struct{scheme: "mailto"; host: ""; path: ""; raw_query: ""}
        net.url_parser("/path") => catchable: empty schemes are invalid
        net.url_parser(":x") => catchable: error parsing the URL: parse ":x": missing protocol scheme
        net.url_parser("http://h/%zz") => catchable: error parsing the URL: parse "http://h/%zz": invalid URL escape "%zz"
        net.url_parser("http://h:x/") => catchable: error parsing the URL: parse "http://h:x/": invalid port ":x" after host
    "#]]);
}

#[test]
fn other_modules() {
    check(expect![[r#"
        example.answer() => 42
        example.str2int("99999999999999999999") => 0
        example.plus("a", "b") => "ab"
        example.errorbool(true) => fatal: we errored on request
        example/nested.hello() => "Hello!"
        deploy.bootstrap_packages("fedora") => ["augeas-devel", "libvirt-devel", "PackageKit"]
        deploy.bootstrap_packages("x") => fatal: missing distro
        deploy.abspath("x") => fatal: path was not absolute, got: `x`
        deploy.abspath("/x") => "/x"
        os.parse_distro_uid("fedora39-x86_64") => struct{distro: "fedora"; version: "39"; arch: "x86_64"}
        os.parse_distro_uid("ubuntu22.04-x86_64") => struct{distro: "ubuntu22."; version: "04"; arch: "x86_64"}
        os.parse_distro_uid("fedora-x86_64") => struct{distro: ""; version: ""; arch: ""}
        datetime.weekday(-1) => fatal: epoch delta must be positive
        sys.getenv("MCL_NOT_SET_X") => catchable: environment variable not set: MCL_NOT_SET_X
    "#]]);
}

#[test]
fn deeply_nested_json_is_an_error() {
    let decode = |text: &str| outcome("encoding.decode_json", &format!("\"{text}\""), Some(Type::list(Type::Int)));
    assert_eq!(decode(&"[".repeat(1_000_000)), "fatal: invalid JSON: exceeded max depth");
    assert_eq!(decode(&format!("{}{}", "[".repeat(9000), "]".repeat(9000))), "fatal: type doesn't match int");
}
