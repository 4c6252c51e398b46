//! Loading programs from a file system.

use std::path::{Path, PathBuf};

use mcl_diagnostics::FileId;
use tempfile::TempDir;

use super::*;

/// Creates a directory with these files; a name that ends in a slash is a directory.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a temporary directory");
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("below the directory")).expect("make a directory");
        if name.ends_with('/') {
            std::fs::create_dir_all(path).expect("make a directory");
        } else {
            std::fs::write(path, text).expect("write a file");
        }
    }
    dir
}

fn load_at(dir: &TempDir, path: &str, options: &Options) -> Loaded {
    let input = Input::from_path(&dir.path().join(path)).expect("the input exists");
    load(&input, options).expect("the program loads")
}

/// Returns each unit with its imports: `main.mcl / : a.mcl -> a.mcl, fmt -> system`.
fn outline(loaded: &Loaded) -> String {
    let name = |unit: &Unit| loaded.files.get(unit.file).expect("the unit has a file").name.to_string();
    let lines = loaded.units.values().map(|unit| {
        let imports = unit.imports.iter().map(|import| match &import.target {
            ImportTarget::System => format!("{} -> system", import.raw),
            ImportTarget::Unit(id) => format!("{} -> {}", import.raw, name(&loaded.units[*id])),
            ImportTarget::Failed(failure) => format!("{} -> {}: {}", import.raw, failure.code.name(), failure.message),
        });
        format!("{} in {}: {}", name(unit), unit.module_dir, imports.collect::<Vec<_>>().join(", "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn check(files: &[(&str, &str)], path: &str, want: &str) {
    let dir = tree(files);
    assert_eq!(outline(&load_at(&dir, path, &Options::default())), want);
}

#[test]
fn imports_are_followed_breadth_first() {
    check(
        &[
            ("main.mcl", "import \"fmt\"\nimport \"b.mcl\"\nimport \"sub/\"\nimport \"b.mcl\" as again\n"),
            ("b.mcl", "import \"sub/c.mcl\"\n"),
            ("sub/main.mcl", "import \"c.mcl\"\nimport \"../b.mcl\"\n"),
            ("sub/c.mcl", "$x = 1\n"),
        ],
        "main.mcl",
        "main.mcl in /: fmt -> system, b.mcl -> b.mcl, sub/ -> sub/main.mcl\n\
         b.mcl in /: sub/c.mcl -> sub/c.mcl\n\
         sub/main.mcl in /sub/: c.mcl -> sub/c.mcl, ../b.mcl -> b.mcl\n\
         sub/c.mcl in /sub/: ",
    );
}

#[test]
fn files_that_import_each_other_are_loaded_once() {
    check(
        &[("main.mcl", "import \"a.mcl\"\n"), ("a.mcl", "import \"main.mcl\"\nimport \"a.mcl\"\n")],
        "main.mcl",
        "main.mcl in /: a.mcl -> a.mcl\na.mcl in /: main.mcl -> main.mcl, a.mcl -> a.mcl",
    );
}

#[test]
fn modules_that_import_each_other_are_loaded_once() {
    let dir = tree(&[
        ("metadata.yaml", ""),
        ("main.mcl", "import \"a/\"\n"),
        ("a/metadata.yaml", "path: va/\n"),
        ("a/main.mcl", "import \"../b/\"\n"),
        ("b/metadata.yaml", "path: vb/\n"),
        ("b/main.mcl", "import \"../a/\"\n"),
    ]);
    let loaded = load_at(&dir, "", &Options::default());
    assert!(loaded.units.len() < 10, "{}", outline(&loaded));
    assert_eq!(loaded.files.files.len(), 3);
}

#[test]
fn words_in_strings_and_comments_import_nothing() {
    check(&[("main.mcl", "# import \"a.mcl\"\n$x = \"import \\\"b.mcl\\\"\"\n")], "main.mcl", "main.mcl in /: ");
}

#[test]
fn a_file_with_syntax_errors_still_imports() {
    check(
        &[("main.mcl", "$x = = 1 )\nimport \"a.mcl\" as\n"), ("a.mcl", "")],
        "main.mcl",
        "main.mcl in /: a.mcl -> a.mcl\na.mcl in /: ",
    );
}

#[test]
fn metadata_names_the_main_file_and_its_directory() {
    check(
        &[
            ("metadata.yaml", "main: src/start.mcl\n"),
            ("src/start.mcl", "import \"x.mcl\"\n"),
            ("src/x.mcl", ""),
            ("main.mcl", ""),
        ],
        "metadata.yaml",
        "src/start.mcl in /: x.mcl -> src/x.mcl\nsrc/x.mcl in /src/: ",
    );
}

#[test]
fn failed_imports_say_why() {
    check(
        &[
            (
                "main.mcl",
                "import \"gone.mcl\"\nimport \"none/\"\nimport \"empty/\"\nimport \"./x.mcl\"\nimport \"bad/\"\nimport \"nomain/\"\n",
            ),
            ("empty/", ""),
            ("bad/metadata.yaml", "main: 5\n"),
            ("nomain/metadata.yaml", ""),
        ],
        "main.mcl",
        "main.mcl in /: gone.mcl -> E0503: `gone.mcl` does not exist, none/ -> E0503: `none` does not exist, \
         empty/ -> E0504: directory `empty` contains neither `metadata.yaml` nor `main.mcl`, \
         ./x.mcl -> E0502: invalid import `./x.mcl`: the path is not normalized, expected `x.mcl`, \
         bad/ -> E0507: invalid `bad/metadata.yaml`: invalid `main`: expected a string, found a number, \
         nomain/ -> E0503: `nomain/main.mcl` does not exist",
    );
}

#[test]
fn imports_may_go_up_inside_the_tree_only() {
    let files = [
        ("outside.mcl", ""),
        ("tree/metadata.yaml", ""),
        ("tree/main.mcl", ""),
        ("tree/shared.mcl", ""),
        ("tree/sub/one.mcl", "import \"../shared.mcl\"\nimport \"../../outside.mcl\"\n"),
        ("bare/main.mcl", "import \"../outside.mcl\"\n"),
    ];
    check(
        &files,
        "tree/sub/one.mcl",
        "one.mcl in /: ../shared.mcl -> ../shared.mcl, \
         ../../outside.mcl -> E0506: import path `../../outside.mcl` escapes the module\n\
         ../shared.mcl in /outside/: ",
    );
    check(
        &files,
        "bare/main.mcl",
        "main.mcl in /: ../outside.mcl -> E0506: import path `../outside.mcl` escapes the module",
    );
}

const REMOTE: &str = "import \"git://git.example/ops/mgmt-web\"\n";

#[test]
fn remote_modules_are_found_in_the_nearest_module_directory() {
    let dir = tree(&[
        ("p/metadata.yaml", "path: vendor/\n"),
        ("p/main.mcl", REMOTE),
        ("p/vendor/git.example/ops/mgmt-web/metadata.yaml", ""),
        ("p/vendor/git.example/ops/mgmt-web/main.mcl", "import \"git://git.example/dep/\"\nimport \"../x.mcl\"\n"),
        ("p/vendor/git.example/ops/x.mcl", ""),
        ("global/git.example/dep/metadata.yaml", ""),
        ("global/git.example/dep/main.mcl", ""),
    ]);
    let options = Options { module_path: Some(dir.path().join("global/")), ..Options::default() };
    assert_eq!(
        outline(&load_at(&dir, "p", &options)),
        "main.mcl in /: git://git.example/ops/mgmt-web -> vendor/git.example/ops/mgmt-web/main.mcl\n\
         vendor/git.example/ops/mgmt-web/main.mcl in /vendor/git.example/ops/mgmt-web/: \
         git://git.example/dep/ -> modules/git.example/dep/main.mcl, \
         ../x.mcl -> E0506: import path `../x.mcl` escapes the module\n\
         modules/git.example/dep/main.mcl in /modules/git.example/dep/: "
    );
}

#[test]
fn a_module_may_hide_the_directories_above_it() {
    let files = |block: &'static str| {
        tree(&[
            ("metadata.yaml", "path: vendor/\n"),
            ("main.mcl", "import \"lib/\"\n"),
            ("lib/metadata.yaml", block),
            ("lib/main.mcl", REMOTE),
            ("vendor/git.example/ops/mgmt-web/metadata.yaml", ""),
            ("vendor/git.example/ops/mgmt-web/main.mcl", ""),
        ])
    };
    let last = |dir: &TempDir| outline(&load_at(dir, "", &Options::default())).lines().nth(1).map(str::to_owned);
    assert_eq!(
        last(&files("")).as_deref(),
        Some("lib/main.mcl in /lib/: git://git.example/ops/mgmt-web -> vendor/git.example/ops/mgmt-web/main.mcl")
    );
    assert_eq!(
        last(&files("parentpathblock: true\n")).as_deref(),
        Some(
            "lib/main.mcl in /lib/: git://git.example/ops/mgmt-web -> E0505: cannot find remote module \
             `git.example/ops/mgmt-web/` in any module directory"
        )
    );
}

#[test]
fn a_missing_remote_module_says_how_to_get_it() {
    let dir = tree(&[("metadata.yaml", "path: vendor/\n"), ("main.mcl", REMOTE)]);
    let loaded = load_at(&dir, "", &Options::default());
    let ImportTarget::Failed(failure) = &loaded.units[UnitId::from_u32(0)].imports[0].target else {
        panic!("the module is not there")
    };
    assert_eq!(
        failure.help.as_deref(),
        Some(
            "`mclc get` fetches it with `git clone --recursive git://git.example/ops/mgmt-web \
             vendor/git.example/ops/mgmt-web`"
        )
    );
    let diagnostic = failure.to_diagnostic(loaded.units[UnitId::from_u32(0)].imports[0].span);
    assert_eq!(loaded.files.text(diagnostic.span.expect("it has a place")), "\"git://git.example/ops/mgmt-web\"");
}

#[test]
fn a_remote_module_cannot_link_out_of_its_directory() {
    let dir = tree(&[
        ("secret/main.mcl", ""),
        ("secret/shadow", "root:x"),
        ("p/metadata.yaml", "path: vendor/\n"),
        ("p/main.mcl", "import \"git://h/m/\"\nimport \"own/\"\n"),
        ("p/vendor/h/m/metadata.yaml", ""),
        ("p/vendor/h/m/main.mcl", "import \"evil/\"\n"),
        ("p/vendor/h/m/files/good", "good"),
    ]);
    let link = |to: &str, at: &str| {
        std::os::unix::fs::symlink(dir.path().join(to), dir.path().join(at)).expect("make a link");
    };
    link("secret", "p/vendor/h/m/evil");
    link("secret/shadow", "p/vendor/h/m/files/shadow");
    link("secret", "p/own");
    let loaded = load_at(&dir, "p", &Options { deploy: true, ..Options::default() });
    let text = outline(&loaded);
    assert!(text.contains("evil/ -> E0506: symbolic link `vendor/h/m/evil` escapes its module"), "{text}");
    assert!(text.contains("own/ -> own/main.mcl"), "{text}");
    let deployed: Vec<&str> = loaded.deploy.iter().map(|(path, _)| &**path).collect();
    assert!(deployed.contains(&"/vendor/h/m/files/good"), "{deployed:?}");
    assert!(!deployed.iter().any(|path| path.contains("shadow")), "{deployed:?}");
}

#[test]
fn deployed_files_include_every_module_and_its_data() {
    let dir = tree(&[
        ("metadata.yaml", "files: data/\n"),
        ("main.mcl", "import \"lib/\"\nimport \"one.mcl\"\n"),
        ("one.mcl", ""),
        ("data/a/b.txt", "hello"),
        ("files/not.txt", ""),
        ("lib/metadata.yaml", ""),
        ("lib/main.mcl", ""),
        ("lib/files/c.txt", "inner"),
    ]);
    let loaded = load_at(&dir, "", &Options { deploy: true, ..Options::default() });
    let deployed: Vec<&str> = loaded.deploy.iter().map(|(path, _)| &**path).collect();
    assert_eq!(
        deployed,
        [
            "/data/a/b.txt",
            "/lib/files/c.txt",
            "/lib/main.mcl",
            "/lib/metadata.yaml",
            "/main.mcl",
            "/metadata.yaml",
            "/one.mcl"
        ]
    );
    assert_eq!(loaded.deploy[0].1, b"hello");
    assert!(load_at(&dir, "", &Options::default()).deploy.is_empty());
}

#[test]
fn a_directory_loop_in_the_data_ends() {
    let dir = tree(&[("metadata.yaml", ""), ("main.mcl", ""), ("files/a", "")]);
    std::os::unix::fs::symlink(".", dir.path().join("files/loop")).expect("make a link");
    let loaded = load_at(&dir, "", &Options { deploy: true, ..Options::default() });
    assert_eq!(loaded.deploy.len(), 3);
}

#[test]
fn given_text_replaces_a_file() {
    let dir = tree(&[("main.mcl", "import \"gone.mcl\"\n"), ("a.mcl", "import \"main.mcl\"\n")]);
    let input = Input::Text { path: dir.path().join("main.mcl"), text: b"import \"a.mcl\" # \xff\n".to_vec() };
    let loaded = load(&input, &Options { deploy: true, ..Options::default() }).expect("the program loads");
    assert_eq!(outline(&loaded), "main.mcl in /: a.mcl -> a.mcl\na.mcl in /: main.mcl -> main.mcl");
    assert!(loaded.files.files[FileId::MAIN].text.contains('\u{fffd}'));
    assert_eq!(loaded.deploy[1].1, b"import \"a.mcl\" # \xff\n");
}

fn input_error(path: &Path) -> String {
    match Input::from_path(path).map(|input| load(&input, &Options::default())) {
        Err(error) | Ok(Err(LoadError::Input(error))) => error.to_string(),
        Ok(other) => panic!("{other:?}"),
    }
}

#[test]
fn input_without_a_program_is_refused() {
    let dir = tree(&[("empty/", ""), ("a.txt", ""), ("a.pp", ""), ("nomain/metadata.yaml", ""), ("dir.mcl/x", "")]);
    let at = |name: &str| dir.path().join(name);
    let message = |name: &str| input_error(&at(name)).replace(&format!("{}/", dir.path().display()), "");
    assert_eq!(message("gone.mcl"), "`gone.mcl` does not exist");
    assert_eq!(message("empty"), "directory `empty` contains neither `metadata.yaml` nor `main.mcl`");
    assert_eq!(message("a.txt"), "`a.txt` is not a program: expected a `.mcl` file, a module directory, or `-`");
    assert_eq!(message("a.pp"), "`a.pp` is a Puppet manifest, which `mclc puppet` compiles");
    assert_eq!(message("nomain"), "cannot read `nomain/main.mcl`: no such file or directory");
}

#[test]
fn wrong_metadata_of_the_program_is_a_diagnostic() {
    let dir = tree(&[("metadata.yaml", "license: MIT\nmain: /x.mcl\n")]);
    let input = Input::from_path(dir.path()).expect("the input exists");
    let Err(LoadError::Invalid { files, diagnostics, .. }) = load(&input, &Options::default()) else {
        panic!("the metadata is wrong")
    };
    assert_eq!(&*files.files[FileId::MAIN].name, "metadata.yaml");
    assert_eq!(files.text(diagnostics[0].span.expect("it has a place")), "main: /x.mcl");
}

#[test]
fn loading_is_deterministic() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("f{n}.mcl"), format!("import \"f{}.mcl\"\nimport \"f{}.mcl\"\n", (n * 7) % 40, (n * 3) % 40)))
        .collect();
    files.push(("main.mcl".to_owned(), (0..40).map(|n| format!("import \"f{n}.mcl\"\n")).collect()));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (one, two) = (tree(&borrowed), tree(&borrowed));
    let options = Options { deploy: true, ..Options::default() };
    assert_eq!(load_at(&one, "main.mcl", &options), load_at(&two, "main.mcl", &options));
}

#[test]
fn file_names_contain_no_absolute_path() {
    let dir = tree(&[("p/metadata.yaml", ""), ("p/sub/main.mcl", "import \"../x.mcl\"\n"), ("p/x.mcl", "")]);
    let module_path: PathBuf = dir.path().join("g/");
    let loaded =
        load_at(&dir, "p/sub", &Options { module_path: Some(module_path), deploy: true, ..Options::default() });
    let text = format!("{loaded:?}");
    assert!(!text.contains(&dir.path().display().to_string()), "{text}");
}

#[test]
fn importing_a_system_module_loads_its_mcl_part() {
    check(
        &[("main.mcl", "import \"example\"\nimport \"example/nested\"\n")],
        "main.mcl",
        "main.mcl in /: example -> embeddedfs:///example/main.mcl, example/nested -> system\n\
         embeddedfs:///example/main.mcl in /embeddedfs:/example/: ",
    );
}

#[test]
fn the_files_of_an_embedded_module_are_deployed_with_it() {
    let dir = tree(&[("main.mcl", "import \"embedded/provisioner\"\n")]);
    let loaded = load_at(&dir, "main.mcl", &Options { deploy: true, ..Options::default() });
    let deployed: Vec<&str> = loaded.deploy.iter().map(|(path, _)| &**path).collect();
    assert!(deployed.contains(&"/embeddedfs:/embedded/provisioner/files/kickstart.ks.tmpl"), "{deployed:?}");
    assert_eq!(loaded.units[UnitId::from_u32(1)].system.as_deref(), Some("embedded/provisioner"));
}

#[test]
fn embedded_modules_import_system_modules_only() {
    let lines = EMBEDDED_MODULES.iter().map(|module| format!("import \"{}\"\n", module.name)).collect::<String>();
    let dir = tree(&[("main.mcl", &lines)]);
    let loaded = load_at(&dir, "main.mcl", &Options::default());
    assert_eq!(loaded.units.len(), 1 + EMBEDDED_MODULES.len());
    for module in EMBEDDED_MODULES {
        let metadata = module.files.iter().find(|(path, _)| *path == "metadata.yaml").expect("it has metadata");
        assert_eq!(Metadata::parse(metadata.1), Ok((Metadata::default(), Vec::new())), "{}", module.name);
        assert!(!module.main().is_empty(), "{}", module.name);
    }
    for unit in loaded.units.values().skip(1) {
        assert!(unit.imports.iter().all(|import| import.target == ImportTarget::System), "{unit:?}");
    }
}
