//! The layout of artifacts, which belongs to the version of their format.

use std::path::Path;

use mcl_artifact::FORMAT_VERSION;
use mcl_artifact::program::Program;
use mcl_modules::Loaded;
use resource_graph::StoredGraph;
use serde::Deserialize;
use test_support::check_layout;

use crate::payload::{Checked, Resolved, Trees};

fn check<T: for<'de> Deserialize<'de>>(stage: &str) {
    let recorded = format!("{}/src/tests/layouts/{stage}.txt", env!("CARGO_MANIFEST_DIR"));
    check_layout::<T>(Path::new(&recorded), FORMAT_VERSION);
}

#[test]
fn tokens() {
    check::<Loaded>("tokens");
}

#[test]
fn trees() {
    check::<Trees>("trees");
}

#[test]
fn scoped() {
    check::<Resolved>("scoped");
}

#[test]
fn typed() {
    check::<Checked>("typed");
}

#[test]
fn function_graph() {
    check::<Program>("fgraph");
}

#[test]
fn translated_catalog() {
    check::<StoredGraph>("puppet");
}
