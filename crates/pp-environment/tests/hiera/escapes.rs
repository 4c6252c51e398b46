//! Paths that lead out of where they belong, in every place where a program or data gives one: one error each.

use pp_environment::StoredEnvironment;
use pp_functions::Strict;
use serde_json::{Value as Json, json};

use crate::World;

/// What must not be read, beside the directory of the data and that of the module.
const SECRET: &str = "a: s3cret\nm::a: s3cret\n";

/// Returns an environment with a module and a `hiera.yaml`, and what lies outside of both.
fn world(level: &str, facts: &Json) -> World {
    let hiera = format!("version: 5\nhierarchy:\n  - name: Only\n    {level}\n");
    let files = json!({
        "hiera.yaml": hiera,
        "secret/x.yaml": SECRET,
        "secret/x.erb": "s3cret",
        "secret/x.epp": "s3cret",
        "data/common.yaml": "b: 1\n",
        "modules/m/files/a": "inside",
        "modules/m/templates/a.erb": "inside",
        "modules/m/templates/a.epp": "inside",
        "modules/m/manifests/init.pp": "class m {}\n",
        "modules/n/files/a": "of another module",
    });
    World::new(&json!({"files": files, "facts": facts}))
}

#[track_caller]
fn refused(world: &World, code: &str) -> String {
    let message = world.evaluate(code).0.expect_err("an error");
    assert!(!message.contains("s3cret"), "{message}");
    message
}

#[test]
fn variables_do_not_lead_out_of_the_data() {
    let facts =
        json!({"host": "../secret/x", "hosts": ["../secret/x"], "directory": "../secret", "any": "../secret/*"});
    for level in [
        "path: \"%{facts.host}.yaml\"",
        "paths: [\"common.yaml\", \"%{facts.host}.yaml\"]",
        "glob: \"%{facts.any}.yaml\"",
        "globs: [\"%{facts.directory}/x.yaml\"]",
        "mapped_paths: [facts.hosts, host, \"%{host}.yaml\"]",
        "datadir: \"data/%{facts.directory}\"\n    path: x.yaml",
    ] {
        let world = world(level, &facts);
        let message = refused(&world, "lookup('a')");
        assert!(message.contains("Only") || message.contains("hiera.yaml"), "{level}: {message}");
    }
}

#[test]
fn absolute_paths_from_variables_are_refused() {
    let facts = json!({"host": "/etc/passwd", "directory": "/etc"});
    for level in [
        "path: \"%{facts.host}\"",
        "glob: \"%{facts.directory}/*\"",
        "datadir: \"%{facts.directory}\"\n    path: passwd",
    ] {
        let message = refused(&world(level, &facts), "lookup('a')");
        assert!(message.contains("Only") || message.contains("hiera.yaml"), "{level}: {message}");
    }
}

#[test]
fn addresses_are_not_opened() {
    for uri in ["file:///etc/passwd", "http://192.0.2.1/a.yaml", "../secret/x.yaml", "%{facts.any}"] {
        let world = world(&format!("uri: \"{uri}\""), &json!({"any": "file:///etc/passwd"}));
        refused(&world, "lookup('a')");
    }
}

#[test]
fn data_of_a_module_stays_in_it() {
    for level in [
        "path: ../../../secret/x.yaml",
        "glob: ../../../secret/*.yaml",
        "datadir: ../../secret\n    path: x.yaml",
        "datadir: /etc\n    path: passwd",
        "path: link.yaml",
        "mapped_paths: [facts.hosts, host, \"%{host}.yaml\"]",
    ] {
        let world = world("path: common.yaml", &json!({"hosts": ["../../../secret/x"]}));
        let of_module = format!("version: 5\nhierarchy:\n  - name: Only\n    {level}\n");
        std::fs::write(world.path().join("modules/m/hiera.yaml"), of_module).expect("writable");
        std::fs::create_dir_all(world.path().join("modules/m/data")).expect("writable");
        let link = world.path().join("modules/m/data/link.yaml");
        std::os::unix::fs::symlink(world.path().join("secret/x.yaml"), link).expect("writable");
        refused(&world, "lookup('m::a')");
    }
}

#[test]
fn names_of_files_do_not_lead_out_of_a_module() {
    let world = world("path: common.yaml", &json!({}));
    for function in ["file", "binary_file", "find_file", "template", "find_template", "epp"] {
        let extension = if function == "epp" { "epp" } else { "erb" };
        for path in ["../../../secret/x", "a/../../../../secret/x", "..", "../../n/files/a"] {
            let message = refused(&world, &format!("{function}('m/{path}.{extension}/../x.{extension}')"));
            assert!(message.contains("leads out of the module 'm'"), "{function}: {message}");
        }
        let world_path = world.path().join("modules/m");
        let folder = if function.ends_with("file") { "files" } else { "templates" };
        let link = world_path.join(folder).join("link.epp");
        if !link.exists() {
            std::os::unix::fs::symlink(world.path().join("secret/x.epp"), &link).expect("writable");
        }
    }
    for (call, expected) in [("file('m//a')", "'inside'"), ("template('m//a.erb')", "'inside'")] {
        assert_eq!(world.evaluate(call).0.as_deref(), Ok(expected), "{call}: a slash too many is not a root");
    }
    for function in ["file", "binary_file", "template", "epp"] {
        let message = refused(&world, &format!("{function}('m/link.epp')"));
        assert!(message.contains("a symbolic link out of its module"), "{function}: {message}");
    }
}

#[test]
fn an_artifact_holds_no_file_that_a_link_of_a_module_leads_to() {
    let world = world("path: common.yaml", &json!({}));
    let link = world.path().join("modules/m/templates/link.erb");
    std::os::unix::fs::symlink(world.path().join("secret/x.erb"), link).expect("writable");
    let (_, loaded) = pp_environment::load_path(world.path(), &[], Strict::Warning).expect("an environment");
    let error = StoredEnvironment::new(loaded).expect_err("a link out of the module");
    assert!(error.diagnostic().message.contains("a symbolic link out of its module"));
}
