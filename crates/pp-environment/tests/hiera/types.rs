//! Resource types of modules whose source cannot be loaded: wherever a program names one, as in Puppet.

use serde_json::json;

use crate::World;

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
        "defined(Broken)",
        "defined('broken')",
        "Broken<| |>",
        "$x =~ Broken",
    ] {
        let message = world.evaluate(code).0.expect_err("an error");
        assert!(message.contains("Could not autoload puppet/type/broken: "), "{code}: {message}");
    }
    assert_eq!(world.evaluate("defined(Fine)").0.as_deref(), Ok("true"));
    assert_eq!(world.evaluate("defined('fine')").0.as_deref(), Ok("true"));
}
