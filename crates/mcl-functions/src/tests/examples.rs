//! The worked examples of spec 03 §10, and the corners beside them.

use super::{check, check_typed};

#[test]
fn operators() {
    for (args, expected) in [
        (r#""+", 1, 2"#, "3"),
        (r#""+", 9223372036854775807, 1"#, "-9223372036854775808"),
        (r#""*", 9223372036854775807, 2"#, "-2"),
        (r#""/", 7, 2"#, "3.5"),
        (r#""/", 6, 3"#, "2"),
        (r#""/", 1, 0"#, "C: can't divide by zero"),
        (r#""/", 2.5, 0.0"#, "C: can't divide by zero"),
        (r#""+", "ab", "c""#, r#""abc""#),
        (r#""+", true, false"#, "F: unsupported kind: bool"),
        (r#""<", "a", "b""#, "F: unsupported kind: str"),
        (r#""==", [1, 2], [1, 2]"#, "true"),
        (r#""==", [1, 2], [2, 1]"#, "false"),
        (r#""==", {"a": 1, "b": 2}, {"b": 2, "a": 1}"#, "true"),
        (r#""!=", struct{a: 1}, struct{a: 2}"#, "true"),
        (r#""==", NaN, NaN"#, "false"),
        (r#""!=", NaN, NaN"#, "true"),
        (r#""<", 1, 2"#, "true"),
        (r#"">=", NaN, 1.0"#, "false"),
        (r#""and", true, false"#, "false"),
        (r#""or", true, false"#, "true"),
        (r#""not", true"#, "false"),
        (r#""not", true, false"#, "F: operator has wrong size"),
        (r#""?", 1, 2"#, "F: operator not found"),
    ] {
        check("_operator", args, expected);
    }
}

#[test]
fn lookups_and_lengths() {
    check("contains", "3, [1, 2, 3]", "true");
    check("contains", "[13], [[42], [13]]", "true");
    check("contains", r#""x", []"#, "false");
    check("_lookup", "[10, 20], 1", "20");
    check("_lookup", "[10, 20], 2", "C: list index not present, got: 2, len is: 2, in: [10, 20]");
    check("_lookup", "[10, 20], -1", "C: list index negative, got: -1");
    check("_lookup", r#"{"a": 1}, "b""#, r#"C: map key not present, want: "b" in {"a": 1}"#);
    check("_lookup", r#"{7: "x"}, 7"#, r#""x""#);
    check("_struct_lookup", r#"struct{a: 1}, "a""#, "1");
    check("_struct_lookup", r#"struct{a: 1}, "b""#, "F: could not lookup field: `b` in struct");
    check("_struct_lookup_optional", r#"struct{a: 1}, "zz", "d""#, r#""d""#);
    check("_struct_lookup_optional", r#"struct{a: 1}, "a", 2"#, "1");
    check("len", r#""héllo""#, "6");
    check("len", "[]", "0");
    check("len", r#"{1: "a", 2: "b"}"#, "2");
    check("list_lookup", r#"["p", "q"], 0"#, r#""p""#);
    check("map_lookup", r#"{"k": true}, "k""#, "true");
    check("map_lookup", "{-0.0: 1}, 0.0", "1");
    check("concat", r#""", "x""#, r#""x""#);
    check("panic", "false", "false");
    check("panic", r#""""#, "false");
    check("panic", "true", "F: bool panic occurred");
    check("panic", r#""x""#, "F: str panic occurred: x");
    check("panic_debug", r#"true, "m""#, "F: bool panic occurred: m");
    check("panic_debug", r#"false, "m""#, "false");
}

#[test]
fn printf() {
    for (args, expected) in [
        (r#""%d-%s", 4, "x""#, r#""4-x""#),
        (r#""%f", 42.0"#, r#""42""#),
        (r#""%v", 1000000.0"#, r#""1000000""#),
        (r#""%f", 0.0000001"#, r#""0.0000001""#),
        (r#""%v", "a""#, r#""a""#),
        (r#""%v", ["a", "b"]"#, r#""[\"a\", \"b\"]""#),
        (r#""%v", {"b": 1, "a": 2}"#, r#""{\"a\": 2, \"b\": 1}""#),
        (r#""%v", {10: "x", 9: "y"}"#, r#""{9: \"y\", 10: \"x\"}""#),
        (r#""%v", struct{x: 1.5; y: [true]}"#, r#""struct{x: 1.5; y: [true]}""#),
        (r#""%q", "tab\there""#, r#""\"tab\\there\"""#),
        (r#""%T %T", 1, [struct{a: "x"}]"#, r#""int []struct{a str}""#),
        (r#""100%%""#, r#""100%""#),
        (r#""a%""#, r#""a""#),
        (r#""%5d", 1"#, "F: invalid format string at 1"),
        (r#""%d", "x""#, "F: unexpected type: base kind does not match (int != str)"),
        (r#""%s""#, "F: more specifiers (1) than values (0)"),
        (r#""x", 1"#, r#""x""#),
        (r#""é %s", "é""#, r#""é é""#),
    ] {
        check("fmt.printf", args, expected);
    }
}

#[test]
fn convert() {
    check("convert.parse_bool", r#""T""#, "true");
    check("convert.parse_bool", r#""yes""#, "C: invalid bool: `yes`");
    check("convert.format_bool", "false", r#""false""#);
    check("convert.str_to_int", r#""-007""#, "-7");
    check("convert.str_to_int", r#"" 7""#, r#"C: strconv.ParseInt: parsing " 7": invalid syntax"#);
    check(
        "convert.str_to_int",
        r#""9223372036854775808""#,
        r#"C: strconv.ParseInt: parsing "9223372036854775808": value out of range"#,
    );
    check("convert.str_to_float", r#""1e3""#, "1000");
    check("convert.str_to_float", r#""1,5""#, r#"C: strconv.ParseFloat: parsing "1,5": invalid syntax"#);
    check("convert.str_to_float", r#""1e999""#, r#"C: strconv.ParseFloat: parsing "1e999": value out of range"#);
    check("convert.to_int", "-2.9", "-2");
    check("convert.to_int", "NaN", "-9223372036854775808");
    check("convert.to_int", "1000000000000000000000.0", "-9223372036854775808");
    check("convert.to_float", "3", "3");
    check("convert.int_to_str", "-42", r#""-42""#);
}

#[test]
fn strings() {
    check("strings.split", r#""a,,b,", ",""#, r#"["a", "", "b", ""]"#);
    check("strings.split", r#""", ",""#, r#"[""]"#);
    check("strings.split", r#""é1", """#, r#"["é", "1"]"#);
    check("strings.split", r#""", """#, "[]");
    check("strings.substr", r#""hello", 1, 3"#, r#""el""#);
    check("strings.substr", r#""hello", 5, 5"#, r#""""#);
    check("strings.substr", r#""hello", 3, 9"#, "C: low/high out of range");
    check("strings.substr", r#""hello", 3, 2"#, "C: low/high out of range");
    check("strings.substr", r#""hello", -1, 2"#, "C: low/high out of range");
    check("strings.substr", r#""日本", 0, 3"#, r#""日""#);
    check("strings.left_pad", r#""7", "0", 3"#, r#""007""#);
    check("strings.left_pad", r#""7", "ab", 4"#, r#""abab7""#);
    check("strings.left_pad", r#""7", "", 4"#, r#""7""#);
    check("strings.right_pad", r#""abcd", "-", 2"#, r#""abcd""#);
    check("strings.right_pad", r#""a", "-", 3"#, r#""a--""#);
    check("strings.replace_all", r#""aaa", "aa", "b""#, r#""ba""#);
    check("strings.replace_all", r#""abc", "", "-""#, r#""-a-b-c-""#);
    check("strings.join_nonempty", r#"["a", "", " ", "b"], ",""#, r#""a, ,b""#);
    check("strings.to_upper", r#""straße""#, r#""STRAßE""#);
    check("strings.to_lower", r#""ÀÉ""#, r#""àé""#);
    check("strings.trim_space", r#""\t x y \n""#, r#""x y""#);
    check("strings.trim_space", r#""\u{85}\u{a0}x\u{200b}""#, r#""x\u200b""#);
    check("strings.contains", r#""abc", """#, "true");
    check("strings.has_prefix", r#""abc", "bc""#, "false");
    check("strings.has_suffix", r#""abc", "bc""#, "true");
}

#[test]
fn regexp() {
    for (pattern, text, expected) in [
        ("^[0-9]+$", "12a", "false"),
        ("o", "foo", "true"),
        ("a(b", "x", "F: pattern did not compile: error parsing regexp: missing closing ): `a(b`"),
        ("(?=x)", "x", "F: pattern did not compile: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"),
        (r"(a)\\1", "aa", r"F: pattern did not compile: error parsing regexp: invalid escape sequence: `\1`"),
        ("a)", "x", "F: pattern did not compile: error parsing regexp: unexpected ): `a)`"),
        ("*", "x", "F: pattern did not compile: error parsing regexp: missing argument to repetition operator: `*`"),
        ("a**", "x", "F: pattern did not compile: error parsing regexp: invalid nested repetition operator: `**`"),
        ("[z-a]", "x", "F: pattern did not compile: error parsing regexp: invalid character class range: `z-a`"),
        ("[a", "x", "F: pattern did not compile: error parsing regexp: missing closing ]: `[a`"),
        ("a{1001}", "x", "F: pattern did not compile: error parsing regexp: invalid repeat count: `{1001}`"),
        (r"a\\", "x", "F: pattern did not compile: error parsing regexp: trailing backslash at end of expression: ``"),
        (r"^\\d$", "٣", "false"),
        (r"^\\w$", "é", "false"),
        (r"^\\pL$", "é", "true"),
        (
            r"\\p{Foo}",
            "é",
            r"F: pattern did not compile: error parsing regexp: invalid character class range: `\p{Foo}`",
        ),
        (r"^\\p{^Greek}$", "a", "true"),
        (r"^[\\p{^Greek}]$", "α", "false"),
        ("^[[:alpha:]]{2}$", "ab", "true"),
        ("^[]a]+$", "]a", "true"),
        ("^[a&&b]$", "&", "true"),
        ("^[[a]$", "[", "true"),
        (r"^\\Qa.b\\E$", "a.b", "true"),
        (r"^\\Qa.b\\E$", "axb", "false"),
        ("a{,2}", "a{,2}", "true"),
        ("(?i)STRASSE", "strasse", "true"),
        ("(?P<n>a)(?<m>b)", "ab", "true"),
        ("^.$", r"\n", "false"),
        ("(?s)^.$", r"\n", "true"),
        ("(?m)^b$", r"a\nb", "true"),
        ("^b$", r"a\nb", "false"),
        (r"\\bfoo\\b", "a foo b", "true"),
    ] {
        check("regexp.match", &format!("\"{pattern}\", \"{text}\""), expected);
    }
}

#[test]
fn lists_and_maps() {
    check("list.concat", "[1], [], [2, 3]", "[1, 2, 3]");
    check("list.lookup", r#"["a"], 1"#, r#"C: list index not present, got: 1, len is: 1, in: ["a"]"#);
    check("map.lookup", r#"{"a": 1}, "a""#, "1");
    check("map.keys", r#"{"b": 1, "a": 2}"#, r#"["a", "b"]"#);
    check("map.values", r#"{"b": 1, "a": 2}"#, "[2, 1]");
    check("iter.range", "4", "[0, 1, 2, 3]");
    check("iter.range", "2, 5", "[2, 3, 4]");
    check("iter.range", "0, 10, 4", "[0, 4, 8]");
    check("iter.range", "3, 0, -1", "[3, 2, 1]");
    check("iter.range", "3, 0", "[]");
    check("iter.range", "0, 5, 0", "F: step value cannot be 0");
    check("iter.range", "9223372036854775806, 9223372036854775807, 5", "[9223372036854775806]");
    check(
        "iter.range",
        "-9223372036854775808, 9223372036854775807, 9223372036854775807",
        "[-9223372036854775808, -1, 9223372036854775806]",
    );
    check("iter.range", "100000000", "F: the range has 100000000 elements, more than 10000000");
    check("iter.flatten", "[[1], [], [2, 3]]", "[1, 2, 3]");
}

#[test]
fn math() {
    check("math.mod", "7, 3", "1");
    check("math.mod", "-7, 3", "-1");
    check("math.mod", "7, -3", "1");
    check("math.mod", "5.5, 2.0", "1.5");
    check("math.mod", "1, 0", "C: result is not a number");
    check("math.mod", "1.0, 0.0", "C: result is not a number");
    check("math.mod", "9007199254740993, 10", "3");
    check("math.mod", "-9223372036854775808, -1", "0");
    check("math.pow", "2.0, 10.0", "1024");
    check("math.pow", "0.0, -1.0", "C: result is positive infinity");
    check("math.pow", "-8.0, 0.5", "C: result is not a number");
    check("math.sqrt", "2.0", "1.4142135623730951");
    check("math.sqrt", "-1.0", "C: result is not a number");
    check("math.minus1", "0", "-1");
    check_typed("math.fortytwo", "", "int", "42");
    check_typed("math.fortytwo", "", "float", "42");
}

#[test]
fn golang() {
    for (name, args, expected) in [
        ("strings.index", r#""é1", "1""#, "2"),
        ("strings.count", r#""cheese", "e""#, "3"),
        ("strings.count", r#""five", """#, "5"),
        ("strings.join", r#"["a", "b"], "-""#, r#""a-b""#),
        ("strings.replace", r#""oink oink oink", "k", "ky", 2"#, r#""oinky oinky oink""#),
        ("strings.replace", r#""ab", "", "-", 2"#, r#""-a-b""#),
        ("strings.repeat", r#""x", -1"#, "F: panic in process: strings: negative Repeat count"),
        ("strings.repeat", r#""ab", 2"#, r#""abab""#),
        ("strings.title", r#""hello-world foo_bar""#, r#""Hello-World Foo_bar""#),
        ("strings.trim", r#""xxhixx", "x""#, r#""hi""#),
        ("strings.trim_suffix", r#""a/b/", "/""#, r#""a/b""#),
        ("strings.compare", r#""a", "b""#, "-1"),
        ("strings.equal_fold", r#""Go", "GO""#, "true"),
        ("strings.last_index_any", r#""golang", "gn""#, "5"),
        ("strings.to_valid_utf_8", r#""a\xff\xfeb", "?""#, r#""a?b""#),
        ("math.atan_2", "1.0, 1.0", "0.7853981633974483"),
        ("math.round", "-2.5", "-3"),
        ("math.round_to_even", "2.5", "2"),
        ("math.remainder", "5.0, 3.0", "-1"),
        ("math.sqrt", "-1.0", "NaN"),
        ("math.pow_10", "400", "+Inf"),
        ("math.is_na_n", "NaN", "true"),
        ("math.max", "NaN, Inf", "+Inf"),
        ("math.min", "NaN, 1.0", "NaN"),
        ("math.ilogb", "8.0", "3"),
        ("math.fma", "2.0, 3.0, 4.0", "10"),
        ("path.base", r#""""#, r#"".""#),
        ("path.base", r#""///""#, r#""/""#),
        ("path.base", r#""a/b/""#, r#""b""#),
        ("path.clean", r#""a/../../b//c""#, r#""../b/c""#),
        ("path.clean", r#""/..""#, r#""/""#),
        ("path.dir", r#""/a/b""#, r#""/a""#),
        ("path.dir", r#""a""#, r#"".""#),
        ("path.join", r#"["a", "", "../b"]"#, r#""b""#),
        ("path.join", r#"["", ""]"#, r#""""#),
        ("path.match", r#""*.go", "a/b.go""#, "false"),
        ("path.match", r#""a*b*c", "aXbbYc""#, "true"),
        ("path.match", r#""[^a-c]?", "dx""#, "true"),
        ("path.match", r#""[", "a""#, "F: syntax error in pattern"),
        ("path.match", r#""[]a]", "a""#, "F: syntax error in pattern"),
        ("path.ext", r#""a.tar.gz""#, r#"".gz""#),
        ("path/filepath.rel", r#""/a/b", "/a/c/d""#, r#""../c/d""#),
        ("path/filepath.rel", r#""a", "a""#, r#"".""#),
        ("path/filepath.rel", r#""/a", "b""#, "F: Rel: can't make b relative to /a"),
        ("path/filepath.rel", r#""../a", "b""#, "F: Rel: can't make b relative to ../a"),
        ("path/filepath.is_local", r#""../a""#, "false"),
        ("path/filepath.is_local", r#""a/../b""#, "true"),
        ("path/filepath.localize", r#""a//b""#, "F: invalid path"),
        ("strconv.format_int", "255, 16", r#""ff""#),
        ("strconv.format_int", "1, 99", "F: panic in process: strconv: illegal AppendInt/FormatInt base"),
        ("strconv.parse_int", r#""0x1f", 0, 64"#, "31"),
        ("strconv.parse_int", r#""300", 10, 8"#, r#"F: strconv.ParseInt: parsing "300": value out of range"#),
        ("strconv.parse_float", r#""3.14159", 32"#, "3.141590118408203"),
        ("strconv.atoi", r#""x""#, r#"F: strconv.Atoi: parsing "x": invalid syntax"#),
        ("strconv.unquote", r#""abc""#, "F: invalid syntax"),
        ("strconv.unquote", r#""\"a\\tb\\x41\\u00e9\"""#, r#""a\tbAé""#),
        ("strconv.unquote", r#""'x'""#, r#""x""#),
        ("strconv.unquote", r#""`a\\n`""#, r#""a\\n""#),
        ("strconv.quoted_prefix", r#""\"a\" rest""#, r#""\"a\"""#),
        ("strconv.quote_to_ascii", r#""é""#, r#""\"\\u00e9\"""#),
        ("strconv.can_backquote", r#""a`""#, "false"),
        ("html.escape_string", r#""<a>'&'""#, r#""&lt;a&gt;&#39;&amp;&#39;""#),
        ("html.unescape_string", r#""&lt;&eacute;&bogus;""#, r#""<é&bogus;""#),
        ("html.unescape_string", r#""&notit; &#233; &#x80; &#0;1 &amp""#, "\"¬it; é € \u{fffd}1 &\""),
    ] {
        check(&format!("golang/{name}"), args, expected);
    }
}

#[test]
fn encoding() {
    check("encoding.base64_encode", r#""""#, r#""""#);
    check("encoding.base64_encode", r#""a""#, r#""YQ==""#);
    check("encoding.base64_decode", r#""YWI=""#, r#""ab""#);
    check("encoding.base64_decode", r#""Y\nWI\r\n=""#, r#""ab""#);
    check("encoding.base64_decode", r#""YWJ=""#, r#""ab""#);
    for (data, at) in [("YWI", 0), ("YWJjYWI", 4), ("YW!j", 2), ("YWI=YWI=", 4), ("=", 0), ("YQ=x", 3), ("YQ=", 3)] {
        let error = format!("F: could not decode base64: illegal base64 data at input byte {at}");
        check("encoding.base64_decode", &format!("\"{data}\""), &error);
    }
    for (data, ty, expected) in [
        ("[1, 2]", "[]int", "[1, 2]"),
        (r#"{\"a\": 1}"#, "struct{a int}", "struct{a: 1}"),
        (r#"{\"a\": 1}"#, "struct{a int; b str}", "F: incompatible number of fields"),
        (r#"{\"a\": 1}"#, "struct{b int}", "F: field b was not found in struct"),
        ("1.0", "int", "F: num doesn't contain int64"),
        ("1e2", "float", "100"),
        ("1e999", "float", "F: num doesn't contain float64"),
        ("null", "str", "F: type doesn't match str"),
        ("", "str", "F: invalid JSON: EOF"),
        (r#"\"x\" junk"#, "str", r#""x""#),
        (r#"{\"a\": 1, \"a\": 2}"#, "map{str: int}", r#"{"a": 2}"#),
        (r#"{\"1\": 2}"#, "map{int: int}", "F: type doesn't match int"),
        ("[", "[]int", "F: invalid JSON: unexpected EOF"),
        ("[1,]", "[]int", "F: invalid JSON: invalid character ']' looking for beginning of value"),
        ("[1 2]", "[]int", "F: invalid JSON: invalid character '2' after array element"),
        ("{1:2}", "map{str: int}", "F: invalid JSON: invalid character '1' looking for beginning of object key string"),
        ("nul", "str", "F: invalid JSON: unexpected EOF"),
        ("nulx", "str", "F: invalid JSON: invalid character 'x' in literal null (expecting 'l')"),
        (r#"\"\\ud83d\\ude00 \\ud83d \\u00e9\""#, "str", "\"😀 \u{fffd} é\""),
        ("[[], [[1]], []]", "[][][]int", "[[], [[1]], []]"),
        (r#"{\"a\": {\"b\": []}, \"c\": {}}"#, "map{str: map{str: []int}}", r#"{"a": {"b": []}, "c": {}}"#),
    ] {
        check_typed("encoding.decode_json", &format!("\"{data}\""), ty, expected);
    }
    check_typed(
        "encoding.decode_json_flexible",
        r#""{\"a\": 1, \"z\": 9}""#,
        "struct{a int; b str}",
        r#"struct{a: 1; b: ""}"#,
    );
    check_typed("encoding.decode_json", r#""1", "str""#, "int", "F: incompatible types: str and int");
    check_typed("encoding.decode_json", r#""1", "nonsense""#, "int", "1");
}

#[test]
fn deeply_nested_json_is_an_error() {
    let deep = "[".repeat(1_000_000);
    check_typed("encoding.decode_json", &format!("\"{deep}\""), "[]int", "F: invalid JSON: exceeded max depth");
    let deep = format!("{}{}", "[".repeat(9000), "]".repeat(9000));
    check_typed("encoding.decode_json", &format!("\"{deep}\""), "[]int", "F: type doesn't match int");
}

#[test]
fn net() {
    for (name, args, expected) in [
        ("cidr_to_ip", r#"" 192.168.42.13/24 ""#, r#""192.168.42.13""#),
        ("cidr_to_ip", r#""10.0.0.1""#, "C: invalid CIDR address: 10.0.0.1"),
        ("cidr_to_ip", r#""010.0.0.1/8""#, "C: invalid CIDR address: 010.0.0.1/8"),
        ("cidr_to_prefix", r#""10.0.0.0/8""#, r#""8""#),
        ("cidr_to_mask", r#""192.0.2.12/13""#, r#""255.248.0.0""#),
        ("cidr_to_mask", r#""2001:db8::/32""#, r#""ffff:ffff::""#),
        ("cidr_to_mask", r#""::/0""#, r#""::""#),
        ("cidr_to_network", r#""192.168.42.13/24""#, r#""192.168.42.0/24""#),
        ("cidr_to_network", r#""1.2.3.4/0""#, r#""0.0.0.0/0""#),
        ("cidr_to_first", r#""192.168.42.0/24""#, r#""192.168.42.1""#),
        ("cidr_to_first", r#""192.168.42.13/24""#, r#""192.168.42.14""#),
        ("cidr_to_first", r#""10.0.0.1/32""#, "C: no usable next address"),
        ("cidr_to_first", r#""255.255.255.255/8""#, "C: no usable next address"),
        ("cidr_to_first", r#""10.0.0.1""#, r#"C: netip.ParsePrefix("10.0.0.1"): no '/'"#),
        ("cidr_to_first", r#""10.0.0.1/33""#, r#"C: netip.ParsePrefix("10.0.0.1/33"): prefix length out of range"#),
        (
            "cidr_to_first",
            r#"" 10.0.0.1/8""#,
            r#"C: netip.ParsePrefix(" 10.0.0.1/8"): ParseAddr(" 10.0.0.1"): unexpected character (at " 10.0.0.1")"#,
        ),
        ("cidr_to_last", r#""192.168.42.13/24""#, r#""192.168.42.255""#),
        ("cidr_to_last", r#""10.1.2.3/32""#, r#""10.1.2.3""#),
        ("cidr_to_last", r#""2001:db8::/64""#, r#""2001:db8::ffff:ffff:ffff:ffff""#),
        ("ip_in_cidr", r#""10.5.5.5", "10.0.0.0/8""#, "true"),
        ("ip_in_cidr", r#""::ffff:10.5.5.5", "10.0.0.0/8""#, "true"),
        ("ip_in_cidr", r#""10.5.5.5", "::/0""#, "false"),
        ("ip_in_cidr", r#""10.0.0.256", "10.0.0.0/8""#, "C: invalid IP: 10.0.0.256"),
        ("is_mac", r#""01:23:45:67:89:AB""#, "false"),
        ("is_mac", r#""01:23:45:67:89:ab""#, "true"),
        ("macfmt", r#""01-23-45-67-89-AB""#, r#""01:23:45:67:89:ab""#),
        ("macfmt", r#""0123.4567.89ab""#, "C: invalid MAC address length: 0123.4567.89ab"),
        ("macfmt", r#""01-23:45-67-89-AB""#, "C: address 01-23:45-67-89-AB: invalid MAC address"),
        ("oldmacfmt", r#""01:23:45:67:89:AB""#, r#""01-23-45-67-89-ab""#),
        ("split_hostport", r#""[::1]:443""#, r#"struct{host: "::1"; port: "443"}"#),
        ("split_hostport", r#""host:""#, r#"struct{host: "host"; port: ""}"#),
        ("split_hostport", r#""host""#, "C: error parsing the input: address host: missing port in address"),
        ("split_hostport", r#""::1""#, "C: error parsing the input: address ::1: too many colons in address"),
        (
            "url_parser",
            r#""HTTPS://u:p@ex.com:8080/a%20b?q=1#f""#,
            r#"struct{scheme: "https"; host: "ex.com:8080"; path: "/a b"; raw_query: "q=1"}"#,
        ),
        ("url_parser", r#""mailto:x""#, r#"struct{scheme: "mailto"; host: ""; path: ""; raw_query: ""}"#),
        ("url_parser", r#""/path""#, "C: empty schemes are invalid"),
        ("url_parser", r#"":x""#, r#"C: error parsing the URL: parse ":x": missing protocol scheme"#),
        (
            "url_parser",
            r#""http://h/%zz""#,
            r#"C: error parsing the URL: parse "http://h/%zz": invalid URL escape "%zz""#,
        ),
        (
            "url_parser",
            r#""http://h:x/""#,
            r#"C: error parsing the URL: parse "http://h:x/": invalid port ":x" after host"#,
        ),
    ] {
        check(&format!("net.{name}"), args, expected);
    }
}

#[test]
fn other_modules() {
    check("example.answer", "", "42");
    check("example.str2int", r#""99999999999999999999""#, "0");
    check("example.plus", r#""a", "b""#, r#""ab""#);
    check("example.errorbool", "true", "F: we errored on request");
    check("example/nested.hello", "", r#""Hello!""#);
    check("deploy.bootstrap_packages", r#""fedora""#, r#"["augeas-devel", "libvirt-devel", "PackageKit"]"#);
    check("deploy.bootstrap_packages", r#""x""#, "F: missing distro");
    check("deploy.abspath", r#""x""#, "F: path was not absolute, got: `x`");
    check("deploy.abspath", r#""/x""#, r#""/x""#);
    check("os.parse_distro_uid", r#""fedora39-x86_64""#, r#"struct{distro: "fedora"; version: "39"; arch: "x86_64"}"#);
    check(
        "os.parse_distro_uid",
        r#""ubuntu22.04-x86_64""#,
        r#"struct{distro: "ubuntu22."; version: "04"; arch: "x86_64"}"#,
    );
    check("os.parse_distro_uid", r#""fedora-x86_64""#, r#"struct{distro: ""; version: ""; arch: ""}"#);
    check("datetime.weekday", "-1", "F: epoch delta must be positive");
    check("sys.getenv", r#""MCL_NOT_SET_X""#, "C: environment variable not set: MCL_NOT_SET_X");
}

#[test]
fn templates() {
    for (args, expected) in [
        (r#""a{{ . }}b", 5"#, r#""a5b""#),
        (r#""{{ .Name }}:{{ .My_port }}", struct{name: "web"; my_port: 80}"#, r#""web:80""#),
        (
            r#""{{ .name }}", struct{name: "web"}"#,
            r#"F: template: execution error: template: template:1:3: executing "template" at <.name>: map has no entry for key "name""#,
        ),
        (r#""{{ .k2 }}", {"k2": 7}"#, r#""7""#),
        (r#""{{ index . \"k-1\" }}", {"k-1": 7}"#, r#""7""#),
        (r#""{{ index . \"zz\" }}", {"k": 7}"#, r#""<no value>""#),
        (r#""{{ . }}", ["x", "y"]"#, r#""[x y]""#),
        (r#""{{ . }}", {"b": 1, "a": 2}"#, r#""map[a:2 b:1]""#),
        (r#""{{ . }}", struct{f: 2500000.0; l: ["a"]}"#, r#""map[F:2.5e+06 L:[a]]""#),
        (r#""{{ . }}""#, r#""<no value>""#),
        (r#""{{ range $i, $v := . }}{{ if $i }},{{ end }}{{ $v }}{{ end }}", [7, 8, 9]"#, r#""7,8,9""#),
        (r#""{{ range $k, $v := . }}{{ $k }}={{ $v }};{{ end }}", {10: "x", 9: "y"}"#, r#""9=y;10=x;""#),
        (r#""{{ range . }}x{{ else }}none{{ end }}", []"#, r#""none""#),
        (r#""{{ range . }}{{ .A }} {{ end }}", [struct{a: 1}, struct{a: 2}]"#, r#""1 2 ""#),
        (r#""a {{- . -}} b", 1"#, r#""a1b""#),
        (r#""{{ if eq .N 80 }}y{{ else }}n{{ end }}", struct{n: 80}"#, r#""y""#),
        (
            r#""{{ eq . 5.0 }}", 5"#,
            r#"F: template: execution error: template: template:1:3: executing "template" at <eq . 5.0>: error calling eq: incompatible types for comparison: int64 and float64"#,
        ),
        (r#""{{ printf \"%03d\" . }}", 7"#, r#""007""#),
        (r#""{{ golang_strings_join . \"+\" }}", ["a", "b"]"#, r#""a+b""#),
        (
            r#""{{ math_minus1 (len .) }}", ["a"]"#,
            r#"F: template: execution error: template: template:1:15: executing "template" at <(len .)>: wrong type for value; expected int64; got int"#,
        ),
        (r#""{{ math_pow 2 3 }}""#, r#""8""#),
        (r#""{{ strings_to_upper . | printf \"<%s>\" }}", "ab""#, r#""<AB>""#),
        (r#""{{ (net_url_parser .).Raw_query }}", "http://h/?a=1""#, r#""a=1""#),
        (r#""{{ nope }}""#, r#"F: template: parse error: template: template:1: function "nope" not defined"#),
        (r#""{{/* c */}}x{{- /* c */ -}} y""#, r#""xy""#),
        (r#""{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}{{ $ }}", 9"#, r#""29""#),
        (r#""{{ with $x := . }}{{ $x }}{{ else }}no{{ end }}", "a""#, r#""a""#),
        (r#""{{ with .A }}a{{ else with .B }}{{ . }}{{ end }}", struct{a: ""; b: "b"}"#, r#""b""#),
        (r#""{{ if false }}1{{ else if true }}2{{ else }}3{{ end }}""#, r#""2""#),
        (
            r#""{{ define \"t\" }}<{{ . }}>{{ end }}{{ template \"t\" 1 }}{{ block \"b\" . }}[{{ . }}]{{ end }}", 2"#,
            r#""<1>[2]""#,
        ),
        (
            r#""{{ range . }}{{ if eq . 2 }}{{ continue }}{{ end }}{{ if eq . 4 }}{{ break }}{{ end }}{{ . }}{{ end }}", [1, 2, 3, 4, 5]"#,
            r#""13""#,
        ),
        (r#""{{ range 3 }}{{ . }}{{ end }}""#, r#""012""#),
        (r#""{{ 1.5 }} {{ 'a' }} {{ 0x1F }} {{ 1_000 }} {{ `r\\n` }} {{-3}}""#, r#""1.5 97 31 1000 r\\n -3""#),
        (r#""{{ and 1 0 2 }} {{ or 0 3 }} {{ not 1 }} {{ 5 | and true }}""#, r#""0 3 false 5""#),
        (r#""{{ len . }} {{ index . 1 }} {{ slice . 1 2 }}", "abc""#, r#""3 98 b""#),
        (r#""{{ print 1 2 \"a\" 3 }}|{{ println 1 \"a\" }}""#, r#""1 2a3|1 a\n""#),
        (
            r#""{{ html \"<a>\" }} {{ js \"'<\\n\" }} {{ urlquery \"a b&\" }}""#,
            r#""&lt;a&gt; \\'\\u003C\\u000A a+b%26""#,
        ),
        (
            r#""{{ printf \"%5d|%-5s|%05.1f|%x|%q|%v|%T|%t|%e|%g|%c|%U\" 7 \"ab\" 2.5 255 \"q\" 1.0 1 true 1234.5 1e7 97 97 }}""#,
            r#""    7|ab   |002.5|ff|\"q\"|1|int|true|1.234500e+03|1e+07|a|U+0061""#,
        ),
        (
            r#""{{ printf \"%d %d\" \"a\" }}|{{ printf \"%d\" 1 2 }}|{{ printf \"%\" }}""#,
            r#""%!d(string=a) %!d(MISSING)|1%!(EXTRA int=2)|%!(NOVERB)""#,
        ),
        (r#""{{ . }}", {struct{z: 1}: "x"}"#, r#""map[{1}:x]""#),
        (r#""{{ range $k, $v := . }}{{ $k.Z }}{{ $v }}{{ end }}", {struct{z: 1}: "x"}"#, r#""1x""#),
        (r#""{{ index (index . 0) \"q\" }}|", [{"a": 1}]"#, r#""0|""#),
        (
            r#""\n {{ .A.Missing }}", struct{a: {"x": 1}}"#,
            r#"F: template: execution error: template: template:2:6: executing "template" at <.A.Missing>: map has no entry for key "Missing""#,
        ),
        (
            r#""{{ .X }}""#,
            r#"F: template: execution error: template: template:1:3: executing "template" at <.X>: nil data; no entry for key "X""#,
        ),
        (
            r#""{{ .X }}", 5"#,
            r#"F: template: execution error: template: template:1:3: executing "template" at <.X>: can't evaluate field X in type int64"#,
        ),
        (
            r#""{{ range . }}{{ .X }}{{ end }}", [[struct{a: 1}]]"#,
            r#"F: template: execution error: template: template:1:16: executing "template" at <.X>: can't evaluate field X in type interface {}"#,
        ),
        (
            r#""{{ convert_str_to_int . }}", "x""#,
            r#"C: template: execution error: template: template:1:3: executing "template" at <convert_str_to_int .>: error calling convert_str_to_int: function `convert_str_to_int` errored: strconv.ParseInt: parsing "x": invalid syntax"#,
        ),
        (
            r#""{{ index . 5 }}", [1]"#,
            r#"F: template: execution error: template: template:1:3: executing "template" at <index . 5>: error calling index: index out of range: 5"#,
        ),
        (
            r#""{{ strings_to_upper }}""#,
            r#"F: template: execution error: template: template:1:3: executing "template" at <strings_to_upper>: wrong number of args for strings_to_upper: want 1 got 0"#,
        ),
        (
            r#""{{ strings_to_upper 5 }}""#,
            r#"F: template: execution error: template: template:1:20: executing "template" at <5>: expected string; found 5"#,
        ),
        (
            r#""{{ define \"t\" }}{{ template \"t\" }}{{ end }}{{ template \"t\" }}""#,
            r#"F: template: execution error: template: template:1:19: executing "t" at <{{template "t"}}>: exceeded maximum template depth (250)"#,
        ),
    ] {
        check("golang.template", args, expected);
    }
}

#[test]
fn template_parse_errors() {
    for (text, error) in [
        ("{{ . ", "template:1: unclosed action"),
        (r"a\n{{ if . }}", "template:2: unexpected EOF"),
        ("{{ end }}", "template:1: unexpected {{end}}"),
        ("{{ else }}", "template:1: unexpected {{else}}"),
        ("{{ $x }}", r#"template:1: undefined variable "$x""#),
        ("{{ }}", "template:1: missing value for command"),
        ("{{ if }}{{ end }}", "template:1: missing value for if"),
        ("{{ .A-1 }}", "template:1: bad character U+002D '-'"),
        (r#"{{ \"a }}"#, "template:1: unterminated quoted string"),
        ("{{ break }}", "template:1: {{break}} outside {{range}}"),
        ("{{ 1 | 2 }}", "template:1: non executable command in pipeline stage 2"),
        ("{{ (1 }}", "template:1: unclosed left paren"),
        ("{{ 1) }}", "template:1: unexpected right paren"),
        ("{{/* x", "template:1: unclosed comment"),
        ("{{ 1a }}", r#"template:1: bad number syntax: "1a""#),
        ("{{ 1 , 2 }}", r#"template:1: unexpected "," in operand"#),
        ("{{ if . }}{{ else }}{{ else }}{{ end }}", "template:1: expected end; found {{else}}"),
        ("{{ if . }}{{ define `x` }}{{ end }}{{ end }}", "template:1: unexpected <define> in command"),
        ("{{ range $a, $b, $c := . }}{{ end }}", "template:1: too many declarations in range"),
        ("{{ 1.A }}", r#"template:1: bad number syntax: "1.A""#),
        ("{{ nil }}", "execution"),
        ("{{ template 1 }}", r#"template:1: unexpected "1" in template clause"#),
    ] {
        let expected = match error {
            "execution" => r#"F: template: execution error: template: template:1:3: executing "template" at <nil>: nil is not a command"#.to_owned(),
            error => format!("F: template: parse error: template: {error}"),
        };
        check("golang.template", &format!("\"{text}\""), &expected);
    }
}

#[test]
fn deep_templates_are_errors() {
    for text in ["{{ if . }}".repeat(100_000), format!("{{{{ {} }}}}", "(".repeat(100_000))] {
        check(
            "golang.template",
            &format!("\"{text}\""),
            "F: template: parse error: template: template:1: the template is nested too deeply",
        );
    }
    let chain = format!("{{{{ if . }}}}{}{{{{ end }}}}", "{{ else if . }}".repeat(100_000));
    check(
        "golang.template",
        &format!("\"{chain}\""),
        "F: template: parse error: template: template:1: the template is nested too deeply",
    );
}
