//! Programs and their layout.

use expect_test::{Expect, expect};
use mcl_diagnostics::FileId;

use crate::format;

fn formatted(text: &str) -> String {
    match format(FileId::MAIN, text) {
        Ok(formatted) => formatted,
        Err(error) => panic!("{error:?}\n{text}"),
    }
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&formatted(text));
}

/// Compares with the samples of spec 01 §8.5 and spec 11 §4.
#[test]
fn samples_of_the_specification() {
    let samples = [
        ("$ x=1", "$x = 1\n"),
        ("noop \"a\" { x=>1, y=>$b?:2, }", "noop \"a\" {\n\tx => 1,\n\ty => $b ?: 2,\n}\n"),
        ("noop \"a\" {\n}", "noop \"a\" {}\n"),
        ("if true { $x=1\n}", "if true {\n\t$x = 1\n}\n"),
        ("if true {\n}", "if true {}\n"),
        ("$y = [\n]", "$y = []\n"),
        ("$y = f(\n)", "$y = f()\n"),
        ("$z = if true { 1\n} else { 2 }", "$z = if true { 1 } else { 2 }\n"),
        ("$z = if true {\n\t1\n} else { 2 }", "$z = if true {\n\t1\n} else {\n\t2\n}\n"),
        ("$f = func() { 1\n}", "$f = func() { 1 }\n"),
        ("$v = $a->b<|>1", "$v = $a->b <|> 1\n"),
        ("$s = func($x) {$x}(1)", "$s = func($x) { $x }(1)\n"),
        ("aws : ec2 \"x\" {}", "aws:ec2 \"x\" {}\n"),
        ("Http_server:Foo[\"a\"]->Test[\"b\"]", "Http_server:Foo[\"a\"] -> Test[\"b\"]\n"),
        ("$t map{str:int} = {}", "$t map{str: int} = {}\n"),
        ("$n func(\n\t$a int,\n\tstr,\n) int = $o", "$n func($a int, str) int = $o\n"),
        ("\n\n$x = 1\n\n\n$y  =  2 #b", "$x = 1\n\n$y = 2 #b\n"),
        ("$a = [ # c\n1, 2]", "$a = [ # c\n\t1,\n\t2,\n]\n"),
        ("if true { $x = 1 }\nelse { $y = 2 }", "if true {\n\t$x = 1\n} else {\n\t$y = 2\n}\n"),
        ("# fmt: off\n$m  =  1\n# fmt: on\n$n  =  1", "# fmt: off\n$m  =  1\n# fmt: on\n$n = 1\n"),
        ("class c { # why\n}", "class c { # why\n}\n"),
    ];
    for (text, expected) in samples {
        assert_eq!(formatted(text), expected, "{text}");
    }
}

/// Everywhere, a comment becomes part of the line, or goes above it, and stays in order.
#[test]
fn comments_stay_where_they_are_or_go_above_their_line() {
    check(
        "#! first\n# head\n\n$a = # one\n\t1 + # two\n\t2 # three\n# above\n$b = [1, # first\n\t# second\n\t2]\n$c = f( # why\n\t1)\n",
        &expect![[r#"
            #! first
            # head

            # one
            # two
            $a = 1 + 2 # three
            # above
            $b = [
            	1, # first
            	# second
            	2,
            ]
            $c = f( # why
            	1,
            )
        "#]],
    );
    check(
        "if $c { # then\n\t$a = 1\n\t# last\n} # end\n# before else\nelse { # else\n}\n$x []int # type\n= [# none\n]\n",
        &expect![[r#"
            if $c { # then
            	$a = 1
            	# last
            	# end
            	# before else
            } else { # else
            }
            # type
            $x []int = [ # none
            ]
        "#]],
    );
}

#[test]
fn ignored_code_is_kept() {
    let kept = [
        "# fmt: off\n$a  =  [ 1,2 ]\n\n\n\n$b=  3 # c\n# fmt: on\n$c = 1\n",
        "class c {\n\t# fmt: off\n\t$a   =1\n\t  $b   =1\n}\n$c = 1\n",
        "file \"/a\" {\n\t# fmt: off\n\tmode  => \"u=rw\",\n\tstate => \"exists\",\n\t# fmt: on\n\towner => \"a\",\n}\n",
        "# fmt: off\n$a=1",
        "$a=1 # fmt: skip\n$b = 2\n",
        "file \"/a\" {\n\tmode=>\"u=r\", # fmt: skip\n\towner => \"a\",\n}\n",
        "$m  =  [ # fmt: skip\n 1, 2,\n]\n",
        "file   \"/a\" { # fmt: skip\n  mode=>\"u=r\",\n}\n",
    ];
    for text in kept {
        let with_newline = format!("{}\n", text.trim_end());
        assert_eq!(formatted(text), with_newline, "{text}");
    }
    check(
        "# fmt: off\n$a=1\n# fmt: on\n$b=1\nclass c {\n$x=1 # fmt: skip\n$y=1\n# fmt: off\n$z=1 }\n$e=[# fmt: off\n1, 2]\n",
        &expect![[r#"
            # fmt: off
            $a=1
            # fmt: on
            $b = 1
            class c {
            	$x=1 # fmt: skip
            	$y = 1
            	# fmt: off
            $z=1
            }
            $e = [ # fmt: off
            	1,
            	2,
            ]
        "#]],
    );
}

/// Comments in every odd place, with the directives among them, are kept, and a second run changes nothing: [`format`] checks it.
#[test]
fn directives_in_odd_places_do_no_harm() {
    let program = "import \"fmt\"\nclass c($a, $b int) {\n\tfile \"/a\" {\n\t\tmode => $a,\n\t\tMeta:noop => true,\n\t}\n\t$x = [1, f(2, {\"a\" => \
                   func($y) { $y }})]\n}\nif true {\n\tinclude c(1, 2) as d\n} else {\n\tFile[\"/a\"] -> Svc[\"b\"]\n}\n";
    let gaps = ["\n# fmt: off\n", "\n# fmt: on\n", " # fmt: skip\n", "\n", " ", " # c\n"];
    test_support::for_each_seed(400, |random| {
        let tokens = mcl_lexer::lex(program);
        let mut text = String::new();
        let mut read = 0;
        for token in tokens.indices() {
            let start = tokens.start(token) as usize;
            text.push_str(&program[read..start]);
            if random.usize(..6) == 0 {
                text.push_str(gaps[random.usize(..gaps.len())]);
            }
            read = start;
        }
        text.push_str(&program[read..]);
        formatted(&text);
    });
}
