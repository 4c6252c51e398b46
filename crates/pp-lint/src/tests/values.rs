use expect_test::expect;

use super::lint_one;

#[test]
fn types_of_puppet_accept_some_values() {
    lint_one(
        "invalid_value",
        "service { 'a': ensure => runing, enable => 'maybe'; 'b': ensure => $x, enable => undef, noop => yes }\n\
         file { ['/a', 'b', $c]: ensure => 'directry'; 'd': path => '/d', ensure => '/e', mode => 644 }\n\
         @user { default: uid => 'x'; 'u': shell => 'bash', groups => ['a', 1, \"${x}\"]; 'v': * => $more, expiry => \"$d\" }\n\
         package { 'p': ensure => '1.2-3' }\ncron { 'c': hour => 99 }\nmine { 'x': ensure => 1 }\nfile { $x: source => {} }\n",
        expect![[r#"
            1:26 invalid_value: `ensure` does not accept "runing"
            1:44 invalid_value: `enable` does not accept "maybe"
            1:97 invalid_value: `noop` does not accept "yes"
            2:15 invalid_value: `path` does not accept "b"
            3:68 invalid_value: `groups` does not accept 1
            5:21 invalid_value: `hour` does not accept 99
            7:22 invalid_value: `source` does not accept a hash
        "#]],
    );
}

#[test]
fn a_title_is_not_the_name_where_a_name_is_set() {
    for name in ["File { path => '/z' }", "File['x'] { name => '/z' }", "File <| |> { path => '/z' }"] {
        lint_one("invalid_value", &format!("{name}\nfile {{ 'x': ensure => file }}\n"), expect![[""]]);
    }
}

#[test]
fn some_attributes_exclude_each_other() {
    lint_one(
        "invalid_value",
        "file { '/a': content => $x, source => '/b' }\nfile { '/c': content => \"${x}\", source => ['/b'] }\n\
         file { '/d': content => template('m/t.erb'), source => '/b', target => undef }\n\
         file { '/e': content => f(), source => '/b' }\nfile { '/f': recurse => remote }\nexec { 'ls': }\n",
        expect![[r#"
            2:8 invalid_value: attributes that exclude each other
            3:8 invalid_value: attributes that exclude each other
        "#]],
    );
}

#[test]
fn a_word_of_ensure_is_misspelled() {
    lint_one(
        "misspelled_ensure",
        "file { '/a': ensure => directry; '/b': ensure => 'purged'; '/c': ensure => './file'; '/d': ensure => file }\n\
         package { 'a': ensure => instaled; 'b': ensure => '1.latests'; 'c': ensure => \"preset\"; 'd': ensure => bullseye }\n\
         service { 'a': ensure => runing }\n",
        expect![[r#"
            1:24 misspelled_ensure: `ensure` makes a link to `directry`
            2:26 misspelled_ensure: `ensure` asks for the version `instaled`
            2:79 misspelled_ensure: `ensure` asks for the version `preset`
        "#]],
    );
}
