//! Random programs, random events: after each event the engine must agree with an evaluation from nothing.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::tests::invariants;
use crate::tests::naive;
use crate::tests::programs::{Generator, INPUTS, LISTS, Random, all_inputs, random_input};
use crate::tests::world::{World, outcome, outputs};

const EVENTS: usize = 8;

/// One program with its events, made from one number.
fn one_program(seed: u64) {
    let mut random = Random(seed);
    let program = Generator::program(&mut random);
    let world = World::default();
    for (key, value) in all_inputs(&mut random) {
        world.replace(key, value);
    }
    let mut engine = world.engine(&program);
    for event in 0..=EVENTS {
        let result = outcome(&mut engine);
        assert_eq!(result, naive::outcome(&program, &world), "event {event}");
        invariants::check(&engine);
        assert_eq!(world.watch_count(), invariants::watches(&engine), "watches belong to live functions");

        // Nothing is left of the past: a fresh engine has the same nodes.
        let elsewhere = World::default();
        for key in INPUTS.iter().chain(&LISTS) {
            elsewhere.replace(key, world.get(key));
        }
        let mut fresh = elsewhere.engine(&program);
        assert_eq!(outcome(&mut fresh), result, "a fresh engine at event {event}");
        // What is pending may keep what it has built.
        if invariants::pending(&engine) == 0 {
            assert_eq!(invariants::census(&engine), invariants::census(&fresh), "nodes after event {event}");
        }

        // A round without news evaluates nothing and says so.
        if let (Ok(values), Ok(round)) = (&result, engine.run()) {
            assert_eq!((round.evaluated, round.changed), (0, false));
            assert_eq!(&outputs(&engine), values);
        }
        // Now and then everything changes at once.
        let changes = if random.one_in(4) { 12 } else { 1 + random.below(2) };
        for _ in 0..changes {
            let (key, value) = random_input(&mut random);
            world.replace(key, value);
        }
    }
}

/// `MCL_ENGINE_PROGRAMS` asks for more than the usual number, `MCL_ENGINE_SEED` for others.
#[test]
fn random_programs_agree_with_an_evaluation_from_nothing() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (count, seed) = (number("MCL_ENGINE_PROGRAMS", 2000), number("MCL_ENGINE_SEED", 0));
    for seed in seed..seed + count {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| one_program(seed))) {
            eprintln!("the program of MCL_ENGINE_SEED={seed} MCL_ENGINE_PROGRAMS=1 fails");
            resume_unwind(panic);
        }
    }
}
