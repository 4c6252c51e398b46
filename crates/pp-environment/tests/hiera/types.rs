//! Resource types of modules whose source cannot be loaded: wherever a program names one, as in Puppet.

use mcl_diagnostics::Severity;
use pp_environment::compile_path;
use serde_json::json;

use crate::World;

/// Compiles a manifest; returns the first error.
fn compile(world: &World, code: &str) -> Option<String> {
    std::fs::write(world.path().join("manifests/site.pp"), code).expect("writable");
    let compiled = compile_path(world.path(), &[], &world.options).expect("an environment");
    compiled.diagnostics.into_iter().find(|it| it.severity == Severity::Error).map(|error| error.message)
}

#[test]
fn a_type_that_cannot_be_loaded_is_an_error_wherever_it_is_named() {
    let files = json!({
        "modules/m/lib/puppet/type/broken.rb": "Puppet::Type.newtype(:broken do\n",
        "modules/m/lib/puppet/type/fine.rb": "Puppet::Type.newtype(:fine) do\n  newparam(:name)\nend\n",
        "modules/m/manifests/init.pp": "class m {}\n",
    });
    let world = World::new(&json!({ "files": files }));
    for code in [
        "Broken['a'] -> Class['m']",
        "broken { 'a': }",
        "Broken { name => 'x' }",
        "notice(Broken)",
        "notice(Broken['a'])",
        "notice(defined(Broken))",
        "notice(defined('broken'))",
        "Broken<| |>",
        "$x = 1 =~ Broken",
    ] {
        let message = compile(&world, code).expect("an error");
        assert!(message.contains("Could not autoload puppet/type/broken: "), "{code}: {message}");
    }
    assert_eq!(compile(&world, "if !defined(Fine) or !defined('fine') { fail('unknown') }\nfine { 'a': }"), None);
}
