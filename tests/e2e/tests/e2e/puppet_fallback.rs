//! Resources without a native equivalent, applied by a real Puppet.

use std::time::{Duration, SystemTime};

use crate::machine::skip;
use crate::support::Scratch;

const CATALOG: &str = r#"{"name":"test","resources":[
  {"type":"Stage","title":"main"},{"type":"Class","title":"main"},
  {"type":"Tidy","title":"old files","file":"site.pp","line":1,
   "parameters":{"path":"@/junk","age":"1d","type":"mtime","recurse":true,"backup":false,"matches":["it's*",{"__ptype":"Sensitive","__pvalue":"s3cret"}]}},
  {"type":"Yumrepo","title":"x","kind":"compilable_type","file":"site.pp","line":9,"parameters":{"password":"s3cret"}}],
 "edges":[{"source":"Stage[main]","target":"Class[main]"},{"source":"Class[main]","target":"Tidy[old files]"},
  {"source":"Class[main]","target":"Yumrepo[x]"}]}"#;

#[test]
fn puppet_applies_resources_without_native_equivalent() {
    if std::process::Command::new("puppet").arg("--version").output().is_err() {
        return skip("puppet is not installed").unwrap_or_default();
    }
    let scratch = Scratch::new("");
    scratch.write("catalog.json", CATALOG);
    std::fs::create_dir(scratch.path("junk")).expect("writable");
    let days = |days: u64| SystemTime::now() - Duration::from_secs(days * 24 * 3600);
    for (name, age) in [("it's old", 3), ("it's new", 0), ("s3cret", 3), ("other", 3)] {
        let file = std::fs::File::create(scratch.path("junk").join(name)).expect("writable");
        file.set_modified(days(age)).expect("our own file");
    }
    let ran = scratch.run("mgmt-rt", &["apply", "--puppet", "catalog.json", "--once", "--prefix", "state"]);
    let names = |name: &str| scratch.path("junk").join(name).exists();
    assert!(!names("it's old") && !names("s3cret"), "{}{}", ran.out, ran.err);
    assert!(names("it's new") && names("other"), "{}{}", ran.out, ran.err);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("Unknown resource type: 'yumrepo'"), "{}", ran.err);
    assert!(!ran.out.contains("s3cret") && !ran.err.contains("s3cret"), "{}{}", ran.out, ran.err);
}
