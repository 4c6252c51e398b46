//! Regular expressions as Ruby matches them; what is expected is recorded.

use pp_types::Regexp;

fn check(pattern: &str, text: &str, expected: bool) {
    let found = Regexp::new(pattern).is_match(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found, expected, "/{pattern}/ on {text:?}");
}

fn check_invalid(pattern: &str, expected: &str) {
    match Regexp::new(pattern).is_match("a") {
        Ok(_) => panic!("/{pattern}/ is accepted"),
        Err(error) => assert_eq!(error.message, format!("{expected}: /{pattern}/")),
    }
}

#[test]
fn lines() {
    check("^b$", "a\nb", true);
    check("a.b", "a\nb", false);
    check("(?m)a.b", "a\nb", true);
    check("(?m:a.b)", "a\nb", true);
    check(r"a\Rb", "a\r\nb", true);
    check(r"a\Z", "a\n", true);
    check(r"a\z", "a\n", false);
    check(r"\Aa\Z", "a", true);
}

#[test]
fn classes() {
    check(r"\h", "abc", true);
    check(r"\h", "xyz", false);
    check(r"\w", "é", false);
    check(r"\W", "é", true);
    check("[[:alpha:]]", "é", true);
    check(r"\p{L}", "é", true);
    check(r"\p{Digit}", "5", true);
    check(r"\d", "٣", false);
    check(r"a\sb", "a\tb", true);
    check(r"a\sb", "a\u{b}b", true);
    check(r"\s", "\u{a0}", false);
    check("[[:space:]]", "\u{a0}", true);
    check(r"[\h&&[^b]]", "a", true);
    check(r"[\h&&[^b]]", "b", false);
    check("[]a]", "a]", true);
    check(r"\A[a\-b]+\z", "a-b", true);
    check("[[:punct:]]", "$", true);
    check("[^[:upper:]]", "a", true);
    check(r"\A[[:word:]]+\z", "ab_1", true);
    check(r"\A[a-z&&[^aeiou]]+\z", "xyz", true);
    check(r"[~-]", "~", true);
    check(r"\A[\w.-]+\z", "a-b.c", true);
    check(r"\A[^\s\d]+\z", "abc", true);
}

#[test]
fn groups() {
    check(r"foo\Kbar", "foobar", true);
    check("(?i)x", "aXb", true);
    check("a(?i)b|c", "aB", true);
    check("a(?i)b|c", "C", false);
    check(r"(?<n>a)\k<n>", "ab", false);
    check(r"(?<n>a)\k<n>", "aa", true);
    check(r"(?<n>a)\g<n>", "aa", true);
    check(r"(a)\g<1>", "aa", true);
    check(r"\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z", "rc.1", true);
    check("a(?#comment)b", "ab", true);
    check("(?x)a \\  b # c", "a b", true);
    check("(?<=a)b", "ab", true);
    check("(?<!a)b", "ab", false);
    check("(?>a)b", "ab", true);
    check(r"(a)b\1", "aba", true);
    check("a(?=b)", "abc", true);
    check(r"(?:(a)|b)+", "ab", true);
}

#[test]
fn quantifiers() {
    check("a++a", "aaa", false);
    check(r"\Aa{,2}\z", "aa", true);
    check("a{b", "a{b", true);
    check("a{,b", "a{,b", true);
    check("a**", "a", true);
    check(r"\Aa{2}?\z", "", true);
    check("o{2}", "foo", true);
    check(r"\Afo*?\z", "foo", true);
}

#[test]
fn characters() {
    check(r"\x78", "x", true);
    check(r"\u0078", "x", true);
    check(r"\170", "x", true);
    check(r"\e", "\u{1b}", true);
    check(r"a\.b", "a.b", true);
    check(r"a\/b", "a/b", true);
    check(r"a\ b", "a b", true);
    check(r"\A\#\z", "#", true);
}

#[test]
fn captures_are_those_of_named_groups_if_there_are_any() {
    let captures = Regexp::new("(?<a>.)(.)").captures("ab").expect("valid").expect("a match");
    assert_eq!(captures, [Some("ab".to_owned()), Some("a".to_owned())]);
    let captures = Regexp::new("a(b)?c").captures("ac").expect("valid").expect("a match");
    assert_eq!(captures, [Some("ac".to_owned()), None]);
}

#[test]
fn invalid() {
    check_invalid("(", "end pattern with unmatched parenthesis");
    check_invalid(")", "unmatched close parenthesis");
    check_invalid("[", "premature end of char-class");
    check_invalid("[]", "empty char-class");
    check_invalid("*", "target of repeat operator is not specified");
    check_invalid("a{2,1}", "upper is smaller than lower in repeat range");
    check_invalid(r"\k<x>", "undefined name <x> reference");
    check_invalid("(?<1a>b)", "invalid group name <1a>");
    check_invalid("[b-a]", "empty range in char class");
    check_invalid(r"\p{Foo}", "invalid character property name {Foo}");
    check_invalid("[[:foo:]]", "invalid POSIX bracket type");
    check_invalid("(?z)", "undefined group option");
    check_invalid("(?<n", "invalid group name <n>");
    check_invalid("\\", "too short escape sequence");
}

#[test]
fn nested_repetition_is_given_up() {
    let text = "a".repeat(50_000);
    let error = Regexp::new(r"(?:(?:a|aa)+)+\z(?<!a)").is_match(&text).expect_err("takes too long");
    assert!(error.message.starts_with("matching /"), "{error}");
}
