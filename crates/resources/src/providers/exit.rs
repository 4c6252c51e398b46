//! `exit`: ends the run with an exit status (spec 05 §6.19).

use resource_graph::Resource;

use crate::{Context, Failure, Params, Provider};

struct Exit {
    code: u8,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Exit { code: code(&resources[0])? }))
}

fn code(resource: &Resource) -> Result<u8, Failure> {
    match u8::try_from(Params::new(resource).int("code")?) {
        Ok(code @ 0..=125) => Ok(code),
        _ => Err(Failure::Invalid("`code` must be between 0 and 125".to_owned())),
    }
}

impl Provider for Exit {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if cx.change(format!("end the run with status {}", self.code))? {
            cx.apply_context.exit.request(self.code);
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
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn the_first_request_counts_and_noop_makes_none() {
        let mut test = ProviderTest::new(&resource("exit", "e").with("code", 3));
        test.run(false).unwrap();
        assert_eq!(test.apply_context.exit.requested(), None);
        test.run(true).unwrap();
        test.apply_context.exit.request(5);
        assert_eq!(test.apply_context.exit.requested(), Some(3));
    }
}
