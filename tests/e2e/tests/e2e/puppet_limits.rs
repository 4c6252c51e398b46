//! Manifests that would not end, or need too much: one error each, from each command that evaluates them.

use crate::support::Scratch;

/// Ten lists of ten lists, and so on: 10 to the 29th elements.
fn lists_of_lists() -> String {
    let mut code = "$a0 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n".to_owned();
    for level in 1..30 {
        let inner = format!("$a{}", level - 1);
        code += &format!("$a{level} = [{}]\n", [inner.as_str(); 10].join(", "));
    }
    code
}

/// Returns manifests, and what their error says.
fn hostile() -> Vec<(String, &'static str)> {
    let notify = format!("{}notify {{ 'n': message => $a29 }}\n", lists_of_lists());
    let define = format!("define d($p) {{ }}\n{}d {{ 'n': p => $a29 }}\n", lists_of_lists());
    let template = "notify { inline_template('<%= \"a\" * 10_000_000_000 %>'): }\n".to_owned();
    vec![
        ("function f($n) { f($n + 1) }\nf(1)\n".to_owned(), "calls are nested more than 2000 deep"),
        ("define d() { d { \"${title}x\": } }\nd { 'a': }\n".to_owned(), "Somehow looped more than 1000 times"),
        (
            "define d() { @d { \"${title}x\": } }\n@d { 'a': }\nD <| |>\n".to_owned(),
            "Somehow looped more than 1000 times",
        ),
        (format!("$x = {}1{}\n", "[".repeat(20_000), "]".repeat(20_000)), "nested too deeply"),
        ("$x = Array(Integer[1, 9000000000000000000])\n".to_owned(), "elements is too large"),
        (notify, "a value has more than"),
        (define, "a value has more than"),
        (template, "takes more than"),
    ]
}

#[test]
fn every_command_ends_with_one_error() {
    let scratch = Scratch::new("");
    for (manifest, message) in hostile() {
        // Not with `Scratch::write`, for which an `@` is the directory.
        std::fs::write(scratch.path("site.pp"), &manifest).expect("writable");
        let mut commands = vec![
            ("mclc", vec!["puppet", "site.pp", "--emit", "catalog", "--node", "a.example.com"]),
            ("mgmt-rt", vec!["plan", "--puppet", "site.pp", "--prefix", "state"]),
            ("mgmt-rt", vec!["apply", "--puppet", "site.pp", "--once", "--prefix", "state"]),
        ];
        let checked = scratch.run("mclc", &["check", "site.pp"]);
        if message == "nested too deeply" {
            commands.push(("mclc", vec!["check", "site.pp"]));
        } else {
            // Nothing is wrong with it before it is evaluated: an artifact holds it.
            assert_eq!(checked.status, 0, "{}", checked.err);
            assert_eq!(scratch.run("mclc", &["puppet", "site.pp", "-o", "site.bin"]).status, 0);
            commands.push(("mgmt-rt", vec!["apply", "--puppet", "site.bin", "--once", "--prefix", "state"]));
        }
        for (tool, args) in commands {
            let ran = scratch.run(tool, &args);
            let text = ran.out + &ran.err;
            assert!(ran.status == 1 && text.contains(message), "{args:?}: {} {text}", ran.status);
            assert_eq!(text.matches("error[").count(), 1, "{args:?}: {text}");
        }
    }
}
