//! `cron:job`: a job of a crontab (spec 08 §19).

mod text;

use std::path::{Path, PathBuf};

use resource_graph::{CRON_COLUMNS, CRONTAB_DIRECTORIES, Resource};
use safe_fs::{LastLink, NewAttributes};

use crate::accounts::user_id;
use crate::file_access::failure;
use crate::providers::cron_job::text::{Crontab, Job, Times};
use crate::text_file::{self, Edit};
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct CronJob {
    /// The crontab, unless it is where those of users are.
    file: Option<PathBuf>,
    user: String,
    exists: bool,
    job: Job,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(CronJob::read(&resources[0])?))
}

impl CronJob {
    fn read(resource: &Resource) -> Result<CronJob, Failure> {
        let params = Params::new(resource);
        let given = |key| params.str(key).map(|text| (!text.is_empty()).then(|| text.to_owned()));
        let times = match params.str("special")? {
            "" => {
                let mut columns: [Option<String>; CRON_COLUMNS.len()] = Default::default();
                for (column, name) in columns.iter_mut().zip(CRON_COLUMNS) {
                    *column = given(name)?;
                }
                Times::Columns(columns)
            }
            special => Times::Special(special.to_owned()),
        };
        let environment = params.opt_list("environment")?;
        // Whitespace around a line is not a part of it when it is read.
        let trimmed = |line: &[u8]| line.trim_ascii().to_vec();
        let variables = environment.map(|lines| lines.iter().map(|line| trimmed(line.as_bytes())).collect());
        Ok(CronJob {
            file: given("file")?.map(PathBuf::from),
            user: given("user")?.unwrap_or_else(|| "root".to_owned()),
            exists: params.opt_str("state")? != Some("absent"),
            job: Job {
                name: params.name().to_string(),
                command: params.opt_bytes("command")?.map(|command| trimmed(command.as_bytes())),
                times,
                variables,
            },
        })
    }

    /// Returns the path of the crontab: where this system has those of users.
    fn path(&self, cx: &Context<'_>) -> Result<PathBuf, Failure> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let directories = CRONTAB_DIRECTORIES.map(Path::new);
        for directory in directories {
            if cx.files().find(directory, LastLink::Follow).map_err(failure)?.is_some() {
                return Ok(directory.join(&self.user));
            }
        }
        Ok(directories[0].join(&self.user))
    }
}

impl Provider for CronJob {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let path = self.path(cx)?;
        let (job, exists) = (&self.job, self.exists);
        let decide = |before: Option<&[u8]>| {
            let before = before.unwrap_or_default();
            text_file::check_lines(before, &path)?;
            let crontab = Crontab::new(before);
            let after = if exists { crontab.with(job)? } else { crontab.without(job) };
            let verb = if exists { "write" } else { "remove" };
            Ok(after.map(|after| Edit {
                text: format!("{verb} the job `{}` in {}", job.name, path.display()),
                after: Some(after),
                is_private: false,
            }))
        };
        // cron ignores a crontab that belongs to somebody else.
        let uid = if self.file.is_none() && cx.apply { Some(user_id(&self.user)?) } else { None };
        text_file::edit(cx, &path, &NewAttributes { uid, mode: Some(0o600), ..NewAttributes::default() }, decide)
            .map(drop)
    }

    fn watches(&self) -> Vec<Watch> {
        let paths = match &self.file {
            Some(file) => vec![file.clone()],
            None => CRONTAB_DIRECTORIES.iter().map(|directory| Path::new(directory).join(&self.user)).collect(),
        };
        paths.into_iter().map(|path| Watch::Path(path, Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = CronJob::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn a_job_is_added_changed_and_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("root");
        let job = |state: &str| {
            resource("cron:job", "backup").with("file", file.to_str().unwrap()).with("state", state).with("hour", "3")
        };
        ProviderTest::new(&job("absent")).assert_unchanged();
        let error = ProviderTest::new(&job("exists")).run(true).unwrap_err().to_string();
        assert!(error.contains("`command`"), "{error}");
        ProviderTest::new(&job("exists").with("command", "/bin/backup")).assert_converges();
        assert_eq!(fs::read_to_string(&file).unwrap(), "# Puppet Name: backup\n* 3 * * * /bin/backup\n");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let variables = mcl_value::Value::list([" A=1 ", "B = 2"]);
        let padded = job("exists").with("command", " /bin/padded\t").with("environment", variables);
        ProviderTest::new(&padded).assert_converges();
        let plain = job("exists").with("command", "/bin/backup").with("environment", mcl_value::Value::list([""; 0]));
        ProviderTest::new(&plain).assert_converges();
        ProviderTest::new(&job("exists").with("minute", "5")).assert_converges();
        assert_eq!(fs::read_to_string(&file).unwrap(), "# Puppet Name: backup\n5 3 * * * /bin/backup\n");
        ProviderTest::new(&job("absent")).assert_converges();
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
    }
}
