//! Random files and random resources that edit them, applied here and by a real Puppet: the same files.
//!
//! Needs Puppet, and `MCL_PUPPET_MODULES`, a directory with its modules; `.ci/puppet-modules` makes one.
//! `RUNS_FACTOR=100 SEED=… cargo test -p e2e puppet_files` tries more.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use test_support::{RandomChoice, Rng, seeds, skip};

use crate::support::{Ran, Scratch, is_root, ran};

/// The number of files of a test run. `RUNS_FACTOR` multiplies it.
const FILES: u64 = 60;

/// A file and resources that edit it.
struct Case {
    before: String,
    resources: Vec<Declared>,
}

/// Type, title and attributes of a resource. `@` stands for the path of the file.
type Declared = (&'static str, String, Vec<(&'static str, String)>);

impl Case {
    /// Returns the text before, in which `~` stands for the number of the case.
    fn text(&self, seed: u64) -> String {
        self.before.replace('~', &format!(".{seed}"))
    }
}

fn modules() -> Option<PathBuf> {
    let modules = std::env::var_os("MCL_PUPPET_MODULES").map(PathBuf::from);
    if modules.is_none() {
        skip("MCL_PUPPET_MODULES does not name a directory of modules");
    }
    let has_puppet = Command::new("puppet").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !has_puppet.is_ok_and(|status| status.success()) {
        skip("Puppet is not installed");
        return None;
    }
    modules
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn manifest(cases: &[(u64, Case)], directory: &str) -> String {
    let mut manifest = String::new();
    for (seed, case) in cases {
        for (type_name, title, attributes) in &case.resources {
            manifest += &format!("{type_name} {{ '{seed} {title}':\n");
            for (name, value) in attributes {
                let value = if *name == "name" {
                    // A name is declared once in a catalog.
                    quoted(&format!("{value}.{seed}"))
                } else if *name == "host_aliases" || value == "true" || value == "false" {
                    value.clone()
                } else {
                    quoted(&value.replace('@', &format!("{directory}/{seed}")))
                };
                manifest += &format!("  {name} => {value},\n");
            }
            manifest += "}\n";
        }
    }
    manifest
}

/// Applies a manifest by Puppet. All paths are absolute: facts of modules change the directory.
fn apply_by_puppet(scratch: &Scratch, manifest: &str, modules: &str, environment: &[(&str, &str)]) -> Ran {
    let mut puppet = Command::new("puppet");
    puppet.args(["apply", "--modulepath", modules, "--vardir"]).arg(scratch.path("var"));
    puppet.arg("--confdir").arg(scratch.path("conf")).arg(scratch.path(manifest));
    puppet.envs(environment.iter().copied());
    ran(puppet.stdin(Stdio::null()).output().expect("Puppet starts"))
}

/// Applies cases here and by Puppet, and compares the files after `normalize`.
#[track_caller]
fn compare(generate: fn(&mut Rng) -> Case, normalize: fn(&str) -> String) {
    let Some(modules) = modules() else { return };
    let cases: Vec<(u64, Case)> = seeds(FILES).map(|seed| (seed, generate(&mut Rng::with_seed(seed)))).collect();
    let scratch = Scratch::new("");
    for directory in ["ours", "theirs"] {
        fs::create_dir(scratch.path(directory)).expect("a new directory");
        for (seed, case) in &cases {
            fs::write(scratch.path(&format!("{directory}/{seed}")), case.text(*seed))
                .expect("the directory is writable");
        }
        let manifest = manifest(&cases, &scratch.path(directory).display().to_string());
        fs::write(scratch.path(&format!("{directory}.pp")), manifest).expect("the directory is writable");
    }
    let modules = modules.display().to_string();
    let theirs = apply_by_puppet(&scratch, "theirs.pp", &modules, &[]);
    let args = ["apply", "--puppet", "ours.pp", "--puppet-module-path", &modules, "--once", "--prefix", "state"];
    let ours = scratch.run("mgmt-rt", &[&args[..], &["--puppet-fallback", "error"]].concat());
    let mut differences = Vec::new();
    for (seed, case) in &cases {
        let after = |directory: &str| normalize(&scratch.read(&format!("{directory}/{seed}")).unwrap_or_default());
        let (ours, theirs) = (after("ours"), after("theirs"));
        if ours != theirs {
            let resources = manifest(&[(*seed, Case { before: String::new(), resources: case.resources.clone() })], "");
            let before = case.text(*seed);
            differences.push(format!("SEED={seed}\n{resources}before:\n{before}\nours:\n{ours}\nPuppet:\n{theirs}"));
        }
    }
    differences.truncate(5);
    assert!(differences.is_empty(), "{}\n{}{}", differences.join("\n\n"), ours.err, theirs.err);
    // Both did something.
    let is_changed =
        |(seed, case): &&(u64, Case)| scratch.read(&format!("ours/{seed}")).as_deref() != Some(&case.text(*seed));
    assert!(cases.iter().filter(is_changed).count() * 3 > cases.len(), "{}{}{}", ours.out, ours.err, theirs.err);
}

/// A file with sections. Sections of one name, settings that occur twice and comments after headers are where the kind differs
/// from `ini_setting` on purpose (spec 08 §18).
fn ini_file(rng: &mut Rng) -> String {
    let mut text = String::new();
    let settings = |rng: &mut Rng, text: &mut String| {
        for name in ["a", "b", "long name", "d.e"] {
            match rng.u8(..7) {
                0 | 1 => {
                    let indent = rng.pick::<&str>(&["", "", "", "  ", "\t"]);
                    let separator = rng.pick::<&str>(&[" = ", "=", " =", "= ", "  =  "]);
                    let value = rng.pick::<&str>(&["1", "old value", "", "x = y", "a;b", "#1"]);
                    *text += &format!("{indent}{name}{separator}{value}\n");
                }
                2 => *text += &format!("{}{name} = commented\n", rng.pick::<&str>(&["#", ";", "# "])),
                3 => *text += rng.pick::<&str>(&["\n", "# only a comment\n", "; another\n"]),
                _ => {}
            }
        }
    };
    settings(rng, &mut text);
    for section in ["s1", "section two", "s:3"] {
        if rng.bool() {
            text += &format!("[{section}]\n");
            settings(rng, &mut text);
        }
    }
    if rng.one_in(8) {
        text.truncate(text.trim_end_matches('\n').len());
    }
    text
}

fn ini_case(rng: &mut Rng) -> Case {
    let before = ini_file(rng);
    let mut names: Vec<(&str, &str)> = ["", "s1", "section two", "new"]
        .into_iter()
        .flat_map(|section| ["a", "b", "long name", "new"].map(|name| (section, name)))
        .filter(|_| rng.one_in(8))
        .collect();
    if names.is_empty() {
        names.push((*rng.pick(&["", "s1", "section two", "new"]), "a"));
    }
    let separator = rng.pick::<&str>(&[" = ", "=", " = "]);
    let resources = names.into_iter().enumerate().map(|(index, (section, name))| {
        let mut attributes = vec![
            ("path", "@".to_owned()),
            ("section", section.to_owned()),
            ("setting", name.to_owned()),
            ("key_val_separator", (*separator).to_owned()),
        ];
        if rng.one_in(4) {
            attributes.push(("ensure", "absent".to_owned()));
        } else {
            attributes
                .push(("value", (*rng.pick::<&str>(&["1", "new value", "x = y", "old value", "a#b"])).to_owned()));
        }
        ("ini_setting", format!("{index}"), attributes)
    });
    Case { before, resources: resources.collect() }
}

#[test]
fn settings_of_random_files_become_what_puppet_makes_of_them() {
    compare(ini_case, without_end);
}

fn line_case(rng: &mut Rng) -> Case {
    const LINES: [&str; 8] = ["A=1", "#A=1", "A=2", "B", "", "  B", "BB", "C d"];
    let mut before: String = (0..rng.usize(..6)).map(|_| format!("{}\n", rng.pick::<&str>(&LINES))).collect();
    if rng.one_in(6) {
        before.truncate(before.trim_end_matches('\n').len());
    }
    let mut attributes =
        vec![("path", "@".to_owned()), ("line", (*rng.pick::<&str>(&["A=1", "B", "new", "C d"])).to_owned())];
    let pattern = (*rng.pick::<&str>(&["^#?A=", "^A", "B$", "nothing", "[dD]"])).to_owned();
    if rng.one_in(4) {
        attributes.push(("ensure", "absent".to_owned()));
        if rng.bool() {
            attributes.extend([("match", pattern), ("match_for_absence", "true".to_owned())]);
        }
        if rng.bool() {
            attributes.push(("multiple", "true".to_owned()));
        }
    } else if rng.bool() {
        // Puppet demands that the new line matches.
        let matching = [("A=1", "^#?A="), ("A=1", "^A"), ("B", "B$"), ("C d", "[dD]"), ("new", "^n")];
        let (line, pattern) = rng.pick(&matching);
        attributes[1].1 = (*line).to_owned();
        attributes.push(("match", (*pattern).to_owned()));
        attributes.push(("multiple", rng.bool().to_string()));
        for name in ["replace", "append_on_no_match"] {
            if rng.one_in(4) {
                attributes.push((name, "false".to_owned()));
            }
        }
    }
    if rng.one_in(3) {
        attributes.push(("after", (*rng.pick::<&str>(&["^A", "B", "nothing"])).to_owned()));
    }
    Case { before, resources: vec![("file_line", "line".to_owned(), attributes)] }
}

#[test]
fn lines_of_random_files_become_what_puppet_makes_of_them() {
    compare(line_case, without_end);
}

fn host_case(rng: &mut Rng) -> Case {
    let names = ["a.example", "b", "c-d.example"];
    let address = |rng: &mut Rng| format!("192.0.2.{}", rng.u8(1..9));
    let mut before = String::from("# hosts\n127.0.0.1\tlocalhost\n");
    for name in names {
        match rng.u8(..4) {
            0 => before += &format!("{}\t{name}~\n", address(rng)),
            1 => before += &format!("{} {name}~ alias-of-{name}\n", address(rng)),
            2 => before += "\n# comment\n",
            _ => {}
        }
    }
    let chosen: Vec<&str> = names.into_iter().filter(|_| rng.bool()).collect();
    let resources = chosen.into_iter().map(|name| {
        let mut attributes = vec![("target", "@".to_owned()), ("name", name.to_owned())];
        if rng.one_in(4) {
            attributes.push(("ensure", "absent".to_owned()));
        } else {
            let aliases = rng.pick::<&str>(&["[]", "['x']", "['x', 'y.example']"]);
            attributes.extend([("ip", address(rng)), ("host_aliases", (*aliases).to_owned())]);
        }
        ("host", name.to_owned(), attributes)
    });
    let resources = resources.collect();
    Case { before, resources }
}

/// Puppet ends the last line, and writes an empty line where nothing is left.
fn without_end(text: &str) -> String {
    text.trim_end_matches('\n').to_owned()
}

/// Puppet writes every line of its own anew. Resources without an order add lines in any order.
fn words_of_lines(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("# HEADER:"));
    let mut lines: Vec<String> =
        lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect();
    lines.sort();
    lines.retain(|line| line != "\n");
    lines.concat()
}

#[test]
fn hosts_of_random_files_become_what_puppet_makes_of_them() {
    compare(host_case, words_of_lines);
}

fn key_case(rng: &mut Rng) -> Case {
    let names = ["a.example", "b"];
    let kinds = ["ssh-rsa", "ssh-ed25519"];
    let mut before = String::new();
    for name in names {
        for kind in kinds {
            match rng.u8(..4) {
                0 => before += &format!("{name}~ {kind} OLD{}\n", rng.u8(..3)),
                1 => before += &format!("{name}~,192.0.2.1 {kind} OLD\n"),
                2 => before += "# comment\n",
                _ => {}
            }
        }
    }
    let all = names.into_iter().flat_map(|name| kinds.map(|kind| (name, kind)));
    let chosen: Vec<(&str, &str)> = all.filter(|_| rng.bool()).collect();
    let resources = chosen.into_iter().map(|(name, kind)| {
        let mut attributes = vec![("target", "@".to_owned()), ("name", name.to_owned()), ("type", kind.to_owned())];
        if rng.one_in(4) {
            attributes.push(("ensure", "absent".to_owned()));
        } else {
            let aliases = rng.pick::<&str>(&["[]", "['192.0.2.1']", "['x', 'y']"]);
            attributes.extend([("key", format!("NEW{}", rng.u8(..3))), ("host_aliases", (*aliases).to_owned())]);
        }
        ("sshkey", format!("{name} {kind}"), attributes)
    });
    let resources = resources.collect();
    Case { before, resources }
}

#[test]
fn host_keys_of_random_files_become_what_puppet_makes_of_them() {
    compare(key_case, words_of_lines);
}

/// Stands in for `crontab`, which Puppet calls: crontabs are files of the directory `$CRONTABS`.
const CRONTAB: &str = r#"#!/bin/sh
user=root
if [ "$1" = -u ]; then user=$2; shift 2; fi
file=$CRONTABS/$user
case "$1" in
-l) [ -e "$file" ] && exec cat "$file"; echo "no crontab for $user" >&2; exit 1 ;;
-r) rm -f "$file" ;;
-) cat > "$file" ;;
*) cat "$1" > "$file" ;;
esac
"#;

fn crontab(user: &str, rng: &mut Rng) -> String {
    let mut text = String::new();
    for name in ["a", "b b", "c"] {
        match rng.u8(..5) {
            0 | 1 => {
                text += &format!("# Puppet Name: {name} {user}\n");
                if rng.one_in(3) {
                    text += "PATH=/bin\n";
                }
                text += &format!("{} /bin/{name} x\n", rng.pick::<&str>(&["* * * * *", "5 4 * * 1", "*/10 1,2 * 3 *"]));
            }
            2 => text += "# comment\n",
            3 => text += "15 3 * * * /bin/other %a\n",
            _ => {}
        }
    }
    text
}

/// Returns a manifest of jobs of a user.
fn jobs(user: &str, rng: &mut Rng) -> String {
    let (mut manifest, mut before) = (String::new(), None::<&str>);
    for name in ["a", "b b", "c"] {
        if rng.one_in(3) {
            continue;
        }
        manifest += &format!("cron {{ '{name} {user}':\n  user => '{user}',\n");
        // New jobs are added in this order.
        if let Some(before) = before.replace(name) {
            manifest += &format!("  require => Cron['{before} {user}'],\n");
        }
        if rng.one_in(4) {
            manifest += "  ensure => absent,\n}\n";
            continue;
        }
        manifest += &format!("  command => '/bin/{} x',\n", rng.pick::<&str>(&["a", "new", "c"]));
        for (column, values) in [
            ("minute", ["5", "['1', '2']", "'*/10'"]),
            ("hour", ["4", "[1, 2]", "'2-4'"]),
            ("month", ["'jan'", "['March', 4]", "absent"]),
            ("weekday", ["'Monday'", "['sun', 3]", "1"]),
        ] {
            if rng.one_in(3) {
                manifest += &format!("  {column} => {},\n", rng.pick::<&str>(&values));
            }
        }
        if rng.one_in(4) {
            manifest += &format!("  environment => {},\n", rng.pick::<&str>(&["'PATH=/bin'", "['A=1', 'B=2']"]));
        }
        manifest += "}\n";
    }
    manifest
}

#[test]
fn jobs_of_random_crontabs_become_what_puppet_makes_of_them() {
    let Some(modules) = modules() else { return };
    if !is_root() {
        return skip("only root changes crontabs of other users");
    }
    let passwd = fs::read_to_string("/etc/passwd").expect("the accounts are readable");
    let users: Vec<&str> = passwd.lines().filter_map(|line| line.split(':').next()).take(16).collect();
    let modules = modules.display().to_string();
    for seed in seeds(2) {
        let mut rng = Rng::with_seed(seed);
        let scratch = Scratch::new("");
        let mut manifest = String::new();
        for directory in ["bin", "theirs", "ours", "before"] {
            fs::create_dir(scratch.path(directory)).expect("a new directory");
        }
        for user in &users {
            let text = crontab(user, &mut rng);
            for directory in ["theirs", "ours", "before"] {
                fs::write(scratch.path(&format!("{directory}/{user}")), &text).expect("the directory is writable");
            }
            manifest += &jobs(user, &mut rng);
        }
        fs::write(scratch.path("site.pp"), &manifest).expect("the directory is writable");
        fs::write(scratch.path("bin/crontab"), CRONTAB).expect("the directory is writable");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(scratch.path("bin/crontab"), mode).expect("our file");
        let path = format!("{}:{}", scratch.path("bin").display(), std::env::var("PATH").expect("a search path"));
        let crontabs = scratch.path("theirs").display().to_string();
        let theirs = apply_by_puppet(&scratch, "site.pp", &modules, &[("PATH", &path), ("CRONTABS", &crontabs)]);
        // The crontabs of the machine are hidden from the agent by those of the test.
        let script = "mount -t tmpfs none /var/spool && mkdir -p /var/spool/cron/crontabs && cp ours/* /var/spool/cron/crontabs \
                      && \"$@\" && cp /var/spool/cron/crontabs/* ours";
        let tool = crate::support::bin().join("mgmt-rt").display().to_string();
        let mut agent = Command::new("unshare");
        agent.args(["--mount", "sh", "-c", script, "sh", &tool, "apply", "--puppet", "site.pp", "--once"]);
        agent.args(["--prefix", "state", "--puppet-module-path", &modules, "--puppet-fallback", "error"]);
        let ours = ran(agent.current_dir(scratch.path("")).output().expect("the agent starts"));
        if ours.err.contains("unshare failed") {
            return skip("no right to create namespaces");
        }
        let text = |directory: &str, user: &str| {
            let text = scratch.read(&format!("{directory}/{user}")).unwrap_or_default();
            text.lines()
                .filter(|line| !line.starts_with("# HEADER:"))
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        let is_changed = |user: &&&str| text("before", user) != text("theirs", user);
        assert!(users.iter().filter(is_changed).count() * 3 > users.len(), "{}{}", theirs.out, theirs.err);
        for user in &users {
            let (before, ours_text, theirs_text) = (text("before", user), text("ours", user), text("theirs", user));
            assert!(
                ours_text == theirs_text,
                "SEED={seed} {user}\n{manifest}\nbefore:\n{before}\nours:\n{ours_text}\nPuppet:\n{theirs_text}\n{}{}{}",
                ours.out,
                ours.err,
                theirs.err
            );
        }
    }
}
