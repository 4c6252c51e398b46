//! Real modules, compiled here and by a real Puppet: the share of drivers whose catalog is the same, or whose refusal says the
//! same.
//!
//! `MCL_PUPPET_MODULES` names a directory of modules; `.ci/puppet-modules` makes one of Debian's packages.
//! `RUNS_FACTOR=20 cargo test -p pp-environment --test differential modules -- --nocapture` prints the causes of differences by the
//! number of drivers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcl_diagnostics::Severity;
use pp_environment::{Facts, Input, compile_path, find};
use pp_functions::Strict;
use test_support::{RandomChoice, Rng, Scratch, seeds, skip};

use crate::drivers::{Driver, driver, subjects};
use crate::reference::{Answer, Reference};
use crate::systems::facts_files;
use crate::{FACTS, NODE, catalog};

/// The share of drivers that must agree, in percent: a little less than measured. Raise it with every cause that is removed.
const MIN_AGREEMENT: usize = 96;

/// The hierarchy of the environment: one file of data.
const HIERA: &str = "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n";

/// Writes a driver to the environment.
fn write(environment: &Scratch, driver: &Driver) {
    environment.write("manifests/site.pp", &driver.code);
    environment.write("data/common.yaml", serde_json::Value::from(driver.data.clone()).to_string());
}

/// Compiles the environment in this process. Every error is in the answer.
fn compile(driver: &Driver, environment: &Path, modules: &Path, facts: &Path) -> (Answer, Vec<String>) {
    let facts = Facts::read(facts).expect("facts");
    let mut options = pp_environment::node_options(Some(NODE), facts);
    if driver.is_strict {
        (options.strict, options.strict_variables) = (Strict::Error, true);
    }
    let compiled = match compile_path(environment, &[modules.to_owned()], &options) {
        Ok(compiled) => compiled,
        Err(error) => return (Answer { error: Some(error.message.clone()), ..Answer::default() }, vec![error.message]),
    };
    let errors = compiled.diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|error| error.message).collect();
    let catalog = compiled.catalog.map(|catalog| catalog.to_json(0, "").expect("JSON"));
    let catalog = catalog.as_ref().map(catalog::essence);
    (Answer { catalog, error: errors.first().cloned(), ..Answer::default() }, errors)
}

/// Returns the cause of a difference, the same for all drivers with that cause, and what differs.
fn difference(ours: &Answer, errors: &[String], theirs: &Answer) -> Option<(String, String)> {
    match (&ours.error, &theirs.error) {
        (Some(ours), None) => Some((format!("refused: {}", first_line(ours)), String::new())),
        (None, Some(theirs)) => Some((format!("accepted; Puppet: {}", without_location(theirs)), String::new())),
        (Some(ours), Some(theirs)) => {
            let says_the_same = errors.iter().any(|error| is_same_refusal(error, theirs));
            let cause = || format!("refused for another reason: {}", first_line(ours));
            (!says_the_same).then(|| (cause(), format!("\n    Puppet: {}", without_location(theirs))))
        }
        (None, None) => {
            let what = catalog::difference(ours.catalog.as_ref()?, theirs.catalog.as_ref()?)?;
            let cause = what.split(['[', '(']).next().unwrap_or_default();
            Some((format!("catalog: {cause}"), what))
        }
    }
}

/// Whether most words of the shorter message are in the other one.
fn is_same_refusal(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (words(ours), words(&without_location(theirs)));
    let common = ours.intersection(&theirs).count();
    common * 10 >= ours.len().min(theirs.len()) * 6
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

fn without_location(text: &str) -> String {
    let text = text.split(" (file:").next().unwrap_or_default();
    let text = text.rsplit_once("Evaluation Error: ").map_or(text, |(_, text)| text);
    let text = match text.strip_prefix("Error while evaluating a ").and_then(|rest| rest.split_once(", ")) {
        Some((_, text)) => text,
        None => text,
    };
    text.split(" on node ").next().unwrap_or_default().chars().take(400).collect()
}

#[test]
fn real_modules_compile_to_what_puppet_makes_of_them() {
    let Some(modules) = std::env::var_os("MCL_PUPPET_MODULES").map(PathBuf::from) else {
        return skip("MCL_PUPPET_MODULES does not name a directory of modules");
    };
    let Some(mut reference) = Reference::start(FACTS) else { return };
    let scratch = Scratch::new();
    let systems = facts_files(&scratch);
    let environment = Scratch::with_files([("hiera.yaml", HIERA)]);
    write(&environment, &Driver::default());
    let input = Input::Environment(environment.dir().to_owned());
    let found = find(&input, std::slice::from_ref(&modules)).expect("a module path");
    let subjects = subjects(&found.modules);
    assert!(subjects.len() > 100, "{} classes and defines", subjects.len());
    let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut agreed, mut refused, mut total) = (0, 0, 0);
    for seed in seeds(60) {
        let mut rng = Rng::with_seed(seed);
        // Few modules know more than the first two.
        let facts = if rng.one_in(3) { rng.pick(&systems) } else { &systems[usize::from(rng.one_in(4))] };
        let driver = driver(&subjects, &mut rng);
        write(&environment, &driver);
        let theirs = reference.compile_with_modules(&driver, environment.dir(), &modules, facts);
        if theirs.is_crash {
            continue;
        }
        let (ours, errors) = compile(&driver, environment.dir(), &modules, facts);
        total += 1;
        refused += usize::from(theirs.error.is_some());
        match difference(&ours, &errors, &theirs) {
            None => agreed += 1,
            Some((cause, what)) => {
                causes.entry(cause).or_default().push(format!("SEED={seed} {}{what}", driver.line()));
            }
        }
    }
    let mut causes: Vec<(String, Vec<String>)> = causes.into_iter().collect();
    causes.sort_by_key(|(_, drivers)| std::cmp::Reverse(drivers.len()));
    for (cause, drivers) in &causes {
        eprintln!("{} {cause}\n    {}", drivers.len(), drivers[0]);
    }
    eprintln!("{agreed} of {total} drivers agree, {refused} of them Puppet refuses");
    assert!(agreed * 100 >= total * MIN_AGREEMENT, "{agreed} of {total} drivers agree");
}
