//! What is read of small types.

use expect_test::{Expect, expect};
use pp_resource_types::{IniMunge, IniType, ReadType, Role, Titles};

use crate::*;

fn read_with(text: &str, providers: &[&str], library: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<ReadType, TypeError> {
    let providers: Vec<Vec<u8>> = providers.iter().map(|text| text.as_bytes().to_vec()).collect();
    read_type(&TypeSource { name: "t", module: "m", bytes: text.as_bytes(), providers: &providers, library })
}

fn read(text: &str) -> Result<ReadType, TypeError> {
    read_with(text, &[], &|_| None)
}

/// Reads the body of a type.
fn body(text: &str) -> ReadType {
    read(&format!("Puppet::Type.newtype(:t) do\n{text}\nend\n")).expect("the type is readable")
}

fn show(read: &ReadType) -> String {
    let mut out = String::new();
    for attribute in &read.attributes {
        let role = match attribute.role {
            Role::Name => "name",
            Role::Property => "property",
            Role::Parameter => "parameter",
        };
        out += &format!("{role} {}", attribute.name);
        for word in &attribute.words {
            out += &format!(" {word}");
        }
        for pattern in &attribute.patterns {
            out += &format!(" /{}/", pattern.source());
        }
        if let Some(default) = &attribute.default {
            out += &format!(" = {default}");
        }
        out += if attribute.is_read_only { " (read-only)\n" } else { "\n" };
    }
    match &read.titles {
        Titles::Verbatim => {}
        Titles::Missing => out += "titles: missing\n",
        Titles::Unknown => out += "titles: unknown\n",
        Titles::Patterns(patterns) => {
            for pattern in patterns {
                out += &format!("title /{}/ {:?}\n", pattern.regex.source(), pattern.attributes);
            }
        }
    }
    for relation in &read.relations {
        let titles = relation.titles.as_ref().map(|titles| titles.constants());
        out += &format!("{:?} {} {titles:?}\n", relation.kind, relation.type_name);
    }
    for unread in &read.unread {
        out += &format!("unread: {:?} in line {}\n", unread.what, unread.line);
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(&body(text)));
}

#[test]
fn attributes_have_roles_values_and_defaults() {
    check(
        r#"
        desc 'A thing.'
        ensurable
        newparam(:name, namevar: true)
        newparam(:flag, boolean: true, parent: Puppet::Parameter::Boolean)
        newproperty(:size) do
          desc 'How large it is.'
          newvalues(:small, :large, /^\d+$/)
          defaultto :small
        end
        newproperty(:mode) do
          newvalues(:a, :b)
          validate { |value| raise 'no' unless value == 'x' }
        end
        newparam('path') { isnamevar }
        "#,
        expect![[r#"
            property ensure present absent
            name name
            parameter flag true false yes no
            property size small large /^\d+$/ = small
            property mode
            name path
            titles: missing
        "#]],
    );
}

#[test]
fn loops_over_literals_declare_attributes() {
    check(
        r#"
        NAMES = %w[one two].freeze
        NAMES.each { |name| newparam(name.to_sym) }
        { three: [:a], four: [:b, :c] }.each do |name, values|
          newproperty(name) { newvalues(*values) }
        end
        def self.newcheck(name, options = {}, &block)
          check = newparam(name, options, &block)
          check
        end
        newcheck(:five) { newvalues(:x) }
        if Puppet::Util::Package.versioncmp(Puppet.version, '4.0.0') >= 0
          newparam(:new)
        else
          newparam(:old)
        end
        newparam(:either) if Facter.value(:kernel) == 'Linux'
        "#,
        expect![[r#"
            parameter one
            parameter two
            property three a
            property four b c
            parameter five
            parameter new
            parameter either
        "#]],
    );
}

#[test]
fn computed_names_leave_a_type_open() {
    let read = body("Dir['*'].each { |name| newparam(name) }\nnewparam(:a)");
    assert!(read.is_open && read.has_parameter("anything"));
    expect![[r#"
        parameter a
        unread: Attributes in line 2
    "#]]
    .assert_eq(&show(&read));
}

#[test]
fn titles_are_read_from_patterns() {
    check(
        r#"
        newparam(:name, namevar: true)
        newparam(:type, namevar: true)
        def self.title_patterns
          part = /[^@]+/
          [
            [/^(#{part})@(.*)$/m, [[:name], [:type, lambda { |x| x }]]],
            [/^(.*)$/, [[:name, ->(x) { x.downcase }]]]
          ]
        end
        "#,
        expect![[r#"
            name name
            name type
            title /(?m:^((?-mix:[^@]+))@(.*)$)/ [Some("name"), Some("type")]
            title /^(.*)$/ [None]
        "#]],
    );
}

#[test]
fn patterns_of_titles_are_followed_into_methods_of_modules() {
    let text = r#"
        module PuppetX
          module Split
            def self.part
              Regexp.new(/[^:]+/)
            end
            def self.patterns(first, second, separator = '::', *regexps)
              parts = []
              if regexps.empty? and separator == '::'
                parts += [part, part]
              elsif regexps.count != 2
                raise 'two regexps'
              else
                parts += regexps
              end
              [[/^(#{parts[0]})#{separator}(#{parts[1]})$/, [[first], [second]]], [/^(#{parts[0]})$/, [[first]]]]
            end
          end
        end
        Puppet::Type.newtype(:t) do
          newparam(:name, namevar: true)
          newparam(:domain) { isnamevar }
          def self.title_patterns
            PuppetX::Split.patterns(:name, :domain)
          end
        end
    "#;
    let title = "title /^((?-mix:[^:]+))::((?-mix:[^:]+))$/ [Some(\"name\"), Some(\"domain\")]";
    assert!(show(&read(text).expect("readable")).contains(title), "{}", show(&read(text).expect("readable")));
    // What a condition depends on is not known.
    let unknown = text.replace("regexps.empty?", "Facter.value(:x)");
    assert!(
        show(&read(&unknown).expect("readable")).contains("unread: Titles"),
        "{}",
        show(&read(&unknown).expect("readable"))
    );
}

#[test]
fn relations_are_constants_programs_or_unread() {
    check(
        r#"
        newparam(:name)
        autorequire(:package) { ['a', 'b'] }
        autobefore(:file) { '/a' }
        autorequire(:user) { self[:owner] }
        autonotify(:service) do
          names = []
          names << self[:name].split('@')[1] if self[:name].include?('@')
          names
        end
        autosubscribe(:exec) { `hostname` }
        "#,
        expect![[r#"
            name name
            Require package Some(Some(["a", "b"]))
            Before file Some(Some(["/a"]))
            Require user Some(None)
            Notify service Some(None)
            Subscribe exec None
            unread: Relations in line 12
        "#]],
    );
}

#[test]
fn types_of_the_resource_api_are_hashes() {
    let text = r#"
        require 'puppet/resource_api'
        Puppet::ResourceApi.register_type(
          name: 't',
          desc: 'x',
          features: ['canonicalize'],
          title_patterns: [
            { pattern: %r{^(?<package>.*[^-])-(?<manager>.*)$}, desc: 'both' },
            { pattern: %r{^(?<package>.*)$}, desc: 'one' },
          ],
          attributes: {
            ensure: { type: 'Enum[present, absent]', default: 'present' },
            package: { type: 'String', behaviour: :namevar },
            manager: { type: 'String', behaviour: :namevar },
            id: { type: 'String', behaviour: :read_only },
            force: { type: 'Optional[Boolean]', behaviour: :parameter },
          },
          autorequire: { file: '$source', package: 'apt' },
        )"#;
    expect![[r#"
        property ensure present absent = present
        name package
        name manager
        property id (read-only)
        parameter force true false
        title /^(?<package>.*[^-])-(?<manager>.*)$/ [Some("package"), Some("manager")]
        title /^(?<package>.*)$/ [Some("package")]
        Require file Some(None)
        Require package Some(None)
    "#]]
    .assert_eq(&show(&read(text).expect("readable")));
}

#[test]
fn modules_that_extend_a_type_declare_for_it() {
    let library = |path: &str| {
        let helper = "module Helper\n  def create(extra)\n    newparam(:name)\n    newparam(extra)\n  end\nend\n";
        (path == "puppet_x/helper.rb").then(|| helper.as_bytes().to_vec())
    };
    let text = "Puppet::Type.newtype(:t) do
          require File.expand_path(File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', 'helper'))
          extend Helper
          create(:extra)
        end";
    expect![[r#"
        name name
        parameter extra
    "#]]
    .assert_eq(&show(&read_with(text, &[], &library).expect("readable")));
}

#[test]
fn files_that_are_no_types_say_why() {
    assert_eq!(read("x = 1"), Err(TypeError::NoType));
    assert_eq!(read("Puppet::Type.newtype(:other) { }"), Err(TypeError::OtherName("other".to_owned())));
    assert!(matches!(read("def ("), Err(TypeError::Syntax { line: 1, .. })));
    let error = read("Puppet::Type.newtype(:t) do\n  nonsense\nend").expect_err("nothing defines the name");
    assert_eq!(error, TypeError::UnknownName { name: "nonsense".to_owned(), line: 2 });
}

const SETTING: &str = r#"Puppet::Type.newtype(:t) do
  ensurable
  newparam(:name, :namevar => true) { newvalues(/\S+\/\S+/) }
  newproperty(:value) do
    munge do |value|
      value = value.to_s.strip
      value.capitalize! if value =~ /^(true|false)$/i
      value
    end
  end
  newparam(:ensure_absent_val) { defaultto('<SERVICE DEFAULT>') }
end"#;

fn ini(provider: &str) -> Option<IniType> {
    read_with(SETTING, &[provider], &|_| None).expect("readable").ini
}

#[test]
fn providers_of_settings_say_which_file() {
    let provider = "Puppet::Type.type(:t).provide(:ini_setting,
          :parent => Puppet::Type.type(:openstack_config).provider(:ini_setting)) do
          def self.file_path
            '/etc/t.conf'
          end
        end";
    expect![[r#"
        Some(
            IniType {
                path: Some(
                    "/etc/t.conf",
                ),
                path_attribute: None,
                key: Name,
                separator: "=",
                separator_attribute: None,
                repeats: false,
                munge: Capitalize,
                absent_value: Some(
                    (
                        "ensure_absent_val",
                        Some(
                            "<SERVICE DEFAULT>",
                        ),
                    ),
                ),
                is_custom: false,
            },
        )
    "#]]
    .assert_debug_eq(&ini(provider));
    assert_eq!(ini("Puppet::Type.type(:t).provide(:ruby) { }"), None);
    let custom = ini(&provider.replace("def self", "def create\n  Puppet.info 'x'\nend\ndef self"));
    assert!(custom.is_some_and(|ini| ini.is_custom));
}

#[test]
fn providers_that_quote_values_are_read() {
    let plain = SETTING.replace("      value.capitalize! if value =~ /^(true|false)$/i\n", "");
    let ini = |source: &str, provider: &str| {
        let ini = read_with(source, &[provider], &|_| None).expect("readable").ini.expect("settings");
        (ini.munge, ini.is_custom)
    };
    let provider = r#"Puppet::Type.type(:t).provide(:x, parent: Puppet::Type.type(:openstack_config).provider(:ini_setting)) do
          def exists?
            if resource[:value] == ensure_absent_val
              resource[:ensure] = :absent
            elsif resource[:quote]
              unless resource[:value].start_with?('"')
                resource[:value] = '"' + resource[:value] + '"'
              end
            end
            super
          end
          def self.file_path
            '/etc/t.conf'
          end
        end"#;
    assert_eq!(ini(&plain, provider), (IniMunge::Quote, false));
    assert!(ini(SETTING, provider).1, "values are changed before they are quoted");
    for (from, to) in [
        ("unless resource", "if resource"),
        ("elsif resource[:quote]", "elsif resource[:other]"),
        ("= :absent", "= f"),
        ("start_with?('\"')", "start_with?('x')"),
        ("            super\n", ""),
    ] {
        assert!(ini(&plain, &provider.replace(from, to)).1, "{to}");
    }
}

#[test]
fn functions_have_names_and_numbers_of_arguments() {
    let current = "Puppet::Functions.create_function(:'m::f') do
          dispatch(:one) { param 'Integer', :x\n optional_param 'String', :s }
          dispatch(:two) { param 'Integer', :x\n param 'Integer', :y\n param 'Integer', :z }
        end";
    let read = read_function(current.as_bytes()).expect("readable");
    assert_eq!((read.name.as_str(), read.least, read.most), ("m::f", Some(1), Some(3)));
    let old = "module Puppet::Parser::Functions\n  newfunction(:f, type: :rvalue, arity: -3) { |args| 1 }\nend";
    let read = read_function(old.as_bytes()).expect("readable");
    assert_eq!((read.api, read.least, read.most), (FunctionApi::Old { is_value: true }, Some(2), None));
}
