use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::{Expect, expect};
use mcl_diagnostics::{FileId, SourceFile};

use crate::{Definitions, Found, Interface, LINTS, Subject, check, interfaces};

/// Another file, of which everything in the modules `web` and `ntp` is known.
const OTHER: &str = "class ntp(Array[String] $servers = [], Enum['running', 'stopped'] $state = 'running') {}\n\
    class web {}\n\
    define web::site(Web::Root $root, Optional[Integer] $port = undef) {}\n\
    define web::pair($a, $b, $c = 1) {}\n\
    type Web::Root = Variant[Boolean, Web::Path]\n\
    type Web::Path = Pattern[/^\\//]\n\
    type Web::Loop = Array[Web::Loop]\n\
    type Web::Wide = Tuple[Web::Wide, Web::Wide, Web::Wide]\n\
    define web::odd(Web::Loop $l, Web::Wide $w, Nowhere::Type $n, Integer $i = 1) {}\n";

struct Other(BTreeMap<String, Arc<Interface>>);

impl Definitions for Other {
    fn find(&self, name: &str) -> Found {
        match self.0.get(name) {
            Some(interface) => Found::Known(Arc::clone(interface)),
            None if name.starts_with("web::") => Found::Absent(self.0.keys().cloned().collect()),
            None => Found::Unknown,
        }
    }
}

/// Runs the lints about uses, and shows where they found something, with the help.
fn lint(text: &str, expected: Expect) {
    let parse = |text: &str| pp_syntax::parse(FileId::MAIN, text, pp_syntax::Mode::Manifest);
    let other = parse(OTHER);
    assert!(other.diagnostics.is_empty(), "{:?}", other.diagnostics);
    let definitions = Other(interfaces(&other.tree, OTHER).into_iter().collect());
    let parsed = parse(text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let file = SourceFile::new("site.pp", text);
    let subject = Subject { file: &file, tree: &parsed.tree, autoload_name: None, definitions: &definitions };
    let names = ["unknown_attribute", "invalid_value", "missing_parameter", "unknown_definition"];
    let is_on = |code| LINTS.iter().any(|lint| lint.code == code && names.contains(&lint.name));
    let lines = check(subject, &is_on).into_iter().map(|found| {
        let at = file.line_col(found.span.expect("a span").start);
        let help = found.help.unwrap_or_default();
        format!("{}:{} {}: {} ({help})\n", at.line, at.col, found.code.name(), found.message)
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn parameters_are_those_of_the_definition() {
    lint(
        "class { 'ntp': servres => [], before => File['/a'], name => 'x', gone => undef }\n\
         class { ['::ntp', 'web']: colour => 1 }\n\
         web::site { 'a': root => '/a', * => $more, prot => 1 }\n\
         @web::site { 'b': root => $b, colour => 1 }\n",
        expect![[r#"
            1:16 W0375: `ntp` has no parameter `servres` (did you mean `servers`?)
            2:27 W0375: `ntp` has no parameter `colour` (remove the attribute: nothing that has it can be compiled)
            2:27 W0375: `web` has no parameter `colour` (it has no parameters: remove the attribute)
            3:44 W0375: `web::site` has no parameter `prot` (did you mean `port`?)
            4:31 W0375: `web::site` has no parameter `colour` (remove the attribute: nothing that has it can be compiled)
        "#]],
    );
}

#[test]
fn constants_have_the_type_of_the_parameter() {
    lint(
        "class { 'ntp': servers => 'a', state => 'runing' }\n\
         class { 'ntp': servers => ['a', 1], state => $state }\n\
         web::site { 'a': root => 'a', port => '80' }\n\
         web::site { 'b': root => true, port => undef }\n\
         web::site { 'c': root => '/c', port => [1, $x] }\n\
         web::odd { 'd': l => 1, w => 1, n => 1, i => 'x' }\n",
        expect![[r#"
            1:27 W0377: `servers` does not accept "a" (a list of one value is an array, too: `[…]`)
            1:41 W0377: `state` does not accept "runing" (did you mean `'running'`?)
            2:27 W0377: `servers` does not accept `['a', 1]` (expected a value of the type `Array[String]`)
            3:26 W0377: `root` does not accept "a" (expected a value of the type `Web::Root`)
            3:39 W0377: `port` does not accept "80" (a number has no quotes: `80`)
            6:46 W0377: `i` does not accept "x" (expected a value of the type `Integer`)
        "#]],
    );
}

#[test]
fn required_parameters_of_a_define_need_values() {
    lint(
        "web::site { 'a': }\n\
         web::pair { 'b': ; ['c', $d]: b => 1 }\n\
         web::site { default: root => true; 'e': ; 'f': port => 1 }\n\
         web::site { 'g': rooot => true }\n\
         web::site { 'h': * => $more }\n\
         web::site { default: * => $more; 'i': }\n\
         @web::site { 'j': }\n@@web::site { 'k': }\n",
        expect![[r#"
            1:13 W0379: `web::site` needs a value for the parameter `root` (add `root => …` with a value of the type `Web::Root`)
            2:13 W0379: `web::pair` needs values for the parameters `a` and `b` (add them, each with `=>` and a value)
            2:20 W0379: `web::pair` needs a value for the parameter `a` (add `a => …`)
            4:18 W0375: `web::site` has no parameter `rooot` (did you mean `root`?)
        "#]],
    );
}

#[test]
fn a_value_may_come_from_elsewhere_in_the_file() {
    for elsewhere in
        ["Web::Site { root => true }", "Web::Site['a'] { root => true }", "Web::Site <| |> { root => true }"]
    {
        lint(&format!("{elsewhere}\nweb::site {{ 'a': }}\n"), expect![[""]]);
    }
}

#[test]
fn names_are_those_of_classes_and_defines() {
    lint(
        "include web::sites, 'web::site', web, nowhere::a\n\
         contain ['::web::nothing_like_it', $x]\n\
         require(web::pair)\n\
         class { 'web::pairs': }\n\
         web::sit { 'a': }\n\
         web { 'b': }\n\
         nowhere { 'c': }\n\
         class mine (\n  $x = 1,\n) inherits web::wbe {\n  notice($x)\n}\n",
        expect![[r#"
            1:9 W0380: the module `web` has no class `web::sites` (define it in `web/manifests/sites.pp`, or correct the name)
            1:21 W0380: `web::site` is a define, not a class (write `web::site { 'title': }`)
            2:10 W0380: the module `web` has no class `web::nothing_like_it` (define it in `web/manifests/nothing_like_it.pp`, or correct the name)
            3:9 W0380: `web::pair` is a define, not a class (write `web::pair { 'title': }`)
            4:9 W0380: the module `web` has no class `web::pairs` (define it in `web/manifests/pairs.pp`, or correct the name)
            5:1 W0380: the module `web` has no define `web::sit` (did you mean `web::site`?)
            10:12 W0380: the module `web` has no class `web::wbe` (define it in `web/manifests/wbe.pp`, or correct the name)
        "#]],
    );
}
