//! Fetching remote modules. The repositories lie in the scratch directory, where git's own configuration sends it for the
//! addresses below `https://host.example/`.

use std::path::Path;
use std::process::Command;

use crate::command::{Ran, Scratch};

/// A program with a module directory, and the repositories of a host.
struct World {
    scratch: Scratch,
    config: String,
}

impl World {
    /// With these files of the program.
    fn new(program: &[(&str, &[u8])]) -> World {
        let scratch = Scratch::new(program);
        let config = scratch.path("gitconfig");
        let base = scratch.path("host").display().to_string();
        let text = format!(
            "[url \"{base}/\"]\n\tinsteadOf = https://host.example/\n[user]\n\tname = T\n\temail = t@host.example\n[init]\n\
             \tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
        );
        std::fs::write(&config, text).expect("write the configuration");
        World { config: config.display().to_string(), scratch }
    }

    fn git(&self, directory: &Path, args: &[&str]) {
        let ran = Command::new("git")
            .args(args)
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", &self.config)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git runs");
        assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Commits these files to a repository of the host.
    fn publish(&self, name: &str, files: &[(&str, &str)]) {
        let repository = self.scratch.path("host").join(name);
        if !repository.exists() {
            std::fs::create_dir_all(&repository).expect("make the repository");
            self.git(&repository, &["init", "--quiet"]);
        }
        for (file, text) in files {
            std::fs::write(repository.join(file), text).expect("write a file");
        }
        self.git(&repository, &["add", "."]);
        self.git(&repository, &["commit", "--quiet", "-m", "change"]);
    }

    fn mclc(&self, args: &[&str]) -> Ran {
        // A hook of some other repository has these set.
        let hook = self.scratch.path("hook").display().to_string();
        let environment = [
            ("GIT_CONFIG_GLOBAL", self.config.as_str()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_DIR", &hook),
            ("GIT_WORK_TREE", &hook),
        ];
        self.scratch.mclc_in(&environment, args)
    }

    /// Runs `mclc get` and tells what it says: `exit status`, standard output, standard error.
    fn get(&self, args: &[&str], status: i32, stdout: &str) -> String {
        let args: Vec<&str> = ["get", "--format", "short"].iter().chain(args).copied().collect();
        let ran = self.mclc(&args);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, stdout), "{}", ran.stderr);
        ran.stderr
    }

    /// What lies in a directory, hidden things too.
    fn names(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.scratch.path(directory)).expect("the directory can be read");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// A program that imports a module, which imports another one.
fn site() -> World {
    let world = World::new(&[
        ("site/metadata.yaml", b"path: vendor/\n"),
        ("site/main.mcl", b"import \"https://host.example/u/mgmt-web/\"\ntest \"${web.port}\" {}\n"),
    ]);
    let web = "import \"https://host.example/u/base?tag=v1\"\n$port = $base.port\n";
    world.publish("u/mgmt-web", &[("metadata.yaml", ""), ("main.mcl", web)]);
    world.publish("u/base", &[("metadata.yaml", "main: start.mcl\n"), ("start.mcl", "$port = \"80\"\n")]);
    world
}

#[test]
fn modules_are_fetched_with_what_they_import() {
    let world = site();
    let before = world.mclc(&["check", "site"]);
    assert!(before.status == 1 && before.stdout.contains("`mclc get` fetches it"), "{before:?}");
    let stderr = world.get(
        &["site"],
        0,
        "fetched     https://host.example/u/mgmt-web/ in site/vendor/host.example/u/mgmt-web\n\
         fetched     https://host.example/u/base in site/vendor/host.example/u/base\n",
    );
    assert_eq!(stderr, "");
    assert_eq!(world.names("site/vendor/host.example/u"), ["base", "mgmt-web"]);
    let after = world.mclc(&["check", "site"]);
    assert_eq!((after.status, after.stdout.as_str()), (0, ""), "{after:?}");
}

#[test]
fn what_is_there_is_kept() {
    let world = site();
    world.mclc(&["get", "site"]);
    // Neither the host nor git is needed.
    std::fs::rename(world.scratch.path("host"), world.scratch.path("gone")).expect("take the host away");
    let kept = "kept        https://host.example/u/mgmt-web/ in site/vendor/host.example/u/mgmt-web\n\
                kept        https://host.example/u/base in site/vendor/host.example/u/base\n";
    assert_eq!(world.get(&["site"], 0, kept), "");
    let ran = world.scratch.mclc_in(&[("PATH", "/nonexistent")], &["get", "site"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, kept), "{ran:?}");
}

#[test]
fn an_update_pulls_and_fetches_new_imports() {
    let world = site();
    world.mclc(&["get", "site"]);
    world.publish("u/more", &[("metadata.yaml", ""), ("main.mcl", "")]);
    world.publish("u/base", &[("start.mcl", "import \"https://host.example/u/more\"\n$port = \"81\"\n")]);
    let stderr = world.get(
        &["site", "--update"],
        0,
        "up to date  https://host.example/u/mgmt-web/ in site/vendor/host.example/u/mgmt-web\n\
         updated     https://host.example/u/base in site/vendor/host.example/u/base\n\
         fetched     https://host.example/u/more in site/vendor/host.example/u/more\n",
    );
    assert_eq!(stderr, "");
    let text = std::fs::read_to_string(world.scratch.path("site/vendor/host.example/u/base/start.mcl"));
    assert!(text.expect("it is there").contains("81"));
}

#[test]
fn an_update_leaves_modules_alone_that_are_no_clones() {
    let world = site();
    world.mclc(&["get", "site"]);
    std::fs::remove_dir_all(world.scratch.path("site/vendor/host.example/u/base/.git")).expect("vendor it");
    // The program is a repository itself, without a remote: a pull would fail.
    world.git(&world.scratch.path("site"), &["init", "--quiet"]);
    world.get(
        &["site", "--update"],
        0,
        "up to date  https://host.example/u/mgmt-web/ in site/vendor/host.example/u/mgmt-web\n\
         kept        https://host.example/u/base in site/vendor/host.example/u/base\n",
    );
}

#[test]
fn an_update_does_not_touch_local_work() {
    let world = site();
    world.mclc(&["get", "site"]);
    let clone = world.scratch.path("site/vendor/host.example/u/base");
    std::fs::write(clone.join("start.mcl"), "$port = \"mine\"\n").expect("change the clone");
    world.git(&clone, &["commit", "--quiet", "-a", "-m", "mine"]);
    world.publish("u/base", &[("start.mcl", "$port = \"theirs\"\n")]);
    let stderr = world.get(
        &["site", "--update"],
        1,
        "up to date  https://host.example/u/mgmt-web/ in site/vendor/host.example/u/mgmt-web\n",
    );
    assert!(
        stderr.starts_with(
            "site/vendor/host.example/u/mgmt-web/main.mcl:1:8: error[E0513]: cannot update module \
             `https://host.example/u/base`: Not possible to fast-forward"
        ),
        "{stderr}"
    );
    assert_eq!(std::fs::read_to_string(clone.join("start.mcl")).expect("it is there"), "$port = \"mine\"\n");
}

#[test]
fn submodules_come_along() {
    let world = World::new(&[("main.mcl", b"import \"https://host.example/u/app\"\n")]);
    world.publish("u/data", &[("motd", "hello\n")]);
    world.publish("u/app", &[("metadata.yaml", ""), ("main.mcl", "")]);
    let app = world.scratch.path("host/u/app");
    world.git(&app, &["submodule", "--quiet", "add", "https://host.example/u/data", "files"]);
    world.publish("u/app", &[]);
    world.get(
        &["main.mcl", "--module-path", "modules"],
        0,
        "fetched     https://host.example/u/app in modules/host.example/u/app\n",
    );
    let motd = world.scratch.path("modules/host.example/u/app/files/motd");
    assert_eq!(std::fs::read_to_string(motd).expect("it is there"), "hello\n");
    world.git(&world.scratch.path("modules/host.example/u/app/files"), &["status"]);
}

#[test]
fn a_repository_without_metadata_is_no_module() {
    let world = World::new(&[
        ("metadata.yaml", b"path: vendor/\n"),
        ("main.mcl", b"import \"https://host.example/u/a\"\nimport \"https://host.example/u/b\"\n"),
    ]);
    world.publish("u/a", &[("main.mcl", "")]);
    world.publish("u/b", &[("metadata.yaml", ""), ("main.mcl", "")]);
    let stderr = world.get(&[], 1, "fetched     https://host.example/u/b in vendor/host.example/u/b\n");
    assert_eq!(
        stderr,
        "main.mcl:1:8: error[E0513]: repository `https://host.example/u/a` is not a module: missing `metadata.yaml` in \
         its root directory\n"
    );
    assert_eq!(world.names("vendor/host.example/u"), ["b"]);
    // Once it has become one, nothing is in the way.
    world.publish("u/a", &[("metadata.yaml", "")]);
    world.get(
        &[],
        0,
        "fetched     https://host.example/u/a in vendor/host.example/u/a\n\
         kept        https://host.example/u/b in vendor/host.example/u/b\n",
    );
}

#[test]
fn a_missing_repository_is_one_error_at_each_import() {
    let world = World::new(&[
        ("metadata.yaml", b"path: vendor/\n"),
        ("main.mcl", b"import \"lib.mcl\"\nimport \"https://host.example/u/none\"\n"),
        ("lib.mcl", b"import \"https://host.example/u/none\" as other\n"),
    ]);
    let stderr = world.get(&[], 1, "");
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{stderr}");
    for (line, place) in lines.iter().zip(["main.mcl:2:8", "lib.mcl:1:8"]) {
        let start = format!("{place}: error[E0513]: cannot download module `https://host.example/u/none`: ");
        assert!(line.starts_with(&start) && line.contains("not"), "{stderr}");
    }
    assert_eq!(world.names("vendor/host.example/u"), [""; 0]);
}

#[test]
fn another_address_of_a_module_is_tried_too() {
    let world = World::new(&[
        ("metadata.yaml", b"path: vendor/\n"),
        ("main.mcl", b"import \"ftp://host.example/u/a\" as old\nimport \"https://host.example/u/a\"\n"),
    ]);
    world.publish("u/a", &[("metadata.yaml", ""), ("main.mcl", "")]);
    let stderr = world.get(&[], 1, "fetched     https://host.example/u/a in vendor/host.example/u/a\n");
    assert!(stderr.starts_with("main.mcl:1:8: error[E0513]") && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn a_directory_in_the_way_stays() {
    let world = World::new(&[
        ("metadata.yaml", b"path: vendor/\n"),
        ("main.mcl", b"import \"https://host.example/u/a\"\n"),
        ("vendor/host.example/u/a/notes", b"mine"),
    ]);
    world.publish("u/a", &[("metadata.yaml", ""), ("main.mcl", "")]);
    let stderr = world.get(&[], 1, "");
    assert!(stderr.contains("error[E0513]: module `https://host.example/u/a` has no `metadata.yaml` in `"), "{stderr}");
    assert_eq!(world.names("vendor/host.example/u/a"), ["notes"]);
}

#[test]
fn without_a_module_directory_there_is_no_place_for_modules() {
    let world = World::new(&[("main.mcl", b"import \"https://host.example/u/a\"\n")]);
    world.publish("u/a", &[("metadata.yaml", ""), ("main.mcl", "")]);
    let ran = world.mclc(&["get", "main.mcl"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("E0505") && ran.stderr.contains("`--module-path DIR`"), "{ran:?}");
}

#[test]
fn without_git_nothing_can_be_fetched() {
    let world = site();
    let ran = world.scratch.mclc_in(&[("PATH", "/nonexistent")], &["get", "site"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(
        ran.stderr,
        "mclc: git is not installed; it is required to download `https://host.example/u/mgmt-web/`\n"
    );
    assert_eq!(world.names("site/vendor/host.example/u"), [""; 0]);
}

#[test]
fn only_addresses_of_repositories_reach_git() {
    let world = World::new(&[
        ("metadata.yaml", b"path: vendor/\n"),
        ("main.mcl", b"import \"ext://sh/x\"\nimport \"file:///srv/x\"\nimport \"ssh://-oProxyCommand=x/y\"\n"),
    ]);
    let stderr = world.get(&[], 1, "");
    let errors = stderr.lines().filter(|line| line.contains("error[E0513]") && line.contains("invalid repository URL"));
    assert_eq!(errors.count(), 3, "{stderr}");
    assert_eq!(world.names(""), ["gitconfig", "main.mcl", "metadata.yaml"]);
}

#[test]
fn a_repository_of_this_machine_can_be_named() {
    let world = World::new(&[]);
    world.publish("u/a", &[("metadata.yaml", ""), ("main.mcl", "")]);
    let host = world.scratch.path("host").display().to_string();
    std::fs::write(world.scratch.path("main.mcl"), format!("import \"git://{host}/u/a\"\n"))
        .expect("write the program");
    let stdout = format!("fetched     git://{host}/u/a in modules{host}/u/a\n");
    world.get(&["main.mcl", "--module-path", "modules"], 0, &stdout);
}

#[test]
fn nothing_is_put_outside_of_the_module_directory() {
    let world = World::new(&[
        ("site/metadata.yaml", b"path: vendor/\n"),
        ("site/main.mcl", b"import \"https://%2e%2e/%2e%2e/a\"\nimport \"https://%2e%2e/u/a\"\n"),
        ("home/keep", b""),
    ]);
    let stderr = world.get(&["site"], 1, "");
    assert!(stderr.contains("error[E0513]: module `https://%2e%2e/u/a` would be outside of"), "{stderr}");
    // A module that somebody else wrote can hold links.
    let home = world.scratch.path("home");
    world.publish("u/a", &[("metadata.yaml", ""), ("main.mcl", "")]);
    for (name, link) in [("direct", "vendor"), ("deep", "vendor/host.example")] {
        world.publish(
            &format!("u/{name}"),
            &[("metadata.yaml", "path: vendor/\n"), ("main.mcl", "import \"https://host.example/u/a\"\n")],
        );
        let link = world.scratch.path("host/u").join(name).join(link);
        std::fs::create_dir_all(link.parent().expect("below a directory")).expect("make a directory");
        std::os::unix::fs::symlink(&home, link).expect("make a link");
        world.publish(&format!("u/{name}"), &[]);
        std::fs::write(world.scratch.path("site/main.mcl"), format!("import \"https://host.example/u/{name}\"\n"))
            .expect("write the program");
        let url = format!("https://host.example/u/{name}");
        let stdout = format!("fetched     {url} in site/vendor/host.example/u/{name}\n");
        let stderr = world.get(&["site"], 1, &stdout);
        assert!(stderr.contains("outside of") || stderr.contains("escapes its module"), "{stderr}");
        assert_eq!(world.names("home"), ["keep"]);
    }
}
