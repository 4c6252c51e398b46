//! Drives the engine through random histories: graphs and patches with groups, transfers and reversals; watches, polling, limits and
//! semaphores; changes, failures, cancelled and stubborn checks; pauses, stops, and crashes with a journal. A model of the agent
//! (`world.rs`) checks every command against what it knows (`promises.rs`), `invariants.rs` recounts what the engine keeps, and at the end
//! everything must come to rest.
//!
//! A history is a list of actions that do not depend on each other, so one that fails is shrunk by leaving actions out.
//!
//! * `SEED=17 cargo test -p resource-engine simulator` runs one seed and shows what happens.
//! * `FROM=0 SEEDS=10000000 cargo test --release -p resource-engine simulator` runs many. `RUNS_FACTOR=20` multiplies the
//!   default number.

mod check;
mod declaration;
mod patch;
mod promises;
mod random;
mod vertex;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::event::{StopLevel, Time};
use crate::simulator::random::Random;
use crate::simulator::world::World;

/// The number of histories of a test run.
const SEEDS: u64 = 200_000;
/// One of this many histories is long.
const LONG_EVERY: u64 = 64;
/// Maximum number of steps until everything is at rest.
const MAX_STEPS_TO_REST: usize = 5000;

/// One action: what is done depends on its number and on the state, but on no other action.
#[derive(Clone, Copy, Debug)]
struct Action(u64);

struct History {
    seed: u64,
    actions: Vec<Action>,
}

impl History {
    fn new(seed: u64) -> History {
        let mut random = Random::new(seed ^ 0x5EED);
        let length = if seed.is_multiple_of(LONG_EVERY) { random.below(400) } else { random.below(50) + 5 };
        History { seed, actions: (0..length).map(|_| Action(random.next())).collect() }
    }

    /// Runs the history; `thorough` checks the invariants after each step.
    fn run(&self, thorough: bool, trace: &mut Option<Vec<String>>) {
        let mut world = World::new(self.seed, thorough);
        world.trace = trace.as_ref().map(|_| Vec::new());
        let result = catch_unwind(AssertUnwindSafe(|| {
            for action in &self.actions {
                perform(&mut world, *action);
            }
            come_to_rest(&mut world, self.seed);
        }));
        *trace = world.trace;
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    }

    fn fails(&self) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.run(true, &mut None))).is_err()
    }

    /// Leaves out as many actions as possible so that it still fails.
    fn shrink(&mut self) {
        let mut size = self.actions.len().div_ceil(2).max(1);
        loop {
            let mut start = 0;
            while start < self.actions.len() {
                let mut actions = self.actions.clone();
                actions.drain(start..(start + size).min(actions.len()));
                let shorter = History { seed: self.seed, actions };
                if shorter.fails() {
                    self.actions = shorter.actions;
                } else {
                    start += size;
                }
            }
            if size == 1 {
                return;
            }
            size = size.div_ceil(2);
        }
    }
}

fn perform(world: &mut World, action: Action) {
    let mut random = Random::new(action.0);
    let random = &mut random;
    if world.is_stopped() {
        return world.boot(random);
    }
    match random.below(100) {
        0..28 => {
            if let Some(key) = world.choose(random, |v| v.running.is_some()) {
                world.end(key, random);
            }
        }
        28..33 => {
            if let Some(key) = world.choose(random, |v| v.running.is_some()) {
                world.make_change(key);
            }
        }
        33..55 => {
            if let Some(key) = world.choose(random, |v| v.arming.is_some()) {
                world.answer_watch(key);
            }
        }
        55..66 => world.drift(random.below(declaration::NAMES)),
        66..69 => {
            if let Some(key) = world.choose(random, |v| v.watching.is_some() || v.arming.is_some()) {
                world.fail_watch(key);
            }
        }
        69..74 => world.new_graph(random),
        74..77 => world.patch(random),
        77 => world.boot(random),
        78 => world.crash_after = Some(random.below(6)),
        79..82 => world.toggle_pause(),
        83..86 => world.patch_structure(random),
        82 => world.stop(random.pick(&[StopLevel::Finish, StopLevel::Cancel, StopLevel::Kill])),
        _ => {
            let time = random.pick(&[0, 1, 1, 3, 1000, 3000, 40_000, 400_000]);
            world.pass(Time::from_millis(time));
        }
    }
}

/// No more faults: everything must come into its state.
fn come_to_rest(world: &mut World, seed: u64) {
    let mut random = Random::new(seed);
    (world.faults, world.crash_after) = (false, None);
    if world.is_checking_once() || world.is_stopping() {
        world.boot(&mut random);
    }
    if world.paused {
        world.toggle_pause();
    }
    world.declaration.make_healthy();
    world.swap(&mut random);
    for _ in 0..MAX_STEPS_TO_REST {
        if let Some(key) = world.choose(&mut random, |v| v.arming.is_some()) {
            world.answer_watch(key);
        } else if let Some(key) = world.choose(&mut random, |v| v.can_end()) {
            world.end(key, &mut random);
        } else {
            let status = world.engine.status();
            if status.quiet && status.done == status.total && !world.has_removed() {
                break;
            }
            assert!(world.engine.deadline().is_some(), "nothing is due, but not all is done: {status:?}");
            world.pass(Time::MAX / 4);
        }
    }
    world.check_rest();
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Shrinks a failing history, shows what happens in it, and panics as it does.
fn explain(seed: u64) -> ! {
    let mut history = History::new(seed);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    if history.fails() {
        history.shrink();
    }
    std::panic::set_hook(hook);
    let mut trace = Some(Vec::new());
    let result = catch_unwind(AssertUnwindSafe(|| history.run(true, &mut trace)));
    eprintln!("SEED={seed} fails; the shortest history has {} actions:", history.actions.len());
    trace.iter().flatten().for_each(|line| eprintln!("{line}"));
    std::panic::resume_unwind(result.expect_err("it failed before"));
}

#[test]
fn random_histories_keep_every_promise() {
    let seeds = match std::env::var("SEED") {
        Ok(seed) => {
            let seed: u64 = seed.parse().expect("SEED is a number");
            seed..seed + 1
        }
        Err(_) => {
            let from = number("FROM", 0);
            from..from + number("SEEDS", SEEDS * number("RUNS_FACTOR", 1))
        }
    };
    let thorough = seeds.end - seeds.start == 1;
    for seed in seeds {
        let history = History::new(seed);
        if catch_unwind(AssertUnwindSafe(|| history.run(thorough, &mut None))).is_err() {
            explain(seed);
        }
    }
}
