//! `tar` and `gzip`: archives of files (spec 05 §6.28, 6.29).
//!
//! Both are deterministic, so nothing has to be remembered: what the output should be is made anew into a digest and
//! compared with what is there. The output itself is made beside its place and renamed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use resource_graph::Resource;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::kinds::{Context, Failure, Kind, Params, Scope, Watch};
use crate::state::{make_temporary, temporary_beside};

/// What makes the content of an output.
trait Source {
    fn write_to(&self, out: &mut dyn Write) -> Result<(), Failure>;
}

/// The path to write: the parameter, or the name.
fn output_path(params: Params<'_>) -> Result<PathBuf, Failure> {
    Ok(PathBuf::from(match params.str("path")? {
        "" => params.name(),
        path => path,
    }))
}

fn check_output(cx: &mut Context<'_>, path: &Path, source: &dyn Source) -> Result<(), Failure> {
    let mut wanted = Sha256::new();
    source.write_to(&mut wanted)?;
    let wanted = wanted.finalize();
    let present = match File::open(path) {
        Ok(mut file) => {
            let mut digest = Sha256::new();
            io::copy(&mut file, &mut digest).map_err(Failure::on("read", path))?;
            Some(digest.finalize())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::io("read", path, error)),
    };
    if present.as_ref() == Some(&wanted) {
        return Ok(());
    }
    if !cx.change(format!("write {}", path.display()))? {
        return Ok(());
    }
    let temporary = temporary_beside(path);
    let result = write_new(&temporary, source).and_then(|()| {
        fs::rename(&temporary, path).map_err(Failure::on("write", path))?;
        let synced = path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all());
        synced.map_err(Failure::on("write", path))
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn write_new(path: &Path, source: &dyn Source) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let file = make_temporary(path, || options.open(path)).map_err(Failure::on("create", path))?;
    let mut out = BufWriter::new(file);
    source.write_to(&mut out)?;
    let file = out.into_inner().map_err(|error| Failure::io("write", path, error.into_error()))?;
    file.sync_all().map_err(Failure::on("write", path))
}

/// How members are described.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    /// The first of the others that can describe the member.
    Auto,
    Ustar,
    Pax,
    Gnu,
}

struct Tar {
    path: PathBuf,
    inputs: Vec<String>,
    format: Format,
}

pub(super) fn build_tar(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Tar::read(&resources[0])?))
}

impl Tar {
    fn read(resource: &Resource) -> Result<Tar, Failure> {
        let params = Params::new(resource);
        let format = match params.int("format")? {
            0 => Format::Auto,
            2 => Format::Ustar,
            4 => Format::Pax,
            8 => Format::Gnu,
            other => {
                return Err(Failure::Invalid(format!(
                    "`format` must be one of $const.res.tar.format.unknown, .ustar, .pax and .gnu, not {other}"
                )));
            }
        };
        Ok(Tar { path: output_path(params)?, inputs: params.list("inputs")?, format })
    }

    fn append(
        &self,
        tar: &mut Builder<&mut dyn Write>,
        name: &str,
        path: &Path,
        found: &Metadata,
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::io("put into the archive", path, error);
        let mut header = if self.format == Format::Gnu { Header::new_gnu() } else { Header::new_ustar() };
        let size = if found.is_dir() { 0 } else { found.len() };
        header.set_entry_type(if found.is_dir() { EntryType::Directory } else { EntryType::Regular });
        header.set_mode(found.mode() & 0o7777);
        header.set_uid(found.uid().into());
        header.set_gid(found.gid().into());
        header.set_mtime(u64::try_from(found.mtime()).unwrap_or(0));
        header.set_size(size);
        // Eleven octal digits are what a plain header holds.
        let fits = header.set_path(name).is_ok() && size < 0o100_000_000_000;
        if !fits && matches!(self.format, Format::Auto | Format::Pax) {
            let length = size.to_string();
            let records = [("path", name.as_bytes()), ("size", length.as_bytes())];
            tar.append_pax_extensions(records).map_err(failed)?;
            let short: String = name.chars().filter(char::is_ascii).take(90).collect();
            header.set_path(if short.is_empty() { "member" } else { &short }).map_err(failed)?;
        } else if !fits && self.format == Format::Ustar {
            return Err(Failure::Refused(format!(
                "the ustar format cannot hold {}: its name is too long",
                path.display()
            )));
        }
        let mut content: Box<dyn Read> = if found.is_dir() {
            Box::new(io::empty())
        } else {
            // A file that grows or shrinks meanwhile must not shift what follows.
            let file = File::open(path).map_err(failed)?;
            Box::new(BufReader::new(file).take(size).chain(io::repeat(0)).take(size))
        };
        if self.format == Format::Gnu && !fits {
            tar.append_data(&mut header, name, &mut content).map_err(failed)
        } else {
            header.set_cksum();
            tar.append(&header, &mut content).map_err(failed)
        }
    }

    fn append_input(&self, tar: &mut Builder<&mut dyn Write>, input: &str) -> Result<(), Failure> {
        let root = Path::new(input);
        let found = fs::metadata(root).map_err(Failure::on("read", root))?;
        let base = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !found.is_dir() {
            return self.append(tar, &base, root, &found);
        }
        let prefix = if input.ends_with('/') { String::new() } else { format!("{base}/") };
        if !prefix.is_empty() {
            self.append(tar, &prefix, root, &found)?;
        }
        // What is left to walk, the next one last.
        let mut todo = self.entries(root, &prefix)?;
        while let Some((path, name)) = todo.pop() {
            let found = fs::symlink_metadata(&path).map_err(Failure::on("read", &path))?;
            if found.is_dir() {
                let name = format!("{name}/");
                self.append(tar, &name, &path, &found)?;
                todo.extend(self.entries(&path, &name)?);
            } else if found.is_file() {
                self.append(tar, &name, &path, &found)?;
            } else {
                return Err(Failure::Refused(format!("{} is neither a file nor a directory", path.display())));
            }
        }
        Ok(())
    }

    /// The entries of a directory with their names in the archive, in descending order; without the archive itself.
    fn entries(&self, directory: &Path, prefix: &str) -> Result<Vec<(PathBuf, String)>, Failure> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(directory).map_err(Failure::on("read", directory))? {
            let entry = entry.map_err(Failure::on("read", directory))?;
            let unfinished =
                entry.file_name().as_bytes().windows(6).any(|w| w == b".mgmt-") && directory == self.directory();
            if entry.path() != self.path && !unfinished {
                entries.push((entry.path(), format!("{prefix}{}", entry.file_name().to_string_lossy())));
            }
        }
        entries.sort_by(|a, b| b.0.cmp(&a.0));
        Ok(entries)
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
}

impl Source for Tar {
    fn write_to(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let mut tar = Builder::new(out);
        for input in &self.inputs {
            self.append_input(&mut tar, input)?;
        }
        tar.finish().map_err(Failure::on("write", &self.path))
    }
}

impl Kind for Tar {
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

struct Gzip {
    path: PathBuf,
    input: Option<PathBuf>,
    content: Vec<u8>,
    level: u32,
}

pub(super) fn build_gzip(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Gzip::read(&resources[0])?))
}

impl Gzip {
    fn read(resource: &Resource) -> Result<Gzip, Failure> {
        let params = Params::new(resource);
        let level = match params.opt_int("level")?.unwrap_or(-1) {
            -2 => 1,
            -1 => 6,
            level => u32::try_from(level)
                .ok()
                .filter(|l| *l <= 9)
                .ok_or_else(|| Failure::Invalid(format!("`level` must be between -2 and 9, not {level}")))?,
        };
        Ok(Gzip {
            path: output_path(params)?,
            input: params.opt_str("input")?.map(PathBuf::from),
            content: params.opt_bytes("content")?.map(|content| content.as_bytes().to_vec()).unwrap_or_default(),
            level,
        })
    }
}

impl Source for Gzip {
    fn write_to(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let mut gzip = GzBuilder::new().write(out, Compression::new(self.level));
        match &self.input {
            Some(input) => {
                let mut file = File::open(input).map_err(Failure::on("read", input))?;
                io::copy(&mut file, &mut gzip).map_err(Failure::on("compress", input))?;
            }
            None => gzip.write_all(&self.content).map_err(Failure::on("write", &self.path))?,
        }
        gzip.finish().map_err(Failure::on("write", &self.path)).map(drop)
    }
}

impl Kind for Gzip {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        check_output(cx, &self.path, self)
    }

    fn watches(&self) -> Vec<Watch> {
        let paths = std::iter::once(&self.path).chain(&self.input);
        paths.map(|path| Watch::Path(path.clone(), Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Gzip::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::kinds::harness::{Bench, resource};

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
        Bench::new(&archive(&[&single, &format!("{root}/d")])).converges();
        let names: Vec<(String, String)> = members(&out);
        let expected = [("z", "3"), ("d/", ""), ("d/e/", ""), ("d/e/y", "2"), ("d/x", "1")];
        assert_eq!(names, expected.map(|(n, c)| (n.to_owned(), c.to_owned())));
        Bench::new(&archive(&[&format!("{root}/")])).converges();
        assert_eq!(members(&out).iter().map(|m| &*m.0).collect::<Vec<_>>(), ["d/", "d/e/", "d/e/y", "d/x", "z"]);
    }

    #[test]
    fn a_changed_member_makes_a_new_archive() {
        let scratch = tempfile::tempdir().unwrap();
        let root = tree(scratch.path());
        let out = scratch.path().join("o.tar");
        let mut bench =
            Bench::new(&resource("tar", out.to_str().unwrap()).with("inputs", Value::list([root.as_str()])));
        bench.converges();
        fs::write(Path::new(&root).join("d/e/y"), "changed").unwrap();
        bench.converges();
        fs::write(&out, "damaged").unwrap();
        bench.converges();
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
            Bench::new(&archive(format)).run(true).unwrap();
            assert_eq!(members(&out).last().unwrap(), &(long.clone(), "x".to_owned()), "format {format}");
        }
        assert!(Bench::new(&archive(2)).run(true).unwrap_err().to_string().contains("too long"));
        assert!(out.exists(), "a failed run leaves the old archive");
    }

    #[test]
    fn an_archive_does_not_hold_itself() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("a"), "1").unwrap();
        let out = scratch.path().join("o.tar");
        let input = format!("{}/", scratch.path().display());
        Bench::new(&resource("tar", out.to_str().unwrap()).with("inputs", Value::list([input.as_str()]))).converges();
        assert_eq!(members(&out), [("a".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn texts_and_files_are_compressed() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("o.gz");
        let unpacked = || {
            let mut text = String::new();
            flate2::read::GzDecoder::new(File::open(&out).unwrap()).read_to_string(&mut text).unwrap();
            text
        };
        let gzip = || resource("gzip", "g").with("path", out.to_str().unwrap());
        Bench::new(&gzip().with("content", "hello").with("level", -2)).converges();
        assert_eq!(unpacked(), "hello");
        let input = scratch.path().join("i");
        fs::write(&input, "from a file").unwrap();
        let mut bench = Bench::new(&gzip().with("input", input.to_str().unwrap()).with("content", "not this"));
        bench.converges();
        assert_eq!(unpacked(), "from a file");
        fs::remove_file(&input).unwrap();
        assert!(bench.run(true).is_err());
        assert_eq!(unpacked(), "from a file");
    }
}
