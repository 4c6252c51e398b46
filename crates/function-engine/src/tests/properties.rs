//! Random programs and events: after each event the engine must agree with an evaluation from scratch.

use test_support::{RandomChoice, Rng, for_each_seed_in_parallel};

use crate::tests::invariants;
use crate::tests::programs::{Generator, INPUTS, LISTS, all_inputs, random_input};
use crate::tests::reference_interpreter;
use crate::tests::test_environment::{TestEnvironment, outcome, outputs};

const EVENTS: usize = 8;

/// Checks one program after each of its events.
fn check_random_program(random: &mut Rng) {
    let program = Generator::program(random);
    let environment = TestEnvironment::default();
    for (key, value) in all_inputs(random) {
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
        let changes = if random.one_in(4) { 12 } else { 1 + random.usize(..2) };
        for _ in 0..changes {
            let (key, value) = random_input(random);
            environment.replace(key, value);
        }
    }
}

#[test]
fn random_programs_agree_with_reference_interpreter() {
    for_each_seed_in_parallel(2000, check_random_program);
}
