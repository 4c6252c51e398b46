//! `tar`: an archive of files and directories.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use resource_graph::Resource;
use rustix::io::Errno;
use safe_fs::{Files, LastLink, Stat, is_temporary_name};
use tar::Builder;

use crate::file_access::failure;
use crate::providers::archive::member::{Format, Member};
use crate::providers::archive::output::{Source, check_output, output_path};
use crate::providers::file::max_mode;
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Tar {
    path: PathBuf,
    inputs: Vec<String>,
    format: Format,
}

pub(in crate::providers) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Tar::read(&resources[0])?))
}

impl Tar {
    fn read(resource: &Resource) -> Result<Tar, Failure> {
        let params = Params::new(resource);
        Ok(Tar { path: output_path(params)?, inputs: params.list("inputs")?, format: Format::read(params)? })
    }

    /// Adds an object, and removes from `max` what the archive must not permit because the object does not.
    fn append(
        &self,
        tar: &mut Builder<&mut dyn Write>,
        name: &str,
        input: &Input<'_>,
        max: &mut u32,
    ) -> Result<(), Failure> {
        let Input { files, path, found } = input;
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidInput => Failure::Refused(format!("cannot archive {}: {error}", path.display())),
            _ => Failure::io("put into the archive", path, error),
        };
        *max &= max_mode(found);
        let size = if found.is_directory() { 0 } else { found.size };
        let member = Member {
            name,
            mode: found.mode,
            uid: found.uid,
            gid: found.gid,
            modified: u64::try_from(found.modified.0).unwrap_or(0),
            size,
        };
        let mut content: Box<dyn Read> = if found.is_directory() {
            Box::new(io::empty())
        } else {
            // A file that changes its size while it is read must not shift the following members.
            let file = files.open(path, LastLink::Follow).map_err(failure)?;
            let file = file.ok_or_else(|| failed(Errno::NOENT.into()))?;
            Box::new(BufReader::new(file).take(size).chain(io::repeat(0)).take(size))
        };
        member.append(tar, self.format, &mut content).map_err(failed)
    }

    fn append_input(
        &self,
        files: &Files,
        tar: &mut Builder<&mut dyn Write>,
        input: &str,
        max: &mut u32,
    ) -> Result<(), Failure> {
        let root = Path::new(input);
        let look_at = |path: &Path, last: LastLink| {
            let found = files.find(path, last).map_err(failure)?;
            found.map(|found| found.stat).ok_or_else(|| Failure::io("read", path, Errno::NOENT))
        };
        let found = look_at(root, LastLink::Follow)?;
        let base = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !found.is_directory() {
            return self.append(tar, &base, &Input { files, path: root, found }, max);
        }
        let prefix = if input.ends_with('/') { String::new() } else { format!("{base}/") };
        if !prefix.is_empty() {
            self.append(tar, &prefix, &Input { files, path: root, found }, max)?;
        }
        // The stack of entries to visit.
        let mut todo = self.entries(files, root, &prefix)?;
        while let Some((path, name)) = todo.pop() {
            let found = look_at(&path, LastLink::Keep)?;
            if found.is_directory() {
                let name = format!("{name}/");
                self.append(tar, &name, &Input { files, path: &path, found }, max)?;
                todo.extend(self.entries(files, &path, &name)?);
            } else if found.is_file() {
                self.append(tar, &name, &Input { files, path: &path, found }, max)?;
            } else {
                return Err(Failure::Refused(format!("{} is neither a file nor a directory", path.display())));
            }
        }
        Ok(())
    }

    /// The entries of a directory with their names in the archive, in descending order; without the archive itself.
    fn entries(&self, files: &Files, directory: &Path, prefix: &str) -> Result<Vec<(PathBuf, String)>, Failure> {
        let names = files.list(directory).map_err(failure)?;
        let names = names.ok_or_else(|| Failure::io("read", directory, Errno::NOENT))?;
        let entries = names.into_iter().filter(|name| !is_temporary_name(name)).map(|name| {
            let in_archive = format!("{prefix}{}", name.to_string_lossy());
            (directory.join(name), in_archive)
        });
        let mut entries: Vec<_> = entries.filter(|(path, _)| *path != self.path).collect();
        entries.reverse();
        Ok(entries)
    }
}

/// An object to put into the archive.
struct Input<'a> {
    files: &'a Files,
    path: &'a Path,
    found: Stat,
}

impl Source for Tar {
    fn write_to(&self, files: &Files, out: &mut dyn Write) -> Result<u32, Failure> {
        let mut tar = Builder::new(out);
        let mut max = 0o7777;
        for input in &self.inputs {
            self.append_input(files, &mut tar, input, &mut max)?;
        }
        tar.finish().map_err(Failure::on("write", &self.path))?;
        Ok(max)
    }
}

impl Provider for Tar {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        check_output(cx, &self.path, self)
    }

    fn watches(&self) -> Vec<Watch> {
        let input = |input: &String| Watch::Path(PathBuf::from(input), Scope::Recursive);
        std::iter::once(Watch::Path(self.path.clone(), Scope::Entry)).chain(self.inputs.iter().map(input)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Tar::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use mcl_value::Value;

    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    fn members(path: &Path) -> Vec<(String, String)> {
        let mut archive = tar::Archive::new(File::open(path).unwrap());
        let read = |entry: io::Result<tar::Entry<'_, File>>| {
            let mut entry = entry.unwrap();
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            (entry.path().unwrap().to_string_lossy().into_owned(), content)
        };
        archive.entries().unwrap().map(read).collect()
    }

    fn tree(scratch: &Path) -> String {
        let root = scratch.join("in");
        fs::create_dir_all(root.join("d/e")).unwrap();
        fs::write(root.join("d/x"), "1").unwrap();
        fs::write(root.join("d/e/y"), "2").unwrap();
        fs::write(root.join("z"), "3").unwrap();
        root.to_str().unwrap().to_owned()
    }

    #[test]
    fn directories_with_and_without_a_slash() {
        let scratch = tempfile::tempdir().unwrap();
        let root = tree(scratch.path());
        let out = scratch.path().join("o.tar");
        let archive = |inputs: &[&str]| {
            resource("tar", out.to_str().unwrap()).with("inputs", Value::list(inputs.iter().copied()))
        };
        let single = format!("{root}/z");
        ProviderTest::new(&archive(&[&single, &format!("{root}/d")])).assert_converges();
        let names: Vec<(String, String)> = members(&out);
        let expected = [("z", "3"), ("d/", ""), ("d/e/", ""), ("d/e/y", "2"), ("d/x", "1")];
        assert_eq!(names, expected.map(|(n, c)| (n.to_owned(), c.to_owned())));
        ProviderTest::new(&archive(&[&format!("{root}/")])).assert_converges();
        assert_eq!(members(&out).iter().map(|m| &*m.0).collect::<Vec<_>>(), ["d/", "d/e/", "d/e/y", "d/x", "z"]);
    }

    #[test]
    fn a_changed_member_makes_a_new_archive() {
        let scratch = tempfile::tempdir().unwrap();
        let root = tree(scratch.path());
        let out = scratch.path().join("o.tar");
        let mut test =
            ProviderTest::new(&resource("tar", out.to_str().unwrap()).with("inputs", Value::list([root.as_str()])));
        test.assert_converges();
        fs::write(Path::new(&root).join("d/e/y"), "changed").unwrap();
        test.assert_converges();
        fs::write(&out, "corrupted").unwrap();
        test.assert_converges();
    }

    #[test]
    fn long_names_in_every_format() {
        let scratch = tempfile::tempdir().unwrap();
        let long = format!("{}/{}", "d".repeat(180), "f".repeat(180));
        let path = scratch.path().join("in").join(&long);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        let out = scratch.path().join("o.tar");
        let input = format!("{}/in/", scratch.path().display());
        let archive = |format: i64| {
            resource("tar", out.to_str().unwrap()).with("inputs", Value::list([input.as_str()])).with("format", format)
        };
        for format in [0, 4, 8] {
            ProviderTest::new(&archive(format)).run(true).unwrap();
            assert_eq!(members(&out).last().unwrap(), &(long.clone(), "x".to_owned()), "format {format}");
        }
        assert!(ProviderTest::new(&archive(2)).run(true).unwrap_err().to_string().contains("too long"));
        assert!(out.exists(), "a failed run leaves the old archive");
    }

    #[test]
    fn an_archive_does_not_hold_itself() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("a"), "1").unwrap();
        let out = scratch.path().join("o.tar");
        let input = format!("{}/", scratch.path().display());
        ProviderTest::new(&resource("tar", out.to_str().unwrap()).with("inputs", Value::list([input.as_str()])))
            .assert_converges();
        assert_eq!(members(&out), [("a".to_owned(), "1".to_owned())]);
    }
}
