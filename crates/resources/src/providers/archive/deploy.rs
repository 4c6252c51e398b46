//! `deploy:tar`: an archive of the files that the running program was deployed with: its modules, with their data.
//!
//! The archive depends only on the program, so it is the same on every machine.

use mcl_artifact::program::DeployedFiles;
use resource_graph::Resource;
use safe_fs::Files;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use tar::Builder;

use crate::providers::archive::member::{Format, Member};
use crate::providers::archive::output::{Source, check_output, output_path};
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct DeployTar {
    path: PathBuf,
    format: Format,
}

pub(in crate::providers) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(DeployTar::read(&resources[0])?))
}

impl DeployTar {
    fn read(resource: &Resource) -> Result<DeployTar, Failure> {
        let params = Params::new(resource);
        Ok(DeployTar { path: output_path(params)?, format: Format::read(params)? })
    }
}

/// The files of a program in one format.
struct Deployed<'a> {
    files: &'a DeployedFiles,
    format: Format,
}

impl Source for Deployed<'_> {
    fn write_to(&self, _files: &Files, out: &mut dyn Write) -> Result<u32, Failure> {
        let mut tar = Builder::new(out);
        let mut directories = BTreeSet::new();
        for (path, content) in self.files.iter() {
            // Directories precede their entries.
            for (end, _) in path.match_indices('/').skip(1) {
                let name = &path[..=end];
                if directories.insert(name) {
                    append(&mut tar, self.format, name, 0o755, &[])?;
                }
            }
            append(&mut tar, self.format, path, 0o644, content.as_bytes())?;
        }
        tar.finish().map_err(|error| Failure::io("write", "the archive of the program", error))?;
        Ok(0o7777)
    }
}

fn append(
    tar: &mut Builder<&mut dyn Write>,
    format: Format,
    name: &str,
    mode: u32,
    mut content: &[u8],
) -> Result<(), Failure> {
    let member = Member { name, mode, uid: 0, gid: 0, modified: 0, size: content.len() as u64 };
    member
        .append(tar, format, &mut content)
        .map_err(|error| Failure::Refused(format!("cannot archive {name} of the program: {error}")))
}

impl Provider for DeployTar {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(files) = cx.deployed() else {
            return Err(Failure::Unavailable(
                "there is no mcl program in this run whose files could be archived".to_owned(),
            ));
        };
        check_output(cx, &self.path, &Deployed { files, format: self.format })
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.path.clone(), Scope::Entry)]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = DeployTar::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    fn names(path: &Path) -> Vec<String> {
        let mut archive = tar::Archive::new(File::open(path).unwrap());
        let name = |entry: std::io::Result<tar::Entry<'_, File>>| {
            String::from_utf8(entry.unwrap().path_bytes().into_owned()).unwrap()
        };
        archive.entries().unwrap().map(name).collect()
    }

    fn deployed(files: &[(&str, &str)]) -> Option<DeployedFiles> {
        Some(Arc::new(files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect()))
    }

    #[test]
    fn the_files_of_the_program_are_archived_in_every_format() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("o.tar");
        let long = format!("/files/{}/{}", "d".repeat(90), "f".repeat(90));
        for format in [0, 4, 8] {
            let mut test = ProviderTest::new(&resource("deploy:tar", out.to_str().unwrap()).with("format", format));
            test.apply_context.deployed = deployed(&[("/files/a", "1"), (&long, "2"), ("/main.mcl", "")]);
            test.assert_converges();
            let directory = format!("/files/{}/", "d".repeat(90));
            assert_eq!(names(&out), ["/files/", "/files/a", &directory, &long, "/main.mcl"], "format {format}");
            std::fs::remove_file(&out).unwrap();
        }
    }

    #[test]
    fn another_program_makes_another_archive() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("o.tar");
        let mut test = ProviderTest::new(&resource("deploy:tar", out.to_str().unwrap()));
        assert!(test.run(true).unwrap_err().to_string().contains("no mcl program"));
        test.apply_context.deployed = deployed(&[("/main.mcl", "1")]);
        test.assert_converges();
        test.apply_context.deployed = deployed(&[("/main.mcl", "2")]);
        test.assert_converges();
    }
}
