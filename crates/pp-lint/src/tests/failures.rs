use expect_test::expect;

use super::lint_one;

#[test]
fn a_variable_is_assigned_twice() {
    lint_one(
        "variable_reassignment",
        "class a($p) {\n  $p = 1\n  $x = 1\n  if $p { $x = 2 } else { $y = 1 }\n  $y = 2\n  [$z, $x] = [1, 2]\n\
         $f = [1].each |$x, $n| { $n = 1; $f = 2 }\n}\n$x = 1\nfunction f($q) { $q = 1; $x = $x = 2 }\n",
        expect![[r#"
            2:3 variable_reassignment: `$p` is assigned twice
            4:11 variable_reassignment: `$x` is assigned twice
            6:8 variable_reassignment: `$x` is assigned twice
            7:26 variable_reassignment: `$n` is assigned twice
            10:18 variable_reassignment: `$q` is assigned twice
            10:31 variable_reassignment: `$x` is assigned twice
        "#]],
    );
}

#[test]
fn branches_that_exclude_each_other_assign_once() {
    lint_one(
        "variable_reassignment",
        "if $a { $x = 1 } elsif $b { $x = 2 } else { $x = 3 }\ncase $a { 1: { $y = 1 } 2, 3: { $y = 2 } default: { $y = 3 } }\n\
         unless $a { $z = 1 } else { $z = 2 }\n$a and ($v = 1)\n$w = $a ? { 1 => ($u = 1), default => ($u = 2) }\n",
        expect![[""]],
    );
}

#[test]
fn types_of_puppet_have_fixed_attributes() {
    lint_one(
        "unknown_attribute",
        "file { '/a': ensure => file, contents => 'x', require => File['/b'], noop => true }\n\
         exec { default: cwd => '/', cmd => 'x'; '/bin/true': * => $more }\nmine { 'x': any => 1 }\n\
         cron { 'x': whatever => 1 }\nfile_line { 'x': whatever => 1 }\nclass { 'a': any => 1 }\n::user { 'u': homedir => '/home/u' }\n",
        expect![[r#"
            1:30 unknown_attribute: `file` has no attribute `contents`
            2:29 unknown_attribute: `exec` has no attribute `cmd`
            4:13 unknown_attribute: `cron` has no attribute `whatever`
            7:15 unknown_attribute: `user` has no attribute `homedir`
        "#]],
    );
}

#[test]
fn a_resource_is_declared_twice() {
    lint_one(
        "duplicate_declaration",
        "file { ['/a', '/b']: ; '/a': }\n@package { 'p': }\npackage { p: }\n@@file { '/c': }\nfile { '/c': ; \"/${x}\": ; \"/${x}\": }\n\
         if $x { user { 'u': } } else { user { 'u': } }\nuser { 'u': }\n[1, 2].each |$n| { group { 'g': }; group { 'g': } }\n\
         unless defined(File['/a']) { file { '/a': } }\nif $y { file { '/a': } }\n",
        expect![[r#"
            1:24 duplicate_declaration: `file` `/a` is declared twice
            3:11 duplicate_declaration: `package` `p` is declared twice
            8:44 duplicate_declaration: `group` `g` is declared twice
            10:16 duplicate_declaration: `file` `/a` is declared twice
        "#]],
    );
}
