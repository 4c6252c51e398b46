//! A fuzzer of the readers of artifacts: it reads mutated artifacts of every stage, and runs the next stage on those that are
//! accepted, for some seconds.
//!
//! `cargo run --profile fuzz -p fuzz --bin artifacts -- --seconds 60 --seed 7`
//!
//! A panic, an artifact that needs more than two seconds of processor time, and one that needs more than 4 GiB of memory end the
//! run with a status other than 0. The artifact is written to `fuzz-crash.bin`; `--trace` writes each before it is read, to find
//! one that ends the whole process.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fastrand::Rng;
use fuzz::artifacts::{mutated, of_catalogs, of_environments, of_programs};
use fuzz::manifest::{options, recorded};
use fuzz::session::{Fuzzer, Session};
use mcl_artifact::ArtifactStage;
use mcl_driver::Payload;
use pp_environment::StoredEnvironment;
use pp_evaluator::Options;
use resource_graph::StoredGraph;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What an artifact of some kilobytes may never need, in bytes of address space.
const MEMORY: u64 = 4 << 30;
/// The number of recorded manifests of which environments are made.
const ENVIRONMENTS: usize = 150;

/// Fuzzes the readers of artifacts.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    session: Session,
}

struct Artifacts {
    corpus: Vec<Vec<u8>>,
    options: Options,
}

impl Fuzzer for Artifacts {
    type Program = Vec<u8>;

    const CRASH_FILE: &'static str = "fuzz-crash.bin";
    const MIN_ACCEPTED_PERCENT: usize = 1;

    fn program(&self, rng: &mut Rng, _count: usize) -> Vec<u8> {
        mutated(&self.corpus, rng)
    }

    fn run(&self, bytes: &Vec<u8>, _count: usize) -> bool {
        match mcl_artifact::stage_of(bytes) {
            Some(ArtifactStage::Environment) => self.evaluate(bytes),
            Some(ArtifactStage::Puppet) => {
                let stored = mcl_artifact::read::<StoredGraph>(bytes, ArtifactStage::Puppet);
                stored.is_ok_and(|stored| stored.graph().is_ok_and(|graph| graph.check_declared_order().is_ok()))
            }
            Some(_) | None if mcl_artifact::is_artifact(bytes) => match Payload::read(bytes) {
                Ok(payload) => {
                    let _ = payload.next();
                    true
                }
                Err(_) => false,
            },
            Some(_) | None => pp_translate::read_catalog(bytes).is_ok_and(|(catalog, _)| {
                let types = pp_translate::TranslateOptions::default().types;
                pp_translate::build_relationships(catalog, &types).is_ok()
            }),
        }
    }

    fn target(&self, _count: usize) -> Option<String> {
        None
    }
}

impl Artifacts {
    fn read() -> Artifacts {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut corpus = of_programs(&texts(&here.join("corpus"), "mcl"), &here.join("corpus"));
        let catalogs: Vec<Vec<u8>> = files(&here.join("../../tests/puppet/cases"), "json")
            .iter()
            .filter_map(|path| std::fs::read(path).ok())
            .filter(|bytes| bytes.len() < 20_000)
            .collect();
        corpus.extend(of_catalogs(&catalogs));
        corpus.extend(catalogs);
        let scratch = std::env::temp_dir().join(format!("fuzz-artifacts-{}", std::process::id()));
        let directories: Vec<PathBuf> = recorded()
            .into_iter()
            .take(ENVIRONMENTS)
            .map(|(id, code)| {
                let directory = scratch.join(id);
                std::fs::create_dir_all(directory.join("manifests")).expect("writable");
                std::fs::create_dir_all(directory.join("modules/m/templates")).expect("writable");
                std::fs::write(directory.join("manifests/site.pp"), code).expect("writable");
                std::fs::write(directory.join("modules/m/templates/t.erb"), "<%= 1 %>").expect("writable");
                directory
            })
            .collect();
        corpus.extend(of_environments(&directories));
        std::fs::remove_dir_all(&scratch).expect("it exists");
        Artifacts { corpus, options: options() }
    }

    /// Evaluates the environment of an artifact.
    fn evaluate(&self, bytes: &[u8]) -> bool {
        let Ok(stored) = StoredEnvironment::read(bytes) else { return false };
        let (environment, services, _) = stored.into_parts();
        let _ = pp_evaluator::compile(&environment, &self.options, &services);
        true
    }
}

/// Lists the files with an extension below a directory, sorted.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![directory.to_owned()];
    while let Some(directory) = todo.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn texts(directory: &Path, extension: &str) -> Vec<String> {
    files(directory, extension).iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn main() -> ExitCode {
    let session = Args::parse().session;
    let fuzzer = Artifacts::read();
    println!("{} artifacts in the corpus, {:?}", fuzzer.corpus.len(), session.duration());
    let maximum = getrlimit(Resource::As).maximum;
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum }).expect("a lower limit");
    session.run(&fuzzer)
}
