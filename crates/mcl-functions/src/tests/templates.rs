//! Examples of `golang.template`, with the errors of Go.

use expect_test::expect;

use crate::tests::{check, outcome};

#[test]
fn templates() {
    check(expect![[r#"
        golang.template("a{{ . }}b", 5) => "a5b"
        golang.template("{{ .Name }}:{{ .My_port }}", struct{name: "web"; my_port: 80}) => "web:80"
        golang.template("{{ .name }}", struct{name: "web"}) => fatal: template: execution error: template: template:1:3: executing "template" at <.name>: map has no entry for key "name"
        golang.template("{{ .k2 }}", {"k2": 7}) => "7"
        golang.template("{{ index . \"k-1\" }}", {"k-1": 7}) => "7"
        golang.template("{{ index . \"zz\" }}", {"k": 7}) => "<no value>"
        golang.template("{{ . }}", ["x", "y"]) => "[x y]"
        golang.template("{{ . }}", {"b": 1, "a": 2}) => "map[a:2 b:1]"
        golang.template("{{ . }}", struct{f: 2500000.0; l: ["a"]}) => "map[F:2.5e+06 L:[a]]"
        golang.template("{{ . }}") => "<no value>"
        golang.template("{{ range $i, $v := . }}{{ if $i }},{{ end }}{{ $v }}{{ end }}", [7, 8, 9]) => "7,8,9"
        golang.template("{{ range $k, $v := . }}{{ $k }}={{ $v }};{{ end }}", {10: "x", 9: "y"}) => "9=y;10=x;"
        golang.template("{{ range . }}x{{ else }}none{{ end }}", []) => "none"
        golang.template("{{ range . }}{{ .A }} {{ end }}", [struct{a: 1}, struct{a: 2}]) => "1 2 "
        golang.template("a {{- . -}} b", 1) => "a1b"
        golang.template("{{ if eq .N 80 }}y{{ else }}n{{ end }}", struct{n: 80}) => "y"
        golang.template("{{ eq . 5.0 }}", 5) => fatal: template: execution error: template: template:1:3: executing "template" at <eq . 5.0>: error calling eq: incompatible types for comparison: int64 and float64
        golang.template("{{ printf \"%03d\" . }}", 7) => "007"
        golang.template("{{ golang_strings_join . \"+\" }}", ["a", "b"]) => "a+b"
        golang.template("{{ math_minus1 (len .) }}", ["a"]) => fatal: template: execution error: template: template:1:15: executing "template" at <(len .)>: wrong type for value; expected int64; got int
        golang.template("{{ math_pow 2 3 }}") => "8"
        golang.template("{{ strings_to_upper . | printf \"<%s>\" }}", "ab") => "<AB>"
        golang.template("{{ (net_url_parser .).Raw_query }}", "http://h/?a=1") => "a=1"
        golang.template("{{ nope }}") => fatal: template: parse error: template: template:1: function "nope" not defined
        golang.template("{{/* c */}}x{{- /* c */ -}} y") => "xy"
        golang.template("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}{{ $ }}", 9) => "29"
        golang.template("{{ with $x := . }}{{ $x }}{{ else }}no{{ end }}", "a") => "a"
        golang.template("{{ with .A }}a{{ else with .B }}{{ . }}{{ end }}", struct{a: ""; b: "b"}) => "b"
        golang.template("{{ if false }}1{{ else if true }}2{{ else }}3{{ end }}") => "2"
        golang.template("{{ define \"t\" }}<{{ . }}>{{ end }}{{ template \"t\" 1 }}{{ block \"b\" . }}[{{ . }}]{{ end }}", 2) => "<1>[2]"
        golang.template("{{ range . }}{{ if eq . 2 }}{{ continue }}{{ end }}{{ if eq . 4 }}{{ break }}{{ end }}{{ . }}{{ end }}", [1, 2, 3, 4, 5]) => "13"
        golang.template("{{ range 3 }}{{ . }}{{ end }}") => "012"
        golang.template("{{ 1.5 }} {{ 'a' }} {{ 0x1F }} {{ 1_000 }} {{ `r\\n` }} {{-3}}") => "1.5 97 31 1000 r\\n -3"
        golang.template("{{ and 1 0 2 }} {{ or 0 3 }} {{ not 1 }} {{ 5 | and true }}") => "0 3 false 5"
        golang.template("{{ len . }} {{ index . 1 }} {{ slice . 1 2 }}", "abc") => "3 98 b"
        golang.template("{{ print 1 2 \"a\" 3 }}|{{ println 1 \"a\" }}") => "1 2a3|1 a\n"
        golang.template("{{ html \"<a>\" }} {{ js \"'<\\n\" }} {{ urlquery \"a b&\" }}") => "&lt;a&gt; \\'\\u003C\\u000A a+b%26"
        golang.template("{{ printf \"%5d|%-5s|%05.1f|%x|%q|%v|%T|%t|%e|%g|%c|%U\" 7 \"ab\" 2.5 255 \"q\" 1.0 1 true 1234.5 1e7 97 97 }}") => "    7|ab   |002.5|ff|\"q\"|1|int|true|1.234500e+03|1e+07|a|U+0061"
        golang.template("{{ printf \"%d %d\" \"a\" }}|{{ printf \"%d\" 1 2 }}|{{ printf \"%\" }}") => "%!d(string=a) %!d(MISSING)|1%!(EXTRA int=2)|%!(NOVERB)"
        golang.template("{{ . }}", {struct{z: 1}: "x"}) => "map[{1}:x]"
        golang.template("{{ range $k, $v := . }}{{ $k.Z }}{{ $v }}{{ end }}", {struct{z: 1}: "x"}) => "1x"
        golang.template("{{ index (index . 0) \"q\" }}|", [{"a": 1}]) => "0|"
        golang.template("\n {{ .A.Missing }}", struct{a: {"x": 1}}) => fatal: template: execution error: template: template:2:6: executing "template" at <.A.Missing>: map has no entry for key "Missing"
        golang.template("{{ .X }}") => fatal: template: execution error: template: template:1:3: executing "template" at <.X>: nil data; no entry for key "X"
        golang.template("{{ .X }}", 5) => fatal: template: execution error: template: template:1:3: executing "template" at <.X>: can't evaluate field X in type int64
        golang.template("{{ range . }}{{ .X }}{{ end }}", [[struct{a: 1}]]) => fatal: template: execution error: template: template:1:16: executing "template" at <.X>: can't evaluate field X in type interface {}
        golang.template("{{ convert_str_to_int . }}", "x") => catchable: template: execution error: template: template:1:3: executing "template" at <convert_str_to_int .>: error calling convert_str_to_int: function `convert_str_to_int` errored: strconv.ParseInt: parsing "x": invalid syntax
        golang.template("{{ index . 5 }}", [1]) => fatal: template: execution error: template: template:1:3: executing "template" at <index . 5>: error calling index: index out of range: 5
        golang.template("{{ strings_to_upper }}") => fatal: template: execution error: template: template:1:3: executing "template" at <strings_to_upper>: wrong number of args for strings_to_upper: want 1 got 0
        golang.template("{{ strings_to_upper 5 }}") => fatal: template: execution error: template: template:1:20: executing "template" at <5>: expected string; found 5
        golang.template("{{ define \"t\" }}{{ template \"t\" }}{{ end }}{{ template \"t\" }}") => fatal: template: execution error: template: template:1:19: executing "t" at <{{template "t"}}>: exceeded maximum template depth (250)
    "#]]);
}

#[test]
fn template_parse_errors() {
    check(expect![[r#"
        golang.template("{{ . ") => fatal: template: parse error: template: template:1: unclosed action
        golang.template("a\n{{ if . }}") => fatal: template: parse error: template: template:2: unexpected EOF
        golang.template("{{ end }}") => fatal: template: parse error: template: template:1: unexpected {{end}}
        golang.template("{{ else }}") => fatal: template: parse error: template: template:1: unexpected {{else}}
        golang.template("{{ $x }}") => fatal: template: parse error: template: template:1: undefined variable "$x"
        golang.template("{{ }}") => fatal: template: parse error: template: template:1: missing value for command
        golang.template("{{ if }}{{ end }}") => fatal: template: parse error: template: template:1: missing value for if
        golang.template("{{ .A-1 }}") => fatal: template: parse error: template: template:1: bad character U+002D '-'
        golang.template("{{ \"a }}") => fatal: template: parse error: template: template:1: unterminated quoted string
        golang.template("{{ break }}") => fatal: template: parse error: template: template:1: {{break}} outside {{range}}
        golang.template("{{ 1 | 2 }}") => fatal: template: parse error: template: template:1: non executable command in pipeline stage 2
        golang.template("{{ (1 }}") => fatal: template: parse error: template: template:1: unclosed left paren
        golang.template("{{ 1) }}") => fatal: template: parse error: template: template:1: unexpected right paren
        golang.template("{{/* x") => fatal: template: parse error: template: template:1: unclosed comment
        golang.template("{{ 1a }}") => fatal: template: parse error: template: template:1: bad number syntax: "1a"
        golang.template("{{ 1 , 2 }}") => fatal: template: parse error: template: template:1: unexpected "," in operand
        golang.template("{{ if . }}{{ else }}{{ else }}{{ end }}") => fatal: template: parse error: template: template:1: expected end; found {{else}}
        golang.template("{{ if . }}{{ define `x` }}{{ end }}{{ end }}") => fatal: template: parse error: template: template:1: unexpected <define> in command
        golang.template("{{ range $a, $b, $c := . }}{{ end }}") => fatal: template: parse error: template: template:1: too many declarations in range
        golang.template("{{ 1.A }}") => fatal: template: parse error: template: template:1: bad number syntax: "1.A"
        golang.template("{{ nil }}") => fatal: template: execution error: template: template:1:3: executing "template" at <nil>: nil is not a command
        golang.template("{{ template 1 }}") => fatal: template: parse error: template: template:1: unexpected "1" in template clause
    "#]]);
}

#[test]
fn deeply_nested_templates_are_errors() {
    for text in [
        "{{ if . }}".repeat(100_000),
        format!("{{{{ {} }}}}", "(".repeat(100_000)),
        format!("{{{{ if . }}}}{}{{{{ end }}}}", "{{ else if . }}".repeat(100_000)),
    ] {
        assert_eq!(
            outcome("golang.template", &format!("\"{text}\""), None),
            "fatal: template: parse error: template: template:1: exceeded maximum nesting depth (200)",
        );
    }
}
