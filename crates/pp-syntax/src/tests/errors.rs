//! Several errors in a file, and their help.

use expect_test::{Expect, expect};

use crate::Mode;
use crate::tests::support::{check, place};

#[track_caller]
fn report(text: &str, mode: Mode, expected: Expect) {
    let lines: Vec<String> = check(text, mode)
        .iter()
        .map(|diagnostic| {
            let (line, column) = place(text, diagnostic);
            let help = diagnostic.help.as_deref().map_or(String::new(), |help| format!(" [{help}]"));
            format!("{line}:{column} {} {}{help}\n", diagnostic.code.name(), diagnostic.message)
        })
        .collect();
    expected.assert_eq(&lines.concat());
}

#[track_caller]
fn manifest(text: &str, expected: Expect) {
    report(text, Mode::Manifest, expected);
}

#[test]
fn all_independent_errors_are_reported() {
    manifest(
        "class broken {\n  file { '/etc/x'\n    ensure => file,\n  }\n}\n$a = = 1\nnotice(2)\n",
        expect![[r#"
        3:5 P0210 Syntax error at 'ensure' [a colon follows the title of a resource: `'title':`]
        6:6 P0210 Syntax error at '=' [an assignment has one `=`; a comparison is written `==`]
    "#]],
    );
    manifest(
        "if $a {\n  $b = [1 2]\n  notice(3)\n} else {\n  $c = { 'a': 1 }\n}\nnotice('x' 'y')\n",
        expect![[r#"
        2:11 P0210 Syntax error at '2' [a comma or a closing bracket is missing before it]
        5:13 P0210 Syntax error at ':' [a key and its value have `=>` between them]
        7:12 P0210 Syntax error at 'y' [a comma or a closing bracket is missing before it]
    "#]],
    );
    manifest(
        "$x = $y.map |$z| {\n  foo(1 2)\n  bar(3\n}\nnotice('ok')",
        expect![[r#"
        2:9 P0210 Syntax error at '2' [a comma or a closing bracket is missing before it]
        4:1 P0210 Syntax error at '}' [the block of a call has parameters: `.each |$element| { … }`]
    "#]],
    );
}

#[test]
fn a_missing_bracket_is_named_where_it_was_opened() {
    manifest(
        "class c {\n  if true {\n    notice(1)\n}\n",
        expect![[r#"
        2:11 P0210 Syntax error at end of input [this `{` is not closed]
    "#]],
    );
    manifest(
        "notice(1",
        expect![[r#"
        1:7 P0210 Syntax error at end of input [this `(` is not closed]
    "#]],
    );
    manifest(
        "notice('a'\nnotice('b')\n$x = 1\n",
        expect![[r#"
        2:1 P0210 Syntax error at 'notice' [a comma or a closing bracket is missing before it]
    "#]],
    );
}

#[test]
fn habits_of_other_languages_have_a_help() {
    manifest(
        "$a = 1 && 2",
        expect![[r#"
        1:8 P0210 Syntax error at '&' [logical and is written `and`]
    "#]],
    );
    manifest(
        "$a = true || false",
        expect![[r#"
        1:11 P0210 Syntax error at '|' [logical or is written `or`; parameters of a block follow a call with parentheses or a dot]
    "#]],
    );
    manifest(
        "if true { } else if false { }",
        expect![[r#"
        1:18 P0210 Syntax error at 'if' [a further condition is written `elsif`]
    "#]],
    );
    manifest(
        "$d = 1 ? 2 : 3",
        expect![[r#"
        1:12 P0210 Syntax error at ':' [a selector is written `$x ? { 'value' => 1, default => 2 }`]
    "#]],
    );
    manifest(
        "$h = { 'a': 1 }",
        expect![[r#"
        1:11 P0210 Syntax error at ':' [a key and its value have `=>` between them]
    "#]],
    );
    manifest(
        "notify { 'a': message = 'x' }",
        expect![[r#"
        1:23 P0210 Syntax error at '=' [an attribute is written `name => value`]
    "#]],
    );
}

#[test]
fn an_unclosed_string_hides_what_follows() {
    manifest(
        "$a = foo('b', \"c)\n$d = [1 2",
        expect![[r#"
        1:16 P0211 Unclosed quote after '"' followed by 'c)
        $d...' [if this quote was meant to close a string, an earlier string lacks its closing quote]
    "#]],
    );
    manifest(
        "/* never\nnotice(1 2)",
        expect![[r#"
        1:1 P0211 Unclosed multiline comment [a comment ends with `*/`]
    "#]],
    );
    manifest(
        "$a = @(END)\n  text\n$b = [1 2",
        expect![[r#"
        2:1 P0214 Heredoc without end-tagged line [a line with `| END`, `|- END` or just `END` ends the text]
    "#]],
    );
}

#[test]
fn lexical_errors_are_values() {
    manifest(
        "$a = [1_000, 08, 'x', 0xZ, 1e400]",
        expect![[r#"
        1:7 P0212 Illegal number '1_000' [a name does not start with a digit; quote it to get a string]
        1:14 P0212 Not a valid octal number 08 [a number that starts with 0 is octal: digits 0-7; quote it to get a string]
        1:23 P0212 Not a valid hex number 0xZ [a hexadecimal number is `0x` and the digits 0-9, a-f]
        1:28 P0212 A Literal Float resulted in a value outside of Puppet Float range, got '1e400' [a float is an IEEE 754 double, at most about 1.8e308]
    "#]],
    );
    manifest(
        "include a::\nnotice(A::b)",
        expect![[r#"
        1:12 P0213 Illegal fully qualified name [a name follows each `::`, such as `apache::vhost`]
        2:10 P0213 Illegal class reference [each part of a type or resource reference is capitalized, such as `Apache::Vhost`]
    "#]],
    );
    manifest(
        "\u{feff}notice(\"\\q \\u{d800} \\u12\")",
        expect![[r#"
        1:1 P0221 Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] [save the file as UTF-8 without a byte order mark]
        1:10 P0220 Unrecognized escape sequence '\q' [a backslash is written `\\`; or use single quotes]
        1:13 P0220 Invalid Unicode escape '\u{d800}': not a character [the number of a character is at most 10ffff, without d800 to dfff]
        1:22 P0220 Unicode escape '\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff [write `\u00e9` or `\u{e9}`; a backslash is written `\\`]
    "#]],
    );
}

#[test]
fn validation_reports_all_errors() {
    manifest(
        "$a::b = 1\n$c += 1\nclass A($x, $x, $title) { 5 }\nif true { class d { } }",
        expect![[r#"
        1:1 P0303 Illegal attempt to assign to 'a::b'. Cannot assign to variables in other namespaces [assign the variable in the class that its name starts with]
        2:4 P0304 The operator '+=' is no longer supported. See http://links.puppet.com/remove-plus-equals [assign the sum to another variable: `$b = $a + …`]
        3:1 P0305 Unacceptable name. The name 'A' is unacceptable as the name of a Host Class Definition [names start with a lower-case letter, and consist of letters, digits and `_`, with `::` between parts]
        3:13 P0306 The parameter 'x' is declared more than once in the parameter list [remove or rename one of them]
        3:17 P0306 The parameter $title redefines a built in parameter in the Host Class Definition [choose another name]
        3:27 P0301 This Literal Integer has no effect. A Host Class Definition can not end with a value-producing expression without other effect [remove the value; only functions and lambdas return one]
        4:11 P0307 Classes, definitions, and nodes may only appear at toplevel or inside other classes [move the definition out of the block around it]
    "#]],
    );
    manifest(
        "$h = { 'a' => 1, 'b' => 2, 'a' => 3 }",
        expect![[r#"
        1:32 P0312 The key 'a' is declared more than once [the last value wins]
    "#]],
    );
    manifest(
        "file { ensure => file }\nfoo bar baz",
        expect![[r#"
        1:1 P0302 This expression is invalid. Did you try declaring a 'file' resource without a title? [a title comes first: `file { 'title': … }`]
        2:1 P0301 This Name has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form) [use the value, or remove it; a function other than `include`, `notice` and the like needs parentheses]
    "#]],
    );
}

#[test]
fn templates_have_their_own_errors() {
    report(
        "a <%= $x",
        Mode::Template,
        expect![[r#"
        1:9 P0219 Unbalanced epp tag, reached <eof> without closing tag [each `<%` needs its `%>`; a literal `<%` is written `<%%`]
    "#]],
    );
    report(
        "a <%= 1 2 %> b <%= $y = 1 %>",
        Mode::Template,
        expect![[r#"
        1:9 P0210 Syntax error at '2'
    "#]],
    );
    report(
        "<%# never",
        Mode::Template,
        expect![[r#"
            1:3 P0219 Reaching end after opening <%# without seeing %> [a comment in a template ends with `%>`]
        "#]],
    );
}

#[test]
fn deep_nesting_is_one_error() {
    const CONSTRUCTS: &[(&str, &str, &str)] = &[
        ("[", "1", "]"),
        ("(", "1", ")"),
        ("{a=>", "1", "}"),
        ("{", "1", "=>1}"),
        ("!", "1", ""),
        ("-", "$a", ""),
        ("$a = ", "1", ""),
        ("if 1 {", "1", "}"),
        ("if 1 {} else {", "1", "}"),
        ("unless 1 {", "1", "}"),
        ("case 1 { 1: {", "1", "} }"),
        ("with() || {", "1", "}"),
        ("with(", "1", ")"),
        ("1 ? { 1 => ", "1", " }"),
        ("\"${", "1", "}\""),
        ("\"a${[", "1", "]}b\""),
        ("Array[", "Any", "]"),
        ("class a {", "", "}"),
        ("define a() {", "", "}"),
        ("function a() {", "", "}"),
        ("node a {", "", "}"),
        ("", "$a", "[0]"),
        ("", "$a", ".abs"),
        ("", "$a", ".abs()"),
        ("", "$a", " + 1"),
        ("", "$a", " == 1"),
        ("", "$a", " and 1"),
        ("", "$a", " in 1"),
        ("", "$a", " =~ 1"),
        ("", "$a", " << 1"),
        ("", "$a", " ? { 1 => 1 }"),
        ("", "A['a']", " -> A['a']"),
        ("", "a { 'a': }", " -> a { 'a': }"),
        ("", "if 1 {}", " elsif 1 {}"),
    ];
    for (open, inner, close) in CONSTRUCTS {
        let text = format!("{}{inner}{}", open.repeat(20_000), close.repeat(20_000));
        let found: Vec<_> = check(&text, Mode::Manifest).into_iter().map(|error| error.code.name()).collect();
        assert!(found.contains(&"P0218"), "{open}{close}: {found:?}");
        assert_eq!(found.len(), 1, "{open}{close}: {found:?}");
    }
    let query = format!("A <| {}a == 1{} |>", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(check(&query, Mode::Manifest)[0].code.name(), "P0218");
    let template = format!("{}{}", "<% if 1 { %>".repeat(20_000), "<% } %>".repeat(20_000));
    assert_eq!(check(&template, Mode::Template)[0].code.name(), "P0218");
}

#[test]
fn statements_beside_syntax_errors_are_validated() {
    manifest(
        "class Foo { }\nclass broken {\n  notify { 'a': message => 1, message => 2 }\n  file { '/etc/x'\n    ensure => file,\n  \
         }\n  $1 = 2\n}\nfunction f($a, $a) { }\n1 + 2\nnotice(2)\n",
        expect![[r#"
            5:5 P0210 Syntax error at 'ensure' [a colon follows the title of a resource: `'title':`]
            1:1 P0305 Unacceptable name. The name 'Foo' is unacceptable as the name of a Host Class Definition [names start with a lower-case letter, and consist of letters, digits and `_`, with `::` between parts]
            7:3 P0303 Illegal attempt to assign to the numeric match result variable '$1'. Numeric variables are not assignable [numbers name the groups of the last match]
            9:16 P0306 The parameter 'a' is declared more than once in the parameter list [remove or rename one of them]
            10:3 P0301 This '+' expression has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form) [use the value, or remove it; a function other than `include`, `notice` and the like needs parentheses]
        "#]],
    );
    // What is on the line of the error, or in the statement that is given up, may be a consequence of it.
    manifest(
        "$1 = [2 3]\nnotify { 'a' message => 1,\n  message => 2 }\n",
        expect![[r#"
        1:9 P0210 Syntax error at '3' [a comma or a closing bracket is missing before it]
        2:14 P0210 Syntax error at 'message' [a colon follows the title of a resource: `'title':`]
    "#]],
    );
    // Where a definition is cannot be known.
    manifest(
        "class a {\n  $x = [1 2]\n  function f() { }\n}\n",
        expect![[r#"
        2:11 P0210 Syntax error at '2' [a comma or a closing bracket is missing before it]
    "#]],
    );
    // What is in a string that is not closed cannot be known.
    manifest(
        "class Foo { }\nnotice('x)\n",
        expect![[r#"
        2:9 P0211 Unclosed quote after "'" followed by 'x)
        ...' [if this quote was meant to close a string, an earlier string lacks its closing quote]
    "#]],
    );
}

#[test]
fn hash_after_a_statement_belongs_to_it() {
    manifest(
        "notice(1)\n{}.each |$x| { notice($x) }\n",
        expect![[r#"
        1:1 P0215 Expression is not valid as a resource, resource-default, or resource-override [braces follow a resource type (`file { … }`), a capitalized type (`File { … }`) or a reference (`File['x'] { … }`)]
    "#]],
    );
    manifest(
        "$a = sort([1])\n{ a => 1 }.each |$x| { notice($x) }\nnotice($a)\n",
        expect![[r#"
        1:6 P0215 Expression is not valid as a resource, resource-default, or resource-override [braces follow a resource type (`file { … }`), a capitalized type (`File { … }`) or a reference (`File['x'] { … }`)]
    "#]],
    );
    manifest(
        "class a {\n  $a =~ b -> notify { 'x': }\n  {}.each |$x| { notice($x) }\n}\n$b = = 1\n",
        expect![[r#"
        2:14 P0215 Expression is not valid as a resource, resource-default, or resource-override [braces follow a resource type (`file { … }`), a capitalized type (`File { … }`) or a reference (`File['x'] { … }`)]
        5:6 P0210 Syntax error at '=' [an assignment has one `=`; a comparison is written `==`]
    "#]],
    );
    manifest(
        "notice(1)\n{ a => }.each |$x| { notice($x) }\n",
        expect![[r#"
        2:8 P0210 Syntax error at '}' [a value is missing after `=>`]
    "#]],
    );
}
