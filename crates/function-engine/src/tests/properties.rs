//! Random programs and events: after each event the engine must agree with an evaluation from scratch.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::tests::invariants;
use crate::tests::programs::{Generator, INPUTS, LISTS, Random, all_inputs, random_input};
use crate::tests::reference_interpreter;
use crate::tests::test_environment::{TestEnvironment, outcome, outputs};

const EVENTS: usize = 8;

/// Checks the program and the events of one seed.
fn one_program(seed: u64) {
    let mut random = Random(seed);
    let program = Generator::program(&mut random);
    let environment = TestEnvironment::default();
    for (key, value) in all_inputs(&mut random) {
        environment.replace(key, value);
    }
    let mut engine = environment.engine(&program);
    for event in 0..=EVENTS {
        let result = outcome(&mut engine);
        assert_eq!(result, reference_interpreter::outcome(&program, &environment), "event {event}");
        invariants::check(&engine);
        assert_eq!(environment.watch_count(), invariants::watches(&engine), "watches belong to streaming functions");

        // The nodes do not depend on the history: a fresh engine has the same.
        let fresh_environment = TestEnvironment::default();
        for key in INPUTS.iter().chain(&LISTS) {
            fresh_environment.replace(key, environment.get(key));
        }
        let mut fresh = fresh_environment.engine(&program);
        assert_eq!(outcome(&mut fresh), result, "a fresh engine at event {event}");
        // A pending control may keep what it has built.
        if invariants::pending(&engine) == 0 {
            assert_eq!(invariants::census(&engine), invariants::census(&fresh), "nodes after event {event}");
        }

        // A round without events evaluates nothing.
        if let (Ok(values), Ok(round)) = (&result, engine.run()) {
            assert_eq!((round.evaluated, round.changed), (0, false));
            assert_eq!(&outputs(&engine), values);
        }
        // Sometimes everything changes at once.
        let changes = if random.one_in(4) { 12 } else { 1 + random.below(2) };
        for _ in 0..changes {
            let (key, value) = random_input(&mut random);
            environment.replace(key, value);
        }
    }
}

/// `MCL_ENGINE_PROGRAMS` sets the number of programs, `MCL_ENGINE_SEED` the first seed.
#[test]
fn random_programs_agree_with_reference_interpreter() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (count, seed) = (number("MCL_ENGINE_PROGRAMS", 2000), number("MCL_ENGINE_SEED", 0));
    for seed in seed..seed + count {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| one_program(seed))) {
            eprintln!("the program of MCL_ENGINE_SEED={seed} MCL_ENGINE_PROGRAMS=1 fails");
            resume_unwind(panic);
        }
    }
}
