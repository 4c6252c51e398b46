//! `exit`: ends the run with an exit status (spec 05 §6.19).

use std::sync::atomic::{AtomicU16, Ordering};

use resource_graph::Resource;

use crate::{Context, Failure, Kind, Params};

/// The exit status that a resource asked for; the first one counts.
#[derive(Debug, Default)]
pub struct ExitRequest {
    /// The status plus one; 0 while nobody asked.
    status: AtomicU16,
}

impl ExitRequest {
    /// Asks for an end with that status.
    pub fn request(&self, status: u8) {
        let _ = self.status.compare_exchange(0, u16::from(status) + 1, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// What was asked for.
    #[must_use]
    pub fn requested(&self) -> Option<u8> {
        self.status.load(Ordering::SeqCst).checked_sub(1).and_then(|status| u8::try_from(status).ok())
    }
}

struct Exit {
    code: u8,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Exit { code: code(&resources[0])? }))
}

fn code(resource: &Resource) -> Result<u8, Failure> {
    match u8::try_from(Params::new(resource).int("code")?) {
        Ok(code @ 0..=125) => Ok(code),
        _ => Err(Failure::Invalid("`code` must be between 0 and 125".to_owned())),
    }
}

impl Kind for Exit {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if cx.change(format!("end the run with status {}", self.code))? {
            cx.host.exit.request(self.code);
        }
        Ok(())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        self.code = code(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::harness::{Bench, resource};

    #[test]
    fn the_first_request_counts_and_noop_makes_none() {
        let mut bench = Bench::new(&resource("exit", "e").with("code", 3));
        bench.run(false).unwrap();
        assert_eq!(bench.host.exit.requested(), None);
        bench.run(true).unwrap();
        bench.host.exit.request(5);
        assert_eq!(bench.host.exit.requested(), Some(3));
    }
}
